//! The order in which claims, nodes, edges and retractions are made.
//!
//! The source identifies records by ids, and the ledger by their texts: stating a text that is
//! active adds nothing, and stating one that is over makes a new version of it. So records are made
//! by their times, and those that say the same at once are one. Edges follow, by their times, then
//! retractions, since an edge joins what stands. There are two exceptions:
//!
//! - A text that comes up again after all earlier records of it were retracted or replaced, or with
//!   another validity, is a new version. What ended the earlier ones is made before it.
//! - A record that was replaced, and then replaces its replacement (a setting that is changed and
//!   changed back), is stated anew, since replacements form no ring. Its new version is
//!   `<id>#2`, and so on.
//!
//! `supersedes` leads from the old record to the new one in the source, and the other way in the
//! ledger.

use std::collections::{HashMap, HashSet};

use kernel::body::EdgeType;
use kernel::identity::text_key;
use kernel::when::When;
use serde_json::{Map, json};

use super::record::{Common, Graph, Link, Place, Record, Retraction, Status};
use crate::graph::{
    EdgeDraft, GraphDraft, GraphItem, RetractionDraft, StatementDraft, StatementType,
};

/// What the tag begins with that holds the id of a record; the id follows.
const ID_TAG: &str = "mi:id:";
/// What the tag begins with that holds the project of a record; its id follows.
const PROJECT_TAG: &str = "mi:project:";
/// Most replacements that are followed to find a ring.
const REPLACEMENTS_FOLLOWED_MAX: usize = 10_000;

/// The changes, in the order in which they are to be made.
pub(super) fn arrange(graph: Graph) -> Vec<GraphItem> {
    let mut arranging = Arranging::new(&graph);
    arranging.state_all();
    arranging.link_all();
    arranging.retract_all();
    arranging.items
}

/// Records that say the same at the same time, and become one.
struct Group {
    /// In order.
    members: Vec<usize>,
    /// The place of its statement in the list.
    item: usize,
    /// The id of its latest version.
    uid: String,
    /// How many versions it has.
    versions: usize,
}

struct Arranging<'g> {
    graph: &'g Graph,
    /// Retractions by the ids of what they take back, the first of each.
    retractions: HashMap<&'g str, Retraction>,
    /// Replacements and redirects by their ends.
    displacing: HashMap<&'g str, Vec<usize>>,
    groups: Vec<Group>,
    /// The group of each record that was stated.
    group_of: HashMap<&'g str, usize>,
    linked: HashSet<usize>,
    /// Groups that were retracted.
    retracted: HashSet<usize>,
    /// The newer groups of each, over replacements that were made.
    replaced_by: HashMap<usize, Vec<usize>>,
    items: Vec<GraphItem>,
}

impl<'g> Arranging<'g> {
    fn new(graph: &'g Graph) -> Self {
        let mut displacing: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut has_replacement = HashSet::new();
        for (place, link) in graph.links.iter().enumerate() {
            if matches!(link.edge_type, EdgeType::Supersedes | EdgeType::SameAs) {
                displacing.entry(&link.from).or_default().push(place);
                displacing.entry(&link.to).or_default().push(place);
            }
            if link.edge_type == EdgeType::Supersedes {
                has_replacement.insert(link.from.as_str());
            }
        }
        let mut retractions: HashMap<&str, Retraction> = HashMap::new();
        for retraction in &graph.retractions {
            retractions.entry(&retraction.target).or_insert_with(|| retraction.clone());
        }
        let by_status = |status: Status, uid: &str| match status {
            Status::Active => None,
            Status::Retracted => Some("retracted at its source"),
            Status::Superseded if has_replacement.contains(uid) => None,
            Status::Superseded => Some("replaced at its source, which does not say by what"),
        };
        let records = graph.records.iter().map(|record| &record.common);
        for line in records.chain(graph.links.iter().map(|link| &link.common)) {
            if let Some(reason) = by_status(line.status, &line.uid) {
                retractions.entry(&line.uid).or_insert_with(|| Retraction {
                    target: line.uid.clone(),
                    place: line.place.clone(),
                    at_us: line.at_us,
                    reason: reason.to_owned(),
                    sources: Vec::new(),
                });
            }
        }
        Self {
            graph,
            retractions,
            displacing,
            groups: Vec::new(),
            group_of: HashMap::new(),
            linked: HashSet::new(),
            retracted: HashSet::new(),
            replaced_by: HashMap::new(),
            items: Vec::new(),
        }
    }

    fn state_all(&mut self) {
        let graph = self.graph;
        let mut order: Vec<usize> = (0..graph.records.len()).collect();
        order.sort_by_key(|place| graph.records.get(*place).map(|record| record.common.at_us));
        let mut open: HashMap<(StatementType, String), usize> = HashMap::new();
        for place in order {
            let Some(record) = graph.records.get(place) else { continue };
            let name = record.statement_type.as_str();
            let key = (record.statement_type, text_key(name, &record.text));
            let joins = open.get(&key).copied().filter(|group| !self.is_over(*group, record));
            let group = match joins {
                Some(group) => group,
                None => {
                    if let Some(over) = open.get(&key) {
                        self.end(*over);
                    }
                    let group = self.groups.len();
                    self.groups.push(Group {
                        members: Vec::new(),
                        item: self.items.len(),
                        uid: record.common.uid.clone(),
                        versions: 1,
                    });
                    self.items.push(item(&record.common.place, statement(record)));
                    open.insert(key, group);
                    group
                }
            };
            if let Some(group) = self.groups.get_mut(group) {
                group.members.push(place);
                if let Some(GraphItem { draft: GraphDraft::Statement(statement), .. }) =
                    self.items.get_mut(group.item)
                    && group.members.len() > 1
                {
                    join(statement, record);
                }
            }
            self.group_of.insert(&record.common.uid, group);
        }
    }

    /// Whether every record of a group has ended, or holds at other times, so that `record` says
    /// its text anew.
    fn is_over(&self, group: usize, record: &Record) -> bool {
        if self.retractions.contains_key(record.common.uid.as_str()) {
            return false;
        }
        self.is_retracted(group)
            || self.members(group).next().is_some_and(|member| window(member) != window(record))
            || self.members(group).any(|member| {
                let links = self.displacing.get(member.common.uid.as_str()).into_iter().flatten();
                links.filter_map(|place| self.graph.links.get(*place)).any(|link| {
                    let newer = self.group_of.get(link.to.as_str());
                    link.edge_type == EdgeType::Supersedes
                        && link.from == member.common.uid
                        && newer.is_some_and(|newer| *newer != group)
                })
            })
    }

    /// Whether the source has taken back every record of a group.
    fn is_retracted(&self, group: usize) -> bool {
        self.members(group).all(|member| self.retractions.contains_key(member.common.uid.as_str()))
    }

    fn members(&self, group: usize) -> impl Iterator<Item = &'g Record> {
        let graph = self.graph;
        let members = self.groups.get(group).map(|group| group.members.as_slice());
        members.unwrap_or_default().iter().filter_map(|place| graph.records.get(*place))
    }

    /// Makes what ends a group: the replacements and redirects at its records as far as both ends
    /// are there, and their retractions.
    fn end(&mut self, group: usize) {
        let members: Vec<&Record> = self.members(group).collect();
        let links =
            members.iter().filter_map(|member| self.displacing.get(member.common.uid.as_str()));
        let mut links: Vec<usize> = links.flatten().copied().collect();
        links.sort_by_key(|place| {
            self.graph.links.get(*place).map(|link| (link.common.at_us, *place))
        });
        for place in links {
            let is_there = self.graph.links.get(place).is_some_and(|link| {
                self.group_of.contains_key(link.from.as_str())
                    && self.group_of.contains_key(link.to.as_str())
            });
            if is_there {
                self.link(place);
            }
        }
        self.retract(group);
    }

    fn link_all(&mut self) {
        let mut order: Vec<usize> = (0..self.graph.links.len()).collect();
        order.sort_by_key(|place| self.graph.links.get(*place).map(|link| link.common.at_us));
        for place in order {
            self.link(place);
        }
    }

    fn link(&mut self, place: usize) {
        let Some(link) = self.graph.links.get(place) else { return };
        if !self.linked.insert(place) {
            return;
        }
        let ends = (self.group_of.get(link.from.as_str()), self.group_of.get(link.to.as_str()));
        let is_displacing = matches!(link.edge_type, EdgeType::Supersedes | EdgeType::SameAs);
        if let (Some(from), Some(to)) = ends {
            let (from, to) = (*from, *to);
            // Two records of one text are one already.
            if from == to && link.from != link.to && is_displacing {
                return;
            }
            if link.edge_type == EdgeType::Supersedes && from != to {
                if self.leads(to, from) {
                    self.state_again(to, link);
                }
                self.replaced_by.entry(from).or_default().push(to);
            }
        }
        let (begin, end) = (self.current(&link.from), self.current(&link.to));
        let (from, to) = match link.edge_type {
            EdgeType::Supersedes => (end, begin),
            _ => (begin, end),
        };
        let Common { uid, sources, asserted_at, notes, project, .. } = link.common.clone();
        let (edge_type, visibility) = (link.edge_type, link.common.visibility);
        let draft = EdgeDraft {
            uid,
            edge_type,
            from,
            to,
            sources,
            visibility,
            asserted_at,
            notes,
            project,
        };
        self.items.push(item(&link.common.place, GraphDraft::Edge(Box::new(draft))));
    }

    /// The id of the latest version of what an id names.
    fn current(&self, uid: &str) -> String {
        let group = self.group_of.get(uid).and_then(|group| self.groups.get(*group));
        match group {
            Some(group) if group.versions > 1 => group.uid.clone(),
            _ => uid.to_owned(),
        }
    }

    /// Whether a group was replaced, over any number of replacements, by another.
    fn leads(&self, from: usize, to: usize) -> bool {
        let mut seen = HashSet::new();
        let mut stack = vec![from];
        while let Some(at) = stack.pop() {
            if at == to {
                return true;
            }
            if seen.len() > REPLACEMENTS_FOLLOWED_MAX || !seen.insert(at) {
                continue;
            }
            stack.extend(self.replaced_by.get(&at).into_iter().flatten());
        }
        false
    }

    /// States what a group says as a new version, which nothing replaces.
    fn state_again(&mut self, group: usize, link: &Link) {
        self.replaced_by.remove(&group);
        let Some(stated) = self.groups.get_mut(group) else { return };
        let Some(GraphItem { draft: GraphDraft::Statement(first), .. }) =
            self.items.get(stated.item)
        else {
            return;
        };
        let mut again = first.clone();
        stated.versions += 1;
        again.uid = format!("{}#{}", first.uid, stated.versions);
        again.also = Vec::new();
        again.asserted_at = link.common.asserted_at.clone().or(again.asserted_at);
        stated.uid = again.uid.clone();
        self.items.push(item(&link.common.place, GraphDraft::Statement(again)));
    }

    fn retract_all(&mut self) {
        for group in 0..self.groups.len() {
            self.retract(group);
        }
        let graph = self.graph;
        let mut others: Vec<&Retraction> = self
            .retractions
            .iter()
            .filter(|(uid, _)| graph.place_of(uid).is_none())
            .map(|(_, retraction)| retraction)
            .collect();
        others.sort_by(|one, other| {
            (one.at_us, &one.place.file, one.place.line).cmp(&(
                other.at_us,
                &other.place.file,
                other.place.line,
            ))
        });
        let others: Vec<GraphItem> =
            others.into_iter().map(|other| retraction_item(other, other.target.clone())).collect();
        self.items.extend(others);
    }

    /// Retracts a group if the source took all its records back.
    fn retract(&mut self, group: usize) {
        if !self.is_retracted(group) || !self.retracted.insert(group) {
            return;
        }
        let uid = self.groups.get(group).map(|group| group.uid.clone());
        let last =
            self.members(group).filter_map(|one| self.retractions.get(one.common.uid.as_str()));
        let last = last.max_by_key(|retraction| retraction.at_us);
        if let (Some(uid), Some(retraction)) = (uid, last) {
            let item = retraction_item(retraction, uid);
            self.items.push(item);
        }
    }
}

/// When a record is true in the world, microseconds since the Unix epoch.
fn window(record: &Record) -> (Option<i64>, Option<i64>) {
    let instant = |when: &Option<When>| when.as_ref().map(When::instant_us);
    (instant(&record.valid_from), instant(&record.valid_to))
}

fn item(place: &Place, draft: GraphDraft) -> GraphItem {
    GraphItem { file: place.file.clone(), line: place.line, draft }
}

fn retraction_item(retraction: &Retraction, target: String) -> GraphItem {
    let draft = RetractionDraft {
        target,
        reason: retraction.reason.clone(),
        sources: retraction.sources.clone(),
    };
    item(&retraction.place, GraphDraft::Retraction(draft))
}

fn statement(record: &Record) -> GraphDraft {
    let mut more = Map::new();
    if let Some(title) = &record.title {
        more.insert("title".to_owned(), json!(title));
    }
    let tags = labels(record).chain(tags_of(record)).collect();
    let Common { uid, sources, asserted_at, notes, .. } = record.common.clone();
    GraphDraft::Statement(Box::new(StatementDraft {
        uid,
        also: Vec::new(),
        statement_type: record.statement_type,
        text: record.text.clone(),
        sources,
        tags,
        visibility: record.common.visibility,
        valid_from: record.valid_from.clone(),
        valid_to: record.valid_to.clone(),
        asserted_at,
        confidence: record.confidence,
        rationale: notes,
        more,
    }))
}

/// Its labels, without those that only an import gives.
fn labels(record: &Record) -> impl Iterator<Item = String> {
    let is_ours = |tag: &&String| tag.starts_with(ID_TAG) || tag.starts_with(PROJECT_TAG);
    record.tags.iter().filter(move |tag| !is_ours(tag)).cloned()
}

/// The id and the project of a record.
fn tags_of(record: &Record) -> impl Iterator<Item = String> {
    let Common { uid, project, .. } = &record.common;
    let project = project.iter().map(|project| format!("{PROJECT_TAG}{project}"));
    std::iter::once(format!("{ID_TAG}{uid}")).chain(project)
}

/// Lets a statement stand for another record that says the same, too. Whoever may see both may see
/// it.
fn join(statement: &mut StatementDraft, record: &Record) {
    let Common { uid, sources, visibility, .. } = &record.common;
    statement.also.push((uid.clone(), sources.clone()));
    for tag in labels(record).chain(tags_of(record)) {
        if !statement.tags.contains(&tag) {
            statement.tags.push(tag);
        }
    }
    statement.visibility = statement.visibility.min(*visibility);
}
