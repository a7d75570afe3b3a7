//! Layers within the program: its front ends share what they do in `service`, which knows of none
//! of them.
//!
//! A module may import those of lower layers, not its neighbours. So the command line and the tools
//! for agents cannot come to depend on each other, and another front end finds everything below
//! itself.

use super::Finding;
use super::rust_source::is_word;
use super::tree::Tree;

/// Where the modules are.
const SOURCE: &str = "crates/app/src/";
/// What puts the layers together.
const ROOT: &str = "main";
/// The modules, lowest layer first.
const LAYERS: [&[&str]; 8] = [
    &["text"],
    &["place", "zone"],
    &["configuration"],
    &["failure"],
    &["service"],
    &["install", "mcp", "output"],
    // The server offers the tools of `mcp`, too.
    &["http"],
    &["cli"],
];

/// Finds imports that point upward or sideways.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files().iter().filter(|file| file.is_rust()) {
        let Some(inside) = file.path.strip_prefix(SOURCE) else { continue };
        let own = inside.split('/').next().unwrap_or(inside).trim_end_matches(".rs");
        if own == ROOT {
            continue;
        }
        let Some(own_layer) = layer(own) else {
            let advice =
                "belongs to no layer of the program; give it one in xtask/src/tidy/app_layers.rs";
            findings.push(Finding::new(&file.path, 1, advice));
            continue;
        };
        for (number, line) in (1..).zip(file.rust_lines()) {
            for named in modules_named(&line.code) {
                if let Some(advice) = advice(own, own_layer, named) {
                    findings.push(Finding::new(&file.path, number, advice));
                }
            }
        }
    }
    findings
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

fn advice(own: &str, own_layer: usize, named: &str) -> Option<String> {
    if named.is_empty() {
        return Some("name the module: `use crate::module::…`, a line each".to_owned());
    }
    let is_above = named != own && layer(named).is_some_and(|layer| layer >= own_layer);
    is_above.then(|| {
        format!(
            "`{own}` may not import `{named}`, which is not below it; move what both need to `service` or lower"
        )
    })
}

/// What stands after each `crate::`; empty for a list in braces.
fn modules_named(code: &str) -> impl Iterator<Item = &str> {
    let names_crate = |start: &usize| {
        let before = code.get(..*start).and_then(|head| head.chars().next_back());
        !before.is_some_and(|char| is_word(char) || char == '$')
    };
    let starts = code.match_indices("crate::").map(|(start, _)| start).filter(names_crate);
    starts.map(|start| {
        let rest = code.get(start + "crate::".len()..).unwrap_or_default();
        let end = rest.find(|char| !is_word(char)).unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_one(path: &str, text: &str, expect: &[&str]) {
        let findings: Vec<String> = check(&Tree::from([(path, text)]))
            .iter()
            .map(|finding| finding.advice.clone())
            .collect();
        assert_eq!(findings, expect);
    }

    #[test]
    fn a_front_end_imports_what_is_below() {
        let text = "use crate::service::Session;\nuse crate::failure::Failure;\n";
        check_one("crates/app/src/cli/recall.rs", text, &[]);
        check_one("crates/app/src/mcp/answers.rs", text, &[]);
        check_one("crates/app/src/cli/a.rs", "use crate::cli::b;\nuse crate::mcp;\n", &[]);
        check_one("crates/app/src/main.rs", "crate::cli::run();\n", &[]);
        check_one("crates/app/src/http/mcp/calls.rs", "use crate::mcp::Call;\n", &[]);
        check_one("crates/engine/src/a.rs", "use crate::cli;\n", &[]);
    }

    #[test]
    fn what_is_shared_knows_no_front_end() {
        for named in ["cli", "mcp", "output"] {
            let advice = format!(
                "`service` may not import `{named}`, which is not below it; move what both need to `service` or lower"
            );
            let text = format!("pub(crate) use crate::{named}::a;\n");
            check_one("crates/app/src/service/a.rs", &text, &[&advice]);
        }
        let advice = "`mcp` may not import `cli`, which is not below it; move what both need to `service` or lower";
        check_one("crates/app/src/mcp/memory/a.rs", "let a = crate::cli::a();\n", &[advice]);
        let advice = "`mcp` may not import `http`, which is not below it; move what both need to `service` or lower";
        check_one("crates/app/src/mcp/a.rs", "use crate::http::a;\n", &[advice]);
        let advice = "`place` may not import `failure`, which is not below it; move what both need to `service` or lower";
        check_one("crates/app/src/place.rs", "use crate::failure::Failure;\n", &[advice]);
    }

    #[test]
    fn modules_are_named_one_by_one_and_each_has_a_layer() {
        let advice = "name the module: `use crate::module::…`, a line each";
        check_one("crates/app/src/service/a.rs", "use crate::{cli, text};\n", &[advice]);
        let advice =
            "belongs to no layer of the program; give it one in xtask/src/tidy/app_layers.rs";
        check_one("crates/app/src/web.rs", "", &[advice]);
    }
}
