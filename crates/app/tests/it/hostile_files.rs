//! Malformed and hostile files, given to `because import` as every format and with detection.
//!
//! The import must answer clearly and in time, and the space's records must stay.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::DeflateEncoder;

use crate::machine::Machine;

/// Larger than memory should ever hold at once.
const SPARSE_BYTES: u64 = 3 << 30;

/// Imports `path` as each format and with detection; then every record must still be there.
fn attack(machine: &Machine, path: &Path) {
    let before = machine.records();
    let formats = importers::registry().iter().map(|importer| importer.name()).chain(["ledger"]);
    for format in formats.map(Some).chain([None]) {
        let flag = format.map(|format| ["--format", format]);
        let ran = machine
            .because(["import", "--json"])
            .arguments(flag.into_iter().flatten())
            .arguments([path])
            .run();
        match ran.code() {
            0 | 4 => assert!(ran.json()["sources"].is_array(), "{ran}"),
            1 => drop(ran.error_code()),
            _ => panic!("{ran}"),
        }
    }
    assert!(machine.records().is_superset(&before), "something was lost to {}", path.display());
    machine.is_sound();
}

#[test]
fn small_files_of_every_wrong_shape() {
    let machine = Machine::with_chat();
    let chat = crate::samples::CHAT.as_bytes();
    let mut broken_text = chat.to_vec();
    broken_text.iter_mut().step_by(7).for_each(|byte| *byte |= 0x80);
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("empty", Vec::new()),
        ("blank", b" \n\r\n\t".to_vec()),
        ("truncated.jsonl", chat[..chat.len() / 2 + 7].to_vec()),
        ("truncated.ics", crate::samples::CALENDAR.as_bytes()[..200].to_vec()),
        ("truncated.zip", zip(&[("conversations.json", b"[]", 2)])[..30].to_vec()),
        ("latin.jsonl", broken_text),
        ("wide.txt", b"\xff\xfeh\0i\0\n\0".to_vec()),
        ("random.json", (0..40_000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8).collect()),
        ("deep.json", "[".repeat(50_000).into_bytes()),
        ("deeper.json", "{\"a\":".repeat(50_000).into_bytes()),
        ("numbers.json", b"[1e999999, -0, 99999999999999999999999999, {\"mapping\": {\"a\": 1e400}}]".to_vec()),
        ("calendar-as.jsonl", crate::samples::CALENDAR.as_bytes().to_vec()),
        ("chat-as.ics", chat.to_vec()),
        ("space.jsonl", std::fs::read(machine.space()).unwrap()),
        ("photo.jpg", b"\xff\xd8\xff\xe1\xff\xffExif\0\0II*\0\xff\xff\xff\xff".to_vec()),
        (
            "mail.mbox",
            b"From x\nSubject: =?utf-8?b?////?=\nContent-Type: multipart/mixed; boundary=\"\"\n\n--\n".to_vec(),
        ),
        ("forever.ics", forever().into_bytes()),
    ];
    for (name, bytes) in cases {
        attack(&machine, &machine.write(name, bytes));
    }
}

/// A recurring event whose search would never end: every second of each thirtieth of February, one
/// at a time that does not exist.
fn forever() -> String {
    let rule = "RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30\r\nRDATE:99999999T999999Z\r\nSUMMARY";
    crate::samples::CALENDAR.replace("SUMMARY", rule)
}

#[test]
fn archives_that_unpack_without_end() {
    let machine = Machine::with_chat();
    let zeros = vec![b'0'; 16 << 20];
    let name = "conversations.json";
    attack(&machine, &machine.write("bomb.zip", zip(&[(name, &zeros, zeros.len() as u64)])));
    // The directory says that it is small.
    let lies = machine.write("lies.zip", zip(&[(name, &zeros, 10)]));
    attack(&machine, &lies);
    machine
        .because(["import", "--format", "chatgpt", "lies.zip"])
        .run()
        .ends(1)
        .says("expected 10");
    machine.because(["import", "--format", "chatgpt", "bomb.zip"]).run().ends(1).says("zip bombs");
    let sorts = [("a.md", &zeros[..], zeros.len() as u64), ("b.md", b"# Tea", 5)];
    machine.write("sorts.zip", zip(&sorts));
    machine.because(["import", "sorts.zip"]).run().ends(1).says("zip bombs");
    let sorts = [("a.md", &zeros[..1 << 20], 10), ("b.md", b"# Tea\n\nGreen.", 13)];
    machine.write("lying-sorts.zip", zip(&sorts));
    machine.because(["import", "lying-sorts.zip"]).run().ends(4).prints("lying-sorts.zip#a.md");
}

#[test]
fn files_larger_than_memory() {
    let machine = Machine::with_chat();
    for (name, head) in
        [("huge.jsonl", crate::samples::CHAT), ("huge", ""), ("huge.ics", crate::samples::CALENDAR)]
    {
        let path = machine.write(name, head);
        File::options().append(true).open(&path).unwrap().set_len(SPARSE_BYTES).unwrap();
        let space = machine.records();
        let call = machine
            .call("sh", ["-c", "ulimit -v 1500000; exec \"$BECAUSE\" import --json \"$FILE\""]);
        let ran = call.variable("BECAUSE", crate::machine::BECAUSE).variable("FILE", &path).run();
        assert!(matches!(ran.code(), 0 | 1 | 4), "{ran}");
        assert!(
            ran.code() != 0 || name == "huge.ics",
            "a file that is not text was imported without a message: {ran}"
        );
        assert!(machine.records().is_superset(&space));
        std::fs::remove_file(path).unwrap();
    }
    machine.is_sound();
}

#[test]
fn folders_that_contain_themselves() {
    let machine = Machine::with_chat();
    let notes = machine.work().join("notes");
    machine.write("notes/deep/note.md", "# Kiln\nIt reads twenty degrees low.\n");
    let link = |to: &Path, name: &str| std::os::unix::fs::symlink(to, notes.join(name)).unwrap();
    link(&notes, "self");
    link(Path::new(".."), "deep/up");
    link(Path::new("knot"), "knot");
    link(Path::new("/nonexistent"), "nowhere.md");
    attack(&machine, &notes);
    machine.because(["recall", "degrees"]).run().succeeds().prints("twenty degrees");
    attack(&machine, &notes.join("knot"));
    attack(&machine, &notes.join("nowhere.md"));
    attack(&machine, &machine.work().join("missing"));
    let empty = machine.work().join("empty-folder");
    std::fs::create_dir(&empty).unwrap();
    attack(&machine, &empty);
}

#[test]
fn pipes_and_devices_are_refused_at_once() {
    let machine = Machine::with_chat();
    machine.call("mkfifo", ["pipe"]).run().succeeds();
    for path in ["pipe", "/dev/zero", "/dev/null"] {
        for flags in [["--format", "text"].as_slice(), &["--format", "ledger"], &[]] {
            let ran = machine.because(["import", path]).arguments(flags).run().ends(1);
            assert!(ran.err().contains("neither a file nor a folder"), "{ran}");
        }
    }
    machine.is_sound();
}

#[test]
fn a_missing_path_among_several_is_named_and_passed_over() {
    let machine = Machine::with_space();
    machine.write("chat.jsonl", crate::samples::CHAT);
    let alone = machine.because(["--json", "import", "missing.ics"]).run().ends(1);
    assert_eq!(alone.error_code(), "source_unreadable");
    assert!(alone.err().contains("\"fault\":\"not_found\""), "{alone}");
    assert_eq!(machine.records().len(), 0, "alone it is an error");
    let calls = [["import", "missing.ics", "chat.jsonl"], ["import", "chat.jsonl", "missing.ics"]];
    for call in calls {
        machine.because(call).run().ends(4).prints("missing.ics: cannot read it: ");
        assert_eq!(machine.records().len(), 4);
    }
    let forced = ["--json", "import", "--format", "chat-jsonl", "missing.jsonl", "chat.jsonl"];
    let report = machine.because(forced).run().ends(4).json();
    assert_eq!(report["sources"][0]["problem_count"], 1);
    assert_eq!(report["sources"][1]["present"], 4);
    machine.is_sound();
}

#[test]
fn one_bad_path_does_not_hide_the_results_of_the_others() {
    let machine = Machine::with_space();
    machine.write("chat.jsonl", crate::samples::CHAT);
    machine.write("bad.ics", "this is not a calendar");
    machine.write("bad.jpg", "this is not a photo");
    let ran = machine.because(["import", "--json", "--format", "locomo", "bad.jpg"]).run().ends(1);
    assert!(ran.out.is_empty(), "{ran}");
    machine.write("empty", "");
    let ran = machine
        .because(["import", "--json", "--format", "chat-jsonl", "chat.jsonl", "empty"])
        .run()
        .ends(4);
    let sources = &ran.json()["sources"];
    assert_eq!(sources[0]["added"], 4);
    assert_eq!(sources[1]["problems"][0]["file"], "empty", "it is named and passed over");
    assert_eq!(machine.records().len(), 4);
    machine.is_sound();
}

/// A zip archive of deflated entries, each of which says that it unpacks to as many bytes as given.
fn zip(entries: &[(&str, &[u8], u64)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut directory = Vec::new();
    for (name, content, declared) in entries {
        let mut packer = DeflateEncoder::new(Vec::new(), Compression::best());
        packer.write_all(content).unwrap();
        let packed = packer.finish().unwrap();
        let offset = bytes.len() as u32;
        let mut crc = flate2::Crc::new();
        crc.update(content);
        let mut common = Vec::new();
        common.extend_from_slice(&[20, 0, 0, 0, 8, 0, 0, 0, 0, 0]);
        common.extend_from_slice(&crc.sum().to_le_bytes());
        common.extend_from_slice(&(packed.len() as u32).to_le_bytes());
        common.extend_from_slice(&(*declared as u32).to_le_bytes());
        common.extend_from_slice(&(name.len() as u16).to_le_bytes());
        common.extend_from_slice(&[0, 0]);
        bytes.extend_from_slice(b"PK\x03\x04");
        bytes.extend_from_slice(&common);
        bytes.extend_from_slice(name.as_bytes());
        bytes.extend_from_slice(&packed);
        directory.extend_from_slice(b"PK\x01\x02\x14\x00");
        directory.extend_from_slice(&common);
        directory.extend_from_slice(&[0; 10]);
        directory.extend_from_slice(&offset.to_le_bytes());
        directory.extend_from_slice(name.as_bytes());
    }
    let count = entries.len() as u16;
    let at = bytes.len() as u32;
    bytes.extend_from_slice(&directory);
    bytes.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    bytes.extend_from_slice(&count.to_le_bytes());
    bytes.extend_from_slice(&count.to_le_bytes());
    bytes.extend_from_slice(&(directory.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&at.to_le_bytes());
    bytes.extend_from_slice(&[0, 0]);
    bytes
}
