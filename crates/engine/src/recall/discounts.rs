//! What takes from the chance that a record answers: it is about somebody or something else than
//! the question, only asks, or says nothing.
//!
//! [`super::answering::judge`] gives each record its chance by what it shares with the question.
//! The rules here also read what it says: "Ben is allergic to nuts" shares most words with "What is
//! Anna allergic to?" and answers nothing.

use derivers::attributes::TIMES;
use derivers::names::is_self;
use derivers::owner::Owner;
use derivers::preferences::Polarity;
use derivers::prose::REMEMBER;
use derivers::relationships::is_kind;
use kernel::evidence::Evidence;
use kernel::id::OpId;
use retrieval::profile::{Fit, ProfileQuestion, Voice};
use retrieval::question::Question;
use retrieval::rank::answering::speaks_of_self;
use retrieval::text::sentences::sentences;
use retrieval::text::standing::{InstructionKind, standing};
use retrieval::text::{Analyzer, is_english_stop_word};

use super::answering::WordWeights;
use super::episodes::Recollection;
use super::expected::Expected;
use super::identifiers::Identifier;
use super::past::asks_for_former;

/// What is left of the chance of a record that is about somebody or something else, or says nothing
/// that answers: too little to be an answer.
const UNRELATED_SHARE: f64 = 0.4;
/// Longest text that is about one thing, bytes.
const SHORT_BYTES: usize = 200;
/// The most that a record which only asks counts: enough to be shown where nothing else is found.
const OF_QUESTION: f64 = 0.55;

/// What is taken from a chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Discount {
    /// What is left of it.
    share: f64,
    /// The most that is left.
    most: f64,
}

impl Discount {
    const NONE: Self = Self { share: 1.0, most: 1.0 };

    /// A chance without what is taken from it.
    pub fn of(self, chance: f64) -> f64 {
        (chance * self.share).min(self.most)
    }
}

/// A question, to see which records are about something else.
#[derive(Clone, Copy)]
pub struct Discounter<'a> {
    /// As it was asked.
    pub text: &'a str,
    /// As it was read; none if nothing was searched.
    pub question: Option<&'a Question>,
    /// What its words weigh.
    pub weights: &'a WordWeights,
}

/// A record with what it says.
struct Candidate<'a> {
    evidence: &'a Evidence,
    text: String,
    /// How far it tells what the question asks to know of a person, 0 … 1.
    profile: f64,
    discount: Discount,
}

impl Candidate<'_> {
    fn said_with_title(&self) -> String {
        said_with_title(self.evidence, &self.text)
    }
}

/// What a record says, with its title, that of its session, and who said it.
pub(super) fn said_with_title(evidence: &Evidence, text: &str) -> String {
    let titles = [&evidence.payload.title, &evidence.payload.session_title].into_iter().flatten();
    let around = titles.map(String::as_str).chain(evidence.actor.as_deref());
    around.fold(text.to_owned(), |text, more| format!("{text} {more}"))
}

/// What is taken from each of some records, and from beliefs.
#[derive(Debug)]
pub struct Discounts {
    /// Of each record, in their order.
    pub records: Vec<Discount>,
    /// The words of the names of those whom the question is about, if it is not about the owner.
    about: Vec<String>,
    /// What it asks to know of a person, if most ways to tell that are known.
    profile: Option<ProfileQuestion>,
}

impl Discounter<'_> {
    /// What is taken from each record. `owner` is asked for if a record or, where `has_beliefs`, a
    /// belief may be about the owner of the memory.
    ///
    /// # Errors
    /// Those of `owner`.
    pub fn discounts<'r, E>(
        &self,
        records: impl IntoIterator<Item = &'r Recollection>,
        has_beliefs: bool,
        owner: impl FnOnce() -> Result<Owner, E>,
    ) -> Result<Discounts, E> {
        let candidate = |record: &'r Recollection| Candidate {
            evidence: &record.evidence,
            text: record.text(),
            profile: record.score.profile(),
            discount: Discount::NONE,
        };
        let mut records: Vec<Candidate<'_>> = records.into_iter().map(candidate).collect();
        let about = self.discount_other_speaker(&mut records, has_beliefs, owner)?;
        discount_other_possessions(self.text, &mut records);
        discount_other_subjects(self.text, &mut records);
        discount_other_identifiers(self.text, &mut records);
        discount_instructions(self.weights, &mut records);
        discount_questions(self.weights, &mut records);
        discount_fillers(self.weights, &mut records);
        discount_missing_expected(self.text, &mut records);
        if let Some(profile) = self.question.and_then(|question| question.profile.as_ref()) {
            discount_untold_attribute(profile, &mut records);
        }
        let records = records.into_iter().map(|record| record.discount).collect();
        let profile = self.question.and_then(|question| question.profile.clone());
        let profile = profile.filter(ProfileQuestion::is_closed);
        Ok(Discounts { records, about, profile })
    }

    /// What people say of themselves counts less in a question about somebody else: "I" in the
    /// words of Ana is not the person who asks, and "I" in the person's words is not Ana. The words
    /// of the names of those whom the question is about, if it is not about the person.
    fn discount_other_speaker<E>(
        &self,
        records: &mut [Candidate<'_>],
        has_beliefs: bool,
        owner: impl FnOnce() -> Result<Owner, E>,
    ) -> Result<Vec<String>, E> {
        let Some(question) = self.question else { return Ok(Vec::new()) };
        let of_self: Vec<&mut Candidate<'_>> =
            records.iter_mut().filter(|record| speaks_of_self(&record.text)).collect();
        if of_self.is_empty() && !has_beliefs {
            return Ok(Vec::new());
        }
        let is_about_owner = question.mentions.is_empty() && asks_of_asker(self.text);
        let names = if question.first_person { Vec::new() } else { names_in(question, self.text) };
        if !is_about_owner && names.is_empty() {
            return Ok(Vec::new());
        }
        let owner = owner()?;
        let is_of_person = names.iter().any(|name| owner.may_be(name));
        let asked_about: Vec<String> = match is_of_person {
            true => Vec::new(),
            false => names.iter().flat_map(|name| name.split('-')).map(str::to_owned).collect(),
        };
        for record in of_self {
            let is_of_another = match speaker_of(record.evidence, &owner) {
                // "Please send it by Friday" is about whom it is said to.
                Some(SpeakerOf::Another) => is_about_owner && !addresses(&record.text),
                // "I pick her up at six" may be about whoever is asked about.
                Some(SpeakerOf::Owner) => {
                    is_in_none_of(&record.text, &asked_about) && !speaks_of_others(&record.text)
                }
                None => false,
            };
            if is_of_another {
                record.discount.share *= UNRELATED_SHARE;
            }
        }
        Ok(asked_about)
    }
}

impl Discounts {
    /// What is taken from a belief in words. `polarity` is that of a preference.
    pub fn of_belief(&self, question: &str, text: &str, polarity: Option<Polarity>) -> Discount {
        let is_untold = |profile: &ProfileQuestion| {
            let fit = |voice| profile.fit(text, voice).0;
            fit(Voice::Told).max(fit(Voice::Asker)) == Fit::None
        };
        match is_of_nobody_in(text, &self.about)
            || polarity.is_some_and(|polarity| asks_for_opposite(question, polarity))
            || self.profile.as_ref().is_some_and(is_untold)
        {
            true => Discount { share: UNRELATED_SHARE, ..Discount::NONE },
            false => Discount::NONE,
        }
    }
}

/// Raises chances along changes: a statement answers at least as likely as those that it replaces,
/// or they as it where the question is for what was before. `records` are the ids of the records
/// with what each replaces.
pub fn lift_changes(question: &str, records: &[(OpId, &[OpId])], chances: &mut [f64]) {
    let asks_for_former = asks_for_former(question);
    let mut pairs = Vec::new();
    for (newer, (_, replaces)) in records.iter().enumerate() {
        let older = records.iter().enumerate().filter(|(_, (id, _))| replaces.contains(id));
        pairs.extend(older.map(|(older, _)| match asks_for_former {
            true => (newer, older),
            false => (older, newer),
        }));
    }
    // Each round goes one step further along a chain of changes.
    for _ in 0..records.len() {
        let mut is_changed = false;
        for (from, to) in &pairs {
            let from = chances.get(*from).copied().unwrap_or_default();
            if let Some(to) = chances.get_mut(*to).filter(|to| **to < from) {
                *to = from;
                is_changed = true;
            }
        }
        if !is_changed {
            break;
        }
    }
}

/// "Petra's phone number" is not Tomas's.
fn discount_other_possessions(question: &str, records: &mut [Candidate<'_>]) {
    let asked: Vec<String> = whose(question).map(str::to_lowercase).collect();
    for record in records.iter_mut() {
        let names_another = possessives(record.text.split_whitespace()).next().is_some();
        if names_another && is_in_none_of(&record.said_with_title(), &asked) {
            record.discount.share *= UNRELATED_SHARE;
        }
    }
}

/// "Ben is allergic to nuts" says nothing of Anna, and "Greta drives a Fiat" does not answer "What
/// car do I drive?"
fn discount_other_subjects(question: &str, records: &mut [Candidate<'_>]) {
    let asked = subject_of(question).map(|name| words_of(&name.to_lowercase()));
    let of_asker = if asked.is_none() && is_about_asker_alone(question) {
        words_of(question)
    } else {
        Vec::new()
    };
    let asked = asked.unwrap_or_default();
    for record in records.iter_mut() {
        let Some(deed) = deed_of_somebody(&record.text) else { continue };
        let is_of_another = is_in_none_of(&record.said_with_title(), &asked)
            || asked.iter().any(|name| is_of_kin(&record.text, name, question));
        let is_not_of_asker = of_asker.contains(&deed)
            && !COMMON_VERBS.contains(&deed.as_str())
            && !speaks_of_asker(&record.text);
        if is_of_another || is_not_of_asker {
            record.discount.share *= UNRELATED_SHARE;
        }
    }
}

/// "JIRA-233 is closed" says nothing of JIRA-234.
fn discount_other_identifiers(question: &str, records: &mut [Candidate<'_>]) {
    let asked = Identifier::all(question);
    for record in records.iter_mut() {
        if Identifier::are_confused(&asked, &record.said_with_title()) {
            record.discount.share *= UNRELATED_SHARE;
        }
    }
}

/// "Ben is a teacher" does not answer "How old is Ben?", nor anything "What is my job?" as "I am a
/// nurse" does.
fn discount_untold_attribute(profile: &ProfileQuestion, records: &mut [Candidate<'_>]) {
    // Beside a record that tells it, one that only mentions it distracts.
    let is_told = profile.is_told_plainly() && records.iter().any(|record| record.profile == 1.0);
    let least = if is_told { 1.0 } else { f64::MIN_POSITIVE };
    let is_untold = |record: &&mut Candidate<'_>| {
        record.profile < least && !Analyzer::is_in_another_language(&record.text)
    };
    let judges = is_told || profile.is_closed();
    for record in records.iter_mut().filter(|_| judges).filter(is_untold) {
        record.discount.share *= UNRELATED_SHARE;
    }
}

/// "The tortoise is called Blitz" does not answer "How old is the tortoise?"
fn discount_missing_expected(question: &str, records: &mut [Candidate<'_>]) {
    let Some(expected) = Expected::of(question) else { return };
    let has = |record: &Candidate<'_>| expected.is_in(&record.said_with_title());
    // A time of day may be told by what happens then, and a number by a name.
    if !expected.is_certain() && !records.iter().any(has) {
        return;
    }
    for record in records.iter_mut() {
        if record.profile == 0.0 && !has(record) {
            record.discount.share *= UNRELATED_SHARE;
        }
    }
}

/// "Got it." answers nothing.
fn discount_fillers(weights: &WordWeights, records: &mut [Candidate<'_>]) {
    const WORDS_MAX: usize = 5;
    #[rustfmt::skip]
    const BEGINNINGS: [&str; 22] = [
        "alles klar", "alright", "cool", "glad", "good to know", "got it", "great", "lovely", "my pleasure", "nice",
        "no problem", "noted", "ok", "okay", "perfect", "sounds good", "sure", "thank you", "thanks", "understood",
        "will do", "you're welcome",
    ];
    for record in records.iter_mut() {
        let text = record.text.to_lowercase();
        let begins = |beginning: &&str| {
            let rest = text.strip_prefix(*beginning);
            rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        };
        if text.split_whitespace().count() <= WORDS_MAX
            && !text.contains(|letter: char| letter.is_ascii_digit())
            && !weights.are_in(&text)
            && !words_of(&text).iter().any(|word| names_time(word))
            && BEGINNINGS.iter().any(begins)
        {
            record.discount.share *= UNRELATED_SHARE;
        }
    }
}

/// "See you tomorrow" may be the answer.
fn names_time(word: &str) -> bool {
    TIMES.contains(&word) || matches!(word, "noon" | "today" | "tomorrow" | "tonight" | "yesterday")
}

/// "Always give prices in pounds" answers no question that shares no word with it. "… when I ask
/// about prices" may be meant.
fn discount_instructions(weights: &WordWeights, records: &mut [Candidate<'_>]) {
    for record in records.iter_mut() {
        if record.text.len() <= SHORT_BYTES
            && standing(&record.text) == InstructionKind::Instruction
            && !weights.are_in(&record.text)
            && !words_of(&record.text).windows(3).any(|words| words == ["when", "i", "ask"])
        {
            record.discount.share *= UNRELATED_SHARE;
        }
    }
}

/// A record that only asks is behind whatever answers it. "I moved the launch to May, can you help
/// me plan it?" also tells.
fn discount_questions(weights: &WordWeights, records: &mut [Candidate<'_>]) {
    for record in records.iter_mut() {
        let text = record.text.trim();
        let only_asks = text.len() <= SHORT_BYTES
            && text.ends_with(['?', '？'])
            && sentences(text).len() == 1
            && !words_of(text).first().is_some_and(|first| OF_ASKER.contains(&first.as_str()));
        if only_asks || asks_about(text, weights) {
            record.discount.most = OF_QUESTION;
        }
    }
}

/// Whether all of a short text that has words of the question asks: "Should he have the flu jab?
/// Ask on Monday".
fn asks_about(text: &str, weights: &WordWeights) -> bool {
    let asks = |sentence: &str| {
        sentence.ends_with(['?', '？'])
            && !words_of(sentence).iter().any(|word| OF_ASKER.contains(&word.as_str()))
    };
    if text.len() > SHORT_BYTES {
        return false;
    }
    let found = sentences(text).into_iter().filter_map(|range| text.get(range)).map(str::trim);
    let mut about = found.filter(|sentence| weights.are_in(sentence)).peekable();
    about.peek().is_some() && about.all(asks)
}

/// Whether a text speaks to somebody.
fn addresses(text: &str) -> bool {
    words_of(text).iter().any(|word| matches!(word.as_str(), "you" | "your" | "please"))
}

/// Whether a question asks for the opposite of a preference: "What don't I like?" of what the owner
/// likes.
fn asks_for_opposite(question: &str, polarity: Polarity) -> bool {
    let words = words_of(question);
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    if !has(&["i"]) || !has(&["like", "love", "enjoy", "hate", "dislike"]) {
        return false;
    }
    let is_against = has(&["don't", "not", "hate", "dislike", "never"]);
    // "Do I like sushi?" is answered by either.
    let is_open =
        matches!(words.first().map(String::as_str), Some("what" | "which" | "who" | "whom"));
    is_open && is_against != (polarity == Polarity::Dislike)
}

/// The name of whom a question is about: "What is Anna allergic to?"
fn subject_of(question: &str) -> Option<&str> {
    #[rustfmt::skip]
    const AUXILIARIES: [&str; 12] = [
        "is", "was", "does", "did", "has", "can", "will", "would", "should", "may", "could", "had",
    ];
    let words: Vec<&str> = question.split_whitespace().collect();
    let at = words.iter().position(|word| AUXILIARIES.contains(&word.to_lowercase().as_str()))?;
    let name = words.get(at + 1..)?.iter().find(|word| !is_title(word))?;
    let name = name.trim_end_matches(['?', '.', ',', '!']);
    is_name(name).then_some(name)
}

/// Whether a word stands before the name of somebody: "Dr. Weiss".
fn is_title(word: &str) -> bool {
    matches!(
        word.trim_end_matches('.'),
        "Dr" | "Mr" | "Mrs" | "Ms" | "Prof" | "Professor" | "Herr" | "Frau"
    )
}

/// Whether a question is about the person who asks and names nobody: "What car do I drive?", "What
/// is my phone number?"
fn is_about_asker_alone(question: &str) -> bool {
    let words = words_of(question);
    let names_somebody = question
        .split_whitespace()
        .skip(1)
        .any(|word| word.starts_with(char::is_uppercase) && !matches!(word, "I" | "I'm" | "I've"));
    words.iter().any(|word| matches!(word.as_str(), "i" | "my" | "i've" | "i'm")) && !names_somebody
}

/// Words of somebody who speaks of themselves.
const OF_ASKER: [&str; 13] =
    ["i", "i'm", "i've", "i'd", "i'll", "me", "my", "mine", "we", "we're", "we've", "our", "us"];

/// Whether a text is about the person in their own words.
fn speaks_of_asker(text: &str) -> bool {
    words_of(text).iter().any(|word| OF_ASKER.contains(&word.as_str()))
}

/// Verbs that say little of what somebody does.
const COMMON_VERBS: [&str; 7] = ["is", "was", "has", "had", "can", "can't", "will"];

/// The verb of a short text that begins with a name, as a question has it, or the thing that is
/// theirs: "live" of "Hanna lives in Bristol", "phone" of "Hanna's phone is old".
fn deed_of_somebody(text: &str) -> Option<String> {
    let mut words = text.split_whitespace().skip_while(|word| is_title(word));
    let (name, next) = (words.next()?, words.next()?);
    let owner = name.strip_suffix("'s").or(name.strip_suffix("’s"));
    if text.len() > SHORT_BYTES || name.ends_with("ly") || !is_name(owner.unwrap_or(name)) {
        return None;
    }
    let plain = next.to_lowercase();
    if owner.is_some() || COMMON_VERBS.contains(&next) {
        return Some(plain);
    }
    let is_verb = next.ends_with(['s', 'd']) && next.chars().all(char::is_lowercase);
    let is_past = is_verb && next.len() > 4 && next.ends_with("ed");
    match is_past {
        true => Some(plain.trim_end_matches("ed").to_owned()),
        false => (is_verb && next.ends_with('s')).then(|| plain.trim_end_matches('s').to_owned()),
    }
}

/// Whether a text says of somebody's kin what a question asks of themselves: "Petra's brother Jan
/// lives in Geneva" after "Where does Petra live?", but not after "Has Petra a brother?"
fn is_of_kin(text: &str, name: &str, question: &str) -> bool {
    let (words, asked) = (words_of(text), words_of(question));
    let [owner, kin, rest @ ..] = words.as_slice() else { return false };
    let is_theirs = possessives(text.split_whitespace().take(1)).next().is_some();
    let verb = rest.iter().find_map(|word| word.strip_suffix('s'));
    is_theirs
        && owner == name
        && is_kind(kin)
        && !asked.contains(kin)
        && !rest.contains(owner)
        && verb.is_some_and(|verb| asked.iter().any(|word| word == verb))
}

/// Whether a word may be a name: a capital letter, then small ones.
fn is_name(word: &str) -> bool {
    let lower = word.to_lowercase();
    word.starts_with(char::is_uppercase)
        && word.chars().skip(1).all(char::is_lowercase)
        && word.chars().count() > 1
        && !is_english_stop_word(&lower)
        && !TIMES.contains(&lower.as_str())
        && !CONTRACTED.contains(&lower.as_str())
}

/// Whether the person who asks is the subject of a question: "Where do I work?"
fn asks_of_asker(question: &str) -> bool {
    words_of(question).iter().any(|word| matches!(word.as_str(), "i" | "i'm" | "i've" | "i'd"))
}

/// The names of those whom a question names, each in lower case with hyphens.
fn names_in(question: &Question, text: &str) -> Vec<String> {
    let known = question.mentions.iter().map(|mention| mention.text.as_str());
    known.chain(whose(text)).map(|name| words_of(name).join("-")).collect()
}

/// The names of whom something is in a question: "Claire's", but not "Monday's" or "API's".
fn whose(question: &str) -> impl Iterator<Item = &str> {
    possessives(question.split_whitespace().skip(1))
}

/// Words of which "'s" makes "is", "has" or a time.
#[rustfmt::skip]
const CONTRACTED: [&str; 20] = [
    "everybody", "everyone", "he", "here", "how", "it", "let", "nobody", "one", "she", "that", "there", "this", "today",
    "tomorrow", "what", "when", "where", "who", "yesterday",
];

/// The names before "'s" among some words.
fn possessives<'t>(words: impl Iterator<Item = &'t str>) -> impl Iterator<Item = &'t str> {
    let words = words.map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()));
    let names = words.filter_map(|word| word.strip_suffix("'s").or(word.strip_suffix("’s")));
    names.filter(|name| {
        let mut letters = name.chars();
        let is_name = letters.next().is_some_and(char::is_uppercase)
            && letters.next().is_some_and(char::is_lowercase);
        let lower = name.to_lowercase();
        is_name && !TIMES.contains(&lower.as_str()) && !CONTRACTED.contains(&lower.as_str())
    })
}

/// Whether a text is about the person, and has none of the words of others' names.
fn is_of_nobody_in(text: &str, names: &[String]) -> bool {
    let words = words_of(text);
    let has = |word: &str| words.iter().any(|own| own == word);
    (has("you") || has("your")) && is_in_none_of(text, names)
}

/// Whether a text speaks of somebody whom it does not name.
fn speaks_of_others(text: &str) -> bool {
    const PRONOUNS: [&str; 9] = ["he", "her", "hers", "him", "his", "she", "their", "them", "they"];
    words_of(text).iter().any(|word| PRONOUNS.contains(&word.as_str()))
}

/// Whether somebody is asked about, and a text has none of the words of their names.
fn is_in_none_of(text: &str, names: &[String]) -> bool {
    let words = words_of(text);
    !names.is_empty() && !names.iter().any(|name| words.contains(name))
}

/// Whose words a record has, as far as that is known.
enum SpeakerOf {
    Owner,
    Another,
}

/// Who speaks in a record. Where nobody says by which names the owner goes, a name may be the
/// owner's, but not in a note that was written down as somebody else's words.
fn speaker_of(evidence: &Evidence, owner: &Owner) -> Option<SpeakerOf> {
    match (evidence.payload.role.as_deref(), evidence.actor.as_deref()) {
        (None | Some("user"), None) => Some(SpeakerOf::Owner),
        (None | Some("user"), Some(actor)) if is_self(actor) || owner.is(actor) => {
            Some(SpeakerOf::Owner)
        }
        // A part of the owner's name, as chats have it.
        (None | Some("user"), Some(actor)) if owner.may_be(&words_of(actor).join("-")) => None,
        (None | Some("user"), Some(_)) => {
            (owner.is_known() || evidence.source == REMEMBER).then_some(SpeakerOf::Another)
        }
        (Some(_), _) => None,
    }
}

/// The words of a text in lower case, without "'s".
pub fn words_of(text: &str) -> Vec<String> {
    let lower = text.to_lowercase().replace('’', "'");
    let words = lower.split(|letter: char| !letter.is_alphanumeric() && letter != '\'');
    let words = words.map(|word| word.strip_suffix("'s").unwrap_or(word).trim_matches('\''));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_about_the_person_is_not_about_others() {
        let callum = words_of("Callum's");
        assert_eq!(callum, ["callum"]);
        assert!(is_of_nobody_in("You do not like mushrooms", &callum));
        assert!(is_of_nobody_in("Rui is your brother", &callum));
        assert!(!is_of_nobody_in("You like climbing with Callum", &callum));
        assert!(!is_of_nobody_in("Quiz on Wednesdays in the evening", &callum));
        assert!(!is_of_nobody_in("You do not like mushrooms", &[]));
        let names: Vec<_> = possessives("It's Petra's, and Monday's fine".split(' ')).collect();
        assert_eq!(names, ["Petra"]);
    }

    #[test]
    fn what_tells_before_it_asks_is_not_only_a_question() {
        let of = |text: &str| {
            let evidence: Evidence = serde_json::from_value(serde_json::json!({
                "source": "chat", "source_uid": "1", "kind": "turn", "at": "2025-03-02",
                "summary": text, "visibility": "project", "payload": { "text": text },
            }))
            .unwrap();
            let (text, discount) = (text.to_owned(), Discount::NONE);
            let mut records = [Candidate { evidence: &evidence, text, profile: 0.0, discount }];
            discount_questions(&WordWeights::new(None, []), &mut records);
            records[0].discount.of(0.9)
        };
        assert_eq!(of("When is the launch?"), OF_QUESTION);
        for text in [
            "I moved the launch to May, can you help me plan it?",
            "My friend Carla suggested a webinar, should we go?",
            "The launch is in May. Who comes?",
        ] {
            assert_eq!(of(text), 0.9, "{text}");
        }
    }

    #[test]
    fn a_short_reply_with_a_time_may_answer() {
        assert!(names_time("tomorrow") && names_time("friday") && !names_time("soon"));
    }

    #[test]
    fn a_chain_of_changes_is_lifted_along_its_whole_length() {
        let id = |number: u8| OpId([number; 32]);
        let (first, second) = ([id(1)], [id(2)]);
        let records: [(OpId, &[OpId]); 3] = [(id(1), &[]), (id(2), &first), (id(3), &second)];
        let mut chances = [0.9, 0.2, 0.1];
        lift_changes("Where do I live?", &records, &mut chances);
        assert_eq!(chances, [0.9, 0.9, 0.9]);
        let mut chances = [0.1, 0.2, 0.9];
        lift_changes("Where did I live previously?", &records, &mut chances);
        assert_eq!(chances, [0.9, 0.9, 0.9]);
    }

    #[test]
    fn a_taste_answers_a_question_for_its_like() {
        let (likes, dislikes) = (Polarity::Like, Polarity::Dislike);
        assert!(asks_for_opposite("What don't I like?", likes));
        assert!(asks_for_opposite("What do I like?", dislikes));
        assert!(!asks_for_opposite("What do I like?", likes));
        assert!(!asks_for_opposite("What don't I like?", dislikes));
        assert!(!asks_for_opposite("Do I like sushi?", dislikes));
        assert!(!asks_for_opposite("What does Ana like?", dislikes));
    }

    #[test]
    fn a_question_about_the_person_alone_names_nobody() {
        assert!(is_about_asker_alone("What is my phone number?"));
        assert!(is_about_asker_alone("Where do I live?"));
        assert!(!is_about_asker_alone("Where did I meet Hanna?"));
        assert!(!is_about_asker_alone("Where is the key?"));
        assert!(speaks_of_asker("Hanna visits me") && !speaks_of_asker("Hanna sings"));
    }

    #[test]
    fn what_kin_does_is_not_what_somebody_does() {
        let text = "Petra's brother Jan lives in Geneva.";
        assert!(is_of_kin(text, "petra", "Where does Petra live?"));
        for (text, question) in [
            (text, "Where does Petra's brother live?"),
            (text, "Does Petra have siblings?"),
            ("Petra's car drives well", "What does Petra drive?"),
            ("Petra's brother lives with Petra in Geneva", "Where does Petra live?"),
            ("Petra lives in Basel", "Where does Petra live?"),
            ("Petra's", "Where does Petra live?"),
        ] {
            assert!(!is_of_kin(text, "petra", question), "{text} {question}");
        }
    }

    #[test]
    fn a_sentence_about_somebody_is_not_about_another() {
        assert_eq!(subject_of("What is Anna allergic to?"), Some("Anna"));
        assert_eq!(subject_of("How old is Lena?"), Some("Lena"));
        assert_eq!(subject_of("What did Dr. Weiss prescribe?"), Some("Weiss"));
        assert_eq!(subject_of("Who teaches German?"), None);
        assert_eq!(subject_of("What is my sister's name?"), None);
        assert_eq!(subject_of("What is I"), None);
        assert_eq!(subject_of("is"), None);
        for (text, expected) in [
            ("Ben is allergic to nuts", "is"),
            ("Ben likes nuts", "like"),
            ("Hanna's phone number is 0655", "phone"),
            ("Dr. Okafor prescribed lisinopril", "prescrib"),
            ("Finally decided to go", ""),
            ("She is allergic to nuts", ""),
            ("My sister is allergic", ""),
            ("Nuts for Ben", ""),
            ("Ben", ""),
        ] {
            assert_eq!(deed_of_somebody(text).unwrap_or_default(), expected, "{text}");
        }
    }
}
