//! Changes of the graph of records by a person: claims and nodes in words, edges, replacements,
//! retractions.

use engine::belief::user::UserError;
use engine::graph::{EdgeView, RecordView};
use engine::private::Viewpoint;
use engine::write::graph::{GraphChange, NamedChange, Reference, STATEMENT, cite_as_inputs};
use engine::write::import::Intent;
use engine::write::patch::StatusChange;
use engine::{EngineError, Space};
use importers::secrets::{mask_string, summarize};
use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility};
use kernel::id::OpId;
use kernel::operation::Role;
use kernel::when::When;
use serde::Serialize;

use super::changes::{Action, Outcome, Subject, Verb};
use super::{Session, wording};
use crate::failure::{Failure, IN_GRAPH, RequestError};

/// What stands for an operation that a dry run does not make.
pub(crate) const NOTHING: OpId = OpId([0; 32]);

/// What to tell who states what is there already, and private.
const KNOWN_PRIVATE: &str =
    "what is there is private, and stays so; retract it first to state it for others";

/// A record or an edge as it is shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum GraphView {
    /// A claim or a node.
    Record(Box<RecordView>),
    /// An edge.
    Edge(Box<EdgeView>),
}

/// What became of a change.
pub(crate) struct GraphChanged {
    /// The operation that it stands for: new, or what said the same already. None in a dry run.
    pub(crate) id: Option<OpId>,
    /// Whether anything was appended, or would be.
    pub(crate) is_new: bool,
    /// Whether the operation that it stands for was there before, though something else may be new.
    pub(crate) was_there: bool,
    /// It as it is shown now, if it is a record or an edge.
    pub(crate) view: Option<GraphView>,
    /// The records whose status is another one now.
    pub(crate) statuses: Vec<StatusChange>,
    /// What whoever changed it should know about who sees it.
    pub(crate) warning: Option<String>,
    /// The change and its consequences.
    pub(crate) outcome: Outcome,
}

/// Makes one change. Where it cites nothing, the person's statement of `words` is recorded and
/// cited.
pub(crate) fn change(
    space: &mut Space,
    session: &Session,
    verb: Verb,
    change: GraphChange,
    (words, visibility): (&str, Visibility),
    intent: Intent,
) -> Result<GraphChanged, Failure> {
    let statement = statement(session, words, visibility);
    // A retraction is about its target; every other change about what it makes.
    let target = match &change {
        GraphChange::Retract { target: Reference::Id(target), .. } => Some(*target),
        _ => None,
    };
    if let Some(id) = change.displaces() {
        check_not_corrected(space, &id)?;
    }
    let is_open = matches!(&change, GraphChange::State(it) if it.visibility != Visibility::Private);
    let named = [NamedChange::from(change)];
    let mut changed = space.change_graph(&named, Some(&statement), intent, session.now)?;
    let id = changed.stand_for.first().copied();
    let is_new = !changed.appended.is_empty();
    let was_there = id.is_some_and(|id| !changed.appended.contains(&id));
    // What is printed beside the action is the record, not its evidence.
    changed.changes.recorded = id.into_iter().filter(|_| is_new).collect();
    let id = id.filter(|_| intent == Intent::Write);
    let view = id.map(|id| view(space, &id, None)).transpose()?.flatten();
    let warning = match id {
        Some(id) if !is_new && is_open && space.is_private(&id)? => Some(KNOWN_PRIVATE.to_owned()),
        _ => wording::private_by_grounds(changed.private_by_grounds.len()),
    };
    let subject = Subject::Record {
        id: target.or(id).unwrap_or(NOTHING),
        summary: mask_string(words).into_inner(),
    };
    let outcome = Outcome {
        actions: vec![Action { verb, subject }],
        changes: changed.changes,
        intent,
        withheld: 0,
        is_counted: true,
    };
    Ok(GraphChanged { id, is_new, was_there, view, statuses: changed.statuses, warning, outcome })
}

/// Refuses to displace or take back a claim that the user corrected: the correction would stand
/// beside whatever takes its place.
pub(super) fn check_not_corrected(space: &Space, id: &OpId) -> Result<(), EngineError> {
    match space.record_view(id, None)? {
        Some(RecordView { corrected_by: Some(_), .. }) => {
            Err(UserError::StandsCorrected { id: *id }.into())
        }
        _ => Ok(()),
    }
}

/// A record or an edge, now or as of a time; none of another kind of operation.
pub(crate) fn view(
    space: &Space,
    id: &OpId,
    as_of_us: Option<u64>,
) -> Result<Option<GraphView>, EngineError> {
    view_from(space, id, &Viewpoint { as_of_us, ..Viewpoint::default() })
}

/// The same as somebody may see it.
pub(crate) fn view_from(
    space: &Space,
    id: &OpId,
    viewpoint: &Viewpoint,
) -> Result<Option<GraphView>, EngineError> {
    if let Some(record) = space.record_from(id, viewpoint)? {
        return Ok(Some(GraphView::Record(Box::new(record))));
    }
    Ok(space.edge_from(id, viewpoint)?.map(|edge| GraphView::Edge(Box::new(edge))))
}

/// The error of an operation that is not in the graph, or was not yet at a time.
pub(crate) fn not_in_graph(space: &Space, id: OpId, as_of_us: Option<u64>) -> Failure {
    // Whether it was there then is told first.
    match as_of_us.map(|_| space.show_at(&id, as_of_us)) {
        Some(Err(error @ EngineError::NotRecordedThen { .. })) => error.into(),
        _ => RequestError::NotInGraph { id, wanted: IN_GRAPH, found: None }.into(),
    }
}

/// Whether a record, or both ends of an edge, are true in the world at the time of a viewpoint.
pub(crate) fn is_valid(
    space: &Space,
    view: &GraphView,
    viewpoint: &Viewpoint,
) -> Result<bool, EngineError> {
    let is_valid = |record: &RecordView| engine::graph::is_valid(record, viewpoint.valid_at_us);
    match view {
        GraphView::Record(record) => Ok(is_valid(record)),
        GraphView::Edge(edge) => {
            for end in [edge.from, edge.to] {
                if space.record_from(&end, viewpoint)?.is_some_and(|record| !is_valid(&record)) {
                    return Ok(false);
                }
            }
            Ok(true)
        }
    }
}

/// The operations that a change cites, by their ids or the beginnings of ids.
pub(crate) fn inputs(
    space: &Space,
    names: &[String],
) -> Result<Vec<(Reference, Role)>, EngineError> {
    let ids = names.iter().map(|name| space.resolve(name));
    cite_as_inputs(&ids.collect::<Result<Vec<_>, _>>()?)
}

/// Types by their names.
pub(crate) fn typed<'n, T: std::str::FromStr<Err: std::fmt::Display>>(
    names: impl IntoIterator<Item = &'n str>,
) -> Result<Vec<T>, RequestError> {
    let parse = |name: &str| {
        name.parse()
            .map_err(|error: T::Err| RequestError::UnknownType { detail: error.to_string() })
    };
    names.into_iter().map(parse).collect()
}

/// An interval of validity that does not end before it begins.
pub(crate) fn validity(
    session: &Session,
    from: Option<&str>,
    to: Option<&str>,
) -> Result<(Option<When>, Option<When>), RequestError> {
    let bound = |text: Option<&str>, is_end| {
        text.map(|text| session.times().bound(text, is_end)).transpose()
    };
    let window = (bound(from, false)?, bound(to, true)?);
    if let ((Some(since), Some(until)), (Some(from), Some(to))) =
        ((from, to), (&window.0, &window.1))
        && to.instant_us() <= from.instant_us()
    {
        let (since, until) = (since.to_owned(), until.to_owned());
        return Err(RequestError::EmptyWindow { since, until });
    }
    Ok(window)
}

/// What a person says, as a record of its own.
pub(crate) fn statement(session: &Session, words: &str, visibility: Visibility) -> Evidence {
    let at = When::from_zoned(&session.now.to_zoned(session.zone.clone()));
    let text = mask_string(words.trim()).into_inner();
    let digest = kernel::body::payload_digest(&serde_json::json!(text));
    Evidence {
        source: STATEMENT.to_owned(),
        source_uid: format!("{at}/{digest}"),
        kind: EvidenceKind::from(STATEMENT),
        actor: None,
        at: Some(at),
        summary: summarize(&text),
        visibility,
        payload: Payload { text, ..Payload::default() },
    }
}
