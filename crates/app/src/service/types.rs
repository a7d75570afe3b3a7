//! Types of records by their names, as lists and exports select them.

use std::collections::BTreeSet;

use kernel::body::{NodeType, TextClaimType};

use crate::failure::RequestError;

/// Reads a type of claims or a family of types. A type with a dot may be one of another program's
/// derivers.
pub(crate) fn claim_type(name: &str) -> Result<String, RequestError> {
    one_of(name, &claim_types())
}

/// Reads a type of nodes or claims, or a family of types of claims.
pub(crate) fn record_type(name: &str) -> Result<String, RequestError> {
    one_of(name, &record_types())
}

/// The types of claims in words, and the families of derived ones.
pub(crate) fn claim_types() -> BTreeSet<&'static str> {
    let stated = TextClaimType::ALL.iter().map(|of| of.as_str());
    let derivers = derivers::builtin();
    let derived = derivers.iter().flat_map(|deriver| deriver.claim_types());
    stated.chain(derived.filter_map(|of| of.name.split('.').next())).collect()
}

/// The same, and the types of nodes.
pub(crate) fn record_types() -> BTreeSet<&'static str> {
    claim_types().into_iter().chain(NodeType::ALL.iter().map(|of| of.as_str())).collect()
}

fn one_of(name: &str, known: &BTreeSet<&'static str>) -> Result<String, RequestError> {
    if is_dotted(name) || known.contains(name) {
        return Ok(name.to_owned());
    }
    let known: Vec<&str> = known.iter().copied().collect();
    let detail = format!("no type or family of types has this name; they are {}", known.join(", "));
    Err(RequestError::UnknownType { detail })
}

/// Whether it is of another program's derivers, whose types begin with a reverse domain name.
fn is_dotted(name: &str) -> bool {
    let is_part = |part: &str| {
        part.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && part.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter))
    };
    name.contains('.') && name.split('.').all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_known_or_of_another_deriver_and_else_those_that_are_known_are_named() {
        for name in ["fact", "routine", "routine.weekly", "sleep.nightly", "org.example.habit"] {
            assert_eq!(claim_type(name).unwrap(), name);
            assert_eq!(record_type(name).unwrap(), name);
        }
        assert_eq!(record_type("entity").unwrap(), "entity");
        for (refused, known) in [
            (claim_type("zork"), "fact"),
            (claim_type("entity"), "routine"),
            (claim_type(""), "place"),
            (claim_type("0.5"), "place"),
            (claim_type("a..b"), "place"),
            (record_type("zork"), "entity"),
        ] {
            let refused = refused.unwrap_err();
            assert_eq!(refused.code(), "unknown_type");
            assert!(refused.to_string().contains(known), "{refused}");
        }
    }
}
