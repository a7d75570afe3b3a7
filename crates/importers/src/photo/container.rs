//! Finds the EXIF block in a JPEG, PNG, WebP, HEIC/AVIF or TIFF file.
//!
//! Only headers are read, by position, even of large files; pixels never. No count or length from
//! the file is trusted: boxes and segments are counted, blocks have a maximum size, and a position
//! outside the file is an error, not a read.
//!
//! Formats: JPEG (ITU-T T.81, EXIF in APP1), PNG 3 (`eXIf`), WebP (RIFF `EXIF`), HEIF (ISO/IEC
//! 23008-12: `meta` with `iinf` and `iloc`), TIFF 6, in which the whole file is the block.

use std::io::{Read, Seek, SeekFrom};

/// Most segments, chunks or boxes that are looked at.
const PARTS_MAX: usize = 4_096;
/// Largest EXIF block outside TIFF.
const EXIF_BYTES_MAX: u64 = 1024 * 1024;
/// Largest `meta` box of a HEIC file.
const META_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Why a file's header cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum HeaderError {
    #[error("it is not a JPEG, HEIC, PNG, WebP or TIFF file")]
    Unknown,
    #[error("it is cut off or damaged")]
    Truncated,
    #[error("its header is larger or more nested than any camera writes")]
    Limit,
}

/// A file read by position.
pub(super) struct Bytes<R> {
    reader: R,
    length: u64,
}

impl<R: Read + Seek> Bytes<R> {
    pub(super) fn new(mut reader: R) -> std::io::Result<Self> {
        let length = reader.seek(SeekFrom::End(0))?;
        Ok(Self { reader, length })
    }

    /// The file's length.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Exactly `length` bytes from `offset` on.
    pub(super) fn at(&mut self, offset: u64, length: u64) -> Result<Vec<u8>, HeaderError> {
        let end = offset.checked_add(length).ok_or(HeaderError::Truncated)?;
        if end > self.length {
            return Err(HeaderError::Truncated);
        }
        if length > META_BYTES_MAX {
            return Err(HeaderError::Limit);
        }
        self.reader.seek(SeekFrom::Start(offset)).map_err(|_| HeaderError::Truncated)?;
        let mut bytes = vec![0; usize::try_from(length).map_err(|_| HeaderError::Limit)?];
        self.reader.read_exact(&mut bytes).map_err(|_| HeaderError::Truncated)?;
        Ok(bytes)
    }
}

/// Where the TIFF structure of the EXIF data begins, and how long it is; `None` if the file has
/// none.
pub(super) fn exif_block<R: Read + Seek>(
    file: &mut Bytes<R>,
) -> Result<Option<(u64, u64)>, HeaderError> {
    let head = file.at(0, file.length.min(16))?;
    match head.as_slice() {
        [0xff, 0xd8, 0xff, ..] => jpeg(file, 0),
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => png(file),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => webp(file),
        [a, b, c, d, ..] if is_tiff([*a, *b, *c, *d]) => Ok(Some((0, file.length))),
        b"FUJIFILMCCD-RAW " => {
            let preview = file.at(FUJI_PREVIEW_AT, 4)?;
            let preview = preview.first_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes));
            match file.at(preview.into(), 2)?.as_slice() {
                [0xff, 0xd8] => jpeg(file, preview.into()),
                _ => Err(HeaderError::Truncated),
            }
        }
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => heif(file),
        _ => Err(HeaderError::Unknown),
    }
}

fn bounded(offset: u64, length: u64) -> Result<Option<(u64, u64)>, HeaderError> {
    if length > EXIF_BYTES_MAX { Err(HeaderError::Limit) } else { Ok(Some((offset, length))) }
}

/// Where a RAF file has the position of its preview, which is a JPEG with the EXIF data.
const FUJI_PREVIEW_AT: u64 = 84;

/// Whether a file begins as TIFF does, or as raw files of Panasonic (`U`) and Olympus (`R`), which
/// only have another number there.
pub(super) fn is_tiff(head: [u8; 4]) -> bool {
    matches!(
        head,
        [b'I', b'I', 42 | b'U', 0]
            | [b'M', b'M', 0, 42]
            | [b'I', b'I', b'R', b'O' | b'S']
            | [b'M', b'M', b'O', b'R']
    )
}

/// The block of a JPEG that begins at `base`.
fn jpeg<R: Read + Seek>(file: &mut Bytes<R>, base: u64) -> Result<Option<(u64, u64)>, HeaderError> {
    let mut position = base + 2;
    for _ in 0..PARTS_MAX {
        let head = file.at(position, 4)?;
        let (marker, length) = match head.as_slice() {
            [0xff, 0xff, ..] => {
                position += 1;
                continue;
            }
            // Scan data or the end of the image: its metadata comes before.
            [0xff, 0xda | 0xd9, ..] => return Ok(None),
            [0xff, marker, high, low] => (*marker, u64::from(u16::from_be_bytes([*high, *low]))),
            _ => return Err(HeaderError::Truncated),
        };
        if length < 2 {
            return Err(HeaderError::Truncated);
        }
        if marker == 0xe1 && length >= 8 && file.at(position + 4, 6)? == b"Exif\0\0" {
            // Cut off within the block still counts as cut off.
            file.at(position + 4, length - 2)?;
            return Ok(Some((position + 10, length - 8)));
        }
        position += 2 + length;
    }
    Err(HeaderError::Limit)
}

fn png<R: Read + Seek>(file: &mut Bytes<R>) -> Result<Option<(u64, u64)>, HeaderError> {
    let mut position = 8;
    for _ in 0..PARTS_MAX {
        let head = file.at(position, 8)?;
        let (length, name) = size_and_name(&head)?;
        match &name {
            b"eXIf" => return bounded(position + 8, length),
            b"IEND" => return Ok(None),
            _ => position = position.checked_add(12 + length).ok_or(HeaderError::Truncated)?,
        }
    }
    // A large picture may have many data chunks; its EXIF may follow them.
    Ok(None)
}

fn webp<R: Read + Seek>(file: &mut Bytes<R>) -> Result<Option<(u64, u64)>, HeaderError> {
    let mut position = 12;
    for _ in 0..PARTS_MAX {
        if position + 8 > file.length {
            return Ok(None);
        }
        let head = file.at(position, 8)?;
        let [n0, n1, n2, n3, s0, s1, s2, s3] = head[..] else { return Err(HeaderError::Truncated) };
        let length = u64::from(u32::from_le_bytes([s0, s1, s2, s3]));
        if [n0, n1, n2, n3] == *b"EXIF" {
            // Some writers put JPEG's prefix before the block.
            let prefixed = length >= 6 && file.at(position + 8, 6)? == b"Exif\0\0";
            let skip = if prefixed { 6 } else { 0 };
            return bounded(position + 8 + skip, length - skip);
        }
        position += 8 + length + length % 2;
    }
    Err(HeaderError::Limit)
}

fn size_and_name(head: &[u8]) -> Result<(u64, [u8; 4]), HeaderError> {
    match head {
        [s0, s1, s2, s3, n0, n1, n2, n3, ..] => {
            Ok((u64::from(u32::from_be_bytes([*s0, *s1, *s2, *s3])), [*n0, *n1, *n2, *n3]))
        }
        _ => Err(HeaderError::Truncated),
    }
}

fn heif<R: Read + Seek>(file: &mut Bytes<R>) -> Result<Option<(u64, u64)>, HeaderError> {
    let mut position = 0;
    for _ in 0..PARTS_MAX {
        if position >= file.length {
            return Ok(None);
        }
        let (mut size, name) = size_and_name(&file.at(position, 8)?)?;
        let mut header = 8;
        if size == 1 {
            let large = file.at(position + 8, 8)?;
            size = Cursor(&large).number(8)?;
            header = 16;
        } else if size == 0 {
            size = file.length - position;
        }
        let body = size.checked_sub(header).ok_or(HeaderError::Truncated)?;
        if &name == b"meta" {
            let meta = file.at(position + header, body)?;
            return match exif_item(&meta)? {
                Some((offset, length)) => exif_in_item(file, offset, length),
                None => Ok(None),
            };
        }
        position = position.checked_add(size).ok_or(HeaderError::Truncated)?;
    }
    Err(HeaderError::Limit)
}

/// The item begins with the number of bytes before the TIFF structure (usually the six of
/// `Exif\0\0`).
fn exif_in_item<R: Read + Seek>(
    file: &mut Bytes<R>,
    offset: u64,
    length: u64,
) -> Result<Option<(u64, u64)>, HeaderError> {
    let skip = 4 + Cursor(&file.at(offset, 4)?).number(4)?;
    let rest = length.checked_sub(skip).ok_or(HeaderError::Truncated)?;
    bounded(offset + skip, rest)
}

/// The place in the file of the item of type `Exif`.
fn exif_item(meta: &[u8]) -> Result<Option<(u64, u64)>, HeaderError> {
    let mut boxes = Cursor(meta);
    boxes.skip(4)?;
    let mut item = None;
    let mut locations = None;
    for _ in 0..PARTS_MAX {
        let Some((name, body)) = boxes.child()? else { break };
        match &name {
            b"iinf" => item = item_of_type_exif(body)?,
            b"iloc" => locations = Some(body),
            _ => {}
        }
    }
    match (item, locations) {
        (Some(item), Some(locations)) => location_of(locations, item),
        _ => Ok(None),
    }
}

fn item_of_type_exif(body: &[u8]) -> Result<Option<u64>, HeaderError> {
    let mut info = Cursor(body);
    let version = info.version()?;
    info.number(if version == 0 { 2 } else { 4 })?;
    for _ in 0..PARTS_MAX {
        let Some((_, entry)) = info.child()? else { return Ok(None) };
        let mut entry = Cursor(entry);
        let id_bytes = match entry.version()? {
            2 => 2,
            3 => 4,
            _ => continue,
        };
        let id = entry.number(id_bytes)?;
        entry.skip(2)?;
        if entry.take(4)? == b"Exif" {
            return Ok(Some(id));
        }
    }
    Err(HeaderError::Limit)
}

fn location_of(body: &[u8], item: u64) -> Result<Option<(u64, u64)>, HeaderError> {
    let mut locations = Cursor(body);
    let version = locations.version()?;
    let sizes = locations.number(2)?;
    let size = |shift: u32| usize::try_from(sizes >> shift & 0xf).unwrap_or(0);
    let (offset_size, length_size, base_size) = (size(12), size(8), size(4));
    let index_size = if version == 0 { 0 } else { size(0) };
    let wide = if version < 2 { 2 } else { 4 };
    let count = locations.number(wide)?;
    for _ in 0..count.min(PARTS_MAX as u64) {
        let id = locations.number(wide)?;
        let method = if version == 0 { 0 } else { locations.number(2)? & 0xf };
        locations.skip(2)?;
        let base = locations.number(base_size)?;
        let extents = locations.number(2)?;
        if id != item {
            let bytes = (index_size + offset_size + length_size) as u64 * extents;
            locations.skip(usize::try_from(bytes).map_err(|_| HeaderError::Limit)?)?;
            continue;
        }
        // Only items in one piece; cameras write EXIF in one piece.
        if method != 0 || extents != 1 {
            return Err(HeaderError::Limit);
        }
        locations.skip(index_size)?;
        let offset = locations.number(offset_size)?;
        let length = locations.number(length_size)?;
        let offset = base.checked_add(offset).ok_or(HeaderError::Truncated)?;
        return bounded(offset, length);
    }
    Ok(None)
}

/// A box's name and body.
type Child<'a> = ([u8; 4], &'a [u8]);

/// Reads forward through bytes in big-endian order.
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], HeaderError> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(HeaderError::Truncated)?;
        self.0 = rest;
        Ok(taken)
    }

    fn skip(&mut self, length: usize) -> Result<(), HeaderError> {
        self.take(length).map(|_| ())
    }

    /// An unsigned number of up to eight bytes; of none, zero.
    fn number(&mut self, length: usize) -> Result<u64, HeaderError> {
        if length > 8 {
            return Err(HeaderError::Limit);
        }
        Ok(self.take(length)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn version(&mut self) -> Result<u64, HeaderError> {
        Ok(self.number(4)? >> 24)
    }

    /// The next box: its name and body.
    fn child(&mut self) -> Result<Option<Child<'a>>, HeaderError> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let (size, name) = size_and_name(self.take(8)?)?;
        let body = match size {
            0 => self.0.len(),
            1 => usize::try_from(self.number(8)?.checked_sub(16).ok_or(HeaderError::Truncated)?)
                .map_err(|_| HeaderError::Limit)?,
            size => usize::try_from(size.checked_sub(8).ok_or(HeaderError::Truncated)?)
                .map_err(|_| HeaderError::Limit)?,
        };
        Ok(Some((name, self.take(body)?)))
    }
}
