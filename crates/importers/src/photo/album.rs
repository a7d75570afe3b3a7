//! What the name of a photo's folder says.
//!
//! A name that a person chose is an album's, and an album may be called after a place. The folder
//! of a program or a device, or one for storage, is neither.

use std::path::Path;

/// Words of folders that programs and devices make, and people for storage; a name of such words
/// and numbers alone says nothing.
const TECHNICAL: [&str; 91] = [
    "album",
    "albums",
    "all",
    "android",
    "archive",
    "archives",
    "backup",
    "backups",
    "bilder",
    "camera",
    "card",
    "chats",
    "cloud",
    "computer",
    "copy",
    "dcim",
    "desktop",
    "disk",
    "documents",
    "download",
    "downloads",
    "drive",
    "dropbox",
    "edited",
    "export",
    "exports",
    "external",
    "facebook",
    "festplatte",
    "files",
    "fotos",
    "google",
    "gps",
    "handy",
    "hard",
    "hdd",
    "heic",
    "icloud",
    "image",
    "images",
    "imported",
    "instagram",
    "ipad",
    "iphone",
    "jpeg",
    "jpg",
    "laptop",
    "mac",
    "macbook",
    "media",
    "messenger",
    "misc",
    "mobile",
    "my",
    "nas",
    "new",
    "nextcloud",
    "old",
    "onedrive",
    "other",
    "pc",
    "phone",
    "photo",
    "photos",
    "pics",
    "picture",
    "pictures",
    "private",
    "received",
    "recovered",
    "roll",
    "samsung",
    "saved",
    "screenshots",
    "sd",
    "sent",
    "sicherung",
    "signal",
    "ssd",
    "sync",
    "tablet",
    "takeout",
    "telegram",
    "temp",
    "the",
    "tmp",
    "transfer",
    "unsorted",
    "usb",
    "video",
    "whatsapp",
];

/// Words of folders that say where photos are stored, not where they were taken.
const STORAGE: [&str; 21] = [
    "backup",
    "backups",
    "computer",
    "desktop",
    "downloads",
    "dropbox",
    "festplatte",
    "handy",
    "hdd",
    "icloud",
    "iphone",
    "laptop",
    "nas",
    "nextcloud",
    "onedrive",
    "phone",
    "screenshots",
    "sicherung",
    "ssd",
    "usb",
    "whatsapp",
];

/// The folder's name, if a person chose it.
pub(super) fn album(file: &Path) -> Option<String> {
    let name = file.parent()?.file_name()?.to_str()?.trim();
    let lower = name.to_lowercase();
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let given = name.chars().any(char::is_alphabetic)
        && !words(&lower).all(|word| TECHNICAL.contains(&word) || is_number(word))
        && !lower.starts_with('.')
        && !lower.starts_with("photos from ")
        && !lower.get(..3).is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    given.then(|| name.to_owned())
}

/// Whether the name of an album may be that of a place: `Ana's laptop` is none.
pub(super) fn may_be_place(album: &str) -> bool {
    !words(&album.to_lowercase()).any(|word| STORAGE.contains(&word))
}

fn words(lower: &str) -> impl Iterator<Item = &str> {
    lower.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty())
}
