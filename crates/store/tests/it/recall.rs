//! Scores of the index equal those of a reference that computes every record anew.

use jiff::civil::Date;
use kernel::evidence::{Evidence, EvidenceKind};
use kernel::when::When;
use proptest::collection::vec;
use proptest::prelude::*;
use retrieval::rank::Weights;
use retrieval::text::Language;
use serde_json::json;
use store::Position;
use store::sqlite::{Filter, Found, SqliteSpace};
use testkit::naive_recall::{Document, Hit, NaiveRecall};

use crate::book::{Book, note};

const WORDS: &[&str] = &[
    "soup",
    "bread",
    "visited",
    "Lisbon",
    "kiln",
    "glaze",
    "yesterday",
    "ana",
    "ben",
    "cleo",
    "painting",
    "running",
    "parse_config",
    "why?",
    "the",
    "May",
    "und die Häuser am Hafen",
    "los restaurantes de Tesla",
    "restaurants",
    "Tesla",
];
const PEOPLE: &[&str] = &["Ana Ruiz", "Ben", "Cleo Park", "Ana Silva"];
const KINDS: &[&str] = &["turn", "note", "event"];
const QUESTIONS: &[&str] = &[
    "soup",
    "When did Ana Ruiz visit Lisbon?",
    "What did Ben say about glaze and bread?",
    "What did Cleo Park tell Ben about the kiln?",
    "Which soup did Ana run after in May 2024?",
    "what happened on 3 March 2024",
    "Ben",
    "parse config painting unknownword",
    "What did Ben's sister paint for Cleo?",
    "last week",
    "What did Ben talk about on 3 March 2024?",
    "what happened yesterday",
    "Who went running yesterday?",
    "the next painting",
    "When did Ana Ruiz last visit Lisbon?",
    "the",
    "Welches Haus am Hafen?",
    "¿Dónde están los restaurantes de Tesla?",
    "restaurants of Tesla",
    "Which foods did Ben visit Lisbon for?",
    "What hobbies does Ana Ruiz have?",
];

/// A record of a random corpus.
#[derive(Clone, Debug)]
struct Draft {
    /// Each word and how often it occurs. Postings count to 3 in the records before, and a caption
    /// may add one.
    words: Vec<(usize, u32)>,
    session: Option<u8>,
    author: Option<usize>,
    participants: Vec<usize>,
    day: Option<u16>,
    kind: usize,
    caption: Option<usize>,
    supersedes: Option<prop::sample::Index>,
    is_folded: bool,
}

fn draft() -> impl Strategy<Value = Draft> {
    let words = vec((0..WORDS.len(), 1..=2_u32), 0..6);
    let who = (prop::option::of(0..PEOPLE.len()), vec(0..PEOPLE.len(), 0..3));
    let what = (0..KINDS.len(), prop::option::weighted(0.2, 0..WORDS.len()));
    let fate =
        (prop::option::weighted(0.15, any::<prop::sample::Index>()), prop::bool::weighted(0.2));
    (words, prop::option::of(0..4_u8), who, prop::option::of(0..140_u16), what, fate).prop_map(
        |(
            mut words,
            session,
            (author, participants),
            day,
            (kind, caption),
            (supersedes, is_folded),
        )| {
            words.sort_unstable();
            words.dedup_by_key(|(word, _)| *word);
            Draft {
                words,
                session,
                author,
                participants,
                day,
                kind,
                caption,
                supersedes,
                is_folded,
            }
        },
    )
}

fn date(day: u16) -> Date {
    jiff::civil::date(2024, 1, 20).checked_add(jiff::Span::new().days(i64::from(day))).unwrap()
}

fn evidence(number: usize, draft: &Draft) -> Evidence {
    let text: Vec<&str> = draft
        .words
        .iter()
        .flat_map(|(word, times)| std::iter::repeat_n(WORDS[*word], *times as usize))
        .collect();
    let mut evidence = note(&number.to_string(), &text.join(" "));
    evidence.kind = KINDS[draft.kind].into();
    evidence.actor = draft.author.map(|author| PEOPLE[author].to_owned());
    evidence.at = draft.day.map(|day| When::from_date(date(day)));
    evidence.payload.session = draft.session.map(|session| format!("s{session}"));
    evidence.payload.participants =
        draft.participants.iter().map(|person| PEOPLE[*person].to_owned()).collect();
    evidence.payload.captions = draft.caption.iter().map(|word| WORDS[*word].to_owned()).collect();
    evidence
}

fn document(number: usize, evidence: &Evidence) -> Document {
    Document {
        session: evidence.payload.session.clone().unwrap_or_else(|| format!("alone {number}")),
        author: evidence.actor.clone(),
        participants: evidence.payload.participants.clone(),
        date: evidence.at.as_ref().map(When::date),
        is_event: evidence.kind.0 == EvidenceKind::EVENT,
        text: evidence.payload.text.clone(),
        more: evidence.payload.captions.clone(),
        is_note: evidence.kind.0 != EvidenceKind::TURN,
        continues_text: evidence.kind.0 == EvidenceKind::NOTE,
    }
}

fn find(
    space: &mut SqliteSpace,
    question: &str,
    today: Option<Date>,
    filter: &Filter,
    limit: usize,
) -> Vec<Found> {
    find_by(&Weights::LEXICAL, space, question, today, filter, limit)
}

fn find_by(
    weights: &Weights,
    space: &mut SqliteSpace,
    question: &str,
    today: Option<Date>,
    filter: &Filter,
    limit: usize,
) -> Vec<Found> {
    let found = space.search(|search, analyzer| {
        let question = search.question(question, analyzer, today)?;
        search.finder(&question, analyzer, filter, today, weights)?.find(limit)
    });
    found.unwrap()
}

/// The same records with the same scores, part by part, in the same order.
fn compare(found: &[Found], expected: &[&Hit], question: &str) {
    let numbers = |found: &[Found]| {
        found.iter().map(|found| (found.document, found.score.total)).collect::<Vec<_>>()
    };
    let wanted: Vec<_> =
        expected.iter().map(|hit| (hit.document as u32, hit.score.total)).collect();
    assert_eq!(found.len(), expected.len(), "{question}: {:?} for {wanted:?}", numbers(found));
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found.document, expected.document as u32, "{question}");
        for (part, wanted) in found.score.parts.iter().zip(&expected.score.parts) {
            let context = format!("{question}: {} of document {}", part.name, found.document);
            assert!(
                (part.contribution - wanted.contribution).abs() < 1e-6,
                "{context}: {part:?}, {wanted:?}"
            );
        }
        assert!((found.score.total - expected.score.total).abs() < 1e-6, "{question}");
    }
}

/// The positive parts of a record's score: words in common, of its own or its session's, a member
/// of a class, or a date.
fn is_candidate(hit: &Hit) -> bool {
    let signals = &hit.signals;
    [signals.words, signals.session, signals.classes, signals.date].iter().any(|part| *part > 0.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn search_scores_and_orders_as_the_reference(
        drafts in vec(draft(), 1..40),
        kinds in prop::option::weighted(0.3, 0..KINDS.len()),
        since in prop::option::weighted(0.3, 0..140_u16),
        until in prop::option::weighted(0.3, 0..140_u16),
    ) {
        let mut book = Book::in_file();
        let mut naive = NaiveRecall::new(Language::English);
        let mut ids = Vec::new();
        let mut dead = vec![false; drafts.len()];
        for (number, draft) in drafts.iter().enumerate() {
            let record = evidence(number, draft);
            let replaced = draft.supersedes.filter(|_| number > 0).map(|which| which.index(number));
            let refs: Vec<_> = replaced.iter().map(|replaced| ("supersedes", ids[*replaced])).collect();
            ids.push(book.evidence(&record, &refs));
            if let Some(replaced) = replaced {
                dead[replaced] = true;
            }
            naive.add(document(number, &record));
            if draft.is_folded {
                book.advance();
            }
        }
        book.advance();
        let at_us = |day: u16| When::from_date(date(day)).instant_us();
        let filter = Filter {
            kinds: kinds.iter().map(|kind| KINDS[*kind].to_owned()).collect(),
            since_us: since.map(at_us),
            until_us: until.map(at_us),
            ..Filter::default()
        };
        let today = Some(jiff::civil::date(2024, 4, 1));
        for question in QUESTIONS {
            let hits = naive.recall(question, today, &Weights::LEXICAL);
            let admitted = |hit: &&Hit| {
                let draft = &drafts[hit.document];
                let is_dated = (since.is_none() && until.is_none()) || draft.day.is_some();
                !dead[hit.document]
                    && kinds.is_none_or(|kind| kind == draft.kind)
                    && is_dated
                    && since.is_none_or(|since| draft.day >= Some(since))
                    && until.is_none_or(|until| draft.day < Some(until))
            };
            let expected: Vec<&Hit> = hits.iter().filter(|hit| is_candidate(hit)).filter(admitted).collect();
            compare(&find(&mut book.ledger, question, today, &filter, 100), &expected, question);
            // A retracted record adds nothing to what came before it; the reference does not model
            // that.
            let after = if dead.contains(&true) { 0.0 } else { Weights::WITH_VECTORS.next_meaning };
            let weights = Weights { next_meaning: after, ..Weights::WITH_VECTORS };
            let found = find_by(&weights, &mut book.ledger, question, today, &filter, 100);
            let asked_once = find_by(&weights, &mut book.again().ledger, question, today, &filter, 100);
            prop_assert_eq!(&asked_once, &found, "{}", question);
            let hits = naive.recall(question, today, &weights);
            let is_found = |hit: &&Hit| found.iter().any(|found| found.document == hit.document as u32);
            compare(&found, &hits.iter().filter(is_found).collect::<Vec<_>>(), question);
            for hit in hits.iter().filter(|hit| hit.signals.words > 0.0 && hit.signals.window_meaning >= 0.0).filter(admitted) {
                prop_assert!(is_found(&hit), "{question}: {hit:?}");
            }
        }
    }
}

/// A kind, a time and a text.
type Dated = (&'static str, &'static str, &'static str);

/// The records that a question finds, best first, asked on 1 April 2024.
fn ranked(records: &[Dated], question: &str) -> Vec<Dated> {
    ranked_by(&Weights::WITH_VECTORS, records, question)
}

fn ranked_by(weights: &Weights, records: &[Dated], question: &str) -> Vec<Dated> {
    let mut book = Book::in_file();
    for (number, (kind, at, text)) in records.iter().enumerate() {
        let mut record = note(&number.to_string(), text);
        record.kind = (*kind).into();
        record.at = Some(When::parse(at).unwrap());
        record.payload.session = Some(format!("{kind} {}", &at[..10]));
        book.evidence(&record, &[]);
    }
    book.advance();
    let today = Some(jiff::civil::date(2024, 4, 1));
    let found = find_by(weights, &mut book.ledger, question, today, &Filter::default(), 100);
    found.iter().map(|found| records[found.document as usize]).collect()
}

/// A part of the score of the record that a question finds first.
fn part_of_first(record: Evidence, question: &str, name: &str) -> f64 {
    let mut book = Book::in_file();
    book.evidence(&record, &[]);
    book.advance();
    let weights = &Weights::WITH_VECTORS;
    let found = find_by(weights, &mut book.ledger, question, None, &Filter::default(), 1);
    let parts = found.iter().flat_map(|found| &found.score.parts);
    parts.filter(|part| part.name == name).map(|part| part.value).sum()
}

fn record_of(kind: &str, role: Option<&str>, text: &str) -> Evidence {
    let mut record = note("1", text);
    record.kind = kind.into();
    record.payload.role = role.map(str::to_owned);
    record
}

#[test]
fn only_notes_and_the_user_say_how_to_answer() {
    let standing = |kind: &str, role: Option<&str>| {
        let record = record_of(kind, role, "Always answer with metric units.");
        part_of_first(record, "What is a metric mile?", "standing")
    };
    // It has a word of the question.
    assert_eq!(standing(EvidenceKind::NOTE, None), 1.5);
    assert_eq!(standing(EvidenceKind::TURN, Some("user")), 1.5);
    assert_eq!(standing(EvidenceKind::TURN, Some("assistant")), 0.0);
    for kind in [EvidenceKind::COMMIT, EvidenceKind::MAIL, EvidenceKind::EVENT] {
        assert_eq!(standing(kind, None), 0.0, "{kind}");
    }
}

#[test]
fn an_instruction_counts_more_where_it_names_the_question_and_not_within_a_long_note() {
    let standing = |text: &str| {
        let record = record_of(EvidenceKind::NOTE, None, text);
        part_of_first(record, "Which mile is the longest?", "standing")
    };
    assert_eq!(standing("Always answer with metric units."), 1.0);
    assert_eq!(standing("Always use metric units when I ask about miles."), 1.5);
    let long = format!("Always wedge the clay. {}", "The kiln is in the mill. ".repeat(8));
    assert_eq!(standing(&long), 0.0);
}

#[test]
fn a_question_for_what_the_program_said_prefers_that() {
    let asker = |role: &str, question: &str| {
        let record = record_of(EvidenceKind::TURN, Some(role), "The kiln needs nine hours.");
        part_of_first(record, question, "asker")
    };
    let said = "How long did you say that my kiln needs?";
    assert_eq!((asker("assistant", said), asker("user", said)), (1.0, 0.0));
    let mine = "How long does my kiln need?";
    assert_eq!((asker("assistant", mine), asker("user", mine)), (0.0, 1.0));
}

#[test]
fn what_a_tool_printed_does_not_outrank_the_answer() {
    let turns = [
        ("user", "Where are the integration tests?"),
        ("tool", "tests/it/main.rs tests/it/integration.rs integration tests tests/it"),
        ("assistant", "The integration tests live in tests/it, one binary per crate."),
    ];
    let mut book = Book::in_file();
    for (number, (role, text)) in turns.iter().enumerate() {
        let mut turn = record_of(EvidenceKind::TURN, Some(role), text);
        turn.source_uid = number.to_string();
        turn.payload.session = Some("session".to_owned());
        book.evidence(&turn, &[]);
    }
    book.advance();
    for weights in [Weights::WITH_VECTORS, Weights::LEXICAL] {
        for question in [turns[0].1, "integration tests", "the tests of integration"] {
            let filter = Filter::default();
            let found = find_by(&weights, &mut book.ledger, question, None, &filter, 3);
            let place =
                |wanted| found.iter().position(|found| turns[found.document as usize].0 == wanted);
            assert!(place("assistant") < place("tool"), "{question}: {found:?}");
        }
    }
}

#[test]
fn a_conversation_without_the_person_counts_less_unless_it_names_them() {
    let turns = [
        ("chat", "Ana", "Hello Ben!"),
        ("chat", "Ben", "The kiln is broken."),
        ("help", "assistant", "The kiln is broken."),
        ("help", "user", "Ana says the kiln is broken."),
    ];
    let mut book = Book::in_file();
    for (number, (session, author, text)) in turns.iter().enumerate() {
        let mut turn = record_of(EvidenceKind::TURN, None, text);
        turn.source_uid = number.to_string();
        turn.actor = Some((*author).to_owned());
        turn.payload.session = Some((*session).to_owned());
        book.evidence(&turn, &[]);
    }
    let mut note = record_of(EvidenceKind::NOTE, None, "The kiln is broken, says a note.");
    note.source_uid = "note".to_owned();
    book.evidence(&note, &[]);
    book.advance();
    let mut elsewhere = |question: &str| {
        let found = find(&mut book.ledger, question, None, &Filter::default(), 10);
        let part = |found: &Found| {
            found.score.parts.iter().find(|part| part.name == "elsewhere").unwrap().value
        };
        let mut documents: Vec<u32> =
            found.iter().filter(|found| part(found) > 0.0).map(|found| found.document).collect();
        documents.sort_unstable();
        documents
    };
    assert_eq!(elsewhere("What did Ana say about the kiln?"), [2]);
    assert!(elsewhere("Is the kiln broken?").is_empty());
}

#[test]
fn a_short_piece_of_a_file_inherits_words_of_the_piece_before_it() {
    let words = |kind: &str, text: &str| {
        let mut book = Book::in_file();
        for (uid, text) in [("1", "The kayak is in the shed."), ("2", text)] {
            let mut piece = record_of(kind, None, text);
            piece.source_uid = uid.to_owned();
            piece.payload.session = Some("sports.md".to_owned());
            book.evidence(&piece, &[]);
        }
        book.advance();
        let found = find(&mut book.ledger, "kayak", None, &Filter::default(), 10);
        found
            .iter()
            .find(|found| found.document == 1)
            .map_or(0.0, |found| found.score.parts[0].value)
    };
    assert!((words(EvidenceKind::NOTE, "It leaks.") - 0.2 / 0.3).abs() < 1e-9);
    assert!((words(EvidenceKind::TURN, "It leaks.") - 0.8 / 0.9).abs() < 1e-9);
    assert_eq!(words(EvidenceKind::COMMIT, "It leaks."), 0.0);
    let long: String = (0..70).map(|number| format!("paddle{number} ")).collect();
    assert_eq!(words(EvidenceKind::NOTE, &long), 0.0);
}

#[test]
fn the_users_own_words_count_more_for_a_question_in_the_first_person() {
    let words = |role: &str, question: &str| {
        let record = record_of(EvidenceKind::TURN, Some(role), "I bought a red kayak.");
        part_of_first(record, question, "asker_words")
    };
    assert!(words("user", "When did I buy the kayak?") > 0.0);
    for question in ["Wann habe ich das Kayak gekauft?", "Quand ai-je acheté mon kayak ? Et moi ?"]
    {
        assert!(words("user", question) > 0.0, "{question}");
    }
    assert_eq!(words("user", "Wann hat sie das Kayak gekauft?"), 0.0);
    assert_eq!(words("assistant", "When did I buy the kayak?"), 0.0);
    assert_eq!(words("user", "Who sells a kayak?"), 0.0);
}

#[test]
fn what_the_user_pasted_is_not_their_own_word() {
    let asker = |text: &str| {
        let record = record_of(EvidenceKind::TURN, Some("user"), text);
        part_of_first(record, "Where is my kayak?", "asker")
    };
    assert_eq!(asker("My kayak is in the shed."), 1.0);
    let letter = "Dear tenants, my kayak is in the shed. Please leave it there. Odile";
    assert_eq!(asker(&format!("Please proofread this email from my landlady:\n\n{letter}")), 0.0);
    // The question says more than what it is about.
    let question = "My kayak is at the lake, and I do not get what my landlady means with this";
    assert_eq!(asker(&format!("{question}: the shed.")), 1.0);
    let own = "My kayak is at the lake, and nobody takes it away from there. ".repeat(12);
    let long = format!("{own}\n\nMy landlady wrote:\n\n{}", letter.repeat(12));
    assert_eq!(asker(&long), 1.0);
    let pasted = long.replace("at the lake", "there").replace("kayak is there", "boat is there");
    assert_eq!(asker(&pasted), 0.0);
}

#[test]
fn beside_chats_with_a_program_the_persons_notes_are_theirs_as_well() {
    let asker = |records: &[(&str, Option<&str>, Option<&str>)]| {
        let mut book = Book::in_file();
        for (number, (kind, role, actor)) in records.iter().enumerate() {
            let mut record = record_of(kind, *role, "I bought a red kayak.");
            record.source_uid = number.to_string();
            record.actor = actor.map(str::to_owned);
            book.evidence(&record, &[]);
        }
        book.advance();
        let question = "When did I buy the kayak?";
        let mut found = find(&mut book.ledger, question, None, &Filter::default(), 10);
        found.sort_by_key(|found| found.document);
        let part = |found: &Found| {
            found
                .score
                .parts
                .iter()
                .filter(|part| part.name == "asker")
                .map(|part| part.value)
                .sum()
        };
        found.iter().map(part).collect::<Vec<f64>>()
    };
    let note = (EvidenceKind::NOTE, None, None);
    let chat = (EvidenceKind::TURN, Some("user"), None);
    let reply = (EvidenceKind::TURN, Some("assistant"), None);
    let mail = (EvidenceKind::MAIL, None, Some("Ana"));
    let event = (EvidenceKind::EVENT, None, None);
    assert_eq!(asker(&[note, chat, reply, mail, event]), [1.0, 1.0, 0.0, 0.0, 1.0]);
    assert_eq!(asker(&[note, mail, event]), [0.0; 3]);
}

#[test]
fn a_question_for_a_day_finds_that_day_in_its_order_then_what_names_it_then_the_day_after() {
    let records = [
        ("turn", "2024-03-12T08:00:00Z", "We talked about the conversation."),
        ("turn", "2024-03-11T19:00:00Z", "Should we paint it yesterday?"),
        ("turn", "2024-03-11T18:00:00Z", "Hello."),
        ("turn", "2024-03-11T19:00:00Z", "Blue is better."),
        ("turn", "2024-01-20T08:00:00Z", "Everything is due on 11 March."),
        ("turn", "2024-01-21T08:00:00Z", "We talked."),
        ("turn", "2024-01-22T08:00:00Z", "1 March: 11 chairs."),
        ("turn", "2024-01-22T09:00:00Z", "2024-01-03: 11 tables."),
    ];
    let expected = [2, 1, 3, 4, 0].map(|number: usize| records[number]);
    let found = |question: &str| ranked(&records, question);
    assert_eq!(found("What was the topic of our conversation on March 11?"), expected);
    assert_eq!(found("What did we talk about on 11 March 2024?"), expected);
    assert_eq!(found("What did we say about blue on 11 March 2024?")[0], records[3]);
}

#[test]
fn the_next_and_the_last_occurrence_are_the_nearest_ones() {
    let mut records: Vec<Dated> =
        ["2024-03-18", "2024-03-25", "2024-04-08", "2024-04-15", "2025-04-15"]
            .map(|at| ("event", at, "Pottery class"))
            .to_vec();
    records.push(("event", "2024-04-02", "Gym"));
    let days = |question: &str| {
        let found = ranked(&records, question).into_iter();
        found.map(|(_, at, text)| (at, text)).filter(|(_, text)| *text != "Gym").collect::<Vec<_>>()
    };
    let of =
        |days: &[&'static str]| days.iter().map(|at| (*at, "Pottery class")).collect::<Vec<_>>();
    let next = of(&["2024-04-08", "2024-04-15", "2025-04-15"]);
    assert_eq!(days("next pottery class")[..3], next);
    assert_eq!(days("When is the upcoming pottery class?")[..3], next);
    let last = of(&["2024-03-25", "2024-03-18"]);
    assert_eq!(days("When was my last pottery class?")[..2], last);
    assert_eq!(ranked(&records, "next pottery class")[0].2, "Pottery class");
}

#[test]
fn a_record_that_says_last_week_fits_a_question_that_says_so() {
    let records = [
        ("turn", "2023-06-20", "We went camping in the forest last week."),
        ("turn", "2023-08-20", "We went camping in the forest."),
        ("turn", "2024-03-27", "The forest is green."),
    ];
    assert_eq!(ranked(&records, "Who went camping last week?")[0], records[0]);
}

#[test]
fn a_question_for_a_list_finds_members_of_the_class_that_it_names() {
    let records = [
        ("turn", "2024-03-20", "Stones are heavy."),
        ("turn", "2024-03-21", "I bought a violin."),
        ("turn", "2024-03-22", "It rained."),
    ];
    let found = |question| ranked_by(&Weights::LEXICAL, &records, question);
    assert_eq!(found("Which instruments does Ada have?"), [records[1]]);
    assert_eq!(found("Who has an instrument?"), []);
}

/// The texts that a question finds among tasks, a list of tasks and other records.
fn found_among_tasks(question: &str, with_open: bool) -> Vec<String> {
    let mut book = Book::in_file();
    let mut texts = Vec::new();
    let mut tell = |kind: &str, role: Option<&str>, text: &str, fields: serde_json::Value| {
        let mut record = record_of(kind, role, text);
        record.source_uid = text.to_owned();
        record.payload.more = serde_json::from_value(fields).unwrap();
        book.evidence(&record, &[]);
        texts.push(text.to_owned());
    };
    let turn = EvidenceKind::TURN;
    tell(turn, Some("user"), "I have a list of open shops, and what I still need.", json!({}));
    tell(turn, Some("user"), "Always answer my tasks in metric units.", json!({}));
    tell("task", None, "Pay the rent", json!({ "status": "completed" }));
    tell("task", None, "Renew the passport", json!({ "completed": "2024-03-01" }));
    tell(EvidenceKind::NOTE, None, "- [x] buy soil", json!({ "done_tasks": 1 }));
    if with_open {
        tell("task", None, "Book the venue", json!({ "status": "needs-action" }));
        let open = json!({ "open_tasks": ["water the tulips"], "done_tasks": 1 });
        tell(EvidenceKind::NOTE, None, "- [ ] water the tulips\n- [x] buy pots", open);
    }
    book.advance();
    let found = find(&mut book.ledger, question, None, &Filter::default(), 10);
    let mut found: Vec<String> =
        found.iter().map(|found| texts[found.document as usize].clone()).collect();
    found.sort();
    found
}

#[test]
fn a_question_for_open_tasks_finds_these_and_no_words_that_ask() {
    let open = ["- [ ] water the tulips\n- [x] buy pots", "Book the venue"];
    for question in ["What do I still have to do?", "What is on my to-do list?", "my open tasks"] {
        assert_eq!(found_among_tasks(question, true), open, "{question}");
    }
    let of_tulips = "Which tasks are open for the tulips?";
    assert!(found_among_tasks(of_tulips, true).contains(&open[0].to_owned()));
    // A memory without open tasks is searched for the words.
    let found = found_among_tasks("Which tasks are open?", false);
    assert!(found.iter().any(|text| text.contains("open shops")), "{found:?}");
}

#[test]
fn search_scores_as_the_reference_across_blocks_of_documents_and_sessions() {
    const DOCUMENTS: usize = 17_000;
    let mut naive = NaiveRecall::new(Language::English);
    let mut book = Book::in_file();
    let records: Vec<Evidence> = (0..DOCUMENTS)
        .map(|number| {
            let pick = |modulus: usize, base: usize| WORDS[(number / base) % modulus];
            let mut record = note(
                &number.to_string(),
                &format!("{} w{} {}", pick(12, 1), number % 97, pick(7, 13)),
            );
            // Sessions overlap: there are 1 100 of them, and each is continued after long pauses.
            record.payload.session = Some(format!("s{}", (number * 7) % 1_100));
            record.actor = (number % 3 > 0).then(|| PEOPLE[number % 4].to_owned());
            record.at = Some(When::from_date(date((number % 140) as u16)));
            record
        })
        .collect();
    for (number, record) in records.iter().enumerate() {
        naive.add(document(number, record));
    }
    for part in records.chunks(6_500) {
        book.evidences(part);
        book.advance();
    }
    for question in [
        "What did Ben say about w13 and soup?",
        "w96 w1 kiln bread",
        "what happened on 3 March 2024 in Lisbon",
        "Where did Ana Ruiz go running?",
        "Which foods did Ben visit Lisbon for?",
    ] {
        let hits = naive.recall(question, None, &Weights::LEXICAL);
        let expected: Vec<&Hit> =
            hits.iter().filter(|hit| is_candidate(hit)).take(DOCUMENTS).collect();
        let found = find(&mut book.ledger, question, None, &Filter::default(), DOCUMENTS);
        compare(&found, &expected, question);
        // The best few are the first of all results.
        let few = find(&mut book.ledger, question, None, &Filter::default(), 10);
        compare(&few[..10], &expected[..10], question);
        // The next record of a session is searched among a few hundred records; here it comes
        // later.
        let weights = Weights { next_meaning: 0.0, ..Weights::WITH_VECTORS };
        let hits = naive.recall(question, None, &weights);
        let found =
            find_by(&weights, &mut book.ledger, question, None, &Filter::default(), DOCUMENTS);
        compare(&found[..10], &hits.iter().take(10).collect::<Vec<_>>(), question);
        let asked_once = find_by(
            &weights,
            &mut book.again().ledger,
            question,
            None,
            &Filter::default(),
            DOCUMENTS,
        );
        assert!(
            asked_once == found,
            "{question}: directions read in passing give what those kept in memory give"
        );
        assert!(
            expected.iter().take(500).any(|hit| hit.document >= 16_384),
            "the second block has its share"
        );
    }
    assert_eq!(book.ledger.text_position().unwrap(), Position(DOCUMENTS as u64 + 1));
    for (stored, folded) in book.ledger.refold().unwrap() {
        assert_eq!(stored, folded);
    }
}
