//! `because recall`

use engine::recall::{Query, Recall, Recollection};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use kernel::evidence::{Evidence, EvidenceKind};
use kernel::when::When;
use serde_json::json;
use store::sqlite::Filter;

use super::{Session, parse_time_us};
use crate::failure::Failure;
use crate::meaning::{Answering, Meant};
use crate::output::{self, BOLD, DIM, Form, ID, printable, short};

/// Longest text of a record that is printed, in characters; `because show` prints all.
const TEXT_CHARS_MAX: usize = 600;

/// Arguments of `recall`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  because recall \"Which glaze did Idris recommend?\"\n  because recall --kind event --since 2025-02-01 \"pottery class\"\n  because recall --explain \"Who is allergic to walnuts?\"\n  because recall --space global --space . --json \"kiln temperature\""
)]
pub(crate) struct Args {
    /// The question, or words to look for
    question: String,
    /// How many records
    #[arg(long, short, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    k: u16,
    /// Only this kind (turn, event, task, cancellation, note, photo, mail, commit); may be repeated
    #[arg(long, value_name = "KIND")]
    kind: Vec<String>,
    /// Only what happened at this time or later (2025-02-01, or with a time)
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only what happened before this time
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Records to show before and after each, from the same session
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=10))]
    around: u32,
    /// Print every part of each score
    #[arg(long)]
    explain: bool,
}

/// A record and the space it is from.
struct Hit {
    space: String,
    recollection: Recollection,
}

pub(crate) fn run(session: &Session, args: &Args) -> Result<u8, Failure> {
    if args.question.trim().is_empty() {
        return Err(Failure::Usage("there is nothing to ask: the question is empty".to_owned()));
    }
    let time = |text: &Option<String>| text.as_deref().map(|text| parse_time_us(session, text)).transpose();
    let mut query = Query {
        text: args.question.clone(),
        limit: usize::from(args.k),
        filter: Filter { kinds: args.kind.clone(), since_us: time(&args.since)?, until_us: time(&args.until)? },
        neighbours: args.around,
        today: Some(session.today()),
        weights: kernel::rank::Weights::default(),
        vector: None,
    };
    let mut hits = Vec::new();
    let mut answering = Answering::default();
    let mut meant = None;
    let mut behind = 0;
    let mut question = None;
    let mut kinds = std::collections::BTreeSet::new();
    for finder in session.finders() {
        let mut space = finder.open()?;
        let name = space.name()?;
        let mut by = answering.ask(session, &mut space, &args.question)?;
        query.vector = by.vector.clone();
        let Recall { question: understood, results, behind: space_behind, model, .. } = space.recall(&query)?;
        by.served_by(model);
        behind += space_behind;
        // Of several spaces the one is told whose model did not answer.
        if meant.as_ref().is_none_or(|meant: &Meant| meant.error.is_none()) {
            meant = Some(by);
        }
        question.get_or_insert(understood);
        if results.is_empty() && !args.kind.is_empty() {
            kinds.extend(space.evidence_by_kind()?.into_keys());
        }
        hits.extend(results.into_iter().map(|recollection| Hit { space: name.clone(), recollection }));
    }
    // Scores of different spaces are on one scale; within one the order is the engine's.
    hits.sort_by(|left, right| right.recollection.score.total.total_cmp(&left.recollection.score.total));
    // Copies of one space hold the same records.
    let mut seen = std::collections::BTreeSet::new();
    hits.retain(|hit| seen.insert(hit.recollection.id));
    hits.truncate(query.limit);
    let unknown: Vec<&String> = args.kind.iter().filter(|kind| !kinds.contains(*kind)).collect();
    if hits.is_empty() && !unknown.is_empty() {
        let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
        output::note(format_args!(
            "There is no record of kind {}; there are: {}",
            list(&unknown),
            printable(&kinds.join(", "))
        ));
    }
    match session.form {
        Form::Json => {
            let results: Vec<_> = hits
                .iter()
                .map(|hit| {
                    let mut value = serde_json::to_value(&hit.recollection).unwrap_or_default();
                    value["space"] = json!(hit.space);
                    value
                })
                .collect();
            let meaning = meant.as_ref().map(Meant::to_json);
            output::json(&json!({ "question": question, "results": results, "behind": behind, "meaning": meaning }))?;
        }
        Form::Text => {
            print(session, args, &hits, behind)?;
            meant.iter().for_each(|meant| meant.tell(session.form));
        }
    }
    Ok(0)
}

fn list(words: &[&String]) -> String {
    printable(&words.iter().map(|word| word.as_str()).collect::<Vec<_>>().join(", "))
}

fn print(session: &Session, args: &Args, hits: &[Hit], behind: u64) -> Result<(), Failure> {
    if hits.is_empty() {
        output::line("Nothing in memory shares a word or a date with this question.")?;
    }
    for (number, hit) in hits.iter().enumerate() {
        print_hit(number + 1, hit, args.explain, session)?;
    }
    if behind > 0 {
        output::note(format_args!(
            "{DIM}{behind} operations are not in the index yet: the space cannot be written{DIM:#}"
        ));
    }
    Ok(())
}

/// One recalled record, for people.
pub(crate) fn print_recollection(session: &Session, number: usize, recollection: &Recollection) -> Result<(), Failure> {
    print_one(number, None, recollection, false, &session.zone)
}

fn print_hit(number: usize, hit: &Hit, explain: bool, session: &Session) -> Result<(), Failure> {
    let space = (session.spaces.len() > 1).then_some(hit.space.as_str());
    print_one(number, space, &hit.recollection, explain, &session.zone)
}

fn print_one(
    number: usize,
    space: Option<&str>,
    recollection: &Recollection,
    explain: bool,
    zone: &TimeZone,
) -> Result<(), Failure> {
    let evidence = &recollection.evidence;
    output::line(format_args!(
        "{BOLD}{number:>2}. {}{BOLD:#}  {DIM}{}{DIM:#}  {ID}{}{ID:#}",
        printable(&heading(evidence, zone)),
        space.map(|space| format!("{} · ", printable(space))).unwrap_or_default() + &printable(&source_line(evidence)),
        short(&recollection.id),
    ))?;
    for neighbour in recollection.neighbours.iter().filter(|neighbour| neighbour.distance < 0) {
        output::line(format_args!("    {DIM}{}{DIM:#}", printable(&said(&neighbour.evidence))))?;
    }
    for line in text(evidence).lines() {
        output::line(format_args!("    {}", printable(line)))?;
    }
    for neighbour in recollection.neighbours.iter().filter(|neighbour| neighbour.distance > 0) {
        output::line(format_args!("    {DIM}{}{DIM:#}", printable(&said(&neighbour.evidence))))?;
    }
    if explain {
        explain_score(recollection)?;
    }
    Ok(())
}

fn explain_score(recollection: &Recollection) -> Result<(), Failure> {
    output::line(format_args!("    score {:.3}", recollection.score.total))?;
    for part in recollection.score.parts.iter().filter(|part| part.contribution != 0.0) {
        output::line(format_args!(
            "      {:+.3}  {:<12} {:.3} × {:.2}",
            part.contribution, part.name, part.value, part.weight
        ))?;
        if part.name == "lex" {
            for term in &recollection.terms {
                let place = match (term.own, term.previous, term.before_previous) {
                    (0, 0, 0) => "not here".to_owned(),
                    (own @ 1.., ..) => format!("{own} ×"),
                    (_, 1.., _) => "in the record before".to_owned(),
                    _ => "two records before".to_owned(),
                };
                let term_text = printable(term.term.as_str());
                output::line(format_args!("              {DIM}{term_text} (weight {:.2}): {place}{DIM:#}", term.idf))?;
            }
        }
    }
    Ok(())
}

/// Who and when.
fn heading(evidence: &Evidence, zone: &TimeZone) -> String {
    let at = evidence.at.as_ref().map(|at| {
        if at.is_date_only() {
            at.date().to_string()
        } else {
            shown_time(at, zone).strftime("%Y-%m-%d %H:%M").to_string()
        }
    });
    let title = || evidence.payload.title.clone();
    // What happens is known by its name, what is said by who said it.
    let who = match evidence.kind.0.as_str() {
        EvidenceKind::EVENT => title().or_else(|| evidence.actor.clone()),
        _ => evidence.actor.clone().or_else(title),
    };
    [who, at].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The time of day that was where it happened. UTC is the time of programs, which says nothing of where: it is shown as
/// what it was here.
fn shown_time(at: &When, zone: &TimeZone) -> DateTime {
    match at.as_str().parse::<Timestamp>() {
        Ok(instant) if at.as_str().ends_with('Z') => instant.to_zoned(zone.clone()).datetime(),
        _ => at.civil(),
    }
}

/// From where.
fn source_line(evidence: &Evidence) -> String {
    let payload = &evidence.payload;
    // Programs name sessions by hashes and UUIDs, which say nothing to people.
    let named = payload.session.as_ref().filter(|session| !is_hexadecimal(session));
    let session = payload.session_title.as_ref().or(named).map(|session| format!(" · {session}"));
    format!("{} · {}{}", evidence.kind.0, evidence.source, session.unwrap_or_default())
}

/// True for what is long and of hexadecimal digits and dashes alone.
fn is_hexadecimal(name: &str) -> bool {
    name.len() >= 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

fn said(evidence: &Evidence) -> String {
    // Summaries of messages begin with who said it.
    let actor = evidence.actor.as_deref().filter(|actor| !evidence.summary.starts_with(*actor));
    let actor = actor.map(|actor| format!("{actor}: ")).unwrap_or_default();
    format!("{actor}{}", evidence.summary)
}

fn text(evidence: &Evidence) -> String {
    let payload = &evidence.payload;
    let mut text = if payload.text.is_empty() { evidence.summary.clone() } else { payload.text.clone() };
    for caption in &payload.captions {
        text.push_str(&format!("\n[image: {caption}]"));
    }
    if text.chars().count() > TEXT_CHARS_MAX {
        text = text.chars().take(TEXT_CHARS_MAX).collect::<String>() + " …";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utc_is_shown_as_the_time_here_and_other_times_as_they_were_there() {
        let zone = TimeZone::get("Europe/Stockholm").unwrap();
        let check = |at: &str, shown: &str| {
            let shown_at = shown_time(&When::parse(at).unwrap(), &zone);
            assert_eq!(shown_at.strftime("%Y-%m-%d %H:%M").to_string(), shown, "{at}");
        };
        check("2025-06-15T22:11:12.5Z", "2025-06-16 00:11");
        check("2025-06-15T22:11:12-07:00", "2025-06-15 22:11");
        check("2025-06-15T22:11:12+02:00[Europe/Berlin]", "2025-06-15 22:11");
        check("2025-06-15T22:11:12", "2025-06-15 22:11");
    }

    #[test]
    fn hashes_and_uuids_are_no_names_of_sessions() {
        assert!(is_hexadecimal("77f6749af7d1fd1b25f0e53ff70829d681bc3b1d"));
        assert!(is_hexadecimal("3f0e7a52-11aa-4bbb-8ccc-1234567890ab"));
        assert!(!is_hexadecimal("mara-idris-2025-01-08-in-the-studio"));
        assert!(!is_hexadecimal("cafe"));
    }
}
