//! Whether a space needs care: embeddings, indexes, edges without ends, archives.
//!
//! `because verify` checks everything anew and takes long; this looks at what is known.

use engine::Space;
use engine::private::Disclosure;
use jiff::Timestamp;
use models::choice::Selection;
use schemars::JsonSchema;
use serde::Serialize;

use super::defaults::Defaults;
use super::marks::eligible_until_us;
use crate::failure::Failure;
use crate::service::Session;

/// Orphans that are named; more are only counted.
const NAMED_MAX: usize = 20;

/// How a space is.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HealthReport {
    /// Whether nothing needs care.
    pub(crate) sound: bool,
    /// What was looked at.
    pub(crate) checks: Vec<HealthCheck>,
}

/// One thing that was looked at.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HealthCheck {
    /// What: embeddings, other_models, text_index, file, erasure, orphans, archives, removals.
    pub(crate) name: &'static str,
    /// Whether it is as it should be.
    pub(crate) ok: bool,
    /// How many texts, operations, edges, archives or records it is about.
    pub(crate) count: u64,
    /// In words.
    pub(crate) found: String,
    /// What to do.
    pub(crate) advice: Option<&'static str>,
}

impl HealthCheck {
    fn of(name: &'static str, count: u64, found: String, advice: &'static str) -> Self {
        let ok = count == 0;
        Self { name, ok, count, found, advice: (!ok).then_some(advice) }
    }

    /// Something to know, which is as it should be.
    fn known(self) -> Self {
        Self { ok: true, ..self }
    }
}

/// Looks at a space; at most `limit` edges and marks.
pub(crate) fn health(
    session: &Session,
    space: &Space,
    now: Timestamp,
    defaults: &Defaults,
    limit: Option<usize>,
    disclosure: Disclosure,
) -> Result<HealthReport, Failure> {
    let limit = limit.unwrap_or(defaults.limit);
    let mut checks = embeddings(session, space)?;
    let status = space.status()?;
    let behind = status.ledger_position.0.saturating_sub(status.text_position.0);
    checks.push(HealthCheck::of(
        "text_index",
        behind,
        format!("{behind} operations are not indexed"),
        "the next recall indexes them; `because rebuild` begins anew",
    ));
    let damages = space.check_file()?;
    checks.push(HealthCheck::of(
        "file",
        damages.len() as u64,
        if damages.is_empty() { "its structure is sound".into() } else { damages.join("; ") },
        "`because verify` names what is affected; restore a copy",
    ));
    let health = space.health(limit, disclosure)?;
    checks.push(HealthCheck::of(
        "erasure",
        u64::from(health.is_erasure_due),
        match health.is_erasure_due {
            true => "free pages or the log may hold what was erased".to_owned(),
            false => "nothing that was erased is left in free pages or the log".to_owned(),
        },
        "`because forget --finish`",
    ));
    let named = health.orphans.iter().take(NAMED_MAX).map(ToString::to_string);
    let named = named.collect::<Vec<_>>().join(" ");
    let more = if health.has_more { ", and there are more" } else { "" };
    let orphans = health.orphans.len() as u64;
    checks.push(HealthCheck::of(
        "orphans",
        orphans,
        match orphans {
            0 => format!("no edge lacks an end, of {}{more}", health.edges),
            _ => format!("edges without an end, of {}{more}: {named}", health.edges),
        },
        "`because edge retract ID`",
    ));
    let missing = space.archives()?.into_iter();
    let missing = missing.filter(|it| !defaults.archive_dir.join(&it.note.file).exists()).count();
    checks.push(HealthCheck::of(
        "archives",
        missing as u64,
        format!("{missing} recorded archives are not in the folder of archives"),
        "put them back, or set BECAUSE_ARCHIVE_DIR",
    ));
    let until_us = Some(eligible_until_us(now, defaults.retention_days));
    let filter = engine::maintain::marks::MarkFilter { until_us, limit };
    let marked = space.marked_ids(&filter)?.0;
    let withheld = space.withheld_among(&marked, disclosure)?;
    let eligible = marked.len().saturating_sub(withheld.len()) as u64;
    let removals = HealthCheck::of(
        "removals",
        eligible,
        format!("{eligible} records may be removed"),
        "`because maintain export`, then `because maintain finalize`",
    );
    checks.push(removals.known());
    Ok(HealthReport { sound: checks.iter().all(|check| check.ok), checks })
}

/// What the chosen model has not embedded, and vectors of models that are not chosen.
fn embeddings(session: &Session, space: &Space) -> Result<Vec<HealthCheck>, Failure> {
    let configuration = session.configuration(Some(space.path()))?;
    let chosen = &configuration.chosen().selection;
    let name = chosen.to_string();
    let known = space.embedding_status()?;
    let (of_chosen, of_others): (Vec<_>, Vec<_>) =
        known.into_iter().partition(|known| known.choice == name);
    let is_built_in = *chosen == Selection::BuiltIn;
    let pending = match of_chosen.first() {
        Some(known) => known.pending.saturating_add(known.failed),
        None if is_built_in => 0,
        None => space.head()?.0,
    };
    let vectors: u64 = of_others.iter().map(|known| known.embedded).sum();
    let others: Vec<String> = of_others.into_iter().map(|known| known.choice).collect();
    Ok(vec![
        HealthCheck::of(
            "embeddings",
            pending,
            format!("{pending} texts have no vector by {name}"),
            "`because maintain reembed`",
        ),
        HealthCheck::of(
            "other_models",
            vectors,
            match vectors {
                0 => "no vectors are by other models".to_owned(),
                _ => format!("{vectors} vectors are by other models: {}", others.join(", ")),
            },
            "`because embed --forget MODEL` drops them",
        ),
    ])
}
