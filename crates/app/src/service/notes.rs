//! Writing one note: its limits, and the identity that makes a repeated note the same record.

use derivers::lookalikes::{likeness, passes_for_owner};
use engine::Writer;
use engine::recall::context::NAME_BYTES_MAX;
use engine::write::record::Outcome;
use importers::secrets::{Masked, SecretKind, mask, mask_string, summarize};
use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility};
use kernel::id::{Author, OpId};
use kernel::when::When;
use retrieval::text::visible::visible;
use serde_json::json;

use super::Session;
use super::agents::program_name;
use crate::failure::{Failure, RequestError};

/// Most tags of a note.
pub(super) const TAGS_MAX: usize = 64;
/// The value of `actor` for the user.
pub(crate) const USER: &str = "user";
/// The default of `actor`: the agent. Also the role in which it speaks in a chat.
pub(super) const ASSISTANT: &str = "assistant";
/// Names by which an agent means itself.
pub(crate) const ASSISTANT_NAMES: [&str; 4] = [ASSISTANT, "agent", "model", "ai"];

/// A note to be written.
pub(crate) struct Note {
    /// Its text.
    pub(crate) text: String,
    /// The name of the speaker.
    pub(crate) actor: Option<String>,
    /// The role of the speaker, if the note is from a chat with an agent.
    pub(crate) role: Option<&'static str>,
    /// The key of the agent that writes it, if one does.
    pub(crate) agent: Option<Author>,
    /// When it happened, as it was given; now if absent.
    pub(crate) at: Option<String>,
    /// Its tags.
    pub(crate) tags: Vec<String>,
}

/// A note that was checked and can be written.
pub(crate) struct CheckedNote {
    evidence: Masked<Evidence>,
}

/// The result of writing a note.
pub(crate) struct RecordedNote {
    /// The id of its record.
    pub(crate) id: OpId,
    /// Whether the record is new.
    pub(crate) is_new: bool,
    /// The kinds of the secrets that were masked before anything was written.
    pub(crate) masked: Vec<SecretKind>,
}

/// The author of a note, and the role in which they spoke. An agent's own statement must not pass
/// for the user's words, because beliefs about the user are derived from those. A name that could
/// be either is refused.
pub(crate) fn speaker(
    actor: &str,
    program: Option<&str>,
) -> Result<(Option<String>, Option<&'static str>), RequestError> {
    let is_any_of = |words: &[&str]| words.iter().any(|word| actor.eq_ignore_ascii_case(word));
    if is_any_of(&[USER, "the user", "human"]) {
        return Ok((None, Some(USER)));
    }
    if actor.is_empty() || is_any_of(&ASSISTANT_NAMES) {
        return Ok((Some(program_name(program)), Some(ASSISTANT)));
    }
    let mut words = actor.split(|letter: char| !letter.is_alphanumeric());
    let names_user = words.any(|word| word.eq_ignore_ascii_case(USER));
    if names_user
        || derivers::names::is_self(actor)
        || passes_for_owner(actor)
        || likeness(actor).is_empty()
    {
        return Err(RequestError::AmbiguousActor { actor: actor.to_owned() });
    }
    Ok((Some(actor.to_owned()), None))
}

impl Note {
    /// Checks the note's limits.
    pub(crate) fn check_limits(&self, session: &Session) -> Result<(), RequestError> {
        if visible(&self.text).trim().is_empty() {
            return Err(RequestError::EmptyText);
        }
        if self.tags.len() > TAGS_MAX {
            return Err(RequestError::TooManyTags { tags: self.tags.len(), tags_max: TAGS_MAX });
        }
        if self.actor.iter().chain(&self.tags).any(|name| name.len() > NAME_BYTES_MAX) {
            return Err(RequestError::NameTooLong { bytes_max: NAME_BYTES_MAX });
        }
        if let Some(at) = &self.at {
            session.times().when(at)?;
        }
        Ok(())
    }

    /// Checks the note before a space is opened for it, because opening may create the space.
    pub(crate) fn check(mut self, session: &Session) -> Result<CheckedNote, RequestError> {
        self.check_limits(session)?;
        // Blank names say nothing.
        self.actor.take_if(|actor| actor.trim().is_empty());
        self.tags.retain(|tag| !tag.trim().is_empty());
        let text = self.text.trim().to_owned();
        let at = match &self.at {
            Some(at) => session.times().when(at)?,
            None => When::from_zoned(&session.now.to_zoned(session.zone.clone())),
        };
        // The same text at another time is another record, so the time is part of the identity. The
        // digest is of the masked text: a password could be guessed from the digest of a sentence
        // that contains it.
        let actor = self.actor.as_deref().map(|actor| mask_string(actor).into_inner());
        let digest = kernel::body::payload_digest(&json!([actor, mask_string(&text).get()]));
        // What an agent writes never stands for a note of the user, or of another agent.
        let source_uid = match &self.agent {
            Some(agent) => format!("{at}/{digest}/{agent}"),
            None => format!("{at}/{digest}"),
        };
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
    /// Writes the note.
    pub(crate) fn record(
        self,
        mut writer: Writer<'_>,
        now: jiff::Timestamp,
    ) -> Result<RecordedNote, Failure> {
        let masked = self.evidence.kinds().collect();
        let outcome = writer.remember(self.evidence, now)?;
        writer.finish()?;
        let (id, is_new) = match outcome {
            Outcome::Added(id) | Outcome::Replaced { new: id, .. } => (id, true),
            Outcome::Present(id) => (id, false),
            Outcome::Forgotten(id) => return Err(RequestError::NoteForgotten { id }.into()),
        };
        Ok(RecordedNote { id, is_new, masked })
    }
}
