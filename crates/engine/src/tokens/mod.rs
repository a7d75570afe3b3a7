//! Counts the tokens of a text, to fit texts into the context of a model.
//!
//! The vocabulary is o200k, that of OpenAI's models since 2024; other vendors' counts of
//! English text differ by some per cent. A text is split into [`pieces`], and each piece is
//! [`merge`]d by the [`table`] of the vocabulary, which is compiled into the program.

use retrieval::text::cut;
use table::Table;

mod merge;
mod pieces;
mod table;

/// Longest token of the vocabulary, bytes.
pub const TOKEN_BYTES_MAX: usize = 128;

/// Counts tokens.
pub trait Tokens {
    /// The number of tokens of `text`.
    fn count(&self, text: &str) -> usize;
}

/// The vocabulary of OpenAI's models since 2024.
#[derive(Clone, Copy, Debug, Default)]
pub struct O200k;

/// The vocabulary, as `build.rs` lays it out.
static VOCABULARY: Table<'static> = Table {
    bytes: include_bytes!(concat!(env!("OUT_DIR"), "/o200k.bytes")),
    ends: include_bytes!(concat!(env!("OUT_DIR"), "/o200k.ends")),
    slots: include_bytes!(concat!(env!("OUT_DIR"), "/o200k.slots")),
};

impl Tokens for O200k {
    fn count(&self, text: &str) -> usize {
        pieces::pieces(text).map(|piece| merge::count(&VOCABULARY, piece.as_bytes())).sum()
    }
}

/// A token for each run of characters without white space: for tests, and where a rough number is
/// enough.
#[derive(Clone, Copy, Debug, Default)]
pub struct Words;

impl Tokens for Words {
    fn count(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }
}

/// The longest beginning of `text` that is at most `tokens` tokens, cut between characters.
pub(crate) fn fit<'t>(counter: &dyn Tokens, text: &'t str, tokens: usize) -> &'t str {
    let text = cut(text, tokens.saturating_mul(TOKEN_BYTES_MAX));
    if counter.count(text) <= tokens {
        return text;
    }
    let (mut fits, mut exceeds) = (0, text.len());
    while exceeds - fits > 1 {
        let middle = fits + (exceeds - fits) / 2;
        if counter.count(cut(text, middle)) <= tokens {
            fits = middle;
        } else {
            exceeds = middle;
        }
    }
    cut(text, fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_counted_as_the_models_count_them() {
        let check = |text: &str, tokens: usize| assert_eq!(O200k.count(text), tokens, "{text:?}");
        check("", 0);
        check("hello world", 2);
        check("The spare key hangs behind the kiln.", 8);
        // In time that grows with the text, not with its square.
        assert!(O200k.count(&"a".repeat(1 << 18)) > 1_000);
    }

    /// A small generator with a seed.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: usize) -> usize {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % bound
        }
    }

    #[test]
    fn the_vocabulary_is_that_of_the_library() {
        let library = &bpe_openai::o200k_base().bpe;
        assert_eq!(VOCABULARY.ends.len() / size_of::<u32>(), library.num_tokens());
        for number in 0..library.num_tokens() as u32 {
            assert_eq!(VOCABULARY.number(library.token_bytes(number)), Some(number));
        }
    }

    #[test]
    fn token_counts_of_any_text_equal_those_of_the_library() {
        let library = bpe_openai::o200k_base();
        let check = |text: &str| assert_eq!(O200k.count(text), library.count(text), "{text:?}");
        for seed in 0..400 {
            let mut random = Random(seed);
            let (mut tokens, mut characters) = (Vec::new(), String::new());
            for _ in 0..random.below(60) {
                let number = random.below(library.bpe.num_tokens());
                tokens.extend(library.bpe.token_bytes(number as u32));
                let bound = [0x80, 0x250, 0x3000, 0x1_0000, 0x11_0000][random.below(5)];
                characters.extend(char::from_u32(random.below(bound) as u32));
            }
            check(&String::from_utf8_lossy(&tokens));
            check(&characters);
            let few =
                ["a", "A", "'s", " ", "\n", "\r", "1", "é", "\u{301}", "/", ".", "窯", "\u{a0}"];
            check(&(0..40).map(|_| few[random.below(few.len())]).collect::<String>());
        }
        for text in [
            "",
            " ",
            "\n\n  \n",
            "it's IT'S we'll",
            "a  b   ",
            "\u{0}\u{feff}",
            &"=".repeat(5_000),
            &" \n".repeat(999),
        ] {
            check(text);
        }
    }

    #[test]
    fn a_text_cut_to_fit_is_a_prefix_that_fits() {
        let text = "Nine percent red iron oxide, äöü 窯は地下室 🏺🏺🏺 and more. ".repeat(50);
        for tokens in [0, 1, 2, 7, 100, 10_000] {
            let cut = fit(&O200k, &text, tokens);
            assert!(O200k.count(cut) <= tokens && text.starts_with(cut), "{tokens}");
        }
        assert_eq!(fit(&Words, "one two three", 2), "one two ");
    }
}
