//! `because token`: what is kept, and when a token counts.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{Server, token};
use crate::machine::Machine;

#[test]
fn a_token_is_printed_once_and_kept_as_a_hash_that_nobody_else_reads() {
    let machine = Machine::with_space();
    let secret = token(&machine, "ci", &[".:read"]);
    let folder = machine.home().join("tokens");
    for file in std::fs::read_dir(&folder).unwrap().flatten() {
        let bytes = std::fs::read(file.path()).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains(&secret), "{:?}", file.path());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o077, 0);
        }
    }
    let listed = machine.because(["--json", "token", "list"]).run().succeeds();
    assert_eq!(listed.json()["grants"][0]["rights"], json!(["read"]));
    assert!(!listed.out().contains(&secret));
}

#[test]
fn a_token_that_may_only_read_changes_nothing_in_the_ledger_when_it_is_made() {
    let machine = Machine::with_space();
    let log = || machine.because(["log", "-n", "0", "--json"]).run().succeeds().json_lines().len();
    let before = log();
    token(&machine, "reader", &[".:read"]);
    assert_eq!(log(), before);
    token(&machine, "writer", &[".:append,derive"]);
    assert_eq!(log(), before + 1);
    machine.is_sound();
}

#[test]
fn wrong_requests_for_tokens_are_refused() {
    let machine = Machine::with_space();
    let create = |name: &str, grant: &str| {
        machine.because(["token", "create", "--name", name, "--grant", grant]).run().code()
    };
    assert_eq!(create("user", ".:read"), 2);
    assert_eq!(create("", ".:read"), 2);
    assert_eq!(create("a", ".:admin"), 2);
    assert_eq!(create("a", "."), 2);
    assert_eq!(create("a", "nowhere.db:read"), 1);
    let unknown = machine.because(["--json", "token", "revoke", "nobody"]).run().ends(1);
    assert_eq!(unknown.error_code(), "no_such_token");
    assert!(machine.because(["--json", "token", "list"]).run().succeeds().out.is_empty());
    // Of two tokens of a name, one is named by its id.
    assert_eq!([create("twin", ".:read"), create("twin", ".:read")], [0, 0]);
    let several = machine.because(["--json", "token", "revoke", "twin"]).run().ends(2);
    assert_eq!(several.error_code(), "ambiguous_token");
    let listed = machine.because(["--json", "token", "list"]).run().succeeds();
    let first: serde_json::Value =
        serde_json::from_str(listed.out().lines().next().unwrap()).unwrap();
    machine.because(["token", "revoke", first["id"].as_str().unwrap()]).run().succeeds();
    machine.because(["token", "revoke", "twin"]).run().succeeds();
    let listed = machine.because(["--json", "token", "list"]).run().succeeds();
    assert!(!listed.out().contains("\"active\""), "{}", listed.out());
}

#[test]
fn a_revoked_or_ended_token_is_refused_at_once() {
    let machine = Machine::with_space();
    let lasting = token(&machine, "lasting", &[".:read,append"]);
    let ended = machine
        .because(["--json", "token", "create", "--name", "ended", "--grant", ".:read"])
        .arguments(["--expires", "2025-01-01"])
        .run()
        .succeeds()
        .json();
    let server = Server::start(&machine);
    server.get("/api/v1/status", &lasting).succeeds();
    let refused = server.get("/api/v1/status", ended["token"].as_str().unwrap());
    refused.fails(401, "UNAUTHORIZED");
    assert_eq!(refused.header("www-authenticate"), Some("bearer"));
    let revoked = machine.because(["--json", "token", "revoke", "lasting"]).run().succeeds().json();
    assert_eq!((&revoked["status"], &revoked["not_taken_back"]), (&json!("revoked"), &json!([])));
    server.get("/api/v1/status", &lasting).fails(401, "UNAUTHORIZED");
    let said = json!({ "text": "too late" });
    server.post("/api/v1/remember", &lasting, &said).fails(401, "UNAUTHORIZED");
    machine.is_sound();
}

#[test]
fn a_thousand_tokens_cost_a_request_nothing() {
    let machine = Machine::with_space();
    let first = token(&machine, "first", &[".:read"]);
    let folder = machine.home().join("tokens");
    let known = std::fs::read_dir(&folder).unwrap().flatten();
    let known = known.map(|file| file.path()).find(|path| path.extension().is_none()).unwrap();
    let text = std::fs::read_to_string(&known).unwrap();
    for number in 0..1_000 {
        std::fs::write(folder.join(format!("{number:016x}")), &text).unwrap();
    }
    let server = Server::start(&machine);
    server.get("/api/v1/status", &first).succeeds();
    let begun = Instant::now();
    server.get("/api/v1/status", &first).succeeds();
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
}

#[test]
fn nothing_but_a_whole_token_in_the_right_header_is_accepted() {
    let machine = Machine::with_space();
    let good = token(&machine, "a", &[".:read"]);
    let server = Server::start(&machine);
    let mut other = good.clone();
    let last = other.pop().unwrap();
    other.push(if last == 'A' { 'B' } else { 'A' });
    let short = good[..good.len() - 1].to_owned();
    let long = format!("{good}a");
    for wrong in ["", "x", "because_", &other, &short, &long, &good.to_uppercase()] {
        server.get("/api/v1/status", wrong).fails(401, "UNAUTHORIZED");
    }
    for headers in [
        format!("Authorization: {good}\r\n"),
        format!("Authorization: Basic {good}\r\n"),
        format!("Authorization: Bearer {good}\r\nAuthorization: Bearer {good}\r\n"),
        format!("X-Authorization: Bearer {good}\r\n"),
        format!("Cookie: token={good}\r\n"),
    ] {
        let reply = server.request_with("GET", "/api/v1/status", "", &headers, "");
        reply.fails(401, "UNAUTHORIZED");
    }
    server.get(&format!("/api/v1/status?token={good}"), "").fails(401, "UNAUTHORIZED");
    let scheme = format!("authorization: bearer {good}\r\n");
    server.request_with("GET", "/api/v1/status", "", &scheme, "").succeeds();
}
