//! Entities and relations by rules: which people, programs, files and pieces of code a text names,
//! and which relations between them it states outright.
//!
//! Precision comes before yield. A word counts as a whole word: "trust" holds no `rust`. Names that
//! could be ordinary words count only where the text gives a second sign. A relation counts if a
//! verb stands right between two entities, in a sentence that neither denies, asks nor supposes;
//! the order of the text is the direction. The whole text is read. Headings, quotations, tables and
//! blocks of code are not.
//!
//! | module | answers |
//! |---|---|
//! | `tokens` | what are the words of a sentence, code among them? |
//! | `code` | is a word code, a flag, a file or a technology? |
//! | `names` | which words name an entity, and of which type? |
//! | `relations` | which verbs join two of them? |
//! | `lexicon` | which words are known? |

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use kernel::identity::normalized_text;

mod code;
mod lexicon;
mod names;
mod relations;
#[cfg(test)]
mod tests;
mod tokens;

pub(crate) use lexicon::ORGANIZATION_WORDS;

use crate::mining::whole_sentences_of;
use names::Spotted;
use tokens::Tokens;

/// The name and version under which these rules propose.
pub const PROGRAM: &str = "heuristic@1";
/// Most entities, and most relations, of one text.
pub const FOUND_MAX: usize = 500;
/// Headers of mails that name programs, besides those that begin with `X-`.
const HEADERS: [&str; 5] =
    ["User-Agent", "Content-Type", "Content-Transfer-Encoding", "Message-ID", "MIME-Version"];
/// Longest sentence that is read, bytes.
pub const SENTENCE_BYTES_MAX: usize = 2_000;

/// What an entity is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntityType {
    /// Somebody.
    Person,
    /// A company, a foundation, a university.
    Organization,
    /// A language, a program, a protocol, a format, a platform.
    Technology,
    /// An identifier, a flag, a package.
    Code,
    /// A file or a folder.
    File,
    /// Anything else that has a name.
    Other,
}

impl EntityType {
    /// Every type.
    pub const ALL: [Self; 6] =
        [Self::Person, Self::Organization, Self::Technology, Self::Code, Self::File, Self::Other];

    /// The name in candidates.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Organization => "organization",
            Self::Technology => "technology",
            Self::Code => "code",
            Self::File => "file",
            Self::Other => "other",
        }
    }
}

/// An entity that a text names.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundEntity {
    /// Its name, in the usual spelling.
    pub name: String,
    /// What it is.
    pub entity_type: EntityType,
    /// How sure the rules are that it is one, of this type.
    pub confidence: f64,
    /// The first sentence that names it.
    pub sentence: String,
    /// Where in that sentence.
    pub at: Range<usize>,
}

/// A relation that a text states.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundRelation {
    /// The name of the entity that comes first in the text.
    pub source: String,
    /// The name of the other one.
    pub target: String,
    /// What the text says of the two, such as `depends_on`.
    pub rel_type: &'static str,
    /// How sure the rules are that it is stated in this direction.
    pub confidence: f64,
    /// The first sentence that states it.
    pub sentence: String,
}

/// What a text names and states.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundGraph {
    /// Its entities, in the order of the text, each name once.
    pub entities: Vec<FoundEntity>,
    /// Its relations, in the order of the text, each once. Both ends are among the entities.
    pub relations: Vec<FoundRelation>,
}

/// The entities and relations of a text.
///
/// ```
/// use derivers::entities::extract;
///
/// let found = extract("`kiln_timer` depends on SQLite.");
/// assert_eq!(found.entities.len(), 2);
/// assert_eq!(found.relations[0].rel_type, "depends_on");
/// assert!(extract("We trust the decision.").entities.is_empty());
/// ```
pub fn extract(text: &str) -> FoundGraph {
    let sentences = whole_sentences_of(text);
    let tokens: Vec<Tokens<'_>> = sentences
        .iter()
        .filter(|sentence| sentence.len() <= SENTENCE_BYTES_MAX && !is_header(sentence))
        .map(|sentence| Tokens::of(sentence))
        .collect();
    let context = names::Context::of(&tokens);
    let mut found = Gathered::default();
    for sentence in &tokens {
        let mut spotted = names::spot(sentence, &context);
        let joined = relations::join(sentence, &mut spotted);
        for entity in &spotted {
            found.add(sentence, entity);
        }
        for relation in joined {
            if found.graph.relations.len() < FOUND_MAX {
                found.relate(sentence, &spotted, &relation);
            }
        }
    }
    found.graph
}

/// Whether a line is one of a mail's header: `X-Mailer: Mozilla 4.04`.
fn is_header(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(name, _)| {
        (name.starts_with("X-") || HEADERS.contains(&name))
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
    })
}

/// What was found so far.
#[derive(Default)]
struct Gathered {
    graph: FoundGraph,
    /// The places of entities, by their names as names are compared.
    places: BTreeMap<String, usize>,
    related: BTreeSet<(String, String, &'static str)>,
}

impl Gathered {
    fn add(&mut self, sentence: &Tokens<'_>, spotted: &Spotted) {
        let entity = FoundEntity {
            name: spotted.name.clone(),
            entity_type: spotted.entity_type,
            confidence: spotted.confidence,
            sentence: sentence.text.to_owned(),
            at: sentence.range(spotted.words.clone()),
        };
        let key = normalized_text(&entity.name);
        if let Some(place) = self.places.get(&key) {
            // One name is one entity, as the surest place has it.
            if let Some(known) = self.graph.entities.get_mut(*place)
                && entity.confidence > known.confidence
            {
                *known = entity;
            }
        } else if self.graph.entities.len() < FOUND_MAX {
            self.places.insert(key, self.graph.entities.len());
            self.graph.entities.push(entity);
        }
    }

    fn relate(&mut self, sentence: &Tokens<'_>, spotted: &[Spotted], joined: &relations::Joined) {
        let name = |place: usize| {
            let key = normalized_text(&spotted.get(place)?.name);
            let known = self.graph.entities.get(*self.places.get(&key)?)?;
            Some(known.name.clone())
        };
        let (Some(source), Some(target)) = (name(joined.source), name(joined.target)) else {
            return;
        };
        if source == target
            || !self.related.insert((source.clone(), target.clone(), joined.rel_type))
        {
            return;
        }
        self.graph.relations.push(FoundRelation {
            source,
            target,
            rel_type: joined.rel_type,
            confidence: joined.confidence,
            sentence: sentence.text.to_owned(),
        });
    }
}
