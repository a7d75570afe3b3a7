//! From a person's exports to claims, in memory: importers, groups, derivers, until nothing new comes.

use std::collections::BTreeMap;
use std::path::Path;

use derivers::{Belief, Candidate, Deriver, Record, Said};
use importers::Context;
use jiff::civil::Date;
use kernel::body;
use kernel::evidence::{Evidence, Visibility};
use kernel::id::OpId;
use kernel::operation::Stamp;

use super::{Claim, LABELS};
use crate::eval::{EvalError, Source, records};

/// Passes after which nothing new can come from four derivers of which one builds on the others.
const PASSES: usize = 3;

pub(super) fn claims(folder: &Path, today: Date) -> Result<Vec<Claim>, EvalError> {
    let context = context(today);
    let mut evidence: BTreeMap<(String, String), Evidence> = BTreeMap::new();
    for source in sources(folder)? {
        records::visit_at(&source, &context, &mut |one| {
            evidence.insert((one.source.clone(), one.source_uid.clone()), one.clone());
        })?;
    }
    let mut told: Vec<Record> = Vec::new();
    let now_us = u64::try_from(context.now.as_microsecond()).unwrap_or_default();
    for one in evidence.into_values() {
        let number = told.len() as u64;
        told.push(Record { id: id(number), told: Stamp(now_us + number), said: Said::Evidence(Box::new(one)) });
    }
    let derivers = derivers::builtin();
    let mut claims: BTreeMap<String, (Candidate, usize)> = BTreeMap::new();
    for _ in 0..PASSES {
        let mut records = told.clone();
        records.extend(claims.values().enumerate().map(|(number, (candidate, deriver))| {
            let number = (told.len() + number) as u64;
            let said = Said::Belief(Box::new(belief(candidate, derivers[*deriver].as_ref())));
            Record { id: id(number), told: Stamp(now_us + number), said }
        }));
        claims.clear();
        for (number, deriver) in derivers.iter().enumerate() {
            for candidate in candidates(deriver.as_ref(), &records) {
                claims.insert(candidate.identity_key.clone(), (candidate, number));
            }
        }
    }
    Ok(claims.into_values().map(|(candidate, _)| claim(candidate)).collect())
}

/// Everything of the person's that an importer knows.
fn sources(folder: &Path) -> Result<Vec<Source>, EvalError> {
    let io = |source| EvalError::File { path: folder.to_owned(), source };
    let mut sources = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        if path.file_name().is_some_and(|name| name == LABELS) {
            continue;
        }
        let importer = importers::detect(&path).map_err(engine::EngineError::from)?;
        let importer = importer.ok_or_else(|| EvalError::form(&path, "no importer knows it"))?;
        sources.push(Source { importer, path });
    }
    sources.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(sources)
}

fn context(today: Date) -> Context {
    let now = today.to_zoned(jiff::tz::TimeZone::UTC).map_or(jiff::Timestamp::UNIX_EPOCH, |zoned| zoned.timestamp());
    Context { now, zone: jiff::tz::TimeZone::UTC }
}

fn candidates(deriver: &dyn Deriver, records: &[Record]) -> Vec<Candidate> {
    let mut groups: BTreeMap<String, Vec<Record>> = BTreeMap::new();
    for record in records {
        for group in deriver.groups(record) {
            groups.entry(group).or_default().push(record.clone());
        }
    }
    groups.iter().flat_map(|(group, records)| deriver.derive(group, records)).collect()
}

fn belief(candidate: &Candidate, deriver: &dyn Deriver) -> Belief {
    Belief {
        claim_type: candidate.claim_type.clone(),
        identity_key: candidate.identity_key.clone(),
        text: candidate.text.clone(),
        payload: candidate.payload.clone(),
        confidence: candidate.basis.confidence(),
        deriver: Some(body::Deriver {
            name: deriver.name().to_owned(),
            version: deriver.version().to_owned(),
            deterministic: true,
        }),
        valid_from: candidate.valid_from.clone(),
        valid_to: candidate.valid_to.clone(),
        visibility: Visibility::default(),
        tags: candidate.tags.clone(),
    }
}

fn claim(candidate: Candidate) -> Claim {
    Claim {
        confidence: candidate.basis.confidence(),
        claim_type: candidate.claim_type,
        identity_key: candidate.identity_key,
        payload: candidate.payload,
        basis: candidate.basis,
        valid_from: candidate.valid_from,
        valid_to: candidate.valid_to,
    }
}

fn id(number: u64) -> OpId {
    let mut bytes = [0; 32];
    for (byte, from) in bytes.iter_mut().zip(number.to_be_bytes()) {
        *byte = from;
    }
    OpId(bytes)
}
