//! How many requests a token may make: a bucket of tokens that fills up steadily.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Requests a minute, if nothing else is set.
pub(crate) const A_MINUTE_DEFAULT: u32 = 60_000;
/// Buckets kept before full ones, which say nothing, are dropped.
const KEPT_MAX: usize = 4_096;

/// The limit, for each access token by itself.
pub(super) struct RateLimit {
    /// Requests a minute, at most so many at once; none for no limit.
    a_minute: Option<u32>,
    buckets: Mutex<BTreeMap<String, Bucket>>,
}

#[derive(Clone, Copy)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl RateLimit {
    pub(super) fn new(a_minute: Option<u32>) -> Self {
        Self { a_minute, buckets: Mutex::default() }
    }

    /// Takes one request of a token, or says how long to wait.
    pub(super) fn take(&self, token: &str, now: Instant) -> Result<(), Duration> {
        let Some(a_minute) = self.a_minute else { return Ok(()) };
        let capacity = f64::from(a_minute.max(1));
        let a_second = capacity / 60.0;
        let level = |bucket: &Bucket| {
            let passed = now.saturating_duration_since(bucket.at).as_secs_f64();
            (bucket.left + passed * a_second).min(capacity)
        };
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= KEPT_MAX {
            buckets.retain(|_, bucket| level(bucket) < capacity);
        }
        let bucket = buckets.entry(token.to_owned()).or_insert(Bucket { left: capacity, at: now });
        let left = level(bucket);
        if left < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - left) / a_second));
        }
        *bucket = Bucket { left: left - 1.0, at: now };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_token_has_its_own_limit_which_time_restores() {
        let (limit, begun) = (RateLimit::new(Some(3)), Instant::now());
        for _ in 0..3 {
            limit.take("a", begun).unwrap();
        }
        assert!(limit.take("a", begun).unwrap_err() <= Duration::from_secs(20));
        limit.take("b", begun).unwrap();
        limit.take("a", begun + Duration::from_secs(21)).unwrap();
        assert!(limit.take("a", begun + Duration::from_secs(21)).is_err());
    }

    #[test]
    fn without_a_limit_nobody_waits() {
        let limit = RateLimit::new(None);
        assert!((0..10_000).all(|_| limit.take("a", Instant::now()).is_ok()));
    }
}
