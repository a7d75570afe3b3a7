//! Readers and writers of one space, in one process.

use std::collections::BTreeMap;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use engine::belief::claims::ClaimFilter;
use engine::belief::user::Replacement;
use engine::outcome::Intent;
use engine::recall::facts::FactQuery;
use engine::{Sealer, Space};
use kernel::kind::Capability;
use kernel::seal::Draft;

use crate::support::{Home, at, key, note, query, recalled};

#[test]
fn handles_share_what_searches_keep_in_memory_whatever_keys_they_write_with() {
    let home = Home::new();
    assert!(home.again(1).shares_index_with(&home.again(2)));
    let apart = Space::open_unshared(home.space.path(), key(1)).unwrap();
    assert!(!apart.shares_index_with(&home.space));
}

#[test]
fn a_reader_answers_everything_from_its_snapshot() {
    let mut home = crate::toys::gym();
    let beside = home.again(1);
    let reader = beside.reader().unwrap();
    let answers = || {
        let facts = reader.recall_facts(&FactQuery::new("gym", at(9))).unwrap();
        let facts: Vec<_> = facts.facts.into_iter().map(|fact| fact.belief.text).collect();
        let claims = reader.claims(&ClaimFilter::default(), 10).unwrap().total;
        let recall = reader.recall(&query("gym soup")).unwrap();
        let mut lines = Vec::new();
        let lines = reader.export(&mut lines, |_| {}).unwrap();
        let status = reader.status(key(1).author()).unwrap();
        let position = (reader.head().unwrap(), recall.position, status.text_position);
        (facts, claims, recall.results.len(), lines, status.operations, position)
    };
    let before = answers();
    assert!(!before.0.is_empty() && before.1 > 0);
    home.remember("new", "the gym serves soup");
    let draft = home.space.to_refute(&before_key(&home.space), "no").unwrap();
    home.space.act(draft, Intent::Write, at(10)).unwrap();
    assert_eq!(home.space.recall(&query("gym soup")).unwrap().results.len(), before.2 + 1);
    assert_eq!(answers(), before);
    drop(reader);
    assert!(beside.recall_facts(&FactQuery::new("gym", at(9))).unwrap().facts.is_empty());
}

fn before_key(space: &Space) -> String {
    space.claims(&ClaimFilter::default(), 1).unwrap().beliefs[0].key.clone()
}

#[test]
fn one_handle_writes_with_many_keys() {
    let mut home = Home::new();
    let (phone, ungranted) = (Sealer::new(key(2)), Sealer::new(key(3)));
    let may = vec![Capability::Append];
    home.space.change_access(phone.author(), "phone", may, true, at(1)).unwrap();
    let mut writer = home.space.writer_with(&phone);
    assert_eq!(writer.author(), phone.author());
    writer.remember(note("a", "tomato soup"), at(2)).unwrap();
    writer.finish().unwrap();
    let refused = home.space.writer_with(&ungranted).remember(note("b", "lentil soup"), at(3));
    assert_eq!(refused.unwrap_err().code(), "not_permitted");
    home.remember("c", "onion soup");
    let reader = home.space.reader().unwrap();
    let authors: BTreeMap<_, _> = reader
        .log_tail(3, &Default::default())
        .unwrap()
        .into_iter()
        .map(|recorded| (recorded.position.0, recorded.operation.header().author))
        .collect();
    assert_eq!(
        authors,
        BTreeMap::from([(2, key(1).author()), (3, phone.author()), (4, key(1).author())])
    );
    assert!(!reader.may(&ungranted.author(), Capability::Append, at(4)).unwrap());
    assert_eq!(recalled(&home.space, "soup").len(), 2);
}

#[test]
fn several_writes_are_folded_once_when_the_writer_finishes() {
    let mut home = Home::new();
    let beside = home.again(1);
    let mut writer = home.space.writer();
    for number in 0..5 {
        writer.remember(note(&number.to_string(), &format!("soup {number}")), at(1)).unwrap();
    }
    let reader = beside.reader().unwrap();
    let recall = reader.recall(&query("soup")).unwrap();
    assert_eq!((reader.head().unwrap().0, recall.behind), (6, 6));
    drop(reader);
    writer.finish().unwrap();
    let recall = beside.reader().unwrap().recall(&query("soup")).unwrap();
    assert_eq!((recall.results.len(), recall.behind), (5, 0));
}

#[test]
fn operations_that_a_writer_left_unfolded_are_folded_by_the_next_reader() {
    let mut home = Home::new();
    home.remember_unfolded("a", "tomato soup");
    assert_eq!(home.space.reader().unwrap().recall(&query("soup")).unwrap().behind, 2);
    assert_eq!(recalled(&home.again(1), "soup"), ["tomato soup"]);
    assert_eq!(home.space.reader().unwrap().recall(&query("soup")).unwrap().behind, 0);
}

#[test]
fn every_kind_of_write_leaves_nothing_to_fold() {
    let mut home = crate::toys::gym();
    let folded = |space: &Space| {
        let reader = space.reader().unwrap();
        let facts = reader.recall_facts(&FactQuery::new("gym", at(9))).unwrap();
        (reader.recall(&query("gym")).unwrap().behind, facts.behind)
    };
    assert_eq!(folded(&home.space), (0, 0), "after deriving");
    let key = before_key(&home.space);
    let by = Replacement {
        set: vec![r#"{"name":"nowhere"}"#.to_owned()],
        text: Some("Never goes".to_owned()),
        ..Replacement::default()
    };
    let drafts = home.space.to_correct(&key, &by).unwrap();
    home.space.act(drafts, Intent::Write, at(10)).unwrap();
    assert_eq!(folded(&home.space), (0, 0), "after acting");
    let exported = crate::support::exported(&home.space);
    let genesis = engine::write::exchange::read_genesis(&mut exported.as_slice()).unwrap();
    let path = home.path("copy.space");
    let mut copy = Space::copy_of(&path, &genesis.0, &genesis.1, crate::support::key(4)).unwrap();
    copy.take_in(&mut exported.as_slice(), at(11), |_| {}).unwrap();
    assert_eq!(folded(&copy), (0, 0), "after an exchange");
    let body = kernel::body::Body::Decision(Default::default());
    let _ = home.space.append(Draft::new(body), at(12));
    home.record_many(3);
    assert_eq!(folded(&home.space), (0, 0), "after recording");
}

#[test]
fn acknowledged_records_are_found_by_readers_that_begin_later() {
    const READERS: usize = 4;
    const RECORDS: usize = 120;
    let mut home = Home::new();
    let (acknowledged, is_done) = (AtomicUsize::new(0), AtomicBool::new(false));
    let begin = Barrier::new(READERS + 1);
    let searches: usize = std::thread::scope(|scope| {
        let readers: Vec<_> = (0..READERS)
            .map(|number| {
                let space = home.again(number as u8 + 1);
                assert!(space.shares_index_with(&home.space));
                let (acknowledged, is_done, begin) = (&acknowledged, &is_done, &begin);
                scope.spawn(move || {
                    begin.wait();
                    let mut searches = 0;
                    while !is_done.load(Ordering::SeqCst) || searches < 3 {
                        let known = acknowledged.load(Ordering::SeqCst);
                        // No view has to be caught up with: the writer has folded.
                        let reader = space.reader().unwrap();
                        let recall = reader.recall(&query("soup")).unwrap();
                        if known > 0 {
                            assert!(recall.position.0 > known as u64);
                            let word = format!("number{}", (searches * 7) % known);
                            let found = reader.recall(&query(&word)).unwrap().results;
                            let says = |text: &str| text.split(' ').any(|part| part == word);
                            assert!(found.iter().any(|found| says(&found.evidence.payload.text)));
                        }
                        assert_eq!(
                            reader.recall(&query("soup")).unwrap().position,
                            recall.position
                        );
                        searches += 1;
                    }
                    searches
                })
            })
            .collect();
        begin.wait();
        for number in 0..RECORDS {
            home.remember(&number.to_string(), &format!("soup number{number}"));
            acknowledged.store(number + 1, Ordering::SeqCst);
        }
        is_done.store(true, Ordering::SeqCst);
        readers.into_iter().map(|reader| reader.join().unwrap()).sum()
    });
    assert!(searches >= 3 * READERS);
    let fresh = Space::open_unshared(home.space.path(), key(1)).unwrap();
    for question in ["soup", "number7 number77", "soup number119"] {
        let shown = |space: &Space| {
            let recall = space.recall(&query(question)).unwrap();
            let results = recall.results.into_iter().map(|result| (result.id, result.score));
            (results.collect::<Vec<_>>(), recall.position, recall.behind)
        };
        assert_eq!(shown(&home.space), shown(&fresh), "{question}");
        assert_eq!(shown(&home.space), shown(&fresh), "{question}, with directions in memory");
    }
    assert!(fresh.verify(|_| {}).unwrap().is_sound());
}

#[test]
fn only_what_a_key_signed_in_this_space_shows_that_it_takes_part() {
    let home = Home::new();
    let signed = |number: u8| {
        home.again(number).reader().unwrap().has_signed(&key(number).author()).unwrap()
    };
    assert!(signed(1) && !signed(2));
    // The beginning of another space is signed, and can be put into any file.
    let other = home.space.path().with_file_name("other.space");
    drop(Space::create(&other, key(2), "other", at(0)).unwrap());
    home.tamper(&format!(
        "ATTACH '{}' AS other;
         INSERT INTO author (key) SELECT key FROM other.author;
         INSERT INTO op SELECT (SELECT max(pos) + 1 FROM op), id, kind,
             (SELECT number FROM main.author WHERE key = (SELECT key FROM other.author)), seq, prev,
             ts, refs, body_hash, salt, body, sig FROM other.op WHERE pos = 1",
        other.display()
    ));
    assert!(!signed(2));
}
