//! The protocol and the process: faulty hosts, several at once, clean and unclean ends.

use std::io::{BufRead, BufReader, Write};
use std::sync::mpsc::RecvTimeoutError;

use serde_json::{Value, json};

use super::host::{Host, SILENCE};
use crate::machine::Machine;

#[test]
fn protocol_errors_are_answered_and_the_server_continues() {
    let machine = Machine::with_chat();
    let mut host = Host::starts(&machine, &[]);
    // Before initialization, too.
    for line in [
        "",
        "garbage",
        "{",
        "\u{0}\u{1}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
        "\u{feff}x",
    ] {
        host.says(line);
    }
    host.greet();
    let unknown = host.asks("tools/call", &json!({ "name": "forget_everything", "arguments": {} }));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let unknown = host.asks("no/such/method", &json!({}));
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
    for line in ["[1,2,3]", "5", "null", "{\"jsonrpc\":\"2.0\"}"] {
        host.says(line);
    }
    for line in
        ["not json", "{\"jsonrpc\":\"2.0\",\"id\":", &"[".repeat(100_000), &"x".repeat(1 << 20)]
    {
        host.says(line);
    }
    // Answers to requests that were never sent, and cancelling a request that is not in flight.
    host.says("{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{}}");
    host.says("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":99}}");
    let id = host
        .begins("tools/call", &json!({ "name": "recall", "arguments": { "query": "walnuts" } }));
    loop {
        let message = host.hears();
        if message["id"] == id {
            assert_eq!(message["result"]["isError"], false, "{message}");
            break;
        }
        assert!(message["error"]["code"].is_i64(), "{message}");
    }
    host.leaves();
}

#[test]
fn unreadable_messages_are_answered_with_their_id() {
    let machine = Machine::with_chat();
    let mut host = Host::of(&machine);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let call = |arguments: &str| {
        format!(r#""method":"tools/call","params":{{"name":"recall","arguments":{arguments}}}"#)
    };
    let mut check = |rest: &str, id: Value, code: i64| {
        host.says(&format!("{{\"jsonrpc\":\"2.0\",{rest}}}"));
        let answer = host.hears();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{answer}");
    };
    check(&format!(r#""id":"first",{}"#, call(&deep)), json!("first"), -32600);
    check(&format!(r#"{},"id":7"#, call(&format!("{{\"query\":{deep}}}"))), json!(7), -32600);
    // If the id cannot be read, the answer has none, as the protocol requires.
    check(&format!(r#""id":{deep},{}"#, call("{}")), Value::Null, -32600);
    check(&format!(r#""id":1.5,{}"#, call("{}")), Value::Null, -32600);
    check(r#""id":8,"method":"tools/call","params":[1]"#, json!(8), -32602);
    check(r#""id":9,"method":"tools/call","params":"recall""#, json!(9), -32602);
    check(r#""id":10,"method":"tools/call""#, json!(10), -32602);
    check(r#""id":11,"method":"tools/call","params":{"arguments":{}}"#, json!(11), -32602);
    check(&format!(r#""id":12,{}"#, call("\"walnuts\"")), json!(12), -32602);
    check(r#""id":13,"method":"no/such","params":{"cursor":{}}"#, json!(13), -32601);
    // These get no answer.
    for rest in [
        r#""method":"notifications/cancelled","params":"#,
        r#""method":"other/notification","params":"#,
    ] {
        host.says(&format!("{{\"jsonrpc\":\"2.0\",{rest}{deep}}}"));
    }
    host.says(&format!("{{\"padding\":\"{}\"}}", "x".repeat(17 << 20)));
    host.says(&format!(
        "\u{feff}{{\"jsonrpc\":\"2.0\",\"id\":15,{}}}\r",
        call(r#"{"query":"walnuts"}"#)
    ));
    let answer = host.hears();
    assert_eq!(
        (&answer["id"], &answer["result"]["isError"]),
        (&json!(15), &json!(false)),
        "{answer}"
    );
    host.leaves();
}

#[test]
fn two_servers_writing_concurrently_lose_nothing() {
    let machine = Machine::with_space();
    std::thread::scope(|scope| {
        for writer in 0..3 {
            let machine = &machine;
            scope.spawn(move || {
                let mut host = Host::of(machine);
                for thing in 0..15 {
                    host.gets(
                        "remember",
                        json!({ "text": format!("writer {writer} thing {thing}") }),
                    );
                    host.gets("recall", json!({ "query": format!("thing {thing}") }));
                }
                host.leaves();
            });
        }
    });
    assert_eq!(machine.records().len(), 45);
    machine.is_sound();
}

#[test]
fn a_killed_server_leaves_a_sound_space_and_other_servers_running() {
    let machine = Machine::with_space();
    let mut survivor = Host::of(&machine);
    for round in 0..5 {
        let mut victim = Host::of(&machine);
        victim.gets("remember", json!({ "text": format!("acknowledged {round}") }));
        for thing in 0..5 {
            victim.begins(
                "tools/call",
                &json!({ "name": "remember", "arguments": { "text": format!("lost {thing}") } }),
            );
        }
        victim.child.kill().unwrap();
        victim.ends();
        survivor.gets("remember", json!({ "text": format!("survivor {round}") }));
        let recalled = survivor.texts(&format!("acknowledged {round}"));
        assert!(recalled.contains(&format!("acknowledged {round}")), "{recalled:?}");
    }
    survivor.leaves();
    machine.is_sound();
}

#[test]
fn concurrent_requests_are_each_answered_once() {
    let machine = Machine::with_chat();
    let mut host = Host::of(&machine);
    let ids: Vec<u64> = (0..500)
        .map(|_| {
            host.begins(
                "tools/call",
                &json!({ "name": "recall", "arguments": { "query": "glaze" } }),
            )
        })
        .collect();
    let mut answered: Vec<u64> = ids.iter().map(|_| host.hears()["id"].as_u64().unwrap()).collect();
    answered.sort_unstable();
    assert_eq!(answered, ids);
    assert!(matches!(host.lines.recv_timeout(SILENCE), Err(RecvTimeoutError::Timeout)));
    host.leaves();
}

#[test]
fn a_host_that_does_not_read_is_throttled_and_loses_nothing() {
    /// More than the pipes and all that may be under way hold, which is about a hundred.
    const REQUESTS: usize = 500;
    let machine = Machine::with_chat();
    let mut child = machine.because(["mcp"]).talk();
    let mut input = child.stdin.take().unwrap();
    let hello = json!({ "jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "x", "version": "1" } } });
    let writer = std::thread::spawn(move || {
        writeln!(input, "{hello}").unwrap();
        for id in 0..REQUESTS {
            let arguments = json!({ "query": "glaze ".repeat(300) });
            let params = json!({ "name": "recall", "arguments": arguments });
            writeln!(
                input,
                "{}",
                json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
            )
            .unwrap();
        }
    });
    std::thread::sleep(4 * SILENCE);
    assert!(!writer.is_finished(), "the server took in what it could not answer");
    let answers = BufReader::new(child.stdout.take().unwrap()).lines().count();
    writer.join().unwrap();
    assert_eq!(answers, 1 + REQUESTS);
    assert!(child.wait().unwrap().success());
}

#[test]
fn requests_sent_before_the_input_closed_are_answered() {
    let machine = Machine::with_chat();
    let mut host = Host::of(&machine);
    let id = host.begins(
        "tools/call",
        &json!({ "name": "remember", "arguments": { "text": "The last word." } }),
    );
    drop(host.input.take());
    assert_eq!(host.hears()["id"], id);
    assert!(host.ends().success());
    machine.because(["recall", "last word"]).run().succeeds().prints("The last word.");
}

#[cfg(unix)]
#[test]
fn a_server_asked_to_end_exits_cleanly() {
    let machine = Machine::with_space();
    for greets in [true, false] {
        let mut host = if greets { Host::of(&machine) } else { Host::starts(&machine, &[]) };
        // A server without its signal handler yet would die of the signal like any program.
        std::thread::sleep(SILENCE);
        let told =
            std::process::Command::new("kill").arg(host.child.id().to_string()).status().unwrap();
        assert!(told.success());
        let status = host.ends();
        assert!(status.success(), "{status}");
    }
    let host = Host::starts(&machine, &[]);
    host.leaves();
}

#[test]
fn the_server_finds_the_space_like_a_command_and_creates_it_only_to_write() {
    let machine = Machine::new();
    let mut host = Host::of(&machine);
    assert!(host.texts("anything").is_empty());
    host.fails("no_space", "explain", json!({ "name": "x" }));
    assert!(!machine.home().join("space.db").exists(), "a question made a space");
    host.gets("remember", json!({ "text": "It is mine." }));
    assert_eq!(host.texts("mine"), ["It is mine."]);
    machine.because(["--space", "global", "recall", "mine"]).run().succeeds().prints("It is mine.");
    host.leaves();
    let elsewhere = machine.work().join("other.db");
    let mut host = Host::starts(&machine, &["--space", elsewhere.to_str().unwrap()]);
    host.greet();
    host.fails("space_missing", "recall", json!({ "query": "x" }));
    machine.because(["init", "--space", elsewhere.to_str().unwrap()]).run().succeeds();
    host.gets("remember", json!({ "text": "It is there." }));
    host.leaves();
    machine.because(["mcp", "--space", "a", "--space", "b"]).run().ends(2).says("only one");
}

#[cfg(unix)] // Elsewhere an open file cannot be removed.
#[test]
fn a_space_that_was_removed_or_replaced_is_not_written_to() {
    let machine = Machine::with_space();
    let mut host = Host::of(&machine);
    host.gets("remember", json!({ "text": "It was long ago." }));
    let folder = machine.work().join(".because");
    std::fs::remove_dir_all(&folder).unwrap();
    host.fails("no_space", "explain", json!({ "name": "x" }));
    machine.because(["init"]).run().succeeds();
    host.gets("remember", json!({ "text": "It is new." }));
    assert_eq!(host.texts("long ago, new"), ["It is new."]);
    machine.because(["recall", "new"]).run().succeeds().prints("It is new.");
    host.leaves();
    machine.is_sound();
}
