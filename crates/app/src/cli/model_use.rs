//! The language model as `because status` shows it: which one is chosen, what each has used, and
//! which private records it was shown.

use std::collections::{BTreeMap, BTreeSet};

use engine::Space;
use jiff::Timestamp;
use kernel::id::OpId;
use models::language::Usage;
use serde_json::{Value, json};
use store::sqlite::{ModelUse, PrivateUse};

use super::CliSession;
use crate::configuration::Configuration;
use crate::failure::Failure;
use crate::output::{self, count, printable};

/// The chosen model, for `--json`; null if none is chosen.
pub(super) fn chosen_json(configuration: &Configuration) -> Value {
    configuration.language_model().map_or(
        Value::Null,
        |chosen| json!({ "model": chosen.name.to_string(), "set_by": chosen.source.to_string() }),
    )
}

/// What each model has used, for `--json`; null if the journal cannot be read.
pub(super) fn json(space: &Space) -> Value {
    let shown = |used: &ModelUse| {
        let Usage { requests, unreported, input_tokens, output_tokens } = used.usage;
        json!({
            "model": used.model,
            "requests": requests,
            "unreported": unreported,
            "input_tokens": input_tokens,
            "output_tokens": output_tokens,
            "priced": used.priced,
            "cost": (used.priced > 0).then(|| used.cost.units()),
            "first": time(used.first_us).to_string(),
            "last": time(used.last_us).to_string(),
        })
    };
    space.model_use().map_or(Value::Null, |all| all.iter().map(shown).collect())
}

/// The private records that models were shown, by model and prompt, for `--json`; null if the
/// journal cannot be read.
pub(super) fn private_json(space: &Space) -> Value {
    let shown = |(of, used): (&(String, String), &PrivateTotal)| {
        json!({
            "model": of.0,
            "prompt_version": of.1,
            "requests": used.requests,
            "records": used.records,
            "last": time(used.last_us).to_string(),
        })
    };
    space.private_use().map_or(Value::Null, |all| totals(&all).iter().map(shown).collect())
}

/// What one prompt has shown one model.
#[derive(Default)]
struct PrivateTotal {
    requests: u64,
    records: BTreeSet<OpId>,
    last_us: i64,
}

fn totals(all: &[PrivateUse]) -> BTreeMap<(String, String), PrivateTotal> {
    let mut totals: BTreeMap<(String, String), PrivateTotal> = BTreeMap::new();
    for used in all {
        let total = totals.entry((used.model.clone(), used.prompt_version.clone())).or_default();
        total.requests += 1;
        total.records.extend(&used.records);
        total.last_us = total.last_us.max(used.at_us);
    }
    totals
}

/// Prints both for people, if there is anything to say.
pub(super) fn print(
    session: &CliSession,
    configuration: &Configuration,
    space: &Space,
) -> Result<(), Failure> {
    if let Some(chosen) = configuration.language_model() {
        output::line(format_args!(
            "  language model  {} ({})",
            printable(&chosen.name.to_string()),
            printable(&chosen.source.to_string())
        ))?;
    }
    let all = match space.model_use() {
        Ok(all) => all,
        Err(error) => {
            let error = error.to_string();
            return output::line(format_args!("  model use   {}", printable(&error)));
        }
    };
    for (number, used) in all.into_iter().enumerate() {
        let head = if number == 0 { "model use" } else { "" };
        let Usage { requests, unreported, input_tokens, output_tokens } = used.usage;
        let tokens = match unreported {
            0 => format!("{input_tokens} tokens in, {output_tokens} out"),
            _ => format!(
                "{input_tokens} tokens in, {output_tokens} out, not reported for {unreported}"
            ),
        };
        let cost = match used.priced {
            0 => String::new(),
            priced if priced < requests => format!(", cost {} for {priced} of them", used.cost),
            _ => format!(", cost {}", used.cost),
        };
        output::line(format_args!(
            "  {head:<10}  {}: {}, {tokens}{cost}, since {}",
            printable(&used.model),
            count(requests, "request"),
            session.clock(time(used.first_us))
        ))?;
    }
    let all = space.private_use().unwrap_or_default();
    for (number, ((model, prompt), used)) in totals(&all).into_iter().enumerate() {
        let head = if number == 0 { "private use" } else { "" };
        output::line(format_args!(
            "  {head:<11} {} was shown {} in {} ({}), last {}",
            printable(&model),
            count(used.records.len() as u64, "private record"),
            count(used.requests, "request"),
            printable(&prompt),
            session.clock(time(used.last_us))
        ))?;
    }
    Ok(())
}

fn time(us: i64) -> Timestamp {
    Timestamp::from_microsecond(us).unwrap_or_default()
}
