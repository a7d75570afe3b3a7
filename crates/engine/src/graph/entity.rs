//! Entities by their names, and the other names of a record.

use std::collections::BTreeSet;

use kernel::body::{EdgeType, NodeType};
use kernel::id::OpId;
use kernel::identity::text_key;
use kernel::kind::Kind;
use kernel::operation::Role;
use kernel::records::{RecordStatus, Records};
use store::StoreError;

use super::{RecordView, follow_to_latest, record_view};
use crate::belief::Bodies;
use crate::private::{Privacy, Viewpoint};
use crate::{EngineError, Reader};

/// Most other names of a record that are listed.
const ALIASES_MAX: usize = 64;

/// What an entity is a version of: its name, in any letter case and spacing.
pub fn entity_key(name: &str) -> String {
    text_key(NodeType::Entity.as_str(), name)
}

impl Reader<'_> {
    /// The active entity with a name, or with that name as another name. `None` if no entity has it
    /// or the entity is withheld.
    pub fn entity_named(
        &self,
        name: &str,
        viewpoint: &Viewpoint,
    ) -> Result<Option<OpId>, EngineError> {
        self.at(viewpoint.as_of_us, |index| {
            let mut records = Records::new(index);
            let named = records.latest_version(&Kind::Node, &entity_key(name))?;
            let Some(mut entry) = named else { return Ok(None) };
            let mut privacy = Privacy::of(index);
            // Who may not see a name does not learn what it is a name of.
            if privacy.is_withheld(&entry.id, viewpoint.disclosure)? {
                return Ok(None);
            }
            let status = follow_to_latest(&mut records, index, &mut entry)?;
            let is_served = status == Some(RecordStatus::Active)
                && !privacy.is_withheld(&entry.id, viewpoint.disclosure)?;
            Ok(is_served.then_some(entry.id))
        })
    }

    /// The records that redirect to a record, directly or over others, in the space's order, at
    /// most [`ALIASES_MAX`].
    pub fn aliases(
        &self,
        id: &OpId,
        viewpoint: &Viewpoint,
    ) -> Result<Vec<RecordView>, EngineError> {
        self.at(viewpoint.as_of_us, |index| {
            let mut records = Records::new(index);
            let mut privacy = Privacy::of(index);
            let mut shown = Vec::new();
            for alias in aliases_of(&mut records, index, id)? {
                let Some(entry) = index.entry(&alias)? else { continue };
                if privacy.is_withheld(&alias, viewpoint.disclosure)? {
                    continue;
                }
                let Some(mut view) = record_view(&mut records, index, &entry)? else { continue };
                view.withhold(&mut privacy, viewpoint.disclosure)?;
                shown.push(view);
            }
            Ok(shown)
        })
    }
}

/// The ids of the records that redirect to a record.
pub(super) fn aliases_of(
    records: &mut Records<'_, dyn Bodies + '_>,
    index: &dyn Bodies,
    id: &OpId,
) -> Result<Vec<OpId>, StoreError> {
    let mut seen = BTreeSet::from([*id]);
    let mut stack = vec![*id];
    let mut found = Vec::new();
    while let Some(at) = stack.pop() {
        for edge in records.edges(EdgeType::SameAs, Role::TO, &at)? {
            if found.len() >= ALIASES_MAX || !seen.insert(edge.from) {
                continue;
            }
            stack.push(edge.from);
            let Some(entry) = index.entry(&edge.from)? else { continue };
            if records.status_of(&entry)? == Some(RecordStatus::Alias)
                && records.canonical(&edge.from)? == *id
            {
                found.push(entry.order());
            }
        }
    }
    found.sort_unstable();
    Ok(found.into_iter().map(|(_, id)| id).collect())
}
