//! In which conversations the person that a question names speaks.
//!
//! What somebody did is told where they talk: by them, or to them. In a memory of many
//! conversations, the turns of others share words with the question by chance. So a turn of a
//! conversation in which the person never speaks counts less, unless it names them.

use super::attributes::{Attribute, Attributes, NONE, TURN};

/// The conversations of the person, or of the people with that name.
pub(super) struct Conversations {
    /// By session, whether one of them speaks in it.
    is_theirs: Vec<bool>,
}

impl Conversations {
    /// Of people by their numbers. None if they speak in no conversation: then nothing is known
    /// about where they do.
    pub(super) fn of(attributes: &Attributes, people: &[u32]) -> Option<Self> {
        let mut is_theirs = vec![false; usize::try_from(attributes.session_count()).ok()?];
        let mut is_any = false;
        for (attribute, session) in attributes.rest.iter().zip(attributes.session.iter()) {
            if is_turn(attribute, *session)
                && people.contains(&attribute.author)
                && let Some(is_theirs) = is_theirs.get_mut(*session as usize)
            {
                *is_theirs = true;
                is_any = true;
            }
        }
        is_any.then_some(Self { is_theirs })
    }

    /// Whether a record is a turn of a conversation in which none of them speaks.
    pub(super) fn is_elsewhere(&self, attribute: &Attribute, session: u32) -> bool {
        is_turn(attribute, session)
            && self.is_theirs.get(session as usize).is_some_and(|theirs| !theirs)
    }
}

fn is_turn(attribute: &Attribute, session: u32) -> bool {
    attribute.marks & TURN != 0 && session != NONE
}
