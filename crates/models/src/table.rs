//! The built-in model: one vector a token, distilled from a sentence model; a text is the sum of
//! its tokens.
//!
//! `data/table.safetensors` has 128 int8 numbers and a scale for each of the 30 522 pieces of
//! BERT's English vocabulary. They were trained so that their sum points where all-MiniLM-L6-v2
//! points (recipe, sources and licences: `data/README.md`). Rare words are long vectors and common
//! ones short, so the sum needs no weights. Sums are made in the order of the tokens, in single
//! precision without fused operations: the same bits on every machine.

use std::sync::OnceLock;

use safetensors::SafeTensors;

use crate::word_piece::WordPiece;

/// Length of the table's vectors.
pub const DIMENSIONS: usize = 128;
/// The table's name, for whoever stores what it made: changes with the table.
pub const NAME: &str = "table-1";

/// A sum of token vectors.
pub type Sum = [f32; DIMENSIONS];

static TABLE: &[u8] = include_bytes!("../data/table.safetensors");
static VOCABULARY: &str = include_str!("../data/vocab.txt");

/// Token vectors and the vocabulary that they belong to.
pub struct Table {
    word_piece: WordPiece<'static>,
    rows: &'static [[u8; DIMENSIONS]],
    scales: Vec<f32>,
}

impl Table {
    /// The table that the program brings, read once a process.
    pub fn built_in() -> &'static Self {
        static BUILT_IN: OnceLock<Table> = OnceLock::new();
        BUILT_IN.get_or_init(Self::load)
    }

    /// The same, read anew, in about two milliseconds.
    pub fn load() -> Self {
        // A table that is damaged would be a program that is damaged; it finds nothing by meaning.
        Self::read(TABLE, VOCABULARY).unwrap_or_else(|| Self {
            word_piece: WordPiece::empty(),
            rows: &[],
            scales: Vec::new(),
        })
    }

    fn read(table: &'static [u8], vocabulary: &'static str) -> Option<Self> {
        let tensors = SafeTensors::deserialize(table).ok()?;
        let (rows, rest) = tensors.tensor("rows").ok()?.data().as_chunks::<DIMENSIONS>();
        let scales: Vec<f32> = tensors
            .tensor("scales")
            .ok()?
            .data()
            .as_chunks::<4>()
            .0
            .iter()
            .map(|bytes| f32::from_le_bytes(*bytes))
            .collect();
        let is_whole = rest.is_empty()
            && rows.len() == scales.len()
            && scales.iter().all(|scale| scale.is_finite());
        is_whole.then_some(Self { word_piece: WordPiece::new(vocabulary)?, rows, scales })
    }

    /// How many tokens it has.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Appends the tokens of `text`.
    pub fn tokens(&self, text: &str, tokens: &mut Vec<u16>) {
        self.word_piece.tokens(text, tokens);
    }

    /// Adds the vectors of `tokens` to `sum`. A token that the table does not have adds nothing.
    pub fn add(&self, tokens: impl IntoIterator<Item = u16>, sum: &mut Sum) {
        for token in tokens {
            let number = usize::from(token);
            let (Some(row), Some(scale)) = (self.rows.get(number), self.scales.get(number)) else {
                continue;
            };
            add_row(row, *scale, sum);
        }
    }

    /// The direction of a token, of length 1, and the length of its vector; none if it has no
    /// direction.
    pub fn direction(&self, token: u16) -> Option<(Sum, f32)> {
        let number = usize::from(token);
        let (row, scale) = (self.rows.get(number)?, self.scales.get(number)?);
        // In whole numbers, which add up to the same in any order.
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

/// The same on every processor: nothing is fused, and no sum has another order.
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
    fn what_means_alike_is_near() {
        assert!(cosine("dog", "pet") > 0.5);
        assert!(cosine("carburetor", "pet") < 0.2);
        assert!(
            cosine("She adopted a puppy", "a young dog came to live with her")
                > cosine("She adopted a puppy", "the train was late")
        );
    }

    #[test]
    fn the_table_is_the_one_that_its_recipe_describes() {
        let digest = blake3::hash(TABLE).to_hex();
        assert!(
            include_str!("../data/README.md").contains(digest.as_str()),
            "data/README.md does not name {digest}"
        );
    }

    #[test]
    fn a_text_without_words_is_nothing() {
        assert_eq!(Table::built_in().embed(""), [0.0; DIMENSIONS]);
    }

    #[test]
    fn a_sum_does_not_depend_on_how_it_is_cut() {
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
