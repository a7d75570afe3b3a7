//! The effective view: a project's space with the home space under it.
//!
//! Who reads from within a project also reads what the home space has for every project: records
//! with visibility `global`. A text or an edge that the project has itself hides the one of the home
//! space ([`engine::graph::RecordKey`]). A space that is named is read alone.

use engine::belief::Belief;
use engine::belief::claims::{ClaimFilter, Claims};
use engine::graph::{EdgeFilter, EdgeView, Listed, NodeFilter, RecordKey, RecordView};
use engine::private::Disclosure;
use engine::{EngineError, Space};
use kernel::id::OpId;
use serde::Serialize;

use super::Session;
use super::agreed_settings::{home, is_home};
use super::opening::OpenedSpace;
use crate::failure::Failure;

/// Items beyond the limit that are read from the home space at first, for those that are hidden.
const HIDDEN_EXPECTED: usize = 16;

/// What a request reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ReadScope {
    /// The project's space over the home space.
    #[default]
    Effective,
    /// The project's space alone.
    Project,
    /// The home space alone.
    Global,
}

/// Where something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Scope {
    /// In the project's space.
    Project,
    /// In the home space.
    Global,
}

/// Something and where it is.
#[derive(Clone, Debug)]
pub(crate) struct Scoped<T> {
    /// Where it is.
    pub(crate) scope: Scope,
    /// What it is.
    pub(crate) item: T,
}

/// A list of what both spaces have.
pub(crate) struct ScopedList<T> {
    /// The items, in the order of one space.
    pub(crate) items: Vec<Scoped<T>>,
    /// Whether there are more.
    pub(crate) more: bool,
}

/// A list of the beliefs that both spaces have.
pub(crate) struct ScopedClaims {
    /// The surest first, then by key.
    pub(crate) beliefs: Vec<Scoped<Belief>>,
    /// The counts of both spaces, without beliefs.
    pub(crate) counts: Claims,
}

/// The home space under the space that a request found. None under the home space itself, or under a
/// space that is named.
pub(crate) fn home_under(session: &Session, own: &Space) -> Result<Option<OpenedSpace>, Failure> {
    match session.spaces.is_empty() && !is_home(session, own) {
        true => home(session),
        false => Ok(None),
    }
}

/// The space that a request stands in, and the home space under it.
pub(crate) struct EffectiveView {
    /// The space that the request stands in.
    pub(crate) own: OpenedSpace,
    /// Where that is.
    pub(crate) scope: Scope,
    /// The home space, if the request stands in a project and reads both.
    pub(crate) home: Option<OpenedSpace>,
}

impl EffectiveView {
    /// The view from a space that was opened to be read.
    pub(crate) fn of(
        session: &Session,
        own: OpenedSpace,
        scope: ReadScope,
    ) -> Result<Self, Failure> {
        if is_home(session, &own) {
            return Ok(Self { own, scope: Scope::Global, home: None });
        }
        let home = match scope {
            ReadScope::Effective => home_under(session, &own)?,
            _ => None,
        };
        Ok(Self { own, scope: Scope::Project, home })
    }

    /// The operation that `name` stands for, with the space that has it: that of the project first.
    pub(crate) fn resolve(&self, name: &str) -> Result<(&OpenedSpace, Scoped<OpId>), EngineError> {
        let unknown = match self.own.resolve(name) {
            Ok(item) => return Ok((&self.own, Scoped { scope: self.scope, item })),
            Err(error @ EngineError::UnknownId { .. }) => error,
            Err(error) => return Err(error),
        };
        let Some(home) = &self.home else { return Err(unknown) };
        match home.name_disclosed(name, Disclosure::GlobalOnly) {
            Ok(_) => {
                let item = home.resolve(name)?;
                Ok((home, Scoped { scope: Scope::Global, item }))
            }
            Err(EngineError::UnknownBelief { .. } | EngineError::UnknownId { .. }) => Err(unknown),
            Err(error) => Err(error),
        }
    }

    /// Whether the home space answers for `name`: it knows it, and the project's space does not.
    pub(crate) fn is_of_home(&self, name: &str) -> bool {
        let knows = |space: &Space, disclosure| space.name_disclosed(name, disclosure).is_ok();
        self.home.as_ref().is_some_and(|home| {
            !knows(&self.own, Disclosure::Full) && knows(home, Disclosure::GlobalOnly)
        })
    }

    /// What is printed beside something to say where it is: nothing where no other place is read.
    pub(crate) fn mark(&self, scope: Scope) -> &'static str {
        match (&self.home, scope) {
            (Some(_), Scope::Global) => "  (global)",
            _ => "",
        }
    }

    /// What is shown of one of the two spaces.
    pub(crate) fn disclosure(&self, scope: Scope) -> Disclosure {
        match (self.scope, scope) {
            (Scope::Project, Scope::Global) => Disclosure::GlobalOnly,
            _ => Disclosure::Full,
        }
    }

    /// The beliefs that pass a filter, at most `limit`.
    pub(crate) fn claims(
        &self,
        filter: &ClaimFilter,
        limit: usize,
    ) -> Result<ScopedClaims, EngineError> {
        let mut counts = self.own.claims(filter, limit)?;
        let mut beliefs = scoped(self.scope, std::mem::take(&mut counts.beliefs));
        let Some(home) = &self.home else { return Ok(ScopedClaims { beliefs, counts }) };
        let filter = ClaimFilter { disclosure: Disclosure::GlobalOnly, ..filter.clone() };
        let mut global = Claims::default();
        let shown = shown(
            limit,
            |number| {
                global = home.claims(&filter, number)?;
                let items = std::mem::take(&mut global.beliefs);
                Ok(Listed { more: global.total > items.len() + global.altered.len(), items })
            },
            |found: &[Belief]| {
                let keys: Vec<RecordKey> = found.iter().map(RecordKey::of_belief).collect();
                self.own.hides_records(&keys, filter.as_of_us)
            },
        )?;
        counts.total += global.total.saturating_sub(shown.hidden);
        counts.over += global.over;
        counts.below_minimum += global.below_minimum;
        counts.altered.append(&mut global.altered);
        beliefs.extend(scoped(Scope::Global, shown.items));
        beliefs.sort_by(|Scoped { item: one, .. }, Scoped { item: other, .. }| {
            other.confidence.total_cmp(&one.confidence).then_with(|| one.key.cmp(&other.key))
        });
        beliefs.truncate(limit);
        Ok(ScopedClaims { beliefs, counts })
    }

    /// The nodes that pass a filter, the newest first, at most `limit`.
    pub(crate) fn nodes(
        &self,
        filter: &NodeFilter,
        limit: usize,
    ) -> Result<ScopedList<RecordView>, EngineError> {
        let own = self.own.nodes(filter, limit)?;
        let Some(home) = &self.home else { return Ok(self.alone(own)) };
        let filter = NodeFilter { disclosure: Disclosure::GlobalOnly, ..filter.clone() };
        let shown = shown(
            limit,
            |number| home.nodes(&filter, number),
            |found: &[RecordView]| {
                let keys: Vec<RecordKey> = found.iter().map(RecordKey::of_record).collect();
                self.own.hides_records(&keys, filter.as_of_us)
            },
        )?;
        Ok(newest_first(own, shown, limit, |node| &node.recorded_at))
    }

    /// The edges that pass a filter, the newest first, at most `limit`. `filter` gives the filter of
    /// a space, since the ends that it names have ids of one space; none if it has none of them.
    pub(crate) fn edges(
        &self,
        filter: impl Fn(&Space, Disclosure) -> Result<Option<EdgeFilter>, EngineError>,
        limit: usize,
    ) -> Result<ScopedList<EdgeView>, EngineError> {
        let list = |space: &Space, filter: &Option<EdgeFilter>, limit| match filter {
            Some(filter) => space.edges(filter, limit),
            None => Ok(Listed { items: Vec::new(), more: false }),
        };
        let own = list(&self.own, &filter(&self.own, Disclosure::Full)?, limit)?;
        let Some(home) = &self.home else { return Ok(self.alone(own)) };
        let filter = filter(home, Disclosure::GlobalOnly)?;
        let as_of_us = filter.as_ref().and_then(|filter| filter.as_of_us);
        let shown = shown(
            limit,
            |number| list(home, &filter, number),
            |found: &[EdgeView]| self.own.hides_edges(&home.edge_keys(found, as_of_us)?, as_of_us),
        )?;
        Ok(newest_first(own, shown, limit, |edge| &edge.recorded_at))
    }

    fn alone<T>(&self, listed: Listed<T>) -> ScopedList<T> {
        ScopedList { items: scoped(self.scope, listed.items), more: listed.more }
    }
}

fn scoped<T>(scope: Scope, items: Vec<T>) -> Vec<Scoped<T>> {
    items.into_iter().map(|item| Scoped { scope, item }).collect()
}

/// The items of the home space that the project does not hide.
struct Shown<T> {
    items: Vec<T>,
    more: bool,
    /// How many of those that were read are hidden.
    hidden: usize,
}

/// Reads items until `limit` of them are shown or there are no more.
fn shown<T>(
    limit: usize,
    mut fetch: impl FnMut(usize) -> Result<Listed<T>, EngineError>,
    hides: impl Fn(&[T]) -> Result<Vec<bool>, EngineError>,
) -> Result<Shown<T>, EngineError> {
    let mut number = limit.saturating_add(HIDDEN_EXPECTED);
    loop {
        let Listed { items, more } = fetch(number)?;
        let hidden = hides(&items)?;
        let read = items.len();
        let items: Vec<T> =
            items.into_iter().zip(hidden).filter(|(_, hidden)| !hidden).map(|(it, _)| it).collect();
        if !more || items.len() >= limit {
            return Ok(Shown { hidden: read - items.len(), items, more });
        }
        number = number.saturating_mul(2);
    }
}

fn newest_first<T>(
    own: Listed<T>,
    shown: Shown<T>,
    limit: usize,
    recorded_at: impl Fn(&T) -> &str,
) -> ScopedList<T> {
    let more = own.more || shown.more;
    let mut items = scoped(Scope::Project, own.items);
    items.extend(scoped(Scope::Global, shown.items));
    items.sort_by(|one, other| recorded_at(&other.item).cmp(recorded_at(&one.item)));
    let more = more || items.len() > limit;
    items.truncate(limit);
    ScopedList { items, more }
}
