//! Sealing: the only place in the engine that signs, so that nothing unmasked is signed.
//!
//! What is signed is replicated and cannot be taken back. So a [`Sealer`] does not give its key
//! away, and signs four things only: [`Prepared`] evidence and a [`PreparedBody`], which are made
//! from what was masked, a [`Sealable`] draft, and a [`Declaration`], which holds no text. Any
//! input from a user, a program or another library becomes a [`Sealable`] through
//! [`Sealable::masked`]. [`Sealable::concluded`] is for drafts that the engine itself derives from
//! sealed operations: masked a second time, a derived claim could differ from the result of its
//! deriver, and would be derived again without end.
//!
//! Operations of other devices are not sealed here: they carry their authors' signatures, and are
//! kept as they are.

use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

use importers::secrets::{Masked, MaskedSecret, SecretKind, mask_body, mask_string};
use kernel::body::{self, Body};
use kernel::declaration::{Declaration, Statement};
use kernel::evidence::Visibility;
use kernel::id::{Author, BodyHash, OpId};
use kernel::kind::Kind;
use kernel::operation::{HlcTimestamp, MalformedError, Operation, Ref};
use kernel::seal::{ChainPosition, Draft, Signer, Unsigned};
use store::sqlite::{Signatures, SqliteWriting};
use store::{Position, Writing};

use crate::EngineError;
use crate::write::record::Prepared;

/// A draft that may be sealed, with the secrets that were masked in it.
pub(crate) struct Sealable {
    draft: Draft,
    masked: Vec<MaskedSecret>,
}

impl Sealable {
    /// Masks a draft. An identity key that exists in the ledger stays as it is.
    pub(crate) fn masked(draft: Draft, writing: &dyn Writing) -> Result<Self, EngineError> {
        let masked = mask_body(draft.body);
        let secrets = masked.secrets().to_vec();
        let mut sealable =
            Self { draft: Draft { body: masked.into_inner(), refs: draft.refs }, masked: secrets };
        let key = match &mut sealable.draft.body {
            Body::ClaimCorrection(body::Correction { identity_key, .. })
            | Body::ClaimRefutation(body::Refutation { identity_key, .. }) => identity_key,
            _ => return Ok(sealable),
        };
        if writing.identity(key)?.is_empty() {
            let masked = mask_string(key);
            sealable.masked.extend_from_slice(masked.secrets());
            *key = masked.into_inner();
        }
        Ok(sealable)
    }

    /// The beginning of a space, masked.
    pub(crate) fn genesis(space: body::Space) -> Self {
        let masked = mask_body(Body::Space(space));
        let secrets = masked.secrets().to_vec();
        Self { draft: Draft::new(masked.into_inner()), masked: secrets }
    }

    /// A draft that follows from sealed operations alone: a derived claim, an invalidation, a
    /// proposal.
    pub(crate) fn concluded(draft: Draft) -> Self {
        Self { draft, masked: Vec::new() }
    }

    /// The secrets that were masked.
    pub(crate) fn secrets(&self) -> &[MaskedSecret] {
        &self.masked
    }
}

/// A masked body with its canonical bytes: what can be made of an operation before its place and
/// its citations are known, on another thread. For bodies that name no identity of the ledger.
pub(crate) struct PreparedBody {
    body: Body,
    bytes: Vec<u8>,
    masked: Vec<SecretKind>,
}

impl PreparedBody {
    /// Makes the canonical bytes. Fails for what is larger than a body may be.
    pub(crate) fn new(body: Masked<Body>) -> Result<Self, MalformedError> {
        let masked = body.kinds().collect();
        let body = body.into_inner();
        let bytes = body.canonical()?;
        Ok(Self { body, bytes, masked })
    }

    /// The body.
    pub(crate) fn get(&self) -> &Body {
        &self.body
    }

    /// The kinds of the secrets that were masked.
    pub(crate) fn masked(&self) -> &[SecretKind] {
        &self.masked
    }

    /// The same edge for other readers; what is not an edge stays as it is.
    pub(crate) fn with_edge_visibility(
        mut self,
        visibility: Visibility,
    ) -> Result<Self, MalformedError> {
        if let Body::Edge(edge) = &mut self.body
            && edge.visibility != Some(visibility)
        {
            edge.visibility = Some(visibility);
            self.bytes = self.body.canonical()?;
        }
        Ok(self)
    }
}

/// The key of this device. It signs what is sealable, and nothing else.
#[derive(Clone)]
pub struct Sealer(Arc<Signer>);

impl From<Signer> for Sealer {
    fn from(signer: Signer) -> Self {
        Self::new(signer)
    }
}

impl Sealer {
    /// Signs with `signer`.
    pub fn new(signer: Signer) -> Self {
        Self(Arc::new(signer))
    }

    /// Prepares a writing for so many operations of [`Sealer::prepare`] and
    /// [`Sealer::prepare_evidence`]. Those of many are signed on another thread while the next ones
    /// are judged: a signature takes longer than most of what recording does.
    pub(crate) fn sign_in(&self, writing: &mut SqliteWriting<'_>, count: usize) {
        writing.sign_by(Box::new(Signing::begin(&self.0, count)));
    }

    /// The public half.
    pub fn author(&self) -> Author {
        self.0.author()
    }

    /// The hash that prepared evidence carries once this device has sealed it.
    pub(crate) fn body_hash(&self, prepared: &Prepared) -> BodyHash {
        prepared.hash_for(self.author(), |bytes| self.0.body_hash(bytes))
    }

    /// A hash that this device's secret keys: others cannot test a guess of the bytes.
    pub(crate) fn keyed_hash(&self, bytes: &[u8]) -> BodyHash {
        self.0.body_hash(bytes)
    }

    /// Seals at a place in this device's chain.
    pub(crate) fn seal(
        &self,
        sealable: Sealable,
        place: ChainPosition,
    ) -> Result<(Operation, Body), MalformedError> {
        let body = sealable.draft.body.clone();
        Ok((self.0.seal(sealable.draft, place)?, body))
    }

    /// Seals at this device's next place in what is being written.
    pub(crate) fn seal_next(
        &self,
        sealable: Sealable,
        writing: &dyn Writing,
        ts: HlcTimestamp,
    ) -> Result<(Operation, Body), EngineError> {
        let place =
            ChainPosition { space: writing.space()?, head: writing.head(&self.author())?, ts };
        Ok(self.seal(sealable, place)?)
    }

    /// Makes an operation of a prepared body, which its writing signs.
    pub(crate) fn prepare(
        &self,
        prepared: PreparedBody,
        refs: Vec<Ref>,
        place: ChainPosition,
    ) -> Result<(Unsigned, Body), MalformedError> {
        let PreparedBody { body, bytes, masked: _ } = prepared;
        Ok((self.0.unsigned(body.kind(), bytes, refs, place)?, body))
    }

    /// Signs a statement about withheld bodies, which names operations and keys alone.
    pub(crate) fn declare(&self, statement: Statement) -> Result<Declaration, MalformedError> {
        self.0.declare(statement)
    }

    /// Makes an operation of evidence, which its writing signs.
    pub(crate) fn prepare_evidence(
        &self,
        prepared: &mut Prepared,
        refs: Vec<Ref>,
        place: ChainPosition,
    ) -> Result<Unsigned, MalformedError> {
        self.0.unsigned(Kind::Evidence, prepared.take_bytes(), refs, place)
    }
}

/// From so many operations on, a thread of its own is worth starting.
const THREAD_FROM: usize = 512;
/// How many operations are sent to it at a time: each message may wake it up.
const SENT_AT_ONCE: usize = 64;

/// An operation that waits for its signature.
type Waiting = (Position, OpId);

/// Signatures by the positions of their operations.
type Signed = Vec<(Position, [u8; 64])>;

/// A thread that signs what it is sent, until nobody sends any more.
type SigningThread = (Sender<Vec<Waiting>>, JoinHandle<Signed>);

/// Signs the operations of one writing.
struct Signing {
    signer: Arc<Signer>,
    made: Signed,
    wants_thread: bool,
    thread: Option<SigningThread>,
    /// What was sent to the thread.
    sent: Vec<Waiting>,
    /// What is to be sent.
    waiting: Vec<Waiting>,
}

impl Signing {
    fn begin(signer: &Arc<Signer>, count: usize) -> Self {
        Self {
            signer: Arc::clone(signer),
            made: Vec::new(),
            wants_thread: count >= THREAD_FROM,
            thread: None,
            sent: Vec::new(),
            waiting: Vec::new(),
        }
    }

    fn sign(&mut self, waiting: Vec<Waiting>) {
        self.made.extend(waiting.into_iter().map(|(at, id)| (at, self.signer.sign(&id))));
    }
}

/// None if the system gives no thread.
fn start(signer: Arc<Signer>) -> Option<SigningThread> {
    let (sender, waiting) = mpsc::channel::<Vec<Waiting>>();
    let sign = move || {
        let all = waiting.into_iter().flatten();
        all.map(|(at, id)| (at, signer.sign(&id))).collect()
    };
    let thread = thread::Builder::new().name("sign".to_owned()).spawn(sign).ok()?;
    Some((sender, thread))
}

impl Signatures for Signing {
    fn make(&mut self, position: Position, id: OpId) {
        self.waiting.push((position, id));
        if !self.wants_thread || self.waiting.len() < SENT_AT_ONCE {
            return;
        }
        if self.thread.is_none() {
            self.thread = start(Arc::clone(&self.signer));
            self.wants_thread = self.thread.is_some();
        }
        let Some((sender, _)) = &self.thread else { return };
        match sender.send(self.waiting.clone()) {
            Ok(()) => self.sent.append(&mut self.waiting),
            Err(_) => self.wants_thread = false,
        }
    }

    fn finish(&mut self) -> Signed {
        let waiting = std::mem::take(&mut self.waiting);
        self.sign(waiting);
        let sent = std::mem::take(&mut self.sent);
        if let Some((sender, thread)) = self.thread.take() {
            drop(sender);
            match thread.join() {
                Ok(made) => self.made.extend(made),
                Err(_) => self.sign(sent),
            }
        }
        std::mem::take(&mut self.made)
    }
}

#[cfg(test)]
mod tests {
    use kernel::ledger_index::LedgerIndex;
    use kernel::operation::{HlcTimestamp, Role};
    use store::Ledger;
    use store::sqlite::SqliteSpace;

    use super::*;

    fn refutation(key: &str, target: kernel::id::OpId) -> Draft {
        let body = body::Refutation { identity_key: key.to_owned(), note: String::new() };
        let refs = vec![Ref { id: target, role: Role::parse(Role::TARGET).unwrap() }];
        Draft { body: Body::ClaimRefutation(body), refs }
    }

    fn genesis(sealer: &Sealer) -> (Operation, Body) {
        let space = body::Space {
            name: "t".to_owned(),
            owner: sealer.author(),
            created: String::new(),
            settings: serde_json::Map::new(),
        };
        let place = ChainPosition { space: None, head: None, ts: HlcTimestamp(1) };
        sealer.seal(Sealable::genesis(space), place).unwrap()
    }

    fn note() -> Body {
        let note = serde_json::json!({
            "source": "t", "source_uid": "1", "kind": "note", "summary": "", "visibility": "project", "payload": {}
        });
        Body::Evidence(serde_json::from_value(note).unwrap())
    }

    /// Loses what it was to sign.
    struct NoSignatures;

    impl Signatures for NoSignatures {
        fn make(&mut self, _: Position, _: OpId) {}
        fn finish(&mut self) -> Signed {
            Vec::new()
        }
    }

    #[test]
    fn nothing_unsigned_is_committed() {
        let sealer = Sealer::new(Signer::from_seed([1; 32]));
        let (genesis, body) = genesis(&sealer);
        let mut space = SqliteSpace::create_in_memory(&genesis, &body).unwrap();
        for (count, is_signed) in [(1, true), (2 * THREAD_FROM + 1, true), (1, false)] {
            let mut writing = Box::new(space.write().unwrap());
            match is_signed {
                true => sealer.sign_in(&mut writing, count),
                false => writing.sign_by(Box::new(NoSignatures)),
            }
            let mut made = Vec::new();
            for _ in 0..count {
                let prepared = PreparedBody::new(mask_body(note())).unwrap();
                let ts = HlcTimestamp(writing.position().0 + 9);
                let head = writing.head(&sealer.author()).unwrap();
                let place = ChainPosition { space: Some(genesis.space()), head, ts };
                let (unsigned, body) = sealer.prepare(prepared, Vec::new(), place).unwrap();
                writing.record_unsigned(&unsigned, Some(&body)).unwrap();
                made.push(unsigned.operation().id());
            }
            assert_eq!(writing.commit().is_ok(), is_signed);
            for id in made {
                let written = space.get(&id).unwrap();
                assert_eq!(written.is_some(), is_signed);
                assert!(written.is_none_or(|written| written.operation.verify().is_ok()));
            }
        }
    }

    #[test]
    fn an_identity_key_is_masked_unless_it_names_something_in_the_ledger() {
        let sealer = Sealer::new(Signer::from_seed([1; 32]));
        let (genesis, body) = genesis(&sealer);
        let mut space = SqliteSpace::create_in_memory(&genesis, &body).unwrap();
        let mut writing = space.begin().unwrap();
        let note = Sealable::masked(Draft::new(note()), &*writing).unwrap();
        let (note, body) = sealer.seal_next(note, &*writing, HlcTimestamp(2)).unwrap();
        writing.record(&note, Some(&body)).unwrap();
        // Another program may have sealed this without masking it.
        let known = "password: tulip77bridge";
        let claim = serde_json::json!({ "claim_type": "t", "identity_key": known, "payload": 1 });
        let claim = Body::Claim(serde_json::from_value(claim).unwrap());
        let refs = vec![Ref { id: note.id(), role: Role::parse("supporting").unwrap() }];
        let claim = Sealable::concluded(Draft { body: claim, refs });
        let (claim, body) = sealer.seal_next(claim, &*writing, HlcTimestamp(3)).unwrap();
        writing.record(&claim, Some(&body)).unwrap();
        let key_of = |key: &str| {
            let sealable = Sealable::masked(refutation(key, claim.id()), &*writing).unwrap();
            let Body::ClaimRefutation(refutation) = sealable.draft.body else {
                panic!("it is another body")
            };
            refutation.identity_key
        };
        assert_eq!(key_of(known), known);
        assert_eq!(key_of("password: walnut88bridge"), "password: [masked:password]");
    }
}
