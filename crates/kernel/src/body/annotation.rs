//! Annotations: labels that are put on an operation later. Of several, the last by order wins,
//! field by field.

use super::fields::{lenient_body, words};
use crate::evidence::Visibility;

words! {
    /// What is to become of an operation.
    Mark, "mark" {
        /// Nothing.
        None = "none",
        /// It is to be removed.
        Removal = "removal",
    }
}

lenient_body! {
    /// Body of an `annotation`.
    Annotation {
        /// A coarse label.
        category: String,
        /// A finer one.
        topic: String,
        /// Labels.
        tags: Vec<String>,
        /// Who may see the operation.
        visibility: Visibility,
        /// What is to become of it.
        mark: Mark,
    }
}
