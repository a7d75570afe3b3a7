//! Sessions of Codex and Gemini, exports of Telegram, Slack and Signal: what becomes of good files
//! and of bad ones.

use importers::ImportError;
use kernel::evidence::{EvidenceKind, Visibility};

use crate::collect::Collected;
use crate::support::{Sources, detected, import, import_error, write, zip};

pub(crate) const CODEX: &str = r##"{"timestamp":"2025-11-03T09:00:00.100Z","type":"session_meta","payload":{"id":"0199-kiln","timestamp":"2025-11-03T09:00:00.000Z","cwd":"/home/mara/kiln","originator":"codex_cli_rs","cli_version":"0.46.0","instructions":null,"source":"cli","git":{"branch":"main"}}}
{"timestamp":"2025-11-03T09:00:01.000Z","type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"<permissions instructions>ask</permissions instructions>"}]}}
{"timestamp":"2025-11-03T09:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"# AGENTS.md instructions for /home/mara/kiln\n\n<INSTRUCTIONS>be brief</INSTRUCTIONS>"}]}}
{"timestamp":"2025-11-03T09:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>\n  <cwd>/home/mara/kiln</cwd>\n</environment_context>"}]}}
{"timestamp":"2025-11-03T09:00:02.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Why does the kiln log stop at noon?"}]}}
{"timestamp":"2025-11-03T09:00:02.000Z","type":"event_msg","payload":{"type":"user_message","message":"Why does the kiln log stop at noon?","kind":"plain"}}
{"timestamp":"2025-11-03T09:00:02.100Z","type":"turn_context","payload":{"cwd":"/home/mara/kiln","model":"some-model","approval_policy":"never"}}
{"timestamp":"2025-11-03T09:00:03.000Z","type":"response_item","payload":{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"**Looking at the log**"}],"content":null,"encrypted_content":"gAAA"}}
{"timestamp":"2025-11-03T09:00:04.000Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"tail kiln.log\"],\"workdir\":\"/home/mara/kiln\"}","call_id":"call_1"}}
{"timestamp":"2025-11-03T09:00:05.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"call_1","output":"{\"output\":\"11:59 1180 degrees\\n\",\"metadata\":{\"exit_code\":0}}"}}
{"timestamp":"2025-11-03T09:00:06.000Z","type":"response_item","payload":{"type":"custom_tool_call","status":"completed","call_id":"call_2","name":"apply_patch","input":"*** Begin Patch\n*** Update File: src/clock.rs\n@@\n-12\n+24\n*** End Patch"}}
{"timestamp":"2025-11-03T09:00:07.000Z","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"call_2","output":"{\"output\":\"Success\",\"metadata\":{}}"}}
{"timestamp":"2025-11-03T09:00:08.000Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"The clock had twelve hours; now it has 24."}]}}
{"timestamp":"2025-11-03T09:00:08.000Z","type":"event_msg","payload":{"type":"agent_message","message":"The clock had twelve hours; now it has 24."}}
{"timestamp":"2025-11-03T09:00:09.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"# Context from my IDE setup:\n\n## Open tabs:\n- clock.rs\n\n## My request for Codex:\nThanks, commit it."}]}}
"##;

const CODEX_OLD: &str = r#"{"id":"old-1","timestamp":"2025-06-02T08:00:00.000Z","instructions":null,"git":{"branch":"trunk"}}
{"record_type":"state"}
{"type":"message","id":null,"role":"user","content":[{"type":"input_text","text":"<user_instructions>\n\nbe brief</user_instructions>"}]}
{"type":"message","id":null,"role":"user","content":[{"type":"input_text","text":"List the glazes."}]}
{"type":"local_shell_call","id":"lsh_1","call_id":"call_7","status":"completed","action":{"type":"exec","command":["ls","glazes"]}}
{"type":"function_call_output","call_id":"call_7","output":{"content":"tenmoku","success":true}}
{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"Only tenmoku."}]}
"#;

pub(crate) const GEMINI: &str = r#"{
  "sessionId": "f86f5318-f47b-4433-85f8-ec9d9a417f8e",
  "projectHash": "79b6",
  "startTime": "2025-10-18T14:57:28.974Z",
  "lastUpdated": "2025-10-18T14:58:07.161Z",
  "messages": [
    {"id": "m1", "timestamp": "2025-10-18T14:57:28.974Z", "type": "user", "content": "Read @glazes.md\n--- Content from referenced files ---\nContent from @glazes.md:\ntenmoku\n--- End of content ---"},
    {"id": "m2", "timestamp": "2025-10-18T14:57:30.000Z", "type": "gemini", "content": "Tenmoku is there.", "model": "some-model",
     "thoughts": [{"subject": "Reading", "description": "I look into the file.", "timestamp": "2025-10-18T14:57:29.000Z"}],
     "toolCalls": [{"id": "t1", "name": "read_file", "args": {"path": "glazes.md"}, "status": "success",
       "result": [{"functionResponse": {"id": "t1", "name": "read_file", "response": {"output": "tenmoku, iron"}}}]}],
     "tokens": {"input": 1}},
    {"id": "m3", "timestamp": "2025-10-18T14:58:00.000Z", "type": "info", "content": "Request cancelled."},
    {"id": "m4", "timestamp": "2025-10-18T14:58:07.161Z", "type": "user", "content": [{"text": "And celadon?"}]}
  ]
}"#;

const GEMINI_LINES: &str = r#"{"sessionId":"aaaa1111-2222","projectHash":"79b6","startTime":"2026-02-01T10:00:00.000Z","kind":"main"}
{"id":"m1","timestamp":"2026-02-01T10:00:01.000Z","type":"user","content":[{"text":"Fire on Monday?"}]}
{"id":"m2","timestamp":"2026-02-01T10:00:02.000Z","type":"gemini","content":"Let me"}
{"id":"m2","timestamp":"2026-02-01T10:00:02.000Z","type":"gemini","content":"Let me see: yes."}
{"id":"m3","timestamp":"2026-02-01T10:00:03.000Z","type":"user","content":[{"text":"Taken back."}]}
{"$rewindTo":"m3"}
{"$set":{"summary":"The firing"}}
{"id":"m4","timestamp":"2026-02-01T10:00:09.000Z","type":"user","content":[{"text":"Book it."}]}
"#;

const GEMINI_LOG: &str = r#"[
  {"sessionId": "aaaa1111-2222", "messageId": 0, "type": "user", "message": "Fire on Monday?", "timestamp": "2026-02-01T10:00:01.000Z"},
  {"sessionId": "bbbb3333-4444", "messageId": 0, "type": "user", "message": "/quit", "timestamp": "2026-02-02T10:00:01.000Z"},
  {"sessionId": "bbbb3333-4444", "messageId": 1, "type": "user", "message": "How much clay is left?", "timestamp": "2026-02-02T10:00:02.000Z"}
]"#;

const GEMINI_CHECKPOINT: &str = r#"[
  {"role": "user", "parts": [{"text": "This is the Gemini CLI. We are setting up the context for our chat.\nToday is Sunday."}]},
  {"role": "model", "parts": [{"text": "Got it. Thanks for the context!"}]},
  {"role": "user", "parts": [{"text": "Who has the key?"}]},
  {"role": "model", "parts": [{"functionCall": {"name": "search", "args": {"query": "key"}}}]},
  {"role": "user", "parts": [{"functionResponse": {"name": "search", "response": {"output": "Tobi"}}}]},
  {"role": "model", "parts": [{"text": "hm", "thought": true}, {"text": "Tobi has it."}]}
]"#;

pub(crate) const TELEGRAM: &str = r#"{
 "name": "Tobi Brandt",
 "type": "personal_chat",
 "id": 4711,
 "messages": [
  {"id": 1, "type": "service", "date": "2025-01-08T19:50:00", "date_unixtime": "1736362200", "actor": "Mara", "actor_id": "user1", "action": "pin_message", "text": "", "text_entities": []},
  {"id": 2, "type": "message", "date": "2025-01-08T19:52:09", "date_unixtime": "1736362329", "from": "Tobi Brandt", "from_id": "user2",
   "text": ["See ", {"type": "link", "text": "https://example.org/kiln"}, " and ", {"type": "text_link", "text": "this", "href": "https://example.org/x"}, "!"], "text_entities": []},
  {"id": 3, "type": "message", "date": "2025-01-08T19:53:00", "date_unixtime": "1736362380", "from": "Mara", "from_id": "user1", "reply_to_message_id": 2,
   "photo": "photos/photo_1.jpg", "width": 800, "height": 600, "text": "Lovely", "text_entities": []},
  {"id": 4, "type": "message", "date": "2025-01-08T19:54:00", "date_unixtime": "1736362440", "from": null, "from_id": "user3",
   "file": "(File not included. Change data exporting settings to download.)", "text": "", "text_entities": []},
  {"id": 5, "type": "message", "date": "2025-01-08T19:55:00", "date_unixtime": "1736362500", "from": "Mara", "from_id": "user1",
   "poll": {"question": "When do we fire?", "answers": [{"text": "Monday", "voters": 1}, {"text": "Friday"}]}, "text": "", "text_entities": []}
 ]
}"#;

const TELEGRAM_ACCOUNT: &str = r#"{
 "about": "Here is the data you requested.",
 "personal_information": {"user_id": 1, "first_name": "Mara"},
 "contacts": {"about": "x", "list": [{"user_id": 2, "first_name": "Tobi"}]},
 "chats": {"about": "x", "list": [
  {"name": "Tobi", "type": "personal_chat", "id": 2, "messages": [
    {"id": 9, "type": "message", "date": "2025-03-01T10:00:00", "date_unixtime": "1740823200", "from": "Tobi", "from_id": "user2", "text": "Clay is here."}]},
  {"type": "saved_messages", "id": 1, "messages": [
    {"id": 9, "type": "message", "date": "2025-03-02T10:00:00", "date_unixtime": "1740909600", "from": "Mara", "from_id": "user1", "text": "Buy wax."}]}
 ]},
 "left_chats": {"about": "x", "list": [
  {"name": "Old guild", "type": "private_group", "id": 3, "messages": [
    {"id": 1, "type": "message", "date": "2020-03-02T10:00:00", "from": "Ida", "from_id": "user9", "text": "Bye."}]}]}
}"#;

const SLACK_USERS: &str = r#"[{"id":"U1","team_id":"T1","name":"mara","profile":{"real_name":"Mara Lind","display_name":"mara"}},
 {"id":"U2","team_id":"T1","name":"tobi","real_name":"Tobi Brandt","profile":{"real_name":"","display_name":""}}]"#;
const SLACK_CHANNELS: &str = r#"[{"id":"C1","name":"kiln","members":["U1","U2"]}]"#;
const SLACK_DMS: &str = r#"[{"id":"D1","members":["U1","U2"]}]"#;
const SLACK_DAY: &str = r#"[
 {"type":"message","subtype":"channel_join","ts":"1736362200.000100","user":"U2","text":"<@U2> has joined the channel"},
 {"type":"message","user":"U1","ts":"1736362201.000200","text":"<@U2> look at <https://example.org/kiln|the kiln> in <#C1|kiln> &amp; say <!here>","thread_ts":"1736362201.000200"},
 {"type":"message","user":"U2","ts":"1736362202.000300","text":"2 &lt; 3","thread_ts":"1736362201.000200","files":[{"name":"kiln.jpg"}]},
 {"type":"message","subtype":"bot_message","bot_id":"B1","username":"Firing bot","ts":"1736362203.000400","text":"","attachments":[{"fallback":"1180 degrees"}]},
 {"type":"message","user":"U9","user_profile":{"real_name":"Ida"},"ts":"1736362204.000500","text":"a <b"}
]"#;

pub(crate) const SIGNAL: &str = r#"{"date": "2025-01-08T19:52:09.123000", "sender": "Tobi", "body": "Did you see the kiln?  ", "quote": "", "sticker": "", "reactions": [["Mara", "+"]], "attachments": [{"name": "kiln.jpg", "path": "media/kiln.jpg"}]}
{"date": "2025-01-08T19:53:00", "sender": "Me", "body": "Yes.  ", "quote": "\n\n> Did you see\n> the kiln?\n\n", "sticker": "", "reactions": [], "attachments": []}
{"date": "2025-01-08T19:53:00", "sender": "Me", "body": "Yes.  ", "quote": "", "sticker": "", "reactions": [], "attachments": []}
{"date": "2025-01-08T19:54:00", "sender": "No-Sender", "body": "Missed voice call", "quote": "", "sticker": "", "reactions": [], "attachments": [], "call": true}
"#;

const SIGNAL_PLAINTEXT: &str = r#"{"version":"1","backupTimeMs":"1741000000000","currentAppVersion":"x"}
{"account":{"givenName":"Mara"}}
{"recipient":{"id":"1","self":{}}}
{"recipient":{"id":"2","contact":{"aci":"q83v","e164":"46700000002","profileGivenName":"Tobi","profileFamilyName":"Brandt"}}}
{"recipient":{"id":"3","group":{"masterKey":"c2VjcmV0","snapshot":{"title":{"title":"Kiln group"}}}}}
{"chat":{"id":"7","recipientId":"3"}}
{"chatItem":{"chatId":"7","authorId":"2","dateSent":"1736362329000","incoming":{},"standardMessage":{"text":{"body":"Fire at six."},"linkPreview":[{"url":"https://example.org/six"}]}}}
{"chatItem":{"chatId":"7","authorId":"1","dateSent":"1736362330000","outgoing":{},"standardMessage":{"quote":{"text":{"body":"Fire at six."}},"text":{"body":"Good."}}}}
{"chatItem":{"chatId":"7","authorId":"2","dateSent":"1736362331000","directionless":{},"updateMessage":{"simpleUpdate":{"type":"JOINED_SIGNAL"}}}}
"#;

fn slack(sources: &Sources, folder: &str) -> std::path::PathBuf {
    for (name, content) in SLACK {
        sources.file(&format!("{folder}/{name}"), content);
    }
    sources.path().join(folder)
}

const SLACK: [(&str, &str); 5] = [
    ("users.json", SLACK_USERS),
    ("channels.json", SLACK_CHANNELS),
    ("dms.json", SLACK_DMS),
    ("kiln/2025-01-08.json", SLACK_DAY),
    (
        "D1/2025-01-09.json",
        r#"[{"type":"message","user":"U1","ts":"1736448600.000000","text":"Only us."}]"#,
    ),
];

fn actors(collected: &Collected) -> Vec<&str> {
    collected.evidence.iter().map(|record| record.actor.as_deref().unwrap_or("-")).collect()
}

#[test]
fn each_export_is_detected_whatever_its_name_is() {
    let sources = Sources::new();
    for (format, content) in [
        ("codex", CODEX),
        ("codex", CODEX_OLD),
        ("gemini", GEMINI),
        ("gemini", GEMINI_LINES),
        ("gemini", GEMINI_LOG),
        ("gemini", GEMINI_CHECKPOINT),
        ("telegram", TELEGRAM),
        ("telegram", TELEGRAM_ACCOUNT),
        ("signal", SIGNAL),
        ("signal", SIGNAL_PLAINTEXT),
    ] {
        assert_eq!(detected(&sources.file("file.json", content)), Some(format), "{content}");
        let bom = sources.file("bom.txt", format!("\u{feff}{content}"));
        assert_eq!(detected(&bom), Some(format));
        for other in ["codex", "gemini", "telegram", "signal", "slack"] {
            if other != format {
                let error = import_error(other, &bom);
                assert!(matches!(error, ImportError::Format { .. }), "{other}: {error}");
            }
        }
    }
    assert_eq!(detected(&slack(&sources, "export")), Some("slack"));
    let entries: Vec<(&str, &[u8])> =
        SLACK.map(|(name, content)| (name, content.as_bytes())).to_vec();
    assert_eq!(detected(&sources.file("slack.zip", zip(&entries))), Some("slack"));
}

#[test]
fn an_import_gives_the_same_records_wherever_the_file_lies() {
    let sources = Sources::new();
    for (format, content) in [
        ("codex", CODEX),
        ("gemini", GEMINI),
        ("telegram", TELEGRAM),
        ("telegram", TELEGRAM_ACCOUNT),
        ("signal", SIGNAL),
        ("signal", SIGNAL_PLAINTEXT),
    ] {
        let here = import(format, &sources.file("a/chat/data.json", content));
        let there = import(format, &sources.file("b/chat/data.json", content));
        assert_eq!(here.evidence, there.evidence);
        assert!(!here.evidence.is_empty(), "{format}");
        assert_eq!(here.bytes, content.len() as u64, "{format}");
        assert_eq!(here.complaints(), "", "{format}");
    }
}

#[test]
fn a_codex_session_has_what_was_typed_answered_thought_and_done() {
    let sources = Sources::new();
    let read = import("codex", &sources.file("rollout-x.jsonl", CODEX));
    assert_eq!(
        read.texts(),
        [
            "Why does the kiln log stop at noon?",
            "**Looking at the log**",
            "shell: tail kiln.log",
            "11:59 1180 degrees\n",
            "apply_patch: *** Begin Patch\n*** Update File: src/clock.rs\n@@\n-12\n+24\n*** End Patch",
            "Success",
            "The clock had twelve hours; now it has 24.",
            "Thanks, commit it.",
        ]
    );
    assert_eq!(
        read.roles(),
        ["user", "assistant", "tool", "tool", "tool", "tool", "assistant", "user"]
    );
    let [asked, thought, call, output, patch, ..] = &read.evidence[..] else { panic!() };
    assert_eq!(asked.at.as_ref().unwrap().as_str(), "2025-11-03T09:00:02.000Z");
    assert_eq!(asked.payload.session.as_deref(), Some("0199-kiln"));
    assert_eq!(asked.payload.session_title.as_deref(), Some("/home/mara/kiln"));
    assert!(thought.kind.is_thinking() && thought.visibility == Visibility::Private);
    assert_eq!(call.source_uid, "0199-kiln/call_1");
    assert_eq!(output.source_uid, "0199-kiln/call_1/output");
    assert_eq!(patch.payload.links, ["src/clock.rs"]);

    // A session that grows keeps what it has.
    let longer = format!("{CODEX}{}", CODEX.lines().last().unwrap());
    let grown = import("codex", &sources.file("rollout-x.jsonl", longer));
    assert_eq!(grown.evidence[..read.evidence.len()], read.evidence[..]);
    assert_eq!(grown.evidence.len(), read.evidence.len() + 1);
}

#[test]
fn older_codex_sessions_and_those_of_other_agents_are_read() {
    let sources = Sources::new();
    let old = import("codex", &sources.file("old.jsonl", CODEX_OLD));
    assert_eq!(old.texts(), ["List the glazes.", "shell: ls glazes", "tenmoku", "Only tenmoku."]);
    assert!(old.evidence.iter().all(|record| record.payload.session.as_deref() == Some("old-1")));
    let oldest = r#"{"session":{"timestamp":"2025-04-20T10:00:00Z","id":"o-1","instructions":""},
        "items":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Hello"}]}]}"#;
    assert_eq!(import("codex", &sources.file("rollout.json", oldest)).texts(), ["Hello"]);
    let of_agent = CODEX.replace(r#""source":"cli""#, r#""source":{"subagent":"review"}"#);
    let read = import("codex", &sources.file("agent.jsonl", of_agent));
    assert!(!read.roles().contains(&"user"));
}

#[test]
fn folders_of_sessions_are_read_without_what_lies_beside_them() {
    let sources = Sources::new();
    let home = sources.path().join(".codex");
    write(&home, "sessions/2025/11/03/rollout-a.jsonl", CODEX);
    write(&home, "sessions/2025/06/02/rollout-b.jsonl", CODEX_OLD);
    write(&home, "sessions/2025/06/02/rollout-c.jsonl", "{broken");
    write(&home, "history.jsonl", r#"{"session_id":"0199-kiln","ts":1,"text":"again"}"#);
    assert_eq!(detected(&home), Some("codex"));
    let read = import("codex", &home);
    assert_eq!(read.evidence.len(), 12);
    assert_eq!(read.problems.len(), 1);

    let home = sources.path().join(".gemini");
    write(&home, "tmp/79b6/chats/session-2026-02-01T10-00-aaaa1111.jsonl", GEMINI_LINES);
    write(&home, "tmp/79b6/logs.json", GEMINI_LOG);
    write(&home, "settings.json", "{}");
    assert_eq!(detected(&home), Some("gemini"));
    let read = import("gemini", &home);
    // The log's first prompt is in the session's own file.
    assert_eq!(
        read.texts(),
        ["Fire on Monday?", "Let me see: yes.", "Book it.", "How much clay is left?"]
    );
}

#[test]
fn a_gemini_session_has_what_was_typed_answered_thought_and_done() {
    let sources = Sources::new();
    let read = import("gemini", &sources.file("session-x.json", GEMINI));
    assert_eq!(
        read.texts(),
        [
            "Read @glazes.md",
            "Reading\nI look into the file.",
            "Tenmoku is there.",
            "read_file: glazes.md\ntenmoku, iron",
            "And celadon?",
        ]
    );
    assert_eq!(read.roles(), ["user", "assistant", "assistant", "tool", "user"]);
    assert_eq!(read.evidence[1].kind.0, EvidenceKind::THOUGHT_ACTION);
    assert_eq!(read.evidence[2].source_uid, "f86f5318-f47b-4433-85f8-ec9d9a417f8e/m2");
    assert_eq!(read.evidence[3].payload.links, ["glazes.md"]);

    let lines = import("gemini", &sources.file("session-y.jsonl", GEMINI_LINES));
    assert_eq!(lines.texts(), ["Fire on Monday?", "Let me see: yes.", "Book it."]);
    assert_eq!(lines.evidence[2].payload.session_title.as_deref(), Some("The firing"));

    let saved = import("gemini", &sources.file("checkpoint-key.json", GEMINI_CHECKPOINT));
    assert_eq!(saved.texts(), ["Who has the key?", "search: key", "Tobi", "hm", "Tobi has it."]);
    assert_eq!(saved.roles(), ["user", "tool", "tool", "assistant", "assistant"]);
    let newer = format!(r#"{{"history": {GEMINI_CHECKPOINT}, "authType": "key"}}"#);
    assert_eq!(
        import("gemini", &sources.file("checkpoint-key.json", newer)).evidence,
        saved.evidence
    );
}

#[test]
fn a_telegram_chat_has_its_messages_with_their_offset() {
    let sources = Sources::new();
    let read = import("telegram", &sources.file("result.json", TELEGRAM));
    assert_eq!(
        read.texts(),
        [
            "See https://example.org/kiln and this!",
            "Lovely",
            "When do we fire?\n- Monday\n- Friday",
        ]
    );
    assert_eq!(
        read.times(),
        "4711/2 2025-01-08T19:52:09+01:00\n4711/3 2025-01-08T19:53:00+01:00\n4711/5 2025-01-08T19:55:00+01:00\n"
    );
    assert_eq!(actors(&read), ["Tobi Brandt", "Mara", "Mara"]);
    assert_eq!(
        read.evidence[0].payload.links,
        ["https://example.org/kiln", "https://example.org/x"]
    );
    assert_eq!(read.evidence[1].payload.links, ["photos/photo_1.jpg"]);
    assert_eq!(read.evidence[1].payload.more["reply_to"], 2);
    assert_eq!(read.evidence[0].payload.session_title.as_deref(), Some("Tobi Brandt"));
    assert_eq!(read.roles(), ["-", "-", "-"]);
}

#[test]
fn a_telegram_account_has_all_its_chats_apart() {
    let sources = Sources::new();
    let read = import("telegram", &sources.file("result.json", TELEGRAM_ACCOUNT));
    assert_eq!(
        read.times(),
        "2/9 2025-03-01T10:00:00Z\n1/9 2025-03-02T10:00:00Z\n3/1 2020-03-02T10:00:00\n"
    );
    let titles: Vec<_> = read
        .evidence
        .iter()
        .map(|record| record.payload.session_title.as_deref().unwrap())
        .collect();
    assert_eq!(titles, ["Tobi", "saved_messages", "Old guild"]);
}

#[test]
fn slack_names_people_and_channels_and_drops_its_markup() {
    let sources = Sources::new();
    let read = import("slack", &slack(&sources, "export"));
    assert_eq!(
        read.texts(),
        [
            "Only us.",
            "@Tobi Brandt look at the kiln in #kiln & say @here",
            "2 < 3",
            "1180 degrees",
            "a <b",
        ]
    );
    assert_eq!(actors(&read), ["Mara Lind", "Mara Lind", "Tobi Brandt", "Firing bot", "Ida"]);
    let sessions: Vec<_> =
        read.evidence.iter().map(|record| record.payload.session.as_deref().unwrap()).collect();
    assert_eq!(sessions, ["D1", "C1/1736362201.000200", "C1/1736362201.000200", "C1", "C1"]);
    let titles: Vec<_> = read
        .evidence
        .iter()
        .map(|record| record.payload.session_title.as_deref().unwrap())
        .collect();
    assert_eq!(titles, ["Mara Lind, Tobi Brandt", "kiln", "kiln", "kiln", "kiln"]);
    assert_eq!(read.evidence[1].source_uid, "C1/1736362201.000200");
    assert_eq!(read.evidence[1].payload.links, ["https://example.org/kiln"]);
    assert_eq!(read.evidence[2].payload.links, ["kiln.jpg"]);
    assert_eq!(read.evidence[1].at.as_ref().unwrap().as_str(), "2025-01-08T18:50:01.0002Z");

    let entries: Vec<(&str, &[u8])> =
        SLACK.map(|(name, content)| (name, content.as_bytes())).to_vec();
    let zipped = import("slack", &sources.file("slack.zip", zip(&entries)));
    assert_eq!(zipped.evidence, read.evidence);
}

#[test]
fn both_exports_of_signal_are_read() {
    let sources = Sources::new();
    sources.file("Tobi/chat.md", "[2025-01-08 19:52:09] Tobi: Did you see the kiln?");
    sources.file("Tobi/data.json", SIGNAL);
    let chat = sources.path().join("Tobi");
    assert_eq!(detected(&chat), Some("signal"));
    let read = import("signal", &chat);
    assert_eq!(read.texts(), ["Did you see the kiln?", "Yes.", "Yes."]);
    assert_eq!(actors(&read), ["Tobi", "Me", "Me"]);
    assert_eq!(read.evidence[0].payload.session_title.as_deref(), Some("Tobi"));
    assert_eq!(read.evidence[0].payload.links, ["kiln.jpg"]);
    assert_eq!(read.evidence[1].payload.more["quote"], "Did you see the kiln?");
    // A chat is known by its content, not by its folder.
    let moved = import("signal", &sources.file("Tobi B/data.json", SIGNAL));
    assert_eq!(moved.uids(), read.uids());

    let read = import("signal", &sources.file("main.jsonl", SIGNAL_PLAINTEXT));
    assert_eq!(read.texts(), ["Fire at six.", "Good."]);
    assert_eq!(actors(&read), ["Tobi Brandt", "Me"]);
    assert_eq!(read.evidence[0].payload.session_title.as_deref(), Some("Kiln group"));
    assert_eq!(read.evidence[0].payload.links, ["https://example.org/six"]);
    // Numbers of people and chats change from export to export.
    let renumbered = SIGNAL_PLAINTEXT.replace(r#""2""#, r#""22""#).replace(r#""7""#, r#""77""#);
    assert_eq!(import("signal", &sources.file("main.jsonl", renumbered)).evidence, read.evidence);
}

#[test]
fn what_is_broken_is_named_and_the_rest_is_read() {
    let sources = Sources::new();
    for (format, content, found) in [
        ("codex", CODEX.replacen("{\"timestamp\":\"2025-11-03T09:00:08.000Z\"", "{", 1), 7),
        ("gemini", GEMINI.replace("\"Tenmoku is there.\"", "nope"), 2),
        ("telegram", TELEGRAM.replace("\"Lovely\"", "Lovely"), 2),
        ("telegram", TELEGRAM[..TELEGRAM.len() - 60].to_owned(), 2),
        ("signal", format!("{SIGNAL}{{\"date\":"), 3),
    ] {
        let read = import(format, &sources.file("x.json", content));
        assert_eq!(
            (read.evidence.len(), read.problems.len()),
            (found, 1),
            "{format}: {:?}",
            read.texts()
        );
    }
    let folder = slack(&sources, "export");
    write(&folder, "kiln/2025-01-10.json", "[{\"type\":\"message\",");
    write(&folder, "kiln/2025-01-11.json", b"\xff\xfe[\0");
    let read = import("slack", &folder);
    assert_eq!((read.evidence.len(), read.problems.len()), (5, 2));
}

#[test]
fn values_of_wrong_types_and_endless_nesting_do_no_harm() {
    let sources = Sources::new();
    let deep = format!("{}1{}", "[".repeat(60_000), "]".repeat(60_000));
    for (format, content) in [
        ("codex", CODEX),
        ("codex", CODEX_OLD),
        ("gemini", GEMINI),
        ("gemini", GEMINI_LINES),
        ("gemini", GEMINI_CHECKPOINT),
        ("telegram", TELEGRAM),
        ("telegram", TELEGRAM_ACCOUNT),
        ("signal", SIGNAL),
        ("signal", SIGNAL_PLAINTEXT),
    ] {
        for bad in ["7", "null", "{\"a\":[[]]}", "[[1],{\"type\":3}]", "true", deep.as_str()] {
            // Each value in turn is replaced, so that some places still let it be recognised.
            for at in
                content.match_indices(": ").chain(content.match_indices("\":")).map(|(at, _)| at)
            {
                let (before, after) = content.split_at(at + 2);
                let end = after.find([',', '}', ']']).unwrap_or(after.len());
                let (_, rest) = after.split_at(end);
                if bad.len() > 100 && at % 7 != 0 {
                    continue;
                }
                let path = sources.file("x.json", format!("{before}{bad}{rest}"));
                let mut collected = Collected::default();
                let _ = crate::collect::import(format, &path, &mut collected);
            }
        }
    }
}

#[test]
fn an_archive_that_hides_paths_or_swells_is_read_or_refused() {
    let sources = Sources::new();
    let up: Vec<(&str, &[u8])> = vec![
        ("../../users.json", SLACK_USERS.as_bytes()),
        ("../../../etc/2025-01-08.json", SLACK_DAY.as_bytes()),
    ];
    assert_eq!(import("slack", &sources.file("up.zip", zip(&up))).evidence.len(), 4);
    let swollen = format!("[{}]", " ".repeat(64 * 1024 * 1024));
    let bomb: Vec<(&str, &[u8])> =
        vec![("users.json", SLACK_USERS.as_bytes()), ("kiln/2025-01-08.json", swollen.as_bytes())];
    let error = import_error("slack", &sources.file("bomb.zip", zip(&bomb)));
    assert!(matches!(error, ImportError::TooLarge { .. }), "{error}");
}
