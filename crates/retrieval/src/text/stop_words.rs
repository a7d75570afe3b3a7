//! Stop words, which occur in nearly every sentence: articles, pronouns, auxiliaries, question
//! words.
//!
//! The list is Snowball's English one plus the stems of contractions that are cut at the apostrophe
//! ("don", "isn"); "won" is not among them, because [`is_negation`] checks for "won't" first. There
//! are no lists for other languages: the weight of a word already decreases with its frequency.

/// Sorted, for binary search.
#[rustfmt::skip]
static ENGLISH: &[&str] = &[
    "a", "about", "above", "after", "again", "against", "ain", "all", "also", "am", "an", "and", "any", "are", "aren",
    "as", "at", "be", "because", "been", "before", "being", "below", "between", "both", "but", "by", "can", "cannot",
    "could", "couldn", "did", "didn", "do", "does", "doesn", "doing", "don", "down", "during", "each", "few", "for",
    "from", "further", "had", "hadn", "has", "hasn", "have", "haven", "having", "he", "her", "here", "hers",
    "herself", "him", "himself", "his", "how", "i", "if", "in", "into", "is", "isn", "it", "its", "itself", "just",
    "ll", "m", "me", "more", "most", "mustn", "my", "myself", "no", "nor", "not", "now", "of", "off", "on", "once",
    "only", "or", "other", "ought", "our", "ours", "ourselves", "out", "over", "own", "re", "s", "same", "shan",
    "she", "should", "shouldn", "so", "some", "such", "t", "than", "that", "the", "their", "theirs", "them",
    "themselves", "then", "there", "these", "they", "this", "those", "through", "to", "too", "under", "until", "up",
    "ve", "very", "was", "wasn", "we", "were", "weren", "what", "when", "where", "which", "while", "who", "whom",
    "whose", "why", "will", "with", "would", "wouldn", "you", "your", "yours", "yourself", "yourselves",
];

/// True if `word` (lower case) is an English stop word.
pub fn is_english_stop_word(word: &str) -> bool {
    ENGLISH.binary_search(&word).is_ok()
}

/// True for "don't", "won't" and the like, which are stop words regardless of the part before the
/// apostrophe.
pub(crate) fn is_negation(word: &str) -> bool {
    let stem = word.strip_suffix(['t', 'T']).and_then(|stem| stem.strip_suffix(['\'', '\u{2019}']));
    stem.is_some_and(|stem| stem.ends_with(['n', 'N']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_contains_contractions() {
        assert!(ENGLISH.is_sorted());
        assert!(
            is_english_stop_word("the")
                && is_english_stop_word("don")
                && !is_english_stop_word("paint")
        );
    }
}
