//! Detection of times with an unknown layout.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use super::digits::{digit, integer};
use super::fixed;
use super::steps::is_date_word;
use super::zone_abbreviation::is_zone;
use super::{Stamp, StampZone, TimePattern};
use crate::time::NS_PER_SECOND;

/// Known layouts. The layout that matches most bytes wins, the first one among equals: ambiguous dates take the more
/// common layout.
const LAYOUTS: [&str; 81] = [
    "%Y-%m-%d %H:%M:%S%.f",
    "iso",
    "tai64n",
    "%Y-%m-%d %H:%M:%S%.f %z",
    "%Y-%m-%d %H:%M:%S%.f %Z",
    "%Y-%m-%d %H:%M:%S:%3f",
    "%Y-%m-%d\t%H:%M:%S%.f",
    "%Y/%m/%d %H:%M:%S%.f %Z",
    "%Y/%m/%d %H:%M:%S%.f",
    "%Y/%m/%d-%H:%M:%S%.f",
    "%Y-%m-%d-%H:%M:%S%.f",
    "%Y-%m-%d_%H:%M:%S%.f",
    "%Y-%m-%d_%H:%M:%S%.f%z",
    "%Y/%m/%d-%H.%M.%S%.f",
    "%Y-%m-%d-%H.%M.%S%.f",
    "%Y.%m.%d %H:%M:%S%.f",
    "%Y:%m:%d %H:%M:%S%.f",
    "%Y%m%d %H:%M:%S%.f",
    "%Y%m%d%H%M%S%.f",
    "%Y%m%d%H%M%S%3f",
    "%Y%m%d-%H:%M:%S%.f",
    "%Y%m%d_%H:%M:%S%.f",
    "%Y%m%d-%-H:%-M:%-S:%f",
    "%Y%m%d-%H%M%S%.f",
    "%Y%m%d_%H%M%S%.f",
    "%Y%m%dT%H%M%S%.f",
    "%Y%m%dT%H%M%S%.f%z",
    "%y%m%d %H:%M:%S%.f",
    "%y%m%d %H%M%S",
    "%d/%b/%Y:%H:%M:%S %z",
    "%d/%b/%Y:%H:%M:%S%.f",
    "%d/%b/%Y %H:%M:%S%.f",
    "%d-%b-%Y %H:%M:%S%.f",
    "%e-%b-%Y::%H:%M:%S%.f",
    "%e %b %Y %H:%M:%S%.f",
    "%e %b %Y %H:%M:%S%.f %z",
    "%d.%m.%Y %H:%M:%S%.f",
    "%b %e %H:%M:%S%.f",
    "%b %e %H:%M:%S%.f %Y",
    "%b %e %Y %H:%M:%S%.f",
    "%b %e, %Y %H:%M:%S%.f",
    "%b %e, %Y %l:%M:%S %p",
    "%b-%d %H:%M:%S%.f",
    "%e %b %H:%M:%S%.f",
    "%a %b %e %H:%M:%S%.f",
    "%a %b %e %H:%M:%S%.f %Y",
    "%a %b %e %H:%M:%S%.f %Y %z",
    "%a %b %e %H:%M:%S %Z %Y",
    "%a %b %e %I:%M:%S %p %Z %Y",
    "%a %e %b %Y %H:%M:%S %Z",
    "%a %e %b %Y %I:%M:%S %p %Z",
    "%a, %e %b %Y %H:%M:%S %z",
    "%a, %e %b %Y %H:%M:%S %Z",
    "%m/%d/%Y %H:%M:%S%.f",
    "%m/%d/%Y %l:%M:%S %p",
    "%m/%d/%Y\t%H:%M:%S%.f",
    "%m/%d/%Y\t%l:%M:%S %p",
    "%-m/%-d/%Y %H:%M:%S%.f",
    "%-m/%-d/%Y %l:%M:%S %p",
    "%-m/%-d/%Y\t%l:%M:%S %p",
    "%-d.%-m.%Y %H:%M:%S%.f",
    "%m/%d/%y %H:%M:%S%.f",
    "%y/%m/%d %H:%M:%S%.f",
    "%d/%m/%Y %H:%M:%S%.f",
    "%d-%m-%Y %H:%M:%S%.f",
    "%m-%d-%Y %H:%M:%S%.f",
    "%m-%d %H:%M:%S%.f",
    "%m/%d %H:%M:%S%.f",
    "%m/%d-%H:%M:%S%.f",
    "%m-%d|%H:%M:%S%.f",
    "%Y_%m_%d %H:%M:%S%.f",
    "%Y%m%dT%H%M%S%3f",
    "%-m/%-d/%Y %l:%M %p",
    "%-m/%-d/%Y %H:%M",
    "%-d.%-m.%Y %H:%M",
    "%e. %b %H:%M:%S %Z %Y",
    "%e. %b %H:%M:%S %Y",
    "%m.%d %H:%M:%S%.f",
    "%l:%M:%S %p",
    "%l:%M%p",
    "%H:%M:%S%.f",
];

static PATTERNS: LazyLock<Vec<TimePattern>> = LazyLock::new(|| compiled(&LAYOUTS));

/// Layouts of digits only, which any number of 14 or 17 digits matches.
const DIGITS_ONLY: [&str; 2] = ["%Y%m%d%H%M%S%.f", "%Y%m%d%H%M%S%3f"];

/// Zone suffixes after a date and time: an offset or an abbreviation, optionally in brackets.
const ZONES: [&str; 14] = [
    "[%Z]", "%z", " %z", ",%z", "|%z", " | %z", " %Z", "%Z", " [%Z]", " [%z]", " (%Z)", " (%z)",
    " <%Z>", ", %Z",
];

/// Halves of the day after a time.
const HALVES: [&str; 2] = [" %p", "%p"];

/// For each of [`LAYOUTS`] with a date and without a zone: the layout followed by each of [`ZONES`] or [`HALVES`].
static ZONED: LazyLock<Vec<Vec<TimePattern>>> = LazyLock::new(|| {
    let zoned = |layout: &&str| {
        let layout = as_layout(layout);
        let is_whole = layout.contains("%d") || layout.contains("%e") || layout.contains("%-d");
        let specs = ZONES.iter().map(|zone| format!("{layout}{zone}"));
        let halves = HALVES.iter().filter(|_| layout.contains("%H:%M:%S"));
        let of_12_hours = layout.replace("%H", "%l");
        let specs = specs.chain(halves.map(|half| format!("{of_12_hours}{half}")));
        let patterns = specs.filter_map(|spec| TimePattern::compile(&spec).ok());
        match is_whole && !layout.contains("%z") && !layout.contains("%Z") {
            true => patterns.collect(),
            false => Vec::new(),
        }
    };
    LAYOUTS.iter().map(zoned).collect()
});

/// Epoch patterns with the nanoseconds of their unit.
static EPOCHS: LazyLock<Vec<(u64, TimePattern)>> = LazyLock::new(|| {
    let units = [NS_PER_SECOND as u64, 1_000_000, 1_000, 1];
    let patterns = compiled(&["epoch", "epoch_ms", "epoch_us", "epoch_ns"]);
    units.into_iter().zip(patterns).collect()
});

fn compiled(specs: &[&str]) -> Vec<TimePattern> {
    specs
        .iter()
        .filter_map(|spec| TimePattern::compile(spec).ok())
        .collect()
}

/// Seconds from 2000-01-01 to 2100-01-01: numbers within this range are taken as epochs.
const PLAUSIBLE_SECONDS: std::ops::Range<u64> = 946_684_800..4_102_444_800;

/// Whether a bare number is plausible as a time of a log: between 2000 and 2100.
#[must_use]
pub fn is_plausible(stamp: &Stamp) -> bool {
    let seconds = u64::try_from(stamp.ns / NS_PER_SECOND);
    seconds.is_ok_and(|seconds| PLAUSIBLE_SECONDS.contains(&seconds))
}

/// Bytes that may precede a time, and their maximum number.
const OPENING: &[u8] = b" \t[(<\"'*";
const OPENING_MAX: usize = 32;

/// Detects a time of any known layout at the start of a line, after blanks, opening brackets or quotes. Returns the
/// layout, the time, its start and its end in bytes.
#[must_use]
pub fn detect_leading(b: &[u8]) -> Option<(&'static TimePattern, Stamp, usize, usize)> {
    let start = b
        .iter()
        .take(OPENING_MAX)
        .take_while(|c| OPENING.contains(c))
        .count();
    let (pattern, stamp, len) = at_start(b.get(start..)?)?;
    Some((pattern, stamp, start, start + len))
}

/// Parses a time of any known layout that is the whole of a text, such as the field of a record.
#[must_use]
pub fn parse_whole(text: &[u8]) -> Option<Stamp> {
    // Nearly all are in ISO 8601 or epochs, for which no layout has to be searched.
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let known = match digits {
        4 => fixed::iso(text),
        10 | 13 | 16 | 19 => epoch(text).map(|(_, stamp, len)| (stamp, len)),
        _ => None,
    };
    let known = known.filter(|(_, len)| *len == text.len());
    let searched = || {
        let (_, stamp, start, end) = detect_leading(text)?;
        (start == 0 && end == text.len()).then_some(stamp)
    };
    known.map(|(stamp, _)| stamp).or_else(searched)
}

/// Bytes after which a time may start within a line.
const BEFORE: &[u8] = b" \t[({<|,;:=\"'#";

/// Letters of levels that stand right before the digits of a date: `I20261121 10:00:00`.
const LEVEL_LETTERS: &[u8] = b"DEFITVW";

/// Number of leading bytes of a line in which a time is searched.
const WITHIN_MAX: usize = 120;

/// Detects the first time within a line, after a blank or a delimiter; returns the same values as [`detect_leading`].
#[must_use]
pub fn detect_within(b: &[u8]) -> Option<(&'static TimePattern, Stamp, usize, usize)> {
    let head = b.get(..WITHIN_MAX).unwrap_or(b);
    let starts = (1..).zip(head.windows(2)).filter(|(at, pair)| match pair {
        [before, first] if BEFORE.contains(before) => first.is_ascii_alphanumeric(),
        [letter, first] if LEVEL_LETTERS.contains(letter) && first.is_ascii_digit() => {
            let before = head.get(..at - 1).and_then(<[u8]>::last);
            before.is_none_or(|before| BEFORE.contains(before))
        }
        _ => false,
    });
    let mut found = starts.filter_map(|(at, _)| Some((at, at_start(b.get(at..)?)?)));
    // A bare time of day needs stricter evidence: after a colon or comma three numbers with colons may be anything, and
    // after a date of unknown layout the time would be incomplete.
    let is_alone = |before: &[u8]| {
        let last = before.last();
        last.is_some_and(|last| b" \t[(|".contains(last)) && !has_date(before)
    };
    let (start, (pattern, stamp, len)) =
        found.find(|(at, (_, stamp, _))| stamp.date || b.get(..*at).is_some_and(is_alone))?;
    Some((pattern, stamp, start, start + len))
}

/// True if a clock follows the blank or sign at `at`.
fn has_clock(text: &[u8], at: usize) -> bool {
    let rest = text.get(at + 1..).unwrap_or_default();
    let clocks = CLOCK_PATTERNS.iter();
    clocks
        .filter(|clock| !clock.quick_reject(rest))
        .any(|clock| clock.parse_prefix(rest).is_some())
}

/// True if a text contains three numbers with the same delimiter between them, like a date, or a name of a month or weekday
/// and a number.
fn has_date(text: &[u8]) -> bool {
    let mut names = text.split(|b| !b.is_ascii_alphabetic());
    if text.iter().any(u8::is_ascii_digit) && names.any(is_date_word) {
        return true;
    }
    let words = text.split(|b| !b.is_ascii_digit() && !matches!(b, b'/' | b'-' | b'.'));
    words.into_iter().any(|word| {
        [b'/', b'-', b'.'].iter().any(|delimiter| {
            let mut parts = word.split(|b| b == delimiter);
            let is_number =
                |p: &[u8]| (1..=4).contains(&p.len()) && p.iter().all(u8::is_ascii_digit);
            // `3.2.1` is a version.
            let has_year = *delimiter != b'.' || parts.clone().any(|p| p.len() == 4);
            parts.clone().count() == 3 && has_year && parts.all(is_number)
        })
    })
}

/// Dates, text between date and clock, and clocks whose combinations are tried where [`LAYOUTS`] has no longer one. The
/// longest combination wins, the first one among equals.
const DATES: [&str; 38] = [
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%Y:%m:%d",
    "%Y%m%d",
    "%y%m%d",
    "%y-%m-%d",
    "%d/%b/%Y",
    "%d-%b-%Y",
    "%d-%b-%y",
    "%d.%b.%Y",
    "%e %b %Y",
    "%d.%m.%Y",
    "%-d.%-m.%Y",
    "%b %e, %Y",
    "%b %e %Y",
    "%m/%d/%Y",
    "%-m/%-d/%Y",
    "%m/%d/%y",
    "%-m/%-d/%y",
    "%d/%m/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%a %b %e %Y",
    "%a, %e %b %Y",
    "%a %e %b %Y",
    "%A, %d-%b-%y",
    "%Y年%-m月%-d日",
    "%Y-%j",
    "%Y-%b-%d",
    "%Y %b %e",
    "%d.%m.%y",
    "%-d.%-m.%y",
    "%Y_%m_%d",
    "%d%b%Y",
    "%b-%d-%Y",
    "%e. %b %Y",
    "%A, %b %e, %Y",
];
const JOINTS: [&str; 15] = [
    " ", "T", "-", "_", "\t", ":", ", ", "  ", "/", " - ", " @ ", " at ", "|", ",", ";",
];
/// Dates after a clock: those that are no number, and text between the clock and them.
const REVERSE_DATES: [&str; 11] = [
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%d/%b/%Y",
    "%d-%b-%Y",
    "%e %b %Y",
    "%d.%m.%Y",
    "%b %e, %Y",
    "%b %e %Y",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%d-%m-%Y",
];
const REVERSE_JOINTS: [&str; 3] = [" ", ", ", " on "];
const CLOCKS: [&str; 15] = [
    "%H:%M:%S%.f",
    "%H:%M:%S:%3f",
    "%-H:%M:%S%.f",
    "%k:%M:%S%.f",
    "%-H:%M:%S:%3f",
    "%H.%M.%S%.f",
    "%H.%M.%S:%3f",
    "%H-%M-%S%.f",
    "%H%M%S%.f",
    "%l:%M:%S%.f %p",
    "%l:%M:%S%.f%p",
    "%p%l:%M:%S%.f",
    "%p %l:%M:%S%.f",
    "%-H時%-M分%-S秒",
    "%Hh%Mm%Ss",
];

static DATE_PATTERNS: LazyLock<Vec<TimePattern>> = LazyLock::new(|| compiled(&DATES));
static REVERSE_DATE_PATTERNS: LazyLock<Vec<TimePattern>> =
    LazyLock::new(|| compiled(&REVERSE_DATES));
static CLOCK_PATTERNS: LazyLock<Vec<TimePattern>> = LazyLock::new(|| compiled(&CLOCKS));

/// Combinations that occurred. Their number is bounded by that of all combinations.
static COMBINED: LazyLock<Mutex<HashMap<String, Option<&'static TimePattern>>>> =
    LazyLock::new(Mutex::default);

/// Pattern of a layout that is kept for the whole run of the program.
fn combined(spec: String) -> Option<&'static TimePattern> {
    let mut all = COMBINED.lock().unwrap_or_else(PoisonError::into_inner);
    *all.entry(spec).or_insert_with_key(|spec| {
        let pattern = TimePattern::compile(spec).ok()?;
        Some(Box::leak(Box::new(pattern)))
    })
}

/// Layout and length of a text at its start.
type Found = (String, usize);

/// Longest pair of layouts, with a joint between them, at the start of a text that is longer than `least` bytes.
fn pair(
    text: &[u8],
    (firsts, joints, seconds): (&[TimePattern], &[&str], &[TimePattern]),
    least: usize,
) -> Option<Found> {
    let mut best: Option<Found> = None;
    for first in firsts.iter().filter(|first| !first.quick_reject(text)) {
        let Some((_, first_len)) = first.parse_prefix(text) else {
            continue;
        };
        for joint in joints {
            let after = text.get(first_len..);
            let Some(rest) = after.and_then(|after| after.strip_prefix(joint.as_bytes())) else {
                continue;
            };
            for second in seconds.iter().filter(|second| !second.quick_reject(rest)) {
                let len = second
                    .parse_prefix(rest)
                    .map_or(0, |(_, len)| first_len + joint.len() + len);
                if len > best.as_ref().map_or(least, |(_, longest)| *longest) {
                    best = Some((format!("{}{joint}{}", first.spec(), second.spec()), len));
                }
            }
        }
    }
    best
}

/// Longest combination of a date and a clock at the start of a text that is longer than `least` bytes.
fn combination(text: &[u8], least: usize) -> Option<(&'static TimePattern, Stamp, usize)> {
    let (dates, clocks) = (&*DATE_PATTERNS, &*CLOCK_PATTERNS);
    let reverse_dates = &*REVERSE_DATE_PATTERNS;
    let best = pair(text, (dates, &JOINTS, clocks), least);
    // The date of a clock before the time of the program's own record belongs to that time.
    let is_alone = |(_, len): &Found| !has_clock(text, *len);
    let reverse = || pair(text, (clocks, &REVERSE_JOINTS, reverse_dates), least).filter(is_alone);
    let (spec, len) = best.or_else(reverse)?;
    let zones = ZONES.iter().filter(|_| may_begin_zone(text.get(len)));
    let specs = zones
        .map(|zone| format!("{spec}{zone}"))
        .chain([spec.clone()]);
    specs.filter_map(combined).find_map(|pattern| {
        let (stamp, end) = pattern.parse_prefix(text)?;
        let is_one = is_time_end(text, end, &stamp) && is_zone_known(pattern, text, end);
        (is_one && is_plausible(&stamp)).then_some((pattern, stamp, end))
    })
}

/// Time at the very start of a text, with its layout and its length in bytes.
fn at_start(text: &[u8]) -> Option<(&'static TimePattern, Stamp, usize)> {
    // Times start with a digit, the letters of a month or weekday, or the sign of a label; this rejects most continuation
    // lines.
    let first = *text.first()?;
    if !first.is_ascii_alphanumeric() && first < 0x80 && first != b'@' {
        return None;
    }
    match first.is_ascii_uppercase() {
        true => behind_zone(text).or_else(|| bare_at_start(text)),
        false => bare_at_start(text),
    }
}

/// Date and time at the start of a text behind a zone: `CET] 2026-11-21 01:43:31`.
fn behind_zone(text: &[u8]) -> Option<(&'static TimePattern, Stamp, usize)> {
    let is_part =
        |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'_' | b'+' | b'-' | b':');
    let zone = text.get(..text.iter().take_while(is_part).count())?;
    let zone = zone.strip_suffix(b":").unwrap_or(zone);
    let delimiters = [&b" "[..], b"] ", b") ", b": ", b"] [", b"]: ", b"]"];
    let rest = text.get(zone.len()..)?;
    let delimiters = delimiters.iter().filter(|d| rest.starts_with(d));
    let delimiter = delimiters.max_by_key(|d| d.len())?;
    if !is_zone(zone) {
        return None;
    }
    let (inner, stamp, _) = bare_at_start(rest.strip_prefix(*delimiter)?)?;
    if stamp.zone != StampZone::Local || !stamp.date {
        return None;
    }
    let pattern = combined(format!(
        "%Z{}{}",
        String::from_utf8_lossy(delimiter),
        as_layout(inner.spec())
    ))?;
    let (stamp, len) = pattern.parse_prefix(text)?;
    is_time_end(text, len, &stamp).then_some((pattern, stamp, len))
}

/// Layout that a zone can precede or follow.
fn as_layout(spec: &str) -> &str {
    match spec {
        "iso" => "%Y-%m-%dT%H:%M:%S%.f",
        layout => layout,
    }
}

/// Time at the start of a text that no zone precedes.
fn bare_at_start(text: &[u8]) -> Option<(&'static TimePattern, Stamp, usize)> {
    let mut best: Option<(usize, &'static TimePattern, Stamp, usize)> = None;
    for (at, pattern) in PATTERNS.iter().enumerate() {
        if pattern.quick_reject(text) {
            continue;
        }
        if let Some((stamp, len)) = pattern.parse_prefix(text)
            && (is_time_end(text, len, &stamp) || text.get(len).is_some_and(u8::is_ascii_uppercase))
            && is_zone_known(pattern, text, len)
            && !begins_date(pattern, text, len)
            && (!DIGITS_ONLY.contains(&pattern.spec()) || is_plausible(&stamp))
            && best.is_none_or(|(.., longest)| len > longest)
        {
            best = Some((at, pattern, stamp, len));
        }
    }
    let best = best.and_then(|(at, pattern, stamp, len)| {
        // Zones are tried only after a match without zone: most times have none.
        let zoned = ZONED.get(at).filter(|_| stamp.zone == StampZone::Local);
        let zoned = zoned.and_then(|all| with_zone(all, text, len));
        let bare = || is_time_end(text, len, &stamp).then_some((pattern, stamp, len));
        zoned.or_else(bare)
    });
    let least = best.map_or(0, |(.., len)| len);
    combination(text, least).or(best).or_else(|| epoch(text))
}

/// True if a byte can be the first of one of [`ZONES`] or [`HALVES`]; 0xe2 is the first of a minus sign.
fn may_begin_zone(byte: Option<&u8>) -> bool {
    matches!(
        byte,
        Some(b'+' | b'-' | b' ' | b',' | b'|' | b'[' | b'A'..=b'Z' | 0xe2)
    )
}

/// Time at the start of a text with the zone after its first `len` bytes, by one of the layouts `zoned`.
fn with_zone(
    zoned: &'static [TimePattern],
    text: &[u8],
    len: usize,
) -> Option<(&'static TimePattern, Stamp, usize)> {
    if !may_begin_zone(text.get(len)) {
        return None;
    }
    zoned.iter().find_map(|pattern| {
        let (stamp, end) = pattern.parse_prefix(text)?;
        let is_one = is_time_end(text, end, &stamp) && is_zone_known(pattern, text, end);
        is_one.then_some((pattern, stamp, end))
    })
}

/// True if the word at the end of a time, which is at `len`, is a zone name; the layout alone would accept any word.
fn is_zone_known(pattern: &TimePattern, text: &[u8], len: usize) -> bool {
    let spec = pattern.spec();
    let time = text.get(..len).unwrap_or(text);
    let word = time.rsplit(|b| matches!(b, b' ' | b'[' | b'(' | b'<'));
    let word = word.into_iter().next().unwrap_or_default();
    let end = word.iter().rposition(|b| !matches!(b, b']' | b')' | b'>'));
    // Behind a clock: `10:00:00UTC`.
    let start = word.iter().position(|b| b.is_ascii_alphabetic());
    let name = word.get(start.unwrap_or(0)..end.map_or(0, |end| end + 1));
    let name = name.unwrap_or_default();
    // A letter alone may also be a word of the message, but for the letter of UTC.
    !spec.trim_end_matches([']', ')', '>']).ends_with("%Z") || is_zone(name) || name == b"Z"
}

/// True if the year at the end of a time, which is at `len`, is that of a date: `Feb 15 10:00:00 2023-02-15`.
fn begins_date(pattern: &TimePattern, text: &[u8], len: usize) -> bool {
    pattern.spec().ends_with("%Y")
        && matches!(text.get(len..), Some([b'-' | b'/', b'0'..=b'9', ..]))
}

/// Whether a time may end at `len`: not within a longer word, number or sequence of numbers.
fn is_time_end(text: &[u8], len: usize, stamp: &Stamp) -> bool {
    let next_is_digit = || digit(text, len + 1).is_some();
    match text.get(len) {
        None => true,
        Some(c) if c.is_ascii_alphanumeric() || *c == b'_' => false,
        Some(b'.' | b',') => !next_is_digit(),
        // `12:34:56:78` may be a MAC address; after a full date it is not.
        Some(b':') => stamp.date || !next_is_digit(),
        _ => true,
    }
}

fn epoch(text: &[u8]) -> Option<(&'static TimePattern, Stamp, usize)> {
    let (number, _) = integer(text, 0)?;
    EPOCHS.iter().find_map(|(unit_ns, pattern)| {
        let seconds = number / (NS_PER_SECOND as u64 / unit_ns);
        if !PLAUSIBLE_SECONDS.contains(&seconds) {
            return None;
        }
        let (stamp, len) = pattern.parse_prefix(text)?;
        let alone = is_time_end(text, len, &stamp)
            && !matches!(text.get(len), Some(b'-' | b'/' | b'%' | b'='));
        alone.then_some((pattern, stamp, len))
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn guess(b: &[u8]) -> Option<(TimePattern, usize, usize)> {
        detect_leading(b).map(|(pattern, _, start, end)| (pattern.clone(), start, end))
    }

    fn guessed(line: &str) -> Option<(String, &str)> {
        let (pattern, start, end) = guess(line.as_bytes())?;
        Some((pattern.spec().to_owned(), &line[start..end]))
    }

    #[test]
    fn every_layout_of_the_list_compiles() {
        assert_eq!(PATTERNS.len(), LAYOUTS.len());
        assert_eq!(EPOCHS.len(), 4);
    }

    #[test]
    fn times_of_real_logs_are_found() {
        for (line, spec, time) in [
            (
                "2026-11-21 01:43:31,123 INFO x",
                "%Y-%m-%d %H:%M:%S%.f",
                "2026-11-21 01:43:31,123",
            ),
            (
                "2026-11-21 01:43:31.123 | 77 | INFO",
                "%Y-%m-%d %H:%M:%S%.f",
                "2026-11-21 01:43:31.123",
            ),
            (
                "2026-11-21 01:43:31: x",
                "%Y-%m-%d %H:%M:%S%.f",
                "2026-11-21 01:43:31",
            ),
            (
                "2026-11-21 01:43:31:123 x",
                "%Y-%m-%d %H:%M:%S:%3f",
                "2026-11-21 01:43:31:123",
            ),
            (
                "[2026-11-21T01:43:31.5Z] x",
                "iso",
                "2026-11-21T01:43:31.5Z",
            ),
            (
                "2026-11-21T01:43:31+0200 x",
                "iso",
                "2026-11-21T01:43:31+0200",
            ),
            (
                "2026-11-21 01:43:31+02:00",
                "iso",
                "2026-11-21 01:43:31+02:00",
            ),
            (
                "2026-11-21 01:43:31 +0200 x",
                "%Y-%m-%d %H:%M:%S%.f %z",
                "2026-11-21 01:43:31 +0200",
            ),
            (
                "  2026/11/21 01:43:31 x",
                "%Y/%m/%d %H:%M:%S%.f",
                "2026/11/21 01:43:31",
            ),
            (
                "[21/Nov/2026:01:43:31 +0000] \"GET",
                "%d/%b/%Y:%H:%M:%S %z",
                "21/Nov/2026:01:43:31 +0000",
            ),
            (
                "Apr  5 14:17:49 host x[1]: y",
                "%b %e %H:%M:%S%.f",
                "Apr  5 14:17:49",
            ),
            (
                "Apr-05 14:17:49.123 [main] x",
                "%b-%d %H:%M:%S%.f",
                "Apr-05 14:17:49.123",
            ),
            (
                "Apr 15 2026 14:17:49 x",
                "%b %e %Y %H:%M:%S%.f",
                "Apr 15 2026 14:17:49",
            ),
            (
                "Sat Nov 21 03:46:58 2026 x",
                "%a %b %e %H:%M:%S%.f %Y",
                "Sat Nov 21 03:46:58 2026",
            ),
            (
                "Sat Nov 21 03:46:58 UTC 2026",
                "%a %b %e %H:%M:%S %Z %Y",
                "Sat Nov 21 03:46:58 UTC 2026",
            ),
            (
                "21 Nov 2026 03:46:58.123 x",
                "%e %b %Y %H:%M:%S%.f",
                "21 Nov 2026 03:46:58.123",
            ),
            (
                "04/10/2024 06:51:52 PM Note",
                "%m/%d/%Y %l:%M:%S %p",
                "04/10/2024 06:51:52 PM",
            ),
            (
                "11/21/26 03:46:58 x",
                "%m/%d/%y %H:%M:%S%.f",
                "11/21/26 03:46:58",
            ),
            (
                "17/06/09 20:10:40 INFO",
                "%y/%m/%d %H:%M:%S%.f",
                "17/06/09 20:10:40",
            ),
            (
                "3/14/2026 9:26:53 AM x",
                "%-m/%-d/%Y %l:%M:%S %p",
                "3/14/2026 9:26:53 AM",
            ),
            (
                "9/27/2013\t2:42:26 PM\tx",
                "%-m/%-d/%Y\t%l:%M:%S %p",
                "9/27/2013\t2:42:26 PM",
            ),
            (
                "2026-03-14_09:29:59.204+0100: x",
                "%Y-%m-%d_%H:%M:%S%.f%z",
                "2026-03-14_09:29:59.204+0100",
            ),
            (
                "2020-06-15 10:31:29.537 PDT [7] x",
                "%Y-%m-%d %H:%M:%S%.f %Z",
                "2020-06-15 10:31:29.537 PDT",
            ),
            (
                "2020-06-15 10:31:29.537 LOST x",
                "%Y-%m-%d %H:%M:%S%.f",
                "2020-06-15 10:31:29.537",
            ),
            (
                "08-25-2013 21:22:28.999 x",
                "%m-%d-%Y %H:%M:%S%.f",
                "08-25-2013 21:22:28.999",
            ),
            (
                "7/16/2021 11:46:59 AM-0600 INFO x",
                "%-m/%-d/%Y %l:%M:%S %p%z",
                "7/16/2021 11:46:59 AM-0600",
            ),
            (
                "2024.02.19 14:25:50.201 EST: [INFO] x",
                "%Y.%m.%d %H:%M:%S%.f %Z",
                "2024.02.19 14:25:50.201 EST",
            ),
            (
                "2024-02-19T14:25:50 [UTC+1] INFO a",
                "%Y-%m-%dT%H:%M:%S%.f [%Z]",
                "2024-02-19T14:25:50 [UTC+1]",
            ),
            (
                "2024-02-19 14:25:50 GMT+01:00 INFO b",
                "%Y-%m-%d %H:%M:%S%.f %Z",
                "2024-02-19 14:25:50 GMT+01:00",
            ),
            (
                "19/Feb/2024 14:25:50 -05:00 x",
                "%d/%b/%Y %H:%M:%S%.f %z",
                "19/Feb/2024 14:25:50 -05:00",
            ),
            (
                "2014:09:04 08:17:16 pilot x",
                "%Y:%m:%d %H:%M:%S%.f",
                "2014:09:04 08:17:16",
            ),
            (
                "ene-15 10:00:00.123 [main] x",
                "%b-%d %H:%M:%S%.f",
                "ene-15 10:00:00.123",
            ),
            (
                "f\u{e9}vr.-15 10:00:00.123 [main] x",
                "%b-%d %H:%M:%S%.f",
                "f\u{e9}vr.-15 10:00:00.123",
            ),
            (
                "20000330112320.957943 x",
                "%Y%m%d%H%M%S%.f",
                "20000330112320.957943",
            ),
            ("(03:46:58.123) x", "%H:%M:%S%.f", "03:46:58.123"),
            (
                "2023-02-15 10:00:00.123 Z INFO x",
                "%Y-%m-%d %H:%M:%S%.f %z",
                "2023-02-15 10:00:00.123 Z",
            ),
            (
                "2023-02-15 10:00:00.123UTC INFO x",
                "%Y-%m-%d %H:%M:%S%.f%Z",
                "2023-02-15 10:00:00.123UTC",
            ),
            (
                "2023-02-15 10:00:00 (+0100) INFO x",
                "%Y-%m-%d %H:%M:%S%.f (%z)",
                "2023-02-15 10:00:00 (+0100)",
            ),
            (
                "2026-03-25 03:11:12.345 p.m. x",
                "%Y-%m-%d %l:%M:%S%.f %p",
                "2026-03-25 03:11:12.345 p.m.",
            ),
            (
                "Mar 25 03:11:12PM x",
                "%b %e %l:%M:%S%.f%p",
                "Mar 25 03:11:12PM",
            ),
            (
                "2026-03-25T03:11:12\u{2212}03:00 x",
                "iso",
                "2026-03-25T03:11:12\u{2212}03:00",
            ),
            (
                "2/15/2023, 1:00:00\u{202f}PM INFO x",
                "%-m/%-d/%Y, %l:%M:%S%.f %p",
                "2/15/2023, 1:00:00\u{202f}PM",
            ),
            (
                "2023-02-15\u{a0}10:00:00,123 INFO x",
                "%Y-%m-%d %H:%M:%S%.f",
                "2023-02-15\u{a0}10:00:00,123",
            ),
            (
                "[CET] 2023-02-15 10:00:00 INFO x",
                "%Z] %Y-%m-%d %H:%M:%S%.f",
                "CET] 2023-02-15 10:00:00",
            ),
            (
                "\u{4e94}\u{6708} 21, 2022 7:14:08 \u{4e0b}\u{5348} x",
                "%b %e, %Y %l:%M:%S %p",
                "\u{4e94}\u{6708} 21, 2022 7:14:08 \u{4e0b}\u{5348}",
            ),
            (
                "d\u{e9}c. 09, 2023 12:01:02 AM x",
                "%b %e, %Y %l:%M:%S %p",
                "d\u{e9}c. 09, 2023 12:01:02 AM",
            ),
            (
                "\u{44f}\u{43d}\u{432} 07 10:00:00 host x",
                "%b %e %H:%M:%S%.f",
                "\u{44f}\u{43d}\u{432} 07 10:00:00",
            ),
            (
                "2\u{6708} 15 10:00:00 host x",
                "%b %e %H:%M:%S%.f",
                "2\u{6708} 15 10:00:00",
            ),
            (
                "M\u{e4}r  5 10:00:00 host x",
                "%b %e %H:%M:%S%.f",
                "M\u{e4}r  5 10:00:00",
            ),
            (
                "10:00:01.456 15/Feb/2023 INFO x",
                "%H:%M:%S%.f %d/%b/%Y",
                "10:00:01.456 15/Feb/2023",
            ),
            (
                "Feb 15 10:00:00 2023-02-15 10:00:00,123 x",
                "%b %e %H:%M:%S%.f",
                "Feb 15 10:00:00",
            ),
            (
                "10:00:01 2023-02-15 10:00:01,456 INFO x",
                "%H:%M:%S%.f",
                "10:00:01",
            ),
            (
                "Wednesday, February 15, 2023 10:00:01 AM x",
                "%A, %b %e, %Y %l:%M:%S%.f %p",
                "Wednesday, February 15, 2023 10:00:01 AM",
            ),
            (
                "15 f\u{e9}vrier 2023 at 10:00:01 x",
                "%e %b %Y at %H:%M:%S%.f",
                "15 f\u{e9}vrier 2023 at 10:00:01",
            ),
            (
                "2023 Feb 15 10:00:01 x",
                "%Y %b %e %H:%M:%S%.f",
                "2023 Feb 15 10:00:01",
            ),
            (
                "2023-046T10:00:01 x",
                "%Y-%jT%H:%M:%S%.f",
                "2023-046T10:00:01",
            ),
            (
                "20230215100001456 x",
                "%Y%m%d%H%M%S%3f",
                "20230215100001456",
            ),
            (
                "@4000000063ecad2a075bcd15 x",
                "tai64n",
                "@4000000063ecad2a075bcd15",
            ),
            (
                "[2023.02.15-10.00.00:123] x",
                "%Y.%m.%d-%H.%M.%S:%3f",
                "2023.02.15-10.00.00:123",
            ),
            (
                "2/15/23 9:00:00:123 CET x",
                "%-m/%-d/%y %-H:%M:%S:%3f %Z",
                "2/15/23 9:00:00:123 CET",
            ),
            (
                "Wednesday, 15-Feb-23 10:00:00 GMT x",
                "%A, %d-%b-%y %H:%M:%S%.f %Z",
                "Wednesday, 15-Feb-23 10:00:00 GMT",
            ),
            (
                "02/15-10:00:00.123456  [**] x",
                "%m/%d-%H:%M:%S%.f",
                "02/15-10:00:00.123456",
            ),
            (
                "15.2.23 10:00:00 x",
                "%-d.%-m.%y %H:%M:%S%.f",
                "15.2.23 10:00:00",
            ),
            (
                "2023_02_15 10:00:00 x",
                "%Y_%m_%d %H:%M:%S%.f",
                "2023_02_15 10:00:00",
            ),
            (
                "2023-02-15T10:00:00.123[Europe/Berlin] x",
                "%Y-%m-%dT%H:%M:%S%.f[%Z]",
                "2023-02-15T10:00:00.123[Europe/Berlin]",
            ),
            (
                "2/15/2023 10:00 AM x",
                "%-m/%-d/%Y %l:%M %p",
                "2/15/2023 10:00 AM",
            ),
            (
                "2023年2月15日 10時00分01秒 x",
                "%Y年%-m月%-d日 %-H時%-M分%-S秒",
                "2023年2月15日 10時00分01秒",
            ),
            ("1795225387.115450 2026-11-21", "epoch", "1795225387.115450"),
            ("1795225387 x", "epoch", "1795225387"),
            ("1795225387115 x", "epoch_ms", "1795225387115"),
            ("1795225387115450\t1", "epoch_us", "1795225387115450"),
            ("1795225387115450123", "epoch_ns", "1795225387115450123"),
        ] {
            assert_eq!(guessed(line), Some((spec.to_owned(), time)), "{line}");
        }
    }

    #[test]
    fn a_clock_behind_a_date_that_nobody_knows_is_no_time_alone() {
        let amid = |line: &str| detect_within(line.as_bytes()).map(|found| found.0.spec());
        assert_eq!(amid("node7 09:26:53 x"), Some("%H:%M:%S%.f"));
        assert_eq!(amid("10.0.0.7 09:26:53 x"), Some("%H:%M:%S%.f"));
        assert_eq!(amid("x 2026/3-14 09:26:53 x"), Some("%H:%M:%S%.f"));
        assert_eq!(amid("x 14-3-26 09:26:53 x"), None);
        assert_eq!(amid("x 15th of March 09:26:53 x"), None);
    }

    #[test]
    fn numbers_and_words_are_not_times() {
        for line in [
            "",
            "12345",
            "1795225387x",
            "17952253871",
            "3.14159",
            "hello",
            "Marvin 12 went",
            "00:1a:2b:3c:4d:5e",
            "12:34:56:78",
            "2026-02-30 10:00:00",
            "1795225387-1",
            "1.2.3.4",
            "    at foo.bar(1)",
            "Traceback",
            "99999999999999999999999999",
            "0",
            "10:20:30.1.2",
            "[",
            "\u{e9}",
        ] {
            assert_eq!(guessed(line), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn what_is_guessed_can_be_read(b in prop::collection::vec(prop::sample::select(b" [(0123456789:-/.,TZ+AprNov".to_vec()), 0..40)) {
            if let Some((pattern, start, end)) = guess(&b) {
                prop_assert!(!pattern.quick_reject(&b[start..]));
                prop_assert_eq!(pattern.parse_prefix(&b[start..]).unwrap().1, end - start);
            }
        }

        #[test]
        fn whole_times_are_those_that_a_search_finds(b in "[0-9]{4}[-/][01][0-9]-[0-3][0-9][ T][0-2][0-9]:[0-5][0-9](:[0-5][0-9])?([.,][0-9]{1,9})?(Z|[+-]0[0-9]:?00)?x?|1[0-9]{9,18}(\\.[0-9]{1,9})?") {
            let searched = guess(b.as_bytes()).filter(|(_, start, end)| *start == 0 && *end == b.len());
            let searched = searched.and_then(|(pattern, ..)| pattern.parse_prefix(b.as_bytes()));
            prop_assert_eq!(parse_whole(b.as_bytes()), searched.map(|(stamp, _)| stamp));
        }

        #[test]
        fn no_bytes_panic(b in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = guess(&b);
        }
    }
}
