//! The `because` binary.
fn main() {}
