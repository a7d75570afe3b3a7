use proptest::prelude::*;

use super::lexicon::{COMMON_WORDS, GIVEN_NAMES, TECHNOLOGIES};
use super::*;

/// What is staged by default.
const SURE: f64 = 0.6;

fn names(text: &str) -> Vec<String> {
    let found = extract(text).entities.into_iter().filter(|entity| entity.confidence >= SURE);
    found.map(|entity| format!("{} {}", entity.entity_type.as_str(), entity.name)).collect()
}

fn relations(text: &str) -> Vec<String> {
    let found = extract(text).relations.into_iter().filter(|found| found.confidence >= SURE);
    found.map(|found| format!("{} {} {}", found.source, found.rel_type, found.target)).collect()
}

#[test]
fn people_files_code_and_technologies_are_found() {
    let text = "Yesterday Petra Novak moved `kiln_timer` from src/timer.rs to Postgres.";
    let expected =
        ["person Petra Novak", "code kiln_timer", "file src/timer.rs", "technology PostgreSQL"];
    assert_eq!(names(text), expected);
    for (text, expected) in [
        ("Pass --dry-run to the `kiln` command.", vec!["code --dry-run", "code kiln"]),
        ("We ride to NodeConf with a FireHandler.", vec!["other NodeConf", "code FireHandler"]),
        (
            "Call fire_it and heat_it, not GlowSoft.",
            vec!["code fire_it", "code heat_it", "code GlowSoft"],
        ),
        ("It calls Glaze::mix and fire_now().", vec!["code Glaze::mix", "code fire_now"]),
        ("See crates/kiln/ and ./notes.md, too.", vec!["file crates/kiln/", "file ./notes.md"]),
        ("We met the Kiln Foundation on Monday.", vec!["organization Kiln Foundation"]),
        ("Dr. Weber asked Google for help.", vec!["person Weber", "organization Google"]),
        ("In May, Anna Maria van den Berg left.", vec!["person Anna Maria van den Berg"]),
        (
            "They use node.js on github and c++.",
            vec!["technology Node.js", "technology GitHub", "technology C++"],
        ),
    ] {
        assert_eq!(names(text), expected, "{text}");
    }
}

#[test]
fn methods_lists_of_files_addresses_headers_and_patterns_are_not_files_and_names() {
    for (text, expected) in [
        ("`Blob.patch` can be `None`.", vec!["code Blob.patch"]),
        ("See Gemfile.lock and Cargo.toml.", vec!["file Gemfile.lock", "file Cargo.toml"]),
        ("Run make_all.py/make-base.py.", vec!["file make_all.py", "file make-base.py"]),
        ("Run `make_all.py/make-base.py`.", vec![]),
        ("It is at ftp://ftp.fjord.example/pub/libfj.zip now.", vec![]),
        ("It is at git+ssh, s3://fjord/libfj.zip and web/libfj.zip.", vec!["file web/libfj.zip"]),
        ("X-Mailer: Mozilla 4.04", vec![]),
        ("We used Mozilla 4.04 then.", vec![]),
        ("We asked Mozilla for help.", vec!["organization Mozilla"]),
        ("Set PX_*_FRAME_KEY or PX_FRAME_* or PX_<name>_KEY or [PX]_KEY.", vec![]),
        (
            "Set PX_FRAME_KEY, *PX_FRAME* or _PX_TIME_ now.",
            vec!["code PX_FRAME_KEY", "code PX_FRAME", "code PX_TIME"],
        ),
    ] {
        assert_eq!(names(text), expected, "{text}");
    }
}

#[test]
fn an_explicit_verb_shows_that_its_ends_are_names() {
    for (text, expected) in [
        ("Zebra Gateway depends on Falcon Broker.", "Zebra Gateway depends_on Falcon Broker"),
        (
            "The Zebra Gateway depends on the Falcon Broker.",
            "Zebra Gateway depends_on Falcon Broker",
        ),
        ("A depends on B.", "A depends_on B"),
        ("A depends on B", "A depends_on B"),
        ("auth-service depends on user-db", "auth-service depends_on user-db"),
        ("Today Grafana depends on Prometheus, and all is well.", "Grafana depends_on Prometheus"),
        ("The Orion Project is blocked by Vega Station.", "Orion Project blocked_by Vega Station"),
        ("Billing Service now relies on Redis.", "Billing Service depends_on Redis"),
    ] {
        assert_eq!(relations(text), [expected], "{text}");
    }
    for text in [
        "It depends on Monday.",
        "This depends on the weather.",
        "Everything depends on what we decide.",
        "Success depends on luck.",
        "The long-term plan depends on money.",
        "A depends on B's mood.",
    ] {
        assert_eq!(relations(text), [""; 0], "{text}");
    }
}

// Case 10 of the inner voice: words count whole.
#[test]
fn a_technology_is_a_whole_word() {
    for text in [
        "We trust the decision.",
        "The rust on the door spreads, and a special circle is ci.",
        "They go there, react swiftly and make a spring.",
        "Go there. Make tea. React to it.",
        "Somebody gitignored the postgresqlish cargo.",
    ] {
        assert_eq!(names(text), [""; 0], "{text}");
    }
    assert_eq!(names("We write it in Rust, and CI runs it."), ["technology Rust", "technology CI"]);
}

#[test]
fn words_with_a_capital_that_name_nothing_are_left_out() {
    for text in [
        "Unfortunately Nothing happened.",
        "On Tuesday in March we met.",
        "Add Tests For The New Parser",
        "Next Steps And Open Questions",
        "# Working Group Meeting\n\nThanks.",
        "I think Will may come in August.",
        "Der Ofen steht im Garten und die Glasur ist fertig.",
        "The Kiln is hot, so close the kiln.",
        "See https://example.org/Kiln_Timer/readme.md and ada@example.org.",
        "> `kiln_timer` is quoted\n\n```\nkiln_timer()\n```\n",
        "We watch T_V and I'll say I've seen I'll.",
        "**Data Minimization**: keep less. **More Minimization**: keep nothing.",
        "Either true or `None` is fine, e.g. 3.14 or v2.0 and/or read/write.",
    ] {
        assert_eq!(names(text), [""; 0], "{text}");
    }
}

#[test]
fn a_name_of_unknown_sort_counts_when_the_text_repeats_it() {
    assert_eq!(names("We went to Kilnville."), [""; 0]);
    assert_eq!(names("We went to Kilnville. It rains in Kilnville."), ["other Kilnville"]);
    let harbour =
        "We saw Kilnville Harbour at night. Most of the boats leave Kilnville Harbour at six.";
    assert_eq!(names(harbour), ["other Kilnville Harbour"]);
}

#[test]
fn a_verb_between_two_entities_joins_them_in_the_order_of_the_text() {
    for (text, expected) in [
        ("KilnTimer depends on SQLite.", "KilnTimer depends_on SQLite"),
        ("Parser depends on Lexer.", "Parser depends_on Lexer"),
        ("The `kiln` crate depends on the glaze_mix crate.", "kiln depends_on glaze_mix"),
        ("We saw that KilnTimer requires OpenSSL 3.", "KilnTimer requires OpenSSL"),
        ("KilnTimer is blocked by GlazeMixer today.", "KilnTimer blocked_by GlazeMixer"),
        ("Petra Novak fixed KilnTimer.", "Petra Novak fixed KilnTimer"),
        ("KilnTimer was fixed by Petra Novak.", "KilnTimer fixed_by Petra Novak"),
        ("OpenSSL 3 broke, and GlazeMixer broke KilnTimer.", "GlazeMixer broke KilnTimer"),
        ("GlazeMixer caused `FireTooHot`.", "GlazeMixer caused FireTooHot"),
        ("Petra Novak warned about GlazeMixer.", "Petra Novak warned_about GlazeMixer"),
        ("GlazeMixer solves `FireTooHot`.", "GlazeMixer solved FireTooHot"),
        ("`dry_run` was added to KilnTimer.", "dry_run added_to KilnTimer"),
        ("This adds `dry_run` to KilnTimer.", "dry_run added_to KilnTimer"),
        ("We removed `dry_run` from KilnTimer.", "dry_run removed_from KilnTimer"),
        ("Petra Novak modified src/timer.rs.", "Petra Novak modified src/timer.rs"),
        ("KilnTimer now uses Redis, because it is fast.", "KilnTimer uses Redis"),
        ("KilnTimer is implemented in Rust.", "KilnTimer implemented_in Rust"),
        ("KilnTimer is integrated with Slack.", "KilnTimer integrated_with Slack"),
    ] {
        assert_eq!(relations(text), [expected], "{text}");
        let found = extract(text);
        for end in [&found.relations[0].source, &found.relations[0].target] {
            let entity = found.entities.iter().find(|entity| entity.name == *end).unwrap();
            assert!(entity.confidence >= SURE, "{text}");
        }
    }
    assert_eq!(
        relations("We added `dry_run` to KilnTimer and GlazeMixer."),
        ["dry_run added_to KilnTimer", "dry_run added_to GlazeMixer"]
    );
    assert_eq!(
        relations("Added `dry_run` to KilnTimer, and `heat_up` to GlazeMixer."),
        ["dry_run added_to KilnTimer"]
    );
    assert_eq!(
        relations("KilnTimer uses SQLite, Redis and Kafka."),
        ["KilnTimer uses SQLite", "KilnTimer uses Redis", "KilnTimer uses Kafka"]
    );
}

#[test]
fn what_is_denied_asked_supposed_or_about_something_else_states_nothing() {
    for text in [
        "KilnTimer does not depend on SQLite.",
        "KilnTimer depends on SQLite no longer.",
        "It is false that KilnTimer depends on SQLite.",
        "KilnTimer doesn't use SQLite.",
        "Does KilnTimer depend on SQLite?",
        "KilnTimer depends on SQLite?",
        "If KilnTimer depends on SQLite, we stop.",
        "KilnTimer could use SQLite.",
        "I think KilnTimer uses SQLite.",
        "We plan to add `dry_run` to KilnTimer.",
        "The test of KilnTimer depends on SQLite.",
        "KilnTimer's test uses SQLite.",
        "KilnTimer fixed the SQLite crash.",
        "KilnTimer was fixed. SQLite is fine.",
        "KilnTimer is used. SQLite, too.",
        "The kiln depends on the weather.",
        "KilnTimer, depends on, SQLite.",
        "KilnTimer uses the Rust 1.80 builder.",
        "KilnTimer causes SQLite to start.",
        "I'll use SQLite then.",
    ] {
        assert_eq!(relations(text), [""; 0], "{text}");
    }
}

// Case 11 of the inner voice: no panic, valid offsets.
#[test]
fn any_script_is_read_without_cutting_a_letter() {
    for text in [
        "Ünal fixed KilnTimer — übrigens.",
        "é depends on ß",
        "ПечьТаймер зависит от SQLite.",
        "窑炉修复了KilnTimer的问题，depends on SQLite。",
        "🔥KilnTimer🔥 depends on 🔥SQLite🔥",
        "KilnTimer depends on\u{a0}SQLite",
        "İ uses ﬁ, `é` uses `ß`",
        "e\u{301} broke KilnTimer",
    ] {
        let found = extract(text);
        for entity in &found.entities {
            assert!(entity.sentence.get(entity.at.clone()).is_some(), "{text}");
            assert!(text.contains(&entity.sentence), "{text}");
        }
    }
    assert_eq!(names("窑炉修复了KilnTimer的问题。"), ["code KilnTimer"]);
    assert_eq!(names("我们昨天在北京开会，讨论了预算。"), [""; 0]);
    assert_eq!(names("Вчера Анна была в Москве, и Борис тоже."), [""; 0]);
    assert_eq!(
        names("Печь работает на SQLite и `kiln_timer`."),
        ["technology SQLite", "code kiln_timer"]
    );
}

#[test]
fn the_whole_text_is_read_and_a_name_counts_once() {
    let text = format!("{}\n\nKilnTimer depends on SQLite.", "The glaze is dry.\n".repeat(5_000));
    assert_eq!(relations(&text), ["KilnTimer depends_on SQLite"]);
    assert_eq!(names("KilnTimer is old. KILNTIMER is kilntimer."), ["code KilnTimer"]);
    let many: String =
        (0..2 * FOUND_MAX).map(|number| format!("It calls fire_{number}.\n")).collect();
    assert_eq!(extract(&many).entities.len(), FOUND_MAX);
}

#[test]
fn the_lists_are_sorted() {
    assert!(TECHNOLOGIES.is_sorted_by(|one, other| one.0 < other.0));
    assert!(GIVEN_NAMES.is_sorted_by(|one, other| one < other));
    assert!(COMMON_WORDS.is_sorted_by(|one, other| one < other));
}

proptest! {
    #[test]
    fn any_text_is_read(text in "[ a-zA-Z`_:./()'é窑ß🔥,?\\-\n]{0,80}") {
        for entity in extract(&text).entities {
            prop_assert!(entity.sentence.get(entity.at).is_some());
        }
    }
}
