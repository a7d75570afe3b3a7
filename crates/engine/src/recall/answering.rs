//! Which of the records that were found answer the question, and in which sentences.
//!
//! [`judge`] gives each record of a recall its chance ([`retrieval::rank::answering`]).
//! [`Reader::best_sentences`] finds in each source the sentence that shares most with the question,
//! by the weight of the shared words. No model is needed for either.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use derivers::prose::unwrapped;
use retrieval::profile::{Fit, ProfileQuestion, Voice};
use retrieval::question::Question;
use retrieval::rank::answering::{
    AnswerCandidate, AnswerModels, PersonEvidence, RANK_FEATURES, on_topic, rank_features,
    speaks_of_self,
};
use retrieval::rank::relevance::{relevance, topic_relevance};
use retrieval::text::sentences::sentences;
use retrieval::text::{Analyzer, Term, cut};
use store::StoreError;
use store::sqlite::TermShare;

use super::episodes::{Recall, Recollection};
use super::expected::asks_how_many;
use super::lists::{cells, intro_of, is_header, is_item, line_start, open_tasks, parents, row};
use crate::{EngineError, Reader};

/// Records of a recall that an answer is chosen from. The judgement of the person compares as many.
pub const CONSIDERED: usize = retrieval::rank::relevance::JUDGED;
/// Whom a record is by is judged by what the author and others say where at most so many speak: it
/// is learnt from conversations of two.
const SPEAKERS_MAX: usize = 2;
/// Longest text that is searched for its best sentence, bytes.
const TEXT_BYTES_MAX: usize = 16 * 1024;
/// How much a question counts, or a quoted line.
const SHARE_OF_ASKED: f64 = 0.4;
/// Length up to which sentences that follow a title are shown with it, bytes.
const BEGINNING_BYTES: usize = 160;
/// Length up to which the items of a list are shown, bytes.
const LIST_BYTES: usize = 280;
/// Most sentences that are shown after the best one.
const FOLLOWING_MAX: usize = 2;
/// How much the words of a title count in the sentences below it.
const SHARE_OF_TITLE: f64 = 0.3;
/// How much the words of what an item stands below count, or of the sentence with whom "she" means.
const SHARE_OF_PARENT: f64 = 0.6;
/// How much more a sentence counts that has a number or a time where the question asks for one.
const SHARE_OF_EXPECTED: f64 = 1.25;

/// How much more a sentence weighs that tells what the question asks to know of a person: more than
/// its words can.
const WEIGHT_OF_TELLING: f64 = 1000.0;

/// The records of a recall, judged.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The chance that memory has something on the topic, and of the person if `person` is not
    /// judged.
    pub on_topic: f64,
    /// What the person in question and others say, if the question names a known person.
    pub person: Option<PersonEvidence>,
    /// What each record is judged by, in the order of the results.
    pub standings: Vec<[f64; RANK_FEATURES]>,
    /// The numbers of the results that answer nothing: no part of their score says that they are
    /// about what the question asks.
    unrelated: BTreeSet<usize>,
}

impl Judged {
    /// The chance that each record answers, in the order of the results.
    pub fn chances(&self, models: &AnswerModels) -> impl Iterator<Item = f64> {
        let answerable = models.answerable(self.on_topic, self.person.as_ref());
        let standings = self.standings.iter().enumerate();
        standings.map(move |(number, standing)| match self.unrelated.contains(&number) {
            true => 0.0,
            false => answerable * models.of_record(standing),
        })
    }
}

/// Judges the records of a recall of at least [`CONSIDERED`], in the order in which they are.
pub fn judge(recall: &Recall) -> Judged {
    let candidates: Vec<AnswerCandidate<'_>> = recall
        .results
        .iter()
        .take(CONSIDERED)
        .map(|result| AnswerCandidate {
            score: &result.score,
            terms: TermShare::by_word(&result.terms)
                .iter()
                .map(|share| (share.idf, share.counts()))
                .collect(),
            speaks_of_self: speaks_of_self(cut(&result.evidence.payload.text, TEXT_BYTES_MAX)),
        })
        .collect();
    let considered = recall.results.iter().take(CONSIDERED);
    let speakers: BTreeSet<_> = considered.map(|result| &result.evidence.actor).collect();
    let is_judged = speakers.len() <= SPEAKERS_MAX && !asks_for_words(&recall.question.nameless);
    // What tells it of the person needs no comparison with what others say.
    let person = (is_judged && !recall.profile_chance.is_told_or_mentioned())
        .then(|| PersonEvidence::of(&recall.question, recall.documents, &candidates))
        .flatten();
    let judge = if person.is_some() { topic_relevance } else { relevance };
    let best = recall.results.iter().map(|result| result.score.total).fold(0.0, f64::max);
    let places = recall.results.iter().enumerate();
    let standings = places.map(|(place, result)| rank_features(place, best - result.score.total));
    let results = recall.results.iter().enumerate();
    let on_topic = on_topic(&recall.features, judge);
    let unrelated = results.filter(|(_, result)| is_unrelated(result)).map(|(number, _)| number);
    Judged {
        on_topic: recall.profile_chance.limit(on_topic),
        person,
        standings: standings.collect(),
        unrelated: unrelated.collect(),
    }
}

/// Whether a record that is judged by its words has none of the question, in itself or in those
/// before it, and neither tells how to answer nor is of the time that is asked for.
fn is_unrelated(result: &Recollection) -> bool {
    const APART: [&str; 2] = ["standing", "date"];
    !result.score.counts_meaning()
        && result.score.profile() == 0.0
        && !result.terms.iter().any(TermShare::is_here)
        && !result
            .score
            .parts
            .iter()
            .any(|part| APART.contains(&part.name) && part.contribution > 0.0)
}

/// Whether a question is for what somebody said: it need not be about who said it.
fn asks_for_words(question: &str) -> bool {
    #[rustfmt::skip]
    const SAYING: [&str; 11] = [
        "mention", "mentioned", "recommend", "recommended", "said", "say", "says", "suggest", "suggested", "tell", "told",
    ];
    let mut words = question.split(|letter: char| !letter.is_alphanumeric());
    words.any(|word| SAYING.contains(&word.to_lowercase().as_str()))
}

/// What the words of a question weigh: those that records know by their rarity, the others 1.
pub struct WordWeights {
    weights: BTreeMap<Term, f64>,
    /// The question asks for open tasks, or for what is left of a list.
    asks_for_open: bool,
    /// The question asks for a number.
    asks_how_many: bool,
    /// The question asks for a time.
    asks_when: bool,
    /// What it asks to know of a person.
    profile: Option<ProfileQuestion>,
}

impl WordWeights {
    /// Of a question, and of the shares that records have of its words.
    pub fn new<'a>(
        question: Option<&Question>,
        shares: impl IntoIterator<Item = &'a TermShare>,
    ) -> Self {
        let asked = question.into_iter().flat_map(|question| &question.terms);
        let words = asked.flat_map(retrieval::text::QueryTerm::all);
        let mut weights: BTreeMap<Term, f64> = words.map(|term| (term.clone(), 1.0)).collect();
        for TermShare { term, idf, .. } in shares {
            weights.insert(term.clone(), *idf);
        }
        let asks_for_open =
            |question: &Question| question.asks_for_tasks || asks_for_rest(&question.nameless);
        Self {
            weights,
            asks_for_open: question.is_some_and(asks_for_open),
            asks_how_many: question.is_some_and(|question| asks_how_many(&question.nameless)),
            asks_when: question.is_some_and(|question| question.asks_when),
            profile: question.and_then(|question| question.profile.clone()),
        }
    }

    /// Whether a text has any of the words of the question.
    pub fn are_in(&self, shown: &str) -> bool {
        shown.split(|letter: char| !letter.is_alphanumeric()).any(|word| {
            let word = word.to_lowercase();
            self.weights.keys().any(|term| {
                let term = term.as_str();
                word == term || term.len() > 2 && word.contains(term)
            })
        })
    }

    /// The sentences of a text that the question may be about: those with at least half the weight
    /// of its words that the best has.
    pub(super) fn asked_about<'t>(&self, text: &'t str, analyzer: &mut Analyzer) -> Vec<&'t str> {
        let text = cut(text, TEXT_BYTES_MAX);
        let weighed: Vec<(&str, f64)> = sentences(text)
            .into_iter()
            .filter_map(|range| text.get(range))
            .map(|sentence| (sentence, self.weight(sentence, analyzer)))
            .collect();
        let half = weighed.iter().map(|(_, weight)| *weight).fold(0.0, f64::max) / 2.0;
        let near = weighed.into_iter().filter(|(_, weight)| *weight >= half);
        near.map(|(sentence, _)| sentence).collect()
    }

    fn weight(&self, sentence: &str, analyzer: &mut Analyzer) -> f64 {
        self.weight_without(&[], sentence, analyzer)
    }

    fn weight_without(&self, without: &[Term], sentence: &str, analyzer: &mut Analyzer) -> f64 {
        let terms: BTreeSet<Term> = analyzer.terms(sentence).into_iter().collect();
        self.weight_of(&terms, without)
    }

    fn weight_of(&self, terms: &BTreeSet<Term>, without: &[Term]) -> f64 {
        let counted = terms.iter().filter(|term| !without.contains(term));
        counted.filter_map(|term| self.weights.get(term)).sum()
    }

    /// Whether a sentence has a number or a time where the question asks for one.
    fn has_expected(&self, sentence: &str, analyzer: &mut Analyzer) -> bool {
        let has_number = || sentence.contains(|letter: char| letter.is_ascii_digit());
        self.asks_how_many && has_number()
            || self.asks_when && analyzer.analyze(sentence, &[]).timex
    }

    /// The sentence with the most weight of the question's words; the first of several, and the
    /// beginning if no word is shared. What the title says already counts little. A sentence of a
    /// few words is given with those around it, one that is taken back with what takes it back, and
    /// an item that shares only words of the title with its list. Questions and quoted lines count
    /// less. Of a list of tasks, those that are open are given to a question for them. A row of a
    /// table is given with the names of its columns, which do not answer by themselves.
    fn best_sentence(&self, source: &SourceText<'_>, analyzer: &mut Analyzer) -> String {
        let text = cut(source.text, TEXT_BYTES_MAX);
        // The title is not a part of the sentence below it.
        let (title, body) = text.split_at_checked(source.title_bytes).unwrap_or(("", text));
        let text = &*format!("{title}{}", unwrapped(&without_struck(body)));
        if self.asks_for_open
            && let Some(open) = open_tasks(text)
        {
            return open;
        }
        let Ranked { best, first, weight_of_title } =
            self.ranked(text, &analyzer.terms(title), source, analyzer);
        let Some(Best { weight, own, whole, sentence, at, range, columns }) = best else {
            return source.text.trim().to_owned();
        };
        let start = range.start;
        let above = parents(text, at);
        let rest = text.get(range.end..).unwrap_or_default();
        let sentence = match (weight > 0.0, columns) {
            (true, Some(columns)) => row(columns, sentence),
            (true, None) if own == 0.0 && is_item(sentence) => {
                beginning(first, LIST_BYTES).to_owned()
            }
            (true, None) if is_fragment(sentence) && above.is_empty() => {
                let around = text.get(range.start..).unwrap_or_default();
                beginning(around, BEGINNING_BYTES).to_owned()
            }
            (true, None) => {
                let answer = in_context(text, sentence, range, rest);
                self.completed(answer, rest, analyzer)
            }
            (false, _) => beginning(first, BEGINNING_BYTES).to_owned(),
        };
        // What an item is one of, and what a text is worth, stand above it.
        let title = text.get(..source.title_bytes).unwrap_or_default().trim();
        let sentence = match intro_of(text, &sentence, start) {
            _ if !above.is_empty() => format!("{}: {sentence}", above.join(": ")),
            Some(intro) => format!("{intro} {sentence}"),
            None => sentence,
        };
        let is_needed =
            weight_of_title > whole || is_item(&sentence) || !above.is_empty() || limits(title);
        if title.is_empty() || !is_needed {
            return sentence;
        }
        format!("{title}: {sentence}")
    }

    /// The sentences of a text: the best of them, where they begin, and what the title weighs.
    fn ranked<'t>(
        &self,
        text: &'t str,
        in_title: &[Term],
        source: &SourceText<'_>,
        analyzer: &mut Analyzer,
    ) -> Ranked<'t> {
        let mut best: Option<Best<'_>> = None;
        let mut before = 0;
        let mut weight_before = 0.0;
        // The words of what the last line stands below.
        let mut above: (Option<usize>, BTreeSet<Term>) = Default::default();
        let mut weight_of_title = 0.0;
        let mut first = "";
        let mut columns: Option<&str> = None;
        let telling = self.profile.as_ref().map(|profile| profile.fit(text, source.voice));
        let telling = telling.filter(|(fit, _)| *fit == Fit::Tells).map(|(_, sentence)| sentence);
        for range in sentences(text) {
            let sentence = text.get(range.clone()).unwrap_or_default().trim();
            if !sentence.chars().any(char::is_alphanumeric) {
                continue;
            }
            let whole = self.weight(sentence, analyzer);
            if range.start < source.title_bytes {
                weight_of_title = f64::max(weight_of_title, whole);
                continue;
            }
            if first.is_empty() {
                first = text.get(range.start..).unwrap_or_default();
                before = range.start;
            }
            let rest = text.get(range.end..).unwrap_or_default();
            let cells = cells(sentence).count();
            columns =
                columns.filter(|names| cells > 1 && super::lists::cells(names).count() == cells);
            if columns.is_none() && is_header(sentence, rest) {
                columns = Some(sentence);
                before = range.start;
                continue;
            }
            let mut own = self.weight_without(in_title, sentence, analyzer);
            let mut weight = own + (whole - own) * SHARE_OF_TITLE;
            if let Some(columns) = columns {
                // What a column is called is true of each of its cells.
                let names = analyzer.terms(columns);
                own = self.weight_without(&names, sentence, analyzer);
                weight = if own > 0.0 { own + self.weight(columns, analyzer) } else { 0.0 };
            } else if weight > 0.0 {
                // What an item stands below, and whom "she" means, is a part of what it says.
                if refers_back(sentence) {
                    weight += weight_before * SHARE_OF_PARENT;
                } else {
                    let line = line_start(text, range.start);
                    if above.0 != Some(line) {
                        let words = parents(text, range.start).join(" ");
                        above = (Some(line), analyzer.terms(&words).into_iter().collect());
                    }
                    let known =
                        if above.1.is_empty() { Vec::new() } else { analyzer.terms(sentence) };
                    weight += self.weight_of(&above.1, &known) * SHARE_OF_PARENT;
                }
            }
            weight_before = whole;
            let is_asked = sentence.ends_with(['?', '？']) || sentence.starts_with('>');
            let weight = if is_asked { weight * SHARE_OF_ASKED } else { weight };
            let weight = match weight > 0.0 && self.has_expected(sentence, analyzer) {
                true => weight * SHARE_OF_EXPECTED,
                false => weight,
            };
            let weight = match telling.is_some_and(|telling| sentence.contains(telling.trim())) {
                true => weight + WEIGHT_OF_TELLING,
                false => weight,
            };
            if best.as_ref().is_none_or(|best| weight > best.weight) {
                let (at, range) = (range.start, before..range.end);
                best = Some(Best { weight, own, whole, sentence, at, range, columns });
            }
            before = range.start;
        }
        Ranked { best, first, weight_of_title }
    }

    /// An answer with the sentence after it, if that has words of the question which the answer
    /// lacks: "The boiler was serviced in May. The next service is due in June."
    fn completed(&self, answer: String, rest: &str, analyzer: &mut Analyzer) -> String {
        let Some(next) = sentences(rest).into_iter().next() else { return answer };
        let next = rest.get(next).unwrap_or_default().trim();
        let is_told = next.is_empty() || answer.contains(next);
        let paragraph_ends = rest.trim_start_matches([' ', '\t']).starts_with('\n');
        if is_told || paragraph_ends || next.ends_with(['?', '？']) {
            return answer;
        }
        let known: BTreeSet<Term> = analyzer.terms(&answer).into_iter().collect();
        let added = analyzer.terms(next).into_iter().filter(|term| !known.contains(term));
        let is_asked = added.into_iter().any(|term| self.weights.contains_key(&term));
        match is_asked && answer.len() + next.len() <= LIST_BYTES {
            true => format!("{answer} {next}"),
            false => answer,
        }
    }
}

/// The sentence with the most weight so far.
struct Best<'t> {
    weight: f64,
    /// The weight of the words that neither the title nor the columns have.
    own: f64,
    /// The weight of all its words.
    whole: f64,
    sentence: &'t str,
    /// Where it begins.
    at: usize,
    /// It with the sentence before it.
    range: Range<usize>,
    /// The names of the columns, if it is a row of a table.
    columns: Option<&'t str>,
}

/// What the sentences of a text weigh.
struct Ranked<'t> {
    /// The first of the best ones; none if there is none below the title.
    best: Option<Best<'t>>,
    /// The text from its first sentence below the title on.
    first: &'t str,
    weight_of_title: f64,
}

/// The text of a source of an answer.
pub struct SourceText<'t> {
    /// The whole text, with its title if it has one.
    pub text: &'t str,
    /// So many bytes at its beginning are a title; 0 if it has none.
    pub title_bytes: usize,
    /// Whose words it has.
    pub voice: Voice<'t>,
}

/// A text without what is struck out in a line (`~~so~~`), unless that is all.
fn without_struck(text: &str) -> Cow<'_, str> {
    const MARK: &str = "~~";
    if !text.contains(MARK) || text.contains("~~~") {
        return Cow::Borrowed(text);
    }
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once(MARK) {
        let struck = after.split_once(MARK).filter(|(struck, _)| {
            let is_tight = struck.trim() == *struck && !struck.is_empty();
            is_tight && !struck.contains('\n')
        });
        kept.push_str(before);
        // A mark without another is text.
        rest = match struck {
            Some((_, after)) => after,
            None => {
                kept.push_str(MARK);
                after
            }
        };
    }
    kept.push_str(rest);
    match kept.chars().any(char::is_alphanumeric) {
        true => Cow::Owned(kept),
        false => Cow::Borrowed(text),
    }
}

/// Whether a question asks for what is left of a list: "What do I still need to buy?"
fn asks_for_rest(question: &str) -> bool {
    const TO_DO: [&str; 7] = ["buy", "list", "missing", "need", "open", "outstanding", "pack"];
    let lower = question.to_lowercase();
    let words: Vec<&str> = lower
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let has_pair = |first: &str, second: &str| words.windows(2).any(|it| it == [first, second]);
    let is_to_do = words.iter().any(|word| TO_DO.contains(word)) || has_pair("have", "to");
    let is_left = || ["is", "are", "s"].iter().any(|verb| has_pair(verb, "left"));
    let is_what = matches!(words.first(), Some(&("what" | "which")));
    words.contains(&"still") && is_to_do || is_what && is_left()
}

/// A sentence with what it cannot be understood without: the one before it if it begins with a
/// pronoun, and those after it that answer it, take it back, decide what it leaves open, or go on
/// about whom it names.
fn in_context(text: &str, sentence: &str, range: Range<usize>, rest: &str) -> String {
    let mut answer = match refers_back(sentence) {
        true => text.get(range).unwrap_or(sentence).trim().to_owned(),
        false => sentence.to_owned(),
    };
    let takes_back = taking_back(rest);
    if !takes_back.is_empty() {
        return format!("{answer} {takes_back}");
    }
    let mut is_answered = !sentence.ends_with(['?', '？']);
    let is_open = leaves_open(sentence);
    for next in sentences(rest).into_iter().take(FOLLOWING_MAX) {
        let next = rest.get(next).unwrap_or_default().trim();
        let goes_on = !is_answered && !next.ends_with(['?', '？'])
            || is_open
            || refers_back(next)
            || contrasts(next);
        if next.is_empty() || !goes_on || answer.len() + next.len() > LIST_BYTES {
            break;
        }
        is_answered = true;
        answer = format!("{answer} {next}");
    }
    answer
}

/// Whether a sentence begins with somebody or something that was named before.
fn refers_back(sentence: &str) -> bool {
    #[rustfmt::skip]
    const PRONOUNS: [&str; 25] = [
        "he", "she", "they", "it", "his", "her", "their", "its", "he's", "she's", "they're", "it's", "there", "er", "sie",
        "ihr", "ihre", "elle", "il", "ils", "elles", "ella", "ellos", "он", "она",
    ];
    let first = sentence.split(|letter: char| !letter.is_alphanumeric() && letter != '\'');
    let first = first.into_iter().find(|word| !word.is_empty()).unwrap_or_default();
    PRONOUNS.contains(&first.to_lowercase().as_str())
}

/// Whether a sentence tells what was asked, supposed or planned, so that what came of it follows:
/// "We considered Auth0. In the end we built it ourselves."
fn leaves_open(sentence: &str) -> bool {
    #[rustfmt::skip]
    const OPEN: [&str; 37] = [
        "applied", "ask", "asked", "asks", "bid", "candidate", "candidates", "claimed", "claims", "consider", "considered",
        "considering", "debated", "discussed", "draft", "hypothesis", "idea", "interviewed", "maybe", "offered", "option",
        "options", "petitioned", "plan", "planned", "proposal", "proposed", "proposes", "requested", "suggested", "suggests",
        "suspect", "suspected", "suspects", "talked", "tested", "tried",
    ];
    let mut words = sentence.split(|letter: char| !letter.is_alphanumeric());
    words.any(|word| OPEN.contains(&word.to_lowercase().as_str()))
}

/// Whether a title says that what stands below it does not hold, or not yet.
fn limits(title: &str) -> bool {
    #[rustfmt::skip]
    const LIMITS: [&str; 35] = [
        "abandoned", "archive", "archived", "avoid", "cancelled", "cannot", "declined", "deprecated", "don't",
        "draft", "former", "idea", "ideas", "maybe", "never", "no", "not", "obsolete", "old", "option", "options",
        "outdated", "proposal", "proposals", "proposed", "rejected", "removed", "replaced", "retired", "ruled",
        "scope", "someday", "superseded", "withdrawn", "won't",
    ];
    let lower = title.to_lowercase().replace('’', "'");
    let mut words = lower.split(|letter: char| !letter.is_alphanumeric() && letter != '\'');
    words.any(|word| LIMITS.contains(&word))
}

/// Whether a sentence limits or overrules the one before it.
fn contrasts(sentence: &str) -> bool {
    #[rustfmt::skip]
    const BEGINNINGS: [&str; 15] = [
        "but ", "however", "in the end", "instead", "eventually", "it turned out", "turns out", "except ", "unless ",
        "aber ", "doch ", "jedoch ", "mais ", "pero ", "sin embargo",
    ];
    let lower = sentence.to_lowercase();
    BEGINNINGS.iter().any(|beginning| lower.starts_with(beginning))
}

/// What follows a sentence and takes it back: "Actually no, that was Lukas."
fn taking_back(rest: &str) -> &str {
    #[rustfmt::skip]
    const BEGINNINGS: [&str; 25] = [
        "actually no", "actually, no", "no wait", "no, wait", "wait, no", "scratch that", "correction", "sorry, i meant",
        "i meant", "my mistake", "not true", "that was wrong", "edit:", "update:", "edited:", "no, sorry", "no sorry",
        "wait, ", "oops", "sorry, it", "korrektur", "nachtrag", "update (", "edit (", "no, it",
    ];
    let Some(next) = sentences(rest).into_iter().next() else { return "" };
    let sentence = rest.get(next.clone()).unwrap_or_default().trim().to_lowercase();
    let takes_back = BEGINNINGS.iter().any(|beginning| sentence.starts_with(beginning));
    if takes_back { rest.get(..next.end).unwrap_or_default().trim() } else { "" }
}

/// Whether a sentence is too short to say much by itself, in a script that separates words.
fn is_fragment(sentence: &str) -> bool {
    const WORDS_MIN: usize = 4;
    const CHARS_MIN: usize = 24;
    let first_ideograph = '\u{2e80}';
    sentence.split_whitespace().count() < WORDS_MIN
        && sentence.chars().count() < CHARS_MIN
        && sentence.chars().all(|letter| letter < first_ideograph)
}

/// The sentences at the beginning of a text, as long as they are short together, but one at least.
fn beginning(text: &str, bytes_max: usize) -> &str {
    let ends = sentences(text).into_iter().map(|range| range.end);
    let end = ends.enumerate().take_while(|(place, end)| *place == 0 || *end <= bytes_max);
    text.get(..end.last().map_or(0, |(_, end)| end)).unwrap_or_default().trim()
}

impl Reader<'_> {
    /// The sentence of each text that shares most with the question. Where only its title does, the
    /// title and what follows it.
    pub fn best_sentences(
        &self,
        weights: &WordWeights,
        texts: &[SourceText<'_>],
    ) -> Result<Vec<String>, EngineError> {
        let best = self.store.search(|_, analyzer| {
            let best = texts.iter().map(|text| weights.best_sentence(text, analyzer));
            Ok::<_, StoreError>(best.collect())
        })?;
        Ok(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use retrieval::question::names::Names;
    use retrieval::text::{Language, Languages};

    fn best(question: &str, text: &str) -> String {
        best_under(question, "", text)
    }

    fn best_under(question: &str, title: &str, text: &str) -> String {
        let mut analyzer = Analyzer::new(Language::English);
        let question =
            Question::parse(question, &mut analyzer, &Names::default(), Languages::NONE, None);
        let text = format!("{title}{text}");
        let source = SourceText { text: &text, title_bytes: title.len(), voice: Voice::Asker };
        WordWeights::new(Some(&question), []).best_sentence(&source, &mut analyzer)
    }

    #[test]
    fn the_best_sentence_shares_most_with_the_question() {
        let text = "It rained. The boat leaves the harbour at noon.  Nobody rented a boat. Ciao.";
        assert_eq!(best("When does the boat leave?", text), "The boat leaves the harbour at noon.");
        assert_eq!(best("Who rented it?", text), "Nobody rented a boat.");
        assert!(best("kiln", text).starts_with("It rained. The boat leaves"));
        let list = "Nora: peanuts. Lea: no meat. Theo eats all. Nobody else comes along this time.";
        let around = best("Who eats no peanuts?", list);
        assert!(around.starts_with("Nora: peanuts. Lea: no meat."), "{around}");
    }

    #[test]
    fn a_title_is_shown_only_above_what_it_is_about() {
        let (title, text) = ("Boats › Refilling the tank\n\n", "At 10 bar, no more. Ask Pia.");
        let both = "Boats › Refilling the tank: At 10 bar, no more. Ask Pia.";
        assert_eq!(best_under("How do I refill the tank?", title, text), both);
        assert_eq!(best_under("Whom do I ask?", title, text), text);
        let named = "Boats › Refilling the tank: Pia fills the tank.";
        let text = "It rained. Pia fills the tank.";
        assert_eq!(best_under("Who is refilling the tank?", title, text), named);
        assert_eq!(best_under("tank", title, text), "Pia fills the tank.");
        assert_eq!(best_under("tank", title, ""), title.trim());
    }

    #[test]
    fn a_sentence_over_two_lines_and_a_row_of_a_table_are_whole() {
        let wrapped = "You must not restart the payment service during business hours\n\
                       unless the engineer on call has agreed to it in writing.\nCiao.";
        let whole = best("When may I restart the payment service?", wrapped);
        assert!(whole.ends_with("hours unless the engineer on call has agreed to it in writing."));
        let table = "Day | Where | Hotel\n1 | Ljubljana | City Hotel\n2 | Bled | Vila Bled";
        let row = "Day: 2; Where: Bled; Hotel: Vila Bled";
        assert_eq!(best("Which hotel did we stay at in Bled?", table), row);
        let marked = format!("| {} |", table.replace('\n', " |\n| --- | --- | --- |\n| "));
        assert_eq!(best("Which hotel did we stay at in Bled?", &marked), row);
        assert_eq!(best("hotel", "Either a hotel | or not"), "Either a hotel | or not");
        let list = "Ana Vale | 0655\nBen Khan | 0677\nCleo Ray | 0688";
        assert_eq!(best("Ana's number", list), "Ana Vale | 0655");
        let title = "Quarterly review of the kiln room with the caretaker and the owner\n";
        let text = "the caretaker keeps the spare key in the cellar. Call Bo.";
        let answer = best_under("Where is the spare key?", title, text);
        assert!(answer.ends_with("the caretaker keeps the spare key in the cellar."), "{answer}");
    }

    #[test]
    fn a_sentence_is_given_with_those_that_go_on_about_whom_it_names() {
        for (question, text) in [
            ("When was Emil born?", "Emil is my son. He was born on 4 May 2018."),
            ("What is the name of Jan's boat?", "My brother Jan has a boat. It is called Moby."),
            ("When was Lukas born?", "Emil is my son. He was born on 4 May 2018."),
            (
                "When will the heating be repaired?",
                "When will the heating be repaired? On Tuesday.",
            ),
        ] {
            assert_eq!(best(question, &format!("{text} The sun shone all day.")), text);
        }
        let other = "Emil is my son who lives here. The dog sleeps now.";
        assert_eq!(best("Who is Emil?", other), "Emil is my son who lives here.");
    }

    #[test]
    fn what_is_left_open_is_given_with_what_came_of_it() {
        for (question, text) in [
            (
                "Do we use Auth0 for login?",
                "We considered Auth0 for login. In the end we built it with Keycloak.",
            ),
            ("Do I have gout?", "The doctor suspected gout. The blood test ruled it out."),
            ("Does Priya have Fridays off?", "Priya asked for Fridays off. Denied by the board."),
            ("Which event bus do we use?", "Kafka is our event bus. But RabbitMQ won in May."),
        ] {
            assert_eq!(best(question, text), text);
        }
        let other = "Kafka is our event bus. The dog sleeps now.";
        assert_eq!(best("Which event bus do we use?", other), "Kafka is our event bus.");
    }

    #[test]
    fn of_sentences_that_share_as_much_the_one_with_the_asked_number_or_time_is_given() {
        let text = "Lena came to the party too. Lena turned 7 and wore red shoes all day.";
        assert!(best("How old is Lena?", text).starts_with("Lena turned 7"));
        assert!(best("Who is Lena?", text).starts_with("Lena came"));
        let text = "The dentist asked about my tooth. The dentist sees me on Friday at noon again.";
        assert!(best("When is the dentist?", text).contains("Friday"));
        assert!(best("Which dentist?", text).contains("tooth"));
    }

    #[test]
    fn the_items_of_a_list_are_told_apart_by_what_its_title_does_not_say() {
        let title = "Walnut cake\n";
        let list = "- 250 g walnuts\n- 5 eggs\n- 180 g sugar\n\nBake 45 minutes at 170 degrees.";
        let asked = |question: &str| best_under(question, title, list);
        assert!(
            asked("How long does the walnut cake bake?")
                .ends_with("Bake 45 minutes at 170 degrees.")
        );
        assert!(asked("How many eggs are in the walnut cake?").contains("- 5 eggs"));
        let all = asked("Give me the recipe for the walnut cake");
        assert!(all.contains("walnuts") && all.contains("eggs") && all.contains("sugar"), "{all}");
    }

    #[test]
    fn the_names_of_columns_do_not_answer() {
        let table = "Child | Shoe size | Allergy\nEmil | 31 | penicillin\nFrida | 27 | none\n\n\
                     Emil can't have nuts. Emil sings.";
        let row = "Child: Emil; Shoe size: 31; Allergy: penicillin";
        assert_eq!(best("What is Emil's shoe size?", table), row);
    }

    #[test]
    fn what_is_taken_back_is_given_with_what_takes_it_back() {
        let text = "Emil can't have nuts. Actually no: that was Lukas. It rained.";
        let both = "Emil can't have nuts. Actually no: that was Lukas.";
        assert_eq!(best("Can Emil have nuts?", text), both);
    }

    #[test]
    fn of_a_list_with_boxes_a_question_for_the_rest_gets_what_is_open() {
        let list = "- [ ] oat milk\n- [x] bread\n- flour\nBe quick.";
        assert_eq!(best("What do I still need to buy?", list), "oat milk; flour");
        assert_eq!(best("What is left on the list?", list), "oat milk; flour");
        assert_eq!(best("What is still missing?", "- bread\n- milk"), "- bread\n- milk");
        let note = format!("Tom left the company. Tom still has the key.\n{list}");
        assert_eq!(best("Who left the company?", &note), "Tom left the company.");
        assert_eq!(best("Does Tom still have the key?", &note), "Tom still has the key.");
    }

    #[test]
    fn an_item_is_told_apart_by_what_it_stands_below() {
        let list = "- staging\n  - url: https://stg.example\n  - db: pg-stg\n- production\n  \
                    - url: https://prd.example\n  - db: pg-prd";
        let url = "production: - url: https://prd.example";
        assert_eq!(best("What is the production url?", list), url);
        let list = "- Laptops\n    - Priya: ThinkPad X1\n    - Lukas: Dell\n- Phones\n    \
                    - Priya: Pixel 8\n    - Lukas: Nokia";
        assert_eq!(best("What phone does Priya have?", list), "Phones: - Priya: Pixel 8");
        let text = "Ravi joined in March. He came from Google. Sofia joined in May. She came from \
                    Meta.";
        let answer = best("Where did Sofia come from?", text);
        assert_eq!(answer, "Sofia joined in May. She came from Meta.");
        assert_eq!(parents("  - a\n", 2), [""; 0]);
        assert_eq!(parents("", 0), [""; 0]);
    }

    #[test]
    fn what_is_struck_out_or_edited_is_not_the_answer() {
        let text = "~~The wedding is in Ascona.~~ The wedding is in Locarno.";
        assert_eq!(best("Where is the wedding?", text), "The wedding is in Locarno.");
        let text = "The wedding is in Ascona. Edit: it is in Locarno.";
        assert_eq!(best("Where is the wedding?", text), text);
        assert_eq!(without_struck("~~so~~"), "~~so~~");
        assert_eq!(without_struck("a ~~b~~ c"), "a  c");
        for text in ["a ~~b", "~~5 to ~~10", "a ~~ b ~~ c", "~~a\nb~~ c", "a~~~b"] {
            assert_eq!(without_struck(text), text);
        }
    }

    #[test]
    fn a_question_answers_only_where_nothing_else_does() {
        let text = "Can you rent the boat? We rented a boat in May.\n> Which boat do you rent?";
        assert_eq!(best("Which boat did you rent?", text), "We rented a boat in May.");
        let asked = "Which boat? It rained.";
        assert_eq!(best("When is the boat?", asked), asked);
    }

    #[test]
    fn texts_without_sentences_are_their_own_best_sentence() {
        assert_eq!(best("boat", ""), "");
        assert_eq!(best("boat", " … "), "…");
        assert_eq!(best("船", "下雨了。船租好了。"), "船租好了。");
        let long = "Ж".repeat(40_000);
        assert!(long.starts_with(&best("boat", &long)));
    }
}
