//! Maintenance over HTTP.

use serde_json::json;

use super::{remember, served, token};

#[test]
fn a_token_that_speaks_for_the_person_archives_erases_and_restores() {
    let (machine, server, all) = served();
    let id = remember(&server, &all, "Petra is allergic to walnuts.");
    let ask = |token: &str, mut body: serde_json::Value| {
        if body["operation"] != "mark" {
            body["older_than_days"] = json!(0);
        }
        server.post("/api/v1/maintenance", token, &body)
    };
    let reader = token(&machine, "reader", &[".:read"]);
    ask(&reader, json!({ "operation": "mark", "ids": [id] })).fails(403, "FORBIDDEN");
    let marked = ask(&all, json!({ "operation": "mark", "ids": [id, "b3:0000"] })).succeeds();
    assert_eq!((&marked["count"], &marked["skipped"][0]["why"]), (&json!(1), &json!("unknown")));
    let list = ask(&reader, json!({ "operation": "list_removals" })).succeeds();
    assert_eq!(list["removals"][0]["id"], json!(id));
    ask(&all, json!({ "operation": "finalize_removal" })).fails(409, "NOT_ARCHIVED");
    let try_it = json!({ "operation": "export_removals", "dry_run": true });
    assert_eq!(ask(&reader, try_it).succeeds()["records"], 1);
    ask(&reader, json!({ "operation": "export_removals" })).fails(403, "FORBIDDEN");
    let exported = ask(&all, json!({ "operation": "export_removals" })).succeeds();
    let archive = exported["file"].as_str().unwrap();
    assert!(!archive.contains('/') && archive.ends_with(".parquet"), "{exported}");
    let done = ask(&all, json!({ "operation": "finalize_removal" })).succeeds();
    assert_eq!(done["records"], 1, "{done}");
    for name in ["../secret", "/etc/passwd", "none.parquet"] {
        ask(&all, json!({ "operation": "restore", "archive": name })).fails(404, "ARCHIVE_MISSING");
    }
    let restored = ask(&all, json!({ "operation": "restore", "archive": archive })).succeeds();
    assert_eq!(restored["restored"], 1, "{restored}");
    assert_eq!(ask(&reader, json!({ "operation": "health" })).succeeds()["sound"], true);
    let unnamed = ask(&all, json!({ "operation": "restore" })).fails(400, "VALIDATION_ERROR");
    assert!(unnamed["error"]["message"].as_str().unwrap().contains("`archive`"), "{unnamed}");
    ask(&all, json!({ "operation": "destroy" })).fails(400, "VALIDATION_ERROR");
    ask(&all, json!({ "operation": "health", "limit": 0 })).fails(400, "VALIDATION_ERROR");
    machine.is_sound();
}
