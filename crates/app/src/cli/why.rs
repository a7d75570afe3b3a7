//! `because why`

use engine::why::{
    CANDIDATES, CANDIDATES_MAX, DEPTH, FoundBy, NODES, NODES_MAX, Why, WhyLimits, WhyStatus,
};
use engine::write::import::Intent;
use serde_json::{Value, json};

use super::{CliSession, print_owner};
use crate::failure::Failure;
use crate::output::{self, BAD, BOLD, DIM, Form, GOOD, ID, count, printable};
use crate::service::drawing::{self, Diagram};
use crate::service::effective::{ReadScope, ScopedSpace};
use crate::service::language_model::ChosenModel;
use crate::service::model_request::ModelOrigin;
use crate::service::why::{self as service, Choosing, LAST, ModelChoice, NotAsked, Storing};
use crate::service::wording::{hundredths, shortened};

/// Arguments of `why`.
#[derive(clap::Args)]
#[command(
    after_help = "Finds the fewest active claims that still hold up a decision or anything else: a record is held up by all its inputs and all that it depends on together, or by any one record that supports it. Evidence holds by itself. The answer says whether it is proven that no fewer are enough.\n\nThe answer is stored as a why_trace node; where it is sure enough (0.7), also as depends_on edges. The same answer is stored once.\n\nWith a language model, the model chooses among the candidates, says why and how sure it is. --rules and --dry-run ask none.\n\nIn the tree, * marks the claims of the answer, and ~ what is not true at the time.\n\nExamples:\n  because why last                       the newest decision or action\n  because why 9f2c41d0 --dry-run\n  because why 9f2c41d0 --format svg > why.svg"
)]
pub(crate) struct Args {
    /// `last` for the newest decision or action, or an id (the beginning is enough) of anything
    /// that was recorded, or the key of a belief
    #[arg(value_name = "last|ID|KEY")]
    name: String,
    /// As of this time, from what was recorded until then; nothing is stored
    #[arg(long, value_name = "TIME")]
    as_of: Option<String>,
    /// Judge what is true at this time instead of now; nothing is stored
    #[arg(long, value_name = "TIME")]
    valid_at: Option<String>,
    /// How many candidates
    #[arg(long, value_name = "K", default_value_t = CANDIDATES as u64, value_parser = clap::value_parser!(u64).range(1..=CANDIDATES_MAX as u64))]
    top_k: u64,
    /// How many steps from the target
    #[arg(long, value_name = "D", default_value_t = DEPTH)]
    depth: usize,
    /// How many records are walked
    #[arg(long, value_name = "N", default_value_t = NODES as u64, value_parser = clap::value_parser!(u64).range(0..=NODES_MAX as u64))]
    max_nodes: u64,
    /// Only records from this time of recording on
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// How the answer is printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Tree)]
    format: Format,
    /// Answer by rules, even if a language model is chosen
    #[arg(long)]
    rules: bool,
    /// Store nothing, and ask no language model
    #[arg(long)]
    dry_run: bool,
}

/// How the answer is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Lines of text
    Tree,
    /// For Graphviz
    Dot,
    /// A drawing
    Svg,
    /// A flowchart for Mermaid
    Mermaid,
    /// For programs, as with --json
    Json,
}

impl Args {
    /// Whether it may append to the ledger.
    pub(super) fn writes(&self) -> bool {
        !self.dry_run && self.as_of.is_none() && self.valid_at.is_none()
    }
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let limits = WhyLimits {
        top_k: args.top_k as usize,
        depth: args.depth,
        nodes: args.max_nodes as usize,
        since_us: session.times().recorded_us(args.since.as_deref())?,
        as_of_us: service::past(session, session.times().recorded_us(args.as_of.as_deref())?),
        valid_at_us: session.times().start_if_given_us(args.valid_at.as_deref())?,
        ..WhyLimits::new(session.now)
    };
    let is_json = session.form == Form::Json || args.format == Format::Json;
    let spaces = session.open_effective(ReadScope::Effective)?;
    let hidden = service::hidden(&spaces, &args.name, &limits)?;
    let ScopedSpace { opened: mut space, scope, disclosure } = spaces.that_has(&args.name)?;
    let limits = WhyLimits { disclosure, hidden, ..limits };
    let Some(target) = service::target(&space, &args.name, &limits)? else {
        return print_nothing(is_json);
    };
    let limits = WhyLimits { similar_by: service::similar_by(session, &mut space)?, ..limits };
    let mut why = space.why(&target, &limits)?;
    if let Some(owner) = &space.owner {
        service::attribute(&mut why, owner);
    }
    let intent = if args.dry_run { Intent::DryRun } else { Intent::Write };
    let mut model = ChosenModel::choose(session, space.path(), args.rules)?;
    let choosing = service::choose(&mut why, model.answerer(), &mut space, session, intent)?;
    let storing = service::store(&mut space, session, &why, &limits, intent)?;
    if is_json {
        let mut value = json!(why);
        let (stored, not_stored) = match &storing {
            Storing::Stored(stored) => (Some(stored), None),
            Storing::NotStored(reason) => (None, Some(reason)),
        };
        value["stored"] = json!(stored);
        value["not_stored"] = json!(not_stored);
        add_choosing(&mut value, &choosing);
        value["scope"] = json!(scope);
        value["owner"] = json!(space.owner);
        output::json(&value)?;
        return Ok(0);
    }
    note_choosing(&choosing);
    let diagram = Diagram::of(&why);
    let drawing = match args.format {
        Format::Dot => drawing::dot(&diagram),
        Format::Svg => drawing::svg(&diagram),
        Format::Mermaid => drawing::mermaid(&diagram),
        Format::Tree | Format::Json => {
            print_owner(space.owner.as_ref())?;
            print(&why, &choosing, &diagram, &storing)?;
            return Ok(0);
        }
    };
    if let Storing::NotStored(reason) = storing {
        output::note(reason.in_words());
    }
    output::line(drawing.trim_end())?;
    Ok(0)
}

/// Says that there is nothing that `last` could stand for.
fn print_nothing(is_json: bool) -> Result<u8, Failure> {
    match is_json {
        true => output::json(&json!({ "target": null, "status": WhyStatus::Insufficient }))?,
        false => output::line(format_args!(
            "{LAST:?} stands for nothing: no decision, action or claim holds now. What fell is in `because node list --all`."
        ))?,
    }
    Ok(0)
}

/// What the language model did, for `--json`.
fn add_choosing(value: &mut Value, choosing: &Choosing) {
    (value["model"], value["model_not_asked"], value["model_error"]) = match choosing {
        Choosing::Rules => (Value::Null, Value::Null, Value::Null),
        Choosing::NotAsked(reason) => (Value::Null, json!(reason), Value::Null),
        Choosing::Chosen(choice) => (json!(choice), Value::Null, Value::Null),
        Choosing::Failed(failure) => (Value::Null, Value::Null, output::error_json(failure)),
    };
}

/// Says on the error output why the answer is not that of the language model.
fn note_choosing(choosing: &Choosing) {
    match choosing {
        Choosing::Failed(failure) => {
            output::note(format_args!(
                "{BAD}warning{BAD:#}: this is the answer by rules: {}",
                printable(&failure.to_string())
            ));
            if let Some(hint) = failure.hint() {
                output::note(format_args!("  {hint}"));
            }
        }
        Choosing::NotAsked(reason) if *reason != NotAsked::NoCandidates => {
            output::note(reason.in_words());
        }
        _ => {}
    }
}

fn print(
    why: &Why,
    choosing: &Choosing,
    diagram: &Diagram,
    storing: &Storing,
) -> Result<(), Failure> {
    let target = &why.target;
    let kind = if target.record_type.is_empty() { &target.kind } else { &target.record_type };
    let status = target.status.filter(|status| *status != "active");
    let status = status.map(|status| format!("  {DIM}({status}){DIM:#}")).unwrap_or_default();
    output::line(format_args!(
        "{} {BOLD}{}{BOLD:#}{status}  {ID}{}{ID:#}",
        printable(kind),
        shortened(&target.text),
        target.id.short()
    ))?;
    output::line(format_args!("  {}", in_words(why, choosing)))?;
    if let Choosing::Chosen(choice) = choosing {
        print_choice(choice)?;
    }
    for line in drawing::tree(diagram) {
        output::line(line)?;
    }
    let searched: Vec<_> =
        why.candidates.iter().filter(|found| found.found == FoundBy::Search).collect();
    if !searched.is_empty() {
        output::line(format_args!("  {BOLD}found by its words{BOLD:#}"))?;
    }
    for found in searched {
        output::line(format_args!(
            "    {} {}  {ID}{}{ID:#}",
            printable(&found.record_type),
            shortened(&found.text),
            found.id.short()
        ))?;
    }
    if !why.excluded.is_empty() {
        output::line(format_args!("  {BOLD}holds nothing up any more{BOLD:#}"))?;
    }
    for excluded in &why.excluded {
        output::line(format_args!(
            "    {}  {DIM}({}){DIM:#}  {ID}{}{ID:#}",
            shortened(&excluded.text),
            excluded.status,
            excluded.id.short()
        ))?;
    }
    print_cut(why)?;
    match storing {
        Storing::Stored(stored) => {
            let word = if stored.new { "stored" } else { "stored before" };
            let edges = match stored.edges.len() {
                0 => String::new(),
                edges => format!(", with {}", count(edges as u64, "edge")),
            };
            let id = stored.id.short();
            output::line(format_args!("  {GOOD}{word}{GOOD:#} as {ID}{id}{ID:#}{edges}"))
        }
        Storing::NotStored(reason) => {
            output::line(format_args!("  {DIM}{}{DIM:#}", reason.in_words()))
        }
    }
}

/// What the question came to, in a sentence.
fn in_words(why: &Why, choosing: &Choosing) -> String {
    match (&why.status, &why.support) {
        (WhyStatus::Insufficient, _) if let Choosing::Chosen(choice) = choosing => {
            format!("Insufficient: {}", printable(&choice.explanation))
        }
        (WhyStatus::Supported, Some(support)) => {
            format!(
                "{} Confidence {}.",
                printable(&support.explanation),
                hundredths(support.confidence)
            )
        }
        (WhyStatus::EvidenceAlone, _) => {
            "It rests on evidence alone; no claim is needed.".to_owned()
        }
        (WhyStatus::Cut, _) => {
            "The walk was cut before it came to a claim; wider limits may find one.".to_owned()
        }
        (WhyStatus::NotHeld, _) => "Nothing holds it up any more.".to_owned(),
        _ if !why.excluded.is_empty() => {
            "Insufficient: what accounted for it does not stand any more.".to_owned()
        }
        _ if !why.evidence.is_empty() => {
            "Insufficient: no claim or node accounts for it, only its sources.".to_owned()
        }
        _ => "Insufficient: nothing was found that accounts for it.".to_owned(),
    }
}

/// Who chose, and what of it was not taken.
fn print_choice(choice: &ModelChoice) -> Result<(), Failure> {
    let ModelOrigin { model, prompt_version, .. } = &choice.origin;
    let dropped = match choice.dropped.len() {
        0 => String::new(),
        number => format!("; {} not among the candidates dropped", count(number as u64, "id")),
    };
    let withheld = match choice.cut.withheld {
        0 => String::new(),
        number => format!("; {} not shown to it: private", count(number as u64, "candidate")),
    };
    output::line(format_args!(
        "  {DIM}chosen by {} ({prompt_version}){dropped}{withheld}{DIM:#}",
        printable(model)
    ))
}

/// What budgets left out.
fn print_cut(why: &Why) -> Result<(), Failure> {
    let cut = &why.cut;
    let parts = [
        (cut.depth, "further away than --depth"),
        (cut.nodes, "beyond --max-nodes"),
        (cut.since, "from before --since"),
        (cut.premises, "beyond what is read of one record"),
        (cut.candidates, "beyond --top-k"),
        (cut.withheld, "private"),
    ];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| format!("{number} {what}"))
        .collect();
    if parts.is_empty() {
        return Ok(());
    }
    output::line(format_args!("  {DIM}left out: {}{DIM:#}", parts.join(", ")))
}
