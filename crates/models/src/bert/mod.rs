//! Sentence models of the BERT family, loaded from a folder: all-MiniLM-L6-v2, bge-small, e5-small,
//! gte-small and similar ones.
//!
//! The folder is laid out as on the Hugging Face hub: `config.json`, `model.safetensors`,
//! `vocab.txt` or `tokenizer.json`, and the additional files of sentence-transformers (pooling,
//! normalisation, prompts, longest text). Everything is read and checked when a model is opened; an
//! inconsistent folder, or an unsupported feature, is refused with the reason. After that, the only
//! possible error is an overflow in a vector. The network runs on the CPU in single precision;
//! `docs/design/0015-local-models.md` explains why it is implemented here.

mod folder;
mod forward;
mod settings;
#[cfg(test)]
mod tests;
mod vocabulary;
mod weights;

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use ndarray::s;

use crate::{EmbedError, Embedder, Model, Purpose};
use folder::Folder;
use forward::Network;
use settings::{Pooling, Settings};
use vocabulary::Vocabulary;

/// Most texts in one call.
const BATCH_MAX: usize = 1_024;
/// Most tokens in one pass: enough for fast matrix products, few enough for the caches. A single
/// text may have more.
const CHUNK_TOKENS_MAX: usize = 512;
/// Hexadecimal digits of the weights' digest in the model's name.
const DIGEST_DIGITS: usize = 12;

/// A loaded model.
#[derive(Debug)]
pub struct Bert {
    model: Model,
    path: String,
    vocabulary: Vocabulary,
    network: Network,
    settings: Settings,
    threads: NonZeroUsize,
}

impl Bert {
    /// Loads the model in the folder `path`; it computes vectors on at most `threads` threads.
    ///
    /// The model's name is the folder's name with the digest of the weights, so that replaced
    /// weights make another model. Fails with [`EmbedError::Unusable`].
    pub fn open(path: &Path, threads: NonZeroUsize) -> Result<Self, EmbedError> {
        // A path such as `.` has no file name.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let folder = Folder { path };
        let settings = Settings::read(&folder)?;
        let vocabulary = Vocabulary::read(&folder)?;
        let Some(bytes) = folder.weights("model.safetensors")? else {
            let advice = if folder.has("pytorch_model.bin") {
                "the weights are in PyTorch's format, which can run code; download model.safetensors"
            } else {
                "model.safetensors is missing; download it"
            };
            return Err(folder.unusable(advice));
        };
        let network = weights::read(&folder, &bytes, &settings)?;
        let (pieces, rows) = (vocabulary.word_piece.len(), network.embeddings.words.nrows());
        if pieces > rows {
            return Err(folder.unusable(format!(
                "the vocabulary has {pieces} pieces, but the weights are for {rows}; they belong to different models"
            )));
        }
        let digest = blake3::hash(&bytes).to_hex();
        let name = format!("{}@{}", folder.name(), digest.get(..DIGEST_DIGITS).unwrap_or(&digest));
        let model = Model { provider: "local".to_owned(), name, dimensions: network.width() };
        Ok(Self {
            model,
            path: folder.path.display().to_string(),
            vocabulary,
            network,
            settings,
            threads,
        })
    }

    /// The input tokens of a text: with the special first and last token, truncated to the model's
    /// length.
    pub fn tokens(&self, text: &str, purpose: Purpose) -> Vec<u16> {
        let prompt = match purpose {
            Purpose::Question => &self.settings.question_prompt,
            Purpose::Memory => &self.settings.memory_prompt,
        };
        let mut tokens = vec![self.vocabulary.first];
        let most = self.settings.tokens_max - 1;
        // A prompt ends in a space, so both parts can be tokenised separately.
        for part in [prompt.as_str(), text] {
            self.vocabulary.word_piece.tokens_up_to(most, part, &mut tokens);
        }
        tokens.push(self.vocabulary.last);
        tokens
    }

    /// The size of its vocabulary; every smaller number is a token.
    pub fn pieces(&self) -> u16 {
        // The vocabulary's size was checked when it was loaded.
        u16::try_from(self.vocabulary.word_piece.len()).unwrap_or(u16::MAX)
    }

    /// The vectors of the sequences in one pass.
    fn embed_chunk(&self, sequences: &[&[u16]]) -> Vec<Vec<f32>> {
        let hidden = self.network.run(sequences);
        let mut start = 0;
        let mut vectors = Vec::with_capacity(sequences.len());
        for sequence in sequences {
            let end = start + sequence.len();
            let mut vector = match self.settings.pooling {
                Pooling::Mean => forward::mean(hidden.slice(s![start..end, ..])),
                Pooling::First => hidden.row(start).to_vec(),
            };
            if self.settings.is_normalised {
                forward::normalise(&mut vector);
            }
            vectors.push(vector);
            start = end;
        }
        vectors
    }

    /// The vectors of sequences from [`Self::tokens`], in the same order, computed on several
    /// threads if there is enough work.
    pub fn vectors(&self, sequences: &[Vec<u16>]) -> Vec<Vec<f32>> {
        let chunks = chunks(sequences);
        let next = AtomicUsize::new(0);
        let work = || {
            let mut made: Vec<(usize, Vec<f32>)> = Vec::new();
            while let Some(chunk) = chunks.get(next.fetch_add(1, Ordering::Relaxed)) {
                let tokens: Vec<&[u16]> =
                    chunk.iter().map(|number| sequences[*number].as_slice()).collect();
                made.extend(chunk.iter().copied().zip(self.embed_chunk(&tokens)));
            }
            made
        };
        let helpers = self.threads.get().min(chunks.len()).saturating_sub(1);
        let mut made = std::thread::scope(|scope| {
            let helpers: Vec<_> = (0..helpers).map(|_| scope.spawn(work)).collect();
            let mut made = work();
            for helper in helpers {
                made.extend(helper.join().expect("the network does not panic"));
            }
            made
        });
        made.sort_unstable_by_key(|(number, _)| *number);
        made.into_iter().map(|(_, vector)| vector).collect()
    }
}

/// The indexes of the sequences in each pass, longest first, so that threads finish at about the
/// same time.
fn chunks(sequences: &[Vec<u16>]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..sequences.len()).collect();
    order.sort_by_key(|number| std::cmp::Reverse(sequences[*number].len()));
    let mut chunks: Vec<Vec<usize>> = Vec::new();
    let mut tokens = usize::MAX;
    for number in order {
        let length = sequences[number].len();
        match chunks.last_mut().filter(|_| tokens.saturating_add(length) <= CHUNK_TOKENS_MAX) {
            Some(chunk) => {
                chunk.push(number);
                tokens += length;
            }
            None => {
                chunks.push(vec![number]);
                tokens = length;
            }
        }
    }
    chunks
}

impl Embedder for Bert {
    fn model(&self) -> &Model {
        &self.model
    }

    fn batch_max(&self) -> usize {
        BATCH_MAX
    }

    fn embed(&mut self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let sequences: Vec<Vec<u16>> =
            texts.iter().map(|text| self.tokens(text, purpose)).collect();
        let vectors = self.vectors(&sequences);
        if vectors.iter().flatten().all(|value| value.is_finite()) {
            return Ok(vectors);
        }
        let detail = "its weights overflow: a vector is not finite; download the model again";
        Err(EmbedError::Unusable { place: self.path.clone(), detail: detail.to_owned() })
    }
}
