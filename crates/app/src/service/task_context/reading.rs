//! The spaces that a context for a task is read from.

use engine::belief::{Belief, claims};
use engine::graph::{RecordKey, SubgraphLimits};
use engine::private::Disclosure;
use engine::{EngineError, Space};
use kernel::id::OpId;
use kernel::kind::Kind;

use super::TaskRecord;
use crate::service::effective::Scope;

/// One of the spaces that are read.
#[derive(Clone, Copy)]
pub(super) struct Layer<'a> {
    pub(super) space: &'a Space,
    pub(super) scope: Scope,
    pub(super) disclosure: Disclosure,
}

/// The spaces that are read, and for which times.
pub(super) struct Reading<'a> {
    /// The space of the request.
    pub(super) own: Layer<'a>,
    /// Whether that is somebody else's.
    pub(super) is_of_other: bool,
    /// The home space under it, which the pins are from.
    pub(super) home: Option<Layer<'a>>,
    /// The kinds of records that are taken from the home space besides: none where the space of
    /// the request was named.
    pub(super) from_home: Vec<String>,
    pub(super) as_of_us: Option<u64>,
    pub(super) at_us: i64,
}

impl<'a> Reading<'a> {
    pub(super) fn layers(&self) -> impl Iterator<Item = Layer<'a>> {
        std::iter::once(self.own).chain(self.home)
    }

    pub(super) fn layer(&self, scope: Scope) -> Layer<'a> {
        self.home.filter(|home| home.scope == scope).unwrap_or(self.own)
    }

    /// The space that has the person's values, if there is one.
    pub(super) fn personal(&self) -> Option<Layer<'a>> {
        self.layers().find(|layer| layer.scope == Scope::Global)
    }

    /// Whether the home space gives records of this kind.
    pub(super) fn home_gives(&self, kind: &Kind) -> bool {
        self.from_home.iter().any(|given| given == kind.as_str())
    }

    /// Which records of a space the space of the request has in its own words.
    pub(super) fn hides(
        &self,
        layer: Layer<'_>,
        keys: &[RecordKey],
    ) -> Result<Vec<bool>, EngineError> {
        match layer.scope == self.own.scope {
            true => Ok(vec![false; keys.len()]),
            false => self.own.space.hides_records(keys, self.as_of_us),
        }
    }

    pub(super) fn limits(&self, layer: Layer<'_>, nodes: usize, edges: usize) -> SubgraphLimits {
        SubgraphLimits {
            depth: 1,
            nodes,
            edges,
            as_of_us: self.as_of_us,
            valid_at_us: Some(self.at_us),
            disclosure: layer.disclosure,
            ..SubgraphLimits::default()
        }
    }

    /// What is believed of an identity in a space, if it is true at the time; none if the file no
    /// longer holds it as it was signed.
    pub(super) fn belief(
        &self,
        layer: Layer<'_>,
        key: &str,
    ) -> Result<Option<Belief>, EngineError> {
        let belief = match layer.space.belief_at(key, self.as_of_us) {
            Err(EngineError::Altered { .. }) => return Ok(None),
            belief => belief?,
        };
        Ok(Some(belief).filter(|belief| {
            belief.served.is_some()
                && belief.displaced.is_none()
                && claims::is_true_at(belief, self.at_us)
        }))
    }

    /// Drops records that are private now, whatever they were at the time that is asked about.
    pub(super) fn drop_withheld(&self, records: &mut Vec<TaskRecord>) -> Result<(), EngineError> {
        for layer in self.layers() {
            let of_layer = records.iter().filter(|record| record.scope == layer.scope);
            let ids: Vec<OpId> = of_layer.map(|record| record.id).collect();
            let withheld = layer.space.withheld_among(&ids, layer.disclosure)?;
            records.retain(|record| record.scope != layer.scope || !withheld.contains(&record.id));
        }
        Ok(())
    }
}
