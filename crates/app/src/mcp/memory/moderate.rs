//! `knowledgegraph_moderate`: candidates for the graph are decided in the user's name.

use engine::write::import::Intent;
use kernel::body::payload_digest;
use serde_json::json;

use super::{Answered, Memory, Response};
use crate::failure::{Failure, within};
use crate::mcp::ToolName;
use crate::mcp::arguments::Asking;
use crate::mcp::graph_answers::ModerationAnswer;
use crate::mcp::graph_arguments::Moderate;
use crate::mcp::quote::{READING, READING_STRUCTURED, quote};
use crate::service::Session;
use crate::service::agents::program_name;
use crate::service::moderation::{
    Decision, ItemReport, ModerationReport, ModerationRequest, moderate,
};
use crate::service::proposals::Verdict;

/// Decisions of one call.
const ITEMS_MAX: u32 = 200;
/// Decisions that a question names.
const NAMED_MAX: usize = 20;

impl Memory {
    /// Decides, shows what would follow, or answers with a question to the user. Nobody but the
    /// user decides, unless the configuration allows the agent to.
    pub(super) fn moderate(
        &mut self,
        session: &Session,
        asked: &Moderate,
        asking: Asking,
    ) -> Result<Response, Failure> {
        let number = u32::try_from(asked.items.len()).unwrap_or(u32::MAX);
        within("items", number, 1, ITEMS_MAX)?;
        let Asking { program, can_ask, reply } = asking;
        let reader = self.reader(program.as_deref());
        let open = match asked.only_tries() {
            true => self.opened.readable(session)?,
            false => self.opened.writable(session)?,
        };
        let visibility = session.scope_of(&open.spaces.own).visibility();
        let space = &mut open.spaces.own.space;
        let is_allowed = reader.may(session, space, ToolName::Moderate)?;
        let mut request = ModerationRequest {
            items: &asked.items,
            visibility,
            mark_removal: asked.mark_removal.unwrap_or(false),
            intent: Intent::DryRun,
            disclosure: reader.disclosure(session, space),
        };
        let (preview, _) = moderate(space, session.now, &request)?;
        if asked.only_tries() {
            return answer("preview", preview, "");
        }
        if !is_allowed && preview.decided > 0 {
            let program = program_name(program.as_deref());
            let message = question(&preview, &program);
            // What was agreed to is all that was asked, whatever part of it was shown.
            let lines: Vec<String> = preview.items.iter().map(line).collect();
            let feedback: Vec<_> = asked.items.iter().map(|item| &item.feedback).collect();
            let all = json!([message, lines, feedback]);
            let token = payload_digest(&all).to_string();
            match reply.filter(|reply| reply.token == token).map(|reply| reply.verdict) {
                Some(Verdict::Accepted) => {}
                Some(Verdict::Declined) => {
                    let words = "The user declined. Nothing was written. Do not ask again unless the user brings it up.";
                    return answer("declined", preview, words);
                }
                None if can_ask => return Ok(Response::Question { message, token }),
                Some(Verdict::Unanswered) | None => {
                    let words = "Nothing has changed: only the user decides this. Tell the user to run `because kg review`, then `because kg accept ID` or `because kg reject ID`.";
                    return answer("waiting", preview, words);
                }
            }
        }
        request.intent = Intent::Write;
        let (report, _) = moderate(space, session.now, &request)?;
        self.is_unread |= report.decided > 0;
        answer("done", report, "")
    }
}

/// The question to the user.
fn question(preview: &ModerationReport, program: &str) -> String {
    let mut question = format!("{program} asks to decide about the knowledge graph:\n");
    let decided = preview.items.iter().filter(|item| item.error.is_none());
    for item in decided.take(NAMED_MAX) {
        question.push_str(&line(item));
        question.push('\n');
    }
    if preview.decided > NAMED_MAX {
        question.push_str(&format!("… and {} more\n", preview.decided - NAMED_MAX));
    }
    if preview.marked_for_removal > 0 {
        question.push_str(&format!(
            "Records that would be marked, to be archived and erased later: {}.\n",
            preview.marked_for_removal
        ));
    }
    question.push_str("If you accept, it is recorded as your own word.");
    question
}

fn line(item: &ItemReport) -> String {
    let text = item.text.as_deref().unwrap_or(&item.id);
    if let Some(error) = &item.error {
        return format!("{text}: {} ({})", error.message, error.code);
    }
    match (item.decision, &item.promoted_id) {
        (Decision::Alias, Some(id)) => format!("{text}: another name of {id}"),
        (decision, Some(id)) => format!("{text}: {} as {id}", decision.as_str()),
        (decision, None) => format!("{text}: {}", decision.as_str()),
    }
}

fn answer(
    status: &'static str,
    report: ModerationReport,
    words: &str,
) -> Result<Response, Failure> {
    let mut text = match words {
        "" => format!("{} decided, {} not.\n", report.decided, report.failed),
        words => format!("{words}\n"),
    };
    text.push_str(&format!("{READING}\n"));
    report.items.iter().for_each(|item| quote(&mut text, &line(item)));
    let answer = ModerationAnswer { reading: READING_STRUCTURED, status, report };
    Ok(Response::Answer(Answered::new(text, &answer)?))
}
