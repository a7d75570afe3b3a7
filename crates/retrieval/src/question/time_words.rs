//! Questions in other languages, as the English words for times that [`super::date_parser`] reads.
//!
//! Differences in the order of words are undone: "la semaine dernière" is "last week", "vor drei
//! Tagen" is "three days ago". So are words of several parts ("fin de semana", "avant-hier"), and
//! words for the morning that are those for tomorrow ("heute Morgen"). Words that
//! [`crate::text::time_words`] does not have are left out, so that none is taken for an English
//! one.

use std::borrow::Cow;

use super::calendar::{Unit, season_start, unit_of};
use crate::text::Language;
use crate::text::time_expressions::{month_number, small_number};
use crate::text::time_words::{self, Words};

/// The words of a question in `language`, in lower case, with those for times in English: as many
/// words, empty ones for those that are left out. Most words in Cyrillic letters make a question
/// Russian if it is not Ukrainian, because no function word is looked for in these.
pub(super) fn in_english(lower: &[String], language: Language) -> Cow<'_, [String]> {
    let cyrillic = lower.iter().filter(|word| word.starts_with(is_cyrillic)).count();
    let is_russian = 2 * cyrillic > lower.len() && language != Language::Ukrainian;
    let language = if is_russian { Language::Russian } else { language };
    let Some(known) = time_words::of(language) else { return lower.into() };
    let mut words: Vec<String> = lower.iter().map(|word| translated(word, known)).collect();
    for position in 0..words.len() {
        let own = lower.get(position..).unwrap_or_default();
        join_parts(own, words.get_mut(position..).unwrap_or_default());
    }
    for position in 0..words.len() {
        reorder(words.get_mut(position..).unwrap_or_default());
    }
    words.into()
}

fn is_cyrillic(letter: char) -> bool {
    matches!(letter, '\u{400}'..='\u{52f}')
}

fn translated(word: &str, known: &Words) -> String {
    if word.starts_with(|first: char| first.is_ascii_digit()) {
        return word.to_owned();
    }
    known.english_in_question(word).unwrap_or_default().to_owned()
}

/// A word that says nothing, for one that is part of another.
const NOTHING: &str = "of";

/// Makes one English word of what begins as several words, at the last of them, so that a word
/// which picks a time may follow. `own` has the words of the question.
fn join_parts(own: &[String], words: &mut [String]) {
    let own = |at: usize| own.get(at).map_or("", String::as_str);
    let is_weekend = matches!((own(0), own(1), own(2)), ("fin" | "fim", "de", "semana"));
    let is_tomorrow = |word: &str| word == "tomorrow";
    match words {
        [first, second, third, ..] if is_weekend => {
            NOTHING.clone_into(first);
            NOTHING.clone_into(second);
            "weekend".clone_into(third);
        }
        // "week-end"
        [first, second, ..] if own(0) == "week" && own(1) == "end" => {
            NOTHING.clone_into(first);
            "weekend".clone_into(second);
        }
        // "avant-hier", "antes de ayer", "l'altro ieri"
        [first, middle, last, ..] if first == "before" && middle == "of" && last == "yesterday" => {
            NOTHING.clone_into(first);
            NOTHING.clone_into(middle);
            "ereyesterday".clone_into(last);
        }
        [first, second, ..]
            if matches!(first.as_str(), "before" | "other") && second == "yesterday" =>
        {
            NOTHING.clone_into(first);
            "ereyesterday".clone_into(second);
        }
        // "après-demain", "pasado mañana"
        [first, second, ..] if (first == "after" || own(0) == "pasado") && is_tomorrow(second) => {
            NOTHING.clone_into(first);
            "overmorrow".clone_into(second);
        }
        // "après-midi"
        [first, second, ..] if first == "after" && own(1) == "midi" => {
            "afternoon".clone_into(first);
            NOTHING.clone_into(second);
        }
        // "avant-dernière semaine"
        [first, second, ..] if own(0).ends_with("avant") && second == "last" => {
            NOTHING.clone_into(first);
            "penultimate".clone_into(second);
        }
        // "heute Morgen", "Montag Morgen", "am Morgen", "esta mañana", "por la mañana"
        [first, second, ..]
            if is_tomorrow(second)
                && (is_morning_after(first) || matches!(own(0), "am" | "la" | "esta")) =>
        {
            "morning".clone_into(second);
        }
        // "il y a deux jours"
        [first, ago, ..] if own(0) == "y" && ago == "ago" => NOTHING.clone_into(first),
        _ => {}
    }
}

/// After such a word, one for tomorrow or for the morning is the latter.
fn is_morning_after(word: &str) -> bool {
    matches!(word, "today" | "yesterday" | "ereyesterday" | "tomorrow" | "overmorrow" | "morning")
        || matches!(unit_of(word), Some(Unit::Weekday(_)))
}

/// Gives words that begin like a time the order of English.
fn reorder(words: &mut [String]) {
    let is_ago = |word: &str| matches!(word, "ago" | "before");
    let is_scope = |word: &str| matches!(word, "week" | "month" | "year");
    let is_count = |word: &str| small_number(word).is_some() || word.parse::<u16>().is_ok();
    match words {
        [ago, count, unit, ..] if is_ago(ago) && is_count(count) && unit_of(unit).is_some() => {
            "ago".clone_into(ago);
            if let Some(time) = words.get_mut(..3) {
                time.rotate_left(1);
            }
        }
        // "hace medio año"
        [ago, half, unit, ..] if is_ago(ago) && half == "half" && unit == "year" => {
            "ago".clone_into(ago);
            if let Some(time) = words.get_mut(..3) {
                time.rotate_left(1);
            }
        }
        // "vor einem halben Jahr"
        [ago, count, half, unit, ..]
            if is_ago(ago) && is_count(count) && half == "half" && unit == "year" =>
        {
            NOTHING.clone_into(count);
            "ago".clone_into(ago);
            if let Some(time) = words.get_mut(..4) {
                time.rotate_left(2);
            }
        }
        // "im August letzten Jahres"
        [_, which, unit, ..] if which == "last" && is_scope(unit) => {}
        [time, which, ..]
            if matches!(which.as_str(), "last" | "next")
                && (unit_of(time).is_some()
                    || month_number(time).is_some()
                    || season_start(time).is_some()) =>
        {
            std::mem::swap(time, which);
        }
        [on, day, ..] if on == "in" && matches!(unit_of(day), Some(Unit::Weekday(_))) => {
            "on".clone_into(on);
        }
        _ => {}
    }
}
