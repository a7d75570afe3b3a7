//! Lines that are not operations, each wrong in one place: signed again where that is possible, so
//! that nothing but the named fault stands against it.

use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use kernel::operation::{BODY_BYTES_MAX, LINE_BYTES_MAX, REFS_MAX};
use serde_json::{Value, json};

use super::raw::{self, SALT, line};

const SEED: [u8; 32] = [1; 32];

struct Invalid {
    vectors: Vec<Value>,
}

impl Invalid {
    /// Bytes that do not read; `field` is where the kernel finds the fault.
    fn malformed(&mut self, name: &str, field: &str, line: impl ToString) {
        self.vectors.push(
            json!({"name": name, "line": line.to_string(), "code": "malformed", "field": field}),
        );
    }

    /// An operation that reads and does not verify.
    fn unverified(&mut self, name: &str, code: &str, line: impl ToString) {
        self.vectors.push(json!({"name": name, "line": line.to_string(), "code": code}));
    }

    /// A long line, written as the text before, what is repeated how often, and the text after.
    fn long(&mut self, name: &str, field: &str, line: &str, repeated: &str, times: usize) {
        let run = repeated.repeat(times);
        let (before, after) = line.split_once(run.as_str()).expect("the line holds the run");
        self.vectors.push(json!({
            "name": name, "before": before, "repeat": repeated, "times": times, "after": after, "code": "malformed", "field": field,
        }));
    }
}

fn body() -> Value {
    json!({"reason": "vectors"})
}

/// A good line but for these header fields, which are hashed and signed as they are.
fn with_header(header: Value) -> Value {
    line(SEED, header, &SALT, body())
}

/// A good line.
fn good() -> Value {
    with_header(json!({}))
}

/// A good line with one field of the operation replaced, or removed.
fn with_field(field: &str, value: Option<Value>) -> Value {
    let mut line = good();
    if let Some(object) = line.as_object_mut() {
        match value {
            Some(value) => object.insert(field.to_owned(), value),
            None => object.remove(field),
        };
    }
    line
}

fn without_header(field: &str) -> Value {
    let line = good();
    let mut header = line["header"].clone();
    if let Some(object) = header.as_object_mut() {
        object.remove(field);
    }
    raw::signed(SEED, header, line["salt"].clone(), body())
}

/// Every vector: a `line` (or `before`, `repeat`, `times`, `after`), the `code`, and the `field` of
/// what is malformed.
pub(super) fn vectors() -> Vec<Value> {
    let mut found = Invalid { vectors: Vec::new() };
    whole_lines(&mut found);
    fields(&mut found);
    headers(&mut found);
    refs(&mut found);
    limits(&mut found);
    hashes(&mut found);
    signatures(&mut found);
    found.vectors
}

fn whole_lines(found: &mut Invalid) {
    let text = good().to_string();
    found.malformed("nothing", "line", "");
    found.malformed("no JSON", "line", "operation");
    found.malformed("half a line", "line", &text[..text.len() / 2]);
    found.malformed("two operations on a line", "line", format!("{text}{text}"));
    found.malformed("no object", "operation", "[]");
    found.malformed("a repeated field", "line", text.replacen('{', r#"{"sig":"","#, 1));
    found.malformed(
        "a repeated field in the header",
        "line",
        text.replace(r#""v":1"#, r#""v":1,"v":1"#),
    );
    found.malformed(
        "a repeated name in the body",
        "line",
        text.replace(r#"{"reason""#, r#"{"reason":"","reason""#),
    );
    found.malformed(
        "a number beyond 2^53 - 1 in the body",
        "line",
        text.replace(r#""vectors""#, "9007199254740993"),
    );
    found.malformed("a large exponent in the body", "line", text.replace(r#""vectors""#, "1e17"));
}

fn fields(found: &mut Invalid) {
    for field in ["id", "header", "salt", "body", "sig"] {
        found.malformed(&format!("no {field}"), field, with_field(field, None));
    }
    found.malformed("a field too many", "operation", with_field("note", Some(json!(""))));
    found.malformed("a salt without a body", "body", with_field("body", Some(Value::Null)));
    found.malformed("a body without a salt", "body", with_field("salt", Some(Value::Null)));
    found.malformed(
        "a body that is not an object",
        "body",
        line(SEED, json!({}), &SALT, json!(["vectors"])),
    );
    found.malformed("a salt of 15 bytes", "salt", line(SEED, json!({}), &SALT[..15], body()));
    found.malformed("a salt of 17 bytes", "salt", line(SEED, json!({}), &[0x5a; 17], body()));
    let salt = BASE64URL_NOPAD.encode(&SALT);
    found.malformed("padded base64", "salt", with_field("salt", Some(json!(format!("{salt}==")))));
    found.malformed(
        "a line break in base64",
        "salt",
        with_field("salt", Some(json!(format!("{salt}\n")))),
    );
    found.malformed(
        "base64 with stray bits at its end",
        "salt",
        with_field("salt", Some(json!(format!("{}h", &salt[..21])))),
    );
    let other_alphabet = json!(format!("+/{}", &salt[2..]));
    found.malformed(
        "base64 in the other alphabet",
        "salt",
        with_field("salt", Some(other_alphabet)),
    );
    let sig = good()["sig"].as_str().unwrap_or_default().to_owned();
    found.malformed("a signature of 63 bytes", "sig", with_field("sig", Some(json!(sig[..84]))));
    found.malformed(
        "a signature that is not a string",
        "sig",
        with_field("sig", Some(Value::Null)),
    );
    let id = good()["id"].as_str().unwrap_or_default().to_owned();
    found.malformed(
        "an id in upper case",
        "id",
        with_field("id", Some(json!(format!("b3:{}", id[3..].to_uppercase())))),
    );
    found.malformed("an id without its prefix", "id", with_field("id", Some(json!(id[3..]))));
    found.malformed("an id of 31 bytes", "id", with_field("id", Some(json!(id[..65]))));
    found.malformed(
        "an id of another hash",
        "id",
        with_field("id", Some(json!(format!("s2:{}", &id[3..])))),
    );
}

fn headers(found: &mut Invalid) {
    for field in ["author", "body", "kind", "prev", "refs", "seq", "space", "ts", "v"] {
        found.malformed(&format!("a header without {field}"), field, without_header(field));
    }
    found.malformed(
        "a field that the header does not know",
        "header",
        with_header(json!({"tag": ""})),
    );
    found.malformed("format version 2", "v", with_header(json!({"v": 2})));
    found.malformed("format version as text", "v", with_header(json!({"v": "1"})));
    found.malformed("seq 0", "seq", with_header(json!({"seq": 0, "prev": null})));
    found.malformed("a negative seq", "seq", with_header(json!({"seq": -1})));
    found.malformed("half a seq", "seq", with_header(json!({"seq": 2.5})));
    found.malformed("seq 1 with a prev", "prev", with_header(json!({"seq": 1})));
    found.malformed("seq 2 without a prev", "prev", with_header(json!({"prev": null})));
    found.malformed("a negative time", "ts", with_header(json!({"ts": -1})));
    found.malformed("a time as text", "ts", with_header(json!({"ts": "2026-01-01T00:00:00Z"})));
    found.malformed(
        "no space in an ordinary operation",
        "space",
        with_header(json!({"space": null})),
    );
    let genesis = |header: Value| {
        let mut whole = json!({"kind": "space", "seq": 1, "prev": null, "space": null});
        if let (Some(whole), Value::Object(header)) = (whole.as_object_mut(), header) {
            whole.extend(header);
        }
        with_header(whole)
    };
    let some = format!("b3:{}", "33".repeat(32));
    found.malformed("a genesis operation inside a space", "space", genesis(json!({"space": some})));
    found.malformed(
        "a genesis operation that is not its author's first",
        "refs",
        genesis(json!({"seq": 2, "prev": some})),
    );
    found.malformed(
        "a genesis operation that cites",
        "refs",
        genesis(json!({"refs": [{"id": some, "role": "input"}]})),
    );
    for (name, kind) in [
        ("a kind in upper case", "Claim"),
        ("a kind that begins with a digit", "9claim"),
        ("a kind with a space", "a claim"),
        ("an empty kind", ""),
        ("a kind outside ASCII", "día"),
        ("a kind of 65 characters", &"k".repeat(65)),
    ] {
        found.malformed(name, "kind", with_header(json!({"kind": kind})));
    }
    let author = raw::author(SEED);
    found.malformed(
        "an author in padded base64",
        "author",
        with_header(json!({"author": format!("{author}=")})),
    );
    found.malformed(
        "an author of another scheme",
        "author",
        with_header(json!({"author": author.replace("ed25519", "ed448")})),
    );
    found.malformed(
        "an author of 31 bytes",
        "author",
        with_header(json!({"author": "ed25519:".to_owned() + &BASE64URL_NOPAD.encode(&[7; 31])})),
    );
    found.malformed(
        "a prev in upper case",
        "prev",
        with_header(json!({"prev": some.to_uppercase().replace("B3", "b3").replace("33", "AB")})),
    );
}

fn refs(found: &mut Invalid) {
    let id = format!("b3:{}", "33".repeat(32));
    found.malformed("refs that are not an array", "refs", with_header(json!({"refs": {}})));
    found.malformed("a ref that is not an object", "refs", with_header(json!({"refs": [id]})));
    found.malformed(
        "a ref with a field too many",
        "refs",
        with_header(json!({"refs": [{"id": id, "role": "input", "at": 1}]})),
    );
    found.malformed("a ref without a role", "role", with_header(json!({"refs": [{"id": id}]})));
    found.malformed("a ref without an id", "id", with_header(json!({"refs": [{"role": "input"}]})));
    for (name, role) in [
        ("a role in upper case", "Input"),
        ("an empty role", ""),
        ("a role with a quote", "in\"put"),
        ("a role of 65 characters", &"r".repeat(65)),
    ] {
        found.malformed(name, "role", with_header(json!({"refs": [{"id": id, "role": role}]})));
    }
}

fn limits(found: &mut Invalid) {
    let one = json!({"id": format!("b3:{}", "33".repeat(32)), "role": "input"});
    let many = with_header(json!({"refs": vec![one.clone(); REFS_MAX + 1]})).to_string();
    found.long("one ref more than 4096", "refs", &many, &format!("{one},"), REFS_MAX);
    // `{"text":""}` is 11 bytes.
    let text = "x".repeat(BODY_BYTES_MAX - 11 + 1);
    let large = line(SEED, json!({}), &SALT, json!({"text": text})).to_string();
    found.long("a body of 1 MiB and one byte", "body", &large, "x", text.len());
    let padded = format!("{}{}", " ".repeat(LINE_BYTES_MAX), good());
    found.long("a line longer than 4 MiB", "line", &padded, " ", LINE_BYTES_MAX);
    let deep = (0..62).fold(json!([]), |inner, _| json!([inner]));
    let deep = line(SEED, json!({}), &SALT, json!({"deep": deep}));
    found.malformed("a body one level too deep for a line", "line", deep);
    let last = with_header(json!({"ts": kernel::canonical::INTEGER_MAX})).to_string();
    let last = last.replace(&kernel::canonical::INTEGER_MAX.to_string(), "9007199254740992");
    found.malformed("a time beyond 2^53 - 1", "line", last);
}

fn hashes(found: &mut Invalid) {
    let other = json!(format!("b3:{}", HEXLOWER.encode(&[0x44; 32])));
    found.unverified(
        "an id that is not the header's",
        "id_mismatch",
        with_field("id", Some(other.clone())),
    );
    let mut later = good();
    later["header"]["ts"] = json!(raw::EPOCH_US + 1);
    found.unverified("a header that was changed", "id_mismatch", later);
    let mut named = good();
    named["header"]["author"] = json!(raw::author([2; 32]));
    found.unverified("an author that was changed", "id_mismatch", named);
    let mut cited =
        with_header(json!({"refs": [{"id": other, "role": "a"}, {"id": other, "role": "b"}]}));
    if let Some(refs) = cited["header"]["refs"].as_array_mut() {
        refs.reverse();
    }
    found.unverified("refs in another order", "id_mismatch", cited);
    found.unverified(
        "a body that was changed",
        "body_mismatch",
        with_field("body", Some(json!({"reason": "vector"}))),
    );
    found.unverified(
        "a body with a field more",
        "body_mismatch",
        with_field("body", Some(json!({"reason": "vectors", "x": 1}))),
    );
    let salt = json!(BASE64URL_NOPAD.encode(&[0x5b; 16]));
    found.unverified("a salt that was changed", "body_mismatch", with_field("salt", Some(salt)));
    let unsalted =
        json!({"body": format!("b3:{}", blake3::hash(br#"{"reason":"vectors"}"#).to_hex())});
    found.unverified("a body hash without the salt", "body_mismatch", with_header(unsalted));
    let mut both = with_field("sig", Some(json!(BASE64URL_NOPAD.encode(&[0; 64]))));
    both["body"] = json!({});
    found.unverified("body and signature wrong: the body is judged first", "body_mismatch", both);
}

fn signatures(found: &mut Invalid) {
    let signed_by = |header: Value| line([2; 32], header, &SALT, body());
    found.unverified(
        "another key's signature",
        "signature_invalid",
        signed_by(json!({"author": raw::author(SEED)})),
    );
    found.unverified(
        "a signature of nothing",
        "signature_invalid",
        with_field("sig", Some(json!(BASE64URL_NOPAD.encode(&[0; 64])))),
    );
    let id = blake3::hash(b"other");
    let sig = ed25519_zebra::SigningKey::from_bytes(&SEED).sign(id.as_bytes()).to_bytes();
    found.unverified(
        "a signature of another id",
        "signature_invalid",
        with_field("sig", Some(json!(BASE64URL_NOPAD.encode(&sig)))),
    );
    let line = good();
    let text = line["id"].as_str().unwrap_or_default();
    let sig = ed25519_zebra::SigningKey::from_bytes(&SEED).sign(text.as_bytes()).to_bytes();
    found.unverified(
        "a signature of the id's text",
        "signature_invalid",
        with_field("sig", Some(json!(BASE64URL_NOPAD.encode(&sig)))),
    );
    // The scalar s plus the group's order: the same point, and refused, or every signature had two
    // forms.
    let mut sig = BASE64URL_NOPAD
        .decode(line["sig"].as_str().unwrap_or_default().as_bytes())
        .unwrap_or_default();
    add_order(&mut sig);
    found.unverified(
        "a scalar that is not reduced",
        "signature_invalid",
        with_field("sig", Some(json!(BASE64URL_NOPAD.encode(&sig)))),
    );
    let no_point =
        "ed25519:".to_owned() + &BASE64URL_NOPAD.encode(&[[2].as_slice(), &[0; 31]].concat());
    found.unverified(
        "an author that is not a point of the curve",
        "signature_invalid",
        signed_by(json!({"author": no_point})),
    );
    let removed = signed_by(json!({"author": raw::author(SEED)}));
    let mut removed = removed.clone();
    removed["salt"] = Value::Null;
    removed["body"] = Value::Null;
    found.unverified("a removed body does not excuse the signature", "signature_invalid", removed);
}

/// Adds the order of the group to the scalar half of a signature.
fn add_order(sig: &mut [u8]) {
    const ORDER: &str = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";
    let order = HEXLOWER.decode(ORDER.as_bytes()).unwrap_or_default();
    let mut carry = 0_u16;
    for (byte, more) in sig.iter_mut().skip(32).zip(order) {
        let sum = u16::from(*byte) + u16::from(more) + carry;
        *byte = (sum & 0xff) as u8;
        carry = sum >> 8;
    }
}
