//! Parallel work on many items, with the results in the order of the items, so that conclusions do
//! not depend on the scheduling of threads.

use std::thread::{available_parallelism, scope};

/// Most threads.
const THREADS_MAX: usize = 8;

/// Applies `work` to every item; the results are in the order of the items. A panic of `work`
/// becomes the caller's.
pub(super) fn each<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    // Asking for the number of cores reads several files.
    let cores = || available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = if items.len() < 2 { 1 } else { cores().min(THREADS_MAX).min(items.len()) };
    if threads < 2 {
        return items.into_iter().map(work).collect();
    }
    // Neighbours often cost the same, so each chunk takes every n-th item.
    let mut chunks: Vec<Vec<(usize, T)>> = (0..threads).map(|_| Vec::new()).collect();
    for (place, item) in items.into_iter().enumerate() {
        if let Some(chunk) = chunks.get_mut(place % threads) {
            chunk.push((place, item));
        }
    }
    let work = &work;
    let work_through = |chunk: Vec<(usize, T)>| {
        chunk.into_iter().map(|(place, item)| (place, work(item))).collect::<Vec<_>>()
    };
    let mut results: Vec<(usize, R)> = scope(|scope| {
        let own = chunks.pop().unwrap_or_default();
        let workers: Vec<_> =
            chunks.into_iter().map(|chunk| scope.spawn(|| work_through(chunk))).collect();
        let mut results = work_through(own);
        for worker in workers {
            match worker.join() {
                Ok(part) => results.extend(part),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    });
    results.sort_unstable_by_key(|(place, _)| *place);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_come_in_the_order_of_the_items() {
        for count in [0, 1, 2, 7, 100] {
            let doubled = super::each((0..count).collect(), |number: u32| number * 2);
            assert_eq!(doubled, (0..count).map(|number| number * 2).collect::<Vec<_>>());
        }
    }
}
