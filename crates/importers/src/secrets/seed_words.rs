//! The words that recover a wallet (BIP-39), without a name before them.
//!
//! A phrase is 12, 15, 18, 21 or 24 words of a list of 2 048, and its last word holds a checksum,
//! so the words alone are enough. They may be in a sentence, numbered, one on each line, or the
//! strings of a JSON array, with the same between any two. Prose seldom has even five words of the
//! list in a row.
//!
//! A phrase has at least [`PHRASE_BYTES_MIN`] bytes. So the text is looked at once in so many
//! bytes, and only where a word of the list stands are its neighbours read: most text is skipped.
//!
//! Source of the list, the numbers of words and the checksum: BIP-39, as the crate `bip39` has it.

use std::ops::Range;
use std::sync::LazyLock;

use bip39::{Language, Mnemonic};

use super::SecretKind;
use super::find::Span;

/// Words of a phrase.
const PHRASE_WORDS: [usize; 5] = [24, 21, 18, 15, 12];
/// Words of the longest phrase.
const PHRASE_WORDS_MAX: usize = 24;
/// Words of the shortest phrase.
const PHRASE_WORDS_MIN: usize = 12;
/// Length of the shortest phrase: twelve words of three letters, and what is between them.
const PHRASE_BYTES_MIN: usize = 12 * 3 + 11;
/// Letters of a word of the list.
const WORD_LETTERS: std::ops::RangeInclusive<usize> = 3..=8;
/// Most bytes between two words: `" |\r\n| 12 | "`.
const GAP_BYTES_MAX: usize = 20;
/// Most words beside a phrase that are in the list too, as in "my wallet: …".
const WORDS_BESIDE_MAX: usize = 3;
/// Longest run of words that is kept; of a longer one only the lines are judged.
const RUN_WORDS_MAX: usize = 1 << 16;

/// A word in a text that is in the list by its hash.
struct LikelyWord {
    at: Range<usize>,
    begins_line: bool,
}

/// A word of the list in a text.
struct ListWord {
    at: Range<usize>,
    /// Its place in the list.
    index: u16,
    begins_line: bool,
}

/// Hashes of the words, as a set of bits: nearly all other words are told apart by it, in a tenth
/// of the time that the list takes.
struct WordHashes([u64; WORD_HASHES / 64]);

/// Hashes that a word can have; one in sixteen is that of a word of the list.
const WORD_HASHES: usize = 1 << 15;

static WORD_HASHES_OF_LIST: LazyLock<WordHashes> = LazyLock::new(|| {
    let mut hashes = WordHashes([0; WORD_HASHES / 64]);
    for word in Language::English.word_list() {
        let letters = word.bytes().fold(0, |letters, byte| letters << 8 | u64::from(byte));
        let (group, bit) = WordHashes::place(letters);
        if let Some(group) = hashes.0.get_mut(group) {
            *group |= bit;
        }
    }
    hashes
});

impl WordHashes {
    /// Whether a word may be in the list. Its letters are the bytes of a number.
    fn may_hold(&self, letters: u64) -> bool {
        let (group, bit) = Self::place(letters);
        self.0.get(group).is_some_and(|group| group & bit != 0)
    }

    fn place(letters: u64) -> (usize, u64) {
        // Multiplicative hashing, with the golden ratio (Knuth, TAOCP 6.4).
        let hash = letters.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - WORD_HASHES.ilog2());
        (hash as usize / 64, 1 << (hash % 64))
    }
}

/// Adds the phrases of a text.
pub(super) fn find_phrases(text: &str, spans: &mut Vec<Span>) {
    let (mut at, mut searched_to) = (PHRASE_BYTES_MIN - 1, 0);
    let mut run = Vec::new();
    while at < text.len() {
        // A phrase around this place holds a place before or behind it, too.
        let half = PHRASE_BYTES_MIN / 2;
        let is_likely = |at: usize| may_be_word(text.as_bytes(), at);
        if is_likely(at)
            && (is_likely(at - half) || is_likely(at + half))
            && let Some(word) = word_near(text, at)
        {
            run.clear();
            run.push(word);
            complete(&mut run, text, searched_to);
            searched_to = run.last().map_or(at, |last| last.at.end);
            if run.len() >= PHRASE_WORDS_MIN {
                for run in of_list(text, &run) {
                    each_uniform(text, &run, |run| add_phrases(text, run, spans));
                }
            }
        }
        at = at.max(searched_to) + PHRASE_BYTES_MIN - 1;
    }
}

/// False if the word at `at` is not in the list, as far as its length and its hash tell. It looks
/// at eight bytes at once, because branches that nobody can predict would cost more than all of
/// this.
fn may_be_word(bytes: &[u8], at: usize) -> bool {
    let at = at + usize::from(bytes.get(at) == Some(&b' '));
    let eight = |from: usize| bytes.get(from..).and_then(|bytes| bytes.first_chunk::<8>());
    let around = (at.checked_sub(8).and_then(eight), eight(at));
    let (Some(before), Some(behind)) = around else { return true };
    let others = |bytes: &[u8; 8]| !letters_of(u64::from_le_bytes(*bytes)) & HIGH_BITS;
    let before = others(before).leading_zeros() as usize / 8;
    let behind = others(behind).trailing_zeros() as usize / 8;
    if behind == 0 {
        return true;
    }
    let length = before + behind;
    let (true, Some(word)) = (WORD_LETTERS.contains(&length), eight(at - before)) else {
        return false;
    };
    let letters = u64::from_be_bytes(*word) | (EACH * 0x20);
    WORD_HASHES_OF_LIST.may_hold(letters >> (u64::BITS as usize - 8 * length))
}

/// One in each byte.
const EACH: u64 = 0x0101_0101_0101_0101;
/// The high bit of each byte.
const HIGH_BITS: u64 = EACH * 0x80;

/// Sets the high bit of each byte that is an ASCII letter.
fn letters_of(bytes: u64) -> u64 {
    let lower = (bytes | (EACH * 0x20)) & !HIGH_BITS;
    let from_a = lower + EACH * (0x80 - b'a' as u64);
    let beyond_z = lower + EACH * (0x7f - b'z' as u64);
    from_a & !beyond_z & !bytes & HIGH_BITS
}

/// The likely word of the list at `at` or shortly behind it.
fn word_near(text: &str, at: usize) -> Option<LikelyWord> {
    let bytes = text.as_bytes();
    if bytes.get(at)?.is_ascii_alphabetic() {
        let before = bytes.get(at.saturating_sub(*WORD_LETTERS.end())..at)?;
        let letters = before.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
        return word_at(text, at - letters);
    }
    let from = text.floor_char_boundary(at);
    word_at(text, from + gap_length(text.get(from..)?.chars())?)
}

/// The likely word of the list that begins at `start`.
fn word_at(text: &str, start: usize) -> Option<LikelyWord> {
    let rest = text.as_bytes().get(start..)?;
    // Eight letters fit one number. A longer word loses its first ones, and is not in the list.
    let (mut letters, mut length) = (0_u64, 0);
    for byte in rest.iter().take(WORD_LETTERS.end() + 1) {
        if !byte.is_ascii_alphabetic() {
            break;
        }
        letters = letters << 8 | u64::from(byte.to_ascii_lowercase());
        length += 1;
    }
    if !WORD_LETTERS.contains(&length) || !WORD_HASHES_OF_LIST.may_hold(letters) {
        return None;
    }
    let at = start..start + length;
    let is_letter = |beside: Option<char>| beside.is_some_and(char::is_alphabetic);
    let before = text.get(..start)?.chars().next_back();
    let is_whole = !is_letter(before) && !is_letter(text.get(at.end..)?.chars().next());
    is_whole.then_some(LikelyWord { at, begins_line: false })
}

/// Completes a run of one word by all likely words of the list around it in a row, from `from` on.
fn complete(run: &mut Vec<LikelyWord>, text: &str, from: usize) {
    while let Some(first) = run.last().map(|first| first.at.start)
        && run.len() < RUN_WORDS_MAX
        && let Some(before) = text.get(from..first)
        && let Some(gap) = gap_length(before.chars().rev())
    {
        let end = first - gap;
        let window = text.as_bytes().get(end.saturating_sub(WORD_LETTERS.end() + 1)..end);
        let letters = window.unwrap_or_default().iter().rev();
        let length = letters.take_while(|byte| byte.is_ascii_alphabetic()).count();
        let Some(word) = word_at(text, end - length).filter(|word| word.at.start >= from) else {
            break;
        };
        if let Some(next) = run.last_mut() {
            next.begins_line = text.get(end..first).is_some_and(|gap| gap.contains('\n'));
        }
        run.push(word);
    }
    run.reverse();
    while let Some(end) = run.last().map(|last| last.at.end)
        && run.len() < RUN_WORDS_MAX
        && let Some(gap) = text.get(end..).and_then(|rest| gap_length(rest.chars()))
        && let Some(word) = word_at(text, end + gap)
    {
        let begins_line = text.get(end..word.at.start).is_some_and(|gap| gap.contains('\n'));
        run.push(LikelyWord { begins_line, ..word });
    }
}

/// The parts of a run whose words are all in the list.
fn of_list(text: &str, run: &[LikelyWord]) -> Vec<Vec<ListWord>> {
    let mut parts = vec![Vec::new()];
    for LikelyWord { at, begins_line } in run {
        let lower = text.get(at.clone()).unwrap_or_default().to_ascii_lowercase();
        match (Language::English.find_word(&lower), parts.last_mut()) {
            (Some(index), Some(part)) => {
                part.push(ListWord { at: at.clone(), index, begins_line: *begins_line });
            }
            _ => parts.push(Vec::new()),
        }
    }
    parts.retain(|part| part.len() >= PHRASE_WORDS_MIN);
    parts
}

/// The length of what is between two words; `None` if it is more than that, or nothing but digits.
fn gap_length(characters: impl Iterator<Item = char>) -> Option<usize> {
    let (mut length, mut separates) = (0, false);
    for character in characters.take_while(|character| is_between(*character)) {
        length += character.len_utf8();
        separates |= !character.is_ascii_digit();
        if length > GAP_BYTES_MAX {
            return None;
        }
    }
    separates.then_some(length)
}

fn is_between(character: char) -> bool {
    character.is_whitespace()
        || character.is_ascii_digit()
        || ".,;:|()[]\"'`*#-–—•“”‘’、，".contains(character)
}

/// Visits the parts of a run that have the same between any two words, but for numbers and line
/// breaks.
fn each_uniform(text: &str, run: &[ListWord], mut visit: impl FnMut(&[ListWord])) {
    let gap_before = |index: usize| match run.get(index - 1..=index) {
        Some([one, next]) => text.get(one.at.end..next.at.start).unwrap_or_default(),
        _ => "",
    };
    let mut from = 0;
    for index in 2..run.len() {
        if from + 1 < index && !shape(gap_before(index)).eq(shape(gap_before(index - 1))) {
            visit(run.get(from..index).unwrap_or_default());
            from = index - 1;
        }
    }
    visit(run.get(from..).unwrap_or_default());
}

/// What is between two words, without digits, and with one space for all white space in a row.
fn shape(gap: &str) -> impl Iterator<Item = char> {
    let mut was_space = false;
    gap.chars().filter(|character| !character.is_ascii_digit()).filter_map(move |character| {
        let is_space = character.is_whitespace();
        let is_further = is_space && was_space;
        was_space = is_space;
        (!is_further).then_some(if is_space { ' ' } else { character })
    })
}

/// Adds the phrases of a run: the run itself, its lines, or else a phrase with a few words of the
/// list beside it.
fn add_phrases(text: &str, run: &[ListWord], spans: &mut Vec<Span>) {
    if is_phrase(run) {
        spans.extend(span(text, run));
        return;
    }
    let found = spans.len();
    let lines = || run.chunk_by(|_, next| !next.begins_line);
    spans.extend(lines().filter(|line| is_phrase(line)).filter_map(|line| span(text, line)));
    if spans.len() > found {
        return;
    }
    match within(run) {
        Some(phrase) => spans.extend(span(text, phrase)),
        None => spans.extend(lines().filter_map(within).filter_map(|line| span(text, line))),
    }
}

/// The part of a run that is a phrase; of several, all that they hold.
fn within(run: &[ListWord]) -> Option<&[ListWord]> {
    if run.len() > PHRASE_WORDS_MAX + WORDS_BESIDE_MAX {
        return None;
    }
    let mut found: Option<Range<usize>> = None;
    for count in PHRASE_WORDS {
        if count > run.len() || count + WORDS_BESIDE_MAX < run.len() {
            continue;
        }
        for (from, words) in run.windows(count).enumerate() {
            if is_phrase(words) {
                let (start, end) =
                    found.map_or((from, from + count), |found| (found.start, found.end));
                found = Some(start.min(from)..end.max(from + count));
            }
        }
    }
    run.get(found?)
}

/// True for as many words as a phrase has, with the right checksum. Words in the order of the
/// alphabet are a part of the list, and nobody has a phrase of one word.
fn is_phrase(words: &[ListWord]) -> bool {
    let is_listed = words.is_sorted_by(|one, next| one.index < next.index)
        || words.is_sorted_by(|one, next| one.index == next.index);
    if is_listed || !PHRASE_WORDS.contains(&words.len()) {
        return false;
    }
    let list = Language::English.word_list();
    let words = words.iter().filter_map(|word| list.get(usize::from(word.index)).copied());
    let joined = words.collect::<Vec<_>>().join(" ");
    Mnemonic::parse_in_normalized(Language::English, &joined).is_ok()
}

fn span(text: &str, words: &[ListWord]) -> Option<Span> {
    let (start, end) = (words.first()?.at.start, words.last()?.at.end);
    text.get(start..end)?;
    Some(Span { start, end, kind: SecretKind::SeedPhrase })
}

#[cfg(test)]
mod tests {
    use super::super::further_tests::{check_kept, check_linear, masked};
    use super::*;

    /// The words of a phrase, made from a hash of `seed`.
    fn phrase(words: usize, seed: u64) -> Vec<&'static str> {
        let entropy = blake3::hash(&seed.to_le_bytes());
        let entropy = &entropy.as_bytes()[..words / 3 * 4];
        Mnemonic::from_entropy_in(Language::English, entropy).unwrap().words().collect()
    }

    /// The same words with the last one replaced, so that the checksum is wrong.
    fn broken(mut words: Vec<&'static str>) -> Vec<&'static str> {
        let index = Language::English.find_word(words.last().unwrap()).unwrap();
        *words.last_mut().unwrap() = Language::English.word_list()[usize::from(index ^ 1)];
        words
    }

    fn numbered(words: &[&str], sign: &str, between: &str) -> String {
        let numbered = words.iter().enumerate();
        numbered
            .map(|(at, word)| format!("{}{sign}{word}", at + 1))
            .collect::<Vec<_>>()
            .join(between)
    }

    fn quoted(words: &[&str]) -> String {
        format!("[\"{}\"]", words.join("\", \""))
    }

    const LAYOUTS: [fn(&[&str]) -> String; 9] = [
        |words| words.join(" "),
        |words| words.join("\n"),
        |words| words.join(", "),
        |words| words.join(" ").to_uppercase(),
        |words| format!("- {}", words.join("\r\n- ")),
        |words| numbered(words, ". ", " "),
        |words| numbered(words, ". ", "\n"),
        |words| numbered(words, " | ", " |\n| "),
        quoted,
    ];

    #[test]
    fn a_phrase_is_masked_in_every_layout_and_length_wherever_it_stands() {
        let mut seed = 0;
        for count in PHRASE_WORDS {
            for layout in LAYOUTS {
                for before in ["", "Ours: ", "It is of us, as we go by it:\n\n"] {
                    seed += 1;
                    let words = phrase(count, seed);
                    let text = format!("{before}{}\n\nIt is in it.", layout(&words));
                    let masked = masked(&text);
                    let (start, rest) = masked.split_once("[masked:seed-phrase]").expect(&text);
                    let left = [start, rest].concat().to_lowercase();
                    assert!(!words.iter().any(|word| left.contains(word)), "{text}\n{masked}");
                    assert!(masked.ends_with("\n\nIt is in it."), "{masked}");
                }
            }
        }
    }

    #[test]
    fn only_the_phrase_is_masked() {
        let words = phrase(12, 7).join(" ");
        let text = format!("Is it {words} or is it not? See to it.");
        assert_eq!(masked(&text), "Is it [masked:seed-phrase] or is it not? See to it.");
        let text = format!("my wallet: {words}");
        let masked = masked(&text);
        assert!(["my wallet: [masked:seed-phrase]", "my [masked:seed-phrase]"].contains(&&*masked));
    }

    #[test]
    fn a_phrase_on_each_line_and_one_on_two_lines_are_masked() {
        let [one, two, three] = [1, 2, 3].map(|seed| phrase(12, seed).join(" "));
        assert_eq!(
            masked(&format!("{one}\n{two}\n{three}")),
            "[masked:seed-phrase]\n[masked:seed-phrase]\n[masked:seed-phrase]"
        );
        let words = phrase(24, 4);
        let lines = format!("{}\n{}", words[..12].join(" "), words[12..].join(" "));
        assert_eq!(masked(&lines), "[masked:seed-phrase]");
    }

    #[test]
    fn words_of_the_list_without_the_checksum_stay() {
        for (seed, layout) in (0..20).zip(LAYOUTS.iter().cycle()) {
            check_kept(&[&layout(&broken(phrase(PHRASE_WORDS_MIN, seed)))]);
        }
        let list = Language::English.word_list();
        check_kept(&[
            &list.join("\n"),
            &list.join(" "),
            &phrase(12, 1)[..11].join(" "),
            "it is what it is, and so we go on to the end of it, as ever: up or down, in or out",
            "the words open this lunch box to find apple banana",
            &"bacon ".repeat(12),
            &list.iter().map(|word| format!("{word} ").repeat(12)).collect::<Vec<_>>().join("\n"),
        ]);
        // The list in lines of twelve words.
        let lines: Vec<String> = list.chunks(12).map(|line| line.join(" ")).collect();
        check_kept(&[&lines.join("\n")]);
    }

    #[test]
    fn parts_of_other_words_are_not_words_of_a_phrase() {
        let words = phrase(12, 9);
        check_kept(&[
            &words.join(""),
            &words.join("é "),
            &words.join("/"),
            &words.join(" of the "),
            &words.join(&" ".repeat(GAP_BYTES_MAX + 1)),
            &words.join("7"),
        ]);
    }

    #[test]
    fn letters_are_told_from_all_other_bytes() {
        for byte in 0..=u8::MAX {
            let expected = if byte.is_ascii_alphabetic() { HIGH_BITS } else { 0 };
            assert_eq!(letters_of(EACH * u64::from(byte)), expected, "{byte:#x}");
        }
    }

    #[test]
    fn phrases_are_looked_for_in_linear_time() {
        let phrase = phrase(12, 3).join(" ");
        check_linear(&["abandon ", "zoo\n", "1. zoo ", "zoo\u{a0}", "zoo of ", &phrase], 20_000);
    }
}
