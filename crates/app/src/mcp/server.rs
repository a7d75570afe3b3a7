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
use super::worker::Calls;
use super::{failures, tools};

/// The server's side of a conversation.
pub(super) struct Server {
    calls: Calls,
}

impl Server {
    pub(super) fn new(calls: Calls) -> Self {
        Self { calls }
    }
}

fn tool_error(text: String) -> CallToolResponse {
    CallToolResult::error(vec![ContentBlock::text(text)]).into()
}

impl ServerHandler for Server {
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
            _ => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None),
        })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let program = context.client_info().map(|program| program.name);
        let call = match Call::read(&request.name, request.arguments.unwrap_or_default(), program) {
            Ok(call) => call,
            Err(NoCall::UnknownTool) => {
                return Err(ErrorData::invalid_params(
                    format!("unknown tool {}", request.name),
                    None,
                ));
            }
            Err(NoCall::Unfit(reason)) => {
                return Ok(tool_error(failures::unfit(&request.name, &reason)));
            }
        };
        let answered = tokio::select! {
            answered = self.calls.answer(call) => answered,
            // Nobody waits for the answer any more.
            () = context.ct.cancelled() => None,
        };
        match answered {
            Some(Ok(answered)) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(answered.text)]);
                result.structured_content = Some(answered.structured);
                Ok(result.into())
            }
            Some(Err(failure)) => Ok(tool_error(failures::in_words(&failure))),
            None => Err(ErrorData::internal_error("the memory could not answer", None)),
        }
    }
}
