//! Who may see and do what: privacy, sharing, labels, capabilities.

use engine::thought::share::copy_of;
use engine::thought::uuid::ThoughtUuid;

use super::*;

#[test]
fn case_45_given_a_private_thought_of_another_then_it_is_invisible() {
    let mut own = SharedSpace::new();
    let private =
        own.keep("kiln cone six secret", json!({ "category": "domain_summary", "topic": "kiln" }));
    let open = own.keep("kiln cone of the house", json!({}));
    for agent in ["a", "b", "a", "b"] {
        own.ask(agent, "kiln cone six secret house");
    }
    let id = own.space.reader().unwrap().thought_named(&private, Disclosure::Full).unwrap();
    let label = Annotation { visibility: Some(Visibility::Private), ..Annotation::default() };
    let now = own.now;
    let mut writer = own.space.writer();
    writer.label_thought(id.unwrap(), label, now).unwrap();
    writer.finish().unwrap();
    assert_eq!(own.ask("owner", "kiln cone six secret").result.sources.len(), 2);
    // Another agent in the same space.
    own.disclosure = Disclosure::WithoutPrivate;
    own.rights = Rights { may_append: true, may_correct: false };
    let answer = own.ask("other", "kiln cone six secret");
    let seen: Vec<String> =
        answer.result.sources.iter().map(|source| source.thought_id.to_string()).collect();
    assert_eq!(seen, std::slice::from_ref(&open));
    assert!(answer.result.highways_nearby.iter().all(|it| !it.contains("secret")));
    let busy = manage::highways(&mut own.caller(), None, 5).unwrap();
    assert!(busy.iter().all(|highway| highway.thought_id.to_string() != private));
    assert!(manage::domains(&mut own.caller(), None).unwrap().domains.is_empty());
    let missing = ("THOUGHT_NOT_FOUND", 404);
    assert_eq!(refused(manage::show(&mut own.caller(), &private)), missing);
    assert_eq!(refused(manage::lineage(&mut own.caller(), &private, 10, None)), missing);
    let labels = LabelRequest { topic: Some("mine".to_owned()), ..LabelRequest::default() };
    assert_eq!(refused(manage::label(&mut own.caller(), &private, labels)), missing);
    let refine = own.post(with(request("other", "Mine"), json!({ "refines": private })));
    assert_eq!(refused(refine), missing);
    assert!(own.show(&open).co_retrieved.is_empty(), "partners are not named either");
    // Another space is not even named.
    let elsewhere = own.post(with(request("other", "x"), json!({ "space": "of somebody else" })));
    assert_eq!(refused(elsewhere), ("FORBIDDEN", 403));
}

#[test]
fn case_46_given_a_shared_thought_then_again_409_by_another_403_unknown_404_and_a_fresh_copy() {
    let (mut own, mut team) = (SharedSpace::of(1), SharedSpace::of(2));
    let id = own.keep("kiln cone six", json!({ "tags": ["kiln"] }));
    let refined = own.keep("kiln cone seven", json!({ "refines": id }));
    own.ask("q", "kiln cone");
    let mut share = |own: &mut SharedSpace, name: &str, to: &str| {
        let now = own.now;
        let spaces = vec![own.caller_space("own"), team.caller_space("team")];
        let mut caller = Caller { spaces, now };
        let copied = manage::share(&mut caller, name, to);
        copied.and_then(|copy| manage::show(&mut caller, &copy.thought_id.to_string()))
    };
    let copy = share(&mut own, &refined, "team").unwrap();
    assert_ne!(copy.thought_id.to_string(), refined);
    assert_eq!((copy.pheromone_weight, copy.access_count), (1.0, 0));
    assert_eq!(
        (copy.content.as_str(), copy.contributor_name.as_str()),
        ("kiln cone seven", "Keeper")
    );
    assert!(copy.source_ids.is_empty(), "nothing of its ancestors travels");
    assert_eq!(refused(share(&mut own, &refined, "team")), ("ALREADY_SHARED", 409));
    assert_eq!(refused(share(&mut own, &refined, "own")), ("VALIDATION_ERROR", 400));
    assert_eq!(refused(share(&mut own, &refined, "elsewhere")), ("FORBIDDEN", 403));
    let unknown = "00000000-0000-8000-8000-000000000000";
    assert_eq!(refused(share(&mut own, unknown, "team")), ("THOUGHT_NOT_FOUND", 404));
    own.sealer = Some(Sealer::new(signer(9)));
    assert_eq!(refused(share(&mut own, &id, "team")), ("FORBIDDEN", 403));
    assert_eq!(own.thoughts(), 2);
}

#[test]
fn a_share_that_was_interrupted_after_the_copy_is_completed_with_that_copy() {
    let (mut own, mut team) = (SharedSpace::of(1), SharedSpace::of(2));
    let id = own.keep("kiln cone six", json!({}));
    team.keep("kiln cone six", json!({}));
    let (now, from) = (own.now, own.space.id().unwrap());
    let reader = own.space.reader().unwrap();
    let original = reader.thought_named(&id, Disclosure::Full).unwrap().unwrap();
    let view = reader.thoughts(&[original]).unwrap().remove(0);
    drop(reader);
    let mut writer = team.space.writer();
    let copy = writer.contribute(copy_of(&view, from), now).unwrap();
    writer.finish().unwrap();
    let spaces = vec![own.caller_space("own"), team.caller_space("team")];
    let mut caller = Caller { spaces, now };
    let shared = manage::share(&mut caller, &id, "team").unwrap();
    assert_eq!(shared.thought_id, ThoughtUuid::of(&copy));
    assert_eq!(refused(manage::share(&mut caller, &id, "team")), ("ALREADY_SHARED", 409));
    assert_eq!(team.thoughts(), 2);
}

#[test]
fn labels_take_the_place_of_earlier_ones_and_only_author_and_owner_may_put_them() {
    let mut shared = SharedSpace::new();
    let id = shared.keep("kiln cone six", json!({ "tags": ["old"], "category": "note" }));
    let patch = |shared: &mut SharedSpace, body: Value| {
        let labels = LabelRequest::parse(body)?;
        manage::label(&mut shared.caller(), &id, labels)
    };
    let body = json!({ "tags": ["new", "new"], "category": "domain_summary", "topic": "kiln", "mark": "removal" });
    let shown = patch(&mut shared, body).unwrap();
    assert_eq!((shown.tags, shown.mark), (vec!["new".to_owned()], "removal"));
    assert_eq!(shown.topic.as_deref(), Some("kiln"));
    let domains = manage::domains(&mut shared.caller(), None).unwrap().domains;
    assert_eq!((domains.len(), domains[0].topic.as_str()), (1, "kiln"));
    // A search for the tag uses the new one.
    let find = |shared: &mut SharedSpace, tag: &str| {
        let (tags, now_us) = (vec![tag.to_owned()], shared.now.as_microsecond());
        let reader = shared.space.reader().unwrap();
        let query = engine::thought::retrieve::ThoughtQuery {
            text: "kiln",
            tags: &tags,
            disclosure: Disclosure::Full,
            now_us,
            as_of_us: None,
        };
        reader.retrieve_thoughts(&query).unwrap().hits.len()
    };
    assert_eq!((find(&mut shared, "new"), find(&mut shared, "old")), (1, 0));
    assert_eq!(shared.show(&id).access_count, 0, "it does not count as access");
    for odd in [
        json!({}),
        json!({ "mark": "keep" }),
        json!({ "tags": [1] }),
        json!({ "id": "x" }),
        json!([]),
    ] {
        assert_eq!(refused(patch(&mut shared, odd)), ("VALIDATION_ERROR", 400));
    }
    shared.sealer = Some(Sealer::new(signer(9)));
    shared.rights = Rights { may_append: true, may_correct: false };
    assert_eq!(refused(patch(&mut shared, json!({ "topic": "mine" }))), ("FORBIDDEN", 403));
}

#[test]
fn a_caller_who_may_only_read_keeps_nothing_and_may_not_name_sources() {
    let mut shared = SharedSpace::new();
    let id = shared.keep("kiln cone six", json!({}));
    shared.rights = Rights::default();
    let answer = shared.ask("reader", STATEMENT).trace;
    assert!(answer.contribution_threshold_met && answer.thoughts_contributed == 0);
    for way in
        [json!({ "refines": id }), json!({ "corrects": id }), json!({ "refines": "unknown" })]
    {
        let refused = refused(shared.post(with(request("reader", "x"), way)));
        assert_eq!(refused, ("FORBIDDEN", 403));
    }
    assert_eq!(shared.thoughts(), 1);
}

#[test]
fn a_key_without_capabilities_is_refused_by_the_ledger_itself() {
    let mut shared = SharedSpace::new();
    shared.sealer = Some(Sealer::new(signer(9)));
    let answer = shared.post(request("stranger", STATEMENT));
    assert_eq!(refused(answer), ("FORBIDDEN", 403));
    let grant = kernel::body::Grant {
        key: signer(9).author(),
        name: "agent".to_owned(),
        capabilities: vec![Capability::Append],
        last_seq: None,
    };
    let now = shared.now;
    shared.space.writer().append(Draft::new(Body::Grant(grant)), now).unwrap();
    assert_eq!(shared.ask("agent", STATEMENT).trace.thoughts_contributed, 1);
    assert_eq!(shared.ask("agent", "kiln lid").result.sources.len(), 1);
    // What a key wrote counts no more once that is taken from it for all its operations.
    let revoke = kernel::body::Grant {
        key: signer(9).author(),
        name: "agent".to_owned(),
        capabilities: vec![Capability::Append],
        last_seq: Some(0),
    };
    let now = shared.now;
    let mut writer = shared.space.writer();
    writer.append(Draft::new(Body::Revoke(revoke)), now).unwrap();
    writer.finish().unwrap();
    shared.sealer = None;
    assert!(shared.ask("owner", "kiln lid").result.sources.is_empty());
}

#[test]
fn a_forgotten_and_a_retracted_thought_are_found_no_more() {
    let mut shared = SharedSpace::new();
    let ids = [shared.keep("kiln cone six", json!({})), shared.keep("kiln cone seven", json!({}))];
    assert_eq!(shared.ask("a", "kiln cone").result.sources.len(), 2);
    let reader = shared.space.reader().unwrap();
    let ops = ids.clone().map(|id| reader.thought_named(&id, Disclosure::Full).unwrap().unwrap());
    drop(reader);
    let retract = engine::belief::review::acting_on(
        ops[0],
        Body::Retraction(kernel::body::Reason { reason: String::new() }),
    );
    let now = shared.now;
    let mut writer = shared.space.writer();
    writer.append(retract.unwrap(), now).unwrap();
    writer.finish().unwrap();
    assert_eq!(shared.ask("a", "kiln cone").result.sources.len(), 1);
    let missing = manage::show(&mut shared.caller(), &ids[0]);
    assert_eq!(refused(missing), ("THOUGHT_NOT_FOUND", 404));
}

#[test]
fn secrets_are_masked_in_every_field_of_a_thought() {
    let mut shared = SharedSpace::new();
    let secret = "password: tulip77bridge";
    let content = format!("The kiln controller is reached with the {secret} every morning.");
    let more = json!({ "context": secret, "tags": [secret], "topic": secret });
    let answer = shared.post(with(request("a", &content), more)).unwrap();
    let id = answer.trace.contributed_thought_id.unwrap().to_string();
    let shown = json!(shared.show(&id)).to_string();
    assert!(!shown.contains("tulip77bridge"), "{shown}");
}
