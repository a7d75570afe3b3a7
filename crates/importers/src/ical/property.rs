//! One content line: a name, parameters, a value (RFC 5545, sections 3.1 and 3.3.11; RFC 6868 for parameters).

/// One property of a component, its value as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Property {
    /// In upper case.
    pub(super) name: String,
    parameters: Vec<(String, String)>,
    pub(super) value: String,
    /// Where it stands, counted from 1.
    pub(super) line: u64,
}

impl Property {
    /// Reads one unfolded line: `NAME;PARAMETER=value;OTHER="quoted":value`.
    pub(super) fn parse(text: &str, line: u64) -> Option<Self> {
        let mut quoted = false;
        let mut ends = Vec::new();
        let colon = text.char_indices().find_map(|(at, c)| {
            match c {
                '"' => quoted = !quoted,
                ';' if !quoted => ends.push(at),
                ':' if !quoted => return Some(at),
                _ => {}
            }
            None
        });
        // A quote that is never closed would hide the value; then the first colon counts.
        let colon = colon.or_else(|| text.find(':'))?;
        let value = text.get(colon + 1..)?.to_owned();
        ends.retain(|&end| end < colon);
        ends.push(colon);
        let mut begin = 0;
        let mut pieces = ends.iter().filter_map(|&end| {
            let piece = text.get(begin..end);
            begin = end + 1;
            piece
        });
        let name = pieces.next()?.trim().to_ascii_uppercase();
        let well_formed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.' || c == '_';
        if name.is_empty() || !name.chars().all(well_formed) {
            return None;
        }
        let parameters = pieces.filter_map(|piece| piece.split_once('='));
        let parameters = parameters
            .map(|(name, value)| (name.trim().to_ascii_uppercase(), parameter_text(value)));
        Some(Self { name, parameters: parameters.collect(), value, line })
    }

    /// The value of a parameter, without quotes.
    pub(super) fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// The value as text: escapes resolved, white space at the ends left out.
    pub(super) fn text(&self) -> String {
        unescape(&self.value).trim().to_owned()
    }

    /// The values of a list of texts: parted at commas that are not escaped.
    pub(super) fn texts(&self) -> Vec<String> {
        let mut escaped = false;
        let parts = self.value.split(|c| {
            let parts_here = c == ',' && !escaped;
            escaped = c == '\\' && !escaped;
            parts_here
        });
        parts.map(|part| unescape(part).trim().to_owned()).filter(|part| !part.is_empty()).collect()
    }
}

/// A parameter's value without its quotes, RFC 6868 escapes resolved.
fn parameter_text(value: &str) -> String {
    let value = value.trim().replace('"', "");
    if !value.contains('^') {
        return value;
    }
    let mut text = String::new();
    let mut chars = value.chars().peekable();
    while let Some(c) = chars.next() {
        let resolved = match (c, chars.peek()) {
            ('^', Some('n')) => '\n',
            ('^', Some('^')) => '^',
            ('^', Some('\'')) => '"',
            _ => {
                text.push(c);
                continue;
            }
        };
        chars.next();
        text.push(resolved);
    }
    text
}

fn unescape(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n' | 'N') => text.push('\n'),
                Some(escaped) => text.push(escaped),
                None => {}
            },
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parameters_and_values_are_told_apart() {
        let property = Property::parse("Attendee;CN=\"a;b:c^n\";X=y:mailto:a:b", 7).unwrap();
        assert_eq!(
            (property.name.as_str(), property.value.as_str(), property.line),
            ("ATTENDEE", "mailto:a:b", 7)
        );
        assert_eq!(property.parameter("CN"), Some("a;b:c\n"));
        assert_eq!(property.parameter("X"), Some("y"));
    }

    #[test]
    fn a_quote_that_is_never_closed_does_not_hide_the_value() {
        assert_eq!(Property::parse("SUMMARY;LANGUAGE=\"en:Tea", 1).unwrap().value, "Tea");
        assert_eq!(Property::parse("SUMMARY:\"Tea", 1).unwrap().value, "\"Tea");
    }

    #[test]
    fn what_is_no_content_line_is_refused() {
        for text in ["", ":", "no colon", "two words:x", ";a=b:c", "é:x"] {
            assert_eq!(Property::parse(text, 1), None, "{text}");
        }
    }
}
