//! Transcripts: what a language model was sent and what it answered, kept as evidence.
//!
//! A transcript is private, and recall does not search it: its words are in fields of their own. It
//! cites what the model was shown in the role [`SHOWN_ROLE`], so that it is forgotten with any of
//! it ([`super::forget`]). Nothing is founded on a transcript: what is made from an answer rests on
//! the records that the model was shown, and names the transcript in its body
//! ([`transcripts_of`]).

use kernel::body::{Body, payload_digest};
use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility};
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::operation::{BODY_BYTES_MAX, Ref, Role};
use kernel::seal::Draft;
use kernel::when::When;
use retrieval::text::cut;
use serde_json::{Map, Value, json};

use crate::{EngineError, Writer};

/// The kind of the evidence.
pub const TRANSCRIPT: &str = "model_transcript";
/// Its source.
pub const SOURCE: &str = "language-model";
/// The role in which a transcript cites what the model was shown.
pub const SHOWN_ROLE: &str = "shown";
/// The field that names the transcripts of what was made from an answer.
pub const TRANSCRIPTS: &str = "transcripts";

/// Most records that a transcript cites.
const SHOWN_MAX: usize = 1_000;
/// Bytes of a prompt that are kept. As JSON they may take twice as many.
const PROMPT_BYTES_MAX: usize = BODY_BYTES_MAX / 4;
/// Bytes of an answer that are kept.
const ANSWER_BYTES_MAX: usize = BODY_BYTES_MAX / 8;

/// One request and its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Transcript<'a> {
    /// The model, with its provider.
    pub model: &'a str,
    /// The prompt and its version.
    pub prompt_version: &'a str,
    /// When it was asked.
    pub at: When,
    /// What was sent.
    pub prompt: &'a str,
    /// What it answered.
    pub answer: &'a str,
    /// The records that it was shown.
    pub shown: &'a [OpId],
}

impl Transcript<'_> {
    fn draft(&self) -> Result<Draft, EngineError> {
        let role = Role::parse(SHOWN_ROLE)?;
        let Self { model, prompt_version, at, prompt, answer, shown } = self;
        let (kept_prompt, kept_answer) =
            (cut(prompt, PROMPT_BYTES_MAX), cut(answer, ANSWER_BYTES_MAX));
        let cut = prompt.len() - kept_prompt.len() + answer.len() - kept_answer.len();
        let mut more = Map::from_iter([
            ("model".to_owned(), json!(model)),
            ("prompt_version".to_owned(), json!(prompt_version)),
            ("prompt".to_owned(), json!(kept_prompt)),
            ("answer".to_owned(), json!(kept_answer)),
        ]);
        if cut > 0 {
            more.insert("bytes_cut".to_owned(), json!(cut));
        }
        let digest = payload_digest(&json!([prompt, answer]));
        let evidence = Evidence {
            source: SOURCE.to_owned(),
            source_uid: format!("{at}/{digest}"),
            kind: EvidenceKind::from(TRANSCRIPT),
            actor: None,
            at: Some(at.clone()),
            summary: format!("{model} was asked ({prompt_version})"),
            visibility: Visibility::Private,
            payload: Payload { more, ..Payload::default() },
        };
        let refs = shown.iter().take(SHOWN_MAX).map(|id| Ref { id: *id, role: role.clone() });
        Ok(Draft { body: Body::Evidence(evidence), refs: refs.collect() })
    }
}

impl Writer<'_> {
    /// Keeps a transcript, with its secrets masked.
    pub fn keep_transcript(
        &mut self,
        transcript: &Transcript<'_>,
        now: jiff::Timestamp,
    ) -> Result<OpId, EngineError> {
        self.append(transcript.draft()?, now)
    }
}

/// The transcripts that a body names: in a payload, the basis of a confidence, or a proposal.
pub fn transcripts_of(value: &Value) -> Vec<OpId> {
    let named = value.get(TRANSCRIPTS).cloned().unwrap_or_default();
    serde_json::from_value(named).unwrap_or_default()
}

/// Whether a body is that of a transcript. Most bodies are not even read.
pub(crate) fn is_transcript(body: &[u8]) -> bool {
    std::str::from_utf8(body).is_ok_and(|text| text.contains(TRANSCRIPT))
        && matches!(
            Body::parse(&Kind::Evidence, body),
            Ok(Body::Evidence(evidence)) if evidence.kind.0 == TRANSCRIPT
        )
}

/// What a model was shown before it gave the answer that a payload holds.
pub(crate) fn shown_in(payload: &Value) -> Vec<OpId> {
    serde_json::from_value(payload.get(SHOWN_ROLE).cloned().unwrap_or_default()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_transcript_fits_a_body() {
        let (prompt, answer) = ("\"".repeat(4 << 20), "\\".repeat(1 << 20));
        let at: When = serde_json::from_value(json!("2026-03-01T12:00:00Z")).unwrap();
        let transcript = Transcript {
            model: "openai:small",
            prompt_version: "why-1",
            at,
            prompt: &prompt,
            answer: &answer,
            shown: &[OpId([7; 32])],
        };
        let draft = transcript.draft().unwrap();
        assert!(draft.body.canonical().unwrap().len() <= BODY_BYTES_MAX);
        let Body::Evidence(evidence) = draft.body else { panic!("it is evidence") };
        assert_eq!(importers::secrets::mask(evidence.clone()).into_inner().payload.text, "");
        assert_eq!(evidence.payload.more["bytes_cut"], json!((5 << 20) - (3 << 17)));
    }

    #[test]
    fn transcripts_are_read_from_any_body_that_names_them() {
        let id = OpId([7; 32]);
        assert_eq!(transcripts_of(&json!({ TRANSCRIPTS: [id] })), [id]);
        for other in [json!(null), json!({ TRANSCRIPTS: "x" }), json!({ TRANSCRIPTS: [1] })] {
            assert_eq!(transcripts_of(&other), []);
        }
    }
}
