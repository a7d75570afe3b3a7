//! Base forms of irregular English words: went → go, children → child, better → good.
//!
//! The table is derived from WordNet's exception lists (licence in `data/irregular-en.LICENSE`) and
//! is used directly from the binary: sorted lines, found by binary search, so that it costs a
//! process nothing at start-up. Forms with the same stem as their base are not in it.

static TABLE: &str = include_str!("../../data/irregular-en.txt");

/// The base form of `form` (lower case), if the form is irregular.
pub(super) fn base_form(form: &str) -> Option<&'static str> {
    let mut rest = TABLE;
    while !rest.is_empty() {
        // The table is ASCII, so the middle byte is a character boundary; compare the line around
        // it.
        let (before, after) = rest.split_at_checked(rest.len() / 2)?;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let end = after.find('\n').map_or(rest.len(), |newline| before.len() + newline);
        let (entry, base) = rest.get(start..end)?.split_once(' ')?;
        match form.cmp(entry) {
            std::cmp::Ordering::Equal => return Some(base),
            std::cmp::Ordering::Less => rest = rest.get(..start)?,
            std::cmp::Ordering::Greater => rest = rest.get(end + 1..).unwrap_or(""),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_found_and_sorted() {
        let mut previous = "";
        for line in TABLE.lines() {
            let (form, base) = line.split_once(' ').unwrap();
            assert!(previous < form, "{previous} {form}");
            assert_eq!(base_form(form), Some(base), "{form}");
            previous = form;
        }
    }

    #[test]
    fn other_words_are_not_found() {
        for form in ["", "a", "zzz", "walked", "went ", "größer", "\n", " "] {
            assert_eq!(base_form(form), None, "{form:?}");
        }
    }
}
