//! Questions over https, to a server of this machine that a test's own authority vouches for.

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

const AUTHORITY: &[u8] = include_bytes!("certificates/ca.pem");
const CERTIFICATE: &[u8] = include_bytes!("certificates/server.pem");
const KEY: &[u8] = include_bytes!("certificates/server.key");
const ANSWER: &str = r#"{"data":[{"index":0,"embedding":[1,2,3]}]}"#;

/// Answers one connection and gives back what was asked; nothing if the client did not trust it.
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
        let mut asked = String::new();
        while !asked.ends_with("\r\n\r\n") {
            if reader.read_line(&mut asked).ok()? == 0 {
                return None;
            }
        }
        let length = asked.lines().find_map(|line| {
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
        Some(asked)
    });
    (base, thread)
}

fn reach(base: String, roots: Option<Roots>) -> ServiceConfig {
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
fn a_server_is_asked_over_https_if_somebody_vouches_for_it() {
    let (base, asked) = serve();
    let remote = Remote::open(Service::OpenAi, "m", &reach(base, Roots::parse(AUTHORITY))).unwrap();
    assert_eq!(remote.model().dimensions, 3);
    assert!(
        asked
            .join()
            .unwrap()
            .unwrap()
            .to_ascii_lowercase()
            .contains("authorization: bearer sk-key\r\n")
    );
}

#[test]
fn a_server_for_which_nobody_vouches_learns_nothing() {
    let (base, asked) = serve();
    let error = Remote::open(Service::OpenAi, "m", &reach(base, None)).err().unwrap();
    assert!(
        matches!(&error, EmbedError::Unreachable { detail, .. } if detail.contains("certificate")),
        "{error:?}"
    );
    assert_eq!(asked.join().unwrap(), None);
}
