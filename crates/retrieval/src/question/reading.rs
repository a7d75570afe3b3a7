//! The words of a question with what each is for, from which the parts of the question are read.

use std::ops::Range;

use jiff::civil::Date;

use super::date_parser::{self, TimeExpression};
use super::dates::DateMention;
use super::names::MentionAt;
use super::nearest::{self, Nearest};
use super::quote::Quote;
use super::time_phrases::Translated;
use super::{
    FOCUSED_WORDS_MAX, QUESTION_WORDS_MAX, RestOfQuestion, days, lists, request, sentences, tasks,
    time_words, wordings,
};
use crate::profile::ProfileQuestion;
use crate::text::codes::{self, Codes, WrittenIn};
use crate::text::words::{Word, visit_words};
use crate::text::{Analyzer, Language, QueryLanguages, QueryTerm, Term, is_english_stop_word};

/// The words of a question.
pub(super) struct QuestionWords<'t> {
    pub(super) text: &'t str,
    pub(super) words: Vec<Word<'t>>,
    pub(super) lower: Vec<String>,
    pub(super) languages: QueryLanguages,
    /// The asker's civil date.
    pub(super) today: Option<Date>,
}

impl QuestionWords<'_> {
    /// Whether the question is short, so that no word is in passing.
    fn is_focused(&self) -> bool {
        self.words.len() <= FOCUSED_WORDS_MAX
    }

    fn is_english(&self) -> bool {
        self.languages.own == Language::English
    }
}

/// The times of the phrases of an unspaced language, which were translated into English.
pub(super) struct TranslatedTimes<'p> {
    pub(super) phrases: &'p Translated,
    english: Vec<Word<'p>>,
    pub(super) times: Times,
}

impl<'p> TranslatedTimes<'p> {
    pub(super) fn of(phrases: &'p Translated, today: Option<Date>) -> Self {
        let english = words_of(&phrases.english);
        let lower = in_lower_case(&english);
        let mut times = Times::of(&phrases.english, &english, &lower, Language::English, today);
        times.nearest = nearest::find_in_translation(&lower, today);
        Self { phrases, english, times }
    }

    /// The times as the question itself names them, whose words these are.
    pub(super) fn aligned(&self, words: &[Word<'_>]) -> Times {
        self.times.aligned(&self.phrases.align(words, &self.english), words.len())
    }
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
pub(super) struct Times {
    pub(super) times: Vec<TimeExpression>,
    /// Of each word.
    roles: Vec<WordRole>,
    pub(super) asks_when: bool,
    /// The direction in which words of another language look.
    pub(super) nearest: Option<Nearest>,
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

    /// What the question says in its own words.
    pub(super) fn in_own_words(question: &QuestionWords<'_>, analyzer: &mut Analyzer) -> Self {
        let QuestionWords { text, words, lower, languages, today } = question;
        let own = analyzer.language_of_times(words, languages.own);
        let mut times = Self::of(text, words, lower, own, *today);
        if own != languages.own {
            times.leave_out_function_words(lower, own);
        }
        times
    }

    /// Gives their roles to the words that ask and to names. Where the question has other content,
    /// a vague time is content too.
    pub(super) fn settle_roles(
        &mut self,
        question: &QuestionWords<'_>,
        found: &[MentionAt],
        analyzer: &mut Analyzer,
    ) {
        let QuestionWords { text, words, lower, languages, .. } = question;
        if question.is_english() {
            for asking in request::asking_words(text, words, lower) {
                let roles = self.roles.get_mut(asking).unwrap_or_default();
                roles.iter_mut().filter(|role| **role > WordRole::Time).for_each(|role| {
                    *role = WordRole::Conversation;
                });
            }
        }
        for at in found.iter().filter(|at| at.is_certain) {
            self.roles.get_mut(at.first..at.end).unwrap_or_default().fill(WordRole::Name);
        }
        if self.times.iter().any(|time| time.is_vague) {
            let content =
                words.iter().zip(&self.roles).filter(|(_, role)| **role == WordRole::Content);
            let content = content.map(|(word, _)| *word);
            if !distinct_terms(analyzer, content, *languages).is_empty() {
                for time in self.times.extract_if(.., |time| time.is_vague) {
                    self.roles.get_mut(time.words).unwrap_or_default().fill(WordRole::Content);
                }
            }
        }
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

/// A question's words, times and roles, from which its parts are read.
pub(super) struct Reading<'t> {
    pub(super) words: QuestionWords<'t>,
    times: Vec<TimeExpression>,
    /// Of each word.
    roles: Vec<WordRole>,
    pub(super) asks_when: bool,
    /// Whether it asks for whatever is of the times that it names.
    pub(super) asks_for_days: bool,
    nearest: Option<Nearest>,
}

/// What a question lists or asks to know of a person.
pub(super) struct ListedClasses {
    /// The terms of the question, without those of a subject that is looked for in other words.
    pub(super) terms: Vec<QueryTerm>,
    pub(super) classes: Vec<Vec<QueryTerm>>,
    pub(super) profile: Option<ProfileQuestion>,
}

impl<'t> Reading<'t> {
    pub(super) fn of(words: QuestionWords<'t>, times: Times, analyzer: &mut Analyzer) -> Self {
        let Times { times, roles, asks_when, nearest } = times;
        let mut reading = Self { words, times, roles, asks_when, asks_for_days: false, nearest };
        reading.asks_for_days = !asks_when
            && days::are_specific(&reading.times)
            && reading.terms_of(analyzer, |role| role == WordRole::Content).is_empty();
        reading
    }

    fn terms_of(
        &self,
        analyzer: &mut Analyzer,
        is_of: impl Fn(WordRole) -> bool,
    ) -> Vec<QueryTerm> {
        let words = self.words.words.iter().zip(&self.roles).filter(|(_, role)| is_of(**role));
        distinct_terms(analyzer, words.map(|(word, _)| *word), self.words.languages)
    }

    fn is_of_time(&self, position: usize) -> bool {
        self.roles.get(position) == Some(&WordRole::Time)
    }

    /// Whether a word carries no weight.
    fn is_left_out(&self, position: usize) -> bool {
        self.roles.get(position).is_some_and(|role| !has_weight(*role))
    }

    /// The terms to look up, and the text that is embedded.
    pub(super) fn terms_and_nameless(&self, analyzer: &mut Analyzer) -> (Vec<QueryTerm>, String) {
        let QuestionWords { text, words, .. } = &self.words;
        let mut terms = match self.asks_for_days {
            true => Vec::new(),
            false => self.terms_of(analyzer, has_weight),
        };
        let mut nameless = without(text, words, |position| self.is_left_out(position));
        if terms.is_empty() && !self.asks_for_days {
            terms = self.terms_of(analyzer, |_| true);
            nameless = (*text).to_owned();
        }
        self.join_codes(&mut terms, analyzer);
        (terms, nameless)
    }

    /// Lets the parts of a code, such as "LH 1834", ask for the whole as well.
    fn join_codes(&self, terms: &mut [QueryTerm], analyzer: &mut Analyzer) {
        let QuestionWords { text, words, languages, .. } = &self.words;
        let mut codes = Codes::new(WrittenIn::Question);
        let mut places: Vec<_> = words.iter().flat_map(|word| codes.take(text, word)).collect();
        places.extend(codes.end(text));
        for at in places {
            let whole = Term::from(&*codes::joined(text.get(at.clone()).unwrap_or_default()));
            let parts = words.iter().filter(|word| at.contains(&word.start)).copied();
            let parts = distinct_terms(analyzer, parts, *languages);
            let is_part = |one: &QueryTerm| parts.iter().any(|part| part.term == one.term);
            for one in terms.iter_mut().filter(|one| is_part(one)) {
                if one.all().all(|known| *known != whole) {
                    one.variants.push(whole.clone());
                }
            }
        }
    }

    /// The wordings of times by which a record fits.
    ///
    /// A question for days has no terms, so a record may quote their names. A time relative to the
    /// asker's day is then the asker's wording, not the record's.
    pub(super) fn quotes(&self, analyzer: &mut Analyzer) -> Vec<Quote> {
        if !self.words.is_focused() {
            return Vec::new();
        }
        let mut quotes = self.own_quotes(analyzer);
        self.add_other_wordings(&mut quotes, analyzer);
        if self.asks_for_days {
            self.add_coming_days(&mut quotes, analyzer);
        }
        quotes
    }

    /// The times in the words of the question.
    fn own_quotes(&self, analyzer: &mut Analyzer) -> Vec<Quote> {
        let mut quotes: Vec<Quote> = Vec::new();
        let times = self.times.iter().filter(|time| time.is_relative != self.asks_for_days);
        for parts in times.filter_map(|time| self.words.words.get(time.words.clone())) {
            let terms = distinct_terms(analyzer, parts.iter().copied(), self.words.languages);
            if !terms.is_empty() && quotes.iter().all(|known| known.terms != terms) {
                let together =
                    if self.asks_for_days { wordings::plainly(parts) } else { Vec::new() };
                quotes.push(Quote { terms, together, ..Quote::default() });
            }
        }
        quotes
    }

    /// The same times in other words.
    fn add_other_wordings(&self, quotes: &mut Vec<Quote>, analyzer: &mut Analyzer) {
        let QuestionWords { words, languages, today, .. } = &self.words;
        for (together, year) in wordings::of(&self.times, words, *today) {
            let places = wordings::looked_up(&together).iter();
            let terms = places.filter_map(|words| {
                let words = words.iter().flat_map(|word| words_of(word));
                any_of(distinct_terms(analyzer, words, *languages))
            });
            let terms: Vec<QueryTerm> = terms.collect();
            let is_known = |known: &Quote| known.together == together;
            if !terms.is_empty() && !quotes.iter().any(is_known) {
                let own = Quote { terms, together, ..Quote::default() };
                quotes.push(Quote { year, is_another: true, ..own });
            }
        }
    }

    /// What records of earlier days call the days that the question asks for.
    fn add_coming_days(&self, quotes: &mut Vec<Quote>, analyzer: &mut Analyzer) {
        let languages = self.words.languages;
        for days::Coming { words, not_beside, said_on } in days::coming(&self.times, languages.own)
        {
            let terms = words.iter().flat_map(|word| words_of(word));
            let terms = distinct_terms(analyzer, terms, languages);
            if !terms.is_empty() {
                let together = words.into_iter().map(|word| vec![word]).collect();
                quotes.push(Quote { terms, together, not_beside, said_on, ..Quote::default() });
            }
        }
    }

    /// The words that look like names nobody knows, each as its terms.
    pub(super) fn proper(&self, analyzer: &mut Analyzer) -> Vec<Vec<QueryTerm>> {
        let QuestionWords { text, words, languages, .. } = &self.words;
        let is_proper = |position: usize, word: &Word<'_>| {
            self.roles.get(position) == Some(&WordRole::Content)
                && sentences::is_capitalised_inside(text, word)
        };
        let proper = words.iter().enumerate().filter(|(position, word)| is_proper(*position, word));
        proper
            .map(|(_, word)| distinct_terms(analyzer, std::iter::once(*word), *languages))
            .filter(|terms| !terms.is_empty())
            .collect()
    }

    /// What it asks to know of a person or, if nothing, the members of each class that it names.
    pub(super) fn classes(
        &self,
        mut terms: Vec<QueryTerm>,
        analyzer: &mut Analyzer,
    ) -> ListedClasses {
        let QuestionWords { text, lower, .. } = &self.words;
        let is_read = self.words.is_focused() && self.words.is_english();
        let profile = if is_read { ProfileQuestion::read(text) } else { None };
        let classes = match &profile {
            Some(profile) => {
                if terms.len() > 1 {
                    terms.retain(|term| !profile.is_for_subject(term.term.as_str()));
                }
                lists::words_of_profile(profile, &terms, analyzer)
            }
            None if is_read && !self.asks_when && lists::asks_for_list(lower) => {
                lists::members(lower, &terms, analyzer)
            }
            None => Vec::new(),
        };
        ListedClasses { terms, classes, profile }
    }

    /// What it says beside words that are a part of it, and that carry weight.
    fn beside(&self, is_part: impl Fn(usize) -> bool, analyzer: &mut Analyzer) -> RestOfQuestion {
        let QuestionWords { text, words, languages, .. } = &self.words;
        let is_left_out = |position: usize| self.is_left_out(position) || is_part(position);
        let kept = words.iter().enumerate().filter(|(position, _)| !is_left_out(*position));
        let terms = distinct_terms(analyzer, kept.map(|(_, word)| *word), *languages);
        let nameless =
            if terms.is_empty() { String::new() } else { without(text, words, is_left_out) };
        RestOfQuestion { terms, nameless }
    }

    /// What it is about beside tasks, if its words may ask for open ones.
    pub(super) fn beside_tasks(&self, analyzer: &mut Analyzer) -> Option<RestOfQuestion> {
        let lower = &self.words.lower;
        let may_ask_for_tasks = self.words.is_focused()
            && !self.asks_when
            && !self.asks_for_days
            && self.words.is_english()
            && tasks::asks_for_open(lower);
        let is_asking = |at: usize| lower.get(at).is_some_and(|word| tasks::is_asking(word));
        may_ask_for_tasks.then(|| self.beside(is_asking, analyzer))
    }

    /// What it asks beside the times that it names, if it asks anything beside them.
    pub(super) fn beside_times(&self, analyzer: &mut Analyzer) -> Option<RestOfQuestion> {
        let names_time = self.words.is_focused() && !self.asks_for_days && !self.times.is_empty();
        let beside = names_time.then(|| self.beside(|at| self.is_of_time(at), analyzer));
        beside.filter(|beside| !beside.terms.is_empty())
    }

    /// The words of the days to come that it asks for, if it asks for nothing else.
    pub(super) fn of_days(&self, analyzer: &mut Analyzer) -> Option<RestOfQuestion> {
        let QuestionWords { text, words, lower, languages, today } = &self.words;
        let is_coming = |time: &TimeExpression| {
            let is_later = |mention: &DateMention| match mention {
                DateMention::Window { first, .. } => Some(*first) > *today,
                DateMention::EveryYear { .. } => false,
            };
            time.mentions.iter().all(is_later)
        };
        (self.asks_for_days && self.times.iter().all(is_coming)).then(|| {
            let said =
                words.iter().zip(lower).enumerate().filter(|(at, (_, lower))| {
                    self.is_of_time(*at) && !is_english_stop_word(lower)
                });
            let terms = distinct_terms(analyzer, said.map(|(_, (word, _))| *word), *languages);
            RestOfQuestion { terms, nameless: (*text).to_owned() }
        })
    }

    /// The times that it names.
    pub(super) fn take_dates(&mut self) -> Vec<DateMention> {
        std::mem::take(&mut self.times).into_iter().flat_map(|time| time.mentions).collect()
    }

    /// The direction in which it asks for the nearest record; by its words, or as its translated
    /// phrases say.
    pub(super) fn nearest(&self, in_phrases: Option<Nearest>) -> Option<Nearest> {
        let QuestionWords { lower, today, .. } = &self.words;
        if !self.words.is_focused() {
            return None;
        }
        nearest::find(lower, *today).or(self.nearest).or(in_phrases)
    }
}

fn has_weight(role: WordRole) -> bool {
    !matches!(role, WordRole::Name | WordRole::Conversation)
}

pub(super) fn words_of(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    visit_words(text, |word| {
        words.push(word);
        words.len() < QUESTION_WORDS_MAX
    });
    words
}

pub(super) fn in_lower_case(words: &[Word<'_>]) -> Vec<String> {
    words.iter().map(|word| word.text.to_lowercase()).collect()
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

pub(super) fn distinct_terms<'a>(
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
