//! `get_context`: assembles what a model reads for its next turn, within a budget. The engine
//! assembles it, marks quoted text, and keeps a receipt.

use std::collections::BTreeSet;

use engine::recall::context::{Budget, Item, Omission, Request, Tier, ToolResult, Turn};
use engine::recall::receipts::Recipient;
use kernel::id::OpId;
use retrieval::rank::relevance::RELEVANCE_MIN;

use super::{Answered, Memory, NOTHING_ANSWERS};
use crate::failure::{Failure, RequestError, within};
use crate::mcp::answers::{Context, ContextItem, QueryEmbedder};
use crate::mcp::arguments::GetContext;
use crate::service::Session;
use crate::service::agents::program_name;
use crate::service::context::{AssembledContext, assemble_over, reason_in_words, scope_of};
use crate::service::effective::{EffectiveView, Scope};
use crate::service::task_context::{self, Shown, TaskRequest};

/// Largest budget of a context, in tokens.
pub(super) const BUDGET_TOKENS_MAX: u32 = 1_000_000;

impl Memory {
    pub(super) fn get_context(
        &mut self,
        session: &Session,
        arguments: GetContext,
        program: Option<String>,
    ) -> Result<Answered, Failure> {
        let GetContext {
            turns,
            task,
            tool_results,
            budget_tokens,
            agent,
            session: conversation,
            as_of,
            valid_at,
        } = arguments;
        let turns = turns.unwrap_or_default();
        let agent = agent.filter(|agent| !agent.trim().is_empty());
        let agent = program_name(agent.as_deref().or(program.as_deref()));
        let viewpoint = session.times().viewpoint(as_of.as_deref(), valid_at.as_deref())?;
        if let Some(task) = task.filter(|task| turns.is_empty() || !task.trim().is_empty()) {
            let tokens_max = budget_tokens
                .map(|tokens| within("budget_tokens", tokens, 0, BUDGET_TOKENS_MAX))
                .transpose()?;
            let is_alone = self.opened.readable(session)?.is_served();
            let request = TaskRequest {
                is_alone,
                tokens_max: tokens_max.map(|tokens| tokens as usize),
                as_of_us: viewpoint.as_of_us,
                valid_at_us: viewpoint.valid_at_us,
                reader: Some(Recipient { agent: &agent, session: conversation.as_deref() }),
                ..TaskRequest::new(&task)?
            };
            return self.context_for_task(session, &request);
        }
        if turns.iter().all(|turn| turn.text.trim().is_empty()) {
            return Err(RequestError::EmptyTurns.into());
        }
        let budget = match budget_tokens {
            Some(tokens) => {
                Budget::of(within("budget_tokens", tokens, 0, BUDGET_TOKENS_MAX)? as usize)
            }
            None => Budget::default(),
        };
        let mut request = Request {
            viewpoint,
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
            zone: session.zone.clone(),
            ..Request::new(&agent, session.now)
        };
        let open = self.opened.readable(session)?;
        request.owner.clone_from(&open.spaces.own.owner);
        let EffectiveView { own, home, .. } = &mut open.spaces;
        let home = home.as_mut().map(|home| &mut home.space);
        let assembled = assemble_over(session, &mut self.pool, (&mut own.space, home), request)?;
        let AssembledContext { context, embedding, elsewhere, home_receipt } = assembled;
        self.conversations.note_shown(context.items.iter().filter_map(|item| item.id));
        let has_facts = context.items.iter().any(|item| item.tier == Tier::Facts);
        let answer = Context {
            relevance: context.relevance,
            abstains: context.relevance < RELEVANCE_MIN && !has_facts,
            embedder: QueryEmbedder::of(&embedding),
            receipt: context.receipt.or(home_receipt).map(|receipt| receipt.to_string()),
            tokens: context.tokens.total as u64,
            items: context.items.iter().map(|it| item(it, open.spaces.scope, &elsewhere)).collect(),
            // The agent is not told that private records were left out.
            left_out: context
                .left_out
                .iter()
                .filter(|left| left.reason != Omission::Private)
                .count() as u64,
            behind: context.behind,
            context: context.text,
            whose: open.whose(),
        };
        let mut words = format!("{}{}", answer.whose.in_words(), answer.context);
        if answer.abstains {
            words.push_str(&format!("\n{NOTHING_ANSWERS}\n"));
        }
        Answered::new(words, &answer)
    }

    /// The same before a decision about a task.
    fn context_for_task(
        &mut self,
        session: &Session,
        request: &TaskRequest<'_>,
    ) -> Result<Answered, Failure> {
        let open = self.opened.readable(session)?;
        let own = &mut open.spaces.own;
        let context = task_context::assemble(session, &mut self.pool, own, request)?;
        self.conversations.note_shown(context.shown.iter().map(|shown| shown.id));
        let is_near = context.claims.iter().chain(&context.nodes).next().is_some();
        let (left_out, embedding) = (context.left_out, context.embedding.as_ref());
        let answer = Context {
            relevance: 0.0,
            abstains: !is_near,
            embedder: embedding.map_or_else(QueryEmbedder::built_in, QueryEmbedder::of),
            receipt: context.receipts.first().map(ToString::to_string),
            tokens: context.tokens as u64,
            items: context.shown.iter().map(task_item).collect(),
            left_out: (left_out.values + left_out.preferences + left_out.tokens) as u64,
            behind: context.behind,
            context: context.text,
            whose: open.whose(),
        };
        Answered::new(format!("{}{}", answer.whose.in_words(), answer.context), &answer)
    }
}

/// A record of a context for a task.
fn task_item(shown: &Shown) -> ContextItem {
    ContextItem {
        id: Some(shown.id.to_string()),
        tier: shown.part.to_owned(),
        tokens: shown.tokens as u64,
        reason: "for the task".to_owned(),
        is_cut: shown.is_cut,
        scope: Some(shown.scope.as_str()),
    }
}

/// An item of a context in a space of this scope, with what of it is of the home space under it.
pub(super) fn item(item: &Item, own: Scope, elsewhere: &BTreeSet<OpId>) -> ContextItem {
    ContextItem {
        id: item.id.map(|id| id.to_string()),
        tier: item.tier.as_str().to_owned(),
        tokens: item.tokens as u64,
        reason: reason_in_words(&item.reason),
        is_cut: item.is_cut,
        scope: scope_of(item, own, elsewhere).map(Scope::as_str),
    }
}
