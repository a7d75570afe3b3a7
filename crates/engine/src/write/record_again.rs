//! Recording again what a copy cannot accept of this device's own key.
//!
//! Two accidents leave operations in an export that copies refuse. They were written under a clock
//! that was more than a day ahead, or they belong to the other branch of a fork. The rules about
//! time and chains stay as they are. But the holder of the key can record the same content again:
//! each such operation is sealed anew, at the end of this device's chain and with today's time.
//! Records are recorded as an import records them. The user's word is recorded on the operations
//! that stand in for those it was about. What derivers concluded is left to derivation, reviews
//! too, and a decision about one is about the review that asks the same. Other proposals, as
//! patches, are recorded with what stands in for the operations that they name.
//!
//! Only operations of this device's own key are recorded again, because a signature must not put
//! the words of one key into another's mouth. Doing it twice adds nothing: what was recorded again
//! is recognised by its content among the operations that the export does not have.
//! (`docs/design/0026-access-and-clocks.md`)

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::BufRead;

use kernel::body::{Body, Deriver};
use kernel::evidence::Evidence;
use kernel::id::{BodyHash, OpId, SpaceId};
use kernel::kind::Kind;
use kernel::ledger_index::LedgerIndex;
use kernel::operation::{HlcTimestamp, Operation, Ref, Role, Verified};
use kernel::proposal::{Proposal, ProposedTarget, Question};
use kernel::rules::judge_time;
use kernel::seal::Draft;
use kernel::when::When;
use store::Ledger;

use super::exchange::{Lines, read_genesis};
use super::record::{BATCH_MAX, Outcome, Prepared};
use crate::belief::review::proposed_as;
use crate::belief::{Belief, belief};
use crate::derive::Extent;
use crate::outcome::Intent;
use crate::{EngineError, Writer, now_us};

/// Most operations that are recorded again at once.
pub const RECORDED_AGAIN_MAX: usize = 100_000;
/// Operations named that could not be recorded again.
const LEFT_OUT_KEPT_MAX: usize = 100;
/// How near a record's own time is to its operation's where the clock gave both, microseconds.
const SAME_CLOCK_US: u64 = 2_000_000;

/// The result of recording operations again.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct RecordedAgain {
    /// Operations that were recorded again.
    pub added: u64,
    /// Operations that say what is recorded already, for instance since the last time.
    pub present: u64,
    /// Claims, invalidations and proposals of derivers, which derivation makes again.
    pub left_to_derivation: u64,
    /// Operations that could not be recorded again.
    pub left_out: u64,
    /// The first of them.
    pub left_out_first: Vec<LeftOut>,
}

/// An operation that could not be recorded again.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct LeftOut {
    /// Its id in the export.
    pub id: OpId,
    /// Its kind.
    pub kind: String,
    /// Why it could not be recorded again.
    pub reason: String,
}

impl RecordedAgain {
    /// Adds what is left out.
    pub(crate) fn leave_out(&mut self, operations: Vec<LeftOut>) {
        self.left_out += operations.len() as u64;
        let room = LEFT_OUT_KEPT_MAX.saturating_sub(self.left_out_first.len());
        self.left_out_first.extend(operations.into_iter().take(room));
    }

    /// All operations that were looked at.
    pub fn total(&self) -> u64 {
        self.added + self.present + self.left_to_derivation + self.left_out
    }
}

/// An operation of this device's key that the ledger does not have.
pub(crate) type Missing = (Operation<Verified>, Body);

/// What an operation says, apart from its place in the chain: its kind, its body, and what it cites
/// in which role. A word about a belief cites the identity.
type Content = (String, BodyHash, Vec<(String, String)>);

/// What an export has of this device's key.
struct Own {
    /// The last number up to which it has what the ledger has.
    shared_seq: u64,
    missing: Vec<Missing>,
}

/// The work under way.
struct Again<'w, 'a> {
    writer: &'w mut Writer<'a>,
    now: jiff::Timestamp,
    /// What this device's chain has and the export does not, by content.
    earlier: HashMap<Content, VecDeque<OpId>>,
    /// What stands in for an operation of the export.
    stands_for: HashMap<OpId, OpId>,
    /// The identities of claims in the export.
    identities: HashMap<OpId, String>,
    /// What the reviews in the export ask.
    questions: HashMap<OpId, Question>,
    /// Records that wait to be written together.
    batch: Vec<(OpId, Prepared)>,
    /// What was recorded again, and what stands in for it.
    added: Vec<(OpId, OpId)>,
    report: RecordedAgain,
}

impl Writer<'_> {
    /// Records again, with the time `now`, what an export has of this device's own key and this
    /// ledger does not, after the export was imported. The export is one of this space, or of a
    /// space of this key that begins in the future and that no copy can be made of.
    ///
    /// # Errors
    /// If the export cannot be read, is of another space, or has more than [`RECORDED_AGAIN_MAX`]
    /// such operations; nothing is recorded then. If the store fails.
    pub fn record_again(
        &mut self,
        input: &mut dyn BufRead,
        now: jiff::Timestamp,
    ) -> Result<RecordedAgain, EngineError> {
        let own = self.own_in(input, now)?;
        Ok(self.record_missing_again(own.missing, own.shared_seq, now)?.0)
    }

    /// Records operations again, unless this device recorded the same after `shared_seq` of its
    /// chain. Returns also which new operation stands in for each that was recorded.
    pub(crate) fn record_missing_again(
        &mut self,
        missing: Vec<Missing>,
        shared_seq: u64,
        now: jiff::Timestamp,
    ) -> Result<(RecordedAgain, Vec<(OpId, OpId)>), EngineError> {
        let earlier = self.earlier_after(shared_seq)?;
        let mut again = Again {
            writer: self,
            now,
            earlier,
            stands_for: HashMap::new(),
            identities: HashMap::new(),
            questions: HashMap::new(),
            batch: Vec::new(),
            added: Vec::new(),
            report: RecordedAgain::default(),
        };
        for (operation, body) in missing {
            again.take(&operation, body)?;
        }
        again.write_batch()?;
        Ok((again.report, again.added))
    }

    fn own_in(&self, input: &mut dyn BufRead, now: jiff::Timestamp) -> Result<Own, EngineError> {
        let mut lines = Lines::new(input);
        let index = self.store.ledger_index()?;
        let ours = self.author();
        let mut source: Option<SpaceId> = None;
        let mut own = Own { shared_seq: 0, missing: Vec::new() };
        while let Some((line, text)) = lines.next()? {
            let refuse = |reason: String| EngineError::Exchange { line, reason };
            let Ok(operation) = Operation::from_line(&text) else { continue };
            if source.is_none() {
                source = Some(self.source_of(&text, now)?);
            }
            if operation.header().author != ours || Some(operation.space()) != source {
                continue;
            }
            // What is not verified was refused and reported by the import.
            let Ok(operation) = operation.verify() else { continue };
            if index.entry(&operation.id())?.is_some() {
                own.shared_seq = own.shared_seq.max(operation.header().seq);
                continue;
            }
            let body = operation.body().map(|bytes| Body::parse(&operation.header().kind, bytes));
            if let Some(Ok(body)) = body {
                own.missing.push((operation, body));
            }
            if own.missing.len() > RECORDED_AGAIN_MAX {
                return Err(refuse(format!(
                    "more than {RECORDED_AGAIN_MAX} operations would have to be recorded again"
                )));
            }
        }
        Ok(own)
    }

    /// The space of an export, which is this one, or one of this key that begins in the future.
    fn source_of(&self, first: &[u8], now: jiff::Timestamp) -> Result<SpaceId, EngineError> {
        let (genesis, _) = read_genesis(&mut &first[..])?;
        let is_ahead = judge_time(genesis.header().ts, now_us(now)).is_err();
        if genesis.space() == self.space()? || is_ahead && genesis.header().author == self.author()
        {
            return Ok(genesis.space());
        }
        Err(EngineError::Exchange { line: 1, reason: "this is an export of another space".into() })
    }

    /// What this device wrote after a number of its chain.
    fn earlier_after(&self, seq: u64) -> Result<HashMap<Content, VecDeque<OpId>>, EngineError> {
        let index = self.store.ledger_index()?;
        let ours = self.author();
        let head = index.head(&ours)?.map_or(0, |head| head.seq);
        let mut earlier: HashMap<Content, VecDeque<OpId>> = HashMap::new();
        for seq in seq.saturating_add(1)..=head {
            let Some(id) = index.at_seq(&ours, seq)? else { continue };
            let Some(recorded) = self.store.get(&id)? else { continue };
            let header = recorded.operation.header();
            let body = recorded.operation.body().map(|bytes| Body::parse(&header.kind, bytes));
            if let Some(Ok(body)) = body
                && !is_concluded(&body)
            {
                let target = recorded.operation.sole_ref(Role::TARGET);
                let key = match target.map(|target| index.entry(&target)).transpose()?.flatten() {
                    Some(target) if target.kind == Kind::Claim => target.identity,
                    _ => None,
                };
                let content = self.content_of(without_clock(body, header.ts), &header.refs, key)?;
                earlier.entry(content).or_default().push_back(id);
            }
        }
        Ok(earlier)
    }

    /// What identifies an operation's content. Evidence counts without what it replaces and without
    /// the mark of an echo, which depend on what was there before.
    fn content_of(
        &self,
        mut body: Body,
        refs: &[Ref],
        retracted: Option<String>,
    ) -> Result<Content, EngineError> {
        let key = match &mut body {
            Body::Evidence(evidence) => {
                evidence.unmark_echo();
                None
            }
            Body::ClaimCorrection(correction) => Some(correction.identity_key.clone()),
            Body::ClaimRefutation(refutation) => Some(refutation.identity_key.clone()),
            Body::Retraction(_) => retracted,
            _ => None,
        };
        let cited = |cited: &Ref| {
            let id = || cited.id.to_string();
            let key = key.clone().filter(|_| cited.role.as_str() == Role::TARGET);
            (key.unwrap_or_else(id), cited.role.as_str().to_owned())
        };
        let refs = match &body {
            Body::Evidence(_) => Vec::new(),
            _ => refs.iter().map(cited).collect(),
        };
        Ok((body.kind().as_str().to_owned(), self.sealer.keyed_hash(&body.canonical()?), refs))
    }
}

/// Whether derivation makes it again, or it is the beginning of a space.
fn is_concluded(body: &Body) -> bool {
    match body {
        Body::Space(_) | Body::ClaimInvalidation(_) => true,
        Body::Proposal(proposal) => proposal.review.is_some(),
        Body::Claim(claim) => matches!(&claim.deriver, Some(Deriver { .. })),
        _ => false,
    }
}

/// Whether a record's own time was taken from the clock when it was written.
fn is_from_clock(evidence: &Evidence, ts: HlcTimestamp) -> bool {
    let at = evidence.at.as_ref().map(When::instant_us);
    at.is_some_and(|at| ts.0.cast_signed().abs_diff(at) <= SAME_CLOCK_US)
}

/// A body without a time that the clock gave.
fn without_clock(mut body: Body, ts: HlcTimestamp) -> Body {
    if let Body::Evidence(evidence) = &mut body
        && is_from_clock(evidence, ts)
    {
        evidence.at = None;
    }
    body
}

impl Again<'_, '_> {
    fn take(&mut self, operation: &Operation<Verified>, body: Body) -> Result<(), EngineError> {
        let id = operation.id();
        if let Body::Claim(claim) = &body {
            self.identities.insert(id, claim.identity_key.clone());
        }
        if let Body::Proposal(Proposal { review: Some(question), .. }) = &body {
            self.questions.insert(id, question.clone());
        }
        if is_concluded(&body) {
            self.report.left_to_derivation += 1;
            return Ok(());
        }
        if let Body::Evidence(evidence) = &body {
            let ts = operation.header().ts;
            let content = self.writer.content_of(without_clock(body.clone(), ts), &[], None)?;
            if !self.is_earlier(id, &content) {
                let mut evidence = evidence.clone();
                evidence.unmark_echo();
                // The time of a clock that was ahead is no more true than the operation's.
                if is_from_clock(&evidence, ts) && judge_time(ts, now_us(self.now)).is_err() {
                    evidence.at = When::parse(&self.now.to_string()).ok();
                }
                self.batch.push((id, Prepared::new(importers::secrets::mask(evidence))?));
                if self.batch.len() == BATCH_MAX {
                    self.write_batch()?;
                }
            }
            return Ok(());
        }
        self.write_batch()?;
        let refs = match self.refs_of(operation, &body)? {
            Refs::Found(refs) => refs,
            Refs::NotBelieved => {
                self.report.left_to_derivation += 1;
                return Ok(());
            }
            Refs::Missing(missing) => {
                self.leave_out(id, &body, format!("it cites {missing}, which is not here"));
                return Ok(());
            }
        };
        let (body, missing) = self.renamed(body)?;
        if let Some(missing) = missing {
            self.leave_out(id, &body, format!("it names {missing}, which is not here"));
            return Ok(());
        }
        let key = self.retracted_by(operation)?;
        let content = self.writer.content_of(body.clone(), &refs, key)?;
        if self.is_earlier(id, &content) {
            return Ok(());
        }
        let draft = Draft { body: body.clone(), refs };
        match self.writer.act(vec![draft], Intent::Write, self.now) {
            Ok(changes) => {
                self.report.added += 1;
                let recorded = changes.recorded.first().map(|new| (id, *new));
                self.stands_for.extend(recorded);
                self.added.extend(recorded);
            }
            Err(EngineError::Record(refused)) => self.leave_out(id, &body, refused.to_string()),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn leave_out(&mut self, id: OpId, body: &Body, reason: String) {
        self.report.leave_out(vec![LeftOut { id, kind: body.kind().as_str().to_owned(), reason }]);
    }

    /// Whether this device recorded this content after what it shares with the export.
    fn is_earlier(&mut self, id: OpId, content: &Content) -> bool {
        let Some(new) = self.earlier.get_mut(content).and_then(VecDeque::pop_front) else {
            return false;
        };
        self.stands_for.insert(id, new);
        self.report.present += 1;
        true
    }

    fn write_batch(&mut self) -> Result<(), EngineError> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let (ids, batch): (Vec<OpId>, Vec<Prepared>) =
            std::mem::take(&mut self.batch).into_iter().unzip();
        let outcomes = self.writer.record(batch, self.now)?;
        self.writer.end_bulk()?;
        for (id, outcome) in ids.into_iter().zip(outcomes) {
            let (new, count) = match outcome {
                Outcome::Added(new) | Outcome::Replaced { new, .. } => {
                    (new, &mut self.report.added)
                }
                // What was forgotten stays forgotten.
                Outcome::Present(new) | Outcome::Forgotten(new) => (new, &mut self.report.present),
            };
            *count += 1;
            self.stands_for.insert(id, new);
            if matches!(outcome, Outcome::Added(_) | Outcome::Replaced { .. }) {
                self.added.push((id, new));
            }
        }
        Ok(())
    }

    /// What stands in for the citations of an operation. The user's word about a claim that was
    /// derived is about what is believed of the same identity now.
    fn refs_of(
        &mut self,
        operation: &Operation<Verified>,
        body: &Body,
    ) -> Result<Refs, EngineError> {
        let key = match body {
            Body::ClaimCorrection(correction) => Some(correction.identity_key.clone()),
            Body::ClaimRefutation(refutation) => Some(refutation.identity_key.clone()),
            Body::Retraction(_) => self.retracted_by(operation)?,
            _ => None,
        };
        let mut refs = Vec::with_capacity(operation.header().refs.len());
        let mut seen = HashSet::new();
        for cited in &operation.header().refs {
            let stand_in = match self.stand_in(&cited.id)? {
                None => self.review_like(&cited.id)?,
                found => found,
            };
            let id = match stand_in {
                Some(id) => id,
                None => {
                    let Some(key) = key.as_ref().filter(|_| cited.role.as_str() == Role::TARGET)
                    else {
                        return Ok(Refs::Missing(cited.id));
                    };
                    let believed = self.believed(key)?;
                    let is_retraction = matches!(body, Body::Retraction(_));
                    match (believed.served, believed.current) {
                        (Some(id), _) => id,
                        (None, _) if is_retraction => return Ok(Refs::NotBelieved),
                        (None, Some(id)) => id,
                        (None, None) => return Ok(Refs::Missing(cited.id)),
                    }
                }
            };
            let is_quote = operation.header().kind.spec().is_quote(cited.role.as_str());
            if is_quote && self.writer.store.ledger_index()?.lacks_body(&id)? {
                // What quotes something forgotten is forgotten with it.
                return Ok(Refs::Missing(cited.id));
            }
            let cited = Ref { id, role: cited.role.clone() };
            if seen.insert((cited.id, cited.role.as_str().to_owned())) {
                refs.push(cited);
            }
        }
        Ok(Refs::Found(refs))
    }

    /// The identity of the claim that an operation acts on.
    fn retracted_by(&self, operation: &Operation<Verified>) -> Result<Option<String>, EngineError> {
        let Some(target) = operation.sole_ref(Role::TARGET) else { return Ok(None) };
        if let Some(key) = self.identities.get(&target) {
            return Ok(Some(key.clone()));
        }
        let target = self.writer.store.ledger_index()?.entry(&target)?;
        Ok(target.filter(|target| target.kind == Kind::Claim).and_then(|target| target.identity))
    }

    fn stand_in(&self, id: &OpId) -> Result<Option<OpId>, EngineError> {
        if let Some(new) = self.stands_for.get(id) {
            return Ok(Some(*new));
        }
        Ok(self.writer.store.ledger_index()?.entry(id)?.map(|entry| entry.id))
    }

    /// A body with what stands in for the operations that a proposal would cite, and the first of
    /// them for which nothing does.
    fn renamed(&self, body: Body) -> Result<(Body, Option<OpId>), EngineError> {
        let Body::Proposal(mut proposal) = body else { return Ok((body, None)) };
        let refs = proposal.operations.iter_mut().flat_map(|operation| &mut operation.refs);
        let mut missing = None;
        for reference in refs {
            let ProposedTarget::Id(id) = &mut reference.target else { continue };
            match self.stand_in(id)? {
                Some(new) => *id = new,
                None => missing = missing.or(Some(*id)),
            }
        }
        Ok((Body::Proposal(proposal), missing))
    }

    /// The review here that asks what one in the export asked, after everything so far was derived
    /// from.
    fn review_like(&mut self, id: &OpId) -> Result<Option<OpId>, EngineError> {
        let Some(mut question) = self.questions.get(id).cloned() else { return Ok(None) };
        if let Some(trigger) = &mut question.trigger {
            let Some(new) = self.stand_in(trigger)? else { return Ok(None) };
            *trigger = new;
        }
        self.believed(&question.identity_key)?;
        let index = self.writer.store.ledger_index()?;
        Ok(proposed_as(&index, &question)?)
    }

    /// What is believed of an identity, after everything so far was derived from.
    fn believed(&mut self, key: &str) -> Result<Belief, EngineError> {
        if self.writer.may_derive(self.now)? {
            self.writer.derive(Extent::Changed, Intent::Write, self.now, |_| {})?;
        }
        let index = self.writer.store.ledger_index()?;
        Ok(belief(&index, key)?)
    }
}

/// What stands in for the citations of an operation.
enum Refs {
    Found(Vec<Ref>),
    /// What it retracts is not believed here anyway.
    NotBelieved,
    /// Nothing stands in for this one.
    Missing(OpId),
}
