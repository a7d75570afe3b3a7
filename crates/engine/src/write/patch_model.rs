//! What a patch of a language model makes: it names the model, and is not a person's word.

use kernel::body::{Deriver, TextClaimType};
use serde_json::{Map, Value};

use crate::write::graph::{RecordType, Statement};
use crate::write::transcript::TRANSCRIPTS;

/// The field that names the model that made something.
const MODEL: &str = "model";
/// The fields that what a model makes takes over from its patch.
const FIELDS: [&str; 3] = [MODEL, "prompt_version", TRANSCRIPTS];
/// The program that makes the claims, and its version.
const PROGRAM: (&str, &str) = ("patch", "1.0.0");
/// How sure a claim is at most.
const CONFIDENCE_MAX: f64 = 0.9;

/// The model that a patch names, as fields.
#[derive(Clone, Debug)]
pub(crate) struct PatchModel(Map<String, Value>);

impl PatchModel {
    /// The model that the details of a patch name; none if they name none.
    pub(crate) fn of(details: &Map<String, Value>) -> Option<Self> {
        let named = FIELDS.iter().filter_map(|name| details.get_key_value(*name));
        let named = named.map(|(name, value)| (name.clone(), value.clone()));
        details.contains_key(MODEL).then(|| Self(named.collect()))
    }

    /// A statement as the model's.
    pub(crate) fn make(&self, statement: Statement) -> Statement {
        let mut made = statement;
        match &made.record_type {
            RecordType::Claim(claim_type) => {
                // Types that derivers define are theirs alone.
                if made.deriver.is_none() && claim_type.parse::<TextClaimType>().is_ok() {
                    let (name, version) = (PROGRAM.0.to_owned(), PROGRAM.1.to_owned());
                    made.deriver = Some(Deriver { name, version, deterministic: false });
                }
                made.confidence = made.confidence.min(CONFIDENCE_MAX);
                let mut basis = self.0.clone();
                basis.insert("source".to_owned(), PROGRAM.0.into());
                made.confidence_basis = basis.into();
            }
            RecordType::Node(_) => {
                let mut payload = match made.payload {
                    Value::Object(payload) => payload,
                    _ => Map::new(),
                };
                payload.extend(self.0.clone());
                made.payload = payload.into();
            }
        }
        made
    }
}
