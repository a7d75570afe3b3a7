//! Settings: what a person has agreed with agents, such as whether they ask when they are unsure.
//!
//! A setting is a preference claim with the tag `mi:setting:KEY`. The nearest scope wins: the
//! project's space, then the home space, then the built-in value. How the program itself runs on a
//! machine is its configuration, another thing ([`crate::settings`]).
//!
//! A claim counts as a setting only if its author may speak for the person (the capability
//! `correct`), so that no agent grants itself anything by a claim of its own. The settings of
//! somebody else's space do not count (`docs/design/0038-values-and-settings.md`).

use std::collections::BTreeMap;

use engine::belief::Belief;
use engine::belief::claims::{ClaimFilter, States};
use engine::mine::MiningLimits;
use engine::private::Viewpoint;
use engine::write::graph::{GraphChange, NamedChange, RecordType, Reference, Statement};
use engine::write::import::Intent;
use engine::{EngineError, Space};
use kernel::access::Place;
use kernel::body::{EdgeType, TextClaimType};
use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility};
use kernel::id::OpId;
use kernel::identity::normalized_text;
use kernel::records::RecordStatus;
use kernel::when::When;
use serde::Serialize;
use serde_json::json;

use super::Session;
use super::graph::statement;
use super::opening::OpenedSpace;
use crate::failure::{Failure, RequestError};

mod key;

use key::{AUTO_LEARN, BUILT_IN, BuiltIn, MINING_MAX_CLAIMS, MINING_MIN_CONFIDENCE, ON, built_in};
pub(crate) use key::{SettingKey, TAG, is_of_setting};

/// The kind of the evidence that the built-in settings cite once they are recorded.
const DEFAULTS_SET: &str = "mi_defaults_set";
/// The source of that evidence.
const SOURCE: &str = "settings";
/// The name of the new claim within one list of changes.
const NEW: &str = "setting";

/// Where the value of a setting comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SettingSource {
    /// The project's space.
    Project,
    /// The home space.
    Global,
    /// The program.
    BuiltIn,
}

/// A setting as it holds now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Setting {
    /// Its key.
    pub(crate) key: String,
    /// Its value.
    pub(crate) value: String,
    /// Where the value comes from.
    pub(crate) source: SettingSource,
    /// The claim that states it; none if it is built in.
    pub(crate) id: Option<OpId>,
    /// When that was recorded.
    pub(crate) recorded_at: Option<String>,
    /// The built-in value, if the program knows the setting.
    pub(crate) default: Option<&'static str>,
    /// What it decides, if the program knows it.
    pub(crate) meaning: Option<&'static str>,
}

impl Setting {
    fn built_in(known: &BuiltIn) -> Self {
        Self {
            key: known.key.to_owned(),
            value: known.value.to_owned(),
            source: SettingSource::BuiltIn,
            id: None,
            recorded_at: None,
            default: Some(known.value),
            meaning: Some(known.meaning),
        }
    }
}

/// A claim that states a setting in one space.
struct Stated {
    key: SettingKey,
    id: OpId,
    text: String,
    at: (u64, OpId),
}

/// The two times for which settings are asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SettingTimes {
    /// As of this time of recording (inclusive), microseconds since the Unix epoch.
    pub(crate) as_of_us: Option<u64>,
    /// As they hold in the world at this time, microseconds since the Unix epoch.
    pub(crate) valid_at_us: i64,
}

impl SettingTimes {
    /// Now.
    fn now(session: &Session) -> Self {
        Self::of(&Viewpoint::default(), session.now)
    }

    /// Those of a viewpoint: in the world at its time, else at that of recording, else now.
    pub(crate) fn of(viewpoint: &Viewpoint, now: jiff::Timestamp) -> Self {
        let as_of_us = viewpoint.as_of_us;
        let then = as_of_us.and_then(|at| i64::try_from(at).ok());
        let valid_at_us = viewpoint.valid_at_us.or(then).unwrap_or(now.as_microsecond());
        Self { as_of_us, valid_at_us }
    }
}

/// A claim whose author may speak for the person.
pub(crate) struct UsersClaim {
    /// What is believed.
    pub(crate) belief: Belief,
    /// The claim.
    pub(crate) id: OpId,
    /// When it was recorded, and its id: its place among others.
    pub(crate) at: (u64, OpId),
}

/// The claims that pass a filter and whose authors may speak for the person.
pub(crate) fn claims_of_user(
    space: &Space,
    filter: &ClaimFilter,
) -> Result<Vec<UsersClaim>, Failure> {
    let mut found = Vec::new();
    let beliefs = space.claims(filter, usize::MAX)?.beliefs;
    let keys = if beliefs.is_empty() { return Ok(found) } else { space.key_ring()? };
    for belief in beliefs {
        let Some(id) = belief.served else { continue };
        let shown = space.show(&id)?;
        let header = shown.operation.header();
        let order = (header.ts, id);
        if keys.speaks_for_user(&header.author, Place { order, seq: header.seq }) {
            found.push(UsersClaim { belief, id, at: (header.ts.0, id) });
        }
    }
    Ok(found)
}

/// The claims that state settings in a space, or one of them, the newest of a key last.
fn stated(
    space: &Space,
    times: SettingTimes,
    key: Option<&SettingKey>,
) -> Result<Vec<Stated>, Failure> {
    let filter = ClaimFilter {
        claim_type: Some(TextClaimType::Preference.as_str().to_owned()),
        as_of_us: times.as_of_us,
        valid_at_us: Some(times.valid_at_us),
        tags: key.map(SettingKey::tag).into_iter().collect(),
        tag_prefix: Some(TAG.to_owned()),
        ..ClaimFilter::default()
    };
    let mut stated = Vec::new();
    for UsersClaim { belief, id, at } in claims_of_user(space, &filter)? {
        let tags = belief.tags.iter().filter_map(|tag| tag.strip_prefix(TAG));
        let named = tags.filter_map(|named| SettingKey::parse(named).ok());
        // A claim may say anything; a value that could not be set is none.
        let named: Vec<SettingKey> = named
            .filter(|named| key.is_none_or(|key| key == named) && named.is_stated_by(&belief.text))
            .collect();
        if named.is_empty() {
            continue;
        }
        let text = belief.text;
        stated.extend(named.into_iter().map(|key| Stated { key, id, text: text.clone(), at }));
    }
    stated.sort_by_key(|stated| stated.at);
    Ok(stated)
}

/// Whether a space has a value of the setting that a tag names, if it names one.
pub(crate) fn has_setting(
    space: &Space,
    session: &Session,
    tag: &str,
    as_of_us: Option<u64>,
) -> Result<bool, Failure> {
    let Some(key) = tag.strip_prefix(TAG).and_then(|named| SettingKey::parse(named).ok()) else {
        return Ok(false);
    };
    let times = SettingTimes { as_of_us, ..SettingTimes::now(session) };
    Ok(!stated(space, times, Some(&key))?.is_empty())
}

/// The spaces whose settings count.
pub(crate) struct SettingSpaces {
    project: Option<OpenedSpace>,
    home: Option<OpenedSpace>,
}

impl SettingSpaces {
    /// Of a request whose own space was found, or of none. Somebody else's settings do not count.
    pub(crate) fn of(session: &Session, found: Option<OpenedSpace>) -> Result<Self, Failure> {
        let own = found.filter(|found| found.owner.is_none());
        match own {
            Some(home) if session.is_home(&home) => Ok(Self { project: None, home: Some(home) }),
            project => Ok(Self { project, home: session.home_space()? }),
        }
    }

    /// Every setting: those that are recorded, and the built-in ones.
    pub(crate) fn settings(&self, times: SettingTimes) -> Result<Vec<Setting>, Failure> {
        settings_at(self.home.as_deref(), self.project.as_deref(), times)
    }

    /// One setting.
    pub(crate) fn setting(
        &self,
        times: SettingTimes,
        key: &SettingKey,
    ) -> Result<Setting, Failure> {
        let mut settings = self.settings(times)?.into_iter();
        let missing = || RequestError::NoSuchSetting { key: key.as_str().to_owned() };
        Ok(settings.find(|setting| setting.key == key.as_str()).ok_or_else(missing)?)
    }
}

/// Every setting that is recorded in the home space or a project's, which comes first, and the
/// built-in ones.
pub(crate) fn settings_at(
    home: Option<&Space>,
    project: Option<&Space>,
    times: SettingTimes,
) -> Result<Vec<Setting>, Failure> {
    let mut settings: BTreeMap<String, Setting> =
        BUILT_IN.iter().map(|known| (known.key.to_owned(), Setting::built_in(known))).collect();
    for (space, source) in [(home, SettingSource::Global), (project, SettingSource::Project)] {
        let Some(space) = space else { continue };
        for stated in stated(space, times, None)? {
            let at = jiff::Timestamp::from_microsecond(stated.at.0.cast_signed());
            let known = built_in(stated.key.as_str());
            let setting = Setting {
                value: stated.key.value_in(&stated.text),
                source,
                id: Some(stated.id),
                recorded_at: at.ok().map(|at| at.to_string()),
                default: known.map(|known| known.value),
                meaning: known.map(|known| known.meaning),
                key: stated.key.as_str().to_owned(),
            };
            settings.insert(setting.key.clone(), setting);
        }
    }
    Ok(settings.into_values().collect())
}

/// Whether programs may learn in a space. The built-in settings are recorded first, if they never
/// were.
pub(crate) fn may_learn(
    session: &Session,
    space: &mut OpenedSpace,
    intent: Intent,
) -> Result<bool, Failure> {
    let key = SettingKey::parse(AUTO_LEARN)?;
    if session.is_home(space) {
        if intent == Intent::Write {
            seed(session, space)?;
        }
        return switch(session, &[space], &key);
    }
    if intent == Intent::Write {
        seed(session, &mut session.home_to_write()?)?;
    }
    let home = session.home_space()?;
    let own = Some(&*space).filter(|space| space.owner.is_none());
    let spaces: Vec<&OpenedSpace> = own.into_iter().chain(&home).collect();
    switch(session, &spaces, &key)
}

/// How much mining keeps in a space.
pub(crate) fn mining_limits(
    session: &Session,
    space: &OpenedSpace,
) -> Result<MiningLimits, Failure> {
    let home = if session.is_home(space) { None } else { session.home_space()? };
    let own = Some(space).filter(|space| space.owner.is_none());
    let spaces: Vec<&OpenedSpace> = own.into_iter().chain(&home).collect();
    let mut limits = MiningLimits::default();
    // A value that a merge brought and that does not fit leaves the built-in one.
    let least = value(session, &spaces, &SettingKey::parse(MINING_MIN_CONFIDENCE)?)?;
    limits.confidence_min = least.parse().unwrap_or(limits.confidence_min);
    let most = value(session, &spaces, &SettingKey::parse(MINING_MAX_CLAIMS)?)?;
    limits.claims_max = most.parse().unwrap_or(limits.claims_max);
    Ok(limits)
}

/// Whether a switch is on, by the first of these spaces that has it.
fn switch(session: &Session, spaces: &[&OpenedSpace], key: &SettingKey) -> Result<bool, Failure> {
    Ok(value(session, spaces, key)? == ON)
}

/// A value by the first of these spaces that has it; the built-in one if none has.
fn value(session: &Session, spaces: &[&OpenedSpace], key: &SettingKey) -> Result<String, Failure> {
    for space in spaces {
        if let Some(stated) = stated(space, SettingTimes::now(session), Some(key))?.pop() {
            return Ok(key.value_in(&stated.text));
        }
    }
    Ok(built_in(key.as_str()).map_or_else(String::new, |known| known.value.to_owned()))
}

/// What became of setting a value.
pub(crate) struct SettingChange {
    /// The claim that states it; none in a dry run that would write it.
    pub(crate) id: Option<OpId>,
    /// The value in its usual form.
    pub(crate) value: String,
    /// Whether anything was written for it, or would be.
    pub(crate) is_new: bool,
}

/// Sets a value in a space, unless it has that value there already. Without a space, as in a dry
/// run before there is one, nothing has a value.
pub(crate) fn set(
    session: &Session,
    space: Option<&mut OpenedSpace>,
    key: &SettingKey,
    given: &str,
    intent: Intent,
) -> Result<SettingChange, Failure> {
    let value = key.value(given)?;
    let Some(space) = space else { return Ok(SettingChange { id: None, value, is_new: true }) };
    let before = stated(space, SettingTimes::now(session), Some(key))?;
    let text = key.text(&value);
    if let Some(newest) = before.last()
        && normalized_text(&key.text(&key.value_in(&newest.text))) == normalized_text(&text)
    {
        return Ok(SettingChange { id: Some(newest.id), value, is_new: false });
    }
    let visibility = session.scope_of(space).visibility();
    let changes = changes(space, key, &text, &before, visibility)?;
    let place = changes.iter().position(|change| change.name.is_some());
    let words = statement(session, &text, visibility);
    let changed = space.change_graph(&changes, Some(&words), intent, session.now)?;
    let id = place.and_then(|place| changed.stand_for.get(place).copied());
    Ok(SettingChange { id: id.filter(|_| intent == Intent::Write), value, is_new: true })
}

/// The new claim, which replaces those of the same key.
fn changes(
    space: &Space,
    key: &SettingKey,
    text: &str,
    before: &[Stated],
    visibility: Visibility,
) -> Result<Vec<NamedChange>, EngineError> {
    let mut replaced = Vec::new();
    for stated in before {
        let view = space.record_view(&stated.id, None)?;
        if view.is_some_and(|view| view.status == Some(RecordStatus::Active.as_str())) {
            replaced.push(Reference::Id(stated.id));
        }
    }
    let mut changes = Vec::new();
    // A claim of the same words without the tag would be taken for the new one.
    let same_words = ClaimFilter { contains: Some(text.to_owned()), ..ClaimFilter::default() };
    for belief in space.claims(&same_words, usize::MAX)?.beliefs {
        let is_same = belief.claim_type == TextClaimType::Preference.as_str()
            && normalized_text(&belief.text) == normalized_text(text)
            && !belief.tags.contains(&key.tag());
        if let Some(id) = belief.served.filter(|_| is_same) {
            let reason = "stated again as a setting".to_owned();
            changes.push(
                GraphChange::Retract { target: Reference::Id(id), reason, sources: Vec::new() }
                    .into(),
            );
        }
    }
    let statement = Statement {
        tags: vec![key.tag()],
        visibility,
        ..Statement::new(claim_of_preference(), text)
    };
    let change = GraphChange::State(Box::new(statement));
    changes.push(NamedChange { name: Some(NEW.to_owned()), change });
    changes.extend(replaced.into_iter().map(|to| {
        NamedChange::from(GraphChange::Connect {
            edge_type: EdgeType::Supersedes,
            from: Reference::Local(NEW.to_owned()),
            to,
            inputs: Vec::new(),
            notes: String::new(),
        })
    }));
    Ok(changes)
}

/// A preference in words.
pub(crate) fn claim_of_preference() -> RecordType {
    RecordType::Claim(TextClaimType::Preference.as_str().to_owned())
}

/// Records the built-in settings of which the home space has never had a claim. Answers with their
/// keys.
pub(crate) fn seed(
    session: &Session,
    home: &mut OpenedSpace,
) -> Result<Vec<&'static str>, Failure> {
    let mut missing: Vec<&BuiltIn> = Vec::new();
    for known in &BUILT_IN {
        let filter = ClaimFilter {
            states: States::Any,
            tags: vec![SettingKey::of(known).tag()],
            ..ClaimFilter::default()
        };
        if home.claims(&filter, 1)?.total == 0 {
            missing.push(known);
        }
    }
    if missing.is_empty() {
        return Ok(Vec::new());
    }
    let state = |built_in: &&BuiltIn| {
        let key = SettingKey::of(built_in);
        NamedChange::from(GraphChange::State(Box::new(Statement {
            tags: vec![key.tag()],
            visibility: Visibility::Global,
            confidence_basis: json!({ "source": DEFAULTS_SET }),
            ..Statement::new(claim_of_preference(), key.text(built_in.value))
        })))
    };
    let changes: Vec<NamedChange> = missing.iter().map(state).collect();
    let evidence = defaults(session, &missing);
    home.change_graph(&changes, Some(&evidence), Intent::Write, session.now)?;
    Ok(missing.iter().map(|built_in| built_in.key).collect())
}

/// The record that the built-in settings cite. Its text is empty, so that no recall finds it.
fn defaults(session: &Session, settings: &[&BuiltIn]) -> Evidence {
    let values: BTreeMap<&str, &str> =
        settings.iter().map(|built_in| (built_in.key, built_in.value)).collect();
    let values = json!(values);
    Evidence {
        source: SOURCE.to_owned(),
        source_uid: kernel::body::payload_digest(&values).to_string(),
        kind: EvidenceKind::from(DEFAULTS_SET),
        actor: None,
        at: Some(When::from_zoned(&session.now.to_zoned(session.zone.clone()))),
        summary: "The built-in settings".to_owned(),
        visibility: Visibility::Global,
        payload: Payload {
            more: serde_json::Map::from_iter([("settings".to_owned(), values)]),
            ..Payload::default()
        },
    }
}
