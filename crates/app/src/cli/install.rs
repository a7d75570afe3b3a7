//! `because install`

use std::path::{Path, PathBuf};

use serde_json::json;

use super::CliSession;
use crate::failure::{Failure, RequestError};
use crate::install::{Action, Entry, Host, Line, NAME, Places, Plan, Scope};
use crate::output::{self, BAD, BOLD, DIM, Form, GOOD, printable};
use crate::place::GLOBAL;

/// Longest printed line, in characters.
const LINE_CHARS_MAX: usize = 160;

/// Arguments of `install`.
#[derive(clap::Args)]
#[command(
    after_help = "Writes the host's own settings and changes only the entry named because: Claude Code ~/.claude.json or .mcp.json, Cursor ~/.cursor/mcp.json or .cursor/mcp.json, Codex ~/.codex/config.toml or .codex/config.toml. CLAUDE_CONFIG_DIR and CODEX_HOME are honoured. Installing makes a key for the host's agents, which sign what they write with it. Installing twice changes nothing; a file that cannot be parsed is left alone.\n\nExamples:\n  because install claude-code                      for you, in every project\n  because install cursor --scope project           for everybody who works in this folder\n  because install codex --dry-run                  show first what it would write\n  because --space global install claude-code       with your own memory, in every project\n  because install claude-code --uninstall"
)]
pub(crate) struct Args {
    /// The program in which the agent runs
    #[arg(value_enum)]
    host: Host,
    /// For whom
    #[arg(long, value_enum, default_value_t = Scope::User)]
    scope: Scope,
    /// Take the entry out again
    #[arg(long)]
    uninstall: bool,
    /// Only print what would be written
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let project =
        std::env::current_dir().map_err(|source| Failure::File { path: ".".into(), source })?;
    let path = args.host.settings(args.scope, &places(project)?);
    let entry = if args.uninstall { None } else { Some(entry(session, args.host)?) };
    let plan = Plan::make(args.host, &path, entry.as_ref())?;
    if !args.dry_run {
        if !args.uninstall {
            // The key with which the host's agents write. It stays when the host is uninstalled:
            // records are signed with it.
            session.home.agent_signer(args.host.id())?;
        }
        plan.carry_out(args.scope)?;
    }
    match session.form {
        Form::Json => output::json(&json!({
            "host": args.host.name(),
            "scope": args.scope,
            "path": path.to_string_lossy(),
            "action": plan.action(),
            "dry_run": args.dry_run,
            "entry": entry.as_ref().map(Entry::to_json),
        }))?,
        Form::Text => print(args, &path, &plan)?,
    }
    Ok(0)
}

fn places(project: PathBuf) -> Result<Places, Failure> {
    let home = etcetera::home_dir()
        .map_err(|error| RequestError::NoHomeFolder { reason: error.to_string() })?;
    let named = |variable: &str| {
        std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
    };
    Ok(Places { home, claude: named("CLAUDE_CONFIG_DIR"), codex: named("CODEX_HOME"), project })
}

/// How hosts start this program: from any folder, with the current space and home.
fn entry(session: &CliSession, host: Host) -> Result<Entry, Failure> {
    let program =
        std::env::current_exe().map_err(|source| Failure::File { path: NAME.into(), source })?;
    let mut arguments = Vec::new();
    if let Some(named) = session.locator()?.named {
        let space = if named == GLOBAL { named.to_owned() } else { whole(Path::new(named))? };
        arguments.extend(["--space".to_owned(), space]);
    }
    arguments.extend(["mcp", "--agent", host.id()].map(str::to_owned));
    let mut environment = Vec::new();
    if let Some(home) = std::env::var_os("BECAUSE_HOME").filter(|home| !home.is_empty()) {
        environment.push(("BECAUSE_HOME".to_owned(), whole(Path::new(&home))?));
    }
    Ok(Entry { command: whole(&program)?, arguments, environment })
}

/// An absolute path.
fn whole(path: &Path) -> Result<String, Failure> {
    let whole = std::path::absolute(path)
        .map_err(|source| Failure::File { path: path.to_owned(), source })?;
    let text = whole.to_str().map(str::to_owned);
    Ok(text.ok_or_else(|| RequestError::PathNotUnicode { file: path.to_owned() })?)
}

/// Shortens a line of settings, which may be the whole file with entries of others.
fn shown(line: &str) -> String {
    let line = printable(importers::secrets::mask_string(line).get());
    match line.char_indices().nth(LINE_CHARS_MAX) {
        Some(_) => line.chars().take(LINE_CHARS_MAX).collect::<String>() + " …",
        None => line,
    }
}

fn print(args: &Args, path: &Path, plan: &Plan) -> Result<(), Failure> {
    let (host, path) = (args.host.name(), output::path(path));
    let told = match (plan.action(), args.dry_run) {
        (Action::Added, false) => format!("Added the MCP server {NAME} to {path}"),
        (Action::Updated, false) => format!("Brought the MCP server {NAME} up to date in {path}"),
        (Action::Removed, false) => format!("Removed the MCP server {NAME} from {path}"),
        (Action::Added, true) => format!("Would add the MCP server {NAME} to {path}"),
        (Action::Updated, true) => {
            format!("Would bring the MCP server {NAME} up to date in {path}")
        }
        (Action::Removed, true) => format!("Would remove the MCP server {NAME} from {path}"),
        (Action::Unchanged, _) => format!("{host} has the MCP server {NAME} already, in {path}"),
        (Action::Absent, _) => format!("{host} has no MCP server {NAME} in {path}"),
    };
    output::line(format_args!("{BOLD}{told}{BOLD:#}"))?;
    for line in plan.lines() {
        match line {
            Line::Gone(text) => output::line(format_args!("{BAD}  - {}{BAD:#}", shown(&text)))?,
            Line::New(text) => output::line(format_args!("{GOOD}  + {}{GOOD:#}", shown(&text)))?,
        }
    }
    match (plan.action(), args.dry_run) {
        (Action::Unchanged | Action::Absent, _) => {}
        (_, true) => output::line(format_args!("{DIM}Nothing was written.{DIM:#}"))?,
        (Action::Added | Action::Updated, false) => {
            output::line(format_args!("Next: restart {host}, and ask it what it remembers"))?
        }
        (Action::Removed, false) => output::line(format_args!(
            "{host} stops using it at its next start; the memory itself stays"
        ))?,
    }
    Ok(())
}
