//! Which operations are private, and which are for every project.
//!
//! An operation is private if its body says so, if an annotation in effect says so of it, or if it
//! is built on or about something private: a claim on a private record, a correction of a private
//! claim, a proposal about one. What a claim states of itself is not enough, because another
//! program may state less than what its inputs demand.
//!
//! An operation whose body is missing has nothing to show. If it was forgotten or archived, the
//! redaction says whether it was private. Otherwise it makes nothing private: whoever withheld it
//! decided about what stands on it.
//!
//! Who may see private operations is decided above the engine; [`Disclosure`] is the decision.

use std::collections::{BTreeSet, HashSet};

use kernel::body::Body;
use kernel::evidence::Visibility;
use kernel::id::{IdPrefix, OpId};
use kernel::kind::Kind;
use kernel::ledger_index::Entry;
use kernel::operation::{HlcTimestamp, Operation, Role, Verified};
use kernel::validity::inputs;
use store::sqlite::{Content, first_after};
use store::{Ledger, StoreError};

use crate::belief::name::acting;
use crate::belief::{Belief, Bodies, body_of};
use crate::{EngineError, Reader};

/// Most operations that are examined below one operation. One that stands on more counts as
/// private.
const LOOKED_AT_MAX: usize = 100_000;

/// What a reader may see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Disclosure {
    /// Everything: the person reads their own space.
    #[default]
    Full,
    /// Everything that is not private.
    WithoutPrivate,
    /// What every project may see: the person reads another space than the one they are in.
    GlobalOnly,
}

impl Disclosure {
    /// The visibilities that may be found, as the filters of searches take them: all if empty.
    pub fn visibilities(self) -> Vec<Visibility> {
        match self {
            Self::Full => Vec::new(),
            Self::WithoutPrivate => vec![Visibility::Project, Visibility::Global],
            Self::GlobalOnly => vec![Visibility::Global],
        }
    }

    /// The disclosure that a filter by visibilities stands for.
    pub fn of(visibilities: &[Visibility]) -> Self {
        let has = |visibility| visibilities.contains(&visibility);
        match visibilities {
            [] => Self::Full,
            _ if has(Visibility::Private) => Self::Full,
            _ if has(Visibility::Project) => Self::WithoutPrivate,
            _ => Self::GlobalOnly,
        }
    }

    /// Whether what states this visibility may be seen.
    pub(crate) fn admits(self, visibility: Visibility) -> bool {
        match self {
            Self::Full => true,
            Self::WithoutPrivate => visibility != Visibility::Private,
            Self::GlobalOnly => visibility == Visibility::Global,
        }
    }
}

/// Who reads, and of which times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Viewpoint {
    /// Who reads.
    pub disclosure: Disclosure,
    /// As of this time of recording (inclusive), microseconds since the Unix epoch.
    pub as_of_us: Option<u64>,
    /// Of edges, only those whose ends are true in the world at this time, microseconds since the
    /// Unix epoch.
    pub valid_at_us: Option<i64>,
}

impl Viewpoint {
    /// Whether it is as of a time before something was recorded.
    pub(crate) fn is_before(&self, recorded: HlcTimestamp) -> bool {
        self.as_of_us.is_some_and(|as_of_us| recorded >= first_after(as_of_us).0)
    }
}

impl From<Disclosure> for Viewpoint {
    fn from(disclosure: Disclosure) -> Self {
        Self { disclosure, ..Self::default() }
    }
}

/// Finds out what is private in one ledger, and remembers it.
pub(crate) struct Privacy<'a, B: ?Sized> {
    index: &'a B,
    known: Known,
}

/// Which operations are private and which are not, as far as it is known: none is looked at twice.
#[derive(Default)]
struct Known {
    open: HashSet<OpId>,
    private: HashSet<OpId>,
}

/// What an operation itself says.
enum Own {
    /// That it is private.
    Private,
    /// Nothing, so that it is private if one of these is.
    StandsOn(Vec<OpId>),
}

impl Known {
    /// Whether an operation is private, by what those say that are not known yet.
    fn is_private<E>(
        &mut self,
        asked: &OpId,
        look: impl Fn(&OpId) -> Result<Own, E>,
    ) -> Result<bool, E> {
        enum Step {
            Into(OpId),
            Out,
        }
        // From the asked one to the one that is looked at: private if that is.
        let mut path: Vec<OpId> = Vec::new();
        let mut looked_at = 0;
        let mut steps = vec![Step::Into(*asked)];
        while let Some(step) = steps.pop() {
            let id = match step {
                Step::Into(id) if self.open.contains(&id) => continue,
                Step::Into(id) => id,
                Step::Out => {
                    // Nothing below it is private.
                    self.open.extend(path.pop());
                    continue;
                }
            };
            path.push(id);
            let own = match self.private.contains(&id) {
                true => Own::Private,
                false if looked_at == LOOKED_AT_MAX => {
                    // Of those between, nobody knows.
                    self.private.insert(*asked);
                    return Ok(true);
                }
                false => look(&id)?,
            };
            looked_at += 1;
            match own {
                Own::Private => {
                    self.private.extend(path);
                    return Ok(true);
                }
                Own::StandsOn(grounds) => {
                    steps.push(Step::Out);
                    steps.extend(grounds.into_iter().map(Step::Into));
                }
            }
        }
        Ok(false)
    }
}

impl<'a, B: Bodies + ?Sized> Privacy<'a, B> {
    pub(crate) fn of(index: &'a B) -> Self {
        Self { index, known: Known::default() }
    }

    /// Whether an operation is private.
    pub(crate) fn is_private(&mut self, id: &OpId) -> Result<bool, StoreError> {
        let mut known = std::mem::take(&mut self.known);
        let is_private = known.is_private(id, |id| self.own(id));
        self.known = known;
        is_private
    }

    /// What an operation says of itself, whatever it stands on.
    fn own(&self, id: &OpId) -> Result<Own, StoreError> {
        let Some(Content { kind, body, may_be_annotated }) = self.index.content_of(id)? else {
            return Ok(Own::StandsOn(Vec::new()));
        };
        let body = body.and_then(|bytes| Body::parse(&kind, &bytes).ok());
        let is_marked = body.as_ref().and_then(visibility_of) == Some(Visibility::Private)
            || may_be_annotated && self.is_annotated_private(id)?;
        if is_marked || body.is_none() && self.was_private(id)? {
            return Ok(Own::Private);
        }
        // Most of what is looked at are records, and what they cite need not be read.
        let cites = kind != Kind::Evidence;
        let entry = if cites { self.index.entry(id)? } else { None };
        Ok(Own::StandsOn(entry.as_ref().map(grounds).unwrap_or_default()))
    }

    /// Makes a visibility private that is so by what an operation stands on or is about, and keeps
    /// what was stated.
    pub(crate) fn mark(
        &mut self,
        id: &OpId,
        visibility: &mut Visibility,
        stated: &mut Option<Visibility>,
    ) -> Result<(), StoreError> {
        if *visibility != Visibility::Private && self.is_private(id)? {
            *stated = Some(std::mem::replace(visibility, Visibility::Private));
        }
        Ok(())
    }

    /// Whether an operation is private by its own body or an annotation, whatever it stands on.
    pub(crate) fn is_marked(&self, id: &OpId) -> Result<bool, StoreError> {
        let Some(entry) = self.index.entry(id)? else { return Ok(false) };
        let body = body_of(self.index, id, &entry.kind)?;
        Ok(body.as_ref().and_then(visibility_of) == Some(Visibility::Private)
            || self.is_annotated_private(id)?)
    }

    /// Whether an operation is withheld from a reader. What states no visibility, as an action of
    /// the user, is for every project if all that it is about is.
    pub(crate) fn is_withheld(
        &mut self,
        id: &OpId,
        disclosure: Disclosure,
    ) -> Result<bool, StoreError> {
        if disclosure == Disclosure::Full {
            return Ok(false);
        }
        if self.is_private(id)? {
            return Ok(true);
        }
        if disclosure == Disclosure::WithoutPrivate {
            return Ok(false);
        }
        let Some(entry) = self.index.entry(id)? else { return Ok(false) };
        let stated = |entry: &Entry| {
            let body = body_of(self.index, &entry.id, &entry.kind)?;
            Ok::<_, StoreError>(body.as_ref().and_then(visibility_of))
        };
        if let Some(visibility) = stated(&entry)? {
            return Ok(!disclosure.admits(visibility));
        }
        for cited in &entry.refs {
            let about = self.index.entry(&cited.id)?;
            let visibility = about.as_ref().map(stated).transpose()?.flatten();
            if !visibility.is_some_and(|visibility| disclosure.admits(visibility)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The same of a belief.
    pub(crate) fn is_belief_withheld(
        &mut self,
        belief: &Belief,
        disclosure: Disclosure,
    ) -> Result<bool, StoreError> {
        Ok(disclosure != Disclosure::Full
            && (!disclosure.admits(belief.visibility) || self.is_private_belief(belief)?))
    }

    /// Whether a belief is private: what its latest claim states, what is served, and what that
    /// stands on.
    pub(crate) fn is_private_belief(&mut self, belief: &Belief) -> Result<bool, StoreError> {
        if belief.visibility == Visibility::Private {
            return Ok(true);
        }
        belief.served.or(belief.current).map_or(Ok(false), |id| self.is_private(&id))
    }

    /// By the annotations of now, whenever the rest is read.
    fn is_annotated_private(&self, id: &OpId) -> Result<bool, StoreError> {
        match self.index.whole() {
            Some(whole) => is_annotated_private(whole, id),
            None => is_annotated_private(self.index, id),
        }
    }

    /// By the redaction for which its body is missing.
    fn was_private(&self, id: &OpId) -> Result<bool, StoreError> {
        match self.index.whole() {
            Some(whole) => was_private(whole, id),
            None => was_private(self.index, id),
        }
    }
}

fn was_private<B: Bodies + ?Sized>(index: &B, id: &OpId) -> Result<bool, StoreError> {
    for role in [Role::TARGET, Role::ARCHIVED] {
        for redaction in index.acting(id, &Kind::Redaction, role)? {
            let body = body_of(index, &redaction, &Kind::Redaction)?;
            if body.as_ref().and_then(visibility_of) == Some(Visibility::Private) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn is_annotated_private<B: Bodies + ?Sized>(index: &B, id: &OpId) -> Result<bool, StoreError> {
    for entry in acting(index, id, &Kind::Annotation)? {
        let body = body_of(index, &entry.id, &entry.kind)?;
        if body.as_ref().and_then(visibility_of) == Some(Visibility::Private) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Those of claims, nodes, edges and thoughts that are private only by what they stand on, or of
/// edges by what they join: nobody said so of them.
pub(crate) fn private_by_grounds<B: Bodies + ?Sized>(
    index: &B,
    ids: &[OpId],
) -> Result<Vec<OpId>, StoreError> {
    let mut privacy = Privacy::of(index);
    let mut found = Vec::new();
    for id in ids {
        let kind = index.entry(id)?.map(|entry| entry.kind);
        let is_stated = match kind {
            // An edge takes the visibility of its ends.
            Some(Kind::Edge) => false,
            Some(Kind::Claim | Kind::Node | Kind::Thought) => privacy.is_marked(id)?,
            _ => continue,
        };
        if !is_stated && privacy.is_private(id)? {
            found.push(*id);
        }
    }
    Ok(found)
}

/// The operations whose content an operation may repeat: the inputs of a claim, and everything that
/// a correction, a proposal or anything else is about. A record stands for itself, even where it
/// replaces another.
fn grounds(entry: &Entry) -> Vec<OpId> {
    match entry.kind {
        Kind::Evidence => Vec::new(),
        Kind::Claim => inputs(entry).collect(),
        _ => entry.refs.iter().map(|cited| cited.id).collect(),
    }
}

/// The visibility that a body states; none for kinds that state none.
pub(crate) fn visibility_of(body: &Body) -> Option<Visibility> {
    match body {
        Body::Evidence(evidence) => Some(evidence.visibility),
        Body::Claim(claim) => Some(claim.visibility),
        Body::Node(node) => Some(node.visibility.unwrap_or_default()),
        Body::Edge(edge) => Some(edge.visibility.unwrap_or_default()),
        Body::Annotation(annotation) => annotation.visibility,
        Body::Redaction(redaction) => redaction.visibility,
        // Who may not see what it would record may not read it here.
        Body::Proposal(proposal) => {
            let mut proposed = proposal.operations.iter().map(|operation| &operation.body);
            proposed.any(states_private).then_some(Visibility::Private)
        }
        Body::Other(_, fields) => states_private(fields).then_some(Visibility::Private),
        _ => None,
    }
}

/// The visibility that shows a text to fewer.
pub fn stricter(one: Visibility, other: Visibility) -> Visibility {
    match (one, other) {
        (Visibility::Private, _) | (_, Visibility::Private) => Visibility::Private,
        (Visibility::Project, _) | (_, Visibility::Project) => Visibility::Project,
        (Visibility::Global, Visibility::Global) => Visibility::Global,
    }
}

fn states_private(fields: &serde_json::Map<String, serde_json::Value>) -> bool {
    fields.get("visibility").and_then(serde_json::Value::as_str) == Some("private")
}

impl Reader<'_> {
    /// Whether an operation is private.
    pub fn is_private(&self, id: &OpId) -> Result<bool, EngineError> {
        Ok(self.store.on_snapshot(|index| Privacy::of(index).is_private(id))?)
    }

    /// Whether an operation is withheld from a reader.
    pub fn is_withheld(&self, id: &OpId, disclosure: Disclosure) -> Result<bool, EngineError> {
        Ok(self.store.on_snapshot(|index| Privacy::of(index).is_withheld(id, disclosure))?)
    }

    /// Those of some claims, nodes, edges and thoughts that are private only by what they stand on
    /// or join.
    pub fn private_by_grounds(&self, ids: &[OpId]) -> Result<Vec<OpId>, EngineError> {
        Ok(self.store.on_snapshot(|index| private_by_grounds(index, ids))?)
    }

    /// Those of some operations that are private.
    pub fn private_among(&self, ids: &[OpId]) -> Result<BTreeSet<OpId>, EngineError> {
        self.withheld_among(ids, Disclosure::WithoutPrivate)
    }

    /// Those of some operations that are withheld from a reader.
    pub fn withheld_among(
        &self,
        ids: &[OpId],
        disclosure: Disclosure,
    ) -> Result<BTreeSet<OpId>, EngineError> {
        let found = self.store.on_snapshot(|index| {
            let mut privacy = Privacy::of(index);
            let mut withheld = BTreeSet::new();
            for id in ids {
                if privacy.is_withheld(id, disclosure)? {
                    withheld.insert(*id);
                }
            }
            Ok::<_, StoreError>(withheld)
        });
        Ok(found?)
    }

    /// Those of the operations of an archive that are withheld from a reader, with what cites them.
    /// Their bodies may not be here any more, so those in the archive count.
    pub fn withheld_of_archive(
        &self,
        operations: &[Operation<Verified>],
        disclosure: Disclosure,
    ) -> Result<BTreeSet<OpId>, EngineError> {
        let ids: Vec<OpId> = operations.iter().map(Operation::id).collect();
        let mut withheld = self.withheld_among(&ids, disclosure)?;
        for operation in operations {
            let header = operation.header();
            let body = operation.body().and_then(|body| Body::parse(&header.kind, body).ok());
            let visibility = body.as_ref().and_then(visibility_of);
            if visibility.is_some_and(|visibility| !disclosure.admits(visibility))
                || header.refs.iter().any(|cited| withheld.contains(&cited.id))
            {
                withheld.insert(operation.id());
            }
        }
        Ok(withheld)
    }

    /// Whether a belief is private.
    pub fn is_private_belief(&self, belief: &Belief) -> Result<bool, EngineError> {
        Ok(self.store.on_snapshot(|index| Privacy::of(index).is_private_belief(belief))?)
    }

    /// Those of some operations that are not withheld from a reader.
    pub(crate) fn open_among(
        &self,
        mut ids: Vec<OpId>,
        disclosure: Disclosure,
    ) -> Result<Vec<OpId>, EngineError> {
        let withheld = self.withheld_among(&ids, disclosure)?;
        ids.retain(|id| !withheld.contains(id));
        Ok(ids)
    }

    /// At most `count` operations with this beginning of an id that are not withheld.
    pub(crate) fn open_ids(
        &self,
        prefix: &IdPrefix,
        count: usize,
        disclosure: Disclosure,
    ) -> Result<Vec<OpId>, EngineError> {
        let mut wanted = count;
        loop {
            let found = self.store.find(prefix, wanted)?;
            let is_all = found.len() < wanted;
            let mut open = self.open_among(found, disclosure)?;
            if is_all || open.len() >= count {
                open.truncate(count);
                return Ok(open);
            }
            wanted = wanted.saturating_mul(4);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::convert::Infallible;

    use super::*;

    fn id(number: usize) -> OpId {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&number.to_le_bytes());
        OpId(bytes)
    }

    /// How many of a chain are private, and how often one was looked at for that, if all are asked
    /// of in this order. Each stands on the one before it, and on one of its own.
    fn asked_of(order: impl Iterator<Item = usize>, private: Option<usize>) -> (usize, usize) {
        let looked_at = Cell::new(0);
        let look = |one: &OpId| {
            looked_at.set(looked_at.get() + 1);
            let number = u64::from_le_bytes(one.0[..8].try_into().unwrap()) as usize;
            Ok::<_, Infallible>(match number {
                number if Some(number) == private => Own::Private,
                0 | 100_000.. => Own::StandsOn(Vec::new()),
                number => Own::StandsOn(vec![id(number - 1), id(100_000 + number)]),
            })
        };
        let mut known = Known::default();
        let found = order.filter(|number| known.is_private(&id(*number), look).unwrap()).count();
        (found, looked_at.get())
    }

    #[test]
    fn each_of_a_list_is_looked_at_once_whatever_is_private() {
        const LENGTH: usize = 2_000;
        for (private, count) in [(None, 0), (Some(0), LENGTH), (Some(500), LENGTH - 500)] {
            for (found, looked_at) in
                [asked_of(0..LENGTH, private), asked_of((0..LENGTH).rev(), private)]
            {
                assert_eq!(found, count, "{private:?}");
                assert!(looked_at <= 2 * LENGTH, "{private:?}: {looked_at}");
            }
        }
    }

    #[test]
    fn what_stands_on_too_much_is_private_and_what_is_below_it_need_not_be() {
        let mut known = Known::default();
        let look = |one: &OpId| {
            let number = u64::from_le_bytes(one.0[..8].try_into().unwrap()) as usize;
            Ok::<_, Infallible>(Own::StandsOn(number.checked_sub(1).map(id).into_iter().collect()))
        };
        let mut is_private = |number| known.is_private(&id(number), look).unwrap();
        assert!(is_private(LOOKED_AT_MAX));
        assert!(!is_private(LOOKED_AT_MAX - 1));
        assert!(is_private(LOOKED_AT_MAX));
    }
}
