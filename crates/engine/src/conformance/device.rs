//! A device of a scenario: a key and a ledger in memory. Consequences are recorded together with
//! the operations that cause them, as in the engine.

use std::collections::HashMap;

use kernel::body::{Body, Grant, Space};
use kernel::cascade::{Consequences, Review};
use kernel::id::OpId;
use kernel::kind::{Capability, Kind};
use kernel::ledger_index::LedgerIndex;
use kernel::operation::{HlcTimestamp, Operation, Role, Verified};
use kernel::provenance::{Hop, provenance};
use kernel::rule_violation::RuleViolation;
use kernel::seal::{Draft, Signer};
use kernel::snapshot::Snapshot;
use kernel::validity::{Standing, State, Validity};
use serde_json::Map;
use store::memory::MemoryLedger;
use store::{Ledger, RecordError, StoreError};

use crate::EngineError;
use crate::seal::{Sealable, Sealer};
use crate::write::follow::record_invalidations;
use crate::write::graph::{GraphError, GraphWriter};

/// An operation with its body.
pub(super) type Recorded = (Operation<Verified>, Body);

/// Scenarios have no clock: the steps carry the time.
const NO_CLOCK_US: u64 = 0;

/// What each change of the graph stands for, and the operations that were appended.
pub(super) type Changed = (Vec<OpId>, Vec<OpId>);

/// The effects of the last step.
#[derive(Default)]
pub(super) struct Last {
    pub(super) invalidated: Vec<OpId>,
    pub(super) refresh: Vec<String>,
}

pub(super) struct Device {
    sealer: Sealer,
    ledger: MemoryLedger,
    /// In order of arrival.
    log: Vec<Recorded>,
    places: HashMap<OpId, usize>,
    pub(super) reviews: Vec<Review>,
    pub(super) last: Last,
}

/// The key of a scenario's device; the first is the owner's.
pub(super) fn sealer(number: u16) -> Sealer {
    let mut seed = [1; kernel::seal::SEED_BYTES];
    for (byte, digit) in seed.iter_mut().zip(number.to_be_bytes()) {
        *byte = digit;
    }
    Sealer::new(Signer::from_seed(seed))
}

impl Device {
    fn empty(sealer: Sealer) -> Self {
        Self {
            sealer,
            ledger: MemoryLedger::default(),
            log: Vec::new(),
            places: HashMap::new(),
            reviews: Vec::new(),
            last: Last::default(),
        }
    }

    /// The owner's device with a new space, in which `others` more devices may do what the user
    /// may.
    pub(super) fn owner(others: u16) -> Result<Self, EngineError> {
        let mut device = Self::empty(sealer(0));
        let genesis = Body::Space(Space {
            name: "scenario".to_owned(),
            owner: device.sealer.author(),
            created: "2026-01-01T00:00:00Z".to_owned(),
            settings: Map::new(),
        });
        device.set_up(genesis)?;
        for number in 1..=others {
            device.set_up(Body::Grant(Grant {
                key: sealer(number).author(),
                name: String::new(),
                capabilities: vec![Capability::Append, Capability::Derive, Capability::Correct],
                last_seq: None,
            }))?;
        }
        Ok(device)
    }

    /// Another device, with all operations of a log merged.
    pub(super) fn another(number: u16, log: &[Recorded]) -> Result<Self, EngineError> {
        let mut device = Self::empty(sealer(number));
        device.merge(log)?;
        device.last = Last::default();
        Ok(device)
    }

    fn set_up(&mut self, body: Body) -> Result<(), EngineError> {
        let ts = HlcTimestamp(self.log.len() as u64 + 1);
        match self.append(Draft::new(body), ts)? {
            Ok(_) => Ok(()),
            Err(code) => Err(EngineError::Exchange { line: ts.0, reason: code.to_owned() }),
        }
    }

    pub(super) fn log(&self) -> &[Recorded] {
        &self.log
    }

    pub(super) fn body(&self, id: &OpId) -> Option<&Body> {
        self.places.get(id).and_then(|place| self.log.get(*place)).map(|(_, body)| body)
    }

    /// Targets of all recorded invalidations, in order of arrival.
    pub(super) fn invalidated(&self) -> Vec<OpId> {
        self.log.iter().filter_map(|(operation, _)| invalidated_by(operation)).collect()
    }

    /// Appends an operation and its consequences. If the operation is refused, appends nothing and
    /// returns the code of the violated rule.
    pub(super) fn append(
        &mut self,
        draft: Draft,
        ts: HlcTimestamp,
    ) -> Result<Result<OpId, &'static str>, EngineError> {
        self.last = Last::default();
        let Self { sealer, ledger, .. } = self;
        let mut writing = ledger.begin()?;
        let sealed = sealer.seal_next(Sealable::masked(draft, &*writing)?, &*writing, ts)?;
        let id = sealed.0.id();
        match writing.record(&sealed.0, Some(&sealed.1)) {
            Ok(_) => {}
            // A scenario has one code for all that a refuted identity refuses.
            Err(RecordError::Refused {
                violation: RuleViolation::CorrectsRefuted { .. }, ..
            }) => {
                return Ok(Err("identity_refuted"));
            }
            Err(RecordError::Refused { violation, .. }) => return Ok(Err(violation.code())),
            Err(error @ RecordError::Store(_)) => return Err(EngineError::Record(error)),
        }
        let (follows, records) = record_invalidations(sealer, &mut *writing, NO_CLOCK_US)?;
        writing.commit()?;
        self.keep(sealed);
        records.into_iter().for_each(|record| self.keep(record));
        self.remember(follows);
        Ok(Ok(id))
    }

    /// Makes changes of the graph, all or none, with their consequences. Returns what each stands
    /// for and the operations that were appended, or the code of the first refusal.
    pub(super) fn change(
        &mut self,
        ts: HlcTimestamp,
        make: impl FnOnce(&mut GraphWriter<'_>) -> Result<Vec<OpId>, GraphError>,
    ) -> Result<Result<Changed, &'static str>, EngineError> {
        self.last = Last::default();
        let Self { sealer, ledger, .. } = self;
        let mut writing = ledger.begin()?;
        let mut graph = GraphWriter::new(sealer, &mut *writing, ts);
        graph.allow_rings();
        let stands_for = match make(&mut graph) {
            Ok(ids) => ids,
            Err(GraphError::Refused(refusal)) => return Ok(Err(refusal.code())),
            Err(GraphError::Engine(error)) => return Err(error),
        };
        let written = graph.into_written();
        let (follows, records) = record_invalidations(sealer, &mut *writing, NO_CLOCK_US)?;
        writing.commit()?;
        let appended = written.iter().map(|(operation, _)| operation.id()).collect();
        written.into_iter().chain(records).for_each(|sealed| self.keep(sealed));
        self.remember(follows);
        Ok(Ok((stands_for, appended)))
    }

    /// Answers a question about the records as of a time, or as they are.
    pub(super) fn records<T>(
        &mut self,
        before: Option<HlcTimestamp>,
        ask: impl FnOnce(&dyn LedgerIndex<Error = StoreError>) -> Result<T, StoreError>,
    ) -> Result<T, EngineError> {
        let writing = self.ledger.begin()?;
        Ok(match before {
            Some(before) => ask(&Snapshot::before(&*writing, (before, OpId([0; 32]))))?,
            None => ask(&*writing)?,
        })
    }

    /// Merges the operations of another device and records their joint consequences.
    pub(super) fn merge(&mut self, arrived: &[Recorded]) -> Result<(), EngineError> {
        let Self { sealer, ledger, .. } = self;
        let mut writing = ledger.begin()?;
        for (operation, body) in arrived {
            writing.admit(operation, Some(body)).map_err(EngineError::Record)?;
        }
        let (follows, records) = record_invalidations(sealer, &mut *writing, NO_CLOCK_US)?;
        writing.commit()?;
        for sealed in arrived {
            if !self.places.contains_key(&sealed.0.id()) {
                self.keep(sealed.clone());
            }
        }
        records.into_iter().for_each(|record| self.keep(record));
        self.last = Last::default();
        self.last.invalidated =
            arrived.iter().filter_map(|(operation, _)| invalidated_by(operation)).collect();
        self.remember(follows);
        Ok(())
    }

    fn keep(&mut self, sealed: Recorded) {
        self.places.insert(sealed.0.id(), self.log.len());
        self.log.push(sealed);
    }

    fn remember(&mut self, follows: Consequences) {
        self.last.invalidated.extend(follows.invalidated.iter().map(|claim| claim.target));
        self.last.refresh = follows.refresh;
        for review in follows.reviews {
            if !self.reviews.contains(&review) {
                self.reviews.push(review);
            }
        }
    }

    pub(super) fn standing(&mut self, key: &str) -> Result<(State, Standing), EngineError> {
        let writing = self.ledger.begin()?;
        let mut validity = Validity::new(&*writing);
        Ok((validity.state(key)?, validity.standing(key)?))
    }

    pub(super) fn provenance(&mut self, id: &OpId) -> Result<Vec<Hop>, EngineError> {
        Ok(provenance(&*self.ledger.begin()?, id)?)
    }
}

fn invalidated_by(operation: &Operation<Verified>) -> Option<OpId> {
    let header = operation.header();
    let mut targets =
        header.refs.iter().filter(|reference| reference.role.as_str() == Role::TARGET);
    targets.next().filter(|_| header.kind == Kind::ClaimInvalidation).map(|reference| reference.id)
}
