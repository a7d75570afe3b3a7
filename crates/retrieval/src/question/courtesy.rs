//! Turns that say nothing beyond courtesy: "hello", "thanks, that's all", "ok, go on".

use super::reading::{in_lower_case, words_of};
use crate::text::words::cut_at_apostrophe;

/// Most words of such a turn.
const WORDS_MAX: usize = 12;

/// Words of courtesy and of agreement, and words that only go with them, in lower case.
#[rustfmt::skip]
static WORDS: &[&str] = &[
    // English
    "a", "again", "all", "alright", "and", "are", "awesome", "bye", "cool", "day", "evening", "fine", "for", "go", "good",
    "goodbye", "got", "great", "haha", "hello", "hey", "hi", "how", "it", "job", "later", "lol", "lot", "lovely", "me", "more",
    "morning", "much", "nice", "night", "no", "now", "ok", "okay", "on", "perfect", "please", "right", "see", "so", "sorry",
    "sounds", "sure", "tell", "thank", "thanks", "that", "there", "thx", "today", "understood", "very", "welcome", "well",
    "will", "wonderful", "yeah", "yep", "yes", "you",
    // German
    "alles", "auch", "bis", "bitte", "dank", "danke", "dann", "das", "dir", "es", "geht", "genau", "gut", "gute", "guten",
    "hallo", "ihnen", "ja", "klar", "machs", "mehr", "mir", "morgen", "nacht", "nein", "prima", "schön", "schönen", "sehr",
    "servus", "super", "tag", "toll", "tschüss", "vielen", "weiter", "wie", "abend",
    // French
    "au", "beaucoup", "bien", "bon", "bonjour", "bonne", "bonsoir", "ça", "d'accord", "journée", "merci", "non", "oui",
    "parfait", "plaît", "revoir", "s'il", "salut", "soir", "soirée", "te", "va", "vous",
    // Spanish and Portuguese
    "adiós", "bom", "buenas", "buenos", "bueno", "claro", "dia", "días", "favor", "gracias", "hasta", "hola", "luego",
    "muchas", "muito", "noches", "obrigada", "obrigado", "olá", "perfecto", "por", "sí", "sim", "tal", "tardes", "vale", "qué",
    // Italian, Dutch
    "arrivederci", "buongiorno", "buonasera", "ciao", "grazie", "mille", "perfetto", "prego", "sì", "tutto", "dank", "je",
    "wel", "goed", "goedemorgen", "hoi",
    // Polish, Russian
    "cześć", "dobry", "dziękuję", "dzięki", "dzień", "hej", "tak", "да", "добрый", "день", "здравствуйте", "нет", "пока",
    "привет", "спасибо", "хорошо", "большое",
];

/// Words of which a turn has at least one: the others may be names of things by themselves.
#[rustfmt::skip]
static COURTEOUS: &[&str] = &[
    "alright", "awesome", "bye", "cool", "fine", "go", "good", "goodbye", "great", "haha", "hello", "hey", "hi", "lol", "more",
    "nice", "ok", "okay", "perfect", "please", "right", "sorry", "sounds", "sure", "thank", "thanks", "thx", "understood", "well",
    "yeah", "yep", "yes", "no", "lovely", "wonderful",
    "bitte", "danke", "dank", "genau", "gut", "guten", "hallo", "ja", "klar", "nein", "prima", "servus", "super", "toll",
    "tschüss", "weiter", "bonjour", "bonsoir", "d'accord", "merci", "non", "oui", "parfait", "salut", "adiós", "buenas",
    "buenos", "claro", "gracias", "hola", "obrigada", "obrigado", "olá", "perfecto", "sí", "sim", "vale", "arrivederci",
    "buongiorno", "buonasera", "ciao", "grazie", "perfetto", "prego", "sì", "goed", "goedemorgen", "hoi", "cześć",
    "dziękuję", "dzięki", "dobry", "hej", "tak", "да", "добрый", "здравствуйте", "нет", "пока", "привет", "спасибо", "хорошо",
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
    let words = in_lower_case(&words_of(text));
    let is_known =
        |word: &String| WORDS.contains(&word.as_str()) || WORDS.contains(&cut_at_apostrophe(word));
    words.len() <= WORDS_MAX
        && words.iter().any(|word| COURTEOUS.contains(&word.as_str()))
        && words.iter().all(is_known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn courtesy_is_told_from_questions() {
        for text in [
            "hello",
            "Tell me more",
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
            "...",
        ] {
            assert!(!is_courtesy(text), "{text}");
        }
    }
}
