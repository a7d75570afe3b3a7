//! `because settings`: what you have agreed with your agents.

use engine::write::import::Intent;
use kernel::kind::Capability;
use serde_json::json;

use super::CliSession;
use super::graph::TimeArgs;
use crate::failure::Failure;
use crate::output::{self, BOLD, DIM, Form, ID, printable};
use crate::service::agreed_settings::{
    self, Setting, SettingChange, SettingKey, SettingSource, SettingSpaces, SettingTimes,
};
use crate::service::opening::{OpenedSpace, SpaceUse};

/// Columns of a value.
const VALUE_COLUMNS: usize = 20;
/// The code of the warning about a setting that the program does not know.
const UNKNOWN: &str = "unknown_setting";

/// Arguments of `settings`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Show settings, and where each comes from
    Show(ShowArgs),
    /// Set one, for this project or for everywhere
    Set(SetArgs),
}

/// Arguments of `settings show`.
#[derive(clap::Args)]
#[command(
    after_help = "The project's value comes first, then that of your home space, then the built-in one.\n\nExamples:\n  because settings show\n  because settings show auto_learn\n  because settings show --as-of 2025-02-01"
)]
struct ShowArgs {
    /// Only this one
    key: Option<String>,
    #[command(flatten)]
    times: TimeArgs,
}

/// Arguments of `settings set`.
#[derive(clap::Args)]
#[command(
    after_help = "Settings are what you have agreed with your agents. How the program runs on this machine is its configuration, in config.toml.\n\nExamples:\n  because settings set auto_learn off\n  because settings set ask_when_uncertain on --global\n  because settings set refactor_intent \"small steps, tests first\""
)]
struct SetArgs {
    /// Which: ask_when_uncertain, auto_learn, mining_max_claims, mining_min_confidence,
    /// refactor_intent, or one of your own
    key: String,
    /// Its value
    value: String,
    /// For everywhere, in your home space, rather than for this project
    #[arg(long)]
    global: bool,
    /// Show what would be set, and write nothing
    #[arg(long)]
    dry_run: bool,
}

impl Args {
    /// Whether it appends to the ledger.
    pub(super) fn writes(&self) -> bool {
        matches!(self.action, Action::Set(_))
    }
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    match &args.action {
        Action::Show(args) => show(session, args),
        Action::Set(args) => set(session, args),
    }
}

/// The space of the request, if it is there.
pub(super) fn found(session: &CliSession) -> Result<Option<OpenedSpace>, Failure> {
    match session.open(SpaceUse::Read) {
        Ok(space) => Ok(Some(space)),
        Err(Failure::NoSpace) => Ok(None),
        Err(failure) => Err(failure),
    }
}

fn show(session: &CliSession, args: &ShowArgs) -> Result<u8, Failure> {
    let key = args.key.as_deref().map(SettingKey::parse).transpose()?;
    let spaces = SettingSpaces::of(session, found(session)?)?;
    let times = SettingTimes::of(&args.times.viewpoint(session)?, session.now);
    let settings = match &key {
        Some(key) => vec![spaces.setting(times, key)?],
        None => spaces.settings(times)?,
    };
    let key_columns = settings.iter().map(|setting| setting.key.len()).max().unwrap_or_default();
    for setting in &settings {
        match session.form {
            Form::Json => output::json(setting)?,
            Form::Text => print(setting, key_columns)?,
        }
    }
    Ok(0)
}

fn print(setting: &Setting, key_columns: usize) -> Result<(), Failure> {
    let id = setting.id.map(|id| id.short()).unwrap_or_default();
    output::line(format_args!(
        "{BOLD}{:<key_columns$}{BOLD:#} {:<VALUE_COLUMNS$} {DIM}{}{DIM:#}  {ID}{id}{ID:#}",
        printable(&setting.key),
        printable(&setting.value),
        words(setting.source),
    ))?;
    match setting.meaning {
        Some(meaning) => output::line(format_args!("{:<key_columns$} {DIM}{meaning}{DIM:#}", "")),
        None => Ok(()),
    }
}

fn words(source: SettingSource) -> &'static str {
    match source {
        SettingSource::Project => "for this project",
        SettingSource::Global => "for everywhere",
        SettingSource::BuiltIn => "built in",
    }
}

fn set(session: &CliSession, args: &SetArgs) -> Result<u8, Failure> {
    let key = SettingKey::parse(&args.key)?;
    // A value that cannot be is refused before anything is written.
    key.value(&args.value)?;
    let intent = if args.dry_run { Intent::DryRun } else { Intent::Write };
    if !key.is_built_in() {
        let message = format!("the program does not know the setting {}", key.as_str());
        session.warn(UNKNOWN, &message, "it is kept for agents that know it");
    }
    let purpose = SpaceUse::Write(Capability::Correct);
    let mut space = match (args.global, intent) {
        (true, Intent::DryRun) => session.home_space()?,
        (false, Intent::DryRun) => found(session)?,
        (true, Intent::Write) => Some(session.home_to_write()?),
        (false, Intent::Write) => Some(session.open_or_make(purpose)?),
    };
    let is_global = args.global || space.as_ref().is_none_or(|space| session.is_home(space));
    let seeded = match (intent, space.as_mut()) {
        (Intent::DryRun, _) | (_, None) => Vec::new(),
        (_, Some(home)) if is_global => agreed_settings::seed(session, home)?,
        _ => agreed_settings::seed(session, &mut session.home_to_write()?)?,
    };
    let SettingChange { id, value, is_new } =
        agreed_settings::set(session, space.as_mut(), &key, &args.value, intent)?;
    let source = if is_global { SettingSource::Global } else { SettingSource::Project };
    if session.form == Form::Json {
        output::json(&json!({
            "key": key.as_str(),
            "value": value,
            "source": source,
            "id": id,
            "new": is_new,
            "seeded": seeded,
            "dry_run": args.dry_run,
        }))?;
        return Ok(0);
    }
    let verb = match (is_new, args.dry_run) {
        (false, _) => "is already",
        (true, true) => "would be",
        (true, false) => "is now",
    };
    let id = id.map(|id| id.short()).unwrap_or_default();
    output::line(format_args!(
        "{BOLD}{}{BOLD:#} {verb} {} {}  {ID}{id}{ID:#}",
        key.as_str(),
        printable(&value),
        words(source)
    ))?;
    Ok(0)
}
