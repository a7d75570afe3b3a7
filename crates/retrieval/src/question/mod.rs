//! Parsing of a question: its terms, the people and times it names, and whether it asks for a time.
//!
//! Names of known people are metadata: they select *whose* records are relevant, and are removed
//! from the terms, because every record of a chat with them would match. A question of names alone
//! keeps them. Dates are parsed into [`dates::DateMention`]s relative to the asker's civil date;
//! their words stay among the terms, because a text may say "in May" too.

mod calendar;
mod classes;
pub mod courtesy;
mod date_parser;
pub mod dates;
mod days;
pub mod ends;
mod first_person;
mod lists;
pub mod names;
pub mod nearest;
mod quote;
mod reading;
mod request;
mod second_person;
pub mod sentences;
mod tasks;
mod time_phrases;
mod time_words;
mod wordings;

use jiff::civil::Date;
use serde::Serialize;

use crate::profile::ProfileQuestion;
use crate::text::{Analyzer, Language, Languages, QueryLanguages, QueryTerm, Term, normalize};
use dates::{DateMention, date_fit};
use names::{Mention, MentionAt, NameId, NameLookup, find_mentions};
use nearest::Nearest;
pub use quote::Quote;
use reading::{
    ListedClasses, QuestionWords, Reading, Times, TranslatedTimes, in_lower_case, words_of,
};
pub use tasks::OPEN_BOX;

/// Most words of a question that are read: half of them at its beginning, half at its end.
pub const QUESTION_WORDS_MAX: usize = 512;

/// Most words of a question that looks for the nearest record or may quote a record. In longer
/// texts, such as the last turns of a conversation, these words are in passing.
const FOCUSED_WORDS_MAX: usize = 32;

/// Fit of a record that names the same day as a question for days: less than of that day, more than
/// of the days beside it.
const QUOTED_DAY: f64 = 1.45;
/// Days of the longest year.
const DAYS_OF_A_YEAR: i32 = 366;
/// Fit of a record that says "last week" too: like one of the same month.
const QUOTED: f64 = 1.0;

/// A parsed question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Question {
    /// The terms to look up: distinct, in the order of the question.
    pub terms: Vec<QueryTerm>,
    /// The languages in which its words are looked up.
    pub languages: QueryLanguages,
    /// No word tells its language from the others that the space holds.
    pub is_perhaps_foreign: bool,
    /// The question without the names of known people: the text that is embedded.
    pub nameless: String,
    /// The known people it names, in the order of the question.
    pub mentions: Vec<Mention>,
    /// True if a word that it names somebody by can only be a name. "man", one word of the name
    /// "Man Page" in lower case, may be an ordinary word.
    #[serde(skip)]
    pub is_naming_certain: bool,
    /// The words that look like names of people or things unknown to the index of people, each as
    /// its terms: those with a capital letter that do not begin a sentence.
    #[serde(skip)]
    pub proper: Vec<Vec<QueryTerm>>,
    /// The times it names.
    pub dates: Vec<DateMention>,
    /// The direction in time in which it asks for the nearest record, if it names no time.
    pub nearest: Option<Nearest>,
    /// Wordings of a time: a record that contains one fits the time, whatever its date. "Who went
    /// camping last week?" quotes a record that says "last week". "Tomorrow" is a wording in
    /// records of the day before alone.
    #[serde(serialize_with = "quote::own")]
    pub quotes: Vec<Quote>,
    /// True if it asks for whatever is of the times that it names ("What did we talk about on 11
    /// December?"): it has no terms.
    pub asks_for_days: bool,
    /// True if it asks for open tasks, of which the memory has some ("What do I still have to
    /// do?"): it has the terms of what they are about, if it says so.
    pub asks_for_tasks: bool,
    /// What it is about beside tasks, if its words may ask for open ones.
    #[serde(skip)]
    beside_tasks: Option<RestOfQuestion>,
    /// What it asks beside the times that it names, if it asks anything beside them.
    #[serde(skip)]
    beside_times: Option<RestOfQuestion>,
    /// The words of the days to come that it asks for, if it asks for nothing else.
    #[serde(skip)]
    of_days: Option<RestOfQuestion>,
    /// The usual members of each class that it names, as terms, if it asks for all of a class:
    /// "Which sports does Ada do?"
    #[serde(skip)]
    pub classes: Vec<Vec<QueryTerm>>,
    /// What there is to know of a person, if it asks for that and nothing else. Its words are
    /// looked for like the members of a class.
    #[serde(skip)]
    pub profile: Option<ProfileQuestion>,
    /// The index of the mention that is the subject ("What did Ada tell Ben?"), if the question
    /// names different people.
    subject: Option<usize>,
    /// True if the question is in the first person ("my", "wir", "我").
    pub first_person: bool,
    /// True if it asks what the program said to which it is put ("What did you recommend?").
    pub asks_of_program: bool,
    /// True if it asks for a time or a duration.
    pub asks_when: bool,
    /// True if it asks where or who, so that what is of its times may still be no answer.
    #[serde(skip)]
    pub asks_for_a_part: bool,
    /// The name of the program whose words it asks for. Where no record has the name, it is left
    /// out ([`Self::without_program`]).
    #[serde(skip)]
    pub program: Option<NamedProgram>,
}

impl Question {
    /// Parses `text` for a space that holds records in the languages `held`. `today` is the asker's
    /// civil date, to which "last week" is relative; without it such words are not parsed as times.
    /// Reads at most [`QUESTION_WORDS_MAX`] words.
    pub fn parse(
        text: &str,
        analyzer: &mut Analyzer,
        names: &dyn NameLookup,
        held: Languages,
        today: Option<Date>,
    ) -> Self {
        let text = ends::both_ends(text);
        let text = normalize(&text);
        let text = &*ends::both_ends_in_words(&text);
        let phrases = time_phrases::translate(text);
        let translated = phrases.as_ref().map(|phrases| TranslatedTimes::of(phrases, today));
        // Without a time the phrases are words like others.
        let apart = translated.as_ref().filter(|translated| !translated.times.times.is_empty());
        let text = apart.map_or(text, |translated| &translated.phrases.apart);
        let words = words_of(text);
        let lower = in_lower_case(&words);
        let found = find_mentions(text, &words, names);
        let (languages, is_recognised) = analyzer.query_languages(&words, held);
        let words = QuestionWords { text, words, lower, languages, today };
        let mut times = match apart {
            Some(translated) => translated.aligned(&words.words),
            None => Times::in_own_words(&words, analyzer),
        };
        times.asks_when |= translated.as_ref().is_some_and(|translated| translated.times.asks_when);
        times.settle_roles(&words, &found, analyzer);
        let mut reading = Reading::of(words, times, analyzer);
        let (terms, nameless) = reading.terms_and_nameless(analyzer);
        let quotes = reading.quotes(analyzer);
        let proper = reading.proper(analyzer);
        let ListedClasses { terms, classes, profile } = reading.classes(terms, analyzer);
        let beside_tasks = reading.beside_tasks(analyzer);
        let beside_times = reading.beside_times(analyzer);
        let of_days = reading.of_days(analyzer);
        let dates = reading.take_dates();
        let in_phrases = translated.and_then(|translated| translated.times.nearest);
        let nearest = match dates.is_empty() {
            true => reading.nearest(in_phrases),
            false => None,
        };
        let Reading { words: QuestionWords { text, words, lower, .. }, asks_for_days, .. } =
            &reading;
        let program = second_person::named_program(lower).filter(|at| {
            let is_mentioned = found.iter().any(|named| (named.first..named.end).contains(at));
            !is_mentioned || second_person::is_kind_of_program(lower, *at)
        });
        let program = program.and_then(|at| {
            let written = words.get(at)?.text.to_owned();
            let term = analyzer.terms(&written).into_iter().next()?;
            Some(NamedProgram { term, written })
        });
        Self {
            terms,
            languages,
            is_perhaps_foreign: !is_recognised && !languages.others.is_empty(),
            nameless,
            is_naming_certain: found.iter().any(|at| at.is_certain),
            subject: subject(&found, lower),
            mentions: found.into_iter().map(|at| at.mention).collect(),
            proper,
            dates,
            nearest,
            quotes,
            asks_for_days: *asks_for_days,
            asks_for_tasks: false,
            beside_tasks,
            beside_times,
            of_days,
            classes,
            profile,
            first_person: first_person::is_in(text, lower, languages.own),
            asks_of_program: program.is_some() || second_person::asks_of_program(text, lower),
            asks_when: reading.asks_when,
            asks_for_a_part: days::ask_for_a_part(lower),
            program,
        }
    }

    /// The same question without the name of the program that it asks for.
    #[must_use]
    pub fn without_program(mut self) -> Self {
        if let Some(NamedProgram { term, written }) = self.program.take() {
            self.terms.retain(|word| word.term != term);
            self.proper.retain(|name| name.iter().all(|word| word.term != term));
            self.nameless = self.nameless.replacen(&written, " ", 1);
        }
        self
    }

    /// Whether its words may ask for open tasks.
    pub fn may_ask_for_tasks(&self) -> bool {
        self.beside_tasks.is_some()
    }

    /// The same question without the times that it names, if it names some and asks anything beside
    /// them.
    pub fn without_times(&self) -> Option<Self> {
        let RestOfQuestion { terms, nameless } = self.beside_times.clone()?;
        Some(Self {
            terms,
            nameless,
            dates: Vec::new(),
            quotes: Vec::new(),
            beside_times: None,
            ..self.clone()
        })
    }

    /// The same question for records that name the days to come that it asks for, whatever their
    /// own days are: "The rehearsal is on Wednesday" of two months ago.
    pub fn in_words(&self) -> Option<Self> {
        let RestOfQuestion { terms, nameless } = self.of_days.clone()?;
        Some(Self {
            terms,
            nameless,
            dates: Vec::new(),
            quotes: Vec::new(),
            asks_for_days: false,
            of_days: None,
            ..self.clone()
        })
    }

    /// The same question, for open tasks if it may ask for them: then the words that ask carry no
    /// weight.
    #[must_use]
    pub fn for_tasks(mut self) -> Self {
        if let Some(RestOfQuestion { terms, nameless }) = self.beside_tasks.take() {
            (self.terms, self.nameless) = (terms, nameless);
            self.asks_for_tasks = true;
        }
        self
    }

    /// Whether records are judged by their words: a question for days or tasks, whatever they are
    /// about, says nothing of these.
    pub fn judges_text(&self) -> bool {
        !self.asks_for_days && (!self.asks_for_tasks || !self.terms.is_empty())
    }

    /// Whether a record's date counts.
    pub fn asks_of_a_time(&self) -> bool {
        !self.dates.is_empty() || self.nearest.is_some()
    }

    /// The least fit of a record that is of one of the times that the question names, or that names
    /// one of its days too.
    pub fn fit_of_its_days(&self) -> f64 {
        self.dates.iter().map(DateMention::fit_inside).fold(QUOTED_DAY, f64::min)
    }

    /// How well a record fits the times that the question names, 0 … [`dates::FIT_MAX`].
    pub fn time_fit(&self, record: RecordTime) -> f64 {
        let quoted = match record.is_quoted {
            true if self.asks_for_days && !self.is_long_before_or_after(record.date) => QUOTED_DAY,
            true => QUOTED,
            false => 0.0,
        };
        let Some(date) = record.date else { return quoted };
        let nearest = self.nearest.map_or(0.0, |nearest| nearest.fit(date, record.is_event));
        let by_date = match date_fit(&self.dates, date) {
            // People tell the next day what they did, but an event is of its own days.
            fit if record.is_event && fit < dates::FIT_MAX => fit.min(dates::INSIDE),
            fit => fit,
        };
        by_date.max(nearest).max(quoted)
    }

    /// Whether a record is more than a year from each day that the question names, so that a day in
    /// it without a year is probably another.
    fn is_long_before_or_after(&self, date: Option<Date>) -> bool {
        let Some(date) = date else { return false };
        self.dates.iter().all(|mention| match mention {
            DateMention::Window { first, .. } => {
                dates::days_between(date, *first).abs() > DAYS_OF_A_YEAR
            }
            DateMention::EveryYear { .. } => false,
        })
    }

    /// The part of the question that a table of English words can embed: empty for a question that
    /// was recognised as one in another language.
    pub fn nameless_english(&self) -> &str {
        if self.languages.own == Language::English { &self.nameless } else { "" }
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

/// The name of a program in a question.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedProgram {
    /// Its term.
    pub term: Term,
    /// As it is written.
    pub written: String,
}

/// What a question says beside its times, or beside asking for open tasks.
#[derive(Clone, Debug, PartialEq)]
struct RestOfQuestion {
    terms: Vec<QueryTerm>,
    nameless: String,
}

/// What the fit of a record's time depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordTime {
    /// Its date.
    pub date: Option<Date>,
    /// True for an event.
    pub is_event: bool,
    /// True if it contains one of [`Question::quotes`].
    pub is_quoted: bool,
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

#[cfg(test)]
mod tests;
#[cfg(test)]
mod time_tests;
