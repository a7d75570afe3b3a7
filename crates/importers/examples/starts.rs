//! The starts of the events of calendars in a range of days, a line each, to be compared with
//! another implementation (`docs/eval.md`): `cargo run -p because-importers --example starts --
//! 2000-01-01 2030-12-31 calendar.ics …`. After the name of each file come its problems and starts.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;

use calendar::series::Series;
use importers::{Context, Problem, Sink};
use jiff::civil::Date;
use kernel::evidence::{Evidence, EvidenceKind};

/// Most starts of one series that are printed.
const STARTS_MAX: usize = 100_000;

struct Starts {
    first: Date,
    last: Date,
    /// By the name of the record: a later version supersedes an earlier one.
    starts: BTreeMap<String, Vec<String>>,
    problems: Vec<String>,
}

impl Sink for Starts {
    fn evidence(&mut self, evidence: Evidence) -> ControlFlow<()> {
        let kinds = ["event", EvidenceKind::CANCELLATION];
        if !kinds.contains(&evidence.kind.0.as_str()) {
            return ControlFlow::Continue(());
        }
        let is_within = |date: Date| (self.first..=self.last).contains(&date);
        let starts = match Series::of(&evidence) {
            Some(series) => {
                // A year at a time: one look is bounded.
                let of_year = |year: i16| {
                    let first = jiff::civil::date(year, 1, 1).max(self.first);
                    let last = jiff::civil::date(year, 12, 31).min(self.last);
                    series.between(first, last, STARTS_MAX)
                };
                let found = (self.first.year()..=self.last.year()).flat_map(of_year);
                let mut starts: Vec<String> = found.map(|one| one.at.to_string()).collect();
                // What was cancelled is named by its original start.
                starts.extend(series.cancelled.names().map(str::to_owned));
                starts
            }
            None => {
                let at = evidence.at.filter(|at| is_within(at.date()));
                at.map(|at| at.to_string()).into_iter().collect()
            }
        };
        self.starts.insert(evidence.source_uid, starts);
        ControlFlow::Continue(())
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.problems.push(problem.message);
        ControlFlow::Continue(())
    }

    fn progress(&mut self, _: u64) {}
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut day = || arguments.next().ok_or("two days and files, please");
    let (first, last): (Date, Date) = (day()?.parse()?, day()?.parse()?);
    let importer = importers::by_name("ical").ok_or("no importer of calendars")?;
    let context = Context::new(jiff::Timestamp::now(), jiff::tz::TimeZone::UTC);
    let mut out = std::io::stdout().lock();
    for file in arguments {
        let (of, problems) = (BTreeMap::new(), Vec::new());
        let mut starts = Starts { first, last, starts: of, problems };
        if let Err(error) = importer.import(Path::new(&file), &context, &mut starts) {
            starts.problems.push(error.to_string());
        }
        writeln!(out, "file {file}")?;
        for problem in starts.problems {
            writeln!(out, "problem {problem}")?;
        }
        for start in starts.starts.into_values().flatten() {
            writeln!(out, "start {start}")?;
        }
    }
    Ok(())
}
