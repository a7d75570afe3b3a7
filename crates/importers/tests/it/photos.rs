//! Photos, built here byte by byte.

use serde_json::json;
use tempfile::tempdir;

use crate::support::{import, try_import, write};

/// A value of a TIFF directory.
pub(crate) enum Field {
    Text(&'static str),
    Ratio(Vec<(u32, u32)>),
    SignedRatio(Vec<(i32, i32)>),
    Long(u32),
}

/// A TIFF structure with its three directories.
#[derive(Default)]
pub(crate) struct Tiff {
    pub(crate) main: Vec<(u16, Field)>,
    pub(crate) details: Vec<(u16, Field)>,
    pub(crate) gps: Vec<(u16, Field)>,
    pub(crate) little_endian: bool,
}

impl Tiff {
    fn u16(&self, number: u16) -> [u8; 2] {
        if self.little_endian { number.to_le_bytes() } else { number.to_be_bytes() }
    }

    fn u32(&self, number: u32) -> [u8; 4] {
        if self.little_endian { number.to_le_bytes() } else { number.to_be_bytes() }
    }

    fn directory(&self, at: usize, fields: &[(u16, Field)]) -> Vec<u8> {
        let mut entries = self.u16(fields.len() as u16).to_vec();
        let mut values = Vec::new();
        let values_at = at + 2 + fields.len() * 12 + 4;
        for (tag, field) in fields {
            let (format, count, mut bytes) = match field {
                Field::Text(text) => (2, text.len() as u32 + 1, [text.as_bytes(), &[0]].concat()),
                Field::Long(number) => (4, 1, self.u32(*number).to_vec()),
                Field::SignedRatio(ratios) => {
                    let bytes = ratios.iter().flat_map(|(above, below)| {
                        [self.u32(above.cast_unsigned()), self.u32(below.cast_unsigned())].concat()
                    });
                    (10, ratios.len() as u32, bytes.collect())
                }
                Field::Ratio(ratios) => {
                    let bytes = ratios
                        .iter()
                        .flat_map(|(above, below)| [self.u32(*above), self.u32(*below)].concat());
                    (5, ratios.len() as u32, bytes.collect())
                }
            };
            entries.extend([&self.u16(*tag)[..], &self.u16(format), &self.u32(count)].concat());
            if bytes.len() <= 4 {
                bytes.resize(4, 0);
                entries.extend(bytes);
            } else {
                entries.extend(self.u32((values_at + values.len()) as u32));
                values.extend(bytes);
            }
        }
        entries.extend([0; 4]);
        [entries, values].concat()
    }

    pub(crate) fn build(mut self) -> Vec<u8> {
        let (details, gps) = (std::mem::take(&mut self.details), std::mem::take(&mut self.gps));
        let mut main = std::mem::take(&mut self.main);
        main.push((0x8769, Field::Long(0)));
        main.push((0x8825, Field::Long(0)));
        let details_at = 8 + self.directory(8, &main).len();
        let details = self.directory(details_at, &details);
        let gps_at = details_at + details.len();
        let gps = self.directory(gps_at, &gps);
        let pointers = main.len() - 2;
        main[pointers].1 = Field::Long(details_at as u32);
        main[pointers + 1].1 = Field::Long(gps_at as u32);
        let order: &[u8] = if self.little_endian { b"II\x2a\0" } else { b"MM\0\x2a" };
        [order, &self.u32(8), &self.directory(8, &main), &details, &gps].concat()
    }
}

fn harbour() -> Tiff {
    Tiff {
        main: vec![
            (0x010e, Field::Text("OLYMPUS DIGITAL CAMERA")),
            (0x010f, Field::Text("Acme")),
            (0x0110, Field::Text("Acme One")),
        ],
        details: vec![
            (0x9003, Field::Text("2025:06:02 14:03:12")),
            (0x9011, Field::Text("+02:00")),
        ],
        gps: vec![
            (1, Field::Text("N")),
            (2, Field::Ratio(vec![(38, 1), (43, 1), (2028, 100)])),
            (3, Field::Text("W")),
            (4, Field::Ratio(vec![(9, 1), (8, 1), (2148, 100)])),
        ],
        ..Tiff::default()
    }
}

pub(crate) fn jpeg(tiff: &[u8]) -> Vec<u8> {
    let length = (tiff.len() + 8) as u16;
    let app0 = b"\xff\xe0\0\x07JFIF\0";
    [
        b"\xff\xd8",
        &app0[..],
        b"\xff\xe1",
        &length.to_be_bytes(),
        b"Exif\0\0",
        tiff,
        b"\xff\xda\0\x02\x01\x02\xff\xd9",
    ]
    .concat()
}

fn boxed(name: &[u8; 4], body: &[u8]) -> Vec<u8> {
    [&(body.len() as u32 + 8).to_be_bytes()[..], name, body].concat()
}

/// The smallest HEIC file that has an EXIF item.
fn heic(tiff: &[u8]) -> Vec<u8> {
    let item = [&6_u32.to_be_bytes()[..], b"Exif\0\0", tiff].concat();
    let build = |offset: u32| {
        let infe = boxed(b"infe", b"\x02\0\0\0\0\x07\0\0Exif\0");
        let iinf = boxed(b"iinf", &[&b"\0\0\0\0\0\x01"[..], &infe].concat());
        let extent = [offset.to_be_bytes(), (item.len() as u32).to_be_bytes()].concat();
        let iloc =
            boxed(b"iloc", &[&b"\0\0\0\0\x44\0\0\x01\0\x07\0\0\0\x01"[..], &extent].concat());
        let meta = boxed(b"meta", &[&[0; 4][..], &iinf, &iloc].concat());
        [boxed(b"ftyp", b"heic\0\0\0\0mif1heic"), meta].concat()
    };
    let offset = build(0).len() as u32 + 8;
    [build(offset), boxed(b"mdat", &item)].concat()
}

fn png(tiff: &[u8]) -> Vec<u8> {
    let chunk = |name: &[u8], body: &[u8]| {
        [&(body.len() as u32).to_be_bytes()[..], name, body, &[0; 4]].concat()
    };
    [
        &b"\x89PNG\r\n\x1a\n"[..],
        &chunk(b"IHDR", &[0; 13]),
        &chunk(b"eXIf", tiff),
        &chunk(b"IEND", &[]),
    ]
    .concat()
}

fn raf(preview: &[u8]) -> Vec<u8> {
    let mut head = [&b"FUJIFILMCCD-RAW "[..], &[b'0'; 68]].concat();
    head.extend(148_u32.to_be_bytes());
    head.resize(148, 0);
    [&head[..], preview].concat()
}

fn webp(tiff: &[u8]) -> Vec<u8> {
    let chunk =
        |name: &[u8], body: &[u8]| [name, &(body.len() as u32).to_le_bytes()[..], body].concat();
    [&b"RIFF\0\0\0\0WEBP"[..], &chunk(b"VP8X", &[0; 10]), &chunk(b"EXIF", tiff)].concat()
}

#[test]
fn every_container_gives_the_same_photo() {
    let folder = tempdir().unwrap();
    let little = Tiff { little_endian: true, ..harbour() }.build();
    for (name, bytes) in [
        ("a.jpg", jpeg(&harbour().build())),
        ("b.jpg", jpeg(&little)),
        ("c.heic", heic(&harbour().build())),
        ("d.png", png(&little)),
        ("e.webp", webp(&harbour().build())),
        ("f.tiff", little.clone()),
        ("g.DNG", little.clone()),
        ("h.nef", little.clone()),
        ("i.rw2", [b"IIU\0", &little[4..]].concat()),
        ("j.orf", [b"IIRO", &little[4..]].concat()),
        ("k.raf", raf(&jpeg(&little))),
    ] {
        let path = write(folder.path(), &format!("Lisbon/{name}"), bytes);
        let collected = import("photo", folder.path());
        std::fs::remove_file(path).unwrap();
        assert_eq!(collected.problems, [], "{name}");
        let photo = &collected.evidence[0];
        assert_eq!(photo.source_uid, format!("Lisbon/{name}@2025-06-02T14:03:12+02:00"));
        assert_eq!(photo.at.as_ref().unwrap().as_str(), "2025-06-02T14:03:12+02:00");
        assert_eq!(
            photo.summary, "Photo at Lisbon (38.7223, -9.1393), taken 2025-06-02 14:03.",
            "{name}"
        );
        let location = photo.payload.location.as_ref().unwrap();
        assert_eq!((location.lat, location.lon), (Some(38.7223), Some(-9.1393)));
        assert_eq!(photo.payload.more["camera"], "Acme One");
        assert_eq!(photo.payload.captions, Vec::<String>::new());
        assert_eq!(photo.payload.session_title.as_deref(), Some("Lisbon"));
    }
}

#[test]
fn a_takeout_sidecar_adds_people_words_and_time() {
    let folder = tempdir().unwrap();
    write(folder.path(), "Photos from 2025/IMG_1.jpg", jpeg(&Tiff::default().build()));
    let sidecar = json!({
        "title": "IMG_1.jpg", "description": "Ben falls in.", "url": "https://photos.test/1",
        "photoTakenTime": { "timestamp": "1748865792", "formatted": "2 Jun 2025" },
        "geoData": { "latitude": 0.0, "longitude": 0.0 },
        "people": [{ "name": "Ana" }, { "name": "Ben" }, {}],
    });
    write(
        folder.path(),
        "Photos from 2025/IMG_1.jpg.supplemental-metadata.json",
        sidecar.to_string(),
    );
    let collected = import("photo", folder.path());
    assert_eq!(collected.problems, []);
    let photo = &collected.evidence[0];
    assert_eq!(
        photo.payload.text,
        "Photo, taken 2025-06-02 12:03 UTC, with Ana and Ben. Ben falls in."
    );
    assert_eq!(photo.at.as_ref().unwrap().as_str(), "2025-06-02T12:03:12Z");
    assert_eq!(photo.payload.participants, ["Ana", "Ben"]);
    assert_eq!(photo.payload.captions, ["Ben falls in."]);
    assert_eq!((&photo.payload.location, &photo.payload.title), (&None, &None));
    let single = import("photo", &folder.path().join("Photos from 2025/IMG_1.jpg"));
    assert_eq!(single.evidence[0].payload.participants, ["Ana", "Ben"]);
}

#[test]
fn a_sidecar_that_comes_later_does_not_change_the_identity() {
    let folder = tempdir().unwrap();
    write(folder.path(), "IMG_1.jpg", jpeg(&Tiff::default().build()));
    let before = import("photo", folder.path()).evidence.remove(0);
    write(
        folder.path(),
        "IMG_1.json",
        r#"{"title": "Harbour", "location": "Lisbon", "taken": "2025-06-02"}"#,
    );
    let after = import("photo", folder.path()).evidence.remove(0);
    assert_eq!(before.source_uid, after.source_uid);
    assert!(after.summary.starts_with("Photo “Harbour” at Lisbon"), "{}", after.summary);
}

#[test]
fn values_that_make_no_sense_are_left_out_and_reported() {
    let folder = tempdir().unwrap();
    let zero = Tiff {
        gps: vec![(1, Field::Text("N")), (2, Field::Ratio(vec![(0, 0); 3]))],
        ..Tiff::default()
    };
    let far = Tiff {
        gps: vec![
            (1, Field::Text("N")),
            (2, Field::Ratio(vec![(99, 1), (0, 1), (0, 1)])),
            (3, Field::Text("E")),
            (4, Field::Ratio(vec![(9, 1), (0, 1), (0, 1)])),
        ],
        ..Tiff::default()
    };
    let never =
        Tiff { details: vec![(0x9003, Field::Text("2025:13:45 99:00:00"))], ..Tiff::default() };
    let unset =
        Tiff { details: vec![(0x9003, Field::Text("0000:00:00 00:00:00"))], ..Tiff::default() };
    for (tiff, problems) in [(zero, 1), (far, 1), (never, 1), (unset, 0)] {
        let collected = import("photo", &write(folder.path(), "x.jpg", jpeg(&tiff.build())));
        assert_eq!(collected.problems.len(), problems, "{}", collected.complaints());
        assert_eq!(
            (&collected.evidence[0].at, &collected.evidence[0].payload.location),
            (&None, &None)
        );
    }
}

#[test]
fn photos_without_a_header_are_dated_by_their_names() {
    let folder = tempdir().unwrap();
    let collected = import(
        "photo",
        &write(folder.path(), "Screenshot_20250602-140312.png", png(&harbour().build()[..0])),
    );
    assert_eq!(collected.evidence.len(), 1);
    assert_eq!(collected.evidence[0].at.as_ref().unwrap().as_str(), "2025-06-02");
}

#[test]
fn directories_that_point_at_each_other_end() {
    let folder = tempdir().unwrap();
    // Every entry of every directory points back at the first directory.
    let mut loops = b"MM\0\x2a\0\0\0\x08".to_vec();
    loops.extend(1_000_u16.to_be_bytes());
    for index in 0..1_000_u16 {
        let tag = [0x8769_u16, 0x8825, 0xa005][usize::from(index % 3)];
        loops.extend([&tag.to_be_bytes()[..], b"\0\x04\0\0\0\x01\0\0\0\x08"].concat());
    }
    loops.extend(8_u32.to_be_bytes());
    let started = std::time::Instant::now();
    let collected = import("photo", &write(folder.path(), "loop.jpg", jpeg(&loops)));
    assert!(started.elapsed().as_secs() < 5);
    assert_eq!(collected.evidence.len(), 1);
}

fn is_answered(photo: &std::path::Path) -> bool {
    try_import("photo", photo).is_ok_and(|found| found.evidence.len() + found.problems.len() > 0)
        || matches!(try_import("photo", photo), Err(importers::ImportError::Format { .. }))
}

#[test]
fn every_cut_and_every_flipped_byte_ends_in_a_record_or_a_complaint() {
    let folder = tempdir().unwrap();
    let tiff = harbour().build();
    for (name, whole) in [
        ("a.jpg", jpeg(&tiff)),
        ("b.heic", heic(&tiff)),
        ("c.png", png(&tiff)),
        ("d.webp", webp(&tiff)),
        ("e.tif", tiff.clone()),
        ("f.raf", raf(&jpeg(&tiff))),
    ] {
        for length in (0..whole.len()).step_by(3) {
            assert!(
                is_answered(&write(folder.path(), name, &whole[..length])),
                "{name} cut at {length}"
            );
        }
        for position in 0..whole.len() {
            for value in [0xff, whole[position] ^ 0x80] {
                let mut damaged = whole.clone();
                damaged[position] = value;
                assert!(
                    is_answered(&write(folder.path(), name, &damaged)),
                    "{name} damaged at {position}"
                );
            }
        }
    }
}

#[test]
fn files_that_are_not_photos_are_reported_and_the_rest_is_imported() {
    let folder = tempdir().unwrap();
    write(folder.path(), "empty.jpg", "");
    write(folder.path(), "text.jpg", "no photo at all, just words");
    write(folder.path(), "good.jpg", jpeg(&harbour().build()));
    write(folder.path(), "good.jpg.json", "{ damaged");
    let collected = import("photo", folder.path());
    assert_eq!(collected.evidence.len(), 1);
    assert_eq!(collected.problems.len(), 3, "{}", collected.complaints());
    assert!(try_import("photo", &folder.path().join("missing.jpg")).is_err());
    let error = try_import("photo", &folder.path().join("text.jpg")).unwrap_err();
    assert!(error.to_string().contains("is not photo"), "{error}");
}

#[test]
fn only_the_header_of_a_large_file_is_read() {
    let folder = tempdir().unwrap();
    let path = write(folder.path(), "large.jpg", jpeg(&harbour().build()));
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(8 << 30).unwrap();
    let started = std::time::Instant::now();
    assert_eq!(import("photo", &path).evidence.len(), 1);
    assert!(started.elapsed().as_secs() < 2);
}

#[test]
fn a_photo_without_any_data_is_named_after_its_file() {
    let folder = tempdir().unwrap();
    let inbox = folder.path().join("photos");
    write(&inbox, "sunset.jpg", jpeg(&Tiff::default().build()));
    assert_eq!(import("photo", &inbox).evidence[0].payload.text, "Photo “sunset.jpg”.");
}

#[test]
fn a_position_is_read_in_every_form_that_devices_write() {
    let folder = tempdir().unwrap();
    let seconds = |degrees, seconds| {
        Field::Ratio(vec![(degrees, 1), if degrees == 60 { (8, 1) } else { (54, 1) }, seconds])
    };
    let cases = [
        ("N", seconds(60, (4_814, 100)), "E", seconds(24, (2_438, 100))),
        (
            "n",
            Field::SignedRatio(vec![(60, 1), (8, 1), (4_814, 100)]),
            "East",
            Field::SignedRatio(vec![(24, 1), (54, 1), (2_438, 100)]),
        ),
        ("North", Field::Text("60 8 48.14"), "E", Field::Text("24, 54, 24.38")),
        (
            "N",
            Field::Ratio(vec![(60_146_706, 1_000_000)]),
            "E",
            Field::Ratio(vec![(24, 1), (54_406_333, 1_000_000)]),
        ),
    ];
    for (lat_ref, lat, lon_ref, lon) in cases {
        let gps = vec![(1, Field::Text(lat_ref)), (2, lat), (3, Field::Text(lon_ref)), (4, lon)];
        let tiff = Tiff { gps, ..Tiff::default() };
        let collected = import("photo", &write(folder.path(), "x.jpg", jpeg(&tiff.build())));
        assert_eq!(collected.problems, [], "{lat_ref}");
        let location = collected.evidence[0].payload.location.as_ref().unwrap();
        let (lat, lon) = (location.lat.unwrap(), location.lon.unwrap());
        assert!((lat - 60.146_706).abs() < 1e-6 && (lon - 24.906_772).abs() < 1e-6, "{lat} {lon}");
    }
    let refused = [
        Field::SignedRatio(vec![(-60, 1), (8, 1), (0, 1)]),
        Field::Ratio(vec![(60, 1), (61, 1), (0, 1)]),
        Field::Text("somewhere"),
    ];
    for lat in refused {
        let lon = Field::Ratio(vec![(24, 1)]);
        let gps = vec![(1, Field::Text("N")), (2, lat), (3, Field::Text("E")), (4, lon)];
        let tiff = Tiff { gps, ..Tiff::default() };
        let collected = import("photo", &write(folder.path(), "x.jpg", jpeg(&tiff.build())));
        assert_eq!(collected.problems.len(), 1, "{}", collected.complaints());
        assert_eq!(collected.evidence[0].payload.location, None);
    }
}

#[test]
fn folders_that_programs_and_devices_make_are_neither_albums_nor_places() {
    let folder = tempdir().unwrap();
    for (name, album) in [
        ("WhatsApp Images", None),
        ("mobile", None),
        ("Camera Roll", None),
        ("iPhone photos", None),
        ("Backup old laptop", None),
        ("Photos 2019", None),
        ("External HDD (2)", None),
        ("Private picnic", Some("Private picnic")),
    ] {
        let path = write(folder.path(), &format!("{name}/x.jpg"), jpeg(&harbour().build()));
        let collected = import("photo", folder.path());
        std::fs::remove_file(path).unwrap();
        let payload = &collected.evidence[0].payload;
        assert_eq!(payload.session_title.as_deref(), album, "{name}");
        let label = payload.location.as_ref().unwrap().label.as_deref();
        assert_eq!(label, album, "{name}: {}", payload.text);
    }
}

#[test]
fn an_album_named_after_where_it_is_stored_is_not_a_place() {
    let folder = tempdir().unwrap();
    write(folder.path(), "Ana's laptop/x.jpg", jpeg(&harbour().build()));
    let payload = import("photo", folder.path()).evidence.remove(0).payload;
    assert_eq!(payload.session_title.as_deref(), Some("Ana's laptop"));
    let location = payload.location.unwrap();
    assert_eq!(location.label, None);
    assert!(location.lat.is_some() && payload.text.contains("in album Ana's laptop"));
}
