//! Instants as `i64` nanoseconds: calendar arithmetic and formatting.
//!
//! All functions use plain integer arithmetic. A log view formats tens of rows per frame and an export millions, and a
//! date library costs ten times as much as these few divisions. [`super::timeparse`] parses times, [`super::zone`] has
//! time zones.

/// Nanoseconds since 1970-01-01T00:00:00 UTC: the only representation of an instant in the program.
pub type Nanos = i64;

/// Value for "this record has no time". No parser returns it.
pub const NO_TIME: Nanos = i64::MIN;

/// Nanoseconds in a second.
pub const NS_PER_SECOND: i64 = 1_000_000_000;
/// Nanoseconds in a minute.
pub const NS_PER_MINUTE: i64 = 60 * NS_PER_SECOND;
/// Nanoseconds in an hour.
pub const NS_PER_HOUR: i64 = 60 * NS_PER_MINUTE;
/// Nanoseconds in a day of 24 hours.
pub const NS_PER_DAY: i64 = 24 * NS_PER_HOUR;

const SECONDS_PER_DAY: i64 = 86_400;

/// Maximum clock correction in seconds: a hundred years.
const MAX_CORRECTION_S: f64 = 100.0 * 366.0 * SECONDS_PER_DAY as f64;

/// Parses a number of seconds as typed (`2`, `-1.5`, `0.25 s`) into ns; `None` for other text and beyond a hundred
/// years.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    reason = "a hundred years are less than 2^63 ns"
)]
pub fn parse_seconds(text: &str) -> Option<i64> {
    let number = text.trim().trim_end_matches('s').trim_end();
    let seconds = number.parse::<f64>().ok();
    let seconds = seconds.filter(|s| s.abs() <= MAX_CORRECTION_S)?;
    Some((seconds * NS_PER_SECOND as f64).round() as i64)
}

/// Whether `year` has a February 29 (proleptic Gregorian calendar).
#[must_use]
pub(crate) const fn is_leap_year(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Number of days of a month (1 to 12); 0 for other months.
#[must_use]
pub const fn days_in_month(year: i64, month: u32) -> u32 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap_year(year) => 29,
        2 => 28,
        _ => 0,
    }
}

/// Days from 1970-01-01 to a civil date (negative before). The date must exist; years up to a few billion do not
/// overflow.
#[must_use]
pub const fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    // Years start in March here, so that the leap day is the last of its year and month lengths follow one formula.
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let year_of_era = y.rem_euclid(400);
    let month_from_march = (month as i64 + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day as i64 - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Civil date (year, month 1 to 12, day 1 to 31) `days` days after 1970-01-01.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "remainders are not negative, so a month is 1 to 12 and a day 1 to 31"
)]
pub const fn civil_from_days(days: i64) -> (i64, u32, u32) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * month_from_march + 2) / 5 + 1) as u32;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    } as u32;
    let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
    (year, month, day)
}

/// Calendar day (days since 1970-01-01) of an instant on clocks `offset_s` seconds ahead of UTC.
#[must_use]
pub const fn day_of(ns: Nanos, offset_s: i64) -> i64 {
    (ns.div_euclid(NS_PER_SECOND) + offset_s).div_euclid(SECONDS_PER_DAY)
}

/// Seconds that the machine's zone is ahead of UTC at an instant (seconds since the epoch); 0 outside chrono's range.
///
/// Only this function needs a date library: the location of the zone configuration differs between systems.
#[must_use]
pub(crate) fn system_offset_at(seconds: i64) -> i64 {
    use chrono::{Local, Offset, TimeZone};
    chrono::DateTime::from_timestamp(seconds, 0).map_or(0, |at| {
        let offset = Local.offset_from_utc_datetime(&at.naive_utc());
        i64::from(offset.fix().local_minus_utc())
    })
}

/// Combines seconds and a fraction into nanoseconds; `None` outside the years 1677 to 2262, the range of 64 bits.
#[must_use]
pub(crate) fn nanos_of(seconds: i64, fraction_ns: i64) -> Option<Nanos> {
    seconds
        .checked_mul(NS_PER_SECOND)?
        .checked_add(fraction_ns)
        .filter(|&ns| ns != NO_TIME)
}

/// Instant split into calendar fields.
struct Civil {
    year: i64,
    month: u32,
    day: u32,
    second_of_day: u32,
    nanos: u32,
}

impl Civil {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a day has less than 2^32 seconds and a second less than 2^32 ns"
    )]
    fn of(ns: Nanos, offset_s: i64) -> Self {
        // Seconds first: adding an offset to `ns` itself could overflow at the ends of the range.
        let seconds = ns.div_euclid(NS_PER_SECOND) + offset_s;
        let (year, month, day) = civil_from_days(seconds.div_euclid(SECONDS_PER_DAY));
        Self {
            year,
            month,
            day,
            second_of_day: seconds.rem_euclid(SECONDS_PER_DAY) as u32,
            nanos: ns.rem_euclid(NS_PER_SECOND) as u32,
        }
    }
}

/// Buffer size in bytes: more than `-YYYY-MM-DDTHH:MM:SS.nnnnnnnnnZ`.
const TEXT_MAX: usize = 40;

/// Text buffer on the stack, so that formatting a time costs at most the allocation of the resulting `String`.
struct Text {
    bytes: [u8; TEXT_MAX],
    len: usize,
}

impl Text {
    const fn new() -> Self {
        Self {
            bytes: [0; TEXT_MAX],
            len: 0,
        }
    }

    fn byte(&mut self, b: u8) {
        if let Some(slot) = self.bytes.get_mut(self.len) {
            *slot = b;
            self.len += 1;
        }
    }

    /// Writes the last `width` decimal digits of `value`, zero-padded.
    fn digits(&mut self, mut value: u32, width: usize) {
        let end = self.len + width;
        if let Some(slots) = self.bytes.get_mut(self.len..end) {
            for slot in slots.iter_mut().rev() {
                *slot = b'0' + (value % 10) as u8;
                value /= 10;
            }
            self.len = end;
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "instants are within 1677..=2262 and offsets shift them by at most a day, so the year has four digits"
    )]
    fn date(&mut self, c: &Civil) {
        self.digits(c.year.unsigned_abs() as u32, 4);
        self.byte(b'-');
        self.digits(c.month, 2);
        self.byte(b'-');
        self.digits(c.day, 2);
    }

    fn clock(&mut self, c: &Civil, fraction_digits: usize) {
        self.digits(c.second_of_day / 3_600, 2);
        self.byte(b':');
        self.digits(c.second_of_day / 60 % 60, 2);
        self.byte(b':');
        self.digits(c.second_of_day % 60, 2);
        let shown = fraction_digits.min(9);
        if shown > 0 {
            self.byte(b'.');
            // Truncated, not rounded: a rounded time could differ in all its digits from the time in the log line.
            self.digits(c.nanos, 9);
            self.len -= 9 - shown;
        }
    }

    fn as_str(&self) -> &str {
        let text = self.bytes.get(..self.len).unwrap_or_default();
        std::str::from_utf8(text).unwrap_or_default()
    }
}

/// Formats an instant like [`format_rfc3339_nanos`].
#[must_use]
pub fn rfc3339_nanos(ns: Nanos) -> String {
    let mut out = String::with_capacity(30);
    format_rfc3339_nanos(ns, &mut out);
    out
}

/// Appends an instant as `2026-11-21T01:43:31.123456789Z`, always 30 bytes, so that times sort as text.
pub fn format_rfc3339_nanos(ns: Nanos, out: &mut String) {
    let civil = Civil::of(ns, 0);
    let mut text = Text::new();
    text.date(&civil);
    text.byte(b'T');
    text.clock(&civil, 9);
    text.byte(b'Z');
    out.push_str(text.as_str());
}

/// Formats the time of day, `01:44:07.839177`, on clocks `offset_s` seconds ahead of UTC, with 0 to 9 fractional digits
/// (truncated). [`NO_TIME`] becomes `-`.
#[must_use]
pub fn format_clock(ns: Nanos, offset_s: i64, digits: usize) -> String {
    if ns == NO_TIME {
        return "-".to_owned();
    }
    let mut text = Text::new();
    text.clock(&Civil::of(ns, offset_s), digits);
    text.as_str().to_owned()
}

/// Formats the date, `2026-11-21`, on clocks `offset_s` seconds ahead of UTC. [`NO_TIME`] becomes `-`.
#[must_use]
pub fn format_date(ns: Nanos, offset_s: i64) -> String {
    if ns == NO_TIME {
        return "-".to_owned();
    }
    let mut text = Text::new();
    text.date(&Civil::of(ns, offset_s));
    text.as_str().to_owned()
}

/// Formats date and time of day, `2026-11-21 01:44:07.839`, on clocks `offset_s` seconds ahead of UTC, with 0 to 9
/// fractional digits (truncated). [`NO_TIME`] becomes `-`.
#[must_use]
pub fn format_datetime(ns: Nanos, offset_s: i64, digits: usize) -> String {
    if ns == NO_TIME {
        return "-".to_owned();
    }
    let civil = Civil::of(ns, offset_s);
    let mut text = Text::new();
    text.date(&civil);
    text.byte(b' ');
    text.clock(&civil, digits);
    text.as_str().to_owned()
}

/// Formats a duration in nanoseconds, short enough for a table: `850 ns`, `36 µs`, `5.3 ms`, `1.2 s`, `2 m 03 s`, `3 h
/// 04 m`, `2 d 05 h`, `11 y 82 d`. Rounded to the last digit shown; negative durations start with `-`.
#[must_use]
pub fn format_span(ns: i64) -> String {
    let size = format_magnitude(ns.unsigned_abs());
    if ns < 0 { format!("-{size}") } else { size }
}

/// Formats a duration like [`format_span`], always with a sign: `+5 ms`, `-5 ms`, but `0 s`.
#[must_use]
pub fn format_delta(ns: i64) -> String {
    if ns > 0 {
        format!("+{}", format_magnitude(ns.unsigned_abs()))
    } else {
        format_span(ns)
    }
}

fn format_magnitude(ns: u64) -> String {
    // Each unit is tried with the rounded value, so that 999.7 µs becomes 1 ms, not 1000 µs.
    let rounded = |step: u64| ns / step + u64::from(ns % step >= step.div_ceil(2));
    if ns == 0 {
        return "0 s".to_owned();
    }
    if ns < 1_000 {
        return format!("{ns} ns");
    }
    for (unit_ns, name) in [(1_000, "µs"), (1_000_000, "ms")] {
        let tenths = rounded(unit_ns / 10);
        if tenths < 100 && tenths % 10 != 0 {
            return format!("{}.{} {name}", tenths / 10, tenths % 10);
        }
        let whole = rounded(unit_ns);
        if whole < 1_000 {
            return format!("{whole} {name}");
        }
    }
    let tenths = rounded(100_000_000);
    if tenths < 600 {
        return format!("{}.{} s", tenths / 10, tenths % 10);
    }
    let seconds = rounded(1_000_000_000);
    if seconds < 3_600 {
        return format!("{} m {:02} s", seconds / 60, seconds % 60);
    }
    let minutes = rounded(60 * 1_000_000_000);
    if minutes < 24 * 60 {
        return format!("{} h {:02} m", minutes / 60, minutes % 60);
    }
    let hours = rounded(3_600 * 1_000_000_000);
    if hours < 366 * 24 {
        return format!("{} d {:02} h", hours / 24, hours % 24);
    }
    let days = rounded(24 * 3_600 * 1_000_000_000);
    // A leap year every four years.
    let years = days * 4 / 1_461;
    format!("{years} y {} d", days - years * 1_461 / 4)
}

/// Formats a duration like [`format_delta`] if that fits in `columns`, else in the smallest single unit that fits:
/// `+101 s`, `-27 h`. Rounded, never truncated; falls back to days if no unit fits.
#[must_use]
pub fn format_delta_within(ns: i64, columns: usize) -> String {
    let whole = format_delta(ns);
    if whole.chars().count() <= columns {
        return whole;
    }
    // Prefers the usual form without `+` to another unit, so that minutes and hours look alike everywhere.
    let plain = format_span(ns);
    if ns >= 60 * 1_000_000_000 && plain.chars().count() <= columns {
        return plain;
    }
    let sign = if ns < 0 { '-' } else { '+' };
    let size = ns.unsigned_abs();
    let units = [
        (1_000, "µs"),
        (1_000_000, "ms"),
        (1_000_000_000, "s"),
        (60 * 1_000_000_000, "m"),
        (3_600 * 1_000_000_000, "h"),
    ];
    let day = (24 * 3_600 * 1_000_000_000, "d");
    let told = |(step, name): (u64, &str)| {
        let n = size / step + u64::from(size % step >= step.div_ceil(2));
        // Days instead of an unreadable number of minutes: `+145 d`, not `+209165 m`.
        let is_readable = size < 10 * day.0 || name == "d";
        (n > 0 && is_readable).then(|| format!("{sign}{n} {name}"))
    };
    let fits = |text: &String| text.chars().count() <= columns;
    let fitting = units.into_iter().filter_map(told).find(fits);
    fitting.or_else(|| told(day)).unwrap_or(whole)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use chrono::{DateTime, Datelike, FixedOffset, NaiveDate};
    use proptest::prelude::*;

    #[test]
    fn seconds_are_rounded_and_bounded() {
        assert_eq!(parse_seconds("1.001"), Some(1_001_000_000));
        assert_eq!(parse_seconds(" -1.5 s"), Some(-1_500_000_000));
        assert_eq!(parse_seconds("3.2e9"), None);
        for text in ["", "s", "nan", "inf", "-inf", "1e300", "one"] {
            assert_eq!(parse_seconds(text), None, "{text}");
        }
    }

    #[test]
    fn a_known_instant_in_every_form() {
        let ns = 1_795_225_447_839_177_045;
        let mut text = String::from("t=");
        format_rfc3339_nanos(ns, &mut text);
        assert_eq!(text, "t=2026-11-21T01:44:07.839177045Z");
        assert_eq!(format_clock(ns, 0, 6), "01:44:07.839177");
        assert_eq!(format_clock(ns, -6 * 3_600, 0), "19:44:07");
        assert_eq!(format_date(ns, -6 * 3_600), "2026-11-20");
        assert_eq!(format_datetime(ns, 19_800, 3), "2026-11-21 07:14:07.839");
        assert_eq!(format_clock(ns, 0, 99), "01:44:07.839177045");
        assert_eq!(format_datetime(NO_TIME, 0, 3), "-");
    }

    #[test]
    fn spans_use_the_unit_people_would_use() {
        for (ns, text) in [
            (0, "0 s"),
            (850, "850 ns"),
            (1_000, "1 µs"),
            (1_500, "1.5 µs"),
            (36_000, "36 µs"),
            (9_960, "10 µs"),
            (999_700, "1 ms"),
            (5_000_000, "5 ms"),
            (5_300_000, "5.3 ms"),
            (999_600_000, "1.0 s"),
            (1_234_000_000, "1.2 s"),
            (59_960_000_000, "1 m 00 s"),
            (123_000_000_000, "2 m 03 s"),
            (3_599_700_000_000, "1 h 00 m"),
            (11_040_000_000_000, "3 h 04 m"),
            (86_400_000_000_000, "1 d 00 h"),
            (365 * NS_PER_DAY, "365 d 00 h"),
            (366 * NS_PER_DAY, "1 y 1 d"),
            (4_099 * NS_PER_DAY + 8 * NS_PER_HOUR, "11 y 82 d"),
            (-5_000_000, "-5 ms"),
        ] {
            assert_eq!(format_span(ns), text, "{ns} ns");
        }
        assert_eq!(format_delta(5_000_000), "+5 ms");
        assert_eq!(format_delta(-5_000_000), "-5 ms");
        assert_eq!(format_delta(0), "0 s");
        assert_eq!(format_span(i64::MIN), "-292 y 99 d");
    }

    #[test]
    fn a_step_without_room_is_told_in_one_unit() {
        for (ns, text) in [
            (1_200_000_000, "+1.2 s"),
            (101_400_000_000, "+101 s"),
            (-101_400_000_000, "-101 s"),
            (26 * NS_PER_HOUR + 40 * NS_PER_MINUTE, "+1600 m"),
            (244 * NS_PER_DAY + NS_PER_HOUR, "+244 d"),
            (4_099 * NS_PER_DAY, "+4099 d"),
        ] {
            assert_eq!(format_delta_within(ns, 7), text);
        }
        assert_eq!(format_delta_within(244 * NS_PER_DAY, 6), "+244 d");
        assert_eq!(format_delta_within(145 * NS_PER_DAY, 9), "+145 d");
        assert_eq!(format_delta_within(545 * NS_PER_DAY, 8), "+545 d");
        assert_eq!(format_delta_within(26 * NS_PER_HOUR, 6), "+26 h");
        // The usual form is preferred where it fits, if necessary without the sign.
        let minutes = |m: i64, s: i64| m * NS_PER_MINUTE + s * NS_PER_SECOND;
        assert_eq!(format_delta_within(minutes(1, 22), 9), "+1 m 22 s");
        assert_eq!(format_delta_within(minutes(12, 30), 9), "12 m 30 s");
        assert_eq!(format_delta_within(minutes(1, 22), 8), "1 m 22 s");
        assert_eq!(format_delta_within(minutes(12, 30), 8), "+750 s");
    }

    proptest! {
        #[test]
        fn civil_dates_are_chronos(days in -1_000_000_i64..1_000_000) {
            let (y, m, d) = civil_from_days(days);
            let theirs = NaiveDate::from_ymd_opt(1970, 1, 1).unwrap() + chrono::TimeDelta::days(days);
            prop_assert_eq!((y, m, d), (i64::from(theirs.year()), theirs.month(), theirs.day()));
            prop_assert_eq!(days_from_civil(y, m, d), days);
            prop_assert!(d <= days_in_month(y, m));
        }

        #[test]
        fn texts_are_chronos(ns in i64::MIN + 1..i64::MAX, offset in -50_400_i32..50_400) {
            let utc = DateTime::from_timestamp_nanos(ns);
            let mut ours = String::new();
            format_rfc3339_nanos(ns, &mut ours);
            prop_assert_eq!(ours, utc.format("%Y-%m-%dT%H:%M:%S%.9fZ").to_string());
            let there = utc.with_timezone(&FixedOffset::east_opt(offset).unwrap());
            let offset = i64::from(offset);
            prop_assert_eq!(format_datetime(ns, offset, 6), there.format("%Y-%m-%d %H:%M:%S%.6f").to_string());
            prop_assert_eq!(format_date(ns, offset), there.format("%Y-%m-%d").to_string());
            prop_assert_eq!(format_clock(ns, offset, 0), there.format("%H:%M:%S").to_string());
        }

        #[test]
        fn any_span_has_a_text(ns in any::<i64>()) {
            let text = format_span(ns);
            prop_assert!(text.chars().count() <= 14, "{}", text);
        }
    }
}
