//! What the tests of the service work on: a home, its home space, and a project.

use engine::Space;
use engine::write::graph::{GraphChange, RecordType, Reference, Statement};
use engine::write::import::Intent;
use kernel::body::{EdgeType, NodeType};
use kernel::evidence::Visibility;
use kernel::id::OpId;
use kernel::kind::Capability;
use kernel::when::When;

use super::Session;
use super::agreed_settings::{self, SettingKey};
use super::graph::statement;
use super::locator::SpaceLocator;
use super::model_request::Answerer;
use super::opening::{OpenedSpace, SpaceUse};
use super::values;

/// A home and a project in a folder of its own, and the time. Spaces are made when they are opened.
pub(super) struct TestHome {
    folder: tempfile::TempDir,
    pub(super) session: Session,
}

/// What a claim or a node says.
pub(super) fn claim(claim_type: &str, text: &str) -> Statement {
    Statement::new(RecordType::Claim(claim_type.to_owned()), text)
}

pub(super) fn node(node_type: NodeType, text: &str) -> Statement {
    Statement::new(RecordType::Node(node_type), text)
}

impl TestHome {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let session = Session::in_folder(folder.path());
        Self { folder, session }
    }

    /// The same at a later time.
    pub(super) fn at(&mut self, now: &str) {
        self.session.now = now.parse().unwrap();
    }

    pub(super) fn open(&self, name: &str) -> OpenedSpace {
        let path = self.folder.path().join(name);
        if name != "global" && !path.exists() {
            let signer = self.session.home.signer().unwrap();
            Space::create(&path, signer, "project", self.session.now).unwrap();
        }
        let path = path.to_string_lossy().into_owned();
        let named = if name == "global" { name } else { path.as_str() };
        let locator = SpaceLocator { home: &self.session.home, named: Some(named) };
        locator.open_or_make(SpaceUse::Write(Capability::Correct), self.session.now).unwrap()
    }

    pub(super) fn project(&self) -> OpenedSpace {
        self.open("project.db")
    }

    pub(super) fn home(&self) -> OpenedSpace {
        self.open("global")
    }

    /// Changes the graph because somebody said these words. They are for whom the change is for.
    pub(super) fn change(&self, space: &mut OpenedSpace, change: GraphChange, words: &str) -> OpId {
        let visibility = match &change {
            GraphChange::State(stated) => stated.visibility,
            _ => Visibility::Global,
        };
        let statement = statement(&self.session, words, visibility);
        let changed = space
            .change_graph(&[change.into()], Some(&statement), Intent::Write, self.session.now)
            .unwrap();
        changed.stand_for[0]
    }

    pub(super) fn state(&self, space: &mut OpenedSpace, what: Statement) -> OpId {
        let words = what.text.clone();
        self.change(space, GraphChange::State(Box::new(what)), &words)
    }

    pub(super) fn edge(
        &self,
        space: &mut OpenedSpace,
        edge_type: EdgeType,
        from: OpId,
        to: OpId,
    ) -> OpId {
        let change = GraphChange::Connect {
            edge_type,
            from: Reference::Id(from),
            to: Reference::Id(to),
            inputs: Vec::new(),
            notes: String::new(),
        };
        self.change(space, change, "because")
    }

    pub(super) fn retract(&self, space: &mut OpenedSpace, id: OpId) {
        let target = Reference::Id(id);
        let retract = GraphChange::Retract { target, reason: String::new(), sources: Vec::new() };
        self.change(space, retract, "no");
    }

    pub(super) fn values(&self, text: &str) {
        values::set(&self.session, text, Answerer::Rules, Intent::Write).unwrap();
    }

    pub(super) fn set(&self, space: &mut OpenedSpace, key: &str, value: &str) {
        let key = SettingKey::parse(key).unwrap();
        agreed_settings::set(&self.session, Some(space), &key, value, Intent::Write).unwrap();
    }
}

pub(super) fn when(text: &str) -> Option<When> {
    Some(When::from_timestamp(text.parse().unwrap()))
}
