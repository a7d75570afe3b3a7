//! Amounts, times and names in any of the languages, in one form that can be compared.
//!
//! A time is given in the words of English, so that "dienstags", "am Dienstag" and "on Tuesday" are
//! the same. An amount has a word of English for its unit after it.

use super::language::Language;
use super::tokens::{Token, TokenKind};
use crate::attributes::things::ValueKind;
use crate::attributes::{MONTHS, WEEKDAYS};

/// Most numbers that make up one amount: "40 000".
const NUMBERS_MAX: usize = 6;
/// Most tokens of a time.
const TIME_TOKENS_MAX: usize = 12;

/// The unit of English for words of any language.
const UNITS: [(&str, &str); 6] = [
    (
        "euro",
        "|€|$|£|¥|₽|₺|eur|euro|euros|chf|franken|francs|franchi|frank|usd|gbp|dollar|dollars|dólares|\
         dollari|dolarów|dolar|pesos|pfund|pond|kronen|руб|рубль|рубля|рублей|долларов|евро|zł|złoty|\
         złote|złotych|pln|lira|liraya|tl|元|块|圆|円|",
    ),
    ("percent", "|%|％|prozent|procent|pourcent|процентов|процента|"),
    (
        "years",
        "|jahr|jahre|monate|wochen|tage|stunden|minuten|an|ans|mois|semaines|jours|minutes|año|años|\
         meses|semanas|días|minutos|anno|anni|mesi|settimane|giorni|minuti|jaar|maanden|weken|dagen|\
         минут|лет|год|года|месяцев|недель|дней|lat|lata|miesięcy|tygodni|dni|minut|yıl|ay|hafta|gün|\
         dakika|岁|歳|",
    ),
    ("kg", "|kg|kilo|kilos|kilogramm|кг|g|gramm|公斤|斤|"),
    ("km", "|km|m|cm|meter|metros|mètres|metri|км|м|см|公里|米|"),
    ("gb", "|gb|mb|tb|go|mo|гб|мб|"),
];
/// Words before the name of somebody.
const TITLES: &str = "|dr|herr|frau|herrn|le|la|el|il|docteur|docteure|monsieur|madame|mme|señor|\
                      señora|don|doña|doctor|doctora|dra|sr|sra|dottor|dottore|dottoressa|dott|\
                      signor|signora|meneer|mevrouw|dhr|mevr|pan|pani|доктор|";
/// Words in lower case within names.
const JOINS: &str = "|am|an|der|de|del|della|des|di|do|du|la|las|le|les|los|sur|en|van|von|";

fn is_among(list: &str, word: &str) -> bool {
    let mut words = list.match_indices(word);
    let ends = |at: usize| list.as_bytes().get(at) == Some(&b'|');
    !word.is_empty()
        && words.any(|(at, _)| at.checked_sub(1).is_some_and(ends) && ends(at + word.len()))
}

fn lower<'s>(tokens: &'s [Token<'_>], at: usize) -> &'s str {
    tokens.get(at).map_or("", |token| token.lower.as_ref())
}

fn is_number(tokens: &[Token<'_>], at: usize) -> bool {
    tokens.get(at).is_some_and(|token| token.kind == TokenKind::Number)
}

/// How many titles stand at a place, before something else.
pub(super) fn titles(tokens: &[Token<'_>], at: usize) -> usize {
    (at..tokens.len()).take(2).take_while(|place| is_among(TITLES, lower(tokens, *place))).count()
}

/// Whether a word may stand within a name.
pub(super) fn joins_names(tokens: &[Token<'_>], at: usize) -> bool {
    is_among(JOINS, lower(tokens, at))
}

fn unit(word: &str) -> Option<&'static str> {
    UNITS.iter().find(|(_, words)| is_among(words, word)).map(|(unit, _)| *unit)
}

/// An amount of a sentence.
pub(super) struct Amount {
    /// How many tokens it has.
    pub(super) length: usize,
    /// The number and the unit.
    pub(super) value: String,
    /// The word of English for the unit.
    pub(super) unit: Option<&'static str>,
}

/// The amount that begins at a place.
pub(super) fn amount(tokens: &[Token<'_>], at: usize, language: &Language) -> Option<Amount> {
    let unit_before = unit(lower(tokens, at)).filter(|_| is_number(tokens, at + 1));
    let start = at + usize::from(unit_before.is_some());
    let numbers = (start..tokens.len()).take(NUMBERS_MAX);
    let end = start + numbers.take_while(|place| is_number(tokens, *place)).count();
    let is_time = (start..end).any(|place| {
        let number = lower(tokens, place);
        number.contains(':') && !number.starts_with('[') || number.matches('.').count() > 1
    });
    let is_before_time = language.hours.are_at(tokens, end)
        || language.months.iter().any(|month| month.are_at(tokens, end));
    if end == start || is_time || is_before_time {
        return None;
    }
    let number: String =
        (start..end).map(|place| without_separators(lower(tokens, place))).collect();
    let unit_after = unit(lower(tokens, end)).filter(|_| unit_before.is_none());
    let unit = unit_before.or(unit_after);
    let mut next = end + usize::from(unit_after.is_some());
    // "Złotych", "块钱".
    next += usize::from(lower(tokens, end) == "块" && lower(tokens, next) == "钱");
    next += language.per.length_at(tokens, next).unwrap_or_default();
    // Euros and francs may follow each other, and are written out.
    let written = if unit_after.is_some() { lower(tokens, end) } else { "" };
    let value = format!("{number} {written} {}", unit.unwrap_or_default());
    Some(Amount { length: next - at, value: value.trim_end().to_owned(), unit })
}

/// A number without what parts its thousands: "1.450" is "1450", and "12,50" is "12.50".
fn without_separators(number: &str) -> String {
    let is_thousands = |at: usize| {
        let rest = number.get(at + 1..).unwrap_or_default();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        digits == 3
    };
    let letters = number.char_indices();
    let kept = letters.filter_map(|(at, letter)| match letter {
        '.' | ',' | '\'' => (!is_thousands(at)).then_some('.'),
        '’' => None,
        _ => Some(letter),
    });
    kept.collect()
}

/// A time of a sentence.
pub(super) struct Time {
    /// How many tokens it has.
    pub(super) length: usize,
    /// The day and the time of day.
    pub(super) values: Vec<(ValueKind, String)>,
}

/// The day, the time of day, or both, that begin at a place.
pub(super) fn time(tokens: &[Token<'_>], at: usize, language: &Language) -> Option<Time> {
    let (mut day, mut clock): (Option<String>, Option<String>) = (None, None);
    let (mut next, mut end) = (at, at);
    while next < tokens.len() && next < at + TIME_TOKENS_MAX {
        let before = next.checked_sub(1).filter(|before| *before >= at);
        let is_after_at = before.is_some_and(|before| language.before_clock.are_at(tokens, before));
        if let Some((length, found)) = day_at(tokens, next, language).filter(|_| day.is_none()) {
            day = Some(found);
            next += length;
        } else if let Some((length, found)) =
            clock_at(tokens, next, is_after_at, language).filter(|_| clock.is_none())
        {
            clock = Some(found);
            next += length;
        } else if let Some(length) = language.at.length_at(tokens, next) {
            next += length;
            continue;
        } else {
            break;
        }
        next += language.after_time.length_at(tokens, next).unwrap_or_default();
        end = next;
    }
    let values = [(ValueKind::Day, day), (ValueKind::Clock, clock)];
    let values: Vec<_> =
        values.into_iter().filter_map(|(kind, value)| Some((kind, value?))).collect();
    (!values.is_empty()).then_some(Time { length: end - at, values })
}

/// `dienstags`, `15. Mai`, `15 de mayo`, `5月15日`, `15.5.2026`.
fn day_at(tokens: &[Token<'_>], at: usize, language: &Language) -> Option<(usize, String)> {
    for (days, name) in language.days.iter().zip(WEEKDAYS) {
        if let Some(length) = days.length_at(tokens, at) {
            return Some((length, name.to_owned()));
        }
    }
    if !is_number(tokens, at) {
        return None;
    }
    let number = lower(tokens, at);
    if number.matches('.').count() == 2 {
        return Some((1, number.to_owned()));
    }
    if lower(tokens, at + 1) == "月" && is_number(tokens, at + 2) {
        let place = number.parse::<usize>().ok()?.checked_sub(1)?;
        let month = MONTHS.get(place)?;
        let length = if matches!(lower(tokens, at + 3), "日" | "号") { 4 } else { 3 };
        return Some((length, format!("{} {month}", lower(tokens, at + 2))));
    }
    let of = usize::from(lower(tokens, at + 1) == "de");
    let months = language.months.iter().zip(MONTHS);
    let month = |(words, name)| Phrased { words, name }.at(tokens, at + 1 + of);
    let (length, name) = months.map(month).find_map(|found| found)?;
    Some((1 + of + length, format!("{number} {name}")))
}

struct Phrased<'l> {
    words: &'l super::forms::Phrases,
    name: &'static str,
}

impl Phrased<'_> {
    fn at(&self, tokens: &[Token<'_>], at: usize) -> Option<(usize, &'static str)> {
        Some((self.words.length_at(tokens, at)?, self.name))
    }
}

/// `18:30`, `18 Uhr`, `um 18`, `七点`.
fn clock_at(
    tokens: &[Token<'_>],
    at: usize,
    is_after_at: bool,
    language: &Language,
) -> Option<(usize, String)> {
    const NUMERALS: &str = "一二三四五六七八九十两";
    let is_numeral = |place: &usize| {
        let letter = lower(tokens, *place);
        !letter.is_empty() && NUMERALS.contains(letter)
    };
    let numerals = (at..tokens.len()).take_while(is_numeral).count();
    if numerals > 0 {
        let hour = language.hours.length_at(tokens, at + numerals)?;
        let number = (at..at + numerals).map(|place| lower(tokens, place)).collect();
        return Some((numerals + hour, number));
    }
    if !is_number(tokens, at) {
        return None;
    }
    let number = lower(tokens, at);
    let clock = || number.trim_end_matches(":00").to_owned();
    let hour = language.hours.length_at(tokens, at + 1);
    let is_clock = number.contains(':') || hour.is_some();
    let is_bare = is_after_at && number.len() <= 2 && unit(lower(tokens, at + 1)).is_none();
    (is_clock || is_bare).then(|| (1 + hour.unwrap_or_default(), clock()))
}

/// Endings of cases in Slavic languages, the longest first.
#[rustfmt::skip]
const CASE_ENDINGS: [&str; 20] = [
    "ами", "ach", "ami", "ого", "его", "ому", "ем", "ий", "ом", "ой", "ей", "ов", "ый", "ie", "iu",
    "ia", "ów", "ах", "ях", "om",
];

/// A name without the ending of its case: "Казани" and "Казань" are the same place.
pub(super) fn without_case(name: &str) -> String {
    let words = name.split(' ').map(|word| {
        let long = CASE_ENDINGS.iter().find_map(|ending| word.strip_suffix(ending));
        let word = long.filter(|stem| stem.chars().count() >= 3).unwrap_or(word);
        let stem = word.trim_end_matches(|letter| "аеёиоуыэюяйьaeiouyąę".contains(letter));
        let stem = if stem.chars().count() >= 2 { stem } else { word };
        stem.replace('ó', "o").replace('ń', "n").replace('ź', "z").replace('ś', "s")
    });
    words.collect::<Vec<_>>().join(" ")
}
