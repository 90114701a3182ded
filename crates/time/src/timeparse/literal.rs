//! Parsing of times that users type.

use super::fixed::{self, SECONDS};
use super::{Stamp, StampZone, TimePattern, detect_leading};
use crate::time::{NS_PER_DAY, Nanos, day_of};
use crate::zone::Zone;
use std::sync::LazyLock;

/// Error: the text is not a time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a time: write 18:03, 18:03:20.5, 2026-11-21, 2026-11-21 18:03:20, 2026-11-21T18:03:20Z, \
     1795225387.5 or @ with any number of seconds since 1970"
)]
pub struct TimeLiteralError {
    /// Text as typed.
    pub(crate) text: String,
}

/// Layouts tried in this order on the whole text. Some have a zone because literals are often copied from exports.
const LAYOUTS: [&str; 14] = [
    "%-H:%M",
    "%-H:%M:%S%.f",
    "%-H:%M%z",
    "%-H:%M:%S%.f%z",
    "%Y-%-m-%-d",
    "iso",
    "%Y-%-m-%-d %-H:%M",
    "%Y-%-m-%-d %-H:%M:%S%.f",
    "%Y-%-m-%-d %-H:%M:%S%.f %z",
    "%Y-%-m-%-d %-H:%M:%S%.f %Z",
    "%Y/%-m/%-d",
    "%Y/%-m/%-d %-H:%M",
    "%Y/%-m/%-d %-H:%M:%S%.f",
    "%d/%b/%Y:%H:%M:%S %z",
];

static PATTERNS: LazyLock<Vec<TimePattern>> = LazyLock::new(|| {
    LAYOUTS
        .iter()
        .filter_map(|spec| TimePattern::compile(spec).ok())
        .collect()
});

/// Parses the instant that a user means by `text`: a time of day (on the date of `base_date_ns` in `zone`), a date (its
/// midnight), both, either with its own zone, or a number since the epoch. A number is in seconds, milliseconds,
/// microseconds or nanoseconds, whichever is between 2000 and 2100; `@12.5` is always in seconds.
///
/// # Errors
///
/// If `text` has none of these forms or states a nonexistent date or hour. The message lists the valid forms.
pub fn parse_literal(
    text: &str,
    base_date_ns: Nanos,
    zone: &Zone,
) -> Result<Nanos, TimeLiteralError> {
    let bytes = text.trim().as_bytes();
    let whole = |read: Option<(Stamp, usize)>| read.filter(|&(_, len)| len == bytes.len());
    let stamp = PATTERNS
        .iter()
        .find_map(|pattern| whole(pattern.parse_prefix(bytes)))
        .map(|(stamp, _)| stamp)
        .or_else(|| seconds(bytes))
        .or_else(|| number(bytes));
    match stamp {
        Some(stamp) => Ok(on_date(stamp, base_date_ns, zone)),
        None => Err(TimeLiteralError {
            text: text.to_owned(),
        }),
    }
}

/// Parses `@` and seconds since the epoch.
fn seconds(bytes: &[u8]) -> Option<Stamp> {
    let number = bytes.strip_prefix(b"@")?;
    let (stamp, len) = fixed::epoch(number, SECONDS)?;
    (len == number.len()).then_some(stamp)
}

/// Parses a number that can only be an epoch.
fn number(bytes: &[u8]) -> Option<Stamp> {
    if !bytes.first()?.is_ascii_digit() {
        return None;
    }
    let (_, stamp, _, end) = detect_leading(bytes)?;
    (end == bytes.len() && stamp.date).then_some(stamp)
}

fn on_date(stamp: Stamp, base_date_ns: Nanos, zone: &Zone) -> Nanos {
    if stamp.date {
        return stamp.to_utc(zone);
    }
    let day = day_of(base_date_ns, zone.offset_at_utc(base_date_ns));
    let midnight = day.saturating_mul(NS_PER_DAY);
    match stamp.zone {
        StampZone::Local => Stamp {
            ns: midnight.saturating_add(stamp.ns),
            ..stamp
        }
        .to_utc(zone),
        // With a zone of its own, a time of day is on the base date in that zone.
        StampZone::Known => midnight.saturating_add(stamp.ns),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use crate::time::{NS_PER_SECOND, rfc3339_nanos};

    /// 2026-11-21T01:44:07Z, still the 20th in Chicago.
    const BASE: Nanos = 1_795_225_447 * NS_PER_SECOND;

    fn typed(text: &str, zone: &str) -> Option<String> {
        let ns = parse_literal(text, BASE, &Zone::parse(zone).unwrap()).ok()?;
        Some(rfc3339_nanos(ns))
    }

    #[test]
    fn every_layout_of_the_list_compiles() {
        assert_eq!(PATTERNS.len(), LAYOUTS.len());
    }

    #[test]
    fn typical_expressions_are_parsed() {
        for (text, zone, utc) in [
            ("18:03", "UTC", "2026-11-21T18:03:00.000000000Z"),
            (" 18:03:20 ", "UTC", "2026-11-21T18:03:20.000000000Z"),
            ("9:05:01.25", "UTC", "2026-11-21T09:05:01.250000000Z"),
            ("18:03:20", "-06:00", "2026-11-21T00:03:20.000000000Z"),
            ("18:03:20", "+02:00", "2026-11-21T16:03:20.000000000Z"),
            ("18:03:20Z", "+02:00", "2026-11-21T18:03:20.000000000Z"),
            ("2026-11-21", "+02:00", "2026-11-20T22:00:00.000000000Z"),
            (
                "2026-11-21 18:03:20.5",
                "UTC",
                "2026-11-21T18:03:20.500000000Z",
            ),
            ("2026-11-21 18:03", "UTC", "2026-11-21T18:03:00.000000000Z"),
            (
                "2026-11-21T18:03:20+02:00",
                "-06:00",
                "2026-11-21T16:03:20.000000000Z",
            ),
            (
                "2026-11-21T01:44:07.839177045Z",
                "UTC",
                "2026-11-21T01:44:07.839177045Z",
            ),
            ("1795225387.5", "+02:00", "2026-11-21T01:43:07.500000000Z"),
            ("1795225387", "+02:00", "2026-11-21T01:43:07.000000000Z"),
            ("1795225387115", "UTC", "2026-11-21T01:43:07.115000000Z"),
            ("@0", "+02:00", "1970-01-01T00:00:00.000000000Z"),
            ("@1.5", "UTC", "1970-01-01T00:00:01.500000000Z"),
        ] {
            assert_eq!(typed(text, zone).as_deref(), Some(utc), "{text} in {zone}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused_with_a_hint() {
        for text in [
            "",
            "12345",
            "24:00",
            "18:60",
            "2026-02-30",
            "18:03:20 x",
            "yesterday",
            "@",
            "@x",
            "18",
            "(18:03:20",
            "2026-11",
            "99999999999999999999",
            "@99999999999",
        ] {
            assert_eq!(typed(text, "UTC"), None, "{text}");
        }
        let error = parse_literal("soon", 0, &Zone::Utc).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("`soon` is not a time: write 18:03")
        );
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in ".{0,40}", base in proptest::num::i64::ANY) {
            let _ = parse_literal(&text, base, &Zone::Fixed(-21_600));
        }
    }
}
