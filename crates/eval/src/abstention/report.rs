//! Costs and benefits of abstention, one threshold per row.

use serde_json::{Value, json};

use super::{JudgedQuestion, Models, QuestionKind};

/// The thresholds are these percentiles of the answerable questions.
const REFUSED_PERCENT: [usize; 7] = [1, 2, 3, 5, 10, 20, 30];
/// Number of bins of the calibration error.
const BANDS: usize = 10;

/// One threshold.
struct Row {
    threshold: f64,
    /// Share of questions below the threshold, by half and kind; `None` without questions.
    refused: Vec<Option<f64>>,
}

/// A report on the judgements of one set of models.
pub struct Report<'a> {
    pub title: &'a str,
    pub judged: &'a [JudgedQuestion],
    /// Names of the halves.
    pub halves: &'a [&'a str],
    /// The threshold in use, which is shown with the others.
    pub in_use: Option<f64>,
}

impl Report<'_> {
    fn probabilities(&self, half: Option<usize>, kind: QuestionKind) -> Vec<f64> {
        let wanted = |judged: &&JudgedQuestion| {
            judged.kind == kind && half.is_none_or(|half| judged.half == half)
        };
        self.judged.iter().filter(wanted).map(|judged| judged.relevance).collect()
    }

    fn columns(&self) -> Vec<(usize, QuestionKind)> {
        (0..self.halves.len()).flat_map(|half| QuestionKind::ALL.map(|kind| (half, kind))).collect()
    }

    fn row(&self, threshold: f64) -> Row {
        let refused = |(half, kind)| {
            let probabilities = self.probabilities(Some(half), kind);
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

    /// The AUC of answerable questions against those of this half and kind.
    fn area(&self, half: usize, kind: QuestionKind) -> Option<f64> {
        let (high, low) = (
            self.probabilities(Some(half), QuestionKind::Answerable),
            self.probabilities(Some(half), kind),
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
    fn calibration_error(&self) -> f64 {
        let mut bands = [(0.0, 0.0, 0.0); BANDS];
        for judged in self.judged {
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
        apart / self.judged.len().max(1) as f64
    }

    /// The lines of the table.
    pub fn lines(&self) -> Vec<String> {
        let title = self.title;
        let shown = |share: Option<f64>| {
            share.map_or("–".to_owned(), |share| format!("{:.1}", share * 100.0))
        };
        let cells =
            |cells: Vec<String>| cells.iter().map(|cell| format!("{cell:>14}")).collect::<String>();
        let mut lines = vec![title.to_owned()];
        if self.halves.len() > 1 {
            let halves = self.halves.iter().map(|half| format!("{half:>42}")).collect::<String>();
            lines.push(format!("{:<12}{halves}", ""));
        }
        let columns = self.columns();
        lines.push(format!(
            "{:<12}{}",
            "refused",
            cells(columns.iter().map(|(_, kind)| kind.name().to_owned()).collect())
        ));
        let count = |(half, kind): &(usize, QuestionKind)| {
            self.probabilities(Some(*half), *kind).len().to_string()
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
        let area = |(half, kind): &(usize, QuestionKind)| {
            if *kind == QuestionKind::Answerable {
                String::new()
            } else {
                shown(self.area(*half, *kind))
            }
        };
        lines.push(format!("{:<12}{}", "AUC", cells(columns.iter().map(area).collect())));
        lines.push(format!("expected calibration error {:.3}", self.calibration_error()));
        lines
    }

    /// The report as JSON, with shares as 0 … 1.
    pub fn json(&self) -> Value {
        let named = |values: Vec<Option<f64>>| -> Vec<Value> {
            let columns = self.columns().into_iter().zip(values);
            columns
                .map(
                    |((half, kind), value)| json!({ "of": self.halves.get(half), "sort": kind.name(), "value": value }),
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
            .map(|(half, kind)| self.area(half, kind).filter(|_| kind != QuestionKind::Answerable));
        json!({
            "judged_by": self.title,
            "thresholds": rows,
            "auc": named(areas.collect()),
            "expected_calibration_error": self.calibration_error(),
        })
    }
}

/// The models as source code.
pub fn as_source(models: &Models) -> Vec<String> {
    let line = |name: &str, values: &[f64]| {
        let values: Vec<String> = values.iter().map(|value| format!("{value:.2}")).collect();
        format!("const {name}: [f64; {}] = [{}];", values.len(), values.join(", "))
    };
    vec![line("TOPIC", &models.topic), line("THEIRS", &models.theirs)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(kind: QuestionKind, probabilities: &[f64]) -> Vec<JudgedQuestion> {
        probabilities
            .iter()
            .map(|relevance| JudgedQuestion { kind, half: 0, relevance: *relevance })
            .collect()
    }

    #[test]
    fn shares_auc_and_calibration_error_equal_those_computed_by_hand() {
        let mut all = judged(QuestionKind::Answerable, &[0.9, 0.8, 0.4]);
        all.extend(judged(QuestionKind::Foreign, &[0.1, 0.8]));
        let report = Report { title: "t", judged: &all, halves: &["all"], in_use: Some(0.5) };
        let row = report.row(0.5);
        assert_eq!(row.refused, [Some(1.0 / 3.0), None, Some(0.5)]);
        // Four of six pairs are in order and one is a tie.
        assert_eq!(report.area(0, QuestionKind::Foreign), Some(4.5 / 6.0));
        assert_eq!(report.area(0, QuestionKind::Unanswerable), None);
        // |0.1 − 0| + |0.4 − 1| + |1.6 − 1| + |0.9 − 1| of five.
        assert!((report.calibration_error() - 1.4 / 5.0).abs() < 1e-12);
        assert!(
            report
                .lines()
                .iter()
                .any(|line| line.starts_with("< 0.500") && line.ends_with("in use"))
        );
    }
}
