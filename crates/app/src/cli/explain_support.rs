//! The support section of `because explain`: the smallest set of sources that gives the belief the
//! same confidence band, and what would change the belief.

use engine::belief::claims::is_in_words;
use engine::belief::explain::Explaining;
use engine::belief::support::{FewestToRemove, NoSmallerSupport, Search, Support};
use engine::owner::SpaceOwner;
use kernel::confidence::Band;
use kernel::id::OpId;
use kernel::validity::State;
use serde_json::{Value, json};

use super::explain::{SOURCES_PRINTED_MAX, section};
use crate::failure::Failure;
use crate::output::{self, DIM, ID, count, quoted};
use crate::service::wording::{hundredths, shortened, word_of};

/// Inputs printed as arguments of another command.
const ARGUMENTS_PRINTED_MAX: usize = 4;

/// The smallest support, and what would change the belief, for people.
pub(super) fn print(
    support: &Support,
    explaining: &Explaining,
    owner: Option<&SpaceOwner>,
) -> Result<(), Failure> {
    let name = |id: &OpId| {
        let sources = &explaining.explanation.built_from;
        let summary = sources
            .iter()
            .find(|source| source.op_id == *id)
            .and_then(|source| source.summary.as_deref());
        format!("{ID}{}{ID:#}  {}", id.short(), shortened(summary.unwrap_or_default()))
    };
    if *support != Support::Nothing {
        section("smallest support")?;
    }
    match support {
        Support::Nothing => {}
        Support::UserWord => output::line(format_args!("    {} alone", word_of(owner)))?,
        Support::All(why) => {
            output::line(format_args!("    everything it cites together: {}", in_words(*why)))?
        }
        Support::Examined(search) => {
            let proof = if search.is_smallest {
                "this is the smallest set"
            } else {
                "a smaller set may exist"
            };
            let band = Band::of(search.confidence).as_str();
            if search.of == 1 {
                output::line("    its one input")?;
            } else if search.inputs.len() == search.of {
                output::line(format_args!(
                    "    all of the {} together; {proof}",
                    count(search.of as u64, "input")
                ))?;
            } else {
                output::line(format_args!(
                    "    {} of {} would still make it {band} ({}); {proof}",
                    search.inputs.len(),
                    count(search.of as u64, "input"),
                    hundredths(search.confidence)
                ))?;
                for id in search.inputs.iter().take(SOURCES_PRINTED_MAX) {
                    output::line(format_args!("      {}", name(id)))?;
                }
                if search.inputs.len() > SOURCES_PRINTED_MAX {
                    output::line(format_args!(
                        "      … and {} more",
                        search.inputs.len() - SOURCES_PRINTED_MAX
                    ))?;
                }
            }
        }
    }
    let is_examined = matches!(support, Support::Examined(_));
    if owner.is_none() || is_examined {
        section("what would change it")?;
    }
    if let Support::Examined(search) = support {
        print_losses(search, explaining, name)?;
    }
    // Only the owner can say what is so in the owner's space.
    let commands = if owner.is_none() { your_word(explaining) } else { Vec::new() };
    for (command, what) in commands {
        output::line(format_args!("    {command}  {DIM}{what}{DIM:#}"))?;
    }
    Ok(())
}

/// The inputs that the band depends on.
fn print_losses(
    search: &Search,
    explaining: &Explaining,
    name: impl Fn(&OpId) -> String,
) -> Result<(), Failure> {
    let band = explaining.explanation.claim.band.as_str();
    let necessary = search.necessary.as_deref().unwrap_or_default();
    if necessary.len() == search.of && search.of > 1 {
        output::line(format_args!(
            "    without any one of the {} it would not be {band}",
            count(search.of as u64, "input")
        ))?;
    } else {
        for id in necessary.iter().take(SOURCES_PRINTED_MAX) {
            output::line(format_args!(
                "    without this one it would not be {band}:  {}",
                name(id)
            ))?;
        }
    }
    let Some(FewestToRemove { inputs, band: left, is_fewest }) = &search.fewest else {
        return Ok(());
    };
    let without = count(inputs.len() as u64, "input");
    let without = if *is_fewest { without } else { format!("{without} or fewer") };
    let left = left.map_or("not be derived".to_owned(), |left| format!("be {}", left.as_str()));
    // An empty set of inputs derives nothing, which need not be said.
    let is_news = *is_fewest || inputs.len() < search.of;
    if is_news && (inputs.len() > 1 || necessary.is_empty()) {
        output::line(format_args!("    without {without} it would {left}"))?;
    }
    if inputs.len() <= ARGUMENTS_PRINTED_MAX {
        let options: Vec<String> = inputs.iter().map(|id| option_without(id, explaining)).collect();
        output::line(format_args!(
            "    because what-if {}  {DIM}shows what else would follow{DIM:#}",
            options.join(" ")
        ))?;
    }
    Ok(())
}

/// The option of `because what-if` that leaves an input out.
fn option_without(id: &OpId, explaining: &Explaining) -> String {
    let source = explaining.explanation.built_from.iter().find(|source| source.op_id == *id);
    let option = match source.map(|source| source.kind.as_str()) {
        Some("claim") => "--refute",
        Some("claim_correction") => "--withdraw",
        _ => "--retract",
    };
    format!("{option} {}", id.short())
}

fn in_words(why: NoSmallerSupport) -> &'static str {
    match why {
        NoSmallerSupport::Person => "a person stated it",
        NoSmallerSupport::Model => "a model concluded it and cannot be run again",
        NoSmallerSupport::OtherDeriver => {
            "this program does not have the deriver that made it, in that version"
        }
        NoSmallerSupport::Redacted => {
            "the content of one is not available, so it cannot be derived again"
        }
        NoSmallerSupport::NotRepeated => "these alone do not give it the same confidence",
    }
}

/// The user's possible actions, as commands.
fn your_word(explaining: &Explaining) -> Vec<(String, &'static str)> {
    let key = quoted(&explaining.belief.key);
    let command = |verb: &str, rest: &str| format!("because {verb} {key}{rest}");
    let right = if is_in_words(&explaining.belief) { " --text …" } else { " --set …" };
    match explaining.belief.state {
        State::Refuted => vec![(command("withdraw", ""), "takes your refutation back")],
        State::Corrected => vec![
            (command("withdraw", ""), "takes your correction back"),
            (command("correct", right), "replaces it with what is true"),
        ],
        _ => vec![
            (command("correct", right), "replaces it with what is true"),
            (command("refute", ""), "marks it as false"),
        ],
    }
}

/// The smallest support, for `--json`.
pub(super) fn to_json(support: &Support, explaining: &Explaining) -> Value {
    let cited = || {
        let direct = explaining.explanation.built_from.iter().filter(|source| source.depth == 1);
        direct.map(|source| source.op_id).collect::<Vec<_>>()
    };
    match support {
        Support::Nothing => json!({ "found": "nothing_believed", "inputs": [] }),
        Support::UserWord => json!({ "found": "user_word", "inputs": [] }),
        Support::All(why) => json!({ "found": "all", "why": why.as_str(), "inputs": cited() }),
        Support::Examined(search) => json!({
            "found": "examined",
            "inputs": search.inputs,
            "of": search.of,
            "confidence": search.confidence,
            "is_smallest": search.is_smallest,
            "at_least": search.at_least,
            "runs": search.runs,
        }),
    }
}

/// What would change the belief, for `--json`.
pub(super) fn would_change_to_json(support: &Support, explaining: &Explaining) -> Value {
    let (necessary, fewest) = match support {
        Support::Examined(search) => (json!(search.necessary), search.fewest.as_ref()),
        Support::All(_) => {
            let direct =
                explaining.explanation.built_from.iter().filter(|source| source.depth == 1);
            (json!(direct.map(|source| source.op_id).collect::<Vec<_>>()), None)
        }
        Support::Nothing | Support::UserWord => (json!([]), None),
    };
    let commands: Vec<String> =
        your_word(explaining).into_iter().map(|(command, _)| command).collect();
    json!({
        "necessary": necessary,
        "fewest": fewest.map(|fewest| json!({
            "count": fewest.inputs.len(),
            "inputs": fewest.inputs,
            "band": fewest.band,
            "is_fewest": fewest.is_fewest,
        })),
        "your_word": commands,
    })
}
