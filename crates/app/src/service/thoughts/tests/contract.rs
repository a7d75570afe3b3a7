//! Fields, checks, contributions and what an answer says.

use super::*;

#[test]
fn case_24_given_both_refines_and_consolidates_then_mutual_exclusion() {
    let mut shared = SharedSpace::new();
    for more in [
        json!({ "refines": "x", "consolidates": ["y", "z"] }),
        json!({ "refines": "x", "consolidates": [] }),
        json!({ "refines": "x", "corrects": "y" }),
        json!({ "corrects": "x", "consolidates": ["y", "z"] }),
    ] {
        let answer = shared.post(with(request("a", STATEMENT), more));
        assert_eq!(refused(answer), ("MUTUAL_EXCLUSION", 400));
    }
    assert_eq!(shared.thoughts(), 0);
}

#[test]
fn case_25_given_consolidates_of_one_then_min_consolidation() {
    let mut shared = SharedSpace::new();
    let id = shared.keep(STATEMENT, json!({}));
    let op = shared.show(&id).id;
    for ids in [json!([]), json!([id]), json!([id, id]), json!([id, op]), json!(["x", " x "])] {
        let answer = shared.post(with(request("a", STATEMENT), json!({ "consolidates": ids })));
        assert_eq!(refused(answer), ("MIN_CONSOLIDATION", 400), "{ids}");
    }
}

#[test]
fn case_26_given_an_unknown_refines_id_then_not_found_and_nothing_stored() {
    let mut shared = SharedSpace::new();
    let known = shared.keep(STATEMENT, json!({}));
    let unknown = "00000000-0000-8000-8000-000000000000";
    let of_a_space = shared.space.id().unwrap().to_string();
    for more in [
        json!({ "refines": unknown }),
        json!({ "refines": "" }),
        json!({ "refines": "not an id" }),
        json!({ "refines": "; DROP TABLE op" }),
        json!({ "refines": "x".repeat(5_000) }),
        json!({ "consolidates": [known, "x".repeat(5_000)] }),
        json!({ "refines": of_a_space }),
        json!({ "corrects": unknown }),
        json!({ "consolidates": [known, unknown] }),
    ] {
        let answer = shared.post(with(request("a", STATEMENT), more.clone()));
        assert_eq!(refused(answer), ("THOUGHT_NOT_FOUND", 404), "{more}");
    }
    assert_eq!(shared.thoughts(), 1);
}

#[test]
fn case_27_given_a_prompt_of_10001_characters_then_validation_error() {
    let mut shared = SharedSpace::new();
    let prompt = |length: usize| request("a", &"é ".repeat(length / 2));
    assert!(shared.post(prompt(10_000)).is_ok());
    let answer = shared.post(with(prompt(10_000), json!({ "prompt": "é".repeat(10_001) })));
    assert_eq!(refused(answer), ("VALIDATION_ERROR", 400));
}

#[test]
fn case_28_given_50_and_51_characters_then_0_and_1_contributed() {
    let mut shared = SharedSpace::new();
    let of = |length: usize| "kiln ".repeat(20)[..length - 1].to_owned() + "x";
    let short = shared.ask("a", &of(50)).trace;
    assert_eq!((short.thoughts_contributed, short.contribution_threshold_met), (0, false));
    let long = shared.ask("a", &of(51)).trace;
    assert_eq!((long.thoughts_contributed, long.contribution_threshold_met), (1, true));
    assert_eq!(shared.thoughts(), 1);
}

#[test]
fn case_29_given_a_long_question_about_node_js_then_it_is_not_stored() {
    let mut shared = SharedSpace::new();
    let prompt = "Why does Node.js keep the event loop alive after the very last timer ran out?";
    assert_eq!(shared.ask("a", prompt).trace.thoughts_contributed, 0);
    assert_eq!(shared.thoughts(), 0);
}

#[test]
fn case_30_given_a_short_refinement_then_it_is_stored_despite_the_threshold() {
    let mut shared = SharedSpace::new();
    let id = shared.keep(STATEMENT, json!({}));
    let answer = shared.post(with(request("b", "Eight hours?"), json!({ "refines": id }))).unwrap();
    assert_eq!(answer.trace.thoughts_contributed, 1);
    assert!(answer.trace.contribution_threshold_met);
    let refined = answer.trace.contributed_thought_id.unwrap().to_string();
    let shown = shared.show(&refined);
    assert_eq!((shown.thought_type, shown.content.as_str()), ("refinement", "Eight hours?"));
    assert_eq!(shown.source_ids.iter().map(ToString::to_string).collect::<Vec<_>>(), [id]);
    let summary = answer.trace.lineage_summary.unwrap();
    assert_eq!((summary.chain_length, summary.has_lineage), (2, true));
    assert_eq!(summary.latest_refinement.unwrap().to_string(), refined);
}

#[test]
fn a_chain_counts_all_its_thoughts_however_long_it_is() {
    const REFINEMENTS: usize = 130;
    let mut shared = SharedSpace::new();
    let mut id = shared.keep(STATEMENT, json!({}));
    let mut length = 1;
    for number in 0..REFINEMENTS {
        let words = format!("Eight hours and {number} minutes");
        let answer = shared.post(with(request("b", &words), json!({ "refines": id }))).unwrap();
        id = answer.trace.contributed_thought_id.unwrap().to_string();
        length = answer.trace.lineage_summary.unwrap().chain_length;
    }
    assert_eq!(length, REFINEMENTS + 1);
}

#[test]
fn case_31_given_read_only_then_no_thought_no_weight_no_count_changes() {
    let mut shared = SharedSpace::new();
    let id = shared.keep(STATEMENT, json!({}));
    let body = with(request("a", STATEMENT), json!({ "read_only": true, "session_id": "s" }));
    let answer = shared.post(body).unwrap();
    assert_eq!(answer.result.sources.len(), 1);
    assert_eq!(answer.trace.thoughts_contributed, 0);
    assert!(!answer.trace.operations.contains(&MemoryOperation::Reinforce));
    let shown = shared.show(&id);
    assert_eq!((shown.pheromone_weight, shown.access_count, shown.accessed_by), (1.0, 0, 0));
    // It is in the log of queries: the agent is known, and the session shows nothing.
    let next = shared.post(with(request("a", STATEMENT), json!({ "session_id": "s" }))).unwrap();
    assert!(!next.trace.operations.contains(&MemoryOperation::Onboard));
    assert!(!next.trace.operations.contains(&MemoryOperation::FeedbackImplicit));
}

#[test]
fn case_32_given_a_first_contribution_then_its_id_is_returned_and_it_is_not_its_own_source() {
    let mut shared = SharedSpace::new();
    let answer = shared.ask("a", STATEMENT);
    let id = answer.trace.contributed_thought_id.unwrap().to_string();
    assert!(answer.result.sources.is_empty());
    assert!(!answer.result.guidance.unwrap().contains(&id));
    assert_eq!(shared.show(&id).access_count, 0);
}

#[test]
fn case_33_given_a_new_agent_who_contributes_then_welcome_and_warning_are_both_there() {
    let mut shared = SharedSpace::new();
    let wrong = shared.keep(STATEMENT, json!({}));
    let right = "It takes eleven hours, and the lid makes no difference at all to that.";
    let correction = shared.keep(right, json!({ "corrects": wrong }));
    let answer = shared.ask("new", STATEMENT);
    let guidance = answer.result.guidance.unwrap();
    assert!(guidance.contains("welcome") && guidance.contains("correct"), "{guidance}");
    assert!(guidance.contains(&correction), "{guidance}");
    assert_eq!(answer.trace.thoughts_contributed, 1);
    // The next time there is no welcome, and an offer to refine the same statement.
    let again = shared.ask("new", STATEMENT).result.guidance.unwrap();
    assert!(!again.contains("welcome") && again.contains("refine"), "{again}");
    assert!(answer.result.response.starts_with("Hello NEW, welcome"));
}

#[test]
fn who_repeats_a_correction_is_warned_of_what_it_corrects() {
    let mut shared = SharedSpace::new();
    let wrong = shared.keep("Cones bend at nine hundred.", json!({}));
    let right = "The blue kiln reaches its peak only after the second hour of the soak.";
    let correction = shared.keep(right, json!({ "corrects": wrong }));
    let guidance = shared.ask("new", right).result.guidance.unwrap();
    assert!(guidance.contains("correct") && guidance.contains(&correction), "{guidance}");
    assert!(guidance.contains(&wrong), "{guidance}");
}

#[test]
fn many_hits_with_many_tags_are_offered_to_choose_and_the_choice_filters() {
    let mut shared = SharedSpace::new();
    for number in 0..12 {
        let tag = ["red", "green", "blue"][number % 3];
        let tag = if number == 11 { "red" } else { tag };
        shared.keep(&format!("glaze number {number}"), json!({ "tags": [tag] }));
    }
    let ask = |shared: &mut SharedSpace, prompt: &str| {
        shared.post(with(request("q", prompt), json!({ "session_id": "s" }))).unwrap()
    };
    let answer = ask(&mut shared, "glaze number");
    let offered = answer.result.disambiguation.unwrap();
    let counts: Vec<(&str, usize)> =
        offered.clusters.iter().map(|it| (it.tag.as_str(), it.count)).collect();
    assert_eq!(counts, [("red", 5), ("green", 4), ("blue", 3)]);
    assert!(answer.result.sources.iter().all(|source| source.tags == ["red"]));
    assert_eq!(answer.result.sources.len(), 5);
    assert_eq!(answer.trace.thoughts_retrieved, 10);
    assert!(answer.trace.operations.contains(&MemoryOperation::Disambiguate));
    let blue = ask(&mut shared, "the Blue glaze number");
    assert!(blue.result.disambiguation.is_none());
    assert_eq!(blue.result.sources.len(), 3);
    assert!(blue.result.sources.iter().all(|source| source.tags == ["blue"]));
}

#[test]
fn tags_of_the_space_that_a_contribution_names_are_its_tags() {
    let mut shared = SharedSpace::new();
    shared.keep("something", json!({ "tags": ["kiln", "lid", "boat"] }));
    let answer = shared.ask("a", STATEMENT);
    let id = answer.trace.contributed_thought_id.unwrap().to_string();
    assert_eq!(shared.show(&id).tags, ["kiln", "lid"]);
}

#[test]
fn fields_are_checked_by_name_type_and_order() {
    let base = || request("a", STATEMENT);
    let message = |body: Value| parse_refused(body).to_string();
    assert!(message(with(base(), json!({ "promt": 1 }))).contains("promt"));
    // The first breach in the order of the table answers.
    let odd = json!({ "agent_id": 7, "agent_name": "", "context": 1 });
    assert!(message(with(base(), odd)).starts_with("agent_id"));
    for (more, field) in [
        (json!({ "prompt": null }), "prompt"),
        (json!({ "prompt": "" }), "prompt"),
        (json!({ "prompt": ["a"] }), "prompt"),
        (json!({ "agent_id": "x".repeat(101) }), "agent_id"),
        (json!({ "agent_name": "x".repeat(201) }), "agent_name"),
        (json!({ "context": "x".repeat(2_001) }), "context"),
        (json!({ "session_id": "x".repeat(101) }), "session_id"),
        (json!({ "refines": 7 }), "refines"),
        (json!({ "consolidates": "x" }), "consolidates"),
        (json!({ "consolidates": [7, 8] }), "consolidates"),
        (json!({ "corrects": {} }), "corrects"),
        (json!({ "read_only": "yes" }), "read_only"),
        (json!({ "full_content": 1 }), "full_content"),
        (json!({ "tags": "x" }), "tags"),
        (json!({ "tags": [""] }), "a tag"),
        (json!({ "category": 1 }), "category"),
        (json!({ "topic": false }), "topic"),
        (json!({ "space": [] }), "space"),
    ] {
        let message = message(with(base(), more.clone()));
        assert!(message.starts_with(field), "{more}: {message}");
    }
    assert!(message(json!("prompt")).contains("object") && message(json!([])).contains("object"));
    let whole = json!({ "context": null, "session_id": null, "tags": [], "read_only": null });
    assert!(MemoryRequest::parse(with(base(), whole)).is_ok(), "null is as absent");
    // A broken field comes before ways that exclude each other.
    let both = json!({ "refines": "x", "consolidates": ["x", "y"], "topic": 1 });
    assert!(message(with(base(), both)).starts_with("topic"));
    assert!(parse_share(json!({ "space": "x", "to": "y" })).is_err());
    assert!(
        FeedbackRequest::parse(json!({ "session_id": "s", "thought_id": "x", "signal": "no" }))
            .is_err()
    );
}

#[test]
fn odd_prompts_are_answered() {
    let mut shared = SharedSpace::new();
    shared.keep(STATEMENT, json!({}));
    for prompt in ["?", "🎉🎉", "\u{0}", "' OR 1=1 --", "kiln\u{202e}lid", "הסירה יוצאת", "的窯"]
    {
        let answer = shared.ask("a", prompt);
        assert_eq!(answer.trace.thoughts_contributed, 0, "{prompt}");
    }
    let full =
        shared.post(with(request("a", "kiln lid"), json!({ "full_content": true }))).unwrap();
    assert_eq!(full.result.sources[0].content.as_deref(), Some(STATEMENT));
    assert!(
        full.result.response.contains("[1] Keeper: The kiln reaches"),
        "{}",
        full.result.response
    );
}

#[test]
fn a_thought_is_named_by_its_uuid_and_by_its_id() {
    let mut shared = SharedSpace::new();
    let id = shared.keep("kiln cone six", json!({}));
    let shown = shared.show(&id);
    assert_eq!(shared.show(&shown.id).thought_id.to_string(), id);
    assert_eq!(shared.show(&id.to_uppercase()).id, shown.id);
    assert_eq!(ThoughtUuid::parse(&id).unwrap().to_string(), id);
}

#[test]
fn what_is_ingested_is_not_a_query() {
    let mut shared = SharedSpace::new();
    let id = shared.keep("kiln cone six", json!({}));
    let session =
        |agent: &str, prompt: &str| with(request(agent, prompt), json!({ "session_id": "s" }));
    shared.post(session("q", "kiln cone")).unwrap();
    let weight = shared.weight(&id);
    let own = json!({ "agent_id": "q", "session_id": "s" });
    shared.keep("boats in the harbour", own.clone());
    let other = "Nobody here has ever written anything about zebras and the wide savannah.";
    let answer = shared.post(session("q", other)).unwrap();
    assert!(answer.trace.operations.contains(&MemoryOperation::FeedbackImplicit));
    assert!((shared.weight(&id) - weight - 0.02).abs() < 1e-6, "the query before is the last one");
    shared.keep("more boats", json!({ "agent_id": "new" }));
    let answer = shared.ask("new", "boats");
    assert!(answer.trace.operations.contains(&MemoryOperation::Onboard));
    assert!(!shared.ask("new", "boats").trace.operations.contains(&MemoryOperation::Onboard));
}
