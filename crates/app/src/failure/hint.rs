//! Hints for people at a command line: the command that fixes a failure.
//!
//! The crates below know neither commands nor options, and other front ends offer other means
//! (`mcp/failures.rs` words the same codes for agents). So what to type after a failure is named
//! here; a warning, or a failure that knows more of its case, brings its hint along.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use engine::EngineError;
use engine::belief::user::UserError;
use engine::write::graph::RefusedChange;
use kernel::kind::Kind;
use kernel::rules::RuleViolation;
use models::choice::Selection;
use models::hub::HubError;
use models::language::LanguageError;
use serde::de::IgnoredAny;
use store::{RecordError, StoreError};

use super::{ArchiveError, Failure, RequestError, ThoughtRefusal};
use crate::place::GLOBAL;
use crate::text::{path, quoted};

/// What to type after a failure.
pub(super) fn of(failure: &Failure) -> Option<String> {
    match failure {
        Failure::Engine(error) => of_engine(error),
        Failure::Request(RequestError::Usage { hint, .. }) => {
            Some(hint.clone()).filter(|hint| !hint.is_empty())
        }
        Failure::Request(RequestError::NotInGraph { found: Some(found), .. }) => {
            Some(found.instead.clone())
        }
        Failure::Request(RequestError::NotTrusted { .. }) => {
            Some("`because trust --list` lists them".to_owned())
        }
        Failure::Request(RequestError::UntrustedSpace { path: file, .. }) => Some(format!(
            "`--space global` uses your home space; if you know who made this one, `because trust {}` uses it from now on",
            quoted(&path(file))
        )),
        Failure::NotYourSpace { key, capability, .. } => Some(format!(
            "the owner of the space can allow it: because grant {key} --can {}; `--space global` uses your home space",
            capability.as_str()
        )),
        Failure::Request(error) => of_request(error).map(str::to_owned),
        Failure::Thought(ThoughtRefusal::MinConsolidation) => {
            Some("`because thought combine ID,ID TEXT` takes ids with commas between them".to_owned())
        }
        Failure::Archive(ArchiveError::Unsupported { .. }) => {
            Some("a newer version of the program may read it".to_owned())
        }
        Failure::Archive(ArchiveError::Changed { .. } | ArchiveError::Missing { .. }) => {
            Some("`because maintain export` archives what is still in the space again".to_owned())
        }
        Failure::Agent(error) => Some(format!(
            "`because grant {} --can append --can derive`, with a key that may grant",
            error.key()
        )),
        Failure::Interrupted { .. } => {
            Some("nothing that was recorded is lost; the same command goes on from there".to_owned())
        }
        // The name tells as much as the content, which is not read again for a hint.
        Failure::UnknownFormat { path: file, .. }
            if file.extension().is_some_and(|of| of.eq_ignore_ascii_case("db")) =>
        {
            let file = quoted(&path(file));
            Some(format!(
                "the file of a space is not imported but used: `because --space {file} status`; `because --space {file} export` writes what another space of the same origin takes in"
            ))
        }
        Failure::UnknownFormat { path: file, .. } => Some(of_unknown_format(file)),
        Failure::NoSpace => Some(
            "`because init` makes one in this folder, `because init --global` makes your home space"
                .to_owned(),
        ),
        Failure::NoSpaceThere { named: Some(named), .. } if named == GLOBAL => {
            Some("`because init --global` makes it".to_owned())
        }
        Failure::NoSpaceThere { named: Some(named), .. } => {
            Some(format!("`because init --space {}` makes it", quoted(named)))
        }
        Failure::Hub(HubError::TooLarge { .. }) => Some("--max-size raises the limit".to_owned()),
        Failure::Hub(HubError::NotHere { name }) => Some(format!(
            "`because model list` lists the installed models, `because model pull {name}` fetches it"
        )),
        Failure::Embedding { code, model, .. } => Some(of_model(code, model)),
        Failure::LanguageModel(error) => Some(of_language_model(error).to_owned()),
        _ => None,
    }
}

fn of_request(error: &RequestError) -> Option<&'static str> {
    match error {
        RequestError::SeveralSpaces => Some("name only one with --space"),
        RequestError::AssignmentMalformed { .. } => Some("--correct takes KEY=JSON"),
        RequestError::LedgerWithoutSpace => Some(
            "`--space FILE` names the file of a new copy, `--space global` makes it your home space",
        ),
        RequestError::NoHooks { .. } => Some("install its server without --hook"),
        RequestError::SpaceOutsideProject { .. } => Some(
            "name none, and each finds the space of the folder or their own; or `--space global`",
        ),
        RequestError::NoProject { .. } => {
            Some("`because init` makes a space for this folder; or leave out `--scope project`")
        }
        RequestError::TextTooLarge { .. } => Some("`because import` takes longer ones"),
        RequestError::Key(_) => Some("`because key` prints the key of a device"),
        RequestError::NoLanguageModel => {
            Some("choose one: --language-model MODEL, or `model` under [language_model]")
        }
        RequestError::NoSuchSetting { .. } => Some("`because settings show` lists them"),
        RequestError::UnknownEntity { .. } => Some("`because kg search WORDS` finds entities"),
        RequestError::NoSuchPatch { .. } => Some(
            "name a file by its path, or a patch by its id: `because patch list --all` lists them",
        ),
        RequestError::TwoTables => Some("`--out FOLDER` writes both, `--table edges` prints one"),
        RequestError::ExportTooLarge { .. } => {
            Some("export fewer types at a time; `because kg export` writes files of any length")
        }
        RequestError::AmbiguousToken { .. } => Some("give the id of one"),
        RequestError::NoSuchToken { .. } => Some("`because token list` lists them"),
        RequestError::EmptyTurns => Some("give turns with --turn, or a question with --question"),
        RequestError::RecordOfUser => Some("the user can do it: `because correct ID --text TEXT`"),
        RequestError::NothingSelected => {
            Some("name records by their ids, or describe them, as with --source or --month")
        }
        RequestError::Unconfirmed { .. } => {
            Some("--dry-run shows what would change, --yes goes on without a question")
        }
        RequestError::NoteForgotten { .. } => Some("without --at it is a new note"),
        RequestError::NoSuchRecords { .. } => {
            Some("`because status` counts the records of each kind")
        }
        _ => None,
    }
}

/// Why a source may be of no known format, if that can be seen, or how it may be read.
fn of_unknown_format(source: &Path) -> String {
    const NAME_IT: &str = "`--format` names the format";
    const AS_TEXT: &str = "`--format text` reads it as plain text";
    if source.is_dir() {
        let is_empty = source.read_dir().is_ok_and(|mut entries| entries.next().is_none());
        return if is_empty { "the folder is empty" } else { NAME_IT }.to_owned();
    }
    if !source.is_file() {
        return NAME_IT.to_owned();
    }
    if !source.extension().is_some_and(|of| of.eq_ignore_ascii_case("json")) {
        return AS_TEXT.to_owned();
    }
    let Ok(file) = File::open(source) else { return NAME_IT.to_owned() };
    match serde_json::from_reader::<_, IgnoredAny>(BufReader::new(file)) {
        Ok(_) => AS_TEXT.to_owned(),
        Err(error) => {
            format!("the file is not valid JSON ({error}); export or copy it again, or {AS_TEXT}")
        }
    }
}

/// What to type so that an item of a source is read whole that was left out or read in part.
pub(crate) fn of_problem(message: &str) -> Option<&'static str> {
    message.ends_with(importers::SAY_DAY_ORDER).then_some("--day-first or --month-first says it")
}

/// The code of a statement that the user refuted.
const IDENTITY_REFUTED: &str = "identity_refuted";

fn of_engine(error: &EngineError) -> Option<String> {
    Some(match error {
        EngineError::Record(RecordError::Refused {
            violation: RuleViolation::NotPermitted { author, capability },
            ..
        }) => format!(
            "the owner of the space can allow it: because grant {author} --can {}",
            capability.as_str()
        ),
        EngineError::Store(error) | EngineError::Record(RecordError::Store(error)) => match error {
            StoreError::Damaged { .. } => {
                "`because verify` names what is affected, if the file can still be opened; \
                a copy of the file, or an export imported into a new space, replaces it"
                    .to_owned()
            }
            StoreError::Exists { .. } => "it is ready to use: `because status` shows it".to_owned(),
            _ => return None,
        },
        EngineError::UnknownId { .. } => {
            "`because log` lists what was recorded, `because claims` the beliefs".to_owned()
        }
        EngineError::NotRecordedThen { .. } => {
            "a later time of --as-of shows it; without --as-of it is shown as it is now".to_owned()
        }
        EngineError::UnknownReceipt { .. } | EngineError::AmbiguousReceipt { .. } => {
            "`because receipts` lists them".to_owned()
        }
        EngineError::Altered { .. } => {
            "the file is damaged or was edited: `because verify` names what is wrong; importing \
            a whole export of the space puts back altered text"
                .to_owned()
        }
        EngineError::UnknownBelief { name, .. } if name.contains(char::is_whitespace) => {
            let words = quoted(name.trim());
            format!("`because claims --contains {words}` finds beliefs by their words")
        }
        EngineError::UnknownBelief { .. } => "`because claims` lists the beliefs".to_owned(),
        EngineError::NotABelief { id, .. } => {
            let id = id.short();
            format!("`because show {id}` shows it; `because claims` lists the beliefs")
        }
        EngineError::CannotForget { id, kind: Kind::Claim } => {
            let id = id.short();
            format!("`because explain {id}` names the records that it stands on")
        }
        EngineError::NotArchived { .. } => {
            "`because maintain export` archives them first".to_owned()
        }
        EngineError::NotAnImport { .. } => "`because imports` lists them".to_owned(),
        EngineError::Graph(refused) => match refused.as_slice() {
            [RefusedChange { refusal, .. }] => return of_graph(refusal.code()).map(str::to_owned),
            _ => return None,
        },
        EngineError::User(error) => return of_user(error).map(str::to_owned),
        _ => return None,
    })
}

/// What to type after a change of the graph that was refused.
fn of_graph(code: &str) -> Option<&'static str> {
    Some(match code {
        IDENTITY_REFUTED => {
            "`because withdraw KEY` takes the refutation back; `because claims --state refuted` \
             lists the keys"
        }
        "stale_input" | "stale_end" => {
            "`because show ID` says what became of it; name what stands in its place, or the \
             correction of it"
        }
        "not_active" => "`because show ID` says what stands in its place",
        "self_edge" => "both are the same record, so there is nothing to replace or to join",
        "different_kinds" => "replace a claim by a claim, and a node by a node",
        _ => return None,
    })
}

fn of_user(error: &UserError) -> Option<&'static str> {
    match error {
        UserError::CorrectsRefuted { .. } => {
            Some("`because withdraw` takes the refutation back; then it can be corrected")
        }
        UserError::Derived { .. } => Some(
            "`because refute` marks it as false, `because correct` replaces it, and `because retract` takes back a record that it was built from",
        ),
        UserError::TextAlone { .. } => {
            Some("--set FIELD=VALUE changes a field; --text then says the same in words")
        }
        UserError::StatedInWords { .. } => Some("--text gives the right ones"),
        UserError::TextContradicts { .. } => Some(
            "leave out --set to take the data from the text, or --text to keep the usual words",
        ),
        UserError::AlreadyRetracted { .. } => Some("`because restore` takes the retraction back"),
        UserError::Forgotten { .. } => Some(
            "`because import --again` of its source, or `because remember`, records the text anew",
        ),
        UserError::NothingToWithdraw { .. } => {
            Some("`because restore` takes a retraction back, if it was retracted")
        }
        UserError::UsersWord { .. } => Some("`because withdraw` takes it back"),
        UserError::StandsCorrected { .. } => {
            Some("`because withdraw` takes the correction back, and `because correct` replaces it")
        }
        UserError::PayloadMalformed { .. } => Some("in a shell, put it between single quotes"),
        UserError::NoReview { .. } => Some("`because review list` lists them"),
        _ => None,
    }
}

/// What to do about a model that does not answer, by the code of [`models::EmbedError`].
pub(crate) fn of_model(code: &str, model: &Selection) -> String {
    let advice = match code {
        "embedder_unreachable" | "embedder_timed_out" => {
            "check that it is running, that the address is right and that there is a network; until then recall uses the built-in model"
        }
        "embedder_rate_limited" | "embedder_failed" => {
            "try again later; until then recall uses the built-in model"
        }
        "embedder_refused" => {
            "check the key, the model's name and, if you set one, base_url (for most servers it ends in /v1)"
        }
        "embedder_wrong_dimensions" => {
            "remove `dimensions` from your configuration, or set it to a number that the model supports"
        }
        "embedder_unreadable" => "check in base_url that this is the right server",
        "model_unusable" => {
            let fetch = match model {
                Selection::Downloaded(name) => format!("`because model pull {name}` fetches it, "),
                _ => "fix the problem that it names; ".to_owned(),
            };
            return format!(
                "{fetch}`because model list` lists the installed models, --embedder built-in needs none"
            );
        }
        _ => "`because doctor` tries it",
    };
    advice.to_owned()
}

fn of_language_model(error: &LanguageError) -> &'static str {
    match error {
        LanguageError::Unreachable { .. } => {
            "check that it is running, that base_url is right and that there is a network"
        }
        LanguageError::TimedOut { .. } => {
            "try again, or allow more time: timeout_s under [language_model]"
        }
        LanguageError::RateLimited { .. } | LanguageError::Failed { .. } => "try again later",
        LanguageError::Refused { .. } => {
            "check the key, the model's name and, if you set one, base_url (for most servers it \
             ends in /v1); `because model test` tries it again"
        }
        LanguageError::Declined { .. } => "another model may answer: --language-model MODEL",
        LanguageError::Truncated { .. } => {
            "allow longer answers: max_output_tokens under [language_model]"
        }
        LanguageError::InvalidAnswer { .. } => {
            "the model may be too small to answer in a given form; --language-model MODEL names \
             another"
        }
        LanguageError::Unreadable { .. } => "check in base_url that this is the right server",
        LanguageError::RequestTooLarge { .. } => "ask about less at once",
    }
}

/// What to do about a finding of `because verify`, by its code.
pub(crate) fn of_finding(code: &str) -> Option<&'static str> {
    match code {
        "view_differs" => Some("`because rebuild` folds it again"),
        "body_missing" => Some("`because import` of a whole export completes it"),
        "belief_differs" | "belief_missing" => {
            Some("`because derive --full` corrects the beliefs from the records")
        }
        _ => None,
    }
}
