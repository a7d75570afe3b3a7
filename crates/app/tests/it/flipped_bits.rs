//! Single bit flips in a space's file.
//!
//! For each of many positions, either opening or `verify` reports the damage, or the bit was
//! unused: the exported ledger and the views are unchanged. Damage in a row of the `op` table names
//! the operation. Nothing panics and nothing hangs.

use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use engine::Space;
use engine::embed::Portion;
use engine::recall::episodes::{ByModel, Query};
use engine::write::import::Intent;
use kernel::seal::Signer;
use models::{EmbedError, Embedder, Model, Purpose};

use crate::samples::Dice;

/// Operations in the space beside its genesis.
const TURNS: usize = 60;
/// Random positions.
const FLIPS: usize = 300;
/// Bytes at the beginning of a row, every bit of which is tried.
const ROW_HEAD_BYTES: usize = 16;
/// The seed of the positions.
const SEED: u64 = 0x6265_6361_7573_6521;
/// Longest time of one check.
const FLIP_SECONDS_MAX: u64 = 20;

/// A model whose vectors are stored beside the ledger. Only searches that use them detect that they
/// are damaged.
struct Letters(Model);

impl Letters {
    fn new() -> Self {
        Self(Model { provider: "test".to_owned(), name: "letters".to_owned(), dimensions: 8 })
    }
}

impl Embedder for Letters {
    fn model(&self) -> &Model {
        &self.0
    }

    fn batch_max(&self) -> usize {
        16
    }

    fn embed(&mut self, texts: &[&str], _: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let count =
            |text: &str, letter: u8| text.bytes().filter(|byte| byte % 8 == letter).count() as f32;
        Ok(texts.iter().map(|text| (0..8).map(|letter| count(text, letter)).collect()).collect())
    }
}

/// Searches by the model's vectors, as far as they are readable.
fn ask(space: &mut Space) -> Result<(), engine::EngineError> {
    space.embedding_status()?;
    space.mend_embeddings(&Letters::new().0)?;
    for ready in space.ready_embeddings("letters")? {
        let numbers = vec![1.0; ready.model.dimensions];
        let vector = Some(ByModel::new(ready.number, numbers));
        space.recall(&Query { vector, ..Query::new("When does the class move?", 10) })?;
    }
    Ok(())
}

fn signer() -> Signer {
    Signer::from_seed([3; 32])
}

/// The content of a space, for comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Content {
    export: Vec<u8>,
    views: Vec<String>,
}

fn content(space: &mut Space) -> Result<Content, engine::EngineError> {
    space.advance(|_| {})?;
    let mut export = Vec::new();
    space.export(&mut export, |_| {})?;
    Ok(Content { export, views: space.digests()?.into_iter().map(|view| view.digest).collect() })
}

/// The result of flipping a bit.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    /// Opening or verifying gave this error.
    Refused(String),
    /// Verifying found it, in these operations.
    Found(Vec<Option<String>>, String),
    /// Nothing was found.
    Nothing(Box<Content>),
}

fn look(path: &Path) -> Seen {
    let refused = |error: engine::EngineError| Seen::Refused(error.to_string());
    let mut space = match Space::open(path, signer()) {
        Ok(space) => space,
        Err(error) => return refused(error),
    };
    match space.verify(|_| {}) {
        Err(error) => refused(error),
        Ok(verification) if !verification.is_sound() => {
            let ids = verification
                .findings
                .iter()
                .map(|finding| finding.id.map(|id| id.to_string()))
                .collect();
            Seen::Found(ids, format!("{:?}", verification.findings))
        }
        Ok(_) => match content(&mut space) {
            Ok(content) => {
                // Damage to these vectors does not change any answer of the ledger; what matters is
                // that nothing panics.
                let _ = ask(&mut space);
                Seen::Nothing(Box::new(content))
            }
            Err(error) => refused(error),
        },
    }
}

/// Where the rows of the `op` table lie: for each byte of such a row, the operation's id.
fn rows(bytes: &[u8], ids: &[[u8; 32]]) -> Vec<Option<usize>> {
    let mut owners = vec![None; bytes.len()];
    let page_size = usize::from(u16::from_be_bytes([bytes[16], bytes[17]]));
    for (number, page) in bytes.chunks(page_size).enumerate() {
        let header = if number == 0 { 100 } else { 0 };
        // 0x0d: a leaf of a table.
        if page[header] != 0x0d {
            continue;
        }
        let cells = usize::from(u16::from_be_bytes([page[header + 3], page[header + 4]]));
        let mut starts: Vec<usize> = (0..cells)
            .map(|cell| header + 8 + 2 * cell)
            .map(|at| usize::from(u16::from_be_bytes([page[at], page[at + 1]])))
            .collect();
        starts.sort_unstable();
        for (index, &start) in starts.iter().enumerate() {
            let end = starts.get(index + 1).copied().unwrap_or(page_size);
            let cell = &page[start..end];
            let owner = ids.iter().position(|id| {
                // An operation's own id comes first in its row, near the cell's beginning.
                cell.windows(32).take(30).any(|window| window == id)
            });
            // Rows of other tables with an id near their beginning are short.
            if let Some(owner) = owner.filter(|_| cell.len() > 250) {
                owners[number * page_size + start..number * page_size + end].fill(Some(owner));
            }
        }
    }
    owners
}

#[test]
fn every_flipped_bit_is_detected_or_unused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("space.db");
    let now: jiff::Timestamp = "2025-06-01T12:00:00Z".parse().unwrap();
    let mut space = Space::create(&path, signer(), "bits", now).unwrap();
    let chat = folder.path().join("chat.jsonl");
    std::fs::write(&chat, crate::samples::long_chat(TURNS)).unwrap();
    let context = importers::Context::new(now, jiff::tz::TimeZone::UTC);
    space
        .import(importers::by_name("chat-jsonl").unwrap(), &chat, &context, Intent::Write, |_| {})
        .unwrap();
    let mut letters = Letters::new();
    assert!(
        space.embed(&mut letters, "letters", Portion::ALL, &|| now, &mut |_| {}).unwrap().is_done()
    );
    ask(&mut space).unwrap();
    let original = content(&mut space).unwrap();
    let ids: Vec<[u8; 32]> = export_ids(&original.export);
    drop(space);
    assert!(
        !folder.path().join("space.db-wal").exists(),
        "closing the space empties its log into the file"
    );
    let bytes = std::fs::read(&path).unwrap();
    let owners = rows(&bytes, &ids);
    let mut distinct: Vec<_> = owners.iter().flatten().collect();
    distinct.dedup();
    assert!(
        distinct.len() >= ids.len() * 9 / 10,
        "{} of {} rows were located",
        distinct.len(),
        ids.len()
    );

    let mut dice = Dice(SEED);
    // A row begins with its length, its number and its columns' types, which everything else
    // depends on.
    let begins = |owner: usize| owners.iter().position(|found| *found == Some(owner)).unwrap();
    let heads =
        [begins(0), begins(TURNS / 2)].into_iter().flat_map(|start| start..start + ROW_HEAD_BYTES);
    let mut flips: Vec<(usize, u8)> =
        heads.flat_map(|at| (0..8).map(move |bit| (at, bit))).collect();
    let in_rows: Vec<usize> = (0..bytes.len()).filter(|&at| owners[at].is_some()).collect();
    let mut positions: Vec<usize> =
        (0..FLIPS).map(|_| dice.below(bytes.len() as u64) as usize).collect();
    positions.extend((0..FLIPS / 2).map(|_| in_rows[dice.below(in_rows.len() as u64) as usize]));
    // The file's header and schema are small, and matter most.
    positions.extend((0..FLIPS / 5).map(|_| dice.below(4_096) as usize));
    flips.extend(positions.into_iter().map(|at| (at, dice.below(8) as u8)));
    let (mut found, mut refused, mut nothing, mut nothing_in_rows) = (0, 0, 0, 0);
    for (at, bit) in flips {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << bit;
        let place = format!("byte {at} bit {bit}, seed {SEED:#x}");
        let seen = look_in_time(folder.path(), flipped, &place);
        let owner =
            owners[at].map(|owner| format!("b3:{}", data_encoding::HEXLOWER.encode(&ids[owner])));
        match seen {
            Seen::Found(named, findings) => {
                found += 1;
                if let Some(owner) = owner {
                    assert!(
                        named.contains(&Some(owner.clone())),
                        "{place}: {owner} is not named by {findings}"
                    );
                }
            }
            Seen::Refused(error) => {
                refused += 1;
                assert!(owner.is_none(), "{place}: in the row of {owner:?}, but: {error}");
                assert!(error.len() > 20, "{place}: {error}");
            }
            Seen::Nothing(content) => {
                nothing += 1;
                nothing_in_rows += usize::from(owner.is_some());
                assert!(*content == original, "{place}: unnoticed, and something else came out");
            }
        }
    }
    println!(
        "{found} found, {refused} refused, {nothing} without meaning, of them {nothing_in_rows} in rows"
    );
    assert!(found > FLIPS / 2);
    // SQLite does not read the type of the column that stands for a row's number, which may be one
    // of two.
    assert!(nothing_in_rows <= 10);
}

fn export_ids(export: &[u8]) -> Vec<[u8; 32]> {
    let lines = std::str::from_utf8(export).unwrap().lines();
    let id = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        let digits = value["id"].as_str().unwrap().strip_prefix("b3:").unwrap().to_owned();
        data_encoding::HEXLOWER.decode(digits.as_bytes()).unwrap().try_into().unwrap()
    };
    lines.map(id).collect()
}

/// Checks a file with these bytes, with a time limit.
fn look_in_time(folder: &Path, bytes: Vec<u8>, place: &str) -> Seen {
    let own = tempfile::tempdir_in(folder).unwrap();
    let path = own.path().join("space.db");
    std::fs::write(&path, bytes).unwrap();
    let (sender, receiver) = mpsc::channel();
    let looking = std::thread::spawn(move || drop(sender.send(look(&path))));
    match receiver.recv_timeout(Duration::from_secs(FLIP_SECONDS_MAX)) {
        Ok(seen) => seen,
        Err(mpsc::RecvTimeoutError::Disconnected) => panic!("{place}: {:?}", looking.join().err()),
        Err(mpsc::RecvTimeoutError::Timeout) => {
            panic!("{place}: took longer than {FLIP_SECONDS_MAX} s")
        }
    }
}
