//! Writing one thing down: what makes it the same record when it is repeated, and what a note may
//! hold.

use engine::Space;
use engine::recall::context::NAME_BYTES_MAX;
use engine::write::record::Outcome;
use importers::secrets::{Masked, SecretKind, mask, mask_string, summarize};
use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility};
use kernel::id::OpId;
use kernel::when::When;
use serde_json::json;

use super::Session;
use crate::failure::{Failure, RequestError};

/// Most tags of a note.
const TAGS_MAX: usize = 64;

/// Something to be written down.
pub(crate) struct Note {
    /// What it says.
    pub(crate) text: String,
    /// Who says so, by name.
    pub(crate) actor: Option<String>,
    /// As what they spoke, where that was in a chat with an agent.
    pub(crate) role: Option<&'static str>,
    /// When it happened, as it was given; now without it.
    pub(crate) at: Option<String>,
    /// Labels.
    pub(crate) tags: Vec<String>,
}

/// A note that was checked and can be written.
pub(crate) struct CheckedNote {
    evidence: Masked<Evidence>,
}

/// What became of a note.
pub(crate) struct RecordedNote {
    /// Its record.
    pub(crate) id: OpId,
    /// Whether it was not there before.
    pub(crate) is_new: bool,
    /// Secrets that were masked before anything was written, by their kind.
    pub(crate) masked: Vec<SecretKind>,
}

impl Note {
    /// Checks the note, before a space is opened for it, which may make the space.
    pub(crate) fn check(self, session: &Session) -> Result<CheckedNote, RequestError> {
        let text = self.text.trim().to_owned();
        if text.is_empty() {
            return Err(RequestError::EmptyText);
        }
        if self.tags.len() > TAGS_MAX {
            return Err(RequestError::TooManyTags { tags: self.tags.len(), tags_max: TAGS_MAX });
        }
        if self.actor.iter().chain(&self.tags).any(|name| name.len() > NAME_BYTES_MAX) {
            return Err(RequestError::NameTooLong { bytes_max: NAME_BYTES_MAX });
        }
        let at = match &self.at {
            Some(at) => When::parse(at).map_err(RequestError::Time)?,
            None => When::from_zoned(&session.now.to_zoned(session.zone.clone())),
        };
        // The same words at another time are another record, so the time is part of the identity.
        // The digest is of the masked text: from the digest of a sentence with a password, the
        // password could be guessed.
        let actor = self.actor.as_deref().map(|actor| mask_string(actor).into_inner());
        let digest = kernel::body::payload_digest(&json!([actor, mask_string(&text).get()]));
        let source_uid = format!("{at}/{digest}");
        let evidence = Evidence {
            source: "remember".to_owned(),
            source_uid,
            kind: EvidenceKind::from(EvidenceKind::NOTE),
            actor: self.actor,
            at: Some(at),
            summary: summarize(&text),
            visibility: Visibility::default(),
            payload: Payload {
                text,
                tags: self.tags,
                role: self.role.map(str::to_owned),
                ..Payload::default()
            },
        };
        Ok(CheckedNote { evidence: mask(evidence) })
    }
}

impl CheckedNote {
    /// Writes it.
    pub(crate) fn record(
        self,
        space: &mut Space,
        now: jiff::Timestamp,
    ) -> Result<RecordedNote, Failure> {
        let masked = self.evidence.kinds().collect();
        let outcome = space.remember(self.evidence, now)?;
        let is_new = !matches!(outcome, Outcome::Present(_));
        let (Outcome::Added(id) | Outcome::Present(id) | Outcome::Replaced { new: id, .. }) =
            outcome;
        Ok(RecordedNote { id, is_new, masked })
    }
}
