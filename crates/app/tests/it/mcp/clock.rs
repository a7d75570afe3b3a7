//! What agents are told where the clock and the space disagree.

use serde_json::json;

use super::host::Host;
use crate::clocks::remember;
use crate::machine::Machine;

#[test]
fn an_agent_that_writes_to_a_space_from_the_future_is_told_so() {
    let machine = Machine::with_space();
    let mut host = Host::of(&machine);
    let answer = host.gets("remember", json!({ "text": "The kiln is lit" }));
    assert_eq!(answer["warning"], json!(null), "{answer}");
    remember(&machine, 400, "The kiln is cold");
    let result = host.calls("remember", json!({ "text": "The glaze is mixed" }));
    let warning = result["structuredContent"]["warning"].as_str().unwrap();
    assert!(warning.contains("400 days ahead") && warning.contains("because doctor"), "{warning}");
    assert!(result["content"][0]["text"].as_str().unwrap().contains(warning), "{result}");
    host.leaves();
}
