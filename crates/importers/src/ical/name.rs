//! The name of a calendar, which keys the UIDs of its events.
//!
//! A UID should be unique in the world and is not: calendars of holidays number their days, and
//! copies of a calendar keep the UIDs of the original. So the key is what stays the same when a
//! calendar is exported again and differs between two: the name that it gives itself
//! (`X-WR-CALNAME`), else the name of its file, without its folder's own name above the import and
//! without the number that a browser adds to a second download. The program that wrote it
//! (`PRODID`) does not count: calendars move between programs. A message between calendars
//! (`METHOD:REQUEST`, …) has no key, since its later versions come in other files.

/// Longest key, bytes.
const KEY_BYTES_MAX: usize = 120;

/// The key of a calendar of this name: what separates it from the UID does not occur in it.
pub(super) fn key(name: &str) -> String {
    let words = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut key = words.replace('%', "%25").replace('/', "%2F");
    if key.len() > KEY_BYTES_MAX {
        let hash = blake3::hash(key.as_bytes()).to_hex();
        key.truncate(key.floor_char_boundary(KEY_BYTES_MAX));
        key.push('-');
        key.extend(hash.chars().take(16));
    }
    key
}

/// What stands for the name of a calendar without one: `work` of `work (2).ics`.
pub(super) fn of_file(name: &str) -> String {
    let stem = match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    };
    let copy = stem.strip_suffix(')').and_then(|stem| stem.rsplit_once(" ("));
    match copy {
        Some((original, number))
            if !original.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            original.to_owned()
        }
        _ => stem.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_calendar_exported_again_has_the_same_key_and_another_has_not() {
        assert_eq!(of_file("work.ics"), "work");
        assert_eq!(of_file("work (2).ics"), "work");
        assert_eq!(of_file("team/work (old).ics"), "team/work (old)");
        assert_eq!(of_file(".ics"), ".ics");
        assert_eq!(key("Mara"), "Mara");
        assert_eq!(key("  Mara\n 2 "), "Mara 2");
        assert_ne!(key("a/b"), key("a%2Fb"));
        let long = "é".repeat(200);
        assert!(key(&long).len() < 160);
        assert_ne!(key(&long), key(&(long.clone() + "x")));
    }
}
