//! What each request reads, where it works, and what it needs there.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

use super::super::super::endpoint::{Input, needs};
use super::super::super::error::ApiError;
use super::super::super::json::typed;
use super::super::super::work::{Need, Target};
use super::fields;
use crate::service::thoughts::request::{
    FeedbackRequest, LabelRequest, MemoryRequest, NamedGrounds, depth_within, parse_share,
};
use crate::service::tokens::Right;

/// A prompt.
pub(super) struct Prompt(pub(super) MemoryRequest);

impl Input for Prompt {
    fn read(value: Value) -> Result<Self, ApiError> {
        Ok(Self(MemoryRequest::parse(value)?))
    }

    fn describe(generator: &mut SchemaGenerator) -> Schema {
        fields::Prompt::json_schema(generator)
    }

    fn target(&self) -> Target {
        Target::Space(self.0.space.clone())
    }

    fn need(&self) -> Need {
        match (&self.0.grounds, self.0.is_to_be_kept()) {
            (NamedGrounds::None, false) => Need::Read,
            (NamedGrounds::None, true) => Need::WriteIfPermitted,
            _ => Need::Write(Right::Append),
        }
    }

    fn reads_first(&self) -> bool {
        true
    }
}

/// A query.
pub(super) struct Query(pub(super) MemoryRequest);

impl Input for Query {
    fn read(value: Value) -> Result<Self, ApiError> {
        Ok(Self(MemoryRequest::parse_query(value)?))
    }

    fn describe(generator: &mut SchemaGenerator) -> Schema {
        fields::Query::json_schema(generator)
    }

    fn target(&self) -> Target {
        Target::Space(self.0.space.clone())
    }

    fn need(&self) -> Need {
        Need::Read
    }
}

/// A thought to keep.
pub(super) struct Contribution(pub(super) MemoryRequest);

impl Input for Contribution {
    fn read(value: Value) -> Result<Self, ApiError> {
        Ok(Self(MemoryRequest::parse_ingest(value)?))
    }

    fn describe(generator: &mut SchemaGenerator) -> Schema {
        fields::Contribution::json_schema(generator)
    }

    fn target(&self) -> Target {
        Target::Space(self.0.space.clone())
    }

    fn need(&self) -> Need {
        Need::Write(Right::Append)
    }
}

/// Feedback.
pub(super) struct Feedback(pub(super) FeedbackRequest);

impl Input for Feedback {
    fn read(value: Value) -> Result<Self, ApiError> {
        Ok(Self(FeedbackRequest::parse(value)?))
    }

    fn describe(generator: &mut SchemaGenerator) -> Schema {
        fields::Feedback::json_schema(generator)
    }

    fn target(&self) -> Target {
        Target::Thought(self.0.thought_id.clone())
    }

    fn need(&self) -> Need {
        Need::Read
    }
}

/// A thought to show, by its id.
pub(super) struct Shown(pub(super) String);

impl Input for Shown {
    fn read(value: Value) -> Result<Self, ApiError> {
        Ok(Self(typed::<fields::Shown>(value)?.id))
    }

    fn describe(generator: &mut SchemaGenerator) -> Schema {
        fields::Shown::json_schema(generator)
    }

    fn target(&self) -> Target {
        Target::Thought(self.0.clone())
    }

    fn need(&self) -> Need {
        Need::Read
    }
}

/// Labels for a thought.
pub(super) struct Labels {
    pub(super) id: String,
    pub(super) labels: LabelRequest,
}

impl Input for Labels {
    fn read(mut value: Value) -> Result<Self, ApiError> {
        let id = id_of(&mut value);
        Ok(Self { id, labels: LabelRequest::parse(value)? })
    }

    fn describe(generator: &mut SchemaGenerator) -> Schema {
        fields::Labels::json_schema(generator)
    }

    fn target(&self) -> Target {
        Target::Thought(self.id.clone())
    }

    fn need(&self) -> Need {
        Need::WriteIfPermitted
    }
}

/// The id that the address holds.
fn id_of(value: &mut Value) -> String {
    let id = value.as_object_mut().and_then(|fields| fields.remove("id"));
    id.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A thought whose lineage is asked for.
pub(super) struct LineageOf {
    pub(super) id: String,
    pub(super) depth: u32,
}

impl Input for LineageOf {
    fn read(value: Value) -> Result<Self, ApiError> {
        let fields::Lineage { id, max_depth } = typed(value)?;
        Ok(Self { id, depth: depth_within(max_depth)? })
    }

    fn describe(generator: &mut SchemaGenerator) -> Schema {
        fields::Lineage::json_schema(generator)
    }

    fn target(&self) -> Target {
        Target::Thought(self.id.clone())
    }

    fn need(&self) -> Need {
        Need::Read
    }
}

/// A thought to copy into a space.
pub(super) struct Share {
    pub(super) id: String,
    pub(super) space: String,
}

impl Input for Share {
    fn read(mut value: Value) -> Result<Self, ApiError> {
        let id = id_of(&mut value);
        Ok(Self { id, space: parse_share(value)? })
    }

    fn describe(generator: &mut SchemaGenerator) -> Schema {
        fields::Share::json_schema(generator)
    }

    fn target(&self) -> Target {
        Target::ThoughtAndSpace(self.id.clone(), self.space.clone())
    }

    fn need(&self) -> Need {
        Need::Write(Right::Append)
    }
}

pub(super) use super::fields::Domains;

needs!(Domains, |_| Need::Read);
