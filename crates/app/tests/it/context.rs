//! Contexts for agents, and their receipts.

use crate::machine::Machine;

fn kiln() -> Machine {
    let machine = Machine::with_space();
    machine
        .because([
            "remember",
            "Idris recommends tenmoku glaze for the tall bowls",
            "--actor",
            "Mara",
        ])
        .run()
        .succeeds();
    machine
}

#[test]
fn a_context_holds_turns_and_related_memory_and_writes_a_receipt() {
    let machine = kiln();
    let arguments = [
        "context",
        "--turn",
        "Mara: Which glaze for the tall bowls?",
        "--agent",
        "claude",
        "--session",
        "s1",
    ];
    machine
        .because(arguments)
        .run()
        .succeeds()
        .prints("| Idris recommends tenmoku")
        .prints("Mara: Which glaze")
        .says("receipt:");
    let context = machine.because(arguments).arguments(["--json"]).run().succeeds().json();
    let episode = context["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|item| item["tier"] == "episodes")
        .unwrap();
    let (record, receipt) = (episode["id"].as_str().unwrap(), context["receipt"].as_str().unwrap());
    assert!(context["tokens"]["total"].as_u64().unwrap() <= 1_500);
    machine
        .because(["receipts", "--agent", "claude", "--of", record])
        .run()
        .succeeds()
        .prints("s1");
    machine
        .because(["receipts", receipt])
        .run()
        .succeeds()
        .prints("Idris recommends tenmoku")
        .prints("relevant");
    let shown = machine.because(["receipts", &receipt[..24], "--json"]).run().succeeds().json();
    assert_eq!(shown["texts"][record], "Idris recommends tenmoku glaze for the tall bowls");
    machine.because(["receipts", "--agent", "nobody"]).run().succeeds().prints("No receipts.");
    assert_eq!(
        machine.because(["receipts", "receipt:0000", "--json"]).run().ends(1).error_code(),
        "unknown_receipt"
    );
    machine.is_sound();
    machine.because(["rebuild"]).run().succeeds();
    let listed = machine.because(["receipts", "--json"]).run().succeeds().json();
    assert_eq!(listed["receipts"].as_array().unwrap().len(), 2);
    machine.because(["receipts", "--prune", "2200-01-01"]).run().succeeds().prints("2 receipts");
}

#[test]
fn turns_are_read_from_a_pipe_or_a_file() {
    let machine = kiln();
    let lines =
        "{\"role\":\"user\",\"content\":\"hello\"}\nMara: Which glaze for the tall bowls?\n";
    machine
        .because(["context", "--no-receipt"])
        .input(lines)
        .run()
        .succeeds()
        .prints("| Idris")
        .prints("user: hello");
    machine.write("turns.jsonl", lines);
    machine
        .because(["context", "--turns", "turns.jsonl", "--no-receipt"])
        .run()
        .succeeds()
        .prints("| Idris");
    machine
        .because(["context", "--question", "glaze", "--budget", "0"])
        .run()
        .succeeds()
        .says("is empty");
    let least =
        ["context", "--turn", "Mara: Which glaze?", "--turn", "Mara: And why?", "--budget", "0"];
    let least = machine
        .because(least)
        .run()
        .succeeds()
        .prints("Mara: And why?")
        .says("the newest turn alone");
    assert!(
        !least.out().contains("Which glaze") && !least.out().contains("| Idris"),
        "{}",
        least.out()
    );
    machine
        .because(["context", "--question", "glaze", "--budget", "1000000"])
        .run()
        .succeeds()
        .prints("Idris");
    machine.because(["context", "--question", "glaze", "--budget", "many"]).run().ends(2);
    machine.because(["context"]).run().ends(2).says("neither turns nor a question");
    machine.write("wrong.jsonl", "Mara: hello\n\n{\"role\":\"user\"}\n");
    let wrong = machine.because(["context", "--turns", "wrong.jsonl"]).run().ends(1);
    wrong.says("line 3 of wrong.jsonl is not a turn").says(r#"{"speaker":"Mara","text":"#);
    machine
        .because(["context"])
        .input("[{\"role\":\"user\"}]")
        .run()
        .ends(1)
        .says("line 1 of the standard input");
    assert_eq!(
        machine.because(["receipts", "--json"]).run().succeeds().json()["receipts"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
}

#[test]
fn recall_for_an_agent_writes_a_receipt() {
    let machine = kiln();
    let recalled =
        machine.because(["recall", "glaze", "--agent", "claude", "--json"]).run().succeeds().json();
    let receipt = recalled["receipts"][0].as_str().unwrap();
    machine.because(["receipts", receipt]).run().succeeds().prints("asked for, number 1");
    assert!(
        machine.because(["recall", "glaze", "--json"]).run().succeeds().json()["receipts"]
            .is_null()
    );
}

/// A copy of the sample, imported.
fn pottery() -> Machine {
    let machine = Machine::with_space();
    let samples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/samples");
    for name in ["calendar.ics", "notes", "chat.jsonl"] {
        machine.because(["import".as_ref(), samples.join(name).as_os_str()]).run().succeeds();
    }
    machine
}

#[test]
fn transcripts_that_repeat_memory_change_no_belief_and_no_explanation() {
    let machine = pottery();
    let claims = || machine.because(["claims", "--all", "--json"]).run().succeeds().json_lines();
    let explained = |claims: &[serde_json::Value]| -> Vec<serde_json::Value> {
        let key = |claim: &serde_json::Value| claim["key"].as_str().unwrap().to_owned();
        claims
            .iter()
            .map(|claim| {
                machine.because(["explain", "--json", &key(claim)]).run().succeeds().json()
            })
            .collect()
    };
    let before = claims();
    assert!(before.len() > 3);
    let reasons = explained(&before);
    let mut lines = Vec::new();
    let questions = [
        "When is the pottery class?",
        "Who is allergic to walnuts?",
        "What does Mara like to drink?",
    ];
    for (number, question) in questions.iter().enumerate() {
        let turn = format!("user: {question}");
        let arguments =
            ["context", "--agent", "claude", "--session", "s9", "--turn", turn.as_str(), "--json"];
        let context = machine.because(arguments).run().succeeds().json();
        let text = context["text"].as_str().unwrap();
        let items =
            context["items"].as_array().unwrap().iter().filter(|item| item["id"].is_string());
        let quoted: Vec<&str> = items.map(|item| item["text"].as_str().unwrap()).collect();
        assert!(!quoted.is_empty());
        let time = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(number as i64 + 1);
        let mut say = |role: &str, uuid: &str, content: serde_json::Value| {
            let message = serde_json::json!({ "role": role, "content": content });
            let line = serde_json::json!({
                "type": role, "uuid": format!("{uuid}{number}"), "sessionId": "s9", "timestamp": time.to_string(), "message": message
            });
            lines.push(line.to_string());
        };
        say("user", "u", text.into());
        say("assistant", "a", quoted.join("\n\n").into());
        say(
            "user",
            "t",
            serde_json::json!([{ "type": "tool_result", "tool_use_id": "t1", "content": context.to_string() }]),
        );
        for (place, text) in quoted.iter().enumerate() {
            say("user", &format!("q{place}-"), (*text).into());
        }
    }
    machine.write("transcript.jsonl", lines.join("\n"));
    machine.because(["import", "transcript.jsonl"]).run().succeeds().prints("new");
    let recorded = machine
        .because(["log", "-n", "0", "--json", "--kind", "evidence"])
        .run()
        .succeeds()
        .json_lines();
    let from_transcript =
        recorded.iter().filter(|record| record["body"]["source"] == "claude-code");
    let counting: Vec<_> =
        from_transcript.filter(|record| record["body"]["payload"]["echo"].is_null()).collect();
    assert!(counting.is_empty(), "{counting:#?}");
    machine.because(["derive", "--full"]).run().succeeds();
    assert_eq!(claims(), before);
    assert_eq!(explained(&claims()), reasons);
    machine.is_sound();
}

#[test]
fn a_task_has_the_values_of_the_home_space_budgets_and_times_of_its_own() {
    let machine = kiln();
    let task = ["--json", "context", "--task", "Choose a glaze for the tall bowls"];
    machine.because(["values", "set", "- Small steps"]).run().succeeds();
    let tenmoku = ["claim", "add", "--type", "fact", "Tenmoku suits tall bowls."];
    machine.because(tenmoku).run().succeeds();
    let context = machine.because(task).arguments(["--agent", "claude"]).run().succeeds().json();
    assert_eq!(context["values"][0]["text"], "Small steps");
    assert_eq!(context["values"][0]["scope"], "global");
    assert_eq!(context["claims"][0]["text"], "Tenmoku suits tall bowls.");
    assert_eq!(context["claims"][0]["scope"], "project");
    let shown = machine.because(["receipts", "--agent", "claude"]).run().succeeds().out();
    let short = &context["receipts"][0].as_str().unwrap()[..20];
    assert!(shown.contains(short), "{shown}");
    let home = machine.because(["receipts", "--agent", "claude", "--space", "global"]);
    let short = &context["receipts"][1].as_str().unwrap()[..20];
    assert!(home.run().succeeds().out().contains(short));
    let small = machine.because(task).arguments(["--task-budget", "query=0,values=0"]);
    let small = small.run().succeeds().json();
    assert_eq!(
        (small["values"].as_array(), small["claims"].as_array()),
        (Some(&vec![]), Some(&vec![]))
    );
    let early = machine.because(task).arguments(["--as-of", "2020-01-01"]).run().succeeds().json();
    assert_eq!(early["values"].as_array().unwrap().len(), 0);
    assert_eq!(early["claims"].as_array().unwrap().len(), 0);
    let text = machine.because(["context", "--task", "Choose a glaze"]).run().succeeds();
    text.prints("value, preference, global").says("tokens").says("receipt:");
    let empty = machine.because(["--json", "context", "--task", " "]).run().ends(2);
    assert_eq!(empty.error_code(), "empty_question");
    for wrong in [
        &["--turn", "Mara: hello"][..],
        &["--question", "What?"],
        &["--facts", "3"],
        &["--task-budget", "words=3"],
    ] {
        machine.because(task).arguments(wrong).run().ends(2);
    }
    machine.because(["context", "--turn", "x", "--task-budget", "nodes=1"]).run().ends(2);
    machine.is_sound();
}

#[test]
fn an_instruction_for_every_answer_is_in_every_context() {
    let machine = Machine::with_space();
    let rule = "Please always answer me in short bullet points.";
    let other = "Always answer in metric units when I ask about cooking.";
    let notes = ["The kiln is hot.", rule, "I met Petra at the zoo.", other, "We need flour."];
    for note in notes {
        machine.because(["remember", "--at", "2026-09-01", note]).run().succeeds();
    }
    let turn = ["context", "--no-receipt", "--turn", "Me: What is the capital of France?"];
    let context = machine.because(turn).run().succeeds().out();
    assert!(context.contains(rule) && !context.contains(other), "{context}");
    assert!(!context.contains("Petra"), "{context}");
}
