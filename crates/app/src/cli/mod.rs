//! The command line: one module a command, each a raw request from `clap` made into a resolved one.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::failure::{Failure, exit};
use crate::output::{self, BAD, Form};
use crate::place::{Finder, Home};
use crate::settings::{Settings, Sources};

mod access;
pub(crate) mod changes;
mod claims;
mod conformance;
mod context;
pub(crate) mod correct;
pub(crate) mod demo;
pub(crate) mod derive;
pub(crate) mod doctor;
mod embed;
mod eval;
mod eval_studies;
mod exchange;
mod explain;
mod facts;
mod import;
mod init;
mod install;
mod log;
mod mcp;
mod model;
pub(crate) mod recall;
mod receipts;
mod refute;
pub(crate) mod remember;
mod retract;
mod review;
mod show;
mod status;
mod verify;
mod what_if;
mod withdraw;

/// Memory that can say why.
#[derive(Parser)]
#[command(
    name = "because",
    version,
    about = "Memory that can say why: what it is told goes, signed, into a ledger; what it answers names its sources.",
    after_help = "Begin with:\n  because demo                     see it work, in a temporary place\n  because init                     make a memory for this project\n  because import notes/ chat.jsonl calendar.ics\n  because recall \"When does the class move?\"\n\nExit codes: 0 done, 1 failed, 2 wrong arguments, 3 verify, show, doctor or conformance found something wrong, 4 done but some items were left out.",
    disable_help_subcommand = true
)]
struct Cli {
    /// Print JSON, for programs
    #[arg(long, global = true)]
    json: bool,
    /// The space: a file, a folder with a .because in it, or `global` for your own; recall takes
    /// several [env: BECAUSE_SPACE]
    #[arg(long, global = true, value_name = "SPACE")]
    space: Vec<String>,
    /// The model that makes vectors: built-in, OWNER/NAME, local:FOLDER, openai:MODEL, ollama:MODEL
    /// or gemini:MODEL [env: BECAUSE_EMBEDDER]
    #[arg(long, global = true, value_name = "MODEL")]
    embedder: Option<String>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// See it work: a small sample, three questions, one proof, in a temporary place
    Demo(demo::Args),
    /// Make a space: in this folder, or your own
    Init(init::Args),
    /// Read files, folders and exports into the space
    Import(import::Args),
    /// Conclude from what is recorded: routines, places, people, preferences
    Derive(derive::Args),
    /// Write one thing down
    Remember(remember::Args),
    /// Ask a question; the answer is records with sources and reasons
    Recall(recall::Args),
    /// Put together what a model is to read for its next turn, within a budget of tokens
    Context(context::Args),
    /// List what was put before which agent, when and why
    Receipts(receipts::Args),
    /// List what is believed, and how surely
    Claims(claims::Args),
    /// Say why something is believed, from what, and what would change it
    Explain(explain::Args),
    /// Say what is true instead of something that is believed
    Correct(correct::Args),
    /// Say that something that is believed is false
    Refute(refute::Args),
    /// Take back what you corrected or refuted
    Withdraw(withdraw::Args),
    /// Take a record back: it stays in the ledger and is not recalled any more
    Retract(retract::Args),
    /// See what would follow from a correction, refutation or retraction, without doing it
    WhatIf(what_if::Args),
    /// Decide what touches your own corrections: list, accept, dismiss
    Review(review::Args),
    /// Show one record: what it says, who signed it, what it cites and what cites it
    Show(show::Args),
    /// List what was recorded
    Log(log::Args),
    /// The space in numbers
    Status(status::Args),
    /// Check every hash, signature, chain and rule, then fold all views again and compare
    Verify(verify::Args),
    /// Delete the views and fold them again from the ledger
    Rebuild(verify::RebuildArgs),
    /// Write the ledger as JSON lines
    Export(exchange::Args),
    /// Fetch models that find more than the built-in one: pull, list, remove
    Model(model::Args),
    /// Check this installation and say what to do
    Doctor(doctor::Args),
    /// Have another model than the built-in one read what is recorded
    Embed(embed::Args),
    /// Measure recall against labelled questions, beside grep, FTS5 and BM25
    Eval(eval::Args),
    /// Run scenarios of what is to be believed, and print every difference
    Conformance(conformance::Args),
    /// Show this device's key
    Key(access::KeyArgs),
    /// Allow another key to work on the space
    Grant(access::ChangeArgs),
    /// Take back what a key was allowed
    Revoke(access::ChangeArgs),
    /// Serve the memory to agents as tools (an MCP server on stdio)
    Mcp(mcp::Args),
    /// Enter the MCP server into the settings of Claude Code, Cursor or Codex
    Install(install::Args),
    /// Print completions for a shell
    Completions(CompletionsArgs),
}

/// Arguments of `completions`.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  because completions bash > ~/.local/share/bash-completion/completions/because"
)]
struct CompletionsArgs {
    /// Which shell
    shell: clap_complete::Shell,
}

/// What every command gets.
#[derive(Clone)]
pub(crate) struct Session {
    pub(crate) form: Form,
    pub(crate) home: Home,
    pub(crate) spaces: Vec<String>,
    /// What `--embedder` names.
    pub(crate) embedder: Option<String>,
    pub(crate) now: jiff::Timestamp,
    pub(crate) zone: jiff::tz::TimeZone,
}

impl Session {
    /// The one space that a command works on.
    pub(crate) fn finder(&self) -> Result<Finder<'_>, Failure> {
        match self.spaces.as_slice() {
            [] => Ok(Finder { home: &self.home, named: None }),
            [named] => Ok(Finder { home: &self.home, named: Some(named) }),
            _ => Err(Failure::Usage(
                "this command works on one space; name only one with --space".to_owned(),
            )),
        }
    }

    /// Every space that was named; the one that is found if none was.
    pub(crate) fn finders(&self) -> Vec<Finder<'_>> {
        if self.spaces.is_empty() {
            return vec![Finder { home: &self.home, named: None }];
        }
        self.spaces.iter().map(|named| Finder { home: &self.home, named: Some(named) }).collect()
    }

    /// The same at another time: of what runs longer than a moment.
    pub(crate) fn at(&self, now: jiff::Timestamp) -> Self {
        Self { now, ..self.clone() }
    }

    /// The settings for a space, or those without one.
    pub(crate) fn settings(&self, space: Option<&Path>) -> Result<Settings, Failure> {
        let variable = |name: &str| std::env::var_os(name);
        let sources = Sources {
            option: self.embedder.as_deref(),
            variable: &variable,
            home: &self.home,
            space,
        };
        Ok(Settings::read(&sources)?)
    }

    /// A time for people, where the user is, to the minute.
    pub(crate) fn clock(&self, time: jiff::Timestamp) -> String {
        time.to_zoned(self.zone.clone()).strftime("%Y-%m-%d %H:%M").to_string()
    }

    /// The same, of a record.
    pub(crate) fn time(&self, stamp: kernel::operation::HlcTimestamp) -> String {
        self.clock(jiff::Timestamp::from_microsecond(stamp.0.cast_signed()).unwrap_or_default())
    }

    /// Today, where the user is.
    pub(crate) fn today(&self) -> jiff::civil::Date {
        self.now.to_zoned(self.zone.clone()).date()
    }
}

/// Runs the command that the arguments name.
pub(crate) fn run() -> ExitCode {
    let cli = Cli::parse();
    let form = if cli.json { Form::Json } else { Form::Text };
    match dispatch(cli, form) {
        Ok(code) => ExitCode::from(code),
        Err(failure) if failure.is_broken_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            report(&failure, form);
            ExitCode::from(failure.exit_code())
        }
    }
}

fn report(failure: &Failure, form: Form) {
    let hint = failure.hint();
    match form {
        Form::Json => output::json_note(&serde_json::json!({
            "error": { "code": failure.code(), "message": failure.to_string(), "hint": hint }
        })),
        Form::Text => {
            output::note(format_args!(
                "{BAD}error{BAD:#}: {}",
                output::printable(&failure.to_string())
            ));
            if let Some(hint) = hint {
                output::note(format_args!("  {hint}"));
            }
        }
    }
}

fn dispatch(cli: Cli, form: Form) -> Result<u8, Failure> {
    let mut spaces = cli.space;
    if spaces.is_empty()
        && let Some(named) = std::env::var_os("BECAUSE_SPACE").filter(|named| !named.is_empty())
    {
        let unreadable = |_: OsString| Failure::Usage("BECAUSE_SPACE is not UTF-8".to_owned());
        spaces.push(named.into_string().map_err(unreadable)?);
    }
    let session = Session {
        form,
        home: Home::find()?,
        spaces,
        embedder: cli.embedder,
        now: jiff::Timestamp::now(),
        zone: jiff::tz::TimeZone::system(),
    };
    match cli.command {
        Command::Demo(args) => demo::run(&session, &args),
        Command::Init(args) => init::run(&session, &args),
        Command::Import(args) => import::run(&session, &args),
        Command::Derive(args) => derive::run(&session, &args),
        Command::Remember(args) => remember::run(&session, args),
        Command::Recall(args) => recall::run(&session, &args),
        Command::Context(args) => context::run(&session, &args),
        Command::Receipts(args) => receipts::run(&session, &args),
        Command::Claims(args) => claims::run(&session, &args),
        Command::Explain(args) => explain::run(&session, &args),
        Command::Correct(args) => correct::run(&session, &args),
        Command::Refute(args) => refute::run(&session, &args),
        Command::Withdraw(args) => withdraw::run(&session, &args),
        Command::Retract(args) => retract::run(&session, &args),
        Command::WhatIf(args) => what_if::run(&session, &args),
        Command::Review(args) => review::run(&session, &args),
        Command::Show(args) => show::run(&session, &args),
        Command::Log(args) => log::run(&session, &args),
        Command::Status(args) => status::run(&session, &args),
        Command::Verify(args) => verify::run(&session, &args),
        Command::Rebuild(args) => verify::rebuild(&session, &args),
        Command::Export(args) => exchange::export(&session, &args),
        Command::Model(args) => model::run(&session, &args),
        Command::Doctor(args) => doctor::run(&session, &args),
        Command::Embed(args) => embed::run(&session, &args),
        Command::Eval(args) => eval::run(&session, &args),
        Command::Conformance(args) => conformance::run(&session, &args),
        Command::Key(args) => access::key(&session, &args),
        Command::Grant(args) => access::change(&session, &args, true),
        Command::Revoke(args) => access::change(&session, &args, false),
        Command::Mcp(args) => mcp::run(session, &args),
        Command::Install(args) => install::run(&session, &args),
        Command::Completions(args) => {
            // Into memory first: the generator does not expect that writing fails.
            let mut script = Vec::new();
            clap_complete::generate(args.shell, &mut Cli::command(), "because", &mut script);
            let mut output = std::io::stdout().lock();
            output.write_all(&script)?;
            output.flush()?;
            Ok(0)
        }
    }
}

/// A point in time that a user names: a date (midnight here), a time with offset, or a civil time
/// here.
pub(crate) fn parse_time_us(session: &Session, text: &str) -> Result<i64, Failure> {
    let when =
        kernel::when::When::parse(text).map_err(|error| Failure::Usage(error.to_string()))?;
    if text.contains('+')
        || text.ends_with('Z')
        || text.contains('[')
        || text.matches('-').count() > 2
    {
        return Ok(when.instant_us());
    }
    let too_far = |_| Failure::Usage(format!("{text:?} is too far from now to be reckoned with"));
    let zoned = when.civil().to_zoned(session.zone.clone()).map_err(too_far)?;
    Ok(zoned.timestamp().as_microsecond())
}

/// The times between which something happened; a window in which nothing can is refused.
pub(crate) fn parse_window_us(
    session: &Session,
    since: Option<&str>,
    until: Option<&str>,
) -> Result<(Option<i64>, Option<i64>), Failure> {
    let time = |text: Option<&str>| text.map(|text| parse_time_us(session, text)).transpose();
    let window = (time(since)?, time(until)?);
    if let ((Some(since_us), Some(until_us)), Some(since), Some(until)) = (window, since, until)
        && since_us >= until_us
    {
        return Err(Failure::Usage(format!(
            "since {since:?} is not before until {until:?}: nothing lies between them"
        )));
    }
    Ok(window)
}

/// `exit::INCOMPLETE` if something was left out.
pub(crate) fn incomplete_if(left_out: bool) -> u8 {
    if left_out { exit::INCOMPLETE } else { 0 }
}
