//! Small ledgers: what is recorded, what is refused with which code, and what is believed
//! afterwards.

use kernel::kind::Kind;
use kernel::operation::HlcTimestamp;
use kernel::seal::ChainPosition;
use serde_json::{Value, json};

use super::raw::EPOCH_US;
use super::script::{
    Script, claim, correction, evidence, grant, note, reason, refutation, said, seal_at, signer,
    space_body,
};

/// Every ledger.
pub(super) fn scripts() -> Vec<Script> {
    vec![
        begin(),
        integrity(),
        chain(),
        references(),
        permissions(),
        revocations(),
        claims(),
        refutations(),
        corrections(),
        invalidations(),
        thoughts(),
        edges(),
        targets(),
        records(),
        restorations(),
        imports(),
    ]
}

fn restorations() -> Script {
    let (owner, agent) = (signer(1), signer(2));
    let mut script = Script::begun(
        "restorations",
        "A retraction is taken back by its author, or by who may correct; then its target counts again.",
        &owner,
    );
    script.append(&owner, "grant", grant(&agent, &["append"]), &[]);
    let seen = script.append(&owner, "evidence", evidence("n1", "one"), &[]);
    let base = script.append(&owner, "claim", claim("base", json!(1)), &[("input", seen)]);
    script.append(&owner, "claim", claim("top", json!(1)), &[("input", base)]);
    let kind = "retraction_withdrawal";
    script.refuse("target", &owner, kind, note(), &[]);
    script.refuse("target", &owner, kind, note(), &[("target", seen)]);
    script.refuse("target", &owner, kind, note(), &[("target", base)]);
    let gone = script.append(&owner, "evidence_retraction", reason(), &[("target", seen)]);
    script.states(&[("base", "invalidated"), ("top", "invalidated")]);
    script.refuse("stale_input", &owner, "claim", claim("k", json!(1)), &[("input", seen)]);
    script.refuse("not_permitted", &agent, kind, note(), &[("target", gone)]);
    script.refuse("malformed", &owner, kind, json!({"note": 1}), &[("target", gone)]);
    let again = script.append(&agent, "evidence_retraction", reason(), &[("target", seen)]);
    script.append(&owner, kind, note(), &[("target", gone)]);
    script.states(&[("base", "invalidated")]);
    script.append(&agent, kind, json!({}), &[("target", again)]);
    script.states(&[("base", "active"), ("top", "active")]);
    let told = script.append(&owner, "claim", said("told", json!(1)), &[("input", seen)]);
    let mine = script.append(&owner, "retraction", reason(), &[("target", told)]);
    script.states(&[("told", "retracted")]);
    script.append(&owner, kind, note(), &[("target", mine)]);
    script.states(&[("told", "active")]);
    script
}

fn imports() -> Script {
    let (owner, agent) = (signer(1), signer(2));
    let mut script = Script::begun(
        "imports",
        "An import says what was read and appended. Nothing is built on it.",
        &owner,
    );
    let body = json!({
        "source": "markdown", "path": "notes", "digest": format!("b3:{}", "0".repeat(64)),
        "added": 1, "replaced": 0, "repeated": 0, "present": 2, "retracted": 0, "problems": 0,
        "complete": true, "importer": {"name": "because", "version": "1.0.0"},
        "operations": [[2, 2], [5, 9]],
    });
    script.refuse("not_permitted", &agent, "import", body.clone(), &[]);
    let seen = script.append(&owner, "evidence", evidence("n1", "one"), &[]);
    let read = script.append(&owner, "import", body, &[]);
    script.append(&owner, "import", json!({}), &[]);
    script.append(&owner, "import", json!({"com.example": {"deep": [1]}, "path": null}), &[]);
    for unfit in [
        json!({"added": -1}),
        json!({"added": "one"}),
        json!({"digest": "0"}),
        json!({"complete": 1}),
        json!({"operations": [[1]]}),
        json!({"importer": {"name": "because"}}),
    ] {
        script.refuse("unfit_field", &owner, "import", unfit, &[]);
    }
    script.refuse("input_kind", &owner, "claim", claim("k", json!(1)), &[("input", read)]);
    script.append(&owner, "claim", claim("k", json!(1)), &[("input", seen)]);
    script.states(&[("k", "active")]);
    script
}

fn edited(line: &str, edit: impl FnOnce(&mut Value)) -> String {
    let mut value = serde_json::from_str(line).unwrap_or(Value::Null);
    edit(&mut value);
    value.to_string()
}

fn begin() -> Script {
    let (owner, other) = (signer(1), signer(2));
    let mut script = Script::new(
        "begin",
        "A ledger begins with one genesis operation, signed by the owner that it names.",
    );
    let alien = Script::begun("elsewhere", "", &other).space();
    let place = ChainPosition { space: alien, head: None, ts: HlcTimestamp(EPOCH_US) };
    script.expect(
        "genesis",
        seal_at(&owner, "evidence", evidence("n1", "early"), &[], place).to_line(),
    );
    script.refuse("genesis", &owner, "space", space_body(&other, "not mine"), &[]);
    let first = script.seal(&owner, "space", space_body(&owner, "begin"), &[]);
    let removed = edited(&first.to_line(), |line| {
        line["salt"] = Value::Null;
        line["body"] = Value::Null;
    });
    script.expect("genesis", removed);
    script.record(&first);
    script.expect("present", first.to_line());
    let place = ChainPosition { space: None, head: None, ts: HlcTimestamp(EPOCH_US + 9_000_000) };
    script.expect(
        "wrong_space",
        seal_at(&owner, "space", space_body(&owner, "again"), &[], place).to_line(),
    );
    let place = ChainPosition { space: alien, head: None, ts: HlcTimestamp(EPOCH_US + 9_000_000) };
    script.expect(
        "wrong_space",
        seal_at(&owner, "evidence", evidence("n1", "astray"), &[], place).to_line(),
    );
    script
}

fn integrity() -> Script {
    let owner = signer(1);
    let mut script = Script::begun(
        "integrity",
        "Hashes and signatures come first; a removed body still verifies; no clock owns the future.",
        &owner,
    );
    let next = script.seal(&owner, "evidence", evidence("n1", "whole"), &[]);
    let line = next.to_line();
    script.expect("malformed", line.replacen("{", "", 1));
    script.expect("id_mismatch", edited(&line, |line| line["header"]["seq"] = json!(3)));
    script.expect("body_mismatch", edited(&line, |line| line["body"]["summary"] = json!("holed")));
    let forged =
        seal_at(&signer(2), "evidence", evidence("n1", "whole"), &[], script.place(&owner))
            .to_line();
    let forged = serde_json::from_str(&forged).unwrap_or(Value::Null);
    script.expect("signature_invalid", edited(&line, |line| line["sig"] = forged["sig"].clone()));
    script.refuse("malformed", &owner, "evidence", json!({"source": "vectors"}), &[]);
    script.refuse(
        "malformed",
        &owner,
        "grant",
        json!({"key": owner.author(), "capabilities": ["own"]}),
        &[],
    );
    script.expect("from_future", line.clone());
    script.with("now_us", json!(next.header().ts.0 - 24 * 3_600 * 1_000_000 - 1));
    script.expect(
        "append",
        edited(&line, |line| {
            line["salt"] = Value::Null;
            line["body"] = Value::Null;
        }),
    );
    script.with("now_us", json!(next.header().ts.0 - 24 * 3_600 * 1_000_000));
    script.expect("present", line);
    script
}

fn chain() -> Script {
    let (owner, agent) = (signer(1), signer(2));
    let mut script = Script::begun(
        "chain",
        "Each author's operations in a space are one chain, numbered and linked.",
        &owner,
    );
    script.append(&owner, "grant", grant(&agent, &["append"]), &[]);
    let first = script.seal(&agent, "evidence", evidence("n1", "first"), &[]);
    let twin = script.seal(&agent, "evidence", evidence("n1", "its twin"), &[]);
    script.record(&first);
    script.expect("present", first.to_line());
    script.expect("fork", twin.to_line());
    let mut place = script.place(&agent);
    if let Some(head) = &mut place.head {
        head.seq += 1;
    }
    script.expect(
        "chain_broken",
        seal_at(&agent, "evidence", evidence("n2", "a gap"), &[], place).to_line(),
    );
    let mut place = script.place(&agent);
    if let Some(head) = &mut place.head {
        head.id = twin.id();
    }
    script.expect(
        "chain_broken",
        seal_at(&agent, "evidence", evidence("n2", "on the twin"), &[], place).to_line(),
    );
    let place = ChainPosition { ts: first.header().ts, ..script.place(&agent) };
    script.expect(
        "not_after_refs",
        seal_at(&agent, "evidence", evidence("n2", "no time passed"), &[], place).to_line(),
    );
    let last = script.append(&agent, "evidence", evidence("n2", "second"), &[]);
    script.append(&agent, "com.example.streak", json!({}), &[("com.example.of", last)]);
    script
}

fn references() -> Script {
    let owner = signer(1);
    let mut script =
        Script::begun("references", "What is cited is in the space already, and earlier.", &owner);
    let missing = script.seal(&signer(3), "evidence", evidence("n0", "never recorded"), &[]).id();
    script.refuse(
        "unknown_ref",
        &owner,
        "node",
        json!({"node_type": "entity"}),
        &[("input", missing)],
    );
    let cited = script.append(&owner, "evidence", evidence("n1", "cited"), &[]);
    let agent = signer(2);
    script.append(&owner, "grant", grant(&agent, &["append"]), &[]);
    let later = script.place(&agent);
    let early = ChainPosition { ts: HlcTimestamp(EPOCH_US + 2_000_000), ..later };
    script.expect(
        "not_after_refs",
        seal_at(&agent, "node", json!({"node_type": "entity"}), &[("input", cited)], early)
            .to_line(),
    );
    script.append(
        &agent,
        "node",
        json!({"node_type": "entity"}),
        &[("input", cited), ("input", cited)],
    );
    script.refuse("unknown_ref", &owner, "claim", claim("k", json!(1)), &[("input", missing)]);
    script
}

fn permissions() -> Script {
    let (owner, agent, stranger) = (signer(1), signer(2), signer(3));
    let mut script =
        Script::begun("permissions", "Who may do what, from which place in the order on.", &owner);
    script.refuse("not_permitted", &agent, "evidence", evidence("n1", "too early"), &[]);
    script.append(&owner, "grant", grant(&agent, &["append"]), &[]);
    let seen = script.append(&agent, "evidence", evidence("n1", "allowed"), &[]);
    script.refuse("not_permitted", &agent, "claim", claim("k", json!(1)), &[("input", seen)]);
    let told = script.append(&agent, "claim", said("k", json!(1)), &[("input", seen)]);
    script.states(&[("k", "active")]);
    script.refuse(
        "not_permitted",
        &agent,
        "claim_refutation",
        refutation("k"),
        &[("target", told)],
    );
    script.refuse("not_permitted", &agent, "grant", grant(&stranger, &["append"]), &[]);
    let by_owner =
        script.append(&owner, "node", json!({"node_type": "decision"}), &[("input", seen)]);
    script.refuse("not_permitted", &agent, "retraction", reason(), &[("target", by_owner)]);
    script.refuse(
        "not_permitted",
        &agent,
        "annotation",
        json!({"tags": []}),
        &[("target", by_owner)],
    );
    script.append(&agent, "annotation", json!({"tags": ["mine"]}), &[("target", told)]);
    script.append(&agent, "retraction", reason(), &[("target", told)]);
    script.states(&[("k", "retracted")]);
    script.append(&owner, "grant", grant(&agent, &["admin"]), &[]);
    script.append(&agent, "grant", grant(&stranger, &["append", "derive"]), &[]);
    script.append(&stranger, "claim", claim("l", json!(1)), &[("input", seen)]);
    script.append(&owner, "revoke", grant(&agent, &["append", "derive", "correct", "admin"]), &[]);
    script.refuse("not_permitted", &agent, "evidence", evidence("n2", "too late"), &[]);
    script.append(&stranger, "evidence", evidence("n3", "the grant outlives its giver's"), &[]);
    script.states(&[("l", "active")]);
    script
}

fn revocations() -> Script {
    let (owner, agent, other) = (signer(1), signer(2), signer(3));
    let mut script = Script::begun(
        "revocations",
        "A revocation may name the last number of the key's chain that it accepts. What lies beyond \
         has no effect, however it is dated; a later grant counts from its own place on.",
        &owner,
    );
    script.append(&owner, "grant", grant(&agent, &["append"]), &[]);
    let seen = script.append(&agent, "evidence", evidence("n1", "seen"), &[]);
    script.append(&agent, "claim", said("k", json!(1)), &[("input", seen)]);
    // Signed now, and offered only after the revocation.
    let hidden = script.seal(&agent, "evidence", evidence("n2", "backdated"), &[]);
    let mut revoke = grant(&agent, &["append"]);
    revoke["last_seq"] = json!(-1);
    script.refuse("malformed", &owner, "revoke", revoke.clone(), &[]);
    revoke["last_seq"] = json!(2);
    script.append(&owner, "revoke", revoke, &[]);
    script.states(&[("k", "active")]);
    script.expect("not_permitted", hidden.to_line());
    script.append(&owner, "grant", grant(&agent, &["append"]), &[]);
    script.expect("not_permitted", hidden.to_line());
    script.append(&agent, "evidence", evidence("n3", "granted again"), &[]);
    let mut revoke = grant(&agent, &["append"]);
    revoke["last_seq"] = json!(0);
    script.append(&owner, "revoke", revoke, &[]);
    script.states(&[("k", "none")]);
    let by_time = script.seal(&other, "evidence", evidence("n4", "dated before"), &[]);
    script.append(&owner, "grant", grant(&other, &["append"]), &[]);
    let honest = script.seal(&other, "evidence", evidence("n4", "dated before"), &[]);
    script.append(&owner, "revoke", grant(&other, &["append"]), &[]);
    script.expect("not_permitted", by_time.to_line());
    script.record(&honest);
    script
}

fn claims() -> Script {
    let owner = signer(1);
    let mut script = Script::begun("claims", "A claim stands on inputs that stand.", &owner);
    let e1 = script.append(&owner, "evidence", evidence("n1", "one"), &[]);
    let e2 = script.append(&owner, "evidence", evidence("n2", "two"), &[]);
    script.refuse("empty_inputs", &owner, "claim", claim("k", json!(1)), &[]);
    let k1 = script.append(&owner, "claim", claim("k", json!(1)), &[("input", e1), ("input", e2)]);
    script.refuse("empty_inputs", &owner, "claim", claim("k", json!(2)), &[("supersedes", k1)]);
    let edge = script.append(
        &owner,
        "edge",
        json!({"edge_type": "supports"}),
        &[("from", e1), ("to", k1), ("input", e2)],
    );
    script.refuse(
        "input_kind",
        &owner,
        "claim",
        claim("l", json!(1)),
        &[("input", e1), ("input", edge)],
    );
    let proposal = script.append(
        &owner,
        "proposal",
        json!({"origin": "vectors", "operations": []}),
        &[("source", e1)],
    );
    script.refuse("input_kind", &owner, "claim", claim("l", json!(1)), &[("input", proposal)]);
    let l1 = script.append(&owner, "claim", claim("l", json!(1)), &[("input", k1)]);
    script.append(&owner, "claim", claim("m", json!(1)), &[("input", k1), ("input", l1)]);
    script.states(&[("k", "active"), ("l", "active"), ("m", "active"), ("n", "none")]);
    let k2 = script.append(
        &owner,
        "claim",
        claim("k", json!(1.0)),
        &[("input", e1), ("supersedes", k1)],
    );
    script.states(&[("k", "active"), ("l", "active"), ("m", "active")]);
    script.append(&owner, "claim", claim("k", json!(2)), &[("input", e1), ("supersedes", k2)]);
    script.states(&[("k", "active"), ("l", "invalidated"), ("m", "invalidated")]);
    script.refuse("stale_input", &owner, "claim", claim("l", json!(2)), &[("input", k1)]);
    script.append(&owner, "evidence_retraction", reason(), &[("target", e2)]);
    script.refuse("stale_input", &owner, "claim", claim("l", json!(2)), &[("input", e2)]);
    script.append(&owner, "evidence", evidence("n1", "one, mended"), &[("supersedes", e1)]);
    script.states(&[("k", "invalidated"), ("l", "invalidated"), ("m", "invalidated")]);
    script.refuse("stale_input", &owner, "claim", claim("k", json!(3)), &[("input", e1)]);
    script
}

fn refutations() -> Script {
    let (owner, agent) = (signer(1), signer(2));
    let mut script = Script::begun(
        "refutations",
        "What is refuted stays refuted until the refutation is withdrawn; then all returns.",
        &owner,
    );
    script.append(&owner, "grant", grant(&agent, &["append", "derive"]), &[]);
    let e1 = script.append(&agent, "evidence", evidence("n1", "one"), &[]);
    let k1 = script.append(&agent, "claim", claim("k", json!(1)), &[("input", e1)]);
    let l1 = script.append(&agent, "claim", claim("l", json!(1)), &[("input", k1)]);
    let refuted = script.append(&owner, "claim_refutation", refutation("k"), &[("target", k1)]);
    script.states(&[("k", "refuted"), ("l", "invalidated")]);
    script.append(&agent, "claim_invalidation", json!({}), &[("target", l1), ("cause", refuted)]);
    script.refuse("identity_refuted", &agent, "claim", claim("k", json!(2)), &[("input", e1)]);
    script.refuse("identity_refuted", &agent, "claim", said("k", json!(2)), &[("input", e1)]);
    script.refuse(
        "corrects_refuted",
        &owner,
        "claim_correction",
        correction("k", json!(2)),
        &[("target", k1)],
    );
    script.refuse("stale_input", &agent, "claim", claim("m", json!(1)), &[("input", k1)]);
    script.append(&owner, "refutation_withdrawal", note(), &[("target", refuted)]);
    script.states(&[("k", "active"), ("l", "active")]);
    let again = script.append(&owner, "claim_refutation", refutation("k"), &[("target", k1)]);
    script.append(&agent, "claim_invalidation", json!({}), &[("target", l1), ("cause", again)]);
    script.states(&[("k", "refuted"), ("l", "invalidated")]);
    script.append(&owner, "claim", said("k", json!(3)), &[("input", e1)]);
    script.states(&[("k", "refuted")]);
    script
}

fn corrections() -> Script {
    let (owner, agent) = (signer(1), signer(2));
    let mut script = Script::begun(
        "corrections",
        "A correction pins an identity and shields what is built on it.",
        &owner,
    );
    script.append(&owner, "grant", grant(&agent, &["append", "derive"]), &[]);
    let e1 = script.append(&agent, "evidence", evidence("n1", "one"), &[]);
    let k1 = script.append(&agent, "claim", claim("k", json!({"day": "tue"})), &[("input", e1)]);
    let l1 = script.append(&agent, "claim", claim("l", json!(1)), &[("input", k1)]);
    let confirmed = script.append(
        &owner,
        "claim_correction",
        correction("k", json!({"day": "tue"})),
        &[("target", k1)],
    );
    script.states(&[("k", "corrected"), ("l", "active")]);
    script.refuse(
        "not_fallen",
        &agent,
        "claim_invalidation",
        json!({}),
        &[("target", l1), ("cause", confirmed)],
    );
    script.refuse(
        "identity_corrected",
        &agent,
        "claim",
        claim("k", json!({"day": "tue"})),
        &[("input", e1)],
    );
    let retracted = script.append(&agent, "evidence_retraction", reason(), &[("target", e1)]);
    script.states(&[("k", "corrected"), ("l", "active")]);
    script.refuse(
        "not_fallen",
        &agent,
        "claim_invalidation",
        json!({}),
        &[("target", k1), ("cause", retracted)],
    );
    let mended = script.append(
        &owner,
        "claim_correction",
        correction("k", json!({"day": "wed"})),
        &[("target", confirmed)],
    );
    script.states(&[("k", "corrected"), ("l", "invalidated")]);
    script.refuse("stale_input", &agent, "claim", claim("m", json!(1)), &[("input", confirmed)]);
    script.append(&agent, "claim", claim("m", json!(1)), &[("input", mended)]);
    script.states(&[("m", "active")]);
    script.append(&owner, "correction_withdrawal", note(), &[("target", mended)]);
    script.states(&[("k", "corrected"), ("l", "active"), ("m", "invalidated")]);
    script.append(&owner, "correction_withdrawal", note(), &[("target", confirmed)]);
    script.states(&[("k", "invalidated"), ("l", "invalidated"), ("m", "invalidated")]);
    script.refuse("stale_input", &agent, "claim", claim("n", json!(1)), &[("input", mended)]);
    script
}

fn invalidations() -> Script {
    let owner = signer(1);
    let mut script = Script::begun(
        "invalidations",
        "The invalidation of a current version is recorded once, and again only after it was restored.",
        &owner,
    );
    let e1 = script.append(&owner, "evidence", evidence("n1", "one"), &[]);
    let k1 = script.append(&owner, "claim", claim("k", json!(1)), &[("input", e1)]);
    let l1 = script.append(&owner, "claim", claim("l", json!(1)), &[("input", k1)]);
    script.refuse(
        "not_fallen",
        &owner,
        "claim_invalidation",
        json!({}),
        &[("target", k1), ("cause", e1)],
    );
    let gone = script.append(&owner, "evidence_retraction", reason(), &[("target", e1)]);
    script.states(&[("k", "invalidated"), ("l", "invalidated")]);
    script.append(&owner, "claim_invalidation", json!({}), &[("target", k1), ("cause", gone)]);
    script.append(&owner, "claim_invalidation", json!({}), &[("target", l1), ("cause", gone)]);
    script.refuse(
        "duplicate_invalidation",
        &owner,
        "claim_invalidation",
        json!({}),
        &[("target", k1), ("cause", gone)],
    );
    script.refuse("target", &owner, "claim_invalidation", json!({}), &[("target", k1)]);
    script.refuse(
        "target",
        &owner,
        "claim_invalidation",
        json!({}),
        &[("target", k1), ("cause", gone), ("cause", e1)],
    );
    let e2 = script.append(&owner, "evidence", evidence("n2", "two"), &[]);
    script.append(&owner, "claim", claim("k", json!(1)), &[("input", e2), ("supersedes", k1)]);
    script.states(&[("k", "active"), ("l", "invalidated")]);
    script.refuse(
        "not_fallen",
        &owner,
        "claim_invalidation",
        json!({}),
        &[("target", k1), ("cause", e2)],
    );
    script
}

fn thoughts() -> Script {
    let owner = signer(1);
    let mut script = Script::begun(
        "thoughts",
        "A thought is original, refines exactly one, or consolidates two or more.",
        &owner,
    );
    let thought = |content: &str| json!({"content": content, "thought_type": "original"});
    let a = script.append(&owner, "thought", thought("a"), &[]);
    let b = script.append(&owner, "thought", thought("b"), &[]);
    script.append(&owner, "thought", thought("a, better"), &[("refines", a)]);
    script.append(&owner, "thought", thought("both"), &[("consolidates", a), ("consolidates", b)]);
    script.append(&owner, "thought", thought("in short"), &[("summary_of", a)]);
    for refs in [
        [("refines", a), ("refines", b)].as_slice(),
        &[("consolidates", a)],
        &[("consolidates", a), ("consolidates", a)],
        &[("refines", a), ("consolidates", a), ("consolidates", b)],
    ] {
        script.refuse("thought_lineage", &owner, "thought", thought("c"), refs);
    }
    script
}

fn records() -> Script {
    let owner = signer(1);
    let mut script = Script::begun(
        "records",
        "Any object is the body of a thought, node, edge, annotation or redaction that arrives. To \
         be appended, a field that the table of kinds names must fit its type there; null counts \
         as absent.",
        &owner,
    );
    let seen = script.append(&owner, "evidence", evidence("n1", "one"), &[]);
    let thought = json!({"content": "a", "thought_type": "original", "contributor_id": "agent-1",
        "contributor_name": "Agent", "context": "b", "tags": ["c"], "category": "d", "topic": "e",
        "pipeline": {"step": 1}, "com.example.more": [1]});
    let thought = script.append(&owner, "thought", thought, &[]);
    let node = json!({"node_type": "decision", "text": "a", "payload": {"of": null},
        "visibility": "private", "tags": []});
    let node = script.append(&owner, "node", node, &[("input", seen)]);
    let edge = json!({"edge_type": "depends_on", "label": null, "confidence": 1, "notes": "a",
        "visibility": "project"});
    script.append(&owner, "edge", edge, &[("from", node), ("to", thought), ("input", seen)]);
    let labels = json!({"category": "a", "topic": "b", "tags": ["c"], "visibility": "global",
        "mark": "removal"});
    script.append(&owner, "annotation", labels, &[("target", node)]);
    script.append(&owner, "redaction", json!({"reason": "a"}), &[("target", seen)]);
    let proposed = |local: &str, refs: Value| {
        json!({"origin": "model", "operations": [
            {"local": "a", "kind": "node", "body": {}, "refs": [{"id": seen, "role": "input"}]},
            {"local": local, "kind": "node", "body": {}, "refs": refs}]})
    };
    let cites = |name: &str| json!([{"local": name, "role": "input"}]);
    script.append(&owner, "proposal", proposed("b", cites("a")), &[("source", seen)]);
    for body in [
        proposed("b", cites("c")),
        proposed("b", cites("b")),
        proposed("a", cites("a")),
        proposed("B", cites("a")),
    ] {
        script.refuse("unfit_field", &owner, "proposal", body, &[("source", seen)]);
    }
    let (from, to, target) = (("from", node), ("to", thought), ("target", node));
    for (kind, body, refs) in [
        ("thought", json!({"thought_type": "wild"}), [].as_slice()),
        ("thought", json!({"content": ["a"]}), &[]),
        ("thought", json!({"tags": ["a", 1]}), &[]),
        ("node", json!({"node_type": "event", "text": "a"}), &[]),
        ("node", json!({"node_type": "entity", "visibility": "secret"}), &[]),
        ("edge", json!({"edge_type": "likes"}), &[from, to]),
        ("edge", json!({"edge_type": "supports", "confidence": "high"}), &[from, to]),
        ("annotation", json!({"mark": "removed"}), &[target]),
        ("redaction", json!({"reason": 1}), &[target]),
    ] {
        script.refuse("unfit_field", &owner, kind, body, refs);
    }
    script
}

fn edges() -> Script {
    let owner = signer(1);
    let mut script = Script::begun(
        "edges",
        "A node and an edge have inputs. What an edge replaces or redirects stands, is of one kind \
         with what stands for it, and forms no ring.",
        &owner,
    );
    let seen = script.append(&owner, "evidence", evidence("n1", "one"), &[]);
    let other = script.append(&owner, "evidence", evidence("n2", "two"), &[]);
    let decision = |text: &str| json!({"node_type": "decision", "text": text});
    let edge = |edge_type: &str| json!({ "edge_type": edge_type });
    script.refuse("empty_inputs", &owner, "node", decision("a"), &[]);
    let [a, b, c] = ["a", "b", "c"]
        .map(|text| script.append(&owner, "node", decision(text), &[("input", seen)]));
    let belief = script.append(&owner, "claim", said("k", json!(1)), &[("input", seen)]);
    let ends = |from, to| [("from", from), ("to", to), ("input", seen)];
    script.refuse("edge_ends", &owner, "edge", edge("supports"), &ends(a, b)[1..]);
    script.refuse("unfit_field", &owner, "edge", json!({}), &ends(a, b));
    script.refuse("self_edge", &owner, "edge", edge("supports"), &ends(a, a));
    script.refuse("empty_inputs", &owner, "edge", edge("supports"), &ends(a, b)[..2]);
    for edge_type in ["supersedes", "same_as"] {
        script.refuse("different_kinds", &owner, "edge", edge(edge_type), &ends(a, belief));
        script.refuse("stale_end", &owner, "edge", edge(edge_type), &ends(seen, other));
        script.append(&owner, "edge", edge(edge_type), &ends(a, b));
        script.append(&owner, "edge", edge(edge_type), &ends(b, c));
        script.refuse("cycle", &owner, "edge", edge(edge_type), &ends(c, a));
    }
    script.append(&owner, "node", decision(" A"), &[("input", seen)]);
    script.refuse("stale_end", &owner, "edge", edge("same_as"), &ends(a, c));
    script.append(&owner, "edge", edge("supports"), &ends(a, c));
    script.append(&owner, "evidence_retraction", reason(), &[("target", other)]);
    script.refuse("stale_input", &owner, "node", decision("d"), &[("input", other)]);
    script
}

fn targets() -> Script {
    let owner = signer(1);
    let mut script = Script::begun(
        "targets",
        "What acts on another operation acts on exactly one, of the right kind.",
        &owner,
    );
    let seen = script.append(&owner, "evidence", evidence("n1", "one"), &[]);
    let belief = script.append(&owner, "claim", claim("k", json!(1)), &[("input", seen)]);
    let thought = script.append(&owner, "thought", json!({"content": "hm"}), &[]);
    let kinds = [
        (Kind::EvidenceRetraction, reason(), belief),
        (Kind::ClaimCorrection, correction("k", json!(2)), seen),
        (Kind::ClaimRefutation, refutation("k"), seen),
        (Kind::CorrectionWithdrawal, note(), belief),
        (Kind::RefutationWithdrawal, note(), belief),
        (Kind::ClaimInvalidation, json!({}), seen),
        (Kind::Retraction, reason(), seen),
        (Kind::Decision, json!({"verdict": "accept"}), thought),
    ];
    for (kind, body, wrong) in kinds {
        script.refuse("target", &owner, kind.as_str(), body.clone(), &[]);
        script.refuse("target", &owner, kind.as_str(), body, &[("target", wrong)]);
    }
    for kind in ["annotation", "redaction"] {
        script.refuse("target", &owner, kind, json!({}), &[]);
        script.refuse("target", &owner, kind, json!({}), &[("target", seen), ("target", belief)]);
        script.append(&owner, kind, json!({}), &[("target", seen)]);
    }
    script.refuse(
        "target",
        &owner,
        "claim_refutation",
        refutation("k"),
        &[("target", belief), ("target", belief)],
    );
    script
}
