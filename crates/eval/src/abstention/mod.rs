//! Abstention: whether recall recognises that memory has no answer, and how many answers that
//! costs.
//!
//! There are three kinds of questions. *Answerable* ones have gold. *Unanswerable* ones are
//! labelled as such; those of LoCoMo mostly ask about one person what the other did, which is hard
//! to detect. *Foreign* ones are about another collection. The two models of
//! [`retrieval::rank::relevance`] are trained on them ([`learn`]): the topic model against foreign
//! questions, the person model against unanswerable ones. The report is cross-validated: each
//! question is judged by models trained without its collection.

use retrieval::rank::relevance::{RankingFeatures, probability, relevance};

use super::tuning::Spaces;
use super::{EvalError, EvalQuestion};

pub mod learn;
pub mod report;

/// One in this many questions about another collection is asked, which gives about as many as are
/// unanswerable.
const FOREIGN_STRIDE: usize = 3;
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
#[derive(Clone, Copy, Debug)]
pub struct Example {
    pub kind: QuestionKind,
    pub features: Option<RankingFeatures>,
    /// The half: 0 for the original collections, 1 for their copies.
    pub half: usize,
    /// The cross-validation group: it is judged by models trained on the others.
    pub group: usize,
}

/// Asks every collection its answerable, unanswerable and foreign questions. The collections are
/// `groups`, optionally followed by copies without speakers and dates. It calls `step` after each.
pub fn gather(
    spaces: &mut Spaces<'_>,
    groups: usize,
    step: &mut dyn FnMut(),
) -> Result<Vec<Example>, EvalError> {
    let mut examples = Vec::new();
    let groups = groups.max(1);
    for place in 0..spaces.collections.len() {
        let (half, group) = (place / groups, place % groups);
        let foreign =
            spaces.collections.get(half * groups + (group + 1) % groups).filter(|_| groups > 1);
        let foreign =
            foreign.into_iter().flat_map(|other| &other.questions).step_by(FOREIGN_STRIDE);
        let Some((collection, space)) = spaces.at(place) else { continue };
        let answerable = collection
            .questions
            .iter()
            .map(|question| (QuestionKind::Answerable, &question.question));
        let unanswerable =
            collection.unanswerable.iter().map(|question| (QuestionKind::Unanswerable, question));
        let foreign = foreign.map(|question| (QuestionKind::Foreign, &question.question));
        for (kind, question) in answerable.chain(unanswerable).chain(foreign) {
            let question: &EvalQuestion = question;
            let features = space.recall(question, RESULTS_MAX, space.weights())?.signs;
            examples.push(Example { kind, features, half, group });
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
    fn judge(&self, features: Option<&RankingFeatures>) -> f64 {
        if relevance(features) == 0.0 {
            return 0.0;
        }
        let Some(features) = features else { return 0.0 };
        probability(&self.topic, &features.topic())
            * features.person().map_or(1.0, |values| probability(&self.theirs, &values))
    }
}

/// A question with the probability that the best record answers it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedQuestion {
    pub kind: QuestionKind,
    pub half: usize,
    pub relevance: f64,
}

/// Judgements by the built-in models.
pub fn by_built_in(examples: &[Example]) -> Vec<JudgedQuestion> {
    let judge = |example: &Example| JudgedQuestion {
        kind: example.kind,
        half: example.half,
        relevance: relevance(example.features.as_ref()),
    };
    examples.iter().map(judge).collect()
}

/// Judgements of each group by models trained on the other groups; empty if there is only one
/// group.
pub fn held_out(examples: &[Example], groups: usize) -> Vec<JudgedQuestion> {
    let mut judged = Vec::new();
    for group in (0..groups).filter(|_| groups > 1) {
        let others: Vec<Example> =
            examples.iter().filter(|example| example.group != group).copied().collect();
        let models = learn::learn(&others);
        for example in examples.iter().filter(|example| example.group == group) {
            let relevance = models.judge(example.features.as_ref());
            judged.push(JudgedQuestion { kind: example.kind, half: example.half, relevance });
        }
    }
    judged
}
