//! Downloading models from the Hugging Face hub.
//!
//! [`Hub::pull`] resolves a revision to a commit, lists its files, downloads the few that make up a
//! sentence encoder (data, never code), and moves them into a [`ModelDir`] once all are complete
//! and their digests match. An interrupted download resumes where it stopped. Two calls of the
//! hub's API are used: `GET /api/models/{name}/revision/{revision}?blobs=true` and `GET
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

pub use model_dir::{ModelDir, StoredModel};
pub use name::HubName;

use fetch::{Fetch, HubFile};
use model_dir::{Manifest, ManifestFile};

/// The default address of the hub.
pub const ENDPOINT: &str = "https://huggingface.co";
/// The default revision.
pub const REVISION: &str = "main";
/// Default size limit of a model: most sentence encoders are a tenth of it.
pub const MODEL_BYTES_MAX: u64 = 1_000_000_000;
/// The only files that are downloaded, if the model has them.
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
/// Timeout of the list.
const LIST_S_MAX: u64 = 30;
/// Digits of a commit.
const COMMIT_CHARS: usize = 40;
/// Longest name of a branch or tag.
const REVISION_CHARS_MAX: usize = 128;

/// Why a model could not be downloaded or found.
#[derive(Debug, thiserror::Error)]
pub enum HubError {
    /// The text is not the name of a model.
    #[error(
        "{text:?} is not the name of a model; an example is sentence-transformers/all-MiniLM-L6-v2"
    )]
    Name {
        /// The text.
        text: String,
    },
    /// The hub's address is invalid.
    #[error("the hub's address is invalid: {detail}")]
    Endpoint {
        /// The problem.
        detail: &'static str,
    },
    /// No server answers, or the connection was lost.
    #[error(
        "{address} does not answer: {detail}. The part that was downloaded is kept. Without a network, use the built-in model, or copy a model to this machine and use local:FOLDER"
    )]
    Unreachable {
        /// The server's address.
        address: String,
        /// The reason.
        detail: String,
    },
    /// The model does not exist, or is not public.
    #[error(
        "the hub refuses {what} (HTTP {status}): the model or revision does not exist, or it requires a token in HF_TOKEN"
    )]
    Refused {
        /// The resource that was requested.
        what: String,
        /// The HTTP status.
        status: u16,
    },
    /// The hub failed.
    #[error("the hub failed (HTTP {status}); try again later")]
    Failed {
        /// The HTTP status.
        status: u16,
    },
    /// It is not a model of the supported kind.
    #[error(
        "{name} cannot be used: it has no {missing}. Use a sentence encoder of the BERT family in safetensors format"
    )]
    NoEncoder {
        /// The model.
        name: String,
        /// The missing file.
        missing: &'static str,
    },
    /// It is larger than allowed.
    #[error("{name} has {bytes} bytes, more than the limit of {bytes_max}")]
    TooLarge {
        /// The model.
        name: String,
        /// Its size.
        bytes: u64,
        /// The limit.
        bytes_max: u64,
    },
    /// The server sent more than it announced.
    #[error("the server sent more than the {bytes_max} bytes that were announced or allowed")]
    TooLong {
        /// The limit.
        bytes_max: u64,
    },
    /// A file's size or digest is not the one that the hub announces.
    #[error("the content of {file} is not what the hub announces, and was deleted; try again")]
    WrongContent {
        /// The file.
        file: &'static str,
    },
    /// The response violates the API.
    #[error("the hub sent an invalid response: {detail}")]
    Unreadable {
        /// The problem.
        detail: String,
    },
    /// Another process is downloading it.
    #[error("another process is downloading {name}")]
    Busy {
        /// The model.
        name: String,
    },
    /// It is not downloaded.
    #[error("{name} is not downloaded")]
    NotHere {
        /// The model.
        name: String,
    },
    /// A local file cannot be read or written.
    #[error("cannot read or write {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
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

/// A request to download a model.
#[derive(Clone, Debug)]
pub struct PullRequest {
    /// The model.
    pub name: HubName,
    /// A branch, a tag or a commit.
    pub revision: String,
    /// Limit on the total size of its files.
    pub bytes_max: u64,
}

/// Progress of a download.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The file that is being downloaded.
    pub file: &'static str,
    /// Bytes of all files that are downloaded.
    pub bytes: u64,
    /// Bytes of all files, as far as known.
    pub bytes_total: u64,
}

/// The result of a [`PullRequest`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullResult {
    /// The model.
    pub model: StoredModel,
    /// False if this revision was already in the model directory.
    pub is_new: bool,
}

/// The hub.
pub struct Hub {
    base: Base,
    authorization: Option<String>,
    roots: Option<Roots>,
}

impl Hub {
    /// The hub at an address, with an optional account token, and optional roots that replace the
    /// compiled-in ones.
    pub fn at(
        endpoint: &str,
        token: Option<&Secret>,
        roots: Option<Roots>,
    ) -> Result<Self, HubError> {
        let base = Base::parse(endpoint).map_err(|detail| HubError::Endpoint { detail })?;
        if token.is_some() && base.is_unencrypted() {
            return Err(HubError::Endpoint {
                detail: "a token is only sent over https, or to this machine",
            });
        }
        Ok(Self {
            base,
            authorization: token.map(|token| format!("Bearer {}", token.reveal())),
            roots,
        })
    }

    /// Downloads a model, unless it is already in the model directory.
    pub fn pull(
        &self,
        request: &PullRequest,
        model_dir: &ModelDir,
        mut report: impl FnMut(Progress),
    ) -> Result<PullResult, HubError> {
        let (commit, files) = self.list(request)?;
        if let Some(model) =
            model_dir.find(&request.name).filter(|model| model.revision.as_ref() == Some(&commit))
        {
            return Ok(PullResult { model, is_new: false });
        }
        let bytes_total = files.iter().filter_map(|file| file.bytes).fold(0, u64::saturating_add);
        if bytes_total > request.bytes_max {
            let name = request.name.to_string();
            return Err(HubError::TooLarge {
                name,
                bytes: bytes_total,
                bytes_max: request.bytes_max,
            });
        }
        let _lock = model_dir.lock(&request.name)?;
        let folder = model_dir.fetching(&request.name, &commit)?;
        let client = Client::for_downloads(&self.base, self.roots.as_ref());
        let address = self.base.at(&format!("{}/resolve/{commit}", request.name));
        let headers = self.headers();
        let fetch = Fetch { client: &client, headers: &headers, address, folder: &folder };
        let mut before = 0_u64;
        let mut manifest =
            Manifest { name: request.name.to_string(), revision: commit, files: Vec::new() };
        for file in &files {
            let rest_max = request.bytes_max.saturating_sub(before);
            let progress = |bytes| {
                report(Progress {
                    file: file.path,
                    bytes: before.saturating_add(bytes),
                    bytes_total,
                })
            };
            let (bytes, sha256) = fetch.fetch(file, rest_max, progress)?;
            before = before.saturating_add(bytes);
            manifest.files.push(ManifestFile { path: file.path.to_owned(), bytes, sha256 });
        }
        Ok(PullResult { model: model_dir.put(&request.name, &folder, &manifest)?, is_new: true })
    }

    fn headers(&self) -> Vec<(&str, &str)> {
        self.authorization.iter().map(|value| ("authorization", value.as_str())).collect()
    }

    /// The commit of the revision, and its files that are in [`FILES`].
    fn list(&self, request: &PullRequest) -> Result<(String, Vec<HubFile>), HubError> {
        let PullRequest { name, revision, .. } = request;
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
        // The hub redirects a renamed model to its new name, so redirects are followed here too.
        let client =
            Client::for_lists(&self.base, self.roots.as_ref(), Duration::from_secs(LIST_S_MAX));
        let answer = client.get(&address, &self.headers(), LIST_BYTES_MAX);
        let answer = answer.map_err(|error| request_error(self.base.as_str(), error))?;
        if answer.status != 200 {
            return Err(refusal(answer.status, &name.to_string()));
        }
        let list: Value = serde_json::from_slice(&answer.body).map_err(|_| {
            HubError::Unreadable { detail: "the list of files is not JSON".to_owned() }
        })?;
        let commit = list["sha"].as_str().filter(|commit| is_commit(commit)).map(str::to_owned);
        let commit = commit
            .ok_or_else(|| HubError::Unreadable { detail: "the list has no commit".to_owned() })?;
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

/// The entry of a file in the list.
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

fn request_error(address: &str, error: HttpError) -> HubError {
    match error {
        HttpError::Unreachable(_) | HttpError::TimedOut(_) => {
            HubError::Unreachable { address: address.to_owned(), detail: error.to_string() }
        }
        HttpError::NotHttp(_) | HttpError::TooLong(_) => {
            HubError::Unreadable { detail: error.to_string() }
        }
    }
}
