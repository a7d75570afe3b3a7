//! What follows a name: "my son Goku figurine" is about a figurine.
//!
//! After a name comes a verb, an adverb, a preposition or the end of a phrase. Another word that
//! follows it directly is the noun that the name belongs to. Verbs are known by their endings or
//! from a list. Where a verb before the name takes a bare one ("let my sister Ana know"), any word
//! may be it.

use crate::statements::{Break, Sentence};

/// Words that follow a name without being its noun: prepositions, conjunctions, pronouns, adverbs,
/// words of time.
#[rustfmt::skip]
const FUNCTION_WORDS: [&str; 142] = [
    "a", "about", "across", "after", "again", "ago", "all", "alone", "along", "already", "also", "although", "always", "am",
    "an", "and", "any", "anymore", "anyway", "are", "around", "as", "at", "away", "back", "because", "before", "behind",
    "beside", "better", "between", "both", "but", "by", "can", "can't", "cannot", "could", "do", "does", "doesn't", "don't",
    "down", "during", "each", "either", "even", "ever", "every", "everything", "first", "for", "from", "had", "has", "have",
    "he", "her", "here", "him", "his", "home", "how", "i", "if", "i'm", "in", "into", "is", "isn't", "it", "its", "just",
    "last", "later", "like", "may", "maybe", "me", "might", "more", "much", "must", "my", "near", "never", "next", "nor",
    "not", "now", "of", "off", "often", "on", "once", "one", "or", "our", "out", "over", "per", "since", "she", "should",
    "so", "some", "sometimes", "soon", "still", "than", "that", "the", "their", "then", "there", "they", "this", "through",
    "to", "today", "together", "tomorrow", "tonight", "too", "twice", "until", "up", "via", "was", "well", "were", "when",
    "where", "which", "while", "who", "whom", "will", "with", "would", "you", "your",
];
/// Words of time and others that are rarer.
#[rustfmt::skip]
const ADVERBS: [&str; 14] = [
    "yesterday", "yet", "without", "won't", "whose", "what", "why", "we", "us", "them", "these", "those", "wasn't", "perhaps",
];
/// Past forms without "-ed".
#[rustfmt::skip]
const PAST_FORMS: [&str; 98] = [
    "ate", "beat", "became", "began", "bent", "bet", "bit", "blew", "bought", "broke", "brought", "built", "burnt", "came",
    "caught", "chose", "cost", "cut", "dealt", "did", "didn't", "drank", "drew", "drove", "dug", "fed", "fell", "felt", "flew",
    "forgot", "fought", "found", "froze", "gave", "got", "grew", "heard", "held", "hid", "hit", "hung", "hurt", "kept", "knew",
    "laid", "lay", "led", "left", "lent", "let", "lit", "lost", "made", "meant", "met", "mistook", "paid", "put", "quit", "ran",
    "rang", "read", "rode", "rose", "said", "sang", "sat", "saw", "sent", "set", "shook", "shot", "showed", "shut", "slept",
    "sold", "spent", "split", "spoke", "stole", "stood", "stuck", "swam", "swore", "taught", "think", "thought", "threw",
    "told", "took", "understood", "went", "withdrew", "woke", "won", "wore", "wound", "wrote",
];
/// Verbs after a noun in the plural: in "my son Goku figurines broke", the figurines did.
#[rustfmt::skip]
const VERBS_OF_OTHERS: [&str; 14] = [
    "are", "were", "have", "had", "was", "is", "has", "broke", "came", "fell", "went", "got", "cost", "arrived",
];
/// Verbs that take a bare verb after a name, and those that ask or say what will be.
#[rustfmt::skip]
const TAKE_A_VERB: [&str; 30] = [
    "can", "could", "did", "do", "does", "had", "have", "having", "hear", "heard", "help", "helped", "helping", "helps", "let",
    "lets", "letting", "made", "make", "makes", "making", "may", "might", "must", "saw", "see", "should", "watched", "will",
    "would",
];

/// Whether the word at `end` is the noun that the name before it belongs to.
pub(super) fn is_before_its_noun(sentence: &Sentence<'_>, my: usize, end: usize) -> bool {
    let Some(word) = sentence.words.get(end).filter(|word| word.before == Break::None) else {
        return false;
    };
    let lower = word.lower.as_ref();
    if !word.text.starts_with(char::is_lowercase)
        || [&FUNCTION_WORDS[..], &ADVERBS, &PAST_FORMS].iter().any(|list| list.contains(&lower))
        || (0..my).any(|at| TAKE_A_VERB.contains(&sentence.lower(at)))
    {
        return false;
    }
    // "My sister Ana lives here" has no other verb.
    let is_verbal = !lower.ends_with("ss")
        && ["s", "ed", "ing", "ly", "n't", "'ll"].iter().any(|ending| lower.ends_with(ending));
    let next = sentence.words.get(end + 1).filter(|next| next.before == Break::None);
    !is_verbal
        || lower.ends_with('s')
            && next.is_some_and(|next| VERBS_OF_OTHERS.contains(&next.lower.as_ref()))
}
