//! Prompts: records quoted as data, each with a name by which an answer can cite it.

use std::collections::{BTreeMap, BTreeSet};

use engine::EngineError;
use engine::graph::{EdgeView, RecordView};
use engine::private::Disclosure;
use kernel::id::OpId;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::service::opening::OpenedSpace;

/// Longest text of one record, bytes.
const RECORD_BYTES_MAX: usize = 8_000;
/// Digits of an id that name a record in a prompt.
const NAME_DIGITS: usize = 16;
/// What ends a text that was cut.
const CUT: &str = "… [cut]";
/// Bytes beside the text of what a field or a record is called.
const FRAME_BYTES: usize = 16;

/// A record as it is quoted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct QuotedRecord {
    /// The operation.
    pub(crate) id: OpId,
    /// It in words.
    pub(crate) text: String,
    /// What else is said of it.
    pub(crate) fields: Map<String, Value>,
}

/// What a prompt does not hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct PromptCut {
    /// Records that did not fit.
    pub(crate) left_out: usize,
    /// Texts that were shortened.
    pub(crate) shortened: usize,
    /// Private records.
    pub(crate) withheld: usize,
}

/// What a model is asked about: one JSON object.
#[derive(Clone, Debug)]
pub(crate) struct Prompt {
    fields: Map<String, Value>,
    /// The records that it shows, by their names.
    names: BTreeMap<String, OpId>,
    private: BTreeSet<OpId>,
    may_show_private: bool,
    bytes_left: usize,
    cut: PromptCut,
}

impl QuotedRecord {
    /// A record with its kind.
    pub(crate) fn new(id: OpId, kind: &str, text: impl Into<String>) -> Self {
        let fields = Map::from_iter([("kind".to_owned(), json!(kind))]);
        Self { id, text: text.into(), fields }
    }

    /// Says more of it.
    pub(crate) fn with(mut self, name: &str, value: impl Serialize) -> Self {
        let value = json!(value);
        if !value.is_null() {
            self.fields.insert(name.to_owned(), value);
        }
        self
    }

    /// A claim or a node.
    pub(crate) fn of_record(view: &RecordView) -> Self {
        Self::new(view.id, &view.kind, view.text.as_str())
            .with("type", &view.record_type)
            .with("confidence", view.confidence)
            .with("valid_from", &view.valid_from)
            .with("valid_to", &view.valid_to)
    }

    /// An edge.
    pub(crate) fn of_edge(view: &EdgeView) -> Self {
        Self::new(view.id, "edge", view.notes.as_str())
            .with("type", view.edge_type)
            .with("from", name_of(&view.from))
            .with("to", name_of(&view.to))
    }
}

/// The name of a record in prompts.
pub(crate) fn name_of(id: &OpId) -> String {
    let whole = id.to_string();
    digits(&whole).chars().take(NAME_DIGITS).collect()
}

/// An id without what it begins with.
fn digits(name: &str) -> &str {
    name.strip_prefix("b3:").unwrap_or(name)
}

impl Prompt {
    pub(super) fn new(may_show_private: bool, bytes_max: usize) -> Self {
        Self {
            fields: Map::new(),
            names: BTreeMap::new(),
            private: BTreeSet::new(),
            may_show_private,
            bytes_left: bytes_max,
            cut: PromptCut::default(),
        }
    }

    /// Adds a text that is not a record.
    pub(crate) fn add_text(&mut self, name: &str, text: &str) {
        let room = self.bytes_left.saturating_sub(name.len() + FRAME_BYTES);
        let text = self.shortened(text, room);
        self.add_value(name, json!(text));
    }

    /// Adds anything else that is not a record. It is not cut.
    pub(crate) fn add_value(&mut self, name: &str, value: Value) {
        let bytes = value.to_string().len() + name.len() + FRAME_BYTES;
        self.bytes_left = self.bytes_left.saturating_sub(bytes);
        self.fields.insert(name.to_owned(), value);
    }

    /// Adds a list of records, in their order as many as fit. What is private is left out unless
    /// the model may see it.
    pub(crate) fn add_records(
        &mut self,
        space: &OpenedSpace,
        name: &str,
        records: Vec<QuotedRecord>,
    ) -> Result<(), EngineError> {
        let ids: Vec<OpId> = records.iter().map(|record| record.id).collect();
        let private = space.private_among(&ids)?;
        let mut quoted = Vec::with_capacity(records.len());
        let mut is_full = false;
        for record in records {
            let is_private = private.contains(&record.id);
            if is_private && !self.may_show_private {
                self.cut.withheld += 1;
                continue;
            }
            let Some(value) = (!is_full).then(|| self.quoted(&record)).flatten() else {
                (is_full, self.cut.left_out) = (true, self.cut.left_out + 1);
                continue;
            };
            quoted.push(value);
            self.private.extend(is_private.then_some(record.id));
        }
        self.fields.insert(name.to_owned(), json!(quoted));
        Ok(())
    }

    /// Says that it shows records that were added in another form.
    pub(crate) fn add_shown(&mut self, ids: impl IntoIterator<Item = OpId>) {
        self.names.extend(ids.into_iter().map(|id| (id.to_string(), id)));
    }

    /// A record as it is quoted; none if it does not fit.
    fn quoted(&mut self, record: &QuotedRecord) -> Option<Value> {
        let short = name_of(&record.id);
        let name = match self.names.get(&short) {
            Some(other) if *other != record.id => digits(&record.id.to_string()).to_owned(),
            _ => short,
        };
        let cut = self.cut;
        let mut fields = record.fields.clone();
        fields.insert("id".to_owned(), json!(name));
        let text = self.shortened(&record.text, RECORD_BYTES_MAX);
        if !text.is_empty() {
            fields.insert("text".to_owned(), json!(text));
        }
        let value = Value::Object(fields);
        let bytes = value.to_string().len() + 1;
        if bytes > self.bytes_left {
            self.cut = cut;
            return None;
        }
        self.bytes_left -= bytes;
        self.names.insert(name, record.id);
        Some(value)
    }

    fn shortened(&mut self, text: &str, bytes_max: usize) -> String {
        if text.len() <= bytes_max {
            return text.to_owned();
        }
        self.cut.shortened += 1;
        let end = text.floor_char_boundary(bytes_max.saturating_sub(CUT.len()));
        [text.get(..end).unwrap_or_default(), CUT].concat()
    }

    /// The record of the prompt that an answer names; none if the prompt does not show it.
    pub(crate) fn id_of(&self, name: &str) -> Option<OpId> {
        let name = digits(name.trim());
        let whole = || format!("b3:{name}").parse().ok();
        let is_shown = |id: &OpId| self.names.values().any(|shown| shown == id);
        self.names.get(name).copied().or_else(|| whole().filter(is_shown))
    }

    /// The records that it shows.
    pub(crate) fn shown(&self) -> impl Iterator<Item = OpId> {
        self.names.values().copied()
    }

    /// Whether it shows a record.
    pub(crate) fn shows(&self, id: &OpId) -> bool {
        self.names.values().any(|shown| shown == id)
    }

    /// What may be found for it.
    pub(crate) fn disclosure(&self) -> Disclosure {
        match self.may_show_private {
            true => Disclosure::Full,
            false => Disclosure::WithoutPrivate,
        }
    }

    /// Those of them that are private.
    pub(crate) fn private(&self) -> impl Iterator<Item = OpId> {
        self.private.iter().copied()
    }

    /// Whether it shows anything private. Whatever is made from the answer is private then.
    pub(crate) fn has_private(&self) -> bool {
        !self.private.is_empty()
    }

    /// What it does not hold.
    pub(crate) fn cut(&self) -> PromptCut {
        self.cut
    }

    /// The message.
    pub(super) fn text(&self) -> String {
        let mut fields = self.fields.clone();
        if self.cut.left_out + self.cut.shortened > 0 {
            let PromptCut { left_out, shortened, .. } = self.cut;
            let not_shown = json!({ "records_left_out": left_out, "texts_shortened": shortened });
            fields.insert("not_shown".to_owned(), not_shown);
        }
        Value::Object(fields).to_string()
    }
}
