//! The interchange form: a ledger as JSON lines, out and in.
//!
//! Lines are in the space's order, so each stands after all it cites. Taking in is idempotent; an
//! operation that cannot be taken (rules 1 to 3) is reported with its line and the rest goes in,
//! except what cites it.

use std::io::{BufRead, Write};

use kernel::body::Body;
use kernel::cascade::Journal;
use kernel::operation::{LINE_BYTES_MAX, Operation, Unverified, Verified, verify_batch};
use kernel::rules::{Verdict, judge_time};
use store::{RecordError, Writing};

use crate::{EngineError, Reader, Writer, now_us};

/// Operations verified and appended at a time.
const BATCH: usize = 1_000;
/// Refusals kept in full.
const REFUSALS_KEPT_MAX: usize = 100;

/// What came of taking in an interchange file.
#[derive(Debug, Default, serde::Serialize)]
pub struct Intake {
    /// Operations that were new.
    pub added: u64,
    /// Operations that were there.
    pub present: u64,
    /// Operations that were refused.
    pub refused: u64,
    /// The first of them.
    pub refusals: Vec<Refusal>,
    /// Whether some were by our own key and were not here. Then more of these may be missing, and
    /// nothing should be signed by itself: it would stand against them under the same number.
    pub restores: bool,
}

/// An operation that was not taken.
#[derive(Debug, serde::Serialize)]
pub struct Refusal {
    /// Its line, from 1.
    pub line: u64,
    /// The stable code.
    pub code: String,
    /// What is wrong.
    pub message: String,
}

impl Reader<'_> {
    /// Writes every operation, in the space's order. Returns how many.
    pub fn export(
        &self,
        output: &mut dyn Write,
        mut progress: impl FnMut(u64),
    ) -> Result<u64, EngineError> {
        let mut count = 0;
        let mut failure = None;
        self.store.in_order(|recorded| {
            let written = writeln!(output, "{}", recorded.operation.to_line());
            count += 1;
            progress(count);
            match written {
                Ok(()) => true,
                Err(error) => {
                    failure = Some(error);
                    false
                }
            }
        })?;
        failure.map_or(Ok(()), Err)?;
        output.flush()?;
        Ok(count)
    }
}

impl Writer<'_> {
    /// Takes in an interchange file of this space.
    pub fn take_in(
        &mut self,
        input: &mut dyn BufRead,
        now: jiff::Timestamp,
        mut progress: impl FnMut(u64),
    ) -> Result<Intake, EngineError> {
        let mut intake = Intake::default();
        let mut lines = Lines { input, number: 0 };
        let mut journal = Journal::default();
        loop {
            let mut batch = Vec::with_capacity(BATCH);
            let mut numbers = Vec::with_capacity(BATCH);
            while batch.len() < BATCH {
                let Some((number, line)) = lines.next()? else { break };
                if line.iter().all(u8::is_ascii_whitespace) {
                    continue;
                }
                match Operation::from_line(&line) {
                    Ok(operation) => {
                        batch.push(operation);
                        numbers.push(number);
                    }
                    Err(error) => intake.refuse(number, "malformed", error.to_string()),
                }
            }
            if batch.is_empty() && lines.is_done()? {
                break;
            }
            self.admit(
                numbers.into_iter().zip(verify_batch(batch)),
                now,
                &mut intake,
                &mut journal,
            )?;
            progress(lines.number);
        }
        // Otherwise what follows is recorded with the next thing that the user does.
        if !intake.restores {
            self.follow(journal, now)?;
        }
        self.advance(|_| {})?;
        Ok(intake)
    }

    /// Takes what verified.
    fn admit(
        &mut self,
        batch: impl Iterator<Item = (u64, Result<Operation<Verified>, kernel::operation::VerifyError>)>,
        now: jiff::Timestamp,
        intake: &mut Intake,
        journal: &mut Journal,
    ) -> Result<(), EngineError> {
        let ours = self.sealer.author();
        let mut writing = self.store.write()?;
        writing.resume(std::mem::take(journal));
        let mut added = 0;
        for (line, verified) in batch {
            let operation = match verified {
                Ok(operation) => operation,
                Err(error) => {
                    intake.refuse(line, error.code(), error.to_string());
                    continue;
                }
            };
            if let Err(violation) = judge_time(operation.header().ts, now_us(now)) {
                intake.refuse(
                    line,
                    violation.code(),
                    format!("operation {}: {violation}", operation.id()),
                );
                continue;
            }
            let body =
                match operation.body().map(|bytes| Body::parse(&operation.header().kind, bytes)) {
                    None => None,
                    Some(Ok(body)) => Some(body),
                    Some(Err(error)) => {
                        intake.refuse(
                            line,
                            "malformed",
                            format!("operation {}: {error}", operation.id()),
                        );
                        continue;
                    }
                };
            match writing.admit(&operation, body.as_ref()) {
                Ok(Verdict::Append) => {
                    added += 1;
                    intake.restores |= operation.header().author == ours;
                }
                Ok(Verdict::Present) => intake.present += 1,
                Err(RecordError::Refused { id, violation }) => {
                    intake.refuse(line, violation.code(), format!("operation {id}: {violation}"));
                }
                Err(RecordError::Store(error)) => return Err(error.into()),
            }
        }
        *journal = writing.suspend();
        Box::new(writing).commit()?;
        intake.added += added;
        Ok(())
    }
}

impl Intake {
    fn refuse(&mut self, line: u64, code: &str, message: String) {
        self.refused += 1;
        if self.refusals.len() < REFUSALS_KEPT_MAX {
            self.refusals.push(Refusal { line, code: code.to_owned(), message });
        }
    }
}

/// The genesis operation at the beginning of an interchange file, verified: what a new copy of the
/// space begins with.
pub fn read_genesis(input: &mut dyn BufRead) -> Result<(Operation<Verified>, Body), EngineError> {
    let refuse = |reason: String| EngineError::Exchange { line: 1, reason };
    let line =
        Lines { input, number: 0 }.next()?.ok_or_else(|| refuse("the file is empty".to_owned()))?.1;
    let operation: Operation<Unverified> =
        Operation::from_line(&line).map_err(|error| refuse(error.to_string()))?;
    let operation = operation.verify().map_err(|error| refuse(error.to_string()))?;
    let body = operation.body().map(|bytes| Body::parse(&operation.header().kind, bytes));
    match body {
        Some(Ok(body @ Body::Space(_))) => Ok((operation, body)),
        _ => Err(refuse("an exported ledger begins with an operation of kind `space`".to_owned())),
    }
}

/// Lines of at most [`LINE_BYTES_MAX`] bytes; a longer one ends the reading.
struct Lines<'a> {
    input: &'a mut dyn BufRead,
    number: u64,
}

impl Lines<'_> {
    fn next(&mut self) -> Result<Option<(u64, Vec<u8>)>, EngineError> {
        use std::io::Read;
        let mut line = Vec::new();
        let mut limited = (&mut *self.input).take(LINE_BYTES_MAX as u64 + 1);
        if limited.read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        if line.len() > LINE_BYTES_MAX {
            let reason = "the line is longer than 4 MiB: this is no exported ledger".to_owned();
            return Err(EngineError::Exchange { line: self.number, reason });
        }
        Ok(Some((self.number, line)))
    }

    fn is_done(&mut self) -> Result<bool, EngineError> {
        Ok(self.input.fill_buf()?.is_empty())
    }
}
