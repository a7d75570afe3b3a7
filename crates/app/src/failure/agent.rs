//! Why an agent's key may not write.

use kernel::id::Author;

/// Why an agent's key cannot write to a space.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AgentError {
    /// The key may not write here, and the user's key may not allow it.
    #[error(
        "the key of {name} ({key}) may not write to this space, and the key of this device may not allow it: the owner of the space, {owner}, or another key with admin must grant it"
    )]
    NotGranted {
        /// The agent.
        name: String,
        /// Its key.
        key: Author,
        /// The owner's key.
        owner: String,
    },
    /// Somebody revoked what the key may do.
    #[error("the key of {name} ({key}) may not write to this space: its capabilities were revoked")]
    Revoked {
        /// The agent.
        name: String,
        /// Its key.
        key: Author,
    },
}

impl AgentError {
    /// The stable code.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::NotGranted { .. } => "agent_not_granted",
            Self::Revoked { .. } => "agent_revoked",
        }
    }

    /// The key that has to be granted something.
    pub(crate) fn key(&self) -> &Author {
        match self {
            Self::NotGranted { key, .. } | Self::Revoked { key, .. } => key,
        }
    }
}
