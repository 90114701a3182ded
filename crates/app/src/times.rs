//! Times as the columns show them.

use crate::model::{Model, TimeDisplay};
use widetui_time::clock::Clock;
use widetui_time::time::{
    NS_PER_DAY, day_of, format_clock, format_date, format_delta_within, format_span,
};

/// Where clocks show a time, in seconds ahead of UTC.
pub fn offset(model: &Model, time: i64) -> i64 {
    model.zone.offset_at_utc(time)
}

/// How the moments of the run are told in words.
pub fn clock(model: &Model) -> Clock<'_> {
    Clock::of(&model.zone, model.snapshot.range().map(|r| r.1))
}

/// How much of its date a moment needs beside the clock, in columns: nothing in a run of one day; month and day, while
/// there is but one year, which stands in the trail; else all of it.
fn date_columns(model: &Model) -> usize {
    let day = |t: i64| format_date(t, offset(model, t));
    let (from, to) = model.snapshot.range().unwrap_or_default();
    let (from, to) = (day(from), day(to));
    match from == to {
        true => 0,
        false if from.get(..4) == to.get(..4) => 5,
        false => 10,
    }
}

/// So many last columns of a date, and a clock.
fn dated(columns: usize, date: &str, clock: String) -> String {
    match columns {
        0 => clock,
        _ => {
            let from = date.len().saturating_sub(columns);
            format!("{} {clock}", &date[from..])
        }
    }
}

/// How the column of times is made, the same for all rows of a screen.
#[derive(Clone, Copy, Debug)]
pub struct TimeColumn {
    display: TimeDisplay,
    digits: usize,
    date: usize,
    start: i64,
    /// Its width in columns.
    pub width: u16,
}

impl TimeColumn {
    /// For a list of this width.
    pub fn of(model: &Model, width: u16) -> TimeColumn {
        let most = match width {
            100.. => 6,
            50.. => 3,
            _ => 0,
        };
        let date = match width {
            50.. => date_columns(model),
            _ => 0,
        };
        // Over years nobody looks for milliseconds in a narrow list.
        let most = if date > 5 && width < 140 { 0 } else { most };
        let digits = model.naming.digits.min(most);
        let before = if date > 0 { date as u16 + 1 } else { 0 };
        let start = model.snapshot.range().map_or(0, |r| r.0);
        let fraction = if digits > 0 { digits as u16 + 1 } else { 0 };
        let columns = match model.time {
            TimeDisplay::Clock | TimeDisplay::SameKey => 8 + fraction + before,
            TimeDisplay::FromStart => 9 + fraction + before.min(6),
            TimeDisplay::StepOnly => 0,
        };
        TimeColumn {
            display: model.time,
            digits,
            date,
            start,
            width: columns,
        }
    }

    /// What it shows for a time.
    pub fn text(&self, model: &Model, time: Option<i64>) -> String {
        let Some(time) = time else {
            return match self.display {
                TimeDisplay::StepOnly => String::new(),
                _ => "–".to_owned(),
            };
        };
        let offset = offset(model, time);
        match self.display {
            TimeDisplay::StepOnly => String::new(),
            TimeDisplay::Clock | TimeDisplay::SameKey => {
                let clock = format_clock(time, offset, self.digits);
                dated(self.date, &format_date(time, offset), clock)
            }
            TimeDisplay::FromStart => {
                let since = time.saturating_sub(self.start);
                let days = since.div_euclid(NS_PER_DAY);
                let clock = format_clock(since, 0, self.digits);
                if self.date > 0 && days > 0 {
                    format!("+{days}d {clock}")
                } else {
                    format!("+{clock}")
                }
            }
        }
    }
}

/// How tables show moments: the clock, with the day or the year where the run lies in several.
#[derive(Clone, Copy, Debug)]
pub struct Stamp {
    date: usize,
    digits: usize,
}

impl Stamp {
    /// For all cells of a screen: what it looks at grows with the number of sources.
    pub fn of(model: &Model) -> Stamp {
        let date = date_columns(model);
        let digits = match date {
            10.. => 0,
            _ => model.naming.digits.min(3),
        };
        Stamp { date, digits }
    }

    /// The same to the second.
    pub fn without_fraction(self) -> Stamp {
        Stamp { digits: 0, ..self }
    }

    /// Columns that it takes.
    pub fn columns(self) -> u16 {
        let fraction = if self.digits > 0 { self.digits + 1 } else { 0 };
        let date = if self.date > 0 { self.date + 1 } else { 0 };
        (8 + fraction + date) as u16
    }

    /// What it shows for a time.
    pub fn text(self, model: &Model, time: i64) -> String {
        let offset = offset(model, time);
        let clock = format_clock(time, offset, self.digits);
        let date = format_date(time, offset);
        dated(self.date, &date, clock)
    }
}

/// The step from one time to the next, ns and in words that have room in so many columns.
pub fn step(from: Option<i64>, to: Option<i64>, columns: u16) -> Option<(i64, String)> {
    let step = to?.checked_sub(from?)?;
    let text = if step == 0 {
        "+0".to_owned()
    } else {
        format_delta_within(step, usize::from(columns))
    };
    Some((step, text))
}

/// A stretch of time: the day, from, to, and how long.
pub fn range(model: &Model, from: i64, to: i64, room: u16) -> String {
    let (a, b) = (offset(model, from), offset(model, to));
    let clock = |t, o| format_clock(t, o, 0);
    let span = format_span(to.saturating_sub(from));
    let (first, last) = (format_date(from, a), format_date(to, b));
    let is_one_day = day_of(from, a) == day_of(to, b);
    let end = match is_one_day {
        true => clock(to, b),
        false => format!("{last} {}", clock(to, b)),
    };
    match room {
        50.. => format!("{first} {} → {end} {} · {span}", clock(from, a), model.zone),
        30.. if is_one_day => format!("{} → {end} · {span}", clock(from, a)),
        // Of several days the days say most.
        30.. => format!("{first} → {last} · {span}"),
        _ => span,
    }
}
