//! The teacher's vectors of the texts, cached in a file so that a table can be trained many times.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use models::bert::Bert;
use models::{Embedder, Purpose};

/// Texts between two writes.
const TEXTS_OF_A_WRITE: usize = 2_048;

/// Concatenated vectors of equal length.
pub(super) struct Vectors {
    pub(super) width: usize,
    pub(super) numbers: Vec<f32>,
}

impl Vectors {
    /// The vectors, in order.
    pub(super) fn rows(&self) -> std::slice::ChunksExact<'_, f32> {
        self.numbers.chunks_exact(self.width)
    }
}

/// The vectors of `texts`. Those of earlier runs, including interrupted ones, are read from
/// `folder`.
pub(super) fn encode(teacher: &Bert, texts: &[&str], folder: &Path) -> Result<Vectors> {
    let width = teacher.model().dimensions;
    let mut digest = blake3::Hasher::new();
    digest.update(teacher.model().to_string().as_bytes());
    texts.iter().for_each(|text| {
        digest.update(text.as_bytes()).update(b"\n");
    });
    let path = folder.join(format!("encodings-{}.f32", &digest.finalize().to_hex()[..12]));
    let mut numbers = numbers(&path)?;
    // An interrupted write may have left a partial vector.
    numbers.truncate(numbers.len() / width * width);
    ensure!(
        numbers.len() / width <= texts.len(),
        "{} has more vectors than there are texts",
        path.display()
    );
    let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
    file.set_len((numbers.len() * size_of::<f32>()) as u64)?;
    let missing = &texts[numbers.len() / width..];
    for part in missing.chunks(TEXTS_OF_A_WRITE) {
        let sequences: Vec<Vec<u16>> =
            part.iter().map(|text| teacher.tokens(text, Purpose::Memory)).collect();
        let made: Vec<f32> = teacher.vectors(&sequences).into_iter().flatten().collect();
        file.write_all(&made.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>())?;
        numbers.extend(made);
        eprintln!("{} of {} texts", numbers.len() / width, texts.len());
    }
    Ok(Vectors { width, numbers })
}

fn numbers(path: &Path) -> Result<Vec<f32>> {
    let mut bytes = Vec::new();
    if path.exists() {
        File::open(path)?
            .read_to_end(&mut bytes)
            .with_context(|| format!("{} cannot be read", path.display()))?;
    }
    Ok(bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
}
