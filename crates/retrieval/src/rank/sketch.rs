//! Sketches of directions: sixteen bytes for each document, from which its cosine with a question
//! is estimated.
//!
//! A sketch is the signs of a direction after a rotation that spreads what it says evenly over all
//! dimensions. The question's rotated direction keeps four bits for each dimension, so the estimate
//! is a sum of numbers of bits in common, and is off by about 0.06 (Gao and Long 2024, "RaBitQ").
//! A pass over all sketches costs a tenth of one over all directions; the best by the estimate are
//! then compared exactly.

/// Dimensions of a direction that has a sketch. A power of two, for the rotation.
pub const DIMENSIONS: usize = 128;
/// Words of a sketch: one bit for each dimension.
const WORDS: usize = DIMENSIONS / 64;
/// Bits that the question keeps for each dimension.
const PLANES: usize = 4;
/// The greatest number of these bits.
const LEVEL_MAX: i32 = (1 << PLANES) - 1;

/// The signs of a rotated direction.
pub type Sketch = [u64; WORDS];

/// The sketch of a direction; directions of other lengths are cut, or filled with zeros.
pub fn sketch_of(steps: &[i8]) -> Sketch {
    let mut sketch = [0; WORDS];
    for (word, numbers) in sketch.iter_mut().zip(rotated(steps).chunks(64)) {
        for (bit, number) in numbers.iter().enumerate() {
            *word |= u64::from(*number > 0.0) << bit;
        }
    }
    sketch
}

/// A direction to compare with sketches.
#[derive(Clone, Debug, PartialEq)]
pub struct QuestionSketch {
    /// The bits of its levels, the lowest first.
    planes: [Sketch; PLANES],
    /// The sum of its levels from −[`LEVEL_MAX`] to [`LEVEL_MAX`].
    sum: i32,
    /// What turns a sum over a document's signs into a cosine.
    scale: f32,
}

impl QuestionSketch {
    /// Of a direction that is not zero.
    pub fn of(steps: &[i8]) -> Self {
        let numbers = rotated(steps);
        let greatest = numbers.iter().fold(f32::MIN_POSITIVE, |most, it| most.max(it.abs()));
        let mut planes = [[0; WORDS]; PLANES];
        let (mut sum, mut square) = (0, 0);
        for (place, number) in numbers.iter().enumerate() {
            let half = LEVEL_MAX as f32 / 2.0;
            let step = (half * (1.0 + number / greatest)).round() as i32;
            let step = step.clamp(0, LEVEL_MAX);
            for (plane, words) in planes.iter_mut().enumerate() {
                words[place / 64] |= ((step >> plane & 1) as u64) << (place % 64);
            }
            let level = 2 * step - LEVEL_MAX;
            sum += level;
            square += level * level;
        }
        // The mean magnitude of a normal distribution, as that of a rotated direction nearly is.
        let magnitude = std::f32::consts::FRAC_2_PI.sqrt();
        let length = (square as f32).sqrt() * (DIMENSIONS as f32).sqrt();
        Self { planes, sum, scale: 1.0 / (length * magnitude) }
    }

    /// Writes the estimated cosines with documents to `cosines`.
    pub fn cosines(&self, sketches: &[Sketch], cosines: &mut [f32]) {
        estimate(&self.planes, self.sum, self.scale, sketches, cosines);
    }
}

#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512vl+avx512dq+avx512vpopcntdq",
    "x86_64+avx2+popcnt",
    "x86_64+popcnt",
    "aarch64+neon"
))]
fn estimate(
    planes: &[Sketch; PLANES],
    sum: i32,
    scale: f32,
    sketches: &[Sketch],
    cosines: &mut [f32],
) {
    let [[a0, a1], [b0, b1], [c0, c1], [d0, d1]] = *planes;
    for (cosine, [low, high]) in cosines.iter_mut().zip(sketches) {
        let ones = low.count_ones() + high.count_ones();
        let first = (low & a0).count_ones() + (high & a1).count_ones();
        let second = (low & b0).count_ones() + (high & b1).count_ones();
        let third = (low & c0).count_ones() + (high & c1).count_ones();
        let fourth = (low & d0).count_ones() + (high & d1).count_ones();
        // The levels where the document's sign is positive, less those where it is negative.
        let positive = 2 * (first + 2 * second + 4 * third + 8 * fourth) as i32;
        let difference = 2 * (positive - LEVEL_MAX * ones as i32) - sum;
        *cosine = difference as f32 * scale;
    }
}

/// Turns a direction so that every dimension has about as much of it: two rounds of fixed signs and
/// a Hadamard transform. Angles remain.
fn rotated(steps: &[i8]) -> [f32; DIMENSIONS] {
    let mut numbers = [0.0; DIMENSIONS];
    numbers.iter_mut().zip(steps).for_each(|(number, step)| *number = f32::from(*step));
    for signs in SIGNS {
        for (place, number) in numbers.iter_mut().enumerate() {
            if signs[place / 64] >> (place % 64) & 1 != 0 {
                *number = -*number;
            }
        }
        hadamard(&mut numbers);
    }
    numbers
}

/// Random bits. Sketches are kept in memory only, so they may change.
const SIGNS: [Sketch; 2] = [
    [0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9],
    [0x94d0_49bb_1331_11eb, 0xd6e8_feb8_6659_fd93],
];

/// The Hadamard transform without its factor: only signs and proportions count.
fn hadamard(numbers: &mut [f32; DIMENSIONS]) {
    let mut half = 1;
    while half < DIMENSIONS {
        for pair in numbers.chunks_exact_mut(2 * half) {
            let (left, right) = pair.split_at_mut(half);
            for (one, other) in left.iter_mut().zip(right) {
                (*one, *other) = (*one + *other, *one - *other);
            }
        }
        half *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::super::meaning::{Direction, compress};
    use super::*;

    /// Directions of which the first dimensions have most, as those of trained models do.
    fn directions(count: usize) -> Vec<Vec<f32>> {
        let mut seed = 0x6265_6361_7573_6521_u64;
        let mut number = move || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 40) as f32 / 16_777_216.0 - 0.5
        };
        let uneven = |place: usize| 1.0 / (1.0 + place as f32 / 8.0);
        let topics: Vec<Vec<f32>> = (0..20)
            .map(|_| (0..DIMENSIONS).map(|place| uneven(place) * number()).collect())
            .collect();
        (0..count)
            .map(|document| {
                let topic = &topics[document % topics.len()];
                let own = (0..DIMENSIONS).map(|place| uneven(place) * number());
                topic.iter().zip(own).map(|(topic, own)| 0.3 + topic + own).collect()
            })
            .collect()
    }

    #[test]
    fn estimates_are_near_the_cosines_whatever_the_dimensions_have() {
        let directions = directions(2_000);
        let steps: Vec<([i8; DIMENSIONS], f32)> = directions
            .iter()
            .map(|direction| {
                let mut steps = [0; DIMENSIONS];
                let length = compress(direction, &mut steps);
                (steps, length)
            })
            .collect();
        let sketches: Vec<Sketch> = steps.iter().map(|(steps, _)| sketch_of(steps)).collect();
        let mut estimates = vec![0.0; sketches.len()];
        let (mut error, mut held, mut wanted) = (0.0, 0, 0);
        for number in 0..20 {
            let question = Direction::of(&directions[number]).unwrap();
            QuestionSketch::of(&steps[number].0).cosines(&sketches, &mut estimates);
            let exact: Vec<f32> =
                steps.iter().map(|(steps, length)| question.cosine(steps, *length)).collect();
            let pairs = exact.iter().zip(&estimates);
            error += pairs.map(|(exact, estimate)| (exact - estimate).abs()).sum::<f32>();
            let best = |scores: &[f32], count: usize| {
                let mut order: Vec<usize> = (0..scores.len()).collect();
                order.sort_by(|one, other| scores[*other].total_cmp(&scores[*one]));
                order.truncate(count);
                order
            };
            let candidates = best(&estimates, 300);
            let nearest = best(&exact, 10);
            held += nearest.iter().filter(|nearest| candidates.contains(nearest)).count();
            wanted += nearest.len();
        }
        let mean = error / 20.0 / sketches.len() as f32;
        assert!(mean < 0.06, "{mean}");
        assert!(held * 100 >= wanted * 97, "{held} of {wanted}");
    }

    #[test]
    fn a_direction_is_nearest_to_itself_and_furthest_from_its_opposite() {
        let steps: Vec<i8> =
            (0..DIMENSIONS).map(|place| if place % 3 == 0 { -50 } else { 50 }).collect();
        let opposite: Vec<i8> = steps.iter().map(|step| -step).collect();
        let mut found = [0.0; 2];
        let sketches = [sketch_of(&steps), sketch_of(&opposite)];
        QuestionSketch::of(&steps).cosines(&sketches, &mut found);
        assert!(found[0] > 0.9 && found[1] < -0.9, "{found:?}");
        QuestionSketch::of(&[]).cosines(&sketches, &mut found);
        assert!(found.iter().all(|cosine| cosine.is_finite()));
    }
}
