//! Configuration by file, variable and option, and what an untrusted folder cannot set.

use std::path::Path;

use serde_json::{Value, json};

use crate::machine::Machine;
use crate::server::{Reply, Server};

const KEY: &str = "sk-very-secret-key";

impl Machine {
    /// Writes the user's own file.
    pub(crate) fn write_own_configuration(&self, text: &str) {
        std::fs::create_dir_all(self.home()).unwrap();
        std::fs::write(self.home().join("config.toml"), text).unwrap();
    }

    fn write_space_settings(&self, text: impl AsRef<[u8]>) {
        self.write(".because/config.toml", text);
    }

    fn embedder(&self) -> Value {
        self.because(["status", "--json"]).run().succeeds().json()["embedder"].clone()
    }
}

/// A server that speaks like OpenAI.
fn server() -> Server {
    Server::start(|request| {
        let texts = request.json()["input"].as_array().unwrap().len();
        let data: Vec<Value> =
            (0..texts).map(|index| json!({"index": index, "embedding": [0.5, 0.25]})).collect();
        Reply::json(200, &json!({ "data": data }))
    })
}

/// True if a file below the folder holds the text.
fn holds(folder: &Path, text: &str) -> bool {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).any(|path| {
        if path.is_dir() {
            return holds(&path, text);
        }
        std::fs::read(&path).unwrap().windows(text.len()).any(|window| window == text.as_bytes())
    })
}

#[test]
fn options_override_variables_then_the_spaces_file_then_the_users_file() {
    let machine = Machine::with_space();
    assert_eq!(
        machine.embedder(),
        json!({"model": "built-in", "set_by": "by default", "passed_over": null, "error": null})
    );
    machine.write_own_configuration("# mine\n[embedder]\nmodel = \"ollama:mine\"\n");
    let embedder = machine.embedder();
    assert_eq!(embedder["model"], "ollama:mine");
    assert!(embedder["set_by"].as_str().unwrap().ends_with("config.toml:3"), "{embedder}");
    machine.write_space_settings("embedder.model = \"owner/of-the-space\"");
    let embedder = machine.embedder();
    assert_eq!(embedder["model"], "owner/of-the-space");
    assert!(embedder["set_by"].as_str().unwrap().ends_with(".because/config.toml:1"), "{embedder}");
    let status =
        machine.because(["status", "--json"]).variable("BECAUSE_EMBEDDER", "ollama:variable");
    assert_eq!(status.run().json()["embedder"]["model"], "ollama:variable");
    let status = machine
        .because(["--embedder", "built-in", "status", "--json"])
        .variable("BECAUSE_EMBEDDER", "gemini:x");
    let embedder = status.run().json()["embedder"].clone();
    assert_eq!(
        (&embedder["model"], &embedder["set_by"]),
        (&json!("built-in"), &json!("--embedder"))
    );
    let status = machine.because(["status"]).variable("BECAUSE_EMBEDDER", "");
    status.run().succeeds().prints("embedder    owner/of-the-space (");
}

#[test]
fn an_unknown_setting_is_reported_with_its_line_and_a_suggestion() {
    let machine = Machine::with_space();
    for (text, says) in [
        (
            "\n[embedder]\nmodle = \"built-in\"\n",
            "config.toml:3: unknown key `embedder.modle`; did you mean `embedder.model`?",
        ),
        (
            "model = \"built-in\"",
            "config.toml:1: unknown key `model`; did you mean `embedder.model`?",
        ),
        ("[qqq]\nzzz = 1", "config.toml:2: unknown key `qqq.zzz`; docs/configuration.md"),
        ("[qqq]", "config.toml:1: unknown key `qqq`"),
        ("[embedder]\nmodel = 7", "config.toml:2: `embedder.model` takes a string in quotes"),
        (
            "[openai]\ndimensions = 0",
            "config.toml:2: `openai.dimensions` takes a whole number from 1 to 16384",
        ),
        ("[openai]\ndimensions = \"8\"", "takes a whole number"),
        (
            "[openai]\n\nbatch_max = 2049",
            "config.toml:3: `openai.batch_max` takes a whole number from 1 to 2048",
        ),
        (
            "[gemini]\nbatch_max = 101",
            "config.toml:2: `gemini.batch_max` takes a whole number from 1 to 100",
        ),
        (
            "[ollama]\ntimeout_s = 0",
            "config.toml:2: `ollama.timeout_s` takes a whole number from 1 to 3600",
        ),
        (
            "[ollama]\ntimeout_s = 3601",
            "config.toml:2: `ollama.timeout_s` takes a whole number from 1 to 3600",
        ),
        (
            "[ollama]\ndimensions = 16385",
            "config.toml:2: `ollama.dimensions` takes a whole number from 1 to 16384",
        ),
        (
            "[embedder]\nthreads = 257",
            "config.toml:2: `embedder.threads` takes a whole number from 1 to 256",
        ),
        (
            "[openai]\nbase_url = \"\"",
            "config.toml:2: `openai.base_url` takes the address of a server, like ",
        ),
        (
            "[openai]\nbase_url = \"ftp://a.example\"",
            "config.toml:2: `openai.base_url` takes the address of a server, like ",
        ),
        ("[openai]\nbase_url = \"a.example\"", "must begin with https:// or http://"),
        ("[embedder]\nspaces_may_choose = [1]", "takes a list of strings"),
        ("[embedder]\nspaces_may_choose = [\"opneai\"]", "is none of openai"),
        ("[embedder]\nmodel = \"gpt\"", "config.toml:2: \"gpt\" names no model"),
        ("[embedder\nmodel = 1", "config.toml:1: "),
        ("[embedder]\nmodel = \"built-in\"\nmodel = \"built-in\"", "config.toml:3: "),
        (&format!("a = {}", "[".repeat(30_000)), "config.toml:1: "),
        (&"#".repeat(70_000), "longer than"),
    ] {
        machine.write_own_configuration(text);
        machine.because(["status"]).run().ends(2).says(says);
        let doctor = machine.because(["doctor"]).run().ends(3);
        assert!(doctor.out().contains("docs/configuration.md"), "{doctor}");
    }
    machine.write_own_configuration("");
    machine.write_space_settings(b"\xff\xfe\0");
    assert_eq!(machine.because(["--json", "status"]).run().ends(2).error_code(), "settings");
    machine.write_space_settings("");
    machine
        .because(["--embedder", "gpt", "status"])
        .run()
        .ends(2)
        .says("--embedder: \"gpt\" names no model");
    let status = machine.because(["status"]).variable("BECAUSE_OPENAI_BATCH_MAX", "many");
    status.run().ends(2).says("BECAUSE_OPENAI_BATCH_MAX: it takes a whole number from 1 to 2048");
    let secret = "http://user:sk-secret@a.example";
    let status =
        machine.because(["status"]).variable("BECAUSE_OPENAI_BASE_URL", secret).run().ends(2);
    assert!(
        status.err().contains("BECAUSE_OPENAI_BASE_URL: it takes the address of a server, like"),
        "{status}"
    );
    assert!(!status.err().contains("sk-secret"), "{status}");
}

#[test]
fn a_spaces_file_cannot_send_texts_or_keys_anywhere() {
    let (machine, server) = (Machine::with_space(), server());
    let doctor = || machine.because(["doctor"]).variable("OPENAI_API_KEY", KEY);
    for text in [
        format!("[embedder]\nmodel = \"openai:m\"\n[openai]\nbase_url = \"{}\"", server.base()),
        "openai.api_key_env = \"HOME\"".to_owned(),
        "openai.api_key_file = \"/etc/hostname\"".to_owned(),
        "embedder.spaces_may_choose = [\"openai\"]".to_owned(),
    ] {
        machine.write_space_settings(&text);
        doctor().run().ends(3).prints("allowed only in your own config.toml");
        machine.because(["status"]).run().ends(2);
    }
    machine.write_own_configuration(&format!(
        "[openai]\nbase_url = \"{}\"\napi_key_env = \"OPENAI_API_KEY\"",
        server.base()
    ));
    for model in ["openai:m", "ollama:m", "gemini:m", "local:."] {
        machine.write_space_settings(format!("[embedder]\nmodel = \"{model}\""));
        let embedder = machine.embedder();
        assert_eq!(
            (&embedder["model"], &embedder["passed_over"]["model"]),
            (&json!("built-in"), &json!(model))
        );
        doctor().run().succeeds().prints("spaces_may_choose");
        machine.because(["status"]).run().succeeds().prints("spaces_may_choose");
    }
    assert!(server.requests().is_empty());
    machine.write_space_settings("[embedder]\nmodel = \"openai:m\"");
    doctor()
        .variable("BECAUSE_EMBEDDER_SPACES_MAY_CHOOSE", "ollama, openai")
        .run()
        .succeeds()
        .prints("openai/m (2) answered");
    assert_eq!(server.requests().len(), 2);
}

#[cfg(unix)]
#[test]
fn a_settings_file_that_is_a_pipe_or_a_device_does_not_block() {
    let machine = Machine::with_space();
    let path = machine.work().join(".because/config.toml");
    for make in ["mkfifo", "mkdir", "ln -s /dev/zero"] {
        machine.shell(&format!("{make} .because/config.toml")).run().succeeds();
        machine.because(["status"]).run().ends(2).says("it is not a regular file");
        if path.is_dir() {
            std::fs::remove_dir(&path).unwrap()
        } else {
            std::fs::remove_file(&path).unwrap()
        }
    }
    machine.because(["status"]).run().succeeds();
}

#[test]
fn the_users_folder_keeps_its_role_under_any_name() {
    let machine = Machine::new();
    let home = machine.work().join(".because");
    std::fs::create_dir(&home).unwrap();
    std::fs::write(home.join("config.toml"), "[embedder]\nmodel = \"ollama:mine\"\nthreads = 2")
        .unwrap();
    machine.because(["init", "--global"]).at_home(&home).run().succeeds();
    let status = machine.because(["status", "--json"]).at_home(&home).run().succeeds().json();
    assert_eq!(status["embedder"]["model"], "ollama:mine");
}

#[test]
fn a_key_is_sent_only_to_its_service_and_never_written() {
    let (machine, server) = (Machine::with_space(), server());
    let model = "[embedder]\nmodel = \"openai:m\"\n[openai]\n";
    let doctor = |lines: &str| {
        machine
            .write_own_configuration(&format!("{model}base_url = \"{}\"\n{lines}", server.base()));
        let ran = machine
            .because(["doctor", "--json"])
            .variable("OPENAI_API_KEY", KEY)
            .variable("MY_KEY", "sk-mine")
            .run();
        assert!(!ran.out().contains(KEY) && !ran.err().contains(KEY));
        let sent = server
            .requests()
            .last()
            .map(|request| request.header("authorization").map(str::to_owned));
        (ran.code(), sent.flatten())
    };
    assert_eq!(doctor(""), (0, None), "an address alone gets no key");
    assert_eq!(doctor("api_key_env = \"OPENAI_API_KEY\""), (0, Some(format!("Bearer {KEY}"))));
    assert_eq!(doctor("api_key_env = \"MY_KEY\""), (0, Some("Bearer sk-mine".to_owned())));
    assert_eq!(doctor("api_key_env = \"\""), (0, None));
    std::fs::write(machine.home().join("secret"), "sk-of-file\n").unwrap();
    assert_eq!(doctor("api_key_file = \"secret\""), (0, Some("Bearer sk-of-file".to_owned())));
    for wrong in
        ["api_key_file = \"not there\"", "api_key_env = \"NOT_SET\"", "api_key_env = \"a=b\""]
    {
        let asked = server.requests().len();
        assert_eq!(doctor(wrong).0, 3, "{wrong}");
        assert_eq!(server.requests().len(), asked);
    }
    assert!(!holds(machine.home().parent().unwrap(), KEY));
    // If the key itself is given where its variable should be named, the error does not print it.
    assert_eq!(doctor(&format!("api_key_env = \"{KEY}\"")).0, 3);
    assert_eq!(doctor(&format!("api_key = \"{KEY}\"")).0, 3);
    machine.write_own_configuration(&format!("{model}api_key_env = \"AIzaSyD1\""));
    let doctor = machine.because(["doctor"]).run().ends(3);
    assert!(!doctor.out().contains("AIzaSyD1"), "{doctor}");
}

#[test]
fn doctor_tries_the_model_and_suggests_a_fix() {
    let machine = Machine::with_space();
    let check = |reply: Reply, says: &str| {
        let server = Server::script([reply]);
        let doctor = machine.because(["--embedder", "openai:m", "doctor", "--json"]);
        let doctor = doctor
            .variable("BECAUSE_OPENAI_BASE_URL", server.base())
            .variable("BECAUSE_OPENAI_TIMEOUT_S", "1");
        let doctor = doctor.run().ends(3).json();
        let found = doctor["checks"]
            .as_array()
            .unwrap()
            .iter()
            .find(|check| check["name"] == "embedder")
            .unwrap();
        let said = format!("{} {}", found["found"], found["advice"]);
        assert!(said.contains(says), "{said}");
    };
    check(
        Reply::json(401, &json!({"error": {"message": "Who are you?"}})),
        "Who are you? (HTTP 401)\" \"check the key",
    );
    check(Reply::json(404, &json!({})), "base_url");
    check(Reply::json(429, &json!({})), "later");
    check(Reply::json(500, &json!({})), "later");
    check(Reply::Silence, "within 1 s");
    check(Reply::Garbage(b"hello\r\n\r\n".to_vec()), "right server");
    machine.write("no-certificates", "hello");
    for (file, says) in
        [("not there", "cannot be read"), ("no-certificates", "holds no certificates")]
    {
        let file = machine.work().join(file);
        let doctor =
            machine.because(["--embedder", "ollama:m", "doctor"]).variable("SSL_CERT_FILE", &file);
        doctor.run().ends(3).prints(says).prints("SSL_CERT_FILE");
        machine.because(["doctor"]).variable("SSL_CERT_FILE", &file).run().succeeds();
    }
    let gone = Server::script([Reply::Silence]).base().to_owned();
    let doctor = machine
        .because(["--embedder", "ollama:m", "doctor"])
        .variable("BECAUSE_OLLAMA_BASE_URL", &gone);
    doctor.run().ends(3).prints("check that it is running");
    machine
        .because(["--embedder", "gemini:m", "doctor"])
        .run()
        .ends(3)
        .prints("set GEMINI_API_KEY");
    machine
        .because(["--embedder", "owner/name", "doctor"])
        .run()
        .ends(3)
        .prints("because model pull owner/name");
    machine.because(["doctor"]).run().succeeds().prints("built-in (by default)");
}
