//! `why`: the fewest claims that account for something. It stores nothing.

use engine::why::{Candidate, Why as Answer, WhyLimits};

use super::graph::quote_record;
use super::{Answered, Memory};
use crate::failure::{Failure, within};
use crate::mcp::graph_answers::{GraphRecord, WhyAnswered, WhyGround, WhyTarget};
use crate::mcp::graph_arguments::Why;
use crate::mcp::quote::{READING, READING_STRUCTURED, quote};
use crate::mcp::whose::Whose;
use crate::service::Session;
use crate::service::effective::Scope;
use crate::service::why as service;

/// Records that are listed of each sort.
const GROUNDS_MAX: usize = 40;
/// Candidates, at most.
const CANDIDATES_MAX: u32 = engine::why::CANDIDATES_MAX as u32;

impl Memory {
    pub(super) fn why(
        &mut self,
        session: &Session,
        arguments: &Why,
        program: Option<&str>,
    ) -> Result<Answered, Failure> {
        let Why { name, as_of, valid_at, limit } = arguments;
        let viewpoint = session.times().viewpoint(as_of.as_deref(), valid_at.as_deref())?;
        let top_k = match limit {
            Some(limit) => within("limit", *limit, 1, CANDIDATES_MAX)? as usize,
            None => engine::why::CANDIDATES,
        };
        let reader = self.reader(program);
        let open = self.opened.readable(session)?;
        let whose = open.whose();
        open.spaces.shown = reader.disclosure(session, &open.spaces.own);
        let scope = open.spaces.scope_of(name)?;
        let limits = WhyLimits {
            top_k,
            as_of_us: service::past(session, viewpoint.as_of_us),
            valid_at_us: viewpoint.valid_at_us,
            disclosure: open.spaces.disclosure(scope),
            ..WhyLimits::new(session.now)
        };
        let hidden = service::hidden(&open.spaces, name, &limits)?;
        let limits = WhyLimits { hidden, ..limits };
        let space = open.spaces.space(scope);
        let mut why = match service::target(space, name, &limits)? {
            Some(target) => Some(space.why(&target, &limits)?),
            None => None,
        };
        if let (Some(why), Some(owner)) = (&mut why, &space.owner) {
            service::attribute(why, owner);
        }
        let answer = why_answered(why.as_ref(), scope, whose);
        Answered::new(why_in_words(&answer), &answer)
    }
}

fn why_answered(why: Option<&Answer>, scope: Scope, whose: Whose) -> WhyAnswered {
    let records = |is_chosen: bool| {
        let found = why.into_iter().flat_map(|why| &why.candidates);
        let walked = why.into_iter().flat_map(|why| &why.walked);
        let all: Vec<&Candidate> = match is_chosen {
            true => walked.filter(|found| found.chosen).collect(),
            false => found.filter(|found| !found.chosen).collect(),
        };
        let shown = all.into_iter().take(GROUNDS_MAX);
        shown.map(|found| GraphRecord::of_candidate(found, scope)).collect()
    };
    let support = why.and_then(|why| why.support.as_ref());
    let evidence = why.into_iter().flat_map(|why| &why.evidence).take(GROUNDS_MAX);
    let status = why.map(|why| serde_json::to_value(why.status).unwrap_or_default());
    let status = status.and_then(|status| status.as_str().map(str::to_owned));
    WhyAnswered {
        reading: READING_STRUCTURED,
        status: status.unwrap_or_else(|| "insufficient".to_owned()),
        target: why.map(|why| WhyTarget {
            id: why.target.id.to_string(),
            kind: why.target.kind.clone(),
            record_type: why.target.record_type.clone(),
            text: why.target.text.clone(),
            status: why.target.status.map(str::to_owned),
        }),
        claims: records(true),
        is_minimal: support.is_some_and(|support| support.is_minimal),
        confidence: support.map(|support| support.confidence),
        candidates: records(false),
        evidence: evidence
            .map(|ground| WhyGround {
                id: ground.id.to_string(),
                kind: ground.kind.clone(),
                text: ground.text.clone(),
            })
            .collect(),
        scope: scope.as_str(),
        whose,
    }
}

fn why_in_words(answer: &WhyAnswered) -> String {
    let mut words = answer.whose.in_words().to_owned();
    let Some(target) = &answer.target else {
        words.push_str("No decision, action or claim holds now.\n");
        return words;
    };
    words.push_str(&format!("{READING}\n"));
    let is_dead = |status: &&str| !matches!(*status, "active" | "alias");
    let status = target.status.as_deref().filter(is_dead);
    let status = status.map(|status| format!(" ({status})")).unwrap_or_default();
    quote(&mut words, &format!("{}{status}: {}\nid {}", target.kind, target.text, target.id));
    words.push_str(match (answer.status.as_str(), answer.is_minimal) {
        ("supported", true) => "It rests on these claims, and no fewer would do:\n",
        ("supported", false) => "It rests on these claims; fewer may do:\n",
        ("evidence_alone", _) => "It rests on records alone; no claim is needed.\n",
        ("cut", _) => {
            "A limit cut the search before it came to a claim; wider limits may find one.\n"
        }
        ("not_held", _) => "Nothing holds it up any more.\n",
        _ if !answer.evidence.is_empty() => "No claim or node accounts for it, only records.\n",
        _ => "Nothing was found that accounts for it. Say so instead of guessing.\n",
    });
    answer.claims.iter().for_each(|record| quote_record(&mut words, record));
    if !answer.evidence.is_empty() {
        words.push_str("These rest on the records:\n");
    }
    for WhyGround { id, text, .. } in &answer.evidence {
        quote(&mut words, &format!("{text}\nid {id}"));
    }
    if !answer.candidates.is_empty() {
        words.push_str("Also looked at:\n");
    }
    answer.candidates.iter().for_each(|record| quote_record(&mut words, record));
    words
}
