//! Looking for words in beliefs.
//!
//! A belief matches if its text, key or data contains the words in any letter case. The answer for
//! a belief that is served follows from one body, without evaluating its identity. Most bodies do
//! not contain the words even as bytes and need not be parsed.

use kernel::body::Body;
use kernel::kind::Kind;
use serde_json::Value;
use store::sqlite::BeliefRow;

/// Fewer letters could also be found in a number.
const LETTERS_MIN: usize = 2;

/// Words to look for.
pub(super) struct Words {
    /// In lower case.
    text: String,
    /// Whether a body in ASCII that does not contain them as bytes does not match: letters and
    /// spaces have no escapes in JSON, and nothing else is equal to them in lower case.
    are_plain: bool,
}

impl Words {
    /// In any letter case.
    pub(super) fn new(text: &str) -> Self {
        let text = text.to_lowercase();
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte == b' ';
        let are_plain = text.len() >= LETTERS_MIN && text.bytes().all(is_plain);
        Self { text, are_plain }
    }

    /// Whether a text, key or data contains them.
    pub(super) fn are_in(&self, text: &str, key: &str, payload: &Value) -> bool {
        [text, key, &payload.to_string()]
            .iter()
            .any(|part| part.to_lowercase().contains(&self.text))
    }

    /// Whether the belief of a row contains them; none if that does not follow from the row.
    pub(super) fn are_served_by(&self, row: BeliefRow<'_>) -> Option<bool> {
        let (kind, bytes) = row.served?;
        if self.are_plain && bytes.is_ascii() {
            let body = std::str::from_utf8(bytes).ok()?.to_ascii_lowercase();
            if !body.contains(&self.text) && !row.key.to_lowercase().contains(&self.text) {
                return Some(false);
            }
        }
        match Body::parse(kind, bytes).ok()? {
            Body::Claim(claim) => Some(self.are_in(&claim.text, row.key, &claim.payload)),
            Body::ClaimCorrection(correction) => {
                let payload = &correction.corrected_payload;
                let text = correction.text.unwrap_or_else(|| payload.to_string());
                Some(self.are_in(&text, row.key, payload))
            }
            _ => None,
        }
    }
}

/// Whether tags contain all of `all`, and one that begins with a prefix.
pub(super) fn have_tags(tags: &[String], all: &[String], prefix: Option<&str>) -> bool {
    all.iter().all(|tag| tags.contains(tag))
        && prefix.is_none_or(|prefix| tags.iter().any(|tag| tag.starts_with(prefix)))
}

/// The same of the claim that a row serves; none if that does not follow from the row.
pub(super) fn are_tagged(
    tags: &[String],
    prefix: Option<&str>,
    row: BeliefRow<'_>,
) -> Option<bool> {
    #[derive(serde::Deserialize)]
    struct Tagged {
        #[serde(default)]
        tags: Vec<String>,
    }
    // A correction has the tags of its claim.
    let (_, bytes) = row.served.filter(|(kind, _)| **kind == Kind::Claim)?;
    let text = std::str::from_utf8(bytes).ok()?;
    // A tag stands in the body as it is, unless JSON escapes something in it.
    let is_plain = |tag: &&str| tag.chars().all(|it| it.is_alphanumeric() || "-_:.".contains(it));
    let mut parts = tags.iter().map(String::as_str).chain(prefix).filter(is_plain);
    if parts.any(|tag| !text.contains(tag)) {
        return Some(false);
    }
    let Tagged { tags: found } = serde_json::from_str(text).ok()?;
    Some(have_tags(&found, tags, prefix))
}

#[cfg(test)]
mod tests {
    use kernel::canonical;
    use kernel::kind::Kind;
    use serde_json::json;

    use super::*;

    /// Looks for each of the words in a claim; the bytes must give the same answer as the belief.
    fn check(text: &str, payload: &Value, found: &[&str], not_found: &[&str]) {
        let body = json!({"claim_type": "t", "identity_key": "Key of it", "text": text, "payload": payload});
        let bytes = canonical::to_bytes(&body).unwrap();
        let served = Some((&Kind::Claim, &*bytes));
        let expected = found.iter().map(|part| (part, true));
        for (part, is_found) in expected.chain(not_found.iter().map(|part| (part, false))) {
            let words = Words::new(part);
            let row = BeliefRow { key: "Key of it", served };
            assert_eq!(words.are_served_by(row), Some(is_found), "{part:?} in {text:?}");
            assert_eq!(words.are_in(text, row.key, payload), is_found, "{part:?} in {text:?}");
        }
    }

    #[test]
    fn bytes_of_a_body_rule_out_only_what_its_belief_does_not_say() {
        check(
            "Pottery on Tuesdays",
            &json!({"place": "Mill"}),
            &["pottery ON", "mill", "KEY"],
            &["x"],
        );
        // The name of a field and the escapes of JSON are not what it says.
        check("a\\nb", &json!(1), &["a\\n"], &["claim_type", "text", "identity"]);
        check("a\nb \u{1}", &json!(1), &["a\nb", "\u{1}"], &["nb", "u0001"]);
        // Other characters than ASCII letters are equal to them in lower case.
        check("300 \u{212a}ELVIN", &json!(null), &["kelvin", "null"], &["celsius"]);
        check("ΔΡΟΜΟΣ", &json!([]), &["δρομος", "[]"], &["dromos"]);
        check("", &json!(1e30), &["e", "1e"], &["ee"]);
        check("", &json!({"b": [true, "\""]}), &["true", "{\"b\":[true,\"\\\"\"]}"], &["false"]);
    }

    #[test]
    fn a_row_without_a_body_answers_nothing() {
        let row = BeliefRow { key: "k", served: None };
        assert_eq!(Words::new("k").are_served_by(row), None);
    }
}
