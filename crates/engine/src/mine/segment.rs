//! Segments: where conversations, tasks and days of work end.
//!
//! The records of one source and session are one thread, in the order of their own times. A thread
//! is cut after an hour of silence, where a loop of an agent takes a snapshot, where somebody says
//! that another subject follows, and where the words change. Commits, mail and notes are cut where
//! the date changes. Private records have segments of their own, so that nothing about them is in
//! what others may see. The same records always have the same segments.

use std::collections::BTreeMap;

use kernel::evidence::{EvidenceKind, Visibility};
use kernel::id::OpId;
use retrieval::text::{Analyzer, Language, Term};

use super::evidence::{LOOP_KINDS, MinableRecord};

/// The silence that ends a segment, microseconds.
pub const SILENCE_US: i64 = 60 * 60 * 1_000_000;
/// Most records of a segment.
pub const RECORDS_MAX: usize = 200;
/// Records on each side of a place where the words may change, and fewest of a segment there.
const BLOCK_RECORDS: usize = 6;
/// Fewest terms of such a block.
const BLOCK_TERMS_MIN: u32 = 40;
/// Highest similarity of two blocks about different things: the cosine of their terms.
const SIMILARITY_MAX: f64 = 0.03;
/// How much of a record is read for its words, bytes.
const READ_BYTES_MAX: usize = 2_000;

/// How a turn begins that takes up another subject or task.
const NEW_SUBJECTS: [&str; 22] = [
    "new topic",
    "new subject",
    "new task",
    "next topic",
    "next task",
    "next item",
    "another topic",
    "different topic",
    "on another note",
    "on a different note",
    "changing the subject",
    "change of subject",
    "let's move on to",
    "let's switch to",
    "moving on to",
    "switching to",
    "neues thema",
    "anderes thema",
    "nouveau sujet",
    "autre sujet",
    "nuevo tema",
    "otro tema",
];

/// Records that belong together, in order of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// The records; at least one.
    pub records: Vec<MinableRecord>,
}

impl Segment {
    /// Who may see all of it.
    pub fn visibility(&self) -> Visibility {
        let visibilities = self.records.iter().map(MinableRecord::visibility);
        visibilities.reduce(crate::write::graph::stricter).unwrap_or(Visibility::Private)
    }

    /// When it begins, and which record is its first.
    fn order(&self) -> Option<(i64, OpId)> {
        self.records.first().map(|record| (record.at_us(), record.id()))
    }
}

/// The segments of records, by the time of their first records.
pub fn segments(records: Vec<MinableRecord>) -> Vec<Segment> {
    let mut threads: BTreeMap<(bool, String, String), Vec<MinableRecord>> = BTreeMap::new();
    for record in records {
        let Some(evidence) = record.evidence() else { continue };
        let is_private = evidence.visibility == Visibility::Private;
        let session = evidence.payload.session.clone().unwrap_or_default();
        threads.entry((is_private, evidence.source.clone(), session)).or_default().push(record);
    }
    let mut analyzer = Analyzer::new(Language::default());
    let mut segments: Vec<Segment> = Vec::new();
    for (_, mut thread) in threads {
        thread.sort_by_key(|record| (record.at_us(), record.record.order()));
        segments.extend(cut(thread, &mut analyzer));
    }
    segments.sort_by_key(Segment::order);
    segments
}

/// Cuts a thread.
fn cut(thread: Vec<MinableRecord>, analyzer: &mut Analyzer) -> Vec<Segment> {
    let mut cuts = Vec::new();
    let mut start = 0;
    for (place, pair) in (1..).zip(thread.windows(2)) {
        let [before, after] = pair else { continue };
        if is_end(before, after) || place - start >= RECORDS_MAX {
            cuts.push(place);
            start = place;
        }
    }
    pieces(thread, &cuts).into_iter().flat_map(|piece| cut_by_words(piece, analyzer)).collect()
}

/// The records before, between and after some places, which are in order.
fn pieces(mut records: Vec<MinableRecord>, cuts: &[usize]) -> Vec<Vec<MinableRecord>> {
    let mut pieces: Vec<_> = cuts.iter().rev().map(|place| records.split_off(*place)).collect();
    pieces.push(records);
    pieces.reverse();
    pieces
}

/// Whether a segment ends between two records of a thread.
fn is_end(before: &MinableRecord, after: &MinableRecord) -> bool {
    if kind(before) == "snapshot" || takes_up_another(after) {
        return true;
    }
    match is_talk(before) && is_talk(after) {
        true => after.at_us().saturating_sub(before.at_us()) >= SILENCE_US,
        false => date(before) != date(after),
    }
}

fn kind(record: &MinableRecord) -> &str {
    record.evidence().map_or("", |evidence| evidence.kind.0.as_str())
}

fn is_talk(record: &MinableRecord) -> bool {
    kind(record) == EvidenceKind::TURN || LOOP_KINDS.contains(&kind(record))
}

/// The record's date, where its source gives it; otherwise that of its recording in UTC.
pub(super) fn date(record: &MinableRecord) -> jiff::civil::Date {
    match record.evidence().and_then(|evidence| evidence.at.as_ref()) {
        Some(at) => at.date(),
        None => {
            let recorded = jiff::Timestamp::from_microsecond(record.at_us()).unwrap_or_default();
            recorded.to_zoned(jiff::tz::TimeZone::UTC).date()
        }
    }
}

/// Whether a turn of a person says that something else follows.
fn takes_up_another(record: &MinableRecord) -> bool {
    let Some(evidence) = record.evidence() else { return false };
    let is_person = evidence.payload.role.as_deref().is_none_or(|role| role == "user");
    if kind(record) != EvidenceKind::TURN || !is_person {
        return false;
    }
    let text = &evidence.payload.text;
    let head: String = text.chars().take(64).flat_map(char::to_lowercase).collect();
    let head = head.replace('’', "'");
    let opening = head.trim_start_matches(|letter: char| !letter.is_alphanumeric());
    let opening = ["ok, ", "okay, ", "so, ", "now, ", "ok ", "okay ", "so "]
        .iter()
        .find_map(|filler| opening.strip_prefix(filler))
        .unwrap_or(opening);
    NEW_SUBJECTS.iter().any(|subject| opening.starts_with(subject))
}

type Terms = BTreeMap<Term, u32>;

/// Cuts a conversation where its words change. `TextTiling` (Hearst 1997) with records for token
/// sequences: blocks on both sides of a place are compared, and the least similar place is cut
/// first.
fn cut_by_words(records: Vec<MinableRecord>, analyzer: &mut Analyzer) -> Vec<Segment> {
    if records.len() < 2 * BLOCK_RECORDS || !records.iter().all(is_talk) {
        return vec![Segment { records }];
    }
    let terms: Vec<Terms> = records.iter().map(|record| terms_of(record, analyzer)).collect();
    let mut valleys: Vec<(f64, usize)> = Vec::new();
    for place in BLOCK_RECORDS..=records.len() - BLOCK_RECORDS {
        let before = sum(terms.get(place - BLOCK_RECORDS..place).unwrap_or_default());
        let after = sum(terms.get(place..place + BLOCK_RECORDS).unwrap_or_default());
        let is_enough = |terms: &Terms| terms.values().sum::<u32>() >= BLOCK_TERMS_MIN;
        if is_enough(&before) && is_enough(&after) {
            let similarity = cosine(&before, &after);
            if similarity <= SIMILARITY_MAX {
                valleys.push((similarity, place));
            }
        }
    }
    valleys.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    let mut cuts: Vec<usize> = Vec::new();
    for (_, place) in valleys {
        if cuts.iter().all(|cut| cut.abs_diff(place) >= BLOCK_RECORDS) {
            cuts.push(place);
        }
    }
    cuts.sort_unstable();
    pieces(records, &cuts).into_iter().map(|records| Segment { records }).collect()
}

/// The terms of a record, without stop words.
pub(super) fn terms_of(record: &MinableRecord, analyzer: &mut Analyzer) -> Terms {
    let text = record.evidence().map_or("", |evidence| evidence.said());
    let text = retrieval::text::cut(text, READ_BYTES_MAX);
    analyzer.analyze(text, &[]).terms.into_iter().collect()
}

fn sum(block: &[Terms]) -> Terms {
    let mut sum = Terms::new();
    for (term, count) in block.iter().flatten() {
        let total = sum.entry(term.clone()).or_default();
        *total = total.saturating_add(*count);
    }
    sum
}

fn cosine(one: &Terms, other: &Terms) -> f64 {
    let square = |terms: &Terms| -> f64 {
        terms.values().map(|count| f64::from(*count) * f64::from(*count)).sum()
    };
    let dot: f64 = one
        .iter()
        .filter_map(|(term, count)| Some(f64::from(*count) * f64::from(*other.get(term)?)))
        .sum();
    let norm = (square(one) * square(other)).sqrt();
    if norm > 0.0 { dot / norm } else { 0.0 }
}

#[cfg(test)]
#[path = "segment_tests.rs"]
mod tests;
