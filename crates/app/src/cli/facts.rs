//! Facts that `because recall` shows before the records: what is believed that answers the
//! question.

use engine::Space;
use engine::recall::facts::{self, Fact, FactQuery};
use retrieval::question::Question;
use serde_json::{Value, json};

use super::changes::{sureness, words};
use super::{Session, claims, recall};
use crate::failure::Failure;
use crate::output::{self, BOLD, DIM, ID, count, printable, short};

/// Most facts that are shown above records.
pub(crate) const FACTS_BESIDE_MAX: usize = 3;

/// A fact and the space it is from.
pub(crate) struct Hit {
    space: String,
    fact: Fact,
}

/// Facts of several spaces, the most relevant first.
#[derive(Default)]
pub(crate) struct Hits(Vec<Hit>);

impl Hits {
    /// Asks one more space; answers how the question was understood, and how many operations the
    /// index has not read.
    pub(crate) fn ask(
        &mut self,
        space: &mut Space,
        name: &str,
        query: &FactQuery,
    ) -> Result<(Question, u64), Failure> {
        let found = space.recall_facts(query)?;
        self.0.extend(found.facts.into_iter().map(|fact| Hit { space: name.to_owned(), fact }));
        Ok((found.question, found.behind))
    }

    /// Leaves what says something to the question, for who did not ask for facts alone.
    pub(crate) fn keep_what_speaks_to_the_question(&mut self) {
        self.0.retain(|hit| hit.fact.speaks_to_question());
    }

    /// Puts the facts of all spaces in order and keeps the best.
    pub(crate) fn rank(&mut self, limit: usize) {
        self.0.sort_by(|left, right| {
            right.fact.relevance.total.total_cmp(&left.fact.relevance.total)
        });
        // Copies of one space believe the same.
        let mut seen = std::collections::BTreeSet::new();
        self.0.retain(|hit| seen.insert(hit.fact.id));
        self.0.truncate(limit);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The facts of one space.
    pub(crate) fn of(&self, space: &str) -> Vec<Fact> {
        self.0.iter().filter(|hit| hit.space == space).map(|hit| hit.fact.clone()).collect()
    }

    pub(crate) fn to_json(&self) -> Vec<Value> {
        let with_space = |hit: &Hit| {
            let mut value = facts::to_json(&hit.fact);
            value["space"] = json!(hit.space);
            value
        };
        self.0.iter().map(with_space).collect()
    }

    /// The facts for people, under a heading; nothing if there are none.
    pub(crate) fn print(&self, session: &Session, explain: bool) -> Result<(), Failure> {
        if !self.is_empty() {
            output::line(format_args!("{BOLD}What is believed{BOLD:#}"))?;
        }
        for hit in &self.0 {
            print_one(session, hit, explain)?;
        }
        Ok(())
    }
}

fn print_one(session: &Session, hit: &Hit, explain: bool) -> Result<(), Failure> {
    let (fact, belief) = (&hit.fact, &hit.fact.belief);
    let space = if session.spaces.len() > 1 {
        format!("{} · ", printable(&hit.space))
    } else {
        String::new()
    };
    output::line(format_args!(
        "{:<16} {}{}",
        sureness(belief),
        words(belief),
        claims::times(session, belief)
    ))?;
    output::line(format_args!(
        "{:<16} {DIM}{space}{} · {}{DIM:#}  {ID}{}{ID:#}",
        "",
        printable(&belief.key),
        count(fact.sources as u64, "source"),
        short(&fact.id)
    ))?;
    if !explain {
        return Ok(());
    }
    let relevance = &fact.relevance;
    output::line(format_args!("    relevance {:.3}", relevance.total))?;
    for (name, value, weight) in [
        ("similarity", relevance.similarity, facts::SIMILARITY_WEIGHT),
        ("confidence", relevance.confidence, facts::CONFIDENCE_WEIGHT),
        ("recency", relevance.recency, facts::RECENCY_WEIGHT),
    ] {
        recall::explain_part(name, value, weight)?;
    }
    recall::explain_score(&fact.score, &fact.terms)
}
