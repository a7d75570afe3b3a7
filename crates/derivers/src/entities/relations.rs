//! Which relations a sentence states.
//!
//! A relation is two entities with one of these verbs right between them. The first entity is the
//! subject of its clause: only an opening stands before it. The second ends its phrase: "fixed the
//! Parser crash" does not say that the parser was fixed. A sentence that denies, asks, supposes,
//! doubts or plans states nothing.

use std::ops::Range;

use super::EntityType;
use super::lexicon::{CALENDAR_WORDS, COMMON_WORDS};
use super::names::{SEEN_ONCE, Spotted, is_common};
use super::tokens::{Gap, Token, Tokens};

/// Most words between the two, beside the verb.
const ADVERBS_MAX: usize = 3;
/// Most words of a name that only a verb shows.
const NAME_WORDS_MAX: usize = 4;
/// Most further targets of one verb: "A uses B, C and D".
const TARGETS_MAX: usize = 6;

/// A relation between two spotted entities, by their places in the list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Joined {
    pub(super) source: usize,
    pub(super) target: usize,
    pub(super) rel_type: &'static str,
    pub(super) confidence: f64,
}

/// A verb, as it stands between the two ends.
struct Verb {
    words: &'static [&'static str],
    rel_type: &'static str,
    confidence: f64,
}

const fn verb(words: &'static [&'static str], rel_type: &'static str, confidence: f64) -> Verb {
    Verb { words, rel_type, confidence }
}

/// The verbs. The text's order is the direction, so that "was fixed by" is a relation of its own.
const VERBS: &[Verb] = &[
    verb(&["depends", "on"], "depends_on", 0.9),
    verb(&["depend", "on"], "depends_on", 0.9),
    verb(&["depended", "on"], "depends_on", 0.85),
    verb(&["relies", "on"], "depends_on", 0.85),
    verb(&["requires"], "requires", 0.85),
    verb(&["require"], "requires", 0.85),
    verb(&["required"], "requires", 0.75),
    verb(&["required", "by"], "required_by", 0.85),
    verb(&["blocked", "by"], "blocked_by", 0.85),
    verb(&["blocked", "on"], "blocked_by", 0.8),
    verb(&["fixed"], "fixed", 0.8),
    verb(&["fixes"], "fixed", 0.8),
    verb(&["fixed", "by"], "fixed_by", 0.8),
    verb(&["fixed", "in"], "fixed_in", 0.8),
    verb(&["broke"], "broke", 0.8),
    verb(&["breaks"], "broke", 0.8),
    verb(&["broken", "by"], "broken_by", 0.8),
    verb(&["caused"], "caused", 0.8),
    verb(&["causes"], "caused", 0.8),
    verb(&["caused", "by"], "caused_by", 0.8),
    verb(&["warned", "about"], "warned_about", 0.85),
    verb(&["warns", "about"], "warned_about", 0.85),
    verb(&["solved"], "solved", 0.8),
    verb(&["solves"], "solved", 0.8),
    verb(&["solved", "by"], "solved_by", 0.8),
    verb(&["added", "to"], "added_to", 0.85),
    verb(&["removed", "from"], "removed_from", 0.85),
    verb(&["modified"], "modified", 0.8),
    verb(&["modifies"], "modified", 0.8),
    verb(&["modified", "by"], "modified_by", 0.8),
    verb(&["uses"], "uses", 0.8),
    verb(&["use"], "uses", 0.75),
    verb(&["used"], "uses", 0.7),
    verb(&["used", "by"], "used_by", 0.8),
    verb(&["implemented", "in"], "implemented_in", 0.85),
    verb(&["written", "in"], "implemented_in", 0.8),
    verb(&["implemented", "by"], "implemented_by", 0.8),
    verb(&["integrated", "with"], "integrated_with", 0.85),
    verb(&["integrates", "with"], "integrated_with", 0.85),
    verb(&["integrated", "into"], "integrated_with", 0.8),
];

/// Verbs with the first end after them: "added A to B".
const MOVES: &[(&[&str], &str, &str)] = &[
    (&["added", "adds", "add", "adding"], "to", "added_to"),
    (&["removed", "removes", "remove", "removing"], "from", "removed_from"),
];

/// Words between the first end and the verb.
#[rustfmt::skip]
const ADVERBS: [&str; 24] = [
    "is", "are", "was", "were", "has", "have", "had", "been", "now", "also", "already", "currently", "still", "then",
    "finally", "directly", "only", "heavily", "internally", "always", "apparently", "being", "just", "successfully",
];
/// Words between a verb and the second end.
#[rustfmt::skip]
const ARTICLES: [&str; 12] = [
    "the", "a", "an", "our", "its", "their", "his", "her", "my", "both", "new", "old",
];
/// Sorts of things that stand after their names: "the Redis server".
#[rustfmt::skip]
const SORTS: [&str; 34] = [
    "crate", "crates", "library", "libraries", "module", "modules", "package", "packages", "service", "services", "class",
    "function", "method", "file", "files", "framework", "database", "server", "client", "api", "project", "tool", "plugin",
    "component", "flag", "option", "feature", "type", "struct", "trait", "language", "protocol", "engine", "version",
];
/// Words after the second end that do not belong to it.
#[rustfmt::skip]
const FOLLOWING: [&str; 52] = [
    "in", "for", "to", "with", "and", "or", "by", "on", "at", "from", "when", "because", "so", "after", "before", "as",
    "instead", "via", "since", "which", "that", "but", "while", "where", "under", "over", "again", "now", "today",
    "yesterday", "directly", "internally", "too", "also", "only", "is", "are", "was", "were", "has", "have", "had", "into",
    "through", "during", "until", "here", "there", "then", "already", "last", "this",
];
/// Words that deny.
#[rustfmt::skip]
const DENIALS: [&str; 24] = [
    "not", "no", "never", "cannot", "without", "neither", "nor", "none", "nothing", "nobody", "hardly", "barely", "longer",
    "denied", "denies", "false", "wrong", "untrue", "instead", "unlike", "except", "stop", "stopped", "myth",
];
/// Words that suppose, doubt, plan or wish.
#[rustfmt::skip]
const DOUBTS: [&str; 44] = [
    "if", "unless", "whether", "suppose", "supposing", "assuming", "assume", "would", "could", "might", "may", "maybe",
    "perhaps", "probably", "possibly", "should", "shall", "must", "will", "can", "seems", "seem", "seemed", "apparently",
    "think", "thinks", "thought", "believe", "believes", "guess", "suspect", "suspects", "wonder", "presumably", "likely",
    "hopefully", "hope", "want", "wants", "plan", "plans", "propose", "proposed", "imagine",
];
/// Words between the beginning of a clause and its subject.
const OPENINGS: [&str; 9] = ["the", "a", "an", "our", "this", "new", "old", "both", "also"];
/// Words that begin a clause.
#[rustfmt::skip]
const CONJUNCTIONS: [&str; 17] = [
    "and", "but", "so", "because", "since", "that", "while", "then", "although", "though", "as", "now", "when", "after",
    "where", "today", "currently",
];

/// The relations of a sentence between its entities. An entity of unknown sort that is an end of
/// one is surer for it.
pub(super) fn join(sentence: &Tokens<'_>, spotted: &mut Vec<Spotted>) -> Vec<Joined> {
    if sentence.is_question || is_unsure(sentence) {
        return Vec::new();
    }
    add_subject(sentence, spotted);
    add_ends(sentence, spotted);
    let mut joined = Vec::new();
    for source in 0..spotted.len() {
        let Some(end) = spotted.get(source).map(|found| sort_end(sentence, found.words.end)) else {
            continue;
        };
        if let Some((verb, after)) = verb_at(sentence, end)
            && is_subject(sentence, spotted, source)
        {
            for target in targets(sentence, spotted, source + 1, after) {
                // "causes A to start"
                let end = spotted.get(target).map_or(after, |found| found.words.end);
                if matches!(verb.rel_type, "caused" | "requires")
                    && sentence.lower(sort_end(sentence, end)) == "to"
                {
                    continue;
                }
                let (rel_type, confidence) = (verb.rel_type, verb.confidence);
                joined.push(Joined { source, target, rel_type, confidence });
            }
        }
        joined.extend(moved(sentence, spotted, source));
    }
    for relation in &mut joined {
        for end in [relation.source, relation.target] {
            if let Some(end) = spotted.get_mut(end) {
                relation.confidence = relation.confidence.min(end.confidence.max(0.65));
                // A verb that takes such names is a second sign.
                end.confidence = end.confidence.max(0.62);
            }
        }
    }
    joined
}

/// Whether a sentence denies, supposes, doubts or plans.
fn is_unsure(sentence: &Tokens<'_>) -> bool {
    sentence.all.iter().any(|token| {
        let word = token.lower.as_str();
        !token.is_quoted_code
            && (DENIALS.contains(&word)
                || DOUBTS.contains(&word)
                || word.ends_with("n't")
                || word.ends_with("n’t"))
    })
}

/// The verb that stands at a place, after adverbs, and where it ends. The longest counts.
fn verb_at(sentence: &Tokens<'_>, mut place: usize) -> Option<(&'static Verb, usize)> {
    let mut passed = 0;
    while ADVERBS.contains(&sentence.lower(place)) && passed < ADVERBS_MAX {
        if sentence.before(place) != Gap::Space {
            return None;
        }
        (place, passed) = (place + 1, passed + 1);
    }
    let is_passive = place.checked_sub(1).is_some_and(|last| {
        matches!(sentence.lower(last), "is" | "are" | "was" | "were" | "been" | "being")
            && passed > 0
    });
    let stands = |verb: &&Verb| {
        verb.words.iter().enumerate().all(|(offset, word)| {
            sentence.lower(place + offset) == *word && sentence.before(place + offset) == Gap::Space
        })
    };
    let found = VERBS.iter().filter(stands).max_by_key(|verb| verb.words.len())?;
    // "was fixed" without "by" has no second end; "uses by" does not exist.
    if is_passive && found.words.len() == 1 {
        return None;
    }
    Some((found, place + found.words.len()))
}

/// Whether an entity is the subject of a clause, and nothing that describes something else.
fn is_subject(sentence: &Tokens<'_>, spotted: &[Spotted], place: usize) -> bool {
    let Some(found) = spotted.get(place) else { return false };
    let has_possessive =
        |place: usize| sentence.all.get(place).is_some_and(|token| token.is_possessive);
    if found.words.end.checked_sub(1).is_some_and(has_possessive) {
        return false;
    }
    let mut start = found.words.start;
    for _ in 0..ADVERBS_MAX {
        if sentence.before(start) > Gap::Space {
            return sentence.before(start) > Gap::Joint;
        }
        let Some(last) = start.checked_sub(1) else { return true };
        if CONJUNCTIONS.contains(&sentence.lower(last)) {
            return true;
        }
        if has_possessive(last) || !OPENINGS.contains(&sentence.lower(last)) {
            return false;
        }
        start = last;
    }
    sentence.before(start) > Gap::Joint
}

/// The entities that a verb which ends at `after` takes.
fn targets(
    sentence: &Tokens<'_>,
    spotted: &[Spotted],
    first: usize,
    mut after: usize,
) -> Vec<usize> {
    let mut found = Vec::new();
    for (place, target) in spotted.iter().enumerate().skip(first).take(TARGETS_MAX) {
        let mut start = after;
        let is_first = found.is_empty();
        if !is_first {
            let comma = sentence.before(start) == Gap::Comma;
            let joins = matches!(sentence.lower(start), "and" | "or");
            if !comma && !joins || sentence.lower(start) == "or" {
                break;
            }
            start += usize::from(joins);
        }
        while ARTICLES.contains(&sentence.lower(start)) && start < target.words.start {
            start += 1;
        }
        let is_near = (after..target.words.start + 1)
            .all(|word| matches!(sentence.before(word), Gap::Space) || !is_first && word == after);
        if start != target.words.start || !is_near {
            break;
        }
        let Some(end) = phrase_end(sentence, target) else { break };
        // "A uses B and C depends on D", "added A to B, and C to D"
        let goes_on = matches!(sentence.lower(end), "to" | "from");
        if !is_first && (goes_on || verb_at(sentence, end).is_some()) {
            break;
        }
        found.push(place);
        after = end;
    }
    found
}

/// Where the sort of an entity ends that stands after its name, if one does.
fn sort_end(sentence: &Tokens<'_>, end: usize) -> usize {
    let is_sort = sentence.before(end) == Gap::Space && SORTS.contains(&sentence.lower(end));
    end + usize::from(is_sort)
}

/// Where the phrase of an entity ends; none if the entity only describes what follows.
fn phrase_end(sentence: &Tokens<'_>, target: &Spotted) -> Option<usize> {
    let mut end = target.words.end;
    let last = sentence.all.get(end.checked_sub(1)?)?;
    if last.is_possessive {
        return None;
    }
    end = sort_end(sentence, end);
    // "Rust 1.80" ends its phrase, and "the Rust 1.80 builder" does not.
    if sentence.before(end) == Gap::Space && sentence.all.get(end).is_some_and(is_version) {
        end += 1;
    }
    let Some(next) = sentence.all.get(end) else { return Some(end) };
    let is_end = next.before != Gap::Space || FOLLOWING.contains(&next.lower.as_str());
    is_end.then_some(end)
}

/// Whether a word is a number, or a version such as "v2.0".
fn is_version(token: &Token<'_>) -> bool {
    let number = token.lower.strip_prefix('v').unwrap_or(&token.lower);
    number.starts_with(|letter: char| letter.is_ascii_digit())
}

/// "added A to B": the relations that begin with the verb before an entity.
fn moved(sentence: &Tokens<'_>, spotted: &[Spotted], source: usize) -> Vec<Joined> {
    let Some((rel_type, after)) = moved_to(sentence, spotted, source) else { return Vec::new() };
    let targets = targets(sentence, spotted, source + 1, after).into_iter();
    targets.map(|target| Joined { source, target, rel_type, confidence: 0.75 }).collect()
}

/// What a verb before an entity says of it and what follows, and where that follows.
fn moved_to(
    sentence: &Tokens<'_>,
    spotted: &[Spotted],
    source: usize,
) -> Option<(&'static str, usize)> {
    let found = spotted.get(source)?;
    let mut before = found.words.start;
    while before > 0 && ARTICLES.contains(&sentence.lower(before - 1)) {
        if sentence.before(before) != Gap::Space {
            return None;
        }
        before -= 1;
    }
    let verb = before.checked_sub(1)?;
    if sentence.before(before) != Gap::Space {
        return None;
    }
    let (_, preposition, rel_type) =
        MOVES.iter().find(|(forms, ..)| forms.contains(&sentence.lower(verb)))?;
    // "to add A to B" is a plan.
    if verb.checked_sub(1).is_some_and(|last| sentence.lower(last) == "to") {
        return None;
    }
    let end = phrase_end(sentence, found)?;
    if sentence.lower(end) != *preposition || sentence.before(end) != Gap::Space {
        return None;
    }
    Some((rel_type, end + 1))
}

impl Verb {
    /// Whether it says by itself that things with names are joined: "depends on", "blocked by".
    fn is_explicit(&self) -> bool {
        self.words.len() > 1 && self.confidence >= 0.85
    }
}

/// Whether a sentence states a relation by a verb that says so by itself.
pub(super) fn is_explicit(sentence: &Tokens<'_>) -> bool {
    (1..sentence.all.len()).any(|place| {
        let as_prose = sentence.all.get(place).is_some_and(|token| token.text == token.lower);
        as_prose && verb_at(sentence, place).is_some_and(|(verb, _)| verb.is_explicit())
    })
}

/// Adds the ends of explicit verbs that only the verb shows to be names: "Zebra Gateway depends on
/// Falcon Broker", "auth-service depends on user-db", "A depends on B".
fn add_ends(sentence: &Tokens<'_>, spotted: &mut Vec<Spotted>) {
    for place in 1..sentence.all.len() {
        let Some((verb, mut after)) = verb_at(sentence, place) else { continue };
        if !verb.is_explicit() || ADVERBS.contains(&sentence.lower(place - 1)) {
            continue;
        }
        while ARTICLES.contains(&sentence.lower(after)) && sentence.before(after) == Gap::Space {
            // "A" is a name where a phrase ends after it.
            if sentence.before(after + 1) != Gap::Space {
                break;
            }
            after += 1;
        }
        let sort = sentence.all.get(place - 1).is_some_and(|last| SORTS.contains(&last.text));
        let sorted = place - usize::from(sort);
        let is_free = |words: &Range<usize>, spotted: &[Spotted]| {
            spotted.iter().all(|it| it.words.end <= words.start || it.words.start >= words.end)
        };
        let ends_at = |end: usize| spotted.iter().any(|found| found.words.end == end);
        let begins_at = |start: usize| spotted.iter().any(|found| found.words.start == start);
        let left = match ends_at(sorted) {
            true => None,
            false => name_before(sentence, sorted).filter(|it| is_free(&it.words, spotted)),
        };
        let right = match begins_at(after) {
            true => None,
            false => name_at(sentence, after).filter(|it| is_free(&it.words, spotted)),
        };
        // Both ends must be names.
        if left.is_none() && !ends_at(sorted) || right.is_none() && !begins_at(after) {
            continue;
        }
        spotted.extend(left);
        spotted.extend(right);
        spotted.sort_by_key(|found| found.words.start);
    }
}

/// The name that ends before a place.
fn name_before(sentence: &Tokens<'_>, end: usize) -> Option<Spotted> {
    let mut start = end;
    while start > 0
        && end - start < NAME_WORDS_MAX
        && (start == end || sentence.before(start) == Gap::Space)
        && sentence.all.get(start - 1).is_some_and(has_capital)
    {
        start -= 1;
    }
    while end - start > 1 && sentence.all.get(start).is_some_and(is_common) {
        start += 1;
    }
    match start < end {
        true => named(sentence, start..end),
        false => named(sentence, end.checked_sub(1)?..end),
    }
}

/// The name that begins at a place.
fn name_at(sentence: &Tokens<'_>, start: usize) -> Option<Spotted> {
    let mut end = start;
    while end - start < NAME_WORDS_MAX
        && (start == end || sentence.before(end) == Gap::Space)
        && sentence.all.get(end).is_some_and(has_capital)
    {
        end += 1;
    }
    named(sentence, start..end.max(start + 1))
}

/// Words as a name: words with capitals that are not only common ones, one letter, or a word of
/// several parts.
fn named(sentence: &Tokens<'_>, words: Range<usize>) -> Option<Spotted> {
    let tokens = sentence.all.get(words.clone())?;
    let first = tokens.first()?;
    let has_parts = first.text.split(['-', '_', '.']).filter(|part| part.len() > 1).count() > 1
        && first.text.is_ascii();
    let is_letter = first.text.len() == 1 && first.text != "I";
    let is_name = tokens.iter().all(has_capital) && (is_letter || !is_common(first));
    if !is_name && !has_parts || tokens.iter().any(|token| token.is_possessive) {
        return None;
    }
    let entity_type = if is_name { EntityType::Other } else { EntityType::Code };
    super::names::spotted(sentence, words, entity_type, SEEN_ONCE)
}

fn has_capital(token: &Token<'_>) -> bool {
    token.text.starts_with(|letter: char| letter.is_ascii_uppercase())
        && token.text.chars().all(|letter| letter.is_ascii_alphanumeric())
}

/// Adds a name at the beginning of a sentence that only its verb shows to be one: "Parser depends
/// on Lexer".
fn add_subject(sentence: &Tokens<'_>, spotted: &mut Vec<Spotted>) {
    let Some(first) = sentence.all.first() else { return };
    let is_name = first.text.starts_with(char::is_uppercase)
        && first.text.is_ascii()
        && first.text.len() > 2
        && first.text.chars().all(|letter| letter.is_ascii_alphabetic())
        && !first.is_possessive
        && COMMON_WORDS.binary_search(&first.text).is_err()
        && !CALENDAR_WORDS.contains(&first.text);
    let is_known = spotted.first().is_some_and(|found| found.words.start == 0);
    if is_name && !is_known && verb_at(sentence, 1).is_some() {
        let found = Spotted {
            words: 0..1,
            name: first.text.to_owned(),
            entity_type: EntityType::Other,
            confidence: SEEN_ONCE,
        };
        spotted.insert(0, found);
    }
}
