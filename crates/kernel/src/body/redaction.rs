//! Redactions: the record that a body was removed.

use super::fields::lenient_body;

lenient_body! {
    /// Body of a `redaction`.
    Redaction {
        /// Why.
        reason: String,
        /// The digest of the archive that has the target.
        archive: String,
    }
}
