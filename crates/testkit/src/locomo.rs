//! Reads a file of LoCoMo (Maharana et al. 2024) as far as the measurement of recall needs it, and measures.
//!
//! The file is not part of the project; its path is given to the example `locomo`.

use jiff::civil::{Date, DateTime};
use serde_json::Value;

use crate::naive_recall::Document;

/// One conversation with its questions.
pub struct Conversation {
    /// The file's name for it.
    pub id: String,
    /// The turns in order; the session is the file's.
    pub turns: Vec<Document>,
    /// The file's id of each turn.
    pub turn_ids: Vec<String>,
    /// What is asked about it.
    pub questions: Vec<LabelledQuestion>,
}

/// A question and which turns answer it.
pub struct LabelledQuestion {
    /// As asked.
    pub text: String,
    /// 1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop, 5 adversarial.
    pub category: u8,
    /// Positions of the turns, different and sorted.
    pub gold: Vec<usize>,
}

/// The conversations of a file's text. What has not the expected shape is left out.
pub fn read(json: &str) -> Result<Vec<Conversation>, serde_json::Error> {
    let file: Value = serde_json::from_str(json)?;
    Ok(file.as_array().into_iter().flatten().map(conversation).collect())
}

fn conversation(value: &Value) -> Conversation {
    let id = text_of(&value["sample_id"]);
    let mut turns = Vec::new();
    let mut turn_ids = Vec::new();
    for number in 1.. {
        let name = format!("session_{number}");
        let date_time = &value["conversation"][format!("{name}_date_time")];
        let Some(session) = value["conversation"][&name].as_array() else {
            if date_time.is_null() {
                break;
            }
            continue;
        };
        let date = date_time.as_str().and_then(session_date);
        for turn in session {
            turns.push(Document {
                session: format!("{id} {name}"),
                author: turn["speaker"].as_str().map(str::to_owned),
                participants: Vec::new(),
                date,
                text: text_of(&turn["text"]),
                more: turn["blip_caption"].as_str().map(str::to_owned).into_iter().collect(),
            });
            turn_ids.push(text_of(&turn["dia_id"]));
        }
    }
    let questions = value["qa"].as_array().into_iter().flatten();
    let questions = questions.map(|question| labelled(question, &turn_ids)).collect();
    Conversation { id, turns, turn_ids, questions }
}

fn labelled(value: &Value, turn_ids: &[String]) -> LabelledQuestion {
    let evidence = value["evidence"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let ids = evidence.flat_map(|ids| ids.split([';', ',', ' '])).map(clean_id);
    let mut gold: Vec<usize> = ids.filter_map(|id| turn_ids.iter().position(|turn| *turn == id)).collect();
    gold.sort_unstable();
    gold.dedup();
    let category = value["category"].as_u64().and_then(|category| u8::try_from(category).ok()).unwrap_or(0);
    LabelledQuestion { text: text_of(&value["question"]), category, gold }
}

/// `(D8:06)` is D8:6.
fn clean_id(id: &str) -> String {
    let kept: String =
        id.chars().filter(|character| character.is_ascii_digit() || matches!(character, 'D' | ':')).collect();
    match kept.trim_start_matches('D').split_once(':') {
        Some((session, turn)) => {
            let number = |text: &str| text.trim_start_matches('0').to_owned();
            format!("D{}:{}", number(session), number(turn))
        }
        None => kept,
    }
}

/// "1:56 pm on 8 May, 2023".
fn session_date(text: &str) -> Option<Date> {
    DateTime::strptime("%I:%M %p on %d %B, %Y", text).ok().map(DateTime::date)
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Share of `gold` among the first `k` of `ranked`.
pub fn recall_at(ranked: &[usize], gold: &[usize], k: usize) -> f64 {
    let found = ranked.iter().take(k).filter(|document| gold.contains(document)).count();
    found as f64 / gold.len().max(1) as f64
}

/// Normalised discounted cumulative gain of the first `k`, with binary relevance.
pub fn ndcg_at(ranked: &[usize], gold: &[usize], k: usize) -> f64 {
    let discount = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
    let gained: f64 = ranked
        .iter()
        .take(k)
        .enumerate()
        .filter(|(_, document)| gold.contains(document))
        .map(|(rank, _)| discount(rank))
        .sum();
    let ideal: f64 = (0..gold.len().min(k)).map(discount).sum();
    if ideal > 0.0 { gained / ideal } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gold_ids_are_cleaned_and_unknown_ones_dropped() {
        let turns: Vec<String> = ["D1:1", "D8:6", "D9:17"].map(str::to_owned).to_vec();
        let value =
            serde_json::json!({"question": "?", "category": 1, "evidence": ["D8:6; D9:17", "D", "(D1:01)", "D99:1"]});
        assert_eq!(labelled(&value, &turns).gold, [0, 1, 2]);
    }

    #[test]
    fn measures_equal_those_counted_by_hand() {
        assert_eq!(recall_at(&[3, 1, 2], &[1, 9], 2), 0.5);
        assert!((ndcg_at(&[3, 1, 2], &[1], 10) - 1.0 / 3f64.log2()).abs() < 1e-12);
        assert_eq!(ndcg_at(&[], &[], 10), 0.0);
    }

    #[test]
    fn session_dates_are_read() {
        assert_eq!(session_date("1:56 pm on 8 May, 2023"), Some(jiff::civil::date(2023, 5, 8)));
    }
}
