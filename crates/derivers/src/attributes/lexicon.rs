//! The words by which statements about attributes are recognised.

/// Words of which one, or a colon, occurs in every statement that is read, or their beginnings.
#[rustfmt::skip]
pub(super) const CUES: [&str; 113] = [
    "live", "living", "reside", "residing", "based", "moved", "relocate", "work", "employed",
    "started", "is", "new", "now", "changed", "on ", "at ", "take", "like", "love", "enjoy", "eat",
    "drink", "drive", "play", "smok", "wear", "stopped", "are", "bump", "cut", "decrease", "delay",
    "extend", "increase", "lower", "postpone", "pulled", "pushed", "raise", "reduce", "reschedule",
    "shift", "switch", "weigh", "am ", "i'm", "we're", "i’m", "we’re", "been", "longer", "any", "use", "using",
    "migrat", "slipped", "won't", "brought", "gone ", "left", "quit", "retired", "meet", "open",
    "begin", "not ", "turned", "years", "died", "passed", "lost", "resigned", "went", "rose",
    "fell", "dropped", "cancelled", "canceled", "upgrade", "downgrade", "update", "pin", "run",
    "set ", "listen", "was ", "has ", "closed", "fixed", "merged", "resolved", "enabled",
    "disabled", "got ", "reopened", "chose", "abandoned", "ditched", "replaced", "swapped", "sold",
    "have ", "took ", "taken ", "own", "leads", "maintains", "succeeded", "reassigned", "renamed",
    "costs", "closes", "require",
];
/// Ages in words.
#[rustfmt::skip]
pub(super) const NUMBERS: [&str; 20] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
    "twenty",
];
/// Words before the subject that change nothing.
pub(super) const OPENINGS: [&str; 12] =
    ["also", "btw", "fyi", "hello", "hey", "hi", "news", "oh", "ok", "so", "update", "well"];
/// Words that announce, before a colon, that something changed or was wrong.
pub(super) const ANNOUNCING: [&str; 4] = ["correction", "fyi", "news", "update"];
/// Beginnings of sentences that correct what was said.
pub(super) const CORRECTING: [&[&str]; 6] = [
    &["i", "was", "wrong"],
    &["i", "misspoke"],
    &["my", "mistake"],
    &["turns", "out"],
    &["it", "turns", "out"],
    &["it", "turned", "out"],
];
/// Words between a subject and its verb that leave the statement true at present.
#[rustfmt::skip]
pub(super) const AUXILIARIES: [&str; 16] = [
    "actually", "already", "am", "are", "both", "currently", "finally", "has", "have", "is", "just",
    "permanently", "recently", "since", "still", "temporarily",
];
/// Words after "moved" that are not yet the place.
#[rustfmt::skip]
pub(super) const MOVING: [&str; 10] = [
    "apartments", "away", "back", "cities", "countries", "flats", "home", "house", "houses", "out",
];
/// Words after "started" that are not yet the employer.
pub(super) const STARTING: [&str; 6] = ["a", "job", "my", "new", "work", "working"];
/// Words with which a value does not begin.
pub(super) const NO_VALUES: [&str; 24] = [
    "a", "an", "all", "any", "both", "going", "her", "his", "it", "its", "like", "my", "no", "not",
    "our", "so", "some", "that", "the", "their", "this", "too", "very", "your",
];
/// Words that end a value.
pub(super) const VALUE_ENDS: [&str; 24] = [
    "after", "again", "and", "as", "at", "because", "before", "but", "by", "during", "for", "from",
    "in", "last", "next", "on", "once", "since", "so", "this", "today", "until", "when", "with",
];
/// Words of sentences about changes before those that are known, or that were taken back.
pub(super) const OF_THE_PAST: [&[&str]; 8] = [
    &["then", "back"],
    &["before", "that"],
    &["before", "this"],
    &["back", "then"],
    &["originally"],
    &["rolled", "it", "back"],
    &["rolled", "back"],
    &["reverted"],
];
/// Spans of time: somebody who moved for one is to come back.
#[rustfmt::skip]
pub(super) const SPANS: [&str; 16] = [
    "autumn", "day", "days", "fall", "month", "months", "season", "semester", "spring", "summer",
    "week", "weekend", "weeks", "winter", "year", "years",
];
/// Proper names that are not places: "I moved to Python".
#[rustfmt::skip]
pub(super) const NO_PLACES: [&str; 47] = [
    "android", "aws", "azure", "discord", "docker", "figma", "gcp", "github", "gitlab", "gmail",
    "go", "golang", "ios", "iphone", "java", "javascript", "jira", "kafka", "kotlin", "kubernetes",
    "linear", "mongodb", "mysql", "netflix", "notion", "obsidian", "outlook", "php", "plan",
    "postgres", "postgresql", "python", "redis", "ruby", "rust", "scala", "signal", "slack",
    "spotify", "sqlite", "swift", "team", "teams", "telegram", "typescript", "version", "whatsapp",
];
/// Words after "for", "in" and the like by which something is limited to nothing.
#[rustfmt::skip]
pub(super) const FOR_ALL: [&str; 16] = [
    "all", "end", "everybody", "everyone", "everything", "general", "good", "last", "me", "moment",
    "now", "once", "present", "safety", "us", "you",
];
/// Words that do not occur in the name of a thing.
#[rustfmt::skip]
pub(super) const NOT_NAMED: [&str; 36] = [
    "a", "above", "an", "and", "as", "at", "below", "but", "everything", "he", "her", "him", "i",
    "in", "it", "it's", "me", "of", "on", "per", "she", "so", "than", "that", "that's", "them",
    "there", "they", "this", "to", "us", "we", "what", "when", "which", "you",
];
/// Words of plans and conditions, by which a change has not happened yet.
#[rustfmt::skip]
pub(super) const NOT_YET: [&str; 15] = [
    "after", "before", "going", "i'll", "must", "need", "once", "plan", "planned", "shall", "try",
    "until", "we'll", "when", "will",
];
/// Words in the names of places at which somebody starts something else than work.
pub(super) const NO_EMPLOYERS: [&str; 9] =
    ["academy", "club", "college", "gare", "gym", "school", "station", "studio", "university"];
/// The days of the week.
pub(super) const WEEKDAYS: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
/// The months.
#[rustfmt::skip]
pub(super) const MONTHS: [&str; 12] = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
];
/// Both: proper names of times, so that "moved to Monday" does not name a place.
pub const TIMES: [&str; 19] = {
    let mut times = [""; WEEKDAYS.len() + MONTHS.len()];
    let (weekdays, months) = times.split_at_mut(WEEKDAYS.len());
    weekdays.copy_from_slice(&WEEKDAYS);
    months.copy_from_slice(&MONTHS);
    times
};
/// Those of whom somebody has one at a time, so that a new one takes the place of the old.
#[rustfmt::skip]
pub(super) const ONE_AT_A_TIME: [&str; 31] = [
    "accountant", "barber", "boss", "boyfriend", "cleaner", "coach", "dentist", "doctor",
    "electrician", "employer", "fiancé", "fiancée", "girlfriend", "gp", "hairdresser", "husband",
    "landlady", "landlord", "lawyer", "manager", "mechanic", "nanny", "optician", "paediatrician",
    "partner", "pediatrician", "plumber", "supervisor", "therapist", "vet", "wife",
];
/// Numbers and addresses that a note means to be the speaker's.
pub(super) const OWN_NUMBERS: [&str; 6] =
    ["address", "e-mail", "email", "mobile", "number", "phone"];
/// What addresses of houses are called.
pub(super) const HOMES: [&str; 5] = ["home", "postal", "private", "street", "mailing"];
/// What numbers of telephones are called.
pub(super) const PHONES: [&str; 5] = ["phone", "telephone", "mobile", "cell", "tel"];
/// Words after the name of something new that say why.
pub(super) const NEW_FOR: [&str; 5] = ["because", "due", "for", "from", "since"];
/// Words before the name of an attribute by which it is another one than the present.
pub(super) const OTHERS: [&str; 10] =
    ["first", "former", "future", "last", "next", "old", "other", "previous", "second", "third"];
/// Beginnings of clauses that name nobody.
pub(super) const NOBODY: [&str; 18] = [
    "he", "she", "it", "they", "you", "this", "that", "there", "who", "what", "where", "if",
    "when", "the", "a", "an", "both", "all",
];
