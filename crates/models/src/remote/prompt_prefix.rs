//! What a model wants to be told before a text.
//!
//! Models that were trained on pairs of a question and what answers it expect to hear which of both
//! a text is, in words of their own. The services that run them do not add these words, so we do;
//! without them such models find less. The words are those of the models' own cards. A model that
//! is not listed gets the text alone.

use crate::embedder::Purpose;

/// What stands before a question and before what is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PromptPrefix {
    question: &'static str,
    memory: &'static str,
}

const REPRESENT: &str = "Represent this sentence for searching relevant passages: ";

/// Models by a part of their name, the longer part before the shorter one.
const PREFIXES: [(&str, PromptPrefix); 11] = [
    ("nomic-embed-text", PromptPrefix { question: "search_query: ", memory: "search_document: " }),
    ("embeddinggemma", GEMMA),
    ("gemini-embedding-001", PromptPrefix { question: "", memory: "" }),
    ("gemini-embedding", GEMMA),
    ("mxbai-embed-large", PromptPrefix { question: REPRESENT, memory: "" }),
    ("snowflake-arctic-embed2", PromptPrefix { question: "query: ", memory: "" }),
    ("snowflake-arctic-embed-l-v2", PromptPrefix { question: "query: ", memory: "" }),
    ("snowflake-arctic-embed", PromptPrefix { question: REPRESENT, memory: "" }),
    ("-en-v1.5", PromptPrefix { question: REPRESENT, memory: "" }),
    ("multilingual-e5", PromptPrefix { question: "query: ", memory: "passage: " }),
    (
        "qwen3-embedding",
        PromptPrefix {
            question: "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:",
            memory: "",
        },
    ),
];

const GEMMA: PromptPrefix =
    PromptPrefix { question: "task: search result | query: ", memory: "title: none | text: " };

impl PromptPrefix {
    /// The prompt_prefix of the model of this name.
    pub(super) fn of(model: &str) -> Self {
        let model = model.to_ascii_lowercase();
        PREFIXES
            .iter()
            .find(|(part, _)| model.contains(part))
            .map(|(_, prompt_prefix)| *prompt_prefix)
            .unwrap_or_default()
    }

    /// What stands before a text.
    pub(super) fn before(self, purpose: Purpose) -> &'static str {
        match purpose {
            Purpose::Question => self.question,
            Purpose::Memory => self.memory,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_told_what_it_was_trained_to_hear() {
        assert_eq!(
            PromptPrefix::of("nomic-embed-text:latest").before(Purpose::Question),
            "search_query: "
        );
        assert_eq!(PromptPrefix::of("Qwen/Qwen3-Embedding-0.6B").before(Purpose::Memory), "");
        assert_eq!(
            PromptPrefix::of("gemini-embedding-2").before(Purpose::Memory),
            "title: none | text: "
        );
        assert_eq!(PromptPrefix::of("gemini-embedding-001"), PromptPrefix::default());
        assert_eq!(PromptPrefix::of("text-embedding-3-small"), PromptPrefix::default());
    }
}
