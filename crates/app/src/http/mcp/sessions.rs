//! Sessions of the protocol, and what conversations were shown.
//!
//! A session belongs to the token that began it. It ends when its client ends it, when it was idle
//! for long, when its token begins too many others, or with the server; a client then begins
//! another. Nothing that is written depends on a session.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use kernel::id::SpaceId;

use crate::http::error::ApiError;
use crate::service::surfacing::Conversations;

/// Sessions of one token; the one that was idle for longest makes room for another.
const OF_TOKEN_MAX: usize = 64;
/// Tokens that have sessions.
const TOKENS_MAX: usize = 1_024;
/// How long a session may be idle.
const IDLE_MAX: Duration = Duration::from_hours(12);
/// Places whose conversations are kept; beyond, the one that was idle for longest begins anew.
const PLACES_MAX: usize = 64;
/// Random bytes of an id.
const ID_BYTES: usize = 16;

/// A place where conversations are kept: a session, or else a token, in a space.
type Place = (String, SpaceId);

/// The sessions of a server.
#[derive(Default)]
pub(in crate::http) struct Sessions(Mutex<State>);

#[derive(Default)]
struct State {
    /// By token and id, when each was used last. Only tokens with sessions are in it.
    sessions: BTreeMap<String, BTreeMap<String, Instant>>,
    places: BTreeMap<Place, Kept>,
}

struct Kept {
    conversations: Arc<Mutex<Conversations>>,
    used: Instant,
}

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a session of a token. Its id.
    pub(super) fn begin(&self, token: &str, now: Instant) -> Result<String, ApiError> {
        let mut random = [0; ID_BYTES];
        getrandom::fill(&mut random).map_err(|error| ApiError::internal(error.to_string()))?;
        let id = data_encoding::HEXLOWER.encode(&random);
        let sessions = &mut self.lock().sessions;
        if sessions.len() >= TOKENS_MAX && !sessions.contains_key(token) {
            sessions.retain(|_, own| own.values().any(|used| is_fresh(*used, now)));
            if sessions.len() >= TOKENS_MAX {
                return Err(ApiError::busy());
            }
        }
        let own = sessions.entry(token.to_owned()).or_default();
        if own.len() >= OF_TOKEN_MAX
            && let Some((oldest, _)) = own.iter().min_by_key(|(_, used)| **used)
        {
            let oldest = oldest.clone();
            own.remove(&oldest);
        }
        own.insert(id.clone(), now);
        Ok(id)
    }

    /// Notes that a token uses a session. False if it has no such session.
    pub(super) fn touch(&self, id: &str, token: &str, now: Instant) -> bool {
        let sessions = &mut self.lock().sessions;
        let found = sessions.get_mut(token).and_then(|own| own.get_mut(id));
        let Some(used) = found.filter(|used| is_fresh(**used, now)) else { return false };
        *used = now;
        true
    }

    /// Ends a session of a token. False if it has no such session.
    pub(super) fn end(&self, id: &str, token: &str) -> bool {
        let mut state = self.lock();
        let Some(own) = state.sessions.get_mut(token) else { return false };
        let is_own = own.remove(id).is_some();
        if own.is_empty() {
            state.sessions.remove(token);
        }
        if is_own {
            state.places.retain(|(place, _), _| place != id);
        }
        is_own
    }

    /// The conversations of a session in a space, or those of a token without one.
    pub(super) fn conversations(&self, place: Place, now: Instant) -> Arc<Mutex<Conversations>> {
        let places = &mut self.lock().places;
        if places.len() >= PLACES_MAX
            && !places.contains_key(&place)
            && let Some((oldest, _)) = places.iter().min_by_key(|(_, kept)| kept.used)
        {
            let oldest = oldest.clone();
            places.remove(&oldest);
        }
        let begin = || Kept { conversations: Arc::default(), used: now };
        let kept = places.entry(place).or_insert_with(begin);
        kept.used = now;
        Arc::clone(&kept.conversations)
    }
}

/// Whether a session that was used then still lasts.
fn is_fresh(used: Instant, now: Instant) -> bool {
    now.saturating_duration_since(used) < IDLE_MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_its_token_s_own_and_ends_when_it_is_idle_or_ended() {
        let (sessions, begun) = (Sessions::default(), Instant::now());
        let id = sessions.begin("a", begun).unwrap();
        assert!(sessions.touch(&id, "a", begun + IDLE_MAX / 2));
        assert!(sessions.touch(&id, "a", begun + IDLE_MAX), "it was used since");
        assert!(!sessions.touch(&id, "b", begun) && !sessions.end(&id, "b"));
        assert!(!sessions.touch("", "a", begun) && !sessions.end("", "a"));
        assert!(!sessions.touch(&id, "a", begun + IDLE_MAX * 3));
        assert!(sessions.end(&id, "a") && !sessions.end(&id, "a"));
        assert!(!sessions.touch(&id, "a", begun));
    }

    #[test]
    fn sessions_and_conversations_are_bounded() {
        let (sessions, begun) = (Sessions::default(), Instant::now());
        let at = |second: usize| begun + Duration::from_secs(second as u64);
        let other = sessions.begin("b", begun).unwrap();
        let ids: Vec<String> =
            (0..=OF_TOKEN_MAX).map(|number| sessions.begin("a", at(number)).unwrap()).collect();
        let now = at(OF_TOKEN_MAX);
        assert!(!sessions.touch(&ids[0], "a", now), "the oldest made room");
        assert!(sessions.touch(&ids[1], "a", now) && sessions.touch(&other, "b", now));
        for token in 0..TOKENS_MAX - 2 {
            sessions.begin(&format!("t{token}"), now).unwrap();
        }
        assert_eq!(sessions.lock().sessions.len(), TOKENS_MAX);
        assert_eq!(sessions.begin("c", now).unwrap_err().code, "BUSY");
        sessions.begin("c", now + IDLE_MAX).unwrap();

        let space = SpaceId(kernel::id::OpId::from_slice(&[1; 32]).unwrap());
        for number in 0..2 * PLACES_MAX {
            sessions.conversations((number.to_string(), space), at(number));
        }
        let state = sessions.lock();
        assert_eq!(state.places.len(), PLACES_MAX);
        assert!(!state.places.contains_key(&("0".to_owned(), space)));
    }
}
