//! Photos, known by what is written in and beside them: EXIF headers and JSON sidecars.
//!
//! A photo is a memory of a moment: when, where, who, in which album, with which words. Pixels are
//! never decoded; that is the work of a model, and what it sees arrives later as captions.
//!
//! The identity is the file's name below the imported folder and the time in its EXIF header (the
//! hash of its first bytes where there is none), so a later sidecar adds to the same memory, and
//! another photo under an old name (cameras count to 9999 and begin again) is another memory.

mod album;
mod container;
mod exif;
mod sidecar;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufReader, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use kernel::evidence::{Evidence, EvidenceKind, Location, Payload, Visibility};
use kernel::when::When;
use serde_json::Value;

use crate::files::{self, has_extension, problem, stem};
use crate::secrets::{cut_chars, summarize};
use crate::{Context, ImportError, Importer, Match, Probe, Sink, dates};
use album::{album, may_be_place};
use container::HeaderError;
use exif::Exif;
use sidecar::Sidecar;

/// Extensions of photo files.
pub(crate) const EXTENSIONS: [&str; 19] = [
    "jpg", "jpeg", "heic", "heif", "avif", "png", "webp", "tif", "tiff",
    // Raw formats of cameras, most of which are TIFF files. The header of CR3 is not read.
    "dng", "cr2", "nef", "arw", "pef", "srw", "rw2", "orf", "raf", "cr3",
];

/// How many of the first bytes identify a photo without a time.
const IDENTITY_BYTES: u64 = 64 * 1024;
/// Longest description or title, in characters.
const CAPTION_CHARS_MAX: usize = 4_000;

const FORMAT: &str = "photo";

/// Reads photos and folders of them.
pub struct Photo;

/// True for degrees on Earth.
pub(crate) fn is_position(lat: f64, lon: f64) -> bool {
    (-90.0..=90.0).contains(&lat) && (-180.0..=180.0).contains(&lon)
}

impl Importer for Photo {
    fn name(&self) -> &'static str {
        FORMAT
    }

    fn describe(&self) -> &'static str {
        "photos (JPEG, HEIC, PNG, WebP, TIFF, DNG and raw), one or a folder: EXIF, Takeout sidecars"
    }

    fn detect(&self, probe: &Probe<'_>) -> Match {
        if probe.is_dir {
            let (images, others) = files::survey(probe.path, &EXTENSIONS);
            let (sidecars, _) = files::survey(probe.path, &["json", "xmp", "mp4", "mov"]);
            let mostly = images >= others.saturating_sub(sidecars);
            return if images > 0 && mostly { Match::Likely } else { Match::No };
        }
        let magic = match probe.head {
            [0xff, 0xd8, 0xff, ..] | [0x89, b'P', b'N', b'G', ..] => true,
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => true,
            [_, _, _, _, b'f', b't', b'y', b'p', brand @ ..] => {
                [b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1", b"avif"]
                    .iter()
                    .any(|known| brand.starts_with(*known))
            }
            [b'I', b'I', 42, 0, ..] | [b'M', b'M', 0, 42, ..] => {
                has_extension(probe.path, &EXTENSIONS)
            }
            _ => false,
        };
        match (magic, has_extension(probe.path, &EXTENSIONS)) {
            (true, _) => Match::Certain,
            (false, true) => Match::Likely,
            (false, false) => Match::No,
        }
    }

    fn import(
        &self,
        path: &Path,
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), ImportError> {
        if !path.is_dir() {
            let folder = path.parent().unwrap_or(Path::new(""));
            let names = json_names(folder, path);
            let (header, ..) = read_header(path)
                .map_err(|source| ImportError::Io { path: path.to_owned(), source })?;
            if let Err(error @ HeaderError::Unknown) = header {
                let reason = error.to_string();
                return Err(ImportError::Format { path: path.to_owned(), format: FORMAT, reason });
            }
            let _ = import_photo(path, context.name_of(path, path), &names, sink);
            return Ok(());
        }
        let found = files::walk(path, |file| {
            has_extension(file, &EXTENSIONS) || has_extension(file, &["json"])
        })?;
        for trouble in found.problems {
            if sink.problem(trouble).is_break() {
                return Ok(());
            }
        }
        let (json, photos): (Vec<_>, Vec<_>) =
            found.files.into_iter().partition(|file| has_extension(file, &["json"]));
        let mut sidecars: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
        for file in json {
            if let (Some(folder), Some(name)) = (file.parent(), file.file_name()) {
                sidecars
                    .entry(folder.to_owned())
                    .or_default()
                    .insert(name.to_string_lossy().into_owned());
            }
        }
        let none = BTreeSet::new();
        for photo in photos {
            let names = photo.parent().and_then(|folder| sidecars.get(folder)).unwrap_or(&none);
            if import_photo(&photo, context.name_of(&photo, path), names, sink).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// The JSON files beside a single photo whose names begin as its own does.
fn json_names(folder: &Path, photo: &Path) -> BTreeSet<String> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let begin =
        photo.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let begin = begin.split('(').next().unwrap_or_default().to_owned();
    let Ok(listing) = std::fs::read_dir(folder) else { return BTreeSet::new() };
    listing
        .take(files::FILES_MAX)
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .filter(|name| name.starts_with(&begin) && name.ends_with(".json"))
        .collect()
}

/// The file among the JSON files beside a photo that describes it.
pub(crate) fn sidecar_of(photo: &Path, json: &BTreeSet<String>) -> Option<PathBuf> {
    let name = photo.file_name()?.to_string_lossy();
    sidecar::name_for(&name, json).map(|found| photo.with_file_name(found))
}

/// Imports one photo, which `relative` identifies beside its content.
pub(crate) fn import_photo(
    file: &Path,
    relative: String,
    json: &BTreeSet<String>,
    sink: &mut dyn Sink,
) -> ControlFlow<()> {
    let sidecar = match sidecar_of(file, json) {
        None => None,
        Some(beside) => {
            let read = files::read_bytes(&beside, sidecar::SIDECAR_BYTES_MAX)
                .map_err(|error| error.to_string());
            match read.and_then(|bytes| sidecar::read(&bytes)) {
                Ok(sidecar) => {
                    for complaint in &sidecar.complaints {
                        sink.problem(problem(&beside, complaint.clone()))?;
                    }
                    Some(sidecar)
                }
                Err(reason) => {
                    sink.problem(problem(&beside, format!("the sidecar was left out: {reason}")))?;
                    None
                }
            }
        }
    };
    let (header, identity, length) = match read_header(file) {
        Ok(read) => read,
        Err(error) => {
            return sink.problem(problem(file, format!("the photo cannot be read: {error}")));
        }
    };
    sink.progress(length);
    let exif = match header {
        Ok(exif) => exif,
        Err(error) => {
            sink.problem(problem(file, format!("the photo's header cannot be read: {error}")))?;
            if sidecar.is_none() && error == HeaderError::Unknown {
                return ControlFlow::Continue(());
            }
            Exif::default()
        }
    };
    for complaint in &exif.complaints {
        sink.problem(problem(file, complaint.clone()))?;
    }
    sink.evidence(record(&relative, &album(file), exif, sidecar.unwrap_or_default(), &identity))
}

type Header = Result<Exif, HeaderError>;

fn read_header(file: &Path) -> std::io::Result<(Header, String, u64)> {
    let mut head = Vec::new();
    File::open(file)?.take(IDENTITY_BYTES).read_to_end(&mut head)?;
    let hash = blake3::hash(&head).to_hex().chars().take(16).collect();
    let mut bytes = container::Bytes::new(BufReader::new(File::open(file)?))?;
    let header = match container::exif_block(&mut bytes) {
        Ok(Some((start, length))) => exif::read(&mut bytes, start, length),
        Ok(None) => Ok(Exif::default()),
        Err(error) => Err(error),
    };
    Ok((header, hash, bytes.length()))
}

fn record(
    relative: &str,
    album: &Option<String>,
    exif: Exif,
    sidecar: Sidecar,
    hash: &str,
) -> Evidence {
    let identity = exif.taken.as_ref().map_or_else(|| hash.to_owned(), When::to_string);
    let in_name = || dates::date_in_name(relative).map(When::from_date);
    let at = exif.taken.or(sidecar.taken).or_else(in_name);
    let position = exif.position.or(sidecar.position);
    let is_place = |album: &String| position.is_some() && may_be_place(album);
    let label = sidecar.place.or_else(|| album.clone().filter(is_place));
    let location = (position.is_some() || label.is_some()).then(|| Location {
        label,
        lat: position.map(|(lat, _)| lat),
        lon: position.map(|(_, lon)| lon),
    });
    let short = |text: String| cut_chars(&text, CAPTION_CHARS_MAX).to_owned();
    let mut captions: Vec<String> = Vec::new();
    for caption in [sidecar.description, exif.description].into_iter().flatten().map(short) {
        if !captions.contains(&caption) {
            captions.push(caption);
        }
    }
    // Takeout's title is the original file name, which is of no use to a reader.
    let own_name = relative.rsplit('/').next().unwrap_or(relative);
    let title = sidecar.title.map(short).filter(|title| {
        title != own_name
            && stem(title) != stem(own_name)
            && !has_extension(Path::new(title), &EXTENSIONS)
    });
    // If nothing is known of a photo, its file name at least identifies it.
    let nothing_known = album.is_none()
        && location.is_none()
        && at.is_none()
        && sidecar.people.is_empty()
        && captions.is_empty();
    let shown = title.as_deref().or(nothing_known.then_some(own_name));
    let text = describe(
        shown,
        album.as_deref(),
        location.as_ref(),
        at.as_ref(),
        &sidecar.people,
        &captions,
    );
    let mut more = serde_json::Map::new();
    let details = [
        ("file", Some(Value::from(relative))),
        ("camera", exif.camera.map(Value::from)),
        ("altitude_m", exif.altitude_m.map(|metres| Value::from((metres * 10.0).round() / 10.0))),
    ];
    more.extend(details.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
    Evidence {
        source: FORMAT.to_owned(),
        source_uid: format!("{relative}@{identity}"),
        kind: EvidenceKind::from(EvidenceKind::PHOTO),
        actor: exif.artist,
        at,
        summary: summarize(&text),
        visibility: Visibility::default(),
        payload: Payload {
            text,
            captions,
            title,
            session: relative
                .rsplit_once('/')
                .map(|(folder, _)| folder.to_owned())
                .or_else(|| album.clone()),
            session_title: album.clone(),
            participants: sidecar.people,
            tags: sidecar.tags,
            links: sidecar.url.into_iter().collect(),
            location,
            more,
            ..Payload::default()
        },
    }
}

/// The photo in a sentence: `Photo "Harbour" at Lisbon (38.7223, -9.1393), taken 2025-06-02 14:03,
/// with Ana and Ben.`
fn describe(
    title: Option<&str>,
    album: Option<&str>,
    location: Option<&Location>,
    at: Option<&When>,
    people: &[String],
    captions: &[String],
) -> String {
    let mut text = "Photo".to_owned();
    if let Some(title) = title {
        text.push_str(&format!(" “{title}”"));
    }
    let label = location.and_then(|location| location.label.as_deref());
    let position = location.and_then(|location| Some((location.lat?, location.lon?)));
    match (label, position) {
        (Some(label), Some((lat, lon))) => {
            text.push_str(&format!(" at {label} ({lat:.4}, {lon:.4})"))
        }
        (Some(label), None) => text.push_str(&format!(" at {label}")),
        (None, Some((lat, lon))) => text.push_str(&format!(" at {lat:.4}, {lon:.4}")),
        (None, None) => {}
    }
    if let Some(album) = album.filter(|album| Some(*album) != label) {
        text.push_str(&format!(" in album {album}"));
    }
    if let Some(at) = at {
        let civil = at.civil();
        text.push_str(&format!(", taken {}", at.date()));
        if !at.is_date_only() {
            text.push_str(&format!(" {:02}:{:02}", civil.hour(), civil.minute()));
            // Sidecars write UTC wherever the photo was taken.
            text.push_str(if at.as_str().ends_with('Z') { " UTC" } else { "" });
        }
    }
    match people {
        [] => {}
        [one] => text.push_str(&format!(", with {one}")),
        [first @ .., last] => text.push_str(&format!(", with {} and {last}", first.join(", "))),
    }
    text.push('.');
    for caption in captions {
        text.push(' ');
        text.push_str(caption);
    }
    text
}
