//! Decision, action and summary nodes of a segment, without a model.
//!
//! A loop of an agent says itself what it decided, did and where it stands. Elsewhere, decisions
//! are sentences that state one, actions are calls of tools and commits, and the summary is made of
//! the sentences whose words occur most in the segment. The same segment always has the same nodes,
//! and their texts begin with its date where the same could happen again.

use std::collections::{BTreeMap, BTreeSet};

use derivers::mining::{StatementKind, mine, sentences_of};
use kernel::body::NodeType;
use kernel::evidence::{Evidence, EvidenceKind, Visibility};
use kernel::id::OpId;
use retrieval::text::sentences::sentences;
use retrieval::text::{Analyzer, Language, Term};
use serde_json::Value;

use super::evidence::MinableRecord;
use super::segment::{Segment, date, terms_of};

/// Most decisions of a segment.
pub const DECISIONS_MAX: usize = 6;
/// Most actions that are named in one node.
pub const ACTIONS_MAX: usize = 12;
/// Longest decision, and longest summary that a loop gives, characters.
const TEXT_CHARS_MAX: usize = 600;
/// Longest action, characters.
const ACTION_CHARS_MAX: usize = 120;
/// Sentences of a summary.
const SENTENCES: usize = 3;
/// Words of a sentence of a summary.
const SENTENCE_WORDS: std::ops::RangeInclusive<usize> = 5..=50;
/// Sentences that are weighed.
const SENTENCES_READ_MAX: usize = 2_000;
/// Fewest words of a segment with one record that is summed up: a shorter one says it itself.
const WORDS_MIN: usize = 80;
/// Share of its terms above which a sentence repeats one before it.
const REPEATED_MAX: f64 = 0.6;
/// What stands between the headings above a section of a note.
const BREADCRUMB: &str = " › ";
/// Most evidence that a node is derived from.
pub const SOURCES_MAX: usize = 16;

/// Kinds of records of a loop that say what was decided.
const DECIDING: [&str; 2] = ["decide_next", "decision"];
/// Kinds of records of a loop that say what was done.
const ACTING: [&str; 4] = ["action", "actions", "hands_action", "tool_call"];
/// Fields of a loop's record that say what was decided, if it has no text.
const DECISION_FIELDS: [&str; 5] =
    ["decision", "next_action", "next_hands_input", "status", "notes"];
/// The field with a list of what was done.
const ACTIONS: &str = "actions";

/// A node that a checkpoint makes.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedNode {
    /// Its type.
    pub node_type: NodeType,
    /// It in words.
    pub text: String,
    /// The evidence that it is derived from.
    pub sources: Vec<OpId>,
    /// Who may see it.
    pub visibility: Visibility,
}

/// The nodes of a segment: decisions, then what was done, then the summary.
pub fn nodes_of(segment: &Segment) -> Vec<PlannedNode> {
    let mut nodes = decisions(segment);
    nodes.extend(actions(segment));
    nodes.extend(summary(segment));
    let visibility = segment.visibility();
    for node in &mut nodes {
        node.visibility = visibility;
        node.sources.truncate(SOURCES_MAX);
    }
    nodes
}

fn node(node_type: NodeType, text: String, sources: Vec<OpId>) -> PlannedNode {
    PlannedNode { node_type, text, sources, visibility: Visibility::Private }
}

fn decisions(segment: &Segment) -> Vec<PlannedNode> {
    let mut decisions: Vec<PlannedNode> = Vec::new();
    let mut add = |text: String, id: OpId| {
        if let Some(known) = decisions.iter_mut().find(|known| known.text == text) {
            if !known.sources.contains(&id) {
                known.sources.push(id);
            }
        } else if decisions.len() < DECISIONS_MAX && !text.is_empty() {
            decisions.push(node(NodeType::Decision, text, vec![id]));
        }
    };
    for record in &segment.records {
        let Some(evidence) = record.evidence() else { continue };
        if DECIDING.contains(&evidence.kind.0.as_str()) {
            add(shortened(&words_of(evidence, &DECISION_FIELDS), TEXT_CHARS_MAX), record.id());
            continue;
        }
        for statement in mine(&record.record) {
            if statement.kind == StatementKind::Decision {
                add(statement.text, record.id());
            }
        }
    }
    decisions
}

/// The text of a record, or that of the first of its fields that has one.
fn words_of(evidence: &Evidence, fields: &[&str]) -> String {
    let text = evidence.payload.text.trim();
    if !text.is_empty() {
        return text.to_owned();
    }
    let more = &evidence.payload.more;
    let field = fields.iter().find_map(|name| more.get(*name)?.as_str());
    field.filter(|text| !text.trim().is_empty()).unwrap_or(&evidence.summary).trim().to_owned()
}

fn actions(segment: &Segment) -> Option<PlannedNode> {
    let (mut done, mut sources, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
    for record in &segment.records {
        let Some(evidence) = record.evidence() else { continue };
        for action in actions_of(evidence) {
            let action = shortened(&action, ACTION_CHARS_MAX);
            if action.is_empty() {
                continue;
            }
            if !sources.contains(&record.id()) {
                sources.push(record.id());
            }
            if seen.insert(action.to_lowercase()) {
                done.push(action);
            }
        }
    }
    let first = segment.records.first().filter(|_| !done.is_empty())?;
    let more = done.len().saturating_sub(ACTIONS_MAX);
    done.truncate(ACTIONS_MAX);
    let rest = if more > 0 { format!("; and {more} more") } else { String::new() };
    let text = format!("{}: {}{rest}", date(first), done.join("; "));
    Some(node(NodeType::Action, text, sources))
}

/// What a record says was done.
fn actions_of(evidence: &Evidence) -> Vec<String> {
    let listed = evidence.payload.more.get(ACTIONS).and_then(Value::as_array);
    if let Some(listed) = listed {
        let in_words = |action: &Value| match action {
            Value::String(text) => Some(text.clone()),
            Value::Object(fields) => {
                let named = ["text", "summary", "name", "action"];
                let text = named.iter().find_map(|name| fields.get(*name)?.as_str());
                text.map(str::to_owned)
            }
            _ => None,
        };
        return listed.iter().filter_map(in_words).collect();
    }
    let kind = evidence.kind.0.as_str();
    if ACTING.contains(&kind) {
        return vec![words_of(evidence, &[ACTIONS])];
    }
    if kind == EvidenceKind::COMMIT {
        let title = evidence.payload.title.as_deref();
        return vec![title.unwrap_or_else(|| first_line(evidence.said())).to_owned()];
    }
    match evidence.payload.role.as_deref() {
        Some("tool") => evidence.payload.text.lines().filter_map(tool_call).collect(),
        _ => Vec::new(),
    }
}

/// A line that names a tool and what it worked on: `Read: src/main.rs`.
fn tool_call(line: &str) -> Option<String> {
    let (tool, object) = line.split_once(": ")?;
    let is_name = tool.starts_with(|letter: char| letter.is_ascii_uppercase())
        && tool.len() <= 32
        && tool.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && tool.bytes().any(|byte| byte.is_ascii_lowercase());
    let is_plain = !object.trim().is_empty() && object.chars().count() <= ACTION_CHARS_MAX;
    (is_name && is_plain).then(|| line.trim().to_owned())
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// White space folded, cut at a word.
fn shortened(text: &str, chars_max: usize) -> String {
    let mut shortened = String::new();
    for word in text.split_whitespace() {
        if shortened.chars().count() + 1 + word.chars().count() > chars_max {
            shortened.push('…');
            break;
        }
        if !shortened.is_empty() {
            shortened.push(' ');
        }
        shortened.push_str(word);
    }
    shortened
}

fn summary(segment: &Segment) -> Option<PlannedNode> {
    let snapshot = segment
        .records
        .iter()
        .rev()
        .find(|record| record.evidence().is_some_and(|evidence| evidence.kind.0 == "snapshot"));
    if let Some(snapshot) = snapshot {
        let text = shortened(&words_of(snapshot.evidence()?, &["summary"]), TEXT_CHARS_MAX);
        return (!text.is_empty()).then(|| node(NodeType::Summary, text, vec![snapshot.id()]));
    }
    let words = |record: &MinableRecord| {
        record.evidence().map_or(0, |evidence| evidence.said().split_whitespace().count())
    };
    if segment.records.len() < 2 && segment.records.iter().map(words).sum::<usize>() < WORDS_MIN {
        return None;
    }
    let (text, sources) = extract(segment)?;
    let first = segment.records.first()?;
    let title = first.evidence().and_then(|evidence| {
        evidence.payload.session_title.as_deref().or(evidence.payload.title.as_deref())
    });
    let title = title.filter(|title| !text.starts_with(title));
    let title = title.map(|title| format!("{}: ", shortened(title, ACTION_CHARS_MAX)));
    let text = format!("{}: {}{text}", date(first), title.unwrap_or_default());
    Some(node(NodeType::Summary, text, sources))
}

/// A sentence that a summary may have.
struct Weighed {
    place: usize,
    id: OpId,
    text: String,
    terms: BTreeSet<Term>,
    weight: f64,
}

/// The sentences whose terms are the most frequent ones, in their order, and the records that have
/// them.
fn extract(segment: &Segment) -> Option<(String, Vec<OpId>)> {
    let mut analyzer = Analyzer::new(Language::default());
    // A term counts once a record, so that one long record does not decide.
    let mut counts: BTreeMap<Term, u32> = BTreeMap::new();
    let mut weighed: Vec<Weighed> = Vec::new();
    let said = segment.records.iter().filter(|record| is_prose(record));
    for record in said {
        for term in terms_of(record, &mut analyzer).into_keys() {
            *counts.entry(term).or_default() += 1;
        }
        let text = record.evidence().map_or("", |evidence| evidence.payload.text.as_str());
        for sentence in sentences_of_record(text) {
            let is_plain = !sentence.ends_with(['?', ':', '…'])
                && !sentence.starts_with(['>', '|', '`', '#', '<'])
                && !sentence.contains(BREADCRUMB)
                && !sentence.contains("://")
                && SENTENCE_WORDS.contains(&sentence.split_whitespace().count());
            if is_plain && weighed.len() < SENTENCES_READ_MAX {
                weighed.push(Weighed {
                    place: weighed.len(),
                    id: record.id(),
                    terms: analyzer.terms(&sentence).into_iter().collect(),
                    text: sentence,
                    weight: 0.0,
                });
            }
        }
    }
    for sentence in &mut weighed {
        let count = |term| f64::from(counts.get(term).copied().unwrap_or_default());
        let sum: f64 = sentence.terms.iter().map(count).sum();
        sentence.weight = sum / (sentence.terms.len() as f64 + 4.0).sqrt();
    }
    weighed.sort_by(|one, other| {
        other.weight.total_cmp(&one.weight).then(one.place.cmp(&other.place))
    });
    let mut taken: Vec<Weighed> = Vec::new();
    for sentence in weighed {
        let repeats = |known: &Weighed| {
            let common = sentence.terms.intersection(&known.terms).count() as f64;
            common > REPEATED_MAX * sentence.terms.len() as f64
        };
        if taken.len() < SENTENCES && !sentence.terms.is_empty() && !taken.iter().any(repeats) {
            taken.push(sentence);
        }
    }
    taken.sort_by_key(|sentence| sentence.place);
    let mut sources: Vec<OpId> = Vec::new();
    for sentence in &taken {
        if !sources.contains(&sentence.id) {
            sources.push(sentence.id);
        }
    }
    let texts: Vec<&str> = taken.iter().map(|sentence| sentence.text.as_str()).collect();
    (!texts.is_empty()).then(|| (shortened(&texts.join(" "), 3 * TEXT_CHARS_MAX), sources))
}

/// The sentences of a text: those that mining reads, also cut where other scripts end a sentence.
fn sentences_of_record(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in sentences_of(text) {
        let ranges = sentences(&part);
        found.extend(
            ranges.into_iter().filter_map(|range| part.get(range)).map(|sentence| {
                sentence.trim().trim_start_matches(['-', '*', '+', ' ']).to_owned()
            }),
        );
    }
    found
}

/// Whether a record is what somebody said, rather than output of a tool or a thought.
fn is_prose(record: &MinableRecord) -> bool {
    record.evidence().is_some_and(|evidence| {
        evidence.payload.role.as_deref() != Some("tool") && !evidence.kind.is_thinking()
    })
}

#[cfg(test)]
#[path = "nodes_tests.rs"]
mod tests;
