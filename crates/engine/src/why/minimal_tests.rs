//! The minimal support set against brute force, and how often it is proven.

use std::time::Instant;

use super::closure::{ClaimCost, Closure, Premises, SupportGraph};
use super::minimal::{MinimalSet, WORK_MAX, minimal_set};

fn claim(doubt_ppm: u32) -> Option<ClaimCost> {
    Some(ClaimCost { is_outside: false, doubt_ppm })
}

/// A claim that needs some others.
fn needing(needs: &[usize]) -> Premises {
    Premises { claim: claim(0), needs: Some(needs.to_vec()), supporters: Vec::new() }
}

/// A claim that rests on something dead, with supporters.
fn supported_by(supporters: &[usize]) -> Premises {
    Premises { claim: claim(0), needs: None, supporters: supporters.to_vec() }
}

fn check(records: Vec<Premises>, target: usize, expected: Option<&[usize]>) {
    let found = minimal_set(&SupportGraph::new(records), target, WORK_MAX);
    let expected = expected.map(|claims| MinimalSet { claims: claims.to_vec(), is_minimal: true });
    assert_eq!(found, expected);
}

#[test]
fn ground_alone_needs_no_claims() {
    let node = Premises { needs: Some(vec![]), ..Premises::default() };
    check(vec![node.clone()], 0, Some(&[]));
    check(vec![needing(&[])], 0, Some(&[]));
    check(vec![node, needing(&[0])], 1, Some(&[]));
}

#[test]
fn all_needs_count_together_and_one_supporter_is_enough() {
    check(vec![needing(&[1, 2]), needing(&[3]), needing(&[3]), needing(&[])], 0, Some(&[1, 2, 3]));
    let way = Premises { needs: Some(vec![1, 2]), supporters: vec![3], ..Premises::default() };
    check(vec![way, needing(&[]), needing(&[]), needing(&[])], 0, Some(&[3]));
}

#[test]
fn what_rests_on_something_dead_does_not_hold() {
    check(vec![needing(&[1]), supported_by(&[])], 0, None);
    check(vec![supported_by(&[1]), supported_by(&[0])], 0, None);
    check(vec![supported_by(&[0])], 0, None);
}

#[test]
fn a_cycle_of_needs_holds_as_one_and_a_cycle_of_supporters_does_not() {
    check(vec![needing(&[1]), needing(&[2]), needing(&[0])], 0, Some(&[1, 2]));
    check(vec![needing(&[0])], 0, Some(&[]));
    // One of the cycle needs something dead, so all of it does.
    let dead = vec![needing(&[1]), needing(&[2]), needing(&[0, 3]), supported_by(&[])];
    check(dead.clone(), 0, None);
    // A supporter holds up what was dead, and with it the cycle.
    let mut supported = dead;
    supported[2] = supported_by(&[4]);
    supported.push(needing(&[]));
    check(supported, 0, Some(&[1, 2, 4]));
    let graph = SupportGraph::new(vec![needing(&[1]), supported_by(&[0]), needing(&[0])]);
    assert_eq!(graph.clusters(), [vec![0, 1]]);
}

#[test]
fn fewest_first_then_least_doubt_then_the_smallest_places() {
    let target =
        |supporters: &[usize]| Premises { supporters: supporters.to_vec(), ..Premises::default() };
    let doubtful = Premises { claim: claim(400_000), ..needing(&[]) };
    let sure = needing(&[]);
    check(vec![target(&[1, 2]), doubtful.clone(), sure.clone()], 0, Some(&[2]));
    check(vec![target(&[1, 2]), sure.clone(), sure.clone()], 0, Some(&[1]));
    let of_two = vec![target(&[1, 2]), doubtful, needing(&[3]), sure.clone()];
    check(of_two, 0, Some(&[1]));
    // One that is not true at the time is worse than any number of those that are.
    let outside = ClaimCost { is_outside: true, doubt_ppm: 0 };
    let outside = Premises { claim: Some(outside), ..needing(&[]) };
    let of_two = vec![target(&[1, 2]), outside.clone(), needing(&[3]), sure];
    check(of_two, 0, Some(&[2, 3]));
    check(vec![target(&[1]), outside], 0, Some(&[1]));
}

#[test]
fn a_chain_of_ten_thousand_is_found_whole() {
    let length = 10_000;
    let mut chain: Vec<Premises> = (1..length).map(|next| needing(&[next])).collect();
    chain.push(needing(&[]));
    let found = minimal_set(&SupportGraph::new(chain), 0, WORK_MAX).unwrap();
    assert_eq!((found.claims.len(), found.is_minimal), (length - 1, true));
}

#[test]
fn ten_thousand_alternatives_cost_no_more_than_the_work_allows() {
    let count = 10_000;
    let mut records = vec![Premises { supporters: (1..=count).collect(), ..Premises::default() }];
    records.extend((0..count).map(|_| needing(&[])));
    let found = minimal_set(&SupportGraph::new(records), 0, WORK_MAX).unwrap();
    assert_eq!(found.claims.len(), 1);
}

#[test]
fn without_work_a_set_that_suffices_is_found_and_said_not_to_be_proven() {
    let pair = |a, b| Premises { supporters: vec![a, b], ..Premises::default() };
    let records = vec![
        Premises { needs: Some(vec![1, 2]), ..Premises::default() },
        pair(3, 4),
        pair(4, 5),
        needing(&[]),
        needing(&[]),
        needing(&[]),
    ];
    let graph = SupportGraph::new(records);
    let bounded = minimal_set(&graph, 0, 0).unwrap();
    assert!(!bounded.is_minimal);
    assert!(Closure::of(&graph, bounded.claims.iter().copied()).holds(0));
    let exact = minimal_set(&graph, 0, WORK_MAX).unwrap();
    assert_eq!(exact, MinimalSet { claims: vec![4], is_minimal: true });
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

/// A graph in which anything may need or support anything, cycles included.
fn random_graph(random: &mut Random, count: usize, shape: &Shape) -> Vec<Premises> {
    let some = |random: &mut Random, most: usize, at: usize| -> Vec<usize> {
        // The last ones need nothing, so that chains end.
        let least = if at + count / 10 < count { shape.least } else { 0 };
        let number = least + random.below((most + 1 - least) as u64) as usize;
        (0..number)
            .map(|_| {
                let is_back = random.below(100) < shape.back_percent;
                let low = if is_back || at + 1 >= count { 0 } else { at + 1 };
                low + random.below((count - low) as u64) as usize
            })
            .collect()
    };
    (0..count)
        .map(|at| Premises {
            claim: (random.below(100) >= shape.nodes_percent).then(|| ClaimCost {
                is_outside: random.below(100) < 10,
                doubt_ppm: random.below(4) as u32 * 100_000,
            }),
            needs: (random.below(100) >= shape.dead_percent)
                .then(|| some(random, shape.needs_max, at)),
            supporters: some(random, shape.supporters_max, at),
        })
        .collect()
}

struct Shape {
    nodes_percent: u64,
    dead_percent: u64,
    back_percent: u64,
    least: usize,
    needs_max: usize,
    supporters_max: usize,
}

/// What holds with these claims, by the definition: the least fixed point over supporters of the
/// greatest over needs.
fn holds(records: &[Premises], claims: &[usize], target: usize) -> bool {
    let is_taken = |at: usize| records[at].claim.is_none() || at == target || claims.contains(&at);
    let mut held = vec![false; records.len()];
    loop {
        let mut inner = vec![true; records.len()];
        loop {
            let next: Vec<bool> = (0..records.len())
                .map(|at| {
                    let needs = records[at].needs.as_ref();
                    let has_needs =
                        needs.is_some_and(|needs| needs.iter().all(|need| inner[*need]));
                    let is_supported = records[at].supporters.iter().any(|other| held[*other]);
                    is_taken(at) && (has_needs || is_supported)
                })
                .collect();
            if next == inner {
                break;
            }
            inner = next;
        }
        if inner == held {
            return held[target];
        }
        held = inner;
    }
}

/// The best set, by trying all.
fn brute_force(records: &[Premises], target: usize) -> Option<Vec<usize>> {
    let all: Vec<usize> =
        (0..records.len()).filter(|at| *at != target && records[*at].claim.is_some()).collect();
    let rank = |set: &Vec<usize>| {
        let claims = || set.iter().filter_map(|at| records[*at].claim);
        let outside = claims().filter(|claim| claim.is_outside).count();
        let doubt: u64 = claims().map(|claim| u64::from(claim.doubt_ppm)).sum();
        (outside, set.len(), doubt, set.clone())
    };
    (0..1_u32 << all.len())
        .map(|mask| {
            let chosen = all.iter().enumerate().filter(|(place, _)| mask & (1 << place) != 0);
            chosen.map(|(_, at)| *at).collect::<Vec<_>>()
        })
        .filter(|set| holds(records, set, target))
        .min_by_key(rank)
}

#[test]
fn small_graphs_get_the_answer_of_brute_force() {
    let shapes = [
        Shape {
            nodes_percent: 20,
            dead_percent: 30,
            back_percent: 50,
            least: 0,
            needs_max: 3,
            supporters_max: 2,
        },
        Shape {
            nodes_percent: 10,
            dead_percent: 10,
            back_percent: 10,
            least: 0,
            needs_max: 2,
            supporters_max: 2,
        },
        Shape {
            nodes_percent: 0,
            dead_percent: 60,
            back_percent: 30,
            least: 0,
            needs_max: 2,
            supporters_max: 3,
        },
        Shape {
            nodes_percent: 30,
            dead_percent: 5,
            back_percent: 100,
            least: 0,
            needs_max: 2,
            supporters_max: 1,
        },
    ];
    for seed in 0..1_200_u64 {
        let mut random = Random::new(seed);
        let count = 2 + random.below(8) as usize;
        let records = random_graph(&mut random, count, &shapes[seed as usize % shapes.len()]);
        let found = minimal_set(&SupportGraph::new(records.clone()), 0, WORK_MAX);
        let expected = brute_force(&records, 0);
        assert_eq!(found.as_ref().map(|found| &found.claims), expected.as_ref(), "seed {seed}");
        assert!(found.is_none_or(|found| found.is_minimal), "seed {seed}");
    }
}

/// Of targets in graphs of 200 records, how many per mille are proven minimal, and the longest
/// search.
#[test]
fn nearly_all_sets_among_two_hundred_records_are_proven_minimal() {
    let shapes = [
        Shape {
            nodes_percent: 10,
            dead_percent: 30,
            back_percent: 5,
            least: 0,
            needs_max: 2,
            supporters_max: 2,
        },
        Shape {
            nodes_percent: 5,
            dead_percent: 60,
            back_percent: 20,
            least: 0,
            needs_max: 3,
            supporters_max: 3,
        },
        Shape {
            nodes_percent: 0,
            dead_percent: 20,
            back_percent: 0,
            least: 0,
            needs_max: 3,
            supporters_max: 1,
        },
        Shape {
            nodes_percent: 10,
            dead_percent: 80,
            back_percent: 50,
            least: 0,
            needs_max: 4,
            supporters_max: 4,
        },
    ];
    let deep = [
        Shape {
            nodes_percent: 5,
            dead_percent: 10,
            back_percent: 3,
            least: 1,
            needs_max: 2,
            supporters_max: 1,
        },
        Shape {
            nodes_percent: 5,
            dead_percent: 0,
            back_percent: 0,
            least: 1,
            needs_max: 3,
            supporters_max: 2,
        },
        Shape {
            nodes_percent: 5,
            dead_percent: 0,
            back_percent: 10,
            least: 2,
            needs_max: 3,
            supporters_max: 2,
        },
        Shape {
            nodes_percent: 0,
            dead_percent: 50,
            back_percent: 10,
            least: 2,
            needs_max: 3,
            supporters_max: 3,
        },
    ];
    let shapes: Vec<Shape> = shapes.into_iter().chain(deep).collect();
    let targets_per_shape = if cfg!(debug_assertions) { 15 } else { 250 };
    let (mut proven, mut held) = (0, 0);
    for (number, shape) in shapes.iter().enumerate() {
        let (mut times, mut unproven, mut sizes) = (Vec::new(), 0, 0);
        for target in 0..targets_per_shape {
            let mut random = Random::new((number * 1_000_000 + target) as u64);
            let records = random_graph(&mut random, 200, shape);
            let graph = SupportGraph::new(records);
            let start = Instant::now();
            let Some(found) = minimal_set(&graph, 0, WORK_MAX) else { continue };
            times.push(start.elapsed());
            held += 1;
            sizes += found.claims.len();
            if found.is_minimal {
                proven += 1
            } else {
                unproven += 1
            }
            assert!(Closure::of(&graph, found.claims.iter().copied().chain([0])).holds(0));
        }
        times.sort_unstable();
        let at = |percent: usize| times.get(times.len() * percent / 100).copied();
        println!(
            "shape {number}: {} held, {unproven} unproven, {sizes} claims, median {:?}, p95 {:?}, longest {:?}",
            times.len(),
            at(50),
            at(95),
            times.last()
        );
    }
    assert!(held > 0 && proven * 100 >= held * 95, "{proven} of {held}");
}
