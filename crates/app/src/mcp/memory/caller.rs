//! Who calls: a host on this machine, or a program with an access token.

use std::collections::BTreeMap;
use std::sync::Arc;

use engine::Space;
use engine::private::Disclosure;

use crate::failure::Failure;
use crate::mcp::ToolName;
use crate::service::Session;
use crate::service::agents::{Agent, AgentId};
use crate::service::disclosure::for_agent;
use crate::service::tokens::{Grant, Right};

/// Agents whose keys are kept in memory. A process serves one host, which has one name.
const AGENTS_KEPT_MAX: usize = 8;

/// Who calls.
pub(super) enum Caller {
    /// Programs of one host, each with the key that its name has on this machine.
    Host {
        /// The host that was named when it was installed.
        installed: Option<String>,
        /// By the name of the calling program.
        agents: BTreeMap<Option<String>, Arc<Agent>>,
    },
    /// A program with a token.
    Token(TokenCaller),
}

/// A program with a token, whatever it calls itself.
pub(crate) struct TokenCaller {
    /// The agent with its key, for calls that write.
    agent: Option<Arc<Agent>>,
    disclosure: Disclosure,
    speaks_for_person: bool,
}

impl TokenCaller {
    /// A program with this grant, and its agent if it is about to write.
    pub(crate) fn new(agent: Option<Agent>, grant: &Grant) -> Self {
        Self {
            agent: agent.map(Arc::new),
            disclosure: grant.disclosure(),
            speaks_for_person: grant.has(Right::Correct),
        }
    }
}

/// In whose name a program reads.
pub(super) enum Reader {
    /// An agent of this machine, about whom the configuration decides.
    Agent(AgentId),
    /// A token, about whom its grant decides.
    Token {
        /// What it is shown.
        disclosure: Disclosure,
        /// Whether it may do what only the person may do otherwise.
        speaks_for_person: bool,
    },
}

impl Caller {
    /// A host of agents.
    pub(super) fn host(installed: Option<String>) -> Self {
        Self::Host { installed, agents: BTreeMap::new() }
    }

    /// The agent in whose name a program writes.
    pub(super) fn agent(
        &mut self,
        session: &Session,
        program: Option<&str>,
    ) -> Result<Arc<Agent>, Failure> {
        match self {
            Self::Host { installed, agents } => {
                let name = program.map(str::to_owned);
                if let Some(known) = agents.get(&name) {
                    return Ok(Arc::clone(known));
                }
                let agent = Arc::new(Agent::of(&session.home, installed.as_deref(), program)?);
                if agents.len() < AGENTS_KEPT_MAX {
                    agents.insert(name, Arc::clone(&agent));
                }
                Ok(agent)
            }
            Self::Token(caller) => {
                // A call that reads has no key to write with.
                let missing = || Failure::Protocol("a call that reads has no key".to_owned());
                caller.agent.clone().ok_or_else(missing)
            }
        }
    }

    /// Whether there is a key for what a program writes.
    pub(super) fn may_write(&self) -> bool {
        match self {
            Self::Host { .. } => true,
            Self::Token(caller) => caller.agent.is_some(),
        }
    }

    /// In whose name a program reads.
    pub(super) fn reader(&self, program: Option<&str>) -> Reader {
        match self {
            Self::Host { installed, .. } => {
                Reader::Agent(Agent::id_of(installed.as_deref(), program))
            }
            Self::Token(TokenCaller { disclosure, speaks_for_person, .. }) => {
                Reader::Token { disclosure: *disclosure, speaks_for_person: *speaks_for_person }
            }
        }
    }
}

impl Reader {
    /// What it is shown of a space.
    pub(super) fn disclosure(&self, session: &Session, space: &Space) -> Disclosure {
        match self {
            Self::Agent(id) => for_agent(session, space, id),
            Self::Token { disclosure, .. } => *disclosure,
        }
    }

    /// Whether it may act in the person's name at once.
    pub(super) fn may(
        &self,
        session: &Session,
        space: &Space,
        tool: ToolName,
    ) -> Result<bool, Failure> {
        Ok(match self {
            Self::Agent(id) => {
                session.configuration(Some(space.path()))?.agent_may(id.as_str(), tool.as_str())
            }
            Self::Token { speaks_for_person, .. } => *speaks_for_person,
        })
    }

    /// Whether it is a token that speaks for the person.
    pub(super) fn speaks_for_person(&self) -> bool {
        matches!(self, Self::Token { speaks_for_person: true, .. })
    }
}
