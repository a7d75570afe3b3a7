//! Which model is used when several sources name one.

use std::collections::BTreeMap;

use models::choice::Selection;
use models::remote::Service;

use super::{Chosen, ConfigurationError, ConfiguredValue, Source, Value, keys};

/// The chosen model, and a model that the space's file names but may not choose.
pub(super) fn choose(
    set: &BTreeMap<String, ConfiguredValue>,
    of_space: Option<ConfiguredValue>,
    option: Option<&str>,
) -> Result<(Chosen, Option<Chosen>), ConfigurationError> {
    let option = option.map(|text| ConfiguredValue {
        value: Value::Text(text.to_owned()),
        source: Source::Option("--embedder"),
    });
    let own = set.get(&keys::MODEL.path()).cloned();
    let allowed = match set.get(&keys::SPACES_MAY_CHOOSE.path()) {
        Some(ConfiguredValue { value: Value::List(providers), source }) => {
            for provider in providers {
                let known = provider == "local"
                    || Service::ALL.iter().any(|service| service.as_str() == provider);
                if !known {
                    let detail = format!("{provider:?} is none of openai, ollama, gemini, local");
                    return Err(ConfigurationError::Value { source_of: source.clone(), detail });
                }
            }
            providers.as_slice()
        }
        _ => &[],
    };
    let of_space = of_space.map(parse).transpose()?;
    let is_allowed = |chosen: &Chosen| match &chosen.selection {
        Selection::BuiltIn | Selection::Downloaded(_) => true,
        other => allowed.iter().any(|provider| provider == other.provider()),
    };
    let (of_space, passed_over) = match of_space {
        Some(chosen) if !is_allowed(&chosen) => (None, Some(chosen)),
        other => (other, None),
    };
    let is_from_variable = |set: &ConfiguredValue| matches!(set.source, Source::Variable(_));
    let own = own.map(|own| Ok((is_from_variable(&own), parse(own)?))).transpose()?;
    let chosen = match (option.map(parse).transpose()?, own, of_space) {
        (Some(chosen), ..) | (None, Some((true, chosen)), _) | (None, _, Some(chosen)) => chosen,
        (None, Some((false, chosen)), None) => chosen,
        (None, None, None) => Chosen { selection: Selection::BuiltIn, source: Source::Default },
    };
    Ok((chosen, passed_over))
}

fn parse(set: ConfiguredValue) -> Result<Chosen, ConfigurationError> {
    let ConfiguredValue { value, source } = set;
    let text = match value {
        Value::Text(text) => text,
        Value::Number(_) | Value::List(_) | Value::Price(_) | Value::Switch(_) => String::new(),
    };
    match text.parse() {
        Ok(selection) => Ok(Chosen { selection, source }),
        Err(error) => {
            let error: models::choice::SelectionError = error;
            Err(ConfigurationError::Value { source_of: source, detail: error.to_string() })
        }
    }
}
