//! Days of insignificant events: on any day, or with a regularity that is not weekly.

use jiff::civil::{Date, Weekday};

use super::life::Life;
use super::random::{Random, plus};

/// The days of events with one title, at most `left`: at random, or with a spurious regularity.
pub(super) fn accident_days(life: &Life, random: &mut Random, left: i64) -> Vec<Date> {
    let on = |random: &mut Random, weekday: Weekday| {
        let day = random.day(life.first, life.today);
        plus(day, i64::from(weekday.since(day.weekday()).rem_euclid(7)))
    };
    let all = [
        Weekday::Monday,
        Weekday::Tuesday,
        Weekday::Wednesday,
        Weekday::Thursday,
        Weekday::Friday,
        Weekday::Saturday,
    ];
    let weekday = *random.pick(&all);
    let mut days: Vec<Date> = Vec::new();
    match random.weighted(&[0.38, 0.16, 0.10, 0.08, 0.10, 0.18]) {
        // Any working day, or any day of the weekend.
        0 => {
            for _ in 0..random.whole(2, 14) {
                let weekday = *random.pick(&all[..5]);
                days.push(on(random, weekday));
            }
        }
        1 => {
            for _ in 0..random.whole(2, 9) {
                let weekday = *random.pick(&[Weekday::Friday, Weekday::Saturday, Weekday::Sunday]);
                days.push(on(random, weekday));
            }
        }
        // Every few weeks, mostly on that weekday: a rhythm, but not a weekly one.
        2 => {
            let mut day = on(random, weekday).min(plus(life.first, 40));
            while day < life.today {
                days.push(if random.chance(0.75) { day } else { plus(day, random.whole(-2, 2)) });
                day = plus(day, 7 * random.whole(4, 8));
            }
        }
        // The second such weekday of each month.
        3 => {
            let mut month = life.first.first_of_month();
            while month < life.today {
                days.extend(
                    month.nth_weekday_of_month(2, weekday).ok().filter(|_| random.chance(0.85)),
                );
                month = month.last_of_month().tomorrow().expect("a date of this century");
            }
        }
        // On most days of one or two weeks.
        4 => {
            for _ in 0..random.whole(1, 2) {
                let monday = on(random, Weekday::Monday);
                days.extend((0..random.whole(3, 5)).map(|offset| plus(monday, offset)));
            }
        }
        // The same weekday by chance.
        _ => {
            for _ in 0..random.whole(2, 4) {
                days.push(on(random, weekday));
            }
        }
    }
    days.retain(|day| life.first <= *day && *day < life.today);
    days.sort_unstable();
    days.dedup();
    days.truncate(left.max(3) as usize);
    days
}
