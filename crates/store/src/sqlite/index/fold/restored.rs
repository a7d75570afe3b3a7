//! Evidence that counts again because a retraction of it was withdrawn.
//!
//! Only operations up to the position that is folded are looked at, so that the index is the same
//! however folds were batched. They are read from the tables, because the look-ups of the graph
//! cache what was so before.

use kernel::access::{Access, Place};
use kernel::id::Author;
use kernel::kind::{Capability, Kind};
use kernel::operation::Role;
use rusqlite::{Connection, params};

use super::super::super::graph::{author_at, id_at, kind_at, refs_at, sql, stamp_at};
use crate::{Position, StoreError};

/// An operation that cites another, or is cited by it.
struct Link {
    position: Position,
    kind: Kind,
    author: Author,
    place: Place,
}

impl Link {
    fn may(&self, access: &Access, capability: Capability) -> bool {
        access.holds(&self.author, capability, self.place)
    }
}

/// The evidence that counts again because of the withdrawal of a retraction at `position`.
pub(super) fn restored_by(
    connection: &Connection,
    access: &Access,
    position: Position,
) -> Result<Vec<Position>, StoreError> {
    let mut restored = Vec::new();
    for retraction in cited_by(connection, position)? {
        if retraction.kind != Kind::EvidenceRetraction {
            continue;
        }
        for target in cited_by(connection, retraction.position)? {
            if target.kind == Kind::Evidence
                && counts(connection, access, target.position, position)?
            {
                restored.push(target.position);
            }
        }
    }
    Ok(restored)
}

/// Whether evidence is neither superseded nor retracted by the operations up to `until`.
fn counts(
    connection: &Connection,
    access: &Access,
    evidence: Position,
    until: Position,
) -> Result<bool, StoreError> {
    let superseding = citing(connection, evidence, Role::SUPERSEDES, until)?;
    let is_superseded = superseding
        .iter()
        .any(|link| link.kind == Kind::Evidence && link.may(access, Capability::Append));
    if is_superseded {
        return Ok(false);
    }
    for retraction in citing(connection, evidence, Role::TARGET, until)? {
        if retraction.kind == Kind::EvidenceRetraction
            && retraction.may(access, Capability::Append)
            && !is_withdrawn(connection, access, &retraction, until)?
        {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_withdrawn(
    connection: &Connection,
    access: &Access,
    retraction: &Link,
    until: Position,
) -> Result<bool, StoreError> {
    let acting = citing(connection, retraction.position, Role::TARGET, until)?;
    Ok(acting.iter().filter(|link| link.kind == Kind::RetractionWithdrawal).any(|link| {
        link.may(access, Capability::Correct)
            || link.author == retraction.author && link.may(access, Capability::Append)
    }))
}

/// What the operation at a position cites as its target.
fn cited_by(connection: &Connection, citing: Position) -> Result<Vec<Link>, StoreError> {
    let refs = connection
        .prepare_cached("SELECT refs FROM op WHERE pos = ?1")?
        .query_row([sql(citing)], |row| refs_at(row, 0))?;
    let mut cited = Vec::new();
    for target in refs.iter().filter(|cited| cited.role.as_str() == Role::TARGET) {
        cited.extend(links(
            connection,
            "SELECT op.pos, op.id, op.kind, author.key, op.ts, op.seq FROM op
             JOIN author ON author.number = op.author WHERE op.id = ?1",
            params![target.id.0],
        )?);
    }
    Ok(cited)
}

fn citing(
    connection: &Connection,
    target: Position,
    role: &str,
    until: Position,
) -> Result<Vec<Link>, StoreError> {
    links(
        connection,
        "SELECT op.pos, op.id, op.kind, author.key, op.ts, op.seq FROM cite
         JOIN op ON op.pos = cite.citing JOIN author ON author.number = op.author
         WHERE cite.target = ?1 AND cite.role = ?2 AND cite.citing <= ?3",
        params![sql(target), role, sql(until)],
    )
}

fn links(
    connection: &Connection,
    query: &str,
    parameters: &[&dyn rusqlite::ToSql],
) -> Result<Vec<Link>, StoreError> {
    let mut statement = connection.prepare_cached(query)?;
    let found = statement.query_map(parameters, |row| {
        Ok(Link {
            position: Position(row.get::<_, i64>(0)?.unsigned_abs()),
            kind: kind_at(row, 2)?,
            author: author_at(row, 3)?,
            place: Place {
                order: (stamp_at(row, 4)?, id_at(row, 1)?),
                seq: row.get::<_, i64>(5)?.unsigned_abs(),
            },
        })
    })?;
    Ok(found.collect::<Result<_, _>>()?)
}
