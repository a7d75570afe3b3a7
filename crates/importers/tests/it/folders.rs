//! Folders of all sorts, and what is not understood.

use crate::chats::{CHATGPT, CLAUDE_EXPORT};
use crate::exports::{CODEX, SIGNAL, TELEGRAM};
use crate::support::{Sources, detected, import, write, zip};

const EVENT: &str = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:a\nDTSTART:20250601T100000Z\nSUMMARY:Gym\nEND:VEVENT\nEND:VCALENDAR\n";
const MAIL: &str = "Message-ID: <1@b>\nFrom: Ana <a@example.org>\nTo: b@example.org\nDate: Mon, 2 Jun 2025 08:00:00 +0200\nSubject: Tea\n\nAt four.\n";
const CHAT: &str = "13/06/2025, 09:00 - Ana: Tea?\n13/06/2025, 09:01 - Ben: Yes\n";

fn formats(sources: &Sources) -> Vec<String> {
    let read = import("folder", sources.path());
    let mut formats: Vec<String> =
        read.evidence.iter().map(|record| record.source.clone()).collect();
    formats.sort();
    formats.dedup();
    formats
}

#[test]
fn a_mixed_and_nested_folder_is_read_file_by_file() {
    let sources = Sources::new();
    sources.file("calendars/one.ics", EVENT);
    sources.file("calendars/old/two.ics", EVENT.replace("UID:a", "UID:b"));
    sources.file("notes/Tea.md", "# Tea\n\nGreen.");
    sources.file("notes/more/Tea.md", "# Tea\n\nBlack.");
    sources.file("mail/cur/1.host:2,S", MAIL);
    sources.file("mail/new/2.host", MAIL.replace("<1@b>", "<2@b>"));
    sources.file("mail/.Sent/cur/3.host:2,S", MAIL.replace("<1@b>", "<3@b>"));
    std::fs::create_dir_all(sources.path().join("mail/.Sent/new")).unwrap();
    sources.file("chats/_chat.txt", CHAT);
    sources.file("chats/ana.zip", zip(&[("_chat.txt", CHAT.replace("Tea", "Cake").as_bytes())]));
    sources.file("chats/telegram/result.json", TELEGRAM);
    sources.file("chats/signal/Tobi/data.json", SIGNAL);
    sources.file(
        "chats/signal/Tobi/chat.md",
        "[2025-01-08 19:52:09] Tobi: hi\n[2025-01-08 19:52:10] Me: hi",
    );
    sources.file("chats/signal/Tobi/index.html", "<html>");
    sources.file("sessions/rollout.jsonl", CODEX);
    assert_eq!(detected(sources.path()), Some("folder"));
    let read = import("mbox", &sources.path().join("mail"));
    assert_eq!(read.evidence.len(), 3);
    assert_eq!(
        formats(&sources),
        ["codex", "ical", "markdown", "mbox", "signal", "telegram", "text"]
    );
}

#[test]
fn an_export_of_chats_beside_other_files_does_not_hide_them() {
    for (json, format) in [(CHATGPT, "chatgpt"), (CLAUDE_EXPORT, "claude-export")] {
        let sources = Sources::new();
        sources.file("conversations.json", json);
        sources.file("picture.png", "");
        assert_eq!(detected(sources.path()), Some(format));
        sources.file("calendar.ics", EVENT);
        sources.file("diary/Tea.md", "# Tea\n\nGreen.");
        assert_eq!(detected(sources.path()), Some("folder"));
        let source = import(format, sources.path()).evidence[0].source.clone();
        assert_eq!(formats(&sources), [source.as_str(), "ical", "markdown"]);
    }
}

#[test]
fn an_export_of_chats_in_an_archive_does_not_hide_other_files() {
    for (json, format) in [(CHATGPT, "chatgpt"), (CLAUDE_EXPORT, "claude-export")] {
        let sources = Sources::new();
        let mut files: Vec<(&str, &[u8])> = vec![
            ("conversations.json", json.as_bytes()),
            ("picture.png", b""),
            ("user.json", b"{}"),
            ("chat.html", b"<html></html>"),
        ];
        assert_eq!(detected(&sources.file("export.zip", zip(&files))), Some(format));
        files.extend([
            ("calendar.ics", EVENT.as_bytes()),
            ("diary/Tea.md", b"# Tea\n\nGreen.".as_slice()),
        ]);
        let mixed = sources.file("mixed.zip", zip(&files));
        assert_eq!(detected(&mixed), Some("zip"));
        let read = import("zip", &mixed);
        let mut found: Vec<String> =
            read.evidence.iter().map(|record| record.source.clone()).collect();
        found.sort();
        found.dedup();
        let chats = import(format, &sources.file("chats.json", json));
        let source = chats.evidence[0].source.as_str();
        assert_eq!(found, [source, "ical", "markdown"]);
    }
}

#[test]
fn each_sort_of_folder_is_recognised() {
    let sources = Sources::new();
    sources.file("calendars/one.ics", EVENT);
    assert_eq!(detected(&sources.path().join("calendars")), Some("ical"));
    sources.file("calendars/page.html", "<html>");
    assert_eq!(detected(&sources.path().join("calendars")), Some("folder"), "it names the page");
    sources.file("mail/cur/1", MAIL);
    std::fs::create_dir_all(sources.path().join("mail/new")).unwrap();
    assert_eq!(detected(&sources.path().join("mail")), Some("mbox"));
    sources.file("zips/a.zip", zip(&[("WhatsApp Chat with Ana.txt", CHAT.as_bytes())]));
    assert_eq!(detected(&sources.path().join("zips")), Some("folder"));
    sources.file("code/main.rs", "fn main() {}");
    assert_eq!(detected(&sources.path().join("code")), None);
}

#[test]
fn a_folder_of_calendars_has_the_same_names_however_it_is_read() {
    let sources = Sources::new();
    sources.file("one.ics", EVENT);
    sources.file("old/one.ics", EVENT);
    sources.file("broken.ics", "BEGIN:NOTHING");
    let alone = import("ical", sources.path());
    assert_eq!((alone.evidence.len(), alone.problems.len()), (2, 1));
    assert_ne!(alone.uids()[0], alone.uids()[1]);
    let mixed = import("folder", sources.path());
    assert_eq!((alone.evidence, alone.problems.len()), (mixed.evidence, mixed.problems.len()));
}

#[test]
fn bad_files_are_named_and_end_nothing() {
    let sources = Sources::new();
    sources.file("a.ics", EVENT);
    sources.file("broken.ics", "BEGIN:NOTHING");
    sources.file("data.json", r#"{"grok": [1, 2]}"#);
    sources.file("page.html", "<html><p>hi</html>");
    sources.file("style.css", "p { color: red }");
    sources.file("table.csv", "a,b\n1,2\n");
    sources.file("main.rs", "fn main() {}");
    sources.file("other.zip", zip(&[("readme", b"x")]));
    sources.file("z.md", "# Last\n\nstill read");
    let read = import("folder", sources.path());
    let texts = read.texts();
    assert!(texts.iter().any(|text| text.contains("still read")), "{texts:?}");
    assert_eq!(read.evidence.len(), 2);
    let mut named: Vec<_> = read
        .problems
        .iter()
        .map(|problem| problem.file.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    named.sort();
    assert_eq!(
        named,
        ["broken.ics", "data.json", "main.rs", "other.zip", "page.html", "style.css", "table.csv"]
    );
}

#[test]
fn names_are_relative_to_the_folder_so_the_same_name_stays_apart() {
    let (one, two) = (Sources::new(), Sources::new());
    for sources in [&one, &two] {
        sources.file("a/Tea.md", "# Tea\n\nGreen.");
        sources.file("b/Tea.md", "# Tea\n\nBlack.");
        sources.file("c.ics", EVENT);
        sources.file("log.txt", "2025-06-02 14:00 text\n2025-06-02 14:01 more\n");
    }
    let read = import("folder", one.path());
    assert_eq!(read.evidence, import("folder", two.path()).evidence);
    assert!(read.uids().contains(&"a/Tea.md#tea") && read.uids().contains(&"b/Tea.md#tea"));
    // As when the notes were the only files.
    let notes = import("markdown", one.path());
    assert!(notes.uids().iter().all(|uid| read.uids().contains(uid)));
}

#[test]
fn an_archive_of_all_sorts_is_read_as_the_folder_that_was_packed() {
    let sources = Sources::new();
    let files = [
        ("notes/Tea.md", "# Tea\n\nGreen."),
        ("notes/more/Tea.md", "# Tea\n\nBlack."),
        ("calendars/one.ics", EVENT),
        ("mail.mbox", MAIL),
        ("main.rs", "fn main() {}"),
    ];
    for (name, text) in files {
        sources.file(&format!("folder/{name}"), text);
    }
    let entries: Vec<_> = files.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    let archive = sources.file("Takeout.ZIP", zip(&entries));
    assert_eq!(detected(&archive), Some("zip"));
    let read = import("zip", &archive);
    let folder = import("folder", &sources.path().join("folder"));
    assert_eq!(read.evidence, folder.evidence);
    assert_eq!(read.evidence.len(), 4);
    let [problem] = &read.problems[..] else { panic!("{:?}", read.problems) };
    assert_eq!(problem.file, sources.path().join("Takeout.ZIP#main.rs"));
    assert_eq!(problem.message, folder.problems[0].message);
}

#[test]
fn archives_in_a_folder_stay_apart() {
    let sources = Sources::new();
    sources.file("Tea.md", "# Tea\n\nWhite.");
    sources.file("a/one.zip", zip(&[("Tea.md", b"# Tea\n\nGreen.")]));
    sources.file("b/one.zip", zip(&[("Tea.md", b"# Tea\n\nBlack.")]));
    sources.file("b/chat.zip", zip(&[("_chat.txt", CHAT.as_bytes())]));
    let read = import("folder", sources.path());
    let uids = read.uids();
    for uid in ["Tea.md#tea", "a/one.zip/Tea.md#tea", "b/one.zip/Tea.md#tea"] {
        assert!(uids.contains(&uid), "{uids:?}");
    }
    assert_eq!((read.evidence.len(), read.problems.len()), (5, 0), "{:?}", read.problems);
}

#[test]
fn no_entry_leads_out_of_its_archive_and_archives_within_are_named() {
    let sources = Sources::new();
    let inner = zip(&[("Tea.md", b"# Tea\n\nGreen.")]);
    let entries: [(&str, &[u8]); 8] = [
        ("!!/up.md", b"# Up\n\nno"),
        ("a/!!/!!/up.md", b"# Up\n\nno"),
        ("!!|up.md", b"# Up\n\nno"),
        ("?root.md", b"# Root\n\nno"),
        ("file", b"no format"),
        ("file/below.md", b"# Below\n\nits folder is a file"),
        ("inner.zip", &inner),
        ("a//./b.md", b"# Good\n\nread"),
    ];
    // What writes archives writes no such names.
    let mut archive = zip(&entries);
    for (name, hostile) in
        [("!!/!!/up", "../../up"), ("!!/up", "../up"), ("!!|up", "..\\up"), ("?root", "/root")]
    {
        let (name, hostile) = (name.as_bytes(), hostile.as_bytes());
        for place in 0..archive.len() - name.len() {
            if archive[place..].starts_with(name) {
                archive[place..place + name.len()].copy_from_slice(hostile);
            }
        }
    }
    let path = sources.file("hostile.zip", archive);
    let read = import("zip", &path);
    assert_eq!(read.uids(), ["a/b.md#good"]);
    let mut named: Vec<_> = read
        .problems
        .iter()
        .map(|problem| problem.file.to_string_lossy().rsplit('#').next().unwrap().to_owned())
        .collect();
    named.sort();
    let expected = [
        "../up.md",
        "..\\up.md",
        "/root.md",
        "a/../../up.md",
        "file",
        "file/below.md",
        "inner.zip",
    ];
    assert_eq!(named, expected);
    let unpacked = read.problems.iter().find(|problem| problem.message.contains("unpacked-"));
    assert_eq!(unpacked, None);
}

#[test]
fn a_photo_takes_its_sidecar_and_a_vault_keeps_to_its_notes() {
    let sources = Sources::new();
    sources.file("pics/a.jpg", [0xff, 0xd8, 0xff, 0xd9]);
    sources.file(
        "pics/a.jpg.json",
        r#"{"title":"a.jpg","photoTakenTime":{"timestamp":"1740816760"}}"#,
    );
    sources.file("one.ics", EVENT);
    let vault = sources.path().join("vault");
    write(&vault, "note.md", "# Note\n\ntext");
    write(&vault, "style.css", "p {}");
    std::fs::create_dir_all(vault.join(".obsidian")).unwrap();
    let read = import("folder", sources.path());
    let uids = read.uids();
    assert!(uids.contains(&"vault/note.md#note"), "{uids:?}");
    assert!(!read.complaints().contains("no format"), "{}", read.complaints());
}

#[test]
fn a_receiver_that_wants_no_more_ends_the_folder() {
    let sources = Sources::new();
    for number in 0..5 {
        sources.file(&format!("{number}.ics"), EVENT.replace("UID:a", &format!("UID:{number}")));
    }
    sources.file("n.md", "# N\n\nx");
    let mut some = crate::collect::Collected { stop_after: Some(2), ..Default::default() };
    crate::collect::import("folder", sources.path(), &mut some).unwrap();
    assert_eq!(some.evidence.len(), 2);
}

#[test]
fn data_and_markup_that_nothing_knows_are_refused() {
    let sources = Sources::new();
    for (name, content) in [
        ("grok.json", r#"{"conversations": 3}"#),
        ("x", r#"[{"unknown": true}]"#),
        ("page.html", "hello"),
        ("page", "<!doctype html><p>hello"),
        ("style.css", "p {}"),
        ("table.csv", "a,b"),
    ] {
        assert_eq!(detected(&sources.file(name, content)), None, "{name}");
    }
    // A note that quotes JSON is a note.
    let note = sources.file("note.md", "# API\n\n{\"text\": \"hi\", \"speaker\": \"Ana\"}\n");
    assert_eq!(detected(&note), Some("markdown"));
    // Whoever names the format gets it.
    assert_eq!(import("text", &sources.file("table.csv", "a,b")).texts(), ["a,b"]);
}

#[test]
fn exports_of_whatsapp_are_known_by_their_content() {
    let sources = Sources::new();
    let ios = "\u{200e}[13/06/2025, 09:00:00] Kiln: \u{200e}Messages and calls are end-to-end encrypted.\r\n\
        [13/06/2025, 09:00:00] Dad: \u{200e}Dad joined using this group's invite link\r\n\
        [13/06/2025, 09:00:01] Ana: Tea?\r\n[13/06/2025, 09:00:02] ~\u{202f}Ben: Yes,\r\nwith milk\r\n\
        \u{200e}[13/06/2025, 09:00:03] Ana: \u{200e}<attached: 00000004-PHOTO.jpg>\r\n";
    let archive = sources.file("WhatsApp Chat - Kiln.zip", zip(&[("_chat.txt", ios.as_bytes())]));
    assert_eq!(detected(&archive), Some("text"));
    let zipped = import("text", &archive);
    assert_eq!(zipped.texts(), ["Tea?", "Yes,\nwith milk", "<attached: 00000004-PHOTO.jpg>"]);
    assert_eq!(zipped.evidence[0].payload.session_title.as_deref(), Some("Kiln"));
    assert_eq!(zipped.evidence[0].at.as_ref().unwrap().as_str(), "2025-06-13T09:00:01");
    // Unpacked, and under whatever name, it is the same chat.
    let plain = import("text", &sources.file("somewhere/_chat.txt", ios));
    assert_eq!(plain.evidence, zipped.evidence);
    let renamed =
        import("text", &sources.file("export.zip", zip(&[("_chat.txt", ios.as_bytes())])));
    assert_eq!(renamed.evidence, zipped.evidence);
    let nameless = ios.replace("Kiln: \u{200e}Messages", "Kiln: \u{200e}Other");
    let nameless = import("text", &sources.file("WhatsApp Chat - Kiln/_chat.txt", nameless));
    assert_eq!(nameless.evidence[0].payload.session_title.as_deref(), Some("Ana, Ben"));
    // Another chat in a file of the same name is another session.
    let other = import("text", &sources.file("other/_chat.txt", ios.replace("Tea?", "Cake?")));
    assert_ne!(other.evidence[0].payload.session, plain.evidence[0].payload.session);
    // More messages change none of the earlier ones.
    let longer = format!("{ios}[14/06/2025, 10:00:00] Ana: Again?\r\n");
    let grown = import("text", &sources.file("somewhere/_chat.txt", longer));
    assert_eq!(grown.uids()[..3], plain.uids()[..]);

    let android = "13/06/2025, 09:00 - Messages and calls are end-to-end encrypted.\n\
        13/06/2025, 09:00 - Ana created group \"Kiln: new\"\n13/06/2025, 09:01 - Ana: Tea?\n13/06/2025, 09:02 - Ben: Yes\n";
    let archive = zip(&[("WhatsApp Chat with Kiln.txt", android.as_bytes()), ("IMG.jpg", b"x")]);
    let read = import("text", &sources.file("kiln.zip", archive));
    assert_eq!(read.texts(), ["Tea?", "Yes"]);
    let unpacked = import("text", &sources.file("x/WhatsApp Chat with Kiln.txt", android));
    assert_eq!(unpacked.evidence, read.evidence);
    assert_eq!(read.evidence[0].payload.session_title.as_deref(), Some("Kiln"));
}

#[test]
fn four_days_in_a_row_say_which_number_is_the_day_and_else_the_user_does() {
    let sources = Sources::new();
    let days: String = (1..=4)
        .map(|day| {
            format!("0{day}/12/24, 10:00 - Ana: hi {day}\n0{day}/12/24, 10:01 - Ben: yes {day}\n")
        })
        .collect();
    let read = import("text", &sources.file("chat.txt", days));
    assert_eq!(read.complaints(), "");
    assert_eq!(read.evidence[0].at.as_ref().unwrap().as_str(), "2024-12-01T10:00:00");

    let one_day = sources.file(
        "one.txt",
        "02/06/25, 10:00 - Ana: hi\n02/06/25, 10:01 - Ben: yes\n02/06/25, 10:02 - Ana: so\n",
    );
    let read = import("text", &one_day);
    assert!(read.complaints().contains(importers::SAY_DAY_ORDER));
    let mut told = crate::collect::Collected::default();
    let mut context = crate::support::context();
    context.day_order = Some(importers::DayOrder::MonthFirst);
    importers::by_name("text").unwrap().import(&one_day, &context, &mut told).unwrap();
    assert_eq!(told.evidence[0].at.as_ref().unwrap().as_str(), "2025-02-06T10:00:00");
    assert_eq!(told.complaints(), "");
    // The same records, whatever is said.
    assert_eq!(told.uids(), read.uids());
}
