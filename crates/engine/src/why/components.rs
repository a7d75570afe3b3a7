//! Strongly connected components: the cycles of a graph.
//!
//! Tarjan's algorithm (1972) with a stack of its own, so that a chain of any length is within
//! bounds.

/// A node whose successors are being visited.
struct Frame {
    node: usize,
    /// The place of the next successor.
    next: usize,
}

/// The components of a graph with an edge to each of its successors. A component comes after those
/// that it leads to; its members are in ascending order.
pub(super) fn components(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let mut number = vec![UNSEEN; successors.len()];
    let mut low = vec![0; successors.len()];
    let mut is_open = vec![false; successors.len()];
    let (mut open, mut found, mut count) = (Vec::new(), Vec::new(), 0);
    for start in 0..successors.len() {
        if number[start] != UNSEEN {
            continue;
        }
        let mut frames = vec![Frame { node: start, next: 0 }];
        while let Some(Frame { node, next }) = frames.last_mut() {
            let at = *node;
            if *next == 0 && number[at] == UNSEEN {
                (number[at], low[at], is_open[at]) = (count, count, true);
                count += 1;
                open.push(at);
            }
            if let Some(successor) = successors[at].get(*next).copied() {
                *next += 1;
                if number[successor] == UNSEEN {
                    frames.push(Frame { node: successor, next: 0 });
                } else if is_open[successor] {
                    low[at] = low[at].min(number[successor]);
                }
                continue;
            }
            frames.pop();
            if let Some(Frame { node, .. }) = frames.last() {
                low[*node] = low[*node].min(low[at]);
            }
            if low[at] == number[at] {
                let place = open.iter().rposition(|member| *member == at).unwrap_or_default();
                let mut members = open.split_off(place);
                members.iter().for_each(|member| is_open[*member] = false);
                members.sort_unstable();
                found.push(members);
            }
        }
    }
    found
}

/// The components that are cycles: those of several nodes, and nodes that lead to themselves.
pub(super) fn cycles(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut cycles = components(successors);
    cycles.retain(|members| match members.as_slice() {
        [only] => successors[*only].contains(only),
        _ => true,
    });
    cycles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_found_and_what_only_leads_to_them_is_outside() {
        let graph = [vec![1], vec![2, 3], vec![0], vec![4], vec![4], vec![0]];
        assert_eq!(components(&graph), [vec![4], vec![3], vec![0, 1, 2], vec![5]]);
        assert_eq!(cycles(&graph), [vec![4], vec![0, 1, 2]]);
    }

    #[test]
    fn a_long_chain_needs_no_stack_of_the_thread() {
        let length = 200_000;
        let chain: Vec<Vec<usize>> = (1..=length).map(|next| vec![next % length]).collect();
        assert_eq!(cycles(&chain).len(), 1);
        let open: Vec<Vec<usize>> =
            (0..length).map(|at| if at + 1 < length { vec![at + 1] } else { vec![] }).collect();
        assert_eq!(components(&open).len(), length);
    }
}
