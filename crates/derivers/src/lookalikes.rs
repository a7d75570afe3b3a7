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

/// What programs and languages call the owner, as [`likeness`] writes it: whole names.
const OWNER_NAMES: [&str; 11] =
    ["user", "human", "me", "you", "owner", "i", "myself", "self", "yourself", "person", "enduser"];

/// Words that mean the owner in any name of a program.
const OWNER_WORDS: [&str; 6] = ["user", "human", "owner", "person", "yourself", "myself"];

/// Words that mean the owner where all others qualify them: "really me", "account holder". Beside
/// other words they are parts of names, as in "Tell Me More".
const OWNER_PRONOUNS: [&str; 4] = ["me", "you", "self", "holder"];

/// Words that leave the meaning of an owner's word as it is.
#[rustfmt::skip]
const QUALIFIERS: [&str; 34] = [
    "the", "a", "an", "your", "my", "our", "this", "that", "it", "is", "its", "s", "am", "are", "i", "and", "or",
    "end", "real", "really", "actual", "true", "genuine", "verified", "authenticated", "current", "primary", "main",
    "only", "account", "device", "computer", "space", "memory",
];

/// The same where no spaces are between the words.
const JOINED_QUALIFIERS: [&str; 8] =
    ["the", "your", "this", "end", "real", "actual", "account", "current"];

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

/// Whether a name reads as the owner of the memory: `user`, `The User`, `you (human)`, `account
/// owner`, and names that look like one of these. Every word of such a name means the owner or
/// qualifies another. Names of people and of their relations are not such names.
///
/// ```
/// use derivers::lookalikes::passes_for_owner;
///
/// assert!(passes_for_owner("us\u{200b}er") && passes_for_owner("Тhe Humаn (you)"));
/// assert!(!passes_for_owner("Ana") && !passes_for_owner("the user's sister"));
/// ```
pub fn passes_for_owner(name: &str) -> bool {
    let looks = likeness(name);
    let bare = ["the", "your"].iter().find_map(|article| looks.strip_prefix(article));
    if OWNER_NAMES.iter().any(|owner| looks == *owner || bare == Some(owner)) || is_owner(&looks) {
        return true;
    }
    words(name).iter().any(|words| {
        words.iter().any(|word| is_owner(word) || OWNER_PRONOUNS.contains(&word.as_str()))
            && words.iter().all(|word| {
                is_owner(word)
                    || OWNER_PRONOUNS.contains(&word.as_str())
                    || QUALIFIERS.contains(&word.as_str())
            })
    })
}

/// Whether a name has a word for the owner in it, whatever stands beside it. That refuses
/// `user-research-bot` as well: no list of other words could tell it from "user, not a bot". Names
/// that programs choose for themselves are judged by this rule.
///
/// ```
/// use derivers::lookalikes::names_owner;
///
/// assert!(names_owner("Mara, the user") && names_owner("user-research-bot"));
/// assert!(!names_owner("Claude Code") && !names_owner("Superuser"));
/// ```
pub fn names_owner(name: &str) -> bool {
    passes_for_owner(name) || words(name).iter().flatten().any(|word| is_owner(word))
}

/// The words of a name as they look, without digits after them. The name is split in two ways: at
/// spaces and punctuation, and at whatever is not a letter. A character that is neither may be
/// invisible, or look like a separator.
fn words(name: &str) -> [Vec<String>; 2] {
    let plain: String = name.nfkd().take(NAME_CHARS_MAX).collect();
    let is_punctuation = |letter: char| letter.is_whitespace() || letter.is_ascii_punctuation();
    let is_other = |letter: char| !letter.is_alphanumeric();
    let look = |word: &str| likeness(word.trim_end_matches(|digit: char| digit.is_ascii_digit()));
    let found = |words: Vec<String>| words.into_iter().filter(|word| !word.is_empty()).collect();
    [
        found(plain.split(is_punctuation).map(look).collect()),
        found(plain.split(is_other).map(look).collect()),
    ]
}

/// Whether a word means the owner, or is several words without spaces that do: `humanuser`,
/// `theenduser`.
fn is_owner(word: &str) -> bool {
    let Some(owner) = OWNER_WORDS.iter().find(|owner| word.ends_with(**owner)) else {
        return false;
    };
    let mut rest = word.strip_suffix(owner).unwrap_or_default();
    while let Some(shorter) =
        OWNER_WORDS.iter().chain(&JOINED_QUALIFIERS).find_map(|part| rest.strip_suffix(part))
    {
        rest = shorter;
    }
    rest.is_empty()
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
            "human user",
            "the user",
            "account owner",
            "Account-Holder",
            "you (human)",
            "You, the user",
            "the real human",
            "It's me",
            "human•user",
            "humаn│usеr",
            "HumanUser",
            "theenduser",
            "the u s e r",
            "user 1",
            "user1",
            "a person",
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
            "the user's sister",
            "Human Resources",
            "Product Owner",
            "A. I. Lima",
            "You Xiaoming",
            "Real Madrid",
        ] {
            assert!(!passes_for_owner(name), "{name:?} is {}", likeness(name));
        }
    }

    #[test]
    fn a_program_has_no_word_for_the_owner_in_its_name() {
        for name in [
            "the user",
            "Mara (user)",
            "user-research-bot",
            "user, not a bot",
            "usеr_proxy",
            "hu\u{200b}man in the loop",
            "Certified Account Owner",
            "user2 via web",
        ] {
            assert!(names_owner(name), "{name:?} is {}", likeness(name));
        }
        for name in [
            "Claude Code",
            "codex-mcp-client",
            "Cursor",
            "Tell Me More",
            "You.com",
            "superuser",
            "UserProxyAgent",
            "self-hosted-llm",
            "personal-assistant",
            "Personify",
            "users",
            "agent",
            "",
        ] {
            assert!(!names_owner(name), "{name:?} is {}", likeness(name));
        }
    }
}
