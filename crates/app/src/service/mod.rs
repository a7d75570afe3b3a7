//! The operations behind every front end: one function a request, with typed arguments and a typed
//! answer.
//!
//! The command line and the tools for agents each parse their own arguments, call the same function
//! here, and print or convert its result. So a decision that concerns both (which spaces are
//! searched, what an empty question is, which model embeds it, what a correction changed) is made
//! once. This module does not depend on clap, JSON-RPC, a terminal or exit codes; `cargo xtask
//! tidy` refuses such imports. Only names of values (a format, a status) derive what both the
//! command line and HTTP parse them with.
//!
//! | module | what it does |
//! |---|---|
//! | [`session`], [`locator`] | the caller, the time and the configuration; the space |
//! | [`effective`] | a project's space with the home space under it |
//! | [`standing`], [`opening`] | whose a space is, and what it may be opened for |
//! | [`time`], [`types`] | times and windows that a user names; types of records |
//! | [`agents`], [`proposals`], [`agent_changes`] | the keys of agents; what they ask for in the user's name; what they state |
//! | [`tokens`] | access tokens: who may do what over the network |
//! | [`agreed_settings`], [`values`] | what a person has agreed with agents, and wants of them |
//! | [`handles`] | who the person is: their names and addresses |
//! | [`disclosure`] | who is shown what is private |
//! | [`clock`] | whether the clock and the space agree |
//! | [`notes`] | writing one thing down |
//! | [`recall`] | answering a question from one or several spaces |
//! | [`inner_voice`] | answering a question in sentences that name their sources |
//! | [`context`] | assembling what a model reads |
//! | [`task_context`] | the same before a decision about a task |
//! | [`surfacing`] | what memory brings up unasked while a conversation proceeds |
//! | [`thoughts`] | what many agents think: retrieve, contribute, lineage, use |
//! | [`why`], [`drawing`] | what accounts for something; drawings of that |
//! | [`corrections`], [`changes`] | recording user actions, and their effects |
//! | [`patch`], [`proposed_patch`] | changes of the graph together, as people and as models write them |
//! | [`knowledge`] | the knowledge graph: search, neighbours, paths, exports |
//! | [`learning`] | preferences that programs learn |
//! | [`moderation`] | what a person decides about candidates for the knowledge graph |
//! | [`mining`] | claims, nodes and edges that records state; checkpoints |
//! | [`forgetting`] | forgetting records, with all that stands on them |
//! | [`likeness`] | names that are like one that nothing has |
//! | [`maintenance`] | what is marked for removal, archived and erased; health; duplicates |
//! | [`derivation`] | deriving from new records |
//! | [`query_embedding`] | choosing the model that embeds a question |
//! | [`record_embedding`] | embedding new records with the chosen model |
//! | [`language_model`], [`model_test`] | opening the language model and counting its use; trying the models |
//! | [`model_request`] | asking the language model for a structure made from records |
//! | [`wording`], [`change_wording`] | how beliefs, records and changes are worded |

pub(crate) mod agent_changes;
pub(crate) mod agents;
pub(crate) mod agreed_settings;
pub(crate) mod candidates;
pub(crate) mod change_wording;
pub(crate) mod changes;
pub(crate) mod clock;
pub(crate) mod context;
pub(crate) mod corrections;
pub(crate) mod derivation;
pub(crate) mod disclosure;
pub(crate) mod drawing;
pub(crate) mod effective;
pub(crate) mod forgetting;
pub(crate) mod graph;
pub(crate) mod handles;
pub(crate) mod inner_voice;
pub(crate) mod kept_configuration;
pub(crate) mod knowledge;
pub(crate) mod language_model;
pub(crate) mod learning;
pub(crate) mod likeness;
pub(crate) mod locator;
pub(crate) mod maintenance;
pub(crate) mod mining;
pub(crate) mod model_request;
pub(crate) mod model_test;
pub(crate) mod moderation;
pub(crate) mod notes;
pub(crate) mod opening;
pub(crate) mod patch;
pub(crate) mod proposals;
pub(crate) mod proposed_patch;
pub(crate) mod query_embedding;
pub(crate) mod recall;
pub(crate) mod record_embedding;
pub(crate) mod reviews;
pub(crate) mod session;
pub(crate) mod standing;
pub(crate) mod surfacing;
pub(crate) mod task_context;
#[cfg(test)]
mod test_home;
pub(crate) mod thoughts;
pub(crate) mod time;
pub(crate) mod tokens;
pub(crate) mod types;
pub(crate) mod values;
pub(crate) mod why;
pub(crate) mod wording;

pub(crate) use session::Session;
