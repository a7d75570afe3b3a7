//! A language: its words and the forms of its sentences.

use super::forms::{Form, Phrases, Written};

/// The words of a language as they are written in the tables: alternatives are parted by `|`, the
/// words of one by `_`.
pub(super) struct Table {
    /// "I" and "we".
    pub(super) i: &'static str,
    pub(super) my: &'static str,
    /// Articles, and what may stand for one before a thing of the speaker: "our".
    pub(super) the: &'static str,
    /// "Now", "from now on".
    pub(super) now: &'static str,
    pub(super) new: &'static str,
    /// When something happened, not long ago: "last week".
    pub(super) when: &'static str,
    /// The word before a month.
    pub(super) in_month: &'static str,
    /// Words after a statement that do not limit it: "and", "because".
    pub(super) tails: &'static str,
    /// Pronouns and other words that do not occur in names.
    pub(super) nobody: &'static str,
    /// Words written as names that are not those of places or people: "home".
    pub(super) no_names: &'static str,
    /// Endings of such words.
    pub(super) no_endings: &'static [&'static str],
    /// Beginnings of names of towns and countries, where "works in" is said of employers, too.
    pub(super) towns: &'static str,
    /// Words beside a statement that leave it open, limit it or deny it.
    pub(super) vetoes: &'static str,
    /// Roles of which somebody has one at a time, by their names in English.
    pub(super) roles: &'static [(&'static str, &'static str)],
    /// Verbs that say no more of a thing than that it is.
    pub(super) is: &'static str,
    /// Words before and within a time.
    pub(super) at: &'static str,
    /// Those of them after which a number is an hour.
    pub(super) before_clock: &'static str,
    /// Words after a number by which it is an hour.
    pub(super) hours: &'static str,
    /// Words after a time that belong to it.
    pub(super) after_time: &'static str,
    /// "A month" after a price.
    pub(super) per: &'static str,
    /// Names of money, by which an amount is found that has no verb.
    pub(super) money: &'static str,
    pub(super) days: [&'static str; 7],
    pub(super) months: [&'static str; 12],
    /// Whether each letter is a token.
    pub(super) is_unspaced: bool,
    /// Whether it has the letters of Japanese.
    pub(super) has_kana: bool,
    /// Whether names have other endings after "in" and "to".
    pub(super) has_cases: bool,
    /// The forms of its sentences, the plain before the rare.
    pub(super) forms: &'static [Written],
}

/// A language, ready to be read.
pub(super) struct Language {
    pub(super) i: Phrases,
    pub(super) my: Phrases,
    pub(super) the: Phrases,
    pub(super) now: Phrases,
    pub(super) new: Phrases,
    pub(super) when: Phrases,
    pub(super) in_month: Phrases,
    pub(super) tails: Phrases,
    pub(super) nobody: Phrases,
    pub(super) no_names: Phrases,
    pub(super) no_endings: &'static [&'static str],
    pub(super) towns: Vec<&'static str>,
    pub(super) vetoes: Phrases,
    pub(super) roles: Vec<(&'static str, Phrases)>,
    pub(super) is: Phrases,
    pub(super) at: Phrases,
    pub(super) before_clock: Phrases,
    pub(super) hours: Phrases,
    pub(super) after_time: Phrases,
    pub(super) per: Phrases,
    pub(super) money: Phrases,
    pub(super) days: [Phrases; 7],
    pub(super) months: [Phrases; 12],
    pub(super) is_unspaced: bool,
    pub(super) has_kana: bool,
    pub(super) has_cases: bool,
    pub(super) forms: Vec<Form>,
}

impl Language {
    pub(super) fn new(table: &Table) -> Self {
        let roles = table.roles.iter().map(|(role, words)| (*role, Phrases::new(words)));
        let mut language = Self {
            i: Phrases::new(table.i),
            my: Phrases::new(table.my),
            the: Phrases::new(table.the),
            now: Phrases::new(table.now),
            new: Phrases::new(table.new),
            when: Phrases::new(table.when),
            in_month: Phrases::new(table.in_month),
            tails: Phrases::new(table.tails),
            nobody: Phrases::new(table.nobody),
            no_names: Phrases::new(table.no_names),
            no_endings: table.no_endings,
            towns: table.towns.split('|').filter(|town| !town.is_empty()).collect(),
            vetoes: Phrases::new(table.vetoes),
            roles: roles.collect(),
            is: Phrases::new(table.is),
            at: Phrases::new(table.at),
            before_clock: Phrases::new(table.before_clock),
            hours: Phrases::new(table.hours),
            after_time: Phrases::new(table.after_time),
            per: Phrases::new(table.per),
            money: Phrases::new(table.money),
            days: table.days.map(Phrases::new),
            months: table.months.map(Phrases::new),
            is_unspaced: table.is_unspaced,
            has_kana: table.has_kana,
            has_cases: table.has_cases,
            forms: Vec::new(),
        };
        language.forms = table.forms.iter().map(|form| Form::new(*form, &language)).collect();
        language
    }
}
