//! The status of one thing, in words of which only one holds at a time: open or closed, up or down,
//! single or married.
//!
//! "OPS-17 is open" and "OPS-17 is closed" cannot both hold, so the later replaces the earlier
//! without a word of change. There are more words for tickets: one is over (closed, done, merged)
//! or not (open, blocked, in review). Words of the same side can both hold, and replace nothing.
//! Only the very same name means the same thing, and "my" thing is the speaker's. A status with
//! more words after it ("closed on Mondays") replaces nothing.

use super::things::{from, is_not_yet, is_unsure, lower};
use super::{AttributeStatement, Clause, NOT_NAMED, Speaker, TIMES, is_proper, is_year};
use crate::statements::{Break, Word};

/// How the subject begins of what holds for a thing of the very same name.
pub(super) const SUBJECT: &str = "thing/status/";
/// The attribute of whether somebody is married.
pub(super) const MARITAL: &str = "marital status";
/// Most words of the name of a thing.
const NAME_WORDS_MAX: usize = 3;

/// The kind of whether something is open.
const PROGRESS: &str = "progress";
/// Words of which one holds at a time; of progress, see [`OVER`].
#[rustfmt::skip]
const KINDS: [(&str, &[&str]); 5] = [
    (PROGRESS, &[
        "blocked", "closed", "done", "fixed", "merged", "open", "progress", "reopened", "resolved",
        "review", "waiting",
    ]),
    ("power", &["on", "off"]),
    ("use", &["enabled", "disabled"]),
    ("service", &["up", "down"]),
    ("light", &["red", "green"]),
];
/// Those that are also verbs of what somebody did.
#[rustfmt::skip]
const DONE: [&str; 8] = [
    "blocked", "closed", "disabled", "enabled", "fixed", "merged", "reopened", "resolved",
];
/// The words of progress that may be said of any thing.
const OF_ANY_THING: [&str; 2] = ["closed", "open"];
/// Those of a ticket that is over. The others are of one that is not, and may hold together: it is
/// open, blocked and in review.
const OVER: [&str; 5] = ["closed", "done", "fixed", "merged", "resolved"];
/// Words that may be between "is" and a status.
const ADVERBS: [&str; 6] = ["already", "back", "finally", "in", "now", "still"];
/// Words after a status that leave it as it is.
const AFTER: [&str; 9] =
    ["again", "and", "because", "but", "by", "now", "since", "thanks", "today"];
/// What tickets are called.
#[rustfmt::skip]
const TICKETS: [&str; 8] = ["bug", "incident", "issue", "mr", "pr", "story", "task", "ticket"];
/// Words before the name of a thing.
const DETERMINERS: [&str; 3] = ["my", "our", "the"];
/// Whether somebody is married.
pub(super) const MARITAL_VALUES: [&str; 5] =
    ["divorced", "engaged", "married", "single", "widowed"];

/// Whether a status excludes another of the same kind.
pub(super) fn excludes(later: &str, earlier: &str) -> bool {
    let is_progress = |status: &str| kind_of(status) == Some(PROGRESS);
    let is_over = |status: &str| OVER.contains(&status);
    !is_progress(later) || !is_progress(earlier) || is_over(later) != is_over(earlier)
}

/// The status that a clause states.
pub(super) fn read(words: &[Word<'_>], speaker: Speaker<'_>) -> Option<AttributeStatement> {
    if is_not_yet(words) {
        return None;
    }
    let (statement, thing) = done(words).or_else(|| stated(words))?;
    match is_ticket(&statement.attribute) {
        true => Some(statement),
        false => of_whom(statement, Clause { words: thing, speaker }),
    }
}

/// The statement with the speaker in its subject, if its thing is "my" or "our" thing.
pub(super) fn of_whom(
    statement: AttributeStatement,
    thing: Clause<'_, '_, '_>,
) -> Option<AttributeStatement> {
    if !thing.next_is(&["my", "our"]) {
        return Some(statement);
    }
    let subject = format!("{}/{}", statement.subject, thing.first_person()?);
    Some(AttributeStatement { subject, ..statement })
}

/// `OPS-17 is closed`, `The server is back up`, `PR 88 has been merged`.
fn stated<'s, 't>(words: &'s [Word<'t>]) -> Option<(AttributeStatement, &'s [Word<'t>])> {
    let verb = (1..words.len()).find(|at| matches!(lower(words, *at), "is" | "was" | "has"))?;
    let thing = words.get(..verb)?;
    let name = name(thing)?;
    let mut at = verb + 1;
    match lower(words, verb) {
        "has" if lower(words, at) != "been" => return None,
        "has" => at += 1,
        _ => {}
    }
    while ADVERBS.contains(&lower(words, at)) {
        at += 1;
    }
    let status = lower(words, at);
    let kind = kind_of(status)?;
    if kind == PROGRESS && !is_ticket(&name) && !OF_ANY_THING.contains(&status) {
        return None;
    }
    // "The shop was closed" tells of the past; "PR 88 was merged" tells what it is now.
    let is_present = lower(words, verb) == "is"
        || DONE.contains(&status) && (lower(words, verb) == "has" || is_ticket(&name));
    let is_unbroken = words.get(verb..=at)?.iter().all(|word| word.before == Break::None);
    (is_present && is_unbroken).then(|| (statement(kind, name, status, from(words, at + 1)), thing))
}

/// `We closed OPS-17`, `Ben merged PR 88`, `We disabled the dark mode`.
fn done<'s, 't>(words: &'s [Word<'t>]) -> Option<(AttributeStatement, &'s [Word<'t>])> {
    let verb = (0..words.len().min(4)).find(|at| DONE.contains(&lower(words, *at)))?;
    let status = lower(words, verb);
    let before = words.get(..verb)?;
    let is_somebody = before.iter().all(|word| {
        is_proper(word.text) || matches!(word.lower.as_ref(), "i" | "just" | "have" | "we" | "has")
    });
    let rest = from(words, verb + 1);
    let is_end =
        |word: &Word<'_>| word.before != Break::None || AFTER.contains(&word.lower.as_ref());
    let end = rest.iter().position(is_end).unwrap_or(rest.len());
    let object = rest.get(..end)?;
    let is_determined = DETERMINERS.contains(&lower(object, 0));
    let name = name(object)?;
    let is_known = is_ticket(&name) || is_determined && matches!(status, "enabled" | "disabled");
    let kind = kind_of(status).filter(|_| is_somebody && is_known && !is_unsure(words))?;
    Some((statement(kind, name, status, from(rest, end)), object))
}

fn statement(kind: &str, name: String, status: &str, after: &[Word<'_>]) -> AttributeStatement {
    let is_whole = after.first().is_none_or(|next| {
        next.before != Break::None
            || AFTER.contains(&next.lower.as_ref())
            || status == "waiting" && next.lower == "for"
    });
    AttributeStatement {
        is_change: is_whole,
        ..AttributeStatement::of(format!("{SUBJECT}{kind}"), name, status.to_owned())
    }
}

fn kind_of(status: &str) -> Option<&'static str> {
    KINDS.iter().find(|(_, values)| values.contains(&status)).map(|(kind, _)| *kind)
}

/// The name of a thing: "the build server", "ticket OPS-17". A key such as "OPS-17" is enough.
pub(super) fn name(words: &[Word<'_>]) -> Option<String> {
    let is_around = |word: &Word<'_>| DETERMINERS.contains(&word.lower.as_ref());
    let words = match words {
        [first, rest @ ..] if is_around(first) => rest,
        _ => words,
    };
    let is_name = (1..=NAME_WORDS_MAX).contains(&words.len())
        && words.iter().all(|word| {
            let lower = word.lower.as_ref();
            !NOT_NAMED.contains(&lower) && !DETERMINERS.contains(&lower)
        })
        && words.iter().skip(1).all(|word| word.before == Break::None);
    let name: Vec<&str> = words.iter().map(|word| word.lower.as_ref()).collect();
    let name = match name.as_slice() {
        ["pull", "request", number] => vec!["pr", number],
        [kind, key] if TICKETS.contains(kind) && key.contains(char::is_alphabetic) => vec![*key],
        _ => name,
    };
    is_name.then(|| name.join(" "))
}

/// Whether a name is that of one ticket: "ops-17", "pr 88".
fn is_ticket(name: &str) -> bool {
    name.ends_with(|last: char| last.is_ascii_digit())
}

impl Clause<'_, '_, '_> {
    /// `Eva is single`, `Eva got engaged to Paul`, `Eva and Paul are married`.
    pub(super) fn marital_status(mut self) -> Option<AttributeStatement> {
        let subject = match self.couple() {
            Some((couple, length)) => {
                self.skip(length);
                couple
            }
            None => self.subject()?,
        };
        self.skip_all(&["am", "are", "have", "has", "is", "just", "got", "now", "been"]);
        let value = self.lower(0).to_owned();
        self.skip(1);
        let is_known = MARITAL_VALUES.contains(&value.as_str());
        let is_whole = match self.words {
            [] => true,
            [next, ..] if next.before != Break::None => true,
            [to, name, ..] if to.lower == "to" => is_proper(name.text),
            [at, time, ..] if at.lower == "in" => {
                TIMES.contains(&time.lower.as_ref()) || is_year(&time.lower)
            }
            [next, ..] => matches!(
                next.lower.as_ref(),
                "again" | "and" | "last" | "now" | "on" | "this" | "today" | "yesterday"
            ),
        };
        // "I got married in 2010" may have been before what is known.
        (is_known && is_whole).then(|| AttributeStatement {
            is_change: !self.has_year(),
            ..AttributeStatement::of(subject, MARITAL, value)
        })
    }

    /// Two people, "Eva and Paul", in the order of their names, and how many words they are.
    fn couple(&self) -> Option<(String, usize)> {
        let is_name = |at: usize| self.words.get(at).is_some_and(|word| is_proper(word.text));
        let is_couple = is_name(0) && self.lower(1) == "and" && is_name(2);
        let mut names = [self.lower(0), self.lower(2)];
        names.sort_unstable();
        is_couple.then(|| (names.join("/"), 3))
    }
}

#[cfg(test)]
mod tests {
    use crate::attributes::tests::{replaced, replaces_by, unreplaced};
    use crate::attributes::{Speaker, attributes};

    #[test]
    fn a_later_status_replaces_the_one_before() {
        let missed = unreplaced(&[
            ("Ticket OPS-17 is open", "OPS-17 is closed"),
            ("Ticket OPS-17 is open", "Ticket OPS-17 has been closed."),
            ("OPS-17 is in progress", "OPS-17 is done"),
            ("OPS-17 is closed", "OPS-17 was reopened because the test fails"),
            ("OPS-17 is open", "We fixed OPS-17"),
            ("OPS-17 is in review", "Ben closed ticket OPS-17"),
            ("PR 88 is waiting for review", "PR 88 was merged"),
            ("PR 88 is waiting for review", "Pull request 88 is merged"),
            ("PR 88 is open", "Merged PR 88"),
            ("The shop is open", "The shop is closed"),
            ("OPS-17 is blocked", "OPS-17 is resolved"),
            ("The server is down", "The server is back up"),
            ("The server is down for maintenance", "The server is up again"),
            ("The build is red", "The build is green"),
            ("The heating is on", "The heating is off"),
            ("Dark mode is enabled", "Dark mode is disabled"),
            ("The dark mode is enabled", "We disabled the dark mode"),
            ("Eva is single", "Eva is engaged to Paul"),
            ("Eva is single", "Eva got married last week"),
            ("Eva and Paul are married", "Eva and Paul got divorced"),
            ("Eva and Paul are engaged", "Paul and Eva are married now"),
            ("I am single", "I'm engaged"),
            ("Eva is single", "Eva is no longer single"),
            ("Eva is married", "Eva is not married anymore"),
            ("OPS-17 is closed", "Reopened OPS-17"),
        ]);
        assert!(missed.is_empty(), "{missed:#?}");
    }

    #[test]
    fn a_status_of_something_else_or_that_is_not_certain_replaces_nothing() {
        let wrong = replaced(&[
            ("OPS-17 is open", "OPS-18 is closed"),
            ("OPS-17 is open", "OPS-17 is not closed"),
            ("OPS-17 is open", "OPS-17 will be closed"),
            ("OPS-17 is open", "OPS-17 should be closed"),
            ("OPS-17 is open", "Is OPS-17 closed?"),
            ("OPS-17 is open", "If OPS-17 is closed, we can start"),
            ("OPS-17 is open", "OPS-17 is almost closed"),
            ("The leak is open", "Once the leak is fixed, we can paint"),
            ("OPS-17 is open", "After OPS-17 is closed we can start"),
            ("OPS-17 is open", "OPS-17 is closed on our side"),
            ("OPS-17 is open", "We have not closed OPS-17"),
            ("OPS-17 is open", "We closed the door"),
            ("OPS-17 is open", "OPS-17 is enabled"),
            ("PR 88 is open", "Issue 88 is closed"),
            ("OPS-17 is open", "OPS-17 is blocked"),
            ("OPS-17 is open", "OPS-17 is waiting for Ben"),
            ("PR 88 is open", "PR 88 is in review"),
            ("PR 88 is blocked", "PR 88 is open"),
            ("PR 88 is merged", "PR 88 is closed"),
            ("The road is open", "The road is blocked"),
            ("The window is fixed", "The window is open"),
            ("The dinner is done", "The dinner is waiting"),
            ("PR 88 is open", "PR 89 was merged"),
            ("The server is down", "The build server is up"),
            ("The build server is down", "The server is up"),
            ("The server is down", "The server was up"),
            ("The server is down", "The server is up on Mondays"),
            ("The shop is open", "The shop was closed"),
            ("The shop is open", "The shop is closed on Sundays"),
            ("The shop is open", "The shop is closed for students"),
            ("The heating is on", "The light is off"),
            ("It is open", "It is closed"),
            ("Eva is single", "Ana is married"),
            ("Eva is single", "Eva is not married"),
            ("Eva is single", "Eva will get married"),
            ("Eva is single", "Eva was married"),
            ("I am divorced", "I got married in 2010"),
            ("I am divorced", "I got married, in 2010"),
            ("I am divorced", "I got married on 5 May 2010"),
            ("I am married", "I got engaged in 2008"),
            ("Eva is single", "Eva is no longer married"),
            ("Eva is single", "Eva is married to her job"),
            ("Eva is single", "Eva is engaged in politics"),
            ("Eva is single", "Eva is a single mother"),
            ("Eva and Paul are married", "Eva and Tom got divorced"),
            ("Eva and Paul are married", "Are Eva and Paul divorced?"),
        ]);
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn what_is_mine_is_of_the_speaker_alone() {
        let (ana, ben) = (Speaker::Person("Ana"), Speaker::Person("Ben"));
        for (before, after) in [
            ("My heating is on", "My heating is off"),
            ("Our printer is down", "Our printer is up again"),
            ("My dark mode is enabled", "I disabled my dark mode"),
        ] {
            assert!(replaces_by((before, ana), (after, ana)), "{before:?}");
            assert!(!replaces_by((before, ana), (after, ben)), "{before:?}");
            assert!(!replaces_by((before, ana), (after, Speaker::Owner)), "{before:?}");
        }
        assert!(replaces_by(("The server is down", ana), ("The server is up", ben)));
        assert!(replaces_by(("My ticket OPS-17 is open", ana), ("We closed OPS-17", ben)));
    }

    #[test]
    fn any_words_are_read() {
        for text in ["is open", "has been", "closed", "the is on", "A and B", "pull request is up"]
        {
            let _ = attributes(text, Speaker::Owner);
        }
    }
}
