//! Filling: divides the token budget among the tiers. Pure: takes the gathered candidates and a
//! token counter, and returns what was chosen and what was left out.
//!
//! Tiers are filled one after the other, and what a tier does not use is left to memory
//! ([`super::memory`]). Within a tier the best item comes first, and items that do not fit are
//! skipped. Marks and headings are counted with the first item of their section, so the
//! sum never exceeds the total. Only the newest turn may exceed it: a context without the whole of
//! that turn would answer another question.

use std::collections::BTreeSet;

use kernel::id::OpId;
use retrieval::shingles::Shingles;
use retrieval::text::cut;

use super::render::{self, Marks, Section};
use super::{
    Budget, Gathered, Item, LeftOut, NAME_BYTES_MAX, Omission, Reason, Request, TEXT_BYTES_MAX,
    TOOL_RESULTS_MAX, TURNS_MAX, Tier,
};
use crate::tokens::{TOKEN_BYTES_MAX, Tokens, fit};

/// Share of a text's shingles in another text from which on it counts as a repetition.
const SAYS_SHARE: f64 = 0.8;
/// Fewest tokens of instructions that are cut to fit.
const INSTRUCTION_TOKENS_MIN: usize = 8;

/// Something that is put there, as it is written.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    pub(super) item: Item,
    pub(super) block: String,
    /// Its place in its tier.
    pub(super) order: usize,
}

/// What was chosen and what was not.
pub(super) struct Filled {
    pub(super) chosen: Vec<Chosen>,
    pub(super) left_out: Vec<LeftOut>,
    pub(super) marks: Marks,
}

/// Chooses. Bounded by [`TURNS_MAX`], [`TOOL_RESULTS_MAX`] and what was gathered.
pub(super) fn fill(request: &Request, gathered: &Gathered, counter: &dyn Tokens) -> Filled {
    let mut filling = Filling {
        counter,
        left: request.budget.total,
        chosen: Vec::new(),
        left_out: gathered.left_out.clone(),
        mentions: known_statements(request),
        shown: &request.shown,
        marks: Marks::of(request, gathered),
    };
    let later = filling.take_turns(request);
    filling.take_tool_results(request);
    let reserved = filling.claimed_by_turns(&later, request.budget.turns_max)
        + filling.claimed_by_instructions(request);
    filling.take_memory(request, gathered, reserved);
    filling.take_older_turns(later, request.budget.turns_max);
    filling.take_instructions(request);
    let Filling { chosen, left_out, marks, .. } = filling;
    Filled { chosen, left_out, marks }
}

pub(super) struct Filling<'a> {
    pub(super) counter: &'a dyn Tokens,
    pub(super) left: usize,
    pub(super) chosen: Vec<Chosen>,
    pub(super) left_out: Vec<LeftOut>,
    /// The texts of the turns that the reader has, and of the chosen turns and memories.
    pub(super) mentions: Vec<(Tier, Mention)>,
    /// Operations that the reader was shown before.
    pub(super) shown: &'a BTreeSet<OpId>,
    pub(super) marks: Marks,
}

/// The texts of the turns that the reader has anyway.
fn known_statements(request: &Request) -> Vec<(Tier, Mention)> {
    let newest = request.known_turns.iter().rev().take(TURNS_MAX);
    newest.map(|turn| (Tier::RecentTurns, Mention::of(cut(&turn.text, TEXT_BYTES_MAX)))).collect()
}

/// A chosen text, prepared for comparison.
pub(super) struct Mention {
    shingles: Shingles,
    folded: String,
}

impl Mention {
    pub(super) fn of(text: &str) -> Self {
        let folded = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let folded = folded.collect::<Vec<_>>().join(" ").to_lowercase();
        Self { shingles: Shingles::of(text), folded }
    }

    /// Whether `other` contains the same statement.
    pub(super) fn is_repeated_by(&self, other: &Self) -> bool {
        if self.folded.is_empty() {
            return false;
        }
        self.folded == other.folded
            || self.shingles.share_in(other.shingles.hashes()) >= SAYS_SHARE
            || (self.shingles.hashes().is_empty()
                && format!(" {} ", other.folded).contains(&format!(" {} ", self.folded)))
    }
}

/// A turn that is added at the end if tokens are left.
struct Older {
    order: usize,
    item: Item,
    block: String,
}

impl Filling<'_> {
    /// Tokens of the marks and the heading that come with the first item of a tier.
    pub(super) fn frame(&self, tier: Tier) -> usize {
        let is_there = |other: Tier| self.chosen.iter().any(|chosen| chosen.item.tier == other);
        let section = Section::of(tier);
        let opened = self.chosen.iter().any(|chosen| Section::of(chosen.item.tier) == section);
        let marks = section.filter(|_| !opened).map_or(0, |section| {
            self.counter.count(&self.marks.open(section))
                + self.counter.count(&self.marks.close(section))
        });
        let heading =
            if is_there(tier) { 0 } else { self.counter.count(&self.marks.heading(tier)) };
        marks + heading
    }

    pub(super) fn spent_on(&self, tier: Tier) -> usize {
        self.chosen
            .iter()
            .filter(|chosen| chosen.item.tier == tier)
            .map(|chosen| chosen.item.tokens)
            .sum()
    }

    /// Tokens of a block; none if it cannot be so few that it fits into `room`, by its bytes alone.
    pub(super) fn count_within(&self, block: &str, room: usize) -> Option<usize> {
        if block.len() / TOKEN_BYTES_MAX > room {
            return None;
        }
        Some(self.counter.count(block))
    }

    /// Takes something if it fits into `tier_max` and the total.
    fn offer(&mut self, mut item: Item, block: String, order: usize, tier_max: usize) -> bool {
        let room = tier_max.saturating_sub(self.spent_on(item.tier)).min(self.left);
        let Some(tokens) = self.count_within(&block, room) else {
            self.leave_out(&item, None, Omission::DidNotFit);
            return false;
        };
        item.tokens = tokens;
        let frame = self.frame(item.tier);
        if tokens > room || tokens + frame > self.left {
            self.leave_out(&item, Some(tokens), Omission::DidNotFit);
            return false;
        }
        self.take(item, block, order, frame);
        true
    }

    pub(super) fn take(&mut self, item: Item, block: String, order: usize, frame: usize) {
        self.left = self.left.saturating_sub(item.tokens + frame);
        self.mentions.push((item.tier, Mention::of(cut(&item.text, TEXT_BYTES_MAX))));
        self.chosen.push(Chosen { item, block, order });
    }

    pub(super) fn leave_out(&mut self, item: &Item, tokens: Option<usize>, reason: Omission) {
        let summary =
            kernel::evidence::summarize(cut(&item.text, 4 * kernel::evidence::SUMMARY_CHARS_MAX));
        self.left_out.push(LeftOut {
            tier: item.tier,
            id: item.id,
            summary,
            tokens,
            score: item.score,
            reason,
        });
    }

    /// The newest turn, and those before it up to what turns have a claim to. Answers with the
    /// rest.
    fn take_turns(&mut self, request: &Request) -> Vec<Older> {
        let mut later = Vec::new();
        for (age, turn) in request.turns.iter().rev().take(TURNS_MAX).enumerate() {
            let (text, reason) = match age {
                0 => (turn.text.as_str(), Reason::NewestTurn),
                _ => (cut(&turn.text, TEXT_BYTES_MAX), Reason::RecentTurn),
            };
            let order = TURNS_MAX - age;
            let is_cut = text.len() < turn.text.len();
            let block =
                render::turn(cut(&turn.speaker, NAME_BYTES_MAX), text) + render::end(is_cut);
            let item = Item { is_cut, ..plain(Tier::RecentTurns, text, reason, None) };
            if age == 0 {
                let tokens = self.counter.count(&block);
                let frame = self.frame(Tier::RecentTurns);
                self.take(Item { tokens, ..item }, block, order, frame);
                continue;
            }
            let room = request
                .budget
                .turns_min
                .saturating_sub(self.spent_on(Tier::RecentTurns))
                .min(self.left);
            match self.count_within(&block, room) {
                Some(tokens) if tokens <= room => {
                    self.take(Item { tokens, ..item }, block, order, 0)
                }
                _ => later.push(Older { order, item, block }),
            }
        }
        later
    }

    /// The tokens that older turns may still take.
    fn claimed_by_turns(&self, later: &[Older], turns_max: usize) -> usize {
        let room = turns_max.saturating_sub(self.spent_on(Tier::RecentTurns)).min(self.left);
        let mut claimed = 0;
        for older in later {
            let tokens = self.count_within(&older.block, room.saturating_sub(claimed));
            claimed += tokens.filter(|tokens| claimed + tokens <= room).unwrap_or(0);
        }
        claimed
    }

    /// The tokens of the instructions, up to the share that no other tier may claim.
    fn claimed_by_instructions(&self, request: &Request) -> usize {
        let Budget { total, turns_max, tool_results, facts, episodes, .. } = request.budget;
        let others = [turns_max, tool_results, facts, episodes];
        let share = others.into_iter().fold(total, usize::saturating_sub).min(self.left);
        let text = request.instructions.as_deref().unwrap_or_default();
        self.counter.count(cut(text, share.saturating_mul(TOKEN_BYTES_MAX)).trim()).min(share)
    }

    fn take_older_turns(&mut self, later: Vec<Older>, turns_max: usize) {
        for Older { order, item, block } in later {
            let mention = Mention::of(&item.text);
            if self
                .mentions
                .iter()
                .any(|(tier, other)| *tier != Tier::RecentTurns && mention.is_repeated_by(other))
            {
                self.leave_out(&item, None, Omission::Duplicate);
            } else {
                self.offer(item, block, order, turns_max);
            }
        }
    }

    /// By rank. If not even the best result fits, its beginning is taken: the agent asked for it.
    fn take_tool_results(&mut self, request: &Request) {
        let tier_max = request.budget.tool_results;
        let mut ranked: Vec<_> =
            request.tool_results.iter().filter(|result| !result.text.trim().is_empty()).collect();
        let score = |score: Option<f64>| score.filter(|score| score.is_finite()).unwrap_or(0.0);
        let left_out_before = self.left_out.len();
        ranked.sort_by(|left, right| score(right.score).total_cmp(&score(left.score)));
        for (order, result) in ranked.iter().take(TOOL_RESULTS_MAX).enumerate() {
            let rank = order + 1;
            let text = cut(&result.text, TEXT_BYTES_MAX);
            let reason = Reason::ToolResult { rank };
            let is_cut = text.len() < result.text.len();
            let item = Item { is_cut, ..plain(Tier::ToolResults, text, reason, result.score) };
            self.offer(
                item,
                render::tool_result(rank, text) + render::end(is_cut),
                order,
                tier_max,
            );
        }
        let none_fits = self.spent_on(Tier::ToolResults) == 0;
        if let Some(best) = ranked.first().filter(|_| none_fits) {
            let frame = self.frame(Tier::ToolResults);
            let room = tier_max.min(self.left.saturating_sub(frame));
            let (text, reason) = (cut(&best.text, TEXT_BYTES_MAX), Reason::ToolResult { rank: 1 });
            // Marks of data are not in what is cut, so that several tries may be needed; each takes
            // a half.
            let mut tokens = room;
            while tokens > 0 {
                let beginning = fit(self.counter, text, tokens);
                let block = render::tool_result(1, beginning) + render::end(true);
                let counted = self.counter.count(&block);
                if counted <= room && !beginning.is_empty() {
                    let item = plain(Tier::ToolResults, beginning, reason, best.score);
                    // The best was the first that was left out.
                    self.left_out.remove(left_out_before);
                    self.take(Item { tokens: counted, is_cut: true, ..item }, block, 0, frame);
                    break;
                }
                tokens /= 2;
            }
        }
    }

    fn take_instructions(&mut self, request: &Request) {
        let Some(instructions) =
            request.instructions.as_deref().filter(|text| !text.trim().is_empty())
        else {
            return;
        };
        let whole = cut(instructions, TEXT_BYTES_MAX).trim_end();
        // The line break at the end is a token.
        let end_tokens = 1 + self.counter.count(render::end(true));
        let mut text = fit(self.counter, whole, self.left.saturating_sub(1));
        let is_cut = text.len() < whole.len() || whole.len() < instructions.trim_end().len();
        if is_cut {
            text = fit(self.counter, whole, self.left.saturating_sub(end_tokens));
        }
        let block = format!("{text}\n{}", render::end(is_cut));
        let tokens = self.counter.count(&block);
        let item = Item { is_cut, tokens, ..plain(Tier::System, text, Reason::Instructions, None) };
        if tokens > self.left || (is_cut && tokens < INSTRUCTION_TOKENS_MIN) || text.is_empty() {
            self.leave_out(
                &plain(Tier::System, whole, Reason::Instructions, None),
                None,
                Omission::DidNotFit,
            );
        } else {
            self.take(item, block, 0, 0);
        }
    }
}

/// An item before its tokens are counted.
pub(super) fn plain(tier: Tier, text: &str, reason: Reason, score: Option<f64>) -> Item {
    let score = score.filter(|score| score.is_finite());
    Item { tier, id: None, text: text.to_owned(), tokens: 0, reason, score, is_cut: false }
}
