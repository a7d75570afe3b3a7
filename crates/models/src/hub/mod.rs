//! Fetching models from the Hugging Face hub.
//!
//! [`Hub::pull`] asks for the commit behind a revision and the files there, takes the few that a
//! sentence encoder is made of (data, never code), and puts them on a [`ModelDir`] when all are
//! complete and their digests right. What was interrupted goes on where it stopped. Two calls of
//! the hub's interface are used: `GET /api/models/{name}/revision/{revision}?blobs=true` and `GET
//! /{name}/resolve/{commit}/{file}`.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::http::{Base, Client, HttpError};
use crate::roots::Roots;
use crate::secret::Secret;

mod fetch;
mod model_dir;
mod name;

pub use model_dir::{ModelDir, Shelved};
pub use name::HubName;

use fetch::{Fetch, HubFile};
use model_dir::{Label, LabelFile};

/// Where the hub is, unless something else is said.
pub const ENDPOINT: &str = "https://huggingface.co";
/// What is fetched unless a revision is named.
pub const REVISION: &str = "main";
/// Largest model that is fetched unless more is allowed: most encoders of sentences are a tenth of
/// it.
pub const MODEL_BYTES_MAX: u64 = 1_000_000_000;
/// The files that are fetched, as far as a model has them; nothing else is.
const FILES: [&str; 9] = [
    "config.json",
    "model.safetensors",
    "vocab.txt",
    "tokenizer.json",
    "tokenizer_config.json",
    "modules.json",
    "1_Pooling/config.json",
    "config_sentence_transformers.json",
    "sentence_bert_config.json",
];
/// Longest list of a model's files.
const LIST_BYTES_MAX: u64 = 16 << 20;
/// How long the list may take.
const LIST_S_MAX: u64 = 30;
/// Digits of a commit.
const COMMIT_CHARS: usize = 40;
/// Longest name of a branch or tag.
const REVISION_CHARS_MAX: usize = 128;

/// Why a model could not be fetched, or found.
#[derive(Debug, thiserror::Error)]
pub enum HubError {
    /// Not the name of a model.
    #[error("{text:?} is no name of a model; one is like sentence-transformers/all-MiniLM-L6-v2")]
    Name {
        /// What was given.
        text: String,
    },
    /// The address of the hub is none.
    #[error("the hub's address cannot be used: {detail}")]
    Endpoint {
        /// What is wrong with it.
        detail: &'static str,
    },
    /// Nobody answers, or not to the end.
    #[error(
        "{address} does not answer: {detail}. What has come is kept. Without a network the built-in model works, which needs nothing, and so does a model that was copied here: `local:FOLDER`"
    )]
    Unreachable {
        /// Who was asked.
        address: String,
        /// What went wrong.
        detail: String,
    },
    /// It is not there, or not for everyone.
    #[error(
        "the hub does not give out {what} (HTTP {status}): there is no such model or revision, or it wants a token: set HF_TOKEN"
    )]
    Refused {
        /// What was asked for.
        what: String,
        /// The answer.
        status: u16,
    },
    /// It fails.
    #[error("the hub failed (HTTP {status}); try again later")]
    Failed {
        /// The answer.
        status: u16,
    },
    /// It is no model of the kind that we can run.
    #[error(
        "{name} cannot be used: it has no {missing}. Sentence encoders of the BERT family in safetensors can"
    )]
    NoEncoder {
        /// The model.
        name: String,
        /// What it has not.
        missing: &'static str,
    },
    /// It is larger than allowed.
    #[error(
        "{name} has {bytes} bytes, more than the {bytes_max} that are allowed; allow it with --max-size, if that is what you want"
    )]
    TooLarge {
        /// The model.
        name: String,
        /// What it has.
        bytes: u64,
        /// What is allowed.
        bytes_max: u64,
    },
    /// More came than was announced.
    #[error("more came than the {bytes_max} bytes that were announced or allowed")]
    TooLong {
        /// What was expected at most.
        bytes_max: u64,
    },
    /// A file is not what the hub says it is.
    #[error(
        "{file} came with other content than the hub announces, and was thrown away; try again"
    )]
    WrongContent {
        /// The file.
        file: &'static str,
    },
    /// The answer is not what the interface says.
    #[error("the hub gave an answer that cannot be read: {detail}")]
    Unreadable {
        /// What is wrong with it.
        detail: String,
    },
    /// Another process fetches it.
    #[error("{name} is being fetched by another process")]
    Busy {
        /// The model.
        name: String,
    },
    /// It was not fetched.
    #[error("{name} is not here")]
    NotHere {
        /// The model.
        name: String,
    },
    /// A file of ours.
    #[error("cannot use {}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
}

impl HubError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Name { .. } => "model_name",
            Self::Endpoint { .. } => "hub_endpoint",
            Self::Unreachable { .. } => "hub_unreachable",
            Self::Refused { .. } => "hub_refused",
            Self::Failed { .. } => "hub_failed",
            Self::NoEncoder { .. } => "model_unusable",
            Self::TooLarge { .. } => "model_too_large",
            Self::TooLong { .. } | Self::WrongContent { .. } => "hub_wrong_content",
            Self::Unreadable { .. } => "hub_unreadable",
            Self::Busy { .. } => "model_busy",
            Self::NotHere { .. } => "model_not_here",
            Self::File { .. } => "file",
        }
    }
}

/// What to fetch.
#[derive(Clone, Debug)]
pub struct Wish {
    /// The model.
    pub name: HubName,
    /// A branch, a tag or a commit.
    pub revision: String,
    /// Largest size of all files together.
    pub bytes_max: u64,
}

/// How far a fetch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The file that comes.
    pub file: &'static str,
    /// Bytes of all files that are here.
    pub bytes: u64,
    /// Bytes of all files, as far as they are known.
    pub bytes_total: u64,
}

/// What came of a wish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pulled {
    /// The model.
    pub shelved: Shelved,
    /// False if exactly this was on the model_dir already.
    pub is_new: bool,
}

/// The hub.
pub struct Hub {
    base: Base,
    authorization: Option<String>,
    roots: Option<Roots>,
}

impl Hub {
    /// The hub at an address, with the token of an account if there is one, and with other roots
    /// than those that are compiled in if there are any.
    pub fn at(
        endpoint: &str,
        token: Option<&Secret>,
        roots: Option<Roots>,
    ) -> Result<Self, HubError> {
        let base = Base::parse(endpoint).map_err(|detail| HubError::Endpoint { detail })?;
        if token.is_some() && base.is_open() {
            return Err(HubError::Endpoint {
                detail: "a token is sent over https only, or to this machine",
            });
        }
        Ok(Self {
            base,
            authorization: token.map(|token| format!("Bearer {}", token.reveal())),
            roots,
        })
    }

    /// Fetches a model, unless it is on the model_dir already.
    pub fn pull(
        &self,
        wish: &Wish,
        model_dir: &ModelDir,
        mut report: impl FnMut(Progress),
    ) -> Result<Pulled, HubError> {
        let (commit, files) = self.list(wish)?;
        if let Some(shelved) =
            model_dir.find(&wish.name).filter(|shelved| shelved.revision.as_ref() == Some(&commit))
        {
            return Ok(Pulled { shelved, is_new: false });
        }
        let bytes_total = files.iter().filter_map(|file| file.bytes).fold(0, u64::saturating_add);
        if bytes_total > wish.bytes_max {
            let name = wish.name.to_string();
            return Err(HubError::TooLarge { name, bytes: bytes_total, bytes_max: wish.bytes_max });
        }
        let _lock = model_dir.lock(&wish.name)?;
        let folder = model_dir.fetching(&wish.name, &commit)?;
        let client = Client::for_downloads(&self.base, self.roots.as_ref());
        let address = self.base.at(&format!("{}/resolve/{commit}", wish.name));
        let headers = self.headers();
        let fetch = Fetch { client: &client, headers: &headers, address, folder: &folder };
        let mut before = 0_u64;
        let mut label = Label { name: wish.name.to_string(), revision: commit, files: Vec::new() };
        for file in &files {
            let rest_max = wish.bytes_max.saturating_sub(before);
            let progress = |bytes| {
                report(Progress {
                    file: file.path,
                    bytes: before.saturating_add(bytes),
                    bytes_total,
                })
            };
            let (bytes, sha256) = fetch.fetch(file, rest_max, progress)?;
            before = before.saturating_add(bytes);
            label.files.push(LabelFile { path: file.path.to_owned(), bytes, sha256 });
        }
        Ok(Pulled { shelved: model_dir.put(&wish.name, &folder, &label)?, is_new: true })
    }

    fn headers(&self) -> Vec<(&str, &str)> {
        self.authorization.iter().map(|value| ("authorization", value.as_str())).collect()
    }

    /// The commit behind the revision, and the files there that we want.
    fn list(&self, wish: &Wish) -> Result<(String, Vec<HubFile>), HubError> {
        let Wish { name, revision, .. } = wish;
        let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if !(1..=REVISION_CHARS_MAX).contains(&revision.len())
            || !revision.chars().all(fits)
            || revision.contains("..")
        {
            return Err(HubError::Refused {
                what: format!("the revision {revision:?} of {name}"),
                status: 400,
            });
        }
        let address = self.base.at(&format!("api/models/{name}/revision/{revision}?blobs=true"));
        // A renamed model is answered with a redirect to its new name, so questions are followed as
        // downloads are.
        let client =
            Client::for_lists(&self.base, self.roots.as_ref(), Duration::from_secs(LIST_S_MAX));
        let answer = client.get(&address, &self.headers(), LIST_BYTES_MAX);
        let answer = answer.map_err(|error| no_answer(self.base.as_str(), error))?;
        if answer.status != 200 {
            return Err(refusal(answer.status, &name.to_string()));
        }
        let list: Value = serde_json::from_slice(&answer.body).map_err(|_| {
            HubError::Unreadable { detail: "the list of files is no JSON".to_owned() }
        })?;
        let commit = list["sha"].as_str().filter(|commit| is_commit(commit)).map(str::to_owned);
        let commit = commit.ok_or_else(|| HubError::Unreadable {
            detail: "the list names no commit".to_owned(),
        })?;
        let siblings = list["siblings"].as_array().map(Vec::as_slice).unwrap_or_default();
        let files: Vec<HubFile> =
            FILES.iter().filter_map(|path| hub_file(path, siblings)).collect();
        let has = |path: &str| files.iter().any(|file| file.path == path);
        for missing in ["config.json", "model.safetensors"] {
            if !has(missing) {
                return Err(HubError::NoEncoder { name: name.to_string(), missing });
            }
        }
        if !has("vocab.txt") && !has("tokenizer.json") {
            return Err(HubError::NoEncoder {
                name: name.to_string(),
                missing: "vocab.txt or tokenizer.json",
            });
        }
        Ok((commit, files))
    }
}

/// A file that we want, as the list has it.
fn hub_file(path: &'static str, siblings: &[Value]) -> Option<HubFile> {
    let sibling = siblings.iter().find(|sibling| sibling["rfilename"] == path)?;
    let large = &sibling["lfs"];
    let sha256 = large["sha256"]
        .as_str()
        .or_else(|| large["oid"].as_str())
        .map(|digest| digest.trim_start_matches("sha256:"));
    Some(HubFile {
        path,
        bytes: large["size"].as_u64().or_else(|| sibling["size"].as_u64()),
        sha256: sha256.map(str::to_owned),
    })
}

fn is_commit(text: &str) -> bool {
    text.len() == COMMIT_CHARS && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn refusal(status: u16, what: &str) -> HubError {
    match status {
        429 | 500..=599 => HubError::Failed { status },
        400..=499 => HubError::Refused { what: what.to_owned(), status },
        _ => HubError::Unreadable { detail: format!("HTTP {status}") },
    }
}

fn no_answer(address: &str, error: HttpError) -> HubError {
    match error {
        HttpError::Unreachable(_) | HttpError::TimedOut(_) => {
            HubError::Unreachable { address: address.to_owned(), detail: error.to_string() }
        }
        HttpError::NotHttp(_) | HttpError::TooLong(_) => {
            HubError::Unreadable { detail: error.to_string() }
        }
    }
}
