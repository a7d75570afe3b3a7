//! The thought space through its service: the cases of its specification, and bad input.

use engine::private::Disclosure;
use engine::thought::uuid::ThoughtUuid;
use engine::{Sealer, Space};
use jiff::{SignedDuration, Timestamp};
use kernel::body::{Annotation, Body};
use kernel::evidence::Visibility;
use kernel::kind::Capability;
use kernel::seal::{Draft, SEED_BYTES, Signer};
use serde_json::{Value, json};

use super::answer::*;
use super::manage;
use super::memory::{ingest, memory, query};
use super::request::{FeedbackRequest, LabelRequest, MemoryRequest, parse_depth, parse_share};
use super::{Caller, CallerSpace, Rights, ThoughtError, ThoughtRefusal};
use crate::failure::Fault;

mod contract;
mod lineage;
mod rights;
mod usage;

const OWNER: Rights = Rights { may_append: true, may_correct: true };

fn signer(number: u8) -> Signer {
    Signer::from_seed([number; SEED_BYTES])
}

/// A space that agents think in, at a time that tests move.
struct SharedSpace {
    space: Space,
    now: Timestamp,
    rights: Rights,
    disclosure: Disclosure,
    sealer: Option<Sealer>,
}

impl SharedSpace {
    fn new() -> Self {
        Self::of(1)
    }

    fn of(owner: u8) -> Self {
        let now: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
        let space = Space::create_in_memory(signer(owner), "shared", now).unwrap();
        Self { space, now, rights: OWNER, disclosure: Disclosure::Full, sealer: None }
    }

    fn caller_space(&mut self, name: &str) -> CallerSpace<'_> {
        CallerSpace {
            name: name.to_owned(),
            space: &mut self.space,
            disclosure: self.disclosure,
            rights: self.rights,
            takes_short_ids: true,
            sealer: self.sealer.as_ref(),
        }
    }

    fn caller(&mut self) -> Caller<'_> {
        let now = self.now;
        Caller { spaces: vec![self.caller_space("shared")], now }
    }

    fn hours(&mut self, hours: i64) {
        self.now += SignedDuration::from_hours(hours);
    }

    /// Posts a request; a contribution is followed by a second, so that times differ.
    fn post(&mut self, body: Value) -> Result<MemoryAnswer, ThoughtError> {
        self.now += SignedDuration::from_millis(1);
        let request = MemoryRequest::parse(body)?;
        memory(&mut self.caller(), &request)
    }

    fn ask(&mut self, agent: &str, prompt: &str) -> MemoryAnswer {
        self.post(request(agent, prompt)).unwrap()
    }

    /// Keeps a thought, whatever it is, and returns its id.
    fn keep(&mut self, content: &str, more: Value) -> String {
        self.now += SignedDuration::from_millis(1);
        let mut body = json!({ "content": content, "agent_id": "keeper", "agent_name": "Keeper" });
        body.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
        let request = MemoryRequest::parse_ingest(body).unwrap();
        ingest(&mut self.caller(), &request).unwrap().thought_id.to_string()
    }

    fn show(&mut self, id: &str) -> ThoughtAnswer {
        manage::show(&mut self.caller(), id).unwrap()
    }

    fn weight(&mut self, id: &str) -> f64 {
        self.show(id).pheromone_weight
    }

    /// Raises a weight by feedback.
    fn raise(&mut self, id: &str, to: f64) {
        let mut weight = self.weight(id);
        while weight + 1e-9 < to {
            weight = self.feedback(id, "useful").pheromone_weight;
        }
        assert!((weight - to).abs() < 1e-6, "{weight}");
    }

    fn feedback(&mut self, id: &str, signal: &str) -> FeedbackAnswer {
        let body = json!({ "session_id": "s", "thought_id": id, "signal": signal });
        let request = FeedbackRequest::parse(body).unwrap();
        manage::feedback(&mut self.caller(), &request).unwrap()
    }

    fn lineage(&mut self, id: &str, depth: u32) -> LineageAnswer {
        manage::lineage(&mut self.caller(), id, depth, None).unwrap()
    }

    fn thoughts(&mut self) -> usize {
        let filter = engine::thought::view::ThoughtFilter { limit: 10_000, ..Default::default() };
        manage::list(&mut self.caller(), None, &filter).unwrap().len()
    }
}

fn request(agent: &str, prompt: &str) -> Value {
    json!({ "prompt": prompt, "agent_id": agent, "agent_name": agent.to_uppercase() })
}

fn with(mut body: Value, more: Value) -> Value {
    body.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
    body
}

/// The code and status of a refusal.
fn refused<T: std::fmt::Debug>(result: Result<T, ThoughtError>) -> (&'static str, u16) {
    let (code, fault) = match result.unwrap_err() {
        ThoughtError::Refused(refusal) => (refusal.contract_code(), refusal.fault()),
        ThoughtError::Failed(failure) => ("FORBIDDEN", failure.fault()),
    };
    let status = match fault {
        Fault::Caller => 400,
        Fault::Forbidden => 403,
        Fault::NotFound => 404,
        Fault::Conflict => 409,
        Fault::Busy | Fault::Internal => 500,
    };
    (code, status)
}

fn parse_refused(body: Value) -> ThoughtRefusal {
    MemoryRequest::parse(body).unwrap_err()
}

const STATEMENT: &str = "The kiln reaches cone six in nine hours when the lid stays closed.";
