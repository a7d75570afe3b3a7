//! What an answer says besides what it found: a welcome, an offer to refine, a warning, tags to
//! choose from.

use std::collections::BTreeMap;

use engine::thought::retrieve::ThoughtHit;
use engine::thought::uuid::ThoughtUuid;
use engine::thought::view::ThoughtView;
use retrieval::text::visible::on_one_line;

use super::answer::{Disambiguation, TagCluster, ThoughtSource};

/// Least similarity of a thought that a contribution might refine, and of one that is warned of.
pub(super) const SIMILAR: f64 = 0.85;
/// Least number of hits that are too many to show without a choice.
const MANY_HITS: usize = 10;
/// Least number of tags to choose from.
const MANY_TAGS: usize = 3;
/// Most tags that are offered.
const CLUSTERS_MAX: usize = 10;
/// Thoughts that are named in the answer in words.
const NAMED: usize = 3;

/// What a new agent is told.
pub(super) fn welcome(agent: &str) -> String {
    let agent = on_one_line(agent);
    format!(
        "Hello {agent}, welcome to this thought space. Every prompt retrieves what others thought; a \
         statement of more than 50 characters is kept as a thought of yours."
    )
}

/// The offer to refine the nearest thought instead of saying it again.
pub(super) fn offer_to_refine(hits: &[ThoughtHit]) -> Option<String> {
    let near = hits.iter().find(|hit| {
        hit.nearness.similarity > SIMILAR && hit.refined_by.is_none() && hit.corrected_by.is_none()
    })?;
    let id = ThoughtUuid::of(&near.id);
    Some(format!(
        "A similar thought exists: {id}. To improve it, refine it (\"refines\": \"{id}\")."
    ))
}

/// The warning of a correction near the prompt: what it corrects is near, or the correction itself.
pub(super) fn warning(hits: &[ThoughtHit], shown: &[(ThoughtHit, ThoughtView)]) -> Option<String> {
    let is_near = |hit: &ThoughtHit| hit.nearness.similarity > SIMILAR;
    let corrected = hits.iter().filter(|hit| is_near(hit));
    let corrected = corrected.filter_map(|hit| Some((hit.id, hit.corrected_by?)));
    let corrections = shown.iter().filter(|(hit, _)| is_near(hit));
    let corrections = corrections.filter_map(|(hit, view)| Some((view.corrects?, hit.id)));
    let (wrong, correction) = corrected.chain(corrections).next()?;
    Some(format!(
        "Careful: the thought {} was corrected by {}. Read the correction before you build on it.",
        ThoughtUuid::of(&wrong),
        ThoughtUuid::of(&correction)
    ))
}

/// The tags to choose from, if there are many hits with many tags.
pub(super) fn disambiguation(hits: &[ThoughtHit]) -> Option<Disambiguation> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for tag in hits.iter().flat_map(|hit| hit.tags.iter()) {
        *counts.entry(tag).or_default() += 1;
    }
    if hits.len() < MANY_HITS || counts.len() < MANY_TAGS {
        return None;
    }
    let mut clusters: Vec<TagCluster> =
        counts.into_iter().map(|(tag, count)| TagCluster { tag: tag.to_owned(), count }).collect();
    clusters.sort_by(|one, other| other.count.cmp(&one.count).then(one.tag.cmp(&other.tag)));
    clusters.truncate(CLUSTERS_MAX);
    let offered: Vec<String> =
        clusters.iter().map(|cluster| format!("{} ({})", cluster.tag, cluster.count)).collect();
    let question = format!(
        "{} thoughts are near this prompt. Name one of these tags to see only its thoughts: {}.",
        hits.len(),
        offered.join(", ")
    );
    Some(Disambiguation { question, clusters })
}

/// Whether a prompt names a tag: as whole words, in any letter case.
pub(super) fn names_tag(prompt: &str, tag: &str) -> bool {
    let (prompt, tag) = (prompt.to_lowercase(), tag.to_lowercase());
    if tag.is_empty() {
        return false;
    }
    let is_edge = |character: Option<char>| {
        character.is_none_or(|character| !character.is_alphanumeric() && character != '_')
    };
    prompt.match_indices(&tag).any(|(place, found)| {
        let before = prompt.get(..place).unwrap_or_default();
        let after = prompt.get(place + found.len()..).unwrap_or_default();
        is_edge(before.chars().next_back()) && is_edge(after.chars().next())
    })
}

/// The answer in words: what there is to know or to choose, then the best thoughts, each on a line
/// of its own: nothing that somebody said can pass for another line.
pub(super) fn in_words(
    guidance: Option<&str>,
    disambiguation: Option<&Disambiguation>,
    sources: &[ThoughtSource],
) -> String {
    let mut lines: Vec<String> = Vec::new();
    lines.extend(guidance.map(str::to_owned));
    lines.extend(disambiguation.map(|offered| offered.question.clone()));
    for (number, source) in (1..).zip(sources.iter().take(NAMED)) {
        lines.push(format!(
            "[{number}] {}: {} (score: {:.2})",
            on_one_line(&source.contributor),
            on_one_line(&source.content_preview),
            source.score
        ));
    }
    if sources.is_empty() {
        lines.push("No thought in this space is near the prompt.".to_owned());
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_named_by_whole_words_in_any_case() {
        assert!(names_tag("Tell me about Glaze.", "glaze"));
        assert!(names_tag("c++ is fast", "C++") && names_tag("die Öfen", "öfen"));
        assert!(!names_tag("glazes and unglazed", "glaze") && !names_tag("anything", ""));
        assert!(names_tag("glazes, glaze", "glaze"));
    }
}
