//! `correct`, `refute`, `retract` and `forget`: what an agent asks for in the user's name.

use engine::belief::review::Status;
use engine::belief::user::Replacement;
use engine::derive::Derived;
use engine::write::import::Intent;

use super::{Answered, Memory, Response, clock_warning, joined};
use crate::failure::{Failure, RequestError};
use crate::mcp::answers::{Decided, DecidedStatus};
use crate::mcp::arguments::{Action, Asking, Correct, Forget, Refute, Retract};
use crate::mcp::quote::{READING, READING_STRUCTURED, quote};
use crate::service::Session;
use crate::service::change_wording::lines;
use crate::service::changes::Outcome;
use crate::service::proposals::{Caller, Handled, ProposalRequest, handle};

impl Memory {
    /// Does what the agent asks for, keeps it as a proposal, or answers with a question to the
    /// user.
    pub(super) fn propose(
        &mut self,
        session: &Session,
        action: Action,
        asking: Asking,
    ) -> Result<Response, Failure> {
        let tool = action.tool();
        let request = action.request()?;
        let Asking { program, can_ask, reply } = asking;
        let agent = self.agent(session, program.as_deref())?;
        let reader = self.reader(program.as_deref());
        let open = self.opened.writable(session)?;
        let clock = clock_warning(&open.spaces.own, session)?;
        let (passed, words) = open.warning();
        let warning = Warning { structured: joined(passed, clock.clone()), clock, words };
        let space = &mut open.spaces.own.space;
        let is_allowed = reader.may(session, space, tool)?;
        let disclosure = reader.disclosure(session, space);
        let caller = Caller { agent: &agent, is_allowed, can_ask, reply, disclosure };
        let handled = handle(space, session.now, request, caller)?;
        // The user's word is embedded like what is remembered.
        self.is_unread |= matches!(handled, Handled::Done { .. });
        Ok(Response::Answer(match handled {
            Handled::Question { message, token } => {
                return Ok(Response::Question { message, token });
            }
            Handled::Done { outcome, proposal } => {
                let proposal = proposal.map(|id| id.to_string());
                answer(DecidedStatus::Done, proposal, &outcome, "", warning)?
            }
            Handled::Declined => answer(
                DecidedStatus::Declined,
                None,
                &unchanged(),
                "The user declined. Nothing was written. Do not ask again unless the user brings it up.",
                Warning::default(),
            )?,
            Handled::Proposed { outcome, proposal, before } => {
                let (status, words) = match before {
                    Some(Status::Dismissed) => (
                        DecidedStatus::Declined,
                        format!(
                            "The user dismissed this proposal before. Nothing was written. If the user wants it now, the user can do it with `because {}`.",
                            tool.as_str()
                        ),
                    ),
                    before => (
                        DecidedStatus::Proposed,
                        format!(
                            "{} Nothing has changed yet: the user decides. Tell the user to run `because review list`, then `because review accept {proposal}` or `because review dismiss {proposal}`.",
                            if before.is_some() {
                                "This is proposed already."
                            } else {
                                "Proposed."
                            }
                        ),
                    ),
                };
                answer(status, Some(proposal.to_string()), &outcome, &words, warning)?
            }
        }))
    }
}

impl Action {
    fn request(self) -> Result<ProposalRequest, RequestError> {
        let noted = |note: String| match note.trim().is_empty() {
            true => Err(RequestError::EmptyNote),
            false => Ok(note),
        };
        Ok(match self {
            Self::Correct(Correct { name, fields, text, note }) => {
                let fields = fields.unwrap_or_default();
                let text = text.filter(|text| !text.trim().is_empty());
                if fields.is_empty() && text.is_none() {
                    return Err(RequestError::EmptyCorrection);
                }
                let set = fields.into_iter().map(|(field, value)| format!("{field}={value}"));
                let by = Replacement { set: set.collect(), text, note: noted(note)?, at: None };
                ProposalRequest::Correct { name, by }
            }
            Self::Refute(Refute { name, note }) => {
                ProposalRequest::Refute { name, note: noted(note)? }
            }
            Self::Retract(Retract { name, note }) => {
                ProposalRequest::Retract { name, note: noted(note)? }
            }
            Self::Forget(Forget { name, note }) => {
                ProposalRequest::Forget { name, note: noted(note)? }
            }
        })
    }
}

/// What the user should know about the space and the clock.
#[derive(Default)]
struct Warning {
    /// Both, as data.
    structured: Option<String>,
    clock: Option<String>,
    /// The warning about the space, in words of the server's own.
    words: String,
}

/// The outcome of a request that changed nothing.
fn unchanged() -> Outcome {
    let changes =
        engine::write::commit::Changes { derived: Derived::default(), ..Default::default() };
    Outcome { actions: Vec::new(), changes, intent: Intent::DryRun, withheld: 0, is_counted: true }
}

fn answer(
    status: DecidedStatus,
    proposal: Option<String>,
    outcome: &Outcome,
    status_in_words: &str,
    warning: Warning,
) -> Result<Answered, Failure> {
    let Warning { structured: warning, clock, mut words } = warning;
    words.extend(clock.map(|clock| format!("{clock}\n")));
    let report = outcome.report();
    let answer = Decided { reading: READING_STRUCTURED, status, proposal, report, warning };
    if !status_in_words.is_empty() {
        words.push_str(&format!("{status_in_words}\n"));
    }
    if !outcome.actions.is_empty() {
        words.push_str(&format!("{READING}\n"));
        let mut lines = lines(outcome);
        if outcome.intent == Intent::DryRun {
            // The last line says that nothing was written, but a proposal may have been.
            lines.pop();
        }
        for line in lines {
            quote(&mut words, &line.text());
        }
    }
    Answered::new(words, &answer)
}
