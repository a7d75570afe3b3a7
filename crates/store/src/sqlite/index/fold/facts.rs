//! Folding claims, corrections and nodes into their index.
//!
//! Every claim, correction and node is a document and remains one. Whether it is served is looked
//! up when it is found, in the ledger as it is, or as it was at the time of the query. So later
//! operations never change a document, and the index does not depend on anybody's capabilities. The
//! graph's table of identities lists the operations to fold, so a million records between two
//! claims are not read.

use std::borrow::Cow;

use kernel::body::{Body, Claim, Correction};
use kernel::kind::Kind;
use kernel::ledger_index::record_key;
use kernel::when::When;
use retrieval::rank::lexical::TermCounts;
use retrieval::text::Language;
use rusqlite::{Connection, OptionalExtension, Rows};
use serde_json::Value;

use super::super::super::graph::sql;
use super::super::super::records::SINCE as RECORDS_SINCE;
use super::super::attributes::{self, Attribute, NO_DAY, NO_TIME, NONE, StoredAttribute};
use super::super::batch::Batch;
use super::super::meaning::DocumentVector;
use super::super::served::node_session;
use super::super::tables::FACTS;
use super::ahead::{AHEAD_BYTES, AHEAD_MAX, meanwhile};
use super::block::Stretch;
use super::{Folder, days_since_epoch};
use crate::{Position, StoreError};

/// The tag of values as they were given. They are kept for audits, and no recall serves them.
pub const VALUES_RAW: &str = "values:raw";
/// Limit of values in a payload that are searched with the text of a claim.
const VALUES_MAX: usize = 256;
/// The default subject, the owner, which is not searched as a name.
const SELF: &str = "self";

/// The next operations to fold: statements of identities, and nodes.
const STATED: &str = "SELECT stated.pos, op.kind, op.body FROM (
         SELECT pos FROM (SELECT pos FROM identity WHERE pos > ?1 AND pos <= ?2 ORDER BY pos LIMIT ?3)
         UNION ALL
         SELECT pos FROM (SELECT pos FROM record WHERE pos > ?1 AND pos <= ?2 AND kind = 'node' ORDER BY pos LIMIT ?3)
         ORDER BY pos LIMIT ?3
     ) AS stated CROSS JOIN op ON op.pos = stated.pos ORDER BY stated.pos";

/// The same in a file without the view of records.
const STATED_BEFORE: &str =
    "SELECT identity.pos, op.kind, op.body FROM identity CROSS JOIN op ON op.pos = identity.pos
     WHERE identity.pos > ?1 AND identity.pos <= ?2 ORDER BY identity.pos LIMIT ?3";

/// The folder of claims and corrections, with what it caches for the next fold.
pub(in super::super) struct FactFolder(Folder);

/// The searchable part of a claim or a correction.
struct FactText<'a> {
    key: Cow<'a, str>,
    text: String,
    payload: &'a Value,
    subject: Option<&'a str>,
    at: Option<&'a When>,
}

impl<'a> FactText<'a> {
    fn of(body: &'a Body) -> Option<Self> {
        match body {
            Body::Node(node) => Some(Self {
                key: node_session(&record_key(body, &[])?).into(),
                text: node.text.clone()?,
                payload: node.payload.as_ref().unwrap_or(&Value::Null),
                subject: None,
                at: None,
            }),
            Body::Claim(Claim {
                identity_key,
                text,
                payload,
                subject,
                valid_at,
                valid_from,
                ..
            }) => Some(Self {
                key: identity_key.into(),
                text: text.clone(),
                payload,
                subject: Some(subject.as_str()).filter(|subject| *subject != SELF),
                at: valid_from.as_ref().or(valid_at.as_ref()),
            }),
            // A correction without a text is served as its payload.
            Body::ClaimCorrection(Correction { identity_key, corrected_payload, text, .. }) => {
                Some(Self {
                    key: identity_key.into(),
                    text: text.clone().unwrap_or_else(|| corrected_payload.to_string()),
                    payload: corrected_payload,
                    subject: None,
                    at: None,
                })
            }
            _ => None,
        }
    }
}

/// The text of the claim, correction or node at a position. None if it has no text, or is kept for
/// audits alone.
pub(in super::super::super) fn stated_at(
    connection: &Connection,
    position: Position,
    bytes_max: usize,
) -> Result<Option<String>, StoreError> {
    let found: Option<(String, Option<Vec<u8>>)> = connection
        .prepare_cached("SELECT kind, body FROM op WHERE pos = ?1")?
        .query_row([sql(position)], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((kind, Some(bytes))) = found else { return Ok(None) };
    let body = Kind::parse(&kind).ok().and_then(|kind| Body::parse(&kind, &bytes).ok());
    let Some(fact) = body.as_ref().filter(|body| !is_for_audits(body)).and_then(FactText::of)
    else {
        return Ok(None);
    };
    let mut text = fact.text;
    text.truncate(text.floor_char_boundary(bytes_max));
    Ok((!text.trim().is_empty()).then_some(text))
}

/// Whether it holds values as they were given, which no search serves.
fn is_for_audits(body: &Body) -> bool {
    let tags = match body {
        Body::Claim(claim) => claim.tags.as_slice(),
        Body::Node(node) => node.tags.as_deref().unwrap_or_default(),
        _ => &[],
    };
    tags.iter().any(|tag| tag == VALUES_RAW)
}

impl FactFolder {
    /// A folder with an empty cache.
    pub(in super::super) fn new(connection: &Connection) -> Result<Self, StoreError> {
        Ok(Self(Folder::of(connection, &FACTS)?))
    }

    /// Adds at most a block of claims and corrections, none after `until`, in the transaction that
    /// is open on `connection`. Returns the new position.
    pub(in super::super) fn fold_until(
        &mut self,
        connection: &Connection,
        until: Position,
    ) -> Result<Position, StoreError> {
        self.0.fold_block(connection, until, |folder, batch, stretch| {
            folder.read_facts(connection, batch, stretch)
        })
    }
}

impl Folder {
    fn read_facts(
        &mut self,
        connection: &Connection,
        batch: &mut Batch,
        stretch: &mut Stretch,
    ) -> Result<(), StoreError> {
        let has_records = super::super::super::schema_version(connection)? >= RECORDS_SINCE;
        let mut statement =
            connection.prepare_cached(if has_records { STATED } else { STATED_BEFORE })?;
        let mut rows = statement.query(stretch.parameters())?;
        // No other thread is there for the first of them.
        let mut prepared = prepare(Stored::read(&mut rows, stretch)?, false);
        loop {
            let stored = Stored::read(&mut rows, stretch)?;
            if prepared.is_empty() && stored.is_empty() {
                return Ok(());
            }
            let expects_english = std::mem::take(&mut self.english_lead) > 0;
            let prepare = |stored| prepare(stored, expects_english);
            let add_all =
                || prepared.iter().try_for_each(|fact| self.add_fact(connection, batch, fact));
            let (added, next) = meanwhile(stored, prepare, add_all);
            added?;
            prepared = next;
        }
    }

    fn add_fact(
        &mut self,
        connection: &Connection,
        batch: &mut Batch,
        prepared: &PreparedFact,
    ) -> Result<(), StoreError> {
        let document = batch.documents;
        let PreparedFact { position, kind, body, .. } = prepared;
        let position = *position;
        let Some(fact) = FactText::of(body) else { return Ok(()) };
        let more = searched_beside(&prepared.values, &prepared.key);
        let analysis = self.analyzer.analyze_slots(&fact.text, &more);
        for (term, own) in self.number_terms(connection, batch, &analysis)? {
            batch.push_posting(term, document, TermCounts { own, ..TermCounts::default() });
        }
        let is_english = analysis.language == Language::English;
        self.english_lead += if is_english { 1 } else { -1 };
        let meant = match prepared.meant_in_english.as_ref().filter(|_| is_english) {
            Some(meant) => Cow::Borrowed(meant),
            None => Cow::Owned(vector_of(&fact, &more, analysis.language)),
        };
        let nothing = DocumentVector::default();
        batch.meanings.push(
            connection,
            self.tables,
            document,
            &meant,
            &nothing.vector,
            &nothing.vector,
        )?;
        let subject = fact.subject.map(|name| self.person(connection, name)).transpose()?.flatten();
        if let Some(person) = subject {
            connection.prepare_cached(self.tables.add_participant)?.execute([person, document])?;
        }
        let mut flags = 0;
        for (applies, flag) in [
            (analysis.timex, attributes::TIMEX),
            (analysis.is_question, attributes::IS_QUESTION),
            (subject.is_some(), attributes::HAS_PARTICIPANTS),
        ] {
            flags |= if applies { flag } else { 0 };
        }
        let attribute = Attribute {
            position,
            previous: NONE,
            author: NONE,
            day: fact.at.map_or(NO_DAY, |at| days_since_epoch(at.date())),
            at_us: fact.at.map_or(NO_TIME, When::instant_us),
            kind: self.kind(connection, kind.as_str())?,
            marks: attributes::TURN,
            flags,
        };
        let stored = StoredAttribute {
            attribute,
            session: self.session(connection, batch, Some(&fact.key))?,
            length: u8::try_from(analysis.length).unwrap_or(u8::MAX),
        };
        batch.push_attribute(connection, position, document, &stored)?;
        batch.documents += 1;
        batch.reached = position;
        Ok(())
    }
}

/// A row of [`STATED`].
struct Stored {
    position: Position,
    kind: Kind,
    bytes: Vec<u8>,
}

impl Stored {
    /// The next rows with a body, as many as are prepared at once; none at the end.
    fn read(rows: &mut Rows<'_>, stretch: &mut Stretch) -> Result<Vec<Self>, StoreError> {
        let mut read = Vec::new();
        let mut bytes_read = 0;
        while read.len() < AHEAD_MAX
            && bytes_read < AHEAD_BYTES
            && let Some(row) = rows.next()?
        {
            stretch.take(row)?;
            let Ok(kind) = Kind::parse(row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?)
            else {
                continue;
            };
            let bytes = row.get_ref(2)?.as_blob_or_null().map_err(rusqlite::Error::from)?;
            let Some(bytes) = bytes else { continue };
            bytes_read += bytes.len();
            read.push(Self { position: stretch.last, kind, bytes: bytes.to_vec() });
        }
        Ok(read)
    }
}

/// A claim, correction or node, with all that is read of it without the index.
struct PreparedFact {
    position: Position,
    kind: Kind,
    body: Body,
    /// Values that are not in the text.
    values: Vec<String>,
    /// The words of its key; none of a node, whose key is a digest of its text.
    key: String,
    /// Its vector if it is in English, if it was expected to be.
    meant_in_english: Option<DocumentVector>,
}

impl PreparedFact {
    /// None if it has no text.
    fn of(stored: Stored, expects_english: bool) -> Option<Self> {
        let Stored { position, kind, bytes } = stored;
        let body = Body::parse(&kind, &bytes).ok()?;
        let fact = FactText::of(&body)?;
        let values = values_beyond(&fact.text, fact.payload);
        let key = match kind {
            Kind::Node => String::new(),
            _ => fact.key.replace(|character: char| !character.is_alphanumeric(), " "),
        };
        let meant_in_english = expects_english
            .then(|| vector_of(&fact, &searched_beside(&values, &key), Language::English));
        Some(Self { position, kind, values, key, meant_in_english, body })
    }
}

/// What is searched beside the text.
fn searched_beside<'a>(values: &'a [String], key: &'a str) -> Vec<&'a str> {
    values.iter().map(String::as_str).chain([key]).collect()
}

/// The vector of a text and what is searched beside it, in a language.
fn vector_of(fact: &FactText<'_>, more: &[&str], language: Language) -> DocumentVector {
    DocumentVector::of(language, std::iter::once(fact.text.as_str()).chain(more.iter().copied()))
}

fn prepare(stored: Vec<Stored>, expects_english: bool) -> Vec<PreparedFact> {
    stored.into_iter().filter_map(|stored| PreparedFact::of(stored, expects_english)).collect()
}

/// The texts and numbers of the payload that are not in the text, in order, at most [`VALUES_MAX`].
fn values_beyond(text: &str, payload: &Value) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    let mut rest = vec![payload];
    while let Some(value) = rest.pop() {
        let fact = match value {
            Value::String(value) => value.clone(),
            Value::Number(number) => number.to_string(),
            Value::Array(items) => {
                rest.extend(items.iter().rev());
                continue;
            }
            Value::Object(fields) => {
                rest.extend(fields.values().rev());
                continue;
            }
            Value::Null | Value::Bool(_) => continue,
        };
        if !text.contains(&fact) {
            values.push(fact);
        }
        if values.len() == VALUES_MAX {
            break;
        }
    }
    values
}
