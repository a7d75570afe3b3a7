use kernel::evidence::{Evidence, Payload, Visibility};
use kernel::id::OpId;
use kernel::operation::HlcTimestamp;
use proptest::prelude::*;

use super::*;
use crate::{RecordBody, SignedBy};

fn kinds(text: &str, voice: Voice) -> Vec<&'static str> {
    mined_from(text, voice).into_iter().map(|statement| statement.kind.as_str()).collect()
}

#[test]
fn what_is_stated_outright_is_mined() {
    for (text, kind) in [
        ("We decided to fire the kiln on Friday.", "decision"),
        ("Okay, so we've decided to use the celadon glaze.", "decision"),
        ("At the meeting, the committee unanimously agreed to buy a second kiln.", "decision"),
        ("I talked to Mara and we decided to move the shelves.", "decision"),
        ("I decided to keep the old wheel.", "decision"),
        ("It was decided to close the studio in August.", "decision"),
        ("Decision: the studio opens at nine.", "decision"),
        ("Wir haben beschlossen, den Ofen am Freitag zu heizen.", "decision"),
        ("Nous avons décidé de vendre le vieux four.", "decision"),
        ("Hemos decidido vender el horno viejo.", "decision"),
        ("From now on, answer in metric units.", "rule"),
        ("Always wedge the clay twice.", "rule"),
        ("Never open the kiln above 100 degrees.", "rule"),
        ("We always wedge the clay twice before we throw it.", "habit"),
        ("Ab jetzt antworte bitte immer auf Deutsch.", "rule"),
        ("Désormais, réponds toujours en français.", "rule"),
        ("Every shelf must be sanded before the firing.", "requirement"),
        ("Visitors must not touch the wet glaze.", "requirement"),
        ("All tests must pass.", "requirement"),
        ("The doors must be locked.", "requirement"),
        ("The kiln must be below 200 degrees before opening.", "requirement"),
        ("Always wedge the clay before throwing it.", "rule"),
        ("Decision: use Postgres.", "decision"),
        ("Rent is due on the first of the month.", "deadline"),
        ("The order for the gallery is due on Friday.", "deadline"),
        ("The rent is due on the first of May.", "deadline"),
        ("The deadline for the fair is 3 May.", "deadline"),
        ("Our goal is to sell forty bowls this year.", "goal"),
        ("I prefer small commits with long messages.", "preference"),
    ] {
        assert_eq!(kinds(text, Voice::Owner), [kind], "{text}");
    }
}

#[test]
fn questions_conditions_reports_quotes_and_code_are_not_mined() {
    for text in [
        "Have we decided to fire the kiln on Friday?",
        "If we decided to fire the kiln, the glaze would crack.",
        "When we decided to fire the kiln, the glaze was wet.",
        "She said that we decided to fire the kiln.",
        "She said we decided to fire the kiln.",
        "I think we decided to fire the kiln.",
        "We haven't decided to fire the kiln yet.",
        "We have not decided on the glaze for the bowls.",
        "We never decided to fire the kiln.",
        "Maybe we agreed to fire the kiln on Friday.",
        "We decided to fire the kiln on Friday, I think.",
        "We decided to do that.",
        "We decided to sell it.",
        "It must work.",
        "They must have left.",
        "The keys must be under the mat.",
        "Decision: none.",
        "All use of the kiln must follow the",
        "> We decided to fire the kiln on Friday.",
        "```\nWe decided to fire the kiln on Friday.\n```",
        "Tom: We decided to fire the kiln on Friday.",
        "He wrote \"we decided to fire the kiln\" on the wall.",
        "Never mind the glaze on the old bowls.",
        "Always a pleasure to see the studio.",
        "I must say that the glaze looks great.",
        "It must be raining in the mountains today.",
        "Always flush the buffers (#123)",
        "I decided to try the new wheel from the fair.",
        "These are the rules that we decided to keep for the studio:",
        "He must be tired after the long firing.",
        "The crack is due to the wet glaze on Friday.",
        "Unless we agreed to fire the kiln, nothing happens.",
        "Can you tell me what we decided to fire?",
        "I decided to buy a kiln, can you help me choose one",
        "Wir haben noch nicht beschlossen, den Ofen zu heizen.",
        "Nous n'avons pas décidé de vendre le four.",
        "",
        "?",
    ] {
        assert_eq!(kinds(text, Voice::Owner), [""; 0], "{text}");
    }
}

#[test]
fn the_text_of_a_statement_is_what_states_it() {
    for (text, mined) in [
        ("Okay, so we agreed to sell the kiln.", "We agreed to sell the kiln."),
        (
            "At the meeting, we agreed to sell the kiln.",
            "At the meeting, we agreed to sell the kiln.",
        ),
        (
            "I talked to Mara and we decided to move the shelves, but I'm not sure where.",
            "We decided to move the shelves",
        ),
        ("- [ ] we agreed on Äther as the “new” name", "We agreed on Äther as the “new” name"),
    ] {
        let texts: Vec<String> =
            mined_from(text, Voice::Owner).into_iter().map(|mined| mined.text).collect();
        assert_eq!(texts, [mined]);
    }
}

#[test]
fn what_others_say_of_themselves_and_what_describes_a_change_is_not_mined() {
    let text = "I decided to keep the old wheel. Always wedge the clay twice. I prefer long walks.";
    assert_eq!(kinds(text, Voice::People), [""; 0]);
    let change =
        "Always flush the buffer. Every line must be read. We decided to drop the old flag.";
    assert_eq!(kinds(change, Voice::Change), ["decision"]);
}

fn record(text: &str, role: Option<&str>, actor: Option<&str>, signed_by: SignedBy) -> Record {
    let evidence = Evidence {
        source: "chat".to_owned(),
        source_uid: "1".to_owned(),
        kind: EvidenceKind::from(EvidenceKind::TURN),
        actor: actor.map(str::to_owned),
        at: None,
        summary: String::new(),
        visibility: Visibility::Project,
        payload: Payload {
            text: text.to_owned(),
            role: role.map(str::to_owned),
            ..Payload::default()
        },
    };
    Record {
        id: OpId([1; 32]),
        recorded_at: HlcTimestamp(1),
        signed_by,
        body: RecordBody::Evidence(Box::new(evidence)),
    }
}

#[test]
fn a_sentence_from_which_a_deriver_concludes_something_is_that_derivers() {
    let text =
        "I prefer tea to coffee. I prefer small commits with a long body. My sister Ana is here.";
    let own = record(text, Some("user"), None, SignedBy::Owner);
    assert_eq!(owner(&own, "I prefer tea to coffee."), Some("preferences"));
    assert_eq!(owner(&own, "My sister Ana is here."), Some("relationships"));
    let mined: Vec<String> = mine(&own).into_iter().map(|mined| mined.text).collect();
    assert!(!mined.iter().any(|text| text.contains("tea") || text.contains("Ana")), "{mined:?}");
}

#[test]
fn what_programs_say_is_not_mined_and_others_speak_only_for_their_group() {
    let text = "We decided to fire the kiln on Friday. I decided to sell the old wheel.";
    let count = |role, actor, signed_by| mine(&record(text, role, actor, signed_by)).len();
    assert_eq!(count(Some("user"), None, SignedBy::Owner), 2);
    assert_eq!(count(None, Some("Mara"), SignedBy::Owner), 1);
    assert_eq!(count(Some("user"), None, SignedBy::Other), 1);
    assert_eq!(count(Some("assistant"), None, SignedBy::Owner), 0);
    assert_eq!(count(None, Some("Assistant"), SignedBy::Owner), 0);
    let request = format!("Translate: {text}");
    assert!(mine(&record(&request, Some("user"), None, SignedBy::Owner)).is_empty());
    let pasted = format!("I decided to keep the shelf. My boss wrote to us:\n\n{text}");
    assert_eq!(mine(&record(&pasted, Some("user"), None, SignedBy::Owner)).len(), 1);
}

#[test]
fn a_letter_without_a_capital_of_its_own_stays_as_it_is() {
    for text in ["ῢ is due on Friday.", "ß is due on Friday.", "ſ is due on Friday."] {
        let mined: Vec<String> =
            mined_from(text, Voice::Owner).into_iter().map(|mined| mined.text).collect();
        assert_eq!(mined, [text]);
    }
}

proptest! {
    #[test]
    fn any_text_is_read_and_what_is_mined_stands_in_it(
        words in prop::collection::vec(
            prop_oneof![
                Just("We decided to".to_owned()),
                Just("always".to_owned()),
                Just("must not".to_owned()),
                Just("is due on".to_owned()),
                Just("Friday. ".to_owned()),
                Just("“".to_owned()),
                Just("\n- ".to_owned()),
                Just(", but I'm not sure".to_owned()),
                "\\PC{0,12}",
            ],
            0..40,
        )
    ) {
        let text = words.join(" ");
        let folded = |text: &str| {
            text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
        };
        for statement in mined_from(&text, Voice::Owner) {
            prop_assert!(folded(&text).contains(&folded(&statement.text)), "{}", statement.text);
        }
    }
}
