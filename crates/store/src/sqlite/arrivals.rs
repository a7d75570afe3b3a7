//! What is known of operations because they just arrived.
//!
//! Most identities of an import are new, and most of what it adds is cited by nothing yet. Once the
//! file has been asked whether anything is stated of an identity, and nothing is, all statements of
//! it are among those that were folded since. So a look-up of it, or of what cites an operation
//! that was added since, does not ask the file again.
//!
//! What is forgotten here is looked up in the file, so everything may be forgotten at any time.

use std::cell::RefCell;
use std::collections::HashMap;

use kernel::id::OpId;

/// Identities and operations that are remembered.
const REMEMBERED_MAX: usize = 1 << 15;
/// Statements of one identity that are remembered.
const STATEMENTS_MAX: usize = 16;

/// What arrived since an index was made.
#[derive(Default)]
pub(super) struct Arrivals {
    /// Identities of which nothing was stated before, with their statements in order of arrival.
    identities: RefCell<HashMap<String, Vec<OpId>, foldhash::fast::RandomState>>,
    /// Operations, and whether another cites them.
    operations: RefCell<HashMap<OpId, bool, foldhash::fast::RandomState>>,
}

impl Arrivals {
    /// Every statement of an identity, in order of arrival; none if the file has to be asked.
    pub(super) fn statements(&self, key: &str) -> Option<Vec<OpId>> {
        self.identities.borrow().get(key).cloned()
    }

    /// Whether everything that is stated of an identity arrived since.
    pub(super) fn is_new(&self, key: &str) -> bool {
        self.identities.borrow().contains_key(key)
    }

    /// Notes that nothing is stated of an identity, as the file says.
    pub(super) fn note_new(&self, key: &str) {
        let mut identities = self.identities.borrow_mut();
        if identities.len() >= REMEMBERED_MAX {
            identities.clear();
        }
        identities.insert(key.to_owned(), Vec::new());
    }

    /// Notes a statement that was added.
    pub(super) fn note_statement(&self, key: &str, id: OpId) {
        let mut identities = self.identities.borrow_mut();
        let Some(statements) = identities.get_mut(key) else { return };
        match statements.len() < STATEMENTS_MAX {
            true => statements.push(id),
            false => drop(identities.remove(key)),
        }
    }

    /// Notes an operation that was added, which nothing cites yet.
    pub(super) fn note_operation(&self, id: OpId) {
        let mut operations = self.operations.borrow_mut();
        if operations.len() >= REMEMBERED_MAX {
            operations.clear();
        }
        operations.insert(id, false);
    }

    /// Notes that an operation is cited.
    pub(super) fn note_citation(&self, id: &OpId) {
        if let Some(is_cited) = self.operations.borrow_mut().get_mut(id) {
            *is_cited = true;
        }
    }

    /// Whether it is known that nothing cites an operation.
    pub(super) fn is_uncited(&self, id: &OpId) -> bool {
        self.operations.borrow().get(id) == Some(&false)
    }

    /// Forgets the identities, of which something else may be stored from now on.
    pub(super) fn forget_identities(&self) {
        self.identities.borrow_mut().clear();
    }
}
