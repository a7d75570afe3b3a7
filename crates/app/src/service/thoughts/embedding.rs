//! What another model than the built-in one makes of a prompt.
//!
//! If it cannot be asked, thoughts are found by words and the built-in table: an answer is never
//! lost because of a model. Thoughts join the queue of what the model reads when they are
//! contributed, and context is never embedded with them.

use engine::Space;

use super::request::MemoryRequest;
use crate::failure::Failure;
use crate::service::Session;
use crate::service::query_embedding::{EmbedderPool, QueryEmbedding};

/// Embeds what a request retrieves with, by the model of the space.
pub(crate) fn embed_prompt(
    pool: &mut EmbedderPool,
    session: &Session,
    space: &mut Space,
    request: &mut MemoryRequest,
) -> Result<QueryEmbedding, Failure> {
    let embedding = pool.embed(session, space, &request.text_to_retrieve())?;
    request.vector = embedding.fact_vector();
    Ok(embedding)
}
