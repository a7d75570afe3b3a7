//! Use: accesses, decay, feedback, highways, ties.

use super::*;

#[test]
fn case_40_given_five_retrievals_then_count_5_and_weight_1_25() {
    let mut shared = SharedSpace::new();
    let id = shared.keep("kiln cone six", json!({}));
    for _ in 0..5 {
        shared.ask("q", "kiln cone");
    }
    let shown = shared.show(&id);
    assert_eq!((shown.access_count, shown.accessed_by), (5, 1));
    assert!((shown.pheromone_weight - 1.25).abs() < 1e-6);
    // Reading by id, lineage and feedback do not count as access.
    shared.lineage(&id, 10);
    shared.feedback(&id, "wrong");
    assert_eq!(shared.show(&id).access_count, 5);
    assert!((shared.weight(&id) - 1.23).abs() < 1e-6);
}

#[test]
fn case_41_given_weight_1_when_idle_for_24_hours_then_about_0_887_and_never_below_0_1() {
    let mut shared = SharedSpace::new();
    let id = shared.keep("kiln cone six", json!({}));
    let other = shared.keep("boats", json!({}));
    shared.ask("q", "boats");
    shared.hours(24);
    assert!((shared.weight(&id) - 0.8867).abs() < 1e-3, "it decays from its creation");
    assert!((shared.weight(&other) - 1.05 * 0.8867).abs() < 1e-3);
    shared.hours(24 * 365);
    assert_eq!(shared.weight(&id), 0.1);
}

#[test]
fn feedback_does_not_move_the_hours_since_the_last_access() {
    let mut shared = SharedSpace::new();
    let id = shared.keep("kiln cone six", json!({}));
    shared.ask("q", "kiln cone");
    let minutes = |shared: &mut SharedSpace, count| shared.now += SignedDuration::from_mins(count);
    // Every half hour for ten hours, without a sum.
    for _ in 0..10 {
        for signal in ["useful", "wrong"] {
            minutes(&mut shared, 30);
            shared.feedback(&id, signal);
        }
    }
    let decayed = (0..10).fold(1.05, |weight, _| (weight + 0.02) * 0.995 - 0.02);
    assert!((shared.weight(&id) - decayed).abs() < 1e-6, "{}", shared.weight(&id));
    // Parts of hours before and after feedback make a whole one.
    shared.ask("q", "kiln cone");
    let weight = shared.weight(&id);
    minutes(&mut shared, 59);
    shared.feedback(&id, "useful");
    assert!((shared.weight(&id) - (weight + 0.02)).abs() < 2e-6);
    minutes(&mut shared, 59);
    assert!((shared.weight(&id) - (weight + 0.02) * 0.995).abs() < 2e-6);
    // So does what a contribution says of what its session was shown.
    let session = json!({ "session_id": "s" });
    shared.post(with(request("q", "kiln cone"), session.clone())).unwrap();
    let weight = shared.weight(&id);
    minutes(&mut shared, 59);
    let other = "Nobody here has ever written anything about zebras and the wide savannah.";
    shared.post(with(request("q", other), session)).unwrap();
    minutes(&mut shared, 59);
    assert!((shared.weight(&id) - (weight + 0.02) * 0.995).abs() < 2e-6);
    // One that was never accessed decays from its creation.
    let unseen = shared.keep("boats in the harbour", json!({}));
    minutes(&mut shared, 59);
    shared.feedback(&unseen, "useful");
    minutes(&mut shared, 2);
    assert!((shared.weight(&unseen) - 1.02 * 0.995).abs() < 1e-6);
}

#[test]
fn case_42_given_results_of_the_session_when_contributing_then_only_those_gain_0_02() {
    let mut shared = SharedSpace::new();
    let shown = shared.keep("kiln cone six", json!({}));
    let never = shared.keep("boats in the harbour", json!({}));
    let ask = |shared: &mut SharedSpace, prompt: &str, session: &str| {
        shared.post(with(request("q", prompt), json!({ "session_id": session }))).unwrap()
    };
    ask(&mut shared, "kiln cone", "one");
    assert!((shared.weight(&shown) - 1.05).abs() < 1e-6);
    let other = "Nobody here has ever written anything about zebras and the wide savannah.";
    let answer = ask(&mut shared, other, "two");
    assert!(!answer.trace.operations.contains(&MemoryOperation::FeedbackImplicit));
    assert!((shared.weight(&shown) - 1.05).abs() < 1e-6, "another session");
    let answer = ask(&mut shared, &other.replace("zebras", "lions"), "one");
    assert!(answer.trace.operations.contains(&MemoryOperation::FeedbackImplicit));
    assert!((shared.weight(&shown) - 1.07).abs() < 1e-6);
    assert_eq!(shared.weight(&never), 1.0);
    shared.raise(&shown, 10.0);
    shared.feedback(&shown, "useful");
    assert_eq!(shared.weight(&shown), 10.0, "the ceiling");
}

#[test]
fn case_44_given_three_accesses_by_one_agent_then_no_highway_until_a_second_agent() {
    let mut shared = SharedSpace::new();
    let id = shared.keep("kiln cone six", json!({}));
    for _ in 0..3 {
        assert!(shared.ask("one", "kiln cone").result.highways_nearby.is_empty());
    }
    assert!(shared.ask("two", "kiln cone").result.highways_nearby.is_empty(), "not yet accessed");
    let near = shared.ask("one", "kiln cone").result.highways_nearby;
    assert_eq!(near, ["kiln cone six (4 accesses, 2 agents)"]);
    assert!(shared.ask("one", "zebra").result.highways_nearby.is_empty(), "not near");
    let highways = manage::highways(&mut shared.caller(), None, 5).unwrap();
    assert_eq!(highways[0].thought_id.to_string(), id);
    assert_eq!(highways[0].traffic, 10);
}

#[test]
fn near_duplicates_are_one_highway() {
    let mut shared = SharedSpace::new();
    shared.keep("the kiln reaches cone six in nine hours", json!({}));
    shared.keep("The kiln reaches cone six in nine hours!", json!({}));
    for agent in ["a", "b", "a"] {
        shared.ask(agent, "kiln cone six");
    }
    assert_eq!(shared.ask("c", "kiln cone six").result.highways_nearby.len(), 1);
}

#[test]
fn a_query_keeps_nothing_and_counts_as_access() {
    let mut shared = SharedSpace::new();
    let id = shared.keep("kiln cone six", json!({}));
    let body = json!({ "query": STATEMENT, "agent_id": "a", "agent_name": "A" });
    let request = MemoryRequest::parse_query(body).unwrap();
    let answer = query(&mut shared.caller(), &request).unwrap();
    assert_eq!((answer.trace.thoughts_contributed, shared.thoughts()), (0, 1));
    assert!(!answer.trace.contribution_threshold_met);
    assert_eq!(shared.show(&id).access_count, 1);
}

#[test]
fn use_breaks_ties_and_nothing_else() {
    let mut shared = SharedSpace::new();
    let first = shared.keep("kiln cone six", json!({}));
    let later = shared.keep("kiln cone six", json!({}));
    let order = |shared: &mut SharedSpace| -> Vec<String> {
        let body = with(request("q", "kiln cone six"), json!({ "read_only": true }));
        let sources = shared.post(body).unwrap().result.sources;
        sources.iter().map(|source| source.thought_id.to_string()).collect()
    };
    assert_eq!(order(&mut shared), [later.clone(), first.clone()], "the later one first");
    shared.feedback(&first, "useful");
    assert_eq!(order(&mut shared), [first, later]);
    let near = shared.keep("kiln of boats", json!({}));
    shared.raise(&near, 9.0);
    assert_ne!(order(&mut shared)[0], near, "less similar, however often used");
}

#[test]
fn use_survives_a_restart_and_a_lost_journal_costs_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("space.db");
    let now: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
    let open = |space: Space| SharedSpace {
        space,
        now,
        rights: OWNER,
        disclosure: Disclosure::Full,
        sealer: None,
    };
    let mut shared = open(Space::create(&path, signer(1), "shared", now).unwrap());
    let id = shared.keep("kiln cone six", json!({}));
    shared.ask("q", "kiln cone");
    let journal = shared.space.journal_path().unwrap();
    drop(shared);
    let mut shared = open(Space::open(&path, signer(1)).unwrap());
    assert_eq!(shared.show(&id).access_count, 1);
    assert!(!shared.ask("q", "kiln").trace.operations.contains(&MemoryOperation::Onboard));
    drop(shared);
    for suffix in ["", "-wal", "-shm"] {
        let mut file = journal.clone().into_os_string();
        file.push(suffix);
        let _ = std::fs::remove_file(file);
    }
    let mut shared = open(Space::open(&path, signer(1)).unwrap());
    assert_eq!(shared.show(&id).access_count, 0);
    assert_eq!(shared.ask("q", "kiln").result.sources.len(), 1);
}
