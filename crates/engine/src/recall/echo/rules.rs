//! Decides whether a record is an echo: a pure function of the record, an earlier record and the
//! texts that were shown. `docs/design/0014-echo.md` explains the rules.

use std::collections::BTreeSet;

use kernel::evidence::{Evidence, EvidenceKind};
use kernel::when::When;
use retrieval::shingles::Shingles;
use retrieval::text::negation::is_decisive;
use store::sqlite::ShownRecord;

/// Texts of fewer words are too common to identify their origin.
pub(super) const WORDS_MIN: usize = 8;
/// Fewest words of a repetition that is not word for word, or that has no time.
pub(super) const LONG_WORDS_MIN: usize = 12;
/// Fewest different shingles: one word repeated many times does not identify its origin.
pub(super) const SHINGLES_MIN: usize = 4;
/// Share of a text that must be repeated for the text to be an echo.
pub(super) const ECHO_SHARE: f64 = 0.8;
/// The same for a tool result that contains ids of records that were shown. Only memory knows these
/// ids, so the rest of the result, such as the list of omitted records, comes from memory too.
pub(super) const ANSWER_SHARE: f64 = 0.3;
/// How far the clocks of two exports may be apart, microseconds.
const SAME_TIME_US: u64 = 120 * 1_000_000;
/// Zones differ by multiples of this, microseconds.
const ZONE_STEP_US: u64 = 15 * 60 * 1_000_000;
/// The furthest that a lost zone moves a time, microseconds.
const ZONE_MAX_US: u64 = 14 * 3_600 * 1_000_000;
/// A day, microseconds.
const DAY_US: i64 = 86_400 * 1_000_000;
/// Longest JSON that is parsed, bytes.
const JSON_BYTES_MAX: usize = 1 << 20;

/// The text of a record, prepared for comparison.
#[derive(Clone, Debug)]
pub(crate) struct TextFingerprint {
    /// Its text without the marks and headings of a context.
    pub(super) text: String,
    pub(super) shingles: Shingles,
    /// A hash of all its words and its day: equal in another export of the record, and different
    /// from the same words on another day.
    pub(super) of_its_day: u32,
}

impl TextFingerprint {
    /// The fingerprint of a record; `None` if its text is too short or too repetitive to compare.
    pub(crate) fn of(evidence: &Evidence) -> Option<Self> {
        let text = plain(evidence);
        let shingles = Shingles::of(&text);
        // A short text is compared only with the texts shown in its own conversation.
        let in_conversation =
            is_of_agents(evidence) && evidence.payload.session.is_some() && shingles.words > 0;
        let is_long = shingles.words >= WORDS_MIN && shingles.hashes().len() >= SHINGLES_MIN;
        (is_long || in_conversation).then(|| Self {
            of_its_day: of_its_day(&shingles, evidence.at.as_ref()),
            text,
            shingles,
        })
    }

    /// Whether the text is long enough to identify its origin.
    pub(super) fn is_long(&self) -> bool {
        self.shingles.words >= WORDS_MIN && self.shingles.hashes().len() >= SHINGLES_MIN
    }
}

/// A hash of all words and a day.
fn of_its_day(shingles: &Shingles, at: Option<&When>) -> u32 {
    let day = at.map_or(0, |at| {
        let date = at.date();
        u64::from(date.year().unsigned_abs()) * 1_000 + u64::from(date.day_of_year().unsigned_abs())
    });
    // Multiplied by an odd number days stay apart in the upper half.
    ((shingles.exact ^ day.wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 32) as u32
}

/// Whether a record is text that can be copied. Other records, such as events, describe
/// occurrences, and several occurrences may have the same text.
pub(super) fn is_text(evidence: &Evidence) -> bool {
    matches!(evidence.kind.0.as_str(), EvidenceKind::TURN | EvidenceKind::NOTE | EvidenceKind::MAIL)
}

/// Whether a record is part of a conversation with an agent.
fn is_of_agents(evidence: &Evidence) -> bool {
    evidence.payload.role.is_some()
}

/// Whether the record comes from an agent, its tools or its instructions.
fn is_by_machine(evidence: &Evidence) -> bool {
    matches!(evidence.payload.role.as_deref(), Some("assistant" | "tool" | "system"))
}

/// The actor, if it is a name: `user` identifies nobody.
fn actor(evidence: &Evidence) -> Option<String> {
    let actor = evidence.actor.as_deref()?.trim().to_lowercase();
    (!matches!(actor.as_str(), "" | "user" | "human" | "me" | "you")).then_some(actor)
}

fn may_be_by_one_person(one: &Evidence, other: &Evidence) -> bool {
    match (actor(one), actor(other)) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    }
}

/// The similarity of two texts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Likeness {
    pub(super) is_exact: bool,
    /// Share of the new text that is in the old.
    pub(super) share: f64,
    /// Share of the old text that is in the new.
    pub(super) share_back: f64,
}

impl Likeness {
    pub(super) fn of(new: &TextFingerprint, old: &TextFingerprint) -> Self {
        Self {
            is_exact: new.shingles.exact == old.shingles.exact,
            share: new.shingles.share_in(old.shingles.hashes()),
            share_back: old.shingles.share_in(new.shingles.hashes()),
        }
    }
}

/// Whether a new record repeats an earlier one that is still valid.
pub(super) fn repeats(
    new: (&Evidence, &TextFingerprint),
    old: (&Evidence, &TextFingerprint),
    likeness: Likeness,
) -> bool {
    let ((record, fingerprint), (earlier, earlier_fingerprint)) = (new, old);
    let is_other = (&record.source, &record.source_uid) != (&earlier.source, &earlier.source_uid);
    if !is_other || !fingerprint.is_long() {
        return false;
    }
    if !is_text(record) || !is_text(earlier) {
        // The same appointment in two calendars.
        let same_instant = matches!((&record.at, &earlier.at), (Some(one), Some(other)) if one.instant_us() == other.instant_us());
        let same_thing =
            record.kind == earlier.kind && record.payload.title == earlier.payload.title;
        return likeness.is_exact
            && same_instant
            && same_thing
            && may_be_by_one_person(record, earlier);
    }
    let is_long = fingerprint.shingles.words >= LONG_WORDS_MIN;
    let is_alike = likeness.is_exact
        || (likeness.share >= ECHO_SHARE
            && is_long
            && !differs_in_statement(fingerprint, earlier_fingerprint, likeness));
    if !is_alike {
        return false;
    }
    if is_by_machine(record) && !is_before(record, earlier) {
        // A repetition by an agent is not evidence, whoever made the first statement.
        return true;
    }
    if is_by_machine(earlier) || !may_be_by_one_person(record, earlier) {
        return false;
    }
    // Notes made from one form differ in a word, which is what they are about.
    let adds_nothing = || likeness.is_exact || adds_no_word(fingerprint, earlier_fingerprint);
    match (&record.at, &earlier.at) {
        // The same text at the same time, in two exports.
        (Some(at), Some(earlier_at)) => {
            let whole = likeness.is_exact || likeness.share_back >= ECHO_SHARE;
            whole
                && if record.source == earlier.source {
                    at == earlier_at && adds_nothing()
                } else if at.is_date_only() || earlier_at.is_date_only() {
                    is_same_time(at, earlier_at) && adds_nothing()
                } else {
                    is_same_time(at, earlier_at)
                }
        }
        // A copy without a time has the time of its original.
        (None, _) => is_long && adds_nothing(),
        // A record with a time describes an occurrence at that time.
        (Some(_), None) => false,
    }
}

/// Whether a record is known to be of an earlier time than another.
fn is_before(record: &Evidence, other: &Evidence) -> bool {
    match (&record.at, &other.at) {
        (Some(at), Some(other)) => latest_us(at) < earliest_us(other),
        _ => false,
    }
}

/// Whether the times of two exports may be the same instant: a clock may differ a little, a zone or
/// the time of day may be lost.
fn is_same_time(one: &When, other: &When) -> bool {
    if one.is_date_only() || other.is_date_only() || one.civil() == other.civil() {
        return one.date() == other.date();
    }
    let apart_us = one.instant_us().abs_diff(other.instant_us());
    apart_us <= SAME_TIME_US || (apart_us <= ZONE_MAX_US && apart_us.is_multiple_of(ZONE_STEP_US))
}

/// The earliest instant that a time can mean.
fn earliest_us(at: &When) -> i64 {
    if has_offset(at) {
        at.instant_us()
    } else {
        at.instant_us().saturating_sub(ZONE_MAX_US.cast_signed())
    }
}

/// The latest instant that a time can mean.
fn latest_us(at: &When) -> i64 {
    let day = if at.is_date_only() { DAY_US } else { 0 };
    let zone = if has_offset(at) { 0 } else { ZONE_MAX_US.cast_signed() };
    at.instant_us().saturating_add(day).saturating_add(zone)
}

fn has_offset(at: &When) -> bool {
    at.as_str().parse::<jiff::Timestamp>().is_ok()
}

/// Whether a record may be copied from a text that an agent was shown in a conversation at a time:
/// the record must not be earlier, and must come from a conversation with agents, from that agent,
/// or from no named actor and without a time of its own.
pub(super) fn may_come_from(
    evidence: &Evidence,
    fingerprint: &TextFingerprint,
    agent: &str,
    session: Option<&str>,
    ts_us: i64,
) -> bool {
    if !is_text(evidence) || evidence.at.as_ref().is_some_and(|at| latest_us(at) < ts_us) {
        return false;
    }
    let in_session = session.is_some() && evidence.payload.session.as_deref() == session;
    let by_agent = evidence.actor.as_deref().is_some_and(|actor| actor == agent);
    let by_nobody = actor(evidence).is_none() && fingerprint.shingles.words >= LONG_WORDS_MIN;
    let written_down = evidence.at.is_none() || evidence.source == "remember";
    is_of_agents(evidence) || in_session || by_agent || (by_nobody && written_down)
}

/// Whether a record is a tool result that contains the full id of a record that was shown.
pub(super) fn is_our_answer(evidence: &Evidence, records: &[ShownRecord]) -> bool {
    let text = &evidence.payload.text;
    evidence.payload.role.as_deref() == Some("tool")
        && text.contains("b3:")
        && records.iter().any(|record| text.contains(&record.id.to_string()))
}

/// Whether a text has no word that an earlier one lacks.
fn adds_no_word(new: &TextFingerprint, old: &TextFingerprint) -> bool {
    let old: BTreeSet<String> = retrieval::shingles::words(&old.text).into_iter().collect();
    retrieval::shingles::words(&new.text).iter().all(|word| old.contains(word))
}

/// Whether a near repetition makes another statement: it differs in a number or a negation. In an
/// excerpt only words that the whole text lacks count.
fn differs_in_statement(new: &TextFingerprint, old: &TextFingerprint, likeness: Likeness) -> bool {
    let (new_words, old_words) = (decisive_words(&new.text), decisive_words(&old.text));
    let is_whole = likeness.share_back >= ECHO_SHARE;
    !new_words.is_subset(&old_words) || (is_whole && !old_words.is_subset(&new_words))
}

/// Whether the words that a quotation adds, given by their places, turn it into another statement:
/// a quotation that is denied or corrected is new evidence.
pub(super) fn says_otherwise(fingerprint: &TextFingerprint, added: &[usize]) -> bool {
    let words = retrieval::shingles::words(&fingerprint.text);
    added.iter().filter_map(|place| words.get(*place)).any(|word| is_decisive(word))
}

/// The words of a text that turn it into another statement.
fn decisive_words(text: &str) -> BTreeSet<String> {
    retrieval::shingles::words(text).into_iter().filter(|word| is_decisive(word)).collect()
}

/// A record's text without what only frames memory: the marks of a context, the lines that name
/// records, the conversation that it repeats; of JSON that a tool answered, its texts.
fn plain(evidence: &Evidence) -> String {
    let text = evidence.said();
    let opened = if is_by_machine(evidence) { strings_of_json(text) } else { None };
    let text = opened.as_deref().unwrap_or(text);
    if text.contains("b3:") {
        return without_frame(text);
    }
    text.lines().map(|line| without_list_mark(line.trim())).collect::<Vec<_>>().join("\n")
}

/// The texts in a JSON document, a line each, after what stands before it; none if there is none. A
/// transcript may have cut it off anywhere, so its strings are read without the rest.
fn strings_of_json(text: &str) -> Option<String> {
    let text = text.trim_start();
    let begins = |mark: &&str| {
        text.strip_prefix(mark).map(|_| 0).or_else(|| Some(text.find(&format!("\n{mark}"))? + 1))
    };
    let start = ["{", "[{", "[\""].iter().filter_map(begins).min()?;
    let (head, text) = text.split_at_checked(start).filter(|_| text.len() <= JSON_BYTES_MAX)?;
    let mut strings = head.to_owned();
    let mut string: Option<String> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (&mut string, c) {
            (None, '"') => string = Some(String::new()),
            (None, _) => {}
            (Some(_), '"') => keep_text(&mut strings, string.take()),
            (Some(read), '\\') => match chars.next() {
                Some('n' | 'r') => read.push('\n'),
                Some('t' | 'u') => read.push(' '),
                Some(escaped) => read.push(escaped),
                None => {}
            },
            (Some(read), c) => read.push(c),
        }
    }
    keep_text(&mut strings, string.take());
    Some(strings)
}

/// Keeps a string that is a text: names of fields and ids have no spaces.
fn keep_text(strings: &mut String, string: Option<String>) {
    if let Some(text) = string.filter(|string| string.contains(' ')) {
        strings.push_str(&text);
        strings.push('\n');
    }
}

/// Without the lines that `because` writes around what it gives.
fn without_frame(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut in_conversation = false;
    for line in text.lines() {
        let trimmed = line.trim();
        let is_mark =
            |name: &str| trimmed.strip_prefix(name).is_some_and(|rest| rest.starts_with(' '));
        if is_mark("<conversation") || is_mark("<tool_results") {
            in_conversation = true;
        } else if is_mark("</conversation") || is_mark("</tool_results") {
            in_conversation = false;
        } else if !in_conversation
            && !is_mark("<memory")
            && !is_mark("</memory")
            && !names_a_record(trimmed)
            && !matches!(trimmed, "Believed:" | "Said or seen:")
        {
            kept.push_str(without_list_mark(trimmed.strip_prefix("| ").unwrap_or(trimmed)));
            kept.push('\n');
        }
    }
    kept
}

/// Without the number of an item in a list, which says nothing.
fn without_list_mark(line: &str) -> &str {
    /// Digits of such a number.
    const DIGITS_MAX: usize = 3;
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = line.len() - rest.len();
    let mark = rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "));
    mark.filter(|_| (1..=DIGITS_MAX).contains(&digits)).unwrap_or(line)
}

/// Whether a line begins or ends with the id of a record, as the headings of contexts and of recall
/// do.
fn names_a_record(line: &str) -> bool {
    let is_id = |word: &str| {
        let digits = word.trim_matches(['[', ']']).strip_prefix("b3:");
        digits.is_some_and(|digits| {
            digits.len() >= 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
    };
    let first = line.split_whitespace().next();
    first.is_some_and(|word| word.starts_with('[') && is_id(word))
        || line.split_whitespace().next_back().is_some_and(is_id)
}
