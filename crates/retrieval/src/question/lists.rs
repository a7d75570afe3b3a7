//! Questions for all of a class: "Which sports does Ada do?" has as many answers as Ada has sports.
//!
//! Their answers are in many records, of which hardly one has the question's noun: "I went for a
//! swim" is about a sport. So such a question also looks for the usual members of the class that it
//! names ([`super::classes`]). Only English questions are recognised. Measurements:
//! `docs/design/0034-lists.md`.

use super::classes::{CLASSES, Class};
use crate::profile::ProfileQuestion;
use crate::text::words::cut_at_apostrophe;
use crate::text::{Analyzer, Language, Languages, QueryLanguages, QueryTerm};

/// Most words before the plural noun: "which new outdoor sports".
const BEFORE_NOUN_MAX: usize = 2;
/// Most words from the noun to the verb: "which sports that Ada likes does Ben".
const BEFORE_VERB_MAX: usize = 6;
/// Shortest plural that is recognised by its ending, in bytes.
const PLURAL_BYTES_MIN: usize = 4;
/// Most classes of a question that are looked for.
const CLASSES_MAX: usize = 4;

/// Verbs that begin the clause after the noun. "Would", "should" and the like ask for advice, not
/// for what is known.
#[rustfmt::skip]
const AUXILIARIES: [&str; 10] = ["are", "did", "do", "does", "had", "has", "have", "is", "was", "were"];

/// Nouns for a class that have no plural in -s.
#[rustfmt::skip]
const COLLECTIVE: [&str; 8] = ["art", "children", "food", "furniture", "men", "music", "people", "women"];

/// Words in -s that are not plurals.
const NOT_PLURAL: [&str; 5] = ["always", "besides", "perhaps", "sometimes", "towards"];

/// Whether a question, in words of lower case, asks for all of a class: "what" or "which", a plural
/// noun, a verb. "What snacks do you recommend?" asks a program for advice.
pub(super) fn asks_for_list(words: &[String]) -> bool {
    let word = |place: usize| words.get(place).map_or("", String::as_str);
    let question_word = usize::from(word(0) == "in");
    if !matches!(word(question_word), "what" | "which") {
        return false;
    }
    let first = match (word(question_word + 1), word(question_word + 2)) {
        ("kind" | "type" | "sort" | "genre" | "some", "of") => question_word + 3,
        _ => question_word + 1,
    };
    let noun = (first..=first + BEFORE_NOUN_MAX)
        .take_while(|place| !AUXILIARIES.contains(&word(*place)))
        .find(|place| is_plural(word(*place)));
    noun.is_some_and(|noun| {
        let mut places = noun + 1..=noun + BEFORE_VERB_MAX;
        let verb = places.find(|place| AUXILIARIES.contains(&word(*place)));
        verb.is_some_and(|verb| word(verb + 1) != "you")
    })
}

fn is_plural(word: &str) -> bool {
    let ends_as_plural = word.ends_with('s')
        && !["ss", "us", "is"].iter().any(|ending| word.ends_with(ending))
        && cut_at_apostrophe(word) == word;
    COLLECTIVE.contains(&word)
        || word.len() >= PLURAL_BYTES_MIN && ends_as_plural && !NOT_PLURAL.contains(&word)
}

/// The members of each class that a question names, as terms of English records. The question's own
/// `terms` are left out: they count already.
pub(super) fn members(
    words: &[String],
    terms: &[QueryTerm],
    analyzer: &mut Analyzer,
) -> Vec<Vec<QueryTerm>> {
    let names =
        |class: &&Class| words.iter().any(|word| class.names.contains(&cut_at_apostrophe(word)));
    let named = CLASSES.iter().filter(names).take(CLASSES_MAX);
    named.map(|class| members_in(class.members, terms, analyzer)).collect()
}

/// The words that may tell what a question asks to know of a person, as terms of English records.
pub(super) fn words_of_profile(
    profile: &ProfileQuestion,
    terms: &[QueryTerm],
    analyzer: &mut Analyzer,
) -> Vec<Vec<QueryTerm>> {
    profile.words().map(|words| members_in(words, terms, analyzer)).collect()
}

/// Some words as terms of English records, without the question's own.
fn members_in(words: &str, terms: &[QueryTerm], analyzer: &mut Analyzer) -> Vec<QueryTerm> {
    let english = QueryLanguages { own: Language::English, others: Languages::NONE };
    let mut members = analyzer.query_terms(words, english);
    members.retain(|member| terms.iter().all(|own| own.all().all(|own| *own != member.term)));
    members
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::words::visit_words;

    fn lower(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        visit_words(text, |word| {
            words.push(word.text.to_lowercase());
            true
        });
        words
    }

    #[test]
    fn a_plural_noun_after_what_or_which_asks_for_a_list() {
        for question in [
            "Which sports does Ada do?",
            "What new outdoor sports has Ada tried?",
            "In which cities did they meet?",
            "What kind of movies does Ben like?",
            "What kinds of bread does Ben bake?",
            "What food did Ada cook?",
            "What people has Ada met?",
        ] {
            assert!(asks_for_list(&lower(question)), "{question}");
        }
        for question in [
            "What is Ada's dog called?",
            "What does Ada's sister paint?",
            "What bus does Ada take?",
            "Which class did Ben join?",
            "What sports!",
            "Ada's sports",
            "Who are Ada's friends?",
            "Does Ada do sports?",
            "What snacks do you recommend?",
            "What films should I watch?",
            "",
        ] {
            assert!(!asks_for_list(&lower(question)), "{question}");
        }
    }

    #[test]
    fn the_members_of_a_named_class_are_terms_other_than_those_of_the_question() {
        let mut analyzer = Analyzer::new(Language::English);
        let languages = QueryLanguages { own: Language::English, others: Languages::NONE };
        let text = "Which sports besides tennis does Ada's team do?";
        let terms = analyzer.query_terms(text, languages);
        let classes = members(&lower(text), &terms, &mut analyzer);
        let has = |word: &str| classes[0].iter().any(|member| member.term.as_str() == word);
        assert_eq!(classes.len(), 1);
        assert!(has("swim") && has("yoga") && !has("tenni") && !has("team"));
        assert!(members(&lower("Which stones has Ada?"), &terms, &mut analyzer).is_empty());
    }
}
