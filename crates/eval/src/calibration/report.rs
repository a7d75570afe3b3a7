//! Calibration results, as tables for people and as JSON for programs.

use serde_json::{Value, json};

use super::Person;
use super::figures::{ASSERTED_MIN, Calibration, ClaimGroup, Detection};
use super::labels::{Family, Judgement, TRACES_MIN};

/// The results for all people.
pub struct Report<'a> {
    pub people: &'a [Person],
}

impl Report<'_> {
    /// The calibration of the claims in one family, or of all.
    pub fn calibration(&self, family: Option<Family>) -> Calibration {
        let judged = self.people.iter().flat_map(|person| &person.judged);
        Calibration::of(judged.filter(move |one| family.is_none_or(|family| one.family == family)))
    }

    /// The lines of the tables.
    pub fn lines(&self) -> Vec<String> {
        let all = self.calibration(None);
        let mut lines = vec![format!(
            "{:<22}{:>8}{:>12}{:>8}{:>9}",
            "", "claims", "confidence", "true", "excess"
        )];
        let row = |name: &str, group: &ClaimGroup| {
            let (confidence, share) = (group.mean_confidence(), group.share_true());
            format!(
                "{name:<22}{:>8}{confidence:>12.3}{share:>8.3}{:>+9.3}",
                group.claims,
                group.excess()
            )
        };
        lines.extend(all.bands.iter().rev().map(|(band, group)| row(band.as_str(), group)));
        lines.push(String::new());
        for (number, bin) in all.bins.iter().enumerate() {
            lines.push(row(
                &format!("{:.1} to {:.1}", number as f64 / 10.0, (number + 1) as f64 / 10.0),
                bin,
            ));
        }
        lines.push(row("all", &all.all));
        lines.push(String::new());
        lines.push(format!(
            "{:<22}{:>8}{:>12}{:>8}{:>11}{:>9}{:>9}",
            "", "claims", "ECE", "", "precision", "recall", "truths"
        ));
        for family in Family::ALL {
            let (calibration, found) =
                (self.calibration(Some(family)), Detection::in_family(self.people, family));
            lines.push(format!(
                "{:<22}{:>8}{:>12.3}{:>8}{:>11.3}{:>9.3}{:>9}",
                family.name(),
                calibration.all.claims,
                calibration.error(),
                "",
                found.precision(),
                found.recall(),
                found.truths
            ));
        }
        lines.push(format!("{:<22}{:>8}{:>12.3}", "all", all.all.claims, all.error()));
        for family in Family::ALL {
            let found = Detection::in_family(self.people, family);
            let falsehoods: Vec<String> = found
                .false_causes
                .iter()
                .map(|(cause, count)| format!("{cause} {count}"))
                .collect();
            let missed: Vec<String> = found
                .missed
                .iter()
                .map(|((sort, cause), count)| format!("{sort}, {cause} {count}"))
                .collect();
            lines.push(String::new());
            lines.push(format!(
                "{}: {} of {} asserted claims are false: {}",
                family.name(),
                found.asserted - found.asserted_true,
                found.asserted,
                or_none(&falsehoods)
            ));
            lines.push(format!(
                "{}: {} of {} truths are missed: {}",
                family.name(),
                found.truths - found.found,
                found.truths,
                or_none(&missed)
            ));
            lines.push(format!(
                "{}: {} more left too few traces to be told, of which {} are asserted",
                family.name(),
                found.faint,
                found.faint_found
            ));
        }
        lines
    }

    /// All results, with shares as 0 … 1.
    pub fn json(&self) -> Value {
        let families: Vec<Value> =
            Family::ALL.into_iter().map(|family| self.family_json(family)).collect();
        let mut value = calibration_json(&self.calibration(None));
        value["people"] = json!(self.people.len());
        value["asserted_from"] = json!(ASSERTED_MIN);
        value["traces_min"] = json!(TRACES_MIN);
        value["families"] = json!(families);
        value
    }

    fn family_json(&self, family: Family) -> Value {
        let found = Detection::in_family(self.people, family);
        let missed: Vec<Value> = found
            .missed
            .iter()
            .map(|((sort, cause), count)| json!({ "sort": sort, "cause": cause, "count": count }))
            .collect();
        let mut value = calibration_json(&self.calibration(Some(family)));
        value["family"] = json!(family.name());
        value["precision"] = json!(found.precision());
        value["recall"] = json!(found.recall());
        value["asserted"] = json!(found.asserted);
        value["asserted_true"] = json!(found.asserted_true);
        value["truths"] = json!(found.truths);
        value["found"] = json!(found.found);
        value["faint_truths"] = json!(found.faint);
        value["faint_found"] = json!(found.faint_found);
        value["false_causes"] = json!(found.false_causes);
        value["missed"] = json!(missed);
        value
    }

    /// Every claim with its factors and its judgement, and every missed truth.
    pub fn each_json(&self) -> Value {
        let mut each = Vec::new();
        for person in self.people {
            for one in &person.judged {
                let (holds, cause) = match one.judgement {
                    Judgement::True(_) => (true, None),
                    Judgement::False(cause) => (false, Some(cause)),
                };
                each.push(json!({
                    "person": person.name, "family": one.family.name(), "identity_key": one.claim.identity_key,
                    "confidence": one.claim.confidence, "basis": one.claim.basis, "true": holds, "cause": cause,
                    "valid_from": one.claim.valid_from, "valid_to": one.claim.valid_to,
                    "last_seen": one.claim.last_seen,
                }));
            }
            for (number, truth) in person.truths.iter().enumerate() {
                if !person.judged.iter().any(|one| one.judgement == Judgement::True(number)) {
                    each.push(json!({
                        "person": person.name, "family": truth.family.name(), "unclaimed": truth.name, "sort": truth.sort,
                        "traces": truth.traces,
                    }));
                }
            }
        }
        Value::Array(each)
    }
}

fn or_none(parts: &[String]) -> String {
    if parts.is_empty() { "none".to_owned() } else { parts.join("; ") }
}

fn calibration_json(calibration: &Calibration) -> Value {
    let group = |group: &ClaimGroup| json!({ "claims": group.claims, "true": group.holds, "mean_confidence": group.mean_confidence(), "share_true": group.share_true() });
    let bands: serde_json::Map<String, Value> = calibration
        .bands
        .iter()
        .map(|(band, of_band)| (band.as_str().to_owned(), group(of_band)))
        .collect();
    json!({
        "claims": calibration.all.claims,
        "expected_calibration_error": calibration.error(),
        "bands": bands,
        "bins": calibration.bins.iter().map(group).collect::<Vec<_>>(),
    })
}
