//! Secrets found and masked before anything is sealed.
//!
//! What is sealed is signed and replicated; a key that slipped into a note would be there for good.
//! So every string of a record is searched for credentials, and each is replaced by
//! `[masked:<kind>]`, which keeps the sentence readable and tells the reader what stood there. The
//! report names kind and field, never the secret.
//!
//! What was masked has a type: a [`Masked`] record or body is made by [`mask`] and [`mask_body`]
//! alone, and the engine seals nothing else. Whatever is made from a text (a summary, an identity,
//! a name that is cut) is made from the masked text, because no rule knows half of a secret: see
//! [`summarize`] and [`mask_string`].
//!
//! Masking must be cheap, because every record pays for it, and quiet, because a masked commit hash
//! is a memory lost. One automaton pass finds the fixed parts of all known credentials (`find`);
//! only where one occurs is anything checked more closely, by a bounded look ahead, so that hostile
//! text costs no more than ordinary text does.

mod alone;
mod assignment;
mod body;
mod card;
mod codes;
mod commands;
mod cut;
mod east_asian;
mod find;
mod form_words;
mod formats;
mod key_body;
mod layout;
mod letters;
mod names;
mod patterns;
mod phrases;
mod private_key;
mod prose;
mod report;
mod seed_words;
mod table;
mod tokens;
mod value;
mod words;

use std::borrow::Cow;
use std::fmt;

use kernel::evidence::Evidence;

pub use body::mask_body;
pub(crate) use cut::{cut, cut_chars, ends_with_label, join_within_secrets, split_at};
pub use find::mask_text;
pub(crate) use private_key::ends_within_key;
pub use report::mask;

/// The kind of a secret.
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
    /// A key or token of another service, recognised by its prefix.
    ServiceKey,
    /// A JSON Web Token.
    Jwt,
    /// The credentials of an `Authorization` header.
    Authorization,
    /// The password in a URL.
    UrlPassword,
    /// The value assigned to a name like `password`.
    Password,
    /// The value assigned to a name like `api_key`, `secret` or `token`.
    AssignedSecret,
    /// A payment card's number.
    CardNumber,
    /// A PIN, or the code of a door.
    Pin,
    /// The words that recover a wallet.
    SeedPhrase,
}

impl SecretKind {
    /// The name in the mask.
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
            Self::Pin => "pin",
            Self::SeedPhrase => "seed-phrase",
        }
    }
}

impl fmt::Display for SecretKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// By its name.
impl serde::Serialize for SecretKind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// One masked secret. Holds nothing of the secret itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaskedSecret {
    /// What it was.
    pub kind: SecretKind,
    /// Where it stood: `text`, `links[2]`, `config.token`.
    pub field: String,
}

/// The field of a record that repeats another, so that its secrets are not further ones.
const SUMMARY: &str = "summary";

/// Something in which every secret has been masked, with what was found. Only this module makes
/// one:
///
/// ```compile_fail,E0451
/// # fn not_masked(evidence: kernel::evidence::Evidence) {
/// importers::secrets::Masked { value: evidence, secrets: Vec::new() };
/// # }
/// ```
///
/// It is read through [`Masked::get`], and changing what [`Masked::into_inner`] gives away makes it
/// unmasked again.
#[derive(Clone, Debug, PartialEq)]
pub struct Masked<T> {
    value: T,
    secrets: Vec<MaskedSecret>,
}

impl<T> Masked<T> {
    /// What has been masked.
    pub fn get(&self) -> &T {
        &self.value
    }

    /// What was found, in the order of the fields.
    pub fn secrets(&self) -> &[MaskedSecret] {
        &self.secrets
    }

    /// The kinds of what was found, one for each field but the summary, which repeats the text.
    pub fn kinds(&self) -> impl Iterator<Item = SecretKind> + '_ {
        self.secrets.iter().filter(|secret| secret.field != SUMMARY).map(|secret| secret.kind)
    }

    /// The value alone.
    pub fn into_inner(self) -> T {
        self.value
    }
}

/// Masks.
impl From<Evidence> for Masked<Evidence> {
    fn from(evidence: Evidence) -> Self {
        mask(evidence)
    }
}

/// Replaces every secret in a single text, such as a name.
///
/// ```
/// let name = importers::secrets::mask_string("the password: tulip77bridge");
/// assert_eq!(name.get(), "the password: [masked:password]");
/// ```
pub fn mask_string(text: &str) -> Masked<String> {
    match mask_text(text) {
        None => Masked { value: text.to_owned(), secrets: Vec::new() },
        Some((value, kinds)) => {
            let secrets =
                kinds.into_iter().map(|kind| MaskedSecret { kind, field: String::new() }).collect();
            Masked { value, secrets }
        }
    }
}

/// A text as it may be cut, shortened, made into an identity or sent to a service: without its
/// secrets.
///
/// ```
/// let question = importers::secrets::without_secrets("is the password: tulip77bridge right?");
/// assert_eq!(question, "is the password: [masked:password] right?");
/// ```
pub fn without_secrets(text: &str) -> Cow<'_, str> {
    mask_text(text).map_or(Cow::Borrowed(text), |(masked, _)| Cow::Owned(masked))
}

/// The summary of a text, as [`kernel::evidence::summarize`] makes it, from the masked text: a
/// summary is cut, and of half a secret no rule knows that it is one.
///
/// ```
/// let summary = importers::secrets::summarize("The Wi-Fi\npassword: tulip77bridge");
/// assert_eq!(summary, "The Wi-Fi password: [masked:password]");
/// ```
pub fn summarize(text: &str) -> String {
    kernel::evidence::summarize(&without_secrets(text))
}

#[cfg(test)]
mod further_tests;
#[cfg(test)]
mod label_tests;
#[cfg(test)]
mod tests;
