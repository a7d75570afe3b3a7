//! The signs of directions: sixteen bytes for each document, which tell most of those that are far
//! from a question from those that are near.
//!
//! The number of dimensions in which two directions differ in sign grows with the angle between
//! them. A pass over all signs costs a tenth of one over all directions; the nearest by signs are
//! then compared exactly.

/// Words of a direction's signs.
pub const WORDS: usize = 2;
/// Most signs that can differ.
const BITS: usize = WORDS * 64;

/// The signs of a direction, a bit for each of its first 128 dimensions.
pub fn signs_of(steps: &[i8]) -> [u64; WORDS] {
    let mut signs = [0; WORDS];
    for (word, steps) in signs.iter_mut().zip(steps.chunks(64)) {
        for (bit, step) in steps.iter().enumerate() {
            *word |= u64::from(*step > 0) << bit;
        }
    }
    signs
}

/// Writes how many signs differ to `distances`.
#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512vl+avx512vpopcntdq",
    "x86_64+avx2+popcnt",
    "x86_64+popcnt",
    "aarch64+neon"
))]
pub fn distances(question: [u64; WORDS], signs: &[[u64; WORDS]], distances: &mut [u8]) {
    for (distance, signs) in distances.iter_mut().zip(signs) {
        let differing =
            (question[0] ^ signs[0]).count_ones() + (question[1] ^ signs[1]).count_ones();
        *distance = differing as u8;
    }
}

/// The greatest distance within which at least `wanted` of these lie, or all of them.
pub fn threshold(distances: impl IntoIterator<Item = u8>, wanted: usize) -> u8 {
    let mut counts = [0usize; BITS + 1];
    for distance in distances {
        counts[usize::from(distance).min(BITS)] += 1;
    }
    let mut within = 0;
    for (distance, count) in (0..).zip(counts) {
        within += count;
        if within >= wanted {
            return distance;
        }
    }
    u8::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_that_differ_are_counted() {
        let steps: Vec<i8> = (0..128).map(|place| if place % 3 == 0 { -5 } else { 5 }).collect();
        let opposite: Vec<i8> = steps.iter().map(|step| -step).collect();
        let signs = [signs_of(&steps), signs_of(&opposite)];
        let mut found = [0; 2];
        distances(signs[0], &signs, &mut found);
        assert_eq!(found, [0, 128]);
        assert_eq!(threshold(found, 1), 0);
        assert_eq!(threshold(found, 2), 128);
        assert_eq!(threshold(found, 3), u8::MAX);
    }
}
