//! How sentences tell the moments of a run: one rule for all words, whoever shows them.

use super::time::{Nanos, day_of, format_clock, format_datetime};
use super::zone::Zone;

/// The clock by which the moments of one run are told.
#[derive(Clone, Copy, Debug)]
pub struct Clock<'z> {
    zone: &'z Zone,
    /// The last moment of the run, UTC ns.
    last: Option<Nanos>,
}

impl<'z> Clock<'z> {
    /// The clock of a run that ends at `last`, UTC ns; where that is not known, moments are told without their date.
    #[must_use]
    pub const fn of(zone: &'z Zone, last: Option<Nanos>) -> Self {
        Self { zone, last }
    }

    /// The time of day with `digits` digits of fraction, after its date where that is another than the run's last.
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

    /// The same, to the millisecond.
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
        // Which day it is depends on where the clock hangs.
        let there = Zone::Fixed(-6 * 3_600);
        assert_eq!(Clock::of(&there, Some(last)).digits(before, 0), "17:00:00");
        assert_eq!(Clock::of(&Zone::Utc, None).text(before), "23:00:00.000");
    }
}
