//! Times in questions without spaces between words: 昨天, 上个月, 三天前, 2023年5月, 先週の金曜日,
//! 지난주.
//!
//! `data/time-phrases.txt` has a phrase in each line and the English words that
//! [`super::date_parser`] reads. `{n}` stands for a number, `{y}`, `{m}` and `{d}` for a year, a
//! month and a day, `{M}` and `{D}` for the month and the day at the end of a range, `{w}` for a
//! weekday, `{e}` for an ending, and a space for one or none. Other phrases are those for the
//! conversation itself (聊了什么), which carry no weight beside a time.
//!
//! Pairs of characters across the ends of a phrase mean nothing, so a question that names a time
//! is read with its phrases set apart.

use std::ops::Range;
use std::sync::OnceLock;

use crate::text::words::{Word, is_unspaced};

static PHRASES: &str = include_str!("../../data/time-phrases.txt");

/// Most characters of an ending.
const ENDING_CHARS_MAX: usize = 6;
/// The largest number of days, weeks, months or years.
const NUMBER_MAX: u32 = 1000;
/// Most characters of a number.
const NUMBER_CHARS_MAX: usize = 4;
/// What follows a phrase and belongs to it. Longer ones first.
const PARTICLES: [&str; 14] =
    ["には", "에는", "の", "は", "に", "が", "も", "的", "了", "에", "은", "는", "의", "이"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [(&str, &str); 7] = [
    ("Monday", "一月월"),
    ("Tuesday", "二火화"),
    ("Wednesday", "三水수"),
    ("Thursday", "四木목"),
    ("Friday", "五金금"),
    ("Saturday", "六土토"),
    ("Sunday", "日天일"),
];
/// Characters that do not name a weekday before these: 一起 means "together", 天气 "weather".
const OTHER_WORDS: [(char, &str); 3] =
    [('一', "起直样些切次个"), ('日', "程常本子期"), ('天', "气")];

/// A question with its phrases set apart, and the same with them in English.
#[derive(Debug)]
pub(super) struct Translated {
    pub(super) apart: String,
    pub(super) english: String,
    /// Where each phrase is in both, in bytes.
    places: Vec<(Range<usize>, Range<usize>)>,
}

/// `None` for a text without phrases.
pub(super) fn translate(text: &str) -> Option<Translated> {
    if text.is_ascii() || !text.contains(is_unspaced) {
        return None;
    }
    let mut translated =
        Translated { apart: String::new(), english: String::new(), places: Vec::new() };
    let (mut at, mut before) = (0, None);
    while let Some(first) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let end = match longest(text, at, first, before) {
            Some((end, english)) => {
                let end = end + particle(text, end);
                let own = text.get(at..end).unwrap_or_default();
                let places = (
                    append_apart(&mut translated.apart, own),
                    append_apart(&mut translated.english, &english),
                );
                translated.places.push(places);
                end
            }
            None => {
                translated.apart.push(first);
                translated.english.push(first);
                at + first.len_utf8()
            }
        };
        before = text.get(..end).and_then(|read| read.chars().next_back());
        at = end;
    }
    (!translated.places.is_empty()).then_some(translated)
}

impl Translated {
    /// For each word of the English text, the words that it stands for in the other, by number.
    pub(super) fn align(&self, own: &[Word<'_>], english: &[Word<'_>]) -> Vec<Range<usize>> {
        let mut places = self.places.iter().peekable();
        let mut aligned: Vec<Range<usize>> = Vec::with_capacity(english.len());
        // The next word of the other text, and the words of the phrase that was begun.
        let (mut next, mut begun) = (0, None);
        for word in english {
            while places.next_if(|(_, english)| english.end <= word.start).is_some() {
                begun = None;
            }
            let words = match places.peek().filter(|(_, english)| english.start <= word.start) {
                Some((place, _)) => {
                    let is_inside = |word: &&Word<'_>| word.start < place.end;
                    let count = || own.iter().skip(next).take_while(is_inside).count();
                    begun.get_or_insert_with(|| next..next + count()).clone()
                }
                None => next..next + 1,
            };
            next = words.end;
            aligned.push(words);
        }
        aligned
    }
}

/// Appends `part` between spaces. Where it is then.
fn append_apart(text: &mut String, part: &str) -> Range<usize> {
    text.push(' ');
    let start = text.len();
    text.push_str(part);
    let end = text.len();
    text.push(' ');
    start..end
}

fn particle(text: &str, end: usize) -> usize {
    let rest = text.get(end..).unwrap_or_default();
    PARTICLES.iter().find(|particle| rest.starts_with(**particle)).map_or(0, |found| found.len())
}

/// The longest phrase that begins at `at`: its end, and it in English.
fn longest(text: &str, at: usize, first: char, before: Option<char>) -> Option<(usize, String)> {
    if !is_unspaced(first) && !first.is_ascii_digit() {
        return None;
    }
    let rest = text.get(at..)?;
    let mut best: Option<(usize, String)> = None;
    for phrase in phrases().iter().filter(|phrase| phrase.may_begin(first)) {
        if phrase.counts() && before.is_some_and(|before| digit(before).is_some() || before == '每')
        {
            continue;
        }
        let Some((length, english)) = phrase.read(rest) else { continue };
        if best.as_ref().is_none_or(|(end, _)| *end < at + length) {
            best = Some((at + length, english));
        }
    }
    best
}

/// A line of the list.
struct Phrase {
    parts: Vec<Part>,
    english: &'static str,
}

#[derive(Clone, Copy)]
enum Part {
    Text(&'static str),
    Space,
    Number,
    Year,
    Month,
    Day,
    LastMonth,
    LastDay,
    Weekday,
    Ending,
}

/// The values of a phrase's parts.
#[derive(Default)]
struct Values {
    number: u32,
    year: u32,
    month: u32,
    day: u32,
    last_month: u32,
    last_day: u32,
    weekday: &'static str,
}

fn phrases() -> &'static [Phrase] {
    static READ: OnceLock<Vec<Phrase>> = OnceLock::new();
    READ.get_or_init(|| PHRASES.lines().filter_map(Phrase::of_line).collect())
}

impl Phrase {
    fn of_line(line: &'static str) -> Option<Self> {
        let (mut rest, english) = line.split_once('=')?;
        let mut parts = Vec::new();
        while let Some(first) = rest.chars().next() {
            let (part, length) = match rest.get(..3) {
                Some("{n}") => (Part::Number, 3),
                Some("{y}") => (Part::Year, 3),
                Some("{m}") => (Part::Month, 3),
                Some("{d}") => (Part::Day, 3),
                Some("{M}") => (Part::LastMonth, 3),
                Some("{D}") => (Part::LastDay, 3),
                Some("{w}") => (Part::Weekday, 3),
                Some("{e}") => (Part::Ending, 3),
                _ if first == ' ' => (Part::Space, 1),
                _ => {
                    let length = rest.find(['{', ' ']).unwrap_or(rest.len());
                    (Part::Text(rest.get(..length)?), length)
                }
            };
            parts.push(part);
            rest = rest.get(length..)?;
        }
        Some(Self { parts, english })
    }

    fn may_begin(&self, first: char) -> bool {
        match self.parts.first() {
            Some(Part::Text(text)) => text.starts_with(first),
            Some(Part::Weekday) => weekday(first).is_some(),
            _ => digit(first).is_some(),
        }
    }

    /// It begins with a number, or is a weekday that a number before it would make another word
    /// (一周三次 is "three times a week").
    fn counts(&self) -> bool {
        match self.parts.first() {
            Some(Part::Text(text)) => *text == "周",
            _ => true,
        }
    }

    /// The length of the phrase at the beginning of a text, and it in English.
    fn read(&self, text: &str) -> Option<(usize, String)> {
        let (mut at, mut values) = (0, Values::default());
        for part in &self.parts {
            let rest = text.get(at..)?;
            at += match part {
                Part::Text(text) => rest.starts_with(text).then_some(text.len())?,
                Part::Space => usize::from(rest.starts_with(' ')),
                Part::Number => in_range(number(rest)?, 1..=NUMBER_MAX, &mut values.number)?,
                Part::Year => {
                    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                    in_range(number(rest).filter(|_| digits == 4)?, 1000..=2999, &mut values.year)?
                }
                Part::Month => in_range(number(rest)?, 1..=12, &mut values.month)?,
                Part::Day => in_range(number(rest)?, 1..=31, &mut values.day)?,
                Part::LastMonth => in_range(number(rest)?, 1..=12, &mut values.last_month)?,
                Part::LastDay => in_range(number(rest)?, 1..=31, &mut values.last_day)?,
                Part::Weekday => {
                    let mut characters = rest.chars();
                    let day = characters.next()?;
                    let follows = characters.next();
                    let is_other_word = OTHER_WORDS.iter().any(|(character, before)| {
                        *character == day && follows.is_some_and(|next| before.contains(next))
                    });
                    values.weekday = weekday(day).filter(|_| !is_other_word)?;
                    day.len_utf8()
                }
                Part::Ending => {
                    let ending = rest.chars().take_while(|next| is_unspaced(*next));
                    ending.take(ENDING_CHARS_MAX).map(char::len_utf8).sum()
                }
            };
        }
        let month = |month: u32| {
            let name = month.checked_sub(1).and_then(|month| MONTHS.get(month as usize));
            name.copied().unwrap_or_default()
        };
        let english = self
            .english
            .replace("{n}", &values.number.to_string())
            .replace("{y}", &values.year.to_string())
            .replace("{m}", &values.month.to_string())
            .replace("{d}", &values.day.to_string())
            .replace("{D}", &values.last_day.to_string())
            .replace("{month}", month(values.month))
            .replace("{last month}", month(values.last_month))
            .replace("{weekday}", values.weekday);
        Some((at, english))
    }
}

fn in_range(
    (number, length): (u32, usize),
    range: std::ops::RangeInclusive<u32>,
    into: &mut u32,
) -> Option<usize> {
    *into = number;
    range.contains(&number).then_some(length)
}

fn weekday(character: char) -> Option<&'static str> {
    WEEKDAYS.iter().find(|(_, names)| names.contains(character)).map(|(english, _)| *english)
}

/// The value of a digit or of a numeral below eleven.
fn digit(character: char) -> Option<u32> {
    const NUMERALS: [&str; 10] =
        ["一한", "二两兩두", "三세", "四네", "五", "六", "七", "八", "九", "十열"];
    let numeral = || NUMERALS.iter().zip(1..).find(|(names, _)| names.contains(character));
    character.to_digit(10).or_else(|| numeral().map(|(_, value)| value))
}

/// The number at the beginning of a text, in digits or in numerals below 100, and its length.
fn number(text: &str) -> Option<(u32, usize)> {
    let digits = text.bytes().take(NUMBER_CHARS_MAX + 1).take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        let number = text.get(..digits).filter(|_| digits <= NUMBER_CHARS_MAX)?;
        return Some((number.parse().ok()?, digits));
    }
    let (mut value, mut last, mut length) = (0, 0, 0);
    for character in text.chars().take(NUMBER_CHARS_MAX) {
        match digit(character) {
            Some(10) => (value, last) = (value + 10 * last.max(1), 0),
            Some(one) if last == 0 && !character.is_ascii_digit() => last = one,
            _ => break,
        }
        length += character.len_utf8();
    }
    (length > 0).then_some((value + last, length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::words::visit_words;

    fn english(text: &str) -> String {
        let translated = translate(text).map_or(text.to_owned(), |translated| translated.english);
        translated.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_line_is_a_phrase_that_is_read_whole() {
        let values = |text: &str| {
            let text = text.replace("{M}", "6").replace("{D}", "9").replace("{n}", "三");
            text.replace("{y}", "2023").replace("{m}", "5").replace("{d}", "7")
        };
        for line in PHRASES.lines() {
            let phrase = values(line.split_once('=').unwrap().0);
            let phrase = phrase.replace("{w}", "五").replace("{e}", "었");
            let read = Phrase::of_line(line).unwrap().read(&phrase).unwrap();
            assert_eq!(read.0, phrase.len(), "{line}");
            assert!(!read.1.contains(['{', '}']) && !read.1.is_empty(), "{line}");
        }
    }

    #[test]
    fn phrases_become_english_and_other_words_stay() {
        for (text, expected) in [
            ("我昨天去了哪里", "I yesterday 去了哪里"),
            ("上个月的会议", "last month 会议"),
            ("三天前见了谁?", "3 days ago 见了谁?"),
            ("二十五天前", "25 days ago"),
            ("十二个月前", "12 months ago"),
            ("2023年5月7日的屋顶", "2023-5-7 屋顶"),
            ("2023年五月", "in May 2023"),
            ("上周五吃了什么", "last Friday 吃了什么"),
            ("下周一起吃饭", "next week 一起吃饭"),
            ("一周三次", "一周三次"),
            ("每周三开会", "每周三开会"),
            ("13月", "13月"),
            ("先週の金曜日に何を食べた", "last Friday 何を食べた"),
            ("いつも食べる", "always 食べる"),
            ("지난주 회의", "last week 회의"),
            ("두 달 전에 만난 사람", "2 months ago 만난 사람"),
            ("plain words, 2023", "plain words, 2023"),
        ] {
            assert_eq!(english(text), expected, "{text}");
        }
    }

    #[test]
    fn words_are_aligned_with_those_that_they_stand_for() {
        fn words(text: &str) -> Vec<Word<'_>> {
            let mut found = Vec::new();
            visit_words(text, |word| {
                found.push(word);
                true
            });
            found
        }
        for text in ["我上个月三天前吃饭", "Ada 昨天", "3天前の会議 and 2023年", "昨天今天明天"]
        {
            let translated = translate(text).unwrap();
            let (own, english) = (words(&translated.apart), words(&translated.english));
            let aligned = translated.align(&own, &english);
            assert_eq!(aligned.len(), english.len(), "{text}");
            let mut covered: Vec<usize> = aligned.iter().cloned().flatten().collect();
            covered.dedup();
            covered.sort_unstable();
            covered.dedup();
            assert_eq!(covered, (0..own.len()).collect::<Vec<_>>(), "{text}");
            for (word, range) in english.iter().zip(&aligned) {
                if !word.text.is_ascii() {
                    assert_eq!(own[range.start].text, word.text, "{text}");
                }
            }
        }
    }
}
