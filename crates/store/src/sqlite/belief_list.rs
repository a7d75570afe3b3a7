//! Lists of beliefs, read from the view of beliefs.
//!
//! An index holds the rows of one state, or of one type and state, in the order of the list. So the
//! list reads the first rows of each such part and merges them. Counts are stored by state, type
//! and band; a filter by time counts the rows of the index. A list by words reads the served bodies
//! of all rows that pass the filter, in one query.

use std::collections::BTreeSet;

use kernel::confidence::Band;
use kernel::kind::Kind;
use kernel::records::RecordStatus;
use kernel::validity::State;
use rusqlite::{OptionalExtension, params, params_from_iter};

use super::beliefs::{VIEW, band_number};
use super::graph::{SqliteLedgerIndex, kind_at};
use super::tags::TagRange;
use crate::StoreError;

/// Rows that are kept before those beyond the end of a list are dropped.
const WAITING_ROWS: usize = 1_024;

/// Which beliefs to list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BeliefFilter {
    /// In one of these states, and not displaced by edges.
    pub states: Vec<State>,
    /// Or active, and displaced in one of these ways.
    pub displaced: Vec<RecordStatus>,
    /// Of this type, or of this family of types: `routine` has `routine.weekly`.
    pub claim_type: Option<String>,
    /// Served, and as sure as this.
    pub band: Option<Band>,
    /// Valid at this time, microseconds since the Unix epoch.
    pub valid_at_us: Option<i64>,
    /// Unchanged since this time, microseconds since the Unix epoch.
    pub unchanged_since_us: Option<u64>,
    /// Of what is served, neither over at this time nor yet to begin, microseconds since the Unix
    /// epoch.
    pub current_at_us: Option<i64>,
    /// Of what is served, at least this sure.
    pub confidence_min: Option<f64>,
    /// Only what every project may see.
    pub only_global: bool,
    /// Only identities of which some claim, in force or not, has such a tag. Lists without a look
    /// at each row ([`SqliteLedgerIndex::list_beliefs`]) do not know it.
    pub tagged: Option<TagRange>,
}

impl BeliefFilter {
    /// Everything that is believed.
    pub fn served() -> Self {
        Self { states: vec![State::Active, State::Corrected], ..Self::default() }
    }
}

/// The beginning of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BeliefPage {
    /// The identities, the surest first, then by key.
    pub keys: Vec<String>,
    /// How many pass the filter, with those beyond the page.
    pub total: u64,
    /// How many more would pass it if they were neither over nor yet to begin.
    pub over: u64,
    /// How many more would pass it if they were surer.
    pub below_minimum: u64,
}

/// The filter's conditions on a row, as parameters 3 to 7 of a statement. What is derived and
/// begins on a day begins when that day does in the first zone, 14 hours ahead of UTC.
const CONDITIONS: &str = "confidence >= ?3 AND confidence < ?4 AND (?5 IS NULL OR band = ?5)
    AND (?6 IS NULL OR (valid_to IS NULL OR valid_to > ?6)
        AND (valid_from IS NULL OR valid_from <= ?6
            OR valid_from % 86400000000 = 0 AND valid_from - 50400000000 <= ?6
                AND NOT (key >= 'text|' AND key < 'text}')))
    AND (?7 IS NULL OR changed <= ?7)";

/// The condition that only what every project may see is listed. The indexes do not hold it, so it
/// is asked only where it is needed.
const IS_GLOBAL: &str = "visibility = 'global'";

/// Whether a row is left out because it is over or, if it was stated in words, yet to begin, by
/// parameter 8. What is derived and begins later is a plan, and listed. What is not served has no
/// band.
const IS_OVER: &str = "coalesce(band IS NOT NULL
    AND (valid_to <= ?8 OR valid_from > ?8 AND key >= 'text|' AND key < 'text}'), FALSE)";

/// Whether a row is left out because it is not sure enough, by parameter 9.
const IS_UNSURE: &str = "coalesce(band IS NOT NULL AND confidence < ?9, FALSE)";

impl BeliefPage {
    /// The counts with the first rows.
    fn with(self, mut first: Vec<(f64, String)>, limit: usize) -> Self {
        keep_surest(&mut first, limit);
        Self { keys: first.into_iter().map(|(_, key)| key).collect(), ..self }
    }
}

/// How a row stands to a filter.
struct Standing {
    confidence: f64,
    is_over: bool,
    is_below_minimum: bool,
}

/// A row of the view with the operation that is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BeliefRow<'a> {
    /// The identity.
    pub key: &'a str,
    /// The kind of the served operation and its canonical body; none if nothing is served, or the
    /// body was removed.
    pub served: Option<(&'a Kind, &'a [u8])>,
}

/// The rows of one state, and of one type if one is given.
struct Part<'a> {
    claim_type: Option<&'a str>,
    /// A state, or how edges displace it.
    state: &'static str,
}

impl Part<'_> {
    /// The index that holds the part.
    fn index(&self) -> &'static str {
        match self.claim_type {
            None => "INDEXED BY belief_state",
            Some(_) => "INDEXED BY belief_type",
        }
    }

    /// The rows, if more than the index holds of them is read: those of the tagged identities, or
    /// else the table, which is in order of the keys, if nothing but the state limits them.
    fn rows(&self, filter: &BeliefFilter) -> &'static str {
        match (&filter.tagged, self.claim_type) {
            (Some(_), _) => {
                "(SELECT DISTINCT identity.key FROM record_tag CROSS JOIN identity USING (pos)
                 WHERE tag >= ?10 AND tag < ?11) CROSS JOIN belief USING (key)"
            }
            (None, None) => "belief NOT INDEXED",
            (None, Some(_)) => "belief INDEXED BY belief_type",
        }
    }

    /// The conditions on a row.
    fn conditions(&self, filter: &BeliefFilter) -> String {
        let first = match self.claim_type {
            None => "?1 IS NULL AND state = ?2",
            Some(_) => "claim_type = ?1 AND state = ?2",
        };
        match filter.only_global {
            true => format!("{first} AND {CONDITIONS} AND {IS_GLOBAL}"),
            false => format!("{first} AND {CONDITIONS}"),
        }
    }
}

/// The parts that a filter admits.
fn parts_of<'a>(filter: &BeliefFilter, types: Option<&'a [String]>) -> Vec<Part<'a>> {
    let states: BTreeSet<State> = filter.states.iter().copied().collect();
    let displaced: BTreeSet<RecordStatus> = filter.displaced.iter().copied().collect();
    let states: Vec<&'static str> = states
        .into_iter()
        .map(State::as_str)
        .chain(
            displaced.into_iter().filter(|status| status.is_displaced()).map(RecordStatus::as_str),
        )
        .collect();
    let part = |claim_type, state: &&'static str| Part { claim_type, state };
    match types {
        None => states.iter().map(|state| part(None, state)).collect(),
        Some(types) => types
            .iter()
            .flat_map(|name| states.iter().map(|state| part(Some(name.as_str()), state)))
            .collect(),
    }
}

/// Puts rows in the order of a list and drops what is beyond its end.
fn keep_surest(rows: &mut Vec<(f64, String)>, limit: usize) {
    rows.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    rows.truncate(limit);
}

impl SqliteLedgerIndex<'_> {
    /// The first `limit` beliefs that pass a filter; none if the file is of a version without the
    /// view of beliefs and cannot be written.
    pub fn list_beliefs(
        &self,
        filter: &BeliefFilter,
        limit: usize,
    ) -> Result<Option<BeliefPage>, StoreError> {
        if !VIEW.exists_in(super::schema_version(self.connection)?) {
            return Ok(None);
        }
        let types = self.types_of_filter(filter)?;
        let parts = parts_of(filter, types.as_deref());
        let is_counted = filter.valid_at_us.is_none()
            && filter.unchanged_since_us.is_none()
            && filter.current_at_us.is_none()
            && filter.confidence_min.is_none()
            && !filter.only_global;
        let mut first: Vec<(f64, String)> = Vec::new();
        let mut page = BeliefPage::default();
        for part in &parts {
            self.read_first(part, filter, limit, &mut first)?;
            if is_counted {
                page.total += self.counted(part, filter.band)?;
            } else {
                self.count(part, filter, &mut page)?;
            }
        }
        Ok(Some(page.with(first, limit)))
    }

    /// False where the view says that nothing is served for an identity, or that edges displace it.
    pub fn may_be_served(&self, key: &str) -> Result<bool, StoreError> {
        if !VIEW.exists_in(super::schema_version(self.connection)?) {
            return Ok(true);
        }
        let mut statement =
            self.connection.prepare_cached("SELECT state FROM belief WHERE key = ?1")?;
        let state: Option<String> = statement.query_row([key], |row| row.get(0)).optional()?;
        let served = [State::Active, State::Corrected].map(State::as_str);
        Ok(state.is_none_or(|state| served.contains(&state.as_str())))
    }

    /// The list, of which only those are listed that `admits` accepts.
    pub fn list_beliefs_where<E: From<StoreError>>(
        &self,
        filter: &BeliefFilter,
        limit: usize,
        mut admits: impl FnMut(BeliefRow<'_>) -> Result<bool, E>,
    ) -> Result<Option<BeliefPage>, E> {
        if !VIEW.exists_in(super::schema_version(self.connection)?) {
            return Ok(None);
        }
        let types = self.types_of_filter(filter)?;
        let mut first: Vec<(f64, String)> = Vec::new();
        let mut page = BeliefPage::default();
        for part in parts_of(filter, types.as_deref()) {
            self.each_row(
                &part,
                filter,
                |row, Standing { confidence, is_over, is_below_minimum }| {
                    if !admits(row)? {
                        return Ok(());
                    }
                    if is_over {
                        page.over += 1;
                    } else if is_below_minimum {
                        page.below_minimum += 1;
                    } else {
                        page.total += 1;
                        first.push((confidence, row.key.to_owned()));
                        if first.len() >= limit.saturating_mul(2).max(WAITING_ROWS) {
                            keep_surest(&mut first, limit);
                        }
                    }
                    Ok::<_, E>(())
                },
            )?;
        }
        Ok(Some(page.with(first, limit)))
    }

    /// Every row of a part that passes the filter, but for what is over or not sure enough.
    fn each_row<E: From<StoreError>>(
        &self,
        part: &Part<'_>,
        filter: &BeliefFilter,
        mut take: impl FnMut(BeliefRow<'_>, Standing) -> Result<(), E>,
    ) -> Result<(), E> {
        let sql = |error: rusqlite::Error| E::from(StoreError::from(error));
        let query = format!(
            "SELECT key, confidence, op.kind, op.body, {IS_OVER}, {IS_UNSURE} FROM {} LEFT JOIN op ON op.pos = served
             WHERE {}",
            part.rows(filter),
            part.conditions(filter)
        );
        let mut values = values_of(part, filter);
        if let Some(TagRange { from, below }) = &filter.tagged {
            values.extend([from.clone().into(), below.clone().into()]);
        }
        let mut statement = self.connection.prepare_cached(&query).map_err(sql)?;
        let mut rows = statement.query(params_from_iter(values)).map_err(sql)?;
        while let Some(row) = rows.next().map_err(sql)? {
            let text = |column| row.get_ref(column).map_err(sql);
            let key = text(0)?.as_str().map_err(|error| sql(error.into()))?;
            let body = text(3)?.as_blob_or_null().map_err(|error| sql(error.into()))?;
            let kind = body.map(|_| kind_at(row, 2)).transpose().map_err(sql)?;
            let served = kind.as_ref().zip(body);
            let standing = Standing {
                confidence: row.get(1).map_err(sql)?,
                is_over: row.get(4).map_err(sql)?,
                is_below_minimum: row.get(5).map_err(sql)?,
            };
            take(BeliefRow { key, served }, standing)?;
        }
        Ok(())
    }

    /// The types of a filter; none if it admits all.
    fn types_of_filter(&self, filter: &BeliefFilter) -> Result<Option<Vec<String>>, StoreError> {
        filter.claim_type.as_deref().map(|family| self.types_of(family)).transpose()
    }

    /// Identities whose belief at a time, microseconds since the Unix epoch, may differ from the
    /// current one. Those that appeared only later are included if `with_unspoken` is set.
    pub fn beliefs_changed_since(
        &self,
        since_us: u64,
        with_unspoken: bool,
    ) -> Result<Vec<String>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT key FROM belief NOT INDEXED WHERE changed > ?1 AND (?2 OR first <= ?1) ORDER BY key",
        )?;
        let keys = statement.query_map(params![time(since_us), with_unspoken], |row| row.get(0))?;
        Ok(keys.collect::<Result<_, _>>()?)
    }

    /// The types of a family.
    fn types_of(&self, family: &str) -> Result<Vec<String>, StoreError> {
        // A slash follows the dot.
        let mut statement = self.connection.prepare_cached(
            "SELECT DISTINCT claim_type FROM belief_count
             WHERE claim_type = ?1 OR (claim_type >= ?1 || '.' AND claim_type < ?1 || '/') ORDER BY claim_type",
        )?;
        let types = statement.query_map([family], |row| row.get(0))?;
        Ok(types.collect::<Result<_, _>>()?)
    }

    fn read_first(
        &self,
        part: &Part<'_>,
        filter: &BeliefFilter,
        limit: usize,
        first: &mut Vec<(f64, String)>,
    ) -> Result<(), StoreError> {
        let query = format!(
            "SELECT confidence, key FROM belief {} WHERE {}
             AND NOT {IS_OVER} AND NOT {IS_UNSURE} ORDER BY confidence DESC, key LIMIT ?10",
            part.index(),
            part.conditions(filter)
        );
        let mut statement = self.connection.prepare_cached(&query)?;
        let mut values = values_of(part, filter);
        values.push(i64::try_from(limit).unwrap_or(i64::MAX).into());
        let rows =
            statement.query_map(params_from_iter(values), |row| Ok((row.get(0)?, row.get(1)?)))?;
        for row in rows {
            first.push(row?);
        }
        Ok(())
    }

    /// Adds the counts of a part.
    fn count(
        &self,
        part: &Part<'_>,
        filter: &BeliefFilter,
        page: &mut BeliefPage,
    ) -> Result<(), StoreError> {
        let query = format!(
            "SELECT count(*), count(*) FILTER (WHERE {IS_OVER}),
             count(*) FILTER (WHERE {IS_UNSURE} AND NOT {IS_OVER}) FROM belief {} WHERE {}",
            part.index(),
            part.conditions(filter)
        );
        let (all, over, below_minimum): (i64, i64, i64) =
            self.connection
                .prepare_cached(&query)?
                .query_row(params_from_iter(values_of(part, filter)), |row| {
                    Ok((row.get(0)?, row.get(1)?, row.get(2)?))
                })?;
        page.total += (all - over - below_minimum).unsigned_abs();
        page.over += over.unsigned_abs();
        page.below_minimum += below_minimum.unsigned_abs();
        Ok(())
    }

    /// The same from the counts that are kept.
    fn counted(&self, part: &Part<'_>, band: Option<Band>) -> Result<u64, StoreError> {
        let count: Option<i64> = self
            .connection
            .prepare_cached(
                "SELECT sum(number) FROM belief_count
                 WHERE state = ?1 AND (?2 IS NULL OR claim_type = ?2) AND (?3 IS NULL OR band = ?3)",
            )?
            .query_row(
                params![part.state, part.claim_type, band.map(band_number)],
                |row| row.get(0),
            )?;
        Ok(count.unwrap_or(0).unsigned_abs())
    }
}

/// The parameters 1 to 9.
fn values_of(part: &Part<'_>, filter: &BeliefFilter) -> Vec<rusqlite::types::Value> {
    let (from, to) = confidences(filter.band);
    vec![
        part.claim_type.map(str::to_owned).into(),
        part.state.to_owned().into(),
        from.into(),
        to.into(),
        filter.band.map(band_number).into(),
        filter.valid_at_us.into(),
        filter.unchanged_since_us.map(time).into(),
        filter.current_at_us.into(),
        filter.confidence_min.into(),
    ]
}

/// The confidences of a band, the last excluded.
fn confidences(band: Option<Band>) -> (f64, f64) {
    let Some(band) = band else { return (f64::NEG_INFINITY, f64::INFINITY) };
    let from = if band == Band::Speculative { f64::NEG_INFINITY } else { band.floor() };
    let above = Band::ALL.into_iter().find(|other| *other > band);
    (from, above.map_or(f64::INFINITY, Band::floor))
}

/// A time as the tables hold it.
fn time(us: u64) -> i64 {
    i64::try_from(us).unwrap_or(i64::MAX)
}
