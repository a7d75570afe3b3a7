//! Citations: what an operation cites, and as what.

use crate::id::OpId;
use crate::malformed::{Malformation, MalformedError};
use crate::operation::WORD_BYTES_MAX;

/// A citation of an earlier operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ref {
    /// The cited operation.
    pub id: OpId,
    /// As what it is cited: `target`, `supersedes`, `cause`, or a role that the author chose.
    pub role: Role,
}

/// The bytes of a role that are kept without an allocation.
const INLINE_BYTES: usize = 22;

/// As what an operation is cited. A word like a kind: `[a-z][a-z0-9_.-]*`.
///
/// A ledger in memory holds millions of roles, nearly all of them short, so a short one is kept in
/// place.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Role(Word);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Word {
    Short { length: u8, bytes: [u8; INLINE_BYTES] },
    Long(Box<str>),
}

impl Role {
    /// The operation acted upon.
    pub const TARGET: &'static str = "target";
    /// The operation whose body was moved to an archive.
    pub const ARCHIVED: &'static str = "archived";
    /// The operation replaced.
    pub const SUPERSEDES: &'static str = "supersedes";
    /// The trigger of an invalidation.
    pub const CAUSE: &'static str = "cause";
    /// The thought that a thought refines.
    pub const REFINES: &'static str = "refines";
    /// A thought that a thought consolidates.
    pub const CONSOLIDATES: &'static str = "consolidates";
    /// Where an edge begins.
    pub const FROM: &'static str = "from";
    /// Where an edge ends.
    pub const TO: &'static str = "to";

    /// A role by name.
    pub fn parse(word: &str) -> Result<Self, MalformedError> {
        if !is_identifier(word) {
            return Err(MalformedError::new("role", Malformation::Word));
        }
        let mut bytes = [0; INLINE_BYTES];
        Ok(Self(match (bytes.get_mut(..word.len()), u8::try_from(word.len())) {
            (Some(short), Ok(length)) => {
                short.copy_from_slice(word.as_bytes());
                Word::Short { length, bytes }
            }
            _ => Word::Long(word.into()),
        }))
    }

    /// The role's name.
    pub fn as_str(&self) -> &str {
        // Always valid: `parse` lets only ASCII in.
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Word::Short { length, bytes } => bytes.get(..usize::from(*length)).unwrap_or_default(),
            Word::Long(word) => word.as_bytes(),
        }
    }
}

impl std::fmt::Debug for Role {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Role({:?})", self.as_str())
    }
}

impl PartialOrd for Role {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Role {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

/// True for what may name a kind or a role.
pub fn is_identifier(word: &str) -> bool {
    word.len() <= WORD_BYTES_MAX
        && word.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase())
        && word.bytes().all(|byte| WORD_BYTES.get(usize::from(byte)).is_some_and(|may| *may))
}

/// For each byte, whether a word may have it. Every citation that is read is checked, so this is
/// asked of every byte of every role.
const WORD_BYTES: [bool; 256] = {
    let mut may = [false; 256];
    let mut byte = 0;
    while byte < may.len() {
        may[byte] = matches!(byte as u8, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'.' | b'-');
        byte += 1;
    }
    may
};

/// Every operation that is cited in a role, in the author's order.
pub fn cited<'r>(refs: &'r [Ref], role: &'r str) -> impl Iterator<Item = OpId> + use<'r> {
    refs.iter().filter(move |reference| reference.role.as_str() == role).map(|cited| cited.id)
}

/// The only one of some items; none where there are none or several.
pub(crate) fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_of_any_length_read_back_and_are_ordered_as_text() {
        let words: Vec<String> =
            (1..=WORD_BYTES_MAX).map(|length| "role_".repeat(13)[..length].to_owned()).collect();
        let roles: Vec<Role> = words.iter().map(|word| Role::parse(word).unwrap()).collect();
        assert!(roles.iter().zip(&words).all(|(role, word)| role.as_str() == word));
        assert!(roles.is_sorted());
        assert_eq!(format!("{:?}", roles[3]), "Role(\"role\")");
        for word in ["", "Target", "a b", "1a", &"x".repeat(WORD_BYTES_MAX + 1)] {
            assert!(Role::parse(word).is_err(), "{word}");
        }
    }

    #[test]
    fn a_role_takes_at_most_the_size_of_a_string() {
        assert!(size_of::<Role>() <= size_of::<String>());
    }

    #[test]
    fn only_one_item_is_the_only_one() {
        assert_eq!(only([1].into_iter()), Some(1));
        assert_eq!(only([0; 0].into_iter()), None);
        assert_eq!(only([1, 1].into_iter()), None);
    }
}
