//! Which records a request is about.

use engine::private::Disclosure;
use engine::selection::{RecordState, Selection};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::error::ApiError;
use super::super::schema::{MONTH, any_of, given};
use super::super::work::Call;
use crate::failure::RequestError;

/// Records by what they have in common; a record has to match all that is given.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Description {
    /// Of this source, the name of a format.
    source: Option<String>,
    /// Of this file, by its path in the folder that was imported.
    file: Option<String>,
    /// Added by the import with this id.
    import: Option<String>,
    /// Of this session: a conversation, thread, note or series.
    session: Option<String>,
    /// By this person.
    author: Option<String>,
    /// Of this month, as 2025-03.
    #[schemars(regex(pattern = MONTH))]
    month: Option<String>,
}

/// Some ids are given, or something that records have in common.
pub(super) fn some_records() -> Value {
    let common = any_of(&["source", "file", "import", "session", "author", "month"]);
    json!([
        given("ids", &json!({ "type": "array", "minItems": 1 })),
        given("which", &json!({ "type": "object", "anyOf": common })),
    ])
}

/// The rules of what selects records, which need no space.
pub(super) fn check(ids: &[String], description: Option<&Description>) -> Result<(), ApiError> {
    let description = description.cloned().unwrap_or_default();
    match description.selection()?.is_empty() && ids.is_empty() {
        true => Err(RequestError::NothingSelected.into()),
        false => Ok(()),
    }
}

impl Description {
    /// Its own rules.
    pub(super) fn check(&self) -> Result<(), ApiError> {
        self.clone().selection().map(drop)
    }

    fn selection(self) -> Result<Selection, ApiError> {
        let month = self.month.as_deref().map(str::parse).transpose();
        Ok(Selection {
            ids: Vec::new(),
            source: self.source,
            file: self.file,
            import: self.import,
            session: self.session,
            actor: self.author,
            month: month.map_err(|error: engine::selection::MonthError| {
                ApiError::validation(error.to_string())
            })?,
        })
    }
}

/// The records with these ids and of this description. What a token is not shown is not selected.
pub(super) fn selection(
    call: &Call<'_>,
    ids: &[String],
    description: Option<Description>,
    state: RecordState,
) -> Result<Selection, ApiError> {
    let full: Result<Vec<String>, ApiError> =
        ids.iter().map(|id| Ok(call.record(id)?.to_string())).collect();
    let described = description.unwrap_or_default().selection()?;
    let is_described = !described.is_empty();
    let selection = Selection { ids: full?, ..described };
    if !is_described || call.disclosure() == Disclosure::Full {
        return Ok(selection);
    }
    let mut found = call.opened.select(&selection, state)?;
    let withheld = call.opened.withheld_among(&found, call.disclosure())?;
    found.retain(|id| !withheld.contains(id));
    if found.is_empty() {
        let which = selection.in_words();
        return Err(RequestError::NoSuchRecords { which, near: Vec::new() }.into());
    }
    let ids = found.iter().map(ToString::to_string).collect();
    Ok(Selection { ids, ..Selection::default() })
}
