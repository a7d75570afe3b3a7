//! Every key of the configuration.

use models::language::{OUTPUT_TOKENS_MAX, Price};
use models::remote::{DIMENSIONS_MAX, Service};

use super::Value;

/// Longest timeout that can be set.
const TIMEOUT_S_MAX: u64 = 3600;
/// Most threads that can be set.
const THREADS_MAX: u64 = 256;
/// Most days that receipts can be kept: a hundred years.
const KEEP_DAYS_MAX: u64 = 36_525;
/// Most mebibytes that a journal can be given.
const JOURNAL_MIB_MAX: u64 = 1 << 20;

/// A key of `config.toml`, and the environment variable with the same meaning.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// The table that it is in.
    pub(crate) section: &'static str,
    /// Its key in the table.
    pub(crate) name: &'static str,
    /// The environment variable; none for a key that only the user's file may have.
    pub(crate) variable: Option<&'static str>,
    /// The values it takes.
    pub(crate) form: Form,
    /// Which files may set it.
    pub(crate) scope: KeyScope,
}

/// The values that a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A text.
    Text,
    /// The address of a server.
    Address,
    /// A whole number of at least 1.
    Number {
        /// The largest.
        max: u64,
    },
    /// A list of texts; in a variable, with commas between them.
    List,
    /// The price of a million tokens.
    Price,
    /// `true` or `false`.
    Switch,
}

/// Which files may set a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyScope {
    /// The user's own file alone. This holds for everything that decides where texts and keys of
    /// services are sent: a space's file comes from whoever made the folder.
    User,
    /// A space's file as well.
    Space,
}

/// Which model makes vectors.
pub(crate) const MODEL: Key = Key {
    section: "embedder",
    name: "model",
    variable: Some("BECAUSE_EMBEDDER"),
    form: Form::Text,
    scope: KeyScope::Space,
};
/// Which providers a space's file may choose.
pub(crate) const SPACES_MAY_CHOOSE: Key = Key {
    section: "embedder",
    name: "spaces_may_choose",
    variable: Some("BECAUSE_EMBEDDER_SPACES_MAY_CHOOSE"),
    form: Form::List,
    scope: KeyScope::User,
};
/// Threads of a model that runs here.
pub(crate) const THREADS: Key = Key {
    section: "embedder",
    name: "threads",
    variable: Some("BECAUSE_EMBEDDER_THREADS"),
    form: Form::Number { max: THREADS_MAX },
    scope: KeyScope::User,
};

/// Days that the journal keeps receipts.
pub(crate) const JOURNAL_KEEP_DAYS: Key = Key {
    section: "journal",
    name: "keep_days",
    variable: Some("BECAUSE_JOURNAL_KEEP_DAYS"),
    form: Form::Number { max: KEEP_DAYS_MAX },
    scope: KeyScope::User,
};
/// Mebibytes of a space's journal.
pub(crate) const JOURNAL_MAX_MB: Key = Key {
    section: "journal",
    name: "max_mb",
    variable: Some("BECAUSE_JOURNAL_MAX_MB"),
    form: Form::Number { max: JOURNAL_MIB_MAX },
    scope: KeyScope::User,
};

/// The trusted certificates, in place of the list that is compiled in.
pub(crate) const CA_FILE: Key = Key {
    section: "network",
    name: "ca_file",
    variable: Some("SSL_CERT_FILE"),
    form: Form::Text,
    scope: KeyScope::User,
};

/// What agents may do at once in the user's name, each as `AGENT:TOOL`. A variable could come from
/// the settings of a host, which a project may bring along, so there is none.
pub(crate) const AGENTS_ALLOW: Key = Key {
    section: "agents",
    name: "allow",
    variable: None,
    form: Form::List,
    scope: KeyScope::User,
};

/// Agents that are shown what is private.
pub(crate) const AGENTS_READ_PRIVATE: Key = Key {
    section: "agents",
    name: "read_private",
    variable: None,
    form: Form::List,
    scope: KeyScope::User,
};

/// What recall from within a project takes from the home space.
pub(crate) const RECALLED_FROM_HOME: Key = Key {
    section: "cross_project_recall",
    name: "include_kinds",
    variable: None,
    form: Form::List,
    scope: KeyScope::User,
};

/// What [`RECALLED_FROM_HOME`] may name: claims, nodes, and the usual kinds of records. A source
/// may have kinds of its own.
pub(crate) const RECALLED_KINDS: [&str; 15] = [
    "claim",
    "node",
    "turn",
    "note",
    "event",
    "task",
    "cancellation",
    "photo",
    "mail",
    "commit",
    "thought_action",
    "decide_next",
    "statement",
    "values_set",
    "mi_defaults_set",
];

/// Whether a language model may be shown what is private. No variable sets it, for the same reason.
pub(crate) const MIND_ALLOW_PRIVATE: Key = Key {
    section: "mind",
    name: "allow_private",
    variable: None,
    form: Form::Switch,
    scope: KeyScope::User,
};

/// All keys of one service.
macro_rules! service {
    ($service:expr, $section:literal, $prefix:literal) => {
        [
            service!(@ $section, "base_url", concat!($prefix, "_BASE_URL"), Form::Address),
            service!(@ $section, "api_key_env", concat!($prefix, "_API_KEY_ENV"), Form::Text),
            service!(@ $section, "api_key_file", concat!($prefix, "_API_KEY_FILE"), Form::Text),
            service!(@ $section, "dimensions", concat!($prefix, "_DIMENSIONS"), Form::Number { max: DIMENSIONS_MAX as u64 }),
            service!(@ $section, "batch_max", concat!($prefix, "_BATCH_MAX"), Form::Number { max: $service.batch_max() as u64 }),
            service!(@ $section, "timeout_s", concat!($prefix, "_TIMEOUT_S"), Form::Number { max: TIMEOUT_S_MAX }),
        ]
    };
    (@ $section:literal, $name:literal, $variable:expr, $form:expr) => {
        Key { section: $section, name: $name, variable: Some($variable), form: $form, scope: KeyScope::User }
    };
}

/// A key of the language model. None is of a space: the model reads what is in memory.
const fn of_language_model(name: &'static str, variable: &'static str, form: Form) -> Key {
    Key { section: "language_model", name, variable: Some(variable), form, scope: KeyScope::User }
}

/// Which language model is used.
pub(crate) const LANGUAGE_MODEL: Key =
    of_language_model("model", "BECAUSE_LANGUAGE_MODEL", Form::Text);
/// The address of its server.
pub(crate) const LANGUAGE_MODEL_BASE_URL: Key =
    of_language_model("base_url", "BECAUSE_LANGUAGE_MODEL_BASE_URL", Form::Address);
/// The variable that holds its key.
pub(crate) const LANGUAGE_MODEL_KEY_ENV: Key =
    of_language_model("api_key_env", "BECAUSE_LANGUAGE_MODEL_API_KEY_ENV", Form::Text);
/// The file that holds its key.
pub(crate) const LANGUAGE_MODEL_KEY_FILE: Key =
    of_language_model("api_key_file", "BECAUSE_LANGUAGE_MODEL_API_KEY_FILE", Form::Text);
/// Seconds for a call with all retries.
pub(crate) const LANGUAGE_MODEL_TIMEOUT_S: Key = of_language_model(
    "timeout_s",
    "BECAUSE_LANGUAGE_MODEL_TIMEOUT_S",
    Form::Number { max: TIMEOUT_S_MAX },
);
/// Most tokens of an answer.
pub(crate) const LANGUAGE_MODEL_OUTPUT_TOKENS: Key = of_language_model(
    "max_output_tokens",
    "BECAUSE_LANGUAGE_MODEL_MAX_OUTPUT_TOKENS",
    Form::Number { max: OUTPUT_TOKENS_MAX as u64 },
);
/// The price of a million tokens of prompts.
pub(crate) const LANGUAGE_MODEL_INPUT_PRICE: Key =
    of_language_model("input_price", "BECAUSE_LANGUAGE_MODEL_INPUT_PRICE", Form::Price);
/// The price of a million tokens of answers.
pub(crate) const LANGUAGE_MODEL_OUTPUT_PRICE: Key =
    of_language_model("output_price", "BECAUSE_LANGUAGE_MODEL_OUTPUT_PRICE", Form::Price);

/// Whether what is sent to it and what it answers is kept as evidence.
pub(crate) const LANGUAGE_MODEL_KEEP_TRANSCRIPTS: Key =
    of_language_model("keep_transcripts", "BECAUSE_LANGUAGE_MODEL_KEEP_TRANSCRIPTS", Form::Switch);

const LANGUAGE: [Key; 9] = [
    LANGUAGE_MODEL,
    LANGUAGE_MODEL_BASE_URL,
    LANGUAGE_MODEL_KEY_ENV,
    LANGUAGE_MODEL_KEY_FILE,
    LANGUAGE_MODEL_TIMEOUT_S,
    LANGUAGE_MODEL_OUTPUT_TOKENS,
    LANGUAGE_MODEL_INPUT_PRICE,
    LANGUAGE_MODEL_OUTPUT_PRICE,
    LANGUAGE_MODEL_KEEP_TRANSCRIPTS,
];

const OPENAI: [Key; 6] = service!(Service::OpenAi, "openai", "BECAUSE_OPENAI");
const OLLAMA: [Key; 6] = service!(Service::Ollama, "ollama", "BECAUSE_OLLAMA");
const GEMINI: [Key; 6] = service!(Service::Gemini, "gemini", "BECAUSE_GEMINI");

/// Every key of every service.
pub(crate) fn all() -> impl Iterator<Item = &'static Key> {
    const GENERAL: [Key; 10] = [
        MODEL,
        SPACES_MAY_CHOOSE,
        THREADS,
        JOURNAL_KEEP_DAYS,
        JOURNAL_MAX_MB,
        CA_FILE,
        AGENTS_ALLOW,
        AGENTS_READ_PRIVATE,
        RECALLED_FROM_HOME,
        MIND_ALLOW_PRIVATE,
    ];
    GENERAL.iter().chain(&OPENAI).chain(&OLLAMA).chain(&GEMINI).chain(&LANGUAGE)
}

impl Form {
    /// A number, or a description of the valid values.
    pub(super) fn number(max: u64, number: Option<u64>) -> Result<Value, String> {
        let number = number.filter(|number| (1..=max).contains(number));
        number.map(Value::Number).ok_or_else(|| format!("a whole number from 1 to {max}"))
    }

    /// A price, or a description of the valid values.
    pub(super) fn price(text: Option<String>) -> Result<Value, String> {
        let price = text.and_then(|text| text.parse::<Price>().ok());
        price.map(Value::Price).ok_or_else(|| {
            "the price of a million tokens: a number from 0 to 1000000 with at most 6 digits \
             after the point, such as 0.15"
                .to_owned()
        })
    }

    /// A switch, or a description of the valid values.
    pub(super) fn switch(text: Option<&str>) -> Result<Value, String> {
        match text {
            Some("true") => Ok(Value::Switch(true)),
            Some("false") => Ok(Value::Switch(false)),
            _ => Err("true or false".to_owned()),
        }
    }

    /// The address of a server, or a description of the valid values.
    pub(super) fn address(text: String) -> Result<Value, String> {
        match models::remote::check_base_url(&text) {
            Ok(()) => Ok(Value::Text(text)),
            Err(detail) => Err(format!(
                "the address of a server, like https://example.com/v1 or http://127.0.0.1:8080: {detail}"
            )),
        }
    }
}

impl Key {
    /// `section.name`.
    pub(crate) fn path(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }
}

/// The key that was probably meant.
pub(crate) fn nearest(path: &str) -> Option<String> {
    /// Below this, two names have nothing in common.
    const LIKENESS_MIN: f64 = 0.75;
    let likeness = |key: &Key| {
        // Someone who forgets the table still means the key in it.
        let whole = strsim::jaro_winkler(path, &key.path());
        let last = path.rsplit('.').next().unwrap_or(path);
        // Several tables have keys of one name; the nearest table decides, if one was named.
        let table = path
            .rsplit_once('.')
            .map_or(0.0, |(table, _)| strsim::jaro_winkler(table, key.section));
        (whole.max(strsim::jaro_winkler(last, key.name)), table)
    };
    let scored = all().map(|key| (likeness(key), key.path()));
    // Of several that are equally near, the first.
    let best = scored.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    (best.0.0 >= LIKENESS_MIN).then_some(best.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = include_str!("../../../../docs/configuration.md");

    /// Key, variable, and whether a space's file may set it, of each row of the document's table.
    fn documented() -> Vec<(String, String, bool)> {
        let rows = DOCUMENT.lines().filter(|line| line.starts_with("| `"));
        let rows = rows.filter_map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
            let code = |cell: &&str| cell.trim_matches('`').to_owned();
            let key = cells.first().map(code).filter(|key| key.contains('.'))?;
            Some((key, cells.get(1).map(code)?, cells.get(2) == Some(&"yes")))
        });
        rows.collect()
    }

    #[test]
    fn the_keys_that_are_documented_are_those_that_are_read() {
        let read: Vec<_> = all()
            .map(|key| {
                (
                    key.path(),
                    key.variable.unwrap_or("none").to_owned(),
                    key.scope == KeyScope::Space,
                )
            })
            .collect();
        assert_eq!(documented(), read);
    }

    #[test]
    fn a_misspelt_key_is_answered_with_the_one_that_was_meant() {
        for (path, meant) in [
            ("embedder.modle", Some("embedder.model")),
            ("model", Some("embedder.model")),
            ("openai.baseurl", Some("openai.base_url")),
            ("gemini.api_key", Some("gemini.api_key_env")),
            ("language_model.max_tokens", Some("language_model.max_output_tokens")),
            ("languagemodel.model", Some("language_model.model")),
            ("zzz.q", None),
        ] {
            assert_eq!(nearest(path).as_deref(), meant, "{path}");
        }
    }
}
