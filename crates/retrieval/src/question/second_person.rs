//! Whether a question asks what the program said to which it is put: "What did you recommend?",
//! "Was hast du mir empfohlen?", "¿Qué me aconsejaste?", "你推荐过哪家餐厅？".

use crate::text::words::{APOSTROPHES, cut_at_apostrophe, is_unspaced};

/// Verbs of saying and making: as they follow "did you", and in the past.
#[rustfmt::skip]
static SAID: &[(&str, &str)] = &[
    ("advise", "advised"), ("answer", "answered"), ("compute", "computed"), ("describe", "described"),
    ("draft", "drafted"), ("explain", "explained"), ("generate", "generated"), ("give", "gave"), ("list", "listed"),
    ("mention", "mentioned"), ("name", "named"), ("outline", "outlined"), ("propose", "proposed"),
    ("provide", "provided"), ("recommend", "recommended"), ("reply", "replied"), ("say", "said"), ("show", "showed"),
    ("suggest", "suggested"), ("tell", "told"), ("write", "wrote"),
];

/// Words between "you" and the verb.
const BETWEEN: [&str; 7] = ["also", "already", "just", "had", "have", "previously", "once"];

/// What was said in another language: the words for "you" and "have" of which a question has all of
/// one row, and the forms of the verbs of saying and making beside them. Polish and Spanish say
/// "you" with the verb.
struct Wordings {
    beside: &'static [&'static [&'static str]],
    verbs: &'static [&'static str],
}

#[rustfmt::skip]
static OTHERS: &[Wordings] = &[
    // German
    Wordings {
        beside: &[&["hast", "du"], &["hattest", "du"], &["haben", "sie", "mir"], &["haben", "sie", "uns"]],
        verbs: &[
            "angegeben", "aufgelistet", "beschrieben", "empfohlen", "entworfen", "erklärt", "erwähnt", "gegeben",
            "genannt", "geraten", "gesagt", "geschrieben", "gezeigt", "vorgeschlagen",
        ],
    },
    // French
    Wordings {
        beside: &[&["tu", "as"], &["vous", "avez"], &["tu", "avais"], &["vous", "aviez"]],
        verbs: &[
            "cité", "conseillé", "conseillée", "conseillés", "conseillées", "décrit", "dit", "donné", "donnée",
            "expliqué", "mentionné", "montré", "nommé", "proposé", "proposée", "proposés", "recommandé", "recommandée",
            "recommandés", "rédigé", "répondu", "suggéré", "suggérée", "suggérés", "écrit",
        ],
    },
    // Italian
    Wordings {
        beside: &[&["hai"], &["avevi"]],
        verbs: &[
            "consigliato", "consigliata", "consigliati", "descritto", "detto", "elencato", "menzionato", "proposto",
            "raccomandato", "risposto", "scritto", "spiegato", "suggerito", "suggerita", "suggeriti",
        ],
    },
    // Dutch
    Wordings {
        beside: &[&["heb", "je"], &["heb", "jij"], &["hebt", "je"], &["hebt", "jij"], &["hebt", "u"], &["had", "je"]],
        verbs: &[
            "aanbevolen", "aangeraden", "beschreven", "genoemd", "geschreven", "gezegd", "opgesomd", "uitgelegd",
            "vermeld", "voorgesteld",
        ],
    },
    // Spanish
    Wordings {
        beside: &[&[]],
        verbs: &[
            "aconsejaste", "describiste", "dijiste", "enumeraste", "escribiste", "explicaste", "mencionaste",
            "mostraste", "nombraste", "propusiste", "recomendaste", "respondiste", "sugeriste",
        ],
    },
    Wordings {
        beside: &[&["has"], &["habías"]],
        verbs: &[
            "aconsejado", "descrito", "dicho", "enumerado", "escrito", "explicado", "mencionado", "propuesto",
            "recomendado", "respondido", "sugerido",
        ],
    },
    // Portuguese
    Wordings {
        beside: &[&["você"]],
        verbs: &[
            "aconselhou", "descreveu", "disse", "escreveu", "explicou", "listou", "mencionou", "propôs", "recomendou",
            "respondeu", "sugeriu",
        ],
    },
    Wordings {
        beside: &[&[]],
        verbs: &[
            "aconselhaste", "disseste", "escreveste", "explicaste", "propuseste", "recomendaste", "sugeriste",
        ],
    },
    // Polish
    Wordings {
        beside: &[&[]],
        verbs: &[
            "doradziłaś", "doradziłeś", "napisałaś", "napisałeś", "poleciłaś", "poleciłeś", "powiedziałaś",
            "powiedziałeś", "wymieniłaś", "wymieniłeś", "wyjaśniłaś", "wyjaśniłeś", "zaproponowałaś", "zaproponowałeś",
        ],
    },
    // Russian
    Wordings {
        beside: &[&["ты"], &["вы"]],
        verbs: &[
            "написал", "написала", "написали", "назвал", "назвала", "назвали", "объяснил", "объяснила", "объяснили",
            "описал", "описала", "описали", "перечислил", "перечислила", "перечислили", "порекомендовал",
            "порекомендовала", "порекомендовали", "посоветовал", "посоветовала", "посоветовали", "предложил",
            "предложила", "предложили", "рекомендовал", "рекомендовала", "рекомендовали", "сказал", "сказала",
            "сказали", "советовал", "советовала", "советовали", "упомянул", "упомянула", "упомянули",
        ],
    },
];

/// "You" and the verbs in Chinese, the words that put them in the past, and those of a request.
const CHINESE_YOU: [char; 2] = ['你', '您'];
const CHINESE_VERBS: [&str; 8] = ["推荐", "建议", "告诉", "提到", "列出", "解释", "说", "写"];
const CHINESE_PAST: [&str; 7] = ["过", "了", "之前", "上次", "刚才", "刚刚", "的"];
const CHINESE_REQUEST: [&str; 5] = ["能", "可以", "请", "会", "帮"];
/// Most characters between "you" and the verb.
const CHINESE_BETWEEN_MAX: usize = 6;

/// Whether `text`, whose words in lower case are `words`, asks what the program said.
pub(super) fn asks_of_program(text: &str, words: &[String]) -> bool {
    is_english(words) || is_other(words) || is_chinese(text)
}

fn is_other(words: &[String]) -> bool {
    // "m'as", "t'ha": what is before an apostrophe is another word.
    let word = |word: &String| {
        let whole = word.rsplit_once(APOSTROPHES).map_or(word.as_str(), |(_, after)| after);
        whole.to_owned()
    };
    let words: Vec<String> = words.iter().map(word).collect();
    let has = |wanted: &&str| words.iter().any(|word| word == wanted);
    OTHERS.iter().any(|said| {
        said.verbs.iter().any(has) && said.beside.iter().any(|words| words.iter().all(has))
    })
}

fn is_chinese(text: &str) -> bool {
    if text.is_ascii() || !text.contains(is_unspaced) {
        return false;
    }
    let has_any = |words: &[&str]| words.iter().any(|word| text.contains(word));
    has_any(&CHINESE_PAST)
        && !has_any(&CHINESE_REQUEST)
        && text.match_indices(CHINESE_YOU).any(|(at, you)| {
            let after = text.get(at + you.len()..).unwrap_or_default();
            let near: String = after.chars().take(CHINESE_BETWEEN_MAX).collect();
            CHINESE_VERBS.iter().any(|verb| near.contains(verb))
        })
}

fn is_english(words: &[String]) -> bool {
    let word = |position: usize| words.get(position).map_or("", String::as_str);
    (0..words.len()).filter(|position| cut_at_apostrophe(word(*position)) == "you").any(|you| {
        let before = you.checked_sub(1).map_or("", word);
        let verb = word(you + 1 + usize::from(BETWEEN.contains(&word(you + 1))));
        SAID.iter().any(|(base, past)| verb == *past || before == "did" && verb == *base)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_program_said_is_told_from_what_it_is_to_say() {
        let asks = |text: &str| {
            let words: Vec<String> = text.split(' ').map(str::to_lowercase).collect();
            asks_of_program(text, &words)
        };
        for text in [
            "What did you recommend for the kiln",
            "Which of the films you suggested are long",
            "the steps you previously outlined",
            "What you've told me about glazes",
            "How did you also describe it",
            "Was hast du mir für den Rücken empfohlen",
            "Welches Buch hattest du genannt",
            "Qu'est-ce que tu m'as conseillé pour le four",
            "Quels livres as tu recommandés",
            "Qué me aconsejaste beber por la mañana",
            "Qué libro me has recomendado",
            "Che cosa mi hai consigliato",
            "Welk boek heb je aangeraden",
            "O que você sugeriu para a viagem",
            "Jaką książkę mi poleciłeś",
            "Что ты мне посоветовала от кашля",
            "你推荐过哪家餐厅？",
            "你上次建议我怎么做？",
        ] {
            assert!(asks(text), "{text}");
        }
        for text in [
            "What do you recommend",
            "Can you tell me what I said",
            "Would you suggest a film",
            "Did you know that she recommended it",
            "Was empfiehlst du mir",
            "Was hat Petra mir empfohlen",
            "Kannst du mir sagen, was ich gesagt habe",
            "Qué me recomiendas",
            "Qu'a dit le médecin",
            "Cosa ha detto il medico",
            "Что мне посоветовал врач",
            "你能推荐好的餐厅吗？",
            "医生建议了什么？",
            "you",
            "",
        ] {
            assert!(!asks(text), "{text}");
        }
    }
}
