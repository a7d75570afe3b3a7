//! What masking finds in texts that hold few secrets: the first hit of every text, in its line, and
//! how many lines were read.
//!
//! ```text
//! cargo run -p because-importers --example masked_lines -- FOLDER…
//! ```
//!
//! Every line of every file is masked by itself, and every file as a whole. Of JSON and JSON lines,
//! each string is read like a file. Hits are printed for a person to judge: a hit in prose or code
//! that is not a secret is a fault of a rule.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use importers::secrets::mask_text;
use serde_json::Value;

/// Files above this size are left out: no importer takes one as a text.
const FILE_BYTES_MAX: u64 = 64 << 20;
/// How much of a hit's line is shown around its mask, in characters.
const SHOWN_CHARS: usize = 60;

#[derive(Default)]
struct Count {
    files: u64,
    lines: u64,
    bytes: u64,
    kinds: BTreeMap<String, u64>,
    shown: BTreeMap<String, u64>,
}

impl Count {
    fn text(&mut self, text: &str) {
        self.bytes += text.len() as u64;
        for line in text.lines() {
            self.lines += 1;
            self.masked(line);
        }
        if text.contains('\n') {
            self.masked(text);
        }
    }

    fn masked(&mut self, text: &str) {
        let Some((masked, kinds)) = mask_text(text) else { return };
        for kind in kinds {
            *self.kinds.entry(kind.to_string()).or_default() += 1;
        }
        if let Some(at) = masked.find("[masked:") {
            *self.shown.entry(around(text, at)).or_default() += 1;
        }
    }

    fn strings(&mut self, value: &Value) {
        let mut pending = vec![value];
        while let Some(value) = pending.pop() {
            match value {
                Value::String(text) => self.text(text),
                Value::Array(values) => pending.extend(values),
                Value::Object(object) => pending.extend(object.values()),
                _ => {}
            }
        }
    }

    fn file(&mut self, path: &Path) -> std::io::Result<()> {
        if path.metadata()?.len() > FILE_BYTES_MAX {
            return Ok(());
        }
        let bytes = std::fs::read(path)?;
        if bytes.contains(&0) {
            return Ok(());
        }
        self.files += 1;
        let text = String::from_utf8_lossy(&bytes);
        let name = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        match name {
            "json" if let Ok(value) = serde_json::from_str::<Value>(&text) => self.strings(&value),
            "jsonl" => {
                for line in text.lines() {
                    match serde_json::from_str::<Value>(line) {
                        Ok(value) => self.strings(&value),
                        Err(_) => self.text(line),
                    }
                }
            }
            _ => self.text(&text),
        }
        Ok(())
    }
}

/// What was masked at `at`, with what stands before and after it in its line.
fn around(text: &str, at: usize) -> String {
    let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
    let before = before.rsplit('\n').next().unwrap_or_default();
    let skipped = before.chars().count().saturating_sub(SHOWN_CHARS);
    let before: String = before.chars().skip(skipped).collect();
    let after: String =
        after.lines().next().unwrap_or_default().chars().take(SHOWN_CHARS).collect();
    format!("{before}{after}")
}

fn files(paths: Vec<PathBuf>) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut pending = paths;
    while let Some(path) = pending.pop() {
        let kind = path.symlink_metadata()?;
        if kind.is_dir() && path.file_name().is_none_or(|name| name != ".git") {
            for entry in std::fs::read_dir(&path)? {
                pending.push(entry?.path());
            }
        } else if kind.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn main() -> std::io::Result<()> {
    let mut count = Count::default();
    for file in files(std::env::args_os().skip(1).map(PathBuf::from).collect())? {
        count.file(&file)?;
    }
    let mut out = std::io::stdout().lock();
    for (line, times) in &count.shown {
        writeln!(out, "{times:>6}  {line}")?;
    }
    let Count { files, lines, bytes, kinds, .. } = count;
    writeln!(out, "{files} files, {lines} lines, {bytes} bytes; masked: {kinds:?}")
}
