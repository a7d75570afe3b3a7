use kernel::evidence::Payload;
use serde_json::json;

use super::super::fixture;
use super::*;

fn record(number: u8, kind: &str, text: &str, more: Value) -> MinableRecord {
    let payload = Payload {
        text: text.to_owned(),
        role: more.get("role").and_then(Value::as_str).map(str::to_owned),
        more: more.as_object().cloned().unwrap_or_default(),
        ..Payload::default()
    };
    fixture::record(number, kind, "2026-03-01T10:00:00Z", payload)
}

fn made(records: Vec<MinableRecord>) -> Vec<(&'static str, String, Vec<u8>)> {
    let segment = Segment { records };
    let made = nodes_of(&segment).into_iter().map(|node| {
        let sources = node.sources.iter().map(|id| id.0[0]).collect();
        (node.node_type.as_str(), node.text, sources)
    });
    made.collect()
}

#[test]
fn a_loop_says_itself_what_it_decided_did_and_where_it_stands() {
    let made = made(vec![
        record(
            1,
            "evidence",
            "",
            json!({ "actions": ["edited kiln.md", { "text": "ran tests" }] }),
        ),
        record(2, "action", "opened the kiln", json!({})),
        record(3, "decide_next", "", json!({ "next_action": "Order the shelves." })),
        record(4, "snapshot", "The kiln is documented.", json!({})),
    ]);
    let actions = "2026-03-01: edited kiln.md; ran tests; opened the kiln".to_owned();
    assert_eq!(
        made,
        [
            ("decision", "Order the shelves.".to_owned(), vec![3]),
            ("action", actions, vec![1, 2]),
            ("summary", "The kiln is documented.".to_owned(), vec![4]),
        ]
    );
}

#[test]
fn a_conversation_has_decisions_tool_calls_and_sentences_of_its_summary() {
    let talk = [
        ("The kiln has to be hot before the glaze firing begins.", "user"),
        ("Is it?", "user"),
        ("The glaze firing in the kiln needs cone six today.", "assistant"),
        ("We decided to move the glaze firing to Friday.", "user"),
        ("Read: notes/kiln.md\nthe first line\nwarning: dust", "tool"),
    ];
    let records = (1..)
        .zip(talk)
        .map(|(number, (text, role))| record(number, "turn", text, json!({ "role": role })));
    let made = made(records.collect());
    assert_eq!(
        made[0],
        ("decision", "We decided to move the glaze firing to Friday.".to_owned(), vec![4])
    );
    assert_eq!(made[1], ("action", "2026-03-01: Read: notes/kiln.md".to_owned(), vec![5]));
    let (node_type, text, sources) = &made[2];
    assert_eq!((*node_type, sources.as_slice()), ("summary", &[1, 3, 4][..]));
    assert!(text.starts_with("2026-03-01: The kiln has to be hot"), "{text}");
}

#[test]
fn a_short_note_is_its_own_summary_and_any_text_is_read() {
    assert!(made(vec![record(1, "note", "The kiln is hot.", json!({}))]).is_empty());
    for text in ["", "?", "\u{0}", ": ", "A: b"] {
        for kind in ["turn", "snapshot", "decide_next", "action", "commit"] {
            let _ = made(vec![record(1, kind, text, json!({ "actions": [1, {}, null, text] }))]);
        }
    }
}

#[test]
fn many_actions_are_counted() {
    let listed: Vec<String> = (0..40).map(|number| format!("step {number}")).collect();
    let made = made(vec![record(1, "evidence", "", json!({ "actions": listed }))]);
    assert!(made[0].1.ends_with("step 11; and 28 more"), "{}", made[0].1);
}
