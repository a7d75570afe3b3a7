//! The effects of a user action in words: the action, then the changed beliefs.

use std::collections::BTreeSet;

use engine::belief::Belief;
use engine::belief::claims::is_in_words;
use engine::write::commit::{Change, Changes};
use engine::write::import::Intent;
use engine::write::patch::StatusChange;
use kernel::confidence::Band;
use kernel::id::OpId;
use kernel::validity::State;
use serde_json::Value;

use super::changes::{Action, ChangeKind, Outcome, Subject, Verb};
use super::wording::{shortened, sureness, words};
use crate::text::{count, printable};

/// Changes put in words; the report has all of them.
const CHANGES_MAX: usize = 40;
/// Columns of the kind of a change.
const KIND_COLUMNS: usize = 19;

/// A line of text, in pieces of different emphasis.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line(pub(crate) Vec<(Emphasis, String)>);

/// The emphasis of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Emphasis {
    /// None.
    Plain,
    /// A name.
    Strong,
    /// An id.
    Id,
    /// Secondary text.
    Faint,
}

impl Line {
    fn plain(text: impl Into<String>) -> Self {
        Self::default().and(Emphasis::Plain, text)
    }

    fn and(mut self, emphasis: Emphasis, text: impl Into<String>) -> Self {
        self.0.push((emphasis, text.into()));
        self
    }

    /// The line without emphasis.
    pub(crate) fn text(&self) -> String {
        self.0.iter().map(|(_, text)| text.as_str()).collect()
    }
}

/// Whether a change says anything new: a belief that only became a little surer reads as before.
pub(crate) fn is_news(change: &Change) -> bool {
    let after = &change.after;
    change.before.as_ref().is_none_or(|before| {
        before.text != after.text
            || before.served.is_some() != after.served.is_some()
            || Band::of(before.confidence) != Band::of(after.confidence)
    })
}

/// An outcome in words, a line each.
pub(crate) fn lines(outcome: &Outcome) -> Vec<Line> {
    let mut lines = Vec::new();
    for (place, action) in outcome.actions.iter().enumerate() {
        lines.push(action_line(action, outcome.changes.recorded.get(place), outcome.intent));
        lines.extend(subject_lines(action, outcome));
    }
    let was = if outcome.intent == Intent::Write { "was" } else { "would be" };
    let masked = outcome.changes.masked.iter();
    lines.extend(masked.map(|kind| Line::plain(format!("  a secret {was} masked: {kind}"))));
    lines.extend(consequences(outcome));
    lines.extend(altered_line(&outcome.changes).map(Line::plain));
    if outcome.withheld > 0 {
        let private = count(outcome.withheld as u64, "private belief or record");
        lines.push(Line::plain(format!("It concerns {private}, not shown here.")));
    }
    if outcome.is_counted && outcome.changes.derived.reviews > 0 {
        let reviews = count(outcome.changes.derived.reviews, "review");
        lines.push(Line::plain(match outcome.intent {
            Intent::Write => format!("{reviews} for you to decide: because review list"),
            Intent::DryRun => format!("{reviews} would be left for you to decide"),
        }));
    }
    if outcome.intent == Intent::DryRun {
        lines.push(Line::default().and(Emphasis::Faint, "Nothing was written."));
    }
    lines
}

/// What the changes depend on and was altered in the file, if anything was.
pub(crate) fn altered_line(changes: &Changes) -> Option<String> {
    let Changes { altered, unquoted, .. } = changes;
    let first = altered.first()?.short();
    let operations = match altered.len() {
        1 => format!("{first} was altered"),
        many => format!("{first} and {} were altered", count(many as u64 - 1, "other operation")),
    };
    let left_out = match unquoted.len() {
        0 => String::new(),
        many => format!(", and {} left out", count(many as u64, "change")),
    };
    Some(format!(
        "This depends on altered text: {operations} in the file since it was signed{left_out}. \
         `because verify` names all that is wrong."
    ))
}

fn action_line(action: &Action, recorded: Option<&OpId>, intent: Intent) -> Line {
    let (verb, name) = (verb_in_words(action.verb), name_of(&action.subject));
    let is_new = matches!(action.verb, Verb::Stated | Verb::Connected);
    match intent {
        // What is new has no other name than its id, and none yet in a dry run.
        Intent::Write if is_new => Line::plain(format!("You {verb} "))
            .and(Emphasis::Id, recorded.map(OpId::short).unwrap_or_default()),
        Intent::DryRun if is_new => Line::plain(format!("If you {verb} this")),
        Intent::Write => Line::plain(format!("You {verb} "))
            .and(Emphasis::Strong, name)
            .and(Emphasis::Plain, "  ")
            .and(Emphasis::Id, recorded.map(OpId::short).unwrap_or_default()),
        Intent::DryRun => Line::plain(format!("If you {verb} ")).and(Emphasis::Strong, name),
    }
}

fn verb_in_words(verb: Verb) -> &'static str {
    match verb {
        Verb::Corrected => "corrected",
        Verb::Refuted => "refuted",
        Verb::Withdrew => "withdrew your word on",
        Verb::Retracted => "retracted",
        Verb::Restored => "restored",
        Verb::AcceptedReview => "accepted the review of",
        Verb::DismissedReview => "dismissed the review of",
        Verb::AcceptedProposal => "accepted the proposal",
        Verb::DismissedProposal => "dismissed the proposal",
        Verb::Forgot => "forgot",
        Verb::Stated => "stated",
        Verb::Connected => "connected",
    }
}

fn name_of(subject: &Subject) -> String {
    match subject {
        Subject::Belief(key) => printable(key),
        Subject::Record { id, .. } => id.short(),
        Subject::Records { count: number, which } => {
            format!("{} {}", count(*number as u64, "record"), printable(which))
        }
    }
}

/// What became of the target of an action.
fn subject_lines(action: &Action, outcome: &Outcome) -> Vec<Line> {
    match &action.subject {
        Subject::Record { summary, .. } => vec![Line::plain(format!("  {}", shortened(summary)))],
        Subject::Records { .. } => Vec::new(),
        Subject::Belief(key) => match outcome.changes.beliefs.get(key) {
            Some(change) => indented(change, 2).collect(),
            None if outcome.changes.unquoted.contains(key) => {
                let uncertain = "what becomes of it depends on altered text";
                vec![Line::plain("  ").and(Emphasis::Faint, uncertain)]
            }
            None => vec![Line::plain("  ").and(Emphasis::Faint, "the belief stays as it was")],
        },
    }
}

fn indented(change: &Change, columns: usize) -> impl Iterator<Item = Line> {
    difference(change).into_iter().map(move |text| Line::plain(" ".repeat(columns) + &text))
}

/// The other beliefs that changed.
fn consequences(outcome: &Outcome) -> Vec<Line> {
    let direct = outcome.direct_keys();
    let all = outcome.changes.beliefs.iter();
    let indirect: Vec<(&String, &Change)> =
        all.filter(|(key, _)| !direct.contains(key.as_str())).collect();
    let beliefs = count(indirect.len() as u64, "belief");
    let displaced = &outcome.changes.displaced;
    let records = count(displaced.len() as u64, "record");
    let what = match (indirect.is_empty(), displaced.is_empty()) {
        (true, true) => None,
        (false, true) => Some(beliefs),
        (true, false) => Some(records),
        (false, false) => Some(format!("{beliefs} and {records}")),
    };
    let mut lines = vec![Line::plain(match (what, outcome.intent) {
        (None, Intent::Write) => "Nothing else changed.".to_owned(),
        (None, Intent::DryRun) => "Nothing else would change.".to_owned(),
        (Some(what), Intent::Write) => format!("Therefore {what} changed:"),
        (Some(what), Intent::DryRun) => format!("Then {what} would change:"),
    })];
    for (key, change) in indirect.iter().take(CHANGES_MAX) {
        let kind = kind_in_words(ChangeKind::of(change));
        let kind = Line::plain(format!("  {kind:<KIND_COLUMNS$}"));
        lines.push(kind.and(Emphasis::Strong, printable(key)));
        lines.extend(indented(change, KIND_COLUMNS + 2));
    }
    if indirect.len() > CHANGES_MAX {
        let more = indirect.len() - CHANGES_MAX;
        lines.push(Line::plain(format!("  … and {more} more; --json lists all")));
    }
    for StatusChange { id, text, before, after, .. } in displaced.iter().take(CHANGES_MAX) {
        let (before, after) = (before.unwrap_or("new"), after.unwrap_or("gone"));
        let line = Line::plain(format!("  {before} → {after}  {}  ", shortened(text)));
        lines.push(line.and(Emphasis::Id, id.short()));
    }
    if displaced.len() > CHANGES_MAX {
        let more = displaced.len() - CHANGES_MAX;
        lines.push(Line::plain(format!("  … and {more} more; --json lists all")));
    }
    lines
}

fn kind_in_words(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::NoLongerBelieved => "no longer believed",
        ChangeKind::NowBelieved => "now believed",
        ChangeKind::Changed => "changed",
        ChangeKind::Surer => "surer",
        ChangeKind::LessSure => "less sure",
        ChangeKind::Validity => "other times",
    }
}

/// The belief before and now, in one or two lines.
fn difference(change: &Change) -> Vec<String> {
    let after = &change.after;
    let Some(before) = &change.before else { return vec![in_words(after)] };
    match ChangeKind::of(change) {
        ChangeKind::NoLongerBelieved => {
            vec![format!("{} — {}", in_words(before), why_not_believed(after))]
        }
        ChangeKind::Surer | ChangeKind::LessSure if before.text == after.text => {
            vec![format!("{}: {}", words(after, None), shift(before, after))]
        }
        ChangeKind::Changed if before.text == after.text => {
            let fields = fields(&before.payload, &after.payload);
            let sure = if before.confidence == after.confidence {
                sureness(after, None)
            } else {
                shift(before, after)
            };
            vec![format!("{}: {sure}; {}", words(after, None), shortened(&fields))]
        }
        ChangeKind::Validity => {
            vec![format!("{}{} (before{})", in_words(after), times(after), times(before))]
        }
        _ => vec![format!("was {}", in_words(before)), format!("now {}", in_words(after))],
    }
}

fn why_not_believed(after: &Belief) -> &'static str {
    match after.state {
        State::Refuted => "you refuted it",
        State::Retracted if after.deriver.is_some() && !is_in_words(after) => {
            "the records no longer support it"
        }
        State::Retracted => "it was taken back",
        _ => "what it was built from no longer holds",
    }
}

/// The difference between two payloads.
fn fields(before: &Value, after: &Value) -> String {
    let (Value::Object(old), Value::Object(new)) = (before, after) else {
        return format!("{before} → {after}");
    };
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let of = |fields: &serde_json::Map<String, Value>, name: &str| match fields.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => "nothing".to_owned(),
    };
    let differing = names.into_iter().filter(|name| old.get(*name) != new.get(*name));
    differing
        .map(|name| format!("{name} {} → {}", of(old, name), of(new, name)))
        .collect::<Vec<_>>()
        .join(", ")
}

/// A belief in one line: its statement and its confidence.
fn in_words(belief: &Belief) -> String {
    format!("{} ({})", words(belief, None), sureness(belief, None))
}

/// The confidence before and after, with more digits where two would not show the difference.
fn shift(before: &Belief, after: &Belief) -> String {
    let (was, is) = (sureness(before, None), sureness(after, None));
    if was == is {
        return format!("{was}, {:.4} → {:.4}", before.confidence, after.confidence);
    }
    format!("{was} → {is}")
}

fn times(belief: &Belief) -> String {
    let date = |word: &str, at: &Option<kernel::when::When>| {
        at.as_ref().map(|at| format!(", {word} {}", at.date())).unwrap_or_default()
    };
    let last = belief.last_seen.as_ref().filter(|_| belief.valid_to.is_none());
    date("since", &belief.valid_from)
        + &date("until", &belief.valid_to)
        + &date("last seen", &last.map(|last| last.at.clone()))
}
