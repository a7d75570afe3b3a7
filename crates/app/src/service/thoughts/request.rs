//! Requests about thoughts, read from JSON.
//!
//! Fields are checked in the order of the contract's table, after fields that no request has. The
//! first breach answers.

use engine::thought::contribution;
use engine::thought::lineage::{DEPTH, DEPTH_MAX};
use engine::thought::uuid::ThoughtUuid;
use kernel::body::Mark;
use kernel::id::OpId;
use serde_json::{Map, Value};
use store::sqlite::QuestionVector;

use super::refusal::ThoughtRefusal;

/// Most characters of a prompt, a query and a content.
pub(crate) const PROMPT_CHARS_MAX: usize = 10_000;
/// Most characters of the context.
pub(crate) const CONTEXT_CHARS_MAX: usize = 2_000;
/// Most characters of an agent's id, a session and a tag.
pub(crate) const ID_CHARS_MAX: usize = 100;
/// Most characters of an agent's name, a category, a topic and a space.
pub(crate) const NAME_CHARS_MAX: usize = 200;
/// Most tags of a thought.
pub(crate) const TAGS_MAX: usize = 32;
/// Most thoughts that one consolidates.
pub(crate) const CONSOLIDATED_MAX: usize = 100;

/// Fields of every request to think, besides its text.
const COMMON_FIELDS: [&str; 6] =
    ["agent_id", "agent_name", "context", "session_id", "tags", "space"];
/// Fields of one that retrieves.
const READING_FIELDS: [&str; 2] = ["read_only", "full_content"];
/// Fields of one that may contribute.
const KEEPING_FIELDS: [&str; 5] = ["refines", "consolidates", "corrects", "category", "topic"];

/// What a thought builds on, as it was named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum NamedGrounds {
    #[default]
    None,
    Refines(String),
    Consolidates(Vec<String>),
    Corrects(String),
}

/// A request to think: to retrieve, and to contribute if that is due.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct MemoryRequest {
    /// The question or statement.
    pub(crate) prompt: String,
    /// Who asks.
    pub(crate) agent_id: String,
    /// The name of who asks.
    pub(crate) agent_name: String,
    /// What they are doing.
    pub(crate) context: Option<String>,
    /// The session; one is made if none is given.
    pub(crate) session_id: Option<String>,
    /// What the thought builds on.
    pub(crate) grounds: NamedGrounds,
    /// Whether to leave no trace.
    pub(crate) read_only: bool,
    /// Whether sources carry their whole content.
    pub(crate) full_content: bool,
    /// Labels of the thought.
    pub(crate) tags: Option<Vec<String>>,
    /// A coarse label.
    pub(crate) category: Option<String>,
    /// A finer label.
    pub(crate) topic: Option<String>,
    /// The space; the caller's own if none is named.
    pub(crate) space: Option<String>,
    /// What is retrieved with, as the model of the space understands it: not a field of the
    /// contract ([`super::embedding`]).
    pub(crate) vector: Option<QuestionVector>,
}

/// Labels to put on a thought.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LabelRequest {
    pub(crate) category: Option<String>,
    pub(crate) topic: Option<String>,
    pub(crate) tags: Option<Vec<String>>,
    pub(crate) mark: Option<Mark>,
}

/// Explicit feedback on a thought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FeedbackRequest {
    pub(crate) session_id: String,
    pub(crate) thought_id: String,
    pub(crate) is_useful: bool,
}

/// The fields of a request, taken one after the other.
struct Fields(Map<String, Value>);

impl Fields {
    /// The fields of an object, which has no others than these.
    fn of(body: Value, known: &[&str]) -> Result<Self, ThoughtRefusal> {
        let Value::Object(fields) = body else {
            return Err(ThoughtRefusal::field("the body must be a JSON object"));
        };
        if let Some(other) = fields.keys().find(|name| !known.contains(&name.as_str())) {
            let other: String = other.chars().take(ID_CHARS_MAX).collect();
            return Err(ThoughtRefusal::field(format!("unknown field: {other}")));
        }
        Ok(Self(fields))
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name).filter(|value| !value.is_null())
    }

    fn text(&mut self, name: &str, most: usize) -> Result<Option<String>, ThoughtRefusal> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) if text.chars().nth(most).is_none() => Ok(Some(text)),
            Some(Value::String(_)) => {
                Err(ThoughtRefusal::field(format!("{name} must have at most {most} characters")))
            }
            Some(_) => Err(ThoughtRefusal::field(format!("{name} must be a string"))),
        }
    }

    fn needed_text(&mut self, name: &str, most: usize) -> Result<String, ThoughtRefusal> {
        let text = self.text(name, most)?.filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| {
            ThoughtRefusal::field(format!("{name} is required: 1 to {most} characters"))
        })
    }

    fn flag(&mut self, name: &str) -> Result<bool, ThoughtRefusal> {
        match self.take(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(_) => Err(ThoughtRefusal::field(format!("{name} must be true or false"))),
        }
    }

    fn texts(
        &mut self,
        name: &str,
        (count_max, most): (usize, usize),
    ) -> Result<Option<Vec<String>>, ThoughtRefusal> {
        let wrong = || {
            let length = match most {
                usize::MAX => String::new(),
                most => format!(" of at most {most} characters"),
            };
            let message = format!("{name} must be a list of at most {count_max} strings{length}");
            ThoughtRefusal::field(message)
        };
        let Some(value) = self.take(name) else { return Ok(None) };
        let Value::Array(items) = value else { return Err(wrong()) };
        if items.len() > count_max {
            return Err(wrong());
        }
        let text = |item: Value| match item {
            Value::String(text) if text.chars().nth(most).is_none() => Ok(text),
            _ => Err(wrong()),
        };
        items.into_iter().map(text).collect::<Result<_, _>>().map(Some)
    }

    fn tags(&mut self) -> Result<Option<Vec<String>>, ThoughtRefusal> {
        let Some(tags) = self.texts("tags", (TAGS_MAX, ID_CHARS_MAX))? else { return Ok(None) };
        let mut kept: Vec<String> = Vec::with_capacity(tags.len());
        for tag in tags {
            let tag = tag.trim();
            if tag.is_empty() {
                return Err(ThoughtRefusal::field("a tag must have at least one character"));
            }
            if !kept.iter().any(|known| known == tag) {
                kept.push(tag.to_owned());
            }
        }
        Ok(Some(kept))
    }

    /// What the thought builds on. Whether the fields exclude each other is judged after all
    /// others, by [`GroundsFields::judged`]. A reference of any length is text: one that is too
    /// long to be an id names no thought.
    fn grounds(&mut self) -> Result<GroundsFields, ThoughtRefusal> {
        Ok(GroundsFields {
            refines: self.text("refines", usize::MAX)?,
            consolidates: self.texts("consolidates", (CONSOLIDATED_MAX, usize::MAX))?,
            corrects: self.text("corrects", usize::MAX)?,
        })
    }
}

/// The fields of a request that name what the thought builds on.
pub(crate) struct GroundsFields {
    pub(crate) refines: Option<String>,
    pub(crate) consolidates: Option<Vec<String>>,
    pub(crate) corrects: Option<String>,
}

impl GroundsFields {
    /// The one way; an error if there are several, or too few thoughts to consolidate.
    pub(crate) fn judged(self) -> Result<NamedGrounds, ThoughtRefusal> {
        match (self.refines, self.consolidates, self.corrects) {
            (None, None, None) => Ok(NamedGrounds::None),
            (Some(id), None, None) => Ok(NamedGrounds::Refines(id)),
            (None, None, Some(id)) => Ok(NamedGrounds::Corrects(id)),
            (None, Some(ids), None) => {
                let mut distinct: Vec<String> = Vec::new();
                for id in ids {
                    if !distinct.iter().any(|known| same(known, &id)) {
                        distinct.push(id);
                    }
                }
                if distinct.len() < 2 {
                    return Err(ThoughtRefusal::MinConsolidation);
                }
                Ok(NamedGrounds::Consolidates(distinct))
            }
            _ => Err(ThoughtRefusal::MutualExclusion),
        }
    }
}

/// Whether two names are those of one thought: its id and the UUID made from that are one.
fn same(one: &str, other: &str) -> bool {
    fn uuid(name: &str) -> Option<ThoughtUuid> {
        let name = name.trim();
        ThoughtUuid::parse(name)
            .or_else(|| name.parse::<OpId>().ok().map(|id| ThoughtUuid::of(&id)))
    }
    match (uuid(one), uuid(other)) {
        (Some(one), Some(other)) => one == other,
        _ => one.trim() == other.trim(),
    }
}

impl MemoryRequest {
    /// The request of `POST /api/v1/memory`.
    pub(crate) fn parse(body: Value) -> Result<Self, ThoughtRefusal> {
        Self::of(body, "prompt", &[&READING_FIELDS, &KEEPING_FIELDS])
    }

    /// The request of `POST /api/v1/query`.
    pub(crate) fn parse_query(body: Value) -> Result<Self, ThoughtRefusal> {
        Self::of(body, "query", &[&READING_FIELDS])
    }

    /// The request of `POST /api/v1/ingest`.
    pub(crate) fn parse_ingest(body: Value) -> Result<Self, ThoughtRefusal> {
        Self::of(body, "content", &[&KEEPING_FIELDS])
    }

    /// Whether a thought is to be made of it, if the caller may contribute.
    pub(crate) fn is_to_be_kept(&self) -> bool {
        let is_explicit = self.grounds != NamedGrounds::None;
        !self.read_only && (is_explicit || contribution::is_due(&self.prompt))
    }

    /// Reads a body whose text is in the field `prompt`, with the fields of every request and
    /// these.
    fn of(body: Value, prompt: &str, more: &[&[&str]]) -> Result<Self, ThoughtRefusal> {
        let known = [&[prompt], &COMMON_FIELDS[..], &more.concat()].concat();
        let mut fields = Fields::of(body, &known)?;
        let prompt = fields.needed_text(prompt, PROMPT_CHARS_MAX)?;
        let agent_id = fields.needed_text("agent_id", ID_CHARS_MAX)?;
        let agent_name = fields.needed_text("agent_name", NAME_CHARS_MAX)?;
        let context = fields.text("context", CONTEXT_CHARS_MAX)?;
        let session_id = fields.text("session_id", ID_CHARS_MAX)?;
        let ways = fields.grounds()?;
        let read_only = fields.flag("read_only")?;
        let full_content = fields.flag("full_content")?;
        let tags = fields.tags()?;
        let category = fields.text("category", NAME_CHARS_MAX)?;
        let topic = fields.text("topic", NAME_CHARS_MAX)?;
        let space = fields.text("space", NAME_CHARS_MAX)?;
        Ok(Self {
            prompt,
            agent_id,
            agent_name,
            context,
            session_id,
            grounds: ways.judged()?,
            read_only,
            full_content,
            tags,
            category,
            topic,
            space,
            vector: None,
        })
    }

    /// What is retrieved with: the prompt behind its context.
    pub(crate) fn text_to_retrieve(&self) -> String {
        match self.context.as_deref().map(str::trim).filter(|context| !context.is_empty()) {
            Some(context) => format!("{context} {}", self.prompt),
            None => self.prompt.clone(),
        }
    }
}

impl LabelRequest {
    /// The request of `PATCH /api/v1/thoughts/{id}`.
    pub(crate) fn parse(body: Value) -> Result<Self, ThoughtRefusal> {
        let mut fields = Fields::of(body, &["category", "topic", "tags", "mark"])?;
        let labels = Self {
            category: fields.text("category", NAME_CHARS_MAX)?,
            topic: fields.text("topic", NAME_CHARS_MAX)?,
            tags: fields.tags()?,
            mark: match fields.text("mark", ID_CHARS_MAX)? {
                None => None,
                Some(word) => Some(
                    word.parse()
                        .map_err(|_| ThoughtRefusal::field("mark must be none or removal"))?,
                ),
            },
        };
        labels.judged()
    }

    /// The same, unless it changes nothing.
    pub(crate) fn judged(self) -> Result<Self, ThoughtRefusal> {
        if self == Self::default() {
            return Err(ThoughtRefusal::field(
                "give at least one of category, topic, tags and mark",
            ));
        }
        Ok(self)
    }
}

impl FeedbackRequest {
    /// The request of `POST /api/v1/memory/feedback`.
    pub(crate) fn parse(body: Value) -> Result<Self, ThoughtRefusal> {
        let mut fields = Fields::of(body, &["session_id", "thought_id", "signal"])?;
        let session_id = fields.needed_text("session_id", ID_CHARS_MAX)?;
        // An empty one is as malformed as any text that is not an id: it names no thought.
        let thought_id = fields
            .text("thought_id", usize::MAX)?
            .ok_or_else(|| ThoughtRefusal::field("thought_id is required"))?;
        let is_useful = match fields.text("signal", ID_CHARS_MAX)?.as_deref() {
            Some("useful") => true,
            Some("wrong") => false,
            _ => return Err(ThoughtRefusal::field("signal must be useful or wrong")),
        };
        Ok(Self { session_id, thought_id, is_useful })
    }
}

/// The space named in the request of `POST /api/v1/thoughts/{id}/share`.
pub(crate) fn parse_share(body: Value) -> Result<String, ThoughtRefusal> {
    Fields::of(body, &["space"])?.needed_text("space", NAME_CHARS_MAX)
}

/// The depth of a lineage, as it was named in words.
pub(crate) fn parse_depth(text: Option<&str>) -> Result<u32, ThoughtRefusal> {
    // A number that cannot be read is as much out of range as one that is too large.
    depth_within(text.map(|text| text.parse().unwrap_or(u32::MAX)))
}

/// The depth of a lineage.
pub(crate) fn depth_within(named: Option<u32>) -> Result<u32, ThoughtRefusal> {
    let depth = named.unwrap_or(DEPTH);
    if depth > DEPTH_MAX {
        let message = format!("max_depth must be a number from 0 to {DEPTH_MAX}");
        return Err(ThoughtRefusal::field(message));
    }
    Ok(depth)
}
