//! Copying a thought into another space.
//!
//! A copy is a thought of its own: it has a new id, begins with the first weight, and says where it
//! was copied from. No text of what the original builds on travels with it. The original is
//! labelled with the space that it went to, so that it goes there once.

use kernel::body::{Annotation, Thought};
use kernel::id::{OpId, SpaceId};
use serde_json::json;

use super::contribute::{Contribution, Grounds};
use super::view::{SHARED_FROM, SHARED_TO, ThoughtView};

/// The copy of a thought of the space `from`.
pub fn copy_of(view: &ThoughtView, from: SpaceId) -> Contribution {
    let mut thought = Thought {
        content: Some(view.content.clone()),
        contributor_id: Some(view.contributor_id.clone()),
        contributor_name: Some(view.contributor.clone()),
        tags: Some(view.tags.clone()).filter(|tags| !tags.is_empty()),
        category: view.category.clone(),
        topic: view.topic.clone(),
        ..Thought::default()
    };
    let source = json!({ "space": from.to_string(), "thought": view.id.to_string() });
    thought.others.insert(SHARED_FROM.to_owned(), source);
    Contribution { thought, grounds: Grounds::None }
}

/// Whether a thought is that copy, made earlier.
pub fn is_copy(view: &ThoughtView, copy: &Contribution) -> bool {
    view.shared_from.is_some() && view.shared_from.as_ref() == copy.thought.others.get(SHARED_FROM)
}

/// The label that says that a thought was copied to a space, as `copy`.
pub fn shared_to(space: SpaceId, copy: OpId) -> Annotation {
    let mut label = Annotation::default();
    label.others.insert(SHARED_TO.to_owned(), json!(space.to_string()));
    label.others.insert("shared_as".to_owned(), json!(copy.to_string()));
    label
}
