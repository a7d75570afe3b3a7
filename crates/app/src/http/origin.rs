//! Which names a request may call this server by.
//!
//! A web page of anybody can make a browser send requests to a server on this machine, also by a
//! name of its own that leads here. So the `Host` of a request must be a name of this server, and
//! its `Origin`, if it has one, must be the same.

use axum::http::{HeaderMap, HeaderName, StatusCode, Uri, header};

use super::error::ApiError;

/// Names of this machine for itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The names of the server.
pub(super) struct Names(Vec<String>);

impl Names {
    /// Loopback, the address that the server listens on, and what else was allowed.
    pub(super) fn new(listening: std::net::IpAddr, allowed: &[String]) -> Self {
        let own = match listening {
            std::net::IpAddr::V4(address) => address.to_string(),
            std::net::IpAddr::V6(address) => format!("[{address}]"),
        };
        let mut names: Vec<String> = LOOPBACK.map(str::to_owned).into();
        names.push(own);
        names.extend(allowed.iter().map(|name| name.to_ascii_lowercase()));
        Self(names)
    }

    /// Refuses a request that calls the server by another name, or comes from a page of another
    /// server.
    pub(super) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), ApiError> {
        let host = one(headers, &header::HOST)?.ok_or_else(|| {
            ApiError::new(StatusCode::BAD_REQUEST, "VALIDATION_ERROR", "the Host header is missing")
        })?;
        let authorities = [Some(host), uri.authority().map(axum::http::uri::Authority::as_str)];
        for authority in authorities.into_iter().flatten() {
            if !self.is_ours(authority) {
                return Err(ApiError::forbidden("this server does not have the name in Host"));
            }
        }
        let Some(origin) = one(headers, &header::ORIGIN)? else { return Ok(()) };
        let is_same = origin.split_once("://").is_some_and(|(scheme, authority)| {
            matches!(scheme, "http" | "https") && authority.eq_ignore_ascii_case(host)
        });
        match is_same {
            true => Ok(()),
            false => Err(ApiError::forbidden("requests from pages of other servers are refused")),
        }
    }

    fn is_ours(&self, authority: &str) -> bool {
        let name = match authority.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => authority,
        };
        let name = name.to_ascii_lowercase();
        self.0.contains(&name)
    }
}

/// The value of a header that may stand once.
fn one<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h str>, ApiError> {
    let mut values = headers.get_all(name).iter();
    let (first, second) = (values.next(), values.next());
    let readable = first.map(|value| value.to_str()).transpose();
    match (readable, second) {
        (Ok(value), None) => Ok(value),
        _ => Err(ApiError::validation(format!("the header {name} must stand once, as text"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_server_s_own_names_and_pages_are_accepted() {
        let names = Names::new([192, 168, 1, 5].into(), &["Memory.example".to_owned()]);
        let check = |host: &[&str], origin: Option<&str>, uri: &str| {
            let mut headers = HeaderMap::new();
            for host in host {
                headers.append(header::HOST, host.parse().unwrap());
            }
            if let Some(origin) = origin {
                headers.insert(header::ORIGIN, origin.parse().unwrap());
            }
            names
                .check(&uri.parse().unwrap(), &headers)
                .map_or_else(|e| e.status.as_u16(), |()| 200)
        };
        for host in
            ["localhost", "LOCALHOST:80", "127.0.0.1:7", "[::1]:7", "192.168.1.5", "memory.example"]
        {
            assert_eq!(check(&[host], None, "/"), 200, "{host}");
        }
        for host in ["evil.example", "localhost.evil.example", "localhost@evil.example", "", "[::1"]
        {
            assert_eq!(check(&[host], None, "/"), 403, "{host}");
        }
        assert_eq!(check(&[], None, "/"), 400);
        assert_eq!(check(&["localhost", "localhost"], None, "/"), 400);
        assert_eq!(check(&["localhost"], None, "http://evil.example/"), 403);
        assert_eq!(check(&["localhost:7"], Some("http://localhost:7"), "/"), 200);
        for origin in ["null", "http://localhost:8", "http://evil.example", "file://localhost:7"] {
            assert_eq!(check(&["localhost:7"], Some(origin), "/"), 403, "{origin}");
        }
    }
}
