//! What of the candidates is kept: one pure function for whatever mines.
//!
//! A candidate is kept if it is well formed, sure enough, cites evidence that was shown, and says
//! something new. Of those, the surest up to a limit are kept, in which what is there already or
//! was taken back does not count. Everything else is refused with a reason ([`reason`]). The first
//! reason that applies is given.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use kernel::body::{EdgeType, NodeType, TextClaimType};
use kernel::evidence::Visibility;
use kernel::id::OpId;
use kernel::identity::text_key;
use kernel::when::When;

use super::{Allowed, Mined, MinedEdge, MinedRecord, MiningLimits, Refused, Scope};
use crate::write::graph::{RecordType, stricter};

/// Longest text that is kept, bytes.
pub const TEXT_BYTES_MAX: usize = 4_000;
/// Most candidates of one kind that are looked at.
pub const CANDIDATES_MAX: usize = 1_000;
/// Most labels of a record, and the longest.
const TAGS_MAX: usize = 16;
const TAG_BYTES_MAX: usize = 100;
/// What labels that mean something to the program begin with: nobody else sets them.
const RESERVED_TAGS: [&str; 3] = ["mi:", "values:", "values_set:"];

/// Why candidates are refused.
pub mod reason {
    /// An earlier candidate has this name.
    pub const DUPLICATE_LOCAL_ID: &str = "duplicate_local_id";
    /// The type does not exist, or is not one that is mined.
    pub const UNKNOWN_TYPE: &str = "unknown_type";
    /// The text is empty.
    pub const EMPTY: &str = "empty";
    /// The text is longer than [`super::TEXT_BYTES_MAX`].
    pub const TOO_LONG: &str = "too_long";
    /// The scope does not exist.
    pub const UNKNOWN_SCOPE: &str = "unknown_scope";
    /// The visibility does not exist.
    pub const UNKNOWN_VISIBILITY: &str = "unknown_visibility";
    /// A time of validity cannot be read.
    pub const BAD_TIME: &str = "bad_time";
    /// Validity ends before it begins.
    pub const EMPTY_WINDOW: &str = "empty_window";
    /// The confidence is not between 0 and 1.
    pub const BAD_CONFIDENCE: &str = "bad_confidence";
    /// The confidence is too low.
    pub const BELOW_THRESHOLD: &str = "below_threshold";
    /// None of the citations is evidence that may be cited.
    pub const NO_VALID_SOURCES: &str = "no_valid_source_event_ids";
    /// An earlier candidate says the same.
    pub const DUPLICATE: &str = "duplicate";
    /// Surer candidates are enough.
    pub const OVER_LIMIT: &str = "over_limit";
    /// An end of an edge is neither kept nor known.
    pub const UNKNOWN_END: &str = "unknown_end";
    /// Both ends are the same.
    pub const SELF_EDGE: &str = "self_edge";
    /// The ends have different scopes.
    pub const CROSS_SCOPE: &str = "cross_scope";
    /// The person refuted it.
    pub const IDENTITY_REFUTED: &str = "identity_refuted";
    /// It was mined from the same evidence before, and was taken back.
    pub const RETRACTED: &str = "retracted";
    /// The same, and something else replaced it.
    pub const SUPERSEDED: &str = "superseded";
    /// The person dismissed it in the review queue.
    pub const DISMISSED: &str = "dismissed";
    /// A deriver concludes it from the same sentence.
    pub const DERIVED: &str = "derived";
    /// It awaits a decision in the review queue.
    pub const PENDING: &str = "pending";
}

/// A record that is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptRecord {
    /// Its name within the answer.
    pub local_id: String,
    /// What it is.
    pub record_type: RecordType,
    /// It in words.
    pub text: String,
    /// What it holds for.
    pub scope: Scope,
    /// Who may see it: as strict as the strictest of its sources.
    pub visibility: Visibility,
    /// From when it is true.
    pub valid_from: Option<When>,
    /// Until when.
    pub valid_to: Option<When>,
    /// How sure it is.
    pub confidence: f64,
    /// The evidence that it cites.
    pub sources: Vec<OpId>,
    /// Labels.
    pub tags: Vec<String>,
    /// Why, in words.
    pub notes: String,
}

/// An end of an edge.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// A record that is kept, by its name.
    Kept(String),
    /// A record that is there already.
    Known(OpId),
}

/// An edge that is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptEdge {
    /// What it says of its ends.
    pub edge_type: EdgeType,
    /// Where it begins.
    pub from: End,
    /// Where it ends.
    pub to: End,
    /// The evidence that it cites.
    pub sources: Vec<OpId>,
    /// Why, in words.
    pub notes: String,
}

impl KeptRecord {
    /// As a candidate that is not kept after all.
    pub fn refused(self, reason: &'static str) -> Refused {
        Refused { local_id: self.local_id, text: self.text, reason }
    }
}

impl End {
    /// Its name in a report: within the answer, or the id of an operation.
    pub fn name(&self) -> String {
        match self {
            Self::Kept(name) => name.clone(),
            Self::Known(id) => id.to_string(),
        }
    }
}

impl KeptEdge {
    /// As a candidate that is not kept after all.
    pub fn refused(&self, reason: &'static str) -> Refused {
        Refused {
            local_id: ends_in_words(&self.from.name(), &self.to.name()),
            text: self.edge_type.as_str().to_owned(),
            reason,
        }
    }
}

/// What is kept of candidates, and what is not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filtered {
    /// Claims, then nodes, each the surest first.
    pub records: Vec<KeptRecord>,
    /// Edges.
    pub edges: Vec<KeptEdge>,
    /// The rest, with reasons.
    pub refused: Vec<Refused>,
}

impl Filtered {
    /// Whether both ends of an edge are known or kept.
    pub fn has_ends_of(&self, edge: &KeptEdge) -> bool {
        let is_there = |end: &End| match end {
            End::Known(_) => true,
            End::Kept(name) => self.records.iter().any(|record| record.local_id == *name),
        };
        is_there(&edge.from) && is_there(&edge.to)
    }

    /// Moves the edges that lost an end to what is refused.
    pub fn refuse_lost_edges(&mut self, reason: &'static str) {
        let (kept, lost) = std::mem::take(&mut self.edges)
            .into_iter()
            .partition::<Vec<_>, _>(|edge| self.has_ends_of(edge));
        self.edges = kept;
        self.refused.extend(lost.iter().map(|edge| edge.refused(reason)));
    }
}

/// Decides about candidates. Those that are settled, because they are there already or were taken
/// back, take the place of none.
pub fn filter(
    mined: Mined,
    allowed: &Allowed,
    limits: &MiningLimits,
    is_settled: &mut dyn FnMut(&KeptRecord) -> bool,
) -> Filtered {
    let mut filter = Filter {
        allowed,
        limits,
        is_settled,
        names: BTreeMap::new(),
        seen: BTreeSet::new(),
        filtered: Filtered::default(),
    };
    filter.take_records(mined.claims, claim_type);
    filter.take_records(mined.nodes, node_type);
    filter.take_edges(mined.edges);
    filter.filtered
}

fn claim_type(name: &str) -> Option<RecordType> {
    let known: TextClaimType = name.parse().ok()?;
    Some(RecordType::Claim(known.as_str().to_owned()))
}

fn node_type(name: &str) -> Option<RecordType> {
    match name.parse().ok()? {
        NodeType::WhyTrace | NodeType::Entity => None,
        known => Some(RecordType::Node(known)),
    }
}

struct Filter<'a> {
    allowed: &'a Allowed,
    limits: &'a MiningLimits,
    is_settled: &'a mut dyn FnMut(&KeptRecord) -> bool,
    /// What the names of kept candidates stand for: another name if both say the same.
    names: BTreeMap<String, String>,
    /// All names.
    seen: BTreeSet<String>,
    filtered: Filtered,
}

impl Filter<'_> {
    fn refuse(&mut self, local_id: String, text: String, reason: &'static str) {
        self.filtered.refused.push(Refused { local_id, text, reason });
    }

    fn take_records(
        &mut self,
        candidates: Vec<MinedRecord>,
        read_type: fn(&str) -> Option<RecordType>,
    ) {
        let mut kept: Vec<KeptRecord> = Vec::new();
        let mut by_key: BTreeMap<String, usize> = BTreeMap::new();
        let mut same: Vec<(String, usize)> = Vec::new();
        for (place, candidate) in candidates.into_iter().enumerate() {
            let (local_id, text) = (candidate.local_id.clone(), candidate.text.clone());
            let record = match place {
                0..CANDIDATES_MAX => self.read(candidate, read_type),
                _ => Err(reason::OVER_LIMIT),
            };
            let record = match record {
                Ok(record) => record,
                Err(reason) => {
                    self.refuse(local_id, text, reason);
                    continue;
                }
            };
            let key = text_key(record.record_type.as_str(), &record.text);
            match by_key.get(&key).and_then(|place| Some((*place, kept.get_mut(*place)?))) {
                // The second stands for the first, whose evidence it adds to.
                Some((place, first)) => {
                    first.sources.extend(record.sources);
                    let mut seen = BTreeSet::new();
                    first.sources.retain(|id| seen.insert(*id));
                    first.visibility = stricter(first.visibility, record.visibility);
                    same.push((local_id.clone(), place));
                    self.refuse(local_id, text, reason::DUPLICATE);
                }
                None => {
                    by_key.insert(key, kept.len());
                    kept.push(record);
                }
            }
        }
        self.keep_best(kept, same);
    }

    /// Keeps the surest; of equally sure ones, the first.
    fn keep_best(&mut self, kept: Vec<KeptRecord>, same: Vec<(String, usize)>) {
        let mut order: Vec<usize> = (0..kept.len()).collect();
        let millionths = |place: &usize| kept.get(*place).map(|it| (it.confidence * 1e6) as u64);
        order.sort_by_key(|place| Reverse(millionths(place)));
        let mut taken: BTreeSet<usize> = BTreeSet::new();
        let mut room = self.limits.claims_max;
        for place in &order {
            let Some(record) = kept.get(*place) else { continue };
            let is_settled = (self.is_settled)(record);
            if is_settled || room > 0 {
                taken.insert(*place);
            }
            room -= usize::from(!is_settled && room > 0);
        }
        let name_of = |place: usize| kept.get(place).map(|record| record.local_id.clone());
        for (name, place) in same {
            if taken.contains(&place) {
                self.names.extend(name_of(place).map(|first| (name, first)));
            }
        }
        for place in order {
            let Some(record) = kept.get(place).cloned() else { continue };
            if taken.contains(&place) {
                self.names.insert(record.local_id.clone(), record.local_id.clone());
                self.filtered.records.push(record);
            } else {
                self.refuse(record.local_id, record.text, reason::OVER_LIMIT);
            }
        }
    }

    fn read(
        &mut self,
        candidate: MinedRecord,
        read_type: fn(&str) -> Option<RecordType>,
    ) -> Result<KeptRecord, &'static str> {
        if self.allowed.records.contains_key(&candidate.local_id)
            || !self.seen.insert(candidate.local_id.clone())
        {
            return Err(reason::DUPLICATE_LOCAL_ID);
        }
        let record_type = read_type(&candidate.record_type).ok_or(reason::UNKNOWN_TYPE)?;
        let text = candidate.text.trim().to_owned();
        if text.is_empty() {
            return Err(reason::EMPTY);
        }
        if text.len() > TEXT_BYTES_MAX || candidate.notes.len() > TEXT_BYTES_MAX {
            return Err(reason::TOO_LONG);
        }
        let scope = match (candidate.scope.as_str(), self.allowed.only_scope) {
            ("" | "project" | "global", Some(only)) => only,
            ("" | "project", None) => Scope::Project,
            ("global", None) => Scope::Global,
            _ => return Err(reason::UNKNOWN_SCOPE),
        };
        let stated = match candidate.visibility.as_str() {
            "" if scope == Scope::Project => Visibility::Project,
            "" | "global" => Visibility::Global,
            "project" => Visibility::Project,
            "private" => Visibility::Private,
            _ => return Err(reason::UNKNOWN_VISIBILITY),
        };
        let (valid_from, valid_to) = window(&candidate)?;
        self.check_confidence(candidate.confidence)?;
        let (sources, strictest) = self.sources(&candidate.source_event_ids)?;
        let widest = match scope {
            Scope::Project => Visibility::Project,
            Scope::Global => Visibility::Global,
        };
        Ok(KeptRecord {
            local_id: candidate.local_id,
            record_type,
            text,
            scope,
            visibility: stricter(stricter(stated, widest), strictest),
            valid_from,
            valid_to,
            confidence: candidate.confidence,
            sources,
            tags: tags(candidate.tags),
            notes: candidate.notes,
        })
    }

    fn check_confidence(&self, confidence: f64) -> Result<(), &'static str> {
        match confidence {
            sure if !(0.0..=1.0).contains(&sure) => Err(reason::BAD_CONFIDENCE),
            sure if sure < self.limits.confidence_min => Err(reason::BELOW_THRESHOLD),
            _ => Ok(()),
        }
    }

    /// The evidence among what is cited, each once, and the strictest visibility of it.
    fn sources(&self, cited: &[String]) -> Result<(Vec<OpId>, Visibility), &'static str> {
        let (mut seen, mut sources) = (BTreeSet::new(), Vec::new());
        let mut strictest = Visibility::Global;
        for source in cited.iter().filter_map(|name| self.allowed.sources.get(name.trim())) {
            if seen.insert(source.id) {
                sources.push(source.id);
                strictest = stricter(strictest, source.visibility);
            }
        }
        if sources.is_empty() { Err(reason::NO_VALID_SOURCES) } else { Ok((sources, strictest)) }
    }

    fn take_edges(&mut self, candidates: Vec<MinedEdge>) {
        let mut known: BTreeSet<(EdgeType, End, End)> = BTreeSet::new();
        for (place, candidate) in candidates.into_iter().enumerate() {
            let ends = ends_in_words(&candidate.from, &candidate.to);
            let words = candidate.edge_type.clone();
            let edge = match place {
                0..CANDIDATES_MAX => self.read_edge(candidate),
                _ => Err(reason::OVER_LIMIT),
            };
            let edge = edge.and_then(|edge| {
                let triple = (edge.edge_type, edge.from.clone(), edge.to.clone());
                if known.insert(triple) { Ok(edge) } else { Err(reason::DUPLICATE) }
            });
            match edge {
                Ok(edge) => self.filtered.edges.push(edge),
                Err(reason) => self.refuse(ends, words, reason),
            }
        }
    }

    fn read_edge(&self, candidate: MinedEdge) -> Result<KeptEdge, &'static str> {
        let edge_type: EdgeType = candidate.edge_type.parse().map_err(|_| reason::UNKNOWN_TYPE)?;
        // What replaces or redirects a record is for the person, by a patch.
        if matches!(edge_type, EdgeType::Supersedes | EdgeType::SameAs) {
            return Err(reason::UNKNOWN_TYPE);
        }
        if candidate.notes.len() > TEXT_BYTES_MAX {
            return Err(reason::TOO_LONG);
        }
        self.check_confidence(candidate.confidence)?;
        let (sources, _) = self.sources(&candidate.source_event_ids)?;
        let (from, to) = (self.end(&candidate.from)?, self.end(&candidate.to)?);
        if from.0 == to.0 {
            return Err(reason::SELF_EDGE);
        }
        if from.1 != to.1 {
            return Err(reason::CROSS_SCOPE);
        }
        let notes = candidate.notes;
        Ok(KeptEdge { edge_type, from: from.0, to: to.0, sources, notes })
    }

    fn end(&self, name: &str) -> Result<(End, Scope), &'static str> {
        if let Some(known) = self.allowed.records.get(name) {
            return Ok((End::Known(known.id), known.scope));
        }
        let first = self.names.get(name).ok_or(reason::UNKNOWN_END)?;
        let record = self.filtered.records.iter().find(|record| record.local_id == *first);
        let record = record.ok_or(reason::UNKNOWN_END)?;
        Ok((End::Kept(first.clone()), record.scope))
    }
}

/// What names an edge in reports.
fn ends_in_words(from: &str, to: &str) -> String {
    format!("{from} → {to}")
}

/// From when and until when a candidate is true.
fn window(candidate: &MinedRecord) -> Result<(Option<When>, Option<When>), &'static str> {
    let read = |text: &Option<String>| match text.as_deref().map(str::trim) {
        None | Some("") => Ok(None),
        Some(text) => When::parse_given(text).map(Some).map_err(|_| reason::BAD_TIME),
    };
    let (from, to) = (read(&candidate.valid_from)?, read(&candidate.valid_to)?);
    if let (Some(from), Some(to)) = (&from, &to)
        && to.instant_us() <= from.instant_us()
    {
        return Err(reason::EMPTY_WINDOW);
    }
    Ok((from, to))
}

/// The labels that may be set.
fn tags(tags: Vec<String>) -> Vec<String> {
    let fits = |tag: &String| {
        !tag.is_empty()
            && tag.len() <= TAG_BYTES_MAX
            && !RESERVED_TAGS.iter().any(|reserved| tag.to_lowercase().starts_with(reserved))
    };
    let mut seen = BTreeSet::new();
    let tags = tags.into_iter().map(|tag| tag.trim().to_owned()).filter(fits);
    tags.filter(|tag| seen.insert(tag.clone())).take(TAGS_MAX).collect()
}

#[cfg(test)]
#[path = "filter_tests.rs"]
mod tests;
