//! The language model: which one, where it is, and what it costs.
//!
//! It reads what is in memory, so no file of a space sets anything of it, not even the model. And
//! what belongs together stays together: an address and a key in the user's file are those of the
//! provider that the file names. If an option or a variable names a model of another provider, the
//! file's address and key are not used with it, and an address in a variable never gets a key that
//! the file names.

use std::collections::BTreeMap;
use std::time::Duration;

use models::language::{LanguageModelConfig, ModelName, ModelNameError, Prices};

use super::api_key::KeyPlaces;
use super::keys::{self, Key};
use super::{Configuration, ConfigurationError, ConfiguredValue, Source, Value};

/// The option that names a language model.
const OPTION: &str = "--language-model";

/// A language model and where it was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChosenLanguageModel {
    /// The model.
    pub(crate) name: ModelName,
    /// Where it was chosen.
    pub(crate) source: Source,
    /// The model that the user's file names.
    of_file: Option<ModelName>,
}

/// Everything that is needed to open the language model and to count what it costs.
pub(crate) struct LanguageModelChoice {
    /// The model.
    pub(crate) name: ModelName,
    /// How to reach it.
    pub(crate) config: LanguageModelConfig,
    /// What its tokens cost, if the user says so.
    pub(crate) prices: Option<Prices>,
}

/// The model that the option names, or a variable, or the user's file. `of_file` is what the file
/// says, even if a variable says something else.
pub(super) fn choose(
    set: &BTreeMap<String, ConfiguredValue>,
    of_file: Option<&ConfiguredValue>,
    option: Option<&str>,
) -> Result<Option<ChosenLanguageModel>, ConfigurationError> {
    let option = option.map(|text| ConfiguredValue {
        value: Value::Text(text.to_owned()),
        source: Source::Option(OPTION),
    });
    let Some(chosen) = option.as_ref().or_else(|| set.get(&keys::LANGUAGE_MODEL.path())) else {
        return Ok(None);
    };
    Ok(Some(ChosenLanguageModel {
        name: parse(chosen)?,
        source: chosen.source.clone(),
        of_file: of_file.map(parse).transpose()?,
    }))
}

fn parse(set: &ConfiguredValue) -> Result<ModelName, ConfigurationError> {
    let Value::Text(text) = &set.value else {
        return Err(ConfigurationError::Value {
            source_of: set.source.clone(),
            detail: "the name of a model is a text".to_owned(),
        });
    };
    text.parse().map_err(|error: ModelNameError| ConfigurationError::Value {
        source_of: set.source.clone(),
        detail: error.to_string(),
    })
}

impl ChosenLanguageModel {
    /// Whether an address or a key applies to the model.
    fn has_access_by(&self, source: &Source) -> bool {
        let of_file = self.of_file.as_ref().map(|name| name.provider);
        !matches!(source, Source::HomeFile { .. }) || of_file == Some(self.name.provider)
    }

    /// Whether a price applies to the model.
    fn has_price_by(&self, source: &Source) -> bool {
        !matches!(source, Source::HomeFile { .. }) || self.of_file.as_ref() == Some(&self.name)
    }
}

impl Configuration {
    /// The language model, if one is chosen.
    pub(crate) fn language_model(&self) -> Option<&ChosenLanguageModel> {
        self.language_model.as_ref()
    }

    /// Everything that is needed to open the language model, if one is chosen.
    pub(crate) fn language_model_choice(
        &self,
    ) -> Result<Option<LanguageModelChoice>, ConfigurationError> {
        let Some(chosen) = &self.language_model else { return Ok(None) };
        let text =
            |key: &Key| self.text(&key.path()).filter(|(_, source)| chosen.has_access_by(source));
        let base_url = text(&keys::LANGUAGE_MODEL_BASE_URL);
        let is_from_variable = |source: &Source| matches!(source, Source::Variable(_));
        let is_of_variable = base_url.is_some_and(|(_, source)| is_from_variable(source));
        let key =
            |key: &Key| text(key).filter(|(_, source)| !is_of_variable || is_from_variable(source));
        let places = KeyPlaces {
            file: key(&keys::LANGUAGE_MODEL_KEY_FILE),
            variable: key(&keys::LANGUAGE_MODEL_KEY_ENV),
            usual: match base_url {
                Some(_) => None,
                None => chosen.name.provider.key_variable(),
            },
        };
        let number = |key: &Key| self.number(&key.path());
        let timeout_s = number(&keys::LANGUAGE_MODEL_TIMEOUT_S).map(|seconds| seconds as u64);
        let tokens = number(&keys::LANGUAGE_MODEL_OUTPUT_TOKENS);
        Ok(Some(LanguageModelChoice {
            name: chosen.name.clone(),
            config: LanguageModelConfig {
                base_url: base_url.map(|(text, _)| text.to_owned()),
                key: self.key_at(places)?,
                roots: self.roots()?,
                timeout: timeout_s.map(Duration::from_secs),
                output_tokens_max: tokens.map(|tokens| u32::try_from(tokens).unwrap_or(u32::MAX)),
                retry_delay: None,
            },
            prices: self.prices(chosen)?,
        }))
    }

    fn prices(&self, chosen: &ChosenLanguageModel) -> Result<Option<Prices>, ConfigurationError> {
        let price = |key: &Key| match self.set.get(&key.path()) {
            Some(ConfiguredValue { value: Value::Price(price), source }) => {
                chosen.has_price_by(source).then_some((*price, source))
            }
            _ => None,
        };
        let alone = |source: &Source, missing: &Key| ConfigurationError::Value {
            source_of: source.clone(),
            detail: format!("a cost needs both prices: set {} as well", missing.path()),
        };
        let (input, output) =
            (&keys::LANGUAGE_MODEL_INPUT_PRICE, &keys::LANGUAGE_MODEL_OUTPUT_PRICE);
        match (price(input), price(output)) {
            (None, None) => Ok(None),
            (Some((input, _)), Some((output, _))) => Ok(Some(Prices { input, output })),
            (Some((_, source)), None) => Err(alone(source, output)),
            (None, Some((_, source))) => Err(alone(source, input)),
        }
    }
}
