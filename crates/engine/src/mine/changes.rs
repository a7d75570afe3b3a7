//! What is written for candidates that are kept, and whether the person took it back before.
//!
//! A text that was refuted is not mined again. Neither is one that was mined from the same evidence
//! before and has been retracted or replaced since: only other evidence can say it again.

use std::collections::BTreeSet;

use kernel::body::{Deriver, EdgeType, TextClaimType};
use kernel::id::OpId;
use kernel::identity::{edge_key, text_key};
use kernel::kind::Kind;
use kernel::ledger_index::LedgerIndex;
use kernel::records::{RecordStatus, Records};
use kernel::validity::inputs;
use serde_json::{Map, Value, json};
use store::StoreError;

use super::filter::{End, Filtered, KeptRecord, filter, reason};
use super::{Allowed, MINED, Mined, MiningLimits};
use crate::write::graph::{
    GraphChange, NamedChange, RecordType, Reference, Statement, cite_as_inputs, key_of,
};
use crate::{EngineError, Reader};

/// The program that mines, as claims name it.
pub const PROGRAM: &str = "mining";
/// The version of what turns the answer of a language model into changes.
const PROGRAM_VERSION: &str = "1.0.0";

/// Who mined: rules, or a language model.
#[derive(Clone, Debug, PartialEq)]
pub struct Miner {
    deriver: Deriver,
    basis: Value,
}

impl Miner {
    /// The rules of this program.
    pub fn rules() -> Self {
        let (name, version) = derivers::mining::PROGRAM;
        Self {
            deriver: Deriver {
                name: name.to_owned(),
                version: version.to_owned(),
                deterministic: true,
            },
            basis: json!({ "source": MINED, "rules": version }),
        }
    }

    /// A language model, by what names it, its prompt and what was kept of its answer.
    pub fn model(origin: Map<String, Value>) -> Self {
        let mut basis = Map::from_iter([("source".to_owned(), json!(MINED))]);
        basis.extend(origin);
        Self {
            deriver: Deriver {
                name: PROGRAM.to_owned(),
                version: PROGRAM_VERSION.to_owned(),
                deterministic: false,
            },
            basis: Value::Object(basis),
        }
    }

    /// What names a model, its prompt and what was kept of its answer.
    pub fn details(&self) -> Map<String, Value> {
        self.basis.as_object().cloned().unwrap_or_default()
    }

    /// A record as it is stated.
    pub fn statement(&self, record: &KeptRecord) -> Result<Statement, EngineError> {
        let mut tags = vec![MINED.to_owned()];
        tags.extend(record.tags.iter().cloned());
        Ok(Statement {
            inputs: cite_as_inputs(&record.sources)?,
            tags,
            visibility: record.visibility,
            valid_from: record.valid_from.clone(),
            valid_to: record.valid_to.clone(),
            deriver: Some(self.deriver.clone()),
            confidence: record.confidence,
            confidence_basis: self.basis.clone(),
            rationale: record.notes.clone(),
            payload: match record.record_type {
                RecordType::Node(_) => self.basis.clone(),
                RecordType::Claim(_) => Value::Null,
            },
            ..Statement::new(record.record_type.clone(), record.text.as_str())
        })
    }
}

/// The changes that write what is kept. Their names begin with `prefix`.
pub fn changes_of(
    filtered: &Filtered,
    miner: &Miner,
    prefix: &str,
) -> Result<Vec<NamedChange>, EngineError> {
    let mut changes = Vec::with_capacity(filtered.records.len() + filtered.edges.len());
    for record in &filtered.records {
        let change = GraphChange::State(Box::new(miner.statement(record)?));
        changes.push(NamedChange { name: Some(format!("{prefix}{}", record.local_id)), change });
    }
    let reference = |end: &End| match end {
        End::Kept(name) => Reference::Local(format!("{prefix}{name}")),
        End::Known(id) => Reference::Id(*id),
    };
    for edge in &filtered.edges {
        changes.push(NamedChange::from(GraphChange::Connect {
            edge_type: edge.edge_type,
            from: reference(&edge.from),
            to: reference(&edge.to),
            inputs: cite_as_inputs(&edge.sources)?,
            notes: edge.notes.clone(),
        }));
    }
    Ok(changes)
}

impl Reader<'_> {
    /// Decides about candidates ([`filter`]). Rules find the same again in the same records: what
    /// is there already, or was taken back, must not keep what is new out.
    pub fn filter_mined(
        &self,
        mined: Mined,
        allowed: &Allowed,
        limits: &MiningLimits,
        miner: &Miner,
    ) -> Result<Filtered, EngineError> {
        let mut failure = None;
        let mut is_settled = |record: &KeptRecord| {
            miner.deriver.deterministic
                && self.is_settled(record, miner).unwrap_or_else(|error| {
                    failure = Some(error);
                    false
                })
        };
        let filtered = filter(mined, allowed, limits, &mut is_settled);
        failure.map_or(Ok(filtered), Err)
    }

    /// Whether a record is there already, or was taken back.
    fn is_settled(&self, record: &KeptRecord, miner: &Miner) -> Result<bool, EngineError> {
        let statement = miner.statement(record)?;
        Ok(self.stated_as(&statement)?.is_some()
            || self.taken_back(&statement, &record.sources)?.is_some())
    }

    /// Moves what the person took back to what is refused, with the edges that it leaves without an
    /// end.
    pub fn refuse_taken_back(
        &self,
        filtered: &mut Filtered,
        miner: &Miner,
    ) -> Result<(), EngineError> {
        let mut kept = Vec::with_capacity(filtered.records.len());
        for record in std::mem::take(&mut filtered.records) {
            match self.taken_back(&miner.statement(&record)?, &record.sources)? {
                None => kept.push(record),
                Some(reason) => filtered.refused.push(record.refused(reason)),
            }
        }
        filtered.records = kept;
        self.refuse_edges(filtered, miner)
    }

    fn refuse_edges(&self, filtered: &mut Filtered, miner: &Miner) -> Result<(), EngineError> {
        let mut kept = Vec::with_capacity(filtered.edges.len());
        for edge in std::mem::take(&mut filtered.edges) {
            let ends = [&edge.from, &edge.to].map(|end| self.end_of(end, filtered, miner));
            let reason = match ends {
                [Err(error), _] | [_, Err(error)] => return Err(error),
                [Ok(EndPlace::Gone), _] | [_, Ok(EndPlace::Gone)] => Some(reason::UNKNOWN_END),
                [Ok(EndPlace::There(from)), Ok(EndPlace::There(to))] => {
                    self.edge_taken_back(edge.edge_type, &from, &to, &edge.sources)?
                }
                _ => None,
            };
            match reason {
                None => kept.push(edge),
                Some(reason) => filtered.refused.push(edge.refused(reason)),
            }
        }
        filtered.edges = kept;
        Ok(())
    }

    fn end_of(
        &self,
        end: &End,
        filtered: &Filtered,
        miner: &Miner,
    ) -> Result<EndPlace, EngineError> {
        let name = match end {
            End::Known(id) => return Ok(EndPlace::There(*id)),
            End::Kept(name) => name,
        };
        let record = filtered.records.iter().find(|record| record.local_id == *name);
        let Some(record) = record else { return Ok(EndPlace::Gone) };
        Ok(self.stated_as(&miner.statement(record)?)?.map_or(EndPlace::New, EndPlace::There))
    }

    /// The record that says a statement already, if it is active or an alias.
    pub fn stated_as(&self, statement: &Statement) -> Result<Option<OpId>, EngineError> {
        let Some((kind, key)) = version_key_of(statement) else { return Ok(None) };
        let stated = self.store.on_snapshot(|index| {
            Ok::<_, StoreError>(Records::new(index).stated(&kind, &key)?.map(|entry| entry.id))
        });
        Ok(stated?)
    }

    /// Why a statement is not to be written again: it was refuted, or what was stated of these
    /// sources was retracted or replaced. None if it is there, or may be.
    pub fn taken_back(
        &self,
        statement: &Statement,
        sources: &[OpId],
    ) -> Result<Option<&'static str>, EngineError> {
        let Some((kind, key)) = version_key_of(statement) else { return Ok(None) };
        let found = self.store.on_snapshot(|index| {
            let mut records = Records::new(index);
            if records.stated(&kind, &key)?.is_some() {
                return Ok(None);
            }
            if kind == Kind::Claim && records.validity().is_refuted(&key)? {
                return Ok(Some(reason::IDENTITY_REFUTED));
            }
            // What is refuted as a claim does not come back as a decision.
            if kind == Kind::Node {
                for of in TextClaimType::ALL {
                    if records.validity().is_refuted(&text_key(of.as_str(), &statement.text))? {
                        return Ok(Some(reason::IDENTITY_REFUTED));
                    }
                }
            }
            let mut seen: BTreeSet<OpId> = BTreeSet::new();
            let mut why = None;
            let mut before = None;
            while let Some(entry) = index.latest_of(&key, &kind, before)? {
                before = Some(entry.order());
                let reason = match records.status_of(&entry)? {
                    Some(RecordStatus::Retracted) => reason::RETRACTED,
                    Some(RecordStatus::Superseded) => reason::SUPERSEDED,
                    _ => continue,
                };
                why = why.or(Some(reason));
                seen.extend(inputs(&entry));
            }
            Ok::<_, StoreError>(why.filter(|_| sources.iter().all(|id| seen.contains(id))))
        });
        Ok(found?)
    }

    /// The same of an edge.
    fn edge_taken_back(
        &self,
        edge_type: EdgeType,
        from: &OpId,
        to: &OpId,
        sources: &[OpId],
    ) -> Result<Option<&'static str>, EngineError> {
        let key = edge_key(edge_type, from, to);
        let found = self.store.on_snapshot(|index| {
            let mut records = Records::new(index);
            if records.edge_between(edge_type, from, to)?.is_some() {
                return Ok(None);
            }
            let mut seen: BTreeSet<OpId> = BTreeSet::new();
            let mut before = None;
            while let Some(entry) = index.latest_of(&key, &Kind::Edge, before)? {
                before = Some(entry.order());
                if records.validity().is_retracted(&entry)? {
                    seen.extend(inputs(&entry));
                }
            }
            let is_same = !seen.is_empty() && sources.iter().all(|id| seen.contains(id));
            Ok::<_, StoreError>(is_same.then_some(reason::RETRACTED))
        });
        Ok(found?)
    }
}

/// Where an end of an edge is.
enum EndPlace {
    /// It is refused.
    Gone,
    /// It is to be written.
    New,
    /// It is in the ledger.
    There(OpId),
}

/// What a statement would be a version of.
fn version_key_of(statement: &Statement) -> Option<(Kind, String)> {
    let body = statement.body();
    Some((body.kind(), key_of(&body)?))
}
