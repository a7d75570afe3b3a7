//! A line diff of two texts. Our changes are in one place, so it is enough to find the common
//! beginning and end. Lines around the change are not shown: they belong to others and may hold
//! keys and tokens.

/// A line of a diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Removed.
    Gone(String),
    /// Added.
    New(String),
}

/// The lines that differ. Where a single line changed, only its changed part.
pub(super) fn lines(before: &str, after: &str) -> Vec<Line> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let is_same = |(old, new): &(&&str, &&str)| has_same_content(old, new);
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

/// Whether two lines differ only by the comma before a neighbour and trailing white space.
fn has_same_content(left: &str, right: &str) -> bool {
    let (left, right) = (left.trim_end(), right.trim_end());
    left == right || is_with_comma(left, right) || is_with_comma(right, left)
}

/// Whether `long` is `short` with a comma appended, or with one before its trailing comment.
fn is_with_comma(long: &str, short: &str) -> bool {
    let head = long.bytes().zip(short.bytes()).take_while(|(long, short)| long == short).count();
    let (Some(long), Some(short)) = (long.get(head..), short.get(head..)) else { return false };
    let after = short.trim_start();
    long.strip_prefix(',') == Some(short)
        && (after.is_empty() || after.starts_with("//") || after.starts_with("/*"))
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
        for comment in ["// mine", "/* mine */ // é"] {
            let (before, after) = (format!("[\n5 {comment}\n]"), format!("[\n5, {comment}\n6\n]"));
            assert_eq!(shown(&before, &after), ["+6"]);
            assert_eq!(shown(&after, &before), ["-6"]);
        }
        assert_eq!(shown("/opt/ab", "/opt/a,b"), ["+…,…"]);
    }
}
