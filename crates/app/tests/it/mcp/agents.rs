//! Agents have keys of their own, and what they ask for in the user's name is the user's to decide.

use serde_json::{Value, json};

use super::host::Host;
use crate::machine::Machine;

const TEA: &str = "preference.drink|green-tea";

/// A host that can ask the user.
fn asking() -> Value {
    json!({ "elicitation": {} })
}

fn author_of(machine: &Machine, id: &Value) -> String {
    let shown = machine.because(["show", id.as_str().unwrap(), "--json"]).run().succeeds().json();
    shown["header"]["author"].as_str().unwrap().to_owned()
}

fn operations(machine: &Machine, kind: &str) -> Vec<Value> {
    machine.because(["log", "-n", "0", "--kind", kind, "--json"]).run().succeeds().json_lines()
}

fn key_of(machine: &Machine) -> String {
    machine.because(["key"]).run().succeeds().out().trim().to_owned()
}

/// A space in which an agent quoted the user on green tea.
fn with_tea() -> (Machine, Host) {
    let machine = Machine::with_space();
    let mut host = Host::named(&machine, "Tea Agent", &json!({}));
    let told = host.gets("remember", json!({ "text": "I love green tea.", "actor": "user" }));
    assert_eq!(told["changed"][0]["key"], TEA, "{told}");
    (machine, host)
}

fn correction() -> Value {
    json!({ "name": TEA, "fields": { "object": "coffee" }, "text": "You drink coffee only.", "note": "no, coffee only" })
}

fn state(host: &mut Host) -> Value {
    host.gets("explain", json!({ "name": TEA }))["claim"]["state"].clone()
}

#[test]
fn each_host_signs_with_a_key_of_its_own_that_the_users_key_granted() {
    let machine = Machine::with_space();
    let mut cursor = Host::named(&machine, "Cursor", &json!({}));
    let mut other = Host::named(&machine, "Other Host", &json!({}));
    let first = cursor.gets("remember", json!({ "text": "The kiln is in Majorna." }));
    let second = cursor.gets("remember", json!({ "text": "The glaze is Tenmoku." }));
    let third = other.gets("remember", json!({ "text": "The studio opens at nine." }));
    let (person, agent) = (key_of(&machine), author_of(&machine, &first["id"]));
    assert_ne!(agent, person);
    assert_eq!(author_of(&machine, &second["id"]), agent);
    assert!(![agent.clone(), person.clone()].contains(&author_of(&machine, &third["id"])));
    let grants = operations(&machine, "grant");
    assert_eq!(grants.len(), 2, "{grants:?}");
    assert_eq!(grants[0]["header"]["author"], json!(person), "{grants:?}");
    let granted = &grants[0]["body"];
    assert_eq!(
        (&granted["key"], &granted["name"], &granted["capabilities"]),
        (&json!(agent), &json!("Cursor"), &json!(["append", "derive"])),
        "{granted}"
    );
    cursor.leaves();
    other.leaves();
    for file in ["cursor.key", "other-host.key"] {
        let path = machine.home().join("agents").join(file);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{file}");
        }
        assert!(path.is_file(), "{file}");
    }
    machine.is_sound();
}

#[test]
fn an_installed_host_uses_the_key_that_was_made_for_it() {
    let machine = Machine::with_space();
    let mut host = Host::starts(&machine, &["--agent", "claude-code"]);
    host.greet_as("another name", &json!({}));
    host.gets("remember", json!({ "text": "The kiln is in Majorna." }));
    host.leaves();
    assert!(machine.home().join("agents/claude-code.key").is_file());
    assert_eq!(operations(&machine, "grant")[0]["body"]["name"], "Claude Code");
}

#[test]
fn a_read_needs_no_key() {
    let machine = Machine::with_chat();
    let mut host = Host::of(&machine);
    host.gets("recall", json!({ "query": "walnuts" }));
    host.leaves();
    assert!(!machine.home().join("agents").exists());
    assert!(operations(&machine, "grant").is_empty());
}

#[test]
fn what_an_agent_quotes_can_be_told_from_what_the_user_said() {
    let (machine, mut host) = with_tea();
    let quoted = host.gets("recall", json!({ "query": "green tea", "search_type": "episodes" }));
    let id = quoted["episodes"][0]["id"].clone();
    assert_eq!(quoted["episodes"][0]["signer"], "quoted by Tea Agent", "{quoted}");
    machine.because(["recall", "green tea"]).run().succeeds().prints("quoted by Tea Agent");
    let record = host.gets("explain", json!({ "name": id }));
    assert_eq!(record["record"]["quoted_by"], "Tea Agent", "{record}");
    let explained = host.gets("explain", json!({ "name": TEA }));
    assert_eq!(explained["built_from"][0]["quoted_by"], "Tea Agent", "{explained}");
    host.leaves();
    let id = id.as_str().unwrap();
    machine.because(["show", id]).run().succeeds().prints("quoted by  Tea Agent");
    machine.because(["log"]).run().succeeds().prints("quoted by Tea Agent: I love green tea.");
    machine.because(["explain", TEA]).run().succeeds().prints("quoted by Tea Agent");
    machine.because(["remember", "I love black tea."]).run().succeeds();
    let own = machine.because(["log", "-n", "50"]).run().succeeds().out();
    let own = own.lines().find(|line| line.contains("black tea.")).unwrap();
    assert!(!own.contains("quoted by"), "{own}");
    machine.because(["explain", "preference.drink|black-tea"]).run().succeeds();
    machine.is_sound();
}

#[test]
fn no_program_or_speaker_passes_for_the_user() {
    for name in [
        "user",
        "Human",
        " the user ",
        "us\u{200b}er",
        "usеr",
        "ｕｓｅｒ",
        "me",
        "human user",
        "you (human)",
        "user-research-bot",
    ] {
        let machine = Machine::with_space();
        let mut host = Host::named(&machine, name, &json!({}));
        host.gets("remember", json!({ "text": "The kiln is in Majorna." }));
        let recalled = host.gets("recall", json!({ "query": "kiln" }));
        assert_eq!(recalled["episodes"][0]["who"], "agent", "{name}");
        host.leaves();
        assert_eq!(operations(&machine, "grant")[0]["body"]["name"], "agent", "{name}");
    }
    let machine = Machine::with_space();
    let owner = key_of(&machine);
    let capabilities = ["grant", &owner, "--name", "Mara", "--can", "append"];
    machine.because(capabilities).run().succeeds();
    let mut host = Host::named(&machine, "Mara", &json!({}));
    for actor in
        ["us\u{200b}er", "Мe", "the-user", "you", "Mаra", "\u{200b}", "end user", "account owner"]
    {
        let arguments = json!({ "text": "I love green tea.", "actor": actor });
        host.fails("ambiguous_actor", "remember", arguments);
    }
    host.gets("remember", json!({ "text": "The kiln is in Majorna." }));
    let recalled = host.gets("recall", json!({ "query": "kiln" }));
    assert_eq!(recalled["episodes"][0]["who"], "agent");
    host.leaves();
}

#[test]
fn a_key_that_may_not_grant_or_a_revoked_one_is_refused_and_named() {
    let machine = Machine::with_chat();
    let foreign = machine.work().join("foreign-home");
    machine.because(["trust"]).at_home(&foreign).run().succeeds();
    let key = machine.because(["key"]).at_home(&foreign).run().succeeds().out();
    machine.because(["grant", key.trim(), "--can", "append"]).run().succeeds();
    let mut host = Host::calling(machine.because(["mcp"]).at_home(&foreign));
    host.greet();
    let words = host.fails("agent_not_granted", "remember", json!({ "text": "hello there" }));
    assert!(words.contains(&key_of(&machine)), "{words}");
    host.gets("recall", json!({ "query": "walnuts" }));
    host.leaves();
    let mut host = Host::of(&machine);
    let told = host.gets("remember", json!({ "text": "hello there" }));
    let agent = author_of(&machine, &told["id"]);
    machine.because(["revoke", &agent, "--can", "append", "--can", "derive"]).run().succeeds();
    host.fails("agent_revoked", "remember", json!({ "text": "hello again" }));
    host.leaves();
    assert_eq!(operations(&machine, "grant").len(), 2, "nothing grants again by itself");
}

#[test]
fn what_an_agent_asks_for_is_a_proposal_that_the_user_decides() {
    let (machine, mut host) = with_tea();
    let proposed = host.gets("correct", correction());
    assert_eq!(
        (&proposed["status"], &proposed["dry_run"], &proposed["changes"][0]["after"]["text"]),
        (&json!("proposed"), &json!(true), &json!("You drink coffee only.")),
        "{proposed}"
    );
    assert_eq!(state(&mut host), "active");
    let again = host.gets(
        "correct",
        json!({ "name": TEA, "fields": { "object": "coffee" }, "text": "You drink coffee only.", "note": "said again" }),
    );
    assert_eq!(again["proposal"], proposed["proposal"], "the same is proposed once");
    assert_eq!(operations(&machine, "proposal").len(), 1);
    let id = proposed["proposal"].as_str().unwrap();
    assert_ne!(author_of(&machine, &proposed["proposal"]), key_of(&machine));
    machine
        .because(["review", "list"])
        .run()
        .succeeds()
        .prints("Tea Agent asks to correct")
        .prints("no, coffee only");
    machine.because(["review", "accept", id]).run().succeeds().prints("You corrected");
    let explained = host.gets("explain", json!({ "name": TEA }));
    assert_eq!(explained["text"], "You drink coffee only.", "{explained}");
    let by = &explained["user_actions"][0]["proposed_by"];
    assert_eq!(
        (&by["program"], &by["consent"], &by["proposal"]),
        (&json!("Tea Agent"), &json!("review"), &proposed["proposal"]),
        "{explained}"
    );
    machine.because(["explain", TEA]).run().succeeds().prints("you accepted the proposal");
    let corrections = operations(&machine, "claim_correction");
    assert_eq!(
        corrections[0]["header"]["author"],
        json!(key_of(&machine)),
        "the user's word is the user's"
    );
    machine.because(["review", "accept", id, "--json"]).run().ends(1).says("review_settled");
    host.leaves();
    machine.is_sound();
}

#[test]
fn a_dismissed_proposal_is_not_made_again() {
    let (machine, mut host) = with_tea();
    let refutation = json!({ "name": TEA, "note": "I never said that" });
    let proposed = host.gets("refute", refutation.clone());
    let id = proposed["proposal"].as_str().unwrap().to_owned();
    machine.because(["review", "dismiss", &id]).run().succeeds().prints("dismissed");
    assert_eq!(host.gets("refute", refutation)["status"], "declined");
    assert_eq!(operations(&machine, "proposal").len(), 1);
    assert_eq!(state(&mut host), "active");
    host.leaves();
    machine.is_sound();
}

#[test]
fn the_user_is_asked_in_place_where_the_host_can_ask() {
    let machine = Machine::with_space();
    let mut host = Host::named(&machine, "Tea Agent", &asking());
    host.gets("remember", json!({ "text": "I love green tea.", "actor": "user" }));
    let before = operations(&machine, "proposal").len();
    let (question, declined) = host.asks_user("decline", "correct", &correction());
    assert!(
        question.contains("Tea Agent asks to correct")
            && question.contains("You drink coffee only."),
        "{question}"
    );
    assert_eq!(declined["status"], "declined", "{declined}");
    assert_eq!(
        (operations(&machine, "proposal").len(), state(&mut host)),
        (before, json!("active"))
    );

    let (_, unanswered) = host.asks_user("cancel", "correct", &correction());
    assert_eq!(unanswered["status"], "proposed", "{unanswered}");
    assert_eq!(state(&mut host), "active");

    let (_, done) = host.asks_user("accept", "correct", &correction());
    assert_eq!((&done["status"], &done["dry_run"]), (&json!("done"), &json!(false)), "{done}");
    assert_eq!(done["proposal"], unanswered["proposal"], "the waiting proposal was accepted");
    let explained = host.gets("explain", json!({ "name": TEA }));
    let action = &explained["user_actions"][0];
    assert_eq!(
        (&action["proposed_by"]["consent"], &action["proposed_by"]["program"]),
        (&json!("elicitation"), &json!("Tea Agent")),
        "{explained}"
    );
    host.leaves();
    machine.because(["explain", TEA]).run().succeeds().prints("you agreed when it asked");
    machine.is_sound();
}

#[test]
fn questions_that_wait_hold_up_nobody_else() {
    let machine = Machine::with_space();
    let mut host = Host::named(&machine, "Tea Agent", &asking());
    host.gets("remember", json!({ "text": "I love green tea.", "actor": "user" }));
    let call = json!({ "name": "correct", "arguments": correction() });
    let calls: Vec<u64> = (0..6).map(|_| host.begins("tools/call", &call)).collect();
    let mut heard: Vec<Value> = (0..6).map(|_| host.hears()).collect();
    let questions: Vec<Value> =
        heard.extract_if(.., |message| message["method"].is_string()).collect();
    assert_eq!((questions.len(), heard.len()), (4, 2), "{heard:?}");
    for proposed in &heard {
        assert_eq!(proposed["result"]["structuredContent"]["status"], "proposed", "{proposed}");
    }
    for question in &questions {
        let answer =
            json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "decline" } });
        host.says(&answer.to_string());
    }
    for _ in &questions {
        let answer = host.hears();
        assert!(calls.contains(&answer["id"].as_u64().unwrap()), "{answer}");
        assert_eq!(answer["result"]["structuredContent"]["status"], "declined", "{answer}");
    }
    host.leaves();
}

#[test]
fn an_agent_takes_back_what_it_said_itself_and_nothing_else() {
    let (machine, mut host) = with_tea();
    let own = host.gets("remember", json!({ "text": "The build fails on macOS." }));
    let taken = host.gets("retract", json!({ "name": own["id"], "note": "I misread the log" }));
    assert_eq!((&taken["status"], &taken["proposal"]), (&json!("done"), &json!(null)), "{taken}");
    assert!(host.texts("Does the build fail on macOS?").iter().all(|text| !text.contains("macOS")));
    let retraction = &operations(&machine, "evidence_retraction")[0];
    assert_ne!(
        retraction["header"]["author"],
        json!(key_of(&machine)),
        "the agent's own key signs it"
    );
    // Its quotation of the user, and what the user or another agent said, are the user's to decide.
    let quote = host.gets("explain", json!({ "name": TEA }))["built_from"][0]["op_id"].clone();
    let users = machine.because(["remember", "I am Mara.", "--json"]).run().succeeds().json();
    let mut other = Host::named(&machine, "Other", &json!({}));
    let others = other.gets("remember", json!({ "text": "The kiln is hot." }));
    for id in [&quote, &users["id"], &others["id"]] {
        let proposed = host.gets("retract", json!({ "name": id, "note": "wrong" }));
        assert_eq!(proposed["status"], "proposed", "{proposed}");
    }
    assert_eq!(operations(&machine, "evidence_retraction").len(), 1);
    host.leaves();
    other.leaves();
    machine.is_sound();
}

#[test]
fn what_a_person_typed_is_not_forgotten_for_an_agent() {
    let (machine, mut host) = with_tea();
    let typed = ["correct", TEA, "--text", "You like oolong", "--set", "object=oolong", "--json"];
    let corrected = machine.because(typed).run().succeeds().json();
    let id = corrected["recorded"][0].as_str().or(corrected["id"].as_str()).unwrap();
    host.fails("no_such_records", "forget", json!({ "name": id, "note": "tidy" }));
    let believed = machine.because(["claims", "--json"]).run().succeeds().out();
    assert!(believed.contains("You like oolong"), "{believed}");
    host.leaves();
    machine.is_sound();
}

#[test]
fn the_expected_changes_of_forgetting_are_what_accepting_it_does() {
    let (machine, mut host) = with_tea();
    let quote = host.gets("explain", json!({ "name": TEA }))["built_from"][0]["op_id"].clone();
    let typed = ["correct", TEA, "--text", "You like oolong", "--set", "object=oolong"];
    machine.because(typed).run().succeeds();
    let proposed = host.gets("forget", json!({ "name": quote, "note": "delete that" }));
    let expected: Vec<Value> = proposed["changes"].as_array().unwrap().clone();
    assert!(expected.iter().any(|change| change["key"] == TEA), "{proposed}");
    let id = proposed["proposal"].as_str().unwrap();
    machine.because(["review", "accept", id]).run().succeeds();
    let left = machine.because(["claims", "--all", "--json"]).run().succeeds().out();
    assert!(!left.contains("oolong"), "{left}");
    host.leaves();
    machine.is_sound();
}

#[test]
fn forgetting_is_proposed_as_a_redaction() {
    let (machine, mut host) = with_tea();
    let quote = host.gets("explain", json!({ "name": TEA }))["built_from"][0]["op_id"].clone();
    let proposed = host.gets("forget", json!({ "name": quote, "note": "delete that" }));
    assert_eq!(proposed["status"], "proposed", "{proposed}");
    let listed = machine.because(["review", "list", "--json"]).run().succeeds().json_lines();
    let kinds: Vec<&Value> =
        listed[0]["operations"].as_array().unwrap().iter().map(|one| &one["kind"]).collect();
    assert_eq!(kinds, ["redaction"], "{listed:?}");
    let id = proposed["proposal"].as_str().unwrap();
    machine.because(["review", "accept", id]).run().succeeds().prints("You forgot");
    host.fails("unknown_belief", "explain", json!({ "name": TEA }));
    assert_eq!(operations(&machine, "redaction").len(), 1);
    let explained = machine.because(["show", quote.as_str().unwrap(), "--json"]).run().succeeds();
    let shown = &explained.json_lines()[0];
    assert_eq!(
        (&shown["body"], &shown["forgotten"]["reason"]),
        (&Value::Null, &json!("delete that"))
    );
    assert!(host.texts("green tea").iter().all(|text| !text.contains("green tea")));
    host.leaves();
    machine.is_sound();
}

#[test]
fn the_users_settings_may_allow_an_agent_more() {
    let (machine, mut host) = with_tea();
    std::fs::write(
        machine.home().join("config.toml"),
        "[agents]\nallow = [\"tea-agent:correct\"]\n",
    )
    .unwrap();
    assert_eq!(host.gets("refute", json!({ "name": TEA, "note": "no" }))["status"], "proposed");
    let done = host.gets("correct", correction());
    assert_eq!(done["status"], "done", "{done}");
    let explained = host.gets("explain", json!({ "name": TEA }));
    assert_eq!(explained["user_actions"][0]["proposed_by"]["consent"], "setting", "{explained}");
    host.leaves();
    let mut other = Host::named(&machine, "Other", &json!({}));
    let again = json!({ "name": TEA, "fields": { "object": "water" }, "text": "You drink water.", "note": "water" });
    assert_eq!(other.gets("correct", again)["status"], "proposed");
    other.leaves();
    machine.is_sound();
    // A project's settings, which a stranger may have written, allow nothing.
    std::fs::remove_file(machine.home().join("config.toml")).unwrap();
    let project = machine.space().parent().unwrap().join("config.toml");
    std::fs::write(project, "[agents]\nallow = [\"other:correct\"]\n").unwrap();
    let mut other = Host::named(&machine, "Other", &json!({}));
    other.fails("settings", "refute", json!({ "name": TEA, "note": "no" }));
    other.leaves();
}

#[test]
fn an_agents_answer_says_when_nothing_in_memory_answers() {
    let machine = Machine::with_chat();
    let mut host = Host::of(&machine);
    let found = host.gets("recall", json!({ "query": "Who is allergic to walnuts?" }));
    assert_eq!(found["abstains"], false, "{found}");
    assert!(found["relevance"].as_f64().unwrap() > 0.5, "{found}");
    let unfound =
        host.calls("recall", json!({ "query": "wifi password of the Lisbon walnuts flat" }));
    let structured = &unfound["structuredContent"];
    let words = unfound["content"][0]["text"].as_str().unwrap();
    assert_eq!(
        structured["abstains"].as_bool().unwrap(),
        words.contains("Nothing in memory seems to answer"),
        "{unfound}"
    );
    let facts = host.gets("recall", json!({ "query": "walnuts", "search_type": "facts" }));
    assert_eq!((&facts["relevance"], &facts["abstains"]), (&json!(null), &json!(false)));
    let turns = json!([{ "speaker": "user", "text": "zxqv flumph" }]);
    let context = host.calls("get_context", json!({ "turns": turns }));
    assert_eq!(context["structuredContent"]["abstains"], true, "{context}");
    assert!(
        context["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("Nothing in memory seems to answer"),
        "{context}"
    );
    host.leaves();
}
