//! Words that turn a sentence into another statement, however many other words two sentences share.

/// Words that deny, in lower case and without apostrophes.
#[rustfmt::skip]
const DENIALS: [&str; 55] = [
    // English
    "cannot", "cant", "never", "no", "nobody", "none", "not", "nothing", "without", "wrong",
    // German
    "kein", "keine", "keinem", "keinen", "keiner", "keines", "nicht", "nichts", "nie", "niemals", "niemand", "ohne",
    // French
    "aucun", "aucune", "jamais", "ne", "pas", "rien", "sans",
    // Spanish, Portuguese, Italian
    "jamás", "mai", "nada", "nadie", "nem", "nessuno", "nunca", "não", "ninguém", "sem", "senza", "sin", "niente", "non",
    // Dutch
    "geen", "niet", "niets", "nooit", "zonder",
    // Russian
    "без", "не", "нет", "ни", "никогда", "никто", "ничего",
];
/// What is left of "n't" after these.
const BEFORE_NT: [&str; 17] = [
    "ai", "are", "could", "did", "do", "does", "had", "has", "have", "is", "must", "need",
    "should", "was", "were", "wo", "would",
];

/// Whether a word is a number or a negation, as [`crate::shingles::words`] gives words: in lower
/// case, without apostrophes.
///
/// ```
/// use retrieval::text::negation::is_decisive;
/// let words = retrieval::shingles::words("We don't ship 3 boxes");
/// let decisive: Vec<_> = words.iter().filter(|word| is_decisive(word)).collect();
/// assert_eq!(decisive, ["dont", "3"]);
/// ```
pub fn is_decisive(word: &str) -> bool {
    DENIALS.contains(&word)
        || word.strip_suffix("nt").is_some_and(|verb| BEFORE_NT.contains(&verb))
        || word.chars().any(char::is_numeric)
}
