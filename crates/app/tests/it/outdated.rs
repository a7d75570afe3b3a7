//! What was replaced, taken back or said by somebody else is not served as what holds now.

use serde_json::Value;

use crate::machine::Machine;

fn id_of(machine: &Machine, arguments: &[&str]) -> String {
    let made = machine.because(arguments.iter().chain(&["--json"])).run().succeeds().json();
    made["id"].as_str().unwrap().to_owned()
}

fn remember(machine: &Machine, notes: &[(&str, &str)]) {
    for (at, text) in notes {
        machine.because(["remember", "--at", at, text]).run().succeeds();
    }
}

/// The lines of an answer before its sources.
fn answer(machine: &Machine, question: &str) -> Vec<String> {
    let out = machine.because(["ask", "--rules", "--no-save", question]).run().succeeds().out();
    let lines = out.lines().take_while(|line| !line.starts_with("  "));
    lines.map(|line| line.rsplit_once(" [").map_or(line, |(text, _)| text).to_owned()).collect()
}

fn texts(machine: &Machine, question: &str) -> Vec<String> {
    let found = machine.because(["recall", "--json", question]).run().succeeds().json();
    let results = found["results"].as_array().unwrap().iter();
    let text = |result: &Value| result["evidence"]["payload"]["text"].as_str().unwrap().to_owned();
    results.map(text).collect()
}

#[test]
fn a_kept_answer_keeps_nothing_in_memory_that_was_replaced() {
    let machine = Machine::with_space();
    let (ten, eleven) = ("The studio opens at ten.", "The studio opens at eleven.");
    let old = id_of(&machine, &["claim", "add", ten]);
    let question = "When does the studio open?";
    machine.because(["ask", "--rules", question]).run().succeeds().prints("kept as");
    machine.because(["why", &old]).run().succeeds();
    machine.because(["claim", "supersede", &old, eleven]).run().succeeds();
    assert_eq!(texts(&machine, question), [eleven]);
    assert_eq!(answer(&machine, question), [eleven]);
    let context = machine.because(["context", "--task", question, "--no-receipt"]).run().succeeds();
    assert!(context.out().contains(eleven) && !context.out().contains(ten), "{}", context.out());
    // Who asks for nodes still finds it.
    let nodes = machine.because(["recall", "--search", "nodes", question]).run().succeeds();
    nodes.prints(ten);
    machine.is_sound();
}

#[test]
fn the_statement_of_an_edge_is_found_while_the_edge_says_something() {
    let machine = Machine::with_space();
    let one = id_of(&machine, &["claim", "add", "The glaze is free of lead."]);
    let two = id_of(&machine, &["claim", "add", "The bowls are for food."]);
    let edge = ["edge", "add", "--type", "supports", "--from", &one, "--to", &two];
    machine.because(edge).run().succeeds();
    let is_about_ids = |text: &String| text.contains(" supports ");
    assert!(!texts(&machine, "supports").iter().any(is_about_ids));
    let notes = "Mara insisted on that";
    let edge = ["edge", "add", "--type", "mentions", "--from", &two, "--to", &one];
    let edge: Vec<&str> = edge.into_iter().chain(["--notes", notes]).collect();
    let edge = id_of(&machine, &edge);
    assert_eq!(texts(&machine, "Who insisted?")[0], notes);
    machine.because(["edge", "retract", &edge]).run().succeeds();
    assert!(!texts(&machine, "Who insisted?").iter().any(|text| text == notes));
}

#[test]
fn an_answer_says_what_was_so_earlier_after_what_is_so_now() {
    let machine = Machine::with_space();
    let (old, new) = ("My phone number is 06 11 22 33.", "My new phone number is 06 55 66 77.");
    let (key, moved) =
        ("The spare key is with our neighbour Odile.", "The spare key is now with Mr Blanc.");
    remember(&machine, &[("2026-10-01", old), ("2026-10-02", key)]);
    remember(&machine, &[("2026-11-01", new), ("2026-11-02", moved)]);
    let earlier = |text: &str| format!("Earlier: {text}");
    let answers = answer(&machine, "What is my phone number?");
    assert_eq!(answers[..2], [new.to_owned(), earlier(old)]);
    // The older one, if the question is for it.
    let answers = answer(&machine, "What was my old phone number?");
    assert_eq!(answers[..2], [earlier(old), new.to_owned()]);
    let answers = answer(&machine, "Who is my neighbour?");
    assert!(answers.contains(&earlier(key)), "{answers:?}");
}

#[test]
fn a_long_note_is_replaced_in_what_the_question_is_about_only() {
    let machine = Machine::with_space();
    let old = "---\ndate: 2026-09-14\n---\n# Infra decisions\n\n- Retry limit is 5.\n- The TLS certificate has to be rotated before December.\n";
    let new = "---\ndate: 2026-10-20\n---\n# Infra follow-up\n\nThe retry limit was raised from 5 to 8.\n";
    machine.write("notes/a.md", old);
    machine.write("notes/b.md", new);
    machine.because(["import", "notes"]).run().succeeds();
    let first = |question: &str| texts(&machine, question).swap_remove(0);
    assert!(first("When does the TLS certificate have to be rotated?").contains("TLS"));
    assert!(first("What is the retry limit?").contains("raised"));
}

#[test]
fn what_somebody_else_says_of_themselves_is_not_the_answer_about_the_person() {
    let machine = Machine::with_space();
    let note = ["remember", "--actor", "Ana", "I am allergic to nuts."];
    machine.because(note).run().succeeds();
    remember(
        &machine,
        &[("2026-10-02", "My phone number is 0655667788."), ("2026-10-03", "Claire is my boss.")],
    );
    assert!(!answer(&machine, "What am I allergic to?").iter().any(|it| it.contains("nuts")));
    assert!(answer(&machine, "What is Ana allergic to?")[0].contains("nuts"));
    let rent = ["remember", "--actor", "Mr Keller", "I will raise the rent of the flat in May."];
    machine.because(rent).run().succeeds();
    assert!(
        answer(&machine, "When will my landlord raise the rent of my flat?")[0].contains("May")
    );
    let answers = answer(&machine, "What is Claire's phone number?");
    assert!(!answers.iter().any(|it| it.contains("0655667788")), "{answers:?}");
    assert!(answer(&machine, "What is my phone number?")[0].contains("0655667788"));
    remember(&machine, &[("2026-10-04", "I pick her up at the station at six.")]);
    let answers = answer(&machine, "When does Claire's train arrive at the station?");
    assert!(answers.iter().any(|it| it.contains("at six")), "{answers:?}");
}

#[test]
fn a_correction_by_fields_is_read_in_words() {
    let machine = Machine::with_space();
    remember(&machine, &[("2026-10-01", "I prefer trains to planes.")]);
    let key = "preference.travel|trains";
    machine.because(["correct", key, "--set", "polarity=dislike"]).run().succeeds();
    let claims = machine.because(["claims"]).run().succeeds();
    claims.prints("You do not like trains");
    let claim = id_of(&machine, &["claim", "add", "The kiln is gas."]);
    let refused = machine.because(["correct", &claim, "--set", "{\"x\":1}", "--json"]).run();
    assert_eq!(refused.ends(2).says("--text").error_code(), "payload_shape");
}

#[test]
fn an_edge_does_not_replace_what_would_be_derived_again() {
    let machine = Machine::with_space();
    remember(&machine, &[("2026-10-01", "I prefer trains to planes.")]);
    let listed = machine.because(["claims", "--json"]).run().succeeds().json_lines();
    let derived = listed[0]["op_id"].as_str().unwrap().to_owned();
    let stated = id_of(&machine, &["claim", "add", "I take the bus.", "--type", "preference"]);
    for (edge_type, from, to) in [("supersedes", &stated, &derived), ("same_as", &derived, &stated)]
    {
        let edge = ["edge", "add", "--type", edge_type, "--from", from, "--to", to, "--json"];
        let refused = machine.because(edge).run().ends(1);
        assert_eq!(refused.error_code(), "not_permitted", "{edge_type}");
    }
}

#[test]
fn the_sentence_that_says_the_change_is_the_answer() {
    let machine = Machine::with_space();
    let (old, new) = ("My sister Lena lives in Hamburg.", "Lena moved to Bremen with the kids.");
    let both = format!("Lena and Jonas separated. {new}");
    remember(&machine, &[("2026-01-04", old), ("2026-04-02", &both)]);
    let earlier = format!("Earlier: {old}");
    assert_eq!(answer(&machine, "Where does Lena live?"), [new, &earlier]);
}

#[test]
fn an_answer_says_what_was_refuted_or_corrected() {
    let machine = Machine::with_space();
    let (boss, colour) = ("My new boss is Henrik.", "My favourite colour is green.");
    remember(&machine, &[("2026-10-01", boss), ("2026-10-02", colour)]);
    machine.because(["derive"]).run().succeeds();
    machine.because(["refute", "relationship.boss|henrik"]).run().succeeds();
    let key = "preference.environment|green";
    machine.because(["correct", key, "--set", "object=blue"]).run().succeeds();
    assert_eq!(answer(&machine, "Who is my boss?")[0], format!("Refuted: {boss}"));
    let answers = answer(&machine, "What is my favourite colour?");
    assert!(answers[0].contains("You like blue"), "{answers:?}");
    assert!(answers.iter().any(|text| text.contains(&format!("Earlier: {colour}"))), "{answers:?}");
}

#[test]
fn an_answer_about_a_day_is_of_that_day() {
    let machine = Machine::with_space();
    let (doctor, fair) = ("On 1 December 2026 I see the ENT doctor.", "The fair was loud.");
    remember(&machine, &[("2026-11-20", doctor), ("2026-12-12", fair)]);
    machine.because(["me", "--name", "Nora Riedel"]).run().succeeds();
    assert_eq!(answer(&machine, "What do I have on 1 December 2026?"), [doctor]);
    let today = answer(&machine, "What happens today?");
    assert!(!today.iter().any(|text| text.contains("Nora")), "{today:?}");
}

#[test]
fn what_somebody_else_has_does_not_answer_for_a_person() {
    let machine = Machine::with_space();
    let petra = "Petra's phone number is 0171 555 1234.";
    remember(&machine, &[("2026-11-20", petra), ("2026-11-21", "Tomas plays the cello.")]);
    assert!(!answer(&machine, "What is Tomas's phone number?").iter().any(|text| text == petra));
    assert_eq!(answer(&machine, "What is Petra's phone number?")[0], petra);
}

#[test]
fn a_claim_is_not_past_at_a_time_at_which_it_is_true() {
    let machine = Machine::with_space();
    let office = "The office is in Oslo.";
    let add = ["claim", "add", office, "--valid-from", "2026-01-01", "--valid-to", "2026-06-01"];
    machine.because(add).run().succeeds();
    let ask = ["ask", "--rules", "--no-save", "--valid-at", "2026-03-01", "Where is the office?"];
    let out = machine.because(ask).run().succeeds().out();
    assert!(out.contains(office) && !out.contains("In the past"), "{out}");
}
