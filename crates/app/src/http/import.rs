//! `POST /api/v1/import`: files in a form, or one as the body itself.
//!
//! What is uploaded goes to a temporary folder, is read from there as `because import` reads files,
//! and is removed. It is signed by the token's key.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::multipart::MultipartError;
use axum::extract::{FromRequest, Multipart, Request as HttpRequest, State};
use axum::http::HeaderMap;
use axum::response::Response;
use engine::EngineError;
use engine::write::import::Intent;
use importers::{Context, DayOrder, ImportError, Importer};
use retrieval::text::cut;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::App;
use super::body::{check_encoding, check_length, in_time, media_type, next_piece, unsupported};
use super::endpoint::needs;
use super::error::ApiError;
use super::json as strict;
use super::long::{self, Progress, Task};
use super::work::{Call, Need, place};
use crate::failure::{Failure, RequestError};
use crate::place::scratch_folder;
use crate::service::derivation::derive_new;
use crate::service::tokens::Right;

/// Largest upload, bytes.
pub(super) const UPLOAD_BYTES_MAX: u64 = 512 << 20;
/// Longest time that an upload takes, however steadily it comes.
const UPLOAD_WAIT: Duration = Duration::from_secs(15 * 60);
/// Most files of an upload.
const FILES_MAX: usize = 64;
/// Longest name of a file that is kept, bytes. File systems take 255.
const NAME_BYTES_MAX: usize = 200;
/// Types of a body that is a file itself.
const FILE_TYPES: [&str; 6] = [
    "application/x-ndjson",
    "application/jsonl",
    ZIP,
    "application/octet-stream",
    "text/plain",
    "text/calendar",
];

/// The type of a zip archive.
const ZIP: &str = "application/zip";

/// What the first number of a date such as 2/6/2025 is.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum FirstNumber {
    /// The day.
    Day,
    /// The month.
    Month,
}

/// How to read the upload.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    /// The space; the token's own by default.
    space: Option<String>,
    /// Read as this format instead of detecting it.
    #[schemars(extend("enum" = formats()))]
    format: Option<String>,
    /// The name of the file, where the body is one.
    name: Option<String>,
    /// What the first number of a date such as 2/6/2025 is, where a file does not show it.
    first_number: Option<FirstNumber>,
    /// Only say what would be recorded.
    #[serde(default)]
    dry_run: bool,
}

needs!(Request, |_| Need::Write(Right::Append));

fn formats() -> Vec<&'static str> {
    importers::registry().iter().map(|importer| importer.name()).collect()
}

/// What was uploaded.
struct Upload {
    folder: tempfile::TempDir,
    /// The files in it.
    files: Vec<PathBuf>,
    bytes: u64,
}

pub(super) async fn answer(
    State(app): State<Arc<App>>,
    request: HttpRequest,
) -> Result<Response, ApiError> {
    let token = app.admit(request.headers())?;
    let headers = request.headers().clone();
    check_length(&headers, UPLOAD_BYTES_MAX)?;
    let form = form_of(&headers)?;
    let schema = Request::json_schema(&mut super::openapi::generator()).to_value();
    let query = request.uri().query().unwrap_or_default();
    let asked: Request = strict::typed(strict::from_query(query, &schema)?)?;
    let importer = asked.format.as_deref().map(by_name).transpose()?;
    // Nobody uploads what cannot be written.
    let site = app.site_for(&token, asked.space.as_deref(), Right::Append)?;
    let held = place(&app.workers.uploads).await?;
    let receiving = async {
        match form {
            Form::Multipart => from_form(request, app.client_wait).await,
            Form::File => {
                let usual = (media_type(&headers).as_deref() == Some(ZIP)).then_some("upload.zip");
                let name = asked.name.as_deref().or(usual);
                from_body(request.into_body(), name, app.client_wait).await
            }
        }
    };
    let upload = in_time(UPLOAD_WAIT, receiving).await??;
    let intent = if asked.dry_run { Intent::DryRun } else { Intent::Write };
    let day_order = asked.first_number.map(|number| match number {
        FirstNumber::Day => DayOrder::DayFirst,
        FirstNumber::Month => DayOrder::MonthFirst,
    });
    let task = Task { token, site, need: Need::Write(Right::Append) };
    let (follower, followed) = (Arc::clone(&app), Arc::clone(&task.site.space));
    let response = long::run(app, task, &headers, move |call, progress| {
        let answer = import(call, &upload, (importer, day_order), intent, progress)?;
        drop((upload, held));
        follower.follow_up(&followed);
        Ok(answer)
    });
    response.await
}

/// How files are sent.
enum Form {
    Multipart,
    File,
}

fn form_of(headers: &HeaderMap) -> Result<Form, ApiError> {
    check_encoding(headers)?;
    match media_type(headers).as_deref() {
        Some("multipart/form-data") => Ok(Form::Multipart),
        Some(kind) if FILE_TYPES.contains(&kind) => Ok(Form::File),
        _ => Err(unsupported(&format!("multipart/form-data, {}", FILE_TYPES.join(", ")))),
    }
}

fn by_name(name: &str) -> Result<&'static dyn Importer, ApiError> {
    importers::by_name(name).ok_or_else(|| {
        RequestError::NoSuchFormat { name: name.to_owned(), known: formats() }.into()
    })
}

impl Upload {
    fn new() -> Result<Self, ApiError> {
        let folder = scratch_folder().map_err(Failure::from)?;
        Ok(Self { folder, files: Vec::new(), bytes: 0 })
    }

    /// Begins a file. Each lies in a folder of its own, so that none replaces another.
    fn begin(&mut self, name: Option<&str>) -> Result<File, ApiError> {
        if self.files.len() == FILES_MAX {
            return Err(ApiError::validation(format!("at most {FILES_MAX} files at a time")));
        }
        let folder = self.folder.path().join(self.files.len().to_string());
        let path = folder.join(self.unused(safe_name(name)));
        let made = std::fs::create_dir(&folder).and_then(|()| File::create(&path));
        let file = made.map_err(|source| Failure::OutputFile { path: path.clone(), source })?;
        self.files.push(path);
        Ok(file)
    }

    /// A name that no other file has: records of a file are known by its name.
    fn unused(&self, name: String) -> String {
        let is_used = |name: &String| self.files.iter().any(|path| name_of(path) == *name);
        let (stem, extension) = match name.rsplit_once('.') {
            Some((stem, extension)) => (stem, format!(".{extension}")),
            None => (name.as_str(), String::new()),
        };
        let numbered = (2..).map(|number| format!("{stem} ({number}){extension}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        names.find(|name| !is_used(name)).unwrap_or_default()
    }

    fn add(&mut self, file: &mut File, piece: &[u8]) -> Result<(), ApiError> {
        self.bytes += piece.len() as u64;
        if self.bytes > UPLOAD_BYTES_MAX {
            return Err(ApiError::too_large(UPLOAD_BYTES_MAX));
        }
        let written = tokio::task::block_in_place(|| file.write_all(piece));
        written.map_err(|error| Failure::from(error).into())
    }
}

/// The last part of a name, without what could lead elsewhere.
fn safe_name(name: Option<&str>) -> String {
    let name = name.unwrap_or_default();
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let letters = last.chars().filter(|letter| !letter.is_control() && *letter != ':');
    let name: String = letters.collect();
    let name = name.trim_matches(['.', ' ']);
    match cut(name, NAME_BYTES_MAX).trim_end() {
        "" => "upload.jsonl".to_owned(),
        name => name.to_owned(),
    }
}

async fn from_body(mut body: Body, name: Option<&str>, wait: Duration) -> Result<Upload, ApiError> {
    let mut upload = Upload::new()?;
    let mut file = upload.begin(name)?;
    while let Some(piece) = next_piece(&mut body, wait).await? {
        upload.add(&mut file, &piece)?;
    }
    Ok(upload)
}

async fn from_form(request: HttpRequest, wait: Duration) -> Result<Upload, ApiError> {
    let malformed = |error: MultipartError| {
        ApiError::validation(format!(
            "the form cannot be read: {error}; send multipart/form-data with one part a file"
        ))
        .closing()
    };
    let mut form = Multipart::from_request(request, &())
        .await
        .map_err(|error| ApiError::validation(error.to_string()).closing())?;
    let mut upload = Upload::new()?;
    while let Some(mut field) = in_time(wait, form.next_field()).await?.map_err(malformed)? {
        let name = field.file_name().map(str::to_owned);
        if name.is_none() {
            let field = field.name().unwrap_or_default().to_owned();
            return Err(ApiError::validation(format!("the part {field:?} is not a file")).closing());
        }
        let mut file = upload.begin(name.as_deref())?;
        while let Some(piece) = in_time(wait, field.chunk()).await?.map_err(malformed)? {
            upload.add(&mut file, &piece)?;
        }
    }
    match upload.files.is_empty() {
        true => Err(ApiError::validation("the form has no file")),
        false => Ok(upload),
    }
}

fn import(
    call: &mut Call<'_>,
    upload: &Upload,
    (importer, day_order): (Option<&'static dyn Importer>, Option<DayOrder>),
    intent: Intent,
    progress: &mut Progress,
) -> Result<Value, ApiError> {
    let scratch = Some(upload.folder.path().to_owned());
    let mut context =
        Context { scratch, day_order, ..Context::new(call.session.now, call.session.zone.clone()) };
    let detected = |path: &Path| {
        let name = name_of(path);
        let unreadable =
            |error: ImportError| ApiError::from(EngineError::from(error)).naming(path, &name);
        match importer {
            Some(importer) => Ok(importer),
            None => importers::detect(path).map_err(unreadable)?.ok_or_else(|| {
                ApiError::validation(format!("the format of {name:?} was not recognised; name it"))
            }),
        }
    };
    // Before anything is recorded.
    let formats: Vec<&dyn Importer> =
        upload.files.iter().map(|path| detected(path)).collect::<Result<_, _>>()?;
    let mut sources = Vec::new();
    for (path, importer) in upload.files.iter().zip(formats) {
        let name = name_of(path);
        context.name = Some(name.clone());
        let imported = call.opened.import(importer, path, &context, intent, |done| {
            progress
                .report(|| json!({ "file": name, "bytes": done.bytes, "records": done.records }));
        });
        let report = imported.map_err(|error| ApiError::from(error).naming(path, &name))?;
        let mut source = serde_json::to_value(&report)?;
        // The temporary folder is nobody's concern.
        source["path"] = json!(name);
        let folder = path.to_string_lossy();
        for problem in source["problems"].as_array_mut().into_iter().flatten() {
            for field in ["file", "message"] {
                let text = problem[field].as_str().unwrap_or_default();
                problem[field] = json!(text.replace(&*folder, &name));
            }
        }
        sources.push(source);
    }
    let now = call.session.now;
    let derived = match intent {
        Intent::Write => derive_new(&mut call.opened.space, now, |derived| {
            progress.report(|| json!({ "step": "derive", "records": derived.read }));
        })?,
        Intent::DryRun => None,
    };
    let derived = derived.map(|(derived, _)| derived);
    Ok(json!({ "dry_run": intent == Intent::DryRun, "sources": sources, "derived": derived }))
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_leads_nowhere_else() {
        for (given, kept) in [
            ("notes.md", "notes.md"),
            ("../../etc/passwd", "passwd"),
            ("C:\\a\\b.ics", "b.ics"),
            ("..", "upload.jsonl"),
            ("a/", "upload.jsonl"),
            ("a\0b", "ab"),
            (". .. .", "upload.jsonl"),
            (&"字".repeat(100), &"字".repeat(66)),
        ] {
            assert_eq!(safe_name(Some(given)), kept, "{given:?}");
        }
        assert_eq!(safe_name(None), "upload.jsonl");
    }
}
