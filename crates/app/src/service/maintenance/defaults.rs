//! The usual options of maintenance, as the environment sets them.
//!
//! The names of an earlier program, `SURR_RETENTION_DAYS` and its kin, are read where ours are not
//! set.

use crate::failure::RequestError;

/// Days between a mark and the removal.
const RETENTION_DAYS: u64 = 30;
/// Longest retention, days: a hundred years.
const RETENTION_DAYS_MAX: u64 = 36_525;
/// Records that one call considers.
const CONSIDERED_MAX: u64 = 500;
/// Most records that one call can be told to consider.
const LIMIT_MAX: u64 = 1_000_000;
/// The usual options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Defaults {
    /// Days between a mark and the removal.
    pub(crate) retention_days: u64,
    /// Most records that one call considers.
    pub(crate) limit: usize,
}

impl Defaults {
    /// As the environment of this process has them.
    pub(crate) fn read() -> Result<Self, RequestError> {
        Self::of(|name| std::env::var_os(name))
    }

    fn of(value: impl Fn(&str) -> Option<std::ffi::OsString>) -> Result<Self, RequestError> {
        let set = |name: &'static str| {
            let earlier = name.replacen("BECAUSE", "SURR", 1);
            let set = value(name).filter(|text| !text.is_empty());
            set.or_else(|| value(&earlier).filter(|text| !text.is_empty()))
        };
        let text = |name: &'static str| match set(name).map(std::ffi::OsString::into_string) {
            Some(Err(_)) => Err(RequestError::Variable { name, detail: "is not UTF-8" }),
            Some(Ok(text)) => Ok(Some(text.trim().to_owned())),
            None => Ok(None),
        };
        let whole = |name: &'static str, usual: u64, max: u64, detail: &'static str| {
            let Some(text) = text(name)? else { return Ok(usual) };
            let number = text.parse().ok().filter(|number| *number <= max);
            number.ok_or(RequestError::Variable { name, detail })
        };
        let retention_days = whole(
            "BECAUSE_RETENTION_DAYS",
            RETENTION_DAYS,
            RETENTION_DAYS_MAX,
            "is not a number of days, at most 36525",
        )?;
        let limit =
            whole("BECAUSE_DB_LIMIT", CONSIDERED_MAX, LIMIT_MAX, "is not a number up to 1000000")?;
        Ok(Self { retention_days, limit: usize::try_from(limit.max(1)).unwrap_or(usize::MAX) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(set: &[(&str, &str)]) -> Result<Defaults, RequestError> {
        Defaults::of(|name| {
            set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).into())
        })
    }

    #[test]
    fn the_earlier_names_count_where_ours_are_not_set() {
        let usual = Defaults { retention_days: 30, limit: 500 };
        assert_eq!(of(&[]).unwrap(), usual);
        let earlier = [("SURR_RETENTION_DAYS", "7"), ("SURR_DB_LIMIT", "9")];
        let read = Defaults { retention_days: 7, limit: 9 };
        assert_eq!(of(&earlier).unwrap(), read);
        let ours = of(&[("SURR_RETENTION_DAYS", "7"), ("BECAUSE_RETENTION_DAYS", "0")]).unwrap();
        assert_eq!(ours, Defaults { retention_days: 0, ..usual });
    }

    #[test]
    fn a_variable_with_another_value_is_refused() {
        for (name, value) in [
            ("BECAUSE_RETENTION_DAYS", "-1"),
            ("SURR_RETENTION_DAYS", "99999"),
            ("BECAUSE_DB_LIMIT", "all"),
        ] {
            assert!(of(&[(name, value)]).is_err(), "{name}={value}");
        }
    }
}
