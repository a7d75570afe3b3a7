//! `because think`: a prompt to the thought space.

use serde_json::{Value, json};

use super::thoughts::{self, Contributor};
use super::{CliSession, embedding, graph};
use crate::failure::Failure;
use crate::output::{self, Form, printable};
use crate::service::query_embedding::EmbedderPool;
use crate::service::record_embedding::After;
use crate::service::thoughts::answer::MemoryAnswer;
use crate::service::thoughts::embedding::embed_prompt;
use crate::service::thoughts::memory;
use crate::service::thoughts::request::MemoryRequest;

/// Arguments of `think`.
#[derive(clap::Args)]
#[command(
    after_help = "Every prompt finds what was thought before and counts as use of what is shown. A statement of more than 50 characters is kept as a thought; a lone question is not.\n\nExamples:\n  because think \"How long does the kiln take?\"\n  because think \"The kiln reaches cone six in nine hours when the lid stays closed.\"\n  because think --agent reviewer --read-only \"kiln\"\n  because think --corrects 9f2c41d0 \"It takes eleven hours.\" --json"
)]
pub(crate) struct Args {
    /// What you ask or state
    prompt: String,
    #[command(flatten)]
    contributor: Contributor,
    /// What you are doing; used to search, and kept with the thought
    #[arg(long, value_name = "TEXT")]
    context: Option<String>,
    /// The conversation: a follow-up may name a tag that was offered
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
    /// Keep nothing, and count nothing as used
    #[arg(long)]
    read_only: bool,
    /// Only ask: what is shown counts as used, and the prompt is not kept
    #[arg(long, conflicts_with_all = ["read_only", "keep", "corrects", "category", "topic"])]
    ask: bool,
    /// Only keep the prompt as a thought, however short it is
    #[arg(long, conflicts_with_all = ["read_only", "full"])]
    keep: bool,
    /// Print whole thoughts
    #[arg(long)]
    full: bool,
    /// A label of the thought; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// A coarse label
    #[arg(long, value_name = "TEXT")]
    category: Option<String>,
    /// A finer label
    #[arg(long, value_name = "TEXT")]
    topic: Option<String>,
    /// The thought that this one says is wrong
    #[arg(long, value_name = "ID")]
    corrects: Option<String>,
}

impl Args {
    /// Whether it appends to the ledger.
    pub(super) fn writes(&self) -> bool {
        !self.read_only && !self.ask
    }
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let mut request = json!({
        "context": args.context,
        "session_id": args.session,
        "tags": args.tags,
    });
    if args.keep {
        request["content"] = json!(args.prompt);
        request["category"] = json!(args.category);
        request["topic"] = json!(args.topic);
        request["corrects"] = json!(args.corrects);
        return keep(session, &args.contributor, request);
    }
    request["full_content"] = json!(args.full);
    if args.ask {
        request["query"] = json!(args.prompt);
        args.contributor.sign(&mut request);
        return answer(session, &args.contributor, MemoryRequest::parse_query(request)?, true);
    }
    request["prompt"] = json!(args.prompt);
    request["read_only"] = json!(args.read_only);
    request["category"] = json!(args.category);
    request["topic"] = json!(args.topic);
    request["corrects"] = json!(args.corrects);
    post(session, &args.contributor, request)
}

/// Keeps a prompt, and prints under which id.
fn keep(
    session: &CliSession,
    contributor: &Contributor,
    mut request: Value,
) -> Result<u8, Failure> {
    contributor.sign(&mut request);
    let request = MemoryRequest::parse_ingest(request)?;
    let mut space = thoughts::open(session, false)?;
    let mut caller = thoughts::caller(session, &mut space, contributor)?;
    let kept = memory::ingest(&mut caller, &request)?;
    match session.form {
        Form::Json => output::json(&kept)?,
        Form::Text => output::line(format_args!("Kept as {}", kept.thought_id))?,
    }
    graph::print_warning(session, kept.guidance.as_deref());
    embedding::after_a_write(session, After::Remembering)?;
    Ok(0)
}

/// Posts a prompt to the space that is found, and prints the answer.
pub(super) fn post(
    session: &CliSession,
    contributor: &Contributor,
    mut request: Value,
) -> Result<u8, Failure> {
    contributor.sign(&mut request);
    answer(session, contributor, MemoryRequest::parse(request)?, false)
}

/// Answers a prompt, or a query that keeps nothing, and prints the answer.
fn answer(
    session: &CliSession,
    contributor: &Contributor,
    mut request: MemoryRequest,
    is_query: bool,
) -> Result<u8, Failure> {
    let mut space = thoughts::open(session, request.read_only || is_query)?;
    let pool = &mut EmbedderPool::default();
    let embedded = embed_prompt(pool, session, &mut space.space, &mut request)?;
    let mut caller = thoughts::caller(session, &mut space, contributor)?;
    let answer = match is_query {
        true => memory::query(&mut caller, &request)?,
        false => memory::memory(&mut caller, &request)?,
    };
    match session.form {
        Form::Json => output::json(&answer)?,
        Form::Text => {
            print(&answer, request.full_content)?;
            embedding::note_fallback(&embedded);
        }
    }
    if answer.trace.contributed_thought_id.is_some() {
        embedding::after_a_write(session, After::Remembering)?;
    }
    Ok(0)
}

fn print(answer: &MemoryAnswer, is_full: bool) -> Result<(), Failure> {
    let MemoryAnswer { result, trace } = answer;
    if let Some(id) = trace.contributed_thought_id {
        output::line(format_args!("Kept as {id}"))?;
    }
    for text in
        result.guidance.iter().chain(result.disambiguation.iter().map(|offered| &offered.question))
    {
        output::line(printable(text))?;
    }
    for source in &result.sources {
        thoughts::print_source(source, is_full)?;
    }
    if result.sources.is_empty() {
        output::line("No thought in this space is near the prompt.")?;
    }
    for highway in &result.highways_nearby {
        output::line(format_args!("often used: {}", printable(highway)))?;
    }
    Ok(())
}
