//! What a text is recognised by when it is told again: its runs of five words, as numbers.
//!
//! Source: A. Broder, "On the resemblance and containment of documents" (1997). Case, spaces and
//! punctuation do not count; a run of [`SHINGLE_WORDS`] words is hashed to 32 bits, and the set of
//! them stands for the text. How much of one text comes from another is the share of its set that
//! is in the other's ([`Shingles::share_in`]); where to look for such texts is said by the smallest
//! of the numbers, which two texts have in common about as often as they have words in common
//! ([`Shingles::smallest`]).
//!
//! Scripts without spaces count a word for each character. What has no letters and digits, as emoji
//! alone, has no words.

use unicode_normalization::UnicodeNormalization;

/// Words in a row that make one shingle.
pub const SHINGLE_WORDS: usize = 5;
/// Words of a text that are looked at; what follows is not compared.
pub const WORDS_MAX: usize = 20_000;

/// A text as a set of shingles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shingles {
    /// Words that were looked at, at most [`WORDS_MAX`].
    pub words: usize,
    /// A hash of all words in their order: the same for what differs in case, spaces and
    /// punctuation alone.
    pub exact: u64,
    /// The shingles' hashes, ascending, each once. Empty for texts of fewer words than a shingle
    /// has.
    hashes: Vec<u32>,
    /// The same in the order of the text.
    runs: Vec<u32>,
}

impl Shingles {
    /// Of a text.
    ///
    /// ```
    /// use retrieval::shingles::Shingles;
    ///
    /// let told = Shingles::of("The spare key hangs behind the kiln.");
    /// let again = Shingles::of("the spare KEY hangs — behind the kiln");
    /// assert_eq!(told.exact, again.exact);
    /// assert_eq!(again.share_in(told.hashes()), 1.0);
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

    /// Which share of this text's shingles is among `others`, which ascend: 0 … 1; 0 for a text
    /// without shingles.
    pub fn share_in(&self, others: &[u32]) -> f64 {
        if self.hashes.is_empty() {
            return 0.0;
        }
        let shared = self.hashes.iter().filter(|hash| others.binary_search(hash).is_ok()).count();
        shared as f64 / self.hashes.len() as f64
    }

    /// Which of this text's words lie in no run that is among `others`, which ascend; by their
    /// places. Unlike in [`Shingles::share_in`] it does not matter where texts are put one after
    /// the other.
    ///
    /// ```
    /// use retrieval::shingles::Shingles;
    ///
    /// let told = Shingles::of("the spare key hangs behind the kiln");
    /// let quoted = Shingles::of("Yes: the spare key hangs behind the kiln, said Mara");
    /// assert_eq!(quoted.words_beside(told.hashes()), [0, 8, 9]);
    /// ```
    pub fn words_beside(&self, others: &[u32]) -> Vec<usize> {
        let mut beside = Vec::new();
        let mut seen = 0;
        for (start, run) in self.runs.iter().enumerate() {
            if others.binary_search(run).is_ok() {
                beside.extend(seen..start);
                seen = start + SHINGLE_WORDS;
            }
        }
        beside.extend(seen..self.words);
        beside
    }
}

/// Where every hash begins.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finalizer of splitmix64: every bit of the argument moves every bit of the result.
fn mix(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

/// The words of a text as they are compared, in their order, at most [`WORDS_MAX`].
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    each_word(text, |word| words.push(word.to_owned()));
    words
}

/// The words' hashes in their order.
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
        let goes_on = if is_a_word(c) {
            end(&mut word);
            word.push(c);
            end(&mut word)
        } else if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
            true
        } else {
            matches!(c, '\'' | '\u{2019}') || end(&mut word)
        };
        if !goes_on {
            return;
        }
    }
    end(&mut word);
}

/// Characters of scripts that put no spaces between words: Thai to Myanmar, kana, Han.
fn is_a_word(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}')
        && c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_spaces_and_punctuation_do_not_count() {
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
    fn a_small_edit_leaves_most_of_a_text() {
        let told = "Petra waters the tomatoes on Mondays and Thursdays while we are away, and she keeps the spare key \
                    behind the kiln in the old studio near the harbour of Gothenburg";
        let edited = told.replace("tomatoes", "beans");
        let share = Shingles::of(&edited).share_in(Shingles::of(told).hashes());
        assert!((0.75..1.0).contains(&share), "{share}");
        let other = "The electrician can only come on Tuesday evening, so the class moves to Thursday this week";
        assert_eq!(Shingles::of(other).share_in(Shingles::of(told).hashes()), 0.0);
    }

    #[test]
    fn what_has_no_words_or_only_one_has_few_shingles() {
        assert_eq!(Shingles::of("😀🏳️‍🌈 … !!").words, 0);
        assert_eq!(Shingles::of("").share_in(&[1, 2]), 0.0);
        let long = Shingles::of(&"word ".repeat(1_000_000));
        assert_eq!((long.words, long.hashes().len()), (WORDS_MAX, 1));
        assert_eq!(Shingles::of("窯は地下室にあります").words, 10);
    }
}
