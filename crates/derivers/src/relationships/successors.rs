//! Of whom people have one at a time: a new one takes the place of the one before.
//!
//! "My new boss is Farid" ends what was said of an earlier boss, and "we changed dentists" ends
//! what was said of a dentist. All statements of such a kind are one group, since the record that
//! ends a relation does not name whom it ends.

use jiff::civil::Date;

use super::kinds;
use super::stated::{Statement, ended_kinds};
use crate::statements::{Break, Mention, OwnWords, Sentence, any_word_starts_with, sentences};

/// How the name of such a group begins. No slug of a name has a colon.
const GROUP: &str = "kind:";
/// Most words between the subject and "changed".
const BETWEEN_MAX: usize = 2;
/// Words that may stand there.
const BETWEEN: [&str; 6] = ["also", "finally", "had", "have", "just", "recently"];
/// Words after which nothing was changed.
pub(super) const DOUBTS: [&str; 9] =
    ["could", "if", "might", "never", "should", "unless", "wish", "wished", "would"];

/// The group of a kind, if people have one of it at a time.
pub(super) fn group_of(kind: &str) -> Option<String> {
    kinds::is_succeeded(kind).then(|| format!("{GROUP}{kind}"))
}

/// The kind of such a group.
pub(super) fn kind_of(group: &str) -> Option<&str> {
    group.strip_prefix(GROUP)
}

/// The kinds of which the owner says that they changed the one that they had.
pub(super) fn changes(words: OwnWords<'_>) -> Vec<&'static str> {
    let is_relevant = |text: &str| {
        any_word_starts_with(text, &["changed ", "switched ", "divorce", "broke up", "split up"])
            && any_word_starts_with(text, &["i ", "i'", "i’", "we ", "we'", "we’"])
    };
    let stated = sentences(words, is_relevant).into_iter();
    let stated = stated.filter(|sentence| !sentence.is_question && !sentence.has_any(&DOUBTS));
    let found: Vec<&'static str> = stated
        .flat_map(|sentence| {
            let ended = ended_kinds(&sentence).iter().copied();
            change_in(&sentence).into_iter().chain(ended).collect::<Vec<_>>()
        })
        .collect();
    if words.is_request() { Vec::new() } else { found }
}

fn change_in(sentence: &Sentence<'_>) -> Option<&'static str> {
    (0..sentence.words.len()).find_map(|at| {
        let is_of_owner = matches!(sentence.lower(at), "i" | "we" | "i've" | "we've");
        let verb = (at + 1..=at + 1 + BETWEEN_MAX)
            .find(|next| !BETWEEN.contains(&sentence.lower(*next)))?;
        let is_change = is_of_owner && matches!(sentence.lower(verb), "changed" | "switched");
        let is_phrase = (at + 1..=verb + 1)
            .all(|word| sentence.words.get(word).is_some_and(|word| word.before == Break::None));
        let kind = kinds::changed(sentence.lower(verb + 1))?;
        let is_end = sentence.after(verb + 1) != Break::None
            || matches!(
                sentence.lower(verb + 2),
                "" | "again" | "and" | "because" | "in" | "last" | "so" | "this" | "today"
            );
        (is_change && is_phrase && is_end).then_some(kind)
    })
}

/// When relations of a kind end.
#[derive(Clone, Debug, Default)]
pub(super) struct Ends(Vec<End>);

#[derive(Clone, Debug)]
struct End {
    /// The place of the record among those of the group, in order of time.
    place: usize,
    day: Option<Date>,
    /// Who takes the place; nobody in "we changed dentists".
    successor: Option<String>,
}

impl Ends {
    /// A record says that the one before is over.
    pub(super) fn change(&mut self, place: usize, day: Option<Date>) {
        self.0.push(End { place, day, successor: None });
    }

    /// A statement, which may name a successor.
    pub(super) fn read(&mut self, place: usize, mention: &Mention<Statement>) {
        let Statement { is_new, is_denial, is_end, person, .. } = &mention.statement;
        if *is_new && !is_denial && !is_end {
            let successor = Some(person.slug.clone());
            self.0.push(End { place, day: mention.day, successor });
        }
    }

    /// Whether what was last said of somebody in this record has ended since, and on which day.
    pub(super) fn after(&self, place: usize, slug: &str) -> Option<Option<Date>> {
        let ends = |end: &&End| end.place > place && end.successor.as_deref() != Some(slug);
        self.0.iter().find(ends).map(|end| end.day)
    }
}
