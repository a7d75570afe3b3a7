//! Requests over https to a local server with a certificate of the test's own authority.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use models::remote::{Remote, Service, ServiceConfig};
use models::roots::Roots;
use models::secret::Secret;
use models::{EmbedError, Embedder};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::remote::mask;

const AUTHORITY: &[u8] = include_bytes!("certificates/ca.pem");
const CERTIFICATE: &[u8] = include_bytes!("certificates/server.pem");
const KEY: &[u8] = include_bytes!("certificates/server.key");
const ANSWER: &str = r#"{"data":[{"index":0,"embedding":[1,2,3]}]}"#;

/// Serves one connection and returns the request; `None` if the client did not trust the
/// certificate.
fn serve() -> (String, JoinHandle<Option<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("https://localhost:{}/v1", listener.local_addr().unwrap().port());
    let certificates = vec![CertificateDer::from_pem_slice(CERTIFICATE).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(KEY).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap();
    let config =
        Arc::new(config.with_no_client_auth().with_single_cert(certificates, key).unwrap());
    let thread = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let mut reader =
            BufReader::new(StreamOwned::new(ServerConnection::new(config).unwrap(), stream));
        let mut request = String::new();
        while !request.ends_with("\r\n\r\n") {
            if reader.read_line(&mut request).ok()? == 0 {
                return None;
            }
        }
        let length = request.lines().find_map(|line| {
            line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok()
        });
        let mut body = vec![0; length.unwrap()];
        reader.read_exact(&mut body).unwrap();
        let answer = format!(
            "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{ANSWER}",
            ANSWER.len()
        );
        let stream = reader.get_mut();
        stream.write_all(answer.as_bytes()).unwrap();
        stream.conn.send_close_notify();
        stream.flush().unwrap();
        Some(request)
    });
    (base, thread)
}

fn config(base: String, roots: Option<Roots>) -> ServiceConfig {
    let timeout = Some(Duration::from_secs(10));
    ServiceConfig {
        base_url: Some(base),
        key: Secret::parse("sk-key"),
        roots,
        timeout,
        ..ServiceConfig::default()
    }
}

#[test]
fn a_server_with_a_trusted_certificate_gets_the_request() {
    let (base, request) = serve();
    let remote =
        Remote::open(Service::OpenAi, "m", mask, &config(base, Roots::parse(AUTHORITY))).unwrap();
    assert_eq!(remote.model().dimensions, 3);
    assert!(
        request
            .join()
            .unwrap()
            .unwrap()
            .to_ascii_lowercase()
            .contains("authorization: bearer sk-key\r\n")
    );
}

#[test]
fn a_server_with_an_untrusted_certificate_gets_nothing() {
    let (base, request) = serve();
    let error = Remote::open(Service::OpenAi, "m", mask, &config(base, None)).err().unwrap();
    assert!(
        matches!(&error, EmbedError::Unreachable { detail, .. } if detail.contains("certificate")),
        "{error:?}"
    );
    assert_eq!(request.join().unwrap(), None);
}
