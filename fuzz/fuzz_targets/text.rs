//! Text as it is stored and asked for: nothing panics, what is reported as masked was masked, and a
//! time fits within its limits.

#![no_main]

use importers::secrets;
use jiff::civil::{Date, date};
use retrieval::question::Question;
use retrieval::question::names::{NameId, Names};
use retrieval::text::{Analyzer, Language, TERM_BYTES_MAX};
use libfuzzer_sys::fuzz_target;

/// Days that times are counted from: an ordinary one, and both ends of the calendar.
const DAYS: [Date; 3] = [date(2024, 2, 29), Date::MIN, Date::MAX];

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let mut analyzer = Analyzer::new(Language::English);
    let analysis = analyzer.analyze(&text, &["a title"]);
    assert!(analysis.terms.iter().all(|(term, count)| term.as_str().len() <= TERM_BYTES_MAX && *count > 0));
    assert_eq!(analyzer.analyze(&text, &["a title"]), analysis, "the same text has other terms the second time");
    ask(&text, &mut analyzer);
    if let Some((masked, kinds)) = secrets::mask_text(&text) {
        assert!(!kinds.is_empty(), "something was masked, but nothing is reported");
        assert!(masked.matches("[masked:").count() >= kinds.len(), "a secret is reported that was not masked");
    }
});

/// The first line names the people that are known, the rest is the question.
fn ask(text: &str, analyzer: &mut Analyzer) {
    let (people, question) = text.split_once('\n').unwrap_or(("Ana María Ruiz,May,Will,王伟", text));
    let names: Names = (1..).map(NameId).zip(people.split(',')).collect();
    for today in DAYS.map(Some).into_iter().chain([None]) {
        let asked = Question::parse(question, analyzer, &names, today);
        let _ = (asked.person(), asked.subject());
        for mention in &asked.dates {
            for day in DAYS {
                let fit = mention.fit(day);
                assert!((0.0..=1.5).contains(&fit), "a fit of {fit}");
                let _ = mention.window(day);
            }
        }
    }
}
