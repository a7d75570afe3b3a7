//! The words of an answer: the best sentence of each source, or those of a language model.

use calendar::series::Series;
use engine::EngineError;
use engine::recall::answering::{SourceText, WordWeights};
use engine::recall::discounts::words_of;
use engine::recall::overruled::Overruled;
use engine::recall::past::asks_for_former;
use engine::recall::replaced::{says_it_changed, sentence_of_change};
use engine::recall::series::event_in_line;
use kernel::evidence::{Evidence, EvidenceKind};
use kernel::id::OpId;
use kernel::when::When;
use serde::Deserialize;
use serde_json::{Value, json};

use super::sources::AnswerSource;
use super::{ANSWER_CHARS_MAX, Answer, NotWorded, SourceKind, SpaceInView, Wording};
use crate::service::Session;
use crate::service::model_request::{
    Answerer, ModelAccess, ModelAnswer, ModelTask, Prompt, QuotedRecord, name_of,
};
use crate::service::opening::OpenedSpace;

/// The version of the prompt, which every kept answer names.
pub(crate) const PROMPT_VERSION: &str = "inner_voice-2";
/// Longest prompt, bytes.
const PROMPT_BYTES_MAX: usize = 128 << 10;
/// Longest excerpt of a source, characters.
const EXCERPT_CHARS_MAX: usize = 300;
/// A sentence that is cut to fit has at least so many characters.
const CUT_CHARS_MIN: usize = 40;
/// Most sentences that are taken from a model.
const SENTENCES_MAX: usize = 12;
/// What begins a sentence of which a newer source says that it has changed.
const EARLIER: &str = "Earlier: ";
/// What begins a sentence from which the person refuted what was concluded.
const REFUTED: &str = "Refuted: ";
/// What begins what the person corrected it to.
const CORRECTED: &str = "Corrected: ";
/// What ends a sentence that was cut.
const CUT: char = '…';

/// What the model has to do.
const TASK: ModelTask =
    ModelTask { name: "inner_voice", version: PROMPT_VERSION, instructions: INSTRUCTIONS, schema };

const INSTRUCTIONS: &str = "You answer a question from a person's memory. `question` is the \
    question, `sources` are the only records that may answer it, the likeliest first; those of \
    `global_sources` are from the person's memory for every project. Answer in one to four short \
    sentences, at most 600 characters in all, in the language of the question. Each sentence \
    states only what the records that it names in `sources` by their `id`s say, and names at \
    least one. The person refuted or corrected what `overruled` of a source says: state the \
    correction, and nothing that was refuted. Say who said it and when where that matters. If the \
    records do not answer the question, `sentences` is empty.";

/// A sentence of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sentence {
    /// Its words, without the numbers of its sources.
    pub(crate) text: String,
    /// The places of its sources among those of the answer, from 0; never empty.
    pub(crate) sources: Vec<usize>,
}

impl Sentence {
    /// It with the numbers of its sources, from 1.
    pub(crate) fn marked(&self) -> String {
        let numbers: Vec<String> =
            self.sources.iter().map(|place| (place + 1).to_string()).collect();
        format!("{} [{}]", self.text, numbers.join(", "))
    }
}

/// Finds the best sentence of each source.
pub(super) fn excerpt(
    spaces: &[SpaceInView<'_>],
    weights: &WordWeights,
    sources: &mut [AnswerSource],
) -> Result<(), EngineError> {
    let Some(first) = spaces.first() else { return Ok(()) };
    let texts: Vec<SourceText<'_>> = sources.iter().map(AnswerSource::titled_text).collect();
    let best = first.opened.space.reader()?.best_sentences(weights, &texts)?;
    let best = best.into_iter().map(|sentence| one_line(&sentence));
    let excerpts: Vec<String> = best
        .zip(sources.iter())
        .map(|(sentence, source)| cut(&with_its_time(sentence, source), EXCERPT_CHARS_MAX))
        .collect();
    for (source, excerpt) in sources.iter_mut().zip(excerpts) {
        source.excerpt = excerpt;
    }
    for place in 0..sources.len() {
        if let Some(sentence) = change_in(place, sources)
            && let Some(source) = sources.get_mut(place)
        {
            source.excerpt = cut(&one_line(&sentence), EXCERPT_CHARS_MAX);
        }
    }
    let replaced_by: Vec<Option<OpId>> =
        sources.iter().map(|source| replaced_by(source, sources)).collect();
    for (source, newer) in sources.iter_mut().zip(replaced_by) {
        source.replaced_by = newer;
    }
    Ok(())
}

/// The sentence of a source which says that what others say has changed, if its excerpt does not.
fn change_in(place: usize, sources: &[AnswerSource]) -> Option<String> {
    let newer = sources.get(place)?;
    let evidence = newer.evidence.as_ref()?;
    let older = sources.iter().filter(|older| newer.replaces.contains(&older.id));
    let older: Vec<(&str, &Evidence)> = older
        .filter_map(|older| Some((older.excerpt.as_str(), older.evidence.as_ref()?)))
        .collect();
    let says_it = |older: &(&str, &Evidence)| says_it_changed((&newer.excerpt, evidence), *older);
    if older.iter().any(says_it) {
        return None;
    }
    older.into_iter().find_map(|older| sentence_of_change(evidence, older))
}

/// A sentence of an event with what the event is, when and where, unless that says it all.
fn with_its_time(sentence: String, source: &AnswerSource) -> String {
    let Some(evidence) = &source.evidence else { return sentence };
    let title = one_line(evidence.payload.title.as_deref().unwrap_or_default());
    let of_title = source.titled_text();
    let heading = one_line(of_title.text.get(..of_title.title_bytes).unwrap_or_default());
    let rest = sentence.strip_prefix(heading.as_str()).unwrap_or(&sentence);
    let rest = rest.trim_start_matches([':', ' ']);
    let name = match event_in_line(evidence) {
        Some(line) => one_line(&line),
        None if (Series::is_in(evidence) || evidence.kind.0 == EvidenceKind::TASK)
            && !title.is_empty() =>
        {
            let is_called_off = evidence.kind.0 == EvidenceKind::CANCELLATION;
            if is_called_off { format!("Cancelled: {title}") } else { title }
        }
        None => return sentence,
    };
    match name.contains(rest) {
        true => name,
        false => format!("{name}: {rest}"),
    }
}

/// The source whose excerpt says that what this one's states has changed; the latest, if several.
fn replaced_by(source: &AnswerSource, sources: &[AnswerSource]) -> Option<OpId> {
    let older = (source.excerpt.as_str(), source.evidence.as_ref()?);
    let newer = sources.iter().filter(|newer| {
        let newer = newer.evidence.as_ref().map(|of| (newer.excerpt.as_str(), of));
        newer.is_some_and(|newer| says_it_changed(newer, older))
    });
    newer.max_by_key(|newer| newer.at.as_ref().map(When::instant_us)).map(|newer| newer.id)
}

/// The excerpts of the likeliest sources, as many as fit. What several sources say is said once,
/// and what has changed since is said as earlier: a question may ask for that, or for another part
/// of the sentence.
pub(super) fn extract(question: &str, sources: &[AnswerSource]) -> Vec<Sentence> {
    let mut sentences: Vec<Sentence> = Vec::new();
    let mut room = ANSWER_CHARS_MAX;
    for (place, source) in sources.iter().enumerate() {
        let mut text = said(source);
        match overruling(source) {
            Some(refuted) if !refuted.is_corrected() => text.insert_str(0, REFUTED),
            Some(corrected) if !text.is_empty() => {
                let mut said = sentences.iter().flat_map(|sentence| &sentence.sources);
                let is_said =
                    said.any(|place| sources.get(*place).is_some_and(|it| it.id == corrected.id));
                text = match is_said {
                    true => format!("{EARLIER}{text}"),
                    false => format!("{CORRECTED}{}. {EARLIER}{text}", corrected.text),
                };
            }
            _ => {}
        }
        if let Some(newer) = source.replaced_by
            && !text.is_empty()
        {
            let mut said = sentences.iter().flat_map(|sentence| &sentence.sources);
            let is_said = said.any(|place| sources.get(*place).is_some_and(|it| it.id == newer));
            if !is_said && !asks_for_former(question) {
                continue;
            }
            text.insert_str(0, EARLIER);
        }
        if let Some(same) = sentences.iter_mut().find(|sentence| sentence.text == text) {
            same.sources.push(place);
            continue;
        }
        if text.is_empty() {
            continue;
        }
        // The number of the source, in brackets, and a space before it and after it.
        let frame = (place + 1).to_string().len() + 4;
        let free = room.saturating_sub(frame);
        if text.chars().count() > free {
            if !sentences.is_empty() || free < CUT_CHARS_MIN {
                continue;
            }
            text = cut(&text, free);
        }
        room = free - text.chars().count();
        sentences.push(Sentence { text, sources: vec![place] });
    }
    // Numbers of further sources of a sentence count, too.
    while chars(&sentences) > ANSWER_CHARS_MAX && sentences.len() > 1 {
        sentences.pop();
    }
    sentences
}

/// The belief that the person overruled of those concluded from the excerpt of a source: its words
/// have what the belief is about.
fn overruling(source: &AnswerSource) -> Option<&Overruled> {
    let words = words_of(&source.excerpt);
    let is_in_excerpt = |overruled: &&Overruled| {
        let object = overruled.key.rsplit_once('|').map_or("", |(_, object)| object);
        !object.is_empty() && object.split('-').all(|word| words.iter().any(|own| own == word))
    };
    source.overruled.iter().find(is_in_excerpt)
}

fn chars(sentences: &[Sentence]) -> usize {
    sentences.iter().map(|sentence| sentence.marked().chars().count() + 1).sum()
}

/// What a source says, with the name of whoever said it.
fn said(source: &AnswerSource) -> String {
    match &source.actor {
        Some(actor) if matches!(source.kind, SourceKind::Records | SourceKind::Thoughts) => {
            format!("{}: {}", one_line(actor), source.excerpt)
        }
        _ => source.excerpt.clone(),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The beginning of a text, cut between words where it has some.
pub(super) fn cut(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    let beginning: String = text.chars().take(chars_max.saturating_sub(1)).collect();
    let words = beginning.rsplit_once(' ').map(|(words, _)| words);
    let words = words.filter(|words| words.chars().count() >= CUT_CHARS_MIN.min(chars_max / 2));
    format!("{}{CUT}", words.unwrap_or(&beginning).trim_end())
}

#[derive(Debug, Deserialize)]
struct WordedAnswer {
    sentences: Vec<WordedSentence>,
}

#[derive(Debug, Deserialize)]
struct WordedSentence {
    text: String,
    sources: Vec<String>,
}

/// Has a language model word the answer, if one is to be asked.
pub(super) fn word(
    session: &Session,
    answerer: &mut Answerer<'_>,
    space: &mut OpenedSpace,
    question: &str,
    answer: &mut Answer,
) -> Result<(), EngineError> {
    let Answerer::Model(access) = answerer else {
        if let Answerer::Unopened(failure) = std::mem::replace(answerer, Answerer::Rules) {
            answer.wording = Wording::Failed(failure);
        }
        return Ok(());
    };
    let (prompt, names) = prompt(access, space, question, &answer.sources)?;
    if names.is_empty() {
        answer.wording = Wording::NotAsked(NotWorded::SourcesArePrivate);
        return Ok(());
    }
    answer.wording = match access.ask::<WordedAnswer>(&TASK, &prompt, space, session) {
        Err(failure) => Wording::Failed(failure),
        Ok(ModelAnswer { value, origin, .. }) => {
            let number = value.sentences.len();
            let taken = take(value, &prompt, &names, &answer.sources);
            match taken.is_empty() {
                true => Wording::NotAsked(NotWorded::NothingCited),
                false => {
                    let dropped = number - taken.len();
                    answer.sentences = taken;
                    Wording::Model { origin, dropped }
                }
            }
        }
    };
    Ok(())
}

/// The names of the sources in a prompt, with their places.
type Names = Vec<(String, usize)>;

/// The question and the sources. Those of the home space are not records of the space that is
/// asked, so they have names of their own.
fn prompt(
    access: &ModelAccess<'_>,
    space: &OpenedSpace,
    question: &str,
    sources: &[AnswerSource],
) -> Result<(Prompt, Names), EngineError> {
    let mut prompt = access.prompt(space, PROMPT_BYTES_MAX);
    prompt.add_text("question", question);
    let quoted = |source: &AnswerSource| {
        QuotedRecord::new(source.id, source.kind.as_str(), source.text.as_str())
            .with("actor", &source.actor)
            .with("at", &source.at)
            .with("chance", source.chance)
            .with("overruled", Some(&source.overruled).filter(|overruled| !overruled.is_empty()))
    };
    let own: Vec<QuotedRecord> =
        sources.iter().filter(|source| source.space == 0).map(quoted).collect();
    prompt.add_records(space, "sources", own)?;
    let mut names = Names::new();
    let mut global = Vec::new();
    for (place, source) in sources.iter().enumerate() {
        if source.space == 0 {
            if prompt.shows(&source.id) {
                names.push((String::new(), place));
            }
            continue;
        }
        let QuotedRecord { id, text, fields } = quoted(source);
        let mut value = Value::Object(fields);
        value["id"] = json!(name_of(&id));
        value["text"] = json!(cut(&text, EXCERPT_CHARS_MAX * 4));
        global.push(value);
        names.push((name_of(&id), place));
    }
    if !global.is_empty() {
        prompt.add_value("global_sources", json!(global));
    }
    Ok((prompt, names))
}

/// The sentences that cite a source that the prompt showed, as many as fit.
fn take(
    answer: WordedAnswer,
    prompt: &Prompt,
    names: &Names,
    sources: &[AnswerSource],
) -> Vec<Sentence> {
    let place_of = |name: &String| {
        let id: Option<OpId> = prompt.id_of(name);
        let own = |place: &usize| {
            sources.get(*place).is_some_and(|source| source.space == 0 && Some(source.id) == id)
        };
        let is_named = |(known, place): &&(String, usize)| match known.is_empty() {
            true => own(place),
            false => known == name.trim(),
        };
        names.iter().find(is_named).map(|(_, place)| *place)
    };
    let mut taken: Vec<Sentence> = Vec::new();
    for WordedSentence { text, sources } in answer.sentences.into_iter().take(SENTENCES_MAX) {
        let mut cited: Vec<usize> = sources.iter().filter_map(place_of).collect();
        cited.sort_unstable();
        cited.dedup();
        let text = one_line(&text);
        if text.is_empty() || cited.is_empty() {
            continue;
        }
        taken.push(Sentence { text, sources: cited });
        if chars(&taken) > ANSWER_CHARS_MAX + 1 {
            taken.pop();
        }
    }
    taken
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "sentences": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "text": { "type": "string" },
                        "sources": { "type": "array", "items": { "type": "string" } },
                    },
                    "required": ["text", "sources"],
                    "additionalProperties": false,
                },
            },
        },
        "required": ["sentences"],
        "additionalProperties": false,
    })
}
