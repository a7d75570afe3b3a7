//! Single calls, each with its own reader or writer.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, Write};
use std::path::Path;

use importers::secrets::Masked;
use importers::{Context as ImportContext, Importer};
use jiff::Timestamp;
use jiff::civil::Date;
use kernel::evidence::{Evidence, Visibility};
use kernel::id::{Author, OpId, ReceiptId};
use kernel::kind::Capability;
use kernel::operation::{Operation, Verified};
use kernel::seal::Draft;
use kernel::validity::State;
use models::{EmbedError, Embedder, Model};
use store::sqlite::{ModelNumber, ReceiptFilter, ViewDigest};
use store::{Position, Recorded};

use super::Space;
use crate::EngineError;
use crate::belief::Belief;
use crate::belief::claims::{ClaimFilter, Claims};
use crate::belief::explain::Explaining;
use crate::belief::lineage::Lineage;
use crate::belief::name::Named;
use crate::belief::proposed::ProposedChange;
use crate::belief::review::Review;
use crate::belief::support::Support;
use crate::belief::user::Replacement;
use crate::derive::{Derived, Extent};
use crate::embed::{Embedded, EmbeddingStatus, Portion, Ready, Unopened};
use crate::graph::{
    EdgeFilter, EdgeKey, EdgeView, GraphPath, JoiningEdge, Listed, NodeFilter, PathLimits,
    RecordKey, RecordView, Subgraph, SubgraphLimits,
};
use crate::inspect::{LogFilter, Shown, Status};
use crate::keys::KeyRing;
use crate::maintain::aged::AgeFilter;
use crate::maintain::archive::RecordedArchive;
use crate::maintain::health::Health;
use crate::maintain::marks::{MarkFilter, MarkedList, Marking};
use crate::outcome::{Changes, Intent};
use crate::private::{Disclosure, Viewpoint};
use crate::recall::context::gather::Wanted;
use crate::recall::context::{Candidate, Context, Gathered, Request};
use crate::recall::episodes::{Query, Recall, Recollection};
use crate::recall::facts::{FactQuery, Facts};
use crate::recall::nodes::{FoundNode, FoundNodes};
use crate::recall::receipts::{Recalled, Receipt, Recipient, ShownRecords};
use crate::selection::{RecordState, Selection};
use crate::staging::{
    GraphCandidate, Moderation, ModerationOutcome, StagedCandidate, Staging, StagingLimits,
};
use crate::tokens::{O200k, Tokens};
use crate::verify::ledger::Verification;
use crate::why::{Why, WhyLimits};
use crate::write::exchange::Intake;
use crate::write::forget::{ForgetPlan, Forgotten};
use crate::write::graph::{GraphChanged, NamedChange};
use crate::write::import::{Progress, Report};
use crate::write::mirror::MirrorPlan;
use crate::write::patch::{NewPatch, Patch, Patched};
use crate::write::record::{Outcome, Prepared};
use crate::write::record_again::RecordedAgain;
use crate::write::share::{ExportSelection, Exported};
use crate::write::sources::ImportRecord;

/// Methods of a [`crate::Reader`].
macro_rules! read {
    ($reader:ident: $($name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)+) => {
        impl Space {
            $(
                #[doc = concat!("[`crate::Reader::", stringify!($name), "`] by [`Space::", stringify!($reader), "`].")]
                pub fn $name(&self, $($argument: $type),*) -> Result<$answer, EngineError> {
                    self.$reader()?.$name($($argument),*)
                }
            )+
        }
    };
}

read! {
    reader:
    show(id: &OpId) -> Shown;
    show_at(id: &OpId, as_of_us: Option<u64>) -> Shown;
    log(after: Position, filter: &LogFilter, take: impl FnMut(Recorded) -> bool) -> Position;
    log_tail(count: usize, filter: &LogFilter) -> Vec<Recorded>;
    head() -> Position;
    name() -> String;
    evidence_by_kind() -> BTreeMap<String, u64>;
    ahead_s(now: Timestamp) -> u64;
    quiet_s(now: Timestamp) -> u64;
    check_file() -> Vec<String>;
    foreign_schema() -> Vec<String>;
    key_ring() -> KeyRing;
    digests() -> Vec<ViewDigest>;
    verify(progress: impl FnMut(u64)) -> Verification;
    export(output: &mut dyn Write, progress: impl FnMut(u64)) -> Exported;
    resolve(text: &str) -> OpId;
    resolve_disclosed(text: &str, disclosure: Disclosure) -> OpId;
    name_of(text: &str) -> Named;
    belief_named(text: &str) -> String;
    beliefs() -> Vec<Belief>;
    claims(filter: &ClaimFilter, limit: usize) -> Claims;
    believed(name: &str) -> Belief;
    users_word(key: &str, disclosure: Disclosure) -> Option<State>;
    global_keys(as_of_us: Option<u64>) -> Vec<String>;
    belief_at(key: &str, as_of_us: Option<u64>) -> Belief;
    nodes(filter: &NodeFilter, limit: usize) -> Listed<RecordView>;
    edges(filter: &EdgeFilter, limit: usize) -> Listed<EdgeView>;
    hides_records(keys: &[RecordKey], as_of_us: Option<u64>) -> Vec<bool>;
    hides_edges(keys: &[Option<EdgeKey>], as_of_us: Option<u64>) -> Vec<bool>;
    edge_keys(edges: &[EdgeView], as_of_us: Option<u64>) -> Vec<Option<EdgeKey>>;
    record_view(id: &OpId, as_of_us: Option<u64>) -> Option<RecordView>;
    record_from(id: &OpId, viewpoint: &Viewpoint) -> Option<RecordView>;
    edge_from(id: &OpId, viewpoint: &Viewpoint) -> Option<EdgeView>;
    edge_view(id: &OpId, as_of_us: Option<u64>) -> Option<EdgeView>;
    candidates(as_of_us: Option<u64>) -> Vec<StagedCandidate>;
    candidate(name: &str) -> Option<StagedCandidate>;
    candidate_to_decide(name: &str) -> Option<StagedCandidate>;
    patches(as_of_us: Option<u64>) -> Vec<Patch>;
    patch(name: &str) -> Option<Patch>;
    built_on(patch: &Patch) -> Vec<OpId>;
    subgraph(roots: &[OpId], limits: &SubgraphLimits) -> Subgraph;
    path_between(from: &OpId, to: &OpId, limits: &PathLimits) -> GraphPath;
    entity_named(name: &str, viewpoint: &Viewpoint) -> Option<OpId>;
    aliases(id: &OpId, viewpoint: &Viewpoint) -> Vec<RecordView>;
    edges_among(ids: &[OpId], limits: &SubgraphLimits) -> Vec<JoiningEdge>;
    why(id: &OpId, limits: &WhyLimits) -> Why;
    newest_to_explain(limits: &WhyLimits) -> Option<OpId>;
    explain(name: &str) -> Explaining;
    lineage(id: &OpId) -> Lineage;
    explain_disclosed(name: &str, disclosure: Disclosure) -> Explaining;
    explain_from(name: &str, viewpoint: &Viewpoint) -> Explaining;
    lineage_from(id: &OpId, viewpoint: &Viewpoint) -> Lineage;
    full_name(named: &Named) -> String;
    name_disclosed(text: &str, disclosure: Disclosure) -> Named;
    is_private(id: &OpId) -> bool;
    mark_overruled(records: &mut [Recollection], viewpoint: Viewpoint) -> ();
    private_among(ids: &[OpId]) -> BTreeSet<OpId>;
    private_by_grounds(ids: &[OpId]) -> Vec<OpId>;
    unknown_then(id: &OpId, viewpoint: &Viewpoint) -> EngineError;
    unknown_belief_then(key: &str, viewpoint: &Viewpoint) -> EngineError;
    is_withheld(id: &OpId, disclosure: Disclosure) -> bool;
    withheld_among(ids: &[OpId], disclosure: Disclosure) -> BTreeSet<OpId>;
    withheld_of_archive(operations: &[Operation<Verified>], disclosure: Disclosure) -> BTreeSet<OpId>;
    is_private_belief(belief: &Belief) -> bool;
    support(explaining: &Explaining) -> Support;
    reviews(as_of_us: Option<u64>) -> Vec<Review>;
    review_named(name: &str) -> Review;
    proposed_changes(as_of_us: Option<u64>) -> Vec<ProposedChange>;
    change_to_decide(name: &str) -> Option<ProposedChange>;
    proposed_change(name: &str) -> Option<ProposedChange>;
    proposed_before(drafts: &[Draft]) -> Option<ProposedChange>;
    to_correct(name: &str, by: &Replacement) -> Vec<Draft>;
    to_refute(name: &str, note: &str) -> Vec<Draft>;
    to_withdraw(name: &str, note: &str) -> Vec<Draft>;
    to_retract(name: &str, note: &str) -> Vec<Draft>;
    imports(limit: usize) -> Vec<ImportRecord>;
    marked(filter: &MarkFilter) -> MarkedList;
    marked_ids(filter: &MarkFilter) -> (Vec<OpId>, bool);
    archives() -> Vec<RecordedArchive>;
    aged(filter: &AgeFilter, limit: usize) -> (Vec<OpId>, bool);
    health(limit: usize, disclosure: Disclosure) -> Health;
    select(selection: &Selection, state: RecordState) -> Vec<OpId>;
    authors() -> Vec<String>;
    to_forget(plan: &ForgetPlan) -> Vec<Draft>;
    to_retract_all(ids: &[OpId], note: &str) -> Vec<Draft>;
    to_restore(name: &str, note: &str) -> Vec<Draft>;
    to_restore_all(ids: &[OpId], note: &str) -> Vec<Draft>;
    receipts(filter: &ReceiptFilter, limit: usize) -> Vec<Receipt>;
    receipt(text: &str) -> Receipt;
    texts_of(receipt: &Receipt) -> BTreeMap<OpId, String>;
    count_receipts() -> u64;
    embedding_status() -> Vec<EmbeddingStatus>;
    ready_embeddings(choice: &str) -> Vec<Ready>;
    unopened_embedder(choice: &str) -> Option<Unopened>;
    waiting_embeddings(choice: &str, now: Timestamp) -> Option<Embedded>;
    question_to_embed(text: &str, today: Option<Date>) -> String;
}

read! {
    reader_up_to_date:
    recall(query: &Query) -> Recall;
    recall_with_newer(query: &Query) -> Recall;
    recall_facts(query: &FactQuery) -> Facts;
    recall_nodes(query: &FactQuery) -> Vec<FoundNode>;
    search_nodes(query: &FactQuery) -> FoundNodes;
    gather(wanted: &Wanted) -> Gathered;
    gather_beliefs(wanted: &Wanted) -> Vec<Candidate>;
}

/// Methods of a [`crate::Writer`] that has to be finished.
macro_rules! write_and_fold {
    ($($name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)+) => {
        impl Space {
            $(
                #[doc = concat!("[`crate::Writer::", stringify!($name), "`], finished.")]
                pub fn $name(&mut self, $($argument: $type),*) -> Result<$answer, EngineError> {
                    let mut writer = self.writer();
                    let answer = writer.$name($($argument),*)?;
                    writer.finish()?;
                    Ok(answer)
                }
            )+
        }
    };
}

write_and_fold! {
    append(draft: Draft, now: Timestamp) -> OpId;
    change_access(
        key: Author, name: &str, capabilities: Vec<Capability>, gives: bool, now: Timestamp
    ) -> OpId;
    revoke_from_now_on(
        key: Author, name: &str, capabilities: Vec<Capability>, now: Timestamp
    ) -> OpId;
    record(batch: Vec<Prepared>, now: Timestamp) -> Vec<Outcome>;
    remember(evidence: impl Into<Masked<Evidence>>, now: Timestamp) -> Outcome;
    act(drafts: Vec<Draft>, intent: Intent, now: Timestamp) -> Changes;
    moderate(
        decisions: &[Moderation], visibility: Visibility, intent: Intent, now: Timestamp
    ) -> ModerationOutcome;
    stage(
        candidates: Vec<GraphCandidate>, limits: &StagingLimits, now: Timestamp
    ) -> Staging;
    mark_for_removal(ids: &[OpId], intent: Intent, now: Timestamp) -> Marking;
    unmark(ids: &[OpId], intent: Intent, now: Timestamp) -> Marking;
    propose_patch(patch: &NewPatch, now: Timestamp) -> OpId;
    apply_new_patch(patch: &NewPatch, intent: Intent, now: Timestamp) -> Patched;
    apply_patch(patch: &Patch, intent: Intent, now: Timestamp) -> Patched;
    revert_patch(patch: &Patch, intent: Intent, now: Timestamp) -> Patched;
    change_graph(
        changes: &[NamedChange], statement: Option<&Evidence>, intent: Intent, now: Timestamp
    ) -> GraphChanged;
    derive(
        extent: Extent, intent: Intent, now: Timestamp, progress: impl FnMut(&Derived)
    ) -> (Derived, Changes);
}

/// Methods of a [`crate::Writer`] that fold themselves or append nothing.
macro_rules! write_only {
    ($($name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)+) => {
        impl Space {
            $(
                #[doc = concat!("[`crate::Writer::", stringify!($name), "`].")]
                pub fn $name(&mut self, $($argument: $type),*) -> Result<$answer, EngineError> {
                    self.writer().$name($($argument),*)
                }
            )+
        }
    };
}

write_only! {
    import(
        importer: &'static dyn Importer, path: &Path, context: &ImportContext, intent: Intent,
        progress: impl FnMut(Progress)
    ) -> Report;
    plan_mirror(
        importer: &'static dyn Importer, path: &Path, context: &ImportContext,
        progress: impl FnMut(Progress)
    ) -> (Report, MirrorPlan);
    mirror(
        importer: &'static dyn Importer, path: &Path, context: &ImportContext, plan: &MirrorPlan,
        progress: impl FnMut(Progress)
    ) -> Report;
    take_in(input: &mut dyn BufRead, now: Timestamp, progress: impl FnMut(u64)) -> Intake;
    rehearse_take_in(input: &mut dyn BufRead, now: Timestamp, progress: impl FnMut(u64)) -> Intake;
    record_again(input: &mut dyn BufRead, now: Timestamp) -> RecordedAgain;
    plan_to_forget(selected: &[OpId], now: Timestamp) -> ForgetPlan;
    forget(plan: &ForgetPlan, reason: &str, now: Timestamp) -> Forgotten;
    finish_erasure() -> bool;
    restore_archived(
        operations: Vec<Operation<Verified>>, wanted: &BTreeSet<OpId>, digest: &str, now: Timestamp
    ) -> RecordedAgain;
    advance(progress: impl FnMut(u64)) -> ();
    rebuild(progress: impl FnMut(u64)) -> ();
    verify_beliefs(
        verification: &mut Verification, now: Timestamp, progress: impl FnMut(&Derived)
    ) -> ();
    receipt_of_recall(
        recipient: &Recipient<'_>, recalled: &Recalled<'_>, now: Timestamp
    ) -> Option<ReceiptId>;
    receipt_of_records(
        recipient: &Recipient<'_>, shown: &ShownRecords<'_>, now: Timestamp
    ) -> Option<ReceiptId>;
    prune_receipts(before: Timestamp) -> u64;
    embed(
        embedder: &mut dyn Embedder, choice: &str, portion: Portion, now: &dyn Fn() -> Timestamp,
        progress: &mut dyn FnMut(&Embedded)
    ) -> Embedded;
    note_unopened(choice: &str, error: &EmbedError, now: Timestamp) -> Embedded;
    mend_embeddings(model: &Model) -> u64;
    forget_embeddings(number: ModelNumber) -> ();
}

impl Space {
    /// The whole in numbers.
    pub fn status(&self) -> Result<Status, EngineError> {
        self.reader()?.status(self.author())
    }

    /// [`crate::Reader::share`] in the name of this handle's key.
    pub fn share(
        &self,
        selection: &ExportSelection,
        output: &mut dyn Write,
        progress: impl FnMut(u64),
    ) -> Result<Exported, EngineError> {
        self.reader()?.share(&self.sealer, selection, output, progress)
    }

    /// Puts together what a model is to read for its next turn, counted by [`O200k`], and writes a
    /// receipt of it.
    pub fn context(&mut self, request: &Request) -> Result<Context, EngineError> {
        self.context_counted(request, &O200k)
    }

    /// The same with another counter.
    pub fn context_counted(
        &mut self,
        request: &Request,
        counter: &dyn Tokens,
    ) -> Result<Context, EngineError> {
        let composed = self.reader_up_to_date()?.compose(request, counter)?;
        self.writer().issue_context(request, composed)
    }
}
