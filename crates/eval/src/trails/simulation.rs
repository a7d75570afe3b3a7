//! One simulation: agents that contribute, ask, and are shown thoughts.

use std::collections::BTreeMap;
use std::time::Duration;

use engine::Space;
use engine::private::Disclosure;
use engine::thought::contribute::{Contribution, Grounds};
use engine::thought::pheromone::CEILING;
use engine::thought::retrieve::{ThoughtHit, ThoughtQuery};
use engine::thought::usage::{Dated, Signal, ThoughtAccess};
use jiff::{SignedDuration, Timestamp};
use kernel::body::Thought;
use kernel::id::OpId;
use kernel::seal::{SEED_BYTES, Signer};

use super::measures::{Outcome, Random};
use super::{AGENTS, Case, ROUNDS, Ranking};
use crate::measures::Ranks;
use crate::{Collection, EvalError, LabelledQuestion, RecordKey, records};

/// Thoughts that an agent is shown.
const SHOWN: usize = 5;
/// Longest thought, characters.
const CHARS_MAX: usize = 10_000;
/// Thoughts that are contributed in one transaction.
const BATCH: usize = 1_000;
/// Between two rounds: weights decay.
const ROUND: SignedDuration = SignedDuration::from_hours(8);
/// One of so many agents that found an answer says that it was useful.
const USEFUL_OF: u64 = 4;
/// One of so many agents that found none says that the first thought is wrong.
const WRONG_OF: u64 = 10;
/// How long the journal is waited for; nobody else writes to it.
const WAIT: Duration = Duration::from_secs(10);

/// The records of a collection, as thoughts.
pub(super) struct Thoughts(Vec<(RecordKey, String)>);

impl Thoughts {
    pub(super) fn of(collection: &Collection) -> Result<Self, EvalError> {
        let mut thoughts = Vec::new();
        for source in &collection.sources {
            records::visit(source, &mut |evidence| {
                let text: String = records::line(evidence).chars().take(CHARS_MAX).collect();
                if !text.trim().is_empty() {
                    thoughts.push((records::key(evidence), text));
                }
            })?;
        }
        Ok(Self(thoughts))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// A space in which agents think.
struct Simulation {
    space: Space,
    keys: BTreeMap<OpId, RecordKey>,
    created: Timestamp,
    now: Timestamp,
    ranking: Ranking,
    random: Random,
}

/// Lays a trail, and judges questions.
pub(super) fn run(
    thoughts: &Thoughts,
    questions: &[LabelledQuestion],
    case: Case,
    ranking: Ranking,
) -> Result<Vec<Outcome>, EvalError> {
    let mut simulation = Simulation::of(thoughts, ranking)?;
    let lays = |number: &usize| case == Case::Repeated || number.is_multiple_of(2);
    let is_judged = |number: &usize| case == Case::Repeated || !number.is_multiple_of(2);
    if ranking != Ranking::WithoutUse {
        for round in 0..ROUNDS {
            simulation.now += ROUND;
            for (number, question) in questions.iter().enumerate().filter(|it| lays(&it.0)) {
                simulation.ask(question, number, round)?;
            }
        }
    }
    simulation.now += ROUND;
    let judged = questions.iter().enumerate().filter(|it| is_judged(&it.0));
    judged.map(|(_, question)| simulation.judge(question)).collect()
}

impl Simulation {
    fn of(thoughts: &Thoughts, ranking: Ranking) -> Result<Self, EvalError> {
        let created = records::context().now;
        let signer = Signer::from_seed([0; SEED_BYTES]);
        let mut space = Space::create_in_memory(signer, "evaluation", created)?;
        let mut keys = BTreeMap::new();
        for (batch, part) in thoughts.0.chunks(BATCH).enumerate() {
            let contributions = part.iter().enumerate().map(|(place, (_, text))| {
                let agent = agent_of((batch * BATCH + place) as u64);
                let thought = Thought {
                    content: Some(text.clone()),
                    contributor_id: Some(agent.clone()),
                    contributor_name: Some(agent),
                    ..Thought::default()
                };
                Contribution { thought, grounds: Grounds::None }
            });
            let mut writer = space.writer();
            let ids = writer.contribute_all(contributions.collect(), created)?;
            writer.finish()?;
            keys.extend(ids.into_iter().zip(part.iter().map(|(key, _)| key.clone())));
        }
        Ok(Self { space, keys, created, now: created, ranking, random: Random::new(1) })
    }

    /// What an agent finds, the best first.
    fn find(&self, question: &LabelledQuestion) -> Result<Vec<ThoughtHit>, EvalError> {
        let now_us = self.now.as_microsecond();
        let reader = self.space.reader()?;
        let query = ThoughtQuery {
            text: &question.question.text,
            vector: None,
            tags: &[],
            disclosure: Disclosure::Full,
            now_us,
            as_of_us: None,
        };
        let mut hits = reader.retrieve_thoughts(&query)?.hits;
        if let Ranking::Factor(factor) = self.ranking {
            let dated: Vec<Dated> = hits.iter().map(|hit| self.dated(hit)).collect();
            let weights = reader.thought_weights(&dated, now_us)?;
            for (hit, weight) in hits.iter_mut().zip(weights) {
                hit.score += factor * weight.ln() / CEILING.ln();
            }
            hits.sort_by(|one, other| other.score.total_cmp(&one.score));
        }
        Ok(hits)
    }

    fn dated(&self, hit: &ThoughtHit) -> Dated {
        Dated { id: hit.id, created_us: self.created.as_microsecond() }
    }

    fn is_answer(&self, hit: &ThoughtHit, question: &LabelledQuestion) -> bool {
        self.keys.get(&hit.id).is_some_and(|key| question.gold.contains(key))
    }

    /// An agent asks, and goes on with what it is shown.
    fn ask(
        &mut self,
        question: &LabelledQuestion,
        number: usize,
        round: usize,
    ) -> Result<(), EvalError> {
        let agent = agent_of((number * ROUNDS + round) as u64 ^ self.random.below(AGENTS as u64));
        let hits = self.find(question)?;
        let shown: Vec<&ThoughtHit> = hits.iter().take(SHOWN).collect();
        let dated: Vec<Dated> = shown.iter().map(|hit| self.dated(hit)).collect();
        let session = format!("{number} {round}");
        let mut access = ThoughtAccess {
            agent: &agent,
            session: &session,
            at_us: self.now.as_microsecond(),
            shown: &dated,
            helped: &[],
            contributed: None,
            offered: &[],
            is_read_only: false,
        };
        let reader = self.space.reader()?;
        reader.note_thought_access(&access, WAIT)?;
        let answer = shown.iter().find(|hit| self.is_answer(hit, question));
        if answer.is_some() {
            // It contributes what it made of them: that speaks for what it was shown before.
            (access.shown, access.helped) = (&[], &dated);
            reader.note_thought_access(&access, WAIT)?;
        }
        let says = match answer {
            Some(hit) if self.random.below(USEFUL_OF) == 0 => Some((hit, Signal::Useful)),
            None if self.random.below(WRONG_OF) == 0 => {
                shown.first().map(|hit| (hit, Signal::Wrong))
            }
            _ => None,
        };
        if let Some((hit, signal)) = says {
            reader.note_thought_feedback(self.dated(hit), signal, access.at_us, WAIT)?;
        }
        Ok(())
    }

    fn judge(&self, question: &LabelledQuestion) -> Result<Outcome, EvalError> {
        let hits = self.find(question)?;
        let found: Vec<RecordKey> =
            hits.iter().filter_map(|hit| self.keys.get(&hit.id).cloned()).collect();
        Ok(Outcome::of(&Ranks::find(&found, &question.gold)))
    }
}

fn agent_of(number: u64) -> String {
    format!("agent-{}", number % AGENTS as u64)
}
