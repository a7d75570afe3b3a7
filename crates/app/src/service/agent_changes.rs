//! What an agent states and joins.
//!
//! An agent may add to the graph at once, with its own key: what it states names the agent as the
//! one who concluded it, and cites what it was made from, or a statement of the agent. A change
//! that takes somebody else's record out of lists is not the agent's to make: replacing or
//! redirecting what a person, another agent or a deriver stated is kept as a patch, for `because
//! review`.

use engine::belief::claims::{ClaimFilter, States};
use engine::belief::review::Status;
use engine::belief::user::UserError;
use engine::graph::RecordView;
use engine::private::Disclosure;
use engine::recall::context::NAME_BYTES_MAX;
use engine::write::graph::{
    GraphChange, GraphChanged, GraphRefusal, NamedChange, RecordType, Reference, RefusedChange,
    Statement, cite_as_inputs,
};
use engine::write::import::Intent;
use engine::write::patch::{NewPatch, Patch};
use engine::write::record::Outcome;
use engine::{EngineError, Space};
use importers::secrets::{mask, mask_string};
use kernel::body::{Body, Deriver, EdgeType, NodeType, TextClaimType};
use kernel::evidence::{Evidence, Visibility};
use kernel::id::{Author, OpId};
use kernel::identity::{normalized_text, text_key};
use kernel::kind::Kind;
use kernel::records::RecordStatus;
use kernel::rules::RuleViolation;
use kernel::validity::State;
use kernel::when::When;
use retrieval::text::visible::visible;
use serde_json::{Map, Value};

use super::Session;
use super::agents::{Agent, program_name_among};
use super::graph::statement;
use super::notes::{ASSISTANT, TAGS_MAX};
use super::wording::shortened;
use crate::failure::{Failure, RequestError};

/// How sure a claim of an agent is, unless the agent says otherwise.
const CONFIDENCE: f64 = 0.9;
/// The version of an agent as a deriver: that of the form of its statements, not of its program.
const DERIVER_VERSION: &str = "1";
/// The name of the new record within one list of changes.
const NEW: &str = "new";
/// How tags begin that give a claim a meaning to this program, as settings and values have.
const RESERVED: [&str; 2] = ["mi:", "values:"];

/// A text as its identity has it, without the stop at its end.
fn without_stop(text: &str) -> String {
    normalized_text(text).trim_end_matches(['.', '!', '。']).to_owned()
}

/// What an agent states.
pub(crate) struct AgentStatement {
    /// Its type; that of the record that it replaces, else a fact, if none is given.
    pub(crate) record_type: Option<RecordType>,
    /// It in words.
    pub(crate) text: String,
    /// What it was made from, by ids.
    pub(crate) sources: Vec<String>,
    /// Labels; those of the record that it replaces, if none are given.
    pub(crate) tags: Option<Vec<String>>,
    /// When it is true in the world.
    pub(crate) validity: (Option<When>, Option<When>),
    /// How sure it is, 0 … 1.
    pub(crate) confidence: Option<f64>,
    /// The record that it replaces.
    pub(crate) supersedes: Option<String>,
}

/// How an agent joins two records.
pub(crate) struct AgentEdge {
    /// What it says of its ends.
    pub(crate) edge_type: EdgeType,
    /// Where it begins.
    pub(crate) from: String,
    /// Where it ends.
    pub(crate) to: String,
    /// What it was made from, by ids.
    pub(crate) sources: Vec<String>,
    /// Why, in words.
    pub(crate) notes: String,
}

/// Who changes a space, and what of it they may see.
pub(crate) struct AgentWriter<'a> {
    pub(crate) session: &'a Session,
    pub(crate) space: &'a mut Space,
    pub(crate) agent: &'a Agent,
    pub(crate) disclosure: Disclosure,
}

/// What became of a change.
pub(crate) enum AgentChanged {
    /// It is made, or what it says was there already.
    Done {
        /// What it stands for.
        id: Option<OpId>,
        /// What followed.
        changed: Box<GraphChanged>,
    },
    /// The user decides.
    Proposed {
        /// The patch.
        patch: OpId,
        /// Whether the same was proposed before, and what became of it.
        before: Option<Status>,
    },
}

/// A change, and what it displaces.
struct Planned {
    changes: Vec<NamedChange>,
    sources: Vec<OpId>,
    displaced: Option<OpId>,
    /// The agent's statement, which is recorded if nothing is cited.
    words: String,
    visibility: Visibility,
    /// The request in one line, for the user.
    headline: String,
}

impl AgentWriter<'_> {
    /// States a claim or a node, or replaces one.
    pub(crate) fn state(&mut self, asked: AgentStatement) -> Result<AgentChanged, Failure> {
        let text = asked.text.trim();
        if visible(text).trim().is_empty() {
            return Err(RequestError::EmptyText.into());
        }
        if let Some(given) = asked.confidence.filter(|given| !(0.0..=1.0).contains(given)) {
            return Err(RequestError::NotAProbability { given }.into());
        }
        check_tags(asked.tags.as_deref().unwrap_or_default())?;
        self.check_not_denied(text)?;
        let sources = self.sources(&asked.sources)?;
        let replaced = match &asked.supersedes {
            Some(name) => Some(self.active(name)?),
            None => None,
        };
        let record_type = match (asked.record_type, &replaced) {
            (Some(named), _) => named,
            (None, Some(replaced)) => type_of(replaced),
            (None, None) => RecordType::Claim(TextClaimType::Fact.as_str().to_owned()),
        };
        let inherited = replaced.as_ref().map(|replaced| replaced.tags.clone());
        let visibility = match &replaced {
            Some(replaced) if self.space.is_private(&replaced.id)? => Visibility::Private,
            Some(replaced) => replaced.visibility,
            None => Visibility::default(),
        };
        let is_claim = matches!(record_type, RecordType::Claim(_));
        let (valid_from, valid_to) = asked.validity;
        let stated = Statement {
            inputs: cite_as_inputs(&sources)?,
            tags: asked.tags.or(inherited).unwrap_or_default(),
            visibility,
            valid_from,
            valid_to,
            deriver: is_claim.then(|| self.deriver()),
            confidence: asked.confidence.unwrap_or(CONFIDENCE),
            confidence_basis: serde_json::json!({ "source": "agent", "agent": self.agent.id.as_str() }),
            ..Statement::new(record_type, text)
        };
        let state = GraphChange::State(Box::new(stated));
        let mut changes = vec![NamedChange { name: Some(NEW.to_owned()), change: state }];
        if let Some(replaced) = &replaced {
            changes.push(NamedChange::from(GraphChange::Connect {
                edge_type: EdgeType::Supersedes,
                from: Reference::Local(NEW.to_owned()),
                to: Reference::Id(replaced.id),
                inputs: cite_as_inputs(&sources)?,
                notes: String::new(),
            }));
        }
        let old = replaced.as_ref().map(|replaced| shortened(&replaced.text)).unwrap_or_default();
        self.make(Planned {
            changes,
            sources,
            displaced: replaced.map(|replaced| replaced.id),
            words: text.to_owned(),
            visibility,
            headline: format!(
                "replace {old:?} by {:?}",
                shortened(&mask_string(text).into_inner())
            ),
        })
    }

    /// Refuses what the user said is wrong, also as a claim of another type or in the words of what
    /// was derived.
    fn check_not_denied(&self, text: &str) -> Result<(), Failure> {
        /// Most denied beliefs that are compared.
        const DENIED_MAX: usize = 10_000;
        let denied = ClaimFilter {
            states: States::These(vec![State::Refuted, State::Corrected]),
            disclosure: self.disclosure,
            ..ClaimFilter::default()
        };
        let said = without_stop(text);
        let refusal = |key: String, is_refuted: bool| {
            let violation = match is_refuted {
                true => RuleViolation::IdentityRefuted { key },
                false => RuleViolation::IdentityCorrected { key },
            };
            let refusal = GraphRefusal::Rule(violation);
            let refused = RefusedChange { place: 0, name: None, refusal };
            Failure::from(EngineError::Graph(vec![refused]))
        };
        // A claim that was retracted or replaced as well is not listed as one of these.
        for claim_type in TextClaimType::ALL {
            for stop in ["", ".", "!", "。"] {
                let key = text_key(claim_type.as_str(), &format!("{said}{stop}"));
                if let Some(state) = self.space.users_word(&key, self.disclosure)? {
                    return Err(refusal(key, state == State::Refuted));
                }
            }
        }
        for belief in self.space.claims(&denied, DENIED_MAX)?.beliefs {
            let is_refuted = belief.state == State::Refuted;
            let was = match belief.current.filter(|_| !is_refuted) {
                Some(corrected) => {
                    let shown = self.space.show(&corrected)?;
                    let body = shown.operation.body();
                    match body.map(|bytes| Body::parse(&Kind::Claim, bytes)) {
                        Some(Ok(Body::Claim(claim))) => claim.text,
                        _ => String::new(),
                    }
                }
                None => belief.text,
            };
            if without_stop(&was) != said {
                continue;
            }
            return Err(refusal(belief.key, is_refuted));
        }
        Ok(())
    }

    /// Joins two records.
    pub(crate) fn connect(&mut self, asked: AgentEdge) -> Result<AgentChanged, Failure> {
        let (from, to) = (self.id(&asked.from)?, self.id(&asked.to)?);
        let sources = self.sources(&asked.sources)?;
        let displaced = match asked.edge_type {
            EdgeType::Supersedes => Some(to),
            EdgeType::SameAs => Some(from),
            _ => None,
        };
        let edge_type = asked.edge_type.as_str();
        let notes = asked.notes.trim();
        let words = match notes {
            "" => format!("{from} {edge_type} {to}"),
            notes => notes.to_owned(),
        };
        let text = |id: &OpId| -> Result<String, Failure> {
            let view = self.space.record_view(id, None)?;
            Ok(view.map(|view| shortened(&view.text)).unwrap_or_else(|| id.to_string()))
        };
        let headline = format!("join {:?} {edge_type} {:?}", text(&from)?, text(&to)?);
        let change = GraphChange::Connect {
            edge_type: asked.edge_type,
            from: Reference::Id(from),
            to: Reference::Id(to),
            inputs: cite_as_inputs(&sources)?,
            notes: notes.to_owned(),
        };
        self.make(Planned {
            changes: vec![change.into()],
            sources,
            displaced,
            words,
            visibility: Visibility::default(),
            headline,
        })
    }

    /// Makes a change at once, or proposes it where it displaces what others said.
    fn make(&mut self, planned: Planned) -> Result<AgentChanged, Failure> {
        let is_own = match &planned.displaced {
            Some(id) => self.is_own(id)?,
            None => true,
        };
        if !is_own {
            return self.propose(planned);
        }
        self.agent.let_in(self.space, self.session.now)?;
        let evidence = self.evidence(&planned.words, planned.visibility)?;
        let now = self.session.now;
        let mut writer = self.space.writer_with(&self.agent.sealer);
        let changed = writer.change_graph(&planned.changes, Some(&evidence), Intent::Write, now)?;
        writer.finish()?;
        let id = changed.stand_for.first().copied();
        Ok(AgentChanged::Done { id, changed: Box::new(changed) })
    }

    fn propose(&mut self, planned: Planned) -> Result<AgentChanged, Failure> {
        let program = self.program()?;
        let text = format!("{program} asks to {}", planned.headline);
        let author = self.agent.sealer.author();
        let before = self.space.patches(None)?.into_iter().rev().find(|patch| {
            patch.by == author && patch.text == text && patch.status != Status::Accepted
        });
        if let Some(before) = before {
            return Ok(AgentChanged::Proposed { patch: before.id, before: Some(before.status) });
        }
        self.agent.let_in(self.space, self.session.now)?;
        let mut changes = planned.changes;
        if planned.sources.is_empty() {
            // What would be refused leaves no statement behind.
            let evidence = self.evidence(&planned.words, planned.visibility)?;
            let now = self.session.now;
            self.space.change_graph(&changes, Some(&evidence), Intent::DryRun, now)?;
            let cited = self.record_statement(&planned.words, planned.visibility)?;
            cite(&mut changes, cited)?;
        }
        let patch = NewPatch { origin: program, text, changes, ..NewPatch::default() };
        let now = self.session.now;
        // Whatever would refuse it later refuses it now.
        self.space.apply_new_patch(&patch, Intent::DryRun, now)?;
        let mut writer = self.space.writer_with(&self.agent.sealer);
        let patch = writer.propose_patch(&patch, now)?;
        writer.finish()?;
        Ok(AgentChanged::Proposed { patch, before: None })
    }

    /// The agent's own words as a record, for what cites nothing else.
    fn record_statement(&mut self, words: &str, visibility: Visibility) -> Result<OpId, Failure> {
        let evidence = self.evidence(words, visibility)?;
        let mut writer = self.space.writer_with(&self.agent.sealer);
        let outcome = writer.remember(mask(evidence), self.session.now)?;
        writer.finish()?;
        match outcome {
            Outcome::Added(id) | Outcome::Replaced { new: id, .. } | Outcome::Present(id) => Ok(id),
            Outcome::Forgotten(id) => Err(RequestError::NoteForgotten { id }.into()),
        }
    }

    fn evidence(&self, words: &str, visibility: Visibility) -> Result<Evidence, Failure> {
        let mut evidence = statement(self.session, words, visibility);
        // What an agent states never stands for a statement of the user, or of another agent.
        evidence.source_uid = format!("{}/{}", evidence.source_uid, self.agent.sealer.author());
        evidence.actor = Some(self.program()?);
        evidence.payload.role = Some(ASSISTANT.to_owned());
        Ok(evidence)
    }

    fn program(&self) -> Result<String, Failure> {
        Ok(program_name_among(Some(&self.agent.name), &self.space.key_ring()?))
    }

    fn deriver(&self) -> Deriver {
        let (name, version) = (self.agent.id.as_str().to_owned(), DERIVER_VERSION.to_owned());
        Deriver { name, version, deterministic: false }
    }

    fn id(&self, name: &str) -> Result<OpId, Failure> {
        Ok(self.space.resolve_disclosed(name, self.disclosure)?)
    }

    fn sources(&self, names: &[String]) -> Result<Vec<OpId>, Failure> {
        names.iter().map(|name| self.id(name)).collect()
    }

    /// The record that a name stands for, which must be active.
    fn active(&self, name: &str) -> Result<RecordView, Failure> {
        let id = self.id(name)?;
        let view = self.space.record_view(&id, None)?;
        let status = view.as_ref().and_then(|view| view.status?.parse::<RecordStatus>().ok());
        match view {
            Some(view) if view.corrected_by.is_some() => {
                Err(EngineError::from(UserError::StandsCorrected { id }).into())
            }
            Some(view) if status == Some(RecordStatus::Active) => Ok(view),
            _ => {
                let refusal = GraphRefusal::NotActive { id, status };
                let refused = RefusedChange { place: 0, name: None, refusal };
                Err(EngineError::Graph(vec![refused]).into())
            }
        }
    }

    /// Whether the agent said it itself.
    fn is_own(&self, id: &OpId) -> Result<bool, Failure> {
        Ok(self.space.show(id)?.operation.header().author == self.agent.sealer.author())
    }
}

/// A patch that a key proposed before with the same changes and words, and that was not applied.
pub(crate) fn same_patch(
    space: &Space,
    author: Author,
    patch: &NewPatch,
) -> Result<Option<Patch>, Failure> {
    let is_same = |before: &Patch| {
        before.by == author
            && before.status != Status::Accepted
            && before.text == patch.text
            && before.changes == patch.changes
    };
    Ok(space.patches(None)?.into_iter().rev().find(is_same))
}

/// Refuses operations of a patch whose tags would make a setting or a value of a claim.
pub(crate) fn check_operations<'o>(
    operations: impl IntoIterator<Item = &'o Map<String, Value>>,
) -> Result<(), RequestError> {
    operations.into_iter().try_for_each(|operation| {
        let tags = operation.get("tags").and_then(Value::as_array);
        let tags = tags.into_iter().flatten().filter_map(Value::as_str);
        check_tags(&tags.map(str::to_owned).collect::<Vec<_>>())
    })
}

/// Refuses tags that would make a setting or a value of a claim.
fn check_tags(tags: &[String]) -> Result<(), RequestError> {
    if tags.len() > TAGS_MAX {
        return Err(RequestError::TooManyTags { tags: tags.len(), tags_max: TAGS_MAX });
    }
    for tag in tags {
        if tag.len() > NAME_BYTES_MAX {
            return Err(RequestError::NameTooLong { bytes_max: NAME_BYTES_MAX });
        }
        if RESERVED.iter().any(|reserved| tag.trim_start().to_lowercase().starts_with(reserved)) {
            return Err(RequestError::ReservedTag { tag: tag.clone() });
        }
    }
    Ok(())
}

fn type_of(record: &RecordView) -> RecordType {
    match record.record_type.parse::<NodeType>() {
        Ok(node_type) if record.key.is_none() => RecordType::Node(node_type),
        _ => RecordType::Claim(record.record_type.clone()),
    }
}

/// Makes changes cite a record.
fn cite(changes: &mut [NamedChange], cited: OpId) -> Result<(), Failure> {
    for change in changes {
        match &mut change.change {
            GraphChange::State(statement) => statement.inputs = cite_as_inputs(&[cited])?,
            GraphChange::Connect { inputs: cites, .. }
            | GraphChange::Supersede { inputs: cites, .. } => *cites = cite_as_inputs(&[cited])?,
            GraphChange::Retract { .. } => {}
        }
    }
    Ok(())
}
