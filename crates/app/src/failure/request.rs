//! Invalid requests, by what is wrong with them.
//!
//! Every front end (the command line, the tools for agents, HTTP) refuses the same request with the
//! same code and message. So messages name neither commands nor options; [`super::hint`] says what
//! to type.

use std::path::PathBuf;

use kernel::id::{NameError, OpId};

use super::Fault;
use crate::text::{path, printable};

/// Why a request cannot be carried out as it is.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RequestError {
    /// The command line is invalid.
    #[error("{message}")]
    Usage {
        /// What is wrong with it.
        message: String,
        /// How it is used.
        hint: String,
    },
    /// Several spaces were named where one is needed.
    #[error("this works on one space at a time, and several are named")]
    SeveralSpaces,
    /// An environment variable has an invalid value.
    #[error("{name} {detail}")]
    Variable {
        /// The variable.
        name: &'static str,
        /// What is wrong with its value.
        detail: &'static str,
    },
    /// A time cannot be parsed.
    #[error("{text:?} is not a time: write {forms}")]
    TimeMalformed {
        /// The time, cut.
        text: String,
        /// What is accepted.
        forms: &'static str,
    },
    /// A time cannot be converted to an instant.
    #[error("{text:?} is out of the range of times")]
    TimeTooFar {
        /// The time.
        text: String,
    },
    /// A window of time that is empty.
    #[error("{since:?} is not before {until:?}: nothing lies between them")]
    EmptyWindow {
        /// Its beginning.
        since: String,
        /// Its end.
        until: String,
    },
    /// A question without text.
    #[error("the question is empty")]
    EmptyQuestion,
    /// A note without text.
    #[error("the text is empty")]
    EmptyText,
    /// An operation that is not in the graph, or not what a command is for.
    #[error("{id} is {}not {wanted}", found_in_words(found.as_ref()))]
    NotInGraph {
        /// The operation.
        id: OpId,
        /// What it should be.
        wanted: &'static str,
        /// What it is, if another command is for that.
        found: Option<OtherRecord>,
    },
    /// Neither the name of an entity nor the id of a record.
    #[error("no entity is named {name:?}, and no record has an id that begins with it")]
    UnknownEntity {
        /// The name, cut.
        name: String,
    },
    /// CSV is two tables, and one stream was asked for.
    #[error("csv is two tables, one of nodes and one of edges")]
    TwoTables,
    /// An export that is one answer is longer than an answer may be.
    #[error("the export is longer than {mib_max} MiB")]
    ExportTooLarge {
        /// The limit.
        mib_max: usize,
    },
    /// A patch that is not in the documented form.
    #[error("this is not a patch: {detail}")]
    PatchMalformed {
        /// What is wrong.
        detail: String,
    },
    /// A patch of too many operations.
    #[error("the patch has {found} operations; at most {limit} are applied at a time")]
    PatchTooLong {
        /// How many there are.
        found: usize,
        /// How many there may be.
        limit: usize,
    },
    /// A request that only a language model can answer, and none is chosen.
    #[error("no language model is chosen")]
    NoLanguageModel,
    /// Neither a file nor a patch has this name.
    #[error("there is neither a file nor a patch {name:?}")]
    NoSuchPatch {
        /// The name, cut.
        name: String,
    },
    /// The operation is not a patch.
    #[error("{id} is not a patch")]
    NotAPatch {
        /// The operation.
        id: OpId,
    },
    /// The patch was decided, or was never applied.
    #[error("the patch {id} is {status}; nothing was written")]
    PatchSettled {
        /// The patch.
        id: OpId,
        /// Its status.
        status: &'static str,
    },
    /// What a candidate stands for is not in the graph.
    #[error("the candidate {id} was not accepted: {detail}")]
    CandidateUnresolved {
        /// The candidate.
        id: OpId,
        /// What is missing.
        detail: String,
    },
    /// A confidence beyond 0 to 1.
    #[error("{given} is not a probability: write a number from 0 to 1")]
    NotAProbability {
        /// What was given.
        given: f64,
    },
    /// A key of a setting cannot be parsed.
    #[error(
        "{given:?} is not the key of a setting: a letter, then letters, digits, _, - and ., in lower case, at most 64"
    )]
    SettingKeyMalformed {
        /// What was given.
        given: String,
    },
    /// A setting cannot have this value.
    #[error("{key} cannot be {given:?}; it can be {allowed}")]
    SettingValue {
        /// The setting.
        key: String,
        /// What was given.
        given: String,
        /// What is allowed.
        allowed: String,
    },
    /// Nothing is recorded of a setting, and the program does not know it.
    #[error("the setting {key} does not exist")]
    NoSuchSetting {
        /// Its key.
        key: String,
    },
    /// A context without turns and without a question.
    #[error("neither turns nor a question was given")]
    EmptyTurns,
    /// A correction without a new value.
    #[error("the correction does not say what is true instead: it has neither fields nor text")]
    EmptyCorrection,
    /// The space is not in the list of trusted ones.
    #[error("{space} is not among the spaces that you trust; nothing was changed")]
    NotTrusted {
        /// The space.
        space: String,
    },
    /// The folder's space was made by somebody else.
    #[error("the space {} of this folder is somebody else's: {owner} owns it, and no key of yours has signed in it", path.display())]
    UntrustedSpace {
        /// The space.
        path: PathBuf,
        /// Its owner.
        owner: String,
    },
    /// An agent asks to replace a record that is not its own, and nobody can be asked.
    #[error("this record is not yours to replace, and the user cannot be asked here")]
    RecordOfUser,
    /// A correction without a quotation of the user.
    #[error("the note is empty: it must quote the user")]
    EmptyNote,
    /// A name or tag is too long.
    #[error("a name or tag has at most {bytes_max} bytes")]
    NameTooLong {
        /// The limit.
        bytes_max: usize,
    },
    /// A note has too many tags.
    #[error("a note has at most {tags_max} tags, and this one has {tags}")]
    TooManyTags {
        /// How many it has.
        tags: usize,
        /// The limit.
        tags_max: usize,
    },
    /// A tag that would make a setting or a value of what an agent states.
    #[error("the tag {tag:?} is kept for what the user sets")]
    ReservedTag {
        /// The tag.
        tag: String,
    },
    /// A type that does not exist.
    #[error("{detail}")]
    UnknownType {
        /// The problem.
        detail: String,
    },
    /// An actor that could be the user or the agent.
    #[error("the actor {actor:?} could be the user or the agent")]
    AmbiguousActor {
        /// What was given.
        actor: String,
    },
    /// A number outside its limits.
    #[error("{name} is {number}; it can be {min} to {max}")]
    OutOfRange {
        /// The argument.
        name: &'static str,
        /// Its value.
        number: u32,
        /// The least.
        min: u32,
        /// The most.
        max: u32,
    },
    /// A note longer than a record can be.
    #[error("the text is larger than {mib} MiB")]
    TextTooLarge {
        /// The limit.
        mib: u64,
    },
    /// The input is larger than the limit.
    #[error("{input} is larger than {mib} MiB")]
    InputTooLarge {
        /// The file, or another name of the input.
        input: String,
        /// The limit.
        mib: u64,
    },
    /// Input that is not text.
    #[error("{input} is not UTF-8")]
    InputNotUtf8 {
        /// The file, or another name of the input.
        input: String,
    },
    /// A line of a file of turns cannot be parsed.
    #[error(
        "line {line} of {input} is not a turn; a turn is one line of JSON as {{\"speaker\":\"Mara\",\"text\":\"Is it hot?\"}} (also role, content), or `Mara: Is it hot?`"
    )]
    TurnMalformed {
        /// The file.
        input: String,
        /// The line, from 1.
        line: usize,
    },
    /// A key cannot be parsed.
    #[error(transparent)]
    Key(NameError),
    /// `KEY=JSON` without the `=`.
    #[error("{text:?} does not name a belief and its new value: it has no `=`")]
    AssignmentMalformed {
        /// What was given.
        text: String,
    },
    /// An action on records without any that is named or described.
    #[error("no record is named, and none is described")]
    NothingSelected,
    /// Nothing is restored from an archive that is not named.
    #[error("no archive is named: `archive` takes the name of the file that the export made")]
    NoArchive,
    /// An action that nobody confirmed.
    #[error(
        "this has to be confirmed, and nobody can be asked here; nothing was written{}",
        built_on_in_words(built_on)
    )]
    Unconfirmed {
        /// Later work that may fall with it, if that is why.
        built_on: Vec<OpId>,
    },
    /// There is no record of this description.
    #[error("no record {which}{}", or_is_one_of(near))]
    NoSuchRecords {
        /// Which records were asked for.
        which: String,
        /// Names that may be meant.
        near: Vec<String>,
    },
    /// The same note, of the same time, was forgotten.
    #[error(
        "the same note of the same time was forgotten ({}), so it was not written again",
        id.short()
    )]
    NoteForgotten {
        /// The forgotten record.
        id: kernel::id::OpId,
    },
    /// Sources of a format may lack what was not deleted.
    #[error(
        "a source of the format {format} cannot be mirrored: what it lacks need not have been deleted"
    )]
    NotMirrorable {
        /// The format.
        format: &'static str,
    },
    /// No format has this name.
    #[error("the format {name:?} does not exist; the formats are: {}", known.join(", "))]
    NoSuchFormat {
        /// What was given.
        name: String,
        /// The known formats.
        known: Vec<&'static str>,
    },
    /// No model of this name has embedded the space.
    #[error(
        "no model {} has embedded this space; the models are: {}",
        printable(name),
        list(known)
    )]
    NoSuchModel {
        /// What was given.
        name: String,
        /// The models that have.
        known: Vec<String>,
    },
    /// A ledger is to be imported, but there is no space, and no file for a new one was named.
    #[error("no space was found to import the ledger into")]
    LedgerWithoutSpace,
    /// `--leave-one-out` with a single collection.
    #[error(
        "leaving one out needs at least two collections: the weights are learnt from the others"
    )]
    TooFewCollections,
    /// The system does not say where the user's own folder is.
    #[error("your home folder cannot be found: {reason}")]
    NoHomeFolder {
        /// The system's reason.
        reason: String,
    },
    /// A host that calls no tools by itself.
    #[error("{host} does not call tools from hooks")]
    NoHooks {
        /// The host's name.
        host: &'static str,
    },
    /// A path that another program's settings cannot hold.
    #[error("{} is not Unicode, as settings must be", path(file))]
    PathNotUnicode {
        /// The path.
        file: PathBuf,
    },
    /// A space that is to be named for everybody who works in a folder, and is not in it.
    #[error("{} is not in this folder, so others do not have it", path(file))]
    SpaceOutsideProject {
        /// The space.
        file: PathBuf,
    },
    /// The scope of a project where no project was found.
    #[error("this folder has no space of a project: {} is your home space", path(file))]
    NoProject {
        /// The space that was found.
        file: PathBuf,
    },
    /// Several access tokens in use have this name.
    #[error("several access tokens have the name {name:?}: {}", ids.join(" "))]
    AmbiguousToken {
        /// What was given.
        name: String,
        /// Their ids.
        ids: Vec<String>,
    },
    /// No access token has this id or name.
    #[error("no access token has the id or name {name:?}")]
    NoSuchToken {
        /// What was given.
        name: String,
    },
}

/// What a claim, a node or an edge should be.
pub(crate) const IN_GRAPH: &str = "a claim, a node or an edge";

/// What a command is not for, because another one is.
#[derive(Clone, Debug)]
pub(crate) struct OtherRecord {
    /// What it is.
    pub(crate) is: &'static str,
    /// What to type instead.
    pub(crate) instead: String,
}

fn or_is_one_of(near: &[String]) -> String {
    let near: Vec<String> = near.iter().map(|name| format!("{name:?}")).collect();
    if near.is_empty() { String::new() } else { format!("; did you mean {}", near.join(" or ")) }
}

fn found_in_words(found: Option<&OtherRecord>) -> String {
    found.map(|found| format!("{}, ", found.is)).unwrap_or_default()
}

/// Later work, of which the first are named.
fn built_on_in_words(built_on: &[OpId]) -> String {
    const NAMED_MAX: usize = 20;
    if built_on.is_empty() {
        return String::new();
    }
    let named: Vec<String> = built_on.iter().take(NAMED_MAX).map(OpId::to_string).collect();
    let more = match built_on.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("; built on it since: {}{more}", named.join(", "))
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { printable(&names.join(", ")) }
}

impl RequestError {
    /// From what the parser of the command line prints: the error and, after empty lines, tips and
    /// the usage.
    pub(crate) fn usage(printed: &str) -> Self {
        /// The last paragraph, which says no more than that there is help.
        const MORE: &str = "For more information";
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut paragraphs = printed.split("\n\n").map(one_line).filter(|text| !text.is_empty());
        let first = paragraphs.next().unwrap_or_default();
        let message = first.strip_prefix("error: ").unwrap_or(&first).to_owned();
        let rest: Vec<String> = paragraphs.filter(|text| !text.starts_with(MORE)).collect();
        Self::Usage { message, hint: rest.join("; ") }
    }

    /// Every code, in the order of the variants.
    #[cfg(test)]
    pub(crate) const CODES: &'static [&'static str] = &[
        "usage",
        "several_spaces",
        "variable",
        "time_malformed",
        "time_too_far",
        "empty_window",
        "empty_question",
        "empty_text",
        "not_in_graph",
        "unknown_entity",
        "two_tables",
        "export_too_large",
        "patch_malformed",
        "patch_too_long",
        "no_language_model",
        "no_such_patch",
        "not_a_patch",
        "patch_settled",
        "candidate_unresolved",
        "not_a_probability",
        "setting_key_malformed",
        "setting_value",
        "no_such_setting",
        "empty_turns",
        "empty_correction",
        "not_trusted",
        "untrusted_space",
        "record_of_user",
        "empty_note",
        "name_too_long",
        "too_many_tags",
        "reserved_tag",
        "unknown_type",
        "ambiguous_actor",
        "out_of_range",
        "text_too_large",
        "input_too_large",
        "input_not_utf8",
        "turn_malformed",
        "key_malformed",
        "assignment_malformed",
        "nothing_selected",
        "no_archive",
        "unconfirmed",
        "no_such_records",
        "note_forgotten",
        "not_mirrorable",
        "no_such_format",
        "no_such_model",
        "ledger_without_space",
        "too_few_collections",
        "no_home_folder",
        "no_hooks",
        "path_not_unicode",
        "space_outside_project",
        "no_project",
        "ambiguous_token",
        "no_such_token",
    ];

    /// The stable code.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Usage { .. } => "usage",
            Self::SeveralSpaces => "several_spaces",
            Self::Variable { .. } => "variable",
            Self::TimeMalformed { .. } => "time_malformed",
            Self::TimeTooFar { .. } => "time_too_far",
            Self::EmptyWindow { .. } => "empty_window",
            Self::EmptyQuestion => "empty_question",
            Self::EmptyText => "empty_text",
            Self::NotInGraph { .. } => "not_in_graph",
            Self::UnknownEntity { .. } => "unknown_entity",
            Self::TwoTables => "two_tables",
            Self::ExportTooLarge { .. } => "export_too_large",
            Self::PatchMalformed { .. } => "patch_malformed",
            Self::PatchTooLong { .. } => "patch_too_long",
            Self::NoLanguageModel => "no_language_model",
            Self::NoSuchPatch { .. } => "no_such_patch",
            Self::NotAPatch { .. } => "not_a_patch",
            Self::PatchSettled { .. } => "patch_settled",
            Self::CandidateUnresolved { .. } => "candidate_unresolved",
            Self::NotAProbability { .. } => "not_a_probability",
            Self::SettingKeyMalformed { .. } => "setting_key_malformed",
            Self::SettingValue { .. } => "setting_value",
            Self::NoSuchSetting { .. } => "no_such_setting",
            Self::EmptyTurns => "empty_turns",
            Self::EmptyCorrection => "empty_correction",
            Self::NotTrusted { .. } => "not_trusted",
            Self::UntrustedSpace { .. } => "untrusted_space",
            Self::RecordOfUser => "record_of_user",
            Self::EmptyNote => "empty_note",
            Self::NameTooLong { .. } => "name_too_long",
            Self::TooManyTags { .. } => "too_many_tags",
            Self::ReservedTag { .. } => "reserved_tag",
            Self::UnknownType { .. } => "unknown_type",
            Self::AmbiguousActor { .. } => "ambiguous_actor",
            Self::OutOfRange { .. } => "out_of_range",
            Self::TextTooLarge { .. } => "text_too_large",
            Self::InputTooLarge { .. } => "input_too_large",
            Self::InputNotUtf8 { .. } => "input_not_utf8",
            Self::TurnMalformed { .. } => "turn_malformed",
            Self::Key(_) => "key_malformed",
            Self::AssignmentMalformed { .. } => "assignment_malformed",
            Self::NothingSelected => "nothing_selected",
            Self::NoArchive => "no_archive",
            Self::Unconfirmed { .. } => "unconfirmed",
            Self::NoSuchRecords { .. } => "no_such_records",
            Self::NoteForgotten { .. } => "note_forgotten",
            Self::NotMirrorable { .. } => "not_mirrorable",
            Self::NoSuchFormat { .. } => "no_such_format",
            Self::NoSuchModel { .. } => "no_such_model",
            Self::LedgerWithoutSpace => "ledger_without_space",
            Self::TooFewCollections => "too_few_collections",
            Self::NoHomeFolder { .. } => "no_home_folder",
            Self::NoHooks { .. } => "no_hooks",
            Self::PathNotUnicode { .. } => "path_not_unicode",
            Self::SpaceOutsideProject { .. } => "space_outside_project",
            Self::NoProject { .. } => "no_project",
            Self::AmbiguousToken { .. } => "ambiguous_token",
            Self::NoSuchToken { .. } => "no_such_token",
        }
    }

    /// Whose fault it is.
    pub(crate) fn fault(&self) -> Fault {
        match self {
            Self::NoSuchRecords { .. }
            | Self::UnknownEntity { .. }
            | Self::NoSuchModel { .. }
            | Self::NoSuchPatch { .. }
            | Self::NoSuchSetting { .. }
            | Self::NoSuchToken { .. }
            | Self::NotTrusted { .. } => Fault::NotFound,
            Self::PatchSettled { .. } => Fault::Conflict,
            _ => Fault::Caller,
        }
    }

    /// Whether it is about what a file or the standard input holds, and not about the arguments.
    pub(crate) fn is_of_content(&self) -> bool {
        matches!(
            self,
            Self::PatchMalformed { .. }
                | Self::PatchTooLong { .. }
                | Self::TextTooLarge { .. }
                | Self::InputTooLarge { .. }
                | Self::InputNotUtf8 { .. }
                | Self::TurnMalformed { .. }
        )
    }
}

/// Checks that a number is within limits.
pub(crate) fn within(
    name: &'static str,
    number: u32,
    min: u32,
    max: u32,
) -> Result<u32, RequestError> {
    match (min..=max).contains(&number) {
        true => Ok(number),
        false => Err(RequestError::OutOfRange { name, number, min, max }),
    }
}
