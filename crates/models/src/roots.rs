//! The certificate authorities that are trusted.
//!
//! Mozilla's list is compiled in. A company's TLS-inspecting proxy signs with a certificate that
//! only the company's machines know; a file of certificates then replaces the list, as in other
//! programs.

use std::sync::Arc;

use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

/// Most certificates in a file; the largest lists in use have about 150.
const CERTIFICATES_MAX: usize = 2000;

/// Certificates that replace the compiled-in list.
#[derive(Clone, Debug)]
pub struct Roots(Arc<Vec<Certificate<'static>>>);

impl Roots {
    /// The certificates in a PEM file; `None` if there are none, too many, or invalid ones.
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
