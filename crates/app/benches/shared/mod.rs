//! What all benchmarks begin with.

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The sizes that are named on the command line, or those that are usual. None under `cargo test
/// --benches`, which only wants to know that it builds.
pub(crate) fn sizes(usual: &[usize]) -> Option<Vec<usize>> {
    if std::env::args().any(|argument| argument == "--test") {
        return None;
    }
    let named: Vec<usize> =
        std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    Some(if named.is_empty() { usual.to_vec() } else { named })
}
