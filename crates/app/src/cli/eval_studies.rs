//! The studies of `because eval`, such as `--ablation`: measurements of recall's parts rather than
//! of its quality.

use models::choice::Choice;
use serde_json::{Value, json};

use super::CliSession;
use super::eval::Subject;
use crate::failure::{Failure, RequestError};
use crate::output::{self, BOLD, DIM, Form};
use eval::abstention::sets::Sets;
use eval::abstention::{self, Example, report};
use eval::answers;
use eval::context;
use eval::tuning::{Spaces, ablation, by_name, fit, held_out};
use eval::{Collection, EvalError};

/// The options, of which at most one may be given.
#[derive(clap::Args)]
#[group(multiple = false)]
pub(super) struct Study {
    /// Instead: switch off each part of the score, one at a time
    #[arg(long)]
    ablation: bool,
    /// Instead: learn weights from all collections but one, and measure them on that one; with
    /// files in several folders, a folder is left out at a time
    #[arg(long)]
    leave_one_out: bool,
    /// Instead: learn the weights from all collections and print them
    #[arg(long)]
    fit: bool,
    /// Instead: measure how well recall recognises questions that memory cannot answer
    #[arg(long)]
    abstention: bool,
    /// Instead: measure whether the sources that `because ask` cites have the answer, and whether
    /// it abstains where there is none
    #[arg(long)]
    ask: bool,
    /// Instead: measure how many answers that recall finds are in the context for the question
    #[arg(long)]
    context: bool,
}

/// The study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chosen {
    Ablation,
    LeaveOneOut,
    Fit,
    Abstention,
    Ask,
    Context,
}

impl Study {
    /// None for the ordinary measurement.
    pub(super) fn chosen(&self) -> Option<Chosen> {
        let flags = [
            (self.ablation, Chosen::Ablation),
            (self.leave_one_out, Chosen::LeaveOneOut),
            (self.fit, Chosen::Fit),
            (self.abstention, Chosen::Abstention),
            (self.ask, Chosen::Ask),
            (self.context, Chosen::Context),
        ];
        flags.into_iter().find(|(is_given, _)| *is_given).map(|(_, chosen)| chosen)
    }
}

/// The result of a study.
struct Findings {
    lines: Vec<String>,
    note: &'static str,
    json: Value,
}

/// Makes a study of the collections and prints it.
pub(super) fn run(
    session: &CliSession,
    collections: &[Collection],
    subject: &Subject,
    choice: Option<&Choice>,
    chosen: Chosen,
) -> Result<(), Failure> {
    if chosen == Chosen::LeaveOneOut && collections.len() < 2 {
        return Err(RequestError::TooFewCollections.into());
    }
    let findings = study(collections, &subject.sets, choice, chosen)?;
    match session.form {
        Form::Json => {
            let mut value = findings.json;
            value["about"] = subject.about.clone();
            value["unit"] = json!(subject.unit);
            output::json(&value)
        }
        Form::Text => {
            output::line(format_args!("{BOLD}{}{BOLD:#}", subject.title))?;
            findings.lines.into_iter().try_for_each(output::line)?;
            output::line(format_args!("{DIM}{}{DIM:#}", findings.note))
        }
    }
}

fn study(
    collections: &[Collection],
    sets: &Sets,
    choice: Option<&Choice>,
    chosen: Chosen,
) -> Result<Findings, EvalError> {
    let mut spaces = Spaces::open(collections, choice)?;
    let weights = spaces.weights();
    let steps = match chosen {
        Chosen::Ablation => ablation::variants(weights).len() as u64,
        Chosen::LeaveOneOut => held_out::steps(collections.len(), sets.group_count()),
        Chosen::Fit => fit::steps(collections.len()),
        Chosen::Abstention | Chosen::Ask | Chosen::Context => collections.len() as u64,
    };
    let bar = output::progress(Some(steps), "{bar:30} {pos}/{len} {eta}");
    let mut step = || bar.inc(1);
    let findings = match chosen {
        Chosen::Ablation => {
            let ablation = ablation::run(&mut spaces, weights, &mut step)?;
            Findings {
                lines: ablation.lines(),
                note: "weights are not refitted for the remaining parts; in %, and in points of R@10 lost",
                json: json!({ "ablation": ablation.json() }),
            }
        }
        Chosen::LeaveOneOut => {
            let found = held_out::run(&mut spaces, sets, &weights, &mut step)?;
            Findings {
                lines: found.lines(),
                note: "in %; the weights in use may have been fitted on these questions, those learnt from the others were not",
                json: json!({ "leave_one_out": found.json() }),
            }
        }
        Chosen::Fit => {
            let places: Vec<usize> = (0..collections.len()).collect();
            let learnt = fit::learn(&mut spaces, &places, sets, &weights, &mut step)?;
            Findings {
                lines: fit::as_source(&learnt),
                note: "learnt from all of these questions: measure them on others (--leave-one-out)",
                json: json!({ "weights": by_name(&learnt) }),
            }
        }
        Chosen::Abstention => abstaining(&abstention::gather(&mut spaces, sets, &mut step)?, sets),
        Chosen::Ask => {
            let examples = answers::gather(&mut spaces, sets, &mut step)?;
            let report = answers::Report::of(&examples, sets);
            Findings {
                lines: report.lines(),
                note: "cites gold: % of the questions with a record that answers among at most 5 \
                    cited sources; abstains: % without a source; sources: mean; foreign: questions \
                    about the next collection of the set",
                json: json!({ "ask": report.json() }),
            }
        }
        Chosen::Context => {
            let rows = context::run(&mut spaces, &mut step)?;
            Findings {
                lines: context::lines(&rows),
                note: "recalled: questions with an answer among the first 5 of recall; served: % \
                    of them with such an answer in the context; records: % of these answers in \
                    it; cut: % of those; tokens: mean",
                json: json!({ "context": context::as_json(&rows) }),
            }
        }
    };
    bar.finish_and_clear();
    Ok(findings)
}

/// The costs and gains of abstaining, for recall as it is and with weights learnt from other
/// collections.
fn abstaining(examples: &[Example], sets: &Sets) -> Findings {
    let (built_in, held_out) =
        (abstention::by_built_in(examples), abstention::held_out(examples, sets.group_count()));
    let in_use = Some(retrieval::rank::relevance::RELEVANCE_MIN);
    let mut reports = vec![report::Report {
        title: "as recall judges",
        judged: &built_in,
        sets: sets.names(),
        in_use,
    }];
    if !held_out.is_empty() {
        reports.push(report::Report {
            title: "learnt from the others",
            judged: &held_out,
            sets: sets.names(),
            in_use,
        });
    }
    let mut lines = Vec::new();
    for report in &reports {
        lines.extend(report.lines());
        lines.push(String::new());
    }
    let mut json =
        json!({ "abstention": reports.iter().map(report::Report::json).collect::<Vec<_>>() });
    if sets.group_count() > 1 {
        let models = abstention::learn::learn(examples);
        let judged = abstention::by_models(examples, &models);
        let title = "learnt from everything";
        let report = report::Report { title, judged: &judged, sets: sets.names(), in_use };
        lines.extend(report.lines());
        lines.push(String::new());
        lines.push("learnt from everything, for the kernel:".to_owned());
        lines.extend(report::as_source(&models));
        json["models"] = json!({ "topic": models.topic, "theirs": models.theirs });
    }
    let note = "each row: the relevance below which recall abstains, and the percentage of each \
        sort that it then refuses; foreign: questions about the next collection of the set";
    Findings { lines, note, json }
}
