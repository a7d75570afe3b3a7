//! Secrets in sentences, commands and files of settings, tokens of many services, and card numbers
//! without groups; beside each, what only resembles them. Samples are joined from pieces so that no
//! scanner takes this file for a leak.

use super::mask_text;

const MIXED: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const HEX: &str = "0123456789abcdef";
const DIGITS: &str = "0123456789";

/// Characters that look drawn, the same at every run.
fn random(alphabet: &str, length: usize) -> String {
    let alphabet = alphabet.as_bytes();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    (0..length)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            char::from(alphabet[(state % alphabet.len() as u64) as usize])
        })
        .collect()
}

fn mixed(length: usize) -> String {
    random(MIXED, length)
}

fn hex(length: usize) -> String {
    random(HEX, length)
}

fn uuid() -> String {
    let hex = hex(32);
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

pub(super) fn masked(text: &str) -> String {
    mask_text(text).map_or_else(|| text.to_owned(), |(masked, _)| masked)
}

#[track_caller]
pub(super) fn check_masked(samples: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (text, expect) in samples {
        let found = masked(text);
        if found != *expect {
            wrong.push(format!("{text:?}\n  expected {expect:?}\n  found    {found:?}"));
        } else if masked(&found) != found {
            wrong.push(format!("{found:?} is masked again"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[track_caller]
pub(super) fn check_kept(texts: &[&str]) {
    let wrong: Vec<String> = texts
        .iter()
        .filter_map(|text| Some(format!("{text:?}\n  {:?}", mask_text(text)?.0)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn passwords_in_sentences_are_masked() {
    check_masked(
        &[
            ("my password is hunter2", "my password is [masked:password]"),
            ("My password is tulipbridge.", "My password is [masked:password]."),
            (
                "the password for the guest Wi-Fi is tulip77bridge, ask Ana",
                "the password for the guest Wi-Fi is [masked:password], ask Ana",
            ),
            (
                "The password for the router was swordfish and nobody knew it.",
                "The password for the router was [masked:password] and nobody knew it.",
            ),
            ("password for the NAS: kilnglaze", "password for the NAS: [masked:password]"),
            (
                "Our Netflix password is now Kiln-And-Glaze!42",
                "Our Netflix password is now [masked:password]",
            ),
            (
                "I changed my password to tulip77bridge yesterday",
                "I changed my password to [masked:password] yesterday",
            ),
            (
                "the password has been changed to tulip77bridge",
                "the password has been changed to [masked:password]",
            ),
            ("Ana's password is p@ssel-mot.", "Ana's password is [masked:password]."),
            ("my password: letmein", "my password: [masked:password]"),
            (
                "our passphrase is correct-horse-battery-staple.",
                "our passphrase is [masked:password].",
            ),
            ("The password is \"tulips bridge walk77\".", "The password is \"[masked:password]\"."),
            ("the password is “tulip77bridge”", "the password is “[masked:password]”"),
            ("the API key is KEY, keep it", "the API key is [masked:secret], keep it"),
            ("use the token KEY for now", "use the token [masked:secret] for now"),
            ("mein Passwort ist Sonnenblume", "mein Passwort ist [masked:password]"),
            ("Das Kennwort lautet tulpe77", "Das Kennwort lautet [masked:password]"),
            ("le mot de passe est tulipe77", "le mot de passe est [masked:password]"),
            ("la contraseña es tulipan77", "la contraseña es [masked:password]"),
            ("a senha é tulipa77", "a senha é [masked:password]"),
            ("la mia password è tulipano77", "la mia password è [masked:password]"),
            ("het wachtwoord is tulp1234", "het wachtwoord is [masked:password]"),
            ("мой пароль: tulip77bridge", "мой пароль: [masked:password]"),
            ("我的密码是tulip77bridge", "我的密码是[masked:password]"),
            ("密码：tulip77bridge。", "密码：[masked:password]。"),
            ("パスワードはtulip77bridge", "パスワードは[masked:password]"),
        ]
        .map(|(text, expect)| (text.replace("KEY", &mixed(40)), expect))
        .iter()
        .map(|(text, expect)| (text.as_str(), *expect))
        .collect::<Vec<_>>(),
    );
}

#[test]
fn sentences_about_passwords_stay() {
    check_kept(&[
        "My password is wrong.",
        "my password is expired, so I called them",
        "The password is stored in the vault.",
        "the password is required.",
        "The password is not the problem.",
        "If the password is missing, the server answers 401.",
        "The password for the database is kept in the drawer.",
        "Our password policy is strict.",
        "The password is hashed with bcrypt.",
        "The password is sha256 of the salt.",
        "your password is tulip.",
        "Set the password to expire after a year.",
        "I changed my password to something longer.",
        "reset your password to continue",
        "The token is valid for 3600 seconds.",
        "The secret is patience and 3 eggs.",
        "the token is invalidated, and a new one is sent",
        "A token is a word or a piece of one.",
        "my pass is valid until 2027",
        "Boarding pass: gate 12, seat 14C",
        "first pass: 12 of 14 tests, second pass: 14",
        "The parser makes one pass: read, then fold.",
        "mein Passwort ist falsch.",
        "le mot de passe est incorrect.",
        "la parola è importante",
        "Das Passwort muss mindestens 8 Zeichen haben.",
        "密码是什么",
        "We talked about the password for an hour and it was fun.",
    ]);
}

#[test]
fn names_of_settings_give_their_values_away() {
    let key = mixed(40);
    let samples = [
        ("DB_PASSWORD=letmeinplease", "DB_PASSWORD=[masked:password]"),
        ("export PGPASSWORD=letmein", "export PGPASSWORD=[masked:password]"),
        (
            "docker run -e MYSQL_ROOT_PASSWORD=letmein db",
            "docker run -e MYSQL_ROOT_PASSWORD=[masked:password] db",
        ),
        ("DB_PASSWORD=\"letmeinplease\"", "DB_PASSWORD=\"[masked:password]\""),
        ("db.password=letmeinplease\nnext=1", "db.password=[masked:password]\nnext=1"),
        ("{\"password\":\"letmeinplease\"}", "{\"password\":\"[masked:password]\"}"),
        ("pw: hunter2", "pw: [masked:password]"),
        ("user: ana\npass: hunter2", "user: ana\npass: [masked:password]"),
        ("pwd=tulip77bridge", "pwd=[masked:password]"),
        ("smtpPass: 'tulip77bridge'", "smtpPass: '[masked:password]'"),
        ("SMTP_PASS=tulip77bridge", "SMTP_PASS=[masked:password]"),
        ("Kennwort: tulpe77", "Kennwort: [masked:password]"),
        ("Passwort: tulpe77", "Passwort: [masked:password]"),
        ("Mot de passe : tulipe77", "Mot de passe : [masked:password]"),
        ("Contraseña: tulipan77", "Contraseña: [masked:password]"),
        ("hasło: tulipan77", "hasło: [masked:password]"),
        ("password: Tr0ub(4dor&3", "password: [masked:password]"),
        ("password: (tu1ip)Br1dge", "password: [masked:password]"),
        ("password: $ummer2024!", "password: [masked:password]!"),
        ("password: $ecret99", "password: [masked:password]"),
        ("ftp://ana:$ecret99@host", "ftp://ana:[masked:url-password]@host"),
        ("password: '$tr0ngPa55'", "password: '[masked:password]'"),
        ("password: \"tulip bridge 77\"", "password: \"[masked:password]\""),
        ("password = 'correct horse battery staple'", "password = '[masked:password]'"),
        ("password: myExample77Tulip", "password: [masked:password]"),
        ("password: your77tulips!", "password: [masked:password]!"),
        ("{\"password\":\"example-tulip-77-bridge#\"}", "{\"password\":\"[masked:password]\"}"),
        ("Password (Wi-Fi): tulip77bridge", "Password (Wi-Fi): [masked:password]"),
        ("AWS Secret Access Key [None]: KEY", "AWS Secret Access Key [None]: [masked:secret]"),
        (
            "AWS Secret Access Key [****************ABCD]: KEY",
            "AWS Secret Access Key [****************ABCD]: [masked:secret]",
        ),
        (
            "aws configure set aws_secret_access_key KEY",
            "aws configure set aws_secret_access_key [masked:secret]",
        ),
        ("aws_secret_access_key=KEY", "aws_secret_access_key=[masked:secret]"),
        (
            "Server=db;User Id=ana;Password=letmein;Encrypt=no",
            "Server=db;User Id=ana;Password=[masked:password];Encrypt=no",
        ),
        ("Server=db;Uid=ana;Pwd=tulips;", "Server=db;Uid=ana;Pwd=[masked:password];"),
        (
            "host=db user=ana password=letmein dbname=x",
            "host=db user=ana password=[masked:password] dbname=x",
        ),
        (
            "https://a.test/login?user=ana&password=letmein&x=1",
            "https://a.test/login?user=ana&password=[masked:password]&x=1",
        ),
        (
            "Endpoint=sb://x.test/;SharedAccessKey=KEY=",
            "Endpoint=sb://x.test/;SharedAccessKey=[masked:secret]",
        ),
    ];
    let samples: Vec<(String, &str)> = samples
        .into_iter()
        .map(|(text, expect)| {
            (
                text.replace("KEY]", "\u{0}")
                    .replace("AWS_KEY", "\u{1}")
                    .replace(" KEY", &format!(" {key}"))
                    .replace("=KEY", &format!("={key}")),
                expect,
            )
        })
        .collect();
    check_masked(
        &samples.iter().map(|(text, expect)| (text.as_str(), *expect)).collect::<Vec<_>>(),
    );
}

#[test]
fn settings_and_code_without_a_secret_stay() {
    check_kept(&[
        "DB_PASSWORD=$DB_PASSWORD",
        "DB_PASSWORD=${DB_PASSWORD:-}",
        "DB_PASSWORD=$(cat /run/secrets/db)",
        "DB_PASSWORD=disabled",
        "MYSQL_ALLOW_EMPTY_PASSWORD=yes",
        "DB_PASSWORD=your_password_here",
        "DB_PASSWORD=<secret>",
        "PASSWORD=settings.DB_PASSWORD",
        "PASSWORD = getpass.getpass()",
        "password=your-password-123",
        "password: example",
        "api_key: your-api-key-2024-here",
        "password: $password",
        "password: $password12",
        "password = $_POST['password']",
        "password: &K3PASSWORD",
        "PASS: D3D12_RENDER_PASS_FLAGS = D3D12_RENDER_PASS_FLAGS(4i32);",
        "let secret = vld1q_u64(base.add(i * 2));",
        "let secret = vec![42u8; length];",
        "let secret = (words[0] ^ words[1]).into_u64();",
        "p->token = (char*)&buffer[1];",
        "generate_private_key: x25519_generate_private_key,",
        "AccessToken: WBEM_128BITS,",
        "if let Kind::Token(token) = &self.tokens2[0]",
        "let private_key: Curve25519SeedBin<'_> = seed",
        "use cancellation_token::{RunUntilCancelled2, Other};",
        "let raw = \"password:\\u{03B1}\";",
        "Authorization: Bearer valid_token",
        "headers={'Authorization': 'Bearer YOUR_ACCESS_TOKEN'}",
        "authorization.expect(\"Basic authentication is needed\")",
        "postgres://user:password@localhost/db",
        "https://user:pass@a.test",
        "curl -d \"username=testuser&password=testpass\" http://a.test",
        "password: %s",
        "password=%(password)s",
        "password: @password",
        "password=password, user=user",
        "connect(host=host, user=user, password=dbpass)",
        "let password = read_password(&mut input)?;",
        "assert_eq!(password, \"\");",
        "\"password\": \"Please enter your password\"",
        "\"password\": \"Passwort vergessen?\"",
        "\"password\": \"Must have at least 8 characters\"",
        "password: 'string'",
        "\"password\": \"required\", \"pwd\": \"changeme\"",
        "\"password\": \"contraseña\", \"passwort\": \"wachtwoord\"",
        "type=\"password\" autocomplete=\"current-password\"",
        "password=required\nnext=1",
        "bypass: true, compass: north24",
        "pass: true",
        "pass = pass + 1",
        "pass: stage-2",
        "pw = pw.trim()",
        "token: Option<String>",
        "token: impl Into<String>, secret: &[u8]",
        "fn token(&self) -> Token { self.token }",
        "if token == Token::Eof { break }",
        "the token X509RequestInheritOptions is exported",
        "see src/token/stream_parser_internal_v2.rs",
        "access key: the one on the blue ring",
        "secret key: none",
        "Secret Access Key [None]:",
    ]);
}

#[test]
fn passwords_in_commands_and_files_of_passwords_are_masked() {
    check_masked(&[
        ("curl -u ana:tulips https://a.test", "curl -u ana:[masked:password] https://a.test"),
        (
            "curl -s -u 'ana:tulip bridge' https://a.test",
            "curl -s -u 'ana:[masked:password]' https://a.test",
        ),
        (
            "curl --user ana:tulips https://a.test",
            "curl --user ana:[masked:password] https://a.test",
        ),
        (
            "curl \\\n  -u ana:tulips \\\n  https://a.test",
            "curl \\\n  -u ana:[masked:password] \\\n  https://a.test",
        ),
        ("mysql -u root -ptulips garden", "mysql -u root -p[masked:password] garden"),
        (
            "mysqldump -h db -u ana -p'tu lips' x > x.sql",
            "mysqldump -h db -u ana -p'[masked:password]' x > x.sql",
        ),
        ("sshpass -p tulips ssh ana@a.test", "sshpass -p [masked:password] ssh ana@a.test"),
        ("docker login -u ana -p tulips r.test", "docker login -u ana -p [masked:password] r.test"),
        ("redis-cli -h cache -a tulips ping", "redis-cli -h cache -a [masked:password] ping"),
        (
            "machine a.test login ana password tulips",
            "machine a.test login ana password [masked:password]",
        ),
        (
            "machine a.test\n  login ana\n  password tulips\n",
            "machine a.test\n  login ana\n  password [masked:password]\n",
        ),
        ("default login ana password tulips", "default login ana password [masked:password]"),
        ("db.test:5432:garden:ana:tulips", "db.test:5432:garden:ana:[masked:password]"),
        ("localhost:*:*:ana:tu:lips\nx", "localhost:*:*:ana:[masked:password]\nx"),
    ]);
    check_kept(&[
        "docker run -u 1000:1000 image",
        "docker run -u node:node image",
        "curl -u user:password https://a.test",
        "curl -u $USER:$PASSWORD https://a.test",
        "curl -u \"$USER:$PASSWORD\" https://a.test",
        "curl -u ana https://a.test",
        "sort -u a:b",
        "mkdir -p garden/tools",
        "mysql -u root -p garden",
        "mysql -h db -P 3306 -u root -p",
        "mysql -u root -p$PASSWORD garden",
        "cargo test -p because-importers",
        "docker run -p 5432:5432 -e X=1 db",
        "127.0.0.1:5432:5432",
        "listens on 0.0.0.0:5432: ready",
        "arn:aws:iam::*:role/reader",
        "the login page has a password field",
        "choose machine or login with a password manager",
    ]);
}

#[test]
fn tokens_of_many_services_are_masked() {
    let discord = ["MTIzNDU2Nzg5MDEyMzQ1Njc4", ".", "GaBcDe", ".", &mixed(38)].concat();
    let samples: Vec<Vec<String>> = [
        vec!["hv", "s.", &mixed(24)],
        vec!["hv", "s.CAESI", &mixed(90)],
        vec!["hv", "b.AAAAAQ", &mixed(100)],
        vec!["s", ".", &mixed(24)],
        vec!["dckr", "_pat_", &mixed(27)],
        vec!["dap", "i", &hex(32)],
        vec!["ATA", "TT3xFfGF0", &mixed(170), "=1A2B3C4D"],
        vec!["ATB", "B", &mixed(32)],
        vec!["gl", "sa_", &mixed(32), "_", &hex(8)],
        vec!["gl", "c_eyJ", &mixed(60)],
        vec!["sb", "p_", &hex(40)],
        vec!["tsk", "ey-auth-", &mixed(11), "CNTRL-", &mixed(32)],
        vec!["discord", ".com/api/webhooks/", "123456789012345678", "/", &mixed(68)],
        vec!["S", "K", &hex(32)],
        vec!["A", "C", &hex(32)],
        vec!["gl", "soat-", &mixed(20)],
        vec!["GR", "1348941", &mixed(20)],
        vec!["xo", "xc-", &random(DIGITS, 12), "-", &mixed(40)],
        vec!["1/", "/0", &mixed(60)],
        vec!["sk_", "", &hex(48)],
        vec!["s", "k-", &hex(32)],
        vec!["do", "o_v1_", &hex(64)],
        vec!["lin", "_oauth_", &hex(64)],
        vec!["sec", "ret_", &mixed(43)],
        vec!["fig", "d_", &mixed(43)],
        vec!["shp", "ss_", &hex(32)],
        vec!["sq0", "csp-", &mixed(43)],
        vec!["ke", "y-", &hex(32)],
        vec!["xkey", "sib-", &hex(64), "-", &mixed(16)],
        vec!["NR", "AK-", &random("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", 27)],
        vec!["dt0", "c01.", &mixed(24), ".", &mixed(64)],
        vec!["sntry", "u_", &hex(64)],
        vec!["PM", "AK-", &hex(24), "-", &hex(34)],
        vec!["ruby", "gems_", &hex(48)],
        vec!["sq", "p_", &hex(40)],
        vec!["pu", "l-", &hex(40)],
        vec!["dp", ".pt.", &mixed(43)],
        vec!["pscale", "_pw_", &mixed(43)],
        vec!["pat", &mixed(14), ".", &hex(64)],
        vec!["pat-", "na1-", &uuid()],
        vec!["sk-", "lf-", &uuid()],
        vec!["lsv2", "_pt_", &hex(32), "_", &hex(10)],
        vec!["pc", "sk_", &mixed(60)],
        vec!["r", "8_", &mixed(37)],
        vec!["ci", "o", &mixed(32)],
        vec!["abc8", "Q~", &mixed(34)],
        vec![&mixed(76), "AZ", "DO", "1a2B"],
        vec![&hex(32), "-u", "s12"],
        vec![&mixed(14), ".atlas", "v1.", &mixed(66)],
        vec![&discord],
        vec!["LS0tLS1CRUdJTi", "BSU0EgUFJJVkFURSBLRVktLS0tLQo", &mixed(2_000), "=="],
    ]
    .into_iter()
    .map(|pieces| pieces.into_iter().map(str::to_owned).collect())
    .collect();
    let mut wrong = Vec::new();
    for pieces in samples {
        let secret = pieces.concat();
        for (before, after) in
            [("", ""), ("use ", " for it"), ("\"", "\","), ("(", ")"), ("é ", " é")]
        {
            let text = [before, &secret, after].concat();
            let found = masked(&text);
            let kept = found.strip_prefix(before).and_then(|found| found.strip_suffix(after));
            if !matches!(
                kept,
                Some(
                    "[masked:service-key]"
                        | "[masked:gitlab-token]"
                        | "[masked:slack-token]"
                        | "[masked:google-key]"
                        | "[masked:private-key]"
                )
            ) {
                wrong.push(format!("{text}: {found}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn names_that_begin_like_tokens_stay() {
    check_kept(&[
        "s.parseRequestBodyFromJson(x)",
        "s.abcdefghijklmnopqrstuvwx",
        "dapi_client and dapinstall",
        "secret_santa_2024_list",
        "secret_key_base_of_the_application_2_environment",
        "AC/DC and SK Telecom",
        "ACCOUNT_MANAGEMENT_2024_OVERVIEW",
        "key-value-store-with-2-backends-and-more-of-it",
        "re_exports_of_the_module_2_in_the_crate",
        "pattern.matches(\"x\") and path.join(\"a\")",
        "us-east-1 and eu-central-1, us-west-2",
        "3f786850e387550fdab836ed7e6dc881de23001b-us",
        "a.b.c.d.e.f 1.2.3 v1.22.333444.5",
        "ATBBA and LTAI and AKID",
        "tskey and glsa and sbp_ prefixes",
        "fw_cfg_init_table_for_machine_2",
        "rnd_state_of_the_generator_x2",
    ]);
}

#[test]
fn card_numbers_without_groups_are_masked() {
    check_masked(&[
        ("my card is 4111111111111111, until May", "my card is [masked:card-number], until May"),
        ("4111111111111111", "[masked:card-number]"),
        ("pay with 5555555555554444.", "pay with [masked:card-number]."),
        ("amex 378282246310005 exp 12/27", "amex [masked:card-number] exp 12/27"),
        ("card=6011111111111117", "card=[masked:card-number]"),
        ("Diners card 30569309025904", "Diners card [masked:card-number]"),
        ("3056 930902 5904", "[masked:card-number]"),
        ("(4012-8888-8888-1881)", "([masked:card-number])"),
    ]);
}

#[test]
fn numbers_that_are_not_cards_stay() {
    check_kept(&[
        "4111111111111112",
        "order 4111111111111111 has shipped",
        "Invoice no. 4111111111111111",
        "id=4111111111111111&page=2",
        "id:4111111111111111",
        "https://a.test/p/4111111111111111",
        "#4111111111111111",
        "a4111111111111111 4111111111111111b 4111111111111111_x",
        "0.4111111111111111 and 4111111111111111.5",
        "41111111111111111111",
        "cb0ba8ef-4111-1111-1111-1111e44d2be4",
        "cb0ba8ef-4111-1111-1111-111111111111",
        "file-4111-1111-1111-1111",
        "4111-1111-1111-1111-backup",
        "4111 1111 1111 1111 22",
        "1733875200000000 microseconds, 1733875200000000000 nanoseconds",
        "call +49 30 901820 or 0049 30 901820",
        "tel. 4111111111111111",
        "[1001412661522686, 4111111111111111, 1666614366723946]",
        "normalize(4111111111111111, 446, 11)",
        "    4111111111111111,\n    1666614366723946,",
        "    1666614366723946,\n    4111111111111111",
        "<4111111111111111@mail.test>",
        "9780306406157 is a book",
        "4222222222222 without a word before it",
    ]);
}

/// How much longer ten times as much text may take: linear, with room for a busy machine.
const RATIO_MAX: f64 = 30.0;
/// Shorter times are not compared.
const SECONDS_MIN: f64 = 0.004;

#[test]
fn masking_takes_time_in_proportion_to_the_text() {
    let begin = ["-----BEG", "IN PRIVATE KEY-----"].concat();
    let patterns = [
        "a",
        "\"",
        "'",
        "(",
        "([{",
        "password ",
        "password: ",
        "password: a b ",
        "PIN is ",
        "pin: 48",
        "door code 4821",
        "seed phrase: ",
        "mnemonic is road again ",
        "password is ",
        "my password for ",
        "pass:",
        "pw=\"",
        "secret",
        "secret secret",
        "token=(",
        "the password is a ",
        "password=a&",
        "password=a,b",
        "password[",
        "password (a",
        "AKIA",
        "1234 ",
        "4111111111111111",
        "4111 ",
        "4111 1111 1111 ",
        "curl -u ",
        "curl -u a:b",
        "mysql -p",
        " -p",
        "machine a login b password ",
        "localhost:5432:",
        "a:*:",
        "cookie:",
        "cookie: a=b;",
        "wifi:S:a;",
        "\"auth\":",
        "&sig=a",
        "otpauth://",
        "recovery code",
        "backup codes: 4821-3377 ",
        ":5432:a:b",
        "s.",
        "SG.",
        "sk-",
        "a.bcdefg.",
        "MTIzNDU2Nzg5MDEyMzQ1Njc4.",
        "Q~",
        "aaaaQ~",
        "AZDO",
        "-us",
        "0123456789abcdef",
        "eyJrIjoi/",
        "FwoGZXIvYXdz",
        "1//0",
        "://a:",
        "://a:b@",
        "eyJ.",
        "%",
        "$",
        "密码",
        "пароль ",
        "contraseña: ",
        "“",
        "password “",
        "Authorization: Basic ",
        "x\n",
        &begin,
    ];
    check_linear(&patterns, 5_000);
}

/// Masks each pattern again and again, up to `few_bytes` and to ten times as many.
pub(super) fn check_linear(patterns: &[&str], few_bytes: usize) {
    let seconds = |bytes: usize, pattern: &str| {
        let text = pattern.repeat(bytes / pattern.len());
        let started = std::time::Instant::now();
        let _ = mask_text(&text);
        started.elapsed().as_secs_f64()
    };
    for pattern in patterns {
        let mut measured = Vec::new();
        // Another process may get the processor in between, but not each time.
        let is_linear = (0..5).any(|_| {
            let (few, many) = (seconds(few_bytes, pattern), seconds(10 * few_bytes, pattern));
            measured.push((few, many));
            many < RATIO_MAX * few.max(SECONDS_MIN)
        });
        assert!(is_linear, "{pattern:?} and ten times as much: {measured:?} s");
    }
}

#[test]
fn a_password_alone_behind_a_label_is_masked() {
    check_masked(&[
        ("password: letmeinplease", "password: [masked:password]"),
        (
            "- Guest WiFi password: tulipbridge\nnext",
            "- Guest WiFi password: [masked:password]\nnext",
        ),
        ("* WLAN-Passwort: tulpenwiese", "* WLAN-Passwort: [masked:password]"),
        ("Password: correct horse battery staple", "Password: [masked:password]"),
        ("비밀번호는 tulip77 입니다", "비밀번호는 [masked:password] 입니다"),
        ("DB_PASSWORD=ab(cd9ef", "DB_PASSWORD=[masked:password]"),
        ("DB_PASSWORD=let(me)in", "DB_PASSWORD=[masked:password]"),
        ("password: \"tul(ip77\"", "password: \"[masked:password]\""),
    ]);
    check_kept(&[
        "Password: required",
        "Passwort: vergessen",
        "Contraseña: obligatoria",
        "Wachtwoord: vergeten",
        "password: string",
        "Password: (leave empty)",
        "POSTGRES_PASSWORD: postgres",
        "Password: see the blue note",
        "Password: same as before but with numbers",
        "password = db.Column(db.String(120), nullable=False)",
        "password = read(stdin",
        "| password: boolean |",
        "I forgot my password: help",
    ]);
}

#[test]
fn codes_of_digits_are_masked_by_their_names() {
    check_masked(&[
        ("My PIN is 4821", "My PIN is [masked:pin]"),
        ("PIN: 4821", "PIN: [masked:pin]"),
        ("pin: 4821.", "pin: [masked:pin]."),
        ("the PIN number is 482193, I think", "the PIN number is [masked:pin], I think"),
        ("PIN code 4821", "PIN code [masked:pin]"),
        ("my pin code is 560001", "my pin code is [masked:pin]"),
        ("The door code is 4821#", "The door code is [masked:pin]#"),
        ("Our gate code: **48213**", "Our gate code: **[masked:pin]**"),
        ("The gate code has changed to 9012.", "The gate code has changed to [masked:pin]."),
        ("The gate code is not 4471, it is 4417.", "The gate code is not [masked:pin]."),
        (
            "The code for the back door is now 2222",
            "The code for the back door is now [masked:pin]",
        ),
        ("My PIN changed from 1234 to 5531", "My PIN changed from [masked:pin]"),
        ("Der Code für das Tor ist 4471", "Der Code für das Tor ist [masked:pin]"),
        ("The gate code is 4417 (was 4471)", "The gate code is [masked:pin])"),
        ("The door code is now 9012.", "The door code is now [masked:pin]."),
        ("Geheimzahl: 4821", "Geheimzahl: [masked:pin]"),
        ("CVV 123", "CVV 123"),
        ("CVV: 123", "CVV: [masked:pin]"),
    ]);
    check_kept(&[
        "pin 13 is the LED",
        "pins 4821 and 4822",
        "PIN code 560001",
        "PIN: 2024-05-01",
        "PIN: 4821.50",
        "PIN: 48213344556",
        "error code 4041, status code: 5030",
        "zip code 94110",
        "source code: 2024",
        "opinion: 4821",
        "Spin: 4821",
        "The pin was 4821 m away",
    ]);
}

#[test]
fn words_that_recover_a_wallet_are_masked_by_their_name() {
    let words = "witch collapse practice feed shame open despair creek road again ice least";
    let listed: String = words
        .split(' ')
        .enumerate()
        .map(|(number, word)| format!("{}. {word}\n", number + 1))
        .collect();
    check_masked(&[
        (&format!("seed phrase: {words}"), "seed phrase: [masked:seed-phrase]"),
        (
            &format!("My recovery phrase is \"{words}\"."),
            "My recovery phrase is \"[masked:seed-phrase]\".",
        ),
        (&format!("Mnemonic:\n{words}\n"), "Mnemonic:\n[masked:seed-phrase]\n"),
        (&format!("Seed words:\n{listed}"), "Seed words:\n1. [masked:seed-phrase]\n"),
    ]);
    check_kept(&[
        &format!("in other words: {words}"),
        "The seed phrase: write it down on paper, and keep that paper in a safe place at home.",
        "recovery phrase is what you need when your phone was lost or broken and nothing else helps",
    ]);
}

#[test]
fn ids_of_sessions_messages_and_calls_are_never_masked() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut draw = |alphabet: &str, length: usize| -> String {
        let pick = |state: &mut u64| {
            *state ^= *state << 13;
            *state ^= *state >> 7;
            *state ^= *state << 17;
            char::from(alphabet.as_bytes()[(*state % alphabet.len() as u64) as usize])
        };
        (0..length).map(|_| pick(&mut state)).collect()
    };
    for _ in 0..20_000 {
        // Groups of digits alone are where a card could seem to be.
        let uuid = format!(
            "{}-{}-4{}-9{}-{}{}",
            draw(HEX, 8),
            draw(DIGITS, 4),
            draw(DIGITS, 3),
            draw(DIGITS, 3),
            draw(DIGITS, 4),
            draw(HEX, 8)
        );
        for text in [
            uuid.clone(),
            format!(
                "{uuid}/{}-{}-4{}-8{}-{}/tool",
                draw(DIGITS, 8),
                draw(DIGITS, 4),
                draw(DIGITS, 3),
                draw(DIGITS, 3),
                draw(DIGITS, 12)
            ),
            format!("{uuid}/call_{}", draw(MIXED, 24)),
            format!("{uuid}/toolu_01{}", draw(MIXED, 22)),
            format!("{uuid}/log-0"),
        ] {
            assert!(mask_text(&text).is_none(), "{text}");
        }
    }
}
