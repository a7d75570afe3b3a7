//! The kinds of relationship that the owner can state, and the words for each.

/// A word for a kind: its singular, its plural, and the kind. A form that is not recognised is
/// empty: "my child Component" and "my parent Window" are about programs.
struct Term(&'static str, &'static str, &'static str);

const TERMS: [Term; 77] = [
    Term("mother", "mothers", "mother"),
    Term("mom", "moms", "mother"),
    Term("mum", "mums", "mother"),
    Term("mommy", "", "mother"),
    Term("mummy", "", "mother"),
    Term("father", "fathers", "father"),
    Term("dad", "dads", "father"),
    Term("daddy", "", "father"),
    Term("", "parents", "parent"),
    Term("sister", "sisters", "sister"),
    Term("brother", "brothers", "brother"),
    Term("sibling", "siblings", "sibling"),
    Term("daughter", "daughters", "daughter"),
    Term("son", "sons", "son"),
    Term("", "children", "child"),
    Term("kid", "kids", "child"),
    Term("wife", "", "wife"),
    Term("husband", "", "husband"),
    Term("hubby", "", "husband"),
    Term("spouse", "", "spouse"),
    Term("partner", "partners", "partner"),
    Term("girlfriend", "", "girlfriend"),
    Term("boyfriend", "", "boyfriend"),
    Term("fiancé", "", "fiance"),
    Term("fiancée", "", "fiance"),
    Term("fiance", "", "fiance"),
    Term("fiancee", "", "fiance"),
    Term("grandmother", "grandmothers", "grandmother"),
    Term("grandma", "grandmas", "grandmother"),
    Term("granny", "", "grandmother"),
    Term("grandfather", "grandfathers", "grandfather"),
    Term("grandpa", "grandpas", "grandfather"),
    Term("granddad", "", "grandfather"),
    Term("grandson", "grandsons", "grandson"),
    Term("granddaughter", "granddaughters", "granddaughter"),
    Term("aunt", "aunts", "aunt"),
    Term("auntie", "aunties", "aunt"),
    Term("uncle", "uncles", "uncle"),
    Term("cousin", "cousins", "cousin"),
    Term("niece", "nieces", "niece"),
    Term("nephew", "nephews", "nephew"),
    Term("friend", "friends", "friend"),
    Term("buddy", "buddies", "friend"),
    Term("pal", "pals", "friend"),
    Term("bestie", "besties", "friend"),
    Term("colleague", "colleagues", "colleague"),
    Term("coworker", "coworkers", "colleague"),
    Term("co-worker", "co-workers", "colleague"),
    Term("workmate", "workmates", "colleague"),
    Term("teammate", "teammates", "colleague"),
    Term("boss", "bosses", "boss"),
    Term("manager", "managers", "boss"),
    Term("supervisor", "supervisors", "boss"),
    Term("neighbour", "neighbours", "neighbour"),
    Term("neighbor", "neighbors", "neighbour"),
    Term("roommate", "roommates", "roommate"),
    Term("flatmate", "flatmates", "roommate"),
    Term("housemate", "housemates", "roommate"),
    Term("classmate", "classmates", "classmate"),
    Term("dentist", "", "dentist"),
    Term("doctor", "doctors", "doctor"),
    Term("gp", "", "doctor"),
    Term("physician", "", "doctor"),
    Term("therapist", "", "therapist"),
    Term("teacher", "teachers", "teacher"),
    Term("coach", "coaches", "coach"),
    Term("trainer", "trainers", "coach"),
    Term("mentor", "mentors", "mentor"),
    Term("landlord", "", "landlord"),
    Term("landlady", "", "landlord"),
    Term("lawyer", "lawyers", "lawyer"),
    Term("solicitor", "", "lawyer"),
    Term("accountant", "", "accountant"),
    Term("hairdresser", "", "hairdresser"),
    Term("barber", "", "hairdresser"),
    Term("vet", "", "vet"),
    Term("student", "students", "student"),
];

/// Words that may occur between "my" and the kind. "former", "late" and "ex" are not among them:
/// that relationship is over.
#[rustfmt::skip]
pub(super) const ADJECTIVES: [&str; 22] = [
    "little", "big", "older", "younger", "elder", "eldest", "oldest", "youngest", "twin", "best", "dear", "dearest",
    "good", "close", "closest", "new", "beloved", "lovely", "baby", "only", "amazing", "wonderful",
];

/// The kinds of whom people have one at a time: a new one takes the place of the one before.
#[rustfmt::skip]
const SUCCEEDED: [&str; 14] = [
    "accountant", "boss", "boyfriend", "dentist", "doctor", "fiance", "girlfriend", "hairdresser", "husband",
    "landlord", "spouse", "therapist", "vet", "wife",
];
/// What two people are to one another until they part.
pub(super) const COUPLES: [&str; 7] =
    ["boyfriend", "fiance", "girlfriend", "husband", "partner", "spouse", "wife"];
/// Of these, in the plural, what people change: "we changed dentists".
const CHANGED: [(&str, &str); 11] = [
    ("accountants", "accountant"),
    ("bosses", "boss"),
    ("dentists", "dentist"),
    ("doctors", "doctor"),
    ("gps", "doctor"),
    ("hairdressers", "hairdresser"),
    ("landlords", "landlord"),
    ("managers", "boss"),
    ("surgeries", "doctor"),
    ("therapists", "therapist"),
    ("vets", "vet"),
];

/// Whether people have one of a kind at a time.
pub(super) fn is_succeeded(kind: &str) -> bool {
    SUCCEEDED.contains(&kind)
}

/// The kind that a word after "we changed" names.
pub(super) fn changed(word: &str) -> Option<&'static str> {
    CHANGED.iter().find(|(several, _)| *several == word).map(|(_, kind)| *kind)
}

/// The kind that `word` names, and whether the word is plural.
pub(super) fn kind(word: &str) -> Option<(&'static str, bool)> {
    TERMS.iter().find_map(|Term(one, several, kind)| match word {
        word if !one.is_empty() && word == *one => Some((*kind, false)),
        word if !several.is_empty() && word == *several => Some((*kind, true)),
        _ => None,
    })
}

/// The words for a kind in a sentence.
pub(super) fn in_words(kind: &str) -> &str {
    if kind == "fiance" { "fiancé(e)" } else { kind }
}
