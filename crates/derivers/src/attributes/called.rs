//! What a thing is called: "The project is called Falcon", "The project has been renamed Osprey".

use super::status;
use super::things::{from, is_not_yet, is_unsure, lower};
use super::{AttributeStatement, Clause, NO_VALUES, Speaker, VALUE_ENDS, is_proper, scope_of};
use crate::statements::{Break, Word};

/// Most words of what a thing is called.
const CALLED_WORDS_MAX: usize = 3;
/// Words after a name by which only some use it.
const PARTLY: [&str; 6] =
    ["externally", "informally", "internally", "locally", "publicly", "unofficially"];
/// Words after "renamed" before the new name.
const TO: [&str; 3] = ["as", "into", "to"];
/// Words before "renamed" by which it has happened.
const AUXILIARIES: [&str; 7] = ["been", "got", "has", "is", "just", "now", "was"];

/// The name that a clause states or changes.
pub(super) fn read(words: &[Word<'_>], speaker: Speaker<'_>) -> Option<AttributeStatement> {
    let verb = words
        .iter()
        .position(|word| matches!(word.lower.as_ref(), "called" | "named" | "renamed"))?;
    let is_renamed = lower(words, verb) == "renamed";
    let is_by_somebody = verb == 0 || verb == 1 && matches!(lower(words, 0), "i" | "we" | "they");
    if is_unsure(words) || is_not_yet(words) {
        return None;
    }
    if is_renamed && is_by_somebody {
        let rest = from(words, verb + 1);
        let to = rest.iter().position(|word| TO.contains(&word.lower.as_ref()))?;
        let object = rest.get(..to)?;
        let end = object.iter().position(|word| word.lower == "from").unwrap_or(to);
        let thing = Clause { words: object.get(..end)?, speaker };
        return named(thing, from(rest, to + 1), (true, true));
    }
    let mut end = verb;
    while end > 0 && AUXILIARIES.contains(&lower(words, end - 1)) {
        end -= 1;
    }
    let auxiliaries = words.get(end..verb)?;
    let is = auxiliaries.first()?.lower.as_ref();
    let is_now = auxiliaries.iter().any(|word| word.lower == "now");
    if !is_renamed && is != "is" || is == "just" {
        return None;
    }
    let to = usize::from(is_renamed && TO.contains(&lower(words, verb + 1)));
    let thing = Clause { words: words.get(..end)?, speaker };
    named(thing, from(words, verb + 1 + to), (is_renamed || is_now, is_renamed))
}

fn named(
    thing: Clause<'_, '_, '_>,
    called: &[Word<'_>],
    (is_change, is_renamed): (bool, bool),
) -> Option<AttributeStatement> {
    let name = status::name(thing.words)?;
    let is_end = |word: &Word<'_>| {
        word.before != Break::None
            || VALUE_ENDS.contains(&word.lower.as_ref())
            || matches!(word.lower.as_ref(), "now" | "instead")
            || word.text.ends_with("ly") && !is_proper(word.text)
    };
    let end = called.iter().skip(1).position(is_end).map_or(called.len(), |at| at + 1);
    let after = from(called, end);
    // "Called Osprey internally", "called Osprey by its users": others may call it as before.
    let is_by = !is_renamed && lower(after, 0) == "by";
    let is_change = is_change && !is_by && !PARTLY.contains(&lower(after, 0));
    let called: Vec<&str> = called.iter().take(end).map(|word| word.text).collect();
    let is_name = (1..=CALLED_WORDS_MAX).contains(&called.len())
        && called.first().is_some_and(|first| {
            let first = first.to_lowercase();
            first != "off"
                && !NO_VALUES.contains(&first.as_str())
                && !VALUE_ENDS.contains(&first.as_str())
        });
    let subject = format!("{}name", status::SUBJECT);
    let statement = AttributeStatement {
        is_change,
        scope: scope_of(after),
        ..AttributeStatement::of(subject, name, called.join(" "))
    };
    if is_name { status::of_whom(statement, thing) } else { None }
}

#[cfg(test)]
mod tests {
    use crate::attributes::tests::{replaced, replaces_by, unreplaced};
    use crate::attributes::{Speaker, attributes};

    #[test]
    fn a_thing_that_was_renamed_has_its_new_name() {
        let missed = unreplaced(&[
            ("The project is called Falcon", "The project has been renamed Osprey"),
            ("The project is called Falcon", "We renamed the project from Falcon to Osprey"),
            ("The project is called Falcon", "The project is now called Osprey"),
            ("Main branch is called master", "Main branch was renamed to main"),
            ("The project is called Falcon", "The project was renamed Osprey by Ben"),
            ("The project is called Falcon", "We renamed the project to Osprey recently"),
            ("The project is now called Falcon internally", "The project is now called Osprey"),
        ]);
        assert!(missed.is_empty(), "{missed:#?}");
    }

    #[test]
    fn another_name_or_a_plan_replaces_nothing() {
        let wrong = replaced(&[
            ("The project is called Falcon", "The product has been renamed Osprey"),
            ("The project is called Falcon", "The project was called Osprey"),
            ("The project is called Falcon", "The project is called Osprey"),
            ("The project is called Falcon", "The project should be renamed Osprey"),
            ("The project is called Falcon", "The project will be renamed Osprey"),
            ("The project is called Falcon", "The side project has been renamed Osprey"),
            ("The project is called Falcon", "Has the project been renamed Osprey?"),
            ("The project is called Falcon", "In 2010 the project was renamed Osprey"),
            ("The project is called Falcon", "The project is now called off"),
            ("The project is called Falcon", "The project is now called Osprey internally"),
            ("The project is called Falcon", "The project is now called Osprey by its users"),
            ("The project is called Falcon", "The project is now called Osprey in the docs"),
        ]);
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn what_is_mine_is_of_the_speaker_alone() {
        let (ana, ben) = (Speaker::Person("Ana"), Speaker::Person("Ben"));
        for (before, after) in [
            ("My dog is called Rex", "My dog is now called Max"),
            ("My boat is called Iris", "I renamed my boat to Nora"),
        ] {
            assert!(replaces_by((before, ana), (after, ana)), "{before:?}");
            assert!(!replaces_by((before, ana), (after, ben)), "{before:?}");
            assert!(!replaces_by((before, ana), (after, Speaker::Owner)), "{before:?}");
        }
        let (before, after) = ("The project is called Falcon", "We renamed the project to Osprey");
        assert!(replaces_by((before, ana), (after, ben)));
    }

    #[test]
    fn any_words_are_read() {
        for text in ["called", "is called", "the is called on", "renamed to", "renamed from to"] {
            let _ = attributes(text, Speaker::Owner);
        }
    }
}
