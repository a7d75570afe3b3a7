//! `because claims`

use engine::belief::Belief;
use engine::belief::claims::{ClaimFilter, Claims, States, is_over, to_json};
use engine::owner::SpaceOwner;
use engine::recall::facts::ACTIVE_CONFIDENCE_MIN;
use kernel::confidence::Band;
use kernel::records::RecordStatus;
use kernel::validity::State;
use serde_json::json;

use super::graph::ScopeName;
use super::{CliSession, print_owner};
use crate::failure::Failure;
use crate::output::{self, DIM, Form, ID, count, printable};
use crate::service::agreed_settings::is_of_setting;
use crate::service::effective::{Scoped, ScopedClaims};
use crate::service::types::claim_type;
use crate::service::wording::{sureness, words};

/// Arguments of `claims`.
#[derive(clap::Args)]
#[command(
    after_help = "Bands: speculative below 0.40, probable from 0.40, likely from 0.70, strong from 0.90; a correction of yours is certain.\n\nExamples:\n  because claims\n  because claims --type routine --band strong\n  because claims --state refuted --state invalidated\n  because claims --all                          also what is over, yet to begin or below 0.30\n  because claims --valid-at 2025-03-01          true then, by what is known now\n  because claims --as-of 2025-03-01             believed then"
)]
pub(crate) struct Args {
    /// Only in this state; may be repeated [default: active and corrected]
    #[arg(long, value_name = "STATE", value_enum, visible_alias = "status")]
    state: Vec<StateName>,
    /// Only with this tag; may be repeated, then with all of them
    #[arg(long)]
    tag: Vec<String>,
    /// Only of this type or family: routine.weekly, routine
    #[arg(long = "type", value_name = "TYPE", value_parser = claim_type)]
    claim_type: Option<String>,
    /// Only in this confidence band
    #[arg(long, value_name = "BAND", value_enum)]
    band: Option<BandName>,
    /// Only beliefs that are true at this time (2025-02-01, 2025, yesterday …)
    #[arg(long, value_name = "TIME")]
    valid_at: Option<String>,
    /// Beliefs as of this time, from what was recorded until then
    #[arg(long, value_name = "TIME")]
    as_of: Option<String>,
    /// Include beliefs that are over or yet to begin, and those below 0.30
    #[arg(long)]
    all: bool,
    /// Only with this text in their words, key or data, in any case
    #[arg(long, value_name = "TEXT")]
    contains: Option<String>,
    /// What is read
    #[arg(long, value_enum, default_value_t = ScopeName::Effective)]
    scope: ScopeName,
    /// How many; 0 for all
    #[arg(long, short = 'n', value_name = "N", default_value_t = 100)]
    limit: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum StateName {
    Active,
    Corrected,
    Refuted,
    Retracted,
    Invalidated,
    Superseded,
    Alias,
    Any,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum BandName {
    Speculative,
    Probable,
    Likely,
    Strong,
}

impl StateName {
    fn state(self) -> Option<State> {
        match self {
            Self::Active => Some(State::Active),
            Self::Corrected => Some(State::Corrected),
            Self::Refuted => Some(State::Refuted),
            Self::Retracted => Some(State::Retracted),
            Self::Invalidated => Some(State::Invalidated),
            Self::Superseded | Self::Alias | Self::Any => None,
        }
    }

    /// How edges displace it, if that is what the name says.
    fn displaced(self) -> Option<RecordStatus> {
        match self {
            Self::Superseded => Some(RecordStatus::Superseded),
            Self::Alias => Some(RecordStatus::Alias),
            _ => None,
        }
    }
}

impl BandName {
    fn band(self) -> Band {
        match self {
            Self::Speculative => Band::Speculative,
            Self::Probable => Band::Probable,
            Self::Likely => Band::Likely,
            Self::Strong => Band::Strong,
        }
    }
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let time = |text: &Option<String>| session.times().start_if_given_us(text.as_deref());
    let states = match args.state.as_slice() {
        [] => States::Believed,
        names if names.contains(&StateName::Any) => States::Any,
        names => States::These(names.iter().filter_map(|name| name.state()).collect()),
    };
    let filter = ClaimFilter {
        states,
        displaced: args.state.iter().filter_map(|name| name.displaced()).collect(),
        tags: args.tag.clone(),
        claim_type: args.claim_type.clone(),
        band: args.band.map(BandName::band),
        valid_at_us: time(&args.valid_at)?,
        as_of_us: session.times().recorded_us(args.as_of.as_deref())?,
        contains: args.contains.clone(),
        ..ClaimFilter::default()
    };
    let now_us = session.now.as_microsecond();
    let filter = if args.all { filter } else { filter.in_force(now_us) };
    let spaces = session.open_effective(args.scope.into())?;
    let owner = spaces.own.owner.as_ref();
    let limit = if args.limit == 0 { usize::MAX } else { args.limit };
    let ScopedClaims { beliefs, counts: claims } = spaces.claims(session, &filter, limit)?;
    let more = claims.total.saturating_sub(beliefs.len() + claims.altered.len());
    if session.form == Form::Json {
        beliefs.iter().try_for_each(|Scoped { scope, item: belief }| {
            let mut value = to_json(belief);
            describe_owner(&mut value, spaces.owner(*scope));
            value["scope"] = json!(scope);
            output::json(&value)
        })?;
        if more > 0 {
            output::json_note(&json!({ "more": more }));
        }
        if !claims.altered.is_empty() {
            output::json_note(&json!({ "altered": claims.altered }));
        }
        if claims.over + claims.below_minimum > 0 {
            output::json_note(&json!({
                "not_listed": { "over": claims.over, "below_minimum": claims.below_minimum }
            }));
        }
        return Ok(0);
    }
    print_owner(owner)?;
    let not_listed = not_listed(&claims);
    if claims.total == 0 && not_listed.is_none() {
        let any = spaces
            .own
            .claims(&ClaimFilter { states: States::Any, ..ClaimFilter::default() }, 1)?
            .total
            > 0;
        output::line(if any {
            "No belief matches."
        } else {
            "No beliefs yet: `because import` records sources, `because derive` concludes beliefs from them."
        })?;
    }
    let marked_at_us = filter.valid_at_us.unwrap_or_else(|| filter.listed_at_us(now_us));
    // What was agreed with agents is as sure as can be, and says least of what is known.
    let is_setting = |found: &&Scoped<Belief>| found.item.tags.iter().any(|tag| is_of_setting(tag));
    let (settings, others): (Vec<_>, Vec<_>) = beliefs.iter().partition(is_setting);
    for Scoped { scope, item: belief } in others.into_iter().chain(settings) {
        print_at(session, belief, (spaces.owner(*scope), spaces.mark(*scope)), marked_at_us)?;
    }
    output::note_altered(&claims.altered);
    if more > 0 {
        output::line(format_args!("{DIM}… and {more} more; -n 0 shows all{DIM:#}"))?;
    }
    if let Some(not_listed) = not_listed {
        output::line(format_args!("{DIM}{not_listed}{DIM:#}"))?;
    }
    Ok(0)
}

/// Adds to a belief as JSON whose it is, and attributes its text if that is somebody else.
pub(super) fn describe_owner(value: &mut serde_json::Value, owner: Option<&SpaceOwner>) {
    value["owner"] = json!(owner);
    if let (Some(owner), Some(text)) = (owner, value["text"].as_str())
        && !text.is_empty()
    {
        value["text"] = owner.attribute(text).into();
    }
}

/// `4 beliefs are over or yet to begin and 2 are below 0.30; --all lists them`; none if nothing is
/// left out.
fn not_listed(claims: &Claims) -> Option<String> {
    let are = |number: usize| if number == 1 { "is" } else { "are" };
    let beliefs = |number: usize| format!("{} {}", count(number as u64, "belief"), are(number));
    let low = format!("below {ACTIVE_CONFIDENCE_MIN:.2}");
    let what = match (claims.over, claims.below_minimum) {
        (0, 0) => return None,
        (over, 0) => format!("{} over or yet to begin", beliefs(over)),
        (0, below_minimum) => format!("{} {low}", beliefs(below_minimum)),
        (over, below_minimum) => {
            let below = format!("{below_minimum} {} {low}", are(below_minimum));
            format!("{} over or yet to begin and {below}", beliefs(over))
        }
    };
    let them = if claims.over + claims.below_minimum == 1 { "it" } else { "them" };
    Some(format!("{what}; --all lists {them}"))
}

/// Two lines about a belief, as of `at_us`, with its owner and a mark of where it is.
pub(crate) fn print_at(
    session: &CliSession,
    belief: &Belief,
    (owner, mark): (Option<&SpaceOwner>, &str),
    at_us: i64,
) -> Result<(), Failure> {
    let displaced = belief.displaced.map(|status| format!("  {DIM}({}){DIM:#}", status.as_str()));
    output::line(format_args!(
        "{:<16} {}{}{}{DIM}{mark}{DIM:#}",
        sureness(belief, owner),
        words(belief, owner),
        times_at(session, belief, at_us),
        displaced.unwrap_or_default()
    ))?;
    let id = belief.served.or(belief.current).map(|id| id.short()).unwrap_or_default();
    output::line(format_args!("{:<16} {DIM}{}{DIM:#}  {ID}{id}{ID:#}", "", printable(&belief.key)))
}

/// The interval in which a belief is true, as far as it is known.
pub(crate) fn times(session: &CliSession, belief: &Belief) -> String {
    times_at(session, belief, session.now.as_microsecond())
}

/// The same, marked as over if it is so at `at_us`.
fn times_at(session: &CliSession, belief: &Belief, at_us: i64) -> String {
    let now_us = session.now.as_microsecond();
    let since = belief
        .valid_from
        .as_ref()
        .map(|from| {
            let word = if from.instant_us() <= now_us { "since" } else { "from" };
            format!(", {word} {}", from.date())
        })
        .unwrap_or_default();
    let until = match (&belief.valid_to, &belief.last_seen) {
        (Some(to), _) if to.instant_us() <= now_us.min(at_us) => format!(", ended {}", to.date()),
        (Some(to), _) => format!(", until {}", to.date()),
        (None, Some(last)) if last.at.instant_us() <= now_us => {
            let over = if is_over(belief, at_us) { " (over)" } else { "" };
            format!(", last seen {}{over}", last.at.date())
        }
        (None, Some(last)) => format!(", planned to {}", last.at.date()),
        (None, None) => String::new(),
    };
    format!("{since}{until}")
}
