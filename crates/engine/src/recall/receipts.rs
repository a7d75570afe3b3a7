//! Receipts: what was put before whom, when, why, and from which records.
//!
//! A receipt is written beside what is shown and names it by digests: of the question, of the whole
//! text. Its own id is the hash of its canonical JSON, so it cannot be changed without being
//! another. It is a journal and no truth about the world: where it cannot be written, what was
//! asked for is shown all the same, and it is said that there is none.
//!
//! What was shown is recognised when it comes back (`docs/design/0014-echo.md`): that is why
//! receipts keep shingles of the texts.

use std::collections::BTreeMap;
use std::time::Duration;

use importers::secrets::mask_string;
use jiff::Timestamp;
use kernel::id::{IdPrefix, OpId, ReceiptId};
use kernel::when::When;
use retrieval::shingles::Shingles;
use serde::{Deserialize, Serialize};
use store::sqlite::{NewReceipt, ReceiptFilter, ReceiptItem};
use store::{Ledger, StoreError};

use crate::recall::episodes::{Recollection, cut};
use crate::recall::facts::Fact;
use crate::{EngineError, Reader, Writer};

/// Longest name of a speaker, agent or session, bytes.
pub const NAME_BYTES_MAX: usize = 256;
/// Most receipts that are listed at once.
pub const RECEIPTS_MAX: usize = 10_000;
/// How long writing a receipt waits for another process that is writing.
const WRITE_WAIT: Duration = Duration::from_millis(1_500);
/// Of a text that is shown, every shingle whose hash is divisible by this is looked for later, and
/// the smallest [`SMALLEST`].
const SAMPLED_EVERY: u32 = 4;
/// How many of the smallest shingles of a shown text are looked for later.
const SMALLEST: usize = 4;
/// Most shingles by which one shown text is looked for.
const SAMPLED_MAX: usize = 64;

/// A part of what is shown, by where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// The agent's own instructions.
    System,
    /// Facts that memory added.
    Facts,
    /// Episodes that memory added.
    Episodes,
    /// What tools answered.
    ToolResults,
    /// The conversation.
    RecentTurns,
}

impl Tier {
    /// As JSON names it.
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
    /// The newest turn always is.
    NewestTurn,
    /// A turn shortly before.
    RecentTurn,
    /// What a tool answered, by its rank.
    ToolResult {
        /// From 1.
        rank: usize,
    },
    /// Memory holds it relevant to the last turns.
    Relevant {
        /// How well it answers them, 0 … 1.
        similarity: f64,
        /// How sure it is, of a fact.
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

/// What was put before whom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// The hash of everything else, in canonical JSON.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub id: Option<ReceiptId>,
    /// When, UTC.
    pub time: When,
    /// Before whom.
    pub agent: String,
    /// In which conversation.
    pub session: Option<String>,
    /// For which turn of it.
    pub turn: Option<u64>,
    /// BLAKE3 of what was looked for, hexadecimal.
    #[serde(rename = "asked")]
    pub query: String,
    /// BLAKE3 of the whole text that was given, hexadecimal; none where records were listed.
    pub text: Option<String>,
    /// Tokens of the whole text; 0 where records were listed.
    pub tokens: u64,
    /// What it consisted of.
    pub items: Vec<Shown>,
}

/// One thing that was shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// The record, if it is from memory.
    pub id: Option<OpId>,
    /// Which part of the context it was.
    pub tier: Tier,
    /// What it cost.
    pub tokens: u64,
    /// Why it was shown.
    pub reason: Reason,
    /// How good it was.
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

/// What was recalled for someone.
#[derive(Clone, Copy, Debug)]
pub struct Recalled<'a> {
    /// What was asked.
    pub query: &'a str,
    /// What is believed.
    pub facts: &'a [Fact],
    /// What was told.
    pub records: &'a [Recollection],
}

/// A receipt that is to be written.
pub(crate) struct Issue<'a> {
    /// When it is shown.
    pub(crate) now: Timestamp,
    /// Before whom.
    pub(crate) recipient: Recipient<'a>,
    /// For which turn of the conversation.
    pub(crate) turn: Option<u64>,
    /// What was looked for.
    pub(crate) query: &'a str,
    /// The whole text, and its tokens; none where records are listed.
    pub(crate) text: Option<(&'a str, u64)>,
    /// What it consists of.
    pub(crate) rows: Vec<Row<'a>>,
}

/// One thing that is shown, and its text.
pub(crate) struct Row<'a> {
    pub(crate) shown: Shown,
    pub(crate) text: &'a str,
}

impl<'a> Row<'a> {
    /// Of what an agent asked for.
    fn requested(id: OpId, tier: Tier, rank: usize, score: Option<f64>, text: &'a str) -> Self {
        let score = score.map(kernel::confidence::round6);
        let reason = Reason::Asked { rank };
        Self { shown: Shown { id: Some(id), tier, tokens: 0, reason, score }, text }
    }
}

impl<'a> Issue<'a> {
    /// For what an agent asked for: facts, records, and the neighbours of these.
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

    /// The receipt, and what the texts that it names are recognised by.
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

/// What a shown text is recognised by.
fn recognised_by(record: OpId, text: &str) -> ReceiptItem {
    let shingles = Shingles::of(text);
    let mut sampled = shingles.smallest(SMALLEST).to_vec();
    sampled.extend(
        shingles.hashes().iter().filter(|hash| *hash % SAMPLED_EVERY == 0).take(SAMPLED_MAX),
    );
    sampled.sort_unstable();
    sampled.dedup();
    ReceiptItem { record, exact: shingles.exact, shingles: shingles.hashes().to_vec(), sampled }
}

impl Writer<'_> {
    /// Writes a receipt; none where the space cannot be written just now.
    pub(crate) fn issue(&mut self, issue: Issue<'_>) -> Result<Option<ReceiptId>, EngineError> {
        let (receipt, items) = issue.into_receipt();
        let body = kernel::canonical::to_bytes(&receipt).map_err(std::io::Error::other)?;
        let id = ReceiptId(*blake3::hash(&body).as_bytes());
        let receipt = NewReceipt {
            id,
            ts_us: receipt.time.instant_us().max(0).unsigned_abs(),
            agent: receipt.agent,
            session: receipt.session,
            body,
            items,
        };
        match self.store.keep_receipt(&receipt, WRITE_WAIT) {
            Ok(()) => Ok(Some(id)),
            Err(
                StoreError::ReadOnly
                | StoreError::Busy { .. }
                | StoreError::DiskFull
                | StoreError::WriteFailed,
            ) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes a receipt of what was recalled for someone; none where the space cannot be written
    /// just now.
    pub fn receipt_of_recall(
        &mut self,
        recipient: &Recipient<'_>,
        recalled: &Recalled<'_>,
        now: Timestamp,
    ) -> Result<Option<ReceiptId>, EngineError> {
        self.issue(Issue::of_recall(recipient, recalled, now))
    }

    /// Deletes receipts from before a time; how many.
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
        kept.iter().map(|kept| read(kept.id, &kept.body)).collect()
    }

    /// The one receipt that an id or the beginning of one names.
    pub fn receipt(&self, text: &str) -> Result<Receipt, EngineError> {
        let unknown = || EngineError::UnknownReceipt { prefix: text.chars().take(80).collect() };
        let digits = text.trim().strip_prefix("receipt:").unwrap_or(text.trim());
        let prefix: IdPrefix = digits.parse().map_err(|_| unknown())?;
        match self.store.receipts_between(&prefix.first(), &prefix.last(), 2)?.as_slice() {
            [kept] => read(kept.id, &kept.body),
            _ => Err(unknown()),
        }
    }

    /// The texts of what a receipt names, as far as they are there.
    pub fn texts_of(&self, receipt: &Receipt) -> Result<BTreeMap<OpId, String>, EngineError> {
        let mut texts = BTreeMap::new();
        for id in receipt.items.iter().filter_map(|item| item.id) {
            let Some(recorded) = self.store.get(&id)? else { continue };
            let operation = recorded.operation;
            let Some(body) = operation.body() else { continue };
            let text = match kernel::body::Body::parse(&operation.header().kind, body) {
                Ok(kernel::body::Body::Evidence(evidence)) => evidence.said().to_owned(),
                Ok(kernel::body::Body::Claim(claim)) => claim.text,
                Ok(kernel::body::Body::ClaimCorrection(correction)) => {
                    correction.text.unwrap_or_else(|| correction.corrected_payload.to_string())
                }
                _ => continue,
            };
            texts.insert(id, text);
        }
        Ok(texts)
    }

    /// How many receipts there are.
    pub fn count_receipts(&self) -> Result<u64, EngineError> {
        Ok(self.store.count_receipts()?)
    }
}

/// A receipt out of its row. One that was changed behind our back is damage.
fn read(id: ReceiptId, body: &[u8]) -> Result<Receipt, EngineError> {
    let damaged = |detail: String| EngineError::Store(StoreError::Damaged { detail });
    if blake3::hash(body).as_bytes() != id.as_bytes() {
        return Err(damaged(format!("{id} does not hold what its id says")));
    }
    let mut receipt: Receipt = serde_json::from_slice(body)
        .map_err(|error| damaged(format!("{id} does not read: {error}")))?;
    receipt.id = Some(id);
    Ok(receipt)
}
