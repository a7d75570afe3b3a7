//! The names of the tools. Calls, descriptions and the help of `because mcp` take them from here.

/// Declares the tools with their names, in the order in which they are listed.
macro_rules! tool_names {
    ($($tool:ident: $name:literal,)+) => {
        /// A tool by its name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum ToolName {
            $($tool,)+
        }

        impl ToolName {
            /// All tools.
            pub(crate) const ALL: &[Self] = &[$(Self::$tool,)+];

            /// The name by which agents call it, and by which `agents.allow` names it.
            pub(crate) fn as_str(self) -> &'static str {
                match self {
                    $(Self::$tool => $name,)+
                }
            }
        }
    };
}

tool_names! {
    Remember: "remember",
    Recall: "recall",
    InnerVoice: "inner_voice",
    GetContext: "get_context",
    Observe: "observe",
    Explain: "explain",
    State: "state",
    Connect: "connect",
    Graph: "graph",
    Why: "why",
    ProposePatch: "propose_patch",
    Review: "review",
    MaintenanceOps: "maintenance_ops",
    Moderate: "knowledgegraph_moderate",
    Correct: "correct",
    Refute: "refute",
    Retract: "retract",
    Forget: "forget",
}

impl ToolName {
    /// The tool of that name; none if no tool has it.
    pub(super) fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|tool| tool.as_str() == name)
    }
}
