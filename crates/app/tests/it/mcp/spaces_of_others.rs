//! A server on a space of somebody else, which changes while it is open.

use serde_json::{Value, json};

use super::host::Host;
use crate::machine::Machine;

#[test]
fn a_server_sees_what_the_owner_writes_and_what_the_owner_grants() {
    let machine = Machine::with_space();
    machine.because(["remember", "I love olives."]).run().succeeds();
    let guest = machine.work().join("guest-home");
    let call = |arguments: &[&str]| machine.because(arguments).at_home(&guest);
    let mut host =
        Host::calling(call(&["mcp"]).variable("BECAUSE_SPACE", machine.space().as_os_str()));
    host.greet();
    let recalled = host.gets("recall", json!({ "query": "olives" }));
    assert!(recalled["owner"]["key"].is_string() && recalled["receipt"].is_null(), "{recalled}");
    // What is written meanwhile is found at the next call.
    machine.because(["remember", "I love figs."]).run().succeeds();
    let recalled = host.gets("recall", json!({ "query": "figs" }));
    assert_eq!(recalled["episodes"][0]["text"], "I love figs.");
    host.fails("not_your_space", "remember", json!({ "text": "The kiln is hot." }));
    // With admin the guest's key lets its agent in, and what it signs makes the space its own.
    let key = call(&["key"]).run().succeeds().out().trim().to_owned();
    let can = ["grant", &key, "--can", "append", "--can", "derive", "--can", "admin"];
    machine.because(can).run().succeeds();
    host.gets("remember", json!({ "text": "The kiln is hot." }));
    let recalled = host.gets("recall", json!({ "query": "kiln" }));
    assert_eq!(recalled["episodes"][0]["text"], "The kiln is hot.");
    assert_eq!(recalled["owner"], Value::Null);
    host.leaves();
}
