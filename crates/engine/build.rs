//! Lays the tokens' vocabulary out so that the program looks tokens up in it where it lies.
//!
//! `data/o200k.tokens` has the tokens in the order in which they are made, each after a byte with
//! its length. The library `bpe-openai` has them too, but it builds tables of its own, of three
//! vocabularies, which takes a minute of a build. A test compares the two. What is written here is
//! in the form that `src/tokens/table.rs` reads.

use std::path::PathBuf;

#[path = "src/tokens/table.rs"]
#[allow(dead_code, reason = "the program reads the table, this writes it")]
mod table;

const VOCABULARY: &str = "data/o200k.tokens";

fn main() {
    let vocabulary = std::fs::read(VOCABULARY).expect("the vocabulary is in the package");
    let (mut bytes, mut ends) = (Vec::new(), Vec::new());
    let mut left = vocabulary.as_slice();
    while let Some((length, after)) = left.split_first() {
        let (token, after) =
            after.split_at_checked(usize::from(*length)).expect("the vocabulary is whole");
        bytes.extend(token);
        ends.push(u32::try_from(bytes.len()).expect("a vocabulary has less than 4 GB"));
        left = after;
    }
    let count = u32::try_from(ends.len()).expect("tokens have numbers of 32 bits");
    let mut slots = vec![0_u32; (ends.len() * 2).next_power_of_two()];
    let mut start = 0;
    for (number, end) in (1..=count).zip(&ends) {
        let end = *end as usize;
        let mut slot = table::first_slot(&bytes[start..end], slots.len());
        while slots[slot] != 0 {
            slot = (slot + 1) % slots.len();
        }
        slots[slot] = number;
        start = end;
    }
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo names a folder"));
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.join(name), bytes).expect("cargo's folder can be written")
    };
    let numbers = |numbers: &[u32]| {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>()
    };
    write("o200k.bytes", &bytes);
    write("o200k.ends", &numbers(&ends));
    write("o200k.slots", &numbers(&slots));
    println!("cargo::rerun-if-changed={VOCABULARY}");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/tokens/table.rs");
}
