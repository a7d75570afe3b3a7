//! The fields of a line, which may be absent, null, or of another type than expected.

use std::fmt::Display;
use std::str::FromStr;

use kernel::evidence::Visibility;
use kernel::when::When;
use serde_json::{Map, Value};

use crate::secrets::cut;
use crate::time;

/// Longest id, bytes.
pub(super) const ID_BYTES_MAX: usize = 256;
/// Most events that one record cites.
const SOURCES_MAX: usize = 1_000;
/// Most labels of one record.
const TAGS_MAX: usize = 100;
/// Longest label, bytes.
const TAG_BYTES_MAX: usize = 256;

/// The fields of a line.
pub(super) struct Fields<'l>(pub(super) &'l Map<String, Value>);

impl Fields<'_> {
    /// A text that is not blank, or a number as text.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let text = match self.0.get(name)? {
            Value::String(text) => text.trim().to_owned(),
            Value::Number(number) => number.to_string(),
            _ => return None,
        };
        Some(text).filter(|text| !text.is_empty())
    }

    /// The first of some names that is a text.
    pub(super) fn first(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.text(name))
    }

    /// An id: printable, and not longer than [`ID_BYTES_MAX`].
    pub(super) fn id(&self, name: &str) -> Result<String, String> {
        let id = self.text(name).ok_or_else(|| format!("it has no {name}"))?;
        check_id(id).map_err(|why| format!("its {name} {why}"))
    }

    /// A word of a closed set.
    pub(super) fn word<T: FromStr>(&self, name: &str) -> Result<T, String>
    where
        T::Err: Display,
    {
        let word = self.text(name).ok_or_else(|| format!("it has no {name}"))?;
        word.to_ascii_lowercase().parse().map_err(|error: T::Err| error.to_string())
    }

    /// A time; an error if there is something else.
    pub(super) fn time(&self, name: &str) -> Result<Option<When>, String> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
            Some(value) => match time::from_value(value) {
                Some(when) => Ok(Some(when)),
                None => {
                    let value = value.to_string();
                    Err(format!("its {name} is not a time: {}", cut(&value, 64)))
                }
            },
        }
    }

    /// The window of validity.
    pub(super) fn window(&self) -> Result<(Option<When>, Option<When>), String> {
        let window = (self.time("valid_from")?, self.time("valid_to")?);
        if let (Some(from), Some(to)) = &window
            && to.instant_us() <= from.instant_us()
        {
            return Err(format!("its window of validity ends ({to}) before it begins ({from})"));
        }
        Ok(window)
    }

    /// Who may see it; `usual` if it says nothing.
    pub(super) fn visibility(&self, usual: Visibility) -> Result<Visibility, String> {
        match self.text("visibility").as_deref() {
            None => Ok(usual),
            Some("private") => Ok(Visibility::Private),
            Some("project") => Ok(Visibility::Project),
            Some("global") => Ok(Visibility::Global),
            Some(other) => Err(format!(
                "{:?} is not a visibility: private, project and global are",
                cut(other, 64)
            )),
        }
    }

    /// Its labels.
    pub(super) fn tags(&self) -> Vec<String> {
        let Some(Value::Array(tags)) = self.0.get("tags") else { return Vec::new() };
        let tags = tags.iter().filter_map(Value::as_str).map(str::trim);
        let tags = tags.filter(|tag| !tag.is_empty() && tag.len() <= TAG_BYTES_MAX);
        tags.take(TAGS_MAX).map(str::to_owned).collect()
    }

    /// The ids of the events that it cites, each once.
    pub(super) fn sources(&self) -> Result<Vec<String>, String> {
        let Some(refs) = self.0.get("source_refs").filter(|refs| !refs.is_null()) else {
            return Ok(Vec::new());
        };
        let Value::Array(refs) = refs else { return Err("its source_refs are not a list".into()) };
        if refs.len() > SOURCES_MAX {
            return Err(format!("it has more than {SOURCES_MAX} source_refs"));
        }
        let mut sources = Vec::new();
        for cited in refs {
            let id = match cited {
                Value::String(id) => Ok(id.trim().to_owned()),
                Value::Object(fields) => Fields(fields).id("event_id"),
                _ => Err("a source_ref is neither an object nor an id".to_owned()),
            };
            let id = check_id(id?).map_err(|why| format!("a source_ref {why}"))?;
            if !sources.contains(&id) {
                sources.push(id);
            }
        }
        Ok(sources)
    }

    /// How sure its source is, 0 … 1; 1 if it says nothing.
    pub(super) fn confidence(&self) -> f64 {
        let given = self.0.get("confidence").and_then(Value::as_f64);
        given.filter(|given| given.is_finite()).map_or(1.0, |given| given.clamp(0.0, 1.0))
    }
}

/// Refuses ids that no list could show.
fn check_id(id: String) -> Result<String, String> {
    if id.is_empty() {
        return Err("is empty".to_owned());
    }
    if id.len() > ID_BYTES_MAX {
        return Err(format!("is longer than {ID_BYTES_MAX} bytes"));
    }
    match id.chars().any(char::is_control) {
        true => Err("has control characters".to_owned()),
        false => Ok(id),
    }
}
