//! Learned changes: preferences that a program draws from what happened, such as "run the tests
//! before each commit" after a complaint.
//!
//! Where the person lets programs learn, such a preference becomes a claim at once; otherwise it is
//! a proposal, and the claim is appended when the person accepts it. Both have the same claim. It
//! names no person as its author: its deriver is [`PROGRAM`], which is not deterministic.

use kernel::body::{Body, Claim, Deriver, TextClaimType};
use kernel::evidence::Visibility;
use kernel::id::OpId;
use kernel::identity::text_key;
use kernel::kind::Kind;
use kernel::operation::{Ref, Role};
use kernel::proposal::{Proposed, ProposedTarget};
use kernel::records::Records;
use kernel::seal::Draft;
use kernel::validity::Validity;
use kernel::when::When;
use kernel::{canonical, ledger_index::LedgerIndex};
use serde_json::{Value, json};

use crate::EngineError;
use crate::write::graph::{INPUT_ROLE, RecordType, Statement, cite_as_inputs};

/// The tag of learned preferences.
pub const LEARNED: &str = "mi:learned";
/// What concludes them, and its version.
const PROGRAM: (&str, &str) = ("learned", "1.0.0");
/// How sure a learned preference is.
const CONFIDENCE: f64 = 0.9;
/// Most records that one cites.
pub const SOURCES_MAX: usize = 64;

/// Who may see a learned preference, and when it holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bounds {
    /// Who may see it.
    pub visibility: Visibility,
    /// From when it holds.
    pub valid_from: Option<When>,
    /// Until when (exclusive).
    pub valid_to: Option<When>,
}

/// A learned preference as it is stated.
pub fn statement(text: &str, sources: &[OpId], bounds: Bounds) -> Result<Statement, EngineError> {
    let Bounds { visibility, valid_from, valid_to } = bounds;
    let (name, version) = PROGRAM;
    let deriver =
        Deriver { name: name.to_owned(), version: version.to_owned(), deterministic: false };
    let record_type = RecordType::Claim(TextClaimType::Preference.as_str().to_owned());
    Ok(Statement {
        inputs: cite_as_inputs(sources)?,
        tags: vec![LEARNED.to_owned()],
        visibility,
        valid_from,
        valid_to,
        deriver: Some(deriver),
        confidence: CONFIDENCE,
        confidence_basis: json!({ "source": LEARNED }),
        ..Statement::new(record_type, text)
    })
}

/// The same as a draft, for a proposal. Its text has no secrets.
pub fn draft(text: &str, sources: &[OpId], bounds: Bounds) -> Result<Draft, EngineError> {
    let Statement {
        tags,
        deriver,
        confidence,
        confidence_basis,
        visibility,
        valid_from,
        valid_to,
        ..
    } = statement(text, sources, bounds)?;
    let claim = Claim {
        claim_type: TextClaimType::Preference.as_str().to_owned(),
        identity_key: text_key(TextClaimType::Preference.as_str(), text),
        subject: "self".to_owned(),
        text: text.to_owned(),
        payload: Value::Null,
        deriver,
        confidence,
        confidence_basis,
        rationale: String::new(),
        valid_at: None,
        valid_from,
        valid_to,
        last_seen: None,
        visibility,
        tags,
    };
    let role = Role::parse(INPUT_ROLE)?;
    let refs = sources.iter().map(|id| Ref { id: *id, role: role.clone() }).collect();
    Ok(Draft { body: Body::Claim(claim), refs })
}

/// Reads a proposed operation as a learned preference. It must be exactly what [`draft`] makes:
/// any key that may derive can propose, so nothing else is taken from it.
pub(super) fn read(operation: &Proposed) -> Option<Draft> {
    let bytes = canonical::to_bytes(&operation.body).ok()?;
    let Body::Claim(claim) = Body::parse(&Kind::Claim, &bytes).ok()? else { return None };
    let sources = operation.refs.iter().map(|cited| match cited.target {
        ProposedTarget::Id(id) => Some(id),
        ProposedTarget::Local(_) => None,
    });
    let sources: Vec<OpId> = sources.collect::<Option<_>>()?;
    let bounds = Bounds {
        visibility: claim.visibility,
        valid_from: claim.valid_from.clone(),
        valid_to: claim.valid_to.clone(),
    };
    let draft = draft(&claim.text, &sources, bounds).ok()?;
    let is_same = draft.body == Body::Claim(claim)
        && operation.refs.iter().all(|cited| cited.role == INPUT_ROLE)
        && (1..=SOURCES_MAX).contains(&sources.len());
    is_same.then_some(draft)
}

/// The claim of an accepted proposal, which names it. It does not cite it: a proposal is not
/// evidence.
pub(super) fn accepted(claim: &mut Claim, proposal: &OpId) {
    claim.confidence_basis = json!({ "source": LEARNED, "proposal": proposal });
}

/// The proposal that a claim was accepted from.
pub(crate) fn proposal_of(claim: &Claim) -> Option<OpId> {
    claim.confidence_basis.get("proposal")?.as_str()?.parse().ok()
}

/// Whether there is nothing left to decide: it is believed, or was refuted, or what it was learned
/// from no longer counts.
pub(super) fn is_moot<W: LedgerIndex + ?Sized>(
    index: &W,
    claim: &Claim,
    refs: &[Ref],
) -> Result<bool, W::Error> {
    let mut validity = Validity::new(index);
    for cited in refs {
        if !validity.is_valid_input(&cited.id)? {
            return Ok(true);
        }
    }
    Ok(validity.is_refuted(&claim.identity_key)?
        || Records::new(index).stated(&Kind::Claim, &claim.identity_key)?.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::belief::review::proposed;

    #[test]
    fn nothing_but_the_claim_that_the_program_makes_is_read_from_a_proposal() {
        let source = OpId([7; 32]);
        let made = draft("Small commits", &[source], Bounds::default()).unwrap();
        assert_eq!(read(&proposed(&made).unwrap()), Some(made.clone()));
        let altered = |alter: &dyn Fn(&mut Draft)| {
            let mut other = made.clone();
            alter(&mut other);
            read(&proposed(&other).unwrap())
        };
        let claim_of = |draft: &mut Draft, alter: &dyn Fn(&mut Claim)| match &mut draft.body {
            Body::Claim(claim) => alter(claim),
            _ => unreachable!("it is a claim"),
        };
        let setting = "mi:setting:auto_learn".to_owned();
        let alterations: [&dyn Fn(&mut Claim); 7] = [
            &|claim| claim.tags.push(setting.clone()),
            &|claim| claim.deriver = None,
            &|claim| claim.confidence = 1.0,
            &|claim| claim.identity_key = "text|preference|0".to_owned(),
            &|claim| claim.claim_type = "fact".to_owned(),
            &|claim| claim.payload = json!({ "more": true }),
            &|claim| claim.rationale = "because".to_owned(),
        ];
        for (number, alter) in alterations.into_iter().enumerate() {
            assert_eq!(altered(&|draft| claim_of(draft, alter)), None, "{number}");
        }
        let role = |role| Role::parse(role).unwrap();
        assert_eq!(altered(&|draft| draft.refs.clear()), None);
        assert_eq!(altered(&|draft| draft.refs[0].role = role(Role::SUPERSEDES)), None);
    }
}
