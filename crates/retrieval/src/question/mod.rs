//! Parsing of a question: its terms, the people and times it names, and whether it asks for a time.
//!
//! Names of known people are metadata: they select *whose* records are relevant, and are removed
//! from the terms, because every record of a chat with them would match. A question of names alone
//! keeps them. Dates are parsed into [`dates::DateMention`]s relative to the asker's civil date;
//! their words stay among the terms, because a text may say "in May" too.

mod calendar;
mod date_parser;
pub mod dates;
pub mod names;

use jiff::civil::Date;
use serde::Serialize;

use crate::text::words::{Word, cut_at_apostrophe, visit_words};
use crate::text::{Analyzer, Term, normalize};
use dates::DateMention;
use names::{Mention, MentionAt, NameId, NameLookup, find_mentions};

/// Most words of a question that are read; the rest is ignored.
pub const QUESTION_WORDS_MAX: usize = 512;

/// A parsed question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Question {
    /// The terms to look up: distinct, in the order of the question.
    pub terms: Vec<Term>,
    /// The question without the names of known people: the text that is embedded.
    pub nameless: String,
    /// The known people it names, in the order of the question.
    pub mentions: Vec<Mention>,
    /// The times it names.
    pub dates: Vec<DateMention>,
    /// The index of the mention that is the subject ("What did Ada tell Ben?"), if the question
    /// names different people.
    subject: Option<usize>,
    /// True if the question is in the first person ("my", "we").
    pub first_person: bool,
    /// True if it asks for a time or a duration.
    pub asks_when: bool,
}

impl Question {
    /// Parses `text`. `today` is the asker's civil date, to which "last week" is relative; without
    /// it such words are not parsed as times. Reads at most [`QUESTION_WORDS_MAX`] words.
    pub fn parse(
        text: &str,
        analyzer: &mut Analyzer,
        names: &dyn NameLookup,
        today: Option<Date>,
    ) -> Self {
        let text = &*normalize(text);
        let mut words: Vec<Word<'_>> = Vec::new();
        visit_words(text, |word| {
            words.push(word);
            words.len() < QUESTION_WORDS_MAX
        });
        let lower: Vec<String> = words.iter().map(|word| word.text.to_lowercase()).collect();
        let found = find_mentions(text, &words, names);
        let is_name = |position: usize| {
            found.iter().any(|at| at.is_certain && (at.first..at.end).contains(&position))
        };
        let mut nameless = String::with_capacity(text.len());
        let mut copied = 0;
        for at in found.iter().filter(|at| at.is_certain) {
            let Some((first, last)) = words.get(at.first).zip(words.get(at.end.saturating_sub(1)))
            else {
                continue;
            };
            nameless.push_str(text.get(copied..first.start).unwrap_or_default());
            copied = last.end();
        }
        nameless.push_str(text.get(copied..).unwrap_or_default());
        let mut terms = Vec::new();
        for (position, word) in words.iter().enumerate() {
            if !is_name(position) {
                add_new(&mut terms, &analyzer.terms_of_word(*word));
            }
        }
        if terms.is_empty() {
            for word in &words {
                add_new(&mut terms, &analyzer.terms_of_word(*word));
            }
            nameless = text.to_owned();
        }
        let first_person = lower.iter().any(|word| is_first_person(word));
        let subject = subject(&found, &lower);
        let mentions = found.into_iter().map(|at| at.mention).collect();
        let dates = date_parser::parse(text, &words, today);
        Self {
            terms,
            nameless,
            mentions,
            dates,
            subject,
            first_person,
            asks_when: asks_when(&lower),
        }
    }

    /// The person that the question is about, if it names exactly one known person (once or several
    /// times): all people with that name.
    pub fn person(&self) -> Option<&[NameId]> {
        let first = self.mentions.first()?;
        self.mentions
            .iter()
            .all(|mention| mention.people == first.people)
            .then_some(first.people.as_slice())
    }

    /// The subject of a question that names several known people: all people with the first name
    /// that is neither a possessive nor joined with "and".
    pub fn subject(&self) -> Option<&[NameId]> {
        self.mentions.get(self.subject?).map(|mention| mention.people.as_slice())
    }
}

fn is_first_person(word: &str) -> bool {
    matches!(
        cut_at_apostrophe(word),
        "i" | "me" | "my" | "mine" | "myself" | "we" | "us" | "our" | "ours" | "ourselves"
    )
}

/// The index of the subject among the mentions, if there are different people. A possessive ("Ben's
/// decision") is not the subject, and in "Ada and Ben" neither person alone is.
fn subject(found: &[MentionAt], words: &[String]) -> Option<usize> {
    let first = found.first()?;
    let is_joint = words.get(first.end).is_some_and(|word| word == "and" || word == "or")
        && found.get(1).is_some_and(|second| second.first == first.end + 1);
    let has_others = found.iter().any(|at| at.mention.people != first.mention.people);
    if is_joint || !has_others {
        return None;
    }
    found.iter().position(|at| !at.mention.text.ends_with("'s") && !at.mention.text.ends_with("’s"))
}

fn add_new(terms: &mut Vec<Term>, more: &[Term]) {
    for term in more {
        if !terms.contains(term) {
            terms.push(term.clone());
        }
    }
}

/// True for "when …", "what|which day|date|month|year …", "how long …", "since when", "how many
/// years ago".
fn asks_when(words: &[String]) -> bool {
    /// A later "when" starts a clause ("What did she feel when …").
    const WHEN_POSITION_MAX: usize = 1;
    let word = |position: usize| words.get(position).map_or("", String::as_str);
    (0..words.len()).any(|position| match word(position) {
        "when" => position <= WHEN_POSITION_MAX,
        "when's" | "when’s" => true,
        "what" | "which" => matches!(
            word(position + 1),
            "date"
                | "day"
                | "days"
                | "week"
                | "weekend"
                | "month"
                | "months"
                | "year"
                | "years"
                | "time"
                | "season"
                | "hour"
        ),
        "how" => match word(position + 1) {
            "long" => true,
            "many" => matches!(word(position + 2), "days" | "weeks" | "months" | "years" | "hours"),
            _ => false,
        },
        _ => false,
    })
}

#[cfg(test)]
mod tests;
