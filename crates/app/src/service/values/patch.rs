//! The changes of the graph that a reading of the values makes.

use engine::graph::RecordView;
use engine::write::graph::{
    GraphChange, NamedChange, RecordType, Reference, ReplacementFields, Statement, cite_as_inputs,
};
use engine::{EngineError, Space};
use kernel::body::{Deriver, NodeType};
use kernel::evidence::Visibility;
use kernel::id::OpId;
use kernel::identity::{normalized_text, text_key};
use kernel::operation::Role;
use kernel::records::RecordStatus;
use serde_json::json;

use super::lines::StatedLine;
use super::{BASE, OWN, SUMMARY, VALUES_SET, Values, own_of, tag_of};
use crate::service::model_request::ModelOrigin;

/// The program that made a claim with a language model, and its version.
const PROGRAM: (&str, &str) = ("values", "1.0.0");
/// How sure a claim of a language model is.
pub(super) const MODEL_CONFIDENCE: f64 = 0.9;

/// What the text becomes.
pub(super) struct Patch {
    pub(super) lines: Vec<StatedLine>,
    pub(super) retract: Vec<OpId>,
    /// Earlier versions that hold again.
    pub(super) restore: Vec<OpId>,
    pub(super) summary: String,
    /// The model; none if rules read the text.
    pub(super) model: Option<ModelOrigin>,
}

/// The claims of a patch, then what is retracted or restored, then the summary.
pub(super) fn changes_of_patch(
    home: &Space,
    patch: &Patch,
    event: &OpId,
    before: &Values,
) -> Result<Vec<NamedChange>, EngineError> {
    let inputs = cite_as_inputs(&[*event])?;
    let state = |line: &StatedLine| -> Result<GraphChange, EngineError> {
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
        label_anew(home, &mut statement)?;
        Ok(GraphChange::State(Box::new(statement)))
    };
    let mut changes = patch.lines.iter().map(state).collect::<Result<Vec<_>, _>>()?;
    for own in &patch.restore {
        changes.extend(home.record_view(own, None)?.map(|own| restored(&own)).transpose()?);
    }
    changes.extend(patch.retract.iter().map(|id| GraphChange::Retract {
        target: Reference::Id(*id),
        reason: "the new values do not have it".to_owned(),
        sources: Vec::new(),
    }));
    changes.extend(change_of_summary(patch, event, before, &inputs));
    Ok(changes.into_iter().map(NamedChange::from).collect())
}

/// Makes a statement a new version of an active claim that says the same without its labels: one of
/// earlier values, or one that was stated apart from them. That keeps its sources and is named, so
/// that it holds again when values no longer have it.
fn label_anew(home: &Space, statement: &mut Statement) -> Result<(), EngineError> {
    let key = text_key(statement.record_type.as_str(), &statement.text);
    let belief = home.belief_at(&key, None)?;
    let view = belief.served.map(|id| home.record_view(&id, None)).transpose()?.flatten();
    let is_active = |view: &RecordView| view.status == Some(RecordStatus::Active.as_str());
    let Some(view) = view.filter(is_active) else { return Ok(()) };
    if statement.tags.iter().all(|tag| view.tags.contains(tag)) {
        return Ok(());
    }
    statement.is_new_version = true;
    let own = match view.tags.iter().any(|tag| tag == BASE) {
        true => match own_of(home, &belief)? {
            Some(own) => home.record_view(&own, None)?,
            None => None,
        },
        false => Some(view.clone()),
    };
    for tag in view.tags {
        if !statement.tags.contains(&tag) {
            statement.tags.push(tag);
        }
    }
    if let Some(own) = own {
        statement.confidence_basis[OWN] = json!(own.id);
        for input in inputs_of(&own)? {
            if !statement.inputs.contains(&input) {
                statement.inputs.push(input);
            }
        }
    }
    Ok(())
}

/// A version that was stated apart from the values, stated again.
fn restored(own: &RecordView) -> Result<GraphChange, EngineError> {
    Ok(GraphChange::State(Box::new(Statement {
        inputs: inputs_of(own)?,
        tags: own.tags.clone(),
        visibility: own.visibility,
        valid_from: own.valid_from.clone(),
        valid_to: own.valid_to.clone(),
        deriver: own.deriver.clone(),
        confidence: own.confidence.unwrap_or(1.0),
        is_new_version: true,
        ..Statement::new(RecordType::Claim(own.record_type.clone()), own.text.as_str())
    })))
}

fn inputs_of(record: &RecordView) -> Result<Vec<(Reference, Role)>, EngineError> {
    let cited = record.inputs.iter();
    cited.map(|input| Ok((Reference::Id(input.id), Role::parse(&input.role)?))).collect()
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
            otherwise: ReplacementFields {
                tags: Some(tags),
                visibility: Some(Visibility::Global),
                ..ReplacementFields::default()
            },
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
