//! Reading times at the speed of the disk.
//!
//! Every record of every log has a time, so this is the innermost loop of loading. A [`TimePattern`] is compiled once to
//! a flat list of steps and then reads without allocating; the shapes nearly all logs use (epoch seconds, ISO 8601,
//! `%Y-%m-%d %H:%M:%S` with any separators) take straight-line code. A date library reads the same text, checked in the
//! tests, some fifteen times slower.

mod compile;
mod digits;
mod fixed;
mod guess;
mod literal;
mod steps;
mod zonename;

pub use compile::TimePatternError;
pub use fixed::LastSecond;
pub use guess::{guess_amid, guess_known, is_plausible};
pub use literal::{TimeLiteralError, parse_literal};
pub use zonename::is_zone;

use super::time::{
    NS_PER_SECOND, Nanos, civil_from_days, day_of, days_from_civil, days_in_month, nanos_of,
};
use super::zone::Zone;

/// Seconds ahead of UTC of an offset (`+02:00`, `-0600`, `+02`) that is the whole of `b`.
pub(crate) fn parse_offset(b: &[u8]) -> Option<i32> {
    let (offset_s, end) = fixed::offset(b, 0)?;
    (end == b.len()).then_some(offset_s as i32)
}

/// Whether a time said how it relates to UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StampZone {
    /// It did (an offset, `Z`, UTC, an epoch): [`Stamp::ns`] is the instant.
    Known,
    /// It did not: [`Stamp::ns`] is what the clock on the wall showed, taken as if it were UTC.
    Local,
}

/// A time as a log wrote it, with what it left unsaid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Nanoseconds since the epoch; see [`Stamp::zone`] for what they mean.
    pub ns: Nanos,
    /// Whether the zone was written.
    pub zone: StampZone,
    /// Whether it has a date. If not, it is a time of day on 1970-01-01.
    pub date: bool,
    /// Whether it has a year. If not, 1970 is put (1972 for a 29th of February, which 1970 does not have); see
    /// [`Stamp::near`].
    pub year: bool,
    /// The unit of its last digit in nanoseconds: 1 000 000 for milliseconds.
    pub resolution_ns: i64,
}

impl Stamp {
    /// Whether it stands for no time at all: the epoch itself, which programs write where they have none.
    #[must_use]
    pub fn is_unset(&self) -> bool {
        self.ns == 0 && self.date && self.year
    }

    /// The instant, with a time without a zone taken to be in `zone`. Saturates at the ends of the range.
    #[must_use]
    pub(crate) fn to_utc(self, zone: &Zone) -> Nanos {
        match self.zone {
            StampZone::Known => self.ns,
            StampZone::Local => {
                let offset_s = zone.offset_at_local(self.ns);
                self.ns
                    .saturating_sub(offset_s.saturating_mul(NS_PER_SECOND))
            }
        }
    }

    /// The same time with what is missing of its date filled in so that it comes as near as possible to `reference_ns`
    /// (on the same clock): the year of a syslog time, the day of a bare time of day. A full date stays as it is. No date
    /// lies more than a month after the reference: a file was last written when its last record was, or copied later.
    #[must_use]
    pub fn near(self, reference_ns: Nanos) -> Self {
        if self.date && self.year {
            return self;
        }
        let own_day = day_of(self.ns, 0);
        let reference_day = day_of(reference_ns, 0);
        let (_, month, day) = civil_from_days(own_day);
        let (reference_year, _, _) = civil_from_days(reference_day);
        let seconds = self.ns.div_euclid(NS_PER_SECOND) - own_day * 86_400;
        let on = |day: i64| {
            let ns = nanos_of(day * 86_400 + seconds, self.ns.rem_euclid(NS_PER_SECOND))?;
            Some((ns.abs_diff(reference_ns), ns))
        };
        let nearest = if self.date {
            // A 29th of February may have to look four (around 1900 eight) years away for a year that has one.
            (reference_year - 8..=reference_year + 8)
                .filter(|&year| day <= days_in_month(year, month))
                .filter_map(|year| on(days_from_civil(year, month, day)))
                .filter(|(_, ns)| *ns <= reference_ns.saturating_add(MONTH))
                .min()
        } else {
            (reference_day - 1..=reference_day + 1).filter_map(on).min()
        };
        Self {
            ns: nearest.map_or(self.ns, |(_, ns)| ns),
            ..self
        }
    }
}

/// A month, ns.
const MONTH: Nanos = 31 * 86_400 * NS_PER_SECOND;

/// Whether a time is too coarse to order records of different files: whole seconds or no date.
#[must_use]
pub fn is_coarse(stamp: &Stamp) -> bool {
    stamp.resolution_ns >= NS_PER_SECOND || !stamp.date
}

/// A compiled description of how a log writes its times; see [`TimePattern::compile`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimePattern {
    spec: Box<str>,
    shape: Shape,
    reject: Reject,
    fixed_len: Option<usize>,
}

/// Which code reads the time.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Shape {
    /// A number of units of so many nanoseconds since the epoch, with an optional fraction.
    Epoch { unit_ns: u64 },
    /// ISO 8601 in its extended form.
    Iso,
    /// Nineteen bytes `YYYY-MM-DD HH:MM:SS` with these separators, then steps.
    DateTime {
        date_separator: u8,
        middle: u8,
        rest: Box<[steps::Step]>,
    },
    /// Anything else.
    Steps {
        steps: Box<[steps::Step]>,
        calendar: steps::Calendar,
    },
}

/// What the first bytes must be, to turn away most other lines by two comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reject {
    /// Set of possible first bytes, one bit each.
    first: [u64; 4],
    /// A byte that must be at a place.
    anchor: Option<(usize, u8)>,
    /// Fewest bytes a time takes.
    min_len: usize,
}

impl TimePattern {
    /// Compiles a description of a time.
    ///
    /// * `epoch`, `epoch_ms`, `epoch_us`, `epoch_ns`: a number of seconds and so on since 1970 UTC, with or without a
    ///   fraction of any length.
    /// * `iso`: RFC 3339 and its relatives in ISO 8601: `T` or a blank in the middle, seconds optional, a fraction after a
    ///   dot or comma, `Z`, `+02:00`, `+0200`, `+02` or no zone.
    /// * Otherwise a layout of literal text and
    ///
    ///   | | |
    ///   |---|---|
    ///   | `%Y` `%y` | year of four digits; of two (69 to 99 are 19..) |
    ///   | `%m` `%d` `%H` `%I` `%M` `%S` | two digits; with `-` (`%-d`) one or two; second 60 is read as 59.999999999 |
    ///   | `%e` `%k` `%l` | day, hour, hour of 12, padded with a blank or not |
    ///   | `%-m%d` | month and day in three digits or four: 314, 1225 |
    ///   | `%b` `%B` `%a` `%A` | English month and weekday, three letters or in full, any case (the weekday is not checked) |
    ///   | `%j` `%p` | day of the year in three digits; AM or PM |
    ///   | `%f` `%3f` | fraction of 1 to 9 digits; of exactly 3 (or any number 1 to 9) |
    ///   | `%.f` `%.3f` | a dot or comma and a fraction of any length, or nothing; and exactly 3 digits, not optional |
    ///   | `%z` | `+0200`, `+02:00`, `+02` or `Z` |
    ///   | `%Z` | letters: abbreviations that mean one zone are known (UTC, CET, PDT), others are read over and the time is taken as local (CST, IST) |
    ///   | `%s` | seconds since the epoch, digits only |
    ///   | `%F` `%T` `%R` `%D` `%%` | `%Y-%m-%d`, `%H:%M:%S`, `%H:%M`, `%m/%d/%y`, a percent sign |
    ///
    /// # Errors
    ///
    /// When a `%` sequence is not one of these, or the parts do not make a time (minutes without hours, a month without a
    /// day).
    pub fn compile(spec: &str) -> Result<Self, TimePatternError> {
        compile::compile(spec)
    }

    /// The text the pattern was compiled from.
    #[must_use]
    pub fn spec(&self) -> &str {
        &self.spec
    }

    /// Reads a time at the very start of `b`; also gives how many bytes it took. `None` when there is none, when it is
    /// impossible (February 30, hour 24) or outside the years 1677 to 2262. What follows the time is not looked at,
    /// except that digits of one number are never cut (but see `%f`).
    #[inline]
    #[must_use]
    pub fn parse_prefix(&self, b: &[u8]) -> Option<(Stamp, usize)> {
        match &self.shape {
            Shape::Epoch { unit_ns } => fixed::epoch(b, *unit_ns),
            Shape::Iso => fixed::iso(b),
            Shape::DateTime {
                date_separator,
                middle,
                rest,
            } => {
                let civil = fixed::date_time(b, *date_separator, *middle)?;
                steps::after_date_time(rest, b, civil)
            }
            Shape::Steps { steps, calendar } => steps::read(steps, *calendar, b),
        }
    }

    /// As [`TimePattern::parse_prefix`] of one time after the other: what `last` was left with is read faster.
    #[inline]
    #[must_use]
    pub fn parse_after(&self, b: &[u8], last: &mut Option<LastSecond>) -> Option<(Stamp, usize)> {
        match &self.shape {
            Shape::Epoch { unit_ns } if *unit_ns == NS_PER_SECOND as u64 => {
                fixed::epoch_after(b, last)
            }
            _ => self.parse_prefix(b),
        }
    }

    /// Whether `b` certainly does not start with such a time, by a glance at a few bytes. (`false` says nothing.)
    #[inline]
    #[must_use]
    pub fn quick_reject(&self, b: &[u8]) -> bool {
        let Some(&first) = b.first() else { return true };
        if self.reject.first[usize::from(first >> 6)] & (1 << (first & 63)) == 0
            || b.len() < self.reject.min_len
        {
            return true;
        }
        match self.reject.anchor {
            Some((at, byte)) => b.get(at) != Some(&byte),
            None => false,
        }
    }

    /// Number of bytes of every such time, if they all have the same.
    #[must_use]
    pub const fn fixed_len(&self) -> Option<usize> {
        self.fixed_len
    }
}

impl std::fmt::Display for TimePattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.spec)
    }
}

#[cfg(test)]
mod tests;
