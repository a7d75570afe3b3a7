//! Names that are like a name: what may be meant by one that nothing has.

use engine::selection::Selection;
use engine::{EngineError, Space};
use kernel::identity::normalized_text;

use crate::failure::RequestError;

/// Least likeness of two names of which one may be meant by the other.
const LIKENESS_MIN: f64 = 0.85;
/// Most names that are suggested.
const NEAR_MAX: usize = 5;

/// How like two normalised names are, if one may be meant by the other.
pub(crate) fn likeness(one: &str, other: &str) -> Option<f64> {
    Some(strsim::jaro_winkler(one, other)).filter(|likeness| *likeness >= LIKENESS_MIN)
}

/// The names that may be meant by `name`, the likest first: those with it in them, and those that
/// are spelt nearly like it.
fn near(known: Vec<String>, name: &str) -> Vec<String> {
    let name = normalized_text(name);
    if name.is_empty() {
        return Vec::new();
    }
    let like = |known: String| {
        let normalized = normalized_text(&known);
        let is_in = normalized.contains(&name);
        let words = normalized.split_whitespace().chain([normalized.as_str()]);
        let best = words.filter_map(|word| likeness(word, &name)).reduce(f64::max);
        Some((if is_in { 1.0 } else { best? }, known))
    };
    let mut found: Vec<(f64, String)> = known.into_iter().filter_map(like).collect();
    found.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    found.into_iter().take(NEAR_MAX).map(|(_, known)| known).collect()
}

/// The error of a selection without records, with the authors that may be meant. Only whoever sees
/// everything of the space may be told.
pub(crate) fn no_such_records(
    space: &Space,
    selection: &Selection,
    which: String,
) -> Result<RequestError, EngineError> {
    let near = match &selection.actor {
        Some(name) => {
            let mut authors = space.authors()?;
            // The name itself is not what is wrong with a selection.
            authors.retain(|author| author.to_lowercase() != name.to_lowercase());
            near(authors, name)
        }
        None => Vec::new(),
    };
    Ok(RequestError::NoSuchRecords { which, near })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_name_and_a_misspelt_one_are_near() {
        let known = ["Petra Novak", "Peter Nowak", "Mara Lindqvist"].map(str::to_owned).to_vec();
        for (name, meant) in [
            ("petra", &["Petra Novak", "Peter Nowak"][..]),
            ("Novak", &["Petra Novak", "Peter Nowak"]),
            ("Petra Nowak", &["Petra Novak", "Peter Nowak"]),
            ("lindquist", &["Mara Lindqvist"]),
            ("zzz", &[]),
            (" ", &[]),
        ] {
            assert_eq!(near(known.clone(), name), meant, "{name}");
        }
    }
}
