//! What memory brings up unasked while a conversation proceeds.
//!
//! A host passes on the turns of a conversation one by one. The engine's stream searches with the
//! last two of them in the background, and [`surface`] returns what may surface unasked
//! ([`engine::recall::context::unasked`]), without what the turns say themselves and what was shown
//! in the conversation before, by whichever tool. Nothing private is found.
//!
//! A turn waits for its search for [`SEARCH_WAIT`] at most. What is found later comes with the next
//! turn. After a turn of the assistant nobody reads an answer, so such a turn only begins a search.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use engine::private::Viewpoint;
use engine::recall::context::gather::{Wanted, end_within};
use engine::recall::context::unasked::COUNT;
use engine::recall::context::{Budget, Context, Gathered, Request, Turn};
use engine::recall::stream::{Prepared, Stream};
use engine::tokens::O200k;
use kernel::id::OpId;
use store::Position;

use super::Session;
use super::context::add_facts_under;
use super::opening::{OpenedSpace, SpaceUse};
use crate::failure::Failure;

/// How long a turn waits for its search. Source: the specification of facts allows 100 ms a turn.
const SEARCH_WAIT: Duration = Duration::from_millis(100);
/// Default tokens of what surfaces. Source: the specification of facts, "Context budget": 200 of
/// facts, 200 of episodes.
pub(crate) const BUDGET_TOKENS: usize = 400;
/// Turns of a conversation that are kept; memory that repeats one of them does not surface.
const TURNS_KEPT_MAX: usize = 8;
/// Longest end of a turn that is kept, bytes.
const TURN_BYTES_MAX: usize = 64 * 1024;
/// Operations that a conversation is known to have seen; beyond, the earliest may surface again.
const SHOWN_MAX: usize = 4_096;
/// Conversations that are kept; beyond, the one that was quiet for longest begins anew.
const CONVERSATIONS_MAX: usize = 16;

/// The conversations of a process, the current one last.
#[derive(Default)]
pub(crate) struct Conversations(VecDeque<Conversation>);

/// What a conversation has said and seen.
#[derive(Default)]
pub(crate) struct Conversation {
    name: String,
    turns: VecDeque<Turn>,
    shown: BTreeSet<OpId>,
    /// The same in the order in which they were shown.
    shown_order: VecDeque<OpId>,
}

/// Who spoke a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TurnRole {
    /// The model that reads what surfaces.
    Assistant,
    /// The user, or anybody else.
    Other,
}

/// A turn that a host passes on.
pub(crate) struct ObservedTurn<'a> {
    /// The turn.
    pub(crate) turn: Turn,
    /// Who spoke it.
    pub(crate) role: TurnRole,
    /// Most tokens of what it brings up.
    pub(crate) budget_tokens: usize,
    /// The agent who reads that, for the receipt.
    pub(crate) agent: &'a str,
}

/// What a turn brings up.
#[derive(Default)]
pub(crate) struct Surfaced {
    /// What surfaced; none if nothing did.
    pub(crate) context: Option<Context>,
    /// True if the search for the turn goes on, and its result comes with the next turn.
    pub(crate) is_searching: bool,
    /// The operations in it that are of the home space under the project.
    pub(crate) elsewhere: BTreeSet<OpId>,
}

impl Conversations {
    /// The conversation with this name, which becomes the current one.
    pub(crate) fn named(&mut self, name: &str) -> &mut Conversation {
        let known = self.0.iter().position(|conversation| conversation.name == name);
        let conversation = known
            .and_then(|place| self.0.remove(place))
            .unwrap_or_else(|| Conversation { name: name.to_owned(), ..Conversation::default() });
        if self.0.len() >= CONVERSATIONS_MAX {
            self.0.pop_front();
        }
        self.0.push_back_mut(conversation)
    }

    /// Notes what the current conversation was shown, by whichever means.
    pub(crate) fn note_shown(&mut self, ids: impl IntoIterator<Item = OpId>) {
        let current = self.0.back().map(|current| current.name.clone()).unwrap_or_default();
        self.named(&current).note_shown(ids);
    }
}

impl Conversation {
    /// Adds a turn. One that repeats the newest counts once: a host and its model may both pass it
    /// on.
    fn add(&mut self, turn: &Turn) {
        let text = end_within(&turn.text, TURN_BYTES_MAX).to_owned();
        let turn = Turn { speaker: turn.speaker.clone(), text };
        if self.turns.back() == Some(&turn) {
            return;
        }
        if self.turns.len() >= TURNS_KEPT_MAX {
            self.turns.pop_front();
        }
        self.turns.push_back(turn);
    }

    fn note_shown(&mut self, ids: impl IntoIterator<Item = OpId>) {
        for id in ids {
            if self.shown.insert(id) {
                self.shown_order.push_back(id);
            }
        }
        while self.shown_order.len() > SHOWN_MAX {
            if let Some(earliest) = self.shown_order.pop_front() {
                self.shown.remove(&earliest);
            }
        }
    }
}

/// Starts a stream on the space of the session; none if that is another one than `opened`, because
/// a space appeared or was trusted meanwhile.
pub(crate) fn start_stream(
    session: &Session,
    opened: &OpenedSpace,
) -> Result<Option<Stream>, Failure> {
    let again = session.open(SpaceUse::Read)?;
    if again.path() != opened.path() {
        return Ok(None);
    }
    Ok(Some(Stream::start(again.space)?))
}

/// Adds a turn to a conversation, and returns what it brings up, in a space with the home space
/// under it. Without a stream in the background, the turn waits for its search.
pub(crate) fn surface(
    session: &Session,
    (opened, home): (&mut OpenedSpace, Option<&mut OpenedSpace>),
    stream: Option<&Stream>,
    conversation: &mut Conversation,
    observed: &ObservedTurn<'_>,
) -> Result<Surfaced, Failure> {
    conversation.add(&observed.turn);
    let turns: Vec<Turn> = conversation.turns.iter().cloned().collect();
    if let Some(stream) = stream {
        stream.follow(&turns, session.now, Some(session.today()));
    }
    if observed.role == TurnRole::Assistant {
        return Ok(Surfaced { is_searching: true, ..Surfaced::default() });
    }
    let found = stream.map(|stream| stream.settled_within(SEARCH_WAIT));
    let found = found.map(|found| Ok(usable(found, &turns, opened.reader()?.head()?)));
    let (gathered, is_searching) = match found.transpose().map_err(Failure::Engine)? {
        Some(Usable::Newest(gathered)) => (gathered, false),
        Some(Usable::Earlier(gathered)) => (gathered, true),
        // Nothing searches in the background, or what it found is outdated. A search that failed
        // returns its error itself.
        None | Some(Usable::Outdated) => {
            (Arc::new(opened.gather(&wanted(session, &turns))?), false)
        }
        Some(Usable::Nothing) if stream.is_some_and(|stream| stream.failure().is_some()) => {
            (Arc::new(opened.gather(&wanted(session, &turns))?), false)
        }
        Some(Usable::Nothing) => {
            return Ok(Surfaced { is_searching: true, ..Surfaced::default() });
        }
    };
    let (mut gathered, wanted) = (gathered.unasked(), wanted(session, &turns));
    let elsewhere = match &home {
        Some(home) => {
            let mut all = Gathered { facts: Vec::new(), ..Gathered::default() };
            let ids = add_facts_under(session, (opened, home), &wanted, &mut all)?;
            gathered.facts.append(&mut all.unasked().facts);
            gathered.facts.sort_by(|one, other| other.relevance.total_cmp(&one.relevance));
            ids
        }
        None => BTreeSet::new(),
    };
    let request = Request {
        elsewhere,
        session: Some(conversation.name.clone()).filter(|name| !name.is_empty()),
        known_turns: turns,
        shown: conversation.shown.clone(),
        budget: budget(observed.budget_tokens),
        facts: COUNT,
        episodes: COUNT,
        prepared: Some(Arc::new(gathered)),
        today: Some(session.today()),
        owner: opened.owner.clone(),
        ..Request::new(observed.agent, session.now)
    };
    let composed = opened.reader()?.compose(&request, &O200k)?;
    if composed.context.items.is_empty() {
        return Ok(Surfaced { is_searching, ..Surfaced::default() });
    }
    let context = opened.writer().issue_context(&request, composed)?;
    if let Some(home) = home {
        home.writer().issue_elsewhere(&request, &wanted.text, &context)?;
    }
    conversation.note_shown(context.items.iter().filter_map(|item| item.id));
    Ok(Surfaced { context: Some(context), is_searching, elsewhere: request.elsewhere })
}

/// What the background search has for a conversation.
#[derive(Debug, PartialEq)]
enum Usable {
    /// The results for its newest turn.
    Newest(Arc<Gathered>),
    /// The results for the turn before, whose search ended only now.
    Earlier(Arc<Gathered>),
    /// The results for its newest turn, from before something was written: what was forgotten or
    /// became private since may be among them.
    Outdated,
    /// Nothing.
    Nothing,
}

/// What of the results is for the conversation with these turns, in a ledger that goes this far.
fn usable(found: Option<Prepared>, turns: &[Turn], head: Position) -> Usable {
    let (Some(found), Some((_, before))) = (found, turns.split_last()) else {
        return Usable::Nothing;
    };
    let Prepared { gathered, head: searched_head, .. } = found;
    let is_newest = gathered.query == Wanted::last_turns(turns);
    let is_earlier = gathered.query == Wanted::last_turns(before);
    match searched_head >= head {
        true if is_newest => Usable::Newest(gathered),
        true if is_earlier => Usable::Earlier(gathered),
        false if is_newest => Usable::Outdated,
        _ => Usable::Nothing,
    }
}

fn wanted(session: &Session, turns: &[Turn]) -> Wanted {
    let (now, today) = (session.now, Some(session.today()));
    Wanted {
        text: Wanted::last_turns(turns),
        by_model: BTreeMap::new(),
        now,
        today,
        viewpoint: Viewpoint::default(),
    }
}

/// Half for facts, and what they leave for episodes.
fn budget(tokens: usize) -> Budget {
    let half = tokens / 2;
    Budget {
        total: tokens,
        turns_min: 0,
        turns_max: 0,
        tool_results: 0,
        facts: half,
        episodes: half,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(text: &str) -> Turn {
        Turn { speaker: "user".to_owned(), text: text.to_owned() }
    }

    fn id(number: usize) -> OpId {
        OpId::from_slice(blake3::hash(&number.to_le_bytes()).as_bytes()).unwrap()
    }

    #[test]
    fn results_are_used_for_their_own_conversation_and_while_nothing_was_written() {
        let found = |turns: &[Turn], head: u64| {
            let query = Wanted::last_turns(turns);
            let gathered = Arc::new(Gathered { query, ..Gathered::default() });
            Some(Prepared { after_turns: 1, head: Position(head), gathered })
        };
        let turns = [turn("a"), turn("b"), turn("c")];
        let check = |found| usable(found, &turns, Position(7));
        assert!(matches!(check(found(&turns, 7)), Usable::Newest(_)));
        assert!(matches!(check(found(&turns, 8)), Usable::Newest(_)));
        assert!(matches!(check(found(&turns[..2], 7)), Usable::Earlier(_)));
        assert_eq!(check(found(&turns, 6)), Usable::Outdated);
        assert_eq!(check(found(&turns[..2], 6)), Usable::Nothing);
        assert_eq!(check(found(&[turn("x"), turn("c")], 7)), Usable::Nothing);
        assert_eq!(check(None), Usable::Nothing);
    }

    #[test]
    fn conversations_are_kept_apart_and_within_limits() {
        let mut conversations = Conversations::default();
        conversations.note_shown([id(0)]);
        assert!(conversations.named("").shown.contains(&id(0)));
        for number in 0..CONVERSATIONS_MAX {
            conversations.named(&number.to_string());
            conversations.note_shown([id(number)]);
        }
        assert_eq!(conversations.0.len(), CONVERSATIONS_MAX);
        assert!(conversations.named("").shown.is_empty(), "the first was quiet for longest");
        let last = conversations.named(&(CONVERSATIONS_MAX - 1).to_string());
        assert_eq!(last.shown, [id(CONVERSATIONS_MAX - 1)].into());
        last.note_shown((0..SHOWN_MAX + 10).map(id));
        assert_eq!((last.shown.len(), last.shown_order.len()), (SHOWN_MAX, SHOWN_MAX));
        assert!(last.shown.contains(&id(SHOWN_MAX + 9)) && !last.shown.contains(&id(0)));
    }

    #[test]
    fn a_turn_that_is_passed_on_twice_counts_once_and_only_its_end_is_kept() {
        let mut conversation = Conversation::default();
        for text in ["a", "b", "b", "a"] {
            conversation.add(&turn(text));
        }
        assert_eq!(conversation.turns, [turn("a"), turn("b"), turn("a")]);
        for number in 0..2 * TURNS_KEPT_MAX {
            conversation.add(&turn(&format!("{number}{}end", "é".repeat(TURN_BYTES_MAX))));
        }
        assert_eq!(conversation.turns.len(), 4, "their ends are the same");
        let newest = &conversation.turns[3].text;
        assert!(newest.len() <= TURN_BYTES_MAX && newest.ends_with("éend"));
        (0..2 * TURNS_KEPT_MAX).for_each(|number| conversation.add(&turn(&number.to_string())));
        assert_eq!(conversation.turns.len(), TURNS_KEPT_MAX);
    }
}
