//! Lists in records of mail and calendars: people, links, attachments, labels.

/// Most entries of a list of one record.
pub(crate) const LIST_MAX: usize = 500;

/// The entries that are not blank, without duplicates, at most [`LIST_MAX`].
pub(crate) fn distinct(values: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for value in values {
        if kept.len() < LIST_MAX && !value.is_empty() && !kept.contains(&value) {
            kept.push(value);
        }
    }
    kept
}
