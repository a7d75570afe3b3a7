//! The weights of a model: the tensors of a safetensors file, which must have the shapes that the
//! settings require.
//!
//! Nothing is allocated before the file is known to hold the data, so a file cannot cause
//! allocations larger than itself (twice that for half precision). Numbers that are not finite are
//! refused, because they would spread to every vector.

use ndarray::{Array1, Array2, Axis, concatenate};
use safetensors::{Dtype, SafeTensors};

use super::folder::Folder;
use super::forward::{Dense, Embeddings, Layer, Network, Norm};
use super::settings::Settings;
use crate::EmbedError;

/// The tensor whose name reveals the prefix of all names.
const WORDS: &str = "embeddings.word_embeddings.weight";

/// A weights file and the settings that it must match.
struct Weights<'a> {
    folder: &'a Folder,
    tensors: SafeTensors<'a>,
    /// The prefix of every name, such as `bert.`.
    prefix: String,
    settings: &'a Settings,
}

/// The network whose weights are in `bytes`.
pub(super) fn read(
    folder: &Folder,
    bytes: &[u8],
    settings: &Settings,
) -> Result<Network, EmbedError> {
    let tensors = SafeTensors::deserialize(bytes).map_err(|error| {
        folder.unusable(format!(
            "model.safetensors is damaged or cut off ({error}); download it again"
        ))
    })?;
    let names = tensors.names();
    let Some(prefix) = names.iter().find_map(|name| name.strip_suffix(WORDS)).map(str::to_owned)
    else {
        return Err(
            folder.unusable(format!("model.safetensors has no {WORDS}; it is not a BERT model"))
        );
    };
    Weights { folder, tensors, prefix, settings }.network()
}

impl Weights<'_> {
    fn network(&self) -> Result<Network, EmbedError> {
        let layers =
            (0..self.settings.layers).map(|number| self.layer(number)).collect::<Result<_, _>>()?;
        let Settings { heads, activation, .. } = *self.settings;
        Ok(Network { embeddings: self.embeddings()?, layers, heads, activation })
    }

    fn embeddings(&self) -> Result<Embeddings, EmbedError> {
        let Settings { width, positions, .. } = *self.settings;
        let mut positions =
            self.matrix("embeddings.position_embeddings.weight", Some(positions), width)?;
        let types = self.matrix("embeddings.token_type_embeddings.weight", None, width)?;
        // Every text is a first sentence, so its token type is added to the positions once.
        if let Some(first) = types.rows().into_iter().next() {
            positions += &first;
        }
        Ok(Embeddings {
            words: self.matrix(WORDS, None, width)?,
            positions,
            norm: self.norm("embeddings")?,
        })
    }

    fn layer(&self, number: usize) -> Result<Layer, EmbedError> {
        let Settings { width, inner_width, .. } = *self.settings;
        let name = |part: &str| format!("encoder.layer.{number}.{part}");
        let part = |part: &str| self.dense(&name(&format!("attention.self.{part}")), width, width);
        let (query, key, value) = (part("query")?, part("key")?, part("value")?);
        let joined = |_| self.folder.unusable("the parts of attention have different shapes");
        let query_key_value = Dense {
            weights: concatenate(
                Axis(1),
                &[query.weights.view(), key.weights.view(), value.weights.view()],
            )
            .map_err(joined)?,
            bias: concatenate(Axis(0), &[query.bias.view(), key.bias.view(), value.bias.view()])
                .map_err(joined)?,
        };
        Ok(Layer {
            query_key_value,
            attention_output: self.dense(&name("attention.output.dense"), width, width)?,
            attention_norm: self.norm(&name("attention.output"))?,
            inner: self.dense(&name("intermediate.dense"), inner_width, width)?,
            outer: self.dense(&name("output.dense"), width, inner_width)?,
            outer_norm: self.norm(&name("output"))?,
        })
    }

    fn norm(&self, name: &str) -> Result<Norm, EmbedError> {
        let Settings { width, epsilon, .. } = *self.settings;
        let part = |part: &str| self.vector(&format!("{name}.LayerNorm.{part}"), width);
        Ok(Norm { scale: part("weight")?, bias: part("bias")?, epsilon })
    }

    fn dense(&self, name: &str, outputs: usize, inputs: usize) -> Result<Dense, EmbedError> {
        let weights = self.matrix(&format!("{name}.weight"), Some(outputs), inputs)?;
        let weights = weights.t().as_standard_layout().into_owned();
        Ok(Dense { weights, bias: self.vector(&format!("{name}.bias"), outputs)? })
    }

    /// A matrix with `columns` columns, and with `rows` rows if that is known.
    fn matrix(
        &self,
        name: &str,
        rows: Option<usize>,
        columns: usize,
    ) -> Result<Array2<f32>, EmbedError> {
        let (shape, values) = self.values(name, |shape| {
            matches!(shape, [found_rows, found] if *found == columns && rows.is_none_or(|rows| rows == *found_rows))
        })?;
        let rows = shape.first().copied().unwrap_or_default();
        Array2::from_shape_vec((rows, columns), values)
            .map_err(|error| self.folder.unusable(format!("{name}: {error}")))
    }

    fn vector(&self, name: &str, length: usize) -> Result<Array1<f32>, EmbedError> {
        let (_, values) = self.values(name, |shape| shape == [length])?;
        Ok(Array1::from_vec(values))
    }

    /// The shape and the numbers of a tensor whose shape must satisfy `is_expected`.
    fn values(
        &self,
        name: &str,
        is_expected: impl Fn(&[usize]) -> bool,
    ) -> Result<(Vec<usize>, Vec<f32>), EmbedError> {
        let refuse = |detail: String| self.folder.unusable(format!("model.safetensors: {detail}"));
        let tensor = self.tensors.tensor(&format!("{}{name}", self.prefix)).map_err(|_| {
            refuse(format!("tensor {name} is missing; config.json may belong to another model"))
        })?;
        let shape = tensor.shape().to_vec();
        if !is_expected(&shape) {
            return Err(refuse(format!(
                "{name} has the shape {shape:?}, which does not match config.json"
            )));
        }
        let values: Vec<f32> = match tensor.dtype() {
            Dtype::F32 => {
                tensor.data().as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
            }
            Dtype::BF16 => {
                halves(tensor.data()).map(|bits| f32::from_bits(u32::from(bits) << 16)).collect()
            }
            Dtype::F16 => halves(tensor.data()).map(half_to_f32).collect(),
            other => {
                return Err(refuse(format!("{name} has the type {other:?}, not F32, F16 or BF16")));
            }
        };
        if !values.iter().all(|value| value.is_finite()) {
            return Err(refuse(format!(
                "{name} holds numbers that are not finite; download the file again"
            )));
        }
        Ok((shape, values))
    }
}

fn halves(bytes: &[u8]) -> impl Iterator<Item = u16> + '_ {
    bytes.as_chunks().0.iter().map(|bytes| u16::from_le_bytes(*bytes))
}

/// The value of a half-precision number (IEEE 754 binary16).
fn half_to_f32(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f32::from(bits & 0x3ff) / 1024.0;
    sign * match exponent {
        0 => fraction * 2.0_f32.powi(-14),
        0x1f if fraction == 0.0 => f32::INFINITY,
        0x1f => f32::NAN,
        _ => (1.0 + fraction) * 2.0_f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision_is_read_exactly() {
        let known = [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x0001, 5.960_464_5e-8),
            (0x7bff, 65504.0),
        ];
        for (bits, expect) in known {
            assert_eq!(half_to_f32(bits), expect, "{bits:04x}");
        }
        assert!(half_to_f32(0x7c00).is_infinite() && half_to_f32(0x7e00).is_nan());
    }
}
