//! An operation: header, body and signature, and whether they are verified.
//!
//! The header's canonical bytes give the id, the id is what is signed, and the header holds the
//! body only through its salted hash. So a body can be removed or withheld and id, signature, chain
//! and provenance still verify. What arrives is an `Operation<Unverified>`; only
//! [`verify`](Operation::verify), [`verify_batch`] and sealing make an `Operation<Verified>`, and
//! only those can be recorded.

use std::fmt::Write as _;
use std::marker::PhantomData;

use data_encoding::BASE64URL_NOPAD;
use serde_json::{Map, Value};

use crate::access::Place;
use crate::canonical;
use crate::id::{Author, BodyHash, OpId, SpaceId};
use crate::kind::Kind;
use crate::refs::{cited, only};

pub use crate::malformed::{Malformation, MalformedError};
pub use crate::refs::{Ref, Role, is_identifier};

/// The format version this crate writes and reads.
pub const FORMAT_VERSION: u64 = 1;
/// Largest canonical body, bytes.
pub const BODY_BYTES_MAX: usize = 1 << 20;
/// Most references of one operation.
pub const REFS_MAX: usize = 4_096;
/// Longest kind or role, bytes.
pub const WORD_BYTES_MAX: usize = 64;
/// How deep a body is nested in its line: inside the operation's own object.
pub(crate) const DEPTH_IN_LINE: usize = 1;
/// Longest line of the interchange form that is read, bytes.
pub const LINE_BYTES_MAX: usize = 4 << 20;

/// A reading of the hybrid logical clock: microseconds since the Unix epoch, advanced where the
/// order requires it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HlcTimestamp(pub u64);

/// The signed part of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// What the operation does.
    pub kind: Kind,
    /// The space it belongs to; none in a genesis operation.
    pub space: Option<SpaceId>,
    /// The signing key.
    pub author: Author,
    /// Position in the author's chain, from 1.
    pub seq: u64,
    /// The author's operation before it.
    pub prev: Option<OpId>,
    /// Its time, which with its id gives its place in the space's order.
    pub ts: HlcTimestamp,
    /// What it cites, in the author's order.
    pub refs: Vec<Ref>,
    /// Commits to salt and body.
    pub body: BodyHash,
}

impl Header {
    /// RFC 8785 bytes of the header. Every string in it is plain ASCII without quotes, so that the
    /// canonical form can be written directly; a test compares it with the general one.
    pub fn canonical(&self) -> Vec<u8> {
        let mut text = String::with_capacity(320 + self.refs.len() * 96);
        let _ = write!(
            text,
            r#"{{"author":"{}","body":"{}","kind":"{}","prev":"#,
            self.author, self.body, self.kind
        );
        match &self.prev {
            Some(prev) => {
                let _ = write!(text, "\"{prev}\"");
            }
            None => text.push_str("null"),
        }
        text.push_str(",\"refs\":[");
        for (position, reference) in self.refs.iter().enumerate() {
            let comma = if position > 0 { "," } else { "" };
            let _ = write!(
                text,
                r#"{comma}{{"id":"{}","role":"{}"}}"#,
                reference.id,
                reference.role.as_str()
            );
        }
        let _ = write!(text, "],\"seq\":{},\"space\":", self.seq);
        match &self.space {
            Some(space) => {
                let _ = write!(text, "\"{space}\"");
            }
            None => text.push_str("null"),
        }
        let _ = write!(text, ",\"ts\":{},\"v\":{FORMAT_VERSION}}}", self.ts.0);
        text.into_bytes()
    }

    /// The operation's id: BLAKE3 of the canonical header.
    pub fn id(&self) -> OpId {
        OpId(*blake3::hash(&self.canonical()).as_bytes())
    }

    /// The space this operation is in: its own id for a genesis operation.
    pub fn space_or_own(&self, id: OpId) -> SpaceId {
        self.space.unwrap_or(SpaceId(id))
    }

    fn parse(value: &Value) -> Result<Self, MalformedError> {
        let object = Fields::of(value, "header", 9)?;
        let found = object.integer("v")?;
        if found != FORMAT_VERSION {
            return Err(MalformedError::new("v", Malformation::Version { found }));
        }
        let refs =
            object.get("refs")?.as_array().ok_or(MalformedError::not_a("refs", "an array"))?;
        check_count(refs)?;
        let refs = refs.iter().map(parse_ref).collect::<Result<_, _>>()?;
        let header = Self {
            kind: Kind::parse(object.text("kind")?)?,
            space: object.optional("space")?,
            author: object.name("author")?,
            seq: object.integer("seq")?,
            prev: object.optional("prev")?,
            ts: HlcTimestamp(object.integer("ts")?),
            refs,
            body: object.name("body")?,
        };
        header.check_shape()?;
        Ok(header)
    }

    /// Checks what a header shows by itself.
    fn check_shape(&self) -> Result<(), MalformedError> {
        check_count(&self.refs)?;
        for (field, number, min) in [("seq", self.seq, 1), ("ts", self.ts.0, 0)] {
            if !(min..=canonical::INTEGER_MAX).contains(&number) {
                let bounds = Malformation::OutOfRange { min, max: canonical::INTEGER_MAX };
                return Err(MalformedError::new(field, bounds));
            }
        }
        if (self.seq == 1) != self.prev.is_none() {
            return Err(MalformedError::new("prev", Malformation::PrevOfFirst));
        }
        let genesis = self.kind == Kind::Space;
        if genesis != self.space.is_none() {
            return Err(MalformedError::new("space", Malformation::SpaceOfGenesis));
        }
        if genesis && (self.seq != 1 || !self.refs.is_empty()) {
            return Err(MalformedError::new("refs", Malformation::GenesisCites));
        }
        Ok(())
    }
}

/// An operation cites at most [`REFS_MAX`] others.
pub(crate) fn check_count<T>(refs: &[T]) -> Result<(), MalformedError> {
    if refs.len() > REFS_MAX {
        let too_many = Malformation::TooMany { entries_max: REFS_MAX };
        return Err(MalformedError::new("refs", too_many));
    }
    Ok(())
}

/// A canonical body has at most [`BODY_BYTES_MAX`].
pub(crate) fn check_length(body: &[u8]) -> Result<(), MalformedError> {
    if body.len() > BODY_BYTES_MAX {
        let too_long = Malformation::TooLong { bytes_max: BODY_BYTES_MAX };
        return Err(MalformedError::new("body", too_long));
    }
    Ok(())
}

fn parse_ref(value: &Value) -> Result<Ref, MalformedError> {
    let object = Fields::of(value, "refs", 2)?;
    Ok(Ref { id: object.name("id")?, role: Role::parse(object.text("role")?)? })
}

/// An operation's body and salt, or that they were removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Salt and canonical bytes of the body.
    Present {
        /// Keeps a body of few possible values from being guessed from its hash.
        salt: [u8; 16],
        /// Canonical JSON.
        body: Vec<u8>,
    },
    /// Forgotten or withheld: only the hash in the header is left.
    Removed,
}

impl Content {
    /// The hash that commits to salt and body.
    pub fn hash(salt: &[u8; 16], body: &[u8]) -> BodyHash {
        let mut hasher = blake3::Hasher::new();
        hasher.update(salt);
        hasher.update(body);
        BodyHash(*hasher.finalize().as_bytes())
    }
}

/// Marks an operation whose bytes have not been checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unverified {}
/// Marks an operation whose hashes and signature have been checked or made here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verified {}

/// A header, its id, what it commits to, and the signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation<State = Verified> {
    id: OpId,
    header: Header,
    content: Content,
    sig: [u8; 64],
    state: PhantomData<State>,
}

/// Why an operation is not what it claims to be (rule 1).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// The id is not the hash of the header.
    #[error("operation {id}: the id is not the hash of the header")]
    Id {
        /// The claimed id.
        id: OpId,
    },
    /// The body does not match the header's hash.
    #[error("operation {id}: the body does not match the hash in the header")]
    Body {
        /// The operation.
        id: OpId,
    },
    /// The signature is not the author's.
    #[error("operation {id}: the signature is not that of {author}")]
    Signature {
        /// The operation.
        id: OpId,
        /// The claimed author.
        author: Author,
    },
}

impl VerifyError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Id { .. } => "id_mismatch",
            Self::Body { .. } => "body_mismatch",
            Self::Signature { .. } => "signature_invalid",
        }
    }

    /// The operation at fault.
    pub fn id(&self) -> OpId {
        match self {
            Self::Id { id } | Self::Body { id } | Self::Signature { id, .. } => *id,
        }
    }
}

impl<State> Operation<State> {
    /// The id.
    pub fn id(&self) -> OpId {
        self.id
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Salt and body, or their absence.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// The canonical body, unless removed.
    pub fn body(&self) -> Option<&[u8]> {
        match &self.content {
            Content::Present { body, .. } => Some(body),
            Content::Removed => None,
        }
    }

    /// The same operation without salt and body. What is verified of it stays so: id and signature
    /// cover the body through its hash alone.
    pub fn without_body(self) -> Self {
        Self { content: Content::Removed, ..self }
    }

    /// The body as a value, unless removed.
    pub fn body_value(&self) -> Option<Value> {
        self.body().and_then(|body| serde_json::from_slice(body).ok())
    }

    /// Ed25519 signature over the 32 bytes of the id.
    pub fn sig(&self) -> &[u8; 64] {
        &self.sig
    }

    /// The place in the space's total order.
    pub fn order(&self) -> (HlcTimestamp, OpId) {
        (self.header.ts, self.id)
    }

    /// Its place in the order and in its author's chain, which decides what its author may do.
    pub fn place(&self) -> Place {
        Place { order: self.order(), seq: self.header.seq }
    }

    /// The space this operation is in.
    pub fn space(&self) -> SpaceId {
        self.header.space_or_own(self.id)
    }

    /// The cited operation of a role, if there is exactly one.
    pub fn sole_ref(&self, role: &str) -> Option<OpId> {
        only(cited(&self.header.refs, role))
    }

    /// The interchange form: one line of canonical JSON without the line break. Header and body
    /// appear in it as exactly the bytes that are hashed.
    pub fn to_line(&self) -> String {
        let header = self.header.canonical();
        let (salt, body) = match &self.content {
            Content::Present { salt, body } => {
                (format!("\"{}\"", BASE64URL_NOPAD.encode(salt)), String::from_utf8_lossy(body))
            }
            Content::Removed => ("null".to_owned(), "null".into()),
        };
        format!(
            r#"{{"body":{body},"header":{},"id":"{}","salt":{salt},"sig":"{}"}}"#,
            String::from_utf8_lossy(&header),
            self.id,
            BASE64URL_NOPAD.encode(&self.sig)
        )
    }

    /// The same operation with this signature.
    pub(crate) fn with_signature(self, sig: [u8; 64]) -> Self {
        Self { sig, ..self }
    }

    pub(crate) fn assume<Other>(self) -> Operation<Other> {
        Operation {
            id: self.id,
            header: self.header,
            content: self.content,
            sig: self.sig,
            state: PhantomData,
        }
    }
}

impl Operation<Unverified> {
    /// Assembles an operation from what a store holds. Checks only the header's shape.
    pub fn from_parts(
        id: OpId,
        header: Header,
        content: Content,
        sig: [u8; 64],
    ) -> Result<Self, MalformedError> {
        header.check_shape()?;
        Ok(Self { id, header, content, sig, state: PhantomData })
    }

    /// Reads one line of the interchange form.
    pub fn from_line(line: &[u8]) -> Result<Self, MalformedError> {
        if line.len() > LINE_BYTES_MAX {
            let too_long = Malformation::TooLong { bytes_max: LINE_BYTES_MAX };
            return Err(MalformedError::new("line", too_long));
        }
        let value = canonical::parse(line).map_err(|error| MalformedError::new("line", error))?;
        let object = Fields::of(&value, "operation", 5)?;
        let header = Header::parse(object.get("header")?)?;
        let content = match (object.get("salt")?, object.get("body")?) {
            (Value::Null, Value::Null) => Content::Removed,
            (Value::String(salt), body @ Value::Object(_)) => Content::Present {
                salt: decode_base64(salt)
                    .ok_or(MalformedError::not_a("salt", "16 bytes of base64url"))?,
                body: canonical::to_bytes(body)
                    .map_err(|error| MalformedError::new("body", error))?,
            },
            _ => {
                return Err(MalformedError::new("body", Malformation::BodyWithoutSalt));
            }
        };
        if let Content::Present { body, .. } = &content {
            check_length(body)?;
        }
        let sig = decode_base64(object.text("sig")?)
            .ok_or(MalformedError::not_a("sig", "64 bytes of base64url"))?;
        Self::from_parts(object.name("id")?, header, content, sig)
    }

    /// Checks id, body hash and signature.
    pub fn verify(self) -> Result<Operation<Verified>, VerifyError> {
        self.check_hashes()?;
        let signature = ed25519_zebra::Signature::from(self.sig);
        ed25519_zebra::VerificationKey::try_from(self.header.author.0)
            .and_then(|key| key.verify(&signature, &self.id.0))
            .map_err(|_| VerifyError::Signature { id: self.id, author: self.header.author })?;
        Ok(self.assume())
    }

    /// Checks id and body hash, not the signature.
    pub fn check_hashes(&self) -> Result<(), VerifyError> {
        if self.header.id() != self.id {
            return Err(VerifyError::Id { id: self.id });
        }
        if let Content::Present { salt, body } = &self.content
            && Content::hash(salt, body) != self.header.body
        {
            return Err(VerifyError::Body { id: self.id });
        }
        Ok(())
    }
}

/// Checks many operations at about a third of the cost of checking each. The result is the same as
/// [`Operation::verify`] of each, in the same order: signatures are judged by ZIP 215, by which
/// batches and single checks accept exactly the same set.
pub fn verify_batch(
    operations: Vec<Operation<Unverified>>,
) -> Vec<Result<Operation<Verified>, VerifyError>> {
    let mut verifier = ed25519_zebra::batch::Verifier::new();
    let mut transcript =
        blake3::Hasher::new_derive_key("because 2026 batch verification coefficients");
    for operation in &operations {
        let signature = ed25519_zebra::Signature::from(operation.sig);
        transcript
            .update(&operation.header.author.0)
            .update(&operation.id.0)
            .update(&operation.sig);
        verifier.queue((operation.header.author.0.into(), signature, &operation.id.0));
    }
    let coefficients = Coefficients(transcript.finalize_xof());
    if verifier.verify(coefficients).is_ok() {
        operations
            .into_iter()
            .map(|operation| operation.check_hashes().map(|()| operation.assume()))
            .collect()
    } else {
        operations.into_iter().map(Operation::verify).collect()
    }
}

/// The batch equation's random coefficients, drawn from a hash of everything that is checked:
/// nobody can choose signatures knowing the coefficients, and the kernel stays free of randomness.
struct Coefficients(blake3::OutputReader);

impl rand_core::TryRng for Coefficients {
    type Error = std::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        let mut bytes = [0; 4];
        self.0.fill(&mut bytes);
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        self.0.fill(bytes);
        Ok(())
    }
}

impl rand_core::TryCryptoRng for Coefficients {}

fn decode_base64<const N: usize>(text: &str) -> Option<[u8; N]> {
    BASE64URL_NOPAD.decode(text.as_bytes()).ok()?.try_into().ok()
}

/// An object with a fixed number of fields, each read by name.
struct Fields<'a> {
    object: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    fn of(value: &'a Value, what: &'static str, count: usize) -> Result<Self, MalformedError> {
        let object = value.as_object().ok_or(MalformedError::not_a(what, "an object"))?;
        if object.len() > count {
            return Err(MalformedError::new(what, Malformation::UnknownField));
        }
        Ok(Self { object })
    }

    fn get(&self, field: &'static str) -> Result<&'a Value, MalformedError> {
        self.object.get(field).ok_or(MalformedError::new(field, Malformation::Missing))
    }

    fn text(&self, field: &'static str) -> Result<&'a str, MalformedError> {
        self.get(field)?.as_str().ok_or(MalformedError::not_a(field, "a string"))
    }

    fn integer(&self, field: &'static str) -> Result<u64, MalformedError> {
        self.get(field)?.as_u64().ok_or(MalformedError::not_a(field, "a whole number"))
    }

    fn name<T: std::str::FromStr<Err = crate::id::NameError>>(
        &self,
        field: &'static str,
    ) -> Result<T, MalformedError> {
        self.text(field)?
            .parse()
            .map_err(|error: crate::id::NameError| MalformedError::new(field, error))
    }

    fn optional<T: std::str::FromStr<Err = crate::id::NameError>>(
        &self,
        field: &'static str,
    ) -> Result<Option<T>, MalformedError> {
        if self.get(field)?.is_null() { Ok(None) } else { self.name(field).map(Some) }
    }
}
