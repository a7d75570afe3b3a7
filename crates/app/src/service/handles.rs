//! Who the person is: the names and addresses that they gave, in their home space.
//!
//! Each is a fact in words with a tag (`me:name`, `me:email`, `me:alias`), so it has a history, is
//! taken back like other claims, and merges with what another device states. Only claims whose
//! author may speak for the person count. Derivers of every space that the person made are told:
//! where the names change, what depends on them is derived again
//! (`docs/design/0053-who-you-are.md`).

use std::path::Path;
use std::time::{Duration, Instant};

use derivers::owner::Owner;
use engine::Space;
use engine::belief::claims::ClaimFilter;
use engine::derive::Derived;
use engine::write::commit::Changes;
use engine::write::graph::{GraphChange, NamedChange, RecordType, Reference, Statement};
use engine::write::import::Intent;
use importers::Importer;
use kernel::body::TextClaimType;
use kernel::evidence::Visibility;
use kernel::id::OpId;
use kernel::kind::Capability;
use serde::Serialize;

use super::Session;
use super::agreed_settings::{UsersClaim, claims_of_user};
use super::derivation::derive_new;
use super::graph::statement;
use super::opening::{HomeStamp, OpenedSpace};
use crate::failure::Failure;
use crate::place::Home;

/// What the tags of these facts begin with.
const TAG: &str = "me:";
/// Longest name or address, characters.
pub(crate) const VALUE_CHARS_MAX: usize = 200;
/// Reason of a retraction.
const REMOVED: &str = "no longer one of the person's names";

/// What a person goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Handle {
    /// A name in full.
    Name,
    /// An e-mail address.
    Email,
    /// Another name: of an account, in a chat, at work.
    Alias,
}

impl Handle {
    const ALL: [Self; 3] = [Self::Name, Self::Email, Self::Alias];

    fn tag(self) -> &'static str {
        match self {
            Self::Name => "me:name",
            Self::Email => "me:email",
            Self::Alias => "me:alias",
        }
    }

    /// How the fact begins; the value follows.
    fn opening(self) -> &'static str {
        match self {
            Self::Name => "Your name is ",
            Self::Email => "Your e-mail address is ",
            Self::Alias => "You are also called ",
        }
    }

    /// How the person says so.
    fn own_words(self, value: &str) -> String {
        match self {
            Self::Name => format!("My name is {value}."),
            Self::Email => format!("My e-mail address is {value}"),
            Self::Alias => format!("I am also called {value}."),
        }
    }
}

/// A name or address that the person gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct StatedHandle {
    /// What it is.
    pub(crate) kind: Handle,
    /// As it was given.
    pub(crate) value: String,
    /// The claim that states it.
    pub(crate) id: OpId,
}

/// What a person goes by, as a space states it.
pub(crate) fn stated(space: &Space) -> Result<Vec<StatedHandle>, Failure> {
    let filter = ClaimFilter {
        claim_type: Some(TextClaimType::Fact.as_str().to_owned()),
        tag_prefix: Some(TAG.to_owned()),
        ..ClaimFilter::default()
    };
    let mut found = Vec::new();
    for UsersClaim { belief, id, .. } in claims_of_user(space, &filter)? {
        for kind in Handle::ALL {
            let is_tagged = belief.tags.iter().any(|tag| tag == kind.tag());
            if let Some(value) = belief.text.strip_prefix(kind.opening()).filter(|_| is_tagged) {
                found.push(StatedHandle { kind, value: value.to_owned(), id });
            }
        }
    }
    found.sort_by(|a, b| (a.kind, &a.value, a.id).cmp(&(b.kind, &b.value, b.id)));
    Ok(found)
}

/// The same in the home space; nothing without one.
pub(crate) fn stated_at_home(session: &Session) -> Result<Vec<StatedHandle>, Failure> {
    session.home_space()?.map_or(Ok(Vec::new()), |home| stated(&home))
}

/// Who the person is, by what the home space states; unknown without one.
pub(crate) fn owner_at_home(session: &Session) -> Result<Owner, Failure> {
    Ok(owner_of(&stated_at_home(session)?))
}

/// The owner by these names and addresses.
fn owner_of(stated: &[StatedHandle]) -> Owner {
    let of = |wants_email: bool| {
        stated
            .iter()
            .filter(move |handle| (handle.kind == Handle::Email) == wants_email)
            .map(|handle| handle.value.as_str())
    };
    Owner::new(of(false), of(true))
}

/// Tells the derivers of a space who its owner is, if the person made the space or may speak for
/// the person who did, as with another device of theirs. In what somebody else made and the person
/// only adds to, "you" is not the person alone.
pub(crate) fn set_owner_names(home: &Home, space: &mut Space) -> Result<(), Failure> {
    let now = jiff::Timestamp::now();
    let path = home.global_space();
    let known = if space.path() == path {
        stated(space)?
    } else if path.exists() {
        let of_home = Space::open(&path, home.signer()?)?;
        let maker = space.key_ring()?.owner();
        let keys = of_home.key_ring()?;
        let is_ours = maker.is_some_and(|maker| {
            maker == space.author() || keys.owner() == Some(maker) || keys.holds_any(&maker)
        }) || space.reader()?.may(&space.author(), Capability::Correct, now)?;
        if is_ours { stated(&of_home)? } else { Vec::new() }
    } else {
        Vec::new()
    };
    space.set_derivers(derivers::builtin_for(&owner_of(&known)));
    Ok(())
}

/// How often the names are looked up at most for a space that stays open.
const REFRESHED_EVERY: Duration = Duration::from_secs(1);

/// The same for a space that stays open, if the home space may have changed since.
pub(crate) fn refresh_owner_names(home: &Home, opened: &mut OpenedSpace) -> Result<(), Failure> {
    let is_recent = opened.owner_names_set_at.is_some_and(|(at, _)| at.elapsed() < REFRESHED_EVERY);
    if opened.owner.is_some() || is_recent {
        return Ok(());
    }
    let stamp = stamp_of(&home.global_space());
    if opened.owner_names_set_at.is_none_or(|(_, known)| known != stamp) {
        set_owner_names(home, &mut opened.space)?;
    }
    opened.owner_names_set_at = Some((Instant::now(), stamp));
    Ok(())
}

fn stamp_of(path: &Path) -> HomeStamp {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    [path.as_os_str(), &log].map(|file| {
        let metadata = std::fs::metadata(file).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    })
}

/// What a person wants to change about who they are.
#[derive(Clone, Debug, Default)]
pub(crate) struct HandleChanges {
    /// To be added.
    pub(crate) add: Vec<(Handle, String)>,
    /// To be taken out, whatever they are.
    pub(crate) remove: Vec<String>,
}

/// What became of it.
#[derive(Default)]
pub(crate) struct ChangedHandles {
    /// What the person goes by then.
    pub(crate) stated: Vec<(Handle, String, Option<OpId>)>,
    /// What is new.
    pub(crate) added: Vec<(Handle, String)>,
    /// What was taken out.
    pub(crate) removed: Vec<(Handle, String)>,
    /// What was to be taken out and was never there.
    pub(crate) unknown: Vec<String>,
    /// What followed in the home space.
    pub(crate) derived: Option<(Derived, Changes)>,
}

/// Makes the changes in the home space, and derives again what depends on them.
pub(crate) fn change(
    session: &Session,
    changes: &HandleChanges,
    intent: Intent,
) -> Result<ChangedHandles, Failure> {
    let mut home = match intent {
        Intent::DryRun => session.home_space()?,
        Intent::Write => Some(session.home_to_write()?),
    };
    let before = home.as_ref().map_or(Ok(Vec::new()), |home| stated(home))?;
    let mut changed = ChangedHandles::default();
    let mut made: Vec<NamedChange> = Vec::new();
    for gone in &changes.remove {
        let mut found = before.iter().filter(|handle| is_same(&handle.value, gone)).peekable();
        if found.peek().is_none() {
            changed.unknown.push(gone.clone());
        }
        for handle in found {
            changed.removed.push((handle.kind, handle.value.clone()));
            let (target, reason) = (Reference::Id(handle.id), REMOVED.to_owned());
            made.push(GraphChange::Retract { target, reason, sources: Vec::new() }.into());
        }
    }
    let mut words = Vec::new();
    for (kind, value) in &changes.add {
        let is_it = |handle: &StatedHandle| handle.kind == *kind && is_same(&handle.value, value);
        let is_added = changed.added.iter().any(|(of, it)| of == kind && is_same(it, value));
        // "Mara LIND" may be removed to be "Mara Lind".
        let is_gone = changed.removed.iter().any(|(of, it)| of == kind && is_same(it, value));
        if before.iter().any(is_it) && !is_gone || is_added {
            continue;
        }
        changed.added.push((*kind, value.clone()));
        words.push(kind.own_words(value));
        let fact = RecordType::Claim(TextClaimType::Fact.as_str().to_owned());
        made.push(NamedChange::from(GraphChange::State(Box::new(Statement {
            tags: vec![kind.tag().to_owned()],
            visibility: Visibility::Global,
            ..Statement::new(fact, format!("{}{value}", kind.opening()))
        }))));
    }
    if let (Some(home), Intent::Write, false) = (home.as_mut(), intent, made.is_empty()) {
        let said = statement(session, &words.join(" "), Visibility::Global);
        let said = Some(&said).filter(|_| !words.is_empty());
        home.change_graph(&made, said, intent, session.now)?;
        changed.derived = derive_again(session, home)?;
    }
    changed.stated = match (intent, home) {
        (Intent::Write, Some(home)) => {
            let of = |handle: StatedHandle| (handle.kind, handle.value, Some(handle.id));
            stated(&home)?.into_iter().map(of).collect()
        }
        _ => preview(&before, &changed),
    };
    Ok(changed)
}

/// Derives by what the home space states now.
fn derive_again(
    session: &Session,
    home: &mut OpenedSpace,
) -> Result<Option<(Derived, Changes)>, Failure> {
    let owner = owner_of(&stated(home)?);
    home.set_derivers(derivers::builtin_for(&owner));
    derive_new(home, session.now, |_| {})
}

fn preview(
    before: &[StatedHandle],
    changed: &ChangedHandles,
) -> Vec<(Handle, String, Option<OpId>)> {
    let is_kept = |handle: &&StatedHandle| {
        !changed.removed.iter().any(|(kind, value)| (*kind, value) == (handle.kind, &handle.value))
    };
    let kept = before.iter().filter(is_kept);
    let kept = kept.map(|handle| (handle.kind, handle.value.clone(), Some(handle.id)));
    let added = changed.added.iter().map(|(kind, value)| (*kind, value.clone(), None));
    let mut all: Vec<_> = kept.chain(added).collect();
    all.sort();
    all
}

fn is_same(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}

/// Whether what was imported is between people, so that only a name tells whose it is, and the
/// person has not said theirs.
pub(crate) fn is_needed_for(session: &Session, importer: &dyn Importer) -> Result<bool, Failure> {
    Ok(importer.is_between_people() && stated_at_home(session)?.is_empty())
}
