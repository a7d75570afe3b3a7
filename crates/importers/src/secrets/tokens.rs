//! Credentials with a prefix that the issuing service defines: one row each.
//!
//! Formats are the services' own documentation of their token prefixes; lengths are lower bounds
//! where a service reserves the right to grow them.

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
    /// `A-Za-z0-9_-.~`.
    Tilde,
    /// `A-Za-z0-9_-/@`.
    Path,
    /// `0-9`.
    Digits,
    /// `0-9a-f`.
    Hex,
    /// `A-Za-z0-9+/=_-`: both alphabets of Base64.
    Base64,
}

impl Alphabet {
    pub(super) fn holds(self, byte: u8) -> bool {
        match self {
            Self::UpperDigits => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::UrlSafe => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Self::Tilde => {
                byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'~')
            }
            Self::Path => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'/' | b'@'),
            Self::Digits => byte.is_ascii_digit(),
            Self::Hex => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
            Self::Base64 => {
                byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-')
            }
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
    /// True for a prefix that ordinary text has too: what follows must have capitals, small letters
    /// and digits as no name has them.
    pub(super) is_common_prefix: bool,
}

/// Longest run that is read after a prefix to recognise a token.
pub(super) const TOKEN_BYTES_MAX: usize = 512;
/// Longest token. The rest of a recognised one is masked with it.
pub(super) const LONG_TOKEN_BYTES_MAX: usize = 32 * 1024;

const fn exactly(
    kind: SecretKind,
    prefix: &'static str,
    alphabet: Alphabet,
    length: usize,
) -> TokenRule {
    TokenRule {
        kind,
        prefix,
        alphabet,
        length_min: length,
        length_max: length,
        is_common_prefix: false,
    }
}

const fn at_least(
    kind: SecretKind,
    prefix: &'static str,
    alphabet: Alphabet,
    length_min: usize,
) -> TokenRule {
    TokenRule {
        kind,
        prefix,
        alphabet,
        length_min,
        length_max: TOKEN_BYTES_MAX,
        is_common_prefix: false,
    }
}

/// A token of a service without a kind of its own.
const fn service(prefix: &'static str, alphabet: Alphabet, length_min: usize) -> TokenRule {
    at_least(SecretKind::ServiceKey, prefix, alphabet, length_min)
}

/// The same with a fixed length.
const fn service_exactly(prefix: &'static str, alphabet: Alphabet, length: usize) -> TokenRule {
    exactly(SecretKind::ServiceKey, prefix, alphabet, length)
}

/// A token of a service whose prefix ordinary text has too.
const fn service_among_words(
    prefix: &'static str,
    alphabet: Alphabet,
    length_min: usize,
    length_max: usize,
) -> TokenRule {
    TokenRule {
        kind: SecretKind::ServiceKey,
        prefix,
        alphabet,
        length_min,
        length_max,
        is_common_prefix: true,
    }
}

/// Every prefix. If two share their beginning, both are tried, and the longer match wins.
pub(super) const TOKEN_RULES: &[TokenRule] = {
    use Alphabet::*;
    use SecretKind::*;
    &[
        exactly(AwsAccessKey, "AKIA", UpperDigits, 16),
        exactly(AwsAccessKey, "ASIA", UpperDigits, 16),
        exactly(AwsAccessKey, "ABIA", UpperDigits, 16),
        exactly(AwsAccessKey, "ACCA", UpperDigits, 16),
        // Session tokens of AWS, and keys of Bedrock and of its Marketplace Web Service.
        service("FwoGZXIvYXdz", Base64, 100),
        service("IQoJb3JpZ2lu", Base64, 100),
        service("ABSK", Base64, 100),
        service("amzn.mws.", UrlSafe, 36),
        service("amzn1.oa2-cs.v1.", Alphanumeric, 64),
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
        at_least(GitlabToken, "glft-", UrlSafe, 20),
        at_least(GitlabToken, "glimt-", UrlSafe, 20),
        at_least(GitlabToken, "glagent-", UrlSafe, 40),
        at_least(GitlabToken, "gloas-", UrlSafe, 40),
        at_least(GitlabToken, "glcbt-", UrlSafe, 20),
        at_least(GitlabToken, "glsoat-", UrlSafe, 20),
        at_least(GitlabToken, "glffct-", UrlSafe, 20),
        at_least(GitlabToken, "GR1348941", UrlSafe, 20),
        at_least(SlackToken, "xoxb-", UrlSafe, 20),
        at_least(SlackToken, "xoxp-", UrlSafe, 20),
        at_least(SlackToken, "xoxa-", UrlSafe, 20),
        at_least(SlackToken, "xoxr-", UrlSafe, 20),
        at_least(SlackToken, "xoxs-", UrlSafe, 20),
        at_least(SlackToken, "xoxe-", UrlSafe, 20),
        at_least(SlackToken, "xoxc-", UrlSafe, 20),
        at_least(SlackToken, "xoxd-", UrlSafe, 20),
        at_least(SlackToken, "xwfp-", UrlSafe, 20),
        at_least(SlackToken, "xoxe.xoxp-", UrlSafe, 20),
        at_least(SlackToken, "xoxe.xoxb-", UrlSafe, 20),
        at_least(SlackToken, "xapp-", UrlSafe, 20),
        at_least(SlackToken, "hooks.slack.com/services/", Path, 20),
        at_least(SlackToken, "hooks.slack.com/workflows/", Path, 20),
        at_least(SlackToken, "hooks.slack.com/triggers/", Path, 20),
        at_least(StripeKey, "sk_live_", Alphanumeric, 16),
        at_least(StripeKey, "sk_test_", Alphanumeric, 16),
        at_least(StripeKey, "rk_live_", Alphanumeric, 16),
        at_least(StripeKey, "rk_test_", Alphanumeric, 16),
        at_least(StripeKey, "sk_org_", UrlSafe, 16),
        at_least(StripeKey, "whsec_", Base64, 24),
        exactly(GoogleKey, "AIza", UrlSafe, 35),
        at_least(GoogleKey, "ya29.", UrlSafe, 20),
        at_least(GoogleKey, "GOCSPX-", UrlSafe, 24),
        at_least(GoogleKey, "1//0", UrlSafe, 40),
        at_least(OpenaiKey, "sk-proj-", UrlSafe, 32),
        at_least(OpenaiKey, "sk-svcacct-", UrlSafe, 32),
        at_least(OpenaiKey, "sk-admin-", UrlSafe, 32),
        at_least(OpenaiKey, "sk-None-", UrlSafe, 32),
        at_least(OpenaiKey, "sk-", Alphanumeric, 40),
        at_least(AnthropicKey, "sk-ant-", UrlSafe, 24),
        exactly(NpmToken, "npm_", Alphanumeric, 36),
        at_least(PypiToken, "pypi-", UrlSafe, 50),
        at_least(HuggingFaceToken, "hf_", Alphanumeric, 30),
        at_least(HuggingFaceToken, "api_org_", Alphanumeric, 30),
        // Private keys in the Base64 of a kubeconfig: PKCS #8, RSA, EC, OpenSSH.
        at_least(PrivateKey, "LS0tLS1CRUdJTiBQUklWQVRFIEtFW", Base64, 64),
        at_least(PrivateKey, "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRV", Base64, 64),
        at_least(PrivateKey, "LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFW", Base64, 64),
        at_least(PrivateKey, "LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVEUgS0VZ", Base64, 64),
        at_least(PrivateKey, "AGE-SECRET-KEY-1", UpperDigits, 50),
        // Models.
        service("gsk_", Alphanumeric, 40),
        service("xai-", Alphanumeric, 40),
        service("sk-or-v1-", Alphanumeric, 40),
        service("sk-lf-", UrlSafe, 36),
        service_exactly("sk-", Hex, 32),
        service_exactly("sk_", Hex, 48),
        service("pplx-", Alphanumeric, 40),
        service("lsv2_pt_", UrlSafe, 32),
        service("lsv2_sk_", UrlSafe, 32),
        service("pcsk_", UrlSafe, 40),
        service("tvly-", UrlSafe, 24),
        service_exactly("fc-", Hex, 32),
        service_among_words("r8_", Alphanumeric, 37, 37),
        service_among_words("EAA", Alphanumeric, 90, 300),
        service_among_words("fw_", Alphanumeric, 22, 24),
        // Clouds, hosts and databases.
        service("hvs.", UrlSafe, 24),
        service("hvb.", UrlSafe, 24),
        service("hvr.", UrlSafe, 24),
        service_among_words("s.", Alphanumeric, 24, 24),
        service("dckr_pat_", UrlSafe, 20),
        service("dckr_oat_", UrlSafe, 20),
        service_exactly("dapi", Hex, 32),
        service("dop_v1_", Alphanumeric, 40),
        service("doo_v1_", Alphanumeric, 40),
        service("dor_v1_", Alphanumeric, 40),
        service("sbp_", Alphanumeric, 40),
        service("sb_secret_", UrlSafe, 20),
        service("tskey-", UrlSafe, 20),
        service("HRKU-", UrlSafe, 36),
        service("nfp_", Alphanumeric, 36),
        service("FlyV1 fm", Base64, 40),
        service("fo1_", UrlSafe, 40),
        service("rnd_", Alphanumeric, 28),
        service("vercel_blob_rw_", UrlSafe, 30),
        service("pscale_tkn_", Dotted, 32),
        service("pscale_pw_", Dotted, 32),
        service("pscale_oauth_", Dotted, 32),
        service("pul-", Hex, 40),
        service("dp.pt.", Alphanumeric, 40),
        service("dp.st.", Dotted, 40),
        service("dp.ct.", Alphanumeric, 40),
        service("dp.sa.", Alphanumeric, 40),
        service("ops_eyJ", Base64, 100),
        service("tk-us-", Alphanumeric, 48),
        service_among_words("LTAI", Alphanumeric, 12, 24),
        service_among_words("AKID", Alphanumeric, 32, 32),
        // Monitoring.
        service("glsa_", UrlSafe, 40),
        service("glc_", Base64, 32),
        service("eyJrIjoi", Base64, 60),
        service("NRAK-", UpperDigits, 27),
        service("NRII-", UrlSafe, 32),
        service("NRRA-", Hex, 40),
        service("dt0c01.", Dotted, 80),
        service("dt0s01.", Dotted, 80),
        service("sntrys_", Base64, 40),
        service("sntryu_", Hex, 60),
        // Work.
        service("ATATT3", Base64, 100),
        service("ATCTT3", Base64, 100),
        service_among_words("ATBB", Alphanumeric, 32, 32),
        service("lin_api_", Alphanumeric, 32),
        service("lin_oauth_", Alphanumeric, 32),
        service("ntn_", Alphanumeric, 40),
        service("secret_", Alphanumeric, 43),
        service("figd_", UrlSafe, 40),
        service("pat-na1-", UrlSafe, 36),
        service("pat-eu1-", UrlSafe, 36),
        service("tfp_", UrlSafe, 40),
        // Airtable: 14 characters, a dot, 64 digits.
        service_among_words("pat", Dotted, 79, 79),
        service("PMAK-", UrlSafe, 50),
        service("sgp_", UrlSafe, 40),
        service("sl.", UrlSafe, 100),
        service("rdme_", Alphanumeric, 60),
        // Packages and builds.
        service("rubygems_", Hex, 48),
        service("squ_", Hex, 40),
        service("sqp_", Hex, 40),
        service("sqa_", Hex, 40),
        service("CCIPAT_", UrlSafe, 40),
        service("bkua_", Hex, 40),
        service("AKCp", Alphanumeric, 60),
        service("packagist_", UrlSafe, 50),
        service_among_words("cio", Alphanumeric, 32, 32),
        service_exactly("oy2", Alphanumeric, 43),
        // Messages and mail.
        service("SG.", Dotted, 50),
        service("key-", Hex, 32),
        service("xkeysib-", UrlSafe, 60),
        service_exactly("SK", Hex, 32),
        service_exactly("AC", Hex, 32),
        service_among_words("re_", UrlSafe, 24, 40),
        service("discord.com/api/webhooks/", Path, 60),
        service("discordapp.com/api/webhooks/", Path, 60),
        service("webhook.office.com/webhookb2/", Path, 60),
        service("hooks.zapier.com/hooks/catch/", Path, 12),
        // Shops and payments.
        service("shpat_", Alphanumeric, 32),
        service("shpca_", Alphanumeric, 32),
        service("shppa_", Alphanumeric, 32),
        service("shpss_", Alphanumeric, 32),
        service("sq0atp-", UrlSafe, 22),
        service("sq0csp-", UrlSafe, 40),
        service("access_token$production$", Alphanumeric, 40),
        service("access-production-", UrlSafe, 36),
        service("FLWSECK", UrlSafe, 30),
        service("duffel_live_", UrlSafe, 40),
        service("shippo_live_", Hex, 40),
        service("EZAK", Alphanumeric, 54),
    ]
};
