//! Similarity in meaning: of a record and a question as a whole, and word by word.
//!
//! As with words, a turn of a conversation depends on the turns before it: a record's *window* is
//! the sum of its own vector, half of the previous one in its session and a quarter of the one
//! before that. With models other than the built-in table, whose windows are not stored, it also
//! includes the two following vectors with the same weights. A record about several things is
//! similar to a question only in some of its words, so each word of the question also counts by its
//! most similar word in the record. Reasons and measurements: `docs/design/0016-meaning.md`.

/// Weight of the previous record's vector.
pub const PREVIOUS_WEIGHT: f32 = 0.5;
/// Weight of the vector of the record before that.
pub const BEFORE_PREVIOUS_WEIGHT: f32 = 0.25;

/// Weight of a similar word in the previous record.
pub const PREVIOUS_NEAR: f32 = 0.8;
/// Weight of a similar word in the record before that.
pub const BEFORE_PREVIOUS_NEAR: f32 = 0.5;

/// Quantises a vector to `steps` of one byte, scaled so that the largest magnitude is 127, and
/// returns 1 ÷ the length of `steps`, which cosines need. A vector that is zero or not finite has
/// no direction: 0.
pub fn compress(vector: &[f32], steps: &mut [i8]) -> f32 {
    let greatest = vector.iter().fold(0.0f32, |greatest, value| greatest.max(value.abs()));
    let is_finite = vector.iter().all(|value| value.is_finite());
    if !is_finite || greatest < f32::MIN_POSITIVE {
        steps.fill(0);
        return 0.0;
    }
    let mut square = 0;
    for (step, value) in steps.iter_mut().zip(vector) {
        let scaled = value / greatest * 127.0;
        // At most 127.5 in magnitude: the cast truncates the half that rounding added.
        *step = (scaled + 0.5f32.copysign(scaled)) as i8;
        square += i32::from(*step) * i32::from(*step);
    }
    1.0 / (square as f32).sqrt()
}

/// A quantised vector to compare with others.
#[derive(Clone, Debug, PartialEq)]
pub struct Direction {
    steps: Vec<i16>,
    inverse_length: f32,
}

impl Direction {
    /// Quantises a vector; `None` if it is zero or not finite.
    pub fn of(vector: &[f32]) -> Option<Self> {
        let mut steps = vec![0; vector.len()];
        let inverse_length = compress(vector, &mut steps);
        (inverse_length > 0.0)
            .then(|| Self { steps: steps.into_iter().map(i16::from).collect(), inverse_length })
    }

    /// The number of dimensions.
    pub fn dimensions(&self) -> usize {
        self.steps.len()
    }

    /// The cosine with a quantised vector, −1 … 1.
    pub fn cosine(&self, steps: &[i8], inverse_length: f32) -> f32 {
        let mut cosine = [0.0];
        self.cosines(steps, &[inverse_length], &mut cosine);
        cosine[0]
    }

    /// Writes the cosines with the vectors that are concatenated in `steps` to `cosines`.
    pub fn cosines(&self, steps: &[i8], inverse_lengths: &[f32], cosines: &mut [f32]) {
        dots(&self.steps, self.inverse_length, steps, inverse_lengths, cosines);
    }
}

#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512vl",
    "x86_64+avx2",
    "aarch64+neon"
))]
fn dots(
    question: &[i16],
    inverse_length: f32,
    steps: &[i8],
    inverse_lengths: &[f32],
    cosines: &mut [f32],
) {
    let vectors = steps.chunks_exact(question.len().max(1));
    for ((cosine, vector), other) in cosines.iter_mut().zip(vectors).zip(inverse_lengths) {
        // An explicit loop, not an iterator's sum: functions called from here would not be compiled
        // for the detected CPU.
        let mut dot = 0;
        for (left, right) in question.iter().zip(vector) {
            dot += i32::from(*left) * i32::from(*right);
        }
        *cosine = dot as f32 * (inverse_length * other);
    }
}

/// Adds the weighted vectors of the two records before (or after) it to a record's vector.
pub fn widen(own: &mut [f32], previous: &[f32], before_previous: &[f32]) {
    for (sum, (previous, before)) in own.iter_mut().zip(previous.iter().zip(before_previous)) {
        *sum += PREVIOUS_WEIGHT * previous + BEFORE_PREVIOUS_WEIGHT * before;
    }
}

/// The similarity of a record to the words of a question, 0 … 1, each by its most similar word.
/// `weights` has the weights of the question's words; the others have, for each of them, the best
/// cosine with a word of the record, of the previous record in its session, and of the one before
/// that (empty if there is none).
pub fn near(weights: &[f32], own: &[f32], previous: &[f32], before_previous: &[f32]) -> f64 {
    let (mut sum, mut all) = (0.0, 0.0);
    for (place, weight) in weights.iter().enumerate() {
        let best = |of: &[f32]| of.get(place).copied().unwrap_or(0.0).max(0.0);
        let context =
            (PREVIOUS_NEAR * best(previous)).max(BEFORE_PREVIOUS_NEAR * best(before_previous));
        sum += weight * best(own).max(context);
        all += weight;
    }
    let share = f64::from(sum / all);
    if share.is_finite() { share } else { 0.0 }
}

/// The mean to which the cosines of a question with all records are normalised: about that of the
/// small sentence model on which the weights were fitted.
const REFERENCE_MEAN: f64 = 0.08;
/// The standard deviation to which they are normalised.
const REFERENCE_DEVIATION: f64 = 0.12;
/// Number of pseudo-records with the reference distribution: a few records are weak evidence about
/// a model.
const REFERENCE_RECORDS: f64 = 16.0;

/// Normalises the cosines of a model to a common scale.
///
/// Some models spread texts over all directions, others over a narrow cone in which all cosines are
/// high. In all of them, a record that answers stands out from the rest. So a question's cosines
/// are shifted and scaled to the reference mean and deviation over all records, and one set of
/// weights fits all models.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    mean: f64,
    stretch: f64,
}

impl Scale {
    /// The scale of the cosines of one question with all records.
    pub fn of(cosines: impl Iterator<Item = f32>) -> Self {
        let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for cosine in cosines.filter(|cosine| cosine.is_finite()).map(f64::from) {
            count += 1.0;
            sum += cosine;
            squares += cosine * cosine;
        }
        let of_records = if count > 0.0 { (squares - sum * sum / count).max(0.0) } else { 0.0 };
        Self::from_moments(count, sum, of_records)
    }

    /// The same where what matters is whether a text is related to the question at all, among texts
    /// that may be few and on few topics. The mean and deviation are those of unrelated texts,
    /// judged by the lower tail of the cosines as that of a normal distribution: however many texts
    /// are related, up to two thirds, they do not lower each other's place on the scale.
    pub fn of_unrelated(cosines: impl Iterator<Item = f32>) -> Self {
        /// Two quantiles of the lower tail, and how many deviations they are below the mean.
        const TAIL: [(f64, f64); 2] = [(0.10, 1.281_6), (0.25, 0.674_5)];
        let mut cosines: Vec<f32> = cosines.filter(|cosine| cosine.is_finite()).collect();
        let count = cosines.len() as f64;
        let mut quantile = |share: f64| {
            let place = (share * (count - 1.0)).max(0.0) as usize;
            let has_place = place < cosines.len();
            has_place.then(|| f64::from(*cosines.select_nth_unstable_by(place, f32::total_cmp).1))
        };
        let [(low_share, low_below), (high_share, high_below)] = TAIL;
        let (Some(low), Some(high)) = (quantile(low_share), quantile(high_share)) else {
            return Self::from_moments(0.0, 0.0, 0.0);
        };
        let deviation = (high - low) / (low_below - high_below);
        let mean = high + high_below * deviation;
        Self::from_moments(count, count * mean, count * deviation * deviation)
    }

    /// From the number of cosines, their sum, and the sum of their squared distances from the mean.
    fn from_moments(count: f64, sum: f64, squared_distances: f64) -> Self {
        let all = REFERENCE_RECORDS + count;
        let mean = (REFERENCE_RECORDS * REFERENCE_MEAN + sum) / all;
        let variance = (REFERENCE_RECORDS * REFERENCE_DEVIATION * REFERENCE_DEVIATION
            + squared_distances)
            / all;
        let deviation = variance.max(f64::MIN_POSITIVE).sqrt();
        Self { mean, stretch: REFERENCE_DEVIATION / deviation }
    }

    /// A cosine on the common scale, −1 … 1.
    pub fn normalise(&self, cosine: f32) -> f64 {
        (REFERENCE_MEAN + (f64::from(cosine) - self.mean) * self.stretch).clamp(-1.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cosine(left: &[f32], right: &[f32]) -> Option<f32> {
        let mut steps = vec![0; right.len()];
        let inverse_length = compress(right, &mut steps);
        Some(Direction::of(left)?.cosine(&steps, inverse_length))
    }

    #[test]
    fn the_cosine_is_one_with_itself_and_zero_with_invalid_vectors() {
        let close = |found: Option<f32>, expect: f32| {
            assert!((found.unwrap() - expect).abs() < 1e-6, "{found:?}")
        };
        close(cosine(&[3.0, 4.0, 0.0], &[3.0, 4.0, 0.0]), 1.0);
        close(cosine(&[3.0, 4.0, 0.0], &[-6.0, -8.0, 0.0]), -1.0);
        close(cosine(&[3.0, 4.0, 0.0], &[0.0, 0.0, 1e-30]), 0.0);
        for nothing in
            [[0.0; 3], [f32::NAN, 1.0, 1.0], [f32::INFINITY, 0.0, 0.0], [1e-45, 0.0, 0.0]]
        {
            assert_eq!(Direction::of(&nothing), None);
            close(cosine(&[3.0, 4.0, 0.0], &nothing), 0.0);
        }
    }

    #[test]
    fn batch_cosines_equal_single_cosines() {
        let vectors: Vec<Vec<f32>> = (0..7)
            .map(|number| {
                (0..40).map(|place| ((number * 31 + place * 17) % 23) as f32 - 11.0).collect()
            })
            .collect();
        let question = Direction::of(&vectors[3]).unwrap();
        let mut all = vec![0; 7 * 40];
        let lengths: Vec<f32> = all
            .chunks_mut(40)
            .zip(&vectors)
            .map(|(steps, vector)| compress(vector, steps))
            .collect();
        let mut found = vec![0.0; 7];
        question.cosines(&all, &lengths, &mut found);
        let one_by_one: Vec<f32> = all
            .chunks(40)
            .zip(&lengths)
            .map(|(steps, length)| question.cosine(steps, *length))
            .collect();
        assert_eq!(found, one_by_one);
        assert!((found[3] - 1.0).abs() < 1e-6);
        // Vectors shorter than the question's are not read beyond their end.
        question.cosines(&all[..50], &lengths, &mut found);
    }

    #[test]
    fn a_window_weighs_earlier_records_less() {
        let mut window = [1.0, 0.0];
        widen(&mut window, &[0.0, 1.0], &[4.0, 0.0]);
        assert_eq!(window, [2.0, 0.5]);
    }

    #[test]
    fn each_word_of_a_question_counts_by_its_most_similar_word() {
        let close = |found: f64, expect: f64| assert!((found - expect).abs() < 1e-6, "{found}");
        close(near(&[1.0, 3.0], &[1.0, 0.0], &[], &[]), 0.25);
        close(near(&[1.0, 3.0], &[1.0, 0.0], &[0.0, 0.5], &[0.0, 0.6]), (1.0 + 3.0 * 0.4) / 4.0);
        close(near(&[1.0], &[-1.0], &[-1.0], &[]), 0.0);
        close(near(&[], &[], &[], &[]), 0.0);
        close(near(&[f32::NAN], &[1.0], &[], &[]), 0.0);
    }
    #[test]
    fn cosines_of_narrow_and_wide_models_are_normalised_alike() {
        let wide: Vec<f32> =
            (0..1_000).map(|number| ((number * 37) % 101) as f32 / 101.0 - 0.4).collect();
        let narrow: Vec<f32> = wide.iter().map(|cosine| 0.75 + cosine / 10.0).collect();
        let (of_wide, of_narrow) =
            (Scale::of(wide.iter().copied()), Scale::of(narrow.iter().copied()));
        for (wide, narrow) in wide.iter().zip(&narrow) {
            let (wide, narrow) = (of_wide.normalise(*wide), of_narrow.normalise(*narrow));
            assert!((wide - narrow).abs() < 0.15, "{wide} {narrow}");
        }
        let normalised = |scale: &Scale, all: &[f32]| {
            all.iter().map(|one| scale.normalise(*one)).sum::<f64>() / 1_000.0
        };
        assert!((normalised(&of_wide, &wide) - REFERENCE_MEAN).abs() < 0.05);
        assert!((normalised(&of_narrow, &narrow) - REFERENCE_MEAN).abs() < 0.05);
    }

    #[test]
    fn related_texts_stand_out_however_many_they_are() {
        for (related, unrelated) in [(1, 99), (30, 70), (50, 50), (9, 9), (1, 3), (3, 0)] {
            let far = (0..unrelated).map(|number| 0.02 + ((number * 37) % 101) as f32 / 1_000.0);
            let near = (0..related).map(|number| 0.6 + (number % 7) as f32 / 100.0);
            let cosines: Vec<f32> = far.chain(near).collect();
            let scale = Scale::of_unrelated(cosines.iter().copied());
            let (far, near) = cosines.split_at(unrelated as usize);
            let highest = far.iter().map(|one| scale.normalise(*one)).fold(-1.0, f64::max);
            let lowest = near.iter().map(|one| scale.normalise(*one)).fold(1.0, f64::min);
            assert!(highest < 0.40 && lowest > 0.551, "{related} {unrelated}: {highest} {lowest}");
        }
        let none = Scale::of_unrelated(std::iter::empty()).normalise(0.5);
        assert!((none - 0.5).abs() < 1e-9, "{none}");
        let odd = Scale::of_unrelated([f32::NAN, f32::INFINITY, 1.0].into_iter());
        assert!(odd.normalise(f32::MAX) == 1.0);
    }

    #[test]
    fn few_records_change_the_scale_little_and_none_not_at_all() {
        assert!((Scale::of(std::iter::empty()).normalise(0.5) - 0.5).abs() < 1e-9);
        assert!((Scale::of([0.5].into_iter()).normalise(0.5) - 0.5).abs() < 0.1);
        let odd = Scale::of([f32::NAN, f32::INFINITY, 1.0, 1.0].into_iter());
        assert!(odd.normalise(1.0).is_finite() && odd.normalise(f32::MAX) == 1.0);
    }
    #[test]
    fn quantised_search_finds_the_same_records_as_exact_search() {
        /// The records of a small space, with the dimensions of a small sentence model.
        const RECORDS: usize = 20_000;
        const DIMENSIONS: usize = 384;
        const TOPICS: usize = 50;
        const QUESTIONS: usize = 10;
        const FOUND: usize = 10;
        let mut seed = 0x6265_6361_7573_6521_u64;
        // The sum of a few uniform numbers is approximately normal.
        let mut normal = || {
            let mut even = || {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                (seed >> 40) as f32 / 16_777_216.0 - 0.5
            };
            even() + even() + even()
        };
        let mut vector = |around: &[f32], spread: f32| -> Vec<f32> {
            (0..DIMENSIONS)
                .map(|place| around.get(place).unwrap_or(&0.0) + spread * normal())
                .collect()
        };
        let topics: Vec<Vec<f32>> = (0..TOPICS).map(|_| vector(&[], 1.0)).collect();
        let records: Vec<Vec<f32>> =
            (0..RECORDS).map(|number| vector(&topics[number % TOPICS], 0.7)).collect();
        let mut steps = vec![0; RECORDS * DIMENSIONS];
        let lengths: Vec<f32> = steps
            .chunks_mut(DIMENSIONS)
            .zip(&records)
            .map(|(steps, vector)| compress(vector, steps))
            .collect();
        let length =
            |vector: &[f32]| vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        let exact_lengths: Vec<f32> = records.iter().map(|record| length(record)).collect();
        let best = |scores: &[f32]| {
            let mut order: Vec<usize> = (0..RECORDS).collect();
            order.sort_by(|left, right| scores[*right].total_cmp(&scores[*left]));
            order.truncate(FOUND);
            order
        };
        let mut same = 0;
        for number in 0..QUESTIONS {
            let question = vector(&topics[number * 7 % TOPICS], 0.7);
            let dot = |record: &Vec<f32>| {
                record.iter().zip(&question).map(|(left, right)| left * right).sum::<f32>()
            };
            let exact: Vec<f32> = records
                .iter()
                .zip(&exact_lengths)
                .map(|(record, length)| dot(record) / length)
                .collect();
            let mut scanned = vec![0.0; RECORDS];
            Direction::of(&question).unwrap().cosines(&steps, &lengths, &mut scanned);
            let exact = best(&exact);
            same += best(&scanned).iter().filter(|found| exact.contains(found)).count();
        }
        let share = same as f64 / (QUESTIONS * FOUND) as f64;
        assert!(share >= 0.99, "{share}");
    }
}
