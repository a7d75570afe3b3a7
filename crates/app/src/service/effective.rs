//! The effective view: a project's space with the home space under it.
//!
//! Who reads from within a project also reads what the home space has for every project: records
//! with visibility `global`. A text or an edge that the project has itself hides the one of the
//! home space ([`engine::graph::RecordKey`]). A space that is named is read alone.

use std::collections::BTreeSet;

use engine::belief::Belief;
use engine::belief::claims::{ClaimFilter, Claims};
use engine::belief::name::Named;
use engine::graph::{EdgeFilter, EdgeView, Listed, NodeFilter, RecordKey, RecordView};
use engine::owner::SpaceOwner;
use engine::private::Disclosure;
use engine::{EngineError, Space};
use kernel::body::TextClaimType;
use kernel::evidence::Visibility;
use kernel::id::OpId;
use serde::Serialize;

use super::Session;
use super::agreed_settings::{TAG, has_setting};
use super::opening::OpenedSpace;
use crate::configuration::keys::RECALLED_KINDS;
use crate::failure::Failure;
use crate::service::time::instant;

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

impl Scope {
    /// The usual visibility of what is recorded there.
    pub(crate) fn visibility(self) -> Visibility {
        match self {
            Self::Project => Visibility::Project,
            Self::Global => Visibility::Global,
        }
    }

    /// The name in JSON.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Global => "global",
        }
    }
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

/// The space that a request stands in, and the home space under it.
pub(crate) struct EffectiveView {
    /// The space that the request stands in.
    pub(crate) own: OpenedSpace,
    /// Where that is.
    pub(crate) scope: Scope,
    /// What is shown of it.
    pub(crate) shown: Disclosure,
    /// The home space, if the request stands in a project and reads both.
    pub(crate) home: Option<OpenedSpace>,
}

/// The one space that has what is named.
pub(crate) struct ScopedSpace {
    /// The space.
    pub(crate) opened: OpenedSpace,
    /// Where that is.
    pub(crate) scope: Scope,
    /// What is shown of it.
    pub(crate) disclosure: Disclosure,
}

/// What recall from within a project takes from the home space: kinds of records, `claim` and
/// `node`. A kind that does not exist is refused.
pub(crate) fn kinds_of_home(session: &Session, home: &Space) -> Result<Vec<String>, Failure> {
    let configuration = session.configuration(None)?;
    let kinds = configuration.recalled_from_home();
    let mut unusual =
        kinds.iter().filter(|kind| !RECALLED_KINDS.contains(&kind.as_str())).peekable();
    if unusual.peek().is_some() {
        let known = home.evidence_by_kind()?;
        if let Some(kind) = unusual.find(|kind| !known.contains_key(*kind)) {
            return Err(configuration.no_such_kind(kind).into());
        }
    }
    Ok(kinds)
}

/// Whether the home space has what is named, for every project.
pub(crate) fn has_for_every_project(home: &Space, name: &str) -> bool {
    home.name_disclosed(name, Disclosure::GlobalOnly).is_ok()
}

impl EffectiveView {
    /// The view from a space that was opened to be read.
    pub(crate) fn of(
        session: &Session,
        own: OpenedSpace,
        scope: ReadScope,
    ) -> Result<Self, Failure> {
        let mut alone = Self::alone(session, own);
        if scope == ReadScope::Effective {
            alone.open_home(session)?;
        }
        Ok(alone)
    }

    /// The view of one space.
    pub(crate) fn alone(session: &Session, own: OpenedSpace) -> Self {
        let scope = session.scope_of(&own);
        Self { own, scope, shown: Disclosure::Full, home: None }
    }

    /// Puts the home space under a project's. What somebody else's space says is its owner's word,
    /// so the person's own is not read with it.
    pub(crate) fn open_home(&mut self, session: &Session) -> Result<(), Failure> {
        let is_over = self.scope == Scope::Project && self.own.owner.is_none();
        self.home = if is_over { session.home_under()? } else { None };
        Ok(())
    }

    /// The space of a scope.
    pub(crate) fn space(&self, scope: Scope) -> &OpenedSpace {
        match &self.home {
            Some(home) if scope == Scope::Global => home,
            _ => &self.own,
        }
    }

    /// The operation that `name` stands for, with the space that has it: that of the project first.
    pub(crate) fn resolve(&self, name: &str) -> Result<(&OpenedSpace, Scoped<OpId>), EngineError> {
        let unknown = match self.own.resolve_disclosed(name, self.shown) {
            Ok(item) => return Ok((&self.own, Scoped { scope: self.scope, item })),
            Err(error @ EngineError::UnknownId { .. }) => error,
            Err(error) => return Err(error),
        };
        let Some(home) = &self.home else { return Err(unknown) };
        match home.resolve_disclosed(name, Disclosure::GlobalOnly) {
            Ok(item) => Ok((home, Scoped { scope: Scope::Global, item })),
            Err(error @ EngineError::AmbiguousId { .. }) => Err(error),
            Err(_) => Err(unknown),
        }
    }

    /// The space that answers for `name`, as [`Self::scope_of`] says.
    pub(crate) fn that_has(self, name: &str) -> Result<ScopedSpace, Failure> {
        let scope = self.scope_of(name)?;
        let disclosure = self.disclosure(scope);
        let opened = match self.home {
            Some(home) if scope == Scope::Global => home,
            _ => self.own,
        };
        Ok(ScopedSpace { opened, scope, disclosure })
    }

    /// Where `name`, an id, the beginning of one or a key, is looked up: in the home space if that
    /// knows it and the project's space does not, or took back what it had under that key.
    pub(crate) fn scope_of(&self, name: &str) -> Result<Scope, Failure> {
        let Some(home) = &self.home else { return Ok(self.scope) };
        let has = match self.own.name_disclosed(name, self.shown) {
            Ok(Named::Belief { key }) => {
                self.own.hides_records(&[RecordKey::of_identity(&key)], None)? == [true]
            }
            Err(EngineError::UnknownBelief { .. } | EngineError::UnknownId { .. }) => false,
            Ok(_) | Err(_) => true,
        };
        let is_of_home = !has && has_for_every_project(home, name);
        Ok(if is_of_home { Scope::Global } else { self.scope })
    }

    /// Whose a space is, if it is somebody else's.
    pub(crate) fn owner(&self, scope: Scope) -> Option<&SpaceOwner> {
        self.space(scope).owner.as_ref()
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
            _ => self.shown,
        }
    }

    /// The beliefs that pass a filter, at most `limit`.
    pub(crate) fn claims(
        &self,
        session: &Session,
        filter: &ClaimFilter,
        limit: usize,
    ) -> Result<ScopedClaims, Failure> {
        let own = ClaimFilter { disclosure: self.shown, ..filter.clone() };
        let mut counts = self.own.claims(&own, limit)?;
        let mut beliefs = scoped(self.scope, std::mem::take(&mut counts.beliefs));
        let Some(home) = &self.home else { return Ok(ScopedClaims { beliefs, counts }) };
        let keys = home.global_keys(filter.as_of_us)?;
        let records: Vec<RecordKey> = keys.iter().map(|key| RecordKey::of_identity(key)).collect();
        let hides = self.own.hides_records(&records, filter.as_of_us)?;
        let hidden = keys.into_iter().zip(hides).filter(|(_, hides)| *hides).map(|(key, _)| key);
        let mut hidden: BTreeSet<String> = hidden.collect();
        hidden.extend(settings_replaced(session, &self.own, home, filter.as_of_us)?);
        let filter = ClaimFilter { disclosure: Disclosure::GlobalOnly, hidden, ..filter.clone() };
        let mut global = home.claims(&filter, limit)?;
        counts.total += global.total;
        counts.over += global.over;
        counts.below_minimum += global.below_minimum;
        counts.altered.append(&mut global.altered);
        beliefs.extend(scoped(Scope::Global, global.beliefs));
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
        let own = NodeFilter { disclosure: self.shown, ..filter.clone() };
        let own = self.own.nodes(&own, limit)?;
        let Some(home) = &self.home else { return Ok(self.not_merged(own)) };
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

    /// The edges that pass a filter, the newest first, at most `limit`. `filter` gives the filter
    /// of a space, since the ends that it names have ids of one space; none if it has none of them.
    pub(crate) fn edges(
        &self,
        filter: impl Fn(&Space, Disclosure) -> Result<Option<EdgeFilter>, EngineError>,
        limit: usize,
    ) -> Result<ScopedList<EdgeView>, EngineError> {
        let list = |space: &Space, filter: &Option<EdgeFilter>, limit| match filter {
            Some(filter) => space.edges(filter, limit),
            None => Ok(Listed { items: Vec::new(), more: false }),
        };
        let own = list(&self.own, &filter(&self.own, self.shown)?, limit)?;
        let Some(home) = &self.home else { return Ok(self.not_merged(own)) };
        let filter = filter(home, Disclosure::GlobalOnly)?;
        let as_of_us = filter.as_ref().and_then(|filter| filter.as_of_us);
        let shown = shown(
            limit,
            |number| list(home, &filter, number),
            |found: &[EdgeView]| self.own.hides_edges(&home.edge_keys(found, as_of_us)?, as_of_us),
        )?;
        Ok(newest_first(own, shown, limit, |edge| &edge.recorded_at))
    }

    fn not_merged<T>(&self, listed: Listed<T>) -> ScopedList<T> {
        ScopedList { items: scoped(self.scope, listed.items), more: listed.more }
    }
}

/// Drops what a project's space has in its own words from what the home space has, and returns it.
pub(crate) fn drop_hidden<T>(
    own: &Space,
    found: &mut Vec<T>,
    key: impl Fn(&T) -> RecordKey,
    as_of_us: Option<u64>,
) -> Result<Vec<T>, EngineError> {
    let keys: Vec<RecordKey> = found.iter().map(key).collect();
    let mut hides = own.hides_records(&keys, as_of_us)?.into_iter();
    Ok(found.extract_if(.., |_| hides.next().unwrap_or(false)).collect())
}

/// The identities of the home space's settings of which the project has values of its own.
fn settings_replaced(
    session: &Session,
    own: &Space,
    home: &Space,
    as_of_us: Option<u64>,
) -> Result<Vec<String>, Failure> {
    let settings = ClaimFilter {
        claim_type: Some(TextClaimType::Preference.as_str().to_owned()),
        tag_prefix: Some(TAG.to_owned()),
        disclosure: Disclosure::GlobalOnly,
        as_of_us,
        ..ClaimFilter::default()
    };
    let mut replaced = Vec::new();
    for belief in home.claims(&settings, usize::MAX)?.beliefs {
        if is_replaced_setting(session, own, &belief.tags, as_of_us)? {
            replaced.push(belief.key);
        }
    }
    Ok(replaced)
}

/// Whether a claim of the home space with these tags is a setting of which the project has a value
/// of its own.
pub(crate) fn is_replaced_setting(
    session: &Session,
    own: &Space,
    tags: &[String],
    as_of_us: Option<u64>,
) -> Result<bool, Failure> {
    for tag in tags {
        if has_setting(own, session, tag, as_of_us)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn scoped<T>(scope: Scope, items: Vec<T>) -> Vec<Scoped<T>> {
    items.into_iter().map(|item| Scoped { scope, item }).collect()
}

/// The items of the home space that the project does not hide.
struct Shown<T> {
    items: Vec<T>,
    more: bool,
}

/// Reads items until `limit` of them are shown or all are read.
fn shown<T>(
    limit: usize,
    mut fetch: impl FnMut(usize) -> Result<Listed<T>, EngineError>,
    hides: impl Fn(&[T]) -> Result<Vec<bool>, EngineError>,
) -> Result<Shown<T>, EngineError> {
    let mut number = limit.saturating_add(HIDDEN_EXPECTED);
    loop {
        let Listed { items, more } = fetch(number)?;
        let hidden = hides(&items)?;
        let items: Vec<T> =
            items.into_iter().zip(hidden).filter(|(_, hidden)| !hidden).map(|(it, _)| it).collect();
        if !more || items.len() >= limit {
            return Ok(Shown { items, more });
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
    items.sort_by_key(|it| std::cmp::Reverse(instant(recorded_at(&it.item))));
    let more = more || items.len() > limit;
    items.truncate(limit);
    ScopedList { items, more }
}

#[cfg(test)]
mod tests;
