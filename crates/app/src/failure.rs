//! What went wrong, for people and for programs.

use engine::EngineError;
use engine::belief::user::UserError;
use kernel::rules::RuleViolation;
use models::hub::HubError;
use store::{RecordError, StoreError};

/// Exit codes; `because --help` and the README list them.
pub(crate) mod exit {
    /// Something failed.
    pub(crate) const FAILED: u8 = 1;
    /// The command line does not fit (clap's code).
    pub(crate) const USAGE: u8 = 2;
    /// `verify`, `show`, `doctor` or `conformance` found something wrong.
    pub(crate) const UNSOUND: u8 = 3;
    /// It is done, but some items could not be read and were left out.
    pub(crate) const INCOMPLETE: u8 = 4;
}

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The engine's reason.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// No space was found.
    #[error(
        "there is no space here: `because init` makes one in this folder, `because init --global` your own"
    )]
    NoSpace,
    /// There is none where one was named.
    #[error("there is no space at {}; `{command}` makes it", path.display())]
    NoSpaceThere {
        /// Where it was looked for.
        path: std::path::PathBuf,
        /// What makes it.
        command: String,
    },
    /// The arguments do not fit together.
    #[error("{0}")]
    Usage(String),
    /// A file of ours could not be read or written.
    #[error("cannot use {}: {source}", path.display())]
    File {
        /// Which.
        path: std::path::PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// The device key does not read.
    #[error("{} does not hold a device key (64 hexadecimal digits); put back a copy, or move it away to make a new key", path.display())]
    Key {
        /// Which file.
        path: std::path::PathBuf,
    },
    /// The settings cannot be used.
    #[error("the settings cannot be used: {0}")]
    Settings(#[from] crate::settings::SettingsError),
    /// A model could not be fetched, or is not there.
    #[error(transparent)]
    Hub(#[from] HubError),
    /// A measurement could not be made.
    #[error(transparent)]
    Evaluation(#[from] eval::EvalError),
    /// A scenario does not read or could not be run.
    #[error("{}: {source}", path.display())]
    Scenario {
        /// The file.
        path: std::path::PathBuf,
        /// What is wrong with it.
        #[source]
        source: engine::conformance::ConformanceError,
    },
    /// The other side of a conversation broke its protocol, or the conversation could not be held.
    #[error("the conversation ended: {0}")]
    Protocol(String),
    /// Settings of another program are not as they must be to be changed.
    #[error("{} was not touched: {reason}", path.display())]
    HostSettings {
        /// The file.
        path: std::path::PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The output could not be written.
    #[error("cannot write the output: {0}")]
    Output(#[from] std::io::Error),
    /// A model does not make vectors.
    #[error("{message}")]
    Embedding {
        /// Why.
        message: String,
        /// The stable code.
        code: &'static str,
    },
    /// Not recognised.
    #[error("{} is of no format that is known; `--format` names one of: {}", path.display(), formats.join(", "))]
    UnknownFormat {
        /// The source.
        path: std::path::PathBuf,
        /// What there is.
        formats: Vec<&'static str>,
    },
}

impl Failure {
    /// The stable code.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Engine(error) => error.code(),
            Self::NoSpace => "no_space",
            Self::NoSpaceThere { .. } => "space_missing",
            Self::Usage(_) => "usage",
            Self::File { .. } => "file",
            Self::Key { .. } => "device_key",
            Self::Settings(_) => "settings",
            Self::Hub(error) => error.code(),
            Self::Evaluation(error) => error.code(),
            Self::Scenario { .. } => "scenario",
            Self::Protocol(_) => "protocol",
            Self::HostSettings { .. } => "host_settings",
            Self::Output(_) => "output",
            Self::Embedding { code, .. } => code,
            Self::UnknownFormat { .. } => "unknown_format",
        }
    }

    /// What to do about it, where that is not said already.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Engine(EngineError::Record(RecordError::Refused {
                violation: RuleViolation::NotPermitted { author, capability },
                ..
            })) => Some(format!(
                "the owner of the space can allow it: because grant {author} --can {}",
                capability.as_str()
            )),
            Self::Engine(EngineError::UnknownBelief { .. }) => {
                Some("`because claims` lists what is believed".to_owned())
            }
            Self::Engine(EngineError::NotABelief { id, .. }) => {
                let id = crate::output::short(id);
                Some(format!(
                    "`because show {id}` shows it; `because claims` lists what is believed"
                ))
            }
            _ => None,
        }
    }

    pub(crate) fn exit_code(&self) -> u8 {
        let unfit = matches!(
            self,
            Self::Usage(_)
                | Self::Settings(_)
                | Self::Hub(HubError::Name { .. } | HubError::Endpoint { .. })
                | Self::Engine(EngineError::User(
                    UserError::PayloadMalformed { .. } | UserError::PayloadShape { .. }
                ))
        );
        if unfit { exit::USAGE } else { exit::FAILED }
    }

    /// True if the reader of our output went away, which is no failure of ours.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        let broken = |error: &std::io::Error| error.kind() == std::io::ErrorKind::BrokenPipe;
        match self {
            Self::Output(error) | Self::Engine(EngineError::Io(error)) => broken(error),
            _ => false,
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Engine(error.into())
    }
}
