//! Archiving and erasing, by a cold process.
//!
//! `cargo bench -p because --bench maintain -- [RECORDS…]` (default 10000 100000): so many turns of
//! a chat are imported. All of them are marked and archived as Parquet and as JSON lines; then a
//! tenth of them is archived, erased and brought back. The baseline of the same run is a bare copy
//! of the archive.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark stops at the first failure and prints its results"
)]

#[allow(dead_code, reason = "this bench times single runs")]
mod cold;
mod shared;

use std::fmt::Write;
use std::fs::File;
use std::path::Path;
use std::time::Instant;

use cold::because;

/// Turns of one session.
const TURNS_OF_A_SESSION: usize = 50;

fn main() {
    let Some(sizes) = shared::sizes(&[10_000, 100_000]) else { return };
    for records in sizes {
        measure(records);
    }
}

fn measure(records: usize) {
    let folder = tempfile::tempdir().unwrap();
    let (home, space) = (folder.path().join("home"), folder.path().join("bench.db"));
    let chat = folder.path().join("chat.jsonl");
    std::fs::write(&chat, turns(records)).unwrap();
    because(&home, &space, &["init"]);
    because(&home, &space, &["import", "--no-derive", chat.to_str().unwrap()]);
    let marked = because(&home, &space, &["maintain", "mark", "--source", "chat-jsonl"]);
    let limit = records.to_string();
    let export = ["maintain", "export", "--older-than", "0", "--limit", &limit, "--archive-dir"];
    let timed = |format: &str| {
        let archive = folder.path().join(format);
        let arguments = [&export[..], &[archive.to_str().unwrap(), "--format", format]].concat();
        let took = because(&home, &space, &arguments);
        (took, archive)
    };
    let ((parquet, archive), (jsonl, _)) = (timed("parquet"), timed("jsonl"));
    let (copied, mib) = copy(&archive, folder.path());
    println!(
        "{records} records: marked {:.1} s; archived as Parquet {:.1} s ({mib} MiB), as JSON lines {:.1} s; a bare copy {:.2} s",
        marked.as_secs_f64(),
        parquet.as_secs_f64(),
        jsonl.as_secs_f64(),
        copied
    );
    let erased = (records / 10).max(1).to_string();
    let part = folder.path().join("part");
    let part_name = part.to_str().unwrap();
    let of_part = ["--older-than", "0", "--limit", &erased, "--archive-dir", part_name];
    let export = [&["maintain", "export"][..], &of_part].concat();
    let exported = because(&home, &space, &export);
    let finalize = [&["maintain", "finalize", "--yes"][..], &of_part].concat();
    let finalized = because(&home, &space, &finalize);
    let file = std::fs::read_dir(&part).unwrap().next().unwrap().unwrap().path();
    let restored = because(&home, &space, &["maintain", "restore", file.to_str().unwrap()]);
    println!(
        "{erased} of them: archived {:.1} s, erased {:.1} s, restored {:.1} s",
        exported.as_secs_f64(),
        finalized.as_secs_f64(),
        restored.as_secs_f64()
    );
}

/// A bare copy of an archive, made durable: seconds, and its size in MiB.
fn copy(archive: &Path, folder: &Path) -> (f64, u64) {
    let file = std::fs::read_dir(archive).unwrap().next().unwrap().unwrap().path();
    let copy = folder.join("copy");
    let begun = Instant::now();
    let bytes = std::fs::copy(file, &copy).unwrap();
    File::open(&copy).unwrap().sync_all().unwrap();
    (begun.elapsed().as_secs_f64(), bytes >> 20)
}

fn turns(count: usize) -> String {
    let mut lines = String::new();
    for turn in 0..count {
        let day = turn / 1_440;
        writeln!(
            lines,
            r#"{{"session":"s{}","speaker":"{}","time":"20{:02}-{:02}-{:02}T{:02}:{:02}:00Z","text":"Bowl {turn} was fired at {} degrees with glaze {} and stood on shelf {} until it was sold."}}"#,
            turn / TURNS_OF_A_SESSION,
            ["Mara", "Idris"][turn % 2],
            20 + day / 336,
            1 + day / 28 % 12,
            1 + day % 28,
            turn / 60 % 24,
            turn % 60,
            900 + turn % 397,
            turn % 1_009,
            turn % 31
        )
        .unwrap();
    }
    lines
}
