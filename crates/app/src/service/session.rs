//! The context of every request: the user's home, the spaces, the configuration, the time.

use std::path::Path;
use std::sync::Arc;

use engine::Space;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use kernel::kind::Capability;

use super::effective::Scope;
use super::kept_configuration::KeptConfiguration;
use super::locator::SpaceLocator;
use super::opening::{OpenedSpace, SpaceUse};
use crate::configuration::{Configuration, Sources};
use crate::failure::{Failure, RequestError};
use crate::place::{GLOBAL, Home};

/// The context of a request.
#[derive(Clone)]
pub(crate) struct Session {
    /// The because home.
    pub(crate) home: Home,
    /// The spaces that were named; if empty, the space is searched for.
    pub(crate) spaces: Vec<String>,
    /// The model that was named, which overrides the configuration.
    pub(crate) embedder: Option<String>,
    /// The language model that was named, which overrides the configuration.
    pub(crate) language_model: Option<String>,
    /// The time of the request.
    pub(crate) now: Timestamp,
    /// The user's time zone.
    pub(crate) zone: TimeZone,
    /// The configuration that was read.
    pub(crate) kept: KeptConfiguration,
}

impl Session {
    /// A session of a home in a folder, at a time that does not change.
    #[cfg(test)]
    pub(crate) fn in_folder(folder: &Path) -> Self {
        Self {
            home: Home::at(folder.join("home")),
            spaces: Vec::new(),
            embedder: None,
            language_model: None,
            now: "2026-03-01T12:00:00Z".parse().expect("it is a time"),
            zone: TimeZone::UTC,
            kept: KeptConfiguration::default(),
        }
    }

    /// Locates the one space of a request.
    pub(crate) fn locator(&self) -> Result<SpaceLocator<'_>, RequestError> {
        match self.spaces.as_slice() {
            [] => Ok(SpaceLocator { home: &self.home, named: None }),
            [named] => Ok(SpaceLocator { home: &self.home, named: Some(named) }),
            _ => Err(RequestError::SeveralSpaces),
        }
    }

    /// Locates the home space.
    pub(crate) fn locator_of_home(&self) -> SpaceLocator<'_> {
        SpaceLocator { home: &self.home, named: Some(GLOBAL) }
    }

    /// Whether a space is the home space.
    pub(crate) fn is_home(&self, space: &Space) -> bool {
        space.path() == self.home.global_space()
    }

    /// Where a space is.
    pub(crate) fn scope_of(&self, space: &Space) -> Scope {
        if self.is_home(space) { Scope::Global } else { Scope::Project }
    }

    /// The home space, to be read; none if it does not exist.
    pub(crate) fn home_space(&self) -> Result<Option<OpenedSpace>, Failure> {
        match self.home.global_space().exists() {
            true => Ok(Some(self.locator_of_home().open(SpaceUse::Read)?)),
            false => Ok(None),
        }
    }

    /// The same where it is read under a project's space: only if no space was named.
    pub(crate) fn home_under(&self) -> Result<Option<OpenedSpace>, Failure> {
        if self.spaces.is_empty() { self.home_space() } else { Ok(None) }
    }

    /// The home space, to be written. It is created if it does not exist.
    pub(crate) fn home_to_write(&self) -> Result<OpenedSpace, Failure> {
        self.locator_of_home().open_or_make(SpaceUse::Write(Capability::Correct), self.now)
    }

    /// Opens the one space of a request, which must exist.
    pub(crate) fn open(&self, purpose: SpaceUse) -> Result<OpenedSpace, Failure> {
        self.locator()?.open(purpose)
    }

    /// The same for work that follows a write; none if none of the person's keys may write to it,
    /// as after taking in what another copy holds.
    pub(crate) fn open_if_permitted(&self) -> Result<Option<OpenedSpace>, Failure> {
        match self.open(SpaceUse::Write(Capability::Derive)) {
            Err(Failure::NotYourSpace { .. }) => Ok(None),
            opened => opened.map(Some),
        }
    }

    /// Opens every space that was named, or the one that was found if none was named, to read them.
    pub(crate) fn open_all(&self) -> Result<Vec<OpenedSpace>, Failure> {
        if self.spaces.is_empty() {
            return Ok(vec![self.open(SpaceUse::Read)?]);
        }
        let locator = |named| SpaceLocator { home: &self.home, named: Some(named) };
        self.spaces.iter().map(|named| locator(named).open(SpaceUse::Read)).collect()
    }

    /// The same session at another time, for long-running processes.
    pub(crate) fn at(&self, now: Timestamp) -> Self {
        Self { now, ..self.clone() }
    }

    /// The configuration for a space, or without one.
    pub(crate) fn configuration(
        &self,
        space: Option<&Path>,
    ) -> Result<Arc<Configuration>, Failure> {
        self.kept.of(&self.home, space, || self.read_configuration(space))
    }

    fn read_configuration(&self, space: Option<&Path>) -> Result<Configuration, Failure> {
        let variable = |name: &str| std::env::var_os(name);
        let sources = Sources {
            option: self.embedder.as_deref(),
            language_model: self.language_model.as_deref(),
            variable: &variable,
            home: &self.home,
            space,
        };
        Ok(Configuration::read(&sources)?)
    }

    /// A time for people, in the user's zone, to the minute.
    pub(crate) fn clock(&self, time: Timestamp) -> String {
        time.to_zoned(self.zone.clone()).strftime("%Y-%m-%d %H:%M").to_string()
    }

    /// The same for the time of a record.
    pub(crate) fn time(&self, stamp: kernel::operation::HlcTimestamp) -> String {
        self.clock(Timestamp::from_microsecond(stamp.0.cast_signed()).unwrap_or_default())
    }

    /// Today in the user's zone.
    pub(crate) fn today(&self) -> jiff::civil::Date {
        self.now.to_zoned(self.zone.clone()).date()
    }
}
