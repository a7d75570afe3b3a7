//! The reliability diagram as SVG: confidence against the share of true claims.
//!
//! Points on the diagonal are calibrated; points below it are overconfident, points above it
//! underconfident. A point's area is proportional to the number of claims; its whisker is the 95 %
//! Wilson interval (Wilson 1927). The colours are readable on white and on black.

use std::fmt::Write;

use super::figures::{Calibration, ClaimGroup};

/// Side of the square plot, and its margins.
const SIDE: f64 = 300.0;
const LEFT: f64 = 46.0;
const TOP: f64 = 16.0;
const BELOW: f64 = 92.0;
const RIGHT: f64 = 16.0;
/// Height of the longest bar of the counts below the plot.
const BAR: f64 = 32.0;
/// Quantile of the normal distribution for 95 %.
const Z: f64 = 1.96;
const GREY: &str = "#8b929c";
const BLUE: &str = "#3b82d0";
const ORANGE: &str = "#d97a2b";

/// Draws the figures of all claims.
pub fn svg(calibration: &Calibration, title: &str) -> String {
    let (width, height) = (LEFT + SIDE + RIGHT, TOP + SIDE + BELOW);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"11\" fill=\"{GREY}\" role=\"img\">\n<title>{title}</title>\n"
    );
    for step in 0..=5 {
        let value = f64::from(step) / 5.0;
        let (x, y) = (across(value), up(value));
        let _ = writeln!(
            svg,
            "<path d=\"M{} {y}H{}M{x} {TOP}V{}\" stroke=\"{GREY}\" stroke-opacity=\".25\"/>",
            across(0.0),
            across(1.0),
            up(0.0)
        );
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{value:.1}</text>",
            LEFT - 6.0,
            y + 4.0
        );
        let _ = writeln!(
            svg,
            "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{value:.1}</text>",
            up(0.0) + 15.0
        );
    }
    let _ = writeln!(
        svg,
        "<path d=\"M{} {}L{} {}\" stroke=\"{GREY}\" stroke-dasharray=\"4 4\"/>",
        across(0.0),
        up(0.0),
        across(1.0),
        up(1.0)
    );
    let most = calibration.bins.iter().map(|bin| bin.claims).max().unwrap_or(0).max(1) as f64;
    let floor = up(0.0) + 24.0 + BAR;
    for (number, bin) in calibration.bins.iter().enumerate().filter(|(_, bin)| bin.claims > 0) {
        point(&mut svg, bin, most);
        let height = (BAR * bin.claims as f64 / most).max(1.0);
        let left = across(number as f64 / 10.0) + 3.0;
        let _ = writeln!(
            svg,
            "<rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{}\" height=\"{height:.1}\" fill=\"{ORANGE}\" fill-opacity=\".75\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"9\">{}</text>",
            floor - height,
            SIDE / 10.0 - 6.0,
            left + SIDE / 20.0 - 3.0,
            floor + 10.0,
            bin.claims
        );
    }
    let middle = across(0.5);
    let _ = writeln!(
        svg,
        "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">confidence, and number of claims</text>",
        height - 8.0
    );
    let _ = writeln!(
        svg,
        "<text transform=\"translate(12 {}) rotate(-90)\" text-anchor=\"middle\">share that is true</text>",
        up(0.5)
    );
    let error = calibration.error();
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\">{} claims, expected calibration error {error:.3}</text>",
        across(0.03),
        up(0.94),
        calibration.all.claims
    );
    svg.push_str("</svg>\n");
    svg
}

fn point(svg: &mut String, bin: &ClaimGroup, most: f64) {
    let (x, y) = (across(bin.mean_confidence()), up(bin.share_true()));
    let (low, high) = wilson(bin);
    let radius = 3.0 + 6.0 * (bin.claims as f64 / most).sqrt();
    let _ = writeln!(
        svg,
        "<path d=\"M{x:.1} {:.1}V{:.1}\" stroke=\"{BLUE}\" stroke-opacity=\".6\"/><circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"{BLUE}\" fill-opacity=\".85\"/>",
        up(low),
        up(high)
    );
}

/// The Wilson interval of a group's share of true claims.
fn wilson(group: &ClaimGroup) -> (f64, f64) {
    let (n, share) = (group.claims as f64, group.share_true());
    let middle = (share + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
    let half = Z / (1.0 + Z * Z / n) * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

fn across(value: f64) -> f64 {
    LEFT + SIDE * value
}

fn up(value: f64) -> f64 {
    TOP + SIDE * (1.0 - value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibration::JudgedClaim;
    use crate::calibration::testing::judged;

    #[test]
    fn every_bin_with_claims_is_a_point_and_a_bar() {
        let claims: Vec<JudgedClaim> =
            [0.05, 0.35, 0.95, 0.95].map(|confidence| judged(confidence, confidence > 0.5)).into();
        let svg = svg(&Calibration::of(claims.iter()), "a title");
        assert_eq!((svg.matches("<circle").count(), svg.matches("<rect").count()), (3, 3));
        assert!(
            svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && svg.contains("4 claims"),
            "{svg}"
        );
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}
