//! The part of a reply that its author wrote.
//!
//! A reply repeats the message it answers. If that were kept, one statement would count once for
//! each reply, under the wrong name. So these are left out: lines that begin with `>`, the line
//! that announces them ("On Monday Ana wrote:"), and everything after the line with which Outlook
//! begins what it repeats. Answers between quoted lines stay. What the author forwards is not a
//! reply and is kept.
//!
//! In a message of HTML alone quotations are elements, which go with what announces them. Where
//! there is none, the marks of quotation are lost, and everything after the announcement goes.

/// Whether quoted lines still bear their mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marks {
    Kept,
    Lost,
}

/// Longest announcement, in characters; a longer line is prose.
const ANNOUNCEMENT_CHARS_MAX: usize = 300;

/// First words and last words of an announcement, in lower case.
const ANNOUNCEMENTS: [(&str, &str); 8] = [
    ("on ", "wrote:"),
    ("am ", "schrieb:"),
    ("am ", ":"),
    ("le ", "a écrit :"),
    ("le ", "a écrit:"),
    ("el ", "escribió:"),
    ("il ", "ha scritto:"),
    ("op ", "schreef:"),
];

/// Lines after which Outlook repeats a message, in lower case.
const REPEATS: [&str; 3] = [
    "-----original message-----",
    "-----ursprüngliche nachricht-----",
    "-----message d'origine-----",
];

/// The shortest rule of Outlook.
const RULE_MIN: usize = 32;
/// Lines after "From:" within which the others of its headers stand.
const HEADER_LINES_MAX: usize = 6;
/// The headers of what Outlook repeats, in lower case.
const FROM: [&str; 6] = ["from", "von", "de", "da", "van", "från"];
const SENT: [&str; 9] =
    ["sent", "date", "gesendet", "datum", "envoyé", "enviado", "inviato", "verzonden", "skickat"];
const SUBJECT: [&str; 7] =
    ["subject", "betreff", "objet", "asunto", "oggetto", "onderwerp", "ämne"];

/// The text without what it quotes.
pub(super) fn without_quotes(text: &str, marks: Marks) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let mut kept: Vec<&str> = Vec::new();
    let mut next = 0;
    while let Some(&line) = lines.get(next) {
        let rest = lines.get(next + 1..).unwrap_or_default();
        if is_repeat(line, rest) {
            break;
        }
        next += 1;
        if line.trim_start().starts_with('>') {
            continue;
        }
        let announced = announcement_lines(line, rest);
        if announced > 0 {
            let after = rest.get(announced - 1..).unwrap_or_default();
            let is_quoted = after
                .iter()
                .find(|line| !line.is_empty())
                .is_some_and(|line| line.trim_start().starts_with('>'));
            if is_quoted {
                next += announced - 1;
                continue;
            }
            if marks == Marks::Lost {
                break;
            }
        }
        kept.push(line);
    }
    let mut text = String::new();
    let mut empty_lines = 0;
    for line in kept {
        empty_lines = if line.is_empty() { empty_lines + 1 } else { 0 };
        if empty_lines < 2 {
            text.push_str(line);
            text.push('\n');
        }
    }
    text.trim().to_owned()
}

fn is_repeat(line: &str, rest: &[&str]) -> bool {
    let line = line.trim();
    if line.len() < 64 && REPEATS.contains(&line.to_lowercase().as_str()) {
        return true;
    }
    // Outlook draws a line, which may be longer than its shortest form, or none.
    let is_rule = line.len() >= RULE_MIN && line.bytes().all(|byte| byte == b'_');
    match is_rule {
        true => {
            let mut after = rest.iter().enumerate().filter(|(_, line)| !line.trim().is_empty());
            after.next().is_some_and(|(place, first)| {
                is_header_block(first, rest.get(place + 1..).unwrap_or_default())
            })
        }
        false => is_header_block(line, rest),
    }
}

/// Whether a line and those after it are the headers with which Outlook begins what it repeats.
fn is_header_block(line: &str, rest: &[&str]) -> bool {
    let has = |line: &&str, names: &[&str]| {
        let line = line.trim().trim_start_matches('*').to_lowercase();
        names.iter().any(|name| {
            let after = line.strip_prefix(name).map(|after| after.trim_start_matches(['*', ' ']));
            after.is_some_and(|after| after.starts_with(':'))
        })
    };
    let below = rest.get(..HEADER_LINES_MAX.min(rest.len())).unwrap_or_default();
    has(&line, &FROM)
        && below.iter().any(|line| has(line, &SENT))
        && below.iter().any(|line| has(line, &SUBJECT))
}

/// How many lines an announcement takes that begins here: 1, 2 when it was wrapped, 0 for none.
fn announcement_lines(line: &str, rest: &[&str]) -> usize {
    if is_announcement(line) {
        return 1;
    }
    let wrapped = |next: &&str| is_announcement(&format!("{} {}", line.trim(), next.trim()));
    2 * usize::from(
        line.chars().count() < ANNOUNCEMENT_CHARS_MAX && rest.first().is_some_and(wrapped),
    )
}

fn is_announcement(line: &str) -> bool {
    if line.chars().count() > ANNOUNCEMENT_CHARS_MAX {
        return false;
    }
    let line = line.trim().to_lowercase();
    ANNOUNCEMENTS.iter().any(|(first, last)| {
        let says_who = *last != ":" || line.contains("schrieb ");
        line.starts_with(first) && line.ends_with(last) && says_who
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, marks: Marks, expected: &str) {
        assert_eq!(without_quotes(text, marks), expected);
    }

    #[test]
    fn quoted_lines_go_and_answers_between_them_stay() {
        check(
            "Hi Ana,\r\n\r\nOn Mon, 2 Jun 2025 at 08:00, Ana Ruiz\r\n<ana@example.org> wrote:\r\n\r\n> Tea?\r\n\r\nYes.\r\n> When?\r\nAt five.",
            Marks::Kept,
            "Hi Ana,\n\nYes.\nAt five.",
        );
        check(
            "Gern!\n\nAm 2. Juni 2025 schrieb Ana Ruiz <ana@example.org>:\n> Tee?\n",
            Marks::Kept,
            "Gern!",
        );
    }

    #[test]
    fn prose_that_looks_like_an_announcement_stays_where_marks_are_kept() {
        let text = "On the wall he wrote:\nGo home.";
        check(text, Marks::Kept, text);
    }

    #[test]
    fn a_reply_without_marks_ends_at_the_announcement() {
        check("Yes, at five.\nOn Mon, Ana wrote:\nTea?", Marks::Lost, "Yes, at five.");
        check("Yes.\n\n-----Original Message-----\nFrom: Ana\nTea?", Marks::Kept, "Yes.");
    }

    #[test]
    fn a_reply_that_only_quotes_is_empty() {
        check("> a\n> b", Marks::Kept, "");
        check("", Marks::Lost, "");
    }
}
