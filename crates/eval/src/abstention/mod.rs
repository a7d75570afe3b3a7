//! Abstention: whether recall recognises that memory has no answer, and how many answers that
//! costs.
//!
//! There are three kinds of questions. *Answerable* ones have gold. *Unanswerable* ones are
//! labelled as such; those of LoCoMo mostly ask about one person what the other did, which is hard
//! to detect. *Foreign* ones are about another collection. The two models of
//! [`retrieval::rank::relevance`] are trained on them ([`learn`]): the topic model against foreign
//! questions, the person model against unanswerable ones. Collections of one sort are a set
//! ([`sets`]), and all sets count equally. The report is cross-validated: each question is judged
//! by models trained without its set, or without its collection if there is only one set.

use retrieval::rank::relevance::{RankingFeatures, probability, relevance};

use super::tuning::Spaces;
use super::{Collection, EvalError, EvalQuestion, LabelledQuestion};

pub mod learn;
pub mod report;
pub mod sets;

use sets::Sets;

/// The number of requested records; the features do not depend on it.
const RESULTS_MAX: usize = 1;

/// The kind of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionKind {
    Answerable,
    Unanswerable,
    Foreign,
}

impl QuestionKind {
    /// All of them, in display order.
    pub const ALL: [Self; 3] = [Self::Answerable, Self::Unanswerable, Self::Foreign];

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Answerable => "answerable",
            Self::Unanswerable => "unanswerable",
            Self::Foreign => "foreign",
        }
    }
}

/// One question and the features of its ranking.
#[derive(Clone, Debug)]
pub struct Example {
    pub kind: QuestionKind,
    /// Of the question, or of its sentences; the best counts.
    pub features: Vec<RankingFeatures>,
    /// The set of its collection.
    pub set: usize,
    /// The cross-validation group: it is judged by models trained on the others.
    pub group: usize,
}

/// A question that a collection is asked.
pub(crate) struct AskedQuestion<'a> {
    pub(crate) kind: QuestionKind,
    pub(crate) question: &'a EvalQuestion,
    /// With the records that answer it, of an answerable one.
    pub(crate) labelled: Option<&'a LabelledQuestion>,
}

/// The questions that a collection is asked: all answerable and unanswerable ones of its own, and
/// at most as many foreign ones as are answerable.
pub(crate) fn questions<'a>(
    collections: &'a [Collection],
    sets: &Sets,
    place: usize,
) -> Vec<AskedQuestion<'a>> {
    let Some(own) = collections.get(place) else { return Vec::new() };
    let foreign = sets.foreign(place).and_then(|other| collections.get(other));
    let has = |text: &str| own.questions.iter().any(|known| known.question.text == text);
    let foreign: Vec<&EvalQuestion> = foreign
        .into_iter()
        .flat_map(|other| &other.questions)
        .map(|labelled| &labelled.question)
        .filter(|question| !has(&question.text))
        .collect();
    let stride = foreign.len().div_ceil(own.questions.len().max(1)).max(1);
    let asked = |kind, question| AskedQuestion { kind, question, labelled: None };
    let answerable = own.questions.iter().map(|labelled| AskedQuestion {
        labelled: Some(labelled),
        ..asked(QuestionKind::Answerable, &labelled.question)
    });
    let unanswerable =
        own.unanswerable.iter().map(|question| asked(QuestionKind::Unanswerable, question));
    let foreign =
        foreign.into_iter().step_by(stride).map(|question| asked(QuestionKind::Foreign, question));
    answerable.chain(unanswerable).chain(foreign).collect()
}

/// Asks every collection its questions. It calls `step` after each collection.
pub fn gather(
    spaces: &mut Spaces<'_>,
    sets: &Sets,
    step: &mut dyn FnMut(),
) -> Result<Vec<Example>, EvalError> {
    let mut examples = Vec::new();
    for place in 0..spaces.collections.len() {
        let (set, group) = (sets.set(place), sets.group(place));
        let questions = questions(spaces.collections, sets, place);
        let Some((_, space)) = spaces.at(place) else { continue };
        for AskedQuestion { kind, question, .. } in questions {
            let features = space.recall(question, RESULTS_MAX, space.weights())?.features;
            examples.push(Example { kind, features, set, group });
        }
        step();
    }
    Ok(examples)
}

/// The two models of [`retrieval::rank::relevance`].
#[derive(Clone, Debug, PartialEq)]
pub struct Models {
    pub topic: Vec<f64>,
    pub theirs: Vec<f64>,
}

impl Models {
    /// The probability that the best record answers, computed like [`relevance()`].
    fn judge(&self, features: &RankingFeatures) -> f64 {
        if relevance(Some(features)) == 0.0 {
            return 0.0;
        }
        probability(&self.topic, &features.topic())
            * features.person().map_or(1.0, |values| probability(&self.theirs, &values))
    }
}

/// A question with the probability that the best record answers it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedQuestion {
    pub kind: QuestionKind,
    pub set: usize,
    pub relevance: f64,
}

fn judged(example: &Example, judge: impl Fn(&RankingFeatures) -> f64) -> JudgedQuestion {
    let relevance = example.features.iter().map(judge).fold(0.0, f64::max);
    JudgedQuestion { kind: example.kind, set: example.set, relevance }
}

/// Judgements by the built-in models.
pub fn by_built_in(examples: &[Example]) -> Vec<JudgedQuestion> {
    examples.iter().map(|example| judged(example, |features| relevance(Some(features)))).collect()
}

/// Judgements by models trained on the same examples.
pub fn by_models(examples: &[Example], models: &Models) -> Vec<JudgedQuestion> {
    examples.iter().map(|example| judged(example, |features| models.judge(features))).collect()
}

/// Judgements of each group by models trained on the other groups; empty if there is only one
/// group.
pub fn held_out(examples: &[Example], groups: usize) -> Vec<JudgedQuestion> {
    let mut judgements = Vec::new();
    for group in (0..groups).filter(|_| groups > 1) {
        let models = learn::learn(examples.iter().filter(|example| example.group != group));
        let its_own = examples.iter().filter(|example| example.group == group);
        judgements
            .extend(its_own.map(|example| judged(example, |features| models.judge(features))));
    }
    judgements
}
