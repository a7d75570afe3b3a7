//! Operations by the ids that their sources gave them: an event's, a calendar entry's, a claim's of
//! another program. They work wherever an id of ours does.

use kernel::body::Body;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::LedgerIndex;
use kernel::operation::HlcTimestamp;
use store::sqlite::{SqliteLedgerIndex, TagRange};

use crate::belief::body_of;
use crate::{EngineError, Reader};

/// What the tag of a claim or node begins with that holds its id at its source; the id follows.
pub(crate) const ID_TAG: &str = "mi:id:";
/// Longest id that is looked for, bytes.
const NAME_BYTES_MAX: usize = 1_024;

/// The ids at the source in the tags of a claim or node.
pub(crate) fn tagged_ids(body: &Body) -> impl Iterator<Item = &str> {
    let tags = match body {
        Body::Claim(claim) => claim.tags.as_slice(),
        Body::Node(node) => node.tags.as_deref().unwrap_or_default(),
        _ => &[],
    };
    tags.iter().filter_map(|tag| tag.strip_prefix(ID_TAG))
}

impl Reader<'_> {
    /// The operations to which a source gave this id, each text by its latest version.
    pub(crate) fn with_source_id(&self, name: &str) -> Result<Vec<OpId>, EngineError> {
        if name.is_empty() || name.len() > NAME_BYTES_MAX {
            return Ok(Vec::new());
        }
        self.store.on_snapshot(|index| {
            let mut found = Vec::new();
            for importer in importers::registry() {
                found.extend(index.evidence(importer.name(), name)?.map(|(id, _)| id));
            }
            if found.is_empty() {
                found = records_with(index, name)?;
            }
            Ok(found)
        })
    }
}

/// The claims and nodes whose tags hold the id, each text by its latest version.
fn records_with(index: &SqliteLedgerIndex<'_>, name: &str) -> Result<Vec<OpId>, EngineError> {
    let tag = TagRange::one(&format!("{ID_TAG}{name}"));
    let mut latest: Vec<(Option<String>, Kind, (HlcTimestamp, OpId))> = Vec::new();
    for id in index.tagged(&tag)? {
        let Some(entry) = index.entry(&id)? else { continue };
        let body = body_of(index, &id, &entry.kind)?;
        if !body.as_ref().is_some_and(|body| tagged_ids(body).any(|tagged| tagged == name)) {
            continue;
        }
        let key = entry.version_key().map(str::to_owned);
        match latest.iter_mut().find(|(known, kind, _)| *known == key && *kind == entry.kind) {
            Some((_, _, order)) => *order = (*order).max(entry.order()),
            None => latest.push((key, entry.kind.clone(), entry.order())),
        }
    }
    Ok(latest.into_iter().map(|(_, _, (_, id))| id).collect())
}
