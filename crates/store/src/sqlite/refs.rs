//! Citations as they are stored.

use kernel::id::OpId;
use kernel::operation::{Ref, Role};

/// Citations as bytes: for each the id, the role's length, the role.
pub(super) fn encode_refs(refs: &[Ref]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(refs.len() * 48);
    for reference in refs {
        let role = reference.role.as_str().as_bytes();
        bytes.extend_from_slice(&reference.id.0);
        // A role is at most 64 bytes, so its length fits.
        bytes.push(role.len() as u8);
        bytes.extend_from_slice(role);
    }
    bytes
}

/// The reverse of [`encode_refs`]; none if the bytes are damaged.
pub(super) fn decode_refs(mut bytes: &[u8]) -> Option<Vec<Ref>> {
    let mut refs = Vec::new();
    while !bytes.is_empty() {
        let (id, rest) = bytes.split_at_checked(32)?;
        let (length, rest) = rest.split_first()?;
        let (role, rest) = rest.split_at_checked(usize::from(*length))?;
        let role = Role::parse(std::str::from_utf8(role).ok()?).ok()?;
        refs.push(Ref { id: OpId::from_slice(id)?, role });
        bytes = rest;
    }
    Some(refs)
}
