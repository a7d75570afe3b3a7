//! The thought space as a service: one function for each request of the contract.
//!
//! Whoever calls says who they are: a [`Caller`] has the spaces that it may read, what it may do in
//! each, the key that signs for it, and the time. Nothing here knows of tokens, HTTP or a terminal.
//!
//! | module | what it does |
//! |---|---|
//! | [`request`], [`answer`], [`refusal`] | fields, checks and codes of the contract |
//! | [`memory`] | a prompt: retrieve, contribute if due, note the use |
//! | [`embedding`] | what another model than the built-in one makes of a prompt |
//! | [`guidance`] | what an answer says besides what it found |
//! | [`manage`] | one thought: show, label, share, feedback, lineage; domains and highways |

use std::time::Duration;

use engine::private::Disclosure;
use engine::thought::uuid::ThoughtUuid;
use engine::{EngineError, Reader, Sealer, Space, Writer};
use jiff::Timestamp;
use kernel::id::{Author, OpId};

pub(crate) mod answer;
pub(crate) mod embedding;
pub(crate) mod guidance;
pub(crate) mod manage;
pub(crate) mod memory;
pub(crate) mod refusal;
pub(crate) mod request;
#[cfg(test)]
mod tests;

pub(crate) use refusal::{ThoughtError, ThoughtRefusal};

/// How long a request waits for others that write to the journal.
const JOURNAL_WAIT: Duration = Duration::from_millis(500);
/// Bytes of a random UUID.
const UUID_BYTES: usize = 16;

/// What a caller may do in a space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rights {
    /// Contribute.
    pub(crate) may_append: bool,
    /// Act in the owner's name.
    pub(crate) may_correct: bool,
}

/// A space that a caller may read.
pub(crate) struct CallerSpace<'a> {
    /// The name by which the caller knows it.
    pub(crate) name: String,
    /// The space.
    pub(crate) space: &'a mut Space,
    /// What the caller is shown of it.
    pub(crate) disclosure: Disclosure,
    /// What the caller may do in it.
    pub(crate) rights: Rights,
    /// Whether the beginning of an id names a thought, as at the command line.
    pub(crate) takes_short_ids: bool,
    /// The caller's key; none for the space's own.
    pub(crate) sealer: Option<&'a Sealer>,
}

impl CallerSpace<'_> {
    /// The thought that a name stands for; none if the caller is not shown it. The beginning of
    /// several ids names none of them.
    fn thought_named(&self, reader: &Reader<'_>, name: &str) -> Result<Option<OpId>, EngineError> {
        if !self.takes_short_ids && !ThoughtUuid::is_whole_name(name) {
            return Ok(None);
        }
        match reader.thought_named(name, self.disclosure) {
            Err(EngineError::AmbiguousId { .. }) => Ok(None),
            found => found,
        }
    }

    fn author(&self) -> Author {
        self.sealer.map_or_else(|| self.space.author(), Sealer::author)
    }

    fn writer(&mut self) -> Writer<'_> {
        match self.sealer {
            Some(sealer) => self.space.writer_with(sealer),
            None => self.space.writer(),
        }
    }
}

/// Who asks, and when.
pub(crate) struct Caller<'a> {
    /// The spaces that they may read, their own first.
    pub(crate) spaces: Vec<CallerSpace<'a>>,
    /// The time.
    pub(crate) now: Timestamp,
}

impl<'a> Caller<'a> {
    /// The space of that name, or the caller's own. A space that does not exist and one without a
    /// right on it are the same to a caller.
    fn space(&mut self, name: Option<&str>) -> Result<&mut CallerSpace<'a>, ThoughtRefusal> {
        let found = match name {
            None => self.spaces.first_mut(),
            Some(name) => self.spaces.iter_mut().find(|space| space.name == name),
        };
        found.ok_or_else(|| ThoughtRefusal::Forbidden { what: "read that space".to_owned() })
    }

    fn now_us(&self) -> i64 {
        self.now.as_microsecond()
    }
}

/// A new id of a session.
fn new_session() -> String {
    let mut bytes = [0u8; UUID_BYTES];
    // Without random numbers the session has the id of none, which is known to nobody else either.
    let _ = getrandom::fill(&mut bytes);
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let digits = data_encoding::HEXLOWER.encode(&bytes);
    let groups = [0..8, 8..12, 12..16, 16..20, 20..32];
    groups.map(|group| digits.get(group).unwrap_or_default()).join("-")
}
