//! `cargo xtask table`: trains the built-in table from a sentence model and WordNet.
//!
//! The steps, each a module: the texts of WordNet (`wordnet`) go through the teacher (`teacher`);
//! its vectors are projected to their principal directions (`directions`); each token starts as the
//! teacher's vector of it alone, long for rare tokens and short for common ones, and is then
//! trained so that sums of tokens approximate the teacher's direction (`train`); finally every row
//! is rounded to int8. The same seed, texts and weights give the same table on machines of one
//! kind; the teacher's sums differ in their last bits between kinds. Experiments and reasons:
//! `crates/models/data/README.md`.

mod chinese;
mod directions;
mod teacher;
mod train;
mod wordnet;

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use models::bert::Bert;
use models::{Embedder, Purpose, table};
use safetensors::Dtype;
use safetensors::tensor::TensorView;

pub(crate) use chinese::run as run_chinese;
use teacher::Vectors;
use train::{Lesson, Rows};
use wordnet::Text;

/// The default seed.
const SEED: u64 = 1;
/// Directions in which rows are trained. The table keeps the first of them: the others absorb what
/// sums of rows cannot express, so that it does not distort the ones that are kept.
const DIMENSIONS_TRAINED: usize = 256;
/// Share of all tokens at which a token's first row has half of its length (Arora et al. 2017, "A
/// simple but tough-to-beat baseline for sentence embeddings").
const HALF_LENGTH_SHARE: f32 = 1e-3;
/// Largest value of a row in int8.
const LEVEL_MAX: f32 = 127.0;

/// The options of a run.
struct Options {
    model: PathBuf,
    wordnet: PathBuf,
    /// The cache of the teacher's vectors.
    cache: PathBuf,
    out: PathBuf,
    seed: u64,
    threads: NonZeroUsize,
}

/// Runs `table` with its options.
pub(crate) fn run(root: &Path, options: &[&str]) -> Result<ExitCode> {
    let options = Options::read(root, options)?;
    let synsets = wordnet::read(&options.wordnet)?;
    let texts = wordnet::texts(&synsets, options.seed);
    println!("{} texts of {} sets of synonyms", texts.len(), synsets.len());
    let bert = Bert::open(&options.model, options.threads)?;
    let contents: Vec<&str> = texts.iter().map(|text| text.text.as_str()).collect();
    let vectors = teacher::encode(&bert, &contents, &options.cache)?;
    let directions = directions::principal(&vectors, DIMENSIONS_TRAINED);
    let lessons = lessons(&bert, &texts, &vectors, &directions);
    let mut rows = first_rows(&bert, &lessons, &directions);
    rows.train(&lessons, options.seed, |epoch, loss, _| println!("epoch {epoch}: loss {loss:.4}"));
    let bytes = write(&rows, &bert)?;
    std::fs::write(&options.out, &bytes)
        .with_context(|| format!("{} cannot be written", options.out.display()))?;
    println!("{}", digest_line(&options.out, &bytes));
    Ok(ExitCode::SUCCESS)
}

impl Options {
    fn read(root: &Path, options: &[&str]) -> Result<Self> {
        let mut given = HashMap::new();
        for pair in options.chunks(2) {
            let [
                name @ ("--model" | "--wordnet" | "--cache" | "--out" | "--seed" | "--threads"),
                value,
            ] = pair
            else {
                bail!("not an option of `table`, or one without a value: {}", pair.join(" "));
            };
            given.insert(*name, *value);
        }
        let folder = |name: &str| {
            given.get(name).map(PathBuf::from).with_context(|| format!("{name} is missing"))
        };
        let number = |name: &str| given.get(name).map(|value| value.parse::<u64>()).transpose();
        let threads = number("--threads")?
            .and_then(|threads| NonZeroUsize::new(usize::try_from(threads).ok()?));
        Ok(Self {
            model: folder("--model")?,
            wordnet: folder("--wordnet")?,
            cache: folder("--cache")?,
            out: folder("--out")
                .unwrap_or_else(|_| root.join("crates/models/data/table.safetensors")),
            seed: number("--seed")?.unwrap_or(SEED),
            threads: threads.unwrap_or(NonZeroUsize::MIN),
        })
    }
}

/// The texts with the teacher's direction, in the trained directions.
fn lessons(bert: &Bert, texts: &[Text], vectors: &Vectors, directions: &[Vec<f32>]) -> Vec<Lesson> {
    let lesson = |(text, vector): (&Text, &[f32])| {
        let mut tokens = bert.tokens(&text.text, Purpose::Memory);
        // The first and the last token are special tokens, which the table does not use.
        tokens.pop();
        tokens.remove(0);
        let mut target = project(vector, directions);
        let length =
            target.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        target.iter_mut().for_each(|value| *value /= length);
        Lesson { tokens, target }
    };
    texts.iter().zip(vectors.rows()).map(lesson).collect()
}

fn project(vector: &[f32], directions: &[Vec<f32>]) -> Vec<f32> {
    let along = |direction: &Vec<f32>| direction.iter().zip(vector).map(|(a, b)| a * b).sum();
    directions.iter().map(along).collect()
}

/// The teacher's vector of each token alone, minus the mean of all tokens, and shorter for more
/// common tokens.
fn first_rows(bert: &Bert, lessons: &[Lesson], directions: &[Vec<f32>]) -> Rows {
    let ends = bert.tokens("", Purpose::Memory);
    let alone = |token: u16| {
        ends.iter().take(1).copied().chain([token]).chain(ends.last().copied()).collect()
    };
    let sequences: Vec<Vec<u16>> = (0..bert.pieces()).map(alone).collect();
    let vectors = bert.vectors(&sequences);
    let count = vectors.len() as f32;
    let mut mean = vec![0.0; bert.model().dimensions];
    vectors.iter().for_each(|vector| {
        mean.iter_mut().zip(vector).for_each(|(mean, value)| *mean += value / count)
    });
    let mut seen = vec![0.0_f32; vectors.len()];
    lessons
        .iter()
        .flat_map(|lesson| &lesson.tokens)
        .for_each(|token| seen[usize::from(*token)] += 1.0);
    let all: f32 = seen.iter().sum();
    let row = |(vector, seen): (&Vec<f32>, &f32)| {
        let centred: Vec<f32> =
            vector.iter().zip(&mean).map(|(value, mean)| value - mean).collect();
        let share = HALF_LENGTH_SHARE / (HALF_LENGTH_SHARE + seen / all);
        project(&centred, directions)
            .into_iter()
            .map(move |value| value * share)
            .collect::<Vec<f32>>()
    };
    Rows { width: directions.len(), numbers: vectors.iter().zip(&seen).flat_map(row).collect() }
}

/// The trained rows as a file.
fn write(rows: &Rows, bert: &Bert) -> Result<Vec<u8>> {
    let sources = format!(
        "made by `cargo xtask table`; teacher {}, Apache-2.0; texts of WordNet 3.0, Copyright 2006 by Princeton University",
        bert.model()
    );
    let rows = rows.numbers.chunks_exact(rows.width);
    serialize(rows.filter_map(|row| row.get(..table::DIMENSIONS)), &sources)
}

/// A table as a file: rows in int8, a scale for each.
fn serialize<'a>(rows: impl Iterator<Item = &'a [f32]>, sources: &str) -> Result<Vec<u8>> {
    let mut scales = Vec::new();
    let mut levels = Vec::new();
    for row in rows {
        let largest = row.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
        ensure!(largest.is_finite(), "the training has gone astray: a row is not finite");
        let scale = (largest / LEVEL_MAX).max(f32::MIN_POSITIVE);
        scales.extend(scale.to_le_bytes());
        levels.extend(row.iter().map(|value| ((value / scale).round() as i8).cast_unsigned()));
    }
    let count = scales.len() / size_of::<f32>();
    // A single entry: several would be written in an order that changes between runs.
    let sources = HashMap::from([("sources".to_owned(), sources.to_owned())]);
    let tensors = [
        ("rows", TensorView::new(Dtype::I8, vec![count, table::DIMENSIONS], &levels)?),
        ("scales", TensorView::new(Dtype::F32, vec![count], &scales)?),
    ];
    Ok(safetensors::serialize(tensors, Some(sources))?)
}

/// What a file holds, for the README.
fn digest_line(file: &Path, bytes: &[u8]) -> String {
    format!("{}: {} bytes, BLAKE3 {}", file.display(), bytes.len(), blake3::hash(bytes).to_hex())
}
