//! Local names: how operations of one proposal cite each other before they exist.
//!
//! A proposed operation has no id until it is accepted, so another one of the same proposal cites
//! it by a name. Operations are appended in the order of the list, and one may cite only those
//! before it: so every name stands for an id when it is needed, and citations form no cycle.

use std::collections::{BTreeMap, BTreeSet};

use crate::id::OpId;
use crate::malformed::MalformedError;
use crate::proposal::{Proposed, ProposedTarget};
use crate::refs::{Ref, Role, is_identifier};

/// Why the names of a proposal cannot be resolved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LocalNameError {
    /// It is not a word.
    #[error(
        "the local name {name:?} is not a word of lower-case letters, digits, `_`, `.` and `-`"
    )]
    Malformed {
        /// The name.
        name: String,
    },
    /// Two operations carry it.
    #[error("two operations of the proposal have the local name {name:?}")]
    Duplicate {
        /// The name.
        name: String,
    },
    /// No operation of the proposal carries it.
    #[error("no operation of the proposal has the local name {name:?}")]
    Unknown {
        /// The name.
        name: String,
    },
    /// The operation that carries it does not come before the one that cites it.
    #[error("{name:?} is cited by an operation that does not come after it in the proposal")]
    Forward {
        /// The name.
        name: String,
    },
    /// A role is not a word.
    #[error(transparent)]
    Role(#[from] MalformedError),
}

/// Checks the names and roles of a proposal's operations, as resolving them will need them.
pub fn check(operations: &[Proposed]) -> Result<(), LocalNameError> {
    let mut all = BTreeSet::new();
    for name in operations.iter().filter_map(|operation| operation.local.as_ref()) {
        if !is_identifier(name) {
            return Err(LocalNameError::Malformed { name: name.clone() });
        }
        if !all.insert(name) {
            return Err(LocalNameError::Duplicate { name: name.clone() });
        }
    }
    let mut earlier = BTreeSet::new();
    for operation in operations {
        for reference in &operation.refs {
            Role::parse(&reference.role)?;
            if let ProposedTarget::Local(name) = &reference.target
                && !earlier.contains(name)
            {
                let name = name.clone();
                return Err(if all.contains(&name) {
                    LocalNameError::Forward { name }
                } else {
                    LocalNameError::Unknown { name }
                });
            }
        }
        earlier.extend(&operation.local);
    }
    Ok(())
}

/// The ids of the operations of a proposal that were appended so far.
///
/// ```
/// # use kernel::id::OpId;
/// # use kernel::local_names::LocalNames;
/// # use kernel::proposal::Proposed;
/// # fn append(_: &Proposed, _: Vec<kernel::refs::Ref>) -> OpId { OpId([1; 32]) }
/// # fn accept(operations: &[Proposed]) -> Result<(), kernel::local_names::LocalNameError> {
/// let mut names = LocalNames::of(operations)?;
/// for operation in operations {
///     let id = append(operation, names.resolve(operation)?);
///     names.define(operation, id);
/// }
/// # Ok(())
/// # }
/// # accept(&[]).unwrap();
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalNames {
    ids: BTreeMap<String, OpId>,
}

impl LocalNames {
    /// For operations none of which is appended yet. Nothing is appended if their names do not
    /// resolve.
    pub fn of(operations: &[Proposed]) -> Result<Self, LocalNameError> {
        check(operations)?;
        Ok(Self::default())
    }

    /// The citations of an operation, with ids for names.
    pub fn resolve(&self, operation: &Proposed) -> Result<Vec<Ref>, LocalNameError> {
        let resolve = |target: &ProposedTarget| match target {
            ProposedTarget::Id(id) => Ok(*id),
            ProposedTarget::Local(name) => self
                .ids
                .get(name)
                .copied()
                .ok_or_else(|| LocalNameError::Unknown { name: name.clone() }),
        };
        operation
            .refs
            .iter()
            .map(|cited| Ok(Ref { id: resolve(&cited.target)?, role: Role::parse(&cited.role)? }))
            .collect()
    }

    /// Adds the operation that was appended for a proposed one.
    pub fn define(&mut self, operation: &Proposed, id: OpId) {
        if let Some(name) = &operation.local {
            self.ids.insert(name.clone(), id);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::body::Body;
    use crate::canonical;
    use crate::kind::Kind;

    fn proposal(operations: Value) -> Body {
        let body = json!({ "origin": "model", "operations": operations });
        Body::parse(&Kind::Proposal, &canonical::to_bytes(&body).unwrap()).unwrap()
    }

    fn operations(value: Value) -> Vec<Proposed> {
        let Body::Proposal(proposal) = proposal(value) else { panic!() };
        assert!(!proposal.operations.is_empty());
        proposal.operations
    }

    fn node(local: &str, refs: Value) -> Value {
        json!({ "local": local, "kind": "node", "body": {}, "refs": refs })
    }

    fn names(error: LocalNameError) -> (&'static str, String) {
        match error {
            LocalNameError::Malformed { name } => ("malformed", name),
            LocalNameError::Duplicate { name } => ("duplicate", name),
            LocalNameError::Unknown { name } => ("unknown", name),
            LocalNameError::Forward { name } => ("forward", name),
            LocalNameError::Role(error) => ("role", error.to_string()),
        }
    }

    #[test]
    fn names_are_resolved_in_order_and_ids_are_kept() {
        let given = OpId([9; 32]);
        let operations = operations(json!([
            node("a", json!([{ "id": given, "role": "input" }])),
            { "kind": "node", "body": {} },
            node("b.1", json!([{ "local": "a", "role": "input" }])),
            { "kind": "edge", "body": {}, "refs": [{ "local": "b.1", "role": "from" }, { "local": "a", "role": "to" }] },
        ]));
        let mut names = LocalNames::of(&operations).unwrap();
        let mut cited: Vec<Vec<OpId>> = Vec::new();
        for (number, operation) in operations.iter().enumerate() {
            let refs = names.resolve(operation).unwrap();
            cited.push(refs.iter().map(|cited| cited.id).collect());
            names.define(operation, OpId([number as u8; 32]));
        }
        let id = |number| OpId([number; 32]);
        assert_eq!(cited, [vec![given], vec![], vec![id(0)], vec![id(2), id(0)]]);
    }

    #[test]
    fn a_proposal_with_local_names_reads_back_as_the_same_bytes() {
        let id = OpId([9; 32]);
        let body = proposal(json!([
            node("a", json!([{ "id": id, "role": "input" }])),
            node("b", json!([{ "local": "a", "role": "input" }])),
        ]));
        let bytes = body.canonical().unwrap();
        assert_eq!(Body::parse(&Kind::Proposal, &bytes).unwrap(), body);
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.contains(r#""refs":[{"local":"a","role":"input"}]"#), "{text}");
    }

    #[test]
    fn names_that_do_not_resolve_are_refused_and_named() {
        let cites = |name: &str| json!([{ "local": name, "role": "input" }]);
        let table = [
            (json!([node("a", cites("b"))]), ("unknown", "b")),
            (json!([node("a", cites("b")), node("b", json!([]))]), ("forward", "b")),
            (json!([node("a", cites("a"))]), ("forward", "a")),
            (json!([node("a", cites("b")), node("b", cites("a"))]), ("forward", "b")),
            (json!([node("a", json!([])), node("a", json!([]))]), ("duplicate", "a")),
            (json!([node("A b", json!([]))]), ("malformed", "A b")),
        ];
        for (value, (error, name)) in table {
            let body = proposal(value.clone());
            assert_eq!(body.unfit_field(), Some("operations"), "{value}");
            let found = names(LocalNames::of(&operations(value)).unwrap_err());
            assert_eq!(found, (error, name.to_owned()));
        }
        let role =
            json!([{ "kind": "node", "body": {}, "refs": [{ "id": OpId([9; 32]), "role": "A" }] }]);
        assert_eq!(names(check(&operations(role)).unwrap_err()).0, "role");
    }

    #[test]
    fn a_citation_names_an_operation_in_exactly_one_way() {
        let id = OpId([9; 32]);
        for cited in [
            json!({ "role": "input" }),
            json!({ "id": id, "local": "a", "role": "input" }),
            json!({ "id": "b3:0", "role": "input" }),
            json!({ "local": 1, "role": "input" }),
        ] {
            let body = json!([{ "kind": "node", "body": {}, "refs": [cited] }]);
            let Body::Proposal(proposal) = proposal(body) else { panic!() };
            assert!(proposal.operations.is_empty() && proposal.others.contains_key("operations"));
        }
    }
}
