//! From the bytes of one message to its evidence.

use std::borrow::Cow;

use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility};
use kernel::when::When;
use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::parsers::fields::thread::thread_name;
use mail_parser::{
    Address, DateTime, Encoding, HeaderValue, Message, MessageParser, MessagePart, MimeHeaders,
    PartType,
};
use serde_json::Value;

use super::date::{asctime, without_zone};
use super::quotes::{Marks, without_quotes};
use crate::html;
use crate::lists::{LIST_MAX, distinct};
use crate::secrets::{cut_chars, summarize, without_secrets};
use crate::turn::shorten;

/// Longest boundary between parts (RFC 2046, 5.1.1).
const BOUNDARY_BYTES_MAX: usize = 70;

/// Headers that name the list by which a message came.
const LIST_HEADERS: [&str; 4] = ["List-Id", "List-Post", "X-Mailing-List", "Mailing-List"];
/// `Re:` and what other languages have for it.
const REPLIED: [&str; 7] = ["re", "aw", "sv", "antw", "vs", "odp", "rif"];
/// `Fwd:` and what other languages have for it.
const FORWARDED: [&str; 9] = ["fwd", "fw", "wg", "tr", "rv", "vb", "pd", "enc", "i"];
/// The label that Gmail gives to what was sent from the mailbox.
const SENT: &str = "Sent";

/// A message, and whether it has a date.
pub(super) struct Read {
    pub(super) evidence: Evidence,
    pub(super) dated: bool,
}

/// Reads one message; `None` when it has no headers at all.
pub(super) fn evidence(raw: &[u8]) -> Option<Read> {
    let repaired = with_address(raw);
    let repaired = with_zone(&repaired);
    let ended = with_end(&repaired);
    let message = MessageParser::default()
        .parse(ended.as_ref())
        .filter(|message| !message.headers().is_empty())?;
    let subject = message.subject().map(one_line).filter(|subject| !subject.is_empty());
    let author = message.from().or_else(|| message.sender()).and_then(|from| people(from).next());
    let answered = first_id(message.in_reply_to());
    let source_uid = message.message_id().map(one_line).filter(|id| !id.is_empty());
    let source_uid = source_uid.unwrap_or_else(|| {
        let hex = match std::str::from_utf8(raw) {
            Ok(text) => blake3::hash(without_secrets(text).as_bytes()),
            Err(_) => blake3::hash(raw),
        }
        .to_hex();
        format!("without-message-id-{}", hex.get(..32).unwrap_or(&hex))
    });
    let thread = first_id(message.references()).or_else(|| answered.clone());
    // Programs give what is forwarded the headers of a reply.
    let is_forwarded = subject.as_deref().is_some_and(|subject| begins_with(subject, &FORWARDED));
    let is_reply = !is_forwarded
        && (thread.is_some() || subject.as_deref().is_some_and(|it| begins_with(it, &REPLIED)));
    let (text, text_cut) = text(&message, is_reply);

    let mut payload = Payload {
        text,
        title: subject.clone(),
        session: Some(thread.unwrap_or_else(|| source_uid.clone())),
        session_title: subject
            .as_deref()
            .map(|subject| thread_name(subject).to_owned())
            .filter(|name| !name.is_empty()),
        participants: distinct(author.clone().into_iter().chain(
            [message.from(), message.to(), message.cc()].into_iter().flatten().flat_map(people),
        )),
        tags: labels(&message),
        links: distinct(
            message.attachments().filter_map(|part| part.attachment_name()).map(one_line),
        ),
        ..Payload::default()
    };
    payload.more.extend(answered.map(|id| ("in_reply_to".to_owned(), Value::from(id))));
    let addresses = distinct(
        [message.from(), message.to(), message.cc()].into_iter().flatten().flat_map(addresses),
    );
    payload.more.extend(
        (!addresses.is_empty()).then(|| (Evidence::ADDRESSES.to_owned(), Value::from(addresses))),
    );
    let list = mailing_list(&message);
    payload.more.extend(list.map(|list| (Evidence::MAILING_LIST.to_owned(), Value::from(list))));
    // A mailbox has in its folder of sent mail what its owner wrote.
    let is_sent = payload.tags.iter().any(|label| label == SENT);
    let account = author.clone().filter(|_| is_sent);
    payload
        .more
        .extend(account.map(|account| (Evidence::ACCOUNT.to_owned(), Value::from(account))));
    payload.more.extend(text_cut.then(|| ("text_cut".to_owned(), Value::Bool(true))));
    let unusual = message.header_raw("Date").and_then(|date| {
        let date = date.trim();
        asctime(date).or_else(|| without_zone(date))
    });
    let at = unusual
        .or_else(|| message.date().and_then(when))
        .or_else(|| message.received()?.date().as_ref().and_then(when));
    let dated = at.is_some();
    let who = author.as_deref().unwrap_or("unknown sender");
    let summary =
        summarize(&format!("Mail from {who}: {}", subject.as_deref().unwrap_or("(no subject)")));
    let evidence = Evidence {
        source: "mbox".to_owned(),
        source_uid,
        kind: EvidenceKind::MAIL.into(),
        actor: author,
        at,
        summary,
        visibility: Visibility::default(),
        payload,
    };
    Some(Read { evidence, dated })
}

/// The message with `From: ana at example.org (Ana)`, as archives of lists write it, in the form
/// that all others have.
fn with_address(raw: &[u8]) -> Cow<'_, [u8]> {
    const FROM: &[u8] = b"from: ";
    let mut start = 0;
    for line in raw.split_inclusive(|&byte| byte == b'\n') {
        if line.trim_ascii().is_empty() {
            break;
        }
        let is_from = line.get(..FROM.len()).is_some_and(|name| name.eq_ignore_ascii_case(FROM));
        if is_from && let Some(at) = at_of_archive(line.get(FROM.len()..).unwrap_or_default()) {
            let at = start + FROM.len() + at;
            let (before, after) = raw.split_at(at);
            let after = after.get(" at ".len()..).unwrap_or_default();
            return Cow::Owned([before, b"@", after].concat());
        }
        start += line.len();
    }
    Cow::Borrowed(raw)
}

/// The message with a date in `UT` or in a zone of one letter (RFC 5322, 4.3) in UTC, as these are
/// read: the parser takes the next header for the rest of such a date.
fn with_zone(raw: &[u8]) -> Cow<'_, [u8]> {
    const DATE: &[u8] = b"date:";
    let mut start = 0;
    for line in raw.split_inclusive(|&byte| byte == b'\n') {
        let kept = line.trim_ascii_end();
        if kept.is_empty() {
            break;
        }
        let is_date = kept.get(..DATE.len()).is_some_and(|name| name.eq_ignore_ascii_case(DATE));
        let zone = kept.rsplit(|&byte| byte == b' ').next().unwrap_or_default();
        let is_letters = matches!(zone, b"UT" | b"ut" | [b'A'..=b'Z' | b'a'..=b'z']);
        if is_date && is_letters {
            let end = start + kept.len();
            let (before, after) = raw.split_at(end);
            let before = before.get(..end - zone.len()).unwrap_or_default();
            return Cow::Owned([before, b"+0000", after].concat());
        }
        start += line.len();
    }
    Cow::Borrowed(raw)
}

/// The message with the end of its parts, where that is missing: the parser leaves out a part that
/// does not end.
fn with_end(raw: &[u8]) -> Cow<'_, [u8]> {
    let message = MessageParser::default().parse_headers(raw);
    let boundary = message.as_ref().and_then(|message| {
        let boundary = message.content_type()?.attribute("boundary")?;
        (boundary.len() <= BOUNDARY_BYTES_MAX).then(|| format!("--{boundary}--"))
    });
    match boundary {
        Some(end) if memchr::memmem::rfind(raw, end.as_bytes()).is_none() => {
            Cow::Owned([raw, b"\r\n", end.as_bytes(), b"\r\n"].concat())
        }
        _ => Cow::Borrowed(raw),
    }
}

/// Where the ` at ` is in `ana at example.org (Ana)`.
fn at_of_archive(author: &[u8]) -> Option<usize> {
    let author = std::str::from_utf8(author).ok()?;
    let (local, after) = author.split_once(" at ")?;
    let domain = after.split([' ', '\r', '\n']).next()?;
    let rest = after.get(domain.len()..)?.trim();
    let is_address = !local.is_empty()
        && !local.contains(|c: char| c.is_whitespace() || "@<>\"(),;:".contains(c))
        && domain.contains('.')
        && !domain.contains(['@', '<', '>', '"', '(', ')', ',', ';', ':'])
        && (rest.is_empty() || rest.starts_with('('));
    is_address.then_some(local.len())
}

/// What the author wrote, and whether some of it was left out for its length.
fn text(message: &Message<'_>, is_reply: bool) -> (String, bool) {
    let mut whole = String::new();
    for position in 0..message.text_body_count().min(LIST_MAX) {
        let Some(part) = message.text_part(position as u32) else { continue };
        let (decoded, is_html) = match &part.body {
            PartType::Text(text) => (text, false),
            PartType::Html(html) => (html, true),
            _ => continue,
        };
        let utf8 = utf8_despite_charset(message, part);
        let text = utf8.as_deref().unwrap_or(decoded);
        let part = match (is_html, is_reply) {
            (false, true) => without_quotes(text, Marks::Kept),
            (false, false) => text.replace("\r\n", "\n").trim().to_owned(),
            (true, true) => match without_quotations(text) {
                Some(own) => without_quotes(&html::to_text(&own), Marks::Kept),
                None => without_quotes(&html::to_text(text), Marks::Lost),
            },
            (true, false) => html::to_text(text),
        };
        if !whole.is_empty() && !part.is_empty() {
            whole.push_str("\n\n");
        }
        whole.push_str(&part);
        if shorten(&mut whole) {
            return (whole, true);
        }
    }
    (whole, false)
}

/// The text of a part that declares another charset and is UTF-8. Text in another charset that has
/// several characters beyond ASCII is practically never valid UTF-8.
fn utf8_despite_charset(message: &Message<'_>, part: &MessagePart<'_>) -> Option<String> {
    const CHARS_MIN: usize = 4;
    let charset = part.content_type()?.attribute("charset")?;
    if charset.get(..3).is_none_or(|name| name.eq_ignore_ascii_case("utf")) {
        return None;
    }
    let place = part.offset_body as usize..part.offset_end as usize;
    let raw = message.raw_message.get(place)?;
    let bytes = match part.encoding {
        Encoding::None => Cow::Borrowed(raw),
        Encoding::QuotedPrintable => Cow::Owned(quoted_printable_decode(raw)?),
        Encoding::Base64 => Cow::Owned(base64_decode(raw)?),
    };
    let text = std::str::from_utf8(&bytes).ok()?;
    let is_certain = text.chars().filter(|c| !c.is_ascii()).nth(CHARS_MIN - 1).is_some();
    is_certain.then(|| text.to_owned())
}

/// HTML with a quoted line in the place of each quotation; none if it has no quotations.
fn without_quotations(html: &str) -> Option<String> {
    const BEGIN: &str = "<blockquote";
    const END: &str = "</blockquote";
    /// What stands for a quotation.
    const QUOTED: &str = "<br>&gt; …<br>";
    let lower = html.to_ascii_lowercase();
    let mut own = String::with_capacity(html.len());
    let (mut depth, mut own_from) = (0_usize, 0);
    let next = |from: usize, mark: &str| {
        lower.get(from..).and_then(|rest| rest.find(mark)).map(|place| from + place)
    };
    let mut begin = next(0, BEGIN);
    begin?;
    let mut end = next(0, END);
    loop {
        match (begin, end) {
            (Some(here), other) if other.is_none_or(|other| here < other) => {
                if depth == 0 {
                    own.push_str(html.get(own_from..here).unwrap_or_default());
                    own.push_str(QUOTED);
                }
                depth += 1;
                begin = next(here + BEGIN.len(), BEGIN);
            }
            (_, Some(here)) => {
                let at = next(here, ">").map_or(lower.len(), |close| close + 1);
                if depth > 0 {
                    depth -= 1;
                    own_from = if depth == 0 { at } else { own_from };
                }
                end = next(at.max(here + END.len()), END);
            }
            _ => break,
        }
    }
    if depth == 0 {
        own.push_str(html.get(own_from..).unwrap_or_default());
    }
    Some(own)
}

/// Whether a subject begins with one of these and a colon: `Re: …`, `AW[2]: …`.
fn begins_with(subject: &str, prefixes: &[&str]) -> bool {
    let prefix = subject.split(':').next().unwrap_or_default().trim();
    let prefix = prefix.split('[').next().unwrap_or_default().trim();
    subject.contains(':') && prefixes.iter().any(|known| prefix.eq_ignore_ascii_case(known))
}

fn when(date: &DateTime) -> Option<When> {
    date.is_valid().then(|| When::parse_given(&date.to_rfc3339()).ok()).flatten()
}

fn first_id(value: &HeaderValue<'_>) -> Option<String> {
    let id = match value {
        HeaderValue::Text(id) => Some(id),
        HeaderValue::TextList(ids) => ids.first(),
        _ => None,
    };
    id.map(|id| one_line(id)).filter(|id| !id.is_empty())
}

/// Names, or addresses of those without one.
fn people<'a>(address: &'a Address<'_>) -> impl Iterator<Item = String> + 'a {
    address.iter().filter_map(|person| {
        let name = person.name().map(one_line).filter(|name| !name.is_empty());
        name.or_else(|| person.address().map(one_line)).filter(|name| !name.is_empty())
    })
}

/// Names with addresses, or what there is of them.
fn addresses<'a>(address: &'a Address<'_>) -> impl Iterator<Item = String> + 'a {
    address.iter().filter_map(|person| {
        let name = person.name().map(one_line).filter(|name| !name.is_empty());
        let address = person.address().map(one_line).filter(|address| !address.is_empty());
        match (name, address) {
            (Some(name), Some(address)) => Some(format!("{name} <{address}>")),
            (name, address) => name.or(address),
        }
    })
}

/// The mailing list by which the message came, as its headers name it: `List-Id` and `List-Post`
/// (RFC 2919, RFC 2369), and what lists wrote before those.
fn mailing_list(message: &Message<'_>) -> Option<String> {
    const NAME_CHARS_MAX: usize = 200;
    let named = |header: &&str| {
        let value = one_line(message.header_raw(*header)?);
        let value = cut_chars(&value, NAME_CHARS_MAX).to_owned();
        (!value.is_empty() && !value.eq_ignore_ascii_case("no")).then_some(value)
    };
    LIST_HEADERS.iter().find_map(named).or_else(|| {
        // Its address is a link that acts for the reader.
        if message.header_raw("List-Unsubscribe").is_some() {
            return Some("newsletter".to_owned());
        }
        let precedence = one_line(message.header_raw("Precedence")?).to_lowercase();
        matches!(precedence.as_str(), "list" | "bulk" | "junk").then_some(precedence)
    })
}

/// Labels that Gmail writes into the mailboxes it exports.
fn labels(message: &Message<'_>) -> Vec<String> {
    let labels =
        message.header("X-Gmail-Labels").and_then(HeaderValue::as_text).unwrap_or_default();
    distinct(labels.split(',').map(|label| label.trim().trim_matches('"').to_owned()))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
