//! Inspection of a ledger: one operation, a list of operations, and statistics.

use std::collections::BTreeMap;

use derivers::lookalikes::passes_for_owner;
use kernel::body::Body;
use kernel::evidence::Evidence;
use kernel::id::{Author, OpId, SpaceId};
use kernel::ledger_index::{Citing, LedgerIndex};
use kernel::operation::{Content, Operation, Unverified};
use serde_json::{Value, json};
use store::sqlite::Size;
use store::{Ledger, Position, Recorded};

use crate::private::Viewpoint;
use crate::verify::bodies::MissingBodies;
use crate::write::forget::WhyForgotten;
use crate::{EngineError, Reader};

/// What stands in a list for the text of an operation that was altered.
pub const ALTERED: &str = "(altered in the file since it was signed)";

/// One operation with what cites it.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The operation.
    pub operation: Operation<Unverified>,
    /// Its number in order of arrival.
    pub position: Position,
    /// Operations that cite it.
    pub cited_by: Vec<Citing>,
    /// The fault in its hashes or signature, if any.
    pub fault: Option<String>,
    /// Why its body was removed, if it was forgotten.
    pub forgotten: Option<WhyForgotten>,
}

/// Which operations to list.
#[derive(Clone, Debug, Default)]
pub struct LogFilter {
    /// Only operations of these kinds (`evidence`, `claim` …) or, for evidence, of these evidence
    /// kinds.
    pub kinds: Vec<String>,
    /// Only by this key.
    pub author: Option<Author>,
    /// Only from this time of recording on, microseconds.
    pub since_us: Option<u64>,
    /// Only up to this time of recording (inclusive), microseconds since the Unix epoch.
    pub as_of_us: Option<u64>,
}

impl LogFilter {
    fn admits(&self, operation: &Operation<Unverified>) -> bool {
        let header = operation.header();
        let of_kind = |kind: &String| {
            header.kind.as_str() == kind
                || operation
                    .body_value()
                    .is_some_and(|body| body.get("kind").and_then(Value::as_str) == Some(kind))
        };
        (self.kinds.is_empty() || self.kinds.iter().any(of_kind))
            && self.author.is_none_or(|author| author == header.author)
            && self.since_us.is_none_or(|since| header.ts.0 >= since)
            && self.as_of_us.is_none_or(|until| header.ts.0 <= until)
    }
}

/// A space in numbers.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Status {
    /// The space's id.
    pub space: SpaceId,
    /// Its name.
    pub name: String,
    /// Its file.
    #[serde(serialize_with = "crate::path_as_text")]
    pub path: std::path::PathBuf,
    /// Whose key writes.
    pub author: Author,
    /// Whether it can be written.
    pub read_only: bool,
    /// The number up to which this key's own operations came from an export; none if all were
    /// written here. If the key wrote more elsewhere after that, writing here is a fork.
    pub restored_up_to: Option<u64>,
    /// The number of this key's last operation; 0 if it has written nothing.
    pub own_seq: u64,
    /// Operations by kind.
    pub operations: BTreeMap<String, u64>,
    /// Indexed evidence that counts (not superseded, not retracted), by kind.
    pub evidence: BTreeMap<String, u64>,
    /// Bodies that are missing.
    pub bodies: MissingBodies,
    /// How far the ledger goes.
    pub ledger_position: Position,
    /// How far the text index has read.
    pub text_position: Position,
    /// Sizes.
    pub size: Size,
}

impl Reader<'_> {
    /// One operation.
    ///
    /// # Errors
    /// If no operation has this id.
    pub fn show(&self, id: &OpId) -> Result<Shown, EngineError> {
        self.show_at(id, None)
    }

    /// The same with what cited it as of a time of recording (inclusive, microseconds since the
    /// Unix epoch). What was recorded later is unknown.
    ///
    /// # Errors
    /// If no operation has this id, or it was recorded after that time.
    pub fn show_at(&self, id: &OpId, as_of_us: Option<u64>) -> Result<Shown, EngineError> {
        let Recorded { position, operation } =
            self.store.get(id)?.ok_or_else(|| EngineError::UnknownId { prefix: id.to_string() })?;
        let fault = operation.clone().verify().err().map(|error| error.to_string());
        let cited_by = self.at(as_of_us, |index| match index.entry(id)? {
            Some(_) => Ok(Some(index.citing(id)?)),
            None => Ok(None),
        })?;
        let Some(cited_by) = cited_by else {
            let viewpoint = Viewpoint { as_of_us, ..Viewpoint::default() };
            return Err(self.unknown_then(id, &viewpoint)?);
        };
        let forgotten = if operation.body().is_none() { self.why_forgotten(id)? } else { None };
        Ok(Shown { operation, position, cited_by, fault, forgotten })
    }

    /// Operations that arrived after `after` and pass the filter, oldest first, to `take` until it
    /// answers false. The position reached.
    pub fn log(
        &self,
        after: Position,
        filter: &LogFilter,
        mut take: impl FnMut(Recorded) -> bool,
    ) -> Result<Position, EngineError> {
        /// Operations read at a time.
        const READ_OPERATIONS: usize = 256;
        let mut position = after;
        loop {
            let recorded = self.store.read(position, READ_OPERATIONS)?;
            if recorded.is_empty() {
                return Ok(position);
            }
            for recorded in recorded {
                position = recorded.position;
                if filter.admits(&recorded.operation) && !take(recorded) {
                    return Ok(position);
                }
            }
        }
    }

    /// The last `count` operations that pass the filter, oldest first.
    pub fn log_tail(&self, count: usize, filter: &LogFilter) -> Result<Vec<Recorded>, EngineError> {
        /// Operations read at a time, from the end backwards.
        const READ_OPERATIONS: u64 = 256;
        let mut end = self.store.head()?.0;
        let mut tail = Vec::new();
        while end > 0 && tail.len() < count {
            let start = end.saturating_sub(READ_OPERATIONS);
            let recorded = self.store.read(Position(start), (end - start) as usize)?;
            let fitting =
                recorded.into_iter().rev().filter(|recorded| filter.admits(&recorded.operation));
            tail.extend(fitting.take(count - tail.len()));
            end = start;
        }
        tail.reverse();
        Ok(tail)
    }

    /// How far the ledger goes.
    pub fn head(&self) -> Result<Position, EngineError> {
        Ok(self.store.head()?)
    }

    /// The space's name.
    pub fn name(&self) -> Result<String, EngineError> {
        let genesis = self.store.read(Position(0), 1)?.pop();
        Ok(genesis
            .and_then(|recorded| recorded.operation.body_value())
            .and_then(|body| body.get("name").and_then(Value::as_str).map(str::to_owned))
            .unwrap_or_default())
    }

    /// Indexed evidence that counts, by kind.
    pub fn evidence_by_kind(&self) -> Result<BTreeMap<String, u64>, EngineError> {
        Ok(self.store.search(|search, _| search.count_by_kind())?)
    }

    /// The statistics of a space, with the key of the writer.
    pub fn status(&self, author: Author) -> Result<Status, EngineError> {
        Ok(Status {
            space: self.id()?,
            name: self.name()?,
            path: self.store.path().to_owned(),
            author,
            read_only: self.is_read_only(),
            restored_up_to: self.store.restored_up_to(&author)?,
            own_seq: self.store.ledger_index()?.head(&author)?.map_or(0, |head| head.seq),
            operations: self.store.count_by_kind()?,
            evidence: self.evidence_by_kind()?,
            bodies: MissingBodies::of(&self.store.ledger_index()?)?,
            ledger_position: self.store.head()?,
            text_position: self.store.text_position()?,
            size: self.store.size()?,
        })
    }
}

/// An operation as the commands print it in JSON: the interchange form, with its position.
pub fn to_json(recorded: &Recorded) -> Value {
    let operation = &recorded.operation;
    let mut value: Value = serde_json::from_str(&operation.to_line()).unwrap_or(Value::Null);
    value["position"] = json!(recorded.position);
    value
}

/// The same for a list: without the content of an operation that was altered.
pub fn to_json_in_list(recorded: &Recorded) -> Value {
    let mut value = to_json(recorded);
    let altered = is_altered(&recorded.operation);
    if altered {
        value["body"] = Value::Null;
        value["salt"] = Value::Null;
    }
    value["altered"] = json!(altered);
    value
}

/// Whether an operation is not what was signed: its hashes do not fit.
pub fn is_altered(operation: &Operation<Unverified>) -> bool {
    operation.check_hashes().is_err()
}

/// The record that an operation holds, unless it was altered or is something else.
pub fn evidence_of(operation: &Operation<Unverified>) -> Option<Evidence> {
    let Content::Present { body, .. } = operation.content() else { return None };
    match Body::parse(&operation.header().kind, body) {
        Ok(Body::Evidence(evidence)) if !is_altered(operation) => Some(evidence),
        _ => None,
    }
}

/// One line about an operation, for lists: made from its body alone, unless it was altered.
pub fn summary(operation: &Operation<Unverified>) -> String {
    if is_altered(operation) {
        return ALTERED.to_owned();
    }
    let Content::Present { body, .. } = operation.content() else {
        return "(forgotten)".to_owned();
    };
    match Body::parse(&operation.header().kind, body) {
        Ok(body) => summary_of(&body),
        Err(error) => format!("(unreadable: {error})"),
    }
}

/// Who said, wrote or made a record, as it may be shown. A program that took a name which passes
/// for the user's is not shown by it.
pub fn speaker(evidence: &Evidence) -> Option<&str> {
    let role = evidence.payload.role.as_deref();
    let is_program = role.is_some_and(|role| role != "user");
    match evidence.actor.as_deref() {
        Some(actor) if is_program && passes_for_owner(actor) => role,
        actor => actor,
    }
}

/// One line about a record. Some summaries name who made it themselves.
pub fn summary_of_evidence(evidence: &Evidence) -> String {
    let actor = speaker(evidence).map(|actor| format!("{actor}: "));
    let actor = actor.filter(|actor| !evidence.summary.starts_with(actor)).unwrap_or_default();
    format!("{actor}{}", evidence.summary)
}

/// All that a body says in words. Of a record without a text, what else it holds.
pub(crate) fn content_of(body: &Body) -> String {
    match body {
        Body::Evidence(evidence) if evidence.payload.text.is_empty() => {
            format!("{} {}", summary_of_evidence(evidence), json!(evidence.payload))
        }
        Body::Evidence(evidence) => {
            let speaker = speaker(evidence).map(|speaker| format!("{speaker}: "));
            [&speaker.unwrap_or_default(), evidence.payload.text.as_str()].concat()
        }
        Body::Claim(claim) if claim.text.is_empty() => claim.payload.to_string(),
        Body::Claim(claim) => claim.text.clone(),
        Body::Node(node) => node.text.clone().unwrap_or_default(),
        Body::Thought(thought) => thought.content.clone().unwrap_or_default(),
        other => summary_of(other),
    }
}

/// One line about a body.
pub fn summary_of(body: &Body) -> String {
    match body {
        Body::Evidence(evidence) => summary_of_evidence(evidence),
        Body::Space(space) => format!("space {:?}", space.name),
        Body::Grant(grant) | Body::Revoke(grant) => {
            let names: Vec<&str> =
                grant.capabilities.iter().map(|capability| capability.as_str()).collect();
            format!("{} {} {}", names.join(", "), grant.name, grant.key)
        }
        Body::EvidenceRetraction(reason) | Body::Retraction(reason) => reason.reason.clone(),
        Body::Claim(claim) if claim.text.is_empty() => claim.identity_key.clone(),
        Body::Claim(claim) => claim.text.clone(),
        Body::ClaimCorrection(correction) => {
            let summary = correction.text.clone();
            let summary = kernel::evidence::summarize(
                &summary.unwrap_or_else(|| correction.corrected_payload.to_string()),
            );
            noted(&format!("{}: {summary}", correction.identity_key), &correction.note)
        }
        Body::ClaimRefutation(refutation) => noted(&refutation.identity_key, &refutation.note),
        Body::CorrectionWithdrawal(withdrawal)
        | Body::RefutationWithdrawal(withdrawal)
        | Body::RetractionWithdrawal(withdrawal) => withdrawal.note.clone(),
        Body::Import(import) => import_in_words(import),
        Body::Proposal(proposal) => proposal.text.clone(),
        Body::Decision(decision) => noted(&decision.verdict, &decision.feedback),
        Body::Thought(thought) => summarized(thought.content.as_deref()),
        Body::Node(node) => summarized(node.text.as_deref()),
        Body::Edge(edge) => summarized(edge.notes.as_deref()),
        Body::Redaction(redaction) => summarized(redaction.reason.as_deref()),
        Body::Annotation(_) | Body::ClaimInvalidation(_) => String::new(),
        Body::Other(_, fields) => {
            let text = ["text", "content", "reason", "notes"]
                .iter()
                .find_map(|name| fields.get(*name)?.as_str());
            summarized(text)
        }
    }
}

/// `notes (markdown): 18 new, 2 changed`.
fn import_in_words(import: &kernel::body::Import) -> String {
    let counts = [
        ("new", import.added),
        ("changed", import.replaced),
        ("retracted", import.retracted),
        ("already there", import.present),
    ];
    let counted: Vec<String> = counts
        .iter()
        .filter_map(|(word, count)| Some((word, count.filter(|count| *count > 0)?)))
        .map(|(word, count)| format!("{count} {word}"))
        .collect();
    let path = import.path.as_deref().unwrap_or_default();
    let source = import.source.as_deref().unwrap_or_default();
    format!("{path} ({source}): {}", counted.join(", "))
}

fn summarized(text: Option<&str>) -> String {
    kernel::evidence::summarize(text.unwrap_or_default())
}

fn noted(text: &str, note: &str) -> String {
    if note.is_empty() { text.to_owned() } else { format!("{text} ({note})") }
}
