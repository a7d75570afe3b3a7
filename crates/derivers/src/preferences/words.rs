//! The words that [`stated`](super::stated) tells from what is liked: what makes a sentence
//! doubtful, what points at something at hand, what may be left out.

/// One of these has to occur, or nothing is read.
#[rustfmt::skip]
pub(super) const CUES: [&str; 20] = [
    "prefer", "like", "love", "enjoy", "adore", "favo", "hate", "stand ", "detest", "loathe", "despise", "bear ",
    "rather", "fan of", "care for", "fond of", "person", "night owl", "early bird", "dislike",
];

/// With one of these in it, a sentence is a report, a guess, a condition, a wish, past, or a joke.
#[rustfmt::skip]
pub(super) const DOUBTFUL: [&str; 62] = [
    "if", "unless", "whether", "would", "might", "maybe", "perhaps", "probably", "possibly", "guess", "suppose",
    "supposedly", "imagine", "pretend", "wish", "hope", "wonder", "could", "should", "says", "said", "say",
    "saying", "told", "tells", "asked", "asks", "thinks", "thought", "claims", "claimed", "believes", "assumes",
    "knows", "quote", "quotes", "quoted", "used", "once", "previously", "formerly", "when", "whenever", "until",
    "oh", "wow", "yay", "sarcasm", "sarcastic", "kidding", "joking", "joke", "lol", "haha", "not", "hypothetically",
    "character", "wrote", "lyrics", "story", "somebody", "he'd",
];

/// Words with which a clause may begin before it comes to the point.
#[rustfmt::skip]
pub(super) const OPENINGS: [&str; 36] = [
    "and", "but", "so", "well", "yes", "yeah", "no", "honestly", "actually", "personally", "also", "anyway",
    "generally", "because", "since", "fyi", "btw", "note", "remember", "please", "that", "though", "although",
    "while", "overall", "usually", "basically", "frankly", "hi", "hello", "hey", "thanks", "ps", "myself", "for",
    "me",
];

/// Words between "I" and the verb that leave the meaning.
#[rustfmt::skip]
pub(super) const ADVERBS: [&str; 17] = [
    "really", "absolutely", "generally", "usually", "also", "still", "much", "strongly", "definitely", "personally",
    "do", "truly", "particularly", "especially", "always", "very", "simply",
];

/// An object that holds one of these points at something at hand, or at one time.
#[rustfmt::skip]
pub(super) const POINTING: [&str; 95] = [
    "it", "its", "it's", "this", "that", "that's", "these", "those", "you", "your", "yours", "you're", "he", "she",
    "him", "her", "his", "hers", "them", "their", "they", "they're", "we", "us", "our", "i", "i'm", "i'd", "me",
    "my", "mine", "here", "there", "one", "ones", "option", "idea", "ideas", "plan", "version", "approach",
    "suggestion", "proposal", "way", "part", "sound", "look", "looks", "draft", "first", "second", "third", "last",
    "next", "latter", "former", "other", "another", "today", "tonight", "tomorrow", "yesterday", "now", "how",
    "what", "where", "why", "who", "which", "whose", "said", "both", "either", "neither", "same", "such", "above",
    "below", "left", "right", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "up",
    "better", "worse", "again", "already", "yet", "sometimes", "occasionally",
];

/// An object that is one of these, or begins with it, says nothing.
#[rustfmt::skip]
pub(super) const VAGUE: [&str; 41] = [
    "everything", "nothing", "something", "anything", "thing", "things", "stuff", "most", "none", "each", "many",
    "much", "more", "less", "some", "people", "someone", "everyone", "everybody", "anyone", "all", "enough", "lots",
    "to", "being", "having", "getting", "not", "no", "yes", "only", "just", "and", "or", "but", "so", "too", "very",
    "best", "kind", "be",
];

/// What may follow an object without being part of it; longest first.
#[rustfmt::skip]
pub(super) const TAILS: [&[&str]; 24] = [
    &["more", "than", "anything"], &["so", "very", "much"], &["more", "and", "more"], &["any", "day"],
    &["of", "all"], &["these", "days"], &["very", "much"], &["so", "much"],
    &["the", "most"], &["the", "best"], &["as", "well"], &["in", "general"], &["a", "lot"], &["at", "all"],
    &["any", "more"], &["of", "course"], &["too"], &["most"], &["best"], &["though"], &["anyway"], &["instead"],
    &["anymore"], &["really"],
];

/// Before the object.
#[rustfmt::skip]
pub(super) const ARTICLES: [&str; 5] = [
    "a", "an", "any", "the", "some",
];

/// What "the" does not point at: "I love the sea" is about any sea, "I love the colour" about one.
#[rustfmt::skip]
pub(super) const EVERYWHERE: [&str; 24] = [
    "sea", "ocean", "beach", "mountain", "mountains", "countryside", "city", "forest", "cold", "heat", "rain", "snow",
    "sun", "train", "bus", "tram", "ferry", "cinema", "gym", "opera", "quiet", "silence", "winter", "summer",
];

/// Verbs before what "I'd rather" is about.
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

/// After "and" they begin something else: "I love pizza and hate fish".
#[rustfmt::skip]
pub(super) const VERBS: [&str; 16] = [
    "prefer", "like", "love", "enjoy", "adore", "hate", "detest", "loathe", "despise", "dislike", "don't", "can't", "cannot",
    "am", "have", "want",
];

/// With one of these a question begins after a statement.
#[rustfmt::skip]
pub(super) const QUESTIONS: [&str; 24] = [
    "can", "could", "would", "will", "should", "what", "what's", "which", "where", "when", "who", "how", "why", "do", "does",
    "is", "are", "any", "so", "and", "have", "shall", "may", "did",
];
