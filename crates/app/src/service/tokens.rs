//! Access tokens: who may do what in which spaces over the network.
//!
//! A token is a secret of 256 random bits. The home keeps one file for each, `tokens/ID`, with the
//! hash of the secret, never the secret itself; the id is the beginning of the hash, so that a
//! secret leads to its file without a list. Each token has a key of its own, `tokens/ID.key`: what
//! comes by a token is signed by its key, and the person's key grants the key its capabilities in
//! each space when the token is made.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;

use derivers::lookalikes::{likeness, names_owner};
use engine::private::Disclosure;
use jiff::Timestamp;
use kernel::id::{Author, SpaceId};
use kernel::kind::Capability;
use serde::{Deserialize, Serialize};

use super::Session;
use super::agents::program_name_among;
use super::locator::SpaceLocator;
use super::opening::SpaceUse;
use crate::failure::{Failure, RequestError};
use crate::place::{Home, PlaceError, make_folder};

/// What every secret begins with, so that people and scanners recognise one.
const PREFIX: &str = "because_";
/// Random bytes of a secret.
const SECRET_BYTES: usize = 32;
/// Longest secret that is looked at.
const SECRET_CHARS_MAX: usize = 128;
/// Digits of an id.
const ID_DIGITS: usize = 16;
/// Longest name of a token, characters.
pub(crate) const NAME_CHARS_MAX: usize = 80;
/// Largest file of a token that is read.
const FILE_BYTES_MAX: u64 = 64 * 1024;
/// Most tokens that are listed.
const LISTED_MAX: usize = 100_000;
/// Separates this use of the hash from all others.
const HASH_CONTEXT: &str = "because 2026 access token";

/// What a token may do in a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Right {
    /// Ask questions, and see what is not private.
    Read,
    /// Add records.
    Append,
    /// Add conclusions and proposals.
    Derive,
    /// Speak for the person: correct, refute, decide, retract, forget.
    Correct,
    /// See private records.
    Private,
}

impl Right {
    const ALL: [Self; 5] = [Self::Read, Self::Append, Self::Derive, Self::Correct, Self::Private];

    /// The name.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Append => "append",
            Self::Derive => "derive",
            Self::Correct => "correct",
            Self::Private => "private",
        }
    }

    /// The capability that the token's key needs for it.
    fn capability(self) -> Option<Capability> {
        match self {
            Self::Append => Some(Capability::Append),
            Self::Derive => Some(Capability::Derive),
            Self::Correct => Some(Capability::Correct),
            Self::Read | Self::Private => None,
        }
    }
}

/// What a new token may do in a space: `SPACE:RIGHT,…`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GrantRequest {
    /// A file, a folder or `global`.
    pub(crate) space: String,
    /// The rights. To do anything in a space is to read it, and `correct` includes `append` and
    /// `derive`.
    pub(crate) rights: BTreeSet<Right>,
}

impl std::str::FromStr for GrantRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let malformed = || format!("{text:?} is not SPACE:RIGHT,…, as in global:read,append");
        let (space, rights) = text.rsplit_once(':').ok_or_else(malformed)?;
        if space.is_empty() || rights.is_empty() {
            return Err(malformed());
        }
        let right = |name: &str| {
            let found = Right::ALL.into_iter().find(|right| right.as_str() == name);
            found.ok_or_else(|| {
                let all = Right::ALL.map(Right::as_str).join(", ");
                format!("{name:?} is not a right; the rights are: {all}")
            })
        };
        let mut rights: BTreeSet<Right> = rights.split(',').map(right).collect::<Result<_, _>>()?;
        rights.insert(Right::Read);
        // Retractions are appended as records are, and an applied patch states claims.
        if rights.contains(&Right::Correct) {
            rights.extend([Right::Append, Right::Derive]);
        }
        Ok(Self { space: space.to_owned(), rights })
    }
}

/// What a token may do in a space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Grant {
    /// The space.
    pub(crate) space: SpaceId,
    /// Its name when the token was made, for people.
    pub(crate) name: String,
    /// Its file when the token was made.
    pub(crate) path: String,
    /// The rights.
    pub(crate) rights: BTreeSet<Right>,
}

impl Grant {
    /// Whether it includes a right.
    pub(crate) fn has(&self, right: Right) -> bool {
        self.rights.contains(&right)
    }

    /// What of the space is shown.
    pub(crate) fn disclosure(&self) -> Disclosure {
        match self.has(Right::Private) {
            true => Disclosure::Full,
            false => Disclosure::WithoutPrivate,
        }
    }

    fn capabilities(&self) -> Vec<Capability> {
        self.rights.iter().filter_map(|right| right.capability()).collect()
    }
}

/// A token, without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Token {
    /// Its id: the beginning of the hash.
    pub(crate) id: String,
    /// Its name, for people.
    pub(crate) name: String,
    /// The hash of the secret, in hexadecimal digits.
    hash: String,
    /// Its key.
    pub(crate) key: Author,
    /// What it may do, in each space; the first is its own.
    pub(crate) grants: Vec<Grant>,
    /// When it was made.
    #[serde(with = "moment")]
    pub(crate) created: Timestamp,
    /// When it ends.
    #[serde(with = "moment::optional")]
    pub(crate) expires: Option<Timestamp>,
    /// When it was revoked.
    #[serde(with = "moment::optional")]
    pub(crate) revoked: Option<Timestamp>,
}

impl Token {
    /// Whether it is accepted at a time.
    pub(crate) fn is_valid(&self, now: Timestamp) -> bool {
        self.revoked.is_none() && self.expires.is_none_or(|end| now < end)
    }

    /// `active`, `expired` or `revoked`.
    pub(crate) fn status(&self, now: Timestamp) -> &'static str {
        match (self.revoked, self.is_valid(now)) {
            (Some(_), _) => "revoked",
            (None, true) => "active",
            (None, false) => "expired",
        }
    }
}

/// A new token.
pub(crate) struct NewToken<'a> {
    /// Its name.
    pub(crate) name: &'a str,
    /// What it may do.
    pub(crate) grants: &'a [GrantRequest],
    /// When it ends.
    pub(crate) expires: Option<Timestamp>,
}

/// Makes a token. Returns its secret, which is not kept anywhere.
pub(crate) fn create(session: &Session, new: &NewToken<'_>) -> Result<(String, Token), Failure> {
    let mut random = [0; SECRET_BYTES];
    getrandom::fill(&mut random)
        .map_err(|error| std::io::Error::other(format!("no randomness: {error}")))?;
    let secret = format!("{PREFIX}{}", data_encoding::BASE64URL_NOPAD.encode(&random));
    let hash = hash_of(&secret);
    let id = id_of(&hash);
    let home = &session.home;
    let granted: Result<_, Failure> = (|| {
        let key = home.token_signer(&id)?.author();
        Ok((key, grant_all(session, new, key)?))
    })();
    let (key, grants) = match granted {
        Ok(granted) => granted,
        Err(failure) => {
            // A key that nothing refers to is of no use.
            let _ = fs::remove_file(home.token_key_path(&id));
            return Err(failure);
        }
    };
    let token = Token {
        id,
        name: new.name.to_owned(),
        hash: hash.to_hex().to_string(),
        key,
        grants,
        created: session.now,
        expires: new.expires,
        revoked: None,
    };
    write(home, &token)?;
    Ok((secret, token))
}

/// Resolves the spaces, and grants the key its capabilities in each.
fn grant_all(session: &Session, new: &NewToken<'_>, key: Author) -> Result<Vec<Grant>, Failure> {
    let mut grants: Vec<Grant> = Vec::new();
    for GrantRequest { space: named, rights } in new.grants {
        let locator = SpaceLocator { home: &session.home, named: Some(named) };
        let mut space = locator.open(SpaceUse::Manage(Capability::Admin))?;
        let grant = Grant {
            space: space.id()?,
            name: space.name()?,
            path: std::path::absolute(space.path())
                .unwrap_or_else(|_| space.path().to_owned())
                .to_string_lossy()
                .into_owned(),
            rights: rights.clone(),
        };
        let capabilities = grant.capabilities();
        if !capabilities.is_empty() {
            let name = program_name_among(Some(new.name), &space.key_ring()?);
            space.change_access(key, &name, capabilities, true, session.now)?;
        }
        match grants.iter_mut().find(|known| known.space == grant.space) {
            Some(known) => known.rights.extend(grant.rights),
            None => grants.push(grant),
        }
    }
    Ok(grants)
}

/// Whether a token may have this name: it must not look like the person's.
pub(crate) fn is_usable_name(name: &str) -> bool {
    let chars = name.chars().count();
    (1..=NAME_CHARS_MAX).contains(&chars)
        && !name.chars().any(char::is_control)
        && !likeness(name).is_empty()
        && !names_owner(name)
}

/// The tokens, the oldest first.
pub(crate) fn list(home: &Home) -> Result<Vec<Token>, Failure> {
    let folder = home.tokens();
    let files = match fs::read_dir(&folder) {
        Ok(files) => files,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(PlaceError::File { path: folder, source }.into()),
    };
    let mut tokens: Vec<Token> = files
        .take(LISTED_MAX)
        .flatten()
        .filter(|file| file.file_name().to_str().is_some_and(is_id))
        .filter_map(|file| read(&file.path()))
        .collect();
    tokens.sort_by(|one, other| (one.created, &one.id).cmp(&(other.created, &other.id)));
    Ok(tokens)
}

/// What became of a token's capabilities in a space.
pub(crate) struct RevokedGrant {
    /// The space.
    pub(crate) space: SpaceId,
    /// Why the capabilities were not taken back; the token is refused all the same.
    pub(crate) error: Option<Failure>,
}

/// Revokes the token with that id or name: no server accepts it any more, and its key loses its
/// capabilities. What it wrote stays.
pub(crate) fn revoke(
    session: &Session,
    named: &str,
) -> Result<(Token, Vec<RevokedGrant>), Failure> {
    let mut tokens = list(&session.home)?;
    let has_id = tokens.iter().any(|token| token.id == named);
    tokens.retain(|token| token.id == named || !has_id && token.name == named);
    let in_use = tokens.iter().filter(|token| token.revoked.is_none());
    let ids: Vec<String> = in_use.map(|token| token.id.clone()).collect();
    if ids.len() > 1 {
        return Err(RequestError::AmbiguousToken { name: named.to_owned(), ids }.into());
    }
    let place = tokens.iter().position(|token| token.revoked.is_none()).unwrap_or(0);
    if tokens.is_empty() {
        return Err(RequestError::NoSuchToken { name: named.to_owned() }.into());
    }
    let mut token = tokens.swap_remove(place);
    if token.revoked.is_some() {
        return Ok((token, Vec::new()));
    }
    token.revoked = Some(session.now);
    write(&session.home, &token)?;
    // Servers check the token at each request, so nothing is signed with the key from now on.
    let _ = fs::remove_file(session.home.token_key_path(&token.id));
    let revoked = token.grants.iter().map(|grant| RevokedGrant {
        space: grant.space,
        error: take_back(session, &token, grant).err(),
    });
    let revoked = revoked.collect();
    Ok((token, revoked))
}

fn take_back(session: &Session, token: &Token, grant: &Grant) -> Result<(), Failure> {
    let capabilities = grant.capabilities();
    if capabilities.is_empty() {
        return Ok(());
    }
    let locator = SpaceLocator { home: &session.home, named: Some(&grant.path) };
    let mut space = locator.open(SpaceUse::Manage(Capability::Admin))?;
    if space.id()? != grant.space {
        return Err(Failure::NoSpaceThere { path: space.path().to_owned(), named: None });
    }
    space.change_access(token.key, "", capabilities, false, session.now)?;
    Ok(())
}

/// The id of the token that a secret would belong to; none if it cannot be a secret.
pub(crate) fn id_of_secret(secret: &str) -> Option<String> {
    (secret.len() <= SECRET_CHARS_MAX && secret.starts_with(PREFIX))
        .then(|| id_of(&hash_of(secret)))
}

/// The token with an id.
pub(crate) fn by_id(home: &Home, id: &str) -> Option<Token> {
    is_id(id).then(|| read(&home.tokens().join(id))).flatten()
}

/// Whether a secret is that of a token. The comparison takes the same time wherever they differ.
pub(crate) fn is_secret_of(token: &Token, secret: &str) -> bool {
    blake3::Hash::from_hex(&token.hash).is_ok_and(|hash| hash == hash_of(secret))
}

fn hash_of(secret: &str) -> blake3::Hash {
    blake3::Hash::from(blake3::derive_key(HASH_CONTEXT, secret.as_bytes()))
}

fn id_of(hash: &blake3::Hash) -> String {
    hash.to_hex().chars().take(ID_DIGITS).collect()
}

fn is_id(name: &str) -> bool {
    name.len() == ID_DIGITS && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn read(path: &Path) -> Option<Token> {
    let metadata = fs::metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > FILE_BYTES_MAX {
        return None;
    }
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

fn write(home: &Home, token: &Token) -> Result<(), Failure> {
    let folder = home.tokens();
    let path = folder.join(&token.id);
    make_folder(&folder)?;
    let file = |source| PlaceError::File { path: path.clone(), source };
    let text = serde_json::to_string(token).map_err(std::io::Error::from)?;
    // Complete before it gets its name: a server never reads half of it.
    let mut draft =
        tempfile::Builder::new().prefix(".token-").tempfile_in(&folder).map_err(file)?;
    draft.write_all(text.as_bytes()).and_then(|()| draft.as_file().sync_all()).map_err(file)?;
    draft.persist(&path).map_err(|error| file(error.error))?;
    Ok(())
}

/// Times in files, as RFC 3339.
mod moment {
    use jiff::Timestamp;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(at: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(at)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }

    pub(super) mod optional {
        use super::{Deserialize, Deserializer, Error, Serializer, Timestamp};

        #[expect(clippy::ref_option, reason = "the signature that serde calls")]
        pub(in super::super) fn serialize<S: Serializer>(
            at: &Option<Timestamp>,
            to: S,
        ) -> Result<S::Ok, S::Error> {
            match at {
                Some(at) => super::serialize(at, to),
                None => to.serialize_none(),
            }
        }

        pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
            from: D,
        ) -> Result<Option<Timestamp>, D::Error> {
            let text = Option::<String>::deserialize(from)?;
            text.map(|text| text.parse().map_err(D::Error::custom)).transpose()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grant_is_a_space_and_rights_and_includes_reading() {
        let rights = |text: &str| -> Vec<&str> {
            let grant: GrantRequest = text.parse().unwrap();
            grant.rights.into_iter().map(Right::as_str).collect()
        };
        assert_eq!(rights("global:read"), ["read"]);
        assert_eq!(rights("global:correct"), ["read", "append", "derive", "correct"]);
        assert_eq!(rights("C:\\a\\space.db:append"), ["read", "append"]);
        for wrong in ["", "global", ":read", "global:", "global:admin", "global:read,,append"] {
            assert!(wrong.parse::<GrantRequest>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn no_token_is_named_as_the_user() {
        for usable in ["ci", "Mara's laptop", "日"] {
            assert!(is_usable_name(usable), "{usable}");
        }
        for wrong in ["", "user", "  ", "a\nb", &"x".repeat(81)] {
            assert!(!is_usable_name(wrong), "{wrong:?}");
        }
    }
}
