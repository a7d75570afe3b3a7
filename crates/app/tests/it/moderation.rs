//! Candidates for the knowledge graph: listed, accepted, rejected, made other names.

use engine::Space;
use engine::staging::{CandidateContent, GraphCandidate, StagingLimits};
use jiff::Timestamp;
use kernel::id::OpId;
use kernel::seal::Signer;
use serde_json::{Map, Value, json};

use crate::machine::Machine;

fn signer(machine: &Machine) -> Signer {
    let key = std::fs::read_to_string(machine.home().join("key")).unwrap();
    Signer::from_hex(key.trim()).unwrap()
}

fn run(machine: &Machine, arguments: &[&str]) -> Value {
    machine.because(["--json"]).arguments(arguments).run().succeeds().json()
}

fn moderate(machine: &Machine, arguments: &[&str], code: i32) -> Value {
    machine.because(["--json", "kg"]).arguments(arguments).run().ends(code).json()
}

fn note(machine: &Machine, text: &str) -> OpId {
    run(machine, &["remember", text])["id"].as_str().unwrap().parse().unwrap()
}

fn candidate(content: CandidateContent, source: OpId) -> GraphCandidate {
    GraphCandidate {
        content,
        data: Map::new(),
        confidence: 0.8,
        origin: "heuristic@1".to_owned(),
        details: Map::new(),
        sources: vec![source],
    }
}

fn relation(from: &str, rel_type: &str, to: &str) -> CandidateContent {
    CandidateContent::Relation {
        source_name: from.to_owned(),
        target_name: to.to_owned(),
        rel_type: rel_type.to_owned(),
    }
}

pub(crate) fn entity(name: &str) -> CandidateContent {
    CandidateContent::entity(name, "tool")
}

/// Stages candidates from one note; their ids in the order in which they are given.
pub(crate) fn stage(machine: &Machine, contents: Vec<CandidateContent>) -> Vec<String> {
    let source = note(machine, &format!("A note about {} things", contents.len()));
    let mut space = Space::open(&machine.space(), signer(machine)).unwrap();
    let limits = StagingLimits { nodes_max: 10_000, edges_max: 10_000, ..Default::default() };
    let candidates = contents.into_iter().map(|content| candidate(content, source)).collect();
    let staging = space.stage(candidates, &limits, Timestamp::now()).unwrap();
    assert_eq!(staging.left_out, Vec::new());
    staging.staged.iter().map(|(id, _)| id.to_string()).collect()
}

fn log(machine: &Machine) -> String {
    machine.because(["log", "-n", "0"]).run().succeeds().out()
}

fn codes(report: &Value) -> Vec<Option<&str>> {
    let items = report["items"].as_array().unwrap().iter();
    items.map(|item| item["error"]["code"].as_str()).collect()
}

// Case 14 of the inner voice: a candidate that the graph has already is that entity.
#[test]
fn accepting_uses_an_entity_of_the_same_name_and_type_again() {
    let machine = Machine::with_space();
    let known = run(&machine, &["node", "add", "--type", "entity", "KilnTimer"]);
    let staged = stage(&machine, vec![entity("kilntimer"), entity("SQLite")]);
    let report = moderate(&machine, &["accept", &staged[0], &staged[1]], 0);
    assert_eq!(report["items"][0]["promoted_id"], known["id"]);
    assert_eq!(report["items"][0]["new"], false);
    assert_eq!((&report["items"][1]["new"], &report["decided"]), (&true.into(), &2.into()));
    let shown = run(&machine, &["kg", "show", "sqlite"]);
    assert_eq!(shown["id"], report["items"][1]["promoted_id"]);
    assert_eq!(shown["payload"]["entity_type"], "tool");
    assert_eq!(shown["payload"]["proposal"], json!(staged[1]));
    assert_eq!(shown["sources"][0]["kind"], "evidence");
    // The same name of something else is another entity.
    let god = CandidateContent::entity("SQLite", "band");
    let other = stage(&machine, vec![god]);
    let report = moderate(&machine, &["accept", &other[0]], 0);
    assert_eq!(report["items"][0]["entities"], json!(["SQLite (band)"]));
    machine.is_sound();
}

// Case 15 of the inner voice: what cannot be decided is an error of its own.
#[test]
fn one_bad_item_never_stops_the_others() {
    let machine = Machine::with_space();
    let source = run(&machine, &["remember", "Not a candidate"])["id"].as_str().unwrap().to_owned();
    let staged = stage(
        &machine,
        vec![
            entity("Kiln"),
            relation("Kiln", "depends_on", "Clay"),
            relation("Glaze", "warned about", "glaze"),
            relation("Kiln", "warned about", "Draft"),
            entity("Draft"),
            entity("A\u{1b}[2Jname"),
            relation("粘土", "used in", "Öfchen"),
        ],
    );
    let ids: Vec<&str> = staged.iter().map(String::as_str).collect();
    let [kiln, needs, itself, warned, draft, control, scripts] = ids[..] else { panic!() };
    moderate(&machine, &["reject", draft], 0);
    let nobody = format!("b3:{}", "0".repeat(64));
    let all = ["accept", kiln, &nobody, needs, itself, warned, control, &source, kiln, scripts];
    let report = moderate(&machine, &all, 4);
    assert_eq!(
        codes(&report),
        [
            None,
            Some("unknown_id"),
            None,
            Some("self_edge"),
            Some("rejected_end"),
            Some("unfit_name"),
            Some("not_a_candidate"),
            Some("review_settled"),
            None
        ]
    );
    assert_eq!((&report["decided"], &report["failed"]), (&3.into(), &6.into()));
    let path = run(&machine, &["kg", "path", "kiln", "clay", "--type", "depends_on"]);
    assert_eq!(path["found"], true, "the end was made");
    let path = run(&machine, &["kg", "path", "粘土", "öfchen"]);
    assert_eq!(path["edges"][0]["label"], "used in");
    assert_eq!(path["edges"][0]["type"], "relation");
    let unknown = machine.because(["--json", "kg", "show", "Glaze"]).run();
    assert_eq!(unknown.ends(1).error_code(), "unknown_entity", "nothing is left of what failed");
    machine.is_sound();
}

// Case 16 of the inner voice: what was rejected is not staged again.
#[test]
fn what_was_rejected_is_not_staged_again() {
    let machine = Machine::with_space();
    let staged = stage(&machine, vec![entity("Draft")]);
    let how = ["reject", &staged[0], "--feedback", "too vague"];
    assert_eq!(moderate(&machine, &how, 0)["items"][0]["promoted_id"], Value::Null);
    let source = note(&machine, "Another note");
    let mut space = Space::open(&machine.space(), signer(&machine)).unwrap();
    let again = vec![candidate(entity("DRAFT"), source)];
    let staging = space.stage(again, &StagingLimits::default(), Timestamp::now()).unwrap();
    assert_eq!((staging.staged.len(), staging.left_out.len()), (0, 1));
    drop(space);
    let listed = run(&machine, &["kg", "review", "--status", "dismissed"]);
    assert_eq!(listed["status"], "dismissed");
    let twice = moderate(&machine, &["accept", &staged[0]], 4);
    assert_eq!(codes(&twice), [Some("review_settled")]);
}

// Case 17 of the inner voice: an alias needs the entity whose name it is.
#[test]
fn an_alias_redirects_and_later_candidates_of_that_name_stand_for_the_entity() {
    let machine = Machine::with_space();
    let studio = run(&machine, &["node", "add", "--type", "entity", "Orin Studio"]);
    let decision = run(&machine, &["node", "add", "--type", "decision", "We fire on Fridays"]);
    let staged = stage(&machine, vec![entity("The Studio"), entity("Orin Studio")]);
    machine.because(["kg", "alias", &staged[0]]).run().ends(2);
    let not = ["alias", &staged[0], "--canonical", decision["id"].as_str().unwrap()];
    assert_eq!(codes(&moderate(&machine, &not, 4)), [Some("not_an_entity")]);
    let itself = ["alias", &staged[1], "--canonical", "orin studio"];
    assert_eq!(codes(&moderate(&machine, &itself, 4)), [Some("self_edge")]);
    let report = moderate(&machine, &["alias", &staged[0], "--canonical", "Orin studio"], 0);
    assert_eq!(report["items"][0]["promoted_id"], studio["id"]);
    let shown = run(&machine, &["kg", "show", "the studio"]);
    assert_eq!(shown["id"], studio["id"]);
    assert_eq!(shown["aliases"][0]["text"], "The Studio");
    let ring = ["alias", &staged[1], "--canonical", shown["aliases"][0]["id"].as_str().unwrap()];
    assert_eq!(codes(&moderate(&machine, &ring, 4)), [Some("cycle")]);
    let later = stage(&machine, vec![relation("the studio", "depends_on", "Gas")]);
    moderate(&machine, &["accept", &later[0]], 0);
    assert_eq!(run(&machine, &["kg", "path", "Orin Studio", "gas"])["found"], true);
    machine.is_sound();
}

// Case 18 of the inner voice: a dry run shows what would follow, and writes nothing.
#[test]
fn a_dry_run_shows_what_would_follow_and_writes_nothing() {
    let machine = Machine::with_space();
    let staged = stage(&machine, vec![entity("Kiln"), relation("Kiln", "depends_on", "Gas")]);
    let before = log(&machine);
    let report = moderate(&machine, &["accept", "--all", "--dry-run"], 0);
    assert_eq!((&report["dry_run"], &report["decided"]), (&true.into(), &2.into()));
    let entities: Vec<&Value> =
        report["items"].as_array().unwrap().iter().map(|item| &item["entities"]).collect();
    assert!(entities.contains(&&json!(["Kiln"])) || entities.contains(&&json!(["Kiln", "Gas"])));
    assert_eq!(report["items"][0]["promoted_id"], Value::Null, "it has no id yet");
    assert_eq!(log(&machine), before);
    assert_eq!(moderate(&machine, &["accept", &staged[0], "--dry-run"], 0)["decided"], 1);
    assert_eq!(log(&machine), before);
}

#[test]
fn similar_names_are_suggested_and_filters_choose() {
    let machine = Machine::with_space();
    let known = run(&machine, &["node", "add", "--type", "entity", "PostgreSQL"]);
    stage(&machine, vec![entity("Postgres SQL"), relation("Kiln", "depends_on", "Gas")]);
    let listed = run(&machine, &["kg", "review", "--kind", "entity"]);
    assert_eq!(listed["suggestions"][0]["id"], known["id"], "{listed}");
    machine.because(["kg", "review"]).run().succeeds().prints("like");
    let none = machine.because(["kg", "review", "--min-confidence", "0.9"]).run().succeeds();
    assert!(none.out().contains("No candidate matches."));
    let wrong = machine.because(["--json", "kg", "review", "--min-confidence", "2"]).run();
    assert_eq!(wrong.ends(2).error_code(), "not_a_probability");
    let accepted = moderate(&machine, &["accept", "--all", "--kind", "relation"], 0);
    assert_eq!(accepted["items"].as_array().unwrap().len(), 1);
}

#[test]
fn hundreds_are_decided_at_once_with_bad_ones_among_them() {
    let machine = Machine::with_space();
    let names = (0..300).map(|number| match number % 3 {
        0 => entity(&format!("Kiln {number}")),
        1 => relation(&format!("Kiln {}", number - 1), "feeds", &format!("Clay {number}")),
        _ => relation(&format!("Draft {number}"), "feeds", &format!("DRAFT {number}")),
    });
    let staged = stage(&machine, names.collect());
    assert_eq!(staged.len(), 300);
    let report = moderate(&machine, &["accept", "--all", "-n", "0"], 4);
    assert_eq!((&report["decided"], &report["failed"]), (&200.into(), &100.into()));
    let nodes = machine.because(["--json", "node", "list", "--type", "entity", "-n", "0"]).run();
    assert_eq!(nodes.succeeds().json_lines().len(), 200);
    machine.is_sound();
}

#[test]
fn an_empty_queue_and_marks_for_removal() {
    let machine = Machine::with_space();
    machine.because(["kg", "review"]).run().succeeds().prints("No candidate matches.");
    machine.because(["kg", "accept", "--all"]).run().succeeds().prints("No candidate matches.");
    let staged = stage(&machine, vec![entity("Kiln"), entity("Clay")]);
    let kept = moderate(&machine, &["reject", &staged[1], "--mark-removal"], 0);
    assert_eq!(kept["marked_for_removal"], 0, "what is rejected keeps its source");
    let marked = moderate(&machine, &["accept", &staged[0], "--mark-removal"], 0);
    assert_eq!(marked["marked_for_removal"], 1);
    // A candidate is decided among the reviews, too.
    let staged = stage(&machine, vec![relation("Kiln", "depends_on", "Gas")]);
    machine.because(["review", "accept", &staged[0]]).run().succeeds();
    assert_eq!(run(&machine, &["kg", "path", "kiln", "gas"])["found"], true);
    machine.is_sound();
}
