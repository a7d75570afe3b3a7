//! What became of beliefs: "you corrected X, therefore Y and Z changed".
//!
//! Every command that speaks for the user prints this, and `what-if` prints the same before it is
//! done.

use std::collections::BTreeSet;

use engine::Space;
use engine::belief::Belief;
use engine::belief::claims::band_of;
use engine::inspect::summary;
use engine::write::commit::{Change, Changes};
use engine::write::import::Intent;
use kernel::id::OpId;
use kernel::operation::Role;
use kernel::seal::Draft;
use kernel::validity::State;
use serde_json::{Value, json};

use super::Session;
use crate::failure::Failure;
use crate::output::{self, BOLD, DIM, Form, ID, count, printable, short};

/// Changes that are printed for people; JSON has all.
const PRINTED_MAX: usize = 40;
/// Longest words of a belief in a list, characters.
const TEXT_CHARS_MAX: usize = 160;

/// What the user said of something.
pub(crate) struct Said {
    /// What was done: `corrected`, `refuted` …
    pub(crate) verb: &'static str,
    /// Of what: an identity key, or the id of a record.
    pub(crate) of: Of,
}

/// What the user spoke of.
pub(crate) enum Of {
    Belief(String),
    Record { id: OpId, summary: String },
    Records { count: usize, which: String },
}

impl Said {
    pub(crate) fn of_records(verb: &'static str, count: usize, which: String) -> Self {
        Self { verb, of: Of::Records { count, which } }
    }

    pub(crate) fn of_belief(verb: &'static str, key: &str) -> Self {
        Self { verb, of: Of::Belief(key.to_owned()) }
    }

    /// What each of `drafts` takes back.
    pub(crate) fn of_targets(
        verb: &'static str,
        space: &Space,
        drafts: &[Draft],
    ) -> Result<Vec<Self>, Failure> {
        let cited = drafts
            .iter()
            .flat_map(|draft| &draft.refs)
            .filter(|cited| cited.role.as_str() == Role::TARGET);
        cited
            .map(|cited| {
                let summary = summary(&space.show(&cited.id)?.operation);
                Ok(Self { verb, of: Of::Record { id: cited.id, summary } })
            })
            .collect()
    }

    fn key(&self) -> Option<&str> {
        match &self.of {
            Of::Belief(key) => Some(key),
            Of::Record { .. } | Of::Records { .. } => None,
        }
    }

    fn name(&self) -> String {
        match &self.of {
            Of::Belief(key) => printable(key),
            Of::Record { id, .. } => short(id),
            Of::Records { count: number, which } => {
                format!("{} {}", count(*number as u64, "record"), printable(which))
            }
        }
    }
}

/// In which way something is believed differently.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Gone,
    New,
    Changed,
    Surer,
    LessSure,
    OtherTimes,
}

impl Way {
    fn of(change: &Change) -> Self {
        let Some(before) = &change.before else { return Self::New };
        let after = &change.after;
        if after.served.is_none() {
            Self::Gone
        } else if before.payload != after.payload {
            Self::Changed
        } else if before.confidence < after.confidence {
            Self::Surer
        } else if before.confidence > after.confidence {
            Self::LessSure
        } else {
            Self::OtherTimes
        }
    }

    fn code(self) -> &'static str {
        match self {
            Self::Gone => "no_longer_believed",
            Self::New => "now_believed",
            Self::Changed => "changed",
            Self::Surer => "surer",
            Self::LessSure => "less_sure",
            Self::OtherTimes => "validity",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Gone => "no longer believed",
            Self::New => "now believed",
            Self::Changed => "changed",
            Self::Surer => "surer",
            Self::LessSure => "less sure",
            Self::OtherTimes => "other times",
        }
    }
}

/// Prints what was said and what follows.
pub(crate) fn print(
    session: &Session,
    said: &[Said],
    changes: &Changes,
    intent: Intent,
) -> Result<(), Failure> {
    match session.form {
        Form::Json => output::json(&to_json(said, changes, intent)),
        Form::Text => to_lines(said, changes, intent).iter().try_for_each(output::line),
    }
}

/// The same as JSON.
pub(crate) fn to_json(said: &[Said], changes: &Changes, intent: Intent) -> Value {
    let spoken: Vec<Value> = said
        .iter()
        .map(|said| match &said.of {
            Of::Belief(key) => json!({ "verb": said.verb, "key": key }),
            Of::Record { id, .. } => json!({ "verb": said.verb, "target": id }),
            Of::Records { count, which } => {
                json!({ "verb": said.verb, "records": count, "which": which })
            }
        })
        .collect();
    let direct: BTreeSet<&str> = said.iter().filter_map(Said::key).collect();
    let changed: Vec<Value> =
        changes.beliefs.iter().map(|(key, change)| change_to_json(key, change, &direct)).collect();
    json!({
        "dry_run": intent == Intent::DryRun,
        "said": spoken,
        "masked": changes.masked,
        "recorded": if intent == Intent::Write { changes.recorded.as_slice() } else { &[] },
        "changes": changed,
        "derived": changes.derived,
    })
}

fn change_to_json(key: &str, change: &Change, direct: &BTreeSet<&str>) -> Value {
    json!({
        "key": key,
        "change": Way::of(change).code(),
        "direct": direct.contains(key),
        "before": change.before.as_ref().map(brief_json),
        "after": brief_json(&change.after),
        "cause": change.cause,
    })
}

fn brief_json(belief: &Belief) -> Value {
    json!({
        "state": belief.state.as_str(),
        "op_id": belief.served,
        "text": belief.text,
        "payload": belief.payload,
        "confidence": belief.confidence,
        "band": band_of(belief),
        "valid_from": belief.valid_from,
        "valid_to": belief.valid_to,
    })
}

/// The same in words, a line each.
pub(crate) fn to_lines(said: &[Said], changes: &Changes, intent: Intent) -> Vec<String> {
    let mut lines = Vec::new();
    for (place, said) in said.iter().enumerate() {
        tell_said(said, changes.recorded.get(place), changes, intent, &mut lines);
    }
    let was = if intent == Intent::Write { "was" } else { "would be" };
    lines.extend(changes.masked.iter().map(|kind| format!("  a secret {was} masked: {kind}")));
    tell_therefore(said, changes, intent, &mut lines);
    if changes.derived.reviews > 0 {
        let reviews = count(changes.derived.reviews, "review");
        lines.push(match intent {
            Intent::Write => format!("{reviews} for you to decide: because review list"),
            Intent::DryRun => format!("{reviews} would be left for you to decide"),
        });
    }
    if intent == Intent::DryRun {
        lines.push(format!("{DIM}Nothing was written.{DIM:#}"));
    }
    lines
}

/// What was said, and what became of what it was said about.
fn tell_said(
    said: &Said,
    recorded: Option<&OpId>,
    changes: &Changes,
    intent: Intent,
    lines: &mut Vec<String>,
) {
    let name = said.name();
    lines.push(match intent {
        Intent::Write => {
            let id = recorded.map(short).unwrap_or_default();
            format!("You {} {BOLD}{name}{BOLD:#}  {ID}{id}{ID:#}", said.verb)
        }
        Intent::DryRun => format!("If you {} {BOLD}{name}{BOLD:#}", said.verb),
    });
    match &said.of {
        Of::Record { summary, .. } => lines.push(format!("  {}", shortened(summary))),
        Of::Records { .. } => {}
        Of::Belief(key) => match changes.beliefs.get(key) {
            Some(change) => lines.extend(difference(change).iter().map(|line| format!("  {line}"))),
            None => lines.push(format!("  {DIM}what is believed of it stays as it was{DIM:#}")),
        },
    }
}

/// What else is believed otherwise because of it.
fn tell_therefore(said: &[Said], changes: &Changes, intent: Intent, lines: &mut Vec<String>) {
    let direct: BTreeSet<&str> = said.iter().filter_map(Said::key).collect();
    let rest: Vec<(&String, &Change)> =
        changes.beliefs.iter().filter(|(key, _)| !direct.contains(key.as_str())).collect();
    lines.push(match (rest.is_empty(), intent) {
        (true, Intent::Write) => "Nothing else changed.".to_owned(),
        (true, Intent::DryRun) => "Nothing else would change.".to_owned(),
        (false, Intent::Write) => format!("Therefore {}:", changed_beliefs(rest.len(), "changed")),
        (false, Intent::DryRun) => format!("Then {}:", changed_beliefs(rest.len(), "would change")),
    });
    for (key, change) in rest.iter().take(PRINTED_MAX) {
        let way = Way::of(change).words();
        lines.push(format!("  {way:<19}{BOLD}{}{BOLD:#}", printable(key)));
        lines.extend(difference(change).iter().map(|line| format!("  {:<19}{line}", "")));
    }
    if rest.len() > PRINTED_MAX {
        lines.push(format!("  … and {} more; --json has them all", rest.len() - PRINTED_MAX));
    }
}

fn changed_beliefs(number: usize, verb: &str) -> String {
    format!("{} {verb}", count(number as u64, "belief"))
}

/// What was believed and what is now, in one line or two.
fn difference(change: &Change) -> Vec<String> {
    let after = &change.after;
    let Some(before) = &change.before else { return vec![in_words(after)] };
    match Way::of(change) {
        Way::Gone => {
            let why = match after.state {
                State::Refuted => "you say that it is false",
                State::Retracted if after.deriver.is_some() => "the records do not say so any more",
                State::Retracted => "it was taken back",
                _ => "what it was built from does not hold any more",
            };
            vec![format!("{} — {why}", in_words(before))]
        }
        Way::Surer | Way::LessSure if before.text == after.text => {
            vec![format!("{}: {}", words(after), shift(before, after))]
        }
        Way::Changed if before.text == after.text => {
            let fields = fields(&before.payload, &after.payload);
            let sure = if before.confidence == after.confidence {
                sureness(after)
            } else {
                shift(before, after)
            };
            vec![format!("{}: {sure}; {}", words(after), shortened(&fields))]
        }
        Way::OtherTimes => {
            vec![format!("{}{} (before{})", in_words(after), times(after), times(before))]
        }
        Way::New | Way::Changed | Way::Surer | Way::LessSure => {
            vec![format!("was {}", in_words(before)), format!("now {}", in_words(after))]
        }
    }
}

/// What differs between two payloads.
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

/// A belief in one line: what it says and how sure.
fn in_words(belief: &Belief) -> String {
    format!("{} ({})", words(belief), sureness(belief))
}

/// What a belief says; its data, where it has no words.
pub(crate) fn words(belief: &Belief) -> String {
    let text =
        if belief.text.is_empty() { belief.payload.to_string() } else { belief.text.clone() };
    shortened(&text)
}

/// A text as a list shows it: one line of limited length.
pub(crate) fn shortened(text: &str) -> String {
    let mut line: String = printable(text).split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((at, _)) = line.char_indices().nth(TEXT_CHARS_MAX) {
        line.truncate(at);
        line.push('…');
    }
    line
}

/// How sure, in words and as a number; the user's word is certain.
pub(crate) fn sureness(belief: &Belief) -> String {
    match (belief.state, band_of(belief)) {
        (State::Corrected, _) => "your word".to_owned(),
        (_, Some(band)) => format!("{} {}", band.as_str(), hundredths(belief.confidence)),
        (state, None) => state.as_str().to_owned(),
    }
}

/// A confidence in two digits, rounded down: 0.899 is no `0.90`, which would be of another band.
pub(crate) fn hundredths(confidence: f64) -> String {
    // Confidences are whole millionths; without half of one more, 0.29 would show as 0.28, since
    // 0.29 × 100 is a little below 29.
    const HALF_A_MILLIONTH: f64 = 0.000_000_5;
    format!("{:.2}", ((confidence + HALF_A_MILLIONTH) * 100.0).floor() / 100.0)
}

/// How sure before and after; with more digits where two would not tell them apart.
fn shift(before: &Belief, after: &Belief) -> String {
    let (was, is) = (sureness(before), sureness(after));
    if was == is {
        return format!("{was}, {:.4} → {:.4}", before.confidence, after.confidence);
    }
    format!("{was} → {is}")
}

fn times(belief: &Belief) -> String {
    let from = belief
        .valid_from
        .as_ref()
        .map(|from| format!(", since {}", from.date()))
        .unwrap_or_default();
    let to =
        belief.valid_to.as_ref().map(|to| format!(", until {}", to.date())).unwrap_or_default();
    format!("{from}{to}")
}

#[cfg(test)]
mod tests {
    use super::hundredths;

    #[test]
    fn a_confidence_is_never_shown_as_one_of_the_next_band() {
        let shown = [0.696_474, 0.7, 0.29, 0.58, 0.899_999, 0.98, 1.0, 0.02].map(hundredths);
        assert_eq!(shown, ["0.69", "0.70", "0.29", "0.58", "0.89", "0.98", "1.00", "0.02"]);
    }
}
