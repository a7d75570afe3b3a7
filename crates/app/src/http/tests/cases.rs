//! The cases of the specification, over HTTP.

use super::*;

/// A server with one space, and a token that may do everything there.
fn served() -> (TestServer, String) {
    let server = TestServer::of(&["own"]);
    let token = server.token(&["own:read,append,correct"]);
    (server, token)
}

#[test]
fn case_24_given_both_refines_and_consolidates_then_mutual_exclusion() {
    let (server, token) = served();
    for more in [
        json!({ "refines": UNKNOWN, "consolidates": [UNKNOWN, "x"] }),
        json!({ "refines": UNKNOWN, "consolidates": [] }),
        json!({ "refines": UNKNOWN, "corrects": UNKNOWN }),
        json!({ "corrects": UNKNOWN, "consolidates": [] }),
    ] {
        server.memory(&token, "a", STATEMENT, more).refused(400, "MUTUAL_EXCLUSION");
    }
    assert_eq!(server.thoughts(), 0);
}

#[test]
fn case_25_given_consolidates_of_one_then_min_consolidation() {
    let (server, token) = served();
    let id = server.keep(&token, STATEMENT, json!({}));
    let op = server.show(&token, &id)["id"].clone();
    for ids in [json!([]), json!([id]), json!([id, id]), json!([id, op]), json!(["x"])] {
        let reply = server.memory(&token, "a", STATEMENT, json!({ "consolidates": ids }));
        reply.refused(400, "MIN_CONSOLIDATION");
    }
}

#[test]
fn case_26_given_an_unknown_reference_then_not_found_and_nothing_stored() {
    let (server, token) = served();
    let known = server.keep(&token, STATEMENT, json!({}));
    for more in [
        json!({ "refines": UNKNOWN }),
        json!({ "refines": "" }),
        json!({ "refines": "not an id" }),
        json!({ "refines": "b3:zz" }),
        json!({ "refines": "a".repeat(100_000) }),
        json!({ "refines": format!("b3:{}", "0".repeat(64)) }),
        json!({ "corrects": UNKNOWN }),
        json!({ "consolidates": [known, UNKNOWN] }),
    ] {
        server.memory(&token, "a", STATEMENT, more).refused(404, "THOUGHT_NOT_FOUND");
    }
    assert_eq!(server.thoughts(), 1);
}

#[test]
fn case_27_given_a_prompt_of_10001_characters_then_validation_error() {
    let (server, token) = served();
    server.memory(&token, "a", &"é ".repeat(5_000), json!({})).ok();
    let long = server.memory(&token, "a", &"é".repeat(10_001), json!({}));
    assert!(long.refused(400, "VALIDATION_ERROR").contains("prompt"));
}

#[test]
fn case_28_and_29_given_remarks_and_questions_then_only_statements_are_stored() {
    let (server, token) = served();
    let of = |length: usize| "kiln ".repeat(20)[..length - 1].to_owned() + "x";
    let question = "Why does Node.js keep the event loop alive after the very last timer ran out?";
    for (prompt, kept) in [
        (of(50), 0),
        (of(51), 1),
        (question.to_owned(), 0),
        (format!("You said that {STATEMENT}"), 0),
        (format!("BASED ON what I know, {STATEMENT}"), 0),
    ] {
        let trace = server.ask(&token, "a", &prompt)["trace"].clone();
        assert_eq!(trace["thoughts_contributed"], kept, "{prompt}");
        assert_eq!(trace["contribution_threshold_met"], kept == 1);
        assert_eq!(trace["contributed_thought_id"].is_string(), kept == 1);
    }
    assert_eq!(server.thoughts(), 1);
}

#[test]
fn case_30_given_a_short_refinement_then_it_is_stored_despite_the_threshold() {
    let (server, token) = served();
    let id = server.keep(&token, STATEMENT, json!({}));
    let trace = server.memory(&token, "b", "Eight hours?", json!({ "refines": id })).ok();
    let trace = &trace["trace"];
    assert_eq!(trace["thoughts_contributed"], 1);
    let refined = trace["contributed_thought_id"].as_str().unwrap();
    let shown = server.show(&token, refined);
    assert_eq!(
        (&shown["thought_type"], &shown["content"]),
        (&json!("refinement"), &json!("Eight hours?"))
    );
    assert_eq!(shown["source_ids"], json!([id]));
    assert_eq!(
        trace["lineage_summary"],
        json!({ "has_lineage": true, "chain_length": 2, "deepest_ancestor": id, "latest_refinement": refined })
    );
}

#[test]
fn case_31_given_read_only_then_no_thought_no_weight_no_count_changes() {
    let (server, token) = served();
    let id = server.keep(&token, STATEMENT, json!({}));
    let more = json!({ "read_only": true, "session_id": "s" });
    let answer = server.memory(&token, "a", STATEMENT, more).ok();
    assert_eq!(source_ids(&answer), [id.as_str()]);
    assert_eq!(answer["trace"]["thoughts_contributed"], 0);
    assert_eq!(answer["trace"]["operations"], json!(["retrieve", "onboard"]));
    let shown = server.show(&token, &id);
    let use_of =
        ["pheromone_weight", "access_count", "accessed_by"].map(|field| shown[field].clone());
    assert_eq!(json!(use_of), json!([1.0, 0, 0]));
    let next = server.memory(&token, "a", STATEMENT, json!({ "session_id": "s" })).ok();
    let done = next["trace"]["operations"].to_string();
    assert!(!done.contains("onboard") && !done.contains("feedback"), "{done}");
}

#[test]
fn case_32_given_a_first_contribution_then_its_id_is_returned_and_it_is_not_its_own_source() {
    let (server, token) = served();
    let answer = server.ask(&token, "a", STATEMENT);
    let id = answer["trace"]["contributed_thought_id"].as_str().unwrap();
    assert_eq!(answer["result"]["sources"], json!([]));
    assert!(!answer["result"]["guidance"].as_str().unwrap().contains(id));
    assert_eq!(server.show(&token, id)["access_count"], 0);
}

#[test]
fn case_33_given_a_new_agent_who_contributes_then_welcome_and_warning_are_both_there() {
    let (server, token) = served();
    let wrong = server.keep(&token, STATEMENT, json!({}));
    let right = "It takes eleven hours, and the lid makes no difference at all to that.";
    server.keep(&token, right, json!({ "corrects": wrong }));
    let answer = server.ask(&token, "new", STATEMENT);
    let guidance = answer["result"]["guidance"].as_str().unwrap();
    assert!(guidance.contains("welcome") && guidance.contains("correct"), "{guidance}");
    let again = server.ask(&token, "new", STATEMENT);
    let offered = again["result"]["guidance"].as_str().unwrap();
    assert!(!offered.contains("welcome") && offered.contains("refine"), "{offered}");
}

#[test]
fn case_34_and_35_given_weights_then_refinements_and_consolidations_inherit_half() {
    let (server, token) = served();
    let ids: Vec<String> =
        ["one", "two", "three"].map(|text| server.keep(&token, text, json!({}))).into();
    server.raise(&token, &ids[0], 4.0);
    server.raise(&token, &ids[1], 8.0);
    let made = |more: Value| {
        let answer = server.memory(&token, "a", "x", more).ok();
        let id = answer["trace"]["contributed_thought_id"].as_str().unwrap().to_owned();
        server.weight(&token, &id)
    };
    assert_eq!(made(json!({ "consolidates": [ids[0], ids[1]] })), 3.0);
    server.raise(&token, &ids[0], 6.0);
    assert_eq!(made(json!({ "refines": ids[0] })), 3.0);
    assert_eq!(made(json!({ "refines": ids[2] })), 1.0);
    assert_eq!(made(json!({ "corrects": ids[1] })), 1.0);
}

#[test]
fn case_36_to_38_given_refinements_then_the_newest_is_named_and_scores_change_once() {
    let (server, token) = served();
    let first = server.keep(&token, "kiln cone six", json!({}));
    let plain = server.memory(&token, "q", "kiln cone six", json!({ "read_only": true })).ok();
    let alone = plain["result"]["sources"][0].clone();
    assert_eq!((&alone["refined_by"], &alone["superseded"]), (&Value::Null, &json!(false)));
    let second = server.keep(&token, "kiln cone six", json!({ "refines": first }));
    let third = server.keep(&token, "kiln cone six", json!({ "refines": first }));
    let answer = server.memory(&token, "q", "kiln cone six", json!({ "read_only": true })).ok();
    let sources = answer["result"]["sources"].as_array().unwrap();
    let of = |id: &str| sources.iter().find(|source| source["thought_id"] == id).unwrap();
    assert_eq!(of(&first)["refined_by"], third.as_str());
    assert_eq!(of(&first)["superseded"], true);
    let score = alone["score"].as_f64().unwrap();
    let lowered = of(&first)["score"].as_f64().unwrap();
    assert!((lowered - score * 0.7).abs() <= 0.01, "{lowered} {score}");
    assert!(of(&second)["score"].as_f64().unwrap() <= 1.0);
    assert!(of(&second)["score"].as_f64().unwrap() > lowered);
    // A thought of which two others are made is lowered once.
    let other = server.keep(&token, "kiln cone seven", json!({}));
    server.keep(&token, "firing in short", json!({ "consolidates": [first, other] }));
    let answer = server.memory(&token, "q", "kiln cone six", json!({ "read_only": true })).ok();
    let sources = answer["result"]["sources"].as_array().unwrap();
    let again = sources.iter().find(|source| source["thought_id"] == first.as_str()).unwrap();
    assert_eq!(again["score"], lowered);
}

#[test]
fn case_39_given_a_chain_of_12_then_depths_are_signed_and_cut_at_ten() {
    let (server, token) = served();
    let mut ids = vec![server.keep(&token, "step 0", json!({}))];
    for step in 1..12 {
        let refines = json!({ "refines": ids[step - 1] });
        ids.push(server.keep(&token, &format!("step {step}"), refines));
    }
    let lineage = |id: &str, query: &str| {
        server.get(&format!("/api/v1/thoughts/{id}/lineage{query}"), &token).ok()
    };
    let depths = |answer: &Value| -> Vec<i64> {
        let chain = answer["chain"].as_array().unwrap();
        chain.iter().map(|node| node["depth"].as_i64().unwrap()).collect()
    };
    let first = lineage(&ids[0], "");
    assert_eq!((&first["thought_id"], &first["truncated"]), (&json!(ids[0]), &json!(true)));
    assert_eq!(depths(&first), (0..=10).collect::<Vec<_>>());
    let middle = lineage(&ids[6], "");
    assert_eq!((depths(&middle), &middle["truncated"]), ((-6..=5).collect(), &json!(false)));
    assert_eq!(depths(&lineage(&ids[6], "?max_depth=1")), [-1, 0, 1]);
    assert_eq!(depths(&lineage(&ids[6], "?max_depth=0")), [0]);
    assert_eq!(lineage(&ids[0], "?max_depth=100")["truncated"], false);
    let node = &middle["chain"][0];
    let mut fields: Vec<&String> = node.as_object().unwrap().keys().collect();
    fields.sort_unstable();
    assert_eq!(
        fields,
        [
            "content_preview",
            "contributor",
            "created_at",
            "depth",
            "source_ids",
            "thought_id",
            "thought_type"
        ]
    );
    for wrong in ["-1", "101", "x", "1.5", "", "1&max_depth=2"] {
        let path = format!("/api/v1/thoughts/{}/lineage?max_depth={wrong}", ids[0]);
        server.get(&path, &token).refused(400, "VALIDATION_ERROR");
    }
}

#[test]
fn case_40_and_41_given_retrievals_and_idle_hours_then_the_weight_rises_and_decays() {
    let (server, token) = served();
    let id = server.keep(&token, "kiln cone six", json!({}));
    let idle = server.keep(&token, "boats in the harbour", json!({}));
    for _ in 0..5 {
        server.ask(&token, "q", "kiln cone");
    }
    let shown = server.show(&token, &id);
    assert_eq!((&shown["access_count"], &shown["accessed_by"]), (&json!(5), &json!(1)));
    assert_eq!(shown["pheromone_weight"], 1.25);
    server.hours(24);
    let decayed = 0.995f64.powi(24);
    assert!((server.weight(&token, &idle) - decayed).abs() < 1e-3);
    assert!((server.weight(&token, &id) - 1.25 * decayed).abs() < 1e-3);
    // An access settles the decay first.
    server.ask(&token, "q", "kiln cone");
    assert!((server.weight(&token, &id) - (1.25 * decayed + 0.05)).abs() < 1e-3);
    server.hours(24 * 365);
    assert_eq!(server.weight(&token, &id), 0.1);
    for wrong in [json!({}), json!({ "advance_hours": -1 }), json!({ "advance_hours": "x" })] {
        server.post("/test/clock", "", &wrong).refused(400, "VALIDATION_ERROR");
    }
}

#[test]
fn case_42_given_results_of_the_session_when_contributing_then_only_those_gain_0_02() {
    let (server, token) = served();
    let shown = server.keep(&token, "kiln cone six", json!({}));
    let never = server.keep(&token, "boats in the harbour", json!({}));
    let think = |prompt: &str, session: &str| {
        let answer = server.memory(&token, "q", prompt, json!({ "session_id": session })).ok();
        assert_eq!(answer["trace"]["session_id"], session);
        answer["trace"]["operations"].to_string().contains("feedback_implicit")
    };
    assert!(!think("kiln cone", "one"));
    let other = "Nobody here has ever written anything about zebras and the wide savannah.";
    assert!(!think(other, "two"), "another session");
    assert!((server.weight(&token, &shown) - 1.05).abs() < 1e-6);
    assert!(think(&other.replace("zebras", "lions"), "one"));
    assert!((server.weight(&token, &shown) - 1.07).abs() < 1e-6);
    assert_eq!(server.weight(&token, &never), 1.0);
    server.raise(&token, &shown, 10.0);
    let body = json!({ "session_id": "one", "thought_id": shown, "signal": "useful" });
    let answer = server.post("/api/v1/memory/feedback", &token, &body).ok();
    assert_eq!(answer, json!({ "thought_id": shown, "pheromone_weight": 10.0 }));
}

#[test]
fn case_43_given_many_partners_then_at_most_50_are_kept() {
    let (server, token) = served();
    let id = server.keep(&token, "kiln", json!({}));
    // The table has no vectors for this script, so each is found by its name alone.
    let name = |number: u32| format!("слово{number}");
    for number in 0..52 {
        server.keep(&token, &name(number), json!({}));
    }
    server.ask(&token, "q", &format!("kiln {}", name(0)));
    for number in 0..52 {
        server.ask(&token, "q", &format!("kiln {}", name(number)));
    }
    let shown = server.show(&token, &id);
    let partners = shown["co_retrieved"].as_array().unwrap();
    assert_eq!(partners.len(), 50);
    assert_eq!(partners[0]["count"], 2, "the most counted stays: {}", partners[0]);
    assert_eq!(partners[0].as_object().unwrap().len(), 2);
}

#[test]
fn case_44_given_three_accesses_by_one_agent_then_no_highway_until_a_second_agent() {
    let (server, token) = served();
    server.keep(&token, "kiln cone six", json!({}));
    let near = |agent: &str, prompt: &str| {
        server.ask(&token, agent, prompt)["result"]["highways_nearby"].clone()
    };
    for _ in 0..3 {
        assert_eq!(near("one", "kiln cone"), json!([]));
    }
    assert_eq!(near("two", "kiln cone"), json!([]), "not yet accessed");
    assert_eq!(near("one", "kiln cone"), json!(["kiln cone six (4 accesses, 2 agents)"]));
    assert_eq!(near("one", "zebra"), json!([]), "not near");
    let shown = server.ask(&token, "one", "kiln cone");
    let wrong = source_ids(&shown)[0];
    server.keep(&token, "Cone nine, whatever others say", json!({ "corrects": wrong }));
    assert_eq!(near("one", "kiln cone"), json!([]), "what was corrected is not recommended");
}

#[test]
fn case_47_given_a_wrong_fact_reinforced_a_hundred_times_then_its_correction_ranks_first() {
    let (server, token) = served();
    let wrong = server.keep(&token, "The kiln reaches cone six in nine hours", json!({}));
    for _ in 0..100 {
        server.ask(&token, "q", "kiln cone six hours");
    }
    let right = server.keep(&token, "Eleven, whatever others say", json!({ "corrects": wrong }));
    let answer = server.ask(&token, "q", "kiln cone six hours");
    assert_eq!(source_ids(&answer)[0], right);
    assert_eq!(answer["result"]["sources"][1]["corrected_by"], right.as_str());
}

#[test]
fn what_goes_with_a_forgotten_thought_is_named_nowhere() {
    let server = TestServer::of(&["own"]);
    let token = server.token(&["own:read,append,correct"]);
    let stays = server.keep(&token, "foxglove one of three", json!({}));
    let goes = server.keep(&token, "foxglove two of three", json!({}));
    let made = server.keep(&token, "foxglove three of three", json!({ "refines": goes }));
    let of_both = server.keep(&token, "all foxglove", json!({ "consolidates": [stays, goes] }));
    server.ask(&token, "a", "foxglove");
    let company = || server.show(&token, &stays)["co_retrieved"].as_array().unwrap().len();
    assert_eq!(company(), 3);
    assert_eq!(server.show(&token, &stays)["refined_by"], of_both.as_str());
    // What is made from it goes with it.
    server.post("/api/v1/forget", &token, &json!({ "ids": [goes] })).ok();
    for id in [&goes, &made, &of_both] {
        let path = format!("/api/v1/thoughts/{id}");
        server.get(&path, &token).refused(404, "THOUGHT_NOT_FOUND");
        let refines = json!({ "refines": id });
        server.memory(&token, "a", "x", refines).refused(404, "THOUGHT_NOT_FOUND");
    }
    assert_eq!(company(), 0);
    let shown = server.show(&token, &stays);
    assert_eq!((&shown["refined_by"], &shown["superseded"]), (&Value::Null, &json!(false)));
}
