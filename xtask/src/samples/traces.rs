//! The visible traces of a life: appointments, series, photos.
//!
//! Records are imperfect. Occurrences are missed, moved, cancelled or never recorded; titles are
//! misspelt; a friend's calendar has the same evening too; series continue through holidays because
//! nobody removes those weeks; and there are accidental events, some of them on the same weekday by
//! chance.

use jiff::civil::{Date, DateTime, Weekday};

use super::accidents::accident_days;
use super::life::{Habit, Life};
use super::random::{Random, days_between, plus};
use super::words;

#[derive(Clone)]
pub(super) struct Event {
    pub(super) title: String,
    pub(super) start: DateTime,
    pub(super) minutes: i64,
    pub(super) zone: &'static str,
    pub(super) location: Option<Location>,
    pub(super) with: Vec<usize>,
    pub(super) cancelled: bool,
}

#[derive(Clone)]
pub(super) struct Location {
    pub(super) label: String,
    pub(super) position: Option<(f64, f64)>,
}

pub(super) struct Series {
    pub(super) first: Event,
    pub(super) days: Vec<Weekday>,
    pub(super) every_weeks: i64,
    /// The last day; `None` for an endless series.
    pub(super) until: Option<Date>,
    pub(super) left_out: Vec<Date>,
    pub(super) changed: Vec<(Date, Event)>,
}

pub(super) struct AllDay {
    pub(super) title: String,
    pub(super) from: Date,
    /// The day after the last.
    pub(super) to: Date,
    pub(super) yearly: bool,
}

pub(super) struct Photo {
    pub(super) taken: DateTime,
    pub(super) position: Option<(f64, f64)>,
    /// Its folder.
    pub(super) album: String,
}

#[derive(Default)]
pub(super) struct Traces {
    pub(super) events: Vec<Event>,
    pub(super) series: Vec<Series>,
    pub(super) all_day: Vec<AllDay>,
    /// The same appointments in somebody else's calendar.
    pub(super) shared: Vec<Event>,
    pub(super) photos: Vec<Photo>,
    /// Number of visible appointments of each habit until today.
    pub(super) habit_traces: Vec<usize>,
    /// Distinct days with a trace of each place.
    pub(super) place_days: Vec<std::collections::BTreeSet<Date>>,
    /// Distinct days on which each person is met.
    pub(super) met: Vec<std::collections::BTreeSet<Date>>,
}

impl Traces {
    pub(super) fn leave(life: &Life, random: &mut Random) -> Self {
        let mut traces = Self {
            habit_traces: vec![0; life.habits.len()],
            place_days: vec![Default::default(); life.places.len()],
            met: vec![Default::default(); life.people.len()],
            ..Self::default()
        };
        let shares_calendar = random.chance(0.2);
        for (number, habit) in life.habits.iter().enumerate() {
            traces.habit(life, random, number, habit, shares_calendar);
        }
        traces.accidents(life, random);
        traces.visits(life, random);
        traces.trips(life, random);
        traces.days_of_note(life, random);
        traces
            .events
            .sort_by(|one, other| (one.start, &one.title).cmp(&(other.start, &other.title)));
        traces.photos.sort_by_key(|photo| photo.taken);
        traces
    }

    fn habit(
        &mut self,
        life: &Life,
        random: &mut Random,
        number: usize,
        habit: &Habit,
        shares_calendar: bool,
    ) {
        let located = habit.place.filter(|_| random.chance(life.style.located));
        let positioned = random.chance(life.style.positioned);
        let location = located.map(|place| self.location(life, place, positioned));
        let with = if random.chance(0.8) { habit.with.clone() } else { Vec::new() };
        let event = |day: Date| Event {
            title: habit.title.clone(),
            start: day.at(habit.hour, habit.minute, 0, 0),
            minutes: habit.minutes,
            zone: habit.zone,
            location: location.clone(),
            with: with.clone(),
            cancelled: false,
        };
        let as_series = habit.season.is_none()
            && habit.shape != "seldom recorded"
            && random.chance(life.style.series);
        let tidies = random.chance(0.6);
        let planned_days = random.whole(0, 28);
        let end =
            habit.to.unwrap_or(plus(life.today, planned_days)).min(plus(life.today, planned_days));
        let mut series = None;
        let mut day = habit.from;
        while day < end {
            if habit.is_on(day) {
                let missed =
                    if life.is_gap(day) { random.chance(0.92) } else { !random.chance(habit.kept) };
                if as_series {
                    let series = series.get_or_insert_with(|| Series {
                        first: event(day),
                        days: habit.days.clone(),
                        every_weeks: habit.every_weeks,
                        until: habit.to.map(|to| plus(to, -1)),
                        left_out: Vec::new(),
                        changed: Vec::new(),
                    });
                    let first = series.first.start.date() == day;
                    if missed && tidies && !first {
                        series.left_out.push(day);
                    } else {
                        let mut changed = event(day);
                        if !first && random.chance(0.04) {
                            if random.chance(0.5) {
                                changed.cancelled = true
                            } else {
                                changed.start = moved(random, changed.start)
                            };
                            series.changed.push((day, changed.clone()));
                        }
                        self.seen(life, &changed, Some(number), located);
                    }
                } else if !missed {
                    let mut single = event(day);
                    single.start = later(
                        single.start,
                        (random.normal() * life.style.jitter_minutes / 2.0 / 5.0).round() as i64
                            * 5,
                    );
                    single.cancelled = random.chance(0.03);
                    if random.chance(0.03) {
                        single.start = moved(random, single.start);
                    }
                    single.title = written(random, &single.title, life.style.typos);
                    self.seen(life, &single, Some(number), located);
                    if shares_calendar && !single.with.is_empty() {
                        self.shared.push(Event { title: habit.title.clone(), ..single.clone() });
                    }
                    self.events.push(single);
                }
                if !missed
                    && day < life.today
                    && let Some(place) = habit.place
                {
                    self.snap(
                        life,
                        random,
                        place,
                        day.at(habit.hour, habit.minute, 0, 0),
                        life.style.photographed * 0.5,
                    );
                }
            } else if day < life.today && random.chance(0.002) && !as_series {
                // Occasionally the same thing at a different time.
                let mut extra = event(day);
                extra.start = day.at(random.whole(7, 20) as i8, 0, 0, 0);
                self.events.push(extra);
            }
            day = plus(day, 1);
        }
        self.series.extend(series);
    }

    /// Accidental events: recurring titles on insignificant days.
    fn accidents(&mut self, life: &Life, random: &mut Random) {
        let lasts = days_between(life.first, life.today);
        let mut left = (life.style.accidents * lasts as f64 / 365.0).round() as i64;
        let mut titles = words::ACCIDENTS.to_vec();
        while left > 0 {
            let Some((title, about)) = random.take(&mut titles) else { return };
            let days = accident_days(life, random, left);
            left -= days.len().max(1) as i64;
            let fixed_hour = random.chance(0.5);
            let hour = about + random.whole(-2, 2) as i8;
            for day in days {
                let hour = if fixed_hour {
                    hour
                } else {
                    (about + random.whole(-3, 3) as i8).clamp(7, 21)
                };
                let minute = *random.pick(&[0, 0, 30, 15]);
                self.accident(life, random, title, day.at(hour, minute, 0, 0));
            }
        }
    }

    fn accident(&mut self, life: &Life, random: &mut Random, title: &str, start: DateTime) {
        let day = start.date();
        let city = life.city(day);
        let here = |place: usize| {
            let known = &life.places[place];
            known.named
                && !life.is_travelling(day)
                && known.from <= day
                && known.to.is_none_or(|to| day < to)
        };
        // A place that is visited repeatedly would be frequent.
        let seldom = |place: usize| {
            !life.places[place].frequent
                && self.place_days[place].len() < life.places[place].occasions
        };
        let somewhere: Vec<usize> = (0..life.places.len())
            .filter(|place| here(*place))
            .filter(|place| seldom(*place))
            .collect();
        let mut place = None;
        let location = if !random.chance(life.style.located) {
            None
        } else if !somewhere.is_empty() && random.chance(0.3) {
            place = Some(*random.pick(&somewhere));
            place.map(|place| self.location(life, place, random.chance(life.style.positioned)))
        } else {
            // A new place: a street and a number.
            let label = format!("{} {}", random.pick(&words::VENUE_NAMES), random.whole(1, 180));
            let (_, _, lat, lon) = words::CITIES[city];
            let position = random
                .chance(life.style.positioned * 0.5)
                .then(|| (lat + random.normal() * 0.03, lon + random.normal() * 0.03));
            Some(Location { label, position })
        };
        let who = random.whole(0, life.people.len() as i64 * 3) as usize;
        // Somebody who is met repeatedly is not a stranger.
        let was_met = |who: usize| {
            life.people[who].tie.is_none() && self.met[who].len() >= life.people[who].occasions
        };
        let with = if who < life.people.len() && !was_met(who) { vec![who] } else { Vec::new() };
        let title = match with.first() {
            Some(who) if random.chance(0.4) => format!("{title} with {}", life.people[*who].first),
            _ => written(random, title, life.style.typos),
        };
        let zone = words::CITIES[city].1;
        let event = Event {
            title,
            start,
            minutes: *random.pick(&[30, 45, 60, 90, 120]),
            zone,
            location,
            with,
            cancelled: random.chance(0.03),
        };
        self.seen(life, &event, None, place);
        self.events.push(event);
    }

    /// Days at home, at work and at favourite places, with an occasional photo or appointment.
    fn visits(&mut self, life: &Life, random: &mut Random) {
        for (number, place) in life.places.iter().enumerate() {
            let end = place.to.unwrap_or(life.today);
            if !place.frequent {
                // People take several photos on their first visit.
                for _ in self.place_days[number].len()..place.occasions {
                    let at = random.day(place.from, end).at(random.whole(10, 20) as i8, 15, 0, 0);
                    let photos = if random.chance(0.6) { random.whole(1, 5) } else { 0 };
                    for minute in 0..photos {
                        self.snap(life, random, number, later(at, minute * 7), 0.7);
                    }
                }
                continue;
            }
            let mut day = place.from;
            while day < end && place.weekly_visits > 0.0 {
                if !life.is_travelling(day) && random.chance(place.weekly_visits / 7.0) {
                    let at =
                        day.at(random.whole(9, 21) as i8, *random.pick(&[0, 15, 30, 45]), 0, 0);
                    self.snap(
                        life,
                        random,
                        number,
                        at,
                        life.style.photographed * if place.named { 1.0 } else { 0.4 },
                    );
                    if place.named && random.chance(0.4)
                        || place.label.starts_with("Office") && random.chance(0.1)
                    {
                        let (title, _) = *random.pick(&words::ACCIDENTS);
                        let location =
                            Some(self.location(life, number, random.chance(life.style.positioned)));
                        let zone = words::CITIES[life.city(day)].1;
                        let event = Event {
                            title: title.to_owned(),
                            start: at,
                            minutes: 60,
                            zone,
                            location,
                            with: Vec::new(),
                            cancelled: false,
                        };
                        self.seen(life, &event, None, Some(number));
                        self.events.push(event);
                    }
                }
                day = plus(day, 1);
            }
        }
    }

    fn trips(&mut self, life: &Life, random: &mut Random) {
        for trip in life.trips.iter().filter(|trip| trip.to < life.today) {
            let (city, _, lat, lon) = words::CITIES[trip.city];
            let hotel = (lat + random.normal() * 0.02, lon + random.normal() * 0.02);
            let in_album = random.chance(0.5);
            let mut day = trip.from;
            while day < trip.to {
                for _ in 0..random.whole(0, 2) {
                    let near_hotel = random.chance(0.4);
                    let (lat, lon) = if near_hotel {
                        hotel
                    } else {
                        (lat + random.normal() * 0.03, lon + random.normal() * 0.03)
                    };
                    let position =
                        Some((lat + random.normal() * 0.0002, lon + random.normal() * 0.0002));
                    let taken = day.at(random.whole(8, 22) as i8, random.whole(0, 59) as i8, 5, 0);
                    let album = if in_album { format!("{city} trip") } else { month(taken) };
                    self.photos.push(Photo { taken, position, album });
                }
                day = plus(day, 1);
            }
            self.all_day.push(AllDay {
                title: format!("Trip to {city}"),
                from: trip.from,
                to: trip.to,
                yearly: false,
            });
        }
    }

    fn days_of_note(&mut self, life: &Life, random: &mut Random) {
        for acquaintance in life.people.iter().filter(|acquaintance| acquaintance.tie.is_some()) {
            let from = random.day(life.first, plus(life.first, 300));
            let title = format!("{}'s birthday", acquaintance.first);
            self.all_day.push(AllDay { title, from, to: plus(from, 1), yearly: true });
        }
        for year in life.first.year()..=life.today.year() {
            for (month, day, title) in
                [(1, 1, "New Year's Day"), (5, 1, "Labour Day"), (12, 25, "Christmas Day")]
            {
                let from = jiff::civil::date(year, month, day);
                self.all_day.push(AllDay {
                    title: title.to_owned(),
                    from,
                    to: plus(from, 1),
                    yearly: false,
                });
            }
        }
    }

    fn location(&self, life: &Life, place: usize, positioned: bool) -> Location {
        let place = &life.places[place];
        Location {
            label: place.label.clone(),
            position: positioned.then_some((place.lat, place.lon)),
        }
    }

    /// Possibly a photo of a visit, with the error of a phone's GPS receiver.
    fn snap(&mut self, life: &Life, random: &mut Random, place: usize, at: DateTime, share: f64) {
        if at.date() >= life.today || !random.chance(share) {
            return;
        }
        let known = &life.places[place];
        let metre = 0.000_009;
        let position = (
            known.lat + random.normal() * 15.0 * metre,
            known.lon + random.normal() * 15.0 * metre,
        );
        let position = random.chance(0.9).then_some(position);
        if position.is_some() {
            self.place_days[place].insert(at.date());
        }
        let album = month(at);
        self.photos.push(Photo { taken: later(at, random.whole(0, 40)), position, album });
    }

    fn seen(&mut self, life: &Life, event: &Event, habit: Option<usize>, place: Option<usize>) {
        let day = event.start.date();
        if event.cancelled || day > life.today {
            return;
        }
        if let Some(habit) = habit {
            self.habit_traces[habit] += 1;
        }
        if let Some(place) = place {
            self.place_days[place].insert(day);
        }
        for who in &event.with {
            self.met[*who].insert(day);
        }
    }
}

/// The folder of a camera's photos.
fn month(taken: DateTime) -> String {
    format!("{:04}/{:02}", taken.year(), taken.month())
}

/// Moves an event to another day of that week or another hour of that day.
fn moved(random: &mut Random, start: DateTime) -> DateTime {
    let hours = if random.chance(0.6) {
        24 * *random.pick(&[-1, 1, 2])
    } else {
        *random.pick(&[-4, -2, 2, 3])
    };
    later(start, hours * 60)
}

fn later(start: DateTime, minutes: i64) -> DateTime {
    let later = start
        .checked_add(jiff::SignedDuration::from_mins(minutes))
        .expect("a date of this century");
    // An early start never falls on the day before.
    if later.date() == start.date() || minutes.abs() >= 24 * 60 { later } else { start }
}

/// A title as typed: with the same slug, except for a rare wrong letter.
fn written(random: &mut Random, title: &str, typos: f64) -> String {
    let letters: Vec<char> = title.chars().collect();
    if random.chance(typos) && letters.len() > 4 {
        let place = random.whole(1, letters.len() as i64 - 3) as usize;
        let mut wrong = letters;
        if random.chance(0.5) {
            wrong.swap(place, place + 1)
        } else {
            wrong.remove(place);
        };
        return wrong.into_iter().collect();
    }
    match random.weighted(&[0.9, 0.03, 0.03, 0.02, 0.02]) {
        1 => title.to_lowercase(),
        2 => format!("{title} "),
        3 => format!("{title}!"),
        4 => title.to_uppercase(),
        _ => title.to_owned(),
    }
}
