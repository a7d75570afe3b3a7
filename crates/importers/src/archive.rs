//! Zip archives from untrusted sources.
//!
//! Exports of chat services come as zip files. Of these only the entries that an importer asks for
//! by their file name are read, as streams. An archive of all sorts is unpacked ([`unpack`]) to a
//! folder of its own, which no path within the archive can leave. Nested archives are not opened.
//! An archive may unpack to more than it declares. So
//! four limits ([`Limits`]) are checked twice: on what the directory declares before anything is
//! read, and on the bytes that come out while reading. Exceeding one is [`ImportError::TooLarge`].
//! A damaged entry is reported as a problem, and the next entry is still read.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use rawzip::{CompressionMethod, FileReader, ZipArchive, ZipArchiveEntryWayfinder};

use crate::files::FOLDER_DEPTH_MAX;
use crate::input::{Counted, Input, LimitExceeded, ReadCount, format_error, is_limit, read_head};
use crate::{ImportError, Match, PROBE_BYTES, Probe, Problem, Sink};

/// How much an archive may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Entries, wanted or not.
    pub(crate) entries_max: u64,
    /// Unpacked size of one wanted entry.
    pub(crate) entry_bytes_max: u64,
    /// Unpacked size of all wanted entries.
    pub(crate) total_bytes_max: u64,
    /// Unpacked bytes for each packed byte of an entry. Chat JSON compresses 5 to 20 times;
    /// deflate's maximum is 1032.
    pub(crate) ratio_max: u64,
}

/// The limits of every import.
pub(crate) const LIMITS: Limits = Limits {
    entries_max: 200_000,
    entry_bytes_max: 4 * 1024 * 1024 * 1024,
    total_bytes_max: 8 * 1024 * 1024 * 1024,
    ratio_max: 200,
};

/// The ratio is not checked below this unpacked size: a few repeated lines compress to almost
/// nothing.
const RATIO_FREE_BYTES: u64 = 1024 * 1024;

/// Most entries of a folder that are looked at.
const FOLDER_ENTRIES_MAX: usize = 10_000;

/// The first bytes of a zip file.
const MAGIC: &[u8] = b"PK\x03\x04";

/// True if the first bytes are those of a zip archive.
pub(crate) fn is_zip(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

/// The first bytes of the first entry whose file name is `wanted`, to recognise what the archive
/// exports. `None` if there is none or it cannot be read.
pub(crate) fn peek(path: &Path, wanted: fn(&str) -> bool) -> Option<Vec<u8>> {
    let mut zip = Zip::open(path, "zip", LIMITS).ok()?;
    let entries = zip.entries(wanted).ok()?;
    let (_, entry) = entries.into_iter().next()?;
    let mut head = Vec::new();
    let read = zip.unpack(&entry, &Budget::new(&LIMITS), ReadCount::default());
    read.ok()?.take(PROBE_BYTES as u64).read_to_end(&mut head).ok()?;
    Some(head)
}

/// Whether `accepts` says so of one of the first `files_max` files of an archive, by its path and
/// first bytes. Files that cannot be read do not count.
pub(crate) fn any_file(
    path: &Path,
    files_max: usize,
    mut accepts: impl FnMut(&Path, &[u8]) -> bool,
) -> bool {
    let Ok(mut zip) = Zip::open(path, "zip", LIMITS) else { return false };
    let entries = zip.entries(|_| true).unwrap_or_default();
    entries.into_iter().take(files_max).any(|(name, entry)| {
        let mut head = Vec::new();
        let reader = zip.unpack(&entry, &Budget::new(&LIMITS), ReadCount::default());
        let read = reader.map(|reader| reader.take(PROBE_BYTES as u64).read_to_end(&mut head));
        matches!(read, Ok(Ok(_))) && accepts(&entry_path(path, &name), &head)
    })
}

/// The first bytes of the first file of a folder whose name is `wanted`: an archive that was
/// unpacked.
pub(crate) fn peek_folder(path: &Path, wanted: fn(&str) -> bool) -> Option<Vec<u8>> {
    let first = wanted_files(path, wanted).ok()?.into_iter().next()?;
    read_head(&first).ok()
}

/// The files of a folder whose names are `wanted`, ordered by name.
fn wanted_files(path: &Path, wanted: fn(&str) -> bool) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in path.read_dir()?.take(FOLDER_ENTRIES_MAX) {
        let entry = entry?;
        if entry.file_type()?.is_file() && entry.file_name().to_str().is_some_and(wanted) {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

/// Imports a JSON file, or the entries of a zip archive or of a folder whose names are `wanted`.
pub(crate) fn import_json_or_zip(
    path: &Path,
    format: &'static str,
    wanted: fn(&str) -> bool,
    sink: &mut dyn Sink,
    import_json: fn(Input<'_>, &mut dyn Sink) -> Result<ControlFlow<()>, ImportError>,
) -> Result<(), ImportError> {
    if path.is_dir() {
        let files = wanted_files(path, wanted)
            .map_err(|source| ImportError::Io { path: path.to_owned(), source })?;
        if files.is_empty() {
            return Err(format_error(
                path,
                format,
                "the folder has none of the files that hold conversations",
            ));
        }
        for file in files {
            if import_json(Input::open(&file, format)?, sink)?.is_break() {
                break;
            }
        }
        return Ok(());
    }
    let input = Input::open(path, format)?;
    if is_zip(input.head()) {
        drop(input);
        return for_each_entry(path, format, LIMITS, wanted, sink, import_json);
    }
    import_json(input, sink).map(|_| ())
}

/// Hands every entry whose file name is `wanted` to `each`, ordered by name.
pub(crate) fn for_each_entry(
    path: &Path,
    format: &'static str,
    limits: Limits,
    wanted: fn(&str) -> bool,
    sink: &mut dyn Sink,
    mut each: impl FnMut(Input<'_>, &mut dyn Sink) -> Result<ControlFlow<()>, ImportError>,
) -> Result<(), ImportError> {
    let mut zip = Zip::open(path, format, limits)?;
    let entries = zip.entries(wanted)?;
    if entries.is_empty() {
        return Err(format_error(
            path,
            format,
            "the archive has none of the files that hold conversations",
        ));
    }
    let budget = Budget::new(&limits);
    let count = ReadCount::default();
    let mut left = entries.len();
    let mut any_read = false;
    for (name, entry) in entries {
        left -= 1;
        let file = entry_path(path, &name);
        let reader = zip
            .unpack(&entry, &budget, count.clone())
            .map_err(|reason| format_error(&file, format, reason));
        let read = reader
            .and_then(|reader| Input::from_reader(reader, file.clone(), count.clone(), format))
            .and_then(|input| each(input, sink));
        count.report(sink);
        let flow = match read {
            Ok(flow) => {
                any_read = true;
                flow
            }
            // An entry in another format must not stop the others. If all are, the archive is the
            // wrong one.
            Err(error @ ImportError::Format { .. }) if left > 0 || any_read => {
                sink.problem(Problem { file, line: None, message: error.to_string() })
            }
            Err(error) => return Err(error),
        };
        if flow.is_break() {
            break;
        }
    }
    Ok(())
}

/// Unpacks every file to a folder that exists. Entries that cannot be read, or whose names lead
/// elsewhere, are problems. Returns how many bytes came out.
pub(crate) fn unpack(
    path: &Path,
    format: &'static str,
    limits: Limits,
    folder: &Path,
    sink: &mut dyn Sink,
) -> Result<u64, ImportError> {
    let mut zip = Zip::open(path, format, limits)?;
    let entries = zip.entries(|_| true)?;
    let budget = Budget::new(&limits);
    for (name, entry) in entries {
        let file = entry_path(path, &name);
        let unpacked = match inner_path(&name) {
            Some(below) => {
                let reader = zip.unpack(&entry, &budget, ReadCount::default());
                reader
                    .map_err(Unpack::Bad)
                    .and_then(|mut from| write(&folder.join(below), &mut from))
            }
            None => {
                Err(Unpack::Bad("its name leads out of the archive; it was left out".to_owned()))
            }
        };
        match unpacked {
            Ok(()) => {}
            Err(Unpack::Bad(message)) => {
                if sink.problem(Problem { file, line: None, message }).is_break() {
                    break;
                }
            }
            Err(Unpack::Limit(reason)) => return Err(zip.too_large(reason)),
            Err(Unpack::Disk(source)) => {
                return Err(ImportError::Io { path: folder.to_owned(), source });
            }
        }
    }
    Ok(budget.total_bytes.get())
}

/// Why an entry was not unpacked.
enum Unpack {
    /// The entry is at fault: the next one is tried.
    Bad(String),
    /// The archive holds too much.
    Limit(String),
    /// The disk is at fault.
    Disk(io::Error),
}

/// The path of an entry below the folder to which it is unpacked; none if it would leave it.
fn inner_path(name: &str) -> Option<PathBuf> {
    let name = name.replace('\\', "/");
    let parts = || name.split('/').filter(|part| !part.is_empty() && *part != ".");
    let is_plain = |part: &str| {
        let mut components = Path::new(part).components();
        matches!((components.next(), components.next()), (Some(Component::Normal(_)), None))
    };
    let is_inside = !name.starts_with('/')
        && parts().next().is_some()
        && parts().count() <= FOLDER_DEPTH_MAX
        && parts().all(|part| is_plain(part) && !part.contains('\0'));
    is_inside.then(|| parts().collect())
}

/// Writes a new file. What is there stays: the first of several entries of one name counts.
fn write(path: &Path, from: &mut dyn Read) -> Result<(), Unpack> {
    let bad = |error: io::Error| Unpack::Bad(format!("it cannot be unpacked: {error}"));
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(bad)?;
    }
    let mut file = File::create_new(path).map_err(bad)?;
    let mut piece = [0; 16 * 1024];
    loop {
        let read = match from.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) if is_limit(&error) => return Err(Unpack::Limit(error.to_string())),
            Err(error) => {
                // Half a file would be taken for the whole.
                let _ = std::fs::remove_file(path);
                return Err(Unpack::Bad(format!("it is damaged: {error}")));
            }
        };
        file.write_all(piece.get(..read).unwrap_or_default()).map_err(Unpack::Disk)?;
    }
}

/// How problems name an entry.
pub(crate) fn entry_path(path: &Path, name: &str) -> PathBuf {
    let mut file = path.as_os_str().to_owned();
    file.push("#");
    file.push(name);
    file.into()
}

struct Entry {
    wayfinder: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
    encrypted: bool,
    packed_bytes: u64,
}

struct Zip<'p> {
    archive: ZipArchive<FileReader>,
    buffer: Vec<u8>,
    path: &'p Path,
    format: &'static str,
    limits: Limits,
}

impl<'p> Zip<'p> {
    fn open(path: &'p Path, format: &'static str, limits: Limits) -> Result<Self, ImportError> {
        let file =
            File::open(path).map_err(|source| ImportError::Io { path: path.to_owned(), source })?;
        let mut buffer = vec![0; rawzip::MAX_CENTRAL_DIRECTORY_RECORD_SIZE];
        let archive = ZipArchive::from_file(file, &mut buffer).map_err(|error| {
            let reason = format!(
                "the zip archive cannot be opened ({error}); it may be only partly downloaded"
            );
            format_error(path, format, reason)
        })?;
        Ok(Self { archive, buffer, path, format, limits })
    }

    fn too_large(&self, reason: String) -> ImportError {
        ImportError::TooLarge { path: self.path.to_owned(), reason }
    }

    /// The wanted entries by name. If several share a name, the first counts.
    fn entries(
        &mut self,
        wanted: fn(&str) -> bool,
    ) -> Result<BTreeMap<String, Entry>, ImportError> {
        let Limits { entries_max, entry_bytes_max, total_bytes_max, ratio_max } = self.limits;
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut found = BTreeMap::new();
        let mut count = 0_u64;
        let mut total_bytes = 0_u64;
        let mut entries = self.archive.entries(&mut buffer);
        loop {
            let header = match entries.next_entry() {
                Ok(Some(header)) => header,
                Ok(None) => break,
                Err(error) => {
                    let reason = format!("the zip archive's directory is damaged: {error}");
                    return Err(format_error(self.path, self.format, reason));
                }
            };
            count += 1;
            if count > entries_max {
                return Err(
                    self.too_large(format!("the archive has more than {entries_max} entries"))
                );
            }
            let path = String::from_utf8_lossy(header.file_path().as_bytes()).into_owned();
            let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
            if header.is_dir() || path.contains("__MACOSX/") || !wanted(name) {
                continue;
            }
            let bytes = header.uncompressed_size_hint();
            let packed_bytes = header.compressed_size_hint();
            total_bytes = total_bytes.saturating_add(bytes);
            if bytes > entry_bytes_max || total_bytes > total_bytes_max {
                let reason = format!(
                    "unpacked, {path} passes {entry_bytes_max} bytes or all {total_bytes_max} bytes"
                );
                return Err(self.too_large(reason));
            }
            if bytes > RATIO_FREE_BYTES && bytes / packed_bytes.max(1) > ratio_max {
                return Err(self.too_large(bomb(ratio_max)));
            }
            let entry = Entry {
                wayfinder: header.wayfinder(),
                method: header.compression_method(),
                encrypted: header.flags().is_encrypted(),
                packed_bytes,
            };
            found.entry(path).or_insert(entry);
        }
        self.buffer = buffer;
        Ok(found)
    }

    fn unpack(
        &self,
        entry: &Entry,
        budget: &Budget,
        count: ReadCount,
    ) -> Result<Box<dyn Read + '_>, String> {
        if entry.encrypted {
            return Err("the entry is encrypted; unpack the archive and import the file".to_owned());
        }
        let zipped =
            self.archive.get_entry(entry.wayfinder).map_err(|error| format!("damaged: {error}"))?;
        let packed = Counted::new(zipped.reader(), count);
        let unpacked: Box<dyn Read + '_> = match entry.method {
            CompressionMethod::STORE => Box::new(packed),
            CompressionMethod::DEFLATE => {
                Box::new(flate2::bufread::DeflateDecoder::new(BufReader::new(packed)))
            }
            method => {
                return Err(format!(
                    "the compression method {method} is not supported; compress it with deflate"
                ));
            }
        };
        let checked = zipped.verifying_reader(unpacked);
        let ratio_bytes_max =
            entry.packed_bytes.saturating_mul(self.limits.ratio_max).max(RATIO_FREE_BYTES);
        Ok(Box::new(Bounded { inner: checked, bytes: 0, ratio_bytes_max, budget: budget.clone() }))
    }
}

fn bomb(ratio_max: u64) -> String {
    format!(
        "it unpacks to more than {ratio_max} times its size, as only zip bombs do; unpack it and import the file"
    )
}

/// How much the whole archive may still unpack.
#[derive(Clone)]
struct Budget {
    limits: Limits,
    total_bytes: Rc<Cell<u64>>,
}

impl Budget {
    fn new(limits: &Limits) -> Self {
        Self { limits: *limits, total_bytes: Rc::default() }
    }
}

/// Stops an entry that unpacks to more than allowed, whatever the directory declared.
struct Bounded<R> {
    inner: R,
    bytes: u64,
    ratio_bytes_max: u64,
    budget: Budget,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Limits { entry_bytes_max, total_bytes_max, ratio_max, .. } = self.budget.limits;
        let read = match self.inner.read(buffer) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            // Decoders use different error kinds for damage; errors of the disk carry a number.
            Err(error) if error.raw_os_error().is_some() => return Err(error),
            Err(error) => {
                return Err(io::Error::new(io::ErrorKind::InvalidData, error.to_string()));
            }
        };
        let total_bytes = self.budget.total_bytes.get().saturating_add(read as u64);
        self.budget.total_bytes.set(total_bytes);
        self.bytes = self.bytes.saturating_add(read as u64);
        let reason = if self.bytes > entry_bytes_max {
            format!("an entry unpacks to more than {entry_bytes_max} bytes")
        } else if total_bytes > total_bytes_max {
            format!("the archive unpacks to more than {total_bytes_max} bytes")
        } else if self.bytes > self.ratio_bytes_max {
            bomb(ratio_max)
        } else {
            return Ok(read);
        };
        Err(io::Error::other(LimitExceeded(reason)))
    }
}

/// What `recognise` says of the first bytes of a source: of the file itself, or of its first wanted
/// entry if it is a zip archive or an unpacked folder.
pub(crate) fn recognise_part(
    probe: &Probe<'_>,
    wanted: fn(&str) -> bool,
    recognise: fn(&[u8]) -> Match,
) -> Match {
    let peeked = match probe {
        Probe { is_dir: true, .. } => peek_folder(probe.path, wanted),
        _ if is_zip(probe.head) => peek(probe.path, wanted),
        _ => return recognise(probe.head),
    };
    peeked.map_or(Match::No, |head| recognise(&head))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Ignore;

    impl Sink for Ignore {
        fn evidence(&mut self, _: kernel::evidence::Evidence) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
        fn problem(&mut self, _: Problem) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
        fn progress(&mut self, _: u64) {}
    }

    /// Reads three stored entries of 100 bytes, two of them wanted, and returns how many bytes came
    /// out.
    fn unpack(limits: Limits) -> Result<usize, ImportError> {
        let mut bytes = Vec::new();
        let mut archive = rawzip::ZipArchiveWriter::new(&mut bytes);
        for name in ["a/x.json", "b/x.json", "other"] {
            let (mut entry, config) = archive.new_file(name).start().unwrap();
            let mut writer = config.wrap(&mut entry);
            writer.write_all(&[b'7'; 100]).unwrap();
            let (_, descriptor) = writer.finish().unwrap();
            entry.finish(descriptor).unwrap();
        }
        archive.finish().unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().write_all(&bytes).unwrap();
        let mut total = 0;
        let wanted = |name: &str| name == "x.json";
        for_each_entry(file.path(), "x", limits, wanted, &mut Ignore, |input, _| {
            total += input.head().len();
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(total)
    }

    #[test]
    fn each_limit_stops_what_passes_it_and_lets_through_what_does_not() {
        let exact =
            Limits { entries_max: 3, entry_bytes_max: 100, total_bytes_max: 200, ratio_max: 1 };
        assert_eq!(unpack(exact).unwrap(), 200);
        for limits in [
            Limits { entries_max: 2, ..exact },
            Limits { entry_bytes_max: 99, ..exact },
            Limits { total_bytes_max: 199, ..exact },
        ] {
            assert!(matches!(unpack(limits), Err(ImportError::TooLarge { .. })), "{limits:?}");
        }
    }

    #[test]
    fn limits_hold_for_the_unpacked_bytes_even_if_the_directory_declares_fewer() {
        let limits =
            Limits { entries_max: 1, entry_bytes_max: 100, total_bytes_max: 150, ratio_max: 1 };
        let budget = Budget::new(&limits);
        let read = |bytes: usize, ratio_bytes_max: u64| {
            let inner = io::Cursor::new(vec![0; bytes]);
            let mut bounded = Bounded { inner, bytes: 0, ratio_bytes_max, budget: budget.clone() };
            bounded.read_to_end(&mut Vec::new())
        };
        assert_eq!(read(100, 1000).unwrap(), 100);
        assert!(read(60, 1000).unwrap_err().to_string().contains("the archive unpacks"));
        budget.total_bytes.set(0);
        assert!(read(101, 1000).unwrap_err().to_string().contains("an entry unpacks"));
        budget.total_bytes.set(0);
        assert!(read(51, 50).unwrap_err().to_string().contains("zip bombs"));
    }
}
