//! The EXIF values that a record needs: time, position, camera, artist.
//!
//! No library is used for the TIFF structure (TIFF 6, CIPA DC-008 "Exif 2.32"): general readers
//! follow every pointer each time it occurs, so a block of 64 KiB whose directories point at each
//! other takes minutes. This reader reads each of the three directories once, within limits.

use std::io::{Read, Seek};

use jiff::civil::DateTime;
use jiff::tz::Offset;
use kernel::when::When;

use super::container::{Bytes, HeaderError, is_tiff};
use super::is_position;

/// Most entries of one directory.
const ENTRIES_MAX: u64 = 1_024;
/// Longest text value.
const TEXT_BYTES_MAX: u64 = 4 * 1024;

/// What the header says.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Exif {
    pub(super) taken: Option<When>,
    pub(super) position: Option<(f64, f64)>,
    pub(super) altitude_m: Option<f64>,
    pub(super) camera: Option<String>,
    pub(super) artist: Option<String>,
    pub(super) description: Option<String>,
    /// Values that could not be used.
    pub(super) complaints: Vec<String>,
}

/// Reads the block of `length` bytes at `start`.
pub(super) fn read<R: Read + Seek>(
    file: &mut Bytes<R>,
    start: u64,
    length: u64,
) -> Result<Exif, HeaderError> {
    let mut tiff = Tiff { file, start, length, little_endian: false };
    let head = tiff.at(0, 8)?;
    tiff.little_endian = match head.first_chunk() {
        Some(begin) if is_tiff(*begin) => begin.starts_with(b"II"),
        _ => return Err(HeaderError::Truncated),
    };
    let first = tiff.number(head.get(4..8).unwrap_or_default());
    let main = tiff.directory(first)?;
    let mut exif = Exif::default();
    let sub_directory =
        |tiff: &mut Tiff<'_, R>, tag: u16, name: &str, complaints: &mut Vec<String>| {
            let pointer = main.iter().find(|entry| entry.tag == tag)?;
            let offset =
                tiff.number(pointer.inline.get(..pointer.inline_bytes()).unwrap_or_default());
            match tiff.directory(offset) {
                Ok(entries) => Some(entries),
                Err(error) => {
                    complaints.push(format!("its {name} data was left out: {error}"));
                    None
                }
            }
        };
    let details =
        sub_directory(&mut tiff, 0x8769, "camera", &mut exif.complaints).unwrap_or_default();
    let gps =
        sub_directory(&mut tiff, 0x8825, "position", &mut exif.complaints).unwrap_or_default();

    let make = tiff.text(&main, 0x010f);
    let model = tiff.text(&main, 0x0110);
    exif.camera = match (make, model) {
        (Some(make), Some(model)) if model.to_lowercase().starts_with(&make.to_lowercase()) => {
            Some(model)
        }
        (Some(make), Some(model)) => Some(format!("{make} {model}")),
        (make, model) => model.or(make),
    };
    exif.artist = tiff.text(&main, 0x013b);
    exif.description = tiff.text(&main, 0x010e).filter(|text| !is_camera_default(text));
    exif.taken = taken(&mut tiff, &main, &details, &mut exif.complaints);
    position(&mut tiff, &gps, &mut exif);
    Ok(exif)
}

/// Descriptions that cameras write by default.
fn is_camera_default(text: &str) -> bool {
    let upper = text.to_uppercase();
    upper.contains("DIGITAL CAMERA")
        || upper.contains("SONY DSC")
        || upper.starts_with("DCIM")
        || upper == "DEFAULT"
}

fn taken<R: Read + Seek>(
    tiff: &mut Tiff<'_, R>,
    main: &[Entry],
    details: &[Entry],
    complaints: &mut Vec<String>,
) -> Option<When> {
    let sources = [(details, 0x9003, 0x9011), (details, 0x9004, 0x9012), (main, 0x0132, 0x9010)];
    for (directory, time, offset) in sources {
        let Some(text) = tiff.text(directory, time) else { continue };
        let Some(civil) = civil(&text) else {
            if text.bytes().any(|byte| (b'1'..=b'9').contains(&byte)) {
                complaints.push("its time cannot be read and was left out".to_owned());
            }
            continue;
        };
        let offset = tiff.text(details, offset).and_then(|text| utc_offset(&text));
        return Some(match offset {
            Some(offset) => When::parse_given(&format!("{civil}{offset}"))
                .unwrap_or_else(|_| When::from_civil(civil)),
            None => When::from_civil(civil),
        });
    }
    None
}

/// `2025:06:02 14:03:12`; zeros and blanks stand for "not known".
fn civil(text: &str) -> Option<DateTime> {
    let numbers: Vec<u32> = text
        .get(..19)?
        .split([':', ' ', '-', 'T'])
        .map(str::parse)
        .collect::<Result<_, _>>()
        .ok()?;
    let [year, month, day, hour, minute, second] = numbers[..] else { return None };
    crate::dates::civil(crate::dates::date_of(year, month, day)?, hour, minute, second)
}

/// `+02:00`, checked.
fn utc_offset(text: &str) -> Option<String> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+')?),
    };
    let (hours, minutes) = rest.split_once(':')?;
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    if !(0..=18).contains(&hours) || !(0..60).contains(&minutes) {
        return None;
    }
    Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()?;
    Some(format!("{}{hours:02}:{minutes:02}", if sign < 0 { '-' } else { '+' }))
}

fn position<R: Read + Seek>(tiff: &mut Tiff<'_, R>, gps: &[Entry], exif: &mut Exif) {
    let has_position = gps.iter().any(|entry| matches!(entry.tag, 2 | 4));
    let lat = degrees(tiff, gps, 2, 1, ["N", "S"]);
    let lon = degrees(tiff, gps, 4, 3, ["E", "W"]);
    match (lat, lon) {
        (Some(lat), Some(lon)) if is_position(lat, lon) => {
            // A receiver without a fix writes zeros.
            exif.position = (lat != 0.0 || lon != 0.0).then_some((lat, lon));
        }
        _ if has_position => {
            exif.complaints.push("its position is not on Earth and was left out".to_owned())
        }
        _ => {}
    }
    if exif.position.is_some() {
        let below = tiff.value(gps, 5).is_some_and(|bytes| bytes.first() == Some(&1));
        let altitude = tiff.rationals(gps, 6).and_then(|altitude| altitude.first().copied());
        exif.altitude_m = altitude
            .filter(|metres| metres.abs() < 50_000.0)
            .map(|metres| if below { -metres } else { metres });
    }
}

fn degrees<R: Read + Seek>(
    tiff: &mut Tiff<'_, R>,
    gps: &[Entry],
    value: u16,
    reference: u16,
    signs: [&str; 2],
) -> Option<f64> {
    let parts = match tiff.rationals(gps, value) {
        Some(parts) => parts,
        None => numbers(&tiff.text(gps, value)?)?,
    };
    let reference = tiff.text(gps, reference)?.to_uppercase();
    let [positive, negative] = signs;
    // Some devices write the word.
    let sign = if reference.starts_with(negative) {
        -1.0
    } else if reference.starts_with(positive) {
        1.0
    } else {
        return None;
    };
    let [degrees, minutes, seconds] = match parts[..] {
        [degrees] => [degrees, 0.0, 0.0],
        [degrees, minutes] => [degrees, minutes, 0.0],
        [degrees, minutes, seconds] => [degrees, minutes, seconds],
        _ => return None,
    };
    // Rounded seconds may be a whole minute.
    if degrees < 0.0 || !(0.0..=60.0).contains(&minutes) || !(0.0..=60.0).contains(&seconds) {
        return None;
    }
    let total = sign * (degrees + minutes / 60.0 + seconds / 3600.0);
    // Seven decimals are a centimetre; more is noise of the division.
    Some((total * 1e7).round() / 1e7)
}

/// Degrees, minutes and seconds that were written as a text: `60 8 48.14`.
fn numbers(text: &str) -> Option<Vec<f64>> {
    let is_of_number = |char: char| char.is_ascii_digit() || char == '.';
    let parts = text.split(|char| !is_of_number(char)).filter(|part| !part.is_empty());
    let numbers: Vec<f64> = parts.map(|part| part.parse().ok()).collect::<Option<_>>()?;
    (1..=3).contains(&numbers.len()).then_some(numbers)
}

/// One entry of a directory.
#[derive(Clone, Copy)]
struct Entry {
    tag: u16,
    format: u16,
    count: u64,
    /// The value, or where it is.
    inline: [u8; 4],
}

impl Entry {
    fn unit_bytes(&self) -> u64 {
        match self.format {
            1 | 2 | 6 | 7 => 1,
            3 | 8 => 2,
            4 | 9 | 11 => 4,
            5 | 10 | 12 => 8,
            _ => 0,
        }
    }

    fn inline_bytes(&self) -> usize {
        if self.format == 3 { 2 } else { 4 }
    }
}

struct Tiff<'a, R> {
    file: &'a mut Bytes<R>,
    start: u64,
    length: u64,
    little_endian: bool,
}

impl<R: Read + Seek> Tiff<'_, R> {
    fn at(&mut self, offset: u64, length: u64) -> Result<Vec<u8>, HeaderError> {
        match offset.checked_add(length) {
            Some(end) if end <= self.length => self.file.at(self.start + offset, length),
            _ => Err(HeaderError::Truncated),
        }
    }

    fn number(&self, bytes: &[u8]) -> u64 {
        let add = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        if self.little_endian { bytes.iter().rev().fold(0, add) } else { bytes.iter().fold(0, add) }
    }

    fn directory(&mut self, offset: u64) -> Result<Vec<Entry>, HeaderError> {
        let count = self.at(offset, 2)?;
        let count = self.number(&count);
        if count > ENTRIES_MAX {
            return Err(HeaderError::Limit);
        }
        let bytes = self.at(offset.saturating_add(2), count * 12)?;
        Ok(bytes
            .chunks_exact(12)
            .filter_map(|entry| match entry {
                [t0, t1, f0, f1, c0, c1, c2, c3, v0, v1, v2, v3] => Some(Entry {
                    tag: u16::try_from(self.number(&[*t0, *t1])).ok()?,
                    format: u16::try_from(self.number(&[*f0, *f1])).ok()?,
                    count: self.number(&[*c0, *c1, *c2, *c3]),
                    inline: [*v0, *v1, *v2, *v3],
                }),
                _ => None,
            })
            .collect())
    }

    /// The bytes of a value, cut to [`TEXT_BYTES_MAX`]; `None` also if it is outside the block.
    fn value(&mut self, directory: &[Entry], tag: u16) -> Option<Vec<u8>> {
        let entry = directory.iter().find(|entry| entry.tag == tag)?;
        let length = entry.unit_bytes().checked_mul(entry.count)?;
        if length <= 4 {
            return Some(
                entry.inline.iter().copied().take(usize::try_from(length).ok()?).collect(),
            );
        }
        let offset = self.number(&entry.inline);
        self.at(offset, length.min(TEXT_BYTES_MAX)).ok()
    }

    fn text(&mut self, directory: &[Entry], tag: u16) -> Option<String> {
        let bytes = self.value(directory, tag)?;
        let text =
            String::from_utf8_lossy(bytes.split(|byte| *byte == 0).next()?).trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// Fractions; `None` if one divides by zero.
    fn rationals(&mut self, directory: &[Entry], tag: u16) -> Option<Vec<f64>> {
        /// Fractions of signed numbers, which some devices write for positions.
        const SIGNED: u16 = 10;
        let entry = directory
            .iter()
            .find(|entry| entry.tag == tag)
            .filter(|entry| matches!(entry.format, 5 | SIGNED))?;
        let is_signed = entry.format == SIGNED;
        if !(1..=3).contains(&entry.count) {
            return None;
        }
        let bytes = self.value(directory, tag)?;
        bytes
            .chunks_exact(8)
            .map(|pair| {
                let (above, below) = pair.split_at_checked(4)?;
                let number = |bytes: &[u8]| {
                    let number = u32::try_from(self.number(bytes)).ok()?;
                    let signed = f64::from(number.cast_signed());
                    Some(if is_signed { signed } else { f64::from(number) })
                };
                let (above, below) = (number(above)?, number(below)?);
                (below != 0.0).then_some(above / below)
            })
            .collect()
    }
}
