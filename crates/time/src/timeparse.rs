//! Fast parsing of times in logs.
//!
//! Every record has a time, so parsing it is the innermost loop of loading. A [`TimePattern`] is compiled once to a
//! flat list of steps and then parses without allocating; the most common layouts (epoch seconds, ISO 8601, `%Y-%m-%d
//! %H:%M:%S` with any separators) take straight-line code. The tests compare results with chrono, which is about
//! fifteen times slower.

mod compile;
mod detect;
mod digits;
mod fixed;
mod literal;
mod steps;
mod zone_abbreviation;
mod zone_region;

pub use compile::TimePatternError;
pub use detect::{detect_leading, detect_within, is_plausible, parse_whole};
pub use fixed::LastSecond;
pub use literal::{TimeLiteralError, parse_literal};
pub use steps::is_date_word;
pub use zone_abbreviation::{is_zone, meanings};

use super::time::{
    NS_PER_SECOND, Nanos, civil_from_days, day_of, days_from_civil, days_in_month, nanos_of,
};
use super::zone::Zone;

/// Parses an offset (`+02:00`, `-0600`, `+02`) that spans all of `b` into seconds ahead of UTC.
pub(crate) fn parse_offset(b: &[u8]) -> Option<i32> {
    let (offset_s, _) = fixed::offset(b, 0).filter(|(_, end)| *end == b.len())?;
    i32::try_from(offset_s).ok()
}

/// Offset in digits at the end of a time (`+02:00`, `-0600`), seconds ahead of UTC.
#[must_use]
pub fn trailing_offset(time: &[u8]) -> Option<i32> {
    let sign = time.iter().rposition(|b| matches!(b, b'+' | b'-'))?;
    parse_offset(time.get(sign..)?)
}

/// Seconds that a zone is ahead of UTC when its clocks show `local`: an offset (`+02:00`, `UTC+2`), an abbreviation with a
/// usual meaning, or a name of the tz database.
#[must_use]
pub fn offset_of_zone(zone: &[u8], local: Nanos) -> Option<i64> {
    let is_whole = |len: usize| len == zone.len();
    let digits = || parse_offset(zone).map(i64::from);
    let behind_utc = || zone_abbreviation::utc_offset(zone).filter(|(_, len)| is_whole(*len));
    let region = || zone_region::at_start(zone).filter(|(_, len)| is_whole(*len));
    digits()
        .or_else(|| Some(behind_utc()?.0))
        .or_else(|| Some(region()?.0.offset_at_local(local)))
        .or_else(|| zone_abbreviation::offset_of(zone))
}

/// Whether a time states its relation to UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StampZone {
    /// Zone stated (an offset, `Z`, UTC, an epoch): [`Stamp::ns`] is the instant.
    Known,
    /// Zone not stated: [`Stamp::ns`] is the local time taken as if it were UTC.
    Local,
}

/// Time as written in a log, with flags for its missing parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Nanoseconds since the epoch: an instant or a local time, depending on [`Stamp::zone`].
    pub ns: Nanos,
    /// Whether the zone was written.
    pub zone: StampZone,
    /// Whether the date was written. If not, `ns` is a time of day on 1970-01-01.
    pub date: bool,
    /// Whether the year was written. If not, `ns` is in 1970 (February 29 in 1972, as 1970 is no leap year); see
    /// [`Stamp::near`].
    pub year: bool,
    /// Unit of the last written digit in nanoseconds: 1 000 000 for milliseconds.
    pub resolution_ns: i64,
}

impl Stamp {
    /// Whether the time is the epoch itself, which programs write in place of an unset time.
    #[must_use]
    pub fn is_unset(&self) -> bool {
        self.ns == 0 && self.date && self.year
    }

    /// Instant of the time; without a stated zone the time is taken to be in `zone`. Saturates at the ends of the
    /// range.
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

    /// Fills in a missing date or year such that the time is nearest to `reference_ns` (on the same clock): the year of
    /// a syslog time, the day of a bare time of day. Full dates are unchanged. A completed date is at most a month
    /// after the reference, which is the modification time of a file: that is the time of the last record or later, if
    /// the file was copied.
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
            // The nearest leap year is up to four years away, around 1900 up to eight.
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

/// Maximum length of a time with no-break or narrow spaces, bytes.
const MAX_SPACED: usize = 64;

/// Nanoseconds of a month of 31 days.
pub const MONTH: Nanos = 31 * 86_400 * NS_PER_SECOND;

/// Whether a time is too coarse (whole seconds or no date) to order records of different files.
#[must_use]
pub fn is_coarse(stamp: &Stamp) -> bool {
    stamp.resolution_ns >= NS_PER_SECOND || !stamp.date
}

/// Compiled layout of the times of a log; see [`TimePattern::compile`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimePattern {
    spec: Box<str>,
    shape: Shape,
    reject: Reject,
    fixed_len: Option<usize>,
}

/// Parser to use for a layout.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Shape {
    /// Count of units of `unit_ns` nanoseconds since the epoch, with an optional fraction.
    Epoch { unit_ns: u32 },
    /// ISO 8601 extended format.
    Iso,
    /// TAI64N label.
    Tai64n,
    /// Nineteen bytes `YYYY-MM-DD HH:MM:SS` with these separators, then steps.
    DateTime {
        date_separator: u8,
        middle: u8,
        rest: Box<[steps::Step]>,
    },
    /// Any other layout.
    Steps {
        steps: Box<[steps::Step]>,
        calendar: steps::Calendar,
    },
}

/// Constraints on the first bytes, which reject most other lines with two comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reject {
    /// Set of possible first bytes, one bit each.
    first: [u64; 4],
    /// Offset and value of a byte that all times of the layout have.
    anchor: Option<(usize, u8)>,
    /// Minimum length of a time in bytes.
    min_len: usize,
}

impl TimePattern {
    /// Compiles a time layout.
    ///
    /// * `epoch`, `epoch_ms`, `epoch_us`, `epoch_ns`: seconds, milliseconds and so on since 1970 UTC, with an optional
    ///   fraction of any length.
    /// * `iso`: RFC 3339 and related forms of ISO 8601: `T` or a blank in the middle, optional seconds, a fraction
    ///   after a dot or comma, `Z`, `+02:00`, `+0200`, `+02` or no zone.
    /// * `tai64n`: the label that multilog, svlogd and s6-log write, such as `@4000000063ecad2a075bcd15`.
    /// * Otherwise a layout of literal text and
    ///
    ///   | | |
    ///   |---|---|
    ///   | `%Y` `%y` | year of four digits; of two (69 to 99 are 19..) |
    ///   | `%m` `%d` `%H` `%I` `%M` `%S` | two digits; with `-` (`%-d`) one or two; second 60 is read as 59.999999999 |
    ///   | `%e` `%k` `%l` | day, hour, hour of 12, padded with a blank or not |
    ///   | `%-m%d` | month and day in three digits or four: 314, 1225 |
    ///   | `%b` | month, abbreviated in English or another language, with or without a dot, any case |
    ///   | `%B` `%a` `%A` | English month in full, weekday in three letters or in full, any case (the weekday is not checked) |
    ///   | `%j` `%p` | day of the year in three digits; AM or PM, a.m. or p.m., 上午 or 下午 |
    ///   | `%f` `%3f` | fraction of 1 to 9 digits; of exactly 3 (or any number 1 to 9) |
    ///   | `%.f` `%.3f` | a dot or comma and a fraction of any length, or nothing; and exactly 3 digits, not optional |
    ///   | `%z` | `+0200`, `+02:00`, `+02` or `Z` |
    ///   | `%Z` | abbreviation (UTC, CET, PDT) or name of a zone (`America/Chicago`); other letters are read over, and the time is taken as local (CST) |
    ///   | `%s` | seconds since the epoch, digits only |
    ///   | `%F` `%T` `%R` `%D` `%%` | `%Y-%m-%d`, `%H:%M:%S`, `%H:%M`, `%m/%d/%y`, a percent sign |
    ///
    /// # Errors
    ///
    /// If a `%` sequence is not in the table, or a component lacks a coarser one (minutes without hours, a month
    /// without a day).
    pub fn compile(spec: &str) -> Result<Self, TimePatternError> {
        compile::compile(spec)
    }

    /// Layout text that the pattern was compiled from.
    #[must_use]
    pub fn spec(&self) -> &str {
        &self.spec
    }

    /// Parses a time at the start of `b`; returns it with its length in bytes. `None` if there is none, if it is
    /// invalid (February 30, hour 24) or outside the years 1677 to 2262. Ignores the bytes after the time, but never
    /// splits a run of digits (except after `%f`).
    #[inline]
    #[must_use]
    pub fn parse_prefix(&self, b: &[u8]) -> Option<(Stamp, usize)> {
        self.parse_plain(b).or_else(|| self.parse_spaced(b))
    }

    /// Parses a time in which blanks are no-break or narrow spaces, as Java and JavaScript write them (CLDR 42) and word
    /// processors turn them into.
    #[inline(never)]
    fn parse_spaced(&self, b: &[u8]) -> Option<(Stamp, usize)> {
        let head = b.get(..MAX_SPACED).unwrap_or(b);
        if matches!(self.shape, Shape::Epoch { .. } | Shape::Tai64n)
            || memchr::memchr2(0xc2, 0xe2, head).is_none()
        {
            return None;
        }
        // Offsets in the original of the bytes of the text with blanks.
        let (mut plain, mut ends) = (Vec::with_capacity(head.len()), vec![0]);
        let mut at = 0;
        while let Some(rest @ [byte, ..]) = head.get(at..) {
            let (byte, len) = match rest {
                [0xc2, 0xa0, ..] => (b' ', 2),
                [0xe2, 0x80, 0x80..=0x8a | 0xaf, ..] => (b' ', 3),
                _ => (*byte, 1),
            };
            at += len;
            plain.push(byte);
            ends.push(at);
        }
        let (stamp, len) = self.parse_plain(&plain)?;
        Some((stamp, *ends.get(len)?))
    }

    #[inline]
    fn parse_plain(&self, b: &[u8]) -> Option<(Stamp, usize)> {
        match &self.shape {
            Shape::Epoch { unit_ns } => fixed::epoch(b, *unit_ns),
            Shape::Iso => fixed::iso(b),
            Shape::Tai64n => fixed::tai64n(b),
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

    /// Parses like [`TimePattern::parse_prefix`], faster for consecutive times within the same second, which `last`
    /// caches.
    #[inline]
    #[must_use]
    pub fn parse_after(&self, b: &[u8], last: &mut Option<LastSecond>) -> Option<(Stamp, usize)> {
        match &self.shape {
            Shape::Epoch { unit_ns } if *unit_ns == fixed::SECONDS => fixed::epoch_after(b, last),
            _ => self.parse_prefix(b),
        }
    }

    /// Whether `b` certainly does not start with a time of this layout, judged by a few bytes. `false` means unknown.
    #[inline]
    #[must_use]
    pub fn quick_reject(&self, b: &[u8]) -> bool {
        let Some(&first) = b.first() else { return true };
        let word = self.reject.first.get(usize::from(first >> 6));
        if word.is_none_or(|word| word & (1 << (first & 63)) == 0) || b.len() < self.reject.min_len
        {
            return true;
        }
        match self.reject.anchor {
            Some((at, byte)) => b.get(at) != Some(&byte),
            None => false,
        }
    }

    /// Whether `b` starts with text in the form of this layout, down to the seconds, whatever its numbers: February 30,
    /// hour 25, the year 1. Such text is a time that does not exist.
    #[must_use]
    pub fn has_form(&self, b: &[u8]) -> bool {
        match &self.shape {
            Shape::Epoch { .. } | Shape::Tai64n => false,
            Shape::Iso => {
                fixed::has_date_time_form(b, b'-', b'T') || fixed::has_date_time_form(b, b'-', b' ')
            }
            Shape::DateTime {
                date_separator,
                middle,
                ..
            } => fixed::has_date_time_form(b, *date_separator, *middle),
            Shape::Steps { steps, .. } => steps::has_form(steps, b),
        }
    }

    /// Length of all times of this layout in bytes, if constant.
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
