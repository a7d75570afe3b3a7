//! JSON-LD 1.1: <https://www.w3.org/TR/json-ld11/>.
//!
//! Every edge is written twice: as a property of its beginning, for queries, and as a thing of its
//! own with its notes, its label and its id.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::{ExportedEdge, ExportedNode, FormatWriter};

/// The vocabulary of types and properties that no other vocabulary has.
const VOCABULARY: &str = "urn:because:vocabulary#";

pub(super) struct JsonLd<'a> {
    output: &'a mut dyn Write,
    is_first: bool,
}

impl<'a> JsonLd<'a> {
    pub(super) fn new(output: &'a mut dyn Write) -> Self {
        Self { output, is_first: true }
    }

    fn item(&mut self, item: &Value) -> io::Result<()> {
        let before = if std::mem::take(&mut self.is_first) { "" } else { "," };
        writeln!(self.output, "{before}")?;
        serde_json::to_writer(&mut *self.output, item)?;
        Ok(())
    }
}

impl FormatWriter for JsonLd<'_> {
    fn begin(&mut self) -> io::Result<()> {
        let context = serde_json::to_string(&context())?;
        write!(self.output, "{{\"@context\":{context},\"@graph\":[")
    }

    fn node(&mut self, node: &ExportedNode<'_>) -> io::Result<()> {
        let record = node.record;
        let mut item = Map::new();
        item.insert("@id".to_owned(), json!(record.id));
        item.insert("@type".to_owned(), json!(type_name(&record.record_type)));
        item.insert("name".to_owned(), json!(record.text));
        let entity_type = node.entity_type().map(|of| json!(of));
        let data = Some(&record.payload).filter(|data| !data.is_null());
        let list = |list: &[String]| (!list.is_empty()).then(|| json!(list));
        let time =
            |when: &Option<kernel::when::When>| when.as_ref().map(|it| json!(it.to_string()));
        put(&mut item, "entity_type", entity_type);
        put(&mut item, "alternate_name", list(node.aliases));
        put(&mut item, "tag", list(&record.tags));
        put(&mut item, "confidence", record.confidence.map(|it| json!(it)));
        put(&mut item, "valid_from", time(&record.valid_from));
        put(&mut item, "valid_to", time(&record.valid_to));
        put(&mut item, "recorded_at", Some(json!(record.recorded_at)));
        put(&mut item, "scope", Some(json!(node.scope)));
        put(&mut item, "data", data.cloned());
        self.item(&Value::Object(item))
    }

    fn edge(
        &mut self,
        ExportedEdge { edge, from, to, scope }: &ExportedEdge<'_>,
    ) -> io::Result<()> {
        self.item(&json!({ "@id": from, edge.edge_type: to }))?;
        let mut item = Map::new();
        item.insert("@id".to_owned(), json!(edge.id));
        item.insert("@type".to_owned(), json!("Edge"));
        item.insert("edge_type".to_owned(), json!(edge.edge_type));
        item.insert("from".to_owned(), json!(from));
        item.insert("to".to_owned(), json!(to));
        let text = |text: &str| (!text.is_empty()).then(|| json!(text));
        put(&mut item, "label", text(&edge.label));
        put(&mut item, "notes", text(&edge.notes));
        put(&mut item, "confidence", edge.confidence.map(|it| json!(it)));
        put(&mut item, "recorded_at", Some(json!(edge.recorded_at)));
        put(&mut item, "scope", Some(json!(scope)));
        self.item(&Value::Object(item))
    }

    fn end(&mut self) -> io::Result<()> {
        writeln!(self.output, "\n]}}")
    }
}

fn put(item: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        item.insert(name.to_owned(), value);
    }
}

/// The class of a type of record. A dotted type of a deriver is one word to its last letter.
fn type_name(record_type: &str) -> String {
    record_type
        .split(|character: char| !character.is_ascii_alphanumeric())
        .flat_map(|word| {
            let mut letters = word.chars();
            letters.next().map(|first| first.to_ascii_uppercase().to_string() + letters.as_str())
        })
        .collect()
}

fn context() -> Value {
    let mut context = json!({
        "@version": 1.1,
        "@vocab": VOCABULARY,
        "b3": { "@id": "urn:because:b3:", "@prefix": true },
        "name": "http://schema.org/name",
        "alternate_name": "http://schema.org/alternateName",
        "label": "http://www.w3.org/2000/01/rdf-schema#label",
        "notes": "http://www.w3.org/2000/01/rdf-schema#comment",
        "recorded_at": {
            "@id": "http://purl.org/dc/terms/created",
            "@type": "http://www.w3.org/2001/XMLSchema#dateTime",
        },
        "data": { "@id": format!("{VOCABULARY}data"), "@type": "@json" },
        "from": { "@id": format!("{VOCABULARY}from"), "@type": "@id" },
        "to": { "@id": format!("{VOCABULARY}to"), "@type": "@id" },
    });
    for edge_type in kernel::body::EdgeType::ALL {
        let name = edge_type.as_str();
        context[name] = json!({ "@id": format!("{VOCABULARY}{name}"), "@type": "@id" });
    }
    context
}
