//! The tracked files and those that would be added, read once.

use std::cell::OnceCell;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::rust_source::{self, RustLine};

/// All tracked files, ordered by path.
pub(crate) struct Tree {
    files: Vec<File>,
}

/// One tracked file.
pub(crate) struct File {
    /// Path from the repository's root, with `/`.
    pub(crate) path: String,
    /// Empty if it is not UTF-8.
    pub(crate) text: String,
    rust_lines: OnceCell<Vec<RustLine>>,
}

impl File {
    /// The lines of a Rust file, code apart from comments; empty for other files.
    pub(crate) fn rust_lines(&self) -> &[RustLine] {
        self.rust_lines.get_or_init(|| {
            if self.is_rust() { rust_source::split(&self.text) } else { Vec::new() }
        })
    }

    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// True for files that exist only to test others.
    pub(crate) fn is_test(&self) -> bool {
        self.path
            .split('/')
            .any(|part| matches!(part, "tests" | "benches") || part.ends_with("tests.rs"))
    }

    /// True for data that is exempt from style.
    pub(crate) fn is_data(&self) -> bool {
        self.path.starts_with("fixtures/") && !self.path.ends_with("/README.md")
            || self.path.ends_with(".snap")
    }

    /// The line number, from 1, of the byte at `offset`.
    pub(crate) fn line_at(&self, offset: usize) -> usize {
        1 + self.text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
    }
}

impl Tree {
    /// Reads the files that git tracks under `root` or would track after `git add`, without deleted
    /// ones.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let output = Command::new("git")
            // Otherwise git refuses a clone owned by another user, as on build machines. This
            // process was compiled from the folder, so it is trusted.
            .arg("-c")
            .arg(format!("safe.directory={}", root.display()))
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(root)
            .stdin(Stdio::null())
            .output()
            .context("git could not be started; it is needed to list the files")?;
        if !output.status.success() {
            bail!("git ls-files failed: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        let listing = String::from_utf8(output.stdout).context("a file's name is not UTF-8")?;
        let mut tree = Self { files: Vec::new() };
        for path in listing.split('\0').filter(|path| !path.is_empty()) {
            match std::fs::read(root.join(path)) {
                Ok(bytes) => tree.add(path, String::from_utf8(bytes).unwrap_or_default()),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(error).with_context(|| format!("{path} cannot be read")),
            }
        }
        tree.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(tree)
    }

    fn add(&mut self, path: &str, text: String) {
        self.files.push(File { path: path.to_owned(), text, rust_lines: OnceCell::new() });
    }

    pub(crate) fn files(&self) -> &[File] {
        &self.files
    }

    pub(crate) fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// True for a tracked file, or a folder that holds one.
    pub(crate) fn exists(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.files.iter().any(|file| {
            file.path
                .strip_prefix(path)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

#[cfg(test)]
impl<const N: usize> From<[(&str, &str); N]> for Tree {
    fn from(files: [(&str, &str); N]) -> Self {
        let mut tree = Self { files: Vec::new() };
        for (path, text) in files {
            tree.add(path, text.to_owned());
        }
        tree
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_exists_when_it_holds_a_file() {
        let tree = Tree::from([("docs/format.md", "")]);
        assert!(tree.exists("docs") && tree.exists("docs/") && tree.exists("docs/format.md"));
        assert!(!tree.exists("doc") && !tree.exists("docs/form"));
    }
}
