//! The queue of what waits for the person's decision, as every interface lists it.

use std::collections::BTreeSet;

use engine::belief::explain::time;
use engine::belief::proposed::ProposedChange;
use engine::belief::review::{Review, Status};
use engine::private::Disclosure;
use engine::staging::StagedCandidate;
use engine::write::patch::Patch;
use engine::{EngineError, Space};
use kernel::id::OpId;
use serde_json::{Value, json};

/// What waits for a decision, each in the order in which it came.
pub(crate) struct ReviewQueue {
    /// Corrections whose ground changed, or that the records contradict.
    pub(crate) reviews: Vec<Review>,
    /// What agents ask for.
    pub(crate) changes: Vec<ProposedChange>,
    /// Changes of the graph.
    pub(crate) patches: Vec<Patch>,
    /// Entities and relations that were found in records.
    pub(crate) candidates: Vec<StagedCandidate>,
}

impl ReviewQueue {
    /// The queue now or as of a time of recording, of what is disclosed; with `all`, what is
    /// settled too.
    pub(crate) fn of(
        space: &Space,
        as_of_us: Option<u64>,
        all: bool,
        disclosure: Disclosure,
    ) -> Result<Self, EngineError> {
        let is_listed = |status: Status| all || status == Status::Pending;
        let mut queue = Self {
            reviews: space.reviews(as_of_us)?,
            changes: space.proposed_changes(as_of_us)?,
            patches: space.patches(as_of_us)?,
            candidates: space.candidates(as_of_us)?,
        };
        queue.reviews.retain(|review| is_listed(review.status));
        queue.changes.retain(|change| is_listed(change.status));
        queue.patches.retain(|patch| is_listed(patch.status));
        queue.candidates.retain(|candidate| is_listed(candidate.status));
        let withheld = space.withheld_among(&queue.ids(), disclosure)?;
        queue.leave_out(&withheld);
        Ok(queue)
    }

    fn ids(&self) -> Vec<OpId> {
        let reviews = self.reviews.iter().map(|review| review.id);
        let changes = self.changes.iter().map(|change| change.id);
        let patches = self.patches.iter().map(|patch| patch.id);
        let candidates = self.candidates.iter().map(|candidate| candidate.id);
        reviews.chain(changes).chain(patches).chain(candidates).collect()
    }

    fn leave_out(&mut self, withheld: &BTreeSet<OpId>) {
        self.reviews.retain(|review| !withheld.contains(&review.id));
        self.changes.retain(|change| !withheld.contains(&change.id));
        self.patches.retain(|patch| !withheld.contains(&patch.id));
        self.candidates.retain(|candidate| !withheld.contains(&candidate.id));
    }

    /// Of these what has a text in its words, in any letter case.
    pub(crate) fn retain_containing(&mut self, text: &str) {
        let text = text.to_lowercase();
        let has = |words: &str| words.to_lowercase().contains(&text);
        let asks = |review: &Review| has(&review.text) || has(&review.question.identity_key);
        self.reviews.retain(asks);
        self.changes.retain(|change| has(&change.text));
        self.patches.retain(|patch| has(&patch.text));
        self.candidates.retain(|candidate| has(&candidate.candidate.content.in_words()));
    }

    /// The first of each kind, at most `limit`, so that many of one hide none of another. How many
    /// more there are.
    pub(crate) fn truncate(&mut self, limit: usize) -> usize {
        cut(&mut self.reviews, limit)
            + cut(&mut self.changes, limit)
            + cut(&mut self.patches, limit)
            + cut(&mut self.candidates, limit)
    }

    /// Whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.ids().is_empty()
    }
}

/// Cuts a list to a limit. How many it had more.
fn cut<T>(items: &mut Vec<T>, limit: usize) -> usize {
    let more = items.len().saturating_sub(limit);
    items.truncate(limit);
    more
}

/// A review of a correction.
pub(crate) fn review_to_json(review: &Review) -> Value {
    json!({
        "id": review.id,
        "status": review.status.as_str(),
        "at": time(review.at),
        "key": review.question.identity_key,
        "reason": review.question.reason.as_str(),
        "text": review.text,
        "trigger": review.question.trigger,
        "payload": review.question.payload,
        "confidence": review.confidence,
        "correction": review.correction,
        "corrected_payload": review.corrected_payload,
    })
}

/// What an agent proposes, with the kinds and targets of its operations.
pub(crate) fn change_to_json(change: &ProposedChange) -> Value {
    let operations = change.operations.iter().map(|draft| {
        let target = draft.refs.first().map(|cited| cited.id);
        json!({ "kind": draft.body.kind().as_str(), "target": target })
    });
    json!({
        "id": change.id,
        "status": change.status.as_str(),
        "at": time(change.at),
        "reason": "proposed",
        "text": change.text,
        "origin": change.origin,
        "by": change.by,
        "operations": operations.collect::<Vec<_>>(),
    })
}
