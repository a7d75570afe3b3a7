//! Shingles: hashes of five-word runs, which recognise a text that occurs again.
//!
//! Source: A. Broder, "On the resemblance and containment of documents" (1997). Case, spaces and
//! punctuation are ignored; each run of [`SHINGLE_WORDS`] words is hashed to 32 bits, and the set
//! of hashes represents the text. The share of one text's set in another's measures how much of it
//! comes from the other ([`Shingles::share_in`]). The smallest hashes serve as keys to find
//! candidates: two texts share them about as often as they share words ([`Shingles::smallest`]).
//!
//! In scripts without spaces each character counts as a word. Text without letters and digits, such
//! as emoji, has no words.

use unicode_normalization::UnicodeNormalization;

/// Consecutive words in one shingle.
pub const SHINGLE_WORDS: usize = 5;
/// Most words of a text that are compared; the rest is ignored.
pub const WORDS_MAX: usize = 20_000;

/// A text as a set of shingles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shingles {
    /// The number of words, at most [`WORDS_MAX`].
    pub words: usize,
    /// A hash of all words in order: equal for texts that differ only in case, spaces and
    /// punctuation.
    pub exact: u64,
    /// The distinct hashes of the shingles, ascending. Empty for texts with fewer words than a
    /// shingle.
    hashes: Vec<u32>,
    /// The hashes in the order of the text.
    runs: Vec<u32>,
}

impl Shingles {
    /// The shingles of a text.
    ///
    /// ```
    /// use retrieval::shingles::Shingles;
    /// let original = Shingles::of("The spare key hangs behind the kiln.");
    /// let copy = Shingles::of("the spare KEY hangs — behind the kiln");
    /// assert_eq!(original.exact, copy.exact);
    /// assert_eq!(copy.share_in(original.hashes()), 1.0);
    /// ```
    pub fn of(text: &str) -> Self {
        let words = hashes(text);
        let exact = words.iter().fold(SEED, |hash, word| mix(hash ^ word));
        let runs: Vec<u32> = words
            .windows(SHINGLE_WORDS)
            .map(|run| (run.iter().fold(SEED, |hash, word| mix(hash ^ word)) >> 32) as u32)
            .collect();
        let mut hashes = runs.clone();
        hashes.sort_unstable();
        hashes.dedup();
        Self { words: words.len(), exact, hashes, runs }
    }

    /// The shingles' hashes, ascending.
    pub fn hashes(&self) -> &[u32] {
        &self.hashes
    }

    /// The smallest `count` hashes.
    pub fn smallest(&self, count: usize) -> &[u32] {
        self.hashes.get(..count).unwrap_or(&self.hashes)
    }

    /// The share of this text's shingles in `others`, which must be ascending: 0 … 1; 0 for a text
    /// without shingles.
    pub fn share_in(&self, others: &[u32]) -> f64 {
        if self.hashes.is_empty() {
            return 0.0;
        }
        let shared = self.hashes.iter().filter(|hash| others.binary_search(hash).is_ok()).count();
        shared as f64 / self.hashes.len() as f64
    }

    /// The positions of this text's words that are not in any run in `others`, which must be
    /// ascending. Unlike [`Shingles::share_in`], it does not count the runs across the boundaries
    /// of a quotation.
    ///
    /// ```
    /// use retrieval::shingles::Shingles;
    /// let original = Shingles::of("the spare key hangs behind the kiln");
    /// let quoted = Shingles::of("Yes: the spare key hangs behind the kiln, said Mara");
    /// assert_eq!(quoted.words_outside(original.hashes()), [0, 8, 9]);
    /// ```
    pub fn words_outside(&self, others: &[u32]) -> Vec<usize> {
        let mut outside = Vec::new();
        let mut seen = 0;
        for (start, run) in self.runs.iter().enumerate() {
            if others.binary_search(run).is_ok() {
                outside.extend(seen..start);
                seen = start + SHINGLE_WORDS;
            }
        }
        outside.extend(seen..self.words);
        outside
    }
}

/// The initial value of every hash.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finalizer of splitmix64: every bit of the argument affects every bit of the result.
fn mix(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

/// The normalised words of a text in order, at most [`WORDS_MAX`].
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    each_word(text, |word| words.push(word.to_owned()));
    words
}

/// The words' hashes in order.
fn hashes(text: &str) -> Vec<u64> {
    let mut hashes = Vec::new();
    each_word(text, |word| {
        hashes.push(word.chars().fold(SEED, |hash, c| mix(hash ^ u64::from(u32::from(c)))))
    });
    hashes
}

fn each_word(text: &str, take: impl FnMut(&str)) {
    if text.is_ascii() { each_word_in(text.chars(), take) } else { each_word_in(text.nfkc(), take) }
}

fn each_word_in(chars: impl Iterator<Item = char>, mut take: impl FnMut(&str)) {
    let mut word = String::new();
    let mut taken = 0;
    let mut end = |word: &mut String| {
        if !word.is_empty() && taken < WORDS_MAX {
            taken += 1;
            take(word);
        }
        word.clear();
        taken < WORDS_MAX
    };
    for c in chars {
        let continues = if is_whole_word(c) {
            end(&mut word);
            word.push(c);
            end(&mut word)
        } else if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
            true
        } else {
            matches!(c, '\'' | '\u{2019}') || end(&mut word)
        };
        if !continues {
            return;
        }
    }
    end(&mut word);
}

/// Whether a character belongs to a script without spaces between words: Thai to Myanmar, kana,
/// Han.
fn is_whole_word(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}')
        && c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_spaces_and_punctuation_are_ignored() {
        let check =
            |left: &str, right: &str| assert_eq!(Shingles::of(left), Shingles::of(right), "{left}");
        check("Don't touch the hot kiln, please!", "dont  TOUCH the\n\"hot\" kiln… please");
        check(
            "caf\u{e9} is open on every second Monday",
            "cafe\u{301} is open on every second Monday",
        );
        assert_ne!(Shingles::of("a b c d e f").exact, Shingles::of("a b c d f e").exact);
    }

    #[test]
    fn a_small_edit_keeps_most_shingles() {
        let original = "Petra waters the tomatoes on Mondays and Thursdays while we are away, and she keeps the spare key \
                    behind the kiln in the old studio near the harbour of Gothenburg";
        let edited = original.replace("tomatoes", "beans");
        let share = Shingles::of(&edited).share_in(Shingles::of(original).hashes());
        assert!((0.75..1.0).contains(&share), "{share}");
        let other = "The electrician can only come on Tuesday evening, so the class moves to Thursday this week";
        assert_eq!(Shingles::of(other).share_in(Shingles::of(original).hashes()), 0.0);
    }

    #[test]
    fn texts_with_no_words_or_one_repeated_word_have_few_shingles() {
        assert_eq!(Shingles::of("😀🏳️‍🌈 … !!").words, 0);
        assert_eq!(Shingles::of("").share_in(&[1, 2]), 0.0);
        let long = Shingles::of(&"word ".repeat(1_000_000));
        assert_eq!((long.words, long.hashes().len()), (WORDS_MAX, 1));
        assert_eq!(Shingles::of("窯は地下室にあります").words, 10);
    }
}
