//! Maintenance as a tool.

use serde_json::json;

use super::host::Host;
use crate::machine::Machine;

#[test]
fn an_agent_looks_and_tries_and_does_what_the_user_allows() {
    let machine = Machine::with_space();
    let start = || Host::named(&machine, "claude-code", &json!({}));
    let mut host = start();
    let note = host.gets("remember", json!({ "text": "Petra is allergic to walnuts." }));
    let id = note["id"].as_str().unwrap().to_owned();
    let mark = json!({ "operation": "mark", "ids": [id] });
    let tried = host.gets("maintenance_ops", mark.clone());
    assert_eq!((&tried["status"], &tried["report"]["count"]), (&json!("proposed"), &json!(1)));
    let listed = |host: &mut Host| {
        let list = host.gets("maintenance_ops", json!({ "operation": "list-removals" }));
        list["report"]["removals"].as_array().unwrap().len()
    };
    assert_eq!(listed(&mut host), 0);
    let health = host.gets("maintenance_ops", json!({ "operation": "health" }));
    assert_eq!((&health["status"], &health["report"]["sound"]), (&json!("done"), &json!(true)));
    host.fails("nothing_selected", "maintenance_ops", json!({ "operation": "mark" }));
    host.fails("no_archive", "maintenance_ops", json!({ "operation": "restore" }));
    host.leaves();
    let config = machine.home().join("config.toml");
    std::fs::write(config, "[agents]\nallow = [\"claude-code:maintenance_ops\"]\n").unwrap();
    let mut host = start();
    assert_eq!(host.gets("maintenance_ops", mark)["status"], "done");
    assert_eq!(listed(&mut host), 1);
    let export = json!({ "operation": "export_removals", "older_than_days": 0 });
    let exported = host.gets("maintenance_ops", export);
    assert_eq!(exported["report"]["records"], 1, "{exported}");
    let finalize = json!({ "operation": "finalize_removal", "older_than_days": 0 });
    assert_eq!(host.gets("maintenance_ops", finalize)["report"]["records"], 1);
    host.leaves();
    machine.is_sound();
}
