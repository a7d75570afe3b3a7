//! `cargo xtask table-zh`: gives Chinese words a place among the built-in table's English ones.
//!
//! A word's vector is the mean direction of its English translations, as the table has them: the
//! first translation counts once, the second half, the third a third, and so on. It is as long as
//! these are on average, and shorter if it is common. Single characters are shorter, too: most are
//! parts of words that are not known, and have many meanings. The words are the most frequent of
//! those that have a translation.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use models::table::{DIMENSIONS, Sum, Table};
use retrieval::text::is_han;
use serde::Deserialize;

use super::{digest_line, serialize};

/// Words, characters alone among them, before their traditional forms.
const WORDS: usize = 16_000;
/// Characters alone.
const CHARACTERS: usize = 5_000;
/// Characters of the longest word.
const WORD_CHARS_MAX: usize = 4;
/// Translations that count.
const TRANSLATIONS_MAX: usize = 6;
/// Share of all words at which a word has half of its length.
const HALF_LENGTH_SHARE: f32 = 1e-3;
/// The length of a character alone beside that of a word.
const CHARACTER_LENGTH: f32 = 0.7;

/// An entry of the dictionary.
#[derive(Deserialize)]
struct Entry {
    traditional: String,
    simplified: String,
    english: Vec<String>,
}

/// Runs `table-zh` with its options.
pub(crate) fn run(root: &Path, options: &[&str]) -> Result<ExitCode> {
    let ["--dictionary", dictionary, "--frequencies", frequencies] = options else {
        bail!("table-zh --dictionary FILE --frequencies FILE");
    };
    let read = |file: &str| {
        std::fs::read_to_string(file).with_context(|| format!("{file} cannot be read"))
    };
    let entries: Vec<Entry> = serde_json::from_str(&read(dictionary)?)?;
    let frequencies = read(frequencies)?;
    let frequencies: HashMap<&str, u32> = frequencies
        .lines()
        .filter_map(|line| {
            let mut fields = line.split(' ');
            Some((fields.next()?, fields.next()?.parse().ok()?))
        })
        .collect();
    let rows = rows(&entries, &frequencies);
    let words: String = rows.iter().map(|(word, _)| format!("{word}\n")).collect();
    let sources = "made by `cargo xtask table-zh`; definitions of CC-CEDICT, CC BY-SA 4.0";
    let bytes = serialize(rows.iter().map(|(_, row)| row.as_slice()), sources)?;
    for (name, bytes) in [("words-zh.txt", words.as_bytes()), ("table-zh.safetensors", &bytes)] {
        let file: PathBuf = root.join("crates/models/data").join(name);
        std::fs::write(&file, bytes)
            .with_context(|| format!("{} cannot be written", file.display()))?;
        println!("{}", digest_line(&file, bytes));
    }
    Ok(ExitCode::SUCCESS)
}

/// The words and their vectors, sorted by word.
fn rows(entries: &[Entry], frequencies: &HashMap<&str, u32>) -> Vec<(String, Sum)> {
    let mut translations: HashMap<&str, Vec<String>> = HashMap::new();
    for entry in entries.iter().filter(|entry| is_word(&entry.simplified)) {
        let known = translations.entry(&entry.simplified).or_default();
        for translation in entry.english.iter().flat_map(|text| text.split([';', '/'])) {
            let translation = plain(translation);
            if !translation.is_empty() && !known.contains(&translation) {
                known.push(translation);
            }
        }
    }
    let frequency = |word: &str| frequencies.get(word).copied().unwrap_or(0);
    let all: f32 = frequencies.values().map(|count| *count as f32).sum();
    let mut by_frequency: Vec<&str> = translations.keys().copied().collect();
    by_frequency.sort_by_key(|word| (Reverse(frequency(word)), *word));
    let vector = |word: &str| {
        let share = frequency(word).max(1) as f32 / all;
        let row = mean(translations.get(word)?)?;
        let length = if is_character(word) { CHARACTER_LENGTH } else { 1.0 };
        let length = length * HALF_LENGTH_SHARE / (HALF_LENGTH_SHARE + share);
        Some(row.map(|value| value * length))
    };
    let (mut characters, mut longer) = (CHARACTERS, WORDS - CHARACTERS);
    let mut rows: HashMap<&str, Sum> = HashMap::new();
    for word in by_frequency {
        let left = if is_character(word) { &mut characters } else { &mut longer };
        if *left == 0 || !is_character(word) && frequency(word) == 0 {
            continue;
        }
        if let Some(row) = vector(word) {
            *left -= 1;
            rows.insert(word, row);
        }
    }
    let traditional: Vec<(&str, Sum)> = entries
        .iter()
        .filter(|entry| is_word(&entry.traditional) && !rows.contains_key(&*entry.traditional))
        .filter_map(|entry| Some((&*entry.traditional, *rows.get(&*entry.simplified)?)))
        .collect();
    for (word, row) in traditional {
        rows.entry(word).or_insert(row);
    }
    let mut rows: Vec<(String, Sum)> =
        rows.into_iter().map(|(word, row)| (word.to_owned(), row)).collect();
    rows.sort_by(|(left, _), (right, _)| left.cmp(right));
    rows
}

/// Whether all of it is Han, and it is not too long.
fn is_word(word: &str) -> bool {
    let length = word.chars().count();
    (1..=WORD_CHARS_MAX).contains(&length) && word.chars().all(is_han)
}

fn is_character(word: &str) -> bool {
    word.chars().count() == 1
}

/// A translation without remarks; empty if it is only a remark.
fn plain(translation: &str) -> String {
    let mut depth = 0_usize;
    let outside: String = translation
        .chars()
        .filter(|character| match character {
            '(' | '[' => {
                depth += 1;
                false
            }
            ')' | ']' => {
                depth = depth.saturating_sub(1);
                false
            }
            _ => depth == 0 && *character != '|' && !is_han(*character),
        })
        .collect();
    const REMARKS: [&str; 10] = [
        "CL:",
        "classifier for",
        "variant of",
        "old variant of",
        "see ",
        "surname ",
        "abbr. for",
        "also written",
        "also pr.",
        "Taiwan pr.",
    ];
    let outside = outside.trim();
    if REMARKS.iter().any(|remark| outside.starts_with(remark)) {
        return String::new();
    }
    outside.strip_prefix("to ").unwrap_or(outside).to_owned()
}

/// The direction of the weighted mean of the translations' directions, with the mean of their
/// lengths; `None` if the table knows none of their words.
fn mean(translations: &[String]) -> Option<Sum> {
    let table = Table::built_in();
    let (mut sum, mut lengths, mut weights) = ([0.0_f32; DIMENSIONS], 0.0, 0.0);
    let vectors = translations.iter().take(TRANSLATIONS_MAX).map(|text| table.embed(text));
    let known = vectors.filter_map(|vector| Some((length(&vector)?, vector)));
    for ((length, vector), place) in known.zip(1_u8..) {
        let weight = 1.0 / f32::from(place);
        sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += weight * value / length);
        lengths += weight * length;
        weights += weight;
    }
    let scale = lengths / weights / length(&sum)?;
    Some(sum.map(|value| value * scale))
}

/// The length of a vector, unless it is zero.
fn length(vector: &Sum) -> Option<f32> {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    (length > f32::EPSILON).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_are_left_out_of_translations() {
        for (translation, expected) in [
            ("to be afraid", "be afraid"),
            ("(coll.) dog [gou3]", "dog"),
            ("CL:隻|只[zhi1]", ""),
            ("variant of 魔[mo2]", ""),
            ("magic", "magic"),
        ] {
            assert_eq!(plain(translation), expected, "{translation}");
        }
    }

    #[test]
    fn frequent_words_and_their_traditional_forms_get_the_mean_of_their_translations() {
        let entry = |traditional: &str, simplified: &str, english: &[&str]| Entry {
            traditional: traditional.to_owned(),
            simplified: simplified.to_owned(),
            english: english.iter().map(|text| (*text).to_owned()).collect(),
        };
        let entries = [
            entry("魔術", "魔术", &["magic"]),
            entry("狗", "狗", &["dog; hound"]),
            entry("從未見過", "从未见过", &["never seen before"]),
        ];
        let rows = rows(&entries, &HashMap::from([("魔术", 170), ("狗", 3_000)]));
        let words: Vec<&str> = rows.iter().map(|(word, _)| word.as_str()).collect();
        assert_eq!(words, ["狗", "魔术", "魔術"]);
        let cosine = |left: &Sum, right: &Sum| {
            let dot = |a: &Sum, b: &Sum| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
            dot(left, right) / (dot(left, left) * dot(right, right)).sqrt()
        };
        assert!(cosine(&rows[0].1, &Table::built_in().embed("dog")) > 0.8);
        assert_eq!(rows[1].1, rows[2].1);
    }
}
