//! `state` and `connect`: what an agent adds to the graph, and `propose_patch`: what it proposes to
//! change of it.

use engine::belief::review::Status;
use engine::private::Disclosure;
use engine::write::patch::{Patched, StatusChange};
use engine::{EngineError, Space};
use kernel::body::EdgeType;
use retrieval::text::visible::visible;
use serde_json::json;

use super::{Answered, Memory, clock_warning, joined};
use crate::failure::{Failure, RequestError};
use crate::mcp::graph_answers::{ChangedStatus, GraphWritten, Refusal, Restated};
use crate::mcp::graph_arguments::{Connect, ProposePatch, State};
use crate::mcp::quote::{READING, READING_STRUCTURED, quote};
use crate::service::Session;
use crate::service::agent_changes::{
    AgentChanged, AgentEdge, AgentStatement, AgentWriter, check_operations, same_patch,
};
use crate::service::agents::{Agent, program_name_among};
use crate::service::graph::validity;
use crate::service::patch;
use crate::service::wording::private_by_grounds;

/// Most operations of a patch that an agent proposes.
const OPERATIONS_MAX: usize = 200;
/// Statuses that are listed.
const STATUSES_MAX: usize = 40;

/// What is known of a change before it is put in words.
struct Outcome {
    status: ChangedStatus,
    id: Option<String>,
    proposal: Option<String>,
    reasons: Vec<Refusal>,
    statuses: Vec<StatusChange>,
    masked: Vec<String>,
    /// What the agent should know about who sees it.
    warning: Option<String>,
}

impl Outcome {
    fn new(status: ChangedStatus) -> Self {
        Self {
            status,
            id: None,
            proposal: None,
            reasons: Vec::new(),
            statuses: Vec::new(),
            masked: Vec::new(),
            warning: None,
        }
    }

    /// Of a patch that waits for the user, or that the user decided about before.
    fn waiting(patch: kernel::id::OpId, before: Option<Status>) -> Self {
        let status = match before {
            Some(Status::Dismissed | Status::Reverted | Status::Moot) => ChangedStatus::Declined,
            _ => ChangedStatus::Proposed,
        };
        Self { proposal: Some(patch.to_string()), ..Self::new(status) }
    }
}

impl Memory {
    pub(super) fn state(
        &mut self,
        session: &Session,
        arguments: State,
        program: Option<String>,
    ) -> Result<Answered, Failure> {
        let State {
            text,
            record_type,
            sources,
            supersedes,
            valid_from,
            valid_to,
            tags,
            confidence,
        } = arguments;
        let asked = AgentStatement {
            record_type: record_type.map(Into::into),
            text,
            sources: sources.unwrap_or_default(),
            tags,
            validity: validity(session, valid_from.as_deref(), valid_to.as_deref())?,
            confidence,
            supersedes,
        };
        self.change(session, program.as_deref(), |mut writer| writer.state(asked))
    }

    pub(super) fn connect(
        &mut self,
        session: &Session,
        arguments: Connect,
        program: Option<String>,
    ) -> Result<Answered, Failure> {
        let Connect { edge_type, from, to, sources, notes } = arguments;
        let asked = AgentEdge {
            edge_type: EdgeType::from(edge_type),
            from,
            to,
            sources: sources.unwrap_or_default(),
            notes: notes.unwrap_or_default(),
        };
        self.change(session, program.as_deref(), |mut writer| writer.connect(asked))
    }

    fn change(
        &mut self,
        session: &Session,
        program: Option<&str>,
        make: impl FnOnce(AgentWriter<'_>) -> Result<AgentChanged, Failure>,
    ) -> Result<Answered, Failure> {
        let outcome = |space: &mut Space, agent: &Agent, disclosure| {
            let changed = make(AgentWriter { session, space, agent, disclosure })?;
            Ok(match changed {
                AgentChanged::Proposed { patch, before } => Outcome::waiting(patch, before),
                AgentChanged::Done { id, changed } => {
                    let is_new = !changed.appended.is_empty();
                    let status = if is_new { ChangedStatus::Done } else { ChangedStatus::Known };
                    let masked = changed.changes.masked.iter().map(ToString::to_string);
                    // Ids of private records are unknown, also of one that says the same already.
                    let is_withheld = match id.filter(|_| disclosure != Disclosure::Full) {
                        Some(id) => !is_new && space.is_private(&id)?,
                        None => false,
                    };
                    Outcome {
                        id: id.filter(|_| !is_withheld).map(|id| id.to_string()),
                        masked: masked.collect(),
                        warning: private_by_grounds(changed.private_by_grounds.len()),
                        statuses: changed.statuses,
                        ..Outcome::new(status)
                    }
                }
            })
        };
        self.write(session, program, outcome)
    }

    pub(super) fn propose_patch(
        &mut self,
        session: &Session,
        arguments: ProposePatch,
        program: Option<String>,
    ) -> Result<Answered, Failure> {
        let ProposePatch { text, operations } = arguments;
        if visible(&text).trim().is_empty() {
            return Err(RequestError::EmptyText.into());
        }
        if operations.len() > OPERATIONS_MAX {
            let (found, limit) = (operations.len(), OPERATIONS_MAX);
            return Err(RequestError::PatchTooLong { found, limit }.into());
        }
        check_operations(&operations)?;
        let file = json!({ "text": text.trim(), "operations": operations }).to_string();
        let propose = |space: &mut Space, agent: &Agent, disclosure| {
            let program = program_name_among(Some(&agent.name), &space.key_ring()?);
            let read = patch::read_disclosed(session, space, &file, &program, disclosure)?;
            let patched = match read.check(space, session.now)? {
                Err(reasons) => {
                    let reasons = reasons.iter().map(Refusal::of).collect();
                    return Ok(Outcome { reasons, ..Outcome::new(ChangedStatus::Refused) });
                }
                Ok(patched) => patched,
            };
            let Patched { statuses, private_by_grounds: private, .. } = patched;
            if let Some(before) = same_patch(space, agent.sealer.author(), &read.patch)? {
                return Ok(Outcome::waiting(before.id, Some(before.status)));
            }
            agent.let_in(space, session.now)?;
            let mut writer = space.writer_with(&agent.sealer);
            let id = writer.propose_patch(&read.patch, session.now)?;
            writer.finish()?;
            let warning = private_by_grounds(private.len());
            Ok(Outcome { statuses, warning, ..Outcome::waiting(id, None) })
        };
        self.write(session, program.as_deref(), propose)
    }

    /// Changes the space in an agent's name, and says what became of it.
    fn write(
        &mut self,
        session: &Session,
        program: Option<&str>,
        make: impl FnOnce(&mut Space, &Agent, Disclosure) -> Result<Outcome, Failure>,
    ) -> Result<Answered, Failure> {
        let agent = self.agent(session, program)?;
        let reader = self.reader(program);
        let open = self.opened.writable_or_new(session)?;
        let clock = clock_warning(&open.spaces.own, session)?;
        let (passed, mut words) = open.warning();
        let space = &mut open.spaces.own.space;
        let disclosure = reader.disclosure(session, space);
        let mut outcome = make(space, &agent, disclosure)?;
        outcome.statuses = shown(space, outcome.statuses, disclosure)?;
        self.is_unread = outcome.status == ChangedStatus::Done;
        words.extend(clock.as_ref().map(|clock| format!("{clock}\n")));
        words.push_str(&in_words(&outcome));
        let answer = GraphWritten {
            reading: READING_STRUCTURED,
            status: outcome.status,
            id: outcome.id,
            proposal: outcome.proposal,
            reasons: outcome.reasons,
            statuses: outcome.statuses.iter().map(Restated::of).collect(),
            masked: outcome.masked,
            warning: joined(joined(passed, clock), outcome.warning),
        };
        Answered::new(words, &answer)
    }
}

/// The first of the changes of statuses that the agent may see.
fn shown(
    space: &Space,
    mut statuses: Vec<StatusChange>,
    disclosure: Disclosure,
) -> Result<Vec<StatusChange>, EngineError> {
    let ids: Vec<_> = statuses.iter().map(|change| change.id).collect();
    let withheld = space.withheld_among(&ids, disclosure)?;
    statuses.retain(|change| !withheld.contains(&change.id));
    statuses.truncate(STATUSES_MAX);
    Ok(statuses)
}

fn in_words(outcome: &Outcome) -> String {
    let Outcome { status, id, proposal, reasons, statuses, masked, warning } = outcome;
    let (id, proposal) = (id.clone().unwrap_or_default(), proposal.clone().unwrap_or_default());
    let mut words = match status {
        ChangedStatus::Done => format!("Recorded as {id}.\n"),
        ChangedStatus::Known if id.is_empty() => {
            "Memory says so already. Nothing was written.\n".to_owned()
        }
        ChangedStatus::Known => format!("Memory says so already, as {id}. Nothing was written.\n"),
        ChangedStatus::Proposed => format!(
            "Proposed as {proposal}. Nothing has changed yet: the user decides. Tell the user to run `because review list`, then `because review accept {proposal}` or `because review dismiss {proposal}`.\n"
        ),
        ChangedStatus::Declined => format!(
            "The user dismissed this before, or took it back ({proposal}). Nothing was written. Do not ask again unless the user brings it up.\n"
        ),
        ChangedStatus::Refused => {
            "Refused, and nothing was written. Mend every operation that is named, and call again.\n"
                .to_owned()
        }
    };
    for kind in masked {
        words.push_str(&format!("A secret was masked: {kind}\n"));
    }
    words.extend(warning.iter().map(|warning| format!("Note: {warning}.\n")));
    if !reasons.is_empty() || !statuses.is_empty() {
        words.push_str(&format!("{READING}\n"));
    }
    for Refusal { operation, local, code, message } in reasons {
        let local = local.as_ref().map(|local| format!(" ({local})")).unwrap_or_default();
        quote(&mut words, &format!("operation {operation}{local}: {code}: {message}"));
    }
    for StatusChange { id, text, before, after, .. } in statuses {
        let (before, after) = (before.unwrap_or("new"), after.unwrap_or("gone"));
        quote(&mut words, &format!("{before} → {after}: {text}\nid {id}"));
    }
    words
}
