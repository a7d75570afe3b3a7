//! Gathering: the candidates from memory for the last two turns, or for a question.
//!
//! Relevance = 0.6·similarity + 0.3·confidence + 0.1·recency (the specification of facts, "Recall,
//! two modes"). Similarity is recall's fused score, scaled to 0 … 1. An episode was observed, not
//! derived, so it has no confidence, and the other two weights are scaled up. The last two turns
//! are searched as one query and by their last sentences, without the names of their speakers.
//! Facts are ordered by relevance. Episodes keep the order of recall, so that the first of its
//! results are the first of the context; the results of a single sentence stand between them, half
//! as densely.
//! Facts are those that may be shown to an agent that did not ask ([`Mode::Passive`]).

use std::collections::BTreeMap;
use std::ops::Range;

use jiff::Timestamp;
use jiff::civil::Date;
use kernel::confidence::round6;
use kernel::evidence::Evidence;
use kernel::id::OpId;
use kernel::ledger_index::LedgerIndex;
use kernel::snapshot::Snapshot;
use kernel::when::When;
use retrieval::question::courtesy::is_courtesy;
use retrieval::rank::relevance::RELEVANCE_MIN;
use retrieval::text::cut;
use retrieval::text::standing::is_general;
use serde::Serialize;
use store::StoreError;
use store::sqlite::{ModelNumber, first_after};

use super::best::Best;
use super::excerpt::focus;
use super::unasked::is_specific;
use super::{LeftOut, NAME_BYTES_MAX, Omission, Request, Tier, Turn};
use crate::belief::Bodies;
use crate::belief::claims::current_at_us;
use crate::inspect::speaker;
use crate::owner::{SpaceOwner, USER, is_of_reader};
use crate::private::{Disclosure, Privacy, Viewpoint};
use crate::recall::episodes::{ByModel, Query, Recollection, passage_at};
use crate::recall::facts::{FactQuery, Mode, recency, relevance_of_episode};
use crate::recall::overruled::Overruled;
use crate::recall::past::Over;
use crate::recall::statements::Statements;
use crate::{EngineError, Reader};

/// The fused score of a record that is unrelated to the question: the table finds some similarity
/// in any two texts.
const SCORE_OF_UNRELATED: f64 = 1.2;
/// The fused score that counts as the most similar: about what a record gets that holds all words
/// of a question and is by the one whom it names.
const SCORE_FULL: f64 = 5.0;
/// The same two without meaning: words alone find nothing in an unrelated record, or a common word.
const WORDS_OF_UNRELATED: f64 = 0.2;
const WORDS_FULL: f64 = 3.0;
/// So many of the first results of a search that finds an answer may be it, though they are less
/// similar than others have to be.
const ANSWERS_MAX: usize = 5;
/// One of these less similar than this shares next to nothing with the question.
const ANSWER_SIMILARITY_MIN: f64 = 0.04;
/// Another episode less similar than this is not relevant, however recent.
const SIMILARITY_MIN: f64 = 0.1;
/// A fact less similar than this is not relevant, however sure: about a quarter of a sentence.
const FACT_SIMILARITY_MIN: f64 = 0.25;
/// The last sentences that are searched one by one.
const SENTENCES_MAX: usize = 3;
/// Sentences of fewer words are too short to be searched alone.
const SENTENCE_WORDS_MIN: usize = 3;
/// Most candidates of a search. Source: the specification of facts, "Filters before the top 20".
pub(super) const CANDIDATES_MAX: usize = 20;
/// Longest end of each of the last two turns that is searched, bytes.
const TURN_QUERY_BYTES_MAX: usize = 2 * 1024;
/// Longest text of a candidate, bytes: more than the usual budgets hold. The rest is cut
/// off, and the text is marked.
const CANDIDATE_BYTES_MAX: usize = 64 * 1024;

/// A request to gather candidates.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The question, or the last two turns as one.
    pub text: String,
    /// The embedded question, by model: see [`Request::by_model`].
    pub by_model: BTreeMap<String, ByModel>,
    /// Now.
    pub now: Timestamp,
    /// The reader's date.
    pub today: Option<Date>,
    /// What of the space is read, and as of when.
    pub viewpoint: Viewpoint,
}

impl Wanted {
    /// The explicit question, or the last two turns.
    pub fn of(request: &Request) -> Self {
        let text = match &request.question {
            Some(question) => question.clone(),
            None => Self::last_turns(&request.turns),
        };
        Self {
            text,
            by_model: request.by_model.clone(),
            now: request.now,
            today: request.today,
            viewpoint: request.viewpoint,
        }
    }

    /// The last two turns as one question.
    pub fn last_turns(turns: &[Turn]) -> String {
        let last = turns.get(turns.len().saturating_sub(2)..).unwrap_or_default();
        last.iter().map(|turn| end(&turn.text)).collect::<Vec<_>>().join("\n")
    }
}

/// The end of a turn, as much as is looked for: what a turn asks comes last.
pub(crate) fn end(text: &str) -> &str {
    end_within(text, TURN_QUERY_BYTES_MAX)
}

/// The end of a text, cut between characters.
pub fn end_within(text: &str, bytes_max: usize) -> &str {
    let start = text.ceil_char_boundary(text.len().saturating_sub(bytes_max));
    text.get(start..).unwrap_or_default()
}

/// Something of memory that may be put into a context.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// The operation that says it.
    pub id: OpId,
    /// Its text.
    pub text: String,
    /// True if that is only a part of it.
    pub is_cut: bool,
    /// The sentence of the text that matches best; the first if it is empty.
    #[serde(skip)]
    pub focus: Range<usize>,
    /// Whether it has a rare word of the question, or is a standing instruction that applies; of
    /// facts, always.
    #[serde(skip)]
    pub is_specific: bool,
    /// Whether it tells how to answer every question.
    #[serde(skip)]
    pub holds_for_all: bool,
    /// Whether recall has it among the first of a search that it does not abstain from.
    #[serde(skip)]
    pub is_answer: bool,
    /// The whole record, if the text is a passage of what a program said.
    #[serde(skip)]
    pub whole: Option<Whole>,
    /// When it was said, happened, or was last seen.
    pub at: Option<When>,
    /// Who said it.
    pub by: Option<String>,
    /// Where it is from.
    pub source: String,
    /// How well it answers, 0 … 1.
    pub similarity: f64,
    /// How sure it is, of a fact.
    pub confidence: Option<f64>,
    /// How recent, 0 … 1.
    pub recency: f64,
    /// All of these in one number, 0 … 1.
    pub relevance: f64,
    /// Older records whose statements this one replaces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replaces: Vec<OpId>,
    /// What the user overruled of what was concluded from this record.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overruled: Vec<Overruled>,
}

/// A record of which a passage matches.
#[derive(Clone, Debug, PartialEq)]
pub struct Whole {
    /// Its text, or as much of it around the passage as is read.
    pub text: String,
    /// The passage in it.
    pub focus: Range<usize>,
    /// Whether there is more of it.
    pub is_cut: bool,
}

impl Whole {
    /// The record around a passage of it.
    fn around(evidence: &Evidence, passage: &str) -> Option<Self> {
        let text = &evidence.payload.text;
        let at = text.find(passage)?;
        let mut start = text.floor_char_boundary(at.saturating_sub(WHOLE_BYTES_MAX / 2));
        if start > 0 {
            // Not within a word, and rather at the beginning of a line.
            let before = text.get(start..at)?;
            let line = before.find('\n').or_else(|| before.find(char::is_whitespace));
            start = line.map_or(at, |line| start + line);
        }
        let part = cut(text.get(start..)?, WHOLE_BYTES_MAX);
        let (focus, is_cut) = (at - start..at - start + passage.len(), part.len() < text.len());
        Some(Self { text: part.to_owned(), focus, is_cut })
    }
}

/// The candidates: facts by falling relevance, episodes in the order of recall.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Gathered {
    /// Facts.
    pub facts: Vec<Candidate>,
    /// Episodes.
    pub episodes: Vec<Candidate>,
    /// Results that may not be shown.
    pub left_out: Vec<LeftOut>,
    /// The chance that the best episode answers, 0 to 1; the highest of all search texts.
    #[serde(skip)]
    pub relevance: f64,
    /// The query.
    #[serde(rename = "asked")]
    pub query: String,
    /// The model whose vectors served; none if it was the built-in table's.
    pub model: Option<ModelNumber>,
    /// Operations that the index had not read.
    pub behind: u64,
}

impl Gathered {
    /// The same as somebody else's memory: what is believed is what its owner says, and nobody in a
    /// record passes for the reader.
    pub(super) fn attributed_to(mut self, owner: &SpaceOwner) -> Self {
        for fact in &mut self.facts {
            fact.text = owner.attribute(&fact.text);
            if fact.source == USERS_WORD {
                fact.source = OWNERS_WORD.to_owned();
            }
        }
        for episode in &mut self.episodes {
            match episode.by.as_deref() {
                Some(by) if by.starts_with(USER_QUOTED) => {
                    episode.by = Some(by.replacen(USER, &owner.label(), 1));
                }
                by if by.is_none_or(is_of_reader) => episode.by = Some(owner.label()),
                _ => {}
            }
        }
        for left in self.left_out.iter_mut().filter(|left| !left.summary.is_empty()) {
            left.summary = owner.attribute(&left.summary);
        }
        self
    }

    /// Names what may not be shown, without any of its content.
    fn leave_out(&mut self, tier: Tier, ids: Vec<OpId>, reason: Omission) {
        for id in ids.into_iter().map(Some) {
            if self.left_out.iter().all(|left| left.id != id) {
                let summary = String::new();
                self.left_out.push(LeftOut {
                    tier,
                    id,
                    summary,
                    tokens: None,
                    score: None,
                    reason,
                });
            }
        }
    }
}

/// How much the relevance of an instruction differs from that of the next older one.
const NEWER_BY: f64 = 1e-9;
/// The most that is read of a record around a passage of it, bytes.
const WHOLE_BYTES_MAX: usize = 16 * 1024;
/// Most passages that tell how to answer that are read, the newest first.
const INSTRUCTIONS_MAX: usize = 256;
/// Most of these that hold for every question and are served.
const GENERAL_MAX: usize = 8;

/// The source of a correction.
const USERS_WORD: &str = "the user's word";
/// The same in somebody else's memory.
const OWNERS_WORD: &str = "its owner's word";

/// How a name begins under which an agent quotes the user.
const USER_QUOTED: &str = "user quoted by ";

/// Who said a record: the speaker, or who recorded it. What an agent says that the user said is
/// marked as quoted.
fn said_by(evidence: &Evidence, recorded_by: Option<&str>) -> Option<String> {
    let name = |name: &str| cut(name, NAME_BYTES_MAX).to_owned();
    match (speaker(evidence), recorded_by) {
        (None, Some(agent)) if evidence.payload.role.as_deref() == Some(USER) => {
            Some(format!("{USER_QUOTED}{}", name(agent)))
        }
        (speaker, recorded_by) => speaker.or(recorded_by).map(name),
    }
}

/// Recall's fused score as a similarity, 0 … 1.
fn similarity(score: f64, counts_meaning: bool) -> f64 {
    let (unrelated, full) = match counts_meaning {
        true => (SCORE_OF_UNRELATED, SCORE_FULL),
        false => (WORDS_OF_UNRELATED, WORDS_FULL),
    };
    ((score - unrelated) / (full - unrelated)).clamp(0.0, 1.0)
}

impl Reader<'_> {
    /// Searches facts and episodes. Private records are listed as left out.
    pub fn gather(&self, wanted: &Wanted) -> Result<Gathered, EngineError> {
        let mut gathered = Gathered { query: wanted.text.clone(), ..Gathered::default() };
        let mut episodes = Best::default();
        let mut facts = Best::default();
        for (number, text) in questions(&wanted.text).iter().enumerate() {
            self.gather_facts(text, wanted, &mut facts, &mut gathered)?;
            // A sentence counts half as much as the whole.
            let step = if number == 0 { 1 } else { 2 };
            self.gather_episodes(text, step, wanted, &mut episodes, &mut gathered)?;
        }
        self.gather_general(wanted, &mut episodes)?;
        gathered.facts = facts.ranked(Tier::Facts, FACT_SIMILARITY_MIN, &mut gathered.left_out);
        gathered.episodes = episodes.ranked(Tier::Episodes, SIMILARITY_MIN, &mut gathered.left_out);
        Ok(gathered)
    }

    /// Searches facts alone, the most relevant first.
    pub fn gather_beliefs(&self, wanted: &Wanted) -> Result<Vec<Candidate>, EngineError> {
        let (mut gathered, mut facts) = (Gathered::default(), Best::default());
        for text in questions(&wanted.text) {
            self.gather_facts(&text, wanted, &mut facts, &mut gathered)?;
        }
        Ok(facts.ranked(Tier::Facts, FACT_SIMILARITY_MIN, &mut gathered.left_out))
    }

    fn gather_facts(
        &self,
        text: &str,
        wanted: &Wanted,
        best: &mut Best,
        gathered: &mut Gathered,
    ) -> Result<(), EngineError> {
        let query = FactQuery {
            limit: CANDIDATES_MAX,
            mode: Mode::Passive,
            over: Over::OnlyIfPast,
            today: wanted.today,
            vector: wanted.by_model.get(text).cloned().map(ByModel::into_fact_vector),
            as_of_us: wanted.viewpoint.as_of_us,
            valid_at_us: wanted.viewpoint.valid_at_us,
            visibilities: wanted.viewpoint.disclosure.visibilities(),
            ..FactQuery::new(text, wanted.now)
        };
        let found = self.recall_facts(&query)?;
        gathered.model = gathered.model.or(found.model);
        gathered.behind = gathered.behind.max(found.behind);
        gathered.leave_out(Tier::Facts, found.altered, Omission::Altered);
        for fact in found.facts {
            let said = fact.in_time(&fact.belief.text);
            let belief = fact.belief;
            // Its evidence's own time is what its recency counts from; the user's word has none and
            // does not grow old.
            let at = Timestamp::from_microsecond(fact.evidence_us).ok().map(When::from_timestamp);
            let source =
                belief.deriver.map_or_else(|| USERS_WORD.to_owned(), |deriver| deriver.name);
            best.add(
                0,
                Candidate {
                    id: fact.id,
                    is_cut: said.len() > CANDIDATE_BYTES_MAX,
                    whole: None,
                    focus: 0..0,
                    is_specific: true,
                    holds_for_all: false,
                    is_answer: false,
                    text: cut(&said, CANDIDATE_BYTES_MAX).to_owned(),
                    at: at.map(|at| When::from_date(at.date())),
                    by: None,
                    source,
                    similarity: round6(fact.relevance.similarity),
                    confidence: Some(belief.confidence),
                    recency: round6(fact.relevance.recency),
                    relevance: round6(fact.relevance.total),
                    replaces: Vec::new(),
                    overruled: Vec::new(),
                },
            );
        }
        Ok(())
    }

    /// Adds the results for one text, each `step` places after the one before it.
    fn gather_episodes(
        &self,
        text: &str,
        step: usize,
        wanted: &Wanted,
        best: &mut Best,
        gathered: &mut Gathered,
    ) -> Result<(), EngineError> {
        let vector = wanted.by_model.get(text).cloned();
        let mut query = Query {
            today: wanted.today,
            valid_at_us: wanted.viewpoint.valid_at_us,
            current_at_us: Some(current_at_us(
                wanted.now.as_microsecond(),
                wanted.viewpoint.as_of_us,
            )),
            vector,
            ..Query::new(text, CANDIDATES_MAX)
        };
        query.filter.as_of_us = wanted.viewpoint.as_of_us;
        if wanted.viewpoint.disclosure != Disclosure::Full {
            // For this reader what is private does not exist.
            query.filter.visibilities = Disclosure::WithoutPrivate.visibilities();
        }
        let mut recall = self.recall_with_newer(&query)?;
        let found: Vec<OpId> = recall.results.iter().map(|found| found.id).collect();
        let private = self.private_among(&found)?;
        if !private.is_empty() {
            // Private records are listed as left out. They take no other record's place and do not
            // count in the relevance.
            recall.results.retain(|found| private.contains(&found.id));
            query.filter.visibilities = Disclosure::WithoutPrivate.visibilities();
            let open = self.recall_with_newer(&query)?;
            recall.relevance = open.relevance;
            recall.altered = open.altered;
            recall.results.extend(open.results);
        }
        self.mark_overruled(&mut recall.results, wanted.viewpoint)?;
        gathered.behind = gathered.behind.max(recall.behind);
        gathered.leave_out(Tier::Episodes, recall.altered, Omission::Altered);
        gathered.relevance = gathered.relevance.max(recall.relevance);
        gathered.model = gathered.model.or(recall.model);
        let scores: BTreeMap<OpId, f64> =
            recall.results.iter().map(|found| (found.id, found.score.total)).collect();
        let mut matches = self.matches(&recall.results)?;
        let answers = recall.relevance >= RELEVANCE_MIN;
        let mut place = 0;
        for found in recall.results {
            // What replaces an answer answers as well.
            let replaced = found.replaces.iter().filter_map(|older| scores.get(older).copied());
            let score = replaced.fold(found.score.total, f64::max);
            let similarity = round6(similarity(score, found.score.counts_meaning()));
            // What has no time counts as told long ago.
            let at = found.evidence.at.as_ref();
            let recency = round6(at.map_or(0.0, |at| recency(at.instant_us(), wanted.now)));
            let relevance = round6(relevance_of_episode(similarity, recency));
            if private.contains(&found.id) {
                // Not even the beginning of what is private is shown.
                let (id, score, reason) = (Some(found.id), Some(relevance), Omission::Private);
                if gathered.left_out.iter().all(|left| left.id != id) {
                    let (tier, summary) = (Tier::Episodes, String::new());
                    gathered.left_out.push(LeftOut {
                        tier,
                        id,
                        summary,
                        tokens: None,
                        score,
                        reason,
                    });
                }
                continue;
            }
            let text = found.text();
            let (focus, is_specific) = matches.remove(&found.id).unwrap_or_default();
            place += step;
            // What a reply comes to may stand far from what it is about.
            let passage = found.passage.as_deref().filter(|_| found.evidence.is_said_by_program());
            let whole = passage.and_then(|passage| Whole::around(&found.evidence, passage));
            best.add(
                place,
                Candidate {
                    whole,
                    focus,
                    is_specific,
                    holds_for_all: false,
                    is_answer: answers
                        && place <= ANSWERS_MAX * step
                        && similarity >= ANSWER_SIMILARITY_MIN,
                    id: found.id,
                    is_cut: found.passage.is_some() || text.len() > CANDIDATE_BYTES_MAX,
                    text: cut(&text, CANDIDATE_BYTES_MAX).to_owned(),
                    at: found.evidence.at.clone(),
                    by: said_by(&found.evidence, found.recorded_by.as_deref()),
                    source: found.evidence.source,
                    similarity,
                    confidence: None,
                    recency,
                    relevance,
                    replaces: found.replaces,
                    overruled: found.overruled,
                },
            );
        }
        Ok(())
    }
}

impl Reader<'_> {
    /// Adds what tells how to answer every question: the newest first, before everything else.
    fn gather_general(&self, wanted: &Wanted, best: &mut Best) -> Result<(), EngineError> {
        let as_of_us = wanted.viewpoint.as_of_us;
        let general = self.store.search_with(None, |search, _| {
            let index = search.ledger_index()?;
            let then = as_of_us.map(|until| Snapshot::before(&index, first_after(until)));
            let seen: &dyn Bodies = match &then {
                Some(then) => then,
                None => &index,
            };
            let mut statements = Statements::of(seen, None);
            let mut privacy = Privacy::of(&index);
            let mut general = Vec::new();
            for (document, position) in search.instructions(INSTRUCTIONS_MAX) {
                if general.len() == 2 * GENERAL_MAX {
                    break;
                }
                let Some((id, evidence)) = search.evidence(position)? else { continue };
                let text = passage_at(&evidence, search.passage_number(document))
                    .unwrap_or_else(|| text_of(&evidence));
                let is_later = || {
                    let entry = index.entry(&id)?;
                    let recorded = entry.map(|entry| entry.ts.0);
                    Ok::<_, StoreError>(
                        as_of_us.zip(recorded).is_some_and(|(until, at)| at > until),
                    )
                };
                if is_general(&text)
                    && !statements.is_obsolete(&id, &evidence)?
                    && !privacy.is_private(&id)?
                    && !is_later()?
                {
                    general.push((id, evidence, text));
                }
            }
            Ok::<_, StoreError>(general)
        })?;
        let others = self.other_signers(general.iter().map(|(id, ..)| *id))?;
        let is_owners = |(id, ..): &(OpId, Evidence, String)| !others.contains_key(id);
        let general = general.into_iter().filter(is_owners).take(GENERAL_MAX);
        for (number, (id, evidence, text)) in general.enumerate() {
            let at = evidence.at.as_ref();
            let recency = round6(at.map_or(0.0, |at| recency(at.instant_us(), wanted.now)));
            best.add(
                0,
                Candidate {
                    whole: None,
                    focus: 0..0,
                    is_specific: true,
                    holds_for_all: true,
                    is_answer: false,
                    id,
                    is_cut: text.len() > CANDIDATE_BYTES_MAX,
                    text: cut(&text, CANDIDATE_BYTES_MAX).to_owned(),
                    by: said_by(&evidence, None),
                    at: evidence.at,
                    source: evidence.source,
                    similarity: 0.0,
                    confidence: None,
                    recency,
                    // The newest first, also of those of one day.
                    relevance: round6(relevance_of_episode(0.0, recency))
                        - number as f64 * NEWER_BY,
                    replaces: Vec::new(),
                    overruled: Vec::new(),
                },
            );
        }
        Ok(())
    }

    /// Where the results match, and whether in a rare word.
    fn matches(
        &self,
        results: &[Recollection],
    ) -> Result<BTreeMap<OpId, (Range<usize>, bool)>, EngineError> {
        Ok(self.store.search_with(None, |search, analyzer| {
            let records = search.document_count();
            let mut matched = |found: &Recollection| {
                let focus = focus(&found.text(), &found.terms, analyzer);
                (found.id, (focus, is_specific(found, records, analyzer)))
            };
            Ok(results.iter().map(&mut matched).collect())
        })?)
    }
}

/// The queries for a text: the whole of it, and its last sentences one by one, so that a question
/// at the end of a long turn is not lost. None for courtesy alone.
pub(super) fn questions(text: &str) -> Vec<String> {
    let whole = text.trim();
    if whole.is_empty() || is_courtesy(whole) {
        return Vec::new();
    }
    let ends = |c: char| matches!(c, '.' | '?' | '!' | '\n' | '。' | '？' | '！');
    let all = whole.trim_end_matches(ends);
    let sentences = whole.rsplit(ends).map(str::trim).filter(|sentence| *sentence != all);
    let long =
        sentences.filter(|sentence| sentence.split_whitespace().count() >= SENTENCE_WORDS_MIN);
    let mut questions = vec![whole.to_owned()];
    questions.extend(long.take(SENTENCES_MAX).map(str::to_owned));
    questions
}

/// The text of a record, with the captions of its images.
pub(crate) fn text_of(evidence: &Evidence) -> String {
    let payload = &evidence.payload;
    let mut text = if payload.text.trim().is_empty() {
        evidence.summary.clone()
    } else {
        payload.text.clone()
    };
    for caption in &payload.captions {
        text.push_str(&format!("\n[image: {caption}]"));
    }
    text
}
