//! A killed import loses no acknowledged record and leaves no partial transaction.
//!
//! A record is acknowledged when another process has seen it: a reader polls the space while the
//! import runs, and the records it saw must be there afterwards, byte for byte.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use engine::Space;
use engine::inspect::LogFilter;
use kernel::seal::Signer;
use store::Position;

use crate::machine::Machine;
use crate::samples::{Dice, long_chat};

/// How often an import is killed.
const KILLS: usize = 50;
/// Several transactions' worth of turns.
const TURNS: usize = 2_100;
/// The seed of the moments.
const SEED: u64 = 0x006b_696c_6c65_6421;

type Lines = BTreeMap<u64, String>;

fn lines_after(space: &Space, after: Position, lines: &mut Lines) -> Position {
    let take = |recorded: store::Recorded| {
        lines.insert(recorded.position.0, recorded.operation.to_line());
        true
    };
    space.log(after, &LogFilter::default(), take).unwrap()
}

#[test]
fn a_killed_import_loses_nothing_and_can_be_repeated() {
    let undisturbed = Machine::with_space();
    undisturbed.write("chat.jsonl", long_chat(TURNS));
    let begun = Instant::now();
    undisturbed.because(["import", "--no-derive", "chat.jsonl"]).run().succeeds();
    let import_us = begun.elapsed().as_micros() as u64;
    let expected: std::collections::BTreeSet<_> =
        undisturbed.records().into_iter().map(|(source, uid, _)| (source, uid)).collect();

    let machine = Machine::with_space();
    machine.write("chat.jsonl", long_chat(TURNS));
    let empty = std::fs::read(machine.space()).unwrap();
    let mut dice = Dice(SEED);
    let mut partial = 0;
    for round in 0..KILLS {
        let delay = Duration::from_micros(dice.below(import_us));
        let wait_until = Instant::now() + delay;
        let mut import = machine.because(["import", "--no-derive", "chat.jsonl"]).start();
        let reader = Space::open(&machine.space(), Signer::from_seed([9; 32])).unwrap();
        let mut seen = Lines::new();
        let mut position = Position(0);
        while Instant::now() < wait_until {
            position = lines_after(&reader, position, &mut seen);
            std::thread::sleep(Duration::from_millis(3));
        }
        import.kill().unwrap();
        import.wait().unwrap();
        drop(reader);

        let place = format!("round {round}, killed after {delay:?}, seed {SEED:#x}");
        let space = Space::open(&machine.space(), Signer::from_seed([9; 32])).unwrap();
        let mut kept = Lines::new();
        let head = lines_after(&space, Position(0), &mut kept).0;
        assert!(
            seen.iter().all(|(position, line)| kept.get(position) == Some(line)),
            "{place}: lost"
        );
        assert_eq!(
            kept.keys().copied().collect::<Vec<_>>(),
            (1..=head).collect::<Vec<_>>(),
            "{place}: gaps"
        );
        // Whole transactions only: the genesis and full batches, or all, with the import or
        // without.
        let all = TURNS as u64;
        assert!(
            (head - 1).is_multiple_of(1_000) || [all, all + 1].contains(&(head - 1)),
            "{place}: {head} operations"
        );
        if round % 6 == 2 {
            assert!(space.verify(|_| {}).unwrap().is_sound(), "{place}");
        }
        partial += usize::from(head > 1 && head - 1 < TURNS as u64);
        drop(space);
        if round % 16 == 15 {
            machine.because(["import", "--no-derive", "chat.jsonl"]).run().succeeds();
            let records =
                machine.records().into_iter().map(|(source, uid, _)| (source, uid)).collect();
            assert_eq!(expected, records, "{place}");
            machine.is_sound();
        }
        if round % 2 == 1 {
            for suffix in ["-wal", "-shm"] {
                let _ =
                    std::fs::remove_file(machine.work().join(format!(".because/space.db{suffix}")));
            }
            std::fs::write(machine.space(), &empty).unwrap();
        }
    }
    println!("{partial} of {KILLS} kills left a part");
}

#[test]
fn a_killed_init_leaves_a_whole_space_or_none() {
    let mut dice = Dice(SEED);
    for _ in 0..20 {
        let machine = Machine::new();
        let mut init = machine.because(["init"]).start();
        std::thread::sleep(Duration::from_micros(dice.below(20_000)));
        init.kill().unwrap();
        init.wait().unwrap();
        if !machine.space().exists() {
            machine.because(["init"]).run().succeeds();
        }
        machine.because(["remember", "after all"]).run().succeeds();
        machine.is_sound();
    }
}
