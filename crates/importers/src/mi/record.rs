//! The lines of claims, nodes and edges.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use kernel::body::EdgeType;
use kernel::evidence::Visibility;
use kernel::when::When;
use serde_json::{Map, Value};

use super::fields::Fields;
use super::layout::Scope;
use super::problem_in_line;
use crate::Problem;
use crate::graph::StatementType;
use crate::secrets::cut;

/// The line of a file.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) file: Arc<PathBuf>,
    pub(super) line: u64,
}

impl Place {
    /// A problem with it.
    pub(super) fn problem(&self, message: String) -> Problem {
        problem_in_line(&self.file, self.line, message)
    }
}

/// What the status of a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Active,
    Superseded,
    Retracted,
}

/// What claims, nodes and edges share.
#[derive(Clone, Debug)]
pub(super) struct Common {
    pub(super) uid: String,
    pub(super) place: Place,
    pub(super) visibility: Visibility,
    pub(super) asserted_at: Option<When>,
    /// By which lines are ordered: its own time, or that of the line before.
    pub(super) at_us: i64,
    pub(super) sources: Vec<String>,
    pub(super) notes: String,
    pub(super) project: Option<String>,
    pub(super) status: Status,
}

/// A claim or a node.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) common: Common,
    pub(super) statement_type: StatementType,
    pub(super) text: String,
    pub(super) title: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) valid_from: Option<When>,
    pub(super) valid_to: Option<When>,
    pub(super) confidence: f64,
}

/// An edge. The source's direction of `supersedes` is kept here: from the old to the new.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) common: Common,
    pub(super) edge_type: EdgeType,
    pub(super) from: String,
    pub(super) to: String,
}

/// A retraction.
#[derive(Clone, Debug)]
pub(super) struct Retraction {
    pub(super) target: String,
    pub(super) place: Place,
    pub(super) at_us: i64,
    pub(super) reason: String,
    pub(super) sources: Vec<String>,
}

/// The contents of the files, in their order.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) records: Vec<Record>,
    pub(super) links: Vec<Link>,
    pub(super) retractions: Vec<Retraction>,
    /// The records by their ids.
    by_uid: HashMap<String, usize>,
}

impl Graph {
    /// Adds a line. `before_us` is the time of the line before in the file, and becomes that of
    /// this one. An error says in words why the line is left out.
    pub(super) fn line(
        &mut self,
        scope: &Scope,
        place: &Place,
        line: Map<String, Value>,
        before_us: &mut i64,
    ) -> Result<(), String> {
        let fields = Fields(&line);
        let kind = match fields.text("kind") {
            Some(kind) => kind,
            None => guess(&line).ok_or("it is neither a claim nor a node nor an edge")?.to_owned(),
        };
        if let Some(scope) = fields.text("scope").filter(|scope| scope != "project")
            && scope != "global"
        {
            return Err(format!("{:?} is not a scope: project and global are", cut(&scope, 64)));
        }
        let at = match fields.time("asserted_ts")? {
            Some(at) => Some(at),
            None => fields.time("ts")?,
        };
        let at_us = at.as_ref().map_or(*before_us, When::instant_us);
        let line = Line { scope, place, fields, at, at_us };
        match kind.as_str() {
            "claim" => {
                let claim_type = line.fields.word("claim_type")?;
                self.keep(line.record("claim_id", StatementType::Claim(claim_type))?)?;
            }
            "node" => {
                let node_type = line.fields.word("node_type")?;
                self.keep(line.record("node_id", StatementType::Node(node_type))?)?;
            }
            "edge" => self.links.push(line.link()?),
            "claim_retract" => self.retractions.push(line.retraction("claim_id")?),
            "node_retract" => self.retractions.push(line.retraction("node_id")?),
            "edge_retract" => self.retractions.push(line.retraction("edge_id")?),
            other => return Err(format!("{:?} is not a kind of line here", cut(other, 64))),
        }
        *before_us = at_us;
        Ok(())
    }

    /// Of several lines of one record the last counts.
    fn keep(&mut self, record: Record) -> Result<(), String> {
        let Common { uid, place: at, .. } = &record.common;
        let Some(place) = self.by_uid.get(uid) else {
            self.by_uid.insert(uid.clone(), self.records.len());
            self.records.push(record);
            return Ok(());
        };
        match self.records.get_mut(*place) {
            Some(earlier) if earlier.common.place.file == at.file => {
                *earlier = record;
                Ok(())
            }
            _ => Err(format!("the id {:?} is that of another record", cut(uid, 80))),
        }
    }

    /// The record with an id.
    pub(super) fn place_of(&self, uid: &str) -> Option<usize> {
        self.by_uid.get(uid).copied()
    }
}

/// What a line without a kind is.
fn guess(line: &Map<String, Value>) -> Option<&'static str> {
    let has = |name: &str| line.contains_key(name);
    if has("edge_type") {
        Some("edge")
    } else if has("claim_type") {
        Some("claim")
    } else if has("node_type") {
        Some("node")
    } else {
        None
    }
}

/// A line that is read.
struct Line<'l> {
    scope: &'l Scope,
    place: &'l Place,
    fields: Fields<'l>,
    at: Option<When>,
    at_us: i64,
}

impl Line<'_> {
    fn common(&self, uid: String) -> Result<Common, String> {
        Ok(Common {
            uid,
            place: self.place.clone(),
            visibility: self.fields.visibility(self.scope.visibility())?,
            asserted_at: self.at.clone(),
            at_us: self.at_us,
            sources: self.fields.sources()?,
            notes: self.fields.text("notes").unwrap_or_default(),
            project: self.project(),
            status: self.status()?,
        })
    }

    fn record(&self, id: &str, statement_type: StatementType) -> Result<Record, String> {
        let fields = &self.fields;
        let (valid_from, valid_to) = fields.window()?;
        let title = fields.text("title");
        let text = fields.text("text").or_else(|| title.clone()).ok_or("it has no text")?;
        Ok(Record {
            common: self.common(fields.id(id)?)?,
            statement_type,
            title: title.filter(|title| *title != text),
            text,
            tags: fields.tags(),
            valid_from,
            valid_to,
            confidence: fields.confidence(),
        })
    }

    fn link(&self) -> Result<Link, String> {
        let fields = &self.fields;
        let (from, to) = (fields.id("from_id")?, fields.id("to_id")?);
        let edge_type: EdgeType = fields.word("edge_type")?;
        let uid = match fields.text("edge_id") {
            Some(_) => fields.id("edge_id")?,
            None => format!("{}|{from}|{to}", edge_type.as_str()),
        };
        Ok(Link { common: self.common(uid)?, edge_type, from, to })
    }

    fn retraction(&self, id: &str) -> Result<Retraction, String> {
        Ok(Retraction {
            target: self.fields.id(id)?,
            place: self.place.clone(),
            at_us: self.at_us,
            reason: self.fields.first(&["rationale", "reason", "notes"]).unwrap_or_default(),
            sources: self.fields.sources()?,
        })
    }

    /// The project's id: as the line says, or else the name of its folder.
    fn project(&self) -> Option<String> {
        let folder = self.scope.project.clone()?;
        Some(self.fields.text("project_id").unwrap_or(folder))
    }

    fn status(&self) -> Result<Status, String> {
        match self.fields.text("status").as_deref() {
            None | Some("active") => Ok(Status::Active),
            Some("superseded") => Ok(Status::Superseded),
            Some("retracted") => Ok(Status::Retracted),
            Some(other) => Err(format!(
                "{:?} is not a status: active, superseded and retracted are",
                cut(other, 64)
            )),
        }
    }
}
