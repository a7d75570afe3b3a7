//! Secrets behind a label that is above them, in another cell of a table, or in another language;
//! keys that are known by their bytes alone; beside each, what only resembles them.

use serde_json::{Value, json};

use super::further_tests::{check_kept, check_linear, check_masked, masked};
use super::mask_body;

#[test]
fn a_capitalised_word_alone_behind_a_label_is_masked() {
    check_masked(&[
        ("password: Sunshine", "password: [masked:password]"),
        ("- WiFi password: Sunshine.\nnext", "- WiFi password: [masked:password].\nnext"),
        ("Passwort: Sonnenblume", "Passwort: [masked:password]"),
        ("**Password:** Dragonfly", "**Password:** [masked:password]"),
        ("the password for the guests: Sunshine", "the password for the guests: [masked:password]"),
        ("Password: Revolution", "Password: [masked:password]"),
        ("Password: Resettled77", "Password: [masked:password]"),
        ("Password: Trinity", "Password: [masked:password]"),
        ("password: 48213377", "password: [masked:password]"),
        ("my password is 482193", "my password is [masked:password]"),
    ]);
    check_kept(&[
        "password: String",
        "password: Option",
        "password: Buffer",
        "Password: Required",
        "Password: Optional",
        "Password: Unknown",
        "Password: Forgotten",
        "Password: Reset",
        "Password: Changed",
        "Password: Protected",
        "Password: Manager",
        "Password: Policy",
        "Password: Requirements",
        "- Password: Recovery",
        "**Password:** Generator",
        "Password: Verification",
        "Password: Mismatch",
        "Password: Enter",
        "| Password | Alphanumeric |",
        "Password:\nConfirmation\n",
        "Passwort: Pflichtfeld",
        "Passwort: Zurücksetzen",
        "Kennwort: Richtlinien",
        "Password: Postgres",
        "Passwort: Vergessen",
        "my password is the name of my dog",
        "my password is the name of my dog.",
        "my password is Ana's birthday",
        "Password: on the fridge",
        "Password: ask Ana",
        "# Password\n\nOurs is written on the note.",
        "# Secrets\n\nSunflower seeds",
        "pass,fail",
        "secret,ingredient",
        "Password | Strength",
        "password: 1200 attempts a minute",
        "the password is 12 characters long",
        "min_password: 8",
        "the password field is 2048 bytes",
    ]);
}

#[test]
fn a_quoted_phrase_of_three_words_is_masked() {
    check_masked(&[
        ("password: \"tulip bridge walk\"", "password: \"[masked:password]\""),
        ("my password is \"tulip bridge walk\"", "my password is \"[masked:password]\""),
        ("the passphrase is 'kiln glaze harbour'.", "the passphrase is '[masked:password]'."),
        ("Passwort: „tulpe brücke spaziergang“", "Passwort: „[masked:password]“"),
        ("{\"password\": \"tulip bridge walk\"}", "{\"password\": \"[masked:password]\"}"),
    ]);
    check_kept(&[
        "\"password\": \"enter new value\"",
        "\"password\": \"invalid login data\"",
        "\"password\": \"too many attempts\"",
        "\"password\": \"repeat login again\"",
        "\"password\": \"field cannot empty\"",
        "\"password\": \"minimum eight characters\"",
        "password: \"required when creating\"",
        "\"token\": \"tulip bridge walk\"",
        "Password: ask ana tomorrow",
        "Password:\nask ana tomorrow",
    ]);
}

#[test]
fn a_value_on_the_line_below_its_label_is_masked() {
    check_masked(&[
        ("Password:\ntulip77bridge\nnext", "Password:\n[masked:password]\nnext"),
        ("WiFi password:\n\n  Sunshine\n", "WiFi password:\n\n  [masked:password]\n"),
        ("# WiFi password\n\ntulip77bridge\n", "# WiFi password\n\n[masked:password]\n"),
        ("**Password**\r\ntulip77bridge", "**Password**\r\n[masked:password]"),
        ("- Router password:\n  - tulip77bridge", "- Router password:\n  - [masked:password]"),
        ("API key:\nqW3eR5tY7uI9oP1aS2dF", "API key:\n[masked:secret]"),
        ("Password:\n`correct horse battery staple`", "Password:\n`[masked:password]`"),
        ("пароль:\ntulip77bridge", "пароль:\n[masked:password]"),
        ("PIN:\n4821\n", "PIN:\n[masked:pin]\n"),
        ("# Door code\n\n4821#\n", "# Door code\n\n[masked:pin]#\n"),
    ]);
    check_kept(&[
        "password:\n  secretKeyRef:\n    name: db",
        "password:\n  type: string",
        "Password:\nRequired",
        "# Password\n\nHow it is stored.",
        "# Passwords2\n\nargon2id",
        "password:\n- minimum\n- maximum",
        "let password =\n    get_password_v2();",
        "login(\n    password,\n    user2,\n)",
        "    password\n    user2name\n",
        "password:\n  <input2>",
        "Password:\n\n\n\ntulip77bridge",
        "Token:\nsrc/lib2.rs",
        "PIN:\n2024-05-01",
    ]);
}

#[test]
fn a_value_in_the_cell_after_its_label_is_masked() {
    check_masked(&[
        ("| Password | tulip77bridge |", "| Password | [masked:password] |"),
        (
            "| user | ana |\n| WiFi password | Sunshine |\n",
            "| user | ana |\n| WiFi password | [masked:password] |\n",
        ),
        ("| **Password** | `tulip77bridge` |", "| **Password** | `[masked:password]` |"),
        ("Password | tulip77bridge", "Password | [masked:password]"),
        ("password,tulip77bridge", "password,[masked:password]"),
        ("user;ana\npassword;tulip77bridge", "user;ana\npassword;[masked:password]"),
        ("\"password\",\"tulip77bridge\"", "\"password\",\"[masked:password]\""),
        ("user\tana\npassword\ttulip77bridge\n", "user\tana\npassword\t[masked:password]\n"),
        ("| пароль | tulip77bridge |", "| пароль | [masked:password] |"),
        ("| PIN | 4821 |", "| PIN | [masked:pin] |"),
        ("| door code | 4821 |", "| door code | [masked:pin] |"),
        ("card pin,4821", "card pin,[masked:pin]"),
    ]);
    check_kept(&[
        "| password | string | the password of the user |",
        "| password | String |",
        "| Password | Required |",
        "| `password` | `postgres` |",
        "| password | the one of the user |",
        "| password | yes |",
        "|password|see below|x|",
        "f(user, password, sha256sum)",
        "password, sha256sum",
        "| pin | 13 |",
        "| token | sha256 |",
    ]);
}

#[test]
fn a_column_of_secrets_is_masked() {
    check_masked(&[
        (
            "| site | user | password |\n|---|---|---|\n| a.test | ana | tulip77bridge |\n| b.test | ben | Sunshine |\n\nMore.",
            "| site | user | password |\n|---|---|---|\n| a.test | ana | [masked:password] |\n| b.test | ben | [masked:password] |\n\nMore.",
        ),
        (
            "name,url,username,password,note\nA,https://a.test,ana,tulip77,\nB,https://b.test,ben,\"tu,lip\"\"77\",x\nC,c.test,c,letmeinplease,\n",
            "name,url,username,password,note\nA,https://a.test,ana,[masked:password],\nB,https://b.test,ben,\"[masked:password]\",x\nC,c.test,c,[masked:password],\n",
        ),
        (
            "user\tPIN\r\nana\t4821\r\nben\t9377\r\n",
            "user\tPIN\r\nana\t[masked:pin]\r\nben\t[masked:pin]\r\n",
        ),
        (
            "login;Passwort\nana;tulpe77x\nben;48213377\n",
            "login;Passwort\nana;[masked:password]\nben;[masked:password]\n",
        ),
        ("service | api key\nA | qW3eR5tY7uI9oP1aS2dF", "service | api key\nA | [masked:secret]"),
        (
            "| сайт | логин | пароль |\n|---|---|---|\n| a.test | ana | tulip77 |",
            "| сайт | логин | пароль |\n|---|---|---|\n| a.test | ana | [masked:password] |",
        ),
    ]);
    check_kept(&[
        "| feature | password | token |\n|---|---|---|\n| supported | yes | no |\n| since | 1.2.0 | 2024 |",
        "| name | type | password |\n|---|---|---|\n| login | string | required |",
        "| user | password attempts |\n|---|---|\n| ana77x | tries12 |",
        "pub mod mask_password;\npub mod normalize;\npub mod percent_encode;",
        "user, password, host\nand then, of course2day, it",
        "use a::{user, password, token2};\nuse b::{c1, d2d2d2, e3};",
        "    user, password, token,\n    host1, port2a, uri3",
        "INSERT INTO t (name, password) VALUES\n(a, b77777c)",
        "| Test | Pass |\n|---|---|\n| unit1 | 12of14 |",
        "Pass:\n12of14",
        "name,city,PIN\nAna,Bengaluru,560001\n",
        "word;token\nx;covid19vaccine\n",
        "| Pin | Function |\n|---|---|\n| 13 | LED |",
        "| Username | Password |\n|---|---|\n| admin | password |\n| user | changeme |",
        "",
    ]);
}

#[test]
fn labels_in_russian_chinese_japanese_and_korean_are_known() {
    check_masked(&[
        ("пароль: солнышко", "пароль: [masked:password]"),
        ("Пароль от вайфая: котёнок77", "Пароль от вайфая: [masked:password]"),
        ("пароль: kotenok", "пароль: [masked:password]"),
        ("мой пароль — tulip77bridge", "мой пароль — [masked:password]"),
        ("пароль 482193", "пароль [masked:password]"),
        ("пароль tulip77bridge", "пароль [masked:password]"),
        ("Пароль \"солнышко77\"", "Пароль \"[masked:password]\""),
        ("пин-код 4821", "пин-код [masked:pin]"),
        ("Пин-код: 4821", "Пин-код: [masked:pin]"),
        ("ПИН-код моей карты — 4821.", "ПИН-код моей карты — [masked:pin]."),
        ("пинкод от карты 4821", "пинкод от карты [masked:pin]"),
        ("PIN-код 4821", "PIN-код [masked:pin]"),
        ("код от домофона: 4821", "код от домофона: [masked:pin]"),
        ("пін-код: 4821", "пін-код: [masked:pin]"),
        ("パスワード：himawari", "パスワード：[masked:password]"),
        ("パスワードは482193です", "パスワードは[masked:password]です"),
        ("暗証番号は4821です", "暗証番号は[masked:pin]です"),
        ("暗証番号：4821", "暗証番号：[masked:pin]"),
        ("PINコード: 4821", "PINコード: [masked:pin]"),
        ("密码：482193", "密码：[masked:password]"),
        ("银行卡密码是4821。", "银行卡密码是[masked:password]。"),
        ("密码: xiangrikui", "密码: [masked:password]"),
        ("我的PIN码是4821", "我的PIN码是[masked:pin]"),
        ("门禁密码：4821#", "门禁密码：[masked:password]"),
        ("비밀번호: 4821", "비밀번호: [masked:password]"),
        ("비밀번호는 4821입니다", "비밀번호는 [masked:password]입니다"),
        ("비밀번호: haebaragi", "비밀번호: [masked:password]"),
        ("핀번호: 4821", "핀번호: [masked:pin]"),
    ]);
    check_kept(&[
        "пароль: неверный",
        "Пароль: обязательно",
        "пароль забыт",
        "пароль user2name не подходит",
        "пароль: не менее 8 символов",
        "пароль — это секрет",
        "мой пароль — имя моей собаки",
        "Пароль изменён в 2024 году",
        "пин 13 — светодиод",
        "код ошибки 4041",
        "пингвин 4821",
        "パスワード: 必須",
        "パスワードを忘れた",
        "パスワードは8文字以上です",
        "密码：必填",
        "密码是什么",
        "密码：不能为空",
        "密码长度为1024位",
        "密码是我家狗的名字",
        "비밀번호: 필수",
        "비밀번호: 8자 이상",
        "비밀번호는 우리 개 이름이다",
        "密码学 2024",
        "密码在抽屉里",
        "パスワードはメモにあります",
        "비밀번호는 서랍에 있어요",
        "Пароль: спросить у Ани",
        "код двери 2024 года",
    ]);
}

#[test]
fn a_pin_is_masked_however_the_sentence_names_it() {
    check_masked(&[
        ("the PIN of my card is 4821", "the PIN of my card is [masked:pin]"),
        ("The pin for my phone is 482193.", "The pin for my phone is [masked:pin]."),
        ("the code for the front door is 4821", "the code for the front door is [masked:pin]"),
        ("PIN for the safe: 4821", "PIN for the safe: [masked:pin]"),
        ("die PIN meiner Karte ist 4821", "die PIN meiner Karte ist [masked:pin]"),
        ("el PIN de mi tarjeta es 4821", "el PIN de mi tarjeta es [masked:pin]"),
        ("le code PIN de ma carte est 4821", "le code PIN de ma carte est [masked:pin]"),
        ("{\"pin\": \"4821\"}", "{\"pin\": \"[masked:pin]\"}"),
        ("{\"pin\": 4821}", "{\"pin\": [masked:pin]}"),
        ("{\"card_pin\":\"4821\",\"a\":1}", "{\"card_pin\":\"[masked:pin]\",\"a\":1}"),
        ("{'pin_code': '4821'}", "{'pin_code': '[masked:pin]'}"),
        ("{\\\"pin\\\": \\\"4821\\\"}", "{\\\"pin\\\": \\\"[masked:pin]\\\"}"),
        ("{\"cvv\":\"123\"}", "{\"cvv\":\"[masked:pin]\"}"),
        ("PIN=4821", "PIN=[masked:pin]"),
        ("Pincode of my card: 4821", "Pincode of my card: [masked:pin]"),
        ("PUK: 12345678", "PUK: [masked:pin]"),
        ("<pin>4821</pin>", "<pin>[masked:pin]</pin>"),
    ]);
    check_kept(&[
        "{\"pin\": 13}",
        "{\"pincode\": \"560001\"}",
        "{\"pin_code\": \"560001\"}",
        "{\"pin\": \"A0\"}",
        "{\"pinned\": \"4821\"}",
        "the pin of the board is 4821 mm long",
        "the code for the parser is 4821 lines long",
        "the code of the error is 4041",
        "the PIN of my card is four digits",
        "pin to 2024.1",
        "the pins of the chip are 4821",
        "\"spin\": \"4821\"",
    ]);
}

#[test]
fn keys_of_letters_alone_are_masked_behind_their_labels() {
    check_masked(&[
        ("api_key: kjhqwxcvbnmzsdfghqwp", "api_key: [masked:secret]"),
        ("API_KEY=QZXWVKJHPTRMBNGFDSLC", "API_KEY=[masked:secret]"),
        ("api key: xKqWzPvRtJmBnHgFd", "api key: [masked:secret]"),
        ("secret = \"vxkzqjwhbtrpmnfgdclkw\"", "secret = \"[masked:secret]\""),
        ("the API key is kjhqwxcvbnmzsdfghqwp.", "the API key is [masked:secret]."),
        ("{\"token\": \"zxqvkjwpbhtgmnrfdlcx\"}", "{\"token\": \"[masked:secret]\"}"),
    ]);
    check_kept(&[
        "api_key: internationalization",
        "token: characteristically",
        "secret = uncopyrightablenesses",
        "API_KEY=PRODUCTIONENVIRONMENT",
        "token: ExpressionStatement",
        "token: TemplateMiddleOrTail",
        "token = tokenizerFactory",
        "access_key: httpsRequestHandler",
        "secret: KubernetesSecretsManager",
        "token: hasOwnProperty",
        "secret: Geschwindigkeitsbegrenzung",
        "token: SyntaxKindEndOfFile",
    ]);
}

/// Base64 that looks random, the same at every run.
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

fn lines_of(text: &str, before: &str) -> String {
    text.as_bytes()
        .chunks(64)
        .map(|line| format!("{before}{}\n", str::from_utf8(line).unwrap()))
        .collect()
}

#[test]
fn a_key_whose_header_is_missing_is_masked() {
    let footer = ["-----E", "ND RSA PRIVATE KEY-----"].concat();
    let body = base64(64 * 5 + 20);
    for before in ["", "> ", "  "] {
        let text = format!("here it is\n{}{before}{footer}\nkeep it", lines_of(&body, before));
        let found = masked(&text);
        let rest = found.replace([' ', '>'], "");
        assert_eq!(rest, "hereitis\n[masked:private-key]\nkeepit", "{before:?}: {found}");
    }
    for (begin, length) in [
        ("MIIEpAIBAAKCAQEA", 1_500),
        ("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", 1_500),
        ("MIIJKQIBAAKCAgEA", 3_000),
        ("MIIBOgIBAAJB", 400),
        ("MHcCAQEEI", 155),
        ("MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0w", 145),
        ("MC4CAQAwBQYDK2VwBCIEI", 43),
        ("b3BlbnNzaC1rZXktdjEA", 500),
    ] {
        let key = format!("{begin}{}", base64(length));
        for text in [format!("{key}\n"), lines_of(&key, ""), lines_of(&key, "> ")] {
            let text = format!("here it is:\n\n{text}\nPlease keep it safe.\n");
            let found = masked(&text);
            assert!(found.contains("[masked:private-key]"), "{text}\n{found}");
            let leaked = (0..key.len() - 12).find(|at| found.contains(&key[*at..at + 12]));
            assert_eq!(leaked, None, "{text}\n{found}");
            assert!(found.ends_with("Please keep it safe.\n"), "{found}");
        }
    }
    let certificate_end = ["-----E", "ND CERTIFICATE-----"].concat();
    let public_end = ["-----E", "ND PUBLIC KEY-----"].concat();
    check_kept(&[
        &format!("MIIDxTCCAq2gAwIBAgIQ{}\n", base64(700)),
        &format!("{}{certificate_end}", lines_of(&body, "")),
        &format!("MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA{}\n", base64(300)),
        &format!("{}{public_end}", lines_of(&body, "")),
        &format!("The text ends with {footer} then."),
        "MHcCAQEEI and MIIEpAIBAAKCAQEA begin keys.",
    ]);
}

#[test]
fn words_that_recover_a_wallet_are_masked_by_further_names() {
    let words = "witch collapse practice feed shame open despair creek road again ice least";
    let samples = [
        "BIP39: WORDS",
        "BIP-39 WORDS",
        "My 12 words: WORDS",
        "seed-phrase:\n\nWORDS",
        "secret recovery phrase\nWORDS",
        "| seed phrase | WORDS |",
        "Wallet backup: WORDS",
        "Wiederherstellungsphrase: WORDS",
        "frase semilla: WORDS",
        "phrase de récupération : WORDS",
        "сид-фраза: WORDS",
        "助记词：WORDS",
        "{\"mnemonic\": \"WORDS\"}",
    ];
    for sample in samples {
        let text = sample.replace("WORDS", words);
        assert_eq!(masked(&text), text.replace(words, "[masked:seed-phrase]"), "{text}");
    }
    check_kept(&[
        "Seed: the random number generator begins with the same number for each test run here",
        "Here are 12 words: they show nothing, and are part of this sentence, and so on it goes",
        "Seed: tomatoes, peppers, beans, peas, corn, squash, kale, chard, onion, garlic, leek, basil",
        "seed: tomatoes peppers beans peas corn squash kale chard onion garlic leek basil",
        "Shopping words: apples pears milk bread butter cheese yogurt cereal coffee sugar flour salt",
    ]);
}

fn masked_in_fields(fields: &Value) -> (Value, Vec<String>) {
    let body = super::tests::body("annotation", fields);
    let masked = mask_body(body);
    let kinds = masked.secrets().iter().map(|secret| secret.kind.to_string()).collect();
    (serde_json::from_slice(&masked.get().canonical().unwrap()).unwrap(), kinds)
}

#[test]
fn values_under_keys_of_pins_are_masked_in_structured_data() {
    let (fields, kinds) = masked_in_fields(&json!({
        "pin": "4821", "a": [{ "card_pin": 4821 }], "cvv": 123, "pins": "4821", "spin": 4821,
        "password": 48213377, "pinned": 4821, "gpio": { "pin": 13 }, "pin_code": "560001",
    }));
    assert_eq!(
        fields,
        json!({
            "pin": "[masked:pin]", "a": [{ "card_pin": "[masked:pin]" }], "cvv": "[masked:pin]",
            "pins": "4821", "spin": 4821, "password": "[masked:password]", "pinned": 4821,
            "gpio": { "pin": 13 }, "pin_code": "560001",
        })
    );
    assert_eq!(kinds.len(), 4);
}

#[test]
fn labels_tables_and_keys_are_masked_in_linear_time() {
    let footer = ["-----E", "ND RSA PRIVATE KEY-----"].concat();
    let line = base64(64);
    let patterns = [
        "password\n",
        "password:\n",
        "password:\n\n",
        "password|",
        "password,",
        "password\t",
        "password,user\n",
        "| password | a77777b |\n",
        "password,\"",
        "PIN of ",
        "\"pin\":",
        "пароль —",
        "密码：",
        "暗証番号は",
        "код от ",
        "api_key: kjhqwxcvbnmzsdfghqwp",
        "MIIEpAIBAAKCAQEA",
        "b3BlbnNzaC1rZXktdjEA",
        "BIP39 witch ",
        "seed: ",
        &footer,
        &format!("{line}\n"),
        &format!("{line}\n{footer}\n"),
        &format!("MIIEpAIBAAKCAQEA{line}\n"),
    ];
    check_linear(&patterns, 7_500);
}
