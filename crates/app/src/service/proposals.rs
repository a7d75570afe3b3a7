//! What an agent may do in the user's name: propose it, unless it takes back what it said itself.
//!
//! A request becomes drafts, as a user's own request does. Then one of four things happens. What
//! the agent itself said is taken back at once, by the agent's key. What the configuration allows
//! the agent is done at once. If the host can ask the user, it asks, and the user's answer counts.
//! Otherwise the request is kept as a proposal, for `because review`. In all but the first case the
//! agent's key signs the proposal and the user's key the change, which cites the proposal.

use engine::belief::proposed::{Consent, ProposedChange, propose};
use engine::belief::review::{Status, acting_on};
use engine::belief::user::Replacement;
use engine::inspect::summary;
use engine::keys::KeyRing;
use engine::private::Disclosure;
use engine::selection::Selection;
use engine::write::import::Intent;
use engine::{EngineError, Space};
use importers::secrets::{SecretKind, mask_body};
use jiff::Timestamp;
use kernel::body::{Body, Redaction, payload_digest};
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::operation::Role;
use kernel::seal::Draft;
use serde_json::json;

use super::agents::{Agent, program_name_among};
use super::change_wording::lines;
use super::changes::{Action, Outcome, Subject, Verb, withhold_private_actions};
use super::corrections::{Decision, ReviewDecision, act, retracted};
use super::disclosure::{belief_named, record_named};
use super::forgetting;
use super::graph;
use super::wording::shortened;
use crate::failure::{Failure, RequestError};

/// Longest question to the user, characters.
const QUESTION_CHARS_MAX: usize = 4_000;

/// What an agent asks for.
pub(crate) enum ProposalRequest {
    /// Replace a belief.
    Correct {
        /// The belief.
        name: String,
        /// What is true instead.
        by: Replacement,
    },
    /// Mark a belief as false.
    Refute {
        /// The belief.
        name: String,
        /// Why it is false.
        note: String,
    },
    /// Take a record back.
    Retract {
        /// The record.
        name: String,
        /// Why it is taken back.
        note: String,
    },
    /// Take a record back and remove its content.
    Forget {
        /// The record.
        name: String,
        /// Why it is forgotten.
        note: String,
    },
}

/// The user's answer to a question, with the question's token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    /// Which question was answered.
    pub(crate) token: String,
    /// The answer.
    pub(crate) verdict: Verdict,
}

/// The user's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Do it.
    Accepted,
    /// Do not do it.
    Declined,
    /// The user did not answer.
    Unanswered,
}

/// Who asks, and whether the user can be asked.
pub(crate) struct Caller<'a> {
    /// The agent.
    pub(crate) agent: &'a Agent,
    /// Whether the configuration allows it what it asks for.
    pub(crate) is_allowed: bool,
    /// Whether its host can ask the user.
    pub(crate) can_ask: bool,
    /// The user's answer, if the user was asked.
    pub(crate) reply: Option<Reply>,
    /// What the agent is shown, and what passes through its host on the way to the user.
    pub(crate) disclosure: Disclosure,
}

/// What became of a request.
pub(crate) enum Handled {
    /// It is done.
    Done {
        /// What changed.
        outcome: Outcome,
        /// The proposal that it came from; none where the agent took back its own.
        proposal: Option<OpId>,
    },
    /// It awaits the user's decision, or was rejected before.
    Proposed {
        /// What would change.
        outcome: Outcome,
        /// The proposal.
        proposal: OpId,
        /// Whether the same was proposed before, and what became of it.
        before: Option<Status>,
    },
    /// The user declined; nothing was written.
    Declined,
    /// The user is to be asked.
    Question {
        /// The question.
        message: String,
        /// Names the question in the answer.
        token: String,
    },
}

/// A request as drafts.
struct Plan {
    drafts: Vec<Draft>,
    /// Drafts that change the same beliefs at once, where those above do so only in time: what is
    /// forgotten has no effect once it is erased.
    hypothesis: Option<Vec<Draft>>,
    actions: Vec<Action>,
    masked: Vec<SecretKind>,
    /// The request in one line, for the user.
    headline: String,
    /// What would be erased, and which beliefs would fall, line by line.
    erased: Vec<String>,
    /// Private records among its targets that the agent is not shown.
    withheld: usize,
}

/// Does what an agent asks for, asks the user about it, or keeps it as a proposal. The answer and
/// the question show nothing that the agent may not see.
pub(crate) fn handle(
    space: &mut Space,
    now: Timestamp,
    request: ProposalRequest,
    caller: Caller<'_>,
) -> Result<Handled, Failure> {
    let disclosure = caller.disclosure;
    let mut handled = decide_on(space, now, request, caller)?;
    if disclosure == Disclosure::WithoutPrivate {
        match &mut handled {
            Handled::Done { outcome, .. } | Handled::Proposed { outcome, .. } => {
                outcome.withhold_private(space)?;
            }
            Handled::Declined | Handled::Question { .. } => {}
        }
    }
    Ok(handled)
}

fn decide_on(
    space: &mut Space,
    now: Timestamp,
    request: ProposalRequest,
    caller: Caller<'_>,
) -> Result<Handled, Failure> {
    let Caller { agent, is_allowed, can_ask, reply, disclosure } = caller;
    let keys = space.key_ring()?;
    let program = program_name_among(Some(&agent.name), &keys);
    let request = &request.named(space, disclosure)?;
    let mut plan = plan(space, now, request, &program, disclosure)?;
    if disclosure == Disclosure::WithoutPrivate {
        plan.withheld += withhold_private_actions(space, &mut plan.actions)?;
    }
    let replaces_record = plan.drafts.iter().any(|draft| draft.body.kind() == Kind::Evidence);
    if (replaces_record || matches!(request, ProposalRequest::Retract { .. }))
        && is_own(space, &keys, agent, &plan)?
    {
        agent.let_in(space, now)?;
        let mut writer = space.writer_with(&agent.sealer);
        let changes = writer.act(plan.drafts, Intent::Write, now)?;
        writer.finish()?;
        let outcome = Outcome {
            actions: plan.actions,
            changes,
            intent: Intent::Write,
            withheld: plan.withheld,
            is_counted: true,
        };
        return Ok(Handled::Done { outcome, proposal: None });
    }
    // A proposal holds what acts on records, and not new records in the user's name. So a record is
    // replaced at once, or not at all.
    if is_allowed && replaces_record {
        return replace_record(space, now, plan);
    }
    if is_allowed {
        return accept_new(space, now, agent, plan, &program, Consent::Setting);
    }
    let mut expected = preview(space, now, &plan)?;
    if disclosure == Disclosure::WithoutPrivate {
        expected.withhold_private(space)?;
    }
    let message = question(&plan, &expected);
    let token = payload_digest(&json!([message, program])).to_string();
    match reply.filter(|reply| reply.token == token).map(|reply| reply.verdict) {
        Some(Verdict::Accepted) if replaces_record => return replace_record(space, now, plan),
        Some(Verdict::Accepted) => {
            return accept_new(space, now, agent, plan, &program, Consent::Elicitation);
        }
        Some(Verdict::Declined) => return Ok(Handled::Declined),
        None if can_ask => return Ok(Handled::Question { message, token }),
        Some(Verdict::Unanswered) | None if replaces_record => {
            return Err(RequestError::RecordOfUser.into());
        }
        Some(Verdict::Unanswered) | None => {}
    }
    let before = space.proposed_before(&plan.drafts)?;
    if let Some(ProposedChange { id: proposal, status, .. }) = before {
        return Ok(Handled::Proposed { outcome: expected, proposal, before: Some(status) });
    }
    let proposal = stage(space, now, agent, &plan, &program)?;
    Ok(Handled::Proposed { outcome: expected, proposal, before: None })
}

impl ProposalRequest {
    /// The request with the full name of what it is about. What is not disclosed is unknown.
    fn named(mut self, space: &Space, disclosure: Disclosure) -> Result<Self, EngineError> {
        match &mut self {
            Self::Correct { name, .. } | Self::Refute { name, .. } => {
                *name = belief_named(space, name, disclosure)?;
            }
            Self::Retract { name, .. } | Self::Forget { name, .. } => {
                *name = record_named(space, name, disclosure)?;
            }
        }
        Ok(self)
    }
}

/// Decides about the proposed change that `name` names; none if it names something else.
pub(crate) fn decide(
    space: &mut Space,
    now: Timestamp,
    name: &str,
    asked: ReviewDecision<'_>,
) -> Result<Option<Outcome>, Failure> {
    let Some(change) = space.change_to_decide(name)? else { return Ok(None) };
    let (drafts, verb) = match asked.decision {
        Decision::Accept => (change.accept(Consent::Review, asked.note)?, Verb::AcceptedProposal),
        Decision::Dismiss => (change.dismiss(asked.note)?, Verb::DismissedProposal),
    };
    let summary = change.text;
    let action = Action { verb, subject: Subject::Record { id: change.id, summary } };
    let mut actions = vec![action];
    if asked.is_accepted() {
        actions = [actions_of(space, &change.operations)?, actions].concat();
    }
    Ok(Some(act(space, now, drafts, actions, asked.intent)?))
}

/// The drafts of a request, with their secrets masked.
fn plan(
    space: &mut Space,
    now: Timestamp,
    request: &ProposalRequest,
    program: &str,
    disclosure: Disclosure,
) -> Result<Plan, Failure> {
    let (mut erased, mut hypothesis) = (Vec::new(), None);
    let (drafts, verb, note) = match request {
        ProposalRequest::Correct { name, by } => {
            (space.to_correct(name, by)?, "correct", by.note.as_str())
        }
        ProposalRequest::Refute { name, note } => {
            (space.to_refute(name, note)?, "refute", note.as_str())
        }
        ProposalRequest::Retract { name, note } => {
            let drafts = space.to_retract(name, note)?;
            for target in drafts.iter().flat_map(|draft| &draft.refs) {
                graph::check_not_corrected(space, &target.id)?;
            }
            (drafts, "retract", note.as_str())
        }
        ProposalRequest::Forget { name, note } => {
            let forgetting = to_forget(space, now, name, note, disclosure)?;
            (erased, hypothesis) = (forgetting.lines, Some(forgetting.hypothesis));
            let drafts = forgetting.drafts;
            (drafts, "forget", note.as_str())
        }
    };
    let actions = actions_of(space, &drafts)?;
    let (drafts, masked) = without_secrets(drafts);
    let what = actions.first().map_or_else(String::new, |action| match &action.subject {
        Subject::Belief(key) => key.clone(),
        Subject::Record { summary, .. } => format!("{summary:?}"),
        Subject::Records { which, .. } => which.clone(),
    });
    let instead = match drafts.first().map(|draft| &draft.body) {
        Some(Body::ClaimCorrection(correction)) => {
            let text = correction.text.clone();
            let text = text.unwrap_or_else(|| correction.corrected_payload.to_string());
            format!(" to: {}", shortened(&text))
        }
        _ => String::new(),
    };
    let note = importers::secrets::mask_string(note).into_inner();
    let (what, note) = (shortened(&what), shortened(&note));
    let headline = format!("{program} asks to {verb} {what}{instead}, because: {note}");
    Ok(Plan { drafts, hypothesis, actions, masked, headline, erased, withheld: 0 })
}

/// A request to forget a record.
struct Forgetting {
    drafts: Vec<Draft>,
    /// Drafts that change the same beliefs at once.
    hypothesis: Vec<Draft>,
    /// What would go, line by line.
    lines: Vec<String>,
}

/// What forgetting a record appends: a redaction of it, and of all that has to go with it. Nothing
/// finds what is redacted or builds on it, and its content is erased.
fn to_forget(
    space: &mut Space,
    now: Timestamp,
    name: &str,
    note: &str,
    disclosure: Disclosure,
) -> Result<Forgetting, Failure> {
    let id = space.resolve(name)?;
    let selection = Selection { ids: vec![id.to_string()], ..Selection::default() };
    let mut plan = forgetting::plan(space, now, &selection)?;
    if plan.records_again() {
        // What keeps its effect is signed anew by whoever forgets, and only the person may do that.
        let which = format!("can be forgotten here: only the person who typed {id} can forget it");
        return Err(RequestError::NoSuchRecords { which, near: Vec::new() }.into());
    }
    let redaction = || Redaction { reason: Some(note.to_owned()), ..Redaction::default() };
    // The record that was asked for comes first.
    let others = plan.targets().filter(|target| **target != id);
    let drafts = std::iter::once(&id)
        .chain(others)
        .map(|target| acting_on(*target, Body::Redaction(redaction())));
    let drafts = drafts.collect::<Result<_, EngineError>>()?;
    let hypothesis = plan.drafts(space)?;
    if disclosure == Disclosure::WithoutPrivate {
        plan.withhold_private(space)?;
    }
    Ok(Forgetting { drafts, hypothesis, lines: plan.lines() })
}

/// The drafts without the secrets that are recognised in them, so that a proposal says exactly what
/// is appended later. Names of identities stay.
fn without_secrets(drafts: Vec<Draft>) -> (Vec<Draft>, Vec<SecretKind>) {
    let mut kinds = Vec::new();
    let masked = drafts.into_iter().map(|Draft { body, refs }| {
        let key = body.identity().map(|(key, _)| key.to_owned());
        let masked = mask_body(body);
        kinds.extend(masked.secrets().iter().map(|secret| secret.kind));
        let mut body = masked.into_inner();
        if let Some(key) = key {
            match &mut body {
                Body::ClaimCorrection(correction) => correction.identity_key = key,
                Body::ClaimRefutation(refutation) => refutation.identity_key = key,
                _ => {}
            }
        }
        Draft { body, refs }
    });
    (masked.collect(), kinds)
}

/// What the user does by appending these drafts.
fn actions_of(space: &Space, drafts: &[Draft]) -> Result<Vec<Action>, Failure> {
    let mut actions = Vec::new();
    for draft in drafts {
        let one = std::slice::from_ref(draft);
        match &draft.body {
            Body::ClaimCorrection(body) => {
                actions.push(Action::on_belief(Verb::Corrected, &body.identity_key));
            }
            Body::ClaimRefutation(body) => {
                actions.push(Action::on_belief(Verb::Refuted, &body.identity_key));
            }
            Body::Claim(claim) => {
                actions.push(Action::on_belief(Verb::Stated, &claim.identity_key));
            }
            Body::Evidence(_) => {
                let records = superseded(space, draft)?;
                actions.extend(records.map(|subject| Action { verb: Verb::Corrected, subject }));
            }
            Body::Redaction(_) => {
                let records = retracted(space, one)?;
                actions.extend(
                    records.into_iter().map(|action| Action { verb: Verb::Forgot, ..action }),
                );
            }
            _ => actions.extend(retracted(space, one)?),
        }
    }
    Ok(actions)
}

/// The record that a corrected one replaces.
fn superseded(space: &Space, draft: &Draft) -> Result<Option<Subject>, Failure> {
    let Some(cited) = draft.refs.iter().find(|cited| cited.role.as_str() == Role::SUPERSEDES)
    else {
        return Ok(None);
    };
    let summary = summary(&space.show(&cited.id)?.operation);
    Ok(Some(Subject::Record { id: cited.id, summary }))
}

/// Whether a retraction or a correction takes back what the agent said itself: its own record, in
/// which it does not quote the user.
fn is_own(space: &Space, keys: &KeyRing, agent: &Agent, plan: &Plan) -> Result<bool, Failure> {
    for cited in plan.drafts.iter().flat_map(|draft| &draft.refs) {
        let shown = space.show(&cited.id)?;
        if shown.operation.header().author != agent.sealer.author()
            || keys.quoted_by(&shown.operation).is_some()
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Replaces a record with the user's key.
fn replace_record(space: &mut Space, now: Timestamp, plan: Plan) -> Result<Handled, Failure> {
    let mut outcome = act(space, now, plan.drafts, plan.actions, Intent::Write)?;
    outcome.changes.masked.extend(&plan.masked);
    outcome.withheld += plan.withheld;
    Ok(Handled::Done { outcome, proposal: None })
}

/// What would change if the user agreed.
fn preview(space: &mut Space, now: Timestamp, plan: &Plan) -> Result<Outcome, Failure> {
    let drafts = plan.hypothesis.as_ref().unwrap_or(&plan.drafts).clone();
    let mut outcome = act(space, now, drafts, plan.actions.clone(), Intent::DryRun)?;
    outcome.changes.masked.extend(&plan.masked);
    outcome.withheld += plan.withheld;
    Ok(outcome)
}

/// The question to the user: who asks for what and why, and what would change.
fn question(plan: &Plan, expected: &Outcome) -> String {
    let mut question = format!("{}\n", plan.headline);
    for line in &plan.erased {
        question.push_str(line);
        question.push('\n');
    }
    for line in lines(expected) {
        question.push_str(&line.text());
        question.push('\n');
    }
    question.push_str("If you accept, it is recorded as your own word.");
    match question.char_indices().nth(QUESTION_CHARS_MAX) {
        Some((at, _)) => format!("{} …", question.get(..at).unwrap_or_default()),
        None => question,
    }
}

/// Keeps a request as a proposal, signed by the agent's key.
fn stage(
    space: &mut Space,
    now: Timestamp,
    agent: &Agent,
    plan: &Plan,
    program: &str,
) -> Result<OpId, Failure> {
    agent.let_in(space, now)?;
    let proposal = propose(&plan.drafts, program, &plan.headline)?;
    let mut writer = space.writer_with(&agent.sealer);
    let id = writer.append(proposal, now)?;
    writer.finish()?;
    Ok(id)
}

/// Keeps a request as a proposal and accepts it with the user's key. A proposal of the same that
/// awaits a decision is accepted instead.
fn accept_new(
    space: &mut Space,
    now: Timestamp,
    agent: &Agent,
    plan: Plan,
    program: &str,
    consent: Consent,
) -> Result<Handled, Failure> {
    let before = space.proposed_before(&plan.drafts)?;
    let id = match before.filter(|before| before.status == Status::Pending) {
        Some(before) => before.id,
        None => stage(space, now, agent, &plan, program)?,
    };
    let missing = || EngineError::UnknownId { prefix: id.to_string() };
    let change = space.proposed_change(&id.to_string())?.ok_or_else(missing)?;
    let drafts = change.accept(consent, "")?;
    let mut outcome = act(space, now, drafts, plan.actions, Intent::Write)?;
    outcome.changes.masked.extend(&plan.masked);
    outcome.withheld += plan.withheld;
    Ok(Handled::Done { outcome, proposal: Some(id) })
}
