//! What language models were shown of what is forgotten, and what they said of it.
//!
//! A transcript repeats the records that it cites as shown. A stored answer to "why" cites the
//! claims that it names, but its explanation may repeat the others that the model could choose
//! from, which it names as shown.

use std::collections::BTreeSet;

use kernel::body::{Body, Node};
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::LedgerIndex;
use store::sqlite::{SqliteLedgerIndex, SqliteSpace};

use super::ForgetPlan;
use crate::EngineError;
use crate::write::transcript::{SHOWN_ROLE, shown_in};

/// Adds the transcripts and the stored answers that may repeat what a plan forgets.
pub(super) fn add(
    index: &SqliteLedgerIndex<'_>,
    store: &SqliteSpace,
    plan: &mut ForgetPlan,
) -> Result<(), EngineError> {
    let answers = answers(store)?;
    // What quotes an answer goes with it, and may itself have been shown to a model. Each round
    // adds at least one, so this ends.
    loop {
        let gone = plan.follow(index)?;
        let mut added = BTreeSet::new();
        for id in gone {
            let shown = index.citing(id)?.into_iter();
            let shown = shown.filter(|it| it.kind == Kind::Evidence && it.role == SHOWN_ROLE);
            added.extend(shown.map(|citing| citing.id));
        }
        let repeating =
            answers.iter().filter(|(_, shown)| shown.iter().any(|id| gone.contains(id)));
        added.extend(repeating.map(|(id, _)| *id));
        added.retain(|id| !gone.contains(id));
        if added.is_empty() {
            return Ok(());
        }
        plan.targets.extend(added);
    }
}

/// Every stored answer of a model, and what the model was shown.
fn answers(store: &SqliteSpace) -> Result<Vec<(OpId, Vec<OpId>)>, EngineError> {
    let mut answers = Vec::new();
    store.each_with(&Kind::Node, SHOWN_ROLE, |id, body| {
        if let Ok(Body::Node(Node { payload: Some(payload), .. })) = Body::parse(&Kind::Node, body)
        {
            answers.push((id, shown_in(&payload)));
        }
    })?;
    Ok(answers)
}
