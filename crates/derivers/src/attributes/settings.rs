//! What a setting is set to: "`REQUEST_TIMEOUT=30`", "Set request_timeout to 60s".
//!
//! A setting is named by one word that is written as in a program: with an underscore, or in
//! capitals before "=". An assignment and "set to" say what the value is from then on, and so
//! replace an earlier one. An assignment is of one program, so that it replaces, and is replaced
//! by, what the same speaker says alone.

use super::things::{from, is_not_yet, is_unsure, lower};
use super::{AttributeStatement, Clause, Speaker};
use crate::statements::{Break, Word};

/// Whose attribute a setting is: that of any thing.
const SUBJECT: &str = "thing/setting";
/// Longest name of a setting, bytes.
const NAME_BYTES_MAX: usize = 64;
/// Longest value of a setting, bytes.
const VALUE_BYTES_MAX: usize = 64;

/// Verbs by which a setting gets a value.
#[rustfmt::skip]
const SET: [&str; 9] = [
    "bumped", "changed", "decreased", "increased", "lowered", "raised", "reduced", "set", "updated",
];
/// Words between a setting and the verb.
const AUXILIARIES: [&str; 7] = ["been", "got", "has", "is", "just", "now", "was"];

/// The settings of a text that has nothing but assignments: an example within other words, or in a
/// program, sets nothing.
pub(super) fn assignments(text: &str, speaker: Speaker<'_>) -> Vec<AttributeStatement> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let of_speaker = |line| own(&assigned(line)?, speaker);
    lines.map(of_speaker).collect::<Option<_>>().unwrap_or_default()
}

/// The same setting, of the speaker alone.
fn own(setting: &AttributeStatement, speaker: Speaker<'_>) -> Option<AttributeStatement> {
    let who = Clause { words: &[], speaker }.first_person()?;
    let subject = format!("{}/{who}", setting.subject);
    Some(AttributeStatement { subject, ..setting.clone() })
}

/// The setting in a line that is one assignment: `REQUEST_TIMEOUT=30`, `export PORT=8080`.
fn assigned(line: &str) -> Option<AttributeStatement> {
    let line = line.trim_matches('`');
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let value = value.trim_end_matches('.').trim_matches(['"', '\'']);
    let is_capital = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let is_name = name.len() > 2
        && name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.bytes().all(is_capital);
    let is_value = !value.is_empty()
        && value.len() <= VALUE_BYTES_MAX
        && !value
            .contains(|letter: char| letter.is_whitespace() || matches!(letter, '=' | '$' | '('));
    (is_name && is_value).then(|| setting(name, value, true)).flatten()
}

/// The setting in a clause, of all and of the speaker.
pub(super) fn read(words: &[Word<'_>], speaker: Speaker<'_>) -> Vec<AttributeStatement> {
    let of_all = stated(words);
    let of_speaker = of_all.as_ref().and_then(|setting| own(setting, speaker));
    of_all.into_iter().chain(of_speaker).collect()
}

/// `REQUEST_TIMEOUT is 30s`, `We set REQUEST_TIMEOUT to 60s`.
fn stated(words: &[Word<'_>]) -> Option<AttributeStatement> {
    let at = words.iter().position(|word| is_name(word.text))?;
    let name = words.get(at)?.text;
    if is_unsure(words) || is_not_yet(words) {
        return None;
    }
    let value = |at: usize| {
        let value = words.get(at)?;
        let ends = words.get(at + 1).is_none_or(|next| {
            next.before != Break::None
                || matches!(next.lower.as_ref(), "and" | "because" | "now" | "since" | "so")
        });
        let is_value = value.text.starts_with(|first: char| first.is_ascii_digit())
            || matches!(value.lower.as_ref(), "true" | "false" | "on" | "off")
            || is_name(value.text);
        (is_value && ends && value.before == Break::None).then_some(value.text)
    };
    // "Set X to", "We raised X from 30 to".
    let is_set_before = at
        .checked_sub(1)
        .is_some_and(|verb| SET.contains(&lower(words, verb)) && is_done(words, verb));
    let mut next = at + 1;
    while AUXILIARIES.contains(&lower(words, next)) {
        next += 1;
    }
    let is_set_after = SET.contains(&lower(words, next));
    if is_set_before || is_set_after {
        let rest = from(words, next);
        let to = next + rest.iter().take(4).position(|word| word.lower == "to")?;
        return setting(name, value(to + 1)?, true);
    }
    let is_now = (at..next).any(|at| lower(words, at) == "now")
        || words.last().is_some_and(|word| word.lower == "now");
    let is_present = (at..next).any(|at| lower(words, at) == "is");
    is_present.then(|| setting(name, value(next)?, is_now)).flatten()
}

/// Whether a verb before the name of a setting tells what somebody did: "Set X", "We set X".
fn is_done(words: &[Word<'_>], verb: usize) -> bool {
    (0..verb).all(|at| matches!(lower(words, at), "i" | "i've" | "we" | "we've" | "have" | "just"))
}

fn is_name(word: &str) -> bool {
    let has_underscore = word.trim_matches('_').contains('_');
    has_underscore
        && word.len() <= NAME_BYTES_MAX
        && word.starts_with(|first: char| first.is_ascii_alphabetic())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn setting(name: &str, value: &str, is_change: bool) -> Option<AttributeStatement> {
    (name.len() <= NAME_BYTES_MAX).then(|| AttributeStatement {
        is_change,
        ..AttributeStatement::of(SUBJECT.to_owned(), name.to_lowercase(), value.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use crate::attributes::tests::{replaced, replaces_by, unreplaced};
    use crate::attributes::{Speaker, attributes};

    #[test]
    fn a_setting_that_was_set_replaces_its_value_before() {
        let missed = unreplaced(&[
            ("REQUEST_TIMEOUT=30", "REQUEST_TIMEOUT=60"),
            ("LOG_LEVEL=info\nREQUEST_TIMEOUT=30", "LOG_LEVEL=info\nREQUEST_TIMEOUT=60"),
            ("PORT=8080", "export PORT=\"9090\""),
            ("REQUEST_TIMEOUT=30", "REQUEST_TIMEOUT is now 60"),
            ("REQUEST_TIMEOUT is 30s", "Set REQUEST_TIMEOUT to 60s"),
            ("REQUEST_TIMEOUT is 30s", "We raised `request_timeout` from 30s to 60s"),
            ("REQUEST_TIMEOUT is set to 30s", "REQUEST_TIMEOUT was raised to 60s"),
            ("LOG_JSON is false", "LOG_JSON is true now"),
            ("The API listens on port 8080", "Changed the API port to 9090"),
            ("The API listens on port 8080", "The API now listens on port 9090"),
        ]);
        assert!(missed.is_empty(), "{missed:#?}");
    }

    #[test]
    fn another_setting_or_one_that_is_not_set_replaces_nothing() {
        let wrong = replaced(&[
            ("REQUEST_TIMEOUT=30", "CONNECT_TIMEOUT=60"),
            ("REQUEST_TIMEOUT=30", "REQUEST_TIMEOUT=30"),
            ("REQUEST_TIMEOUT=30", "TIMEOUT=60"),
            ("REQUEST_TIMEOUT=30", "REQUEST_TIMEOUT is 60"),
            ("REQUEST_TIMEOUT=30", "For example:\nREQUEST_TIMEOUT=60"),
            ("REQUEST_TIMEOUT=30", "REQUEST_TIMEOUT = read(\"timeout\")"),
            ("REQUEST_TIMEOUT=30", "if REQUEST_TIMEOUT == 60"),
            ("REQUEST_TIMEOUT=30", "Should we set REQUEST_TIMEOUT to 60?"),
            ("REQUEST_TIMEOUT=30", "We will set REQUEST_TIMEOUT to 60"),
            ("REQUEST_TIMEOUT=30", "REQUEST_TIMEOUT should be set to 60"),
            ("REQUEST_TIMEOUT=30", "Never set REQUEST_TIMEOUT to 60"),
            ("REQUEST_TIMEOUT=30", "In 2020 we set REQUEST_TIMEOUT to 60"),
            ("REQUEST_TIMEOUT=30", "In staging we set REQUEST_TIMEOUT to 60"),
            ("REQUEST_TIMEOUT=30", "We set REQUEST_TIMEOUT to 60 in staging"),
            ("REQUEST_TIMEOUT=30", "Ben set REQUEST_TIMEOUT to 60"),
            ("x=1", "x=2"),
            ("The API listens on port 8080", "Changed the admin port to 9090"),
            ("The API listens on port 8080", "The proxy now listens on port 9090"),
            ("The API listens on port 8080", "We should change the API port to 9090"),
        ]);
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn an_assignment_is_of_the_speaker_alone() {
        let (ana, ben) = (Speaker::Person("Ana"), Speaker::Person("Ben"));
        for (before, after) in [
            ("PORT=8080", "PORT=3000"),
            ("LOG_LEVEL=info", "LOG_LEVEL=debug"),
            ("REQUEST_TIMEOUT=30", "We set REQUEST_TIMEOUT to 60"),
            ("REQUEST_TIMEOUT is 30", "REQUEST_TIMEOUT=60"),
        ] {
            assert!(replaces_by((before, ana), (after, ana)), "{before:?}");
            assert!(!replaces_by((before, ana), (after, ben)), "{before:?}");
        }
        let (before, after) = ("REQUEST_TIMEOUT is 30", "We set REQUEST_TIMEOUT to 60");
        assert!(replaces_by((before, ana), (after, ben)));
    }

    #[test]
    fn any_words_are_read() {
        for text in ["=", "A=", "=1", "AAA==", "`", "``=", "a_b", "a_b is", "set a_b to", "to a_b"]
        {
            let _ = attributes(text, Speaker::Owner);
        }
    }
}
