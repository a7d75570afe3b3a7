//! Photos without pixels: a JPEG with only the EXIF header (CIPA DC-008) of a phone.
//!
//! The time is the local one, without an offset, as cameras write it; the position has the
//! receiver's six decimals.

use super::traces::Photo;

/// Bytes of one entry of a TIFF directory.
const ENTRY_BYTES: usize = 12;

/// The bytes of the file.
pub(super) fn jpeg(photo: &Photo) -> Vec<u8> {
    let exif = tiff(photo);
    let length = u16::try_from(exif.len() + 8).expect("a header of some hundred bytes");
    let mut bytes = vec![0xff, 0xd8, 0xff, 0xe1];
    bytes.extend(length.to_be_bytes());
    bytes.extend(b"Exif\0\0");
    bytes.extend(exif);
    bytes.extend([0xff, 0xd9]);
    bytes
}

/// A directory under construction: entries, and the values that are too long for theirs.
struct Directory {
    offset: usize,
    count: usize,
    entries: Vec<u8>,
    values: Vec<u8>,
}

impl Directory {
    fn new(offset: usize, count: usize) -> Self {
        Self { offset, count, entries: Vec::new(), values: Vec::new() }
    }

    fn entry(&mut self, tag: u16, kind: u16, count: u32, value: &[u8]) {
        self.entries.extend(tag.to_be_bytes());
        self.entries.extend(kind.to_be_bytes());
        self.entries.extend(count.to_be_bytes());
        if value.len() <= 4 {
            self.entries.extend(value);
            self.entries.resize(self.entries.len() + 4 - value.len(), 0);
        } else {
            let at = self.offset + 2 + self.count * ENTRY_BYTES + 4 + self.values.len();
            self.entries.extend((at as u32).to_be_bytes());
            self.values.extend(value);
        }
    }

    fn bytes(self) -> Vec<u8> {
        let mut bytes = (self.count as u16).to_be_bytes().to_vec();
        bytes.extend(self.entries);
        bytes.extend([0; 4]);
        bytes.extend(self.values);
        bytes
    }
}

fn tiff(photo: &Photo) -> Vec<u8> {
    let mut bytes = b"MM\0\x2a\0\0\0\x08".to_vec();
    let pointers = 1 + usize::from(photo.position.is_some());
    let details_at = 8 + 2 + pointers * ENTRY_BYTES + 4;
    let mut details = Directory::new(details_at, 1);
    let taken = photo.taken.strftime("%Y:%m:%d %H:%M:%S\0").to_string();
    details.entry(0x9003, 2, 20, taken.as_bytes());
    let details = details.bytes();
    let position_at = details_at + details.len();
    let mut main = Directory::new(8, pointers);
    main.entry(0x8769, 4, 1, &(details_at as u32).to_be_bytes());
    if photo.position.is_some() {
        main.entry(0x8825, 4, 1, &(position_at as u32).to_be_bytes());
    }
    bytes.extend(main.bytes());
    bytes.extend(details);
    if let Some((lat, lon)) = photo.position {
        let mut position = Directory::new(position_at, 4);
        position.entry(1, 2, 2, if lat < 0.0 { b"S\0" } else { b"N\0" });
        position.entry(2, 5, 3, &degrees(lat));
        position.entry(3, 2, 2, if lon < 0.0 { b"W\0" } else { b"E\0" });
        position.entry(4, 5, 3, &degrees(lon));
        bytes.extend(position.bytes());
    }
    bytes
}

/// Degrees, minutes and seconds as three fractions.
fn degrees(value: f64) -> Vec<u8> {
    let seconds_e4 = (value.abs() * 36_000_000.0).round() as u64;
    let parts = [
        (seconds_e4 / 36_000_000, 1),
        (seconds_e4 / 600_000 % 60, 1),
        (seconds_e4 % 600_000, 10_000),
    ];
    parts
        .into_iter()
        .flat_map(|(over, under): (u64, u32)| {
            [(over as u32).to_be_bytes(), under.to_be_bytes()].concat()
        })
        .collect()
}
