//! Adding the MCP server to the settings of an agent's host, and removing it again.
//!
//! The settings file belongs to the user and the host. So only our own entry in it is changed, and
//! every other byte stays. A file that cannot be parsed, or in which our name is used for something
//! else, is left alone. The file is replaced atomically. Installing is idempotent, and removing the
//! entry restores the previous file.
//!
//! [`Plan::make`] reads and decides, and [`Plan::carry_out`] writes. A dry run is a plan that is
//! not carried out.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Value, json};

use crate::failure::Failure;
use file::Settings;
use json_text::hooks::{found, with, without};

mod diff;
mod file;
mod json_text;
mod toml_text;

pub(crate) use diff::Line;
pub(crate) use json_text::hooks::Hook;

/// The server's name in the settings of hosts.
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

/// For whom the server is installed.
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
    /// The user's home folder.
    pub(crate) home: PathBuf,
    /// The value of `CLAUDE_CONFIG_DIR`.
    pub(crate) claude: Option<PathBuf>,
    /// The value of `CODEX_HOME`.
    pub(crate) codex: Option<PathBuf>,
    /// The project's folder.
    pub(crate) project: PathBuf,
}

impl Host {
    /// The id of its agents' key.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Cursor => "cursor",
            Self::Codex => "codex",
        }
    }

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

impl Host {
    /// Where its hooks are, if it calls tools from hooks.
    pub(crate) fn hook_settings(self, scope: Scope, places: &Places) -> Option<PathBuf> {
        let Places { home, claude, codex, project } = places;
        let folder = match (self, scope) {
            (Self::ClaudeCode, Scope::User) => {
                claude.clone().unwrap_or_else(|| home.join(".claude"))
            }
            (Self::ClaudeCode, Scope::Project) => project.join(".claude"),
            (Self::Codex, Scope::User) => codex.clone().unwrap_or_else(|| home.join(".codex")),
            (Self::Codex, Scope::Project) => project.join(".codex"),
            (Self::Cursor, _) => return None,
        };
        let file = if self == Self::ClaudeCode { "settings.json" } else { "hooks.json" };
        Some(folder.join(file))
    }

    /// The hooks that pass each turn of a conversation to the tool `observe`: that of the user
    /// and, where the host has it, that of the assistant.
    pub(crate) fn hooks(self) -> Vec<Hook> {
        const SESSION: &str = "${session_id}";
        let user = Hook {
            event: "UserPromptSubmit",
            input: json!({ "text": "${prompt}", "session": SESSION }),
        };
        let assistant = Hook {
            event: "Stop",
            input: json!({
                "text": "${last_assistant_message}", "speaker": "assistant", "session": SESSION,
            }),
        };
        match self {
            Self::ClaudeCode => vec![user, assistant],
            Self::Codex => vec![user],
            Self::Cursor => Vec::new(),
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
    /// Its environment variables.
    pub(crate) environment: Vec<(String, String)>,
}

impl Entry {
    /// An entry for tests.
    #[cfg(test)]
    fn example() -> Self {
        Self {
            command: "/opt/because".to_owned(),
            arguments: vec!["mcp".to_owned()],
            environment: Vec::new(),
        }
    }

    /// The entry in the form of hosts with JSON settings.
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

/// The parts of an entry under our name that matter here.
struct Found {
    command: Option<String>,
    arguments: Vec<String>,
}

impl Found {
    /// Whether it starts this program, here or in an earlier place: no other program has that name
    /// and a serve command.
    fn is_ours(&self) -> bool {
        let stem =
            self.command.as_deref().and_then(|command| Path::new(command).file_stem()?.to_str());
        stem == Some(NAME) && self.arguments.iter().any(|argument| argument == "mcp")
    }
}

/// What a plan does to the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Action {
    /// The entry is added.
    Added,
    /// Our entry is brought up to date.
    Updated,
    /// The entry is there and up to date.
    Unchanged,
    /// The entry is removed.
    Removed,
    /// There is no entry to remove.
    Absent,
}

/// A planned change of the settings.
pub(crate) struct Plan {
    settings: Settings,
    action: Action,
    text: String,
}

/// A format of settings: the text with our entry, and without it.
trait Format {
    /// The entry under our name.
    fn found(&self) -> Option<Found>;
    /// The text with this entry.
    fn with(&self, entry: &Entry) -> String;
    /// The text without our entry; empty if nothing is left.
    fn without(&self) -> String;
}

fn read(host: Host, text: &str) -> Result<Box<dyn Format>, String> {
    Ok(match host {
        Host::Codex => Box::new(toml_text::Document::read(text)?),
        Host::ClaudeCode | Host::Cursor => Box::new(json_text::Document::read(text)?),
    })
}

impl Plan {
    /// Plans to write `entry` into the settings at `path`, or to remove ours if there is none.
    pub(crate) fn make(host: Host, path: &Path, entry: Option<&Entry>) -> Result<Self, Failure> {
        let settings = Settings::read(path)?;
        let refused = |reason: String| Failure::HostSettings { path: path.to_owned(), reason };
        let document = read(host, settings.text()).map_err(refused)?;
        let found = document.found();
        if found.as_ref().is_some_and(|found| !found.is_ours()) {
            let reason =
                format!("it has another server named {NAME}; rename or remove that one first");
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
        // The new text must parse and contain what was intended, because the file is not ours.
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
                    "its layout does not allow this program to edit the entry".to_owned(),
                ));
            }
        }
        Ok(Self { settings, action, text })
    }

    /// Plans to write our hooks into the settings at `path`.
    pub(crate) fn with_hooks(path: &Path, hooks: &[Hook]) -> Result<Self, Failure> {
        Self::of_hooks(path, |text| {
            let before = found(text, hooks)?;
            let written = with(text, hooks)?;
            let is_new = before.iter().all(Option::is_none);
            let action = match (written == text, is_new) {
                (true, _) => Action::Unchanged,
                (false, true) => Action::Added,
                (false, false) => Action::Updated,
            };
            let wanted = hooks.iter().map(|hook| Some(hook.to_json()));
            let as_meant = found(&written, hooks)?.into_iter().eq(wanted);
            Ok((action, written, as_meant))
        })
    }

    /// Plans to remove our hooks from the settings at `path`. Settings that do not mention us are
    /// not read any further.
    pub(crate) fn without_hooks(path: &Path, hooks: &[Hook]) -> Result<Self, Failure> {
        Self::of_hooks(path, |text| {
            if !text.contains(NAME) || found(text, hooks)?.iter().all(Option::is_none) {
                return Ok((Action::Absent, text.to_owned(), true));
            }
            let left = without(text, hooks)?;
            let as_meant = found(&left, hooks)?.iter().all(Option::is_none);
            Ok((Action::Removed, left, as_meant))
        })
    }

    fn of_hooks(
        path: &Path,
        plan: impl FnOnce(&str) -> Result<(Action, String, bool), String>,
    ) -> Result<Self, Failure> {
        let settings = Settings::read(path)?;
        let refused = |reason: String| Failure::HostSettings { path: path.to_owned(), reason };
        let (action, text, as_meant) = plan(settings.text()).map_err(refused)?;
        if !as_meant {
            return Err(refused(
                "its layout does not allow this program to edit the hooks".to_owned(),
            ));
        }
        Ok(Self { settings, action, text })
    }

    /// The planned action.
    pub(crate) fn action(&self) -> Action {
        self.action
    }

    /// The lines that change.
    pub(crate) fn lines(&self) -> Vec<Line> {
        diff::lines(self.settings.text(), &self.text)
    }

    /// Writes the planned text. A file that would be empty is removed.
    pub(crate) fn carry_out(&self, scope: Scope) -> Result<(), Failure> {
        match self.action {
            Action::Unchanged | Action::Absent => Ok(()),
            _ if self.text.trim().is_empty() => self.settings.remove(),
            _ => self.settings.replace(&self.text, scope),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::agents::{AgentId, host_name};

    #[test]
    fn the_agents_of_each_host_bear_its_name() {
        for host in [Host::ClaudeCode, Host::Cursor, Host::Codex] {
            assert_eq!(host_name(&AgentId::of(host.id())), Some(host.name()));
        }
    }
}
