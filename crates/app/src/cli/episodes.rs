//! How `because recall` and `because demo` print records, and why they were found.

use engine::owner::SpaceOwner;
use engine::recall::episodes::Recollection;
use engine::recall::overruled::Overruled;
use jiff::tz::TimeZone;
use kernel::evidence::{Evidence, EvidenceKind};
use retrieval::rank::Score;
use store::sqlite::TermShare;

use super::CliSession;
use crate::failure::Failure;
use crate::output::{self, BOLD, DIM, ID, printable};
use crate::service::wording::{other_times, signer_of, speaker_in, time_of};

/// Longest printed text of a record, in characters; `because show` prints all of it.
const TEXT_CHARS_MAX: usize = 600;

/// How much of a result is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// Its text.
    Brief,
    /// Its text and every component of its score.
    Explained,
}

/// The space that a result is from, as it is named beside the result.
#[derive(Clone, Copy, Default)]
pub(super) struct SpaceShown<'a> {
    /// Its name, if there are several spaces.
    pub(super) name: Option<&'a str>,
    /// Its owner, if it is somebody else's.
    pub(super) owner: Option<&'a SpaceOwner>,
}

impl SpaceShown<'_> {
    /// The beginning of a line about a result.
    pub(super) fn prefix(&self) -> String {
        let owner = self.owner.map(|owner| format!("{}'s space", owner.label()));
        let parts = owner.into_iter().chain(self.name.map(printable));
        parts.map(|part| format!("{part} · ")).collect()
    }
}

/// Prints one recalled record for people.
pub(super) fn print(
    session: &CliSession,
    number: usize,
    space: SpaceShown<'_>,
    recollection: &Recollection,
    detail: Detail,
) -> Result<(), Failure> {
    let evidence = &recollection.evidence;
    output::line(format_args!(
        "{BOLD}{number:>2}. {}{BOLD:#}  {DIM}{}{DIM:#}  {ID}{}{ID:#}",
        printable(&heading(evidence, space.owner, &session.zone)),
        space.prefix() + &printable(&source_line(recollection)),
        recollection.id.short(),
    ))?;
    for neighbour in recollection.neighbours.iter().filter(|neighbour| neighbour.distance < 0) {
        output::line(format_args!(
            "    {DIM}{}{DIM:#}",
            printable(&summary_line(&neighbour.evidence, space.owner))
        ))?;
    }
    for line in text(recollection).lines() {
        output::line(format_args!("    {}", printable(line)))?;
    }
    if let Some(times) = other_times(recollection) {
        output::line(format_args!("    {DIM}{}{DIM:#}", printable(&times)))?;
    }
    if let Some(commit) = commit_line(evidence) {
        output::line(format_args!("    {DIM}{}{DIM:#}", printable(&commit)))?;
    }
    if recollection.passage.is_some() {
        output::line(format_args!(
            "    {DIM}from a longer record; all of it: because show {}{DIM:#}",
            recollection.id.short()
        ))?;
    }
    for id in &recollection.replaces {
        output::line(format_args!(
            "    {DIM}replaces what was said before:{DIM:#} {ID}{}{ID:#}",
            id.short()
        ))?;
    }
    for overruled in &recollection.overruled {
        output::line(overruled_line(overruled))?;
    }
    for neighbour in recollection.neighbours.iter().filter(|neighbour| neighbour.distance > 0) {
        output::line(format_args!(
            "    {DIM}{}{DIM:#}",
            printable(&summary_line(&neighbour.evidence, space.owner))
        ))?;
    }
    if detail == Detail::Explained {
        if recollection.named {
            output::line("    first, because the question names it by its hash or a path")?;
        }
        explain_score(&recollection.score, &recollection.terms)?;
    }
    Ok(())
}

/// What the user overruled of what a record says.
pub(super) fn overruled_line(overruled: &Overruled) -> String {
    let (state, text) = (overruled.state.as_str(), printable(&overruled.text));
    format!("    {DIM}{state}:{DIM:#} {text}  {ID}{}{ID:#}", overruled.id.short())
}

/// Characters of a commit's hash that are printed.
const HASH_CHARS: usize = 10;
/// Most paths that are printed.
const PATHS_SHOWN_MAX: usize = 4;

/// Which commit it is, and what it changed.
fn commit_line(evidence: &Evidence) -> Option<String> {
    if evidence.kind.0 != EvidenceKind::COMMIT {
        return None;
    }
    let hash = evidence.source_uid.get(..HASH_CHARS).unwrap_or(&evidence.source_uid);
    let paths = &evidence.payload.links;
    let mut line = format!("commit {hash}");
    for (number, path) in paths.iter().take(PATHS_SHOWN_MAX).enumerate() {
        line.push_str(if number == 0 { ": " } else { ", " });
        line.push_str(path);
    }
    let left_out = evidence.payload.more.get("links_left_out").and_then(serde_json::Value::as_u64);
    let more = paths.len().saturating_sub(PATHS_SHOWN_MAX) as u64 + left_out.unwrap_or(0);
    if more > 0 {
        line.push_str(&format!(" and {more} more"));
    }
    Some(line)
}

/// One term of a score.
pub(super) fn explain_part(name: &str, value: f64, weight: f64) -> Result<(), Failure> {
    output::line(format_args!("      {:+.3}  {name:<15} {value:.3} × {weight:.2}", value * weight))
}

/// The terms of a score.
pub(super) fn explain_score(score: &Score, terms: &[TermShare]) -> Result<(), Failure> {
    output::line(format_args!("    score {:.3}", score.total))?;
    for part in score.parts.iter().filter(|part| part.contribution != 0.0) {
        explain_part(part.name, part.value, part.weight)?;
        if part.name == "words" {
            for term in terms {
                let place = match (term.own, term.previous, term.before_previous) {
                    (0, 0, 0) => "not here".to_owned(),
                    (own @ 1.., ..) => format!("{own} ×"),
                    (_, 1.., _) => "in the record before".to_owned(),
                    _ => "two records before".to_owned(),
                };
                let term_text = printable(term.term.as_str());
                let stands_for = term.stands_for.as_ref();
                let stands_for =
                    stands_for.map(|other| format!(", for {}", printable(other.word.as_str())));
                output::line(format_args!(
                    "              {DIM}{term_text}{} (weight {:.2}): {place}{DIM:#}",
                    stands_for.unwrap_or_default(),
                    term.idf
                ))?;
            }
        }
    }
    Ok(())
}

/// Who and when.
fn heading(evidence: &Evidence, owner: Option<&SpaceOwner>, zone: &TimeZone) -> String {
    let at = time_of(evidence, zone);
    let title = || evidence.payload.title.clone();
    // An event is known by its title, a turn by its speaker.
    let who = match evidence.kind.0.as_str() {
        EvidenceKind::EVENT => title().or_else(|| speaker_in(evidence, owner)),
        _ => speaker_in(evidence, owner).or_else(title),
    };
    // A diary's headings are its dates.
    let who = who.filter(|who| at.as_ref() != Some(who));
    [who, at].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// From where.
fn source_line(recollection: &Recollection) -> String {
    let evidence = &recollection.evidence;
    let payload = &evidence.payload;
    // Programs name sessions by hashes and UUIDs, which mean nothing to people.
    let named = payload.session.as_ref().filter(|session| !is_hexadecimal(session));
    let session = payload.session_title.as_ref().or(named).map(|session| format!(" · {session}"));
    let signer = signer_of(recollection).map(|signer| format!(" · {signer}"));
    let (session, signer) = (session.unwrap_or_default(), signer.unwrap_or_default());
    format!("{} · {}{session}{signer}", evidence.kind.0, evidence.source)
}

/// True for a long name of hexadecimal digits and dashes alone.
fn is_hexadecimal(name: &str) -> bool {
    name.len() >= 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

fn summary_line(evidence: &Evidence, owner: Option<&SpaceOwner>) -> String {
    // Summaries of messages begin with the speaker.
    let actor = speaker_in(evidence, owner).filter(|actor| !evidence.summary.starts_with(actor));
    let actor = actor.map(|actor| format!("{actor}: ")).unwrap_or_default();
    format!("{actor}{}", evidence.summary)
}

fn text(recollection: &Recollection) -> String {
    let mut text = recollection.text();
    if text.chars().count() > TEXT_CHARS_MAX {
        text = text.chars().take(TEXT_CHARS_MAX).collect::<String>() + " …";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_and_uuids_are_not_session_names() {
        assert!(is_hexadecimal("77f6749af7d1fd1b25f0e53ff70829d681bc3b1d"));
        assert!(is_hexadecimal("3f0e7a52-11aa-4bbb-8ccc-1234567890ab"));
        assert!(!is_hexadecimal("mara-idris-2025-01-08-in-the-studio"));
        assert!(!is_hexadecimal("cafe"));
    }
}
