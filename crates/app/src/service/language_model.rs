//! Opening the language model that the user chose, and counting what it uses.
//!
//! A request opens the model once and asks it as often as it has to; then it counts the use in the
//! journal of the space for which it asked.

use std::path::Path;
use std::time::Duration;

use engine::EngineError;
use jiff::Timestamp;
use models::language::{Cost, LanguageModel, Metered, Prices, RemoteLanguageModel, Usage};
use store::sqlite::ModelUse;

use super::Session;
use super::model_request::{Answerer, ModelAccess};
use super::opening::OpenedSpace;
use crate::configuration::Configuration;
use crate::failure::Failure;

/// How long counting waits for others that write to the journal.
const COUNT_WAIT: Duration = Duration::from_millis(1_500);

/// The language model of a request.
pub(crate) struct OpenedModel {
    /// The model; what it uses is added up.
    pub(crate) model: Metered,
    /// The address of its server.
    pub(crate) address: String,
    prices: Option<Prices>,
    /// Whether it may see private records.
    may_read_private: bool,
    /// Whether what it is sent and what it answers is kept.
    keeps_transcripts: bool,
}

/// Opens the language model, without asking it anything; none if none is chosen.
pub(crate) fn open(configuration: &Configuration) -> Result<Option<OpenedModel>, Failure> {
    let Some(choice) = configuration.language_model_choice()? else { return Ok(None) };
    let mask = importers::secrets::without_secrets;
    let model = RemoteLanguageModel::open(&choice.name, mask, &choice.config)?;
    let address = model.address().to_owned();
    let model = Metered::new(Box::new(model));
    Ok(Some(OpenedModel {
        model,
        address,
        prices: choice.prices,
        may_read_private: configuration.mind_allows_private(),
        keeps_transcripts: configuration.keeps_transcripts(),
    }))
}

/// Opens the language model that the configuration for a space chooses; none if rules were asked
/// for.
pub(crate) fn open_unless(
    rules: bool,
    session: &Session,
    space: &Path,
) -> Result<Option<OpenedModel>, Failure> {
    match rules {
        true => Ok(None),
        false => {
            let configuration = session.configuration(Some(space))?;
            open(&configuration)
        }
    }
}

/// The language model of a request that rules can answer as well.
pub(crate) enum ChosenModel {
    /// None is chosen, or rules were asked for.
    None,
    /// It is open.
    Opened(Box<OpenedModel>),
    /// It cannot be opened.
    Unopened(Failure),
}

impl ChosenModel {
    /// Opens the model that the configuration for a space chooses, unless rules were asked for.
    pub(crate) fn choose(session: &Session, space: &Path, rules: bool) -> Result<Self, Failure> {
        if rules {
            return Ok(Self::None);
        }
        let configuration = session.configuration(Some(space))?;
        Ok(match open(&configuration) {
            Ok(Some(opened)) => Self::Opened(Box::new(opened)),
            Ok(None) => Self::None,
            Err(failure) => Self::Unopened(failure),
        })
    }

    /// What answers.
    pub(crate) fn answerer(&mut self) -> Answerer<'_> {
        match self {
            Self::Opened(opened) => return Answerer::Model(opened.access()),
            Self::None => return Answerer::Rules,
            Self::Unopened(_) => {}
        }
        match std::mem::replace(self, Self::None) {
            Self::Unopened(failure) => Answerer::Unopened(failure),
            _ => Answerer::Rules,
        }
    }
}

impl OpenedModel {
    /// The model for requests about records, which count what they use themselves.
    pub(crate) fn access(&mut self) -> ModelAccess<'_> {
        ModelAccess {
            prices: self.prices,
            may_read_private: self.may_read_private,
            keeps_transcripts: self.keeps_transcripts,
            model: &mut self.model,
        }
    }

    /// What tokens cost; none if the user set no prices.
    pub(crate) fn cost(&self, usage: &Usage) -> Option<Cost> {
        self.prices.map(|prices| prices.cost(usage))
    }

    /// Counts what was used since the last time in the space's journal. False if it is not counted
    /// there: nothing was used, the space is somebody else's or cannot be written, or another
    /// process keeps the journal busy. That does not spoil an answer.
    pub(crate) fn count_use(&mut self, space: &OpenedSpace, now: Timestamp) -> bool {
        let usage = self.model.take_usage();
        if usage == Usage::default() || space.owner.is_some() || space.is_read_only() {
            return false;
        }
        let cost = self.cost(&usage);
        let used = ModelUse::new(self.model.name(), usage, cost, now.as_microsecond());
        let counted: Result<(), EngineError> = space.add_model_use(&used, COUNT_WAIT);
        counted.is_ok()
    }
}
