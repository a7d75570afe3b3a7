//! `because explain`

use engine::EngineError;
use engine::belief::claims::{is_in_words, is_true_at};
use engine::belief::explain::{Because, Event, Explaining, Source, UserAction};
use engine::belief::support::Support;
use engine::derive::Agreement;
use engine::owner::SpaceOwner;
use engine::private::Viewpoint;
use engine::write::transcript::transcripts_of;
use kernel::id::OpId;
use kernel::missing_body::Leave;
use kernel::validity::State;
use serde_json::Value;

use super::claims::times;
use super::{CliSession, explain_lineage, explain_support, print_owner};
use crate::failure::Failure;
use crate::output::{self, BOLD, DIM, Form, ID, count, printable};
use crate::service::effective::ScopedSpace;
use crate::service::handles;
use crate::service::wording::{attributed, hundredths, person, shortened, word_of};

/// Sources printed for people; `--all` prints every source.
pub(super) const SOURCES_PRINTED_MAX: usize = 12;

/// Events and user actions printed for people, the latest ones.
const EVENTS_PRINTED_MAX: usize = 20;

/// Arguments of `explain`.
#[derive(clap::Args)]
#[command(
    after_help = "Prints a belief with its reasons, its sources, its confidence, its history, and what would change it. The smallest support is the smallest set of its sources that would still give the same confidence band; it is found by deriving again from subsets.\n\nWith --json the record has the keys claim, because, built_from, history and user_actions, and with --support also support and would_change.\n\nOf anything else that has an id (a decision, an edge, a note, a thought) it prints what it was made from, what edges say of it and what cites it; with --json the keys record, built_from, edges, cited_by, transcripts and cut.\n\nExamples:\n  because explain 'routine.weekly|gym|tue,thu|morning'\n  because explain 9f2c41d0 --json\n  because explain 9f2c41d0 --as-of 2025-03-01"
)]
pub(crate) struct Args {
    /// The belief: its key as `because claims` prints it, or one of its ids (the beginning is
    /// enough); or the id of anything else
    #[arg(value_name = "ID|KEY")]
    name: String,
    /// With --json: add the smallest support, and what would change the belief
    #[arg(long)]
    support: bool,
    /// Print every source and event
    #[arg(long)]
    all: bool,
    /// As of this time, from what was recorded until then; the smallest support is of the present
    #[arg(long, value_name = "TIME", conflicts_with = "support")]
    as_of: Option<String>,
    /// Say whether it is true at this time; of edges, only those whose ends both are
    #[arg(long, value_name = "TIME")]
    valid_at: Option<String>,
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let as_of_us = session.times().recorded_us(args.as_of.as_deref())?;
    let valid_at_us = session.times().start_if_given_us(args.valid_at.as_deref())?;
    let ScopedSpace { opened: mut space, scope, disclosure } = session.open_with(&args.name)?;
    handles::set_owner_names(&session.home, &mut space)?;
    let viewpoint = Viewpoint { disclosure, as_of_us, valid_at_us };
    let mut explaining = match space.explain_from(&args.name, &viewpoint) {
        Err(EngineError::NotABelief { id, .. }) => {
            return explain_lineage::run(session, (&space, scope), &id, &viewpoint, args.all);
        }
        explained => explained?,
    };
    let in_window = valid_at_us.map(|at| is_true_at(&explaining.belief, at));
    // Subsets are derived again from what there is now.
    let support = match as_of_us {
        None if args.support || session.form == Form::Text => Some(space.support(&explaining)?),
        _ => None,
    };
    if let Some(owner) = &space.owner {
        owner.attribute_explanation(&mut explaining);
    }
    match session.form {
        Form::Json => {
            let mut record =
                serde_json::to_value(&explaining.explanation).map_err(std::io::Error::from)?;
            if let Some(support) = &support {
                record["support"] = explain_support::to_json(support, &explaining);
                record["would_change"] =
                    explain_support::would_change_to_json(support, &explaining);
            }
            record["scope"] = serde_json::json!(scope);
            if let Some(in_window) = in_window {
                record["in_window"] = serde_json::json!(in_window);
            }
            record["owner"] = serde_json::json!(space.owner);
            output::json(&record)?;
        }
        Form::Text => {
            print_owner(space.owner.as_ref())?;
            print(session, args, &explaining, support.as_ref(), space.owner.as_ref())?;
            if in_window == Some(false) {
                output::line("  not true at that time")?;
            }
        }
    }
    Ok(0)
}

fn print(
    session: &CliSession,
    args: &Args,
    explaining: &Explaining,
    support: Option<&Support>,
    owner: Option<&SpaceOwner>,
) -> Result<(), Failure> {
    let Explaining { explanation, belief, text, .. } = explaining;
    let claim = &explanation.claim;
    let said = match text.is_empty() {
        true => attributed(claim.payload.to_string(), owner),
        false => text.clone(),
    };
    output::line(format_args!("{BOLD}{}{BOLD:#}{}", shortened(&said), times(session, belief)))?;
    output::line(format_args!("  {}  {ID}{}{ID:#}", printable(&belief.key), claim.op_id.short()))?;
    output::line(format_args!("  {}", standing(explaining, owner)))?;
    if !claim.payload.is_null() && !text.is_empty() {
        output::line(format_args!("  {DIM}{}{DIM:#}", shortened(&claim.payload.to_string())))?;
    }
    section("because")?;
    explanation.because.iter().try_for_each(|because| print_reason(because, owner))?;
    for agreement in &explanation.agreements {
        let Agreement { deriver, confidence, inputs, .. } = agreement;
        output::line(format_args!(
            "    {} {} now concludes the same from {} ({})",
            printable(&deriver.name),
            printable(&deriver.version),
            count(*inputs as u64, "source"),
            hundredths(*confidence)
        ))?;
    }
    section("built from")?;
    let shown = if args.all { usize::MAX } else { SOURCES_PRINTED_MAX };
    for source in explanation.built_from.iter().take(shown) {
        print_source(source)?;
    }
    if explanation.built_from.len() > shown {
        output::line(format_args!(
            "    … and {} more; --all prints them",
            explanation.built_from.len() - shown
        ))?;
    }
    if let Some(support) = support {
        explain_support::print(support, explaining, owner)?;
    }
    section("history")?;
    let earlier = explanation.history.len().saturating_sub(if args.all {
        usize::MAX
    } else {
        EVENTS_PRINTED_MAX
    });
    if earlier > 0 {
        output::line(format_args!(
            "    … {} before; --all prints them",
            count(earlier as u64, "event")
        ))?;
    }
    explanation.history.iter().skip(earlier).try_for_each(|event| print_event(session, event))?;
    if !explanation.user_actions.is_empty() {
        section(&format!("what {} said", person(owner)))?;
        let earlier = explanation.user_actions.len().saturating_sub(if args.all {
            usize::MAX
        } else {
            EVENTS_PRINTED_MAX
        });
        explanation
            .user_actions
            .iter()
            .skip(earlier)
            .try_for_each(|action| print_action(session, action, owner))?;
    }
    Ok(())
}

/// The heading of a section.
pub(super) fn section(title: &str) -> Result<(), Failure> {
    output::line(format_args!("  {BOLD}{title}{BOLD:#}"))
}

/// The state of the belief, in a few words.
fn standing(explaining: &Explaining, owner: Option<&SpaceOwner>) -> String {
    let claim = &explaining.explanation.claim;
    let sure = format!("{} ({})", claim.band.as_str(), hundredths(claim.confidence));
    let by_user = explaining.belief.state == State::Corrected
        && explaining.belief.served == Some(claim.op_id);
    match claim.state.as_str() {
        "active" => sure,
        _ if by_user => format!("{}, certain", word_of(owner)),
        "corrected" => format!("not believed: {} corrected it; it was {sure}", person(owner)),
        "refuted" => format!("not believed: {} refuted it; it was {sure}", person(owner)),
        "retracted" if explaining.belief.deriver.is_some() && !is_in_words(&explaining.belief) => {
            format!("not believed: the records no longer support it; it was {sure}")
        }
        "retracted" => format!("not believed: it was taken back; it was {sure}"),
        "superseded" | "alias" if !claim.replaced_by.is_empty() => {
            let ids = claim.replaced_by.iter().map(OpId::short).collect::<Vec<_>>().join(", ");
            let how = if claim.state == "alias" { "it stands for" } else { "it was replaced by" };
            format!("not believed: {how} {ids}; it was {sure}")
        }
        "superseded" => format!("not believed: a later version replaced it; it was {sure}"),
        _ => format!("not believed: what it was built from no longer holds; it was {sure}"),
    }
}

fn print_reason(because: &Because, owner: Option<&SpaceOwner>) -> Result<(), Failure> {
    let by = match &because.deriver {
        Some(deriver) => printable(&format!("{} {}", deriver.name, deriver.version)),
        None if because.confidence_basis.get("source").is_some() => person(owner).to_owned(),
        None => "a person".to_owned(),
    };
    let rationale =
        if because.rationale.is_empty() { "no reason given" } else { &because.rationale };
    output::line(format_args!("    {by}: {}", shortened(rationale)))?;
    let basis = &because.confidence_basis;
    print_model(basis)?;
    let factors = basis.get("factors").and_then(Value::as_array);
    let (Some(prior), Some(factors)) = (basis.get("prior").and_then(Value::as_f64), factors) else {
        return Ok(());
    };
    output::line(format_args!("      {DIM}prior {prior:.2}{DIM:#}"))?;
    for factor in factors {
        let name = factor.get("name").and_then(Value::as_str).unwrap_or_default();
        let number = |field: &str| factor.get(field).and_then(Value::as_f64).unwrap_or_default();
        let name = shortened(name);
        output::line(format_args!(
            "      {DIM}{:+.2}  {name} {}{DIM:#}",
            number("log_odds"),
            trimmed(number("value"))
        ))?;
    }
    Ok(())
}

/// The language model that said it, and what it was asked, if that was kept.
fn print_model(basis: &Value) -> Result<(), Failure> {
    let field = |name: &str| basis.get(name).and_then(Value::as_str).map(printable);
    let (Some(model), Some(prompt)) = (field("model"), field("prompt_version")) else {
        return Ok(());
    };
    output::line(format_args!("      {DIM}said by {model} ({prompt}){DIM:#}"))?;
    for id in transcripts_of(basis) {
        let id = id.short();
        output::line(format_args!("      {DIM}what it was asked:{DIM:#} {ID}{id}{ID:#}"))?;
    }
    Ok(())
}

/// A number with at most two decimals.
fn trimmed(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

pub(super) fn print_source(source: &Source) -> Result<(), Failure> {
    /// Deeper sources are not indented further.
    const INDENT_MAX: usize = 8;
    let indent = "  ".repeat(source.depth.min(INDENT_MAX));
    let said = match &source.summary {
        Some(summary) => shortened(summary),
        None => match source.leave {
            Some(Leave::Withheld(_)) => "(withheld)".to_owned(),
            Some(Leave::Forgotten(_)) => "(forgotten)".to_owned(),
            None => "(its content is not available)".to_owned(),
        },
    };
    let origin = source
        .source
        .as_deref()
        .map(|origin| format!(" · {}", printable(origin)))
        .unwrap_or_default();
    let quoted_by = source
        .quoted_by
        .as_deref()
        .map(|program| format!(" · quoted by {}", printable(program)))
        .unwrap_or_default();
    output::line(format_args!(
        "  {indent}{said}  {DIM}{}{origin}{quoted_by} · {}{DIM:#}  {ID}{}{ID:#}",
        source.kind,
        source.role,
        source.op_id.short()
    ))
}

fn print_event(session: &CliSession, event: &Event) -> Result<(), Failure> {
    let time = event.at.parse().map_or_else(|_| event.at.clone(), |at| session.clock(at));
    let sure = event
        .confidence
        .map(|confidence| format!(" {}", hundredths(confidence)))
        .unwrap_or_default();
    let cause = event.cause.as_ref().map(|cause| {
        let word = if event.event == "invalidated" { "because of" } else { "of" };
        format!(", {word} {} {}", cause.kind, cause.op_id.short())
    });
    output::line(format_args!(
        "    {time}  {}{sure}{}  {ID}{}{ID:#}",
        event.event,
        cause.unwrap_or_default(),
        event.op_id.short()
    ))
}

fn print_action(
    session: &CliSession,
    action: &UserAction,
    owner: Option<&SpaceOwner>,
) -> Result<(), Failure> {
    let time = action.at.parse().map_or_else(|_| action.at.clone(), |at| session.clock(at));
    let payload = action
        .corrected_payload
        .as_ref()
        .map(|payload| format!(" {}", shortened(&payload.to_string())));
    let note = if action.note.is_empty() {
        String::new()
    } else {
        format!(" ({})", shortened(&action.note))
    };
    let withdrawn = if action.active { "" } else { ", withdrawn since" };
    let said = match action.kind.as_str() {
        "claim_correction" => "corrected it to",
        "claim_refutation" => "refuted it",
        "correction_withdrawal" => "withdrew the correction",
        "refutation_withdrawal" => "withdrew the refutation",
        "retraction" => "took it back",
        other => other,
    };
    output::line(format_args!(
        "    {time}  {said}{}{note}{withdrawn}  {ID}{}{ID:#}",
        payload.unwrap_or_default(),
        action.op_id.short()
    ))?;
    let Some(by) = &action.proposed_by else { return Ok(()) };
    let person = person(owner);
    let agreed = match by.consent.as_deref() {
        Some("elicitation") => format!("{person} agreed when it asked"),
        Some("setting") if owner.is_some() => format!("the configuration of {person} allows it"),
        Some("setting") => "your configuration allows it".to_owned(),
        _ => format!("{person} accepted the proposal"),
    };
    output::line(format_args!(
        "      {DIM}{}; {agreed}{DIM:#}  {ID}{}{ID:#}",
        shortened(&by.question),
        by.proposal.short()
    ))
}
