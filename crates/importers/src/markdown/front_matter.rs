//! The YAML between two `---` at the head of a note, or the TOML between two `+++`.
//!
//! Of YAML, each top-level entry is parsed by itself, so that an entry that is not YAML (`title:
//! Garden: plans`, common in vaults) does not affect the others: a single line is taken as plain
//! text, anything longer is reported. Scalars, lists and maps are read. Anchors are allowed,
//! aliases are refused, and depth and number of values are limited, so front matter cannot expand
//! while it is read. TOML is read as a whole.

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Number, Value};
use toml_edit::{Document, Item};

/// Longest front matter; a longer one is taken as text.
pub(super) const FRONT_MATTER_BYTES_MAX: usize = 64 * 1024;
/// Most entries.
const ENTRIES_MAX: usize = 256;
/// Deepest nesting within an entry.
const DEPTH_MAX: usize = 16;
/// Most values within an entry.
const VALUES_MAX: usize = 4_096;

/// A note split into front matter and body.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Split<'a> {
    /// The entries in their order; names as written.
    pub(super) entries: Vec<(String, Value)>,
    /// The text after the front matter.
    pub(super) body: &'a str,
    /// What could not be read, each with its line.
    pub(super) complaints: Vec<(u64, String)>,
}

/// Splits a note into front matter and body. Text without front matter is all body.
pub(super) fn split(text: &str) -> Split<'_> {
    let whole = Split { body: text, ..Split::default() };
    if let Some(after) = text.strip_prefix("+++").and_then(end_of_line) {
        return split_toml(after).unwrap_or(whole);
    }
    let Some(after) = text.strip_prefix("---").and_then(end_of_line) else { return whole };
    let mut yaml_bytes = 0;
    for line in after.split_inclusive('\n') {
        if matches!(line.trim_end(), "---" | "...") {
            let yaml = after.get(..yaml_bytes).unwrap_or_default();
            if !begins_with_entry(yaml) && !yaml.trim().is_empty() {
                return whole;
            }
            let body = after.get(yaml_bytes + line.len()..).unwrap_or_default();
            return read(yaml, body);
        }
        yaml_bytes += line.len();
        if yaml_bytes > FRONT_MATTER_BYTES_MAX {
            break;
        }
    }
    let complaints = if begins_with_entry(after) {
        vec![(1, "the front matter has no closing `---` and was taken as text".to_owned())]
    } else {
        Vec::new()
    };
    Split { complaints, ..whole }
}

/// Splits what follows the first `+++`; `None` without a second one, and if it is not TOML.
fn split_toml(after: &str) -> Option<Split<'_>> {
    let mut bytes = 0;
    let mut lines = after.split_inclusive('\n');
    let last = loop {
        let line = lines.next().filter(|_| bytes <= FRONT_MATTER_BYTES_MAX)?;
        if line.trim_end() == "+++" {
            break line;
        }
        bytes += line.len();
    };
    let document = Document::parse(after.get(..bytes)?).ok()?;
    let mut values = 0;
    let entries = document.iter().take(ENTRIES_MAX);
    let entries = entries.map(|(name, item)| (name.to_owned(), of_toml(item, &mut values)));
    let body = after.get(bytes + last.len()..).unwrap_or_default();
    Some(Split { entries: entries.collect(), body, complaints: Vec::new() })
}

/// A value, with at most [`VALUES_MAX`] in all of the front matter. A time is text.
fn of_toml(item: &Item, values: &mut usize) -> Value {
    *values += 1;
    if *values > VALUES_MAX {
        return Value::Null;
    }
    if let Some(table) = item.as_table_like() {
        let entries = table.iter().map(|(name, item)| (name.to_owned(), of_toml(item, values)));
        return Value::Object(entries.collect());
    }
    if let Some(array) = item.as_array() {
        let items = array.iter().map(|value| of_toml(&Item::Value(value.clone()), values));
        return Value::Array(items.collect());
    }
    let text = item.as_str().map(str::to_owned);
    let text = text.or_else(|| item.as_datetime().map(ToString::to_string)).map(Value::String);
    text.or_else(|| item.as_bool().map(Value::Bool))
        .or_else(|| item.as_integer().map(|integer| Value::Number(integer.into())))
        .or_else(|| Number::from_f64(item.as_float()?).map(Value::Number))
        .unwrap_or(Value::Null)
}

fn end_of_line(text: &str) -> Option<&str> {
    let text = text.trim_start_matches([' ', '\t', '\r']);
    text.strip_prefix('\n')
}

fn begins_with_entry(yaml: &str) -> bool {
    yaml.lines()
        .find(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .is_some_and(|line| name_and_rest(line).is_some())
}

fn name_and_rest(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.split_once(':')?;
    let fits =
        !name.is_empty() && name.len() <= 64 && !name.starts_with([' ', '\t', '-', '[', '{']);
    (fits && (rest.is_empty() || rest.starts_with([' ', '\t', '\r']))).then_some((name, rest))
}

fn read<'a>(yaml: &str, body: &'a str) -> Split<'a> {
    let mut split = Split { body, ..Split::default() };
    for (line, entry) in entries(yaml) {
        if split.entries.len() >= ENTRIES_MAX {
            split.complaints.push((
                line,
                format!("only the first {ENTRIES_MAX} entries of the front matter were read"),
            ));
            break;
        }
        match parse(entry) {
            Ok(Value::Object(object)) => split.entries.extend(object),
            Ok(Value::Null) => {}
            Ok(_) => {
                split.complaints.push((line, "an entry of the front matter has no name".to_owned()))
            }
            Err(reason) => match name_and_rest(entry.trim_end()) {
                Some((name, rest))
                    if !rest.contains('\n')
                        && !rest.trim_start().starts_with(['[', '{', '&', '*']) =>
                {
                    split.entries.push((
                        name.trim().to_owned(),
                        Value::String(unquoted(rest.trim()).to_owned()),
                    ));
                }
                _ => split
                    .complaints
                    .push((line, format!("an entry of the front matter was left out: {reason}"))),
            },
        }
    }
    split
}

/// The top-level entries, each with the line of the file on which it begins.
fn entries(yaml: &str) -> Vec<(u64, &str)> {
    let mut starts = Vec::new();
    let mut position = 0;
    for (index, line) in (2..).zip(yaml.split_inclusive('\n')) {
        let continues = line.starts_with([' ', '\t', '-', '#', ']', '}']) || line.trim().is_empty();
        if !continues || starts.is_empty() {
            starts.push((index, position));
        }
        position += line.len();
    }
    let ends: Vec<usize> =
        starts.iter().skip(1).map(|(_, start)| *start).chain([yaml.len()]).collect();
    starts
        .into_iter()
        .zip(ends)
        .filter_map(|((line, start), end)| Some((line, yaml.get(start..end)?)))
        .filter(|(_, entry)| !entry.trim().is_empty())
        .collect()
}

fn unquoted(text: &str) -> &str {
    ['"', '\'']
        .iter()
        .find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote))
        .unwrap_or(text)
}

/// A list or map that is being filled.
enum Open {
    List(Vec<Value>),
    Map(Map<String, Value>, Option<String>),
}

fn parse(entry: &str) -> Result<Value, String> {
    let mut open: Vec<Open> = Vec::new();
    let mut values = 0_usize;
    for event in Parser::new_from_str(entry) {
        let (event, _) = event.map_err(|error| error.info().to_owned())?;
        let done = match event {
            Event::Scalar(text, style, _, _) => scalar(&text, style),
            Event::SequenceStart(..) => {
                open.push(Open::List(Vec::new()));
                if open.len() > DEPTH_MAX {
                    return Err(format!("it is nested more than {DEPTH_MAX} deep"));
                }
                continue;
            }
            Event::MappingStart(..) => {
                open.push(Open::Map(Map::new(), None));
                if open.len() > DEPTH_MAX {
                    return Err(format!("it is nested more than {DEPTH_MAX} deep"));
                }
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open::List(list)) => Value::Array(list),
                Some(Open::Map(map, _)) => Value::Object(map),
                None => return Err("it ends twice".to_owned()),
            },
            Event::Alias(_) => {
                return Err("aliases (`*name`) are not read: write the value out".to_owned());
            }
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => {
                continue;
            }
        };
        values += 1;
        if values > VALUES_MAX {
            return Err(format!("it holds more than {VALUES_MAX} values"));
        }
        match open.last_mut() {
            None => return Ok(done),
            Some(Open::List(list)) => list.push(done),
            Some(Open::Map(map, name)) => match name.take() {
                None => *name = Some(plain(&done)),
                Some(name) => {
                    map.insert(name, done);
                }
            },
        }
    }
    Ok(Value::Null)
}

fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return Value::String(text.trim_end().to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number),
    }
}

/// A number only if writing it gives the same text, so that `007` and `1.10` stay what they are.
fn number(text: &str) -> Option<Number> {
    let number: Number = match text.parse::<i64>() {
        Ok(integer) => integer.into(),
        Err(_) if text.len() <= 18 => Number::from_f64(text.parse().ok()?)?,
        Err(_) => return None,
    };
    (number.to_string() == text).then_some(number)
}

/// A scalar as text; empty for a list or map, which cannot be a name.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(text: &str, entries: Value, body: &str, complaints: usize) {
        let split = split(text);
        assert_eq!(Value::Object(split.entries.into_iter().collect()), entries, "{text}");
        assert_eq!(split.body, body, "{text}");
        assert_eq!(split.complaints.len(), complaints, "{text}: {:?}", split.complaints);
    }

    #[test]
    fn what_notes_write_is_read() {
        check("---\ntitle: Tea\n---\nbody", json!({"title": "Tea"}), "body", 0);
        check("---\r\ntitle: Tea\r\n---\r\nbody", json!({"title": "Tea"}), "body", 0);
        check(
            "---\ntags:\n- a\n- b\naliases: [x, \"y z\"]\n---\n",
            json!({"tags": ["a", "b"], "aliases": ["x", "y z"]}),
            "",
            0,
        );
        check(
            "---\ndate: 2025-06-02\nn: 3\ncode: 007\non: true\n---\n",
            json!({"date": "2025-06-02", "n": 3, "code": "007", "on": true}),
            "",
            0,
        );
        check(
            "---\nabout: |\n  two\n  lines\nup: \"[[Home]]\"\n---\n",
            json!({"about": "two\nlines", "up": "[[Home]]"}),
            "",
            0,
        );
        check("---\n---\nbody", json!({}), "body", 0);
        check(
            "+++\ntitle = \"Roof\"\ndate = 2026-11-01\ntags = [\"house\", \"roof\"]\nn = 3\n[params]\non = true\n+++\n\nbody",
            json!({
                "title": "Roof", "date": "2026-11-01", "tags": ["house", "roof"], "n": 3,
                "params": {"on": true}
            }),
            "\nbody",
            0,
        );
        for text in ["+++\nno TOML\n+++\nbody", "+++\ntitle = \"Roof\"\nbody"] {
            check(text, json!({}), text, 0);
        }
    }

    #[test]
    fn an_entry_that_is_not_yaml_does_not_affect_the_others() {
        check(
            "---\ntitle: Garden: plans\nn: 1\n---\n",
            json!({"title": "Garden: plans", "n": 1}),
            "",
            0,
        );
        check("---\nbad: [a\nn: 1\n---\n", json!({"n": 1}), "", 1);
        check("---\na: &x 1\nb: *x\n---\n", json!({"a": 1}), "", 1);
    }

    #[test]
    fn text_between_rules_is_not_front_matter() {
        for text in [
            "---\nJust a rule above.\n---\nand below",
            "----\na: b\n---\n",
            "text\n---\na: b\n---\n",
            "---",
        ] {
            check(text, json!({}), text, 0);
        }
    }

    #[test]
    fn front_matter_that_never_ends_is_text_and_reported() {
        let text = format!("---\ntitle: Tea\n{}", "more text\n".repeat(20_000));
        check(&text, json!({}), &text, 1);
    }

    #[test]
    fn bombs_do_not_go_off() {
        let deep = format!("---\na: {}\n---\n", "[".repeat(30_000));
        assert_eq!(split(&deep).complaints.len(), 1);
        let deep = format!("---\na: {}{}\n---\n", "{a: ".repeat(200), "}".repeat(200));
        assert_eq!(split(&deep).complaints.len(), 1);
        let mut laughs = "---\na0: &a0 [x, x]\n".to_owned();
        for level in 1..30 {
            laughs += &format!("a{level}: &a{level} [*a{0}, *a{0}]\n", level - 1);
        }
        let laughs = laughs + "---\n";
        assert_eq!(split(&laughs).complaints.len(), 29);
        let inside = "---\na: {x: &x [1, 1], y: &y [*x, *x], z: [*y, *y]}\n---\n";
        assert_eq!(split(inside).complaints.len(), 1);
        let wide = format!("---\na: [{}]\n---\n", "1,".repeat(20_000));
        assert_eq!(split(&wide).complaints.len(), 1);
    }

    #[test]
    fn arbitrary_bytes_do_not_make_the_reader_panic() {
        let alphabet: Vec<char> = "a:- \n[]{}\"'|>&*!%@`,?#~\t0é".chars().collect();
        let mut state = 7_u64;
        for _ in 0..3_000 {
            let text: String = (0..40)
                .map(|_| {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    alphabet[(state >> 33) as usize % alphabet.len()]
                })
                .collect();
            let _ = split(&format!("---\na: {text}\n---\nbody"));
        }
    }
}
