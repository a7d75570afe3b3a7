//! Logs of IRC, as irssi, mIRC and bots write them.
//!
//! `12:34 <ana> hi`, `[12:34] <@ana> hi` or `2025-06-02 12:34:56 <ana> hi`. Where lines have only
//! the hour, the date is in a line of its own when the log begins and the day changes, or in the
//! file's name.

use jiff::civil::Date;

use crate::dates::date_at_start;

/// Longest nickname, in bytes.
const NICK_MAX: usize = 40;
/// What stands before the program's own lines.
const NOTICES: [&str; 5] = ["-!-", "***", "===", "-->", "<--"];
/// How lines begin that say when a log begins or ends, or another day begins.
const EDGES: [&str; 8] = [
    "--- Log opened",
    "--- Log closed",
    "--- Day changed",
    "Session Start:",
    "Session Time:",
    "Session Close:",
    "**** BEGIN LOGGING AT",
    "**** ENDING LOGGING AT",
];

/// Who says what, in the text after a stamp.
pub(super) fn message(text: &str) -> Option<(&str, &str)> {
    let (nick, said) = text.strip_prefix('<')?.split_once('>')?;
    let said = said.strip_prefix([' ', '\t']).or(said.is_empty().then_some(said))?;
    // Channels mark their operators, and some programs pad the others.
    let nick = nick.trim_start_matches([' ', '@', '+', '%', '&', '~']);
    let is_nick = nick
        .starts_with(|first: char| first.is_alphanumeric() || "_-[]{}\\`^|".contains(first))
        && nick.len() <= NICK_MAX
        && nick.chars().all(|c| c.is_alphanumeric() || "_-[]{}\\`^|.".contains(c));
    is_nick.then_some((nick, said))
}

/// Whether the program wrote the text after a stamp: who joined, what the topic is.
pub(super) fn is_notice(text: &str) -> bool {
    NOTICES.iter().any(|notice| text.starts_with(notice))
}

/// Whether a time without brackets and date is the stamp of what follows.
pub(super) fn follows_time(rest: &str) -> bool {
    rest.strip_prefix(' ').is_some_and(|rest| {
        rest.starts_with("-!-") || rest.starts_with(" * ") || message(rest).is_some()
    })
}

/// Whether a line only says that the log begins or ends, or that another day does; and its date.
pub(super) fn edge(line: &str) -> Option<Option<Date>> {
    let rest = EDGES.iter().find_map(|edge| line.strip_prefix(edge))?;
    // The time of day stands within the date: `Mon Jun 02 12:00:00 2025`.
    let words: Vec<&str> = rest.split_whitespace().filter(|word| !word.contains(':')).collect();
    Some(date_at_start(&words.join(" ")).map(|(date, _)| date))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dates::date_of;

    #[test]
    fn messages_have_a_nickname() {
        assert_eq!(message("<ana> hi: there"), Some(("ana", "hi: there")));
        assert_eq!(message("<@ana_> hi"), Some(("ana_", "hi")));
        assert_eq!(message("< [ana]> hi"), Some(("[ana]", "hi")));
        assert_eq!(message("<ana>"), Some(("ana", "")));
        for text in ["ana: hi", "<Media omitted>", "<a href=x> hi", "< > hi", "<ana>hi", "--> ben"]
        {
            assert_eq!(message(text), None, "{text}");
        }
    }

    #[test]
    fn edges_of_logs_have_a_date() {
        let day = |day| date_of(2025, 6, day);
        assert_eq!(edge("--- Log opened Mon Jun 02 12:00:00 2025"), Some(day(2)));
        assert_eq!(edge("--- Day changed Tue Jun 03 2025"), Some(day(3)));
        assert_eq!(edge("Session Start: Mon Jun 02 12:00:00 2025"), Some(day(2)));
        assert_eq!(edge("**** BEGIN LOGGING AT Mon Jun  2 12:00:00 2025"), Some(day(2)));
        assert_eq!(edge("--- Log closed"), Some(None));
        assert_eq!(edge("--- Day changed Jun 77 2025"), Some(None));
        assert_eq!(edge("--- a line"), None);
    }
}
