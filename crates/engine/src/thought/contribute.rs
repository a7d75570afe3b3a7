//! Contributing: a thought as a signed operation, and labels on one.

use kernel::body::{Annotation, Body, Thought, ThoughtType};
use kernel::id::OpId;
use kernel::operation::{Ref, Role};
use kernel::seal::Draft;

use super::CORRECTS;
use crate::belief::review::acting_on;
use crate::{EngineError, Writer};

/// What a thought builds on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Grounds {
    /// Nothing that is named.
    #[default]
    None,
    /// It improves one.
    Refines(OpId),
    /// It merges several.
    Consolidates(Vec<OpId>),
    /// It says that one is wrong.
    Corrects(OpId),
}

impl Grounds {
    /// The type of the thought.
    pub fn thought_type(&self) -> ThoughtType {
        match self {
            Self::None => ThoughtType::Original,
            Self::Refines(_) => ThoughtType::Refinement,
            Self::Consolidates(_) => ThoughtType::Consolidation,
            Self::Corrects(_) => ThoughtType::Correction,
        }
    }

    /// The thoughts whose weight it inherits.
    pub fn sources(&self) -> &[OpId] {
        match self {
            Self::Refines(id) => std::slice::from_ref(id),
            Self::Consolidates(ids) => ids,
            Self::None | Self::Corrects(_) => &[],
        }
    }

    fn refs(&self) -> Result<Vec<Ref>, EngineError> {
        let (role, ids) = match self {
            Self::None => return Ok(Vec::new()),
            Self::Refines(id) => (Role::REFINES, std::slice::from_ref(id)),
            Self::Consolidates(ids) => (Role::CONSOLIDATES, ids.as_slice()),
            Self::Corrects(id) => (CORRECTS, std::slice::from_ref(id)),
        };
        let role = Role::parse(role)?;
        Ok(ids.iter().map(|id| Ref { id: *id, role: role.clone() }).collect())
    }
}

/// A thought to contribute.
#[derive(Clone, Debug, Default)]
pub struct Contribution {
    /// What it says, its contributor and its labels. The type is set from the grounds.
    pub thought: Thought,
    /// What it builds on.
    pub grounds: Grounds,
}

impl Writer<'_> {
    /// Contributes a thought, with its secrets masked. It is durable when this returns;
    /// [`Writer::finish`] makes it found.
    ///
    /// # Errors
    /// If a rule refuses it, such as that what it builds on is not there or the key may not append,
    /// or it is larger than an operation may be.
    pub fn contribute(
        &mut self,
        contribution: Contribution,
        now: jiff::Timestamp,
    ) -> Result<OpId, EngineError> {
        let Contribution { mut thought, grounds } = contribution;
        thought.thought_type = Some(grounds.thought_type());
        let draft = Draft { body: Body::Thought(thought), refs: grounds.refs()? };
        self.append(draft, now)
    }

    /// The same of several, in one transaction: all or none.
    pub fn contribute_all(
        &mut self,
        contributions: Vec<Contribution>,
        now: jiff::Timestamp,
    ) -> Result<Vec<OpId>, EngineError> {
        let mut drafts = Vec::with_capacity(contributions.len());
        for Contribution { mut thought, grounds } in contributions {
            thought.thought_type = Some(grounds.thought_type());
            drafts.push(Draft { body: Body::Thought(thought), refs: grounds.refs()? });
        }
        self.append_all(drafts, now)
    }

    /// Labels a thought.
    pub fn label_thought(
        &mut self,
        thought: OpId,
        labels: Annotation,
        now: jiff::Timestamp,
    ) -> Result<OpId, EngineError> {
        self.append(acting_on(thought, Body::Annotation(labels))?, now)
    }
}
