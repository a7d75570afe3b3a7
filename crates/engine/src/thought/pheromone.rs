//! The weight that use gives a thought.
//!
//! A weight decays with every whole hour since the last access, down to a floor. It is computed
//! when it is read, from what was stored and the time, so nothing sweeps the journal.
//!
//! An access stores the decayed weight and its own time. Feedback is not an access: it stores the
//! decayed weight and the time up to which that has decayed ([`last_whole_hour`]), so that hours
//! go on counting from the last access however often feedback comes.

use store::sqlite::ThoughtUse;

/// The weight of a new thought.
pub const FIRST: f64 = 1.0;
/// A weight is never less.
pub const FLOOR: f64 = 0.1;
/// A weight is never more.
pub const CEILING: f64 = 10.0;
/// What is left of a weight after an hour.
pub const AN_HOUR: f64 = 0.995;
/// What an access adds.
pub const ACCESS: f64 = 0.05;
/// What feedback adds.
pub const FEEDBACK: f64 = 0.02;
/// How much of its sources' weight a refinement or consolidation begins with.
pub const INHERITED_SHARE: f64 = 0.5;

const HOUR_US: i64 = 3_600_000_000;

/// The whole hours from `last_us` to `now_us`.
fn hours_between(last_us: i64, now_us: i64) -> i64 {
    now_us.saturating_sub(last_us).max(0) / HOUR_US
}

/// The time up to which a weight has decayed at `now_us`: the last of the whole hours from
/// `last_us`.
///
/// ```
/// use engine::thought::pheromone::last_whole_hour;
///
/// let minutes = |count: i64| count * 60_000_000;
/// assert_eq!(last_whole_hour(minutes(10), minutes(69)), minutes(10));
/// assert_eq!(last_whole_hour(minutes(10), minutes(140)), minutes(130));
/// ```
pub fn last_whole_hour(last_us: i64, now_us: i64) -> i64 {
    last_us.saturating_add(hours_between(last_us, now_us).saturating_mul(HOUR_US))
}

/// A weight that was `weight` at `last_us`, at `now_us`.
pub fn decayed(weight: f64, last_us: i64, now_us: i64) -> f64 {
    let hours = hours_between(last_us, now_us);
    let weight = if weight.is_finite() { weight } else { FIRST };
    let hours = i32::try_from(hours).unwrap_or(i32::MAX);
    (weight * AN_HOUR.powi(hours)).clamp(FLOOR, CEILING)
}

/// The weight of a thought at `now_us`, from its use; `created_us` is when it was contributed.
pub fn weight(used: Option<&ThoughtUse>, created_us: i64, now_us: i64) -> f64 {
    match used {
        Some(used) => decayed(used.weight, used.last_us, now_us),
        None => decayed(FIRST, created_us, now_us),
    }
}

/// A weight after something was added.
pub fn raised(weight: f64, by: f64) -> f64 {
    (weight + by).clamp(FLOOR, CEILING)
}

/// The weight with which a thought begins that was made from thoughts of these weights.
///
/// ```
/// use engine::thought::pheromone::inherited;
///
/// assert_eq!(inherited(&[6.0]), 3.0);
/// assert_eq!(inherited(&[1.0]), 1.0);
/// assert_eq!(inherited(&[4.0, 8.0]), 3.0);
/// assert_eq!(inherited(&[]), 1.0);
/// ```
pub fn inherited(sources: &[f64]) -> f64 {
    let mean = sources.iter().sum::<f64>() / sources.len() as f64;
    let share = INHERITED_SHARE * mean;
    if share.is_finite() { share.clamp(FIRST, CEILING) } else { FIRST }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_decays_by_whole_hours_down_to_the_floor() {
        let hours = |count: i64| count * HOUR_US;
        assert!((decayed(1.0, 0, hours(24)) - 0.8867).abs() < 1e-4);
        assert_eq!(decayed(1.0, 0, hours(1) - 1), 1.0, "no whole hour");
        assert_eq!(decayed(1.0, 0, hours(100_000)), FLOOR);
        assert_eq!(decayed(1.0, hours(5), 0), 1.0, "a clock that goes back adds nothing");
        assert_eq!(decayed(f64::NAN, 0, 0), 1.0);
    }

    #[test]
    fn a_weight_stays_below_the_ceiling() {
        assert_eq!(raised(9.99, ACCESS), CEILING);
        assert_eq!(inherited(&[f64::INFINITY]), FIRST);
        assert_eq!(inherited(&[100.0]), CEILING);
    }
}
