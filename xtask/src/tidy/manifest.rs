//! The dependencies in the `Cargo.toml` files, with their lines.

use std::collections::BTreeMap;

use toml_edit::{Document, Item, Key, TableLike};

use super::Finding;
use super::tree::{File, Tree};

/// One crate of ours.
pub(crate) struct Manifest {
    /// The path of its `Cargo.toml`.
    pub(crate) path: String,
    /// Its short name: the name of its folder (`kernel`, `xtask`).
    pub(crate) name: String,
    pub(crate) dependencies: Vec<Dependency>,
}

/// One line of a `[dependencies]` table.
pub(crate) struct Dependency {
    /// The package's name in the registry, or the folder's name of a crate of ours.
    pub(crate) name: String,
    pub(crate) origin: Origin,
    pub(crate) purpose: Purpose,
    pub(crate) line: usize,
}

/// Whether a crate is ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Ours,
    Registry,
}

/// What a dependency is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Product,
    Tests,
    BuildScript,
}

/// Reads all manifests; one that cannot be read is a finding.
pub(crate) fn read_all(tree: &Tree) -> Result<Vec<Manifest>, Finding> {
    let is_manifest =
        |file: &&File| file.path == "Cargo.toml" || file.path.ends_with("/Cargo.toml");
    let files = || tree.files().iter().filter(is_manifest).filter(|file| !file.is_data());
    let shared = match tree.file("Cargo.toml") {
        Some(root) => shared_dependencies(parse(root)?.as_table()),
        None => BTreeMap::new(),
    };
    files().map(|file| manifest(file, &shared)).collect()
}

fn parse(file: &File) -> Result<Document<&str>, Finding> {
    Document::parse(file.text.as_str()).map_err(|error| {
        let line = error.span().map_or(1, |span| file.line_at(span.start));
        Finding::new(&file.path, line, format!("is no TOML: {}", error.message()))
    })
}

/// `[workspace.dependencies]`, by key.
fn shared_dependencies(root: &dyn TableLike) -> BTreeMap<String, (String, Origin)> {
    let dependencies =
        sub_table(root, "workspace").and_then(|workspace| sub_table(workspace, "dependencies"));
    let entries = dependencies.into_iter().flat_map(|table| table.iter());
    entries.map(|(key, value)| (key.to_owned(), target(key, value))).collect()
}

fn manifest(file: &File, shared: &BTreeMap<String, (String, Origin)>) -> Result<Manifest, Finding> {
    let document = parse(file)?;
    let table = document.as_table();
    let folder = file.path.trim_end_matches("Cargo.toml").trim_end_matches('/');
    let name = folder.rsplit('/').next().unwrap_or_default().to_owned();
    let mut dependencies = Vec::new();
    collect(file, table, shared, &mut dependencies);
    for (_, platform) in sub_table(table, "target").into_iter().flat_map(|table| table.iter()) {
        if let Some(platform) = platform.as_table_like() {
            collect(file, platform, shared, &mut dependencies);
        }
    }
    Ok(Manifest { path: file.path.clone(), name, dependencies })
}

fn collect(
    file: &File,
    table: &dyn TableLike,
    shared: &BTreeMap<String, (String, Origin)>,
    dependencies: &mut Vec<Dependency>,
) {
    let sections = [
        ("dependencies", Purpose::Product),
        ("dev-dependencies", Purpose::Tests),
        ("build-dependencies", Purpose::BuildScript),
    ];
    for (section, purpose) in sections {
        let Some(stated) = sub_table(table, section) else { continue };
        for (key, value) in stated.iter() {
            let line =
                stated.key(key).and_then(Key::span).map_or(1, |span| file.line_at(span.start));
            let is_shared = value.get("workspace").is_some();
            let shared = is_shared.then(|| shared.get(key).cloned()).flatten();
            let (name, origin) = shared.unwrap_or_else(|| target(key, value));
            dependencies.push(Dependency { name, origin, purpose, line });
        }
    }
}

/// The package of an entry `key = value`.
fn target(key: &str, value: &Item) -> (String, Origin) {
    let text = |field: &str| value.get(field).and_then(Item::as_str);
    match text("path") {
        Some(path) => {
            (path.trim_end_matches('/').rsplit('/').next().unwrap_or(key).to_owned(), Origin::Ours)
        }
        None => (text("package").unwrap_or(key).to_owned(), Origin::Registry),
    }
}

fn sub_table<'a>(table: &'a dyn TableLike, name: &str) -> Option<&'a dyn TableLike> {
    table.get(name)?.as_table_like()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_state_a_dependency_is_read() {
        let root = "[workspace.dependencies]\nkernel = { path = \"crates/kernel\", package = \"p\" }\nserde = \"1\"\n";
        let member = "[dependencies]\nkernel.workspace = true\nserde = { workspace = true }\nother = { package = \"real\", version = \"1\" }\n\
             [dev-dependencies]\ntempfile = \"3\"\n[target.'cfg(unix)'.dependencies]\nlibc = \"0.2\"\n";
        let tree = Tree::from([("Cargo.toml", root), ("crates/store/Cargo.toml", member)]);
        let Ok(manifests) = read_all(&tree) else { panic!("a manifest cannot be read") };
        assert_eq!(manifests[1].name, "store");
        let seen: Vec<_> = manifests[1]
            .dependencies
            .iter()
            .map(|d| (d.name.as_str(), d.origin, d.purpose, d.line))
            .collect();
        assert_eq!(
            seen,
            [
                ("kernel", Origin::Ours, Purpose::Product, 2),
                ("serde", Origin::Registry, Purpose::Product, 3),
                ("real", Origin::Registry, Purpose::Product, 4),
                ("tempfile", Origin::Registry, Purpose::Tests, 6),
                ("libc", Origin::Registry, Purpose::Product, 8),
            ]
        );
    }

    #[test]
    fn a_broken_manifest_is_a_finding() {
        let finding = read_all(&Tree::from([("Cargo.toml", "[package]\nname = \n")])).err();
        assert_eq!(finding.map(|finding| finding.line), Some(2));
    }
}
