//! What is masked and what is not. Samples are joined from pieces so that no scanner takes this
//! file for a leak.

use kernel::body::Body;
use kernel::evidence::{Evidence, EvidenceKind, Location, Payload, Visibility, summarize};
use kernel::id::{Author, OpId};
use kernel::kind::Kind;
use serde_json::{Value, json};

use super::*;

fn join(pieces: &[&str]) -> String {
    pieces.concat()
}

/// Characters that look drawn, the same at every run.
fn random(alphabet: &str, length: usize) -> String {
    let alphabet = alphabet.as_bytes();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    (0..length)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            char::from(alphabet[(state % alphabet.len() as u64) as usize])
        })
        .collect()
}

const MIXED: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const HEX: &str = "0123456789abcdef";

fn mixed(length: usize) -> String {
    random(MIXED, length)
}

fn evidence() -> Evidence {
    Evidence {
        source: "text".into(),
        source_uid: "1".into(),
        kind: EvidenceKind::from(EvidenceKind::NOTE),
        actor: None,
        at: None,
        summary: String::new(),
        visibility: Visibility::Project,
        payload: Payload::default(),
    }
}

#[test]
fn tokens_with_a_prefix_are_masked_wherever_they_stand() {
    let digits = "0123456789";
    for (kind, secret) in [
        ("aws-access-key", join(&["AK", "IA", &random(UPPER, 16)])),
        ("github-token", join(&["gh", "p_", &mixed(36)])),
        ("github-token", join(&["github", "_pat_", &mixed(22), "_", &mixed(59)])),
        ("gitlab-token", join(&["gl", "pat-", &mixed(20)])),
        ("slack-token", join(&["xo", "xb-", &random(digits, 12), "-", &mixed(24)])),
        (
            "slack-token",
            join(&["hooks.slack", ".com/services/T", &mixed(8), "/B", &mixed(8), "/", &mixed(24)]),
        ),
        ("stripe-key", join(&["sk_", "live_", &mixed(24)])),
        ("google-key", join(&["AI", "za", &mixed(35)])),
        ("openai-key", join(&["sk", "-proj-", &mixed(48)])),
        ("openai-key", join(&["sk", "-", &mixed(48)])),
        ("anthropic-key", join(&["sk", "-ant-api03-", &mixed(90)])),
        ("npm-token", join(&["np", "m_", &mixed(36)])),
        ("pypi-token", join(&["py", "pi-AgEIcHlwaS5vcmc", &mixed(60)])),
        ("hugging-face-token", join(&["h", "f_", &mixed(34)])),
        ("telegram-token", join(&["123456789", ":A", "A", &mixed(33)])),
        ("jwt", join(&["ey", "J", &mixed(30), ".ey", "J", &mixed(40), ".", &mixed(43)])),
        ("service-key", join(&["S", "G.", &mixed(22), ".", &mixed(43)])),
    ] {
        for (before, after) in [
            ("", ""),
            ("use ", " for it"),
            ("\"", "\","),
            ("(", ")"),
            ("{\\n", "\\n}"),
            ("é ", " é"),
        ] {
            let text = join(&[before, &secret, after]);
            let (masked, kinds) =
                mask_text(&text).unwrap_or_else(|| panic!("{kind} is found in {before:?}"));
            assert_eq!(masked, join(&[before, "[masked:", kind, "]", after]));
            assert_eq!(kinds.len(), 1);
        }
    }
}

#[test]
fn private_keys_are_masked_as_a_whole_and_when_cut_off() {
    for name in ["RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PRIVATE KEY", "PGP PRIVATE KEY BLOCK"] {
        let body = join(&[&mixed(64), "\n", &mixed(64), "\n", &mixed(20), "=="]);
        let begin = join(&["-----BEG", "IN ", name, "-----\n"]);
        let block =
            join(&[&begin, "Proc-Type: 4,ENCRYPTED\n\n", &body, "\n-----END ", name, "-----"]);
        let text = join(&["before\n", &block, "\nafter"]);
        assert_eq!(mask_text(&text).unwrap().0, "before\n[masked:private-key]\nafter", "{name}");
        let cut = join(&[&begin, &mixed(64), "\n", &mixed(64)]);
        assert_eq!(mask_text(&cut).unwrap().0, "[masked:private-key]");
        let escaped = block.replace('\n', "\\n");
        assert_eq!(mask_text(&escaped).unwrap().0, "[masked:private-key]");
    }
    let prose = join(&[
        "A file with -----BEG",
        "IN PRIVATE KEY----- as its first line is a key, do not share it.",
    ]);
    assert_eq!(mask_text(&prose), None);
    let hash = random(HEX, 40);
    let prose = join(&[
        "-----BEG",
        "IN PRIVATE KEY-----\nis the first line of a key.\nSee ",
        &hash,
        " for more.",
    ]);
    assert_eq!(mask_text(&prose), None);
}

#[test]
fn what_follows_a_key_without_a_footer_stays() {
    let begin = join(&["-----BEG", "IN PRIVATE KEY-----\n"]);
    for (key, after) in [
        (join(&[&mixed(64), "\n", &mixed(40)]), "\n\nThis is the key of the server."),
        (join(&["> ", &mixed(64), "\n> ", &mixed(19), "="]), "\n> which we no longer use"),
        (join(&["Comment: made in 2019\n\n", &mixed(64)]), "\n\nand then we left"),
    ] {
        let text = join(&[&begin, &key, after]);
        assert_eq!(mask_text(&text).unwrap().0, join(&["[masked:private-key]", after]));
    }
}

pub(super) fn body(kind: &str, body: &Value) -> Body {
    let bytes = kernel::canonical::to_bytes(body).unwrap();
    Body::parse(&Kind::parse(kind).unwrap(), &bytes).unwrap()
}

#[test]
fn every_text_of_every_body_is_masked() {
    let secret = join(&["gh", "p_", &mixed(36)]);
    let sentence = join(&["see ", &secret, " there"]);
    let key = Author([7; 32]).to_string();
    let id = OpId([7; 32]).to_string();
    for (kind, value) in [
        (
            "space",
            json!({ "name": sentence, "owner": key, "created": sentence, "settings": { "a": [sentence] } }),
        ),
        ("grant", json!({ "key": key, "name": sentence, "capabilities": ["append"] })),
        ("revoke", json!({ "key": key, "name": sentence, "capabilities": [] })),
        ("evidence_retraction", json!({ "reason": sentence })),
        ("retraction", json!({ "reason": sentence })),
        (
            "claim",
            json!({
                "claim_type": "t", "identity_key": sentence, "subject": sentence, "text": sentence,
                "payload": { "a": sentence }, "deriver": { "name": sentence, "version": sentence },
                "confidence_basis": [sentence], "rationale": sentence, "tags": [sentence],
            }),
        ),
        (
            "claim_correction",
            json!({ "identity_key": "k", "corrected_payload": { "a": sentence }, "text": sentence, "note": sentence }),
        ),
        ("claim_refutation", json!({ "identity_key": "k", "note": sentence })),
        ("correction_withdrawal", json!({ "note": sentence })),
        ("refutation_withdrawal", json!({ "note": sentence })),
        (
            "proposal",
            json!({
                "origin": sentence, "text": sentence, "more": sentence,
                "review": { "identity_key": "k", "reason": "disagreement", "payload": sentence },
                "operations": [{ "kind": "claim", "body": { "a": sentence }, "refs": [{ "id": id, "role": sentence }] }],
            }),
        ),
        (
            "decision",
            json!({ "verdict": sentence, "feedback": sentence, "more": { "a": sentence } }),
        ),
        ("thought", json!({ "text": sentence, "deep": [{ "a": sentence }] })),
    ] {
        let masked = mask_body(body(kind, &value));
        assert_ne!(masked.secrets(), [], "{kind}");
        let bytes = String::from_utf8(masked.get().canonical().unwrap()).unwrap();
        assert!(!bytes.contains(&secret), "{kind}: {bytes}");
        assert_eq!(
            mask_body(masked.into_inner()).secrets(),
            [],
            "{kind}: masking again changes nothing"
        );
    }
}

#[test]
fn a_password_known_by_its_field_is_masked_in_the_words_too() {
    let correction = json!({
        "identity_key": "k", "corrected_payload": { "password": "tulip77bridge" }, "text": "The Wi-Fi is tulip77bridge.",
        "note": "it was tulip77bridge all along",
    });
    let Body::ClaimCorrection(correction) =
        mask_body(body("claim_correction", &correction)).into_inner()
    else {
        unreachable!()
    };
    assert_eq!(correction.corrected_payload, json!({ "password": "[masked:password]" }));
    assert_eq!(correction.text.unwrap(), "The Wi-Fi is [masked:password].");
    assert_eq!(correction.note, "it was [masked:password] all along");
}

#[test]
fn many_passwords_known_by_their_fields_cost_no_more_than_their_text() {
    let payload: serde_json::Map<String, Value> = (0..20_000)
        .map(|number| (format!("{number}_password"), json!(format!("tulip{number}bridge"))))
        .collect();
    let text = "the kiln was hot and tulip19999bridge was on it ".repeat(4_000);
    let claim = json!({
        "claim_type": "t", "identity_key": "k", "subject": "s", "text": text, "payload": payload,
        "confidence_basis": [],
    });
    let claim = body("claim", &claim);
    let started = std::time::Instant::now();
    let Body::Claim(claim) = mask_body(claim).into_inner() else { unreachable!() };
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    assert!(!claim.text.contains("bridge") && claim.text.contains("[masked:password]"));
}

#[test]
fn values_are_masked_where_their_names_give_them_away() {
    let key = mixed(40);
    for (text, expect) in [
        ("password: hunter2", "password: [masked:password]"),
        ("root password: tulip77-Bridge!Walk", "root password: [masked:password]"),
        (
            "The password: hunter2, as ever. Then we left.",
            "The password: [masked:password], as ever. Then we left.",
        ),
        ("DB_PASSWORD=tulip77bridge\nNEXT=1", "DB_PASSWORD=[masked:password]\nNEXT=1"),
        (
            "{\"password\": \"c0rrect#Horse\", \"a\": 1}",
            "{\"password\": \"[masked:password]\", \"a\": 1}",
        ),
        (
            "{\\\"password\\\": \\\"c0rrect#Horse\\\"}",
            "{\\\"password\\\": \\\"[masked:password]\\\"}",
        ),
        (
            "Server=x;Password=tulip77bridge;Trusted=no",
            "Server=x;Password=[masked:password];Trusted=no",
        ),
        ("mysql --password tulip77bridge -h db", "mysql --password [masked:password] -h db"),
        ("let password: &str = \"c0rrect#Horse\";", "let password: &str = \"[masked:password]\";"),
        ("**Password:** tulip77bridge", "**Password:** [masked:password]"),
        (
            "my private key is 4f3c2a1b9d8e7f60512233445566778899aabbccddeeff00112233445566ff01",
            "my private key is [masked:secret]",
        ),
        (
            "?X-Amz-Signature=4f3c2a1b9d8e7f60512233445566778899aabbccddeeff00&x=1",
            "?X-Amz-Signature=[masked:secret]&x=1",
        ),
        ("https://a.test/?api_key=KEY&page=2", "https://a.test/?api_key=[masked:secret]&page=2"),
        ("api_key: KEY", "api_key: [masked:secret]"),
        ("x-api-key: KEY", "x-api-key: [masked:secret]"),
        ("SECRET_KEY='KEY'", "SECRET_KEY='[masked:secret]'"),
        ("aws_secret_access_key = KEY", "aws_secret_access_key = [masked:secret]"),
        ("secretAccessKey: \"KEY\"", "secretAccessKey: \"[masked:secret]\""),
        ("config[\"client_secret\"] = \"KEY\"", "config[\"client_secret\"] = \"[masked:secret]\""),
        ("token := \"KEY\"", "token := \"[masked:secret]\""),
        ("Authorization: Bearer KEY", "Authorization: Bearer [masked:authorization]"),
        (
            "\"Authorization\": \"Basic dXNlcjpwYXNz\"",
            "\"Authorization\": \"Basic [masked:authorization]\"",
        ),
        (
            "curl -H 'authorization: bearer KEY'",
            "curl -H 'authorization: bearer [masked:authorization]'",
        ),
        ("postgres://ana:pa@ss@db:5432/x", "postgres://ana:[masked:url-password]@db:5432/x"),
        ("amqp://:hush@queue", "amqp://:[masked:url-password]@queue"),
        ("card 4111 1111 1111 1111 until May", "card [masked:card-number] until May"),
        ("3782-822463-10005", "[masked:card-number]"),
    ] {
        let text = text.replace("KEY", &key).replace(&join(&["api_", &key]), "api_KEY");
        let text = text.replace(&join(&["SECRET_", &key]), "SECRET_KEY");
        let masked = mask_text(&text).map(|(masked, _)| masked);
        assert_eq!(masked.as_deref(), Some(expect), "{text}");
        assert_eq!(mask_text(expect), None, "masking again changes nothing");
    }
}

#[test]
fn what_only_resembles_a_secret_stays() {
    let hash = random(HEX, 40);
    let base64 = mixed(4000);
    for text in [
        "The password: see the blue note in the drawer.",
        "password: monday",
        "Enter your password: then press return.",
        "password = get_password_v2()",
        "password = password2",
        "password: ${DB_PASSWORD}",
        "password=<your-password>",
        "password: ********",
        "password = os.environ[\"PW2\"]",
        "password: /run/secrets/db1",
        "token = parser.next()",
        "token = self.tokens[3]",
        "let token = tokenizer2.next_token();",
        "max_tokens: 4096, tokenizer: cl100k_base",
        "token: 2025-06-02T08:00:00Z",
        "token: 550e8400-e29b-41d4-a716-446655440000",
        "secret: b3:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
        "api_key = process.env.API_KEY1",
        "const DONT_EXPIRE_PASSWORD: u32 = 131072u32;",
        "const NEED_KEY_PASSWORD: STATUS = 0xC00002DF_u32 as _;",
        "pub CompleteAuthToken: SpCompleteAuthTokenFn,",
        "const InheritPrivateKey: X509RequestInheritOptions = 3i32;",
        "token_timeout: 3600s, password_expiry = 90d",
        "secret santa: Ben2",
        "The secret: patience and 3 eggs.",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "id 550e8400-e29b-41d4-a716-446655440000",
        "b3:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
        "/home/ana/photos/2025-06-02/IMG_20250602_140312.jpg",
        "2025-06-02T14:03:12.123456+02:00",
        "https://example.test/path?x=1#y and ana@example.test",
        "http://localhost:8080/@ana:ben",
        "ssh://git@host:22/repo",
        "the bearer of good news and a basic understanding",
        "Bearer token authentication is used here",
        "sk-learn-style-estimators-with-many-hyphens-and-words",
        "npm_config_registry and hf_hub_download",
        "1234 5678 9012 3456",
        "0x4111 1111 1111 1111 1111",
        "call 0800 1111 2222",
        "mixed é ü 漢字 text: password: 漢字漢字漢字",
        "",
    ] {
        assert_eq!(mask_text(text), None, "{text}");
    }
    assert_eq!(mask_text(&join(&["git show ", &hash])), None);
    assert_eq!(mask_text(&join(&["![x](data:image/png;base64,", &base64, ")"])), None);
}

#[test]
fn every_string_of_a_record_is_masked_and_reported_without_the_secret() {
    let secret = join(&["gh", "p_", &mixed(36)]);
    let sentence = join(&["see ", &secret, " there"]);
    let mut record = evidence();
    record.source_uid = sentence.clone();
    record.actor = Some(sentence.clone());
    record.summary = sentence.clone();
    record.payload = Payload {
        text: sentence.clone(),
        captions: vec![String::new(), sentence.clone()],
        title: Some(sentence.clone()),
        session: Some(sentence.clone()),
        session_title: Some(sentence.clone()),
        participants: vec![sentence.clone()],
        tags: vec![sentence.clone()],
        links: vec![sentence.clone()],
        location: Some(Location { label: Some(sentence.clone()), lat: None, lon: None }),
        ..Payload::default()
    };
    record.payload.more.insert(
        "config".into(),
        json!({ "a": [1, { "b": sentence }], "password": "tulip77bridge" }),
    );
    record.payload.more.insert(secret.clone(), json!(true));
    let masked = mask(record);
    let json = serde_json::to_string(masked.get()).unwrap();
    assert!(!json.contains(&secret) && !json.contains("tulip77bridge"), "{json}");
    assert!(!format!("{masked:?}").contains(&secret));
    let fields: Vec<_> = masked.secrets().iter().map(|masked| masked.field.as_str()).collect();
    let expect = "source_uid actor summary text captions[1] title session session_title participants[0] tags[0] \
                  links[0] location.label more config.a[1].b config.password";
    assert_eq!(fields.join(" "), expect);
    assert_eq!(mask(masked.into_inner()).secrets(), [], "masking again changes nothing");
}

#[test]
fn a_secret_cut_in_half_by_the_summary_is_masked_there_too() {
    let secret = join(&["ey", "J", &mixed(300), ".ey", "J", &mixed(300), ".", &mixed(43)]);
    let mut record = evidence();
    record.summary = summarize(&secret);
    assert!(record.summary.ends_with('…'));
    record.payload.text = secret;
    assert_eq!(mask(record).get().summary, "[masked:jwt]…");
}

#[test]
fn deeply_nested_values_are_walked_without_recursion() {
    let mut value = json!(join(&["gh", "p_", &mixed(36)]));
    for _ in 0..2_000 {
        value = Value::Array(vec![value]);
    }
    let mut record = evidence();
    record.payload.more.insert("deep".into(), value);
    assert_eq!(mask(record).secrets().len(), 1);
}

#[test]
fn a_very_long_key_is_named_by_its_beginning_for_each_of_its_values() {
    let key = "k".repeat(100_000);
    let mut record = evidence();
    record
        .payload
        .more
        .insert(key.clone(), json!([{ key: "postgres://ana:tulip77@db/garden" }, 1]));
    let fields: Vec<String> =
        mask(record).secrets().iter().map(|masked| masked.field.clone()).collect();
    assert_eq!(fields, [format!("{0}[0].{0}", "k".repeat(256))]);
}

#[test]
fn hostile_text_costs_no_more_than_ordinary_text() {
    let begin = join(&["-----BEG", "IN PRIVATE KEY-----"]);
    for pattern in [
        begin.as_str(),
        "eyJ",
        "eyJ.eyJ",
        "password=",
        "secret:",
        "sk-",
        "://a:",
        "1234 ",
        "bearer a",
        "-----",
        "token=\"",
        ":AA",
    ] {
        let text = pattern.repeat(400_000 / pattern.len());
        // The best of three: what else the machine does is not measured.
        let took = (0..3).map(|_| {
            let started = std::time::Instant::now();
            let _ = mask_text(&text);
            started.elapsed()
        });
        let is_fast = took.map(|took| took.as_secs() < 5).find(|is_fast| *is_fast);
        assert!(is_fast.is_some(), "{pattern:?} takes 5 s or more");
    }
}

#[test]
fn no_text_makes_a_rule_fall() {
    let pieces = [
        "password",
        "=",
        ":",
        " ",
        "\"",
        "eyJ",
        ".",
        "Bearer ",
        "://",
        "@",
        "sk-",
        "AKIA",
        "é",
        "漢",
        "\u{202f}",
        "\n",
        "a8F3kd92LmQ0xY7",
        "-----BEGIN ",
        "PRIVATE KEY-----",
        "4111 1111 1111 1111",
        "\\",
        "--token ",
        "[masked:",
        "]",
        "2025-06-02",
        "…",
    ];
    let mut state = 11_u64;
    for _ in 0..1_500 {
        let text: String = (0..12)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                pieces[(state >> 33) as usize % pieces.len()]
            })
            .collect();
        if let Some((masked, kinds)) = mask_text(&text) {
            assert!(!kinds.is_empty());
            assert!(masked.matches("[masked:").count() >= kinds.len(), "{text:?}");
        }
        let mut record = evidence();
        record.summary = summarize(&text);
        record.payload.text = text;
        mask(record);
    }
}
