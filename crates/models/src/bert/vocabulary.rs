//! The vocabulary in a model's folder.
//!
//! `vocab.txt` has one piece per line; `tokenizer.json` has the same as a map, with the tokeniser's
//! options. Only the options of [`WordPiece`] are accepted: any other tokeniser would silently give
//! wrong tokens.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::folder::Folder;
use crate::EmbedError;
use crate::word_piece::WordPiece;

/// A tokeniser with its special tokens.
#[derive(Debug)]
pub(super) struct Vocabulary {
    pub(super) word_piece: WordPiece<'static>,
    /// The token before every text.
    pub(super) first: u16,
    /// The token after every text.
    pub(super) last: u16,
}

#[derive(Deserialize)]
struct TokenizerFile {
    model: TokenizerModel,
    #[serde(default)]
    normalizer: Option<Normalizer>,
}

#[derive(Deserialize)]
struct TokenizerModel {
    #[serde(rename = "type", default)]
    kind: Option<String>,
    #[serde(default = "continuation")]
    continuing_subword_prefix: String,
    vocab: Pieces,
}

fn continuation() -> String {
    "##".to_owned()
}

/// The vocabulary of WordPiece; other tokenisers have other shapes.
#[derive(Deserialize)]
#[serde(untagged)]
enum Pieces {
    Numbered(BTreeMap<String, u32>),
    Other(IgnoredAny),
}

#[derive(Deserialize)]
struct Normalizer {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(flatten)]
    options: Options,
}

/// Options for normalising text; `tokenizer_config.json` has the same names.
#[derive(Default, Deserialize)]
struct Options {
    #[serde(alias = "do_lower_case")]
    lowercase: Option<bool>,
    strip_accents: Option<bool>,
    #[serde(alias = "tokenize_chinese_chars")]
    handle_chinese_chars: Option<bool>,
}

impl Vocabulary {
    /// Reads `vocab.txt`, or the map in `tokenizer.json` if that is missing.
    pub(super) fn read(folder: &Folder) -> Result<Self, EmbedError> {
        let tokenizer: Option<TokenizerFile> = folder.json("tokenizer.json")?;
        let options: Options = folder.json("tokenizer_config.json")?.unwrap_or_default();
        options.check(folder, "tokenizer_config.json")?;
        if let Some(tokenizer) = &tokenizer {
            tokenizer.check(folder)?;
        }
        let text = match (folder.text("vocab.txt")?, tokenizer) {
            (Some(text), _) => text,
            (None, Some(tokenizer)) => tokenizer.pieces(folder)?,
            (None, None) => {
                let advice = "there is neither vocab.txt nor tokenizer.json; download one of them to the same folder";
                return Err(folder.unusable(advice));
            }
        };
        let advice = "the vocabulary has no [UNK], or more than 65 536 pieces; use a model with an English vocabulary";
        let word_piece = WordPiece::new(text).ok_or_else(|| folder.unusable(advice))?;
        let special = |piece: &str| {
            let advice = format!("the vocabulary has no {piece}; it is not that of a BERT model");
            word_piece.number(piece).ok_or_else(|| folder.unusable(advice))
        };
        let (first, last) = (special("[CLS]")?, special("[SEP]")?);
        Ok(Self { word_piece, first, last })
    }
}

impl Options {
    fn check(&self, folder: &Folder, file: &str) -> Result<(), EmbedError> {
        let advice = if self.lowercase == Some(false) {
            "keeps upper case"
        } else if self.strip_accents == Some(false) {
            "keeps accents"
        } else if self.handle_chinese_chars == Some(false) {
            "does not separate Chinese characters"
        } else {
            return Ok(());
        };
        Err(folder.unusable(format!(
            "its tokenizer {advice} ({file}), which is not supported; use an uncased model"
        )))
    }
}

impl TokenizerFile {
    fn check(&self, folder: &Folder) -> Result<(), EmbedError> {
        // Old files have no type.
        let kind = self.model.kind.as_deref().unwrap_or("WordPiece");
        if kind != "WordPiece" || matches!(self.model.vocab, Pieces::Other(_)) {
            let advice = "only WordPiece is supported; use a model such as all-MiniLM-L6-v2";
            return Err(folder.unusable(format!("its tokenizer is of the kind {kind}; {advice}")));
        }
        if self.model.continuing_subword_prefix != continuation() {
            let prefix = &self.model.continuing_subword_prefix;
            return Err(folder.unusable(format!(
                "its tokenizer continues words with {prefix:?}, not with \"##\""
            )));
        }
        match &self.normalizer {
            Some(normalizer) if normalizer.kind == "BertNormalizer" => {
                normalizer.options.check(folder, "tokenizer.json")
            }
            Some(normalizer) => {
                let kind = &normalizer.kind;
                Err(folder.unusable(format!(
                    "its tokenizer normalises text with {kind}; only BertNormalizer is supported"
                )))
            }
            None => Ok(()),
        }
    }

    /// The pieces in the order of their numbers, one per line.
    fn pieces(self, folder: &Folder) -> Result<String, EmbedError> {
        let Pieces::Numbered(map) = self.model.vocab else { return Ok(String::new()) };
        let mut pieces: Vec<(u32, String)> =
            map.into_iter().map(|(piece, number)| (number, piece)).collect();
        pieces.sort();
        let is_dense = (0..).zip(&pieces).all(|(expect, (number, _))| expect == *number);
        if !is_dense || pieces.iter().any(|(_, piece)| piece.contains(['\n', '\r'])) {
            return Err(folder.unusable(
                "the vocabulary of tokenizer.json is not numbered from 0; download it again",
            ));
        }
        Ok(pieces.into_iter().map(|(_, piece)| piece + "\n").collect())
    }
}
