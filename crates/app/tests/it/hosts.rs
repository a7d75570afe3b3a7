//! The settings of hosts: adding and removing our entry changes nothing else.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::machine::{BECAUSE, Call, Machine};

/// A user's environment, with a home in which hosts look for their settings.
struct Person {
    machine: Machine,
}

/// Hosts by the names that the command takes, with the user's settings.
const HOSTS: [(&str, &str); 3] = [
    ("claude-code", ".claude.json"),
    ("cursor", ".cursor/mcp.json"),
    ("codex", ".codex/config.toml"),
];

impl Person {
    fn new() -> Self {
        let machine = Machine::new();
        std::fs::create_dir(machine.work().join("person")).unwrap();
        Self { machine }
    }

    fn home(&self) -> PathBuf {
        self.machine.work().join("person")
    }

    fn install(&self, arguments: &[&str]) -> Call {
        let call = self.machine.because(["install"]).arguments(arguments);
        let call = call.variable("HOME", self.home()).variable("USERPROFILE", self.home());
        call.variable("CLAUDE_CONFIG_DIR", "").variable("CODEX_HOME", "")
    }

    fn write(&self, name: &str, text: &str) {
        self.machine.write(&format!("person/{name}"), text);
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.home().join(name)).unwrap()
    }

    fn has(&self, name: &str) -> bool {
        self.home().join(name).exists()
    }
}

/// Existing settings, as each host writes them.
fn settings(host: &str) -> &'static str {
    match host {
        "codex" => {
            "# mine\nmodel = \"o3\" # fast\n\n[mcp_servers.docs]\ncommand = \"npx\"\nargs = [ \"-y\", \"docs\" ]\n\n[tui]\ntheme = \"dark\"\n"
        }
        _ => {
            "{\n  \"numStartups\": 34,\n  \"ratio\": 1.50e2,\n  \"mcpServers\": {\n    \"docs\": { \"command\": \"npx\", \"env\": { \"API_KEY\": \"hush\" } }\n  },\n  \"projects\": { \"/x\": { \"history\": [ ] } }\n}"
        }
    }
}

#[test]
fn installing_and_uninstalling_restores_existing_settings() {
    for (host, file) in HOSTS {
        let person = Person::new();
        person.write(file, settings(host));
        person.install(&[host]).run().succeeds().prints("Added").prints(file).prints("mcp");
        let written = person.read(file);
        assert!(written.contains(BECAUSE) && written.contains("docs"), "{written}");
        for line in settings(host).lines().filter(|line| !line.contains("docs")) {
            assert!(written.contains(line), "{host}: {line:?} is not in {written}");
        }
        person.install(&[host]).run().succeeds().prints("already");
        assert_eq!(person.read(file), written, "{host}");
        let out = person.install(&[host, "--uninstall"]).run().succeeds().prints("Removed").out();
        assert!(!out.contains("hush"), "a neighbour's key was printed: {out}");
        assert_eq!(person.read(file), settings(host), "{host}");
        person.install(&[host, "--uninstall"]).run().succeeds().prints("has no MCP server");
    }
}

#[test]
fn missing_settings_are_created_and_removed_again() {
    for (host, file) in HOSTS {
        let person = Person::new();
        let told = person.install(&[host, "--json"]).run().succeeds().json();
        assert_eq!((&told["action"], &told["scope"]), (&json!("added"), &json!("user")), "{told}");
        assert_eq!(told["entry"]["args"], json!(["mcp", "--agent", host]), "{told}");
        let written = person.read(file);
        if file.ends_with("json") {
            let value: Value = serde_json::from_str(&written).unwrap();
            assert_eq!(value["mcpServers"]["because"]["command"], BECAUSE, "{written}");
            assert_eq!(value["mcpServers"]["because"]["type"], "stdio", "{written}");
        } else {
            assert!(written.starts_with("[mcp_servers.because]\n"), "{written}");
        }
        person.install(&[host, "--uninstall"]).run().succeeds();
        assert!(!person.has(file), "{host}");
    }
}

#[test]
fn a_dry_run_shows_the_change_and_writes_nothing() {
    for (host, file) in HOSTS {
        let person = Person::new();
        let ran = person
            .install(&[host, "--dry-run"])
            .run()
            .succeeds()
            .prints("Would add")
            .prints("  + ");
        assert!(ran.out().contains(BECAUSE) && ran.out().contains("Nothing was written"), "{ran}");
        assert!(!person.has(file), "{host}");
        person.write(file, settings(host));
        person.install(&[host, "--dry-run", "--json"]).run().succeeds();
        assert_eq!(person.read(file), settings(host));
        person.install(&[host]).run().succeeds();
        let written = person.read(file);
        person
            .install(&[host, "--uninstall", "--dry-run"])
            .run()
            .succeeds()
            .prints("Would remove")
            .prints("  - ");
        assert_eq!(person.read(file), written);
    }
}

#[test]
fn invalid_or_conflicting_settings_are_left_alone() {
    for (host, file) in HOSTS {
        let (broken, taken): (&[&str], &str) = match host {
            "codex" => (
                &["model = ", "[mcp_servers\n", "mcp_servers = 3\n"],
                "[mcp_servers.because]\ncommand = \"npx\"\nargs = [\"other\"]\n",
            ),
            _ => (
                &[
                    "{",
                    "[]",
                    "{\"mcpServers\": 5}",
                    "// comment",
                    "{\"a\": 1 \"b\": 2}",
                    "{'a': 1}",
                    "{} {}",
                ],
                "{\"mcpServers\": {\"because\": {\"command\": \"npx\", \"args\": [\"other\"]}}}",
            ),
        };
        for text in broken.iter().copied().chain([taken]) {
            let person = Person::new();
            person.write(file, text);
            for arguments in [&[host, "--json"][..], &[host, "--uninstall", "--json"]] {
                let ran = person.install(arguments).run().ends(1);
                assert_eq!(ran.error_code(), "host_settings", "{text}");
                assert_eq!(person.read(file), text);
            }
        }
        let person = Person::new();
        std::fs::create_dir_all(person.home().join(file)).unwrap();
        person.install(&[host]).run().ends(1);
    }
}

#[test]
fn comments_and_trailing_commas_are_kept() {
    let text = "\u{feff}// mine\r\n{\r\n  \"mcpServers\": {\r\n    // docs\r\n    \"docs\": { \"env\": { \"KEY\": \"hush\" } } // two\r\n  },\r\n}\r\n";
    for (host, file) in HOSTS.into_iter().filter(|(_, file)| file.ends_with("json")) {
        let person = Person::new();
        person.write(file, text);
        let shown = person
            .install(&[host, "--dry-run"])
            .run()
            .succeeds()
            .prints("Would add")
            .prints("  + ")
            .out();
        assert!(!shown.contains("hush"), "a neighbour's key was printed: {shown}");
        assert_eq!(person.read(file), text, "{host}");
        person.install(&[host]).run().succeeds().prints("Added");
        let written = person.read(file);
        assert!(written.contains("} }, // two\r\n    \"because\": {\r\n"), "{written}");
        assert!(
            written.starts_with("\u{feff}// mine\r\n") && written.ends_with("  },\r\n}\r\n"),
            "{written}"
        );
        person.install(&[host]).run().succeeds().prints("already");
        let shown = person.install(&[host, "--uninstall"]).run().succeeds().prints("Removed").out();
        assert!(!shown.contains("hush"), "a neighbour's key was printed: {shown}");
        assert_eq!(person.read(file), text, "{host}");
    }
}

#[test]
fn deeply_nested_settings_are_refused() {
    let person = Person::new();
    let text = format!("{{\"a\":{}", "[".repeat(1 << 20));
    person.write(".cursor/mcp.json", &text);
    let ran = person.install(&["cursor", "--json"]).run().ends(1);
    assert_eq!(ran.error_code(), "host_settings");
    assert_eq!(person.read(".cursor/mcp.json"), text);
}

#[test]
fn project_scope_writes_the_projects_settings() {
    for (host, file) in [
        ("claude-code", ".mcp.json"),
        ("cursor", ".cursor/mcp.json"),
        ("codex", ".codex/config.toml"),
    ] {
        let person = Person::new();
        person.install(&[host, "--scope", "project"]).run().succeeds();
        assert!(person.machine.work().join(file).is_file(), "{host}");
        assert_eq!(std::fs::read_dir(person.home()).unwrap().count(), 0, "{host}");
        person.install(&[host, "--scope", "project", "--uninstall"]).run().succeeds();
        assert!(!person.machine.work().join(file).exists(), "{host}");
    }
}

#[test]
fn the_entry_names_the_space_and_the_home_by_absolute_paths() {
    let person = Person::new();
    let told =
        person.install(&["cursor", "--space", "my memory.db", "--json"]).run().succeeds().json();
    let space = person.machine.work().join("my memory.db");
    assert_eq!(
        told["entry"]["args"],
        json!(["--space", space.to_str().unwrap(), "mcp", "--agent", "cursor"]),
        "{told}"
    );
    assert_eq!(
        told["entry"]["env"]["BECAUSE_HOME"],
        person.machine.home().to_str().unwrap(),
        "{told}"
    );
    let told = person.install(&["cursor", "--space", "global", "--json"]).run().succeeds().json();
    assert_eq!(
        (&told["action"], &told["entry"]["args"]),
        (&json!("updated"), &json!(["--space", "global", "mcp", "--agent", "cursor"]))
    );
}

#[test]
fn the_entry_of_a_project_holds_nothing_of_this_machine() {
    for (host, file) in [
        ("claude-code", ".mcp.json"),
        ("cursor", ".cursor/mcp.json"),
        ("codex", ".codex/config.toml"),
    ] {
        let person = Person::new();
        let project = [host, "--scope", "project"];
        let told = person.install(&project).arguments(["--json"]).run().succeeds().json();
        assert_eq!(told["entry"]["command"], "because", "{told}");
        assert_eq!(told["entry"]["args"], json!(["mcp", "--agent", host]), "{told}");
        assert_eq!(told["entry"]["env"], Value::Null, "{told}");
        let written = std::fs::read_to_string(person.machine.work().join(file)).unwrap();
        for path in [person.machine.work(), person.machine.home(), PathBuf::from(BECAUSE)] {
            assert!(!written.contains(path.to_str().unwrap()), "{written}");
        }
        person.install(&project).variable("PATH", "").run().succeeds().says("not on your PATH");
        person.install(&project).arguments(["--uninstall"]).run().succeeds().prints("Removed");
    }
}

#[test]
fn a_space_for_everybody_in_a_folder_is_in_it() {
    let person = Person::new();
    let install = |space: &str| {
        person.install(&["cursor", "--scope", "project", "--json", "--space", space]).run()
    };
    for (space, named) in [("global", "global"), (".", "."), ("notes/m.db", "notes/m.db")] {
        let told = install(space).succeeds().json();
        assert_eq!(told["entry"]["args"][1], named, "{told}");
    }
    let within = person.machine.work().join("notes/m.db");
    assert_eq!(
        install(within.to_str().unwrap()).succeeds().json()["entry"]["args"][1],
        "notes/m.db"
    );
    for outside in ["../m.db", "notes/../../m.db", "/m.db"] {
        assert_eq!(install(outside).ends(2).error_code(), "space_outside_project", "{outside}");
    }
}

#[test]
fn variables_that_move_a_hosts_settings_are_honoured() {
    let person = Person::new();
    let elsewhere = person.machine.work().join("elsewhere");
    for (host, variable, file) in [
        ("claude-code", "CLAUDE_CONFIG_DIR", ".claude.json"),
        ("codex", "CODEX_HOME", "config.toml"),
    ] {
        person.install(&[host]).variable(variable, &elsewhere).run().succeeds();
        assert!(elsewhere.join(file).is_file(), "{host}");
    }
    assert_eq!(std::fs::read_dir(person.home()).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn links_and_permissions_are_preserved() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let person = Person::new();
    person.write("dotfiles/claude.json", settings("claude-code"));
    let real = person.home().join("dotfiles/claude.json");
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    let link = person.home().join(".claude.json");
    symlink("dotfiles/claude.json", &link).unwrap();
    person.install(&["claude-code"]).run().succeeds();
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    assert!(person.read("dotfiles/claude.json").contains(BECAUSE));
    std::fs::remove_file(&real).unwrap();
    person.install(&["claude-code"]).run().ends(1).says("link");
    person.install(&["cursor"]).run().succeeds();
    let made = person.home().join(".cursor/mcp.json").metadata().unwrap();
    assert_eq!(made.permissions().mode() & 0o777, 0o600);
}

#[test]
fn the_installed_server_starts() {
    let person = Person::new();
    let entry = person.install(&["codex", "--json"]).run().succeeds().json()["entry"].clone();
    let arguments: Vec<&str> =
        entry["args"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    let greeting = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": "2025-06-18",
        "capabilities": {}, "clientInfo": { "name": "x", "version": "1" } } });
    let call = person
        .machine
        .call(entry["command"].as_str().unwrap(), arguments)
        .input(format!("{greeting}\n"));
    call.run().succeeds().prints("serverInfo");
}

/// Hosts that call tools from hooks, with the user's settings of hooks and the events.
const HOOKS: [(&str, &str, &[&str]); 2] = [
    ("claude-code", ".claude/settings.json", &["UserPromptSubmit", "Stop"]),
    ("codex", ".codex/hooks.json", &["UserPromptSubmit"]),
];

/// Settings with hooks of others, in several layouts.
const SETTINGS_WITH_HOOKS: [&str; 8] = [
    "{}\n",
    "{\"model\":\"opus\"}",
    "{\"hooks\":{\"UserPromptSubmit\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"date\"}]}]}}",
    "{\n  \"model\": \"opus\",\n  \"ratio\": 1.50e2\n}\n",
    "{\n    \"hooks\": {\n        \"Stop\": [\n            {\n                \"hooks\": [ { \"type\": \"command\", \"command\": \"say done\" } ]\n            }\n        ]\n    },\n    \"model\": \"opus\"\n}\n",
    "{\r\n\t\"hooks\": {\r\n\t\t\"UserPromptSubmit\": [\r\n\t\t\t{ \"matcher\": \"\", \"hooks\": [] }\r\n\t\t]\r\n\t}\r\n}\r\n",
    "\u{feff}{\n  // mine\n  \"hooks\": {\n    \"PreToolUse\": [ /* none */ ], // later\n  },\n}\n",
    "{ \"hooks\": { \"Stop\": [ { \"hooks\": [ { \"type\": \"mcp_tool\", \"server\": \"other\", \"tool\": \"observe\" } ] } ] } }",
];

#[test]
fn hooks_are_added_and_removed_and_every_other_byte_stays() {
    for (host, file, events) in HOOKS {
        for settings in SETTINGS_WITH_HOOKS {
            let person = Person::new();
            person.write(file, settings);
            let ran = person.install(&[host, "--hook"]).run().succeeds();
            ran.prints("Added the hooks of because to").prints(file);
            let written = person.read(file);
            assert!(written.contains("mcp_tool") && written.contains("${session_id}"), "{written}");
            assert_eq!(written.matches("\"because\"").count(), events.len(), "{written}");
            for kept in ["\"date\"", "say done", "\"other\"", "// mine", "/* none */"] {
                assert_eq!(written.contains(kept), settings.contains(kept), "{written}");
            }
            let again = person.install(&[host, "--hook"]).run().succeeds();
            again.prints("has the hooks of because already");
            assert_eq!(person.read(file), written, "{host} {settings}");
            person.install(&[host, "--uninstall"]).run().succeeds().prints("Removed the hooks");
            let left = if settings == "{}\n" { None } else { Some(settings.to_owned()) };
            assert_eq!(person.has(file).then(|| person.read(file)), left, "{host} {settings}");
        }
    }
}

#[test]
fn hooks_pass_the_turns_of_the_host_to_the_tool() {
    for (host, file, events) in HOOKS {
        let person = Person::new();
        let told = person.install(&[host, "--hook", "--json"]).run().succeeds().json();
        assert_eq!(told["hooks"]["action"], "added", "{told}");
        let written: Value = serde_json::from_str(&person.read(file)).unwrap();
        let found: Vec<&String> = written["hooks"].as_object().unwrap().keys().collect();
        assert_eq!(found.len(), events.len(), "{written}");
        for event in events {
            let hook = &written["hooks"][event][0]["hooks"][0];
            assert_eq!(
                (&hook["type"], &hook["server"], &hook["tool"]),
                (&json!("mcp_tool"), &json!("because"), &json!("observe")),
                "{written}"
            );
            let is_answer = *event == "Stop";
            let text = if is_answer { "${last_assistant_message}" } else { "${prompt}" };
            assert_eq!(hook["input"]["text"], text, "{written}");
            assert_eq!(hook["input"]["session"], "${session_id}", "{written}");
            assert_eq!(hook["input"]["speaker"] == "assistant", is_answer, "{written}");
        }
        // Only the hooks, and then all.
        let gone = person.install(&[host, "--uninstall", "--hook"]).run().succeeds();
        gone.prints("Removed the hooks").prints("stops using them");
        assert!(!person.has(file));
        person.install(&[host]).run().succeeds().prints("already");
        assert!(!person.has(file), "hooks are off by default");
        let gone = person.install(&[host, "--uninstall"]).run().succeeds();
        assert!(!gone.out().contains("hooks"), "{gone}");
    }
}

#[test]
fn hooks_of_an_earlier_version_are_brought_up_to_date_where_they_are() {
    let (host, file, _) = HOOKS[0];
    let person = Person::new();
    let earlier = "{\n  \"hooks\": {\n    \"UserPromptSubmit\": [\n      { \"matcher\": \"x\", \"hooks\": [ { \"type\": \"command\", \"command\": \"date\" }, { \"type\": \"mcp_tool\", \"server\": \"because\", \"tool\": \"observe\", \"input\": { \"text\": \"old\" } } ] }\n    ]\n  }\n}\n";
    person.write(file, earlier);
    person.install(&[host, "--hook"]).run().succeeds().prints("Brought the hooks of because up");
    let written = person.read(file);
    assert!(!written.contains("old") && written.contains("\"matcher\": \"x\""), "{written}");
    person.install(&[host, "--uninstall", "--hook"]).run().succeeds().prints("Removed");
    let left: Value = serde_json::from_str(&person.read(file)).unwrap();
    let group = json!({ "matcher": "x", "hooks": [ { "type": "command", "command": "date" } ] });
    assert_eq!(left, json!({ "hooks": { "UserPromptSubmit": [group] } }));
}

#[test]
fn hooks_are_refused_where_they_cannot_be_written_and_nothing_is_written() {
    let person = Person::new();
    let refused = person.install(&["cursor", "--hook", "--json"]).run().ends(2);
    assert_eq!(refused.error_code(), "no_hooks");
    assert!(!person.has(".cursor/mcp.json"));
    for broken in [
        "{",
        "[]",
        "{\"hooks\": []}",
        "{\"hooks\": {\"Stop\": {}}}",
        "{\"hooks\": {}, \"hooks\": {}}",
        "{\"hooks\": {\"Stop\": [], \"Stop\": []}}",
    ] {
        let (host, file, _) = HOOKS[0];
        person.write(file, broken);
        let refused = person.install(&[host, "--hook", "--json"]).run().ends(1);
        assert_eq!(refused.error_code(), "host_settings", "{broken}");
        assert_eq!(person.read(file), broken);
        assert!(!person.has(".claude.json"), "{broken}");
        // Settings without our hooks do not prevent the server's removal.
        person.install(&[host, "--uninstall"]).run().succeeds().prints("has no MCP server");
    }
    let person = Person::new();
    let ran = person.install(&["claude-code", "--hook", "--dry-run"]).run().succeeds();
    ran.prints("Would add the hooks of because").prints("Nothing was written");
    assert!(!person.has(".claude.json") && !person.has(".claude/settings.json"));
}
