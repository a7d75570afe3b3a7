//! Patches: checked, proposed, applied and taken back as a whole.

use crate::graph::{add, id_of, json, statuses, texts};
use crate::machine::Machine;

/// A patch over a note, a claim and a decision, and the ids of these.
pub(crate) fn patch(machine: &Machine) -> (String, [String; 3]) {
    let note = id_of(&json(machine, &["remember", "Talk about the kiln"]));
    let claim = add(machine, &["The glaze is celadon."]);
    let node = id_of(&json(machine, &["node", "add", "--type", "decision", "Fire on Fridays"]));
    let operations = serde_json::json!([
        {"op": "create_claim", "local": "a", "type": "fact", "text": "The kiln is gas.", "sources": [note]},
        {"op": "create_node", "local": "n", "type": "action", "text": "Lit the kiln", "sources": [note, "a"]},
        {"op": "create_edge", "type": "depends_on", "from": "n", "to": "a", "sources": [note]},
        {"op": "supersede", "target": claim, "text": "The glaze is oribe.", "sources": [note]},
        {"op": "create_summary", "text": "Gas and oribe", "of": ["a", "n"], "sources": [note]},
        {"op": "retract", "target": node, "sources": [note], "reason": "no longer"},
    ]);
    let patch = serde_json::json!({"text": "after the talk", "operations": operations});
    (patch.to_string(), [note, claim, node])
}

#[test]
fn a_patch_is_applied_as_a_whole_and_reverting_it_restores_the_state_before() {
    let machine = Machine::with_space();
    let (text, [_, claim, node]) = patch(&machine);
    machine.write("tidy.json", &text);
    let before = machine.because(["log", "--json"]).run().succeeds().out();
    let would = json(&machine, &["patch", "check", "tidy.json"]);
    assert_eq!(before, machine.because(["log", "--json"]).run().succeeds().out(), "only a check");
    assert_eq!(would["statuses"].as_array().unwrap().len(), 6, "{would}");
    let applied = json(&machine, &["patch", "apply", "tidy.json"]);
    assert_eq!(applied["statuses"].as_array().unwrap().len(), 6);
    assert_eq!(statuses(&machine, &[&claim, &node]), ["superseded", "retracted"]);
    let patch = applied["patch"].as_str().unwrap();
    json(&machine, &["patch", "revert", patch]);
    assert_eq!(statuses(&machine, &[&claim, &node]), ["active", "active"]);
    assert_eq!(texts(&machine, &["claims"]), ["The glaze is celadon."]);
    let listed = json(&machine, &["patch", "list", "--all"]);
    assert_eq!(listed["status"], "reverted", "{listed}");
    let twice = json(&machine, &["patch", "revert", patch]);
    assert_eq!(twice["statuses"], serde_json::json!([]));
    machine.because(["patch", "revert", patch]).run().succeeds().prints("taken back before");
    machine.is_sound();
}

#[test]
fn a_bad_patch_is_refused_with_every_reason_and_nothing_is_written() {
    let machine = Machine::with_space();
    let (_, [note, claim, _]) = patch(&machine);
    let before = machine.because(["log", "--json"]).run().succeeds().out();
    let operations = serde_json::json!([
        {"op": "create_claim", "local": "a", "type": "opinion", "text": " "},
        {"op": "create_edge", "type": "supports", "from": "a", "to": "ffffffff", "sources": [note]},
        {"op": "retract", "target": note, "sources": [note]},
        {"op": "same_as", "duplicate": claim, "canonical": claim, "sources": [note]},
        {"op": "fly"},
        {"op": "create_claim", "local": "b", "type": "fact", "text": "Good.", "sources": [note]},
        {"op": "create_claim", "local": "b", "type": "fact", "text": "Taken.", "sources": [note]},
    ]);
    machine.write("bad.json", serde_json::json!({ "operations": operations }).to_string());
    for command in ["check", "apply", "propose"] {
        let refused =
            machine.because(["patch", command, "bad.json", "--json"]).run().ends(3).json();
        let reasons = refused["reasons"].as_array().unwrap().iter();
        let reasons: Vec<(u64, &str)> = reasons
            .map(|it| (it["operation"].as_u64().unwrap(), it["code"].as_str().unwrap()))
            .collect();
        assert_eq!(
            reasons,
            [
                (1, "empty_text"),
                (1, "unknown_type"),
                (1, "empty_inputs"),
                (2, "unknown_ref"),
                (3, "not_in_graph"),
                (4, "self_edge"),
                (5, "malformed"),
                (7, "duplicate_local_id"),
            ]
        );
    }
    for name in ["A", "1", "_x", "Ä", "", "b3:abcd", &"a".repeat(200)] {
        let claim = serde_json::json!({"op": "create_claim", "local": name, "type": "fact",
            "text": "Good.", "sources": [note]});
        let of_one = serde_json::json!({ "operations": [claim] });
        machine.write("bad.json", of_one.to_string());
        for command in [&["check"][..], &["apply"], &["apply", "--dry-run"], &["propose"]] {
            let call = machine.because(["patch", "--json"]).arguments(command);
            let refused = call.arguments(["bad.json"]).run().ends(3).json();
            let [reason] = refused["reasons"].as_array().unwrap().as_slice() else { panic!() };
            assert_eq!((&reason["operation"], &reason["code"]), (&1.into(), &"local_name".into()));
        }
    }
    let long = serde_json::json!({ "operations": [
        {"op": "create_claim", "type": "fact", "text": "a".repeat(700_000), "sources": [note]},
        {"op": "create_claim", "type": "fact", "text": "b".repeat(700_000), "sources": [note]},
        {"op": "retract", "target": note, "sources": [note]},
        {"op": "create_summary", "text": "Nothing is summed up"},
    ]});
    machine.write("bad.json", long.to_string());
    let refused = machine.because(["patch", "check", "bad.json", "--json"]).run().ends(3).json();
    let reasons = refused["reasons"].as_array().unwrap().iter();
    let codes: Vec<&str> = reasons.map(|reason| reason["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["too_large", "not_in_graph", "empty_inputs"]);
    let missing = machine.because(["patch", "apply", "nofile.json", "--json"]).run().ends(1);
    assert_eq!(missing.says("because patch list").error_code(), "no_such_patch");
    let tag = serde_json::json!({"op": "create_node", "type": "decision", "text": "Good.",
        "tags": ["a", " "], "sources": [note]});
    machine.write("bad.json", serde_json::json!({ "operations": [tag] }).to_string());
    let refused = machine.because(["patch", "check", "bad.json", "--json"]).run().ends(3).json();
    assert_eq!(refused["reasons"][0]["code"], "empty_tag");
    assert_eq!(before, machine.because(["log", "--json"]).run().succeeds().out());
}

#[test]
fn a_proposed_patch_waits_among_the_reviews_and_is_decided_once() {
    let machine = Machine::with_space();
    let (text, _) = patch(&machine);
    let propose = |text: &str| {
        let ran = machine.because(["patch", "propose", "-", "--json"]).input(text).run();
        id_of(&ran.succeeds().json())
    };
    let tried = ["patch", "propose", "-", "--dry-run", "--json"];
    let tried = machine.because(tried).input(text.as_str()).run().succeeds().json();
    assert_eq!(tried["statuses"].as_array().unwrap().len(), 6, "{tried}");
    assert_eq!(texts(&machine, &["patch", "list", "--all"]), Vec::<String>::new());
    let mut other: serde_json::Value = serde_json::from_str(&text).unwrap();
    other["text"] = "The same for another reason".into();
    let (first, second) = (propose(&text), propose(&other.to_string()));
    assert_eq!(propose(&text), first, "what waits is not proposed again");
    let would = json(&machine, &["review", "accept", &first, "--dry-run"]);
    assert_eq!((&would["dry_run"], &would["recorded"]), (&true.into(), &serde_json::json!([])));
    let statuses = would["statuses"].as_array().unwrap().iter();
    let changes = statuses.map(|it| (it["before"].as_str(), it["after"].as_str().unwrap()));
    assert!(changes.clone().any(|it| it == (Some("active"), "superseded")), "{would}");
    assert!(changes.clone().any(|it| it == (None, "active")), "new nodes are listed: {would}");
    let waiting = machine.because(["review", "list", "--json"]).run().succeeds().out();
    assert_eq!(waiting.lines().count(), 2, "{waiting}");
    machine.because(["review", "accept", &first]).run().succeeds();
    machine.because(["review", "dismiss", &second, "--note", "done"]).run().succeeds();
    for patch in [&first, &second] {
        let again = machine.because(["patch", "apply", patch, "--json"]).run().ends(1);
        assert_eq!(again.error_code(), "patch_settled");
    }
    let never = machine.because(["patch", "revert", &second, "--json"]).run().ends(1);
    assert_eq!(never.error_code(), "patch_settled");
    let note = id_of(&json(&machine, &["remember", "Not a patch"]));
    let other = machine.because(["patch", "apply", &note, "--json"]).run().ends(2);
    assert_eq!(other.error_code(), "not_a_patch");
    assert_eq!(texts(&machine, &["patch", "list"]), Vec::<String>::new());
    assert_eq!(texts(&machine, &["patch", "list", "--all"]).len(), 2);
    machine.is_sound();
}

#[test]
fn later_work_on_a_patch_is_named_before_it_is_taken_back() {
    let machine = Machine::with_space();
    let (text, [note, ..]) = patch(&machine);
    machine.write("tidy.json", &text);
    let applied = json(&machine, &["patch", "apply", "tidy.json"]);
    let (patch, made) =
        (applied["patch"].as_str().unwrap(), applied["stand_for"][0].as_str().unwrap());
    let later = add(&machine, &["Gas is dear.", "--source", made, "--source", &note]);
    let unconfirmed = machine.because(["patch", "revert", patch, "--json"]).run().ends(2);
    assert_eq!(unconfirmed.error_code(), "unconfirmed");
    assert!(unconfirmed.err().contains(&later), "{}", unconfirmed.err());
    let would = json(&machine, &["patch", "revert", patch, "--dry-run"]);
    assert_eq!(would["built_on"], serde_json::json!([later]));
    let reverted = json(&machine, &["patch", "revert", patch, "--yes"]);
    assert_eq!(reverted["built_on"], serde_json::json!([later]));
    let fell =
        reverted["statuses"].as_array().unwrap().iter().any(|it| it["after"] == "invalidated");
    assert!(fell || texts(&machine, &["claims"]) == ["The glaze is celadon."], "{reverted}");
}

#[test]
fn names_in_a_patch_stand_for_what_has_them_and_for_nothing_else() {
    let machine = Machine::with_space();
    let (_, [note, claim, node]) = patch(&machine);
    let operations = serde_json::json!([
        {"op": "create_claim", "local": "summary-2", "type": "fact", "text": "One.", "sources": [note]},
        {"op": "create_summary", "text": "Two.", "sources": [note]},
        {"op": "create_claim", "local": "change-4", "type": "fact", "text": "Three.", "sources": [note]},
        {"op": "supersede", "target": claim, "text": "Four.", "sources": [note]},
        {"op": "create_edge", "type": "supports", "from": "summary-2", "to": node, "sources": [note]},
        {"op": "create_edge", "type": "supports", "from": "change-4", "to": node, "sources": [note]},
    ]);
    machine.write("names.json", serde_json::json!({ "operations": operations }).to_string());
    let proposed = id_of(&json(&machine, &["patch", "propose", "names.json"]));
    let applied = json(&machine, &["patch", "apply", &proposed]);
    for (named, edge) in [(0, 4), (2, 5)] {
        let edge = applied["stand_for"][edge].as_str().unwrap();
        let shown = json(&machine, &["edge", "show", edge]);
        assert_eq!(shown["from"], applied["stand_for"][named], "{applied}");
    }
}

#[test]
fn a_patch_that_is_not_utf8_is_refused() {
    let machine = Machine::with_space();
    machine.write("bad.json", b"{\"operations\":[{\"op\":\"\xff\"}]}");
    let refused = machine.because(["patch", "check", "bad.json", "--json"]).run().ends(1);
    assert_eq!(refused.error_code(), "input_not_utf8");
}

#[test]
fn summaries_without_names_stand_beside_one_another() {
    let machine = Machine::with_space();
    let (_, [note, claim, node]) = patch(&machine);
    let operations = serde_json::json!([
        {"op": "create_summary", "text": "One.", "of": [claim], "sources": [note]},
        {"op": "create_summary", "text": "Two.", "of": [node], "sources": [note]},
        {"op": "create_summary", "local": "summary-2", "text": "Three.", "sources": [note]},
    ]);
    machine.write("sums.json", serde_json::json!({ "operations": operations }).to_string());
    machine.because(["patch", "check", "sums.json"]).run().ends(0);
    let proposed = id_of(&json(&machine, &["patch", "propose", "sums.json"]));
    let applied = json(&machine, &["patch", "apply", &proposed]);
    assert_eq!(applied["stand_for"].as_array().unwrap().len(), 5, "{applied}");
}

#[test]
fn a_refused_operation_of_a_patch_is_the_only_reason_whatever_follows_from_it() {
    let machine = Machine::with_space();
    let (_, [note, claim, _]) = patch(&machine);
    let operations = serde_json::json!([
        {"op": "same_as", "local": "a", "duplicate": claim, "canonical": claim, "sources": [note]},
        {"op": "create_claim", "local": "b", "type": "fact", "text": "B.", "sources": ["a"]},
        {"op": "create_claim", "local": "c", "type": "fact", "text": "C.", "sources": ["b"]},
        {"op": "create_claim", "local": "d", "type": "fact", "text": "D.", "sources": ["c"]},
    ]);
    machine.write("bad.json", serde_json::json!({ "operations": operations }).to_string());
    let refused = machine.because(["patch", "check", "bad.json", "--json"]).run().ends(3).json();
    assert_eq!(refused["reasons"].as_array().unwrap().len(), 1, "{refused}");
}

#[test]
fn a_patch_does_not_touch_what_the_user_corrected() {
    let machine = Machine::with_space();
    let note = id_of(&json(&machine, &["remember", "Talk about the kiln"]));
    let claim = add(&machine, &["The glaze is celadon."]);
    let other = add(&machine, &["The glaze is oribe."]);
    json(&machine, &["correct", &claim, "--text", "The glaze is tenmoku."]);
    for operation in [
        serde_json::json!({"op": "retract", "target": claim, "sources": [note]}),
        serde_json::json!({"op": "supersede", "target": claim, "text": "New.", "sources": [note]}),
        serde_json::json!({"op": "same_as", "duplicate": claim, "canonical": other, "sources": [note]}),
        serde_json::json!({"op": "create_edge", "type": "supersedes", "from": other, "to": claim, "sources": [note]}),
    ] {
        machine.write("p.json", serde_json::json!({ "operations": [operation] }).to_string());
        let refused = machine.because(["patch", "check", "p.json", "--json"]).run().ends(3).json();
        assert_eq!(refused["reasons"][0]["code"], "users_word", "{refused}");
    }
    let refused = machine.because(["what-if", "--retract", &claim, "--json"]).run();
    assert_eq!(refused.error_code(), "users_word", "{refused}");
    machine.is_sound();
}

#[test]
fn what_was_brought_back_of_a_patch_is_taken_back_again() {
    let machine = Machine::with_space();
    let note = id_of(&json(&machine, &["remember", "Talk about the kiln"]));
    let operation = serde_json::json!({"op": "create_claim", "type": "fact", "text": "It is gas.", "sources": [note]});
    machine.write("p.json", serde_json::json!({ "operations": [operation] }).to_string());
    let applied = json(&machine, &["patch", "apply", "p.json"]);
    let (patch, claim) = (applied["patch"].as_str().unwrap(), &applied["stand_for"][0]);
    json(&machine, &["patch", "revert", patch]);
    json(&machine, &["restore", claim.as_str().unwrap()]);
    assert_eq!(texts(&machine, &["claims"]), ["It is gas."]);
    let again = json(&machine, &["patch", "revert", patch]);
    assert_eq!(again["statuses"][0]["after"], "retracted", "{again}");
    assert!(texts(&machine, &["claims"]).is_empty());
    machine.because(["patch", "revert", patch]).run().succeeds().prints("nothing of it stands");
}

#[test]
fn who_cites_a_claim_that_was_corrected_is_told_what_to_cite() {
    let machine = Machine::with_space();
    let claim = id_of(&json(&machine, &["claim", "add", "The kiln is rented."]));
    json(&machine, &["correct", &claim, "--text", "The kiln is leased."]);
    let cites = ["claim", "add", "We pay for the kiln.", "--source", &claim, "--json"];
    let refused = machine.because(cites).run().ends(1);
    assert_eq!(refused.error_code(), "stale_input");
    assert!(refused.err().contains("`because show ID` says what became of it"), "{refused}");
}

#[test]
fn a_patch_that_changed_nothing_is_taken_back_without_a_word_in_the_ledger() {
    let machine = Machine::with_space();
    let note = id_of(&json(&machine, &["remember", "Talk about the kiln"]));
    json(&machine, &["claim", "add", "It is gas.", "--source", &note]);
    let operation = serde_json::json!({"op": "create_claim", "type": "fact", "text": "It is gas.", "sources": [note]});
    machine.write("p.json", serde_json::json!({ "operations": [operation] }).to_string());
    let applied = json(&machine, &["patch", "apply", "p.json"]);
    assert_eq!(applied["statuses"], serde_json::json!([]), "it was there: {applied}");
    let patch = applied["patch"].as_str().unwrap();
    let before = machine.records().len();
    machine.because(["patch", "revert", patch]).run().succeeds().prints("It changed nothing");
    assert_eq!(json(&machine, &["patch", "revert", patch])["patch"], patch);
    assert_eq!(machine.records().len(), before);
    assert_eq!(texts(&machine, &["claims"]), ["It is gas."]);
}

#[test]
fn what_a_patch_made_is_forgotten_with_the_patch() {
    let machine = Machine::with_space();
    let turn = id_of(&json(&machine, &["remember", "The kiln was opened on Monday"]));
    let patch = serde_json::json!({
        "text": "note it",
        "operations": [
            { "op": "create_claim", "type": "fact", "text": "Mara has zorbitis.", "sources": [turn] },
            { "op": "create_node", "type": "action", "text": "The shelf was cleaned.", "sources": [turn] },
        ],
    });
    machine.write("note.json", patch.to_string());
    let applied = json(&machine, &["patch", "apply", "note.json"]);
    let [claim, node] = [0, 1].map(|place| applied["appended"][place].as_str().unwrap());
    machine.because(["forget", claim, "--yes"]).run().succeeds();
    let file = std::fs::read(machine.work().join(".because/space.db")).unwrap();
    assert!(!file.windows(8).any(|bytes| bytes == b"zorbitis"));
    machine.because(["show", node]).run().succeeds().prints("The shelf was cleaned.");
    machine.is_sound();
}

#[test]
fn a_kept_patch_that_can_no_longer_be_applied_is_refused_with_its_reasons() {
    let machine = Machine::with_space();
    let note = id_of(&json(&machine, &["remember", "Talk about the kiln"]));
    let claim = add(&machine, &["The glaze is celadon."]);
    let operation =
        serde_json::json!({"op": "supersede", "target": claim, "text": "New.", "sources": [note]});
    machine.write("p.json", serde_json::json!({ "operations": [operation] }).to_string());
    let kept = id_of(&json(&machine, &["patch", "propose", "p.json"]));
    json(&machine, &["claim", "retract", &claim]);
    let refused = machine.because(["patch", "apply", &kept, "--json"]).run().ends(3).json();
    let reason = &refused["reasons"][0];
    assert_eq!((&refused["ok"], &reason["code"]), (&false.into(), &"not_active".into()));
    assert_eq!(reason["operation"], 1);
    machine.because(["patch", "apply", &kept]).run().ends(3).prints("operation 1");
    machine.because(["patch", "apply", &kept, "--dry-run"]).run().ends(3);
    assert_eq!(json(&machine, &["patch", "list"])["status"], "pending");
}

#[test]
fn a_patch_that_is_a_list_is_malformed() {
    let machine = Machine::with_space();
    for list in ["[]", r#"["why",[{"op":"retract","target":"00","sources":["00"]}]]"#] {
        machine.write("p.json", list);
        let refused = machine.because(["patch", "check", "p.json", "--json"]).run().ends(1);
        assert_eq!(refused.error_code(), "patch_malformed");
        assert!(refused.err().contains("not an object"), "{refused}");
    }
}
