//! `because serve`

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;

use super::CliSession;
use crate::failure::Failure;
use crate::http::{A_MINUTE_DEFAULT, Listening, Options, TlsFiles, serve};
use crate::output::{self, Form};

/// Arguments of `serve`.
#[derive(clap::Args)]
#[command(
    after_help = "Every request needs an access token (`because token create`), except for /health, /metrics and the description of the interface. The server prints its address once it answers; its log goes to the error output, a JSON object a line. It ends on SIGINT and SIGTERM, after it has answered what it has begun.\n\ndocs/http.md describes the interface; the server itself does at /api/docs.\n\nExamples:\n  because serve\n  because serve --listen 127.0.0.1:0 --space global --space ~/studio\n  because serve --listen 192.0.2.7:8443 --tls-cert cert.pem --tls-key key.pem"
)]
pub(crate) struct Args {
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7370", value_parser = address)]
    listen: SocketAddr,
    /// More spaces to serve, beside those of --space
    #[arg(value_name = "SPACE")]
    more: Vec<String>,
    /// Requests a minute for each token, or `off`
    #[arg(
        long,
        value_name = "N|off",
        default_value_t = Rate(Some(A_MINUTE_DEFAULT)),
        value_parser = rate,
    )]
    rate_limit: Rate,
    /// Seconds that a client has to send a request, and that it may leave the answer unread
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 30,
        value_parser = clap::value_parser!(u64).range(1..=3600),
    )]
    client_timeout: u64,
    /// A name by which clients may call the server, besides its address and localhost; may be
    /// repeated
    #[arg(long = "allow-host", value_name = "NAME")]
    allowed_hosts: Vec<String>,
    /// The server's certificate chain in PEM, for https
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The certificate's private key in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
}

/// Requests a minute; none for no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rate(Option<u32>);

impl std::fmt::Display for Rate {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(a_minute) => a_minute.fmt(formatter),
            None => formatter.write_str("off"),
        }
    }
}

fn rate(text: &str) -> Result<Rate, String> {
    match (text, text.parse()) {
        ("off", _) => Ok(Rate(None)),
        (_, Ok(a_minute @ 1..)) => Ok(Rate(Some(a_minute))),
        _ => Err("not a number of requests a minute, or `off`".to_owned()),
    }
}

/// An address and a port; `localhost` is this machine.
fn address(text: &str) -> Result<SocketAddr, String> {
    if let Some(port) = text.strip_prefix("localhost:").and_then(|port| port.parse().ok()) {
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    text.parse().map_err(|_| "not an address and a port, as 127.0.0.1:7370".to_owned())
}

pub(crate) fn run(session: &CliSession, args: Args) -> Result<u8, Failure> {
    let mut served = session.session.clone();
    served.spaces.extend(args.more);
    let tls = args.tls_cert.zip(args.tls_key);
    let options = Options {
        listen: args.listen,
        allowed_hosts: args.allowed_hosts,
        a_minute: args.rate_limit.0,
        client_wait: Duration::from_secs(args.client_timeout),
        tls: tls.map(|(certificates, key)| TlsFiles { certificates, key }),
    };
    let is_local = args.listen.ip().is_loopback();
    if !is_local && options.tls.is_none() {
        output::note(
            "Tokens and answers travel unencrypted: give --tls-cert and --tls-key, or put a proxy with TLS before the server",
        );
    }
    serve(served, &options, |listening| print(session.form, listening))?;
    Ok(0)
}

fn print(form: Form, listening: &Listening) -> Result<(), Failure> {
    let Listening { address, scheme } = listening;
    let url = format!("{scheme}://{address}");
    match form {
        Form::Json => output::json(&json!({
            "listening": address.to_string(), "port": address.port(), "url": url,
        })),
        Form::Text => output::line(format_args!("Listening on {url}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_port_and_a_rate_is_a_number_or_off() {
        assert_eq!(address("localhost:0").unwrap().to_string(), "127.0.0.1:0");
        assert_eq!(address("[::1]:80").unwrap().to_string(), "[::1]:80");
        for wrong in ["", "localhost", "127.0.0.1", ":80", "example.org:80"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
        assert_eq!((rate("off"), rate("5")), (Ok(Rate(None)), Ok(Rate(Some(5)))));
        for wrong in ["", "0", "-1", "1.5", "on"] {
            assert!(rate(wrong).is_err(), "{wrong}");
        }
    }
}
