//! Redactions: the record that a body was removed.

use super::fields::lenient_body;
use crate::evidence::Visibility;

lenient_body! {
    /// Body of a `redaction`.
    Redaction {
        /// Why the body was removed.
        reason: String,
        /// The digest of the archive that has the target.
        archive: String,
        /// Who might see the target: what its body stated, or what it stood on.
        visibility: Visibility,
    }
}
