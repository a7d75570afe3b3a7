//! `config.toml`: its values, each with its line.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use toml_edit::{Document, Item, Key as TomlKey};

use super::keys::{self, Form, Key, KeyScope};
use super::{ConfigurationError, ConfiguredValue, Source, Value};

/// Longest file.
const FILE_BYTES_MAX: u64 = 64 << 10;

/// The values that a file sets; none if it does not exist.
pub(super) fn read(
    path: &Path,
    source: fn(PathBuf, usize) -> Source,
) -> Result<Vec<(&'static Key, ConfiguredValue)>, ConfigurationError> {
    let failed = |source| ConfigurationError::File { path: path.to_owned(), source };
    // The type is checked before opening, because opening a pipe blocks.
    match path.metadata() {
        Ok(metadata) if !metadata.is_file() => {
            return Err(failed(std::io::Error::other("it is not a regular file")));
        }
        Ok(_) => {}
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(failed(error)),
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
    let bad = |line: usize, detail: String| ConfigurationError::Line {
        path: path.to_owned(),
        line,
        detail,
    };
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(bad(1, format!("the file is longer than {FILE_BYTES_MAX} bytes")));
    }
    let text = String::from_utf8(bytes).map_err(|_| bad(1, "the file is not UTF-8".to_owned()))?;
    let line_at =
        |offset: usize| text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1;
    let document = Document::parse(&text).map_err(|error| {
        bad(error.span().map_or(1, |span| line_at(span.start)), error.message().to_owned())
    })?;
    let line_of =
        |key: Option<&TomlKey>| key.and_then(TomlKey::span).map_or(1, |span| line_at(span.start));
    let is_users = matches!(source(PathBuf::new(), 0), Source::HomeFile { .. });
    let mut set = Vec::new();
    for (section, value) in document.iter() {
        let at = line_of(document.key(section));
        let Some(entries) = value.as_table_like() else {
            return Err(bad(at, unknown(section)));
        };
        for (name, value) in entries.iter() {
            let line = line_of(entries.key(name));
            let path_of_key = format!("{section}.{name}");
            let Some(key) = keys::all().find(|key| key.path() == path_of_key) else {
                return Err(bad(line, unknown(&path_of_key)));
            };
            if key.scope == KeyScope::User && !is_users {
                return Err(bad(
                    line,
                    match key.variable {
                        Some(variable) => format!(
                            "`{path_of_key}` is allowed only in your own config.toml, by {variable} or by an option: it decides where texts and keys are sent"
                        ),
                        None => format!(
                            "`{path_of_key}` is allowed only in your own config.toml: it decides who acts in your name, and who sees what is private"
                        ),
                    },
                ));
            }
            let value = value_of(key, value).map_err(|detail| bad(line, detail))?;
            set.push((key, ConfiguredValue { value, source: source(path.to_owned(), line) }));
        }
        if entries.is_empty() && keys::all().all(|key| key.section != section) {
            return Err(bad(at, unknown(section)));
        }
    }
    Ok(set)
}

fn unknown(path: &str) -> String {
    let path: String = path.chars().filter(|c| !c.is_control()).take(80).collect();
    match keys::nearest(&path) {
        Some(nearest) => format!("unknown key `{path}`; did you mean `{nearest}`?"),
        None => format!("unknown key `{path}`; docs/configuration.md lists all keys"),
    }
}

fn value_of(key: &Key, value: &Item) -> Result<Value, String> {
    let wrong = |wanted: &str| format!("`{}` takes {wanted}", key.path());
    match key.form {
        Form::Text => {
            let text = value.as_str().map(str::to_owned);
            text.map(Value::Text).ok_or_else(|| wrong("a string in quotes"))
        }
        Form::Address => {
            let text = value.as_str().ok_or_else(|| wrong("a string in quotes"))?;
            Form::address(text.to_owned()).map_err(|wanted| wrong(&wanted))
        }
        Form::Number { max } => {
            let number = value.as_integer().and_then(|number| u64::try_from(number).ok());
            Form::number(max, number).map_err(|wanted| wrong(&wanted))
        }
        Form::Price => {
            let whole = || value.as_integer().map(|number| number.to_string());
            let decimal = || value.as_float().map(|number| number.to_string());
            let text = value.as_str().map(str::to_owned).or_else(whole).or_else(decimal);
            Form::price(text).map_err(|wanted| wrong(&wanted))
        }
        Form::Switch => match value.as_bool() {
            Some(is_on) => Ok(Value::Switch(is_on)),
            None => {
                Form::switch(None).map_err(|wanted| wrong(&format!("{wanted}, without quotes")))
            }
        },
        Form::List => {
            let texts = value.as_array().and_then(|items| {
                items.iter().map(|item| item.as_str().map(str::to_owned)).collect()
            });
            texts.map(Value::List).ok_or_else(|| wrong("a list of strings in quotes"))
        }
    }
}
