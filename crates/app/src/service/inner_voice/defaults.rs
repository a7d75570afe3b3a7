//! The usual options of the inner voice, as the environment sets them.
//!
//! The names of an earlier program, `SURR_TOP_K` and its kin, are read where ours are not set.

use crate::failure::RequestError;

/// Sources of an answer.
const TOP_K: i64 = 5;
/// Sources that one call considers.
const CONSIDERED_MAX: i64 = 500;

/// The usual options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Defaults {
    /// How many sources an answer has at most.
    pub(crate) top_k: i64,
    /// Least chance that a source answers.
    pub(crate) sim_thresh: f64,
    /// Most sources that one call considers.
    pub(crate) considered_max: usize,
    /// Whether the sources are marked for removal once something was staged from them.
    pub(crate) marks_sources: bool,
}

/// A variable, and its name in the earlier program.
struct Variable {
    name: &'static str,
    earlier: &'static str,
}

impl Defaults {
    /// As the environment of this process has them.
    pub(crate) fn read() -> Result<Self, RequestError> {
        Self::of(|name| std::env::var(name).ok())
    }

    fn of(value: impl Fn(&str) -> Option<String>) -> Result<Self, RequestError> {
        let text = |variable: &Variable| {
            let set = [variable.name, variable.earlier].into_iter().find_map(&value);
            set.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
        };
        let whole = |name, earlier, usual: i64| {
            let variable = Variable { name, earlier };
            let detail = "is not a whole number";
            text(&variable).map_or(Ok(usual), |text| {
                text.parse().map_err(|_| RequestError::Variable { name, detail })
            })
        };
        let threshold = Variable { name: "BECAUSE_SIM_THRESH", earlier: "SURR_SIM_THRESH" };
        let sim_thresh = match text(&threshold).map(|text| text.parse::<f64>()) {
            None => retrieval::rank::answering::CHANCE_MIN,
            Some(Ok(chance)) if (0.0..=1.0).contains(&chance) => chance,
            Some(_) => {
                let detail = "is not a number from 0 to 1";
                return Err(RequestError::Variable { name: threshold.name, detail });
            }
        };
        let marking =
            Variable { name: "BECAUSE_AUTO_MARK_REMOVAL", earlier: "SURR_AUTO_MARK_REMOVAL" };
        let marks_sources = match text(&marking).map(|text| text.to_lowercase()).as_deref() {
            None | Some("false" | "0" | "no" | "off") => false,
            Some("true" | "1" | "yes" | "on") => true,
            Some(_) => {
                let detail = "is neither true nor false";
                return Err(RequestError::Variable { name: marking.name, detail });
            }
        };
        let considered = whole("BECAUSE_DB_LIMIT", "SURR_DB_LIMIT", CONSIDERED_MAX)?;
        Ok(Self {
            top_k: whole("BECAUSE_TOP_K", "SURR_TOP_K", TOP_K)?,
            sim_thresh,
            considered_max: usize::try_from(considered.max(1)).unwrap_or(usize::MAX),
            marks_sources,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(set: &[(&str, &str)]) -> Result<Defaults, RequestError> {
        Defaults::of(|name| {
            set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_earlier_names_count_where_ours_are_not_set() {
        let usual =
            Defaults { top_k: 5, sim_thresh: 0.5, considered_max: 500, marks_sources: false };
        assert_eq!(of(&[]).unwrap(), usual);
        let earlier = of(&[("SURR_TOP_K", "7"), ("SURR_SIM_THRESH", " 0.25 ")]).unwrap();
        assert_eq!(earlier, Defaults { top_k: 7, sim_thresh: 0.25, ..usual });
        let ours = of(&[("SURR_TOP_K", "7"), ("BECAUSE_TOP_K", "9"), ("SURR_DB_LIMIT", "")]);
        assert_eq!(ours.unwrap(), Defaults { top_k: 9, ..usual });
        let marking = of(&[("SURR_AUTO_MARK_REMOVAL", "True")]);
        assert_eq!(marking.unwrap(), Defaults { marks_sources: true, ..usual });
    }

    #[test]
    fn a_variable_with_another_value_is_refused() {
        for (name, value) in [
            ("BECAUSE_TOP_K", "many"),
            ("SURR_SIM_THRESH", "1.5"),
            ("BECAUSE_SIM_THRESH", "NaN"),
            ("BECAUSE_AUTO_MARK_REMOVAL", "perhaps"),
        ] {
            assert!(of(&[(name, value)]).is_err(), "{name}={value}");
        }
    }
}
