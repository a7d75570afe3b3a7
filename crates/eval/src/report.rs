//! Evaluation results, as tables for people and as JSON for programs.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Collection;
use super::measures::{Averages, NDCG_CUTOFF, average};
use super::run::Run;

/// The row over all questions.
const ALL: &str = "all";
/// The cut-off of hit and all in the tables; JSON has them at every cut-off.
const SHOWN_CUTOFF: usize = 10;

/// The results and the collections.
pub struct Report<'a> {
    pub collections: &'a [Collection],
    /// The unit of records, in the plural.
    pub unit: &'a str,
    pub cutoffs: &'a [usize],
    pub runs: &'a [Run],
}

impl Report<'_> {
    fn categories(&self) -> BTreeSet<&str> {
        let questions = self.collections.iter().flat_map(|collection| &collection.questions);
        questions.map(|question| question.category.as_str()).collect()
    }

    /// A run's averages for each category and for all questions.
    fn rows<'a>(&'a self, run: &'a Run) -> Vec<(&'a str, Averages)> {
        let mut rows: Vec<(&str, Averages)> = Vec::new();
        for category in self.categories() {
            rows.push((
                category,
                average(run.ranks_of(self.collections, Some(category)), self.cutoffs),
            ));
        }
        rows.push((ALL, average(run.ranks_of(self.collections, None), self.cutoffs)));
        rows
    }

    fn shown_cutoff(&self) -> usize {
        let shown = self.cutoffs.iter().copied().find(|k| *k == SHOWN_CUTOFF);
        shown.or_else(|| self.cutoffs.first().copied()).unwrap_or(SHOWN_CUTOFF)
    }

    /// The lines of the tables.
    pub fn lines(&self) -> Vec<String> {
        let shown = self.shown_cutoff();
        let mut head = format!("{:<22}{:>5}", "", "n");
        let recalls = self.cutoffs.iter().map(|k| format!("R@{k}"));
        let others = [
            "hit@1".to_owned(),
            format!("hit@{shown}"),
            format!("all@{shown}"),
            format!("nDCG@{NDCG_CUTOFF}"),
            "MRR".to_owned(),
        ];
        recalls.chain(others).for_each(|title| head.push_str(&format!("{title:>8}")));
        let mut lines = vec![head];
        for run in self.runs {
            lines.push(run.kind.name().to_owned());
            for (name, averages) in self.rows(run) {
                let at = averages.at.iter().find(|at| at.k == shown);
                let recalls = averages.at.iter().map(|at| at.recall);
                let others = [
                    averages.hit_1,
                    at.map_or(0.0, |at| at.hit),
                    at.map_or(0.0, |at| at.all),
                    averages.ndcg,
                    averages.mrr,
                ];
                let mut line = format!("  {name:<20}{:>5}", averages.questions);
                recalls
                    .chain(others)
                    .for_each(|value| line.push_str(&format!("{:>8.1}", value * 100.0)));
                lines.push(line);
            }
        }
        lines.push(String::new());
        let rate = format!("{}/s in", self.unit);
        lines.push(format!("{:<22}{rate:>12}{:>12}{:>12}", "", "p50 ms", "p99 ms"));
        for run in self.runs {
            let (name, rate) = (run.kind.name(), run.ingest_rate());
            lines.push(format!(
                "{name:<22}{rate:>12.0}{:>12.3}{:>12.3}",
                run.latency_ms(50),
                run.latency_ms(99)
            ));
        }
        lines
    }

    /// All results, with shares as 0 … 1.
    pub fn json(&self) -> Value {
        let systems: Vec<Value> = self.runs.iter().map(|run| self.system_json(run)).collect();
        json!({ "unit": self.unit, "cutoffs": self.cutoffs, "systems": systems })
    }

    fn system_json(&self, run: &Run) -> Value {
        let rows: Vec<Value> =
            self.rows(run).iter().map(|(name, averages)| row_json(name, averages)).collect();
        json!({
            "name": run.kind.name(),
            "records": run.records,
            "ingest_seconds": run.ingest_seconds,
            "ingest_records_per_second": run.ingest_rate(),
            "latency_ms": { "p50": run.latency_ms(50), "p99": run.latency_ms(99) },
            "categories": rows,
        })
    }

    /// Every question with the rank of each gold record in every system; null if it was not
    /// returned.
    pub fn each_json(&self) -> Value {
        let mut each = Vec::new();
        for (number, collection) in self.collections.iter().enumerate() {
            for (place, question) in collection.questions.iter().enumerate() {
                let mut ranks = serde_json::Map::new();
                for run in self.runs {
                    if let Some(found) = run.ranks.get(number).and_then(|ranks| ranks.get(place)) {
                        ranks.insert(run.kind.name().to_owned(), json!(found.as_slice()));
                    }
                }
                each.push(json!({
                    "collection": collection.name, "category": question.category, "question": question.question.text,
                    "gold": question.gold, "ranks": ranks,
                }));
            }
        }
        Value::Array(each)
    }
}

fn row_json(name: &str, averages: &Averages) -> Value {
    let at = |of: &dyn Fn(&super::measures::AtCutoff) -> f64| -> serde_json::Map<String, Value> {
        averages.at.iter().map(|at| (at.k.to_string(), json!(of(at)))).collect()
    };
    json!({
        "category": name,
        "questions": averages.questions,
        "recall": at(&|at| at.recall),
        "hit": at(&|at| at.hit),
        "all": at(&|at| at.all),
        "hit_1": averages.hit_1,
        "ndcg_10": averages.ndcg,
        "mrr": averages.mrr,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Kind, limit, run, steps};
    use crate::sample;

    fn measure_sample(check: impl FnOnce(&Report<'_>)) {
        let folder = tempfile::tempdir().unwrap();
        sample::unpack(folder.path()).unwrap();
        let paths: Vec<_> =
            sample::SOURCES.iter().map(|source| folder.path().join(source)).collect();
        let collections = [sample::collect(&paths).unwrap()];
        let cutoffs = [1, 10];
        let mut done = 0;
        let mut one =
            |kind| run(kind, &collections, limit(&cutoffs), None, &mut || done += 1).unwrap();
        let runs: Vec<Run> = Kind::all(None).into_iter().map(&mut one).collect();
        assert_eq!(done, steps(&collections) * 5, "the progress bar ends full");
        check(&Report {
            collections: &collections,
            unit: sample::UNIT,
            cutoffs: &cutoffs,
            runs: &runs,
        });
    }

    #[test]
    fn the_engine_finds_more_of_the_sample_than_any_control() {
        measure_sample(|report| {
            let recall =
                |run: &Run| average(run.ranks_of(report.collections, None), &[10]).at[0].recall;
            let recalls: Vec<f64> = report.runs.iter().map(recall).collect();
            assert!(
                recalls[0] > 0.8 && recalls[1..].iter().all(|control| *control < recalls[0]),
                "{recalls:?}"
            );
            let records = report.runs[0].records;
            assert!(
                records > 100 && report.runs.iter().all(|run| run.records == records),
                "all read the same"
            );
        });
    }

    #[test]
    fn the_report_has_a_row_per_category_and_a_rank_per_gold_record() {
        measure_sample(|report| {
            let lines = report.lines();
            assert!(lines[0].contains("R@1 ") && lines[0].contains(" hit@1 "), "{}", lines[0]);
            let rows = |name: &str| {
                lines.iter().filter(|line| line.trim_start().starts_with(name)).count()
            };
            assert_eq!((rows("all "), rows("note+turn "), rows("grep")), (5, 5, 2));
            let json = report.json();
            let categories = json["systems"][0]["categories"].as_array().unwrap();
            let all = categories.last().unwrap();
            assert_eq!(all["questions"], 24);
            assert_eq!(all["hit_1"], all["hit"]["1"]);
            assert!(all["recall"]["10"].as_f64() >= all["all"]["10"].as_f64());
            let each = report.each_json();
            let first = &each[0];
            assert_eq!(
                first["gold"].as_array().unwrap().len(),
                first["ranks"]["because"].as_array().unwrap().len()
            );
        });
    }
}
