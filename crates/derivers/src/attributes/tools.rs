//! Which tools somebody uses: "We use Jira for tickets", "We replaced Jira with Linear".
//!
//! Most people use one browser and one editor, so a change to another of a kind that is known
//! replaces the one before. Of other tools, a change replaces the one that it names. A purpose,
//! "for billing", limits a change to what was used for the same.

use super::ended::DOING;
use super::{AttributeStatement, Clause, ValueSort, scope_of, sort_of};

/// Most words of the name of a tool.
const TOOL_WORDS_MAX: usize = 3;
/// Verbs by which something else is used from then on.
const REPLACED: [&str; 5] = ["abandoned", "ditched", "dropped", "replaced", "swapped"];
/// Tools of which most people use one of a kind.
#[rustfmt::skip]
const TOOLS: [(&str, &[&str]); 5] = [
    ("browser", &[
        "brave", "chrome", "chromium", "edge", "firefox", "librewolf", "opera", "safari", "vivaldi",
    ]),
    ("editor", &[
        "emacs", "helix", "kakoune", "nano", "neovim", "nvim", "sublime", "sublime text", "vi",
        "vim", "visual studio code", "vs code", "vscode", "vscodium", "zed",
    ]),
    ("operating system", &["debian", "fedora", "linux", "macos", "nixos", "ubuntu", "windows"]),
    ("package manager", &["bun", "npm", "pnpm", "yarn"]),
    ("shell", &["bash", "fish", "nushell", "powershell", "zsh"]),
];

/// The kind of a tool, by its name in lower case.
pub(super) fn kind_of_tool(name: &str) -> Option<&'static str> {
    TOOLS.iter().find(|(_, tools)| tools.contains(&name)).map(|(kind, _)| *kind)
}

impl Clause<'_, '_, '_> {
    /// `I use Vim`, `I switched from Vim to Helix`.
    pub(super) fn tool(mut self) -> Option<AttributeStatement> {
        let subject = self.subject()?;
        let is_since_now = self.begins_with_now();
        self.skip_all(&["am", "have", "has", "just", "now", "still", "recently", "finally"]);
        let is_change = self.next_is(&["switched", "moved", "migrated"]);
        let is_choice = self.next_is(&["chose"]);
        let is_of_tools = !self.next_is(&["moved"]);
        self.takes(&["use", "uses", "using", "chose", "switched", "moved", "migrated"])?;
        let mut before = None;
        if is_change {
            let near = self.words.iter().take(2 + 2 * TOOL_WORDS_MAX);
            let to = near.clone().position(|word| word.lower == "to")?;
            if let Some(from) = near.clone().position(|word| word.lower == "from") {
                let words = self.words.get(from + 1..to)?.iter().map(|word| word.text);
                before = Some(words.collect::<Vec<_>>().join(" "));
            } else if to > 0 {
                return None;
            }
            self.skip(to + 1);
        }
        let (value, is_now) = self.value(&[])?;
        let scope = self.scope_after(&value);
        let kind = kind_of_tool(&value.to_lowercase());
        if let (Some(before), None) = (before, kind) {
            // What was used before that: "We switched from Jira to Linear".
            let used = format!("{DOING}use");
            let is_name = is_of_tools && sort_of(&before) == ValueSort::Name;
            let instead_of = Some(before).filter(|_| is_name)?;
            return Some(AttributeStatement {
                instead_of: Some(instead_of),
                scope,
                ..AttributeStatement::of(subject, used, value)
            });
        }
        let kind = match kind {
            Some(kind) => kind.to_owned(),
            None if is_choice && sort_of(&value) == ValueSort::Name => format!("{DOING}use"),
            None => return None,
        };
        Some(AttributeStatement {
            is_change: is_change || is_now || is_since_now,
            scope,
            ..AttributeStatement::of(subject, kind, value)
        })
    }

    /// `We replaced Jira with Linear`, `Dropped MongoDB in favour of Postgres for the orders`.
    pub(super) fn replaced_tool(mut self) -> Option<AttributeStatement> {
        let subject = if self.next_is(&REPLACED) { self.first_person()? } else { self.subject()? };
        self.skip_all(&["have", "has", "just", "now", "recently", "finally"]);
        let verb = self.lower(0).to_owned();
        self.takes(&REPLACED)?;
        let (before, _) = self.value(&[])?;
        self.skip(before.split(' ').count());
        let is_favour = self.next_is(&["in"])
            && matches!(self.lower(1), "favour" | "favor")
            && self.lower(2) == "of";
        match verb.as_str() {
            "replaced" => self.takes(&["with", "by"])?,
            _ if is_favour => self.skip(3),
            _ => self.takes(&["for"])?,
        }
        let (value, _) = self.value(&[])?;
        let kind =
            [&value, &before].into_iter().find_map(|name| kind_of_tool(&name.to_lowercase()));
        let are_names = [&value, &before].into_iter().all(|it| sort_of(it) == ValueSort::Name);
        if kind.is_none() && !are_names || self.is_passing_after(&value) {
            return None;
        }
        let attribute = kind.map_or_else(|| format!("{DOING}use"), str::to_owned);
        Some(AttributeStatement {
            scope: self.scope_after(&value),
            instead_of: Some(before),
            ..AttributeStatement::of(subject, attribute, value)
        })
    }

    /// The purpose or the part that follows a value.
    pub(super) fn scope_after(&self, value: &str) -> Option<String> {
        scope_of(self.words.get(value.split(' ').count()..)?)
    }
}

#[cfg(test)]
mod tests {
    use crate::attributes::tests::{replaced, unreplaced};

    #[test]
    fn another_tool_replaces_the_one_before() {
        let missed = unreplaced(&[
            ("We use Jira for tickets", "We replaced Jira with Linear"),
            ("We use Jira for tickets", "We replaced Jira with Linear for tickets"),
            ("We use Jira", "We have finally ditched Jira in favor of Linear"),
            ("We chose MongoDB for the orders", "We dropped MongoDB in favour of Postgres"),
            (
                "We chose MongoDB for the orders",
                "Dropped MongoDB in favour of Postgres for the orders",
            ),
            ("We use MongoDB for orders", "We switched from MongoDB to Postgres for the orders"),
            ("I use Vim for everything", "I now use Helix"),
            ("I use Vim for everything", "I swapped Vim for Helix"),
            ("We use npm", "We replaced npm with pnpm"),
            ("We use Slack for chat", "We switched from Slack to Zulip"),
        ]);
        assert!(missed.is_empty(), "{missed:#?}");
    }

    #[test]
    fn a_tool_for_something_else_stays() {
        let wrong = replaced(&[
            ("We use Postgres for orders", "We switched from Postgres to MySQL for billing"),
            ("We use Postgres for orders", "We replaced Postgres with MySQL for billing"),
            ("We use Postgres", "We replaced Postgres with MySQL in the billing service"),
            ("We use Jira for tickets", "We replaced Trello with Linear"),
            ("We use Jira for tickets", "We will replace Jira with Linear"),
            ("We use Jira for tickets", "Should we have replaced Jira with Linear?"),
            ("We use Jira for tickets", "We replaced Jira with Linear in 2010"),
            ("We use Jira for tickets", "If we replaced Jira with Linear, I would leave"),
            ("We use Jira for tickets", "Ben replaced Jira with Linear"),
            ("We use Jira for tickets", "We have not replaced Jira with Linear"),
            ("We use Jira for tickets", "We dropped Jira tickets for good"),
            ("I use Vim", "I now use Helix at work"),
            ("I use Vim for code", "I switched to Helix for prose"),
        ]);
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
