//! `cargo xtask licenses`: checks that the licences of all dependencies allow us to ship them.
//!
//! `deny.toml` holds the list of accepted licences for cargo-deny. If that is not installed, this
//! command applies the same list to the output of `cargo metadata`, without a network. It also
//! refuses crates that do not come from a registry, because their licence and content can change
//! under the same name.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use toml_edit::{Document, Item};

/// Checks all direct and transitive dependencies of all targets.
pub(crate) fn run(root: &Path) -> Result<ExitCode> {
    let rules =
        std::fs::read_to_string(root.join("deny.toml")).context("deny.toml cannot be read")?;
    let allowed = allowed_licenses(&rules)?;
    let metadata = metadata(root)?;
    let packages = metadata["packages"].as_array().context("cargo metadata has no packages")?;
    let complaints: Vec<String> =
        packages.iter().filter_map(|package| complaint(package, &allowed)).collect();
    for complaint in &complaints {
        eprintln!("{complaint}");
    }
    if complaints.is_empty() {
        println!("licenses: {} packages, all under licences that deny.toml allows", packages.len());
        Ok(ExitCode::SUCCESS)
    } else {
        eprintln!("licenses: {} of {} packages fail", complaints.len(), packages.len());
        Ok(ExitCode::FAILURE)
    }
}

fn allowed_licenses(rules: &str) -> Result<BTreeSet<String>> {
    let rules = Document::parse(rules).map_err(|error| anyhow::anyhow!("deny.toml: {error}"))?;
    let allow =
        rules.get("licenses").and_then(|licenses| licenses.get("allow")).and_then(Item::as_array);
    let allow = allow.context("deny.toml has no list `allow` under [licenses]")?;
    Ok(allow.iter().filter_map(|entry| entry.as_str()).map(str::to_owned).collect())
}

/// The metadata of all packages: offline if everything is downloaded, otherwise with network
/// access.
fn metadata(root: &Path) -> Result<Value> {
    for network in [&["--offline"][..], &[]] {
        let output = crate::cargo()
            .args(["metadata", "--format-version", "1", "--locked"])
            .args(network)
            .current_dir(root)
            .stdin(Stdio::null())
            .output()
            .context("cargo could not be started")?;
        if output.status.success() {
            return serde_json::from_slice(&output.stdout)
                .context("cargo metadata did not print JSON");
        }
        if network.is_empty() {
            bail!("cargo metadata failed:\n{}", String::from_utf8_lossy(&output.stderr));
        }
    }
    unreachable!("the last attempt returns")
}

fn complaint(package: &Value, allowed: &BTreeSet<String>) -> Option<String> {
    let field = |name: &str| package[name].as_str();
    let name = format!("{} {}", field("name").unwrap_or("?"), field("version").unwrap_or("?"));
    if field("source")
        .is_some_and(|source| !source.starts_with("registry+") && !source.starts_with("sparse+"))
    {
        return Some(format!(
            "{name}: comes from outside the registry; depend on a published version"
        ));
    }
    let Some(expression) = field("license") else {
        return Some(format!("{name}: states no licence; choose another crate"));
    };
    match crate::spdx::is_allowed(expression, allowed) {
        Ok(true) => None,
        Ok(false) => Some(format!(
            "{name}: `{expression}` is not allowed; choose another crate, or add the licence to deny.toml if it is permissive"
        )),
        Err(reason) => Some(format!("{name}: `{expression}` cannot be read: {reason}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(package: Value, expect: Option<&str>) {
        let allowed = allowed_licenses("[licenses]\nallow = [\"MIT\"]\n").unwrap();
        assert_eq!(complaint(&package, &allowed).as_deref(), expect);
    }

    #[test]
    fn an_allowed_licence_passes() {
        check(
            json!({"name": "a", "version": "1.0.0", "license": "MIT", "source": "registry+x"}),
            None,
        );
    }

    #[test]
    fn a_crate_without_a_licence_fails() {
        check(
            json!({"name": "a", "version": "1.0.0", "license": null}),
            Some("a 1.0.0: states no licence; choose another crate"),
        );
    }

    #[test]
    fn a_crate_from_a_repository_fails() {
        check(
            json!({"name": "a", "version": "1.0.0", "license": "MIT", "source": "git+x"}),
            Some("a 1.0.0: comes from outside the registry; depend on a published version"),
        );
    }

    #[test]
    fn rules_without_a_list_are_refused() {
        assert!(allowed_licenses("[licenses]\n").is_err());
        assert!(allowed_licenses("[licenses").is_err());
    }
}
