//! A thought as it is shown: its body, what it cites, and what annotations say of it.

use std::collections::BTreeSet;

use kernel::body::{Annotation, Body, Mark, Thought, ThoughtType};
use kernel::id::{Author, OpId};
use kernel::kind::Kind;
use kernel::ledger_index::{Entry, LedgerIndex};
use kernel::operation::{Header, HlcTimestamp, Operation, Ref, Role, Unverified};
use kernel::validity::Validity;
use serde_json::Value;
use store::StoreError;

use super::CORRECTS;
use super::uuid::ThoughtUuid;
use crate::belief::name::acting;
use crate::belief::{Bodies, body_of};
use crate::private::{Disclosure, Privacy};
use crate::{EngineError, Reader};

/// Most characters of a preview.
pub const PREVIEW_CHARS: usize = 80;

/// A thought as it is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct ThoughtView {
    /// The operation.
    pub id: OpId,
    /// Its author's key.
    pub author: Author,
    /// How it relates to what it cites.
    pub thought_type: ThoughtType,
    /// It in words.
    pub content: String,
    /// What the contributor was doing.
    pub context: Option<String>,
    /// The contributor's id.
    pub contributor_id: String,
    /// The contributor's name.
    pub contributor: String,
    /// When it was contributed, microseconds since the Unix epoch.
    pub created_us: i64,
    /// Labels.
    pub tags: Vec<String>,
    /// A coarse label.
    pub category: Option<String>,
    /// A finer one.
    pub topic: Option<String>,
    /// What is to become of it.
    pub mark: Mark,
    /// The thoughts that it refines or consolidates, in its author's order.
    pub sources: Vec<OpId>,
    /// The thought that it says is wrong.
    pub corrects: Option<OpId>,
    /// Where it was copied from.
    pub shared_from: Option<Value>,
    /// The spaces that it was copied to.
    pub shared_to: BTreeSet<String>,
}

/// The first characters of a text.
pub fn preview(text: &str) -> String {
    text.chars().take(PREVIEW_CHARS).collect()
}

/// The category of thoughts that sum up what is known of their topic.
pub const DOMAIN_SUMMARY: &str = "domain_summary";

/// The field of an annotation that names the space to which a thought was copied.
pub(super) const SHARED_TO: &str = "shared_to";
/// The field of a thought that names where it was copied from.
pub(super) const SHARED_FROM: &str = "shared_from";

/// What is shown of a header.
#[derive(Clone, Copy)]
struct Stated<'a> {
    author: Author,
    ts: HlcTimestamp,
    refs: &'a [Ref],
}

impl ThoughtView {
    /// The id that programs use.
    pub fn uuid(&self) -> ThoughtUuid {
        ThoughtUuid::of(&self.id)
    }

    fn of(id: OpId, header: Stated<'_>, body: Thought) -> Self {
        let cited = |roles: &[&str]| -> Vec<OpId> {
            let refs = header.refs.iter();
            refs.filter(|cited| roles.contains(&cited.role.as_str()))
                .map(|cited| cited.id)
                .collect()
        };
        Self {
            id,
            author: header.author,
            thought_type: body.thought_type.unwrap_or(ThoughtType::Original),
            content: body.content.unwrap_or_default(),
            context: body.context,
            contributor_id: body.contributor_id.unwrap_or_default(),
            contributor: body.contributor_name.unwrap_or_default(),
            created_us: i64::try_from(header.ts.0).unwrap_or(i64::MAX),
            tags: body.tags.unwrap_or_default(),
            category: body.category,
            topic: body.topic,
            mark: Mark::None,
            sources: cited(&[Role::REFINES, Role::CONSOLIDATES]),
            corrects: cited(&[CORRECTS]).first().copied(),
            shared_from: body.others.get(SHARED_FROM).cloned(),
            shared_to: BTreeSet::new(),
        }
    }

    /// Takes over what an annotation says.
    fn label(&mut self, labels: Annotation) {
        if let Some(tags) = labels.tags {
            self.tags = tags;
        }
        self.category = labels.category.or(self.category.take()).filter(|it| !it.is_empty());
        self.topic = labels.topic.or(self.topic.take()).filter(|it| !it.is_empty());
        self.mark = labels.mark.unwrap_or(self.mark);
        let space = labels.others.get(SHARED_TO).and_then(Value::as_str);
        self.shared_to.extend(space.map(str::to_owned));
    }
}

/// A thought as an index has it; none of another kind, or whose body is missing.
pub(crate) fn thought_view(
    index: &dyn Bodies,
    entry: &Entry,
) -> Result<Option<ThoughtView>, StoreError> {
    let Some(Body::Thought(body)) = body_of(index, &entry.id, &entry.kind)? else {
        return Ok(None);
    };
    let header = Stated { author: entry.author, ts: entry.ts, refs: &entry.refs };
    labelled(index, ThoughtView::of(entry.id, header, body)).map(Some)
}

/// The same of an operation.
fn view_of_operation(
    index: &dyn Bodies,
    operation: &Operation<Unverified>,
) -> Result<Option<ThoughtView>, StoreError> {
    let Header { kind, author, ts, refs, .. } = operation.header();
    let Some(Ok(Body::Thought(body))) = operation.body().map(|body| Body::parse(kind, body)) else {
        return Ok(None);
    };
    let header = Stated { author: *author, ts: *ts, refs };
    labelled(index, ThoughtView::of(operation.id(), header, body)).map(Some)
}

/// A thought with what annotations say of it.
fn labelled(index: &dyn Bodies, mut view: ThoughtView) -> Result<ThoughtView, StoreError> {
    for annotation in acting(index, &view.id, &Kind::Annotation)? {
        if let Some(Body::Annotation(labels)) = body_of(index, &annotation.id, &annotation.kind)? {
            view.label(labels);
        }
    }
    Ok(view)
}

/// Whether a thought counts: it has its body and effect, is not retracted, and this reader may see
/// it. A thought that goes with a forgotten one, because it quotes that, has no body.
pub(crate) fn does_count(
    index: &dyn Bodies,
    id: &OpId,
    disclosure: Disclosure,
) -> Result<bool, StoreError> {
    // A thought states no visibility, so it is for its own space.
    Ok(disclosure != Disclosure::GlobalOnly
        && index.outline_of(id)?.is_some_and(|outline| outline.has_body)
        && Validity::new(index).is_valid_input(id)?
        && !Privacy::of(index).is_withheld(id, disclosure)?)
}

/// The thoughts that cite one in a role and count, the newest first.
pub(crate) fn citing(
    index: &dyn Bodies,
    id: &OpId,
    roles: &[&str],
    disclosure: Disclosure,
) -> Result<Vec<Entry>, StoreError> {
    let mut found = Vec::new();
    for role in roles {
        for by in index.acting(id, &Kind::Thought, role)? {
            if let Some(entry) = index.entry(&by)?
                && does_count(index, &by, disclosure)?
            {
                found.push(entry);
            }
        }
    }
    found.sort_unstable_by_key(|entry| std::cmp::Reverse(entry.order()));
    found.dedup_by_key(|entry| entry.id);
    Ok(found)
}

impl Reader<'_> {
    /// The thought that a UUID, an id or the beginning of an id names, if this reader may see it.
    pub fn thought_named(
        &self,
        name: &str,
        disclosure: Disclosure,
    ) -> Result<Option<OpId>, EngineError> {
        let id = match self.resolve(name) {
            Ok(id) => id,
            Err(EngineError::UnknownId { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let is_seen = self.store.on_snapshot(|index| {
            let is_thought = index.entry(&id)?.is_some_and(|entry| entry.kind == Kind::Thought);
            Ok::<_, StoreError>(is_thought && does_count(index, &id, disclosure)?)
        })?;
        Ok(Some(id).filter(|_| is_seen))
    }

    /// A thought; none of another kind of operation, or whose body is missing.
    pub fn thought(&self, id: &OpId) -> Result<Option<ThoughtView>, EngineError> {
        Ok(self.store.on_snapshot(|index| {
            let Some(entry) = index.entry(id)? else { return Ok(None) };
            thought_view(index, &entry)
        })?)
    }

    /// The newest thought that refines or consolidates one, and the newest that corrects it.
    pub fn replaced_by(
        &self,
        id: &OpId,
        disclosure: Disclosure,
    ) -> Result<(Option<OpId>, Option<OpId>), EngineError> {
        Ok(self.store.on_snapshot(|index| {
            let refined = citing(index, id, &super::retrieve::REFINERS, disclosure)?;
            let corrected = citing(index, id, &[CORRECTS], disclosure)?;
            let newest = |found: Vec<Entry>| found.first().map(|entry| entry.id);
            Ok::<_, StoreError>((newest(refined), newest(corrected)))
        })?)
    }

    /// The tags that `is_wanted` takes, of those that thoughts have which count and are shown.
    pub fn thought_tags(
        &self,
        disclosure: Disclosure,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<BTreeSet<String>, EngineError> {
        let tags = self.store.search_thoughts(|search, _| {
            let index = search.search().ledger_index()?;
            let mut tags = search.all_tags()?;
            tags.retain(|tag| is_wanted(tag));
            let mut shown = BTreeSet::new();
            for tag in tags {
                for id in search.latest(false, std::slice::from_ref(&tag))? {
                    if does_count(&index, &id?, disclosure)? {
                        shown.insert(tag.clone());
                        break;
                    }
                }
            }
            Ok(shown)
        })?;
        Ok(tags.unwrap_or_default())
    }

    /// The same of several, in their order, without those that are altered in the file.
    pub fn thoughts(&self, ids: &[OpId]) -> Result<Vec<ThoughtView>, EngineError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.store.on_snapshot(|index| {
            let mut views = Vec::with_capacity(ids.len());
            for id in ids {
                if let Some(operation) = self.store.as_signed(id)? {
                    views.extend(view_of_operation(index, &operation)?);
                }
            }
            Ok::<_, StoreError>(views)
        })?)
    }

    /// The latest thoughts that count, the newest first: at most `limit`, those with all of `tags`.
    pub fn latest_thoughts(
        &self,
        filter: &ThoughtFilter,
        disclosure: Disclosure,
    ) -> Result<Vec<ThoughtView>, EngineError> {
        let found = self.store.search_thoughts(|search, _| {
            let index = search.search().ledger_index()?;
            let then = filter.as_of_us.map(|until| {
                kernel::snapshot::Snapshot::before(&index, store::sqlite::first_after(until))
            });
            let seen: &dyn Bodies = match &then {
                Some(then) => then,
                None => &index,
            };
            let mut found: Vec<ThoughtView> = Vec::new();
            let only_domains = filter.category.as_deref() == Some(DOMAIN_SUMMARY);
            for id in
                search.latest(only_domains, if then.is_some() { &[] } else { &filter.tags })?
            {
                let id = id?;
                let Some(entry) = seen.entry(&id)? else { continue };
                if !does_count(seen, &id, disclosure)? {
                    continue;
                }
                let Some(view) = thought_view(seen, &entry)? else { continue };
                if filter.admits(&view) {
                    found.push(view);
                }
                if found.len() == filter.limit {
                    break;
                }
            }
            Ok(found)
        })?;
        let mut found = found.unwrap_or_default();
        found.sort_by_key(|view| std::cmp::Reverse((view.created_us, view.id)));
        self.take_altered(&mut found, |view| Some(view.id))?;
        Ok(found)
    }
}

/// Which thoughts to list.
#[derive(Clone, Debug, Default)]
pub struct ThoughtFilter {
    /// With all of these tags.
    pub tags: Vec<String>,
    /// Of this category.
    pub category: Option<String>,
    /// By this contributor.
    pub contributor_id: Option<String>,
    /// As of this time, microseconds since the Unix epoch.
    pub as_of_us: Option<u64>,
    /// How many at most.
    pub limit: usize,
}

impl ThoughtFilter {
    fn admits(&self, view: &ThoughtView) -> bool {
        self.tags.iter().all(|tag| view.tags.contains(tag))
            && self.category.is_none_or_is(view.category.as_deref())
            && self.contributor_id.is_none_or_is(Some(&view.contributor_id))
    }
}

trait IsNoneOrIs {
    fn is_none_or_is(&self, value: Option<&str>) -> bool;
}

impl IsNoneOrIs for Option<String> {
    fn is_none_or_is(&self, value: Option<&str>) -> bool {
        self.as_deref().is_none_or(|wanted| Some(wanted) == value)
    }
}
