//! `get_context`: what to put before a model for its next turn, within a budget.

use engine::recall::Query;
use store::sqlite::Filter;

use super::{Answered, Memory};
use crate::cli::Session;
use crate::failure::Failure;
use crate::mcp::answers::{Context, ContextItem, Episode};
use crate::mcp::arguments::{GetContext, Turn};
use crate::mcp::quote::{READING, quote};

/// Tokens of a context if nothing is said, and at most.
const BUDGET_TOKENS: u32 = 1_500;
const BUDGET_TOKENS_MAX: u32 = 1_000_000;
/// Turns whose words are the question.
const TURNS_ASKED: usize = 2;
/// Episodes that are looked at.
const EPISODES_MAX: usize = 20;

impl Memory {
    pub(super) fn get_context(&mut self, session: &Session, arguments: GetContext) -> Result<Answered, Failure> {
        let budget =
            super::within("budget_tokens", arguments.budget_tokens.unwrap_or(BUDGET_TOKENS), 0, BUDGET_TOKENS_MAX)?;
        let mut assembling =
            Assembling { context: String::new(), items: Vec::new(), tokens: 0, budget: u64::from(budget) };
        let GetContext { turns, tool_results, .. } = arguments;
        for Turn { speaker, text } in turns.iter().rev() {
            assembling.add(None, "turns", &format!("{speaker}: {text}\n"), "a recent turn");
        }
        for result in tool_results.iter().flatten() {
            assembling.add(None, "tools", &format!("{result}\n"), "a result of a tool");
        }
        let asked: Vec<&str> = turns.iter().rev().take(TURNS_ASKED).map(|turn| turn.text.as_str()).collect();
        let query = Query {
            text: asked.join("\n"),
            limit: EPISODES_MAX,
            filter: Filter::default(),
            neighbours: 0,
            today: Some(session.today()),
        };
        let episodes = match self.space(session) {
            Ok(space) if !query.text.trim().is_empty() => space.recall(&query)?.results,
            Ok(_) | Err(Failure::NoSpace) => Vec::new(),
            Err(failure) => return Err(failure),
        };
        for recollection in &episodes {
            let episode = Episode::of(recollection, &session.zone);
            let mut quoted = String::new();
            quote(&mut quoted, &format!("{}\n{}", episode.heading(), episode.text));
            assembling.add(Some(episode.id), "episodes", &quoted, &format!("relevance {:.2}", episode.score));
        }
        let Assembling { context, items, tokens, .. } = assembling;
        let answer = Context { reading: READING, context, items, tokens };
        let words = format!("{READING}\n{}", answer.context);
        Answered::new(words, &answer)
    }
}

/// A context in the making.
struct Assembling {
    context: String,
    items: Vec<ContextItem>,
    tokens: u64,
    budget: u64,
}

impl Assembling {
    /// Adds what still fits; what does not is skipped, and something smaller may come after it.
    fn add(&mut self, id: Option<String>, tier: &str, text: &str, reason: &str) {
        let tokens = tokens(text);
        if self.tokens.saturating_add(tokens) > self.budget {
            return;
        }
        self.tokens += tokens;
        self.context.push_str(text);
        self.items.push(ContextItem { id, tier: tier.to_owned(), tokens, reason: reason.to_owned() });
    }
}

/// Tokens, counted too high rather than too low: no tokenizer makes more of a word than its characters by three.
fn tokens(text: &str) -> u64 {
    /// Characters of an average token.
    const CHARS: usize = 3;
    text.split_whitespace().map(|word| word.chars().count().div_ceil(CHARS) as u64).sum()
}
