//! What an answer is from: records, facts, nodes and thoughts that recall finds, each with the
//! chance that it answers.

use derivers::preferences::polarity_of;
use engine::graph::repeats_others;
use engine::mine::CHECKPOINT;
use engine::owner::SpaceOwner;
use engine::recall::answering::{CONSIDERED, SourceText, WordWeights};
use engine::recall::discounts::{Discounter, lift_changes};
use engine::recall::episodes::Recollection;
use engine::recall::facts::Fact;
use engine::recall::nodes::FoundNode;
use engine::recall::overruled::Overruled;
use engine::recall::replaced::voice_of;
use engine::thought::recall::FoundThought;
use engine::write::graph::is_statement;
use kernel::body::NodeType;
use kernel::evidence::Evidence;
use kernel::id::OpId;
use kernel::when::When;
use retrieval::profile::Voice;
use retrieval::rank::answering::{of_statement, of_thought};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::sqlite::Filter;

use super::AskRequest;
use crate::failure::Failure;
use crate::service::Session;
use crate::service::effective::Scope;
use crate::service::handles;
use crate::service::query_embedding::{EmbedderPool, QueryEmbedding};
use crate::service::recall::{
    Found, RecallAnswer, RecallRequest, SearchScope, SearchedSpace, recall,
};
use crate::service::wording::{speaker_in, text_of_belief};

// What a source is: what was said or happened, what is believed, decisions and the like, what
// agents thought. No comment is in its schema: the field that holds it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum SourceKind {
    Records,
    Facts,
    Nodes,
    Thoughts,
}

impl SourceKind {
    /// One of them, in words.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Records => "record",
            Self::Facts => "fact",
            Self::Nodes => "node",
            Self::Thoughts => "thought",
        }
    }
}

/// A source of an answer.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct AnswerSource {
    /// The operation. The field has this name in every answer, whatever the source is.
    #[serde(rename = "thought_id")]
    pub(crate) id: OpId,
    /// What it is.
    #[serde(serialize_with = "kind_name")]
    pub(crate) kind: SourceKind,
    /// The chance that it answers.
    #[serde(rename = "similarity")]
    pub(crate) chance: f64,
    /// Its best sentence.
    pub(crate) excerpt: String,
    /// Who said it, if that is known.
    pub(crate) actor: Option<String>,
    /// The name of the key that signed it, if that key does not speak for the owner of the space.
    pub(crate) recorded_by: Option<String>,
    /// When, if that is known.
    pub(crate) at: Option<When>,
    /// The key of a fact.
    pub(crate) key: Option<String>,
    /// What the user overruled of what was concluded from a record.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) overruled: Vec<Overruled>,
    /// The records that it replaces in what the question is about.
    #[serde(skip)]
    pub(super) replaces: Vec<OpId>,
    /// The source whose excerpt says that what this one's states has changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) replaced_by: Option<OpId>,
    /// Where it is.
    pub(crate) scope: Scope,
    /// The place of its space among those that were asked.
    #[serde(skip)]
    pub(crate) space: usize,
    /// All that it says.
    #[serde(skip)]
    pub(crate) text: String,
    /// It, if it is a record.
    #[serde(skip)]
    pub(super) evidence: Option<Evidence>,
}

fn kind_name<S: serde::Serializer>(kind: &SourceKind, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(kind.as_str())
}

/// The sources that were found.
pub(super) struct FoundSources {
    pub(super) sources: Vec<AnswerSource>,
    /// What the words of the question weigh.
    pub(super) weights: WordWeights,
    /// The chance of the best, cited or not.
    pub(super) relevance: f64,
    pub(super) behind: u64,
    pub(super) embedding: Option<QueryEmbedding>,
}

/// Finds what answers, the likeliest first.
pub(super) fn find(
    session: &Session,
    pool: &mut EmbedderPool,
    spaces: &mut [SearchedSpace<'_>],
    request: &AskRequest<'_>,
) -> Result<FoundSources, Failure> {
    let wants = |kind| request.kinds.is_empty() || request.kinds.contains(&kind);
    let said = match (wants(SourceKind::Records), wants(SourceKind::Facts)) {
        (true, true) => Some(SearchScope::Both),
        (true, false) => Some(SearchScope::Episodes),
        (false, true) => Some(SearchScope::Facts),
        (false, false) => None,
    };
    let in_graph =
        (wants(SourceKind::Nodes) || wants(SourceKind::Thoughts)).then_some(SearchScope::Nodes);
    let limit = CONSIDERED.max(request.top_k).min(request.considered_max);
    let mut found = RecallAnswer::empty(SearchScope::Both);
    for scope in said.into_iter().chain(in_graph) {
        let filter = Filter { as_of_us: request.as_of_us, ..Filter::default() };
        let searched = RecallRequest {
            scope,
            filter,
            valid_at_us: request.valid_at_us,
            with_chances: true,
            ..RecallRequest::new(request.question, limit)?
        };
        let more = recall(session, pool, spaces, &searched)?;
        found.question = found.question.or(more.question);
        found.facts.extend(more.facts);
        found.nodes.extend(more.nodes);
        found.thoughts.extend(more.thoughts);
        found.episodes.extend(more.episodes);
        found.chances.extend(more.chances);
        found.behind = found.behind.max(more.behind);
        found.embedding = found.embedding.or(more.embedding);
    }
    let shares = found.episodes.iter().flat_map(|found| &found.item.terms);
    let weights = WordWeights::new(found.question.as_ref(), shares);
    let records = records(&found);
    let asked =
        Discounter { text: request.question, question: found.question.as_ref(), weights: &weights };
    let recollections = || records.iter().map(|record| &record.item);
    let owner = || handles::owner_at_home(session);
    let discounts = asked.discounts(recollections(), !found.facts.is_empty(), owner)?;
    let chance = |id: &OpId| found.chances.get(id).copied().unwrap_or_default();
    let judged = recollections().zip(&discounts.records);
    let mut chances: Vec<f64> =
        judged.map(|(record, discount)| discount.of(chance(&record.id))).collect();
    let changes: Vec<(OpId, &[OpId])> =
        recollections().map(|record| (record.id, record.replaces.as_slice())).collect();
    lift_changes(request.question, &changes, &mut chances);
    let mut sources: Vec<AnswerSource> =
        records.iter().zip(chances).map(|(record, chance)| of_record(record, chance)).collect();
    // A correction answers at least as likely as what it corrects.
    sources.extend(
        found
            .facts
            .iter()
            .map(|fact| {
                let mut source = of_fact(fact);
                let belief = &fact.item.belief;
                // What was liked once says nothing of what is liked now.
                let polarity =
                    polarity_of(&belief.claim_type, &belief.payload).filter(|_| !fact.item.is_over);
                let discount = discounts.of_belief(request.question, &source.text, polarity);
                source.chance = discount.of(source.chance);
                let corrected = sources.iter().filter(|record| {
                    record.overruled.iter().any(|overruled| overruled.id == source.id)
                });
                source.chance = corrected.map(|record| record.chance).fold(source.chance, f64::max);
                source
            })
            .collect::<Vec<_>>(),
    );
    if wants(SourceKind::Nodes) {
        let is_wanted = |node: &&Found<FoundNode>| {
            let record = &node.item.record;
            // What a checkpoint sums up is found itself.
            let sums_up = record.record_type == NodeType::Summary.as_str()
                && record.tags.iter().any(|tag| tag == CHECKPOINT);
            let repeats = sums_up || repeats_others(&record.record_type, &record.tags);
            request.include_summaries || !repeats
        };
        sources.extend(found.nodes.iter().filter(is_wanted).map(of_node));
    }
    if wants(SourceKind::Thoughts) {
        let counts = |thought: &&Found<FoundThought>| !thought.item.is_corrected;
        sources.extend(found.thoughts.iter().filter(counts).map(of_found_thought));
    }
    sources.sort_by(|one, other| {
        let by_chance = other.chance.total_cmp(&one.chance);
        by_chance.then_with(|| other.key.is_some().cmp(&one.key.is_some()))
    });
    let relevance = sources.first().map_or(0.0, |best| best.chance);
    sources.retain(|source| source.chance >= request.sim_thresh);
    sources.truncate(request.top_k);
    let RecallAnswer { behind, embedding, .. } = found;
    Ok(FoundSources { sources, weights, relevance, behind, embedding })
}

/// The records that may answer. What somebody did or has on a day is in the records of that day,
/// and not in the words of a claim that was stated then.
fn records(found: &RecallAnswer) -> Vec<&Found<Recollection>> {
    let of_days = found.question.as_ref().filter(|question| question.asks_for_days);
    let is_of_its_days = |record: &&Found<Recollection>| {
        of_days.is_none_or(|question| {
            let date = record.item.score.parts.iter().find(|part| part.name == "date");
            date.is_some_and(|date| date.value >= question.fit_of_its_days())
                && !is_statement(&record.item.evidence)
        })
    };
    found.episodes.iter().filter(is_of_its_days).collect()
}

fn of_record(record: &Found<Recollection>, chance: f64) -> AnswerSource {
    let Found { space, item } = record;
    AnswerSource {
        at: item.evidence.at.clone(),
        recorded_by: item.recorded_by.clone(),
        overruled: item.overruled.clone(),
        replaces: item.replaces.clone(),
        evidence: Some(item.evidence.clone()),
        ..AnswerSource::new(SourceKind::Records, *space, item.id, chance, item.text())
    }
}

fn of_fact(found: &Found<Fact>) -> AnswerSource {
    let Found { space, item } = found;
    let text = item.in_time(&text_of_belief(&item.belief));
    let chance = of_statement(item.relevance.similarity);
    AnswerSource {
        at: item.belief.valid_at.clone(),
        key: Some(item.belief.key.clone()),
        ..AnswerSource::new(SourceKind::Facts, *space, item.id, chance, text)
    }
}

fn of_node(found: &Found<FoundNode>) -> AnswerSource {
    let Found { space, item } = found;
    let chance = of_statement(item.similarity);
    let text = item.record.text.clone();
    AnswerSource::new(SourceKind::Nodes, *space, item.record.id, chance, text)
}

fn of_found_thought(found: &Found<FoundThought>) -> AnswerSource {
    let Found { space, item } = found;
    let (thought, chance) = (&item.thought, of_thought(item.score));
    AnswerSource {
        actor: Some(thought.contributor.clone()).filter(|name| !name.is_empty()),
        ..AnswerSource::new(
            SourceKind::Thoughts,
            *space,
            thought.id,
            chance,
            thought.content.clone(),
        )
    }
}

impl AnswerSource {
    fn new(kind: SourceKind, space: usize, id: OpId, chance: f64, text: String) -> Self {
        Self {
            id,
            kind,
            chance,
            excerpt: String::new(),
            actor: None,
            recorded_by: None,
            at: None,
            key: None,
            overruled: Vec::new(),
            replaces: Vec::new(),
            replaced_by: None,
            scope: Scope::Project,
            space,
            text,
            evidence: None,
        }
    }

    /// Its text. The first line of a record that ends with the record's title is one.
    pub(super) fn titled_text(&self) -> SourceText<'_> {
        let first = self.text.lines().next().unwrap_or_default();
        let title = self.evidence.as_ref().and_then(|evidence| evidence.payload.title.as_deref());
        let has_title =
            title.is_some_and(|title| !title.is_empty() && first.trim_end().ends_with(title));
        SourceText {
            text: &self.text,
            title_bytes: if has_title { first.len() } else { 0 },
            voice: self.evidence.as_ref().map_or(Voice::Told, voice_of),
        }
    }

    /// Says where it is, and whose words it repeats if the space is somebody else's.
    pub(super) fn describe(&mut self, scope: Scope, owner: Option<&SpaceOwner>) {
        self.scope = scope;
        match (&self.evidence, owner) {
            (Some(evidence), owner) => self.actor = speaker_in(evidence, owner),
            (None, Some(owner)) => self.text = owner.attribute(&self.text),
            (None, None) => {}
        }
    }
}
