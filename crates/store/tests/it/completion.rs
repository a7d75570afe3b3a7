//! Bodies that arrive after their operations: every view comes out as if they had always been
//! there.

use kernel::declaration::{Declaration, Statement};
use kernel::id::OpId;
use kernel::ledger_index::{Graph, LedgerIndex};
use kernel::operation::Operation;
use proptest::collection::vec;
use proptest::prelude::*;
use store::sqlite::SqliteSpace;
use store::{Ledger, Position, Writing};

use crate::book::{Book, append_right, body_at, genesis, key, word};
use crate::histories::{operation, same, step};

/// Admits operations, some of which have lost their bodies, in one transaction.
fn admit<'o, L: Ledger>(ledger: &mut L, operations: impl IntoIterator<Item = &'o Operation>) {
    let mut writing = ledger.begin().unwrap();
    for operation in operations {
        let verdict = writing.admit(operation, body_at(operation).as_ref());
        assert_eq!(word(&verdict), "append");
    }
    writing.commit().unwrap();
}

fn digests(space: &SqliteSpace) -> Vec<(&'static str, String)> {
    let views = space.digests().unwrap().into_iter();
    views.map(|view| (view.name, view.digest)).collect()
}

/// Every operation after the genesis, whole.
fn whole(space: &SqliteSpace) -> Vec<Operation> {
    let recorded = space.read(Position(1), usize::MAX).unwrap().into_iter();
    recorded.map(|recorded| recorded.operation.verify().unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_completed_ledger_equals_one_that_never_lacked_a_body(
        steps in vec((step(), any::<bool>()), 1..40),
        is_folded in any::<bool>(),
        is_searched in any::<bool>(),
    ) {
        let mut graph = Graph::default();
        let (first, first_body) = genesis();
        graph.insert(&first, Some(&first_body));
        let mut ids = vec![(first.id(), first.header().ts)];
        let mut operations: Vec<Operation> = Vec::new();
        let mut stripped: Vec<Operation> = Vec::new();
        for (step, is_stripped) in &steps {
            let (operation, body) = operation(&graph, step, &ids);
            graph.insert(&operation, Some(&body));
            ids.push((operation.id(), operation.header().ts));
            let passed_on = operation.clone();
            stripped.push(if *is_stripped { passed_on.without_body() } else { passed_on });
            operations.push(operation);
        }
        let (mut always, mut file, mut memory) = (Book::in_file(), Book::in_file(), Book::in_memory());
        admit(&mut always.ledger, &operations);
        admit(&mut file.ledger, &stripped);
        admit(&mut memory.ledger, &stripped);
        always.advance();
        let other = file.again();
        if is_folded {
            file.advance();
        }
        if is_searched {
            other.find("text");
        }
        let missing = steps.iter().filter(|(_, is_stripped)| *is_stripped).count() as u64;
        prop_assert_eq!(file.ledger.complete(&operations).unwrap(), missing);
        prop_assert_eq!(memory.ledger.complete(&operations).unwrap(), missing);
        same(&*file.ledger.begin().unwrap(), &graph, &ids);
        same(&*memory.ledger.begin().unwrap(), &graph, &ids);
        for (stored, folded) in file.ledger.refold().unwrap() {
            prop_assert_eq!(stored, folded, "before it is folded up to date");
        }
        file.advance();
        prop_assert_eq!(digests(&file.ledger), digests(&always.ledger));
        for (stored, folded) in file.ledger.refold().unwrap() {
            prop_assert_eq!(stored, folded);
        }
        prop_assert_eq!(whole(&file.ledger), whole(&always.ledger));
        prop_assert_eq!(file.find("text"), always.find("text"));
        prop_assert_eq!(other.find("text"), always.find("text"), "another process");
        let access = other.ledger.ledger_index().unwrap().access().unwrap().clone();
        prop_assert_eq!(&access, graph.access().unwrap());
        prop_assert_eq!(file.ledger.complete(&operations).unwrap(), 0);
    }
}

#[test]
fn a_grant_without_its_body_gives_nothing_and_the_fold_agrees() {
    let mut source = Book::in_file();
    source.record(&key(1), "grant", &append_right(2), &[]);
    source.record(&key(1), "revoke", &append_right(2), &[]);
    source.note("1", "soup");
    let operations = whole(&source.ledger);
    let mut book = Book::in_file();
    admit(
        &mut book.ledger,
        &operations.iter().cloned().map(Operation::without_body).collect::<Vec<_>>(),
    );
    for _ in 0..2 {
        assert!(book.ledger.refold().unwrap().iter().all(|(stored, folded)| stored == folded));
        book.advance();
    }
}

#[test]
fn a_body_completes_only_the_operation_that_commits_to_it() {
    let mut source = Book::in_file();
    source.note("1", "soup");
    let operations = whole(&source.ledger);
    let mut book = Book::in_file();
    admit(&mut book.ledger, &[operations[0].clone().without_body()]);
    assert_eq!(book.ledger.complete(&[operations[0].clone().without_body()]).unwrap(), 0);
    source.note("2", "bread");
    assert_eq!(book.ledger.complete(&whole(&source.ledger)[1..]).unwrap(), 0);
    assert!(book.ledger.ledger_index().unwrap().lacks_body(&operations[0].id()).unwrap());
    assert_eq!(book.ledger.complete(&operations).unwrap(), 1);
    assert!(!book.ledger.ledger_index().unwrap().lacks_body(&operations[0].id()).unwrap());
    book.advance();
    assert_eq!(book.find("soup"), ["soup"]);
}

fn declaration(book: &Book<SqliteSpace>, by: u8, withheld: Vec<OpId>) -> Declaration {
    let space = book.ledger.space().unwrap().unwrap();
    key(by).declare(Statement::new(space, key(by).author(), None, withheld)).unwrap()
}

#[test]
fn a_declaration_is_kept_while_a_body_that_it_names_is_missing() {
    let mut source = Book::in_file();
    let (one, two) = (source.note("1", "soup"), source.note("2", "bread"));
    let operations = whole(&source.ledger);
    let mut book = Book::in_file();
    let stripped: Vec<Operation> =
        operations.iter().cloned().map(Operation::without_body).collect();
    admit(&mut book.ledger, &stripped);
    let (owners, others) =
        (declaration(&book, 1, vec![one, two]), declaration(&book, 2, vec![one]));
    let mut writing = book.ledger.write().unwrap();
    for declaration in [&owners, &others, &owners] {
        writing.declare(declaration).unwrap();
    }
    let mut authors = vec![key(1).author(), key(2).author()];
    authors.sort_unstable();
    assert_eq!(writing.withheld_by(&one).unwrap(), authors);
    let counts = |author: &_| *author == key(1).author();
    assert_eq!(writing.prune_declarations(counts).unwrap(), [key(2).author()]);
    assert_eq!(writing.withheld_by(&one).unwrap(), [key(1).author()]);
    Writing::commit(Box::new(writing)).unwrap();
    let lines = |space: &SqliteSpace| {
        let mut lines = Vec::new();
        space
            .declarations(|line| {
                lines.push(line.to_owned());
                true
            })
            .unwrap();
        lines
    };
    assert_eq!(lines(&book.ledger), [owners.to_line()]);
    for (id, is_kept) in [(one, true), (two, false)] {
        let position = operations.iter().position(|operation| operation.id() == id).unwrap();
        book.ledger.complete(&operations[position..=position]).unwrap();
        let mut writing = book.ledger.write().unwrap();
        writing.prune_declarations(|_| true).unwrap();
        Writing::commit(Box::new(writing)).unwrap();
        assert_eq!(lines(&book.ledger).len(), usize::from(is_kept));
        let index = book.ledger.ledger_index().unwrap();
        assert!(index.withheld_by(&id).unwrap().is_empty());
    }
}
