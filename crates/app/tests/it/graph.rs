//! Claims, nodes and edges on the command line.

use serde_json::Value;

use crate::machine::Machine;

pub(crate) fn json(machine: &Machine, arguments: &[&str]) -> Value {
    machine.because(arguments.iter().copied()).arguments(["--json"]).run().succeeds().json()
}

pub(crate) fn id_of(value: &Value) -> String {
    value["id"].as_str().unwrap().to_owned()
}

pub(crate) fn add(machine: &Machine, arguments: &[&str]) -> String {
    id_of(&json(machine, &[&["claim", "add"], arguments].concat()))
}

pub(crate) fn texts(machine: &Machine, arguments: &[&str]) -> Vec<String> {
    let ran = machine.because(arguments.iter().copied()).arguments(["--json"]).run().succeeds();
    let out = ran.out();
    let lines = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.map(|line| line["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_claim_is_stated_once_replaced_brought_back_and_taken_back() {
    let machine = Machine::with_space();
    let old = add(&machine, &["The glaze is tenmoku.", "--tag", "studio"]);
    let again = json(&machine, &["claim", "add", "the  glaze is TENMOKU."]);
    assert_eq!((id_of(&again), &again["new"]), (old.clone(), &false.into()));
    let new = json(&machine, &["claim", "supersede", &old, "The glaze is celadon."]);
    assert_eq!(new["record"]["tags"], serde_json::json!(["studio"]), "labels are kept");
    assert_eq!(new["statuses"][0]["after"], "superseded", "{new}");
    assert_eq!(texts(&machine, &["claims"]), ["The glaze is celadon."]);
    assert_eq!(
        texts(&machine, &["claim", "list", "--status", "superseded"]),
        ["The glaze is tenmoku."]
    );
    let shown = json(&machine, &["claim", "show", &old, "--graph"]);
    assert_eq!(shown["status"], "superseded");
    assert_eq!(shown["graph"]["edges"][0]["type"], "supersedes");
    let facts = json(&machine, &["recall", "which glaze", "--search", "facts"]);
    assert!(!facts.to_string().contains("tenmoku"), "{facts}");
    json(&machine, &["claim", "retract", &id_of(&new), "--note", "it was not"]);
    assert_eq!(texts(&machine, &["claims"]), ["The glaze is tenmoku."]);
    let twice = json(&machine, &["claim", "retract", &id_of(&new)]);
    assert_eq!(twice["new"], false, "what is taken back already stays so");
    machine.is_sound();
}

#[test]
fn a_claim_corrected_in_words_says_the_new_words_everywhere_and_is_not_displaced() {
    let machine = Machine::with_space();
    let mat = add(&machine, &["The mat is red."]);
    let node = ["node", "add", "--type", "decision", "Buy a lamp that fits.", "--source", &mat];
    let lamp = id_of(&json(&machine, &node));
    let corrected = json(&machine, &["correct", &mat, "--text", "The mat is green."]);
    assert_eq!(corrected["changes"][0]["change"], "changed", "{corrected}");
    assert_eq!(corrected["changes"][0]["after"]["text"], "The mat is green.");
    let shown = json(&machine, &["claim", "show", &mat]);
    assert_eq!(shown["text"], "The mat is green.");
    assert!(shown["corrected_by"].is_string(), "{shown}");
    // What was made from the old words does not stand on the new ones.
    assert_eq!(json(&machine, &["node", "show", &lamp])["status"], "invalidated");
    let edge = ["edge", "add", "--type", "mentions", "--from", &lamp, "--to", &mat];
    json(&machine, &edge);
    let around = json(&machine, &["recall", "mat", "--search", "facts", "--graph"]).to_string();
    assert!(around.contains("mentions"), "{around}");
    for displace in [
        vec!["claim", "supersede", &mat, "The mat is yellow."],
        vec!["claim", "retract", &mat],
        vec!["retract", &mat],
    ] {
        let refused = machine.because(displace).run().ends(1);
        refused.says("because withdraw");
    }
    json(&machine, &["withdraw", &mat]);
    assert_eq!(json(&machine, &["claim", "show", &mat])["text"], "The mat is red.");
    json(&machine, &["claim", "retract", &mat]);
    machine.is_sound();
}

#[test]
fn what_a_change_brings_back_or_displaces_is_named_before_and_after() {
    let machine = Machine::with_space();
    let gas = add(&machine, &["The kiln is gas."]);
    let electric = id_of(&json(&machine, &["claim", "supersede", &gas, "The kiln is electric."]));
    let back = |answer: &Value| {
        let status = &answer["statuses"][0];
        assert_eq!(status["id"], gas, "{answer}");
        assert_eq!((&status["before"], &status["after"]), (&"superseded".into(), &"active".into()));
    };
    back(&json(&machine, &["what-if", "--refute", &electric]));
    back(&json(&machine, &["refute", &electric]));
    let again = json(&machine, &["withdraw", &electric]);
    assert_eq!(again["statuses"][0]["after"], "superseded", "{again}");
    // A node falls with what it was made from, and stands again with it.
    let note = id_of(&json(&machine, &["remember", "note one"]));
    let shop = ["node", "add", "--type", "decision", "Close the shop", "--source", &note];
    let shop = id_of(&json(&machine, &shop));
    for (act, after) in [("retract", "invalidated"), ("restore", "active")] {
        let answer = json(&machine, &[act, &note]);
        let status = &answer["statuses"][0];
        assert_eq!((&status["id"], &status["after"]), (&shop.clone().into(), &after.into()));
    }
    let would = machine.because(["what-if", "--refute", &electric]).run().succeeds();
    would.prints("Then 1 record would change").prints("superseded → active  The kiln is gas.");
    machine.is_sound();
}

#[test]
fn a_validity_without_an_offset_is_one_of_the_users_zone() {
    let machine = Machine::with_space();
    let in_zone = |zone: &str, arguments: &[&str]| {
        let call = machine.because(arguments.iter().copied()).arguments(["--json"]);
        call.variable("TZ", zone).run().succeeds().out()
    };
    let fair = ["claim", "add", "The fair is on.", "--valid-from", "2025-07-10"];
    let until = ["--valid-to", "2025-07-10T12:00"];
    in_zone("Europe/Berlin", &[&fair[..], &until[..]].concat());
    let is_listed = |zone: &str, at: &str| !in_zone(zone, &["claims", "--valid-at", at]).is_empty();
    assert!(is_listed("Europe/Berlin", "2025-07-10"));
    assert!(is_listed("Europe/Berlin", "2025-07-10T11:59"));
    assert!(!is_listed("Europe/Berlin", "2025-07-10T12:00"));
    assert!(!is_listed("Europe/Berlin", "2025-07-09T23:59"));
    assert!(is_listed("UTC", "2025-07-09T22:00"));
    assert!(!is_listed("UTC", "2025-07-10T10:00"));
    let month = ["claim", "add", "The pool is open.", "--valid-from", "2025-08"];
    in_zone("Europe/Berlin", &[&month[..], &["--valid-to", "2025-08"][..]].concat());
    assert!(is_listed("Europe/Berlin", "2025-08-31T23:59"));
    assert!(!is_listed("Europe/Berlin", "2025-09-01"));
}

#[test]
fn a_refuted_retracted_corrected_or_replaced_claim_is_not_found_by_its_statement() {
    let machine = Machine::with_space();
    let found = |question: &str| {
        let recall = json(&machine, &["recall", question]).to_string();
        let turn = format!("Me: {question}");
        let context = json(&machine, &["context", "--turn", &turn, "--no-receipt"]).to_string();
        let answer = json(&machine, &["ask", "--no-save", question]).to_string();
        [recall, context, answer]
    };
    let is_found = |question: &str, words: &str| found(question).map(|text| text.contains(words));
    let refuted = add(&machine, &["The office is in Hamburg"]);
    let retracted = add(&machine, &["The gym closes at 22:00"]);
    let replaced = add(&machine, &["The bakery opens at nine"]);
    let corrected = add(&machine, &["The landlord is called Osman"]);
    add(&machine, &["The kiln is in the cellar"]);
    for (question, words) in [
        ("Where is the office?", "Hamburg"),
        ("When does the gym close?", "22:00"),
        ("When does the bakery open?", "nine"),
        ("What is the landlord called?", "Osman"),
    ] {
        assert_eq!(is_found(question, words), [true; 3], "{question}");
    }
    let statement = json(&machine, &["recall", "Where is the office?"])["results"][0]["id"].clone();
    let before = jiff::Timestamp::now().to_string();
    json(&machine, &["refute", &refuted]);
    json(&machine, &["claim", "retract", &retracted]);
    json(&machine, &["claim", "supersede", &replaced, "The bakery opens at eight"]);
    json(&machine, &["correct", &corrected, "--text", "The landlord is called Pia"]);
    assert_eq!(is_found("Where is the office?", "Hamburg"), [false; 3]);
    assert_eq!(is_found("When does the gym close?", "22:00"), [false; 3]);
    assert_eq!(is_found("When does the bakery open?", "at nine"), [false; 3]);
    assert_eq!(is_found("When does the bakery open?", "at eight"), [true; 3]);
    assert_eq!(is_found("What is the landlord called?", "Osman"), [false; 3]);
    // What stands is still found; what fell is shown by its id, and found as of a time before.
    assert_eq!(is_found("Where is the kiln?", "cellar"), [true; 3]);
    for arguments in [
        vec!["show", statement.as_str().unwrap()],
        vec!["recall", "--as-of", &before, "Where is the office?"],
    ] {
        assert!(json(&machine, &arguments).to_string().contains("Hamburg"), "{arguments:?}");
    }
    let after = jiff::Timestamp::now().to_string();
    let as_of_now = json(&machine, &["recall", "--as-of", &after, "Where is the office?"]);
    assert!(!as_of_now.to_string().contains("Hamburg"));
    json(&machine, &["withdraw", &refuted]);
    assert_eq!(is_found("Where is the office?", "Hamburg"), [true; 3]);
}

#[test]
fn a_question_about_a_time_finds_no_statement_of_another_time() {
    let machine = Machine::with_space();
    let window = ["--valid-from", "2025-01-01", "--valid-to", "2025-07-01"];
    add(&machine, &[&["The office is in Hamburg"][..], &window].concat());
    let found = |command: &[&str], at: &str| {
        let arguments = [command, &["--valid-at", at, "Where is the office?"]].concat();
        json(&machine, &arguments).to_string().contains("Hamburg")
    };
    for command in [&["recall"][..], &["ask"]] {
        assert!(found(command, "2025-03-01"), "{command:?}");
        assert!(!found(command, "2025-07-01") && !found(command, "2024-12-31"), "{command:?}");
    }
    let turn = ["context", "--no-receipt", "--turn", "Me: Where is the office?", "--valid-at"];
    let offered = |at: &str| json(&machine, &[&turn[..], &[at]].concat()).to_string();
    assert!(offered("2025-03-01").contains("Hamburg"));
    assert!(!offered("2025-07-01").contains("Hamburg"));
}

#[test]
fn today_in_a_question_does_not_ask_for_what_was_recorded_today() {
    let machine = Machine::with_space();
    machine.because(["remember", "I prefer tea to coffee.", "--actor", "user"]).run().succeeds();
    machine.because(["claims"]).run().succeeds().prints("You prefer tea to coffee");
    let facts = |question: &str| {
        let found = json(&machine, &["recall", "--search", "facts", question]);
        found["facts"].as_array().unwrap().len()
    };
    assert_eq!((facts("Can I deploy today?"), facts("Do I prefer tea today?")), (0, 1));
}

#[test]
fn a_claim_that_is_there_says_what_of_it_stays_as_it_is() {
    let machine = Machine::with_space();
    add(&machine, &["The kiln is dry", "--tag", "kiln"]);
    let again = ["claim", "add", "the kiln is DRY", "--visibility", "private", "--tag", "new"];
    let kept = json(&machine, &again);
    assert_eq!(
        (&kept["new"], &kept["kept"]),
        (&serde_json::json!(false), &serde_json::json!(["visibility", "tags"]))
    );
    machine.because(again).run().succeeds().says("it keeps what it has of: visibility, tags");
    assert_eq!(json(&machine, &["claim", "add", "The kiln is dry"])["kept"], serde_json::json!([]));
    machine
        .because(["claim", "list", "--type", "fakt"])
        .run()
        .ends(2)
        .says("relationship, routine");
    machine.because(["claims", "--type", "routine.weekly"]).run().succeeds();
}

#[test]
fn a_replaced_claim_is_explained_as_such_and_its_edges_are_not_found() {
    let machine = Machine::with_space();
    let old = add(&machine, &["The glaze is tenmoku"]);
    let new = json(&machine, &["claim", "supersede", &old, "The glaze is celadon"])["id"].clone();
    let alias = add(&machine, &["The glaze is green"]);
    json(&machine, &["claim", "same-as", &alias, new.as_str().unwrap()]);
    for (id, state, words) in [
        (&old, "superseded", "not believed: it was replaced by"),
        (&alias, "alias", "not believed: it stands for"),
    ] {
        let claim = json(&machine, &["explain", id])["claim"].clone();
        assert_eq!(
            (&claim["state"], &claim["replaced_by"]),
            (&serde_json::json!(state), &serde_json::json!([new]))
        );
        machine.because(["explain", id]).run().succeeds().prints(words);
    }
    let found = json(&machine, &["recall", "glaze supersedes same_as depends_on"]).to_string();
    assert!(!found.contains("same_as b3:") && !found.contains("supersedes b3:"), "{found}");
}

#[test]
fn what_is_over_or_yet_to_begin_is_not_shown_as_true_now() {
    let machine = Machine::with_space();
    add(&machine, &["The beta opens to everybody", "--valid-from", "2130-01-01"]);
    add(&machine, &["The beta is closed to everybody", "--valid-to", "2020-01-01"]);
    let list = |more: &[&str]| {
        let run = machine.because([&["claims"], more].concat()).run().succeeds();
        String::from_utf8_lossy(&run.out).into_owned()
    };
    let listed = list(&[]);
    assert!(!listed.contains("opens") && !listed.contains("closed"), "{listed}");
    assert!(listed.contains("2 beliefs are over or yet to begin"), "{listed}");
    let all = list(&["--all"]);
    assert!(all.contains(", from 2130-01-01") && all.contains(", ended 2020-01-01"), "{all}");
    assert!(list(&["--valid-at", "2130-06-01"]).contains("opens"));
    let then = list(&["--valid-at", "2019-06-01"]);
    assert!(then.contains("closed") && then.contains("until 2020-01-01"), "{then}");
    // The claims, and the records of their statements.
    let found = |question: &str, more: &[&str]| {
        let turn = format!("Me: {question}");
        let recall = json(&machine, &[&["recall", question][..], more].concat());
        let context = [&["context", "--no-receipt", "--turn", &turn][..], more].concat();
        let ask = [&["ask", "--no-save", question][..], more].concat();
        let [context, ask] = [context, ask].map(|arguments| json(&machine, &arguments));
        [recall, context, ask].map(|found| {
            let found = found.to_string();
            (found.contains("The beta opens"), found.contains("The beta is closed"))
        })
    };
    assert_eq!(found("Is the beta open or closed to everybody?", &[]), [(false, false); 3]);
    assert_eq!(found("Was the beta closed to everybody?", &[]), [(false, true); 3]);
    assert_eq!(found("Is the beta open to everybody in 2131?", &[]), [(true, false); 3]);
    let beta = "Is the beta open or closed to everybody?";
    assert_eq!(found(beta, &["--valid-at", "2019-06-01"]), [(false, true); 3]);
    assert_eq!(found(beta, &["--valid-at", "2130-06-01"]), [(true, false); 3]);
    let turn = ["context", "--no-receipt", "--turn", "Me: Is the beta open to everybody in 2131?"];
    let context = json(&machine, &turn).to_string();
    assert!(context.contains("Only from 2130-01-01 on: The beta opens"), "{context}");
    // Its statement says nothing of the time.
    assert_eq!(context.matches("The beta opens").count(), 3, "in items and text: {context}");
}

#[test]
fn an_answer_shows_what_stands_under_a_heading_and_when_and_where_an_event_is() {
    let machine = Machine::with_space();
    let boiler = "# Refilling the boiler\n\nOpen the valve until 1.2 bar. Then close it.\n";
    let yoga = "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\nBEGIN:VEVENT\nUID:a\n\
        DTSTAMP:20250101T000000Z\nDTSTART:20250106T180000Z\nDTEND:20250106T190000Z\n\
        SUMMARY:Yoga\nLOCATION:Room 5\nEND:VEVENT\nEND:VCALENDAR\n";
    let files = [("house.md", boiler), ("a.ics", yoga)];
    for (name, text) in files {
        let path = machine.write(name, text);
        json(&machine, &["import", path.to_str().unwrap()]);
    }
    let answer = |question: &str| json(&machine, &["ask", "--no-save", question]).to_string();
    let refilling = answer("How do I go about refilling the boiler?");
    assert!(
        refilling.contains("Refilling the boiler: Open the valve until 1.2 bar."),
        "{refilling}"
    );
    let yoga = answer("Where is yoga?");
    assert!(yoga.contains("Yoga, Mon 2025-01-06 18:00–19:00, Room 5"), "{yoga}");
}

#[test]
fn a_duplicate_redirects_to_the_canonical_claim() {
    let machine = Machine::with_space();
    let duplicate = add(&machine, &["Tests run before commits", "--type", "preference"]);
    let canonical = add(&machine, &["Run the tests before each commit", "--type", "preference"]);
    json(&machine, &["claim", "same-as", &duplicate, &canonical]);
    assert_eq!(texts(&machine, &["claims"]), ["Run the tests before each commit"]);
    let shown = json(&machine, &["claim", "show", &duplicate]);
    assert_eq!(
        (&shown["status"], &shown["canonical"]),
        (&"alias".into(), &canonical.clone().into())
    );
    let refused = |arguments: &[&str]| {
        machine.because(arguments.iter().copied()).arguments(["--json"]).run().ends(1).error_code()
    };
    assert_eq!(refused(&["claim", "same-as", &canonical, &duplicate]), "cycle");
    assert_eq!(refused(&["claim", "same-as", &canonical, &canonical]), "self_edge");
    assert_eq!(refused(&["claim", "supersede", &duplicate, "Other"]), "not_active");
    // It would be superseded by its own alias, and neither be listed.
    let edge = |edge_type, from: &str, to: &str| {
        refused(&["edge", "add", "--type", edge_type, "--from", from, "--to", to])
    };
    assert_eq!(edge("supersedes", &duplicate, &canonical), "cycle");
    let newer = id_of(&json(&machine, &["claim", "supersede", &canonical, "Run all tests"]));
    assert_eq!(edge("same_as", &newer, &canonical), "cycle");
    assert_eq!(edge("same_as", &newer, &duplicate), "cycle");
    assert_eq!(texts(&machine, &["claims"]), ["Run all tests"]);
    json(&machine, &["claim", "retract", &newer]);
    let note = id_of(&json(&machine, &["remember", "A note"]));
    assert_eq!(
        machine.because(["claim", "show", &note, "--json"]).run().ends(2).error_code(),
        "not_in_graph"
    );
    let same = ["claim", "supersede", &canonical, "run the tests  before each COMMIT"];
    assert_eq!(refused(&same), "same_text");
    let node = id_of(&json(&machine, &["node", "add", "--type", "decision", "We test"]));
    assert_eq!(refused(&["claim", "same-as", &canonical, &node]), "different_kinds");
    machine.is_sound();
}

#[test]
fn case_16_lists_require_every_tag_and_filter_by_type_status_text_and_time() {
    let machine = Machine::with_space();
    let both = id_of(&json(
        &machine,
        &[
            "node",
            "add",
            "--type",
            "decision",
            "We fire on Fridays",
            "--tag",
            "kiln",
            "--tag",
            "week",
        ],
    ));
    json(&machine, &["node", "add", "--type", "action", "Fired the kiln", "--tag", "kiln"]);
    let list = |arguments: &[&str]| texts(&machine, &[&["node", "list"], arguments].concat());
    assert_eq!(list(&[]), ["Fired the kiln", "We fire on Fridays"], "the newest first");
    assert_eq!(list(&["--tag", "kiln", "--tag", "week"]), ["We fire on Fridays"]);
    assert_eq!(list(&["--type", "action"]), ["Fired the kiln"]);
    assert_eq!(list(&["--contains", "FRIDAY"]), ["We fire on Fridays"]);
    assert_eq!(list(&["--as-of", "2020-01-01"]), Vec::<String>::new());
    assert_eq!(list(&["-n", "1"]).len(), 1);
    json(&machine, &["node", "retract", &both]);
    assert_eq!(list(&["--status", "retracted"]), ["We fire on Fridays"]);
    assert_eq!(list(&[]), ["Fired the kiln"]);
    assert_eq!(list(&["--all"]).len(), 2);
    let told = texts(&machine, &["claims", "--tag", "kiln"]);
    assert_eq!(told, Vec::<String>::new(), "nodes are not beliefs");
    add(&machine, &["The kiln is hot", "--tag", "kiln", "--tag", "now"]);
    add(&machine, &["The kiln is old", "--tag", "kiln"]);
    assert_eq!(texts(&machine, &["claims", "--tag", "now", "--tag", "kiln"]), ["The kiln is hot"]);
}

#[test]
fn case_17_given_status_retracted_then_it_is_shown_without_all() {
    let machine = Machine::with_space();
    let id = add(&machine, &["The kiln is cold"]);
    json(&machine, &["claim", "retract", &id]);
    assert_eq!(texts(&machine, &["claims"]), Vec::<String>::new());
    let retracted = ["claim", "list", "--status", "retracted"];
    assert_eq!(texts(&machine, &retracted), ["The kiln is cold"]);
}

#[test]
fn case_15_a_claim_is_true_from_its_beginning_to_before_its_end() {
    let machine = Machine::with_space();
    let window = ["--valid-from", "2025-03-01", "--valid-to", "2025-04-01"];
    add(&machine, &[&["The studio is closed"], &window[..]].concat());
    let at = |time: &str| texts(&machine, &["claims", "--valid-at", time]).len();
    assert_eq!(
        [at("2025-02-28"), at("2025-03-01"), at("2025-03-31"), at("2025-04-01")],
        [0, 1, 1, 0]
    );
    let inverted = ["claim", "add", "x", "--valid-from", "2025-04-01", "--valid-to", "2025-03-01"];
    let refused = machine.because(inverted).arguments(["--json"]).run().ends(2);
    assert_eq!(refused.error_code(), "empty_window");
}

#[test]
fn edges_are_listed_by_their_ends_and_taken_back() {
    let machine = Machine::with_space();
    let goal = add(&machine, &["Ship 1.0", "--type", "goal"]);
    let node = id_of(&json(&machine, &["node", "add", "--type", "decision", "No new features"]));
    let add = ["edge", "add", "--type", "depends_on", "--from", &node, "--to", &goal];
    let edge = json(&machine, &add);
    assert_eq!(edge["record"]["status"], "active");
    assert_eq!(json(&machine, &add)["new"], false);
    let count = |arguments: &[&str]| {
        let list = machine.because([&["edge", "list"], arguments].concat()).arguments(["--json"]);
        list.run().succeeds().out().lines().count()
    };
    let by_end = [
        count(&["--from", &node]),
        count(&["--to", &goal]),
        count(&["--to", &node]),
        count(&["--type", "supports"]),
    ];
    assert_eq!(by_end, [1, 1, 0, 0]);
    json(&machine, &["edge", "retract", &id_of(&edge)]);
    assert_eq!([count(&[]), count(&["--all"])], [0, 1]);
    let ghost =
        ["edge", "add", "--type", "supports", "--from", &node, "--to", "ffffffff", "--json"];
    assert_eq!(machine.because(ghost).run().ends(1).error_code(), "unknown_id");
    machine.is_sound();
}

#[test]
fn a_dry_run_shows_what_would_follow_and_writes_nothing() {
    let machine = Machine::with_space();
    let would = json(&machine, &["claim", "add", "The glaze is tenmoku.", "--dry-run"]);
    assert_eq!((&would["dry_run"], &would["id"]), (&true.into(), &Value::Null));
    assert_eq!(would["changes"][0]["change"], "now_believed");
    assert_eq!(texts(&machine, &["claims"]), Vec::<String>::new());
}

#[test]
fn a_secret_in_a_claim_is_masked_before_its_identity_is_made() {
    let machine = Machine::with_space();
    let told = json(&machine, &["claim", "add", "The password: tulip77bridge is old"]);
    assert!(!told.to_string().contains("tulip77bridge"), "{told}");
    let again = json(&machine, &["claim", "add", "The password: walnut88bridge is old"]);
    assert_eq!(again["new"], false, "no key tells the two apart");
}

pub(crate) fn statuses(machine: &Machine, ids: &[&str]) -> Vec<String> {
    let status =
        |id: &&str| json(machine, &["claim", "show", id])["status"].as_str().unwrap().to_owned();
    ids.iter().map(status).collect()
}

#[test]
fn a_change_names_every_record_whose_status_it_alters_in_a_dry_run_too() {
    let machine = Machine::with_space();
    let node = |text: &str, more: &[&str]| {
        let add = ["node", "add", "--type", "decision", text];
        id_of(&json(&machine, &[&add[..], more].concat()))
    };
    let base = node("N", &[]);
    let second = node("N2", &["--source", &base]);
    let third = add(&machine, &["The kiln is hot.", "--source", &second]);
    let altered = |changed: &Value| -> Vec<(String, String)> {
        let statuses = changed["statuses"].as_array().unwrap().iter();
        let pair = |it: &Value| (id_of(it), it["after"].as_str().unwrap().to_owned());
        statuses.map(pair).collect()
    };
    let falls = [(&base, "retracted"), (&second, "invalidated"), (&third, "invalidated")];
    let falls: Vec<(String, String)> =
        falls.map(|(id, status)| (id.clone(), status.to_owned())).to_vec();
    assert_eq!(altered(&json(&machine, &["node", "retract", &base, "--dry-run"])), falls);
    let note = id_of(&json(&machine, &["remember", "A note"]));
    let operations = serde_json::json!([{"op": "retract", "target": base, "sources": [note]}]);
    machine.write("fall.json", serde_json::json!({ "operations": operations }).to_string());
    assert_eq!(altered(&json(&machine, &["patch", "check", "fall.json"])), falls);
    let applied = json(&machine, &["patch", "apply", "fall.json"]);
    assert_eq!(altered(&applied), falls);
    assert_eq!(statuses(&machine, &[&base, &second]), ["retracted", "invalidated"]);
    let patch = applied["patch"].as_str().unwrap();
    let back = json(&machine, &["patch", "revert", patch, "--dry-run"]);
    let rises: Vec<(String, String)> =
        falls.iter().map(|(id, _)| (id.clone(), "active".to_owned())).collect();
    assert_eq!(altered(&back), rises);
    json(&machine, &["patch", "revert", patch]);
    assert_eq!(altered(&json(&machine, &["node", "retract", &base])), falls);
    machine.is_sound();
}

#[test]
fn a_command_takes_back_only_what_it_is_named_after() {
    let machine = Machine::with_space();
    let claim = add(&machine, &["The kiln is hot."]);
    let node = id_of(&json(&machine, &["node", "add", "--type", "decision", "We test"]));
    let made = ["edge", "add", "--type", "supports", "--from", &claim, "--to", &node];
    let edge = id_of(&json(&machine, &made));
    for (command, id) in [
        ("claim", &node),
        ("claim", &edge),
        ("node", &claim),
        ("node", &edge),
        ("edge", &claim),
        ("edge", &node),
    ] {
        let refused = machine.because([command, "retract", id, "--json"]).run().ends(2);
        assert_eq!(refused.error_code(), "not_in_graph", "{command} {id}");
    }
    let other = id_of(&json(&machine, &["node", "add", "--type", "decision", "We test twice"]));
    for (arguments, instead) in [
        (vec!["claim", "retract", &node], "because node retract"),
        (vec!["node", "retract", &edge], "because edge retract"),
        (vec!["claim", "supersede", &node, "We do not test"], "because edge add --type supersedes"),
        (vec!["claim", "same-as", &other, &node], "because edge add --type same_as"),
    ] {
        let refused = machine.because(&arguments).arguments(["--json"]).run().ends(2).says(instead);
        assert_eq!(refused.error_code(), "not_in_graph", "{arguments:?}");
        let is =
            if instead.contains("edge retract") { "is an edge, not" } else { "is a node, not" };
        refused.says(is);
    }
    assert_eq!(statuses(&machine, &[&claim, &node]), ["active", "active"]);
    for (command, id) in [("edge", &edge), ("claim", &claim), ("node", &node)] {
        assert_eq!(json(&machine, &[command, "retract", id])["new"], true);
    }
}

#[test]
fn nodes_are_found_by_words_and_meaning_with_what_is_around_them() {
    let machine = Machine::with_space();
    let goal = add(&machine, &["The kiln costs less", "--type", "goal"]);
    let node = |node_type: &str, text: &str| {
        id_of(&json(&machine, &["node", "add", "--type", node_type, text]))
    };
    let decision = node("decision", "We heat the oven with gas on Fridays");
    node("action", "Bought new shelves");
    json(&machine, &["edge", "add", "--type", "depends_on", "--from", &decision, "--to", &goal]);
    let recall = ["recall", "when do we heat the oven?", "--search", "nodes", "--graph"];
    let answer = json(&machine, &recall);
    assert_eq!(answer["nodes"][0]["id"], decision, "{answer}");
    assert_eq!(answer["results"], serde_json::json!([]));
    let around: Vec<&str> = answer["graphs"][0]["records"]
        .as_array()
        .unwrap()
        .iter()
        .map(|record| record["id"].as_str().unwrap())
        .collect();
    assert!(around.contains(&goal.as_str()), "one edge leads to what shares no word: {answer}");
    json(&machine, &["node", "retract", &decision]);
    let answer = json(&machine, &recall);
    assert!(!answer["nodes"].to_string().contains(&decision), "{answer}");
    let facts = json(&machine, &["recall", "heat the oven", "--search", "facts"]);
    assert!(!facts.to_string().contains("Fridays"), "a node is not a fact");
    machine.is_sound();
}

#[test]
fn what_replaces_a_private_claim_is_recorded_as_private_only() {
    let machine = Machine::with_space();
    let private = add(&machine, &["The party is on Friday", "--visibility", "private"]);
    json(&machine, &["claim", "supersede", &private, "The party is on Sunday"]);
    let log = machine.because(["log", "--json"]).run().succeeds().out();
    let mut seen = 0;
    for line in log.lines().filter(|line| line.contains("Sunday")) {
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["body"]["visibility"], "private", "{line}");
        seen += 1;
    }
    assert_eq!(seen, 2, "the statement and the claim");
}

#[test]
fn forgetting_a_node_a_claim_or_an_edge_leaves_none_of_its_words() {
    let machine = Machine::with_space();
    let node = ["node", "add", "--type", "decision", "Xylophonequartz", "--tag", "zanzibartag"];
    let node = id_of(&json(&machine, &node));
    let old = add(&machine, &["Wumpusgoblin"]);
    let new = id_of(&json(&machine, &["claim", "supersede", &old, "Flimflamnoodle"]));
    let connect = |notes: &str| {
        let ends = ["--from", &node, "--to", &new, "--notes", notes];
        id_of(&json(&machine, &[&["edge", "add", "--type", "mentions"], &ends[..]].concat()))
    };
    let edge = connect("Snarkjabber");
    let unplanned = |id: &str| machine.because(["forget", id, "--yes"]).run().succeeds();
    unplanned(&edge);
    connect("Bandersnatch");
    for query in ["Xylophonequartz", "Wumpusgoblin"] {
        json(&machine, &["recall", query, "--search", "nodes"]);
        json(&machine, &["recall", query]);
    }
    unplanned(&node);
    unplanned(&old);
    let log = machine.because(["log", "--json"]).run().succeeds().out();
    let file = String::from_utf8_lossy(&std::fs::read(machine.space()).unwrap()).to_lowercase();
    for word in ["xylophonequartz", "zanzibartag", "wumpusgoblin", "snarkjabber", "bandersnatch"] {
        assert!(!log.to_lowercase().contains(word), "{word}");
        assert!(!file.contains(word), "{word}");
    }
    assert_eq!(texts(&machine, &["claims"]), ["Flimflamnoodle"], "it says something else");
    machine.is_sound();
}

#[test]
fn a_list_says_which_claims_edges_displace() {
    let machine = Machine::with_space();
    let old = add(&machine, &["The glaze is tenmoku."]);
    json(&machine, &["claim", "supersede", &old, "The glaze is celadon."]);
    let listed = machine.because(["claims", "--state", "any"]).run().succeeds().out();
    let marked: Vec<&str> = listed.lines().filter(|line| line.ends_with("(superseded)")).collect();
    assert!(matches!(marked.as_slice(), [only] if only.contains("tenmoku")), "{listed}");
}

#[test]
fn a_list_that_a_limit_cut_says_so_in_json_and_one_that_is_whole_does_not() {
    let machine = Machine::with_space();
    let mut ids = Vec::new();
    for text in ["The glaze is celadon.", "The kiln is hot.", "The shelf is full."] {
        ids.push(add(&machine, &[text]));
        json(&machine, &["node", "add", "--type", "decision", text]);
        let statement = serde_json::json!({ "op": "create_claim", "type": "fact",
            "text": format!("Somebody said: {text}"), "sources": [ids[0]] });
        let patch = serde_json::json!({ "text": text, "operations": [statement] });
        machine.write("patch.json", patch.to_string());
        json(&machine, &["patch", "propose", "patch.json"]);
    }
    for to in &ids[1..] {
        json(&machine, &["edge", "add", "--type", "supports", "--from", &ids[0], "--to", to]);
    }
    let lists: &[(&[&str], &str)] = &[
        (&["claims"], r#"{"more":2}"#),
        (&["claim", "list"], r#"{"more":2}"#),
        (&["node", "list"], r#"{"more":true}"#),
        (&["edge", "list"], r#"{"more":true}"#),
        (&["patch", "list"], r#"{"more":true}"#),
        (&["review", "list"], r#"{"more":true}"#),
    ];
    for (list, more) in lists {
        let listed = |limit: &str| {
            let list = machine.because(list.iter().copied());
            list.arguments(["--json", "--limit", limit]).run().succeeds()
        };
        let cut = listed("1");
        assert_eq!((cut.out().lines().count(), cut.err().trim()), (1, *more), "{list:?}");
        let whole = listed("0");
        assert!(whole.out().lines().count() > 1 && whole.err().is_empty(), "{list:?}");
    }
}

#[test]
fn a_claim_is_replaced_by_one_of_another_type_and_with_times() {
    let machine = Machine::with_space();
    let old = add(&machine, &["The kiln is gas.", "--tag", "kiln"]);
    let by = ["--type", "assumption", "--valid-from", "2025-01-01", "--valid-to", "2026-01-01"];
    let args =
        [&["claim", "supersede", &old, "The kiln is electric.", "--scope", "project"], &by[..]];
    let new = id_of(&json(&machine, &args.concat()));
    let shown = json(&machine, &["claim", "show", &new]);
    assert_eq!((&shown["type"], &shown["tags"][0]), (&"assumption".into(), &"kiln".into()));
    assert_eq!(shown["valid_from"], "2025-01-01");
    assert_eq!(shown["valid_to"], "2026-01-01");
    let args = ["--json", "claim", "supersede", &new, "Other.", "--scope", "global"];
    assert_eq!(machine.because(args).run().ends(1).error_code(), "space_missing");
}

#[test]
fn a_claim_that_is_replaced_by_one_that_is_there_says_what_of_that_stays_as_it_is() {
    let machine = Machine::with_space();
    let old = add(&machine, &["The kiln is gas."]);
    let there = add(&machine, &["The kiln is electric.", "--tag", "kiln"]);
    let given = ["--valid-from", "2025-01-01", "--tag", "new", "--visibility", "private"];
    let by = [&["claim", "supersede", &old, "The kiln is electric."], &given[..]].concat();
    let replaced = json(&machine, &by);
    assert_eq!(id_of(&replaced), there);
    assert_eq!(replaced["kept"], serde_json::json!(["visibility", "valid_from", "tags"]));
    let older = add(&machine, &["The kiln is wood."]);
    let by = [&["claim", "supersede", &older, "The kiln is electric."], &given[..]].concat();
    let told = "keeps what it has of: visibility, valid_from, tags";
    machine.because(by).run().succeeds().says(told);
    let new = json(&machine, &["claim", "supersede", &there, "The kiln is cold.", "--tag", "new"]);
    assert_eq!(new["kept"], serde_json::json!([]));
}

#[test]
fn nodes_of_any_status_are_listed() {
    let machine = Machine::with_space();
    let node = id_of(&json(&machine, &["node", "add", "--type", "decision", "Fire at nine."]));
    json(&machine, &["node", "retract", &node]);
    let listed = |more: &[&str]| {
        let args = [&["node", "list", "--json"], more].concat();
        machine.because(args).run().succeeds().out()
    };
    assert_eq!(listed(&[]), "");
    assert!(listed(&["--status", "any"]).contains("Fire at nine."));
    assert_eq!(listed(&["--status", "any"]), listed(&["--all"]));
}
