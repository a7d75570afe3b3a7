//! The tools: each makes the same engine calls as the command of the same name, and answers in two
//! forms, as data and in words.

use std::sync::Arc;
use std::time::Duration;

use engine::private::{Disclosure, Viewpoint};
use engine::recall::past::Over;
use engine::recall::receipts::Recipient;
use engine::{EngineError, Space};
use jiff::Timestamp;
use kernel::body::Body;
use kernel::id::OpId;
use retrieval::text::visible::visible;
use serde::Serialize;
use serde_json::Value;
use store::sqlite::Filter;

use super::answers::{self, Changed, Fact, Object, QueryEmbedder, Recalled, Remembered};
use super::arguments::{Call, Recall, Remember};
use super::failures::Failed;
use super::quote::{READING, quote};
use super::whose::Whose;
use crate::failure::{Failure, RequestError, within};
use crate::service::agents::{Agent, UNNAMED, is_name_of_user, program_name};
use crate::service::change_wording::is_news;
use crate::service::clock::ClockWarning;
use crate::service::disclosure::is_private_change;
use crate::service::effective::{EffectiveView, Scope, has_for_every_project};
use crate::service::notes::{Note, speaker};
use crate::service::opening::OpenedSpace;
use crate::service::query_embedding::EmbedderPool;
use crate::service::recall::{
    RecallAnswer, RecallRequest, ReceiptPolicy, SearchScope, SearchedSpace, recall,
};
use crate::service::surfacing::Conversations;
use crate::service::{Session, derivation};
pub(crate) use caller::TokenCaller;
use caller::{Caller, Reader};
use opened::Opened;

mod caller;
mod context;
mod explain;
mod graph;
mod inner_voice;
mod maintenance;
mod moderate;
mod observe;
mod opened;
mod propose;
mod review;
mod state;
mod why;

/// Items recalled by default, and at most.
const LIMIT: u32 = 5;
const LIMIT_MAX: u32 = 50;
/// Most records shown beside an episode.
const AROUND_MAX: u32 = 5;
/// Changed beliefs named in an answer.
const CHANGED_MAX: usize = 20;
/// Repeated records named in an answer.
const REPEATED_MAX: usize = 5;
/// How long writing receipts waits for another process that writes some. A call may come meanwhile.
const RECEIPTS_WAIT: Duration = Duration::from_millis(20);
/// What an answer says if memory seems to hold no answer.
const NOTHING_ANSWERS: &str = "Nothing in memory seems to answer this; at best, what is shown is the nearest. Say that you do not know instead of guessing.";
/// The advice where the home space alone has what a call wanted to change.
const IN_HOME_SPACE: &str = "It is in the user's home memory, which every project reads and none changes. Tell the user, who can change it there with `because --space global`; what you state here is this project's own.";

/// An answer in both forms.
pub(crate) struct Answered {
    pub(crate) text: String,
    pub(crate) structured: Value,
}

impl Answered {
    fn new(text: String, structured: &impl Serialize) -> Result<Self, Failure> {
        let mut structured = serde_json::to_value(structured).map_err(std::io::Error::from)?;
        show_all(&mut structured);
        Ok(Self { text, structured })
    }
}

/// Leaves nothing in the texts that a model would read and a person would not see.
fn show_all(value: &mut Value) {
    match value {
        Value::String(text) => *text = visible(text),
        Value::Array(values) => values.iter_mut().for_each(show_all),
        Value::Object(fields) => fields.values_mut().for_each(show_all),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The answer to a call, or a question that the user has to be asked first.
pub(crate) enum Response {
    Answer(Answered),
    Question { message: String, token: String },
}

/// The memory: a space, who calls, and the models that embed questions.
pub(crate) struct Memory {
    session: Session,
    caller: Caller,
    opened: Opened,
    pool: EmbedderPool,
    conversations: Conversations,
    /// Something was written that the chosen model has not embedded yet.
    is_unread: bool,
}

impl Memory {
    pub(super) fn new(session: Session, installed: Option<String>) -> Self {
        Self {
            session,
            caller: Caller::host(installed),
            opened: Opened::default(),
            pool: EmbedderPool::default(),
            conversations: Conversations::default(),
            is_unread: false,
        }
    }

    /// Answers one call of a token with the space that a server opened. Gives back the space, the
    /// models and the conversations.
    pub(crate) fn answer_token(
        session: Session,
        (opened, caller): (OpenedSpace, TokenCaller),
        kept: (EmbedderPool, Conversations),
        call: Call,
    ) -> (Option<OpenedSpace>, (EmbedderPool, Conversations), Result<Response, Failed>) {
        let mut memory = Self {
            opened: Opened::served(&session, opened),
            session,
            caller: Caller::Token(caller),
            pool: kept.0,
            conversations: kept.1,
            is_unread: false,
        };
        let answered = memory.answer(call);
        (memory.opened.into_served(), (memory.pool, memory.conversations), answered)
    }

    /// The agent in whose name a program calls. Its key is made at its first write.
    fn agent(&mut self, session: &Session, program: Option<&str>) -> Result<Arc<Agent>, Failure> {
        self.caller.agent(session, program)
    }

    /// In whose name a program reads, which needs no key.
    fn reader(&self, program: Option<&str>) -> Reader {
        self.caller.reader(program)
    }

    /// Closes everything; the next call opens it again.
    pub(super) fn forget_everything(&mut self) {
        self.opened = Opened::default();
        self.pool = EmbedderPool::default();
    }

    /// Answers a call.
    pub(super) fn answer(&mut self, call: Call) -> Result<Response, Failed> {
        // A program runs for days, so each call has its own time; the server gives one to each.
        let session = match self.caller {
            Caller::Host { .. } => self.session.at(Timestamp::now()),
            Caller::Token(_) => self.session.clone(),
        };
        let answered = match call {
            Call::Remember(arguments, program) => self.remember(&session, arguments, program),
            Call::Recall(arguments, program) => self.recall(&session, arguments, program),
            Call::InnerVoice(arguments, program) => {
                self.inner_voice(&session, &arguments, program.as_deref())
            }
            Call::GetContext(arguments, program) => self.get_context(&session, arguments, program),
            Call::Observe(arguments, program) => self.observe(&session, arguments, program),
            Call::Explain(arguments, program) => {
                self.explain(&session, &arguments, program.as_deref())
            }
            Call::State(arguments, program) => self.state(&session, arguments, program),
            Call::Connect(arguments, program) => self.connect(&session, arguments, program),
            Call::Graph(arguments, program) => self.graph(&session, arguments, program.as_deref()),
            Call::Why(arguments, program) => self.why(&session, &arguments, program.as_deref()),
            Call::ProposePatch(arguments, program) => {
                self.propose_patch(&session, arguments, program)
            }
            Call::Review(arguments, program) => {
                self.review(&session, &arguments, program.as_deref())
            }
            Call::Maintain(arguments, program) => {
                self.maintenance(&session, &arguments, program.as_deref())
            }
            Call::Moderate(arguments, asking) => {
                return self.moderate(&session, &arguments, asking).map_err(|it| self.failed(it));
            }
            Call::Propose(action, asking) => {
                return self.propose(&session, action, asking).map_err(|it| self.failed(it));
            }
        };
        answered.map(Response::Answer).map_err(|failure| self.failed(failure))
    }

    /// A failure with advice, if the home space has what a call wanted to change.
    fn failed(&self, failure: Failure) -> Failed {
        let name = match &failure {
            Failure::Engine(EngineError::UnknownId { prefix }) => Some(prefix),
            Failure::Engine(EngineError::UnknownBelief { name, .. }) => Some(name),
            _ => None,
        };
        let has = |name: &String| {
            // A token knows of no space but those that it names.
            let Caller::Host { .. } = self.caller else { return false };
            let home = self.session.home_under().ok().flatten();
            home.is_some_and(|home| has_for_every_project(&home, name))
        };
        let advice = name.is_some_and(has).then_some(IN_HOME_SPACE);
        Failed { failure: Box::new(failure), advice }
    }

    /// Work that is done while nobody waits: the chosen model embeds new records.
    pub(super) fn follow_up(&mut self) {
        if !std::mem::take(&mut self.is_unread) {
            return;
        }
        let session = self.session.at(Timestamp::now());
        if let Ok(open) = self.opened.writable(&session) {
            // A failure is retried after the next write, and `because status` shows it.
            let _ = self.pool.embed_new_records(&session, &mut open.spaces.own);
        }
    }

    /// Whether receipts or the use of thoughts wait to be written.
    pub(super) fn has_unwritten(&self) -> bool {
        self.opened.all().any(Space::has_unwritten)
    }

    /// Writes the receipts and the use that wait. Returns whether nothing is left.
    pub(super) fn write_journal(&self) -> bool {
        let mut all = true;
        self.opened.all().for_each(|space| all &= space.write_journal(RECEIPTS_WAIT).is_ok());
        all
    }

    fn remember(
        &mut self,
        session: &Session,
        arguments: Remember,
        program: Option<String>,
    ) -> Result<Answered, Failure> {
        let Remember { text, actor, at, tags } = arguments;
        let (actor, role) =
            speaker(actor.as_deref().unwrap_or_default().trim(), program.as_deref())?;
        let agent = self.agent(session, program.as_deref())?;
        let reader = self.reader(program.as_deref());
        let tags = tags.unwrap_or_default();
        let mut note = Note { text, actor, role, agent: Some(agent.sealer.author()), at, tags };
        note.check_limits(session)?;
        let open = self.opened.writable_or_new(session)?;
        let clock = clock_warning(&open.spaces.own, session)?;
        let (passed, mut words) = open.warning();
        let space = &mut open.spaces.own.space;
        let keys = space.key_ring()?;
        if note.actor.as_deref().is_some_and(|actor| is_name_of_user(actor, &keys)) {
            match role {
                // A token that speaks for the person has such a name itself.
                Some(_) if reader.speaks_for_person() => {}
                Some(_) => note.actor = Some(UNNAMED.to_owned()),
                None => {
                    let actor = note.actor.unwrap_or_default();
                    return Err(RequestError::AmbiguousActor { actor }.into());
                }
            }
        }
        let note = note.check(session)?;
        agent.let_in(space, session.now)?;
        let remembered = note.record(space.writer_with(&agent.sealer), session.now)?;
        self.is_unread = remembered.is_new;
        self.conversations.note_shown([remembered.id]);
        let derived = derivation::derive_new_by(&agent.sealer, space, session.now)?;
        let disclosure = reader.disclosure(session, space);
        let mut changed = Vec::new();
        let all = derived.iter().flat_map(|(_, changes)| &changes.beliefs);
        for (key, change) in all.filter(|(_, change)| is_news(change)) {
            if disclosure == Disclosure::Full || !is_private_change(space, change)? {
                changed.push((key, change));
            }
        }
        let answer = Remembered {
            id: remembered.id.to_string(),
            is_new: remembered.is_new,
            repeats: repeated_by(space, &remembered.id, disclosure)?,
            masked: remembered.masked.iter().map(ToString::to_string).collect(),
            changed: changed
                .into_iter()
                .take(CHANGED_MAX)
                .map(|(key, change)| Changed::of(key, change, session.now.as_microsecond()))
                .collect(),
            warning: joined(passed, clock.clone()),
        };
        words.push_str(&remembered_in_words(&answer, clock.as_deref()));
        Answered::new(words, &answer)
    }

    fn recall(
        &mut self,
        session: &Session,
        arguments: Recall,
        program: Option<String>,
    ) -> Result<Answered, Failure> {
        let Recall { query, limit, search_type, since, until, path, around, as_of, valid_at } =
            arguments;
        let request = RecallRequest::new(&query, LIMIT as usize)?;
        let limit = within("limit", limit.unwrap_or(LIMIT), 1, LIMIT_MAX)? as usize;
        let neighbours = within("around", around.unwrap_or_default(), 0, AROUND_MAX)?;
        let (since_us, until_us) = session.times().window_us(since.as_deref(), until.as_deref())?;
        let Viewpoint { as_of_us, valid_at_us, .. } =
            session.times().viewpoint(as_of.as_deref(), valid_at.as_deref())?;
        let paths = path.into_iter().collect();
        let filter = Filter { since_us, until_us, as_of_us, paths, ..Filter::default() };
        let is_past = until_us.is_some_and(|until| until <= session.now.as_microsecond());
        let reader = self.reader(program.as_deref());
        let agent = program_name(program.as_deref());
        let request = RecallRequest {
            scope: search_type.map_or_else(|| SearchScope::implied_by(&filter), SearchScope::from),
            limit,
            facts_beside_max: limit,
            filter,
            valid_at_us,
            neighbours,
            over: if is_past { Over::Include } else { Over::OnlyIfPast },
            reader: Some((Recipient { agent: &agent, session: None }, ReceiptPolicy::WhereShown)),
            ..request
        };
        let (found, places, whose) = match self.opened.readable(session) {
            Ok(open) => {
                let EffectiveView { own, scope, home, .. } = &mut open.spaces;
                let places = vec![(*scope, own.owner.clone()), (Scope::Global, None)];
                let disclosure = reader.disclosure(session, own);
                let mut searched = vec![SearchedSpace::new(&mut own.space, disclosure)];
                if let Some(home) = home {
                    searched.push(SearchedSpace::under_first(session, &mut home.space)?);
                }
                let found = recall(session, &mut self.pool, &mut searched, &request)?;
                (found, places, open.whose())
            }
            // Where nothing was ever remembered, the answer is empty. That is not a failure.
            Err(Failure::NoSpace) => {
                (RecallAnswer::empty(request.scope), Vec::new(), Whose::default())
            }
            Err(failure) => return Err(failure),
        };
        let facts = found.facts.iter().map(|fact| fact.item.id);
        let episodes = found.episodes.iter().map(|episode| episode.item.id);
        self.conversations.note_shown(facts.chain(episodes));
        let answer = Recalled::of(&found, &places, whose, &session.zone);
        Answered::new(recalled_in_words(&answer), &answer)
    }
}

/// Two warnings as one.
fn joined(first: Option<String>, second: Option<String>) -> Option<String> {
    let both: Vec<String> = first.into_iter().chain(second).collect();
    (!both.is_empty()).then(|| both.join(" "))
}

/// What to tell the user where the clock and the space disagree.
fn clock_warning(space: &Space, session: &Session) -> Result<Option<String>, Failure> {
    let warning = ClockWarning::of(space, session.now)?;
    Ok(warning.map(|warning| {
        format!("Tell the user: {warning}. `because doctor` says what to do about it.")
    }))
}

/// The ids that a record only repeats, from the mark it got when it was written.
/// Those that the agent may not see are left out.
fn repeated_by(space: &Space, id: &OpId, disclosure: Disclosure) -> Result<Vec<String>, Failure> {
    let shown = space.show(id)?;
    let body = shown
        .operation
        .body()
        .and_then(|bytes| Body::parse(&shown.operation.header().kind, bytes).ok());
    let echo = match &body {
        Some(Body::Evidence(evidence)) => evidence.echo(),
        _ => None,
    };
    let mut repeated = Vec::new();
    for id in echo.into_iter().flat_map(|echo| echo.of).take(REPEATED_MAX) {
        if !space.is_withheld(&id, disclosure)? {
            repeated.push(id.to_string());
        }
    }
    Ok(repeated)
}

/// The fields of a value; none if it is not an object.
fn object(value: Value) -> Object {
    match value {
        Value::Object(fields) => fields.into_iter().collect(),
        _ => Object::new(),
    }
}

fn remembered_in_words(answer: &Remembered, clock: Option<&str>) -> String {
    let mut words = match answer.is_new {
        true => format!("Remembered as {}.\n", answer.id),
        false => format!("This was recorded before, as {}.\n", answer.id),
    };
    if !answer.repeats.is_empty() {
        let of = answer.repeats.join(", ");
        words.push_str(&format!(
            "It only repeats what is in memory ({of}), so it does not count as new evidence. There was no need to write it down.\n"
        ));
    }
    if let Some(clock) = clock {
        words.push_str(&format!("{clock}\n"));
    }
    for kind in &answer.masked {
        words.push_str(&format!("A secret was masked: {kind}\n"));
    }
    if !answer.changed.is_empty() {
        words.push_str(&format!("Therefore these beliefs changed. {READING}\n"));
    }
    for Changed { key, now, before, band } in &answer.changed {
        let line = match (now, before) {
            (Some(now), None) => format!("new: {now} ({})", band.as_deref().unwrap_or_default()),
            (Some(now), Some(_)) => format!("now: {now} ({})", band.as_deref().unwrap_or_default()),
            (None, before) => format!("no longer: {}", before.as_deref().unwrap_or_default()),
        };
        quote(&mut words, &format!("{line}  key {key}"));
    }
    words
}

fn recalled_in_words(answer: &Recalled) -> String {
    let Recalled { facts, episodes, behind, embedder, .. } = answer;
    let whose = answer.whose.in_words();
    let unanswered = embedder.as_ref().and_then(QueryEmbedder::in_words).unwrap_or_default();
    if facts.is_empty() && episodes.is_empty() {
        let nothing = "Nothing in memory fits this question. Say that you do not know, or search with other words: names, places, dates.";
        return format!("{whose}{nothing}\n{unanswered}").trim_end().to_owned();
    }
    let mut words = format!("{whose}{READING}\n");
    if answer.abstains {
        words.push_str(&format!("{NOTHING_ANSWERS}\n"));
    }
    if !facts.is_empty() {
        words.push_str("\nFacts:\n");
    }
    for (number, fact) in (1..).zip(facts) {
        let Fact { key, text, sureness, scope, .. } = fact;
        words.push_str(&format!("{number}. {sureness}{}\n", scope_in_words(scope)));
        quote(&mut words, &format!("{text}\nkey {key}"));
    }
    if !episodes.is_empty() {
        words.push_str("\nEpisodes:\n");
    }
    for (number, episode) in (1..).zip(episodes) {
        let cut = if episode.is_cut { ", only the beginning: explain gives all" } else { "" };
        words.push_str(&format!("{number}. id {}{cut}\n", episode.id));
        for older in &episode.replaces {
            words.push_str(&format!("replaces what was said before in {older}\n"));
        }
        quote(&mut words, &episode.heading());
        for beside in &episode.before {
            quote(&mut words, &beside_in_words("before", beside));
        }
        quote(&mut words, &episode.text);
        for overruled in &episode.overruled {
            quote(&mut words, &overruled.in_words());
        }
        for beside in &episode.after {
            quote(&mut words, &beside_in_words("after", beside));
        }
    }
    words.push_str(&unanswered);
    if *behind > 0 {
        words.push_str(&format!(
            "{behind} operations are not indexed yet; the newest records may be missing.\n"
        ));
    }
    words
}

/// Words beside something of the home space; none beside anything else.
fn scope_in_words(scope: &str) -> &'static str {
    if scope == Scope::Global.as_str() { ", for every project" } else { "" }
}

fn beside_in_words(place: &str, beside: &answers::Beside) -> String {
    let who = beside.who.as_deref().map(|who| format!("{who}: ")).unwrap_or_default();
    format!("({place}) {who}{}", beside.text)
}
