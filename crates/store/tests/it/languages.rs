//! Records and beliefs in several languages in one space.

use crate::book::{Book, note};

const RECORDS: [&str; 7] = [
    "We photographed the old houses at the harbour of Santa Monica.",
    "Wir haben die alten Häuser am Hafen fotografiert.",
    "Hemos comprado dos bicicletas rojas para los niños en Santa Mónica.",
    "Мы купили два красных велосипеда для детей.",
    "Chúng tôi mua hai chiếc xe đạp đỏ cho các con.",
    "我昨天在北京大学见了老师",
    "เมื่อวานฉันไปเชียงใหม่",
];

/// A space whose records arrive in several folds.
fn space() -> Book<store::sqlite::SqliteSpace> {
    let mut book = Book::in_file();
    for (number, text) in RECORDS.iter().enumerate() {
        book.evidence(&note(&number.to_string(), text), &[]);
        if number % 2 == 0 {
            book.advance();
        }
    }
    book.advance();
    book
}

#[test]
fn a_record_is_found_by_other_forms_of_its_words_in_its_language() {
    let book = space();
    for (question, expected) in [
        ("Which house did they photograph?", 0),
        ("Wer fotografierte das alte Haus?", 1),
        ("alte Haus", 1),
        ("¿Qué bicicleta roja era para el niño?", 2),
        ("Какой красный велосипед?", 3),
        ("Chiếc xe đạp của ai?", 4),
        ("北京大学的老师是谁？", 5),
        ("เชียงใหม่", 6),
    ] {
        assert_eq!(
            book.find(question).first().map(String::as_str),
            Some(RECORDS[expected]),
            "{question}"
        );
    }
}

#[test]
fn a_name_is_found_in_every_language_of_the_space() {
    let book = space();
    for question in ["Santa Monica", "Where is Santa Monica?", "¿Dónde está Santa Mónica?"] {
        let mut found = book.find(question);
        found.sort_unstable();
        assert_eq!(found, [RECORDS[2], RECORDS[0]], "{question}");
    }
}
