//! The facts that `because recall` prints above the records.

use engine::recall::facts::{self, Fact};

use super::episodes::{Detail, SpaceShown, explain_part, explain_score};
use super::{CliSession, claims};
use crate::failure::Failure;
use crate::output::{self, DIM, ID, count, printable};
use crate::service::wording::{sureness, words};

/// Prints one fact for people.
pub(super) fn print(
    session: &CliSession,
    space: SpaceShown<'_>,
    fact: &Fact,
    detail: Detail,
) -> Result<(), Failure> {
    let belief = &fact.belief;
    output::line(format_args!(
        "{:<16} {}{}",
        sureness(belief, space.owner),
        words(belief, space.owner),
        claims::times(session, belief)
    ))?;
    output::line(format_args!(
        "{:<16} {DIM}{}{} · {}{DIM:#}  {ID}{}{ID:#}",
        "",
        space.prefix(),
        printable(&belief.key),
        count(fact.sources as u64, "source"),
        fact.id.short()
    ))?;
    if detail == Detail::Brief {
        return Ok(());
    }
    let relevance = &fact.relevance;
    output::line(format_args!("    relevance {:.3}", relevance.total))?;
    for (name, value, weight) in [
        ("similarity", relevance.similarity, facts::SIMILARITY_WEIGHT),
        ("confidence", relevance.confidence, facts::CONFIDENCE_WEIGHT),
        ("recency", relevance.recency, facts::RECENCY_WEIGHT),
    ] {
        explain_part(name, value, weight)?;
    }
    explain_score(&fact.score, &fact.terms)
}
