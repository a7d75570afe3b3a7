//! The lineage of a thought: what it was made from, and what was made from it.
//!
//! Lineage follows refinements and consolidations. Corrections do not belong to it: they say
//! that a thought is wrong, not how it became another one.

use std::collections::BTreeMap;

use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::snapshot::Snapshot;
use store::StoreError;
use store::sqlite::first_after;

use super::retrieve::REFINERS;
use super::view::{ThoughtView, citing, does_count, thought_view};
use crate::belief::Bodies;
use crate::private::Disclosure;
use crate::{EngineError, Reader};

/// The depth unless another is asked for.
pub const DEPTH: u32 = 10;
/// The greatest depth that can be asked for.
pub const DEPTH_MAX: u32 = 100;
/// Most thoughts of a lineage.
pub const NODES_MAX: usize = 1_000;
/// A depth that no lineage exceeds.
pub const WHOLE: u32 = NODES_MAX as u32;

/// A thought of a lineage.
#[derive(Clone, Debug, PartialEq)]
pub struct ThoughtNode {
    /// The thought.
    pub thought: ThoughtView,
    /// How far from the thought that was asked for: negative for what that was made from.
    pub depth: i64,
}

/// The lineage of a thought.
#[derive(Clone, Debug, PartialEq)]
pub struct ThoughtLineage {
    /// The thought that was asked for.
    pub id: OpId,
    /// All thoughts of it with this one, the furthest ancestors first.
    pub chain: Vec<ThoughtNode>,
    /// Whether thoughts beyond the depth, or beyond [`NODES_MAX`], are left out.
    pub is_truncated: bool,
}

impl ThoughtLineage {
    /// Whether there is more than the thought itself.
    pub fn has_any(&self) -> bool {
        self.chain.len() > 1
    }

    /// The furthest ancestor; the thought itself if it has none.
    pub fn deepest_ancestor(&self) -> OpId {
        self.chain.first().map_or(self.id, |node| node.thought.id)
    }

    /// The newest thought of the chain that was made from others.
    pub fn latest_refinement(&self) -> Option<OpId> {
        let made = self.chain.iter().filter(|node| !node.thought.sources.is_empty());
        made.max_by_key(|node| (node.thought.created_us, node.thought.id))
            .map(|node| node.thought.id)
    }
}

impl Reader<'_> {
    /// The lineage of a thought up to a depth each way; none if it is not a thought that this
    /// reader may see.
    pub fn thought_lineage(
        &self,
        id: &OpId,
        depth_max: u32,
        disclosure: Disclosure,
        as_of_us: Option<u64>,
    ) -> Result<Option<ThoughtLineage>, EngineError> {
        let lineage = self.store.on_snapshot(|index| {
            let then = as_of_us.map(|until| Snapshot::before(index, first_after(until)));
            let seen: &dyn Bodies = match &then {
                Some(then) => then,
                None => index,
            };
            let depth_max = i64::from(depth_max.min(WHOLE));
            walk(seen, id, depth_max, disclosure)
        })?;
        let Some(mut lineage) = lineage else { return Ok(None) };
        self.take_altered(&mut lineage.chain, |node| Some(node.thought.id))?;
        Ok(Some(lineage))
    }
}

fn walk(
    seen: &dyn Bodies,
    id: &OpId,
    depth_max: i64,
    disclosure: Disclosure,
) -> Result<Option<ThoughtLineage>, StoreError> {
    let Some(root) = view_of(seen, id, disclosure)? else { return Ok(None) };
    let mut found: BTreeMap<OpId, ThoughtNode> = BTreeMap::new();
    found.insert(*id, ThoughtNode { thought: root, depth: 0 });
    let mut is_truncated = false;
    for direction in [-1, 1] {
        let mut level = vec![*id];
        for distance in 1..=depth_max.saturating_add(1) {
            let mut next = Vec::new();
            for at in &level {
                for id in step(seen, found.get(at), direction, disclosure)? {
                    if found.contains_key(&id) {
                        continue;
                    }
                    let Some(thought) = view_of(seen, &id, disclosure)? else { continue };
                    if distance > depth_max || found.len() >= NODES_MAX {
                        is_truncated = true;
                        continue;
                    }
                    found.insert(id, ThoughtNode { thought, depth: direction * distance });
                    next.push(id);
                }
            }
            level = next;
            if level.is_empty() {
                break;
            }
        }
    }
    let mut chain: Vec<ThoughtNode> = found.into_values().collect();
    chain.sort_by_key(|node| (node.depth, node.thought.created_us, node.thought.id));
    Ok(Some(ThoughtLineage { id: *id, chain, is_truncated }))
}

/// The thoughts one step up or down.
fn step(
    seen: &dyn Bodies,
    from: Option<&ThoughtNode>,
    direction: i64,
    disclosure: Disclosure,
) -> Result<Vec<OpId>, StoreError> {
    let Some(ThoughtNode { thought, .. }) = from else { return Ok(Vec::new()) };
    if direction < 0 {
        return Ok(thought.sources.clone());
    }
    let made = citing(seen, &thought.id, &REFINERS, disclosure)?;
    Ok(made.into_iter().map(|entry| entry.id).collect())
}

fn view_of(
    seen: &dyn Bodies,
    id: &OpId,
    disclosure: Disclosure,
) -> Result<Option<ThoughtView>, StoreError> {
    let Some(entry) = seen.entry(id)?.filter(|entry| entry.kind == Kind::Thought) else {
        return Ok(None);
    };
    if !does_count(seen, id, disclosure)? {
        return Ok(None);
    }
    thought_view(seen, &entry)
}
