//! Who vouches for a server's name.
//!
//! Mozilla's list is compiled in. A company whose proxy reads what passes it signs with a
//! certificate of its own, which only the company's machines know; then a file of certificates
//! takes the list's place, as with other programs.

use std::sync::Arc;

use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

/// Most certificates of a file; the largest lists in use have some 150.
const CERTIFICATES_MAX: usize = 2000;

/// Certificates in place of the list that is compiled in.
#[derive(Clone, Debug)]
pub struct Roots(Arc<Vec<Certificate<'static>>>);

impl Roots {
    /// The certificates of a file in PEM; none if it has none, too many, or what is none.
    pub fn parse(pem: &[u8]) -> Option<Self> {
        let mut certificates = Vec::new();
        for item in parse_pem(pem) {
            if let PemItem::Certificate(certificate) = item.ok()? {
                certificates.push(certificate);
            }
            if certificates.len() > CERTIFICATES_MAX {
                return None;
            }
        }
        (!certificates.is_empty()).then(|| Self(Arc::new(certificates)))
    }

    pub(crate) fn tls(&self) -> TlsConfig {
        TlsConfig::builder().root_certs(RootCerts::Specific(Arc::clone(&self.0))).build()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_certificates_gives_none() {
        let pem = include_bytes!("../tests/it/certificates/ca.pem");
        assert!(Roots::parse(pem).is_some());
        assert!(Roots::parse(&pem.repeat(3)).is_some());
        assert!(Roots::parse(&pem.repeat(CERTIFICATES_MAX + 1)).is_none());
        for bad in [
            &b""[..],
            b"hello",
            b"\xff\0",
            b"-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n",
        ] {
            assert!(Roots::parse(bad).is_none());
        }
    }
}
