//! A space being written in a test, over either ledger: keys, a clock and short bodies.

use kernel::access::Access;
use kernel::body::Body;
use kernel::canonical;
use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility, summarize};
use kernel::id::{Author, BodyHash, OpId, SpaceId};
use kernel::kind::Kind;
use kernel::ledger_index::{Citing, Entry, Head, LedgerIndex};
use kernel::operation::{HlcTimestamp, Operation, Ref, Role};
use kernel::rules::Verdict;
use kernel::seal::{ChainPosition, Draft, Signer};
use kernel::soundness::ClaimStatus;
use kernel::validity::{State, Validity};
use retrieval::rank::Weights;
use serde_json::{Value, json};
use store::memory::MemoryLedger;
use store::sqlite::{Filter, Found, SqliteSpace};
use store::{Ledger, RecordError, StoreError, Writing};

/// A key by number. Number 1 owns every space.
pub(crate) fn key(number: u8) -> Signer {
    Signer::from_seed([number; 32])
}

/// The owner's genesis operation.
pub(crate) fn genesis() -> (Operation, Body) {
    let body = json!({"name": "test", "owner": key(1).author(), "created": "2026-01-01T00:00:00Z"});
    let body = body_of("space", &body);
    (
        key(1)
            .seal(
                Draft::new(body.clone()),
                ChainPosition { space: None, head: None, ts: HlcTimestamp(1) },
            )
            .unwrap(),
        body,
    )
}

/// A body by kind.
pub(crate) fn body_of(kind: &str, body: &Value) -> Body {
    Body::parse(&Kind::parse(kind).unwrap(), &canonical::to_bytes(body).unwrap()).unwrap()
}

/// Citations by role.
pub(crate) fn refs_of(refs: &[(&str, OpId)]) -> Vec<Ref> {
    refs.iter().map(|(role, id)| Ref { id: *id, role: Role::parse(role).unwrap() }).collect()
}

/// A note of one source.
pub(crate) fn note(uid: &str, text: &str) -> Evidence {
    Evidence {
        source: "test".to_owned(),
        source_uid: uid.to_owned(),
        kind: EvidenceKind::from(EvidenceKind::NOTE),
        actor: None,
        at: None,
        summary: summarize(text),
        visibility: Visibility::Project,
        payload: Payload { text: text.to_owned(), ..Payload::default() },
    }
}

/// A grant or revocation of `append` for a key.
pub(crate) fn append_right(number: u8) -> Value {
    json!({"key": key(number).author(), "capabilities": ["append"]})
}

/// The verdict on an operation: `append`, `present` or the code of the rule that it breaks.
pub(crate) fn word(result: &Result<Verdict, RecordError>) -> &'static str {
    match result {
        Ok(Verdict::Append) => "append",
        Ok(Verdict::Present) => "present",
        Err(RecordError::Refused { violation, .. }) => violation.code(),
        Err(RecordError::Store(error)) => panic!("{error}"),
    }
}

/// A space and its clock.
pub(crate) struct Book<L> {
    pub(crate) ledger: L,
    pub(crate) clock: u64,
    pub(crate) folder: Option<tempfile::TempDir>,
}

impl Book<MemoryLedger> {
    pub(crate) fn in_memory() -> Self {
        let mut ledger = MemoryLedger::default();
        let (operation, body) = genesis();
        let mut writing = ledger.begin().unwrap();
        writing.record(&operation, Some(&body)).unwrap();
        writing.commit().unwrap();
        Self { ledger, clock: 1, folder: None }
    }
}

impl Book<SqliteSpace> {
    pub(crate) fn in_file() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (operation, body) = genesis();
        let ledger =
            SqliteSpace::create(&folder.path().join("test.space"), &operation, &body).unwrap();
        Self { ledger, clock: 1, folder: Some(folder) }
    }

    /// Another handle on the same file, as another process has.
    pub(crate) fn again(&self) -> Self {
        Self {
            ledger: SqliteSpace::open_unshared(self.ledger.path()).unwrap(),
            clock: self.clock,
            folder: None,
        }
    }

    /// Another handle of this process on the same file.
    pub(crate) fn beside(&self) -> Self {
        Self {
            ledger: SqliteSpace::open(self.ledger.path()).unwrap(),
            clock: self.clock,
            folder: None,
        }
    }

    /// Folds everything.
    pub(crate) fn advance(&mut self) {
        self.ledger.advance(|_| {}).unwrap();
    }

    /// Changes the file behind the store's back.
    pub(crate) fn tamper(&self, statements: &str) {
        rusqlite::Connection::open(self.ledger.path()).unwrap().execute_batch(statements).unwrap();
    }

    /// The records that a question finds, best first.
    pub(crate) fn search(
        &self,
        question: &str,
        filter: &Filter,
        weights: &Weights,
        limit: usize,
    ) -> Result<Vec<Found>, StoreError> {
        self.ledger.search(|search, analyzer| {
            let question = search.question(question, analyzer, None)?;
            search.finder(&question, analyzer, filter, None, weights)?.find(limit)
        })
    }

    /// The texts of the records that a question finds by its words, best first.
    pub(crate) fn find(&self, question: &str) -> Vec<String> {
        let found = self.search(question, &Filter::default(), &Weights::LEXICAL, 100);
        let text = |found: Found| {
            let before = store::Position(found.position.0 - 1);
            match body_at(&self.ledger.read(before, 1).unwrap().pop().unwrap().operation) {
                Some(Body::Evidence(evidence)) => evidence.payload.text,
                other => panic!("{other:?} was found"),
            }
        };
        found.unwrap().into_iter().map(text).collect()
    }
}

impl Book<SqliteSpace> {
    /// The texts of the claims that are served and share a word with a question.
    pub(crate) fn believed(&self, question: &str) -> Vec<String> {
        let found = self.ledger.search_facts_with(None, |search, analyzer| {
            let question = search.question(question, analyzer, None)?;
            let index = search.ledger_index()?;
            search.find_served(&question, analyzer, None, (&[], 100), |key| {
                let mut validity = Validity::new(&index);
                let is_active = validity.state(key)? == State::Active;
                Ok(validity.current(key)?.map(|claim| claim.id).filter(|_| is_active))
            })
        });
        let text = |(id, _)| match body_at(&self.ledger.get(&id).unwrap().unwrap().operation) {
            Some(Body::Claim(claim)) => claim.text,
            other => panic!("{other:?} was found"),
        };
        found.unwrap().unwrap().into_iter().map(text).collect()
    }
}

pub(crate) fn body_at<State>(operation: &Operation<State>) -> Option<Body> {
    operation.body().map(|bytes| Body::parse(&operation.header().kind, bytes).unwrap())
}

/// The position that follows a key's head, at a time.
pub(crate) fn seal(
    writing: &dyn Writing,
    who: &Signer,
    body: Body,
    refs: Vec<Ref>,
    ts: u64,
) -> Operation {
    let place = ChainPosition {
        space: writing.space().unwrap(),
        head: writing.head(&who.author()).unwrap(),
        ts: HlcTimestamp(ts),
    };
    who.seal(Draft { body, refs }, place).unwrap()
}

impl<L: Ledger> Book<L> {
    /// Records an operation in a transaction of its own, 1 µs after the last.
    pub(crate) fn try_record(
        &mut self,
        who: &Signer,
        kind: &str,
        body: &Value,
        refs: &[(&str, OpId)],
    ) -> (OpId, Result<Verdict, RecordError>) {
        self.clock += 1;
        let body = body_of(kind, body);
        let mut writing = self.ledger.begin().unwrap();
        let operation = seal(&*writing, who, body.clone(), refs_of(refs), self.clock);
        let result = writing.record(&operation, Some(&body));
        if result.is_ok() {
            writing.commit().unwrap();
        }
        (operation.id(), result)
    }

    pub(crate) fn record(
        &mut self,
        who: &Signer,
        kind: &str,
        body: &Value,
        refs: &[(&str, OpId)],
    ) -> OpId {
        let (id, result) = self.try_record(who, kind, body, refs);
        assert_eq!(word(&result), "append");
        id
    }

    /// Admits an operation of another device, with a time of its own.
    pub(crate) fn admit(
        &mut self,
        who: &Signer,
        kind: &str,
        body: &Value,
        refs: &[(&str, OpId)],
        ts: u64,
    ) -> OpId {
        let body = body_of(kind, body);
        let mut writing = self.ledger.begin().unwrap();
        let operation = seal(&*writing, who, body.clone(), refs_of(refs), ts);
        assert_eq!(word(&writing.admit(&operation, Some(&body))), "append");
        writing.commit().unwrap();
        self.clock = self.clock.max(ts);
        operation.id()
    }

    /// Records a note of the owner.
    pub(crate) fn note(&mut self, uid: &str, text: &str) -> OpId {
        self.evidence(&note(uid, text), &[])
    }

    pub(crate) fn evidence(&mut self, evidence: &Evidence, refs: &[(&str, OpId)]) -> OpId {
        self.record(&key(1), "evidence", &serde_json::to_value(evidence).unwrap(), refs)
    }

    /// Records many operations of the owner in one transaction.
    pub(crate) fn records(&mut self, kind: &str, bodies: &[Value], refs: &[(&str, OpId)]) {
        let mut writing = self.ledger.begin().unwrap();
        for body in bodies {
            self.clock += 1;
            let body = body_of(kind, body);
            let operation = seal(&*writing, &key(1), body.clone(), refs_of(refs), self.clock);
            writing.record(&operation, Some(&body)).unwrap();
        }
        writing.commit().unwrap();
    }

    /// Records many in one transaction.
    pub(crate) fn evidences(&mut self, evidences: &[Evidence]) {
        let mut writing = self.ledger.begin().unwrap();
        for evidence in evidences {
            self.clock += 1;
            let body = Body::Evidence(evidence.clone());
            let operation = seal(&*writing, &key(1), body.clone(), Vec::new(), self.clock);
            writing.record(&operation, Some(&body)).unwrap();
        }
        writing.commit().unwrap();
    }
}

/// A borrowed [`Writing`] as a [`LedgerIndex`].
pub(crate) struct IndexOf<'a>(pub(crate) &'a dyn Writing);

macro_rules! ask {
    ($($name:ident($($argument:ident: $type:ty),*) -> $answer:ty),+ $(,)?) => {
        impl LedgerIndex for IndexOf<'_> {
            type Error = store::StoreError;
            $(fn $name(&self, $($argument: $type),*) -> Result<$answer, store::StoreError> { self.0.$name($($argument),*) })+
        }
    };
}

ask! {
    space() -> Option<SpaceId>,
    entry(id: &OpId) -> Option<Entry>,
    citing(id: &OpId) -> Vec<Citing>,
    acting(id: &OpId, kind: &Kind, role: &str) -> Vec<OpId>,
    dependents(id: &OpId) -> Vec<(HlcTimestamp, OpId)>,
    status(id: &OpId) -> Option<ClaimStatus>,
    identity(key: &str) -> Vec<Entry>,
    latest_of(key: &str, kind: &Kind, before: Option<(HlcTimestamp, OpId)>) -> Option<Entry>,
    head(author: &Author) -> Option<Head>,
    at_seq(author: &Author, seq: u64) -> Option<OpId>,
    access() -> &Access,
    evidence(source: &str, source_uid: &str) -> Option<(OpId, BodyHash)>,
}
