//! Files and folders: walking, decoding, and refusing files that are not text.
//!
//! Walks are in sorted order and never follow a symbolic link, so they end and give the same
//! records in the same order everywhere. Text that is not UTF-8 is decoded by the encoding that it
//! looks like, which is reported ([`crate::charset`]). A binary file is refused, because its noise
//! would turn up in every search.

use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use crate::{ImportError, Problem, charset};

/// Most files taken from one folder and what is below it.
pub(crate) const FILES_MAX: usize = 200_000;

/// Most folder entries looked at in one walk, wanted or not.
pub(crate) const ENTRIES_MAX: usize = 2_000_000;

/// How deep a walk goes below its root.
pub(crate) const FOLDER_DEPTH_MAX: usize = 64;

/// How many entries of a folder [`survey`] looks at.
pub(crate) const SURVEY_ENTRIES_MAX: usize = 2_000;

/// How many bytes decide whether a file is text.
const TEXT_PROBE_BYTES: usize = 8 * 1024;

/// What a walk found.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    /// The wanted files, sorted by path.
    pub(crate) files: Vec<PathBuf>,
    /// Folders that could not be read, and limits that cut the walk short.
    pub(crate) problems: Vec<Problem>,
}

/// Every file below `root` that is `wanted`. Names that begin with a dot, and symbolic links, are
/// passed over.
pub(crate) fn walk(root: &Path, wanted: impl Fn(&Path) -> bool) -> Result<Walk, ImportError> {
    walk_within(root, ENTRIES_MAX, wanted)
}

fn walk_within(
    root: &Path,
    entries_max: usize,
    wanted: impl Fn(&Path) -> bool,
) -> Result<Walk, ImportError> {
    walk_all(root, entries_max, wanted, |_| false).map(|found| found.walk)
}

/// What a walk found, and the folders that it did not enter.
#[derive(Debug, Default)]
pub(crate) struct WalkApart {
    pub(crate) walk: Walk,
    pub(crate) apart: Vec<PathBuf>,
}

/// Every file below `root`, except in the folders that stand `apart`.
pub(crate) fn walk_apart(
    root: &Path,
    apart: impl Fn(&Path) -> bool,
) -> Result<WalkApart, ImportError> {
    walk_all(root, ENTRIES_MAX, |_| true, apart)
}

fn walk_all(
    root: &Path,
    entries_max: usize,
    wanted: impl Fn(&Path) -> bool,
    apart: impl Fn(&Path) -> bool,
) -> Result<WalkApart, ImportError> {
    let mut all = WalkApart::default();
    let found = &mut all.walk;
    let mut folders = vec![(root.to_owned(), 0_usize)];
    let mut entries = 0_usize;
    while let Some((folder, depth)) = folders.pop() {
        let listing = match fs::read_dir(&folder) {
            Ok(listing) => listing,
            Err(source) if depth == 0 => return Err(ImportError::Io { path: folder, source }),
            Err(error) => {
                found
                    .problems
                    .push(problem(&folder, format!("the folder cannot be read: {error}")));
                continue;
            }
        };
        for entry in listing {
            entries += 1;
            if entries > entries_max || found.files.len() >= FILES_MAX {
                found.problems.push(problem(
                    root,
                    format!(
                        "only the first {} files were taken: import its folders one by one",
                        found.files.len()
                    ),
                ));
                found.files.sort();
                return Ok(all);
            }
            let entry = entry.and_then(|entry| entry.file_type().map(|kind| (entry, kind)));
            let (entry, kind) = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    found.problems.push(problem(&folder, format!("a file was left out: {error}")));
                    continue;
                }
            };
            if kind.is_symlink() || entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let path = entry.path();
            if kind.is_file() {
                if wanted(&path) {
                    found.files.push(path);
                }
            } else if kind.is_dir() && apart(&path) {
                all.apart.push(path);
            } else if kind.is_dir() && depth < FOLDER_DEPTH_MAX {
                folders.push((path, depth + 1));
            } else if kind.is_dir() {
                found.problems.push(problem(
                    &path,
                    format!("folders deeper than {FOLDER_DEPTH_MAX} are left out"),
                ));
            }
        }
    }
    found.files.sort();
    Ok(all)
}

/// The files below a folder among its first [`SURVEY_ENTRIES_MAX`] entries.
pub(crate) fn glance(root: &Path) -> Result<Vec<PathBuf>, ImportError> {
    walk_within(root, SURVEY_ENTRIES_MAX, |_| true).map(|walk| walk.files)
}

/// How many files with one of `extensions` lie below a folder, and how many others, among the first
/// [`SURVEY_ENTRIES_MAX`] entries.
pub(crate) fn survey(root: &Path, extensions: &[&str]) -> (usize, usize) {
    let files = glance(root).unwrap_or_default();
    let matching = files.iter().filter(|path| has_extension(path, extensions)).count();
    (matching, files.len() - matching)
}

/// True if the path ends in one of `extensions`, given without dot and in lower case.
pub(crate) fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|extension| extensions.contains(&extension.to_ascii_lowercase().as_str()))
}

/// A file's path below `root` with `/` between its parts, the same on every system; its name if
/// `root` is the file.
pub(crate) fn relative_name(path: &Path, root: &Path) -> String {
    let below = path.strip_prefix(root).ok().filter(|below| !below.as_os_str().is_empty());
    let below = below.unwrap_or_else(|| Path::new(path.file_name().unwrap_or(path.as_os_str())));
    let parts: Vec<_> = below
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_string_lossy()),
            _ => None,
        })
        .collect();
    parts.join("/")
}

/// The name without folder and extension.
pub(crate) fn stem(relative: &str) -> &str {
    let name = relative.rsplit('/').next().unwrap_or(relative);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

/// A file's text and what was wrong with its encoding.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Text {
    /// The text, without byte order mark.
    pub(crate) text: String,
    /// Says that bytes were replaced.
    pub(crate) complaint: Option<String>,
}

/// Reads a whole text file of at most `bytes_max` bytes.
pub(crate) fn read_text(
    path: &Path,
    bytes_max: u64,
    format: &'static str,
) -> Result<Text, ImportError> {
    let bytes = read_bytes(path, bytes_max)?;
    if let Some(reason) = why_binary(&bytes) {
        return Err(ImportError::Format {
            path: path.to_owned(),
            format,
            reason: reason.to_owned(),
        });
    }
    Ok(decode(&bytes))
}

/// Reads a whole file of at most `bytes_max` bytes.
pub(crate) fn read_bytes(path: &Path, bytes_max: u64) -> Result<Vec<u8>, ImportError> {
    let io = |source| ImportError::Io { path: path.to_owned(), source };
    let file = fs::File::open(path).map_err(io)?;
    let mut bytes = Vec::new();
    file.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > bytes_max {
        return Err(ImportError::TooLarge {
            path: path.to_owned(),
            reason: format!("it has more than {bytes_max} bytes: split it"),
        });
    }
    Ok(bytes)
}

/// Why bytes are not text; `None` if they are. UTF-16 counts as text only with a byte order mark.
pub(crate) fn why_binary(bytes: &[u8]) -> Option<&'static str> {
    let head = bytes.get(..TEXT_PROBE_BYTES).unwrap_or(bytes);
    if utf16_order(head).is_some() {
        return None;
    }
    if head.contains(&0) {
        return Some("it holds NUL bytes, so it is not text");
    }
    let odd = head
        .iter()
        .filter(|&&byte| byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b))
        .count();
    let strange = if charset::guess(head).is_some() { 0 } else { invalid_bytes(head) };
    (odd.saturating_add(strange).saturating_mul(10) > head.len() * 3)
        .then_some("a third of its bytes are not text in UTF-8 or another encoding")
}

fn invalid_bytes(bytes: &[u8]) -> usize {
    bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum()
}

/// Decodes bytes. Never fails: what is in no encoding becomes U+FFFD, and the complaint says how
/// many bytes.
pub(crate) fn decode(bytes: &[u8]) -> Text {
    if let Some(big_endian) = utf16_order(bytes) {
        let units = bytes.get(2..).unwrap_or_default().chunks_exact(2).map(|pair| match pair {
            [first, second] if big_endian => u16::from_be_bytes([*first, *second]),
            [first, second] => u16::from_le_bytes([*first, *second]),
            _ => 0xfffd,
        });
        let text: String = char::decode_utf16(units)
            .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect();
        let damaged = text.contains(char::REPLACEMENT_CHARACTER);
        return Text {
            text,
            complaint: damaged.then(|| "some of its UTF-16 is damaged and was replaced".to_owned()),
        };
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let charset::Decoded { text, encoding } = charset::decode(bytes);
    let complaint = match (encoding, invalid_bytes(bytes)) {
        (Some(encoding), _) => Some(read_as(encoding)),
        (None, 0) => None,
        (None, invalid) => Some(format!(
            "{invalid} bytes are not UTF-8 and were replaced: save the file as UTF-8 to keep them"
        )),
    };
    Text { text: text.into_owned(), complaint }
}

/// The complaint about a text that is not UTF-8.
pub(crate) fn read_as(encoding: &'static encoding_rs::Encoding) -> String {
    format!(
        "it is not UTF-8 and was read as {}: save it as UTF-8 if that is wrong",
        encoding.name()
    )
}

fn utf16_order(bytes: &[u8]) -> Option<bool> {
    match bytes {
        [0xfe, 0xff, ..] => Some(true),
        [0xff, 0xfe, ..] => Some(false),
        _ => None,
    }
}

/// A problem with a whole file.
pub(crate) fn problem(path: &Path, message: impl Into<String>) -> Problem {
    Problem { file: path.to_owned(), line: None, message: message.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_names_do_not_depend_on_where_the_folder_lies() {
        assert_eq!(relative_name(Path::new("/a/b/c/d.md"), Path::new("/a/b")), "c/d.md");
        assert_eq!(relative_name(Path::new("/a/b/d.md"), Path::new("/a/b/d.md")), "d.md");
    }

    #[test]
    fn text_in_utf_16_is_read_and_bad_utf_8_is_replaced() {
        assert_eq!(decode(b"\xff\xfeh\0i\0").text, "hi");
        let text = decode(b"caf\xc3\xa9 au \xff lait");
        assert_eq!(text.text, "café au \u{fffd} lait");
        assert!(text.complaint.is_some_and(|complaint| complaint.starts_with("1 bytes")));
        let text = decode(b"caf\xe9 au lait");
        assert_eq!(text.text, "café au lait");
        assert!(text.complaint.is_some_and(|complaint| complaint.contains("windows-1252")));
    }

    #[test]
    fn binary_bytes_are_distinguished_from_text() {
        assert!(why_binary(b"\x7fELF\0\0\0").is_some());
        assert!(why_binary(&[0x80; 100]).is_some());
        assert!(why_binary("Grüße aus Ærø".as_bytes()).is_none());
        assert!(why_binary(b"one bad byte \xff in a line of text").is_none());
    }
}
