//! Tests of questions for what there is to know of a person.

use super::*;

fn asked(question: &str) -> String {
    let Some(read) = ProfileQuestion::read(question) else { return String::new() };
    let of = |wanted: &Wanted| {
        let subject = match &wanted.subject {
            Subject::Asker => "asker".to_owned(),
            Subject::Unnamed => "user".to_owned(),
            Subject::Person(names) => names.join("-"),
            Subject::Kin(kin) => format!("my {kin}"),
        };
        format!("{} of {subject}", wanted.attribute.name)
    };
    read.wanted.iter().map(of).collect::<Vec<_>>().join(", ")
}

#[test]
fn questions_for_attributes_are_recognised() {
    for (question, expected) in [
        ("What is my job?", "job of asker"),
        ("what do i do for a living", "job of asker"),
        ("What does Ben do?", "job of ben"),
        ("What's Ben's job?", "job of ben"),
        ("How old am I?", "age of asker"),
        ("how old is ben?", "age of ben"),
        ("Can you remind me how old my daughter is?", "age of my daughter, children of asker"),
        ("Who is my wife?", "relative of my wife, partner of asker"),
        ("Am I married?", "partner of asker"),
        ("What does my wife do for a living?", "job of my wife"),
        ("What is my wife's name?", "relative of my wife, partner of asker"),
        ("Do I have any allergies?", "allergies of asker"),
        ("What car do I drive?", "car of asker"),
        ("Where does my brother Tom live?", "home of my brother, home of tom"),
        ("Where do I live now?", "home of asker"),
        ("Which city do I live in?", "home of asker"),
        ("Anna's birthday?", "birthday of anna"),
        ("my age", "age of asker"),
        ("Who do I report to?", "boss of asker"),
        ("Is Tom a vegetarian?", "diet of tom"),
        ("What languages does Eva Meier speak?", "languages of eva-meier"),
        ("How much do I earn?", "income of asker"),
    ] {
        assert_eq!(asked(question), expected, "{question}");
    }
    for question in [
        "",
        "?",
        "What job did Ben apply for in May?",
        "How old was I when we moved to Bern?",
        "Where does the train to Bern leave?",
        "What is the job of the worker process?",
        "Who is Ben?",
        "What did Ben do yesterday?",
        "Wie alt ist Ben?",
        "What is the name of the file?",
        "How old is the house?",
        "Where is the Berlin office located?",
    ] {
        assert_eq!(asked(question), "", "{question}");
    }
}

#[test]
fn a_text_that_tells_it_of_the_person_answers() {
    let tells = |question: &str, text: &str, voice: Voice<'_>| {
        ProfileQuestion::read(question).unwrap().fit(text, voice).0 == Fit::Tells
    };
    for (question, text) in [
        ("What is my job?", "I am a nurse"),
        ("What is my job?", "I'm Tom, 34, a registered nurse from Leeds."),
        ("What is my job?", "User works as a translator."),
        ("What is my job?", "We moved in May. I work for the city and like it."),
        ("What does Ben do for a living?", "Ben is a teacher"),
        ("What does my wife do?", "My wife Eva is a dentist"),
        ("What is Eva's job?", "My wife Eva is a dentist"),
        ("How old am I?", "I am 43"),
        ("How old am I?", "I just turned 40, hooray"),
        ("How old am I?", "I was born in 1983"),
        ("How old is Tom?", "Tom is 12"),
        ("Who is my wife?", "I am married to Eva"),
        ("Do I have children?", "I have two kids, Ida and Max"),
        ("What are my kids called?", "My son is called Max"),
        ("What car do I have?", "I drive a Mazda 3"),
        ("Do I have any allergies?", "Allergic to penicillin!"),
        ("What can't I eat?", "I am allergic to nuts"),
        ("What is my salary?", "I earn 5200 a month"),
        ("Where does Mia live?", "Mia moved to Porto last year"),
        ("What is my name?", "Hi, my name is Tom"),
        ("What pets do I have?", "We adopted a grey kitten"),
        ("Who is my boss?", "I report to Karin"),
        ("How old is Horst?", "Horst lost his wife in spring. He's 82."),
        ("How old is my mum?", "My mum, Bridget, collects them on Thursdays. She's 66."),
        ("What does Tom do?", "Tom, 34, a nurse from Leeds, is here"),
        ("How much do I weigh?", "Weight this morning 68.4"),
        ("How much rent do I pay?", "Rent went up to 2,150 francs"),
        ("What is my brother called?", "My brother Andri sells insurance"),
        ("where does sven live?", "sven, our lead, works from Tallinn"),
        ("Am I a vegetarian?", "Quit meat two years ago"),
        ("What pets do we have?", "Guinea pigs: Pickle and Peanut"),
        ("What are my hobbies?", "On Sundays I play chess"),
        ("What laptop do I use?", "I bought a ThinkPad"),
        ("What is Kofi's phone number?", "Emergency contact: Kofi 0131 555 0188"),
        ("Which database do we use?", "Everything runs on Postgres now"),
        ("What is my job?", "Job: plumber"),
        ("How old is the user?", "Age - 51"),
        ("What is my name?", "Name: Matthias"),
        ("How old am I?", "It costs 20, and I'm 38. Am I too old?"),
        ("What is Moira allergic to?", "Gerald's wife Moira can't have nuts"),
        ("What does Duarte do?", "Harriet's husband, Duarte, sells guitars"),
        ("How old is Finn?", "Little Finn (Gerald's boy) came, he's six"),
        ("Where does Femi work?", "Femi's started at the bakery"),
        ("How old is Ben?", "Ben is forty-three."),
        ("Does he have any kids?", "He is divorced and has two daughters"),
        ("What does he drive?", "Vehicle: white Ford"),
    ] {
        assert!(tells(question, text, Voice::Asker), "{question} {text}");
    }
    for (question, text) in [
        ("What is my job?", "My sister is a nurse"),
        ("What is my job?", "I saw a nurse about it"),
        ("What is my job?", "I am not a nurse"),
        ("What is my job?", "Are you a nurse? I am fine"),
        ("How old is Ben?", "Ben is a teacher"),
        ("How old is Ben?", "Tom is 12"),
        ("How old am I?", "I am 3 minutes late"),
        ("Who is Ben married to?", "I am married to Eva"),
        ("Where do I live?", "My sister lives in Bern"),
        ("What is my job?", ""),
        ("Do I have a brother?", "My sister Irma called"),
        ("What is my dog called?", "My cat is called Otto"),
        ("How old am I?", "My brother Tom, 43, called"),
        ("Which database do we use?", "We moved away from Oracle"),
        ("How old is the user?", "The user's father, Bogdan, is 80"),
        ("How old am I?", "He is 80"),
        ("What is my job?", "I am no longer a nurse"),
        ("What is my job?", "I want to be a nurse"),
        ("What is my job?", "My colleague told me \"I am a nurse\""),
        ("What is my job?", "He said: I am a nurse"),
        ("What does my sister do?", "My sister's husband is a baker"),
        ("What does my sister do?", "My sister in law is a baker"),
        ("What is Anna Weber's job?", "Anna Berg is a nurse"),
        ("How old is Ben?", "Ben and Ida (7) came"),
        ("Which language do we use?", "We go to the office early"),
        ("What car do I have?", "I have a smart idea"),
        ("What is Gerald allergic to?", "Gerald's wife Moira can't have nuts"),
        ("What does Harriet do?", "Harriet's husband, Duarte, sells guitars"),
        ("Where do I live?", "My ex, Declan, has them on Sundays. He lives in Stockport."),
        ("Where do I live?", "Sven, our lead, works from Tallinn"),
    ] {
        assert!(!tells(question, text, Voice::Asker), "{question} {text}");
    }
    assert!(tells("What is Ada's job?", "I work as a baker", Voice::Person("Ada Weber")));
    assert!(!tells("What is my job?", "I work as a baker", Voice::Person("Ada Weber")));
    assert!(!tells("What is my job?", "I work as a baker", Voice::Program));
    assert!(!tells("What is Ben's job?", "I work as a baker", Voice::Person("🙂")));
    assert!(tells("Where do I live?", "You live in Oslo", Voice::Told));
    assert!(!tells("Where do I live?", "Ana lives in Oslo", Voice::Told));
}

#[test]
fn the_names_of_kin_are_asked_about_too() {
    let question = ProfileQuestion::read("What does my husband do?").unwrap();
    let names = |text: &str| question.names_in(text, Voice::Asker);
    for text in ["Married Jonas in May", "My husband Jonas is here", "Jonas is my husband"] {
        assert_eq!(names(text), [["jonas"]], "{text}");
    }
    assert!(names("My brother Jonas is here").is_empty() && names("Jonas is here").is_empty());
    let named = question.also_of(&[vec!["jonas".to_owned()]]);
    let text = "Jonas, a carpenter from Aarau, is building a bed";
    assert_eq!(question.fit(text, Voice::Asker).0, Fit::None);
    assert_eq!(named.fit(text, Voice::Asker).0, Fit::Tells);
}

#[test]
fn a_long_list_of_names_has_few_readings() {
    let names = "Ada, ".repeat(800);
    let text = format!("I met {names}and she is a nurse");
    let parts = Reading::new(Vec::new()).parts(&tokens(&text), Voice::Asker);
    let words: usize = parts.iter().map(|(_, words)| words.len()).sum();
    assert!(words < 2_000, "{words}");
}

#[test]
fn a_question_that_may_ask_for_something_else_is_open() {
    let is_closed = |question: &str| ProfileQuestion::read(question).unwrap().is_closed();
    assert!(is_closed("What is Ben's job?") && is_closed("How old is Ben?"));
    for question in [
        "What does Redis do?",
        "What is my name?",
        "What did I make?",
        "What did Ben eat?",
        "Where is Acme located?",
        "Who is in charge of Kestrel?",
        "Which database do we use?",
    ] {
        assert!(ProfileQuestion::read(question).is_none_or(|it| !it.is_closed()), "{question}");
    }
}

#[test]
fn any_text_can_be_read() {
    for text in [
        "'s 's 's",
        "my",
        "my my my",
        "user's",
        "I'm",
        "N $ #",
        "\u{0}’’",
        "’s’s",
        "Ben's",
        "I, I, and I",
    ] {
        let read = ProfileQuestion::read(text);
        let question = read.or_else(|| ProfileQuestion::read("What is my job?")).unwrap();
        question.fit(text, Voice::Asker);
        question.fit(text, Voice::Person("’"));
    }
}
