//! The built-in model: one vector per token, distilled from a sentence model; a text's vector is
//! the sum of its tokens' vectors.
//!
//! `data/table.safetensors` has 128 int8 numbers and a scale for each of the 30 522 pieces of
//! BERT's English vocabulary. They were trained so that the direction of the sum approximates that
//! of all-MiniLM-L6-v2 (recipe, sources and licences: `data/README.md`). Rare words have long
//! vectors and common ones short vectors, so the sum needs no weights. Sums are computed in token
//! order, in single precision without fused operations: the same bits on every machine.
//!
//! The table knows English, and Chinese by words of its own (`han.rs`) whose vectors lie among
//! those of their English translations. Its English vocabulary has only single letters of other
//! scripts, and pieces of words in other languages, whose vectors mean nothing; so it gives such
//! texts no tokens. Callers leave out texts in Latin letters that they recognise as another
//! language.

use std::borrow::Cow;
use std::sync::OnceLock;

use retrieval::question::Question;
use retrieval::text::{is_han, is_latin};
use safetensors::SafeTensors;

use crate::han::HanWords;
use crate::word_piece::WordPiece;

/// Length of the table's vectors.
pub const DIMENSIONS: usize = 128;
/// The table's name, for stored vectors: it changes with the table.
pub const NAME: &str = "table-3";

/// A sum of token vectors.
pub type Sum = [f32; DIMENSIONS];

static TABLE: &[u8] = include_bytes!("../data/table.safetensors");
static CHINESE: &[u8] = include_bytes!("../data/table-zh.safetensors");

/// Token vectors and their vocabulary.
pub struct Table {
    word_piece: WordPiece<'static>,
    english: Rows,
    /// Chinese words are numbered after the English pieces.
    han_words: HanWords,
    chinese: Rows,
}

/// The vectors of one vocabulary.
#[derive(Clone, Copy, Default)]
struct Rows {
    rows: &'static [[u8; DIMENSIONS]],
    /// The scale of each row, as the bytes of a number.
    scales: &'static [[u8; 4]],
}

impl Rows {
    fn read(table: &'static [u8]) -> Option<Self> {
        let tensors = SafeTensors::deserialize(table).ok()?;
        let (rows, rest) = tensors.tensor("rows").ok()?.data().as_chunks::<DIMENSIONS>();
        let (scales, rest_of_scales) = tensors.tensor("scales").ok()?.data().as_chunks::<4>();
        let is_whole = rest.is_empty()
            && rest_of_scales.is_empty()
            && rows.len() == scales.len()
            && scales.iter().all(|scale| f32::from_le_bytes(*scale).is_finite());
        is_whole.then_some(Self { rows, scales })
    }

    fn get(self, number: usize) -> Option<(&'static [u8; DIMENSIONS], f32)> {
        Some((self.rows.get(number)?, f32::from_le_bytes(*self.scales.get(number)?)))
    }
}

impl Table {
    /// The built-in table, loaded once per process.
    pub fn built_in() -> &'static Self {
        static BUILT_IN: OnceLock<Table> = OnceLock::new();
        BUILT_IN.get_or_init(Self::load)
    }

    /// The built-in table. Nothing is unpacked: vectors and vocabulary are read in the program's
    /// own file.
    pub fn load() -> Self {
        // The data is compiled in, so it is valid unless the program is damaged. An empty table
        // finds nothing by meaning.
        Self::read().unwrap_or_else(|| Self {
            word_piece: WordPiece::empty(),
            english: Rows::default(),
            han_words: HanWords::empty(),
            chinese: Rows::default(),
        })
    }

    fn read() -> Option<Self> {
        let table = Self {
            word_piece: WordPiece::built_in()?,
            english: Rows::read(TABLE)?,
            han_words: HanWords::built_in(),
            chinese: Rows::read(CHINESE)?,
        };
        (table.han_words.len() == table.chinese.rows.len()).then_some(table)
    }

    /// The number of tokens.
    pub fn len(&self) -> usize {
        self.english.rows.len() + self.chinese.rows.len()
    }

    /// Whether it has no tokens.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends the tokens of the words in Latin letters, then those in Han characters; none if most
    /// of the text is in other letters. Words in Latin letters have none if nearly all of them are
    /// not in the vocabulary.
    pub fn tokens(&self, text: &str, tokens: &mut Vec<u16>) {
        let Some(Letters { latin, has_han }) = Letters::of(text) else { return };
        let before = tokens.len();
        self.word_piece.tokens(&latin, tokens);
        if self.is_foreign(tokens.get(before..).unwrap_or_default()) {
            tokens.truncate(before);
        }
        if has_han {
            let first = self.english.rows.len();
            self.han_words.visit(text, |number| {
                tokens.extend(u16::try_from(first + usize::from(number)));
            });
        }
    }

    /// The part of a question that the table can embed; empty if the question may be in another
    /// language and the table does not know most of its words.
    pub fn known_part<'q>(&self, question: &'q Question) -> &'q str {
        let text = question.nameless_english();
        if !question.is_perhaps_foreign {
            return text;
        }
        let mut tokens = Vec::new();
        self.word_piece.tokens(text, &mut tokens);
        let (words, split) = self.words_and_split(&tokens);
        if words > 0 && 2 * split >= words { "" } else { text }
    }

    /// Whether more than three quarters of the words are split into pieces: a label in another
    /// language, whose function words would tell it, or data.
    fn is_foreign(&self, tokens: &[u16]) -> bool {
        /// A short English text may consist of rare words: "Which kiln, which glaze?"
        const SPLIT_WORDS_MIN: usize = 3;
        let (words, split) = self.words_and_split(tokens);
        split >= SPLIT_WORDS_MIN && 4 * split > 3 * words
    }

    /// How many words the tokens are, and how many of these are split into pieces.
    fn words_and_split(&self, tokens: &[u16]) -> (usize, usize) {
        let continues = |token: &&u16| self.word_piece.is_continuation(**token);
        let words = tokens.iter().filter(|token| self.word_piece.is_word(**token)).count();
        let split =
            tokens.windows(2).filter(|pair| continues(&&pair[1]) && !continues(&&pair[0])).count();
        (words, split)
    }

    /// Adds the vectors of `tokens` to `sum`, ignoring unknown tokens.
    pub fn add(&self, tokens: impl IntoIterator<Item = u16>, sum: &mut Sum) {
        for token in tokens {
            if let Some((row, scale)) = self.row(token) {
                add_row(row, scale, sum);
            }
        }
    }

    fn row(&self, token: u16) -> Option<(&'static [u8; DIMENSIONS], f32)> {
        let number = usize::from(token);
        match number.checked_sub(self.english.rows.len()) {
            None => self.english.get(number),
            Some(number) => self.chinese.get(number),
        }
    }

    /// The unit vector of a token and the length of its vector; `None` if the length is zero or the
    /// token unknown.
    pub fn direction(&self, token: u16) -> Option<(Sum, f32)> {
        let (row, scale) = self.row(token)?;
        // Integer arithmetic gives the same sum in any order.
        let square: i32 = row.iter().map(|value| i32::from(value.cast_signed()).pow(2)).sum();
        let steps = (square as f32).sqrt();
        let length = scale * steps;
        (length >= f32::MIN_POSITIVE).then(|| {
            let step = 1.0 / steps;
            (row.map(|value| step * f32::from(value.cast_signed())), length)
        })
    }

    /// The vector of `text`: zero if it has no token.
    pub fn embed(&self, text: &str) -> Sum {
        let mut tokens = Vec::new();
        self.tokens(text, &mut tokens);
        let mut sum = [0.0; DIMENSIONS];
        self.add(tokens, &mut sum);
        sum
    }
}

/// The letters of a text that the table may know.
struct Letters<'a> {
    /// The text without other letters than Latin ones.
    latin: Cow<'a, str>,
    /// Whether its Han characters are words of Chinese.
    has_han: bool,
}

impl<'a> Letters<'a> {
    /// `None` if most letters are of other scripts, because what remains does not represent the
    /// text. Japanese writes other words with Han characters, and always some kana.
    fn of(text: &'a str) -> Option<Self> {
        if text.is_ascii() {
            return Some(Self { latin: text.into(), has_han: false });
        }
        let is_japanese = text.contains(is_kana);
        let (mut latin, mut han, mut other) = (0, 0, 0);
        for letter in text.chars().filter(|letter| letter.is_alphabetic()) {
            *(match letter {
                letter if is_latin(letter) => &mut latin,
                letter if is_han(letter) && !is_japanese => &mut han,
                _ => &mut other,
            }) += letter.len_utf8();
        }
        let is_not_latin = |letter: char| letter.is_alphabetic() && !is_latin(letter);
        match (han, other) {
            (0, 0) => Some(Self { latin: text.into(), has_han: false }),
            _ if latin + han < other => None,
            _ => Some(Self { latin: text.replace(is_not_latin, " ").into(), has_han: han > 0 }),
        }
    }
}

fn is_kana(letter: char) -> bool {
    matches!(letter, '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{ff66}'..='\u{ff9d}')
}

/// Identical on every processor: no fused operations, and a fixed order of additions.
#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512vl",
    "x86_64+avx2",
    "aarch64+neon"
))]
fn add_row(row: &[u8; DIMENSIONS], scale: f32, sum: &mut Sum) {
    for (total, value) in sum.iter_mut().zip(row) {
        *total += scale * f32::from(value.cast_signed());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cosine(left: &str, right: &str) -> f32 {
        let (left, right) = (Table::built_in().embed(left), Table::built_in().embed(right));
        let dot = |a: &Sum, b: &Sum| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        dot(&left, &right) / (dot(&left, &left) * dot(&right, &right)).sqrt()
    }

    #[test]
    fn similar_meanings_have_similar_vectors() {
        assert!(cosine("dog", "pet") > 0.5);
        assert!(cosine("carburetor", "pet") < 0.2);
        assert!(
            cosine("She adopted a puppy", "a young dog came to live with her")
                > cosine("She adopted a puppy", "the train was late")
        );
    }

    #[test]
    fn the_readme_names_the_digests_of_the_tables() {
        for table in [TABLE, CHINESE] {
            let digest = blake3::hash(table).to_hex();
            assert!(
                include_str!("../data/README.md").contains(digest.as_str()),
                "data/README.md does not name {digest}"
            );
        }
    }

    #[test]
    fn an_empty_text_has_the_zero_vector() {
        assert_eq!(Table::built_in().embed(""), [0.0; DIMENSIONS]);
    }

    #[test]
    fn other_scripts_have_the_zero_vector_and_are_ignored_in_an_english_text() {
        let table = Table::built_in();
        for text in ["Где ключи?", "昨日、東京で先生に会いました。", "ที่ไหน", "من أين؟"]
        {
            assert_eq!(table.embed(text), [0.0; DIMENSIONS], "{text}");
        }
        assert_eq!(table.embed("the kiln печь was hot"), table.embed("the kiln was hot"));
        assert_ne!(table.embed("naïve café"), [0.0; DIMENSIONS]);
    }

    #[test]
    fn chinese_words_lie_among_their_english_translations() {
        for (chinese, english, at_least) in [
            ("咖啡", "coffee", 0.9),
            ("魔鬼", "devil", 0.9),
            ("我怕狗", "I am afraid of dogs", 0.5),
            // Not among the words: its characters alone say what it means.
            ("魔术", "magic", 0.4),
        ] {
            let cosine_to = |english| cosine(chinese, english);
            assert!(cosine_to(english) > at_least, "{chinese}: {}", cosine_to(english));
            for other in ["carburetor", "tax return", "window"] {
                assert!(cosine_to(other) < 0.3, "{chinese}, {other}: {}", cosine_to(other));
            }
        }
        assert_eq!(Table::built_in().embed("魔術"), Table::built_in().embed("魔术"));
        let mixed = |english| cosine("用Rust写的程序", english);
        assert!(mixed("a program written in Rust") > 0.8);
        assert!(mixed("a program") > mixed("window") + 0.15);
        assert!(cosine("the kiln 窯 was hot", "kiln") > cosine("the kiln was hot", "kiln"));
    }

    #[test]
    fn chinese_is_cut_into_the_longest_words_that_are_known() {
        let table = Table::built_in();
        let tokens = |text| {
            let mut tokens = Vec::new();
            table.tokens(text, &mut tokens);
            tokens
        };
        let [word] = tokens("北京大学")[..] else { panic!("one word") };
        assert_eq!(tokens("在北京大学，北京大学。").iter().filter(|t| **t == word).count(), 2);
        assert_eq!(tokens("北京 大学").len(), 2);
        assert!(tokens("北京大学").iter().all(|token| usize::from(*token) < table.len()));
        assert!(tokens(&"\u{2a6d6}".repeat(1_000)).is_empty());
    }

    #[test]
    fn a_label_whose_words_are_not_in_the_vocabulary_has_the_zero_vector() {
        for text in
            ["Yksinkertainen tekstinkäsittelyohjelma työpöydälle", "9f3a77c0 b81e22d4 77aa01bc"]
        {
            assert_eq!(Table::built_in().embed(text), [0.0; DIMENSIONS], "{text}");
        }
        for text in [
            "carburetor",
            "the carburetor",
            "Lovely kiln, Mel!",
            "Idris recommends tenmoku glaze",
            "kiln glaze",
        ] {
            assert_ne!(Table::built_in().embed(text), [0.0; DIMENSIONS], "{text}");
        }
    }

    #[test]
    fn a_question_that_may_be_in_another_language_needs_known_words() {
        use retrieval::question::names::Names;
        use retrieval::text::{Analyzer, Language, Languages};
        let mut analyzer = Analyzer::new(Language::English);
        let mut known_part = |text: &str, others: Languages| {
            let question = Question::parse(text, &mut analyzer, &Names::default(), others, None);
            Table::built_in().known_part(&question).to_owned()
        };
        for (text, is_known) in [
            ("Kolekce FTP klientů", false),
            ("Editor písma", false),
            // An English word, too.
            ("Kolekce klientů do FTP", false),
            ("red garden bicycle", true),
            ("Which kiln, which glaze?", true),
            ("红色自行车", true),
        ] {
            assert_eq!(known_part(text, Languages::NONE), text);
            let expected = if is_known { text } else { "" };
            assert_eq!(known_part(text, Languages::of(Language::Czech)), expected);
        }
    }

    #[test]
    fn a_sum_can_be_computed_in_parts() {
        let table = Table::built_in();
        let mut tokens = Vec::new();
        table.tokens("the kiln was too hot, and the glaze ran", &mut tokens);
        let (head, tail) = tokens.split_at(4);
        let mut sum = [0.0; DIMENSIONS];
        table.add(head.iter().copied(), &mut sum);
        table.add(tail.iter().copied(), &mut sum);
        assert_eq!(sum, table.embed("the kiln was too hot, and the glaze ran"));
        table.add([u16::MAX], &mut sum);
    }
}
