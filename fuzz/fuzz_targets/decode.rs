//! Values read from text: nothing panics, and what was accepted is written as it was read.

#![no_main]

use kernel::body::Body;
use kernel::canonical;
use kernel::evidence::{Evidence, SUMMARY_CHARS_MAX, summarize};
use kernel::operation::Operation;
use kernel::when::When;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        assert!(summarize(text).chars().count() <= SUMMARY_CHARS_MAX);
        if let Ok(when) = When::parse(text) {
            assert_eq!(when.as_str(), text);
            let _ = (when.zone(), when.date(), when.instant_us());
        }
    }
    if let Ok(operation) = Operation::from_line(bytes) {
        let line = operation.to_line();
        let again = Operation::from_line(line.as_bytes()).expect("what was written can be read");
        assert_eq!(again.to_line(), line);
        let _ = (Body::parse(&operation.header().kind, operation.body().unwrap_or_default()), operation.verify());
    }
    if let Ok(value) = canonical::parse(bytes) {
        let written = canonical::to_bytes(&value).expect("what was read has a canonical form");
        assert_eq!(canonical::parse(&written), Ok(value));
    }
    if let Ok(evidence) = serde_json::from_slice::<Evidence>(bytes) {
        let written = serde_json::to_vec(&evidence).expect("evidence holds nothing that JSON cannot");
        let again: Evidence = serde_json::from_slice(&written).expect("what was written can be read");
        assert_eq!(again, evidence);
    }
});
