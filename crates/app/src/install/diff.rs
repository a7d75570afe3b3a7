//! What changes in a text, line by line. Our changes are in one place, so what both texts begin and end with is all that has to be found.
//! Lines around it are not shown: they are somebody else's, and there are keys and tokens in them.

/// A line of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// It goes.
    Gone(String),
    /// It comes.
    New(String),
}

/// The lines that differ; of a single line only the part that does.
pub(super) fn lines(before: &str, after: &str) -> Vec<Line> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    // A line that only gains or loses the comma before its neighbour says the same.
    let is_same = |(old, new): &(&&str, &&str)| said(old) == said(new);
    let head = old.iter().zip(&new).take_while(is_same).count();
    let rest = old.len().min(new.len()).saturating_sub(head);
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(is_same).count();
    let part = |lines: &[&str]| -> Vec<String> {
        let end = lines.len().saturating_sub(tail);
        lines.get(head..end).unwrap_or_default().iter().map(|text| (*text).to_owned()).collect()
    };
    let (mut gone, mut come) = (part(&old), part(&new));
    if let ([old], [new]) = (gone.as_slice(), come.as_slice()) {
        let parts = differing(old, new);
        (gone, come) = (parts.0.into_iter().collect(), parts.1.into_iter().collect());
    }
    gone.into_iter().map(Line::Gone).chain(come.into_iter().map(Line::New)).collect()
}

fn said(line: &str) -> &str {
    line.trim_end().trim_end_matches(',')
}

/// The parts in which two lines differ.
fn differing(old: &str, new: &str) -> (Option<String>, Option<String>) {
    let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
    let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let rest = old.len().min(new.len()).saturating_sub(head);
    let tail = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(rest)
        .take_while(|(old, new)| old == new)
        .count();
    let part = |chars: &[char]| {
        let part: String =
            chars.get(head..chars.len().saturating_sub(tail)).unwrap_or_default().iter().collect();
        (!part.trim().is_empty()).then(|| format!("…{part}…"))
    };
    (part(&old), part(&new))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(before: &str, after: &str) -> Vec<String> {
        let show = |line| match line {
            Line::Gone(text) => format!("-{text}"),
            Line::New(text) => format!("+{text}"),
        };
        lines(before, after).into_iter().map(show).collect()
    }

    #[test]
    fn only_what_changes_is_shown() {
        assert_eq!(shown("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nX\ne\nf\n"), ["-…d…", "+…X…"]);
        assert_eq!(shown("", "a\nb\n"), ["+a", "+b"]);
        assert_eq!(shown("a\na\n", "a\na\na\n"), ["+a"]);
        assert_eq!(shown("a", ""), ["-a"]);
        assert!(shown("same", "same").is_empty());
        assert_eq!(shown("{\"secret\":1}", "{\"secret\":1,\"ours\":2}"), ["+…,\"ours\":2…"]);
        assert_eq!(shown("{\n \"secret\"\n}", "{\n \"secret\",\n \"ours\"\n}"), ["+ \"ours\""]);
    }
}
