//! The life of a person: the ground truth, independent of the records of it.
//!
//! This module has the facts: the habits of a person, the places they visit, the people they know.
//! `traces` decides how much of it is visible in calendars and photos, which may be little: a habit
//! with only two recorded occurrences is still a habit. So a label never depends on visibility.

use jiff::civil::{Date, Weekday, date};

use super::random::{Random, days_between, plus};
use super::recording_style::{Mix, RecordingStyle};
use super::words;

pub(super) struct Place {
    pub(super) label: String,
    pub(super) lat: f64,
    pub(super) lon: f64,
    /// The periods in which the person goes there often.
    pub(super) frequent: bool,
    pub(super) from: Date,
    pub(super) to: Option<Date>,
    /// Visits per week that no habit explains.
    pub(super) weekly_visits: f64,
    /// Most days on which the person visits a place that is not frequent.
    pub(super) occasions: usize,
    /// Whether calendars name it; a home is rarely the location of an appointment.
    pub(super) named: bool,
}

/// A place where a person lives or stays.
#[derive(Clone, Copy)]
pub(super) struct Stay {
    pub(super) from: Date,
    pub(super) to: Date,
    pub(super) city: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Habit {
    pub(super) title: String,
    pub(super) days: Vec<Weekday>,
    pub(super) hour: i8,
    pub(super) minute: i8,
    pub(super) minutes: i64,
    pub(super) every_weeks: i64,
    pub(super) from: Date,
    pub(super) to: Option<Date>,
    pub(super) place: Option<usize>,
    pub(super) with: Vec<usize>,
    pub(super) zone: &'static str,
    pub(super) shape: &'static str,
    /// Share of visible occurrences: the person's recording style, except for rarely recorded
    /// habits.
    pub(super) kept: f64,
    /// The months in which it takes place, for seasonal habits.
    pub(super) season: Option<(i8, i8)>,
}

impl Habit {
    /// Whether it takes place on that day, unless something interferes.
    pub(super) fn is_on(&self, day: Date) -> bool {
        let monday = |date: Date| plus(date, -i64::from(date.weekday().to_monday_zero_offset()));
        let weeks = days_between(monday(self.from), monday(day)) / 7;
        let in_season = |(first, last): (i8, i8)| (first..=last).contains(&day.month());
        day >= self.from
            && self.to.is_none_or(|to| day < to)
            && self.days.contains(&day.weekday())
            && weeks % self.every_weeks == 0
            && self.season.is_none_or(in_season)
    }
}

pub(super) struct Acquaintance {
    pub(super) first: String,
    pub(super) name: String,
    /// `sister`, `friend`, …; `None` for a stranger whom the person met once or twice.
    pub(super) tie: Option<&'static str>,
    /// Most days on which a stranger is met.
    pub(super) occasions: usize,
}

impl Acquaintance {
    pub(super) fn is_kin(&self) -> bool {
        self.tie.is_some_and(|tie| words::KIN.contains(&tie))
    }
}

pub(super) struct Life {
    pub(super) name: String,
    pub(super) first: Date,
    pub(super) today: Date,
    pub(super) style: RecordingStyle,
    /// Consecutive homes without a gap.
    pub(super) homes: Vec<Stay>,
    pub(super) trips: Vec<Stay>,
    /// Weeks in which no habit takes place: trips, holidays, illness.
    pub(super) gaps: Vec<(Date, Date)>,
    pub(super) places: Vec<Place>,
    pub(super) habits: Vec<Habit>,
    pub(super) people: Vec<Acquaintance>,
    pub(super) tastes: Vec<Taste>,
}

/// What a person likes or does not.
pub(super) struct Taste {
    pub(super) object: &'static str,
    pub(super) rival: &'static str,
    pub(super) likes: bool,
}

impl Life {
    pub(super) fn draw(random: &mut Random, mix: Mix) -> Self {
        let today = random.day(date(2024, 1, 1), date(2026, 1, 1));
        let months = match mix {
            Mix::Sparse => random.whole(4, 14),
            _ => random.whole(7, 26),
        };
        let first = plus(today, -30 * months);
        let style = RecordingStyle::draw(random, mix);
        let mut life = Self {
            name: full_name(random).1,
            first,
            today,
            style,
            homes: Vec::new(),
            trips: Vec::new(),
            gaps: Vec::new(),
            places: Vec::new(),
            habits: Vec::new(),
            people: Vec::new(),
            tastes: Vec::new(),
        };
        life.draw_homes(random);
        life.draw_gaps(random);
        life.draw_people(random);
        let mut titles = words::HABITS.to_vec();
        let habits = if mix == Mix::Sparse { random.whole(2, 5) } else { random.whole(3, 8) };
        for _ in 0..habits {
            life.draw_habit(random, mix, &mut titles);
        }
        life.draw_haunts(random);
        let mut tastes = words::TASTES.to_vec();
        for _ in 0..random.whole(1, 6) {
            let Some((one, other)) = random.take(&mut tastes) else { break };
            let (object, rival) = if random.chance(0.5) { (one, other) } else { (other, one) };
            life.tastes.push(Taste { object, rival, likes: random.chance(0.6) });
        }
        life
    }

    /// The city on a day.
    pub(super) fn city(&self, day: Date) -> usize {
        let within = |stay: &&Stay| stay.from <= day && day < stay.to;
        let stay = self.trips.iter().find(within).or_else(|| self.homes.iter().find(within));
        stay.or(self.homes.last()).map_or(0, |stay| stay.city)
    }

    pub(super) fn is_travelling(&self, day: Date) -> bool {
        self.trips.iter().any(|trip| trip.from <= day && day < trip.to)
    }

    pub(super) fn is_gap(&self, day: Date) -> bool {
        self.gaps.iter().any(|(from, to)| *from <= day && day < *to)
    }

    fn draw_homes(&mut self, random: &mut Random) {
        let end = plus(self.today, 400);
        let mut city = random.whole(0, words::CITIES.len() as i64 - 1) as usize;
        let mut from = self.first;
        if random.chance(0.15) && days_between(self.first, self.today) > 240 {
            let moved = random.day(plus(self.first, 110), plus(self.today, -90));
            self.live(random, Stay { from, to: moved, city });
            // Half of the people who move stay in their city.
            if random.chance(0.5) {
                city = (city + random.whole(1, 11) as usize) % words::CITIES.len();
            }
            from = moved;
        }
        self.live(random, Stay { from, to: end, city });
    }

    fn live(&mut self, random: &mut Random, stay: Stay) {
        let to = (stay.to <= self.today).then_some(stay.to);
        let mut place = |label: &str, weekly_visits: f64, random: &mut Random| {
            let (lat, lon) = position(random, stay.city);
            self.places.push(Place {
                label: label.to_owned(),
                lat,
                lon,
                frequent: true,
                from: stay.from,
                to,
                weekly_visits,
                occasions: 0,
                named: false,
            });
        };
        place(&format!("Home {}", random.pick(&words::VENUE_NAMES)), 5.0, random);
        if random.chance(0.6) {
            let label = format!("Office {}", random.pick(&words::VENUE_NAMES));
            place(&label, random.real(1.5, 4.5), random);
        }
        self.homes.push(stay);
    }

    fn draw_gaps(&mut self, random: &mut Random) {
        let years = days_between(self.first, self.today) as f64 / 365.0;
        for _ in 0..(random.real(0.5, 3.5) * years).round() as i64 {
            let from = random.day(self.first, self.today);
            let to = plus(from, random.whole(4, 16));
            if random.chance(0.7) && !self.is_travelling(from) {
                let home = self.city(from);
                let city = (home + random.whole(1, 11) as usize) % words::CITIES.len();
                self.trips.push(Stay { from, to, city });
            }
            self.gaps.push((from, to));
        }
        // The last days of a year are never ordinary days.
        for year in self.first.year()..=self.today.year() {
            self.gaps.push((date(year, 12, 23), date(year + 1, 1, 3)));
        }
    }

    fn draw_people(&mut self, random: &mut Random) {
        let mut used = std::collections::BTreeSet::from([self.name.clone()]);
        let mut firsts = std::collections::BTreeSet::new();
        let mut add = |random: &mut Random, tie: Option<&'static str>| {
            let (first, name) = full_name(random);
            if firsts.insert(first.clone()) && used.insert(name.clone()) {
                let occasions = 1 + random.weighted(&[0.78, 0.16, 0.06]);
                self.people.push(Acquaintance { first, name, tie, occasions });
            }
        };
        for _ in 0..random.whole(2, 5) {
            add(random, Some("friend"));
        }
        for _ in 0..random.whole(0, 5) {
            add(random, Some("colleague"));
        }
        let mut kin = words::KIN.to_vec();
        for _ in 0..random.whole(0, 3) {
            let tie = random.take(&mut kin);
            add(random, tie);
        }
        for _ in 0..random.whole(3, 9) {
            add(random, None);
        }
    }

    fn draw_habit(&mut self, random: &mut Random, mix: Mix, titles: &mut Vec<(&'static str, i64)>) {
        let Some((title, minutes)) = random.take(titles) else { return };
        let days = days(random);
        let lasts = days_between(self.first, self.today);
        let shapes = match mix {
            Mix::Sparse => [0.40, 0.20, 0.12, 0.06, 0.10, 0.02, 0.06, 0.04],
            _ => [0.34, 0.16, 0.14, 0.12, 0.08, 0.06, 0.05, 0.05],
        };
        let shape = random.weighted(&shapes);
        let late = |random: &mut Random, least_days: i64| {
            random.day(plus(self.first, lasts / 6), plus(self.today, -least_days))
        };
        let (mut from, mut to) = (plus(self.first, random.whole(0, 6)), None);
        let mut habit_kept = (self.style.kept + random.real(-0.15, 0.15)).clamp(0.25, 1.0);
        let mut season = None;
        let mut every_weeks = 1;
        let name = match shape {
            1 => {
                from = late(random, 56);
                "started"
            }
            2 => {
                to = Some(random.day(plus(self.first, 70), plus(self.today, -21)));
                "stopped"
            }
            3 => "moved",
            4 => {
                every_weeks = 2;
                "fortnightly"
            }
            5 if lasts > 300 => {
                let first_month = random.whole(3, 5) as i8;
                season = Some((first_month, first_month + random.whole(3, 5) as i8));
                "seasonal"
            }
            6 => {
                // Started a few weeks ago: little evidence, but a habit.
                from = plus(self.today, -random.whole(14, 35));
                "new"
            }
            7 => {
                habit_kept = random.real(0.05, 0.18);
                "seldom recorded"
            }
            _ => "steady",
        };
        let days = if every_weeks == 2 || shape == 7 { days[..1].to_vec() } else { days };
        let (hour, minute) = time_of_day(random, days.len());
        let at_home = random.chance(0.25);
        let friends: Vec<usize> = (0..self.people.len())
            .filter(|who| matches!(self.people[*who].tie, Some("friend" | "colleague")))
            .collect();
        let company =
            if random.chance(0.3) && !friends.is_empty() { random.whole(1, 2) } else { 0 };
        let mut with: Vec<usize> = (0..company).map(|_| *random.pick(&friends)).collect();
        with.sort_unstable();
        with.dedup();
        // After a move, habits continue at another place.
        for home in self.homes.clone() {
            let (begin, end) = (
                from.max(home.from),
                to.into_iter().chain([home.to]).min().filter(|end| *end <= self.today),
            );
            if end.is_some_and(|end| days_between(begin, end) < 28) || begin > plus(self.today, -14)
            {
                continue;
            }
            let place = (!at_home).then(|| self.venue(random, home.city, begin, end));
            let zone = words::CITIES[home.city].1;
            let habit = Habit {
                title: title.to_owned(),
                days: days.clone(),
                hour,
                minute,
                minutes,
                every_weeks,
                from: begin,
                to: end,
                place,
                with: with.clone(),
                zone,
                shape: name,
                kept: habit_kept,
                season,
            };
            if shape == 3 && end.is_none() && days_between(begin, self.today) > 130 {
                self.split(random, habit);
            } else {
                if random.chance(0.1) && shape == 0 && days.len() < 5 {
                    self.second_pattern(random, &habit);
                }
                self.habits.push(habit);
            }
        }
    }

    /// The same habit, at another time from some day on.
    fn split(&mut self, random: &mut Random, habit: Habit) {
        let moved = random.day(plus(habit.from, 63), plus(self.today, -49));
        let mut after = Habit { from: moved, ..habit.clone() };
        if habit.days.len() <= 3 && random.chance(0.6) {
            let shift = random.whole(1, 5) as i8;
            after.days = habit.days.iter().map(|day| day.wrapping_add(shift)).collect();
            after.days.sort_by_key(|day| day.to_monday_zero_offset());
        } else {
            after.hour = if habit.hour >= 15 { 9 } else { 19 };
        }
        self.habits.extend([Habit { to: Some(moved), ..habit }, after]);
    }

    /// The same habit, also at another time of the week.
    fn second_pattern(&mut self, random: &mut Random, habit: &Habit) {
        let weekdays = [
            Weekday::Monday,
            Weekday::Wednesday,
            Weekday::Friday,
            Weekday::Saturday,
            Weekday::Sunday,
        ];
        let other: Vec<Weekday> =
            weekdays.into_iter().filter(|day| !habit.days.contains(day)).collect();
        let hour = if habit.hour >= 15 { 9 } else { 19 };
        let days = vec![*random.pick(&other)];
        self.habits.push(Habit { days, hour, shape: "second pattern", ..habit.clone() });
    }

    /// One of the person's places in that city, existing or new.
    fn venue(&mut self, random: &mut Random, city: usize, from: Date, to: Option<Date>) -> usize {
        let (lat, lon) = position(random, city);
        let mut label =
            format!("{} {}", random.pick(&words::VENUES), random.pick(&words::VENUE_NAMES));
        while self.places.iter().any(|place| place.label == label) {
            label = format!("{} {}", random.pick(&words::VENUES), random.pick(&words::VENUE_NAMES));
        }
        self.places.push(Place {
            label,
            lat,
            lon,
            frequent: true,
            from,
            to,
            weekly_visits: 0.0,
            occasions: 0,
            named: true,
        });
        self.places.len() - 1
    }

    /// Places that the person likes to visit on any day, and places visited once or twice.
    fn draw_haunts(&mut self, random: &mut Random) {
        for home in self.homes.clone() {
            let to = (home.to <= self.today).then_some(home.to);
            for _ in 0..random.whole(0, 2) {
                let place = self.venue(random, home.city, home.from, to);
                self.places[place].weekly_visits = random.real(0.4, 1.2);
            }
            for _ in 0..random.whole(4, 10) {
                let place = self.venue(random, home.city, home.from, to);
                self.places[place].frequent = false;
                self.places[place].occasions =
                    1 + random.weighted(&[0.50, 0.24, 0.12, 0.07, 0.04, 0.02, 0.01]);
            }
        }
    }
}

fn days(random: &mut Random) -> Vec<Weekday> {
    use Weekday::{Friday, Monday, Saturday, Sunday, Thursday, Tuesday, Wednesday};
    let all = [Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday];
    match random.weighted(&[0.58, 0.24, 0.08, 0.07, 0.03]) {
        0 => vec![*random.pick(&all)],
        1 => {
            let pairs = [
                [Monday, Wednesday],
                [Tuesday, Thursday],
                [Monday, Thursday],
                [Wednesday, Saturday],
                [Tuesday, Friday],
                [Saturday, Sunday],
            ];
            random.pick(&pairs).to_vec()
        }
        2 => vec![Monday, Wednesday, Friday],
        3 => all[..5].to_vec(),
        _ => all.to_vec(),
    }
}

/// Mostly well within a part of the day; sometimes close to a border.
fn time_of_day(random: &mut Random, days: usize) -> (i8, i8) {
    let minute = *random.pick(&[0, 0, 30, 15]);
    let hours: &[i8] = if days >= 5 {
        &[7, 8, 9, 10, 14]
    } else {
        &[6, 7, 8, 9, 10, 13, 14, 15, 18, 18, 19, 19, 20]
    };
    if random.chance(0.04) { (*random.pick(&[12, 17]), 0) } else { (*random.pick(hours), minute) }
}

fn full_name(random: &mut Random) -> (String, String) {
    let first = (*random.pick(&words::FIRST_NAMES)).to_owned();
    let name = format!("{first} {}", random.pick(&words::LAST_NAMES));
    (first, name)
}

/// A position within some kilometres of a city's centre.
fn position(random: &mut Random, city: usize) -> (f64, f64) {
    let (_, _, lat, lon) = words::CITIES[city];
    (lat + random.normal() * 0.025, lon + random.normal() * 0.03)
}
