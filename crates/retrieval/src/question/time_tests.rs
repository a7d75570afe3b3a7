//! Times in questions that consist of several words, and what must not be read as one.

use super::names::Names;
use super::tests::show;
use super::*;
use jiff::civil::date;

/// A Saturday.
const TODAY: Date = date(2026, 11, 28);

fn parsed(language: Language, text: &str) -> Question {
    let mut analyzer = Analyzer::new(language);
    let held = Languages::of(language);
    Question::parse(text, &mut analyzer, &Names::default(), held, Some(TODAY))
}

fn check(language: Language, cases: &[(&str, &str)]) {
    let read = |text: &str| {
        let dates: Vec<String> = parsed(language, text).dates.iter().map(show).collect();
        dates.join(", ")
    };
    let wrong = cases.iter().map(|(text, expected)| (*text, read(text), *expected));
    let wrong: Vec<_> = wrong.filter(|(_, found, expected)| found != expected).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_time_in_a_longer_one_is_one_time() {
    let august = "2025-08-01..2025-08-31 month";
    check(
        Language::English,
        &[
            ("What did we paint last year in August?", august),
            ("What did we paint in August last year?", august),
            ("What did we paint in August of last year?", august),
            ("What did we paint in May this year?", "2026-05-01..2026-05-31 month"),
            ("What did we paint in May the year before last?", "2024-05-01..2024-05-31 month"),
            ("the summer of last year", "2025-06-01..2025-08-31 season"),
            ("What did we do this summer?", "2026-06-01..2026-08-31 season"),
            ("What will we do this summer?", "2027-06-01..2027-08-31 season"),
            ("in winter last year", "2025-12-01..2026-02-28 season"),
            ("on 5 May last year", "2025-05-05 day"),
            ("in early May last year", "2025-05-01..2025-05-10 week"),
            ("Who came Tuesday evening last week?", "2026-11-17 day"),
            ("Who came last week on Tuesday?", "2026-11-17 day"),
            ("Who came on Friday this week?", "2026-11-27 day"),
            ("on the 3rd of last month", "2026-10-03 day"),
            ("a year ago today", "2025-11-28 day"),
            ("today a year ago", "2025-11-28 day"),
            ("two weeks ago on Friday", "2026-11-13 day"),
            ("this time last year", "2025-11-25..2025-12-01 week"),
            // Two times, or one beside a word that looks like one.
            ("in August and last year", "--08-01..--08-31 month, 2025-01-01..2025-12-31 year"),
            ("Did I fall last year?", "2025-01-01..2025-12-31 year"),
            ("I came last year. May was there", "2025-01-01..2025-12-31 year"),
            ("What did he do last year, may I ask?", "2025-01-01..2025-12-31 year"),
            ("last year's summer house", "2025-01-01..2025-12-31 year"),
            ("3 of last month", "2026-10-01..2026-10-31 month"),
            ("last Monday", "2026-11-23 day"),
        ],
    );
}

#[test]
fn ranges_from_an_exact_day_are_ranges_that_the_day_fits_best() {
    let open = "9999-12-31 year";
    check(
        Language::English,
        &[
            ("What happened since Monday?", "2026-11-23..2026-11-28 week"),
            ("What happened since yesterday?", "2026-11-27..2026-11-28 week"),
            ("What broke since last week?", "2026-11-16..2026-11-28 week"),
            ("since 3 May 2026", &format!("2026-05-03 day, 2026-05-03..{open}")),
            ("after 3 May 2026", &format!("2026-05-03 day, 2026-05-04..{open}")),
            ("What broke after 3 May?", &format!("--05-03 day, 2026-05-04..{open}")),
            ("before 3 May 2026", "2026-05-03 day, -009999-01-01..2026-05-02 year"),
            ("until yesterday", "2026-11-27 day, -009999-01-01..2026-11-27 year"),
            ("since the weekend", "2026-11-21..2026-11-28 week"),
            ("since last summer", &format!("2026-06-01..{open}")),
            ("before last year", "-009999-01-01..2024-12-31 year"),
            // The time is that of something else.
            ("before the 3 May 2026 release", "2026-05-03 day"),
            ("after yesterday's call", "2026-11-27 day"),
            ("by 3 May 2026", "2026-05-03 day"),
            ("What do I do before Monday?", ""),
            ("the week before last week", "2026-11-16..2026-11-22 week"),
            ("the day before yesterday", "2026-11-26 day"),
            ("since when", ""),
        ],
    );
    let question = parsed(Language::English, "What broke after 3 May 2026?");
    let fits = [3, 4, 5, 30].map(|day| date_fit(&question.dates, date(2026, 5, day)));
    assert_eq!(fits, [1.5, 1.4, 1.0, 1.0]);
    assert_eq!(date_fit(&question.dates, date(2026, 9, 1)), 1.0);
    assert_eq!(date_fit(&question.dates, date(2026, 4, 1)), 0.0);
    assert!(parsed(Language::English, "What happened since Monday?").asks_for_days);
    assert!(!parsed(Language::English, "What happened after 3 May 2026?").asks_for_days);
}

#[test]
fn ranges_of_days_are_read_whole() {
    check(
        Language::English,
        &[
            ("from the 3rd to the 10th of June", "--06-03..--06-10 week"),
            ("from June 3 to 10", "--06-03..--06-10 week"),
            ("on June 3-10, 2026", "--06-03..--06-10 week"),
            ("from June 3 to June 10", "--06-03..--06-10 day"),
            ("between 3 and 10 June 2026", "2026-06-03..2026-06-10 week"),
            ("on 3 or 4 November", "--11-03 day, --11-04 day"),
            ("on 3 and 4 November 2025", "2025-11-03 day, 2025-11-04 day"),
            ("What did we do between Monday and Wednesday?", "2026-11-23..2026-11-25 week"),
            ("What did we do from Friday to Sunday?", "2026-11-20..2026-11-22 week"),
            ("between last Monday and yesterday", "2026-11-23..2026-11-27 day"),
            ("Who works from Monday to Friday?", ""),
            ("3 or 4 apples", ""),
            ("from 3 to 7 apples", ""),
            ("between 3 and 40 June", "--06-01..--06-31 month"),
            ("10 to 3 May", "--05-03 day"),
        ],
    );
}

#[test]
fn parts_of_years_and_months_are_read() {
    check(
        Language::English,
        &[
            ("in the first quarter of 2026", "2026-01-01..2026-03-31 season"),
            ("What did we paint in Q2 2026?", "2026-04-01..2026-06-30 season"),
            ("Q2 of last year", "2025-04-01..2025-06-30 season"),
            ("What did we paint in Q3?", "--07-01..--09-31 season"),
            ("the second half of 2025", "2025-07-01..2025-12-31 season"),
            ("the last quarter of last year", "2025-10-01..2025-12-31 season"),
            ("at the end of last year", "2025-11-01..2025-12-31 season"),
            ("in early 2026", "2026-01-01..2026-03-31 season"),
            ("mid 2025", "2025-05-01..2025-08-31 season"),
            ("late 2025", "2025-10-01..2025-12-31 season"),
            ("at the start of the year", "2026-01-01..2026-02-28 season"),
            ("What did we do at the end of the year?", "2026-11-01..2026-12-31 season"),
            ("at the beginning of this month", "2026-11-01..2026-11-10 week"),
            ("in 2025-11", "2025-11-01..2025-11-30 month"),
            ("in 11/2025", "2025-11-01..2025-11-30 month"),
            ("in 11.2025", "2025-11-01..2025-11-30 month"),
            ("When did I start in May?", "--05-01..--05-31 month"),
            ("the first quarter of the game", ""),
            ("What does Q1 of the survey ask?", ""),
            ("at the end of the week", ""),
            ("the end", ""),
            ("half of the cake", ""),
            ("an early start", ""),
            ("ticket 2025-113", ""),
            ("release 2025-11-3-7", "2025-11-03 day"),
            ("13/2025", ""),
            ("version 11.20.25", ""),
            ("2025-11", "2025-11-01..2025-11-30 month"),
            ("11/2025 trip", "2025-11-01..2025-11-30 month"),
            ("from 2025-03 to 2025-05", "2025-03-01..2025-05-31 month"),
            ("What was the rate 1.1950 for?", ""),
            ("1.1950", ""),
            ("Which build is 7.2024?", ""),
            ("invoice 2025-03", ""),
            ("part number 2025-11", ""),
            ("regulation 10/2013", ""),
            ("Did the lease end in 2025?", "2025-01-01..2025-12-31 year"),
            ("Was Ada late in 2025?", "2025-01-01..2025-12-31 year"),
            ("Which contracts end in May?", "--05-01..--05-31 month"),
            ("Who was late in May?", "--05-01..--05-31 month"),
            ("the end of May", "--05-20..--05-31 week"),
            ("in late May", "--05-20..--05-31 week"),
        ],
    );
}

#[test]
fn days_are_read_by_their_number_or_name() {
    check(
        Language::English,
        &[
            ("What did I do on the 3rd?", "2026-11-03 day"),
            ("What did I do on the 30th with Ada?", "2026-10-30 day"),
            ("What will I do on the 3rd?", "2026-12-03 day"),
            ("on 5/1/2026", "2026-05-01 day, 2026-01-05 day"),
            ("on 5/5/2026", "2026-05-05 day"),
            ("on the first of May", "--05-01 day"),
            ("on Friday the 13th", "2026-11-13 day"),
            ("What did I do on 1.5.?", "--05-01 day"),
            ("a fortnight ago", "2026-11-11..2026-11-17 week"),
            ("since version 1.5", ""),
            ("What came after 1.5", ""),
            ("Wednesday the 11th", "2026-11-11 day"),
            ("on Friday, 13 November 2026", "2026-11-13 day"),
            ("at Christmas", "--12-24..--12-26 day"),
            ("last Christmas", "2025-12-24..2025-12-26 day"),
            ("Christmas 2024", "2024-12-24..2024-12-26 day"),
            ("at Easter 2026", "2026-04-03..2026-04-06 day"),
            ("What did we do at Easter?", "2026-04-03..2026-04-06 day"),
            ("on New Year's Eve", "--12-31 day"),
            ("two Fridays ago", "2026-11-20 day"),
            ("the weekend before last", "2026-11-14..2026-11-15 week"),
            ("the week before last", "2026-11-09..2026-11-15 week"),
            ("the year before last", "2024-01-01..2024-12-31 year"),
            ("What did I do recently?", "2026-10-31..2026-11-28 month"),
            ("What happened in recent days?", "2026-11-21..2026-11-28 week"),
            ("in recent weeks", "2026-10-31..2026-11-28 month"),
            ("Which workshop did I attend recently?", ""),
            ("on the 3rd floor", ""),
            ("Which bus do I take on the 3rd of each month?", ""),
            ("on the 3rd day", ""),
            ("on the first try", ""),
            ("the first of all", ""),
            ("Where is the Christmas tree?", ""),
            ("What did we eat at Christmas dinner?", ""),
            ("Easter eggs", ""),
            ("a new year", ""),
            ("Who was on the 40th?", ""),
            ("the Friday before last Christmas", "2025-12-24..2025-12-26 day"),
            ("the day before last", ""),
            ("a recent week", ""),
            ("the last days of the war", ""),
            ("in the last weeks", "2026-10-31..2026-11-28 month"),
        ],
    );
    assert!(!parsed(Language::English, "What did I do recently?").asks_for_days);
    assert!(parsed(Language::English, "What did I do in spring 2025?").asks_for_days);
    assert!(!parsed(Language::English, "What did I do in spring?").asks_for_days);
    assert!(parsed(Language::English, "What did I do on the 3rd?").asks_for_days);
}

#[test]
fn times_of_several_words_are_read_in_german() {
    check(
        Language::German,
        &[
            ("Was habe ich letztes Jahr im August gemacht?", "2025-08-01..2025-08-31 month"),
            ("Was habe ich im August letzten Jahres gemacht?", "2025-08-01..2025-08-31 month"),
            ("Was war letzte Woche Mittwoch?", "2026-11-18 day"),
            ("Was habe ich letzte Woche Mittwoch gemacht?", "2026-11-18 day"),
            ("Was habe ich heute vor einem Jahr gemacht?", "2025-11-28 day"),
            ("Was habe ich seit Montag gemacht?", "2026-11-23..2026-11-28 week"),
            ("Was war vom 3. bis 10. Juni?", "--06-03..--06-10 week"),
            ("Was war vom 3. bis zum 10. Juni 2026?", "2026-06-03..2026-06-10 week"),
            ("Was war im ersten Quartal 2026?", "2026-01-01..2026-03-31 season"),
            ("Was war Ende letzten Jahres?", "2025-11-01..2025-12-31 season"),
            ("Was habe ich am 3. gemacht?", "2026-11-03 day"),
            ("Was habe ich am ersten Mai gemacht?", "--05-01 day"),
            ("Was habe ich am 1/5/2026 gemacht?", "2026-05-01 day"),
            ("Was war am Freitag, dem 13.?", "2026-11-13 day"),
            ("Was habe ich am 01.05. gemacht?", "--05-01 day"),
            ("Was haben wir an Weihnachten gemacht?", "--12-24..--12-26 day"),
            ("Was haben wir letzte Ostern gemacht?", "2026-04-03..2026-04-06 day"),
            ("Was war am vorletzten Wochenende?", "2026-11-14..2026-11-15 week"),
            ("Was habe ich neulich gemacht?", "2026-10-31..2026-11-28 month"),
            ("Was habe ich vorgestern gemacht?", "2026-11-26 day"),
            ("Was habe ich gestern Abend gemacht?", "2026-11-27 day"),
            ("Was habe ich heute Morgen gemacht?", "2026-11-28 day"),
            ("Was habe ich am Morgen gemacht?", ""),
            ("Was mache ich morgen?", "2026-11-29 day"),
            ("Was war vor einem halben Jahr?", "2026-05-01..2026-05-31 month"),
            ("Was haben wir zwischen März und Mai gemacht?", "--03-01..--05-31 month"),
            ("Was kostet das an 3 Tagen?", ""),
            ("Was war das erste?", ""),
            ("Was haben wir zu Weihnachten gemacht?", "--12-24..--12-26 day"),
            ("Was war Ende Mai 2025?", "2025-05-20..2025-05-31 week"),
            ("Was habe ich am 3. gegessen?", "2026-11-03 day"),
            ("Was war am 3.?", "2026-11-03 day"),
            ("Wo steht das 2. Buch von Ada?", ""),
            ("Was war der 1. Grund für den Umzug?", ""),
            ("Was steht auf der 3. Seite?", ""),
            ("Was steht am 3. Haus?", ""),
            ("Wann war der 2. Termin beim Arzt?", ""),
            ("Wer sind die 3 in der Küche?", ""),
        ],
    );
    for (language, text) in [
        (Language::German, "Was habe ich gestern Abend gemacht?"),
        (Language::German, "Was war vor einem halben Jahr?"),
        (Language::French, "Qu'ai-je fait le week-end dernier ?"),
        (Language::French, "Qu'ai-je fait il y a deux semaines ?"),
        (Language::Spanish, "¿Qué hice el fin de semana pasado?"),
        (Language::Spanish, "¿Qué hice ayer por la tarde?"),
    ] {
        assert!(parsed(language, text).asks_for_days, "{text}");
    }
}

#[test]
fn times_of_several_words_are_read_in_french_and_spanish() {
    check(
        Language::French,
        &[
            ("Qu'ai-je fait en août l'année dernière ?", "2025-08-01..2025-08-31 month"),
            ("Que s'est-il passé entre mars et mai ?", "--03-01..--05-31 month"),
            ("Qu'ai-je fait depuis lundi ?", "2026-11-23..2026-11-28 week"),
            ("Qu'ai-je fait du 3 au 10 juin ?", "--06-03..--06-10 week"),
            ("Qu'ai-je fait le 3 ?", "2026-11-03 day"),
            ("Qu'ai-je fait le 1er mai 2026 ?", "2026-05-01 day"),
            ("Qu'ai-je fait le 01/05/2026 ?", "2026-05-01 day"),
            ("Qu'ai-je fait hier soir ?", "2026-11-27 day"),
            ("Qu'ai-je fait avant-hier ?", "2026-11-26 day"),
            ("Qu'ai-je fait avant-hier soir ?", "2026-11-26 day"),
            ("Qu'ai-je fait début mai ?", "--05-01..--05-10 week"),
            ("Qu'ai-je fait mi-juillet ?", "--07-10..--07-20 week"),
            ("Qu'ai-je fait à Noël ?", "--12-24..--12-26 day"),
            ("Qu'ai-je fait le week-end dernier ?", "2026-11-21..2026-11-22 week"),
            ("Qu'ai-je fait ces derniers jours ?", "2026-11-21..2026-11-28 week"),
            ("Qu'ai-je fait le vendredi 13 ?", "2026-11-13 day"),
            ("Qu'ai-je fait cet après-midi ?", "2026-11-28 day"),
            ("Qu'ai-je fait cet été ?", "2026-06-01..2026-08-31 season"),
            ("Qui habite au premier étage ?", ""),
            ("Où est le 3 pièces ?", ""),
            ("Quels sont les 3 en rouge ?", ""),
            ("Où habite Noël ?", ""),
            ("Que signifie le 3 dans la liste ?", ""),
            ("Qui est le 1er de la classe ?", ""),
            ("Que sait-on de la planète Mars ?", ""),
        ],
    );
    check(
        Language::Spanish,
        &[
            ("¿Qué hice en agosto del año pasado?", "2025-08-01..2025-08-31 month"),
            ("¿Qué pasó entre marzo y mayo?", "--03-01..--05-31 month"),
            ("¿Qué hice desde el lunes?", "2026-11-23..2026-11-28 week"),
            ("¿Qué hice del 3 al 10 de junio?", "--06-03..--06-10 week"),
            ("¿Qué hice el día 3?", "2026-11-03 day"),
            ("¿Qué hice el 1/5/2026?", "2026-05-01 day"),
            ("¿Qué hice el primero de mayo?", "--05-01 day"),
            (
                "¿Qué hice antes del 3 de mayo de 2026?",
                "2026-05-03 day, -009999-01-01..2026-05-02 year",
            ),
            ("¿Quién vive en el segundo piso?", ""),
            ("¿Qué hice ayer por la tarde?", "2026-11-27 day"),
            ("¿Qué hice ayer por la mañana?", "2026-11-27 day"),
            ("¿Qué hago mañana por la mañana?", "2026-11-29 day"),
            ("¿Qué hice por la mañana?", ""),
            ("¿Qué hice esta mañana?", "2026-11-28 day"),
            ("¿Qué hice anoche?", "2026-11-27 day"),
            ("¿Qué hice anteayer?", "2026-11-26 day"),
            ("¿Qué hago pasado mañana?", "2026-11-30 day"),
            ("¿Qué hice en Navidad?", "--12-24..--12-26 day"),
            ("¿Qué hice el fin de semana pasado?", "2026-11-21..2026-11-22 week"),
            ("¿Qué hice hace medio año?", "2026-05-01..2026-05-31 month"),
            ("¿Qué hice últimamente?", "2026-10-31..2026-11-28 month"),
            ("¿Cuál es el fin de esto?", ""),
            ("¿Quiénes son los 3 de la foto?", ""),
            ("¿Qué echan en la 2?", ""),
            ("¿Quién lleva el 10 en el equipo?", ""),
            ("¿Qué hice el 3?", "2026-11-03 day"),
            ("¿Qué hice el día 3 en Madrid?", "2026-11-03 day"),
        ],
    );
}

#[test]
fn times_of_several_words_are_read_in_italian_and_portuguese() {
    check(
        Language::Italian,
        &[
            ("Cosa ho fatto il 3?", "2026-11-03 day"),
            ("Chi porta il 10 in squadra?", ""),
            ("Cosa ho fatto a Natale?", "--12-24..--12-26 day"),
            ("Qual è la mia città natale?", ""),
        ],
    );
    check(
        Language::Portuguese,
        &[
            ("O que fiz no dia 3?", "2026-11-03 day"),
            ("O que fiz no Natal?", "--12-24..--12-26 day"),
            ("Qual é a minha cidade natal?", ""),
        ],
    );
}

#[test]
fn times_of_several_words_are_read_in_russian_and_chinese() {
    check(
        Language::Russian,
        &[
            ("Что я делал в августе прошлого года?", "2025-08-01..2025-08-31 month"),
            ("Что произошло между мартом и маем?", "--03-01..--05-31 month"),
            ("Что я делал с марта по май?", "--03-01..--05-31 month"),
            ("Что я делал с 3 по 10 июня?", "--06-03..--06-10 week"),
            ("Что я делал в начале мая?", "--05-01..--05-10 week"),
            ("Что я делал с понедельника?", "2026-11-23..2026-11-28 week"),
            ("Что я делал 3-го числа?", "2026-11-03 day"),
            ("Что я делал первого мая?", "--05-01 day"),
            ("Что я делал 1 мая 2026 года?", "2026-05-01 day"),
            ("Что я делал весной 2025 года?", "2025-03-01..2025-05-31 season"),
            ("Что я делал вчера вечером?", "2026-11-27 day"),
            ("Что я делал позавчера?", "2026-11-26 day"),
            ("Что я делал прошлым летом?", "2026-06-01..2026-08-31 season"),
            ("Что я делал год назад?", "2025-01-01..2025-12-31 year"),
            ("Что было полгода назад?", "2026-05-01..2026-05-31 month"),
            ("Что я делал в прошлые выходные?", "2026-11-21..2026-11-22 week"),
            ("Что я делал на Рождество?", "--12-24..--12-26 day"),
            ("Что я делал недавно?", "2026-10-31..2026-11-28 month"),
            ("Сколько стоят 3 книги?", ""),
        ],
    );
    check(
        Language::Other,
        &[
            ("去年八月我做了什么?", "2025-08-01..2025-08-31 month"),
            ("去年夏天我做了什么?", "2025-06-01..2025-08-31 season"),
            ("2025年春天我做了什么?", "2025-03-01..2025-05-31 season"),
            ("三月到五月之间发生了什么?", "--03-01..--05-31 month"),
            ("6月3日到10日我做了什么?", "--06-03..--06-10 week"),
            ("周一以来我做了什么?", "2026-11-23..2026-11-28 week"),
            ("3号我做了什么?", "2026-11-03 day"),
            ("昨天晚上我做了什么?", "2026-11-27 day"),
            ("五月初我做了什么?", "--05-01..--05-10 week"),
            ("十月底我做了什么?", "--10-20..--10-31 week"),
            ("半年前发生了什么?", "2026-05-01..2026-05-31 month"),
            ("圣诞节我做了什么?", "--12-24..--12-26 day"),
            ("最近我做了什么?", "2026-10-31..2026-11-28 month"),
            ("2026年第二季度我做了什么?", "2026-04-01..2026-06-30 season"),
            ("3号线在哪里?", ""),
            ("3号出口在哪里?", ""),
            ("5号电池放在哪里？", ""),
            ("3号文件是什么？", ""),
            ("第3号文件", ""),
            ("圣诞树在哪里？", ""),
            ("圣诞老人是谁？", ""),
            ("クリスマスツリーはどこ？", ""),
            ("3日に一度何をする？", ""),
            ("3日に何をした？", "2026-11-03 day"),
            ("3일에 한 번 뭘 해?", ""),
            ("3일에 뭐 했어?", "2026-11-03 day"),
            ("最近的车站在哪里?", ""),
            ("去年の八月に何をした?", "2025-08-01..2025-08-31 month"),
            ("작년 8월에 뭐 했어?", "2025-08-01..2025-08-31 month"),
        ],
    );
}

#[test]
fn the_last_and_the_first_time_are_known_in_other_languages() {
    let (last, first) = (Some(Nearest::Until(TODAY)), Some(Nearest::Earliest(TODAY)));
    for (language, text, expected) in [
        (Language::German, "Wann war ich zuletzt klettern?", last),
        (Language::German, "Wann war das letzte Mal?", last),
        (Language::German, "Wann war ich zum ersten Mal klettern?", first),
        (Language::German, "Was war das letzte Wort?", None),
        (Language::French, "La dernière fois que je suis allé grimper ?", last),
        (Language::French, "Que s'est-il passé ?", None),
        (Language::Spanish, "¿Cuándo fue la última vez?", last),
        (Language::Russian, "Когда был последний раз?", last),
        (Language::Other, "最后一次爬山是什么时候?", last),
        (Language::Other, "第一次爬山是什么时候?", first),
        (Language::Other, "他喜欢什么音乐?", None),
    ] {
        assert_eq!(parsed(language, text).nearest, expected, "{text}");
    }
}

#[test]
fn times_are_read_in_the_language_of_the_question_whatever_is_held() {
    check(
        Language::English,
        &[
            ("Was habe ich gestern Abend gemacht?", "2026-11-27 day"),
            ("Was habe ich am 1. Mai 2026 gemacht?", "2026-05-01 day"),
            ("Qu'ai-je fait la semaine dernière ?", "2026-11-16..2026-11-22 week"),
            ("¿Qué hice ayer por la tarde?", "2026-11-27 day"),
            // English with a word of another language, or nothing that tells the language.
            ("Who was in the war museum with Oma?", ""),
            ("Mai gestern", ""),
            ("Die Hard", ""),
            ("El Niño in March", "--03-01..--03-31 month"),
        ],
    );
    let question = parsed(Language::English, "Was habe ich gestern Abend gemacht?");
    assert!(question.asks_for_days);
    assert_eq!(question.languages.own, Language::English);
}
