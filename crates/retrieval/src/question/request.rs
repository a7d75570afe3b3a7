//! The words of a question that ask, and do not say what about.
//!
//! "Can you give me a summary of our discussions about the kiln? Mention only three items." is
//! about the kiln. The words that say that it was talked about, and what form the answer is to
//! have, are in records on any subject. English only. Measurements:
//! `docs/design/0033-passages-and-roles.md`.

use std::ops::Range;

use super::sentences::begins_sentence;
use crate::text::words::{Word, cut_at_apostrophe};

/// Words that may stand before a request.
const BEFORE: [&str; 9] = ["also", "and", "hello", "hey", "hi", "now", "ok", "okay", "please"];
const MODALS: [&str; 4] = ["can", "could", "will", "would"];
/// Words between "can you" and the verb.
const SOFTENING: [&str; 4] = ["also", "just", "maybe", "please"];
/// Verbs that ask for an answer.
#[rustfmt::skip]
const ASKING: [&str; 14] = [
    "describe", "explain", "give", "list", "name", "outline", "provide", "recap", "remind", "show", "summarise",
    "summarize", "tell", "walk",
];
/// Of these, the ones whose object says in what form something was talked about.
const SUMMARISING: [&str; 4] = ["outline", "recap", "summarise", "summarize"];
/// Words that follow such a verb where a sentence begins with it. "List comprehensions" names
/// something.
#[rustfmt::skip]
const OBJECTS: [&str; 18] = [
    "a", "all", "an", "her", "his", "how", "me", "my", "our", "the", "their", "us", "what", "when", "where", "which",
    "who", "why",
];
const PARTICLES: [&str; 5] = ["about", "me", "of", "through", "us"];
/// How full an answer is to be.
#[rustfmt::skip]
const FULLNESS: [&str; 12] = [
    "brief", "clear", "complete", "comprehensive", "concise", "detailed", "full", "general", "quick", "short",
    "simple", "thorough",
];
/// Its form.
const FORMS: [&str; 7] = ["list", "outline", "overview", "recap", "rundown", "summary", "timeline"];
/// What a summary is of, beside its subject.
#[rustfmt::skip]
const TALKS: [&str; 10] = [
    "conclusion", "conclusions", "conversation", "conversations", "discussion", "discussions", "opinion", "opinions",
    "view", "views",
];
/// Words that lead from a request to its subject.
const LEADING: [&str; 5] = ["about", "for", "of", "on", "regarding"];
/// What people do when they talk, each as its words.
const TALKING: [&[&str]; 8] = [
    &["brought", "up"],
    &["asked", "about"],
    &["covered"],
    &["discussed"],
    &["mentioned"],
    &["raised"],
    &["talked", "about"],
    &["went", "over"],
];
/// Words around the subject of what they talk about.
const VARIETY: [&str; 7] = ["all", "different", "key", "main", "several", "the", "various"];
const PARTS: [&str; 8] =
    ["aspects", "details", "ideas", "parts", "points", "subjects", "things", "topics"];
/// Words that begin the range of an answer, as in "across all of our past conversations".
const RANGES: [&str; 6] = ["across", "during", "from", "in", "over", "throughout"];
#[rustfmt::skip]
const RANGED: [&str; 12] = [
    "all", "earlier", "entire", "many", "my", "of", "our", "past", "previous", "recent", "these", "whole",
];
#[rustfmt::skip]
const CONVERSATIONS: [&str; 9] = [
    "chat", "chats", "conversation", "conversations", "discussion", "discussions", "exchanges", "messages", "sessions",
];
/// Verbs that begin a sentence about the form of the answer.
#[rustfmt::skip]
const LIMITING: [&str; 10] = [
    "answer", "give", "include", "keep", "limit", "list", "mention", "name", "respond", "use",
];
const LIMITS: [&str; 4] = ["least", "most", "only", "than"];
/// What an answer is counted in.
#[rustfmt::skip]
const UNITS: [&str; 10] = [
    "item", "items", "lines", "paragraph", "paragraphs", "points", "sentence", "sentences", "words", "bullets",
];
/// Most words of such a sentence.
const LIMIT_WORDS_MAX: usize = 14;

/// The ranges of words that ask. `lower` has the words of `text` in lower case.
pub(super) fn asking_words(text: &str, words: &[Word<'_>], lower: &[String]) -> Vec<Range<usize>> {
    let reader = Reader { lower };
    let mut found = Vec::new();
    let opening = reader.opening();
    if opening > 0 {
        found.push(0..opening);
    }
    let mut at = opening;
    while at < lower.len() {
        let is_sentence = at > 0 && words.get(at).is_some_and(|word| begins_sentence(text, word));
        let end = match is_sentence && reader.is_limit(at) {
            true => lower.len(),
            false => reader.range(at).max(if opening > 0 { reader.order(at) } else { at }),
        };
        if end > at {
            found.push(at..end);
        }
        at = end.max(at + 1);
    }
    found
}

/// Reads parts of a request. Each answers where the part ends that begins at a word: there, if it
/// does not.
struct Reader<'a> {
    lower: &'a [String],
}

impl Reader<'_> {
    fn word(&self, at: usize) -> &str {
        self.lower.get(at).map_or("", |word| cut_at_apostrophe(word))
    }

    fn skip(&self, mut at: usize, known: &[&str]) -> usize {
        while known.contains(&self.word(at)) {
            at += 1;
        }
        at
    }

    /// "Can you list the order in which I brought up different aspects of".
    fn opening(&self) -> usize {
        let start = self.skip(0, &BEFORE);
        let is_put = MODALS.contains(&self.word(start)) && self.word(start + 1) == "you";
        let verb = if is_put { self.skip(start + 2, &SOFTENING) } else { start };
        let is_asking =
            ASKING.contains(&self.word(verb)) && (is_put || OBJECTS.contains(&self.word(verb + 1)));
        if !is_asking {
            return 0;
        }
        let object = self.skip(verb + 1, &PARTICLES);
        let (form, is_summary) = match self.form(object) {
            Some(end) => (end, true),
            None => (object, SUMMARISING.contains(&self.word(verb))),
        };
        let end = self.talking(if is_summary { self.talk(form) } else { form });
        // "Show me how" may be what an instruction is about.
        if end > object { end } else { 0 }
    }

    /// "a comprehensive summary of", "the order in which".
    fn form(&self, at: usize) -> Option<usize> {
        if self.word(at) == "the" {
            let is_order = matches!(self.word(at + 1), "order" | "sequence")
                && (self.word(at + 2), self.word(at + 3)) == ("in", "which");
            return is_order.then_some(at + 4);
        }
        let noun = self.skip(at + usize::from(matches!(self.word(at), "a" | "an")), &FULLNESS);
        let is_form = FORMS.contains(&self.word(noun)) && noun > at;
        is_form.then(|| noun + 1 + usize::from(LEADING.contains(&self.word(noun + 1))))
    }

    /// "the conclusion of the discussion about".
    fn talk(&self, mut at: usize) -> usize {
        loop {
            let noun = at + usize::from(matches!(self.word(at), "the" | "our" | "their"));
            if !TALKS.contains(&self.word(noun)) || !LEADING.contains(&self.word(noun + 1)) {
                return at;
            }
            at = noun + 2;
        }
    }

    /// "what we have discussed about", "I brought up different aspects of".
    fn talking(&self, at: usize) -> usize {
        let subject = self.skip(at, &["all", "everything", "what", "that"]);
        if !matches!(self.word(subject), "i" | "we" | "you") {
            return at;
        }
        let verb = self.skip(subject + 1, &["had", "have", "ve"]);
        let of = |words: &&&[&str]| {
            words.iter().enumerate().all(|(place, word)| self.word(verb + place) == *word)
        };
        let Some(talking) = TALKING.iter().find(of) else { return at };
        let end = verb + talking.len();
        let part = self.skip(end, &VARIETY);
        match PARTS.contains(&self.word(part)) {
            true => part + 1 + usize::from(LEADING.contains(&self.word(part + 1))),
            false => end,
        }
    }

    /// "across our conversations".
    fn range(&self, at: usize) -> usize {
        let noun = self.skip(at + 1, &RANGED);
        let is_range = RANGES.contains(&self.word(at))
            && noun > at + 1
            && CONVERSATIONS.contains(&self.word(noun));
        if is_range { noun + 1 } else { at }
    }

    /// "in order", at the end of a request.
    fn order(&self, at: usize) -> usize {
        let order = at + 1 + usize::from(matches!(self.word(at + 1), "chronological" | "the"));
        let is_order = self.word(at) == "in"
            && self.word(order) == "order"
            && !matches!(self.word(order + 1), "of" | "to");
        if is_order { order + 1 } else { at }
    }

    /// "Mention only three items.", the last sentence.
    fn is_limit(&self, at: usize) -> bool {
        let rest = self.lower.get(at..).unwrap_or_default();
        let has = |known: &[&str]| rest.iter().any(|word| known.contains(&word.as_str()));
        rest.len() <= LIMIT_WORDS_MAX
            && LIMITING.contains(&self.word(self.skip(at, &BEFORE)))
            && has(&LIMITS)
            && has(&UNITS)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{in_lower_case, words_of};
    use super::*;

    /// The words that are left.
    fn subject(text: &str) -> String {
        let words = words_of(text);
        let asking = asking_words(text, &words, &in_lower_case(&words));
        let is_asking = |place: usize| asking.iter().any(|range| range.contains(&place));
        let left = words.iter().enumerate().filter(|(place, _)| !is_asking(*place));
        left.map(|(_, word)| word.text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_a_request_is_about_is_told_from_its_asking() {
        for (text, about) in [
            (
                "Can you give me a comprehensive summary of how the kiln was built?",
                "how the kiln was built",
            ),
            ("Summarize the discussion about the remote control size.", "the remote control size"),
            ("Please summarise their views on the conclusion of the talks", "the talks"),
            (
                "Could you please walk me through the order in which I brought up different aspects of \
                 glazing across our conversations, in order? Mention ONLY and ONLY three items.",
                "glazing",
            ),
            ("Give me an overview of what we've discussed about Lisbon", "about Lisbon"),
            (
                "How many glazes did I mention across all of our past chats?",
                "How many glazes did I mention",
            ),
            ("What was the price? Answer in at most two sentences.", "What was the price"),
            ("Hi, can you remind me what I mentioned about clay", "about clay"),
        ] {
            assert_eq!(subject(text), about, "{text}");
        }
    }

    #[test]
    fn words_that_name_something_are_kept() {
        for text in [
            "list comprehension python",
            "show tickets",
            "name of the dog",
            "the summary of the third quarter",
            "Which discussion about size was the longest?",
            "Who was in the messages room?",
            "Can you swim?",
            "Can you tell me who fired the kiln?",
            "Could you have a list",
            "the order of the stations",
            "in order to win",
            "Mention only",
            "",
        ] {
            assert_eq!(subject(text), text.trim_end_matches('?'), "{text}");
        }
    }

    #[test]
    fn hostile_requests_end() {
        for text in ["can you ".repeat(5_000), "in our ".repeat(5_000), "all of the ".repeat(5_000)]
        {
            let _ = subject(&text);
        }
    }
}
