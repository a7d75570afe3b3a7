//! `inner_voice`: an answer in sentences that name their sources.

use engine::private::Viewpoint;
use engine::recall::receipts::Recipient;

use super::{Answered, Memory};
use crate::failure::Failure;
use crate::mcp::inner_voice::{
    AnswerSentence, AnswerSource, Answered as Reply, InnerVoice, Staged,
};
use crate::mcp::quote::{READING, READING_STRUCTURED, quote};
use crate::mcp::whose::Whose;
use crate::service::Session;
use crate::service::agents::program_name;
use crate::service::inner_voice::{Answer, AskRequest, NO_MATCH, SaveBy, Saving, ask};
use crate::service::model_request::Answerer;

impl Memory {
    pub(super) fn inner_voice(
        &mut self,
        session: &Session,
        arguments: &InnerVoice,
        program: Option<&str>,
    ) -> Result<Answered, Failure> {
        let Viewpoint { as_of_us, valid_at_us, .. } =
            session.times().viewpoint(arguments.as_of.as_deref(), arguments.valid_at.as_deref())?;
        let name = program_name(program);
        let mut request = AskRequest {
            kinds: arguments.sources.clone().unwrap_or_default(),
            include_summaries: arguments.include_summaries.unwrap_or_default(),
            as_of_us,
            valid_at_us,
            reader: Some(Recipient { agent: &name, session: None }),
            ..AskRequest::new(&arguments.content, arguments.top_k, arguments.sim_thresh)?
        };
        let reader = self.reader(program);
        let is_kept = arguments.save.unwrap_or(true);
        let agent = match (is_kept || arguments.stages()) && self.caller.may_write() {
            true => Some(self.agent(session, program)?),
            false => None,
        };
        let open = match self.opened.readable(session) {
            // An empty memory has no answer. That is not a failure.
            Err(Failure::NoSpace) => {
                let reply = reply(&Answer::none(), Whose::default());
                return Answered::new(in_words(&Answer::none(), &reply), &reply);
            }
            opened => opened?,
        };
        let whose = open.whose();
        open.spaces.shown = reader.disclosure(session, &open.spaces.own);
        let by = agent.as_deref().map_or(SaveBy::NoKey, SaveBy::Agent);
        let save = is_kept.then_some(by);
        if arguments.stages() {
            request.staging = Some(arguments.staging().request(by)?);
        }
        let answer =
            ask(session, &mut self.pool, &mut open.spaces, &request, Answerer::Rules, save)?;
        self.conversations.note_shown(answer.sources.iter().map(|source| source.id));
        let reply = reply(&answer, whose);
        Answered::new(in_words(&answer, &reply), &reply)
    }
}

fn reply(answer: &Answer, whose: Whose) -> Reply {
    let id = |place: &usize| answer.sources.get(*place).map(|source| source.id.to_string());
    let sentences = answer.sentences.iter().map(|sentence| AnswerSentence {
        text: sentence.text.clone(),
        sources: sentence.sources.iter().filter_map(id).collect(),
    });
    let (saved_thought_id, not_saved) = match answer.saving {
        Saving::Saved { id, .. } => (Some(id.to_string()), None),
        Saving::NotSaved(reason) => (None, Some(reason.in_words().to_owned())),
    };
    Reply {
        reading: READING_STRUCTURED,
        synthesized_answer: answer.text(),
        sentences: sentences.collect(),
        abstains: answer.abstains(),
        sources: answer.sources.iter().map(AnswerSource::of).collect(),
        saved_thought_id,
        not_saved,
        staged: Staged::of(&answer.staged),
        marked_for_removal: answer.staged.marked as u64,
        behind: answer.behind,
        whose,
    }
}

fn in_words(answer: &Answer, reply: &Reply) -> String {
    let mut words = reply.whose.in_words().to_owned();
    if answer.abstains() {
        words.push_str(&format!("{NO_MATCH} Say that you do not know, or ask in other words.\n"));
        return words;
    }
    words.push_str(&format!("{READING}\n"));
    answer.sentences.iter().for_each(|sentence| quote(&mut words, &sentence.marked()));
    words.push_str("Sources:\n");
    for (number, source) in (1..).zip(&reply.sources) {
        let AnswerSource { thought_id, kind, similarity, excerpt, actor, .. } = source;
        words.push_str(&format!("{number}. {kind}, chance {similarity:.2}, id {thought_id}\n"));
        let who = actor.as_deref().map(|who| format!("{who}: ")).unwrap_or_default();
        quote(&mut words, &format!("{who}{excerpt}"));
        if let Some(newer) = &source.replaced_by {
            words.push_str(&format!("replaced by {newer}\n"));
        }
        source.overruled.iter().for_each(|overruled| quote(&mut words, &overruled.in_words()));
    }
    match (&reply.saved_thought_id, &reply.not_saved) {
        (Some(id), _) => words.push_str(&format!("The answer is kept as {id}.\n")),
        (None, Some(reason)) => words.push_str(&format!("Note: {reason}.\n")),
        (None, None) => {}
    }
    let Staged { candidates, not_staged, .. } = &reply.staged;
    if !candidates.is_empty() {
        words.push_str("Staged, for the user's review:\n");
        candidates.iter().for_each(|candidate| quote(&mut words, &format!("- {candidate}")));
    }
    if let Some(reason) = not_staged {
        words.push_str(&format!("Nothing was staged: {reason}.\n"));
    }
    if reply.marked_for_removal > 0 {
        words.push_str(&format!("Sources marked for removal: {}.\n", reply.marked_for_removal));
    }
    words
}
