//! Values and rules of `because`: what an operation is, when it may be appended, and what follows
//! from a set of operations.
//!
//! Nothing here reads a clock, draws a random number, does I/O or waits. Everything is a function
//! of its arguments, so that two machines given the same operations come to the same beliefs, and
//! so that this crate alone can verify an exported ledger.
//!
//! | module | answers |
//! |---|---|
//! | [`operation`], [`refs`], [`body`], [`evidence`], [`kind`], [`kind_spec`] | what an operation is and what it may say |
//! | [`id`], [`identity`], [`local_names`], [`when`] | how operations, keys, beliefs and times are named |
//! | [`canonical`], [`seal`], [`malformed`] | which bytes it is, how it is signed, why bytes are none |
//! | [`rules`], [`rule_violation`], [`ledger_index`], [`access`] | whether it may be appended, and by whom |
//! | [`missing_body`], [`declaration`], [`membership`] | which bodies may be missing, whose operations an exchange takes |
//! | [`validity`], [`soundness`], [`cascade`], [`invalidation`], [`snapshot`] | what is believed, and what follows from a change |
//! | [`records`], [`proposal`], [`provenance`], [`confidence`] | what became of a record, what waits, what a claim was made from, how sure it is |
//! | [`redaction`] | which bodies are forgotten |
//!
//! An export is a ledger as lines of JSON. To check one, parse each line, verify it, and judge it
//! against those before it:
//!
//! ```
//! use kernel::body::{Body, Space};
//! use kernel::ledger_index::Graph;
//! use kernel::operation::{HlcTimestamp, Operation};
//! use kernel::rules::{Verdict, judge};
//! use kernel::seal::{ChainPosition, Draft, Signer};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let signer = Signer::from_seed([1; 32]);
//! # let space = Space {
//! #     name: "example".to_owned(),
//! #     owner: signer.author(),
//! #     created: "2025-01-01T00:00:00Z".to_owned(),
//! #     settings: serde_json::Map::new(),
//! # };
//! # let place = ChainPosition { space: None, head: None, ts: HlcTimestamp(1) };
//! # let line = signer.seal(Draft::new(Body::Space(space)), place)?.to_line();
//! let operation = Operation::from_line(line.as_bytes())?.verify()?;
//! let kind = &operation.header().kind;
//! let body = operation.body().map(|bytes| Body::parse(kind, bytes)).transpose()?;
//!
//! let mut ledger = Graph::default();
//! assert_eq!(judge(&operation, body.as_ref(), &ledger)?, Verdict::Append);
//! ledger.insert(&operation, body.as_ref());
//! assert_eq!(judge(&operation, body.as_ref(), &ledger)?, Verdict::Present);
//!
//! let forged = line.replace("example", "another");
//! assert!(Operation::from_line(forged.as_bytes())?.verify().is_err());
//! # Ok(())
//! # }
//! ```

pub mod access;
pub mod body;
pub mod canonical;
pub mod cascade;
pub mod confidence;
pub mod declaration;
mod edge_walk;
pub mod evidence;
pub mod id;
pub mod identity;
pub mod invalidation;
pub mod kind;
pub mod kind_spec;
pub mod ledger_index;
pub mod local_names;
pub mod malformed;
pub mod membership;
pub mod missing_body;
pub mod operation;
pub mod proposal;
pub mod provenance;
pub mod records;
pub mod redaction;
pub mod refs;
pub mod rule_violation;
pub mod rules;
pub mod seal;
pub mod snapshot;
pub mod soundness;
pub mod validity;
mod weak_key;
pub mod when;
