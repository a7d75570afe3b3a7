use super::dates::{DateMention, MonthDay, date_fit};
use super::names::Names;
use super::*;
use crate::text::{Language, Languages};
use jiff::civil::date;

fn names() -> Names {
    [(NameId(1), "Ada"), (NameId(2), "Ben"), (NameId(3), "May")].into_iter().collect()
}

/// A Wednesday.
const TODAY: Date = date(2024, 3, 13);

fn parse(text: &str) -> Question {
    Question::parse(
        text,
        &mut Analyzer::new(Language::English),
        &names(),
        Languages::NONE,
        Some(TODAY),
    )
}

/// A mention of a time as `first..last precision`; days of every year as `--month-day`.
pub(super) fn show(mention: &DateMention) -> String {
    let every = |day: &MonthDay| format!("--{:02}-{:02}", day.month, day.day);
    let (first, last, precision) = match mention {
        DateMention::Window { first, last, precision } => {
            (first.to_string(), last.to_string(), precision)
        }
        DateMention::EveryYear { first, last, precision } => (every(first), every(last), precision),
    };
    let precision = format!("{precision:?}").to_lowercase();
    if first == last {
        format!("{first} {precision}")
    } else {
        format!("{first}..{last} {precision}")
    }
}

fn dates(text: &str) -> String {
    parse(text).dates.iter().map(show).collect::<Vec<_>>().join(", ")
}

#[test]
fn names_are_removed_from_the_terms() {
    let question = parse("What did Ada's team paint for Ada in the winter?");
    let terms: Vec<&str> = question.terms.iter().map(|one| one.term.as_str()).collect();
    assert_eq!(terms, ["team", "paint", "winter"]);
    assert_eq!(question.person(), Some(&[NameId(1)][..]));
    assert_eq!(question.subject(), None);
}

#[test]
fn a_question_of_names_alone_keeps_them() {
    let terms: Vec<String> =
        parse("Ada and Ben?").terms.iter().map(|one| one.term.to_string()).collect();
    assert_eq!(terms, ["ada", "ben"]);
    assert!(parse("").terms.is_empty());
}

#[test]
fn a_word_that_may_be_part_of_a_name_stays_a_term() {
    let names: Names = [(NameId(1), "Design Board"), (NameId(2), "Ada")].into_iter().collect();
    let mut analyzer = Analyzer::new(Language::English);
    let mut terms = |text| {
        let question = Question::parse(text, &mut analyzer, &names, Languages::NONE, None);
        question.terms.iter().map(|one| one.term.to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(terms("which design won"), "design win");
    assert_eq!(terms("what did ada win"), "win");
    assert_eq!(terms("What did the Design Board pay?"), "pay");
}

#[test]
fn the_subject_among_several_people_is_recognised() {
    for (text, expected) in [
        ("What did Ada tell Ben?", Some(1)),
        ("What does Ben think about Ada's plan?", Some(2)),
        ("What did Ada's plan do to Ben?", Some(2)),
        ("How do Ada and Ben relax?", None),
        ("Where does Ada live?", None),
        ("Who was that?", None),
    ] {
        let question = parse(text);
        assert_eq!(
            question.subject(),
            expected.map(NameId).as_ref().map(std::slice::from_ref),
            "{text}"
        );
    }
    assert_eq!(parse("What did Ada tell Ben?").person(), None);
}

#[test]
fn questions_about_a_time_are_recognised() {
    for (text, expected) in [
        ("When did Ada move?", true),
        ("Since when does Ben paint?", true),
        ("What year did they meet?", true),
        ("On which date was it?", true),
        ("How long has Ada been here?", true),
        ("How many months did it take?", true),
        ("What did Ada feel when Ben left?", false),
        ("How many dogs?", false),
        ("Who came?", false),
        ("", false),
    ] {
        assert_eq!(parse(text).asks_when, expected, "{text}");
    }
}

#[test]
fn dates_keep_the_precision_of_their_wording() {
    for (text, expected) in [
        ("on 7 May 2023", "2023-05-07 day"),
        ("on May 7th, 2023", "2023-05-07 day"),
        ("on the 7th of May", "--05-07 day"),
        ("on 2023-05-07", "2023-05-07 day"),
        ("on 25/12/2023", "2023-12-25 day"),
        ("on 12/25/2023", "2023-12-25 day"),
        ("on 4/5/2023", "2023-04-05 day, 2023-05-04 day"),
        ("am 7.5.2023", "2023-05-07 day"),
        ("on 29 February 2024", "2024-02-29 day"),
        ("on 29 February 2023", "2023-02-01..2023-02-28 month"),
        ("on 29 February", "--02-29 day"),
        ("on 31 April", "--04-01..--04-31 month"),
        ("in May 2023", "2023-05-01..2023-05-31 month"),
        ("in May", "--05-01..--05-31 month"),
        ("in February 2024", "2024-02-01..2024-02-29 month"),
        ("What did Ada do in March?", "--03-01..--03-31 month"),
        ("in 2023", "2023-01-01..2023-12-31 year"),
        ("summer 2021", "2021-06-01..2021-08-31 season"),
        ("the winter of 2023", "2023-12-01..2024-02-29 season"),
        ("early May 2023", "2023-05-01..2023-05-10 week"),
        ("the end of May", "--05-20..--05-31 week"),
        ("the first half of September 2022", "2022-09-01..2022-09-15 week"),
        ("between March and May 2023", "2023-03-01..2023-05-31 month"),
        ("from 3 to 7 May", "--05-03..--05-07 week"),
        ("3-7 May 2023", "2023-05-03..2023-05-07 week"),
        ("from 28 December to 3 January", "--12-28..--01-03 day"),
        ("between 3 May and 5 June 2023", "2023-05-03..2023-06-05 day"),
        ("the second week of June 2023", "2023-06-08..2023-06-14 week"),
        ("by July 10, 2022", "2022-07-10 day"),
        ("before June 2023", "-009999-01-01..2023-05-31 year"),
        ("after 2022", "2023-01-01..9999-12-31 year"),
        ("since 2022", "2022-01-01..9999-12-31 year"),
        ("the week before 7 May 2023", "2023-05-07 day, 2023-04-30..2023-05-06 week"),
        ("two days before 7 May 2023", "2023-05-07 day, 2023-05-05 day"),
        ("two weeks before August 11, 2023", "2023-08-11 day, 2023-07-28 week"),
        ("the Sunday before 25 October 2022", "2022-10-25 day, 2022-10-23 week"),
        ("last weekend before April 10, 2023", "2023-04-10 day, 2023-04-08..2023-04-09 week"),
        ("a day after 28 February 2024", "2024-02-28 day, 2024-02-29 day"),
        ("on 3 June and on 5 July 2023", "--06-03 day, 2023-07-05 day"),
    ] {
        assert_eq!(dates(text), expected, "{text}");
    }
}

#[test]
fn relative_times_are_relative_to_the_day_of_the_question() {
    for (text, expected) in [
        ("yesterday", "2024-03-12 day"),
        ("tomorrow", "2024-03-14 day"),
        ("last night", "2024-03-12 day"),
        ("last week", "2024-03-04..2024-03-10 week"),
        ("this week", "2024-03-11..2024-03-17 week"),
        ("last weekend", "2024-03-09..2024-03-10 week"),
        ("last month", "2024-02-01..2024-02-29 month"),
        ("next year", "2025-01-01..2025-12-31 year"),
        ("last Friday", "2024-03-08 day"),
        ("yesterday's meeting", "2024-03-12 day"),
        ("next week’s class", "2024-03-18..2024-03-24 week"),
        ("on Wednesday", "2024-03-06 day"),
        ("next Friday", "2024-03-15 day"),
        ("three days ago", "2024-03-10 day"),
        ("a couple of weeks ago", "2024-02-25..2024-03-02 week"),
        ("2 months ago", "2024-01-01..2024-01-31 month"),
        ("in the last two weeks", "2024-02-28..2024-03-13 week"),
        ("last summer", "2023-06-01..2023-08-31 season"),
        ("next summer", "2024-06-01..2024-08-31 season"),
        ("last May", "2023-05-01..2023-05-31 month"),
        ("last January", "2024-01-01..2024-01-31 month"),
    ] {
        assert_eq!(dates(text), expected, "{text}");
    }
    let without_today = Question::parse(
        "last week",
        &mut Analyzer::new(Language::English),
        &names(),
        Languages::NONE,
        None,
    );
    assert!(without_today.dates.is_empty());
}

#[test]
fn beside_a_time_words_for_the_conversation_carry_no_weight() {
    let check = |text: &str, expected: &str, nameless: &str| {
        let question = parse(text);
        let terms: Vec<&str> = question.terms.iter().map(|word| word.term.as_str()).collect();
        assert_eq!(terms.join(" "), expected, "{text}");
        assert_eq!(question.nameless.split_whitespace().collect::<Vec<_>>().join(" "), nameless);
        assert!(!question.asks_for_days, "{text}");
    };
    check(
        "What did Ada and Ben discuss about the kiln yesterday?",
        "kiln yesterday",
        "What did and about the kiln yesterday?",
    );
    check("topics of 2023", "2023", "of 2023");
    check("the topic of the talk", "topic talk", "the topic of the talk");
}

#[test]
fn a_question_for_days_has_no_terms() {
    for (text, expected) in [
        ("What did we talk about on 11 December?", true),
        ("What did Ada and Ben talk about on 11 December 2023?", true),
        ("What was the topic of our conversation yesterday?", true),
        ("What happened last Friday?", true),
        ("events on 2026-11-26", true),
        ("What is on 26 November 2026?", true),
        ("What did Ada say last month?", true),
        ("yesterday", true),
        ("What did we say about the kiln on 11 December?", false),
        ("When did we talk about 11 December?", false),
        ("What happened in May 2023?", true),
        ("What did I do in April?", true),
        ("What happened in 2023?", false),
        ("Am I free on Monday afternoon at 2 pm?", true),
        ("What happened the day before yesterday?", true),
        ("What do I have in two days?", true),
        ("What happened since 3 May 2023?", false),
        ("What happened?", false),
        ("What did we talk about?", false),
        ("", false),
    ] {
        let question = parse(text);
        assert_eq!(question.asks_for_days, expected, "{text}");
        assert!(!expected || question.terms.is_empty(), "{text}");
    }
}

#[test]
fn relative_times_are_quoted_and_the_days_that_a_question_names_are_in_other_wordings() {
    // Of the terms of a place the first.
    let quotes = |text: &str| {
        let words = |quote: &Quote| {
            quote.terms.iter().map(|word| word.term.as_str()).collect::<Vec<_>>().join(" ")
        };
        parse(text).quotes.iter().map(words).collect::<Vec<_>>().join(", ")
    };
    for (text, expected) in [
        ("Who went camping last week?", "last week"),
        ("What did Ada paint last summer?", "last summer"),
        (
            "Who called three days ago?",
            "three day ago, 2024 3 10, 10.03.2024, 10 brezen, 3 月 10 日, 3월",
        ),
        (
            "What did Ada paint last June or in 2022?",
            "last june, 2023 6, 01.06.2023, czerwca 2023, 2023 年 6 月, 2023년",
        ),
        (
            "Who went camping on 3 May 2023?",
            "3 may, 2023 5 3, 03.05.2023, 3 kveten, 5 月 3 日, 5월",
        ),
        (
            "What did we talk about yesterday?",
            "2024 3 12, 12.03.2024, 12 brezen, 3 月 12 日, 3월, tomorrow, day tomorrow, tuesday, \
             next tuesday, everi tuesday",
        ),
        (
            "What did we talk about on 3 May 2023?",
            "3 may 2023, 3 may, 2023 5 3, 03.05.2023, 3 kveten, 5 月 3 日, 5월, tomorrow, \
             day tomorrow, wednesday, next wednesday, everi wednesday",
        ),
        ("Who went camping?", ""),
        (&format!("who went last week {}", "and who not ".repeat(10)), ""),
    ] {
        assert_eq!(quotes(text), expected, "{text}");
    }
}

#[test]
fn a_record_names_a_day_or_month_in_many_ways() {
    let names = |question: &str, text: &str| {
        let analysis = Analyzer::new(Language::English).analyze(text, &[]);
        let has = |word: &QueryTerm| {
            word.all().any(|term| analysis.terms.iter().any(|(known, _)| known == term))
        };
        parse(question).quotes.iter().any(|quote| quote.terms.iter().all(has) && quote.is_in(text))
    };
    for (text, day, month) in [
        ("Camp on 2026-05-01", true, true),
        ("Camp: 1.5.2026", true, true),
        ("Camp: 01.05.2026, Bern", true, true),
        ("Camp 1.5.26", true, false),
        ("backup-20260501", true, false),
        ("Camp on 1/5/2026", true, true),
        ("Camp on 5/1/2026", true, false),
        ("Camp on May 1st, 2026", true, true),
        ("Camp on the 1st of May 2026", true, true),
        ("Camp on 1 May", true, false),
        ("le 1er mai 2026", true, true),
        ("el 1 de mayo de 2026", true, true),
        ("1 мая 2026", true, true),
        ("2026年5月1日去野营", true, true),
        ("2026년 5월 1일에 야영", true, true),
        ("Camp in May 2026", false, true),
        ("Camp in 05.2026", false, true),
        ("It was cold on 2026-01-05", false, false),
        ("Camp on 11 May 2026", false, true),
        ("2025年15月1日", false, false),
        ("Camp on 1 June 2026, not in May", false, false),
        ("On 5 May. 1 of 2026 came", false, false),
        ("Release 2026.1 has 5 fixes", false, false),
    ] {
        assert_eq!(names("What is on 1 May 2026?", text), day, "the day: {text}");
        assert_eq!(names("camps in May 2026", text), month, "the month: {text}");
    }
    assert!(names("What is on 1 May?", "Camp on 2024-05-01"));
    assert!(!names("What is on 1 May?", "Camp on 2029-05-01"));
    assert!(names("What is planned in May?", "Camp on 2024-05-07"));
}

#[test]
fn a_direction_counts_if_no_time_is_named() {
    for (text, expected) in [
        ("next dentist appointment", Some(Nearest::From(TODAY))),
        ("When is Ada's next class?", Some(Nearest::From(TODAY))),
        ("my last class", Some(Nearest::Until(TODAY))),
        ("next week's class", None),
        ("the last class in May 2023", None),
        ("Ada's class", None),
        (&format!("my last class {}", "was long ".repeat(15)), None),
    ] {
        assert_eq!(parse(text).nearest, expected, "{text}");
    }
}

#[test]
fn a_record_fits_by_its_date_or_by_what_it_quotes() {
    let question = parse("Who went camping last week?");
    let fit = |date: Option<Date>, is_quoted: bool| {
        question.time_fit(RecordTime { date, is_quoted, is_event: false })
    };
    assert_eq!(fit(Some(date(2024, 3, 5)), false), 1.5);
    assert_eq!(fit(Some(date(2023, 6, 20)), false), 0.0);
    assert_eq!(fit(Some(date(2023, 6, 20)), true), 1.0);
    assert_eq!(fit(None, true), 1.0);
    assert_eq!(fit(None, false), 0.0);
    let day = parse("class on 12 March");
    let fit = |day_of_month: i8, is_event: bool| {
        let date = Some(date(2024, 3, day_of_month));
        day.time_fit(RecordTime { date, is_event, is_quoted: false })
    };
    assert_eq!([11, 12, 13].map(|day| fit(day, false)), [1.2, 1.5, 1.4]);
    assert_eq!([11, 12, 13].map(|day| fit(day, true)), [1.0, 1.5, 1.0]);
    let day = parse("What happened on 12 March 2024?");
    let fit = |year: i16| {
        let date = Some(date(year, 1, 20));
        day.time_fit(RecordTime { date, is_event: false, is_quoted: true })
    };
    assert_eq!([2021, 2023, 2024, 2025, 2026].map(fit), [1.0, 1.0, 1.45, 1.45, 1.0]);
    let next = parse("next class");
    let fit = |day: i8, is_event: bool| {
        let date = Some(date(2024, 3, day));
        next.time_fit(RecordTime { date, is_event, is_quoted: false })
    };
    assert!(fit(14, true) > fit(15, true) && fit(15, true) > 0.0);
    assert_eq!((fit(12, true), fit(13, false)), (0.0, 0.0));
}

#[test]
fn words_that_only_look_like_times_are_ignored() {
    for text in [
        "May I march to the store?",
        "What did May say?",
        "You may go",
        "Did they march on?",
        "Blade Runner 2049",
        "room 2023",
        "version 1.2.3",
        "the fall of Rome",
        "a spring in the mattress",
        "3 to 7 apples",
        "99999999999 days ago",
        "1000 years before",
        "between",
        "from 3 to",
        "",
    ] {
        assert_eq!(dates(text), "", "{text}");
    }
}

#[test]
fn hostile_questions_are_parsed_within_limits() {
    let mut analyzer = Analyzer::new(Language::English);
    for part in ["1", "十", "昨天", "2023年5月7日", "1年", "一年 ", "三天前我们", "周一"]
    {
        let long = part.repeat(20_000);
        Question::parse(&long, &mut analyzer, &names(), Languages::NONE, Some(TODAY));
        let with_text = format!("北{long}");
        let question =
            Question::parse(&with_text, &mut analyzer, &names(), Languages::NONE, Some(TODAY));
        let dates = question.dates.len();
        assert!(dates <= date_parser::DATES_MAX, "{part}");
    }
    let long = "7 May 2023 ".repeat(10_000);
    let question = Question::parse(&long, &mut analyzer, &names(), Languages::NONE, Some(TODAY));
    assert_eq!(question.dates.len(), date_parser::DATES_MAX);
    for text in [
        "1 January 0000",
        "1 day before 1 January 1000",
        "31 December 2999",
        "1000 years ago",
        "the\u{301} 7\u{200D}May",
    ] {
        for today in [Some(Date::MIN), Some(Date::MAX), None] {
            let question = Question::parse(text, &mut analyzer, &names(), Languages::NONE, today);
            assert!(date_fit(&question.dates, TODAY).is_finite());
        }
    }
}

#[test]
fn no_sequence_of_words_makes_the_parser_panic() {
    const POOL: &[&str] = &[
        "7",
        "31",
        "May",
        "march",
        "2023",
        "2023-05-07",
        "12/25/2023",
        "7.5.2023",
        "between",
        "from",
        "to",
        "and",
        "the",
        "last",
        "next",
        "this",
        "week",
        "days",
        "two",
        "a",
        "couple",
        "of",
        "before",
        "after",
        "ago",
        "since",
        "summer",
        "Friday",
        "weekend",
        "beginning",
        "first",
        "half",
        "Ada",
        "Ben's",
        "in",
        "-",
        "9999",
        "year",
        "month",
        "\u{301}",
        "🎉",
        "北京",
        "'",
        "99999999999",
        "0",
        "winter",
        "end",
        "the",
        "29",
        "February",
        "until",
        "prior",
        "1000",
        "昨天",
        "三天前",
        "2023年5月",
        "十二",
        "周",
        "日",
        "年",
        "先週の",
        "曜日",
        "지난 주",
        "聊了什么",
        "我们",
        "いつ",
        "é",
        "on",
        "or",
        "3rd",
        "13th",
        "5/1/2026",
        "2025-11",
        "Q2",
        "quarter",
        "early",
        "today",
        "time",
        "Christmas",
        "Easter",
        "Monday",
        "Fridays",
        "recently",
        "recent",
        "weeks",
        "evening",
        "at",
        "vor",
        "halben",
        "Jahr",
        "por",
        "la",
        "mañana",
        "fin",
        "semana",
        "avant",
        "hier",
        "Morgen",
        "heute",
        "6月3日到10日",
        "3号",
        "最近",
    ];
    let mut analyzer = Analyzer::new(Language::English);
    for seed in 1..=4000u64 {
        let mut state = seed;
        let mut random = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let length = 1 + random(14);
        let text: String = (0..length)
            .map(|_| POOL[random(POOL.len())].to_owned() + ["", " ", " ", ", "][random(4)])
            .collect();
        let today = [Some(TODAY), Some(Date::MIN), Some(Date::MAX), None][random(4)];
        let question = Question::parse(&text, &mut analyzer, &names(), Languages::NONE, today);
        for date in [TODAY, Date::MIN, Date::MAX] {
            let fit = date_fit(&question.dates, date);
            assert!((0.0..=1.5).contains(&fit), "seed {seed}: {text}");
        }
        analyzer.analyze(&text, &[&text]);
    }
}

#[test]
fn a_clause_with_when_does_not_ask_for_a_time() {
    for (text, expected) in [
        ("When did Ada leave?", true),
        ("And when is the concert?", true),
        ("When?", true),
        ("When I sign up for an account, what should I look for?", false),
        ("When building an application, which errors are typical?", false),
    ] {
        let mut analyzer = Analyzer::new(Language::English);
        let held = Languages::of(Language::English);
        let question = Question::parse(text, &mut analyzer, &Names::default(), held, None);
        assert_eq!(question.asks_when, expected, "{text}");
    }
}

#[test]
fn times_are_read_in_other_languages() {
    for (language, text, english) in [
        (Language::German, "Was hat Ada gestern mit dem Rad gemacht?", "yesterday"),
        (Language::German, "Was haben wir letzte Woche beschlossen?", "last week"),
        (Language::German, "Wen traf ich vor drei Tagen im Park?", "three days ago"),
        (Language::German, "Was ist am 7. Mai 2023 mit dem Dach passiert?", "7 May 2023"),
        (Language::German, "Wo waren wir im Sommer 2022 mit Ben?", "in summer 2022"),
        (Language::German, "Was kostet das seit Februar 2024?", "since February 2024"),
        (Language::German, "Was war am Montag mit dem Auto?", "on Monday"),
        (Language::Dutch, "Wat hebben we vorige week met het dak gedaan?", "last week"),
        (Language::Dutch, "Wie was er drie dagen geleden in het park?", "three days ago"),
        (Language::French, "Qu'est-ce que nous avons fait la semaine dernière ?", "last week"),
        (Language::French, "Qui est-ce que j'ai vu il y a trois jours ?", "three days ago"),
        (Language::French, "Où est-ce que nous étions en août 2023 ?", "in August 2023"),
        (Language::French, "Qu'est-ce que nous avons fait de la voiture lundi ?", "on Monday"),
        (Language::French, "Que s'est-il passé pour nous l'année dernière ?", "last year"),
        (Language::Spanish, "¿Qué hicimos con el coche la semana pasada?", "last week"),
        (Language::Spanish, "¿A quién vi hace tres días en el parque?", "three days ago"),
        (Language::Spanish, "¿Qué pasó con el techo el 7 de mayo de 2023?", "7 May 2023"),
        (Language::Italian, "Che cosa abbiamo fatto ieri con la macchina?", "yesterday"),
        (Language::Italian, "Che cosa è successo nel mese scorso?", "last month"),
        (Language::Italian, "Chi ho visto tre giorni fa nel parco?", "three days ago"),
        (Language::Portuguese, "O que é que nós fizemos ontem com o carro?", "yesterday"),
        (Language::Portuguese, "Quem é que eu vi há três dias no parque?", "three days ago"),
        (Language::Polish, "Co się stało z naszym dachem w zeszłym tygodniu?", "last week"),
        (Language::Polish, "Co było z dachem 7 maja 2023?", "7 May 2023"),
        (Language::Russian, "Что мы делали на прошлой неделе?", "last week"),
        (Language::Russian, "Кого я видел три дня назад в парке?", "three days ago"),
        (Language::Russian, "Что было с крышей в мае 2023?", "in May 2023"),
        (Language::Russian, "Что было в понедельник?", "on Monday"),
        (Language::Swedish, "Vad hände med taket förra veckan?", "last week"),
        (Language::Swedish, "Vem träffade jag för tre dagar sedan?", "three days ago"),
        (Language::Danish, "Hvem mødte jeg for tre dage siden i parken?", "three days ago"),
        (Language::Norwegian, "Hva gjorde vi med taket i forrige uke?", "last week"),
        (Language::Czech, "Koho jsem viděl před třemi dny v parku?", "three days ago"),
        (Language::Czech, "Co bylo se střechou v květnu 2023?", "in May 2023"),
        (Language::Ukrainian, "Кого я бачив три дні тому в парку і чому?", "three days ago"),
        (Language::Ukrainian, "Що було з дахом у травні 2023 і чому її?", "in May 2023"),
        (Language::Romanian, "Pe cine am văzut acum trei zile în parc?", "three days ago"),
        (Language::Romanian, "Ce am făcut cu mașina săptămâna trecută?", "last week"),
        (Language::Turkish, "Üç gün önce parkta kimi gördüm ve bu neden?", "three days ago"),
        (Language::Finnish, "Mitä me teimme katolle viime viikolla?", "last week"),
    ] {
        let mut analyzer = Analyzer::new(Language::English);
        let held = Languages::of(language);
        let question = Question::parse(text, &mut analyzer, &names(), held, Some(TODAY));
        let found: Vec<String> = question.dates.iter().map(show).collect();
        assert_eq!(found.join(", "), dates(&format!("What was {english}?")), "{text}");
    }
    // So they are in a space without records in the question's language.
    assert_eq!(dates("Was hat Ada gestern mit dem Rad gemacht?"), dates("yesterday"));
    // Nothing tells that these are German.
    assert_eq!(dates("Rad gestern"), "");
}

#[test]
fn a_weekday_is_the_last_one_or_of_a_question_in_the_present_the_next_one() {
    let last = dates("What was on Friday?");
    assert_ne!(last, "");
    for (text, expected) in [
        ("What did we eat Friday?", last.as_str()),
        ("What did we eat Friday evening?", last.as_str()),
        ("What do we eat every Friday?", ""),
        ("What did we buy for Black Friday?", ""),
        ("Which restaurant did we book for Friday?", ""),
        ("Who runs the Friday meeting?", ""),
        ("Friday?", ""),
    ] {
        assert_eq!(dates(text), expected, "{text}");
    }
    let next = dates("What was next Friday?");
    assert!(next != last && !next.is_empty());
    for (text, expected) in [
        ("What do I have on Friday?", &next),
        ("Who is coming Friday evening?", &next),
        ("What should I take along on Friday?", &next),
        ("What have I eaten on Friday?", &last),
        ("Who came on Friday?", &last),
        ("Do you know what we did on Friday?", &last),
    ] {
        assert_eq!(dates(text), *expected, "{text}");
    }
}

#[test]
fn times_are_read_in_languages_without_spaces() {
    for (text, english) in [
        ("我昨天在公园见了谁?", "yesterday"),
        ("上个月的会议决定了什么?", "last month"),
        ("三天前我在公园见了谁?", "three days ago"),
        ("2023年5月7日屋顶怎么了?", "7 May 2023"),
        ("2023年5月屋顶怎么了?", "in May 2023"),
        ("去年夏天我们在哪里?", "last summer"),
        ("上周五吃了什么?", "last Friday"),
        ("先週の会議で何を決めた?", "last week"),
        ("3日前に公園で会った人は?", "three days ago"),
        ("지난주 회의에서 무엇을 정했나요?", "last week"),
        ("세 달 전에 공원에서 만난 사람은?", "three months ago"),
    ] {
        let mut analyzer = Analyzer::new(Language::English);
        let question = Question::parse(text, &mut analyzer, &names(), Languages::NONE, Some(TODAY));
        let found: Vec<String> = question.dates.iter().map(show).collect();
        assert_eq!(found.join(", "), dates(&format!("What was {english}?")), "{text}");
        assert!(!question.asks_for_days && !question.asks_when, "{text}");
    }
}

#[test]
fn questions_for_all_of_a_day_and_for_a_time_are_known_in_other_languages() {
    let parsed = |language, text| {
        let mut analyzer = Analyzer::new(language);
        Question::parse(text, &mut analyzer, &names(), Languages::of(language), Some(TODAY))
    };
    for (language, text) in [
        (Language::German, "Was ist gestern passiert?"),
        (Language::German, "Was haben wir letzte Woche besprochen?"),
        (Language::French, "Qu'est-ce qui s'est passé hier ?"),
        (Language::Spanish, "¿Qué pasó ayer?"),
        (Language::Italian, "Che cosa è successo ieri?"),
        (Language::Dutch, "Wat is er gisteren gebeurd?"),
        (Language::Polish, "Co się stało wczoraj?"),
        (Language::Russian, "Что было вчера?"),
        (Language::Swedish, "Vad hände igår?"),
        (Language::Czech, "Co se stalo včera?"),
        (Language::Other, "昨天发生了什么?"),
        (Language::Other, "我们昨天聊了什么?"),
        (Language::Other, "昨日何がありましたか?"),
        (Language::Other, "어제 무슨 일이 있었나요?"),
    ] {
        assert!(parsed(language, text).asks_for_days, "{text}");
    }
    for (language, text, expected) in [
        (Language::German, "Wann war das Konzert?", true),
        (Language::German, "In welchem Jahr wurde das Haus gebaut?", true),
        (Language::German, "Wie lange war Ada in Rom?", true),
        (Language::German, "Was ist das für ein Haus?", false),
        (Language::French, "Quand est-ce que Ada est partie ?", true),
        (Language::Spanish, "¿En qué año nació Ada?", true),
        (Language::Spanish, "¿Qué compró Ada?", false),
        (Language::Russian, "Когда уехала Ада?", true),
        (Language::Polish, "W którym roku zbudowano dom?", true),
        (Language::Swedish, "När flyttade Ada?", true),
        (Language::Other, "音乐会是什么时候?", true),
        (Language::Other, "コンサートはいつ?", true),
        (Language::Other, "콘서트는 언제?", true),
        (Language::Other, "他喜欢什么音乐?", false),
    ] {
        assert_eq!(parsed(language, text).asks_when, expected, "{text}");
    }
}
