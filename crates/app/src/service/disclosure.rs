//! Who is shown what is private.
//!
//! The one rule, for every surface:
//!
//! - A person who reads one space with their own program sees everything.
//! - Of several spaces, only the one that the person is in shows what is private: the one that is
//!   found without a name.
//! - An agent sees nothing private, unless the user's own configuration names it
//!   (`agents.read_private`).
//! - Asking for `private` by name, at the command line, shows it in all spaces and for any agent.
//! - A context never holds anything private: it is made for a model that did not ask for it.
//!
//! What is private follows from the ledger ([`engine::private`]). For a reader to whom it is not
//! disclosed, it does not exist: its ids and keys are unknown, and searches do not say how much
//! they missed. Only answers about something that the reader may see count what they withhold.

use std::path::Path;

use engine::private::Disclosure;
use engine::write::commit::Change;
use engine::{EngineError, Space};
use kernel::evidence::Visibility;

use super::Session;
use super::agents::AgentId;
use super::locator::SpaceLocator;
use crate::failure::Failure;

/// Who asks for what.
pub(crate) struct Audience<'a> {
    /// The agent who asks, or for whom somebody asks; none if it is the person.
    pub(crate) agent: Option<&'a AgentId>,
    /// Whether private records were asked for by name, at the person's own command line.
    pub(crate) names_private: bool,
}

/// What an agent is shown of a space.
pub(crate) fn for_agent(session: &Session, space: &Space, agent: &AgentId) -> Disclosure {
    // A configuration that cannot be read allows nothing.
    let configuration = session.configuration(Some(space.path()));
    match configuration
        .is_ok_and(|configuration| configuration.agent_may_read_private(agent.as_str()))
    {
        true => Disclosure::Full,
        false => Disclosure::WithoutPrivate,
    }
}

/// What is shown of each of `spaces`, which are searched together.
pub(crate) fn of_spaces<'s>(
    session: &Session,
    spaces: impl ExactSizeIterator<Item = &'s Space>,
    audience: &Audience<'_>,
) -> Result<Vec<Disclosure>, Failure> {
    let is_one = spaces.len() == 1;
    let own = match is_one {
        true => None,
        false => Some(SpaceLocator { home: &session.home, named: None }.locate()?.path),
    };
    let is_own = |space: &Space| own.as_deref().is_none_or(|own| is_same(own, space.path()));
    let shown = |space: &Space| {
        if audience.names_private {
            return Disclosure::Full;
        }
        match audience.agent {
            _ if !is_own(space) => Disclosure::WithoutPrivate,
            Some(agent) => for_agent(session, space, agent),
            None => Disclosure::Full,
        }
    };
    Ok(spaces.map(shown).collect())
}

fn is_same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// The visibilities that may be found of those that were asked for, all if empty. None if nothing
/// may be found.
pub(crate) fn visibilities(
    asked: &[Visibility],
    disclosure: Disclosure,
) -> Option<Vec<Visibility>> {
    let shown = disclosure.visibilities();
    if shown.is_empty() || asked.is_empty() {
        return Some(if shown.is_empty() { asked.to_vec() } else { shown });
    }
    let both: Vec<Visibility> =
        asked.iter().filter(|visibility| shown.contains(visibility)).copied().collect();
    (!both.is_empty()).then_some(both)
}

/// The full name of the record that `text` names. What is not disclosed has the error of an id that
/// nothing has.
pub(crate) fn record_named(
    space: &Space,
    text: &str,
    disclosure: Disclosure,
) -> Result<String, EngineError> {
    match space.name_disclosed(text, disclosure) {
        Err(EngineError::UnknownBelief { name, .. }) => {
            Err(EngineError::UnknownId { prefix: name })
        }
        named => space.full_name(&named?),
    }
}

/// The full name of the belief or record that `text` names, with the error of an unknown belief.
pub(crate) fn belief_named(
    space: &Space,
    text: &str,
    disclosure: Disclosure,
) -> Result<String, EngineError> {
    space.full_name(&space.name_disclosed(text, disclosure)?)
}

/// Whether a change is one of a private belief, before or after.
pub(crate) fn is_private_change(space: &Space, change: &Change) -> Result<bool, EngineError> {
    if let Some(before) = &change.before
        && space.is_private_belief(before)?
    {
        return Ok(true);
    }
    space.is_private_belief(&change.after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Visibility::{Global, Private, Project};

    #[test]
    fn nobody_finds_more_by_asking_for_it_than_they_are_shown() {
        let check = |asked: &[Visibility], disclosure, found: Option<&[Visibility]>| {
            assert_eq!(visibilities(asked, disclosure).as_deref(), found, "{asked:?}");
        };
        check(&[], Disclosure::Full, Some(&[]));
        check(&[Private], Disclosure::Full, Some(&[Private]));
        check(&[], Disclosure::WithoutPrivate, Some(&[Project, Global]));
        check(&[Private, Global], Disclosure::WithoutPrivate, Some(&[Global]));
        check(&[Private], Disclosure::WithoutPrivate, None);
    }
}
