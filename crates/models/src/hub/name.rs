//! Names of models on the hub, and of their local folders.

/// Longest part of a name: the hub's own limit.
const PART_CHARS_MAX: usize = 96;
/// Separator of the parts in a folder's name; the hub does not allow it in names.
const SEPARATOR: &str = "--";

/// `owner/name`, with only characters that are safe in paths and addresses.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HubName {
    owner: String,
    name: String,
}

impl HubName {
    /// Parses a name.
    ///
    /// ```
    /// use models::hub::HubName;
    /// let name = HubName::parse("sentence-transformers/all-MiniLM-L6-v2").unwrap();
    /// assert_eq!(name.folder(), "sentence-transformers--all-MiniLM-L6-v2");
    /// assert!(HubName::parse("../..").is_none());
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let (owner, name) = text.split_once('/')?;
        (is_part(owner) && is_part(name))
            .then(|| Self { owner: owner.to_owned(), name: name.to_owned() })
    }

    /// The name of its folder.
    pub fn folder(&self) -> String {
        format!("{}{SEPARATOR}{}", self.owner, self.name)
    }

    /// The name of the model in a folder.
    pub fn of_folder(folder: &str) -> Option<Self> {
        let (owner, name) = folder.split_once(SEPARATOR)?;
        (is_part(owner) && is_part(name))
            .then(|| Self { owner: owner.to_owned(), name: name.to_owned() })
    }
}

impl std::fmt::Display for HubName {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}/{}", self.owner, self.name)
    }
}

/// The hub's own rule: letters, digits, `-`, `_` and `.`, neither `--` nor `..`, no `-` or `.` at
/// an end.
fn is_part(part: &str) -> bool {
    let is_end = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (1..=PART_CHARS_MAX).contains(&part.len())
        && part.starts_with(is_end)
        && part.ends_with(is_end)
        && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        && !part.contains(SEPARATOR)
        && !part.contains("..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_folders_convert_both_ways() {
        for text in ["a/b", "BAAI/bge-small-en-v1.5", "_x/y_"] {
            let name = HubName::parse(text).unwrap();
            assert_eq!(name.to_string(), text);
            assert_eq!(HubName::of_folder(&name.folder()), Some(name));
        }
    }

    #[test]
    fn names_that_are_unsafe_in_paths_are_refused() {
        let long = format!("a/{}", "b".repeat(97));
        for text in [
            "", "a", "a/", "/b", "a/b/c", "../b", "a/..", "a/.b", ".a/b", "a/b.", "a\\b/c",
            "a/b?c", "a/b%2f", "a--b/c", "a/b\0", "é/b", &long,
        ] {
            assert_eq!(HubName::parse(text), None, "{text:?}");
        }
    }
}
