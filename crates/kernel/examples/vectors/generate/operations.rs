//! Operations that verify, with the bytes that are hashed spelled out.

use data_encoding::BASE64URL_NOPAD;
use kernel::operation::{Content, HlcTimestamp, Operation};
use serde_json::{Value, json};

use super::raw;
use super::script::{self, Script, claim, correction, evidence, grant, reason, refutation, signer};

/// Every vector: the `line`, the canonical `header` and `body` (null if removed) that are hashed,
/// and the `id`.
pub(super) fn vectors() -> Vec<Value> {
    let (owner, agent) = (signer(1), signer(2));
    let mut script = Script::begun("operations", "", &owner);
    let mut names = vec!["a genesis operation"];
    let mut add = |name, who: &_, kind, body: Value, refs: &[_]| {
        names.push(name);
        script.append(who, kind, body, refs)
    };
    add("a grant", &owner, "grant", grant(&agent, &["append", "derive"]), &[]);
    let note = add(
        "evidence, the first of another author",
        &agent,
        "evidence",
        evidence("n1", "Gym on Tuesday"),
        &[],
    );
    let unicode = "naïve café — 東京 \u{1f600} \"quoted\" \\ \u{0}\u{7f} e\u{301}";
    let second =
        add("evidence with text from everywhere", &agent, "evidence", evidence("n2", unicode), &[]);
    let key = "routine.weekly|gym|tue|morning";
    let belief = add(
        "a claim and its inputs",
        &agent,
        "claim",
        claim(key, json!({"title": "gym", "days": ["tue"]})),
        &[("input", note), ("input", second)],
    );
    add(
        "a claim that supersedes",
        &agent,
        "claim",
        claim(key, json!({"title": "gym", "days": ["tue", "thu"]})),
        &[("input", note), ("supersedes", belief)],
    );
    let mended = add(
        "a correction",
        &owner,
        "claim_correction",
        correction(key, json!({"title": "climbing", "days": []})),
        &[("target", belief)],
    );
    add("a withdrawal", &owner, "correction_withdrawal", script::note(), &[("target", mended)]);
    add("a refutation", &owner, "claim_refutation", refutation(key), &[("target", belief)]);
    add("a retraction of evidence", &agent, "evidence_retraction", reason(), &[("target", second)]);
    add(
        "a body of numbers",
        &agent,
        "node",
        json!({"node_type": "entity", "numbers": [0, -1, 0.1, 1e-7, 123456789012345.6, 9007199254740991_u64, 5e-324]}),
        &[],
    );
    add(
        "an unknown kind with roles of its own",
        &agent,
        "com.example.streak",
        json!({"length": 3, "of": null}),
        &[("com.example.of", belief), ("x", note)],
    );
    add("an empty body", &agent, "x", json!({}), &[]);
    add(
        "names in UTF-16 order",
        &agent,
        "thought",
        json!({"content": "", "\u{fb33}": 1, "\u{1f600}": 2, "z": 3, "": 4}),
        &[],
    );
    let deep = (0..61).fold(json!([]), |inner, _| json!([inner]));
    add("a body as deep as there may be", &agent, "node", json!({"deep": deep}), &[]);
    let place = script.place(&agent);
    let last = script::seal_at(
        &agent,
        "annotation",
        json!({"tags": ["kept"]}),
        &[("target", note)],
        kernel::seal::ChainPosition { ts: HlcTimestamp(kernel::canonical::INTEGER_MAX), ..place },
    );
    names.push("the last moment there is");
    script.record(&last);

    let lines: Vec<String> =
        script.steps.iter().filter_map(|step| step["line"].as_str().map(str::to_owned)).collect();
    let mut vectors: Vec<Value> =
        names.iter().zip(&lines).map(|(name, line)| vector(name, line)).collect();
    for (name, from) in
        [("evidence whose body is removed", 2), ("a claim whose body is removed", 4)]
    {
        if let Some(mut value) =
            lines.get(from).and_then(|line| serde_json::from_str::<Value>(line).ok())
        {
            value["salt"] = Value::Null;
            value["body"] = Value::Null;
            vectors.push(vector(name, &value.to_string()));
        }
    }
    if let Some(line) = lines.get(3) {
        let spaced =
            format!(" {} \t", line.replace("\":", "\" : ").replace("naïve", "na\\u00efve"));
        vectors.push(vector("a line in another spelling", &spaced));
    }
    vectors.extend(zip_215());
    vectors
}

/// What ZIP 215 accepts and many verifiers refuse: a key of small order, and the same key in the
/// encoding that is not canonical. Whoever judges otherwise sees another ledger than the rest.
fn zip_215() -> Vec<Value> {
    let one = [[1].as_slice(), &[0; 31]].concat();
    let one_again = [[0xee].as_slice(), &[0xff; 30], &[0x7f]].concat();
    let sig = BASE64URL_NOPAD.encode(&[one.as_slice(), &[0; 32]].concat());
    [
        ("a key of small order, which signs everything", one),
        ("the same key, its encoding not canonical", one_again),
    ]
    .into_iter()
    .map(|(name, key)| {
        let author = format!("ed25519:{}", BASE64URL_NOPAD.encode(&key));
        let mut line =
            raw::line([1; 32], json!({"author": author}), &raw::SALT, json!({"reason": "vectors"}));
        line["sig"] = Value::from(sig.clone());
        vector(name, &line.to_string())
    })
    .collect()
}

fn vector(name: &str, line: &str) -> Value {
    let operation = Operation::from_line(line.as_bytes()).expect("every line of these reads");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let body = match operation.content() {
        Content::Present { body, .. } => Value::from(text(body)),
        Content::Removed => Value::Null,
    };
    json!({"name": name, "line": line, "header": text(&operation.header().canonical()), "body": body, "id": operation.id()})
}
