//! Quoted: the lines of a text that its author passes on, by what stands around them.
//!
//! A collection of quotations names who said each, after a dash, in parentheses or emphasised:
//!
//! ```text
//! I adore long winters.
//! — Tove Marklund
//!
//! I can't stand olives. *(Henrik Aas)*
//! ```
//!
//! Such an attribution gives the words before it to somebody else, unless it names the owner: then
//! it signs the owner's own note. A questionnaire ("Answer true or false:") and a sentence to be
//! finished ("I'd love to, but…") give the items below them, and nobody states these either.
//! Nor are the words of letters ([`letters`](crate::letters)) and of fiction
//! ([`titles`](crate::titles)) the author's own.

use std::ops::Range;

use crate::introductions::introduces_lines_of_others;
use crate::letters::letters_of_others;
use crate::names::is_self;
use crate::owner::Owner;
use crate::preferences::is_known_thing;
use crate::prose::WRAPPED_CHARS_MIN;
use crate::relationships::{NOT_NAMES, PARTICLES, is_kind};
use crate::slug::slug;
use crate::statements::without_marker;
use crate::titles::is_over_words_of_others;

/// Most capitalised words of a name.
const NAME_WORDS_MAX: usize = 4;
/// Longest attribution, bytes, with the title of a work after a name.
const ATTRIBUTION_BYTES_MAX: usize = 160;
/// Dashes that begin an attribution. A single hyphen is more often the mark of a list.
const DASHES: [&str; 4] = ["—", "–", "―", "--"];
/// The marks of emphasis.
const EMPHASIS: [char; 2] = ['*', '_'];
/// Whoever is named where nobody is known.
const ANONYMOUS: [&str; 3] = ["anonymous", "anon", "unknown"];
/// Words of questionnaires.
const QUESTIONNAIRES: [&str; 4] =
    ["true or false", "agree or disagree", "strongly agree", "strongly disagree"];
/// Words that cannot end a sentence, so an ellipsis after them lets the reader finish it.
const UNFINISHED: [&str; 4] = ["but", "because", "if", "when"];

/// For each line, whether its words are those of somebody else.
pub(crate) fn quoted_lines(lines: &[&str], owner: &Owner) -> Vec<bool> {
    let found: Vec<Option<Attribution<'_>>> = lines
        .iter()
        .enumerate()
        .map(|(at, line)| {
            let next = lines.get(at + 1).map_or("", |next| next.trim());
            Attribution::at_end_of(line.trim(), next).filter(|found| !found.is_of(owner))
        })
        .collect();
    let mut quoted = given_lines(lines);
    let ranges = letters_of_others(lines, owner, |line| line.starts_with('#'));
    let ranges = ranges.into_iter().chain(titled_sections(lines)).chain(introduced_blocks(lines));
    for range in ranges {
        quoted.get_mut(range).unwrap_or_default().fill(true);
    }
    let line = |at: usize| lines.get(at).map_or("", |line| line.trim());
    let is_attribution = |at: usize| found.get(at).is_some_and(Option::is_some);
    for at in 0..lines.len() {
        let Some(Some(attribution)) = found.get(at) else { continue };
        let mut from = at;
        // The quotation may have begun in the lines above.
        let goes_on = |above: &str| match attribution.is_alone() {
            true => !is_end(above),
            false => above.chars().count() >= WRAPPED_CHARS_MIN,
        };
        if attribution.is_alone() {
            let last = attribution.last_line(at, lines).filter(|last| !is_attribution(*last));
            let Some(last) = last else { continue };
            from = last;
        }
        while let Some(above) = from.checked_sub(1)
            && !is_item(line(from))
            && goes_on(line(above))
            && !is_attribution(above)
        {
            from = above;
        }
        quoted.iter_mut().take(at + 1).skip(from).for_each(|line| *line = true);
    }
    quoted
}

/// The sections whose headings say that their words are those of others.
fn titled_sections(lines: &[&str]) -> Vec<Range<usize>> {
    let level = |line: &str| line.len() - line.trim_start_matches('#').len();
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let line = line.trim();
        let is_within = found.last().is_some_and(|range| at < range.end);
        if level(line) == 0 || is_within || !is_over_words_of_others(line) {
            continue;
        }
        let ends = |below: &&str| (1..=level(line)).contains(&level(below.trim()));
        let end = lines.iter().skip(at + 1).position(ends).map_or(lines.len(), |end| at + 1 + end);
        found.push(at..end);
    }
    found
}

/// The lines below introductions of what others say, to the next blank line.
fn introduced_blocks(lines: &[&str]) -> Vec<Range<usize>> {
    let line = |at: usize| lines.get(at).map_or("", |line| line.trim());
    let begins = (0..lines.len()).filter(|at| introduces_lines_of_others(line(*at)));
    let block = |at: usize| {
        let start = if line(at + 1).is_empty() { at + 2 } else { at + 1 };
        let length = lines.iter().skip(start).position(|line| is_end(line.trim()));
        let end = length.map_or(lines.len(), |length| start + length);
        (start < end).then_some(start..end)
    };
    begins.filter_map(block).collect()
}

/// The lines that a questionnaire or an unfinished sentence gives.
fn given_lines(lines: &[&str]) -> Vec<bool> {
    let (mut is_given, mut in_item) = (false, false);
    let given = |line: &&str| {
        let words = line.trim();
        if is_end(words) {
            is_given &= words.is_empty();
            in_item = false;
            return false;
        }
        if is_lead_in(words) {
            is_given = true;
            return true;
        }
        in_item |= is_item(words);
        is_given &= in_item;
        is_given
    };
    lines.iter().map(given).collect()
}

fn is_lead_in(line: &str) -> bool {
    let is_unfinished = |head: &str| {
        let last = head.rsplit(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
        UNFINISHED.iter().any(|word| last.eq_ignore_ascii_case(word))
    };
    let is_ellipsis = ["…", "..."].iter().any(|ellipsis| {
        line.match_indices(ellipsis).any(|(at, _)| {
            let rest = line.get(at + ellipsis.len()..).unwrap_or_default().trim_start();
            is_unfinished(line.get(..at).unwrap_or_default())
                && (rest.is_empty() || rest.starts_with("- "))
        })
    });
    is_ellipsis
        || line.contains(" or ") && contains_any(line, &QUESTIONNAIRES)
        || line.contains("trongly") && contains_any(line, &QUESTIONNAIRES)
}

fn contains_any(line: &str, phrases: &[&str]) -> bool {
    let lower = line.to_lowercase();
    phrases.iter().any(|phrase| lower.contains(phrase))
}

/// How an attribution is set off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Dash,
    Hyphen,
    Parentheses,
    Emphasis,
}

/// Who said what stands before it.
struct Attribution<'t> {
    mark: Mark,
    /// What stands before it in its line.
    before: &'t str,
    name: &'t str,
}

impl<'t> Attribution<'t> {
    fn at_end_of(line: &'t str, next: &str) -> Option<Self> {
        // A sentence that goes on was not said by the last name in its first line.
        if line.is_empty() || next.starts_with(char::is_lowercase) {
            return None;
        }
        let plain = line.trim_end_matches(EMPHASIS);
        let (mark, before, name) = in_parentheses(plain)
            .or_else(|| after_dash(plain))
            .or_else(|| emphasised(line, plain))?;
        let before = before.trim_end().trim_end_matches(EMPHASIS).trim_end();
        let name = name.trim_matches(|letter: char| {
            letter.is_whitespace() || EMPHASIS.contains(&letter) || letter == '~'
        });
        let found = Self { mark, before, name: name_of(name)? };
        (found.is_alone() || found.follows_a_sentence()).then_some(found)
    }

    /// Whether it has its line for itself.
    fn is_alone(&self) -> bool {
        self.before.is_empty()
    }

    fn is_of(&self, owner: &Owner) -> bool {
        is_self(self.name) || owner.is(self.name) || owner.may_be(&slug(self.name))
    }

    /// `Dinner with my sister (Ana Lima)` and `my sister — Ana Lima` say who the sister is.
    fn follows_a_sentence(&self) -> bool {
        let last = without_marker(self.before).rsplit(' ').next().unwrap_or_default();
        ends_sentence(self.before)
            || self.mark == Mark::Dash
                && self.name.contains(' ')
                && !is_kind(&last.to_lowercase())
                && without_marker(self.before).contains(' ')
    }

    /// The last line before it that it is about, if it has a line for itself, the line `at`.
    fn last_line(&self, at: usize, lines: &[&str]) -> Option<usize> {
        let line = |at: usize| lines.get(at).map_or("", |line| line.trim());
        let next = line(at + 1);
        let above = at.checked_sub(1)?;
        let last = match self.mark {
            // A blank line may come between.
            Mark::Dash if line(above).is_empty() => above.checked_sub(1)?,
            Mark::Dash | Mark::Parentheses => above,
            // An item of a list comes after another, before another, or after a colon.
            Mark::Hyphen => {
                let is_list = is_item(line(above)) || is_item(next);
                Some(above).filter(|above| !is_list && ends_sentence(line(*above)))?
            }
            // Emphasised words above a text are its heading.
            Mark::Emphasis => Some(above).filter(|_| next.is_empty())?,
        };
        (!is_end(line(last))).then_some(last)
    }
}

fn in_parentheses(line: &str) -> Option<(Mark, &str, &str)> {
    let (before, name) = line.strip_suffix(')')?.rsplit_once('(')?;
    let name = DASHES.iter().fold(name, |name, dash| name.trim_start_matches(dash));
    Some((Mark::Parentheses, before, name))
}

fn after_dash(line: &str) -> Option<(Mark, &str, &str)> {
    let strong = DASHES.iter().filter_map(|dash| {
        line.rfind(dash).and_then(|at| Some((at, line.get(at + dash.len()..)?)))
    });
    if let Some((at, name)) = strong.max_by_key(|(at, _)| *at) {
        return Some((Mark::Dash, line.get(..at)?.trim_end_matches('-'), name));
    }
    match line.strip_prefix("- ").filter(|name| !name.contains(" - ")) {
        Some(name) if name_of(name).is_some() => Some((Mark::Hyphen, "", name)),
        _ => line.rsplit_once(" - ").map(|(before, name)| (Mark::Hyphen, before, name)),
    }
    .filter(|(_, _, name)| name.trim().contains(' ') || is_anonymous(name))
}

fn emphasised<'t>(line: &str, plain: &'t str) -> Option<(Mark, &'t str, &'t str)> {
    let mark = line.get(plain.len()..).filter(|mark| mark.len() == 1)?;
    let (before, name) = plain.rsplit_once(mark)?;
    Some((Mark::Emphasis, before, name)).filter(|_| !before.ends_with(mark))
}

fn is_anonymous(name: &str) -> bool {
    ANONYMOUS.iter().any(|word| name.trim().eq_ignore_ascii_case(word))
}

/// The name at the beginning of an attribution, which a work or a year may follow.
fn name_of(text: &str) -> Option<&str> {
    if text.len() > ATTRIBUTION_BYTES_MAX {
        return None;
    }
    let (name, is_cut) = match text.split_once(',') {
        Some((name, _)) => (name.trim(), true),
        None => (text.trim(), false),
    };
    let mut capitalised = 0;
    for word in name.split(' ') {
        match PARTICLES.contains(&word) && capitalised > 0 {
            true => {}
            false if is_name_word(word) => capitalised += 1,
            false => return None,
        }
    }
    let is_one_word = !name.contains(' ');
    let is_name = (1..=NAME_WORDS_MAX).contains(&capitalised)
        && name.ends_with(|letter: char| letter.is_alphabetic() || letter == '.')
        && !(is_one_word && (is_cut || is_known_thing(&name.to_lowercase())));
    (is_name || is_anonymous(name)).then_some(name)
}

/// `Tove`, `O'Hara`, `J.`, `李娜`.
fn is_name_word(word: &str) -> bool {
    let is_inner =
        |letter: char| letter.is_alphabetic() || matches!(letter, '\'' | '’' | '-' | '.');
    word.starts_with(|letter: char| letter.is_alphabetic() && !letter.is_lowercase())
        && word.chars().all(is_inner)
        && !NOT_NAMES.contains(&word.trim_end_matches('.').to_lowercase().as_str())
}

/// Whether a passage ends before this line: at a blank line, a heading or a fence.
fn is_end(line: &str) -> bool {
    line.is_empty() || line.starts_with(['#', '|']) || line.starts_with("```")
}

fn is_item(line: &str) -> bool {
    without_marker(line).len() < line.len()
}

fn ends_sentence(text: &str) -> bool {
    text.trim_end_matches(EMPHASIS).ends_with(['.', '!', '?', '…', '"', '”', '“', '»', '’', '\''])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines that are left.
    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        let owner = Owner::new(["Mara Lindqvist"], []);
        let lines: Vec<&str> = text.lines().collect();
        let quoted = quoted_lines(&lines, &owner);
        let own = lines.iter().zip(quoted).filter(|(line, quoted)| !quoted && !line.is_empty());
        assert_eq!(own.map(|(line, _)| *line).collect::<Vec<_>>(), expect, "{text:?}");
    }

    #[test]
    fn an_attribution_gives_the_words_before_it_to_somebody_else() {
        check("Mine.\n\nI adore winters.\nThey last.\n— Tove Marklund\nMine", &["Mine.", "Mine"]);
        check("I adore winters.\n\n-- Tove Marklund, *The Long Dark*, 1987", &[]);
        check("I adore winters.\n- Tove van der Berg\n\nMine", &["Mine"]);
        check("- I adore winters. *(Tove Marklund)*\n- Mine", &["- Mine"]);
        check("I adore winters.\n(Anonymous)", &[]);
        check("I adore winters.\n*J. R. Marklund*", &[]);
        check("\"I adore winters\" - Tove Marklund", &[]);
        check("I adore winters — Tove Marklund", &[]);
        check("My brother Olaf says hi! -- Kari Lund", &[]);
        check(
            "I adore winters, because they are long and there is\nmuch to read. —Tove Marklund",
            &[],
        );
    }

    #[test]
    fn names_of_the_owner_in_lists_and_in_apposition_are_not_attributions() {
        for text in [
            "I adore winters.\n— Mara",
            "I adore winters. — Mara Lindqvist",
            "I adore:\n- Tove Marklund\n- Henrik Aas",
            "I adore winters.\n- Tove Marklund\n- Henrik Aas",
            "I adore winters.\n\n- Tove Marklund",
            "— Tove Marklund\n— Henrik Aas",
            "Dinner with my sister (Ana Lima)",
            "Dinner with my sister — Ana Lima",
            "I adore tea — Mondays",
            "I adore winters. — Monday",
            "I met them at the fjord, where we looked for — Tove Marklund\nwent first",
            "I adore winters - and long ones",
            "*Tove Marklund*\nI adore winters.",
            "I adore winters -- no",
            "--\n---\n—",
        ] {
            let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
            check(text, &lines);
        }
    }

    #[test]
    fn an_introduction_gives_the_block_below_it_to_another() {
        check(
            "Olga's list of peeves:\n- I hate tea\n- I hate rain\n\nMine",
            &["Olga's list of peeves:", "Mine"],
        );
        check(
            "Chapter six, Igor speaks:\n\nI hate tea.\n\nMine",
            &["Chapter six, Igor speaks:", "Mine"],
        );
        check("My list of peeves:\n- I hate tea", &["My list of peeves:", "- I hate tea"]);
        check("Poem of the day:", &["Poem of the day:"]);
    }

    #[test]
    fn items_of_questionnaires_and_unfinished_sentences_are_given() {
        check("Answer true or false: 1. I like hats.", &[]);
        check("Answer true or false:\n\n1. I like hats.\n\n2. I like\nfish.\n\nMine", &["Mine"]);
        check(
            "I'd LOVE to, but…\n- My sister Mona is learning the tuba.\n# B\n- a",
            &["# B", "- a"],
        );
        check("I'd LOVE to, but… - My sister Mona is learning the tuba.", &[]);
        check("I wanted to go...\n- My sister Mona", &["I wanted to go...", "- My sister Mona"]);
    }
}
