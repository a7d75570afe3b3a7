//! Which keys belong to a space.
//!
//! Anybody can sign operations for a space with a key of their own and add them to an export. What
//! such a key writes has no effect, but a ledger that kept it would pass it on for ever, and its
//! times would move every clock. So an exchange takes only what members wrote.
//!
//! A *member* is the owner, or a key to which a member ever granted a capability. Times and
//! revocations do not matter here: an honest device may write before it learns that it, or whoever
//! granted it something, was revoked, and its chain must still merge. So the members of a set of
//! operations only grow with the set, and merging stays the union of what members wrote.

use std::collections::BTreeSet;

use crate::access::Access;
use crate::id::Author;

/// The members of a space, as far as its grants are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Members(BTreeSet<Author>);

impl Members {
    /// The members according to all grants, with and without effect.
    pub fn of(access: &Access) -> Self {
        let mut members: BTreeSet<Author> = access.owner().into_iter().collect();
        let mut known = 0;
        // Each round but the last adds a key.
        while members.len() > known {
            known = members.len();
            for change in access.changes() {
                if change.gives
                    && !change.capabilities.is_empty()
                    && members.contains(&change.author)
                {
                    members.insert(change.key);
                }
            }
        }
        Self(members)
    }

    /// Whether a key is a member.
    pub fn contains(&self, key: &Author) -> bool {
        self.0.contains(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::Change;
    use crate::id::OpId;
    use crate::kind::Capability;
    use crate::operation::HlcTimestamp;

    fn key(number: u8) -> Author {
        Author([number; 32])
    }

    fn change(author: u8, to: u8, capability: Option<Capability>, gives: bool) -> Change {
        let capabilities = capability.into_iter().collect();
        Change { author: key(author), key: key(to), capabilities, gives, last_seq: None, seq: 1 }
    }

    #[test]
    fn members_are_granted_something_by_members_in_any_order_and_stay_members() {
        let mut access = Access::default();
        access.set_owner(key(1));
        let append = Some(Capability::Append);
        let changes = [
            change(3, 4, append, true),
            change(1, 2, append, true),
            change(2, 3, append, true),
            change(1, 2, append, false),
            change(1, 5, None, true),
            change(1, 6, append, false),
            change(8, 8, append, true),
            change(8, 9, append, true),
        ];
        for (ts, change) in (1..).zip(changes) {
            access.insert((HlcTimestamp(ts), OpId([0; 32])), change);
        }
        let members = Members::of(&access);
        let found: Vec<u8> = (0..10).filter(|number| members.contains(&key(*number))).collect();
        assert_eq!(found, [1, 2, 3, 4]);
        assert_eq!(Members::of(&Access::default()), Members::default());
    }
}
