//! Lists of objects: "tea and coffee", "cooking, hiking and chess".
//!
//! A comma may also end the clause or begin another ("I love jazz, and Clara sent me a record"),
//! and words between commas may be adjectives ("strong, black coffee") that qualify what follows
//! the last of them ("red, green and black tea"). So the words after a comma are items only if
//! each of them is plainly the name of a thing and the last is joined by "and" or "or". Otherwise
//! only the first is an object, or none.

use super::lexicon::{domain, domain_of, is_joint};
use super::object::{Object, Trust, lower, parse, trimmed};
use super::stated::Polarity;
use super::word_lists::{
    ADJECTIVES, ADVERBS, ARTICLES, COMPOUNDS, NOT_ITEMS, OPENINGS, QUESTIONS, RATHER_VERBS, VERBS,
};
use crate::statements::{Break, Word};

/// Most items of a list.
const ITEMS_MAX: usize = 12;
/// Most words of an item that the lexicon knows, before "with", "of" and the like.
const ITEM_WORDS_MAX: usize = 3;

/// The items of a list after its first.
#[derive(Default)]
struct Rest<'s, 't> {
    items: Vec<&'s [Word<'t>]>,
    /// How many clauses they are in.
    clauses: usize,
    /// Whether the last of them comes after "and" or "or".
    is_joined: bool,
}

/// The objects of a list whose first words are `words` and which may go on in the clauses `after`.
pub(super) fn objects(
    words: &[Word<'_>],
    after: &[&[Word<'_>]],
    topic: Option<&'static str>,
    trust: Trust,
    polarity: Polarity,
) -> Vec<Object> {
    let first = trimmed(words);
    if let Some((left, right)) = pair(first) {
        let parsed = (parse(left, topic, trust), parse(right, topic, trust));
        return objects_of_pair(left, right, parsed, polarity);
    }
    let Some(object) = parse(first, topic, trust) else { return Vec::new() };
    let rest = rest_of(after);
    let items: Vec<Option<Object>> =
        rest.items.iter().map(|item| plain(item, topic, trust)).collect();
    let known = |object: &Object| domain_of(&object.name.split(' ').collect::<Vec<_>>()).is_some();
    let is_whole = items.iter().all(Option::is_some);
    let whole = |items: Vec<Option<Object>>| -> Vec<Object> {
        std::iter::once(object.clone()).chain(items.into_iter().flatten()).collect()
    };
    match (rest.is_joined, rest.items.as_slice()) {
        (_, []) => vec![object],
        // "I love jazz, and …" may begin another clause.
        (true, [only]) if is_sure(only) && is_whole => whole(items),
        (true, [_]) => vec![object],
        (true, [between @ .., last]) => {
            if items.iter().rev().skip(1).any(Option::is_none) {
                return vec![object];
            }
            // "… and spending time with friends" is an item, if not one that is stated.
            if !is_whole && !is_gerund(last.first()) {
                return vec![object];
            }
            if is_whole && is_shared_by(first, between, last) {
                return items.into_iter().flatten().last().into_iter().collect();
            }
            if is_qualified(first, &rest.items, polarity) {
                return vec![object];
            }
            whole(items)
        }
        (false, [.., last]) => {
            let is_list = is_whole
                && items.len() > 1
                && rest.clauses == after.len()
                && known(&object)
                && items.iter().flatten().all(known)
                && !is_qualified(first, &rest.items, polarity);
            // "Strong, black coffee."
            let may_qualify = match first {
                [only] => !known(&object) || qualifies(only),
                _ => false,
            };
            let is_adjective = may_qualify && last.len() > 1 && has_known_head(last);
            match (is_list, is_adjective) {
                (true, _) => whole(items),
                (false, true) => Vec::new(),
                (false, false) => vec![object],
            }
        }
    }
}

/// How many of the clauses `after` another belong to the list in it.
pub(super) fn clauses_of_list(after: &[&[Word<'_>]]) -> usize {
    let rest = rest_of(after);
    if rest.is_joined { rest.clauses } else { 0 }
}

fn is_conjunction(word: &Word<'_>) -> bool {
    matches!(word.lower.as_ref(), "and" | "or")
}

/// The halves of a pair.
fn pair<'s, 't>(words: &'s [Word<'t>]) -> Option<(&'s [Word<'t>], &'s [Word<'t>])> {
    let joint = words.iter().position(is_conjunction)?;
    if COMPOUNDS.contains(&lower(words).join(" ").as_str()) {
        return None;
    }
    let (left, right) = words.split_at_checked(joint)?;
    Some((left, right.get(1..)?))
}

fn objects_of_pair(
    left: &[Word<'_>],
    right: &[Word<'_>],
    parsed: (Option<Object>, Option<Object>),
    polarity: Polarity,
) -> Vec<Object> {
    // "The colour and texture" is one thing in context; in "action and horror films" both words
    // qualify films.
    let is_shared =
        left.first().is_some_and(|word| word.lower == "the") || left.len() == 1 && right.len() > 1;
    if is_shared {
        return Vec::new();
    }
    // If only one half of a pair is understood, the pair may be one thing: skip both.
    match parsed {
        (Some(first), Some(_)) if is_qualified(left, &[right], polarity) => vec![first],
        (Some(first), Some(second)) => vec![first, second],
        _ => Vec::new(),
    }
}

fn rest_of<'s, 't>(after: &[&'s [Word<'t>]]) -> Rest<'s, 't> {
    let mut rest = Rest::default();
    for clause in after.iter().take(ITEMS_MAX) {
        let begins = clause.first().is_some_and(|first| first.before == Break::Comma);
        let joint = clause.iter().position(is_conjunction);
        let (left, right) = joint.and_then(|joint| clause.split_at_checked(joint)).unzip();
        let right = right.and_then(|right| right.get(1..));
        match (left, right) {
            _ if !begins => break,
            // "Etc."
            _ if trimmed(clause).is_empty() => {}
            (Some([]), Some(right)) => rest.items.push(right),
            (Some(left), Some(right)) => rest.items.extend([left, right]),
            _ => rest.items.push(clause),
        }
        rest.clauses += 1;
        if right.is_some() {
            rest.is_joined = true;
            break;
        }
    }
    rest
}

/// The object that an item after the first names, if it plainly names one.
fn plain(item: &[Word<'_>], topic: Option<&'static str>, trust: Trust) -> Option<Object> {
    let words = trimmed(item);
    let first = words.first()?.lower.as_ref();
    let last = words.last()?.lower.as_ref();
    let is_of_sentence = [&OPENINGS[..], &ADVERBS, &VERBS, &QUESTIONS, &NOT_ITEMS, &RATHER_VERBS]
        .iter()
        .any(|list| list.contains(&first));
    let is_plain = match has_known_head(words) {
        true => head(words).len() <= ITEM_WORDS_MAX,
        // "Old maps", but not "work late".
        false => words.len() == 1 || words.len() == 2 && is_plural(last) || is_name(words),
    };
    let is_compound = COMPOUNDS.contains(&lower(words).join(" ").as_str());
    let has_joint = !is_compound && words.iter().any(is_conjunction);
    if is_of_sentence || !is_plain && !is_compound || has_joint || last.ends_with("ly") {
        return None;
    }
    parse(words, topic, trust)
}

/// Capitalised words. They are objects only where the form of the statement admits any.
fn is_name(words: &[Word<'_>]) -> bool {
    words.len() <= ITEM_WORDS_MAX
        && words.iter().all(|word| word.text.starts_with(char::is_uppercase))
}

/// Whether an item after ", and" cannot be the beginning of a clause: "chess", "green tea".
fn is_sure(item: &[Word<'_>]) -> bool {
    match trimmed(item) {
        [only] => domain(&only.lower).is_some(),
        [first, last] => {
            domain(&last.lower).is_some() && (domain(&first.lower).is_none() || qualifies(first))
        }
        _ => false,
    }
}

/// Whether the last item's noun may belong to all items: "red, green and black tea". What is known
/// as a thing stands alone, and so does a plural.
fn is_shared_by(first: &[Word<'_>], between: &[&[Word<'_>]], last: &[Word<'_>]) -> bool {
    let last = head(without_article(trimmed(last)));
    let Some(qualifier) = last.first().filter(|_| last.len() > 1) else { return false };
    let of_qualifier = domain(&qualifier.lower);
    let stands_alone = |item: &[Word<'_>]| match item {
        [only] => {
            let of_item = domain(&only.lower);
            let is_thing = of_item.is_some() && !qualifies(only) && of_item != of_qualifier;
            is_thing || of_item.is_none() && is_plural(&only.lower)
        }
        _ => true,
    };
    std::iter::once(&first).chain(between).any(|item| !stands_alone(item))
}

/// Whether what qualifies the first item may qualify the others: in "I hate cold tea and coffee"
/// the coffee is cold, and in "the colour, texture and smell" all are of one thing.
fn is_qualified(first: &[Word<'_>], items: &[&[Word<'_>]], polarity: Polarity) -> bool {
    let begins_with_the = |item: &[Word<'_>]| item.first().is_some_and(|word| word.lower == "the");
    let of_first = domain_of(&lower(first));
    let is_alike = |item: &&[Word<'_>]| {
        let words = trimmed(item);
        words.len() == 1 && of_first.is_some() && domain_of(&lower(words)) == of_first
    };
    begins_with_the(first) && items.iter().any(|item| !begins_with_the(item))
        || polarity == Polarity::Dislike
            && without_article(first).len() > 1
            && items.iter().any(is_alike)
}

/// Whether a known word is often an adjective.
fn qualifies(word: &Word<'_>) -> bool {
    domain(&word.lower) == Some("environment") || ADJECTIVES.contains(&word.lower.as_ref())
}

/// The words before "with", "of" and the like.
fn head<'s, 't>(words: &'s [Word<'t>]) -> &'s [Word<'t>] {
    let end = words.iter().position(|word| is_joint(&word.lower)).unwrap_or(words.len());
    words.get(..end).unwrap_or_default()
}

fn has_known_head(words: &[Word<'_>]) -> bool {
    head(words).last().is_some_and(|last| domain_of(&[last.lower.as_ref()]).is_some())
}

fn without_article<'s, 't>(words: &'s [Word<'t>]) -> &'s [Word<'t>] {
    match words {
        [first, rest @ ..] if ARTICLES.contains(&first.lower.as_ref()) => rest,
        words => words,
    }
}

fn is_plural(word: &str) -> bool {
    word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end))
}

fn is_gerund(word: Option<&Word<'_>>) -> bool {
    word.is_some_and(|word| word.lower.ends_with("ing"))
}
