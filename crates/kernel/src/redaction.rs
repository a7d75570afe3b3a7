//! Which bodies are forgotten.
//!
//! A `redaction` says that the body of its target is to be erased wherever it is met. What was
//! built from the target, or speaks about it, may repeat what it said. So the body of an operation
//! is *redacted*
//!
//! - if a redaction that has effect targets it, or
//! - if it *quotes* an operation whose body is redacted ([`KindSpec::quotes`]): a claim its inputs,
//!   a proposal its sources, an annotation its target.
//!
//! A redaction may instead cite its operation as `archived`: somebody moved the body out of the
//! ledger, and nobody took back what it says. Then the body of this operation is redacted and no
//! other, and all that stands on it goes on standing.
//!
//! Bodies of grants and revocations, and of the genesis operation, are never redacted: they say who
//! may do what. A correction and a refutation quote nothing: they are a person's own word. They are
//! redacted only by name, and only together with what they are about ([`BodyNeed`]); so are their
//! withdrawals and decisions, if they are named. A retraction, and what takes one back, can be
//! redacted by name alone: what they do follows from their headers, and their bodies are only
//! reasons.
//!
//! This is a function of the set of operations, and needs no bodies. So every device erases the
//! same, in whatever order redactions and what quotes their targets arrive. Whoever stores a ledger
//! stores no redacted body; for the rules and the states, it is removed.
//!
//! [`KindSpec::quotes`]: crate::kind_spec::KindSpec::quotes

use std::collections::{BTreeSet, HashSet};

use crate::id::OpId;
use crate::kind::Kind;
use crate::kind_spec::BodyNeed;
use crate::ledger_index::{Citing, Entry, LedgerIndex};
use crate::operation::{Ref, Role};
use crate::validity::Validity;

/// The operations that one with these citations may repeat.
pub fn quoted<'r>(kind: &Kind, refs: &'r [Ref]) -> impl Iterator<Item = OpId> + use<'r> {
    let spec = kind.spec();
    refs.iter()
        .filter(move |reference| spec.is_quote(reference.role.as_str()))
        .map(|reference| reference.id)
}

/// Whether the body of a kind can be redacted.
pub fn can_be_redacted(kind: &Kind) -> bool {
    kind.spec().body != BodyNeed::Always
}

/// The latest redaction that has effect and cites an operation as archived.
fn archival_of<W: LedgerIndex + ?Sized>(
    index: &W,
    entry: &Entry,
) -> Result<Option<Entry>, W::Error> {
    if entry.kind.spec().body != BodyNeed::Removable {
        return Ok(None);
    }
    Validity::new(index).last_acting(&entry.id, &Kind::Redaction, Role::ARCHIVED)
}

/// The latest redaction that has effect and forgets an operation. A person's word goes only
/// together with what it is about.
pub fn redaction_of<W: LedgerIndex + ?Sized>(
    index: &W,
    entry: &Entry,
) -> Result<Option<Entry>, W::Error> {
    let redaction = naming(index, entry)?;
    if redaction.is_some()
        && goes_with_target(&entry.kind)
        && redaction_behind(index, &entry.id)?.is_none()
    {
        return Ok(None);
    }
    Ok(redaction)
}

/// The latest redaction that has effect and targets an operation whose body can be redacted.
fn naming<W: LedgerIndex + ?Sized>(index: &W, entry: &Entry) -> Result<Option<Entry>, W::Error> {
    if !can_be_redacted(&entry.kind) {
        return Ok(None);
    }
    Validity::new(index).last_acting(&entry.id, &Kind::Redaction, Role::TARGET)
}

/// Whether a redaction that names an operation of this kind has effect only once what the operation
/// is about is redacted too: without the user's word, something else would be believed. A
/// retraction, or what takes one back, acts by its header alone, so its body can be redacted by
/// itself.
fn goes_with_target(kind: &Kind) -> bool {
    kind.spec().body == BodyNeed::WithItsTarget && !is_retraction(kind)
}

/// Whether a kind retracts, or takes a retraction back.
pub fn is_retraction(kind: &Kind) -> bool {
    matches!(kind, Kind::EvidenceRetraction | Kind::Retraction | Kind::RetractionWithdrawal)
}

/// Why the body of an operation is redacted: the redaction of it, or of the first operation found
/// on the way down its quotations, or that by which it was archived. None if it is not redacted.
pub fn redaction_behind<W: LedgerIndex + ?Sized>(
    index: &W,
    id: &OpId,
) -> Result<Option<Entry>, W::Error> {
    match index.entry(id)? {
        Some(entry) => redaction_behind_entry(index, entry),
        None => Ok(None),
    }
}

/// The same for an operation that may not be in the ledger yet.
pub fn redaction_behind_entry<W: LedgerIndex + ?Sized>(
    index: &W,
    entry: Entry,
) -> Result<Option<Entry>, W::Error> {
    match forgotten_behind_entry(index, entry.clone())? {
        Some(redaction) => Ok(Some(redaction)),
        None => archival_of(index, &entry),
    }
}

/// Why an operation is forgotten: as [`redaction_behind`], but none if it was only archived.
pub fn forgotten_behind<W: LedgerIndex + ?Sized>(
    index: &W,
    id: &OpId,
) -> Result<Option<Entry>, W::Error> {
    match index.entry(id)? {
        Some(entry) => forgotten_behind_entry(index, entry),
        None => Ok(None),
    }
}

fn forgotten_behind_entry<W: LedgerIndex + ?Sized>(
    index: &W,
    entry: Entry,
) -> Result<Option<Entry>, W::Error> {
    // The redaction of a word is the one to name, once what the word is about is redacted.
    let own = if goes_with_target(&entry.kind) { naming(index, &entry)? } else { None };
    let mut seen = HashSet::new();
    let mut stack = vec![entry];
    while let Some(entry) = stack.pop() {
        if !seen.insert(entry.id) || !can_be_redacted(&entry.kind) {
            continue;
        }
        let redaction = naming(index, &entry)?;
        if redaction.is_some() && !goes_with_target(&entry.kind) {
            return Ok(own.or(redaction));
        }
        // Only a word gets here with a redaction; what it is about decides.
        let about = entry.sole_ref(Role::TARGET).filter(|_| redaction.is_some());
        for id in quoted(&entry.kind, &entry.refs).chain(about) {
            if !seen.contains(&id) {
                stack.extend(index.entry(&id)?);
            }
        }
    }
    Ok(None)
}

/// Every operation whose body is redacted because those of `targets` are, and these themselves.
/// `targets` that no redaction with effect names are left out.
pub fn redacted_with<W: LedgerIndex + ?Sized>(
    index: &W,
    targets: impl IntoIterator<Item = OpId>,
) -> Result<BTreeSet<OpId>, W::Error> {
    let (mut named, mut alone) = (Vec::new(), Vec::new());
    for target in targets {
        let Some(entry) = index.entry(&target)? else { continue };
        if redaction_of(index, &entry)?.is_some() {
            named.push(target);
        } else if archival_of(index, &entry)?.is_some() {
            alone.push(target);
        }
    }
    let mut redacted = spread(index, named, BTreeSet::new(), |citing| {
        // A redaction of a word counts from when what the word is about is redacted.
        if citing.role.as_str() != Role::TARGET || !goes_with_target(&citing.kind) {
            return Ok(false);
        }
        let Some(entry) = index.entry(&citing.id)? else { return Ok(false) };
        Ok(naming(index, &entry)?.is_some())
    })?;
    redacted.extend(alone);
    Ok(redacted)
}

/// What a redaction concerns.
pub fn concerned(refs: &[Ref]) -> impl Iterator<Item = OpId> {
    let is_it = |cited: &&Ref| matches!(cited.role.as_str(), Role::TARGET | Role::ARCHIVED);
    refs.iter().filter(is_it).map(|cited| cited.id)
}

/// `ids`, and every operation that quotes one of them, at any depth.
pub fn quoting<W: LedgerIndex + ?Sized>(
    index: &W,
    ids: impl IntoIterator<Item = OpId>,
) -> Result<BTreeSet<OpId>, W::Error> {
    quoting_beside(index, ids, BTreeSet::new())
}

/// The same together with `known`, which already has whatever quotes what is in it.
pub fn quoting_beside<W: LedgerIndex + ?Sized>(
    index: &W,
    ids: impl IntoIterator<Item = OpId>,
    known: BTreeSet<OpId>,
) -> Result<BTreeSet<OpId>, W::Error> {
    spread(index, ids, known, |_| Ok(false))
}

/// Adds `ids` to what is found, and every operation that quotes one of them or `follows` what it
/// cites, at any depth.
fn spread<W: LedgerIndex + ?Sized>(
    index: &W,
    ids: impl IntoIterator<Item = OpId>,
    mut found: BTreeSet<OpId>,
    follows: impl Fn(&Citing) -> Result<bool, W::Error>,
) -> Result<BTreeSet<OpId>, W::Error> {
    let mut stack: Vec<OpId> = ids.into_iter().collect();
    while let Some(id) = stack.pop() {
        if !found.insert(id) {
            continue;
        }
        for citing in index.citing(&id)? {
            if citing.kind.spec().is_quote(&citing.role) || follows(&citing)? {
                stack.push(citing.id);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::body::Body;
    use crate::canonical;
    use crate::ledger_index::Graph;
    use crate::operation::HlcTimestamp;
    use crate::rules::judge_content;
    use crate::seal::{ChainPosition, Draft, Signer};
    use crate::validity::State;

    /// A ledger of key 1 in which key 2 may append.
    struct Ledger {
        graph: Graph,
        ts: u64,
    }

    impl Ledger {
        fn new() -> Self {
            let mut ledger = Self { graph: Graph::default(), ts: 0 };
            let owner = Signer::from_seed([1; 32]).author();
            ledger.add(
                1,
                "space",
                &json!({"name": "t", "owner": owner, "created": "2026-01-01T00:00:00Z"}),
                &[],
            );
            let other = Signer::from_seed([2; 32]).author();
            ledger.add(1, "grant", &json!({"key": other, "capabilities": ["append"]}), &[]);
            ledger
        }

        fn add(&mut self, key: u8, kind: &str, body: &Value, refs: &[(&str, OpId)]) -> OpId {
            self.ts += 1;
            let kind = Kind::parse(kind).unwrap();
            let body = Body::parse(&kind, &canonical::to_bytes(body).unwrap()).unwrap();
            let refs = refs
                .iter()
                .map(|(role, id)| Ref { id: *id, role: Role::parse(role).unwrap() })
                .collect();
            let signer = Signer::from_seed([key; 32]);
            let Ok(space) = self.graph.space();
            let Ok(head) = self.graph.head(&signer.author());
            let place = ChainPosition { space, head, ts: HlcTimestamp(self.ts) };
            let operation = signer.seal(Draft { body: body.clone(), refs }, place).unwrap();
            self.graph.insert(&operation, Some(&body));
            operation.id()
        }

        fn note(&mut self) -> OpId {
            let note = json!({"source": "t", "source_uid": "1", "kind": "note", "summary": "", "visibility": "project", "payload": {}});
            self.add(1, "evidence", &note, &[])
        }

        fn claim(&mut self, key: &str, refs: &[(&str, OpId)]) -> OpId {
            self.add(1, "claim", &json!({"claim_type": "t", "identity_key": key}), refs)
        }

        fn is_redacted(&self, id: &OpId) -> bool {
            let Ok(redaction) = redaction_behind(&self.graph, id);
            redaction.is_some()
        }

        fn state(&self, key: &str) -> State {
            let Ok(state) = Validity::new(&self.graph).state(key);
            state
        }
    }

    #[test]
    fn what_quotes_a_forgotten_record_is_forgotten_with_it_at_any_depth() {
        let mut ledger = Ledger::new();
        let (gone, kept) = (ledger.note(), ledger.note());
        let base = ledger.claim("base", &[("input", gone), ("input", kept)]);
        let top = ledger.claim("top", &[("input", base)]);
        let next = ledger.claim("base", &[("input", kept), ("supersedes", base)]);
        let label = ledger.add(1, "annotation", &json!({}), &[("target", gone)]);
        let asked = ledger.add(1, "proposal", &json!({}), &[("source", top)]);
        let answer = ledger.add(1, "decision", &json!({}), &[("target", asked)]);
        let corrected = json!({"identity_key": "top", "corrected_payload": 1});
        let own_word = ledger.add(1, "claim_correction", &corrected, &[("target", top)]);
        let all = [gone, kept, base, top, next, label, asked, answer, own_word];
        assert!(all.iter().all(|id| !ledger.is_redacted(id)));
        ledger.add(1, "redaction", &json!({}), &[("target", gone)]);
        let redacted = [gone, base, top, label, asked, answer];
        for id in all {
            assert_eq!(ledger.is_redacted(&id), redacted.contains(&id));
        }
        let Ok(with) = redacted_with(&ledger.graph, [gone, kept]);
        assert_eq!(with, redacted.into_iter().collect());
    }

    #[test]
    fn nothing_stands_on_what_is_forgotten() {
        let mut ledger = Ledger::new();
        let (gone, kept) = (ledger.note(), ledger.note());
        ledger.claim("on it", &[("input", gone)]);
        ledger.claim("beside it", &[("input", kept)]);
        ledger.add(1, "redaction", &json!({}), &[("target", gone)]);
        assert_eq!(ledger.state("on it"), State::Invalidated);
        assert_eq!(ledger.state("beside it"), State::Active);
    }

    #[test]
    fn a_key_that_may_not_correct_makes_nobody_forget() {
        let mut ledger = Ledger::new();
        let note = ledger.note();
        ledger.claim("on it", &[("input", note)]);
        ledger.add(2, "redaction", &json!({}), &[("target", note)]);
        assert!(!ledger.is_redacted(&note));
        assert_eq!(ledger.state("on it"), State::Active);
    }

    #[test]
    fn who_may_do_what_is_never_forgotten() {
        let mut ledger = Ledger::new();
        let Ok(space) = ledger.graph.space();
        let genesis = space.unwrap().0;
        let key = Signer::from_seed([3; 32]).author();
        let grant = ledger.add(1, "grant", &json!({"key": key, "capabilities": []}), &[]);
        for target in [genesis, grant] {
            ledger.add(1, "redaction", &json!({}), &[("target", target)]);
            assert!(!ledger.is_redacted(&target));
        }
    }

    #[test]
    fn a_persons_word_goes_by_name_and_only_with_what_it_is_about() {
        for word_first in [true, false] {
            let mut ledger = Ledger::new();
            let note = ledger.note();
            let claim = ledger.claim("k", &[("input", note)]);
            let corrected = json!({"identity_key": "k", "corrected_payload": 1});
            let word = ledger.add(1, "claim_correction", &corrected, &[("target", claim)]);
            let order = if word_first { [word, note] } else { [note, word] };
            ledger.add(1, "redaction", &json!({}), &[("target", order[0])]);
            assert!(!ledger.is_redacted(&word));
            let second = ledger.add(1, "redaction", &json!({}), &[("target", order[1])]);
            assert!([note, claim, word].iter().all(|id| ledger.is_redacted(id)));
            // Whichever redaction arrives last brings the word with it.
            let Ok(with) = redacted_with(&ledger.graph, [order[1]]);
            assert!(with.contains(&word));
            let Ok(entry) = ledger.graph.entry(&word);
            let Ok(own) = redaction_of(&ledger.graph, &entry.unwrap());
            assert_eq!(own.map(|own| own.id == second), Some(!word_first));
        }
    }

    #[test]
    fn the_reason_of_a_retraction_goes_by_name_alone_and_the_retraction_stays() {
        let mut ledger = Ledger::new();
        let note = ledger.note();
        ledger.claim("on it", &[("input", note)]);
        let reason = json!({"reason": "r"});
        let retraction = ledger.add(1, "evidence_retraction", &reason, &[("target", note)]);
        ledger.add(2, "redaction", &json!({}), &[("target", retraction)]);
        assert!(!ledger.is_redacted(&retraction), "key 2 may not correct");
        ledger.add(1, "redaction", &json!({}), &[("target", retraction)]);
        assert!(ledger.is_redacted(&retraction) && !ledger.is_redacted(&note));
        assert_eq!(ledger.state("on it"), State::Invalidated);
        let Ok(with) = redacted_with(&ledger.graph, [retraction]);
        assert_eq!(with, [retraction].into());
        // Taken back, it retracts no more, though nobody knows its reason.
        let note_of = json!({"note": "n"});
        let other = ledger.add(1, "evidence_retraction", &reason, &[("target", note)]);
        ledger.add(1, "retraction_withdrawal", &json!({}), &[("target", retraction)]);
        let back = ledger.add(1, "retraction_withdrawal", &note_of, &[("target", other)]);
        assert_eq!(ledger.state("on it"), State::Active);
        ledger.add(1, "redaction", &json!({}), &[("target", back)]);
        assert!(ledger.is_redacted(&back) && !ledger.is_redacted(&other));
        assert_eq!(ledger.state("on it"), State::Active);
    }

    #[test]
    fn a_long_chain_of_words_on_words_is_decided_without_recursion() {
        let mut ledger = Ledger::new();
        let note = ledger.note();
        let mut last = note;
        for number in 0..5_000 {
            let key = format!("k{number}");
            let claim = ledger.claim(&key, &[("input", last)]);
            let corrected = json!({"identity_key": key, "corrected_payload": 1});
            last = ledger.add(1, "claim_correction", &corrected, &[("target", claim)]);
            ledger.add(1, "redaction", &json!({}), &[("target", last)]);
        }
        assert!(!ledger.is_redacted(&last));
        ledger.add(1, "redaction", &json!({}), &[("target", note)]);
        assert!(ledger.is_redacted(&last));
    }

    #[test]
    fn what_is_archived_loses_its_body_alone_and_stays_valid() {
        let mut ledger = Ledger::new();
        let note = ledger.note();
        let thought = ledger.add(1, "thought", &json!({ "content": "a thought" }), &[]);
        let refined =
            ledger.add(1, "thought", &json!({ "content": "more" }), &[("refines", thought)]);
        let node =
            ledger.add(1, "node", &json!({ "type": "summary", "text": "n" }), &[("input", note)]);
        for archived in [note, thought] {
            ledger.add(1, "redaction", &json!({}), &[("archived", archived)]);
        }
        let Ok(redacted) = redacted_with(&ledger.graph, [note, thought, refined, node]);
        assert_eq!(redacted, [note, thought].into());
        for (id, is_redacted) in [(note, true), (thought, true), (refined, false), (node, false)] {
            let Ok(behind) = redaction_behind(&ledger.graph, &id);
            assert_eq!(behind.is_some(), is_redacted);
            let Ok(forgotten) = forgotten_behind(&ledger.graph, &id);
            assert_eq!(forgotten, None);
            let Ok(Some(entry)) = ledger.graph.entry(&id) else { panic!() };
            let Ok(is_retracted) = Validity::new(&ledger.graph).is_retracted(&entry);
            assert!(!is_retracted);
        }
        // Who forgets it later takes the rest along.
        ledger.add(1, "redaction", &json!({}), &[("target", note)]);
        let Ok(redacted) = redacted_with(&ledger.graph, [note]);
        assert_eq!(redacted, [note, node].into());
        // A redaction concerns one operation, in one of the two roles.
        for (refs, is_allowed) in [
            (vec![], false),
            (vec![("archived", note), ("target", note)], false),
            (vec![("archived", note), ("archived", node)], false),
            (vec![("archived", node)], true),
            (vec![("target", node)], true),
        ] {
            let id = ledger.add(1, "redaction", &json!({}), &refs);
            let Ok(Some(entry)) = ledger.graph.entry(&id) else { panic!() };
            assert_eq!(judge_content(&entry, None, &ledger.graph).is_ok(), is_allowed, "{refs:?}");
        }
    }
}
