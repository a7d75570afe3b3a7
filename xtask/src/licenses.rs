//! `cargo xtask licenses`: checks that the licences of all dependencies allow us to ship them.
//!
//! `deny.toml` holds the list of accepted licences for cargo-deny. If that is not installed, this
//! command applies the same list to the output of `cargo metadata`, without a network. It also
//! refuses crates that do not come from a registry, because their licence and content can change
//! under the same name.
//!
//! The `spdx` crate reads licence expressions, as it does for cargo-deny.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use spdx::{Expression, ParseMode};
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
    match is_allowed(expression, allowed) {
        Ok(true) => None,
        Ok(false) => Some(format!(
            "{name}: `{expression}` is not allowed; choose another crate, or add the licence to deny.toml if it is permissive"
        )),
        Err(reason) => Some(format!("{name}: `{expression}` cannot be read: {reason}")),
    }
}

/// What crates on the registry have used: the old `MIT/Apache-2.0`, and names that SPDX has
/// deprecated or never listed. An unlisted name is not an error, because another alternative may be
/// allowed.
const GRAMMAR: ParseMode = ParseMode {
    allow_slash_as_or_operator: true,
    allow_imprecise_license_names: false,
    allow_postfix_plus_on_gpl: true,
    allow_deprecated: true,
    allow_unknown: true,
};

/// True if `expression` can be fulfilled with licences of `allowed` alone; the error says why it
/// cannot be read. `Apache-2.0 WITH LLVM-exception` needs its own entry in the list, as for
/// cargo-deny.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> Result<bool, String> {
    let expression =
        Expression::parse_mode(expression, GRAMMAR).map_err(|error| error.reason.to_string())?;
    Ok(expression.evaluate(|license| allowed.contains(&license.to_string())))
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

    #[track_caller]
    fn check_expression(expression: &str, expect: Result<bool, &str>) {
        let allowed = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0"]
            .map(str::to_owned)
            .into();
        assert_eq!(is_allowed(expression, &allowed), expect.map_err(str::to_owned), "{expression}");
    }

    #[test]
    fn one_allowed_alternative_is_enough() {
        check_expression("MIT", Ok(true));
        check_expression("GPL-3.0", Ok(false));
        check_expression("GPL-3.0 OR MIT", Ok(true));
        check_expression("GPL-3.0/MIT", Ok(true));
        check_expression("GPL-3.0 / MIT", Ok(true));
        check_expression("GPL-2.0+ OR MIT", Ok(true));
        check_expression("(GPL-3.0 OR MIT) AND Unicode-3.0", Ok(true));
    }

    #[test]
    fn of_joined_licences_every_one_counts() {
        check_expression("MIT AND GPL-3.0", Ok(false));
        check_expression("MIT AND GPL-3.0 OR Apache-2.0", Ok(true));
        check_expression("Apache-2.0 OR MIT AND GPL-3.0", Ok(true));
        check_expression("MIT AND (GPL-3.0 OR LGPL-3.0)", Ok(false));
    }

    #[test]
    fn an_exception_is_part_of_the_licence() {
        check_expression("Apache-2.0 WITH LLVM-exception", Ok(true));
        check_expression("MIT WITH LLVM-exception", Ok(false));
        check_expression("Apache-2.0 WITH GCC-exception-3.1", Ok(false));
    }

    #[test]
    fn a_name_counts_only_as_it_is_listed() {
        check_expression("mit", Ok(false));
        check_expression("Apache-2.0+", Ok(false));
        check_expression("LicenseRef-MIT", Ok(false));
        check_expression("Our-own", Ok(false));
        check_expression("Our-own OR MIT", Ok(true));
        check_expression("MIT WITH our-exception", Ok(false));
    }

    #[test]
    fn what_is_not_an_expression_is_refused() {
        check_expression("", Err("empty expression"));
        check_expression("MIT OR", Err("expected one of `<license>`, `(` here"));
        check_expression(
            "MIT Apache-2.0",
            Err("expected one of `AND`, `OR`, `WITH`, `)`, `+` here"),
        );
        check_expression("(MIT", Err("unclosed parens"));
        check_expression("MIT)", Err("unopened parens"));
        check_expression("AND", Err("expected one of `<license>`, `(` here"));
    }

    #[test]
    fn nesting_may_be_deep() {
        let depth = 100_000;
        check_expression(&"(".repeat(depth), Err("expected one of `<license>`, `(` here"));
        check_expression(&format!("{}MIT{}", "(".repeat(depth), ")".repeat(depth)), Ok(true));
    }
}
