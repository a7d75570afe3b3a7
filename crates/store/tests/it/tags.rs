//! Claims and nodes by their tags.

use kernel::id::OpId;
use serde_json::json;
use store::StoreError;
use store::sqlite::{BeliefFilter, SqliteSpace, TagRange};

use crate::book::{Book, key};

/// A claim and a node that share a tag, and a claim with others.
fn tagged() -> (Book<SqliteSpace>, [OpId; 3]) {
    let mut book = Book::in_file();
    let seen = book.note("n", "The kiln was fired on Friday");
    let claim = |text: &str, tags: &[&str]| json!({"claim_type": "t", "identity_key": text, "text": text, "payload": text, "tags": tags});
    let first =
        book.record(&key(1), "claim", &claim("hot", &["kiln", "mi:id:1"]), &[("input", seen)]);
    let node = json!({"node_type": "action", "text": "fired", "tags": ["kiln", "kiln", "\"é"]});
    let node = book.record(&key(1), "node", &node, &[("input", seen)]);
    let other = book.record(&key(1), "claim", &claim("cold", &["kilns"]), &[("input", seen)]);
    (book, [first, node, other])
}

fn with_tag(space: &SqliteSpace, tag: &str) -> Vec<OpId> {
    space.on_snapshot(|index| index.tagged(&TagRange::one(tag))).unwrap()
}

fn check(space: &SqliteSpace, [first, node, other]: [OpId; 3]) {
    assert_eq!(with_tag(space, "kiln"), [first, node]);
    assert_eq!(with_tag(space, "\"é"), [node]);
    assert_eq!(with_tag(space, "oven"), []);
    let beginning = TagRange::beginning_with("kiln").unwrap();
    let found = space.on_snapshot(|index| index.tagged(&beginning)).unwrap();
    assert_eq!(found, [first, node, other]);
    let listed = |tags: &[&str], prefix: Option<&str>| {
        let tags: Vec<String> = tags.iter().map(|tag| (*tag).to_owned()).collect();
        let listed: Result<_, StoreError> = space.on_snapshot(|index| {
            let tagged = index.selective_tag(&tags, prefix)?;
            let filter = BeliefFilter { tagged, ..BeliefFilter::served() };
            let page = index.list_beliefs_where(&filter, 9, |_| Ok::<_, StoreError>(true))?;
            Ok(page.unwrap().keys)
        });
        listed.unwrap()
    };
    assert_eq!(listed(&["kiln"], None), ["hot"]);
    assert_eq!(listed(&["kiln", "oven"], None), [""; 0], "the rarer one counts");
    assert_eq!(listed(&[], Some("kiln")), ["cold", "hot"]);
    assert_eq!(listed(&[], None), ["cold", "hot"]);
}

#[test]
fn tags_are_found_whole_and_by_their_beginning() {
    let (book, ids) = tagged();
    check(&book.ledger, ids);
    for (stored, folded) in book.ledger.refold().unwrap() {
        assert_eq!(stored, folded);
    }
}

#[test]
fn a_file_of_version_9_gains_the_tags() {
    let (book, ids) = tagged();
    book.tamper("DROP TABLE record_tag; PRAGMA user_version=9");
    let (path, folder) = (book.ledger.path().to_owned(), book.folder);
    drop(book.ledger);
    let space = SqliteSpace::open(&path).unwrap();
    check(&space, ids);
    for (stored, folded) in space.refold().unwrap() {
        assert_eq!(stored, folded);
    }
    drop(folder);
}

#[test]
fn a_file_of_version_9_that_cannot_be_written_finds_tags_in_what_was_said() {
    let (book, [first, node, other]) = tagged();
    book.tamper("DROP TABLE record_tag; PRAGMA user_version=9");
    let (path, folder) = (book.ledger.path().to_owned(), book.folder);
    drop(book.ledger);
    let mut permissions = std::fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions).unwrap();
    let space = SqliteSpace::open(&path).unwrap();
    if space.mode() == store::sqlite::Mode::ReadOnly {
        let found = with_tag(&space, "kiln");
        assert!(found.contains(&first) && found.contains(&node), "{found:?}, {other}");
        let tags = ["kiln".to_owned()];
        let selective = space.on_snapshot(|index| index.selective_tag(&tags, None)).unwrap();
        assert_eq!(selective, None);
    }
    drop(folder);
}

#[test]
fn what_thousands_have_is_not_looked_up() {
    let mut book = Book::in_file();
    let seen = book.note("n", "The kiln was fired on Friday");
    let tags: Vec<String> = (0..5_000).map(|number| format!("p:{number}")).collect();
    let node = json!({"node_type": "action", "text": "fired", "tags": tags});
    book.record(&key(1), "node", &node, &[("input", seen)]);
    let rarest = |tags: &[String], prefix| {
        book.ledger.on_snapshot(|index| index.selective_tag(tags, prefix)).unwrap()
    };
    assert_eq!(rarest(&[], Some("p:")), None);
    assert_eq!(rarest(&[], Some("p:12")), TagRange::beginning_with("p:12"));
    assert_eq!(rarest(&tags[..1], Some("p:12")), Some(TagRange::one("p:0")));
}
