//! Derives claims from a person's exports, like `because import` and `because claims`, in a
//! temporary space.

use std::path::Path;

use engine::Space;
use engine::derive::Extent;
use engine::write::import::Intent;
use importers::Context;
use jiff::civil::Date;
use kernel::seal::{SEED_BYTES, Signer};

use super::{Claim, LABELS};
use crate::{EvalError, Source};

/// The claims from all files in the folder except the labels, as of this day.
pub(super) fn claims(folder: &Path, today: Date) -> Result<Vec<Claim>, EvalError> {
    let scratch = tempfile::tempdir().map_err(engine::EngineError::from)?;
    let context = context(today);
    let signer = Signer::from_seed([0; SEED_BYTES]);
    let mut space =
        Space::create(&scratch.path().join("space.db"), signer, "calibration", context.now)?;
    for source in sources(folder)? {
        space.import(source.importer, &source.path, &context, Intent::Write, |_| {})?;
    }
    space.derive(Extent::Changed, Intent::Write, context.now, |_| {})?;
    let served = space.beliefs()?.into_iter().filter(|belief| belief.served.is_some());
    let claim = |belief: engine::belief::Belief| Claim {
        claim_type: belief.claim_type,
        identity_key: belief.key,
        payload: belief.payload,
        confidence: belief.confidence,
        basis: belief.basis,
        valid_from: belief.valid_from,
        valid_to: belief.valid_to,
        last_seen: belief.last_seen,
    };
    Ok(served.map(claim).collect())
}

/// All files of the person that an importer recognises, in order of name.
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

/// The import happens on the last day of the records: later events are plans.
fn context(today: Date) -> Context {
    let now = today
        .to_zoned(jiff::tz::TimeZone::UTC)
        .map_or(jiff::Timestamp::UNIX_EPOCH, |zoned| zoned.timestamp());
    Context::new(now, jiff::tz::TimeZone::UTC)
}
