//! `maintenance_ops`: marks for removal, archives, health, duplicates.

use serde_json::Value;

use super::{Answered, Memory};
use crate::failure::Failure;
use crate::mcp::ToolName;
use crate::mcp::maintenance::{Maintained, MaintenanceOps};
use crate::mcp::quote::{READING, READING_STRUCTURED, quote};
use crate::service::Session;
use crate::service::maintenance::request::run;

impl Memory {
    /// Looks after the space. What writes is done for whoever may act for the user; for others it
    /// is only tried.
    pub(super) fn maintenance(
        &mut self,
        session: &Session,
        arguments: &MaintenanceOps,
        program: Option<&str>,
    ) -> Result<Answered, Failure> {
        let mut request = arguments.request();
        request.check()?;
        let reader = self.reader(program);
        let is_try = arguments.only_tries();
        let open = self.opened.readable(session)?;
        let is_allowed =
            is_try || reader.may(session, &open.spaces.own, ToolName::MaintenanceOps)?;
        request.dry_run |= !is_allowed;
        let open = match request.only_reads() || request.dry_run {
            true => self.opened.readable(session)?,
            false => self.opened.writable(session)?,
        };
        let space = &mut open.spaces.own.space;
        let disclosure = reader.disclosure(session, space);
        let report = run(session, space, &request, disclosure)?;
        let mut words = match is_allowed {
            true => format!("{READING}\n"),
            false => format!(
                "Nothing was written: only the user may do this. Tell the user, who can run `because maintain`. This is what would be done. {READING}\n"
            ),
        };
        quote(&mut words, &report.to_string());
        let Value::Object(report) = report else {
            return Err(Failure::Protocol("the report is not an object".to_owned()));
        };
        let status = if is_allowed { "done" } else { "proposed" };
        let answer = Maintained { reading: READING_STRUCTURED, status, report };
        Answered::new(words, &answer)
    }
}
