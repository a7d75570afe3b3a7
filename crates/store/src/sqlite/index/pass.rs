//! One search over all blocks.
//!
//! The documents of a block share one small array of sums, so the whole pass stays in the
//! processor's cache. A document is examined only if its sum plus the upper bound of the other
//! parts exceeds the worst of the best so far. The best, of each record its best passages, are
//! scored again exactly, with the arithmetic of `retrieval`, and the parts of that sum are the
//! explanation.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use models::near::NearWords;
use models::table::{DIMENSIONS, Table};
use retrieval::question::Question;
use retrieval::question::dates::FIT_MAX;
use retrieval::rank::lexical::{self, TermCounts};
use retrieval::rank::meaning::{Direction, compress};
use retrieval::rank::{Signals, Weights, fuse};

use super::attributes::{self, Attribute, NO_TIME, NONE};
use super::conversations::Conversations;
use super::lists::Classes;
use super::meaning::Tokens;
use super::others::{HighestSums, Others};
use super::postings::{self, BLOCK};
use super::search::{Filter, Found, Search, TermRows, TermShare, holding_all};
use super::series::SeriesTimes;
use super::tables::Unit;
use super::ties::{Best, Candidate, SpaceOrder};
use super::times::{TimeFits, Times};
use super::vectors::QueryScores;
use crate::{Position, StoreError};

/// How much of a standing instruction a preference counts.
const PREFERENCE_SHARE: f64 = 0.5;
/// How much more a standing instruction counts that has a word of the question: most say what they
/// are for ("… when I ask about movies").
const INSTRUCTION_NAMED: f64 = 1.5;

/// The weights of a fact without a vector of the model that is used: the built-in table stands in.
/// They differ from the others in the parts of meaning alone.
const STAND_IN: Weights = Weights::FACTS;

/// How many documents are selected at first for each one wanted, and the least number.
const SELECTED_FACTOR: usize = 4;
const SELECTED_MIN: usize = 256;
/// The growth of the selection when it was too small.
const SELECTED_GROWTH: usize = 8;

/// People that the question names, as the index knows them.
pub(super) struct NamedPeople {
    pub(super) people: Vec<u32>,
    /// Records without an author in which they take part.
    pub(super) involved: HashSet<u32>,
    /// The words of the name. A record without an author that contains all of them mentions the
    /// person.
    pub(super) words: Vec<TermRows>,
}

impl NamedPeople {
    /// Which documents of a block contain every word of the name themselves; none if the name does
    /// not count.
    fn named_in(&self, block: u32) -> Option<Vec<bool>> {
        if self.words.is_empty() {
            return None;
        }
        Some(holding_all(&self.words, block))
    }

    /// Whether a record is by one of them, or, if it has no author, involves or mentions one of
    /// them.
    fn holds(&self, attribute: &Attribute, document: u32, named: &Option<Vec<bool>>) -> bool {
        if attribute.author != NONE {
            return self.people.contains(&attribute.author);
        }
        let mentioned =
            named.as_ref().and_then(|named| named.get((document % BLOCK) as usize)).copied();
        mentioned.unwrap_or(false)
            || attribute.flags & attributes::HAS_PARTICIPANTS != 0
                && self.involved.contains(&document)
    }
}

/// Which documents of a block mention which person.
pub(super) struct Named {
    speaker: Option<Vec<bool>>,
    subject: Option<Vec<bool>>,
}

impl Named {
    pub(super) const NOBODY: Self = Self { speaker: None, subject: None };

    /// Whether a document of the block names the person in question.
    fn mentions(&self, document: u32) -> bool {
        let named = self.speaker.as_ref().or(self.subject.as_ref());
        named.is_some_and(|named| named.get((document % BLOCK) as usize) == Some(&true))
    }
}

/// What a question means.
pub(super) struct Meaning<'a> {
    nameless: &'a str,
    vectors: QuestionVectors<'a>,
}

/// The vectors that score a whole question.
enum QuestionVectors<'a> {
    /// The built-in table's.
    Table(Direction),
    /// Another model's. If the table stands in where a document has no vector, the question by it.
    Model { scores: &'a QueryScores<'a>, stand_in: Option<Direction> },
}

/// The vectors that score one document.
enum Scorer<'b> {
    /// The built-in table's.
    Table(&'b Direction),
    /// Another model's.
    Model(&'b QueryScores<'b>),
}

impl QuestionVectors<'_> {
    fn scorer_of(&self, document: u32) -> Scorer<'_> {
        match self {
            QuestionVectors::Table(direction) => Scorer::Table(direction),
            QuestionVectors::Model { scores, stand_in: Some(direction) }
                if !scores.knows(document) =>
            {
                Scorer::Table(direction)
            }
            QuestionVectors::Model { scores, .. } => Scorer::Model(scores),
        }
    }
}

impl<'a> Meaning<'a> {
    /// None if vectors do not count, or the question asks for days or tasks whatever they are
    /// about, or it has none.
    pub(super) fn of(
        question: &'a Question,
        weights: &Weights,
        unit: Unit,
        scores: Option<&'a QueryScores<'a>>,
    ) -> Option<Self> {
        if [weights.window_meaning, weights.own_meaning, weights.word_meaning, weights.next_meaning]
            == [0.0; 4]
            || !question.judges_text()
        {
            return None;
        }
        let nameless = Table::built_in().known_part(question);
        let by_table = || Direction::of(&Table::built_in().embed(nameless));
        let vectors = match scores {
            Some(scores) => {
                let stand_in = if unit == Unit::Session { by_table() } else { None };
                QuestionVectors::Model { scores, stand_in }
            }
            None => QuestionVectors::Table(by_table()?),
        };
        Some(Self { nameless, vectors })
    }
}

/// One search over all blocks.
pub(super) struct Pass<'a> {
    pub(super) search: &'a Search<'a>,
    /// Those of the query, or of words alone if the question has no vector.
    pub(super) weights: Weights,
    pub(super) terms: Vec<TermRows>,
    pub(super) idf_sum: f64,
    pub(super) session_scores: Vec<f64>,
    /// The only person that the question is about.
    pub(super) speaker: Option<NamedPeople>,
    /// The acting person, if the question names several.
    pub(super) subject: Option<NamedPeople>,
    /// Where that person speaks.
    pub(super) conversations: Option<Conversations>,
    pub(super) question: &'a Question,
    pub(super) times: Times,
    pub(super) series: SeriesTimes,
    pub(super) classes: Classes,
    pub(super) meant: Option<Meaning<'a>>,
    pub(super) admitted: Option<HashSet<u8>>,
    /// The records that the paths of the filter accept; none means all.
    pub(super) at_paths: Option<HashSet<Position>>,
    pub(super) filter: &'a Filter,
    /// The day of the query, days since 1970-01-01.
    pub(super) today: Option<i32>,
}

impl Pass<'_> {
    /// The best passages of the `limit` best records by approximate scores, in order of document.
    pub(super) fn preselect(&self, limit: usize) -> Result<Vec<u32>, StoreError> {
        let best = self.search.first_of(self.candidates(limit)?, limit, self.space_order())?;
        Ok(documents_of(&best))
    }

    /// The same for records that `admits` accepts by the attributes of their best passage, of which
    /// it looks only at what all passages have in common. It is called from the best record down,
    /// at most once for each and seldom: of most queries' records few are much better than the
    /// rest. So few are selected at first, and more until enough are accepted.
    pub(super) fn best_of_those(
        &self,
        limit: usize,
        mut admits: impl FnMut(u32, &Attribute) -> Result<bool, StoreError>,
    ) -> Result<Vec<u32>, StoreError> {
        let mut admitted: HashMap<u32, bool> = HashMap::new();
        let mut wanted = limit.saturating_mul(SELECTED_FACTOR).max(SELECTED_MIN);
        loop {
            let candidates = self.candidates(wanted)?;
            let is_all = candidates.len() < wanted;
            let worst = candidates.last().map_or(0.0, |worst| worst.score);
            let mut best: Vec<Candidate> = Vec::new();
            for candidate in candidates {
                if best.len() >= limit && best.last().is_none_or(|last| *last > candidate) {
                    break;
                }
                let Some(attribute) = self.search.attributes.get(candidate.document) else {
                    continue;
                };
                let is_admitted = match admitted.entry(candidate.document) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(unknown) => {
                        *unknown.insert(admits(candidate.document, attribute)?)
                    }
                };
                if is_admitted {
                    best.push(candidate);
                }
            }
            let lowest = best.last().map_or(f32::INFINITY, |last| last.score);
            // Records that score as much as the worst selected one may have been left out.
            if is_all || best.len() >= limit && lowest > worst {
                return Ok(documents_of(&self.search.first_of(best, limit, self.space_order())?));
            }
            wanted = wanted.saturating_mul(SELECTED_GROWTH);
        }
    }

    /// The best `limit` records by approximate scores, and those equal to the last of them; best
    /// first.
    fn candidates(&self, limit: usize) -> Result<Vec<Candidate>, StoreError> {
        let words_weights: Vec<[f32; 256]> =
            self.terms.iter().map(|term| self.words_by_counts(term.idf)).collect();
        let own_weights = self.own_by_length();
        let mut cursors = vec![0; self.terms.len()];
        let mut best = Best::new(limit, limit.min(BLOCK as usize) + 1);
        let mut sums = vec![0.0f32; BLOCK as usize];
        let mut windows = vec![0.0f32; BLOCK as usize];
        let window_weight = self.weights.window_meaning as f32;
        let mut dates = TimeFits::new(self.search, self.question, &self.times);
        let others = Others::new(self);
        let highest = HighestSums::new(self, &others);
        let seeks_instructions = self.seeks_instructions();
        let mut waiting: Option<(Position, Candidate)> = None;
        let documents = self.search.attributes.len();
        let session_weights: Vec<f32> =
            self.session_scores.iter().map(|score| (self.weights.session * score) as f32).collect();
        for block in 0..documents.div_ceil(BLOCK) {
            sums.fill(0.0);
            let lengths = self.search.attributes.length.block(block);
            for ((term, weights), cursor) in self.terms.iter().zip(&words_weights).zip(&mut cursors)
            {
                if let Some((number, row)) = term.rows.get(*cursor)
                    && *number == block
                {
                    *cursor += 1;
                    let idf = term.idf as f32;
                    for (place, counts) in postings::decode(row) {
                        let place = place as usize;
                        let length = lengths.get(place).copied().unwrap_or(0);
                        sums[place] += weights[usize::from(counts)]
                            + idf * own_weights[postings::own_of(counts)][usize::from(length)];
                    }
                }
            }
            self.classes.add_to_block(&self.weights, block, &mut sums);
            let named = self.named_in(block);
            let first = block * BLOCK;
            let sessions = self.search.attributes.session.block(block);
            let attributes = self.search.attributes.rest.block(block);
            if let Some(meant) = &self.meant {
                let windows = match &meant.vectors {
                    QuestionVectors::Table(direction) => {
                        let Search { connection, tables, windows: kept, .. } = self.search;
                        kept.cosines(connection, tables, direction, block, &mut windows)?;
                        &windows
                    }
                    QuestionVectors::Model { scores, stand_in } => {
                        if let Some(direction) = stand_in {
                            self.add_stand_ins(scores, direction, block, &mut windows, &mut sums)?;
                        }
                        scores.windows(first)
                    }
                };
                sums.iter_mut()
                    .zip(windows)
                    .for_each(|(sum, window)| *sum += window_weight * window);
            }
            let mut threshold = best.threshold();
            let of_block = sums.iter().zip(sessions).zip(attributes);
            for (place, ((sum, session), attribute)) in of_block.enumerate() {
                let known = sum + session_weights.get(*session as usize).copied().unwrap_or(0.0);
                let is_too_low = |score: f32| threshold.is_some_and(|worst| score < worst);
                let at_most = known + highest.of_all;
                // Its attributes are looked at last: they are in memory of their own.
                if is_too_low(at_most)
                    || (threshold.is_none() && at_most <= 0.0)
                    || (known == 0.0 && dates.is_empty() && !seeks_instructions)
                    || is_too_low(known + highest.of(attribute))
                {
                    continue;
                }
                let document = first + place as u32;
                let attribute = self.series.seen(document, attribute);
                if !self.admits(&attribute) {
                    continue;
                }
                let date = dates.fit(document, &attribute)?;
                if known == 0.0 && date == 0.0 && self.standing(&attribute, true) == 0.0 {
                    continue;
                }
                // Which words it has itself is looked at later.
                let signals = self.signals(&attribute, document, &named, date, true);
                let score = known + others.of(&signals);
                debug_assert!(score.is_nan() || score <= known + highest.of(&attribute));
                if is_too_low(score) {
                    continue;
                }
                let candidate = Candidate::new(score, self.tie(&attribute), document);
                // The passages of a record follow each other.
                match &mut waiting {
                    Some((position, record)) if *position == attribute.position => {
                        record.add(candidate);
                    }
                    _ => {
                        let next = (attribute.position, candidate);
                        if let Some((_, complete)) = waiting.replace(next) {
                            best.offer(complete);
                            threshold = best.threshold();
                        }
                    }
                }
            }
        }
        if let Some((_, complete)) = waiting {
            best.offer(complete);
        }
        Ok(best.into_candidates())
    }

    /// Adds the table's cosines of the documents of a block that have no vector, whose cosine by
    /// the model is 0.
    fn add_stand_ins(
        &self,
        scores: &QueryScores<'_>,
        direction: &Direction,
        block: u32,
        windows: &mut [f32],
        sums: &mut [f32],
    ) -> Result<(), StoreError> {
        let first = block.saturating_mul(BLOCK);
        if scores.knows_all(first, BLOCK as usize) {
            return Ok(());
        }
        let Search { connection, tables, windows: kept, .. } = self.search;
        kept.cosines(connection, tables, direction, block, windows)?;
        for ((document, sum), window) in (first..).zip(sums).zip(windows) {
            if !scores.knows(document) {
                *sum += STAND_IN.window_meaning as f32 * *window;
            }
        }
        Ok(())
    }

    /// The weights of a document: those of the table if it stands in.
    fn weights_of(&self, document: u32) -> &Weights {
        match self.meant.as_ref().map(|meant| &meant.vectors) {
            Some(vectors @ QuestionVectors::Model { .. }) => match vectors.scorer_of(document) {
                Scorer::Table(_) => &STAND_IN,
                Scorer::Model(_) => &self.weights,
            },
            _ => &self.weights,
        }
    }

    /// What orders equal scores first; the space's order decides about the rest.
    fn tie(&self, attribute: &Attribute) -> i64 {
        super::times::tie(attribute, self.today, self.question.asks_for_days)
    }

    /// Which of two records with equal scores and ties is first.
    fn space_order(&self) -> SpaceOrder {
        match self.question.asks_for_days {
            true => SpaceOrder::EarliestFirst,
            false => SpaceOrder::LatestFirst,
        }
    }

    /// What a posting adds to the weighted `words`, by its packed counts.
    fn words_by_counts(&self, idf: f64) -> [f32; 256] {
        let mut weights = [0.0; 256];
        for (byte, weight) in (0..=u8::MAX).zip(&mut weights) {
            let counts = [(idf, postings::unpack(byte))];
            *weight = (self.weights.words * lexical::lex(counts, self.idf_sum)) as f32;
        }
        weights
    }

    /// What a posting adds to the weighted `own_words` for each unit of idf, by the count in the
    /// passage and the passage's length.
    fn own_by_length(&self) -> Vec<[f32; 256]> {
        let average = self.search.attributes.average_length();
        let scale = self.weights.own_words / self.idf_sum;
        let scale = if scale.is_finite() { scale } else { 0.0 };
        (0..postings::OWN_COUNTS)
            .map(|count| {
                let mut by_length = [0.0; 256];
                for (length, weight) in (0..=u8::MAX).zip(&mut by_length) {
                    let strength = lexical::own_strength(count, u64::from(length), average);
                    *weight = (scale * strength) as f32;
                }
                by_length
            })
            .collect()
    }

    /// The sum of the highest values of all parts except those of words and session.
    pub(super) fn highest_parts(&self) -> f64 {
        let weights = &self.weights;
        let date = if self.question.asks_of_a_time() { FIT_MAX * weights.date } else { 0.0 };
        let when = if self.question.asks_when { weights.when } else { 0.0 };
        let speaker = if self.speaker.is_some() { weights.speaker } else { 0.0 };
        let subject = if self.subject.is_some() { weights.subject } else { 0.0 };
        let asker = if self.asked_for().is_some() { weights.asker } else { 0.0 };
        let standing = weights.standing * INSTRUCTION_NAMED;
        let Weights { time_expression, is_question, is_output, elsewhere, .. } = *weights;
        let marked = [time_expression, is_question, is_output, elsewhere];
        let parts = [date, when, speaker, subject, asker, standing].into_iter().chain(marked);
        parts.map(|part| part.max(0.0)).sum()
    }

    /// Which documents of a block contain every word of a name themselves.
    fn named_in(&self, block: u32) -> Named {
        let names = |who: &Option<NamedPeople>| who.as_ref().and_then(|who| who.named_in(block));
        Named { speaker: names(&self.speaker), subject: names(&self.subject) }
    }

    pub(super) fn admits(&self, attribute: &Attribute) -> bool {
        if attribute.flags & attributes::DEAD != 0 && self.filter.as_of_us.is_none() {
            return false;
        }
        if self.admitted.as_ref().is_some_and(|kinds| !kinds.contains(&attribute.kind)) {
            return false;
        }
        if self.at_paths.as_ref().is_some_and(|found| !found.contains(&attribute.position)) {
            return false;
        }
        let Filter { since_us, until_us, visibilities, .. } = self.filter;
        let flags = attribute.flags & (attributes::PRIVATE | attributes::GLOBAL);
        if !visibilities.is_empty()
            && !visibilities.iter().any(|who| attributes::visibility_flags(*who) == flags)
        {
            return false;
        }
        if (since_us.is_some() || until_us.is_some()) && attribute.at_us == NO_TIME {
            return false;
        }
        since_us.is_none_or(|since| attribute.at_us >= since)
            && until_us.is_none_or(|until| attribute.at_us < until)
    }

    /// Every signal except those of words; `has_word` says whether the passage itself has a word of
    /// the question. A question for days or tasks does not judge the text.
    pub(super) fn signals(
        &self,
        attribute: &Attribute,
        document: u32,
        named: &Named,
        date: f64,
        has_word: bool,
    ) -> Signals {
        let is_of = |who: &Option<NamedPeople>, named| {
            who.as_ref().is_some_and(|who| who.holds(attribute, document, named))
        };
        let has = |flag| self.question.judges_text() && attribute.flags & flag != 0;
        let is_elsewhere = || {
            let session = || self.search.attributes.session_of(document);
            self.conversations
                .as_ref()
                .is_some_and(|theirs| theirs.is_elsewhere(attribute, session()))
                && !named.mentions(document)
        };
        Signals {
            speaker: is_of(&self.speaker, &named.speaker),
            subject: is_of(&self.subject, &named.subject),
            elsewhere: is_elsewhere(),
            date,
            asker: self.question.judges_text() && self.is_askers(attribute),
            standing: self.standing(attribute, has_word),
            // Only in a conversation does a question mean that the answer is elsewhere, and a
            // request to a program says what it is about.
            is_question: has(attributes::IS_QUESTION)
                && attribute.marks & (attributes::TURN | attributes::BY_USER) == attributes::TURN,
            is_output: attribute.marks & attributes::BY_TOOL != 0,
            time_expression: has(attributes::TIMEX) && attribute.marks & attributes::TURN != 0,
            asks_when: self.question.asks_when,
            ..Signals::default()
        }
    }

    /// Whether a record is what the question looks for by [`Self::asked_for`]. Beside what the
    /// person said to a program, their notes, events and tasks are theirs as well.
    fn is_askers(&self, attribute: &Attribute) -> bool {
        match self.asked_for() {
            Some(by) if attribute.marks & by != 0 => true,
            Some(attributes::BY_USER) => {
                self.search.attributes.has_chats() && self.is_unaddressed(attribute)
            }
            _ => false,
        }
    }

    /// Whether a record has no author and was said to nobody: a note, an event, a task.
    fn is_unaddressed(&self, attribute: &Attribute) -> bool {
        const SAID: u8 =
            attributes::TURN | attributes::BY_USER | attributes::BY_PROGRAM | attributes::BY_TOOL;
        attribute.author == NONE && attribute.marks & SAID == 0
    }

    /// The mark of what the question looks for where the person talks with a program: what the
    /// person said, or the program.
    fn asked_for(&self) -> Option<u8> {
        let Question { asks_of_program, first_person, .. } = self.question;
        match (asks_of_program, first_person) {
            (true, _) => Some(attributes::BY_PROGRAM),
            (false, true) => Some(attributes::BY_USER),
            (false, false) => None,
        }
    }

    /// Whether instructions are answers though they share nothing with the question.
    fn seeks_instructions(&self) -> bool {
        let Question { mentions, asks_when, .. } = self.question;
        mentions.is_empty() && !asks_when && self.question.judges_text()
    }

    /// How much a document tells how to answer: a question about somebody or about a time is not
    /// answered by instructions.
    fn standing(&self, attribute: &Attribute, has_word: bool) -> f64 {
        if !self.seeks_instructions() {
            return 0.0;
        }
        let named = if has_word { INSTRUCTION_NAMED } else { 1.0 };
        match attribute.marks & (attributes::INSTRUCTION | attributes::PREFERENCE) {
            0 => 0.0,
            attributes::PREFERENCE => PREFERENCE_SHARE * named,
            _ => named,
        }
    }

    /// How often documents (in ascending order) and those before them contain each term.
    fn counts(&self, documents: &[u32]) -> Vec<Vec<TermCounts>> {
        let mut counts = vec![vec![TermCounts::default(); self.terms.len()]; documents.len()];
        // For each place in the block, the index of its document; `NOBODY` for most.
        const NOBODY: u16 = u16::MAX;
        let mut meant = vec![NOBODY; BLOCK as usize];
        let mut rest = &mut counts[..];
        for of_block in documents.chunk_by(|one, other| one / BLOCK == other / BLOCK) {
            let (these, others) = std::mem::take(&mut rest).split_at_mut(of_block.len());
            rest = others;
            for (number, document) in (0..).zip(of_block) {
                meant[(document % BLOCK) as usize] = number;
            }
            let block = of_block.first().map_or(0, |first| first / BLOCK);
            for (number, term) in self.terms.iter().enumerate() {
                for (place, packed) in postings::decode(term.row(block)) {
                    let document = meant[place as usize];
                    if document != NOBODY {
                        these[usize::from(document)][number] = postings::unpack(packed);
                    }
                }
            }
            of_block.iter().for_each(|document| meant[(document % BLOCK) as usize] = NOBODY);
        }
        counts
    }

    /// Scores documents (in ascending order) exactly, best first. Of the passages of a record, the
    /// best one is kept.
    pub(super) fn score_exactly(&self, documents: Vec<u32>) -> Result<Vec<Found>, StoreError> {
        let counts = self.counts(&documents);
        let mut dates = TimeFits::new(self.search, self.question, &self.times);
        let mut named_in: Option<(u32, Named)> = None;
        let mut closer = self.meant.as_ref().map(|meant| Closer::new(self, meant));
        let mut found = Vec::with_capacity(documents.len());
        let average_length = self.search.attributes.average_length();
        for (document, counts) in documents.into_iter().zip(counts) {
            let Some(attribute) = self.search.attributes.get(document) else { continue };
            let attribute = &self.series.seen(document, attribute);
            let session = self.search.attributes.session_of(document);
            let length = self.search.attributes.length.get(document).copied().unwrap_or(0);
            let block = document / BLOCK;
            let named = match named_in.take().filter(|(known, _)| *known == block) {
                Some((_, named)) => named,
                None => self.named_in(block),
            };
            let counted = self.counted(&counts);
            let weighted = || {
                let terms = self.terms.iter().zip(&counts).zip(&counted);
                let terms = terms.filter(|(_, is_counted)| **is_counted);
                terms.map(|((term, counts), _)| (term.idf, *counts))
            };
            let meant = match &mut closer {
                Some(closer) => closer.look(document, attribute)?,
                None => Signals::default(),
            };
            let date = dates.fit(document, attribute)?;
            let has_word = counts.iter().any(|counts| counts.own > 0);
            let others = self.signals(attribute, document, &named, date, has_word);
            let own = lexical::own(
                weighted().map(|(idf, counts)| {
                    let length = u64::from(length);
                    (idf, lexical::own_strength(counts.own, length, average_length))
                }),
                self.idf_sum,
            )
            .min(1.0);
            let is_turn = attribute.marks & attributes::TURN != 0;
            let without_context = if is_turn { 1.0 } else { lexical::OWN_WITHOUT_CONTEXT };
            let signals = Signals {
                window_meaning: meant.window_meaning,
                own_meaning: meant.own_meaning,
                word_meaning: meant.word_meaning,
                next_meaning: meant.next_meaning,
                words: lexical::lex(weighted(), self.idf_sum).min(1.0),
                own_words: own * without_context,
                asker_words: if others.asker && !self.is_unaddressed(attribute) {
                    own
                } else {
                    0.0
                },
                session: self.session_scores.get(session as usize).copied().unwrap_or(0.0),
                classes: self.classes.share(document),
                ..others
            };
            named_in = Some((block, named));
            let is_shown =
                |term: &TermRows, counts: &TermCounts| term.stands_for.is_none() || counts.own > 0;
            let shown = self.terms.iter().zip(counts);
            let shown = shown.filter(|(term, counts)| is_shown(term, counts));
            let shares = shown.map(|(term, counts)| TermShare {
                term: term.term.clone(),
                stands_for: term.stands_for.clone(),
                idf: term.idf,
                own: counts.own,
                previous: counts.previous,
                before_previous: counts.before_previous,
            });
            found.push(Found {
                position: attribute.position,
                tie: self.tie(attribute),
                document,
                session,
                score: fuse(self.weights_of(document), &signals),
                terms: shares.collect(),
                occurrence: self.series.occurrence(document),
            });
        }
        self.search.sort_found(&mut found, self.space_order())?;
        let mut records = HashSet::new();
        found.retain(|found| records.insert(found.position));
        Ok(found)
    }
}

/// The passages of candidates, ascending.
fn documents_of(candidates: &[Candidate]) -> Vec<u32> {
    let mut documents: Vec<u32> = candidates.iter().flat_map(Candidate::documents).collect();
    documents.sort_unstable();
    documents
}

/// Scores the vectors of single documents.
struct Closer<'a> {
    search: &'a Search<'a>,
    vectors: &'a QuestionVectors<'a>,
    words: NearWords,
    tokens: Tokens<'a>,
    best: HashMap<u32, Vec<f32>>,
}

impl<'a> Closer<'a> {
    fn new(pass: &'a Pass<'_>, meant: &'a Meaning<'_>) -> Self {
        Self {
            search: pass.search,
            vectors: &meant.vectors,
            words: NearWords::new(Table::built_in(), meant.nameless),
            tokens: Tokens::new(pass.search.connection, pass.search.tables),
            best: HashMap::new(),
        }
    }

    /// `win`, `text`, `near` and `after` of a document.
    fn look(&mut self, document: u32, attribute: &Attribute) -> Result<Signals, StoreError> {
        // Only in a conversation does a record depend on those before it.
        let is_turn = attribute.marks & attributes::TURN != 0;
        let previous = if is_turn { attribute.previous } else { NONE };
        let before =
            self.search.attributes.get(previous).map_or(NONE, |attribute| attribute.previous);
        let context = [document, previous, before];
        for document in context {
            if document != NONE && !self.best.contains_key(&document) {
                let best = self.words.best(self.tokens.of(document)?);
                self.best.insert(document, best);
            }
        }
        let [own, previous, before] =
            context.map(|document| self.best.get(&document).map_or(&[][..], Vec::as_slice));
        let near = self.words.near(own, previous, before);
        let is_alive = |next: &u32| {
            self.search
                .attributes
                .get(*next)
                .is_some_and(|attribute| attribute.flags & attributes::DEAD == 0)
        };
        let next = self.search.attributes.next(document).filter(|next| is_turn && is_alive(next));
        Ok(match self.vectors.scorer_of(document) {
            Scorer::Table(direction) => {
                let after =
                    next.map(|next| self.cosine(direction, next)).transpose()?.unwrap_or(0.0);
                let Search { connection, tables, windows, .. } = self.search;
                let win = f64::from(windows.cosine(connection, tables, direction, document)?);
                Signals {
                    window_meaning: win,
                    word_meaning: near,
                    next_meaning: after,
                    ..Signals::default()
                }
            }
            Scorer::Model(scores) => {
                let after = next.map(|next| scores.own(next)).transpose()?.unwrap_or(0.0);
                let (win, text) = (scores.window(document), scores.own(document)?);
                Signals {
                    window_meaning: win,
                    own_meaning: text,
                    word_meaning: near,
                    next_meaning: after,
                    ..Signals::default()
                }
            }
        })
    }

    /// For the document alone, without those before it.
    fn cosine(&mut self, direction: &Direction, document: u32) -> Result<f64, StoreError> {
        let mut vector = [0.0; DIMENSIONS];
        Table::built_in().add(self.tokens.of(document)?, &mut vector);
        let mut steps = [0; DIMENSIONS];
        let inverse_length = compress(&vector, &mut steps);
        Ok(f64::from(direction.cosine(&steps, inverse_length)))
    }
}
