//! `POST /api/v1/maintenance`

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::endpoint::needs;
use super::super::error::ApiError;
use super::super::schema::given;
use super::super::work::{Call, Need};
use crate::service::maintenance::defaults::ArchiveFormat;
use crate::service::maintenance::request::{MaintenanceOp, MaintenanceRequest, run as maintain};
use crate::service::tokens::Right;

/// Looks after a space: marks for removal, archives, health, duplicates.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = complete()))]
pub(super) struct Request {
    /// What is to be done.
    operation: MaintenanceOp,
    /// The space; the token's own by default.
    space: Option<String>,
    /// Records to mark or to unmark, or those to restore from an archive [default: all of it].
    #[serde(default)]
    #[schemars(length(max = 1_000))]
    ids: Vec<String>,
    /// Of `retention`: kinds of records, as turn, note or thought.
    #[serde(default)]
    kinds: Vec<String>,
    /// Of `retention`: the source of records.
    source: Option<String>,
    /// Of `restore`: the name of the archive.
    archive: Option<String>,
    /// Days between a mark and the removal; of `retention`, the age of records.
    #[schemars(range(max = 36_525))]
    older_than_days: Option<u64>,
    /// How many at most.
    #[schemars(range(min = 1, max = 1_000_000))]
    limit: Option<usize>,
    /// The format of an archive.
    format: Option<ArchiveFormat>,
    /// Only say what would be done.
    #[serde(default)]
    dry_run: bool,
}

/// What each operation needs.
fn complete() -> Value {
    let operation = |names: &[&str]| given("operation", &json!({ "enum": names }));
    let some = json!({ "type": "array", "minItems": 1 });
    let text = json!({ "type": "string" });
    let with = |names: &[&str], field: &str, schema: &Value| json!({ "allOf": [operation(names), given(field, schema)] });
    json!([
        operation(&[
            "list_removals",
            "export_removals",
            "finalize_removal",
            "health",
            "reembed",
            "dedupe",
        ]),
        with(&["mark", "unmark"], "ids", &some),
        with(&["restore"], "archive", &text),
        with(&["retention"], "kinds", &some),
        with(&["retention"], "source", &text),
    ])
}

impl Request {
    fn request(&self) -> MaintenanceRequest {
        MaintenanceRequest {
            op: self.operation,
            ids: self.ids.clone(),
            kinds: self.kinds.clone(),
            source: self.source.clone(),
            archive: self.archive.clone(),
            older_than_days: self.older_than_days,
            limit: self.limit,
            format: self.format,
            dry_run: self.dry_run,
        }
    }
}

needs!(
    Request,
    |request| match (request.operation.only_reads(), request.dry_run) {
        (true, _) => Need::Read,
        (false, true) => Need::Try,
        (false, false) => Need::Write(Right::Correct),
    },
    |request, _| Ok(request.request().check()?)
);

pub(super) fn run(call: &mut Call<'_>, request: Request) -> Result<Value, ApiError> {
    let disclosure = call.disclosure();
    let session = call.session.clone();
    Ok(maintain(&session, call.opened, &request.request(), disclosure)?)
}
