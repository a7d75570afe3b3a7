//! Lays the tokens' vocabulary out so that the program looks tokens up in it where it lies.
//!
//! The library `bpe-openai` carries the vocabulary as tables that are unpacked at the first use: 32
//! MB of the program, and in each process that counts a single token 80 MB of memory and 50 ms. To
//! count, less is enough: which texts are tokens, and in which order they are made. That is written
//! here, in the form that `src/tokens/table.rs` reads.

use std::path::PathBuf;

#[path = "src/tokens/table.rs"]
#[allow(dead_code, reason = "the program reads the table, this writes it")]
mod table;

fn main() {
    let vocabulary = &bpe_openai::o200k_base().bpe;
    let count = u32::try_from(vocabulary.num_tokens()).expect("tokens have numbers of 32 bits");
    let slot_count = (count as usize * 2).next_power_of_two();
    let mut slots = vec![0_u32; slot_count];
    let (mut bytes, mut ends) = (Vec::new(), Vec::new());
    for number in 0..count {
        let token = vocabulary.token_bytes(number);
        bytes.extend(token);
        ends.push(u32::try_from(bytes.len()).expect("a vocabulary has less than 4 GB"));
        let mut slot = table::first_slot(token, slot_count);
        while slots[slot] != 0 {
            slot = (slot + 1) % slot_count;
        }
        slots[slot] = number + 1;
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
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/tokens/table.rs");
}
