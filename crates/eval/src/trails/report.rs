//! Results of the simulation, as tables for people and as JSON for programs.

use serde_json::{Value, json};

use super::measures::{Gain, Outcome, RECALL_CUTOFF};
use super::{AGENTS, Case, ROUNDS, Ranking, Trails};
use crate::measures::NDCG_CUTOFF;

/// The row over all collections.
const ALL: &str = "all";

/// The results of several collections.
pub struct Report<'a> {
    pub collections: &'a [Trails],
}

/// A ranking's measures of a collection, or of all of them.
struct Row {
    ranking: Ranking,
    recall: Gain,
    ndcg: Gain,
}

impl Report<'_> {
    /// One collection, or all.
    fn of(&self, place: Option<usize>) -> impl Iterator<Item = &Trails> {
        let numbered = self.collections.iter().enumerate();
        numbered.filter(move |(at, _)| place.is_none_or(|place| place == *at)).map(|(_, it)| it)
    }

    /// The outcomes of one case and ranking, of one collection or of all.
    fn outcomes(&self, place: Option<usize>, case: Case, ranking: Ranking) -> Vec<Outcome> {
        let runs = self.of(place).flat_map(|trails| &trails.runs);
        let these = runs.filter(|run| run.case == case && run.ranking == ranking);
        these.flat_map(|run| run.outcomes.iter().copied()).collect()
    }

    fn rows(&self, place: Option<usize>, case: Case) -> Vec<Row> {
        let base = self.outcomes(place, case, Ranking::WithoutUse);
        let gain = |outcomes: &[Outcome], of: fn(&Outcome) -> f64| {
            let values = |outcomes: &[Outcome]| outcomes.iter().map(of).collect::<Vec<f64>>();
            Gain::of(&values(outcomes), &values(&base))
        };
        let row = |ranking: Ranking| {
            let outcomes = self.outcomes(place, case, ranking);
            Row {
                ranking,
                recall: gain(&outcomes, |it| it.recall),
                ndcg: gain(&outcomes, |it| it.ndcg),
            }
        };
        Ranking::all().into_iter().map(row).collect()
    }

    /// The collections, and all of them if there are several.
    fn parts(&self) -> Vec<(&str, Option<usize>)> {
        let each = self.collections.iter().enumerate();
        let mut parts: Vec<_> = each.map(|(place, it)| (&*it.name, Some(place))).collect();
        if parts.len() > 1 {
            parts.push((ALL, None));
        }
        parts
    }

    fn thoughts(&self, place: Option<usize>) -> usize {
        self.of(place).map(|trails| trails.thoughts).sum()
    }

    /// The lines of the tables.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (title, place) in self.parts() {
            for case in Case::ALL {
                let judged = self.outcomes(place, case, Ranking::WithoutUse).len();
                let thoughts = self.thoughts(place);
                lines.push(format!(
                    "{title}: {thoughts} thoughts; {}, {judged} judged",
                    case.name()
                ));
                let recall = format!("R@{RECALL_CUTOFF}");
                let ndcg = format!("nDCG@{NDCG_CUTOFF}");
                lines
                    .push(format!("  {:<22}{recall:>8}{:>24}{ndcg:>10}{:>24}", "", "gain", "gain"));
                for Row { ranking, recall, ndcg } in self.rows(place, case) {
                    lines.push(format!(
                        "  {:<22}{:>8.1}{:>24}{:>10.1}{:>24}",
                        ranking.name(),
                        100.0 * recall.mean,
                        interval(ranking, &recall),
                        100.0 * ndcg.mean,
                        interval(ranking, &ndcg)
                    ));
                }
            }
        }
        lines
    }

    /// All results, with shares as 0 … 1.
    pub fn json(&self) -> Value {
        let mut parts = Vec::new();
        for (title, place) in self.parts() {
            for case in Case::ALL {
                let rows: Vec<Value> = self.rows(place, case).iter().map(row_json).collect();
                parts.push(json!({
                    "collection": title,
                    "thoughts": self.thoughts(place),
                    "questions": case.name(),
                    "judged": self.outcomes(place, case, Ranking::WithoutUse).len(),
                    "rankings": rows,
                }));
            }
        }
        json!({ "agents": AGENTS, "rounds": ROUNDS, "results": parts })
    }
}

fn interval(ranking: Ranking, gain: &Gain) -> String {
    if ranking == Ranking::WithoutUse {
        return String::new();
    }
    let [gain, low, high] = [gain.gain, gain.low, gain.high].map(|it| 100.0 * it);
    format!("{gain:+.1} ({low:+.1} … {high:+.1})")
}

fn row_json(row: &Row) -> Value {
    let of = |gain: &Gain| json!({ "mean": gain.mean, "gain": gain.gain, "low": gain.low, "high": gain.high });
    json!({
        "ranking": row.ranking.name(),
        format!("recall_{RECALL_CUTOFF}"): of(&row.recall),
        format!("ndcg_{NDCG_CUTOFF}"): of(&row.ndcg),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{sample, trails};

    #[test]
    fn the_simulation_over_the_sample_is_the_same_twice_and_reports_each_ranking() {
        let folder = tempfile::tempdir().unwrap();
        sample::unpack(folder.path()).unwrap();
        let paths: Vec<_> =
            sample::SOURCES.iter().map(|source| folder.path().join(source)).collect();
        let collection = sample::collect(&paths).unwrap();
        let mut done = 0;
        let measured = trails::measure(&collection, &mut || done += 1).unwrap();
        assert_eq!(done, trails::steps());
        assert!(measured.thoughts > 100);
        let again = trails::measure(&collection, &mut || {}).unwrap();
        let outcomes = |trails: &Trails| -> Vec<Vec<Outcome>> {
            trails.runs.iter().map(|run| run.outcomes.clone()).collect()
        };
        assert_eq!(outcomes(&measured), outcomes(&again));
        let counts: Vec<usize> = outcomes(&measured).iter().map(Vec::len).collect();
        assert_eq!((counts[0], counts[counts.len() - 1]), (12, 24));
        let one = [measured];
        let report = Report { collections: &one };
        let json = report.json();
        let results = json["results"].as_array().unwrap();
        assert_eq!(results.len(), 2, "one collection has no row over all");
        let rankings = results[0]["rankings"].as_array().unwrap();
        assert_eq!(rankings.len(), Ranking::all().len());
        assert_eq!(rankings[0]["recall_5"]["gain"], 0.0);
        assert!(rankings[0]["recall_5"]["mean"].as_f64().unwrap() > 0.3, "{json}");
        let lines = report.lines();
        assert!(lines.iter().any(|line| line.contains("use breaks ties")), "{lines:?}");
    }
}
