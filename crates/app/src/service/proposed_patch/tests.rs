//! Patches by a language model that answers from a list.

use engine::belief::review::Status;
use engine::write::graph::RecordType;
use engine::write::transcript::{TRANSCRIPT, transcripts_of};
use kernel::body::{EdgeType, NodeType};
use models::language::{AnswerSchema, LanguageError};
use testkit::scripted_model::{SCRIPTED, ScriptedModel};

use super::*;
use crate::service::test_home::TestHome;

const LIMITS: ContextLimits = ContextLimits { hits: 8, depth: 1, nodes: 40 };

/// A decision, and two claims that say the same.
struct Kiln {
    here: TestHome,
    celadon: OpId,
    again: OpId,
    decision: OpId,
    /// What the first claim was made from.
    said: OpId,
}

impl Kiln {
    fn new() -> Self {
        let here = TestHome::new();
        let celadon = here.fact("The glaze of the kiln is celadon");
        let again = here.fact("The kiln has a celadon glaze");
        let of = RecordType::Node(NodeType::Decision);
        let decision = here.state_at_home(of, "We fire the kiln on Friday", Visibility::Project);
        here.join(EdgeType::DependsOn, decision, celadon);
        let said = here.home().record_view(&celadon, None).unwrap().unwrap().inputs[0].id;
        Self { here, celadon, again, decision, said }
    }

    fn propose(&self, model: &mut ScriptedModel) -> Result<Proposing, Failure> {
        self.propose_with(&mut ModelAccess::new(model))
    }

    fn propose_with(&self, access: &mut ModelAccess<'_>) -> Result<Proposing, Failure> {
        self.try_to(access, Intent::Write)
    }

    fn try_to(&self, access: &mut ModelAccess<'_>, intent: Intent) -> Result<Proposing, Failure> {
        let mut space = self.here.home();
        propose(&mut space, &self.here.session, access, "the kiln and its glaze", LIMITS, intent)
    }

    /// The codes of the reasons to refuse these operations, asked twice.
    fn refused(&self, operations: &Value) -> Vec<(usize, &'static str)> {
        let mut model = ScriptedModel::with_values([patch(operations), patch(operations)]);
        match self.propose(&mut model).unwrap() {
            Proposing::Refused(origin, reasons) => {
                assert_eq!((origin.model.as_str(), model.requests().len()), (SCRIPTED, 2));
                assert_eq!(self.here.home().patches(None).unwrap(), []);
                reasons.iter().map(|reason| (reason.operation, reason.code)).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    fn same_as(&self) -> Value {
        let (duplicate, canonical) = (name_of(&self.again), name_of(&self.celadon));
        json!({
            "op": "same_as", "local": null, "duplicate": duplicate, "canonical": canonical,
            "sources": [name_of(&self.said)],
        })
    }

    fn retract(&self, target: &OpId) -> Value {
        let (target, source) = (name_of(target), name_of(&self.said));
        json!({ "op": "retract", "local": null, "target": target, "reason": "", "sources": [source] })
    }
}

fn patch(operations: &Value) -> Value {
    json!({ "text": "One glaze", "operations": operations })
}

fn proposed(proposing: Proposing) -> ProposedPatch {
    match proposing {
        Proposing::Proposed(patch) => *patch,
        other => panic!("{other:?}"),
    }
}

fn claim(text: &str, sources: &[String]) -> Value {
    json!({
        "op": "create_claim", "local": null, "type": "fact", "text": text, "sources": sources,
        "valid_from": null, "valid_to": null, "confidence": 1.0,
    })
}

#[test]
fn the_schema_is_valid_and_strict() {
    assert!(AnswerSchema::new("patch", schema()).unwrap().is_strict());
}

#[test]
fn a_patch_of_a_model_waits_for_a_decision_and_names_the_model_in_all_that_it_makes() {
    let kiln = Kiln::new();
    let said = name_of(&kiln.said);
    let mut made = claim("Celadon is green", std::slice::from_ref(&said));
    made["local"] = json!("green");
    let operations = json!([
        kiln.same_as(),
        made,
        { "op": "create_summary", "local": "sum", "text": "A green glaze", "of": ["green"], "sources": [said] },
        { "op": "create_edge", "local": null, "type": "depends_on", "from": name_of(&kiln.decision),
            "to": "green", "notes": "", "sources": [said] },
        { "op": "supersede", "local": null, "target": name_of(&kiln.celadon),
            "text": "The glaze is pale celadon", "sources": [said] },
    ]);
    let mut model = ScriptedModel::with_values([patch(&operations)]);
    let made = proposed(kiln.propose(&mut model).unwrap());
    assert_eq!((made.text.as_str(), made.attempts, made.changes), ("One glaze", 1, 6));
    assert_eq!(made.cut, PromptCut::default());
    let here = &kiln.here;
    let mut space = here.home();
    let waiting = space.patch(&made.id.unwrap().to_string()).unwrap().unwrap();
    assert_eq!((waiting.status, waiting.origin.as_str()), (Status::Pending, SCRIPTED));
    assert_eq!(waiting.details["prompt_version"], PROMPT_VERSION);
    assert_eq!(space.record_view(&kiln.again, None).unwrap().unwrap().status, Some("active"));
    let applied = space.apply_patch(&waiting, Intent::Write, here.session.now).unwrap();
    let views: Vec<_> =
        applied.appended.iter().filter_map(|id| space.record_view(id, None).unwrap()).collect();
    assert_eq!(views.len(), 3);
    for view in views {
        if view.kind == "node" {
            assert_eq!(
                (&view.payload["model"], &view.payload["prompt_version"]),
                (&json!(SCRIPTED), &json!("patch-1"))
            );
            continue;
        }
        let belief = space.believed(view.key.as_deref().unwrap()).unwrap();
        assert!(belief.deriver.is_some_and(|deriver| !deriver.deterministic));
        assert_eq!((&belief.basis["model"], belief.confidence), (&json!(SCRIPTED), 0.9));
    }
    // The prompt holds the records as data, by their ids.
    let [request] = model.requests().try_into().unwrap();
    let sent: Value = serde_json::from_str(request.messages[0].text.as_str()).unwrap();
    let of = |list: &str| sent[list].as_array().unwrap().len();
    assert_eq!(
        (of("records"), of("edges"), &sent["query"]),
        (3, 1, &json!("the kiln and its glaze"))
    );
    assert!(of("evidence") >= 1, "{sent}");
    // Taking it back restores what was there.
    let decided = space.patch(&made.id.unwrap().to_string()).unwrap().unwrap();
    space.revert_patch(&decided, Intent::Write, here.session.now).unwrap();
    for id in [kiln.again, kiln.celadon] {
        assert_eq!(space.record_view(&id, None).unwrap().unwrap().status, Some("active"));
    }
}

#[test]
fn what_a_model_invents_is_refused_with_every_reason() {
    let kiln = Kiln::new();
    let outside = kiln.here.fact("Cobalt turns blue in salt");
    let said = name_of(&kiln.said);
    let (celadon, again) = (name_of(&kiln.celadon), name_of(&kiln.again));
    let operations = json!([
        claim("The kiln is gas", &["0123456789abcdef".to_owned()]),
        kiln.retract(&outside),
        claim("The kiln is wood", &[]),
        kiln.same_as(),
        { "op": "same_as", "local": null, "duplicate": celadon, "canonical": again, "sources": [said] },
        kiln.retract(&kiln.said),
        { "op": "supersede", "local": null, "target": said, "text": "I said nothing", "sources": [said] },
        claim(" ", std::slice::from_ref(&said)),
    ]);
    let reasons = [
        (1, "unknown_ref"),
        (2, "outside_context"),
        (3, "empty_inputs"),
        (5, "cycle"),
        (6, "not_in_graph"),
        (7, "not_active"),
        (8, "empty_text"),
    ];
    assert_eq!(kiln.refused(&operations), reasons);
}

#[test]
fn ten_thousand_operations_are_refused_by_the_limit() {
    let kiln = Kiln::new();
    let operations: Vec<Value> = (0..10_000).map(|_| kiln.same_as()).collect();
    let refused = kiln.refused(&json!(operations));
    assert_eq!(refused, [(OPERATIONS_MAX + 1, "too_many_operations")]);
}

#[test]
fn the_model_gets_the_reasons_once_and_may_correct_its_patch() {
    let kiln = Kiln::new();
    let bad = json!([claim("The kiln is wood", &[])]);
    let good = json!([kiln.same_as()]);
    let mut model = ScriptedModel::with_values([patch(&bad), patch(&good)]);
    let made = proposed(kiln.propose(&mut model).unwrap());
    assert_eq!((made.attempts, made.changes), (2, 1));
    let [first, second] = model.requests().try_into().unwrap();
    assert_eq!((first.messages.len(), second.messages.len()), (1, 3));
    assert_eq!(second.messages[0], first.messages[0]);
    assert!(second.messages[1].text.as_str().contains("The kiln is wood"));
    assert!(second.messages[2].text.as_str().contains("empty_inputs"));
}

#[test]
fn a_dry_run_shows_what_the_model_proposes_and_keeps_nothing() {
    let kiln = Kiln::new();
    let mut model = ScriptedModel::with_values([patch(&json!([kiln.same_as()]))]);
    let tried = kiln.try_to(&mut ModelAccess::new(&mut model), Intent::DryRun).unwrap();
    let tried = proposed(tried);
    assert_eq!((tried.id, tried.changes), (None, 1));
    assert_eq!(tried.statuses[0].after, Some("alias"));
    assert_eq!(kiln.here.home().patches(None).unwrap(), []);
}

#[test]
fn a_model_that_fails_or_sees_nothing_proposes_nothing() {
    let kiln = Kiln::new();
    let slow = LanguageError::TimedOut {
        model: SCRIPTED.to_owned(),
        waited: std::time::Duration::from_secs(120),
    };
    for (answers, code) in [
        (vec![Err(slow)], "language_model_timed_out"),
        (
            vec![Ok("{\"operations\":[{\"op\":\"fly\"}]}".to_owned()); 3],
            "language_model_invalid_answer",
        ),
    ] {
        let failure = kiln.propose(&mut ScriptedModel::new(answers)).unwrap_err();
        assert_eq!(failure.code(), code);
    }
    let mut idle = ScriptedModel::with_values([patch(&json!([]))]);
    assert!(matches!(kiln.propose(&mut idle), Ok(Proposing::NothingToChange(_))));
    let (empty, mut unasked) = (TestHome::new(), ScriptedModel::default());
    let mut space = empty.home();
    let access = &mut ModelAccess::new(&mut unasked);
    let nothing = propose(&mut space, &empty.session, access, "Zzz", LIMITS, Intent::Write);
    let nothing = nothing.unwrap();
    assert!(matches!(nothing, Proposing::NothingKnown));
    assert!(unasked.requests().is_empty());
    assert_eq!(kiln.here.home().patches(None).unwrap(), []);
}

#[test]
fn nothing_private_is_shown_unless_allowed_and_what_comes_of_it_is_private() {
    let kiln = Kiln::new();
    let here = &kiln.here;
    let fact = RecordType::Claim("fact".to_owned());
    let diary = here.state_at_home(fact, "The kiln hides my diary", Visibility::Private);
    here.join(EdgeType::DependsOn, kiln.decision, diary);
    // Not even an id that the model guesses.
    let reasons = kiln.refused(&json!([kiln.retract(&diary)]));
    assert_eq!(reasons, [(1, "outside_context")]);
    for is_allowed in [false, true] {
        let operations = json!([claim("Celadon is green", &[name_of(&kiln.said)])]);
        let mut model = ScriptedModel::with_values([patch(&operations)]);
        let mut access = ModelAccess::new(&mut model);
        access.may_read_private = is_allowed;
        let made = proposed(kiln.propose_with(&mut access).unwrap());
        let [request] = model.requests().try_into().unwrap();
        assert_eq!(request.messages[0].text.as_str().contains("diary"), is_allowed);
        let mut space = here.home();
        assert_eq!(space.is_private(&made.id.unwrap()).unwrap(), is_allowed);
        assert_eq!(space.private_use().unwrap().len(), usize::from(is_allowed));
        let waiting = space.patch(&made.id.unwrap().to_string()).unwrap().unwrap();
        let applied = space.apply_patch(&waiting, Intent::DryRun, here.session.now);
        assert_eq!(applied.unwrap().stand_for.len(), 1);
        let GraphChange::State(statement) = &waiting.changes[0].change else { panic!() };
        assert_eq!(statement.visibility == Visibility::Private, is_allowed);
    }
}

#[test]
fn a_proposal_names_its_transcripts_on_which_nothing_is_founded() {
    let kiln = Kiln::new();
    let here = &kiln.here;
    let bad = json!([claim("The kiln is wood", &[])]);
    let mut model = ScriptedModel::with_values([patch(&bad), patch(&json!([kiln.same_as()]))]);
    let mut access = ModelAccess::new(&mut model);
    access.keeps_transcripts = true;
    let made = proposed(kiln.propose_with(&mut access).unwrap());
    assert_eq!((made.origin.transcripts.len(), here.evidence(TRANSCRIPT).len()), (2, 2));
    let mut space = here.home();
    let waiting = space.patch(&made.id.unwrap().to_string()).unwrap().unwrap();
    assert_eq!(transcripts_of(&json!(waiting.details)), made.origin.transcripts);
    // Nobody can cite one as a source.
    let cited = json!([claim("The kiln is wood", &[made.origin.transcripts[0].to_string()])]);
    let read =
        crate::service::patch::read(&here.session, &space, &patch(&cited).to_string(), "file")
            .unwrap();
    let reasons = read.check(&mut space, here.session.now).unwrap().unwrap_err();
    assert_eq!(reasons[0].code, "transcript_input");
    // The proposal goes with whatever the model was shown.
    let plan = space.plan_to_forget(&[kiln.celadon], here.session.now).unwrap();
    assert!(made.origin.transcripts.iter().all(|id| plan.targets.contains(id)));
    space.forget(&plan, "", here.session.now).unwrap();
    assert_eq!(space.patches(None).unwrap(), []);
}
