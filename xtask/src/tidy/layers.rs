//! Checks that dependencies between our crates point downward only.
//!
//! A crate may build on those of lower layers, not on its neighbours. `testkit` may use anything,
//! but is for tests only, so the product cannot depend on it.

use super::Finding;
use super::manifest::{self, Origin, Purpose};
use super::tree::Tree;

/// The layers, lowest first.
const LAYERS: [&[&str]; 7] = [
    &["kernel", "retrieval"],
    &["calendar"],
    &["derivers", "importers", "models"],
    &["store"],
    &["engine"],
    &["eval"],
    &["app"],
];
/// Crates outside of the product, which may use all of it.
const BESIDE: [&str; 3] = ["fuzz", "testkit", "xtask"];
/// The crate that only tests may use.
const FOR_TESTS: &str = "testkit";

/// Finds dependencies that point the wrong way.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    // The check of the dependencies' reasons reports manifests that cannot be read.
    let Ok(manifests) = manifest::read_all(tree) else { return Vec::new() };
    let mut findings = Vec::new();
    for manifest in manifests.iter().filter(|manifest| !manifest.name.is_empty()) {
        let own_layer = layer(&manifest.name);
        if own_layer.is_none() && !BESIDE.contains(&manifest.name.as_str()) {
            let advice = "belongs to no layer; give it one in xtask/src/tidy/layers.rs and in ARCHITECTURE.md";
            findings.push(Finding::new(&manifest.path, 1, advice));
            continue;
        }
        for dependency in
            manifest.dependencies.iter().filter(|dependency| dependency.origin == Origin::Ours)
        {
            let name = &dependency.name;
            let advice = if name == FOR_TESTS
                && dependency.purpose != Purpose::Tests
                && manifest.name != "fuzz"
            {
                format!("`{name}` serves tests alone; move it to [dev-dependencies]")
            } else if name != FOR_TESTS && own_layer.is_some() && layer(name) >= own_layer {
                format!(
                    "`{}` may not build on `{name}`, which is not below it; turn it round by a port",
                    manifest.name
                )
            } else {
                continue;
            };
            findings.push(Finding::new(&manifest.path, dependency.line, advice));
        }
    }
    findings
}

fn layer(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_one(name: &str, text: &str, expect: &[&str]) {
        let path = format!("crates/{name}/Cargo.toml");
        let findings: Vec<String> = check(&Tree::from([(path.as_str(), text)]))
            .iter()
            .map(|finding| finding.advice.clone())
            .collect();
        assert_eq!(findings, expect);
    }

    #[test]
    fn downward_is_fine() {
        check_one(
            "app",
            "[dependencies]\na = { path = \"../engine\" }\nb = { path = \"../kernel\" }\n",
            &[],
        );
        check_one("testkit", "[dependencies]\na = { path = \"../engine\" }\n", &[]);
        check_one("kernel", "[dev-dependencies]\ntestkit = { path = \"../testkit\" }\n", &[]);
    }

    #[test]
    fn upward_and_sideways_fail() {
        let advice =
            "`store` may not build on `engine`, which is not below it; turn it round by a port";
        check_one("store", "[dependencies]\na = { path = \"../engine\" }\n", &[advice]);
        let advice =
            "`models` may not build on `importers`, which is not below it; turn it round by a port";
        check_one("models", "[dev-dependencies]\na = { path = \"../importers\" }\n", &[advice]);
    }

    #[test]
    fn the_product_may_not_use_the_test_kit() {
        let advice = "`testkit` serves tests alone; move it to [dev-dependencies]";
        check_one("app", "[dependencies]\ntestkit = { path = \"../testkit\" }\n", &[advice]);
    }

    #[test]
    fn a_new_crate_needs_a_layer() {
        let advice =
            "belongs to no layer; give it one in xtask/src/tidy/layers.rs and in ARCHITECTURE.md";
        check_one("extra", "[dependencies]\n", &[advice]);
    }
}
