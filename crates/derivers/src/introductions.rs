//! Introductions: the words before a colon, and whose text they say comes after it.
//!
//! In a message to an assistant anything may be pasted, so there only the owner's own introductions
//! ([`is_owners`]) let what follows speak for the owner: "About me:", "As I said:", "My rules:". In
//! a note the owner writes most of what there is, so there an introduction has to say that what
//! follows is not theirs or of today ([`is_of_others`]): "Marek's list of peeves:", "Song of the
//! day:", "I played a butler:", "Ten years ago I wrote:".

use crate::pasted::{introduces, is_own_saying, words_of};
use crate::relationships::{NOT_NAMES, is_kind};

/// Words of introductions that name a text which nobody states of themselves.
#[rustfmt::skip]
const INVENTED: [&str; 46] = [
    "caption", "chapter", "character", "characters", "dialogue", "dummy", "example", "examples", "excerpt", "exercise",
    "fiction", "fixture", "homework", "improv", "input", "joke", "log", "logs", "lyrics", "mock", "monologue", "output",
    "overheard", "parody", "persona", "personas", "placeholder", "poem", "poems", "prompt", "quotation", "quote",
    "quotes", "role", "sample", "scene", "screenplay", "script", "seed", "skit", "slogan", "song", "songs", "story",
    "string", "test",
];
/// Those that say so in a note, too, where a test or an exercise may be the owner's own.
#[rustfmt::skip]
const INVENTED_IN_NOTES: [&str; 26] = [
    "chapter", "character", "characters", "dialogue", "excerpt", "haiku", "improv", "limerick", "lyrics", "monologue",
    "overheard", "persona", "poem", "poems", "quotation", "quote", "quotes", "role", "scene", "screenplay", "skit",
    "song", "songs", "speaks", "sings", "sang",
];
/// Works whose notes name who speaks in them: "Book notes (Stevens, the butler):".
const WORKS: [&str; 8] = ["book", "novel", "film", "movie", "play", "opera", "series", "theatre"];
/// Words at the beginning of an introduction that say nothing of whose it is.
#[rustfmt::skip]
const FILLERS: [&str; 37] = [
    "a", "also", "and", "are", "but", "few", "first", "for", "hello", "here", "here's", "hey", "hi", "is", "just",
    "more", "now", "of", "ok", "okay", "please", "quick", "short", "so", "some", "that", "the", "these", "this",
    "those", "well", "yes", "bitte", "hier", "ist", "sind", "bit",
];
/// The owner's own introductions, without fillers before them.
#[rustfmt::skip]
const OWN: [&str; 77] = [
    "about", "about me", "about myself", "addition", "answer", "background", "btw", "by way", "by the way",
    "clarification", "confession", "context", "correction", "decision", "decisions", "edit", "facts", "fact", "facts about me",
    "fyi", "goal", "goals", "hint", "honestly", "important", "in general", "in short", "info", "i mean", "know",
    "me", "my question", "note", "notes", "one thing", "one more thing", "another thing", "thing", "thing is", "p s",
    "personal", "personally", "preference", "preferences", "ps", "question", "record", "reminder", "request", "rule",
    "rules", "save", "summary", "things about me", "tl", "tldr", "to be clear", "to be honest", "to clarify", "update",
    "your information", "note to self", "to self", "task", "über mich", "zur info", "à propos de moi", "sobre mí",
    "su di me", "info über mich", "notiz", "merke",
    "intro", "background first", "dietary needs", "dietary preferences", "food preferences",
];
/// What the owner's own introductions begin with.
#[rustfmt::skip]
const BEGINNINGS: [&str; 30] = [
    "remember", "please remember", "don't forget", "note that", "make a note", "take note", "keep in mind", "bear in mind",
    "memorise", "memorize", "as you know", "you should know", "so you know", "you know", "what i like", "what i love",
    "what i hate", "what i prefer", "what i want", "what i need", "things i like", "things i love", "things i hate", "be brief",
    "answer in", "contact me", "keep it", "keep your", "shorten your", "merk dir",
];
/// What they end with.
#[rustfmt::skip]
const ENDINGS: [&str; 12] = [
    "about me", "about myself", "note to self", "you know", "you should know", "for context", "for record", "for the record",
    "know about me", "i said", "über mich", "in mind",
];
/// What the owner does in an introduction of what they think.
#[rustfmt::skip]
const OWN_VERBS: [&str; 14] = [
    "adore", "admit", "confess", "decided", "dislike", "enjoy", "hate", "like", "love", "mean", "mentioned", "prefer",
    "repeat", "told",
];
/// What stands for a text in an introduction: "I like this".
const POINTING: [&str; 7] = ["this", "these", "that", "following", "what", "it", "how"];
/// What the owner has and then says.
#[rustfmt::skip]
const HAD: [&str; 16] = [
    "allergies", "concern", "constraints", "goal", "goals", "habits", "hobbies", "plan", "preference", "preferences",
    "problem", "question", "questions", "request", "rule", "rules",
];
/// The owner, at the beginning of one.
const SPEAKER: [&str; 8] = ["i", "i'm", "i've", "i'd", "i'll", "we", "ich", "wir"];
/// What is the owner's own where it is called theirs.
#[rustfmt::skip]
const OWN_NOUNS: [&str; 66] = [
    "allergies", "answer", "answers", "background", "bio", "concern", "conditions", "constraints", "context", "criteria",
    "decision", "details", "diet", "dislikes", "email", "facts", "family", "favorites", "favourites", "feedback", "goal",
    "goals", "habits", "hobbies", "hobby", "idea", "info", "interests", "introduction", "likes", "list", "mail", "message",
    "needs", "note", "notes", "opinion", "people", "plan", "plans", "position", "preference", "preferences", "priorities",
    "problem", "profile", "question", "questions", "reason", "reasons", "request", "requirements", "routine", "rule", "rules",
    "setup", "situation", "stack", "style", "taste", "tastes", "text", "thoughts", "view", "views", "nachricht",
];
/// The owner's, before such a noun.
const MY: [&str; 7] = ["my", "our", "mein", "meine", "mon", "mes", "mi"];
/// Most words of a label before a value: "Diet:", "Home town:".
const LABEL_WORDS_MAX: usize = 3;

/// Whether the words before a colon introduce the owner's own words of today.
pub(crate) fn is_owners(words: &[String]) -> bool {
    let words = without_colon(words);
    if is_of_the_past(words) || has_any(words, &INVENTED) {
        return false;
    }
    let fillers = words.iter().take_while(|word| FILLERS.contains(&word.as_str())).count();
    let rest = words.get(fillers..).unwrap_or_default();
    let phrase = rest.join(" ");
    let is_begun = |beginning: &&str| {
        phrase
            .strip_prefix(*beginning)
            .is_some_and(|after| after.is_empty() || after.starts_with(' '))
    };
    let is_ended = |ending: &&str| {
        phrase
            .strip_suffix(*ending)
            .is_some_and(|before| before.is_empty() || before.ends_with(' '))
    };
    let is_thought = matches!(rest.first().map(String::as_str), Some("i" | "i've"))
        && has_any(rest, &OWN_VERBS)
        && !has_any(rest, &POINTING);
    let is_had = matches!(rest, [i, have, .., last] if HAD.contains(&last.as_str())
        && matches!((i.as_str(), have.as_str()), ("i", "have") | ("i've", _)));
    OWN.contains(&phrase.as_str())
        || BEGINNINGS.iter().any(is_begun)
        || ENDINGS.iter().any(is_ended)
        || is_thought
        || is_had
        || is_own_noun(words)
        || is_own_saying(words)
}

/// "My food preferences", "here is my bio", but not "my sister's notes".
fn is_own_noun(words: &[String]) -> bool {
    let Some(my) = words.iter().position(|word| MY.contains(&word.as_str())) else { return false };
    let (before, after) = words.split_at_checked(my).unwrap_or_default();
    let is_plain = |word: &String| !is_kind(word) && !word.contains('\'');
    let is_opening = |word: &String| {
        FILLERS.contains(&word.as_str())
            || matches!(
                word.as_str(),
                "about" | "as" | "regarding" | "update" | "save" | "store" | "das"
            )
    };
    before.iter().all(is_opening)
        && after.len() <= LABEL_WORDS_MAX + 2
        && after.iter().all(is_plain)
        && after.last().is_some_and(|last| OWN_NOUNS.contains(&last.as_str()))
}

/// Whether the words before a colon only name the value after it: "Diet: no nuts".
pub(crate) fn is_label(words: &[String], value: &str) -> bool {
    let words = without_colon(words);
    let value = value.split(['.', '!', '?', ';']).next().unwrap_or_default();
    let is_of_speaker = words_of(value)
        .iter()
        .any(|word| word == "my" || SPEAKER.contains(&word.as_str()) && word != "we");
    (1..=LABEL_WORDS_MAX).contains(&words.len())
        && !value.trim().is_empty()
        && !is_of_speaker
        && !has_any(words, &INVENTED)
}

/// Whether what follows is to be made up: "Write a story in which I am a pirate".
pub(crate) fn is_made_up(words: &[String]) -> bool {
    let is_asked = has_any(words, &["compose", "imagine", "invent", "make", "tell", "write"]);
    is_asked
        && (has_any(words, &INVENTED_IN_NOTES) || has_any(words, &["fiction", "parody", "story"]))
}

/// The part of a line of a note before the words of others that an introduction in it begins.
pub(crate) fn before_words_of_others(line: &str) -> &str {
    let mut start = 0;
    for (at, letter) in line.char_indices() {
        let end = at + letter.len_utf8();
        let goes_on = line.get(end..).unwrap_or_default();
        if !goes_on.starts_with(char::is_whitespace) {
            continue;
        }
        if letter == ':' && is_of_others(line.get(start..at).unwrap_or_default()) {
            return line.get(..end).unwrap_or(line);
        }
        if matches!(letter, '.' | '!' | '?' | ';' | ':') {
            start = end;
        }
    }
    line
}

/// Whether a line ends with an introduction of what others say below it.
pub(crate) fn introduces_lines_of_others(line: &str) -> bool {
    let Some(line) = line.trim_end().trim_end_matches(['*', '_']).strip_suffix(':') else {
        return false;
    };
    let last = line.rsplit(['.', '!', '?', ';']).next().unwrap_or_default();
    is_of_others(last)
}

/// Whether a sentence says whose words it has: "As Kundera put it, I love solitude."
pub(crate) fn is_put_by_another(sentence: &str) -> bool {
    /// Words within which it says so.
    const WORDS_MAX: usize = 8;
    let words: Vec<&str> = sentence
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(WORDS_MAX)
        .collect();
    let [first, who, rest @ ..] = words.as_slice() else { return false };
    let is_it = |pair: &[&str]| {
        matches!(pair, ["put" | "puts" | "has" | "had" | "phrased", "it"])
            || matches!(pair, ["goes" | "sang" | "sings" | "wrote" | "writes", _])
    };
    first.eq_ignore_ascii_case("as") && !who.eq_ignore_ascii_case("i") && rest.windows(2).any(is_it)
}

/// Whether the words before a colon in a note introduce what somebody else says, or nobody, or the
/// owner of long ago.
fn is_of_others(introduction: &str) -> bool {
    let words = words_of(introduction);
    let is_favourite = has_any(&words, &["my"]) && !has_any(&words, &["played", "overheard"]);
    if is_of_the_past(&words) || is_role(&words) {
        return true;
    }
    let is_invented = has_any(&words, &INVENTED_IN_NOTES) && !is_favourite;
    let is_of_work = has_any(&words, &WORKS) && names_a_figure(introduction);
    is_invented || is_of_work || is_of_somebody(introduction) || is_said(&words)
}

fn is_said(words: &[String]) -> bool {
    introduces(words) && !is_owners(words)
}

/// "Callum's list of peeves", "My boss's rules", but not "Monday's plan" or "Rosa's".
fn is_of_somebody(introduction: &str) -> bool {
    let plain = introduction.replace('’', "'");
    let mut words = plain
        .split_whitespace()
        .map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '\''));
    let words: Vec<&str> = words.by_ref().filter(|word| !word.is_empty()).take(4).collect();
    let words = match words.split_first() {
        Some((first, rest)) if first.eq_ignore_ascii_case("from") => rest.to_vec(),
        _ => words,
    };
    let owner = |word: &str| word.strip_suffix("'s").map(str::to_owned);
    let days = [
        "today",
        "yesterday",
        "tonight",
        "tomorrow",
        "valentine",
        "let",
        "what",
        "that",
        "here",
        "mother",
    ];
    match words.as_slice() {
        [first, _, ..] if owner(first).is_some() => {
            let Some(name) = owner(first) else { return false };
            let lower = name.to_lowercase();
            name.starts_with(char::is_uppercase)
                && !NOT_NAMES.contains(&lower.as_str())
                && !days.contains(&lower.as_str())
        }
        [my, second, _, ..] if my.eq_ignore_ascii_case("my") => {
            owner(second).is_some_and(|name| is_kind(&name.to_lowercase()))
        }
        _ => false,
    }
}

/// A name with a role in parentheses: "(Stevens, the butler)".
fn names_a_figure(introduction: &str) -> bool {
    let Some((_, inner)) = introduction.rsplit_once('(') else { return false };
    inner.trim_end().ends_with(')') && inner.starts_with(char::is_uppercase)
}

/// "I played a butler", "write as your inner critic".
fn is_role(words: &[String]) -> bool {
    words.windows(2).any(|pair| {
        let [first, second] = pair else { return false };
        let plays = matches!(first.as_str(), "played" | "playing")
            && matches!(second.as_str(), "a" | "an" | "the");
        let writes = second == "as"
            && matches!(
                first.as_str(),
                "write"
                    | "writing"
                    | "speak"
                    | "speaking"
                    | "talk"
                    | "talking"
                    | "answer"
                    | "answering"
            );
        let is_voice = second == "of" && matches!(first.as_str(), "voice" | "role" | "viewpoint");
        is_voice
            || plays && words.iter().any(|word| matches!(word.as_str(), "i" | "i'm" | "we"))
            || writes
    })
}

/// "Ten years ago I wrote", "from my old diary", "in 2009 I wrote".
fn is_of_the_past(words: &[String]) -> bool {
    let is_pair = |first: &[&str], second: &[&str]| {
        words.windows(2).any(|pair| {
            let [one, two] = pair else { return false };
            first.contains(&one.as_str()) && second.contains(&two.as_str())
        })
    };
    let is_year = |word: &String| {
        word.len() == 4
            && (word.starts_with("19") || word.starts_with("20"))
            && word.bytes().all(|byte| byte.is_ascii_digit())
    };
    has_any(words, &["ago", "teenager"])
        || is_pair(&["younger"], &["self", "me"])
        || is_pair(&["old"], &["diary", "diaries", "journal", "letter", "letters", "self"])
        || is_pair(&["back", "used"], &["then", "to"])
        || has_any(words, &["wrote", "said"]) && words.iter().any(is_year)
}

fn has_any(words: &[String], list: &[&str]) -> bool {
    words.iter().any(|word| list.contains(&word.as_str()))
}

fn without_colon(words: &[String]) -> &[String] {
    words.strip_suffix(&[":".to_owned()]).unwrap_or(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_owners_introductions_are_told_from_others() {
        for own in [
            "About me",
            "Note to self",
            "FYI",
            "Update",
            "My preferences",
            "As I said",
            "I wrote",
            "Just so you know",
            "One thing",
            "For context",
            "Here are my food preferences",
            "A few facts about me",
            "Dietary needs",
            "I have two rules",
            "Please remember this",
            "What I like",
        ] {
            assert!(is_owners(&words_of(own)), "{own}");
        }
        for other in [
            "Review of the hotel I stayed at",
            "Sample text for the parser",
            "My sister's notes",
            "Add this to the page",
            "I want you to sort these",
            "I need feedback",
            "I love this",
            "I need opinions on my cousin's bio",
            "Is this idiomatic",
            "A verse of my song",
            "Check this out",
            "Eight years ago I wrote",
            "Remember this poem",
            "",
        ] {
            assert!(!is_owners(&words_of(other)), "{other}");
        }
    }

    #[test]
    fn a_label_names_a_value_and_no_statement() {
        assert!(is_label(&words_of("Home town"), " Turku, by the sea. I love it."));
        assert!(!is_label(&words_of("Test"), " a b"));
        assert!(!is_label(&words_of("Food"), " I love it"));
        assert!(!is_label(&words_of("What they said of the place"), " good"));
    }

    #[test]
    fn a_sentence_may_say_that_another_put_it_so() {
        assert!(is_put_by_another("As my old teacher put it, I love rules."));
        assert!(is_put_by_another("as the song goes, I love you"));
        assert!(!is_put_by_another("As I put it, I love rules."));
        assert!(!is_put_by_another("As usual, I love rules."));
    }

    #[test]
    fn in_a_note_only_what_names_another_is_anothers() {
        for (line, own) in [
            ("Fine. Poem of the week: I love rain", "Fine. Poem of the week:"),
            ("Drama club. I played a thief: I hate cats", "Drama club. I played a thief:"),
            ("Nine years ago I wrote: I hate tea", "Nine years ago I wrote:"),
            ("Book notes (Emma, the heiress): I love balls", "Book notes (Emma, the heiress):"),
            ("Overheard at lunch, a cook: I hate salt", "Overheard at lunch, a cook:"),
            ("Write as your younger self: I love mud", "Write as your younger self:"),
            ("In the voice of a crow: I love corn", "In the voice of a crow:"),
            ("From Ben's blog: I love corn", "From Ben's blog:"),
            ("Olga's rules for guests: I love silence", "Olga's rules for guests:"),
        ] {
            assert_eq!(before_words_of_others(line), own);
        }
        for line in [
            "Note to self: I prefer tea",
            "Dinner with Ana: I love pasta",
            "Monday's plan: I hate it",
            "Today's mood: I love rain",
            "Reading notes: I prefer poetry",
            "At 10: I love tea",
            "My favourite song so far: I love jazz",
            "Rosa's: I love the pasta",
            "Lunch: I love rice",
        ] {
            assert_eq!(before_words_of_others(line), line);
        }
        assert!(introduces_lines_of_others("Fine. Olga's list of peeves:"));
        assert!(introduces_lines_of_others("**Chapter nine, Igor speaks:**"));
        assert!(!introduces_lines_of_others("Things that I like:"));
    }
}
