//! Which records repeat which others: the table of `docs/design/0014-echo.md`.

use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility};
use kernel::when::When;

use store::Position;

use super::PendingKeys;
use super::rules::{self, Likeness, TextFingerprint};

const TEXT: &str = "Petra waters the tomatoes on Mondays and Thursdays while we are away, and keeps the spare key behind the kiln";

/// A record by its source, who said it, in which role, and when.
fn message(source: &str, actor: &str, role: &str, at: &str, text: &str) -> Evidence {
    let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    Evidence {
        source: source.to_owned(),
        source_uid: format!("{source}/{actor}/{role}/{at}/{}", text.len()),
        kind: EvidenceKind::from(EvidenceKind::TURN),
        actor: some(actor),
        at: some(at).map(|at| When::parse(&at).unwrap()),
        summary: String::new(),
        visibility: Visibility::Project,
        payload: Payload { text: text.to_owned(), role: some(role), ..Payload::default() },
    }
}

fn is_echo(new: &Evidence, old: &Evidence) -> bool {
    let (Some(new_told), Some(old_told)) = (TextFingerprint::of(new), TextFingerprint::of(old))
    else {
        return false;
    };
    rules::repeats((new, &new_told), (old, &old_told), Likeness::of(&new_told, &old_told))
}

#[test]
fn the_same_text_at_the_same_time_in_two_exports_is_an_echo() {
    let first = message("chat-jsonl", "Mara", "", "2025-03-01T09:00:00Z", TEXT);
    let again = |at: &str| is_echo(&message("text", "Mara", "", at, TEXT), &first);
    assert!(
        again("2025-03-01T09:00:00Z") && again("2025-03-01T09:00:30Z"),
        "clocks differ by seconds"
    );
    assert!(
        again("2025-03-01T10:00:00") && again("2025-03-01"),
        "a zone or the time of day is lost"
    );
    assert!(!again("2025-03-02T09:00:00Z") && !again("2025-03-01T09:07:00Z"), "it is said again");
    assert!(
        is_echo(&message("text", "", "", "2025-03-01", TEXT), &first),
        "nobody is known to have said it"
    );
    assert!(
        !is_echo(&message("text", "Petra", "", "2025-03-01T09:00:00Z", TEXT), &first),
        "two witnesses"
    );
    let edited = TEXT.replace("waters the tomatoes", "waters tomatoes");
    assert!(
        is_echo(&message("text", "Mara", "", "2025-03-01T09:00:00Z", &edited), &first),
        "a small edit"
    );
}

#[test]
fn a_repeated_event_is_not_an_echo() {
    let check = |source: &str, at: &str, other: &str| {
        let (first, again) =
            (message(source, "Mara", "", at, TEXT), message(source, "Mara", "", other, TEXT));
        assert!(!is_echo(&again, &first), "{other}");
    };
    check("markdown", "2025-03-01", "2025-03-02");
    check("markdown", "2025-03-01T08:00:00", "2025-03-01T20:00:00");
    let short = |at: &str| message("markdown", "Mara", "", at, "Went to yoga with Petra");
    assert!(!is_echo(&short("2025-03-01"), &short("2025-03-01")));
}

#[test]
fn another_number_or_a_negation_makes_another_statement() {
    let first = message("chat-jsonl", "Mara", "", "2025-03-01T09:00:00Z", TEXT);
    for (from, to) in
        [("waters", "never waters"), ("the spare key", "2 spare keys"), ("we are", "we're not")]
    {
        assert!(
            !is_echo(
                &message("text", "Mara", "", "2025-03-01T09:00:00Z", &TEXT.replace(from, to)),
                &first
            ),
            "{to}"
        );
        assert!(
            !is_echo(
                &first,
                &message("text", "Mara", "", "2025-03-01T09:00:00Z", &TEXT.replace(from, to))
            ),
            "{to}"
        );
    }
}

#[test]
fn repetitions_by_an_agent_are_echoes_and_repetitions_of_an_agent_by_a_person_are_not() {
    let person = message("claude-code", "Mara", "user", "2025-03-01T09:00:00Z", TEXT);
    for role in ["assistant", "tool", "system"] {
        let agent = |at: &str| message("claude-code", role, role, at, TEXT);
        assert!(is_echo(&agent("2025-03-09T09:00:00Z"), &person), "{role}");
        assert!(is_echo(&agent("2025-03-10T09:00:00Z"), &agent("2025-03-09T09:00:00Z")), "{role}");
        assert!(!is_echo(&agent("2025-02-01T09:00:00Z"), &person), "{role} said it first");
        assert!(
            !is_echo(
                &message("text", "Mara", "", "2025-04-01", TEXT),
                &agent("2025-03-09T09:00:00Z")
            ),
            "{role}"
        );
    }
}

#[test]
fn an_undated_copy_is_an_echo_and_a_dated_copy_of_an_undated_text_is_not() {
    let note = |uid: &str, text: &str| Evidence {
        source_uid: uid.to_owned(),
        ..message("markdown", "", "", "", text)
    };
    assert!(is_echo(&note("b", TEXT), &note("a", TEXT)));
    assert!(!is_echo(&note("a", TEXT), &note("a", TEXT)), "the same record");
    assert!(!is_echo(&message("markdown", "", "", "2025-03-01", TEXT), &note("a", TEXT)));
}

#[test]
fn notes_made_from_one_form_are_not_echoes() {
    const FORM: &str = "Voice pack for the reader: all prompts, the names of the keys and the \
                        spoken numbers, recorded in one studio by one speaker, in ";
    let note = |uid: &str, at: &str, language: &str| Evidence {
        source_uid: uid.to_owned(),
        ..message("markdown", "", "", at, &format!("{FORM}{language}."))
    };
    for at in ["", "2025-03-01"] {
        assert!(!is_echo(&note("b", at, "Welsh"), &note("a", at, "Breton")), "{at}");
        assert!(is_echo(&note("b", at, "one studio"), &note("a", at, "Breton")), "{at}: no news");
    }
}

#[test]
fn appointments_repeat_each_other_only_at_the_same_instant() {
    let event = |source: &str, at: &str| Evidence {
        kind: EvidenceKind::from(EvidenceKind::EVENT),
        ..message(
            source,
            "",
            "",
            at,
            "Pottery class for beginners in the studio on Ringön with Idris",
        )
    };
    assert!(is_echo(&event("ical", "2025-03-04T18:00:00"), &event("other", "2025-03-04T18:00:00")));
    assert!(!is_echo(
        &event("ical", "2025-03-11T18:00:00"),
        &event("other", "2025-03-04T18:00:00")
    ));
}

#[test]
fn keys_that_another_process_wrote_leave_the_buffer() {
    let waiting = || PendingKeys {
        keys: [(1, vec![Position(5), Position(9)]), (2, vec![Position(6)])].into(),
        count: 3,
        from: Position(4),
        upto: Position(10),
    };
    let check = |read: u64, count: usize, upto: u64| {
        let left = waiting().after(Position(read));
        assert_eq!((left.count, left.from, left.upto), (count, Position(read), Position(upto)));
        assert_eq!(left.keys.values().flatten().count(), count);
        assert!(left.keys.values().flatten().all(|position| position.0 > read));
    };
    check(4, 3, 10);
    check(5, 2, 10);
    check(8, 1, 10);
    check(20, 0, 20);
    check(3, 0, 3);
}

#[test]
fn texts_of_any_kind_are_compared_without_a_panic() {
    let long = "word ".repeat(1_000_000);
    let texts = [
        String::new(),
        "🏺".repeat(10_000),
        long,
        "\u{0}\u{202e}".repeat(100),
        "{\"a".repeat(10_000),
    ];
    for text in &texts {
        let (one, other) = (message("a", "", "tool", "", text), message("b", "", "", "", text));
        assert!(!is_echo(&one, &other), "{}", text.chars().take(10).collect::<String>());
    }
}
