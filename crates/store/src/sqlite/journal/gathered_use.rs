//! The use of thoughts that is not written yet, and the numbers of what was read.
//!
//! A retrieval asks for the use of dozens of thoughts and changes that of five. In a transaction of
//! its own, its twenty rows cost a fifth of its time. So changes are kept here for a moment, seen
//! by everybody who asks in this process, and written together, in the order of the rows. What is
//! not written is lost if the process is killed: use is not truth.
//!
//! Other processes write to the file, too. A change is therefore kept as what it does besides its
//! result: if the file has another version than the results are based on, the changes are made
//! again over what it holds now.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};

use kernel::id::OpId;
use rusqlite::Connection;

use super::thought_use::{
    ThoughtAsker, ThoughtPrefix, ThoughtQueryLog, ThoughtSession, ThoughtTraffic, ThoughtUse,
    drop_earlier, has_tables, make_tables, read, read_agent, read_session, read_traffic, write,
    write_agent, write_session,
};
use crate::StoreError;

/// Thoughts whose numbers are remembered: as many as fit into a table of 2^17 places.
const READ_MAX: usize = 7 << 14;
/// Agents that are remembered.
const AGENTS_KNOWN_MAX: usize = 4_096;
/// An agent that was noted so recently is not noted again.
const AGENT_AGAIN_US: i64 = 60_000_000;

/// What happens to the use of a thought, which may have none yet.
pub type UseChange = Box<dyn Fn(Option<ThoughtUse>) -> ThoughtUse + Send>;

/// What is in memory of the use of thoughts, for one file.
#[derive(Default)]
pub(super) struct GatheredUse {
    /// The version of the file that the rest is based on; none before the first look.
    version: Option<i64>,
    has_tables: bool,
    /// Whether what earlier versions left was dropped.
    is_tidy: bool,
    /// The numbers of thoughts as the file has them; none for one that was never used. Of two that
    /// share a row, the one that was asked for last.
    read: HashMap<ThoughtPrefix, (OpId, Option<ThoughtTraffic>)>,
    /// Agents that the file has, with when they were noted.
    known: HashMap<String, i64>,
    waiting: WaitingUse,
}

/// What is not written yet.
#[derive(Default)]
pub(super) struct WaitingUse {
    thoughts: BTreeMap<OpId, Changed>,
    /// When they asked last, and what to keep of it.
    sessions: BTreeMap<String, (i64, Option<ThoughtSession>)>,
    agents: BTreeMap<String, i64>,
}

/// A thought whose use changed.
struct Changed {
    /// None only while a change is made.
    now: Option<ThoughtUse>,
    by: Vec<UseChange>,
}

impl Changed {
    fn traffic(&self) -> Option<ThoughtTraffic> {
        self.now.as_ref().map(ThoughtUse::traffic)
    }
}

impl WaitingUse {
    fn len(&self) -> usize {
        self.thoughts.len() + self.sessions.len() + self.agents.len()
    }

    /// Removes about `most` of what waits.
    fn take(&mut self, most: usize) -> Self {
        Self {
            thoughts: first(&mut self.thoughts, most),
            sessions: first(&mut self.sessions, most),
            agents: first(&mut self.agents, most),
        }
    }
}

/// Removes the first entries of a map.
fn first<K: Ord + Clone, V>(map: &mut BTreeMap<K, V>, most: usize) -> BTreeMap<K, V> {
    let rest = map.keys().nth(most).cloned().map(|key| map.split_off(&key));
    std::mem::replace(map, rest.unwrap_or_default())
}

impl GatheredUse {
    /// How many rows wait to be written, about.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Gives up what waits.
    pub(super) fn give_up(&mut self) {
        self.waiting = WaitingUse::default();
    }

    /// Forgets what was read, and what waits of some thoughts and of all sessions.
    pub(super) fn erase<'a>(&mut self, thoughts: impl IntoIterator<Item = &'a OpId>) {
        self.read.clear();
        for id in thoughts {
            self.waiting.thoughts.remove(id);
            self.waiting.sessions.clear();
        }
    }

    /// Looks whether another connection has written to the file, and if so reads anew.
    fn refresh(&mut self, connection: &Connection) -> Result<(), StoreError> {
        let version = connection
            .prepare_cached("PRAGMA data_version")?
            .query_row([], |row| row.get::<_, i64>(0))?;
        if self.version == Some(version) {
            return Ok(());
        }
        self.read.clear();
        self.known.clear();
        self.has_tables = has_tables(connection)?;
        for (id, changed) in &mut self.waiting.thoughts {
            let mut used = if self.has_tables { read(connection, id)? } else { None };
            for change in &changed.by {
                used = Some(change(used));
            }
            changed.now = used;
        }
        self.version = Some(version);
        Ok(())
    }

    /// The use of some thoughts, of those that were used.
    pub(super) fn used(
        &mut self,
        connection: &Connection,
        ids: &[OpId],
    ) -> Result<BTreeMap<OpId, ThoughtUse>, StoreError> {
        self.refresh(connection)?;
        let mut found = BTreeMap::new();
        for id in ids {
            let used = match self.waiting.thoughts.get(id) {
                Some(changed) => changed.now.clone(),
                None if self.has_tables => read(connection, id)?,
                None => None,
            };
            found.extend(used.map(|used| (*id, used)));
        }
        Ok(found)
    }

    /// The numbers of the use of some thoughts, of those that were used.
    pub(super) fn traffic(
        &mut self,
        connection: &Connection,
        ids: &[OpId],
    ) -> Result<BTreeMap<OpId, ThoughtTraffic>, StoreError> {
        self.refresh(connection)?;
        let mut found = BTreeMap::new();
        let mut reading = None;
        for id in ids {
            let read = self.read.get(&ThoughtPrefix::of(id)).filter(|(of, _)| of == id);
            let traffic = match (self.waiting.thoughts.get(id), read) {
                (Some(changed), _) => changed.traffic(),
                (None, Some((_, read))) => *read,
                (None, None) if !self.has_tables => None,
                (None, None) => {
                    // One transaction: each would take and release the locks of the file otherwise.
                    if reading.is_none() {
                        reading = Some(connection.unchecked_transaction()?);
                    }
                    let read = read_traffic(connection, id)?;
                    self.remember(*id, read);
                    read
                }
            };
            found.extend(traffic.map(|traffic| (*id, traffic)));
        }
        Ok(found)
    }

    fn remember(&mut self, id: OpId, traffic: Option<ThoughtTraffic>) {
        if self.read.len() >= READ_MAX {
            self.read.clear();
        }
        self.read.insert(ThoughtPrefix::of(&id), (id, traffic));
    }

    /// Whether an agent has asked before, and the last query of a session.
    pub(super) fn asker(
        &mut self,
        connection: &Connection,
        agent: &str,
        session: Option<&str>,
    ) -> Result<ThoughtAsker, StoreError> {
        self.refresh(connection)?;
        let is_known = self.agent(connection, agent)?.is_some();
        let session = match session {
            Some(name) => match self.waiting.sessions.get(name) {
                Some((_, Some(kept))) => Some(kept.clone()),
                Some((_, None)) => Some(self.session(connection, name)?.unwrap_or_default()),
                None => self.session(connection, name)?,
            },
            None => None,
        };
        Ok(ThoughtAsker { is_known, session })
    }

    fn session(
        &self,
        connection: &Connection,
        name: &str,
    ) -> Result<Option<ThoughtSession>, StoreError> {
        if self.has_tables { read_session(connection, name) } else { Ok(None) }
    }

    /// When an agent was noted last.
    fn agent(&mut self, connection: &Connection, name: &str) -> Result<Option<i64>, StoreError> {
        let in_memory = self.waiting.agents.get(name).or_else(|| self.known.get(name));
        if let Some(noted) = in_memory {
            return Ok(Some(*noted));
        }
        let noted = if self.has_tables { read_agent(connection, name)? } else { None };
        if let Some(noted) = noted {
            self.know(name.to_owned(), noted);
        }
        Ok(noted)
    }

    fn know(&mut self, name: String, noted: i64) {
        if self.known.len() >= AGENTS_KNOWN_MAX {
            self.known.clear();
        }
        self.known.insert(name, noted);
    }

    /// Takes a query, and changes of use. Returns the numbers after the last change.
    pub(super) fn note(
        &mut self,
        connection: &Connection,
        query: Option<&ThoughtQueryLog<'_>>,
        changes: Vec<(OpId, UseChange)>,
    ) -> Result<Option<ThoughtTraffic>, StoreError> {
        self.refresh(connection)?;
        if let Some(query) = query {
            self.log(connection, query)?;
        }
        let mut last = None;
        // One transaction: each read would take and release the locks of the file otherwise.
        let mut reading = None;
        for (id, change) in changes {
            let changed = match self.waiting.thoughts.entry(id) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let known = self.read.get(&ThoughtPrefix::of(&id));
                    let was_never_used = known.is_some_and(|known| *known == (id, None));
                    let now = match self.has_tables && !was_never_used {
                        true => {
                            if reading.is_none() {
                                reading = Some(connection.unchecked_transaction()?);
                            }
                            read(connection, &id)?
                        }
                        false => None,
                    };
                    new.insert(Changed { now, by: Vec::new() })
                }
            };
            changed.now = Some(change(changed.now.take()));
            changed.by.push(change);
            last = changed.traffic();
        }
        Ok(last)
    }

    /// Takes a query: its agent and its session are known from now on.
    fn log(
        &mut self,
        connection: &Connection,
        query: &ThoughtQueryLog<'_>,
    ) -> Result<(), StoreError> {
        let ThoughtQueryLog { agent, session, at_us, keep } = *query;
        let is_recent = |noted: i64| (noted..noted.saturating_add(AGENT_AGAIN_US)).contains(&at_us);
        if !self.agent(connection, agent)?.is_some_and(is_recent) {
            self.waiting.agents.insert(agent.to_owned(), at_us);
        }
        let (last, kept) = self.waiting.sessions.entry(session.to_owned()).or_default();
        *last = at_us;
        if let Some(keep) = keep {
            *kept = Some(keep.clone());
        }
        Ok(())
    }

    /// Removes about `most` rows of what waits, as of the file's present version. Call it in the
    /// transaction that writes them.
    pub(super) fn take(
        &mut self,
        connection: &Connection,
        most: usize,
    ) -> Result<WaitingUse, StoreError> {
        self.refresh(connection)?;
        let lacks_tables = !self.has_tables;
        if lacks_tables {
            make_tables(connection)?;
        }
        if lacks_tables || !self.is_tidy {
            drop_earlier(connection)?;
            // The changes are made over what the tables of an earlier version held.
            self.version = None;
            self.refresh(connection)?;
            self.is_tidy = true;
        }
        Ok(self.waiting.take(most))
    }

    /// Writes a part of what waited.
    pub(super) fn write(
        &mut self,
        connection: &Connection,
        part: &WaitingUse,
    ) -> Result<(), StoreError> {
        for (agent, at_us) in &part.agents {
            write_agent(connection, agent, *at_us)?;
        }
        for (session, (at_us, kept)) in &part.sessions {
            write_session(connection, session, *at_us, kept.as_ref())?;
        }
        for (id, changed) in &part.thoughts {
            let Some(now) = &changed.now else { continue };
            if write(connection, id, now)? {
                self.read.clear();
            }
        }
        Ok(())
    }

    /// What was written is in the file.
    pub(super) fn written(&mut self, part: WaitingUse) {
        for (id, changed) in part.thoughts {
            self.remember(id, changed.traffic());
        }
        for (agent, at_us) in part.agents {
            self.know(agent, at_us);
        }
    }

    /// What could not be written waits again.
    pub(super) fn put_back(&mut self, mut part: WaitingUse) {
        // Nothing was taken meanwhile: the journal is in use by one thread at a time.
        self.waiting.thoughts.append(&mut part.thoughts);
        self.waiting.sessions.append(&mut part.sessions);
        self.waiting.agents.append(&mut part.agents);
        // The tables may have been made for it.
        self.version = None;
        self.is_tidy = false;
    }
}
