//! Secrets that the format around them gives away: cookies, the code of a wireless network,
//! Docker's credentials, signatures and one-time secrets in URLs, and the codes that recover an
//! account.

use mail_parser::decoders::base64::base64_decode;

use super::SecretKind;
use super::find::{Span, begins_word, run};
use super::value;

/// Longest line of cookies that is read.
const COOKIES_BYTES_MAX: usize = 8 * 1024;
/// Shortest value of a cookie that is masked. Shorter ones are settings.
const COOKIE_BYTES_MIN: usize = 16;
/// Longest code of a wireless network, and the longest URL with a one-time secret.
const CODE_BYTES_MAX: usize = 512;
/// Shortest signature of a URL.
const SIGNATURE_BYTES_MIN: usize = 32;
/// Longest value.
const VALUE_BYTES_MAX: usize = 4 * 1024;
/// Least entropy per character of what must look drawn, in bits.
const ENTROPY_BITS_MIN: f64 = 3.0;
/// Shortest one-time secret.
const ONE_TIME_BYTES_MIN: usize = 8;
/// Most codes of an account in a row.
const RECOVERY_CODES_MAX: usize = 32;
/// Lengths of such a code.
const RECOVERY_CODE_BYTES: std::ops::RangeInclusive<usize> = 8..=32;

/// A format with secrets in it.
#[derive(Clone, Copy)]
pub(super) enum Format {
    Cookies,
    Wifi,
    Docker,
    Signature,
    OneTime,
    RecoveryCodes,
}

const COOKIE: &str = "cookie:";

/// What each is known by.
pub(super) const FORMATS: [(&str, Format); 8] = [
    (COOKIE, Format::Cookies),
    ("wifi:", Format::Wifi),
    ("\"auth\"", Format::Docker),
    ("\"auth\\\"", Format::Docker),
    ("sig=", Format::Signature),
    ("otpauth://", Format::OneTime),
    ("recovery code", Format::RecoveryCodes),
    ("backup code", Format::RecoveryCodes),
];

/// The secrets after the text at `start..end` by which a format is known.
pub(super) fn find(text: &str, start: usize, end: usize, format: Format) -> Vec<Span> {
    let bytes = text.as_bytes();
    match format {
        Format::Cookies => cookies(bytes, end),
        Format::Wifi => wifi(text, start, end).into_iter().collect(),
        Format::Docker => docker(bytes, end).into_iter().collect(),
        Format::Signature => signature(bytes, start, end).into_iter().collect(),
        Format::OneTime => one_time(text, end).into_iter().collect(),
        Format::RecoveryCodes => recovery_codes(text, end),
    }
}

fn secret(start: usize, length: usize) -> Span {
    Span { start, end: start + length, kind: SecretKind::AssignedSecret }
}

/// `Cookie: theme=dark; session=…`, up to the end of the line or of the quotes.
fn cookies(bytes: &[u8], from: usize) -> Vec<Span> {
    // What follows the next "Cookie:" is read for that one.
    let line = bytes.get(from..).unwrap_or_default();
    let line = line.get(..COOKIES_BYTES_MAX).unwrap_or(line);
    let next = line.windows(COOKIE.len()).position(|at| at.eq_ignore_ascii_case(COOKIE.as_bytes()));
    let length = run(bytes, from, next.unwrap_or(line.len()), |byte| {
        (byte >= b' ' || byte == b'\t') && !matches!(byte, b'"' | b'\'' | b'`')
    });
    let mut at = from;
    let mut found = Vec::new();
    for pair in bytes.get(from..from + length).unwrap_or_default().split(|byte| *byte == b';') {
        let sign = pair.iter().position(|byte| *byte == b'=');
        let value = sign.and_then(|sign| pair.get(sign + 1..)).unwrap_or_default();
        let value = value.trim_ascii_end();
        let name = sign.and_then(|sign| pair.get(..sign)).unwrap_or_default().trim_ascii();
        let is_attribute =
            [b"path".as_slice(), b"domain"].iter().any(|other| name.eq_ignore_ascii_case(other));
        let is_value = |byte: &u8| byte.is_ascii_graphic() && *byte != b',';
        if !is_attribute
            && value.len() >= COOKIE_BYTES_MIN
            && value.iter().all(is_value)
            && is_drawn(value)
        {
            found.push(secret(at + sign.unwrap_or_default() + 1, value.len()));
        }
        at += pair.len() + 1;
    }
    found
}

/// True for letters and digits that look drawn.
fn is_drawn(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_digit)
        && value.iter().any(u8::is_ascii_alphabetic)
        && value::entropy_bits(value) >= ENTROPY_BITS_MIN
}

/// `WIFI:T:WPA;S:name;P:password;;`, as a QR code holds it.
fn wifi(text: &str, start: usize, from: usize) -> Option<Span> {
    let rest = text.get(from..text.floor_char_boundary(from + CODE_BYTES_MAX))?;
    let mut at = 0;
    let (mut has_name, mut password) = (false, None);
    while let Some([name, b':']) = rest.as_bytes().get(at..at + 2) {
        let value_at = at + 2;
        let value = field(rest.get(value_at..)?)?;
        match name.to_ascii_uppercase() {
            b'S' => has_name = true,
            b'P' => password = Some((from + value_at, value)),
            _ => {}
        }
        at = value_at + value.len() + 1;
    }
    let (value_at, value) = password.filter(|(_, value)| !value::is_placeholder(value))?;
    let is_code = has_name && !value.is_empty() && begins_word(text.as_bytes(), start);
    let end = value_at + value.len();
    is_code.then_some(Span { start: value_at, end, kind: SecretKind::Password })
}

/// Up to a `;` without a `\` before it.
fn field(text: &str) -> Option<&str> {
    let mut is_escaped = false;
    let end = text.bytes().position(|byte| {
        let ends = byte == b';' && !is_escaped || byte == b'\n';
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    })?;
    text.get(..end)
}

/// `"auth": "…"` of Docker's settings: a name and a password in Base64.
fn docker(bytes: &[u8], from: usize) -> Option<Span> {
    let signs = run(bytes, from, 8, |byte| matches!(byte, b' ' | b':' | b'"' | b'\\'));
    let start = from + signs;
    let length = run(bytes, start, VALUE_BYTES_MAX, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
    });
    let value = bytes.get(start..start + length)?;
    let is_string = bytes.get(from..start)?.contains(&b':')
        && matches!(bytes.get(start + length), Some(b'"' | b'\\'));
    (is_string && is_base64_of_login(value)).then_some(Span {
        start,
        end: start + length,
        kind: SecretKind::Authorization,
    })
}

fn is_base64_of_login(text: &[u8]) -> bool {
    let Some(decoded) = base64_decode(text) else { return false };
    let colon = decoded.iter().position(|byte| *byte == b':');
    colon.is_some_and(|colon| colon > 0 && colon + 1 < decoded.len())
        && std::str::from_utf8(&decoded).is_ok_and(|login| !login.contains(char::is_control))
}

/// `&sig=…` of a URL that gives access to whoever has it.
fn signature(bytes: &[u8], start: usize, from: usize) -> Option<Span> {
    let before = start.checked_sub(1).and_then(|index| bytes.get(index));
    let is_parameter = matches!(before, Some(b'?' | b'&' | b';' | b' '));
    let length = run(bytes, from, VALUE_BYTES_MAX, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'%' | b'+' | b'/' | b'=' | b'_' | b'-')
    });
    let is_long = is_parameter && length >= SIGNATURE_BYTES_MIN;
    (is_long && is_drawn(bytes.get(from..from + length)?)).then(|| secret(from, length))
}

/// The `secret` of `otpauth://totp/…`.
fn one_time(text: &str, from: usize) -> Option<Span> {
    let rest = text.get(from..text.floor_char_boundary(from + CODE_BYTES_MAX))?;
    let url = rest.split(|next: char| next.is_whitespace() || next == '"').next()?;
    let at = url.to_ascii_lowercase().find("secret=")? + "secret=".len();
    let length = run(url.as_bytes(), at, CODE_BYTES_MAX, |byte| byte.is_ascii_alphanumeric());
    (length >= ONE_TIME_BYTES_MIN).then(|| secret(from + at, length))
}

/// "Recovery codes: 7283e-0ad84 17358-15699", in a line or below each other.
fn recovery_codes(text: &str, from: usize) -> Vec<Span> {
    let bytes = text.as_bytes();
    let is_space =
        |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b',' | b'*' | b'-' | b'`');
    let mut at = from + run(bytes, from, 1, |byte| matches!(byte, b's' | b'S'));
    let mut found = Vec::new();
    for _ in 0..RECOVERY_CODES_MAX {
        at += run(bytes, at, 8, |byte| is_space(byte) || byte == b':');
        for verb in ["is ", "are "].iter().filter(|_| found.is_empty()) {
            let is_verb = bytes.get(at..at + verb.len()) == Some(verb.as_bytes());
            at += if is_verb { verb.len() } else { 0 };
        }
        let length = run(bytes, at, RECOVERY_CODE_BYTES.end() + 1, |byte| {
            byte.is_ascii_alphanumeric() || byte == b'-'
        });
        let code = bytes.get(at..at + length).unwrap_or_default();
        if !RECOVERY_CODE_BYTES.contains(&length) || !is_recovery_code(code) {
            break;
        }
        found.push(secret(at, length));
        at += length;
    }
    found
}

/// Digits and letters, also in groups. A word, a date and a name with a number are others.
fn is_recovery_code(code: &[u8]) -> bool {
    let digits = code.iter().filter(|byte| byte.is_ascii_digit()).count();
    let mut groups = code.split(|byte| *byte == b'-');
    let is_date = code.len() == 10 && code.get(4) == Some(&b'-') && code.get(7) == Some(&b'-');
    digits >= 2
        && !is_date
        && groups.all(|group| group.len() >= 4)
        && !std::str::from_utf8(code).is_ok_and(value::is_placeholder)
}

#[cfg(test)]
mod tests {
    use super::super::further_tests::{check_kept, check_masked};

    #[test]
    fn secrets_are_masked_in_the_formats_that_give_them_away() {
        check_masked(&[
            (
                "Set-Cookie: sessionid=38afes7a8f3kdlx02jfh; HttpOnly; Path=/a/b",
                "Set-Cookie: sessionid=[masked:secret]; HttpOnly; Path=/a/b",
            ),
            (
                "curl -H 'Cookie: theme=dark; SID=7C76FB008F86BEBB2737F6A6' https://x.example",
                "curl -H 'Cookie: theme=dark; SID=[masked:secret]' https://x.example",
            ),
            ("WIFI:T:WPA;S:Home;P:tulip77\\;a;;", "WIFI:T:WPA;S:Home;P:[masked:password];;"),
            ("wifi:S:Home;T:WPA;P:abc;H:true;;", "wifi:S:Home;T:WPA;P:[masked:password];H:true;;"),
            (
                r#"{"auths":{"https://r.example/v1/":{"auth":"YWRhOnR1bGlwNzdicmlkZ2U="}}}"#,
                r#"{"auths":{"https://r.example/v1/":{"auth":"[masked:authorization]"}}}"#,
            ),
            (
                r#"{\"auth\": \"YWRhOnR1bGlwNzdicmlkZ2U=\"}"#,
                r#"{\"auth\": \"[masked:authorization]\"}"#,
            ),
            (
                "https://a.example/f?se=2026&sig=7xNAawH02ojtZode96ocnBG9%2B5D1iJBRwDn%3D&sp=r",
                "https://a.example/f?se=2026&sig=[masked:secret]&sp=r",
            ),
            (
                "otpauth://totp/Example:ada?secret=JBSWY3DPEHPK3PXP&issuer=Example",
                "otpauth://totp/Example:ada?secret=[masked:secret]&issuer=Example",
            ),
            (
                "Recovery codes: 7283e-0ad84 17358-15699, and a pen",
                "Recovery codes: [masked:secret] [masked:secret], and a pen",
            ),
            (
                "My backup codes:\n- 48213377\n- 59120044\n",
                "My backup codes:\n- [masked:secret]\n- [masked:secret]\n",
            ),
        ]);
    }

    #[test]
    fn what_resembles_them_is_kept() {
        check_kept(&[
            "Set-Cookie: lang=en-US; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/abcdef012345/6789abcdef",
            "I like this cookie: it has 250g of flour and butter",
            "wifi: ask Ben",
            "WIFI:T:nopass;S:Guest;;",
            r#""auth": "required", "auth": "bWVtb3J5""#,
            "config=1&sig=abc",
            "otpauth://totp/Example",
            "Recovery codes are printed on paper since 2024-05-01",
            "backup code lives in crates/store",
            "Recovery codes: see 1Password2024",
        ]);
    }
}
