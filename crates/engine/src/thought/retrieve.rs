//! Retrieval: the thoughts nearest to a prompt, weighed by their lineage.
//!
//! Up to [`HITS_MAX`] thoughts are found and weighed; the caller retrieves, counts and shows parts
//! of them. Lineage is looked up only for thoughts that another thought refines or corrects. Of
//! equal scores, the one that is used more comes first, then the later one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kernel::id::OpId;
use kernel::operation::Role;
use kernel::snapshot::Snapshot;
use retrieval::question::ends::both_ends;
use retrieval::rank::nearness::Nearness;
use store::sqlite::{
    QuestionVector, ThoughtFound, ThoughtReader, ThoughtTraffic, ThoughtsSought, first_after,
};
use store::{Position, StoreError};

use super::factors::{LineagePosition, score, weighed};
use super::view::{citing, does_count};
use super::{CORRECTS, pheromone};
use crate::belief::Bodies;
use crate::private::Disclosure;
use crate::{EngineError, Reader};

/// Most thoughts that a retrieval considers.
pub const HITS_MAX: usize = 50;
/// Hits beyond which only the newest correction of each is added.
const ROOM_MAX: usize = 2 * HITS_MAX;
/// Most thoughts of a chain that are walked to find its heads.
const CHAIN_MAX: usize = 64;
/// Scores that differ by less are equal.
const EQUAL: f64 = 1e-9;

/// What to retrieve.
#[derive(Clone, Debug)]
pub struct ThoughtQuery<'a> {
    /// The prompt, with its context.
    pub text: &'a str,
    /// That as another model than the built-in table understands it, where there is one.
    pub vector: Option<&'a QuestionVector>,
    /// Only thoughts with all of these tags.
    pub tags: &'a [String],
    /// What the reader may see.
    pub disclosure: Disclosure,
    /// When, microseconds since the Unix epoch: weights are as of then.
    pub now_us: i64,
    /// The thoughts as of this time, microseconds since the Unix epoch.
    pub as_of_us: Option<u64>,
}

/// A thought that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct ThoughtHit {
    /// The thought.
    pub id: OpId,
    /// How near it is to the prompt.
    pub nearness: Nearness,
    /// That, weighed by its lineage.
    pub score: f64,
    /// The same without a limit, by which thoughts are ordered.
    order: f64,
    /// Its tags, sorted.
    pub tags: Arc<[String]>,
    /// The newest thought that refines or consolidates it.
    pub refined_by: Option<OpId>,
    /// The newest thought that corrects it.
    pub corrected_by: Option<OpId>,
    /// Whether an ancestor of it was found, and nothing refines it.
    pub is_head_of_found: bool,
    /// All thoughts that correct it, the newest first.
    corrections: Vec<OpId>,
}

impl ThoughtHit {
    fn weigh(&mut self) {
        let standing = LineagePosition {
            is_superseded: self.refined_by.is_some(),
            is_corrected: self.corrected_by.is_some(),
            is_head_of_found: self.is_head_of_found,
        };
        self.order = weighed(self.nearness.order, standing);
        self.score = score(weighed(self.nearness.similarity, standing));
    }
}

/// What a retrieval found.
#[derive(Clone, Debug, Default)]
pub struct ThoughtHits {
    /// The best first.
    pub hits: Vec<ThoughtHit>,
    /// How far the index had read.
    pub position: Position,
    /// How those that were used were used; none if nothing depended on it.
    pub(super) used: Option<BTreeMap<OpId, ThoughtTraffic>>,
}

impl Reader<'_> {
    /// The thoughts nearest to a prompt, the best first, at most [`HITS_MAX`] and the corrections
    /// of those.
    pub fn retrieve_thoughts(&self, query: &ThoughtQuery<'_>) -> Result<ThoughtHits, EngineError> {
        let text = &*both_ends(query.text);
        let found = self.store.search_thoughts_with(query.vector, |search, analyzer| {
            if search.is_empty() {
                return Ok(Vec::new());
            }
            let question = search.search().question(text, analyzer, None)?;
            let index = search.search().ledger_index()?;
            let then = query.as_of_us.map(|until| Snapshot::before(&index, first_after(until)));
            let seen: &dyn Bodies = match &then {
                Some(then) => then,
                None => &index,
            };
            let reader = match query.disclosure {
                Disclosure::Full => ThoughtReader(0),
                Disclosure::WithoutPrivate => ThoughtReader(1),
                Disclosure::GlobalOnly => ThoughtReader(2),
            };
            let sought = ThoughtsSought {
                limit: HITS_MAX,
                tags: query.tags,
                reader: Some(reader).filter(|_| then.is_none()),
            };
            let disclosure = query.disclosure;
            let found = search.find(&question, &sought, |id| does_count(seen, id, disclosure))?;
            hits(seen, found, disclosure)
        })?;
        let mut hits = found.unwrap_or_default();
        let used = self.rank(&mut hits, query.now_us)?;
        put_corrections_first(&mut hits);
        Ok(ThoughtHits { hits, position: self.store.thought_position()?, used })
    }

    /// The best first; of equal scores the more used. Returns the use if there are any.
    fn rank(
        &self,
        hits: &mut [ThoughtHit],
        now_us: i64,
    ) -> Result<Option<BTreeMap<OpId, ThoughtTraffic>>, EngineError> {
        hits.sort_by(|one, other| other.order.total_cmp(&one.order));
        let is_equal =
            |one: &ThoughtHit, other: &ThoughtHit| (one.order - other.order).abs() < EQUAL;
        if hits.chunk_by(is_equal).all(|equal| equal.len() == 1) {
            return Ok(None);
        }
        let ids: Vec<OpId> = hits.iter().map(|hit| hit.id).collect();
        let used = self.store.thought_traffic(&ids)?;
        let weight = |id: &OpId| {
            // One that was never used is as it was at first: its time is not looked up.
            used.get(id).map_or(pheromone::FIRST, |used| {
                pheromone::decayed(used.weight, used.last_us, now_us)
            })
        };
        for equal in hits.chunk_by_mut(is_equal).filter(|equal| equal.len() > 1) {
            equal.sort_by(|one, other| weight(&other.id).total_cmp(&weight(&one.id)));
        }
        Ok(Some(used))
    }
}

/// What was found, with its lineage, the corrections of it, and scores.
fn hits(
    seen: &dyn Bodies,
    found: Vec<ThoughtFound>,
    disclosure: Disclosure,
) -> Result<Vec<ThoughtHit>, StoreError> {
    let mut hits = Vec::with_capacity(found.len());
    let mut refined = Vec::new();
    for found in found {
        let ThoughtFound { id, nearness, tags, may_be_refined, may_be_corrected, .. } = found;
        let mut hit = ThoughtHit {
            id,
            nearness,
            score: 0.0,
            order: 0.0,
            tags,
            refined_by: None,
            corrected_by: None,
            is_head_of_found: false,
            corrections: Vec::new(),
        };
        if may_be_refined {
            hit.refined_by = newest(seen, &id, &REFINERS, disclosure)?;
            refined.extend(hit.refined_by.map(|_| id));
        }
        if may_be_corrected {
            hit.corrections = corrections(seen, &id, disclosure)?;
            hit.corrected_by = hit.corrections.first().copied();
        }
        hits.push(hit);
    }
    bring_corrections(seen, &mut hits, disclosure)?;
    let below = descendants(seen, &refined, disclosure)?;
    for hit in &mut hits {
        hit.is_head_of_found = hit.refined_by.is_none() && below.contains(&hit.id);
        hit.weigh();
    }
    Ok(hits)
}

/// The roles in which a thought cites what it is made from.
pub(super) const REFINERS: [&str; 2] = [Role::REFINES, Role::CONSOLIDATES];

fn newest(
    seen: &dyn Bodies,
    id: &OpId,
    roles: &[&str],
    disclosure: Disclosure,
) -> Result<Option<OpId>, StoreError> {
    Ok(citing(seen, id, roles, disclosure)?.first().map(|entry| entry.id))
}

/// The thoughts that correct one, the newest first.
fn corrections(
    seen: &dyn Bodies,
    id: &OpId,
    disclosure: Disclosure,
) -> Result<Vec<OpId>, StoreError> {
    let found = citing(seen, id, &[CORRECTS], disclosure)?;
    Ok(found.into_iter().map(|entry| entry.id).collect())
}

/// Adds the corrections that were not found themselves, and the corrections of those. One is as
/// near as what it corrects. Of a thought with more corrections than there is room for, the newest
/// are added.
fn bring_corrections(
    seen: &dyn Bodies,
    hits: &mut Vec<ThoughtHit>,
    disclosure: Disclosure,
) -> Result<(), StoreError> {
    let mut held: BTreeSet<OpId> = hits.iter().map(|hit| hit.id).collect();
    let mut place = 0;
    while let Some(hit) = hits.get_mut(place).filter(|_| place <= ROOM_MAX) {
        let nearness = hit.nearness;
        let all = std::mem::take(&mut hit.corrections);
        let mut brought = Vec::new();
        for (number, id) in all.into_iter().enumerate() {
            // The newest is brought in any case.
            if !held.contains(&id) && (number == 0 || hits.len() < ROOM_MAX) {
                held.insert(id);
                let corrections = corrections(seen, &id, disclosure)?;
                hits.push(ThoughtHit {
                    id,
                    nearness,
                    score: 0.0,
                    order: 0.0,
                    tags: Arc::default(),
                    refined_by: newest(seen, &id, &REFINERS, disclosure)?,
                    corrected_by: corrections.first().copied(),
                    is_head_of_found: false,
                    corrections,
                });
            }
            brought.extend(held.contains(&id).then_some(id));
        }
        if let Some(hit) = hits.get_mut(place) {
            hit.corrections = brought;
        }
        place += 1;
    }
    Ok(())
}

/// What was made from some thoughts, directly or not.
fn descendants(
    seen: &dyn Bodies,
    of: &[OpId],
    disclosure: Disclosure,
) -> Result<BTreeSet<OpId>, StoreError> {
    let mut below = BTreeSet::new();
    let mut waiting: Vec<OpId> = of.to_vec();
    let mut walked = BTreeMap::new();
    while let Some(id) = waiting.pop() {
        if walked.len() >= CHAIN_MAX || walked.insert(id, ()).is_some() {
            continue;
        }
        for entry in citing(seen, &id, &REFINERS, disclosure)? {
            below.insert(entry.id);
            waiting.push(entry.id);
        }
    }
    Ok(below)
}

/// Puts every correction above what it corrects, with at least its score.
fn put_corrections_first(hits: &mut Vec<ThoughtHit>) {
    // Each round moves one correction up, and none twice; corrections do not form circles.
    for _ in 0..hits.len() {
        let place_of = |id: &OpId| hits.iter().position(|hit| hit.id == *id);
        let wrong = hits.iter().enumerate().find_map(|(place, hit)| {
            let places = hit.corrections.iter().filter_map(place_of);
            // Of several, the best first.
            places.filter(|above| *above > place).min().map(|above| (place, above))
        });
        let Some((place, above)) = wrong else { return };
        let floor = hits.get(place).map_or(0.0, |hit| hit.score);
        let mut correction = hits.remove(above);
        correction.score = correction.score.max(floor);
        hits.insert(place, correction);
    }
}
