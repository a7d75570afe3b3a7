//! WordNet: the definitions and classes of its words.
//!
//! `data.noun` and similar files have a line for each set of synonyms: its offset in the file, its
//! words, pointers to other sets, and after a bar its definition and examples (`wndb(5)`).

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result};

use crate::samples::random::Random;

/// The files, and the letter by which pointers name them.
const FILES: [(&str, &str); 4] = [("noun", "n"), ("verb", "v"), ("adj", "a"), ("adv", "r")];
/// Length of useful examples, characters.
const EXAMPLE_CHARS: std::ops::RangeInclusive<usize> = 15..=200;
/// Number of a set's words before its definition.
const WORDS_MAX: usize = 3;

/// A set of synonyms.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Synset {
    pub(super) words: Vec<String>,
    pub(super) definition: String,
    pub(super) examples: Vec<String>,
    /// The sets that this one is a kind or an instance of, by their number among all sets.
    pub(super) classes: Vec<usize>,
}

/// A training text and the set that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) synset: usize,
}

/// All sets of the files in `folder`.
pub(super) fn read(folder: &Path) -> Result<Vec<Synset>> {
    let mut files = Vec::new();
    for (name, letter) in FILES {
        let path = folder.join(format!("data.{name}"));
        // Some examples contain Latin-1 characters.
        let bytes =
            std::fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        files.push((letter, bytes.into_iter().map(char::from).collect::<String>()));
    }
    let lines = || {
        files.iter().flat_map(|(letter, text)| {
            text.lines().filter(|line| !line.starts_with("  ")).map(move |line| (*letter, line))
        })
    };
    let place =
        |letter: &str, line: &str| line.split(' ').next().map(|offset| format!("{letter}{offset}"));
    let numbers: HashMap<String, usize> = lines()
        .enumerate()
        .filter_map(|(number, (letter, line))| Some((place(letter, line)?, number)))
        .collect();
    let read_line = |(_, line)| {
        synset(line, &numbers).with_context(|| format!("not a line of WordNet: {line}"))
    };
    lines().map(read_line).collect()
}

fn synset(line: &str, numbers: &HashMap<String, usize>) -> Option<Synset> {
    let (head, gloss) = line.split_once(" | ")?;
    let fields: Vec<&str> = head.split(' ').collect();
    let count = usize::from_str_radix(fields.get(3)?, 16).ok()?;
    let words = (0..count)
        .filter_map(|number| fields.get(4 + 2 * number))
        .map(|word| plain(word))
        .collect();
    let pointers = fields.get(4 + 2 * count + 1..)?;
    let classes = pointers
        .chunks(4)
        .filter(|pointer| matches!(pointer.first(), Some(&("@" | "@i"))))
        .filter_map(|pointer| {
            numbers.get(&format!("{}{}", pointer.get(2)?, pointer.get(1)?)).copied()
        })
        .collect();
    // The text between and after examples is only their attribution.
    let mut parts = gloss.split('"');
    let definition = parts.next()?.trim_matches([' ', ';']).to_owned();
    let examples = parts
        .step_by(2)
        .filter(|text| EXAMPLE_CHARS.contains(&text.chars().count()))
        .map(|text| text.trim().to_owned());
    let examples = examples.collect();
    Some(Synset { words, definition, examples, classes })
}

/// A word as in a text: with spaces for underscores, and without an adjective's position marker.
fn plain(word: &str) -> String {
    word.split('(').next().unwrap_or(word).replace('_', " ")
}

/// The texts of all sets, in an order drawn from `seed`: definitions, six in ten with their words
/// before them, and examples.
pub(super) fn texts(synsets: &[Synset], seed: u64) -> Vec<Text> {
    let mut random = Random::new(seed, 0);
    let mut texts = Vec::new();
    for (number, synset) in synsets.iter().enumerate() {
        let mut push = |text: String| texts.push(Text { text, synset: number });
        if !synset.definition.is_empty() {
            let words = synset
                .words
                .iter()
                .take(WORDS_MAX)
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(", ");
            let definition = &synset.definition;
            push(if random.chance(0.6) {
                format!("{words}: {definition}")
            } else {
                definition.clone()
            });
        }
        synset.examples.iter().cloned().for_each(push);
    }
    random.shuffle(&mut texts);
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_words_classes_a_definition_and_examples() {
        let line = "00005930 03 n 02 dwarf 0 wine_tasting(a) 1 002 @ 00004475 n 0000 ~ 00001740 n 0000 | small; \"a dwarf \
                    can be found in the woods\"; \"short\"  ";
        let numbers = HashMap::from([("n00004475".to_owned(), 7)]);
        let expect = Synset {
            words: vec!["dwarf".to_owned(), "wine tasting".to_owned()],
            definition: "small".to_owned(),
            examples: vec!["a dwarf can be found in the woods".to_owned()],
            classes: vec![7],
        };
        assert_eq!(synset(line, &numbers), Some(expect));
        assert_eq!(synset("", &numbers), None);
    }
}
