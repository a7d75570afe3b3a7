//! What is written beside a photo: a JSON file of the same name.
//!
//! Google Takeout writes `IMG_1.jpg.json`, or `IMG_1.jpg.supplemental-metadata.json` with the middle cut so that the name
//! fits, and moves a copy's number: `IMG_1(1).jpg` has `IMG_1.jpg(1).json` or `IMG_1.jpg.supplemental-metadata(1).json`. Other
//! tools write `IMG_1.json`.

use std::collections::BTreeSet;

use jiff::Timestamp;
use kernel::when::When;
use serde_json::Value;

use super::is_position;

/// Largest sidecar, in bytes.
pub(super) const SIDECAR_BYTES_MAX: u64 = 1024 * 1024;
/// Most people named in one.
const PEOPLE_MAX: usize = 256;

const TAKEOUT_SUFFIX: &str = "supplemental-metadata";

/// What was found.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Sidecar {
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) taken: Option<When>,
    pub(super) position: Option<(f64, f64)>,
    pub(super) place: Option<String>,
    pub(super) people: Vec<String>,
    pub(super) tags: Vec<String>,
    pub(super) url: Option<String>,
    /// Values that were there but made no sense.
    pub(super) complaints: Vec<String>,
}

/// The name of a photo's sidecar among the JSON files of its folder.
pub(super) fn name_for<'a>(photo: &str, json_names: &'a BTreeSet<String>) -> Option<&'a String> {
    let (stem, extension) = photo.rsplit_once('.')?;
    let find = |name: String| json_names.get(&name);
    if let Some(found) = find(format!("{photo}.json")) {
        return Some(found);
    }
    let (original, number) = match stem.strip_suffix(')').and_then(|stem| stem.rsplit_once('(')) {
        Some((before, number))
            if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            (format!("{before}.{extension}"), format!("({number})"))
        }
        _ => (photo.to_owned(), String::new()),
    };
    if let Some(found) = find(format!("{original}{number}.json")) {
        return Some(found);
    }
    let prefix = format!("{original}.");
    let cut = json_names.range(prefix.clone()..).take_while(|name| name.starts_with(&prefix)).find(
        |name| {
            name.strip_prefix(&prefix)
                .and_then(|rest| rest.strip_suffix(".json"))
                .and_then(|rest| rest.strip_suffix(&number))
                .is_some_and(|middle| !middle.is_empty() && TAKEOUT_SUFFIX.starts_with(middle))
        },
    );
    cut.or_else(|| find(format!("{stem}.json")))
}

/// Reads a sidecar.
pub(super) fn read(bytes: &[u8]) -> Result<Sidecar, String> {
    let json: Value =
        serde_json::from_slice(bytes).map_err(|error| format!("it is no JSON: {error}"))?;
    if !json.is_object() {
        return Err("it is no JSON object".to_owned());
    }
    let text = |keys: &[&str]| {
        let found = keys.iter().find_map(|key| json.get(key)?.as_str());
        found.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let mut sidecar = Sidecar {
        title: text(&["title"]),
        description: text(&["description", "caption"]),
        place: text(&["location", "place"]).or_else(|| place_name(&json)),
        url: text(&["url"]).filter(|url| url.starts_with("https://")),
        people: names(json.get("people")),
        tags: names(json.get("tags").or_else(|| json.get("keywords"))),
        ..Sidecar::default()
    };
    sidecar.taken = taken(&json, &mut sidecar.complaints);
    sidecar.position = position(&json, &mut sidecar.complaints);
    Ok(sidecar)
}

fn place_name(json: &Value) -> Option<String> {
    let name = json.get("geoData")?.get("name")?.as_str()?.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

fn names(list: Option<&Value>) -> Vec<String> {
    let entries = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    entries
        .iter()
        .filter_map(|entry| entry.as_str().or_else(|| entry.get("name")?.as_str()))
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .take(PEOPLE_MAX)
        .map(str::to_owned)
        .collect()
}

fn taken(json: &Value, complaints: &mut Vec<String>) -> Option<When> {
    if let Some(stamp) = json.get("photoTakenTime").and_then(|time| time.get("timestamp")) {
        let seconds = stamp.as_i64().or_else(|| stamp.as_str()?.parse().ok());
        let taken = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
        if taken.is_none() {
            complaints.push("its time cannot be read and was left out".to_owned());
        }
        return taken.filter(|taken| taken.as_second() != 0).map(When::from_timestamp);
    }
    let text =
        ["taken", "date", "datetime", "created"].iter().find_map(|key| json.get(key)?.as_str())?;
    let taken = crate::dates::when_in(text);
    if taken.is_none() {
        complaints.push("its time cannot be read and was left out".to_owned());
    }
    taken
}

fn position(json: &Value, complaints: &mut Vec<String>) -> Option<(f64, f64)> {
    let places = [json.get("geoData"), json.get("geoDataExif"), Some(json)];
    for place in places.into_iter().flatten() {
        let number = |keys: [&str; 2]| keys.iter().find_map(|key| place.get(key)?.as_f64());
        let (Some(lat), Some(lon)) = (number(["latitude", "lat"]), number(["longitude", "lon"]))
        else {
            continue;
        };
        if !is_position(lat, lon) {
            complaints.push("its position makes no sense and was left out".to_owned());
        } else if lat != 0.0 || lon != 0.0 {
            return Some((lat, lon));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_photo_finds_its_own_sidecar() {
        let names: BTreeSet<String> = [
            "IMG_1.jpg.json",
            "IMG_2.jpg.supplemental-metadata.json",
            "IMG_2.jpg.supplemental-metadata(1).json",
            "IMG_3.jpg(2).json",
            "a_rather_long_name.heic.supplemen.json",
            "IMG_4.json",
            "IMG_5.jpg.other.json",
        ]
        .map(str::to_owned)
        .into();
        for (photo, expect) in [
            ("IMG_1.jpg", Some("IMG_1.jpg.json")),
            ("IMG_2.jpg", Some("IMG_2.jpg.supplemental-metadata.json")),
            ("IMG_2(1).jpg", Some("IMG_2.jpg.supplemental-metadata(1).json")),
            ("IMG_3(2).jpg", Some("IMG_3.jpg(2).json")),
            ("a_rather_long_name.heic", Some("a_rather_long_name.heic.supplemen.json")),
            ("IMG_4.png", Some("IMG_4.json")),
            ("IMG_5.jpg", None),
            ("IMG_9.jpg", None),
        ] {
            assert_eq!(name_for(photo, &names).map(String::as_str), expect, "{photo}");
        }
    }

    #[test]
    fn no_position_is_written_as_zeros_and_nonsense_is_reported() {
        let none = read(br#"{"geoData": {"latitude": 0.0, "longitude": 0.0}}"#).unwrap();
        assert_eq!((none.position, none.complaints.len()), (None, 0));
        let nonsense =
            read(br#"{"latitude": 91, "longitude": 0, "photoTakenTime": {"timestamp": "soon"}}"#)
                .unwrap();
        assert_eq!((nonsense.position, nonsense.complaints.len()), (None, 2));
        assert!(read(b"[]").is_err());
        assert!(read("[".repeat(100_000).as_bytes()).is_err());
    }
}
