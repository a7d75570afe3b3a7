//! The interchange form: export and import of a ledger as JSON lines.
//!
//! Lines are in the space's order, so each follows all operations that it cites. The import is
//! idempotent. An operation that breaks rules 1 to 3 is reported with its line, and the others are
//! imported, except those that cite it.

use std::io::{BufRead, Write};

use kernel::body::Body;
use kernel::cascade::{Journal, Review};
use kernel::declaration::Declaration;
use kernel::ledger_index::LedgerIndex;
use kernel::operation::{LINE_BYTES_MAX, Operation, Unverified, Verified, verify_batch};
use kernel::rules::{Verdict, judge_time};
use store::{RecordError, Writing};

use super::admission::{Admission, Deferred};
use super::fork::{Fork, note_fork};
use super::share::Exported;
use crate::{EngineError, Reader, Writer, now_us};

/// Operations verified and appended at a time.
const BATCH: usize = 1_000;
/// Declarations kept at a time.
const DECLARATIONS_MAX: usize = 16;
/// Refusals kept in full.
const REFUSALS_KEPT_MAX: usize = 100;
/// Most entries in the journal of one walk, about 50 MB. A larger import is walked in parts.
const JOURNAL_MAX: usize = 100_000;
/// Corrections whose ground changed that are proposed for review; more are left out.
const REVIEWS_MAX: usize = 10_000;

/// The result of importing an interchange file.
#[derive(Debug, Default, serde::Serialize)]
pub struct Intake {
    /// Operations that were new.
    pub added: u64,
    /// Operations that were present already.
    pub present: u64,
    /// Of these, the ones whose missing or altered body was filled in.
    pub completed: u64,
    /// New operations that came without their bodies.
    pub without_body: u64,
    /// Operations that were refused.
    pub refused: u64,
    /// The first of them.
    pub refusals: Vec<Refusal>,
    /// Whether some were signed by our own key and were missing here. More of these may be missing,
    /// so nothing should be signed automatically: it could have the same sequence number as one of
    /// them.
    pub restores: bool,
    /// Keys that signed two operations of the same number, the first of each.
    pub forks: Vec<Fork>,
}

/// An operation that was not imported.
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
    /// Writes every operation, in the space's order, and after the first what was declared of
    /// bodies that are missing here.
    ///
    /// # Errors
    /// If `output` cannot be written.
    pub fn export(
        &self,
        output: &mut dyn Write,
        mut progress: impl FnMut(u64),
    ) -> Result<Exported, EngineError> {
        let mut shared = Exported::default();
        self.store.in_order(|recorded| {
            shared.missing += u64::from(recorded.operation.body().is_none());
            let Some(operation) = shared.as_signed(recorded.operation) else { return Ok(()) };
            writeln!(output, "{}", operation.to_line())?;
            shared.operations += 1;
            progress(shared.operations);
            match shared.operations {
                1 => self.write_declarations(output),
                _ => Ok(()),
            }
        })?;
        output.flush()?;
        Ok(shared)
    }
}

impl Writer<'_> {
    /// Imports an interchange file of this space.
    ///
    /// # Errors
    /// If `input` cannot be read or has a line longer than [`LINE_BYTES_MAX`]. What was taken in
    /// before that stays. The result has what is refused.
    pub fn take_in(
        &mut self,
        input: &mut dyn BufRead,
        now: jiff::Timestamp,
        progress: impl FnMut(u64),
    ) -> Result<Intake, EngineError> {
        self.take_in_walking(input, now, JOURNAL_MAX, progress)
    }

    /// What [`Self::take_in`] would do. Nothing is written.
    pub fn rehearse_take_in(
        &mut self,
        input: &mut dyn BufRead,
        now: jiff::Timestamp,
        progress: impl FnMut(u64),
    ) -> Result<Intake, EngineError> {
        self.on_copy(|writer| writer.take_in(input, now, progress))
    }

    /// Takes in, with a walk whenever the journal has `journal_max` entries.
    fn take_in_walking(
        &mut self,
        input: &mut dyn BufRead,
        now: jiff::Timestamp,
        journal_max: usize,
        mut progress: impl FnMut(u64),
    ) -> Result<Intake, EngineError> {
        let mut intake = Intake::default();
        let mut lines = Lines::new(input);
        let mut journal = Journal::default();
        let mut reviews = Vec::new();
        let mut admission = Admission::default();
        loop {
            let mut declarations = Vec::new();
            let mut batch = Vec::with_capacity(BATCH);
            let mut numbers = Vec::with_capacity(BATCH);
            while batch.len() < BATCH && declarations.len() < DECLARATIONS_MAX {
                let Some((number, line)) = lines.next()? else { break };
                if line.iter().all(u8::is_ascii_whitespace) {
                    continue;
                }
                if Declaration::is_line(&line) {
                    match Declaration::from_line(&line) {
                        Ok(declaration) => declarations.push((number, declaration)),
                        Err(error) => intake.refuse(number, error.code(), error.to_string()),
                    }
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
            if batch.is_empty() && declarations.is_empty() && lines.is_done()? {
                break;
            }
            self.admit(
                numbers.into_iter().zip(verify_batch(batch)),
                declarations,
                &mut admission,
                now,
                &mut intake,
                &mut journal,
            )?;
            if admission.is_full() {
                intake.completed += admission.complete(self.store)?;
            }
            if journal.len() >= journal_max {
                let room = REVIEWS_MAX.saturating_sub(reviews.len());
                let walked = self.walk(std::mem::take(&mut journal))?;
                reviews.extend(walked.into_iter().take(room));
            }
            progress(lines.number);
        }
        let deferred = admission.end(&self.store.ledger_index()?)?;
        let mut deferred = deferred.into_iter().peekable();
        while deferred.peek().is_some() {
            let batch = deferred.by_ref().take(BATCH);
            let batch = batch.map(|Deferred { line, operation }| (line, Ok(operation)));
            self.admit(batch, Vec::new(), &mut admission, now, &mut intake, &mut journal)?;
        }
        intake.completed += admission.complete(self.store)?;
        for (line, author) in admission.finish(self.store, intake.completed)? {
            let message = format!(
                "the declaration of {author} does not count: the key holds no capability here"
            );
            intake.refuse(line, "not_permitted", message);
        }
        // Otherwise what follows is recorded with the next thing that the user does.
        if intake.restores {
            self.erase_redacted()?;
        } else {
            self.follow(journal, &reviews, now)?;
        }
        self.advance(|_| {})?;
        Ok(intake)
    }

    /// The corrections that need a review, according to a journal. Nothing is recorded, since more
    /// operations of our own key may follow. Invalidations that are due stay due.
    fn walk(&mut self, journal: Journal) -> Result<Vec<Review>, EngineError> {
        let mut writing = self.store.write()?;
        writing.defer_erasure();
        writing.resume(journal);
        Ok(writing.follow()?.reviews)
    }

    /// Imports the verified operations.
    fn admit(
        &mut self,
        batch: impl Iterator<Item = (u64, Result<Operation<Verified>, kernel::operation::VerifyError>)>,
        declarations: Vec<(u64, Declaration)>,
        admission: &mut Admission,
        now: jiff::Timestamp,
        intake: &mut Intake,
        journal: &mut Journal,
    ) -> Result<(), EngineError> {
        let ours = self.sealer.author();
        let mut writing = self.store.write()?;
        writing.defer_erasure();
        writing.resume(std::mem::take(journal));
        admission.begin(&mut writing, declarations)?;
        let (mut added, mut without_body) = (0, 0);
        let mut restores = false;
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
            if let Some(refused) = admission.refusal(&writing, &operation)? {
                let Some(operation) = admission.defer(line, operation) else { continue };
                let message = format!("operation {}: {refused}", operation.id());
                intake.refuse(line, refused.code(), message);
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
                    without_body += u64::from(operation.body().is_none());
                    restores |= operation.header().author == ours;
                    admission.note_added(&writing, &operation)?;
                }
                Ok(Verdict::Present) => {
                    intake.present += 1;
                    admission.note_present(&writing, operation)?;
                }
                Err(RecordError::Refused { id, violation }) => {
                    let Some(operation) = admission.defer(line, operation) else { continue };
                    note_fork(&mut intake.forks, operation.header(), &violation, id, ours);
                    intake.refuse(line, violation.code(), format!("operation {id}: {violation}"));
                }
                Err(RecordError::Store(error)) => return Err(error.into()),
            }
        }
        // In the same transaction, so that no kill leaves our operations without the note.
        if restores && let Some(head) = writing.head(&ours)? {
            writing.note_restored(&ours, head.seq)?;
        }
        *journal = writing.suspend();
        Box::new(writing).commit()?;
        intake.restores |= restores;
        intake.added += added;
        intake.without_body += without_body;
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
///
/// # Errors
/// If the file is empty, or its first line is not a valid operation of the kind `space`, with its
/// body.
pub fn read_genesis(input: &mut dyn BufRead) -> Result<(Operation<Verified>, Body), EngineError> {
    let refuse = |reason: String| EngineError::Exchange { line: 1, reason };
    let line = Lines::new(input).next()?.ok_or_else(|| refuse("the file is empty".to_owned()))?.1;
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
pub(super) struct Lines<'a> {
    input: &'a mut dyn BufRead,
    number: u64,
}

impl<'a> Lines<'a> {
    pub(super) fn new(input: &'a mut dyn BufRead) -> Self {
        Self { input, number: 0 }
    }

    pub(super) fn next(&mut self) -> Result<Option<(u64, Vec<u8>)>, EngineError> {
        use std::io::Read;
        let mut line = Vec::new();
        let mut limited = (&mut *self.input).take(LINE_BYTES_MAX as u64 + 1);
        if limited.read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        if line.len() > LINE_BYTES_MAX {
            let reason = "the line is longer than 4 MiB: this is not an exported ledger".to_owned();
            return Err(EngineError::Exchange { line: self.number, reason });
        }
        Ok(Some((self.number, line)))
    }

    fn is_done(&mut self) -> Result<bool, EngineError> {
        Ok(self.input.fill_buf()?.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use derivers::{Candidate, ClaimType, Deriver, Input, Record};
    use kernel::body::{Correction, Reason};
    use kernel::confidence::Basis;
    use kernel::evidence::{Evidence, Payload, Visibility};
    use kernel::kind::{Capability, Kind};
    use kernel::operation::{Ref, Role};
    use kernel::seal::{Draft, Signer};
    use serde_json::json;

    use super::*;
    use crate::Space;
    use crate::derive::Extent;
    use crate::write::import::Intent;

    /// Claims `org.example.note|TEXT` for each note.
    struct Repeating;

    impl Deriver for Repeating {
        fn name(&self) -> &'static str {
            "repeating"
        }
        fn version(&self) -> &'static str {
            "1.0.0"
        }
        fn claim_types(&self) -> &[ClaimType] {
            &[ClaimType { name: "org.example.note", prior: 0.5 }]
        }
        fn groups(&self, record: &Record) -> std::collections::BTreeSet<String> {
            record.evidence().map(|evidence| evidence.payload.text.clone()).into_iter().collect()
        }
        fn derive(&self, group: &str, records: &[Record]) -> Vec<Candidate> {
            let inputs = records.iter().map(|record| Input { id: record.id, role: "counted" });
            vec![Candidate {
                claim_type: "org.example.note".to_owned(),
                identity_key: format!("org.example.note|{group}"),
                text: group.to_owned(),
                payload: json!(group),
                inputs: inputs.collect(),
                basis: Basis::new(0.5),
                rationale: String::new(),
                valid_from: None,
                valid_to: None,
                last_seen: None,
                tags: Vec::new(),
            }]
        }
    }

    fn at(second: i64) -> jiff::Timestamp {
        jiff::Timestamp::from_second(1_760_000_000 + second).unwrap()
    }

    fn exported(space: &Space) -> Vec<u8> {
        let mut lines = Vec::new();
        space.export(&mut lines, |_| {}).unwrap();
        lines
    }

    fn note(number: i64) -> Evidence {
        let text = number.to_string();
        Evidence {
            source: "test".into(),
            source_uid: text.clone(),
            kind: "note".into(),
            actor: None,
            at: None,
            summary: text.clone(),
            visibility: Visibility::Project,
            payload: Payload { text, ..Payload::default() },
        }
    }

    #[test]
    fn a_walk_in_parts_records_what_one_walk_does() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let key = Signer::from_seed([2; 32]);
        let mut owner =
            Space::create(&path("owner"), Signer::from_seed([1; 32]), "test", at(0)).unwrap();
        owner.set_derivers(vec![Box::new(Repeating)]);
        let rights = vec![Capability::Append, Capability::Derive, Capability::Correct];
        owner.change_access(key.author(), "copy", rights, true, at(1)).unwrap();
        let acting = |space: &mut Space, body: Body, target| {
            let refs = vec![Ref { id: target, role: Role::parse(Role::TARGET).unwrap() }];
            space.append(Draft { body, refs }, at(3)).unwrap()
        };
        for number in 0..6 {
            owner.remember(note(number), at(2)).unwrap();
        }
        owner.derive(Extent::Changed, Intent::Write, at(2), |_| {}).unwrap();
        let corrected = Correction {
            identity_key: "org.example.note|1".to_owned(),
            corrected_payload: json!("one"),
            text: None,
            note: String::new(),
        };
        let claim = owner.believed("org.example.note|1").unwrap().served.unwrap();
        acting(&mut owner, Body::ClaimCorrection(corrected), claim);
        let before = exported(&owner);
        for number in 0..3 {
            let key = format!("org.example.note|{number}");
            let current = owner.believed(&key).unwrap().current.unwrap();
            let refs = owner.show(&current).unwrap().operation.header().refs.clone();
            let retraction = Body::EvidenceRetraction(Reason { reason: String::new() });
            acting(&mut owner, retraction, refs.first().unwrap().id);
        }
        let after = exported(&owner);
        let recorded = |name: &str, journal_max: usize| {
            let (genesis, body) = read_genesis(&mut before.as_slice()).unwrap();
            let signer = Signer::from_seed([2; 32]);
            let mut copy = Space::copy_of(&path(name), &genesis, &body, signer).unwrap();
            copy.take_in(&mut before.as_slice(), at(4), |_| {}).unwrap();
            copy.writer()
                .take_in_walking(&mut after.as_slice(), at(5), journal_max, |_| {})
                .unwrap();
            let mut kinds: Vec<(Kind, Vec<Ref>)> = Vec::new();
            copy.reader()
                .unwrap()
                .store
                .in_order(|recorded| {
                    let header = recorded.operation.header();
                    if header.author == copy.author() {
                        kinds.push((header.kind.clone(), header.refs.clone()));
                    }
                    Ok::<_, EngineError>(())
                })
                .unwrap();
            kinds
        };
        let at_once = recorded("at_once", JOURNAL_MAX);
        let kinds: Vec<&str> = at_once.iter().map(|(kind, _)| kind.as_str()).collect();
        assert_eq!(kinds, ["claim_invalidation", "claim_invalidation", "proposal"]);
        assert_eq!(recorded("in_parts", 1), at_once);
    }
}
