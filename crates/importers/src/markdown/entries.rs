//! A section that is a log: lines that begin with a date, each an entry of its own.
//!
//! ```text
//! - 2025-01-03: Weight 84.6 kg
//! - 2025-01-06: Dr. Farrow, stage 1 hypertension
//! ```
//!
//! One record of all of them would have no date, and would be found by everything that any of them
//! says.

use jiff::civil::Date;

use super::sections::Section;
use crate::dates::date_at_start;

/// Fewest entries of a log; two dates may be those of a plan.
const ENTRIES_MIN: usize = 3;

/// A section, or an entry of one with its date.
pub(super) struct Entry {
    pub(super) date: Option<Date>,
    pub(super) section: Section,
}

/// The entries of a section, after what stands before the first; the section as it is if it is not
/// a log.
pub(super) fn split(section: Section) -> Vec<Entry> {
    let dates = || section.blocks.iter().flat_map(|block| lines(block)).filter_map(|line| line.0);
    let first = dates().next();
    if dates().count() < ENTRIES_MIN || dates().all(|date| Some(date) == first) {
        return vec![Entry { date: None, section }];
    }
    let Section { path, is_below_first_level, blocks, links, tags, open_tasks, done_tasks } =
        section;
    let new = |date| Entry {
        date,
        section: Section {
            path: path.clone(),
            is_below_first_level,
            tags: tags.clone(),
            ..Section::default()
        },
    };
    let mut entries = vec![new(None)];
    for block in &blocks {
        let mut goes_on = false;
        for (date, line) in lines(block) {
            if date.is_some() {
                entries.push(new(date));
                goes_on = false;
            }
            let Some(entry) = entries.last_mut() else { continue };
            match entry.section.blocks.last_mut() {
                Some(last) if goes_on => {
                    last.push('\n');
                    last.push_str(line);
                }
                _ => entry.section.blocks.push(line.to_owned()),
            }
            goes_on = true;
        }
    }
    entries.retain(|entry| !entry.section.blocks.is_empty());
    // What was gathered from the whole section stands with its beginning.
    if let Some(first) = entries.first_mut() {
        first.section.links = links;
        first.section.open_tasks = open_tasks;
        first.section.done_tasks = done_tasks;
    }
    entries
}

/// The lines of a block, with the dates with which they begin. Those of code begin with none, nor
/// do those that are indented.
fn lines(block: &str) -> impl Iterator<Item = (Option<Date>, &str)> {
    let is_code = block.starts_with("```");
    block.lines().map(move |line| (date_of(line).filter(|_| !is_code), line))
}

fn date_of(line: &str) -> Option<Date> {
    if line.starts_with([' ', '\t']) {
        return None;
    }
    let text = line.trim_start_matches(['-', '*', '+', '|', ' ', '[', '_']);
    let (date, rest) = date_at_start(text)?;
    // A date alone in its line heads what follows it; one within a word does not count.
    rest.chars().next().is_none_or(|next| !next.is_alphanumeric()).then_some(date)
}

#[cfg(test)]
mod tests {
    use super::super::sections;
    use super::*;

    fn check(body: &str, expected: &[(&str, &str)]) {
        let entries: Vec<(String, String)> = sections::read(body)
            .into_iter()
            .flat_map(split)
            .map(|entry| {
                let date = entry.date.map_or(String::new(), |date| date.to_string());
                (date, entry.section.blocks.join(" / "))
            })
            .collect();
        let entries: Vec<(&str, &str)> =
            entries.iter().map(|(date, text)| (&**date, &**text)).collect();
        assert_eq!(entries, expected, "{body}");
    }

    #[test]
    fn each_line_of_a_log_is_an_entry_with_what_follows_it() {
        check(
            "# Health\nMy log.\n\n- 2025-01-03: 84.6 kg\n- 2025-01-06: Dr. Farrow\n  - a pill a day\n- **2025-01-09** Run 4.2 km",
            &[
                ("", "My log."),
                ("2025-01-03", "- 2025-01-03: 84.6 kg"),
                ("2025-01-06", "- 2025-01-06: Dr. Farrow\n  - a pill a day"),
                ("2025-01-09", "- 2025-01-09 Run 4.2 km"),
            ],
        );
        check(
            "3 January 2025: one\n\nmore\n\n6 January 2025: two\n\n9 January 2025: three",
            &[
                ("2025-01-03", "3 January 2025: one / more"),
                ("2025-01-06", "6 January 2025: two"),
                ("2025-01-09", "9 January 2025: three"),
            ],
        );
        check(
            "| day | kg |\n|---|---|\n| 2025-01-03 | 84 |\n| 2025-01-06 | 83 |\n| 2025-01-09 | 82 |",
            &[
                ("", "day | kg"),
                ("2025-01-03", "2025-01-03 | 84"),
                ("2025-01-06", "2025-01-06 | 83"),
                ("2025-01-09", "2025-01-09 | 82"),
            ],
        );
    }

    #[test]
    fn a_few_dates_dates_of_one_day_and_code_make_no_log() {
        for body in [
            "- 2025-01-03: one\n- 2025-01-06: two",
            "- 2025-01-03: one\n- 2025-01-03: two\n- 2025-01-03: three",
            "    2025-01-03 one\n    2025-01-06 two\n    2025-01-09 three",
            "- 2025-01-03a\n- 2025-01-06b\n- 2025-01-09c",
        ] {
            assert_eq!(sections::read(body).into_iter().flat_map(split).count(), 1, "{body}");
        }
    }
}
