//! Whether letters alone are random, as those of a key, or written, as those of a name.
//!
//! In names and words of European languages few pairs of letters follow each other that seldom do;
//! of random letters four in ten pairs are such. One in ten random runs of sixteen letters is taken
//! for a name, and hardly any name for a random run.

/// Shortest run that is judged.
const LETTERS_MIN: usize = 16;
/// Longest run that is judged.
const LETTERS_MAX: usize = 128;
/// Of so many pairs at least one must be rare: 3 in 10.
const RARE_PAIRS_MIN: (usize, usize) = (3, 10);
/// Longest run in the order of the alphabet, as samples have it.
const ALPHABET_RUN_MAX: usize = 5;

/// The letters that commonly follow each letter from `a` on: at least one pair of letters in 5 000
/// of the words in English notes, chats and minutes, and of the names in open-source code.
const COMMON_AFTER: [&str; 26] = [
    "abcdefghiklmnprstuvwxyz",
    "abcdefijlmorstuy",
    "abcdefghiklmnoprstuvy",
    "abcdefghilmnoprstuvwy",
    "abcdefghiklmnopqrstuvwxy",
    "abcdefilmnorstuy",
    "acdeghilmnoprstu",
    "acdeilmnoprstuwy",
    "abcdefgiklmnoprstvxz",
    "aeou",
    "adeilnostu",
    "abcdefgiklmnoprstuvy",
    "abcdefilmnopstu",
    "abcdefghiklmnoprstuvwyz",
    "abcdefghiklmnoprstuvwxy",
    "abcdefghiklmnoprstuvwy",
    "u",
    "abcdefghiklmnoprstuvwy",
    "abcdefghiklmnoprstuvwyz",
    "abcdefghilmnoprstuvwxyz",
    "abcdefgilmnprst",
    "aceios",
    "acdehilmnoprst",
    "abcdefipt",
    "aceilmnopst",
    "aeiou",
];

/// True for a run of at least [`LETTERS_MIN`] letters that nobody would write.
pub(super) fn are_random(text: &str) -> bool {
    if !(LETTERS_MIN..=LETTERS_MAX).contains(&text.len())
        || !text.bytes().all(|byte| byte.is_ascii_alphabetic())
    {
        return false;
    }
    let letters = text.to_ascii_lowercase();
    let pairs = || letters.as_bytes().windows(2);
    let rare = pairs().filter(|pair| matches!(pair, [first, next] if !is_common(*first, *next)));
    let (share, of) = RARE_PAIRS_MIN;
    rare.count() * of >= pairs().len() * share && !holds_alphabet(letters.as_bytes())
}

fn is_common(first: u8, next: u8) -> bool {
    let index = usize::from(first.saturating_sub(b'a'));
    COMMON_AFTER.get(index).is_some_and(|common| common.as_bytes().contains(&next))
}

/// True for a sample such as `abcdefgh`, or for one letter again and again.
fn holds_alphabet(letters: &[u8]) -> bool {
    let (mut ascending, mut same) = (0, 0);
    letters.windows(2).any(|pair| {
        let &[first, next] = pair else { return false };
        ascending = if next == first + 1 { ascending + 1 } else { 0 };
        same = if next == first { same + 1 } else { 0 };
        ascending.max(same) >= ALPHABET_RUN_MAX
    })
}
