//! A local hub with one model, which can be made to misbehave.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::server::{Reply, Request, Server};

/// The commit of its only revision.
pub(crate) const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
/// The model.
pub(crate) const MODEL: &str = "owner/tiny-model";

/// The model's files; the last two are not needed.
pub(crate) fn files() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("config.json", b"{\"model_type\": \"bert\"}".to_vec()),
        ("model.safetensors", (0..200_000_u32).map(|number| number as u8).collect()),
        ("vocab.txt", b"[UNK]\nkiln\n".to_vec()),
        ("1_Pooling/config.json", b"{}".to_vec()),
        ("../../escaped.txt", b"no".to_vec()),
        ("modeling.py", b"import os".to_vec()),
    ]
}

/// The list of files in the hub's format.
pub(crate) fn list() -> Value {
    let siblings: Vec<Value> = files()
        .iter()
        .map(|(path, content)| {
            let mut sibling = json!({"rfilename": path, "size": content.len(), "blobId": "x"});
            if path.ends_with(".safetensors") {
                let digest = Sha256::digest(content)
                    .iter()
                    .map(|byte| format!("{byte:02x}"))
                    .collect::<String>();
                sibling["lfs"] =
                    json!({"sha256": digest, "size": content.len(), "pointerSize": 134});
            }
            sibling
        })
        .collect();
    json!({"id": MODEL, "sha": COMMIT, "siblings": siblings})
}

/// The response of a correct hub, including range requests.
pub(crate) fn answer(request: &Request) -> Reply {
    if request.path == format!("/api/models/{MODEL}/revision/main?blobs=true") {
        return Reply::json(200, &list());
    }
    let beginning = format!("/{MODEL}/resolve/{COMMIT}/");
    let file = request
        .path
        .strip_prefix(&beginning)
        .and_then(|path| files().into_iter().find(|(file, _)| *file == path));
    let Some((_, content)) = file else {
        return Reply::json(404, &json!({"error": "Repository not found"}));
    };
    let Some(range) = request.header("range") else {
        return Reply::Whole(200, Vec::new(), content);
    };
    let from: usize =
        range.strip_prefix("bytes=").unwrap().strip_suffix('-').unwrap().parse().unwrap();
    if from >= content.len() {
        return Reply::Whole(416, Vec::new(), Vec::new());
    }
    let range = format!("bytes {from}-{}/{}", content.len() - 1, content.len());
    Reply::Whole(206, Vec::new(), content[from..].to_vec()).with("Content-Range", &range)
}

/// Starts a correct hub.
pub(crate) fn start() -> Server {
    Server::start(answer)
}
