//! Straight-line parsers of the most common layouts.

use super::digits::{fraction, integer, pow10};
use super::{Stamp, StampZone};
use crate::time::{NS_PER_MINUTE, NS_PER_SECOND, days_from_civil, days_in_month, nanos_of};

/// Unit of epochs in seconds, ns.
pub(super) const SECONDS: u32 = 1_000_000_000;

/// Fraction of a leap second (second 60): the last nanosecond of second 59, so that it keeps its minute and its order.
pub(super) const LEAP_SECOND_BILLIONTHS: u32 = 999_999_999;

/// Date and time of day without a fraction.
#[derive(Clone, Copy, Debug)]
pub(super) struct CivilSecond {
    /// Seconds since the epoch, as if UTC.
    pub(super) seconds: i64,
    /// Whether the second was written as 60 (counted as 59 here).
    pub(super) leap: bool,
}

/// Nanoseconds per unit of the last of `digits` (0 to 9) decimal places of a second.
#[inline(always)]
pub(super) fn resolution_of(digits: usize) -> i64 {
    i64::from(pow10(9 - digits))
}

/// Parses a count of units since the epoch with an optional fraction.
#[inline]
pub(super) fn epoch(b: &[u8], unit_ns: u32) -> Option<(Stamp, usize)> {
    let (whole, end) = integer(b, 0)?;
    let ns = whole.checked_mul(u64::from(unit_ns))?;
    with_fraction(b, (ns, end), unit_ns)
}

/// Cache of the last parsed epoch second: ten digits and a dot, the form of all epoch seconds since 2001, and its
/// nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct LastSecond {
    head: [u8; 11],
    ns: u64,
}

/// Parses epoch seconds like [`epoch`]. Most records share the second of the previous record, which is only compared.
#[inline]
pub(super) fn epoch_after(b: &[u8], last: &mut Option<LastSecond>) -> Option<(Stamp, usize)> {
    let head = b.first_chunk::<11>();
    if let (Some(head), Some(last)) = (head, &last)
        && *head == last.head
    {
        return with_fraction(b, (last.ns, 10), SECONDS);
    }
    let (whole, end) = integer(b, 0)?;
    let ns = whole.checked_mul(u64::from(SECONDS))?;
    if let Some(head) = head.filter(|head| end == 10 && head[10] == b'.') {
        *last = Some(LastSecond { head: *head, ns });
    }
    with_fraction(b, (ns, end), SECONDS)
}

/// Parses the optional fraction of an epoch after its whole number `(ns, end)`.
#[inline(always)]
fn with_fraction(
    b: &[u8],
    (mut ns, mut end): (u64, usize),
    unit_ns: u32,
) -> Option<(Stamp, usize)> {
    let mut resolution_ns = i64::from(unit_ns);
    if b.get(end) == Some(&b'.')
        && let Some(part) = fraction(b, end + 1)
    {
        let billionths = u64::from(part.billionths);
        // Nearly all epochs are in seconds, which needs no division.
        let (more, resolution) = if unit_ns == SECONDS {
            (billionths, resolution_of(part.digits))
        } else {
            let resolution = unit_ns / pow10(part.digits);
            (
                billionths * u64::from(unit_ns) / u64::from(SECONDS),
                i64::from(resolution.max(1)),
            )
        };
        ns = ns.checked_add(more)?;
        resolution_ns = resolution;
        end = part.end;
    }
    let stamp = Stamp {
        ns: i64::try_from(ns).ok()?,
        zone: StampZone::Known,
        date: true,
        year: true,
        resolution_ns,
    };
    Some((stamp, end))
}

/// Length of a TAI64N label, bytes.
pub(super) const TAI64N_LEN: usize = 25;

/// TAI64N label of the epoch as libtai 0.60 and its users (daemontools, runit, s6) count it: they add ten seconds, and ignore
/// leap seconds unless a table of them is installed.
const TAI64_EPOCH: u64 = (1 << 62) + 10;

/// Parses a TAI64N label: `@`, sixteen hexadecimal digits of seconds, eight of nanoseconds.
pub(super) fn tai64n(b: &[u8]) -> Option<(Stamp, usize)> {
    let digits = b.get(..TAI64N_LEN)?.strip_prefix(b"@")?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let (seconds, billionths) = std::str::from_utf8(digits).ok()?.split_at_checked(16)?;
    let seconds = u64::from_str_radix(seconds, 16).ok()?;
    let seconds = i64::try_from(seconds.checked_sub(TAI64_EPOCH)?).ok()?;
    let billionths = i64::from_str_radix(billionths, 16).ok()?;
    let is_whole = billionths < NS_PER_SECOND;
    let stamp = Stamp {
        ns: nanos_of(seconds, billionths).filter(|_| is_whole)?,
        zone: StampZone::Known,
        date: true,
        year: true,
        resolution_ns: 1,
    };
    Some((stamp, TAI64N_LEN))
}

/// Whether text starts with nineteen bytes in the form that [`date_time`] parses.
pub(super) fn has_date_time_form(b: &[u8], date_separator: u8, middle: u8) -> bool {
    // A year of five digits.
    let is_long = b.get(5) == Some(&date_separator) && b.first().is_some_and(u8::is_ascii_digit);
    let start = usize::from(is_long);
    b.get(start..start + 19).is_some_and(|b| {
        b.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == date_separator,
            10 => *byte == middle,
            13 | 16 => *byte == b':',
            _ => byte.is_ascii_digit(),
        })
    })
}

/// Parses `YYYY-MM-DD HH:MM:SS` (nineteen bytes) with the given separators within the date and before the time.
#[inline(always)]
pub(super) fn date_time(b: &[u8], date_separator: u8, middle: u8) -> Option<CivilSecond> {
    let b = b.first_chunk::<19>()?;
    if b[4] != date_separator
        || b[7] != date_separator
        || b[10] != middle
        || b[13] != b':'
        || b[16] != b':'
    {
        return None;
    }
    let minute = date_and_minute(b.first_chunk::<16>()?)?;
    let (tens, ones) = (b[17].wrapping_sub(b'0'), b[18].wrapping_sub(b'0'));
    let second = i64::from(tens) * 10 + i64::from(ones);
    if tens > 6 || ones > 9 || second > 60 {
        return None;
    }
    let leap = second == 60;
    Some(CivilSecond {
        seconds: minute + second - i64::from(leap),
        leap,
    })
}

/// Seconds since the epoch of `YYYY?MM?DD?HH?MM`; ignores the separators.
#[inline(always)]
fn date_and_minute(b: &[u8; 16]) -> Option<i64> {
    let [y0, y1, y2, y3, _, m0, m1, _, d0, d1, _, h0, h1, _, i0, i1] = *b;
    let digits = [y0, y1, y2, y3, m0, m1, d0, d1, h0, h1, i0, i1]
        .map(|byte| u32::from(byte.wrapping_sub(b'0')));
    if digits.iter().any(|&d| d > 9) {
        return None;
    }
    let [y0, y1, y2, y3, m0, m1, d0, d1, h0, h1, i0, i1] = digits;
    let year = i64::from(y0 * 1_000 + y1 * 100 + y2 * 10 + y3);
    let (month, day) = (m0 * 10 + m1, d0 * 10 + d1);
    let (hour, minute) = (h0 * 10 + h1, i0 * 10 + i1);
    // All months have days up to 28: this skips the leap year rule in most cases.
    if day == 0
        || month.wrapping_sub(1) > 11
        || (day > 28 && day > days_in_month(year, month))
        || hour > 23
        || minute > 59
    {
        return None;
    }
    Some(days_from_civil(year, month, day) * 86_400 + i64::from(hour * 3_600 + minute * 60))
}

/// Parses ISO 8601 extended format; see [`super::TimePattern::compile`].
#[inline]
pub(super) fn iso(b: &[u8]) -> Option<(Stamp, usize)> {
    let middle = match *b.get(10)? {
        m @ (b'T' | b't' | b' ') => m,
        _ => return None,
    };
    let (civil, mut end, mut resolution_ns) = match date_time(b, b'-', middle) {
        Some(civil) => (civil, 19, NS_PER_SECOND),
        None => (iso_minute(b)?, 16, NS_PER_MINUTE),
    };
    let mut billionths = 0;
    if end == 19
        && matches!(b.get(19), Some(b'.' | b','))
        && let Some(part) = fraction(b, 20)
    {
        billionths = part.billionths;
        resolution_ns = resolution_of(part.digits);
        end = part.end;
    }
    if civil.leap {
        billionths = LEAP_SECOND_BILLIONTHS;
    }
    let mut seconds = civil.seconds;
    let mut zone = StampZone::Local;
    if let Some((offset_s, after)) = offset(b, end) {
        seconds -= offset_s;
        zone = StampZone::Known;
        end = after;
    }
    let stamp = Stamp {
        ns: nanos_of(seconds, i64::from(billionths))?,
        zone,
        date: true,
        year: true,
        resolution_ns,
    };
    Some((stamp, end))
}

/// Parses `YYYY-MM-DDTHH:MM` without seconds; the caller has checked the middle byte.
fn iso_minute(b: &[u8]) -> Option<CivilSecond> {
    let head = b.first_chunk::<16>()?;
    // A colon at this place means that there are seconds, but invalid ones.
    if head[4] != b'-' || head[7] != b'-' || head[13] != b':' || b.get(16) == Some(&b':') {
        return None;
    }
    Some(CivilSecond {
        seconds: date_and_minute(head)?,
        leap: false,
    })
}

/// Minus sign, which ISO 8601 prefers to the hyphen.
const MINUS: &str = "\u{2212}";

/// Parses a zone offset at `at`: `Z`, `+02:00`, `+0200` or `+02`; returns seconds ahead of UTC and the end.
#[inline]
pub(super) fn offset(b: &[u8], at: usize) -> Option<(i64, usize)> {
    let (sign, len) = match b.get(at..)? {
        [b'Z' | b'z', ..] => return Some((0, at + 1)),
        [b'+', ..] => (1, 1),
        [b'-', ..] => (-1, 1),
        text if text.starts_with(MINUS.as_bytes()) => (-1, MINUS.len()),
        _ => return None,
    };
    // Offset of the byte before the digits.
    let at = at + len - 1;
    let two = |i: usize| super::digits::exactly(b, i, 2);
    let hours = two(at + 1).filter(|&h| h < 24)?;
    let colon = usize::from(b.get(at + 3) == Some(&b':'));
    let (minutes, end) = match two(at + 3 + colon) {
        Some(minutes) => (minutes, at + 5 + colon),
        None => (0, at + 3),
    };
    // `+021` and `-12345` are numbers, not offsets.
    if minutes > 59 || b.get(end).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    Some((sign * i64::from(hours * 3_600 + minutes * 60), end))
}
