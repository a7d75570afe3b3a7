//! Values read from text: nothing panics, and what was accepted is written as it was read.

#![no_main]

use kernel::evidence::{Evidence, SUMMARY_CHARS_MAX, summarize};
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
    if let Ok(evidence) = serde_json::from_slice::<Evidence>(bytes) {
        let written = serde_json::to_vec(&evidence).expect("evidence holds nothing that JSON cannot");
        let again: Evidence = serde_json::from_slice(&written).expect("what was written can be read");
        assert_eq!(again, evidence);
    }
});
