//! Custom collections of documents, queries and gold, such as the user's own memory.
//!
//! A collection is a file of JSON lines, each a `document`, a `query` or `gold` by its `type`, or a
//! folder in the layout of the BEIR benchmarks ([`beir`]). The form is described in `docs/eval.md`.
//! All lines are validated before the evaluation, because results with half of the labels would
//! look plausible. So invalid data is an error with file and line, and never skipped silently.

mod beir;
mod documents;
mod lines;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::documents::{Document, Documents, SOURCE};
use super::{Collection, EvalError, EvalQuestion, LabelledQuestion, RecordKey, Source};

/// The unit of records.
pub const UNIT: &str = "documents";
/// Most documents of a collection.
const DOCUMENTS_MAX: usize = 4_000_000;
/// Most queries of a collection.
const QUERIES_MAX: usize = 200_000;
/// Most documents that answer one query.
const GOLD_MAX: usize = 10_000;
/// Longest id, category or kind, bytes.
const NAME_BYTES_MAX: usize = 512;
/// The category of queries without one.
const CATEGORY: &str = "queries";

/// A prepared collection.
pub struct Retrieval {
    pub collection: Collection,
    /// How many documents.
    pub documents: usize,
    /// Number of skipped queries without gold that are not marked as unanswerable; only the BEIR
    /// layout allows them.
    pub without_gold: usize,
    // The documents' file, which must exist during the import.
    folder: tempfile::TempDir,
}

impl Retrieval {
    /// The collection, and the folder that must outlive it.
    pub fn into_parts(self) -> (Collection, tempfile::TempDir) {
        (self.collection, self.folder)
    }
}

/// Reads a file of JSON lines, or a folder in the BEIR layout.
///
/// # Errors
/// If a file cannot be read, or a line does not have the form of a document, a query or a
/// judgement.
pub fn read(path: &Path) -> Result<Retrieval, EvalError> {
    let folder = tempfile::tempdir().map_err(engine::EngineError::from)?;
    let mut reader = CollectionReader::new(path, folder.path().join("documents.jsonl"))?;
    if path.is_dir() {
        beir::read(path, &mut reader)?;
    } else {
        lines::for_each(path, |number, line| reader.line(number, line))?;
    }
    reader.finish(path, folder)
}

/// The id of a document or query: a text or a number in the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "Value")]
struct Id(String);

impl Id {
    fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<Value> for Id {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        match value {
            Value::String(id) if !id.trim().is_empty() && id.len() <= NAME_BYTES_MAX => {
                Ok(Self(id))
            }
            Value::Number(id) => Ok(Self(id.to_string())),
            _ => Err(format!("an id is a text of 1 to {NAME_BYTES_MAX} bytes, or a number")),
        }
    }
}

/// A line with a query.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Query {
    id: Id,
    text: String,
    today: Option<String>,
    category: Option<String>,
    #[serde(default)]
    gold: Vec<Id>,
    answerable: Option<bool>,
}

/// A line with the gold of a query.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Gold {
    query: Id,
    documents: Vec<Id>,
}

/// A query and its gold.
struct Labels {
    question: EvalQuestion,
    category: String,
    gold: BTreeSet<Id>,
    is_answerable: bool,
    line: u64,
}

/// A gold reference whose document or query may follow later in the file.
struct GoldReference {
    query: Id,
    document: Id,
    line: u64,
}

/// A collection that is being read.
struct CollectionReader {
    file: BufWriter<std::fs::File>,
    documents_path: PathBuf,
    /// Documents and their line numbers.
    documents: HashMap<Id, u64>,
    /// In the order of the file.
    queries: Vec<Labels>,
    query_places: BTreeMap<Id, usize>,
    named: Vec<GoldReference>,
    /// Whether queries without gold are skipped.
    may_lack_gold: bool,
}

impl CollectionReader {
    fn new(path: &Path, documents_path: PathBuf) -> Result<Self, EvalError> {
        let file = std::fs::File::create(&documents_path)
            .map_err(|source| EvalError::File { path: documents_path.clone(), source })?;
        Ok(Self {
            file: BufWriter::new(file),
            documents_path,
            documents: HashMap::new(),
            queries: Vec::new(),
            query_places: BTreeMap::new(),
            named: Vec::new(),
            may_lack_gold: path.is_dir(),
        })
    }

    fn line(&mut self, number: u64, line: &str) -> Result<(), String> {
        let Value::Object(mut object) = parse(line)? else {
            return Err("not a JSON object".to_owned());
        };
        let kind = object.remove("type");
        let fields = Value::Object(object);
        match kind.as_ref().and_then(Value::as_str) {
            Some("document") => self.document(number, take(fields)?),
            Some("query") => self.query(number, take(fields)?),
            Some("gold") => self.gold(number, take(fields)?),
            Some(other) => Err(format!("`type` {other:?} is not `document`, `query` or `gold`")),
            None => Err("`type` is missing: use `document`, `query` or `gold`".to_owned()),
        }
    }

    fn document(&mut self, number: u64, document: Document) -> Result<(), String> {
        if self.documents.len() >= DOCUMENTS_MAX {
            return Err(format!("more than {DOCUMENTS_MAX} documents"));
        }
        name("kind", document.kind.as_deref())?;
        if let Some(earlier) = self.documents.insert(document.id.clone(), number) {
            return Err(format!(
                "document {:?} is there already, in line {earlier}",
                document.id.as_str()
            ));
        }
        let evidence = document.clone().evidence()?;
        engine::write::record::Prepared::new(evidence.into()).map_err(|error| error.to_string())?;
        documents::write(&mut self.file, &document)
            .map_err(|error| format!("cannot be written: {error}"))
    }

    fn query(&mut self, number: u64, query: Query) -> Result<(), String> {
        if self.queries.len() >= QUERIES_MAX {
            return Err(format!("more than {QUERIES_MAX} queries"));
        }
        name("category", query.category.as_deref())?;
        if query.text.trim().is_empty() {
            return Err("the query is empty: `text` is blank".to_owned());
        }
        let today = query
            .today
            .map(|today| today.parse().map_err(|error| format!("`today`: {error}")))
            .transpose()?;
        if let Some(earlier) = self.query_places.insert(query.id.clone(), self.queries.len()) {
            let line = self.queries.get(earlier).map_or(0, |earlier| earlier.line);
            return Err(format!("query {:?} is there already, in line {line}", query.id.as_str()));
        }
        self.name_gold(number, &query.id, query.gold)?;
        self.queries.push(Labels {
            question: EvalQuestion { text: query.text, today },
            category: query.category.unwrap_or_else(|| CATEGORY.to_owned()),
            gold: BTreeSet::new(),
            is_answerable: query.answerable.unwrap_or(true),
            line: number,
        });
        Ok(())
    }

    fn gold(&mut self, number: u64, gold: Gold) -> Result<(), String> {
        self.name_gold(number, &gold.query, gold.documents)
    }

    fn name_gold(&mut self, line: u64, query: &Id, documents: Vec<Id>) -> Result<(), String> {
        if documents.len() > GOLD_MAX {
            return Err(format!("more than {GOLD_MAX} documents as gold of one query"));
        }
        if self.named.len() >= QUERIES_MAX.saturating_mul(10) {
            return Err("too much gold".to_owned());
        }
        self.named.extend(documents.into_iter().map(|document| GoldReference {
            query: query.clone(),
            document,
            line,
        }));
        Ok(())
    }

    /// Joins gold to queries, after all lines are read.
    fn join(&mut self) -> Result<(), (u64, String)> {
        for GoldReference { query, document, line } in std::mem::take(&mut self.named) {
            let place =
                self.query_places.get(&query).and_then(|place| self.queries.get_mut(*place));
            let Some(labels) = place else {
                return Err((
                    line,
                    format!("gold of query {:?}, which does not exist", query.as_str()),
                ));
            };
            if !self.documents.contains_key(&document) {
                return Err((
                    line,
                    format!("gold names document {:?}, which does not exist", document.as_str()),
                ));
            }
            if !labels.is_answerable {
                return Err((
                    line,
                    format!("query {:?} has gold but is marked as unanswerable", query.as_str()),
                ));
            }
            labels.gold.insert(document);
        }
        let lacking = |labels: &&Labels| labels.is_answerable && labels.gold.is_empty();
        match self.queries.iter().find(lacking).filter(|_| !self.may_lack_gold) {
            Some(labels) => Err((
                labels.line,
                "the query has no gold; if nothing answers it, say so by `\"answerable\": false`"
                    .to_owned(),
            )),
            None => Ok(()),
        }
    }

    fn finish(mut self, path: &Path, folder: tempfile::TempDir) -> Result<Retrieval, EvalError> {
        let file_error = |source| EvalError::File { path: folder.path().to_owned(), source };
        self.file.flush().map_err(file_error)?;
        self.join().map_err(|(line, reason)| EvalError::Line {
            path: path.to_owned(),
            line,
            reason,
        })?;
        if self.documents.is_empty() {
            return Err(EvalError::form(path, "there is no document in it"));
        }
        let name = path
            .file_stem()
            .map_or_else(|| "collection".to_owned(), |stem| stem.to_string_lossy().into_owned());
        let source = Source { importer: &Documents, path: self.documents_path };
        let mut collection = Collection {
            name,
            sources: vec![source],
            questions: Vec::new(),
            unanswerable: Vec::new(),
        };
        let mut without_gold = 0;
        for labels in self.queries {
            if !labels.is_answerable {
                collection.unanswerable.push(labels.question);
            } else if labels.gold.is_empty() {
                without_gold += 1;
            } else {
                let gold =
                    labels.gold.iter().map(|id| RecordKey::new(SOURCE, id.as_str())).collect();
                collection.questions.push(LabelledQuestion {
                    question: labels.question,
                    category: labels.category,
                    gold,
                });
            }
        }
        if collection.questions.is_empty() {
            return Err(EvalError::form(path, "there is no query with gold in it"));
        }
        Ok(Retrieval { collection, documents: self.documents.len(), without_gold, folder })
    }
}

fn parse(line: &str) -> Result<Value, String> {
    serde_json::from_str(line).map_err(|error| format!("not JSON: {error}"))
}

fn take<T: serde::de::DeserializeOwned>(fields: Value) -> Result<T, String> {
    serde_json::from_value(fields).map_err(|error| error.to_string())
}

/// Names appear in tables and filters, so they must be short, on one line, and not empty.
fn name(field: &str, value: Option<&str>) -> Result<(), String> {
    match value {
        Some(value)
            if value.trim().is_empty()
                || value.len() > NAME_BYTES_MAX
                || value.contains(char::is_control) =>
        {
            Err(format!("`{field}` is not a line of 1 to {NAME_BYTES_MAX} bytes"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
pub(crate) mod tests;
