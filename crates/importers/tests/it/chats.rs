//! The five chat formats: what becomes of good files, and of every sort of bad one.

use importers::ImportError;
use kernel::evidence::{EvidenceKind, Visibility};

use crate::collect::Collected;
use crate::support::{Sources, context, detected, import, import_error, try_import, zip};

const LOCOMO: &str = r#"[{
  "qa": [{"question": "Who has a boat?", "answer": "Mara", "evidence": ["D1:1"], "category": 1}],
  "conversation": {
    "speaker_a": "Mara", "speaker_b": "Tobi",
    "session_10_date_time": "12:05 am on 1 July, 2023",
    "session_10": [{"speaker": "Tobi", "dia_id": "D10:1", "text": "Late again."}],
    "session_2_date_time": "1:56 pm on 8 May, 2023",
    "session_2": [
      {"speaker": "Mara", "dia_id": "D2:1", "text": "I bought a boat!", "img_url": ["https://example.org/boat.jpg"],
       "blip_caption": "a photo of a red boat", "query": "red boat"},
      {"speaker": "Tobi", "dia_id": "D2:2", "text": "Ahoy \ud83d\ude00"}
    ],
    "session_3_date_time": "some day",
    "session_3": [{"speaker": "Mara", "dia_id": "D3:1", "text": "When was that?"}, {"speaker": "Tobi"}]
  },
  "sample_id": "sea-1"
}]"#;

const CLAUDE_CODE: &str = concat!(
    r#"{"type":"summary","summary":"Fix the tide table","leafUuid":"u9"}"#,
    "\n",
    r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s1","timestamp":"2025-03-01T09:00:00.000Z","cwd":"/home/mara/tides","gitBranch":"main","message":{"role":"user","content":"The table is off by an hour."}}"#,
    "\n",
    r#"{"type":"user","uuid":"u2","sessionId":"s1","isMeta":true,"message":{"role":"user","content":"Caveat: host note"}}"#,
    "\n",
    r#"{"type":"assistant","uuid":"u3","parentUuid":"u1","sessionId":"s1","timestamp":"2025-03-01T09:00:05.000Z","message":{"role":"assistant","model":"some-model","content":[{"type":"thinking","thinking":"secret"},{"type":"text","text":"Let me look."},{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"src/tide.rs"}}]}}"#,
    "\n",
    r#"{"type":"user","uuid":"u4","sessionId":"s1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"fn tide() {}"}]}}"#,
    "\n",
    r#"{"type":"user","uuid":"u5","sessionId":"s1","isSidechain":true,"message":{"role":"user","content":"Search the tests."}}"#,
    "\n",
    r#"{"type":"file-history-snapshot","messageId":"m","snapshot":{}}"#,
    "\n",
);

pub(crate) const CHATGPT: &str = r#"[{"title": "Bread", "create_time": 1709287200.5, "mapping": {
  "root": {"id": "root", "message": null, "parent": null, "children": ["a"]},
  "a": {"id": "a", "parent": "root", "message": {"id": "a", "author": {"role": "user"}, "create_time": 1709287201.25,
        "content": {"content_type": "text", "parts": ["How long does rye rest?"]}, "recipient": "all"}},
  "b1": {"id": "b1", "parent": "a", "message": {"id": "b1", "author": {"role": "assistant"}, "create_time": 1709287202,
        "content": {"content_type": "text", "parts": ["The answer not chosen."]}, "recipient": "all"}},
  "b2": {"id": "b2", "parent": "a", "message": {"id": "b2", "author": {"role": "assistant"}, "create_time": 1709287203,
        "content": {"content_type": "code", "text": "search('rye')"}, "recipient": "browser"}},
  "c": {"id": "c", "parent": "b2", "message": {"id": "c", "author": {"role": "assistant"}, "create_time": 1709287204,
        "content": {"content_type": "text", "parts": ["A day."]}, "recipient": "all", "metadata": {"model_slug": "m1"}}}
  }, "current_node": "c", "conversation_id": "conv-7"}]"#;

pub(crate) const CLAUDE_EXPORT: &str = r#"[{"uuid": "cv-1", "name": "Kiln", "created_at": "2024-06-01T08:00:00.000000Z", "chat_messages": [
  {"uuid": "m1", "sender": "human", "text": "flat", "content": [{"type": "text", "text": "How hot for stoneware?"}],
   "created_at": "2024-06-01T08:00:01.000000Z",
   "attachments": [{"file_name": "log.txt", "extracted_content": "cone 6 at 1222"}], "files": []},
  {"uuid": "m2", "sender": "assistant", "text": "About 1220 degrees.", "content": [], "created_at": "2024-06-01T08:00:09Z"}
]}]"#;

const CHAT: &str = concat!(
    r#"{"speaker":"Mara","text":"The harbour opens at six.","time":"2025-02-03T06:00:00+01:00","session":"harbour","id":7}"#,
    "\n",
    r#"{"from":"Tobi","body":"Good.","ts":1738560000,"channel":"harbour","berth":"B4"}"#,
    "\n",
    r#"{"role":"assistant","content":[{"type":"text","text":"Noted."}],"created_at":"2025-02-03"}"#,
    "\n",
);

#[test]
fn each_format_is_detected_among_the_others() {
    let sources = Sources::new();
    let formats = [
        ("locomo", LOCOMO),
        ("claude-code", CLAUDE_CODE),
        ("chatgpt", CHATGPT),
        ("claude-export", CLAUDE_EXPORT),
        ("chat-jsonl", CHAT),
    ];
    for (format, content) in formats {
        // The name must not matter.
        assert_eq!(detected(&sources.file("conversations.json", content)), Some(format));
        assert_eq!(detected(&sources.file("bom.json", format!("\u{feff}{content}"))), Some(format));
        for (other, content) in formats.iter().filter(|(other, _)| *other != format) {
            // A transcript is also a chat in JSON lines, if that format is named.
            if (format, *other) == ("chat-jsonl", "claude-code") {
                continue;
            }
            let error = import_error(format, &sources.file("forced.json", content));
            assert!(matches!(error, ImportError::Format { .. }), "{other} as {format}: {error}");
        }
    }
    // A file that is not a chat is text, whose importer reports an empty file as empty.
    assert_eq!(detected(&sources.file("x.jsonl", "")), Some("text"));
    assert_eq!(detected(&sources.file("plain.txt", "just words, {not} JSON")), Some("text"));
    assert_eq!(detected(sources.path()), Some("folder"));
    assert!(importers::detect(&sources.path().join("missing")).is_err());
}

#[test]
fn empty_files_directories_and_other_encodings_are_refused_with_the_reason() {
    let sources = Sources::new();
    let empty = sources.file("empty", " \n\n");
    let wide = sources.file("wide", b"\xff\xfe{\0}\0");
    for format in ["locomo", "claude-code", "chatgpt", "claude-export", "chat-jsonl"] {
        assert!(import_error(format, &empty).to_string().contains("is empty"));
        assert!(import_error(format, &wide).to_string().contains("UTF-16"));
        assert!(matches!(
            import_error(format, &sources.path().join("missing")),
            ImportError::Io { .. }
        ));
        assert!(matches!(import_error(format, sources.path()), ImportError::Format { .. }));
    }
}

#[test]
fn every_importer_gives_the_same_identities_wherever_the_file_lies_and_counts_every_byte() {
    let sources = Sources::new();
    for (format, content) in [
        ("locomo", LOCOMO),
        ("claude-code", CLAUDE_CODE),
        ("chatgpt", CHATGPT),
        ("claude-export", CLAUDE_EXPORT),
        ("chat-jsonl", CHAT),
    ] {
        let here = import(format, &sources.file("here/data.json", content));
        let there = import(format, &sources.file("there/deeper/data.json", content));
        assert_eq!(here.evidence, there.evidence);
        assert!(!here.evidence.is_empty());
        assert_eq!(here.bytes, content.len() as u64);
        let mut uids = here.uids();
        uids.sort();
        uids.dedup();
        assert_eq!(uids.len(), here.evidence.len(), "{format}");
        assert!(here.evidence.iter().all(|record| {
            let is_known = record.kind.0 == EvidenceKind::TURN || record.kind.is_thinking();
            is_known && record.source == format
        }));
    }
}

#[test]
fn a_sink_that_breaks_stops_the_import_without_error() {
    let sources = Sources::new();
    for (format, content) in [
        ("locomo", LOCOMO),
        ("claude-code", CLAUDE_CODE),
        ("chatgpt", CHATGPT),
        ("chat-jsonl", CHAT),
    ] {
        let path = sources.file("data.json", content);
        let mut collector = Collected { stop_after: Some(1), ..Collected::default() };
        importers::by_name(format).unwrap().import(&path, &context(), &mut collector).unwrap();
        assert_eq!(collector.evidence.len(), 1);
    }
}

#[test]
fn locomo_turns_carry_session_time_and_picture() {
    let sources = Sources::new();
    let found = import("locomo", &sources.file("sea.json", LOCOMO));
    assert_eq!(found.uids(), ["sea-1/D2:1", "sea-1/D2:2", "sea-1/D3:1", "sea-1/D10:1"]);
    let boat = &found.evidence[0];
    assert_eq!(boat.actor.as_deref(), Some("Mara"));
    assert_eq!(boat.at.as_ref().unwrap().as_str(), "2023-05-08T13:56:00");
    assert_eq!(boat.payload.session.as_deref(), Some("sea-1/session_2"));
    assert_eq!(boat.payload.captions, ["a photo of a red boat"]);
    assert_eq!(boat.payload.links, ["https://example.org/boat.jpg"]);
    assert_eq!(boat.payload.participants, ["Mara", "Tobi"]);
    assert_eq!(found.evidence[2].at, None);
    assert_eq!(
        found.complaints(),
        "1: sea-1/session_3: \"some day\" is not a time; its turns were taken without one\n1: sea-1/session_3 has a turn without text\n"
    );
}

#[test]
fn a_single_locomo_sample_without_id_is_named_after_its_file() {
    let sources = Sources::new();
    let sample = r#"{"conversation":{"speaker_a":"A","speaker_b":"B","session_1_date_time":"1:00 pm on 8 May, 2023",
        "session_1":[{"speaker":"A","dia_id":"D1:1","text":"hi"}]}}"#;
    assert_eq!(import("locomo", &sources.file("talk.json", sample)).uids(), ["talk/D1:1"]);
}

#[test]
fn claude_code_keeps_words_tools_and_thinking_apart() {
    let sources = Sources::new();
    let found = import("claude-code", &sources.file("s1.jsonl", CLAUDE_CODE));
    assert_eq!(found.problems, []);
    assert_eq!(
        found.uids(),
        ["s1/u1", "s1/u3/thinking", "s1/u3", "s1/u3/tool", "s1/u4/tool", "s1/u5"]
    );
    assert_eq!(
        found.texts(),
        [
            "The table is off by an hour.",
            "secret",
            "Let me look.",
            "Read: src/tide.rs",
            "fn tide() {}",
            "Search the tests."
        ]
    );
    // The prompt of a sub-agent has the type of the person's messages but is the assistant's.
    assert_eq!(found.roles(), ["user", "assistant", "assistant", "tool", "tool", "assistant"]);
    let kinds: Vec<_> = found.evidence.iter().map(|one| (&*one.kind.0, one.visibility)).collect();
    assert_eq!(kinds[1], ("thought_action", Visibility::Private));
    assert!(kinds.iter().filter(|(kind, _)| *kind == "turn").count() == 5, "{kinds:?}");
    assert_eq!(found.evidence[0].payload.session_title.as_deref(), Some("Fix the tide table"));
    assert_eq!(found.evidence[0].payload.more["gitBranch"], "main");
    assert_eq!(found.evidence[3].payload.links, ["src/tide.rs"]);
}

#[test]
fn encrypted_thinking_gives_no_record_and_no_other_record_depends_on_thinking() {
    let sources = Sources::new();
    let line = |thinking: &str| {
        format!(
            r#"{{"type":"assistant","sessionId":"s1","parentUuid":"u1","timestamp":"2025-03-01T09:00:05Z","message":{{"role":"assistant","content":[{thinking}{{"type":"text","text":"Let me look."}}]}}}}"#
        )
    };
    let of = |thinking: &str| {
        let text = format!("{}\n{}\n", line(thinking), line(thinking));
        let lines = CLAUDE_CODE.lines().nth(1).unwrap();
        import("claude-code", &sources.file("s1.jsonl", format!("{lines}\n{text}")))
    };
    let plain = of("");
    for without_words in [
        r#"{"type":"thinking","thinking":"","signature":"c2ln"},"#,
        r#"{"type":"redacted_thinking","data":"ZW5jcnlwdGVk"},"#,
    ] {
        assert_eq!(of(without_words).evidence, plain.evidence);
    }
    let thought = of(r#"{"type":"thinking","thinking":"Where is it?","signature":"c2ln"},"#);
    let said: Vec<_> = thought.evidence.into_iter().filter(|one| !one.kind.is_thinking()).collect();
    assert_eq!(said, plain.evidence, "also of lines that are identified by their content");
}

#[test]
fn the_exports_of_services_keep_thinking_apart() {
    let sources = Sources::new();
    let export = CLAUDE_EXPORT.replace(
        r#""text": "About 1220 degrees.", "content": []"#,
        r#""text": "", "content": [{"type": "thinking", "thinking": "Cone 6."}, {"type": "text", "text": "About 1220 degrees."}]"#,
    );
    let found = import("claude-export", &sources.file("conversations.json", export));
    assert!(found.uids().contains(&"cv-1/m2/thinking"), "{:?}", found.uids());
    let chatgpt = CHATGPT.replace(
        r#""content": {"content_type": "code", "text": "search('rye')"}, "recipient": "browser""#,
        r#""content": {"content_type": "thoughts", "thoughts": [{"summary": "Rye", "content": "It rests long."}]}, "recipient": "all""#,
    );
    let found = import("chatgpt", &sources.file("conversations2.json", chatgpt));
    let thought = found.evidence.iter().find(|one| one.kind.is_thinking()).unwrap();
    assert_eq!(
        (&*thought.source_uid, &*thought.payload.text),
        ("conv-7/b2/thinking", "Rye\nIt rests long.")
    );
    assert_eq!(found.evidence.len(), 3);
}

#[test]
fn a_directory_of_transcripts_is_read_in_order_and_bad_files_are_left_out_alone() {
    let sources = Sources::new();
    sources.file("p/b/s2.jsonl", CLAUDE_CODE.replace("\"s1\"", "\"s2\""));
    sources.file("p/a/s1.jsonl", CLAUDE_CODE);
    sources.file("p/a/empty.jsonl", "");
    sources.file("p/a/notes.md", "# no transcript");
    let directory = sources.path().join("p");
    assert_eq!(detected(&directory), Some("claude-code"));
    let found = import("claude-code", &directory);
    assert_eq!(found.evidence.len(), 12);
    assert!(found.uids()[0].starts_with("s1/") && found.uids()[11].starts_with("s2/"));
    assert_eq!(found.problems.len(), 1);
    assert!(found.problems[0].file.ends_with("empty.jsonl"));
}

#[test]
fn chatgpt_follows_the_path_that_was_seen_last() {
    let sources = Sources::new();
    let found = import("chatgpt", &sources.file("conversations.json", CHATGPT));
    assert_eq!(found.problems, []);
    assert_eq!(found.uids(), ["conv-7/a", "conv-7/b2", "conv-7/c"]);
    assert_eq!(found.texts(), ["How long does rye rest?", "browser: search('rye')", "A day."]);
    assert_eq!(found.roles(), ["user", "tool", "assistant"]);
    assert_eq!(found.evidence[0].at.as_ref().unwrap().as_str(), "2024-03-01T10:00:01.25Z");
    assert_eq!(found.evidence[0].payload.session_title.as_deref(), Some("Bread"));
    assert_eq!(found.evidence[2].payload.more["model_slug"], "m1");
}

#[test]
fn a_chatgpt_tree_with_a_circle_or_a_gap_ends_and_says_so() {
    let sources = Sources::new();
    let node = |id: &str, parent: &str| {
        format!(
            r#""{id}":{{"parent":"{parent}","message":{{"author":{{"role":"user"}},"content":{{"parts":["{id}"]}}}}}}"#
        )
    };
    let tree = |nodes: &[String]| {
        format!(
            r#"[{{"id":"x","title":"t","mapping":{{{}}},"current_node":"c"}}]"#,
            nodes.join(",")
        )
    };
    let circle = tree(&[node("a", "c"), node("b", "a"), node("c", "b")]);
    let found = import("chatgpt", &sources.file("circle.json", circle));
    assert_eq!(found.texts(), ["a", "b", "c"]);
    assert!(found.problems[0].message.contains("circle"));
    let gap = tree(&[node("b", "lost"), node("c", "b")]);
    let found = import("chatgpt", &sources.file("gap.json", gap));
    assert_eq!(found.texts(), ["b", "c"]);
    assert!(found.problems[0].message.contains("missing"));
}

#[test]
fn a_very_long_chatgpt_conversation_needs_no_recursion() {
    let sources = Sources::new();
    let mut json = String::from(r#"[{"id":"x","title":"t","current_node":"n9999","mapping":{"#);
    for number in 0..10_000_i32 {
        let parent = if number == 0 { "null".to_owned() } else { format!("\"n{}\"", number - 1) };
        let comma = if number == 0 { "" } else { "," };
        json.push_str(&format!(
            r#"{comma}"n{number}":{{"parent":{parent},"message":{{"author":{{"role":"user"}},"content":{{"parts":["{number}"]}}}}}}"#
        ));
    }
    json.push_str("}}]");
    let found = import("chatgpt", &sources.file("long.json", json));
    assert_eq!(found.evidence.len(), 10_000);
    assert_eq!(found.texts()[9_999], "9999");
}

#[test]
fn claude_export_prefers_blocks_and_gives_attachments_as_turns() {
    let sources = Sources::new();
    let found = import("claude-export", &sources.file("conversations.json", CLAUDE_EXPORT));
    assert_eq!(found.problems, []);
    assert_eq!(found.uids(), ["cv-1/m1", "cv-1/m1/attachment-1", "cv-1/m2"]);
    assert_eq!(found.texts(), ["How hot for stoneware?", "cone 6 at 1222", "About 1220 degrees."]);
    assert_eq!(found.roles(), ["user", "user", "assistant"]);
    assert_eq!(found.evidence[0].payload.links, ["log.txt"]);
    assert_eq!(found.evidence[1].payload.title.as_deref(), Some("log.txt"));
    assert_eq!(found.evidence[2].payload.session_title.as_deref(), Some("Kiln"));
}

#[test]
fn exports_are_read_within_their_zip() {
    let sources = Sources::new();
    let filler = vec![b'x'; 200_000];
    let path = sources.file(
        "export.zip",
        zip(&[("big.dat", &filler), ("conversations.json", CHATGPT.as_bytes())]),
    );
    assert_eq!(detected(&path), Some("chatgpt"));
    assert_eq!(import("chatgpt", &path).uids(), ["conv-7/a", "conv-7/b2", "conv-7/c"]);
    assert!(matches!(import_error("claude-export", &path), ImportError::Format { .. }));

    let other = CHATGPT.replace("conv-7", "conv-8");
    let parts = [
        ("conversations-001.json", other.as_bytes()),
        ("conversations-000.json", CHATGPT.as_bytes()),
    ];
    let found = import("chatgpt", &sources.file("parts.zip", zip(&parts)));
    assert_eq!(found.evidence.len(), 6);
    assert!(found.uids()[0].starts_with("conv-7"));

    let path = sources.file(
        "data.zip",
        zip(&[("users.json", b"[]"), ("conversations.json", CLAUDE_EXPORT.as_bytes())]),
    );
    assert_eq!(detected(&path), Some("claude-export"));
    let found = import("claude-export", &path);
    assert_eq!(found.evidence.len(), 3);
    assert!(found.bytes > 0 && found.bytes < std::fs::metadata(&path).unwrap().len());
}

#[test]
fn bad_archives_are_refused_or_reported_never_followed() {
    let sources = Sources::new();
    let good = zip(&[("conversations.json", CHATGPT.as_bytes())]);

    let cut = sources.file("cut.zip", &good[..good.len() / 2]);
    assert_eq!(detected(&cut), Some("zip"));
    for format in ["chatgpt", "zip"] {
        let refused = import_error(format, &cut);
        assert!(matches!(refused, ImportError::Format { .. }), "{refused}");
        assert!(refused.to_string().contains("partly downloaded"), "{refused}");
    }

    let none = sources.file("none.zip", zip(&[("readme.txt", b"hello")]));
    assert!(matches!(import_error("chatgpt", &none), ImportError::Format { .. }));

    let nested = sources.file("nested.zip", zip(&[("inner.zip", &good)]));
    assert!(matches!(import_error("chatgpt", &nested), ImportError::Format { .. }));

    let bomb = format!("[{}]", " ".repeat(8 * 1024 * 1024));
    let bomb = sources.file("bomb.zip", zip(&[("conversations.json", bomb.as_bytes())]));
    assert!(matches!(import_error("chatgpt", &bomb), ImportError::TooLarge { .. }));

    let mut slip = zip(&[("../../conversations.json", CHATGPT.as_bytes())]);
    assert_eq!(import("chatgpt", &sources.file("slip.zip", &slip)).evidence.len(), 3);
    // Flipping a bit of every byte in turn must never panic, whatever else it does.
    for at in 0..slip.len() {
        slip[at] ^= 0x10;
        let path = sources.file("flip.zip", &slip);
        let _ = importers::detect(&path);
        for format in ["chatgpt", "zip"] {
            let _ = try_import(format, &path);
        }
        slip[at] ^= 0x10;
    }
}

#[test]
fn a_damaged_entry_is_left_out_alone() {
    let sources = Sources::new();
    let parts = [
        ("conversations-000.json", b"{}".as_slice()),
        ("conversations-001.json", CHATGPT.as_bytes()),
    ];
    let found = import("chatgpt", &sources.file("parts.zip", zip(&parts)));
    assert_eq!(found.evidence.len(), 3);
    assert!(found.problems[0].file.to_string_lossy().ends_with("parts.zip#conversations-000.json"));
}

#[test]
fn generic_chats_are_read_under_many_names() {
    let sources = Sources::new();
    let found = import("chat-jsonl", &sources.file("log.jsonl", CHAT));
    assert_eq!(found.problems, []);
    assert_eq!(found.texts(), ["The harbour opens at six.", "Good.", "Noted."]);
    assert_eq!(found.uids()[0], "harbour/7");
    assert!(found.uids()[1].starts_with("harbour/") && found.uids()[1].ends_with("/1"));
    assert!(found.uids()[2].starts_with("log/"));
    let times: Vec<_> =
        found.evidence.iter().map(|record| record.at.as_ref().unwrap().as_str()).collect();
    assert_eq!(times, ["2025-02-03T06:00:00+01:00", "2025-02-03T05:20:00Z", "2025-02-03"]);
    assert_eq!(found.evidence[1].actor.as_deref(), Some("Tobi"));
    assert_eq!(found.evidence[1].payload.more["berth"], "B4");
    assert_eq!(found.roles(), ["-", "-", "assistant"]);
}

#[test]
fn an_inserted_line_changes_no_other_identity() {
    let sources = Sources::new();
    let line = |text: &str| format!("{{\"name\":\"Mara\",\"text\":\"{text}\"}}\n");
    let before = format!("{}{}{}", line("one"), line("two"), line("one"));
    let after = format!("{}{}{}{}", line("one"), line("between"), line("two"), line("one"));
    let before = import("chat-jsonl", &sources.file("a/log.jsonl", before));
    let after = import("chat-jsonl", &sources.file("b/log.jsonl", after));
    let kept: Vec<_> = after.uids().into_iter().filter(|uid| before.uids().contains(uid)).collect();
    assert_eq!(kept, before.uids());
    assert!(before.uids()[2].ends_with("/2"));
}

#[test]
fn conversations_in_a_line_keep_their_identity_when_they_grow() {
    let sources = Sources::new();
    let short = r#"{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Boats?"},{"role":"assistant","content":null,"tool_calls":[{"type":"function","function":{"name":"find","arguments":"{\"query\":\"boats\"}"}}]}]}"#;
    let long = short.replace("]}]}", "]},{\"role\":\"assistant\",\"content\":\"Three.\"}]}");
    let short = import("chat-jsonl", &sources.file("a/tune.jsonl", format!("{short}\n{short}\n")));
    let long = import("chat-jsonl", &sources.file("b/tune.jsonl", long));
    assert_eq!(short.problems, []);
    assert_eq!(short.texts()[..3], ["Be brief.", "Boats?", "find: boats"]);
    assert_eq!(short.uids()[..3], long.uids()[..3]);
    assert_eq!(long.texts()[3], "Three.");
    assert_ne!(short.evidence[0].payload.session, short.evidence[3].payload.session);
}

#[test]
fn an_array_of_messages_is_a_chat_too() {
    let sources = Sources::new();
    let path = sources.file(
        "log.json",
        r#"[{"role":"user","content":"Hi"},{"role":"assistant","content":"Ho"}, 3]"#,
    );
    assert_eq!(detected(&path), Some("chat-jsonl"));
    let found = import("chat-jsonl", &path);
    assert_eq!(found.texts(), ["Hi", "Ho"]);
    assert_eq!(found.complaints(), "1: not a JSON object\n");
}

#[test]
fn bad_lines_are_reported_by_number_and_the_rest_is_imported() {
    let sources = Sources::new();
    let mut bytes = Vec::new();
    bytes.extend_from_slice(b"\xef\xbb\xbf{\"text\":\"one\",\"time\":\"someday\"}\r\n\r\n");
    bytes.extend_from_slice(b"{\"text\":\"b\xffd\"}\n");
    bytes.extend_from_slice(b"not json\n");
    bytes.extend_from_slice(b"{\"speaker\":\"nobody\"}\n");
    bytes.extend_from_slice(b"{\"text\":\"half \\ud83d\"}\n");
    bytes.extend_from_slice(
        format!("{{\"text\":\"{}\"}}\n", "x".repeat(17 * 1024 * 1024)).as_bytes(),
    );
    bytes.extend_from_slice(format!("{}\n", "[".repeat(100_000)).as_bytes());
    bytes.extend_from_slice(b"{\"text\":\"last\"}\n{\"text\":\"cut of");
    let found = import("chat-jsonl", &sources.file("bad.jsonl", &bytes));
    assert_eq!(found.texts(), ["one", "half \u{fffd}", "last"]);
    let lines: Vec<_> = found.problems.iter().map(|problem| problem.line.unwrap()).collect();
    assert_eq!(lines, [1, 3, 4, 5, 6, 7, 8, 10]);
    assert_eq!(found.bytes, bytes.len() as u64);
}

#[test]
fn a_cut_export_gives_its_whole_conversations_and_the_place_of_the_cut() {
    let sources = Sources::new();
    let whole = CHATGPT.trim_end_matches(']');
    let cut = format!("{whole},\n{{\"title\": \"Lost\", \"mapping\": {{\"a\"");
    let found = import("chatgpt", &sources.file("cut.json", cut));
    assert_eq!(found.evidence.len(), 3);
    assert_eq!(found.problems.len(), 1);
    assert!(found.complaints().contains("ends early, within element 2"), "{}", found.complaints());
    assert_eq!(found.problems[0].line, Some(12));

    let broken = format!("[{{\"mapping\": 7, \"title\": \"\"}}, {}", &CHATGPT[1..]);
    let found = import("chatgpt", &sources.file("broken.json", broken));
    assert_eq!(found.evidence.len(), 3);
    assert!(found.complaints().starts_with("1: element 1 at byte 2 cannot be read"));
}

#[test]
fn cutting_or_breaking_a_file_anywhere_never_panics() {
    let sources = Sources::new();
    for (format, content) in [
        ("locomo", LOCOMO),
        ("claude-code", CLAUDE_CODE),
        ("chatgpt", CHATGPT),
        ("claude-export", CLAUDE_EXPORT),
        ("chat-jsonl", CHAT),
    ] {
        let importer = importers::by_name(format).unwrap();
        // A step that shares no factor with the eight ways of breaking.
        for at in (0..content.len()).step_by(7) {
            let path = sources.file("cut.json", &content.as_bytes()[..at]);
            let _ = importer.import(&path, &context(), &mut Collected::default());
            let mut bytes = content.as_bytes().to_vec();
            bytes[at] = b"]\"{\\\0\xff,0"[at % 8];
            let path = sources.file("broken.json", &bytes);
            let _ = importers::detect(&path);
            let _ = importer.import(&path, &context(), &mut Collected::default());
        }
    }
}

#[test]
fn a_problem_quotes_little_of_what_it_is_about() {
    let sources = Sources::new();
    let long = "y".repeat(1_000_000);
    let export = format!(r#"[{{"title":"t","mapping":"{long}"}},{}"#, &CHATGPT[1..]);
    let found = import("chatgpt", &sources.file("export.json", export));
    assert_eq!(found.evidence.len(), 3);
    assert!(found.problems[0].message.len() < 500);
    let line = format!(
        r#"{{"text":"hello","session":"{long}","speaker":"{long}","time":"{long}","city":"{long}"}}"#
    );
    let found = import("chat-jsonl", &sources.file("log.jsonl", line));
    assert!(found.problems[0].message.len() < 500);
    assert!(serde_json::to_string(&found.evidence[0]).unwrap().len() < 10_000);
}

#[test]
fn a_very_long_identity_is_the_same_short_one_for_the_session_and_its_messages() {
    let sources = Sources::new();
    let long = "y".repeat(20_000);
    for (format, whole, id) in [
        ("locomo", LOCOMO, "sea-1"),
        ("chatgpt", CHATGPT, "conv-7"),
        ("claude-export", CLAUDE_EXPORT, "cv-1"),
        (
            "chat-jsonl",
            r#"[{"id":"cv-2","messages":[{"text":"one","id":1},{"text":"two"}]}]"#,
            "cv-2",
        ),
    ] {
        let found = import(format, &sources.file("long.json", whole.replace(id, &long)));
        assert!(found.evidence.len() > 1);
        assert!(found.problems.iter().all(|problem| problem.message.len() < 500), "{format}");
        for record in found.evidence {
            let session = record.payload.session.unwrap();
            let conversation = session.split('/').next().unwrap();
            assert!(
                record.source_uid.starts_with(&format!("{conversation}/")),
                "{format}: {}",
                record.source_uid
            );
        }
    }
}

#[test]
fn a_name_of_megabytes_that_many_messages_share_is_not_copied_for_each() {
    let sources = Sources::new();
    let long = "y".repeat(4_000_000);
    let begun = std::time::Instant::now();
    let messages = r#"{"text":"x","extracted_content":"x"},"#.repeat(50_000);
    let messages = messages.trim_end_matches(',');
    let transcript =
        r#"{"type":"user","sessionId":"s","uuid":"u","message":{"content":"x"}}"#.to_owned() + "\n";
    for (format, whole) in [
        (
            "claude-export",
            format!(r#"[{{"chat_messages":[{messages}],"uuid":"{long}","name":"{long}"}}]"#),
        ),
        (
            "claude-export",
            format!(
                r#"[{{"chat_messages":[{{"attachments":[{messages}],"uuid":"{long}","sender":"{long}"}}]}}]"#
            ),
        ),
        ("chat-jsonl", format!(r#"[{{"messages":[{messages}],"id":"{long}","title":"{long}"}}]"#)),
        (
            "locomo",
            format!(
                r#"[{{"conversation":{{"session_1":[{messages}],"speaker_a":"{long}"}},"sample_id":"{long}"}}]"#
            ),
        ),
        (
            "claude-code",
            format!(
                "{transcript}{{\"type\":\"summary\",\"summary\":\"{long}\"}}\n{}",
                transcript.repeat(50_000)
            ),
        ),
    ] {
        let mut found = Collected::default();
        importers::by_name(format)
            .unwrap()
            .import(&sources.file("long.json", whole), &context(), &mut found)
            .unwrap();
        assert!(found.evidence.len() >= 50_000, "{format}: {}", found.evidence.len());
    }
    // Copying takes minutes.
    assert!(begun.elapsed() < std::time::Duration::from_secs(30), "{:?}", begun.elapsed());
}

#[test]
fn a_text_beyond_the_limit_is_split_and_nothing_is_lost() {
    let sources = Sources::new();
    let text = "a line of words\\n".repeat(40_000);
    let found = import(
        "chat-jsonl",
        &sources.file("long.jsonl", format!("{{\"id\":\"m\",\"text\":\"{text}\"}}")),
    );
    assert_eq!(found.uids()[..2], ["long/m", "long/m/part-2"]);
    assert_eq!(found.texts().concat(), "a line of words\n".repeat(40_000));
    for record in &found.evidence {
        assert!(serde_json::to_string(record).unwrap().len() < 1024 * 1024);
    }
}

#[test]
fn a_text_of_ten_megabytes_without_spaces_is_split_into_few_parts() {
    const BYTES: usize = 10_000_000;
    let sources = Sources::new();
    for (name, text) in [
        ("word", "q".repeat(BYTES)),
        ("line", "key=value;".repeat(BYTES / 10)),
        ("unspaced", "猫の手".repeat(BYTES / 9)),
        ("sentences", "The kiln is hot. ".repeat(BYTES / 17)),
    ] {
        let line = serde_json::json!({ "id": "m", "text": text }).to_string();
        let found = import("chat-jsonl", &sources.file(&format!("{name}.jsonl"), line));
        // Compared by length first: a difference would print all of it.
        let together = found.texts().concat();
        assert!(together.len() == text.len() && together == text, "{name}: text was lost");
        let parts = found.evidence.len();
        assert!(parts <= 2 * BYTES / (256 * 1024), "{name}: {parts} parts");
        assert!(found.evidence.iter().all(|part| part.summary.len() < 1024), "{name}");
    }
}

#[test]
fn what_the_host_writes_around_the_persons_words_is_not_theirs() {
    let sources = Sources::new();
    let line = |uuid: &str, text: &str| {
        let message = serde_json::json!({"role": "user", "content": text});
        serde_json::json!({"type": "user", "uuid": uuid, "sessionId": "s1", "message": message})
            .to_string()
            + "\n"
    };
    let path = sources.file(
        "session.jsonl",
        [
            line("u1", "<system-reminder>\nYour list is empty\n</system-reminder>\nNow add the tides of Basel"),
            line("u2", "<command-name>/model</command-name>\n<command-args></command-args>"),
            line("u3", "<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>the parser</command-args>"),
            line("u4", "[Request interrupted by user for tool use]"),
            line("u5", "<local-command-stdout></local-command-stdout>"),
            line("u6", "<bash-stdout>3 files</bash-stdout><bash-stderr></bash-stderr>"),
            line("u7", "What does <command-name> mean?"),
            line("u8", "<task-notification>\n<task-id>b1</task-id>\n<output-file>/tmp/b1</output-file>\n<status>completed</status>\n<summary>The tide tables are built</summary>\n<result>12 tables</result>\n</task-notification>\nRead the output file."),
            line("u9", "<ide_opened_file>tide.rs is open</ide_opened_file>Why is it slow?"),
            line("u10", "Nothing failed.").replace("\"type\":\"user\"", "\"type\":\"user\",\"origin\":{\"kind\":\"task-notification\"}"),
        ]
        .concat(),
    );
    let found = import("claude-code", &path);
    let expect = [
        "Now add the tides of Basel",
        "/review the parser",
        "3 files",
        "What does <command-name> mean?",
        "The tide tables are built\n12 tables",
        "Why is it slow?",
        "Nothing failed.",
    ];
    assert_eq!(found.texts(), expect);
    assert_eq!(found.roles(), ["user", "user", "tool", "user", "tool", "user", "tool"]);
}

#[test]
fn what_the_person_says_when_they_refuse_a_tool_is_their_turn() {
    let sources = Sources::new();
    let line = |uuid: &str, result: serde_json::Value, is_error: bool| {
        let result = serde_json::json!({
            "type": "tool_result", "tool_use_id": "t", "content": result, "is_error": is_error,
        });
        serde_json::json!({"type": "user", "uuid": uuid, "sessionId": "s1", "isSidechain": uuid == "u3",
            "message": {"role": "user", "content": [result]}})
        .to_string()
            + "\n"
    };
    let refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
    let said = "To tell you how to proceed, the user said:\nfirst rename the branch to kiln-fix";
    let note = "\n\nNote: The user's next message may contain a correction or preference.";
    let path = sources.file(
        "session.jsonl",
        [
            line("u1", format!("{refusal} {said}").into(), true),
            line("u2", "no words, no results".into(), true),
            line(
                "u3",
                serde_json::json!([{"type": "text", "text": format!("{refusal} {said}{note}")}]),
                false,
            ),
            line("u4", format!("notes.txt: {said}").into(), false),
        ]
        .concat(),
    );
    let found = import("claude-code", &path);
    let words = "first rename the branch to kiln-fix";
    let shown = format!("notes.txt: {said}");
    assert_eq!(
        found.texts(),
        [words, refusal, "no words, no results", words, refusal, shown.as_str()]
    );
    assert_eq!(found.roles(), ["user", "tool", "tool", "user", "tool", "tool"]);
    assert_eq!(found.uids()[..2], ["s1/u1/refusal", "s1/u1/tool"]);
}

#[test]
fn marks_of_citations_are_left_out_and_other_brackets_stay() {
    let sources = Sources::new();
    let said =
        "A day.【4†source】 Or \u{e200}cite\u{e202}turn0search3\u{e201}two. 【see below】 【";
    let path = sources.file("conversations.json", CHATGPT.replace("A day.", said));
    assert_eq!(import("chatgpt", &path).texts().last(), Some(&"A day. Or two. 【see below】 【"));
}

#[test]
fn an_export_that_was_unpacked_is_read_as_the_archive_is() {
    for (format, json) in [("chatgpt", CHATGPT), ("claude-export", CLAUDE_EXPORT)] {
        let sources = Sources::new();
        sources.file("users.json", "[]");
        sources.file("conversations.json", json);
        assert_eq!(detected(sources.path()), Some(format));
        let packed = Sources::new();
        let archive = packed.file("export.zip", zip(&[("conversations.json", json.as_bytes())]));
        assert_eq!(import(format, sources.path()).uids(), import(format, &archive).uids());
    }
    let empty = Sources::new();
    assert!(
        import_error("chatgpt", empty.path())
            .to_string()
            .contains("the folder has none of the files")
    );
}

#[test]
fn the_agents_own_folder_is_recognised_and_only_its_transcripts_are_read() {
    let sources = Sources::new();
    sources.file(".claude/history.jsonl", "{\"display\": \"hello\"}\n");
    sources.file(".claude/projects/-home-mara-tides/s1.jsonl", CLAUDE_CODE);
    let folder = sources.path().join(".claude");
    assert_eq!(detected(&folder), Some("claude-code"));
    assert_eq!(import("claude-code", &folder).complaints(), "");
}

#[test]
fn a_folder_where_a_file_is_read_is_refused_in_words() {
    let sources = Sources::new();
    for format in ["chat-jsonl", "mbox", "text"] {
        let error = import_error(format, sources.path()).to_string();
        assert!(error.contains("folder") || error.contains("directory"), "{error}");
        assert!(!error.contains("os error"), "{error}");
    }
}
