//! Turns that say nothing beyond courtesy: "hello", "thanks, that's all", "ok, go on".

use super::reading::{in_lower_case, words_of};
use crate::text::words::{Word, cut_at_apostrophe};

/// German nouns of courtesy, which have a capital letter.
const NOUNS: [&str; 5] = ["Abend", "Dank", "Morgen", "Nacht", "Tag"];
/// Most words of such a turn.
const WORDS_MAX: usize = 12;

/// Words that may stand beside [`COURTEOUS`] ones, in lower case.
#[rustfmt::skip]
static WORDS: &[&str] = &[
    // English
    "a", "again", "all", "and", "are", "awesome", "cool", "day", "evening", "fine", "for", "go", "good",
    "got", "great", "how", "it", "job", "later", "lot", "lovely", "me", "more",
    "morning", "much", "nice", "night", "no", "now", "on", "perfect", "right", "see", "so",
    "sounds", "sure", "tell", "that", "there", "today", "very", "welcome", "well",
    "help", "tomorrow", "will", "wonderful", "worked", "you", "your",
    // German
    "alles", "auch", "bis", "dann", "das", "dir", "es", "geht", "genau", "gut", "gute", "guten",
    "ihnen", "klar", "machs", "mehr", "mir", "morgen", "nacht", "prima", "schön", "schönen", "sehr",
    "servus", "super", "tag", "toll", "vielen", "weiter", "wie", "abend",
    // French
    "au", "beaucoup", "bien", "bon", "bonne", "ça", "journée", "non",
    "parfait", "plaît", "revoir", "s'il", "soir", "soirée", "te", "va", "vous",
    // Spanish and Portuguese
    "bom", "buenas", "buenos", "bueno", "claro", "dia", "días", "favor", "hasta", "luego",
    "muchas", "muito", "noches", "perfecto", "por", "sim", "tal", "tardes", "vale", "qué",
    // Italian, Dutch
    "mille", "perfetto", "prego", "tutto", "je",
    "wel", "goed",
    // Polish, Russian
    "dobry", "dzień", "hej", "tak", "добрый", "день", "пока",
    "большое",
];

/// Words of which a turn has at least one. What is the name of a town or a thing in some language
/// ("Nice", "Vale", "Toll") is not among them.
#[rustfmt::skip]
static COURTEOUS: &[&str] = &[
    "alright", "bye", "goodbye", "haha", "hello", "hey", "hi", "lol", "ok", "okay", "please", "sorry", "thank", "thanks", "thx",
    "understood", "yeah", "yep", "yes", "bitte", "danke", "dank", "hallo", "ja", "nein", "tschüss", "bonjour", "bonsoir",
    "d'accord", "merci", "oui", "salut", "adiós", "gracias", "hola", "obrigada", "obrigado", "olá", "sí", "arrivederci",
    "buongiorno", "buonasera", "ciao", "grazie", "sì", "goedemorgen", "hoi", "cześć", "dziękuję", "dzięki", "да",
    "здравствуйте", "нет", "привет", "спасибо", "хорошо",
];
/// Beginnings of turns of courtesy whose words are not enough by themselves.
#[rustfmt::skip]
static PHRASES: &[&str] = &[
    "awesome", "buenas tardes", "buenos días", "cool", "go on", "good evening", "good morning", "great", "guten abend",
    "guten morgen", "guten tag", "no", "perfect", "see you later", "see you tomorrow", "sounds good", "tell me more",
    "that's all", "very good", "well done",
];

/// The same where words are not separated.
#[rustfmt::skip]
const UNSPACED: [&str; 22] = [
    "你好", "您好", "谢谢", "謝謝", "谢谢你", "谢谢您", "好的", "好", "嗯", "是的", "不用了", "再见", "早上好", "晚安", "こんにちは", "おはよう",
    "ありがとう", "ありがとうございます", "はい", "いいえ", "了解", "続けて",
];

/// Whether a turn says nothing beyond courtesy, so that nothing is to be looked for.
///
/// ```
/// use retrieval::question::courtesy::is_courtesy;
///
/// assert!(is_courtesy("Thanks, that's all!"));
/// assert!(is_courtesy("Guten Morgen"));
/// assert!(!is_courtesy("Good, and the kiln?"));
/// assert!(!is_courtesy(""));
/// ```
pub fn is_courtesy(text: &str) -> bool {
    let plain = text.trim_matches(|letter: char| !letter.is_alphanumeric());
    if UNSPACED.contains(&plain) {
        return true;
    }
    let words = words_of(text);
    // A capital letter within a sentence may be that of a name, and capitals those of a code.
    let is_name = |(place, word): (usize, &Word<'_>)| {
        let is_upper = |letter: char| letter.is_uppercase();
        place > 0 && word.text.starts_with(is_upper) && !NOUNS.contains(&word.text)
            || word.text.chars().count() > 2 && word.text.chars().all(is_upper)
    };
    if words.len() > WORDS_MAX || words.iter().enumerate().any(is_name) {
        return false;
    }
    let words = in_lower_case(&words);
    let is_courteous = |word: &str| COURTEOUS.contains(&word);
    let is_known = |word: &String| {
        [word, cut_at_apostrophe(word)]
            .iter()
            .any(|word| is_courteous(word) || WORDS.contains(word))
    };
    let is_asked = words.len() == 1 && text.trim_end().ends_with(['?', '？']);
    let joined = words.join(" ");
    let begins = |phrase: &&str| {
        let may_go_on = phrase.contains(' ');
        let rest = joined.strip_prefix(*phrase);
        rest.is_some_and(|rest| rest.is_empty() || may_go_on && rest.starts_with(' '))
    };
    !is_asked
        && words.iter().all(is_known)
        && (words.iter().any(|word| is_courteous(word)) || PHRASES.iter().any(begins))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn courtesy_is_told_from_questions() {
        for text in [
            "hello",
            "Tell me more",
            "Thank you so much for your help!",
            "Great, that worked, thanks",
            "ok go on",
            "yes please",
            "good morning, how are you today?",
            "Danke, alles klar",
            "Merci beaucoup",
            "Buenos días",
            "спасибо большое",
            "谢谢！",
        ] {
            assert!(is_courtesy(text), "{text}");
        }
        for text in [
            "How much?",
            "Where are you?",
            "How did it go with Ada?",
            "Thanks, and the boiler?",
            "What is on today?",
            "Morgen?",
            "more milk",
            "Nice",
            "Vale?",
            "SIM",
            "Tell me more on Nice",
            "hi Tal",
            "Perfect day",
            "...",
        ] {
            assert!(!is_courtesy(text), "{text}");
        }
    }
}
