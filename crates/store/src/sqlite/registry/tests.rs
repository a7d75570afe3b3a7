//! A view that is declared in the registry is created, migrated, folded, digested, verified and
//! rebuilt without another line.

use kernel::body::{Body, Space};
use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility};
use kernel::operation::{HlcTimestamp, Operation};
use kernel::seal::{ChainPosition, Draft, Signer};

use super::super::SqliteSpace;
use super::*;
use crate::Ledger;

/// Counts operations by kind.
static KIND_COUNT: ViewSpec = ViewSpec {
    name: "kinds",
    tables: &[TableSpec::new(
        "kind_count",
        // A version after the program's.
        1_000,
        "CREATE TABLE kind_count (kind TEXT PRIMARY KEY, number INTEGER NOT NULL) STRICT, WITHOUT ROWID;",
    )
    .ordered_by("kind")],
    fold: Fold::Lagging { version: 1, folds_graph: false, reads_bodies_of: |_| true, folder: |_| Ok(Box::new(KindCounter)) },
};

static WITH_KIND_COUNT: Registry = Registry {
    views: &[
        &graph::VIEW,
        &records::VIEW,
        &beliefs::VIEW,
        &index::TEXT_VIEW,
        &index::FACT_VIEW,
        &index::THOUGHT_VIEW,
        &KIND_COUNT,
    ],
    journals: REGISTRY.journals,
};

struct KindCounter;

impl ViewFolder for KindCounter {
    fn fold(&mut self, task: &FoldTask<'_>) -> Result<Position, StoreError> {
        let connection = task.connection;
        let from = KIND_COUNT.position(connection, "main")?;
        if from.0 == 0 {
            KIND_COUNT.clear(connection)?;
        }
        // Two operations at a time, so that it takes several folds.
        let head = ledger::head(connection)?;
        let to = Position(from.0 + 2).min(task.until).min(head);
        if to <= from {
            return Ok(from);
        }
        connection.execute(
            "INSERT INTO kind_count SELECT kind, count(*) FROM op WHERE pos > ?1 AND pos <= ?2 GROUP BY kind
             ON CONFLICT (kind) DO UPDATE SET number = number + excluded.number",
            [graph::sql(from), graph::sql(to)],
        )?;
        connection.execute(
            "INSERT OR REPLACE INTO view (name, version, pos) VALUES ('kinds', 1, ?1)",
            [graph::sql(to)],
        )?;
        Ok(to)
    }
}

fn genesis() -> (Operation, Body) {
    let signer = Signer::from_seed([1; 32]);
    let body = Body::Space(Space {
        name: "test".into(),
        owner: signer.author(),
        created: "2026-01-01T00:00:00Z".into(),
        settings: Default::default(),
    });
    let place = ChainPosition { space: None, head: None, ts: HlcTimestamp(1) };
    (signer.seal(Draft::new(body.clone()), place).unwrap(), body)
}

fn tell(space: &mut SqliteSpace, count: u64) {
    let signer = Signer::from_seed([1; 32]);
    let mut writing = space.begin().unwrap();
    for _ in 0..count {
        let ts = HlcTimestamp(writing.latest().unwrap().unwrap().0 + 1);
        let evidence = Evidence {
            source: "test".to_owned(),
            source_uid: ts.0.to_string(),
            kind: EvidenceKind::from(EvidenceKind::NOTE),
            actor: None,
            at: None,
            summary: "soup".to_owned(),
            visibility: Visibility::Project,
            payload: Payload { text: "soup".to_owned(), ..Payload::default() },
        };
        let body = Body::Evidence(evidence);
        let place = ChainPosition {
            space: writing.space().unwrap(),
            head: writing.head(&signer.author()).unwrap(),
            ts,
        };
        let operation = signer.seal(Draft::new(body.clone()), place).unwrap();
        writing.record(&operation, Some(&body)).unwrap();
    }
    writing.commit().unwrap();
}

fn counted(space: &SqliteSpace) -> Vec<(String, i64)> {
    let mut statement =
        space.connection.prepare("SELECT kind, number FROM kind_count ORDER BY kind").unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

fn names_and_positions(space: &SqliteSpace) -> Vec<(&'static str, u64)> {
    let digests = space.digests().unwrap();
    digests.into_iter().map(|view| (view.name, view.position.0)).collect()
}

fn is_verified(space: &SqliteSpace) -> bool {
    space.refold().unwrap().iter().all(|(stored, folded)| stored == folded)
}

#[test]
fn a_declared_view_is_created_folded_digested_verified_and_rebuilt() {
    let folder = tempfile::tempdir().unwrap();
    let (genesis, body) = genesis();
    let path = folder.path().join("test.space");
    let mut space = SqliteSpace::create_with(&WITH_KIND_COUNT, &path, &genesis, &body).unwrap();
    tell(&mut space, 5);
    assert_eq!(counted(&space), []);
    space.advance(|_| {}).unwrap();
    assert_eq!(counted(&space), [("evidence".to_owned(), 5), ("space".to_owned(), 1)]);
    let known = [
        ("graph", 6),
        ("records", 6),
        ("beliefs", 6),
        ("text", 6),
        ("facts", 6),
        ("thoughts", 6),
        ("kinds", 6),
    ];
    assert_eq!(names_and_positions(&space), known);
    assert!(is_verified(&space));
    let digests = space.digests().unwrap();
    space.rebuild(|_| {}).unwrap();
    assert_eq!(space.digests().unwrap(), digests);
    space
        .connection
        .execute("UPDATE kind_count SET number = 4 WHERE kind = 'evidence'", [])
        .unwrap();
    let differing: Vec<&str> = space
        .refold()
        .unwrap()
        .into_iter()
        .filter(|(stored, folded)| stored != folded)
        .map(|(stored, _)| stored.name)
        .collect();
    assert_eq!(differing, ["kinds"]);
    space.size().unwrap();
}

#[test]
fn a_file_without_a_declared_view_gets_it_and_a_program_without_it_refuses_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let (genesis, body) = genesis();
    let path = folder.path().join("test.space");
    let mut space = SqliteSpace::create(&path, &genesis, &body).unwrap();
    tell(&mut space, 3);
    space.advance(|_| {}).unwrap();
    let before = space.digests().unwrap();
    drop(space);
    let mut space = SqliteSpace::open_with(&WITH_KIND_COUNT, &path).unwrap();
    assert_eq!(names_and_positions(&space).last(), Some(&("kinds", 0)));
    assert!(is_verified(&space));
    space.advance(|_| {}).unwrap();
    assert_eq!(counted(&space), [("evidence".to_owned(), 3), ("space".to_owned(), 1)]);
    assert_eq!(space.digests().unwrap()[..before.len()], before[..]);
    assert!(is_verified(&space));
    drop(space);
    assert!(matches!(SqliteSpace::open(&path), Err(StoreError::TooNew { found: 1_000, .. })));
}

#[test]
fn every_declared_table_is_made_once_and_belongs_to_one_view() {
    let connection = Connection::open_in_memory().unwrap();
    REGISTRY.create(&connection).unwrap();
    let exists = |name: &str| {
        connection
            .query_row(
                "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1)",
                [name],
                |row| row.get::<_, bool>(0),
            )
            .unwrap()
    };
    let mut names: Vec<&str> =
        REGISTRY.views.iter().flat_map(|view| view.tables).map(|table| table.name).collect();
    assert!(names.iter().all(|name| exists(name)));
    let declared = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), declared);
}
