//! `because eval`

use std::path::PathBuf;

use models::choice::Choice;
use serde_json::json;

use super::CliSession;
use crate::cli::eval_studies::{self as studies, Study};
use crate::failure::Failure;
use crate::output::{self, BOLD, DIM, Form, count, printable};
use eval::abstention::sets::Sets;
use eval::calibration;
use eval::embedding::SharedModel;
use eval::locomo::{self, Layout, Metadata};
use eval::report::Report;
use eval::run::{Kind, Run, limit, run as run_one, steps};
use eval::{Collection, EvalError, retrieval, sample, trails};

/// Conversations with metadata, and without.
const KNOWN: &str = "speakers and dates known";
const UNKNOWN: &str = "no speaker and no date known";
/// Deepest cut-off: the most that recall returns.
const CUTOFF_MAX: i64 = engine::recall::episodes::RESULTS_MAX as i64;

/// Arguments of `eval`.
#[derive(clap::Args)]
#[command(after_help = "\
        Everything is imported into temporary spaces; your data is neither read nor written. The \
        engine is compared with controls over the same records: plain BM25, BM25 with stems and \
        without stop words (bm25-stemmed), SQLite FTS5, and grep (number of shared words); with \
        --embedder also the model alone (embedding) and its fusion with bm25-stemmed by reciprocal \
        ranks (hybrid-rrf). Latency is measured at the largest -k.\n\n\
        Examples:\n  because eval locomo locomo10.json\n  because eval locomo locomo10.json --one-space --json\n  because eval locomo locomo10.json --ablation\n  because eval retrieval mine.jsonl\n  because eval sample\n  because eval calibration people --svg reliability.svg")]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Questions about long conversations: a file of the LoCoMo benchmark
    Locomo(LocomoArgs),
    /// Your own documents and queries, as JSON lines or a BEIR folder (docs/eval.md)
    Retrieval(RetrievalArgs),
    /// Questions about the sample of the demo: notes, a calendar, a chat
    Sample(Depth),
    /// Whether the use of thoughts should rank them: many agents simulated over your documents
    Trails(TrailsArgs),
    /// Calibration of confidence: labelled people, as `cargo xtask samples` makes them
    Calibration(CalibrationArgs),
}

/// Arguments of `eval trails`.
#[derive(clap::Args)]
#[command(
    after_help = "The documents become thoughts of several agents, who ask the queries in several rounds; what they are shown, contribute and say of it leaves a trail. Then questions are judged: other ones than those that laid the trail, and the same ones. Each ranking by use is compared with the ranking without it; the interval holds 95 % of resamples of the questions.\n\nExamples:\n  because eval trails mine.jsonl\n  because --json eval trails chats.jsonl notes.jsonl"
)]
struct TrailsArgs {
    /// Collections, each in its own space (docs/eval.md)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Arguments of `eval calibration`.
#[derive(clap::Args)]
struct CalibrationArgs {
    /// A folder with a folder for each person: exports, and labels.json with the true facts
    folder: PathBuf,
    /// Write the reliability diagram to this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// With --json: also each claim with its factors and whether it is true
    #[arg(long)]
    each: bool,
}

/// Arguments of `eval locomo`.
#[derive(clap::Args)]
struct LocomoArgs {
    /// The benchmark's JSON
    file: PathBuf,
    /// Put all conversations in one space, instead of one each
    #[arg(long)]
    one_space: bool,
    /// Remove speakers and dates before the import, as if these were notes
    #[arg(long)]
    no_metadata: bool,
    #[command(flatten)]
    depth: Depth,
    #[command(flatten)]
    study: Study,
}

/// Arguments of `eval retrieval`.
#[derive(clap::Args)]
struct RetrievalArgs {
    /// Collections, each in its own space
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    depth: Depth,
    #[command(flatten)]
    study: Study,
}

/// The cut-offs and the detail of the output.
#[derive(clap::Args)]
struct Depth {
    /// Cut-offs, separated by commas
    #[arg(short, long, value_name = "K", value_delimiter = ',', default_value = "5,10,25,50", value_parser = clap::value_parser!(u32).range(1..=CUTOFF_MAX))]
    k: Vec<u32>,
    /// With --json: also each question with the ranks of its relevant records
    #[arg(long)]
    each: bool,
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    match &args.what {
        What::Locomo(args) => locomo(session, args)?,
        What::Retrieval(args) => retrieval(session, args)?,
        What::Sample(depth) => sample(session, depth)?,
        What::Trails(args) => measure_trails(session, args)?,
        What::Calibration(args) => calibration(session, args)?,
    }
    Ok(0)
}

fn locomo(session: &CliSession, args: &LocomoArgs) -> Result<(), Failure> {
    let layout = if args.one_space { Layout::OneSpace } else { Layout::SpaceEach };
    let metadata = if args.no_metadata { Metadata::Removed } else { Metadata::Kept };
    let mut file = locomo::read(&args.file, layout, metadata)?;
    let spaces = if args.one_space { "in one space" } else { "a space each" };
    let known = if args.no_metadata { UNKNOWN } else { KNOWN };
    let title = format!(
        "LoCoMo: {}, {spaces}; {known}; unit: turns; categories 1 to 4 ({} of them without evidence left out); asked on the day of the last session",
        count(file.conversations as u64, "conversation"),
        count(file.without_gold as u64, "question"),
    );
    let about = json!({
        "collection": "locomo",
        "conversations": file.conversations,
        "one_space": args.one_space,
        "metadata": !args.no_metadata,
        "questions_without_evidence": file.without_gold,
    });
    let mut subject = Subject {
        unit: locomo::UNIT,
        title,
        about,
        sets: Sets::copies(&[known], file.collections.len()),
    };
    let chosen = args.study.chosen();
    // The abstention threshold depends on whether memory knows who speaks, so both cases are
    // measured.
    let bare = (chosen == Some(studies::Chosen::Abstention) && metadata == Metadata::Kept)
        .then(|| locomo::read(&args.file, layout, Metadata::Removed))
        .transpose()?;
    // Its folder is kept as long as `bare`.
    let _folder = bare.map(|bare| {
        let (collections, folder) = bare.into_parts();
        subject.sets = Sets::copies(&[KNOWN, UNKNOWN], collections.len());
        file.collections.extend(collections);
        folder
    });
    match chosen {
        Some(study) => {
            let choice = chosen_model(session, &mut subject)?;
            studies::run(session, &file.collections, &subject, choice.as_ref(), study)
        }
        None => measure(session, &file.collections, subject, &args.depth),
    }
}

fn retrieval(session: &CliSession, args: &RetrievalArgs) -> Result<(), Failure> {
    let read = args
        .files
        .iter()
        .map(|file| retrieval::read(file))
        .collect::<Result<Vec<_>, EvalError>>()?;
    let documents: usize = read.iter().map(|one| one.documents).sum();
    let without_gold: usize = read.iter().map(|one| one.without_gold).sum();
    let collections: Vec<&Collection> = read.iter().map(|one| &one.collection).collect();
    let names: Vec<String> =
        collections.iter().map(|collection| printable(&collection.name)).collect();
    let unanswerable: usize =
        collections.iter().map(|collection| collection.unanswerable.len()).sum();
    let questions: usize = collections.iter().map(|collection| collection.questions.len()).sum();
    let title = format!(
        "{}: {}, {} with gold; left out: {without_gold} without, {unanswerable} that nothing answers (--abstention)",
        names.join(", "),
        count(documents as u64, "document"),
        count(questions as u64, "question"),
    );
    let about = json!({
        "collection": "retrieval",
        "names": names,
        "documents": documents,
        "queries_without_gold": without_gold,
        "queries_unanswerable": unanswerable,
    });
    let sets = Sets::of_files(args.files.iter().map(PathBuf::as_path));
    let mut subject = Subject { unit: retrieval::UNIT, title, about, sets };
    // The folders of the documents are kept as long as the collections.
    let (collections, _folders): (Vec<Collection>, Vec<_>) =
        read.into_iter().map(retrieval::Retrieval::into_parts).unzip();
    match args.study.chosen() {
        Some(study) => {
            let choice = chosen_model(session, &mut subject)?;
            studies::run(session, &collections, &subject, choice.as_ref(), study)
        }
        None => measure(session, &collections, subject, &args.depth),
    }
}

fn sample(session: &CliSession, depth: &Depth) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    sample::unpack(folder.path())?;
    let paths: Vec<PathBuf> =
        sample::SOURCES.iter().map(|source| folder.path().join(source)).collect();
    let collection = sample::collect(&paths)?;
    let title = "The sample of the demo; unit: records; asked at its end".to_owned();
    measure(
        session,
        &[collection],
        Subject {
            unit: sample::UNIT,
            title,
            about: json!({ "collection": "sample" }),
            sets: Sets::copies(&["sample"], 1),
        },
        depth,
    )
}

fn measure_trails(session: &CliSession, args: &TrailsArgs) -> Result<(), Failure> {
    let read = args.files.iter().map(|file| retrieval::read(file));
    let read = read.collect::<Result<Vec<_>, EvalError>>()?;
    let steps = trails::steps() * read.len() as u64;
    let bar = output::progress(Some(steps), "{msg:<12} {bar:30} {pos}/{len} {eta}");
    let measured = read.iter().map(|one| {
        bar.set_message(printable(&one.collection.name));
        trails::measure(&one.collection, &mut || bar.inc(1))
    });
    let measured = measured.collect::<Result<Vec<_>, EvalError>>();
    bar.finish_and_clear();
    let measured = measured?;
    let report = trails::report::Report { collections: &measured };
    match session.form {
        Form::Json => output::json(&report.json()),
        Form::Text => {
            output::line(format_args!(
                "{BOLD}Trails: {} agents, {} rounds{BOLD:#}",
                trails::AGENTS,
                trails::ROUNDS
            ))?;
            report.lines().into_iter().try_for_each(output::line)?;
            output::line(format_args!(
                "{DIM}gain: over the ranking without use, with its 95 % interval; in %{DIM:#}"
            ))
        }
    }
}

fn calibration(session: &CliSession, args: &CalibrationArgs) -> Result<(), Failure> {
    let folders = calibration::people_in(&args.folder)?;
    let bar = output::progress(Some(folders.len() as u64), "people {bar:30} {pos}/{len} {eta}");
    let people = folders.iter().map(|folder| {
        let person = calibration::measure(folder);
        bar.inc(1);
        person
    });
    let people = people.collect::<Result<Vec<_>, EvalError>>();
    bar.finish_and_clear();
    let people = people?;
    let report = calibration::report::Report { people: &people };
    if let Some(path) = &args.svg {
        let svg = calibration::diagram::svg(&report.calibration(None), "Reliability of confidence");
        std::fs::write(path, svg)
            .map_err(|source| EvalError::File { path: path.clone(), source })?;
    }
    match session.form {
        Form::Json => {
            let mut value = report.json();
            if args.each {
                value["each"] = report.each_json();
            }
            output::json(&value)
        }
        Form::Text => {
            output::line(format_args!(
                "{BOLD}Calibration: {}{BOLD:#}",
                count(people.len() as u64, "person")
            ))?;
            report.lines().into_iter().try_for_each(output::line)
        }
    }
}

/// The measurement, in words and as JSON.
pub(super) struct Subject {
    pub(super) unit: &'static str,
    pub(super) title: String,
    pub(super) about: serde_json::Value,
    /// Which collections belong together, for studies.
    pub(super) sets: Sets,
}

/// The model to measure with. Only a model named for this command is used, so that a measurement
/// never sends texts to a service by accident.
fn chosen_model(session: &CliSession, subject: &mut Subject) -> Result<Option<Choice>, Failure> {
    let Some(name) = &session.embedder else { return Ok(None) };
    subject.about["embedder"] = json!(name);
    Ok(Some(session.configuration(None)?.choice()?))
}

fn measure(
    session: &CliSession,
    collections: &[Collection],
    mut subject: Subject,
    depth: &Depth,
) -> Result<(), Failure> {
    let choice = chosen_model(session, &mut subject)?;
    let Subject { unit, title, about, .. } = subject;
    let mut cutoffs: Vec<usize> = depth.k.iter().map(|k| *k as usize).collect();
    cutoffs.sort_unstable();
    cutoffs.dedup();
    let model = choice.as_ref().map(SharedModel::open).transpose()?.flatten();
    let kinds = Kind::all(model.as_ref());
    let bar = output::progress(
        Some(steps(collections) * kinds.len() as u64),
        "{msg:<12} {bar:30} {pos}/{len} {eta}",
    );
    let mut one = |kind: Kind| -> Result<Run, EvalError> {
        bar.set_message(kind.name());
        run_one(kind, collections, limit(&cutoffs), model.as_ref(), &mut || bar.inc(1))
    };
    let runs = kinds.into_iter().map(&mut one).collect::<Result<Vec<_>, _>>();
    bar.finish_and_clear();
    let runs = runs?;
    let report = Report { collections, unit, cutoffs: &cutoffs, runs: &runs };
    match session.form {
        Form::Json => {
            let mut value = report.json();
            value["about"] = about;
            if depth.each {
                value["questions"] = report.each_json();
            }
            output::json(&value)
        }
        Form::Text => {
            output::line(format_args!("{BOLD}{title}{BOLD:#}"))?;
            report.lines().into_iter().try_for_each(output::line)?;
            output::line(format_args!(
                "{DIM}R@k: share of the {unit} that answer a question among the first k, averaged over questions; in %{DIM:#}"
            ))
        }
    }
}
