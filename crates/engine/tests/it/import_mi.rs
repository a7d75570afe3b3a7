//! Importing a Mind-Incarnation home: claims, nodes, edges and retractions beside evidence.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use engine::Space;
use engine::graph::{EdgeFilter, NodeFilter, RecordView};
use engine::write::graph::{GraphChange, NamedChange, RecordType, Reference, Statement};
use engine::write::import::{Intent, Report};
use importers::Context;
use kernel::operation::Role;
use serde_json::{Value, json};

use crate::forget::forget;
use crate::support::{Home, at, id_of};

/// A home that is being written.
struct MiHome {
    folder: tempfile::TempDir,
    /// Seconds after the first line.
    second: u32,
}

impl MiHome {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), second: 0 }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn file(&self, name: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }

    /// Appends bytes to a file.
    fn append(&self, name: &str, bytes: &[u8]) {
        use std::io::Write as _;
        let file = fs::OpenOptions::new().create(true).append(true).open(self.file(name));
        file.unwrap().write_all(bytes).unwrap();
    }

    fn line(&mut self, name: &str, time: &str, mut line: Value, more: Value) {
        self.second += 1;
        let second = self.second;
        line[time] = json!(format!("2026-02-17T10:{:02}:{:02}Z", second / 60, second % 60));
        for (name, value) in more.as_object().unwrap() {
            line[name] = value.clone();
        }
        self.append(name, format!("{line}\n").as_bytes());
    }

    fn event(&mut self, id: &str, more: Value) {
        let line = json!({ "kind": "user_input", "event_id": id, "run_id": "run_1", "question": "Which glaze?", "answer": format!("It is said in {id}.") });
        self.line("projects/p1/evidence.jsonl", "ts", line, more);
    }

    fn claim(&mut self, id: &str, text: &str, more: Value) {
        let line = json!({ "kind": "claim", "version": "v1", "claim_id": id, "claim_type": "fact", "text": text,
            "visibility": "project", "scope": "project", "project_id": "p1", "valid_from": null, "valid_to": null,
            "status": "active", "tags": [], "confidence": 0.95, "notes": "",
            "source_refs": [{ "kind": "evidence_event", "event_id": "ev_1" }] });
        self.line("projects/p1/thoughtdb/claims.jsonl", "asserted_ts", line, more);
    }

    fn edge(&mut self, edge_type: &str, from: &str, to: &str, more: Value) {
        let line = json!({ "kind": "edge", "edge_id": format!("ed_{}", self.second), "edge_type": edge_type,
            "from_id": from, "to_id": to, "visibility": "project", "scope": "project", "notes": "",
            "source_refs": [{ "kind": "evidence_event", "event_id": "ev_1" }] });
        self.line("projects/p1/thoughtdb/edges.jsonl", "asserted_ts", line, more);
    }

    fn retract(&mut self, id: &str) {
        let line = json!({ "kind": "claim_retract", "claim_id": id, "rationale": "it was wrong",
            "source_refs": [{ "kind": "evidence_event", "event_id": "ev_1" }] });
        self.line("projects/p1/thoughtdb/claims.jsonl", "ts", line, json!({}));
    }

    fn global(&mut self, file: &str, line: Value) {
        self.append(file, format!("{line}\n").as_bytes());
    }
}

fn import_from(space: &mut Space, path: &Path, intent: Intent) -> Report {
    let importer = importers::detect(path).unwrap().expect("a format is recognised");
    assert_eq!(importer.name(), "mi");
    let context = Context::new(at(10), jiff::tz::TimeZone::UTC);
    space.import(importer, path, &context, intent, |_| {}).unwrap()
}

/// Imports, and again: the second time writes nothing and reports the same problems.
fn import(space: &mut Space, mi: &MiHome) -> Report {
    let report = import_from(space, mi.path(), Intent::Write);
    let head = space.head().unwrap();
    let again = import_from(space, mi.path(), Intent::Write);
    assert_eq!(space.head().unwrap(), head, "{:?}", again.graph);
    assert_eq!(problems(&again), problems(&report));
    assert!(space.verify(|_| {}).unwrap().is_sound());
    report
}

/// The problems, a line each, with the names of files and lines.
fn problems(report: &Report) -> String {
    let mut text = String::new();
    for problem in &report.problems {
        let file = problem.file.file_name().unwrap().to_string_lossy().into_owned();
        let line = problem.line.map(|line| line.to_string()).unwrap_or_default();
        writeln!(text, "{file}:{line}: {}", problem.message).unwrap();
    }
    text
}

/// The record with this id at its source; of several versions the latest.
fn record(space: &Space, uid: &str) -> RecordView {
    let id = space.resolve(uid).unwrap();
    space.record_view(&id, None).unwrap().unwrap()
}

fn status(space: &Space, uid: &str) -> &'static str {
    record(space, uid).status.unwrap()
}

/// The statuses of some records, by their ids at the source.
fn statuses(space: &Space, uids: &[&str]) -> Vec<&'static str> {
    uids.iter().map(|uid| status(space, uid)).collect()
}

#[test]
fn a_home_is_imported_with_everything_that_it_says() {
    let (mut home, mut mi) = (Home::new(), MiHome::new());
    mi.global(
        "global/evidence.jsonl",
        json!({ "kind": "values_set", "event_id": "ev_g1", "ts": "2026-02-17T09:00:00Z", "payload": { "values_text": "Ask little." } }),
    );
    mi.global(
        "thoughtdb/global/claims.jsonl",
        json!({ "kind": "claim", "claim_id": "cl_g", "claim_type": "preference", "text": "Ask little.", "visibility": "global",
            "scope": "global", "project_id": "", "asserted_ts": "2026-02-17T09:00:01Z", "tags": ["values:base"],
            "source_refs": [{ "kind": "event", "event_id": "ev_g1" }], "confidence": 1.0 }),
    );
    mi.event("ev_1", json!({}));
    mi.claim("cl_old", "The glaze is tenmoku.", json!({ "tags": ["studio"] }));
    mi.claim(
        "cl_new",
        "The glaze is celadon.",
        json!({ "valid_from": "2026-01-01T00:00:00Z", "valid_to": "2027-01-01T00:00:00Z", "visibility": "private" }),
    );
    mi.edge("supersedes", "cl_old", "cl_new", json!({ "notes": "since January" }));
    let node = json!({ "kind": "node", "node_id": "nd_1", "node_type": "decision", "title": "Celadon", "text": "We fire celadon.",
        "visibility": "project", "scope": "project", "tags": ["auto"], "confidence": 1.0,
        "source_refs": [{ "kind": "evidence_event", "event_id": "ev_1" }] });
    mi.line("projects/p1/thoughtdb/nodes.jsonl", "asserted_ts", node, json!({}));
    mi.edge("depends_on", "nd_1", "cl_new", json!({}));
    mi.edge("derived_from", "nd_1", "ev_1", json!({}));
    mi.edge("depends_on", "ev_1", "cl_g", json!({}));
    // Not read: it was given up by the program itself.
    mi.append("projects/p1/learned.jsonl", b"{\"kind\":\"learned\",\"text\":\"no\"}\n");

    let dry = import_from(&mut home.space, mi.path(), Intent::DryRun);
    let before = home.space.head().unwrap();
    let report = import(&mut home.space, &mi);
    assert_eq!(problems(&report), "");
    let graph = report.graph.unwrap();
    assert_eq!((graph.claims.added, graph.nodes.added, graph.edges.added), (3, 1, 4));
    assert_eq!((dry.graph, dry.tally), (report.graph, report.tally), "a dry run says the same");
    assert!(!dry.preview.is_empty() && dry.import.is_none() && home.space.head().unwrap() > before);

    assert_eq!(
        statuses(&home.space, &["cl_old", "cl_new", "cl_g"]),
        ["superseded", "active", "active"]
    );
    let old = record(&home.space, "cl_old");
    assert_eq!(old.tags, ["studio", "mi:id:cl_old", "mi:project:p1"]);
    assert_eq!((old.confidence, old.deriver.unwrap().name.as_str()), (Some(0.95), "mi"));
    let new = record(&home.space, "cl_new");
    assert_eq!(new.visibility, kernel::evidence::Visibility::Private);
    let window = (new.valid_from.unwrap(), new.valid_to.unwrap());
    assert_eq!(
        (window.0.as_str(), window.1.as_str()),
        ("2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z")
    );
    let global = record(&home.space, "cl_g");
    assert_eq!(global.tags, ["values:base", "mi:id:cl_g"]);
    assert_eq!(global.visibility, kernel::evidence::Visibility::Global);
    assert_eq!(global.inputs[0].id, home.space.resolve("ev_g1").unwrap());
    let node = home.space.nodes(&NodeFilter::default(), 10).unwrap().items.remove(0);
    assert_eq!(node.id, home.space.resolve("nd_1").unwrap());
    assert_eq!(node.payload["title"], "Celadon");
    let edges = home.space.edges(&EdgeFilter::default(), 10).unwrap().items;
    let replaced = edges.iter().find(|edge| edge.edge_type == "supersedes").unwrap();
    assert_eq!((replaced.from, replaced.to), (new.id, old.id), "from the new to the old");
    assert_eq!(replaced.notes, "since January");
    assert_eq!(replaced.visibility, kernel::evidence::Visibility::Private, "as its stricter end");
}

#[test]
fn case_38_given_a_torn_tail_then_the_import_reports_it_and_goes_on_when_the_file_does() {
    let (mut home, mut mi) = (Home::new(), MiHome::new());
    mi.event("ev_1", json!({}));
    mi.claim("cl_1", "The kiln has four shelves.", json!({}));
    let file = "projects/p1/thoughtdb/claims.jsonl";
    let whole = json!({ "kind": "claim", "claim_id": "cl_2", "claim_type": "goal", "text": "Fire to cone ten.",
        "source_refs": [{ "event_id": "ev_1" }] })
    .to_string();
    let (written, rest) = whole.split_at(whole.len() / 2);
    mi.append(file, written.as_bytes());
    let report = import(&mut home.space, &mi);
    assert_eq!(
        problems(&report),
        "claims.jsonl:2: the line ends within a JSON value, as a write that was interrupted leaves it; it was left out\n"
    );
    assert_eq!(report.graph.unwrap().claims.added, 1);
    mi.append(file, format!("{rest}\n").as_bytes());
    mi.claim("cl_3", "The shelves are washed.", json!({}));
    let report = import(&mut home.space, &mi);
    assert_eq!((report.problem_count, report.graph.unwrap().claims.added), (0, 2));
}

#[test]
fn case_39_given_a_missing_event_or_end_then_the_line_is_refused_and_the_rest_goes_in() {
    let (mut home, mut mi) = (Home::new(), MiHome::new());
    mi.event("ev_1", json!({}));
    mi.claim(
        "cl_ghost",
        "It stands on nothing.",
        json!({ "source_refs": [{ "event_id": "ev_9" }] }),
    );
    mi.claim("cl_bare", "It cites nothing.", json!({ "source_refs": [] }));
    mi.claim("cl_1", "The kiln has four shelves.", json!({}));
    mi.edge("supports", "cl_1", "cl_nowhere", json!({}));
    mi.edge("supports", "cl_ghost", "cl_1", json!({}));
    mi.edge("supports", "ev_1", "cl_1", json!({ "source_refs": [{ "event_id": "ev_8" }] }));
    mi.edge("supports", "ev_1", "cl_1", json!({}));
    mi.retract("cl_nowhere");
    let report = import(&mut home.space, &mi);
    assert_eq!(
        problems(&report),
        "claims.jsonl:1: it cites the event \"ev_9\", which is not there (unknown_ref)\n\
         claims.jsonl:2: a claim, a node or an edge cites at least one input (empty_inputs)\n\
         edges.jsonl:1: \"cl_nowhere\" is neither a record nor an event that is there (unknown_ref)\n\
         edges.jsonl:2: \"cl_ghost\" is neither a record nor an event that is there (unknown_ref)\n\
         edges.jsonl:3: it cites the event \"ev_8\", which is not there (unknown_ref)\n\
         claims.jsonl:4: \"cl_nowhere\" is neither a record nor an event that is there (unknown_ref)\n"
    );
    let graph = report.graph.unwrap();
    assert_eq!((graph.claims.added, graph.edges.added), (1, 1));
}

#[test]
fn lines_that_do_not_belong_to_the_format_are_named_and_left_out() {
    let (mut home, mut mi) = (Home::new(), MiHome::new());
    mi.event("ev_1", json!({}));
    mi.event("ev_1", json!({ "answer": "Something else." }));
    mi.event("ev_2", json!({ "visibility": "secret" }));
    mi.claim("cl_1", "One.", json!({ "claim_type": "wish" }));
    mi.claim("cl_2", "Two.", json!({ "scope": "galaxy" }));
    mi.claim("cl_3", "Three.", json!({ "visibility": "everybody" }));
    mi.claim("cl_4", "Four.", json!({ "status": "asleep" }));
    mi.claim("cl_5", "Five.", json!({ "valid_from": "2026-02-01", "valid_to": "2026-01-01" }));
    mi.claim("cl_6", "Six.", json!({ "valid_from": "soon" }));
    mi.claim("", "Seven.", json!({}));
    mi.claim("cl_8", "  ", json!({}));
    mi.claim("cl_9", "Nine.", json!({ "kind": "claim_dream" }));
    mi.claim("cl_10", "Ten.", json!({ "source_refs": "ev_1" }));
    mi.edge("causes", "cl_1", "cl_2", json!({}));
    let file = "projects/p1/thoughtdb/claims.jsonl";
    mi.append(file, b"[1, 2]\nnot json\n{\"kind\": \"claim\", \"text\": \"\xff\"}\n");
    mi.append(file, format!("{}1{}\n", "[".repeat(5_000), "]".repeat(5_000)).as_bytes());
    mi.append(file, &[vec![b'x'; 17 << 20], b"\n".to_vec()].concat());
    mi.claim("cl_last", "The last line.", json!({ "unknown_field": { "deep": [1] } }));
    let report = import(&mut home.space, &mi);
    let expected = [
        "evidence.jsonl:2: the event \"ev_1\" is there already with another content; this line was left out",
        "evidence.jsonl:3: \"secret\" is not a visibility: private, project and global are",
        "claims.jsonl:1: \"wish\" is not a type of claim: write one of fact, preference, assumption, goal",
        "claims.jsonl:2: \"galaxy\" is not a scope: project and global are",
        "claims.jsonl:3: \"everybody\" is not a visibility: private, project and global are",
        "claims.jsonl:4: \"asleep\" is not a status: active, superseded and retracted are",
        "claims.jsonl:5: its window of validity ends (2026-01-01) before it begins (2026-02-01)",
        "claims.jsonl:6: its valid_from is not a time: \"soon\"",
        "claims.jsonl:7: it has no claim_id",
        "claims.jsonl:8: it has no text",
        "claims.jsonl:9: \"claim_dream\" is not a kind of line here",
        "claims.jsonl:10: its source_refs are not a list",
        "claims.jsonl:11: not a JSON object",
    ];
    let found = problems(&report);
    for (expected, found) in expected.iter().zip(found.lines()) {
        assert!(found.starts_with(expected), "{found}\n{expected}");
    }
    assert_eq!(report.problem_count, 18, "{found}");
    assert_eq!(report.graph.unwrap().claims.added, 1);
    assert_eq!(status(&home.space, "cl_last"), "active");
}

#[test]
fn rings_and_self_edges_are_refused_and_everything_stays_visible() {
    let (mut home, mut mi) = (Home::new(), MiHome::new());
    mi.event("ev_1", json!({}));
    for id in ["cl_a", "cl_b", "cl_c"] {
        mi.claim(id, &format!("It is {id}."), json!({}));
    }
    mi.edge("same_as", "cl_a", "cl_b", json!({}));
    mi.edge("same_as", "cl_b", "cl_a", json!({}));
    mi.edge("supersedes", "cl_c", "cl_c", json!({}));
    mi.edge("supports", "cl_c", "cl_c", json!({}));
    mi.edge("same_as", "cl_c", "ev_1", json!({}));
    let report = import(&mut home.space, &mi);
    let codes: Vec<String> = problems(&report)
        .lines()
        .map(|line| line.rsplit_once('(').unwrap().1.trim_end_matches(')').to_owned())
        .collect();
    assert_eq!(codes, ["cycle", "self_edge", "self_edge", "different_kinds"]);
    assert_eq!(statuses(&home.space, &["cl_a", "cl_b", "cl_c"]), ["alias", "active", "active"]);
}

#[test]
fn what_the_source_took_back_is_taken_back_whatever_else_happened_to_it() {
    let (mut home, mut mi) = (Home::new(), MiHome::new());
    mi.event("ev_1", json!({}));
    // Replaced, then retracted (case 13): its lines come before those of the edges.
    mi.claim("cl_a", "The shelf is oak.", json!({}));
    mi.claim("cl_b", "The shelf is pine.", json!({}));
    mi.edge("supersedes", "cl_a", "cl_b", json!({}));
    mi.retract("cl_a");
    // Marked in its own line, and replaced without a replacement.
    mi.claim("cl_c", "The door is red.", json!({ "status": "retracted" }));
    mi.claim("cl_d", "The door is blue.", json!({ "status": "superseded" }));
    // Retracted, and stated again under another id.
    mi.claim("cl_e", "The wheel is new.", json!({}));
    mi.retract("cl_e");
    mi.claim("cl_f", "the wheel  is NEW.", json!({}));
    // A duplicate that was retracted does not take the other one back.
    mi.claim("cl_g", "The clay is grey.", json!({}));
    mi.claim("cl_h", "The clay is grey.", json!({}));
    mi.retract("cl_h");
    let report = import(&mut home.space, &mi);
    assert_eq!(problems(&report), "");
    let uids = ["cl_a", "cl_b", "cl_c", "cl_d", "cl_e", "cl_f", "cl_g", "cl_h"];
    assert_eq!(
        statuses(&home.space, &uids),
        [
            "retracted",
            "active",
            "retracted",
            "retracted",
            "retracted",
            "active",
            "active",
            "active"
        ]
    );
    assert_eq!(record(&home.space, "cl_g").id, record(&home.space, "cl_h").id);
}

#[test]
fn case_35_given_a_setting_that_was_changed_and_changed_back_then_the_first_value_holds() {
    let (mut home, mut mi) = (Home::new(), MiHome::new());
    mi.event("ev_1", json!({}));
    mi.claim(
        "cl_ask",
        "MI setting: ask_when_uncertain = ask",
        json!({ "tags": ["mi:setting:ask_when_uncertain"] }),
    );
    mi.claim(
        "cl_go",
        "MI setting: ask_when_uncertain = proceed",
        json!({ "tags": ["mi:setting:ask_when_uncertain"] }),
    );
    // The source keeps the first claim, and lets it replace its replacement.
    mi.edge("supersedes", "cl_ask", "cl_go", json!({}));
    mi.edge("supersedes", "cl_go", "cl_ask", json!({}));
    let report = import(&mut home.space, &mi);
    assert_eq!(problems(&report), "");
    assert_eq!(statuses(&home.space, &["cl_ask", "cl_go"]), ["active", "superseded"]);
    mi.edge("supersedes", "cl_ask", "cl_go", json!({}));
    mi.claim("cl_third", "MI setting: ask_when_uncertain = never", json!({}));
    mi.edge("supersedes", "cl_go", "cl_third", json!({}));
    let report = import(&mut home.space, &mi);
    assert_eq!(
        statuses(&home.space, &["cl_ask", "cl_go", "cl_third"]),
        ["superseded", "superseded", "active"],
        "{}",
        problems(&report)
    );
}

#[test]
fn what_was_stated_here_is_not_stated_again_nor_taken_back_by_the_source() {
    let (mut home, mut mi) = (Home::new(), MiHome::new());
    let note = id_of(home.remember("n", "The kiln has four shelves, I counted."));
    let statement = Statement {
        inputs: vec![(Reference::Id(note), Role::parse("input").unwrap())],
        ..Statement::new(RecordType::Claim("fact".to_owned()), "The kiln has four shelves.")
    };
    let change = NamedChange::from(GraphChange::State(Box::new(statement)));
    let own = home.space.change_graph(&[change], None, Intent::Write, at(5)).unwrap().stand_for[0];
    mi.event("ev_1", json!({}));
    mi.claim("cl_1", "the kiln has FOUR shelves.", json!({}));
    mi.claim("cl_3", "the kiln has FOUR shelves.", json!({ "valid_to": "2026-03-01T00:00:00Z" }));
    mi.claim("cl_2", "The fifth is broken.", json!({}));
    mi.edge("supports", "cl_2", "cl_1", json!({}));
    mi.retract("cl_1");
    let report = import(&mut home.space, &mi);
    assert!(problems(&report).contains("was stated here and stays"), "{}", problems(&report));
    let other = "its text was stated here with another validity, which stays";
    assert!(problems(&report).contains(other), "{}", problems(&report));
    let view = home.space.record_view(&own, None).unwrap().unwrap();
    assert_eq!((view.status, view.deriver), (Some("active"), None));
    let edges = home.space.edges(&EdgeFilter { to: Some(own), ..EdgeFilter::default() }, 10);
    assert_eq!(edges.unwrap().items.len(), 1);
}

#[test]
fn a_text_that_holds_at_other_times_is_a_new_version() {
    let (mut home, mut mi) = (Home::new(), MiHome::new());
    mi.event("ev_1", json!({}));
    mi.claim("cl_1", "The shop is open.", json!({ "valid_to": "2026-01-03T00:00:00Z" }));
    mi.claim("cl_2", "The shop is open.", json!({ "valid_from": "2026-01-04T00:00:00Z" }));
    mi.claim("cl_3", "the shop is OPEN.", json!({ "valid_from": "2026-01-04T00:00:00+00:00" }));
    let report = import(&mut home.space, &mi);
    assert_eq!(problems(&report), "");
    assert_eq!(
        statuses(&home.space, &["cl_1", "cl_2", "cl_3"]),
        ["superseded", "active", "active"]
    );
    let (old, new) = (record(&home.space, "cl_1"), record(&home.space, "cl_2"));
    assert_eq!((old.valid_from.is_none(), old.valid_to.is_none()), (true, false));
    assert_eq!((new.valid_from.is_none(), new.valid_to.is_none()), (false, true));
    assert_eq!(record(&home.space, "cl_3").id, new.id);
    // A part that comes later.
    let mut later = MiHome::new();
    later.event("ev_1", json!({}));
    later.claim("cl_4", "The shop is open.", json!({ "valid_from": "2026-02-01T00:00:00Z" }));
    assert_eq!(problems(&import(&mut home.space, &later)), "");
    assert_eq!(statuses(&home.space, &["cl_2", "cl_4"]), ["superseded", "active"]);
}

#[test]
fn parts_of_a_home_are_imported_alone_and_find_each_other() {
    let (mut home, mut mi) = (Home::new(), MiHome::new());
    mi.global(
        "global/evidence.jsonl",
        json!({ "kind": "values_set", "event_id": "ev_g", "ts": "2026-02-17T09:00:00Z", "payload": {} }),
    );
    mi.global(
        "thoughtdb/global/claims.jsonl",
        json!({ "claim_id": "cl_g", "claim_type": "goal", "text": "Waste no glaze.", "source_refs": ["ev_g"] }),
    );
    mi.event("ev_1", json!({}));
    mi.claim("cl_1", "The bucket is half full.", json!({}));
    mi.edge("supports", "cl_1", "cl_g", json!({}));
    let global = import_from(&mut home.space, &mi.path().join("thoughtdb/global"), Intent::Write);
    assert_eq!((global.tally.added, global.graph.unwrap().claims.added), (1, 1));
    let same = import_from(&mut home.space, &mi.path().join("global"), Intent::Write);
    assert_eq!((same.tally.present, same.graph.unwrap().claims.present), (1, 1));
    let project = import_from(&mut home.space, &mi.path().join("projects/p1"), Intent::Write);
    assert_eq!(problems(&project), "", "the other end was imported before");
    assert_eq!(project.graph.unwrap().edges.added, 1);
    let graph = import(&mut home.space, &mi).graph.unwrap();
    assert_eq!((graph.added(), graph.present()), (0, 3));
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let (mut home, mut mi) = (Home::new(), MiHome::new());
    mi.event("ev_1", json!({}));
    mi.claim("cl_1", "It is here.", json!({}));
    let elsewhere = tempfile::tempdir().unwrap();
    let secret = json!({ "kind": "user_input", "event_id": "ev_x", "answer": "elsewhere" });
    fs::write(elsewhere.path().join("evidence.jsonl"), format!("{secret}\n")).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), mi.path().join("projects/p2")).unwrap();
    std::os::unix::fs::symlink(
        elsewhere.path().join("evidence.jsonl"),
        mi.file("projects/p1/thoughtdb/nodes.jsonl"),
    )
    .unwrap();
    let report = import(&mut home.space, &mi);
    assert_eq!(problems(&report), "nodes.jsonl:: a symbolic link, which is not followed\n");
    assert_eq!(report.tally.added, 1);
}

#[test]
fn what_was_forgotten_stays_forgotten_with_its_edges() {
    let (mut home, mut mi) = (Home::new(), MiHome::new());
    mi.event("ev_1", json!({}));
    mi.claim("cl_1", "A thing nobody should know.", json!({}));
    mi.claim("cl_2", "A thing that everybody may know.", json!({}));
    mi.edge("supports", "cl_1", "cl_2", json!({}));
    import(&mut home.space, &mi);
    // Claims that a program made go with the records that they were made from.
    let event = home.space.resolve("ev_1").unwrap();
    forget(&mut home.space, &[event]);
    let report = import(&mut home.space, &mi);
    let graph = report.graph.unwrap();
    assert_eq!((report.tally.forgotten, graph.added()), (1, 0), "{}", problems(&report));
    assert!(home.space.resolve("cl_1").is_err());
}
