//! The words of mining: cues by language, openings that may stand before them, and words that make
//! a sentence doubtful.

/// Actors that are programs.
#[rustfmt::skip]
const PROGRAMS: [&str; 12] = [
    "assistant", "system", "tool", "agent", "ai", "bot", "chatgpt", "gpt", "claude", "gemini", "copilot", "model",
];

/// Whether an actor's name is that of a program.
pub(super) fn is_program(actor: &str) -> bool {
    let actor = actor.trim().to_lowercase();
    PROGRAMS.contains(&actor.as_str())
}

/// Single words that may stand before a cue.
#[rustfmt::skip]
pub(super) const OPENINGS: [&str; 54] = [
    "and", "but", "so", "then", "okay", "ok", "kay", "yeah", "yes", "yep", "well", "um", "uh", "alright", "right", "also", "now",
    "anyway", "finally", "therefore", "thus", "hence", "instead", "btw", "fyi", "note", "remember", "please", "again",
    "today", "yesterday", "ultimately", "eventually", "overall", "basically", "hi", "hello", "hey", "thanks", "plus",
    "additionally", "furthermore", "consequently", "accordingly", "und", "dann", "bitte",
    "et", "donc", "alors", "y", "entonces", "pues", "importantly",
];

/// Words that begin a phrase which ends with a comma and may stand before a cue: "at the meeting,".
#[rustfmt::skip]
pub(super) const PHRASE_OPENINGS: [&str; 24] = [
    "in", "at", "on", "after", "during", "for", "last", "this", "per", "following", "given", "with", "as", "due", "today",
    "yesterday", "based", "nach", "im", "am", "bei", "après", "en", "tras",
];

/// Most words of such a phrase.
pub(super) const PHRASE_WORDS_MAX: usize = 10;

/// Words in such a phrase that make it a condition or a report.
#[rustfmt::skip]
pub(super) const PHRASE_DOUBTS: [&str; 14] = [
    "if", "when", "once", "unless", "whether", "case", "said", "says", "told", "reported", "wenn", "falls", "si", "quand",
];

/// What at the end of a sentence takes it back.
#[rustfmt::skip]
pub(super) const TAIL_DOUBTS: [&str; 20] = [
    "i think", "i guess", "i suppose", "i believe", "i assume", "or something", "or whatever", "maybe", "perhaps", "probably",
    "not sure", "just kidding", "haha", "lol", "right", "if i remember", "if i recall", "as far as i know", "or not", "jk",
];

/// Words in a sentence that make it doubtful wherever they stand.
#[rustfmt::skip]
pub(super) const DOUBTS: [&str; 25] = [
    "maybe", "perhaps", "probably", "possibly", "supposedly", "allegedly", "apparently", "hypothetically", "pretend",
    "imagine", "suppose", "wish", "wonder", "joking", "kidding", "lol", "haha", "vielleicht", "wahrscheinlich",
    "angeblich", "peut-être", "probablement", "quizás", "quizá", "probablemente",
];

/// Who decides, as the subject of a sentence: those that speak of themselves as a group.
pub(super) const GROUPS: [&[&str]; 19] = [
    &["we"],
    &["group"],
    &["we", "all"],
    &["we", "both"],
    &["we've"],
    &["the", "team"],
    &["the", "group"],
    &["the", "committee"],
    &["the", "board"],
    &["the", "tsc"],
    &["the", "working", "group"],
    &["the", "council"],
    &["the", "project"],
    &["the", "maintainers"],
    &["tsc"],
    &["everyone"],
    &["everybody"],
    &["our", "team"],
    &["the", "family"],
];

/// Words between the subject and the verb of a decision.
#[rustfmt::skip]
pub(super) const DECISION_ADVERBS: [&str; 19] = [
    "have", "has", "all", "also", "just", "now", "finally", "already", "both", "then", "therefore", "eventually",
    "ultimately", "recently", "unanimously", "generally", "jointly", "collectively", "together",
];

/// Verbs of decisions, each with the words of which one has to follow; any if there are none.
pub(super) const DECISIONS: [(&str, &[&str]); 12] = [
    ("decided", &["to", "on", "that", "against", "not", "we", "it", "upon", "the", "in", "for"]),
    ("agreed", &["to", "on", "that", "not", "we", "upon"]),
    ("resolved", &["to", "that", "not"]),
    ("chose", &["to", "not", "the", "a", "an"]),
    ("chosen", &["to", "not", "the", "a", "an"]),
    ("opted", &["to", "for", "not", "against"]),
    ("voted", &["to", "for", "against", "in"]),
    ("settled", &["on", "upon"]),
    ("concluded", &["that", "we"]),
    ("approved", &[]),
    ("adopted", &["the", "a", "an"]),
    ("rejected", &["the", "a", "an"]),
];

/// Impersonal decisions, at the start of a clause.
pub(super) const IMPERSONAL_DECISIONS: [&[&str]; 17] = [
    &["it", "was", "decided", "to"],
    &["it", "was", "decided", "that"],
    &["it", "was", "decided", "not"],
    &["it", "was", "agreed", "to"],
    &["it", "was", "agreed", "that"],
    &["it", "has", "been", "decided"],
    &["it", "has", "been", "agreed"],
    &["consensus", "was", "to"],
    &["consensus", "was", "that"],
    &["the", "consensus", "was"],
    &["the", "consensus", "is", "to"],
    &["consensus", "is", "to"],
    &["agreement", "to"],
    &["the", "decision", "was", "to"],
    &["the", "decision", "is", "to"],
    &["the", "decision", "was", "made", "to"],
    &["a", "decision", "was", "made", "to"],
];

/// Labels after which the rest of the line states something.
pub(super) const DECISION_LABELS: [&str; 10] = [
    "decision",
    "decisions",
    "decided",
    "agreed",
    "resolution",
    "resolved",
    "entscheidung",
    "beschluss",
    "décision",
    "decisión",
];

/// Whether a word before a colon says what the line states.
pub(super) fn is_label(word: &str) -> bool {
    DECISION_LABELS.contains(&word) || matches!(word, "rule" | "goal" | "deadline")
}

/// Decisions in other languages: how the clause begins, and a word of which one has to follow.
pub(super) const FOREIGN_DECISIONS: [(&[&str], &[&str]); 16] = [
    (&["wir", "haben"], &["entschieden", "beschlossen", "vereinbart", "geeinigt", "festgelegt"]),
    (&["wir", "beschließen"], &[]),
    (&["es", "wurde"], &["entschieden", "beschlossen", "vereinbart"]),
    (&["nous", "avons"], &["décidé", "convenu", "choisi", "adopté"]),
    (&["on", "a", "décidé"], &[]),
    (&["on", "a", "convenu"], &[]),
    (&["il", "a", "été", "décidé"], &[]),
    (&["il", "a", "été", "convenu"], &[]),
    (&["hemos", "decidido"], &[]),
    (&["hemos", "acordado"], &[]),
    (&["decidimos"], &[]),
    (&["acordamos"], &[]),
    (&["se", "decidió"], &[]),
    (&["se", "acordó"], &[]),
    (&["se", "ha", "decidido"], &[]),
    (&["se", "ha", "acordado"], &[]),
];

/// The owner's own decisions.
pub(super) const FOREIGN_OWN_DECISIONS: [(&[&str], &[&str]); 3] = [
    (&["ich", "habe"], &["entschieden", "beschlossen"]),
    (&["j'ai", "décidé"], &[]),
    (&["he", "decidido"], &[]),
];

/// Words that deny in other languages, or make the sentence a question.
#[rustfmt::skip]
pub(super) const FOREIGN_DOUBTS: [&str; 17] = [
    "nicht", "noch", "nie", "ob", "wenn", "falls", "pas", "jamais", "si", "aucun", "encore", "no", "nunca", "todavía", "aún", "cuando",
    "quand",
];

/// How a standing rule begins.
pub(super) const RULE_OPENINGS: [&[&str]; 15] = [
    &["from", "now", "on"],
    &["from", "here", "on"],
    &["going", "forward"],
    &["ab", "jetzt"],
    &["ab", "sofort"],
    &["von", "nun", "an"],
    &["in", "zukunft"],
    &["künftig"],
    &["désormais"],
    &["dorénavant"],
    &["à", "partir", "de", "maintenant"],
    &["a", "partir", "de", "ahora"],
    &["de", "ahora", "en", "adelante"],
    &["en", "adelante"],
    &["as", "a", "rule"],
];

/// Words of an instruction: the verb follows.
#[rustfmt::skip]
pub(super) const IMPERATIVES: [&str; 8] = [
    "always", "never", "immer", "niemals", "toujours", "siempre", "nunca", "jamais",
];

/// Words after "always" and "never" with which it is not an instruction.
#[rustfmt::skip]
pub(super) const NOT_INSTRUCTED: [&str; 69] = [
    "mind", "been", "a", "an", "the", "again", "heard", "seen", "knew", "thought", "wanted", "had", "have", "has", "was",
    "is", "are", "were", "happy", "good", "great", "nice", "glad", "fun", "loved", "liked", "wondered", "ever", "in", "on",
    "before", "really", "did", "does", "would", "could", "will", "gonna", "going", "there", "something", "somebody",
    "someone", "said", "chose", "went", "made", "took", "got", "gave", "found", "kept", "came", "my", "your", "his", "her", "their", "our", "i", "you", "he", "she", "it", "we", "they", "that", "this", "too",
];

/// Words before "must" that make its clause a part of another.
#[rustfmt::skip]
pub(super) const SUBORDINATE: [&str; 16] = [
    "that", "which", "who", "how", "why", "since", "because", "while", "although", "though", "if", "whether", "when", "unless",
    "until", "where",
];

/// What makes a habit, after its subject.
pub(super) const ALWAYS: [&str; 2] = ["always", "never"];

/// Verbs after "must" that state no requirement.
#[rustfmt::skip]
pub(super) const NOT_REQUIRED: [&str; 34] = [
    "say", "admit", "confess", "have", "feel", "know", "think", "seem", "look", "sound", "mean", "remember", "stress", "wonder",
    "love", "hate", "like", "want", "agree", "apologize", "apologise", "recognise", "recognize", "acknowledge", "come",
    "go", "see", "take", "get", "emphasise", "ask", "move", "find", "read",
];

/// What after "must be" and before a number sets a limit.
pub(super) const LIMITS: [&[&str]; 12] = [
    &["below"],
    &["above"],
    &["under"],
    &["over"],
    &["within"],
    &["between"],
    &["at", "least"],
    &["at", "most"],
    &["less", "than"],
    &["more", "than"],
    &["no", "more", "than"],
    &["exactly"],
];

/// Most words from there to the number, with it.
pub(super) const LIMIT_WORDS_MAX: usize = 2;

/// Words before "must" that point elsewhere.
#[rustfmt::skip]
pub(super) const POINTING: [&str; 28] = [
    "it", "that", "this", "there", "he", "she", "they", "these", "those", "you", "i", "which", "who", "what", "one", "something",
    "someone", "somebody", "so", "as", "how", "why", "if", "a", "the", "and", "or", "but",
];

/// Words that show a date.
#[rustfmt::skip]
pub(super) const DATE_WORDS: [&str; 40] = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january", "february", "march", "april",
    "may", "june", "july", "august", "september", "october", "november", "december", "tomorrow", "tonight", "today",
    "noon", "midnight", "week", "month", "montag", "dienstag", "mittwoch", "donnerstag", "freitag", "lundi", "mardi",
    "mercredi", "jeudi", "vendredi", "lunes", "martes", "jueves", "viernes",
];

/// How a goal begins.
pub(super) const GOALS: [&[&str]; 15] = [
    &["our", "goal", "is"],
    &["the", "goal", "is", "to"],
    &["our", "aim", "is"],
    &["the", "aim", "is", "to"],
    &["our", "target", "is"],
    &["our", "objective", "is"],
    &["the", "plan", "is", "to"],
    &["goal", "is"],
    &["goal", "to"],
    &["goal", "of"],
    &["unser", "ziel", "ist"],
    &["notre", "objectif", "est"],
    &["nuestro", "objetivo", "es"],
    &["we", "aim", "to"],
    &["our", "goals", "are"],
];

/// How the owner's own goal begins.
pub(super) const OWN_GOALS: [&[&str]; 6] = [
    &["my", "goal", "is"],
    &["my", "aim", "is"],
    &["my", "target", "is"],
    &["mein", "ziel", "ist"],
    &["mon", "objectif", "est"],
    &["mi", "objetivo", "es"],
];

/// How a preference of a group begins.
pub(super) const PREFERENCES: [&[&str]; 4] =
    [&["we", "prefer"], &["wir", "bevorzugen"], &["nous", "préférons"], &["preferimos"]];

/// How the owner's own preference begins.
pub(super) const OWN_PREFERENCES: [&[&str]; 8] = [
    &["i", "prefer"],
    &["i'd", "prefer"],
    &["i'd", "rather"],
    &["i", "would", "rather"],
    &["i", "strongly", "prefer"],
    &["ich", "bevorzuge"],
    &["je", "préfère"],
    &["prefiero"],
];

/// Words that say nothing by themselves: a statement needs others after its cue.
#[rustfmt::skip]
pub(super) const EMPTY: [&str; 96] = [
    "a", "an", "the", "to", "on", "that", "this", "it", "its", "of", "for", "in", "at", "with", "and", "or", "but", "so", "be", "is",
    "are", "was", "were", "do", "did", "done", "doing", "does", "not", "we", "i", "you", "he", "she", "they", "them", "us", "our",
    "my", "your", "one", "ones", "there", "here", "these", "those", "thing", "things", "something", "anything", "everything",
    "what", "which", "then", "now", "just", "also", "really", "all", "go", "going", "get", "have", "has", "had", "would", "should",
    "could", "can", "will", "from", "by", "as", "too", "again", "well", "um", "uh", "yeah", "okay", "like", "way", "same",
    "any", "some", "it's", "that's", "against", "until", "make", "made", "upon", "together", "their", "his", "her",
];

/// What makes a sentence a request, whatever else it says.
#[rustfmt::skip]
pub(super) const REQUESTS: [&str; 14] = [
    "can you", "could you", "would you", "will you", "how can i", "how do i", "how should i", "what should", "should i ", "help me",
    "i need help", "do you think", "is there a way", "any tips",
];

/// Words after which a clause is somebody's report or opinion.
#[rustfmt::skip]
pub(super) const REPORTS: [&str; 26] = [
    "think", "thinks", "thought", "said", "says", "say", "told", "tells", "believe", "believes", "guess", "heard", "asked", "asks",
    "claims", "claimed", "assume", "assumed", "seems", "remember", "recall", "hope", "hoping", "should", "would", "could",
];

/// How a clause begins that asks or doubts, and ends what is stated before it.
pub(super) const DOUBTFUL_CLAUSES: [&[&str]; 12] = [
    &["i'm", "wondering"],
    &["i", "am", "wondering"],
    &["i'm", "not", "sure"],
    &["i", "am", "not", "sure"],
    &["i'm", "hoping"],
    &["i'm", "worried"],
    &["i'm", "kinda"],
    &["i'm", "concerned"],
    &["i", "was", "wondering"],
    &["i", "wonder"],
    &["i", "want", "to", "make", "sure"],
    &["i", "need", "to"],
];

/// Openings of rules that are also used of what merely comes next.
pub(super) const VAGUE_RULES: [&[&str]; 4] =
    [&["going", "forward"], &["in", "zukunft"], &["künftig"], &["en", "adelante"]];

/// Subjects and verbs with which such an opening makes a rule.
#[rustfmt::skip]
pub(super) const RULE_SUBJECTS: [&str; 14] = [
    "we", "all", "every", "each", "please", "always", "never", "no", "only", "use", "do", "don't", "wir", "alle",
];

/// Verbs after "decided to" that begin an attempt: nothing is settled by it.
#[rustfmt::skip]
pub(super) const TRIES: [&str; 15] = [
    "try", "see", "figure", "look", "check", "ask", "attempt", "dig", "take", "have", "find", "explore", "investigate",
    "experiment", "research",
];
