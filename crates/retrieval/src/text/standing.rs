//! Standing instructions and preferences: sentences that say how to answer later questions,
//! whatever words these use ("Always answer in metric units", "I prefer short examples").
//!
//! English, and the most common wordings of some other languages.

use unicode_segmentation::UnicodeSegmentation;

use super::words::is_unspaced;

/// Whether a text says how later questions are to be answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum InstructionKind {
    /// It does not.
    #[default]
    None,
    /// It states a preference.
    Preference,
    /// It gives an instruction.
    Instruction,
}

/// Most sentences of a text that are read.
const SENTENCES_MAX: usize = 64;
/// Longest sentence that is read to its end, bytes.
const SENTENCE_BYTES_MAX: usize = 1_024;

/// Words before an instruction that change nothing.
#[rustfmt::skip]
const FILLERS: [&str; 32] = [
    "remember that", "remember:", "note that", "note:", "for the record,", "for the record:", "just", "and", "also", "but",
    "hey", "hi", "ok", "okay", "oh", "please", "so", "then", "well", "bitte", "und", "por favor", "s'il te plaît",
    "s'il vous plaît", "et", "y", "per favore", "пожалуйста", "proszę", "alsjeblieft", "请", "請",
];

/// How a sentence that is an instruction begins.
#[rustfmt::skip]
const OPENINGS: [&str; 119] = [
    "always ", "never ", "from now on", "from here on", "from this point on", "going forward", "in future",
    "in the future, ", "whenever i ", "every time i ", "each time i ", "any time i ask", "anytime i ask", "when i ask ",
    "if i ask ", "make sure to always ", "make sure you always ", "be sure to always ", "remember to always ",
    "you should always ", "you must always ", "you should never ", "don't ever ", "do not ever ",
    "i want you to always ", "i want you to never ", "i'd like you to always ", "i need you to always ",
    "stop answering ", "stop calling me ", "stop replying ", "stop responding ", "stop using emoji",
    "every time you answer", "every time you reply", "every time you respond", "each time you answer",
    "whenever you answer", "when you answer,", "when you answer me", "when you answer my ", "when you reply,",
    "when you respond,", "when answering,", "when answering me", "when you write code", "ask me before you ",
    "my preferred answer", "my preferred response",
    // German
    "ab jetzt ", "in zukunft ", "antworte immer ", "antworte künftig ", "antworte ab jetzt ", "antworte in zukunft ",
    "du kannst mich duzen",
    "antworte mir immer ", "antworte bitte immer ", "antworten sie immer ", "schreib immer ", "schreibe immer ",
    "verwende immer ", "verwende nie", "benutze immer ", "benutze nie", "nutze immer ", "nenn mich ", "nenne mich ",
    // French
    "à partir de maintenant", "désormais", "réponds toujours ", "réponds-moi toujours ",
    "répondez toujours ", "répondez-moi toujours ", "utilise toujours ", "n'utilise jamais ", "ne réponds jamais ",
    "appelle-moi ", "appelez-moi ", "tutoie-moi", "vouvoie-moi", "quand je te demande ",
    // Spanish
    "a partir de ahora", "de ahora en adelante", "responde siempre ", "respóndeme siempre ", "siempre responde ",
    "siempre respóndeme ", "contesta siempre ", "usa siempre ", "nunca uses ", "no uses nunca ", "llámame ",
    "cada vez que te ",
    // Portuguese
    "responda sempre ", "responde sempre ", "sempre responda ",
    "use sempre ", "nunca use ",
    // Italian
    "rispondi sempre ", "rispondimi sempre ", "usa sempre ",
    "non usare mai ", "chiamami ", "ogni volta che ti ",
    // Dutch
    "antwoord altijd ", "gebruik altijd ", "gebruik nooit ",
    // Polish
    "zawsze odpowiadaj ", "odpowiadaj zawsze ", "nigdy nie używaj ",
    // Russian
    "всегда отвечай ", "отвечай всегда ", "отвечай мне всегда ",
    "никогда не используй ", "называй меня ", "обращайся ко мне ",
    // Chinese and Japanese
    "以后请", "今后请",
];

/// Beginnings of reports, too: they make an instruction of a sentence about answers alone. "Ab
/// sofort" is one, since articles and notices have it ("Ab sofort gilt der Winterfahrplan"). Few
/// reports open with "from now on" or "ab jetzt", so these are among the openings.
#[rustfmt::skip]
const FROM_NOW: [&str; 28] = [
    "for future reference", "ab sofort ", "von jetzt an ", "von nun an ", "künftig ", "dorénavant", "a partir de agora",
    "de agora em diante", "d'ora in poi", "da ora in poi", "da adesso in poi", "vanaf nu ", "voortaan ",
    "od teraz ", "с этого момента ", "отныне ", "впредь ", "从现在起", "从现在开始", "從現在", "今後は", "これからは",
    "immer wenn ich ", "jedes mal, wenn ich ", "wenn ich dich ", "wenn ich nach ", "chaque fois que je ",
    "sempre que eu ",
];

/// What makes a sentence an instruction wherever it stands.
#[rustfmt::skip]
const ANYWHERE: [&str; 24] = [
    " from now on", " when i ask ", " whenever i ask ", " every time i ask ", " if i ask ", " in all your answers",
    " in all your responses", " in every answer", " in every response", " in your answers", " in your responses",
    " unless i say otherwise", " in deinen antworten", " in allen antworten", " dans tes réponses",
    " dans toutes tes réponses", " en tus respuestas", " en todas tus respuestas", " nas suas respostas",
    " nelle tue risposte", "总是用", "始终用", "一直用", "每次回答",
];

/// Verbs of requests about answers.
#[rustfmt::skip]
const REQUESTS: [&str; 9] =
    ["answer ", "explain ", "give ", "keep ", "put ", "reply ", "respond ", "use ", "write "];
/// What makes a request one for all answers.
#[rustfmt::skip]
const FOR_ALL: [&str; 8] = [
    "everything you answer", "everything you explain", "everything you say", "everything you show", "everything you tell",
    "everything you write", " unless i ask", " unless i tell",
];

/// What asks for something in the form of a question: "Can you please stop apologising?"
#[rustfmt::skip]
const ASKING: [&str; 8] = [
    "can you please ", "could you please ", "would you please ", "will you please ", "can you ", "could you ", "would you ",
    "will you ",
];

/// Beginnings of a sentence against emojis.
#[rustfmt::skip]
const NO_EMOJIS: [&str; 8] = [
    "avoid ", "do not use ", "don't use ", "drop ", "leave out ", "no ", "skip ", "stop using ",
];
/// All that may follow them where every answer is meant.
#[rustfmt::skip]
const AFTER_EMOJIS: [&str; 21] = [
    "all", "and", "answers", "any", "anymore", "anything", "at", "ever", "for", "hashtags", "in", "me", "messages", "more",
    "please", "replies", "responses", "thanks", "to", "with", "your",
];

/// What says how answers should be, before [`ANSWERS`]: "I hate long answers".
#[rustfmt::skip]
const QUALITIES: [&str; 17] = [
    "blunt", "brief", "clear", "concise", "detailed", "direct", "formal", "honest", "informal", "long", "longer", "plain",
    "short", "shorter", "simple", "terse", "vague",
];
/// What a program says.
const ANSWERS: [&str; 6] =
    ["answers", "explanations", "language", "messages", "replies", "responses"];
/// What may follow where the answers of a program are meant, and not those of a council.
const AFTER_ANSWERS: [&str; 5] = ["and", "but", "no", "please", "so"];

/// Beginnings of a liking, before [`QUALITIES`].
#[rustfmt::skip]
const LIKINGS: [&str; 12] = [
    "i can't stand ", "i dislike ", "i don't like ", "i hate ", "i like ", "i love ", "i need ", "i prefer ", "i want ",
    "i'd like ", "i'd prefer ", "my preference is ",
];

/// How answers look and sound, in an instruction.
#[rustfmt::skip]
const FORM: [&str; 19] = [
    "american english", "apologi", "be brief", "be concise", "be direct", "be terse", "british english", "bullet point",
    "celsius", "explain things", "explain everything", "fahrenheit", "follow-up question", "give sources", "jargon", "metric",
    "short version", "spelling", "everything you ",
];

/// Phrases that do not narrow an instruction.
#[rustfmt::skip]
const UNIVERSAL: [&str; 15] = [
    "for all our chats", "for all chats", "for all our conversations", "for future reference", "for the future",
    "every time you answer", "every time you reply", "every time you respond", "each time you answer", "whenever you answer",
    "when you answer", "when you reply", "when you respond", "when answering", "for good",
];

/// How a sentence begins that ends an instruction, if it is about answers.
#[rustfmt::skip]
const ENDS: [&str; 11] = [
    "it's fine to ", "no need to ", "you can ", "you don't have to ", "you don't need to ", "you may ",
    "du kannst ", "du musst nicht ", "tu peux ", "ya puedes ", "можешь ",
];

/// What says that something held until then.
#[rustfmt::skip]
const AGAIN: [&str; 10] = [
    " again", " any longer", " any more", " anymore", " wieder ", " mehr ", " à nouveau", " de nouveau", " de nuevo",
    " снова",
];

/// What states a preference.
#[rustfmt::skip]
const PREFERENCES: [&str; 27] = [
    "i prefer ", "i'd prefer ", "i would prefer ", "i always prefer ", "i strongly prefer ", "i generally prefer ",
    "i usually prefer ", "i'd rather ", "i would rather ", "my preference ", "ich bevorzuge ", "mir ist lieber ",
    "ich möchte lieber ", "ich hätte lieber ", "je préfère ", "j'aime mieux ", "je préférerais ", "prefiero ",
    "preferiría ", "prefiro ", "preferisco ", "preferirei ", "ik heb liever ", "wolę ", "предпочитаю ", "我更喜欢",
    "我更喜歡",
];

/// Words of instructions that are about answers.
#[rustfmt::skip]
const ANSWERING: [&str; 59] = [
    "address me", "answer", "call me ", "emoji", "reply", "replies", "respond", "response", "speak to me",
    "talk to me", "write to me", "write me", "your english", "your german", "antwort", "auf deutsch", "auf englisch",
    "schreib mir", "nenn mich", "nenne mich", "duze mich", "sieze mich", "réponds", "répondez", "réponses",
    "appelle-moi", "appelez-moi", "tutoie", "vouvoie", "en français", "responde", "respuestas", "contesta",
    "respóndeme", "llámame", "en español", "responda", "respostas", "em português", "rispondi", "risposte",
    "chiamami", "in italiano", "antwoord", "in het nederlands", "odpowiada", "po polsku", "отвечай", "ответах",
    "называй меня", "обращайся ко мне", "по-русски", "эмодзи", "回答", "回复", "回覆", "叫我", "用中文", "答えて",
];

/// Words by which an instruction is for some questions only.
#[rustfmt::skip]
const CONDITIONS: [&str; 40] = [
    " about ", " any time ", " anytime ", " each time ", " every time ", " for ", " if ", " on ", " regarding ",
    " when ", " whenever ", " wenn ", " falls ", " bei ", " über ", " zu ", " quand ", " si ", " sur ", " pour ",
    " chaque fois ", " cuando ", " sobre ", " para ", " cada vez ", " quando ", " se ", " per ", " su ", " als ",
    " over ", " voor ", " gdy ", " jeśli ", " если ", " когда ", "如果", "当我", "关于", "的时候",
];

/// What a text says about later answers.
///
/// ```
/// use retrieval::text::standing::{InstructionKind, standing};
///
/// assert_eq!(standing("Thanks! From now on, answer in French."), InstructionKind::Instruction);
/// assert_eq!(standing("Can you help? I prefer short examples."), InstructionKind::Preference);
/// assert_eq!(standing("He always answers in French."), InstructionKind::None);
/// ```
pub fn standing(text: &str) -> InstructionKind {
    sentences(text).map(of_sentence).max().unwrap_or_default()
}

/// Whether a text gives an instruction for every answer, whatever it is about.
///
/// ```
/// use retrieval::text::standing::is_general;
///
/// assert!(is_general("Please always answer me in short bullet points."));
/// assert!(!is_general("Always answer in metric units when I ask about cooking."));
/// assert!(!is_general("Always lock the door."));
/// ```
pub fn is_general(text: &str) -> bool {
    sentences(text).any(|sentence| {
        let lower = in_lower_case(sentence);
        of_sentence(sentence) == InstructionKind::Instruction
            && is_about_answers(&lower)
            && !has(&without_universal(&lower), &CONDITIONS)
    })
}

/// Whether an instruction is about answers.
fn is_about_answers(lower: &str) -> bool {
    has(lower, &ANSWERING) || has(lower, &FORM) || has_answers_of_quality(&words_of(lower))
}

fn words_of(text: &str) -> Vec<&str> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '\'';
    text.split(|letter| !is_part(letter)).filter(|word| !word.is_empty()).collect()
}

/// "Short answers", "plain language", and nothing that says whose.
fn has_answers_of_quality(words: &[&str]) -> bool {
    words.windows(2).enumerate().any(|(at, pair)| {
        let next = words.get(at + 2);
        QUALITIES.contains(&pair[0])
            && ANSWERS.contains(&pair[1])
            && next.is_none_or(|next| AFTER_ANSWERS.contains(next))
    })
}

/// Whether a sentence asks for something about all answers, and not about one.
fn asks_for_good(requested: &str) -> bool {
    let words = words_of(requested);
    let keeps = || {
        let rest = words.strip_prefix(&["keep"])?;
        let rest = rest.strip_prefix(&["all"]).unwrap_or(rest);
        let rest = rest.strip_prefix(&["your"]).unwrap_or(rest);
        let (first, rest) = rest.split_first()?;
        let how = rest.first()?;
        let is_how = QUALITIES.contains(how) || ["below", "to", "under"].contains(how);
        Some(ANSWERS.contains(first) && is_how)
    };
    let is_without_emojis = NO_EMOJIS.iter().any(|beginning| {
        let rest = requested.strip_prefix(beginning).map(words_of).unwrap_or_default();
        let rest = rest.strip_prefix(&["any"]).unwrap_or(&rest);
        rest.first().is_some_and(|first| matches!(*first, "emoji" | "emojis"))
            && rest.iter().skip(1).all(|word| AFTER_EMOJIS.contains(word))
    });
    let is_request = || REQUESTS.iter().any(|verb| requested.starts_with(verb));
    is_without_emojis
        || keeps() == Some(true)
        || requested.starts_with("stop ") && requested.contains("all the time")
        || has(requested, &FOR_ALL) && is_request()
}

/// "I hate long answers."
fn likes_answers(opening: &str) -> bool {
    /// Most words between the verb and the answers: "your", "really".
    const BETWEEN_MAX: usize = 2;
    let rest = LIKINGS.iter().find_map(|liking| opening.strip_prefix(liking));
    let words = rest.map(words_of).unwrap_or_default();
    let near = words.get(..words.len().min(BETWEEN_MAX + 3)).unwrap_or_default();
    has_answers_of_quality(near)
}

/// "Call me Ada", "Duze mich": nothing but the name follows, or what it is in place of.
fn addresses_the_person(sentence: &str, opening: &str) -> bool {
    let is_end = |rest: &str| {
        let rest = rest.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != ',');
        let rest = rest.trim_start();
        rest.is_empty()
            || [",", "please", "not ", "instead of ", "bitte", "immer", "und "]
                .iter()
                .any(|known| rest.starts_with(known))
    };
    if ["duze mich", "sieze mich"].iter().any(|it| opening.strip_prefix(it).is_some_and(is_end)) {
        return true;
    }
    if !opening.starts_with("call me ") {
        return false;
    }
    // As it was written: a name has a capital letter.
    let Some(at) = sentence.to_ascii_lowercase().find("call me ") else { return false };
    let name = sentence.get(at + "call me ".len()..).unwrap_or_default();
    let end = name.find(|letter: char| !letter.is_alphanumeric() && letter != '-');
    let (name, rest) = name.split_at(end.unwrap_or(name.len()));
    name.starts_with(char::is_uppercase) && is_end(rest)
}

/// The sentences of a text as far as they are read. What is quoted is somebody else's.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('>'));
    let sentences = lines.flat_map(UnicodeSegmentation::unicode_sentences).take(SENTENCES_MAX);
    sentences.map(|sentence| {
        sentence.get(..sentence.floor_char_boundary(SENTENCE_BYTES_MAX)).unwrap_or_default()
    })
}

/// What a sentence says about later answers.
fn of_sentence(sentence: &str) -> InstructionKind {
    let lower = &*in_lower_case(sentence);
    let mut opening = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
    while let Some(rest) = FILLERS.iter().find_map(|filler| {
        let rest = opening.strip_prefix(filler)?;
        let is_whole = filler.starts_with(is_unspaced) || rest.starts_with([' ', ',', '!']);
        is_whole.then(|| rest.trim_start_matches([' ', ',', '!', '，']))
    }) {
        opening = rest;
    }
    let polite = opening.replace(" bitte ", " ");
    let begins = |phrases: &[&str]| phrases.iter().any(|known| polite.starts_with(known));
    // A question asks for something once, unless it is for all answers.
    let is_question = lower.trim_end().ends_with(['?', '？']);
    let asked = ASKING.iter().find_map(|asking| opening.strip_prefix(asking));
    let is_for_good = asks_for_good(asked.unwrap_or(opening));
    let is_instruction = begins(&OPENINGS)
        || has(lower, &ANYWHERE)
        || is_for_good
        || likes_answers(opening)
        || addresses_the_person(sentence, opening)
        || begins(&FROM_NOW) && is_about_answers(lower)
        || begins(&ENDS) && has(lower, &AGAIN) && has(lower, &ANSWERING);
    if is_instruction && (!is_question || asked.is_some() && is_for_good) {
        return InstructionKind::Instruction;
    }
    match has(lower, &PREFERENCES) {
        true => InstructionKind::Preference,
        false => InstructionKind::None,
    }
}

/// A sentence in lower case, with straight apostrophes.
fn in_lower_case(sentence: &str) -> String {
    sentence.to_lowercase().replace('’', "'")
}

/// Without phrases that do not narrow it: "from now on", "for all our chats".
fn without_universal(lower: &str) -> String {
    let beginnings = ["from now on", "from here on", "from this point on"];
    let all = beginnings.iter().chain(&UNIVERSAL);
    let (lower, _) = lower.split_once(" unless i ").unwrap_or((lower, ""));
    all.fold(lower.to_owned(), |text, phrase| text.replace(phrase, " "))
}

fn has(text: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| text.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_for_every_answer_are_told_from_those_for_some() {
        for (text, expected) in [
            ("Antworte mir immer auf Deutsch.", true),
            ("Antworte immer auf Deutsch, wenn ich nach Rezepten frage.", false),
            ("Désormais, tutoie-moi.", true),
            ("Отвечай всегда по-русски", true),
            ("从现在起请用中文回答。", true),
            ("从现在起，如果我问数学，请用中文回答。", false),
            ("You can use emojis again.", true),
            ("From now on answer in English.", true),
            ("From now on answer in English when I ask about work.", false),
            ("A few things for all our chats from now on: short version first, no emojis.", true),
            ("Keep answers under 100 words unless I ask for more.", true),
            ("When you answer, give sources.", true),
            ("Every time you answer, end with one follow-up question.", true),
            ("Use Celsius and kilometres in everything you tell me.", true),
            ("For future reference: I'm a beginner, explain things simply.", true),
            ("When you write code, use type hints.", false),
            ("Desde ahora compro pan los lunes", false),
            ("A partir de ahora voy al gimnasio", false),
        ] {
            assert_eq!(is_general(text), expected, "{text}");
        }
    }

    #[test]
    fn instructions_and_preferences_are_told_from_statements_and_requests() {
        for (text, expected) in [
            (
                "Always include version numbers when I ask about libraries.",
                InstructionKind::Instruction,
            ),
            ("ok, please never use tables", InstructionKind::Instruction),
            ("From now on call me Ada.", InstructionKind::Instruction),
            ("Use British spelling in your answers.", InstructionKind::Instruction),
            (
                "Thanks!\n\nWhenever I paste a log, summarise it first.",
                InstructionKind::Instruction,
            ),
            ("Ab jetzt bitte auf Deutsch.", InstructionKind::Instruction),
            ("Bitte antworte immer in kurzen Sätzen.", InstructionKind::Instruction),
            ("Réponds toujours en français, s'il te plaît.", InstructionKind::Instruction),
            ("Por favor, responde siempre en español", InstructionKind::Instruction),
            ("Пожалуйста, отвечай всегда кратко.", InstructionKind::Instruction),
            ("请从现在开始用中文回答。", InstructionKind::Instruction),
            ("Rispondi sempre in italiano", InstructionKind::Instruction),
            ("Von nun an war die Stadt frei.", InstructionKind::None),
            ("Künftig fährt der Bus öfter.", InstructionKind::None),
            ("You can use emojis again.", InstructionKind::Instruction),
            ("You don't have to answer in French any more", InstructionKind::Instruction),
            ("You can use the kitchen again.", InstructionKind::None),
            ("You can answer the door", InstructionKind::None),
            ("Er antwortet immer auf Deutsch.", InstructionKind::None),
            ("我更喜欢简短的例子", InstructionKind::Preference),
            ("I’d rather walk than drive", InstructionKind::Preference),
            ("I'm new here and I prefer simple tools, can you help?", InstructionKind::Preference),
            ("I never eat meat", InstructionKind::None),
            ("Please keep your answers short.", InstructionKind::Instruction),
            ("No emojis please, ever.", InstructionKind::Instruction),
            ("Can you please stop apologising all the time?", InstructionKind::Instruction),
            ("Can you keep it short?", InstructionKind::None),
            ("Call me Helen, not Ms Okafor.", InstructionKind::Instruction),
            ("Call me back when you can.", InstructionKind::None),
            ("I hate long answers.", InstructionKind::Instruction),
            ("Remember: I want plain language, no jargon.", InstructionKind::Instruction),
            ("Use British spelling.", InstructionKind::None),
            ("Give your answers as JSON.", InstructionKind::None),
            ("Can you explain your answers?", InstructionKind::None),
            ("No emojis in this one, thanks.", InstructionKind::None),
            ("No emoji movie tonight, we watch Dune.", InstructionKind::None),
            ("Add emojis to the invitation text please", InstructionKind::None),
            ("Keep answers from the tax office in the grey folder", InstructionKind::None),
            ("Keep every reply from the insurer in the folder.", InstructionKind::None),
            ("Put all answers in a table.", InstructionKind::None),
            ("I want direct answers from the council.", InstructionKind::None),
            ("I love simple language in children's books.", InstructionKind::None),
            ("Call me an Uber to the station.", InstructionKind::None),
            ("Call me old-fashioned but I love letters.", InstructionKind::None),
            ("Call me Ishmael is how Moby Dick begins.", InstructionKind::None),
            ("Call me once you are back.", InstructionKind::None),
            ("> Call me Benny.\n> No emojis please.", InstructionKind::None),
            ("Sieze mich in diesem Brief.", InstructionKind::None),
            ("Every time you come to Bern it rains.", InstructionKind::None),
            ("Antworte mir bitte immer auf Deutsch.", InstructionKind::Instruction),
            ("Bitte duze mich.", InstructionKind::Instruction),
            ("Add two eggs and stir.", InstructionKind::None),
            ("No milk left.", InstructionKind::None),
            ("Never mind?", InstructionKind::None),
            ("She always sings", InstructionKind::None),
            ("What should I do from now on?", InstructionKind::None),
            ("", InstructionKind::None),
        ] {
            assert_eq!(standing(text), expected, "{text}");
        }
    }
}
