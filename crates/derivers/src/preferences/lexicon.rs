//! The lexicon that assigns objects of preferences to domains.
//!
//! A preference's domain is that of one of these words in its object, in the singular; `general`
//! without one. The lists are short on purpose: the domain is part of the identity key, so moving a
//! word to another list changes the identity of claims that users may have corrected.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The domains and their words. A word is in one list only.
#[rustfmt::skip]
const DOMAINS: [(&str, &[&str]); 10] = [
    ("drink", &[
        "tea", "coffee", "espresso", "cappuccino", "latte", "matcha", "water", "juice", "wine", "beer", "ale",
        "lager", "cider", "cocktail", "whisky", "whiskey", "gin", "rum", "vodka", "soda", "cola", "lemonade",
        "smoothie", "kombucha", "milk", "drink", "beverage", "decaf",
    ]),
    ("food", &[
        "food", "cuisine", "pizza", "pasta", "sushi", "ramen", "curry", "soup", "salad", "bread", "cheese",
        "chocolate", "cake", "cookie", "biscuit", "ice-cream", "dessert", "breakfast", "lunch", "dinner", "meat",
        "fish", "chicken", "beef", "pork", "bacon", "tofu", "rice", "noodle", "potato", "tomato", "onion", "garlic",
        "mushroom", "olive", "cilantro", "coriander", "broccoli", "spinach", "vegetable", "fruit", "apple",
        "banana", "mango", "strawberry", "egg", "burger", "sandwich", "taco", "steak", "seafood", "shrimp",
        "oyster", "spice", "meal", "dish", "snack", "sweet", "candy", "avocado", "liquorice", "pancake", "waffle",
        "croissant", "dumpling", "lasagna", "lasagne", "risotto", "falafel", "hummus", "yoghurt", "yogurt",
        "porridge", "oatmeal", "cereal", "nut", "peanut", "restaurant", "cream", "honey", "vegetarian", "vegan",
    ]),
    ("music", &[
        "music", "jazz", "rock", "pop", "techno", "opera", "blues", "reggae", "metal", "punk", "folk", "hip-hop",
        "rap", "classical", "song", "album", "band", "singer", "concert", "symphony", "musical", "piano", "guitar",
        "violin", "composer", "genre",
    ]),
    ("reading", &[
        "book", "novel", "poetry", "poem", "fiction", "non-fiction", "biography", "comic", "audiobook", "e-book",
        "ebook", "magazine", "newspaper", "author", "writer", "thriller", "reading",
    ]),
    ("film", &[
        "film", "movie", "cinema", "documentary", "documentaries", "comedy", "comedies", "horror", "series",
        "anime", "cartoon", "actor", "actress", "director", "sitcom",
    ]),
    ("travel", &[
        "train", "plane", "flying", "flight", "bus", "car", "tram", "ferry", "taxi", "hotel", "hostel", "airbnb",
        "camping", "beach", "sea", "ocean", "mountain", "countryside", "city", "cities", "country", "travel",
        "travelling", "traveling", "travels", "seat", "window-seat", "holiday", "vacation", "roadtrip", "cruise",
        "airport", "driving", "destination",
    ]),
    ("activity", &[
        "hiking", "running", "jogging", "swimming", "cycling", "climbing", "bouldering", "skiing", "snowboarding",
        "surfing", "sailing", "yoga", "pilates", "gym", "football", "soccer", "tennis", "basketball", "badminton",
        "golf", "chess", "cooking", "baking", "gardening", "painting", "drawing", "pottery", "knitting", "sewing",
        "photography", "dancing", "singing", "writing", "fishing", "birdwatching", "walking", "walk", "sport",
        "hobby", "hobbies", "game", "gaming", "puzzle", "meditation", "meditating", "woodworking", "volunteering",
        "exercise", "shopping", "crossword", "karaoke", "kayaking", "camp",
    ]),
    ("tools", &[
        "vim", "neovim", "emacs", "vscode", "linux", "windows", "macos", "ubuntu", "debian", "fedora", "rust",
        "python", "java", "javascript", "typescript", "golang", "kotlin", "haskell", "sql", "postgres",
        "postgresql", "sqlite", "mysql", "git", "docker", "editor", "ide", "terminal", "shell", "keyboard",
        "laptop", "phone", "android", "iphone", "browser", "firefox", "chrome", "language", "framework", "library",
        "tab", "spaces", "font", "dark-mode", "mode", "theme", "app", "spreadsheet", "excel", "notebook", "pen",
        "software", "tool", "programming", "distro", "database",
    ]),
    ("animals", &[
        "dog", "cat", "horse", "bird", "animal", "pet", "rabbit", "snake", "spider", "puppy", "puppies", "kitten",
        "cow", "insect",
    ]),
    ("environment", &[
        "winter", "summer", "spring", "autumn", "fall", "rain", "snow", "sun", "sunshine", "heat", "cold",
        "weather", "season", "quiet", "silence", "noise", "crowd", "forest", "nature", "colour", "color", "blue",
        "green", "red", "yellow", "purple", "black", "white", "flower",
    ]),
];

/// The parts of a day.
pub(super) const DAYPARTS: [&str; 4] = ["morning", "afternoon", "evening", "night"];

/// The domain of every known word.
static WORDS: LazyLock<BTreeMap<&str, &str>> = LazyLock::new(|| {
    let of_domain = |(domain, words): &(&'static str, &'static [&'static str])| {
        let domain = *domain;
        words.iter().map(move |word| (*word, domain))
    };
    DOMAINS.iter().flat_map(of_domain).collect()
});

/// The domain of a lower-case word, singular or plural; `None` if the word is unknown.
pub(crate) fn domain(word: &str) -> Option<&'static str> {
    let singular = word.strip_suffix("ies").map(|stem| format!("{stem}y"));
    let forms = [Some(word), word.strip_suffix('s'), word.strip_suffix("es"), singular.as_deref()];
    forms.into_iter().flatten().find_map(|form| WORDS.get(form).copied())
}

/// Words after which the object is qualified, not named: "tea with milk", "glass of wine".
const JOINTS: [&str; 10] =
    ["of", "with", "without", "in", "on", "at", "for", "from", "to", "about"];

/// Whether the words after this one qualify an object.
pub(super) fn is_joint(word: &str) -> bool {
    JOINTS.contains(&word)
}

/// The domain of an object: that of the last known word before "with", "in" and the like, because
/// green tea is tea; otherwise that of the first known word after it.
pub(super) fn domain_of(words: &[&str]) -> Option<&'static str> {
    let joint = words.iter().position(|word| JOINTS.contains(word)).unwrap_or(words.len());
    let (head, rest) = words.split_at_checked(joint)?;
    let of_word = |word: &&str| domain(word).or_else(|| word.rsplit('-').find_map(domain));
    head.iter().rev().find_map(of_word).or_else(|| rest.iter().find_map(of_word))
}

/// The part of the day that a word names, singular or plural.
pub(super) fn daypart(word: &str) -> Option<&'static str> {
    DAYPARTS.into_iter().find(|daypart| word == *daypart || word.strip_suffix('s') == Some(daypart))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_has_two_domains() {
        let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
        for (domain, words) in DOMAINS {
            for word in words {
                assert_eq!(seen.insert(word, domain), None, "{word}");
            }
        }
    }

    #[test]
    fn plurals_are_known_and_other_words_are_not() {
        assert_eq!(domain("dogs"), Some("animals"));
        assert_eq!(domain("strawberries"), Some("food"));
        assert_eq!(domain("dishes"), Some("food"));
        assert_eq!(domain("meetings"), None);
        assert_eq!(domain_of(&["dark", "chocolate"]), Some("food"));
        assert_eq!(domain_of(&["green", "tea", "with", "honey"]), Some("drink"));
        assert_eq!(domain_of(&["a", "glass", "of", "wine"]), Some("drink"));
        assert_eq!(daypart("mornings"), Some("morning"));
        assert_eq!(daypart("s"), None);
    }
}
