//! `observe`: follows a conversation, and answers with what it brings up unasked.

use engine::recall::context::{NAME_BYTES_MAX, Turn};
use retrieval::text::cut;

use super::context::{BUDGET_TOKENS_MAX, item};
use super::{Answered, Memory};
use crate::failure::Failure;
use crate::mcp::answers::Observed;
use crate::mcp::arguments::Observe;
use crate::mcp::whose::Whose;
use crate::service::Session;
use crate::service::agents::program_name;
use crate::service::effective::{EffectiveView, Scope};
use crate::service::notes::{ASSISTANT_NAMES, USER};
use crate::service::surfacing::{BUDGET_TOKENS, ObservedTurn, Surfaced, TurnRole, surface};

/// What an answer says if nothing came up.
const NOTHING: &str = "Nothing comes to mind.";
/// The same while the search goes on.
const LATER: &str = "What this brings up comes with the user's next turn.";

impl Memory {
    pub(super) fn observe(
        &mut self,
        session: &Session,
        arguments: Observe,
        program: Option<String>,
    ) -> Result<Answered, Failure> {
        let Observe { text, speaker, session: conversation, budget_tokens } = arguments;
        let budget_tokens = match budget_tokens {
            Some(tokens) => super::within("budget_tokens", tokens, 0, BUDGET_TOKENS_MAX)? as usize,
            None => BUDGET_TOKENS,
        };
        if text.trim().is_empty() {
            // Hosts pass on whatever was sent, such as an image without words.
            return in_both_forms(Surfaced::default(), Scope::Project, Whose::default());
        }
        let agent = program_name(program.as_deref());
        let speaker = beginning(speaker.as_deref().unwrap_or(USER));
        let observed = ObservedTurn {
            role: role_of(speaker, program.as_deref()),
            turn: Turn { speaker: speaker.to_owned(), text },
            budget_tokens,
            agent: &agent,
        };
        let conversation = beginning(conversation.as_deref().unwrap_or_default());
        let conversation = self.conversations.named(conversation);
        let (surfaced, scope, whose) = match self.opened.readable(session) {
            Ok(open) => {
                let surfaced = match open.followed(session)? {
                    Some((EffectiveView { own, home, .. }, stream)) => {
                        surface(session, (own, home.as_mut()), stream, conversation, &observed)?
                    }
                    None => Surfaced::default(),
                };
                (surfaced, open.spaces.scope, open.whose())
            }
            // Where nothing was ever remembered, nothing comes up.
            Err(Failure::NoSpace) => (Surfaced::default(), Scope::Project, Whose::default()),
            Err(failure) => return Err(failure),
        };
        in_both_forms(surfaced, scope, whose)
    }
}

/// As much of a name as is kept.
fn beginning(name: &str) -> &str {
    cut(name.trim(), NAME_BYTES_MAX)
}

fn role_of(speaker: &str, program: Option<&str>) -> TurnRole {
    let mut own = ASSISTANT_NAMES.into_iter().chain(program);
    match own.any(|name| speaker.eq_ignore_ascii_case(name.trim())) {
        true => TurnRole::Assistant,
        false => TurnRole::Other,
    }
}

fn in_both_forms(surfaced: Surfaced, own: Scope, whose: Whose) -> Result<Answered, Failure> {
    let Surfaced { context, is_searching, elsewhere } = surfaced;
    let items = context.iter().flat_map(|context| &context.items);
    let answer = Observed {
        items: items.map(|found| item(found, own, &elsewhere)).collect(),
        tokens: context.as_ref().map_or(0, |context| context.tokens.total as u64),
        searching: is_searching,
        receipt: context
            .as_ref()
            .and_then(|context| context.receipt.as_ref())
            .map(ToString::to_string),
        context: context.map(|context| context.text).unwrap_or_default(),
        whose,
    };
    let words = match (answer.context.as_str(), is_searching) {
        ("", true) => LATER,
        ("", false) => NOTHING,
        (context, _) => context,
    };
    // Where nothing came up, it does not matter whose memory it is; a warning always does.
    let is_owner_told = !answer.context.is_empty() || answer.whose.warning.is_some();
    let whose = if is_owner_told { answer.whose.in_words() } else { "" };
    Answered::new(format!("{whose}{words}"), &answer)
}
