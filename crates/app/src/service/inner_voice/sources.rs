//! What an answer is from: records, facts, nodes and thoughts that recall finds, each with the
//! chance that it answers.

use derivers::attributes::TIMES;
use derivers::names::is_self;
use derivers::owner::Owner;
use derivers::prose::REMEMBER;
use derivers::relationships::is_kind;
use engine::graph::repeats_others;
use engine::mine::CHECKPOINT;
use engine::owner::SpaceOwner;
use engine::recall::answering::{CONSIDERED, SourceText, WordWeights};
use engine::recall::episodes::Recollection;
use engine::recall::facts::Fact;
use engine::recall::nodes::FoundNode;
use engine::recall::overruled::Overruled;
use engine::recall::past::asks_for_former;
use engine::thought::recall::FoundThought;
use engine::write::graph::is_statement;
use kernel::body::NodeType;
use kernel::evidence::Evidence;
use kernel::id::OpId;
use kernel::when::When;
use retrieval::question::Question;
use retrieval::rank::answering::{of_statement, of_thought, speaks_of_self};
use retrieval::text::is_english_stop_word;
use retrieval::text::sentences::sentences;
use retrieval::text::standing::{Standing, standing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::sqlite::Filter;

use super::AskRequest;
use super::identifiers::Identifier;
use crate::failure::Failure;
use crate::service::Session;
use crate::service::effective::Scope;
use crate::service::handles;
use crate::service::query_embedding::{EmbedderPool, QueryEmbedding};
use crate::service::recall::{
    Found, RecallAnswer, RecallRequest, SearchScope, SearchedSpace, recall,
};
use crate::service::wording::{speaker_in, text_of_belief};

/// How much a fact about the person counts in a question about somebody else, or words about
/// somebody else in a question about the person: too little to be an answer.
const OF_SOMEBODY_ELSE: f64 = 0.4;

/// Longest text that is about one thing, bytes.
const SHORT_BYTES: usize = 200;

/// The most that a record which only asks counts: enough to be shown where nothing else is found.
const OF_QUESTION: f64 = 0.55;

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
    let mut sources = records(&found);
    let asked_about = discount_others(session, &found, request.question, &mut sources)?;
    discount_possessions(request.question, &mut sources);
    discount_subjects(request.question, &mut sources);
    discount_identifiers(request.question, &mut sources);
    discount_instructions(&weights, &mut sources);
    discount_questions(&mut sources);
    discount_fillers(&weights, &mut sources);
    lift_changes(request.question, &mut sources);
    // A correction answers at least as likely as what it corrects.
    sources.extend(
        found
            .facts
            .iter()
            .map(|fact| {
                let mut source = of_fact(fact);
                if is_of_nobody_in(&source.text, &asked_about)
                    || has_other_polarity(request.question, &source.text)
                {
                    source.chance *= OF_SOMEBODY_ELSE;
                }
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

/// Records as sources. What somebody did or has on a day is in the records of that day, and not in
/// the words of a claim that was stated then.
fn records(found: &RecallAnswer) -> Vec<AnswerSource> {
    let of_days = found.question.as_ref().filter(|question| question.asks_for_days);
    let is_of_its_days = |record: &&Found<Recollection>| {
        of_days.is_none_or(|question| {
            let date = record.item.score.parts.iter().find(|part| part.name == "date");
            date.is_some_and(|date| date.value >= question.fit_of_its_days())
                && !is_statement(&record.item.evidence)
        })
    };
    let of_record = |record: &Found<Recollection>| {
        let Found { space, item } = record;
        let chance = found.chances.get(&item.id).copied().unwrap_or_default();
        AnswerSource {
            at: item.evidence.at.clone(),
            recorded_by: item.recorded_by.clone(),
            overruled: item.overruled.clone(),
            replaces: item.replaces.clone(),
            evidence: Some(item.evidence.clone()),
            ..AnswerSource::new(SourceKind::Records, *space, item.id, chance, item.text())
        }
    };
    found.episodes.iter().filter(is_of_its_days).map(of_record).collect()
}

/// A statement answers at least as likely as those that it replaces, or they as it where the
/// question is for what was before.
fn lift_changes(question: &str, sources: &mut [AnswerSource]) {
    let asks_for_former = asks_for_former(question);
    // Each round goes one step further along a chain of changes.
    for _ in 0..sources.len() {
        let mut is_changed = false;
        for newer in 0..sources.len() {
            for older in 0..sources.len() {
                let replaces = &sources[newer].replaces;
                if !replaces.contains(&sources[older].id) {
                    continue;
                }
                let (from, to) = if asks_for_former { (newer, older) } else { (older, newer) };
                let chance = sources[from].chance;
                is_changed |= chance > sources[to].chance;
                sources[to].chance = chance.max(sources[to].chance);
            }
        }
        if !is_changed {
            break;
        }
    }
}

/// What people say of themselves counts less in a question about somebody else: "I" in the words of
/// Ana is not the person who asks, and "I" in the person's words is not Ana. The words of the names
/// of those whom the question is about, if it is not about the person.
fn discount_others(
    session: &Session,
    found: &RecallAnswer,
    text: &str,
    sources: &mut [AnswerSource],
) -> Result<Vec<String>, Failure> {
    let Some(question) = &found.question else { return Ok(Vec::new()) };
    let of_self: Vec<&mut AnswerSource> =
        sources.iter_mut().filter(|source| speaks_of_self(&source.text)).collect();
    if of_self.is_empty() && found.facts.is_empty() {
        return Ok(Vec::new());
    }
    let is_about_owner = question.mentions.is_empty() && asks_of_asker(text);
    let names = if question.first_person { Vec::new() } else { names_in(question, text) };
    if !is_about_owner && names.is_empty() {
        return Ok(Vec::new());
    }
    let owner = handles::owner_at_home(session)?;
    let is_of_person = names.iter().any(|name| owner.may_be(name));
    let asked_about: Vec<String> = match is_of_person {
        true => Vec::new(),
        false => names.iter().flat_map(|name| name.split('-')).map(str::to_owned).collect(),
    };
    for source in of_self {
        let is_of_another = match speaker_of(source, &owner) {
            // "Please send it by Friday" is about whom it is said to.
            Some(SpeakerOf::Another) => is_about_owner && !addresses(&source.text),
            // "I pick her up at six" may be about whoever is asked about.
            Some(SpeakerOf::Owner) => {
                is_in_none_of(&source.text, &asked_about) && !speaks_of_others(&source.text)
            }
            None => false,
        };
        if is_of_another {
            source.chance *= OF_SOMEBODY_ELSE;
        }
    }
    Ok(asked_about)
}

/// "Petra's phone number" is not Tomas's.
fn discount_possessions(question: &str, sources: &mut [AnswerSource]) {
    let asked: Vec<String> = whose(question).map(str::to_lowercase).collect();
    for source in sources.iter_mut().filter(|source| source.evidence.is_some()) {
        let names_another = possessives(source.text.split_whitespace()).next().is_some();
        if names_another && is_in_none_of(&source.said_with_title(), &asked) {
            source.chance *= OF_SOMEBODY_ELSE;
        }
    }
}

/// "Ben is allergic to nuts" says nothing of Anna, and "Greta drives a Fiat" does not answer "What
/// car do I drive?"
fn discount_subjects(question: &str, sources: &mut [AnswerSource]) {
    let asked = subject_of(question).map(|name| words_of(&name.to_lowercase()));
    let of_asker = if asked.is_none() && is_about_asker_alone(question) {
        words_of(question)
    } else {
        Vec::new()
    };
    let asked = asked.unwrap_or_default();
    for source in sources.iter_mut().filter(|source| source.evidence.is_some()) {
        let Some(deed) = deed_of_somebody(&source.text) else { continue };
        let is_of_another = is_in_none_of(&source.said_with_title(), &asked)
            || asked.iter().any(|name| is_of_kin(&source.text, name, question));
        let is_not_of_asker = of_asker.contains(&deed)
            && !COMMON_VERBS.contains(&deed.as_str())
            && !speaks_of_asker(&source.text);
        if is_of_another || is_not_of_asker {
            source.chance *= OF_SOMEBODY_ELSE;
        }
    }
}

/// "JIRA-233 is closed" says nothing of JIRA-234.
fn discount_identifiers(question: &str, sources: &mut [AnswerSource]) {
    let asked = Identifier::all(question);
    if asked.is_empty() {
        return;
    }
    for source in sources.iter_mut().filter(|source| source.evidence.is_some()) {
        let said = source.said_with_title();
        let others = Identifier::all(&said);
        if asked.iter().any(|asked| asked.is_confused(&said, &others)) {
            source.chance *= OF_SOMEBODY_ELSE;
        }
    }
}

/// "Got it." answers nothing.
fn discount_fillers(weights: &WordWeights, sources: &mut [AnswerSource]) {
    const WORDS_MAX: usize = 5;
    #[rustfmt::skip]
    const BEGINNINGS: [&str; 22] = [
        "alles klar", "alright", "cool", "glad", "good to know", "got it", "great", "lovely", "my pleasure", "nice",
        "no problem", "noted", "ok", "okay", "perfect", "sounds good", "sure", "thank you", "thanks", "understood",
        "will do", "you're welcome",
    ];
    for source in sources.iter_mut().filter(|source| source.evidence.is_some()) {
        let text = source.text.to_lowercase();
        let begins = |beginning: &&str| {
            let rest = text.strip_prefix(*beginning);
            rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        };
        if text.split_whitespace().count() <= WORDS_MAX
            && !text.contains(|letter: char| letter.is_ascii_digit())
            && !weights.are_in(&text)
            && BEGINNINGS.iter().any(begins)
        {
            source.chance *= OF_SOMEBODY_ELSE;
        }
    }
}

/// "Always give prices in pounds" answers no question that shares no word with it.
fn discount_instructions(weights: &WordWeights, sources: &mut [AnswerSource]) {
    for source in sources.iter_mut().filter(|source| source.evidence.is_some()) {
        if source.text.len() <= SHORT_BYTES
            && standing(&source.text) == Standing::Instruction
            && !weights.are_in(&source.text)
        {
            source.chance *= OF_SOMEBODY_ELSE;
        }
    }
}

/// A record that only asks is behind whatever answers it.
fn discount_questions(sources: &mut [AnswerSource]) {
    for source in sources.iter_mut().filter(|source| source.evidence.is_some()) {
        let text = source.text.trim();
        if text.ends_with(['?', '？']) && sentences(text).len() == 1 {
            source.chance = source.chance.min(OF_QUESTION);
        }
    }
}

/// Whether a text speaks to somebody.
fn addresses(text: &str) -> bool {
    words_of(text).iter().any(|word| matches!(word.as_str(), "you" | "your" | "please"))
}

/// Whether a belief says the opposite of what a question asks for: "You like sushi" after "What
/// don't I like?"
fn has_other_polarity(question: &str, belief: &str) -> bool {
    let words = words_of(question);
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    if !has(&["i"]) || !has(&["like", "love", "enjoy", "hate", "dislike"]) {
        return false;
    }
    let is_against = has(&["don't", "not", "hate", "dislike", "never"]);
    let dislikes = belief.starts_with("You do not like ");
    let is_taste = dislikes || belief.starts_with("You like ") || belief.starts_with("You prefer ");
    // "Do I like sushi?" is answered by either.
    let is_open =
        matches!(words.first().map(String::as_str), Some("what" | "which" | "who" | "whom"));
    is_taste && is_open && is_against != dislikes
}

/// The name of whom a question is about: "What is Anna allergic to?"
fn subject_of(question: &str) -> Option<&str> {
    #[rustfmt::skip]
    const AUXILIARIES: [&str; 12] = [
        "is", "was", "does", "did", "has", "can", "will", "would", "should", "may", "could", "had",
    ];
    let words: Vec<&str> = question.split_whitespace().collect();
    let at = words.iter().position(|word| AUXILIARIES.contains(&word.to_lowercase().as_str()))?;
    let name = words.get(at + 1..)?.iter().find(|word| !is_title(word))?;
    let name = name.trim_end_matches(['?', '.', ',', '!']);
    is_name(name).then_some(name)
}

/// Whether a word stands before the name of somebody: "Dr. Weiss".
fn is_title(word: &str) -> bool {
    matches!(
        word.trim_end_matches('.'),
        "Dr" | "Mr" | "Mrs" | "Ms" | "Prof" | "Professor" | "Herr" | "Frau"
    )
}

/// Whether a question is about the person who asks and names nobody: "What car do I drive?", "What
/// is my phone number?"
fn is_about_asker_alone(question: &str) -> bool {
    let words = words_of(question);
    let names_somebody = question
        .split_whitespace()
        .skip(1)
        .any(|word| word.starts_with(char::is_uppercase) && !matches!(word, "I" | "I'm" | "I've"));
    words.iter().any(|word| matches!(word.as_str(), "i" | "my" | "i've" | "i'm")) && !names_somebody
}

/// Whether a text is about the person in their own words.
fn speaks_of_asker(text: &str) -> bool {
    const WORDS: [&str; 12] =
        ["i", "i'm", "i've", "i'd", "i'll", "me", "my", "mine", "we", "we're", "our", "us"];
    words_of(text).iter().any(|word| WORDS.contains(&word.as_str()))
}

/// Verbs that say little of what somebody does.
const COMMON_VERBS: [&str; 7] = ["is", "was", "has", "had", "can", "can't", "will"];

/// The verb of a short text that begins with a name, as a question has it, or the thing that is
/// theirs: "live" of "Hanna lives in Bristol", "phone" of "Hanna's phone is old".
fn deed_of_somebody(text: &str) -> Option<String> {
    let mut words = text.split_whitespace().skip_while(|word| is_title(word));
    let (name, next) = (words.next()?, words.next()?);
    let owner = name.strip_suffix("'s").or(name.strip_suffix("’s"));
    if text.len() > SHORT_BYTES || name.ends_with("ly") || !is_name(owner.unwrap_or(name)) {
        return None;
    }
    let plain = next.to_lowercase();
    if owner.is_some() || COMMON_VERBS.contains(&next) {
        return Some(plain);
    }
    let is_verb = next.ends_with(['s', 'd']) && next.chars().all(char::is_lowercase);
    let is_past = is_verb && next.len() > 4 && next.ends_with("ed");
    match is_past {
        true => Some(plain.trim_end_matches("ed").to_owned()),
        false => (is_verb && next.ends_with('s')).then(|| plain.trim_end_matches('s').to_owned()),
    }
}

/// Whether a text says of somebody's kin what a question asks of themselves: "Petra's brother Jan
/// lives in Geneva" after "Where does Petra live?", but not after "Has Petra a brother?"
fn is_of_kin(text: &str, name: &str, question: &str) -> bool {
    let (words, asked) = (words_of(text), words_of(question));
    let [owner, kin, rest @ ..] = words.as_slice() else { return false };
    let is_theirs = possessives(text.split_whitespace().take(1)).next().is_some();
    let verb = rest.iter().find_map(|word| word.strip_suffix('s'));
    is_theirs
        && owner == name
        && is_kind(kin)
        && !asked.contains(kin)
        && !rest.contains(owner)
        && verb.is_some_and(|verb| asked.iter().any(|word| word == verb))
}

/// Whether a word may be a name: a capital letter, then small ones.
fn is_name(word: &str) -> bool {
    let lower = word.to_lowercase();
    word.starts_with(char::is_uppercase)
        && word.chars().skip(1).all(char::is_lowercase)
        && word.chars().count() > 1
        && !is_english_stop_word(&lower)
        && !TIMES.contains(&lower.as_str())
        && !CONTRACTED.contains(&lower.as_str())
}

/// Whether the person who asks is the subject of a question: "Where do I work?"
fn asks_of_asker(question: &str) -> bool {
    words_of(question).iter().any(|word| matches!(word.as_str(), "i" | "i'm" | "i've" | "i'd"))
}

/// The names of those whom a question names, each in lower case with hyphens.
fn names_in(question: &Question, text: &str) -> Vec<String> {
    let known = question.mentions.iter().map(|mention| mention.text.as_str());
    known.chain(whose(text)).map(|name| words_of(name).join("-")).collect()
}

/// The names of whom something is in a question: "Claire's", but not "Monday's" or "API's".
fn whose(question: &str) -> impl Iterator<Item = &str> {
    possessives(question.split_whitespace().skip(1))
}

/// Words of which "'s" makes "is", "has" or a time.
#[rustfmt::skip]
const CONTRACTED: [&str; 20] = [
    "everybody", "everyone", "he", "here", "how", "it", "let", "nobody", "one", "she", "that", "there", "this", "today",
    "tomorrow", "what", "when", "where", "who", "yesterday",
];

/// The names before "'s" among some words.
fn possessives<'t>(words: impl Iterator<Item = &'t str>) -> impl Iterator<Item = &'t str> {
    let words = words.map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()));
    let names = words.filter_map(|word| word.strip_suffix("'s").or(word.strip_suffix("’s")));
    names.filter(|name| {
        let mut letters = name.chars();
        let is_name = letters.next().is_some_and(char::is_uppercase)
            && letters.next().is_some_and(char::is_lowercase);
        let lower = name.to_lowercase();
        is_name && !TIMES.contains(&lower.as_str()) && !CONTRACTED.contains(&lower.as_str())
    })
}

/// Whether a text is about the person, and has none of the words of others' names.
fn is_of_nobody_in(text: &str, names: &[String]) -> bool {
    let words = words_of(text);
    let has = |word: &str| words.iter().any(|own| own == word);
    (has("you") || has("your")) && is_in_none_of(text, names)
}

/// Whether a text speaks of somebody whom it does not name.
fn speaks_of_others(text: &str) -> bool {
    const PRONOUNS: [&str; 9] = ["he", "her", "hers", "him", "his", "she", "their", "them", "they"];
    words_of(text).iter().any(|word| PRONOUNS.contains(&word.as_str()))
}

/// Whether somebody is asked about, and a text has none of the words of their names.
fn is_in_none_of(text: &str, names: &[String]) -> bool {
    let words = words_of(text);
    !names.is_empty() && !names.iter().any(|name| words.contains(name))
}

/// Whose words a record has, as far as that is known.
enum SpeakerOf {
    Owner,
    Another,
}

/// Who speaks in a record. Where nobody says by which names the owner goes, a name may be the
/// owner's, but not in a note that was written down as somebody else's words.
fn speaker_of(source: &AnswerSource, owner: &Owner) -> Option<SpeakerOf> {
    let evidence = source.evidence.as_ref()?;
    match (evidence.payload.role.as_deref(), evidence.actor.as_deref()) {
        (None | Some("user"), None) => Some(SpeakerOf::Owner),
        (None | Some("user"), Some(actor)) if is_self(actor) || owner.is(actor) => {
            Some(SpeakerOf::Owner)
        }
        // A part of the owner's name, as chats have it.
        (None | Some("user"), Some(actor)) if owner.may_be(&words_of(actor).join("-")) => None,
        (None | Some("user"), Some(_)) => {
            (owner.is_known() || evidence.source == REMEMBER).then_some(SpeakerOf::Another)
        }
        (Some(_), _) => None,
    }
}

/// The words of a text in lower case, without "'s".
pub(super) fn words_of(text: &str) -> Vec<String> {
    let lower = text.to_lowercase().replace('’', "'");
    let words = lower.split(|letter: char| !letter.is_alphanumeric() && letter != '\'');
    let words = words.map(|word| word.strip_suffix("'s").unwrap_or(word).trim_matches('\''));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
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

    /// Its text with the titles of the record and of its session, and with who said it.
    fn said_with_title(&self) -> String {
        let payload = self.evidence.as_ref().map(|evidence| &evidence.payload);
        let titles = payload.into_iter().flat_map(|of| [&of.title, &of.session_title]);
        let by = self.evidence.iter().filter_map(|evidence| evidence.actor.as_deref());
        let around = titles.flatten().map(String::as_str).chain(by);
        around.fold(self.text.clone(), |text, more| format!("{text} {more}"))
    }

    /// Its text. The first line of a record that ends with the record's title is one.
    pub(super) fn titled_text(&self) -> SourceText<'_> {
        let first = self.text.lines().next().unwrap_or_default();
        let title = self.evidence.as_ref().and_then(|evidence| evidence.payload.title.as_deref());
        let has_title =
            title.is_some_and(|title| !title.is_empty() && first.trim_end().ends_with(title));
        SourceText { text: &self.text, title_bytes: if has_title { first.len() } else { 0 } }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_about_the_person_is_not_about_others() {
        let callum = words_of("Callum's");
        assert_eq!(callum, ["callum"]);
        assert!(is_of_nobody_in("You do not like mushrooms", &callum));
        assert!(is_of_nobody_in("Rui is your brother", &callum));
        assert!(!is_of_nobody_in("You like climbing with Callum", &callum));
        assert!(!is_of_nobody_in("Quiz on Wednesdays in the evening", &callum));
        assert!(!is_of_nobody_in("You do not like mushrooms", &[]));
        let names: Vec<_> = possessives("It's Petra's, and Monday's fine".split(' ')).collect();
        assert_eq!(names, ["Petra"]);
    }

    #[test]
    fn a_taste_answers_a_question_for_its_like() {
        assert!(has_other_polarity("What don't I like?", "You like sushi"));
        assert!(has_other_polarity("What do I like?", "You do not like sushi"));
        assert!(!has_other_polarity("What do I like?", "You like sushi"));
        assert!(!has_other_polarity("What don't I like?", "You do not like sushi"));
        assert!(!has_other_polarity("Do I like sushi?", "You do not like sushi"));
        assert!(!has_other_polarity("What does Ana like?", "You do not like sushi"));
    }

    #[test]
    fn a_question_about_the_person_alone_names_nobody() {
        assert!(is_about_asker_alone("What is my phone number?"));
        assert!(is_about_asker_alone("Where do I live?"));
        assert!(!is_about_asker_alone("Where did I meet Hanna?"));
        assert!(!is_about_asker_alone("Where is the key?"));
        assert!(speaks_of_asker("Hanna visits me") && !speaks_of_asker("Hanna sings"));
    }

    #[test]
    fn what_kin_does_is_not_what_somebody_does() {
        let text = "Petra's brother Jan lives in Geneva.";
        assert!(is_of_kin(text, "petra", "Where does Petra live?"));
        for (text, question) in [
            (text, "Where does Petra's brother live?"),
            (text, "Does Petra have siblings?"),
            ("Petra's car drives well", "What does Petra drive?"),
            ("Petra's brother lives with Petra in Geneva", "Where does Petra live?"),
            ("Petra lives in Basel", "Where does Petra live?"),
            ("Petra's", "Where does Petra live?"),
        ] {
            assert!(!is_of_kin(text, "petra", question), "{text} {question}");
        }
    }

    #[test]
    fn a_sentence_about_somebody_is_not_about_another() {
        assert_eq!(subject_of("What is Anna allergic to?"), Some("Anna"));
        assert_eq!(subject_of("How old is Lena?"), Some("Lena"));
        assert_eq!(subject_of("What did Dr. Weiss prescribe?"), Some("Weiss"));
        assert_eq!(subject_of("Who teaches German?"), None);
        assert_eq!(subject_of("What is my sister's name?"), None);
        assert_eq!(subject_of("What is I"), None);
        assert_eq!(subject_of("is"), None);
        for (text, expected) in [
            ("Ben is allergic to nuts", "is"),
            ("Ben likes nuts", "like"),
            ("Hanna's phone number is 0655", "phone"),
            ("Dr. Okafor prescribed lisinopril", "prescrib"),
            ("Finally decided to go", ""),
            ("She is allergic to nuts", ""),
            ("My sister is allergic", ""),
            ("Nuts for Ben", ""),
            ("Ben", ""),
        ] {
            assert_eq!(deed_of_somebody(text).unwrap_or_default(), expected, "{text}");
        }
    }
}
