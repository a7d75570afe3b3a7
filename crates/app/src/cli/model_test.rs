//! `because model test`: tries the embedding model and the language model.

use models::language::Usage;
use serde_json::{Value, json};

use super::CliSession;
use crate::configuration::Configuration;
use crate::failure::{Failure, exit};
use crate::output::{self, BAD, Form, GOOD, count, printable};
use crate::service::language_model::{self, OpenedModel};
use crate::service::model_test::{
    EmbedderTest, LanguageModelTest, test_embedder, test_language_model,
};
use crate::service::opening::SpaceUse;

/// Arguments of `model test`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  because model test\n  because --language-model ollama:qwen3:4b model test\n\nIt embeds one text and asks the language model one question, which may cost a little."
)]
pub(super) struct Args {}

pub(super) fn run(session: &CliSession, _: &Args) -> Result<u8, Failure> {
    let space = session.locator()?.locate()?.path;
    let configuration = session.configuration(Some(&space))?;
    let embedder = test_embedder(&configuration);
    let language_model = match language_model::open(&configuration) {
        Ok(None) => None,
        Ok(Some(mut opened)) => {
            let tested = test_language_model(&mut opened);
            count_use(session, &mut opened);
            Some(tested)
        }
        Err(failure) => Some(LanguageModelTest::unopened(failure)),
    };
    let ok = embedder.outcome.is_ok()
        && language_model.as_ref().is_none_or(|tested| tested.outcome.is_ok());
    match session.form {
        Form::Json => output::json(&json!({
            "ok": ok,
            "embedder": embedder_json(&configuration, &embedder),
            "language_model": language_model_json(&configuration, language_model.as_ref()),
        }))?,
        Form::Text => {
            print_embedder(&configuration, &embedder)?;
            print_language_model(&configuration, language_model.as_ref())?;
        }
    }
    Ok(if ok { 0 } else { exit::UNSOUND })
}

/// Counts the use in the journal of the space, if there is one here.
fn count_use(session: &CliSession, opened: &mut OpenedModel) {
    if let Ok(space) = session.open(SpaceUse::Read) {
        opened.count_use(&space, session.now);
    }
}

fn embedder_json(configuration: &Configuration, tested: &EmbedderTest) -> Value {
    let chosen = configuration.chosen();
    let model = tested.outcome.as_ref().ok().and_then(Option::as_ref);
    json!({
        "model": chosen.selection.to_string(),
        "set_by": chosen.source.to_string(),
        "ok": tested.outcome.is_ok(),
        "ms": tested.took.as_millis() as u64,
        "dimensions": model.map(|model| model.dimensions),
        "error": tested.outcome.as_ref().err().map(output::error_json),
    })
}

fn language_model_json(configuration: &Configuration, tested: Option<&LanguageModelTest>) -> Value {
    let (Some(chosen), Some(tested)) = (configuration.language_model(), tested) else {
        return Value::Null;
    };
    json!({
        "model": chosen.name.to_string(),
        "set_by": chosen.source.to_string(),
        "ok": tested.outcome.is_ok(),
        "ms": tested.took.as_millis() as u64,
        "version": tested.outcome.as_ref().ok(),
        "requests": tested.usage.requests,
        "input_tokens": tested.usage.input_tokens,
        "output_tokens": tested.usage.output_tokens,
        "cost": tested.cost.map(|cost| cost.units()),
        "error": tested.outcome.as_ref().err().map(output::error_json),
    })
}

fn print_embedder(configuration: &Configuration, tested: &EmbedderTest) -> Result<(), Failure> {
    let chosen = configuration.chosen();
    let found = tested.outcome.as_ref().map(|model| match model {
        None => "inside the program, needs no test".to_owned(),
        Some(model) => {
            format!("vectors of {} numbers in {} ms", model.dimensions, tested.took.as_millis())
        }
    });
    print("embedder", &format!("{} ({})", chosen.selection, chosen.source), found)
}

fn print_language_model(
    configuration: &Configuration,
    tested: Option<&LanguageModelTest>,
) -> Result<(), Failure> {
    let (Some(chosen), Some(tested)) = (configuration.language_model(), tested) else {
        return output::line(
            "    language model  none is chosen; docs/language-models.md says how",
        );
    };
    let found = tested.outcome.as_ref().map(|version| {
        let Usage { requests, input_tokens, output_tokens, .. } = tested.usage;
        let version = version.as_ref().map(|version| format!(" by {version}")).unwrap_or_default();
        let cost = tested.cost.map(|cost| format!(", cost {cost}")).unwrap_or_default();
        format!(
            "a valid answer{version} in {} ms, {}, {input_tokens} tokens in, {output_tokens} \
             out{cost}",
            tested.took.as_millis(),
            count(requests, "request"),
        )
    });
    print("language model", &format!("{} ({})", chosen.name, chosen.source), found)
}

fn print(name: &str, model: &str, found: Result<String, &Failure>) -> Result<(), Failure> {
    let (style, mark) = if found.is_ok() { (GOOD, "ok") } else { (BAD, "!!") };
    let hint = found.as_ref().err().and_then(|failure| failure.hint());
    let words = found.unwrap_or_else(ToString::to_string);
    output::line(format_args!(
        "{style}{mark}{style:#}  {name:<14}  {}: {}",
        printable(model),
        printable(&words)
    ))?;
    if let Some(hint) = hint {
        output::line(format_args!("                    {}", printable(&hint)))?;
    }
    Ok(())
}
