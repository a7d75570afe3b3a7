//! Identity keys of texts and of edges.

use serde_json::{Value, json};

pub(super) fn vectors() -> Vec<Value> {
    let text = |name: &str, record_type: &str, text: &str, normalized: &str, digits: &str| {
        json!({"name": name, "type": record_type, "text": text, "normalized": normalized,
            "key": format!("text|{record_type}|{digits}")})
    };
    let (from, to) = ("a1".repeat(32), "0f".repeat(32));
    vec![
        text(
            "a sentence",
            "fact",
            "The glaze is tenmoku.",
            "the glaze is tenmoku.",
            "e1f39ed7167390ef",
        ),
        text(
            "the same in other case and white space",
            "fact",
            "\tthe  glaze\u{a0}is TENMOKU.\n",
            "the glaze is tenmoku.",
            "e1f39ed7167390ef",
        ),
        text(
            "without the full stop",
            "fact",
            "The glaze is tenmoku",
            "the glaze is tenmoku",
            "ef29011f6721955a",
        ),
        text(
            "another type",
            "goal",
            "The glaze is tenmoku.",
            "the glaze is tenmoku.",
            "e1f39ed7167390ef",
        ),
        text(
            "compatibility characters",
            "preference",
            "\u{fb01}ne \u{2163} \u{2460}",
            "fine iv 1",
            "3254d855b90e0742",
        ),
        text(
            "composed and decomposed",
            "fact",
            "\u{c4}PFEL a\u{308}pfel",
            "\u{e4}pfel \u{e4}pfel",
            "331307ed21088255",
        ),
        text(
            "a final sigma",
            "fact",
            "\u{39f}\u{394}\u{39f}\u{3a3}",
            "\u{3bf}\u{3b4}\u{3bf}\u{3c2}",
            "93a8bd15e88feaf1",
        ),
        text("nothing", "fact", "", "", "af1349b9f5f9a1a6"),
        text(
            "an ideographic space",
            "decision",
            "\u{65e5}\u{672c}\u{3000}\u{8a9e}",
            "\u{65e5}\u{672c} \u{8a9e}",
            "ab14122bcdb16743",
        ),
        json!({"name": "an edge", "type": "same_as", "from": format!("b3:{from}"),
            "to": format!("b3:{to}"), "key": format!("edge|same_as|b3:{from}|b3:{to}")}),
    ]
}
