//! Receipts: which text was shown to whom, when, why, and from which records.
//!
//! A receipt contains digests of the question and of the whole text. Its id is the hash of its
//! canonical JSON, so a changed receipt has another id. Receipts are a journal and not part of the
//! ledger: if one cannot be written, the result is shown all the same, and the caller learns that
//! the receipt is missing.
//!
//! The journal keeps a few shingles of each text that was shown, by which it is found when it comes
//! back as a record (`docs/design/0014-echo.md`), and is a file beside the space
//! (`docs/design/0030-the-journal-beside-the-space.md`). Writing to it never waits for whoever
//! writes to the space.

use std::collections::BTreeMap;
use std::time::Duration;

use importers::secrets::mask_string;
use jiff::Timestamp;
use kernel::body::Body;
use kernel::evidence::Evidence;
use kernel::id::{IdPrefix, OpId, ReceiptId};
use kernel::kind::Kind;
use kernel::when::When;
use retrieval::shingles::Shingles;
use retrieval::text::cut;
use serde::{Deserialize, Serialize};
use store::Ledger;
use store::sqlite::{NewReceipt, ReceiptFilter, ReceiptItem};

use crate::inspect::is_altered;
use crate::recall::context::gather::text_of;
use crate::recall::episodes::Recollection;
use crate::recall::facts::Fact;
use crate::recall::packed_receipt;
use crate::{EngineError, Reader, Writer};

/// Longest name of a speaker, agent or session, bytes.
pub const NAME_BYTES_MAX: usize = 256;
/// Most receipts that are listed at once.
pub const RECEIPTS_MAX: usize = 10_000;
/// How long writing a receipt waits for another process that is writing receipts.
const WRITE_WAIT: Duration = Duration::from_millis(1_500);
/// The shingles of a shown text that are kept: every one whose hash is divisible by this, and the
/// smallest [`SMALLEST`].
const SAMPLED_EVERY: u32 = 4;
/// How many of the smallest shingles of a shown text are kept.
const SMALLEST: usize = 4;
/// Most shingles that are kept of one text.
const SAMPLED_MAX: usize = 64;

/// A part of a context, by its origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// The agent's own instructions.
    System,
    /// Facts that memory added.
    Facts,
    /// Episodes that memory added.
    Episodes,
    /// The results of tools.
    ToolResults,
    /// The conversation.
    RecentTurns,
}

impl Tier {
    /// The name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Facts => "facts",
            Self::Episodes => "episodes",
            Self::ToolResults => "tool_results",
            Self::RecentTurns => "recent_turns",
        }
    }
}

/// Why something is shown.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Reason {
    /// It is the newest turn, which is always shown.
    NewestTurn,
    /// It is an earlier turn.
    RecentTurn,
    /// It is the result of a tool, by its rank.
    ToolResult {
        /// From 1.
        rank: usize,
    },
    /// Memory found it relevant to the last turns.
    Relevant {
        /// The similarity to the turns, 0 … 1.
        similarity: f64,
        /// The confidence of a fact.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        confidence: Option<f64>,
        /// How recent, 0 … 1.
        recency: f64,
    },
    /// The agent asked for it.
    Asked {
        /// From 1.
        rank: usize,
    },
    /// Instructions fill the rest.
    Instructions,
}

/// A record of what was shown to an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// The hash of everything else, in canonical JSON.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub id: Option<ReceiptId>,
    /// When, UTC.
    pub time: When,
    /// The agent.
    pub agent: String,
    /// In which conversation.
    pub session: Option<String>,
    /// For which turn of it.
    pub turn: Option<u64>,
    /// BLAKE3 of the query, hexadecimal.
    #[serde(rename = "asked")]
    pub query: String,
    /// BLAKE3 of the whole text, hexadecimal; `None` for a list of records.
    pub text: Option<String>,
    /// Tokens of the whole text; 0 for a list of records.
    pub tokens: u64,
    /// Its items.
    pub items: Vec<Shown>,
}

/// One thing that was shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// The record, if it is from memory.
    pub id: Option<OpId>,
    /// Its part of the context.
    pub tier: Tier,
    /// Its tokens.
    pub tokens: u64,
    /// Why it was shown.
    pub reason: Reason,
    /// Its score.
    pub score: Option<f64>,
}

/// Who is shown something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipient<'a> {
    /// The agent's name.
    pub agent: &'a str,
    /// Its conversation.
    pub session: Option<&'a str>,
}

/// The results of a recall.
#[derive(Clone, Copy, Debug)]
pub struct Recalled<'a> {
    /// The query.
    pub query: &'a str,
    /// The facts.
    pub facts: &'a [Fact],
    /// The records.
    pub records: &'a [Recollection],
}

/// Records of one space that are shown together, as in the context for a task.
#[derive(Clone, Copy, Debug)]
pub struct ShownRecords<'a> {
    /// What they were chosen for.
    pub query: &'a str,
    /// For which turn of the conversation.
    pub turn: Option<u64>,
    /// The whole text, and its tokens.
    pub text: (&'a str, u64),
    /// The records, in the order of the text.
    pub records: &'a [ShownRecord<'a>],
}

/// One of them.
#[derive(Clone, Copy, Debug)]
pub struct ShownRecord<'a> {
    /// The operation.
    pub id: OpId,
    /// It as it is shown.
    pub text: &'a str,
    /// Its tokens.
    pub tokens: u64,
    /// How well it fits, if it was searched for.
    pub score: Option<f64>,
}

/// A receipt that is to be written.
pub(crate) struct Issue<'a> {
    /// When it is shown.
    pub(crate) now: Timestamp,
    /// The agent.
    pub(crate) recipient: Recipient<'a>,
    /// For which turn of the conversation.
    pub(crate) turn: Option<u64>,
    /// The query.
    pub(crate) query: &'a str,
    /// The whole text, and its tokens; `None` for a list of records.
    pub(crate) text: Option<(&'a str, u64)>,
    /// Its items.
    pub(crate) rows: Vec<Row<'a>>,
}

/// One thing that is shown, and its text.
pub(crate) struct Row<'a> {
    pub(crate) shown: Shown,
    pub(crate) text: &'a str,
}

impl<'a> Row<'a> {
    /// A row for a result that an agent requested.
    fn requested(id: OpId, tier: Tier, rank: usize, score: Option<f64>, text: &'a str) -> Self {
        let score = score.map(kernel::confidence::round6);
        let reason = Reason::Asked { rank };
        Self { shown: Shown { id: Some(id), tier, tokens: 0, reason, score }, text }
    }
}

impl<'a> Issue<'a> {
    /// For the results that an agent requested: facts, records and their neighbours.
    fn of_recall(recipient: &Recipient<'a>, recalled: &Recalled<'a>, now: Timestamp) -> Self {
        let mut rows = Vec::new();
        for (rank, fact) in (1..).zip(recalled.facts) {
            let score = Some(fact.relevance.total);
            rows.push(Row::requested(fact.id, Tier::Facts, rank, score, &fact.belief.text));
        }
        for (rank, result) in (1..).zip(recalled.records) {
            let (tier, score) = (Tier::Episodes, Some(result.score.total));
            rows.push(Row::requested(result.id, tier, rank, score, result.evidence.said()));
            rows.extend(result.neighbours.iter().map(|neighbour| {
                Row::requested(neighbour.id, tier, rank, None, neighbour.evidence.said())
            }));
        }
        let (recipient, query) = (*recipient, recalled.query);
        Self { now, recipient, turn: None, query, text: None, rows }
    }

    /// For records that are shown together.
    fn of_records(recipient: &Recipient<'a>, shown: &ShownRecords<'a>, now: Timestamp) -> Self {
        let ShownRecords { query, turn, text, records } = *shown;
        let row = |(rank, record): (usize, &ShownRecord<'a>)| {
            let ShownRecord { id, text, tokens, score } = *record;
            let row = Row::requested(id, Tier::Facts, rank, score, text);
            Row { shown: Shown { tokens, ..row.shown }, ..row }
        };
        let rows = (1..).zip(records).map(row).collect();
        Self { now, recipient: *recipient, turn, query, text: Some(text), rows }
    }

    /// The receipt, and the keys that identify its texts.
    fn into_receipt(self) -> (Receipt, Vec<ReceiptItem>) {
        let recognised =
            self.rows.iter().filter_map(|row| Some(recognised_by(row.shown.id?, row.text)));
        let recognised = recognised.collect();
        let receipt = Receipt {
            id: None,
            time: When::from_timestamp(self.now),
            agent: name(self.recipient.agent),
            session: self.recipient.session.map(name),
            turn: self.turn,
            query: digest(self.query),
            text: self.text.map(|(text, _)| digest(text)),
            tokens: self.text.map_or(0, |(_, tokens)| tokens),
            items: self.rows.into_iter().map(|row| row.shown).collect(),
        };
        (receipt, recognised)
    }
}

/// A name as receipts keep it: without secrets, and of limited length. Records are masked alike, so
/// that a conversation keeps one name in both.
fn name(text: &str) -> String {
    cut(mask_string(text).get(), NAME_BYTES_MAX).to_owned()
}

fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// The keys that identify a shown text.
fn recognised_by(record: OpId, text: &str) -> ReceiptItem {
    let shingles = Shingles::of(text);
    let mut sampled = shingles.smallest(SMALLEST).to_vec();
    sampled.extend(
        shingles.hashes().iter().filter(|hash| *hash % SAMPLED_EVERY == 0).take(SAMPLED_MAX),
    );
    sampled.sort_unstable();
    sampled.dedup();
    ReceiptItem { record, exact: shingles.exact, sampled }
}

impl Writer<'_> {
    /// Writes a receipt. Returns `None` if the journal cannot be written at present: a receipt is
    /// history, and its absence keeps nobody from an answer.
    pub(crate) fn issue(&mut self, issue: Issue<'_>) -> Result<Option<ReceiptId>, EngineError> {
        let (receipt, items) = issue.into_receipt();
        let json = kernel::canonical::to_bytes(&receipt).map_err(std::io::Error::other)?;
        let id = ReceiptId(*blake3::hash(&json).as_bytes());
        let receipt = NewReceipt {
            id,
            ts_us: receipt.time.instant_us().max(0).unsigned_abs(),
            body: packed_receipt::pack(&receipt, &json),
            agent: receipt.agent,
            session: receipt.session,
            items,
        };
        Ok(self.store.keep_receipt(&receipt, WRITE_WAIT).is_ok().then_some(id))
    }

    /// Writes a receipt of recalled results. Returns `None` if the journal cannot be written at
    /// present.
    pub fn receipt_of_recall(
        &mut self,
        recipient: &Recipient<'_>,
        recalled: &Recalled<'_>,
        now: Timestamp,
    ) -> Result<Option<ReceiptId>, EngineError> {
        self.issue(Issue::of_recall(recipient, recalled, now))
    }

    /// Writes a receipt of records that are shown together, likewise.
    pub fn receipt_of_records(
        &mut self,
        recipient: &Recipient<'_>,
        shown: &ShownRecords<'_>,
        now: Timestamp,
    ) -> Result<Option<ReceiptId>, EngineError> {
        self.issue(Issue::of_records(recipient, shown, now))
    }

    /// Deletes the receipts from before a time and returns their number.
    pub fn prune_receipts(&mut self, before: Timestamp) -> Result<u64, EngineError> {
        Ok(self.store.prune_receipts(before.as_microsecond())?)
    }
}

impl Reader<'_> {
    /// At most `limit` receipts, the latest first.
    pub fn receipts(
        &self,
        filter: &ReceiptFilter,
        limit: usize,
    ) -> Result<Vec<Receipt>, EngineError> {
        let as_kept = |text: &Option<String>| text.as_deref().map(name);
        let filter = ReceiptFilter {
            agent: as_kept(&filter.agent),
            session: as_kept(&filter.session),
            ..filter.clone()
        };
        let kept = self.store.receipts(&filter, limit.min(RECEIPTS_MAX))?;
        kept.iter().map(|kept| Ok(packed_receipt::read(kept)?)).collect()
    }

    /// The one receipt that an id or the beginning of one names.
    ///
    /// # Errors
    /// If no receipt has such an id, or several have.
    pub fn receipt(&self, text: &str) -> Result<Receipt, EngineError> {
        let given = || text.chars().take(80).collect::<String>();
        let digits = text.trim().strip_prefix("receipt:").unwrap_or(text.trim());
        let prefix: Result<IdPrefix, _> = digits.parse();
        let prefix = prefix.map_err(|_| EngineError::UnknownReceipt { prefix: given() })?;
        match self.store.receipts_between(&prefix.first(), &prefix.last(), 2)?.as_slice() {
            [] => Err(EngineError::UnknownReceipt { prefix: given() }),
            [kept] => Ok(packed_receipt::read(kept)?),
            _ => Err(EngineError::AmbiguousReceipt { prefix: given() }),
        }
    }

    /// The texts of the items of a receipt, as far as they are available.
    pub fn texts_of(&self, receipt: &Receipt) -> Result<BTreeMap<OpId, String>, EngineError> {
        let mut texts = BTreeMap::new();
        for id in receipt.items.iter().filter_map(|item| item.id) {
            let Some(recorded) = self.store.get(&id)? else { continue };
            let operation = recorded.operation;
            if is_altered(&operation) {
                continue;
            }
            let Some(body) = operation.body() else { continue };
            let Some(text) = shown_text(&operation.header().kind, body) else { continue };
            texts.insert(id, text);
        }
        Ok(texts)
    }

    /// How many receipts there are.
    pub fn count_receipts(&self) -> Result<u64, EngineError> {
        Ok(self.store.count_receipts()?)
    }
}

/// What an operation says where it is listed; none if it is not of a kind that is shown, or does
/// not read.
fn shown_text(kind: &Kind, body: &[u8]) -> Option<String> {
    text_by(kind, body, |evidence| evidence.said().to_owned())
}

/// The shingles of everything that a recall or a context shows of an operation, ascending.
pub(crate) fn shown_shingles(kind: &Kind, body: &[u8]) -> Vec<u32> {
    let text = text_by(kind, body, text_of).unwrap_or_default();
    Shingles::of(&text).hashes().to_vec()
}

fn text_by(
    kind: &Kind,
    body: &[u8],
    of_evidence: impl FnOnce(&Evidence) -> String,
) -> Option<String> {
    match Body::parse(kind, body) {
        Ok(Body::Evidence(evidence)) => Some(of_evidence(&evidence)),
        Ok(Body::Claim(claim)) => Some(claim.text),
        Ok(Body::Node(node)) => node.text,
        Ok(Body::ClaimCorrection(correction)) => {
            Some(correction.text.unwrap_or_else(|| correction.corrected_payload.to_string()))
        }
        _ => None,
    }
}
