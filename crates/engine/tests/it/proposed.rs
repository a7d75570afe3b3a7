//! Proposed changes: what a program may ask for in the user's name, and what accepting appends.

use engine::belief::proposed::{Consent, PROPOSAL_ROLE, propose};
use engine::belief::review::Status;
use engine::write::import::Intent;
use engine::{EngineError, Sealer};
use kernel::body::{Body, Grant, Reason};
use kernel::id::OpId;
use kernel::kind::Capability;
use kernel::operation::{Ref, Role};
use kernel::seal::{Draft, Signer};

use crate::support::{Home, at, id_of};

fn agent() -> Sealer {
    Sealer::new(Signer::from_seed([77; 32]))
}

/// A space in which the agent may do this, and a note of the user.
fn home(may: &[Capability]) -> (Home, OpId) {
    let mut home = Home::new();
    home.space.change_access(agent().author(), "Agent", may.to_vec(), true, at(1)).unwrap();
    let note = id_of(home.remember("1", "I love tea"));
    (home, note)
}

fn retraction(note: OpId) -> Draft {
    let reason = Reason { reason: "wrong".to_owned() };
    let refs = vec![Ref { id: note, role: Role::parse(Role::TARGET).unwrap() }];
    Draft { body: Body::EvidenceRetraction(reason), refs }
}

fn stage(home: &mut Home, drafts: &[Draft]) -> Result<OpId, EngineError> {
    let agent = agent();
    let mut writer = home.space.writer_with(&agent);
    let id = writer.append(propose(drafts, "Agent", "take it back?")?, at(5))?;
    writer.finish()?;
    Ok(id)
}

#[test]
fn accepting_appends_what_was_proposed_and_names_who_proposed_it() {
    let (mut home, note) = home(&[Capability::Append, Capability::Derive]);
    let id = stage(&mut home, &[retraction(note)]).unwrap();
    let change = home.space.change_to_decide(&id.to_string()).unwrap().unwrap();
    assert_eq!((change.origin.as_str(), change.by), ("Agent", agent().author()));
    let again = Draft {
        body: Body::EvidenceRetraction(Reason { reason: "said otherwise".to_owned() }),
        ..retraction(note)
    };
    let before = home.space.proposed_before(&[again]).unwrap().unwrap();
    assert_eq!((before.id, before.status), (id, Status::Pending), "reasons make no difference");
    let drafts = change.accept(Consent::Elicitation, "").unwrap();
    let done = home.space.act(drafts, Intent::Write, at(6)).unwrap();
    let shown = home.space.show(&done.recorded[0]).unwrap().operation;
    assert_eq!(shown.header().author, home.space.author());
    let cited: Vec<(&str, OpId)> =
        shown.header().refs.iter().map(|cited| (cited.role.as_str(), cited.id)).collect();
    assert_eq!(cited, [(Role::TARGET, note), (PROPOSAL_ROLE, id)]);
    let decision = home.space.show(&done.recorded[1]).unwrap().operation.body_value().unwrap();
    assert_eq!(decision["asked"]["how"], "elicitation");
    let settled = home.space.change_to_decide(&id.to_string()).unwrap_err();
    assert_eq!(settled.code(), "review_settled");
}

#[test]
fn a_proposal_that_would_append_anything_else_is_not_a_change() {
    let (mut home, note) = home(&[Capability::Append, Capability::Derive]);
    let key = Signer::from_seed([78; 32]).author();
    let grant =
        Grant { key, name: String::new(), capabilities: vec![Capability::Admin], last_seq: None };
    let grant = Draft { body: Body::Grant(grant), ..retraction(note) };
    let mut two_refs = retraction(note);
    two_refs.refs.push(Ref { id: note, role: Role::parse("cause").unwrap() });
    for drafts in [
        vec![grant.clone()],
        vec![retraction(note), grant],
        vec![two_refs],
        vec![retraction(note); 17],
        Vec::new(),
    ] {
        stage(&mut home, &drafts).unwrap();
        assert_eq!(home.space.proposed_changes(None).unwrap(), []);
    }
}

#[test]
fn a_key_that_may_only_append_proposes_nothing() {
    let (mut home, note) = home(&[Capability::Append]);
    let refused = stage(&mut home, &[retraction(note)]).unwrap_err();
    assert_eq!(refused.code(), "not_permitted");
}
