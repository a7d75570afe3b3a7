//! The usual options of maintenance, as the environment sets them.
//!
//! The names of an earlier program, `SURR_RETENTION_DAYS` and its kin, are read where ours are not
//! set.

use std::path::PathBuf;

use crate::failure::RequestError;
use crate::service::Session;

/// Days between a mark and the removal.
const RETENTION_DAYS: u64 = 30;
/// Longest retention, days: a hundred years.
pub(crate) const RETENTION_DAYS_MAX: u64 = 36_525;
/// Records that one call considers.
const CONSIDERED_MAX: u64 = 500;
/// Most records that one call can be told to consider.
pub(crate) const LIMIT_MAX: u64 = 1_000_000;
/// How often a server archives and erases by itself.
const SCHEDULE: &str = "BECAUSE_MAINTENANCE_SCHEDULE";
/// Where archives are, in the because home.
const ARCHIVES: &str = "archive";

/// The format of an archive.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    clap::ValueEnum,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ArchiveFormat {
    /// Apache Parquet.
    Parquet,
    /// JSON lines.
    Jsonl,
}

impl ArchiveFormat {
    /// Its name, which files of it end in.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Jsonl => "jsonl",
        }
    }
}

/// The usual options.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Defaults {
    /// Days between a mark and the removal.
    pub(crate) retention_days: u64,
    /// Where archives are.
    pub(crate) archive_dir: PathBuf,
    /// Their format.
    pub(crate) format: ArchiveFormat,
    /// Most records that one call considers.
    pub(crate) limit: usize,
    /// How often a server archives and erases by itself; never if none.
    pub(crate) every: Option<std::time::Duration>,
}

impl Defaults {
    /// As the environment of this process has them.
    pub(crate) fn read(session: &Session) -> Result<Self, RequestError> {
        Self::of(session, |name| std::env::var_os(name))
    }

    fn of(
        session: &Session,
        value: impl Fn(&str) -> Option<std::ffi::OsString>,
    ) -> Result<Self, RequestError> {
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
        let format = match text("BECAUSE_ARCHIVE_FORMAT")?.as_deref() {
            None | Some("parquet") => ArchiveFormat::Parquet,
            Some("jsonl") => ArchiveFormat::Jsonl,
            Some(_) => {
                let detail = "is neither parquet nor jsonl";
                return Err(RequestError::Variable { name: "BECAUSE_ARCHIVE_FORMAT", detail });
            }
        };
        let hours = match text(SCHEDULE)?.as_deref() {
            None | Some("off") => None,
            Some("hourly") => Some(1),
            Some("daily") => Some(24),
            Some("weekly") => Some(24 * 7),
            Some(_) => {
                let detail = "is neither off nor hourly, daily or weekly";
                return Err(RequestError::Variable { name: SCHEDULE, detail });
            }
        };
        let every = hours.map(|hours| std::time::Duration::from_secs(hours * 3_600));
        let retention_days = whole(
            "BECAUSE_RETENTION_DAYS",
            RETENTION_DAYS,
            RETENTION_DAYS_MAX,
            "is not a number of days, at most 36525",
        )?;
        let limit =
            whole("BECAUSE_DB_LIMIT", CONSIDERED_MAX, LIMIT_MAX, "is not a number up to 1000000")?;
        let archive_dir = match set("BECAUSE_ARCHIVE_DIR") {
            Some(folder) => PathBuf::from(folder),
            None => session.home.folder().join(ARCHIVES),
        };
        Ok(Self {
            retention_days,
            archive_dir,
            format,
            limit: usize::try_from(limit.max(1)).unwrap_or(usize::MAX),
            every,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(set: &[(&str, &str)]) -> Result<Defaults, RequestError> {
        Defaults::of(&Session::in_folder(std::path::Path::new("/x")), |name| {
            set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).into())
        })
    }

    #[test]
    fn the_earlier_names_count_where_ours_are_not_set() {
        let usual = Defaults {
            retention_days: 30,
            archive_dir: "/x/home/archive".into(),
            format: ArchiveFormat::Parquet,
            limit: 500,
            every: None,
        };
        assert_eq!(of(&[]).unwrap(), usual);
        let earlier = [
            ("SURR_RETENTION_DAYS", "7"),
            ("SURR_ARCHIVE_DIR", "/a"),
            ("SURR_ARCHIVE_FORMAT", "jsonl"),
            ("SURR_DB_LIMIT", "9"),
        ];
        let format = ArchiveFormat::Jsonl;
        let archive_dir = "/a".into();
        let read = Defaults { retention_days: 7, archive_dir, format, limit: 9, every: None };
        assert_eq!(of(&earlier).unwrap(), read);
        let ours = of(&[("SURR_RETENTION_DAYS", "7"), ("BECAUSE_RETENTION_DAYS", "0")]).unwrap();
        assert_eq!(ours, Defaults { retention_days: 0, ..usual });
    }

    #[test]
    fn a_variable_with_another_value_is_refused() {
        for (name, value) in [
            ("BECAUSE_RETENTION_DAYS", "-1"),
            ("SURR_RETENTION_DAYS", "99999"),
            ("BECAUSE_ARCHIVE_FORMAT", "csv"),
            ("BECAUSE_DB_LIMIT", "all"),
            ("BECAUSE_MAINTENANCE_SCHEDULE", "often"),
        ] {
            assert!(of(&[(name, value)]).is_err(), "{name}={value}");
        }
    }
}
