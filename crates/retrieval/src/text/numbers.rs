//! Numbers in words.

/// English words for numbers, up to a hundred.
#[rustfmt::skip]
const ENGLISH: [&str; 28] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty", "thirty", "forty", "fifty",
    "sixty", "seventy", "eighty", "ninety", "hundred",
];

/// Whether `word` (lower case) is an English word for a number: "forty".
pub fn is_english_number(word: &str) -> bool {
    ENGLISH.contains(&word)
}
