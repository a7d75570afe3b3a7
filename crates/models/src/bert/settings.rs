//! A model's settings, read and checked before its weights.
//!
//! The files are those of sentence-transformers. Unsupported features, such as max pooling or an
//! additional dense layer, are refused with their name: vectors that are almost right find almost
//! nothing.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use serde::Deserialize;

use super::folder::Folder;
use super::forward::Activation;
use crate::EmbedError;

/// Largest accepted values in `config.json`.
const WIDTH_MAX: usize = 8_192;
const INNER_WIDTH_MAX: usize = 65_536;
const LAYERS_MAX: usize = 96;
const POSITIONS_MAX: usize = 65_536;
/// Longest prompt, in bytes.
const PROMPT_BYTES_MAX: usize = 2_000;

/// How token vectors are combined into one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pooling {
    /// The mean of all tokens.
    Mean,
    /// The first token, `[CLS]`.
    First,
}

/// A model's shape and processing options.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Settings {
    pub(super) width: usize,
    pub(super) inner_width: usize,
    pub(super) layers: usize,
    pub(super) heads: usize,
    pub(super) positions: usize,
    pub(super) epsilon: f32,
    pub(super) activation: Activation,
    pub(super) pooling: Pooling,
    pub(super) is_normalised: bool,
    /// Most tokens in a text, including `[CLS]` and `[SEP]`.
    pub(super) tokens_max: usize,
    /// The prompt before questions.
    pub(super) question_prompt: String,
    /// What is put before what is searched.
    pub(super) memory_prompt: String,
}

#[derive(Deserialize)]
struct Config {
    #[serde(default)]
    model_type: String,
    hidden_size: usize,
    intermediate_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    max_position_embeddings: usize,
    #[serde(default = "default_epsilon")]
    layer_norm_eps: f32,
    #[serde(default = "default_activation")]
    hidden_act: String,
    #[serde(default)]
    position_embedding_type: Option<String>,
}

fn default_epsilon() -> f32 {
    1e-12
}

fn default_activation() -> String {
    "gelu".to_owned()
}

#[derive(Deserialize)]
struct Module {
    path: String,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct PoolingFile {
    #[serde(default)]
    pooling_mode_cls_token: bool,
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
    #[serde(default)]
    pooling_mode_max_tokens: bool,
    #[serde(default)]
    pooling_mode_mean_sqrt_len_tokens: bool,
    #[serde(default)]
    pooling_mode_weightedmean_tokens: bool,
    #[serde(default)]
    pooling_mode_lasttoken: bool,
    #[serde(default = "default_true")]
    include_prompt: bool,
}

fn default_true() -> bool {
    true
}

#[derive(Default, Deserialize)]
struct Lengths {
    max_seq_length: Option<usize>,
}

#[derive(Default, Deserialize)]
struct Prompts {
    #[serde(default)]
    prompts: BTreeMap<String, Option<String>>,
    #[serde(default)]
    default_prompt_name: Option<String>,
}

impl Settings {
    /// Reads the settings files.
    pub(super) fn read(folder: &Folder) -> Result<Self, EmbedError> {
        let missing = "config.json is missing; the folder of a model must have the layout of the Hugging Face hub";
        let config: Config = folder.json("config.json")?.ok_or_else(|| folder.unusable(missing))?;
        let activation = config.check(folder)?;
        let (pooling, is_normalised) = modules(folder)?;
        let lengths: Lengths = folder.json("sentence_bert_config.json")?.unwrap_or_default();
        let positions = config.max_position_embeddings;
        let tokens_max = lengths.max_seq_length.unwrap_or(positions).min(positions);
        // Two tokens are special: the first and the last.
        if tokens_max < 3 {
            return Err(folder.unusable(format!(
                "max_seq_length is {tokens_max}, which leaves no room for text"
            )));
        }
        let (question_prompt, memory_prompt) = prompts(folder)?;
        Ok(Self {
            width: config.hidden_size,
            inner_width: config.intermediate_size,
            layers: config.num_hidden_layers,
            heads: config.num_attention_heads,
            positions,
            epsilon: config.layer_norm_eps,
            activation,
            pooling,
            is_normalised,
            tokens_max,
            question_prompt,
            memory_prompt,
        })
    }
}

impl Config {
    fn check(&self, folder: &Folder) -> Result<Activation, EmbedError> {
        let refuse = |detail: String| Err(folder.unusable(format!("config.json: {detail}")));
        if self.model_type != "bert" {
            let advice = "use a sentence model of the BERT family, such as all-MiniLM-L6-v2";
            return refuse(format!("model_type is {:?}, not \"bert\"; {advice}", self.model_type));
        }
        let limits = [
            ("hidden_size", self.hidden_size, WIDTH_MAX),
            ("intermediate_size", self.intermediate_size, INNER_WIDTH_MAX),
            ("num_hidden_layers", self.num_hidden_layers, LAYERS_MAX),
            ("num_attention_heads", self.num_attention_heads, self.hidden_size),
            ("max_position_embeddings", self.max_position_embeddings, POSITIONS_MAX),
        ];
        for (name, value, value_max) in limits {
            if value == 0 || value > value_max {
                return refuse(format!("{name} is {value}, not within 1 and {value_max}"));
            }
        }
        if !self.hidden_size.is_multiple_of(self.num_attention_heads) {
            let (width, heads) = (self.hidden_size, self.num_attention_heads);
            return refuse(format!(
                "hidden_size {width} is not a multiple of num_attention_heads {heads}"
            ));
        }
        if !(self.layer_norm_eps >= 0.0 && self.layer_norm_eps < 1.0) {
            return refuse(format!("layer_norm_eps is {}", self.layer_norm_eps));
        }
        if let Some(kind) =
            self.position_embedding_type.as_deref().filter(|kind| *kind != "absolute")
        {
            return refuse(format!(
                "positions of the kind {kind:?} are not supported, only \"absolute\""
            ));
        }
        match self.hidden_act.as_str() {
            "gelu" => Ok(Activation::Gelu),
            "gelu_new" | "gelu_pytorch_tanh" => Ok(Activation::GeluTanh),
            "relu" => Ok(Activation::Relu),
            other => refuse(format!(
                "hidden_act {other:?} is not supported, only gelu, gelu_new and relu"
            )),
        }
    }
}

/// How tokens are pooled, and whether the result is scaled to length one. The default is mean
/// pooling, as in sentence-transformers.
fn modules(folder: &Folder) -> Result<(Pooling, bool), EmbedError> {
    let Some(modules) = folder.json::<Vec<Module>>("modules.json")? else {
        return Ok((pooling(folder, "1_Pooling")?, false));
    };
    let mut pooled = Pooling::Mean;
    let mut is_normalised = false;
    for module in modules {
        match module.kind.rsplit('.').next() {
            Some("Transformer") => {}
            Some("Pooling") => pooled = pooling(folder, &module.path)?,
            Some("Normalize") => is_normalised = true,
            _ => {
                let kind = module.kind;
                return Err(folder
                    .unusable(format!("modules.json requires {kind}, which is not supported")));
            }
        }
    }
    Ok((pooled, is_normalised))
}

fn pooling(folder: &Folder, path: &str) -> Result<Pooling, EmbedError> {
    if !Path::new(path).components().all(|component| matches!(component, Component::Normal(_))) {
        return Err(
            folder.unusable(format!("modules.json names the path {path:?} outside the folder"))
        );
    }
    let name =
        if path.is_empty() { "config.json".to_owned() } else { format!("{path}/config.json") };
    let Some(file) = folder.json::<PoolingFile>(&name)? else { return Ok(Pooling::Mean) };
    let is_other = file.pooling_mode_max_tokens
        || file.pooling_mode_mean_sqrt_len_tokens
        || file.pooling_mode_weightedmean_tokens
        || file.pooling_mode_lasttoken
        || !file.include_prompt;
    match (file.pooling_mode_mean_tokens, file.pooling_mode_cls_token) {
        (true, false) if !is_other => Ok(Pooling::Mean),
        (false, true) if !is_other => Ok(Pooling::First),
        _ => Err(folder.unusable(format!(
            "{name} requires a pooling other than the mean or the first token's"
        ))),
    }
}

/// The prompts before questions and before searched texts.
fn prompts(folder: &Folder) -> Result<(String, String), EmbedError> {
    let Prompts { prompts, default_prompt_name } =
        folder.json("config_sentence_transformers.json")?.unwrap_or_default();
    let prompt = |names: &[&str]| {
        let default = default_prompt_name.as_deref();
        let mut names = names.iter().copied().chain(default);
        names.find_map(|name| prompts.get(name)?.clone())
    };
    let question = prompt(&["query", "question"]);
    let memory = prompt(&["document", "passage", "corpus"]);
    let (question, memory) = match (question, memory) {
        (None, None) => known_prompts(&folder.name()),
        (question, memory) => (question.unwrap_or_default(), memory.unwrap_or_default()),
    };
    if question.len().max(memory.len()) > PROMPT_BYTES_MAX {
        let advice = format!(
            "config_sentence_transformers.json has a prompt of more than {PROMPT_BYTES_MAX} bytes"
        );
        return Err(folder.unusable(advice));
    }
    Ok((question, memory))
}

/// The prompts of model families that state them only in their description.
fn known_prompts(name: &str) -> (String, String) {
    let name = name.to_ascii_lowercase();
    let (question, memory) = if name.starts_with("e5-") {
        ("query: ", "passage: ")
    } else if name.starts_with("bge-") && name.contains("-en") {
        ("Represent this sentence for searching relevant passages: ", "")
    } else {
        ("", "")
    };
    (question.to_owned(), memory.to_owned())
}
