//! Assembling the context that a model reads for its next turn: from the space of the request, and
//! with the facts that the home space under it has for every project.

use std::collections::BTreeSet;
use std::sync::Arc;

use engine::Space;
use engine::graph::RecordKey;
use engine::recall::context::gather::Wanted;
use engine::recall::context::{Candidate, Context, Reason, Receipts, Request};
use engine::recall::receipts::{Recipient, ShownRecord, ShownRecords};
use kernel::id::{OpId, ReceiptId};
use kernel::kind::Kind;

use super::Session;
use super::agreed_settings::is_home;
use super::effective::{Scope, home_under};
use super::opening::OpenedSpace;
use super::query_embedding::{EmbedderPool, QueryEmbedding};
use super::recall::limit_journal;
use crate::failure::Failure;

#[cfg(test)]
mod tests;

/// An assembled context.
pub(crate) struct AssembledContext {
    /// The context and its parts.
    pub(crate) context: Context,
    /// The model that embedded the search texts of the episodes.
    pub(crate) embedding: QueryEmbedding,
    /// Where the space is that was asked.
    own_scope: Scope,
    /// The items that are from the home space under it.
    from_home: BTreeSet<OpId>,
    /// The receipt of these, in the home space.
    pub(crate) home_receipt: Option<ReceiptId>,
}

impl AssembledContext {
    /// Where an item of memory is from.
    pub(crate) fn scope(&self, id: &OpId) -> Scope {
        match self.from_home.contains(id) {
            true => Scope::Global,
            false => self.own_scope,
        }
    }
}

/// Assembles the context, with the embedding model that the settings choose.
pub(crate) fn assemble(
    session: &Session,
    pool: &mut EmbedderPool,
    own: &mut OpenedSpace,
    mut request: Request,
) -> Result<AssembledContext, Failure> {
    let mut embedding = pool.embed_for_context(session, own, &mut request)?;
    let mut home = home_to_search(session, own, &request)?;
    if let Some(home) = &home {
        let wanted = Wanted::of(&request);
        let mut gathered = own.gather(&wanted)?;
        let (keys, facts): (Vec<RecordKey>, Vec<Candidate>) =
            home.gather_global_facts(&wanted)?.into_iter().unzip();
        let hidden = own.hides_records(&keys, request.as_of_us)?;
        let facts = facts.into_iter().zip(hidden).filter(|(_, is_hidden)| !is_hidden);
        gathered.add_elsewhere(facts.map(|(fact, _)| fact).collect());
        request.prepared = Some(Arc::new(gathered));
    }
    let mut context = own.context(&request)?;
    embedding.served_by(context.model);
    let from_home =
        request.prepared.as_ref().map(|gathered| gathered.elsewhere.clone()).unwrap_or_default();
    let mut home_receipt = None;
    if let Some(home) = home.as_mut().filter(|_| request.receipt == Receipts::Write) {
        limit_journal(session, home);
        home_receipt = receipt_in_home(home, &request, &from_home, &mut context)?;
    }
    let own_scope = if is_home(session, own) { Scope::Global } else { Scope::Project };
    Ok(AssembledContext { context, embedding, own_scope, from_home, home_receipt })
}

/// The home space, if its facts are searched, too. Beside somebody else's memory they are not: what
/// is believed there is said of another person.
fn home_to_search(
    session: &Session,
    own: &OpenedSpace,
    request: &Request,
) -> Result<Option<OpenedSpace>, Failure> {
    if request.prepared.is_some() || request.budget.total == 0 || own.owner.is_some() {
        return Ok(None);
    }
    let given = session.settings(None)?.recalled_from_home();
    match given.iter().any(|kind| kind == Kind::Claim.as_str()) {
        true => home_under(session, own),
        false => Ok(None),
    }
}

/// Writes the receipt of the items that are from the home space.
fn receipt_in_home(
    home: &mut Space,
    request: &Request,
    from_home: &BTreeSet<OpId>,
    context: &mut Context,
) -> Result<Option<ReceiptId>, Failure> {
    let mut records = Vec::new();
    for item in &context.items {
        let Some(id) = item.id.filter(|id| from_home.contains(id)) else { continue };
        let (text, tokens) = (item.text.as_str(), item.tokens as u64);
        records.push(ShownRecord { id, text, tokens, score: item.score });
    }
    if records.is_empty() {
        return Ok(None);
    }
    let shown = ShownRecords {
        query: &Wanted::of(request).text,
        turn: request.turn,
        text: (&context.text, context.tokens.total as u64),
        records: &records,
    };
    let reader = Recipient { agent: &request.agent, session: request.session.as_deref() };
    let receipt = home.receipt_of_records(&reader, &shown, request.now)?;
    context.receipt_missing |= receipt.is_none();
    Ok(receipt)
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
