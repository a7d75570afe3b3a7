//! Who makes a request: the access token that it carries.
//!
//! A token leads to its file by its hash, so a request costs one look at one file, however many
//! tokens there are. What was read is kept as long as the file does not change: a revocation counts
//! at once, without a restart.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use axum::http::{HeaderMap, header};
use jiff::Timestamp;

use super::error::ApiError;
use crate::place::Home;
use crate::service::tokens::{Token, by_id, id_of_secret, is_secret_of};

/// Tokens kept in memory.
const KEPT_MAX: usize = 4_096;
/// The scheme of the header, in any letter case.
const SCHEME: &str = "bearer";

/// The state of a token's file.
type Stamp = (u64, Option<SystemTime>);

/// The tokens that were used lately.
pub(super) struct Callers {
    home: Home,
    kept: Mutex<BTreeMap<String, (Stamp, Arc<Token>)>>,
}

impl Callers {
    pub(super) fn new(home: Home) -> Self {
        Self { home, kept: Mutex::default() }
    }

    /// The token of a request.
    pub(super) fn of(&self, headers: &HeaderMap) -> Result<Arc<Token>, ApiError> {
        let secret = secret(headers).ok_or_else(ApiError::unauthorized)?;
        let id = id_of_secret(secret).ok_or_else(ApiError::unauthorized)?;
        let token = self.token(&id).ok_or_else(ApiError::unauthorized)?;
        match is_secret_of(&token, secret) && token.is_valid(Timestamp::now()) {
            true => Ok(token),
            false => Err(ApiError::unauthorized()),
        }
    }

    /// Whether a token is still accepted, for answers that go on for long.
    pub(super) fn still_accepts(&self, token: &Token) -> bool {
        self.token(&token.id).is_some_and(|token| token.is_valid(Timestamp::now()))
    }

    fn token(&self, id: &str) -> Option<Arc<Token>> {
        let metadata = std::fs::metadata(self.home.tokens().join(id)).ok()?;
        let stamp = (metadata.len(), metadata.modified().ok());
        let lock = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, token)) = lock().get(id)
            && *known == stamp
        {
            return Some(Arc::clone(token));
        }
        let token = Arc::new(by_id(&self.home, id)?);
        let mut kept = lock();
        if kept.len() >= KEPT_MAX {
            kept.clear();
        }
        kept.insert(id.to_owned(), (stamp, Arc::clone(&token)));
        Some(token)
    }
}

/// The secret that a request carries. Two of them are none: which one counts would be a guess.
fn secret(headers: &HeaderMap) -> Option<&str> {
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let (one, None) = (given.next()?, given.next()) else { return None };
    let (scheme, secret) = one.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case(SCHEME).then(|| secret.trim())
}
