//! The wording of beliefs and records, wherever they are shown.

use calendar::series::Occurrence;
use engine::belief::Belief;
use engine::belief::claims::band_of;
use engine::inspect::speaker;
use engine::owner::SpaceOwner;
use engine::recall::episodes::Recollection;
use engine::time_text::time_text;
use jiff::tz::TimeZone;
use kernel::confidence::percent;
use kernel::evidence::Evidence;
use kernel::validity::State;
use retrieval::text::shorten;

use crate::text::printable;

/// Longest text of a belief in a list, characters.
const TEXT_CHARS_MAX: usize = 160;

/// A belief's text, or its data if it has none; attributed if the space is somebody else's.
pub(crate) fn words(belief: &Belief, owner: Option<&SpaceOwner>) -> String {
    shortened(&attributed(text_of_belief(belief), owner))
}

/// The text of a belief, as what the owner of the space says if that is somebody else.
pub(crate) fn attributed(text: String, owner: Option<&SpaceOwner>) -> String {
    match owner {
        Some(owner) => owner.attribute(&text),
        None => text,
    }
}

/// What to tell who states or joins what is private only because something private is behind it.
/// None if nothing is.
pub(crate) fn private_by_grounds(number: usize) -> Option<String> {
    let what = match number {
        0 => return None,
        1 => "this stands on or joins something private, so it is private, too".to_owned(),
        _ => format!(
            "{number} of these stand on or join something private, so they are private, too"
        ),
    };
    Some(format!(
        "{what}: nobody else is shown it; to show it to others, cite and join only what is not private"
    ))
}

/// Who spoke the user's word in a space: you, or its owner.
pub(crate) fn person(owner: Option<&SpaceOwner>) -> &str {
    owner.map_or("you", SpaceOwner::name)
}

/// What is the person's: `your word`, or `Mara's word`.
pub(crate) fn word_of(owner: Option<&SpaceOwner>) -> String {
    match owner {
        Some(owner) => format!("{}'s word", owner.name()),
        None => "your word".to_owned(),
    }
}

/// The same without a length limit.
pub(crate) fn text_of_belief(belief: &Belief) -> String {
    if belief.text.is_empty() { belief.payload.to_string() } else { belief.text.clone() }
}

/// A text as a list shows it: one line of limited length.
pub(crate) fn shortened(text: &str) -> String {
    let line = printable(text).split_whitespace().collect::<Vec<_>>().join(" ");
    shorten(&line, TEXT_CHARS_MAX)
}

/// The confidence as a word and a number. A statement of the user, or of the owner of somebody
/// else's space, is certain.
pub(crate) fn sureness(belief: &Belief, owner: Option<&SpaceOwner>) -> String {
    match (belief.state, band_of(belief)) {
        (State::Corrected, _) => word_of(owner),
        (_, Some(band)) => format!("{} {}", band.as_str(), hundredths(belief.confidence)),
        (state, None) => state.as_str().to_owned(),
    }
}

/// A confidence with two digits, rounded down: 0.899 must not show as `0.90`, which is in another
/// band.
pub(crate) fn hundredths(confidence: f64) -> String {
    format!("{:.2}", percent(confidence) / 100.0)
}

/// Who said, wrote or made a record, in a space of one's own or of that owner.
pub(crate) fn speaker_in(evidence: &Evidence, owner: Option<&SpaceOwner>) -> Option<String> {
    match owner {
        Some(owner) => owner.speaker(evidence),
        None => speaker(evidence).map(str::to_owned),
    }
}

/// Who recorded what is recalled, if that is not the owner of the space: `quoted by NAME` for what
/// somebody else recorded as the user's words, else `recorded by NAME`.
pub(crate) fn signer_of(recollection: &Recollection) -> Option<String> {
    let name = recollection.recorded_by.as_deref()?;
    let is_quote = recollection.evidence.payload.role.as_deref() == Some("user");
    Some(format!("{} by {name}", if is_quote { "quoted" } else { "recorded" }))
}

/// When else a series happens: `also 2025-06-05; last 2025-05-29, next 2025-06-05`. None if it says
/// nothing that the record does not show.
pub(crate) fn other_times(recollection: &Recollection) -> Option<String> {
    let series = recollection.series.as_ref()?;
    let shown = recollection.evidence.at.as_ref();
    let day = |occurrence: &Occurrence| occurrence.at.date().to_string();
    let beside = |word: &str, occurrence: &Option<Occurrence>| {
        let other = occurrence.as_ref().filter(|other| Some(&other.at) != shown)?;
        Some(format!("{word} {}", day(other)))
    };
    let also: Vec<String> = series.also.iter().map(day).collect();
    let also = (!also.is_empty()).then(|| format!("also {}", also.join(", ")));
    let near: Vec<String> = [beside("last", &series.last), beside("next", &series.next)]
        .into_iter()
        .flatten()
        .collect();
    let near = (!near.is_empty()).then(|| near.join(", "));
    let parts: Vec<String> = [also, near].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// A record's text, with the descriptions of its images.
pub(crate) fn text_of(evidence: &Evidence) -> String {
    let mut text = evidence.said().to_owned();
    for caption in &evidence.payload.captions {
        text.push_str(&format!("\n[image: {caption}]"));
    }
    text
}

/// When a record's event happened.
pub(crate) fn time_of(evidence: &Evidence, zone: &TimeZone) -> Option<String> {
    Some(time_text(evidence.at.as_ref()?, zone))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_confidence_is_never_shown_as_one_of_the_next_band() {
        let shown = [0.696_474, 0.7, 0.29, 0.58, 0.899_999, 0.98, 1.0, 0.02].map(hundredths);
        assert_eq!(shown, ["0.69", "0.70", "0.29", "0.58", "0.89", "0.98", "1.00", "0.02"]);
    }
}
