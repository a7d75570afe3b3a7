//! Context: the text that a model reads for its next turn, within a token budget.
//!
//! Source: the specification of facts, "Context budget". Tiers are filled in order: the newest
//! turn, always complete; recent turns; the results of the agent's own searches; facts and episodes
//! that memory adds, chosen by the last two turns; the agent's instructions fill the rest. What the
//! other tiers do not claim goes to episodes, then to facts. An episode that does not fit is cut to
//! the sentences around its match. Any other item that does not fit is skipped and listed, and
//! smaller items after it may still fit. Statements of the recent turns are not repeated.
//!
//! [`Reader::gather`] finds candidates, [`fill`] chooses among them, and [`render`] formats them so
//! that text from memory is treated as data. A receipt records the context and its recipient
//! ([`crate::recall::receipts`]).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use kernel::id::{OpId, ReceiptId};
use serde::{Deserialize, Serialize};
use store::sqlite::ModelNumber;

use crate::owner::SpaceOwner;
use crate::private::Viewpoint;
use crate::recall::episodes::ByModel;
use crate::recall::receipts::{Issue, Recipient, Row, Shown};
use crate::tokens::Tokens;
use crate::{EngineError, Reader, Writer};

mod best;
mod excerpt;
mod fill;
pub mod gather;
mod memory;
pub mod render;
pub mod unasked;

pub use crate::recall::receipts::{NAME_BYTES_MAX, Reason, Tier};
pub use gather::{Candidate, Gathered};

/// Most turns that are read, the newest; earlier ones are left out unread.
pub const TURNS_MAX: usize = 64;
/// Most tool results that are read, the best.
pub const TOOL_RESULTS_MAX: usize = 64;
/// Longest text of an older turn, a tool result or the instructions, bytes; the rest is cut off
/// unread. The newest turn has no limit.
pub const TEXT_BYTES_MAX: usize = 256 * 1024;

/// One turn of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// Who said it.
    #[serde(default)]
    pub speaker: String,
    /// The text.
    pub text: String,
}

/// The result of a tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The text.
    pub text: String,
    /// The score, if known; results without a score rank in the given order.
    #[serde(default)]
    pub score: Option<f64>,
}

/// The token budget, in total and for each tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Budget {
    /// The total. If this is less than the newest turn needs, the context is that turn alone.
    pub total: usize,
    /// The share that is reserved for recent turns.
    pub turns_min: usize,
    /// The most for recent turns if there is room; only the newest may take more.
    pub turns_max: usize,
    /// The most for tool results.
    pub tool_results: usize,
    /// The share of facts that memory adds; more if episodes leave it. None are added if it is 0.
    pub facts: usize,
    /// The share of episodes that memory adds; more if other tiers leave it. None are added if it
    /// is 0.
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
    /// use engine::recall::context::Budget;
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

impl Count {
    /// Facts. Source: the specification of facts, "Streamed: 3–5 facts and 3–5 episodes".
    pub const FACTS: Self = Self { least: 3, most: 5 };
    /// Episodes: as many as a recall gives, and more where they are nearly as relevant.
    pub const EPISODES: Self = Self { least: 5, most: 10 };

    /// The same, but at most so many.
    pub fn up_to(self, most: usize) -> Self {
        Self { least: self.least.min(most), most }
    }
}

/// A request for a context.
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
    /// Turns that the reader has anyway: they are not part of the context, and memory that repeats
    /// them is left out.
    pub known_turns: Vec<Turn>,
    /// Operations that the reader was shown before, which are left out.
    pub shown: BTreeSet<OpId>,
    /// What the agent's tools answered in this turn.
    pub tool_results: Vec<ToolResult>,
    /// The query; by default the last two turns.
    pub question: Option<String>,
    /// The vectors of [`Self::questions`] by another model than the built-in table; a question
    /// without a vector is searched by the table.
    pub by_model: BTreeMap<String, ByModel>,
    /// The agent's own instructions.
    pub instructions: Option<String>,
    /// Tokens.
    pub budget: Budget,
    /// How many facts.
    pub facts: Count,
    /// How many episodes.
    pub episodes: Count,
    /// Candidates that were gathered ahead ([`crate::recall::stream`]); without them the search
    /// runs now.
    pub prepared: Option<Arc<Gathered>>,
    /// Whether a receipt is written.
    pub receipt: Receipts,
    /// Candidates of another space, which are named in no receipt of this one.
    pub elsewhere: BTreeSet<OpId>,
    /// As of when memory is read. What is private is never read.
    pub viewpoint: Viewpoint,
    /// Now.
    pub now: Timestamp,
    /// The reader's date.
    pub today: Option<Date>,
    /// The zone in which times are shown.
    pub zone: TimeZone,
    /// Whose memory it is, if it is not the reader's own: then the context says so, and attributes
    /// what is believed.
    pub owner: Option<SpaceOwner>,
}

impl Request {
    /// A request with the default budget and counts, and without turns.
    pub fn new(agent: &str, now: Timestamp) -> Self {
        Self {
            agent: agent.to_owned(),
            session: None,
            turn: None,
            turns: Vec::new(),
            known_turns: Vec::new(),
            shown: BTreeSet::new(),
            tool_results: Vec::new(),
            question: None,
            by_model: BTreeMap::new(),
            instructions: None,
            budget: Budget::default(),
            facts: Count::FACTS,
            episodes: Count::EPISODES,
            prepared: None,
            receipt: Receipts::Write,
            elsewhere: BTreeSet::new(),
            viewpoint: Viewpoint::default(),
            now,
            today: None,
            zone: TimeZone::UTC,
            owner: None,
        }
    }

    /// The queries: the question or the last two turns, and the last sentences of these one by one.
    /// Empty if there is nothing to search for.
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
    /// It is, if the space can be written.
    Write,
    /// It is not.
    Omit,
}

/// An item of the context.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Item {
    /// Its part of the context.
    pub tier: Tier,
    /// Its operation, if it is from memory.
    pub id: Option<OpId>,
    /// Its text.
    pub text: String,
    /// Its tokens, as rendered.
    pub tokens: usize,
    /// Why it was chosen.
    pub reason: Reason,
    /// Its relevance, or the score of a tool result, if known.
    pub score: Option<f64>,
    /// True if this is only a part of it.
    pub is_cut: bool,
}

/// Why an item was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Omission {
    /// It is larger than the rest of its tier or of the total.
    DidNotFit,
    /// It is not relevant enough.
    BelowThreshold,
    /// An item of the context says the same.
    Duplicate,
    /// The recent turns say it.
    InRecentTurns,
    /// The reader was shown it before.
    AlreadyShown,
    /// Its tier has the requested number of items.
    EnoughOthers,
    /// Only its space may see it.
    Private,
    /// The file no longer holds it as it was signed.
    Altered,
}

/// An item that was left out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LeftOut {
    /// Its part of the context.
    pub tier: Tier,
    /// Its operation, if it is from memory.
    pub id: Option<OpId>,
    /// Its beginning.
    pub summary: String,
    /// Its tokens, if counted.
    pub tokens: Option<usize>,
    /// Its score.
    pub score: Option<f64>,
    /// Why it was left out.
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
    /// The whole text.
    pub total: usize,
}

/// The text for a model, with an account of its items.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Context {
    /// The whole text, in reading order.
    pub text: String,
    /// Its items, in the same order.
    pub items: Vec<Item>,
    /// Tokens by part. The total exceeds the budget only if the newest turn alone does.
    pub tokens: Spent,
    /// The budget.
    pub budget: Budget,
    /// The items that were left out, and why; at most [`LEFT_OUT_MAX`].
    pub left_out: Vec<LeftOut>,
    /// The receipt, if one was written.
    pub receipt: Option<ReceiptId>,
    /// True if a receipt was wanted and the space cannot be written, or another process kept
    /// writing to it.
    pub receipt_missing: bool,
    /// Operations that the index had not read.
    pub behind: u64,
    /// The chance that the best episode answers, 0 to 1.
    #[serde(skip)]
    pub relevance: f64,
    /// The model whose vectors served; none if it was the built-in table's.
    #[serde(skip)]
    pub model: Option<ModelNumber>,
}

/// Most omitted items that are listed.
pub const LEFT_OUT_MAX: usize = 100;

/// A context, and its query.
pub struct Composed {
    /// The context, without a receipt.
    pub context: Context,
    gathered: Arc<Gathered>,
}

impl Reader<'_> {
    /// Composes the context for the next turn of a model.
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
        let gathered = match &request.owner {
            Some(owner) => Arc::new(Gathered::clone(&gathered).attributed_to(owner)),
            None => gathered,
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
            relevance: gathered.relevance,
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
        let is_here = |id: &OpId| !request.elsewhere.contains(id);
        let receipt = self.issue_items(request, &gathered.query, &context, is_here)?;
        context.receipt = receipt;
        context.receipt_missing = receipt.is_none();
        Ok(context)
    }

    /// A receipt of what a context has of this space, where another one composed it; none if it has
    /// nothing of it.
    pub fn issue_elsewhere(
        &mut self,
        request: &Request,
        query: &str,
        context: &Context,
    ) -> Result<Option<ReceiptId>, EngineError> {
        let is_here = |id: &OpId| request.elsewhere.contains(id);
        let has_any = context.items.iter().filter_map(|item| item.id.as_ref()).any(is_here);
        if request.receipt != Receipts::Write || !has_any {
            return Ok(None);
        }
        self.issue_items(request, query, context, is_here)
    }

    fn issue_items(
        &mut self,
        request: &Request,
        query: &str,
        context: &Context,
        is_here: impl Fn(&OpId) -> bool,
    ) -> Result<Option<ReceiptId>, EngineError> {
        let items = context.items.iter().filter(|item| item.id.as_ref().is_none_or(&is_here));
        let rows = items.map(|item| Row {
            shown: Shown {
                id: item.id,
                tier: item.tier,
                tokens: item.tokens as u64,
                reason: item.reason,
                score: item.score,
            },
            text: &item.text,
        });
        self.issue(Issue {
            now: request.now,
            recipient: Recipient { agent: &request.agent, session: request.session.as_deref() },
            turn: request.turn,
            query,
            text: Some((&context.text, context.tokens.total as u64)),
            rows: rows.collect(),
        })
    }
}
