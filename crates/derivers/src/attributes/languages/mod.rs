//! The everyday statements of other languages than English, and their changes.
//!
//! "Petra wohnt in Bern" and "Petra ist nach Basel gezogen" are about one attribute, as in English.
//! What is read is where somebody lives and works, who is somebody's boss or dentist, how much a
//! thing is, and when it takes place. All languages share one reader: a language is a table of its
//! words and of the forms of its sentences ([`table`]). A form has to fit a whole clause, and words
//! elsewhere in the sentence that leave it open keep a change from being read, so that rather a
//! change is missed than one is invented.
//!
//! Most text is English, and has neither letters nor words of these languages: a scan of its bytes
//! tells, before anything is parsed.

mod forms;
mod language;
mod scan;
mod table;
#[cfg(test)]
mod tests;
mod tokens;
mod values;

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use forms::{Form, Range, Saying, Seen, Text, Topic};
use language::Language;
use scan::Scan;
use tokens::{Token, TokenKind, tokens};

use super::things::ValueKind;
use super::{
    AttributeStatement, Clause, HOME, NO_PLACES, STATEMENTS_MAX, Speaker, WORK, is_year, person,
};
use crate::slug::slug;

/// Words before a colon that announce a statement.
#[rustfmt::skip]
const ANNOUNCING: [&str; 14] = [
    "actualización", "aggiornamento", "info", "korrektur", "mise", "nachtrag", "neu", "news",
    "nota", "note", "update", "обновление", "更新", "追記",
];
/// Words by which another clause begins.
const JOINING: [&str; 11] = ["a", "ale", "e", "en", "et", "i", "und", "ve", "y", "и", "aber"];

/// Letters with which names of towns and districts end in Chinese and Japanese.
const PLACE_ENDINGS: [char; 7] = ['市', '县', '県', '省', '区', '町', '村'];

/// The statements of a text, which is split into sentences.
pub(super) fn read(text: &str, parts: &[&str], speaker: Speaker<'_>) -> Vec<AttributeStatement> {
    let mut found = Vec::new();
    if !READER.scan.may_read(text) {
        return found;
    }
    let mut is_joined = false;
    for (place, part) in parts.iter().enumerate() {
        let is_read = std::mem::take(&mut is_joined);
        if is_read {
            continue;
        }
        let rest = parts.get(place + 1).copied().filter(|next| READER.goes_on(part, next));
        is_joined = rest.is_some();
        if !is_joined && !READER.scan.may_read(part) {
            continue;
        }
        let sentences = part.split_inclusive(['。', '！', '？', '．']).enumerate();
        for (inner, sentence) in sentences {
            let is_first = place == 0 && inner == 0;
            READER.read_sentence(
                sentence,
                rest.unwrap_or_default(),
                (speaker, is_first),
                &mut found,
            );
        }
        if found.len() >= STATEMENTS_MAX {
            break;
        }
    }
    found
}

static READER: LazyLock<Reader> = LazyLock::new(Reader::new);

/// All languages.
struct Reader {
    languages: Vec<Language>,
    /// The forms in which a token occurs, by language.
    by_anchor: HashMap<&'static str, Vec<Candidate>>,
    /// Finds these words in a text.
    scan: Scan,
}

/// Most bytes in which the name of a month is looked for.
const MONTH_BYTES_MAX: usize = 32;
/// A form. Those that say a change are tried first, and those that fit only as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    is_open: bool,
    is_state: bool,
    language: usize,
    form: usize,
    /// It has a number in it.
    is_amount: bool,
}

impl Reader {
    fn new() -> Self {
        let languages: Vec<Language> = table::ALL.iter().map(|it| Language::new(it)).collect();
        let mut by_anchor: HashMap<&'static str, Vec<Candidate>> = HashMap::new();
        for (number, language) in languages.iter().enumerate() {
            for (form, it) in language.forms.iter().enumerate() {
                let is_state = it.saying == Saying::IsSo;
                let is_amount = it.topic == Topic::Amount;
                let candidate =
                    Candidate { is_open: it.is_open, is_state, language: number, form, is_amount };
                for anchor in &it.anchors {
                    by_anchor.entry(anchor).or_default().push(candidate);
                }
            }
        }
        let scan = Scan::new(by_anchor.keys().copied());
        Self { languages, by_anchor, scan }
    }

    /// Whether a sentence goes on in the next part of a text: "15. Mai" is one date.
    fn goes_on(&self, part: &str, next: &str) -> bool {
        let is_number = part
            .strip_suffix('.')
            .is_some_and(|rest| rest.ends_with(|letter: char| letter.is_ascii_digit()));
        is_number && self.begins_with_month(next)
    }

    fn begins_with_month(&self, text: &str) -> bool {
        let length = text.len().min(text.ceil_char_boundary(MONTH_BYTES_MAX));
        let tokens = text.get(..length).and_then(tokens).unwrap_or_default();
        let mut months = self.languages.iter().flat_map(|language| &language.months);
        months.any(|month| month.are_at(&tokens, 0))
    }

    /// Reads a sentence, which goes on in `rest`.
    fn read_sentence(
        &self,
        sentence: &str,
        rest: &str,
        (speaker, is_first): (Speaker<'_>, bool),
        found: &mut Vec<AttributeStatement>,
    ) {
        let is_question = |text: &str| text.contains(['?', '？', '¿']);
        if is_question(sentence) || is_question(rest) {
            return;
        }
        let Some(mut tokens) = tokens(sentence) else { return };
        if !rest.is_empty() {
            let Some(more) = tokens::tokens(rest) else { return };
            tokens.extend(more);
        }
        self.read(&tokens, speaker, is_first, found);
    }

    fn read(
        &self,
        tokens: &[Token<'_>],
        speaker: Speaker<'_>,
        is_first: bool,
        found: &mut Vec<AttributeStatement>,
    ) {
        let has_number = tokens.iter().any(|token| token.kind == TokenKind::Number);
        let may_fit = |candidate: &&Candidate| has_number || !candidate.is_amount;
        let of_token = |token: &Token<'_>| self.by_anchor.get(token.lower.as_ref());
        let found_in = tokens.iter().filter_map(of_token).flatten().filter(may_fit);
        let candidates: BTreeSet<Candidate> = found_in.copied().collect();
        if candidates.is_empty() {
            return;
        }
        for start in starts(tokens) {
            let fitting = candidates.iter().find_map(|candidate| {
                let language = self.languages.get(candidate.language)?;
                let form = language.forms.get(candidate.form)?;
                let may_leave_out = !form.is_of_nobody || is_first;
                let text = Text { tokens, language };
                let seen = text.read(form, start.at).or_else(|| {
                    start.shares_subject.then(|| text.read_shared(form, start.at)).flatten()
                });
                let seen = seen.filter(|_| may_leave_out)?;
                let start = start.at;
                let statements = Reading { text, form, seen, start }.statements(speaker);
                (!statements.is_empty()).then_some(statements)
            });
            found.extend(fitting.into_iter().flatten());
        }
    }
}

/// Where a clause begins.
#[derive(Clone, Copy)]
struct Start {
    at: usize,
    /// It may have the subject with which the sentence begins.
    shares_subject: bool,
}

/// Where clauses begin. What follows a colon is somebody's word, unless it is announced.
fn starts(tokens: &[Token<'_>]) -> Vec<Start> {
    let mut starts = vec![Start { at: 0, shares_subject: false }];
    let mut is_whole = true;
    for (at, token) in tokens.iter().enumerate() {
        let is_colon = token.lower == ":";
        let is_announced = at == 1
            && tokens.first().is_some_and(|first| ANNOUNCING.contains(&first.lower.as_ref()));
        if is_colon && !is_announced {
            break;
        }
        let is_break = token.kind == TokenKind::Break;
        is_whole &= !is_break;
        if is_break || JOINING.contains(&token.lower.as_ref()) {
            starts.push(Start { at: at + 1, shares_subject: is_whole });
        }
    }
    starts
}

/// A form that fits, with what it was read from.
struct Reading<'s, 't> {
    text: Text<'s, 't>,
    form: &'s Form,
    seen: Seen,
    start: usize,
}

impl Reading<'_, '_> {
    fn statements(&self, speaker: Speaker<'_>) -> Vec<AttributeStatement> {
        let changes = self.form.saying != Saying::IsSo || self.seen.is_change;
        let is_open = self.is_left_open();
        let has_ended = self.form.saying == Saying::Ended;
        if has_ended && is_open {
            return Vec::new();
        }
        let is_change = changes && !is_open && !self.form.is_open;
        let found = match self.form.topic {
            Topic::Home => self.of_person(HOME, speaker),
            Topic::Work => self.of_person(WORK, speaker),
            Topic::Role => self.of_role(speaker),
            Topic::Amount => self.amount(),
            Topic::Time => self.times(),
        };
        let found = found.unwrap_or_default().into_iter();
        found.map(|it| AttributeStatement { is_change, has_ended, ..it }).collect()
    }

    /// Whether a word around the form, or a year, leaves open what it says.
    fn is_left_open(&self) -> bool {
        let Text { tokens, language } = self.text;
        let is_amount = self.form.topic == Topic::Amount;
        let is_of_things = is_amount || self.form.topic == Topic::Time;
        let around = (0..tokens.len()).filter(|at| !(self.start..self.seen.end).contains(at));
        let mut around = around.filter(|at| {
            language.vetoes.are_at(tokens, *at)
                || is_of_things && language.when.are_at(tokens, *at)
                || is_amount && self.is_month(*at)
                || tokens.get(*at).is_some_and(|token| is_year(&token.lower))
        });
        around.next().is_some()
    }

    /// Whether the name of a month stands at a place, or "5月".
    fn is_month(&self, at: usize) -> bool {
        let Text { tokens, language } = self.text;
        let is_number = || at > 0 && tokens[at - 1].kind == TokenKind::Number;
        let is_numbered = tokens.get(at).is_some_and(|token| token.lower == "月") && is_number();
        is_numbered || language.months.iter().any(|month| month.are_at(tokens, at))
    }

    fn of_person(&self, attribute: &str, speaker: Speaker<'_>) -> Option<Vec<AttributeStatement>> {
        let subject = match self.seen.who {
            Some(who) => self.subject(who, speaker)?,
            None => first_person(speaker)?,
        };
        let value = self.name(self.seen.value?);
        let lower = tokens::in_lower_case(&value);
        let language = self.text.language;
        let is_named = |town: &&str| match language.has_cases {
            true => lower.starts_with(*town) || lower == values::without_case(town),
            false => lower == *town,
        };
        let is_of_place = language.is_unspaced && value.ends_with(PLACE_ENDINGS);
        let is_town = || is_of_place || language.towns.iter().any(is_named);
        let is_place = match attribute == WORK {
            true => !is_town(),
            false => !NO_PLACES.contains(&lower.as_str()),
        };
        is_place.then(|| vec![AttributeStatement::of(subject, attribute, value)])
    }

    fn of_role(&self, speaker: Speaker<'_>) -> Option<Vec<AttributeStatement>> {
        let value = self.name(self.seen.value?);
        Some(vec![AttributeStatement::of(first_person(speaker)?, self.seen.role?, value)])
    }

    /// A name in its simple form.
    fn name(&self, (start, end): Range) -> String {
        let Text { tokens, language } = self.text;
        let titles = match self.form.topic == Topic::Role {
            true => values::titles(tokens, start),
            false => language.the.length_at(tokens, start).unwrap_or_default(),
        };
        let start = if start + titles < end { start + titles } else { start };
        let name = self.written((start, end));
        let name = name.trim_end_matches(['\'', '’']);
        let polite = name.strip_suffix("さん").or_else(|| name.strip_suffix("先生"));
        let name = polite.filter(|rest| !rest.is_empty()).unwrap_or(name);
        if language.has_cases { values::without_case(name) } else { name.to_owned() }
    }

    /// The tokens of a range as they are written.
    fn written(&self, (start, end): Range) -> String {
        let tokens = self.text.tokens.get(start..end).unwrap_or_default();
        let mut written = String::new();
        for token in tokens {
            let is_apart = token.kind != TokenKind::Letter && !written.is_empty();
            if is_apart && !written.ends_with(['\'', '’']) {
                written.push(' ');
            }
            written.push_str(token.text);
        }
        written
    }

    /// Who it is about: somebody by name, or the speaker's sister.
    fn subject(&self, (start, end): Range, speaker: Speaker<'_>) -> Option<String> {
        let Text { tokens, language } = self.text;
        let mut lengths = language.my.lengths_at(tokens, start).into_iter();
        let Some(my) = lengths.find(|length| start + length < end) else {
            let name = self.written((start, end));
            let polite = ["さん", "ちゃん", "くん"].iter().find_map(|it| name.strip_suffix(it));
            return Some(person(polite.unwrap_or(&name)));
        };
        let noun = start + my;
        if !language.is_unspaced && noun + 1 < end {
            return Some(person(&self.written((noun + 1, end))));
        }
        let who = first_person(speaker)?;
        Some(format!("{who}/{}", self.written((noun, end)).to_lowercase()))
    }

    /// What a thing is called, with its verb if that says more than "is".
    fn thing(&self) -> Option<String> {
        let Text { tokens, language } = self.text;
        let name = self.written(self.seen.thing?);
        let name = if language.has_cases { values::without_case(&name) } else { name };
        let verb = self.seen.verb.filter(|verb| !language.is.are_at(tokens, *verb));
        let verb = verb.and_then(|verb| tokens.get(verb)).map_or("", |verb| verb.text);
        Some(slug(&format!("{name} {verb}"))).filter(|name| !name.is_empty())
    }

    fn amount(&self) -> Option<Vec<AttributeStatement>> {
        let (start, _) = self.seen.value?;
        let amount = values::amount(self.text.tokens, start, self.text.language)?;
        let thing = self.thing()?;
        // What is counted in years is another attribute than what is paid.
        let attribute = match amount.unit {
            None | Some("euro") => thing,
            Some(unit) => format!("{thing}-{unit}"),
        };
        let subject = ValueKind::Amount.subject().to_owned();
        Some(vec![AttributeStatement::of(subject, attribute, amount.value)])
    }

    fn times(&self) -> Option<Vec<AttributeStatement>> {
        let (start, _) = self.seen.value?;
        let time = values::time(self.text.tokens, start, self.text.language)?;
        let thing = self.thing()?;
        let statement = |(kind, value): (ValueKind, String)| {
            AttributeStatement::of(kind.subject().to_owned(), thing.clone(), value)
        };
        Some(time.values.into_iter().map(statement).collect())
    }
}

fn first_person(speaker: Speaker<'_>) -> Option<String> {
    Clause { words: &[], speaker }.first_person()
}
