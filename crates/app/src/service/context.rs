//! Assembling the context that a model reads for its next turn.

use std::collections::BTreeSet;
use std::sync::Arc;

use engine::Space;
use engine::graph::RecordKey;
use engine::private::{Disclosure, Viewpoint};
use engine::recall::context::gather::Wanted;
use engine::recall::context::{Candidate, Context, Gathered, Item, Reason, Receipts, Request};
use kernel::id::{OpId, ReceiptId};
use kernel::kind::Kind;

use super::Session;
use super::effective::{Scope, drop_hidden, is_replaced_setting, kinds_of_home};
use super::query_embedding::{EmbedderPool, QueryEmbedding};
use crate::failure::Failure;

#[cfg(test)]
mod tests;

/// An assembled context.
pub(crate) struct AssembledContext {
    /// The context and its parts.
    pub(crate) context: Context,
    /// The model that embedded the search texts.
    pub(crate) embedding: QueryEmbedding,
    /// The operations that are of the home space under the one that was asked.
    pub(crate) elsewhere: BTreeSet<OpId>,
    /// The receipt of these, in the home space.
    pub(crate) home_receipt: Option<ReceiptId>,
}

/// Where an item is from, in a context of a space of this scope; none for a turn or a tool result.
pub(crate) fn scope_of(item: &Item, own: Scope, elsewhere: &BTreeSet<OpId>) -> Option<Scope> {
    item.id.map(|id| if elsewhere.contains(&id) { Scope::Global } else { own })
}

/// Assembles the context, with the embedding model that the configuration chooses.
fn assemble(
    session: &Session,
    pool: &mut EmbedderPool,
    space: &mut Space,
    mut request: Request,
) -> Result<AssembledContext, Failure> {
    let mut embedding = pool.embed_for_context(session, space, &mut request)?;
    let context = space.context(&request)?;
    embedding.served_by(context.model);
    Ok(AssembledContext { context, embedding, elsewhere: BTreeSet::new(), home_receipt: None })
}

/// The same for a project's space with the home space under it, whose facts are taken with the
/// project's.
pub(crate) fn assemble_over(
    session: &Session,
    pool: &mut EmbedderPool,
    (space, home): (&mut Space, Option<&mut Space>),
    mut request: Request,
) -> Result<AssembledContext, Failure> {
    let Some(home) = home.filter(|_| request.budget.total > 0) else {
        return assemble(session, pool, space, request);
    };
    let mut embedding = pool.embed_for_context(session, space, &mut request)?;
    let wanted = Wanted::of(&request);
    let mut gathered = space.gather(&wanted)?;
    request.elsewhere = add_facts_under(session, (space, home), &wanted, &mut gathered)?;
    request.prepared = Some(Arc::new(gathered));
    let mut context = space.context(&request)?;
    embedding.served_by(context.model);
    let home_receipt = home.writer().issue_elsewhere(&request, &wanted.text, &context)?;
    let elsewhere = request.elsewhere;
    let mut ids = context.items.iter().filter_map(|item| item.id);
    let is_shown = ids.any(|id| elsewhere.contains(&id));
    let is_wanted = request.receipt == Receipts::Write && is_shown;
    context.receipt_missing |= is_wanted && home_receipt.is_none();
    Ok(AssembledContext { context, embedding, elsewhere, home_receipt })
}

/// Adds the facts of the home space that the project's space over it does not hide. Returns
/// the operations that are of the home space.
pub(crate) fn add_facts_under(
    session: &Session,
    (own, home): (&Space, &Space),
    wanted: &Wanted,
    gathered: &mut Gathered,
) -> Result<BTreeSet<OpId>, Failure> {
    let kinds = kinds_of_home(session, home)?;
    if !kinds.iter().any(|kind| kind == Kind::Claim.as_str()) {
        return Ok(BTreeSet::new());
    }
    let as_of_us = wanted.viewpoint.as_of_us;
    let viewpoint = Viewpoint { disclosure: Disclosure::GlobalOnly, ..wanted.viewpoint };
    let found = home.gather_beliefs(&Wanted { viewpoint, ..wanted.clone() })?;
    let keyed = found
        .into_iter()
        .map(|candidate| home.belief_named(&candidate.id.to_string()).map(|key| (key, candidate)));
    let mut keyed: Vec<(String, Candidate)> = keyed.collect::<Result<_, _>>()?;
    drop_hidden(own, &mut keyed, |(key, _)| RecordKey::of_identity(key), as_of_us)?;
    let mut elsewhere = BTreeSet::new();
    for (key, candidate) in keyed {
        let tags = home.believed(&key)?.tags;
        if !is_replaced_setting(session, own, &tags, as_of_us)? {
            elsewhere.insert(candidate.id);
            gathered.facts.push(candidate);
        }
    }
    gathered.facts.sort_by(|one, other| {
        other.relevance.total_cmp(&one.relevance).then_with(|| one.id.cmp(&other.id))
    });
    Ok(elsewhere)
}

/// Why a part is in a context, in words.
pub(crate) fn reason_in_words(reason: &Reason) -> String {
    match reason {
        Reason::NewestTurn => "the newest turn".to_owned(),
        Reason::RecentTurn => "a recent turn".to_owned(),
        Reason::ToolResult { rank } => format!("tool result number {rank}"),
        Reason::Asked { rank } => format!("asked for, number {rank}"),
        Reason::Instructions => "instructions".to_owned(),
        Reason::Relevant { similarity, confidence, recency } => {
            let sure = confidence
                .map(|confidence| format!(", confidence {confidence:.2}"))
                .unwrap_or_default();
            format!("relevant: similarity {similarity:.2}{sure}, recency {recency:.2}")
        }
    }
}
