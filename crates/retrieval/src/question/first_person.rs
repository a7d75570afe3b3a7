//! Whether the asker speaks of themselves: "I", "my", "we", in the languages that recall reads.
//!
//! Most of these words mean nothing else in another language and count wherever they stand. The
//! rest count only in a question in their own language: "mes" is "my" in French and "month" in
//! Spanish.

use crate::text::Language;
use crate::text::words::{APOSTROPHES, cut_at_apostrophe};

/// "I", "my" and "we" in lower case: in Dutch, French, German, Italian, Polish, Portuguese,
/// Russian, Scandinavian languages and Spanish.
#[rustfmt::skip]
static WORDS: &[&str] = &[
    "comigo", "conmigo", "ich", "ik", "jag", "je", "jeg", "mein", "meine", "meinem", "meinen", "meiner", "meines",
    "meu", "meus", "mich", "miei", "mien", "mienne", "mij", "mijn", "mim", "minha", "minhas", "mir", "mnie", "moi",
    "moja", "moje", "mój", "mías", "míos", "nossa", "nossas", "nosso", "nossos", "nosotras", "nosotros", "nostra",
    "nostre", "nostri", "nostro", "notre", "nous", "nuestra", "nuestras", "nuestro", "nuestros", "nós", "uns", "unser",
    "unsere", "unserem", "unseren", "unserer", "wij", "wir", "yo", "меня", "мне", "мной", "мои", "моим", "моими",
    "моих", "мой", "моя", "моё", "моего", "моей", "моему", "мою", "мы", "нам", "нами", "нас", "наш", "наша", "наше",
    "нашего", "нашей", "нашем", "наши", "наших", "нашу", "я",
];

/// Those that are other words, names or units in other languages.
static AMBIGUOUS: &[(Language, &[&str])] = &[
    (Language::Dutch, &["ons", "onze"]),
    (Language::French, &["ma", "mes", "mon", "nos"]),
    (Language::Italian, &["io", "mi", "mia", "mie", "mio", "noi"]),
    (Language::Portuguese, &["eu", "nos"]),
    (Language::Spanish, &["mi", "mis", "mí", "mía", "mío", "nos"]),
    (Language::Swedish, &["mig", "min", "mina", "mitt", "oss", "vi", "vår", "våra", "vårt"]),
];

/// The same in scripts without spaces.
const UNSPACED: [&str; 7] = ["我", "私", "僕", "俺", "咱", "わたし", "ぼく"];

/// The same in Korean, with the particles that are written together with them.
#[rustfmt::skip]
static KOREAN: &[&str] = &[
    "나", "나는", "나를", "나의", "나도", "나에게", "나한테", "내", "내가", "저는", "저를", "저의", "저도", "저에게",
    "저한테", "제", "제가", "우리", "우리가", "우리는", "우리의",
];

/// Whether a question is in the first person. `words` are its words in lower case, `language` the
/// one that it is in.
pub(super) fn is_in(text: &str, words: &[String], language: Language) -> bool {
    let ambiguous =
        AMBIGUOUS.iter().find(|(of, _)| *of == language).map_or(&[][..], |(_, words)| words);
    let is_word = |word: &String| {
        is_english(word)
            || is_elided_french(word)
            || WORDS.contains(&word.as_str())
            || ambiguous.contains(&word.as_str())
    };
    let is_korean = |word: &str| {
        KOREAN.contains(&word.trim_matches(|character: char| !character.is_alphanumeric()))
    };
    words.iter().any(is_word)
        || UNSPACED.iter().any(|word| text.contains(word))
        || !text.is_ascii() && text.split_whitespace().any(is_korean)
}

fn is_english(word: &str) -> bool {
    matches!(
        cut_at_apostrophe(word),
        "i" | "me" | "my" | "mine" | "myself" | "we" | "us" | "our" | "ours" | "ourselves"
    )
}

/// "j'ai", "m'a".
fn is_elided_french(word: &str) -> bool {
    matches!(word.split_once(APOSTROPHES), Some(("j" | "m", _)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::Question;
    use crate::question::names::Names;
    use crate::text::{Analyzer, Languages};

    fn first_person(language: Language, text: &str) -> bool {
        let held = Languages::of(language);
        let mut analyzer = Analyzer::new(Language::English);
        Question::parse(text, &mut analyzer, &Names::default(), held, None).first_person
    }

    #[test]
    fn the_first_person_is_recognised_in_many_languages() {
        use Language::*;
        for (language, texts) in [
            (English, &["Where is my bike?", "What did I’ve to do?", "Where did we go?"][..]),
            (German, &["Wo war ich gestern?", "Wann ist unser Termin?", "Was hast du mir gesagt?"]),
            (
                French,
                &["Où est mon vélo ?", "Qu'est-ce que j'ai acheté ?", "Quels sont mes projets ?"],
            ),
            (
                Spanish,
                &["¿Dónde está mi bicicleta?", "¿Qué compré yo ayer?", "¿Cuáles son mis planes?"],
            ),
            (
                Italian,
                &["Dov'è la mia bicicletta?", "Che cosa ho detto io di questo?", "i nostri piani"],
            ),
            (Portuguese, &["Onde está a minha bicicleta?", "O que eu comprei ontem?"]),
            (
                Dutch,
                &[
                    "Waar is mijn fiets?",
                    "Wat heb ik gekocht?",
                    "Wanneer is de vergadering van ons?",
                ],
            ),
            (Russian, &["Где я был?", "Какого цвета моя лодка?", "Сколько лет моей кошке?"]),
            (Swedish, &["Var är min cykel?", "Vad köpte jag?"]),
            (Polish, &["Gdzie jest mój rower?"]),
            (
                Other,
                &[
                    "我去了哪里？",
                    "私の自転車はどこですか",
                    "ぼくの自転車は？",
                    "내 자전거는 어디에 있어?",
                    "제가 뭘 샀죠?",
                ],
            ),
        ] {
            for text in texts {
                assert!(first_person(language, text), "{language:?} {text}");
            }
        }
    }

    #[test]
    fn others_are_not_the_first_person() {
        use Language::*;
        for (language, texts) in [
            (
                English,
                &[
                    "",
                    "Where is it?",
                    "Where did Ada go on Mon 6 May?",
                    "How many mi is it to the EU?",
                ][..],
            ),
            (German, &["Wo war sie?", "Wann ist der Termin von Mia?"]),
            (French, &["Où est son vélo ?", "Qu'a-t-elle acheté ?", "Combien de mi ?"]),
            (Spanish, &["¿Dónde estaba ella el mes pasado?", "¿Qué compró su hermano?"]),
            (Italian, &["Dov'è la sua bicicletta?"]),
            (Portuguese, &["Onde está a bicicleta dela?"]),
            (Dutch, &["Waar is haar fiets?"]),
            (Russian, &["Где он был?"]),
            (Other, &["他去了哪里？", "彼の自転車はどこですか", "그의 자전거는 어디에 있어?"]),
        ] {
            for text in texts {
                assert!(!first_person(language, text), "{language:?} {text}");
            }
        }
    }
}
