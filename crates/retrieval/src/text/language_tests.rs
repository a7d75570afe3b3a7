//! Texts of many languages: what is recognised, and that a question finds another form of a word.

use super::*;

fn language(text: &str) -> Language {
    Analyzer::new(Language::English).analyze(text, &[]).language
}

#[test]
fn sentences_are_recognised_by_their_function_words() {
    for (expected, text) in [
        (Language::English, "The keys are in the blue drawer next to the door."),
        (Language::German, "Die Schlüssel liegen in der blauen Schublade neben der Tür."),
        (Language::Dutch, "De sleutels liggen in de blauwe lade naast het raam."),
        (Language::Danish, "Nøglerne ligger i den blå skuffe, og jeg ved ikke hvorfor."),
        (
            Language::Norwegian,
            "Nøklene ligger i den blå skuffen, og jeg vet ikke hvorfor noen la dem der.",
        ),
        (Language::Swedish, "Nycklarna ligger i den blå lådan och jag vet inte varför."),
        (Language::Finnish, "Avaimet ovat sinisessä laatikossa, mutta en tiedä miksi."),
        (Language::French, "Les clés sont dans le tiroir bleu à côté de la porte."),
        (Language::Spanish, "Las llaves están en el cajón azul junto a la puerta."),
        (Language::Portuguese, "As chaves estão na gaveta azul, mas não sei por quê."),
        (Language::Italian, "Le chiavi sono nel cassetto blu accanto alla porta."),
        (Language::Romanian, "Cheile sunt în sertarul albastru de lângă ușă, dar nu știu de ce."),
        (Language::Hungarian, "A kulcsok a kék fiókban vannak, de nem tudom, miért."),
        (Language::Turkish, "Anahtarlar mavi çekmecede ama neden orada olduğunu bilmiyorum."),
        (Language::Polish, "Klucze są w niebieskiej szufladzie, ale nie wiem, dlaczego."),
        (Language::Czech, "Klíče jsou v modré zásuvce, ale nevím proč."),
        (Language::Indonesian, "Kunci itu ada di laci biru, tetapi saya tidak tahu mengapa."),
        (Language::Vietnamese, "Chìa khóa ở trong ngăn kéo màu xanh, nhưng tôi không biết vì sao."),
    ] {
        assert_eq!(language(text), expected, "{text}");
    }
}

#[test]
fn names_and_quotations_do_not_make_an_english_text_foreign() {
    for text in [
        "Göran Åkesson and José María Nuñez met Łukasz in São Paulo.",
        "Die Hard",
        "We saw La Bohème at the opera house in Zürich.",
        "She said \"c'est la vie\" and left for the airport.",
        "Nice to meet you!",
        "OK",
        "parse_config(die, list)",
        "O'Brien’s café",
        "",
    ] {
        assert_eq!(language(text), Language::English, "{text}");
    }
}

#[test]
fn a_text_without_evidence_has_the_language_of_the_space() {
    let mut analyzer = Analyzer::new(Language::German);
    assert_eq!(analyzer.analyze("Rechnung Stadtwerke", &[]).language, Language::German);
    assert_eq!(analyzer.analyze("It was the best of all.", &[]).language, Language::English);
    let mut analyzer = Analyzer::new(Language::English);
    for text in [
        "Tom drives a green van.",
        "I met Zoe in Utrecht.",
        "Ben taught me chess.",
        "Gil lives in Den Haag.",
    ] {
        assert_eq!(analyzer.analyze(text, &[]).language, Language::English, "{text}");
    }
}

/// A record, a question with other forms of its words, and how many of its words it must find.
const QUESTIONS: [(&str, &str, usize); 24] = [
    ("Wir haben die alten Häuser am Hafen fotografiert.", "Wer fotografierte das alte Haus?", 3),
    ("Ze heeft de oude boeken in de havens gekocht.", "Welk oude boek is het in de haven?", 2),
    ("Hon köpte de gamla båtarna i hamnen.", "Vilken gammal båt var det i hamnar?", 2),
    ("Nous avons photographié les vieilles maisons du port.", "Qui a photographié la maison ?", 2),
    (
        "Hemos comprado dos bicicletas rojas para los niños.",
        "¿Qué bicicleta roja era para el niño?",
        3,
    ),
    (
        "Comprámos duas bicicletas vermelhas para os meninos.",
        "Que bicicleta vermelha era do menino?",
        3,
    ),
    (
        "Abbiamo visitato l'antica biblioteca con i bambini.",
        "Quale bambino è nelle biblioteche antiche?",
        3,
    ),
    (
        "Am cumpărat două biciclete roșii pentru copiii noștri.",
        "Care bicicletă roşie este pentru copil?",
        2,
    ),
    (
        "Ostimme kaksi punaista polkupyörää, mutta ne ovat rikki.",
        "Missä on punainen polkupyörä?",
        1,
    ),
    (
        "Köyde iki kırmızı bisiklet aldık ama ikisi de çocuklar için.",
        "Çocuk için hangi bisikletler vardı?",
        2,
    ),
    ("Мы купили два красных велосипеда для детей.", "Какой красный велосипед для детей?", 3),
    (
        "Αγοράσαμε δύο κόκκινα ποδήλατα για τα παιδιά.",
        "Ποιο κόκκινο ποδήλατο είναι για το παιδί;",
        2,
    ),
    ("اشترينا كتابين من المكتبات القديمة في المدينة.", "ما المكتبة في مدينة قديمة؟", 3),
    ("हमने बच्चों के लिए दो लाल साइकिलें खरीदीं।", "लाल साइकिलें किसके लिए हैं?", 2),
    ("Chúng tôi mua hai chiếc xe đạp đỏ cho các con.", "Chiếc xe đạp đỏ của ai?", 4),
    ("دو دوچرخه قرمز برای بچه‌ها خریدیم و کتاب را گم کردیم.", "دوچرخه قرمز برای کیست؟", 3),
    ("Kupiliśmy dwa czerwone rowery dla dzieci.", "Dla kogo są czerwone rowery?", 2),
    ("Koupili jsme dětem dvě červená kola, ale nevíme kam s nimi.", "Kde je červené kolo?", 2),
    ("Ми купили два червоні велосипеди для дітей.", "Який червоний велосипед для дитини?", 2),
    ("Купили смо два црвена бицикла за децу.", "Где је црвени бицикл?", 2),
    ("Ostsime lastele kaks punast jalgratast, aga need on katki.", "Kus on punane jalgratas?", 1),
    ("Nupirkome du raudonus dviračius, bet jie jau nėra mūsų.", "Kur yra raudonas dviratis?", 1),
    (
        "Umeentzako bi bizikleta gorri erosi ditugu eta oso onak dira.",
        "Non dago bizikleta gorria?",
        1,
    ),
    ("Մենք երկու կարմիր հեծանիվ գնեցինք երեխաների համար։", "Որտե՞ղ է կարմիր հեծանիվը", 2),
];

#[test]
fn a_question_finds_other_forms_of_a_word_in_each_language() {
    for (record, question, expected) in QUESTIONS {
        let mut analyzer = Analyzer::new(Language::English);
        let analysis = analyzer.analyze(record, &[]);
        let found = shared(&mut analyzer, &analysis, question);
        assert!(found.len() >= expected, "{question}: {found:?}, {:?}", analysis.terms);
    }
}

/// The words of a question that a record has.
fn shared(analyzer: &mut Analyzer, record: &Analysis, question: &str) -> Vec<Term> {
    let mut words = Vec::new();
    visit_words(question, |word| {
        words.push(word);
        true
    });
    let (languages, _) = analyzer.query_languages(&words, Languages::of(record.language));
    let terms = words.into_iter().flat_map(|word| analyzer.query_terms_of_word(word, languages));
    terms
        .filter(|word| word.all().any(|term| record.terms.iter().any(|(known, _)| known == term)))
        .map(|word| word.term)
        .collect::<Vec<_>>()
}

#[test]
fn a_name_is_found_in_records_of_all_languages_of_the_space() {
    let records = [
        "The restaurants of Tesla are in Santa Monica.",
        "Los restaurantes de Tesla están en el centro de la ciudad.",
        "Die Restaurants von Tesla sind in der Innenstadt.",
    ];
    let mut analyzer = Analyzer::new(Language::English);
    let analyses = records.map(|record| analyzer.analyze(record, &[]));
    let held =
        analyses.iter().fold(Languages::NONE, |all, one| all.with(Languages::of(one.language)));
    for question in ["Tesla", "Where is Tesla?", "¿Dónde están los restaurantes de Tesla?"] {
        let mut words = Vec::new();
        visit_words(question, |word| {
            words.push(word);
            true
        });
        let (languages, _) = analyzer.query_languages(&words, held);
        let found = words
            .iter()
            .flat_map(|word| analyzer.query_terms_of_word(*word, languages))
            .find(|word| word.all().any(|term| term.as_str() == "tesla"));
        let found = found.unwrap_or_else(|| panic!("{question}"));
        for analysis in &analyses {
            let has = |term: &Term| analysis.terms.iter().any(|(known, _)| known == term);
            assert!(found.all().any(has), "{question}: {found:?}, {:?}", analysis.terms);
        }
    }
}

#[test]
fn a_space_of_one_language_looks_up_one_term_a_word() {
    let mut analyzer = Analyzer::new(Language::English);
    let (languages, _) = analyzer.query_languages(&[], Languages::NONE);
    assert_eq!(languages, QueryLanguages { own: Language::English, others: Languages::NONE });
    let terms = analyzer.query_terms("the restaurants of parse_config", languages);
    assert!(terms.iter().all(|word| word.variants.is_empty()), "{terms:?}");
}

#[test]
fn marks_that_make_another_word_stay_and_others_go() {
    let terms = |text: &str| {
        let terms = Analyzer::new(Language::English).terms(text);
        terms.iter().map(Term::to_string).collect::<Vec<_>>()
    };
    // Tones are part of the word.
    assert_eq!(
        terms("Chúng tôi có những con ma, má và mạ của các bạn."),
        ["ma", "má", "mạ"],
        "Vietnamese"
    );
    // Vowel signs are part of the word.
    assert_eq!(terms("किताब कताब"), ["किताब", "कताब"]);
    // Vowels that are seldom written.
    assert_eq!(terms("كِتَابٌ"), terms("كتاب"));
    assert_eq!(terms("سـلام"), terms("سلام"));
    assert_eq!(terms("שָׁלוֹם"), terms("שלום"));
    // Two ways to write the same Romanian and Turkish letters.
    assert_eq!(
        terms("Aceştia sunt pentru naţiuni şi pieţe."),
        terms("Aceștia sunt pentru națiuni și piețe.")
    );
    assert_eq!(terms("IŞIK bir ve bu için"), terms("ışık bir ve bu için"));
    assert_eq!(terms("İstanbul"), terms("Istanbul"));
}

#[test]
fn each_text_of_a_mixed_stream_keeps_its_language() {
    let mut analyzer = Analyzer::new(Language::English);
    for _ in 0..2 {
        for (record, question, expected) in QUESTIONS {
            let analysis = analyzer.analyze(record, &[]);
            assert_eq!(analysis, Analyzer::new(Language::English).analyze(record, &[]));
            assert!(shared(&mut analyzer, &analysis, question).len() >= expected, "{question}");
        }
    }
}

#[test]
fn a_long_text_is_judged_by_its_beginning() {
    let beginning = "Die Schlüssel liegen in der blauen Schublade neben der Tür. ".repeat(20);
    let text = beginning + &"The keys are in the blue drawer. ".repeat(1_000);
    assert_eq!(language(&text), Language::German);
    assert_eq!(language(&"я не знаю ".repeat(100_000)), Language::English, "no Latin letters");
}
