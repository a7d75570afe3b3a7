//! The committed vectors are what the generator gives, and the kernel judges each as it says.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use kernel::body::Body;
use kernel::canonical;
use kernel::declaration::Declaration;
use kernel::identity::{edge_key, normalized_text, text_key};
use kernel::ledger_index::Graph;
use kernel::operation::{Content, Operation, verify_batch};
use kernel::rules::{JudgeError, RuleViolation, Verdict, judge, judge_time};
use kernel::validity::Validity;
use serde_json::Value;

use crate::generate;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/vectors")
}

fn read(path: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(folder().join(path)).unwrap()).unwrap()
}

fn list(path: &str) -> Vec<Value> {
    read(path).as_array().unwrap().clone()
}

#[test]
fn the_committed_vectors_are_what_the_generator_gives() {
    let mut expected = BTreeSet::new();
    for file in generate::files() {
        let found = std::fs::read_to_string(folder().join(&file.path)).unwrap_or_default();
        assert!(
            found == file.text,
            "{} differs; if the format is meant to change: cargo run -p because-kernel --example vectors -- --write",
            file.path
        );
        expected.insert(file.path);
    }
    for entry in std::fs::read_dir(folder().join("ledgers")).unwrap() {
        let name = format!("ledgers/{}", entry.unwrap().file_name().to_string_lossy());
        assert!(expected.contains(&name), "no generator makes {name}");
    }
}

#[test]
fn every_text_has_the_canonical_form_of_its_vector() {
    for vector in list("canonical.json") {
        let name = &vector["name"];
        let input = match &vector["input"] {
            Value::String(text) => text.clone().into_bytes(),
            _ => HEXLOWER.decode(vector["input_hex"].as_str().unwrap().as_bytes()).unwrap(),
        };
        let parsed = canonical::parse(&input);
        match vector["canonical"].as_str() {
            None => assert!(parsed.is_err(), "{name}: {parsed:?}"),
            Some(expected) => {
                let value = parsed.unwrap();
                assert_eq!(
                    String::from_utf8(canonical::to_bytes(&value).unwrap()).unwrap(),
                    expected,
                    "{name}"
                );
                assert_eq!(canonical::parse(expected.as_bytes()).unwrap(), value, "{name}");
            }
        }
    }
}

#[test]
fn every_declaration_is_read_or_refused_as_its_vector_says() {
    for vector in list("declarations.json") {
        let (name, line) = (&vector["name"], vector["line"].as_str().unwrap());
        assert!(Declaration::is_line(line.as_bytes()), "{name}");
        match Declaration::from_line(line.as_bytes()) {
            Err(error) => assert_eq!(vector["code"], error.code(), "{name}: {error}"),
            Ok(declaration) => {
                let statement = canonical::to_bytes(declaration.statement()).unwrap();
                assert_eq!(vector["statement"].as_str().unwrap().as_bytes(), statement, "{name}");
                assert_eq!(declaration.to_line(), line, "{name}");
            }
        }
    }
}

#[test]
fn every_text_and_edge_has_the_identity_key_of_its_vector() {
    for vector in list("identities.json") {
        let name = &vector["name"];
        let field = |field: &str| vector[field].as_str().unwrap();
        let key = match vector["text"].as_str() {
            Some(text) => {
                assert_eq!(normalized_text(text), field("normalized"), "{name}");
                text_key(field("type"), text)
            }
            None => edge_key(
                field("type").parse().unwrap(),
                &field("from").parse().unwrap(),
                &field("to").parse().unwrap(),
            ),
        };
        assert_eq!(key, field("key"), "{name}");
    }
}

#[test]
fn every_valid_operation_verifies_and_hashes_the_bytes_of_its_vector() {
    let vectors = list("operations.json");
    let mut all = Vec::new();
    for vector in &vectors {
        let read = Operation::from_line(vector["line"].as_str().unwrap().as_bytes()).unwrap();
        all.push(read.clone());
        let operation = read.verify().unwrap_or_else(|error| panic!("{}: {error}", vector["name"]));
        assert_eq!(operation.id().to_string(), vector["id"], "{}", vector["name"]);
        assert_eq!(operation.header().canonical(), vector["header"].as_str().unwrap().as_bytes());
        match operation.content() {
            Content::Present { body, .. } => {
                assert_eq!(body, vector["body"].as_str().unwrap().as_bytes())
            }
            Content::Removed => assert_eq!(vector["body"], Value::Null),
        }
        let again = Operation::from_line(operation.to_line().as_bytes()).unwrap().verify().unwrap();
        assert_eq!(again, operation, "{}", vector["name"]);
    }
    assert!(
        verify_batch(all).iter().all(Result::is_ok),
        "what verifies one by one verifies as a batch"
    );
}

#[test]
fn every_invalid_line_is_refused_with_the_code_of_its_vector() {
    for vector in list("invalid.json") {
        let name = &vector["name"];
        let text = |field: &str| vector[field].as_str().unwrap_or_default();
        let times = vector["times"].as_u64().unwrap_or_default() as usize;
        let line = match vector["line"].as_str() {
            Some(line) => line.to_owned(),
            None => format!("{}{}{}", text("before"), text("repeat").repeat(times), text("after")),
        };
        match Operation::from_line(line.as_bytes()) {
            Err(error) => {
                assert_eq!(vector["code"], "malformed", "{name}: {error}");
                assert_eq!(vector["field"], error.field, "{name}: {error}");
            }
            Ok(operation) => {
                let batch = verify_batch(vec![operation.clone()]).pop().unwrap();
                let error = operation.verify().expect_err(&name.to_string());
                assert_eq!(vector["code"], error.code(), "{name}: {error}");
                assert_eq!(batch, Err(error), "{name}");
            }
        }
    }
}

/// What a reader does with a line: rule 1, the clock, then the rules at this moment.
fn admit(graph: &mut Graph, line: &[u8], now_us: Option<u64>) -> Result<Verdict, RuleViolation> {
    let operation = Operation::from_line(line)?.verify()?;
    if let Some(now_us) = now_us {
        judge_time(operation.header().ts, now_us)?;
    }
    let body =
        operation.body().map(|bytes| Body::parse(&operation.header().kind, bytes)).transpose()?;
    let verdict = judge(&operation, body.as_ref(), graph).map_err(|error| match error {
        JudgeError::RuleViolation(violation) => violation,
        JudgeError::LedgerIndex(never) => match never {},
    })?;
    if verdict == Verdict::Append {
        graph.insert(&operation, body.as_ref());
    }
    Ok(verdict)
}

#[test]
fn every_ledger_is_judged_step_by_step_as_its_vector_says() {
    let mut codes = BTreeSet::new();
    for entry in std::fs::read_dir(folder().join("ledgers")).unwrap() {
        let path = format!("ledgers/{}", entry.unwrap().file_name().to_string_lossy());
        let mut graph = Graph::default();
        for (number, step) in read(&path)["steps"].as_array().unwrap().iter().enumerate() {
            let before = graph.len();
            let found = admit(
                &mut graph,
                step["line"].as_str().unwrap().as_bytes(),
                step["now_us"].as_u64(),
            );
            let code = match &found {
                Ok(Verdict::Append) => "append",
                Ok(Verdict::Present) => "present",
                Err(violation) => violation.code(),
            };
            assert_eq!(step["expect"], code, "{path} step {number}: {found:?}");
            assert_eq!(graph.len() - before, usize::from(code == "append"), "{path} step {number}");
            codes.insert(code);
            for (key, state) in step["states"].as_object().into_iter().flatten() {
                let found = Validity::new(&graph).state(key).unwrap().as_str();
                assert_eq!(state, found, "{path} step {number}: {key}");
            }
        }
    }
    for code in RuleViolation::CODES {
        assert!(codes.contains(code), "no ledger shows {code}");
    }
}

#[test]
fn the_format_document_names_every_code_and_kind() {
    let document = std::fs::read_to_string(folder().join("../../docs/format.md")).unwrap();
    let kinds = kernel::kind::Kind::KNOWN.iter().map(kernel::kind::Kind::as_str);
    for word in RuleViolation::CODES.iter().copied().chain(kinds) {
        assert!(document.contains(&format!("`{word}`")), "docs/format.md does not name `{word}`");
    }
}
