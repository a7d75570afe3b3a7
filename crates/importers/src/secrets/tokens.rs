//! Credentials that a service gives a prefix of their own: one row each.
//!
//! Formats are the services' own documentation of their token prefixes; lengths are lower bounds where a service
//! reserves the right to grow them.

use super::SecretKind;

/// The characters after the prefix.
#[derive(Clone, Copy)]
pub(super) enum Alphabet {
    /// `A-Z0-9`.
    UpperDigits,
    /// `A-Za-z0-9`.
    Alphanumeric,
    /// `A-Za-z0-9_-`.
    UrlSafe,
    /// `A-Za-z0-9_-.`.
    Dotted,
    /// `A-Za-z0-9/`.
    Path,
}

impl Alphabet {
    pub(super) fn holds(self, byte: u8) -> bool {
        match self {
            Self::UpperDigits => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::UrlSafe => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Self::Path => byte.is_ascii_alphanumeric() || byte == b'/',
        }
    }
}

/// A prefix and what may follow it.
pub(super) struct TokenRule {
    pub(super) kind: SecretKind,
    pub(super) prefix: &'static str,
    pub(super) alphabet: Alphabet,
    /// Fewest characters after the prefix.
    pub(super) length_min: usize,
    /// Most characters after the prefix; a longer run is something else.
    pub(super) length_max: usize,
}

/// Longest run that is read after a prefix.
pub(super) const TOKEN_BYTES_MAX: usize = 512;

const fn exactly(
    kind: SecretKind,
    prefix: &'static str,
    alphabet: Alphabet,
    length: usize,
) -> TokenRule {
    TokenRule { kind, prefix, alphabet, length_min: length, length_max: length }
}

const fn at_least(
    kind: SecretKind,
    prefix: &'static str,
    alphabet: Alphabet,
    length_min: usize,
) -> TokenRule {
    TokenRule { kind, prefix, alphabet, length_min, length_max: TOKEN_BYTES_MAX }
}

/// Every prefix. Of two that begin alike, both are tried; the longer match wins.
pub(super) const TOKEN_RULES: &[TokenRule] = {
    use Alphabet::*;
    use SecretKind::*;
    &[
        exactly(AwsAccessKey, "AKIA", UpperDigits, 16),
        exactly(AwsAccessKey, "ASIA", UpperDigits, 16),
        at_least(GithubToken, "ghp_", Alphanumeric, 36),
        at_least(GithubToken, "gho_", Alphanumeric, 36),
        at_least(GithubToken, "ghu_", Alphanumeric, 36),
        at_least(GithubToken, "ghs_", Alphanumeric, 36),
        at_least(GithubToken, "ghr_", Alphanumeric, 36),
        at_least(GithubToken, "github_pat_", UrlSafe, 36),
        at_least(GitlabToken, "glpat-", Dotted, 20),
        at_least(GitlabToken, "gldt-", UrlSafe, 20),
        at_least(GitlabToken, "glrt-", Dotted, 20),
        at_least(GitlabToken, "glptt-", UrlSafe, 40),
        at_least(SlackToken, "xoxb-", UrlSafe, 20),
        at_least(SlackToken, "xoxp-", UrlSafe, 20),
        at_least(SlackToken, "xoxa-", UrlSafe, 20),
        at_least(SlackToken, "xoxr-", UrlSafe, 20),
        at_least(SlackToken, "xoxs-", UrlSafe, 20),
        at_least(SlackToken, "xoxe-", UrlSafe, 20),
        at_least(SlackToken, "xoxe.xoxp-", UrlSafe, 20),
        at_least(SlackToken, "xapp-", UrlSafe, 20),
        at_least(SlackToken, "hooks.slack.com/services/", Path, 20),
        at_least(StripeKey, "sk_live_", Alphanumeric, 16),
        at_least(StripeKey, "sk_test_", Alphanumeric, 16),
        at_least(StripeKey, "rk_live_", Alphanumeric, 16),
        at_least(StripeKey, "rk_test_", Alphanumeric, 16),
        at_least(StripeKey, "whsec_", Alphanumeric, 24),
        exactly(GoogleKey, "AIza", UrlSafe, 35),
        at_least(GoogleKey, "ya29.", UrlSafe, 20),
        at_least(GoogleKey, "GOCSPX-", UrlSafe, 24),
        at_least(OpenaiKey, "sk-proj-", UrlSafe, 32),
        at_least(OpenaiKey, "sk-svcacct-", UrlSafe, 32),
        at_least(OpenaiKey, "sk-admin-", UrlSafe, 32),
        at_least(OpenaiKey, "sk-", Alphanumeric, 40),
        at_least(AnthropicKey, "sk-ant-", UrlSafe, 24),
        exactly(NpmToken, "npm_", Alphanumeric, 36),
        at_least(PypiToken, "pypi-", UrlSafe, 50),
        at_least(HuggingFaceToken, "hf_", Alphanumeric, 30),
        at_least(ServiceKey, "SG.", Dotted, 50),
        at_least(ServiceKey, "dop_v1_", Alphanumeric, 40),
        at_least(ServiceKey, "shpat_", Alphanumeric, 32),
        at_least(ServiceKey, "AGE-SECRET-KEY-1", UpperDigits, 50),
        at_least(ServiceKey, "gsk_", Alphanumeric, 40),
        at_least(ServiceKey, "xai-", Alphanumeric, 40),
        at_least(ServiceKey, "sk-or-v1-", Alphanumeric, 40),
        at_least(ServiceKey, "lin_api_", Alphanumeric, 32),
        at_least(ServiceKey, "ntn_", Alphanumeric, 40),
        at_least(ServiceKey, "pplx-", Alphanumeric, 40),
    ]
};
