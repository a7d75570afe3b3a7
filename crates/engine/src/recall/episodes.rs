//! Recall: a question in, records with reasons out.
//!
//! One pipeline: bring the index up to date, understand the question, find, drop near-duplicates,
//! add neighbours. Every part of a score stays with the record as the explanation of the score.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use kernel::body::Body;
use kernel::evidence::{Echo, Evidence};
use kernel::id::OpId;
use kernel::snapshot::Snapshot;
use retrieval::profile::{Fit, ProfileQuestion};
use retrieval::question::Question;
use retrieval::question::ends::both_ends;
use retrieval::rank::relevance::{JUDGED, RELEVANCE_MIN, RankingFeatures, relevance};
use retrieval::rank::{Score, Weights};
use retrieval::text::Analyzer;
use retrieval::text::passages::passages;
use store::sqlite::{
    Filter, Found, ModelNumber, NamedRecords, QuestionVector, Search, TermShare, first_after,
};
use store::{Ledger, Position, StoreError};

use super::discounts::said_with_title;
use super::features;
use super::identifiers::Code;
use super::overruled::Overruled;
use super::past::StatedTimes;
use super::replaced::voice_of;
use super::series::SeriesSeen;
use super::statements::Statements;
use crate::belief::Bodies;
use crate::private::{Disclosure, Privacy};
use crate::recall::context::gather::text_of;
use crate::{EngineError, Reader};

/// Most results that can be asked for.
pub const RESULTS_MAX: usize = 1_000;

/// Most records that are looked through for such as say something different.
const CANDIDATES_MAX: usize = 8 * RESULTS_MAX;
/// How many times more are looked through when too many say the same.
const CANDIDATES_GROWTH: usize = 8;
/// Occurrences of one event that are shown where the question names no time: two, so that one sees
/// that there are more.
const OCCURRENCES_MAX: usize = 2;

/// Results that are searched for what a question asks to know of a person.
const PROFILE_LOOKED_AT: usize = 100;
/// Results of which one in another language than English may tell it.
const OTHER_LANGUAGES_LOOKED_FOR: usize = 3;
/// How far a record that mentions it tells it.
const FIT_OF_MENTION: f64 = 0.4;

/// The least and the most of the chance that memory answers a question for what there is to know of
/// a person, by whether a record tells it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProfileChance {
    least: f64,
    most: f64,
}

impl ProfileChance {
    const TOLD: Self = Self { least: 0.9, most: 1.0 };
    const MENTIONED: Self = Self { least: 0.6, most: 1.0 };
    const UNTOLD: Self = Self { least: 0.0, most: 0.3 };

    /// Whether a record tells it, or mentions it.
    pub fn is_told_or_mentioned(self) -> bool {
        self.least > 0.0
    }

    /// A chance within these limits.
    pub fn limit(self, chance: f64) -> f64 {
        chance.clamp(self.least, self.most)
    }
}

impl Default for ProfileChance {
    fn default() -> Self {
        Self { least: 0.0, most: 1.0 }
    }
}

/// What to recall.
#[derive(Clone, Debug)]
pub struct Query {
    /// The question, in words.
    pub text: String,
    /// How many records, at most [`RESULTS_MAX`].
    pub limit: usize,
    /// Which records.
    pub filter: Filter,
    /// Only statements of claims and nodes that are true in the world at this time, microseconds
    /// since the Unix epoch. Other records have no such times.
    pub valid_at_us: Option<i64>,
    /// Only statements of what is true at this time, microseconds since the Unix epoch, or at a
    /// time that the question names. If the question is about the past, also of what is over.
    pub current_at_us: Option<i64>,
    /// Records to show before and after each.
    pub neighbours: u32,
    /// The asker's date: what "last week" counts from.
    pub today: Option<jiff::civil::Date>,
    /// How much each part of a score counts.
    pub weights: Weights,
    /// The question as another model than the built-in table understands it, where there is one.
    pub vector: Option<ByModel>,
}

impl Query {
    /// The best `limit` of all records, by the built-in table and its weights, for an asker of
    /// unknown date.
    pub fn new(text: impl Into<String>, limit: usize) -> Self {
        Self {
            text: text.into(),
            limit,
            filter: Filter::default(),
            valid_at_us: None,
            current_at_us: None,
            neighbours: 0,
            today: None,
            weights: Weights::default(),
            vector: None,
        }
    }
}

/// A question by a model other than the built-in table.
#[derive(Clone, Debug)]
pub struct ByModel {
    /// Its vector.
    pub vector: QuestionVector,
    /// How much each part of a score counts then.
    pub weights: Weights,
    /// Its vector as a question about facts, if that differs: facts name whom they are about.
    pub of_facts: Option<QuestionVector>,
}

impl ByModel {
    /// By the weights that fit most models.
    pub fn new(model: ModelNumber, numbers: Vec<f32>) -> Self {
        let vector = QuestionVector { model, numbers };
        Self { vector, weights: Weights::WITH_MODEL, of_facts: None }
    }

    /// The vector of the question about facts.
    pub fn into_fact_vector(self) -> QuestionVector {
        self.of_facts.unwrap_or(self.vector)
    }
}

/// What was recalled.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Recall {
    /// How the question was understood.
    pub question: Question,
    /// The records, best first.
    pub results: Vec<Recollection>,
    /// The chance that the first of them answers, 0 … 1: [`relevance()`].
    pub relevance: f64,
    /// True if that is below [`RELEVANCE_MIN`]: nothing in memory seems to answer.
    pub abstains: bool,
    /// What the chance was judged by: the question or, of several sentences, each that may ask. The
    /// best counts.
    #[serde(skip)]
    pub features: Vec<RankingFeatures>,
    /// What the records that were found say of the chance, if the question asks what there is to
    /// know of a person.
    #[serde(skip)]
    pub profile_chance: ProfileChance,
    /// The number of records and passages in the index.
    #[serde(skip)]
    pub documents: u64,
    /// How far the index had read.
    pub position: Position,
    /// Operations that the index has not read yet: 0 unless the file cannot be written, is damaged,
    /// or is being written by another process.
    pub behind: u64,
    /// The model whose vectors served; none if it was the built-in table's.
    pub model: Option<ModelNumber>,
    /// Records that were found and left out, because the file no longer holds them as they were
    /// signed.
    pub altered: Vec<OpId>,
}

/// A recalled record.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Recollection {
    /// Its operation.
    pub id: OpId,
    /// What it says.
    pub evidence: Evidence,
    /// Why it is here: a sum of parts.
    pub score: Score,
    /// The passage that was found, of a record with several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passage: Option<String>,
    /// What its words part consists of.
    pub terms: Vec<TermShare>,
    /// True if the question names it by the hash of a commit or the path of a file that it changed.
    /// Such records stand first.
    #[serde(skip_serializing_if = "is_false")]
    pub named: bool,
    /// What was said just before and after.
    pub neighbours: Vec<Neighbour>,
    /// Results whose statements this one replaces: see [`super::replaced`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replaces: Vec<OpId>,
    /// What the user overruled of what was concluded from it: see [`super::overruled`]. None until
    /// [`Reader::mark_overruled`] is asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overruled: Vec<Overruled>,
    /// Of a series, when else it happens; the record's time is then that of the occurrence that was
    /// asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series: Option<SeriesSeen>,
    /// The name of the key that signed it, if that key does not speak for the owner of the space.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded_by: Option<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

impl Recollection {
    /// What is shown of it: the passage that was found, or all that it says.
    pub fn text(&self) -> String {
        self.passage.clone().unwrap_or_else(|| text_of(&self.evidence))
    }
}

/// A record beside a recalled one.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Neighbour {
    /// Negative before, positive after.
    pub distance: i32,
    /// Its operation.
    pub id: OpId,
    /// What it says.
    pub evidence: Evidence,
}

impl Reader<'_> {
    /// Answers a question with records other than thinking.
    pub(super) fn recall_records(&self, query: &Query) -> Result<Recall, EngineError> {
        let limit = query.limit.min(RESULTS_MAX);
        let vector = query.vector.as_ref().map(|by_model| &by_model.vector);
        let (question, different, around, has_model, documents) =
            self.store.search_with(vector, |search, analyzer| {
                let mut question = search.question(&query.text, analyzer, query.today)?;
                let mut different = different(search, analyzer, &question, query, limit)?;
                if different.results.is_empty()
                    && let Some(in_words) = question.in_words()
                {
                    question = in_words;
                    different = self::different(search, analyzer, &question, query, limit)?;
                }
                let around = |document: &u32| search.neighbours(*document, query.neighbours);
                let around: Vec<_> = match query.neighbours {
                    0 => Vec::new(),
                    _ => different.kept.iter().map(around).collect(),
                };
                Ok((question, different, around, search.has_model(), search.document_count()))
            })?;
        let Different { mut results, kept: _, features, names_answer, profile_chance } = different;
        let mut altered = Vec::new();
        for (result, around) in results.iter_mut().zip(around) {
            for (distance, position) in around {
                if let Some((id, evidence)) = self.evidence_at(position, query.filter.as_of_us)?
                    && may_see(&query.filter, &evidence)
                {
                    result.neighbours.push(Neighbour { distance, id, evidence });
                }
            }
        }
        if Disclosure::of(&query.filter.visibilities) != Disclosure::Full {
            for result in &mut results {
                self.drop_private(&mut result.neighbours)?;
            }
        }
        for result in &mut results {
            altered.extend(self.take_altered(&mut result.neighbours, |beside| Some(beside.id))?);
        }
        altered.extend(self.take_altered(&mut results, |result| Some(result.id))?);
        self.name_signers(&mut results)?;
        let position = self.store.text_position()?;
        let behind = self.store.head()?.0.saturating_sub(position.0);
        let model = vector.filter(|_| has_model).map(|vector| vector.model);
        // What no longer is as it was signed tells nothing.
        let profile_chance =
            if altered.is_empty() { profile_chance } else { ProfileChance::default() };
        let least = if names_answer && !results.is_empty() { 1.0 } else { 0.0 };
        let relevance =
            features.iter().map(|features| relevance(Some(features))).fold(least, f64::max);
        let relevance = if results.is_empty() { 0.0 } else { profile_chance.limit(relevance) };
        let abstains = relevance < RELEVANCE_MIN;
        Ok(Recall {
            question,
            results,
            relevance,
            abstains,
            features,
            profile_chance,
            documents,
            position,
            behind,
            model,
            altered,
        })
    }

    /// Drops records that an annotation makes private.
    fn drop_private(&self, beside: &mut Vec<Neighbour>) -> Result<(), EngineError> {
        let ids: Vec<OpId> = beside.iter().map(|neighbour| neighbour.id).collect();
        let hidden = self.private_among(&ids)?;
        beside.retain(|neighbour| !hidden.contains(&neighbour.id));
        Ok(())
    }

    /// The evidence at a position, unless it was recorded after `until_us`.
    fn evidence_at(
        &self,
        position: Position,
        until_us: Option<u64>,
    ) -> Result<Option<(OpId, Evidence)>, EngineError> {
        let before = Position(position.0.saturating_sub(1));
        let recorded =
            self.store.read(before, 1)?.pop().filter(|recorded| recorded.position == position);
        Ok(recorded.and_then(|recorded| {
            let operation = recorded.operation;
            if until_us.is_some_and(|until| operation.header().ts.0 > until) {
                return None;
            }
            match Body::parse(&operation.header().kind, operation.body()?) {
                Ok(Body::Evidence(evidence)) => Some((operation.id(), evidence)),
                _ => None,
            }
        }))
    }
}

/// Whether a filter admits a record that the search did not find by itself.
fn may_see(filter: &Filter, evidence: &Evidence) -> bool {
    filter.visibilities.is_empty() || filter.visibilities.contains(&evidence.visibility)
}

/// Records that say different things.
struct Different {
    results: Vec<Recollection>,
    /// Their numbers in the index.
    kept: Vec<u32>,
    /// Of everything that was found, however few are wanted.
    features: Vec<RankingFeatures>,
    /// Whether the first answer because the question names them by identifiers.
    names_answer: bool,
    /// What it says of the chance that it tells what the question asks to know of a person.
    profile_chance: ProfileChance,
}

/// The best `limit` records that say different things. Where most of what is found
/// repeats what is better, it is looked for further down.
fn different(
    search: &Search<'_>,
    analyzer: &mut Analyzer,
    question: &Question,
    query: &Query,
    limit: usize,
) -> Result<Different, StoreError> {
    let mut wanted = if question.profile.is_some() { limit.max(PROFILE_LOOKED_AT) } else { limit };
    let mut left_out: HashSet<Position> = HashSet::new();
    let by_model = query.vector.as_ref().filter(|_| search.has_model());
    let weights = by_model.map_or(&query.weights, |by_model| &by_model.weights);
    let (filter, today) = (&query.filter, query.today);
    let asked = |at_us| StatedTimes::asked(question, &query.text, today, at_us);
    let times = query.valid_at_us.map(StatedTimes::at).or(query.current_at_us.map(asked));
    let index = search.ledger_index()?;
    let then = filter.as_of_us.map(|until| Snapshot::before(&index, first_after(until)));
    let seen: &dyn Bodies = match &then {
        Some(then) => then,
        None => &index,
    };
    let mut statements = Statements::of(seen, times);
    let mut privacy = Privacy::of(&index);
    let sees_private = Disclosure::of(&filter.visibilities) == Disclosure::Full;
    let NamedRecords { found: named, are_answer } =
        search.named(&query.text, question, analyzer, filter, today, weights)?;
    let named_positions: HashSet<Position> = named.iter().map(|found| found.position).collect();
    let finder = search.finder(question, analyzer, filter, today, weights)?;
    loop {
        let mut found = finder.find(wanted)?;
        let is_all = found.len() < wanted;
        found.retain(|found| !left_out.contains(&found.position));
        let mut is_hidden = |id: &OpId, evidence: &Evidence| {
            let is_hidden =
                statements.is_obsolete(id, evidence)? || !sees_private && privacy.is_private(id)?;
            Ok::<_, StoreError>(is_hidden)
        };
        let profile_chance = match &question.profile {
            Some(profile) => {
                let (chance, hidden) = lift_telling(search, profile, &mut found, &mut is_hidden)?;
                left_out.extend(hidden);
                found.retain(|found| !left_out.contains(&found.position));
                chance
            }
            None => ProfileChance::default(),
        };
        if !sees_private {
            left_out.extend(hidden_of_judged(search, &found, &mut is_hidden)?);
            found.retain(|found| !left_out.contains(&found.position));
        }
        let judged = without_other_codes(search, &query.text, &found)?;
        let features = features::of(search, analyzer, question, query, &judged)?;
        let mut results = Vec::with_capacity(limit);
        let mut kept = Vec::with_capacity(limit);
        let mut times_shown: HashMap<(Option<String>, String), usize> = HashMap::new();
        let occurrences_max = if question.dates.is_empty() { OCCURRENCES_MAX } else { usize::MAX };
        let others = found.into_iter().filter(|found| !named_positions.contains(&found.position));
        let mut waiting: Vec<Option<Found>> =
            named.iter().cloned().chain(others).map(Some).collect();
        let left_out_before = left_out.len();
        for place in 0..waiting.len() {
            if results.len() == limit {
                break;
            }
            let Some(mut found) = waiting.get_mut(place).and_then(Option::take) else { continue };
            let Some((mut id, mut evidence)) = search.evidence(found.position)? else { continue };
            if let Some(echo) = evidence.echo() {
                let is_shown =
                    |result: &Recollection| echo.of.contains(&result.id) || repeats(result, &echo);
                if results.iter().any(is_shown) {
                    continue;
                }
                // The original is shown in place of its repetition.
                if let Some(original) = take_original(search, &echo, &mut waiting)? {
                    let Some((original_id, original_evidence)) =
                        search.evidence(original.position)?
                    else {
                        continue;
                    };
                    (found, id, evidence) = (original, original_id, original_evidence);
                }
            }
            // The search itself drops what says that it is private, but not what an annotation or
            // what it stands on makes private.
            if is_hidden(&id, &evidence)? {
                left_out.insert(found.position);
                continue;
            }
            let is_event = evidence.kind.0 == kernel::evidence::EvidenceKind::EVENT;
            let passage = passage_at(&evidence, search.passage_number(found.document));
            let times = times_shown.entry(fingerprint(&evidence, passage.as_deref())).or_default();
            *times += 1;
            let (today, occurrence) = (query.today, found.occurrence);
            let series = super::series::see(&mut evidence, occurrence, question, today);
            if *times <= if is_event { occurrences_max } else { 1 } {
                kept.push(found.document);
                let (score, terms) = (found.score, found.terms);
                let (neighbours, replaces) = (Vec::new(), Vec::new());
                let named = named_positions.contains(&found.position);
                results.push(Recollection {
                    named,
                    id,
                    evidence,
                    score,
                    passage,
                    terms,
                    neighbours,
                    replaces,
                    overruled: Vec::new(),
                    series,
                    recorded_by: None,
                });
            }
        }
        let is_enough = results.len() == limit || is_all || wanted >= CANDIDATES_MAX;
        // What was taken back or is private must not make the others look relevant: once more
        // without it.
        if is_enough && left_out.len() == left_out_before {
            let stands = |found: &Found| !left_out.contains(&found.position);
            let names_answer = are_answer && named.iter().any(stands);
            return Ok(Different { results, kept, features, names_answer, profile_chance });
        }
        if !is_enough {
            wanted = wanted.saturating_mul(CANDIDATES_GROWTH).min(CANDIDATES_MAX);
        }
    }
}

/// The positions of what `is_hidden` by an annotation among the records by which recall is judged:
/// the chance must not tell of them, however few records are wanted. What says itself that it is
/// private is not found.
fn hidden_of_judged(
    search: &Search<'_>,
    found: &[Found],
    is_hidden: &mut dyn FnMut(&OpId, &Evidence) -> Result<bool, StoreError>,
) -> Result<Vec<Position>, StoreError> {
    let (mut judged, mut hidden) = (0, Vec::new());
    for found in found {
        if judged == JUDGED {
            break;
        }
        let annotated = match search.is_annotated(found.position)? {
            true => search.evidence(found.position)?,
            false => None,
        };
        match annotated {
            Some((id, evidence)) if is_hidden(&id, &evidence)? => hidden.push(found.position),
            _ => judged += 1,
        }
    }
    Ok(hidden)
}

/// What speaks for an answer, best first: a record about E1207 says nothing of E1208.
fn without_other_codes<'a>(
    search: &Search<'_>,
    question: &str,
    found: &'a [Found],
) -> Result<Vec<&'a Found>, StoreError> {
    let asked = Code::all_in_question(&both_ends(question));
    let mut judged = Vec::with_capacity(found.len());
    for found in found {
        if !asked.is_empty() && judged.len() < JUDGED {
            let Some((_, evidence)) = search.evidence(found.position)? else { continue };
            let passage = passage_at(&evidence, search.passage_number(found.document));
            let text = passage.as_deref().unwrap_or(&evidence.payload.text);
            if Code::are_confused(&asked, &said_with_title(&evidence, text)) {
                continue;
            }
        }
        judged.push(found);
    }
    Ok(judged)
}

/// Raises the records that tell what a question asks to know of a person. What of these
/// `is_hidden` tells nothing; their positions.
fn lift_telling(
    search: &Search<'_>,
    profile: &ProfileQuestion,
    found: &mut [Found],
    is_hidden: &mut dyn FnMut(&OpId, &Evidence) -> Result<bool, StoreError>,
) -> Result<(ProfileChance, Vec<Position>), StoreError> {
    let mut hidden = Vec::new();
    let (mut best, mut names, mut is_english) = (Fit::None, Vec::new(), true);
    let mut profile = Cow::Borrowed(profile);
    // Once more with the names, if records tell only what my wife is called.
    for _ in 0..2 {
        for (place, found) in found.iter_mut().take(PROFILE_LOOKED_AT).enumerate() {
            let Some((id, evidence)) = search.evidence(found.position)? else { continue };
            let passage = passage_at(&evidence, search.passage_number(found.document));
            let text = passage.as_deref().unwrap_or(&evidence.payload.text);
            let voice = voice_of(&evidence);
            let (fit, _) = profile.fit(text, voice);
            let named = profile.names_in(text, voice);
            if fit == Fit::None && named.is_empty() {
                is_english &=
                    place >= OTHER_LANGUAGES_LOOKED_FOR || !Analyzer::is_in_another_language(text);
                continue;
            }
            if is_hidden(&id, &evidence)? {
                hidden.push(found.position);
                continue;
            }
            names.extend(named);
            best = best.max(fit);
            found.score = found.score.with_profile(match fit {
                Fit::Tells => 1.0,
                Fit::Mentions => FIT_OF_MENTION,
                Fit::None => 0.0,
            });
        }
        if best == Fit::Tells || names.is_empty() {
            break;
        }
        profile = Cow::Owned(profile.also_of(&std::mem::take(&mut names)));
    }
    found.sort_by(|one, other| other.score.total.total_cmp(&one.score.total));
    let chance = match best {
        Fit::Tells => ProfileChance::TOLD,
        Fit::Mentions => ProfileChance::MENTIONED,
        // The ways to tell it in other languages are not known.
        Fit::None if profile.is_closed() && is_english => ProfileChance::UNTOLD,
        Fit::None => ProfileChance::default(),
    };
    Ok((chance, hidden))
}

/// A passage of a record; none if it is the whole text.
pub(super) fn passage_at(evidence: &Evidence, number: usize) -> Option<String> {
    let text = &evidence.payload.text;
    let range = passages(text).into_iter().nth(number).filter(|range| range.len() < text.len())?;
    text.get(range).map(|passage| passage.trim().to_owned())
}

/// Whether a result and an echo repeat the same record.
fn repeats(result: &Recollection, echo: &Echo) -> bool {
    result.evidence.echo().is_some_and(|shown| shown.of.iter().any(|id| echo.of.contains(id)))
}

/// Takes an original of an echo out of the results that are still to be shown.
fn take_original(
    search: &Search<'_>,
    echo: &Echo,
    waiting: &mut [Option<Found>],
) -> Result<Option<Found>, StoreError> {
    for id in &echo.of {
        let position = search.position(id)?;
        let original =
            waiting.iter_mut().find(|found| found.as_ref().map(|found| found.position) == position);
        if let Some(original) = original.filter(|_| position.is_some()).and_then(Option::take) {
            return Ok(Some(original));
        }
    }
    Ok(None)
}

/// Records that say the same by the same person, apart from case and white space, are shown once,
/// and so are records whose passages that were found say the same; occurrences of an event, which
/// are things of their own that happen, [`OCCURRENCES_MAX`] times or as often as a time is named.
fn fingerprint(evidence: &Evidence, passage: Option<&str>) -> (Option<String>, String) {
    let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let payload = &evidence.payload;
    if let Some(passage) = passage.filter(|passage| !passage.is_empty()) {
        return (evidence.actor.clone(), folded(passage));
    }
    let mut words = folded(&payload.text);
    for caption in &payload.captions {
        words.push('\n');
        words.push_str(&folded(caption));
    }
    if words.trim().is_empty() {
        words = evidence.source_uid.clone();
    }
    (evidence.actor.clone(), words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Space;
    use crate::write::record::Prepared;
    use kernel::evidence::EvidenceKind;
    use kernel::seal::{SEED_BYTES, Signer};

    fn turn(number: usize, actor: &str, text: &str) -> Evidence {
        serde_json::from_value(serde_json::json!({
            "source": "test", "source_uid": number.to_string(), "kind": EvidenceKind::TURN, "actor": actor, "at": null,
            "summary": text, "visibility": "project", "payload": { "text": text }
        }))
        .unwrap()
    }

    fn recall(turns: Vec<Evidence>, text: &str, limit: usize) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let (signer, now) = (Signer::from_seed([1; SEED_BYTES]), jiff::Timestamp::UNIX_EPOCH);
        let mut space =
            Space::create(&folder.path().join("space.db"), signer, "test", now).unwrap();
        space
            .record(
                turns.into_iter().map(|turn| Prepared::new(turn.into()).unwrap()).collect(),
                now,
            )
            .unwrap();
        let query = Query { weights: Weights::LEXICAL, ..Query::new(text, limit) };
        space
            .recall(&query)
            .unwrap()
            .results
            .into_iter()
            .map(|result| result.evidence.payload.text)
            .collect()
    }

    #[test]
    fn a_statement_repeated_many_times_does_not_hide_one_made_once() {
        let mut turns: Vec<Evidence> =
            (0..400).map(|number| turn(number, "Ana", "The boat leaves")).collect();
        turns.push(turn(400, "Ana", "Nobody takes the boat on a long and rainy Monday"));
        assert_eq!(recall(turns, "Which boat leaves?", 2).len(), 2);
    }

    #[test]
    fn a_passage_that_a_thousand_records_have_is_shown_once() {
        let same = "The harbour association reports on the crane and the fees of visitors. ";
        let mut turns: Vec<Evidence> = (0..1_000)
            .map(|number| {
                let note = format!("Note {number} is about something else, of its own. ");
                turn(number, "Ana", &format!("{}\n\n{}", same.repeat(10), note.repeat(10)))
            })
            .collect();
        turns.push(turn(1_000, "Ana", "Nobody takes the crane on a long and rainy Monday"));
        let found = recall(turns, "What do visitors of the harbour pay for the crane?", 2);
        assert!(found.iter().any(|text| text.starts_with("Nobody takes")), "{found:?}");
    }

    #[test]
    fn the_same_statement_by_two_people_is_shown_twice() {
        let turns = vec![
            turn(0, "Ana", "The boat leaves"),
            turn(1, "Ben", "The  boat LEAVES"),
            turn(2, "Ana", "the boat leaves"),
        ];
        // Of what Ana said twice, the last time is shown.
        assert_eq!(recall(turns, "boat", 10), ["the boat leaves", "The  boat LEAVES"]);
    }

    #[test]
    fn recall_abstains_from_unrelated_questions_and_states_its_confidence_in_others() {
        let folder = tempfile::tempdir().unwrap();
        let (signer, now) = (Signer::from_seed([1; SEED_BYTES]), jiff::Timestamp::UNIX_EPOCH);
        let mut space =
            Space::create(&folder.path().join("space.db"), signer, "test", now).unwrap();
        let texts = [
            "The boat leaves at noon",
            "Petra is allergic to walnuts",
            "I bought a red bicycle in May",
        ];
        let turns = texts
            .iter()
            .enumerate()
            .map(|(number, text)| Prepared::new(turn(number, "Ana", text).into()).unwrap());
        space.record(turns.collect(), now).unwrap();
        let ask = |text: &str, limit: usize| {
            let recall = space.recall(&Query::new(text, limit)).unwrap();
            (recall.relevance, recall.abstains)
        };
        for nonsense in [
            "",
            "🎉🎉",
            "qwxz vbnmk",
            "¿Dónde está el baño?",
            "הסירה יוצאת",
            "aGVsbG8gd29ybGQ=",
            "?!",
        ] {
            let (relevance, abstains) = ask(nonsense, 10);
            assert!(abstains && relevance < RELEVANCE_MIN, "{nonsense}: {relevance}");
        }
        let (relevance, abstains) = ask("Who is allergic to walnuts?", 10);
        assert!(!abstains && relevance > 0.5, "{relevance}");
        assert_eq!(ask("Who is allergic to walnuts?", 1).0, relevance, "however few are asked for");
        assert!(relevance > ask("Who is allergic to hazelnut cake from Copenhagen?", 10).0);
        // Sentences before a question do not count, whatever they are about.
        let before = "By the way, I was just sitting here with a cup of tea after a rather long day, \
             thinking about this and that while the rain keeps falling outside, and before I forget \
             it again I wanted to ask you something quickly.";
        let asked = ask(&format!("{before} Who is allergic to walnuts?"), 10);
        assert!(!asked.1 && asked.0 > 0.5, "{}", asked.0);
        let unrelated = ask("When does the boat leave? Which emperor was crowned in Aachen?", 10);
        assert!(unrelated.0 < ask("When does the boat leave?", 10).0, "{}", unrelated.0);
        assert!(ask(&format!("{before} Which emperor bought Aachen?"), 10).1);
    }

    #[test]
    fn a_limit_of_zero_recalls_nothing() {
        assert!(recall(vec![turn(0, "Ana", "The boat leaves")], "boat", 0).is_empty());
    }
}
