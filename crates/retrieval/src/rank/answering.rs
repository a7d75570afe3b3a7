//! How likely each of the records that were found answers the question.
//!
//! An answer cites records, so it has to judge each of them, and to say that there is none. Three
//! things have to hold, each with its own model, and the chance of a record is their product:
//!
//! - *Memory has something on the topic*, as recall judges it ([`super::relevance`]).
//! - *It has it of the right person.* "What did Ada sing?" is not answered by what Ben sang. Recall
//!   compares the best record by the person with the best by others. Here, whether they speak of
//!   themselves counts, too ([`speaks_of_self`]): Ada's "you sang so well" answers what Ben did.
//!   So does whether a record says something that the one before it had not said: who answers
//!   somebody repeats their words.
//! - *This record of them answers*: by its place and its distance from the best score
//!   ([`rank_features`]).
//!
//! A chance refers to a mix of cases. Here the mix is generous, because whoever reads the answer
//! checks a source that was cited and never sees one that was left out: one question in
//! fourteen is about something that memory lacks, one in six about the wrong person, and half of
//! all records that are looked at answer. `because eval locomo FILE --ask` measures this and prints
//! the constants; `docs/benchmarks.md` says what they achieve.

use super::Score;
use super::lexical::{TermCounts, idf};
use super::relevance::{JUDGED, RELEVANCE_MIN, RankingFeatures, probability};
use crate::question::Question;

/// The least weight of a word that memory knows, as a share of the weight of one that it does not.
const WEIGHT_MIN: f64 = 0.3;
/// How much a word that the record before has, too, counts less.
const REPEATED: f64 = 0.5;
/// A source is cited from this chance on, unless the asker wants another.
pub const CHANCE_MIN: f64 = 0.5;

/// Number of [`PersonEvidence::features`].
pub const PERSON_FEATURES: usize = 7;
/// Number of [`rank_features`].
pub const RANK_FEATURES: usize = 3;

/// What is added to the score of the person model, which is trained on as many questions about the
/// wrong person as about the right one: five times as many are about the right one.
const PERSON_PRIOR: f64 = 1.47;

/// Coefficients of the constant 1 and the similarity of a belief or a node.
const STATEMENT: [f64; 2] = [-2.1, 5.4];
/// Coefficients of the constant 1 and the score of a thought.
const THOUGHT: [f64; 2] = [-2.7, 6.3];

/// The learnt parts.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerModels {
    /// Coefficients of [`PersonEvidence::features`].
    pub person: [f64; PERSON_FEATURES],
    /// Coefficients of [`rank_features`].
    pub standing: [f64; RANK_FEATURES],
}

impl AnswerModels {
    /// Those in use.
    pub const BUILT_IN: Self = Self {
        person: [-1.04, -1.26, -0.60, -0.78, 1.39, -0.22, 1.30],
        standing: [4.14, -0.72, -1.37],
    };

    /// The chance that memory answers a question: on the topic ([`on_topic`]) and, where the
    /// question names somebody, of that person.
    pub fn answerable(&self, on_topic: f64, person: Option<&PersonEvidence>) -> f64 {
        let of_person = |evidence: &PersonEvidence| {
            let mut coefficients = self.person;
            coefficients[0] += PERSON_PRIOR;
            probability(&coefficients, &evidence.features())
        };
        on_topic * person.map_or(1.0, of_person)
    }

    /// The chance that a record answers if memory does.
    pub fn of_record(&self, standing: &[f64; RANK_FEATURES]) -> f64 {
        probability(&self.standing, standing)
    }
}

/// A record that was found.
#[derive(Clone, Debug)]
pub struct AnswerCandidate<'a> {
    /// Its score.
    pub score: &'a Score,
    /// The question's words that memory knows, with their weights by rarity, and how often the
    /// record has them.
    pub terms: Vec<(f64, TermCounts)>,
    /// Whether its author speaks of themselves.
    pub speaks_of_self: bool,
}

/// What the best records by the person in question and by others say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PersonEvidence {
    /// Best score without the parts for people, by the person and by others.
    content: [f64; 2],
    /// The same among records whose authors speak of themselves.
    of_self: [f64; 2],
    /// Largest share of the question's words that a record has and the one before it has not.
    new_words: [f64; 2],
    /// ln(1 + number of words).
    length: f64,
}

impl PersonEvidence {
    /// Of the best candidates among `records`, best first. None if the question names no known
    /// person, or if all or none of the records are theirs.
    pub fn of(question: &Question, records: u64, best: &[AnswerCandidate<'_>]) -> Option<Self> {
        if !question.is_naming_certain {
            return None;
        }
        let rarest = idf(records, 0);
        let weight = |idf: f64| idf.max(WEIGHT_MIN * rarest);
        let asked = question.terms.len();
        let mut evidence = Self { length: libm::log(1.0 + asked as f64), ..Self::default() };
        let (mut found, mut of_self) = ([None::<f64>; 2], [None::<f64>; 2]);
        for candidate in best.iter().take(JUDGED) {
            let (mut person_score, mut is_theirs) = (0.0, false);
            for part in &candidate.score.parts {
                if matches!(part.name, "speaker" | "subject") {
                    person_score += part.contribution;
                    is_theirs |= part.value > 0.0;
                }
            }
            let side = usize::from(!is_theirs);
            let content = candidate.score.total - person_score;
            let unknown = asked.saturating_sub(candidate.terms.len()) as f64 * rarest;
            let all: f64 =
                candidate.terms.iter().map(|(idf, _)| weight(*idf)).sum::<f64>() + unknown;
            let share = |has: fn(&TermCounts) -> bool| {
                let held = candidate.terms.iter().filter(|(_, counts)| has(counts));
                held.map(|(idf, _)| weight(*idf)).sum::<f64>() / all.max(f64::MIN_POSITIVE)
            };
            let (own, before) =
                (share(|counts| counts.own > 0), share(|counts| counts.previous > 0));
            let new_words = own - REPEATED * before.min(own);
            let more = |best: &mut Option<f64>, value: f64| {
                *best = Some(best.map_or(value, |best| best.max(value)));
            };
            if let (Some(found), Some(of_self), Some(words)) =
                (found.get_mut(side), of_self.get_mut(side), evidence.new_words.get_mut(side))
            {
                more(found, content);
                if candidate.speaks_of_self {
                    more(of_self, content);
                }
                *words = words.max(new_words);
            }
        }
        let [Some(theirs), Some(others)] = found else { return None };
        evidence.content = [theirs, others];
        // Where nobody seems to speak of themselves, the language is one whose words for that are
        // not known here.
        evidence.of_self = match of_self {
            [None, None] => evidence.content,
            of_self => of_self.map(Option::unwrap_or_default),
        };
        Some(evidence)
    }

    /// The features of the person model; the first is the constant 1.
    pub fn features(&self) -> [f64; PERSON_FEATURES] {
        let Self { content: [theirs, others], of_self, new_words, length } = *self;
        let [self_theirs, self_others] = of_self;
        let [words_theirs, words_others] = new_words;
        let new_words = words_theirs - words_others;
        [1.0, others - theirs, theirs, length, self_theirs, self_others, new_words]
    }
}

/// The features of a record among those that were found: the constant 1, ln of its place from 1,
/// and the distance of its score from the best.
pub fn rank_features(place: usize, behind: f64) -> [f64; RANK_FEATURES] {
    [1.0, libm::log(1.0 + place as f64), behind.max(0.0)]
}

/// The chance that memory has something on the topic of a question, by the features of its ranking.
/// `judge` is recall's [`topic_relevance`](super::relevance::topic_relevance), or its
/// [`relevance`](super::relevance::relevance()) if the person is not judged here. The chance is one
/// half where recall abstains.
pub fn on_topic(judged: &[RankingFeatures], judge: fn(Option<&RankingFeatures>) -> f64) -> f64 {
    let topic = judged.iter().map(|one| judge(Some(one))).fold(0.0, f64::max);
    let (odds, against) = (topic * (1.0 - RELEVANCE_MIN), (1.0 - topic) * RELEVANCE_MIN);
    if odds > 0.0 { odds / (odds + against) } else { 0.0 }
}

/// The chance that a belief or a node answers, by its similarity to the question.
pub fn of_statement(similarity: f64) -> f64 {
    probability(&STATEMENT, &[1.0, similarity])
}

/// The chance that a thought answers, by its score.
pub fn of_thought(score: f64) -> f64 {
    probability(&THOUGHT, &[1.0, score])
}

/// Whether somebody speaks of themselves in an English text, at least as much as of whom they
/// address.
pub fn speaks_of_self(text: &str) -> bool {
    /// Words by which people speak of themselves, and of those whom they address.
    const SELF: [&str; 8] = ["i", "me", "mine", "my", "myself", "our", "us", "we"];
    const OTHER: [&str; 4] = ["you", "your", "yours", "yourself"];
    let (mut of_self, mut of_other) = (0_usize, 0_usize);
    for word in text.split(|character: char| !character.is_alphanumeric()) {
        let is_among = |words: &[&str]| words.iter().any(|one| one.eq_ignore_ascii_case(word));
        of_self += usize::from(is_among(&SELF));
        of_other += usize::from(is_among(&OTHER));
    }
    of_self > 0 && of_self >= of_other
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::relevance::topic_relevance;
    use crate::rank::{Signals, Weights, fuse};
    use crate::text::{Analyzer, Language, Languages};

    fn question(text: &str) -> Question {
        let names = crate::question::names::Names::default();
        let mut analyzer = Analyzer::new(Language::English);
        let mut question = Question::parse(text, &mut analyzer, &names, Languages::NONE, None);
        question.is_naming_certain = true;
        question
    }

    fn score(words: f64, speaker: bool) -> Score {
        fuse(&Weights::WITH_VECTORS, &Signals { words, speaker, ..Signals::default() })
    }

    fn candidate(score: &Score, own: u32, speaks_of_self: bool) -> AnswerCandidate<'_> {
        let counts = TermCounts { own, ..TermCounts::default() };
        AnswerCandidate { score, terms: vec![(3.0, counts); 2], speaks_of_self }
    }

    #[test]
    fn what_others_say_of_themselves_lowers_the_chance_of_the_person() {
        let asked = question("Which boat was rented?");
        let (theirs, others) = (score(0.5, true), score(0.5, false));
        let chance = |theirs_of_self, others_of_self| {
            let best =
                [candidate(&theirs, 1, theirs_of_self), candidate(&others, 1, others_of_self)];
            let evidence = PersonEvidence::of(&asked, 300, &best).unwrap();
            AnswerModels::BUILT_IN.answerable(1.0, Some(&evidence))
        };
        assert!(chance(true, false) > chance(true, true));
        assert!(chance(true, true) > chance(false, true));
    }

    #[test]
    fn a_person_is_judged_only_where_one_is_named_and_others_speak_too() {
        let mut asked = question("Which boat was rented?");
        let (theirs, others) = (score(0.5, true), score(0.5, false));
        let best = [candidate(&theirs, 1, true), candidate(&others, 1, true)];
        assert!(PersonEvidence::of(&asked, 300, &best).is_some());
        assert!(PersonEvidence::of(&asked, 300, &best[..1]).is_none());
        asked.is_naming_certain = false;
        assert!(PersonEvidence::of(&asked, 300, &best).is_none());
    }

    #[test]
    fn a_record_further_down_answers_less_often() {
        let of_record = |standing| AnswerModels::BUILT_IN.of_record(&standing);
        let first = of_record(rank_features(0, 0.0));
        assert!(
            first > of_record(rank_features(4, 0.0)) && first > of_record(rank_features(0, 1.0))
        );
        // A newer statement stands before one with a better score.
        assert_eq!(of_record(rank_features(0, -1.0)), first);
        assert!(of_record(rank_features(usize::MAX, f64::MAX)) >= 0.0);
    }

    #[test]
    fn nothing_is_on_the_topic_of_a_question_without_known_words() {
        assert_eq!(on_topic(&[], topic_relevance), 0.0);
        assert_eq!(on_topic(&[RankingFeatures::default()], topic_relevance), 0.0);
    }

    #[test]
    fn people_speak_of_themselves_or_of_others() {
        for text in ["I rented a boat.", "We did, and I'm glad.", "You and I: my idea"] {
            assert!(speaks_of_self(text), "{text}");
        }
        for text in ["", "You rented your boat.", "It rained in Siam.", "me or you, your turn"] {
            assert!(!speaks_of_self(text), "{text}");
        }
    }
}
