//! Entering the MCP server into the settings of an agent's host, and taking it out again.
//!
//! The settings are somebody else's file. So only our own entry in it is touched, and every other byte stays as it is; a file that does
//! not read, or in which our name means something else, is left alone; and the new file takes the old one's place in one step, or not at
//! all. Entering twice is entering once, and taking out what was entered gives the file that was there before.
//!
//! [`Plan::make`] looks and decides, and [`Plan::carry_out`] writes; a dry run is a plan that is not carried out.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Value, json};

use crate::failure::Failure;
use file::Settings;

mod diff;
mod file;
mod json_text;
mod toml_text;

pub(crate) use diff::Line;

/// Under which name hosts know the server.
pub(crate) const NAME: &str = "because";

/// A program in which agents run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Host {
    /// Claude Code
    ClaudeCode,
    /// Cursor
    Cursor,
    /// Codex
    Codex,
}

/// For whom the host starts the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scope {
    /// For you, in every folder
    User,
    /// For everybody who works in this folder
    Project,
}

/// Where hosts look for their settings.
pub(crate) struct Places {
    /// The person's home folder.
    pub(crate) home: PathBuf,
    /// What `CLAUDE_CONFIG_DIR` names.
    pub(crate) claude: Option<PathBuf>,
    /// What `CODEX_HOME` names.
    pub(crate) codex: Option<PathBuf>,
    /// The project's folder.
    pub(crate) project: PathBuf,
}

impl Host {
    /// Its name, for people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Cursor => "Cursor",
            Self::Codex => "Codex",
        }
    }

    /// Where its settings are.
    pub(crate) fn settings(self, scope: Scope, places: &Places) -> PathBuf {
        let Places { home, claude, codex, project } = places;
        match (self, scope) {
            (Self::ClaudeCode, Scope::User) => claude.as_ref().unwrap_or(home).join(".claude.json"),
            (Self::ClaudeCode, Scope::Project) => project.join(".mcp.json"),
            (Self::Cursor, Scope::User) => home.join(".cursor/mcp.json"),
            (Self::Cursor, Scope::Project) => project.join(".cursor/mcp.json"),
            (Self::Codex, Scope::User) => {
                codex.clone().unwrap_or_else(|| home.join(".codex")).join("config.toml")
            }
            (Self::Codex, Scope::Project) => project.join(".codex/config.toml"),
        }
    }
}

/// How a host starts the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The program.
    pub(crate) command: String,
    /// Its arguments.
    pub(crate) arguments: Vec<String>,
    /// Variables of its environment.
    pub(crate) environment: Vec<(String, String)>,
}

impl Entry {
    /// One for tests.
    #[cfg(test)]
    fn example() -> Self {
        Self {
            command: "/opt/because".to_owned(),
            arguments: vec!["mcp".to_owned()],
            environment: Vec::new(),
        }
    }

    /// The entry as hosts with JSON settings have it.
    pub(crate) fn to_json(&self) -> Value {
        let mut entry = json!({ "type": "stdio", "command": self.command, "args": self.arguments });
        if !self.environment.is_empty() {
            let variables =
                self.environment.iter().map(|(name, value)| (name.clone(), json!(value)));
            entry["env"] = Value::Object(variables.collect());
        }
        entry
    }
}

/// An entry under our name, as far as one needs to know it.
struct Found {
    command: Option<String>,
    arguments: Vec<String>,
}

impl Found {
    /// Whether it starts this program, here or where it once was: nobody else's program is called so and told to serve.
    fn is_ours(&self) -> bool {
        let stem =
            self.command.as_deref().and_then(|command| Path::new(command).file_stem()?.to_str());
        stem == Some(NAME) && self.arguments.iter().any(|argument| argument == "mcp")
    }
}

/// What is to happen to the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Action {
    /// The entry comes in.
    Added,
    /// An entry of ours is brought up to date.
    Updated,
    /// It is there as it should be.
    Unchanged,
    /// The entry goes.
    Removed,
    /// There is none to go.
    Absent,
}

/// A change of the settings that was looked into.
pub(crate) struct Plan {
    settings: Settings,
    action: Action,
    text: String,
}

/// A format of settings: what the text would be with our entry, or without it.
trait Format {
    /// What stands under our name.
    fn found(&self) -> Option<Found>;
    /// The text with this entry.
    fn with(&self, entry: &Entry) -> String;
    /// The text without ours; empty if nothing is left.
    fn without(&self) -> String;
}

fn read(host: Host, text: &str) -> Result<Box<dyn Format>, String> {
    Ok(match host {
        Host::Codex => Box::new(toml_text::Document::read(text)?),
        Host::ClaudeCode | Host::Cursor => Box::new(json_text::Document::read(text)?),
    })
}

impl Plan {
    /// How the entry comes into the settings at `path`; without one, how ours goes.
    pub(crate) fn make(host: Host, path: &Path, entry: Option<&Entry>) -> Result<Self, Failure> {
        let settings = Settings::read(path)?;
        let refused = |reason: String| Failure::HostSettings { path: path.to_owned(), reason };
        let document = read(host, settings.text()).map_err(refused)?;
        let found = document.found();
        if found.as_ref().is_some_and(|found| !found.is_ours()) {
            let reason =
                format!("it has another server under the name {NAME}; rename or remove that first");
            return Err(refused(reason));
        }
        let unchanged = || settings.text().to_owned();
        let (action, text) = match (entry, found) {
            (None, None) => (Action::Absent, unchanged()),
            (None, Some(_)) => (Action::Removed, document.without()),
            (Some(entry), None) => (Action::Added, document.with(entry)),
            (Some(entry), Some(_)) => {
                let text = document.with(entry);
                if text == settings.text() {
                    (Action::Unchanged, text)
                } else {
                    (Action::Updated, text)
                }
            }
        };
        // What we are about to write must read, and say what was meant: a file of others is at stake.
        if !text.trim().is_empty() {
            let written = read(host, &text).map_err(refused)?.found();
            let as_meant = match entry {
                None => written.is_none(),
                Some(entry) => {
                    written.is_some_and(|written| written.command.as_ref() == Some(&entry.command))
                }
            };
            if !as_meant {
                return Err(refused(
                    "its form is one in which the entry cannot be changed by a program".to_owned(),
                ));
            }
        }
        Ok(Self { settings, action, text })
    }

    /// What happens.
    pub(crate) fn action(&self) -> Action {
        self.action
    }

    /// The lines that change.
    pub(crate) fn lines(&self) -> Vec<Line> {
        diff::lines(self.settings.text(), &self.text)
    }

    /// Writes what was planned. Settings in which nothing is left are removed.
    pub(crate) fn carry_out(&self, scope: Scope) -> Result<(), Failure> {
        match self.action {
            Action::Unchanged | Action::Absent => Ok(()),
            _ if self.text.trim().is_empty() => self.settings.remove(),
            _ => self.settings.replace(&self.text, scope),
        }
    }
}
