//! Byte-pair encoding, counted: how many tokens a piece of text is.
//!
//! A piece begins as its bytes. Of all neighbours that together are a token, those that are the
//! token with the smallest number are joined, the first of several, until no two are one. Source:
//! Sennrich, Haddow and Birch, "Neural Machine Translation of Rare Words with Subword Units"
//! (2016). With a heap of the pairs, n bytes take O(n log n), whatever they are.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::table::Table;

/// Longest run of bytes that is merged as one: a longer piece, which no language writes, is counted
/// in parts of this length, so that what a count takes stays small.
const RUN_BYTES_MAX: usize = 64 * 1024;

/// Two neighbours that together are a token; the earliest token first, then the earliest place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    number: u32,
    start: u32,
    middle: u32,
    end: u32,
}

/// How many tokens of `table` a piece is. Every byte is a token by itself.
pub(super) fn count(table: &Table<'_>, piece: &[u8]) -> usize {
    piece.chunks(RUN_BYTES_MAX).map(|run| count_run(table, run)).sum()
}

fn count_run(table: &Table<'_>, run: &[u8]) -> usize {
    if run.len() < 2 || table.number(run).is_some() {
        return run.len().min(1);
    }
    let pair = |start: u32, middle: u32, end: u32| {
        let number = table.number(run.get(start as usize..end as usize)?)?;
        Some(Reverse(Pair { number, start, middle, end }))
    };
    let bytes = run.len() as u32;
    // Of the part that begins at a byte, where it ends, 0 if none begins there any more; and where
    // the part before it begins.
    let mut ends: Vec<u32> = (1..=bytes).collect();
    let mut before: Vec<u32> = (0..bytes).map(|start| start.saturating_sub(1)).collect();
    let mut pairs: BinaryHeap<Reverse<Pair>> =
        (2..=bytes).filter_map(|end| pair(end - 2, end - 1, end)).collect();
    let mut parts = run.len();
    while let Some(Reverse(Pair { start, middle, end, .. })) = pairs.pop() {
        let [at_start, at_middle, at_end] = [start, middle, end].map(|place| place as usize);
        // One of the two may be part of another by now.
        if ends.get(at_start) != Some(&middle) || ends.get(at_middle) != Some(&end) {
            continue;
        }
        if let Some(joined) = ends.get_mut(at_start) {
            *joined = end;
        }
        if let Some(gone) = ends.get_mut(at_middle) {
            *gone = 0;
        }
        parts -= 1;
        if let Some(previous) = before.get(at_start).filter(|_| start > 0) {
            pairs.extend(pair(*previous, start, end));
        }
        if let Some(next_end) = ends.get(at_end) {
            pairs.extend(pair(start, end, *next_end));
        }
        if let Some(previous) = before.get_mut(at_end) {
            *previous = start;
        }
    }
    parts
}
