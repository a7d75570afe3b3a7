//! Of two statements about the same thing, the newer stands first and says that it replaces.

use engine::Space;
use engine::recall::context::{Request, Tier};
use engine::recall::episodes::Query;
use engine::recall::replaced::{in_order_of_change, newer_first, says_it_changed};
use kernel::when::When;

use crate::support::{Home, at, note};

fn tell(home: &mut Home, day: &str, actor: Option<&str>, text: &str) {
    let mut said = note(&format!("{day} {text}"), text);
    said.at = Some(When::parse(day).unwrap());
    said.actor = actor.map(str::to_owned);
    home.space.remember(said, at(1)).unwrap();
}

/// The texts in order, each with the number of results that it replaces.
fn answers(space: &Space, question: &str, limit: usize) -> Vec<(String, usize)> {
    let mut recall = space.recall_with_newer(&Query::new(question, limit)).unwrap();
    newer_first(&mut recall.results, |result| (result.id, &result.replaces));
    recall.results.truncate(limit);
    let results = recall.results.into_iter();
    results.map(|result| (result.evidence.payload.text, result.replaces.len())).collect()
}

fn expect(space: &Space, question: &str, limit: usize, expected: &[(&str, usize)]) {
    let found = answers(space, question, limit);
    let found: Vec<(&str, usize)> = found.iter().map(|(text, of)| (text.as_str(), *of)).collect();
    assert_eq!(found.get(..expected.len()), Some(expected), "{question}: {found:?}");
}

/// Records beside which something is looked for.
fn chatter(home: &mut Home) {
    for number in 0..40 {
        let text = format!("On day {number} the team talked where they live in the summer");
        tell(home, "2024-05-01", Some("Kai"), &text);
    }
}

#[test]
fn the_newer_of_two_statements_comes_first_wherever_it_was_found() {
    let mut home = Home::new();
    chatter(&mut home);
    tell(&mut home, "2024-01-01", None, "I live in Gothenburg");
    tell(&mut home, "2024-06-01", None, "I moved: Oslo");
    let space = &home.space;
    expect(space, "Where do I live?", 2, &[("I moved: Oslo", 1), ("I live in Gothenburg", 0)]);
    expect(space, "Where do I live?", 1, &[("I moved: Oslo", 1)]);
    expect(
        space,
        "Do I live in Gothenburg?",
        5,
        &[("I moved: Oslo", 1), ("I live in Gothenburg", 0)],
    );
    // The score and the plain order are as they were.
    let plain = space.recall(&Query::new("Do I live in Gothenburg?", 1)).unwrap();
    assert_eq!(plain.results[0].evidence.payload.text, "I live in Gothenburg");
    tell(&mut home, "2024-09-01", None, "We have moved to Lisbon now");
    expect(
        &home.space,
        "Where do I live?",
        3,
        &[("We have moved to Lisbon now", 2), ("I moved: Oslo", 1), ("I live in Gothenburg", 0)],
    );
}

#[test]
fn a_change_is_followed_in_other_languages() {
    let mut home = Home::new();
    chatter(&mut home);
    for (day, text) in [
        ("2024-01-01", "Sabine wohnt in Kassel"),
        ("2024-01-02", "我的老板是赵磊"),
        ("2024-06-01", "Sabine ist nach Jena gezogen"),
        ("2024-06-02", "我的新老板是孙丽"),
        ("2024-06-03", "Rolf ist nach Jena gezogen"),
    ] {
        tell(&mut home, day, None, text);
    }
    let space = &home.space;
    let homes = [("Sabine ist nach Jena gezogen", 1), ("Sabine wohnt in Kassel", 0)];
    expect(space, "Wo wohnt Sabine?", 5, &homes);
    expect(space, "我的老板是谁？", 5, &[("我的新老板是孙丽", 1), ("我的老板是赵磊", 0)]);
}

#[test]
fn what_says_that_a_thing_changed_comes_before_what_was_said_of_it() {
    let mut home = Home::new();
    chatter(&mut home);
    for (day, text) in [
        ("2024-01-01", "The party is on 22 November at Clara's place"),
        ("2024-01-02", "The upload limit is 100 MB"),
        ("2024-06-01", "The party moved: 29 November"),
        ("2024-06-02", "We raised the upload limit to 200 MB"),
        ("2024-06-03", "The meeting moved to 30 November"),
    ] {
        tell(&mut home, day, None, text);
    }
    let party =
        [("The party moved: 29 November", 1), ("The party is on 22 November at Clara's place", 0)];
    expect(&home.space, "When is the party at Clara's place?", 5, &party);
    let limit = [("We raised the upload limit to 200 MB", 1), ("The upload limit is 100 MB", 0)];
    expect(&home.space, "What is the upload limit?", 5, &limit);
}

#[test]
fn an_older_statement_replaces_nothing_whenever_it_is_recorded() {
    let mut home = Home::new();
    tell(&mut home, "2024-06-01", None, "I moved to Oslo");
    tell(&mut home, "2024-01-01", None, "I moved to Gothenburg");
    expect(
        &home.space,
        "Where did I move to?",
        2,
        &[("I moved to Oslo", 1), ("I moved to Gothenburg", 0)],
    );
}

#[test]
fn other_people_and_other_things_replace_nothing() {
    let mut home = Home::new();
    tell(&mut home, "2024-01-01", None, "I live in Gothenburg");
    tell(&mut home, "2024-01-02", Some("Ana"), "I live in Porto");
    tell(&mut home, "2024-02-01", None, "I moved the meeting to Oslo");
    tell(&mut home, "2024-02-02", None, "I moved: the sofa is blue");
    tell(&mut home, "2024-02-03", Some("Ben"), "I moved to Lisbon");
    tell(&mut home, "2024-03-01", None, "My phone number is 1");
    tell(&mut home, "2024-03-02", Some("Ben"), "my new number is 2");
    for question in ["Where do I live?", "Where does Ana live?", "phone number"] {
        let found = answers(&home.space, question, 10);
        assert!(found.iter().all(|(_, replaces)| *replaces == 0), "{found:?}");
    }
    tell(&mut home, "2024-04-01", None, "Ana has moved to Lisbon");
    tell(&mut home, "2024-04-02", None, "my new number is 3");
    expect(
        &home.space,
        "Where does Ana live?",
        2,
        &[("Ana has moved to Lisbon", 1), ("I live in Porto", 0)],
    );
    expect(
        &home.space,
        "What is my phone number?",
        2,
        &[("my new number is 3", 1), ("My phone number is 1", 0)],
    );
}

#[test]
fn a_sentence_of_a_pasted_text_changes_nothing() {
    let said = |day: &str, role: Option<&str>, text: &str| {
        let mut said = note(day, text);
        said.at = Some(When::parse(day).unwrap());
        said.payload.role = role.map(str::to_owned);
        said
    };
    let older = "My phone number is 07700 900461.";
    let newer = "I moved house.\nMy new number is 07700 900999.";
    let sentence = "My new number is 07700 900999.";
    let own = said("2024-06-01", Some("user"), newer);
    let letter = format!("Please shorten this email from my aunt:\n\n{newer}");
    let pasted = said("2024-06-01", Some("user"), &letter);
    let before = said("2024-01-01", None, older);
    assert!(says_it_changed((sentence, &own), (older, &before)));
    assert!(!says_it_changed((sentence, &pasted), (older, &before)));
}

#[test]
fn a_name_that_may_mean_two_things_replaces_neither() {
    let mut home = Home::new();
    tell(&mut home, "2024-03-01", None, "My phone number is 1");
    tell(&mut home, "2024-03-02", None, "My account number is 7");
    tell(&mut home, "2024-04-02", None, "my new number is 3");
    let found = answers(&home.space, "What is my number?", 3);
    assert!(found.iter().all(|(_, replaces)| *replaces == 0), "{found:?}");
    tell(&mut home, "2024-05-02", None, "my new phone number is 4");
    expect(&home.space, "What is my phone number?", 1, &[("my new phone number is 4", 1)]);
}

#[test]
fn a_context_has_the_newer_first_and_says_what_it_replaces() {
    let mut home = Home::new();
    chatter(&mut home);
    tell(&mut home, "2024-01-01", None, "I work at Acme Sailing");
    tell(&mut home, "2024-06-01", None, "I started at Initech");
    let question = Some("Do I work at Acme Sailing?".to_owned());
    let context =
        home.space.context(&Request { question, ..Request::new("claude", at(9)) }).unwrap();
    let episodes = context.items.iter().filter(|item| item.tier == Tier::Episodes);
    let texts: Vec<&str> = episodes.map(|item| item.text.as_str()).collect();
    assert_eq!(
        texts.get(..2),
        Some(&["I started at Initech", "I work at Acme Sailing"][..]),
        "{}",
        context.text
    );
    assert!(context.text.contains("replaces [b3:"), "{}", context.text);
}

#[test]
fn whoever_moved_back_lives_there_again() {
    let mut home = Home::new();
    tell(&mut home, "2024-01-01", None, "I live in Gothenburg");
    tell(&mut home, "2024-06-01", None, "I moved to Oslo");
    tell(&mut home, "2024-09-01", None, "I moved back to Gothenburg");
    let found = answers(&home.space, "Where do I live?", 3);
    assert_eq!(found[0].0, "I moved back to Gothenburg", "{found:?}");
    let found = answers(&home.space, "Where do I live?", 1);
    assert_eq!(found[0].0, "I moved back to Gothenburg", "{found:?}");
}

#[test]
fn a_question_for_what_was_before_gets_the_older_first() {
    let id = |number: u8| kernel::id::OpId([number; 32]);
    let chain =
        vec![(id(3), vec![id(1), id(2)]), (id(9), vec![]), (id(1), vec![]), (id(2), vec![id(1)])];
    for (question, expected) in [
        ("When is the launch?", [3, 9, 2, 1]),
        ("How old is the launch?", [3, 9, 2, 1]),
        ("When was the launch originally planned?", [1, 2, 3, 9]),
        ("What was the old launch date?", [1, 2, 3, 9]),
    ] {
        let mut items = chain.clone();
        in_order_of_change(&mut items, question, |(id, older)| (*id, older.as_slice()));
        let order: Vec<u8> = items.iter().map(|(id, _)| id.0[0]).collect();
        assert_eq!(order, expected, "{question}");
    }
}
