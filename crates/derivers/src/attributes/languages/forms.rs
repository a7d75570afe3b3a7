//! Forms of sentences, and whether a sentence has one.
//!
//! A form is written as the words of a sentence: `WHO !wohnt|lebt @now? in PLACE`. `|` parts
//! alternatives, `_` is the space within one, `?` follows what may be left out, `!` precedes the
//! words by which the form is found. `@now` is a list of the language, and `WHO` a part of the
//! sentence that is read. `*` stands for a few words of any kind; a form with it says what is so
//! and never that it changed.
//!
//! A form has to fit from the beginning of a clause to its end, so a word that it does not know
//! ("nicht", "vielleicht", "nur freitags") keeps it from being read.

use std::sync::Arc;

use super::language::Language;
use super::tokens::{Token, TokenKind, hash, is_kana, is_unspaced};
use super::values;
use crate::attributes::TIMES;

/// Most tokens of `*`.
const ANY_TOKENS_MAX: usize = 5;
/// Most words of the name of a person or a place.
const NAME_WORDS_MAX: usize = 4;
/// Most words of the name of a thing.
const THING_WORDS_MAX: usize = 5;
/// Most letters of a name, in a language without spaces.
const NAME_LETTERS_MAX: usize = 8;

/// What a form is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    Home,
    Work,
    /// Who has a role: "my boss".
    Role,
    /// How much a thing is.
    Amount,
    /// When a thing takes place.
    Time,
}

/// What a form says of its topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Saying {
    /// That it is so; with "now" or "new" in it, that it has changed.
    IsSo,
    /// That it has changed.
    Changed,
    /// That it has stopped.
    Ended,
}

/// A form as written: `(Topic::Home, Saying::Changed, "WHO ist nach PLACE !gezogen")`.
pub(super) type Written = (Topic, Saying, &'static str);

/// The tokens of a phrase, in lower case.
type Phrase = Box<[&'static str]>;

/// Phrases, which clones share.
#[derive(Clone, Debug, Default)]
pub(super) struct Phrases {
    phrases: Arc<[Phrase]>,
    /// A bit for the hash of the first token of each.
    firsts: [u64; 4],
}

impl Phrases {
    /// Of `ab_sofort|jetzt`.
    pub(super) fn new(written: &'static str) -> Self {
        let phrases: Arc<[Phrase]> =
            written.split('|').filter(|phrase| !phrase.is_empty()).map(phrase).collect();
        let mut firsts = [0; 4];
        for first in phrases.iter().filter_map(|phrase| phrase.first()) {
            let (place, bit) = Self::bit(hash(first));
            firsts[place] |= bit;
        }
        Self { phrases, firsts }
    }

    fn bit(hash: u8) -> (usize, u64) {
        (usize::from(hash >> 6), 1 << (hash & 63))
    }

    /// The lengths of those that stand at a place, the longest first.
    pub(super) fn lengths_at(&self, tokens: &[Token<'_>], at: usize) -> Vec<usize> {
        let mut lengths: Vec<usize> = self.at(tokens, at).collect();
        lengths.sort_unstable_by(|left, right| right.cmp(left));
        lengths
    }

    fn at<'s>(&'s self, tokens: &'s [Token<'_>], at: usize) -> impl Iterator<Item = usize> + 's {
        let rest = tokens.get(at..).unwrap_or_default();
        let may_begin = rest.first().is_some_and(|first| {
            let (place, bit) = Self::bit(first.hash);
            self.firsts[place] & bit != 0
        });
        let phrases = if may_begin { &*self.phrases } else { &[] };
        let is_here = move |phrase: &&Phrase| {
            phrase.len() <= rest.len()
                && phrase.iter().zip(rest).all(|(word, token)| *word == token.lower.as_ref())
        };
        phrases.iter().filter(is_here).map(|phrase| phrase.len())
    }

    /// The length of the longest that stands at a place.
    pub(super) fn length_at(&self, tokens: &[Token<'_>], at: usize) -> Option<usize> {
        self.at(tokens, at).max()
    }

    /// Whether one stands at a place.
    pub(super) fn are_at(&self, tokens: &[Token<'_>], at: usize) -> bool {
        self.at(tokens, at).next().is_some()
    }

    /// The first token of each.
    pub(super) fn firsts(&self) -> impl Iterator<Item = &'static str> {
        self.phrases.iter().filter_map(|phrase| phrase.first().copied())
    }
}

fn phrase(written: &'static str) -> Phrase {
    let words = written.split('_').filter(|word| !word.is_empty());
    let tokens = words.flat_map(|word| match word.chars().any(is_unspaced) {
        true => word.split_inclusive(|_| true).collect(),
        false => vec![word],
    });
    tokens.collect()
}

/// A part of a sentence that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    /// Somebody by name, or as "my sister".
    Who,
    /// The name of a place, or of who employs somebody.
    Place,
    /// The name of somebody who has a role.
    Name,
    Role,
    Thing,
    /// One word in lower case.
    Verb,
    Amount,
    Time,
    /// When something happened, which is not read.
    When,
    /// A few words of any kind.
    Any,
}

#[derive(Clone, Debug)]
enum Part {
    Words {
        phrases: Phrases,
        /// They say that something is new.
        is_change: bool,
    },
    /// "I" or "we".
    Speaker(Phrases),
    Slot(Slot),
}

#[derive(Clone, Debug)]
struct Element {
    part: Part,
    is_optional: bool,
}

/// A form of a language.
#[derive(Clone, Debug)]
pub(super) struct Form {
    pub(super) topic: Topic,
    pub(super) saying: Saying,
    /// Whether a few words of any kind may stand in it.
    pub(super) is_open: bool,
    /// Whether it leaves out who it is about, and its verb does not say so.
    pub(super) is_of_nobody: bool,
    /// Tokens of which one occurs in each sentence of this form.
    pub(super) anchors: Vec<&'static str>,
    elements: Vec<Element>,
}

impl Form {
    pub(super) fn new((topic, saying, written): Written, language: &Language) -> Self {
        let mut form = Self {
            topic,
            saying,
            is_open: false,
            is_of_nobody: false,
            anchors: Vec::new(),
            elements: Vec::new(),
        };
        for word in written.split(' ') {
            form.add(word, language);
        }
        let is_of_people = matches!(topic, Topic::Home | Topic::Work);
        let names = form.elements.iter().any(|element| match &element.part {
            Part::Slot(slot) => *slot == Slot::Who,
            Part::Speaker(_) => !element.is_optional,
            Part::Words { .. } => false,
        });
        // A letter alone stands in any text: "19 h".
        form.anchors.retain(|anchor| anchor.len() > 1);
        form.elements.shrink_to_fit();
        form.is_of_nobody = language.is_unspaced && is_of_people && !names;
        form
    }

    fn add(&mut self, written: &'static str, language: &Language) {
        let is_optional = written.ends_with('?');
        let word = written.trim_end_matches('?');
        let is_anchor = word.starts_with('!');
        let word = word.trim_start_matches('!');
        let slot = match word {
            "WHO" => Slot::Who,
            "PLACE" => Slot::Place,
            "NAME" => Slot::Name,
            "ROLE" => Slot::Role,
            "THING" => Slot::Thing,
            "VERB" => Slot::Verb,
            "AMOUNT" => Slot::Amount,
            "TIME" => Slot::Time,
            "@when" => Slot::When,
            "*" => Slot::Any,
            _ => return self.add_words(word, is_optional, is_anchor, language),
        };
        self.is_open |= slot == Slot::Any;
        match slot {
            Slot::Amount if self.anchors.is_empty() => {
                self.anchors.extend(language.money.firsts());
            }
            Slot::Role if self.anchors.is_empty() => {
                let roles = language.roles.iter().flat_map(|(_, words)| words.firsts());
                self.anchors.extend(roles);
            }
            Slot::Time if self.anchors.is_empty() => {
                let days = language.days.iter().chain(&language.months).chain([&language.hours]);
                let words = days.flat_map(Phrases::firsts).filter(|word| !TIMES.contains(word));
                self.anchors.extend(words);
            }
            _ => {}
        }
        self.elements.push(Element { part: Part::Slot(slot), is_optional });
    }

    fn add_words(
        &mut self,
        word: &'static str,
        is_optional: bool,
        is_anchor: bool,
        language: &Language,
    ) {
        if word == "@i" {
            let part = Part::Speaker(language.i.clone());
            return self.elements.push(Element { part, is_optional });
        }
        let phrases = match word {
            "@my" => language.my.clone(),
            "@the" => language.the.clone(),
            "@now" => language.now.clone(),
            "@new" => language.new.clone(),
            _ => Phrases::new(word),
        };
        if is_anchor {
            self.anchors = phrases.firsts().collect();
        }
        let is_change = matches!(word, "@now" | "@new");
        self.elements.push(Element { part: Part::Words { phrases, is_change }, is_optional });
    }
}

/// Tokens from one place to another.
pub(super) type Range = (usize, usize);

/// What was read of a sentence by a form.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    pub(super) who: Option<Range>,
    /// The last place, name, amount or time.
    pub(super) value: Option<Range>,
    pub(super) role: Option<&'static str>,
    pub(super) thing: Option<Range>,
    pub(super) verb: Option<usize>,
    /// "Now" or "new" was among the words.
    pub(super) is_change: bool,
    /// Where the form ends.
    pub(super) end: usize,
}

/// A sentence in a language.
#[derive(Clone, Copy)]
pub(super) struct Text<'s, 't> {
    pub(super) tokens: &'s [Token<'t>],
    pub(super) language: &'s Language,
}

impl Text<'_, '_> {
    /// What a form reads from a place on, if it fits.
    pub(super) fn read(self, form: &Form, start: usize) -> Option<Seen> {
        self.fit(form, &form.elements, start, Seen::default())
    }

    /// The same of a clause that shares the subject of the sentence: "Petra kündigte und arbeitet
    /// jetzt bei Bosch".
    pub(super) fn read_shared(self, form: &Form, start: usize) -> Option<Seen> {
        let (first, rest) = form.elements.split_first()?;
        let seen = match &first.part {
            Part::Speaker(phrases) if phrases.are_at(self.tokens, 0) => Seen::default(),
            Part::Slot(Slot::Who) => {
                let names = self.names(0);
                // "Petra and Tom" are two.
                let is_one = !self.language.tails.are_at(self.tokens, names);
                let who = (names > 0 && is_one && names + 1 < start).then_some((0, names));
                Seen { who: Some(who?), ..Seen::default() }
            }
            _ => return None,
        };
        self.fit(form, rest, start, seen)
    }

    fn fit(self, form: &Form, elements: &[Element], at: usize, seen: Seen) -> Option<Seen> {
        let Some((element, rest)) = elements.split_first() else {
            return self.may_end(form, at, seen).then_some(Seen { end: at, ..seen });
        };
        let found = match &element.part {
            Part::Words { phrases, is_change } => {
                let lengths = phrases.lengths_at(self.tokens, at);
                let seen = Seen { is_change: seen.is_change || *is_change, ..seen };
                lengths.into_iter().find_map(|length| self.fit(form, rest, at + length, seen))
            }
            Part::Speaker(phrases) => {
                let mut lengths = phrases.lengths_at(self.tokens, at).into_iter();
                lengths.find_map(|length| self.fit(form, rest, at + length, seen))
            }
            Part::Slot(slot) => self.lengths(*slot, at).into_iter().find_map(|length| {
                self.fit(form, rest, at + length, self.with(seen, *slot, (at, at + length)))
            }),
        };
        found.or_else(|| element.is_optional.then(|| self.fit(form, rest, at, seen)).flatten())
    }

    fn with(self, seen: Seen, slot: Slot, range: Range) -> Seen {
        match slot {
            Slot::Who => Seen { who: Some(range), ..seen },
            Slot::Place | Slot::Name | Slot::Amount | Slot::Time => {
                Seen { value: Some(range), ..seen }
            }
            Slot::Role => Seen { role: self.role_at(range.0).map(|(role, _)| role), ..seen },
            Slot::Thing => Seen { thing: Some(range), ..seen },
            Slot::Verb => Seen { verb: Some(range.0), ..seen },
            Slot::When | Slot::Any => seen,
        }
    }

    /// Whether a form may end before a place.
    fn may_end(self, form: &Form, at: usize, seen: Seen) -> bool {
        let Some(next) = self.tokens.get(at) else { return true };
        let is_of_people = !matches!(form.topic, Topic::Amount | Topic::Time);
        let is_end = next.kind == TokenKind::Break
            || self.language.tails.are_at(self.tokens, at)
            // Where somebody lives since then; what is so then may be so only then.
            || is_of_people && !self.when_lengths(at).is_empty();
        if is_end || form.is_open {
            return true;
        }
        // What is so may go on: "900 Euro kalt".
        let is_so = form.saying == Saying::IsSo && !seen.is_change;
        let has_unit = || {
            let (start, _) = seen.value?;
            values::amount(self.tokens, start, self.language)?.unit
        };
        is_so && (form.topic == Topic::Time || form.topic == Topic::Amount && has_unit().is_some())
    }

    /// How many tokens a part may have that begins at a place, in the order of preference.
    fn lengths(self, slot: Slot, at: usize) -> Vec<usize> {
        match slot {
            Slot::Who => self.who_lengths(at),
            Slot::Place => self.name_lengths(at, true),
            Slot::Name => self.name_lengths(at, false),
            Slot::Role => self.role_at(at).map(|(_, length)| length).into_iter().collect(),
            Slot::Thing => self.thing_lengths(at),
            Slot::Verb => self.verb_length(at).into_iter().collect(),
            Slot::Amount => {
                let amount = values::amount(self.tokens, at, self.language);
                amount.map(|amount| amount.length).into_iter().collect()
            }
            Slot::Time => {
                let time = values::time(self.tokens, at, self.language);
                time.map(|time| time.length).into_iter().collect()
            }
            Slot::When => self.when_lengths(at),
            Slot::Any => {
                let rest = self.tokens.get(at..).unwrap_or_default().iter();
                let near = rest.take(ANY_TOKENS_MAX);
                let near = near.take_while(|token| token.kind != TokenKind::Break).count();
                (0..=near).collect()
            }
        }
    }

    /// "Last week", "in March".
    fn when_lengths(self, at: usize) -> Vec<usize> {
        let mut lengths = self.language.when.lengths_at(self.tokens, at);
        let month = |month: &Phrases| month.length_at(self.tokens, at + 1);
        if self.language.in_month.are_at(self.tokens, at) {
            lengths.extend(self.language.months.iter().filter_map(month).map(|length| length + 1));
        }
        lengths
    }

    fn role_at(self, at: usize) -> Option<(&'static str, usize)> {
        let role = |(role, words): &(&'static str, Phrases)| {
            Some((*role, words.length_at(self.tokens, at)?))
        };
        self.language.roles.iter().filter_map(role).max_by_key(|(_, length)| *length)
    }

    /// `Petra`, `Petra Meier`, `my sister`, `my sister Petra`.
    fn who_lengths(self, at: usize) -> Vec<usize> {
        let mut lengths = Vec::new();
        for my in self.language.my.lengths_at(self.tokens, at) {
            let noun = at + my;
            if self.language.is_unspaced {
                let letters = self.letters(noun).min(3);
                let letters = (noun..noun + letters).take_while(|place| self.may_be_noun(*place));
                lengths.extend((1..=letters.count()).map(|length| my + length));
            } else if self.is_noun(noun) {
                let names = self.names(noun + 1).min(2);
                lengths.extend((0..=names).map(|length| my + 1 + length));
            }
        }
        if lengths.is_empty() && !self.language.i.are_at(self.tokens, at) {
            let letters = if self.language.is_unspaced { self.letters(at) } else { 0 };
            lengths.extend(1..=letters.max(self.names(at)));
        }
        lengths
    }

    /// Whether a letter may be of who is meant by "my", which "昨天" and "想" are not.
    fn may_be_noun(self, at: usize) -> bool {
        let Language { when, now, vetoes, .. } = self.language;
        ![when, now, vetoes].iter().any(|words| words.are_at(self.tokens, at))
    }

    fn is_noun(self, at: usize) -> bool {
        let is_word = self.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Word);
        is_word && !self.language.nobody.are_at(self.tokens, at)
    }

    /// How many words from a place on are written as in a name.
    fn names(self, at: usize) -> usize {
        let is_name = |place: &usize| {
            self.tokens.get(*place).is_some_and(Token::is_proper)
                && !self.language.nobody.are_at(self.tokens, *place)
        };
        (at..at + NAME_WORDS_MAX).take_while(is_name).count()
    }

    /// How many letters from a place on may be of a name, in a language without spaces.
    fn letters(self, at: usize) -> usize {
        let is_letter = |place: &usize| {
            let token = self.tokens.get(*place).filter(|it| it.kind == TokenKind::Letter);
            token.is_some_and(|token| self.language.has_kana || !is_kana(token.text))
                && !self.language.nobody.are_at(self.tokens, *place)
        };
        (at..at + NAME_LETTERS_MAX).take_while(is_letter).count()
    }

    /// The longest first.
    fn name_lengths(self, at: usize, is_place: bool) -> Vec<usize> {
        let title = match is_place {
            true => self.language.the.length_at(self.tokens, at).unwrap_or_default(),
            false => values::titles(self.tokens, at),
        };
        let start = at + title;
        let is_time = |place: usize| {
            let mut times = self.language.days.iter().chain(&self.language.months);
            times.any(|time| time.are_at(self.tokens, place))
        };
        if self.is_common(start) || is_time(start) {
            return Vec::new();
        }
        let letters = if self.language.is_unspaced { self.letters(start) } else { 0 };
        // "A woman from Beijing" is not a name.
        let ends_well = |length: &usize| {
            let last = self.tokens.get(start + length - 1).map_or("", |last| last.text);
            !self.language.no_endings.contains(&last)
        };
        let letters = (1..=letters).filter(ends_well);
        let mut lengths: Vec<usize> = letters.map(|length| title + length).collect();
        let mut end = start;
        while end < start + NAME_WORDS_MAX && self.tokens.get(end).is_some() {
            let is_proper = self.tokens.get(end).is_some_and(Token::is_proper);
            let is_join = values::joins_names(self.tokens, end);
            if (self.names(end) > 0 || is_proper && is_join) && !is_time(end) {
                lengths.push(end + 1 - at);
            } else if end == start || !is_join {
                break;
            }
            end += 1;
        }
        lengths.reverse();
        lengths
    }

    /// Whether a word is not a name, though it may be written like one.
    fn is_common(self, at: usize) -> bool {
        let Language { no_names, no_endings, .. } = self.language;
        let word = self.tokens.get(at).map_or("", |token| token.lower.as_ref());
        no_names.are_at(self.tokens, at) || no_endings.iter().any(|ending| word.ends_with(ending))
    }

    /// The shortest first.
    fn thing_lengths(self, at: usize) -> Vec<usize> {
        let max = if self.language.is_unspaced { NAME_LETTERS_MAX } else { THING_WORDS_MAX };
        let is_part = |place: &usize| {
            let kind = self.tokens.get(*place).map(|token| token.kind);
            let is_word = matches!(kind, Some(TokenKind::Word | TokenKind::Letter))
                || *place > at && kind == Some(TokenKind::Number);
            let is_new = *place <= at + 1 && self.language.new.are_at(self.tokens, *place);
            is_word && !is_new && !self.is_of_no_name(*place)
        };
        (1..=(at..at + max).take_while(is_part).count()).collect()
    }

    fn verb_length(self, at: usize) -> Option<usize> {
        let token = self.tokens.get(at)?;
        let is_verb = token.kind == TokenKind::Word
            && token.text.chars().all(char::is_lowercase)
            && !self.is_of_no_name(at);
        is_verb.then_some(1)
    }

    /// Whether a word does not occur in the names of things.
    fn is_of_no_name(self, at: usize) -> bool {
        let Language { nobody, vetoes, now, .. } = self.language;
        [nobody, vetoes, now].iter().any(|words| words.are_at(self.tokens, at))
    }
}
