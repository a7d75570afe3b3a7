//! Whether a question asks what the program said to which it is put: "What did you recommend?",
//! "Was hast du mir empfohlen?", "¿Qué me aconsejaste?", "你推荐过哪家餐厅？". So does one that names
//! the program ("What did ChatGPT recommend?"), unless memory knows a person of that name.

use crate::text::words::{APOSTROPHES, cut_at_apostrophe, is_unspaced};

/// Verbs of saying and making: as they follow "did you", and in the past.
#[rustfmt::skip]
static SAID: &[(&str, &str)] = &[
    ("advise", "advised"), ("answer", "answered"), ("calculate", "calculated"), ("choose", "chose"),
    ("compare", "compared"), ("compute", "computed"), ("correct", "corrected"), ("describe", "described"),
    ("draft", "drafted"), ("estimate", "estimated"), ("explain", "explained"), ("generate", "generated"),
    ("give", "gave"), ("list", "listed"), ("mention", "mentioned"), ("name", "named"), ("outline", "outlined"),
    ("pick", "picked"), ("propose", "proposed"), ("provide", "provided"), ("recommend", "recommended"),
    ("reply", "replied"), ("say", "said"), ("show", "showed"), ("suggest", "suggested"),
    ("summarise", "summarised"), ("summarize", "summarized"), ("tell", "told"), ("translate", "translated"),
    ("warn", "warned"), ("write", "wrote"),
];

/// What a program made for somebody, after "your".
#[rustfmt::skip]
const YOURS: [&str; 21] = [
    "advice", "answer", "answers", "corrections", "draft", "estimate", "explanation", "idea", "ideas", "proposal",
    "proposals", "recommendation", "recommendations", "reply", "replies", "suggestion", "suggestions", "summary", "tip",
    "tips", "translation",
];
/// The same in German, after "dein".
#[rustfmt::skip]
const YOURS_IN_GERMAN: [&str; 12] = [
    "antwort", "antworten", "empfehlung", "empfehlungen", "entwurf", "erklärung", "rat", "tipp", "tipps", "vorschlag",
    "vorschläge", "zusammenfassung",
];
/// Programs by their names.
const NAMED_PROGRAMS: [&str; 6] = ["chatgpt", "claude", "copilot", "gemini", "gpt", "perplexity"];
/// Programs by what they are, after "the".
const PROGRAMS: [&str; 6] = ["ai", "assistant", "bot", "chatbot", "ki", "model"];

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

/// The place of the word that names a program as the one who said something; none if no word does.
/// The name may be a person's, too.
pub(super) fn named_program(words: &[String]) -> Option<usize> {
    let word = |position: usize| words.get(position).map_or("", String::as_str);
    (0..words.len()).find(|&at| {
        let has_article =
            at > 0 && matches!(word(at - 1), "the" | "my" | "die" | "der" | "meine" | "mein");
        let is_kind = has_article && PROGRAMS.contains(&word(at));
        if !is_kind && !NAMED_PROGRAMS.contains(&word(at)) {
            return false;
        }
        let first = at - usize::from(has_article);
        let before = first.checked_sub(1).map_or("", word);
        let verb = word(at + 1 + usize::from(BETWEEN.contains(&word(at + 1))));
        // A person gives and shows things, too.
        let is_saying = |base: &str| !matches!(base, "choose" | "give" | "pick" | "show");
        let is_said = SAID.iter().any(|(base, past)| {
            is_saying(base) && (verb == *past || before == "did" && verb == *base)
        });
        let is_source = before == "to" && first > 1 && word(first - 2) == "according";
        let german = OTHERS.first();
        let is_german = before == "hat"
            && german.is_some_and(|it| words.iter().any(|word| it.verbs.contains(&word.as_str())));
        is_said || is_source || is_german
    })
}

/// Whether a program is called by what it is, and not by a name that a person may have.
pub(super) fn is_kind_of_program(words: &[String], at: usize) -> bool {
    words.get(at).is_some_and(|word| PROGRAMS.contains(&word.as_str()))
}

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
    let is_pair = |first: &[&str], second: &[&str]| {
        words.windows(2).any(|pair| {
            first.contains(&pair[0].as_str()) && second.contains(&cut_at_apostrophe(&pair[1]))
        })
    };
    let is_according = (2..words.len())
        .any(|at| word(at - 2) == "according" && word(at - 1) == "to" && word(at) == "you");
    if is_according
        || is_pair(&["your"], &YOURS)
        || is_pair(&["dein", "deine", "deinen", "deinem", "deiner"], &YOURS_IN_GERMAN)
    {
        return true;
    }
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
    fn a_program_that_said_something_is_named() {
        let named = |text: &str| {
            let words: Vec<String> = text.split(' ').map(str::to_lowercase).collect();
            named_program(&words).and_then(|at| words.get(at).cloned())
        };
        for (text, expected) in [
            ("What did ChatGPT suggest for my knee", Some("chatgpt")),
            ("what did the assistant say", Some("assistant")),
            ("The book that Claude recommended", Some("claude")),
            ("What is best according to the AI", Some("ai")),
            ("Was hat ChatGPT mir empfohlen", Some("chatgpt")),
            ("What did I ask ChatGPT", None),
            ("When did Ada say that", None),
            ("What did an assistant say", None),
            ("Where is the book that Claude gave me", None),
            ("Claude", None),
            ("", None),
        ] {
            assert_eq!(named(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn what_the_program_said_is_told_from_what_it_is_to_say() {
        let asks = |text: &str| {
            let words: Vec<String> = text.split(' ').map(str::to_lowercase).collect();
            asks_of_program(text, &words)
        };
        for text in [
            "What did you recommend for the kiln",
            "Which exercises did you pick for my knee",
            "What was your advice on the kiln",
            "What should I do according to you",
            "Was war dein Vorschlag für den Ofen",
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
