//! Measures the naive recall on a LoCoMo file: `cargo run --release -p because-testkit --example locomo -- FILE`.
//!
//! One index a conversation, or with `--together` one for all. Prints recall at 5, 10, 25 and 50 and nDCG at 10, by
//! category and over the categories 1 to 4. What each part is worth: `because eval locomo FILE --ablation`.
#![allow(clippy::print_stdout)]

use std::error::Error;

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
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let path = arguments.iter().find(|argument| !argument.starts_with("--")).ok_or("give the path of a LoCoMo file")?;
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let conversations = read(&std::fs::read_to_string(path)?)?;
    let asked = ask_all(&conversations, has("--together"));
    println!("category      n    R@5   R@10   R@25   R@50 nDCG@10");
    for category in 1..=4u8 {
        print_row(&format!("{category}"), &asked, &Weights::LEXICAL, |question| question.category == category);
    }
    print_row("1-4", &asked, &Weights::LEXICAL, |_| true);
    Ok(())
}

fn ask_all(conversations: &[Conversation], together: bool) -> Vec<Asked<'_>> {
    let mut asked = Vec::new();
    let groups = if together { conversations.chunks(conversations.len().max(1)) } else { conversations.chunks(1) };
    for group in groups {
        let mut memory = NaiveRecall::new(Language::English);
        let mut first = 0;
        let mut firsts = Vec::new();
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
                asked.push(Asked { question, gold, hits });
            }
        }
    }
    asked
}

fn print_row(name: &str, asked: &[Asked<'_>], weights: &Weights, wanted: impl Fn(&LabelledQuestion) -> bool) {
    let mut sums = [0.0; 5];
    let mut count = 0;
    for asked in asked.iter().filter(|asked| wanted(asked.question)) {
        let ranked = rank(&asked.hits, weights);
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
    scored.sort_by(|left, right| right.0.total_cmp(&left.0).then(right.1.cmp(&left.1)));
    scored.into_iter().map(|(_, document)| document).collect()
}
