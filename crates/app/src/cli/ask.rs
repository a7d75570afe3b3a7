//! `because ask`

use serde_json::{Value, json};

use super::episodes::overruled_line;
use super::{CliSession, embedding, graph, print_owner};
use crate::failure::Failure;
use crate::output::{self, BAD, BOLD, DIM, Form, GOOD, ID, count, printable};
use crate::service::effective::ReadScope;
use crate::service::inner_voice::{
    Answer, AnswerSource, AnswerStaging, AskRequest, FoundBy, NO_MATCH, NotSaved, SaveBy, Saving,
    SourceKind, StagingOptions, StagingRequest, Wording, ask, to_json,
};
use crate::service::language_model::ChosenModel;
use crate::service::query_embedding::EmbedderPool;
use crate::service::wording::hundredths;

/// Characters of a date.
const DAY_CHARS: usize = 10;

/// Arguments of `ask`.
#[derive(clap::Args)]
#[command(
    after_help = "Finds the records, facts, nodes and thoughts that are likely to answer, and answers with the best sentence of each, at most 600 characters in all. Every sentence has the number of its source. If no source is likely enough to answer, the answer says so.\n\nWith a language model, the model words the answer from the sources; its sentences that cite no source are dropped. --rules uses no model.\n\nThe answer is kept as a summary node that cites its sources, unless --no-save is given. Kept answers are not sources of other answers, unless --include-summaries is given.\n\n--stage-kg looks for people, technologies, code and files in the sources and for relations between them that a sentence states outright, by rules or with the language model, and stages them: they wait in `because review`, each with exactly the sources that it was found in. Candidates that are already staged or decided are not staged again.\n\nThe usual options can be set: BECAUSE_TOP_K, BECAUSE_SIM_THRESH, BECAUSE_DB_LIMIT (most sources that are considered), BECAUSE_AUTO_MARK_REMOVAL (mark the sources for removal once something was staged from them).\n\nExamples:\n  because ask \"Which glaze did Idris recommend?\"\n  because ask -k 3 --source records --no-save \"When does the class move?\"\n  because ask --stage-kg \"What does the kiln timer depend on?\"\n  because ask --as-of 2025-02-01 \"Where is the office?\" --json"
)]
pub(crate) struct Args {
    /// The question
    question: String,
    /// How many sources at most, 1 to 50 [default: 5]
    #[arg(long, short = 'k', visible_alias = "k", value_name = "K", allow_negative_numbers = true)]
    top_k: Option<i64>,
    /// Least chance, 0 to 1, that a source answers [default: 0.5]
    #[arg(long, value_name = "CHANCE")]
    sim_thresh: Option<f64>,
    /// What is searched [default: everything]; may be repeated
    #[arg(long, value_enum, value_name = "WHAT")]
    source: Vec<SourceName>,
    /// Also take answers that were kept before, summaries of checkpoints and traces of why as
    /// sources
    #[arg(long)]
    include_summaries: bool,
    /// Do not keep the answer
    #[arg(long)]
    no_save: bool,
    /// Stage entities and relations that the sources name, for your review
    #[arg(long)]
    stage_kg: bool,
    /// Least confidence of what is staged, 0 to 1 [default: 0.6]
    #[arg(long, value_name = "CONFIDENCE", requires = "stage_kg")]
    confidence_min: Option<f64>,
    /// Most entities that are staged [default: 30]
    #[arg(long, value_name = "N", requires = "stage_kg", allow_negative_numbers = true)]
    max_nodes: Option<i64>,
    /// Most relations that are staged [default: 60]
    #[arg(long, value_name = "N", requires = "stage_kg", allow_negative_numbers = true)]
    max_edges: Option<i64>,
    /// Mark the sources for removal if something was staged from them
    #[arg(long, requires = "stage_kg")]
    auto_mark_removal: bool,
    /// Answer by rules, even if a language model is chosen
    #[arg(long)]
    rules: bool,
    /// As of this time, from what was recorded until then; the answer is not kept
    #[arg(long, value_name = "TIME")]
    as_of: Option<String>,
    /// Only facts that are true at this time; the answer is not kept
    #[arg(long, value_name = "TIME")]
    valid_at: Option<String>,
    /// What is read
    #[arg(long, value_enum, default_value_t = graph::ScopeName::Effective)]
    scope: graph::ScopeName,
}

/// What is searched.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum SourceName {
    /// What was said or happened
    Records,
    /// What is believed
    Facts,
    /// Decisions, actions, summaries, entities
    Nodes,
    /// What agents thought
    Thoughts,
}

impl From<SourceName> for SourceKind {
    fn from(name: SourceName) -> Self {
        match name {
            SourceName::Records => Self::Records,
            SourceName::Facts => Self::Facts,
            SourceName::Nodes => Self::Nodes,
            SourceName::Thoughts => Self::Thoughts,
        }
    }
}

impl Args {
    /// Whether it may append to the ledger.
    pub(super) fn writes(&self) -> bool {
        (!self.no_save || self.stage_kg) && self.as_of.is_none() && self.valid_at.is_none()
    }
}

impl Args {
    /// What is to be staged.
    fn staging(&self) -> Result<Option<StagingRequest<'_>>, Failure> {
        let options = StagingOptions {
            confidence_min: self.confidence_min,
            max_nodes: self.max_nodes,
            max_edges: self.max_edges,
            auto_mark_removal: self.auto_mark_removal.then_some(true),
        };
        let request = self.stage_kg.then(|| options.request(SaveBy::Handle));
        Ok(request.transpose()?)
    }
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let times = session.times();
    let request = AskRequest {
        kinds: args.source.iter().copied().map(SourceKind::from).collect(),
        include_summaries: args.include_summaries,
        as_of_us: times.recorded_us(args.as_of.as_deref())?,
        valid_at_us: times.start_if_given_us(args.valid_at.as_deref())?,
        staging: args.staging()?,
        ..AskRequest::new(&args.question, args.top_k, args.sim_thresh)?
    };
    let mut view = session.open_effective(ReadScope::from(args.scope))?;
    let mut model = ChosenModel::choose(session, view.own.path(), args.rules)?;
    let save = (!args.no_save).then_some(SaveBy::Handle);
    let mut pool = EmbedderPool::default();
    let answer = ask(session, &mut pool, &mut view, &request, model.answerer(), save)?;
    let owner = view.own.owner.as_ref();
    match session.form {
        Form::Json => {
            let mut value = to_json(&answer);
            value["model_error"] = match &answer.wording {
                Wording::Failed(failure) => output::error_json(failure),
                _ => Value::Null,
            };
            value["staged"]["model_error"] = match &answer.staged.found_by {
                FoundBy::RulesAfter(failure) => output::error_json(failure),
                FoundBy::Rules | FoundBy::Model { .. } => Value::Null,
            };
            value["owner"] = json!(owner);
            value["embedder"] = json!(answer.embedding.as_ref().map(embedding::to_json));
            output::json(&value)?;
        }
        Form::Text => {
            note_wording(&answer.wording);
            if let FoundBy::RulesAfter(failure) = &answer.staged.found_by {
                note_failure("these candidates are by rules", failure);
            }
            print_owner(owner)?;
            print(&answer, args.stage_kg, |scope| view.mark(scope))?;
            answer.embedding.iter().for_each(embedding::note_fallback);
        }
    }
    Ok(0)
}

/// Says on the error output why the words are not the language model's.
fn note_wording(wording: &Wording) {
    match wording {
        Wording::Failed(failure) => note_failure("this is the answer by rules", failure),
        Wording::NotAsked(reason) => output::note(reason.in_words()),
        Wording::Extractive | Wording::Model { .. } => {}
    }
}

/// Says on the error output what is by rules, and why.
fn note_failure(what: &str, failure: &Failure) {
    let failed = printable(&failure.to_string());
    output::note(format_args!("{BAD}warning{BAD:#}: {what}: {failed}"));
    if let Some(hint) = failure.hint() {
        output::note(format_args!("  {hint}"));
    }
}

fn print(
    answer: &Answer,
    is_staged: bool,
    mark: impl Fn(crate::service::effective::Scope) -> &'static str,
) -> Result<(), Failure> {
    if answer.abstains() {
        output::line(NO_MATCH)?;
    }
    for sentence in &answer.sentences {
        output::line(format_args!("{BOLD}{}{BOLD:#}", printable(&sentence.marked())))?;
    }
    for (number, source) in (1..).zip(&answer.sources) {
        let AnswerSource { id, chance, excerpt, scope, .. } = source;
        output::line(format_args!(
            "  {number}. {}  {DIM}{}{}{DIM:#}  {ID}{}{ID:#}",
            printable(excerpt),
            described(source),
            mark(*scope),
            id.short()
        ))?;
        output::line(format_args!("     {DIM}chance {}{DIM:#}", hundredths(*chance)))?;
        if let Some(newer) = answer.sources.iter().position(|of| Some(of.id) == source.replaced_by)
        {
            output::line(format_args!("     {DIM}replaced by {}{DIM:#}", newer + 1))?;
        }
        for overruled in &source.overruled {
            output::line(format_args!(" {}", overruled_line(overruled)))?;
        }
    }
    if let Wording::Model { origin, dropped } = &answer.wording {
        let dropped = match dropped {
            0 => String::new(),
            number => format!("; sentences dropped, which cite no source: {number}"),
        };
        output::line(format_args!(
            "  {DIM}worded by {} ({}){dropped}{DIM:#}",
            printable(&origin.model),
            origin.prompt_version
        ))?;
    }
    match answer.saving {
        Saving::Saved { id, new } => {
            let word = if new { "kept" } else { "kept before" };
            output::line(format_args!("  {GOOD}{word}{GOOD:#} as {ID}{}{ID:#}", id.short()))?;
        }
        Saving::NotSaved(NotSaved::NotWanted | NotSaved::NoSource) => {}
        Saving::NotSaved(reason) => {
            output::line(format_args!("  {DIM}{}{DIM:#}", reason.in_words()))?;
        }
    }
    if is_staged { print_staged(&answer.staged) } else { Ok(()) }
}

/// Prints what was staged, and how much was not.
fn print_staged(staged: &AnswerStaging) -> Result<(), Failure> {
    if let Some(reason) = staged.reason_not_to {
        let reason = reason.of_staging();
        return output::line(format_args!("  {DIM}nothing was staged: {reason}{DIM:#}"));
    }
    for (id, candidate) in &staged.staging.staged {
        output::line(format_args!(
            "  {GOOD}staged{GOOD:#} {}  {BOLD}{}{BOLD:#}  {DIM}{}{DIM:#}  {ID}{}{ID:#}",
            candidate.content.kind().as_str(),
            printable(&candidate.content.in_words()),
            hundredths(candidate.confidence),
            id.short()
        ))?;
    }
    let left_out: Vec<String> =
        staged.left_out().iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    if !left_out.is_empty() {
        let left_out = left_out.join(", ");
        output::line(format_args!("  {DIM}left out of the graph: {left_out}{DIM:#}"))?;
    } else if staged.staging.staged.is_empty() {
        output::line(format_args!("  {DIM}nothing was staged: the sources name nothing{DIM:#}"))?;
    }
    if let FoundBy::Model { origin, dropped } = &staged.found_by {
        let dropped = match dropped {
            0 => String::new(),
            number => format!("; candidates dropped, which cite no source: {number}"),
        };
        output::line(format_args!(
            "  {DIM}candidates by {} ({}){dropped}{DIM:#}",
            printable(&origin.model),
            origin.prompt_version
        ))?;
    }
    if staged.marked > 0 {
        let sources = count(staged.marked as u64, "source");
        output::line(format_args!("  {sources} marked for removal: because maintain list"))?;
    }
    if !staged.staging.staged.is_empty() {
        output::line(format_args!("  {DIM}because review list shows what waits{DIM:#}"))?;
    }
    Ok(())
}

/// Who said it and when, or what it is.
fn described(source: &AnswerSource) -> String {
    let day = |at: &kernel::when::When| at.to_string().chars().take(DAY_CHARS).collect();
    let at = source.at.as_ref().map(day);
    let actor = source.actor.as_deref().map(printable);
    let parts: Vec<String> = actor.into_iter().chain(at).collect();
    if parts.is_empty() { source.kind.as_str().to_owned() } else { parts.join(", ") }
}
