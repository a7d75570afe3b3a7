//! Who has a role: "The CEO is Paul", "Paul isn't the CEO anymore", "Emil is the new project lead".

use super::{AttributeStatement, Clause, NAME_WORDS_MAX, OTHERS, TIMES, is_proper, things};
use crate::statements::{Break, Word};

/// Most words of a role.
const ROLE_WORDS_MAX: usize = 3;
/// Words with which the name of a role does not begin.
#[rustfmt::skip]
const NOT_ROLES: [&str; 13] = [
    "best", "case", "fact", "first", "issue", "kind", "one", "only", "plan", "problem", "reason",
    "same", "way",
];

impl Clause<'_, '_, '_> {
    /// `The CEO is Paul`; `my boss is Paul` is read as a possession.
    pub(super) fn role_of(self) -> Option<AttributeStatement> {
        if self.lower(0) != "the" {
            return None;
        }
        let is = (1..=1 + ROLE_WORDS_MAX).find(|at| self.lower(*at) == "is")?;
        let name = self.name_at(is + 1)?;
        let end = is + 1 + name.split(' ').count();
        let role = self.role_at(1, Some(is))?;
        (self.ends_at(end)).then(|| AttributeStatement::of(subject_of_role(), role, name))
    }

    /// `Paul is the new CEO`, `Paul is no longer my boss`, `Paul isn't the CEO anymore`.
    pub(super) fn has_role(self) -> Option<AttributeStatement> {
        let name = self.name_at(0)?;
        let mut at = name.split(' ').count();
        let is_denied = match self.lower(at) {
            "is" => false,
            "isn't" => true,
            _ => return None,
        };
        at += 1;
        let is_denied = is_denied || self.lower(at) == "not";
        at += usize::from(self.lower(at) == "not");
        let is_over = self.lower(at) == "no" && self.lower(at + 1) == "longer";
        at += if is_over { 2 } else { 0 };
        let is_now = self.lower(at) == "now";
        at += usize::from(is_now);
        let subject = match self.lower(at) {
            "the" => subject_of_role(),
            "my" | "our" => self.first_person()?,
            _ => return None,
        };
        at += 1;
        let is_new = self.lower(at) == "new";
        at += usize::from(is_new);
        let role = self.role_at(at, None)?;
        let end = at + role.split(' ').count();
        let is_anymore = self.lower(end) == "anymore"
            || self.lower(end) == "any" && self.lower(end + 1) == "more";
        if !is_anymore && !self.ends_at(end) {
            return None;
        }
        let has_ended = is_over || is_denied && is_anymore;
        if is_denied && !has_ended {
            return None;
        }
        let is_change = has_ended || is_now || is_new;
        Some(AttributeStatement {
            is_change,
            has_ended,
            ..AttributeStatement::of(subject, role, name)
        })
    }

    pub(super) fn name_at(&self, at: usize) -> Option<String> {
        let words = self.words.get(at..)?.iter().take(NAME_WORDS_MAX).enumerate();
        let is_name = |(place, word): &(usize, &Word<'_>)| {
            is_proper(word.text)
                && !TIMES.contains(&word.lower.as_ref())
                && (*place == 0 || word.before == Break::None)
        };
        let name: Vec<&str> = words.take_while(is_name).map(|(_, word)| word.text).collect();
        (!name.is_empty()).then(|| name.join(" "))
    }

    /// The words of a role from `at` to `end`, or to what follows it.
    pub(super) fn role_at(&self, at: usize, end: Option<usize>) -> Option<String> {
        let words = self.words.get(at..end.unwrap_or(self.words.len()))?;
        let is_end = |word: &str| {
            matches!(word, "and" | "any" | "anymore" | "at" | "but" | "for" | "in" | "now" | "of")
        };
        let role = words.iter().enumerate().take_while(|(place, word)| {
            (*place == 0 || word.before == Break::None) && !is_end(word.lower.as_ref())
        });
        let role: Vec<&str> = role.map(|(_, word)| word.lower.as_ref()).collect();
        let first = role.first()?;
        let is_role = role.len() <= ROLE_WORDS_MAX
            && !NOT_ROLES.contains(first)
            && !OTHERS.contains(first)
            && role
                .iter()
                .all(|word| word.chars().all(|letter| letter.is_alphabetic() || letter == '-'));
        is_role.then(|| role.join(" "))
    }

    /// Whether the clause, or the part of it that matters, ends before a word.
    fn ends_at(&self, at: usize) -> bool {
        self.words.get(at).is_none_or(|word| {
            word.before != Break::None
                || matches!(word.lower.as_ref(), "and" | "but" | "since" | "now" | "as" | "from")
        })
    }
}

/// Whose attribute a role is that is nobody's own.
pub(super) fn subject_of_role() -> String {
    format!("{}role", things::SUBJECT)
}
