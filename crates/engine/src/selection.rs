//! Which records an action concerns: by id, source, file, import, session, actor or month.
//!
//! Each part that is given must match. [`Reader::select`] resolves a selection to ids. It asks the
//! text index for candidates by session, source, actor and month, and reads only those; a selection
//! by id or import reads only what it names. A file has no index: selecting by file alone reads the
//! evidence of the whole ledger.

use std::collections::BTreeMap;

use jiff::civil::{Date, date};
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::LedgerIndex;
use kernel::validity::Validity;
use kernel::when::When;
use serde::Deserialize;
use store::sqlite::CandidateFilter;
use store::{Ledger, Position};

use crate::{EngineError, Reader};

/// Most records of one selection.
pub const RECORDS_MAX: usize = 1_000_000;
/// Operations read at a time, where the index has not read yet.
const READ_OPERATIONS: usize = 512;
/// Records whose state is looked up on one snapshot.
const CHECKED_RECORDS: usize = 4_096;

/// Which records. An empty selection selects none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// One of these ids, or beginnings of ids. If nothing else is given, they may name operations
    /// of any kind; otherwise only evidence is selected.
    pub ids: Vec<String>,
    /// Of this source, the name of a format, as `ical`; in any letter case.
    pub source: Option<String>,
    /// Of this file: its identity at its source is the path, or begins with it and `#` or `@`, or
    /// it belongs to a session of that name.
    pub file: Option<String>,
    /// Appended by the import with this id, or the beginning of one.
    pub import: Option<String>,
    /// Of this session.
    pub session: Option<String>,
    /// By this actor, in any letter case.
    pub actor: Option<String>,
    /// Of this month in local time.
    pub month: Option<Month>,
}

/// A month: `2025-03`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Month {
    first: Date,
}

/// A text is not a month.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a month: write it as 2025-03")]
pub struct MonthError {
    /// The text, cut to 64 characters.
    pub text: String,
}

impl std::str::FromStr for Month {
    type Err = MonthError;

    fn from_str(text: &str) -> Result<Self, MonthError> {
        let error = || MonthError { text: text.chars().take(64).collect() };
        let (year, month) = text.split_once('-').ok_or_else(error)?;
        let digits = year.bytes().chain(month.bytes()).all(|byte| byte.is_ascii_digit());
        if year.len() != 4 || month.len() != 2 || !digits {
            return Err(error());
        }
        let year: i16 = year.parse().map_err(|_| error())?;
        let month: i8 = month.parse().map_err(|_| error())?;
        Ok(Self { first: Date::new(year, month, 1).map_err(|_| error())? })
    }
}

impl std::fmt::Display for Month {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:04}-{:02}", self.first.year(), self.first.month())
    }
}

impl Month {
    fn days(self) -> (Date, Date) {
        (self.first, self.first.last_of_month())
    }

    fn contains(self, at: &When) -> bool {
        let day = at.date();
        date(day.year(), day.month(), 1) == self.first
    }
}

/// Which of the selected records count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordState {
    /// Those that are neither retracted nor superseded.
    Valid,
    /// Those that are retracted.
    Retracted,
    /// All of them.
    Any,
}

/// The fields of evidence that a selection compares.
#[derive(Deserialize)]
struct Compared {
    #[serde(default)]
    source: String,
    #[serde(default)]
    source_uid: String,
    #[serde(default)]
    actor: Option<String>,
    #[serde(default)]
    at: Option<When>,
    #[serde(default)]
    payload: ComparedPayload,
}

#[derive(Default, Deserialize)]
struct ComparedPayload {
    #[serde(default)]
    session: Option<String>,
}

impl Selection {
    /// Whether nothing is given.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether ids alone are given.
    pub fn is_by_id(&self) -> bool {
        !self.ids.is_empty() && *self == Self { ids: self.ids.clone(), ..Self::default() }
    }

    /// Whether the content of a record decides.
    fn compares_content(&self) -> bool {
        self.source.is_some()
            || self.file.is_some()
            || self.session.is_some()
            || self.actor.is_some()
            || self.month.is_some()
    }

    /// Whether a record with this canonical body matches all that is compared by content. A record
    /// whose body was removed matches only where nothing is.
    fn fits(&self, body: Option<&[u8]>) -> bool {
        if !self.compares_content() {
            return true;
        }
        let compared = body.and_then(|body| serde_json::from_slice::<Compared>(body).ok());
        let Some(compared) = compared else { return false };
        let same = |wanted: &Option<String>, found: Option<&str>| match wanted {
            Some(wanted) => {
                found.is_some_and(|found| found.to_lowercase() == wanted.to_lowercase())
            }
            None => true,
        };
        let session = compared.payload.session.as_deref();
        same(&self.source, Some(&compared.source))
            && same(&self.actor, compared.actor.as_deref())
            && self.session.as_deref().is_none_or(|wanted| session == Some(wanted))
            && self
                .file
                .as_deref()
                .is_none_or(|file| is_of_file(file, &compared.source_uid, session))
            && self
                .month
                .is_none_or(|month| compared.at.as_ref().is_some_and(|at| month.contains(at)))
    }

    /// In words, for people: `of source ical from 2025-03`.
    pub fn in_words(&self) -> String {
        let month = self.month.map(|month| month.to_string());
        let parts = [
            ("of source", &self.source),
            ("of file", &self.file),
            ("of import", &self.import),
            ("of session", &self.session),
            ("by", &self.actor),
            ("from", &month),
        ];
        let mut named: Vec<String> = parts
            .iter()
            .filter_map(|(word, part)| Some(format!("{word} {}", part.as_ref()?)))
            .collect();
        if !self.ids.is_empty() {
            named.insert(0, format!("named {}", self.ids.join(" or ")));
        }
        named.join(" ")
    }
}

fn is_of_file(file: &str, uid: &str, session: Option<&str>) -> bool {
    let rest = uid.strip_prefix(file);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['#', '@']))
        || session == Some(file)
}

impl Reader<'_> {
    /// The records that a selection selects and that are in `state`, in order of arrival.
    ///
    /// # Errors
    /// If there are more than [`RECORDS_MAX`].
    pub fn select(
        &self,
        selection: &Selection,
        state: RecordState,
    ) -> Result<Vec<OpId>, EngineError> {
        let mut found = BTreeMap::new();
        if !selection.ids.is_empty() {
            for name in &selection.ids {
                let shown = self.show(&self.resolve(name)?)?;
                let is_evidence = shown.operation.header().kind == Kind::Evidence;
                if selection.is_by_id() || (is_evidence && selection.fits(shown.operation.body())) {
                    found.insert(shown.position, shown.operation.id());
                }
            }
            if let Some(import) = &selection.import {
                let imported: BTreeMap<_, _> = self.imported_by(import)?.into_iter().collect();
                found.retain(|position, _| imported.contains_key(position));
            }
        } else if let Some(import) = &selection.import {
            for (position, _) in self.imported_by(import)? {
                self.take_fitting(selection, position, &mut found)?;
            }
        } else if !selection.is_empty() {
            let (candidates, reached) = self.store.candidates(&selection.as_candidates())?;
            for position in candidates {
                self.take_fitting(selection, position, &mut found)?;
            }
            self.take_after(selection, reached, &mut found)?;
        }
        self.in_state(found.into_values().collect(), state)
    }

    /// The names of everybody who said or wrote a record, by which a selection may name them.
    pub fn authors(&self) -> Result<Vec<String>, EngineError> {
        Ok(self.store.authors()?)
    }

    fn take_fitting(
        &self,
        selection: &Selection,
        position: Position,
        found: &mut BTreeMap<Position, OpId>,
    ) -> Result<(), EngineError> {
        if let Some(evidence) = self.store.evidence_at(position)?
            && selection.fits(evidence.body.as_deref())
        {
            found.insert(position, evidence.id);
            if found.len() > RECORDS_MAX {
                return Err(EngineError::SelectionTooLarge { records_max: RECORDS_MAX });
            }
        }
        Ok(())
    }

    /// Takes what the index has not read yet.
    fn take_after(
        &self,
        selection: &Selection,
        reached: Position,
        found: &mut BTreeMap<Position, OpId>,
    ) -> Result<(), EngineError> {
        let mut position = reached;
        loop {
            let recorded = self.store.read(position, READ_OPERATIONS)?;
            let Some(last) = recorded.last() else { return Ok(()) };
            position = last.position;
            for recorded in recorded {
                if recorded.operation.header().kind == Kind::Evidence {
                    self.take_fitting(selection, recorded.position, found)?;
                }
            }
        }
    }

    /// Those of `ids` that are in `state`, in their order.
    pub(crate) fn in_state(
        &self,
        ids: Vec<OpId>,
        state: RecordState,
    ) -> Result<Vec<OpId>, EngineError> {
        if state == RecordState::Any {
            return Ok(ids);
        }
        let mut kept = Vec::with_capacity(ids.len());
        for ids in ids.chunks(CHECKED_RECORDS) {
            self.store.on_snapshot(|index| {
                let mut validity = Validity::new(index);
                for id in ids {
                    let Some(entry) = index.entry(id)? else { continue };
                    let keeps = match state {
                        RecordState::Any => true,
                        RecordState::Valid => validity.is_valid_input(id)?,
                        RecordState::Retracted => validity.is_retracted(&entry)?,
                    };
                    if keeps {
                        kept.push(*id);
                    }
                }
                Ok::<_, EngineError>(())
            })?;
        }
        Ok(kept)
    }
}

impl Selection {
    fn as_candidates(&self) -> CandidateFilter {
        CandidateFilter {
            source: self.source.clone(),
            session: self.session.clone(),
            actor: self.actor.clone(),
            days: self.month.map(Month::days),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_is_a_year_and_two_digits() {
        assert_eq!("2025-03".parse::<Month>().unwrap().to_string(), "2025-03");
        for text in ["", "2025", "2025-3", "2025-13", "25-03", "2025-03-01", "+025-03", "2025-+3"] {
            assert!(text.parse::<Month>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_file_is_the_path_itself_and_not_a_longer_name() {
        assert!(is_of_file("a/b.md", "a/b.md#x", None));
        assert!(is_of_file("a/b.jpg", "a/b.jpg@1234", None));
        assert!(is_of_file("chat", "x/1", Some("chat")));
        assert!(!is_of_file("a/b.md", "a/b.md.bak#x", None));
        assert!(!is_of_file("b.md", "a/b.md#x", Some("a/b.md")));
    }
}
