//! Measures the naive recall on a LoCoMo file: `cargo run --release -p because-testkit --example locomo -- FILE`.
//!
//! One index a conversation, or with `--together` one for all. Prints recall at 5, 10, 25 and 50 and nDCG at 10, by
//! category and over the categories 1 to 4; "candidates" is the same when only those are
//! scored; with `--ablation` also what is lost without each part.
#![allow(clippy::print_stdout)]

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::rc::Rc;

use kernel::rank::candidates::{RECORDS, SESSIONS, record_order, session_order};
use kernel::rank::{Weights, fuse};
use kernel::text::Language;
use testkit::locomo::{Conversation, LabelledQuestion, ndcg_at, read, recall_at};
use testkit::naive_recall::{Hit, NaiveRecall};

/// A question with every document's signals.
struct Asked<'file> {
    question: &'file LabelledQuestion,
    /// Positions of the gold documents in the index asked.
    gold: Vec<usize>,
    hits: Vec<Hit>,
    /// The session of each document.
    sessions: Rc<Vec<String>>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let path = arguments.iter().find(|argument| !argument.starts_with("--")).ok_or("give the path of a LoCoMo file")?;
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let conversations = read(&std::fs::read_to_string(path)?)?;
    let asked = ask_all(&conversations, has("--together"));
    println!("category      n    R@5   R@10   R@25   R@50 nDCG@10");
    for category in 1..=4u8 {
        print_row(&format!("{category}"), &asked, &Weights::LEXICAL, |question| question.category == category, all);
    }
    print_row("1-4", &asked, &Weights::LEXICAL, |_| true, all);
    print_row("candidates", &asked, &Weights::LEXICAL, |_| true, candidates);
    if has("--ablation") {
        println!("without");
        for (name, weights) in ablations() {
            print_row(name, &asked, &weights, |_| true, all);
        }
    }
    Ok(())
}

fn ask_all(conversations: &[Conversation], together: bool) -> Vec<Asked<'_>> {
    let mut asked = Vec::new();
    let groups = if together { conversations.chunks(conversations.len().max(1)) } else { conversations.chunks(1) };
    for group in groups {
        let mut memory = NaiveRecall::new(Language::English);
        let mut first = 0;
        let mut firsts = Vec::new();
        let turns = group.iter().flat_map(|conversation| &conversation.turns);
        let sessions: Rc<Vec<String>> = Rc::new(turns.map(|turn| turn.session.clone()).collect());
        for conversation in group {
            firsts.push(first);
            first += conversation.turns.len();
            for turn in &conversation.turns {
                memory.add(turn.clone());
            }
        }
        for (conversation, first) in group.iter().zip(firsts) {
            let answerable = |question: &&LabelledQuestion| question.category <= 4 && !question.gold.is_empty();
            for question in conversation.questions.iter().filter(answerable) {
                let gold = question.gold.iter().map(|position| position + first).collect();
                let hits = memory.recall(&question.text, None, &Weights::LEXICAL);
                asked.push(Asked { question, gold, hits, sessions: Rc::clone(&sessions) });
            }
        }
    }
    asked
}

fn all(asked: &Asked<'_>) -> BTreeSet<usize> {
    asked.hits.iter().map(|hit| hit.document).collect()
}

/// What the index scores in full: see [`kernel::rank::candidates`].
fn candidates(asked: &Asked<'_>) -> BTreeSet<usize> {
    let weights = &Weights::LEXICAL;
    let mut records: Vec<(f64, usize)> =
        asked.hits.iter().filter_map(|hit| Some((record_order(weights, &hit.signals)?, hit.document))).collect();
    let mut sessions: BTreeMap<&str, f64> = BTreeMap::new();
    for hit in &asked.hits {
        if let Some(order) = session_order(weights, hit.signals.sess, hit.signals.date) {
            sessions.insert(&asked.sessions[hit.document], order);
        }
    }
    let mut sessions: Vec<(f64, &str)> = sessions.into_iter().map(|(session, order)| (order, session)).collect();
    records.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
    sessions.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(right.1)));
    let sessions: BTreeSet<&str> = sessions.into_iter().take(SESSIONS).map(|(_, session)| session).collect();
    let of_sessions =
        asked.hits.iter().map(|hit| hit.document).filter(|at| sessions.contains(asked.sessions[*at].as_str()));
    records.into_iter().take(RECORDS).map(|(_, document)| document).chain(of_sessions).collect()
}

fn print_row(
    name: &str,
    asked: &[Asked<'_>],
    weights: &Weights,
    wanted: impl Fn(&LabelledQuestion) -> bool,
    choose: impl Fn(&Asked<'_>) -> BTreeSet<usize>,
) {
    let mut sums = [0.0; 5];
    let mut count = 0;
    for asked in asked.iter().filter(|asked| wanted(asked.question)) {
        let chosen = choose(asked);
        let mut ranked = rank(&asked.hits, weights);
        ranked.retain(|document| chosen.contains(document));
        let measures = [5, 10, 25, 50].map(|k| recall_at(&ranked, &asked.gold, k));
        let all = measures.into_iter().chain([ndcg_at(&ranked, &asked.gold, 10)]);
        sums.iter_mut().zip(all).for_each(|(sum, measure)| *sum += measure);
        count += 1;
    }
    let cells: Vec<String> = sums.iter().map(|sum| format!("{:6.1}", 100.0 * sum / f64::from(count.max(1)))).collect();
    println!("{name:<11}{count:>4} {}", cells.join(" "));
}

fn rank(hits: &[Hit], weights: &Weights) -> Vec<usize> {
    let mut scored: Vec<(f64, usize)> =
        hits.iter().map(|hit| (fuse(weights, &hit.signals).total, hit.document)).collect();
    scored.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
    scored.into_iter().map(|(_, document)| document).collect()
}

fn ablations() -> Vec<(&'static str, Weights)> {
    let full = Weights::LEXICAL;
    vec![
        ("lex", Weights { lex: 0.0, ..full }),
        ("own", Weights { own: 0.0, ..full }),
        ("sess", Weights { sess: 0.0, ..full }),
        ("speaker", Weights { speaker: 0.0, ..full }),
        ("subject", Weights { subject: 0.0, ..full }),
        ("date", Weights { date: 0.0, ..full }),
        ("who, date", Weights { speaker: 0.0, subject: 0.0, date: 0.0, ..full }),
        ("is_question", Weights { is_question: 0.0, ..full }),
        ("timex", Weights { timex: 0.0, ..full }),
        ("when", Weights { when: 0.0, ..full }),
    ]
}
