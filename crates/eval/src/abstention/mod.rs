//! Does recall say so when memory has no answer? How many answers that says no too much costs.
//!
//! Three sorts of questions are asked. *Answerable* ones have gold. *Unanswerable* ones are
//! labelled so; those of LoCoMo mostly ask of one person what the other did, which is hard to tell.
//! *Foreign* ones are questions on another collection, of which this one knows nothing. The two
//! models of [`retrieval::rank::relevance`] are learnt from them ([`learn`]): the topic's against
//! foreign questions, the person's against unanswerable ones. What is shown for each question comes
//! from models that were learnt without its collection.

use retrieval::rank::relevance::{Signs, chance, relevance};

use super::tuning::Spaces;
use super::{Asked, EvalError};

pub mod learn;
pub mod report;

/// Of the questions on another collection, one in so many is asked: about as many as are
/// unanswerable.
const FOREIGN_STRIDE: usize = 3;
/// As many records are asked for: what is judged does not depend on it.
const ASKED_FOR: usize = 1;

/// Why a question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Answerable,
    Unanswerable,
    Foreign,
}

impl Sort {
    /// In the order in which they are shown.
    pub const ALL: [Self; 3] = [Self::Answerable, Self::Unanswerable, Self::Foreign];

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Answerable => "answerable",
            Self::Unanswerable => "unanswerable",
            Self::Foreign => "foreign",
        }
    }
}

/// One question and what its ranking looks like.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    pub sort: Sort,
    pub signs: Option<Signs>,
    /// Which half of what was asked: collections as they are, or their copies.
    pub half: usize,
    /// Examples of one group are judged by what was learnt from the others.
    pub group: usize,
}

/// Asks every collection what it can answer, what it cannot, and what another one could. The
/// collections are `groups` and then perhaps the same again in another form, without speakers and
/// dates. `step` is called after each.
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
        let answerable =
            collection.questions.iter().map(|question| (Sort::Answerable, &question.asked));
        let unanswerable = collection.unanswerable.iter().map(|asked| (Sort::Unanswerable, asked));
        let foreign = foreign.map(|question| (Sort::Foreign, &question.asked));
        for (sort, asked) in answerable.chain(unanswerable).chain(foreign) {
            let asked: &Asked = asked;
            let signs = space.recall(asked, ASKED_FOR, space.weights())?.signs;
            examples.push(Example { sort, signs, half, group });
        }
        step();
    }
    Ok(examples)
}

/// The two models of [`retrieval::rank::relevance`], as far as there was something to learn them
/// from.
#[derive(Clone, Debug, PartialEq)]
pub struct Models {
    pub topic: Vec<f64>,
    pub theirs: Vec<f64>,
}

impl Models {
    /// The chance that the best record answers, as [`relevance()`] has it.
    fn judge(&self, signs: Option<&Signs>) -> f64 {
        if relevance(signs) == 0.0 {
            return 0.0;
        }
        let Some(signs) = signs else { return 0.0 };
        chance(&self.topic, &signs.topic())
            * signs.theirs().map_or(1.0, |values| chance(&self.theirs, &values))
    }
}

/// A question with its chance of being answered by the best record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    pub sort: Sort,
    pub half: usize,
    pub relevance: f64,
}

/// As the kernel judges.
pub fn as_built_in(examples: &[Example]) -> Vec<Judged> {
    let judge = |example: &Example| Judged {
        sort: example.sort,
        half: example.half,
        relevance: relevance(example.signs.as_ref()),
    };
    examples.iter().map(judge).collect()
}

/// Each group as models judge it that were learnt from the other groups. Nothing if there is only
/// one.
pub fn held_out(examples: &[Example], groups: usize) -> Vec<Judged> {
    let mut judged = Vec::new();
    for group in (0..groups).filter(|_| groups > 1) {
        let others: Vec<Example> =
            examples.iter().filter(|example| example.group != group).copied().collect();
        let models = learn::learn(&others);
        for example in examples.iter().filter(|example| example.group == group) {
            let relevance = models.judge(example.signs.as_ref());
            judged.push(Judged { sort: example.sort, half: example.half, relevance });
        }
    }
    judged
}
