//! Texts: notes on some days, chats with acquaintances, and with an assistant.
//!
//! Family and preferences are mentioned in passing, between irrelevant sentences and other people's
//! preferences. Some programs export a person's own messages under their name, some as `me`; those
//! under the name contain no statements, because no record identifies the owner.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::{Date, DateTime};
use serde_json::json;

use super::life::Life;
use super::random::{Random, plus};
use super::words;

#[derive(Default)]
pub(super) struct Writing {
    /// File name and text.
    pub(super) notes: BTreeMap<String, String>,
    /// JSON lines: with people, and with an assistant.
    pub(super) chat: String,
    pub(super) assistant: String,
    /// Number of mentions of each acquaintance's relationship.
    pub(super) tie_traces: BTreeMap<usize, usize>,
    /// Days with a chat with each acquaintance.
    pub(super) chat_days: BTreeMap<usize, BTreeSet<Date>>,
    /// Number of mentions of each preference.
    pub(super) taste_traces: Vec<usize>,
}

impl Writing {
    pub(super) fn of(life: &Life, random: &mut Random) -> Self {
        let mut writing = Self { taste_traces: vec![0; life.tastes.len()], ..Self::default() };
        let mut statements = writing.sentences(life, random);
        let in_notes = statements.len() * random.whole(30, 80) as usize / 100;
        let mut later = statements.split_off(in_notes);
        for sentence in statements {
            writing.note(random.day(life.first, life.today), &sentence);
        }
        for _ in 0..random.whole(1, 6) {
            let small_talk = *random.pick(&words::SMALL_TALK);
            writing.note(random.day(life.first, life.today), small_talk);
        }
        let with_assistant = later.len() * random.whole(30, 100) as usize / 100;
        let with_people = later.split_off(with_assistant);
        writing.assistant(life, random, later);
        writing.chats(life, random, with_people);
        writing
    }

    fn assistant(&mut self, life: &Life, random: &mut Random, statements: Vec<String>) {
        for (number, sentence) in statements.into_iter().enumerate() {
            let day = random.day(life.first, life.today);
            let at = day.at(random.whole(8, 22) as i8, 0, 0, 0);
            let small_talk = *random.pick(&words::SMALL_TALK);
            for (minute, (role, text)) in
                [("user", small_talk), ("assistant", "I see."), ("user", sentence.as_str())]
                    .into_iter()
                    .enumerate()
            {
                let at = at
                    .checked_add(jiff::SignedDuration::from_mins(minute as i64))
                    .expect("a date of this century");
                let line = json!({ "session": number, "role": role, "timestamp": at.to_string(), "text": text });
                self.assistant.push_str(&line.to_string());
                self.assistant.push('\n');
            }
        }
    }

    /// The person's statements, in random order.
    fn sentences(&mut self, life: &Life, random: &mut Random) -> Vec<String> {
        let mut statements = Vec::new();
        for (number, taste) in life.tastes.iter().enumerate() {
            for _ in 0..random.whole(1, 3) {
                let forms: &[&str] = if taste.likes { &words::LIKING } else { &words::DISLIKING };
                statements.push(
                    random.pick(forms).replace("{rival}", taste.rival).replace("{}", taste.object),
                );
                self.taste_traces[number] += 1;
            }
        }
        for _ in 0..random.whole(0, 3) {
            let (one, other) = *random.pick(&words::TASTES);
            let own = |object: &str| life.tastes.iter().any(|taste| taste.object == object);
            if !own(one) && !own(other) {
                statements.push(random.pick(&words::NOT_THEIRS).replace("{}", one));
            }
        }
        if random.chance(0.35) {
            // Moods and politeness lead to false statements.
            let (object, rival) = *random.pick(&words::TASTES);
            if !life.tastes.iter().any(|taste| taste.object == object || taste.object == rival) {
                let forms: &[&str] =
                    if random.chance(0.5) { &words::LIKING[1..] } else { &words::DISLIKING };
                statements.push(random.pick(forms).replace("{rival}", rival).replace("{}", object));
            }
        }
        for (number, person) in life.people.iter().enumerate() {
            let Some(tie) = person.tie else { continue };
            let most = if person.is_kin() { 4 } else { 1 };
            for _ in 0..random.whole(i64::from(person.is_kin()), most) {
                statements.push(
                    random
                        .pick(&words::MENTIONS)
                        .replace("{tie}", tie)
                        .replace("{name}", &person.first),
                );
                *self.tie_traces.entry(number).or_default() += 1;
            }
        }
        let mut shuffled = Vec::new();
        while let Some(sentence) = random.take(&mut statements) {
            shuffled.push(sentence);
        }
        shuffled
    }

    fn note(&mut self, day: Date, sentence: &str) {
        let note = self.notes.entry(format!("{day}.md")).or_insert_with(|| format!("# {day}\n"));
        note.push('\n');
        note.push_str(sentence);
        note.push('\n');
    }

    fn chats(&mut self, life: &Life, random: &mut Random, mut statements: Vec<String>) {
        let counterparts: Vec<usize> = (0..life.people.len()).collect();
        let mut sessions: Vec<(DateTime, usize)> = Vec::new();
        for who in counterparts {
            let known = life.people[who].tie.is_some();
            let count = if !known {
                i64::from(random.chance(0.05))
            } else if random.chance(0.6) {
                random.whole(1, 8)
            } else {
                0
            };
            for _ in 0..count {
                let at = random.day(life.first, life.today).at(
                    random.whole(8, 22) as i8,
                    random.whole(0, 59) as i8,
                    0,
                    0,
                );
                sessions.push((at, who));
            }
        }
        sessions.sort_unstable();
        let is_me = random.chance(0.5);
        let own_name = if is_me { "me" } else { life.name.as_str() };
        if !is_me {
            // The remaining statements go to the notes.
            for sentence in std::mem::take(&mut statements) {
                self.note(random.day(life.first, life.today), &sentence);
            }
        }
        let share = statements.len().div_ceil(sessions.len().max(1));
        for (at, who) in sessions {
            let person = &life.people[who];
            self.chat_days.entry(who).or_default().insert(at.date());
            let mut turns: Vec<(bool, String)> = Vec::new();
            for _ in 0..random.whole(2, 5) {
                turns.push((random.chance(0.5), (*random.pick(&words::SMALL_TALK)).to_owned()));
            }
            for sentence in statements.split_off(statements.len().saturating_sub(share)) {
                turns.push((true, sentence));
            }
            if random.chance(0.3) {
                let (object, _) = *random.pick(&words::TASTES);
                turns.push((
                    false,
                    random
                        .pick(&words::LIKING)
                        .replace("{rival}", "the rest")
                        .replace("{}", object),
                ));
            }
            for (number, (own, text)) in turns.into_iter().enumerate() {
                self.turn(
                    if own { own_name } else { &person.name },
                    &person.name,
                    at,
                    number as i64,
                    &text,
                );
            }
        }
        // Without chats, the remaining statements go to the notes.
        for sentence in statements {
            self.note(plus(life.today, -3), &sentence);
        }
    }

    fn turn(&mut self, speaker: &str, other: &str, begun: DateTime, number: i64, text: &str) {
        let at = begun
            .checked_add(jiff::SignedDuration::from_mins(number))
            .expect("a date of this century");
        let session = format!("{other} {}", begun.date());
        let line = json!({ "session": session, "speaker": speaker, "timestamp": at.to_string(), "text": text });
        self.chat.push_str(&line.to_string());
        self.chat.push('\n');
    }
}
