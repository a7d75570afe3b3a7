//! `because recall`

use engine::recall::episodes::{Query, Recall, Recollection};
use engine::recall::facts::FactQuery;
use engine::recall::receipts::{Recalled, Recipient};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use kernel::evidence::{Evidence, EvidenceKind, Visibility};
use kernel::when::When;
use retrieval::rank::Score;
use retrieval::rank::relevance::RELEVANCE_MIN;
use serde_json::json;
use store::sqlite::{Filter, TermShare};

use super::facts::{self, FACTS_BESIDE_MAX};
use super::{Session, parse_time_us, parse_window_us};
use crate::failure::Failure;
use crate::meaning::{EmbedderPool, QueryEmbedding};
use crate::output::{self, BOLD, DIM, Form, ID, printable, short};

/// Longest text of a record that is printed, in characters; `because show` prints all.
const TEXT_CHARS_MAX: usize = 600;

/// Arguments of `recall`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  because recall \"Which glaze did Idris recommend?\"\n  because recall --kind event --since 2025-02-01 \"pottery class\"\n  because recall --explain \"Who is allergic to walnuts?\"\n  because recall --search facts \"which evenings are taken?\"\n  because recall --space global --space . --json \"kiln temperature\""
)]
pub(crate) struct Args {
    /// The question, or words to look for
    question: String,
    /// How many records; of facts at most three are shown above them, or as many with --search
    /// facts
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
    /// Only what these may see: private, project (its space) or global; may be repeated
    #[arg(long, value_name = "WHO", value_parser = visibility)]
    visibility: Vec<Visibility>,
    /// What to search: what is believed, what was told, or both. EvidenceFilter it both, or only
    /// what was told where --kind, --since or --until says which
    #[arg(long, value_name = "WHAT", value_enum)]
    search: Option<SearchScope>,
    /// As it stood at this time: what had been told by then, and what was believed (2025-02-01, or
    /// with a time)
    #[arg(long, value_name = "TIME")]
    as_of: Option<String>,
    /// Of what is believed only what is true at this time
    #[arg(long, value_name = "TIME")]
    valid_at: Option<String>,
    /// Records to show before and after each, from the same session
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=10))]
    around: u32,
    /// Below which chance of being an answer the records found are called the nearest only, 0 to 1
    #[arg(long, value_name = "CHANCE", default_value_t = RELEVANCE_MIN, value_parser = chance)]
    min_relevance: f64,
    /// Print every part of each score
    #[arg(long)]
    explain: bool,
    /// The agent who asks: a receipt is kept of what it is shown
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// The agent's conversation
    #[arg(long, value_name = "NAME", requires = "agent")]
    session: Option<String>,
}

fn visibility(text: &str) -> Result<Visibility, String> {
    match text {
        "private" => Ok(Visibility::Private),
        "project" => Ok(Visibility::Project),
        "global" => Ok(Visibility::Global),
        _ => Err("not private, project or global".to_owned()),
    }
}

fn chance(text: &str) -> Result<f64, String> {
    let chance: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=1.0).contains(&chance) { Ok(chance) } else { Err("not between 0 and 1".to_owned()) }
}

/// What is searched.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum SearchScope {
    /// What is believed
    Facts,
    /// What was told: turns, notes, events
    Episodes,
    /// Both
    Both,
}

impl Args {
    fn shelves(&self) -> SearchScope {
        let picks_records = !self.kind.is_empty() || self.since.is_some() || self.until.is_some();
        self.search.unwrap_or(if picks_records { SearchScope::Episodes } else { SearchScope::Both })
    }
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
    let time = |text: &Option<String>| {
        text.as_deref().map(|text| parse_time_us(session, text)).transpose()
    };
    let as_of_us = time(&args.as_of)?.map(|at| at.max(0).unsigned_abs());
    let (since_us, until_us) =
        parse_window_us(session, args.since.as_deref(), args.until.as_deref())?;
    let shelves = args.shelves();
    let fact_query = FactQuery {
        limit: usize::from(args.k),
        today: Some(session.today()),
        as_of_us,
        valid_at_us: time(&args.valid_at)?,
        visibilities: args.visibility.clone(),
        ..FactQuery::new(args.question.clone(), session.now)
    };
    let mut query = Query {
        filter: Filter {
            kinds: args.kind.clone(),
            since_us,
            until_us,
            as_of_us,
            visibilities: args.visibility.clone(),
        },
        neighbours: args.around,
        today: Some(session.today()),
        ..Query::new(args.question.clone(), usize::from(args.k))
    };
    let mut hits = Vec::new();
    let mut believed = facts::Hits::default();
    let mut answering = EmbedderPool::default();
    let mut meant = None;
    let mut behind = 0;
    let mut question = None;
    // Of several spaces, the best answer's.
    let mut relevance = 0.0_f64;
    let mut kinds = std::collections::BTreeSet::new();
    let mut spaces = Vec::new();
    for finder in session.finders() {
        let mut space = finder.open()?;
        let name = space.name()?;
        if shelves != SearchScope::Episodes {
            let (understood, facts_behind) = believed.ask(&mut space, &name, &fact_query)?;
            if shelves == SearchScope::Facts {
                question.get_or_insert(understood);
                behind += facts_behind;
                spaces.push((name, space));
                continue;
            }
        }
        let mut by = answering.ask(session, &mut space, &args.question)?;
        query.vector = by.vector();
        let Recall {
            question: understood,
            results,
            relevance: chance,
            behind: space_behind,
            model,
            ..
        } = space.recall(&query)?;
        relevance = relevance.max(chance);
        by.served_by(model);
        behind += space_behind;
        // Of several spaces the one is told whose model did not answer.
        if meant.as_ref().is_none_or(|meant: &QueryEmbedding| meant.error.is_none()) {
            meant = Some(by);
        }
        question.get_or_insert(understood);
        if results.is_empty() && !args.kind.is_empty() {
            kinds.extend(space.evidence_by_kind()?.into_keys());
        }
        hits.extend(
            results.into_iter().map(|recollection| Hit { space: name.clone(), recollection }),
        );
        spaces.push((name, space));
    }
    if shelves == SearchScope::Both {
        believed.keep_what_speaks_to_the_question();
    }
    believed.rank(if shelves == SearchScope::Both { FACTS_BESIDE_MAX } else { query.limit });
    // Scores of different spaces are on one scale; within one the order is the engine's.
    hits.sort_by(|left, right| {
        right.recollection.score.total.total_cmp(&left.recollection.score.total)
    });
    // Copies of one space hold the same records.
    let mut seen = std::collections::BTreeSet::new();
    hits.retain(|hit| seen.insert(hit.recollection.id));
    hits.truncate(query.limit);
    let receipts = match &args.agent {
        Some(agent) => give_receipts(session, (args, agent), spaces, &believed, &hits)?,
        None => Vec::new(),
    };
    let unknown: Vec<&String> = args.kind.iter().filter(|kind| !kinds.contains(*kind)).collect();
    if hits.is_empty() && !unknown.is_empty() {
        let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
        output::note(format_args!(
            "There is no record of kind {}; there are: {}",
            list(&unknown),
            printable(&kinds.join(", "))
        ));
    }
    let abstains = shelves != SearchScope::Facts && relevance < args.min_relevance;
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
            let mut value = json!({
                "question": question, "facts": believed.to_json(), "results": results, "relevance": relevance,
                "abstains": abstains, "behind": behind, "meaning": meant.as_ref().map(QueryEmbedding::to_json),
            });
            if args.agent.is_some() {
                value["receipts"] = json!(receipts);
            }
            output::json(&value)?;
        }
        Form::Text => {
            print(session, args, &believed, &Found { hits: &hits, abstains, behind })?;
            meant.iter().for_each(|meant| meant.tell(session.form));
        }
    }
    Ok(0)
}

/// Writes down in each space what of it an agent is shown.
fn give_receipts(
    session: &Session,
    (args, agent): (&Args, &str),
    spaces: Vec<(String, engine::Space)>,
    believed: &facts::Hits,
    hits: &[Hit],
) -> Result<Vec<kernel::id::ReceiptId>, Failure> {
    let recipient = Recipient { agent, session: args.session.as_deref() };
    let mut receipts = Vec::new();
    for (name, mut space) in spaces {
        let shown = hits.iter().filter(|hit| hit.space == name).map(|hit| hit.recollection.clone());
        let shown: Vec<Recollection> = shown.collect();
        let recalled =
            Recalled { asked: &args.question, facts: &believed.of(&name), records: &shown };
        match space.receipt_of_recall(&recipient, &recalled, session.now)? {
            Some(receipt) => receipts.push(receipt),
            None => output::note("The space cannot be written just now: there is no receipt"),
        }
    }
    Ok(receipts)
}

fn list(words: &[&String]) -> String {
    printable(&words.iter().map(|word| word.as_str()).collect::<Vec<_>>().join(", "))
}

/// What was told, as far as it was found.
struct Found<'a> {
    hits: &'a [Hit],
    /// Nothing of it seems to answer.
    abstains: bool,
    behind: u64,
}

fn print(
    session: &Session,
    args: &Args,
    believed: &facts::Hits,
    found: &Found<'_>,
) -> Result<(), Failure> {
    let Found { hits, abstains, behind } = *found;
    if hits.is_empty() && believed.is_empty() {
        output::line(match args.shelves() {
            SearchScope::Facts => {
                "Nothing that is believed shares a word or a date with this question."
            }
            _ => "Nothing in memory shares a word or a date with this question.",
        })?;
    }
    believed.print(session, args.explain)?;
    if !hits.is_empty() && !believed.is_empty() {
        output::line(format_args!("{BOLD}What was told{BOLD:#}"))?;
    }
    if abstains && !hits.is_empty() && believed.is_empty() {
        output::line(format_args!(
            "{DIM}Nothing in memory seems to answer this; the nearest:{DIM:#}"
        ))?;
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
pub(crate) fn print_recollection(
    session: &Session,
    number: usize,
    recollection: &Recollection,
) -> Result<(), Failure> {
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
        space.map(|space| format!("{} · ", printable(space))).unwrap_or_default()
            + &printable(&source_line(evidence)),
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
        explain_score(&recollection.score, &recollection.terms)?;
    }
    Ok(())
}

/// One addend of a score.
pub(crate) fn explain_part(name: &str, value: f64, weight: f64) -> Result<(), Failure> {
    output::line(format_args!("      {:+.3}  {name:<15} {value:.3} × {weight:.2}", value * weight))
}

/// What a score is the sum of.
pub(crate) fn explain_score(score: &Score, terms: &[TermShare]) -> Result<(), Failure> {
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
                output::line(format_args!(
                    "              {DIM}{term_text} (weight {:.2}): {place}{DIM:#}",
                    term.idf
                ))?;
            }
        }
    }
    Ok(())
}

/// When, for people.
pub(crate) fn time_of(evidence: &Evidence, zone: &TimeZone) -> Option<String> {
    let at = evidence.at.as_ref()?;
    Some(match at.is_date_only() {
        true => at.date().to_string(),
        false => shown_time(at, zone).strftime("%Y-%m-%d %H:%M").to_string(),
    })
}

/// Who and when.
fn heading(evidence: &Evidence, zone: &TimeZone) -> String {
    let at = time_of(evidence, zone);
    let title = || evidence.payload.title.clone();
    // What happens is known by its name, what is said by who said it.
    let who = match evidence.kind.0.as_str() {
        EvidenceKind::EVENT => title().or_else(|| evidence.actor.clone()),
        _ => evidence.actor.clone().or_else(title),
    };
    [who, at].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The time of day that was where it happened. UTC is the time of programs, which says nothing of
/// where: it is shown as what it was here.
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

/// What a record says, with what its images show.
pub(crate) fn text_of(evidence: &Evidence) -> String {
    let mut text = evidence.said().to_owned();
    for caption in &evidence.payload.captions {
        text.push_str(&format!("\n[image: {caption}]"));
    }
    text
}

fn text(evidence: &Evidence) -> String {
    let mut text = text_of(evidence);
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
