//! What a model's folder says about it, read and judged before any weight is.
//!
//! The files are those that sentence-transformers writes. What they ask for that we do not do, such
//! as a pooling by maxima or a dense layer behind it, is refused by name: vectors that are almost
//! right find almost nothing.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use serde::Deserialize;

use super::folder::Folder;
use super::forward::Activation;
use crate::EmbedError;

/// Largest values of `config.json` that are believed.
const WIDTH_MAX: usize = 8_192;
const INNER_WIDTH_MAX: usize = 65_536;
const LAYERS_MAX: usize = 96;
const POSITIONS_MAX: usize = 65_536;
/// Longest prompt, in bytes.
const PROMPT_BYTES_MAX: usize = 2_000;

/// How tokens become one vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pooling {
    /// Their mean.
    Mean,
    /// The first one's, that of `[CLS]`.
    First,
}

/// A model's shape and habits.
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
    /// Most tokens of a text, `[CLS]` and `[SEP]` among them.
    pub(super) tokens_max: usize,
    /// What is put before questions.
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
    #[serde(default = "epsilon")]
    layer_norm_eps: f32,
    #[serde(default = "activation")]
    hidden_act: String,
    #[serde(default)]
    position_embedding_type: Option<String>,
}

fn epsilon() -> f32 {
    1e-12
}

fn activation() -> String {
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
    #[serde(default = "yes")]
    include_prompt: bool,
}

fn yes() -> bool {
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
    /// What the files say.
    pub(super) fn read(folder: &Folder) -> Result<Self, EmbedError> {
        let missing = "there is no config.json; name the folder of a model in the layout of the Hugging Face hub";
        let config: Config = folder.json("config.json")?.ok_or_else(|| folder.unusable(missing))?;
        let activation = config.check(folder)?;
        let (pooling, is_normalised) = modules(folder)?;
        let lengths: Lengths = folder.json("sentence_bert_config.json")?.unwrap_or_default();
        let positions = config.max_position_embeddings;
        let tokens_max = lengths.max_seq_length.unwrap_or(positions).min(positions);
        // Two are taken by what stands before and behind every text.
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
        let believed = [
            ("hidden_size", self.hidden_size, WIDTH_MAX),
            ("intermediate_size", self.intermediate_size, INNER_WIDTH_MAX),
            ("num_hidden_layers", self.num_hidden_layers, LAYERS_MAX),
            ("num_attention_heads", self.num_attention_heads, self.hidden_size),
            ("max_position_embeddings", self.max_position_embeddings, POSITIONS_MAX),
        ];
        for (name, value, value_max) in believed {
            if value == 0 || value > value_max {
                return refuse(format!("{name} is {value}, not within 1 and {value_max}"));
            }
        }
        if !self.hidden_size.is_multiple_of(self.num_attention_heads) {
            let (width, heads) = (self.hidden_size, self.num_attention_heads);
            return refuse(format!(
                "hidden_size {width} is no multiple of num_attention_heads {heads}"
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

/// How tokens are pooled, and whether the result is scaled to length one. What says nothing is
/// pooled by its mean, as sentence-transformers does.
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
                    .unusable(format!("modules.json asks for {kind}, which is not supported")));
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
            "{name} asks for another pooling than the mean or the first token's"
        ))),
    }
}

/// What is put before questions and before what is searched.
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

/// Families that were trained with prompts and name them only in the text that describes them.
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
