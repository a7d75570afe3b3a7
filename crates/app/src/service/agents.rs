//! The keys of agents.
//!
//! An agent writes with a key of its own, so that what it says can be told from what the user says.
//! Each host of agents has one key on this machine, named after the host: `agents/NAME.key` in the
//! because home. When an agent first writes to a space, the user's key grants it `append` and
//! `derive`. If the user revokes them, nothing grants them again.

use derivers::lookalikes::{likeness, names_owner, passes_for_owner};
use derivers::slug::slug;
use engine::keys::KeyRing;
use engine::{Sealer, Space};
use jiff::Timestamp;
use kernel::kind::Capability;
use kernel::seal::Signer;

use super::tokens::Token;
use crate::failure::{AgentError, Failure};
use crate::place::Home;

/// Longest name of a program, characters; longer ones are cut.
const NAME_CHARS_MAX: usize = 80;
/// Longest name of a key's file, without its ending.
const FILE_CHARS_MAX: usize = 64;
/// The name of an agent whose program has no name, or one that passes for the user.
pub(crate) const UNNAMED: &str = "agent";
/// The hosts that the server is installed for, by the ids of their agents.
const HOSTS: [(&str, &str); 3] =
    [("claude-code", "Claude Code"), ("cursor", "Cursor"), ("codex", "Codex")];
/// What an agent's key may do.
const GRANTED: [Capability; 2] = [Capability::Append, Capability::Derive];

/// The name by which an agent's key and what the configuration says of it are found: a safe name of
/// a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct AgentId(String);

/// An agent and its key.
pub(crate) struct Agent {
    /// Its id.
    pub(crate) id: AgentId,
    /// Its name, for people.
    pub(crate) name: String,
    /// Its key.
    pub(crate) sealer: Sealer,
    /// It has what its access token was granted, and nothing grants it more.
    has_token: bool,
}

impl AgentId {
    /// The id of a program's name. Names that differ in case, spaces or punctuation have one id; a
    /// name that passes for the user has the id of a program without a name.
    pub(crate) fn of(name: &str) -> Self {
        let name: String = slug(name).chars().take(FILE_CHARS_MAX).collect();
        // Letters of other alphabets are kept apart by their code points, in plain ASCII.
        let ascii: String = name
            .chars()
            .map(|letter| match letter {
                letter if letter.is_ascii() => letter.to_string(),
                letter => format!("{:x}", u32::from(letter)),
            })
            .collect();
        let id: String = ascii.chars().take(FILE_CHARS_MAX).collect();
        let id = id.trim_matches('-');
        if id.is_empty() || passes_for_owner(&name) {
            return Self(UNNAMED.to_owned());
        }
        Self(id.to_owned())
    }

    /// The id as text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// The name of the host with that id.
pub(crate) fn host_name(id: &AgentId) -> Option<&'static str> {
    HOSTS.iter().find(|(host, _)| *host == id.as_str()).map(|(_, name)| *name)
}

/// The name of a program, for people; a neutral one if it has none or passes for the user.
pub(crate) fn program_name(name: Option<&str>) -> String {
    let name: String = name.unwrap_or_default().trim().chars().take(NAME_CHARS_MAX).collect();
    if likeness(&name).is_empty() || names_owner(&name) { UNNAMED.to_owned() } else { name }
}

/// The same where the names of the user's own keys are known, which no program may take.
pub(crate) fn program_name_among(name: Option<&str>, keys: &KeyRing) -> String {
    let name = program_name(name);
    if is_name_of_user(&name, keys) { UNNAMED.to_owned() } else { name }
}

/// Whether a name looks like that of a key that speaks for the user.
pub(crate) fn is_name_of_user(name: &str, keys: &KeyRing) -> bool {
    let looks = likeness(name);
    keys.names_of_holders(Capability::Correct).any(|known| likeness(known) == looks)
}

impl Agent {
    /// The id of the agent of the host that was named when it was installed, else of the calling
    /// program.
    pub(crate) fn id_of(installed: Option<&str>, program: Option<&str>) -> AgentId {
        AgentId::of(installed.unwrap_or(&program_name(program)))
    }

    /// The agent of the host that was named when it was installed, else of the calling program. Its
    /// key is made if there is none yet.
    pub(crate) fn of(
        home: &Home,
        installed: Option<&str>,
        program: Option<&str>,
    ) -> Result<Self, Failure> {
        let name = program_name(program);
        let id = Self::id_of(installed, program);
        let name = host_name(&id).map_or(name, str::to_owned);
        let sealer = Sealer::new(home.agent_signer(id.as_str())?);
        Ok(Self { id, name, sealer, has_token: false })
    }

    /// The program that an access token belongs to, which writes with the token's key.
    pub(crate) fn of_token(token: &Token, signer: Signer) -> Self {
        let sealer = Sealer::new(signer);
        Self { id: AgentId::of(&token.name), name: token.name.clone(), sealer, has_token: true }
    }

    /// Makes sure that the agent's key may write to a space: if nobody decided about it yet, the
    /// user's key grants it `append` and `derive`.
    pub(crate) fn let_in(&self, space: &mut Space, now: Timestamp) -> Result<(), Failure> {
        let (key, user) = (self.sealer.author(), space.author());
        let (may_append, may_grant) = {
            let reader = space.reader()?;
            (reader.may(&key, Capability::Append, now)?, reader.may(&user, Capability::Admin, now)?)
        };
        if may_append {
            return Ok(());
        }
        let keys = space.key_ring()?;
        let name = program_name_among(Some(&self.name), &keys);
        if keys.has_decided_on(&key) {
            // Another process of the same agent may have been first just now.
            if space.reader()?.may(&key, Capability::Append, now)? {
                return Ok(());
            }
            return Err(AgentError::Revoked { name, key }.into());
        }
        if (self.has_token || !may_grant) && !space.is_read_only() {
            let owner = keys.owner().map_or_else(String::new, |owner| owner.to_string());
            return Err(AgentError::NotGranted { name, key, owner }.into());
        }
        space.change_access(key, &name, GRANTED.to_vec(), true, now)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_safe_and_short_name_of_a_file() {
        for (name, id) in [
            ("claude-code", "claude-code"),
            (" Claude Code ", "claude-code"),
            ("../../key", "key"),
            ("a/b\\c\0d", "a-b-c-d"),
            ("", "agent"),
            ("...", "agent"),
            ("user", "agent"),
            ("The Uѕer", "agent"),
            ("日", "65e5"),
        ] {
            assert_eq!(AgentId::of(name).as_str(), id, "{name:?}");
        }
        let long = AgentId::of(&"x".repeat(10_000));
        assert_eq!(long.as_str().len(), FILE_CHARS_MAX);
    }

    #[test]
    fn no_program_is_named_as_the_user() {
        for (name, shown) in [
            (Some("Cursor"), "Cursor"),
            (Some(" user "), "agent"),
            (Some("us\u{200b}er"), "agent"),
            (Some("Humаn"), "agent"),
            (Some("human user"), "agent"),
            (Some("you (human)"), "agent"),
            (Some("user-research-bot"), "agent"),
            (Some("\u{200b}"), "agent"),
            (None, "agent"),
        ] {
            assert_eq!(program_name(name), shown, "{name:?}");
        }
    }
}
