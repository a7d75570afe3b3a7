//! Parsing of a question: its terms, the people and times it names, and whether it asks for a time.
//!
//! Names of known people are metadata: they select *whose* records are relevant, and are removed
//! from the terms, because every record of a chat with them would match. A question of names alone
//! keeps them. Dates are parsed into [`dates::DateMention`]s relative to the asker's civil date;
//! their words stay among the terms, because a text may say "in May" too.

mod calendar;
mod classes;
mod date_parser;
pub mod dates;
mod days;
pub mod ends;
mod first_person;
mod lists;
pub mod names;
pub mod nearest;
mod quote;
mod request;
mod second_person;
pub mod sentences;
mod tasks;
mod time_phrases;
mod time_words;
mod wordings;

use std::ops::Range;

use jiff::civil::Date;
use serde::Serialize;

use crate::profile::ProfileQuestion;
use crate::text::codes::{self, Codes, WrittenIn};
use crate::text::words::{Word, visit_words};
use crate::text::{
    Analyzer, Language, Languages, QueryLanguages, QueryTerm, Term, is_english_stop_word, normalize,
};
use date_parser::TimeExpression;
use dates::{DateMention, date_fit};
use names::{Mention, MentionAt, NameId, NameLookup, find_mentions};
use nearest::Nearest;
pub use quote::Quote;
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
    beside_tasks: Option<Beside>,
    /// What it asks beside the times that it names, if it asks anything beside them.
    #[serde(skip)]
    beside_times: Option<Beside>,
    /// The words of the days to come that it asks for, if it asks for nothing else.
    #[serde(skip)]
    of_days: Option<Beside>,
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
        let in_phrases = phrases.as_ref().map(|phrases| {
            let words = words_of(&phrases.english);
            let lower = in_lower_case(&words);
            let mut times = Times::of(&phrases.english, &words, &lower, Language::English, today);
            times.nearest = nearest::find_in_translation(&lower, today);
            (phrases, words, times)
        });
        // Without a time the phrases are words like others.
        let apart = in_phrases.as_ref().filter(|(.., with)| !with.times.is_empty());
        let text = apart.map_or(text, |(phrases, ..)| &phrases.apart);
        let words = words_of(text);
        let lower = in_lower_case(&words);
        let found = find_mentions(text, &words, names);
        let (languages, is_recognised) = analyzer.query_languages(&words, held);
        let Times { mut times, mut roles, asks_when, nearest } = match apart {
            Some((phrases, english, with)) => {
                with.aligned(&phrases.align(&words, english), words.len())
            }
            None => {
                let own = analyzer.language_of_times(&words, languages.own);
                let mut times = Times::of(text, &words, &lower, own, today);
                if own != languages.own {
                    times.leave_out_function_words(&lower, own);
                }
                times
            }
        };
        let asks_when = asks_when || in_phrases.as_ref().is_some_and(|(.., with)| with.asks_when);
        if languages.own == Language::English {
            for asking in request::asking_words(text, &words, &lower) {
                let roles = roles.get_mut(asking).unwrap_or_default();
                roles.iter_mut().filter(|role| **role > WordRole::Time).for_each(|role| {
                    *role = WordRole::Conversation;
                });
            }
        }
        for at in found.iter().filter(|at| at.is_certain) {
            roles.get_mut(at.first..at.end).unwrap_or_default().fill(WordRole::Name);
        }
        if times.iter().any(|time| time.is_vague) {
            let content = words.iter().zip(&roles).filter(|(_, role)| **role == WordRole::Content);
            let content = content.map(|(word, _)| *word);
            if !distinct_terms(analyzer, content, languages).is_empty() {
                for time in times.extract_if(.., |time| time.is_vague) {
                    roles.get_mut(time.words).unwrap_or_default().fill(WordRole::Content);
                }
            }
        }
        let mut terms_of = |is_of: &dyn Fn(WordRole) -> bool| {
            let words = words.iter().zip(&roles).filter(|(_, role)| is_of(**role));
            distinct_terms(analyzer, words.map(|(word, _)| *word), languages)
        };
        let asks_for_days = !asks_when
            && days::are_specific(&times)
            && terms_of(&|role| role == WordRole::Content).is_empty();
        let has_weight = |role| !matches!(role, WordRole::Name | WordRole::Conversation);
        let mut terms = if asks_for_days { Vec::new() } else { terms_of(&has_weight) };
        let is_left_out = |position| roles.get(position).is_some_and(|role| !has_weight(*role));
        let mut nameless = without(text, &words, is_left_out);
        if terms.is_empty() && !asks_for_days {
            terms = terms_of(&|_| true);
            nameless = text.to_owned();
        }
        join_codes(text, &words, &mut terms, analyzer, languages);
        // A question for days has no terms, so a record may quote their names. A time relative to
        // the asker's day is then the asker's wording, not the record's.
        let is_focused = words.len() <= FOCUSED_WORDS_MAX;
        let mut quotes: Vec<Quote> = Vec::new();
        let mut quote = |parts: &[Word<'_>]| {
            let terms = distinct_terms(analyzer, parts.iter().copied(), languages);
            if !terms.is_empty() && quotes.iter().all(|known| known.terms != terms) {
                let together = if asks_for_days { wordings::plainly(parts) } else { Vec::new() };
                quotes.push(Quote { terms, together, ..Quote::default() });
            }
        };
        times
            .iter()
            .filter(|time| is_focused && time.is_relative != asks_for_days)
            .filter_map(|time| words.get(time.words.clone()))
            .for_each(&mut quote);
        if is_focused {
            for (together, year) in wordings::of(&times, &words, today) {
                let places = wordings::looked_up(&together).iter();
                let terms = places.filter_map(|words| {
                    let words = words.iter().flat_map(|word| words_of(word));
                    any_of(distinct_terms(analyzer, words, languages))
                });
                let terms: Vec<QueryTerm> = terms.collect();
                let is_known = |known: &Quote| known.together == together;
                if !terms.is_empty() && !quotes.iter().any(is_known) {
                    let own = Quote { terms, together, ..Quote::default() };
                    quotes.push(Quote { year, is_another: true, ..own });
                }
            }
        }
        if asks_for_days && is_focused {
            for days::Coming { words, not_beside, said_on } in days::coming(&times, languages.own) {
                let terms = words.iter().flat_map(|word| words_of(word));
                let terms = distinct_terms(analyzer, terms, languages);
                if !terms.is_empty() {
                    let together = words.into_iter().map(|word| vec![word]).collect();
                    quotes.push(Quote { terms, together, not_beside, said_on, ..Quote::default() });
                }
            }
        }
        let is_proper = |position: usize, word: &Word<'_>| {
            roles.get(position) == Some(&WordRole::Content)
                && sentences::is_capitalised_inside(text, word)
        };
        let proper = words.iter().enumerate().filter(|(position, word)| is_proper(*position, word));
        let proper = proper
            .map(|(_, word)| distinct_terms(analyzer, std::iter::once(*word), languages))
            .filter(|terms| !terms.is_empty())
            .collect();
        let first_person = first_person::is_in(text, &lower, languages.own);
        let asks_for_list = is_focused
            && !asks_when
            && languages.own == Language::English
            && lists::asks_for_list(&lower);
        let classes = match asks_for_list {
            true => lists::members(&lower, &terms, analyzer),
            false => Vec::new(),
        };
        let profile = match is_focused && languages.own == Language::English {
            true => ProfileQuestion::read(text),
            false => None,
        };
        if let Some(profile) = &profile
            && terms.len() > 1
        {
            terms.retain(|term| !profile.is_for_subject(term.term.as_str()));
        }
        let classes = match &profile {
            Some(profile) => lists::words_of_profile(profile, &terms, analyzer),
            None => classes,
        };
        let may_ask_for_tasks = is_focused
            && !asks_when
            && !asks_for_days
            && languages.own == Language::English
            && tasks::asks_for_open(&lower);
        let mut beside = |is_part: &dyn Fn(usize) -> bool| {
            let is_left_out = |position: usize| is_left_out(position) || is_part(position);
            let kept = words.iter().enumerate().filter(|(position, _)| !is_left_out(*position));
            let terms = distinct_terms(analyzer, kept.map(|(_, word)| *word), languages);
            let nameless =
                if terms.is_empty() { String::new() } else { without(text, &words, is_left_out) };
            Beside { terms, nameless }
        };
        let is_asking = |at: usize| lower.get(at).is_some_and(|word| tasks::is_asking(word));
        let beside_tasks = may_ask_for_tasks.then(|| beside(&is_asking));
        let is_of_time = |at: usize| roles.get(at) == Some(&WordRole::Time);
        let names_time = is_focused && !asks_for_days && !times.is_empty();
        let beside_times = names_time.then(|| beside(&is_of_time));
        let beside_times = beside_times.filter(|beside| !beside.terms.is_empty());
        let is_coming = |time: &TimeExpression| {
            let is_later = |mention: &DateMention| match mention {
                DateMention::Window { first, .. } => Some(*first) > today,
                DateMention::EveryYear { .. } => false,
            };
            time.mentions.iter().all(is_later)
        };
        let of_days = (asks_for_days && times.iter().all(is_coming)).then(|| {
            let said = words.iter().zip(&lower).enumerate();
            let said =
                said.filter(|(at, (_, lower))| is_of_time(*at) && !is_english_stop_word(lower));
            let terms = distinct_terms(analyzer, said.map(|(_, (word, _))| *word), languages);
            Beside { terms, nameless: text.to_owned() }
        });
        let subject = subject(&found, &lower);
        let is_naming_certain = found.iter().any(|at| at.is_certain);
        let mentions = found.into_iter().map(|at| at.mention).collect();
        let dates: Vec<DateMention> = times.into_iter().flat_map(|time| time.mentions).collect();
        let names_no_time = dates.is_empty() && is_focused;
        let in_phrases = in_phrases.as_ref().and_then(|(.., with)| with.nearest);
        let nearest = || nearest::find(&lower, today).or(nearest).or(in_phrases);
        let nearest = if names_no_time { nearest() } else { None };
        Self {
            terms,
            languages,
            is_perhaps_foreign: !is_recognised && !languages.others.is_empty(),
            nameless,
            mentions,
            is_naming_certain,
            proper,
            dates,
            nearest,
            quotes,
            asks_for_days,
            asks_for_tasks: false,
            beside_tasks,
            beside_times,
            of_days,
            classes,
            profile,
            subject,
            first_person,
            asks_of_program: second_person::asks_of_program(text, &lower),
            asks_when,
        }
    }

    /// Whether its words may ask for open tasks.
    pub fn may_ask_for_tasks(&self) -> bool {
        self.beside_tasks.is_some()
    }

    /// The same question without the times that it names, if it names some and asks anything beside
    /// them.
    pub fn without_times(&self) -> Option<Self> {
        let Beside { terms, nameless } = self.beside_times.clone()?;
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
        let Beside { terms, nameless } = self.of_days.clone()?;
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
        if let Some(Beside { terms, nameless }) = self.beside_tasks.take() {
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

/// What a question says beside its times, or beside asking for open tasks.
#[derive(Clone, Debug, PartialEq)]
struct Beside {
    terms: Vec<QueryTerm>,
    nameless: String,
}

/// What a word of a question is for. The most telling role is first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum WordRole {
    /// Part of the name of a known person.
    Name,
    /// Part of a time.
    Time,
    /// Asks, or, beside a time, is for the conversation itself: it carries no weight.
    Conversation,
    /// Stands for anything that may be of a time, or for nothing.
    General,
    /// Anything else.
    Content,
}

/// What a question says about times.
struct Times {
    times: Vec<TimeExpression>,
    /// Of each word.
    roles: Vec<WordRole>,
    asks_when: bool,
    /// The direction in which words of another language look.
    nearest: Option<Nearest>,
}

impl Times {
    fn of(
        text: &str,
        words: &[Word<'_>],
        lower: &[String],
        language: Language,
        today: Option<Date>,
    ) -> Self {
        let english = time_words::in_english(lower, language);
        let times = date_parser::parse(text, words, &english, language, today);
        // "passé" is "last", and "happened" where it does not pick a time.
        let means_happened = |word: &str| word == "last" && language == Language::French;
        let is_general = |word: &str| {
            days::is_general(word) || is_english_stop_word(word) || means_happened(word)
        };
        let role = |(position, word): (usize, &String)| {
            if times.iter().any(|time| time.words.contains(&position)) {
                WordRole::Time
            } else if !times.is_empty() && days::is_conversation(word) {
                WordRole::Conversation
            } else if is_general(word) {
                WordRole::General
            } else {
                WordRole::Content
            }
        };
        let roles = english.iter().enumerate().map(role).collect();
        let nearest = nearest::find_in_translation(&english, today).filter(|_| *english != *lower);
        Self { times, roles, asks_when: asks_when(&english), nearest }
    }

    /// The function words of a language in which nothing is looked up are not content.
    fn leave_out_function_words(&mut self, lower: &[String], language: Language) {
        for (role, word) in self.roles.iter_mut().zip(lower) {
            if *role == WordRole::Content && Analyzer::is_of_function_words(word, language) {
                *role = WordRole::General;
            }
        }
    }

    /// The same for the words of another text, of which there are `count`. `ranges` has those that
    /// each word stands for. A phrase has the most telling role of its words.
    fn aligned(&self, ranges: &[Range<usize>], count: usize) -> Self {
        let mut roles = vec![WordRole::Content; count];
        for (range, role) in ranges.iter().zip(&self.roles) {
            let own = roles.get_mut(range.clone()).unwrap_or_default();
            own.iter_mut().for_each(|own| *own = (*own).min(*role));
        }
        let start = |position: usize| ranges.get(position).map_or(count, |range| range.start);
        let end = |position: usize| ranges.get(position).map_or(count, |range| range.end);
        let times = self.times.iter().map(|time| TimeExpression {
            mentions: time.mentions.clone(),
            words: start(time.words.start)..end(time.words.end.saturating_sub(1)),
            ..*time
        });
        Self { times: times.collect(), roles, ..*self }
    }
}

fn words_of(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    visit_words(text, |word| {
        words.push(word);
        words.len() < QUESTION_WORDS_MAX
    });
    words
}

fn in_lower_case(words: &[Word<'_>]) -> Vec<String> {
    words.iter().map(|word| word.text.to_lowercase()).collect()
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

/// The text without the words that `is_left_out`, by number, and without what is between two of
/// them.
fn without(text: &str, words: &[Word<'_>], is_left_out: impl Fn(usize) -> bool) -> String {
    let mut kept = String::with_capacity(text.len());
    let (mut copied, mut previous) = (0, None);
    for (position, word) in words.iter().enumerate().filter(|(position, _)| is_left_out(*position))
    {
        if position.checked_sub(1) != previous || position == 0 {
            kept.push_str(text.get(copied..word.start).unwrap_or_default());
        }
        (copied, previous) = (word.end(), Some(position));
    }
    kept.push_str(text.get(copied..).unwrap_or_default());
    kept
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

fn distinct_terms<'a>(
    analyzer: &mut Analyzer,
    words: impl Iterator<Item = Word<'a>>,
    languages: QueryLanguages,
) -> Vec<QueryTerm> {
    let mut terms: Vec<QueryTerm> = Vec::new();
    for word in words {
        for one in analyzer.query_terms_of_word(word, languages) {
            if terms.iter().all(|known| known.term != one.term) {
                terms.push(one);
            }
        }
    }
    terms
}

/// Lets the parts of a code, such as "LH 1834", ask for the whole as well.
fn join_codes(
    text: &str,
    words: &[Word<'_>],
    terms: &mut [QueryTerm],
    analyzer: &mut Analyzer,
    languages: QueryLanguages,
) {
    let mut codes = Codes::new(WrittenIn::Question);
    let mut places: Vec<_> = words.iter().filter_map(|word| codes.take(text, word)).collect();
    places.extend(codes.end(text));
    for at in places {
        let whole = Term::from(&*codes::joined(text.get(at.clone()).unwrap_or_default()));
        let parts = words.iter().filter(|word| at.contains(&word.start)).copied();
        let parts = distinct_terms(analyzer, parts, languages);
        let is_part = |one: &QueryTerm| parts.iter().any(|part| part.term == one.term);
        for one in terms.iter_mut().filter(|one| is_part(one)) {
            one.variants.push(whole.clone());
        }
    }
}

/// One term for all: a record that has one of them has it.
fn any_of(terms: Vec<QueryTerm>) -> Option<QueryTerm> {
    let mut terms = terms.into_iter();
    let mut one = terms.next()?;
    for QueryTerm { term, variants, .. } in terms {
        let others = std::iter::once(term).chain(variants);
        let others: Vec<Term> =
            others.filter(|other| one.all().all(|term| term != other)).collect();
        one.variants.extend(others);
    }
    Some(one)
}

/// True for "when …", "what|which day|date|month|year …", "how long …", "since when", "how many
/// years ago".
fn asks_when(words: &[String]) -> bool {
    /// A later "when" starts a clause ("What did she feel when …").
    const WHEN_POSITION_MAX: usize = 1;
    let word = |position: usize| words.get(position).map_or("", String::as_str);
    (0..words.len()).any(|position| match word(position) {
        // "When I sign up, what …" begins with a clause that no verb follows at once.
        "when" => position <= WHEN_POSITION_MAX && is_verb_or_end(word(position + 1)),
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
                | "decade"
                | "century"
        ),
        "how" => match word(position + 1) {
            "long" => true,
            "many" => matches!(word(position + 2), "days" | "weeks" | "months" | "years" | "hours"),
            _ => false,
        },
        _ => false,
    })
}

/// True for a verb that follows the "when" of a question, and for the end of the question.
fn is_verb_or_end(word: &str) -> bool {
    const VERBS: [&str; 26] = [
        "am", "are", "aren't", "can", "could", "did", "didn't", "do", "does", "doesn't", "don't",
        "had", "has", "have", "is", "isn't", "may", "might", "must", "shall", "should", "was",
        "were", "will", "would", "",
    ];
    VERBS.contains(&word)
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod time_tests;
