//! What a question asks for: its words, whom it names, when, and whether it wants to know when.
//!
//! Names of known people are metadata: they decide *whose* records are meant and are taken out of
//! the words, where every record of a chat with them would match. A question that consists of names
//! alone keeps them. Dates are read into [`dates::DateMention`]s against the asker's civil date;
//! their words stay among the terms, since a text may say "in May" too.

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

/// Most words of a question that are read; the rest is cut off.
pub const QUESTION_WORDS_MAX: usize = 512;

/// A question as recall understands it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Question {
    /// What to look up: different terms in the order of the question.
    pub terms: Vec<Term>,
    /// The question without the names of known people: what is looked up by meaning.
    pub nameless: String,
    /// The known people it names, in the order of the question.
    pub mentions: Vec<Mention>,
    /// The times it names.
    pub dates: Vec<DateMention>,
    /// Which of the mentions is who acts ("What did Ada tell Ben?"), if it names different people.
    acting: Option<usize>,
    /// True if the asker speaks of themselves ("my", "we").
    pub first_person: bool,
    /// True if it asks when something is, was or will be, or for how long.
    pub asks_when: bool,
}

impl Question {
    /// Understands `text`. `today` is the asker's civil date, which "last week" counts from;
    /// without it such words name no time. Keeps at most [`QUESTION_WORDS_MAX`] words.
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
        let acting = acting(&found, &lower);
        let mentions = found.into_iter().map(|at| at.mention).collect();
        let dates = date_parser::parse(text, &words, today);
        Self {
            terms,
            nameless,
            mentions,
            dates,
            acting,
            first_person,
            asks_when: asks_when(&lower),
        }
    }

    /// The person that the question is about, if it names exactly one known person (however often):
    /// those whom the name fits.
    pub fn person(&self) -> Option<&[NameId]> {
        let first = self.mentions.first()?;
        self.mentions
            .iter()
            .all(|mention| mention.people == first.people)
            .then_some(first.people.as_slice())
    }

    /// Who acts in a question that names several known people: those whom the first name fits that
    /// is neither a possessive nor joined with "and".
    pub fn subject(&self) -> Option<&[NameId]> {
        self.mentions.get(self.acting?).map(|mention| mention.people.as_slice())
    }
}

fn is_first_person(word: &str) -> bool {
    matches!(
        cut_at_apostrophe(word),
        "i" | "me" | "my" | "mine" | "myself" | "we" | "us" | "our" | "ours" | "ourselves"
    )
}

/// The first mention, if it differs from a later one. A possessive ("Ben's decision") is not who
/// acts, and of "Ada and Ben" neither is it alone.
fn acting(found: &[MentionAt], words: &[String]) -> Option<usize> {
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
    /// "when" later than this joins a clause ("What did she feel when …").
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
