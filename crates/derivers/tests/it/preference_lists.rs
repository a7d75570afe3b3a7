//! Preferences of the owner of a memory that are stated together: lists, and clauses without "I".

use derivers::preferences::Preferences;

use crate::support::{lines, note, records_of, to_agent};

/// What the text states, without the identity keys.
fn stated(text: &str) -> Vec<String> {
    let texts = |records| -> Vec<String> {
        let found = lines(&Preferences::default(), &records_of([records]));
        found
            .iter()
            .filter_map(|line| line.split_once(": "))
            .map(|(_, text)| text.to_owned())
            .collect()
    };
    let found = texts(note("2025-03-01", text));
    assert_eq!(found, texts(to_agent("2025-03-01T10:00:00Z", text)), "{text:?}");
    found
}

/// Checks the objects that are liked, and those that are not.
#[track_caller]
fn check(text: &str, liked: &[&str], disliked: &[&str]) {
    let mut expect: Vec<String> = liked.iter().map(|object| format!("You like {object}")).collect();
    expect.extend(disliked.iter().map(|object| format!("You do not like {object}")));
    let mut found = stated(text);
    expect.sort();
    found.sort();
    assert_eq!(found, expect, "{text:?}");
}

#[test]
fn every_item_of_a_list_of_plain_objects_is_stated() {
    for text in [
        "I enjoy cooking, hiking and chess.",
        "I enjoy cooking, hiking, and chess",
        "I like hiking, chess and cooking very much.",
        "Honestly, I love chess, cooking and hiking!",
        "I'm a big fan of chess, cooking and hiking.",
        "I like chess, cooking and hiking, but the evenings are short.",
        "I like chess, cooking and hiking, which my doctor recommends.",
        "I like chess, cooking and hiking because they calm me.",
        "I like chess, cooking, hiking.",
        "I like chess, cooking, hiking, etc.",
        "My favourite hobbies are chess, cooking and hiking.",
    ] {
        check(text, &["chess", "cooking", "hiking"], &[]);
    }
    check("I like cats and dogs.", &["cats", "dogs"], &[]);
    check("I love jazz, and blues.", &["blues", "jazz"], &[]);
    check("I hate traffic, small talks, and crowds.", &[], &["crowds", "small talks", "traffic"]);
    check("I don't like tea, coffee or juice", &[], &["coffee", "juice", "tea"]);
    check("I can't stand olives, cilantro and liver", &[], &["cilantro", "liver", "olives"]);
    check("I love tea, coffee and dark chocolate", &["coffee", "dark chocolate", "tea"], &[]);
    check("I love pizza, tea, and mac and cheese", &["mac and cheese", "pizza", "tea"], &[]);
    check(
        "I love tennis, football or golf on rainy days",
        &["football", "golf on rainy days", "tennis"],
        &[],
    );
    check("I love green tea, old maps and jazz", &["green tea", "jazz", "old maps"], &[]);
    check("I love tea, cake and spending time with friends", &["cake", "tea"], &[]);
    check("My favourite bands are Blur, Pulp and Queen", &["Blur", "Pulp", "Queen"], &[]);
    check("My favourite drinks are tea and coffee", &["coffee", "tea"], &[]);
}

#[test]
fn what_follows_an_object_after_a_comma_is_not_always_an_item() {
    for text in [
        "I love jazz, and Clara sent me a record.",
        "I love jazz, but Clara hates it.",
        "I love jazz, which is old.",
        "I love jazz, because my father played it.",
        "I love jazz, so Clara sends records and tapes.",
        "I love jazz, Clara sent me a record, and we danced.",
        "I love jazz, and dogs chase cars.",
        "I love jazz, and snow fell.",
        "I love jazz, and dance.",
        "I love jazz, honestly and truly.",
        "I love jazz, thanks and bye.",
        "I love jazz, eat cake and sleep.",
        "I love jazz, work late and sleep little.",
        "I love jazz, with wine and cheese.",
        "I love jazz, records make me happy and tapes are fine.",
        "I love jazz, and my sister loves blues and rock.",
        "I love jazz, Berlin.",
        "I love jazz, blues.",
        "I love jazz, in summer and winter.",
        "My favourite genre is jazz, slow and sad.",
    ] {
        check(text, &["jazz"], &[]);
    }
    for text in [
        "I love the colour, texture and smell.",
        "I like strong, black coffee.",
        "I like cold, dry weather.",
        "I love Italian, French and Spanish food.",
        "I love Ana, Tom and tea.",
        "If it rains, I like tea, coffee and cake.",
        "Clara and Tom enjoy cooking, hiking and chess.",
        "Do I like tea, coffee and cake?",
        "Clara says I like tea, coffee and cake.",
        "I used to like tea, coffee and cake.",
    ] {
        check(text, &[], &[]);
    }
    // The last noun may belong to all.
    check("I like red, green and black tea", &["black tea"], &[]);
    check("I like running, hiking and climbing shoes", &["climbing shoes"], &[]);
    check("I like long, dark and cold winters", &["cold winters"], &[]);
    // So may the first adjective.
    check("I hate cold tea, coffee and juice", &[], &["cold tea"]);
    check("I hate cold tea and coffee", &[], &["cold tea"]);
}

#[test]
fn after_a_statement_the_next_verb_needs_no_subject() {
    check("I dislike mushrooms but love truffles.", &["truffles"], &["mushrooms"]);
    check("I dislike mushrooms, but really love truffles.", &["truffles"], &["mushrooms"]);
    check("I love pizza and can't stand fish", &["pizza"], &["fish"]);
    check("I love cold pizza and really hate fish", &["cold pizza"], &["fish"]);
    check("I don't like tea but love coffee", &["coffee"], &["tea"]);
    check("I love tea, cake and jazz, but hate crowds", &["cake", "jazz", "tea"], &["crowds"]);
    check("I love tea but hate crowds and like jazz", &["jazz", "tea"], &["crowds"]);
    check("I'm not a fan of tea but enjoy coffee", &["coffee"], &["tea"]);
    for text in [
        "I have friends who hate tea but love coffee.",
        "I know somebody and hate crowds.",
        "My sister hates tea but love is blind.",
        "They hate tea but love coffee.",
        "I like people who hate tea but love coffee.",
        "I dislike it but love coffee, Clara said.",
    ] {
        check(text, &[], &[]);
    }
    check("I love tea but Clara loves coffee", &["tea"], &[]);
    check("I love tea but love is blind", &["tea"], &[]);
    check("I love tea but like to cook", &["tea"], &[]);
    check("I don't like tea and love coffee", &[], &["tea"]);
    check("I love tea and my friends hate coffee but love juice", &["tea"], &[]);
}
