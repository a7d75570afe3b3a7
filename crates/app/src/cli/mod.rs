//! The command line: one module a command. Each turns a raw `clap` request into a resolved one.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use engine::EngineError;
use engine::owner::SpaceOwner;

use crate::failure::{Failure, RequestError, exit};
use crate::output::{self, BAD, Form};
use crate::place::Home;
use crate::service::Session;
use crate::service::clock::ClockWarning;
use crate::service::effective::{
    EffectiveView, ReadScope, Scope, ScopedSpace, has_for_every_project,
};
use crate::service::handles;
use crate::service::opening::{OpenedSpace, PassedOver, SpaceUse};

mod access;
mod ask;
mod changes;
mod checkpoint;
mod claim;
mod claims;
mod conformance;
mod context;
mod correct;
mod demo;
mod derive;
mod doctor;
mod edge;
mod embed;
mod embedding;
mod episodes;
mod eval;
mod eval_studies;
mod exchange;
mod explain;
mod explain_lineage;
mod explain_support;
mod facts;
mod forget;
mod graph;
mod import;
mod imports;
mod init;
mod input;
mod install;
mod intake;
mod interrupt;
mod kg;
mod learn;
mod log;
mod maintain;
mod mcp;
mod me;
mod mine;
mod mirror;
mod model;
mod model_test;
mod model_use;
mod node;
mod patch;
mod recall;
mod receipts;
mod refute;
mod remember;
mod restore;
mod retract;
mod review;
mod selecting;
mod serve;
mod settings;
mod show;
mod status;
mod task_context;
mod think;
mod thoughts;
mod token;
mod trust;
mod values;
mod verify;
mod what_if;
mod why;
mod withdraw;

/// The heading of the options of every command, in the help of each.
const GLOBAL_OPTIONS: &str = "Global options";

/// Memory that can say why.
#[derive(Parser)]
#[command(
    name = "because",
    version,
    about = "Memory that can say why: everything is signed into a ledger, every answer names its sources",
    after_help = "Begin with:\n  because demo                     see it work, in a temporary place\n  because init                     make a memory for this project\n  because import notes/ chat.jsonl calendar.ics\n  because recall \"When does the class move?\"\n\nExit codes: 0 done, 1 failed, 2 wrong arguments, 3 verify, show, doctor, maintain health, conformance or model test found something wrong, or a patch was refused, 4 done but some items were left out, 130 interrupted.",
    disable_help_subcommand = true
)]
struct Cli {
    /// Print JSON, for programs
    #[arg(long, global = true, help_heading = GLOBAL_OPTIONS)]
    json: bool,
    /// The space: a file, a folder with a .because in it, or `global` for your home space; recall
    /// takes several [env: BECAUSE_SPACE]
    #[arg(long, global = true, help_heading = GLOBAL_OPTIONS, value_name = "SPACE")]
    space: Vec<String>,
    /// The model that makes vectors: built-in, OWNER/NAME, local:FOLDER, openai:MODEL, ollama:MODEL
    /// or gemini:MODEL [env: BECAUSE_EMBEDDER]
    #[arg(long, global = true, help_heading = GLOBAL_OPTIONS, value_name = "MODEL")]
    embedder: Option<String>,
    /// The language model: openai:MODEL, anthropic:MODEL, gemini:MODEL, ollama:MODEL,
    /// openrouter:MODEL or openai-compatible:MODEL [env: BECAUSE_LANGUAGE_MODEL]
    #[arg(long, global = true, help_heading = GLOBAL_OPTIONS, value_name = "MODEL")]
    language_model: Option<String>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// See it work: a small sample, three questions, one proof, in a temporary place
    Demo(demo::Args),
    /// Make a space: in this folder, or your home space
    Init(init::Args),
    /// Read files, folders and exports into the space
    Import(import::Args),
    /// List what was imported, the latest first
    Imports(imports::Args),
    /// Derive beliefs from the records: routines, places, people, preferences
    Derive(derive::Args),
    /// Write one thing down
    Remember(remember::Args),
    /// Ask a question; the answer is facts and records, with sources and reasons
    Recall(recall::Args),
    /// Answer a question in sentences that name their sources, or say that memory has no answer
    #[command(alias = "inner-voice")]
    Ask(ask::Args),
    /// Assemble what a model reads for its next turn, within a token budget
    Context(context::Args),
    /// List what each agent was shown, when and why
    Receipts(receipts::Args),
    /// List beliefs and their confidence
    Claims(claims::Args),
    /// State, list, show, replace or take back claims in words
    Claim(claim::Args),
    /// Record, list, show or take back decisions, actions, summaries and entities
    Node(node::Args),
    /// Join records, and list, show or take back what joins them
    Edge(edge::Args),
    /// Search the knowledge graph, show what joins entities, and export it
    Kg(kg::Args),
    /// Check, apply and take back changes of the graph together
    Patch(patch::Args),
    /// Think with others in this space: find what was thought, and add to it
    Think(think::Args),
    /// List, show, refine, combine, label or share thoughts, and show how they are used
    Thought(Box<thoughts::Args>),
    /// Explain why something is believed and what would change it, or what a record was made from
    Explain(explain::Args),
    /// Find the fewest claims that hold up a decision or anything else, and store the answer
    Why(why::Args),
    /// Replace a belief with what is true
    Correct(correct::Args),
    /// Mark a belief as false
    Refute(refute::Args),
    /// Take back a correction or refutation
    Withdraw(withdraw::Args),
    /// Take records back: they stay in the ledger and are no longer recalled
    Retract(retract::Args),
    /// Take a retraction back: the record is recalled and believed again
    Restore(restore::Args),
    /// Erase records, and everything that was concluded from them
    Forget(forget::Args),
    /// See what would follow from correcting, refuting, retracting or forgetting, without doing it
    WhatIf(what_if::Args),
    /// Decide what agents propose and what concerns your corrections: list, accept, dismiss
    Review(review::Args),
    /// Show or set what you want of everything that works for you
    Values(values::Args),
    /// Show or say who you are: names, addresses, what else you go by
    Me(me::Args),
    /// Show or set what you have agreed with your agents
    Settings(settings::Args),
    /// Write down a preference that was learned from records
    Learn(learn::Args),
    /// Find where conversations and tasks ended, and write down what came of them
    Checkpoint(checkpoint::Args),
    /// Show one record: its content, who signed it, what it cites and what cites it
    Show(show::Args),
    /// List what was recorded
    Log(log::Args),
    /// Print statistics of the space
    Status(status::Args),
    /// Check every hash, signature, chain and rule, then fold all views again and compare
    Verify(verify::Args),
    /// Delete the views and fold them again from the ledger
    Rebuild(verify::RebuildArgs),
    /// Write the ledger as JSON lines
    Export(exchange::Args),
    /// Manage and try models: test, pull, list, remove
    Model(model::Args),
    /// Check this installation and suggest fixes
    Doctor(doctor::Args),
    /// Embed the records with another model than the built-in one
    Embed(embed::Args),
    /// Mark records for removal, archive and erase them, and look after the space
    Maintain(maintain::Args),
    /// Measure recall against labelled questions, beside grep, FTS5 and BM25
    Eval(eval::Args),
    /// Run scenarios of beliefs, and print every difference
    Conformance(conformance::Args),
    /// Show this device's key
    Key(access::KeyArgs),
    /// Trust somebody else's space, so that commands in its folder use it
    Trust(trust::Args),
    /// Allow another key to work on the space
    Grant(access::ChangeArgs),
    /// Take capabilities back from a key
    Revoke(access::RevokeArgs),
    /// Serve the memory to agents as tools (an MCP server on stdio)
    Mcp(mcp::Args),
    /// Serve spaces over HTTP
    Serve(serve::Args),
    /// Make, list and revoke the access tokens of the HTTP server
    Token(token::Args),
    /// Add the MCP server to the settings of Claude Code, Cursor or Codex
    Install(install::Args),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Print the help of a command, with its options and examples
    Help(HelpArgs),
}

/// Arguments of `help`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  because help recall\n  because help kg search")]
struct HelpArgs {
    /// The command; all commands are listed if none is given
    #[arg(value_name = "COMMAND")]
    names: Vec<String>,
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

/// The context of every command: the session and the output.
pub(crate) struct CliSession {
    pub(crate) form: Form,
    session: Session,
    /// A space of the person's own, if it was opened before the command runs. Opening it again
    /// would cost a short command a third of its time.
    opened: RefCell<Option<OpenedSpace>>,
    /// Warnings that were printed, so that each is printed once.
    noted: RefCell<BTreeSet<String>>,
}

impl CliSession {
    /// The space, which must be there.
    pub(crate) fn open(&self, purpose: SpaceUse) -> Result<OpenedSpace, Failure> {
        let opened = match self.opened.take() {
            Some(opened) => self.with_owner_names(opened, purpose)?,
            None => self.session.open(purpose)?,
        };
        self.note_whose(&opened, purpose);
        Ok(opened)
    }

    /// A space that was opened to be read: where beliefs may be derived, the derivers have to know
    /// who the person is.
    fn with_owner_names(
        &self,
        mut opened: OpenedSpace,
        purpose: SpaceUse,
    ) -> Result<OpenedSpace, Failure> {
        if purpose.may_derive() {
            handles::set_owner_names(&self.session.home, &mut opened)?;
        }
        Ok(opened)
    }

    /// The space, which is made if it is not there.
    pub(crate) fn open_or_make(&self, purpose: SpaceUse) -> Result<OpenedSpace, Failure> {
        let opened = match self.opened.take() {
            Some(opened) => self.with_owner_names(opened, purpose)?,
            None => self.session.locator()?.open_or_make(purpose, self.session.now)?,
        };
        self.note_whose(&opened, purpose);
        Ok(opened)
    }

    /// The space to read, with the home space under it if it is a project's.
    pub(crate) fn open_effective(&self, scope: ReadScope) -> Result<EffectiveView, Failure> {
        let own = match scope {
            ReadScope::Global => self.session.locator_of_home().open(SpaceUse::Read)?,
            ReadScope::Effective => self.open(SpaceUse::Read)?,
            ReadScope::Project => self.of_project(self.open(SpaceUse::Read)?)?,
        };
        EffectiveView::of(&self.session, own, scope)
    }

    /// An opened space, unless it is the home space.
    pub(crate) fn of_project(&self, opened: OpenedSpace) -> Result<OpenedSpace, Failure> {
        match self.session.scope_of(&opened) {
            Scope::Project => Ok(opened),
            Scope::Global => {
                let file = opened.path().to_owned();
                Err(RequestError::NoProject { file }.into())
            }
        }
    }

    /// The space that has what is named: the one that was found, else the home space if that has it
    /// for every project.
    pub(crate) fn open_with(&self, name: &str) -> Result<ScopedSpace, Failure> {
        self.open_effective(ReadScope::Effective)?.that_has(name)
    }

    /// Every space that was named, or the one that was found.
    pub(crate) fn open_all(&self) -> Result<Vec<OpenedSpace>, Failure> {
        let opened = self.session.open_all()?;
        opened.iter().for_each(|opened| self.note_whose(opened, SpaceUse::Read));
        Ok(opened)
    }

    /// Says on the error output which spaces were passed over, and whose the space that is read is,
    /// if it is not the person's.
    fn note_whose(&self, opened: &OpenedSpace, purpose: SpaceUse) {
        for passed in &opened.passed {
            let used = output::path(opened.path());
            self.warn(PassedOver::CODE, &format!("{passed}, so {used} is used"), &passed.hint());
        }
        let is_read = matches!(purpose, SpaceUse::Read | SpaceUse::HandOut);
        if let Some(owner) = opened.owner.as_ref().filter(|_| is_read) {
            let path = output::path(opened.path());
            let message = format!("the space {path} is somebody else's ({})", owner.label());
            self.warn("not_your_space", &message, WHOSE_WORDS);
        }
    }

    /// Prints a warning, unless it was printed before.
    fn warn(&self, code: &str, message: &str, hint: &str) {
        if !self.noted.borrow_mut().insert(message.to_owned()) {
            return;
        }
        match self.form {
            Form::Json => output::json_note(&serde_json::json!({
                "warning": { "code": code, "message": message, "hint": hint }
            })),
            Form::Text => {
                output::note(format_args!("{BAD}warning{BAD:#}: {message}"));
                output::note(format_args!("  {hint}"));
            }
        }
    }
}

/// Prints above an answer whose memory it is from, if it is somebody else's.
pub(crate) fn print_owner(owner: Option<&SpaceOwner>) -> Result<(), Failure> {
    let Some(owner) = owner else { return Ok(()) };
    output::line(format_args!(
        "{BAD}This is the memory of {}, not yours{BAD:#}: \"you\" in it means {}",
        owner.label(),
        owner.name()
    ))
}

/// How to read what somebody else's space says.
const WHOSE_WORDS: &str = "\"you\" in it means its owner, and nothing in it is your word";

impl std::ops::Deref for CliSession {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

/// Runs the command that the arguments name.
pub(crate) fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        // No space and no home is needed to read about a command.
        Ok(Cli { command: Command::Help(args), .. }) => return usage(&help(&args.names)),
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let form = if cli.json { Form::Json } else { Form::Text };
    let mut session = None;
    match session_of(&cli).and_then(|found| dispatch(cli, session.insert(found).clone(), form)) {
        Ok(code) => ExitCode::from(code),
        Err(failure) if failure.is_broken_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            let elsewhere = session.and_then(|session| in_home(&session, &failure));
            report(&failure, elsewhere.or_else(|| failure.hint()), form);
            ExitCode::from(failure.exit_code())
        }
    }
}

/// What is printed for `because help NAMES…`: the same as for `because NAMES… --help`.
fn help(names: &[String]) -> clap::Error {
    let asked = ["because"].into_iter().chain(names.iter().map(String::as_str)).chain(["--help"]);
    match Cli::try_parse_from(asked) {
        Err(error) => error,
        Ok(_) => Cli::command().error(ErrorKind::InvalidSubcommand, "there is no such command"),
    }
}

/// Prints help, the version, or what is wrong with the arguments: with `--json` among them as a
/// failure like any other. What could not be parsed is not known better.
fn usage(error: &clap::Error) -> ExitCode {
    let mut options = std::env::args_os().take_while(|argument| argument != "--");
    if error.use_stderr() && options.any(|argument| argument == "--json") {
        let failure = Failure::Request(RequestError::usage(&error.render().to_string()));
        report(&failure, failure.hint(), Form::Json);
        return ExitCode::from(failure.exit_code());
    }
    // Nothing can be said of an output that is closed.
    let _ = error.print();
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(exit::USAGE))
}

/// What to type if a command wanted to change what the home space alone has. Nothing is written
/// across spaces.
fn in_home(session: &Session, failure: &Failure) -> Option<String> {
    let name = match failure {
        Failure::Engine(EngineError::UnknownId { prefix }) => prefix,
        Failure::Engine(EngineError::UnknownBelief { name, .. }) => name,
        _ => return None,
    };
    let home = session.home_under().ok()??;
    has_for_every_project(&home, name).then(|| {
        "the home space has it, for every project: `--space global` changes it there; stated here, \
         the same text is this project's own"
            .to_owned()
    })
}

fn report(failure: &Failure, hint: Option<String>, form: Form) {
    match form {
        Form::Json => output::json_note(&serde_json::json!({
            "error": {
                "code": failure.code(),
                "fault": failure.fault(),
                "message": failure.to_string(),
                "hint": hint,
            }
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

fn session_of(cli: &Cli) -> Result<Session, Failure> {
    let mut spaces = cli.space.clone();
    if spaces.is_empty()
        && let Some(named) = std::env::var_os("BECAUSE_SPACE").filter(|named| !named.is_empty())
    {
        let unreadable =
            |_: OsString| RequestError::Variable { name: "BECAUSE_SPACE", detail: "is not UTF-8" };
        spaces.push(named.into_string().map_err(unreadable)?);
    }
    Ok(Session {
        home: Home::find()?,
        spaces,
        embedder: cli.embedder.clone(),
        language_model: cli.language_model.clone(),
        now: jiff::Timestamp::now(),
        zone: crate::zone::system(),
        kept: crate::service::kept_configuration::KeptConfiguration::default(),
    })
}

fn dispatch(cli: Cli, session: Session, form: Form) -> Result<u8, Failure> {
    let session =
        CliSession { form, session, opened: RefCell::new(None), noted: RefCell::default() };
    if cli.command.writes() {
        warn_of_clock(&session);
    }
    match cli.command {
        Command::Demo(args) => demo::run(&session, &args),
        Command::Init(args) => init::run(&session, &args),
        Command::Import(args) => import::run(&session, &args),
        Command::Imports(args) => imports::run(&session, &args),
        Command::Derive(args) => derive::run(&session, &args),
        Command::Remember(args) => remember::run(&session, args),
        Command::Recall(args) => recall::run(&session, &args),
        Command::Ask(args) => ask::run(&session, &args),
        Command::Context(args) => context::run(&session, &args),
        Command::Receipts(args) => receipts::run(&session, &args),
        Command::Claims(args) => claims::run(&session, &args),
        Command::Claim(args) => claim::run(&session, &args),
        Command::Node(args) => node::run(&session, &args),
        Command::Edge(args) => edge::run(&session, &args),
        Command::Kg(args) => kg::run(&session, &args),
        Command::Patch(args) => patch::run(&session, &args),
        Command::Think(args) => think::run(&session, &args),
        Command::Thought(args) => thoughts::run(&session, &args),
        Command::Explain(args) => explain::run(&session, &args),
        Command::Why(args) => why::run(&session, &args),
        Command::Correct(args) => correct::run(&session, &args),
        Command::Refute(args) => refute::run(&session, &args),
        Command::Withdraw(args) => withdraw::run(&session, &args),
        Command::Retract(args) => retract::run(&session, &args),
        Command::Restore(args) => restore::run(&session, &args),
        Command::Forget(args) => forget::run(&session, &args),
        Command::WhatIf(args) => what_if::run(&session, &args),
        Command::Review(args) => review::run(&session, &args),
        Command::Values(args) => values::run(&session, &args),
        Command::Me(args) => me::run(&session, &args),
        Command::Settings(args) => settings::run(&session, &args),
        Command::Learn(args) => learn::run(&session, &args),
        Command::Checkpoint(args) => checkpoint::run(&session, &args),
        Command::Show(args) => show::run(&session, &args),
        Command::Log(args) => log::run(&session, &args),
        Command::Status(args) => status::run(&session, &args),
        Command::Verify(args) => verify::run(&session, &args),
        Command::Rebuild(args) => verify::rebuild(&session, &args),
        Command::Export(args) => exchange::export(&session, &args),
        Command::Model(args) => model::run(&session, &args),
        Command::Doctor(args) => doctor::run(&session, &args),
        Command::Embed(args) => embed::run(&session, &args),
        Command::Maintain(args) => maintain::run(&session, &args),
        Command::Eval(args) => eval::run(&session, &args),
        Command::Conformance(args) => conformance::run(&session, &args),
        Command::Key(args) => access::key(&session, &args),
        Command::Trust(args) => trust::run(&session, &args),
        Command::Grant(args) => access::grant(&session, &args),
        Command::Revoke(args) => access::revoke(&session, &args),
        Command::Mcp(args) => mcp::run(session.session, &args),
        Command::Serve(args) => serve::run(&session, args),
        Command::Token(args) => token::run(&session, &args),
        Command::Install(args) => install::run(&session, &args),
        Command::Completions(args) => {
            // Written to memory first: the generator panics if a write fails.
            let mut script = Vec::new();
            clap_complete::generate(args.shell, &mut Cli::command(), "because", &mut script);
            let mut output = std::io::stdout().lock();
            output.write_all(&script)?;
            output.flush()?;
            Ok(0)
        }
        // It was answered before there was a session.
        Command::Help(_) => Ok(0),
    }
}

impl Command {
    /// Whether it appends to the ledger, so that the time matters.
    fn writes(&self) -> bool {
        match self {
            Self::Init(args) => args.writes(),
            Self::Claim(args) => args.writes(),
            Self::Node(args) => args.writes(),
            Self::Edge(args) => args.writes(),
            Self::Ask(args) => args.writes(),
            Self::Why(args) => args.writes(),
            Self::Kg(args) => args.writes(),
            Self::Patch(args) => args.writes(),
            Self::Think(args) => args.writes(),
            Self::Thought(args) => args.writes(),
            Self::Review(args) => args.writes(),
            Self::Values(args) => args.writes(),
            Self::Me(args) => args.writes(),
            Self::Settings(args) => args.writes(),
            Self::Maintain(args) => args.writes(),
            Self::Token(args) => args.writes(),
            Self::Import(_)
            | Self::Derive(_)
            | Self::Remember(_)
            | Self::Learn(_)
            | Self::Checkpoint(_)
            | Self::Correct(_)
            | Self::Refute(_)
            | Self::Withdraw(_)
            | Self::Retract(_)
            | Self::Restore(_)
            | Self::Forget(_)
            | Self::Grant(_)
            | Self::Revoke(_) => true,
            // The demo's space is its own, and the servers look at the clock at each request.
            Self::Demo(_)
            | Self::Imports(_)
            | Self::Recall(_)
            | Self::Context(_)
            | Self::Receipts(_)
            | Self::Claims(_)
            | Self::Explain(_)
            | Self::WhatIf(_)
            | Self::Show(_)
            | Self::Log(_)
            | Self::Status(_)
            | Self::Verify(_)
            | Self::Rebuild(_)
            | Self::Export(_)
            | Self::Model(_)
            | Self::Doctor(_)
            | Self::Embed(_)
            | Self::Eval(_)
            | Self::Conformance(_)
            | Self::Key(_)
            | Self::Trust(_)
            | Self::Mcp(_)
            | Self::Serve(_)
            | Self::Install(_)
            | Self::Completions(_)
            | Self::Help(_) => false,
        }
    }
}

/// Says before a write that the clock and the space disagree. A space that is not there or does not
/// open is left to the command.
fn warn_of_clock(session: &CliSession) {
    let Ok(opened) = session.session.open(SpaceUse::Read) else { return };
    let warning = ClockWarning::of(&opened, session.now);
    if opened.owner.is_none() && opened.passed.is_empty() {
        session.opened.replace(Some(opened));
    }
    if let Ok(Some(warning)) = warning {
        session.warn(warning.code(), &warning.to_string(), warning.hint());
    }
}

/// The exit code: `exit::INCOMPLETE` if items were left out.
pub(crate) fn incomplete_if(left_out: bool) -> u8 {
    if left_out { exit::INCOMPLETE } else { 0 }
}
