//! The use of thoughts: what an access and feedback change in the journal, and what the journal
//! shows: weights and highways.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hasher};
use std::time::Duration;

use kernel::id::OpId;
use store::StoreError;
use store::sqlite::{
    AGENTS_MAX, AgentHash, PARTNERS_MAX, ThoughtAsker, ThoughtPrefix, ThoughtQueryLog,
    ThoughtSession, ThoughtTraffic, ThoughtUse, UseChange,
};

use super::pheromone::{self, ACCESS, FEEDBACK};
use super::retrieve::ThoughtHits;
use super::view::ThoughtView;
use crate::{EngineError, Reader};

/// Accesses of a highway.
pub const HIGHWAY_ACCESSES_MIN: u64 = 3;
/// Agents of a highway.
pub const HIGHWAY_AGENTS_MIN: usize = 2;
/// Texts that share this part of their words are near-duplicates.
const OVERLAP_SAME_MIN: f64 = 0.8;
/// How many times as many highways are read as are wanted, because some repeat others.
const HIGHWAYS_FACTOR: usize = 4;

/// A thought, and when it was contributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dated {
    /// The thought.
    pub id: OpId,
    /// When, microseconds since the Unix epoch.
    pub created_us: i64,
}

impl From<&ThoughtView> for Dated {
    fn from(view: &ThoughtView) -> Self {
        Self { id: view.id, created_us: view.created_us }
    }
}

/// What feedback says of a thought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// It helped.
    Useful,
    /// It is wrong.
    Wrong,
}

/// What a query leaves in the journal.
#[derive(Clone, Debug)]
pub struct ThoughtAccess<'a> {
    /// Who asked.
    pub agent: &'a str,
    /// In which session.
    pub session: &'a str,
    /// When, microseconds since the Unix epoch.
    pub at_us: i64,
    /// What was shown: each is accessed.
    pub shown: &'a [Dated],
    /// What a contribution speaks for.
    pub helped: &'a [Dated],
    /// What was contributed, and the weight with which it begins.
    pub contributed: Option<(OpId, f64)>,
    /// The tags that were offered.
    pub offered: &'a [String],
    /// Whether the query leaves no trace but itself.
    pub is_read_only: bool,
}

/// A thought that many agents come to.
#[derive(Clone, Debug, PartialEq)]
pub struct Highway {
    /// The thought.
    pub thought: ThoughtView,
    /// How often it was shown.
    pub accesses: u64,
    /// To how many agents.
    pub agents: usize,
}

impl Highway {
    /// How busy it is.
    pub fn traffic(&self) -> u64 {
        self.accesses.saturating_mul(self.agents as u64)
    }
}

/// The use of a thought that nobody used.
fn unused(created_us: i64) -> ThoughtUse {
    ThoughtUse {
        weight: pheromone::FIRST,
        last_us: created_us,
        accesses: 0,
        agents: Vec::new(),
        partners: Vec::new(),
    }
}

/// The use of a thought that is about to be accessed, with its weight as of now.
fn settled(used: Option<ThoughtUse>, created_us: i64, at_us: i64) -> ThoughtUse {
    let used = used.unwrap_or_else(|| unused(created_us));
    let weight = pheromone::decayed(used.weight, used.last_us, at_us);
    ThoughtUse { weight, last_us: at_us.max(used.last_us), ..used }
}

/// Changes the weight of a thought without an access: hours go on counting from the last one.
fn raise(thought: Dated, by: f64, at_us: i64) -> (OpId, UseChange) {
    let change = move |used: Option<ThoughtUse>| {
        let used = used.unwrap_or_else(|| unused(thought.created_us));
        let weight = pheromone::decayed(used.weight, used.last_us, at_us);
        ThoughtUse {
            weight: pheromone::raised(weight, by),
            last_us: pheromone::last_whole_hour(used.last_us, at_us),
            ..used
        }
    };
    (thought.id, Box::new(change))
}

/// The weight with which a contribution begins; none if it begins as every thought does.
fn begin(id: OpId, weight: f64, at_us: i64) -> Option<(OpId, UseChange)> {
    let begin = move |used| ThoughtUse { weight, ..settled(used, at_us, at_us) };
    (weight != pheromone::FIRST).then(|| (id, Box::new(begin) as UseChange))
}

/// Adds an access by an agent who was shown others, too.
fn access(used: &mut ThoughtUse, agent: AgentHash, others: impl Iterator<Item = ThoughtPrefix>) {
    used.weight = pheromone::raised(used.weight, ACCESS);
    used.accesses = used.accesses.saturating_add(1);
    if used.agents.len() < AGENTS_MAX && !used.agents.contains(&agent) {
        used.agents.push(agent);
    }
    for other in others {
        meet(&mut used.partners, other);
    }
}

/// The accesses of what a query showed.
fn accesses(noted: &ThoughtAccess<'_>) -> Vec<(OpId, UseChange)> {
    let (agent, at_us) = (AgentHash::of(noted.agent), noted.at_us);
    let shown: Vec<ThoughtPrefix> =
        noted.shown.iter().map(|shown| ThoughtPrefix::of(&shown.id)).collect();
    let change = |(place, thought): (usize, &Dated)| -> (OpId, UseChange) {
        let (created_us, mut others) = (thought.created_us, shown.clone());
        others.remove(place);
        let change = move |used| {
            let mut used = settled(used, created_us, at_us);
            access(&mut used, agent, others.iter().copied());
            used
        };
        (thought.id, Box::new(change))
    };
    noted.shown.iter().enumerate().map(change).collect()
}

/// Counts a partner. Of more than fit, the one that was counted least leaves; of several, the one
/// that came first.
fn meet(partners: &mut Vec<(ThoughtPrefix, u32)>, other: ThoughtPrefix) {
    if let Some((_, count)) = partners.iter_mut().find(|(known, _)| *known == other) {
        *count = count.saturating_add(1);
        return;
    }
    if partners.len() >= PARTNERS_MAX {
        let least = partners.iter().map(|(_, count)| *count).min();
        let place = partners.iter().position(|(_, count)| Some(*count) == least);
        if let Some(place) = place {
            partners.remove(place);
        }
    }
    partners.push((other, 1));
}

impl Reader<'_> {
    /// What is known of who asks: whether the agent asked before, and the session's last query.
    pub fn thought_asker(
        &self,
        agent: &str,
        session: Option<&str>,
    ) -> Result<ThoughtAsker, EngineError> {
        Ok(self.store.thought_asker(agent, session)?)
    }

    /// The use of thoughts as of their last access, of those that were used.
    pub fn thought_use(&self, ids: &[OpId]) -> Result<BTreeMap<OpId, ThoughtUse>, EngineError> {
        Ok(self.store.thought_use(ids)?)
    }

    /// The weights of thoughts at a time, in their order.
    pub fn thought_weights(
        &self,
        thoughts: &[Dated],
        now_us: i64,
    ) -> Result<Vec<f64>, EngineError> {
        let ids: Vec<OpId> = thoughts.iter().map(|thought| thought.id).collect();
        let used = self.store.thought_traffic(&ids)?;
        let weight = |thought: &Dated| match used.get(&thought.id) {
            Some(used) => pheromone::decayed(used.weight, used.last_us, now_us),
            None => pheromone::weight(None, thought.created_us, now_us),
        };
        Ok(thoughts.iter().map(weight).collect())
    }

    /// Notes a query in the journal. Waits at most `wait` for others that write to it.
    pub fn note_thought_access(
        &self,
        noted: &ThoughtAccess<'_>,
        wait: Duration,
    ) -> Result<(), EngineError> {
        let at_us = noted.at_us;
        let last = ThoughtSession {
            shown: noted.shown.iter().map(|shown| shown.id).collect(),
            offered: noted.offered.to_vec(),
        };
        let query = ThoughtQueryLog {
            agent: noted.agent,
            session: noted.session,
            at_us,
            keep: Some(&last).filter(|_| !noted.is_read_only),
        };
        let mut changes: Vec<(OpId, UseChange)> = Vec::new();
        if !noted.is_read_only {
            changes.extend(noted.helped.iter().map(|helped| raise(*helped, FEEDBACK, at_us)));
            changes.extend(noted.contributed.and_then(|(id, weight)| begin(id, weight, at_us)));
            changes.extend(accesses(noted));
        }
        self.store.change_thought_use(wait, Some(&query), changes)?;
        Ok(())
    }

    /// Notes the weight with which a thought begins that was contributed without a query.
    pub fn note_thought_begin(
        &self,
        id: OpId,
        weight: f64,
        at_us: i64,
        wait: Duration,
    ) -> Result<(), EngineError> {
        if let Some(change) = begin(id, weight, at_us) {
            self.store.change_thought_use(wait, None, vec![change])?;
        }
        Ok(())
    }

    /// Takes feedback on a thought, and returns its weight then. It does not count as access.
    pub fn note_thought_feedback(
        &self,
        thought: Dated,
        signal: Signal,
        at_us: i64,
        wait: Duration,
    ) -> Result<f64, EngineError> {
        let by = match signal {
            Signal::Useful => FEEDBACK,
            Signal::Wrong => -FEEDBACK,
        };
        let after = self.store.change_thought_use(wait, None, vec![raise(thought, by, at_us)])?;
        // Somebody said it, and is told that it counts. If it cannot be written now, it waits.
        let _ = self.store.write_journal(wait);
        Ok(after.map_or(pheromone::FIRST, |used| used.weight))
    }

    /// The thoughts that were shown together with one, with how often, the most often first.
    pub fn partners_of(&self, used: &ThoughtUse) -> Result<Vec<(OpId, u32)>, EngineError> {
        let mut found = Vec::new();
        for (prefix, count) in &used.partners {
            let Ok(digits) = prefix.digits().parse() else { continue };
            let ids = store::Ledger::find(self.store, &digits, 1)?;
            found.extend(ids.first().map(|id| (*id, *count)));
        }
        found.sort_by_key(|(id, count)| (std::cmp::Reverse(*count), *id));
        Ok(found)
    }

    /// The highways among what was found, the busiest first, at most `limit`. What was corrected is
    /// none.
    pub fn highways_among(
        &self,
        found: &ThoughtHits,
        limit: usize,
    ) -> Result<Vec<Highway>, EngineError> {
        let used = match &found.used {
            Some(used) => used.clone(),
            None => {
                let ids: Vec<OpId> = found.hits.iter().map(|hit| hit.id).collect();
                self.store.thought_traffic(&ids)?
            }
        };
        let is_corrected =
            |id: &OpId| found.hits.iter().any(|hit| hit.id == *id && hit.corrected_by.is_some());
        self.highways_of(used.into_iter().filter(|(id, _)| !is_corrected(id)).collect(), limit)
    }

    /// The busiest highways that this reader may see.
    pub fn highways(
        &self,
        disclosure: crate::private::Disclosure,
        limit: usize,
    ) -> Result<Vec<Highway>, EngineError> {
        let mut busiest = self.store.busiest_thoughts(limit.saturating_mul(HIGHWAYS_FACTOR))?;
        let mut seen = BTreeSet::new();
        for (id, _) in &busiest {
            let counts = self.store.on_snapshot(|index| {
                Ok::<_, StoreError>(
                    kernel::ledger_index::LedgerIndex::entry(index, id)?.is_some()
                        && super::view::does_count(index, id, disclosure)?,
                )
            })?;
            if counts {
                seen.insert(*id);
            }
        }
        busiest.retain(|(id, _)| seen.contains(id));
        self.highways_of(busiest, limit)
    }

    fn highways_of(
        &self,
        used: Vec<(OpId, ThoughtTraffic)>,
        limit: usize,
    ) -> Result<Vec<Highway>, EngineError> {
        let mut busy: Vec<(OpId, ThoughtTraffic)> = used
            .into_iter()
            .filter(|(_, used)| {
                used.accesses >= HIGHWAY_ACCESSES_MIN && used.agents >= HIGHWAY_AGENTS_MIN
            })
            .collect();
        busy.sort_by_key(|(id, used)| {
            let traffic = used.accesses.saturating_mul(used.agents as u64);
            (std::cmp::Reverse(traffic), *id)
        });
        let mut highways: Vec<(Highway, Vec<u64>)> = Vec::new();
        // Most are shown, so nearly all that is read is needed.
        for busy in busy.chunks(limit.max(1)) {
            let ids: Vec<OpId> = busy.iter().map(|(id, _)| *id).collect();
            for thought in self.thoughts(&ids)? {
                let Some((_, used)) = busy.iter().find(|(id, _)| *id == thought.id) else {
                    continue;
                };
                let words = words_of(&thought.content);
                if !highways.iter().any(|(_, busier)| is_same(busier, &words)) {
                    let (accesses, agents) = (used.accesses, used.agents);
                    highways.push((Highway { thought, accesses, agents }, words));
                }
            }
            if highways.len() >= limit {
                break;
            }
        }
        Ok(highways.into_iter().take(limit).map(|(highway, _)| highway).collect())
    }
}

/// The words of a text in small letters, each as a number that tells nearly all apart, in the order
/// of these.
fn words_of(text: &str) -> Vec<u64> {
    let words = text.split(|character: char| !character.is_alphanumeric());
    let number = |word: &str| {
        let mut hasher = DefaultHasher::new();
        word.chars()
            .flat_map(char::to_lowercase)
            .for_each(|letter| hasher.write_u32(letter.into()));
        hasher.finish()
    };
    let mut words: Vec<u64> = words.filter(|word| !word.is_empty()).map(number).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// Whether two texts share nearly all their words.
fn is_same(one: &[u64], other: &[u64]) -> bool {
    let shared = one.iter().filter(|word| other.binary_search(word).is_ok()).count();
    let all = one.len() + other.len() - shared;
    all == 0 || shared as f64 >= OVERLAP_SAME_MIN * all as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_43_given_51_partners_when_added_then_50_are_kept_and_the_least_counted_leaves() {
        let mut partners = Vec::new();
        for _ in 0..2 {
            for number in 0..50 {
                meet(&mut partners, ThoughtPrefix(number));
            }
        }
        partners[7].1 = 1;
        meet(&mut partners, ThoughtPrefix(99));
        assert_eq!(partners.len(), PARTNERS_MAX);
        assert!(!partners.iter().any(|(prefix, _)| *prefix == ThoughtPrefix(7)));
        assert_eq!(partners.last(), Some(&(ThoughtPrefix(99), 1)));
    }

    #[test]
    fn agents_of_a_thought_are_bounded() {
        let mut used = ThoughtUse {
            weight: 1.0,
            last_us: 0,
            accesses: 0,
            agents: Vec::new(),
            partners: Vec::new(),
        };
        for number in 0..2 * AGENTS_MAX as u64 {
            access(&mut used, AgentHash(number), std::iter::empty());
        }
        assert_eq!(used.agents.len(), AGENTS_MAX);
        assert_eq!(used.accesses, 2 * AGENTS_MAX as u64);
        assert!(used.weight <= pheromone::CEILING);
    }
}
