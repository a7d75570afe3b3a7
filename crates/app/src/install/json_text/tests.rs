use super::*;

fn with(text: &str) -> String {
    Document::read(text).unwrap().with(&Entry::example())
}

/// Adds the entry and removes it again, which must restore the text.
#[track_caller]
fn comes_and_goes(text: &str) -> String {
    let written = with(text);
    let document = Document::read(&written).unwrap();
    assert!(document.found().unwrap().is_ours(), "{written}");
    assert_eq!(document.with(&Entry::example()), written, "installing is not idempotent");
    assert_eq!(document.without(), text);
    written
}

#[test]
fn the_entry_comes_in_beside_others_in_their_style_and_goes_without_a_trace() {
    let written = comes_and_goes(
        "{\n    \"n\": 1.50e3,\n    \"mcpServers\": {\n        \"docs\": {\"command\":  \"npx\"}\n    },\n    \"z\": [ ]\n}\n",
    );
    let expected = "        \"docs\": {\"command\":  \"npx\"},\n        \"because\": {\n            \"args\": [\n                \"mcp\"\n            ],";
    assert!(written.contains(expected), "{written}");
    comes_and_goes("{\"a\":{\"b\":\"}]\\\"{\"},\"c\":[1,2]}");
    comes_and_goes("{ \"a\": 1, \"mcpServers\": { \"x\": { } } }\n");
    comes_and_goes("{\r\n\t\"a\": \"\u{e9}\u{1f642}\"\r\n}\r\n");
    comes_and_goes("{\"projects\": {\"/x\": {\"mcpServers\": {\"because\": 5}}},\n\"k\": null}");
}

#[test]
fn a_new_file_is_readable_and_goes_when_nothing_is_left() {
    let written = with("");
    assert!(
        written.starts_with("{\n  \"mcpServers\": {\n    \"because\": {\n")
            && written.ends_with("}\n"),
        "{written}"
    );
    assert_eq!(Document::read(&written).unwrap().without(), "");
}

#[test]
fn an_entry_of_an_older_install_is_brought_up_to_date_and_keeps_what_was_added() {
    let text = "{\n  \"mcpServers\": {\n    \"because\": { \"command\": \"/old/because\", \"args\": [\"mcp\"], \"env\": {\"A\": \"b\"} }\n  }\n}\n";
    let written = with(text);
    let value: Value = serde_json::from_str(&written).unwrap();
    let ours = &value["mcpServers"]["because"];
    assert_eq!(
        (&ours["command"], &ours["env"]["A"]),
        (&json!("/opt/because"), &json!("b")),
        "{written}"
    );
}

/// How many comments the text has, and its settings without our entry.
fn content(text: &str) -> (usize, Value) {
    let mut comments = 0;
    let mut scanner = jsonc_parser::Scanner::new(text, &Default::default());
    while let Some(token) = scanner.scan().unwrap() {
        use jsonc_parser::tokens::Token;
        comments += usize::from(matches!(token, Token::CommentLine(_) | Token::CommentBlock(_)));
    }
    let mut value: Value = parse_to_ast(text, &CollectOptions::default(), &grammar::GRAMMAR)
        .unwrap()
        .value
        .unwrap()
        .into();
    if let Some(servers) = value.get_mut(SERVERS).and_then(Value::as_object_mut) {
        servers.remove(NAME);
        if servers.is_empty() {
            value.as_object_mut().unwrap().remove(SERVERS);
        }
    }
    (comments, value)
}

#[test]
fn comments_stay_where_they_are() {
    let written = comes_and_goes(
        "// mine\n{\n  // docs\n  \"mcpServers\": {\n    /* one */ \"docs\": {} // two\n    // three\n  } // four\n}\n// five\n",
    );
    let expected = "    /* one */ \"docs\": {}, // two\n    \"because\": {\n";
    assert!(
        written.contains(expected) && written.contains("    }\n    // three\n  } // four\n"),
        "{written}"
    );
    for text in [
        "// mine\n{\n  // nothing yet\n}\n",
        "{\n  \"a\": 1,\n  \"mcpServers\": {\n    // nothing yet\n  }\n}",
        "{ \"a\": 1 /* one */ }\n",
        "{ \"a\": 1 // one\n}",
        "{ \"mcpServers\": { /* nothing */ } }\n",
        "{\"a\":1/* one */}// two",
        "{\n  \"a\": 1 // one\n  , \"b\": 2 }",
        "{\n  \"a\": \"// no comment, /* none */\" /* one\n  two */ // three\n}",
        "/**/{\"a\":[1,2,/**/],\"mcpServers\":{/**/}}",
    ] {
        let written = comes_and_goes(text);
        assert_eq!(content(&written), content(text), "{written}");
    }
}

#[test]
fn comments_around_the_entry_stay_when_it_goes() {
    for (text, expected) in [
        (
            "{\n  \"mcpServers\": {\n    // memory\n    \"because\": {}, // ours\n    // docs\n    \"docs\": {}\n  }\n}",
            "{\n  \"mcpServers\": {\n    // memory\n     // ours\n    // docs\n    \"docs\": {}\n  }\n}",
        ),
        (
            "{\n  \"mcpServers\": {\n    \"docs\": {}, // one\n    // memory\n    \"because\": {} }\n}",
            "{\n  \"mcpServers\": {\n    \"docs\": {} // one\n    // memory\n     }\n}",
        ),
        ("{\"mcpServers\":{\"because\":{}/* ours */}}", "{\"mcpServers\":{/* ours */}}"),
        ("{\"mcpServers\":{\"because\":{}}} // mine", "{} // mine"),
        ("{\"mcpServers\":{\"a\":{}\n,\"because\":{}}}", "{\"mcpServers\":{\"a\":{}}}"),
        ("{\"mcpServers\":{\"because\":{} , \"a\":{}}}", "{\"mcpServers\":{ \"a\":{}}}"),
    ] {
        assert_eq!(Document::read(text).unwrap().without(), expected);
    }
}

#[test]
fn trailing_commas_stay() {
    let written = comes_and_goes("{\n  \"mcpServers\": {\n    \"docs\": {}, // one\n  },\n}\n");
    assert!(written.contains("    \"docs\": {}, // one\n    \"because\": {\n"), "{written}");
    assert!(written.ends_with("    },\n  },\n}\n"), "{written}");
    for text in [
        "{\"a\":1,}",
        "{ \"a\": [1, ], \"mcpServers\": { \"x\": { }, }, }\n",
        "{\n  \"a\": 1\n  , // one\n}",
    ] {
        let written = comes_and_goes(text);
        assert_eq!(content(&written), content(text), "{written}");
    }
}

#[test]
fn other_line_ends_stay() {
    for text in [
        "// mine\r\n{\r\n  \"mcpServers\": {\r\n    \"docs\": {}, // one\r\n  },\r\n}\r\n",
        "{\r\n  // nothing yet\r\n}",
        "{ \"a\": 1 // one\r\n}",
        "{ \"a\": 1 // one\r}",
    ] {
        let written = comes_and_goes(text);
        assert!(!text.contains('\n') || !written.replace("\r\n", "").contains('\n'), "{written:?}");
        assert_eq!(content(&written), content(text), "{written:?}");
    }
}

#[test]
fn a_byte_order_mark_stays() {
    let written = comes_and_goes("\u{feff}{\r\n  \"a\": 1\r\n}\r\n");
    assert!(
        written.starts_with("\u{feff}{\r\n  \"a\": 1,\r\n  \"mcpServers\": {\r\n"),
        "{written:?}"
    );
    comes_and_goes("\u{feff}// mine\n{\"a\":1}");
    let written = with("\u{feff}");
    assert!(written.starts_with("\u{feff}{\n"), "{written:?}");
    assert_eq!(Document::read(&written).unwrap().without(), "");
    assert!(Document::read("{}\u{feff}").is_err());
    assert!(Document::read("\u{feff}\u{feff}{}").is_err());
}

#[test]
fn an_entry_that_is_brought_up_to_date_keeps_its_comments_and_its_spacing() {
    let text = "{\n  \"mcpServers\": {\n    \"because\": {\n      // where\n      \"command\":  \"/old/because\", // moved\n      \"type\": \"stdio\",\n      \"args\": [ \"mcp\" ],\n      \"timeout\": 5,\n    },\n  },\n}";
    assert_eq!(with(text), text.replace("/old", "/opt"));
    let text = "{ \"mcpServers\": { \"because\": { \"command\": \"/old/because\", \"args\": [\"mcp\"] } } }";
    let expected =
        text.replace("/old", "/opt").replace("[\"mcp\"] }", "[\"mcp\"],\"type\":\"stdio\" }");
    assert_eq!(with(text), expected);
    let twice = "{\"mcpServers\":{\"because\":{\"command\":\"/a\",\"command\":\"/old/because\",\"args\":[\"mcp\"]}}}";
    let expected = "{\"mcpServers\":{\"because\":{\"args\":[\"mcp\"],\"command\":\"/opt/because\",\"type\":\"stdio\"}}}";
    assert_eq!(with(twice), expected);
}

/// A random number below another.
fn draw(seed: &mut u64, below: u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) % below
}

/// Text of a random object, in a random style, from a generator whose state is `seed`.
fn random_object(seed: &mut u64, depth: u32, names: &[&str]) -> String {
    const SPACES: [&str; 9] = [
        "",
        " ",
        "\n",
        "\n  ",
        "\n    ",
        " /* a, b */",
        " // c }\n  ",
        "\r\n\t",
        "/* d */ // e\n\n",
    ];
    let (mut text, last) = ("{".to_owned(), names.len().saturating_sub(1));
    for (place, name) in names.iter().enumerate() {
        let style: Vec<&str> = (0..5).map(|_| SPACES[draw(seed, 9) as usize]).collect();
        let value = match draw(seed, if depth == 0 { 3 } else { 4 }) {
            _ if *name == SERVERS => {
                let names: &[&str] = if draw(seed, 2) == 0 { &["x"] } else { &["x", "y"] };
                random_object(seed, 1, names)
            }
            0 => "\"}, // no, /*\"".to_owned(),
            1 => "1.50e2".to_owned(),
            2 => "[ null,]".to_owned(),
            _ => random_object(seed, depth - 1, &["p", "q"]),
        };
        text.extend([style[0], "\"", name, "\"", style[1], ":", style[2], &value, style[3]]);
        if place < last || draw(seed, 3) == 0 {
            text.extend([",", style[4]]);
        }
    }
    text + "}"
}

#[test]
fn whatever_the_style_only_the_entry_comes_and_goes() {
    for start in 0..4_000_u64 {
        let mut seed = start;
        let names: &[&str] = match start % 4 {
            0 => &["a", "b"],
            1 => &["a", SERVERS],
            2 => &[SERVERS, "z"],
            _ => &["a", SERVERS, "z"],
        };
        let text = random_object(&mut seed, 2, names);
        let document =
            Document::read(&text).unwrap_or_else(|error| panic!("seed {start}: {error}: {text}"));
        let written = document.with(&Entry::example());
        let again = Document::read(&written)
            .unwrap_or_else(|error| panic!("seed {start}: {error}: {written}"));
        assert!(again.found().unwrap().is_ours(), "seed {start}: {written}");
        assert_eq!(content(&written), content(&text), "seed {start}: {written}");
        assert_eq!(again.with(&Entry::example()), written, "seed {start}");
        assert_eq!(again.without(), text, "seed {start}: {written}");
    }
}

#[test]
fn what_cannot_be_understood_is_refused() {
    for text in [
        "{",
        "[]",
        "5",
        "// settings",
        "{\"mcpServers\": []}",
        "{\"mcpServers\": {}, \"mcpServers\": {}}",
        "{\"mcpServers\": {}, \"mcp\\u0053ervers\": {}}",
        "{\"mcpServers\": {\"because\": {}, \"because\": {}}}",
        "{} {}",
        "{}}",
        "{,}",
        "{\"a\": 1,,}",
        "{\"a\": [,]}",
        "{\"a\": 1 \"b\": 2}",
        "{a: 1}",
        "{'a': 1}",
        "{\"a\": 01}",
        "{\"a\": +1}",
        "{\"a\": .5}",
        "{\"a\": 0x1}",
        "{\"a\": NaN}",
        "{\"a\": \"\\x41\"}",
        "{\"a\": \"\\ud83d\"}",
        "{\"a\": 1 /* }",
        "{\"a\": 1} /",
        "{\"a\": 1} # mine",
        "{\"a\": \"one\ntwo\"}",
        "{\"a\": \"\0\"}",
        "{\u{a0}\"a\": 1}",
        "{\u{b}\"a\": 1}",
        "{\"a\": 1}\u{2028}",
    ] {
        assert!(Document::read(text).is_err(), "{text}");
    }
}

#[test]
fn deep_nesting_is_refused_before_it_fills_the_stack() {
    let small = std::thread::Builder::new().stack_size(512 << 10);
    let thread = small.spawn(|| {
        for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("{\"mcpServers\":{\"because\":", "}}")]
        {
            for text in [
                open.repeat(200_000),
                format!("{}1{}", open.repeat(200_000), close.repeat(200_000)),
            ] {
                let error = Document::read(&text).err().unwrap();
                assert!(error.contains("nested"), "{error}");
            }
        }
        comes_and_goes(&format!("{{\"a\":{}{}}}", "[".repeat(127), "]".repeat(127)));
    });
    thread.unwrap().join().unwrap();
}
