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
    "remember that", "remember:", "note that", "note:", "for the record,", "for the record:", "just", "and", "also", "but", "hey", "hi", "ok", "okay", "oh", "please", "so", "then", "well", "bitte", "und", "por favor",
    "s'il te plaît", "s'il vous plaît", "et", "y", "per favore", "пожалуйста", "proszę", "alsjeblieft", "请", "請",
];

/// How a sentence that is an instruction begins.
#[rustfmt::skip]
const OPENINGS: [&str; 121] = [
    "always ", "never ", "from now on", "from here on", "from this point on", "going forward", "in future",
    "in the future, ", "whenever i ", "every time i ", "each time i ", "any time i ask", "anytime i ask", "when i ask ",
    "if i ask ", "make sure to always ", "make sure you always ", "be sure to always ", "remember to always ",
    "you should always ", "you must always ", "you should never ", "don't ever ", "do not ever ",
    "i want you to always ", "i want you to never ", "i'd like you to always ", "i need you to always ",
    "stop answering ", "stop calling me ", "stop replying ", "stop responding ", "stop using emoji", "no emoji",
    "every time you ", "each time you ", "whenever you ", "when you answer", "when you reply", "when you respond",
    "when you write ", "when you explain ", "when answering", "when replying", "when you code", "ask me before you ",
    "for future reference", "my preferred answer", "my preferred response",
    // German
    "ab jetzt ", "in zukunft ", "antworte immer ", "antworte künftig ", "antworte ab jetzt ", "antworte in zukunft ",
    "duze mich", "sieze mich", "du kannst mich duzen",
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
const FROM_NOW: [&str; 27] = [
    "ab sofort ", "von jetzt an ", "von nun an ", "künftig ", "dorénavant", "a partir de agora",
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

/// Beginnings of requests: for good if they are about all answers, and for once otherwise.
#[rustfmt::skip]
const REQUESTS: [&str; 33] = [
    "add ", "answer ", "avoid ", "be ", "cite ", "do not ", "don't ", "end ", "explain ", "format ", "give ", "i want you to ",
    "i would like you to ", "i'd like you to ", "i need you to ", "include ", "keep ", "leave out ", "limit ", "make ", "mark ",
    "no ", "put ", "reply ", "respond ", "say ", "sign ", "skip ", "spell ", "start ", "stop ", "use ", "write ",
];

/// What asks for something in the form of a question: "Can you please stop apologising?"
#[rustfmt::skip]
const ASKING: [&str; 8] = [
    "can you please ", "could you please ", "would you please ", "will you please ", "can you ", "could you ", "would you ",
    "will you ",
];

/// Words for all answers.
#[rustfmt::skip]
const ALL_ANSWERS: [&str; 27] = [
    "your answers", "your replies", "your responses", "your messages", "your explanations", "keep answers", "keep replies",
    "keep responses", "answers short", "all answers", "all replies", "all responses", "every answer", "every reply",
    "every response", "our chats", "our conversations", "every chat", "emojis", "die antworten", "kurze antworten",
    "deine antworten", "les réponses", "des réponses", "las respuestas", "respostas", "risposte",
];
/// Words for all that somebody does.
const ALL_ACTS: [&str; 4] = ["all the time", "anything you ", "everything you ", "unless i "];

/// What says how answers should be, before [`ANSWERS`]: "I hate long answers".
#[rustfmt::skip]
const QUALITIES: [&str; 17] = [
    "blunt", "brief", "clear", "concise", "detailed", "direct", "formal", "honest", "informal", "long", "longer", "plain",
    "short", "shorter", "simple", "terse", "vague",
];
#[rustfmt::skip]
const ANSWERS: [&str; 6] = ["answers", "explanations", "language", "replies", "responses", "sentences"];

/// What states a liking: of answers, if [`QUALITIES`] are said of them.
#[rustfmt::skip]
const LIKINGS: [&str; 10] = [
    "i can't stand ", "i dislike ", "i don't like ", "i hate ", "i like ", "i love ", "i need ", "i prefer ", "i want ",
    "i'd like ",
];

/// How answers look and sound, in an instruction.
#[rustfmt::skip]
const FORM: [&str; 18] = [
    "american english", "apologi", "be brief", "be concise", "be direct", "be terse", "british english", "bullet point",
    "celsius", "explain things", "explain everything", "fahrenheit", "follow-up question", "give sources", "jargon", "metric",
    "short version", "spelling",
];

/// Words of what a program does for somebody, or for what: a note that instructs in other words is
/// about the house.
#[rustfmt::skip]
const ACTS: [&str; 49] = [
    "add ", "ask ", "asking me", "assume", "book ", "branch", "buy ", "calendar", "cite ", "code", "commit", "convert",
    "delete ", "deploy", "draft", "e-mail", "email", "explain", "format", "function", "give me", "i ask", "i paste", "i say",
    "include ", "java", "library", "link", "list ", "mail", "mention", "merge", "order ", "pull request", "push ", "python",
    "recommend", "remind", "rust", "script", "send ", "show me", "suggest", "summar", "test", "translate", "typescript", "use ",
    "write ",
];

/// What limits nothing.
#[rustfmt::skip]
const UNIVERSAL: [&str; 16] = [
    "for all our chats", "for all chats", "for all our conversations", "for future reference", "for the future",
    "every time you answer", "every time you reply", "every time you respond", "each time you answer", "whenever you answer",
    "whenever you reply", "when you answer", "when you reply", "when you respond", "when answering", "for good",
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
    sentences(text).map(|sentence| of_sentence(&sentence)).max().unwrap_or_default()
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
        of_sentence(&sentence) == InstructionKind::Instruction
            && is_about_answers(&sentence)
            && !has(&without_universal(&sentence), &CONDITIONS)
    })
}

/// What a note says about later answers. "Never wash the pan with soap" is an instruction, though
/// not for a program that answers.
///
/// ```
/// use retrieval::text::standing::{InstructionKind, standing_of_note};
///
/// assert_eq!(standing_of_note("Never use emojis."), InstructionKind::Instruction);
/// assert_eq!(standing_of_note("Never wash the pan with soap."), InstructionKind::None);
/// ```
pub fn standing_of_note(text: &str) -> InstructionKind {
    let told = sentences(text).map(|sentence| match of_sentence(&sentence) {
        InstructionKind::Instruction if !is_about_answers(&sentence) && !has(&sentence, &ACTS) => {
            InstructionKind::None
        }
        kind => kind,
    });
    told.max().unwrap_or_default()
}

/// Whether an instruction is about answers.
fn is_about_answers(lower: &str) -> bool {
    has(lower, &ANSWERING) || has(lower, &ALL_ANSWERS) || has(lower, &FORM) || is_of_quality(lower)
}

/// "Short answers", "plain language".
fn is_of_quality(lower: &str) -> bool {
    let words: Vec<&str> =
        lower.split(|letter: char| !letter.is_alphanumeric()).filter(|it| !it.is_empty()).collect();
    words.windows(2).any(|pair| QUALITIES.contains(&pair[0]) && ANSWERS.contains(&pair[1]))
}

/// "Call me Ada", not "call me back tomorrow".
fn names_the_person(opening: &str) -> bool {
    #[rustfmt::skip]
    const OTHERS: [&str; 20] = [
        "a", "after", "again", "as", "asap", "at", "back", "before", "by", "if", "in", "later", "maybe", "now", "on", "this",
        "today", "tomorrow", "tonight", "when",
    ];
    const WORDS_MAX: usize = 8;
    let Some(rest) = opening.strip_prefix("call me ") else { return false };
    let mut words =
        rest.split(|letter: char| !letter.is_alphanumeric()).filter(|it| !it.is_empty());
    words.next().is_some_and(|first| !OTHERS.contains(&first)) && words.count() < WORDS_MAX
}

/// The sentences of a text as far as they are read, in lower case.
fn sentences(text: &str) -> impl Iterator<Item = String> + '_ {
    let lines = text.lines().flat_map(UnicodeSegmentation::unicode_sentences);
    lines.take(SENTENCES_MAX).map(in_lower_case)
}

/// What a sentence in lower case says about later answers.
fn of_sentence(lower: &str) -> InstructionKind {
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
    let requested = asked.unwrap_or(opening).trim_start_matches("please ");
    let is_request = REQUESTS.iter().any(|request| requested.starts_with(request));
    let is_for_good = is_request && (has(lower, &ALL_ANSWERS) || has(lower, &ALL_ACTS));
    let is_liking = has(lower, &LIKINGS) || has(lower, &PREFERENCES);
    let is_instruction = begins(&OPENINGS)
        || has(lower, &ANYWHERE)
        || names_the_person(opening)
        || is_for_good
        || is_liking && (is_of_quality(lower) || has(lower, &ALL_ANSWERS))
        || begins(&FROM_NOW) && has(lower, &ANSWERING)
        || begins(&ENDS) && has(lower, &AGAIN) && has(lower, &ANSWERING);
    if is_instruction && (!is_question || asked.is_some() && is_for_good) {
        return InstructionKind::Instruction;
    }
    // For once or for good: nobody knows.
    let is_wish = is_request && !is_question && (has(lower, &FORM) || is_of_quality(lower));
    match is_wish || has(lower, &PREFERENCES) {
        true => InstructionKind::Preference,
        false => InstructionKind::None,
    }
}

/// The sentence in lower case as far as it is read, with straight apostrophes.
fn in_lower_case(sentence: &str) -> String {
    let end = sentence.floor_char_boundary(SENTENCE_BYTES_MAX);
    sentence.get(..end).unwrap_or_default().to_lowercase().replace('’', "'")
}

/// Without what limits an instruction to nothing: "from now on", "for all our chats".
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
            ("Use British spelling.", InstructionKind::Preference),
            ("Prefiero que las respuestas sean cortas.", InstructionKind::Instruction),
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
