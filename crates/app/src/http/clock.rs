//! The time of the server.
//!
//! Builds for tests (the feature `test-clock`) have an endpoint that moves it forward, so that
//! decay over days can be tested over HTTP. Access tokens end by the machine's own clock in every
//! build.

#[cfg(not(any(test, feature = "test-clock")))]
use jiff::Timestamp;

#[cfg(any(test, feature = "test-clock"))]
pub(super) use moved::advance;

/// The clock of a server.
#[derive(Default)]
pub(super) struct Clock {
    /// How far it was moved.
    #[cfg(any(test, feature = "test-clock"))]
    ahead_s: std::sync::atomic::AtomicI64,
}

impl Clock {
    /// The time.
    #[cfg(not(any(test, feature = "test-clock")))]
    #[expect(clippy::unused_self, reason = "builds for tests keep state")]
    pub(super) fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

#[cfg(any(test, feature = "test-clock"))]
mod moved {
    use std::sync::Arc;
    use std::sync::atomic::Ordering;

    use axum::body::Bytes;
    use axum::extract::State;
    use axum::response::Response;
    use jiff::{SignedDuration, Timestamp};
    use serde_json::{Value, json};

    use super::super::App;
    use super::super::error::ApiError;
    use super::super::json::{parse, response};
    use super::Clock;

    /// Most hours by which one request moves the clock: a century.
    const ADVANCE_HOURS_MAX: f64 = 876_600.0;
    /// Seconds of an hour.
    const HOUR_S: f64 = 3_600.0;

    impl Clock {
        /// The machine's time, and how far it was moved.
        pub(in super::super) fn now(&self) -> Timestamp {
            let ahead = SignedDuration::from_secs(self.ahead_s.load(Ordering::Relaxed));
            Timestamp::now().checked_add(ahead).unwrap_or(Timestamp::MAX)
        }
    }

    /// `POST /test/clock {"advance_hours": N}`.
    pub(in super::super) async fn advance(
        State(app): State<Arc<App>>,
        body: Bytes,
    ) -> Result<Response, ApiError> {
        let hours = parse(&body)?.get("advance_hours").and_then(Value::as_f64);
        let Some(hours) = hours.filter(|hours| (0.0..=ADVANCE_HOURS_MAX).contains(hours)) else {
            let message = format!("advance_hours must be a number from 0 to {ADVANCE_HOURS_MAX}");
            return Err(ApiError::validation(message));
        };
        app.clock.ahead_s.fetch_add((hours * HOUR_S).round() as i64, Ordering::Relaxed);
        Ok(response(&json!({ "now": app.clock.now().to_string() })))
    }
}
