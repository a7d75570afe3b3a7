//! Setup shared by all benchmarks.

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The sizes named on the command line, or the defaults. None under `cargo test --benches`, which
/// only checks that the benchmark builds.
pub(crate) fn sizes(usual: &[usize]) -> Option<Vec<usize>> {
    if std::env::args().any(|argument| argument == "--test") {
        return None;
    }
    let named: Vec<usize> =
        std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    Some(if named.is_empty() { usual.to_vec() } else { named })
}
