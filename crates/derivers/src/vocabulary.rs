//! Fields of payloads that have one of a few values.

/// Fields by name, with their values.
const FIELDS: [(&str, &[&str]); 2] = [
    ("daypart", &["morning", "afternoon", "evening", "night"]),
    ("polarity", &["like", "dislike"]),
];

/// The values of the field with this name, where built-in derivers give it one of a few.
pub fn values_of(field: &str) -> Option<&'static [&'static str]> {
    FIELDS.iter().find(|(name, _)| *name == field).map(|(_, values)| *values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local_time::Daypart;

    #[test]
    fn every_part_of_a_day_is_a_value() {
        assert_eq!(values_of("daypart"), Some(&Daypart::ALL.map(Daypart::name)[..]));
        assert_eq!(values_of("title"), None);
    }
}
