//! Replacing a record by a new text, which keeps what it is not told otherwise.

use importers::secrets::mask_string;
use kernel::body::{Body, EdgeType, Node, TextClaimType};
use kernel::evidence::Visibility;
use kernel::id::OpId;
use kernel::identity::normalized_text;
use kernel::operation::Role;
use kernel::records::{RecordStatus, Records};
use kernel::rules::RuleViolation;
use kernel::when::When;

use super::{GraphError, GraphRefusal, GraphWriter, Kept, RecordType, Reference, Statement};
use crate::belief::body_of;
use crate::write::graph_refusal::is_derived;

/// What a new text does not keep of the record that it replaces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplacementFields {
    /// The type of the claim, if not the same.
    pub claim_type: Option<TextClaimType>,
    /// Its labels, if not the same.
    pub tags: Option<Vec<String>>,
    /// Who may see it, if not the same.
    pub visibility: Option<Visibility>,
    /// From when it is true. The times of the old record are not kept.
    pub valid_from: Option<When>,
    /// Until when (exclusive) it is true.
    pub valid_to: Option<When>,
}

impl GraphWriter<'_> {
    pub(super) fn supersede(
        &mut self,
        target: OpId,
        text: &str,
        inputs: &[(Reference, Role)],
        otherwise: &ReplacementFields,
    ) -> Result<OpId, GraphError> {
        let Some(entry) = self.writing.entry(&target)? else {
            return Err(RuleViolation::UnknownRef { missing: target }.into());
        };
        let status = Records::new(&*self.writing).status_of(&entry)?;
        if status != Some(RecordStatus::Active) {
            return Err(GraphRefusal::NotActive { id: target, status }.into());
        }
        let mut replaced = match body_of(&*self.writing, &target, &entry.kind)? {
            Some(Body::Claim(claim)) if is_derived(&claim) => {
                return Err(GraphRefusal::Derived { id: target }.into());
            }
            Some(Body::Claim(claim)) => Statement {
                tags: claim.tags,
                visibility: claim.visibility,
                ..Statement::new(RecordType::Claim(claim.claim_type), claim.text)
            },
            Some(Body::Node(Node {
                node_type: Some(node_type), text, tags, visibility, ..
            })) => Statement {
                tags: tags.unwrap_or_default(),
                visibility: visibility.unwrap_or_default(),
                ..Statement::new(RecordType::Node(node_type), text.unwrap_or_default())
            },
            _ => return Err(GraphRefusal::NotActive { id: target, status: None }.into()),
        };
        if normalized_text(&replaced.text) == normalized_text(&mask_string(text).into_inner()) {
            return Err(GraphRefusal::SameText { id: target }.into());
        }
        if let (Some(of), RecordType::Claim(claim_type)) =
            (otherwise.claim_type, &mut replaced.record_type)
        {
            *claim_type = of.as_str().to_owned();
        }
        if self.is_private(&target)? {
            replaced.visibility = Visibility::Private;
        }
        let statement = Statement {
            text: text.to_owned(),
            inputs: inputs.to_vec(),
            tags: otherwise.tags.clone().unwrap_or(replaced.tags),
            visibility: otherwise.visibility.unwrap_or(replaced.visibility),
            valid_from: otherwise.valid_from.clone(),
            valid_to: otherwise.valid_to.clone(),
            ..Statement::new(replaced.record_type, "")
        };
        // An alias of what it would replace cannot take its place: it redirects there.
        let new = self.state(&statement, Kept::Active)?;
        self.connect(EdgeType::Supersedes, new, target, inputs, "")?;
        Ok(new)
    }
}
