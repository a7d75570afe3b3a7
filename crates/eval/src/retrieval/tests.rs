use super::*;
use crate::records;

const DOCUMENT: &str = r#"{"type":"document","id":"d1","text":"We rented a boat."}"#;
const QUERY: &str = r#"{"type":"query","id":1,"text":"What was rented?","gold":["d1"]}"#;

fn read_lines(lines: &[&str]) -> Result<Retrieval, EvalError> {
    read_bytes(lines.join("\n").as_bytes())
}

fn read_bytes(bytes: &[u8]) -> Result<Retrieval, EvalError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.jsonl");
    std::fs::write(&path, bytes).unwrap();
    read(&path)
}

/// The collection of these lines, and the folder of its files.
pub(crate) fn collection_of(lines: &[&str]) -> (Collection, tempfile::TempDir) {
    read_lines(lines).unwrap().into_parts()
}

/// The line and the reason of the error.
fn complaint(lines: &[&str]) -> (u64, String) {
    match read_lines(lines).map(|_| ()) {
        Err(EvalError::Line { line, reason, .. }) => (line, reason),
        other => panic!("{lines:?} gave {other:?}"),
    }
}

fn records(retrieval: &Retrieval) -> Vec<kernel::evidence::Evidence> {
    let mut found = Vec::new();
    records::visit(&retrieval.collection.sources[0], &mut |evidence| found.push(evidence.clone()))
        .unwrap();
    found
}

#[test]
fn documents_become_records_with_all_fields() {
    let full = r#"{"type":"document","id":7,"text":"Look","title":"Trip","actor":"Ana","at":"2024-05-01T10:00:00Z","session":"s","kind":"turn","location":"Oslo","captions":["a boat"],"participants":["Ben"],"tags":["sea"]}"#;
    let retrieval = read_lines(&["\u{feff}", full, "", DOCUMENT, QUERY]).unwrap();
    let [first, second] = records(&retrieval).try_into().unwrap();
    assert_eq!(
        (first.source.as_str(), first.source_uid.as_str(), first.kind.0.as_str()),
        ("collection", "7", "turn")
    );
    assert_eq!((first.actor.as_deref(), first.summary.as_str()), (Some("Ana"), "Look"));
    assert_eq!(records::line(&first), "Ana: Look a boat sea Trip Oslo");
    assert_eq!(second.kind.0, "note", "what says nothing of its kind");
    assert_eq!(retrieval.documents, 2);
}

#[test]
fn gold_is_in_the_query_or_in_lines_of_its_own_before_or_after() {
    let gold = r#"{"type":"gold","query":"1","documents":["d2"]}"#;
    let other = r#"{"type":"document","id":"d2","text":"A sail."}"#;
    let nothing =
        r#"{"type":"query","id":2,"text":"Who?","answerable":false,"today":"2024-05-01"}"#;
    let collection = read_lines(&[gold, QUERY, nothing, DOCUMENT, other]).unwrap().collection;
    let [question] = collection.questions.as_slice() else { panic!("one with gold") };
    assert_eq!(
        question.gold,
        ["d1", "d2"].map(|id| RecordKey::new("collection", id)).into_iter().collect()
    );
    assert_eq!(question.category, "queries");
    assert_eq!(collection.unanswerable[0].today, Some(jiff::civil::date(2024, 5, 1)));
    assert_eq!(collection.name, "mine");
}

#[test]
fn invalid_lines_are_refused_with_line_and_reason() {
    let cases: [(&[&str], u64, &str); 18] = [
        (&["", "nonsense"], 2, "not JSON"),
        (&["[]"], 1, "not a JSON object"),
        (&[r#"{"id":"d"}"#], 1, "`type` is missing"),
        (&[r#"{"type":7}"#], 1, "`type` is missing"),
        (&[DOCUMENT, r#"{"type":"doc","id":"d"}"#], 2, r#"`type` "doc" is not"#),
        (&[r#"{"type":"document","text":"x"}"#], 1, "missing field `id`"),
        (&[r#"{"type":"document","id":"","text":"x"}"#], 1, "an id is"),
        (&[r#"{"type":"document","id":["d"],"text":"x"}"#], 1, "an id is"),
        (&[r#"{"type":"document","id":"d","speaker":"Ana"}"#], 1, "unknown field `speaker`"),
        (&[r#"{"type":"document","id":"d","at":"soon"}"#], 1, "`at`:"),
        (&[r#"{"type":"document","id":"d","kind":" "}"#], 1, "`kind`"),
        (&[DOCUMENT, DOCUMENT], 2, r#"document "d1" is there already, in line 1"#),
        (&[DOCUMENT, QUERY, QUERY], 3, r#"query "1" is there already, in line 2"#),
        (&[QUERY], 1, r#"gold names document "d1", which does not exist"#),
        (
            &[DOCUMENT, r#"{"type":"gold","query":"q","documents":["d1"]}"#],
            2,
            r#"gold of query "q""#,
        ),
        (&[DOCUMENT, r#"{"type":"query","id":1,"text":"Who?"}"#], 2, "the query has no gold"),
        (
            &[
                DOCUMENT,
                r#"{"type":"query","id":1,"text":"Who?","gold":["d1"],"answerable":false}"#,
            ],
            2,
            "unanswerable",
        ),
        (
            &[DOCUMENT, r#"{"type":"query","id":1,"text":"Who?","gold":["d1"],"today":"soon"}"#],
            2,
            "`today`:",
        ),
    ];
    for (lines, line, reason) in cases {
        let (found, complaint) = complaint(lines);
        assert_eq!(found, line, "{lines:?}: {complaint}");
        assert!(complaint.contains(reason), "{lines:?}: {complaint}");
    }
}

#[test]
fn lines_that_are_too_long_or_not_utf8_are_refused() {
    let long = format!(r#"{{"type":"document","id":"d","text":"{}"}}"#, "x".repeat(600_000));
    assert!(complaint(&[DOCUMENT, &long]).1.contains("longer than"));
    assert!(matches!(read_bytes(b"\n\xff\xfe"), Err(EvalError::Line { line: 2, .. })));
    assert!(matches!(read(Path::new("/nowhere/at/all")), Err(EvalError::File { .. })));
}

#[test]
fn collections_without_documents_or_queries_are_refused() {
    let unanswerable = r#"{"type":"query","id":2,"text":"Who?","answerable":false}"#;
    for lines in [&[][..], &["", " "], &[DOCUMENT], &[DOCUMENT, unanswerable], &[unanswerable]] {
        assert!(matches!(read_lines(lines), Err(EvalError::Form { .. })), "{lines:?}");
    }
}

/// Writes the three files of BEIR's layout.
fn read_beir(corpus: &str, queries: &str, qrels: &str) -> Result<Retrieval, EvalError> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("qrels")).unwrap();
    std::fs::write(folder.path().join("corpus.jsonl"), corpus).unwrap();
    std::fs::write(folder.path().join("queries.jsonl"), queries).unwrap();
    std::fs::write(folder.path().join("qrels").join("test.tsv"), qrels).unwrap();
    read(folder.path())
}

const CORPUS: &str = concat!(
    r#"{"_id":"a","title":"Boats","text":"They float.","metadata":{"x":1}}"#,
    "\n",
    r#"{"_id":"b","title":"","text":""}"#,
);
const QUERIES: &str = concat!(
    r#"{"_id":"1","text":"What floats?"}"#,
    "\n",
    r#"{"_id":"2","text":"Of another split"}"#
);

#[test]
fn a_folder_in_the_beir_layout_is_read() {
    let retrieval =
        read_beir(CORPUS, QUERIES, "query-id\tcorpus-id\tscore\n1\ta\t2\r\n1\tb\t0\n").unwrap();
    assert_eq!((retrieval.documents, retrieval.without_gold), (2, 1));
    let [question] = retrieval.collection.questions.as_slice() else { panic!("one of this split") };
    assert_eq!(question.gold, BTreeSet::from([RecordKey::new("collection", "a")]));
    assert_eq!(records(&retrieval)[0].payload.title.as_deref(), Some("Boats"));
}

#[test]
fn beir_gold_with_unknown_ids_is_refused_with_its_line() {
    for (qrels, line) in
        [("1\ta\t1\n1\tz\t1", 2), ("9\ta\t1", 1), ("1 a 1", 1), ("1\ta\t1\n1\tb\tmuch", 2)]
    {
        let found = read_beir(CORPUS, QUERIES, qrels).map(|_| ());
        assert!(
            matches!(&found, Err(EvalError::Line { line: at, path, .. }) if *at == line && path.ends_with("test.tsv")),
            "{qrels:?}: {found:?}"
        );
    }
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(read(folder.path()), Err(EvalError::File { .. })), "no corpus in it");
}

/// Invented notes, a calendar, sessions with a coding assistant and facts: data on which the
/// formula was not fitted.
#[test]
fn recall_also_works_on_data_other_than_conversations() {
    use crate::measures::{Ranks, average};
    use crate::run::{Kind, run};

    let path =
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/samples/notebook.jsonl"));
    let retrieval = read(path).unwrap();
    assert_eq!((retrieval.documents, retrieval.collection.unanswerable.len()), (60, 6));
    let collections = [retrieval.collection];
    let recall = |kind| {
        let run = run(kind, &collections, 10, None, &mut || {}).unwrap();
        let ranks: Vec<&Ranks> = run.ranks_of(&collections, None).collect();
        average(ranks, &[10]).at[0].recall
    };
    let (found, control) = (recall(Kind::Because), recall(Kind::Bm25));
    assert!(found >= 0.90 && found > control, "{found} beside {control}");
}
