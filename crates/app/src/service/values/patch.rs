//! The changes of the graph that a reading of the values makes.

use engine::EngineError;
use engine::write::graph::{
    GraphChange, NamedChange, RecordType, Reference, Statement, cite_as_inputs,
};
use kernel::body::{Deriver, NodeType};
use kernel::evidence::Visibility;
use kernel::id::OpId;
use kernel::identity::normalized_text;
use kernel::operation::Role;
use serde_json::json;

use super::lines::StatedLine;
use super::{BASE, SUMMARY, VALUES_SET, Values, tag_of};
use crate::service::model_request::ModelOrigin;

/// The program that made a claim with a language model, and its version.
const PROGRAM: (&str, &str) = ("values", "1.0.0");
/// How sure a claim of a language model is.
pub(super) const MODEL_CONFIDENCE: f64 = 0.9;

/// What the text becomes.
pub(super) struct Patch {
    pub(super) lines: Vec<StatedLine>,
    pub(super) retract: Vec<OpId>,
    pub(super) summary: String,
    /// The model; none if rules read the text.
    pub(super) model: Option<ModelOrigin>,
}

/// The claims of a patch, then the retractions, then the summary.
pub(super) fn changes_of_patch(
    patch: &Patch,
    event: &OpId,
    before: &Values,
) -> Result<Vec<NamedChange>, EngineError> {
    let inputs = cite_as_inputs(&[*event])?;
    let state = |line: &StatedLine| {
        let mut statement = Statement {
            inputs: inputs.clone(),
            tags: vec![BASE.to_owned(), tag_of(event)],
            visibility: Visibility::Global,
            confidence_basis: json!({ "source": VALUES_SET }),
            ..Statement::new(
                RecordType::Claim(line.claim_type.as_str().to_owned()),
                line.text.as_str(),
            )
        };
        if let Some(model) = &patch.model {
            statement.deriver = Some(deriver());
            statement.confidence = MODEL_CONFIDENCE;
            let mut basis = model.fields();
            basis.insert("source".to_owned(), json!(VALUES_SET));
            statement.confidence_basis = basis.into();
        }
        GraphChange::State(Box::new(statement))
    };
    let mut changes: Vec<GraphChange> = patch.lines.iter().map(state).collect();
    changes.extend(patch.retract.iter().map(|id| GraphChange::Retract {
        target: Reference::Id(*id),
        reason: "the new values do not have it".to_owned(),
        sources: Vec::new(),
    }));
    changes.extend(change_of_summary(patch, event, before, &inputs));
    Ok(changes.into_iter().map(NamedChange::from).collect())
}

/// The new summary. Without one, that of other values is retracted.
fn change_of_summary(
    patch: &Patch,
    event: &OpId,
    before: &Values,
    inputs: &[(Reference, Role)],
) -> Option<GraphChange> {
    let tags = vec![SUMMARY.to_owned(), tag_of(event)];
    match (&before.summary, patch.summary.as_str()) {
        (None, "") => None,
        (Some(old), "") => Some(GraphChange::Retract {
            target: Reference::Id(old.id),
            reason: "it sums up other values".to_owned(),
            sources: Vec::new(),
        }),
        (Some(old), new) if normalized_text(&old.text) == normalized_text(new) => None,
        (Some(old), new) => Some(GraphChange::Supersede {
            target: Reference::Id(old.id),
            text: new.to_owned(),
            inputs: inputs.to_vec(),
            tags: Some(tags),
            visibility: Some(Visibility::Global),
        }),
        (None, new) => Some(GraphChange::State(Box::new(Statement {
            inputs: inputs.to_vec(),
            tags,
            visibility: Visibility::Global,
            payload: match &patch.model {
                Some(model) => model.fields().into(),
                None => serde_json::Value::Null,
            },
            ..Statement::new(RecordType::Node(NodeType::Summary), new)
        }))),
    }
}

fn deriver() -> Deriver {
    let (name, version) = PROGRAM;
    Deriver { name: name.to_owned(), version: version.to_owned(), deterministic: false }
}
