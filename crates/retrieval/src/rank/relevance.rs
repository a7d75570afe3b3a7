//! Whether any of the results answers the question: recall that cannot say "I don't know" will
//! mislead.
//!
//! The best record of a ranking can be wrong in two ways. The memory may have nothing on the topic:
//! then a large share of the question's words is unknown (by rarity: an unknown name says more than
//! an unknown verb), and no record has most of the others. Or it has the answer
//! for somebody else: "What did Ada sing?" when Ben sang. Then the best record by content scores
//! far higher than the best by the person in question. Each case has its probability model on a few
//! [`RankingFeatures`], and the probability that the best record answers is their product.
//!
//! All features are shares or differ little between kinds of memory, so that one threshold serves
//! notes, chats and minutes, long and short questions, and scripts without spaces, whose words are
//! overlapping pairs of characters. A question of several sentences is judged by the best of them.
//! Somebody who speaks of themselves ("I never get out of bed on time") does not ask in the words
//! of the records, so a lower match suffices, unless the memory knows which records are theirs.
//!
//! The models were trained on twenty collections of eight kinds in four languages, which count
//! equally, against questions about other collections and questions without an answer, by `because
//! eval retrieval FILE… --abstention`. It prints these constants, and the performance of models
//! trained without the collections that they judge (`docs/benchmarks.md`). They are valid for
//! recall's default weights: train them again when these change. With the table and weights that
//! came after the training, new ones refused as many.

use super::Score;
use super::lexical::{TermCounts, idf, term_strength};
use crate::question::Question;
use crate::text::words::is_single_han;
use crate::text::{QueryTerm, Term};

/// The least weight of a word that memory knows, as a share of the weight of one that it does not.
const WEIGHT_MIN: f64 = 0.3;
/// How many of the best records are considered.
pub const JUDGED: usize = 30;
/// Most sentences of a question that are considered.
pub const SENTENCES_MAX: usize = 4;
/// Recall abstains below this probability: at most 3 in 100 answerable questions of any collection
/// that was measured are below it, apart from texts of which the memory knows no word
/// (`docs/benchmarks.md`).
pub const RELEVANCE_MIN: f64 = 0.065;

/// By how much the chance is multiplied if a question about some days asks where or who: "Where did
/// we go this summer?" is not answered by everything that was said in August.
const SHARE_OF_PART: f64 = 0.4;

/// Coefficients of [`RankingFeatures::topic`].
#[allow(clippy::approx_constant)] // A learnt number may be near a constant of mathematics.
const TOPIC: [f64; TOPIC_FEATURES] =
    [-1.56, 0.81, 4.92, 9.92, -6.42, 2.32, -3.18, 2.72, 3.62, -1.40, 1.06, 3.45];
/// Coefficients of [`RankingFeatures::person`].
const PERSON: [f64; 4] = [0.81, -2.88, 0.27, -0.65];

/// Number of [`RankingFeatures::topic`].
pub const TOPIC_FEATURES: usize = 12;

/// A record of the ranking.
#[derive(Clone, Debug)]
pub struct Candidate<'a> {
    /// Its score.
    pub score: &'a Score,
    /// The question's words that the memory knows. All candidates have the same.
    pub words: Vec<KnownWord<'a>>,
}

/// A word of the question that the memory knows.
#[derive(Clone, Copy, Debug)]
pub struct KnownWord<'a> {
    /// Its term in the question.
    pub term: &'a Term,
    /// Its weight by rarity.
    pub idf: f64,
    /// How much what the memory knows says of it, 0 … 1: less than 1 if another word stands in.
    pub share: f64,
    /// How often the record has it.
    pub counts: TermCounts,
}

/// How a question is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuestionForm {
    /// Its author speaks of themselves.
    pub tells: bool,
    /// It is a sentence of the text that was searched for. The similarities in meaning are those of
    /// the whole text, so they do not count.
    pub is_part: bool,
}

/// Features of a whole ranking, for a question or one of its sentences.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RankingFeatures {
    /// Share of the question's words that the memory knows, by rarity, 0 … 1.
    known: f64,
    /// Largest share of the question's words in a record and the two before it, by rarity, 0 … 1.
    words: f64,
    /// Largest sum of the rarity of the words in a record alone, in units of the rarest.
    own_rarity: f64,
    /// ln(1 + the largest number of words in a record alone).
    own_words: f64,
    /// Share of the names that the memory does not know.
    unknown_names: f64,
    /// The asker speaks of themselves, to a memory that does not know which records are theirs.
    tells: bool,
    /// Largest similarity of a record to the question's words, 0 … 1; 0 without vectors.
    word_meaning: f64,
    /// Largest cosine of the question and a record's window; 0 without vectors.
    meaning: f64,
    /// The best score without the parts for people.
    content: f64,
    /// Difference between the best score by others and the best by the person in question; `None`
    /// if the question names no known person, or if all or none of the records are theirs.
    rival: Option<f64>,
    /// The question names somebody known.
    names_somebody: bool,
    /// The question asks for days or tasks, and there is a record of one of them.
    has_its_kind: bool,
    /// It has no words beside its days, and asks where or who.
    asks_for_a_part: bool,
    /// ln(1 + number of words).
    length: f64,
}

impl RankingFeatures {
    /// From the best candidates for a question among `records`, best first; `None` if there are
    /// none.
    pub fn of<'a>(
        question: &Question,
        form: QuestionForm,
        records: u64,
        best: impl IntoIterator<Item = Candidate<'a>>,
    ) -> Option<Self> {
        let rarest = idf(records, 0);
        // In a small memory on one topic all records share the words that matter.
        let weight = |idf: f64| idf.max(WEIGHT_MIN * rarest);
        let mut features = Self::default();
        let (mut theirs, mut others): (Option<f64>, Option<f64>) = (None, None);
        let (mut known, mut date) = (Vec::new(), 0.0_f64);
        let (mut has_roles, mut has_class) = (false, false);
        // A single Han character is in many texts that have nothing to do with the question.
        let is_whole = |word: &&QueryTerm| !is_single_han(word.term.as_str());
        let whole: Vec<&QueryTerm> = question.terms.iter().filter(is_whole).collect();
        let words = if whole.is_empty() { question.terms.iter().collect() } else { whole };
        let mut date_of_best = 0.0;
        for candidate in best.into_iter().take(JUDGED) {
            let (mut person_score, mut is_theirs, mut own_date) = (0.0, false, 0.0);
            for part in &candidate.score.parts {
                match part.name {
                    "speaker" | "subject" => {
                        person_score += part.contribution;
                        is_theirs |= part.value > 0.0;
                    }
                    "elsewhere" => person_score += part.contribution,
                    "window_meaning" => features.meaning = features.meaning.max(part.value),
                    "word_meaning" => features.word_meaning = features.word_meaning.max(part.value),
                    "date" => own_date = part.value,
                    "asker" => has_roles |= part.value > 0.0,
                    "classes" => has_class |= part.value > 0.0,
                    _ => {}
                }
            }
            let side = if is_theirs { &mut theirs } else { &mut others };
            let content = candidate.score.total - person_score;
            *side = Some(side.map_or(content, |best| best.max(content)));
            let asked = |known: &KnownWord<'_>| words.iter().any(|asked| asked.term == *known.term);
            let in_memory: Vec<_> = candidate.words.into_iter().filter(asked).collect();
            let own = || in_memory.iter().filter(|known| known.counts.own > 0);
            let held = in_memory
                .iter()
                .map(|known| weight(known.idf) * known.share * term_strength(known.counts))
                .sum();
            if held > features.words {
                (features.words, date_of_best) = (held, own_date);
            }
            date = date.max(own_date);
            features.own_rarity =
                features.own_rarity.max(own().map(|known| known.idf * known.share).sum());
            features.own_words = features.own_words.max(own().count() as f64);
            known = in_memory;
        }
        features.content = [theirs, others].into_iter().flatten().reduce(f64::max)?;
        let certain = theirs.filter(|_| question.is_naming_certain);
        features.rival = certain.zip(others).map(|(theirs, others)| others - theirs);
        features.tells = form.tells && !has_roles;
        if form.is_part {
            (features.meaning, features.word_meaning) = (0.0, 0.0);
        }
        features.names_somebody = !question.mentions.is_empty();
        features.has_its_kind = question.asks_for_days && date >= question.fit_of_its_days()
            || question.asks_for_tasks && has_class;
        features.asks_for_a_part = question.asks_for_days && question.asks_for_a_part;
        let is_known = |word: &QueryTerm| known.iter().any(|known| *known.term == word.term);
        // A record of March 2025 need not say so.
        let fits = !question.dates.is_empty() && date_of_best >= question.fit_of_its_days();
        let is_met = |word: &QueryTerm| fits && is_of_date(word.term.as_str());
        let met = words.iter().filter(|word| is_met(word) && !is_known(word)).count();
        let all = words.len() - met;
        let known_rarity: f64 = known.iter().map(|known| weight(known.idf) * known.share).sum();
        let rarity = known.iter().map(|known| weight(known.idf)).sum::<f64>()
            + rarest * (all - known.len().min(all)) as f64;
        // A question without words lacks none of them.
        let share = |part: f64| if all == 0 { 1.0 } else { part / rarity.max(f64::MIN_POSITIVE) };
        (features.known, features.words) = (share(known_rarity), share(features.words));
        features.own_rarity /= rarest.max(f64::MIN_POSITIVE);
        features.own_words = libm::log(1.0 + features.own_words);
        let is_missing =
            |name: &&Vec<QueryTerm>| !name.iter().any(is_known) && !name.iter().all(is_met);
        let unknown = question.proper.iter().filter(is_missing).count();
        let names = question.proper.len() + question.mentions.len();
        features.unknown_names = unknown as f64 / names.max(1) as f64;
        features.length = libm::log(1.0 + all as f64);
        Some(features)
    }

    /// The features of the topic model; the first is the constant 1.
    pub fn topic(&self) -> [f64; TOPIC_FEATURES] {
        let flag = |flag: bool| f64::from(u8::from(flag));
        let has_meaning = self.word_meaning > 0.0;
        [
            1.0,
            self.words,
            // Without vectors, as in most languages, words are all there is.
            if has_meaning { 0.0 } else { self.words },
            self.word_meaning,
            flag(has_meaning),
            self.meaning,
            // What somebody tells of themselves is seldom about the names in it.
            if self.tells { 0.0 } else { self.unknown_names },
            flag(self.tells),
            flag(self.names_somebody),
            self.length,
            self.own_words,
            self.own_rarity / (1.0 + self.length),
        ]
    }

    /// The features of the person model; the first is the constant 1. `None` if there is nothing to
    /// compare.
    pub fn person(&self) -> Option<[f64; 4]> {
        Some([1.0, self.rival?, self.content, self.length])
    }
}

/// Whether a term may be a part of a date: a number, a month or a day of the week by its stem.
fn is_of_date(term: &str) -> bool {
    #[rustfmt::skip]
    const NAMES: [&str; 19] = [
        "januari", "februari", "march", "april", "may", "june", "juli", "august", "septemb", "octob", "novemb", "decemb",
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ];
    NAMES.contains(&term) || !term.is_empty() && term.bytes().all(|byte| byte.is_ascii_digit())
}

/// The probability that the best record answers, 0 … 1. It is 0 without features, and for a
/// question without a known word or person, unless it asks for days or tasks of which there are
/// records.
pub fn relevance(features: Option<&RankingFeatures>) -> f64 {
    let person = features.and_then(RankingFeatures::person);
    topic_relevance(features) * person.map_or(1.0, |values| probability(&PERSON, &values))
}

/// The same for the topic alone, whoever the question is about.
pub fn topic_relevance(features: Option<&RankingFeatures>) -> f64 {
    let has_kind = |with: &RankingFeatures| with.length > 0.0 || with.has_its_kind;
    let Some(features) =
        features.filter(|with| has_kind(with) && (with.known > 0.0 || with.names_somebody))
    else {
        return 0.0;
    };
    let share = if features.asks_for_a_part { SHARE_OF_PART } else { 1.0 };
    share * probability(&TOPIC, &features.topic())
}

/// The logistic function of the dot product.
pub fn probability(coefficients: &[f64], values: &[f64]) -> f64 {
    let sum: f64 =
        coefficients.iter().zip(values).map(|(coefficient, value)| coefficient * value).sum();
    if sum.is_nan() { 0.0 } else { 1.0 / (1.0 + libm::exp(-sum)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::names::Names;
    use crate::rank::{Signals, Weights, fuse};
    use crate::text::{Analyzer, Language, Languages};

    #[test]
    fn a_question_for_days_is_answered_by_a_record_of_one_of_them_and_by_no_other() {
        let today = Some(jiff::civil::date(2024, 3, 13));
        let question = |text: &str| {
            Question::parse(
                text,
                &mut Analyzer::new(Language::English),
                &Names::default(),
                Languages::NONE,
                today,
            )
        };
        let chance = |text: &str, date: f64| {
            let signals = Signals { date, ..Signals::default() };
            let best = fuse(&Weights::WITH_VECTORS, &signals);
            let candidate = Candidate { score: &best, words: Vec::new() };
            relevance(
                RankingFeatures::of(&question(text), QuestionForm::default(), 100, [candidate])
                    .as_ref(),
            )
        };
        assert!(chance("What did we talk about on 11 December?", 1.5) > RELEVANCE_MIN);
        assert_eq!(chance("What did we talk about on 11 December?", 1.4), 0.0);
        assert!(chance("What did we talk about last month?", 1.0) > RELEVANCE_MIN);
        assert_eq!(chance("What did we talk about last month?", 0.4), 0.0);
        assert_eq!(chance("What did we say about kilns on 11 December?", 1.5), 0.0);
    }

    fn question(text: &str) -> Question {
        Question::parse(
            text,
            &mut Analyzer::new(Language::English),
            &Names::default(),
            Languages::NONE,
            None,
        )
    }

    fn score(lex: f64, win: f64, speaker: bool) -> Score {
        fuse(
            &Weights::WITH_VECTORS,
            &Signals {
                words: lex,
                session: lex,
                word_meaning: win,
                window_meaning: win,
                speaker,
                ..Signals::default()
            },
        )
    }

    const IDF: f64 = 3.0;

    /// The relevance of a question for records that have the first of its words, as many as given
    /// for each, when the memory knows the first `known`. Whoever it names is known by name.
    fn chance(text: &str, known: usize, best: &[(Score, usize)]) -> f64 {
        let mut question = question(text);
        question.is_naming_certain = true;
        chance_of(&question, false, known, best)
    }

    fn chance_of(question: &Question, tells: bool, known: usize, best: &[(Score, usize)]) -> f64 {
        let terms: Vec<Term> =
            question.terms.iter().take(known).map(|word| word.term.clone()).collect();
        let candidates = best.iter().map(|(score, matched)| {
            let counts =
                |place| TermCounts { own: u32::from(place < *matched), ..Default::default() };
            let words = terms.iter().enumerate().map(|(place, term)| KnownWord {
                term,
                idf: IDF,
                share: 1.0,
                counts: counts(place),
            });
            Candidate { score, words: words.collect() }
        });
        relevance(
            RankingFeatures::of(question, QuestionForm { tells, is_part: false }, 300, candidates)
                .as_ref(),
        )
    }

    const BOAT: &str = "Which boat was rented yesterday?";

    #[test]
    fn strong_matches_are_relevant_and_weak_ones_are_not() {
        let (strong, weak) = ((score(0.95, 0.7, false), 3), (score(0.2, 0.1, false), 0));
        assert!(chance(BOAT, 3, &[strong, weak]) > 0.8, "{}", chance(BOAT, 3, &[strong, weak]));
        assert!(chance(BOAT, 1, &[weak, weak]) < 0.2, "{}", chance(BOAT, 1, &[weak, weak]));
        assert!(
            chance(BOAT, 3, &[strong]) > chance(BOAT, 2, &[strong])
                && chance(BOAT, 3, &[strong]) > chance(BOAT, 3, &[weak])
        );
    }

    #[test]
    fn unknown_words_count_by_their_share() {
        let best = |matched| [(score(0.8, 0.4, false), matched), (score(0.2, 0.1, false), 1)];
        let short = chance("boat harbour kiln glaze", 3, &best(3));
        let long = "boat harbour kiln glaze oven brush canvas easel palette violin cello flute";
        let with_three_unknown = chance(long, 9, &best(9));
        // A long question with the same share of unknown words is at least as likely to be
        // answered. One with as many known words and more unknown ones is less likely.
        assert!(with_three_unknown >= short, "{short} {with_three_unknown}");
        assert!(chance(long, 3, &best(3)) < short, "{short} {}", chance(long, 3, &best(3)));
        assert!(chance(long, 3, &best(3)) < with_three_unknown / 2.0);
    }

    #[test]
    fn an_unknown_name_says_more_than_another_unknown_word() {
        let best = [(score(0.8, 0.4, false), 2)];
        let (name, word) = ("which boat rented Zoe", "which boat rented yesterday");
        assert!(chance(name, 2, &best) < chance(word, 2, &best));
        assert_eq!(
            chance("which boat rented Zoe", 3, &best),
            chance("which boat rented zoe", 3, &best)
        );
    }

    #[test]
    fn a_record_of_the_asked_time_need_not_say_so() {
        let at = |date| {
            let signals = Signals { words: 0.8, session: 0.8, date, ..Signals::default() };
            fuse(&Weights::WITH_VECTORS, &signals)
        };
        let asked = "What did the rented boat cost in March 2025?";
        let (inside, outside) =
            (chance(asked, 3, &[(at(1.5), 3)]), chance(asked, 3, &[(at(0.0), 3)]));
        assert!(inside > outside + 0.1, "{inside} {outside}");
    }

    #[test]
    fn matches_by_other_people_lower_the_relevance() {
        let (by_other, by_person) = ((score(0.95, 0.7, false), 3), (score(0.3, 0.1, true), 1));
        let hers = (score(0.95, 0.7, true), 3);
        let (answered, swapped) =
            (chance(BOAT, 3, &[hers, by_other]), chance(BOAT, 3, &[by_other, by_person]));
        assert!(answered > 2.0 * swapped, "{answered} {swapped}");
    }

    #[test]
    fn a_word_that_may_not_be_a_name_does_not_ask_for_a_person() {
        let (by_other, by_person) = ((score(0.95, 0.7, false), 3), (score(0.3, 0.1, true), 1));
        let chance = |is_naming_certain| {
            let mut question = question(BOAT);
            question.is_naming_certain = is_naming_certain;
            chance_of(&question, false, 3, &[by_other, by_person])
        };
        assert!(chance(false) > 2.0 * chance(true), "{} {}", chance(false), chance(true));
    }

    #[test]
    fn somebody_who_tells_of_themselves_needs_a_lower_match() {
        let tale = question("I want a dog like Hachiko");
        let best = [(score(0.3, 0.3, false), 1), (score(0.1, 0.1, false), 0)];
        let (asks, tells) = (chance_of(&tale, false, 1, &best), chance_of(&tale, true, 1, &best));
        assert!(tells > 2.0 * asks, "{tells} {asks}");
        // Not where the memory knows which records are theirs.
        let signals = Signals { asker: true, ..Signals::default() };
        let theirs = (fuse(&Weights::WITH_VECTORS, &signals), 0);
        let with_roles = [best[0], best[1], theirs];
        let (asks, tells) =
            (chance_of(&tale, false, 1, &with_roles), chance_of(&tale, true, 1, &with_roles));
        assert_eq!(asks, tells);
    }

    #[test]
    fn the_relevance_is_zero_without_results_or_known_words() {
        assert_eq!(chance(BOAT, 3, &[]), 0.0);
        assert_eq!(chance(BOAT, 0, &[(score(0.0, 1.0, false), 0)]), 0.0);
        assert_eq!(chance("🎉🎉", 0, &[(score(0.0, 0.5, false), 0)]), 0.0);
    }

    #[test]
    fn features_are_finite_for_any_number_of_records() {
        let best = score(0.5, 0.5, false);
        for records in [0, 1, u64::MAX] {
            let candidate = Candidate { score: &best, words: Vec::new() };
            let features =
                RankingFeatures::of(&question(BOAT), QuestionForm::default(), records, [candidate])
                    .unwrap();
            assert!(features.topic().iter().all(|value| value.is_finite()), "{features:?}");
        }
    }

    #[test]
    fn probabilities_are_between_zero_and_one_for_any_input() {
        for sum in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300] {
            assert!((0.0..=1.0).contains(&probability(&[1.0], &[sum])));
        }
    }
}
