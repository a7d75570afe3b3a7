//! The user's time zone.
//!
//! `jiff` finds it by listing the whole database of time zones, some forty folders, which a short
//! command would notice. The system's link names the zone and leads to its rules, so usually one
//! file is enough.

use jiff::tz::TimeZone;

/// The system's choice: a link to a file of the database of time zones, or a copy of one.
const CHOICE: &str = "/etc/localtime";
/// The database, in the paths of its files.
const DATABASE: &str = "/zoneinfo/";
/// Largest file of rules that is read; those of the database have a few kilobytes.
const RULES_BYTES_MAX: u64 = 1 << 18;

/// The time zone that the system or the variable `TZ` chooses.
pub(crate) fn system() -> TimeZone {
    if std::env::var_os("TZ").is_some() {
        return TimeZone::system();
    }
    linked(std::path::Path::new(CHOICE)).unwrap_or_else(TimeZone::system)
}

/// The zone that a link into the database names.
fn linked(link: &std::path::Path) -> Option<TimeZone> {
    let target = std::fs::read_link(link).ok()?;
    let (_, name) = target.to_str()?.rsplit_once(DATABASE)?;
    let rules = std::fs::metadata(link).ok().filter(|rules| rules.is_file())?;
    if rules.len() > RULES_BYTES_MAX {
        return None;
    }
    TimeZone::tzif(name, &std::fs::read(link).ok()?).ok()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// The rules of a zone that is always two hours ahead.
    fn rules() -> Vec<u8> {
        let block = |version: u8| {
            let mut bytes = b"TZif".to_vec();
            bytes.push(version);
            bytes.extend([0; 15]);
            for count in [0_u32, 0, 0, 0, 1, 4] {
                bytes.extend(count.to_be_bytes());
            }
            bytes.extend(7_200_i32.to_be_bytes());
            bytes.extend([0, 0]);
            bytes.extend(b"EET\0");
            bytes
        };
        [block(b'2'), block(b'2'), b"\nEET-2\n".to_vec()].concat()
    }

    #[test]
    fn a_link_into_the_database_names_the_zone_and_its_rules() {
        let folder = tempfile::tempdir().unwrap();
        let zones = folder.path().join("zoneinfo/Made");
        std::fs::create_dir_all(&zones).unwrap();
        std::fs::write(zones.join("Up"), rules()).unwrap();
        let link = folder.path().join("localtime");
        assert_eq!(linked(&link), None);
        std::os::unix::fs::symlink(zones.join("Up"), &link).unwrap();
        let zone = linked(&link).unwrap();
        assert_eq!(zone.iana_name(), Some("Made/Up"));
        assert_eq!(zone.to_offset(jiff::Timestamp::UNIX_EPOCH).seconds(), 7_200);
    }

    #[test]
    fn what_is_not_such_a_link_is_left_to_the_library() {
        let folder = tempfile::tempdir().unwrap();
        let (copy, link) = (folder.path().join("copy"), folder.path().join("link"));
        std::fs::write(&copy, rules()).unwrap();
        assert_eq!(linked(&copy), None);
        std::os::unix::fs::symlink(&copy, &link).unwrap();
        assert_eq!(linked(&link), None);
        std::fs::create_dir(folder.path().join("zoneinfo")).unwrap();
        let broken = folder.path().join("broken");
        std::os::unix::fs::symlink(folder.path().join("zoneinfo/Bad"), &broken).unwrap();
        assert_eq!(linked(&broken), None);
        std::fs::write(folder.path().join("zoneinfo/Bad"), "not rules").unwrap();
        assert_eq!(linked(&broken), None);
    }
}
