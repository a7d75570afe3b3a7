//! Every code of a refused request, with who can fix it, the exit code and the hint.

use std::collections::BTreeSet;
use std::path::PathBuf;

use kernel::id::Author;

use super::*;

/// One request error of each kind, in the order of the codes.
fn one_of_each() -> Vec<RequestError> {
    let text = || "text".to_owned();
    vec![
        RequestError::Usage { message: text(), hint: text() },
        RequestError::SeveralSpaces,
        RequestError::Variable { name: "BECAUSE_SPACE", detail: "is not UTF-8" },
        RequestError::TimeMalformed { text: text(), forms: "2025" },
        RequestError::TimeTooFar { text: text() },
        RequestError::EmptyWindow { since: text(), until: text() },
        RequestError::EmptyQuestion,
        RequestError::EmptyText,
        RequestError::NotInGraph { id: kernel::id::OpId([0; 32]), wanted: IN_GRAPH, found: None },
        RequestError::UnknownEntity { name: text() },
        RequestError::TwoTables,
        RequestError::ExportTooLarge { mib_max: 64 },
        RequestError::PatchMalformed { detail: text() },
        RequestError::PatchTooLong { found: 2, limit: 1 },
        RequestError::NoLanguageModel,
        RequestError::NoSuchPatch { name: text() },
        RequestError::NotAPatch { id: kernel::id::OpId([0; 32]) },
        RequestError::PatchSettled { id: kernel::id::OpId([0; 32]), status: "accepted" },
        RequestError::CandidateUnresolved { id: kernel::id::OpId([0; 32]), detail: text() },
        RequestError::NotAProbability { given: 2.0 },
        RequestError::SettingKeyMalformed { given: text() },
        RequestError::SettingValue { key: text(), given: text(), allowed: text() },
        RequestError::NoSuchSetting { key: text() },
        RequestError::EmptyTurns,
        RequestError::EmptyCorrection,
        RequestError::NotTrusted { space: text() },
        RequestError::UntrustedSpace { path: PathBuf::new(), owner: text() },
        RequestError::RecordOfUser,
        RequestError::EmptyNote,
        RequestError::NameTooLong { bytes_max: 256 },
        RequestError::TooManyTags { tags: 65, tags_max: 64 },
        RequestError::ReservedTag { tag: text() },
        RequestError::UnknownType { detail: text() },
        RequestError::AmbiguousActor { actor: text() },
        RequestError::OutOfRange { name: "limit", number: 51, min: 1, max: 50 },
        RequestError::TextTooLarge { mib: 1 },
        RequestError::InputTooLarge { input: text(), mib: 64 },
        RequestError::InputNotUtf8 { input: text() },
        RequestError::TurnMalformed { input: text(), line: 1 },
        RequestError::Key("key".parse::<Author>().unwrap_err()),
        RequestError::AssignmentMalformed { text: text() },
        RequestError::NothingSelected,
        RequestError::NoArchive,
        RequestError::Unconfirmed { built_on: vec![kernel::id::OpId([0; 32])] },
        RequestError::NoSuchRecords { which: text(), near: Vec::new() },
        RequestError::NoteForgotten { id: kernel::id::OpId([0; 32]) },
        RequestError::NotMirrorable { format: "text" },
        RequestError::NoSuchFormat { name: text(), known: vec!["text"] },
        RequestError::NoSuchModel { name: text(), known: Vec::new() },
        RequestError::LedgerWithoutSpace,
        RequestError::TooFewCollections,
        RequestError::NoHomeFolder { reason: text() },
        RequestError::NoHooks { host: "Cursor" },
        RequestError::PathNotUnicode { file: PathBuf::new() },
        RequestError::SpaceOutsideProject { file: PathBuf::new() },
        RequestError::NoProject { file: PathBuf::new() },
        RequestError::AmbiguousToken { name: text(), ids: vec![text()] },
        RequestError::NoSuchToken { name: text() },
    ]
}

#[test]
fn every_code_of_a_request_is_listed_once_and_ends_by_its_fault() {
    let all = one_of_each();
    let codes: Vec<&str> = all.iter().map(RequestError::code).collect();
    assert_eq!(codes, RequestError::CODES);
    assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), codes.len());
    for error in all {
        let (code, text) = (error.code(), error.to_string());
        assert!(!text.is_empty(), "{code}");
        assert!(!text.contains("`because ") && !text.contains("--"), "{code}: {text}");
        let failure = Failure::from(error);
        let expected = match code {
            "patch_settled" => [Fault::Conflict; 2],
            _ => [Fault::Caller, Fault::NotFound],
        };
        assert!(expected.contains(&failure.fault()), "{code}");
        let is_of_content = [
            "patch_malformed",
            "patch_too_long",
            "text_too_large",
            "input_too_large",
            "input_not_utf8",
            "turn_malformed",
        ]
        .contains(&code);
        let ends = match failure.fault() {
            Fault::Caller if !is_of_content => exit::USAGE,
            _ => exit::FAILED,
        };
        assert_eq!((failure.code(), failure.exit_code()), (code, ends));
    }
}

#[test]
fn the_fault_says_who_can_mend_a_failure() {
    let check = |failure: Failure, code: &str, fault: Fault| {
        assert_eq!((failure.code(), failure.fault()), (code, fault), "{failure}");
    };
    let id = || kernel::id::OpId([0; 32]);
    let there = PathBuf::from("there");
    check(Failure::NoSpace, "no_space", Fault::NotFound);
    check(StoreError::Busy { waited_s: 60 }.into(), "busy", Fault::Busy);
    check(StoreError::Exists { path: there.clone() }.into(), "space_exists", Fault::Conflict);
    check(StoreError::DiskFull.into(), "disk_full", Fault::Internal);
    let unknown = EngineError::UnknownBelief { name: String::new(), near: Vec::new() };
    check(unknown.into(), "unknown_belief", Fault::NotFound);
    let refuted = UserError::AlreadyRefuted { key: String::new(), by: id() };
    check(EngineError::User(refuted).into(), "already_refuted", Fault::Conflict);
    let violation = RuleViolation::NotPermitted {
        author: Author([0; 32]),
        capability: kernel::kind::Capability::Append,
    };
    let refused = EngineError::Record(RecordError::Refused { id: id(), violation });
    check(refused.into(), "not_permitted", Fault::Forbidden);
    let of_another = Failure::NotYourSpace {
        path: there.clone(),
        owner: String::new(),
        key: Author([0; 32]),
        capability: kernel::kind::Capability::Append,
    };
    check(of_another, "not_your_space", Fault::Forbidden);
    check(PlaceError::Key { path: there.clone() }.into(), "device_key", Fault::Internal);
    let error = || std::io::Error::other("it broke");
    let unusable = PlaceError::File { path: there.clone(), source: error() };
    check(unusable.into(), "file", Fault::Internal);
    check(PlaceError::NoHome { reason: String::new() }.into(), "no_home", Fault::Internal);
    let missing = Failure::NoSpaceThere { path: there.clone(), named: None };
    check(missing, "space_missing", Fault::NotFound);
    let file = Failure::File { path: there.clone(), source: error() };
    check(file, "file", Fault::Internal);
    let source = std::io::ErrorKind::NotFound.into();
    check(Failure::File { path: there.clone(), source }, "file", Fault::NotFound);
    let file = Failure::OutputFile { path: there.clone(), source: error() };
    check(file, "file", Fault::Internal);
    check(error().into(), "output", Fault::Internal);
    check(Failure::Protocol(String::new()), "protocol", Fault::Internal);
    let touched = Failure::HostSettings { path: there.clone(), reason: String::new() };
    check(touched, "host_settings", Fault::Conflict);
    let unknown = Failure::UnknownFormat { path: there.clone(), formats: Vec::new() };
    check(unknown, "unknown_format", Fault::Caller);
    let configuration =
        crate::configuration::ConfigurationError::File { path: there.clone(), source: error() };
    check(configuration.into(), "settings", Fault::Internal);
    let form = eval::EvalError::Form { path: there.clone(), reason: String::new() };
    check(form.into(), "evaluation_format", Fault::Caller);
    let source = engine::conformance::read("[").unwrap_err();
    check(Failure::Scenario { path: there, source }, "scenario", Fault::Caller);
    let silent = EmbedError::Unreachable { provider: String::new(), detail: String::new() };
    let model = "ollama:m".parse().unwrap();
    check(Failure::embedding(&silent, &model), "embedder_unreachable", Fault::Busy);
    check(HubError::NotHere { name: String::new() }.into(), "model_not_here", Fault::NotFound);
    let model = String::new;
    let slow = LanguageError::RateLimited { model: model(), after: None };
    check(slow.into(), "language_model_rate_limited", Fault::Busy);
    let declined = LanguageError::Declined { model: model(), detail: model() };
    check(declined.into(), "language_model_declined", Fault::Internal);
    let large = LanguageError::RequestTooLarge { bytes: 9, bytes_max: 8 };
    check(large.into(), "language_model_request_too_large", Fault::Caller);
}

#[test]
fn what_can_be_typed_to_mend_a_failure_is_a_hint_and_not_part_of_the_message() {
    let check = |failure: Failure, command: &str| {
        let (message, hint) = (failure.to_string(), failure.hint().unwrap_or_default());
        assert!(hint.contains(command) && !message.contains(command), "{message}: {hint}");
    };
    let id = kernel::id::OpId([0; 32]);
    let user = |error: UserError| Failure::from(EngineError::User(error));
    let key = || "key".to_owned();
    check(Failure::NoSpace, "because init");
    check(
        Failure::NoSpaceThere { path: PathBuf::new(), named: Some("it's".to_owned()) },
        r"because init --space 'it'\''s'",
    );
    check(StoreError::Damaged { detail: String::new() }.into(), "because verify");
    check(StoreError::Exists { path: PathBuf::new() }.into(), "because status");
    check(EngineError::UnknownId { prefix: key() }.into(), "because log");
    check(EngineError::UnknownReceipt { prefix: key() }.into(), "because receipts");
    check(EngineError::AmbiguousReceipt { prefix: key() }.into(), "because receipts");
    check(user(UserError::CorrectsRefuted { key: key() }), "because withdraw");
    check(user(UserError::UsersWord { id }), "because withdraw");
    check(user(UserError::Derived { key: key() }), "because refute");
    check(user(UserError::NoReview { id }), "because review list");
    check(
        HubError::NotHere { name: "owner/name".to_owned() }.into(),
        "because model pull owner/name",
    );
    check(RequestError::NoSuchRecords { which: key(), near: Vec::new() }.into(), "because status");
    let key_error = "key".parse::<Author>().unwrap_err();
    check(RequestError::Key(key_error).into(), "because key");
    check(RequestError::TextTooLarge { mib: 1 }.into(), "because import");
    let model = "owner/name".parse().unwrap();
    let error = EmbedError::Unusable { place: key(), detail: key() };
    check(Failure::embedding(&error, &model), "because model pull owner/name");
    let refused = LanguageError::Refused { model: key(), detail: key() };
    check(refused.into(), "because model test");
    assert!(hint::of_finding("view_differs").is_some_and(|hint| hint.contains("because rebuild")));
    assert!(hint::of_finding("belief_differs").is_some_and(|hint| hint.contains("because derive")));
}
