//! Masking whole records: every string of every field, and what is found where.

use aho_corasick::{AhoCorasick, MatchKind};
use kernel::evidence::{Evidence, Payload};
use serde_json::{Map, Value};

use super::find::{self, Span};
use super::{Masked, MaskedSecret, SUMMARY, SecretKind, assignment, codes, mask_text};

/// Shortest end of a cut summary that is compared with the secrets found elsewhere in the record,
/// in bytes.
const CUT_SECRET_BYTES_MIN: usize = 8;

/// Longest title that can be a label, in bytes.
const LABEL_BYTES_MAX: usize = 64;

/// Longest line that can be its value, in bytes.
const LINE_BYTES_MAX: usize = 256;

/// Longest part of a key that is named in a report, in bytes.
const KEY_BYTES_MAX: usize = 256;

/// Replaces every secret in every string of a record. What was found is in the order of the fields.
///
/// The identity (`source_uid`) is masked too: a file may be named after a token. The mask is the
/// same at every import, so the identity stays stable.
///
/// ```
/// use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility};
/// # let mut evidence = Evidence {
/// #     source: "text".into(), source_uid: "1".into(), kind: EvidenceKind::from("note"), actor: None, at: None,
/// #     summary: String::new(), visibility: Visibility::Project, payload: Payload::default(),
/// # };
/// evidence.payload.text = "The Wi-Fi password: tulip77bridge, ask Ana.".into();
/// let masked = importers::secrets::mask(evidence);
/// assert_eq!(masked.get().payload.text, "The Wi-Fi password: [masked:password], ask Ana.");
/// assert_eq!(masked.secrets()[0].field, "text");
/// ```
pub fn mask(mut evidence: Evidence) -> Masked<Evidence> {
    let mut report = Report::default();
    let in_text = in_text(&evidence.payload);
    let Evidence { source, source_uid, kind, actor, at: _, summary, visibility: _, payload } =
        &mut evidence;
    let Payload {
        text,
        captions,
        title,
        session,
        session_title,
        role,
        participants,
        tags,
        links,
        end: _,
        location,
        more,
    } = payload;
    report.one("source", source);
    report.identity("source_uid", source_uid, session.as_deref());
    report.one("kind", &mut kind.0);
    report.optional("actor", actor);
    report.repeated_in_summary(summary, text, &in_text);
    report.one(SUMMARY, summary);
    report.found_in("text", text, in_text);
    report.many("captions", captions);
    report.optional("title", title);
    report.optional("session", session);
    report.optional("session_title", session_title);
    report.optional("role", role);
    report.many("participants", participants);
    report.many("tags", tags);
    report.many("links", links);
    if let Some(location) = location {
        report.optional("location.label", &mut location.label);
    }
    report.object("", more);
    report.masked(evidence)
}

/// What has been found so far.
#[derive(Default)]
pub(super) struct Report {
    secrets: Vec<MaskedSecret>,
    /// Values that only their names mark as secrets: no rule recognises them elsewhere.
    named: Vec<(String, SecretKind)>,
}

impl Report {
    /// Ends the search of `value`.
    pub(super) fn masked<T>(self, value: T) -> Masked<T> {
        Masked { value, secrets: self.secrets }
    }

    pub(super) fn one(&mut self, field: &str, text: &mut String) {
        let spans = find::find(text);
        self.found_in(field, text, spans);
    }

    /// Where the values that were masked under a name stand in `text`. All are searched for in one
    /// pass, because their number is the source's choice.
    fn repeated(&self, text: &str) -> Vec<Span> {
        let values = self.named.iter().map(|(value, _)| value);
        let automaton = (!self.named.is_empty())
            .then(|| AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(values));
        let Some(Ok(automaton)) = automaton else { return Vec::new() };
        let spans = automaton.find_iter(text).filter_map(|hit| {
            let (_, kind) = self.named.get(hit.pattern().as_usize())?;
            Some(Span { start: hit.start(), end: hit.end(), kind: *kind })
        });
        spans.collect()
    }

    fn found_in(&mut self, field: &str, text: &mut String, spans: Vec<Span>) {
        if let Some((masked, kinds)) = find::replace(text, spans) {
            *text = masked;
            self.found(kinds, field);
        }
    }

    pub(super) fn optional(&mut self, field: &str, text: &mut Option<String>) {
        if let Some(text) = text {
            self.one(field, text);
        }
    }

    pub(super) fn many(&mut self, field: &str, texts: &mut [String]) {
        for (index, text) in texts.iter_mut().enumerate() {
            if let Some((masked, kinds)) = mask_text(text) {
                *text = masked;
                self.found(kinds, &format!("{field}[{index}]"));
            }
        }
    }

    /// Masks a text that may repeat what was masked under a name: `{"password": "…"}` and the same
    /// in words.
    pub(super) fn repeating(&mut self, field: &str, text: &mut String) {
        let repeated = self.repeated(text);
        self.found_in(field, text, repeated);
        self.one(field, text);
    }

    /// Most identities begin with the session. It is masked by itself first, since the text after
    /// it could hide its secret.
    fn identity(&mut self, field: &str, identity: &mut String, session: Option<&str>) {
        if let Some(session) = session.filter(|session| !session.is_empty())
            && let Some(rest) = identity.strip_prefix(session)
            && let Some((masked, kinds)) = mask_text(session)
        {
            *identity = format!("{masked}{rest}");
            self.found(kinds, field);
        }
        self.one(field, identity);
    }

    /// A summary repeats the text in one line, cut at its limit, perhaps in the middle of a secret
    /// that no rule would know by its first half or without its lines. So what is found in the text
    /// is looked for in the summary.
    fn repeated_in_summary(&mut self, summary: &mut String, text: &str, in_text: &[Span]) {
        for span in in_text {
            let Some(secret) = text.get(span.start..span.end) else { continue };
            let secret = secret.split_whitespace().collect::<Vec<_>>().join(" ");
            let masked = if summary.contains(&secret) {
                summary.replace(&secret, &mark(span.kind))
            } else if let Some(kept) = without_cut(summary, &secret) {
                format!("{kept}{}…", mark(span.kind))
            } else {
                continue;
            };
            *summary = masked;
            self.secrets.push(MaskedSecret { kind: span.kind, field: SUMMARY.to_owned() });
        }
    }

    fn found(&mut self, kinds: Vec<SecretKind>, field: &str) {
        self.secrets
            .extend(kinds.into_iter().map(|kind| MaskedSecret { kind, field: field.to_owned() }));
    }

    /// Masks the strings of a value in the field `path`.
    pub(super) fn value(&mut self, path: &str, value: &mut Value) {
        self.walk(vec![(path.to_owned(), value)]);
    }

    /// Masks the keys of an object and the strings of its values.
    pub(super) fn object(&mut self, path: &str, object: &mut Map<String, Value>) {
        self.keys(path, object);
        let mut values: Vec<_> =
            object.iter_mut().map(|(key, value)| (field_within(path, key), value)).collect();
        values.reverse();
        self.walk(values);
    }

    /// Goes through values with a stack of its own, because a value's depth is the source's choice.
    fn walk(&mut self, mut pending: Vec<(String, &mut Value)>) {
        while let Some((path, value)) = pending.pop() {
            let first = pending.len();
            match value {
                Value::String(text) => {
                    let name = path.rsplit('.').next().unwrap_or(&path);
                    if let Some(kind) = secret_under_key(name, text) {
                        self.named.push((std::mem::replace(text, mark(kind)), kind));
                        self.secrets.push(MaskedSecret { kind, field: path });
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
                // A number under such a name becomes a text, like every masked value.
                Value::Number(number) => {
                    let name = path.rsplit('.').next().unwrap_or(&path);
                    if let Some(kind) = secret_under_key(name, &number.to_string()) {
                        *value = Value::String(mark(kind));
                        self.secrets.push(MaskedSecret { kind, field: path });
                    }
                }
                Value::Null | Value::Bool(_) => {}
            }
            if let Some(added) = pending.get_mut(first..) {
                added.reverse();
            }
        }
    }

    fn keys(&mut self, path: &str, object: &mut Map<String, Value>) {
        let secret: Vec<_> =
            object.keys().filter_map(|key| Some((key.clone(), mask_text(key)?))).collect();
        for (key, (masked, kinds)) in secret {
            if let Some(value) = object.remove(&key) {
                object.insert(masked, value);
            }
            self.found(kinds, if path.is_empty() { "more" } else { path });
        }
    }
}

/// The secrets of a record's text; the title may be the label of its first line.
fn in_text(payload: &Payload) -> Vec<Span> {
    let Payload { title, session_title, text, .. } = payload;
    let mut spans = find::find(text);
    let title = title.as_ref().or(session_title.as_ref());
    let Some(title) = title.filter(|title| title.len() <= LABEL_BYTES_MAX) else { return spans };
    // A section begins with its heading.
    let body = text.trim_start();
    let heading = body.split('\n').next().filter(|line| line.trim_end().ends_with(title.as_str()));
    let body = body.get(heading.map_or(0, str::len)..).unwrap_or_default().trim_start();
    let first = text.len() - body.len();
    let line = text.get(first..).and_then(|rest| rest.split('\n').next()).unwrap_or_default();
    let line_end = first + line.len();
    if line.len() > LINE_BYTES_MAX || spans.first().is_some_and(|span| span.start < line_end) {
        return spans;
    }
    let head = format!("# {}\n", title.replace('\n', " "));
    if let Some(under) = find::find(&format!("{head}{line}")).first()
        && under.start >= head.len()
    {
        let (start, end) = (under.start - head.len() + first, under.end - head.len() + first);
        spans.insert(0, Span { start, end, kind: under.kind });
    }
    spans
}

/// The kind of a whole value under `key`, if it looks like a secret.
fn secret_under_key(key: &str, value: &str) -> Option<SecretKind> {
    assignment::secret_under_key(key, value)
        .or_else(|| codes::is_code_under_key(key, value.trim()).then_some(SecretKind::Pin))
}

fn mark(kind: SecretKind) -> String {
    format!("[masked:{kind}]")
}

/// A cut summary without the beginning of `secret` at its end.
fn without_cut<'a>(summary: &'a str, secret: &str) -> Option<&'a str> {
    let cut = summary.strip_suffix('…')?;
    let longest = cut.len().min(secret.len());
    let shared = (CUT_SECRET_BYTES_MIN..=longest)
        .rev()
        .find(|length| cut.get(cut.len() - length..).is_some_and(|end| secret.starts_with(end)))?;
    cut.get(..cut.len() - shared)
}

/// Where the value of `key` stands. Every value has its own, so that a key of megabytes must not be
/// in each.
fn field_within(path: &str, key: &str) -> String {
    let key = key.get(..key.floor_char_boundary(KEY_BYTES_MAX)).unwrap_or(key);
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
