//! Markdown vaults and plain text.

use kernel::evidence::Evidence;
use tempfile::tempdir;

use crate::collect::Collected;
use crate::support::{context, detected, import, try_import, write};

/// One line a record: identity, time, actor, first line of its summary.
fn lines(evidence: &[Evidence]) -> Vec<String> {
    evidence
        .iter()
        .map(|evidence| {
            let at = evidence.at.as_ref().map_or("-", |at| at.as_str());
            let actor = evidence.actor.as_deref().unwrap_or("-");
            format!("{} | {at} | {actor} | {}", evidence.source_uid, evidence.summary)
        })
        .collect()
}

/// The same without identities, which are hashes in plain text.
fn said(evidence: &[Evidence]) -> Vec<String> {
    lines(evidence).into_iter().map(|line| line.split_once(" | ").unwrap().1.to_owned()).collect()
}

#[test]
fn a_vault_becomes_one_record_a_section_in_sorted_order() {
    let vault = tempdir().unwrap();
    write(vault.path(), ".obsidian/app.json", "{}");
    write(vault.path(), ".trash/Old.md", "gone");
    write(vault.path(), "image.png", [0x89]);
    write(
        vault.path(),
        "Garden.md",
        "---\ntitle: Garden\ncreated: 2025-03-01\ntags: [home, plants]\naliases: Plot\nauthor: Ana\nlocation: 55.67, 12.56\n\
         rating: 5\n---\nWhat grows.\n\n## Beds\nTulips, see [[Bulbs|the bulbs]] and [seeds](https://seeds.test). #spring\n\n\
         ### 2 June 2025\n- [ ] water\n- [x] weed\n\n## Beds\nAgain.\n",
    );
    write(vault.path(), "daily/2025-06-02.md", "Met Ben.\n\n## 2025-06-03\nLater.\n");
    write(vault.path(), "daily/2025/06/04.md", "Rain.");
    let collected = import("markdown", vault.path());
    assert_eq!(
        lines(&collected.evidence),
        [
            "Garden.md# | 2025-03-01 | Ana | Garden: What grows.",
            "Garden.md#beds | 2025-03-01 | Ana | Beds: Tulips, see the bulbs and seeds. #spring",
            "Garden.md#beds.2-june-2025 | 2025-06-02 | Ana | 2 June 2025: - [ ] water - [x] weed",
            "Garden.md#beds~2 | 2025-03-01 | Ana | Beds: Again.",
            "daily/2025/06/04.md# | 2025-06-04 | - | 04: Rain.",
            "daily/2025-06-02.md# | 2025-06-02 | - | 2025-06-02: Met Ben.",
            "daily/2025-06-02.md#2025-06-03 | 2025-06-03 | - | 2025-06-03: Later.",
        ]
    );
    assert_eq!(collected.problems, []);
    let beds = &collected.evidence[1].payload;
    assert_eq!(beds.text, "Garden › Beds\n\nTulips, see the bulbs and seeds. #spring");
    assert_eq!(beds.links, ["Bulbs", "https://seeds.test"]);
    assert_eq!(beds.tags, ["home", "plants", "spring"]);
    assert_eq!(beds.session.as_deref(), Some("Garden.md"));
    assert_eq!(beds.session_title.as_deref(), Some("Garden"));
    assert_eq!(beds.location.as_ref().unwrap().lat, Some(55.67));
    assert_eq!(beds.more["rating"], 5);
    assert_eq!(beds.more["aliases"], serde_json::json!(["Plot"]));
    assert_eq!(collected.evidence[2].payload.more["open_tasks"], serde_json::json!(["water"]));
    assert!(collected.bytes > 0);
}

#[test]
fn identities_depend_neither_on_the_folder_nor_on_the_run() {
    let (one, two) = (tempdir().unwrap(), tempdir().unwrap());
    for folder in [one.path(), two.path()] {
        write(folder, "a/Note.md", "# Tea\nGreen.");
        write(folder, "log.txt", "2025-06-02 14:00 text\n2025-06-02 14:01 more\n");
    }
    assert_eq!(import("markdown", one.path()).evidence, import("markdown", two.path()).evidence);
    let logs =
        [one.path(), two.path()].map(|folder| import("text", &folder.join("log.txt")).evidence);
    assert_eq!(logs[0], logs[1]);
    let single = import("markdown", &one.path().join("a/Note.md"));
    assert_eq!(single.uids(), ["Note.md#tea"]);
}

#[test]
fn a_long_section_is_split_at_paragraphs() {
    let folder = tempdir().unwrap();
    let text = format!("# Walk\n\n{}", "A sentence about the walk by the sea.\n\n".repeat(120));
    let collected = import("markdown", &write(folder.path(), "walk.md", text));
    assert_eq!(collected.uids(), ["walk.md#walk", "walk.md#walk/2", "walk.md#walk/3"]);
    assert!(
        collected
            .evidence
            .iter()
            .all(|evidence| evidence.payload.text.starts_with("Walk\n\nA sentence"))
    );
}

#[test]
fn a_note_that_does_not_hold_says_so_above_each_section() {
    let folder = tempdir().unwrap();
    for (text, expected) in [
        (
            "# ADR 3: Queue\n\nStatus: superseded by ADR 9.\n\n## Decision\nWe use RabbitMQ.\n",
            "ADR 3: Queue (superseded by ADR 9) › Decision\n\nWe use RabbitMQ.",
        ),
        (
            "# ADR 3: Queue\n\n## Status\nRejected\n\n## Decision\nWe use RabbitMQ.\n",
            "ADR 3: Queue (Rejected) › Decision\n\nWe use RabbitMQ.",
        ),
        (
            "---\nstatus: obsolete\n---\n# Queue\n\n## Decision\nWe use RabbitMQ.\n",
            "Queue (obsolete) › Decision\n\nWe use RabbitMQ.",
        ),
        (
            "# ADR 3: Queue\n\nStatus: accepted\n\n## Decision\nWe use RabbitMQ.\n",
            "ADR 3: Queue › Decision\n\nWe use RabbitMQ.",
        ),
    ] {
        let collected = import("markdown", &write(folder.path(), "adr.md", text));
        let last = collected.evidence.last().unwrap();
        assert_eq!(last.payload.text, expected);
    }
}

#[test]
fn the_date_of_a_title_holds_until_the_next() {
    let folder = tempdir().unwrap();
    let text = "# 12th Guild Meeting | 2nd June 2025\n\none\n\n# Kiln\n\ntwo\n\n## Clay\n\nthree\n\n# Day 2, June 3rd, 2025\n\nfour\n\n# Wax\n\nfive\n";
    let collected = import("markdown", &write(folder.path(), "minutes.md", text));
    let days: Vec<_> =
        collected.evidence.iter().map(|record| record.at.as_ref().unwrap().to_string()).collect();
    assert_eq!(days, ["2025-06-02", "2025-06-02", "2025-06-02", "2025-06-03", "2025-06-03"]);
    // A dated entry says nothing about what follows it.
    let text = "# Notes\n\n## 2025-06-02\n\none\n\n## Ideas\n\ntwo\n";
    let collected = import("markdown", &write(folder.path(), "notes.md", text));
    assert!(collected.evidence[0].at.is_some() && collected.evidence[1].at.is_none());
    let collected = import("markdown", folder.path());
    write(folder.path(), "2025-06/june-4.md", "# Kiln\n\none\n\n# Wax\n\ntwo\n");
    let more = import("markdown", folder.path());
    let new = more.evidence.iter().filter(|record| !collected.evidence.contains(record));
    assert!(
        new.clone().count() == 2
            && new.clone().all(|record| record.at.as_ref().unwrap().as_str() == "2025-06-04")
    );
}

#[test]
fn folders_are_recognised_by_their_content() {
    let folder = tempdir().unwrap();
    assert_eq!(detected(folder.path()), None);
    write(folder.path(), "a.md", "x");
    assert_eq!(detected(folder.path()), Some("markdown"));
    write(folder.path(), "b.jpg", [0xff, 0xd8, 0xff]);
    write(folder.path(), "c.jpg", [0xff, 0xd8, 0xff]);
    assert_eq!(detected(folder.path()), Some("folder"));
    std::fs::create_dir(folder.path().join(".obsidian")).unwrap();
    assert_eq!(detected(folder.path()), Some("markdown"));
    assert_eq!(detected(&folder.path().join("a.md")), Some("markdown"));
    assert_eq!(detected(&folder.path().join("b.jpg")), Some("photo"));
    assert_eq!(detected(&write(folder.path(), "notes", "just words")), Some("text"));
    assert_eq!(detected(&write(folder.path(), "blob", [0, 159, 146, 150])), None);
}

#[test]
fn a_sink_that_has_enough_stops_the_import() {
    let folder = tempdir().unwrap();
    for number in 0..5 {
        write(folder.path(), &format!("{number}.md"), "# A\nx\n# B\ny");
    }
    let log = write(folder.path(), "log.txt", "2025-06-02 14:00 text\n".repeat(10));
    for (format, path) in [("markdown", folder.path()), ("text", log.as_path())] {
        let mut collected = Collected { stop_after: Some(3), ..Collected::default() };
        importers::by_name(format).unwrap().import(path, &context(), &mut collected).unwrap();
        assert_eq!(collected.evidence.len(), 3, "{format}");
    }
}

#[cfg(unix)]
#[test]
fn symbolic_links_that_go_in_circles_are_not_followed() {
    let folder = tempdir().unwrap();
    write(folder.path(), "a/note.md", "x");
    write(
        folder.path(),
        "a/photo.jpg",
        crate::photos::jpeg(&crate::photos::Tiff::default().build()),
    );
    std::os::unix::fs::symlink(folder.path(), folder.path().join("a/round")).unwrap();
    std::os::unix::fs::symlink(folder.path().join("a/note.md"), folder.path().join("again.md"))
        .unwrap();
    assert_eq!(import("markdown", folder.path()).uids(), ["a/note.md#"]);
    assert_eq!(import("photo", folder.path()).evidence.len(), 1);
}

#[test]
fn folders_too_deep_are_left_out_and_reported() {
    let folder = tempdir().unwrap();
    write(folder.path(), &format!("{}deep.md", "d/".repeat(80)), "x");
    write(folder.path(), "note.md", "y");
    let collected = import("markdown", folder.path());
    assert_eq!(collected.uids(), ["note.md#"]);
    assert!(collected.complaints().contains("deeper than 64"), "{}", collected.complaints());
}

#[test]
fn a_note_with_bad_bytes_is_imported_and_a_binary_one_is_not() {
    let vault = tempdir().unwrap();
    write(vault.path(), "bad.md", b"caf\xe9 with milk");
    write(vault.path(), "binary.md", [0_u8; 64]);
    write(vault.path(), "empty.md", "");
    write(vault.path(), "front.md", "---\ntitle: Never\nends: here\n\nText goes on.");
    let collected = import("markdown", vault.path());
    assert_eq!(collected.uids(), ["bad.md#", "front.md#"]);
    assert_eq!(collected.evidence[0].payload.text, "bad\n\ncaf\u{e9} with milk");
    let complaints = collected.complaints();
    assert!(complaints.contains("was read as windows-1252"), "{complaints}");
    assert!(complaints.contains("NUL bytes"), "{complaints}");
    assert!(complaints.contains("no closing `---`"), "{complaints}");
    let error = try_import("markdown", &vault.path().join("binary.md")).unwrap_err();
    assert!(error.to_string().contains("is not markdown"), "{error}");
    assert!(import("markdown", &vault.path().join("empty.md")).complaints().contains("empty"));
    assert!(try_import("markdown", &vault.path().join("missing.md")).is_err());
    assert!(try_import("text", &vault.path().join("missing.txt")).is_err());
}

#[test]
fn front_matter_bombs_are_left_out_and_the_note_is_imported() {
    let vault = tempdir().unwrap();
    let mut bomb = "---\ntitle: Bomb\na: &a [x, x, x]\n".to_owned();
    bomb += "b: {one: &b [1], two: [*b, *b], three: *b}\n";
    bomb += &format!("deep: {}\n---\nStill here.", "[".repeat(5_000));
    let collected = import("markdown", &write(vault.path(), "bomb.md", bomb));
    assert_eq!(lines(&collected.evidence), ["bomb.md# | - | - | Bomb: Still here."]);
    assert_eq!(collected.problems.len(), 2);
    assert_eq!(collected.problems[0].line, Some(4));
}

#[test]
fn files_that_are_too_large_are_refused_by_name() {
    let vault = tempdir().unwrap();
    let large = vec![b'x'; usize::try_from(importers::markdown::NOTE_BYTES_MAX).unwrap() + 1];
    let path = write(vault.path(), "large.md", large);
    write(vault.path(), "small.md", "y");
    assert!(try_import("markdown", &path).unwrap_err().to_string().contains("too large"));
    let collected = import("markdown", vault.path());
    assert_eq!(collected.uids(), ["small.md#"]);
    assert_eq!(collected.problems.len(), 1);
}

#[test]
fn one_endless_line_is_read_in_pieces() {
    let folder = tempdir().unwrap();
    let collected = import("text", &write(folder.path(), "line.txt", "æ".repeat(1_000_000)));
    let chars: usize =
        collected.evidence.iter().map(|evidence| evidence.payload.text.chars().count()).sum();
    assert_eq!(chars, 1_000_000);
    assert_eq!(collected.problems, []);
}

#[test]
fn an_inserted_paragraph_changes_only_the_notes_near_it() {
    let folder = tempdir().unwrap();
    let paragraph =
        |number: usize| format!("Paragraph {number} {}\n\n", "tells of the garden. ".repeat(12));
    let text: String = (0..60).map(paragraph).collect();
    let before = import("text", &write(folder.path(), "garden.txt", &text));
    assert!(before.evidence.iter().all(|evidence| evidence.payload.text.chars().count() <= 1_500));
    assert!(before.evidence.len() > 8);
    let after =
        import("text", &write(folder.path(), "garden.txt", format!("Something new.\n\n{text}")));
    let kept = after.uids().into_iter().filter(|uid| before.uids().contains(uid)).count();
    assert!(kept * 2 > before.evidence.len(), "{kept} of {}", before.evidence.len());
}

#[test]
fn a_log_gives_its_times() {
    let folder = tempdir().unwrap();
    let text = "2025-06-02 14:00 Started.\n[2025-06-03] Went on,\n  and on.\n2025-06-03 Went home.\n2025-06-03 Went home.\n";
    let collected = import("text", &write(folder.path(), "log.txt", text));
    assert_eq!(
        said(&collected.evidence),
        [
            "2025-06-02T14:00:00 | - | Started.",
            "2025-06-03 | - | Went on, and on.",
            "2025-06-03 | - | Went home.",
            "2025-06-03 | - | Went home.",
        ]
    );
    assert!(collected.uids()[3].ends_with("~2"));
}

#[test]
fn a_chat_export_gives_turns_with_speakers_and_times() {
    let folder = tempdir().unwrap();
    let text = "12/06/2025, 14:03 - Messages are encrypted.\n12/06/2025, 14:03 - Ana: Tea?\n13/06/2025, 09:00 - Ben Lund: Yes\n\
                with milk\n13/06/2025, 09:01 - Ana: Good: four?\n";
    let collected = import("text", &write(folder.path(), "Chat with Ben.txt", text));
    assert_eq!(
        said(&collected.evidence),
        [
            "2025-06-12T14:03:00 | Ana | Ana: Tea?",
            "2025-06-13T09:00:00 | Ben Lund | Ben Lund: Yes with milk",
            "2025-06-13T09:01:00 | Ana | Ana: Good: four?",
        ]
    );
    let payload = &collected.evidence[0].payload;
    assert_eq!(
        (payload.text.as_str(), payload.session_title.as_deref()),
        ("Tea?", Some("Chat with Ben"))
    );
    assert_eq!(payload.participants, ["Ana", "Ben Lund"]);
    assert_eq!(collected.evidence[1].kind.0, "turn");
}

#[test]
fn contacts_of_any_name_speak_in_a_chat_export() {
    let folder = tempdir().unwrap();
    let names = [
        "Dr. Weiss",
        "Jonas K.",
        "Dad (work)",
        "Ali, plumber",
        "Bob/Work",
        "❤️ Mum",
        "#1 Pizza?",
        "A=B!",
        "Robert \"Bob\" Weiss",
    ];
    let check = |name: &str, text: String| {
        let collected = import("text", &write(folder.path(), name, text));
        let actors: Vec<_> =
            collected.evidence.iter().map(|turn| turn.actor.as_deref().unwrap_or("-")).collect();
        assert_eq!(actors, names);
        assert!(collected.evidence.iter().all(|turn| turn.kind.0 == "turn"));
        assert!(collected.evidence.iter().all(|turn| turn.payload.text == "yes"));
    };
    check("android.txt", names.map(|name| format!("27/09/2025, 18:05 - {name}: yes\n")).concat());
    check("ios.txt", names.map(|name| format!("[27/09/2025, 18:05:00] {name}: yes\n")).concat());
}

#[test]
fn a_diary_in_the_form_of_a_chat_keeps_every_entry() {
    let folder = tempdir().unwrap();
    let entries = ["Rain.", "Idea: tulips", "Worked on the shed.", "To do: nothing", "Slept."];
    for stamp in ["27/09/2025, 18:05 -", "2025-09-27 18:05"] {
        let text = entries.map(|entry| format!("{stamp} {entry}\n")).concat();
        let collected = import("text", &write(folder.path(), "diary.txt", text));
        assert_eq!(collected.texts(), entries);
    }
}

#[test]
fn dates_that_nothing_decides_are_reported_and_left_out() {
    let folder = tempdir().unwrap();
    let text =
        "2/6/2025, 14:03 - Ana: Tea?\n2/6/2025, 14:04 - Ben: Yes\n2/6/2025, 14:05 - Ana: Good\n";
    let collected = import("text", &write(folder.path(), "chat.txt", text));
    assert!(
        collected.complaints().contains("day or the month first"),
        "{}",
        collected.complaints()
    );
    assert_eq!(said(&collected.evidence)[0], "- | Ana | Ana: Tea?");
    assert_eq!(collected.evidence[0].payload.more["time_as_written"], "2/6/2025, 14:03");
}

#[test]
fn chats_without_dates_take_the_day_from_the_file_name() {
    let folder = tempdir().unwrap();
    let timed = "[14:03] Ana: Tea?\n[14:04] Ben: Yes\n[14:05] Ana: Good\n[14:06] Ben: Four\n";
    let collected = import("text", &write(folder.path(), "2025-06-02.txt", timed));
    assert_eq!(said(&collected.evidence)[1], "2025-06-02T14:04:00 | Ben | Ben: Yes");
    let bare = "Ana: Tea?\nBen: Yes\nAna: Good\nBen: Four,\nif you like\n";
    let collected = import("text", &write(folder.path(), "chat.txt", bare));
    assert_eq!(
        said(&collected.evidence),
        [
            "- | Ana | Ana: Tea?",
            "- | Ben | Ben: Yes",
            "- | Ana | Ana: Good",
            "- | Ben | Ben: Four, if you like"
        ]
    );
}

#[test]
fn prose_with_colons_stays_prose() {
    let folder = tempdir().unwrap();
    let text = "Shopping: milk, eggs\nNote: call Ben\nIdea: plant tulips\nTo do: nothing\n";
    let collected = import("text", &write(folder.path(), "list.txt", text));
    assert_eq!(collected.evidence.len(), 1);
    assert_eq!(collected.evidence[0].kind.0, "note");
}

#[test]
fn bad_text_files_are_named_and_repaired() {
    let folder = tempdir().unwrap();
    let damaged = b"une note\nd\xc3\xa9j\xc3\xa0 \xff vu\n";
    let collected = import("text", &write(folder.path(), "damaged.txt", damaged));
    assert!(collected.complaints().contains("line 2"), "{}", collected.complaints());
    assert_eq!(collected.evidence[0].payload.text, "une note\ndéjà \u{fffd} vu");
    let collected =
        import("text", &write(folder.path(), "latin.txt", b"one line\ncaf\xe9 au lait\n"));
    assert!(collected.complaints().contains("windows-1252"), "{}", collected.complaints());
    assert_eq!(collected.evidence[0].payload.text, "one line\ncaf\u{e9} au lait");
    // "Hello, world" in Shift JIS, with half of its bytes outside of ASCII.
    let japanese = b"\x82\xb1\x82\xf1\x82\xc9\x82\xbf\x82\xcd\x81A\x90\xa2\x8aE\n";
    let collected = import("text", &write(folder.path(), "japanese.txt", japanese));
    assert_eq!(collected.evidence[0].payload.text, "こんにちは、世界");
    let utf16: Vec<u8> = "\u{feff}Hej, Ærø".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let collected = import("text", &write(folder.path(), "utf16.txt", utf16));
    assert_eq!(collected.evidence[0].payload.text, "Hej, Ærø");
    assert!(
        import("text", &write(folder.path(), "empty.txt", "")).complaints().contains("no text")
    );
    let error = try_import("text", &write(folder.path(), "program", b"\x7fELF\0\0")).unwrap_err();
    assert!(error.to_string().contains("is not text"), "{error}");
}

#[test]
fn placeholders_of_a_chat_export_are_not_messages() {
    let folder = tempdir().unwrap();
    write(
        folder.path(),
        "chat.txt",
        "13.05.25, 18:22 - Messages and calls are end-to-end encrypted. Tap to learn more.\n\
         13.05.25, 18:22 - Ana: <Media omitted>\n13.05.25, 18:23 - Ben: Where is that?\n\
         13.05.25, 18:24 - Ana: Muskö <This message was edited>\n13.05.25, 18:25 - Ben: This message was deleted\n\
         13.05.25, 18:26 - Ana: Missed voice call\n13.05.25, 18:31 - Ana: Voice call, 4 min\n",
    );
    let collected = import("text", &folder.path().join("chat.txt"));
    assert_eq!(
        said(&collected.evidence),
        [
            "2025-05-13T18:23:00 | Ben | Ben: Where is that?",
            "2025-05-13T18:24:00 | Ana | Ana: Muskö"
        ]
    );
}

#[test]
fn what_every_record_repeats_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let size = |name: &str, note: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, note).unwrap();
        let collected = import("markdown", &path);
        let bytes = |evidence: &Evidence| serde_json::to_vec(evidence).unwrap().len();
        (collected.evidence.len(), collected.evidence.iter().map(bytes).sum::<usize>())
    };
    let parts = "a/".repeat(100_000);
    let long = "word ".repeat(40_000);
    let sections = "# h\n\nx\n\n".repeat(2_000);
    let tags: String = (0..200).map(|number| format!("#tag{number}{} ", "y".repeat(99))).collect();
    let values: String =
        (0..200).map(|number| format!("k{number}: {}\n", "v".repeat(200))).collect();
    for (name, note) in [
        ("tag.md", format!("# T\n\n#{parts} {long}")),
        ("link.md", format!("# T\n\nhttps://example.org/{parts} {long}")),
        ("tags.md", format!("# T\n\n{tags}\n\n{long}")),
        ("front.md", format!("---\n{values}author: {}\n---\n{sections}", "n".repeat(9_000))),
    ] {
        let (records, bytes) = size(name, &note);
        assert!(records > 50, "{name}: {records}");
        assert!(bytes < 4 * note.len() + 600 * records, "{name}: {bytes} of {}", note.len());
    }
}
