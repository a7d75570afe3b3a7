//! Keys for which everybody can sign.
//!
//! On the curve of Ed25519 there are eight points of small order. Under ZIP 215 a signature by such
//! a key can be made without any secret: `R` is the identity and `s` is 0. Verification accepts it,
//! because both sides of the equation vanish when multiplied by the cofactor. That is also the
//! test: for any other key the same signature verifies with negligible probability.

use crate::id::Author;

/// The encoding of the identity, and then the scalar 0.
const SIGNATURE_OF_NOTHING: [u8; 64] = {
    let mut bytes = [0; 64];
    bytes[0] = 1;
    bytes
};

impl Author {
    /// Whether everybody can sign for this key. No device has such a key.
    pub fn is_weak(&self) -> bool {
        let signature = ed25519_zebra::Signature::from(SIGNATURE_OF_NOTHING);
        ed25519_zebra::VerificationKey::try_from(self.0)
            .is_ok_and(|key| key.verify(&signature, b"because").is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seal::Signer;

    #[test]
    fn keys_of_small_order_are_weak_and_keys_of_devices_are_not() {
        let mut identity = [0; 32];
        identity[0] = 1;
        // The other encoding of the identity, whose sign bit is set, and a point of order 2.
        let mut negative = identity;
        negative[31] = 0x80;
        let mut order_2 = [0xff; 32];
        (order_2[0], order_2[31]) = (0xec, 0x7f);
        for weak in [identity, negative, order_2, [0; 32]] {
            assert!(Author(weak).is_weak(), "{weak:?}");
        }
        for seed in 0..32 {
            assert!(!Signer::from_seed([seed; 32]).author().is_weak());
        }
    }
}
