//! Formatting of times in sentences about a run.

use super::time::{Nanos, day_of, format_clock, format_datetime};
use super::zone::Zone;

/// Formatter of the times of one run.
#[derive(Clone, Copy, Debug)]
pub struct Clock<'z> {
    zone: &'z Zone,
    /// Last time of the run, UTC ns.
    last: Option<Nanos>,
}

impl<'z> Clock<'z> {
    /// Creates a formatter for a run that ends at `last` (UTC ns); without it, times are written without a date.
    #[must_use]
    pub const fn of(zone: &'z Zone, last: Option<Nanos>) -> Self {
        Self { zone, last }
    }

    /// Formats the time of day with `digits` fractional digits, preceded by the date if that differs from the run's
    /// last date.
    #[must_use]
    pub fn digits(&self, time: Nanos, digits: usize) -> String {
        let offset = self.zone.offset_at_utc(time);
        let is_last_day =
            |last: Nanos| day_of(last, self.zone.offset_at_utc(last)) == day_of(time, offset);
        match self.last.is_none_or(is_last_day) {
            true => format_clock(time, offset, digits),
            false => format_datetime(time, offset, digits),
        }
    }

    /// Formats the time of day to the millisecond, as [`Clock::digits`].
    #[must_use]
    pub fn text(&self, time: Nanos) -> String {
        self.digits(time, 3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::{NS_PER_DAY, NS_PER_HOUR};

    #[test]
    fn another_day_than_the_last_has_its_date() {
        let last = 19_000 * NS_PER_DAY + 2 * NS_PER_HOUR;
        let before = last - 3 * NS_PER_HOUR;
        let clock = Clock::of(&Zone::Utc, Some(last));
        assert_eq!(clock.text(last), "02:00:00.000");
        assert_eq!(clock.text(before), "2022-01-07 23:00:00.000");
        // The date depends on the zone.
        let there = Zone::Fixed(-6 * 3_600);
        assert_eq!(Clock::of(&there, Some(last)).digits(before, 0), "17:00:00");
        assert_eq!(Clock::of(&Zone::Utc, None).text(before), "23:00:00.000");
    }
}
