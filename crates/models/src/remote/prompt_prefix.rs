//! Prompts that models expect before a text.
//!
//! Models that were trained on pairs of questions and answers expect a model-specific prefix that
//! says which of the two a text is. The services do not add these prefixes, so this module does;
//! without them such models find less. The prefixes are those of the model cards. A model that is
//! not listed gets the text alone.

use crate::embedder::Purpose;

/// The prefixes of questions and of searched texts.
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
    /// The prefixes of the model with this name.
    pub(super) fn of(model: &str) -> Self {
        let model = model.to_ascii_lowercase();
        PREFIXES
            .iter()
            .find(|(part, _)| model.contains(part))
            .map(|(_, prompt_prefix)| *prompt_prefix)
            .unwrap_or_default()
    }

    /// The prefix of a text.
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
    fn models_get_the_prefixes_of_their_cards() {
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
