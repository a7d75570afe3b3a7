//! Who the owner of the memory is, by the names and addresses that they gave.
//!
//! A record names people as its source does: by a name, an address, or both. The owner is
//! recognised by any name and any address that they stated as their own. Without a statement,
//! nobody is recognised, and the derivers infer what they can from the records.

use std::collections::BTreeSet;

use crate::names::{Person, address_of, person};
use crate::slug::slug;

/// The names and addresses of the owner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owner {
    /// Slugs of names.
    names: BTreeSet<String>,
    /// Addresses in lower case.
    addresses: BTreeSet<String>,
}

impl Owner {
    /// The owner with these names and addresses. Empty ones are left out.
    ///
    /// ```
    /// use derivers::owner::Owner;
    ///
    /// let owner = Owner::new(["Mara Lindqvist"], ["mara@example.org"]);
    /// assert!(owner.is("\"Lindqvist, Mara\""));
    /// assert!(owner.is("M. L. <Mara@Example.org>"));
    /// assert!(!owner.is("Mara <other@example.org>"));
    /// ```
    pub fn new<'a>(
        names: impl IntoIterator<Item = &'a str>,
        addresses: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let slug_of = |name: &str| person(name).map_or_else(|| slug(name), |person| person.slug);
        Self {
            names: names.into_iter().map(slug_of).filter(|slug| !slug.is_empty()).collect(),
            addresses: addresses
                .into_iter()
                .map(|address| address.trim().to_lowercase())
                .filter(|address| !address.is_empty())
                .collect(),
        }
    }

    /// Whether the owner said who they are.
    pub fn is_known(&self) -> bool {
        !self.names.is_empty() || !self.addresses.is_empty()
    }

    /// Whether a text from a record names the owner: a name, an address, or `Name <address>`.
    pub fn is(&self, raw: &str) -> bool {
        self.is_known() && self.is_person(raw, person(raw).as_ref())
    }

    /// The same where the text was read as a person's name already.
    pub(crate) fn is_person(&self, raw: &str, read: Option<&Person>) -> bool {
        if !self.is_known() {
            return false;
        }
        let address = address_of(raw).map(str::to_lowercase);
        address.is_some_and(|address| self.addresses.contains(&address))
            || read.is_some_and(|person| self.names.contains(&person.slug))
            || self.names.contains(&slug(raw))
    }

    /// Whether a name may be short for the owner's: `mara` for `mara-lindqvist`.
    pub fn may_be(&self, slug: &str) -> bool {
        self.names.iter().any(|name| {
            name == slug || name.strip_prefix(slug).is_some_and(|rest| rest.starts_with('-'))
        })
    }

    /// All of it as one text, which differs where anything does.
    pub fn parameters(&self) -> String {
        if !self.is_known() {
            return String::new();
        }
        let join = |texts: &BTreeSet<String>| texts.iter().cloned().collect::<Vec<_>>().join(" ");
        format!("{}|{}", join(&self.names), join(&self.addresses))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_owner_is_recognised_by_every_name_and_address() {
        let owner = Owner::new(["Mara Lindqvist", "mlq", "root"], ["Mara@Example.org "]);
        for raw in ["MARA LINDQVIST", "mlq", "root", "<mara@example.org>", "x <mara@example.org>"] {
            assert!(owner.is(raw), "{raw}");
        }
        for raw in ["", "Mara", "Mara Berg", "ara@example.org", "mara@example.org.test"] {
            assert!(!owner.is(raw), "{raw}");
        }
        assert!(owner.may_be("mara") && !owner.may_be("mar") && !owner.may_be("lindqvist"));
    }

    #[test]
    fn without_names_nobody_is_the_owner() {
        let owner = Owner::new(["", " "], [""]);
        assert!(!owner.is_known() && !owner.is("") && !owner.is("Mara"));
        assert_eq!(owner.parameters(), "");
    }
}
