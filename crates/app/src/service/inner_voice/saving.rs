//! Keeping an answer: a summary node that cites its sources.
//!
//! It loses its ground with its sources, is private with them and is forgotten with them, as every
//! node is. Its tag keeps it from being a source of another answer. The same words are kept once.

use engine::EngineError;
use engine::graph::ANSWER_TAG;
use engine::private::Disclosure;
use engine::write::graph::{
    GraphChange, GraphChanged, INPUT_ROLE, NamedChange, RecordType, Reference, Statement,
};
use engine::write::import::Intent;
use kernel::body::NodeType;
use kernel::evidence::Visibility;
use kernel::id::OpId;
use kernel::kind::Capability;
use kernel::operation::Role;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{Answer, AskRequest, SpaceInView, Wording};
use crate::failure::Failure;
use crate::service::Session;
use crate::service::agents::Agent;
use crate::service::handles;

/// With which key an answer is kept.
#[derive(Clone, Copy)]
pub(crate) enum SaveBy<'a> {
    /// With that of the open space.
    Handle,
    /// With an agent's.
    Agent(&'a Agent),
    /// With none: whoever asks may not write here.
    NoKey,
}

/// What became of keeping an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Saving {
    /// It is in the space; whether it was not there before.
    Saved { id: OpId, new: bool },
    /// It is not.
    NotSaved(NotSaved),
}

/// Why an answer was not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NotSaved {
    /// The caller did not want it.
    NotWanted,
    /// No source answers.
    NoSource,
    /// It is about the past.
    AsOf,
    /// It is about another time in the world.
    ValidAt,
    /// A source is in the home space, and nothing is copied from there.
    HomeSpace,
    /// The space is somebody else's.
    NotYourSpace,
    /// The file can only be read.
    ReadOnly,
    /// The key may not append.
    NotPermitted,
}

impl NotSaved {
    /// It in words.
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Self::NotWanted => "the answer was not kept",
            Self::NoSource => "nothing was kept: there is no answer",
            Self::AsOf => "the answer was not kept: it is about the past",
            Self::ValidAt => "the answer was not kept: it is about another time",
            Self::HomeSpace => {
                "the answer was not kept: some of it is from the home space, and nothing is copied \
                 from there"
            }
            Self::NotYourSpace => "the answer was not kept: the space is somebody else's",
            Self::ReadOnly => "the answer was not kept: the space can only be read",
            Self::NotPermitted => "the answer was not kept: this key may not write here",
        }
    }

    /// Why nothing was staged.
    pub(crate) fn of_staging(self) -> &'static str {
        match self {
            Self::NotWanted => "it was not asked for",
            Self::NoSource => "the answer names no source",
            Self::AsOf => "the answer is about the past",
            Self::ValidAt => "the answer is about another time",
            Self::HomeSpace => "the sources are in the home space",
            Self::NotYourSpace => "the space is somebody else's",
            Self::ReadOnly => "the space can only be read",
            Self::NotPermitted => "this key may not propose here",
        }
    }
}

/// Keeps an answer, unless there is a reason not to.
pub(super) fn save(
    session: &Session,
    asked: &mut SpaceInView<'_>,
    request: &AskRequest<'_>,
    answer: &Answer,
    by: SaveBy<'_>,
) -> Result<Saving, Failure> {
    let has_home_source = || answer.sources.iter().any(|source| source.space > 0);
    let reason = reason_not_to_write(session, asked, request, answer, &by)?
        .or_else(|| has_home_source().then_some(NotSaved::HomeSpace));
    if let Some(reason) = reason {
        return Ok(Saving::NotSaved(reason));
    }
    let changes = [NamedChange::from(GraphChange::State(Box::new(summary(request, answer)?)))];
    let space = &mut asked.opened.space;
    // It was opened to be read; what is appended makes beliefs be derived again.
    handles::set_owner_names(&session.home, space)?;
    let changed: GraphChanged = match by {
        SaveBy::NoKey => return Ok(Saving::NotSaved(NotSaved::NotPermitted)),
        SaveBy::Handle => space.change_graph(&changes, None, Intent::Write, session.now)?,
        SaveBy::Agent(agent) => {
            match agent.let_in(space, session.now) {
                Err(Failure::Agent(_)) => return Ok(Saving::NotSaved(NotSaved::NotPermitted)),
                let_in => let_in?,
            }
            let mut writer = space.writer_with(&agent.sealer);
            let changed = writer.change_graph(&changes, None, Intent::Write, session.now)?;
            writer.finish()?;
            changed
        }
    };
    Ok(match changed.stand_for.first() {
        Some(id) => Saving::Saved { id: *id, new: changed.appended.contains(id) },
        None => Saving::NotSaved(NotSaved::NoSource),
    })
}

/// Why nothing is written that is made from an answer.
pub(super) fn reason_not_to_write(
    session: &Session,
    asked: &SpaceInView<'_>,
    request: &AskRequest<'_>,
    answer: &Answer,
    by: &SaveBy<'_>,
) -> Result<Option<NotSaved>, EngineError> {
    let space = &*asked.opened;
    Ok(if answer.abstains() {
        Some(NotSaved::NoSource)
    } else if request.as_of_us.is_some() {
        Some(NotSaved::AsOf)
    } else if request.valid_at_us.is_some() {
        Some(NotSaved::ValidAt)
    } else if asked.disclosure == Disclosure::GlobalOnly {
        Some(NotSaved::HomeSpace)
    } else if space.owner.is_some() {
        Some(NotSaved::NotYourSpace)
    } else if space.is_read_only() {
        Some(NotSaved::ReadOnly)
    } else if matches!(by, SaveBy::Handle)
        && !space.reader()?.may(&space.author(), Capability::Append, session.now)?
    {
        Some(NotSaved::NotPermitted)
    } else {
        None
    })
}

/// The answer as a node. Its text is the sentences without the numbers of their sources.
fn summary(request: &AskRequest<'_>, answer: &Answer) -> Result<Statement, EngineError> {
    let texts: Vec<&str> = answer.sentences.iter().map(|sentence| sentence.text.as_str()).collect();
    let sources: Vec<OpId> = answer.sources.iter().map(|source| source.id).collect();
    let sentences = answer.sentences.iter().map(|sentence| {
        let cited = sentence.sources.iter().filter_map(|place| sources.get(*place));
        json!({ "text": sentence.text, "sources": cited.collect::<Vec<_>>() })
    });
    let mut payload = Map::from_iter([
        ("is_summary".to_owned(), json!(true)),
        ("pipeline".to_owned(), json!(ANSWER_TAG)),
        ("question".to_owned(), json!(request.question)),
        ("sentences".to_owned(), json!(sentences.collect::<Vec<_>>())),
        ("summary_of".to_owned(), json!(sources)),
    ]);
    if let Wording::Model { origin, .. } = &answer.wording {
        payload.extend(origin.fields());
    }
    let role = Role::parse(INPUT_ROLE)?;
    let inputs = sources.iter().map(|id| (Reference::Id(*id), role.clone()));
    let node = RecordType::Node(NodeType::Summary);
    Ok(Statement {
        inputs: inputs.collect(),
        tags: vec![ANSWER_TAG.to_owned()],
        visibility: Visibility::Project,
        payload: Value::Object(payload),
        ..Statement::new(node, texts.join(" "))
    })
}
