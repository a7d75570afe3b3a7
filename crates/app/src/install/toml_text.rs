//! Settings in TOML: servers are tables in `mcp_servers`. Comments, order and spacing of everything
//! else survive.

use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value, value};

use super::{Entry, Format, Found, NAME};

/// The table that holds the servers.
const SERVERS: &str = "mcp_servers";

pub(super) struct Document {
    text: String,
    document: DocumentMut,
}

impl Document {
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
            let message = error.to_string();
            format!("it is not valid TOML: {}", message.lines().collect::<Vec<_>>().join(" "))
        })?;
        match document.get(SERVERS) {
            Some(servers) if !servers.is_table_like() => {
                Err(format!("its {SERVERS} is not a table"))
            }
            _ => Ok(Self { text: text.to_owned(), document }),
        }
    }

    fn entry(&self) -> Option<&Item> {
        self.document.get(SERVERS)?.get(NAME)
    }

    /// The text of a document, with the line endings of the settings.
    fn written(&self, document: &DocumentMut) -> String {
        let text = document.to_string();
        if self.text.contains("\r\n") && !text.contains("\r\n") {
            text.replace('\n', "\r\n")
        } else {
            text
        }
    }
}

impl Format for Document {
    fn found(&self) -> Option<Found> {
        let entry = self.entry()?;
        let arguments = entry.get("args").and_then(Item::as_array);
        let arguments =
            arguments.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
        Some(Found {
            command: entry.get("command").and_then(Item::as_str).map(str::to_owned),
            arguments,
        })
    }

    fn with(&self, entry: &Entry) -> String {
        let mut document = self.document.clone();
        let servers = document.entry(SERVERS).or_insert_with(|| {
            let mut servers = Table::new();
            // Only the tables in it are written, without an empty one above them.
            servers.set_implicit(true);
            Item::Table(servers)
        });
        let is_inline = servers.is_inline_table();
        let Some(servers) = servers.as_table_like_mut() else { return self.text.clone() };
        let ours = servers.entry(NAME).or_insert_with(|| {
            if is_inline { value(InlineTable::new()) } else { Item::Table(Table::new()) }
        });
        let Some(ours) = ours.as_table_like_mut() else { return self.text.clone() };
        let mut set = |key: &str, new: Value| {
            let is_there =
                ours.get(key).and_then(Item::as_value).is_some_and(|old| is_same(old, &new));
            if !is_there {
                ours.insert(key, value(new));
            }
        };
        set("command", Value::from(entry.command.as_str()));
        set("args", Value::Array(entry.arguments.iter().map(String::as_str).collect::<Array>()));
        if !entry.environment.is_empty() {
            let variables =
                entry.environment.iter().map(|(name, text)| (name.as_str(), text.as_str()));
            set("env", Value::InlineTable(variables.collect::<InlineTable>()));
        }
        self.written(&document)
    }

    fn without(&self) -> String {
        let mut document = self.document.clone();
        let Some(servers) = document.get_mut(SERVERS).and_then(Item::as_table_like_mut) else {
            return self.text.clone();
        };
        servers.remove(NAME);
        if servers.is_empty() {
            document.remove(SERVERS);
        }
        self.written(&document)
    }
}

/// Whether two values are equal, however they are written.
fn is_same(left: &Value, right: &Value) -> bool {
    let plain = |value: &Value| {
        let mut value = value.clone();
        value.decor_mut().clear();
        value
    };
    match (left, right) {
        (Value::String(left), Value::String(right)) => left.value() == right.value(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| is_same(left, right))
        }
        (Value::InlineTable(left), Value::InlineTable(right)) => {
            let of = |table: &InlineTable, key: &str| table.get(key).map(plain);
            left.len() == right.len()
                && right
                    .iter()
                    .all(|(key, right)| of(left, key).is_some_and(|left| is_same(&left, right)))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(text: &str) -> String {
        Document::read(text).unwrap().with(&Entry::example())
    }

    #[test]
    fn the_entry_comes_in_at_the_end_and_everything_else_stays() {
        let text = "# mine\nmodel = \"o3\"   # fast\n\n[mcp_servers.docs]\ncommand = 'npx'\n\n[tui]\ntheme = \"dark\"\n";
        let written = with(text);
        for line in text.lines() {
            assert!(written.contains(line), "{line:?} is not in {written}");
        }
        assert!(
            written
                .contains("[mcp_servers.because]\ncommand = \"/opt/because\"\nargs = [\"mcp\"]\n"),
            "{written}"
        );
        assert_eq!(Document::read(&written).unwrap().without(), text);
        assert_eq!(Document::read(&written).unwrap().with(&Entry::example()), written);
    }

    #[test]
    fn inline_and_dotted_servers_keep_their_form() {
        let inline = with("mcp_servers = { docs = { command = \"npx\" } }\n");
        assert!(inline.starts_with("mcp_servers = { docs = { command = \"npx\" }"), "{inline}");
        assert!(Document::read(&inline).unwrap().found().unwrap().is_ours(), "{inline}");
        let dotted = with("mcp_servers.docs.command = \"npx\"\n");
        let read = Document::read(&dotted).unwrap();
        assert!(
            read.found().unwrap().is_ours()
                && dotted.contains("mcp_servers.docs.command = \"npx\""),
            "{dotted}"
        );
    }

    #[test]
    fn nothing_is_left_of_settings_that_held_only_the_entry() {
        assert_eq!(
            with(""),
            "[mcp_servers.because]\ncommand = \"/opt/because\"\nargs = [\"mcp\"]\n"
        );
        assert_eq!(Document::read(&with("")).unwrap().without(), "");
    }

    #[test]
    fn other_line_ends_stay_and_what_the_user_added_to_the_entry_too() {
        let written = with("[tui]\r\ntheme = \"dark\"\r\n");
        assert!(!written.replace("\r\n", "").contains('\n'), "{written:?}");
        let text = "[mcp_servers.because]\ncommand = \"/old/because\"\nargs = [ 'mcp' ] # serve\nstartup_timeout_sec = 5\n";
        let expected = text.replace("/old", "/opt");
        assert_eq!(with(text), expected);
    }

    #[test]
    fn invalid_toml_and_servers_that_are_not_a_table_are_refused() {
        assert!(Document::read("model = ").is_err());
        assert!(Document::read("mcp_servers = 5").is_err());
    }
}
