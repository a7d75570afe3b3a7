//! The knowledge graph on the command line: search, neighbours, paths, exports.

use serde_json::{Value, json};

use crate::machine::Machine;
use crate::mcp::host::Host;

fn run(machine: &Machine, arguments: &[&str]) -> Value {
    machine.because(["--json"]).arguments(arguments).run().succeeds().json()
}

fn id_of(value: &Value) -> String {
    value["id"].as_str().unwrap().to_owned()
}

fn entity(machine: &Machine, name: &str) -> String {
    id_of(&run(machine, &["node", "add", "--type", "entity", name]))
}

fn join(machine: &Machine, edge_type: &str, from: &str, to: &str) -> String {
    id_of(&run(machine, &["edge", "add", "--type", edge_type, "--from", from, "--to", to]))
}

/// A studio that depends on a kiln, the kiln on gas; a decision that mentions the kiln.
fn studio(machine: &Machine) -> [String; 4] {
    let studio = entity(machine, "Orin Studio");
    let kiln = entity(machine, "the kiln");
    let gas = entity(machine, "Gas & Co");
    let add = ["node", "add", "--type", "decision", "We fire on \"Fridays\", <early>"];
    let decision = id_of(&run(machine, &add));
    join(machine, "depends_on", &studio, &kiln);
    join(machine, "depends_on", &kiln, &gas);
    join(machine, "mentions", &decision, &kiln);
    [studio, kiln, gas, decision]
}

fn texts(records: &Value) -> Vec<&str> {
    records.as_array().unwrap().iter().map(|record| record["text"].as_str().unwrap()).collect()
}

#[test]
fn what_is_around_a_record_is_what_is_true_now_or_as_of_the_time_asked_for() {
    let machine = Machine::with_space();
    let [_, kiln, ..] = studio(&machine);
    let window = ["--valid-from", "2019-01-01", "--valid-to", "2020-01-01"];
    let rent = ["claim", "add", "We rent the kiln."];
    let rented = id_of(&run(&machine, &[&rent[..], &window].concat()));
    join(&machine, "mentions", &rented, &kiln);
    for command in [
        &["kg", "show", &kiln][..],
        &["kg", "neighbours", &kiln],
        &["node", "show", &kiln, "--graph"],
        &["kg", "path", &kiln, &rented],
    ] {
        let is_joined = |more: &[&str]| {
            run(&machine, &[command, more].concat()).to_string().contains("mentions")
        };
        // The decision mentions the kiln at any time.
        let is_path = command[1] == "path";
        assert!(is_joined(&["--valid-at", "2019-06-01"]), "{command:?}");
        assert_eq!(is_joined(&[]), !is_path, "{command:?}");
        let now = run(&machine, command).to_string();
        assert!(!now.contains("rent the kiln"), "{now}");
    }
    let mut host = Host::named(&machine, "claude-code", &json!({}));
    let around = host.gets("graph", json!({ "around": [kiln] }));
    let near = run(&machine, &["kg", "neighbours", &kiln]);
    let mut shown = [texts(&around["records"]), texts(&near["records"])];
    shown.iter_mut().for_each(|texts| texts.sort_unstable());
    assert_eq!(shown[0], shown[1]);
    host.leaves();
}

#[test]
fn an_entity_is_found_by_its_name_by_another_name_and_by_words() {
    let machine = Machine::with_space();
    let [_, kiln, ..] = studio(&machine);
    let oven = entity(&machine, "Öfchen");
    join(&machine, "same_as", &oven, &kiln);
    let found = |arguments: &[&str]| {
        let call = machine.because(["--json", "kg", "search"]).arguments(arguments);
        let lines = call.run().succeeds().json_lines();
        lines.iter().map(|line| line["text"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(found(&["THE  kiln"])[0], "the kiln");
    assert_eq!(found(&["öfchen"]), ["the kiln"], "another name of it");
    assert_eq!(found(&["studio"]), ["Orin Studio"]);
    assert_eq!(found(&["fire on Fridays"]), Vec::<String>::new(), "entities alone");
    assert_eq!(found(&["fire on Fridays", "--all"])[0], "We fire on \"Fridays\", <early>");
    assert_eq!(found(&["kiln", "--as-of", "2020-01-01"]), Vec::<String>::new());
    let empty = machine.because(["--json", "kg", "search", " "]).run();
    assert_eq!(empty.ends(2).error_code(), "empty_question");
    let shown = run(&machine, &["kg", "show", "öfchen"]);
    assert_eq!(id_of(&shown), kiln);
    assert_eq!(texts(&shown["aliases"]), ["Öfchen"]);
    assert_eq!(shown["edges"].as_array().unwrap().len(), 3, "{shown}");
    assert_eq!(shown["sources"][0]["kind"], "evidence");
    machine.because(["kg", "show", "the kiln"]).run().succeeds().prints("also called");
    let unknown = machine.because(["--json", "kg", "show", "The Moon"]).run();
    assert_eq!(unknown.ends(1).error_code(), "unknown_entity");
}

#[test]
fn what_is_around_a_record_is_bounded_by_depth_number_and_types() {
    let machine = Machine::with_space();
    let [studio, ..] = studio(&machine);
    let around = |arguments: &[&str]| {
        run(&machine, &[&["kg", "neighbours", "orin studio"], arguments].concat())
    };
    assert_eq!(texts(&around(&[])["records"]), ["Orin Studio", "the kiln"]);
    let deep = around(&["--depth", "2"]);
    assert_eq!(deep["records"].as_array().unwrap().len(), 4);
    assert_eq!(deep["edges"].as_array().unwrap().len(), 3);
    let typed = around(&["--depth", "3", "--type", "depends_on"]);
    assert_eq!(texts(&typed["records"]), ["Orin Studio", "the kiln", "Gas & Co"]);
    assert_eq!(around(&["--depth", "3", "-n", "1"])["cut"], true);
    let by_id = run(&machine, &["kg", "neighbours", &studio[..12]]);
    assert_eq!(by_id["root"], json!(studio));
}

#[test]
fn a_path_is_the_shortest_and_shows_edges_as_they_point() {
    let machine = Machine::with_space();
    let [_, kiln, gas, decision] = studio(&machine);
    let path = |arguments: &[&str]| run(&machine, &[&["kg", "path"], arguments].concat());
    let found = path(&["Gas & Co", &decision]);
    assert_eq!(found["found"], true);
    assert_eq!(
        texts(&found["records"]),
        ["Gas & Co", "the kiln", "We fire on \"Fridays\", <early>"]
    );
    assert_eq!(
        (&found["edges"][0]["from"], &found["edges"][0]["to"]),
        (&json!(kiln), &json!(gas)),
        "against its direction"
    );
    let short = path(&["orin studio", "gas & co", "--depth", "1"]);
    assert_eq!((&short["found"], &short["cut"]), (&false.into(), &true.into()));
    let typed = path(&[&decision, "gas & co", "--type", "depends_on"]);
    assert_eq!((&typed["found"], &typed["cut"]), (&false.into(), &false.into()));
    assert_eq!(path(&["the kiln", "THE KILN"])["records"].as_array().unwrap().len(), 1);
    machine
        .because(["kg", "path", "orin studio", "gas & co"])
        .run()
        .succeeds()
        .prints("depends_on");
    machine
        .because(["kg", "path", "orin studio", "gas & co", "--as-of", "2020-01-01"])
        .run()
        .ends(1);
    let lone = entity(&machine, "Nobody");
    machine.because(["kg", "path", &lone, "the kiln"]).run().succeeds().prints("No path");
}

#[test]
fn every_format_holds_every_record_and_escapes_what_texts_say() {
    let machine = Machine::with_space();
    studio(&machine);
    let hostile = "]]>\"\\n'); <!-- & \u{1b}[2J \u{202e} =1+1, 粘土";
    let clay = entity(&machine, hostile);
    let kiln = id_of(&run(&machine, &["kg", "show", "the kiln"]));
    join(&machine, "supports", &clay, &kiln);
    let export = |arguments: &[&str]| {
        machine.because(["kg", "export", "--format"]).arguments(arguments).run().succeeds().out()
    };
    let linked: Value = serde_json::from_str(&export(&["json-ld"])).unwrap();
    let items = linked["@graph"].as_array().unwrap();
    let names: Vec<&str> = items.iter().filter_map(|item| item["name"].as_str()).collect();
    assert_eq!(names.len(), 5);
    assert!(names.contains(&hostile), "{names:?}");
    let edges = items.iter().filter(|item| item["@type"] == "Edge");
    assert_eq!(edges.count(), 4);
    let xml = export(&["graphml"]);
    assert!(xml.contains("]]&gt;") && xml.contains("Gas &amp; Co") && !xml.contains('\u{1b}'));
    assert_eq!(xml.matches("<node id=").count(), 5);
    assert_eq!(xml.matches("<edge id=").count(), 4);
    let dot = export(&["dot"]);
    assert!(dot.contains(r#"]]>\"\\n')"#) && !dot.contains('\u{1b}'), "{dot}");
    let nodes = export(&["csv", "--table", "nodes"]);
    assert!(nodes.starts_with("id,type,name,entity_type,"), "{nodes}");
    assert!(nodes.contains(r#","We fire on ""Fridays"", <early>","#), "{nodes}");
    assert_eq!(nodes.matches("\r\n").count(), 6);
    let refused = machine.because(["--json", "kg", "export", "--format", "csv"]).run();
    assert_eq!(refused.ends(2).error_code(), "two_tables");
    let folder = machine.work().join("tables");
    let out = folder.to_str().unwrap();
    let written = run(&machine, &["kg", "export", "--format", "csv", "--out", out]);
    assert_eq!((&written["nodes"], &written["edges"]), (&5.into(), &4.into()));
    assert_eq!(std::fs::read_to_string(folder.join("nodes.csv")).unwrap(), nodes);
    let edges = std::fs::read_to_string(folder.join("edges.csv")).unwrap();
    assert_eq!(edges.matches("depends_on").count(), 2);
    let entities = export(&["csv", "--table", "edges", "--type", "entity"]);
    assert_eq!(entities.matches("\r\n").count(), 4, "an edge is there with both of its ends");
    let stated = export(&["csv", "--table", "nodes", "--type", "routine", "--type", "decision"]);
    assert_eq!(stated.matches("\r\n").count(), 2);
    for arguments in [
        ["kg", "export", "--format", "dot", "--type", "zork"].as_slice(),
        &["claims", "--type", "zork"],
    ] {
        let refused = machine.because(["--json"]).arguments(arguments).run().ends(2);
        assert_eq!(refused.error_code(), "usage");
        assert!(refused.err().contains("routine"), "{}", refused.err());
    }
    let past = export(&["csv", "--table", "nodes", "--as-of", "2020-01-01"]);
    assert_eq!(past.matches("\r\n").count(), 1);
}

#[test]
fn what_is_private_is_exported_when_it_is_asked_for() {
    let machine = Machine::with_space();
    let add = ["node", "add", "--type", "entity", "Zirconquokka", "--visibility", "private"];
    let secret = id_of(&run(&machine, &add));
    let kiln = entity(&machine, "the kiln");
    join(&machine, "mentions", &kiln, &secret);
    for format in ["json-ld", "graphml", "dot"] {
        let open = machine.because(["kg", "export", "--format", format]).run().succeeds().out();
        assert!(!open.contains("Zirconquokka") && !open.contains(&secret), "{open}");
        let all = machine.because(["kg", "export", "--format", format, "--private"]);
        assert!(all.run().succeeds().out().contains("Zirconquokka"));
    }
}

#[test]
fn a_project_reads_the_home_space_under_it_and_hides_what_it_has_itself() {
    let machine = Machine::with_space();
    let global = |name: &str| {
        let add = ["node", "add", "--type", "entity", name, "--scope", "global"];
        id_of(&run(&machine, &add))
    };
    let (mara, idris) = (global("Mara"), global("Idris"));
    let home = ["--space", "global", "edge", "add", "--type", "mentions"];
    run(&machine, &[&home[..], &["--from", &mara, "--to", &idris]].concat());
    let near = run(&machine, &["kg", "neighbours", "mara"]);
    assert_eq!(
        (texts(&near["records"]), &near["scope"]),
        (vec!["Mara", "Idris"], &"global".into())
    );
    assert_eq!(run(&machine, &["kg", "path", "mara", "idris"])["found"], true);
    let own = entity(&machine, "mara");
    assert_eq!(id_of(&run(&machine, &["kg", "show", "Mara"])), own);
    assert_eq!(run(&machine, &["kg", "path", "mara", "idris"])["found"], false);
    let export = machine.because(["kg", "export", "--format", "csv", "--table", "nodes"]);
    let out = export.run().succeeds().out();
    assert!(out.contains(&own) && out.contains(&idris) && !out.contains(&mara), "{out}");
}

#[test]
fn an_empty_space_has_an_empty_graph() {
    let machine = Machine::with_space();
    machine.because(["kg", "search", "anything"]).run().succeeds().prints("Nothing is found");
    for format in ["json-ld", "graphml", "dot"] {
        machine.because(["kg", "export", "--format", format]).run().succeeds();
    }
    machine.because(["kg", "path", "a", "b"]).run().ends(1);
}
