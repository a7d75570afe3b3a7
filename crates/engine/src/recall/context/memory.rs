//! Filling with what memory holds: facts, then episodes, which get what no other tier claims.
//!
//! An episode that is too long is served as an [`excerpt`]. While more of the first episodes are to
//! follow, one takes at most half of what is left, so that a long one does not push out the others.
//! In the end, excerpts grow into the room that remains, and the first replies of a program of
//! which a passage was served are served with what is around it. Where no episode seems to answer,
//! they do not get what other tiers leave.

use retrieval::rank::relevance::RELEVANCE_MIN;

use super::fill::{Chosen, Filling, Mention, plain};
use super::gather::Whole;
use super::{Candidate, Count, Gathered, Item, Omission, Reason, Request, Tier, excerpt, render};

/// Share of the best relevance that items beyond the minimum of their tier need.
const NEARLY_AS_RELEVANT: f64 = 0.6;

/// The most for episodes where none seems to answer, which is still more than a small budget's
/// share.
const UNANSWERED_TOKENS_MAX: usize = 200;

/// Instructions for every question get one part in so many of what episodes may take.
const GENERAL_SHARE: usize = 4;

/// Most replies that are served with what is around their passages.
const WIDENED_MAX: usize = 2;

/// A candidate as it would be put there.
struct Offer {
    item: Item,
    block: String,
}

impl Filling<'_> {
    /// Takes facts and episodes. `reserved` tokens are for tiers that follow.
    pub(super) fn take_memory(&mut self, request: &Request, gathered: &Gathered, reserved: usize) {
        let budget = &request.budget;
        let facts: Vec<_> = gathered.facts.iter().enumerate().collect();
        let taken = self.take_remembered(Tier::Facts, &facts, request.facts, budget.facts);
        // A budget of zero switches a tier off.
        let all = |budget: usize, filling: &Self, tier: Tier| match budget {
            0 => 0,
            _ => {
                let kept = reserved + filling.frame(tier);
                budget.max(filling.spent_on(tier) + filling.left.saturating_sub(kept))
            }
        };
        let episodes: Vec<_> = gathered.episodes.iter().enumerate().collect();
        let mut room = all(budget.episodes, self, Tier::Episodes);
        // How to answer every question takes no place of an answer.
        let (general, episodes): (Vec<_>, Vec<_>) =
            episodes.into_iter().partition(|(_, candidate)| candidate.holds_for_all);
        let count = Count { least: general.len(), most: general.len() };
        self.take_remembered(Tier::Episodes, &general, count, room / GENERAL_SHARE);
        if gathered.relevance < RELEVANCE_MIN {
            let spent = self.spent_on(Tier::Episodes);
            room = room.min(spent + UNANSWERED_TOKENS_MAX.max(budget.episodes));
        }
        self.take_remembered(Tier::Episodes, &episodes, request.episodes, room);
        let room = all(budget.facts, self, Tier::Facts);
        let facts = self.take_back_misfits(Tier::Facts, facts);
        let Count { least, most } = request.facts;
        let count = Count { least: least.saturating_sub(taken), most: most.saturating_sub(taken) };
        self.take_remembered(Tier::Facts, &facts, count, room);
        if gathered.relevance >= RELEVANCE_MIN {
            let room = all(budget.episodes, self, Tier::Episodes);
            self.widen(&episodes, room);
        }
    }

    /// Serves the first replies of which a passage is served with what is around it, the whole if
    /// there is room.
    fn widen(&mut self, episodes: &[(usize, &Candidate)], tier_max: usize) {
        let passages = episodes.iter().filter_map(|(order, candidate)| {
            let Whole { text, focus, is_cut } = candidate.whole.as_ref()?;
            let is_served = |served: &Chosen| served.item.id == Some(candidate.id);
            self.chosen.iter().any(is_served).then(|| {
                let (text, focus, is_cut) = (text.clone(), focus.clone(), *is_cut);
                (*order, Candidate { text, focus, is_cut, ..(*candidate).clone() })
            })
        });
        let widened: Vec<_> = passages.take(WIDENED_MAX).collect();
        for (order, candidate) in widened {
            self.lengthen(Tier::Episodes, order, &candidate, tier_max);
        }
    }

    /// Takes the candidates that did not fit off the list of what was left out.
    fn take_back_misfits<'c>(
        &mut self,
        tier: Tier,
        candidates: Vec<(usize, &'c Candidate)>,
    ) -> Vec<(usize, &'c Candidate)> {
        let (misfits, others): (Vec<_>, Vec<_>) = std::mem::take(&mut self.left_out)
            .into_iter()
            .partition(|left| left.tier == tier && left.reason == Omission::DidNotFit);
        self.left_out = others;
        let is_misfit =
            |candidate: &Candidate| misfits.iter().any(|misfit| misfit.id == Some(candidate.id));
        candidates.into_iter().filter(|(_, candidate)| is_misfit(candidate)).collect()
    }

    /// Takes candidates in their order, with their places in the tier. Answers with how many.
    fn take_remembered(
        &mut self,
        tier: Tier,
        candidates: &[(usize, &Candidate)],
        count: Count,
        tier_max: usize,
    ) -> usize {
        let best = candidates.iter().map(|(_, candidate)| candidate.relevance).fold(0.0, f64::max);
        let mut taken = 0;
        let mut shortened = Vec::new();
        for (number, (order, candidate)) in candidates.iter().enumerate() {
            let mention = Mention::of(&candidate.text);
            let repeated_in = self
                .mentions
                .iter()
                .find(|(_, other)| mention.is_repeated_by(other))
                .map(|(tier, _)| *tier);
            let omission = match repeated_in {
                _ if self.shown.contains(&candidate.id) => Some(Omission::AlreadyShown),
                Some(Tier::RecentTurns) => Some(Omission::InRecentTurns),
                Some(_) => Some(Omission::Duplicate),
                None if taken >= count.most => Some(Omission::EnoughOthers),
                None if taken >= count.least && candidate.relevance < best * NEARLY_AS_RELEVANT => {
                    Some(Omission::BelowThreshold)
                }
                None => None,
            };
            if let Some(omission) = omission {
                self.leave_out(&item(tier, candidate), None, omission);
                continue;
            }
            let room = self.room(tier, tier_max);
            let is_last = taken + 1 >= count.least || number + 1 == candidates.len();
            let share = if is_last { room } else { room / 2 };
            let offer = self.whole(tier, candidate, share).or_else(|| {
                let excerpt = self.excerpt(tier, candidate, share);
                let whole = excerpt.or_else(|| self.whole(tier, candidate, room));
                whole.or_else(|| self.excerpt(tier, candidate, room))
            });
            let Some(Offer { item: offered, block }) = offer else {
                self.leave_out(&item(tier, candidate), None, Omission::DidNotFit);
                continue;
            };
            if offered.text.len() < candidate.text.trim().len() {
                shortened.push((*order, *candidate));
            }
            let frame = self.frame(tier);
            self.take(offered, block, *order, frame);
            taken += 1;
        }
        for (order, candidate) in shortened {
            self.lengthen(tier, order, candidate, tier_max);
        }
        taken
    }

    /// The tokens that one more item of a tier may take.
    fn room(&self, tier: Tier, tier_max: usize) -> usize {
        let of_all = self.left.saturating_sub(self.frame(tier));
        tier_max.saturating_sub(self.spent_on(tier)).min(of_all)
    }

    /// A candidate with all of its text.
    fn whole(&self, tier: Tier, candidate: &Candidate, room: usize) -> Option<Offer> {
        let block = render::remembered(candidate, &self.marks);
        let tokens = self.count_within(&block, room).filter(|tokens| *tokens <= room)?;
        Some(Offer { item: Item { tokens, ..item(tier, candidate) }, block })
    }

    /// The part of an episode around its match that fits. Facts are never cut: a part of one may
    /// say something else.
    fn excerpt(&self, tier: Tier, candidate: &Candidate, room: usize) -> Option<Offer> {
        if tier != Tier::Episodes {
            return None;
        }
        let part = |text: &str| Candidate {
            text: text.to_owned(),
            is_cut: true,
            by: candidate.by.clone(),
            source: candidate.source.clone(),
            at: candidate.at.clone(),
            replaces: candidate.replaces.clone(),
            overruled: candidate.overruled.clone(),
            focus: 0..0,
            whole: None,
            ..*candidate
        };
        let fits = |text: &str| self.whole(tier, &part(text), room).is_some();
        let text = excerpt::around(&candidate.text, &candidate.focus, &fits)?;
        self.whole(tier, &part(text), room)
    }

    /// Replaces an excerpt by a longer one that contains it, or by the whole, if there is room.
    fn lengthen(&mut self, tier: Tier, order: usize, candidate: &Candidate, tier_max: usize) {
        let place =
            self.chosen.iter().position(|chosen| (chosen.item.tier, chosen.order) == (tier, order));
        let Some(taken) = place.and_then(|place| self.chosen.get(place)) else { return };
        let (before, served) = (taken.item.tokens, taken.item.text.clone());
        let room = before + self.room(tier, tier_max);
        let longer = self
            .whole(tier, candidate, room)
            .or_else(|| self.excerpt(tier, candidate, room))
            .filter(|longer| {
                longer.item.text.len() > served.len() && longer.item.text.contains(&served)
            });
        let Some(Offer { item, block }) = longer else { return };
        self.left = (self.left + before).saturating_sub(item.tokens);
        self.mentions.push((tier, Mention::of(&item.text)));
        if let Some(taken) = place.and_then(|place| self.chosen.get_mut(place)) {
            (taken.item, taken.block) = (item, block);
        }
    }
}

/// An item before its tokens are counted.
fn item(tier: Tier, candidate: &Candidate) -> Item {
    let Candidate { id, similarity, confidence, recency, is_cut, .. } = *candidate;
    let reason = Reason::Relevant { similarity, confidence, recency };
    let item = plain(tier, &candidate.text, reason, Some(candidate.relevance));
    Item { id: Some(id), is_cut, ..item }
}
