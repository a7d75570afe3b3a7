//! The study of answers: whether the sources that `because ask` cites have the answer, and whether
//! it abstains where there is none.
//!
//! The records are judged as for the command without a model ([`engine::recall::answering`],
//! [`engine::recall::discounts`]), but without facts, nodes and thoughts, and nobody is known to be
//! the owner. The best [`SOURCES`] of at least
//! [`CHANCE_MIN`](retrieval::rank::answering::CHANCE_MIN) are cited. Answerable, unanswerable and
//! foreign questions are those of [`super::abstention`]. The models are learnt from them, and each
//! question is also judged by models learnt without its group ([`super::abstention::sets`]).

use std::collections::BTreeMap;

use derivers::owner::Owner;
use engine::recall::answering::{Judged, WordWeights, judge};
use engine::recall::discounts::{Discount, Discounter};
use retrieval::rank::answering::{AnswerModels, CHANCE_MIN, PersonEvidence};
use serde_json::{Value, json};

use super::abstention::learn::coefficients;
use super::abstention::sets::Sets;
use super::abstention::{AskedQuestion, QuestionKind, questions};
use super::tuning::Spaces;
use super::{EvalError, records};

/// How many sources an answer cites.
pub const SOURCES: usize = 5;
/// Records that are looked at to learn how often one answers: as many as recall scores exactly.
const LOOKED_AT: usize = 128;

/// A question, with what was found.
pub struct Example {
    pub kind: QuestionKind,
    /// The collection's category, of an answerable question.
    pub category: Option<String>,
    /// The set of its collection.
    pub set: usize,
    /// The cross-validation group.
    pub group: usize,
    judged: Judged,
    /// What the rules take from the chance of each record.
    discounts: Vec<Discount>,
    /// Which of the records are gold.
    gold: Vec<bool>,
}

impl Example {
    /// Which of the cited sources are gold.
    fn cited(&self, models: &AnswerModels) -> Vec<bool> {
        let judged = self.judged.chances(models).zip(&self.discounts);
        let chances = judged.map(|(chance, discount)| discount.of(chance));
        let mut sources: Vec<(f64, bool)> = chances.zip(self.gold.iter().copied()).collect();
        sources.sort_by(|one, other| other.0.total_cmp(&one.0));
        let cited = sources.into_iter().filter(|(chance, _)| *chance >= CHANCE_MIN);
        cited.take(SOURCES).map(|(_, gold)| gold).collect()
    }
}

/// Asks every collection its questions. It calls `step` after each collection.
pub fn gather(
    spaces: &mut Spaces<'_>,
    sets: &Sets,
    step: &mut dyn FnMut(),
) -> Result<Vec<Example>, EvalError> {
    let mut examples = Vec::new();
    for place in 0..spaces.collections.len() {
        let (set, group) = (sets.set(place), sets.group(place));
        let questions = questions(spaces.collections, sets, place);
        let Some((_, space)) = spaces.at(place) else { continue };
        for AskedQuestion { kind, question, labelled } in questions {
            let recall = space.recall_to_answer(question, LOOKED_AT)?;
            let is_gold = |result: &engine::recall::episodes::Recollection| {
                let key = records::key(&result.evidence);
                labelled.is_some_and(|it| it.gold.contains(&key))
            };
            let shares = recall.results.iter().flat_map(|result| &result.terms);
            let weights = WordWeights::new(Some(&recall.question), shares);
            let asked = Discounter {
                text: &question.text,
                question: Some(&recall.question),
                weights: &weights,
            };
            let owner = || Ok::<_, EvalError>(Owner::default());
            examples.push(Example {
                kind,
                category: labelled.map(|it| it.category.clone()),
                set,
                group,
                judged: judge(&recall),
                discounts: asked.discounts(&recall.results, false, owner)?.records,
                gold: recall.results.iter().map(is_gold).collect(),
            });
        }
        step();
    }
    Ok(examples)
}

/// Learns both models. Each set counts equally; in it, questions about the right and the wrong
/// person count equally, as do records that answer and that do not. Where no question is about the
/// wrong person, the person model stays.
pub fn learn<'a>(examples: impl IntoIterator<Item = &'a Example>) -> AnswerModels {
    let (mut people, mut records) = (Balanced::default(), Balanced::default());
    for example in examples {
        let is_answerable = example.kind == QuestionKind::Answerable;
        if let Some(person) = example.judged.person.as_ref().map(PersonEvidence::features)
            && example.kind != QuestionKind::Foreign
        {
            people.add(example.set, is_answerable, person.to_vec());
        }
        for (standing, is_gold) in example.judged.standings.iter().zip(&example.gold) {
            if is_answerable {
                records.add(example.set, *is_gold, standing.to_vec());
            }
        }
    }
    AnswerModels {
        person: people.learn().unwrap_or(AnswerModels::BUILT_IN.person),
        standing: records.learn().unwrap_or(AnswerModels::BUILT_IN.standing),
    }
}

/// Examples by set and by whether they are true.
#[derive(Default)]
struct Balanced(BTreeMap<usize, [Vec<Vec<f64>>; 2]>);

impl Balanced {
    fn add(&mut self, set: usize, is_true: bool, values: Vec<f64>) {
        if let Some(sort) = self.0.entry(set).or_default().get_mut(usize::from(is_true)) {
            sort.push(values);
        }
    }

    /// The coefficients; none if no set has both sorts.
    fn learn<const N: usize>(self) -> Option<[f64; N]> {
        let whole: Vec<[Vec<Vec<f64>>; 2]> = self
            .0
            .into_values()
            .filter(|sorts| sorts.iter().all(|sort| !sort.is_empty()))
            .collect();
        let total: usize = whole.iter().flatten().map(Vec::len).sum();
        let share = total as f64 / (2 * whole.len()) as f64;
        let weighted = whole.into_iter().flat_map(|sorts| {
            sorts.into_iter().zip([false, true]).flat_map(move |(sort, is_true)| {
                let weight = share / sort.len() as f64;
                sort.into_iter().map(move |values| (values, is_true, weight))
            })
        });
        coefficients(weighted).try_into().ok()
    }
}

/// What became of some questions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Row {
    questions: usize,
    /// With a source that answers among those cited.
    answered: usize,
    /// Without a source.
    abstained: usize,
    /// Cited.
    sources: usize,
}

impl Row {
    fn add(&mut self, cited: &[bool]) {
        self.questions += 1;
        self.answered += usize::from(cited.contains(&true));
        self.abstained += usize::from(cited.is_empty());
        self.sources += cited.len();
    }

    fn share(&self, part: usize) -> f64 {
        part as f64 / self.questions.max(1) as f64
    }
}

/// Rows by the set, the kind and the category of questions; the empty category is all of a kind.
type Rows = BTreeMap<(usize, usize, String), Row>;

/// The results by the models in use, and by models learnt without the group of each question.
pub struct Report<'a> {
    sets: &'a [String],
    in_use: Rows,
    held_out: Option<Rows>,
    learnt: AnswerModels,
}

impl<'a> Report<'a> {
    /// Of all examples.
    pub fn of(examples: &[Example], sets: &'a Sets) -> Self {
        let held_out = (sets.group_count() > 1).then(|| {
            let mut rows = Rows::new();
            for group in 0..sets.group_count() {
                let models = learn(examples.iter().filter(|it| it.group != group));
                add(&mut rows, examples.iter().filter(|it| it.group == group), &models);
            }
            rows
        });
        let mut in_use = Rows::new();
        add(&mut in_use, examples, &AnswerModels::BUILT_IN);
        Self { sets: sets.names(), in_use, held_out, learnt: learn(examples) }
    }

    /// The tables, and the constants as source.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let tables = [("as the program answers", Some(&self.in_use))];
        for (title, rows) in
            tables.into_iter().chain([("learnt from the others", self.held_out.as_ref())])
        {
            let Some(rows) = rows else { continue };
            lines.push(format!(
                "{title:<36}{:>9}{:>12}{:>11}{:>9}",
                "questions", "cites gold", "abstains", "sources"
            ));
            for ((set, kind, category), row) in rows {
                let set = self.sets.get(*set).map(String::as_str).unwrap_or_default();
                let kind = QuestionKind::ALL.get(*kind).map_or("", |kind| kind.name());
                let gold = match kind == QuestionKind::Answerable.name() {
                    true => format!("{:.1}", row.share(row.answered) * 100.0),
                    false => "–".to_owned(),
                };
                lines.push(format!(
                    "{:<36}{:>9}{gold:>12}{:>11.1}{:>9.2}",
                    [set, kind, category].join(" ").trim_end(),
                    row.questions,
                    row.share(row.abstained) * 100.0,
                    row.share(row.sources)
                ));
            }
            lines.push(String::new());
        }
        lines.push("learnt from everything:".to_owned());
        lines.push(format!("person: {:?}", self.learnt.person));
        lines.push(format!("standing: {:?}", self.learnt.standing));
        lines
    }

    /// The same as JSON, with shares as 0 … 1.
    pub fn json(&self) -> Value {
        let rows = |rows: &Rows| {
            let row = |((set, kind, category), row): (&(usize, usize, String), &Row)| {
                json!({
                    "set": self.sets.get(*set),
                    "kind": QuestionKind::ALL.get(*kind).map(|kind| kind.name()),
                    "category": (!category.is_empty()).then_some(category),
                    "questions": row.questions,
                    "cites_gold": row.share(row.answered),
                    "abstains": row.share(row.abstained),
                    "sources": row.share(row.sources),
                })
            };
            rows.iter().map(row).collect::<Vec<_>>()
        };
        json!({
            "in_use": rows(&self.in_use),
            "held_out": self.held_out.as_ref().map(rows),
            "learnt": { "person": self.learnt.person, "standing": self.learnt.standing },
        })
    }
}

fn add<'a>(
    rows: &mut Rows,
    examples: impl IntoIterator<Item = &'a Example>,
    models: &AnswerModels,
) {
    for example in examples {
        let cited = example.cited(models);
        let kind = QuestionKind::ALL.iter().position(|kind| *kind == example.kind).unwrap_or(0);
        let whole = (example.set, kind, String::new());
        rows.entry(whole).or_default().add(&cited);
        if let Some(category) = example.category.as_ref().filter(|name| !name.is_empty()) {
            rows.entry((example.set, kind, category.clone())).or_default().add(&cited);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::retrieval::tests::collection_of;

    #[test]
    fn the_study_counts_sources_that_answer_and_questions_without_a_source() {
        let (collection, _folder) = collection_of(&[
            r#"{"type":"document","id":"d1","text":"We rented a boat in Oslo."}"#,
            r#"{"type":"document","id":"d2","text":"The harbour was closed."}"#,
            r#"{"type":"query","id":1,"text":"What was rented in Oslo?","gold":["d1"]}"#,
            r#"{"type":"query","id":2,"text":"Who sang zyxwv?","answerable":false}"#,
        ]);
        let collections = [collection];
        let mut spaces = Spaces::open(&collections, None).unwrap();
        let sets = Sets::of_files([Path::new("mine.jsonl")]);
        let examples = gather(&mut spaces, &sets, &mut || {}).unwrap();
        let report = Report::of(&examples, &sets);
        let rows = report.json()["in_use"].as_array().unwrap().clone();
        let row = |kind: &str| rows.iter().find(|row| row["kind"] == kind).unwrap();
        assert_eq!(row("answerable")["cites_gold"], 1.0, "{rows:?}");
        assert_eq!(
            (&row("unanswerable")["abstains"], &row("unanswerable")["questions"]),
            (&json!(1.0), &json!(1))
        );
        // A single collection has nothing that it is judged without.
        assert_eq!(report.json()["held_out"], Value::Null);
        assert!(report.lines().iter().any(|line| line.starts_with("standing: ")));
    }
}
