//! Tests of a tiny seeded model against plain loops in double precision that share no code with the
//! network; of inconsistent folders; and of the real all-MiniLM-L6-v2 if `BECAUSE_TEST_MODEL` names
//! its folder.

use std::collections::BTreeMap;
use std::path::Path;

use safetensors::tensor::{Dtype, TensorView};
use serde_json::{Value, json};

use super::*;

const WIDTH: usize = 8;
const INNER: usize = 12;
const LAYERS: usize = 2;
const HEADS: usize = 2;
const POSITIONS: usize = 16;
const VOCABULARY: [&str; 12] =
    ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "dog", "cat", "run", "##ning", "the", "##s", "query", ":"];

/// Tensors by name: shape and numbers.
type Tensors = BTreeMap<String, (Vec<usize>, Vec<f32>)>;

fn tensors() -> Tensors {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut number = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 24) as f32 - 0.5
    };
    let mut shapes = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![VOCABULARY.len(), WIDTH]),
        ("embeddings.position_embeddings.weight".to_owned(), vec![POSITIONS, WIDTH]),
        ("embeddings.token_type_embeddings.weight".to_owned(), vec![2, WIDTH]),
    ];
    let mut norms = vec!["embeddings".to_owned()];
    for layer in (0..LAYERS).map(|layer| format!("encoder.layer.{layer}")) {
        let dense = [
            ("attention.self.query", WIDTH, WIDTH),
            ("attention.self.key", WIDTH, WIDTH),
            ("attention.self.value", WIDTH, WIDTH),
            ("attention.output.dense", WIDTH, WIDTH),
            ("intermediate.dense", INNER, WIDTH),
            ("output.dense", WIDTH, INNER),
        ];
        for (name, outputs, inputs) in dense {
            shapes.push((format!("{layer}.{name}.weight"), vec![outputs, inputs]));
            shapes.push((format!("{layer}.{name}.bias"), vec![outputs]));
        }
        norms.extend([format!("{layer}.attention.output"), format!("{layer}.output")]);
    }
    for norm in norms {
        shapes.push((format!("{norm}.LayerNorm.weight"), vec![WIDTH]));
        shapes.push((format!("{norm}.LayerNorm.bias"), vec![WIDTH]));
    }
    let fill = |(name, shape): (String, Vec<usize>)| {
        let numbers = (0..shape.iter().product()).map(|_| 3.0 * number()).collect();
        (name, (shape, numbers))
    };
    shapes.into_iter().map(fill).collect()
}

fn weights(tensors: &Tensors, prefix: &str) -> Vec<u8> {
    let bytes: Vec<(String, &[usize], Vec<u8>)> = tensors
        .iter()
        .map(|(name, (shape, numbers))| {
            let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            (format!("{prefix}{name}"), shape.as_slice(), bytes)
        })
        .collect();
    let views = bytes.iter().map(|(name, shape, bytes)| {
        (name.as_str(), TensorView::new(Dtype::F32, shape.to_vec(), bytes).unwrap())
    });
    safetensors::serialize(views, None).unwrap()
}

fn config() -> Value {
    json!({
        "model_type": "bert", "hidden_size": WIDTH, "intermediate_size": INNER, "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS, "max_position_embeddings": POSITIONS, "hidden_act": "gelu",
        "layer_norm_eps": 1e-12, "vocab_size": VOCABULARY.len(),
    })
}

/// A folder with the tiny model.
struct Place {
    _parent: tempfile::TempDir,
    path: std::path::PathBuf,
}

impl Place {
    fn new() -> Self {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("tiny");
        std::fs::create_dir(&path).unwrap();
        let place = Self { _parent: parent, path };
        place.put("config.json", config().to_string());
        place.put("model.safetensors", weights(&tensors(), ""));
        place.put("vocab.txt", VOCABULARY.join("\n"));
        place
    }

    fn put(&self, file: &str, content: impl AsRef<[u8]>) {
        let path = self.path.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    fn remove(&self, file: &str) {
        std::fs::remove_file(self.path.join(file)).unwrap();
    }

    fn open(&self) -> Result<Bert, EmbedError> {
        Bert::open(&self.path, NonZeroUsize::MIN)
    }

    /// Checks that opening fails with an error that contains `expect`.
    fn check_unusable(&self, expect: &str) {
        match self.open() {
            Err(error @ EmbedError::Unusable { .. }) => {
                assert!(error.to_string().contains(expect), "{error} does not contain {expect:?}");
            }
            other => panic!("instead of an error about {expect:?}: {other:?}"),
        }
    }
}

/// A straightforward implementation of the forward pass.
fn reference(tensors: &Tensors, tokens: &[u16]) -> Vec<Vec<f64>> {
    let get = |name: &str, place: usize| f64::from(tensors[name].1[place]);
    let dense = |name: &str, input: &[f64]| -> Vec<f64> {
        let outputs = tensors[&format!("{name}.bias")].0[0];
        let output = |row: usize| -> f64 {
            let products = input.iter().enumerate();
            let products = products
                .map(|(column, x)| x * get(&format!("{name}.weight"), row * input.len() + column));
            get(&format!("{name}.bias"), row) + products.sum::<f64>()
        };
        (0..outputs).map(output).collect()
    };
    let norm = |name: &str, row: &[f64]| -> Vec<f64> {
        let mean = row.iter().sum::<f64>() / WIDTH as f64;
        let deviation =
            (row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / WIDTH as f64 + 1e-12).sqrt();
        let value = |(place, x): (usize, &f64)| {
            (x - mean) / deviation * get(&format!("{name}.LayerNorm.weight"), place)
                + get(&format!("{name}.LayerNorm.bias"), place)
        };
        row.iter().enumerate().map(value).collect()
    };
    let plus = |left: &[f64], right: &[f64]| -> Vec<f64> {
        left.iter().zip(right).map(|(a, b)| a + b).collect()
    };
    let begin = |(place, token): (usize, &u16)| {
        let value = |column| {
            get("embeddings.word_embeddings.weight", usize::from(*token) * WIDTH + column)
                + get("embeddings.position_embeddings.weight", place * WIDTH + column)
                + get("embeddings.token_type_embeddings.weight", column)
        };
        norm("embeddings", &(0..WIDTH).map(value).collect::<Vec<f64>>())
    };
    let mut hidden: Vec<Vec<f64>> = tokens.iter().enumerate().map(begin).collect();
    for layer in (0..LAYERS).map(|layer| format!("encoder.layer.{layer}")) {
        let part = |name: &str| -> Vec<Vec<f64>> {
            hidden.iter().map(|row| dense(&format!("{layer}.attention.self.{name}"), row)).collect()
        };
        let (query, key, value) = (part("query"), part("key"), part("value"));
        let each = WIDTH / HEADS;
        let context = |token: usize| -> Vec<f64> {
            let mut context = vec![0.0; WIDTH];
            for head in 0..HEADS {
                let columns = head * each..(head + 1) * each;
                let score = |other: &Vec<f64>| -> f64 {
                    columns.clone().map(|column| query[token][column] * other[column]).sum::<f64>()
                        / (each as f64).sqrt()
                };
                let scores: Vec<f64> = key.iter().map(|other| score(other).exp()).collect();
                let total: f64 = scores.iter().sum();
                for column in columns.clone() {
                    context[column] = scores
                        .iter()
                        .zip(&value)
                        .map(|(score, value)| score / total * value[column])
                        .sum::<f64>();
                }
            }
            context
        };
        let attended: Vec<Vec<f64>> = (0..tokens.len())
            .map(|token| {
                let more = dense(&format!("{layer}.attention.output.dense"), &context(token));
                norm(&format!("{layer}.attention.output"), &plus(&hidden[token], &more))
            })
            .collect();
        hidden = attended
            .iter()
            .map(|row| {
                let inner: Vec<f64> = dense(&format!("{layer}.intermediate.dense"), row)
                    .into_iter()
                    .map(gelu)
                    .collect();
                norm(
                    &format!("{layer}.output"),
                    &plus(row, &dense(&format!("{layer}.output.dense"), &inner)),
                )
            })
            .collect();
    }
    hidden
}

/// GELU with the error function's series.
fn gelu(x: f64) -> f64 {
    let z = x / 2.0_f64.sqrt();
    let (mut term, mut sum) = (z, z);
    for n in 1..150 {
        term *= -z * z / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    0.5 * x * (1.0 + sum * 2.0 / std::f64::consts::PI.sqrt())
}

fn assert_near(found: &[f32], expect: &[f64]) {
    assert_eq!(found.len(), expect.len());
    for (found, expect) in found.iter().zip(expect) {
        assert!((f64::from(*found) - expect).abs() < 2e-5, "{found} is not {expect}");
    }
}

fn mean_of(rows: &[Vec<f64>]) -> Vec<f64> {
    (0..WIDTH)
        .map(|column| rows.iter().map(|row| row[column]).sum::<f64>() / rows.len() as f64)
        .collect()
}

#[test]
fn vectors_match_the_reference_implementation() {
    let mut bert = Place::new().open().unwrap();
    let found = bert.embed(&["The dog runs", "", "zebra"], Purpose::Memory).unwrap();
    for (found, tokens) in found.iter().zip([[2, 8, 4, 6, 9, 3].as_slice(), &[2, 3], &[2, 1, 3]]) {
        assert_near(found, &mean_of(&reference(&tensors(), tokens)));
    }
}

#[test]
fn the_folder_determines_pooling_and_normalisation() {
    let place = Place::new();
    let module = |kind: &str, path: &str| json!({"path": path, "type": format!("sentence_transformers.models.{kind}")});
    let modules = json!([
        module("Transformer", ""),
        module("Pooling", "1_Pooling"),
        module("Normalize", "2_Normalize")
    ]);
    place.put("modules.json", modules.to_string());
    place.put(
        "1_Pooling/config.json",
        r#"{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}"#,
    );
    let found = place.open().unwrap().embed(&["the cat"], Purpose::Memory).unwrap();
    let first = reference(&tensors(), &[2, 8, 5, 3]).remove(0);
    let length = first.iter().map(|x| x * x).sum::<f64>().sqrt();
    assert_near(&found[0], &first.iter().map(|x| x / length).collect::<Vec<f64>>());
}

#[test]
fn questions_and_memories_have_their_own_prompts() {
    let place = Place::new();
    place.put(
        "config_sentence_transformers.json",
        r#"{"prompts": {"query": "query: ", "document": ""}}"#,
    );
    let bert = place.open().unwrap();
    assert_eq!(bert.tokens("dog", Purpose::Question), [2, 10, 11, 4, 3]);
    assert_eq!(bert.tokens("dog", Purpose::Memory), [2, 4, 3]);
}

#[test]
fn a_long_text_is_truncated_to_the_models_length() {
    let place = Place::new();
    let bert = place.open().unwrap();
    assert_eq!(bert.tokens(&"dog ".repeat(1_000_000), Purpose::Memory).len(), POSITIONS);
    place.put("sentence_bert_config.json", r#"{"max_seq_length": 5}"#);
    let mut bert = place.open().unwrap();
    assert_eq!(bert.tokens("running dogs the cat", Purpose::Memory), [2, 6, 7, 4, 3]);
    assert_eq!(bert.embed(&["\u{0}", &"x".repeat(1 << 20)], Purpose::Memory).unwrap().len(), 2);
}

#[test]
fn a_vector_does_not_depend_on_its_batch_or_on_threads() {
    let place = Place::new();
    let mut alone = place.open().unwrap();
    let mut together = Bert::open(&place.path, NonZeroUsize::new(3).unwrap()).unwrap();
    let texts: Vec<String> =
        (0..400).map(|number| "the dog runs cat ".repeat(number % 5)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let batch = together.embed(&texts, Purpose::Memory).unwrap();
    for (text, vector) in texts.iter().zip(&batch) {
        assert_eq!(&alone.embed(&[text], Purpose::Memory).unwrap()[0], vector, "{text:?}");
    }
    assert!(alone.embed(&[], Purpose::Memory).unwrap().is_empty());
}

#[test]
fn the_name_follows_the_folder_and_the_weights() {
    let place = Place::new();
    let before = place.open().unwrap().model().clone();
    assert!(
        before.name.starts_with("tiny@") && before.name.len() == "tiny@".len() + 12,
        "{before}"
    );
    assert_eq!((before.provider.as_str(), before.dimensions), ("local", WIDTH));
    let mut others = tensors();
    others.get_mut("encoder.layer.1.output.dense.bias").unwrap().1[0] += 1.0;
    place.put("model.safetensors", weights(&others, ""));
    assert_ne!(place.open().unwrap().model().name, before.name);
}

#[test]
fn tensor_names_may_have_a_prefix_and_the_vocabulary_may_be_in_tokenizer_json() {
    let place = Place::new();
    let expect = place.open().unwrap().embed(&["running"], Purpose::Memory).unwrap();
    place.put("model.safetensors", weights(&tensors(), "bert."));
    place.remove("vocab.txt");
    let pieces: BTreeMap<&str, usize> = VOCABULARY.iter().copied().zip(0..).collect();
    let tokenizer = json!({
        "normalizer": {"type": "BertNormalizer", "lowercase": true, "strip_accents": null, "handle_chinese_chars": true},
        "model": {"type": "WordPiece", "continuing_subword_prefix": "##", "vocab": pieces},
    });
    place.put("tokenizer.json", tokenizer.to_string());
    assert_eq!(place.open().unwrap().embed(&["running"], Purpose::Memory).unwrap(), expect);
}

#[test]
fn missing_files_are_named() {
    let place = Place::new();
    place.remove("vocab.txt");
    place.check_unusable("neither vocab.txt nor tokenizer.json");
    let place = Place::new();
    place.remove("model.safetensors");
    place.check_unusable("model.safetensors is missing");
    place.put("pytorch_model.bin", "");
    place.check_unusable("can run code");
    place.remove("config.json");
    place.check_unusable("config.json is missing");
    let nowhere = Bert::open(Path::new("/nowhere/at/all"), NonZeroUsize::MIN);
    assert!(matches!(nowhere, Err(EmbedError::Unusable { .. })));
}

#[test]
fn weights_truncated_anywhere_are_refused() {
    let place = Place::new();
    let whole = weights(&tensors(), "");
    for length in (0..whole.len()).step_by(97) {
        place.put("model.safetensors", &whole[..length]);
        place.check_unusable("model.safetensors");
    }
    let mut enormous = whole;
    enormous[..8].copy_from_slice(&u64::MAX.to_le_bytes());
    place.put("model.safetensors", enormous);
    place.check_unusable("damaged");
}

#[test]
fn weights_that_are_not_finite_or_have_the_wrong_shape_are_refused() {
    let name = "encoder.layer.0.output.dense.weight";
    let place = Place::new();
    for value in [f32::NAN, f32::INFINITY] {
        let mut bad = tensors();
        bad.get_mut(name).unwrap().1[3] = value;
        place.put("model.safetensors", weights(&bad, ""));
        place.check_unusable("not finite");
    }
    let mut bad = tensors();
    bad.get_mut(name).unwrap().0.reverse();
    place.put("model.safetensors", weights(&bad, ""));
    place.check_unusable("shape");
    bad.remove(name);
    place.put("model.safetensors", weights(&bad, ""));
    place.check_unusable(name);
    place.put("model.safetensors", weights(&Tensors::new(), ""));
    place.check_unusable("not a BERT model");
    let mut overflowing = tensors();
    overflowing
        .values_mut()
        .for_each(|(_, numbers)| numbers.iter_mut().for_each(|number| *number *= 1e37));
    place.put("model.safetensors", weights(&overflowing, ""));
    let embedded = place.open().unwrap().embed(&["dog"], Purpose::Memory);
    assert!(matches!(embedded, Err(EmbedError::Unusable { .. })), "{embedded:?}");
}

#[test]
fn inconsistent_settings_are_refused_before_anything_is_allocated() {
    let place = Place::new();
    let lies = [
        ("hidden_size", json!(1_u64 << 60), "hidden_size"),
        ("hidden_size", json!(0), "hidden_size"),
        ("hidden_size", json!(16), "shape"),
        ("num_attention_heads", json!(0), "num_attention_heads"),
        ("num_attention_heads", json!(3), "multiple"),
        ("num_hidden_layers", json!(90), "encoder.layer.2"),
        ("num_hidden_layers", json!(1_000_000_000), "num_hidden_layers"),
        ("max_position_embeddings", json!(17), "shape"),
        ("max_position_embeddings", json!(-1), "config.json cannot be read"),
        ("intermediate_size", json!("many"), "config.json cannot be read"),
        ("layer_norm_eps", json!(-1.0), "layer_norm_eps"),
        ("hidden_act", json!("swish"), "swish"),
        ("position_embedding_type", json!("relative_key"), "relative_key"),
        ("model_type", json!("xlm-roberta"), "all-MiniLM-L6-v2"),
    ];
    for (name, value, expect) in lies {
        let mut config = config();
        config[name] = value;
        place.put("config.json", config.to_string());
        place.check_unusable(expect);
    }
    place.put("config.json", "[".repeat(1_000_000));
    place.check_unusable("config.json");
    place.put("config.json", [0xff, 0xfe]);
    place.check_unusable("UTF-8");
}

#[test]
fn unsupported_features_are_refused() {
    let place = Place::new();
    let modules = |kind: &str, path: &str| {
        json!([{"path": path, "type": format!("st.models.{kind}")}]).to_string()
    };
    place.put("modules.json", modules("Dense", "2_Dense"));
    place.check_unusable("Dense");
    place.put("modules.json", modules("Pooling", "../elsewhere"));
    place.check_unusable("outside the folder");
    place.put("modules.json", modules("Pooling", "1_Pooling"));
    place.put(
        "1_Pooling/config.json",
        r#"{"pooling_mode_mean_tokens": true, "pooling_mode_max_tokens": true}"#,
    );
    place.check_unusable("a pooling other than");
    place.remove("modules.json");
    place.remove("1_Pooling/config.json");
    place.put("sentence_bert_config.json", r#"{"max_seq_length": 2}"#);
    place.check_unusable("no room");
    place.remove("sentence_bert_config.json");
    for (file, content, expect) in [
        ("tokenizer_config.json", r#"{"do_lower_case": false}"#, "upper case"),
        ("tokenizer.json", r#"{"model": {"type": "Unigram", "vocab": [["a", 0.1]]}}"#, "Unigram"),
        ("tokenizer.json", r#"{"model": {"type": "BPE", "vocab": {"a": 0}}}"#, "BPE"),
        (
            "tokenizer.json",
            r#"{"normalizer": {"type": "NFC"}, "model": {"vocab": {"a": 0}}}"#,
            "NFC",
        ),
        ("vocab.txt", "a\nb", "[UNK]"),
        ("vocab.txt", "[UNK]\nb", "[CLS]"),
    ] {
        let before = std::fs::read(place.path.join(file)).ok();
        place.put(file, content);
        place.check_unusable(expect);
        match before {
            Some(before) => place.put(file, before),
            None => place.remove(file),
        }
    }
    place.put("vocab.txt", VOCABULARY.join("\n") + &"\nmore".repeat(3));
    place.check_unusable("different models");
}

/// The expected numbers were computed by numpy in double precision from the published weights.
#[test]
fn the_published_model_gives_the_expected_vectors() {
    let Some(folder) = std::env::var_os("BECAUSE_TEST_MODEL") else { return };
    let mut bert = Bert::open(Path::new(&folder), NonZeroUsize::MIN).unwrap();
    let texts =
        ["This is an example sentence", "Crème brûlée, naïve café — ½ price! 😀 東京タワー", ""];
    let vectors = bert.embed(&texts, Purpose::Memory).unwrap();
    let expect = [
        [0.067_657, 0.063_496, 0.048_713, 0.079_305],
        [0.013_203, 0.015_122, 0.024_371, -0.023_477],
        [-0.118_838, 0.048_299, -0.002_548, -0.011_011],
    ];
    for (vector, expect) in vectors.iter().zip(expect) {
        assert_eq!(vector.len(), 384);
        for (found, expect) in vector.iter().zip(expect) {
            assert!((found - expect).abs() < 1e-5, "{found} is not {expect}");
        }
    }
}
