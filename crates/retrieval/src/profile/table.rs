//! The table of attributes, read once a process.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::tokens::Token;
use crate::text::is_english_number;

static TEXT: &str = include_str!("../../data/profile-questions.txt");

/// What there is to know of a person.
#[derive(Debug)]
pub(super) struct Attribute {
    /// Its name.
    pub(super) name: &'static str,
    /// How it is asked for: what a question has beside whom it is about.
    pub(super) asked: Vec<Pattern>,
    /// How it is asked for in words that may also ask for something else.
    pub(super) asked_openly: Vec<Pattern>,
    /// How it is told: what follows the subject.
    pub(super) told: Vec<Pattern>,
    /// Words of which a record that tells it has one, separated by spaces.
    pub(super) words: String,
    /// Those that mention it.
    mentioning: BTreeSet<&'static str>,
    /// Whether most ways to tell it are known, so that silence means that memory lacks it.
    pub(super) is_closed: bool,
    /// Whether a record need not say whose it is, as of what a team uses.
    pub(super) is_thing: bool,
}

impl Attribute {
    /// Whether one of its words is among others.
    pub(super) fn has_word_in(&self, words: &[Token]) -> bool {
        let is_own = |word: &Token| {
            let text = &*word.text;
            let one = text.strip_suffix('s').unwrap_or(text);
            self.mentioning.contains(text) || self.mentioning.contains(one)
        };
        words.iter().any(is_own)
    }
}

/// Words that are used of an attribute, and as often of other things.
#[rustfmt::skip]
const IN_PASSING: [&str; 67] = [
    "about", "attended", "big", "buy", "call", "called", "charge", "collect", "company", "condition", "contact",
    "dad", "eat", "enjoy", "father", "fish", "found", "from", "get", "go", "going", "have", "high", "house",
    "language", "lead", "learn", "like", "love", "make", "manage", "measure", "mom", "mother", "mouse", "mum", "name",
    "named", "net", "new", "number", "office", "old", "only", "paid", "parent", "patient", "pay", "place", "play",
    "practice", "rate", "reach", "report", "school", "sing", "spare", "start", "started", "study", "take", "turn",
    "turned", "turns", "use", "work", "year",
];

/// All attributes.
pub(super) static ATTRIBUTES: LazyLock<Vec<Attribute>> = LazyLock::new(|| read(TEXT));

/// Words of one sort.
#[derive(Debug)]
struct List {
    words: BTreeSet<&'static str>,
    endings: Vec<&'static str>,
}

static LISTS: LazyLock<BTreeMap<&'static str, List>> = LazyLock::new(|| {
    let lists = entries(TEXT).into_iter().filter_map(|(label, words)| {
        let name = label.strip_prefix('@')?;
        let words = words.split_whitespace();
        let endings = words.clone().filter_map(|word| word.strip_prefix('*')).collect();
        let words = words.filter(|word| !word.starts_with('*')).collect();
        Some((name, List { words, endings }))
    });
    lists.collect()
});

/// A place of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Word(&'static str),
    /// The end of a word.
    Ending(&'static str),
    List(&'static str),
    Number,
    Name,
}

/// Words to compare others with.
#[derive(Clone, Debug)]
pub(super) struct Pattern(Vec<Place>);

#[derive(Clone, Debug)]
enum Place {
    One(Vec<Part>),
    UpToTwo,
    End,
}

/// Words that `~` does not stand for: "I am not a nurse" is told of no nurse.
#[rustfmt::skip]
const NOT_PASSED: [&str; 20] = [
    "'s", "and", "as", "at", "be", "but", "by", "for", "from", "if", "in", "like", "my", "never", "no", "not", "of", "or", "to",
    "with",
];

impl Pattern {
    fn new(text: &'static str) -> Self {
        let place = |word: &'static str| match word {
            "~" => Place::UpToTwo,
            "$" => Place::End,
            _ => Place::One(word.split('|').map(part).collect()),
        };
        Self(text.split_whitespace().map(place).collect())
    }

    /// Whether words begin like this, or are this if they have to be `whole`.
    pub(super) fn fits(&self, words: &[Token], whole: bool) -> bool {
        fits(&self.0, words, whole)
    }
}

fn fits(places: &[Place], words: &[Token], whole: bool) -> bool {
    match (places.split_first(), words.split_first()) {
        (None, rest) => !whole || rest.is_none(),
        (Some((Place::End, _)), rest) => rest.is_none_or(|(next, _)| next.is_after_break),
        (Some((Place::UpToTwo, places)), _) => {
            let is_passed = |word: &Token| !NOT_PASSED.contains(&&*word.text);
            let most = words.iter().take(2).take_while(|word| is_passed(word)).count();
            (0..=most).any(|passed| fits(places, words.get(passed..).unwrap_or_default(), whole))
        }
        (Some(_), None) => false,
        (Some((Place::One(parts), places)), Some((word, words))) => {
            parts.iter().any(|part| part.fits(word)) && fits(places, words, whole)
        }
    }
}

impl Part {
    fn fits(&self, word: &Token) -> bool {
        let text = &*word.text;
        match self {
            Self::Word(own) => is_form_of(text, own),
            Self::Ending(ending) => text.len() > ending.len() && text.ends_with(ending),
            Self::List(name) => {
                is_in_list(name, text) && (word.is_capital || !ALSO_WORDS.contains(&text))
            }
            Self::Number => is_number(text),
            Self::Name => {
                word.is_capital && !is_in_list("language", text) && !is_in_list("nationality", text)
            }
        }
    }
}

/// Names of things that are also words: they are names with a capital letter.
#[rustfmt::skip]
const ALSO_WORDS: [&str; 55] = [
    "actions", "android", "arch", "atom", "brave", "c", "chrome", "circleci", "concourse", "cursor", "dart", "discord",
    "drone", "eclipse", "edge", "express", "flask", "fly", "focus", "galaxy", "gatsby", "go", "kate", "linear", "matrix",
    "mini", "mint", "monday", "nano", "nest", "next", "notion", "opera", "oracle", "phoenix", "pixel", "railway", "react",
    "render", "rider", "rocket", "rover", "rust", "safari", "seat", "signal", "slack", "smart", "solid", "spring",
    "sublime", "swift", "teams", "travis", "windows",
];

/// Whether a word is another, in the plural or another form of a verb.
fn is_form_of(word: &str, of: &str) -> bool {
    const LETTERS_MIN: usize = 3;
    let Some(ending) = word.strip_prefix(of) else {
        // "driving" of "drive".
        let stem = of.strip_suffix('e').filter(|stem| stem.len() >= LETTERS_MIN);
        return stem.is_some_and(|stem| word.strip_prefix(stem) == Some("ing"));
    };
    ending.is_empty() || of.len() >= LETTERS_MIN && matches!(ending, "s" | "es" | "ing")
}

/// Whether a word is in a list, in the singular or the plural.
pub(super) fn is_in_list(name: &str, word: &str) -> bool {
    let Some(List { words, endings }) = LISTS.get(name) else { return false };
    words.contains(word)
        || word.strip_suffix('s').is_some_and(|one| words.contains(one))
        || endings.iter().any(|ending| word.ends_with(ending))
}

fn is_number(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_digit()) || is_english_number(word)
}

fn part(word: &'static str) -> Part {
    match word {
        "#" => Part::Number,
        "N" => Part::Name,
        _ => match (word.strip_prefix('@'), word.strip_prefix('*')) {
            (Some(name), _) => Part::List(name),
            (_, Some(ending)) => Part::Ending(ending),
            _ => Part::Word(word),
        },
    }
}

/// The labels of a file with what follows each.
fn entries(text: &'static str) -> Vec<(&'static str, &'static str)> {
    let mut found: Vec<(&'static str, usize, usize)> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        match line.trim_end() {
            "" => {}
            comment if comment.starts_with('#') => {}
            more if more.starts_with(' ') => {
                if let Some(last) = found.last_mut() {
                    last.2 = end;
                }
            }
            first => {
                let label = first.split_once(": ").map_or(first, |(label, _)| label);
                let begins = start + label.len() + usize::from(label.len() < first.len());
                found.push((label, begins, end));
            }
        }
        start = end;
    }
    let part = |(label, start, end): (&'static str, usize, usize)| {
        (label, text.get(start..end).unwrap_or_default())
    };
    found.into_iter().map(part).collect()
}

fn read(text: &'static str) -> Vec<Attribute> {
    let mut found: Vec<Attribute> = Vec::new();
    for (label, rest) in entries(text) {
        let patterns = || rest.split(',').map(Pattern::new).collect();
        if let Some((name, mark)) = label.strip_prefix('[').and_then(|label| label.split_once(']'))
        {
            let (asked, asked_openly, told) = (Vec::new(), Vec::new(), Vec::new());
            let words = String::new();
            let [is_closed, is_thing] = ["closed", "thing"].map(|word| mark.contains(word));
            let mentioning = BTreeSet::new();
            found.push(Attribute {
                name,
                asked,
                asked_openly,
                told,
                words,
                mentioning,
                is_closed,
                is_thing,
            });
            continue;
        }
        let Some(last) = found.last_mut() else { continue };
        match label {
            "asked" => last.asked = patterns(),
            "asked openly" => last.asked_openly = patterns(),
            "told" => last.told = patterns(),
            "words" => {
                let words = || rest.split_whitespace().flat_map(members);
                last.words = words().map(|word| format!("{word} ")).collect();
                last.mentioning = words().filter(|word| !IN_PASSING.contains(word)).collect();
            }
            _ => {}
        }
    }
    found
}

/// A word, or the words of a list.
fn members(word: &'static str) -> Vec<&'static str> {
    match word.strip_prefix('@').and_then(|name| LISTS.get(name)) {
        Some(list) => list.words.iter().copied().collect(),
        None => vec![word],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::tokens::tokens;

    #[test]
    fn the_table_is_whole() {
        assert!(ATTRIBUTES.len() > 20 && LISTS.len() > 10);
        for attribute in ATTRIBUTES.iter() {
            let name = attribute.name;
            assert!(attribute.asked.len() > 1 && !attribute.told.is_empty(), "{name}");
            assert!(attribute.words.split_whitespace().count() > 1, "{name}");
            assert!(!attribute.words.contains('@'), "{name}");
            for pattern in attribute.asked.iter().chain(&attribute.told) {
                assert!(!pattern.0.is_empty(), "{name}");
                for place in &pattern.0 {
                    let Place::One(parts) = place else { continue };
                    for part in parts {
                        let is_known = |list: &str| LISTS.contains_key(list);
                        assert!(!matches!(part, Part::List(list) if !is_known(list)), "{part:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn patterns_fit_words() {
        let fits = |pattern, text| Pattern::new(pattern).fits(&tokens(text), false);
        assert!(fits("be ~ @job", "am a registered nurse in Leeds"));
        assert!(!fits("be ~ @job", "am not a nurse"));
        assert!(fits("work at|for", "working for Ada") && fits("drive N", "driving Ada"));
        assert!(fits("be # $", "am 43, and happy") && !fits("be # $", "am 43 seats short"));
        assert!(fits("*ing", "hiking") && !fits("N", "Swiss") && !fits("N", ""));
    }
}
