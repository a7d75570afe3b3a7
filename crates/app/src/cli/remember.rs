//! `because remember`

use std::io::Read;

use engine::Space;
use engine::recall::context::NAME_BYTES_MAX;
use engine::write::record::Outcome;
use importers::secrets::{Masked, SecretKind, mask, mask_string, summarize};
use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility};
use kernel::id::OpId;
use kernel::operation::BODY_BYTES_MAX;
use kernel::when::When;
use serde_json::json;

use super::Session;
use crate::failure::Failure;
use crate::meaning::{self, After};
use crate::output::{self, Form, ID, short};

/// Most tags of a note.
const TAGS_MAX: usize = 64;

/// Arguments of `remember`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  because remember \"The kiln's controller reads twenty degrees low\"\n  because remember --actor Idris --tag glaze \"Nine percent red iron oxide\"\n  echo \"from a pipe\" | because remember -"
)]
pub(crate) struct Args {
    /// What to remember; `-` reads it from the standard input
    text: String,
    /// Who says so
    #[arg(long)]
    actor: Option<String>,
    /// When it happened (2025-02-01, or with a time) [default: now]
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
    /// A label; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
}

/// The standard input, which may be anything.
fn read_input() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(BODY_BYTES_MAX as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|source| Failure::File { path: "the standard input".into(), source })?;
    if bytes.len() > BODY_BYTES_MAX {
        return Err(Failure::Usage(
            "the text is larger than 1 MiB; `because import` takes longer ones".to_owned(),
        ));
    }
    String::from_utf8(bytes)
        .map_err(|_| Failure::Usage("the standard input is not UTF-8".to_owned()))
}

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

/// A note that can be written.
pub(crate) struct Ready {
    evidence: Masked<Evidence>,
}

/// What became of a note.
pub(crate) struct Remembered {
    /// Its record.
    pub(crate) id: OpId,
    /// Whether it was not there before.
    pub(crate) is_new: bool,
    /// Secrets that were masked before anything was written, by their kind.
    pub(crate) masked: Vec<SecretKind>,
}

impl Note {
    /// Looks whether it can be written, before a space is opened for it, which may make the space.
    pub(crate) fn ready(self, session: &Session) -> Result<Ready, Failure> {
        let text = self.text.trim().to_owned();
        if text.is_empty() {
            return Err(Failure::Usage(
                "there is nothing to remember: the text is empty".to_owned(),
            ));
        }
        let names = self.actor.iter().chain(&self.tags);
        if self.tags.len() > TAGS_MAX || names.into_iter().any(|name| name.len() > NAME_BYTES_MAX) {
            return Err(Failure::Usage(format!(
                "a name or tag has at most {NAME_BYTES_MAX} bytes, and a note at most {TAGS_MAX} tags"
            )));
        }
        let at = match &self.at {
            Some(at) => When::parse(at).map_err(|error| Failure::Usage(error.to_string()))?,
            None => When::from_zoned(&session.now.to_zoned(session.zone.clone())),
        };
        // The same words at another time are another record, so the time is part of the identity.
        // The digest is of what is recorded: from that of a sentence with a password, the password
        // could be guessed.
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
        Ok(Ready { evidence: mask(evidence) })
    }
}

impl Ready {
    /// Writes it.
    pub(crate) fn record(
        self,
        space: &mut Space,
        now: jiff::Timestamp,
    ) -> Result<Remembered, Failure> {
        let masked = self.evidence.kinds().collect();
        let outcome = space.remember(self.evidence, now)?;
        let is_new = !matches!(outcome, Outcome::Present(_));
        let (Outcome::Added(id) | Outcome::Present(id) | Outcome::Replaced { new: id, .. }) =
            outcome;
        Ok(Remembered { id, is_new, masked })
    }
}

pub(crate) fn run(session: &Session, args: Args) -> Result<u8, Failure> {
    let text = if args.text == "-" { read_input()? } else { args.text };
    let note = Note { text, actor: args.actor, role: None, at: args.at, tags: args.tags }
        .ready(session)?;
    let mut space = session.finder()?.open_or_make(session.now)?;
    let Remembered { id, is_new, masked } = note.record(&mut space, session.now)?;
    drop(space);
    match session.form {
        Form::Json => output::json(&json!({ "id": id, "new": is_new, "masked": masked }))?,
        Form::Text => {
            output::line(format_args!("Remembered as {ID}{}{ID:#}", short(&id)))?;
            output::masked(&masked)?;
        }
    }
    super::derive::after_a_write(session)?;
    meaning::after_a_write(session, After::Remembering)?;
    Ok(0)
}
