//! Which candidates are staged.

use std::collections::BTreeMap;

use kernel::id::OpId;
use serde::Serialize;
use store::Writing;
use store::sqlite::SqliteWriting;

use super::{
    CandidateContent, CandidateKey, CandidateKind, GraphCandidate, SOURCES_MAX, StagedCandidate,
};
use crate::belief::review::Status;
use crate::private::Privacy;
use crate::write::forget::hashes_of;
use crate::writer::seal_into;
use crate::{EngineError, Writer};

/// How much is staged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StagingLimits {
    /// The least confidence.
    pub confidence_min: f64,
    /// Most entities: the surest.
    pub nodes_max: usize,
    /// Most relations: the surest.
    pub edges_max: usize,
}

/// A confidence of 0.6, 30 entities and 60 relations.
impl Default for StagingLimits {
    fn default() -> Self {
        Self { confidence_min: 0.6, nodes_max: 30, edges_max: 60 }
    }
}

/// What became of candidates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Staging {
    /// Those that wait for a decision now, and did not before.
    pub staged: Vec<(OpId, GraphCandidate)>,
    /// The others.
    pub left_out: Vec<NotStaged>,
}

/// A candidate that was not staged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotStaged {
    /// What it would add.
    #[serde(flatten)]
    pub content: CandidateContent,
    /// Why it was left out.
    pub reason: WhyNotStaged,
}

/// Why a candidate was not staged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WhyNotStaged {
    /// A name or a type is empty or too long, or the confidence is not a probability.
    Malformed,
    /// It cites nothing, or too much.
    Sources,
    /// It is not sure enough.
    Unsure,
    /// There are enough surer ones.
    Limit,
    /// The same waits for a decision.
    Pending,
    /// The same was accepted.
    Accepted,
    /// The same was dismissed.
    Dismissed,
}

impl WhyNotStaged {
    /// The name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::Sources => "sources",
            Self::Unsure => "unsure",
            Self::Limit => "limit",
            Self::Pending => "pending",
            Self::Accepted => "accepted",
            Self::Dismissed => "dismissed",
        }
    }
}

impl Staging {
    /// How many entities, or relations, were staged.
    pub fn count(&self, kind: CandidateKind) -> usize {
        self.staged.iter().filter(|(_, candidate)| candidate.content.kind() == kind).count()
    }
}

impl Writer<'_> {
    /// Stages candidates in one append: the surest, as many as the limits allow. Those of several
    /// sources that say the same are one. What waits for a decision or was decided is not staged
    /// again.
    pub fn stage(
        &mut self,
        candidates: Vec<GraphCandidate>,
        limits: &StagingLimits,
        now: jiff::Timestamp,
    ) -> Result<Staging, EngineError> {
        let mut staging = Staging::default();
        let mut writing = self.store.write()?;
        let chosen = choose(&writing, candidates, limits, &mut staging.left_out)?;
        if chosen.is_empty() {
            return Ok(staging);
        }
        writing.recognize_forgotten(hashes_of(self.sealer));
        for candidate in chosen {
            let id = seal_into(&mut writing, self.sealer, candidate.draft()?, now)?;
            staging.staged.push((id, candidate));
        }
        Box::new(writing).commit()?;
        Ok(staging)
    }
}

/// Those of some candidates that are to be staged, the surest first.
fn choose(
    writing: &SqliteWriting<'_>,
    candidates: Vec<GraphCandidate>,
    limits: &StagingLimits,
    left_out: &mut Vec<NotStaged>,
) -> Result<Vec<GraphCandidate>, EngineError> {
    let index: &dyn Writing = writing;
    let mut privacy = Privacy::of(index);
    let mut found: Vec<Found> = Vec::new();
    let mut places: BTreeMap<CandidateKey, usize> = BTreeMap::new();
    for candidate in candidates {
        let content = candidate.content.clone();
        let is_probability = (0.0..=1.0).contains(&candidate.confidence);
        let Some(tidied) = content.clone().tidied().filter(|_| is_probability) else {
            left_out.push(NotStaged { content, reason: WhyNotStaged::Malformed });
            continue;
        };
        if candidate.sources.is_empty() {
            left_out.push(NotStaged { content, reason: WhyNotStaged::Sources });
            continue;
        }
        let mut is_private = false;
        for source in &candidate.sources {
            is_private |= privacy.is_private(source)?;
        }
        let new = Found { candidate: GraphCandidate { content: tidied, ..candidate }, is_private };
        let place = places.entry(new.candidate.content.key());
        let place = *place.or_insert(found.len());
        match found.get_mut(place) {
            Some(known) => known.merge(new),
            None => found.push(new),
        }
    }
    let known = Known::read(writing, &mut privacy)?;
    // A stable sort: of those that are equally sure, what was found first comes first.
    found.sort_by(|one, other| other.candidate.confidence.total_cmp(&one.candidate.confidence));
    let (mut nodes, mut edges) = (limits.nodes_max, limits.edges_max);
    let mut chosen = Vec::new();
    for Found { candidate, is_private } in found {
        let room = match candidate.content.kind() {
            CandidateKind::Entity => &mut nodes,
            CandidateKind::Relation => &mut edges,
        };
        let reason = match known.reason(&candidate.content.key(), is_private) {
            Some(reason) => Some(reason),
            None if candidate.sources.len() > SOURCES_MAX => Some(WhyNotStaged::Sources),
            None if candidate.confidence < limits.confidence_min => Some(WhyNotStaged::Unsure),
            None if *room == 0 => Some(WhyNotStaged::Limit),
            None => None,
        };
        match reason {
            Some(reason) => left_out.push(NotStaged { content: candidate.content, reason }),
            None => {
                *room -= 1;
                chosen.push(candidate);
            }
        }
    }
    Ok(chosen)
}

/// What was found, once for everything that says the same.
struct Found {
    candidate: GraphCandidate,
    /// Whether one of its sources is private.
    is_private: bool,
}

impl Found {
    /// Adds the sources of the same, found elsewhere. What a source says that is not private needs
    /// no private source, and is not hidden with one.
    fn merge(&mut self, other: Self) {
        match (self.is_private, other.is_private) {
            (true, false) => *self = other,
            (false, true) => {}
            _ => {
                let (known, same) = (&mut self.candidate, other.candidate);
                for source in same.sources {
                    if !known.sources.contains(&source) {
                        known.sources.push(source);
                    }
                }
                known.confidence = known.confidence.max(same.confidence);
            }
        }
    }
}

/// The candidates that a space has, by what they say.
struct Known(BTreeMap<CandidateKey, Vec<(Status, bool)>>);

impl Known {
    fn read(
        writing: &SqliteWriting<'_>,
        privacy: &mut Privacy<'_, dyn Writing + '_>,
    ) -> Result<Self, EngineError> {
        let index: &dyn Writing = writing;
        let mut known: BTreeMap<CandidateKey, Vec<(Status, bool)>> = BTreeMap::new();
        for id in writing.proposals()? {
            let Some(entry) = index.entry(&id)? else { continue };
            let Some(staged) = StagedCandidate::read(index, &entry)? else { continue };
            let is_private = privacy.is_private(&id)?;
            let key = staged.candidate.content.key();
            known.entry(key).or_default().push((staged.status, is_private));
        }
        Ok(Self(known))
    }

    /// Why the same is not staged again. A private candidate that waits does not stand for one that
    /// is not private: whoever may not see it would miss it.
    fn reason(&self, key: &CandidateKey, is_private: bool) -> Option<WhyNotStaged> {
        let mut found = None;
        for (status, known_private) in self.0.get(key)? {
            match status {
                Status::Dismissed => return Some(WhyNotStaged::Dismissed),
                Status::Accepted => found = Some(WhyNotStaged::Accepted),
                Status::Pending if is_private || !known_private => {
                    found = found.or(Some(WhyNotStaged::Pending));
                }
                Status::Pending | Status::Moot | Status::Reverted => {}
            }
        }
        found
    }
}
