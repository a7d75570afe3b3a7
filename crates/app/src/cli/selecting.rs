//! Options that select records, and the question before an action on many of them.

use std::io::{BufRead, IsTerminal, Write};

use engine::selection::{Month, Selection};

use super::CliSession;
use crate::failure::{Failure, RequestError};
use crate::output::{self, Form};

/// Options that select records; a record has to match all that are given.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct SelectionArgs {
    /// All records of this source, e.g. `ical`
    #[arg(long, value_name = "SOURCE")]
    source: Option<String>,
    /// All records of this file, by its path in the folder that was imported
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// All records that this import added; `because imports` lists them
    #[arg(long, value_name = "ID")]
    import: Option<String>,
    /// All records of this session: a conversation, thread, note or series
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// All that this person said or wrote
    #[arg(long, value_name = "NAME")]
    author: Option<String>,
    /// All that happened in this month
    #[arg(long, value_name = "YYYY-MM")]
    month: Option<Month>,
}

/// What commands that change many records have in common.
#[derive(clap::Args, Clone, Debug, Default)]
pub(super) struct BulkArgs {
    #[command(flatten)]
    pub(super) selection: SelectionArgs,
    /// Why
    #[arg(long, default_value = "", alias = "reason")]
    pub(super) note: String,
    /// Only print what would change
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Do not ask
    #[arg(long)]
    pub(super) yes: bool,
}

impl SelectionArgs {
    /// The selection, among records with these ids if any are named.
    pub(crate) fn among(&self, ids: &[String]) -> Selection {
        Selection {
            ids: ids.to_vec(),
            source: self.source.clone(),
            file: self.file.clone(),
            import: self.import.clone(),
            session: self.session.clone(),
            actor: self.author.clone(),
            month: self.month,
        }
    }
}

/// Asks on the terminal whether to go on. Without a terminal nobody can answer, so it is an error.
pub(super) fn confirm(session: &CliSession, question: &str) -> Result<bool, Failure> {
    let asks = session.form == Form::Text
        && std::io::stdin().is_terminal()
        && std::io::stderr().is_terminal();
    if !asks {
        return Err(RequestError::Unconfirmed { built_on: Vec::new() }.into());
    }
    let mut terminal = std::io::stderr().lock();
    write!(terminal, "{question} [y/N] ")?;
    terminal.flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    let confirmed = matches!(answer.trim().to_lowercase().as_str(), "y" | "yes");
    if !confirmed {
        output::line("Nothing was written.")?;
    }
    Ok(confirmed)
}
