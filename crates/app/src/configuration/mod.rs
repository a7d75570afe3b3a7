//! The configuration, and where each value of it comes from.
//!
//! An option overrides an environment variable, which overrides the space's file, which overrides
//! the user's own file. The user's file is `config.toml` in the because home; the space's is
//! `config.toml` in its `.because` folder.
//!
//! A space's file comes from whoever made the folder, who may be untrusted. So it may name a model
//! and nothing else: addresses, keys and limits are taken from the user alone. It may also name
//! only a model that runs on this machine, from files that the user fetched, unless the user's own
//! configuration allows more (`embedder.spaces_may_choose`). Anything else in it is ignored and
//! shown by `because status` and `because doctor`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kernel::kind::Kind;
use models::choice::{Choice, Selection};
use models::hub::ModelDir;
use models::language::{Price, Provider};
use models::remote::{Service, ServiceConfig};
use models::roots::Roots;
use models::secret::Secret;
use serde_json::json;
use store::sqlite::JournalLimits;

use crate::place::{self, Home};

mod api_key;
mod choose;
mod file;
pub(crate) mod keys;
mod language_model;

use api_key::{KeyPlaces, is_variable_name};
use keys::{Form, Key};
pub(crate) use language_model::ChosenLanguageModel;

/// The name of the file in either folder.
pub(crate) const FILE: &str = "config.toml";
/// The folder of fetched models, in the home.
const MODELS: &str = "models";
/// Longest file of certificates.
const CA_BYTES_MAX: u64 = 4 << 20;

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigurationError {
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// A line is invalid.
    #[error("{}:{line}: {detail}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// What is wrong with it.
        detail: String,
    },
    /// A value set elsewhere is invalid.
    #[error("{source_of}: {detail}")]
    Value {
        /// Where it was set.
        source_of: Source,
        /// What is wrong with it.
        detail: String,
    },
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Nowhere: the default.
    Default,
    /// The user's file.
    HomeFile { path: PathBuf, line: usize },
    /// The space's file.
    SpaceFile { path: PathBuf, line: usize },
    /// An environment variable.
    Variable(&'static str),
    /// An option of the command line.
    Option(&'static str),
}

impl std::fmt::Display for Source {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Default => formatter.write_str("by default"),
            Self::HomeFile { path, line } | Self::SpaceFile { path, line } => {
                write!(formatter, "{}:{line}", path.display())
            }
            Self::Variable(name) | Self::Option(name) => formatter.write_str(name),
        }
    }
}

/// What a key may be set to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    Text(String),
    Number(u64),
    List(Vec<String>),
    Price(Price),
    Switch(bool),
}

/// A value and where it was set.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ConfiguredValue {
    value: Value,
    source: Source,
}

/// A model and where it was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chosen {
    pub(crate) selection: Selection,
    pub(crate) source: Source,
}

/// Where the configuration is looked for.
pub(crate) struct Sources<'a> {
    /// What `--embedder` names.
    pub(crate) option: Option<&'a str>,
    /// What `--language-model` names.
    pub(crate) language_model: Option<&'a str>,
    /// The environment.
    pub(crate) variable: &'a dyn Fn(&str) -> Option<OsString>,
    /// The home.
    pub(crate) home: &'a Home,
    /// The space's file, whether or not it exists.
    pub(crate) space: Option<&'a Path>,
}

/// How the program runs on this machine, from all sources.
pub(crate) struct Configuration {
    set: BTreeMap<String, ConfiguredValue>,
    chosen: Chosen,
    passed_over: Option<Chosen>,
    language_model: Option<ChosenLanguageModel>,
    home: PathBuf,
    /// The values of the variables that hold keys, looked up when a choice is made.
    key_of_variable: BTreeMap<String, OsString>,
}

impl Configuration {
    /// Reads all sources.
    pub(crate) fn read(sources: &Sources<'_>) -> Result<Self, ConfigurationError> {
        let home = sources.home.folder().to_owned();
        let own_file = home.join(FILE);
        let mut set = BTreeMap::new();
        for (key, one) in file::read(&own_file, |path, line| Source::HomeFile { path, line })? {
            set.insert(key.path(), one);
        }
        let of_file = set.get(&keys::LANGUAGE_MODEL.path()).cloned();
        let mut of_space = None;
        if let Some(file) = sources.space.and_then(|space| space_file(space, &own_file)) {
            let entries = file::read(&file, |path, line| Source::SpaceFile { path, line })?;
            of_space = entries.into_iter().map(|(_, one)| one).next();
        }
        for key in keys::all() {
            let Some(variable) = key.variable else { continue };
            if let Some(text) = (sources.variable)(variable).filter(|text| !text.is_empty()) {
                set.insert(key.path(), from_variable(key, variable, text)?);
            }
        }
        let (chosen, passed_over) = choose::choose(&set, of_space, sources.option)?;
        let language_model =
            language_model::choose(&set, of_file.as_ref(), sources.language_model)?;
        let key_of_variable = BTreeMap::new();
        let mut configuration =
            Self { set, chosen, passed_over, language_model, home, key_of_variable };
        configuration.look_up_keys(sources.variable);
        Ok(configuration)
    }

    /// The model and where it was chosen.
    pub(crate) fn chosen(&self) -> &Chosen {
        &self.chosen
    }

    /// A note about an ignored choice.
    pub(crate) fn advice(&self) -> Option<String> {
        let Chosen { selection, source } = self.passed_over.as_ref()?;
        let provider = selection.provider();
        Some(format!(
            "{source} asks for {selection}, which it may not choose; to allow it, add {provider:?} to spaces_may_choose under [embedder] in {}",
            self.home.join(FILE).display()
        ))
    }

    /// For `--json`.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        let shown = |chosen: &Chosen| json!({ "model": chosen.selection.to_string(), "set_by": chosen.source.to_string() });
        let mut value = shown(&self.chosen);
        value["passed_over"] = self.passed_over.as_ref().map(shown).into();
        value
    }

    /// How much the journal of a space keeps.
    pub(crate) fn journal_limits(&self) -> JournalLimits {
        let number = |key: &Key, default: u64| {
            self.number(&key.path()).map_or(default, |number| number as u64)
        };
        let days = number(&keys::JOURNAL_KEEP_DAYS, JournalLimits::KEEP_DAYS);
        let mib = number(&keys::JOURNAL_MAX_MB, JournalLimits::MIB_MAX);
        JournalLimits {
            keep_for: Duration::from_secs(days.saturating_mul(86_400)),
            bytes_max: mib.saturating_mul(1 << 20),
        }
    }

    /// Everything that is needed to open the model.
    pub(crate) fn choice(&self) -> Result<Choice, ConfigurationError> {
        self.choice_of(&self.chosen.selection)
    }

    /// Whether the user allows an agent to do this at once in the user's name.
    pub(crate) fn agent_may(&self, agent: &str, tool: &str) -> bool {
        match self.set.get(&keys::AGENTS_ALLOW.path()) {
            Some(ConfiguredValue { value: Value::List(allowed), .. }) => allowed
                .iter()
                .filter_map(|allowed| allowed.split_once(':'))
                .any(|(named, what)| named.trim() == agent && what.trim() == tool),
            _ => false,
        }
    }

    /// Whether the user lets an agent see what is private.
    pub(crate) fn agent_may_read_private(&self, agent: &str) -> bool {
        match self.set.get(&keys::AGENTS_READ_PRIVATE.path()) {
            Some(ConfiguredValue { value: Value::List(allowed), .. }) => {
                allowed.iter().any(|named| named.trim() == agent)
            }
            _ => false,
        }
    }

    /// What recall from within a project takes from the home space: kinds of records, `claim` and
    /// `node`; by default these two.
    pub(crate) fn recalled_from_home(&self) -> Vec<String> {
        match self.set.get(&keys::RECALLED_FROM_HOME.path()) {
            Some(ConfiguredValue { value: Value::List(kinds), .. }) => {
                kinds.iter().map(|kind| kind.trim().to_owned()).collect()
            }
            _ => vec![Kind::Claim.as_str().to_owned(), Kind::Node.as_str().to_owned()],
        }
    }

    /// The error of a kind that it names and no record has.
    pub(crate) fn no_such_kind(&self, kind: &str) -> ConfigurationError {
        let path = keys::RECALLED_FROM_HOME.path();
        let source_of = self.set.get(&path).map_or(Source::Default, |set| set.source.clone());
        let known = keys::RECALLED_KINDS.join(", ");
        let detail = format!(
            "`{path}` names {kind:?}, and no record of your home space is of that kind: write some of {known}, or a kind of a record there"
        );
        ConfigurationError::Value { source_of, detail }
    }

    /// Whether the user lets a language model see what is private.
    pub(crate) fn mind_allows_private(&self) -> bool {
        self.is_on(&keys::MIND_ALLOW_PRIVATE)
    }

    /// Whether what is sent to a language model and what it answers is kept.
    pub(crate) fn keeps_transcripts(&self) -> bool {
        self.is_on(&keys::LANGUAGE_MODEL_KEEP_TRANSCRIPTS)
    }

    fn is_on(&self, key: &Key) -> bool {
        matches!(
            self.set.get(&key.path()),
            Some(ConfiguredValue { value: Value::Switch(true), .. })
        )
    }

    /// Whether a model that embedded a space may be opened: the chosen one, another of the same
    /// service, one that the user fetched, or one of a provider that spaces may choose.
    pub(crate) fn may_open(&self, selection: &Selection) -> bool {
        let provider = selection.provider();
        let is_allowed = match self.set.get(&keys::SPACES_MAY_CHOOSE.path()) {
            Some(ConfiguredValue { value: Value::List(providers), .. }) => {
                providers.iter().any(|allowed| allowed == provider)
            }
            _ => false,
        };
        let is_like_chosen = match selection {
            Selection::Served { .. } => provider == self.chosen.selection.provider(),
            Selection::Downloaded(_) => true,
            Selection::BuiltIn | Selection::Folder(_) => false,
        };
        *selection == self.chosen.selection || is_allowed || is_like_chosen
    }

    /// The options to open a model that may be opened.
    pub(crate) fn choice_of(&self, selection: &Selection) -> Result<Choice, ConfigurationError> {
        let service_config = match selection {
            Selection::Served { service, .. } => self.service_config(*service)?,
            _ => ServiceConfig::default(),
        };
        let told = self.number("embedder.threads").and_then(NonZeroUsize::new);
        let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let threads = told.unwrap_or_else(cores);
        Ok(Choice {
            selection: selection.clone(),
            service_config,
            mask: importers::secrets::without_secrets,
            model_dir: model_dir(&self.home),
            threads,
        })
    }

    /// The trusted certificates, if they are set.
    pub(crate) fn roots(&self) -> Result<Option<Roots>, ConfigurationError> {
        let Some((path, source)) = self.text(&keys::CA_FILE.path()) else { return Ok(None) };
        let bad = |detail: String| ConfigurationError::Value { source_of: source.clone(), detail };
        let pem = self.read_small(path, CA_BYTES_MAX);
        let pem =
            pem.map_err(|error| bad(format!("the file of certificates cannot be read: {error}")))?;
        Roots::parse(&pem)
            .map(Some)
            .ok_or_else(|| bad("the file holds no certificates in PEM".to_owned()))
    }

    fn service_config(&self, service: Service) -> Result<ServiceConfig, ConfigurationError> {
        let key = |name: &str| format!("{service}.{name}");
        let timeout_s = self.number(&key("timeout_s")).map(|seconds| seconds as u64);
        Ok(ServiceConfig {
            base_url: self.text(&key("base_url")).map(|(text, _)| text.to_owned()),
            key: self.key(service)?,
            roots: self.roots()?,
            dimensions: self.number(&key("dimensions")),
            dimensions_known: None,
            batch_max: self.number(&key("batch_max")),
            timeout: timeout_s.map(Duration::from_secs),
            deadline: None,
        })
    }

    /// The key of a service. Its usual variable counts only for its own address.
    fn key(&self, service: Service) -> Result<Option<Secret>, ConfigurationError> {
        let has_address = self.text(&format!("{service}.base_url")).is_some();
        self.key_at(KeyPlaces {
            file: self.text(&format!("{service}.api_key_file")),
            variable: self.text(&format!("{service}.api_key_env")),
            usual: if has_address { None } else { service.key_variable() },
        })
    }

    /// Resolves a path that the user names: `~/` is the user's home, and a relative path starts in
    /// the because home.
    fn read_small(&self, path: &str, bytes_max: u64) -> std::io::Result<Vec<u8>> {
        let path = match (path.strip_prefix("~/"), etcetera::home_dir()) {
            (Some(below), Ok(home)) => home.join(below),
            _ => self.home.join(path),
        };
        let mut bytes = Vec::new();
        std::fs::File::open(path)?.take(bytes_max).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn look_up_keys(&mut self, variable: &dyn Fn(&str) -> Option<OsString>) {
        let tables = Service::ALL.iter().map(|service| service.as_str());
        let tables = tables.chain([keys::LANGUAGE_MODEL.section]);
        let named = tables.filter_map(|table| self.text(&format!("{table}.api_key_env")));
        let named: Vec<String> = named.map(|(name, _)| name.to_owned()).collect();
        let usual = Service::ALL.iter().filter_map(|service| service.key_variable());
        let usual = usual.chain(Provider::ALL.iter().filter_map(|one| one.key_variable()));
        for name in named.into_iter().chain(usual.map(str::to_owned)) {
            if let Some(text) = is_variable_name(&name).then(|| variable(&name)).flatten() {
                self.key_of_variable.insert(name, text);
            }
        }
    }

    fn text(&self, path: &str) -> Option<(&str, &Source)> {
        match self.set.get(path)? {
            ConfiguredValue { value: Value::Text(text), source } => Some((text, source)),
            _ => None,
        }
    }

    fn number(&self, path: &str) -> Option<usize> {
        match self.set.get(path)?.value {
            Value::Number(number) => Some(usize::try_from(number).unwrap_or(usize::MAX)),
            _ => None,
        }
    }
}

/// The folder of fetched models.
pub(crate) fn model_dir(home: &Path) -> ModelDir {
    ModelDir::at(home.join(MODELS))
}

/// The `config.toml` beside a space in a `.because` folder. The user's own folder may have that
/// name as well, and its file stays the user's.
fn space_file(space: &Path, own_file: &Path) -> Option<PathBuf> {
    let folder = space
        .parent()
        .filter(|folder| folder.file_name().is_some_and(|name| name == place::FOLDER))?;
    let file = folder.join(FILE);
    let is_own = match (file.canonicalize(), own_file.canonicalize()) {
        (Ok(file), Ok(own_file)) => file == own_file,
        _ => file == own_file,
    };
    (!is_own).then_some(file)
}

fn from_variable(
    key: &Key,
    variable: &'static str,
    text: OsString,
) -> Result<ConfiguredValue, ConfigurationError> {
    let source = Source::Variable(variable);
    let bad = |detail: &str| ConfigurationError::Value {
        source_of: source.clone(),
        detail: detail.to_owned(),
    };
    let text = text.into_string().map_err(|_| bad("it is not UTF-8"))?;
    let value = match key.form {
        Form::Text => Value::Text(text),
        Form::Address => {
            Form::address(text).map_err(|wanted| bad(&format!("it takes {wanted}")))?
        }
        Form::Number { max } => Form::number(max, text.trim().parse().ok())
            .map_err(|wanted| bad(&format!("it takes {wanted}")))?,
        Form::Price => {
            Form::price(Some(text)).map_err(|wanted| bad(&format!("it takes {wanted}")))?
        }
        Form::Switch => {
            Form::switch(Some(text.trim())).map_err(|wanted| bad(&format!("it takes {wanted}")))?
        }
        Form::List => Value::List(text.split(',').map(|item| item.trim().to_owned()).collect()),
    };
    Ok(ConfiguredValue { value, source: source.clone() })
}
