//! The wording of failures for models: the stable code, the problem, and what to do now.
//!
//! All of these are tool results, not protocol errors: the model reads them and can react.

use crate::failure::{Failure, Fault};
use crate::text::printable;

/// The code of arguments that do not fit a tool's schema.
const UNFIT: &str = "arguments";

/// A failure, and advice that depends on more than its code.
pub(crate) struct Failed {
    pub(crate) failure: Box<Failure>,
    pub(crate) advice: Option<&'static str>,
}

impl Failed {
    /// A failure without special advice.
    pub(crate) fn of(failure: Failure) -> Self {
        Self { failure: Box::new(failure), advice: None }
    }
}

/// A failure in words.
pub(crate) fn in_words(failed: &Failed) -> String {
    let Failed { failure, advice: special } = failed;
    // Advice about the agent's tools takes precedence over the hint about commands.
    let advice = special.or_else(|| advice(failure)).map(str::to_owned);
    let advice = advice.or_else(|| failure.hint());
    worded(failure.code(), &failure.to_string(), advice.as_deref())
}

/// Arguments that do not fit, in words.
pub(super) fn unfit(tool: &str, reason: &str) -> String {
    let advice = format!("Look at the input schema of {tool} and call it again.");
    worded(UNFIT, &format!("the arguments do not fit {tool}: {reason}"), Some(&advice))
}

/// A code, a message and advice, in words.
pub(crate) fn worded(code: &str, message: &str, advice: Option<&str>) -> String {
    let advice = advice.map(|advice| format!("\nWhat to do: {advice}")).unwrap_or_default();
    format!("Error {code}: {}{advice}", printable(message))
}

fn advice(failure: &Failure) -> Option<&'static str> {
    Some(match failure.code() {
        "unknown_belief" | "unknown_id" => {
            "Call recall to find the fact or episode, and pass its key or id exactly as recall gave it."
        }
        "not_recorded_then" => "Ask as of a later time, or of now: leave out `as_of`.",
        "ambiguous_id" => "Pass more digits of the id.",
        "not_a_belief" => {
            "This is not a belief. If it is a record of what was said or happened, give `text` alone to correct what it says, or call explain with its id: it names the beliefs that were concluded from it, and those can be corrected."
        }
        "not_active" => {
            "Call graph with its id in `around`: replace the record that stands in its place, or none."
        }
        "stale_input" | "stale_end" | "unknown_ref" => {
            "Call explain with its id, and name what stands in its place, or leave it out."
        }
        "no_archive" => "Pass as `archive` the name of the file that export_removals returned.",
        "self_edge" => "It says the same already; there is nothing to replace or to join.",
        "cycle" => "Leave the edges as they are, or propose a patch that takes one of them back.",
        "different_kinds" => "Replace a claim by a claim, and a node by a node.",
        "identity_refuted" | "identity_corrected" => {
            "Do not state it: the user said that it is false, or what is true instead."
        }
        "reserved_tag" => "Leave out the tag; only the user sets these.",
        "ambiguous_actor" => "Say \"user\" for the user, or leave the actor out for yourself.",
        "payload_shape" | "payload_malformed" => {
            "Call explain first, and name the fields as its claim.payload does, with values of the same sort."
        }
        "text_alone" => "Call again with `fields` as well: name the ones that change.",
        "text_contradicts" => {
            "Call again with `text` and `fields` that say the same, or with one of them."
        }
        "corrects_refuted" | "users_word" | "already_refuted" | "derived" => {
            "Tell the user; only the user can take back what the user said, with the command `because withdraw`."
        }
        "forgotten" => "The user had it erased. Do not ask for it or write it down again.",
        "malformed" => {
            "The text is probably too large: keep what matters, or write several shorter ones."
        }
        "busy" => "Another process is writing. Call again in a moment.",
        "no_space" => {
            "Call remember to begin one, or ask the user to run `because init` in the project's folder."
        }
        "untrusted_space" => {
            "Tell the user; only the user can decide to use this space, with the command `because trust`."
        }
        "not_your_space" => {
            "Tell the user: only its owner can let the user write to this memory. Nothing was written."
        }
        "not_archived"
        | "archive_missing"
        | "archive_changed"
        | "archive_unrecorded"
        | "archive_malformed"
        | "archive_unsupported"
        | "not_in_archive" => {
            "Tell the user; `because maintain` says what is archived. Nothing was written."
        }
        "record_of_user" => {
            "Tell the user, who can do it with the command `because correct ID --text TEXT`."
        }
        "space_missing" | "not_a_space" | "space_too_new" | "read_only" | "disk_full"
        | "write_failed" | "damaged" | "device_key" | "file" | "settings" => {
            "Tell the user; `because doctor` says what is wrong with the installation."
        }
        _ => match failure {
            Failure::Request(error) if error.fault() == Fault::Caller => {
                "Change the argument and call again."
            }
            _ => return None,
        },
    })
}
