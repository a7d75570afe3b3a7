//! `because claims`

use engine::belief::Belief;
use engine::belief::claims::{ClaimFilter, States, to_json};
use engine::owner::SpaceOwner;
use kernel::confidence::Band;
use kernel::validity::State;
use serde_json::json;

use super::{CliSession, print_owner};
use crate::failure::Failure;
use crate::output::{self, DIM, Form, ID, printable, short};
use crate::service::opening::SpaceUse;
use crate::service::time::parse_time_if_given_us;
use crate::service::wording::{sureness, words};

/// Arguments of `claims`.
#[derive(clap::Args)]
#[command(
    after_help = "Bands: speculative below 0.40, probable from 0.40, likely from 0.70, strong from 0.90; a correction of yours is certain.\n\nExamples:\n  because claims\n  because claims --type routine --band strong\n  because claims --state refuted --state invalidated\n  because claims --valid-at 2025-03-01          true then, by what is known now\n  because claims --as-of 2025-03-01             believed then"
)]
pub(crate) struct Args {
    /// Only in this state; may be repeated [default: active and corrected]
    #[arg(long, value_name = "STATE", value_enum)]
    state: Vec<StateName>,
    /// Only of this type or family: routine.weekly, routine
    #[arg(long = "type", value_name = "TYPE")]
    claim_type: Option<String>,
    /// Only in this confidence band
    #[arg(long, value_name = "BAND", value_enum)]
    band: Option<BandName>,
    /// Only beliefs that are true at this time (2025-02-01, or with a time)
    #[arg(long, value_name = "TIME")]
    valid_at: Option<String>,
    /// Beliefs as of this time, from what was recorded until then
    #[arg(long, value_name = "TIME")]
    as_of: Option<String>,
    /// Only with this text in their words, key or data, in any case
    #[arg(long, value_name = "TEXT")]
    contains: Option<String>,
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
            Self::Any => None,
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
    let time = |text: &Option<String>| parse_time_if_given_us(&session.zone, text.as_deref());
    let states = match args.state.as_slice() {
        [] => States::Believed,
        names if names.contains(&StateName::Any) => States::Any,
        names => States::These(names.iter().filter_map(|name| name.state()).collect()),
    };
    let filter = ClaimFilter {
        states,
        claim_type: args.claim_type.clone(),
        band: args.band.map(BandName::band),
        valid_at_us: time(&args.valid_at)?,
        as_of_us: time(&args.as_of)?.map(|at| at.max(0).unsigned_abs()),
        contains: args.contains.clone(),
    };
    let space = session.open(SpaceUse::Read)?;
    let limit = if args.limit == 0 { usize::MAX } else { args.limit };
    let claims = space.claims(&filter, limit)?;
    if session.form == Form::Json {
        claims.beliefs.iter().try_for_each(|belief| {
            let mut value = to_json(belief);
            describe_owner(&mut value, space.owner.as_ref());
            output::json(&value)
        })?;
        if !claims.altered.is_empty() {
            output::json_note(&json!({ "altered": claims.altered }));
        }
        return Ok(0);
    }
    print_owner(space.owner.as_ref())?;
    if claims.total == 0 {
        let any =
            space.claims(&ClaimFilter { states: States::Any, ..ClaimFilter::default() }, 1)?.total
                > 0;
        output::line(if any {
            "No belief matches."
        } else {
            "No beliefs yet: `because import` records sources, `because derive` concludes beliefs from them."
        })?;
    }
    for belief in &claims.beliefs {
        print(session, belief, space.owner.as_ref())?;
    }
    output::note_altered(&claims.altered);
    let more = claims.total.saturating_sub(claims.beliefs.len() + claims.altered.len());
    if more > 0 {
        output::line(format_args!("{DIM}… and {more} more; -n 0 shows all{DIM:#}"))?;
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

/// Two lines about a belief.
pub(crate) fn print(
    session: &CliSession,
    belief: &Belief,
    owner: Option<&SpaceOwner>,
) -> Result<(), Failure> {
    output::line(format_args!(
        "{:<16} {}{}",
        sureness(belief, owner),
        words(belief, owner),
        times(session, belief)
    ))?;
    let id = belief.served.or(belief.current).map(|id| short(&id)).unwrap_or_default();
    output::line(format_args!("{:<16} {DIM}{}{DIM:#}  {ID}{id}{ID:#}", "", printable(&belief.key)))
}

/// The interval in which a belief is true, as far as it is known.
pub(crate) fn times(session: &CliSession, belief: &Belief) -> String {
    let now_us = session.now.as_microsecond();
    let since = belief
        .valid_from
        .as_ref()
        .map(|from| format!(", since {}", from.date()))
        .unwrap_or_default();
    let until = match (&belief.valid_to, &belief.last_seen) {
        (Some(to), _) if to.instant_us() <= now_us => format!(", ended {}", to.date()),
        (Some(to), _) => format!(", until {}", to.date()),
        (None, Some(last)) if last.at.instant_us() <= now_us => {
            format!(", last seen {}", last.at.date())
        }
        (None, Some(last)) => format!(", planned to {}", last.at.date()),
        (None, None) => String::new(),
    };
    format!("{since}{until}")
}
