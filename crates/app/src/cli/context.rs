//! `because context`

use std::io::IsTerminal;
use std::path::Path;

use engine::private::Viewpoint;
use engine::recall::context::{Budget, Context, Count, Receipts, Request, ToolResult, Turn};
use kernel::id::ReceiptId;
use serde_json::Value;

use super::{CliSession, embedding, input};
use crate::failure::{Failure, RequestError};
use crate::output::{self, DIM, Form, ID, printable};
use crate::service::context::{AssembledContext, assemble_over, scope_of};
use crate::service::effective::{EffectiveView, ReadScope};
use crate::service::query_embedding::EmbedderPool;
use crate::service::recall::limit_journal;
use crate::service::task_context::TaskBudget;

/// Longest file of turns or tool results, bytes.
const INPUT_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Arguments of `context`.
#[derive(clap::Args)]
#[command(
    after_help = "A file or pipe has one turn a line: `speaker: text`, or JSON as {\"speaker\":\"Mara\",\"text\":\"…\"} (also role, content); the newest comes last. A line that begins as JSON but is not such a turn is an error.\n\nExamples:\n  because context --turn \"Mara: Which glaze for the tall bowls?\"\n  because context --agent claude --session s1 --turns turns.jsonl --json\n  tail -n 5 chat.jsonl | because context --budget 4000 --facts 0\n  because context --budget total=2000,episodes=800 --turn \"When is the class?\"\n  because context --task \"Choose a glaze for the tall bowls\"\n  because context --task \"Plan the firing\" --task-budget nodes=10,preferences=0 --as-of 2025-02-01\n\nTiers of --budget: total, turns_min, turns_max, tool_results, facts, episodes; a number alone is the total, and all tiers scale with it. The newest turn is always included in full, even if it alone exceeds the budget; other truncated text is marked.\n\nParts of --task-budget: nodes, values, preferences, query (claims near the task and what is joined to it), edges; 0 switches a part off. With --task, --budget gives the most tokens in all."
)]
pub(crate) struct Args {
    /// A turn, as `speaker: text`; may be repeated, the newest last
    #[arg(long = "turn", value_name = "TURN")]
    turns: Vec<String>,
    /// A file of turns; `-` for the standard input, which is also the default
    #[arg(long = "turns", value_name = "FILE", conflicts_with = "turns")]
    file: Option<std::path::PathBuf>,
    /// A file of tool results, one a line, as JSON {"text":"…","score":0.5} or plain text
    #[arg(long, value_name = "FILE")]
    tool_results: Option<std::path::PathBuf>,
    /// A file with the agent's instructions, which are ranked to fill the budget that is left
    #[arg(long, value_name = "FILE")]
    instructions: Option<std::path::PathBuf>,
    /// What to look for instead of the last two turns
    #[arg(long)]
    question: Option<String>,
    /// A task instead of the next turn: what to know before deciding it
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["turns", "file", "tool_results", "instructions", "question", "facts", "episodes"])]
    pub(super) task: Option<String>,
    /// With --task: records and edges, by part
    /// [default: nodes=6,values=8,preferences=8,query=10,edges=20]
    #[arg(long, value_name = "NUMBERS", requires = "task", conflicts_with_all = ["turns", "file", "tool_results", "instructions", "question"], value_parser = super::task_context::parse_budget)]
    pub(super) task_budget: Option<TaskBudget>,
    /// Memory as of this time: records and beliefs from what was recorded until then (2025-02-01,
    /// 2025, yesterday, 3 days ago …)
    #[arg(long, value_name = "TIME")]
    pub(super) as_of: Option<String>,
    /// Only facts that are true at this time
    #[arg(long, value_name = "TIME")]
    pub(super) valid_at: Option<String>,
    /// Tokens, in all or by tier [default: 1500; with --task, as many as the records take]
    #[arg(long, value_name = "TOKENS", value_parser = parse_budget)]
    pub(super) budget: Option<Budget>,
    /// Most facts that memory adds
    #[arg(long, value_name = "N", default_value_t = Count::FACTS.most)]
    facts: usize,
    /// Most episodes that memory adds
    #[arg(long, value_name = "N", default_value_t = Count::EPISODES.most)]
    episodes: usize,
    /// The agent who reads it
    #[arg(long, default_value = "because")]
    pub(super) agent: String,
    /// The agent's conversation
    #[arg(long)]
    pub(super) session: Option<String>,
    /// The number of the turn that the context is for
    #[arg(long, value_name = "N")]
    pub(super) number: Option<u64>,
    /// Write no receipt
    #[arg(long)]
    pub(super) no_receipt: bool,
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    if let Some(task) = &args.task {
        return super::task_context::run(session, args, task);
    }
    let turns = read_turns(args)?;
    if turns.is_empty()
        && args.question.as_deref().is_none_or(|question| question.trim().is_empty())
    {
        return Err(RequestError::EmptyTurns.into());
    }
    let tool_results = match &args.tool_results {
        Some(path) => input::text(path, INPUT_BYTES_MAX)?.lines().filter_map(tool_result).collect(),
        None => Vec::new(),
    };
    let instructions =
        args.instructions.as_deref().map(|path| input::text(path, INPUT_BYTES_MAX)).transpose()?;
    let mut request = Request {
        session: args.session.clone(),
        turn: args.number,
        turns,
        tool_results,
        question: args.question.clone(),
        instructions,
        budget: args.budget.unwrap_or_default(),
        facts: Count::FACTS.up_to(args.facts),
        episodes: Count::EPISODES.up_to(args.episodes),
        viewpoint: Viewpoint {
            as_of_us: session.times().recorded_us(args.as_of.as_deref())?,
            valid_at_us: session.times().start_if_given_us(args.valid_at.as_deref())?,
            ..Viewpoint::default()
        },
        receipt: if args.no_receipt { Receipts::Omit } else { Receipts::Write },
        today: Some(session.today()),
        zone: session.zone.clone(),
        ..Request::new(&args.agent, session.now)
    };
    let pool = &mut EmbedderPool::default();
    let EffectiveView { mut own, scope, mut home, .. } =
        session.open_effective(ReadScope::Effective)?;
    request.owner.clone_from(&own.owner);
    if !args.no_receipt {
        [&own].into_iter().chain(&home).for_each(|space| limit_journal(session, space));
    }
    let spaces = (&mut own.space, home.as_mut().map(|home| &mut home.space));
    let AssembledContext { context, embedding, elsewhere, home_receipt } =
        assemble_over(session, pool, spaces, request)?;
    drop((own.space, home));
    match session.form {
        Form::Json => {
            let mut value = serde_json::to_value(&context).map_err(std::io::Error::from)?;
            for (item, shown) in
                value["items"].as_array_mut().into_iter().flatten().zip(&context.items)
            {
                item["scope"] = serde_json::json!(scope_of(shown, scope, &elsewhere));
            }
            value["embedder"] = embedding::to_json(&embedding);
            value["owner"] = serde_json::json!(own.owner);
            value["home_receipt"] = serde_json::json!(home_receipt);
            output::json(&value)?;
        }
        Form::Text => {
            print(&context, home_receipt)?;
            embedding::note_fallback(&embedding);
        }
    }
    Ok(0)
}

fn print(context: &Context, home_receipt: Option<ReceiptId>) -> Result<(), Failure> {
    for line in context.text.lines() {
        output::line(printable(line))?;
    }
    let tokens = &context.tokens;
    let beyond = match context.items.as_slice() {
        [] => ": the context is empty, since nothing fits",
        _ if tokens.total > context.budget.total => ": the newest turn alone exceeds it",
        _ => "",
    };
    output::note(format_args!(
        "{DIM}{} of {} tokens{beyond}{DIM:#}",
        tokens.total, context.budget.total
    ));
    for receipt in context.receipt.iter().chain(&home_receipt) {
        let short: String = receipt.to_string().chars().take(SHORT_CHARS).collect();
        output::note(format_args!("{ID}{short}{ID:#}"));
    }
    if context.receipt_missing {
        output::note(
            "The journal cannot be written now, or the space is read-only; no receipt was kept",
        );
    }
    if context.behind > 0 {
        output::note(format_args!("{DIM}{} operations are not indexed yet{DIM:#}", context.behind));
    }
    Ok(())
}

/// Characters of a receipt's id to print.
pub(super) const SHORT_CHARS: usize = 20;

fn read_turns(args: &Args) -> Result<Vec<Turn>, Failure> {
    let path = match &args.file {
        Some(path) => path,
        None if !args.turns.is_empty() => {
            return Ok(args.turns.iter().map(|turn| spoken(turn)).collect());
        }
        None if args.question.is_some() || std::io::stdin().is_terminal() => return Ok(Vec::new()),
        None => Path::new("-"),
    };
    let lines = input::text(path, INPUT_BYTES_MAX)?;
    let lines = lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(number, line)| turn(line).ok_or_else(|| no_turn(path, number + 1))).collect()
}

fn no_turn(path: &Path, line: usize) -> Failure {
    let input =
        if path == Path::new("-") { "the standard input".to_owned() } else { output::path(path) };
    RequestError::TurnMalformed { input, line }.into()
}

/// Parses a turn: JSON with one of the usual field names, or `speaker: text`. None for a line that
/// begins as JSON and is neither: read as text it would be a turn without a speaker, full of
/// braces.
fn turn(line: &str) -> Option<Turn> {
    let line = line.trim();
    // A list of messages, on one line or several, begins with `[` and `{`. A remark in brackets
    // does not.
    let begins_list = line
        .strip_prefix('[')
        .is_some_and(|rest| matches!(rest.trim_start().chars().next(), None | Some('{')));
    if begins_list {
        return None;
    }
    if !line.starts_with('{') {
        return Some(spoken(line));
    }
    let value: Value = serde_json::from_str(line).ok()?;
    // Some formats wrap the message.
    let message = value.get("message").filter(|message| message.is_object()).unwrap_or(&value);
    let speaker = ["speaker", "name", "role", "author", "from"]
        .iter()
        .find_map(|name| message.get(*name)?.as_str())?;
    Some(Turn { speaker: speaker.to_owned(), text: text_of(message)? })
}

/// The text of a message: a string, or the texts of its parts. A message that only calls tools has
/// null.
fn text_of(message: &Value) -> Option<String> {
    let content = ["text", "content", "message"].iter().find_map(|name| message.get(*name))?;
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let texts = parts
                .iter()
                .filter_map(|part| part.as_str().or_else(|| part.get("text")?.as_str()));
            Some(texts.collect::<Vec<_>>().join("\n"))
        }
        Value::Null => Some(String::new()),
        _ => None,
    }
}

/// Parses `speaker: text`, where the speaker is a short name. Otherwise the whole line is the text.
fn spoken(line: &str) -> Turn {
    /// Longest name before a colon, characters. A longer one is part of the text.
    const SPEAKER_CHARS_MAX: usize = 40;
    match line.split_once(": ") {
        Some((speaker, text))
            if speaker.chars().count() <= SPEAKER_CHARS_MAX && !speaker.contains('\n') =>
        {
            Turn { speaker: speaker.trim().to_owned(), text: text.to_owned() }
        }
        _ => Turn { speaker: String::new(), text: line.to_owned() },
    }
}

fn tool_result(line: &str) -> Option<ToolResult> {
    let line = line.trim();
    if line.is_empty() {
        return None;
    }
    let value: Option<Value> = serde_json::from_str(line).ok().filter(Value::is_object);
    // A tool result may be any JSON. If it does not have our fields, it is taken as text.
    let ours = value.and_then(|value| {
        Some(ToolResult {
            text: text_of(&value)?,
            score: value.get("score").and_then(Value::as_f64),
        })
    });
    Some(ours.unwrap_or_else(|| ToolResult { text: line.to_owned(), score: None }))
}

/// Parses `1500`, or `total=1500,facts=300`. A total alone scales all tiers; a tier that is named
/// keeps its number.
fn parse_budget(text: &str) -> Result<Budget, String> {
    let number = |text: &str| {
        text.trim()
            .parse::<usize>()
            .map_err(|_| format!("{:?} is not a number of tokens", printable(text)))
    };
    let mut named = Vec::new();
    let mut total = None;
    for part in text.split(',') {
        match part.split_once('=') {
            None => total = Some(number(part)?),
            Some(("total", tokens)) => total = Some(number(tokens)?),
            Some((tier, tokens)) => named.push((tier.trim(), number(tokens)?)),
        }
    }
    let mut budget = total.map_or_else(Budget::default, Budget::of);
    for (tier, tokens) in named {
        *match tier {
            "turns_min" => &mut budget.turns_min,
            "turns_max" => &mut budget.turns_max,
            "tool_results" => &mut budget.tool_results,
            "facts" => &mut budget.facts,
            "episodes" => &mut budget.episodes,
            _ => {
                let tiers = "total, turns_min, turns_max, tool_results, facts, episodes";
                return Err(format!("{:?} is not a tier; the tiers are: {tiers}", printable(tier)));
            }
        } = tokens;
    }
    Ok(budget)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_read_from_lines_of_text_and_of_json() {
        let check = |line: &str, speaker: &str, text: &str| {
            assert_eq!(
                turn(line),
                Some(Turn { speaker: speaker.to_owned(), text: text.to_owned() }),
                "{line}"
            );
        };
        check("Mara: Is it hot?", "Mara", "Is it hot?");
        check("At 10:30 it is", "", "At 10:30 it is");
        check(r#"{"role":"user","content":"Is it hot?"}"#, "user", "Is it hot?");
        check(
            r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#,
            "user",
            "a\nb",
        );
        check(r#"{"role":"assistant","content":null,"tool_calls":[]}"#, "assistant", "");
        check(
            r#"{"type":"user","message":{"role":"user","content":[{"type":"text","text":"a"}]}}"#,
            "user",
            "a",
        );
        check(r#"{"from":"Mara","message":"Is it hot?"}"#, "Mara", "Is it hot?");
        check("[laughs] No.", "", "[laughs] No.");
        let list = r#"[{"role":"user","content":"a"}]"#;
        for wrong in [
            "{no json",
            "{",
            "[",
            list,
            r#"{"role":"user"}"#,
            r#"{"text":"a"}"#,
            r#"{"role":"user","text":5}"#,
        ] {
            assert_eq!(turn(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_tools_answer_is_what_it_says_in_our_form_and_otherwise_the_whole_line() {
        let check = |line: &str, text: &str, score: Option<f64>| {
            assert_eq!(
                tool_result(line),
                Some(ToolResult { text: text.to_owned(), score }),
                "{line}"
            );
        };
        check(r#"{"text":"hot","score":0.5}"#, "hot", Some(0.5));
        check("plain", "plain", None);
        check(r#"{"celsius":1240}"#, r#"{"celsius":1240}"#, None);
        check("[1, 2]", "[1, 2]", None);
    }

    #[test]
    fn a_budget_is_a_total_or_tiers_by_name() {
        assert_eq!(parse_budget("3000"), Ok(Budget::of(3_000)));
        assert_eq!(
            parse_budget("total=3000, facts=7"),
            Ok(Budget { facts: 7, ..Budget::of(3_000) })
        );
        assert_eq!(parse_budget("episodes=0"), Ok(Budget { episodes: 0, ..Budget::default() }));
        for wrong in ["", "many", "-1", "facts", "facts=", "words=3", "1e6"] {
            assert!(parse_budget(wrong).is_err(), "{wrong}");
        }
    }
}
