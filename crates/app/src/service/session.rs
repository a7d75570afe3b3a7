//! Who asks, when and where: what every request gets.

use std::path::Path;

use engine::Space;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::locator::SpaceLocator;
use crate::failure::{Failure, RequestError};
use crate::place::Home;
use crate::settings::{Settings, Sources};

/// What every request gets.
#[derive(Clone)]
pub(crate) struct Session {
    /// The user's own folder.
    pub(crate) home: Home,
    /// The spaces that were named; none if the one that is found is meant.
    pub(crate) spaces: Vec<String>,
    /// The model that was named, which counts more than the settings.
    pub(crate) embedder: Option<String>,
    /// The time of the request.
    pub(crate) now: Timestamp,
    /// Where the user is.
    pub(crate) zone: TimeZone,
}

impl Session {
    /// The one space that a request is about.
    pub(crate) fn locator(&self) -> Result<SpaceLocator<'_>, RequestError> {
        match self.spaces.as_slice() {
            [] => Ok(SpaceLocator { home: &self.home, named: None }),
            [named] => Ok(SpaceLocator { home: &self.home, named: Some(named) }),
            _ => Err(RequestError::SeveralSpaces),
        }
    }

    /// Opens the one space that a request is about, which must exist.
    pub(crate) fn open(&self) -> Result<Space, Failure> {
        self.locator()?.open()
    }

    /// Opens every space that was named, or the one that is found if none was.
    pub(crate) fn open_all(&self) -> Result<Vec<Space>, Failure> {
        if self.spaces.is_empty() {
            return Ok(vec![self.open()?]);
        }
        let locator = |named| SpaceLocator { home: &self.home, named: Some(named) };
        self.spaces.iter().map(|named| locator(named).open()).collect()
    }

    /// The same at another time: for what runs longer than a moment.
    pub(crate) fn at(&self, now: Timestamp) -> Self {
        Self { now, ..self.clone() }
    }

    /// The settings for a space, or those without one.
    pub(crate) fn settings(&self, space: Option<&Path>) -> Result<Settings, Failure> {
        let variable = |name: &str| std::env::var_os(name);
        let sources = Sources {
            option: self.embedder.as_deref(),
            variable: &variable,
            home: &self.home,
            space,
        };
        Ok(Settings::read(&sources)?)
    }

    /// A time for people, where the user is, to the minute.
    pub(crate) fn clock(&self, time: Timestamp) -> String {
        time.to_zoned(self.zone.clone()).strftime("%Y-%m-%d %H:%M").to_string()
    }

    /// The same, of a record.
    pub(crate) fn time(&self, stamp: kernel::operation::HlcTimestamp) -> String {
        self.clock(Timestamp::from_microsecond(stamp.0.cast_signed()).unwrap_or_default())
    }

    /// Today, where the user is.
    pub(crate) fn today(&self) -> jiff::civil::Date {
        self.now.to_zoned(self.zone.clone()).date()
    }
}
