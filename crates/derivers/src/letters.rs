//! Letters that others wrote and that a note keeps: "Dear Nora, … Your Clara".
//!
//! A letter begins with a salutation or at the beginning of a section, and ends with a closing and
//! a name, or with the section. It is somebody else's if it is signed by somebody else, or not
//! signed and addressed to the owner. Where nobody said who the owner is, a letter may be to them.

use std::ops::Range;

use crate::names::is_self;
use crate::owner::Owner;
use crate::slug::slug;

/// Words that begin a salutation.
const SALUTATIONS: [&str; 5] = ["Dear", "Dearest", "Hello", "Hey", "Hi"];
/// Closings, without the name and punctuation, in lower case.
#[rustfmt::skip]
const CLOSINGS: [&str; 19] = [
    "all the best", "as ever", "best", "best regards", "best wishes", "hugs", "kind regards", "kisses", "lots of love",
    "love", "much love", "regards", "sincerely", "warm regards", "warmly", "with love", "your", "yours", "xoxo",
];
/// Words that may follow these: "Yours truly".
const AFTER_CLOSING: [&str; 4] = ["always", "faithfully", "sincerely", "truly"];
/// Closings that also thank in a note of one's own: only after a salutation.
const THANKS: [&str; 4] = ["cheers", "many thanks", "thank you", "thanks"];
/// Most words of a name.
const NAME_WORDS_MAX: usize = 3;

/// The ranges of lines that somebody else wrote to the owner. `is_end` tells where a section ends.
pub(crate) fn letters_of_others(
    lines: &[&str],
    owner: &Owner,
    is_end: impl Fn(&str) -> bool,
) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    while start < lines.len() {
        let rest = lines.get(start..).unwrap_or_default();
        let length = rest.iter().position(|line| is_end(line.trim())).unwrap_or(rest.len());
        let section = rest.get(..length).unwrap_or_default();
        let letters = letters_in(section, owner);
        found.extend(letters.into_iter().map(|range| range.start + start..range.end + start));
        start += length + 1;
    }
    found
}

fn letters_in(section: &[&str], owner: &Owner) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut begin = 0;
    let mut addressed: Option<(usize, &str)> = None;
    for (at, line) in section.iter().enumerate() {
        let line = line.trim();
        if let Some(name) = salutation(line) {
            addressed.get_or_insert((at, name));
            continue;
        }
        let below = section.get(at + 1..).unwrap_or_default();
        let Some(name) = closing(line, below, addressed.is_some()) else {
            continue;
        };
        if !is_of(owner, name) {
            found.push(addressed.map_or(begin, |(from, _)| from)..at + 1);
        }
        (begin, addressed) = (at + 1, None);
    }
    if let Some((from, name)) = addressed
        && (is_of(owner, name) || !owner.is_known())
    {
        found.push(from..section.len());
    }
    found
}

fn is_of(owner: &Owner, name: &str) -> bool {
    is_self(name) || owner.is(name) || owner.may_be(&slug(name))
}

/// The name in a salutation, which begins its line: "Hi Nora, I hate meetings."
fn salutation(line: &str) -> Option<&str> {
    let (word, rest) = line.split_once(' ')?;
    let end = rest.find([',', '!', ':']).unwrap_or(rest.len());
    let is_alone = end == rest.len();
    let name = rest.get(..end).filter(|name| is_name(name))?;
    // "Hello World" and "Hey Jude" greet nobody.
    (SALUTATIONS.contains(&word) && (!is_alone || word.starts_with("Dear"))).then_some(name)
}

/// The name after a closing: in its line, or in the next of those below that is not blank.
fn closing<'t>(line: &'t str, below: &[&'t str], is_addressed: bool) -> Option<&'t str> {
    /// Longest line, bytes.
    const BYTES_MAX: usize = 80;
    if line.len() > BYTES_MAX {
        return None;
    }
    let is_closing = |text: &str| {
        let lower = text.trim().trim_end_matches([',', '!', '.']).to_lowercase();
        let words: Vec<&str> = lower.split(' ').collect();
        let plain = match words.split_last() {
            Some((last, before)) if AFTER_CLOSING.contains(last) && !before.is_empty() => {
                before.join(" ")
            }
            _ => lower.clone(),
        };
        CLOSINGS.contains(&plain.as_str()) || is_addressed && THANKS.contains(&plain.as_str())
    };
    let strip = |name: &'t str| name.trim().trim_start_matches(['-', '–', '—', ' ']);
    if is_closing(line) {
        let next = below.iter().map(|next| next.trim()).find(|next| !next.is_empty())?;
        return Some(strip(next)).filter(|name| is_name(name));
    }
    line.match_indices([' ', ',']).find_map(|(at, _)| {
        let name = strip(line.get(at + 1..)?.trim_end_matches(['.', '!']));
        (is_closing(line.get(..at)?) && is_name(name)).then_some(name)
    })
}

/// One to three capitalised words.
fn is_name(text: &str) -> bool {
    let words = text.split(' ');
    let is_word = |word: &str| {
        word.starts_with(char::is_uppercase)
            && word
                .chars()
                .all(|letter| letter.is_alphabetic() || matches!(letter, '.' | '-' | '\''))
    };
    (1..=NAME_WORDS_MAX).contains(&words.clone().count()) && words.into_iter().all(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(names: &[&str], text: &str, expect: Option<Range<usize>>) {
        let owner = Owner::new(names.iter().copied(), []);
        let lines: Vec<&str> = text.lines().collect();
        let found = letters_of_others(&lines, &owner, |line| line.starts_with('#'));
        assert_eq!(found, Vec::from_iter(expect), "{text:?}");
    }

    #[test]
    fn letters_to_the_owner_are_told_from_those_of_the_owner() {
        let nora = &["Nora Feld"];
        check(nora, "Mine\nDear Nora,\nI hate the tram.\nYour Clara\nMine", Some(1..4));
        check(nora, "Hi Nora, I hate meetings.\nMy wife Sofia", Some(0..2));
        check(nora, "I hate meetings.\nLove,\n\nPeter", Some(0..2));
        check(nora, "Dear Clara\nI hate the tram.\nYours truly, Nora", None);
        check(nora, "Dear Clara,\nI hate the tram.", None);
        check(nora, "# A\nDear Nora,\nI hate\n# B\nMine", Some(1..3));
        check(nora, "Hi Nora, all well?\nThanks, Peter B.", Some(0..2));
        check(&[], "Dear Nora,\nI hate the tram.", Some(0..2));
        check(&[], "Hello World\nI love it.", None);
    }

    #[test]
    fn notes_that_thank_and_love_are_not_letters() {
        for text in [
            "Thanks, Peter",
            "I love Paris.\nBest of all, Rome",
            "My best friend is\nLove is all",
            "Best\nI love tea",
            "Dear diary, I love tea",
            "",
        ] {
            check(&["Nora"], text, None);
        }
    }
}
