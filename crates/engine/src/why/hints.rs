//! Hints: what an agent noted to have used when it decided what to do next.
//!
//! Such a record is evidence of the kind [`DECIDE_NEXT`]. It may have no text, so that no search
//! finds what is near it, but its payload names claims, nodes and evidence: by their ids, or by
//! what identifies them at the source from which the record itself was imported. Of evidence, the
//! records that were made from it are meant as well.

use kernel::body::Body;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::kind_spec::GraphRole;
use kernel::ledger_index::Entry;
use kernel::operation::Role;
use serde_json::Value;
use store::StoreError;

use super::PREMISES_MAX;
use crate::belief::{Bodies, body_of};

/// The kind of the evidence.
const DECIDE_NEXT: &str = "decide_next";
/// The fields of its payload that name what was used: lists, or objects with lists.
const FIELDS: [&str; 2] = ["hints", "thought_db"];
/// Deepest list.
const DEPTH_MAX: usize = 4;

/// What a record of a decision names; empty of anything else.
pub(super) fn hints(index: &dyn Bodies, entry: &Entry) -> Result<Vec<OpId>, StoreError> {
    let mut found = Vec::new();
    if entry.kind != Kind::Evidence {
        return Ok(found);
    }
    let Some(Body::Evidence(evidence)) = body_of(index, &entry.id, &entry.kind)? else {
        return Ok(found);
    };
    if evidence.kind.0 != DECIDE_NEXT {
        return Ok(found);
    }
    let mut names = Vec::new();
    for field in FIELDS.iter().filter_map(|field| evidence.payload.more.get(*field)) {
        collect(field, DEPTH_MAX, &mut names);
    }
    for name in names {
        let id = match name.parse() {
            Ok(id) => Some(id),
            Err(_) => index.evidence(&evidence.source, name)?.map(|(id, _)| id),
        };
        let Some(hint) = id.map(|id| index.entry(&id)).transpose()?.flatten() else { continue };
        if hint.id == entry.id {
            continue;
        }
        found.push(hint.id);
        if hint.kind == Kind::Evidence {
            let made = index.citing(&hint.id)?.into_iter().filter(|citing| {
                citing.kind.spec().graph == GraphRole::Record && citing.role != Role::SUPERSEDES
            });
            found.extend(made.map(|citing| citing.id).take(PREMISES_MAX));
        }
        if found.len() >= PREMISES_MAX {
            break;
        }
    }
    found.truncate(PREMISES_MAX);
    Ok(found)
}

/// The texts in a value, in their order.
fn collect<'v>(value: &'v Value, depth: usize, names: &mut Vec<&'v str>) {
    if depth == 0 || names.len() >= PREMISES_MAX {
        return;
    }
    match value {
        Value::String(name) => names.push(name),
        Value::Array(values) => values.iter().for_each(|value| collect(value, depth - 1, names)),
        Value::Object(fields) => fields.values().for_each(|value| collect(value, depth - 1, names)),
        _ => {}
    }
}
