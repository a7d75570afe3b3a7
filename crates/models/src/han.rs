//! Chinese in the built-in table: words written in Han characters, each with a row of its own.
//!
//! The rows point where the words' English translations do (`data/README.md`), so that a text in
//! Chinese is compared with others in Chinese or English alike. A run of Han characters is cut from
//! the left into the longest words that are known.

use retrieval::text::is_han;

use crate::word_piece::pieces::{Part, Pieces};

/// The words, one per line.
static WORDS: &str = include_str!("../data/words-zh.txt");
/// Characters of the longest word.
const WORD_CHARS_MAX: usize = 4;

/// Words in Han characters by their number.
#[derive(Debug)]
pub(crate) struct HanWords(Pieces<'static>);

impl HanWords {
    /// The built-in words, which `build.rs` has laid out.
    pub(crate) fn built_in() -> Self {
        let places: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/words-zh.places"));
        let slots: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/words-zh.slots"));
        let lengths: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/words-zh.lengths"));
        let longest = include_bytes!(concat!(env!("OUT_DIR"), "/words-zh.longest"));
        Self(Pieces::in_place(WORDS, [places, slots, lengths], *longest))
    }

    /// No words.
    pub(crate) fn empty() -> Self {
        Self(Pieces::empty())
    }

    pub(crate) fn len(&self) -> usize {
        self.0.places.len()
    }

    /// Calls `visit` with the number of each word in the runs of Han characters of a text.
    pub(crate) fn visit(&self, text: &str, mut visit: impl FnMut(u16)) {
        let mut rest = text;
        while let Some(run) = rest.find(is_han).and_then(|start| rest.get(start..)) {
            let ends = run
                .char_indices()
                .take(WORD_CHARS_MAX)
                .take_while(|(_, character)| is_han(*character))
                .map(|(start, character)| start + character.len_utf8());
            let mut first = None;
            let mut longest = None;
            for end in ends {
                first = first.or(Some(end));
                if let Some(number) = run.get(..end).and_then(|word| self.number(word)) {
                    longest = Some((number, end));
                }
            }
            longest.into_iter().for_each(|(number, _)| visit(number));
            let end = longest.map(|(_, end)| end).or(first);
            rest = end.and_then(|end| run.get(end..)).unwrap_or_default();
        }
    }

    fn number(&self, word: &str) -> Option<u16> {
        self.0.find(self.0.hash(Part::Start, word), Part::Start, word)
    }
}
