//! Formatting of times for columns and titles.

use crate::model::{Model, TimeDisplay};
use widetui_time::clock::Clock;
use widetui_time::time::{
    NS_PER_DAY, day_of, format_clock, format_date, format_delta_within, format_span,
};

/// UTC offset of the display time zone at `time`, in seconds.
pub fn offset(model: &Model, time: i64) -> i64 {
    model.zone.offset_at_utc(time)
}

/// Clock that formats times of the run for prose.
pub fn clock(model: &Model) -> Clock<'_> {
    Clock::of(&model.zone, model.snapshot.range().map(|r| r.1))
}

/// Width of the date before the clock time: 0 for a run within one day, month and day within one
/// year (the breadcrumb shows the year), otherwise the full date.
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

/// Last `columns` characters of a date, followed by the clock time.
fn dated(columns: usize, date: &str, clock: String) -> String {
    match columns {
        0 => clock,
        _ => {
            let from = date.len().saturating_sub(columns);
            format!("{} {clock}", &date[from..])
        }
    }
}

/// Format of the time column, equal for all rows on the screen.
#[derive(Clone, Copy, Debug)]
pub struct TimeColumn {
    display: TimeDisplay,
    digits: usize,
    date: usize,
    start: i64,
    /// Width in columns.
    pub width: u16,
}

impl TimeColumn {
    /// Format for a list of `width` columns.
    pub fn new(model: &Model, width: u16) -> TimeColumn {
        let most = match width {
            100.. => 6,
            50.. => 3,
            _ => 0,
        };
        let date = match width {
            50.. => date_columns(model),
            _ => 0,
        };
        // In a run that spans years, milliseconds are irrelevant in a narrow list.
        let most = if date > 5 && width < 140 { 0 } else { most };
        let digits = model.source_names.digits.min(most);
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

    /// Text for a time.
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

/// Format of times in tables: clock time, with month and day or the full date if the run spans
/// several days or years.
#[derive(Clone, Copy, Debug)]
pub struct Stamp {
    date: usize,
    digits: usize,
}

impl Stamp {
    /// Format for all cells of a screen; the cost grows with the number of sources.
    pub fn new(model: &Model) -> Stamp {
        let date = date_columns(model);
        let digits = match date {
            10.. => 0,
            _ => model.source_names.digits.min(3),
        };
        Stamp { date, digits }
    }

    /// The same format without fractional seconds.
    pub(crate) fn without_fraction(self) -> Stamp {
        Stamp { digits: 0, ..self }
    }

    /// Width in columns.
    pub(crate) fn columns(self) -> u16 {
        let fraction = if self.digits > 0 { self.digits + 1 } else { 0 };
        let date = if self.date > 0 { self.date + 1 } else { 0 };
        (8 + fraction + date) as u16
    }

    /// Text for a time, UTC ns.
    pub fn text(self, model: &Model, time: i64) -> String {
        let offset = offset(model, time);
        let clock = format_clock(time, offset, self.digits);
        let date = format_date(time, offset);
        dated(self.date, &date, clock)
    }
}

/// Time from `from` to `to`, in ns and as a text of at most `columns` columns.
pub fn step(from: Option<i64>, to: Option<i64>, columns: u16) -> Option<(i64, String)> {
    let step = to?.checked_sub(from?)?;
    let text = if step == 0 {
        "+0".to_owned()
    } else {
        format_delta_within(step, usize::from(columns))
    };
    Some((step, text))
}

/// Text for a time range: date, start, end and duration, in at most `room` columns.
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
        // Over several days the dates matter most.
        30.. => format!("{first} → {last} · {span}"),
        _ => span,
    }
}
