//! Logs of IRC.

use crate::support::{Sources, detected, import};

#[test]
fn a_log_of_irc_is_a_chat_whose_dates_stand_between_its_lines() {
    let sources = Sources::new();
    let log = sources.file(
        "tea.log",
        "--- Log opened Mon Jun 02 23:50:00 2025\n\
         23:50 -!- ana [~ana@example.org] has joined #tea\n\
         23:51 <@ana> ben: is it https://tea.test or http?\n\
         23:59  * ben looks\n\
         --- Day changed Tue Jun 03 2025\n\
         00:01 < ben> the first\n\
         and more of it\n\
         00:02 -!- ben has quit [Quit: bye]\n\
         --- Log closed Tue Jun 03 00:05:00 2025\n",
    );
    assert_eq!(detected(&log), Some("text"));
    let read = import("text", &log);
    let turns: Vec<_> = read
        .evidence
        .iter()
        .map(|turn| {
            let at = turn.at.as_ref().unwrap().as_str();
            (turn.kind.0.as_ref(), turn.actor.as_deref(), at, turn.payload.text.as_str())
        })
        .collect();
    assert_eq!(
        turns,
        [
            ("turn", Some("ana"), "2025-06-02T23:51:00", "ben: is it https://tea.test or http?"),
            ("turn", None, "2025-06-02T23:59:00", "* ben looks"),
            ("turn", Some("ben"), "2025-06-03T00:01:00", "the first\nand more of it"),
        ]
    );
    // The date in a file's name, and more people than a chat of few has.
    let lines: String =
        (0..300).map(|n| format!("[09:{:02}] <guest{n}> hi {n}\n", n % 60)).collect();
    let log = sources.file("#tea 2025-06-02.txt", format!("[09:00] *** ana sets mode +o\n{lines}"));
    let read = import("text", &log);
    assert_eq!(read.evidence.len(), 300);
    let last = read.evidence.last().unwrap();
    assert_eq!(last.actor.as_deref(), Some("guest299"));
    assert_eq!(last.at.as_ref().unwrap().as_str(), "2025-06-02T09:59:00");
}

#[test]
fn notes_with_a_tag_after_a_time_stay_notes() {
    let sources = Sources::new();
    let notes = sources.file(
        "day.txt",
        "2025-06-02 09:00 <tea> bought\n2025-06-02 10:00 walked --> park\n2025-06-02 11:00 Ana: rang\n",
    );
    let read = import("text", &notes);
    assert_eq!(read.evidence.len(), 3);
    assert!(read.evidence.iter().all(|note| note.kind.0 == "note"));
}
