//! Mail: what becomes of messages, and of broken ones.

use std::time::{Duration, Instant};

use importers::ImportError;
use kernel::evidence::Evidence;

use crate::collect::{Collected, import_bytes};

fn mailbox(text: &str) -> Collected {
    import_bytes("mbox", text.as_bytes()).unwrap()
}

fn only(text: &str) -> Evidence {
    let collected = mailbox(text);
    assert_eq!(collected.complaints(), "");
    assert_eq!(collected.evidence.len(), 1);
    collected.evidence.into_iter().next().unwrap()
}

const HEAD: &str = "Message-ID: <1@example.org>\nFrom: Ana Ruiz <ana@example.org>\nDate: Mon, 2 Jun 2025 08:00:00 +0200\n";

#[test]
fn a_message_says_who_what_when_and_to_whom() {
    let record = only(&format!(
        "{HEAD}To: \"Bo\" <bo@example.org>, cy@example.org\nCc: =?utf-8?q?J=C3=B6rg?= <j@example.org>\n\
         Subject: =?iso-8859-1?Q?Caf=E9_on?=\n Monday\nX-Gmail-Labels: Inbox,Friends\n\nShall we meet at the café?\n"
    ));
    let json = serde_json::to_string_pretty(&record).unwrap();
    let expected = r#"{
  "source": "mbox",
  "source_uid": "1@example.org",
  "kind": "mail",
  "actor": "Ana Ruiz",
  "at": "2025-06-02T08:00:00+02:00",
  "summary": "Mail from Ana Ruiz: Café on Monday",
  "visibility": "project",
  "payload": {
    "text": "Shall we meet at the café?",
    "title": "Café on Monday",
    "session": "1@example.org",
    "session_title": "Café on Monday",
    "participants": [
      "Ana Ruiz",
      "Bo",
      "cy@example.org",
      "Jörg"
    ],
    "tags": [
      "Inbox",
      "Friends"
    ],
    "addresses": [
      "Ana Ruiz <ana@example.org>",
      "Bo <bo@example.org>",
      "cy@example.org",
      "Jörg <j@example.org>"
    ]
  }
}"#;
    assert_eq!(json, expected);
}

#[test]
fn of_a_reply_what_its_author_wrote_is_kept_around_the_quotations() {
    let reply = |kind: &str, body: &str| {
        let head = format!("{HEAD}In-Reply-To: <0@example.org>\nContent-Type: text/{kind}\n\n");
        only(&format!("{head}{body}\n")).payload.text
    };
    let quote =
        "<div>On Mon, Bo wrote:</div><blockquote>Tea?<blockquote>When?</blockquote>Hm</blockquote>";
    assert_eq!(reply("html", &format!("{quote}<p>At five.</p>")), "At five.");
    assert_eq!(reply("html", &format!("<p>Yes.</p>{quote}<p>At five.</p>")), "Yes.\n\nAt five.");
    assert_eq!(reply("html", "<p>Hi</p><blockquote>Tea?</blockquote>"), "Hi");
    assert_eq!(reply("html", "<p>Hi</p><blockquote>It never ends"), "Hi");
    assert_eq!(reply("html", "<p>Hi</p></blockquote><p>Ho</p>"), "Hi\nHo");
    let rule = "_".repeat(40);
    let own = format!("Two parts.\n{rule}\nThe second.");
    assert_eq!(reply("plain", &own), own);
    let block = "From: Bo <bo@example.org>\nSent: Monday\nTo: Ana\nSubject: Tea\n\nTea?";
    assert_eq!(reply("plain", &format!("Yes.\n\n{block}")), "Yes.");
    assert_eq!(reply("plain", &format!("Yes.\n{rule}\n{block}")), "Yes.");
    assert_eq!(reply("plain", "From: here on we go.\nBye"), "From: here on we go.\nBye");
}

#[test]
fn a_date_in_an_old_zone_swallows_no_header_and_a_part_that_does_not_end_is_read() {
    for zone in ["UT", "Z", "A", "GMT", "+0000"] {
        let record = only(&format!(
            "Date: Mon, 3 Mar 2025 10:00:00 {zone}\nMessage-ID: <7@example.org>\nFrom: ana@example.org\n\nHi\n"
        ));
        assert_eq!(record.source_uid, "7@example.org", "{zone}");
        assert_eq!(record.at.unwrap().instant_us(), 1_740_996_000_000_000, "{zone}");
    }
    let part = "--b\nContent-Type: text/plain\n\n";
    let head =
        format!("{HEAD}MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"b\"\n\n");
    let text = |body: &str| only(&format!("{head}{body}")).payload.text;
    assert_eq!(text(&format!("{part}one\n")), "one");
    assert_eq!(text(&format!("{part}one\n{part}two\n")), "one\n\ntwo");
    assert_eq!(text(&format!("{part}one\n{part}two\n--b--\n")), "one\n\ntwo");
}

#[test]
fn a_mail_says_by_which_list_it_came_and_whether_the_owner_sent_it() {
    let field = |headers: &str, field: &str| {
        only(&format!("{HEAD}{headers}\n\nx\n")).payload.more.get(field).cloned()
    };
    for (headers, list) in [
        ("List-Id: Potters <potters.lists.example.org>", "Potters <potters.lists.example.org>"),
        ("List-Post: <mailto:potters@example.org>", "<mailto:potters@example.org>"),
        ("List-Unsubscribe: <https://example.org/?token=1>", "newsletter"),
        ("Precedence: bulk", "bulk"),
    ] {
        assert_eq!(field(headers, "mailing_list"), Some(list.into()), "{headers}");
    }
    assert_eq!(field("List-Post: NO", "mailing_list"), None);
    assert_eq!(field("X-Gmail-Labels: Sent,Friends", "account"), Some("Ana Ruiz".into()));
    assert_eq!(field("X-Gmail-Labels: Inbox", "account"), None);
}

#[test]
fn a_mailbox_is_its_messages_and_escaped_lines_are_restored() {
    let collected = mailbox(&format!(
        "From ana@example.org Mon Jun  2 08:00:00 2025\n{HEAD}Subject: one\n\nHello\n\n>From here on.\n\n>>From there on.\n\n\
         From here on it is just text.\n\n\
         From bo@example.org Mon Jun  2 09:00:00 2025\r\nFrom: bo@example.org\r\nDate: Mon, 2 Jun 2025 09:00:00 +0000\r\n\r\nBye\r\n"
    ));
    assert_eq!(collected.complaints(), "");
    let [one, two] = &collected.evidence[..] else { panic!("{}", collected.times()) };
    assert_eq!(
        one.payload.text,
        "Hello\n\nFrom here on.\n\n>From there on.\n\nFrom here on it is just text."
    );
    assert_eq!(two.actor.as_deref(), Some("bo@example.org"));
    assert_eq!(two.at.as_ref().unwrap().as_str(), "2025-06-02T09:00:00Z");
    assert!(two.source_uid.starts_with("without-message-id-"));
}

#[test]
fn messages_are_separated_without_an_empty_line_and_prose_is_not() {
    let collected = mailbox(
        "From ana@example.org Mon Jun  2 08:00:00 2025\nFrom: ana@example.org\n\
         Date: Mon, 2 Jun 2025 08:00:00 +0000\n\nOne\n>From bo@example.org Mon Jun  2 08:30:00 2025\n\
         From here on it is uphill.\nFrom bo@example.org Mon Jun  2 08:30:00 2025\nI have heard nothing.\n\n\
         From 10:30 on I am free.\n\
         From bo@example.org Mon Jun  2 09:00:00 2025\nFrom: bo@example.org\n\
         Date: Mon, 2 Jun 2025 09:00:00 +0000\n\nTwo\n\
         From ana@example.org Mon Jun  2 10:00:00 2025\n",
    );
    assert_eq!(collected.complaints(), "");
    assert_eq!(
        collected.texts(),
        [
            "One\nFrom bo@example.org Mon Jun  2 08:30:00 2025\nFrom here on it is uphill.\n\
             From bo@example.org Mon Jun  2 08:30:00 2025\nI have heard nothing.\n\n\
             From 10:30 on I am free.",
            "Two\nFrom ana@example.org Mon Jun  2 10:00:00 2025"
        ]
    );
    let alone = mailbox(&format!(
        "{HEAD}Subject: x\n\nA log:\nFrom bo@example.org Mon Jun  2 09:00:00 2025\nSubject: y\n"
    ));
    assert_eq!(alone.evidence.len(), 1);
}

#[test]
fn a_mail_without_a_zone_has_the_time_that_it_says() {
    for (date, expect) in [
        ("Tue Oct  7 10:00:00 2025", "2025-10-07T10:00:00"),
        ("Tue, 7 Oct 2025 10:00:00", "2025-10-07T10:00:00"),
        ("Tue Oct  7 10:00:00 2025 +0200", "2025-10-07T10:00:00+02:00"),
        ("Tue, 7 Oct 2025 10:00:00 -0700 (PDT)", "2025-10-07T10:00:00-07:00"),
        ("Tue, 7 Oct 2025 10:00:00 GMT", "2025-10-07T10:00:00Z"),
    ] {
        let record = only(&format!("From: ana@example.org\nDate: {date}\nSubject: x\n\nhi\n"));
        assert_eq!(record.at.as_ref().unwrap().as_str(), expect, "{date}");
    }
}

#[test]
fn the_archive_of_a_list_names_its_authors() {
    let collected = mailbox(
        "From kari at fjord.example  Wed Feb  1 19:06:04 2006\nFrom: kari at fjord.example (Kari Lund)\n\
         Date: Wed Feb  1 19:06:09 2006\nSubject: [Boats] Meet me at the pier\n\
         Message-ID: <1@fjord.example>\n\nFrom: kari at fjord.example (a body)\n\n\
         From jorn at fjord.example  Wed Feb  1 20:00:00 2006\n\
         From: jorn at fjord.example (=?iso-8859-1?Q?J=F8rn?=)\nDate: Wed, 1 Feb 2006 20:00:00 +0100\n\n\
         Yes.\n\nFrom bo at fjord.example  Wed Feb  1 20:00:00 2006\n\
         From: Bo at sea <bo@fjord.example>\nDate: Wed, 1 Feb 2006 20:00:00 +0100\n\nNo.\n",
    );
    assert_eq!(collected.complaints(), "");
    let found: Vec<_> = collected
        .evidence
        .iter()
        .map(|mail| (mail.actor.as_deref().unwrap(), mail.payload.more["addresses"].to_string()))
        .collect();
    assert_eq!(
        found,
        [
            ("Kari Lund", "[\"Kari Lund <kari@fjord.example>\"]".to_owned()),
            ("Jørn", "[\"Jørn <jorn@fjord.example>\"]".to_owned()),
            ("Bo at sea", "[\"Bo at sea <bo@fjord.example>\"]".to_owned()),
        ]
    );
    let first = &collected.evidence[0];
    assert_eq!(first.at.as_ref().unwrap().as_str(), "2006-02-01T19:06:09");
    assert_eq!(first.payload.text, "From: kari at fjord.example (a body)");
    assert_eq!(first.source_uid, "1@fjord.example");
}

#[test]
fn replies_belong_to_the_thread_of_the_first_message_and_leave_out_what_they_quote() {
    let record = only(
        "Message-ID: <3@b>\nIn-Reply-To: <2@b>\nReferences: <1@b> <2@b>\nFrom: bo@example.org\nSubject: Re: Tea\n\
         Date: Mon, 2 Jun 2025 08:00:00 -0700\n\nYes!\n\nOn Mon, Ana wrote:\n> Tea?\n> At five.\n",
    );
    assert_eq!(record.payload.session.as_deref(), Some("1@b"));
    assert_eq!(record.payload.session_title.as_deref(), Some("Tea"));
    assert_eq!(record.payload.more["in_reply_to"], "2@b");
    assert_eq!(record.payload.text, "Yes!");
    let first = only(&format!("{HEAD}Subject: Tea\n\nA poem:\n> not a quote\n"));
    assert_eq!(first.payload.text, "A poem:\n> not a quote");
}

#[test]
fn parts_encodings_and_attachments_are_read() {
    let record = only(&format!(
        "{HEAD}Subject: x\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n\
         --b\nContent-Type: multipart/alternative; boundary=c\n\n\
         --c\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nCaf=E9 =\nau lait\n\
         --c\nContent-Type: text/html\n\n<p>never</p>\n--c--\n\
         --b\nContent-Type: application/pdf; name=\"menu.pdf\"\nContent-Disposition: attachment; filename=\"menu.pdf\"\n\
         Content-Transfer-Encoding: base64\n\nSGVsbG8=\n--b--\n"
    ));
    assert_eq!(record.payload.text, "Café au lait");
    assert_eq!(record.payload.links, ["menu.pdf"]);
}

#[test]
fn a_text_in_utf_8_is_read_as_such_whatever_charset_it_declares() {
    let body = |headers: &str, body: &[u8]| {
        let head = format!("{HEAD}Subject: x\nContent-Type: {headers}\n\n");
        let collected = import_bytes("mbox", &[head.as_bytes(), body].concat()).unwrap();
        collected.evidence[0].payload.text.clone()
    };
    let text = "你好！明天下午喝茶吧";
    let plain = "text/plain; charset=gb2312\nContent-Transfer-Encoding: 8bit";
    assert_eq!(body(plain, text.as_bytes()), text);
    let gbk = b"\xc4\xe3\xba\xc3\xa3\xac\xca\xc0\xbd\xe7";
    assert_eq!(body(plain, gbk), "你好，世界");
    let html = "text/html; charset=us-ascii";
    assert_eq!(body(html, format!("<p>{text}</p>").as_bytes()), text);
    let base64 = "text/plain; charset=Shift_JIS\nContent-Transfer-Encoding: base64";
    assert_eq!(body(base64, b"44GT44KT44Gr44Gh44Gv"), "こんにちは");
    let quoted = "text/plain; charset=big5\nContent-Transfer-Encoding: quoted-printable";
    assert_eq!(body(quoted, b"=E4=BD=A0=E5=A5=BD=EF=BC=8C=\n=E4=B8=96"), "你好，世");
    let latin = "text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit";
    assert_eq!(body(latin, b"Caf\xe9 \xe0 la cr\xe8me br\xfbl\xe9e"), "Café à la crème brûlée");
    let mixed = "multipart/mixed; boundary=b";
    let parts = format!("--b\nContent-Type: {plain}\n\n{text}\n--b--\n");
    assert_eq!(body(mixed, parts.as_bytes()), text);
}

#[test]
fn a_message_of_html_alone_becomes_text() {
    let record = only(&format!(
        "{HEAD}Subject: Re: x\nIn-Reply-To: <0@b>\nContent-Type: text/html\n\n\
         <html><body><p>See you &amp; Bo</p><div>On Mon, Ana wrote:</div><blockquote>Tea?</blockquote></body></html>\n"
    ));
    assert_eq!(record.payload.text, "See you & Bo");
}

#[test]
fn broken_messages_are_reported_with_their_line_and_the_others_are_imported() {
    let collected = mailbox(&format!(
        "From x Mon Jun  2 08:00:00 2025\n\u{1}garbage without headers\n\n\
         From x Mon Jun  2 08:00:00 2025\nFrom: bo@example.org\nDate: someday\nSubject: undated\n\nhi\n\n\
         From x Mon Jun  2 08:00:00 2025\n{HEAD}\nfine\n"
    ));
    assert_eq!(
        collected.complaints(),
        "2: this message has none of the headers of a mail; it was left out\n\
         5: the message has no date that can be read; it was taken without one\n"
    );
    assert_eq!(collected.evidence.len(), 2);
    assert_eq!(collected.evidence[0].at, None);
}

#[test]
fn bytes_that_are_not_mail_give_an_error() {
    for bytes in [
        &b""[..],
        b"\n\n",
        b"hello",
        b"BEGIN:VCALENDAR\nEND:VCALENDAR",
        &[0xff; 100_000],
        &[0; 1000],
    ] {
        assert!(
            matches!(import_bytes("mbox", bytes), Err(ImportError::Format { .. })),
            "{bytes:?}"
        );
    }
}

#[test]
fn endlessly_nested_messages_are_not_followed() {
    let begun = Instant::now();
    let nested = "Content-Type: message/rfc822\n\n".repeat(100_000);
    let collected = mailbox(&format!("{HEAD}{nested}"));
    assert!(collected.complaints().contains("more than 500 parts"), "{}", collected.complaints());
    assert_eq!(collected.evidence.len(), 1);

    let mut bomb = HEAD.to_owned();
    for depth in 0..50_000 {
        bomb.push_str(&format!("Content-Type: multipart/mixed; boundary=b{depth}\n\n--b{depth}\n"));
    }
    assert_eq!(mailbox(&bomb).evidence.len(), 1);

    let digest = "Content-Type: multipart/digest; boundary=b\n\n--b\n\n".repeat(50_000);
    assert_eq!(mailbox(&format!("{HEAD}{digest}")).evidence.len(), 1);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn an_enormous_message_is_read_in_part() {
    let mut text = format!("{HEAD}Subject: big\n\nThe beginning.\n");
    text.push_str(&"0123456789abcdef".repeat(1_000_000));
    text.push('\n');
    text.push_str(&"0123456789 0123456789\n".repeat(2_000_000));
    let collected = mailbox(&text);
    assert!(
        collected.complaints().contains("more than 33554432 bytes"),
        "{}",
        collected.complaints()
    );
    let record = &collected.evidence[0];
    assert!(
        record.payload.text.starts_with("The beginning.")
            && record.payload.text.len() <= 1024 * 1024
    );
    assert_eq!(record.payload.more["text_cut"], true);
    assert_eq!(collected.bytes, text.len() as u64);
}

#[test]
fn a_boundary_that_ends_within_the_message_it_encloses_is_read_without_a_panic() {
    let message = "Content-Type: multipart/mixed; boundary=x\n\n--xContent-Type: message/rfc822\n\n\
                   Content-Type: message/rfc822\n\n\n--x--";
    assert_eq!(mailbox(&format!("{HEAD}{message}")).evidence.len(), 1);
}

#[test]
fn every_beginning_of_a_mailbox_is_read_without_a_panic() {
    let whole = format!(
        "From x Mon Jun  2 08:00:00 2025\n{HEAD}Subject: =?utf-8?b?w6Q=?=\nIn-Reply-To: <a\n\
         Content-Type: multipart/mixed; boundary=\"b\"\n\n--b\nContent-Type: text/plain; charset=utf-7\n\
         Content-Transfer-Encoding: base64\n\n4pyT4pyT\n--b\nContent-Type: message/rfc822\n\n{HEAD}\nhi\n--b--\n"
    );
    for end in 0..=whole.len() {
        let _ = import_bytes("mbox", &whole.as_bytes()[..end]);
    }
}

#[test]
fn cells_and_blocks_of_html_do_not_run_together() {
    let record = only(&format!(
        "{HEAD}Subject: Bill\nContent-Type: text/html\n\n\
         <table><tr><td>Total</td><td>2 340 kr</td></tr></table><div>Due in May.</div><div>Ten frames.</div>\n"
    ));
    assert_eq!(record.payload.text, "Total 2 340 kr\nDue in May.\nTen frames.");
}

#[test]
fn what_is_forwarded_is_kept_though_it_has_the_headers_of_a_reply() {
    let body =
        "fyi\n\nFrom: Bo <bo@example.org>\nDate: Monday\nSubject: Kiln\n\nThe invoice is due.";
    let sent = |subject: &str| {
        let head = format!("{HEAD}In-Reply-To: <0@example.org>\nSubject: {subject}\n\n");
        only(&format!("{head}{body}\n")).payload.text
    };
    for subject in ["Fwd: Kiln", "FW: Kiln", "WG: Kiln", "Fwd[2]: Kiln"] {
        assert!(sent(subject).ends_with("The invoice is due."), "{subject}");
    }
    assert_eq!(sent("Re: Fwd: Kiln"), "fyi");
}

#[test]
fn a_long_message_fits_into_a_record_and_a_long_boundary_takes_no_time() {
    let long = only(&format!("{HEAD}\n{}\n", "\"0123456789\" \\\n".repeat(120_000)));
    assert_eq!(long.payload.more["text_cut"], true);
    assert!(serde_json::to_vec(&long).unwrap().len() < 1024 * 1024);
    let begun = Instant::now();
    let boundary = format!("{}x", "-".repeat(60_000));
    let head = format!("{HEAD}Content-Type: multipart/mixed; boundary=\"{boundary}\"\n\n");
    mailbox(&format!("{head}{}", "-".repeat(4_000_000)));
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn a_message_that_is_a_file_may_have_a_line_like_a_separator() {
    let quoted = "From a@example.org Mon Jun  2 08:00:00 2025";
    let record = only(&format!("{HEAD}\nThe log says:\n\n{quoted}\n\nIs it right?\n"));
    assert!(record.payload.text.ends_with(&format!("{quoted}\n\nIs it right?")));
}
