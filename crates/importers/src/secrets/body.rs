//! Masking what any operation says, whoever says it: a note of a correction, the name of a device.

use kernel::body::{
    Body, Claim, Correction, Deriver, Grant, Import, Importer, Reason, Refutation, Space,
    Withdrawal,
};
use kernel::proposal::{Decision, Proposal, Proposed, ProposedTarget, Question};
use serde_json::{Map, Value};

use super::report::Report;
use super::{Masked, mask};

/// Replaces every secret in every text of a body.
///
/// The identity keys of corrections, refutations and reviews stay as they are: they name what is in
/// the ledger already, and would else name something else.
pub fn mask_body(mut body: Body) -> Masked<Body> {
    let mut report = Report::default();
    match &mut body {
        Body::Evidence(_) => {}
        Body::Space(Space { name, owner: _, created, settings }) => {
            report.one("name", name);
            report.one("created", created);
            report.object("settings", settings);
        }
        Body::Grant(grant) | Body::Revoke(grant) => {
            let Grant { key: _, name, capabilities: _, last_seq: _ } = grant;
            report.one("name", name);
        }
        Body::EvidenceRetraction(Reason { reason }) | Body::Retraction(Reason { reason }) => {
            report.one("reason", reason);
        }
        Body::Claim(claim) => claimed(claim, &mut report),
        Body::ClaimCorrection(Correction { identity_key: _, corrected_payload, text, note }) => {
            report.value("corrected_payload", corrected_payload);
            if let Some(text) = text {
                report.repeating("text", text);
            }
            report.repeating("note", note);
        }
        Body::ClaimRefutation(Refutation { identity_key: _, note })
        | Body::CorrectionWithdrawal(Withdrawal { note })
        | Body::RefutationWithdrawal(Withdrawal { note })
        | Body::RetractionWithdrawal(Withdrawal { note }) => report.one("note", note),
        Body::Import(import) => imported(import, &mut report),
        Body::Proposal(proposal) => proposed(proposal, &mut report),
        Body::Decision(Decision { verdict, feedback, others }) => {
            report.one("verdict", verdict);
            report.one("feedback", feedback);
            report.object("", others);
        }
        Body::ClaimInvalidation(fields) | Body::Other(_, fields) => report.object("", fields),
        Body::Thought(thought) => fields_of(thought, &mut report),
        Body::Node(node) => fields_of(node, &mut report),
        Body::Edge(edge) => fields_of(edge, &mut report),
        Body::Annotation(annotation) => fields_of(annotation, &mut report),
        Body::Redaction(redaction) => fields_of(redaction, &mut report),
    }
    match body {
        Body::Evidence(evidence) => {
            let Masked { value, secrets } = mask(evidence);
            Masked { value: Body::Evidence(value), secrets }
        }
        body => report.masked(body),
    }
}

/// Masks a body in which any object is allowed: as the object that it is written as.
fn fields_of<T>(body: &mut T, report: &mut Report)
where
    T: Default + From<Map<String, Value>>,
    Map<String, Value>: From<T>,
{
    let mut fields = Map::from(std::mem::take(body));
    report.object("", &mut fields);
    *body = T::from(fields);
}

/// The path is masked, because a file may be named after a token. The digest is not text.
fn imported(import: &mut Import, report: &mut Report) {
    for (name, text) in [("source", &mut import.source), ("path", &mut import.path)] {
        if let Some(text) = text {
            report.one(name, text);
        }
    }
    if let Some(Importer { name, version }) = &mut import.importer {
        report.one("importer.name", name);
        report.one("importer.version", version);
    }
    report.object("", &mut import.others);
}

fn claimed(claim: &mut Claim, report: &mut Report) {
    let Claim {
        claim_type,
        identity_key,
        subject,
        text,
        payload,
        deriver,
        confidence: _,
        confidence_basis,
        rationale,
        valid_at: _,
        valid_from: _,
        valid_to: _,
        last_seen: _,
        visibility: _,
        tags,
    } = claim;
    report.one("claim_type", claim_type);
    report.one("identity_key", identity_key);
    report.one("subject", subject);
    report.value("payload", payload);
    report.repeating("text", text);
    if let Some(Deriver { name, version, deterministic: _ }) = deriver {
        report.one("deriver.name", name);
        report.one("deriver.version", version);
    }
    report.value("confidence_basis", confidence_basis);
    report.repeating("rationale", rationale);
    report.many("tags", tags);
}

fn proposed(proposal: &mut Proposal, report: &mut Report) {
    let Proposal { origin, confidence: _, text, review, operations, others } = proposal;
    report.one("origin", origin);
    if let Some(Question { identity_key: _, reason: _, trigger: _, payload: Some(payload) }) =
        review
    {
        report.value("review.payload", payload);
    }
    for (index, Proposed { local, kind, body, refs }) in operations.iter_mut().enumerate() {
        if let Some(local) = local {
            report.one(&format!("operations[{index}].local"), local);
        }
        report.one(&format!("operations[{index}].kind"), kind);
        report.object(&format!("operations[{index}].body"), body);
        for cited in refs {
            if let ProposedTarget::Local(name) = &mut cited.target {
                report.one(&format!("operations[{index}].refs"), name);
            }
            report.one(&format!("operations[{index}].refs"), &mut cited.role);
        }
    }
    report.repeating("text", text);
    report.object("", others);
}
