//! Bringing records back from an archive.
//!
//! A redaction stays in force, so the operations that were erased stay erased. Their content is
//! recorded again, by the key that restores, under new ids: records with the same source and
//! identity there, thoughts, nodes, edges and stated claims with what stands in for what they
//! cited. What somebody forgot after it was archived stays forgotten unless it is named. An
//! annotation says which operation of which archive each is ([`RESTORED`]). Marks are not restored,
//! or what is restored would be removed again. What derivers concluded is left to derivation.

use std::collections::BTreeSet;

use kernel::body::{Annotation, Body};
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::operation::{Operation, Verified};
use kernel::redaction::forgotten_behind;
use serde_json::json;

use crate::belief::body_of;
use crate::belief::review::acting_on;
use crate::write::record::ForgottenPolicy;
use crate::write::record_again::{LeftOut, RecordedAgain};
use crate::{EngineError, Writer};

/// The field of an annotation that names what its target was restored from.
pub const RESTORED: &str = "restored";

/// Why an operation is left out that was forgotten after it was archived.
const FORGOTTEN: &str = "forgotten since it was archived: name it to bring it back";

/// Annotations of one transaction.
const LINKS_AT_ONCE: usize = 10_000;

impl Writer<'_> {
    /// Records again what operations of an archive say, in the space's order. If `wanted` names
    /// any, only these are restored, with what was said of them; otherwise what was forgotten after
    /// it was archived is left out. Doing it twice adds nothing.
    pub fn restore_archived(
        &mut self,
        operations: Vec<Operation<Verified>>,
        wanted: &BTreeSet<OpId>,
        digest: &str,
        now: jiff::Timestamp,
    ) -> Result<RecordedAgain, EngineError> {
        let since_archived = match wanted.is_empty() {
            true => self.forgotten_since_archived(&operations)?,
            false => BTreeSet::new(),
        };
        let mut missing = Vec::new();
        let mut forgotten = Vec::new();
        let mut taken = wanted.clone();
        for operation in operations {
            let header = operation.header();
            let about = header.refs.iter().any(|cited| taken.contains(&cited.id));
            if !wanted.is_empty() && !taken.contains(&operation.id()) && !about {
                continue;
            }
            if since_archived.contains(&operation.id()) {
                forgotten.push(LeftOut {
                    id: operation.id(),
                    kind: header.kind.as_str().to_owned(),
                    reason: FORGOTTEN.to_owned(),
                });
                continue;
            }
            let Some(bytes) = operation.body() else { continue };
            let Ok(mut body) = Body::parse(&header.kind, bytes) else { continue };
            match &mut body {
                Body::Import(_) => continue,
                Body::Annotation(label) => {
                    label.mark = None;
                    if *label == Annotation::default() {
                        continue;
                    }
                }
                _ => {}
            }
            if !wanted.is_empty() {
                taken.insert(operation.id());
            }
            missing.push((operation, body));
        }
        let before = std::mem::replace(&mut self.policy, ForgottenPolicy::RecordAgain);
        let recorded = self.record_missing_again(missing, 0, now);
        self.policy = before;
        let (mut report, added) = recorded?;
        report.leave_out(forgotten);
        for links in added.chunks(LINKS_AT_ONCE) {
            let drafts = links.iter().map(|(old, new)| {
                let mut label = Annotation::default();
                let origin = json!({ "archive": digest, "operation": old.to_string() });
                label.others.insert(RESTORED.to_owned(), origin);
                acting_on(*new, Body::Annotation(label))
            });
            let drafts: Result<Vec<_>, EngineError> = drafts.collect();
            self.append_all(drafts?, now)?;
        }
        self.end_bulk()?;
        self.advance(|_| {})?;
        Ok(report)
    }

    /// The operations that somebody forgot, themselves or what they quote. Beliefs that are
    /// archived are redacted in the same way, by a redaction that names the archive.
    fn forgotten_since_archived(
        &self,
        operations: &[Operation<Verified>],
    ) -> Result<BTreeSet<OpId>, EngineError> {
        self.store.on_snapshot(|index| {
            let mut forgotten = BTreeSet::new();
            for id in operations.iter().map(Operation::id) {
                let Some(redaction) = forgotten_behind(index, &id)? else { continue };
                let body = body_of(index, &redaction.id, &Kind::Redaction)?;
                if matches!(body, Some(Body::Redaction(redaction)) if redaction.archive.is_none()) {
                    forgotten.insert(id);
                }
            }
            Ok(forgotten)
        })
    }
}
