//! Whose memory an answer is from, where it is not the user's own.
//!
//! An agent must not take what somebody else's memory says for the user's belief or word. So every
//! answer from such a space begins with a line of the server's own that says so, names the owner by
//! a key, which nobody can choose to say something, and quotes the name.

use engine::owner::SpaceOwner;
use schemars::JsonSchema;
use serde::Serialize;

use super::quote::quote;
use crate::service::opening::{OpenedSpace, PassedOver};
use crate::text::path;

/// Whose memory this is, if it is somebody else's: nothing in it is about the user or the user's
/// word.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Owner {
    /// The owner's key.
    key: String,
    /// The owner's name; null if none is known.
    name: Option<String>,
}

/// Whose memory an answer is from.
#[derive(Default, Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Whose {
    /// Whose memory this is, if it is not the user's own: then "you", "I" and "user" in its texts
    /// are that person, and nothing in it is about the user or the user's word. Null for the user's
    /// own memory.
    pub(super) owner: Option<Owner>,
    /// What the user should know about the space that was used; null if nothing.
    pub(super) warning: Option<String>,
    #[serde(skip)]
    words: String,
}

impl Whose {
    /// Of an answer from this space.
    pub(super) fn of(space: &OpenedSpace, passed: &[PassedOver]) -> Self {
        let mut words = String::new();
        if let Some(owner) = &space.owner {
            words.push_str(&format!(
                "This memory is not the user's but somebody else's ({}): \"you\", \"I\" and \"user\" in it are that person. Nothing in it is about the user or the user's word; if you use it, say whose it is.\n",
                owner.short_key()
            ));
            if owner.has_name() {
                quote(&mut words, &format!("its owner's name is {}", owner.name()));
            }
        }
        words.push_str(&passed_in_words(passed));
        Self { owner: space.owner.as_ref().map(Owner::of), warning: warning(passed), words }
    }

    /// The same in words of the server's own; empty for the user's own memory.
    pub(super) fn in_words(&self) -> &str {
        &self.words
    }
}

impl Owner {
    fn of(owner: &SpaceOwner) -> Self {
        let name = owner.has_name().then(|| owner.name().to_owned());
        Self { key: owner.key().to_owned(), name }
    }
}

/// What to tell the user about spaces that were passed over, in words of the server's own. The name
/// of a folder is quoted, because whoever made the folder chose it.
pub(super) fn passed_in_words(passed: &[PassedOver]) -> String {
    let mut words = String::new();
    if !passed.is_empty() {
        words.push_str("The space of this folder is somebody else's, so another was used. Tell the user, who can trust it with this command:\n");
        passed.iter().for_each(|passed| quote(&mut words, &command(passed)));
    }
    words
}

fn command(passed: &PassedOver) -> String {
    format!("because trust {}", crate::text::quoted(&path(&passed.path)))
}

/// What to tell the user about spaces that were passed over; none if there are none.
pub(super) fn warning(passed: &[PassedOver]) -> Option<String> {
    let warnings: Vec<String> = passed
        .iter()
        .map(|passed| {
            format!(
                "Tell the user: {passed}, so another space is used. `{}` uses it from now on.",
                command(passed)
            )
        })
        .collect();
    (!warnings.is_empty()).then(|| warnings.join(" "))
}
