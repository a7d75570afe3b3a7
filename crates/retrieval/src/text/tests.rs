use super::*;

fn terms(language: Language, text: &str) -> Vec<String> {
    Analyzer::new(language).terms(text).iter().map(Term::to_string).collect()
}

#[test]
fn english_words_are_reduced_to_their_base() {
    for (text, expected) in [
        ("She went camping", vec!["go", "camp"]),
        ("The children's books", vec!["child", "book"]),
        ("better, best; worse", vec!["good", "good", "bad"]),
        ("I don't, you've, it's, we'll, won’t", vec![]),
        ("They won", vec!["win"]),
        ("mice knives women feet", vec!["mous", "knife", "woman", "foot"]),
        ("swimming swam swum swims", vec!["swim", "swim", "swim", "swim"]),
        ("The rose grew on the ground", vec!["rose", "grow", "ground"]),
        ("1,000 on the 7th at 3.14", vec!["1000", "7", "3.14"]),
        ("MacBook ＦＵＬＬ ﬁne", vec!["macbook", "mac", "book", "full", "fine"]),
        ("parse_config in main.rs", vec!["parse_config", "pars", "config", "main.r", "main", "rs"]),
        ("Größe déjà schön", vec!["grosse", "deja", "schon"]),
        ("O'Brien’s café", vec!["brien", "cafe"]),
        ("👍🏽 🎉", vec![]),
        ("", vec![]),
    ] {
        assert_eq!(terms(Language::English, text), expected, "{text}");
    }
}

#[test]
fn other_languages_use_their_stemmer_and_unknown_ones_none() {
    assert_eq!(terms(Language::German, "Die Häuser"), ["haus"]);
    assert_eq!(terms(Language::French, "l'école des chevaux"), ["ecol", "cheval"]);
    assert_eq!(terms(Language::Other, "The went Häuser"), ["the", "went", "hauser"]);
}

#[test]
fn scripts_without_spaces_are_indexed_by_pairs() {
    let document = terms(Language::English, "我昨天在北京大学见了老师");
    assert!(terms(Language::English, "北京大学").iter().all(|term| document.contains(term)));
    let document = terms(Language::English, "昨日、東京タワーへ行きました");
    assert!(terms(Language::English, "東京タワー").iter().all(|term| document.contains(term)));
    let document = terms(Language::English, "เมื่อวานฉันไปเชียงใหม่");
    assert!(terms(Language::English, "เชียงใหม่").iter().all(|term| document.contains(term)));
    assert_eq!(terms(Language::English, "שלום, עולם"), ["שלום", "עולם"]);
}

#[test]
fn han_characters_are_terms_of_their_own_which_add_no_length() {
    assert_eq!(terms(Language::English, "喝茶吗"), ["喝", "喝茶", "茶", "茶吗", "吗"]);
    let analysis = Analyzer::new(Language::English).analyze("喝茶 with 茶", &["Tee"]);
    assert_eq!(analysis.length, 2, "{:?}", analysis.terms);
    let languages = QueryLanguages { own: Language::English, others: Languages::default() };
    let question = Analyzer::new(Language::English).query_terms("绿茶", languages);
    assert_eq!(
        question.iter().map(|word| word.term.as_str()).collect::<Vec<_>>(),
        ["绿", "绿茶", "茶"]
    );
}

#[test]
fn a_question_mark_at_the_end_makes_a_question() {
    let mut analyzer = Analyzer::new(Language::English);
    for (text, expected) in [
        ("How are you?", true),
        ("How are you? 😊 ", true),
        ("(Really?)", true),
        ("Really?!", false),
        ("What? No.", false),
        ("好吗？", true),
        ("no; well", false),
        ("", false),
    ] {
        assert_eq!(analyzer.analyze(text, &["Is this a caption?"]).is_question, expected, "{text}");
    }
}

#[test]
fn time_expressions_are_detected_and_other_words_are_not() {
    let mut analyzer = Analyzer::new(Language::English);
    for (text, expected) in [
        ("I went yesterday", true),
        ("last week was hard", true),
        ("two days ago", true),
        ("a few months back", true),
        ("See you on Friday", true),
        ("in May we met", true),
        ("May 7 was fine", true),
        ("on 7 March", true),
        ("You may march on", false),
        ("It was 2019", true),
        ("at 7:30", true),
        ("at 5pm", true),
        ("at 5 pm", true),
        ("ratio 12:345", false),
        ("this weekend", true),
        ("the other day", true),
        ("Sept 3", true),
        ("3年前", true),
        ("what a lovely painting", false),
        ("I like the summer", false),
        ("room 404 has 2 doors", false),
        ("", false),
    ] {
        assert_eq!(analyzer.analyze(text, &[]).timex, expected, "{text}");
    }
}

#[test]
fn time_expressions_of_other_languages_are_detected() {
    let mut analyzer = Analyzer::new(Language::English);
    for (text, expected) in [
        ("Ich war gestern mit dem Rad in der Stadt", true),
        ("Das war letzte Woche und nicht heute", true),
        ("Wir waren vor drei Tagen in der Stadt", true),
        ("Das ist ein Haus mit einem Dach", false),
        ("Nous avons mangé la semaine dernière", true),
        ("Il a mangé dans la cuisine avec nous", false),
        ("Lo que hicimos el lunes fue para la casa", true),
        ("O que nós vimos pela segunda vez não era isso", false),
        ("O que nós vimos ontem não era isso", true),
        ("O que nós vimos no domingo não era isso", true),
        ("Мы были там на прошлой неделе", true),
        ("Мы были там с друзьями", false),
        ("Jag träffade henne förra veckan och det var bra", true),
        ("Viděl jsem ho v květnu a bylo to dobré", true),
    ] {
        assert_eq!(analyzer.analyze(text, &[]).timex, expected, "{text}");
    }
}

#[test]
fn very_long_words_and_data_are_not_terms() {
    let mut analyzer = Analyzer::new(Language::English);
    assert!(analyzer.analyze(&"x".repeat(1 << 20), &[]).terms.is_empty());
    let hash = "0123456789abcdef".repeat(4);
    assert_eq!(analyzer.terms(&hash).len(), 1);
    let words: String = (0..100_000).map(|number| format!("w{number} ")).collect();
    let analysis = analyzer.analyze(&words, &["more"]);
    assert_eq!(analysis.terms.len(), TERM_OCCURRENCES_MAX);
    assert!(analyzer.cache.len() <= CACHED_WORDS_MAX);
    let occurrences: u32 =
        analyzer.analyze(&"北".repeat(200_000), &[]).terms.iter().map(|(_, count)| count).sum();
    assert_eq!(occurrences as usize, TERM_OCCURRENCES_MAX);
}

#[test]
fn counts_are_sorted_and_add_up() {
    let analysis = Analyzer::new(Language::English).analyze("tea, tea and cake", &["A cake"]);
    let counts: Vec<(&str, u32)> =
        analysis.terms.iter().map(|(term, count)| (term.as_str(), *count)).collect();
    assert_eq!(counts, [("cake", 2), ("tea", 2)]);
    assert_eq!(analysis.length, 4);
}

#[test]
fn latin_letters_lose_their_marks_and_other_scripts_keep_theirs() {
    let mut analyzer = Analyzer::new(Language::English);
    let mut terms = |text: &str| {
        analyzer.terms(text).iter().map(|term| term.as_str().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(terms("Göran Åkesson, Muskö"), terms("Goran Akesson, Musko"));
    assert_eq!(terms("Søren Łukasz Ærø"), terms("Soren Lukasz Aero"));
    assert_eq!(terms("cafe\u{301}"), terms("cafe"));
    assert_ne!(terms("йод"), terms("иод"));
    assert_ne!(terms("が"), terms("か"));
}

#[test]
fn a_wedding_does_not_meet_wednesdays() {
    let mut analyzer = Analyzer::new(Language::English);
    let mut terms = |text: &str| analyzer.terms(text);
    assert_eq!(terms("Wed"), terms("on Wednesday"));
    assert_ne!(terms("wedding"), terms("Wed"));
    assert_eq!(terms("wedding"), terms("weddings"));
}

#[test]
fn single_letters_units_and_what_lives_are_found() {
    let mut analyzer = Analyzer::new(Language::English);
    let mut shares = |one: &str, other: &str| {
        let terms = analyzer.terms(one);
        analyzer.terms(other).iter().any(|term| terms.contains(term))
    };
    for (one, other) in [
        ("vitamin D", "a pill of D"),
        ("plan b", "B"),
        ("a run of 10 km", "10km"),
        ("at 8am", "about 8"),
        ("She lives there", "Where do they live?"),
        ("all my life", "lives"),
        ("The train leaves", "When does it leave?"),
    ] {
        assert!(shares(one, other), "{one} {other}");
    }
    assert!(!shares("the 7th", "th") && !shares("I have a", "a I"));
}
