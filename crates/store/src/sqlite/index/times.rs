//! How well records fit the times in a question: by their day, and by wordings that they quote.

use jiff::civil::Date;
use retrieval::question::{Question, Quote, RecordTime};

use super::attributes::{Attribute, NO_DAY, NO_TIME};
use super::evidence::said_at;
use super::postings::BLOCK;
use super::search::{Search, TermRows, holding_all};
use crate::{Position, StoreError};

/// Days around 1970 for which the fit of a date is cached in a table, about 120 years in either
/// direction.
const DAYS_REMEMBERED: i32 = 45_000;
/// Most texts that are read for one pass, to see whether they have the words of a day beside each
/// other. Of more records than that, a wording counts if its terms tell it.
const READ_MAX: usize = 4096;
/// Most bytes of these texts.
const READ_BYTES_MAX: usize = 1 << 19;
/// Microseconds of a day.
const DAY_US: i64 = 86_400_000_000;
/// Orders of records of one day are below this: a day of a record is its local one, so its time is
/// up to a day before or after that day in UTC.
const TIES_OF_A_DAY: i64 = 1 << 40;

/// What the index knows about the times in a question.
pub(super) struct Times {
    /// Those of [`Question::quotes`] whose terms the index knows, with their rows.
    pub(super) quotes: Vec<(Quote, Vec<TermRows>)>,
    /// The number of the kind of events.
    pub(super) event_kind: Option<u8>,
    /// The same of cancelled ones.
    pub(super) cancellation_kind: Option<u8>,
}

/// The fit of each record; those of a day are computed once.
pub(super) struct TimeFits<'a> {
    search: &'a Search<'a>,
    question: &'a Question,
    times: &'a Times,
    /// By day: other records than events, and events.
    remembered: [Vec<f64>; 2],
    /// The block that was looked at last, and which of its documents have the terms of each quote.
    holding: Option<(u32, Vec<Vec<bool>>)>,
    /// The record that was looked at last.
    last: Option<Read>,
    /// How many texts were read, and their bytes.
    read: usize,
    read_bytes: usize,
}

/// A record, and which wordings it has.
struct Read {
    position: Position,
    /// What it says, if it may be read.
    text: Option<String>,
    /// By the number of the wording.
    known: Vec<Option<bool>>,
}

impl Read {
    fn has(&mut self, number: usize, quote: &Quote) -> bool {
        if let Some(known) = self.known.get(number).copied().flatten() {
            return known;
        }
        let has = match &self.text {
            Some(text) => quote.is_in(text),
            None => quote.is_told_by_terms(),
        };
        if let Some(known) = self.known.get_mut(number) {
            *known = Some(has);
        }
        has
    }
}

impl<'a> TimeFits<'a> {
    pub(super) fn new(search: &'a Search<'a>, question: &'a Question, times: &'a Times) -> Self {
        let remembered = [Vec::new(), Vec::new()];
        Self {
            search,
            question,
            times,
            remembered,
            holding: None,
            last: None,
            read: 0,
            read_bytes: 0,
        }
    }

    /// True if the question mentions no time.
    pub(super) fn is_empty(&self) -> bool {
        !self.question.asks_of_a_time()
    }

    pub(super) fn fit(&mut self, document: u32, attribute: &Attribute) -> Result<f64, StoreError> {
        if self.is_empty() {
            return Ok(0.0);
        }
        // What was called off is not the next of anything.
        let is_called_off = self.times.cancellation_kind == Some(attribute.kind);
        if is_called_off && self.question.nearest.is_some() {
            return Ok(0.0);
        }
        let is_event = self.times.event_kind == Some(attribute.kind);
        let by_day = self.by_day(attribute.day, is_event);
        let quoted = RecordTime { is_quoted: true, ..RecordTime::default() };
        let if_quoted = self.question.time_fit(quoted);
        // An event is of its own days. It may name others, as one that was left out of a series.
        let may_be_quoted = !(is_event && self.question.asks_for_days);
        if by_day >= if_quoted || !may_be_quoted || !self.is_quoted(document, attribute)? {
            return Ok(by_day);
        }
        Ok(if_quoted)
    }

    /// Whether a record contains a wording.
    fn is_quoted(&mut self, document: u32, attribute: &Attribute) -> Result<bool, StoreError> {
        let times = self.times;
        if times.quotes.is_empty() {
            return Ok(false);
        }
        let block = document / BLOCK;
        let holding = match self.holding.take() {
            Some((known, holding)) if known == block => holding,
            _ => times.quotes.iter().map(|(_, terms)| holding_all(terms, block)).collect(),
        };
        let is_held = |held: &Vec<bool>| held.get((document % BLOCK) as usize) == Some(&true);
        let held = times.quotes.iter().zip(&holding).enumerate();
        let held = held.filter(|(_, (_, held))| is_held(held));
        let day = date_of(attribute.day);
        let of_day = held.filter(|(_, ((quote, _), _))| quote.is_of(day));
        let held: Vec<(usize, &Quote)> =
            of_day.map(|(number, ((quote, _), _))| (number, quote)).collect();
        self.holding = Some((block, holding));
        if held.iter().any(|(_, quote)| !quote.must_be_together()) {
            return Ok(true);
        }
        if held.is_empty() {
            return Ok(false);
        }
        // The passages of a record follow each other, and they have one text.
        let last = self.last.take().filter(|last| last.position == attribute.position);
        let mut read = match last {
            Some(last) => last,
            None => Read {
                position: attribute.position,
                text: self.text(attribute)?,
                known: vec![None; times.quotes.len()],
            },
        };
        let is_quoted = held.into_iter().any(|(number, quote)| read.has(number, quote));
        self.last = Some(read);
        Ok(is_quoted)
    }

    /// What a record says, if it may be read.
    fn text(&mut self, attribute: &Attribute) -> Result<Option<String>, StoreError> {
        if self.read >= READ_MAX || self.read_bytes >= READ_BYTES_MAX {
            return Ok(None);
        }
        self.read += 1;
        let text = said_at(self.search.connection, attribute.position, READ_BYTES_MAX)?;
        self.read_bytes += text.as_ref().map_or(0, String::len);
        Ok(text)
    }

    fn by_day(&mut self, day: i32, is_event: bool) -> f64 {
        if day == NO_DAY {
            return 0.0;
        }
        let place = day.checked_add(DAYS_REMEMBERED).and_then(|place| usize::try_from(place).ok());
        let Some(place) = place.filter(|place| *place < 2 * DAYS_REMEMBERED as usize) else {
            return self.compute(day, is_event);
        };
        let known = self.remembered[usize::from(is_event)].get(place).copied();
        if let Some(known) = known.filter(|known| !known.is_nan()) {
            return known;
        }
        let fit = self.compute(day, is_event);
        let remembered = &mut self.remembered[usize::from(is_event)];
        remembered.resize(2 * DAYS_REMEMBERED as usize, f64::NAN);
        remembered[place] = fit;
        fit
    }

    fn compute(&self, day: i32, is_event: bool) -> f64 {
        self.question.time_fit(RecordTime { date: date_of(day), is_event, is_quoted: false })
    }
}

/// The civil day of an attribute.
fn date_of(day: i32) -> Option<Date> {
    if day == NO_DAY {
        return None;
    }
    let span = jiff::Span::new().try_days(day).ok()?;
    Date::constant(1970, 1, 1).checked_add(span).ok()
}

/// What orders equal scores first, the greater one first: how near a record is to the query's day
/// and, if `in_order`, then how early it is.
pub(super) fn tie(attribute: &Attribute, today: Option<i32>, in_order: bool) -> i64 {
    let days = match today {
        Some(_) if attribute.day == NO_DAY => return i64::MIN,
        Some(today) => i64::from(attribute.day).abs_diff(i64::from(today)).cast_signed(),
        None => 0,
    };
    if !in_order {
        return -days;
    }
    let time = match attribute.at_us {
        NO_TIME => 0,
        at_us => at_us.saturating_sub(i64::from(attribute.day).saturating_mul(DAY_US)),
    };
    let limit = TIES_OF_A_DAY / 2 - 1;
    (-days).saturating_mul(TIES_OF_A_DAY).saturating_sub(time.clamp(-limit, limit))
}
