//! The protocol's requests, and the two kinds of errors.
//!
//! A tool that does not exist, a malformed call and a memory that cannot be reached are protocol
//! errors. Every other failure is an answer (`isError`), which the model reads and can react to.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, ErrorData, Implementation, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};

use super::arguments::{Call, NoCall};
use super::consent::{self, Channel, Questions};
use super::memory::Response;
use super::worker::Calls;
use super::{failures, tools};
use crate::service::proposals::Reply;

/// Most rounds of a call: a question, its answer, and once more if memory changed meanwhile. In the
/// last one nobody is asked.
const QUESTIONS_MAX: usize = 3;

/// Who calls, and who answers.
pub(crate) trait Backend: Send + Sync + 'static {
    /// The name of the calling program.
    fn program(&self, context: &RequestContext<RoleServer>) -> Option<String>;

    /// How the user can be asked.
    fn channel(&self, context: &RequestContext<RoleServer>) -> Channel;

    /// Answers a call; an error is in words. None if it could not be finished.
    fn answer(
        &self,
        call: Call,
        context: &RequestContext<RoleServer>,
    ) -> impl Future<Output = Option<Result<Response, String>>> + Send;
}

/// A host on this machine, which speaks by standard input and output.
impl Backend for Calls {
    fn program(&self, context: &RequestContext<RoleServer>) -> Option<String> {
        context.client_info().map(|program| program.name)
    }

    fn channel(&self, context: &RequestContext<RoleServer>) -> Channel {
        Channel::of(context)
    }

    async fn answer(
        &self,
        call: Call,
        _: &RequestContext<RoleServer>,
    ) -> Option<Result<Response, String>> {
        let answered = Self::answer(self, call).await?;
        Some(answered.map_err(|failure| failures::in_words(&failure)))
    }
}

/// The server's side of a conversation.
pub(crate) struct Server<B> {
    backend: B,
    questions: Questions,
}

impl<B: Backend> Server<B> {
    /// A server whose calls are answered by `backend`.
    pub(crate) fn new(backend: B) -> Self {
        Self { backend, questions: Questions::new() }
    }
}

fn tool_error(text: String) -> CallToolResponse {
    CallToolResult::error(vec![ContentBlock::text(text)]).into()
}

impl<B: Backend> ServerHandler for Server<B> {
    fn get_info(&self) -> ServerConfig {
        let about = Implementation::new("because", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(about)
            .with_instructions(tools::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    /// Requests that the SDK does not recognise, among them calls with malformed parameters.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(match request.method.as_str() {
            "tools/call" => ErrorData::invalid_params(
                "a call must have a name, and its arguments must be an object",
                None,
            ),
            method => {
                let message = format!("unknown method {method}");
                ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
            }
        })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let program = self.backend.program(&context);
        let channel = self.backend.channel(&context);
        let mut reply = consent::reply_in(&request);
        for round in 0..QUESTIONS_MAX {
            // Held while the user is asked, and given back before the answer is sent.
            let place = match channel {
                Channel::Request if round + 1 < QUESTIONS_MAX => self.questions.place(),
                _ => None,
            };
            let can_ask = channel == Channel::Repeat || place.is_some();
            let arguments = request.arguments.clone().unwrap_or_default();
            let read = Call::read(&request.name, arguments, program.clone(), can_ask, reply.take());
            let call = match read {
                Ok(call) => call,
                Err(NoCall::UnknownTool) => {
                    let message = format!("unknown tool {}", request.name);
                    return Err(ErrorData::invalid_params(message, None));
                }
                Err(NoCall::Unfit(reason)) => {
                    return Ok(tool_error(failures::unfit(&request.name, &reason)));
                }
            };
            let answered = tokio::select! {
                answered = self.backend.answer(call, &context) => answered,
                // Nobody waits for the answer any more.
                () = context.ct.cancelled() => None,
            };
            let (message, token) = match answered {
                Some(Ok(Response::Answer(answered))) => {
                    let mut result =
                        CallToolResult::success(vec![ContentBlock::text(answered.text)]);
                    result.structured_content = Some(answered.structured);
                    return Ok(result.into());
                }
                Some(Ok(Response::Question { message, token })) => (message, token),
                Some(Err(words)) => return Ok(tool_error(words)),
                None => break,
            };
            if channel == Channel::Repeat {
                return Ok(consent::required(message, token).into());
            }
            let verdict = tokio::select! {
                verdict = consent::ask(&context.peer, message) => verdict,
                () = context.ct.cancelled() => break,
            };
            reply = Some(Reply { token, verdict });
        }
        Err(ErrorData::internal_error("the memory could not answer", None))
    }
}
