//! Names that pass for the owner of the memory.
//!
//! Whoever writes to a memory names itself, and a name that reads as the owner's would lend its
//! words the owner's weight. So names are compared by how they look: compatibility forms, accents,
//! letters of other alphabets, invisible characters, spaces and case make no difference.
//!
//! Source: the idea of a skeleton in Unicode Technical Standard #39, "Confusable Detection", with a
//! table of the letters that occur in the names below.

use unicode_normalization::UnicodeNormalization;

/// Longest name that is compared, characters. A longer one is compared by its beginning.
const NAME_CHARS_MAX: usize = 256;

/// What programs and languages call the owner, as [`likeness`] writes it.
const OWNER_NAMES: [&str; 11] =
    ["user", "human", "me", "you", "owner", "i", "myself", "self", "yourself", "person", "enduser"];

/// Letters of other alphabets that look like a letter of the names above.
#[rustfmt::skip]
const LOOKALIKES: [(char, &str); 15] = [
    ('a', "аαɑᴀꭺ"), ('d', "ԁᴅꭰ"), ('e', "еεєҽᴇꭼ"), ('f', "ғꜰ"), ('h', "һհнʜꮋ"), ('i', "іιıɩɪꭵ1|"), ('l', "ӏʟ"),
    ('m', "мμᴍꮇ"), ('n', "пηոɴ"), ('o', "оοօσᴏ0"), ('p', "рρᴘꮲ"), ('r', "гʀꭱꮢ"), ('s', "ѕꜱꮪ"), ('u', "υսʋцᴜꮜ"),
    ('w', "ԝωᴡꮃ"),
];

/// Letters that look like `y`, and like `t`, which begins "the".
const LOOKALIKES_OF_Y: &str = "уүγʏꭹ";
const LOOKALIKES_OF_T: &str = "тτᴛꭲ";

/// How a name looks: lower-case letters and digits without accents, each letter of another alphabet
/// as the Latin letter that it looks like.
///
/// ```
/// assert_eq!(derivers::lookalikes::likeness(" Thе U\u{200b}sér! "), "theuser");
/// ```
pub fn likeness(name: &str) -> String {
    let plain = name.chars().take(NAME_CHARS_MAX).collect::<String>();
    let lower = plain.nfkd().flat_map(char::to_lowercase).map(|letter| match letter {
        letter if LOOKALIKES_OF_Y.contains(letter) => 'y',
        letter if LOOKALIKES_OF_T.contains(letter) => 't',
        letter => LOOKALIKES
            .iter()
            .find(|(_, others)| others.contains(letter))
            .map_or(letter, |(latin, _)| *latin),
    });
    // Marks, invisible characters, spaces and punctuation are not letters.
    lower.filter(|letter| letter.is_alphanumeric()).collect()
}

/// Whether a name reads as the owner of the memory: `user`, `The User`, `me`, and names that look
/// like one of these.
///
/// ```
/// use derivers::lookalikes::passes_for_owner;
///
/// assert!(passes_for_owner("us\u{200b}er") && passes_for_owner("Тhe Humаn"));
/// assert!(!passes_for_owner("Ana") && !passes_for_owner("Claude Code"));
/// ```
pub fn passes_for_owner(name: &str) -> bool {
    let looks = likeness(name);
    let bare = ["the", "your"].iter().find_map(|article| looks.strip_prefix(article));
    OWNER_NAMES.iter().any(|owner| looks == *owner || bare == Some(owner))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reads_as_the_owner_passes_for_the_owner() {
        for name in [
            "user",
            "USER",
            " The  User ",
            "the-user",
            "us\u{200b}er",
            "u\u{ad}ser",
            "ｕｓｅｒ",
            "𝐮𝐬𝐞𝐫",
            "usеr",
            "υser",
            "úser",
            "ᴜꜱᴇʀ",
            "u s e r",
            "Human",
            "humаn",
            "me",
            "Mе",
            "You",
            "yоu",
            "Owner",
            "0wner",
            "I",
            "myself",
            "end user",
            "your user",
            "\u{202e}user",
            "us\u{e0041}er",
            "[user]",
        ] {
            assert!(passes_for_owner(name), "{name:?} is {}", likeness(name));
        }
    }

    #[test]
    fn other_names_do_not() {
        for name in [
            "Ana",
            "",
            "Claude Code",
            "a test",
            "Юзер",
            "users",
            "Mei",
            "Youssef",
            "therapist",
            "Iain",
        ] {
            assert!(!passes_for_owner(name), "{name:?} is {}", likeness(name));
        }
    }
}
