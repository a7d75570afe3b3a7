//! Costs and benefits of abstention, one threshold per row.

use serde_json::{Value, json};

use super::{JudgedQuestion, Models, QuestionKind};

/// The thresholds are these percentiles of the answerable questions.
const REFUSED_PERCENT: [usize; 7] = [1, 2, 3, 5, 10, 20, 30];
/// Number of bins of the calibration error.
const BANDS: usize = 10;
/// Share of the answerable questions that abstention may cost.
const LOST_MAX: f64 = 0.03;
/// Most sets that fit beside one another.
const WIDE_SETS_MAX: usize = 2;

/// One threshold.
struct Row {
    threshold: f64,
    /// Share of questions below the threshold, by set and kind; `None` without questions.
    refused: Vec<Option<f64>>,
}

/// A report on the judgements of one set of models.
pub struct Report<'a> {
    pub title: &'a str,
    pub judged: &'a [JudgedQuestion],
    /// Names of the sets.
    pub sets: &'a [String],
    /// The threshold in use, which is shown with the others.
    pub in_use: Option<f64>,
}

impl Report<'_> {
    fn probabilities(&self, set: Option<usize>, kind: QuestionKind) -> Vec<f64> {
        let wanted = |judged: &&JudgedQuestion| {
            judged.kind == kind && set.is_none_or(|set| judged.set == set)
        };
        self.judged.iter().filter(wanted).map(|judged| judged.relevance).collect()
    }

    fn columns(&self) -> Vec<(usize, QuestionKind)> {
        (0..self.sets.len()).flat_map(|set| QuestionKind::ALL.map(|kind| (set, kind))).collect()
    }

    fn row(&self, threshold: f64) -> Row {
        let refused = |(set, kind)| {
            let probabilities = self.probabilities(Some(set), kind);
            let refused = probabilities.iter().filter(|chance| **chance < threshold).count();
            (!probabilities.is_empty()).then(|| refused as f64 / probabilities.len() as f64)
        };
        Row { threshold, refused: self.columns().into_iter().map(refused).collect() }
    }

    fn rows(&self) -> Vec<Row> {
        let mut answerable = self.probabilities(None, QuestionKind::Answerable);
        answerable.sort_by(f64::total_cmp);
        let at = |percent: &usize| {
            answerable.get(answerable.len() * percent / 100).map(|chance| self.row(*chance))
        };
        let mut rows: Vec<Row> = REFUSED_PERCENT.iter().filter_map(at).collect();
        rows.extend(self.in_use.map(|threshold| self.row(threshold)));
        rows.sort_by(|left, right| left.threshold.total_cmp(&right.threshold));
        rows
    }

    /// The AUC of answerable questions against those of this set and kind.
    fn area(&self, set: usize, kind: QuestionKind) -> Option<f64> {
        let (high, low) = (
            self.probabilities(Some(set), QuestionKind::Answerable),
            self.probabilities(Some(set), kind),
        );
        let wins: f64 = high
            .iter()
            .flat_map(|high| {
                low.iter().map(move |low| {
                    f64::from(u8::from(high > low)) + 0.5 * f64::from(u8::from(high == low))
                })
            })
            .sum();
        (!high.is_empty() && !low.is_empty()).then(|| wins / (high.len() * low.len()) as f64)
    }

    /// Expected calibration error: the mean distance between probability and outcome, by bins.
    fn calibration_error(&self, set: Option<usize>) -> f64 {
        let mut bands = [(0.0, 0.0, 0.0); BANDS];
        let is_of_it = |judged: &&JudgedQuestion| set.is_none_or(|set| judged.set == set);
        for judged in self.judged.iter().filter(is_of_it) {
            let band = ((judged.relevance * BANDS as f64) as usize).min(BANDS - 1);
            if let Some((count, predicted, actual)) = bands.get_mut(band) {
                *count += 1.0;
                *predicted += judged.relevance;
                *actual += f64::from(u8::from(judged.kind == QuestionKind::Answerable));
            }
        }
        let apart: f64 = bands
            .iter()
            .map(|(_, predicted, actual): &(f64, f64, f64)| (predicted - actual).abs())
            .sum();
        apart / self.judged.iter().filter(is_of_it).count().max(1) as f64
    }

    /// The highest threshold that refuses at most [`LOST_MAX`] of the answerable questions of a
    /// set.
    fn limit(&self, set: usize) -> Option<f64> {
        let mut answerable = self.probabilities(Some(set), QuestionKind::Answerable);
        answerable.sort_by(f64::total_cmp);
        answerable.get((answerable.len() as f64 * LOST_MAX) as usize).copied()
    }

    /// The highest threshold that refuses at most [`LOST_MAX`] of the answerable questions of every
    /// set, without those of which more are impossible by any threshold.
    fn highest_threshold(&self) -> Option<f64> {
        let limits = (0..self.sets.len()).filter_map(|set| self.limit(set));
        limits.filter(|limit| *limit > 0.0).reduce(f64::min)
    }

    /// A row for each set: what two thresholds refuse, and what does not depend on one.
    fn lines_by_set(&self) -> Vec<String> {
        let shown = |share: Option<f64>| {
            share.map_or("–".to_owned(), |share| format!("{:.1}", share * 100.0))
        };
        let highest = self.highest_threshold();
        let mut lines = Vec::new();
        for threshold in self.in_use.into_iter().chain(highest) {
            let mark = if self.in_use == Some(threshold) { "in use" } else { "at most 3 % lost" };
            lines.push(format!(
                "{:<30}{:>12}{:>14}{:>10}{:>18}{:>14}{:>8}{:>12}",
                format!("refused < {threshold:.3} ({mark})"),
                "answerable",
                "unanswerable",
                "foreign",
                "AUC unanswerable",
                "AUC foreign",
                "ECE",
                "3 % below"
            ));
            let row = self.row(threshold);
            for (set, (name, refused)) in self.sets.iter().zip(row.refused.chunks(3)).enumerate() {
                let [answerable, unanswerable, foreign] =
                    [0, 1, 2].map(|kind| shown(refused.get(kind).copied().flatten()));
                let limit = self.limit(set).map_or("–".to_owned(), |limit| format!("{limit:.3}"));
                lines.push(format!(
                    "{name:<30}{answerable:>12}{unanswerable:>14}{foreign:>10}{:>18}{:>14}{:>8.3}{limit:>12}",
                    shown(self.area(set, QuestionKind::Unanswerable)),
                    shown(self.area(set, QuestionKind::Foreign)),
                    self.calibration_error(Some(set)),
                ));
            }
        }
        lines
    }

    /// The sets' figures as JSON.
    fn sets_json(&self) -> Vec<Value> {
        let of_set = |(set, name): (usize, &String)| {
            json!({
                "of": name,
                "expected_calibration_error": self.calibration_error(Some(set)),
                "threshold": self.limit(set),
            })
        };
        self.sets.iter().enumerate().map(of_set).collect()
    }

    /// The lines of the tables.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![self.title.to_owned()];
        if self.sets.len() <= WIDE_SETS_MAX {
            lines.extend(self.lines_by_threshold());
        }
        lines.extend(self.lines_by_set());
        lines
    }

    /// A row for each threshold, with the kinds of questions of each set beside one another.
    fn lines_by_threshold(&self) -> Vec<String> {
        let shown = |share: Option<f64>| {
            share.map_or("–".to_owned(), |share| format!("{:.1}", share * 100.0))
        };
        let cells =
            |cells: Vec<String>| cells.iter().map(|cell| format!("{cell:>14}")).collect::<String>();
        let mut lines = Vec::new();
        if self.sets.len() > 1 {
            let sets = self.sets.iter().map(|set| format!("{set:>42}")).collect::<String>();
            lines.push(format!("{:<12}{sets}", ""));
        }
        let columns = self.columns();
        lines.push(format!(
            "{:<12}{}",
            "refused",
            cells(columns.iter().map(|(_, kind)| kind.name().to_owned()).collect())
        ));
        let count = |(set, kind): &(usize, QuestionKind)| {
            self.probabilities(Some(*set), *kind).len().to_string()
        };
        lines.push(format!("{:<12}{}", "n", cells(columns.iter().map(count).collect())));
        for row in self.rows() {
            let mark = if self.in_use == Some(row.threshold) { "  in use" } else { "" };
            let refused = row.refused.into_iter().map(shown).collect();
            lines.push(format!(
                "{:<12}{}{mark}",
                format!("< {:.3}", row.threshold),
                cells(refused)
            ));
        }
        let area = |(set, kind): &(usize, QuestionKind)| {
            if *kind == QuestionKind::Answerable {
                String::new()
            } else {
                shown(self.area(*set, *kind))
            }
        };
        lines.push(format!("{:<12}{}", "AUC", cells(columns.iter().map(area).collect())));
        lines.push(format!("expected calibration error {:.3}", self.calibration_error(None)));
        lines
    }

    /// The report as JSON, with shares as 0 … 1.
    pub fn json(&self) -> Value {
        let named = |values: Vec<Option<f64>>| -> Vec<Value> {
            let columns = self.columns().into_iter().zip(values);
            columns
                .map(
                    |((set, kind), value)| json!({ "of": self.sets.get(set), "sort": kind.name(), "value": value }),
                )
                .collect()
        };
        let rows: Vec<Value> = self
            .rows()
            .into_iter()
            .map(|row| json!({ "threshold": row.threshold, "refused": named(row.refused) }))
            .collect();
        let areas = self
            .columns()
            .into_iter()
            .map(|(set, kind)| self.area(set, kind).filter(|_| kind != QuestionKind::Answerable));
        json!({
            "judged_by": self.title,
            "thresholds": rows,
            "auc": named(areas.collect()),
            "expected_calibration_error": self.calibration_error(None),
            "sets": self.sets_json(),
        })
    }
}

/// The models as source code.
pub fn as_source(models: &Models) -> Vec<String> {
    let line = |name: &str, values: &[f64]| {
        let values: Vec<String> = values.iter().map(|value| format!("{value:.2}")).collect();
        format!("const {name}: [f64; {}] = [{}];", values.len(), values.join(", "))
    };
    vec![line("TOPIC", &models.topic), line("PERSON", &models.theirs)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(kind: QuestionKind, probabilities: &[f64]) -> Vec<JudgedQuestion> {
        probabilities
            .iter()
            .map(|relevance| JudgedQuestion { kind, set: 0, relevance: *relevance })
            .collect()
    }

    #[test]
    fn shares_auc_and_calibration_error_equal_those_computed_by_hand() {
        let mut all = judged(QuestionKind::Answerable, &[0.9, 0.8, 0.4]);
        all.extend(judged(QuestionKind::Foreign, &[0.1, 0.8]));
        let all_sets = ["all".to_owned()];
        let report = Report { title: "t", judged: &all, sets: &all_sets, in_use: Some(0.5) };
        let row = report.row(0.5);
        assert_eq!(row.refused, [Some(1.0 / 3.0), None, Some(0.5)]);
        // Four of six pairs are in order and one is a tie.
        assert_eq!(report.area(0, QuestionKind::Foreign), Some(4.5 / 6.0));
        assert_eq!(report.area(0, QuestionKind::Unanswerable), None);
        // |0.1 − 0| + |0.4 − 1| + |1.6 − 1| + |0.9 − 1| of five.
        assert!((report.calibration_error(None) - 1.4 / 5.0).abs() < 1e-12);
        assert!(
            report
                .lines()
                .iter()
                .any(|line| line.starts_with("< 0.500") && line.ends_with("in use"))
        );
    }
}
