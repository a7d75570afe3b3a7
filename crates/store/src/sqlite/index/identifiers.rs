//! Identifiers: the hash of a commit, and the paths of what it changed.
//!
//! People copy them from elsewhere and mean exactly the record that bears them, so they are looked
//! up and not weighed. They stand in the table of terms behind a mark, which no word contains: a
//! question for words does not find them, and they change no weight. The first passage of a record
//! is listed under its identifiers.

use std::collections::{BTreeSet, HashSet};

use jiff::civil::Date;
use kernel::evidence::{Evidence, EvidenceKind};
use retrieval::question::Question;
use retrieval::rank::Weights;
use retrieval::text::Analyzer;

use super::postings::{self, BLOCK};
use super::search::{Filter, Found, Search};
use crate::{Position, StoreError};

/// What stands before a hash.
const HASH: char = '\u{2}';
/// What stands before a path.
const PATH: char = '\u{3}';
/// After every hexadecimal digit.
const AFTER_HASH: char = 'g';
/// After the slash.
const AFTER_SLASH: char = '0';

/// A hash, in characters: the beginning that people quote, up to all of it.
const HASH_CHARS: std::ops::RangeInclusive<usize> = 7..=64;
/// Longest path that is listed, in bytes.
const PATH_BYTES_MAX: usize = 1_024;
/// Most paths of one record.
const PATHS_MAX: usize = 1_000;
/// Most identifiers of one question.
const NAMED_MAX: usize = 16;
/// Most records that a question names, the latest recorded.
const RECORDS_MAX: usize = 1_024;
/// Most of them that it names by a path among other words.
const BY_PATH_MAX: usize = 3;

/// The terms under which a record is listed, in order, each once.
pub(super) fn identifiers_of(evidence: &Evidence) -> BTreeSet<String> {
    if evidence.kind.0 != EvidenceKind::COMMIT {
        return BTreeSet::new();
    }
    let paths = evidence.payload.links.iter().take(PATHS_MAX);
    let paths = paths.filter(|path| path.len() <= PATH_BYTES_MAX);
    let hash = hash(&evidence.source_uid).map(|hash| format!("{HASH}{hash}"));
    hash.into_iter().chain(paths.map(|path| format!("{PATH}{path}"))).collect()
}

/// A hash or the beginning of one, in lower case.
fn hash(text: &str) -> Option<String> {
    let is_hash =
        HASH_CHARS.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| text.to_ascii_lowercase())
}

/// A path as it is listed.
fn path(text: &str) -> &str {
    text.trim_start_matches("./").trim_end_matches('/')
}

/// The identifiers in a question.
#[derive(Debug, Default, PartialEq, Eq)]
struct Named {
    hashes: Vec<String>,
    /// Each has a slash, unless it is all that is asked.
    paths: Vec<String>,
    /// There is nothing else in the question.
    is_all: bool,
}

impl Named {
    fn of(question: &str) -> Self {
        let quoted = |char: char| "\"'`()[]{}<>,;:?!“”‘’«»".contains(char);
        let mut named = Self::default();
        let (mut words, mut identifiers) = (0_usize, 0_usize);
        for word in question.split_whitespace() {
            words = words.saturating_add(1);
            if identifiers == NAMED_MAX {
                break;
            }
            let word = word.trim_matches(quoted).trim_end_matches('.').trim_end_matches(quoted);
            if let Some(hash) = hash(word) {
                named.hashes.push(hash);
            } else if word.contains(['/', '.']) && word.len() <= PATH_BYTES_MAX {
                named.paths.push(path(word).to_owned());
            } else {
                continue;
            }
            identifiers += 1;
        }
        named.is_all = words == identifiers;
        if !named.is_all {
            named.paths.retain(|path| path.contains('/'));
        }
        named
    }
}

/// The records that a question names by an identifier.
#[derive(Default)]
pub struct NamedRecords {
    /// Best first.
    pub found: Vec<Found>,
    /// Whether they are the answer: the question names a hash, or nothing but identifiers.
    pub are_answer: bool,
}

impl Search<'_> {
    /// The records that a question names by an identifier. A file is named by its whole path, and
    /// so is a folder if nothing else is asked. Of a path among other words only the best few are
    /// named, since those words ask for more than what changed it.
    pub fn named(
        &self,
        text: &str,
        question: &Question,
        analyzer: &mut Analyzer,
        filter: &Filter,
        today: Option<Date>,
        weights: &Weights,
    ) -> Result<NamedRecords, StoreError> {
        let Named { hashes, paths, is_all } = Named::of(text);
        let (mut by_hash, mut by_path) = (BTreeSet::new(), BTreeSet::new());
        for hash in hashes {
            let first = format!("{HASH}{hash}");
            self.add_listed(&first, &format!("{first}{AFTER_HASH}"), &mut by_hash)?;
        }
        for path in paths {
            match is_all {
                true => self.add_below(&path, &mut by_path)?,
                false => self.add_file(&path, &mut by_path)?,
            }
        }
        by_path.retain(|document| !by_hash.contains(document));
        if by_hash.is_empty() && by_path.is_empty() {
            return Ok(NamedRecords::default());
        }
        let pass = self.pass(question, analyzer, filter, today, weights)?;
        let mut stood = filter.as_of_us.map(|until_us| self.standing_at(until_us)).transpose()?;
        let mut best = |documents: BTreeSet<u32>| {
            let mut admitted = Vec::new();
            for document in documents.into_iter().rev() {
                let Some(attribute) = self.attributes.get(document) else { continue };
                let stands = match &mut stood {
                    Some(stood) => stood(attribute)?,
                    None => true,
                };
                if stands && pass.admits(attribute) && admitted.len() < RECORDS_MAX {
                    admitted.push(document);
                }
            }
            admitted.reverse();
            pass.score_exactly(admitted)
        };
        let mut found = best(by_hash)?;
        let are_answer = is_all || !found.is_empty();
        let mut changed = best(by_path)?;
        if !is_all {
            changed.truncate(BY_PATH_MAX);
        }
        found.extend(changed);
        Ok(NamedRecords { found, are_answer })
    }

    /// The records that changed one of these files, or anything below one of these folders; none
    /// means all.
    pub(super) fn at_paths(
        &self,
        paths: &[String],
    ) -> Result<Option<HashSet<Position>>, StoreError> {
        if paths.is_empty() {
            return Ok(None);
        }
        let mut documents = BTreeSet::new();
        for named in paths {
            self.add_below(path(named), &mut documents)?;
        }
        let attributes = documents.into_iter().filter_map(|document| self.attributes.get(document));
        Ok(Some(attributes.map(|attribute| attribute.position).collect()))
    }

    fn add_below(&self, path: &str, documents: &mut BTreeSet<u32>) -> Result<(), StoreError> {
        self.add_file(path, documents)?;
        let (first, after) = (format!("{PATH}{path}/"), format!("{PATH}{path}{AFTER_SLASH}"));
        self.add_listed(&first, &after, documents)
    }

    fn add_file(&self, path: &str, documents: &mut BTreeSet<u32>) -> Result<(), StoreError> {
        let first = format!("{PATH}{path}");
        self.add_listed(&first, &format!("{first}\0"), documents)
    }

    /// Adds the documents that are listed under a term from `first` on and before `after`.
    fn add_listed(
        &self,
        first: &str,
        after: &str,
        documents: &mut BTreeSet<u32>,
    ) -> Result<(), StoreError> {
        let mut statement = self.connection.prepare_cached(self.tables.terms_between)?;
        let terms = statement.query_map([first, after], |row| row.get::<_, u32>(0))?;
        for term in terms {
            for (block, row) in self.postings_of(term?)? {
                let start = block.saturating_mul(BLOCK);
                let places = postings::decode(&row).map(|(place, _)| start.saturating_add(place));
                documents.extend(places);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(question: &str) -> (Vec<String>, Vec<String>, bool) {
        let Named { hashes, paths, is_all } = Named::of(question);
        (hashes, paths, is_all)
    }

    #[test]
    fn a_question_may_name_hashes_and_paths() {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        for (question, hashes, paths, is_all) in [
            ("9d905d543", &["9d905d543"][..], &[][..], true),
            ("what was \"9D905D543\"?", &["9d905d543"], &[], false),
            ("why crates/core/main.rs.", &[], &["crates/core/main.rs"], false),
            ("./crates/core/", &[], &["crates/core"], true),
            ("(Cargo.toml)", &[], &["Cargo.toml"], true),
            // A name without a folder is a word where there are others.
            ("what is in Cargo.toml", &[], &[], false),
            ("Who bakes? 123456", &[], &[], false),
            ("", &[], &[], true),
        ] {
            assert_eq!(named(question), (texts(hashes), texts(paths), is_all), "{question:?}");
        }
        let many = "1234567 ".repeat(100);
        assert_eq!(named(&many).0.len(), NAMED_MAX);
    }
}
