//! Context: what is put before a model for its next turn, within a budget.
//!
//! Source: the specification of facts, "Context budget". Tiers claim in order: the newest turn,
//! always whole; recent turns; what the agent searched for; facts and episodes that memory adds by
//! itself, chosen by the last two turns; the agent's own instructions fill the rest. What does not
//! fit is skipped and named, and smaller things after it may still fit. What the recent turns say
//! already is not put there again.
//!
//! [`Reader::gather`] looks for candidates, [`fill`] chooses among them, [`render`] writes them
//! down so that text from memory is seen as data. What was put before whom is kept as a receipt
//! ([`crate::recall::receipts`]).

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use kernel::id::{OpId, ReceiptId};
use serde::{Deserialize, Serialize};
use store::sqlite::ModelNumber;

use crate::recall::episodes::ByModel;
use crate::recall::receipts::{Issue, Recipient, Row, Shown};
use crate::tokens::Tokens;
use crate::{EngineError, Reader, Writer};

mod fill;
pub mod gather;
mod render;

pub use crate::recall::receipts::{NAME_BYTES_MAX, Reason, Tier};
pub use gather::{Candidate, Gathered};

/// Turns that are looked at, the newest; earlier ones are left out unread.
pub const TURNS_MAX: usize = 64;
/// Tool results that are looked at, the best.
pub const TOOL_RESULTS_MAX: usize = 64;
/// Longest text of an older turn, a tool result or the instructions, bytes; what follows is cut off
/// unread. The newest turn is as long as it is.
pub const TEXT_BYTES_MAX: usize = 256 * 1024;

/// One turn of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// Who said it.
    #[serde(default)]
    pub speaker: String,
    /// What.
    pub text: String,
}

/// What a tool answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The answer.
    pub text: String,
    /// How good it is, where that is known; without it they count in the order in which they come.
    #[serde(default)]
    pub score: Option<f64>,
}

/// How many tokens there are, and how many of them for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Budget {
    /// In all. Where this is 0, or less than the newest turn, there is that turn and nothing else.
    pub total: usize,
    /// What recent turns have a claim to before anything else.
    pub turns_min: usize,
    /// The most that recent turns take where there is room; the newest alone may take more.
    pub turns_max: usize,
    /// The most for tool results.
    pub tool_results: usize,
    /// The most for facts that memory adds.
    pub facts: usize,
    /// The most for episodes that memory adds.
    pub episodes: usize,
}

impl Default for Budget {
    /// Source: the specification of facts, "Context budget".
    fn default() -> Self {
        Self {
            total: 1_500,
            turns_min: 300,
            turns_max: 500,
            tool_results: 400,
            facts: 200,
            episodes: 200,
        }
    }
}

impl Budget {
    /// The default shares of another total.
    ///
    /// ```
    /// use engine::context::Budget;
    ///
    /// assert_eq!(Budget::of(1_500), Budget::default());
    /// assert_eq!(Budget::of(6_000).facts, 800);
    /// ```
    pub fn of(total: usize) -> Self {
        let whole = Self::default();
        let share = |part: usize| {
            (total as u128 * part as u128 / whole.total as u128).min(usize::MAX as u128) as usize
        };
        Self {
            total,
            turns_min: share(whole.turns_min),
            turns_max: share(whole.turns_max),
            tool_results: share(whole.tool_results),
            facts: share(whole.facts),
            episodes: share(whole.episodes),
        }
    }
}

/// How many things of a tier: the first `least` where they are relevant at all, more up to `most`
/// where they are nearly as relevant as the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// So many in any case.
    pub least: usize,
    /// So many at most.
    pub most: usize,
}

impl Default for Count {
    /// Source: the specification of facts, "Streamed: 3–5 facts and 3–5 episodes".
    fn default() -> Self {
        Self { least: 3, most: 5 }
    }
}

impl Count {
    /// At most so many; the first three of them in any case.
    pub fn up_to(most: usize) -> Self {
        Self { least: most.min(Self::default().least), most }
    }
}

/// What a context is wanted for.
#[derive(Clone, Debug)]
pub struct Request {
    /// Who reads it.
    pub agent: String,
    /// Their conversation's name.
    pub session: Option<String>,
    /// The number of the turn in it that the context is for.
    pub turn: Option<u64>,
    /// The turns so far, the newest last.
    pub turns: Vec<Turn>,
    /// What the agent's tools answered in this turn.
    pub tool_results: Vec<ToolResult>,
    /// What to look for; without it the last two turns.
    pub question: Option<String>,
    /// What [`Self::questions`] gives, as another model than the built-in table understands it;
    /// what is not in here is asked by the table.
    pub by_model: BTreeMap<String, ByModel>,
    /// The agent's own instructions.
    pub instructions: Option<String>,
    /// Tokens.
    pub budget: Budget,
    /// How many facts.
    pub facts: Count,
    /// How many episodes.
    pub episodes: Count,
    /// Candidates that were gathered ahead ([`crate::recall::stream`]); without them they are
    /// looked for now.
    pub prepared: Option<Arc<Gathered>>,
    /// Whether a receipt is written.
    pub receipt: Receipts,
    /// Now.
    pub now: Timestamp,
    /// The reader's date.
    pub today: Option<Date>,
}

impl Request {
    /// With the default budget and counts, and nothing to say yet.
    pub fn new(agent: &str, now: Timestamp) -> Self {
        Self {
            agent: agent.to_owned(),
            session: None,
            turn: None,
            turns: Vec::new(),
            tool_results: Vec::new(),
            question: None,
            by_model: BTreeMap::new(),
            instructions: None,
            budget: Budget::default(),
            facts: Count::default(),
            episodes: Count::default(),
            prepared: None,
            receipt: Receipts::Write,
            now,
            today: None,
        }
    }

    /// What memory is asked: the question or the last two turns, and the last sentences of that one
    /// by one. Nothing where nothing is to be looked for.
    pub fn questions(&self) -> Vec<String> {
        if self.prepared.is_some() || self.budget.total == 0 {
            return Vec::new();
        }
        gather::questions(&gather::Wanted::of(self).text)
    }
}

/// Whether a receipt is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receipts {
    /// It is, where the space can be written.
    Write,
    /// It is not.
    Omit,
}

/// Something in the context.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Item {
    /// Which part it belongs to.
    pub tier: Tier,
    /// The operation that says it, if it is from memory.
    pub id: Option<OpId>,
    /// What it says.
    pub text: String,
    /// What it costs as it is written in the context.
    pub tokens: usize,
    /// Why it is there.
    pub reason: Reason,
    /// How good it is, where that was measured: relevance, or a tool's score.
    pub score: Option<f64>,
    /// True if its end was cut off to fit.
    pub is_cut: bool,
}

/// Why something is not in the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Omission {
    /// It is larger than what was left of its tier or of all.
    DidNotFit,
    /// It is not relevant enough.
    BelowThreshold,
    /// Something that is there says the same.
    Duplicate,
    /// The recent turns say it.
    InRecentTurns,
    /// There are as many of its tier as were wanted.
    EnoughOthers,
    /// Only its space may see it.
    Private,
}

/// Something that is not in the context.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LeftOut {
    /// Which part it would belong to.
    pub tier: Tier,
    /// The operation that says it, if it is from memory.
    pub id: Option<OpId>,
    /// Its beginning.
    pub summary: String,
    /// What it would have cost, where that was counted.
    pub tokens: Option<usize>,
    /// How good it is.
    pub score: Option<f64>,
    /// Why not.
    pub reason: Omission,
}

/// Tokens by part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Spent {
    /// Instructions.
    pub system: usize,
    /// Facts.
    pub facts: usize,
    /// Episodes.
    pub episodes: usize,
    /// Tool results.
    pub tool_results: usize,
    /// The conversation.
    pub recent_turns: usize,
    /// Headings and marks around them.
    pub frame: usize,
    /// All of it: what the whole text counts.
    pub total: usize,
}

/// What is put before a model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Context {
    /// All of it, in the order in which a model is to read it.
    pub text: String,
    /// What it consists of, in the same order.
    pub items: Vec<Item>,
    /// Tokens by part. The total exceeds the budget only where the newest turn alone does.
    pub tokens: Spent,
    /// The budget.
    pub budget: Budget,
    /// What is not there, and why; at most [`LEFT_OUT_MAX`].
    pub left_out: Vec<LeftOut>,
    /// The receipt, if one was written.
    pub receipt: Option<ReceiptId>,
    /// True if a receipt was wanted and the space cannot be written, or another process kept
    /// writing to it.
    pub receipt_missing: bool,
    /// Operations that the index had not read yet.
    pub behind: u64,
    /// The model whose vectors served; none if it was the built-in table's.
    #[serde(skip)]
    pub model: Option<ModelNumber>,
}

/// Most things of which it is said why they were left out.
pub const LEFT_OUT_MAX: usize = 100;

/// A context, and what it was looked for by.
pub struct Composed {
    /// The context, without a receipt.
    pub context: Context,
    gathered: Arc<Gathered>,
}

impl Reader<'_> {
    /// Puts together what a model is to read for its next turn.
    pub fn compose(
        &self,
        request: &Request,
        counter: &dyn Tokens,
    ) -> Result<Composed, EngineError> {
        let gathered = match &request.prepared {
            Some(prepared) => Arc::clone(prepared),
            None if request.budget.total == 0 => Arc::new(Gathered::default()),
            None => Arc::new(self.gather(&gather::Wanted::of(request))?),
        };
        let filled = fill::fill(request, &gathered, counter);
        let (text, items) = render::assemble(&filled);
        let mut tokens = Spent { total: counter.count(&text), ..Spent::default() };
        for item in &items {
            *match item.tier {
                Tier::System => &mut tokens.system,
                Tier::Facts => &mut tokens.facts,
                Tier::Episodes => &mut tokens.episodes,
                Tier::ToolResults => &mut tokens.tool_results,
                Tier::RecentTurns => &mut tokens.recent_turns,
            } += item.tokens;
        }
        tokens.frame = tokens.total.saturating_sub(items.iter().map(|item| item.tokens).sum());
        let mut left_out = filled.left_out;
        left_out.truncate(LEFT_OUT_MAX);
        let context = Context {
            text,
            items,
            tokens,
            budget: request.budget,
            left_out,
            receipt: None,
            receipt_missing: false,
            behind: gathered.behind,
            model: gathered.model,
        };
        Ok(Composed { context, gathered })
    }
}

impl Writer<'_> {
    /// The context with a receipt, if the request asks for one.
    pub fn issue_context(
        &mut self,
        request: &Request,
        composed: Composed,
    ) -> Result<Context, EngineError> {
        let Composed { mut context, gathered } = composed;
        if request.receipt != Receipts::Write {
            return Ok(context);
        }
        let rows = context.items.iter().map(|item| Row {
            shown: Shown {
                id: item.id,
                tier: item.tier,
                tokens: item.tokens as u64,
                reason: item.reason,
                score: item.score,
            },
            text: &item.text,
        });
        let receipt = self.issue(Issue {
            now: request.now,
            recipient: Recipient { agent: &request.agent, session: request.session.as_deref() },
            turn: request.turn,
            query: &gathered.query,
            text: Some((&context.text, context.tokens.total as u64)),
            rows: rows.collect(),
        })?;
        context.receipt = receipt;
        context.receipt_missing = receipt.is_none();
        Ok(context)
    }
}
