//! The journal over a long run: how large it gets, and what it recognises.

use engine::recall::episodes::Query;
use engine::recall::facts::FactQuery;
use engine::recall::receipts::{Recalled, Recipient};
use engine::write::record::Prepared;
use store::sqlite::{JournalWriting, ReceiptFilter};

use crate::support::{Home, at, note};

/// Records and questions of the run.
const RECORDS: usize = 2_500;
const RECALLS: usize = 600;
/// Results of a recall, as agents ask for by default.
const RESULTS: usize = 5;
/// Most bytes of the journal for each recall.
const BYTES_MAX: u64 = 1_024;

/// Numbers by a seed (Knuth's MMIX).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }

    /// A word; frequent ones are drawn more often, as in a language.
    fn word(&mut self) -> String {
        let rank = self.below(60).pow(2) + self.below(20);
        format!("w{rank}")
    }
}

#[test]
fn a_recall_leaves_less_than_a_kilobyte_in_the_journal_and_nothing_in_the_space() {
    let mut home = Home::new();
    let mut numbers = Numbers(7);
    let texts: Vec<String> = (0..RECORDS)
        .map(|_| {
            let words = 8 + numbers.below(35);
            (0..words).map(|_| numbers.word()).collect::<Vec<_>>().join(" ")
        })
        .collect();
    for (start, part) in texts.chunks(500).enumerate() {
        let batch = part.iter().enumerate().map(|(place, text)| {
            let note = note(&format!("{start}-{place}"), text);
            Prepared::new(importers::secrets::mask(note)).unwrap()
        });
        home.space.record(batch.collect(), at(1)).unwrap();
    }
    let space_bytes = std::fs::metadata(home.space.path()).unwrap().len();
    home.space.set_journal_writing(JournalWriting::Gathered);
    for second in 0..RECALLS {
        // Somebody asks for a few words of something that was told.
        let told: Vec<&str> = texts[numbers.below(RECORDS)].split(' ').collect();
        let from = numbers.below(told.len() - 4);
        let question = told[from..from + 4].join(" ");
        let now = at(10 + second as i64);
        let records = home.space.recall(&Query::new(question.clone(), RESULTS)).unwrap().results;
        let facts = FactQuery { limit: RESULTS, ..FactQuery::new(question.clone(), now) };
        let facts = home.space.recall_facts(&facts).unwrap().facts;
        let recalled = Recalled { query: &question, facts: &facts, records: &records };
        let session = format!("a-conversation-of-twenty-turns-{}", second / 20);
        let recipient = Recipient { agent: "claude-code", session: Some(&session) };
        home.space.receipt_of_recall(&recipient, &recalled, now).unwrap().unwrap();
    }
    assert_eq!(home.space.count_receipts().unwrap(), RECALLS as u64);
    let listed = home.space.receipts(&ReceiptFilter::default(), 1).unwrap().remove(0);
    assert_eq!(listed.items.len(), RESULTS);
    assert_eq!(std::fs::metadata(home.space.path()).unwrap().len(), space_bytes);
    let journal = home.space.journal_path().unwrap();
    drop(home.space);
    let each = std::fs::metadata(&journal).unwrap().len() / RECALLS as u64;
    println!("{each} bytes a recall");
    assert!(each <= BYTES_MAX, "{each} bytes a recall");
}
