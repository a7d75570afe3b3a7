//! Histories: of repositories that the tests make, good and hostile.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

use importers::project::{KnownBy, Project};
use importers::{ImportError, Match, Probe};
use tempfile::TempDir;

use crate::collect::{Collected, import};

fn run(directory: &Path, arguments: &[&OsStr]) {
    let mut git = Command::new("git");
    git.current_dir(directory)
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null");
    git.env("GIT_AUTHOR_NAME", "Ana Ruiz").env("GIT_AUTHOR_EMAIL", "ana@example.org");
    git.env("GIT_COMMITTER_NAME", "Bo").env("GIT_COMMITTER_EMAIL", "bo@example.org");
    git.env("GIT_AUTHOR_DATE", "2025-06-02T08:00:00+02:00")
        .env("GIT_COMMITTER_DATE", "2025-06-02T08:00:00+02:00");
    let output = git.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn git(directory: &Path, arguments: &[&str]) {
    run(directory, &arguments.iter().map(OsStr::new).collect::<Vec<_>>());
}

fn commit(directory: &Path, files: &[&str], message: &str) {
    for file in files {
        std::fs::create_dir_all(directory.join(file).parent().unwrap()).unwrap();
        std::fs::write(directory.join(file), message).unwrap();
    }
    git(directory, &["add", "-A"]);
    git(directory, &["commit", "--quiet", "--allow-empty", "--allow-empty-message", "-m", message]);
}

fn repository() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    git(directory.path(), &["init", "--quiet"]);
    directory
}

fn history(path: &Path) -> Collected {
    let mut collected = Collected::default();
    import("git", path, &mut collected).unwrap();
    collected
}

#[test]
fn commits_come_oldest_first_with_what_they_changed() {
    let directory = repository();
    let path = directory.path();
    commit(
        path,
        &["src/lib.rs", "ä b\nc.md"],
        "store: keep the log\n\nBecause it is the truth.\n\nCo-authored-by: Cy <c@d>",
    );
    commit(path, &[], "an empty one");
    commit(path, &["src/lib.rs"], "store: faster");
    let collected = history(path);
    assert_eq!(collected.complaints(), "");
    let [first, second, third] = &collected.evidence[..] else { panic!("{}", collected.times()) };
    assert_eq!(first.source_uid.len(), 40);
    assert_eq!(first.kind.0, "commit");
    assert_eq!(first.actor.as_deref(), Some("Ana Ruiz"));
    assert_eq!(first.at.as_ref().unwrap().as_str(), "2025-06-02T08:00:00+02:00");
    assert_eq!(first.summary, "Ana Ruiz: store: keep the log");
    assert_eq!(first.payload.title.as_deref(), Some("store: keep the log"));
    assert!(first.payload.text.starts_with("store: keep the log\n\nBecause it is the truth."));
    assert_eq!(first.payload.links, ["src/lib.rs", "ä b\nc.md"]);
    assert_eq!(first.payload.participants, ["Ana Ruiz", "Bo", "Cy"]);
    assert!(second.payload.links.is_empty());
    assert_eq!(third.payload.links, ["src/lib.rs"]);
    for commit in [first, second, third] {
        assert_eq!(commit.payload.session.as_deref(), Some(first.source_uid.as_str()));
    }
    assert!(collected.bytes > 0);
}

#[test]
fn a_directory_within_and_a_bare_repository_give_the_same_history() {
    let directory = repository();
    commit(directory.path(), &["a/b.txt"], "first");
    let bare = tempfile::tempdir().unwrap();
    git(
        directory.path(),
        &["clone", "--quiet", "--bare", ".", bare.path().join("r").to_str().unwrap()],
    );
    let whole = history(directory.path());
    assert_eq!(history(&directory.path().join("a")).evidence, whole.evidence);
    assert_eq!(history(&bare.path().join("r")).evidence, whole.evidence);
    let detect = |path: &Path| {
        let git = importers::registry().iter().find(|known| known.name() == "git").unwrap();
        git.detect(&Probe { path, is_dir: true, head: &[] })
    };
    assert_eq!(detect(directory.path()), Match::Likely);
    assert_eq!(detect(&bare.path().join("r")), Match::Certain);
    assert_eq!(detect(bare.path()), Match::No);
}

#[test]
fn a_repository_without_commits_has_no_history_and_another_folder_is_an_error() {
    assert!(history(repository().path()).evidence.is_empty());
    let empty = tempfile::tempdir().unwrap();
    let error = import("git", empty.path(), &mut Collected::default()).unwrap_err();
    assert!(error.to_string().contains("not a git repository"), "{error}");
    let file = empty.path().join("file");
    std::fs::write(&file, "x").unwrap();
    assert!(matches!(
        import("git", &file, &mut Collected::default()),
        Err(ImportError::Format { .. })
    ));
}

#[test]
fn many_paths_are_counted_and_not_all_kept() {
    let directory = repository();
    let names: Vec<String> = (0..150).map(|n| format!("{n:03}.txt")).collect();
    commit(directory.path(), &names.iter().map(String::as_str).collect::<Vec<_>>(), "many");
    let record = &history(directory.path()).evidence[0];
    assert_eq!(record.payload.links.len(), 100);
    assert_eq!(record.payload.more["links_left_out"], 50);
}

#[test]
fn bytes_that_are_not_utf8_are_replaced() {
    let directory = repository();
    std::fs::write(directory.path().join(OsStr::from_bytes(b"caf\xe9.txt")), "x").unwrap();
    git(directory.path(), &["add", "-A"]);
    let arguments = ["commit", "--quiet", "-m"].map(OsStr::new);
    run(directory.path(), &[&arguments[..], &[OsStr::from_bytes(b"\xff\xfe")]].concat());
    let record = &history(directory.path()).evidence[0];
    assert_eq!(record.payload.links, ["caf\u{fffd}.txt"]);
    assert_eq!(record.payload.text.chars().count(), 2);
}

#[test]
fn a_commit_without_a_message_is_a_record_too() {
    let directory = repository();
    commit(directory.path(), &["a"], "");
    let record = &history(directory.path()).evidence[0];
    assert_eq!(record.payload.title, None);
    assert_eq!(record.summary, "Ana Ruiz: commit without a message");
}

#[test]
fn configuration_cannot_make_git_run_a_program() {
    let directory = repository();
    let path = directory.path();
    commit(path, &["a"], "first");
    std::fs::write(path.join(".gitattributes"), "* diff=evil\n").unwrap();
    commit(path, &["b"], "second");
    let before = history(path).evidence;
    let evil = format!("touch {}/evil", path.display());
    for key in [
        "core.fsmonitor",
        "core.pager",
        "pager.log",
        "diff.external",
        "diff.evil.textconv",
        "diff.evil.command",
        "gpg.program",
        "core.sshCommand",
    ] {
        git(path, &["config", key, &evil]);
    }
    git(path, &["config", "log.showSignature", "true"]);
    git(path, &["config", "log.follow", "true"]);
    git(path, &["config", "format.pretty", "%B"]);
    assert_eq!(history(path).evidence, before);
    assert!(!path.join("evil").exists());
}

#[test]
fn a_sink_that_has_enough_ends_the_import() {
    let directory = repository();
    for n in 0..5 {
        commit(directory.path(), &["a"], &n.to_string());
    }
    let mut few = Collected { stop_after: Some(2), ..Collected::default() };
    import("git", directory.path(), &mut few).unwrap();
    assert_eq!(few.evidence.len(), 2);
}

#[test]
fn case_34_given_a_repository_copied_elsewhere_then_the_project_is_the_same() {
    let (one, other) = (repository(), repository());
    let of = |directory: &TempDir| Project::of(directory.path());
    commit(one.path(), &["a.md"], "the first");
    commit(one.path(), &["a.md"], "the second");
    let known = of(&one);
    assert_eq!(known.known_by, KnownBy::FirstCommit);
    let copy = tempfile::tempdir().unwrap();
    let (from, to) = (one.path().as_os_str(), copy.path().as_os_str());
    run(copy.path(), &[OsStr::new("clone"), OsStr::new("--quiet"), from, to]);
    git(copy.path(), &["remote", "remove", "origin"]);
    assert_eq!(of(&copy), known, "a copy without an origin");

    git(one.path(), &["remote", "add", "origin", "git@example.org:kiln/glazes.git"]);
    git(other.path(), &["remote", "add", "origin", "https://me:pw@example.org/kiln/glazes/"]);
    let known = of(&one);
    assert_eq!(known.name, "example.org/kiln/glazes");
    assert_eq!(of(&other), known, "another clone, which has no commit yet");
    assert_ne!(of(&copy).id, known.id);
}
