//! Division of a time range into equal parts, and its tick marks: shared by all charts over time.

use super::time::{
    NS_PER_DAY, NS_PER_HOUR, NS_PER_MINUTE, NS_PER_SECOND, civil_from_days, day_of,
    days_from_civil, format_clock, format_date, format_span,
};

/// Distances of tick marks of whole seconds, minutes, hours and days, ns; shorter ones are 1, 2 or 5 times a power of
/// ten.
const STEPS: [i64; 20] = [
    NS_PER_SECOND,
    2 * NS_PER_SECOND,
    5 * NS_PER_SECOND,
    10 * NS_PER_SECOND,
    20 * NS_PER_SECOND,
    30 * NS_PER_SECOND,
    NS_PER_MINUTE,
    2 * NS_PER_MINUTE,
    5 * NS_PER_MINUTE,
    10 * NS_PER_MINUTE,
    30 * NS_PER_MINUTE,
    NS_PER_HOUR,
    2 * NS_PER_HOUR,
    3 * NS_PER_HOUR,
    6 * NS_PER_HOUR,
    12 * NS_PER_HOUR,
    NS_PER_DAY,
    2 * NS_PER_DAY,
    7 * NS_PER_DAY,
    14 * NS_PER_DAY,
];

/// Distances of tick marks in months, whose length varies.
const MONTHS: [i64; 10] = [1, 3, 6, 12, 24, 60, 120, 240, 600, 1_200];

/// Tick mark of a time axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeTick {
    /// Time, UTC ns.
    pub time: i64,
    /// Time of day, date, month or year.
    pub label: String,
    /// Date of a time of day.
    pub date: Option<String>,
}

/// Tick marks of a time range (UTC ns) at round times, in at most `most` steps. `offset` is the clock's offset from UTC at a
/// time, in seconds.
pub fn time_ticks(range: (i64, i64), most: i64, offset: impl Fn(i64) -> i64) -> Vec<TimeTick> {
    let span = range.1.saturating_sub(range.0);
    if span <= 0 {
        return Vec::new();
    }
    let Some(step) = steps().find(|step| span / step <= most) else {
        let month = 30 * NS_PER_DAY;
        let step = MONTHS.into_iter().find(|n| span / month / n <= most);
        let [.., longest] = MONTHS;
        let step = step.unwrap_or(longest);
        let tick = |(time, label)| TimeTick {
            time,
            label,
            date: None,
        };
        return months(range, step, offset).map(tick).collect();
    };
    let digits = (0..9).find(|d| step % 10i64.pow(9 - d) == 0).unwrap_or(9) as usize;
    let tick = |time: i64| {
        let ahead = offset(time);
        let date = format_date(time, ahead);
        match step >= NS_PER_DAY {
            true => TimeTick {
                time,
                label: date,
                date: None,
            },
            false => TimeTick {
                time,
                label: format_clock(time, ahead, digits),
                date: Some(date),
            },
        }
    };
    round_times(range, step, offset(range.0))
        .map(tick)
        .collect()
}

/// Distances of tick marks, the shortest first.
fn steps() -> impl Iterator<Item = i64> {
    let decimal = (0..9).flat_map(|tens| [1, 2, 5].map(|n| n * 10i64.pow(tens)));
    decimal.chain(STEPS)
}

/// Tick marks of a range of durations, ns, in at most `most` steps.
pub fn duration_ticks(range: (i64, i64), most: i64) -> Vec<TimeTick> {
    let step = round_length(range, most);
    let tick = |time| TimeTick {
        time,
        label: format_span(time),
        date: None,
    };
    round_times(range, step, 0).map(tick).collect()
}

/// Maximum number of parts of a time range in which a curve counts: each has a column on any screen, so that the maximum does not
/// depend on the width.
pub const CURVE_PARTS: i64 = 48;

/// Shortest round duration, ns, of which a range has at most `most`.
#[must_use]
pub fn round_length(range: (i64, i64), most: i64) -> i64 {
    let span = range.1.saturating_sub(range.0);
    let longest = (1..62).map(|twice| NS_PER_DAY.saturating_mul(1 << twice));
    let mut all = steps().chain(longest);
    all.find(|step| span / step <= most).unwrap_or(i64::MAX)
}

/// Range extended at its end to a whole number of parts of `length` ns, and that number.
#[must_use]
pub fn round_parts((from, to): (i64, i64), length: i64) -> ((i64, i64), usize) {
    let length = length.max(1);
    let parts = to.saturating_sub(from) / length + 1;
    let end = from.saturating_add(parts.saturating_mul(length));
    ((from, end), usize::try_from(parts).unwrap_or(1))
}

/// Start (UTC ns) of part `part` of a range divided into `parts` equal parts; the end of the range for `part == parts`.
/// Rounded up, so that this time is within the part itself and [`part_of`] agrees in all charts.
#[must_use]
pub fn part_start((from, to): (i64, i64), part: u128, parts: u128) -> i64 {
    let parts = parts.max(1);
    let span = u128::from(to.max(from).abs_diff(from));
    // 128 bits cannot overflow: 64 of the span times the number of screen columns.
    let past = span.saturating_mul(part.min(parts)).div_ceil(parts);
    let past = u64::try_from(past).unwrap_or(u64::MAX);
    from.saturating_add_unsigned(past)
}

/// Index of the part of a range, divided into `parts` equal parts, that contains `time`; clamped for times outside.
#[must_use]
pub fn part_of((from, to): (i64, i64), time: i64, parts: u32) -> u32 {
    let to = to.max(from);
    let (span, past) = (
        to.abs_diff(from).max(1),
        time.clamp(from, to).abs_diff(from),
    );
    // 64 bits nearly always suffice, and 128-bit division is ten times slower: charts have hundreds of thousands of bars.
    let part = match past.checked_mul(u64::from(parts)) {
        Some(product) => u128::from(product / span),
        None => u128::from(past) * u128::from(parts) / u128::from(span),
    };
    let last = parts.saturating_sub(1);
    u32::try_from(part).map_or(last, |part| part.min(last))
}

/// Times within a range, both ends included, at which a clock shows a multiple of `step` ns. `ahead_s` is the clock's
/// offset from UTC at the start of the range, in seconds.
pub fn round_times((from, to): (i64, i64), step: i64, ahead_s: i64) -> impl Iterator<Item = i64> {
    let step = step.max(1);
    let local = i128::from(from) + i128::from(ahead_s) * i128::from(NS_PER_SECOND);
    let missing = (-local).rem_euclid(i128::from(step));
    let first = i64::try_from(i128::from(from) + missing).ok();
    // `checked_add` ends the sequence at the largest representable time.
    std::iter::successors(first, move |at| at.checked_add(step)).take_while(move |at| *at <= to)
}

/// Starts (UTC ns) of every `step`-th month within a range, labelled with year and month, or with the year if `step` is
/// whole years. `ahead_s` returns the clock's offset from UTC at a time, in seconds.
fn months(
    (from, to): (i64, i64),
    step: i64,
    ahead_s: impl Fn(i64) -> i64,
) -> impl Iterator<Item = (i64, String)> {
    let (year, month, _) = civil_from_days(day_of(from, ahead_s(from)));
    let first = (year * 12 + i64::from(month) - 1).div_euclid(step) * step;
    let nth = move |n: i64| {
        let month = first.checked_add(n.checked_mul(step)?)?;
        let (year, month) = (month.div_euclid(12), month.rem_euclid(12) + 1);
        let day = days_from_civil(year, u32::try_from(month).ok()?, 1);
        // Offsets change by hours, so the offset at that date in UTC is close enough.
        let at = day.checked_mul(NS_PER_DAY)?;
        let at = at.checked_sub(ahead_s(at).checked_mul(NS_PER_SECOND)?)?;
        let text = match step % 12 {
            0 => format!("{year}"),
            _ => format!("{year}-{month:02}"),
        };
        Some((at, text))
    };
    // The first month may start before the smallest representable time.
    let start = i64::from(nth(0).is_none());
    let all = (start..)
        .map_while(nth)
        .take_while(move |(at, _)| *at <= to);
    all.filter(move |(at, _)| *at >= from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::format_date;
    use proptest::prelude::*;

    #[test]
    fn marks_end_with_the_last_time_there_is() {
        let from = i64::MAX - 7 * NS_PER_SECOND;
        let marks: Vec<i64> = round_times((from, i64::MAX), NS_PER_SECOND, 0).collect();
        assert_eq!(marks.len(), 7);
        assert!(marks.iter().all(|m| m % NS_PER_SECOND == 0));
        let none = round_times((i64::MAX - 1, i64::MAX), NS_PER_DAY, 0);
        assert_eq!(none.count(), 0);
        let first = round_times((i64::MIN, i64::MIN + NS_PER_DAY), NS_PER_DAY, 3_600);
        assert_eq!(first.count(), 1);
        assert!(months((i64::MIN, i64::MAX), 1_200, |_| 0).count() > 4);
    }

    #[test]
    fn ticks_have_round_times_and_as_many_digits_as_needed() {
        let labels = |span: i64, most: i64| -> Vec<String> {
            let ticks = time_ticks((0, span), most, |_| 3_600);
            ticks.into_iter().map(|tick| tick.label).collect()
        };
        assert_eq!(
            labels(60 * NS_PER_SECOND, 3),
            ["01:00:00", "01:00:20", "01:00:40", "01:01:00"]
        );
        assert_eq!(
            labels(NS_PER_SECOND / 10, 2),
            ["01:00:00.00", "01:00:00.05", "01:00:00.10"]
        );
        assert_eq!(labels(2 * NS_PER_DAY, 2), ["1970-01-02", "1970-01-03"]);
        assert_eq!(labels(80 * NS_PER_DAY, 3), ["1970-02", "1970-03"]);
        assert_eq!(labels(i64::MAX, 1).len(), 3);
        assert!(labels(0, 9).is_empty());
        let date = time_ticks((0, NS_PER_DAY / 2), 2, |_| 0)[1].date.clone();
        assert_eq!(date.as_deref(), Some("1970-01-01"));
    }

    #[test]
    fn long_stretches_have_months_and_years() {
        let day = |y, m, d| days_from_civil(y, m, d) * NS_PER_DAY;
        let told = |range, step| -> Vec<String> {
            let all = months(range, step, |_| 3_600);
            all.map(|(at, text)| format!("{text} {}", format_date(at, 3_600)))
                .collect()
        };
        assert_eq!(
            told((day(2023, 11, 2), day(2024, 5, 20)), 3),
            ["2024-01 2024-01-01", "2024-04 2024-04-01"]
        );
        assert_eq!(
            told((day(2014, 7, 25), day(2025, 10, 15)), 60),
            ["2015 2015-01-01", "2020 2020-01-01", "2025 2025-01-01"]
        );
    }

    proptest! {
        #[test]
        fn marks_are_all_the_round_times(from in -500i64..500, span in 0i64..500, step in 1i64..70, ahead_s in -2i64..3) {
            let to = from + span;
            let naive: Vec<i64> = (from..=to)
                .filter(|t| (t + ahead_s * NS_PER_SECOND).rem_euclid(step) == 0)
                .collect();
            let marks: Vec<i64> = round_times((from, to), step, ahead_s).collect();
            prop_assert_eq!(marks, naive);
        }

        #[test]
        fn a_time_lies_in_the_part_that_begins_before_it(from: i64, to: i64, time: i64, parts in 1u32..400) {
            let range = (from.min(to), from.max(to));
            let part = part_of(range, time, parts);
            let inside = time.clamp(range.0, range.1);
            prop_assert!(part < parts);
            prop_assert!(part_start(range, u128::from(part), u128::from(parts)) <= inside);
            let behind = part_start(range, u128::from(part) + 1, u128::from(parts));
            prop_assert!(inside < behind || part + 1 == parts);
        }

        #[test]
        fn parts_cover_the_stretch_in_order(from: i64, to: i64, parts in 1u128..400) {
            let range = (from.min(to), from.max(to));
            let starts: Vec<i64> = (0..=parts).map(|p| part_start(range, p, parts)).collect();
            prop_assert_eq!((starts[0], starts[parts as usize]), range);
            prop_assert!(starts.is_sorted());
        }
    }
}
