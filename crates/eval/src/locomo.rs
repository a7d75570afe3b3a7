//! LoCoMo (Maharana et al. 2024, <https://github.com/snap-research/locomo>): conversations of two
//! people over many sessions, and questions with the turns that answer them.
//!
//! Each conversation is written to a file of its own, without questions, answers and summaries, and
//! imported from there, so that they cannot leak into the searched text. Questions of categories 1
//! to 4 with evidence are asked; category 5 has no answer and measures abstention
//! ([`super::abstention`]). The evidence in the published file is not clean: several ids in one
//! text, leading zeros, stray punctuation, ids of turns that do not exist. All ids in the texts are
//! extracted, and those without a turn are dropped; a question without any is skipped and counted.
//! The asker's date is that of the conversation's last session.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;

use jiff::civil::{Date, DateTime};
use serde_json::{Map, Value};

use super::{
    Collection, EvalError, EvalQuestion, FILE_BYTES_MAX, LabelledQuestion, RecordKey, Source,
};

/// The unit of records.
pub const UNIT: &str = "turns";
/// The importer, and the source's name in its records.
const FORMAT: &str = "locomo";

/// Whether conversations are searched together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One space per conversation.
    SpaceEach,
    /// One space for all of them.
    OneSpace,
}

/// Whether speakers and dates are imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metadata {
    /// As in the file.
    Kept,
    /// Speakers and dates are removed before the import; mentions in the texts stay.
    Removed,
}

/// A prepared file.
pub struct Locomo {
    /// One or several collections, by layout.
    pub collections: Vec<Collection>,
    /// How many conversations.
    pub conversations: usize,
    /// Number of questions of categories 1 to 4 without a valid turn as evidence.
    pub without_gold: usize,
    // The conversations' files, which must exist during the import.
    folder: tempfile::TempDir,
}

impl Locomo {
    /// The collections, and the folder that must outlive them.
    pub fn into_parts(self) -> (Vec<Collection>, tempfile::TempDir) {
        (self.collections, self.folder)
    }
}

/// Reads a file with one conversation or an array of them.
///
/// # Errors
/// If the file cannot be read, or is not JSON of conversations.
pub fn read(path: &Path, layout: Layout, metadata: Metadata) -> Result<Locomo, EvalError> {
    let importer = importers::by_name(FORMAT)
        .ok_or_else(|| EvalError::form(path, "there is no importer for it"))?;
    let file = match read_json(path)? {
        Value::Array(conversations) => conversations,
        alone => vec![alone],
    };
    let folder = tempfile::tempdir().map_err(|source| file_error(&std::env::temp_dir(), source))?;
    let mut ids = BTreeSet::new();
    let mut collections: Vec<Collection> = Vec::new();
    let mut without_gold = 0;
    for (number, sample) in file.iter().enumerate() {
        let Some(conversation) = sample.get("conversation").and_then(Value::as_object) else {
            return Err(EvalError::form(
                path,
                format!("conversation {} has no `conversation`", number + 1),
            ));
        };
        let id = unique_id(sample.get("sample_id"), number, &mut ids);
        let alone = folder.path().join(format!("{number}.json"));
        let bare = bare_conversation(conversation, metadata);
        let text = serde_json::json!({ "sample_id": id, "conversation": bare }).to_string();
        std::fs::write(&alone, text).map_err(|source| file_error(&alone, source))?;
        let questions = questions(sample, conversation, &id);
        without_gold += questions.without_gold;
        let source = Source { importer, path: alone };
        match collections.last_mut().filter(|_| layout == Layout::OneSpace) {
            Some(together) => {
                together.sources.push(source);
                together.questions.extend(questions.labelled);
                together.unanswerable.extend(questions.unanswerable);
            }
            None => {
                let name = if layout == Layout::OneSpace { "all".to_owned() } else { id };
                let Questions { labelled: questions, unanswerable, .. } = questions;
                collections.push(Collection {
                    name,
                    sources: vec![source],
                    questions,
                    unanswerable,
                });
            }
        }
    }
    if collections.iter().all(|collection| collection.questions.is_empty()) {
        return Err(EvalError::form(
            path,
            "no question of categories 1 to 4 names a turn as evidence",
        ));
    }
    Ok(Locomo { collections, conversations: file.len(), without_gold, folder })
}

fn file_error(path: &Path, source: std::io::Error) -> EvalError {
    EvalError::File { path: path.to_owned(), source }
}

fn read_json(path: &Path) -> Result<Value, EvalError> {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(|source| file_error(path, source))?;
    file.take(FILE_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(|source| file_error(path, source))?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(EvalError::form(path, format!("it is larger than {FILE_BYTES_MAX} bytes")));
    }
    serde_json::from_slice(&bytes)
        .map_err(|error| EvalError::form(path, format!("it is not JSON: {error}")))
}

/// The id of a conversation in the file, made unique with its number if it is missing or repeated.
fn unique_id(given: Option<&Value>, number: usize, taken: &mut BTreeSet<String>) -> String {
    let given = match given {
        Some(Value::String(id)) if !id.is_empty() => id.clone(),
        Some(Value::Number(id)) => id.to_string(),
        _ => "conversation".to_owned(),
    };
    let id = if taken.contains(&given) { format!("{given}#{}", number + 1) } else { given };
    taken.insert(id.clone());
    id
}

/// The part of a conversation that is imported.
fn bare_conversation(conversation: &Map<String, Value>, metadata: Metadata) -> Map<String, Value> {
    let mut bare = conversation.clone();
    if metadata == Metadata::Removed {
        bare.retain(|name, _| !name.starts_with("speaker_") && !name.ends_with("_date_time"));
        let turns = bare.values_mut().filter_map(Value::as_array_mut).flatten();
        turns.filter_map(Value::as_object_mut).for_each(|turn| drop(turn.remove("speaker")));
    }
    bare
}

/// The usable questions of a conversation.
struct Questions {
    labelled: Vec<LabelledQuestion>,
    /// Category 5: questions without an answer in the conversation.
    unanswerable: Vec<EvalQuestion>,
    without_gold: usize,
}

fn questions(sample: &Value, conversation: &Map<String, Value>, id: &str) -> Questions {
    let sessions = sessions(conversation);
    let today = sessions.last_key_value().and_then(|(_, session)| session.date);
    let ids = sessions
        .values()
        .flat_map(|session| session.turns)
        .filter_map(|turn| turn.get("dia_id")?.as_str());
    let turns: BTreeMap<TurnId, &str> =
        ids.filter_map(|id| Some((turn_ids(id).pop()?, id))).collect();
    let mut questions =
        Questions { labelled: Vec::new(), unanswerable: Vec::new(), without_gold: 0 };
    for question in sample.get("qa").and_then(Value::as_array).into_iter().flatten() {
        let category = question.get("category").and_then(Value::as_u64);
        let text = question.get("question").and_then(Value::as_str);
        if let (Some(UNANSWERABLE), Some(text)) = (category, text) {
            questions.unanswerable.push(EvalQuestion { text: text.to_owned(), today });
        }
        let (Some(category), Some(text)) = (category.and_then(category_name), text) else {
            continue;
        };
        let evidence = question.get("evidence").and_then(Value::as_array).into_iter().flatten();
        let named = evidence.filter_map(Value::as_str).flat_map(turn_ids);
        let gold: BTreeSet<RecordKey> = named
            .filter_map(|turn| turns.get(&turn))
            .map(|turn| RecordKey::new(FORMAT, &format!("{id}/{turn}")))
            .collect();
        if gold.is_empty() {
            questions.without_gold += 1;
            continue;
        }
        let question = EvalQuestion { text: text.to_owned(), today };
        questions.labelled.push(LabelledQuestion { question, category: category.to_owned(), gold });
    }
    questions
}

struct Session<'a> {
    turns: &'a [Value],
    date: Option<Date>,
}

/// Sessions with turns, by number.
fn sessions(conversation: &Map<String, Value>) -> BTreeMap<u64, Session<'_>> {
    let mut found = BTreeMap::new();
    for (name, value) in conversation {
        let number = name.strip_prefix("session_").and_then(|number| number.parse::<u64>().ok());
        let turns = value.as_array().filter(|turns| !turns.is_empty());
        let (Some(number), Some(turns)) = (number, turns) else { continue };
        let spoken = conversation.get(&format!("{name}_date_time")).and_then(Value::as_str);
        found.insert(number, Session { turns, date: spoken.and_then(spoken_date) });
    }
    found
}

/// "1:56 pm on 8 May, 2023".
fn spoken_date(text: &str) -> Option<Date> {
    DateTime::strptime("%I:%M %p on %d %B, %Y", text).ok().map(DateTime::date)
}

/// LoCoMo's category of questions without an answer: most ask about one person what the other did.
const UNANSWERABLE: u64 = 5;

/// LoCoMo's categories with an answer in the conversation.
fn category_name(number: u64) -> Option<&'static str> {
    match number {
        1 => Some("1 multi-hop"),
        2 => Some("2 temporal"),
        3 => Some("3 commonsense"),
        4 => Some("4 single-hop"),
        _ => None,
    }
}

/// Session and turn.
type TurnId = (u64, u64);

/// Every id in a text: two numbers separated by a colon, in any context.
fn turn_ids(text: &str) -> Vec<TurnId> {
    let mut found = Vec::new();
    let mut session: Option<u64> = None;
    for part in text.split_inclusive(|character: char| !character.is_ascii_digit()) {
        let digits = part.trim_end_matches(|character: char| !character.is_ascii_digit());
        let number = digits.parse::<u64>().ok();
        if let (Some(first), Some(second)) = (session, number) {
            found.push((first, second));
            session = None;
        } else {
            session = number.filter(|_| part.ends_with(':'));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn sample() -> Value {
        let turn = |id: &str, speaker: &str, text: &str| json!({ "dia_id": id, "speaker": speaker, "text": text });
        json!({
            "sample_id": "trip",
            "conversation": {
                "speaker_a": "Ana", "speaker_b": "Ben",
                "session_1": [turn("D1:1", "Ana", "We rented a boat."), turn("D1:2", "Ben", "How was it?")],
                "session_1_date_time": "1:56 pm on 8 May, 2023",
                "session_2": [turn("D2:1", "Ana", "Rainy.")],
                "session_2_date_time": "9:00 am on 2 June, 2023",
                "session_3": [], "session_3_date_time": "9:00 am on 2 July, 2023"
            },
            "qa": [
                { "question": "What did Ana rent?", "answer": "a boat", "evidence": ["D1:01; D2:1"], "category": 4 },
                { "question": "Unanswerable?", "evidence": ["D1:1"], "category": 5 },
                { "question": "No such turn?", "evidence": ["D9:9", "D"], "category": 1 }
            ]
        })
    }

    fn read_value(value: &Value, layout: Layout, metadata: Metadata) -> Result<Locomo, EvalError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file.json");
        std::fs::write(&path, value.to_string()).unwrap();
        read(&path, layout, metadata)
    }

    #[test]
    fn ids_are_found_in_any_context() {
        let cases: [(&str, &[TurnId]); 9] = [
            ("D1:3", &[(1, 3)]),
            ("D8:6; D9:17", &[(8, 6), (9, 17)]),
            ("D9:1 D4:4 D4:6", &[(9, 1), (4, 4), (4, 6)]),
            ("D:11:26", &[(11, 26)]),
            ("D30:05", &[(30, 5)]),
            ("(D1:2),", &[(1, 2)]),
            ("D", &[]),
            ("D5:", &[]),
            ("D99999999999999999999999:1", &[]),
        ];
        for (text, expect) in cases {
            assert_eq!(turn_ids(text), expect, "{text}");
        }
    }

    #[test]
    fn questions_without_a_turn_as_evidence_are_skipped_and_counted() {
        let locomo = read_value(&sample(), Layout::SpaceEach, Metadata::Kept).unwrap();
        assert_eq!((locomo.conversations, locomo.without_gold), (1, 1));
        let [question] = locomo.collections[0].questions.as_slice() else { panic!("one question") };
        assert_eq!(question.category, "4 single-hop");
        assert_eq!(locomo.collections[0].unanswerable.len(), 1);
        assert_eq!(
            question.question.today,
            Some(jiff::civil::date(2023, 6, 2)),
            "the last session that has turns"
        );
        let gold = ["trip/D1:1", "trip/D2:1"].map(|uid| RecordKey::new("locomo", uid));
        assert_eq!(question.gold, gold.into_iter().collect());
    }

    #[test]
    fn gold_has_the_importers_ids_of_the_turns() {
        let locomo =
            read_value(&json!([sample(), sample()]), Layout::OneSpace, Metadata::Kept).unwrap();
        let [together] = locomo.collections.as_slice() else { panic!("one space") };
        let mut keys = BTreeSet::new();
        for source in &together.sources {
            super::super::records::visit(source, &mut |evidence| {
                keys.insert(super::super::records::key(evidence));
            })
            .unwrap();
        }
        assert_eq!((keys.len(), together.questions.len()), (6, 2));
        assert!(together.questions.iter().all(|question| question.gold.is_subset(&keys)));
    }

    #[test]
    fn only_the_conversation_is_imported() {
        let locomo = read_value(&sample(), Layout::SpaceEach, Metadata::Kept).unwrap();
        let text = std::fs::read_to_string(&locomo.collections[0].sources[0].path).unwrap();
        assert!(
            text.contains("rented") && !text.contains("evidence") && !text.contains("category"),
            "{text}"
        );
    }

    #[test]
    fn without_metadata_no_record_has_a_speaker_or_a_time() {
        let locomo = read_value(&sample(), Layout::SpaceEach, Metadata::Removed).unwrap();
        let mut count = 0;
        super::super::records::visit(&locomo.collections[0].sources[0], &mut |evidence| {
            count += 1;
            assert_eq!((&evidence.actor, &evidence.at), (&None, &None));
            assert!(evidence.payload.participants.is_empty());
        })
        .unwrap();
        assert_eq!(count, 3);
    }

    #[test]
    fn invalid_files_are_refused_with_a_reason() {
        for value in [json!([]), json!({}), json!(7), json!([{ "conversation": {}, "qa": [] }])] {
            assert!(matches!(
                read_value(&value, Layout::SpaceEach, Metadata::Kept),
                Err(EvalError::Form { .. })
            ));
        }
    }
}
