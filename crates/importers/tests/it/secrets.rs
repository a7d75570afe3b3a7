//! Secrets in sources: after masking, no field of any record holds one.
//!
//! The samples are put together from pieces so that no scanner takes this file for a leak.

use kernel::evidence::Evidence;

use crate::support::{Sources, import};

/// Base64 characters that look random, the same at every run.
fn base64(length: usize) -> String {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut draw = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(alphabet[(state % alphabet.len() as u64) as usize])
    };
    (0..length).map(|_| draw()).collect()
}

/// The lines of a private key, header and footer included.
fn key_lines(armor: &[&str]) -> Vec<String> {
    let name = if armor.iter().any(|line| line.starts_with("Version")) {
        "PGP PRIVATE KEY BLOCK"
    } else {
        "EC PRIVATE KEY"
    };
    let body = base64(148);
    let mut lines = vec![["-----BEG", "IN ", name, "-----"].concat()];
    lines.extend(armor.iter().map(|line| (*line).to_owned()));
    lines.extend([&body[..64], &body[64..128], &body[128..]].map(str::to_owned));
    lines[armor.len() + 3].push_str("==");
    lines.push(["-----E", "ND ", name, "-----"].concat());
    lines
}

/// The ways in which people paste a key into a text.
fn pasted_keys() -> Vec<(&'static str, String)> {
    let plain = key_lines(&[]);
    let pem = key_lines(&[
        "Proc-Type: 4,ENCRYPTED",
        "DEK-Info: AES-128-CBC,0A1B2C3D4E5F60718293A4B5C6D7E8F9",
        "",
    ]);
    let pgp = key_lines(&["Version: GnuPG v2", "Comment: made on the old laptop", ""]);
    let remark = key_lines(&["the key of the build server"]);
    let mut pasted = Vec::new();
    let kinds = [("plain", &plain), ("pem", &pem), ("pgp", &pgp), ("remark", &remark)];
    for (_, lines) in kinds {
        let each = |before: &str, after: &str| {
            lines.iter().map(|line| format!("{before}{line}{after}\n")).collect::<String>()
        };
        pasted.push(("as it is", each("", "")));
        pasted.push(("quoted", each("> ", "")));
        pasted.push(("quoted without a space", each(">", "")));
        pasted.push(("quoted twice", each("> > ", "")));
        pasted.push(("in a list", each("- ", "")));
        pasted.push(("in an indented list", each("  * ", "")));
        pasted.push((
            "in a numbered list",
            (1..).zip(lines).map(|(n, line)| format!("{n}. {line}\n")).collect(),
        ));
        pasted.push(("in a comment", each("// ", "")));
        pasted.push(("in a table", each("| ", " |")));
        pasted.push(("in a string of C", each("\"", "\\n\"")));
        pasted.push(("in a list of strings", each("  '", "',")));
        pasted.push(("in one string", lines.join("\\n")));
        pasted.push(("in one string of Windows", lines.join("\\r\\n")));
        pasted.push(("in one line", lines.join(" ")));
        pasted.push(("with lines of Windows", lines.join("\r\n")));
    }
    let mut all = pasted.clone();
    for (name, text) in pasted {
        // The footer is lost, and half of the line above it.
        if let Some(end) = text.find(&["-----E", "ND"].concat()) {
            all.push((name, text[..end - 12].to_owned()));
        }
    }
    all
}

/// The first part of the text that is left of a key.
fn leaked<'a>(json: &str, body: &'a str) -> Option<&'a str> {
    (0..body.len() - 16).map(|at| &body[at..at + 16]).find(|part| json.contains(part))
}

fn masked(evidence: Evidence) -> String {
    serde_json::to_string(importers::secrets::mask(evidence).get()).unwrap()
}

#[test]
fn no_part_of_a_private_key_is_left_in_a_record_however_it_was_pasted() {
    let sources = Sources::new();
    let body = base64(148);
    for (number, (name, key)) in pasted_keys().into_iter().enumerate() {
        let text = format!("Here it is:\n\n{key}\nPlease keep it safe.\n");
        let chat = serde_json::json!({ "role": "user", "content": text, "timestamp": "2025-06-02T10:00:00Z" });
        for (format, path) in [
            ("text", sources.file(&format!("{number}/note.txt"), &text)),
            (
                "markdown",
                sources
                    .file(&format!("{number}/vault/note.md"), &text)
                    .parent()
                    .unwrap()
                    .to_owned(),
            ),
            ("chat-jsonl", sources.file(&format!("{number}/chat.jsonl"), format!("{chat}\n"))),
        ] {
            let collected = import(format, &path);
            assert!(!collected.evidence.is_empty());
            for evidence in collected.evidence {
                let json = masked(evidence);
                assert_eq!(leaked(&json, &body), None, "{format}, {name}:\n{text}\n{json}");
            }
        }
    }
}

#[test]
fn a_key_that_is_longer_than_a_passage_is_masked_to_its_end() {
    let sources = Sources::new();
    let body = base64(3_200);
    let mut lines =
        vec![["-----BEG", "IN RSA PRIVATE KEY-----"].concat(), "Proc-Type: 4,ENCRYPTED".to_owned()];
    lines.push(String::new());
    lines.extend(body.as_bytes().chunks(64).map(|line| String::from_utf8(line.to_vec()).unwrap()));
    lines.push(["-----E", "ND RSA PRIVATE KEY-----"].concat());
    let key = lines.join("\n");
    for before in [0, 900, 1_300, 1_900] {
        let text = format!(
            "# Server\n\n{}\n\n{key}\n\nThe end.\n",
            "words of a note ".repeat(before / 16)
        );
        for (format, name) in [("text", "note.txt"), ("markdown", "vault/note.md")] {
            let path = sources.file(&format!("{before}/{name}"), &text);
            for evidence in
                import(format, if format == "text" { &path } else { path.parent().unwrap() })
                    .evidence
            {
                let json = masked(evidence);
                assert_eq!(leaked(&json, &body), None, "{format} after {before}:\n{json}");
            }
        }
    }
}

#[test]
fn an_identity_made_from_a_heading_does_not_hold_its_secret() {
    let sources = Sources::new();
    let access_key = ["AK", "IA", "QWER3TYUIOP5ASDF"].concat();
    let note = format!(
        "# WiFi password: tulip77bridge\nIn the hall.\n\n# Key {access_key}\nOf the bucket.\n"
    );
    let path = sources.file("n.md", note);
    let collected = import("markdown", &path);
    assert_eq!(collected.evidence.len(), 2);
    for evidence in collected.evidence {
        let json = masked(evidence).to_lowercase();
        assert!(
            !json.contains("tulip77bridge") && !json.contains(&access_key.to_lowercase()),
            "{json}"
        );
    }
}

#[test]
fn a_long_heading_is_not_cut_in_the_middle_of_a_secret() {
    let sources = Sources::new();
    let token = ["gh", "p_", &base64(60).replace(['+', '/'], "x")].concat();
    let path = sources.file("n.md", format!("# {}{token}\nText.\n", "word ".repeat(35)));
    for evidence in import("markdown", &path).evidence {
        let json = masked(evidence);
        assert!(!json.contains(&token[..16]), "{json}");
    }
}

#[test]
fn an_identity_that_begins_with_a_session_does_not_hold_its_secret() {
    let sources = Sources::new();
    let lines = concat!(
        r#"{"session":"DB_PASSWORD=hunter22","id":"1","role":"user","content":"hello"}"#,
        "\n",
        r#"{"session":"DB_PASSWORD=hunter22","role":"user","content":"hello again"}"#,
        "\n"
    );
    let long = format!(
        "{{\"session\":\"DB_PASSWORD=hunter22 {}\",\"id\":\"1\",\"content\":\"hi\"}}\n",
        "x".repeat(2_000)
    );
    for (name, lines) in [("chat.jsonl", lines), ("long.jsonl", &long)] {
        for evidence in import("chat-jsonl", &sources.file(name, lines)).evidence {
            let json = masked(evidence);
            assert!(!json.contains("hunter22"), "{json}");
        }
    }
}

#[test]
fn a_value_whose_label_is_its_heading_or_the_name_of_its_file_is_masked() {
    let sources = Sources::new();
    let note =
        "# Home\n\n## WiFi password\n\nSunshine77\n\n## Card PIN\n\n4821\n\n## Kiln\n\n4821\n";
    sources.file("vault/note.md", note);
    let records = import("markdown", &sources.file("vault/note.md", note)).evidence;
    assert_eq!(records.len(), 3, "{records:?}");
    for evidence in records {
        let is_kiln = evidence.payload.title.as_deref() == Some("Kiln");
        let json = masked(evidence);
        assert!(!json.contains("Sunshine77"), "{json}");
        assert_eq!(json.contains("4821"), is_kiln, "{json}");
    }
    let path = sources.file("router password.txt", "tulip77bridge\n");
    let json = import("text", &path).evidence.into_iter().map(masked).collect::<String>();
    assert!(!json.contains("tulip77bridge"), "{json}");
}

#[test]
fn a_text_is_not_cut_between_a_label_and_its_secret() {
    let sources = Sources::new();
    for before in (700..2_200).step_by(20) {
        for label in ["WiFi password:\n\nSunshine77", "the PIN of my card is 4821"] {
            let words = "words of a note ".repeat(before / 16);
            let text = format!("{words}\n\n{label}\n\n{words}\n");
            let glued = format!("{words}\n{label}\n{words}\n");
            for (number, text) in [text, glued].into_iter().enumerate() {
                let path = sources.file(&format!("{before}-{number}/note.txt"), &text);
                let json = import("text", &path).evidence.into_iter().map(masked);
                let json = json.collect::<String>();
                assert!(
                    !json.contains("Sunshine77") && !json.contains("4821"),
                    "after {before}:\n{json}"
                );
            }
        }
    }
}

#[test]
fn nothing_in_the_documentation_of_this_project_is_taken_for_a_secret() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pending = vec![root.join("docs"), root.join("README.md"), root.join("CHANGELOG.md")];
    let (mut lines, mut wrong) = (0, Vec::new());
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(path.read_dir().unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            let text = std::fs::read_to_string(&path).unwrap();
            lines += text.lines().count();
            for part in text.lines().chain([text.as_str()]) {
                if let Some((_, kinds)) = importers::secrets::mask_text(part) {
                    let shown: String = part.chars().take(200).collect();
                    wrong.push(format!("{kinds:?} in {}: {shown}", path.display()));
                }
            }
        }
    }
    assert!(lines >= 2_000, "{lines}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
