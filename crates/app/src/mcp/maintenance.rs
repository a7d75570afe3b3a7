//! The arguments and the answer of `maintenance_ops`. Models read the comments on the fields.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::service::maintenance::request::{MaintenanceOp, MaintenanceRequest};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MaintenanceOps {
    /// What to do: "list_removals", "mark", "unmark", "export_removals", "finalize_removal",
    /// "restore", "health", "reembed", "dedupe" or "retention".
    operation: MaintenanceOp,
    /// Records to mark or unmark, or those to restore from an archive, by their ids.
    ids: Option<Vec<String>>,
    /// For "retention": kinds of records, such as "turn", "note" or "thought".
    kinds: Option<Vec<String>>,
    /// For "retention": the source of the records, such as "chatgpt".
    source: Option<String>,
    /// For "restore": the name of the archive, as export_removals returned it.
    archive: Option<String>,
    /// Days between a mark and the removal, 30 if omitted; for "retention", the age of records.
    older_than_days: Option<u64>,
    /// How many records are considered at most; 500 if omitted.
    limit: Option<usize>,
    /// Whether to say only what would be done; false if omitted.
    dry_run: Option<bool>,
}

impl MaintenanceOps {
    pub(super) fn request(&self) -> MaintenanceRequest {
        MaintenanceRequest {
            op: self.operation,
            ids: self.ids.clone().unwrap_or_default(),
            kinds: self.kinds.clone().unwrap_or_default(),
            source: self.source.clone(),
            archive: self.archive.clone(),
            older_than_days: self.older_than_days,
            limit: self.limit,
            format: None,
            dry_run: self.dry_run.unwrap_or_default(),
        }
    }

    /// Whether there is nothing to write or to try.
    pub(crate) fn only_reads(&self) -> bool {
        self.operation.only_reads()
    }

    /// Whether nothing is to be written.
    pub(crate) fn only_tries(&self) -> bool {
        self.operation.only_reads() || self.dry_run.unwrap_or_default()
    }
}

/// What maintenance did.
#[derive(Serialize, JsonSchema)]
pub(super) struct Maintained {
    pub(super) reading: &'static str,
    /// "done", or "proposed" if only the user may do it: then nothing was written, and the report
    /// says what would be done.
    pub(super) status: &'static str,
    /// What was done, or would be; its fields depend on the operation.
    pub(super) report: Map<String, Value>,
}
