//! Assembling the context that a model reads for its next turn.

use engine::Space;
use engine::recall::context::{Context, Reason, Request};

use super::Session;
use super::query_embedding::{EmbedderPool, QueryEmbedding};
use crate::failure::Failure;

/// An assembled context.
pub(crate) struct AssembledContext {
    /// The context and its parts.
    pub(crate) context: Context,
    /// The model that embedded the search texts of the episodes.
    pub(crate) embedding: QueryEmbedding,
}

/// Assembles the context, with the embedding model that the settings choose.
pub(crate) fn assemble(
    session: &Session,
    pool: &mut EmbedderPool,
    space: &mut Space,
    mut request: Request,
) -> Result<AssembledContext, Failure> {
    let mut embedding = pool.embed_for_context(session, space, &mut request)?;
    let context = space.context(&request)?;
    embedding.served_by(context.model);
    Ok(AssembledContext { context, embedding })
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
