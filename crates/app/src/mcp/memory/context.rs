//! `get_context`: what to put before a model for its next turn, within a budget. The engine
//! assembles it, marks what is data, and keeps a receipt.

use engine::recall::context::{Budget, Item, Reason, Request, ToolResult, Turn};

use super::{Answered, Memory, agent_of};
use crate::cli::Session;
use crate::failure::Failure;
use crate::mcp::answers::{Context, ContextItem, Meaning};
use crate::mcp::arguments::GetContext;

/// Tokens of a context at most.
const BUDGET_TOKENS_MAX: u32 = 1_000_000;

impl Memory {
    pub(super) fn get_context(
        &mut self,
        session: &Session,
        arguments: GetContext,
        program: Option<String>,
    ) -> Result<Answered, Failure> {
        let GetContext { turns, tool_results, budget_tokens, agent, session: conversation } =
            arguments;
        if turns.iter().all(|turn| turn.text.trim().is_empty()) {
            return Err(Failure::Usage(
                "there is nothing to go by: the turns are empty".to_owned(),
            ));
        }
        let budget = match budget_tokens {
            Some(tokens) => {
                Budget::of(super::within("budget_tokens", tokens, 0, BUDGET_TOKENS_MAX)? as usize)
            }
            None => Budget::default(),
        };
        let agent =
            agent.filter(|agent| !agent.trim().is_empty()).unwrap_or_else(|| agent_of(program));
        let mut request = Request {
            session: conversation,
            turns: turns
                .into_iter()
                .map(|turn| Turn { speaker: turn.speaker, text: turn.text })
                .collect(),
            tool_results: tool_results
                .into_iter()
                .flatten()
                .map(|text| ToolResult { text, score: None })
                .collect(),
            budget,
            today: Some(session.today()),
            ..Request::new(&agent, session.now)
        };
        let space = self.opened.space(session)?;
        let mut meant = self.answering.ask_for_context(session, space, &mut request)?;
        let context = space.context(&request)?;
        meant.served_by(context.model);
        let answer = Context {
            meaning: Meaning::of(&meant),
            receipt: context.receipt.map(|receipt| receipt.to_string()),
            tokens: context.tokens.total as u64,
            items: context.items.iter().map(item).collect(),
            left_out: context.left_out.len() as u64,
            behind: context.behind,
            context: context.text,
        };
        Answered::new(answer.context.clone(), &answer)
    }
}

fn item(item: &Item) -> ContextItem {
    let reason = match item.reason {
        Reason::NewestTurn => "the newest turn".to_owned(),
        Reason::RecentTurn => "a recent turn".to_owned(),
        Reason::ToolResult { rank } => format!("your tool result number {rank}"),
        Reason::Relevant { similarity, confidence, recency } => {
            let sure = confidence
                .map(|confidence| format!(", confidence {confidence:.2}"))
                .unwrap_or_default();
            format!("relevant: similarity {similarity:.2}{sure}, recency {recency:.2}")
        }
        Reason::Asked { rank } => format!("asked for, number {rank}"),
        Reason::Instructions => "instructions".to_owned(),
    };
    ContextItem {
        id: item.id.map(|id| id.to_string()),
        tier: item.tier.as_str().to_owned(),
        tokens: item.tokens as u64,
        reason,
        is_cut: item.is_cut,
    }
}
