//! Writes the language-neutral test vectors of `fixtures/vectors`, or says which of them differ.
//!
//! `cargo run -p because-kernel --example vectors -- --write` is the only way to change them: a
//! change of the vectors is a change of the format, to be seen and explained in a commit of its
//! own.

#![expect(clippy::print_stdout, reason = "a command for developers")]

mod generate;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/vectors");
    let write = std::env::args().nth(1).as_deref() == Some("--write");
    let mut differs = false;
    for file in generate::files() {
        let path = folder.join(&file.path);
        if std::fs::read_to_string(&path).is_ok_and(|found| found == file.text) {
            continue;
        }
        differs = true;
        println!("{} {}", if write { "written:" } else { "differs:" }, file.path);
        if write && let Err(error) = write_file(&path, &file.text) {
            println!("cannot write {}: {error}", file.path);
            return ExitCode::FAILURE;
        }
    }
    if differs && !write {
        println!(
            "to accept what the kernel does now: cargo run -p because-kernel --example vectors -- --write"
        );
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn write_file(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::write(path, text)
}
