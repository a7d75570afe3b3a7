//! Pasted: text of somebody else in a message to an assistant.
//!
//! What follows "My colleague wrote this:", "Review of the hotel:" or "Please shorten this email."
//! is not about the owner, however it is worded. Such an introduction ends with a colon, with its
//! line if it points at what is below, or with a first paragraph that asks about a text. From there
//! on the message is not read: nobody marks where a pasted text ends. Only the owner's own
//! introductions ([`introductions`](crate::introductions)), such as "Here is my bio:", and a label
//! before a value ("Diet: vegan") are followed by the owner's own words. English, German, French,
//! Spanish and Italian are read.

use crate::introductions::{is_label, is_made_up, is_owners};
use crate::relationships::is_kind;

/// Most words of an introduction that are read: the last.
const WORDS_MAX: usize = 24;
/// Most words after a verb of saying, before the colon.
const AFTER_SAYING_MAX: usize = 5;
/// Most words between an article and its noun.
const BETWEEN_MAX: usize = 3;

/// What somebody else does to a text.
#[rustfmt::skip]
const SAYING: [&str; 44] = [
    "wrote", "writes", "written", "said", "says", "sent", "texted", "emailed", "e-mailed", "messaged", "posted",
    "replied", "responded", "asked", "commented", "complained", "forwarded", "tweeted", "dictated", "schrieb",
    "schreibt", "geschrieben", "sagte", "sagt", "schickte", "schickt", "geschickt", "meinte", "antwortete",
    "fragte", "weitergeleitet", "écrit", "envoyé", "dit", "répondu", "escribió", "escrito", "dijo", "envió",
    "mandó", "scritto", "mandato", "inviato", "detto",
];
/// Words between such a verb and whoever does it.
#[rustfmt::skip]
const BEFORE_SAYING: [&str; 35] = [
    "just", "also", "already", "recently", "once", "then", "has", "have", "had", "me", "us", "this", "that", "it",
    "the", "following", "hat", "habe", "haben", "mir", "uns", "das", "dies", "folgendes", "gerade", "heute", "a",
    "ai", "m'a", "m'ont", "lo", "ha", "he", "ho", "mi",
];
/// The owner as the one who does it.
const I: [&str; 13] =
    ["i", "i've", "i'd", "we", "we've", "ich", "wir", "j'ai", "je", "nous", "yo", "io", "you"];
/// Words for a text.
#[rustfmt::skip]
const TEXTS: [&str; 80] = [
    "abstract", "article", "complaint", "complaints", "dialogue", "draft", "e-mail", "email", "emails", "essay",
    "excerpt", "feedback", "letter", "lyrics", "mail", "message", "messages", "paragraph", "passage", "poem",
    "post", "review", "reviews", "screenplay", "sentence", "sentences", "sms", "snippet", "song", "speech", "story",
    "testimonial", "text", "ticket", "transcript", "tweet", "absatz", "abschnitt", "anfrage", "artikel", "aufsatz",
    "beitrag", "beschwerde", "bewertung", "brief", "gedicht", "geschichte", "kundenbeschwerde", "nachricht",
    "reklamation", "rezension", "rückmeldung", "satz", "zitat", "avis", "courriel", "lettre", "phrase", "plainte",
    "poème", "réclamation", "texte", "carta", "correo", "frase", "mensaje", "poema", "queja", "reclamación",
    "reseña", "texto", "articolo", "lettera", "messaggio", "poesia", "recensione", "reclamo", "testo", "artículo",
    "parrafo",
];
/// The owner's, before a noun.
#[rustfmt::skip]
const MY: [&str; 17] = [
    "my", "our", "mein", "meine", "meinen", "meiner", "meinem", "unser", "unsere", "mon", "ma", "mes", "mi", "mis",
    "mio", "mia", "own",
];
/// What points at a text, before the word for it.
#[rustfmt::skip]
const POINTING: [&str; 44] = [
    "here", "here's", "heres", "this", "these", "following", "attached", "pasted", "got", "received", "hier",
    "folgende", "folgender", "folgenden", "folgendes", "diese", "dieser", "diesen", "dieses", "anbei", "bekam",
    "erhielt", "voici", "voilà", "ce", "cet", "cette", "reçu", "aquí", "este", "esta", "siguiente", "recibí",
    "recibido", "ecco", "questo", "questa", "seguente", "ricevuto", "suivant", "suivante", "kam", "kriegte", "came",
];
/// What says, after the word for a text, whose it is or where.
#[rustfmt::skip]
const OF: [&str; 14] = [
    "from", "by", "below", "von", "vom", "unten", "bekommen", "erhalten", "de", "du", "da", "dal", "ci-dessous",
    "abajo",
];
/// Articles and possessives.
#[rustfmt::skip]
const DETERMINERS: [&str; 50] = [
    "the", "a", "an", "my", "our", "his", "her", "their", "your", "some", "der", "die", "das", "den", "dem", "des",
    "ein", "eine", "einen", "einem", "einer", "mein", "meine", "meinen", "meiner", "ihre", "seine", "le", "la",
    "les", "l", "un", "une", "mon", "ma", "son", "sa", "el", "los", "las", "una", "mi", "su", "il", "lo", "gli",
    "mia", "mio", "sua", "suo",
];
/// What an assistant does to a text.
#[rustfmt::skip]
const WORK: [&str; 92] = [
    "analyse", "analyze", "answer", "check", "classify", "condense", "correct", "copyedit", "edit", "explain",
    "fix", "format", "improve", "interpret", "paraphrase", "polish", "proofread", "proof-read", "reformat",
    "rephrase", "reply", "respond", "review", "revise", "reword", "rewrite", "shorten", "simplify", "spellcheck",
    "summarise", "summarize", "translate", "analysiere", "antworte", "beantworte", "erkläre", "fass", "fasse",
    "formuliere", "korrigier", "korrigiere", "korrigieren", "kürz", "kürze", "kürzen", "lektoriere", "prüfe",
    "überarbeite", "überarbeiten", "übersetz", "übersetze", "übersetzen", "umformulieren", "umschreiben",
    "verbessere", "verbessern", "vereinfache", "zusammenfassen", "améliore", "corrige", "corriger", "corrigez",
    "raccourcir", "raccourcis", "reformule", "reformuler", "reformulez", "relis", "réponds", "résume", "résumer",
    "résumez", "traduire", "traduis", "traduisez", "acorta", "acortar", "corregir", "mejora", "reescribe",
    "reformula", "responde", "resume", "resumir", "revisa", "traduce", "traducir", "traduzca", "accorcia",
    "correggi", "riassumi", "traduci",
];
/// Words between such a verb and what it is done to.
#[rustfmt::skip]
const BEFORE_OBJECT: [&str; 16] = [
    "to", "on", "up", "please", "me", "us", "for", "auf", "mir", "bitte", "uns", "à", "moi", "por", "favor", "al",
];
/// What stands for the text that is below.
#[rustfmt::skip]
const BELOW: [&str; 31] = [
    "this", "these", "following", "below", "dies", "diese", "diesen", "dieser", "dieses", "folgende", "folgenden",
    "folgendes", "folgender", "ce", "ceci", "cet", "cette", "suivant", "suivante", "este", "esta", "esto",
    "siguiente", "questo", "questa", "seguente", "das", "unten", "ci-dessous", "abajo", "sotto",
];

/// Texts that others write, about which an assistant is asked, beside [`TEXTS`].
#[rustfmt::skip]
const DOCUMENTS: [&str; 42] = [
    "ad", "advert", "advertisement", "agreement", "announcement", "answer", "application", "blurb", "chat", "clause",
    "comment", "comments", "contract", "conversation", "description", "document", "file", "lease", "listing",
    "manifesto", "manual", "newsletter", "notice", "offer", "page", "policy", "posting", "profile", "proposal",
    "quote", "readme", "reply", "report", "resume", "rules", "scene", "script", "statement", "terms", "thread",
    "transcripts", "website",
];
/// What people ask about the wording of a text.
#[rustfmt::skip]
const JUDGED: [&str; 29] = [
    "correct", "english", "formal", "funny", "grammatical", "grammatically", "idiomatic", "informal", "ironic", "irony",
    "joke", "metaphor", "natural", "negative", "offensive", "plagiarism", "polite", "positive", "proper", "pun", "rude",
    "sarcasm", "sarcastic", "sexist", "spam", "toxic", "understandable", "well-written", "wrong",
];
/// How a text is to be made, beside comparatives: "make this funnier".
const MADE: [&str; 9] =
    ["formal", "less", "more", "polite", "read", "rhyme", "sound", "concise", "professional"];
/// Words of time after "this", which then points at no text.
const TIMES: [&str; 11] = [
    "afternoon",
    "evening",
    "month",
    "morning",
    "spring",
    "summer",
    "time",
    "week",
    "weekend",
    "winter",
    "year",
];
/// Verbs for work on the wording of a text.
#[rustfmt::skip]
const REWORDING: [&str; 24] = [
    "condense", "copyedit", "paraphrase", "polish", "proofread", "proof-read", "rephrase", "reword", "rewrite", "shorten",
    "summarise", "summarize", "translate", "kürze", "korrigiere", "übersetz", "übersetze", "traduis", "traduisez",
    "traduce", "traduzca", "traduci", "traduza", "vertaal",
];
/// How a block of code begins.
const CODE: &str = "```";
/// What asks an assistant for something at the end of a paragraph, beside [`WORK`].
const ASKING: [&str; 7] = ["please", "thoughts", "opinion", "opinions", "ideas", "help", "advise"];

/// The part of a message before the text of somebody else, with what introduces it.
pub fn before_pasted(message: &str) -> &str {
    let message = match first_paragraph(message) {
        Some((first, rest)) if !rest.trim().is_empty() && asks_about_a_text(first) => first,
        _ => message,
    };
    before_introduction(message, |words, value| match value {
        Some(value) => introduces(words) || !is_owners(words) && !is_label(words, value),
        None => asks_for_work(words),
    })
}

/// The part of a message before a text that is certainly not the owner's own word, with what
/// introduces it: somebody else wrote it, it is made up, or its wording is to be worked on. Code
/// and whatever else the owner shows of their own work is not such a text.
pub fn before_text_of_others(message: &str) -> &str {
    let is_reworded =
        |words: &[String]| words.iter().any(|word| REWORDING.contains(&word.as_str()));
    let own = before_introduction(message, |words, value| match value {
        Some(_) => introduces(words) || is_made_up(words) || is_reworded(words),
        None => asks_for_work(words) && is_reworded(words),
    });
    let text = message.get(own.len()..).unwrap_or_default().trim_start();
    if text.starts_with(CODE) { message } else { own }
}

/// The first paragraph, and what is below the blank line after it.
fn first_paragraph(message: &str) -> Option<(&str, &str)> {
    let mut at = 0;
    for line in message.split_inclusive('\n') {
        let is_after_text = !message.get(..at).unwrap_or_default().trim().is_empty();
        if line.trim().is_empty() && is_after_text {
            let end = message.get(..at).unwrap_or_default().trim_end().len();
            return message.split_at_checked(end);
        }
        at += line.len();
    }
    None
}

/// Whether a paragraph ends with a question or a request, and names a text or points below.
fn asks_about_a_text(paragraph: &str) -> bool {
    let paragraph = paragraph.trim();
    let words = words_of(paragraph);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let asks = paragraph.ends_with('?') || has(&WORK) || has(&ASKING);
    // "Plan this trip" points at no text.
    let is_pointing = |at: usize| {
        let (this, next) = (word(&words, at), word(&words, at + 1));
        let before = at.checked_sub(1).map_or("", |before| word(&words, before));
        let is_alone = next.is_empty()
            || BEFORE_OBJECT.contains(&next)
            || matches!(before, "is" | "are" | "does" | "do");
        BELOW.contains(&this)
            && !TIMES.contains(&next)
            && (is_alone || !matches!(this, "this" | "these" | "das" | "este" | "esta"))
    };
    let is_text =
        |at: usize| [&TEXTS[..], &DOCUMENTS].iter().any(|list| list.contains(&word(&words, at)));
    let is_owners = |at: usize| {
        let before = |back: usize| at.checked_sub(back).map_or("", |at| word(&words, at));
        MY.contains(&before(1)) || MY.contains(&before(2)) && !before(1).contains('\'')
    };
    asks && ((0..words.len()).any(|at| is_pointing(at) || is_text(at) && !is_owners(at))
        || introduces(&words))
}

/// The part of a message before an introduction, with it. `is_others` says whether what follows is
/// not the owner's: after the words before a colon, with the rest of its line, or, without one,
/// after words that ask for work on a text.
fn before_introduction(message: &str, is_others: impl Fn(&[String], Option<&str>) -> bool) -> &str {
    let mut start = 0;
    let mut line_at = 0;
    for line in message.split_inclusive('\n') {
        let line_end = line_at + line.len();
        for (at, letter) in line.char_indices() {
            let end = line_at + at + letter.len_utf8();
            let goes_on = message.get(end..).unwrap_or_default();
            let after = goes_on.trim_start_matches(['*', '_']);
            let is_end = after.chars().next().is_none_or(char::is_whitespace);
            let is_colon = letter == '：' || letter == ':' && is_end;
            let is_stop = matches!(letter, '.' | '!' | '?' | ';') && is_end;
            if !is_colon && !is_stop {
                continue;
            }
            let words = words_of(message.get(start..end).unwrap_or_default());
            let ends_line = message.get(end..line_end).unwrap_or_default().trim().is_empty();
            let value = message.get(end..line_end).unwrap_or_default();
            let is_introduction = is_colon && is_others(&words, Some(value))
                || (is_colon || ends_line) && is_others(&words, None)
                || ends_line && points_below(&words) && introduces(&words);
            if is_introduction && !goes_on.trim().is_empty() {
                return message.get(..end).unwrap_or(message);
            }
            start = end;
        }
        let words = words_of(message.get(start..line_end).unwrap_or_default());
        let is_introduction = is_others(&words, None) || points_below(&words) && introduces(&words);
        (start, line_at) = (line_end, line_end);
        if is_introduction && message.get(line_end..).is_some_and(|rest| !rest.trim().is_empty()) {
            return message.get(..line_end).unwrap_or(message);
        }
    }
    message
}

/// Whether a passage asks for work on a text: "shorten this", "übersetze die Mail".
pub(crate) fn is_request_for_work(passage: &str) -> bool {
    passage.split_inclusive(['.', '!', '?', '\n']).any(|part| {
        let words = words_of(part);
        asks_for_work(&words)
            || asks_to_remake(&words)
            || part.ends_with('?') && asks_for_judgement(&words)
    })
}

/// "Make this funnier", "make the following rhyme".
fn asks_to_remake(words: &[String]) -> bool {
    (0..words.len()).any(|at| {
        let this = if word(words, at + 1) == "the" { at + 2 } else { at + 1 };
        let how = word(words, this + 1);
        word(words, at) == "make"
            && matches!(word(words, this), "this" | "these" | "following")
            && (how.len() > 4 && how.ends_with("er") || MADE.contains(&how))
    })
}

/// "Is this sarcasm?", "does this sound polite?"
fn asks_for_judgement(words: &[String]) -> bool {
    let is = matches!(word(words, 0), "is" | "are" | "does" | "do" | "would" | "was");
    is && matches!(word(words, 1), "this" | "these" | "that" | "following" | "it")
        && words.iter().any(|word| JUDGED.contains(&word.as_str()))
}

/// The last words of a passage in lower case; a colon is a word of its own.
pub(crate) fn words_of(passage: &str) -> Vec<String> {
    let lower = passage.to_lowercase().replace('’', "'").replace([':', '：'], " : ");
    let is_inner = |letter: char| letter.is_alphanumeric() || matches!(letter, '\'' | '-' | ':');
    let words = lower.split(|letter: char| !is_inner(letter)).filter(|word| !word.is_empty());
    let mut last: Vec<String> = words.rev().take(WORDS_MAX).map(str::to_owned).collect();
    last.reverse();
    last
}

fn word(words: &[String], at: usize) -> &str {
    words.get(at).map_or("", String::as_str)
}

fn points_below(words: &[String]) -> bool {
    words.iter().any(|word| BELOW.contains(&word.as_str()))
}

/// Whether somebody else said what follows, or it is a text that somebody else may have written.
pub(crate) fn introduces(words: &[String]) -> bool {
    let words = words.strip_suffix(&[":".to_owned()]).unwrap_or(words);
    let end = words.len();
    let is_i = |at: usize| I.contains(&word(words, at));
    let says = |at: usize| SAYING.contains(&word(words, at));
    if is_own_saying(words) {
        return false;
    }
    let is_said = |at: usize| {
        says(at)
            && end - at <= AFTER_SAYING_MAX + 1
            && subject_of(words, at).is_some()
            && !(at + 1..end).any(is_i)
    };
    (0..end).any(is_said) || names_text(words)
}

/// Whether the owner said what follows: "I wrote to her".
pub(crate) fn is_own_saying(words: &[String]) -> bool {
    (0..words.len()).any(|at| {
        SAYING.contains(&word(words, at))
            && subject_of(words, at).is_some_and(|subject| I.contains(&word(words, subject)))
    })
}

/// Who says something is the word before, but for "has just" and the like.
fn subject_of(words: &[String], at: usize) -> Option<usize> {
    (0..at).rev().find(|before| !BEFORE_SAYING.contains(&word(words, *before)))
}

/// Whether the words name a text, point at it, and do not call it the owner's.
fn names_text(words: &[String]) -> bool {
    let end = words.len();
    let is_text = |at: usize| TEXTS.contains(&word(words, at));
    let is_one_of = |at: usize, list: &[&str]| list.contains(&word(words, at));
    let is_mine = |at: usize| {
        let nearest = at.checked_sub(1).map(|before| word(words, before)).unwrap_or_default();
        // "My last email" is the owner's, "my sister's email" and "my boss' mail" are not.
        let is_of_another = nearest.contains('\'') || is_kind(nearest);
        MY.contains(&nearest) || !is_of_another && at > 1 && is_one_of(at - 2, &MY)
    };
    if (0..end).any(|at| is_text(at) && is_mine(at)) {
        return false;
    }
    let is_pointed_at = |at: usize| {
        (0..at).any(|before| is_one_of(before, &POINTING))
            || (at + 1..end).any(|after| is_one_of(after, &OF) && !is_one_of(after + 1, &["me"]))
    };
    // "The customer complaint:".
    let is_named = |at: usize| {
        at + 1 == end && at.saturating_sub(BETWEEN_MAX) == 0 && is_one_of(0, &DETERMINERS)
    };
    (0..end).any(|at| is_text(at) && (is_pointed_at(at) || is_named(at)))
}

fn asks_for_work(words: &[String]) -> bool {
    (0..words.len()).any(|at| WORK.contains(&word(words, at)) && has_text_as_object(words, at + 1))
}

/// Whether the words from `at` on are a text, or stand for one: "this", "to the email", ":".
fn has_text_as_object(words: &[String], mut at: usize) -> bool {
    while BEFORE_OBJECT.contains(&word(words, at)) {
        at += 1;
    }
    let is_article = DETERMINERS.contains(&word(words, at));
    let object = if is_article { at + 1 } else { at };
    // "Check this out" asks for nothing.
    let is_below = BELOW.contains(&word(words, object)) && word(words, object + 1) != "out";
    let is_text = |at: usize| TEXTS.contains(&word(words, at));
    is_below || word(words, at) == ":" || is_article && (object..=object + BETWEEN_MAX).any(is_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that the message is read up to the mark.
    #[track_caller]
    fn check(message: &str) {
        let (own, rest) = message.split_once('|').unwrap_or((message, ""));
        assert_eq!(before_pasted(&format!("{own}{rest}")), own, "{message:?}");
    }

    #[test]
    fn what_somebody_wrote_or_should_be_worked_on_is_pasted() {
        for message in [
            "My colleague wrote this, please shorten:| I love long meetings.",
            "My colleague has just sent me this:| I love long meetings.",
            "Tea is nice. My boss says:| I love it.",
            "Here is the customer complaint:| I hate your app.",
            "Here's a message from my sister:|\nI hate the tram.",
            "The customer complaint:| I hate your app.",
            "I got this email yesterday:| I love long meetings.",
            "This is my sister's letter:| I live in Rome.",
            "I have a question. Translate the following:| I live in Rome.",
            "Please proofread this email from my sister:| I live in Rome.",
            "Can you reply to this?|\n\nI love long meetings.",
            "Can you reply to the email below|\n\nI love long meetings.",
            "My colleague wrote this.|\n\nI love long meetings.",
            "Meine Kollegin hat das geschrieben, bitte kürzen:| I love long meetings.",
            "Hier ist die Beschwerde einer Kundin:| I hate your app.",
            "Übersetze bitte folgenden Text:| I live in Rome.",
            "Diese Mail habe ich von meiner Chefin bekommen:| I love long meetings.",
            "Meine Schwester schrieb:| I hate the tram.",
            "Traduis cette phrase :| I live in Rome.",
            "Voici la plainte d'un client :| I hate your app.",
            "Mi hermana escribió:| I hate the tram.",
            "Aquí está la queja de un cliente:| I hate your app.",
            "Traduci questa frase:| I live in Rome.",
            "My sister asked what I drink:| I love tea.",
            "Here are the answers:| I love tea.",
            "Check this out:|\nI love tea.",
            "Comment under the video I watched:|\nNice. I hate the tram.",
            "For a role in my play:| Age: 40. I hate the tram.",
            "Model sentences for my pupils:| I live in Rome.",
            "Is this sentence okay:| I live in Rome.",
            "stderr:|\nI love cats",
            "Add a row:| I love salsa.",
            "**Comment of a reader:|** I love salsa.",
            "Here's what the landlady sent, is it fair?|\n\nI prefer cash.",
            "My cousin's dating profile is below. Opinions?|\n\nI love hiking.",
            "The shop's policy, is it legal?|\n\nWe decided to refuse refunds.",
            "Here is what my aunt wrote in her will, condense it.|\n\nI love cats.",
            "Ecco il messaggio di mia sorella:| I hate the tram.",
        ] {
            check(message);
        }
    }

    #[test]
    fn the_owners_own_words_are_not_pasted() {
        for message in [
            "About me: I love tea.",
            "Remember the following: I love tea.",
            "Here is my bio: I love tea.",
            "Here is my last email: I love tea.",
            "I wrote this to her: I love tea.",
            "Here is the email that I sent: I love tea.",
            "As I said: I love tea.",
            "Das habe ich geschrieben: I love tea.",
            "Hier ist meine Nachricht: I love tea.",
            "Contact me by email: I hate calls.",
            "Answer in plain text: I prefer short answers.",
            "Answer in this style: I prefer short answers.",
            "Please shorten your answers: I prefer short ones.",
            "Check this out! I love tea.",
            "We meet at 10:30. I love tea.",
            "Clara sent a record. I love jazz.",
            "My colleague wrote a book.\nI love it.",
            "I love tea. Please translate this.",
            "Diet: no nuts. I love tea.",
            "For context: I love tea.",
            "My food preferences:\n\nI love tea.",
            "I have two rules: I prefer tea.",
            "Where should I hike this weekend?\n\nI love tea.",
            "Is my profile fine?\n\nI love tea.",
            "Translate: ",
            ":",
            "",
            "\n",
            "：",
        ] {
            check(message);
        }
    }

    #[test]
    fn what_others_certainly_wrote_is_not_work_of_the_owner() {
        for message in [
            "Here's a cover letter my colleague Priya wrote, make mine similar:|\n\nI live in Rome.",
            "My friend says:| I love mornings. Is that genetic?",
            "Please proofread this email from my landlady, I don't get it:|\n\nI live in Rome.",
            "Translate to German:| 'I live in Rome with my brother.'",
            "Write a story in which I am a pirate:| I live in Tortuga.",
            "Here's my current code:\n```\nI = my.way\n```|",
            "Rewrite this function:\n```\nI = my.way\n```|",
            "Here's what I have so far: I live in Rome.|",
            "I've decided on three parts: I write the first.|",
            "I want to fix this memory leak?\nI use a cache of my own.|",
            "I'm trying to fix this \"KeyError: 'amount'\" in my handler.|",
            "That looks good, I'll translate it.\n\nFor the tests, I prefer pytest.|",
            "My rules: I drink tea.|",
        ] {
            let (own, rest) = message.split_once('|').unwrap();
            assert_eq!(before_text_of_others(&format!("{own}{rest}")), own, "{message:?}");
        }
    }

    #[test]
    fn requests_for_work_need_a_text() {
        for passage in [
            "Shorten this",
            "kürze die Mail von Ana",
            "please polish: a b",
            "Corrige mi texto",
            "Make this friendlier. I hate it",
            "Is that irony? I love rain",
            "does this sound rude?",
            "Make the following rhyme.",
        ] {
            assert!(is_request_for_work(passage), "{passage}");
        }
        for passage in [
            "Polish food",
            "Shorten your answers",
            "I answer the phone",
            "Check this out",
            "fix",
            "Make this a habit.",
            "Is this restaurant open?",
            "This is funny.",
        ] {
            assert!(!is_request_for_work(passage), "{passage}");
        }
    }
}
