//! Sealing: a draft becomes a signed operation.
//!
//! A [`Signer`] holds a device's secret. Sealing takes a [`Draft`] and its [`ChainPosition`] in the
//! author's chain, and gives a verified operation; nothing else in the system signs.

use data_encoding::HEXLOWER;

use crate::body::Body;
use crate::declaration::{self, Declaration, Statement};
use crate::id::{Author, OpId, SpaceId};
use crate::kind::Kind;
use crate::ledger_index::Head;
use crate::operation::{
    Content, Header, HlcTimestamp, MalformedError, Operation, Ref, Unverified, check_count,
    check_length,
};

/// An operation before it has an author and a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// Its body.
    pub body: Body,
    /// What it cites.
    pub refs: Vec<Ref>,
}

impl Draft {
    /// A draft that cites nothing.
    pub fn new(body: Body) -> Self {
        Self { body, refs: Vec::new() }
    }
}

/// Where an operation goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainPosition {
    /// The space; none to begin one.
    pub space: Option<SpaceId>,
    /// The end of the author's chain there.
    pub head: Option<Head>,
    /// The clock's reading.
    pub ts: HlcTimestamp,
}

/// An operation without its signature, on which neither its id nor any rule depends.
#[derive(Clone, Debug, PartialEq)]
pub struct Unsigned(Operation);

impl Unsigned {
    /// The operation, with zeros for a signature.
    pub fn operation(&self) -> &Operation {
        &self.0
    }
}

/// A device's secret key: signs, and salts bodies.
pub struct Signer {
    key: ed25519_zebra::SigningKey,
    salt_key: [u8; 32],
    author: Author,
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Signer").field("author", &self.author).finish_non_exhaustive()
    }
}

/// Length of a secret seed, bytes.
pub const SEED_BYTES: usize = 32;

impl Signer {
    /// From a secret seed of 32 random bytes. The salt key is derived from it, so that a device
    /// keeps one secret.
    pub fn from_seed(seed: [u8; SEED_BYTES]) -> Self {
        let key = ed25519_zebra::SigningKey::from_bytes(&seed);
        let author = Author(key.verification_key().into());
        Self { key, salt_key: blake3::derive_key("because 2026 body salt", &seed), author }
    }

    /// From the text of a key file: 64 hexadecimal digits, white space around them ignored.
    pub fn from_hex(text: &str) -> Option<Self> {
        let seed = HEXLOWER.decode(text.trim().as_bytes()).ok()?.try_into().ok()?;
        Some(Self::from_seed(seed))
    }

    /// The public half.
    pub fn author(&self) -> Author {
        self.author
    }

    /// Makes the operation. The same body sealed twice by the same device has the same body hash.
    pub fn seal(&self, draft: Draft, place: ChainPosition) -> Result<Operation, MalformedError> {
        let Draft { body, refs } = draft;
        self.seal_canonical(body.kind(), body.canonical()?, refs, place)
    }

    /// The salt that [`Signer::body_hash`] and [`Signer::seal`] use for a body.
    fn salt(&self, body: &[u8]) -> [u8; 16] {
        let keyed = blake3::keyed_hash(&self.salt_key, body);
        let mut salt = [0; 16];
        salt.copy_from_slice(&keyed.as_bytes()[..16]);
        salt
    }

    /// The hash that this device's operations with these canonical body bytes carry.
    pub fn body_hash(&self, body: &[u8]) -> crate::id::BodyHash {
        Content::hash(&self.salt(body), body)
    }

    /// Like [`Signer::seal`], from canonical body bytes that were made before.
    pub fn seal_canonical(
        &self,
        kind: Kind,
        body: Vec<u8>,
        refs: Vec<Ref>,
        place: ChainPosition,
    ) -> Result<Operation, MalformedError> {
        let Unsigned(operation) = self.unsigned(kind, body, refs, place)?;
        let signature = self.sign(&operation.id());
        Ok(operation.with_signature(signature))
    }

    /// The signature of this device's operation with this id.
    pub fn sign(&self, id: &OpId) -> [u8; 64] {
        self.key.sign(&id.0).to_bytes()
    }

    /// Makes the operation without its signature.
    pub fn unsigned(
        &self,
        kind: Kind,
        body: Vec<u8>,
        refs: Vec<Ref>,
        place: ChainPosition,
    ) -> Result<Unsigned, MalformedError> {
        check_count(&refs)?;
        check_length(&body)?;
        let salt = self.salt(&body);
        let header = Header {
            kind,
            space: place.space,
            author: self.author,
            seq: place.head.map_or(1, |head| head.seq.saturating_add(1)),
            prev: place.head.map(|head| head.id),
            ts: place.ts,
            refs,
            body: Content::hash(&salt, &body),
        };
        let content = Content::Present { salt, body };
        let operation = Operation::<Unverified>::from_parts(header.id(), header, content, [0; 64])?;
        Ok(Unsigned(operation.assume()))
    }

    /// Signs a statement about withheld bodies, in this key's name.
    pub fn declare(&self, statement: Statement) -> Result<Declaration, MalformedError> {
        let statement = Statement { author: self.author, ..statement };
        let canonical = statement.canonical()?;
        let sig = self.key.sign(&declaration::digest(&canonical)).to_bytes();
        Ok(Declaration::signed(statement, canonical, sig))
    }
}

/// The next reading of the hybrid logical clock: not before `now`, after everything seen.
pub fn next_timestamp(now_us: u64, highest_seen: Option<HlcTimestamp>) -> HlcTimestamp {
    HlcTimestamp(now_us.max(highest_seen.map_or(0, |stamp| stamp.0.saturating_add(1))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{Reason, Space};
    use crate::operation::{Role, VerifyError, verify_batch};

    fn genesis(signer: &Signer) -> Operation {
        let body = Body::Space(Space {
            name: "test".into(),
            owner: signer.author(),
            created: "2026-01-01T00:00:00Z".into(),
            settings: Default::default(),
        });
        signer
            .seal(Draft::new(body), ChainPosition { space: None, head: None, ts: HlcTimestamp(1) })
            .unwrap()
    }

    fn second(signer: &Signer) -> Operation {
        let first = genesis(signer);
        let body = Body::EvidenceRetraction(Reason { reason: "wrong \"quote\" \u{1f600}".into() });
        let refs = vec![Ref { id: first.id(), role: Role::parse("target").unwrap() }];
        let place = ChainPosition {
            space: Some(first.space()),
            head: Some(Head { seq: 1, id: first.id(), ts: HlcTimestamp(1) }),
            ts: HlcTimestamp(2),
        };
        signer.seal(Draft { body, refs }, place).unwrap()
    }

    #[test]
    fn the_header_is_written_in_its_rfc_8785_form() {
        let signer = Signer::from_seed([1; 32]);
        for operation in [genesis(&signer), second(&signer)] {
            let written = operation.header().canonical();
            let value: serde_json::Value = serde_json::from_slice(&written).unwrap();
            assert_eq!(crate::canonical::to_bytes(&value).unwrap(), written);
        }
    }

    #[test]
    fn a_line_reads_back_and_verifies() {
        let operation = second(&Signer::from_seed([1; 32]));
        let read = Operation::from_line(operation.to_line().as_bytes()).unwrap().verify().unwrap();
        assert_eq!(read, operation);
    }

    #[test]
    fn every_flipped_bit_of_a_line_is_noticed() {
        let operation = second(&Signer::from_seed([1; 32]));
        let line = operation.to_line().into_bytes();
        for position in 0..line.len() {
            for bit in 0..8 {
                let mut flipped = line.clone();
                flipped[position] ^= 1 << bit;
                if let Ok(read) = Operation::from_line(&flipped)
                    && let Ok(verified) = read.verify()
                {
                    assert_eq!(
                        verified, operation,
                        "the flip of bit {bit} of byte {position} went unnoticed"
                    );
                }
            }
        }
    }

    #[test]
    fn a_batch_names_the_one_bad_signature() {
        let signer = Signer::from_seed([1; 32]);
        let good = second(&signer);
        let mut line = good.to_line();
        let other = Signer::from_seed([2; 32]);
        let foreign = second(&other).to_line();
        let sig = |line: &str| line.split("\"sig\":\"").nth(1).unwrap()[..86].to_owned();
        line = line.replace(&sig(&line), &sig(&foreign));
        let bad = Operation::from_line(line.as_bytes()).unwrap();
        let results = verify_batch(vec![good.clone().assume(), bad, good.clone().assume()]);
        assert!(results[0].is_ok() && results[2].is_ok());
        assert!(matches!(results[1], Err(VerifyError::Signature { id, .. }) if id == good.id()));
    }

    #[test]
    fn a_removed_body_still_verifies() {
        let operation = second(&Signer::from_seed([1; 32]));
        let mut value: serde_json::Value = serde_json::from_str(&operation.to_line()).unwrap();
        value["salt"] = serde_json::Value::Null;
        value["body"] = serde_json::Value::Null;
        let read = Operation::from_line(value.to_string().as_bytes()).unwrap().verify().unwrap();
        assert_eq!(read.content(), &Content::Removed);
        assert_eq!(read.id(), operation.id());
    }
}
