//! Series as recall shows them: the occurrence that was asked for, or the last and the next one.

use calendar::series::{Occurrence, Series};
use calendar::words::span;
use jiff::civil::Date;
use kernel::evidence::{Evidence, EvidenceKind, summarize};
use kernel::when::When;
use retrieval::question::Question;
use retrieval::question::dates::{DateMention, Precision};

/// Most occurrences that are named beside the one that stands for a series.
const OTHERS_MAX: usize = 10;

/// What a series says beside the record that stands for it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct SeriesSeen {
    /// When it happens, in words.
    pub rule: String,
    /// Further occurrences in the time that the question names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Occurrence>,
    /// The last occurrence before the asker's day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Occurrence>,
    /// The next one, on the asker's day or later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Occurrence>,
}

/// Shows a record at the occurrence that stands for it. None if it is not a series.
pub(super) fn see(
    evidence: &mut Evidence,
    occurrence: Option<Occurrence>,
    question: &Question,
    today: Option<Date>,
) -> Option<SeriesSeen> {
    let series = Series::of(evidence)?;
    let also = match &occurrence {
        Some(shown) => others(&series, shown, question),
        None => Vec::new(),
    };
    let rule = series.in_short();
    let seen = SeriesSeen {
        rule: match evidence.kind.0.as_str() {
            EvidenceKind::CANCELLATION => format!("cancelled ({rule})"),
            _ => rule,
        },
        also,
        last: today.and_then(|today| series.last_until(today.yesterday().ok()?)),
        next: today.and_then(|today| series.next_from(today)),
    };
    if let Some(occurrence) = occurrence {
        evidence.summary = summarize(&in_line(evidence, &occurrence.at, occurrence.end.as_ref()));
        evidence.at = Some(occurrence.at);
        evidence.payload.end = occurrence.end;
    }
    Some(seen)
}

/// The occurrences beside the one that is shown, in a question for days or weeks.
fn others(series: &Series, shown: &Occurrence, question: &Question) -> Vec<Occurrence> {
    let mut others: Vec<Occurrence> = Vec::new();
    for mention in &question.dates {
        let (DateMention::Window { precision, .. } | DateMention::EveryYear { precision, .. }) =
            mention;
        let window = mention.window(shown.at.date()).filter(|_| *precision <= Precision::Week);
        if let Some((first, last)) = window {
            others.extend(series.between(first, last, OTHERS_MAX + 1));
        }
    }
    others.retain(|other| other != shown);
    others.sort_by_key(|other| other.at.instant_us());
    others.dedup();
    others.truncate(OTHERS_MAX);
    others
}

/// What an event or a cancellation with a title is, when and where: `Gym, Tue 2025-05-27
/// 07:00–08:00, Fitness First`. None if it is a series or something else, or has no time.
pub fn event_in_line(evidence: &Evidence) -> Option<String> {
    let is_event =
        matches!(evidence.kind.0.as_str(), EvidenceKind::EVENT | EvidenceKind::CANCELLATION);
    let has_title = evidence.payload.title.as_ref().is_some_and(|title| !title.is_empty());
    let at = evidence.at.as_ref().filter(|_| is_event && has_title && !Series::is_in(evidence))?;
    Some(in_line(evidence, at, evidence.payload.end.as_ref()))
}

fn in_line(evidence: &Evidence, at: &When, end: Option<&When>) -> String {
    let payload = &evidence.payload;
    let title = payload.title.as_deref().unwrap_or("Event without a title");
    let cancelled = if evidence.kind.0 == EvidenceKind::EVENT { "" } else { "Cancelled: " };
    let label = payload.location.as_ref().and_then(|location| location.label.as_deref());
    let place = label.map(|label| format!(", {label}")).unwrap_or_default();
    format!("{cancelled}{title}, {}{place}", span(at, end))
}
