//! Whole sources with random damage: whatever is given, an importer returns and does not panic.

use crate::collect::import_bytes;

const CALENDAR: &str = "BEGIN:VCALENDAR\nX-WR-TIMEZONE:Europe/Berlin\nBEGIN:VTIMEZONE\nTZID:Own\nBEGIN:STANDARD\n\
    DTSTART:19701025T030000\nTZOFFSETFROM:+0200\nTZOFFSETTO:+0100\nRRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU\nEND:STANDARD\n\
    END:VTIMEZONE\nBEGIN:VEVENT\nUID:a\nDTSTART;TZID=Own:20250331T073000\nDURATION:P1DT2H\n\
    RRULE:FREQ=MONTHLY;BYDAY=MO,-1FR;BYSETPOS=1,-1;COUNT=9\nRDATE;VALUE=PERIOD:20250701T090000/PT30M\n\
    EXDATE:20250501T053000Z\nATTENDEE;CN=\"Ana, R\":mailto:a@example.org\nGEO:52.5;13.4\nSUMMARY:Gym\\, legs\nEND:VEVENT\n\
    BEGIN:VEVENT\nUID:a\nRECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Own:20250630T073000\nDTSTART:20250701T073000Z\nEND:VEVENT\n\
    BEGIN:VTODO\nUID:t\nDUE;VALUE=DATE:20250801\nEND:VTODO\nEND:VCALENDAR\n";

const MAILBOX: &str = "From a@b Mon Jun  2 08:00:00 2025\nMessage-ID: <1@b>\nIn-Reply-To: <0@b>\n\
    From: =?utf-8?q?J=C3=B6rg?= <j@example.org>\nTo: Team: a@b, \"B\" <b@b>;\nDate: Mon, 2 Jun 2025 08:00:00 +0200\n\
    Subject: Re: =?iso-2022-jp?B?GyRCJDMbKEI=?=\nContent-Type: multipart/mixed; boundary=\"x\"\n\n\
    --x\nContent-Type: text/html; charset=gb18030\nContent-Transfer-Encoding: quoted-printable\n\n\
    <p>Hi=20&amp; &#x1F600; bye</p><blockquote>q</blockquote>\n--x\nContent-Type: message/rfc822\n\
    Content-Transfer-Encoding: base64\n\nRnJvbTogYUBiCgpoaQo=\n--x\n\
    Content-Disposition: attachment; filename*0*=utf-8''a%20b; filename*1=c.txt\n\n>From me\n--x--\n";

struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

fn damaged(whole: &str, draw: &mut Draw) -> Vec<u8> {
    const ALPHABET: &[u8] = b"0123456789-+;:,=\"\\\n \tTZPDHM/@<>?.*%&#\x00\x7f\xc3\xff";
    let mut bytes = whole.as_bytes().to_vec();
    for _ in 0..=draw.below(6) {
        let at = draw.below(bytes.len());
        match draw.below(4) {
            0 => bytes[at] = ALPHABET[draw.below(ALPHABET.len())],
            1 => bytes.insert(at, ALPHABET[draw.below(ALPHABET.len())]),
            2 => drop(bytes.drain(at..(at + 1 + draw.below(20)).min(bytes.len()))),
            _ => {
                let piece = bytes[at..(at + 1 + draw.below(60)).min(bytes.len())].to_vec();
                let to = draw.below(bytes.len());
                bytes.splice(to..to, piece);
            }
        }
    }
    bytes
}

#[track_caller]
fn check(importer: &str, whole: &str) {
    for seed in 0..300 {
        let bytes = damaged(whole, &mut Draw(seed));
        let outcome = std::panic::catch_unwind(|| drop(import_bytes(importer, &bytes)));
        assert!(outcome.is_ok(), "seed {seed}: {}", String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn damaged_calendars_are_read_without_a_panic() {
    check("ical", CALENDAR);
}

#[test]
fn damaged_mailboxes_are_read_without_a_panic() {
    check("mbox", MAILBOX);
}

#[test]
fn damaged_sessions_and_exports_of_chats_are_read_without_a_panic() {
    check("codex", crate::exports::CODEX);
    check("gemini", crate::exports::GEMINI);
    check("telegram", crate::exports::TELEGRAM);
    check("signal", crate::exports::SIGNAL);
}
