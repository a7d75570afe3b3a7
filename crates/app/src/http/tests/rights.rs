//! Who sees and does what: spaces, rights, private thoughts, copies.

use engine::private::Disclosure;
use kernel::body::Annotation;
use kernel::evidence::Visibility;

use super::*;

const MORE: &str = "Nobody here has ever written anything about zebras and the wide savannah.";

impl TestServer {
    /// Marks a thought of the first space as private.
    fn make_private(&self, id: &str) {
        let signer = self.session.home.signer().unwrap();
        let mut space = Space::open(self.session.spaces[0].as_ref(), signer).unwrap();
        let id = space.reader().unwrap().thought_named(id, Disclosure::Full).unwrap().unwrap();
        let label = Annotation { visibility: Some(Visibility::Private), ..Annotation::default() };
        let mut writer = space.writer();
        writer.label_thought(id, label, Timestamp::now()).unwrap();
        writer.finish().unwrap();
    }
}

/// Every request about a thought: how it is made, and the right that it needs.
fn requests(id: &str) -> Vec<(&'static str, String, Value, &'static str)> {
    let of = |suffix: &str| format!("/api/v1/thoughts/{id}{suffix}");
    let agent = |body: Value| with(body, json!({ "agent_id": "m", "agent_name": "M" }));
    let memory = || "/api/v1/memory".to_owned();
    let prompt = |more: Value| with(agent(json!({ "prompt": "kiln zirconquokka" })), more);
    vec![
        ("POST", memory(), prompt(json!({})), "read"),
        ("POST", memory(), prompt(json!({ "full_content": true, "read_only": true })), "read"),
        ("POST", memory(), agent(json!({ "prompt": MORE })), "read"),
        ("POST", memory(), prompt(json!({ "refines": id })), "append"),
        ("POST", memory(), prompt(json!({ "corrects": id })), "append"),
        ("POST", memory(), prompt(json!({ "consolidates": [id, "nothing"] })), "append"),
        (
            "POST",
            "/api/v1/query".to_owned(),
            agent(json!({ "query": "kiln zirconquokka" })),
            "read",
        ),
        ("POST", "/api/v1/ingest".to_owned(), agent(json!({ "content": "kiln" })), "append"),
        (
            "POST",
            "/api/v1/ingest".to_owned(),
            agent(json!({ "content": "x", "refines": id })),
            "append",
        ),
        ("GET", "/api/v1/domains".to_owned(), Value::Null, "read"),
        ("GET", of(""), Value::Null, "any"),
        ("GET", of("/lineage"), Value::Null, "any"),
        ("PATCH", of(""), json!({ "topic": "mine" }), "any"),
        ("POST", of("/share"), json!({ "space": "mine" }), "any"),
        (
            "POST",
            "/api/v1/memory/feedback".to_owned(),
            json!({ "session_id": "s", "thought_id": id, "signal": "useful" }),
            "any",
        ),
    ]
}

#[test]
fn every_endpoint_for_every_token_space_and_visibility() {
    let server = TestServer::of(&["own", "mine"]);
    for endpoint in super::super::endpoints::all() {
        let is_here = requests("{id}")
            .iter()
            .any(|(method, path, ..)| *method == endpoint.method.as_str() && path == endpoint.path);
        assert_eq!(is_here, endpoint.tag == "thoughts", "{} {}", endpoint.method, endpoint.path);
    }
    let owner = server.token(&["own:read,append,correct,private"]);
    let labels =
        json!({ "category": "domain_summary", "topic": "zirconquokka", "tags": ["zirconquokka"] });
    let private = server.keep(&owner, "kiln zirconquokka of the house", labels);
    let open = server.keep(&owner, "kiln cone six", json!({}));
    let child = server.keep(&owner, "kiln cone seven zirconquokka", json!({ "refines": open }));
    for agent in ["a", "b", "a", "b"] {
        server.ask(&owner, agent, "kiln zirconquokka");
    }
    server.make_private(&private);
    server.make_private(&child);
    let op = server.show(&owner, &private)["id"].as_str().unwrap().to_owned();
    let tokens = [
        ("none", server.token(&["mine:read,append,correct,private"])),
        ("read", server.token(&["own:read", "mine:append"])),
        ("append", server.token(&["own:append", "mine:append"])),
        ("correct", server.token(&["own:append,correct", "mine:append"])),
    ];
    let has = |token: &str, right: &str| match right {
        "read" => token != "none",
        "append" => matches!(token, "append" | "correct"),
        _ => unreachable!(),
    };
    for name in [&private, &op, &op[..24].to_owned(), &UNKNOWN.to_owned()] {
        for (kind, token) in &tokens {
            for (method, path, body, right) in requests(name) {
                for space in ["own", "nowhere"] {
                    let (mut path, mut body) = (path.clone(), body.clone());
                    match (right, method) {
                        ("any", _) if space == "nowhere" => continue,
                        ("any", _) => {}
                        (_, "GET") => path.push_str(&format!("?space={space}")),
                        _ => body["space"] = json!(space),
                    }
                    let text = if body.is_null() { String::new() } else { body.to_string() };
                    let reply = server.send(method, &path, token, text.as_bytes());
                    let what = format!("{kind} {space} {method} {path} {body}: {}", reply.json);
                    let said =
                        reply.json["result"].to_string() + &reply.json["domains"].to_string();
                    let seen = said.contains("of the house") || said.contains("seven");
                    assert!(!seen, "{what}");
                    let refers = body["refines"].is_string()
                        || body["corrects"].is_string()
                        || body["consolidates"].is_array();
                    match right {
                        // What is private is as unknown as an id that nothing has.
                        "any" => drop(reply.refused(404, "THOUGHT_NOT_FOUND")),
                        _ if space == "nowhere" || !has(kind, right) => {
                            drop(reply.refused(403, "FORBIDDEN"));
                        }
                        _ if refers => drop(reply.refused(404, "THOUGHT_NOT_FOUND")),
                        _ => drop(reply.ok()),
                    }
                    assert!(!what.contains("\"500\""), "{what}");
                }
            }
        }
    }
    for (method, path, body, _) in requests(&private) {
        let text = if body.is_null() { String::new() } else { body.to_string() };
        server.send(method, &path, "", text.as_bytes()).refused(401, "UNAUTHORIZED");
    }
}

#[test]
fn who_refines_a_private_thought_is_told_that_the_new_one_is_private_too() {
    let server = TestServer::of(&["own"]);
    let owner = server.token(&["own:read,append,private"]);
    let private = server.keep(&owner, "kiln zirconquokka of the house", json!({}));
    server.make_private(&private);
    let guidance = |prompt: &str, more: Value| {
        let asked = with(json!({ "agent_id": "m", "agent_name": "M", "prompt": prompt }), more);
        let answer = server.send("POST", "/api/v1/memory", &owner, asked.to_string().as_bytes());
        answer.ok()["result"]["guidance"].as_str().unwrap_or_default().to_owned()
    };
    let told = guidance("The kiln of the house is blue.", json!({ "refines": private }));
    assert!(told.contains("something private"), "{told}");
    assert!(!guidance(MORE, json!({})).contains("something private"));
}

#[test]
fn case_45_given_a_private_thought_then_no_view_of_another_caller_shows_it() {
    let server = TestServer::of(&["own"]);
    let owner = server.token(&["own:read,append,correct,private"]);
    let other = server.token(&["own:read,append"]);
    let labels = json!({ "category": "domain_summary", "topic": "secrets", "tags": ["hush"] });
    let private = server.keep(&owner, "kiln cone six secret", labels);
    let open = server.keep(&owner, "kiln cone of the house", json!({}));
    let refined = server.keep(&owner, "kiln secret refined", json!({ "refines": open }));
    for agent in ["a", "b", "a", "b"] {
        server.ask(&owner, agent, "kiln cone six secret house");
    }
    server.make_private(&private);
    server.make_private(&refined);
    assert_eq!(source_ids(&server.ask(&owner, "a", "kiln cone secret")).len(), 3);
    let answer = server
        .memory(&other, "b", "kiln cone six secret hush", json!({ "full_content": true }))
        .ok();
    assert_eq!(source_ids(&answer), [open.as_str()]);
    assert!(!answer.to_string().contains("secret\""), "{answer}");
    let source = &answer["result"]["sources"][0];
    assert_eq!((&source["refined_by"], &source["superseded"]), (&Value::Null, &json!(false)));
    assert_eq!(answer["trace"]["thoughts_retrieved"], 1);
    assert!(answer["trace"]["lineage_summary"].is_null());
    let highways = answer["result"]["highways_nearby"].to_string();
    assert!(highways.contains("house") && !highways.contains("secret"), "{highways}");
    let shown = server.show(&other, &open);
    assert_eq!((&shown["co_retrieved"], &shown["refined_by"]), (&json!([]), &Value::Null));
    let lineage = server.get(&format!("/api/v1/thoughts/{open}/lineage"), &other).ok();
    assert_eq!(lineage["chain"].as_array().unwrap().len(), 1);
    assert_eq!(server.get("/api/v1/domains", &other).ok(), json!({ "domains": [] }));
    // A tag that private thoughts alone have is not given to a contribution of others.
    let kept = server.ask(
        &other,
        "b",
        "Whoever knows the word hush may say it aloud in this room at any time.",
    );
    let id = kept["trace"]["contributed_thought_id"].as_str().unwrap().to_owned();
    assert_eq!(server.show(&other, &id)["tags"], json!([]));
    server
        .patch(&format!("/api/v1/thoughts/{open}"), &other, &json!({ "topic": "x" }))
        .refused(403, "FORBIDDEN");
}

#[test]
fn private_tags_are_neither_counted_nor_chosen_by_others() {
    let server = TestServer::of(&["own"]);
    let owner = server.token(&["own:read,append,private"]);
    let other = server.token(&["own:read"]);
    for number in 0..16 {
        let tag = ["red", "green", "blue", "hush"][number % 4];
        let id = server.keep(&owner, &format!("glaze number {number}"), json!({ "tags": [tag] }));
        if tag == "hush" {
            server.make_private(&id);
        }
    }
    let ask = |token: &str, prompt: &str, session: &str| {
        server.memory(token, "q", prompt, json!({ "session_id": session })).ok()
    };
    let counts = |answer: &Value| {
        let clusters = answer["result"]["disambiguation"]["clusters"].as_array().unwrap().clone();
        clusters.iter().map(|it| (it["tag"].clone(), it["count"].clone())).collect::<Vec<_>>()
    };
    let all = counts(&ask(&owner, "glaze number", "theirs"));
    assert!(all.contains(&(json!("hush"), json!(4))), "{all:?}");
    let seen = counts(&ask(&other, "glaze number", "mine"));
    assert_eq!(seen, ["blue", "green", "red"].map(|tag| (json!(tag), json!(4))));
    // The session of another offered a tag that is not shown here.
    let answer = ask(&other, "glaze number, hush", "theirs");
    assert_eq!(source_ids(&answer).len(), 4);
    assert_eq!(counts(&answer), seen);
}

#[test]
fn a_space_of_others_is_unknown_in_every_view() {
    let server = TestServer::of(&["own", "team"]);
    let mine = server.token(&["own:read,append"]);
    let theirs = server.token(&["team:read,append"]);
    let both = server.token(&["team:read,append", "own:read"]);
    let id = server.keep(
        &mine,
        "kiln cone six",
        json!({ "tags": ["kiln"], "category": "domain_summary", "topic": "k" }),
    );
    for agent in ["a", "b", "a", "b"] {
        server.ask(&mine, agent, "kiln cone");
    }
    let answer = server.ask(
        &theirs,
        "a",
        "kiln cone six and everything that belongs to it here, as far as I know",
    );
    assert_eq!(
        (&answer["result"]["sources"], &answer["result"]["highways_nearby"]),
        (&json!([]), &json!([]))
    );
    assert!(
        answer["result"]["guidance"].as_str().unwrap().contains("welcome"),
        "agents are known per space"
    );
    let kept = answer["trace"]["contributed_thought_id"].as_str().unwrap();
    assert_eq!(server.show(&theirs, kept)["tags"], json!([]));
    assert_eq!(server.get("/api/v1/domains", &theirs).ok(), json!({ "domains": [] }));
    let op = server.show(&mine, &id)["id"].as_str().unwrap().to_owned();
    for name in [&id, &op] {
        let path = format!("/api/v1/thoughts/{name}");
        server.get(&path, &theirs).refused(404, "THOUGHT_NOT_FOUND");
        server
            .memory(&theirs, "a", "x", json!({ "refines": name }))
            .refused(404, "THOUGHT_NOT_FOUND");
        // Who may read both spaces finds it there, and may not label or build on it from elsewhere.
        assert_eq!(server.show(&both, name)["thought_id"], id.as_str());
        server.patch(&path, &both, &json!({ "topic": "x" })).refused(403, "FORBIDDEN");
        // Nothing crosses a space, and it is said where the thought is.
        for refers in [
            json!({ "refines": name }),
            json!({ "corrects": name }),
            json!({ "consolidates": [kept, name] }),
        ] {
            let refused = server.memory(&both, "a", "x", refers.clone());
            let message = refused.refused(400, "VALIDATION_ERROR");
            assert!(message.contains("\"space\": \"own\""), "{message}");
            let body = with(json!({ "content": "x", "agent_id": "a", "agent_name": "A" }), refers);
            let refused = server.post("/api/v1/ingest", &both, &body);
            assert_eq!(refused.refused(400, "VALIDATION_ERROR"), message);
        }
        server
            .memory(&both, "a", "x", json!({ "consolidates": [UNKNOWN, name] }))
            .refused(404, "THOUGHT_NOT_FOUND");
        server
            .memory(&both, "a", "x", json!({ "refines": name, "space": "own" }))
            .refused(403, "FORBIDDEN");
    }
    let asked = server.memory(&both, "a", "kiln cone", json!({ "space": "own" })).ok();
    assert_eq!(source_ids(&asked), [id.as_str()]);
    // What is private there is unknown everywhere.
    server.make_private(&id);
    server.memory(&both, "a", "x", json!({ "refines": id })).refused(404, "THOUGHT_NOT_FOUND");
}

#[test]
fn a_token_that_may_only_read_stores_nothing_and_names_no_sources() {
    let server = TestServer::of(&["own"]);
    let (writer, reader) = (server.token(&["own:append"]), server.token(&["own:read"]));
    let id = server.keep(&writer, "kiln cone six", json!({}));
    let trace = server.ask(&reader, "r", STATEMENT)["trace"].clone();
    assert_eq!(
        (&trace["contribution_threshold_met"], &trace["thoughts_contributed"]),
        (&json!(true), &json!(0))
    );
    assert_eq!(trace["contributed_thought_id"], Value::Null);
    for more in [
        json!({ "refines": id }),
        json!({ "corrects": id }),
        json!({ "refines": UNKNOWN }),
        json!({ "consolidates": [id, UNKNOWN] }),
        json!({ "refines": id, "read_only": true }),
    ] {
        server.memory(&reader, "r", "x", more).refused(403, "FORBIDDEN");
    }
    let content = json!({ "content": "x", "agent_id": "r", "agent_name": "R" });
    server.post("/api/v1/ingest", &reader, &content).refused(403, "FORBIDDEN");
    let path = format!("/api/v1/thoughts/{id}");
    server.patch(&path, &reader, &json!({ "topic": "x" })).refused(403, "FORBIDDEN");
    assert_eq!(server.thoughts(), 1);
    // Another key that may write labels only what is its own; who speaks for the person labels all.
    let other = server.token(&["own:append"]);
    server.patch(&path, &other, &json!({ "topic": "x" })).refused(403, "FORBIDDEN");
    for rights in ["own:append,correct", "own:correct"] {
        let person = server.token(&[rights]);
        assert_eq!(server.patch(&path, &person, &json!({ "topic": "x" })).ok()["topic"], "x");
    }
    server.patch(&path, &writer, &json!({ "topic": "y" })).ok();
}

#[test]
fn case_46_given_a_shared_thought_then_again_409_by_another_403_unknown_404_and_a_fresh_copy() {
    let server = TestServer::of(&["own", "team"]);
    let token = server.token(&["own:read,append", "team:read,append"]);
    let first = server.keep(&token, "kiln cone six", json!({}));
    let id = server.keep(&token, "kiln cone seven", json!({ "refines": first, "tags": ["kiln"] }));
    server.ask(&token, "q", "kiln cone");
    let path = format!("/api/v1/thoughts/{id}/share");
    let share = |token: &str, to: Value| server.post(&path, token, &json!({ "space": to }));
    let reader = server.token(&["own:read,append", "team:read"]);
    share(&reader, json!("team")).refused(403, "FORBIDDEN");
    let other = server.token(&["own:read,append", "team:append"]);
    share(&other, json!("team")).refused(403, "FORBIDDEN");
    for nowhere in ["nowhere", "/etc/passwd", "../team.db"] {
        share(&token, json!(nowhere)).refused(403, "FORBIDDEN");
    }
    for wrong in [json!(null), json!(""), json!(5), json!(["team"])] {
        share(&token, wrong).refused(400, "VALIDATION_ERROR");
    }
    share(&token, json!("own")).refused(400, "VALIDATION_ERROR");
    let outsider = server.token(&["team:append"]);
    share(&outsider, json!("team")).refused(404, "THOUGHT_NOT_FOUND");
    let unknown = format!("/api/v1/thoughts/{UNKNOWN}/share");
    server.post(&unknown, &token, &json!({ "space": "team" })).refused(404, "THOUGHT_NOT_FOUND");
    server.post(&unknown, &token, &json!({ "space": "nowhere" })).refused(403, "FORBIDDEN");
    let reply = share(&token, json!("team"));
    assert_eq!(reply.status, 201, "{}", reply.json);
    let copy = reply.json["thought_id"].as_str().unwrap();
    assert_eq!(reply.json, json!({ "thought_id": copy }));
    assert_ne!(copy, id);
    let shown = server.show(&token, copy);
    assert_eq!((&shown["pheromone_weight"], &shown["access_count"]), (&json!(1.0), &json!(0)));
    assert_eq!((&shown["content"], &shown["tags"]), (&json!("kiln cone seven"), &json!(["kiln"])));
    assert_eq!((&shown["source_ids"], &shown["thought_type"]), (&json!([]), &json!("original")));
    share(&token, json!("team")).refused(409, "ALREADY_SHARED");
    server.get(&format!("/api/v1/thoughts/{copy}"), &outsider).ok();
    let lineage = server.get(&format!("/api/v1/thoughts/{copy}/lineage"), &outsider).ok();
    assert_eq!(lineage["chain"].as_array().unwrap().len(), 1, "nothing of its ancestors travels");
}

#[test]
fn who_may_only_read_a_space_shares_nothing_of_it_whoever_wrote_there_last() {
    let server = TestServer::of(&["own", "team"]);
    let author = server.token(&["own:read,append"]);
    let reader = server.token(&["own:read", "team:read,append"]);
    let id = server.keep(&author, "kiln cone six", json!({}));
    let path = format!("/api/v1/thoughts/{id}/share");
    let share = |token: &str| server.post(&path, token, &json!({ "space": "team" }));
    let find = |token: &str| server.post("/api/v1/query", token, &query("kiln cone six")).ok();
    // Handles are used again: the last one to sign was the author, then the person (who tries).
    share(&reader).refused(403, "FORBIDDEN");
    let dry_run = json!({ "ids": [id], "dry_run": true });
    let person = server.token(&["own:read,correct"]);
    server.post("/api/v1/retract", &person, &dry_run).ok();
    share(&reader).refused(403, "FORBIDDEN");
    find(&reader);
    share(&reader).refused(403, "FORBIDDEN");
    let found =
        server.post("/api/v1/query", &reader, &with(query("kiln"), json!({ "space": "team" })));
    assert_eq!(found.ok()["result"]["sources"], json!([]));
}

#[test]
fn of_texts_that_differ_in_a_word_the_same_one_comes_first() {
    let server = TestServer::of(&["own"]);
    let token = server.token(&["own:read,append"]);
    let text = |number: usize| {
        format!("Observation number {number}: the level of the upper reservoir rises in spring.")
    };
    let ids: Vec<String> =
        (0..12).map(|number| server.keep(&token, &text(number), json!({}))).collect();
    for (number, id) in ids.iter().enumerate() {
        let found = server.post("/api/v1/query", &token, &query(&text(number))).ok();
        assert_eq!(found["result"]["sources"][0]["thought_id"], json!(id), "{number}");
    }
}

#[test]
fn a_mark_that_is_there_keeps_its_time_and_a_uuid_names_a_thought_everywhere() {
    let server = TestServer::of(&["own"]);
    let token = server.token(&["own:read,append,correct"]);
    let id = server.keep(&token, "kiln cone six", json!({}));
    let marks = || {
        let request = json!({ "operation": "list_removals" });
        server.post("/api/v1/maintenance", &token, &request).ok()["removals"].clone()
    };
    let marked = json!({ "operation": "mark", "ids": [id, UNKNOWN] });
    let answer = server.post("/api/v1/maintenance", &token, &marked).ok();
    assert_eq!(answer["count"], 1, "{answer}");
    let before = marks();
    assert!(before[0].is_object(), "{before}");
    let path = format!("/api/v1/thoughts/{id}");
    server.patch(&path, &token, &json!({ "mark": "removal" })).ok();
    server.patch(&path, &token, &json!({ "mark": "removal", "topic": "kilns" })).ok();
    assert_eq!(marks(), before);
    server.post("/api/v1/explain", &token, &json!({ "name": id })).ok();
    server.post("/api/v1/retract", &token, &json!({ "ids": [id] })).ok();
}

fn query(text: &str) -> Value {
    json!({ "query": text, "agent_id": "q", "agent_name": "Q" })
}
