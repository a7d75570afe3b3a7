//! Lineage: weights, factors, chains, corrections.

use super::*;

#[test]
fn case_34_given_source_weights_6_and_1_when_refined_then_3_and_1() {
    let mut shared = SharedSpace::new();
    let (heavy, light) = (shared.keep(STATEMENT, json!({})), shared.keep("A light one", json!({})));
    shared.raise(&heavy, 6.0);
    let body = json!({ "content": "Better", "agent_id": "a", "agent_name": "A", "refines": heavy });
    let kept = ingest(&mut shared.caller(), &MemoryRequest::parse_ingest(body).unwrap()).unwrap();
    assert!((kept.pheromone_weight - 3.0).abs() < 1e-6, "think() answers with it");
    assert!((shared.weight(&kept.thought_id.to_string()) - 3.0).abs() < 1e-6);
    let refined = shared.keep("Lighter", json!({ "refines": light }));
    assert_eq!(shared.weight(&refined), 1.0);
    // The source is reinforced after the refinement reads its weight.
    let answer = shared.post(with(request("b", STATEMENT), json!({ "refines": heavy }))).unwrap();
    let id = answer.trace.contributed_thought_id.unwrap().to_string();
    assert!((shared.weight(&id) - 3.0).abs() < 1e-6);
}

#[test]
fn case_35_given_weights_4_and_8_when_consolidated_then_3() {
    let mut shared = SharedSpace::new();
    let (one, other) = (shared.keep("One", json!({})), shared.keep("Other", json!({})));
    shared.raise(&one, 4.0);
    shared.raise(&other, 8.0);
    let both = shared.keep("Both together", json!({ "consolidates": [one, other] }));
    assert!((shared.weight(&both) - 3.0).abs() < 1e-6);
    assert_eq!(shared.show(&both).thought_type, "consolidation");
}

/// The sources of an answer by the beginning of their text, with their scores.
fn scores(answer: &MemoryAnswer) -> Vec<(String, f64)> {
    let sources = answer.result.sources.iter();
    sources.map(|source| (source.content_preview.clone(), source.score)).collect()
}

#[test]
fn case_36_given_a_refined_by_b_then_c_when_matched_then_refined_by_c_superseded_and_0_7() {
    let mut shared = SharedSpace::new();
    let a = shared.keep("kiln cone six", json!({}));
    shared.keep("wholly unrelated words about boats", json!({ "refines": a }));
    let c = shared.keep("another thing on harbours", json!({ "refines": a }));
    let answer = shared.ask("q", "kiln cone six");
    let found = answer.result.sources.iter().find(|source| source.thought_id.to_string() == a);
    let found = found.unwrap();
    assert_eq!(found.refined_by.unwrap().to_string(), c);
    assert!(found.superseded);
    assert_eq!(found.score, 0.7);
}

#[test]
fn case_37_given_a_and_its_refinement_b_equally_similar_then_b_counts_more_and_is_first() {
    let mut shared = SharedSpace::new();
    let a = shared.keep("kiln cone six", json!({}));
    shared.keep("kiln cone six!", json!({ "refines": a }));
    let answer = shared.ask("q", "kiln cone six");
    assert_eq!(
        scores(&answer),
        [("kiln cone six!".to_owned(), 1.0), ("kiln cone six".to_owned(), 0.7)],
        "capped at 1"
    );
    let part = shared.ask("q", "kiln xylophone zebra").result.sources;
    let raw = part[1].score / 0.7;
    assert!(raw < 0.8 && (part[0].score - raw * 1.2).abs() < 0.02, "{part:?}");
}

#[test]
fn case_38_given_a_consolidated_and_refined_source_then_0_7_applies_once() {
    let mut shared = SharedSpace::new();
    let a = shared.keep("kiln cone six", json!({}));
    let other = shared.keep("boats in the harbour", json!({}));
    shared.keep("something of both", json!({ "consolidates": [a, other] }));
    shared.keep("something refined", json!({ "refines": a }));
    let answer = shared.ask("q", "kiln cone six");
    let found = answer.result.sources.iter().find(|source| source.thought_id.to_string() == a);
    assert_eq!(found.unwrap().score, 0.7);
}

#[test]
fn case_39_given_a_chain_of_twelve_then_depths_have_signs_and_depth_ten_truncates() {
    let mut shared = SharedSpace::new();
    let mut ids = vec![shared.keep("step 0", json!({}))];
    for number in 1..12 {
        let refines = ids.last().unwrap().clone();
        ids.push(shared.keep(&format!("step {number}"), json!({ "refines": refines })));
    }
    let middle = shared.lineage(&ids[5], 10);
    let depths: Vec<i64> = middle.chain.iter().map(|node| node.depth).collect();
    assert_eq!(depths, (-5..=6).collect::<Vec<_>>());
    assert!(!middle.truncated);
    assert_eq!(middle.chain[0].thought_id.to_string(), ids[0]);
    assert_eq!(middle.chain[0].thought_type, "original");
    let first = shared.lineage(&ids[0], 10);
    assert_eq!((first.chain.len(), first.truncated), (11, true));
    let none = shared.lineage(&ids[5], 0);
    assert_eq!((none.chain.len(), none.truncated), (1, true));
    // Siblings and corrections do not belong to a lineage.
    shared.keep("a sibling", json!({ "refines": ids[4] }));
    shared.keep("a correction", json!({ "corrects": ids[5] }));
    assert_eq!(shared.lineage(&ids[5], 100).chain.len(), 12);
    assert!(parse_depth(Some("101")).is_err() && parse_depth(Some("-1")).is_err());
    assert_eq!((parse_depth(None).unwrap(), parse_depth(Some("100")).unwrap()), (10, 100));
}

#[test]
fn a_thought_that_is_reached_on_two_ways_is_at_the_nearer_depth() {
    let mut shared = SharedSpace::new();
    let a = shared.keep("a", json!({}));
    let b = shared.keep("b", json!({ "refines": a }));
    let c = shared.keep("c", json!({ "consolidates": [b, a] }));
    let lineage = shared.lineage(&c, 10);
    let depths: Vec<(&str, i64)> =
        lineage.chain.iter().map(|node| (node.content_preview.as_str(), node.depth)).collect();
    assert_eq!(depths, [("a", -1), ("b", -1), ("c", 0)]);
    let sources: Vec<String> =
        lineage.chain[2].source_ids.iter().map(|id| id.to_string()).collect();
    assert_eq!(sources, [b, a], "in the author's order");
}

#[test]
fn case_47_given_a_wrong_thought_reinforced_100_times_when_corrected_then_the_correction_is_first()
{
    let mut shared = SharedSpace::new();
    let wrong = shared.keep("kiln cone six takes nine hours", json!({}));
    for agent in 0..100 {
        shared.ask(&agent.to_string(), "kiln cone six hours");
    }
    let right = shared.keep("No: it is eleven.", json!({ "corrects": wrong }));
    let answer = shared.ask("q", "kiln cone six hours");
    let first: Vec<String> =
        answer.result.sources.iter().map(|source| source.thought_id.to_string()).collect();
    assert_eq!(first, [right.clone(), wrong.clone()]);
    assert_eq!(answer.result.sources[1].corrected_by.unwrap().to_string(), right);
    assert!(answer.result.sources[1].score <= 0.5);
    assert!(answer.result.sources[0].score >= answer.result.sources[1].score);
    assert!(!answer.result.sources[1].superseded, "corrected is not superseded");
    assert_eq!(shared.weight(&right), 1.05, "a correction starts at 1");
    // Both factors apply to one that is refined, too, and the correction stays above.
    shared.keep("kiln cone six takes nine hours and more", json!({ "refines": wrong }));
    let sources = shared.ask("q", "kiln cone six hours").result.sources;
    let place = |id: &str| sources.iter().position(|it| it.thought_id.to_string() == id).unwrap();
    assert!(place(&right) < place(&wrong));
    assert_eq!(sources[place(&wrong)].score, 0.35);
}

#[test]
fn lineage_shows_in_explain_and_why_and_thoughts_are_found_by_recall() {
    let mut shared = SharedSpace::new();
    let a = shared.keep("kiln cone six", json!({}));
    let b = shared.keep("kiln cone six in nine hours", json!({ "refines": a }));
    let reader = shared.space.reader().unwrap();
    let [a, b] = [a, b].map(|id| reader.thought_named(&id, Disclosure::Full).unwrap().unwrap());
    let explained = reader.lineage(&b).unwrap();
    let ground = explained.built_from.iter().find(|source| source.op_id == a).unwrap();
    assert_eq!(json!(ground)["role"], "refines");
    let cited: Vec<&str> = reader
        .lineage(&a)
        .unwrap()
        .cited_by
        .iter()
        .map(|by| if by.op_id == b { "b" } else { "" })
        .collect();
    assert_eq!(cited, ["b"]);
    let why = reader.why(&b, &engine::why::WhyLimits::new(shared.now)).unwrap();
    assert!(why.evidence.iter().any(|ground| ground.id == a), "{:?}", why.links);
    let query = engine::recall::facts::FactQuery::new("kiln cone", shared.now);
    let found = reader.recall_thoughts(&query).unwrap();
    assert_eq!(found.iter().map(|found| found.thought.id).collect::<Vec<_>>(), [b, a]);
    assert!(found[1].is_superseded && !found[0].is_superseded);
    let earlier = engine::recall::facts::FactQuery {
        as_of_us: Some(found[1].thought.created_us.unsigned_abs()),
        ..query
    };
    let then = reader.recall_thoughts(&earlier).unwrap();
    assert_eq!(then.iter().map(|found| found.thought.id).collect::<Vec<_>>(), [a]);
    assert!(!then[0].is_superseded, "nothing refined it then");
    assert_eq!(reader.thought_use(&[a, b]).unwrap().len(), 0, "recall leaves no trace of use");
}

#[test]
fn every_correction_of_a_thought_is_above_it() {
    let mut shared = SharedSpace::new();
    let text = "The regatta on the reservoir begins at dawn every Saturday in the summer months.";
    let wrong = shared.keep(text, json!({}));
    let near = shared.keep("Regatta planning is hard.", json!({ "corrects": wrong }));
    let far = shared.keep("Midday instead.", json!({ "corrects": wrong }));
    let second = shared.keep("Noon, to be exact.", json!({ "corrects": near }));
    let places = |shared: &mut SharedSpace, prompt: &str| {
        let body = with(request("q", prompt), json!({ "read_only": true }));
        let sources = shared.post(body).unwrap().result.sources;
        assert!(sources.is_sorted_by(|one, next| one.score >= next.score), "{sources:?}");
        let place = |id: &String| sources.iter().position(|it| it.thought_id.to_string() == *id);
        [&second, &near, &far, &wrong].map(|id| place(id).unwrap())
    };
    for prompt in ["regatta dawn", "reservoir on saturday", "regatta planning"] {
        let [second, near, far, wrong] = places(&mut shared, prompt);
        assert!(second < near && near < wrong && far < wrong, "{prompt}");
    }
    let shown = shared.show(&wrong);
    assert_eq!(shown.corrected_by.unwrap().to_string(), far, "the newest");
}

#[test]
fn a_thought_with_many_corrections_is_below_all_of_them() {
    let mut shared = SharedSpace::new();
    let wrong = shared.keep("kiln cone six takes nine hours", json!({}));
    let other = shared.keep("kiln cone six is white", json!({}));
    for number in 0..200 {
        shared.keep(&format!("Not so, says {number}."), json!({ "corrects": wrong }));
    }
    let right = shared.keep("It is grey.", json!({ "corrects": other }));
    let (now_us, disclosure) = (shared.now.as_microsecond(), Disclosure::Full);
    let reader = shared.space.reader().unwrap();
    let text = "kiln cone six takes nine hours";
    let query = engine::thought::retrieve::ThoughtQuery {
        text,
        vector: None,
        tags: &[],
        disclosure,
        now_us,
        as_of_us: None,
    };
    let hits = reader.retrieve_thoughts(&query).unwrap().hits;
    let mut ids: Vec<String> =
        hits.iter().map(|hit| ThoughtUuid::of(&hit.id).to_string()).collect();
    assert!((50..250).contains(&ids.len()), "{}", ids.len());
    let place = |id: &str| ids.iter().position(|held| held == id).unwrap();
    assert!(place(&right) < place(&other));
    ids.retain(|id| *id != right && *id != other);
    assert_eq!(ids.last(), Some(&wrong));
}
