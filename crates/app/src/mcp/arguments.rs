//! The tools' arguments. The input schemas are generated from the types, and models read the
//! comments on the fields as descriptions.
//!
//! Unknown argument names are refused: a misspelt argument that is ignored would lead to a wrong
//! answer.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::graph_arguments::{Connect, Graph, Moderate, ProposePatch, Review, State, Why};
use super::inner_voice::InnerVoice;
use super::maintenance::MaintenanceOps;
use super::tool_name::ToolName;
use crate::service::proposals::Reply;
use crate::service::recall::SearchScope;

/// A call of a tool. Where the caller matters, it includes the name by which the calling program
/// introduced itself.
pub(crate) enum Call {
    Remember(Remember, Option<String>),
    Recall(Recall, Option<String>),
    InnerVoice(InnerVoice, Option<String>),
    GetContext(GetContext, Option<String>),
    Observe(Observe, Option<String>),
    Explain(Explain, Option<String>),
    State(State, Option<String>),
    Connect(Connect, Option<String>),
    Graph(Graph, Option<String>),
    Why(Why, Option<String>),
    ProposePatch(ProposePatch, Option<String>),
    Review(Review, Option<String>),
    Maintain(MaintenanceOps, Option<String>),
    Propose(Action, Asking),
    Moderate(Moderate, Asking),
}

/// What an agent may only do with the user's consent.
pub(crate) enum Action {
    Correct(Correct),
    Refute(Refute),
    Retract(Retract),
    Forget(Forget),
}

impl Action {
    /// The tool.
    pub(super) fn tool(&self) -> ToolName {
        match self {
            Self::Correct(_) => ToolName::Correct,
            Self::Refute(_) => ToolName::Refute,
            Self::Retract(_) => ToolName::Retract,
            Self::Forget(_) => ToolName::Forget,
        }
    }
}

/// Who calls, and whether the user can be asked.
pub(crate) struct Asking {
    /// The name of the calling program.
    pub(super) program: Option<String>,
    /// Whether the host can ask the user.
    pub(super) can_ask: bool,
    /// The user's answer, if the user was asked.
    pub(super) reply: Option<Reply>,
}

/// Why a call could not be parsed.
pub(super) enum NoCall {
    /// The tool does not exist.
    UnknownTool,
    /// The arguments do not fit, with the reason.
    Unfit(String),
}

impl Call {
    /// The tool.
    pub(crate) fn tool(&self) -> ToolName {
        match self {
            Self::Remember(..) => ToolName::Remember,
            Self::Recall(..) => ToolName::Recall,
            Self::InnerVoice(..) => ToolName::InnerVoice,
            Self::GetContext(..) => ToolName::GetContext,
            Self::Observe(..) => ToolName::Observe,
            Self::Explain(..) => ToolName::Explain,
            Self::State(..) => ToolName::State,
            Self::Connect(..) => ToolName::Connect,
            Self::Graph(..) => ToolName::Graph,
            Self::Why(..) => ToolName::Why,
            Self::ProposePatch(..) => ToolName::ProposePatch,
            Self::Review(..) => ToolName::Review,
            Self::Maintain(..) => ToolName::MaintenanceOps,
            Self::Propose(action, _) => action.tool(),
            Self::Moderate(..) => ToolName::Moderate,
        }
    }

    /// Parses a call; `program` is the name of the calling program.
    pub(super) fn read(
        tool: &str,
        arguments: JsonObject,
        program: Option<String>,
        can_ask: bool,
        reply: Option<Reply>,
    ) -> Result<Self, NoCall> {
        let asking = |program| Asking { program, can_ask, reply };
        let tool = ToolName::parse(tool).ok_or(NoCall::UnknownTool)?;
        Ok(match tool {
            ToolName::Remember => Self::Remember(read(arguments)?, program),
            ToolName::Recall => Self::Recall(read(arguments)?, program),
            ToolName::InnerVoice => Self::InnerVoice(read(arguments)?, program),
            ToolName::GetContext => Self::GetContext(read(arguments)?, program),
            ToolName::Observe => Self::Observe(read(arguments)?, program),
            ToolName::Explain => Self::Explain(read(arguments)?, program),
            ToolName::State => Self::State(read(arguments)?, program),
            ToolName::Connect => Self::Connect(read(arguments)?, program),
            ToolName::Graph => Self::Graph(read(arguments)?, program),
            ToolName::Why => Self::Why(read(arguments)?, program),
            ToolName::ProposePatch => Self::ProposePatch(read(arguments)?, program),
            ToolName::Review => Self::Review(read(arguments)?, program),
            ToolName::MaintenanceOps => Self::Maintain(read(arguments)?, program),
            ToolName::Correct => Self::Propose(Action::Correct(read(arguments)?), asking(program)),
            ToolName::Refute => Self::Propose(Action::Refute(read(arguments)?), asking(program)),
            ToolName::Retract => Self::Propose(Action::Retract(read(arguments)?), asking(program)),
            ToolName::Forget => Self::Propose(Action::Forget(read(arguments)?), asking(program)),
            ToolName::Moderate => Self::Moderate(read(arguments)?, asking(program)),
        })
    }
}

fn read<T: for<'a> Deserialize<'a>>(arguments: JsonObject) -> Result<T, NoCall> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| NoCall::Unfit(error.to_string()))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Remember {
    /// One thing worth knowing later, in a sentence or a short paragraph that can be understood
    /// without this conversation: full names instead of "he" or "it", dates instead of "tomorrow".
    /// Keep the user's own wording. At most 1 MiB. Example: "Ana moved the weekly planning to
    /// Tuesdays at 9:30, because Ben is away on Mondays."
    pub(super) text: String,
    /// Who said it. "user": the user said it, and `text` gives the user's own words ("I am allergic
    /// to walnuts"); beliefs about the user follow from these only. A person's name: that person
    /// said it. Omitted: your own observation or conclusion.
    pub(super) actor: Option<String>,
    /// When it happened, if not now: "2025-02-01", "2025-02-01T09:30", with an offset,
    /// "2025-02-01T09:30:00+02:00", or "yesterday".
    pub(super) at: Option<String>,
    /// A few labels by which to find it, without "#". Example: ["planning", "team"]
    pub(super) tags: Option<Vec<String>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Recall {
    /// A question in plain words, or just words to look for. Names of people, dates ("in February",
    /// "last week") and rare words count most. Example: "Which glaze did Idris recommend for the
    /// tall bowls?"
    pub(super) query: String,
    /// How many items of each kind at most, 1 to 50; 5 if omitted.
    pub(super) limit: Option<u32>,
    /// "facts": beliefs concluded from many records, with their confidence. "episodes": the records
    /// themselves, what was said or happened. "both" if omitted.
    pub(super) search_type: Option<SearchType>,
    /// Only what happened then or later: "2025-02-01", "2025-02", "2025", "last week", "3 days
    /// ago", or with a time. Episodes only.
    pub(super) since: Option<String>,
    /// Only what happened before then: "2025-03-01", or with a time; a year, month or week is
    /// included. Episodes only.
    pub(super) until: Option<String>,
    /// Only commits that changed this file or folder: "src/main.rs". Episodes only.
    pub(super) path: Option<String>,
    /// How many records of the same conversation to show before and after each episode, 0 to 5; 0
    /// if omitted. Use 1 or 2 when an episode alone does not make sense.
    pub(super) around: Option<u32>,
    /// What memory held at this time, from what was recorded until then: "2025-02-01", "last week",
    /// or with a time. Now if omitted.
    pub(super) as_of: Option<String>,
    /// Only facts that are true at this time in the world: "2025-02-01", "yesterday". Facts that
    /// are true now if omitted.
    pub(super) valid_at: Option<String>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum SearchType {
    Facts,
    Episodes,
    #[default]
    Both,
}

impl From<SearchType> for SearchScope {
    fn from(named: SearchType) -> Self {
        match named {
            SearchType::Facts => Self::Facts,
            SearchType::Episodes => Self::Episodes,
            SearchType::Both => Self::Both,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetContext {
    /// The latest turns of the conversation, oldest first, the newest last; three to six are
    /// enough. Memory is searched for what they mention. Give these or `task`.
    pub(super) turns: Option<Vec<Turn>>,
    /// Instead of turns: a task that you are about to decide about, in a sentence. Example: "Choose
    /// a glaze for the tall bowls"
    pub(super) task: Option<String>,
    /// Results of tools that the answer will need, the most important first. They share the budget.
    pub(super) tool_results: Option<Vec<String>>,
    /// How many tokens the context may take, 0 to 1000000; 1500 if omitted. The newest turn is
    /// always included in full, even if it alone exceeds the budget. For a task, as many as its
    /// records take if omitted.
    pub(super) budget_tokens: Option<u32>,
    /// Your name, for the receipt of what you were shown; the program's name if omitted. Example:
    /// "reviewer"
    pub(super) agent: Option<String>,
    /// The conversation's id, for the receipt.
    pub(super) session: Option<String>,
    /// What memory held at this time, from what was recorded until then: "2025-02-01", "last week",
    /// or with a time. Now if omitted.
    pub(super) as_of: Option<String>,
    /// Only facts that are true at this time in the world: "2025-02-01", "yesterday".
    pub(super) valid_at: Option<String>,
}

/// A turn of the conversation.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct Turn {
    /// Who spoke: "user", "assistant" or a name.
    pub(super) speaker: String,
    /// What was said.
    pub(super) text: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Observe {
    /// The turn, in full, as it was said. Example: "Can we move the class to Thursday?"
    pub(super) text: String,
    /// Who said it: "user" (if omitted), "assistant" for yourself, or a name. What your own turns
    /// bring up comes with the user's next turn.
    pub(super) speaker: Option<String>,
    /// The conversation's id; may be omitted if the program has one conversation at a time. What
    /// one conversation was shown may still come up in another.
    pub(super) session: Option<String>,
    /// How many tokens of memory may come up, 0 to 1000000; 400 if omitted.
    pub(super) budget_tokens: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Explain {
    /// A belief's `key`, or the `id` of a fact or episode, as `recall` gave it. The beginning of an
    /// id (8 digits or more) is enough. Examples: "place.frequent|office", "b3:9f2c41d0"
    pub(super) name: String,
    /// Explain it as it was held at this time, from what was recorded until then: "2025-02-01",
    /// "last week", or with a time. Now if omitted.
    pub(super) as_of: Option<String>,
    /// Also say whether it is true at this time in the world: "2025-02-01", "yesterday".
    pub(super) valid_at: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Correct {
    /// The belief's `key` or `id`, as `recall` or `explain` gave it, or the `id` of a record whose
    /// words are wrong. Example: "place.frequent|office"
    pub(super) name: String,
    /// The fields that change, with their true values, named as in `claim.payload` of `explain`;
    /// the other fields stay. Example: {"label": "Karl Johansgatan 41"}
    pub(super) fields: Option<JsonObject>,
    /// The whole corrected belief in one sentence. Example: "The office is at Karl Johansgatan 41."
    /// Give `fields`, or both; of a record give `text` alone: all that it should say.
    pub(super) text: Option<String>,
    /// The user's words for the correction, quoted; they are stored with it as its reason. Example:
    /// "we moved, it's Karl Johansgatan 41 now"
    pub(super) note: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Refute {
    /// The belief's `key` or `id`, as `recall` or `explain` gave it. Example:
    /// "routine.weekly|gym|tue|morning"
    pub(super) name: String,
    /// The user's words, quoted; they are stored as the reason. Example: "that is my brother's
    /// calendar"
    pub(super) note: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Retract {
    /// The record's `id`, as `recall`, `explain` or `remember` gave it. The beginning (8 digits or
    /// more) is enough. Example: "b3:9f2c41d0"
    pub(super) name: String,
    /// Why: the user's words, quoted, or your own reason for a note of yours. Example: "I misread
    /// the log; the build does pass"
    pub(super) note: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Forget {
    /// The record's `id`, as `recall` or `explain` gave it. The beginning (8 digits or more) is
    /// enough. Example: "b3:9f2c41d0"
    pub(super) name: String,
    /// The user's words, quoted; they are stored as the reason. Do not repeat what is to be
    /// forgotten. Example: "delete what I said about my health"
    pub(super) note: String,
}
