//! What meeting services write into descriptions: how to join, by which number, where to get help.
//!
//! It is the same in every meeting, longer than what people write, and full of common words. It goes between two lines of
//! its own (Google Meet) or from such a line to the next or the end (Microsoft Teams); of it only the first address,
//! the meeting's, is kept, as a link.

/// Shortest line that sets an invitation off, in characters.
const RULE_CHARS_MIN: usize = 20;

/// A description taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Invitation {
    /// What people wrote.
    pub(super) text: String,
    /// Where the meetings take place.
    pub(super) links: Vec<String>,
}

/// Takes a description apart.
pub(super) fn apart(description: &str) -> Invitation {
    let lines: Vec<&str> = description.lines().collect();
    let mut kept: Vec<&str> = Vec::new();
    let mut links = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        match end_of_invitation(&lines, at) {
            Some(end) => {
                links.extend(
                    lines.get(at..end).unwrap_or_default().iter().find_map(|line| address(line)),
                );
                at = end;
            }
            None => {
                kept.push(line);
                at += 1;
            }
        }
    }
    // A description without an invitation stays as it is, to the last space.
    let text = if links.is_empty() && kept.len() == lines.len() {
        description.to_owned()
    } else {
        kept.join("\n")
    };
    Invitation { text: text.trim_end().to_owned(), links }
}

/// The line after the invitation that begins at line `at`, if one does.
fn end_of_invitation(lines: &[&str], at: usize) -> Option<usize> {
    let line = lines.get(at)?;
    let after = lines.get(at + 1..)?;
    if is_rule(line, "-:~") && line.contains('~') {
        let end = after.iter().position(|line| is_rule(line, "-:~") && line.contains('~'))?;
        return Some(at + 1 + end + 1);
    }
    if is_rule(line, "_") {
        let first = after.iter().map(|line| line.trim()).find(|line| !line.is_empty())?;
        if first.starts_with("Microsoft Teams") {
            let end =
                after.iter().position(|line| is_rule(line, "_")).map_or(after.len(), |end| end + 1);
            return Some(at + 1 + end);
        }
    }
    None
}

fn is_rule(line: &str, of: &str) -> bool {
    let line = line.trim();
    line.chars().all(|c| of.contains(c)) && line.len() >= RULE_CHARS_MIN
}

fn address(line: &str) -> Option<String> {
    let start = line.find("https://")?;
    let end = |c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"');
    line.get(start..)?.split(end).next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(description: &str, text: &str, links: &[&str]) {
        let links = links.iter().map(|&link| link.to_owned()).collect();
        assert_eq!(
            apart(description),
            Invitation { text: text.to_owned(), links },
            "{description}"
        );
    }

    #[test]
    fn what_meeting_services_write_is_no_text_but_a_link() {
        let rule = format!("-::{}::-", "~:".repeat(20));
        let meet = format!(
            "Bring the tiles.\n\n{rule}\nJoin: https://meet.test/abc\nHelp: https://help.test\n{rule}\nBye"
        );
        check(&meet, "Bring the tiles.\n\nBye", &["https://meet.test/abc"]);
        let line = "_".repeat(60);
        let teams = format!(
            "Agenda\n{line}\nMicrosoft Teams meeting\nJoin<https://teams.test/l/1?x=%40>\nID: 1\n{line}\n"
        );
        check(&teams, "Agenda", &["https://teams.test/l/1?x=%40"]);
    }

    #[test]
    fn rules_that_people_draw_set_nothing_off() {
        let drawn =
            format!("a\n{}\nb\n----------------------------\nc\nhttps://x.test", "_".repeat(60));
        check(&drawn, &drawn, &[]);
        check(
            "-::~:~::~:~:~:~:~:~:~:~::-\nnever closed",
            "-::~:~::~:~:~:~:~:~:~:~::-\nnever closed",
            &[],
        );
        check("", "", &[]);
    }
}
