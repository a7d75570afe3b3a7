//! "My new boss is Farid": who is introduced with their name.
//!
//! After "is" a capitalised word may also be a nation, a faith or a post ("my new boss is German"),
//! so the kind has to be new, the name must be none of these, and the clause has to end after it.

use super::kinds;
use super::stated::{METAPHORICAL_KINDS, name_at};
use crate::names::Person;
use crate::statements::{Break, Sentence};

/// Kinds that are often firms: "my new landlord is Vonovia".
const FIRMS: [&str; 4] = ["accountant", "landlord", "lawyer", "partner"];
/// Words after which nobody states who it is.
#[rustfmt::skip]
const DOUBTS: [&str; 32] = [
    "allegedly", "apparently", "asked", "assume", "dream", "dreamed", "dreamt", "guess", "heard", "hope", "if", "joke", "kidding",
    "maybe", "might", "perhaps", "possibly", "probably", "rumour", "rumor", "said", "say", "says", "supposedly", "think", "thinks",
    "told", "unless", "whether", "wish", "wrote", "lol",
];
/// Words that may stand before "my" in its clause.
#[rustfmt::skip]
const OPENINGS: [&str; 12] = [
    "and", "but", "so", "because", "since", "now", "yes", "well", "also", "remember", "btw", "fyi",
];
/// Words that may follow the name.
#[rustfmt::skip]
const CONTINUATIONS: [&str; 16] = [
    "and", "but", "who", "now", "from", "at", "in", "so", "too", "since", "because", "as", "whom", "she", "he", "they",
];
/// Words of posts, groups and figures.
#[rustfmt::skip]
const NOT_OF_NAMES: [&str; 38] = [
    "acting", "aquarius", "aries", "assistant", "batman", "buddhist", "captain", "catholic", "chief", "christian", "deputy",
    "director", "gemini", "goth", "head", "hindu", "interim", "jewish", "junior", "lead", "libra", "manager", "miss", "muslim",
    "orthodox", "president", "protestant", "roman", "santa", "satan", "scorpio", "senior", "sikh", "superman", "team", "vegan",
    "vice", "virgo",
];
/// Nations and peoples without a usual ending.
#[rustfmt::skip]
const NATIONS: [&str; 41] = [
    "afghan", "african", "arab", "aussie", "basque", "brit", "canadian", "catalan", "croat", "cuban", "czech", "dane", "dutch",
    "filipina", "filipino", "finn", "french", "frisian", "german", "greek", "hispanic", "iraqi", "israeli", "kiwi", "korean",
    "kurd", "lankan", "latina", "latino", "malay", "mexican", "moroccan", "pakistani", "serb", "slovak", "swede", "swiss", "thai",
    "turk", "welsh", "zealander",
];
/// Endings of nations and peoples. That Christian and Adrian are also names is not worth a mistake.
#[rustfmt::skip]
const ENDINGS: [&str; 6] = ["ian", "ish", "ese", "ean", "ican", "eli"];

/// The person whom "my new <kind> is" names, where "my" and the kind are at these words.
pub(super) fn introduced(sentence: &Sentence<'_>, my: usize, noun: usize) -> Option<Person> {
    let is_new = (my + 1..noun).any(|at| sentence.lower(at) == "new");
    let (kind, _) = kinds::kind(sentence.lower(noun)).filter(|(_, is_several)| !is_several)?;
    let before = my.checked_sub(1).map_or("", |before| sentence.lower(before));
    let begins = before.is_empty()
        || OPENINGS.contains(&before)
        || sentence.words.get(my).is_some_and(|word| word.before != Break::None);
    let is = noun + 1;
    let is_plain = sentence.after(noun) == Break::None && sentence.after(is) == Break::None;
    if !is_new
        || !begins
        || !is_plain
        || sentence.lower(is) != "is"
        || sentence.is_question
        || sentence.has_any(&DOUBTS)
    {
        return None;
    }
    let (person, end) = name_at(sentence, is + 1)?;
    let words = sentence.words.get(is + 1..end)?;
    let is_one_word = words.len() == 1;
    let ends = match sentence.words.get(end) {
        None => sentence.last != Break::Quote,
        Some(next) if next.before == Break::None => CONTINUATIONS.contains(&next.lower.as_ref()),
        Some(next) => {
            matches!(next.before, Break::Comma | Break::Open | Break::Close | Break::Dash)
        }
    };
    let is_other = |word: &str| {
        NOT_OF_NAMES.contains(&word)
            || NATIONS.contains(&word)
            || word.ends_with("'s")
            || ENDINGS.iter().any(|ending| word.ends_with(ending))
    };
    let is_doubtful_kind =
        is_one_word && (METAPHORICAL_KINDS.contains(&kind) || FIRMS.contains(&kind));
    let is_thing =
        is_one_word && words.iter().any(|word| crate::preferences::is_known_thing(&word.lower));
    let is_name = ends
        && !is_doubtful_kind
        && !is_thing
        && !words.iter().any(|word| is_other(word.lower.as_ref()));
    is_name.then_some(person)
}
