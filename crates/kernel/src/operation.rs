//! An operation: header, body, signature, and how sure we are of them.
//!
//! The header's canonical bytes give the id, the id is what is signed, and the header holds the
//! body only through its salted hash. So a body can be removed or withheld and id, signature, chain
//! and provenance still verify. `Operation<Unverified>` is what arrives; only
//! [`verify`](Operation::verify), [`verify_batch`] and sealing make an `Operation<Verified>`, and
//! only those can be recorded.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::marker::PhantomData;

use data_encoding::BASE64URL_NOPAD;
use serde_json::{Map, Value};

use crate::canonical;
use crate::id::{Author, BodyHash, OpId, SpaceId};
use crate::kind::Kind;

/// The format version this crate writes and reads.
pub const FORMAT_VERSION: u64 = 1;
/// Largest canonical body, bytes.
pub const BODY_BYTES_MAX: usize = 1 << 20;
/// Most references of one operation.
pub const REFS_MAX: usize = 4_096;
/// Longest kind or role, bytes.
pub const WORD_BYTES_MAX: usize = 64;
/// How deep a body stands in its line: inside the operation's own object.
pub(crate) const DEPTH_IN_LINE: usize = 1;
/// Longest line of the interchange form that is read, bytes.
pub const LINE_BYTES_MAX: usize = 4 << 20;

/// A hybrid logical clock's reading: microseconds since the Unix epoch, moved on where needed to
/// keep the order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HlcTimestamp(pub u64);

/// A citation of an earlier operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ref {
    /// The cited operation.
    pub id: OpId,
    /// As what it is cited: `target`, `supersedes`, `cause`, or a role of its own.
    pub role: Role,
}

/// As what an operation is cited. A word like a kind: `[a-z][a-z0-9_.-]*`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Role(Cow<'static, str>);

impl Role {
    /// The operation acted upon.
    pub const TARGET: &'static str = "target";
    /// The operation replaced.
    pub const SUPERSEDES: &'static str = "supersedes";
    /// The trigger of an invalidation.
    pub const CAUSE: &'static str = "cause";
    /// The thought that a thought refines.
    pub const REFINES: &'static str = "refines";
    /// A thought that a thought consolidates.
    pub const CONSOLIDATES: &'static str = "consolidates";
    /// The thought that a thought says is wrong.
    pub const CORRECTS: &'static str = "corrects";
    /// A thought that a thought sums up.
    pub const SUMMARY_OF: &'static str = "summary_of";
    /// Where an edge begins.
    pub const FROM: &'static str = "from";
    /// Where an edge ends.
    pub const TO: &'static str = "to";

    /// A role by name.
    pub fn parse(word: &str) -> Result<Self, MalformedError> {
        // A ledger holds millions of these few.
        const COMMON: [&str; 9] = [
            "supporting_event",
            "visit",
            "meeting",
            "message",
            "supporting_note",
            "routine",
            Role::TARGET,
            Role::SUPERSEDES,
            Role::CAUSE,
        ];
        if let Some(common) = COMMON.into_iter().find(|common| *common == word) {
            return Ok(Self(Cow::Borrowed(common)));
        }
        if is_word(word) {
            Ok(Self(Cow::Owned(word.to_owned())))
        } else {
            Err(MalformedError::new("role", "is no lower-case word"))
        }
    }

    /// The role's name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// True for what may name a kind or a role.
pub fn is_word(word: &str) -> bool {
    word.len() <= WORD_BYTES_MAX
        && word.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase())
        && word.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_.-".contains(&byte)
        })
}

/// The signed part of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// What the operation does.
    pub kind: Kind,
    /// The space it belongs to; none in a genesis operation.
    pub space: Option<SpaceId>,
    /// Who signs.
    pub author: Author,
    /// Position in the author's chain, from 1.
    pub seq: u64,
    /// The author's operation before it.
    pub prev: Option<OpId>,
    /// When, in the space's order.
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
        if object.integer("v")? != FORMAT_VERSION {
            return Err(MalformedError::new(
                "v",
                "is another format version; update because to read it",
            ));
        }
        let refs =
            object.get("refs")?.as_array().ok_or(MalformedError::new("refs", "is no array"))?;
        if refs.len() > REFS_MAX {
            return Err(MalformedError::new("refs", "has more than 4096 entries"));
        }
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

    /// What can be judged of a header by itself.
    fn check_shape(&self) -> Result<(), MalformedError> {
        if self.refs.len() > REFS_MAX {
            return Err(MalformedError::new("refs", "has more than 4096 entries"));
        }
        if self.seq == 0 || self.seq > canonical::INTEGER_MAX {
            return Err(MalformedError::new("seq", "is not between 1 and 2^53 - 1"));
        }
        if self.ts.0 > canonical::INTEGER_MAX {
            return Err(MalformedError::new("ts", "is beyond 2^53 - 1"));
        }
        if (self.seq == 1) != self.prev.is_none() {
            return Err(MalformedError::new("prev", "must be null exactly for seq 1"));
        }
        let genesis = self.kind == Kind::Space;
        if genesis != self.space.is_none() {
            return Err(MalformedError::new(
                "space",
                "must be null exactly in an operation of kind space",
            ));
        }
        if genesis && (self.seq != 1 || !self.refs.is_empty()) {
            return Err(MalformedError::new(
                "refs",
                "a genesis operation is the first of its author and cites nothing",
            ));
        }
        Ok(())
    }
}

fn parse_ref(value: &Value) -> Result<Ref, MalformedError> {
    let object = Fields::of(value, "refs", 2)?;
    Ok(Ref { id: object.name("id")?, role: Role::parse(object.text("role")?)? })
}

/// What an operation says, or that it says nothing any more.
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

/// Bytes that are no operation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` {reason}")]
pub struct MalformedError {
    /// The field at fault.
    pub field: &'static str,
    /// What is wrong with it.
    pub reason: String,
}

impl MalformedError {
    pub(crate) fn new(field: &'static str, reason: impl Into<String>) -> Self {
        Self { field, reason: reason.into() }
    }
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

    /// The space this operation is in.
    pub fn space(&self) -> SpaceId {
        self.header.space_or_own(self.id)
    }

    /// The cited operation of a role, if there is exactly one.
    pub fn sole_ref(&self, role: &str) -> Option<OpId> {
        let mut found = self.header.refs.iter().filter(|reference| reference.role.as_str() == role);
        let first = found.next()?;
        found.next().is_none().then_some(first.id)
    }

    /// The interchange form: one line of canonical JSON without the line break. Header and body
    /// stand in it as the very bytes that are hashed.
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
    /// Puts together what a store holds. Nothing is checked but the header's shape.
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
            return Err(MalformedError::new("line", "is longer than 4 MiB"));
        }
        let value = canonical::parse(line).map_err(|error| MalformedError::new("line", error.0))?;
        let object = Fields::of(&value, "operation", 5)?;
        let header = Header::parse(object.get("header")?)?;
        let content = match (object.get("salt")?, object.get("body")?) {
            (Value::Null, Value::Null) => Content::Removed,
            (Value::String(salt), body @ Value::Object(_)) => Content::Present {
                salt: decode_base64(salt)
                    .ok_or(MalformedError::new("salt", "is not 16 bytes of base64url"))?,
                body: canonical::to_bytes(body)
                    .map_err(|error| MalformedError::new("body", error.0))?,
            },
            _ => {
                return Err(MalformedError::new(
                    "body",
                    "must be an object with a salt, or both null",
                ));
            }
        };
        if let Content::Present { body, .. } = &content
            && body.len() > BODY_BYTES_MAX
        {
            return Err(MalformedError::new("body", "is larger than 1 MiB"));
        }
        let sig = decode_base64(object.text("sig")?)
            .ok_or(MalformedError::new("sig", "is not 64 bytes of base64url"))?;
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
    fn check_hashes(&self) -> Result<(), VerifyError> {
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

/// Checks many operations at about a third of the cost of one by one. The result is the same as
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
/// whoever made the signatures could not choose them knowing the coefficients, and the kernel stays
/// free of randomness.
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

/// An object with exactly so many fields, each asked for by name.
struct Fields<'a> {
    object: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    fn of(value: &'a Value, what: &'static str, count: usize) -> Result<Self, MalformedError> {
        let object = value.as_object().ok_or(MalformedError::new(what, "is no object"))?;
        if object.len() > count {
            return Err(MalformedError::new(what, "has a field that the format does not know"));
        }
        Ok(Self { object })
    }

    fn get(&self, field: &'static str) -> Result<&'a Value, MalformedError> {
        self.object.get(field).ok_or(MalformedError::new(field, "is missing"))
    }

    fn text(&self, field: &'static str) -> Result<&'a str, MalformedError> {
        self.get(field)?.as_str().ok_or(MalformedError::new(field, "is no string"))
    }

    fn integer(&self, field: &'static str) -> Result<u64, MalformedError> {
        self.get(field)?.as_u64().ok_or(MalformedError::new(field, "is no whole number"))
    }

    fn name<T: std::str::FromStr<Err = crate::id::NameError>>(
        &self,
        field: &'static str,
    ) -> Result<T, MalformedError> {
        self.text(field)?
            .parse()
            .map_err(|error: crate::id::NameError| MalformedError::new(field, error.to_string()))
    }

    fn optional<T: std::str::FromStr<Err = crate::id::NameError>>(
        &self,
        field: &'static str,
    ) -> Result<Option<T>, MalformedError> {
        if self.get(field)?.is_null() { Ok(None) } else { self.name(field).map(Some) }
    }
}
