//! How many tokens a text is, for whoever must fit it before a model.
//!
//! The vocabulary is o200k, that of OpenAI's models since 2024; those of other houses cut English alike within some per cent. It is
//! unpacked once a process, at the first text that is counted, which takes some 40 ms; whoever counts nothing does not pay.

use std::sync::OnceLock;

/// Longest token of the vocabulary, bytes: so many bytes a token at most.
pub const TOKEN_BYTES_MAX: usize = 128;

/// Counts tokens.
pub trait Tokens {
    /// How many tokens `text` is.
    fn count(&self, text: &str) -> usize;
}

/// The vocabulary of OpenAI's models since 2024.
#[derive(Clone, Copy, Debug, Default)]
pub struct O200k;

impl Tokens for O200k {
    fn count(&self, text: &str) -> usize {
        static LOADED: OnceLock<&bpe_openai::Tokenizer> = OnceLock::new();
        LOADED.get_or_init(bpe_openai::o200k_base).count(text)
    }
}

/// A token for each run of characters without white space: for tests, and where a rough number is enough.
#[derive(Clone, Copy, Debug, Default)]
pub struct Words;

impl Tokens for Words {
    fn count(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }
}

/// The longest beginning of `text` that is at most `tokens` tokens, cut between characters.
pub(crate) fn fit<'t>(counter: &dyn Tokens, text: &'t str, tokens: usize) -> &'t str {
    let text = crate::recall::cut(text, tokens.saturating_mul(TOKEN_BYTES_MAX));
    if counter.count(text) <= tokens {
        return text;
    }
    let (mut fits, mut exceeds) = (0, text.len());
    while exceeds - fits > 1 {
        let middle = fits + (exceeds - fits) / 2;
        if counter.count(crate::recall::cut(text, middle)) <= tokens {
            fits = middle;
        } else {
            exceeds = middle;
        }
    }
    crate::recall::cut(text, fits)
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
        assert!(O200k.count(&"a".repeat(1 << 20)) > 1_000);
    }

    #[test]
    fn what_is_cut_to_fit_fits_and_is_a_beginning() {
        let text = "Nine percent red iron oxide, äöü 窯は地下室 🏺🏺🏺 and more. ".repeat(50);
        for tokens in [0, 1, 2, 7, 100, 10_000] {
            let cut = fit(&O200k, &text, tokens);
            assert!(O200k.count(cut) <= tokens && text.starts_with(cut), "{tokens}");
        }
        assert_eq!(fit(&Words, "one two three", 2), "one two ");
    }
}
