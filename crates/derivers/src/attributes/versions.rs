//! Which version of a thing is used: "We use Node 18", "React is at 17.0.2".
//!
//! The name of the thing is the word or the few words before the number. A statement that a version
//! is used replaces nothing. One that says "upgraded", "bumped" or "now" replaces an earlier one of
//! the same name: "Bumped tokio to 1.42". A version that only a part uses, "in CI", "the laptop
//! runs …", is that part's. What a person uses, "I use …", "Ben's laptop runs …", is that person's.

use super::things::{from, is_not_yet, is_unsure, lower};
use super::{
    AttributeStatement, Clause, NOBODY, NOT_NAMED, Speaker, TIMES, VALUE_ENDS, is_proper, person,
    scope_of,
};
use crate::statements::{Break, Word};

/// Whose attribute a version is: that of any thing. A person's name follows it.
const SUBJECT: &str = "thing/version";
/// Most words of the name of a thing.
const NAME_WORDS_MAX: usize = 3;
/// Most parts of a version, between full stops.
const PARTS_MAX: usize = 3;
/// Most digits of a part of a version.
const DIGITS_MAX: usize = 5;

/// Verbs by which a version has changed.
const CHANGED: [&str; 8] =
    ["bumped", "downgraded", "migrated", "moved", "raised", "switched", "updated", "upgraded"];
/// Verbs and prepositions by which a version is used.
#[rustfmt::skip]
const USED: [&str; 13] = [
    "are", "at", "is", "on", "pin", "pinned", "require", "requires", "run", "runs", "use", "uses",
    "using",
];
/// Words beside the verb that are not part of a name.
#[rustfmt::skip]
const AUXILIARIES: [&str; 18] = [
    "already", "am", "are", "at", "back", "been", "currently", "finally", "got", "has", "have",
    "is", "just", "now", "on", "recently", "still", "was",
];
/// Who may say what all use.
const EVERYBODY: [&str; 8] = ["i", "i'm", "i've", "we", "we're", "we've", "team", "project"];
/// Words before a name.
const DETERMINERS: [&str; 6] = ["a", "all", "an", "my", "our", "the"];
/// Words of others' things.
const OF_OTHERS: [&str; 4] = ["her", "his", "their", "your"];
/// Ends of names that say what the value is.
const WHICH: [&str; 2] = ["release", "version"];
/// Ends of names whose value, after a colon, is a version although it may look like an amount.
const VERSIONED: [&str; 8] =
    ["compiler", "edition", "msrv", "release", "runtime", "sdk", "toolchain", "version"];

/// The version that a clause states.
pub(super) fn read(words: &[Word<'_>], speaker: Speaker<'_>) -> Option<AttributeStatement> {
    let is_else = |word: &Word<'_>| OF_OTHERS.contains(&word.lower.as_ref());
    if is_not_yet(words) || words.iter().any(is_else) {
        return None;
    }
    let is_value = |at: &usize| {
        let ends = words.get(at + 1).is_none_or(|next| {
            let next_word = next.lower.as_ref();
            next.before != Break::None
                || VALUE_ENDS.contains(&next_word)
                || matches!(next_word, "instead" | "lts" | "now" | "yesterday")
        });
        ends && lower(words, at - 1) != "from" && is_version(lower(words, *at))
    };
    let at = (1..words.len()).find(is_value)?;
    let head = words.get(..at)?;
    if words.get(at).is_some_and(|word| word.before == Break::Colon) {
        return labelled(words, at);
    }
    if words.get(at).is_none_or(|word| word.before != Break::None) {
        return None;
    }
    let lowers: Vec<&str> = head.iter().map(|word| word.lower.as_ref()).collect();
    let changed = lowers.iter().position(|word| CHANGED.contains(word));
    let pinned = || lowers.iter().position(|word| *word == "pinned");
    let used = || lowers.iter().position(|word| USED.contains(word));
    let verb = changed.or_else(pinned).or_else(used)?;
    let is_now = from(words, at).iter().any(|word| word.lower == "now")
        || head.iter().any(|word| word.lower == "now");
    let is_change = changed.is_some() || is_now;
    if is_unsure(words) && (is_change || is_denied(words)) {
        return None;
    }
    let (subject, rest) = (head.get(..verb)?, head.get(verb + 1..)?);
    let to = rest.iter().position(|word| word.lower == "to");
    let (object, target) = match to {
        Some(to) => (rest.get(..to)?, rest.get(to + 1..)?),
        None if changed.is_some() => return None,
        None => (rest.get(..0)?, rest),
    };
    // "From 17 to 18".
    let source = object.iter().position(|word| word.lower == "from").unwrap_or(object.len());
    let (subject, object, target) = (name(subject)?, name(object.get(..source)?)?, name(target)?);
    let (named, owner) = if !target.is_empty() {
        (&target, if object.is_empty() { &subject } else { &object })
    } else if !object.is_empty() {
        (&object, &subject)
    } else {
        (&subject, &target)
    };
    let statement = version(named, words, at)?;
    let is_own = lowers.contains(&"my") || owner.iter().any(|word| is_first_person(word));
    let owner = owner.iter().filter(|word| !EVERYBODY.contains(&word.lower.as_ref()));
    let owner: Vec<&Word<'_>> = owner.copied().collect();
    let length = if is_own { 0 } else { length_of_person(&owner) };
    let (named, part) = (joined(owner.get(..length)?), joined(owner.get(length..)?));
    let of_person = match named.as_str() {
        _ if is_own => Some(Clause { words, speaker }.first_person()?),
        "" => None,
        named => Some(person(named.trim_end_matches("'s"))),
    };
    let subject = of_person.map_or_else(|| SUBJECT.to_owned(), |who| format!("{SUBJECT}/{who}"));
    let scope = statement.scope.clone().or(Some(part).filter(|part| !part.is_empty()));
    Some(AttributeStatement { subject, is_change, scope, ..statement })
}

fn is_first_person(word: &Word<'_>) -> bool {
    matches!(word.lower.as_ref(), "i" | "i'm" | "i've")
}

/// How many words name a person at the beginning of an owner, "Ben", "Ben's laptop". What is
/// written in capitals, "CI", is nobody.
fn length_of_person(owner: &[&Word<'_>]) -> usize {
    let is_name = |word: &&&Word<'_>| {
        is_proper(word.text)
            && word.text.contains(char::is_lowercase)
            && !NOBODY.contains(&word.lower.as_ref())
    };
    let length = owner.iter().take_while(is_name).count();
    let possessor = owner.iter().take(length).position(|word| word.lower.ends_with("'s"));
    possessor.map_or(length, |at| at + 1)
}

fn joined(words: &[&Word<'_>]) -> String {
    words.iter().map(|word| word.lower.as_ref()).collect::<Vec<_>>().join(" ")
}

/// `Rust toolchain: 1.82`: a note of what is the case now.
fn labelled(words: &[Word<'_>], at: usize) -> Option<AttributeStatement> {
    let label = name(words.get(..at)?)?;
    let last = label.last()?.lower.as_ref();
    let is_whole = words.len() == at + 1;
    let is_versioned = VERSIONED.contains(&last) && (label.len() > 1 || last == "msrv");
    (is_whole && is_versioned)
        .then(|| version(&label, words, at))
        .flatten()
        .map(|statement| AttributeStatement { is_change: true, ..statement })
}

/// The version at `at` of a thing with this name.
fn version(name: &[&Word<'_>], words: &[Word<'_>], at: usize) -> Option<AttributeStatement> {
    let value = words.get(at)?;
    let (name, is_version) = match name {
        [name @ .., last] if !name.is_empty() && WHICH.contains(&last.lower.as_ref()) => {
            (name, true)
        }
        _ => (name, false),
    };
    // "Page 14" and "Track 3" are not versions: a whole number needs a proper name.
    let is_clear = value.lower.contains('.')
        || value.lower.starts_with('v')
        || is_version
        || name.iter().all(|word| word.text.contains(char::is_uppercase));
    let is_name = (1..=NAME_WORDS_MAX).contains(&name.len())
        && name.iter().all(|word| {
            word.lower.contains(char::is_alphabetic)
                && !NOT_NAMED.contains(&word.lower.as_ref())
                && !EVERYBODY.contains(&word.lower.as_ref())
                && !WHICH.contains(&word.lower.as_ref())
                && !TIMES.contains(&word.lower.as_ref())
        });
    let words_of_name = name.iter().map(|word| word.lower.trim_end_matches(".js"));
    let attribute = words_of_name.collect::<Vec<_>>().join(" ");
    let value = value.lower.trim_start_matches('v').to_owned();
    (is_clear && is_name).then(|| AttributeStatement {
        scope: scope_of(from(words, at + 1)),
        ..AttributeStatement::of(SUBJECT.to_owned(), attribute, value)
    })
}

/// The words of a name, without those around it; `None` if it is broken.
fn name<'s, 't>(words: &'s [Word<'t>]) -> Option<Vec<&'s Word<'t>>> {
    let is_broken = words.iter().skip(1).any(|word| word.before != Break::None);
    let is_part = |word: &&Word<'_>| {
        let lower = word.lower.as_ref();
        !AUXILIARIES.contains(&lower) && !DETERMINERS.contains(&lower)
    };
    (!is_broken).then(|| words.iter().filter(is_part).collect())
}

fn is_denied(words: &[Word<'_>]) -> bool {
    let is_denial = |word: &Word<'_>| matches!(word.lower.as_ref(), "no" | "not" | "never");
    words.iter().any(|word| is_denial(word) || word.lower.ends_with("n't"))
}

/// `18`, `v2.3.0`, `1.40`, `3.x`, `5.0-rc.1`; not a date or an address of a computer.
fn is_version(word: &str) -> bool {
    let word = word.strip_prefix('v').unwrap_or(word);
    let number = word.split_once('-').map_or(word, |(number, _)| number);
    let parts: Vec<&str> = number.split('.').collect();
    let is_number = |part: &str| {
        (1..=DIGITS_MAX).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    // "2026-05" is a month.
    let has_label = word.len() > number.len();
    let [first, rest @ ..] = parts.as_slice() else { return false };
    is_number(first)
        && parts.len() <= PARTS_MAX
        && rest.iter().all(|part| *part == "x" || is_number(part))
        && (!has_label || !rest.is_empty())
}

#[cfg(test)]
mod tests {
    use crate::attributes::tests::{replaced, replaces_by, unreplaced};
    use crate::attributes::{Speaker, attributes};

    #[test]
    fn a_version_that_changed_replaces_the_one_before() {
        let missed = unreplaced(&[
            ("We pinned tokio to 1.40", "Bumped tokio to 1.42"),
            ("We pinned tokio to 1.40", "We bumped tokio from 1.40 to 1.42."),
            ("Python is pinned to 3.10", "Python was bumped to 3.12"),
            ("The app requires iOS 15", "The app now requires iOS 17"),
            ("I use an iPhone 12", "I upgraded to iPhone 15"),
            ("We use Node 18", "We upgraded to Node 22"),
            ("We use Node 18", "We upgraded to Node 22 on Monday"),
            ("We use Node 18 and pnpm", "We now use Node 22"),
            ("We use Node 18.", "We are now on Node.js 22 LTS"),
            ("We are on Postgres 14", "Upgraded to Postgres 16"),
            ("We are on Postgres 16", "Downgraded to Postgres 15 because of a bug"),
            ("React is at 17.0.2", "React was upgraded to 18.3.1"),
            ("React is at 17.0.2", "We have upgraded React to 18.3.1"),
            ("React is at v17", "React is now at v18"),
            ("MSRV is 1.74", "MSRV raised to 1.80"),
            ("MSRV is 1.74", "The MSRV is now 1.80"),
            ("Rust toolchain: 1.78", "Rust toolchain: 1.82"),
            ("The Node version is 18", "The Node version is now 22"),
            ("We use Python 3.10 in CI", "CI now uses Python 3.12"),
            ("We use Python 3.10 in CI", "We upgraded to Python 3.12"),
            ("The backend runs on Node 18", "The backend was upgraded to Node 22"),
            ("My laptop runs Ubuntu 22.04", "I upgraded my laptop to Ubuntu 24.04"),
            ("We use Node 18 for the frontend", "We upgraded to Node 22 for the frontend"),
        ]);
        assert!(missed.is_empty(), "{missed:#?}");
    }

    #[test]
    fn another_version_a_plan_or_a_part_replaces_nothing() {
        let wrong = replaced(&[
            ("We pinned tokio to 1.40", "Bumped serde to 1.42"),
            ("We pinned tokio to 1.40", "We use tokio 1.42"),
            ("We pinned tokio to 1.40", "tokio is at 1.42"),
            ("We pinned tokio to 1.40", "Bumped tokio-util to 1.42"),
            ("We use Node 18", "We will upgrade to Node 22"),
            ("We use Node 18", "We should be upgraded to Node 22"),
            ("We use Node 18", "Have we upgraded to Node 22?"),
            ("We use Node 18", "If we upgraded to Node 22, the build would break"),
            ("We use Node 18", "We have not upgraded to Node 22"),
            ("We use Node 18", "We plan to be upgraded to Node 22 now"),
            ("We use Node 18", "In 2020 we upgraded to Node 14"),
            ("We use Node 18", "We upgraded to Node 14 in 2020"),
            ("We use Node 18", "We upgraded to Node 22 but rolled back"),
            ("We use Node 18", "Ben upgraded to Node 22"),
            ("We use Node 18", "Ben upgraded his laptop to Node 22"),
            ("We use Node 18", "We upgraded Node to 22 in staging"),
            ("We use Node 18", "We upgraded to Node 22 for students"),
            ("We use Node 18", "We upgraded to Node 22 on the test server"),
            ("We use Node 18", "I used Node 22"),
            ("We use Node 18", "We upgraded to Node 18"),
            ("We use Python 3.10 in CI", "We upgraded to Python 3.12 in production"),
            ("The backend runs on Node 18", "The frontend was upgraded to Node 22"),
            ("Rust toolchain: 1.78", "Node toolchain: 1.82"),
            ("Temperature: 36.6", "Temperature: 37.1"),
            ("Version: 1.2", "Version: 1.3"),
            ("Release: 2026-05-15", "Release: 2026-06-15"),
            ("Petra is on 3", "Petra went to 4"),
            ("We run 5 km", "We now run 10 km"),
            ("We are on page 14", "We moved to page 16"),
            ("We are on version 3.2", "The client was upgraded to version 3.4"),
            ("Release v2.3.0 is out", "Release v2.4.0 is now out"),
        ]);
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn a_version_that_somebody_uses_is_replaced_by_their_own_alone() {
        let wrong = replaced(&[
            ("Ben uses Python 3.10", "I upgraded to Python 3.12"),
            ("Ben uses Python 3.10", "We upgraded to Python 3.12"),
            ("Ben's laptop runs Ubuntu 22.04", "I upgraded to Ubuntu 24.04"),
            ("Ben's laptop runs Ubuntu 22.04", "I upgraded my laptop to Ubuntu 24.04"),
            ("I use Node 18", "We upgraded to Node 22"),
            ("I use Node 18", "Ben upgraded to Node 22"),
        ]);
        assert!(wrong.is_empty(), "{wrong:#?}");
        let missed = unreplaced(&[
            ("Ben uses Python 3.10", "Ben has upgraded to Python 3.12"),
            ("Ben's laptop runs Ubuntu 22.04", "Ben's laptop now runs Ubuntu 24.04"),
            ("My laptop runs Ubuntu 22.04", "My laptop now runs Ubuntu 24.04"),
            ("I use Node 18", "I upgraded to Node 22"),
        ]);
        assert!(missed.is_empty(), "{missed:#?}");
        let (ana, ben) = (Speaker::Person("Ana"), Speaker::Person("Ben"));
        let (before, after) = ("I use Node 18", "I upgraded to Node 22");
        assert!(!replaces_by((before, Speaker::Owner), (after, ana)));
        assert!(!replaces_by((before, ben), (after, Speaker::Program)));
        assert!(replaces_by((before, ana), (after, ana)));
        assert!(replaces_by((before, ben), ("Ben upgraded to Node 22", ana)));
        let (before, after) = ("My Node is at 18", "My Node was upgraded to 22");
        assert!(!replaces_by((before, ben), (after, ana)));
        assert!(replaces_by(("We use Node 18", ben), ("We upgraded to Node 22", ana)));
    }

    #[test]
    fn any_words_are_read() {
        for text in ["1", "v", "to 1", "is 1", ": 1", "upgraded to 1.", "from 1 to 2", "v- 1-"] {
            let _ = attributes(text, Speaker::Owner);
        }
    }
}
