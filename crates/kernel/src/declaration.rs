//! Declarations: which bodies an export leaves out, signed by whoever leaves them out.
//!
//! A declaration is a line of the interchange form beside the operations, and not part of the
//! ledger: it says something about one file, not about the space. A [`Declaration`] exists only
//! with a valid signature; whether its author's word counts is decided by
//! [`missing_body`](crate::missing_body).

use data_encoding::BASE64URL_NOPAD;
use serde::{Deserialize, Serialize};

use crate::canonical;
use crate::id::{Author, OpId, SpaceId};
use crate::malformed::{Malformation, MalformedError};
use crate::operation::{FORMAT_VERSION, LINE_BYTES_MAX};

/// Most bodies that one declaration names.
pub const WITHHELD_MAX: usize = 10_000;

/// The context in which a declaration is hashed, so that its signature is never one of an
/// operation.
const CONTEXT: &str = "because 2026 declaration of withheld bodies";

/// What a declaration states, before it is signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// Who leaves the bodies out, and signs.
    pub author: Author,
    /// For whom the export is made, if for one key.
    #[serde(deserialize_with = "present")]
    pub recipient: Option<Author>,
    /// The space.
    pub space: SpaceId,
    /// The format version.
    pub v: u64,
    /// The operations whose bodies are left out.
    pub withheld: Vec<OpId>,
}

/// A field that may be null and has to be there.
fn present<'de, D: serde::Deserializer<'de>>(field: D) -> Result<Option<Author>, D::Error> {
    Option::deserialize(field)
}

impl Statement {
    /// A statement in this format version.
    pub fn new(
        space: SpaceId,
        author: Author,
        recipient: Option<Author>,
        withheld: Vec<OpId>,
    ) -> Self {
        Self { author, recipient, space, v: FORMAT_VERSION, withheld }
    }

    /// The canonical bytes, if the statement keeps within the format.
    pub(crate) fn canonical(&self) -> Result<Vec<u8>, MalformedError> {
        if self.v != FORMAT_VERSION {
            return Err(MalformedError::new("v", Malformation::Version { found: self.v }));
        }
        if self.withheld.len() > WITHHELD_MAX {
            let too_many = Malformation::TooMany { entries_max: WITHHELD_MAX };
            return Err(MalformedError::new("withheld", too_many));
        }
        canonical::to_bytes(self).map_err(|error| MalformedError::new("declaration", error))
    }
}

/// The 32 bytes that are signed.
pub(crate) fn digest(canonical: &[u8]) -> [u8; 32] {
    blake3::derive_key(CONTEXT, canonical)
}

/// A statement with its author's signature, which is valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    statement: Statement,
    canonical: Vec<u8>,
    sig: [u8; 64],
}

/// Why a line is not a declaration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeclarationError {
    /// The bytes do not fit the format.
    #[error(transparent)]
    Malformed(#[from] MalformedError),
    /// The signature is not the author's.
    #[error("the signature of the declaration is not that of {author}")]
    Signature {
        /// The claimed author.
        author: Author,
    },
}

impl DeclarationError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Malformed(_) => "malformed",
            Self::Signature { .. } => "signature_invalid",
        }
    }
}

/// The interchange form.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    declaration: Statement,
    sig: String,
}

impl Declaration {
    /// From a statement that was just signed.
    pub(crate) fn signed(statement: Statement, canonical: Vec<u8>, sig: [u8; 64]) -> Self {
        Self { statement, canonical, sig }
    }

    /// Whether a line of an interchange file is a declaration and not an operation.
    pub fn is_line(line: &[u8]) -> bool {
        line.starts_with(b"{\"declaration\":")
    }

    /// Reads one line of the interchange form and checks its signature.
    pub fn from_line(line: &[u8]) -> Result<Self, DeclarationError> {
        if line.len() > LINE_BYTES_MAX {
            let too_long = Malformation::TooLong { bytes_max: LINE_BYTES_MAX };
            return Err(MalformedError::new("line", too_long).into());
        }
        let value = canonical::parse(line).map_err(|error| MalformedError::new("line", error))?;
        let Line { declaration: statement, sig } =
            serde_json::from_value(value).map_err(|error| {
                MalformedError::new("declaration", Malformation::Body(error.to_string()))
            })?;
        let canonical = statement.canonical()?;
        let sig: [u8; 64] = BASE64URL_NOPAD
            .decode(sig.as_bytes())
            .ok()
            .and_then(|bytes| bytes.try_into().ok())
            .ok_or(MalformedError::not_a("sig", "64 bytes of base64url"))?;
        ed25519_zebra::VerificationKey::try_from(statement.author.0)
            .and_then(|key| key.verify(&sig.into(), &digest(&canonical)))
            .map_err(|_| DeclarationError::Signature { author: statement.author })?;
        Ok(Self { statement, canonical, sig })
    }

    /// The interchange form: one line of canonical JSON without the line break.
    pub fn to_line(&self) -> String {
        let statement = String::from_utf8_lossy(&self.canonical);
        format!(r#"{{"declaration":{statement},"sig":"{}"}}"#, BASE64URL_NOPAD.encode(&self.sig))
    }

    /// What it states.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seal::Signer;

    fn statement(signer: &Signer, count: usize) -> Statement {
        let withheld = (0..count).map(|number| OpId([number as u8; 32])).collect();
        Statement::new(SpaceId(OpId([7; 32])), signer.author(), None, withheld)
    }

    #[test]
    fn a_declaration_reads_back_and_no_byte_of_it_can_be_changed() {
        let signer = Signer::from_seed([1; 32]);
        let declaration = signer.declare(statement(&signer, 3)).unwrap();
        let line = declaration.to_line();
        assert!(Declaration::is_line(line.as_bytes()));
        assert_eq!(Declaration::from_line(line.as_bytes()), Ok(declaration));
        let other = Signer::from_seed([2; 32]).author().to_string();
        for (from, to) in [
            ("\"recipient\":null".to_owned(), format!("\"recipient\":\"{other}\"")),
            (signer.author().to_string(), other),
            (OpId([2; 32]).to_string(), OpId([9; 32]).to_string()),
        ] {
            let changed = line.replace(&from, &to);
            assert_ne!(changed, line);
            let error = Declaration::from_line(changed.as_bytes()).unwrap_err();
            assert_eq!(error.code(), "signature_invalid", "{to}");
        }
        for changed in
            [line.replace("\"v\":1", "\"v\":2"), line.replace("{\"decl", "{\"x\":1,\"decl")]
        {
            assert_eq!(Declaration::from_line(changed.as_bytes()).unwrap_err().code(), "malformed");
        }
    }

    #[test]
    fn a_declaration_has_a_limited_number_of_entries_and_states_its_signer() {
        let signer = Signer::from_seed([1; 32]);
        assert!(signer.declare(statement(&signer, WITHHELD_MAX)).is_ok());
        assert!(signer.declare(statement(&signer, WITHHELD_MAX + 1)).is_err());
        let other = Signer::from_seed([2; 32]);
        let declared = other.declare(statement(&signer, 1)).unwrap();
        assert_eq!(declared.statement().author, other.author());
    }
}
