use kernel::evidence::Payload;

use super::super::fixture::{self, altered};
use super::*;

fn record(number: u8, kind: &str, at: &str, text: &str) -> MinableRecord {
    let payload =
        Payload { text: text.to_owned(), session: Some("s".to_owned()), ..Payload::default() };
    altered(fixture::record(number, kind, at, payload), |evidence| {
        evidence.actor = Some("Mara".to_owned());
        evidence.summary = text.to_owned();
    })
}

fn numbers(records: Vec<MinableRecord>) -> Vec<Vec<u8>> {
    let of = |segment: Segment| segment.records.iter().map(|record| record.id().0[0]).collect();
    segments(records).into_iter().map(of).collect()
}

#[test]
fn an_hour_of_silence_a_snapshot_and_another_subject_end_a_segment() {
    let records = vec![
        record(1, "turn", "2026-03-01T10:00:00Z", "The kiln is hot."),
        record(2, "turn", "2026-03-01T10:59:59Z", "Good."),
        record(3, "turn", "2026-03-01T11:59:59Z", "Is it still hot?"),
        record(4, "turn", "2026-03-01T12:00:00Z", "Okay, new topic: the shelves."),
        record(5, "snapshot", "2026-03-01T12:01:00Z", "The shelves are ordered."),
        record(6, "action", "2026-03-01T12:02:00Z", "Paid."),
    ];
    let expected = [vec![1, 2], vec![3], vec![4, 5], vec![6]];
    assert_eq!(numbers(records.clone()), expected);
    // The order of arrival makes no difference.
    assert_eq!(numbers(records.into_iter().rev().collect()), expected);
}

#[test]
fn sessions_and_private_records_have_segments_of_their_own() {
    let at = "2026-03-01T10:00:00Z";
    let records = vec![
        record(1, "turn", at, "One."),
        altered(record(2, "turn", at, "Two."), |it| it.payload.session = Some("other".to_owned())),
        altered(record(3, "turn", at, "Three."), |it| it.visibility = Visibility::Private),
        record(4, "turn", at, "Four."),
    ];
    assert_eq!(numbers(records), [vec![1, 4], vec![2], vec![3]]);
}

#[test]
fn commits_of_a_day_are_a_segment() {
    let records = vec![
        record(1, "commit", "2026-03-01T08:00:00+01:00", "Add the kiln"),
        record(2, "commit", "2026-03-01T23:00:00+01:00", "Heat the kiln"),
        record(3, "commit", "2026-03-02T00:30:00+01:00", "Cool the kiln"),
    ];
    assert_eq!(numbers(records), [vec![1, 2], vec![3]]);
}

#[test]
fn a_conversation_is_cut_where_its_words_change() {
    let kiln = "The kiln needs cone six glaze firing temperature shelves clay bowls plates";
    let tax = "The invoice for tax declaration deadline accountant receipts bank statement forms";
    let talk = (1..=20).map(|number| {
        let text = if number <= 10 { kiln } else { tax };
        record(number, "turn", &format!("2026-03-01T10:{number:02}:00Z"), text)
    });
    let cut = numbers(talk.collect());
    assert_eq!(cut.iter().map(Vec::len).collect::<Vec<_>>(), [10, 10]);
    let same = (1..=20)
        .map(|number| record(number, "turn", &format!("2026-03-01T10:{number:02}:00Z"), kiln));
    assert_eq!(numbers(same.collect()).len(), 1);
}

#[test]
fn a_segment_has_a_limited_number_of_records() {
    let talk = (0..=255).map(|number| record(number, "turn", "2026-03-01T10:00:00Z", "Yes."));
    let lengths: Vec<usize> = numbers(talk.collect()).iter().map(Vec::len).collect();
    assert_eq!(lengths, [RECORDS_MAX, 56]);
}
