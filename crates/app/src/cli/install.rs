//! `because install`

use std::path::{Path, PathBuf};

use serde_json::json;

use super::CliSession;
use crate::failure::{Failure, RequestError};
use crate::install::{Action, Entry, Host, Line, NAME, Places, Plan, Scope};
use crate::output::{self, BAD, BOLD, DIM, Form, GOOD, printable};
use crate::place::GLOBAL;

/// What is written: the entry that starts the server.
const SERVER: &str = "MCP server because";
/// What is written with `--hook`.
const HOOKS: &str = "hooks of because";
/// Longest printed line, in characters.
const LINE_CHARS_MAX: usize = 160;

/// Arguments of `install`.
#[derive(clap::Args)]
#[command(
    after_help = "Writes the host's own settings and changes only the entry named because: Claude Code ~/.claude.json or .mcp.json, Cursor ~/.cursor/mcp.json or .cursor/mcp.json, Codex ~/.codex/config.toml or .codex/config.toml. CLAUDE_CONFIG_DIR and CODEX_HOME are honoured. With --hook, the hooks of Claude Code (~/.claude/settings.json or .claude/settings.json) and of Codex (~/.codex/hooks.json or .codex/hooks.json) pass each turn to the tool observe, which returns what it brings up. Installing makes a key for the host's agents, which sign what they write with it. With --scope project nothing of this machine is written: the entry names `because`, which everybody needs on their PATH. Installing twice changes nothing; a file that cannot be parsed is left alone.\n\nExamples:\n  because install claude-code                      for you, in every project\n  because install cursor --scope project           for everybody who works in this folder\n  because install codex --dry-run                  show first what it would write\n  because install claude-code --hook               let each turn bring up what is known\n  because --space global install claude-code       with your own memory, in every project\n  because install claude-code --uninstall"
)]
pub(crate) struct Args {
    /// The program in which the agent runs
    #[arg(value_enum)]
    host: Host,
    /// For whom
    #[arg(long, value_enum, default_value_t = Scope::User)]
    scope: Scope,
    /// Also write hooks that pass each turn of a conversation to the tool `observe` (Claude Code
    /// and Codex)
    #[arg(long)]
    hook: bool,
    /// Take the entry and the hooks out again; with --hook, the hooks alone
    #[arg(long)]
    uninstall: bool,
    /// Only print what would be written
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let project =
        std::env::current_dir().map_err(|source| Failure::File { path: ".".into(), source })?;
    let places = places(project.clone())?;
    let path = args.host.settings(args.scope, &places);
    let entry = if args.uninstall { None } else { Some(entry(session, args, &project)?) };
    let hooks = hooks(args, &places)?;
    // Everything is planned before anything is written.
    let server = match args.uninstall && args.hook {
        true => None,
        false => Some(Plan::make(args.host, &path, entry.as_ref())?),
    };
    if !args.dry_run {
        if !args.uninstall {
            // The key with which the host's agents write. It stays when the host is uninstalled:
            // records are signed with it.
            session.home.agent_signer(args.host.id())?;
        }
        for plan in server.iter().chain(hooks.as_ref().map(|(_, plan)| plan)) {
            plan.carry_out(args.scope)?;
        }
    }
    match session.form {
        Form::Json => {
            let action = server.as_ref().map_or(Action::Unchanged, Plan::action);
            let mut written = json!({
                "host": args.host.name(),
                "scope": args.scope,
                "path": path.to_string_lossy(),
                "action": action,
                "dry_run": args.dry_run,
                "entry": entry.as_ref().map(Entry::to_json),
            });
            if let Some((path, plan)) = &hooks {
                written["hooks"] =
                    json!({ "path": path.to_string_lossy(), "action": plan.action() });
            }
            output::json(&written)?;
        }
        Form::Text => {
            let server = server.as_ref().map(|plan| (SERVER, path.as_path(), plan));
            let hooks = hooks.as_ref().map(|(path, plan)| (HOOKS, path.as_path(), plan));
            // To say of hooks that nobody asked for that there are none helps nobody.
            let hooks = hooks.filter(|(_, _, plan)| args.hook || plan.action() != Action::Absent);
            print(args, &server.into_iter().chain(hooks).collect::<Vec<_>>())?;
        }
    }
    if args.scope == Scope::Project && entry.is_some() && !is_on_path() {
        session.warn(
            "not_on_path",
            "`because` is not on your PATH, where hosts look for it",
            "put the program into a folder that is",
        );
    }
    Ok(0)
}

/// What is to become of the hooks, with the path of their settings.
fn hooks(args: &Args, places: &Places) -> Result<Option<(PathBuf, Plan)>, Failure> {
    let Some(path) = args.host.hook_settings(args.scope, places) else {
        return match args.hook {
            true => Err(RequestError::NoHooks { host: args.host.name() }.into()),
            false => Ok(None),
        };
    };
    let hooks = args.host.hooks();
    let plan = match (args.uninstall, args.hook) {
        (true, _) => Plan::without_hooks(&path, &hooks)?,
        (false, true) => Plan::with_hooks(&path, &hooks)?,
        (false, false) => return Ok(None),
    };
    Ok(Some((path, plan)))
}

fn places(project: PathBuf) -> Result<Places, Failure> {
    let home = etcetera::home_dir()
        .map_err(|error| RequestError::NoHomeFolder { reason: error.to_string() })?;
    let named = |variable: &str| {
        std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
    };
    Ok(Places { home, claude: named("CLAUDE_CONFIG_DIR"), codex: named("CODEX_HOME"), project })
}

/// How hosts start this program.
fn entry(session: &CliSession, args: &Args, project: &Path) -> Result<Entry, Failure> {
    let named = session.locator()?.named;
    let mut entry = match args.scope {
        Scope::User => for_user(named)?,
        Scope::Project => for_project(named, project)?,
    };
    entry.arguments.extend(["mcp", "--agent", args.host.id()].map(str::to_owned));
    Ok(entry)
}

/// On this machine, from any folder: this program with the current space and home.
fn for_user(named: Option<&str>) -> Result<Entry, Failure> {
    let program =
        std::env::current_exe().map_err(|source| Failure::File { path: NAME.into(), source })?;
    let space = match named {
        Some(named) if named != GLOBAL => Some(whole(Path::new(named))?),
        named => named.map(str::to_owned),
    };
    let mut environment = Vec::new();
    if let Some(home) = std::env::var_os("BECAUSE_HOME").filter(|home| !home.is_empty()) {
        environment.push(("BECAUSE_HOME".to_owned(), whole(Path::new(&home))?));
    }
    Ok(Entry { command: whole(&program)?, arguments: of_space(space), environment })
}

/// As everybody who works in the project can start it.
fn for_project(named: Option<&str>, project: &Path) -> Result<Entry, Failure> {
    let space = match named {
        Some(named) if named != GLOBAL => Some(within(named, project)?),
        named => named.map(str::to_owned),
    };
    let (command, arguments) = (NAME.to_owned(), of_space(space));
    Ok(Entry { command, arguments, environment: Vec::new() })
}

fn of_space(space: Option<String>) -> Vec<String> {
    space.map_or_else(Vec::new, |space| vec!["--space".to_owned(), space])
}

/// The space by its path in the project. What is elsewhere is on this machine alone.
fn within(named: &str, project: &Path) -> Result<String, Failure> {
    let path = PathBuf::from(whole(Path::new(named))?);
    let outside = || RequestError::SpaceOutsideProject { file: path.clone() };
    let within = path.strip_prefix(project).map_err(|_| outside())?;
    let mut parts = Vec::new();
    for part in within.components() {
        match part {
            std::path::Component::Normal(name) => parts.extend(name.to_str()),
            _ => return Err(outside().into()),
        }
    }
    // Hosts on all systems read slashes.
    Ok(if parts.is_empty() { ".".to_owned() } else { parts.join("/") })
}

/// Whether a folder of `PATH` has this program.
fn is_on_path() -> bool {
    let file = format!("{NAME}{}", std::env::consts::EXE_SUFFIX);
    std::env::var_os("PATH").is_some_and(|folders| {
        std::env::split_paths(&folders).any(|path| path.join(&file).is_file())
    })
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

/// Prints what is done to the settings: which part of them, where, and how.
fn print(args: &Args, plans: &[(&str, &Path, &Plan)]) -> Result<(), Failure> {
    let host = args.host.name();
    for (part, path, plan) in plans {
        let path = output::path(path);
        let told = match (plan.action(), args.dry_run) {
            (Action::Added, false) => format!("Added the {part} to {path}"),
            (Action::Updated, false) => format!("Brought the {part} up to date in {path}"),
            (Action::Removed, false) => format!("Removed the {part} from {path}"),
            (Action::Added, true) => format!("Would add the {part} to {path}"),
            (Action::Updated, true) => format!("Would bring the {part} up to date in {path}"),
            (Action::Removed, true) => format!("Would remove the {part} from {path}"),
            (Action::Unchanged, _) => format!("{host} has the {part} already, in {path}"),
            (Action::Absent, _) => format!("{host} has no {part} in {path}"),
        };
        output::line(format_args!("{BOLD}{told}{BOLD:#}"))?;
        for line in plan.lines() {
            match line {
                Line::Gone(text) => output::line(format_args!("{BAD}  - {}{BAD:#}", shown(&text)))?,
                Line::New(text) => {
                    output::line(format_args!("{GOOD}  + {}{GOOD:#}", shown(&text)))?
                }
            }
        }
    }
    let is_any =
        |wanted: &[Action]| plans.iter().any(|(_, _, plan)| wanted.contains(&plan.action()));
    if args.dry_run {
        if is_any(&[Action::Added, Action::Updated, Action::Removed]) {
            output::line(format_args!("{DIM}Nothing was written.{DIM:#}"))?;
        }
    } else if is_any(&[Action::Added, Action::Updated]) {
        output::line(format_args!("Next: restart {host}, and ask it what it remembers"))?;
    } else if is_any(&[Action::Removed]) {
        let what = if args.hook { "them" } else { "it" };
        output::line(format_args!(
            "{host} stops using {what} at its next start; the memory itself stays"
        ))?;
    }
    Ok(())
}
