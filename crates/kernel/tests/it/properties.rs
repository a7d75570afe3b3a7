//! What holds for any bytes, any value and any mixture of good and corrupted operations.

use std::sync::LazyLock;

use kernel::body::Body;
use kernel::canonical::{self, INTEGER_MAX};
use kernel::id::{Author, BodyHash, OpId, SpaceId};
use kernel::kind::Kind;
use kernel::operation::{
    Content, Header, HlcTimestamp, Operation, Ref, Role, Unverified, verify_batch,
};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::Value;

use crate::generate;

/// The lines of the valid vectors, which the properties disturb.
static LINES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let files = generate::files();
    let file = files.iter().find(|file| file.path == "operations.json").unwrap();
    let vectors: Vec<Value> = serde_json::from_str(&file.text).unwrap();
    vectors.iter().map(|vector| vector["line"].as_str().unwrap().to_owned()).collect()
});

static OPERATIONS: LazyLock<Vec<Operation<Unverified>>> = LazyLock::new(|| {
    LINES.iter().map(|line| Operation::from_line(line.as_bytes()).unwrap()).collect()
});

/// Numbers in normal form: whole ones are integers.
fn number() -> impl Strategy<Value = Value> {
    let integer = -(INTEGER_MAX as i64)..=INTEGER_MAX as i64;
    let double = any::<f64>().prop_filter("neither whole nor too large", |number| {
        number.abs() <= INTEGER_MAX as f64 && number.trunc() != *number
    });
    prop_oneof![
        integer.prop_map(Value::from),
        (-10..10_i64).prop_map(Value::from),
        double.prop_map(Value::from)
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number(),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 48, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            btree_map(any::<String>(), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn header() -> impl Strategy<Value = Header> {
    let word = "[a-z][a-z0-9_.-]{0,63}";
    let refs = vec((any::<[u8; 32]>(), word), 0..6);
    let place = (1..=INTEGER_MAX, 0..=INTEGER_MAX, any::<[u8; 32]>(), any::<[u8; 32]>());
    (word, any::<[u8; 32]>(), any::<[u8; 32]>(), place, refs).prop_map(
        |(kind, author, body, place, refs)| {
            let (seq, ts, prev, space) = place;
            let kind = Kind::parse(&kind).unwrap();
            Header {
                space: (kind != Kind::Space).then_some(SpaceId(OpId(space))),
                kind,
                author: Author(author),
                seq,
                prev: (seq > 1).then_some(OpId(prev)),
                ts: HlcTimestamp(ts),
                refs: refs
                    .into_iter()
                    .map(|(id, role)| Ref { id: OpId(id), role: Role::parse(&role).unwrap() })
                    .collect(),
                body: BodyHash(body),
            }
        },
    )
}

/// How a line is disturbed.
#[derive(Clone, Debug)]
enum Edit {
    Replace(usize, u8),
    Insert(usize, u8),
    Remove(usize, usize),
    Repeat(usize, usize),
    Swap(usize, usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    let (at, byte) = (any::<usize>(), any::<u8>());
    prop_oneof![
        (at, byte).prop_map(|(at, byte)| Edit::Replace(at, byte)),
        (at, byte).prop_map(|(at, byte)| Edit::Insert(at, byte)),
        (at, 1..20_usize).prop_map(|(at, length)| Edit::Remove(at, length)),
        (at, 1..20_usize).prop_map(|(at, length)| Edit::Repeat(at, length)),
        (at, at).prop_map(|(one, other)| Edit::Swap(one, other)),
    ]
}

fn apply(line: &mut Vec<u8>, edit: &Edit) {
    let length = line.len();
    if length == 0 {
        return;
    }
    match *edit {
        Edit::Replace(at, byte) => line[at % length] = byte,
        Edit::Insert(at, byte) => line.insert(at % length, byte),
        Edit::Remove(at, count) => drop(line.drain(at % length..(at % length + count).min(length))),
        Edit::Repeat(at, count) => {
            let run = line[at % length..(at % length + count).min(length)].to_vec();
            line.splice(at % length..at % length, run);
        }
        Edit::Swap(one, other) => line.swap(one % length, other % length),
    }
}

/// One of the good operations, perhaps with one bit turned somewhere.
fn corrupted(operation: &Operation<Unverified>, part: u8, bit: usize) -> Operation<Unverified> {
    let turn = |bytes: &mut [u8]| {
        if let Some(byte) = bytes.get_mut(bit / 8) {
            *byte ^= 1 << (bit % 8);
        }
    };
    let (mut id, mut header, mut sig) =
        (operation.id(), operation.header().clone(), *operation.sig());
    let mut content = operation.content().clone();
    match part {
        0 => turn(&mut sig),
        1 => turn(&mut id.0),
        2 => turn(&mut header.author.0),
        3 => {
            if let Content::Present { body, .. } = &mut content {
                turn(body);
            }
        }
        4 => content = Content::Removed,
        _ => {}
    }
    Operation::from_parts(id, header, content, sig).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..400), text in any::<String>()) {
        for bytes in [&bytes[..], text.as_bytes()] {
            let _ = Operation::from_line(bytes);
            let _ = canonical::parse(bytes);
            for kind in Kind::KNOWN {
                let _ = Body::parse(kind, bytes);
            }
        }
    }

    #[test]
    fn any_body_is_read_or_refused_by_every_kind(body in value()) {
        let bytes = canonical::to_bytes(&body).unwrap();
        for kind in Kind::KNOWN {
            if let Ok(body) = Body::parse(kind, &bytes) {
                prop_assert_eq!(body.kind(), kind.clone());
            }
        }
    }

    #[test]
    fn a_value_reads_back_from_its_canonical_bytes(value in value()) {
        let bytes = canonical::to_bytes(&value).unwrap();
        let read = canonical::parse(&bytes).unwrap();
        prop_assert_eq!(&read, &value);
        prop_assert_eq!(canonical::to_bytes(&read).unwrap(), bytes);
    }

    #[test]
    fn every_value_that_is_read_has_one_normal_form(text in "[-0-9.eE]{1,24}") {
        if let Ok(value) = canonical::parse(text.as_bytes()) {
            let bytes = canonical::to_bytes(&value).unwrap();
            prop_assert_eq!(canonical::parse(&bytes).unwrap(), value);
        }
    }

    #[test]
    fn a_header_is_written_in_its_rfc_8785_form(header in header()) {
        let written = header.canonical();
        let value = canonical::parse(&written).unwrap();
        prop_assert_eq!(canonical::to_bytes(&value).unwrap(), written);
    }

    #[test]
    fn an_edited_line_never_verifies_as_another_operation(
        which in any::<prop::sample::Index>(),
        edits in vec(edit(), 1..4),
    ) {
        let line = which.get(&LINES);
        let original = Operation::from_line(line.as_bytes()).unwrap().verify().unwrap();
        let mut disturbed = line.clone().into_bytes();
        for edit in &edits {
            apply(&mut disturbed, edit);
        }
        if let Ok(operation) = Operation::from_line(&disturbed)
            && let Ok(verified) = operation.verify()
        {
            prop_assert_eq!(verified, original);
        }
    }

    #[test]
    fn a_batch_is_verified_as_its_operations_are_one_by_one(
        picks in vec((any::<prop::sample::Index>(), 0..24_u8, 0..512_usize), 0..12),
    ) {
        let mixed: Vec<_> =
            picks.iter().map(|(which, part, bit)| corrupted(which.get(&OPERATIONS), *part, *bit)).collect();
        let alone: Vec<_> = mixed.iter().cloned().map(Operation::verify).collect();
        prop_assert_eq!(verify_batch(mixed), alone);
    }
}
