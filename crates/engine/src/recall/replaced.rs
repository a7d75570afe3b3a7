//! Of two statements about the same thing, the newer stands first and says that it replaces.
//!
//! The index ranks each record by itself. "I live in Gothenburg" answers "Where do I live?" better
//! than "I moved: Oslo", and has stopped being true. After ranking, the statements in the results
//! are read ([`derivers::attributes`]). Where a result states something that may have changed, the
//! same question is searched further down for a record that replaces it. The newer takes the place
//! of the older, which follows it. No score changes. What a long record says beside what it was
//! found for counts for nothing here. A commit that reverts another replaces it, too.

use std::collections::{BTreeMap, BTreeSet};

use derivers::attributes::{AttributeStatement, Speaker, attributes};
use derivers::names;
use derivers::pasted::before_pasted;
use kernel::evidence::{Evidence, EvidenceKind};
use kernel::id::OpId;
use kernel::when::When;
use retrieval::profile::Voice;
use retrieval::text::sentences::sentences;
use store::StoreError;

use super::answering::WordWeights;
use super::episodes::{Query, Recall, Recollection};
use super::past::asks_for_former;
use crate::{EngineError, Reader};

/// Results that are searched for statements that replace one of the wanted results.
const LOOKED_THROUGH: usize = 100;

/// A result with what it states.
struct Stated {
    id: OpId,
    at_us: i64,
    statements: Vec<AttributeStatement>,
}

impl Stated {
    fn of(result: &Recollection) -> Option<Self> {
        let evidence = &result.evidence;
        let at_us = evidence.at.as_ref()?.instant_us();
        let statements = attributes(own_words(evidence), speaker_of(evidence));
        Some(Self { id: result.id, at_us, statements })
            .filter(|stated| !stated.statements.is_empty())
    }

    fn all(results: &[Recollection]) -> Vec<Self> {
        results.iter().filter_map(Self::of).collect()
    }
}

/// Which of these replaces which others, in what the question is about. A short name, "my new
/// number", replaces nothing where it may mean several attributes.
fn replacements(
    stated: &[Stated],
    mut is_asked_about: impl FnMut(&OpId, &AttributeStatement) -> bool,
) -> BTreeMap<OpId, BTreeSet<OpId>> {
    let mut replacements: BTreeMap<OpId, BTreeSet<OpId>> = BTreeMap::new();
    for newer in stated {
        for statement in &newer.statements {
            let before = || {
                let older = stated.iter().filter(|older| older.at_us < newer.at_us);
                older.flat_map(|older| older.statements.iter().map(|said| (older.id, said)))
            };
            let names: BTreeSet<&str> = before()
                .filter(|(_, said)| statement.may_mean(said))
                .map(|(_, said)| said.attribute())
                .collect();
            let is_clear = names.len() < 2;
            let older: Vec<(OpId, &str)> = before()
                .filter(|(id, said)| statement.replaces(said) && is_asked_about(id, said))
                .map(|(id, said)| (id, said.attribute()))
                .collect();
            let meant = older
                .into_iter()
                .filter(|(_, name)| is_clear || *name == statement.attribute())
                .map(|(id, _)| id);
            replacements.entry(newer.id).or_default().extend(meant);
        }
    }
    replacements
}

/// Whether words of a record say that something changed of what words of an older record state.
pub fn says_it_changed(newer: (&str, &Evidence), older: (&str, &Evidence)) -> bool {
    let at_us = |of: &Evidence| of.at.as_ref().map(When::instant_us);
    let is_later = at_us(newer.1).zip(at_us(older.1)).is_some_and(|(newer, older)| older < newer);
    if !is_later {
        return false;
    }
    let before = stated_in(older.0, older.1);
    stated_in(newer.0, newer.1).iter().any(|newer| before.iter().any(|older| newer.replaces(older)))
}

/// The sentence of a newer record which says that something changed of what words of an older one
/// state.
pub fn sentence_of_change(newer: &Evidence, older: (&str, &Evidence)) -> Option<String> {
    let text = own_words(newer);
    let mut found = sentences(text).into_iter().filter_map(|range| text.get(range));
    found
        .find(|sentence| says_it_changed((sentence, newer), older))
        .map(|sentence| sentence.trim().to_owned())
}

/// What words of a record state, unless they are of a text of somebody else within it.
fn stated_in(words: &str, evidence: &Evidence) -> Vec<AttributeStatement> {
    let own = own_words(evidence);
    let is_own = own.len() == evidence.payload.text.len()
        || folded(own).contains(folded(words).trim_end_matches('…'));
    if is_own { attributes(words, speaker_of(evidence)) } else { Vec::new() }
}

/// The words of a record; of a message to an assistant, those before a text of somebody else.
fn own_words(evidence: &Evidence) -> &str {
    let text = &evidence.payload.text;
    let is_to_agent = evidence.payload.role.as_deref() == Some("user");
    if is_to_agent { before_pasted(text) } else { text }
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn speaker_of(evidence: &Evidence) -> Speaker<'_> {
    match (evidence.payload.role.as_deref(), evidence.actor.as_deref()) {
        (Some("user"), None) | (None, None) => Speaker::Owner,
        (Some("user") | None, Some(actor)) if names::is_self(actor) => Speaker::Owner,
        (Some("user") | None, Some(actor)) => Speaker::Person(actor),
        (Some(_), _) => Speaker::Program,
    }
}

/// Whose words a record has, for a question about a person.
pub fn voice_of(evidence: &Evidence) -> Voice<'_> {
    match speaker_of(evidence) {
        Speaker::Owner => Voice::Asker,
        Speaker::Person(name) => Voice::Person(name),
        Speaker::Program => Voice::Program,
    }
}

impl Reader<'_> {
    /// Recalls, and marks the results that replace others: see [`Recollection::replaces`]. What
    /// replaces a result is added if it was not found, so there may be more results than were
    /// wanted. They are ordered by score: [`newer_first`] puts them in order.
    pub fn recall_with_newer(&self, query: &Query) -> Result<Recall, EngineError> {
        let mut recall = self.recall(query)?;
        mark_reverted(&mut recall.results);
        let mut stated = Stated::all(&recall.results);
        if stated.is_empty() {
            return Ok(recall);
        }
        let mut further = Vec::new();
        if query.limit < LOOKED_THROUGH {
            let deeper = Query { limit: LOOKED_THROUGH, neighbours: 0, ..query.clone() };
            further = self.recall(&deeper)?.results;
            stated = Stated::all(&further);
        }
        let replacements = self.replacements_for(&recall, &further, &stated)?;
        let wanted: BTreeSet<OpId> = recall.results.iter().map(|result| result.id).collect();
        // What replaces something that replaces a result is newer still.
        let mut shown = wanted.clone();
        loop {
            let before = shown.len();
            for result in &further {
                let replaced = replacements.get(&result.id);
                if replaced.is_some_and(|replaced| !replaced.is_disjoint(&shown)) {
                    shown.insert(result.id);
                }
            }
            if shown.len() == before {
                break;
            }
        }
        further.retain(|result| !wanted.contains(&result.id) && shown.contains(&result.id));
        if !further.is_empty() && query.neighbours > 0 {
            let added: BTreeSet<OpId> = further.iter().map(|result| result.id).collect();
            further = self.recall(&Query { limit: LOOKED_THROUGH, ..query.clone() })?.results;
            further.retain(|result| added.contains(&result.id));
        }
        recall.results.extend(further);
        for result in &mut recall.results {
            if let Some(replaced) = replacements.get(&result.id) {
                result.replaces.extend(replaced.intersection(&shown));
            }
        }
        Ok(recall)
    }

    /// Which results replace which others, in what the question is about.
    fn replacements_for(
        &self,
        recall: &Recall,
        further: &[Recollection],
        stated: &[Stated],
    ) -> Result<BTreeMap<OpId, BTreeSet<OpId>>, EngineError> {
        let results = || recall.results.iter().chain(further);
        let shares = results().flat_map(|result| &result.terms);
        let weights = WordWeights::new(Some(&recall.question), shares);
        let mut asked_about: BTreeMap<OpId, Vec<AttributeStatement>> = BTreeMap::new();
        Ok(self.store.search(|_, analyzer| {
            let mut read = |id: &OpId| -> Vec<AttributeStatement> {
                let Some(result) = results().find(|result| result.id == *id) else {
                    return Vec::new();
                };
                let (words, speaker) = (own_words(&result.evidence), speaker_of(&result.evidence));
                let sentences = weights.asked_about(words, analyzer);
                sentences.iter().flat_map(|sentence| attributes(sentence, speaker)).collect()
            };
            let replacements = replacements(stated, |id, statement| {
                asked_about.entry(*id).or_insert_with(|| read(id)).contains(statement)
            });
            Ok::<_, StoreError>(replacements)
        })?)
    }
}

/// Notes of each commit which of the others it reverts.
fn mark_reverted(results: &mut [Recollection]) {
    let commits = |result: &&Recollection| result.evidence.kind.0 == EvidenceKind::COMMIT;
    let commits: Vec<(OpId, String, String)> = (results.iter().filter(commits))
        .map(|result| {
            let Evidence { source, source_uid, .. } = &result.evidence;
            (result.id, source.clone(), source_uid.clone())
        })
        .collect();
    if commits.len() < 2 {
        return;
    }
    for result in results.iter_mut() {
        let Some(hash) = reverted(&result.evidence) else { continue };
        let of_hash = commits.iter().filter(|(id, source, uid)| {
            *id != result.id && *source == result.evidence.source && uid.starts_with(hash)
        });
        result.replaces.extend(of_hash.map(|(id, ..)| *id));
    }
}

/// The hash in the sentence that `git revert` writes: "This reverts commit 5288035."
fn reverted(commit: &Evidence) -> Option<&str> {
    const HASH_BYTES_MIN: usize = 7;
    if commit.kind.0 != EvidenceKind::COMMIT {
        return None;
    }
    let (_, after) = commit.payload.text.split_once("This reverts commit ")?;
    let end = after.find(|letter: char| !letter.is_ascii_hexdigit()).unwrap_or(after.len());
    after.get(..end).filter(|hash| hash.len() >= HASH_BYTES_MIN)
}

/// Puts what replaces something and what it replaces in order: the newer first, or the older in an
/// answer to a question that is for it ([`super::past::asks_for_former`]). `replaces` answers the
/// id of an item and what it replaces.
pub fn in_order_of_change<T>(
    items: &mut Vec<T>,
    question: &str,
    replaces: impl Fn(&T) -> (OpId, &[OpId]),
) {
    match asks_for_former(question) {
        true => older_first(items, replaces),
        false => newer_first(items, replaces),
    }
}

/// How far each item is from one that replaces nothing, if it replaces something; in that order.
fn newer_by_depth<T>(items: &[T], replaces: &impl Fn(&T) -> (OpId, &[OpId])) -> Vec<(usize, OpId)> {
    let mut depths: BTreeMap<OpId, usize> =
        items.iter().map(|item| (replaces(item).0, 0)).collect();
    for _ in 0..items.len() {
        let mut is_changed = false;
        for item in items.iter() {
            let (id, older) = replaces(item);
            let below = older.iter().filter_map(|older| depths.get(older)).max();
            let depth = below.map_or(0, |below| below + 1);
            is_changed |= depths.insert(id, depth) != Some(depth);
        }
        if !is_changed {
            break;
        }
    }
    let mut newer: Vec<(usize, OpId)> =
        depths.into_iter().filter(|(_, depth)| *depth > 0).map(|(id, depth)| (depth, id)).collect();
    newer.sort_unstable();
    newer
}

/// Moves each item that replaces others before the first of these.
pub fn newer_first<T>(items: &mut Vec<T>, replaces: impl Fn(&T) -> (OpId, &[OpId])) {
    // What replaces something that replaces something is moved last, and so to the front.
    for (_, id) in newer_by_depth(items, &replaces) {
        let Some(from) = items.iter().position(|item| replaces(item).0 == id) else { continue };
        let older = items.get(from).map(|item| replaces(item).1.to_vec()).unwrap_or_default();
        let to = items.iter().position(|item| older.contains(&replaces(item).0));
        if let Some(to) = to.filter(|to| *to < from) {
            let item = items.remove(from);
            items.insert(to, item);
        }
    }
}

/// Moves what an item replaces before it.
fn older_first<T>(items: &mut Vec<T>, replaces: impl Fn(&T) -> (OpId, &[OpId])) {
    for (_, id) in newer_by_depth(items, &replaces).into_iter().rev() {
        let Some(mut at) = items.iter().position(|item| replaces(item).0 == id) else { continue };
        let older = items.get(at).map(|item| replaces(item).1.to_vec()).unwrap_or_default();
        for older in older {
            let from = items.iter().position(|item| replaces(item).0 == older);
            if let Some(from) = from.filter(|from| *from > at) {
                let item = items.remove(from);
                items.insert(at, item);
                at += 1;
            }
        }
    }
}
