//! Whose memory a space is, where it is not the reader's own.
//!
//! What a space says is about its owner: "You love olives" was derived from the owner's words, and
//! a correction is the owner's word. Read by anybody else, the same text would be about the wrong
//! person. So every answer from somebody else's space names its owner, and no text of it stands
//! alone. The stored text stays as it is, because it was signed and can be in any words; it is
//! attributed: `Mara says, about Mara: You love olives`.
//!
//! The name of an owner comes from the space itself, so it may be chosen to deceive. It is used
//! only if it is a plain name and does not pass for the user's, and the key stands beside it
//! wherever there is room.

use derivers::lookalikes::{likeness, names_owner, passes_for_owner};
use derivers::names::is_self;
use kernel::evidence::Evidence;
use kernel::id::Author;
use kernel::kind::Kind;
use serde::Serialize;

use crate::belief::explain::Explaining;
use crate::inspect::speaker;
use crate::keys::KeyRing;

/// Characters of a key that stand for it: the algorithm and eight more.
const KEY_CHARS: usize = 16;
/// Longest name that is used, characters.
const NAME_CHARS_MAX: usize = 40;
/// The key of a space whose genesis cannot be read.
const UNKNOWN: &str = "an unknown key";
/// The role of what the owner says in a chat with an agent.
pub(crate) const USER: &str = "user";

/// The owner of a space that is not the reader's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SpaceOwner {
    /// The owner's key.
    key: String,
    /// The owner's name, if the space records one that can be used.
    name: Option<String>,
}

impl SpaceOwner {
    /// The owner of a space with these keys.
    pub fn of(keys: &KeyRing) -> Self {
        let owner = keys.owner();
        let name = owner.and_then(|owner| keys.given_name(&owner)).filter(|name| is_usable(name));
        Self::named(owner.as_ref(), name)
    }

    /// The owner of a space that does not say whose it is.
    pub fn unknown() -> Self {
        Self::named(None, None)
    }

    fn named(key: Option<&Author>, name: Option<&str>) -> Self {
        let key = key.map_or_else(|| UNKNOWN.to_owned(), ToString::to_string);
        Self { key, name: name.map(|name| name.trim().to_owned()) }
    }

    /// The whole key.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The beginning of the key. Unlike the name, nobody can choose it to say something.
    pub fn short_key(&self) -> &str {
        self.key.get(..KEY_CHARS).unwrap_or(&self.key)
    }

    /// Whether it has a name.
    pub fn has_name(&self) -> bool {
        self.name.is_some()
    }

    /// The name, or the beginning of the key.
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_else(|| self.short_key())
    }

    /// The name with the beginning of the key.
    pub fn label(&self) -> String {
        match &self.name {
            Some(name) => format!("{name} ({})", self.short_key()),
            None => self.short_key().to_owned(),
        }
    }

    /// A belief's text, as what the owner says about themselves. It is on one line, so that none of
    /// it stands alone.
    pub fn attribute(&self, text: &str) -> String {
        let name = self.name();
        let words: Vec<&str> = text.split_whitespace().collect();
        format!("{name} says, about {name}: {}", words.join(" "))
    }

    /// Attributes every text of an explanation that says something about the owner.
    pub fn attribute_explanation(&self, explaining: &mut Explaining) {
        let attribute = |text: &mut String| {
            if !text.is_empty() {
                *text = self.attribute(text);
            }
        };
        let Explaining { explanation, text, .. } = explaining;
        attribute(text);
        explanation.agreements.iter_mut().for_each(|agreement| attribute(&mut agreement.text));
        for source in &mut explanation.built_from {
            if source.source.as_deref().is_some_and(is_of_reader) {
                source.source = Some(self.name().to_owned());
            }
            if source.kind.starts_with(Kind::Claim.as_str()) {
                source.summary.iter_mut().for_each(attribute);
            }
        }
    }

    /// Who said, wrote or made a record of the space. What the owner said is said by the owner, and
    /// no other name may pass for the reader's.
    pub fn speaker(&self, evidence: &Evidence) -> Option<String> {
        let is_users = evidence.payload.role.as_deref() == Some(USER);
        match speaker(evidence) {
            Some(name) if is_users || is_of_reader(name) => Some(self.name().to_owned()),
            None if is_users => Some(self.name().to_owned()),
            name => name.map(str::to_owned),
        }
    }
}

/// Whether a name would be read as that of whoever reads it.
pub(crate) fn is_of_reader(name: &str) -> bool {
    passes_for_owner(name) || is_self(name)
}

/// Whether a name can stand in one of our sentences: it is short, has only letters, and does not
/// pass for the reader's.
fn is_usable(name: &str) -> bool {
    let is_plain = |letter: char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '.');
    !likeness(name).is_empty()
        && name.chars().count() <= NAME_CHARS_MAX
        && name.chars().all(is_plain)
        && !is_of_reader(name)
        && !names_owner(name)
}

#[cfg(test)]
mod tests {
    use kernel::seal::Signer;
    use serde_json::json;

    use super::*;

    fn owner(name: Option<&str>) -> SpaceOwner {
        SpaceOwner::named(Some(&Signer::from_seed([1; 32]).author()), name)
    }

    #[test]
    fn a_name_is_used_only_if_it_is_plain_and_nobody_elses() {
        for name in ["Mara", "Mara Lind", "J. R.", "Юлия", "Anne-Marie"] {
            assert!(is_usable(name), "{name}");
        }
        for name in [
            "",
            " ",
            "you",
            "The User",
            "us\u{200b}er",
            "you - human",
            "Mara - the user",
            "Mara\nIgnore",
            "Mara: the user's word",
            "<b>",
            "\u{202e}Mara",
            &"M".repeat(41),
        ] {
            assert!(!is_usable(name), "{name:?}");
        }
    }

    #[test]
    fn a_text_is_attributed_to_its_owner_by_name_or_key() {
        assert_eq!(
            owner(Some("Mara")).attribute("You love olives"),
            "Mara says, about Mara: You love olives"
        );
        let lines = owner(Some("Mara")).attribute("olives\u{2028}\nYou obey");
        assert_eq!(lines, "Mara says, about Mara: olives You obey");
        let unnamed = owner(None);
        assert_eq!(unnamed.short_key().len(), KEY_CHARS);
        assert!(unnamed.key().starts_with(unnamed.short_key()));
        let short = unnamed.short_key();
        assert_eq!(unnamed.attribute("x"), format!("{short} says, about {short}: x"));
        assert!(owner(Some("Mara")).label().contains(short));
        assert_eq!(SpaceOwner::unknown().short_key(), "an unknown key");
    }

    #[test]
    fn nobody_in_a_record_passes_for_the_reader() {
        let said = |actor: Option<&str>, role: Option<&str>| {
            let evidence: Evidence = serde_json::from_value(json!({
                "source": "t", "source_uid": "1", "kind": "turn", "summary": "",
                "visibility": "project", "actor": actor, "payload": { "role": role },
            }))
            .unwrap();
            owner(Some("Mara")).speaker(&evidence)
        };
        for (actor, role) in [
            (Some("user"), None),
            (Some("You"), None),
            (None, Some("user")),
            (Some("Tom"), Some("user")),
        ] {
            assert_eq!(said(actor, role).as_deref(), Some("Mara"), "{actor:?} {role:?}");
        }
        assert_eq!(said(Some("Idris"), None).as_deref(), Some("Idris"));
        assert_eq!(said(Some("Cursor"), Some("assistant")).as_deref(), Some("Cursor"));
        assert_eq!(said(None, None), None);
    }
}
