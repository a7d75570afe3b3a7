//! The word lists of [`stated`](super::stated): words that make a sentence doubtful, words that
//! depend on context, words that may be skipped.

/// A sentence without any of these is not parsed.
#[rustfmt::skip]
pub(super) const CUES: [&str; 28] = [
    "prefer", "like", "love", "enjoy", "adore", "favo", "hate", "stand ", "detest", "loathe", "despise", "bear ",
    "rather", "fan of", "care for", "fond of", "person", "night owl", "early bird", "dislike",
    "any longer", "any more", "anymore", "gave up", "given up", "no longer", "quit", "stopped",
];

/// A sentence with one of these is a report, a guess, a condition, a wish, in the past, or a joke.
#[rustfmt::skip]
pub(super) const DOUBTFUL: [&str; 64] = [
    "if", "unless", "whether", "would", "might", "maybe", "perhaps", "probably", "possibly", "guess", "suppose",
    "supposedly", "imagine", "pretend", "wish", "hope", "wonder", "could", "should", "says", "said", "say",
    "saying", "told", "tells", "asked", "asks", "thinks", "thought", "claims", "claimed", "believes", "assumes",
    "knows", "quote", "quotes", "quoted", "used", "once", "previously", "formerly", "when", "whenever", "until",
    "oh", "wow", "yay", "sarcasm", "sarcastic", "kidding", "joking", "joke", "lol", "haha", "not", "hypothetically",
    "character", "wrote", "lyrics", "story", "somebody", "he'd", "according",
    "theory",
];

/// Words that may precede a statement in its clause.
#[rustfmt::skip]
pub(super) const OPENINGS: [&str; 36] = [
    "and", "but", "so", "well", "yes", "yeah", "no", "honestly", "actually", "personally", "also", "anyway",
    "generally", "because", "since", "fyi", "btw", "note", "remember", "please", "that", "though", "although",
    "while", "overall", "usually", "basically", "frankly", "hi", "hello", "hey", "thanks", "ps", "myself", "for",
    "me",
];

/// Phrases that may precede one.
pub(super) const OPENING_PHRASES: [&[&str]; 5] =
    [&["these", "days"], &["from", "now", "on"], &["at", "the", "moment"], &["nowadays"], &["now"]];

/// Words between "I" and the verb that do not change the meaning.
#[rustfmt::skip]
pub(super) const ADVERBS: [&str; 19] = [
    "really", "absolutely", "generally", "usually", "also", "still", "much", "strongly", "definitely", "personally",
    "do", "truly", "particularly", "especially", "always", "very", "simply",
    "now", "actually",
];

/// An object with one of these depends on the context or on one point in time.
#[rustfmt::skip]
pub(super) const POINTING: [&str; 104] = [
    "it", "its", "it's", "this", "that", "that's", "these", "those", "you", "your", "yours", "you're", "he", "she",
    "him", "her", "his", "hers", "them", "their", "they", "they're", "we", "us", "our", "i", "i'm", "i'd", "me",
    "my", "mine", "here", "there", "one", "ones", "option", "idea", "ideas", "plan", "version", "approach",
    "suggestion", "proposal", "way", "part", "sound", "look", "looks", "draft", "first", "second", "third", "last",
    "next", "latter", "former", "other", "another", "today", "tonight", "tomorrow", "yesterday", "now", "how",
    "what", "where", "why", "who", "which", "whose", "said", "both", "either", "neither", "same", "such", "above",
    "below", "left", "right", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "up",
    "better", "worse", "again", "already", "yet", "sometimes", "occasionally", "theyre", "thats", "hes", "shes",
    "youre", "im", "ive", "dont", "cant",
];

/// An object that is one of these, or starts with one, is too vague.
#[rustfmt::skip]
pub(super) const VAGUE: [&str; 44] = [
    "everything", "nothing", "something", "anything", "thing", "things", "stuff", "most", "none", "each", "many",
    "much", "more", "less", "some", "people", "someone", "everyone", "everybody", "anyone", "all", "enough", "lots",
    "to", "being", "having", "getting", "not", "no", "yes", "only", "just", "and", "or", "but", "so", "too", "very",
    "best", "kind", "be", "fact", "foo", "bar",
];

/// Verbs with which no thing begins: after "I like" a word was left out.
#[rustfmt::skip]
pub(super) const BARE_VERBS: [&str; 14] = [
    "have", "has", "had", "see", "use", "make", "get", "do", "did", "go", "keep", "put", "take", "know",
];

/// Phrases that may follow an object without being part of it; longest first.
#[rustfmt::skip]
pub(super) const TAILS: [&[&str]; 32] = [
    &["from", "now", "on"], &["at", "the", "moment"], &["now"], &["nowadays"], &["currently"],
    &["more", "than", "anything"], &["so", "very", "much"], &["more", "and", "more"], &["any", "day"],
    &["of", "all"], &["these", "days"], &["very", "much"], &["so", "much"],
    &["the", "most"], &["the", "best"], &["as", "well"], &["in", "general"], &["a", "lot"], &["at", "all"],
    &["any", "more"], &["of", "course"], &["too"], &["most"], &["best"], &["though"], &["anyway"], &["instead"],
    &["anymore"], &["really"], &["even", "more"], &["more"], &["etc"],
];

/// Words before an object that are not part of it.
#[rustfmt::skip]
pub(super) const ARTICLES: [&str; 5] = [
    "a", "an", "any", "the", "some",
];

/// Those without which a statement would read wrongly: "You like good book".
pub(super) const WORDED_ARTICLES: [&str; 3] = ["a", "an", "the"];

/// Words after a verb in -ing that give it another sense: "running out of milk", "driving people
/// crazy".
#[rustfmt::skip]
pub(super) const PARTICLES: [&str; 16] = [
    "away", "out", "off", "over", "behind", "into", "from", "after", "against", "back", "down", "late", "low",
    "short", "wild", "people",
];

/// Nouns that are general even after "the": "I love the sea" is about any sea, "I love the colour"
/// about one.
#[rustfmt::skip]
pub(super) const EVERYWHERE: [&str; 24] = [
    "sea", "ocean", "beach", "mountain", "mountains", "countryside", "city", "forest", "cold", "heat", "rain", "snow",
    "sun", "train", "bus", "tram", "ferry", "cinema", "gym", "opera", "quiet", "silence", "winter", "summer",
];

/// Verbs between "I'd rather" and the object.
#[rustfmt::skip]
pub(super) const RATHER_VERBS: [&str; 14] = [
    "have", "drink", "eat", "take", "use", "read", "watch", "play", "get", "order", "visit", "listen", "go", "do",
];

/// Words that compare.
pub(super) const COMPARISONS: [&str; 5] = ["than", "over", "rather", "instead", "to"];

/// Pairs that are one thing.
#[rustfmt::skip]
pub(super) const COMPOUNDS: [&str; 12] = [
    "mac and cheese", "fish and chips", "rock and roll", "gin and tonic", "salt and vinegar", "bread and butter",
    "bacon and eggs", "ham and eggs", "black and white", "sweet and sour", "arts and crafts", "rhythm and blues",
];

/// Verbs that start another clause after "and": "I love pizza and hate fish".
#[rustfmt::skip]
pub(super) const VERBS: [&str; 16] = [
    "prefer", "like", "love", "enjoy", "adore", "hate", "detest", "loathe", "despise", "dislike", "don't", "can't", "cannot",
    "am", "have", "want",
];

/// Words that start a question after a statement.
#[rustfmt::skip]
pub(super) const QUESTIONS: [&str; 24] = [
    "can", "could", "would", "will", "should", "what", "what's", "which", "where", "when", "who", "how", "why", "do", "does",
    "is", "are", "any", "so", "and", "have", "shall", "may", "did",
];

/// Words with which no item of a list begins, beside the openings, adverbs and verbs of statements.
#[rustfmt::skip]
pub(super) const NOT_ITEMS: [&str; 24] = [
    "with", "without", "in", "on", "at", "for", "from", "by", "than", "like", "as", "because", "if", "except", "beside",
    "besides", "including", "please", "right", "ok", "okay", "vice", "sorry", "cheers",
];

/// Adjectives that the lexicon knows as the names of things, beside those of the environment.
#[rustfmt::skip]
pub(super) const ADJECTIVES: [&str; 6] = [
    "classical", "comic", "horror", "musical", "sweet", "vegetarian",
];
