//! Mirroring: what a complete source no longer has is retracted, as by the source.
//!
//! A mirroring import reads its source twice. The first reading ([`MirrorPlan`]) finds what earlier
//! imports of the same place appended and the source no longer has. Of these, a note whose content
//! is under another name now was renamed: its record is superseded. The others are retracted after
//! the second reading, which imports, but only if both readings were complete and without problems
//! and the second did not find the record either. Only records that imports on record appended are
//! ever considered, so another source of the same format is never touched.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use kernel::evidence::{Evidence, EvidenceKind};
use kernel::id::{BodyHash, OpId};

use crate::inspect::summary_of_evidence;
use crate::selection::RecordState;
use crate::write::import::PREVIEW_MAX;
use crate::{EngineError, Reader};

/// The reason of a retraction by the source.
pub(crate) const NO_LONGER_THERE: &str = "no longer in the source";

/// The name of a record at its source, hashed.
pub(super) type Name = [u8; 16];

/// What a mirroring import would do besides importing.
#[derive(Debug, Default)]
pub struct MirrorPlan {
    /// How many valid records earlier imports of the source appended.
    pub known: u64,
    /// Those that the source no longer has and that were not renamed.
    pub gone: Vec<OpId>,
    /// The first of them in words.
    pub preview: Vec<String>,
    /// Renamed notes, by their content.
    pub(crate) renames: Renames,
    /// How many they are.
    pub renamed: u64,
}

impl MirrorPlan {
    /// Whether more than half of the source would be retracted.
    pub fn is_drastic(&self) -> bool {
        self.gone.len() as u64 > self.known / 2
    }
}

/// Records to be superseded by a new one of the same content.
#[derive(Clone, Debug, Default)]
pub(crate) struct Renames(BTreeMap<[u8; 16], Vec<OpId>>);

impl Renames {
    /// The record that a new one replaces under another name, each once.
    pub(crate) fn take(&mut self, evidence: &Evidence) -> Option<OpId> {
        if self.0.is_empty() {
            return None;
        }
        self.0.get_mut(&content_of(evidence)?)?.pop()
    }
}

/// What a reading found.
#[derive(Debug, Default)]
pub(crate) struct Sighting {
    /// Body hashes by name: of several records of one name the last counts.
    seen: HashMap<Name, BodyHash>,
    /// In a dry run: the records that say what an earlier version said, after which nothing else
    /// came yet.
    pub(crate) went_back: HashSet<Name>,
    /// Contents of new notes.
    new_notes: Vec<[u8; 16]>,
}

impl Sighting {
    /// Notes a record. Answers the hash that it had when it was seen before.
    pub(crate) fn see(&mut self, source: &str, uid: &str, hash: BodyHash) -> Option<BodyHash> {
        self.seen.insert(name_of(source, uid), hash)
    }

    pub(crate) fn see_new(&mut self, evidence: &Evidence) {
        self.new_notes.extend(content_of(evidence));
    }

    fn has(&self, evidence: &Evidence) -> bool {
        self.seen.contains_key(&name_of(&evidence.source, &evidence.source_uid))
    }
}

pub(super) fn name_of(source: &str, uid: &str) -> Name {
    hash_of(&[source, uid])
}

fn hash_of(parts: &[&str]) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    let mut short = [0; 16];
    hasher.finalize_xof().fill(&mut short);
    short
}

/// What a note says under its heading, by which it is found again under another name. None if it
/// says nothing.
fn content_of(evidence: &Evidence) -> Option<[u8; 16]> {
    if evidence.kind.0 != EvidenceKind::NOTE {
        return None;
    }
    // The first paragraph is the path of headings, which may contain the file's name.
    let (_, said) = evidence.payload.text.split_once("\n\n")?;
    Some(hash_of(&[&evidence.source, said.trim()])).filter(|_| !said.trim().is_empty())
}

/// The place of a source on this device, which is kept as a keyed hash.
pub(crate) fn place_of(path: &Path) -> Vec<u8> {
    let absolute = std::fs::canonicalize(path)
        .or_else(|_| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_owned());
    let mut bytes = b"place\0".to_vec();
    bytes.extend_from_slice(absolute.as_os_str().as_encoded_bytes());
    bytes
}

impl Reader<'_> {
    /// What a source no longer has, given what a reading found in it. A folder may have been
    /// imported before as one of all sorts; what other formats read there is left alone.
    pub(crate) fn mirror_plan(
        &self,
        source: &str,
        place: BodyHash,
        found: &Sighting,
    ) -> Result<MirrorPlan, EngineError> {
        let mut appended = Vec::new();
        let mut noted = HashSet::new();
        for import in self.imports(usize::MAX)? {
            if import.body.place == Some(place) {
                appended.extend(self.evidence_in(&import.author, &import.body)?);
            }
        }
        appended.sort_unstable();
        appended.retain(|(_, id)| noted.insert(*id));
        let ids = appended.iter().map(|(_, id)| *id).collect();
        let valid: HashSet<OpId> = self.in_state(ids, RecordState::Valid)?.into_iter().collect();
        let mut plan = MirrorPlan::default();
        let mut new_notes: HashMap<[u8; 16], usize> = HashMap::new();
        for content in &found.new_notes {
            *new_notes.entry(*content).or_default() += 1;
        }
        for (position, id) in appended.into_iter().filter(|(_, id)| valid.contains(id)) {
            let stored = self.store.evidence_at(position)?;
            let Some(body) = stored.and_then(|stored| stored.body) else { continue };
            let Ok(evidence) = serde_json::from_slice::<Evidence>(&body) else { continue };
            if evidence.source != source {
                continue;
            }
            plan.known += 1;
            if found.has(&evidence) {
                continue;
            }
            let content = content_of(&evidence);
            match content.and_then(|content| Some((content, new_notes.get_mut(&content)?))) {
                Some((content, left)) if *left > 0 => {
                    *left -= 1;
                    plan.renamed += 1;
                    plan.renames.0.entry(content).or_default().push(id);
                }
                _ => {
                    if plan.preview.len() < PREVIEW_MAX {
                        plan.preview.push(summary_of_evidence(&evidence));
                    }
                    plan.gone.push(id);
                }
            }
        }
        Ok(plan)
    }

    /// Those of the plan's records that a second reading did not find either.
    pub(crate) fn still_gone(
        &self,
        plan: &MirrorPlan,
        found: &Sighting,
    ) -> Result<Vec<OpId>, EngineError> {
        let mut gone = Vec::with_capacity(plan.gone.len());
        for id in self.in_state(plan.gone.clone(), RecordState::Valid)? {
            let shown = self.show(&id)?;
            let body = shown.operation.body().map(serde_json::from_slice::<Evidence>);
            if let Some(Ok(evidence)) = body
                && !found.has(&evidence)
            {
                gone.push(id);
            }
        }
        Ok(gone)
    }
}
