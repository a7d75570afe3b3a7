//! Thoughts: what agents and users contribute.

use serde_json::Value;

use super::fields::{lenient_body, words};

words! {
    /// How a thought relates to those that it cites.
    ThoughtType, "type of thought" {
        /// It stands by itself.
        Original = "original",
        /// It improves one thought, cited as `refines`.
        Refinement = "refinement",
        /// It merges several, cited as `consolidates`.
        Consolidation = "consolidation",
        /// It sums up what it cites as `summary_of`.
        Summary = "summary",
        /// It says that one, cited as `corrects`, is wrong.
        Correction = "correction",
    }
}

lenient_body! {
    /// Body of a `thought`.
    Thought {
        /// The thought itself.
        content: String,
        /// How it relates to those that it cites.
        thought_type: ThoughtType,
        /// The contributing agent or person, by the id that it goes by.
        contributor_id: String,
        /// Its name, for people.
        contributor_name: String,
        /// What the contributor was doing. Never embedded with the content.
        context: String,
        /// Labels.
        tags: Vec<String>,
        /// A coarse label.
        category: String,
        /// A finer one.
        topic: String,
        /// By which steps it was made, for programs.
        pipeline: Value,
    }
}
