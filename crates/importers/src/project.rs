//! What makes a project the same wherever it is copied to.
//!
//! A git repository is known by its origin, however the address is written, else by its first
//! commit. Any other folder is known by its path.

use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde::Serialize;

use crate::git::{Chunks, Reaped, command, special_file};

/// How long git may print nothing.
const SILENCE_MAX: Duration = Duration::from_secs(2);
/// Longest output of git that is read, bytes.
const OUTPUT_BYTES_MAX: u64 = 64 * 1024;
/// Hexadecimal digits of an id.
const ID_CHARS: usize = 16;

/// By what a project is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KnownBy {
    /// The address of the repository that it was cloned from.
    Origin,
    /// The first commit of its history.
    FirstCommit,
    /// Its folder.
    Path,
}

/// A project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Project {
    /// The same in every copy, 16 hexadecimal digits.
    pub id: String,
    /// By what it is known.
    pub known_by: KnownBy,
    /// The origin without scheme and credentials, the commit, or the folder.
    pub name: String,
}

impl Project {
    /// The project that a folder is the root of.
    pub fn of(folder: &Path) -> Self {
        let git = OsStr::new("git");
        let is_repository = folder.join(".git").exists() && special_file(folder).is_none();
        let asked =
            |arguments: &[&str]| is_repository.then(|| ask(git, folder, arguments)).flatten();
        let origin = asked(&["config", "--local", "--get", "remote.origin.url"]);
        if let Some(origin) = origin.as_deref().and_then(normalized_origin) {
            return Self::new(KnownBy::Origin, origin);
        }
        // A history may have several beginnings; the smallest hash is the same in every copy.
        let first = asked(&["rev-list", "--max-parents=0", "HEAD", "--"]);
        if let Some(commit) = first.as_deref().and_then(|commits| commits.lines().min()) {
            return Self::new(KnownBy::FirstCommit, commit.to_owned());
        }
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        Self::new(KnownBy::Path, folder.display().to_string())
    }

    fn new(known_by: KnownBy, name: String) -> Self {
        let digest = blake3::hash(name.as_bytes()).to_hex();
        Self { id: digest.chars().take(ID_CHARS).collect(), known_by, name }
    }
}

/// What git prints; none if it fails, is silent for too long or prints nothing.
fn ask(program: &OsStr, folder: &Path, arguments: &[&str]) -> Option<String> {
    let spawned = command(program, folder).args(arguments).stderr(Stdio::null()).spawn().ok()?;
    let mut child = Reaped(spawned);
    let mut output = String::new();
    let stdout = child.0.stdout.take()?;
    Chunks::of(stdout, SILENCE_MAX).take(OUTPUT_BYTES_MAX).read_to_string(&mut output).ok()?;
    let is_answer = child.0.wait().ok()?.success() && !output.trim().is_empty();
    is_answer.then(|| output.trim().to_owned())
}

/// An address without scheme, credentials, trailing slashes and `.git`, with the host in lower
/// case: `https://me:pw@Example.org/a/b.git/` and `git@example.org:a/b` are both `example.org/a/b`.
fn normalized_origin(url: &str) -> Option<String> {
    let (is_url, rest) = match url.trim().split_once("://") {
        Some((_, rest)) => (true, rest),
        None => (false, url.trim()),
    };
    let (host, path) = match (rest.find('/'), rest.find(':')) {
        // An address as of scp: host:path.
        (slash, Some(colon)) if !is_url && slash.is_none_or(|slash| colon < slash) => {
            (rest.get(..colon)?, rest.get(colon + 1..)?)
        }
        (Some(slash), _) => (rest.get(..slash)?, rest.get(slash + 1..)?),
        (None, _) => ("", rest),
    };
    let host = host.rsplit('@').next().unwrap_or_default().to_lowercase();
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/');
    let is_absolute = host.is_empty() && rest.starts_with('/');
    let separator = if is_absolute || !host.is_empty() { "/" } else { "" };
    Some(format!("{host}{separator}{path}")).filter(|_| !path.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_origin_is_known_however_it_is_written() {
        let same = [
            "https://example.org/kiln/glazes",
            "https://example.org/kiln/glazes.git",
            "https://example.org/kiln/glazes.git/",
            "https://mara:secret@Example.org/kiln/glazes/",
            "ssh://git@example.org/kiln/glazes.git",
            "git@example.org:kiln/glazes.git",
            "example.org:/kiln/glazes",
        ];
        for url in same {
            let origin = normalized_origin(url);
            assert_eq!(origin.as_deref(), Some("example.org/kiln/glazes"), "{url}");
        }
        assert_eq!(normalized_origin("/srv/glazes.git").as_deref(), Some("/srv/glazes"));
        assert_eq!(normalized_origin("file:///srv/glazes.git").as_deref(), Some("/srv/glazes"));
        assert_eq!(normalized_origin("../glazes.git").as_deref(), Some("../glazes"));
        for none in ["", " ", "https://", "git@example.org:", "/"] {
            assert_eq!(normalized_origin(none), None, "{none}");
        }
    }

    #[test]
    fn a_folder_without_history_is_known_by_its_path() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Project::of(folder.path()).known_by, KnownBy::Path);
    }
}
