//! `because explain`

use engine::belief::explain::{Because, Event, Explaining, Source, UserAction};
use engine::belief::support::{Fewest, Search, Support, Whole};
use kernel::confidence::Band;
use kernel::id::OpId;
use kernel::validity::State;
use serde_json::{Value, json};

use super::Session;
use super::changes::{hundredths, shortened};
use super::claims::times;
use crate::failure::Failure;
use crate::output::{self, BOLD, DIM, Form, ID, count, printable, quoted, short};

/// Sources that are printed for people; `--all` prints them all.
const SOURCES_PRINTED_MAX: usize = 12;

/// Events and words of the user that are printed for people, the latest ones.
const EVENTS_PRINTED_MAX: usize = 20;

/// Inputs that are printed as arguments of another command.
const ARGUMENTS_PRINTED_MAX: usize = 4;

/// Arguments of `explain`.
#[derive(clap::Args)]
#[command(
    after_help = "Says what is believed, why, from what, how sure, what happened to it, and what would change it. The smallest support is the fewest of its sources from which alone it would still be believed as surely; it is found by deriving again from parts of them.\n\nWith --json the record has the keys claim, because, built_from, history and user_actions, and with --support also support and would_change.\n\nExamples:\n  because explain 'routine.weekly|gym|tue,thu|morning'\n  because explain 9f2c41d0 --json"
)]
pub(crate) struct Args {
    /// The belief: its key as `because claims` prints it, or an id of it (the beginning is enough)
    #[arg(value_name = "ID|KEY")]
    name: String,
    /// In JSON, too: the smallest support, and what would change it
    #[arg(long)]
    support: bool,
    /// Print every source and event
    #[arg(long)]
    all: bool,
}

pub(crate) fn run(session: &Session, args: &Args) -> Result<u8, Failure> {
    let space = session.finder()?.open()?;
    let explaining = space.explain(&args.name)?;
    match session.form {
        Form::Json => {
            let mut record =
                serde_json::to_value(&explaining.explanation).map_err(std::io::Error::from)?;
            if args.support {
                let support = space.support(&explaining)?;
                record["support"] = support_json(&support, &explaining);
                record["would_change"] = would_change_json(&support, &explaining);
            }
            output::json(&record)?;
        }
        Form::Text => print(session, args, &explaining, &space.support(&explaining)?)?,
    }
    Ok(0)
}

fn print(
    session: &Session,
    args: &Args,
    explaining: &Explaining,
    support: &Support,
) -> Result<(), Failure> {
    let Explaining { explanation, belief, text } = explaining;
    let claim = &explanation.claim;
    let said = if text.is_empty() { claim.payload.to_string() } else { text.clone() };
    output::line(format_args!("{BOLD}{}{BOLD:#}{}", shortened(&said), times(session, belief)))?;
    output::line(format_args!("  {}  {ID}{}{ID:#}", printable(&belief.key), short(&claim.op_id)))?;
    output::line(format_args!("  {}", standing(explaining)))?;
    if !claim.payload.is_null() && !text.is_empty() {
        output::line(format_args!("  {DIM}{}{DIM:#}", shortened(&claim.payload.to_string())))?;
    }
    section("because")?;
    explanation.because.iter().try_for_each(print_reason)?;
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
    print_support(support, explaining)?;
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
        section("what you said")?;
        let earlier = explanation.user_actions.len().saturating_sub(if args.all {
            usize::MAX
        } else {
            EVENTS_PRINTED_MAX
        });
        explanation
            .user_actions
            .iter()
            .skip(earlier)
            .try_for_each(|action| print_action(session, action))?;
    }
    Ok(())
}

fn section(title: &str) -> Result<(), Failure> {
    output::line(format_args!("  {BOLD}{title}{BOLD:#}"))
}

/// How it stands with the belief, in a few words.
fn standing(explaining: &Explaining) -> String {
    let claim = &explaining.explanation.claim;
    let sure = format!("{} ({})", claim.band.as_str(), hundredths(claim.confidence));
    let by_user = explaining.belief.state == State::Corrected
        && explaining.belief.served == Some(claim.op_id);
    match claim.state.as_str() {
        "active" => sure,
        _ if by_user => "your word, certain".to_owned(),
        "corrected" => format!("not believed: you corrected it; it was {sure}"),
        "refuted" => format!("not believed: you said that it is false; it was {sure}"),
        "retracted" if explaining.belief.deriver.is_some() => {
            format!("not believed: the records do not say so any more; it was {sure}")
        }
        "retracted" => format!("not believed: it was taken back; it was {sure}"),
        "superseded" => format!("not believed: a later version replaced it; it was {sure}"),
        _ => format!("not believed: what it was built from does not hold any more; it was {sure}"),
    }
}

fn print_reason(because: &Because) -> Result<(), Failure> {
    let by = match &because.deriver {
        Some(deriver) => printable(&format!("{} {}", deriver.name, deriver.version)),
        None if because.confidence_basis.get("source").is_some() => "you".to_owned(),
        None => "a person".to_owned(),
    };
    let rationale =
        if because.rationale.is_empty() { "without a word why" } else { &because.rationale };
    output::line(format_args!("    {by}: {}", shortened(rationale)))?;
    let basis = &because.confidence_basis;
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

/// A number with at most two digits after the point.
fn trimmed(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn print_source(source: &Source) -> Result<(), Failure> {
    /// Deeper sources are not indented further.
    const INDENT_MAX: usize = 8;
    let indent = "  ".repeat(source.depth.min(INDENT_MAX));
    let said = match &source.summary {
        Some(summary) => shortened(summary),
        None => "(its content is not here)".to_owned(),
    };
    let origin = source
        .source
        .as_deref()
        .map(|origin| format!(" · {}", printable(origin)))
        .unwrap_or_default();
    output::line(format_args!(
        "  {indent}{said}  {DIM}{}{origin} · {}{DIM:#}  {ID}{}{ID:#}",
        source.kind,
        source.role,
        short(&source.op_id)
    ))
}

fn print_support(support: &Support, explaining: &Explaining) -> Result<(), Failure> {
    let name = |id: &OpId| {
        let sources = &explaining.explanation.built_from;
        let summary = sources
            .iter()
            .find(|source| source.op_id == *id)
            .and_then(|source| source.summary.as_deref());
        format!("{ID}{}{ID:#}  {}", short(id), shortened(summary.unwrap_or_default()))
    };
    if *support != Support::Nothing {
        section("smallest support")?;
    }
    match support {
        Support::Nothing => {}
        Support::UserWord => output::line("    your word alone")?,
        Support::All(why) => {
            output::line(format_args!("    all that it cites together: {}", in_words(*why)))?
        }
        Support::Examined(search) => {
            let proof =
                if search.is_smallest { "no fewer would do" } else { "perhaps fewer would do" };
            let band = Band::of(search.confidence).as_str();
            if search.of == 1 {
                output::line("    its one input")?;
            } else if search.inputs.len() == search.of {
                output::line(format_args!(
                    "    all of the {} together; {proof}",
                    count(search.of as u64, "input")
                ))?;
            } else {
                output::line(format_args!(
                    "    {} of {} would still make it {band} ({}); {proof}",
                    search.inputs.len(),
                    count(search.of as u64, "input"),
                    hundredths(search.confidence)
                ))?;
                for id in search.inputs.iter().take(SOURCES_PRINTED_MAX) {
                    output::line(format_args!("      {}", name(id)))?;
                }
                if search.inputs.len() > SOURCES_PRINTED_MAX {
                    output::line(format_args!(
                        "      … and {} more",
                        search.inputs.len() - SOURCES_PRINTED_MAX
                    ))?;
                }
            }
        }
    }
    section("what would change it")?;
    if let Support::Examined(search) = support {
        print_losses(search, explaining, name)?;
    }
    for (command, what) in your_word(explaining) {
        output::line(format_args!("    {command}  {DIM}{what}{DIM:#}"))?;
    }
    Ok(())
}

/// Which inputs the band hangs on.
fn print_losses(
    search: &Search,
    explaining: &Explaining,
    name: impl Fn(&OpId) -> String,
) -> Result<(), Failure> {
    let band = explaining.explanation.claim.band.as_str();
    let necessary = search.necessary.as_deref().unwrap_or_default();
    if necessary.len() == search.of && search.of > 1 {
        output::line(format_args!(
            "    without any one of the {} it would not be {band}",
            count(search.of as u64, "input")
        ))?;
    } else {
        for id in necessary.iter().take(SOURCES_PRINTED_MAX) {
            output::line(format_args!(
                "    without this one it would not be {band}:  {}",
                name(id)
            ))?;
        }
    }
    let Some(Fewest { inputs, band: left, is_fewest }) = &search.fewest else { return Ok(()) };
    let without = count(inputs.len() as u64, "input");
    let without = if *is_fewest { without } else { format!("{without} or fewer") };
    let left = left.map_or("not be derived".to_owned(), |left| format!("be {}", left.as_str()));
    // That nothing is derived from nothing goes without saying.
    let is_news = *is_fewest || inputs.len() < search.of;
    if is_news && (inputs.len() > 1 || necessary.is_empty()) {
        output::line(format_args!("    without {without} it would {left}"))?;
    }
    if inputs.len() <= ARGUMENTS_PRINTED_MAX {
        let options: Vec<String> = inputs.iter().map(|id| option_without(id, explaining)).collect();
        output::line(format_args!(
            "    because what-if {}  {DIM}shows what else would follow{DIM:#}",
            options.join(" ")
        ))?;
    }
    Ok(())
}

/// How `because what-if` is told to do without an input.
fn option_without(id: &OpId, explaining: &Explaining) -> String {
    let source = explaining.explanation.built_from.iter().find(|source| source.op_id == *id);
    let option = match source.map(|source| source.kind.as_str()) {
        Some("claim") => "--refute",
        Some("claim_correction") => "--withdraw",
        _ => "--retract",
    };
    format!("{option} {}", short(id))
}

fn in_words(why: Whole) -> &'static str {
    match why {
        Whole::Person => "a person said it",
        Whole::Model => "a model said it, which cannot be asked again",
        Whole::OtherDeriver => "the deriver that made it, in that version, is not here to be asked",
        Whole::Redacted => "the content of one is not here, so it cannot be derived again",
        Whole::NotRepeated => "from these alone it is not derived as surely",
    }
}

/// What the user can say of it, as commands.
fn your_word(explaining: &Explaining) -> Vec<(String, &'static str)> {
    let key = quoted(&explaining.belief.key);
    let command = |verb: &str, rest: &str| format!("because {verb} {key}{rest}");
    match explaining.belief.state {
        State::Refuted => vec![(command("withdraw", ""), "takes your refutation back")],
        State::Corrected => vec![
            (command("withdraw", ""), "takes your correction back"),
            (command("correct", " --set …"), "says what is true instead"),
        ],
        _ => vec![
            (command("correct", " --set …"), "says what is true instead"),
            (command("refute", ""), "says that it is false"),
        ],
    }
}

fn print_event(session: &Session, event: &Event) -> Result<(), Failure> {
    let time = event.at.parse().map_or_else(|_| event.at.clone(), |at| session.clock(at));
    let sure = event
        .confidence
        .map(|confidence| format!(" {}", hundredths(confidence)))
        .unwrap_or_default();
    let cause = event.cause.as_ref().map(|cause| {
        let word = if event.event == "invalidated" { "because of" } else { "of" };
        format!(", {word} {} {}", cause.kind, short(&cause.op_id))
    });
    output::line(format_args!(
        "    {time}  {}{sure}{}  {ID}{}{ID:#}",
        event.event,
        cause.unwrap_or_default(),
        short(&event.op_id)
    ))
}

fn print_action(session: &Session, action: &UserAction) -> Result<(), Failure> {
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
        short(&action.op_id)
    ))
}

fn support_json(support: &Support, explaining: &Explaining) -> Value {
    let cited = || {
        let direct = explaining.explanation.built_from.iter().filter(|source| source.depth == 1);
        direct.map(|source| source.op_id).collect::<Vec<_>>()
    };
    match support {
        Support::Nothing => json!({ "found": "nothing_believed", "inputs": [] }),
        Support::UserWord => json!({ "found": "user_word", "inputs": [] }),
        Support::All(why) => json!({ "found": "all", "why": why.as_str(), "inputs": cited() }),
        Support::Examined(search) => json!({
            "found": "examined",
            "inputs": search.inputs,
            "of": search.of,
            "confidence": search.confidence,
            "is_smallest": search.is_smallest,
            "at_least": search.at_least,
            "runs": search.runs,
        }),
    }
}

fn would_change_json(support: &Support, explaining: &Explaining) -> Value {
    let (necessary, fewest) = match support {
        Support::Examined(search) => (json!(search.necessary), search.fewest.as_ref()),
        Support::All(_) => {
            let direct =
                explaining.explanation.built_from.iter().filter(|source| source.depth == 1);
            (json!(direct.map(|source| source.op_id).collect::<Vec<_>>()), None)
        }
        Support::Nothing | Support::UserWord => (json!([]), None),
    };
    let commands: Vec<String> =
        your_word(explaining).into_iter().map(|(command, _)| command).collect();
    json!({
        "necessary": necessary,
        "fewest": fewest.map(|fewest| json!({
            "count": fewest.inputs.len(),
            "inputs": fewest.inputs,
            "band": fewest.band,
            "is_fewest": fewest.is_fewest,
        })),
        "your_word": commands,
    })
}
