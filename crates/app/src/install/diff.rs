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

/// The lines that differ.
pub(super) fn lines(before: &str, after: &str) -> Vec<Line> {
    if before == after {
        return Vec::new();
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let rest = old.len().min(new.len()).saturating_sub(head);
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(old, new)| old == new).count();
    let part = |lines: &[&str], line: fn(String) -> Line| -> Vec<Line> {
        let end = lines.len().saturating_sub(tail);
        lines.get(head..end).unwrap_or_default().iter().map(|text| line((*text).to_owned())).collect()
    };
    [part(&old, Line::Gone), part(&new, Line::New)].concat()
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
        assert_eq!(shown("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nX\ne\nf\n"), ["-d", "+X"]);
        assert_eq!(shown("", "a\nb\n"), ["+a", "+b"]);
        assert_eq!(shown("a\na\n", "a\na\na\n"), ["+a"]);
        assert_eq!(shown("a", ""), ["-a"]);
        assert!(shown("same", "same").is_empty());
    }
}
