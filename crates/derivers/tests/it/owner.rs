//! Beliefs where the owner of a memory said who they are, and where records are of others.

use derivers::owner::Owner;
use derivers::preferences::Preferences;
use derivers::relationships::Relationships;
use kernel::evidence::Evidence;
use serde_json::json;

use crate::support::{derive_all, event, evidence, lines, note, records_of, to_agent, turn};

#[track_caller]
fn check(records: Vec<Evidence>, expect: &[&str]) {
    assert_eq!(lines(&Relationships::default(), &records_of(records)), expect);
}

/// A mail from the first of these to the others.
fn mail(day: &str, addresses: &[&str], list: Option<&str>) -> Evidence {
    let author = addresses.first().and_then(|address| address.split(" <").next());
    let mut mail = evidence("mail", "mbox", author, day, "text");
    mail.payload.participants = addresses
        .iter()
        .filter_map(|address| address.split(" <").next())
        .map(str::to_owned)
        .collect();
    mail.payload.more.insert("addresses".to_owned(), json!(addresses));
    if let Some(list) = list {
        mail.payload.more.insert("mailing_list".to_owned(), json!(list));
    }
    mail
}

fn of_mara(records: Vec<Evidence>) -> Vec<String> {
    let owner = Owner::new(["Mara Lindqvist"], ["mara@studio.example"]);
    lines(&Relationships::of(owner), &records_of(records))
}

#[test]
fn the_owner_is_known_by_every_name_and_address_and_never_a_contact() {
    let mails = |owner: &str| -> Vec<Evidence> {
        (1..=4)
            .flat_map(|day| {
                let there =
                    mail(&format!("2025-01-0{day}"), &[owner, "Bo Ek <bo@x.example>"], None);
                let back = mail(
                    &format!("2025-01-0{day}"),
                    &["Bo Ek <bo@x.example>", owner, "Cy Alm <cy@x.example>"],
                    None,
                );
                [there, back]
            })
            .collect()
    };
    for owner in
        ["Mara Lindqvist <old@x.example>", "M <Mara@Studio.example>", "mara@studio.example"]
    {
        // Cy only gets copies.
        assert_eq!(
            of_mara(mails(owner)),
            ["relationship.contact|bo-ek: You keep in contact with Bo Ek, nearly every day"],
            "{owner}"
        );
    }
    assert_eq!(of_mara(mails("Ada Berg <ada@x.example>")), [""; 0]);
}

#[test]
fn a_mailing_list_is_nobody_and_no_contact_of_those_who_read_it() {
    let listed = || -> Vec<Evidence> {
        (1..=6)
            .map(|day| {
                mail(
                    &format!("2025-01-0{day}"),
                    &["Ada Berg <ada@x.example>", "Potters <potters-devel@x.example>"],
                    Some("potters"),
                )
            })
            .collect()
    };
    check(listed(), &[]);
    assert_eq!(of_mara(listed()), [""; 0]);
    // Without the headers of a list, the names of roles are still not people.
    let unmarked = (1..=6).map(|day| {
        mail(
            &format!("2025-01-0{day}"),
            &["Ada Berg <ada@x.example>", "trivial@kernel.org", "bo@x.example"],
            None,
        )
    });
    let found = lines(&Relationships::default(), &records_of(unmarked.collect::<Vec<_>>()));
    assert_eq!(
        found,
        ["relationship.contact|ada-berg: You keep in contact with Ada Berg, nearly every day"]
    );
}

#[test]
fn whose_words_are_the_owners_depends_on_who_the_owner_is() {
    let said =
        || vec![turn("2025-01-01T10:00:00Z", "Mara Lindqvist", &[], "My sister Ana called.")];
    check(
        said().clone(),
        &["relationship.contact|mara-lindqvist: You have been in contact with Mara Lindqvist"],
    );
    assert_eq!(of_mara(said()), ["relationship.sister|ana: Ana is your sister"]);
    let mut forwarded = said();
    forwarded[0].payload.more.insert("forwarded_from".to_owned(), json!("Bo"));
    assert_eq!(of_mara(forwarded), [""; 0]);
    // The account of an export is certain.
    let mut of_account = said();
    of_account[0].payload.more.insert("account".to_owned(), json!("Mara Lindqvist"));
    check(of_account, &["relationship.sister|ana: Ana is your sister"]);
}

#[test]
fn minutes_and_conversations_of_others_are_not_about_the_owner() {
    let mut minutes = note("2025-01-01", "I prefer tea. My sister Ana agrees.");
    minutes.payload.title = Some("Minutes of the guild".to_owned());
    check(vec![minutes], &[]);
    check(vec![note("2025-01-01", "WH: Shall we?\n\nMy sister Ana agrees.\n\nMM: Yes.")], &[]);
    let chat = |names: &[&str]| -> Vec<Evidence> {
        (1..=6).map(|day| turn(&format!("2025-01-0{day}T10:00:00Z"), "Bo", names, "Hi")).collect()
    };
    let contact = ["relationship.contact|bo: You keep in contact with Bo, nearly every day"];
    assert_eq!(of_mara(chat(&["Bo", "Ada"])), [""; 0]);
    assert_eq!(of_mara(chat(&["Bo", "Mara"])), contact);
    assert_eq!(of_mara(chat(&["Bo", "Mara Lindqvist"])), contact);
}

#[test]
fn code_headings_quotations_and_documents_of_programs_state_no_preferences() {
    let found = |note: Evidence| lines(&Preferences::default(), &records_of([note]));
    let of = |text: &str| found(note("2025-01-01", text));
    for text in [
        "The pattern `I love foo.` matches once.",
        "```\nI love tea\n```",
        "Output:\n\n    I love tea\n",
        "> I love tea",
        "# I love tea",
        "I love tea\n==========",
        "I love tea | yes",
        "I prefer to use `application/xml` instead.",
        "I like have normative text",
        "I love himmm",
        "I love pistachios theyre green",
    ] {
        assert_eq!(of(text), [""; 0], "{text}");
    }
    assert_eq!(
        of("I like `pytest`, which runs tests."),
        ["preference.general|pytest: You like pytest"]
    );
    // The next line belongs to a sentence that was wrapped.
    let wrapped =
        "Whoever wraps lines at a margin of about seventy characters, as\nI love tea drinkers do";
    assert_eq!(of(wrapped), [""; 0]);
    let section = |title: &str, session: &str| {
        let mut note = note("2025-01-01", &format!("Drinks › {title}\n\nI love tea."));
        note.payload.title = Some(title.to_owned());
        note.payload.session = Some(session.to_owned());
        note
    };
    let tea = ["preference.drink|tea: You like tea"];
    assert_eq!(found(section("I love coffee", "drinks.md")), tea);
    for session in ["README.md", "x/node_modules/y/tea.md", "minutes/2025-01-01.md"] {
        assert_eq!(found(section("Tea", session)), [""; 0], "{session}");
    }
}

#[test]
fn attributed_quotations_and_questionnaires_state_nothing_about_the_owner() {
    let owner = || Owner::new(["Mara Lindqvist"], []);
    let of = |text: &str| {
        let records = records_of([note("2025-01-01", text)]);
        let mut found = lines(&Preferences::of(owner()), &records);
        found.extend(lines(&Relationships::of(owner()), &records));
        found
    };
    for text in [
        "# Collected\nI adore long winters.\n— Tove Marklund\n\nI can't stand olives. *(Henrik \
            Aas)*\n\nMy brother Olaf says hi! -- Kari Lund",
        "I adore long winters.\n-- Tove Marklund\n\nI can't stand olives.\n- Henrik Aas\n",
        "Answer true or false: 1. I like mannish hats.\n2. I love tea.",
        "I'd LOVE to, but… - My sister Mona is learning the tuba.",
        "I'd LOVE to, but…\n- My sister Mona is learning the tuba.",
        "# Letter\n\nDear Mara,\n\nI hate the tram. My husband Piet built a cradle.\n\nYour Clara",
        "Hi Mara, I love meetings. My wife Sofia sends greetings.",
        "# Songs for the choir\n\nI love Paris in the fall. My friend Jack eats sugar lumps.",
        "# Note\n\n## Chapter one\n\nMy father Anselm drowned.\n\n### Night\n\nI love whisky.",
        "My girlfriend Pia and I split up.",
        "My partner Deutsche Bank sent a letter. My vet Clinic Nord is open.",
        "I love dogs in theory. I'm an early bird, according to my mother.",
    ] {
        assert_eq!(of(text), [""; 0], "{text}");
    }
    let tea = ["preference.drink|tea: You like tea"];
    for text in [
        "I love tea.\n— Mara Lindqvist",
        "I love tea.\n-- Mara",
        "I love tea.\n\n- Kari Lund\n",
        "Dear Kari,\nI love tea.\nYours, Mara",
        "# Chapter one\n\nI hate tea.\n\n# Diary\n\nI love tea.",
        "# My story\n\nI love tea.\nThanks, Kari",
    ] {
        assert_eq!(of(text), tea, "{text}");
    }
}

#[test]
fn what_an_assistant_is_given_of_others_states_nothing_about_the_owner() {
    let of = |text: &str| {
        let records = records_of([to_agent("2025-01-01T10:00:00Z", text)]);
        let mut found = lines(&Preferences::default(), &records);
        found.extend(lines(&Relationships::default(), &records));
        found
    };
    for text in [
        "My colleague wrote this, please shorten: I love long meetings and my boss Karl is great.",
        "Here is the customer complaint: I hate meetings. My brother Leo hates them, too.",
        "Translate the following: I love Rome. My wife Pia loves jazz.",
        "Please proofread this email from my sister:\n\nI love jazz.\n\nMy boss Karl hates it.",
        "Can you shorten this?\n\nI love jazz.",
        "I love jazz. My boss Karl hates it.\n\nCan you shorten this text?",
        "Hier ist die Beschwerde einer Kundin:\nI hate meetings.",
        "Bitte kürze die Nachricht. I love jazz.",
        "Voici le message de ma sœur : I love jazz.",
    ] {
        assert_eq!(of(text), [""; 0], "{text}");
    }
    let jazz = ["preference.music|jazz: You like jazz"];
    for text in [
        "I love jazz. My colleague wrote this: I hate jazz.",
        "About me: I love jazz.",
        "Please remember the following about me: I love jazz.",
        "I love jazz. Please shorten your answers.",
        "I answer mail late. I love jazz.",
        "I love jazz, and Clara sent me a record. What else is new?",
        "Das ist mein Text: I love jazz.",
        "I hope this message finds you well. I love jazz.",
    ] {
        assert_eq!(of(text), jazz, "{text}");
    }
}

#[test]
fn an_address_that_never_writes_is_a_doubtful_contact_and_a_list_if_several_write_to_it() {
    let jibs = "Jibs <jibs@yard.example>";
    let writers = ["Mara Lindqvist", "Olav Berg", "Signe Dahl", "Nils Moe"];
    let mails = |writers: &[&str], to: &str| -> Vec<Evidence> {
        (1..=6)
            .flat_map(|day| writers.iter().map(move |writer| (day, writer)))
            .map(|(day, writer)| {
                let from = format!("{writer} <{}@x.example>", writer.replace(' ', "."));
                mail(&format!("2025-01-0{day}"), &[&from, to], None)
            })
            .collect()
    };
    assert_eq!(of_mara(mails(&writers, jibs)), [""; 0]);
    check(
        mails(&["Olav Berg"], jibs),
        &[
            "relationship.contact|jibs: You keep in contact with Jibs, nearly every day",
            "relationship.contact|olav-berg: You keep in contact with Olav Berg, nearly every day",
        ],
    );
    let owner = Owner::new(["Mara Lindqvist"], []);
    let sure = |mails: Vec<Evidence>| {
        let found = derive_all(&Relationships::of(owner.clone()), &records_of(mails));
        found.get("relationship.contact|jibs").map(|jibs| jibs.basis.confidence())
    };
    let unanswered = mails(&["Mara Lindqvist"], jibs);
    assert!(sure(unanswered.clone()).is_some_and(|sure| (0.5..0.7).contains(&sure)));
    // Whoever answers once, even somebody else, is a person.
    for to in ["Mara Lindqvist <m@x.example>", "Olav Berg <olav@x.example>"] {
        let mut answered = mails(&writers, jibs);
        answered.push(mail("2025-01-07", &[jibs, to], None));
        assert!(sure(answered).is_some_and(|sure| sure > 0.9), "{to}");
    }
    // So is whoever is met otherwise.
    let mut met = unanswered;
    met.push(event("2025-01-08", None, &["Jibs"]));
    assert!(sure(met).is_some_and(|sure| sure > 0.9));
}

#[test]
fn a_text_under_an_introduction_that_is_not_the_owners_is_not_about_them() {
    let own = "I love jazz. I hate opera. My wife Pia sings.";
    let found = |text: String| {
        let records = records_of([to_agent("2025-01-01T10:00:00Z", &text)]);
        let mut found = lines(&Preferences::default(), &records);
        found.extend(lines(&Relationships::default(), &records));
        found
    };
    for introduction in [
        "Here's what the estate agent sent, is it legal?\n\n",
        "My flatmate's dating profile is below. Thoughts?\n\n",
        "Review of the restaurant I found:\nGreat food. ",
        "For a persona for my UX class: Name: Gina. ",
        "Example sentences for my students: ",
        "is this grammatically right: ",
        "Make this funnier. ",
        "Is this sarcasm? ",
        "Test sentence for tokenizer: ",
        "Here is the README of a library I found:\n\n",
        "log output:\n",
        "add a seed user: ",
        "Add this to the landing page: ",
        "Here is what my colleague wrote in the rules of his club, shorten it.\n\n",
    ] {
        assert_eq!(found(format!("{introduction}{own}")), [""; 0], "{introduction}");
    }
    assert_eq!(
        found(
            "add a test fixture with 'I prefer wine to beer' and 'My sister Tess is here'".into()
        ),
        [""; 0]
    );
    for introduction in
        ["Update: ", "My preferences:\n", "One thing: ", "Just so you know: ", "Oslo? "]
    {
        assert_eq!(found(format!("{introduction}{own}")).len(), 3, "{introduction}");
    }
}

#[test]
fn what_a_note_gives_to_another_is_not_about_its_owner() {
    for text in [
        "Callum's list of pet peeves:\n- I hate queues\n- I hate rain",
        "Chapter two, Marek speaks:\nI hate opera. My wife Pia sings.",
        "Overheard on the tram, a man to his phone: I hate opera. My wife Pia sings.",
        "Improv class. I played a butler: I prefer silence.",
        "Therapy homework, write as your inner critic: I hate mornings.",
        "Ten years ago today I wrote: I love opera.",
        "As Kundera put it, I love solitude.",
        "Song of the day: I love rock and roll",
        "Book notes (Stevens, the butler): I prefer silence.",
        "Read a poem at dinner. My brother Death knocked twice.",
        "My mother Nature sends rain.",
    ] {
        let records = records_of([note("2025-01-01", text)]);
        assert_eq!(lines(&Preferences::default(), &records), [""; 0], "{text}");
        assert_eq!(lines(&Relationships::default(), &records), [""; 0], "{text}");
    }
    for text in ["Note to self: I prefer silence.", "My peeves:\n- I hate queues"] {
        let records = records_of([note("2025-01-01", text)]);
        assert_eq!(lines(&Preferences::default(), &records).len(), 1, "{text}");
    }
}
