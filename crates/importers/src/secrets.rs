//! Secrets found and masked before anything is sealed.
//!
//! What is sealed is signed and replicated; a key that slipped into a note would be there for good. So every string of
//! a record is searched for credentials, and each is replaced by `[masked:<kind>]`, which keeps the sentence readable
//! and tells the reader what stood there. The report names kind and field, never the secret.
//!
//! Masking must be cheap, because every record pays for it, and quiet, because a masked commit hash is a memory lost.
//! One automaton pass finds the fixed parts of all known credentials (`find`); only where one occurs is anything
//! checked more closely, by a bounded look ahead, so that hostile text costs no more than ordinary text does.

mod assignment;
mod card;
mod find;
mod tokens;

use std::fmt;

use kernel::evidence::{Evidence, Payload};
use serde_json::Value;

pub use find::mask_text;

/// What sort of secret was masked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SecretKind {
    /// A private key: PEM, OpenSSH or PGP block.
    PrivateKey,
    /// An AWS access key id.
    AwsAccessKey,
    /// A GitHub token.
    GithubToken,
    /// A GitLab token.
    GitlabToken,
    /// A Slack token or webhook.
    SlackToken,
    /// A Stripe key.
    StripeKey,
    /// A Google API key, OAuth token or client secret.
    GoogleKey,
    /// An OpenAI key.
    OpenaiKey,
    /// An Anthropic key.
    AnthropicKey,
    /// An npm token.
    NpmToken,
    /// A PyPI token.
    PypiToken,
    /// A Hugging Face token.
    HuggingFaceToken,
    /// A Telegram bot token.
    TelegramToken,
    /// A key or token of another service with a prefix of its own.
    ServiceKey,
    /// A JSON Web Token.
    Jwt,
    /// The credentials of an `Authorization` header.
    Authorization,
    /// The password in a URL.
    UrlPassword,
    /// The value assigned to something called a password.
    Password,
    /// The value assigned to something called a key, secret or token.
    AssignedSecret,
    /// A payment card's number.
    CardNumber,
}

impl SecretKind {
    /// The name that stands in the mask.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PrivateKey => "private-key",
            Self::AwsAccessKey => "aws-access-key",
            Self::GithubToken => "github-token",
            Self::GitlabToken => "gitlab-token",
            Self::SlackToken => "slack-token",
            Self::StripeKey => "stripe-key",
            Self::GoogleKey => "google-key",
            Self::OpenaiKey => "openai-key",
            Self::AnthropicKey => "anthropic-key",
            Self::NpmToken => "npm-token",
            Self::PypiToken => "pypi-token",
            Self::HuggingFaceToken => "hugging-face-token",
            Self::TelegramToken => "telegram-token",
            Self::ServiceKey => "service-key",
            Self::Jwt => "jwt",
            Self::Authorization => "authorization",
            Self::UrlPassword => "url-password",
            Self::Password => "password",
            Self::AssignedSecret => "secret",
            Self::CardNumber => "card-number",
        }
    }
}

impl fmt::Display for SecretKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// One masked secret. Holds nothing of the secret itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Masked {
    /// What it was.
    pub kind: SecretKind,
    /// Where it stood: `text`, `links[2]`, `config.token`.
    pub field: String,
}

/// Shortest end of a cut summary that is compared with the secrets found elsewhere in the record.
const CUT_SECRET_CHARS_MIN: usize = 8;

/// Longest part of a key that is named in a report, in bytes.
const KEY_BYTES_MAX: usize = 256;

/// Replaces every secret in every string of a record. What it returns is in the order of the fields.
///
/// The identity (`source_uid`) is masked too: a file may be named after a token. The mask is the same at every
/// import, so the identity stays stable.
///
/// ```
/// use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility};
/// # let mut evidence = Evidence {
/// #     source: "text".into(), source_uid: "1".into(), kind: EvidenceKind::from("note"), actor: None, at: None,
/// #     summary: String::new(), visibility: Visibility::Project, payload: Payload::default(),
/// # };
/// evidence.payload.text = "The Wi-Fi password: tulip77bridge, ask Ana.".into();
/// let masked = importers::secrets::mask(&mut evidence);
/// assert_eq!(evidence.payload.text, "The Wi-Fi password: [masked:password], ask Ana.");
/// assert_eq!(masked[0].field, "text");
/// ```
pub fn mask(evidence: &mut Evidence) -> Vec<Masked> {
    let mut report = Report::default();
    report.mask_cut_summary(evidence);
    let Evidence { source: _, source_uid, kind: _, actor, at: _, summary, visibility: _, payload } =
        evidence;
    let Payload {
        text,
        captions,
        title,
        session,
        session_title,
        role: _,
        participants,
        tags,
        links,
        end: _,
        location,
        more,
    } = payload;
    report.one("source_uid", source_uid);
    report.optional("actor", actor);
    report.one("summary", summary);
    report.one("text", text);
    report.many("captions", captions);
    report.optional("title", title);
    report.optional("session", session);
    report.optional("session_title", session_title);
    report.many("participants", participants);
    report.many("tags", tags);
    report.many("links", links);
    if let Some(location) = location {
        report.optional("location.label", &mut location.label);
    }
    report.object(more);
    report.masked
}

#[derive(Default)]
struct Report {
    masked: Vec<Masked>,
}

impl Report {
    fn one(&mut self, field: &str, text: &mut String) {
        if let Some((masked, kinds)) = mask_text(text) {
            *text = masked;
            self.masked
                .extend(kinds.into_iter().map(|kind| Masked { kind, field: field.to_owned() }));
        }
    }

    fn optional(&mut self, field: &str, text: &mut Option<String>) {
        if let Some(text) = text {
            self.one(field, text);
        }
    }

    fn many(&mut self, field: &str, texts: &mut [String]) {
        for (index, text) in texts.iter_mut().enumerate() {
            if let Some((masked, kinds)) = mask_text(text) {
                *text = masked;
                self.masked.extend(
                    kinds
                        .into_iter()
                        .map(|kind| Masked { kind, field: format!("{field}[{index}]") }),
                );
            }
        }
    }

    /// A summary is cut at its limit, perhaps in the middle of a secret that no rule would know by its first half.
    fn mask_cut_summary(&mut self, evidence: &mut Evidence) {
        let Some(cut) = evidence.summary.strip_suffix('…') else { return };
        let last = cut.rsplit(char::is_whitespace).next().unwrap_or(cut);
        if last.chars().count() < CUT_SECRET_CHARS_MIN {
            return;
        }
        let text = &evidence.payload.text;
        let half = find::find(text)
            .into_iter()
            .filter_map(|span| Some((span.kind, text.get(span.start..span.end)?)))
            .find_map(|(kind, secret)| {
                let shared = (CUT_SECRET_CHARS_MIN..=last.len())
                    .rev()
                    .filter_map(|length| last.get(last.len() - length..))
                    .find(|end| secret.starts_with(end))?;
                Some((kind, cut.len() - shared.len()))
            });
        if let Some((kind, keep)) = half {
            evidence.summary = format!("{}[masked:{kind}]…", cut.get(..keep).unwrap_or_default());
            self.masked.push(Masked { kind, field: "summary".to_owned() });
        }
    }

    /// Goes through `more` with a stack of its own, because a value's depth is the source's choice.
    fn object(&mut self, more: &mut serde_json::Map<String, Value>) {
        let mut pending: Vec<(String, &mut Value)> = Vec::new();
        self.keys("", more);
        pending.extend(more.iter_mut().map(|(key, value)| (field_within("", key), value)));
        pending.reverse();
        while let Some((path, value)) = pending.pop() {
            let first = pending.len();
            match value {
                Value::String(text) => {
                    let name = path.rsplit('.').next().unwrap_or(&path);
                    if let Some(kind) = assignment::secret_under_key(name, text) {
                        *text = format!("[masked:{kind}]");
                        self.masked.push(Masked { kind, field: path });
                    } else {
                        self.one(&path, text);
                    }
                }
                Value::Array(values) => {
                    pending.extend(
                        values
                            .iter_mut()
                            .enumerate()
                            .map(|(index, value)| (format!("{path}[{index}]"), value)),
                    );
                }
                Value::Object(object) => {
                    self.keys(&path, object);
                    pending.extend(
                        object.iter_mut().map(|(key, value)| (field_within(&path, key), value)),
                    );
                }
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
            if let Some(added) = pending.get_mut(first..) {
                added.reverse();
            }
        }
    }

    fn keys(&mut self, path: &str, object: &mut serde_json::Map<String, Value>) {
        let secret: Vec<_> =
            object.keys().filter_map(|key| Some((key.clone(), mask_text(key)?))).collect();
        for (key, (masked, kinds)) in secret {
            if let Some(value) = object.remove(&key) {
                object.insert(masked, value);
            }
            let field = if path.is_empty() { "more".to_owned() } else { path.to_owned() };
            self.masked.extend(kinds.into_iter().map(|kind| Masked { kind, field: field.clone() }));
        }
    }
}

/// Where the value of `key` stands. Every value has its own, so that a key of megabytes must not be in each.
fn field_within(path: &str, key: &str) -> String {
    let key = key.get(..key.floor_char_boundary(KEY_BYTES_MAX)).unwrap_or(key);
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

#[cfg(test)]
mod tests;
