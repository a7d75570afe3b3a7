//! Downloading models, including from a misbehaving hub.

use std::path::Path;

use models::hub::{Hub, HubError, HubName, MODEL_BYTES_MAX, ModelDir, PullRequest, PullResult};
use models::secret::Secret;
use serde_json::{Value, json};

use crate::hub_server::{COMMIT, MODEL, answer, files, list, start};
use crate::server::{Reply, Server};

fn request() -> PullRequest {
    PullRequest {
        name: HubName::parse(MODEL).unwrap(),
        revision: "main".to_owned(),
        bytes_max: MODEL_BYTES_MAX,
    }
}

fn pull(server: &Server, folder: &Path) -> Result<PullResult, HubError> {
    Hub::at(server.base(), None, None).unwrap().pull(
        &request(),
        &ModelDir::at(folder.to_owned()),
        |_| (),
    )
}

/// The files in the model directory, without locks.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.retain(|name| !name.starts_with(".lock"));
    names.sort();
    names
}

fn weights() -> Vec<u8> {
    files().into_iter().find(|(name, _)| *name == "model.safetensors").unwrap().1
}

/// Paths of the requests for the large file, with their ranges.
fn ranges(server: &Server) -> Vec<Option<String>> {
    let requests = server.requests();
    let large = requests.iter().filter(|request| request.path.ends_with("model.safetensors"));
    large.map(|request| request.header("range").map(str::to_owned)).collect()
}

#[test]
fn a_model_is_downloaded_once_and_without_unneeded_files() {
    let (server, folder) = (start(), tempfile::tempdir().unwrap());
    let model_dir = ModelDir::at(folder.path().join("models"));
    let hub = Hub::at(server.base(), None, None).unwrap();
    let mut seen = Vec::new();
    let pulled = hub.pull(&request(), &model_dir, |progress| seen.push(progress)).unwrap();
    assert!(pulled.is_new);
    assert_eq!(pulled.model.revision.as_deref(), Some(COMMIT));
    assert_eq!(
        names(&pulled.model.folder),
        ["1_Pooling", "because-model.json", "config.json", "model.safetensors", "vocab.txt"]
    );
    assert_eq!(std::fs::read(pulled.model.folder.join("model.safetensors")).unwrap(), weights());
    assert_eq!(names(folder.path()), ["models"], "nothing escaped");
    assert!(seen.windows(2).all(|pair| pair[0].bytes <= pair[1].bytes));
    assert_eq!(seen.last().unwrap().bytes, pulled.model.bytes);
    assert_eq!(seen.last().unwrap().bytes_total, pulled.model.bytes);
    let requests = server.requests().len();
    assert!(!hub.pull(&request(), &model_dir, |_| ()).unwrap().is_new);
    assert_eq!(server.requests().len(), requests + 1, "only the list");
    assert_eq!(model_dir.list().unwrap(), [pulled.model]);
}

#[test]
fn an_interrupted_download_resumes_where_it_stopped() {
    let mut breaks = vec![150_000, 100_000];
    let server = Server::start(move |request| {
        match (answer(request), request.path.ends_with("model.safetensors")) {
            (Reply::Whole(status, headers, body), true) if !breaks.is_empty() => {
                let bytes = breaks.pop().unwrap().min(body.len() / 2);
                Reply::Cut(status, headers, body, bytes)
            }
            (reply, _) => reply,
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let pulled = pull(&server, folder.path()).unwrap();
    assert_eq!(std::fs::read(pulled.model.folder.join("model.safetensors")).unwrap(), weights());
    let ranges = ranges(&server);
    assert_eq!(ranges.len(), 3);
    assert_eq!(ranges[1].as_deref(), Some("bytes=100000-"));
    assert_eq!(ranges[2].as_deref(), Some("bytes=150000-"));
}

#[test]
fn a_later_call_resumes_a_download_that_lost_the_network() {
    let folder = tempfile::tempdir().unwrap();
    let mut left = 1;
    let server = Server::start(move |request| match answer(request) {
        Reply::Whole(status, headers, body) if request.path.ends_with("model.safetensors") => {
            // The second try gets nothing more, so there is no third.
            let bytes = if left == 1 { 120_000 } else { 0 };
            left = 0;
            Reply::Cut(status, headers, body, bytes)
        }
        reply => reply,
    });
    let error = pull(&server, folder.path()).unwrap_err();
    assert!(matches!(error, HubError::Unreachable { .. }), "{error:?}");
    assert!(error.to_string().contains("built-in"), "{error}");
    assert_eq!(ModelDir::at(folder.path().to_owned()).list().unwrap(), []);
    let server = start();
    let pulled = pull(&server, folder.path()).unwrap();
    assert_eq!(ranges(&server), [Some("bytes=120000-".to_owned())]);
    assert_eq!(std::fs::read(pulled.model.folder.join("model.safetensors")).unwrap(), weights());
    assert_eq!(names(folder.path()), ["owner--tiny-model"]);
}

#[test]
fn a_server_without_ranges_restarts_the_file() {
    let mut is_first = true;
    let server = Server::start(move |request| {
        let mut request = request.clone();
        request.headers.retain(|(name, _)| name != "range");
        match answer(&request) {
            Reply::Whole(status, headers, body)
                if request.path.ends_with("model.safetensors") && is_first =>
            {
                is_first = false;
                Reply::Cut(status, headers, body, 90_000)
            }
            reply => reply,
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let pulled = pull(&server, folder.path()).unwrap();
    assert_eq!(std::fs::read(pulled.model.folder.join("model.safetensors")).unwrap(), weights());
}

#[test]
fn a_file_with_a_wrong_digest_is_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(|request| match answer(request) {
        Reply::Whole(200, headers, mut body) if request.path.ends_with("model.safetensors") => {
            body[77] ^= 1;
            Reply::Whole(200, headers, body)
        }
        reply => reply,
    });
    let error = pull(&server, folder.path()).unwrap_err();
    assert!(matches!(error, HubError::WrongContent { file: "model.safetensors" }), "{error:?}");
    assert_eq!(ModelDir::at(folder.path().to_owned()).list().unwrap(), []);
    assert!(pull(&start(), folder.path()).unwrap().is_new);
}

#[test]
fn a_file_larger_than_announced_or_allowed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let longer = Server::start(|request| match answer(request) {
        Reply::Whole(200, headers, mut body) if request.path.ends_with("vocab.txt") => {
            body.push(b'x');
            Reply::Whole(200, headers, body)
        }
        reply => reply,
    });
    assert!(matches!(pull(&longer, folder.path()), Err(HubError::TooLong { .. })));
    let endless = Server::start(|request| {
        let mut list = list();
        list["siblings"][2] = json!({"rfilename": "vocab.txt"});
        match answer(request) {
            _ if request.path.starts_with("/api/") => Reply::json(200, &list),
            _ if request.path.ends_with("vocab.txt") => Reply::Endless,
            reply => reply,
        }
    });
    let hub = Hub::at(endless.base(), None, None).unwrap();
    let model_dir = ModelDir::at(folder.path().to_owned());
    let error =
        hub.pull(&PullRequest { bytes_max: 1 << 20, ..request() }, &model_dir, |_| ()).unwrap_err();
    assert!(matches!(error, HubError::TooLong { .. }), "{error:?}");
    let error =
        hub.pull(&PullRequest { bytes_max: 1000, ..request() }, &model_dir, |_| ()).unwrap_err();
    assert!(matches!(error, HubError::TooLarge { bytes_max: 1000, .. }), "{error:?}");
    assert!(error.to_string().contains("more than the limit of 1000"));
}

#[test]
fn missing_and_private_models_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    for status in [401, 403, 404] {
        let server =
            Server::script([Reply::json(status, &json!({"error": "Repository not found"}))]);
        let error = pull(&server, folder.path()).unwrap_err();
        assert!(matches!(&error, HubError::Refused { what, .. } if what == MODEL), "{error:?}");
    }
    let server = start();
    let hub = Hub::at(server.base(), None, None).unwrap();
    let model_dir = ModelDir::at(folder.path().to_owned());
    for revision in ["../../main", "a/b", "", "a?b", "no-such-branch"] {
        let error = hub
            .pull(&PullRequest { revision: revision.to_owned(), ..request() }, &model_dir, |_| ())
            .unwrap_err();
        assert!(matches!(error, HubError::Refused { .. }), "{revision} {error:?}");
    }
    assert_eq!(server.requests().len(), 1, "invalid revisions are not requested");
}

#[test]
fn an_invalid_or_malicious_list_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let check =
        |list: Value| pull(&Server::script([Reply::json(200, &list)]), folder.path()).unwrap_err();
    assert!(matches!(check(json!([])), HubError::Unreadable { .. }));
    assert!(matches!(
        check(json!({"sha": "../../..", "siblings": []})),
        HubError::Unreadable { .. }
    ));
    assert!(matches!(
        check(json!({"sha": COMMIT})),
        HubError::NoEncoder { missing: "config.json", .. }
    ));
    let pickled = json!([{"rfilename": "config.json"}, {"rfilename": "pytorch_model.bin"}]);
    let error = check(json!({"sha": COMMIT, "siblings": pickled}));
    assert!(matches!(error, HubError::NoEncoder { missing: "model.safetensors", .. }));
    let garbage = Server::script([Reply::Whole(200, Vec::new(), b"<html>sign in".to_vec())]);
    assert!(matches!(pull(&garbage, folder.path()), Err(HubError::Unreadable { .. })));
}

#[test]
fn the_token_is_not_sent_to_the_target_of_a_redirect() {
    let other = start();
    let target = other.base().to_owned();
    let server = Server::start(move |request| match answer(request) {
        Reply::Whole(200, ..) if request.path.ends_with("model.safetensors") => {
            Reply::json(302, &json!({})).with("Location", &format!("{target}{}", request.path))
        }
        reply => reply,
    });
    let folder = tempfile::tempdir().unwrap();
    let token = Secret::parse("hf_secret_token").unwrap();
    let hub = Hub::at(server.base(), Some(&token), None).unwrap();
    hub.pull(&request(), &ModelDir::at(folder.path().to_owned()), |_| ()).unwrap();
    assert!(
        server
            .requests()
            .iter()
            .all(|request| request.header("authorization") == Some("Bearer hf_secret_token"))
    );
    assert_eq!(other.requests().len(), 1);
    assert!(other.requests().iter().all(|request| request.header("authorization").is_none()));
}

#[test]
fn the_error_without_a_network_names_the_alternatives() {
    let server = start();
    let hub = Hub::at(server.base(), None, None).unwrap();
    drop(server);
    let folder = tempfile::tempdir().unwrap();
    let error = hub.pull(&request(), &ModelDir::at(folder.path().to_owned()), |_| ()).unwrap_err();
    let message = error.to_string();
    assert!(
        matches!(error, HubError::Unreachable { .. })
            && message.contains("built-in")
            && message.contains("local:"),
        "{message}"
    );
}
