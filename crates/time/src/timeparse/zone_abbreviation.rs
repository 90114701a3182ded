//! Time zone abbreviations before and after times.

use super::digits::integer;
use super::zone_region;

/// Abbreviations with their hours and minutes ahead of UTC. Those of several zones have the usual meaning in logs: BST is
/// London's, IST India's, HST Hawaii's, CDT Chicago's.
const KNOWN: [(&[u8], i64, i64); 72] = [
    (b"UTC", 0, 0),
    (b"GMT", 0, 0),
    (b"Z", 0, 0),
    (b"UCT", 0, 0),
    (b"WET", 0, 0),
    (b"WEST", 1, 0),
    (b"BST", 1, 0),
    (b"CET", 1, 0),
    (b"MEZ", 1, 0),
    (b"CEST", 2, 0),
    (b"MESZ", 2, 0),
    (b"EET", 2, 0),
    (b"EEST", 3, 0),
    (b"MSK", 3, 0),
    (b"SAST", 2, 0),
    (b"WAT", 1, 0),
    (b"CAT", 2, 0),
    (b"EAT", 3, 0),
    (b"GST", 4, 0),
    (b"PKT", 5, 0),
    (b"IST", 5, 30),
    (b"WIB", 7, 0),
    (b"ICT", 7, 0),
    (b"HKT", 8, 0),
    (b"SGT", 8, 0),
    (b"PHT", 8, 0),
    (b"AWST", 8, 0),
    (b"JST", 9, 0),
    (b"KST", 9, 0),
    (b"ACST", 9, 30),
    (b"AEST", 10, 0),
    (b"AEDT", 11, 0),
    (b"NZST", 12, 0),
    (b"NZDT", 13, 0),
    (b"BRT", -3, 0),
    (b"EST", -5, 0),
    (b"EDT", -4, 0),
    (b"CDT", -5, 0),
    (b"MST", -7, 0),
    (b"MDT", -6, 0),
    (b"PST", -8, 0),
    (b"PDT", -7, 0),
    (b"HST", -10, 0),
    (b"AKST", -9, 0),
    (b"AKDT", -8, 0),
    (b"BDT", 6, 0),
    (b"MMT", 6, 30),
    (b"NPT", 5, 45),
    (b"UZT", 5, 0),
    (b"AFT", 4, 30),
    (b"AZT", 4, 0),
    (b"IRST", 3, 30),
    (b"TRT", 3, 0),
    (b"YEKT", 5, 0),
    (b"OMST", 6, 0),
    (b"NOVT", 7, 0),
    (b"KRAT", 7, 0),
    (b"IRKT", 8, 0),
    (b"YAKT", 9, 0),
    (b"VLAT", 10, 0),
    (b"MAGT", 11, 0),
    (b"SAMT", 4, 0),
    (b"WITA", 8, 0),
    (b"MYT", 8, 0),
    (b"ULAT", 8, 0),
    (b"NST", -3, 30),
    (b"NDT", -2, 30),
    (b"ADT", -3, 0),
    (b"ART", -3, 0),
    (b"UYT", -3, 0),
    (b"CLT", -4, 0),
    (b"CLST", -3, 0),
];

/// Abbreviations without a usual meaning.
const AMBIGUOUS: [&[u8]; 2] = [b"CST", b"AST"];

/// Meanings of abbreviations that several zones have, the one in which times are read first.
const MEANINGS: [(&str, &str); 6] = [
    ("CST", "local time; Chicago's, Shanghai's or Havana's"),
    ("AST", "local time; Halifax's or Riyadh's"),
    ("IST", "India's; also Israel's and Ireland's"),
    ("BST", "London's in summer; also Dhaka's"),
    ("GST", "Dubai's; also South Georgia's"),
    ("MST", "Denver's; also Kuala Lumpur's"),
];

/// Meanings of an abbreviation that several zones have, the one in which times are read first; `None` for other words.
#[must_use]
pub fn meanings(name: &str) -> Option<&'static str> {
    let found = MEANINGS.iter().find(|(known, _)| *known == name);
    found.map(|(_, meanings)| *meanings)
}

/// Seconds that an abbreviation is ahead of UTC; `None` if it is unknown or ambiguous.
pub(super) fn offset_of(name: &[u8]) -> Option<i64> {
    let found = KNOWN
        .iter()
        .find(|(known, ..)| name.eq_ignore_ascii_case(known));
    found.map(|(_, hours, minutes)| hours * 3_600 + hours.signum() * minutes * 60)
}

/// Parses UTC or GMT with an offset, as Java and JavaScript write zones (`GMT+01:00`, `UTC+1`, `GMT-0530`); returns
/// seconds ahead of UTC and length.
pub(super) fn utc_offset(text: &[u8]) -> Option<(i64, usize)> {
    let names: [&[u8]; 2] = [b"UTC", b"GMT"];
    let name = names.iter().find(|name| text.starts_with(name))?;
    let sign = match text.get(name.len())? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let at = name.len() + 1;
    let (number, end) = integer(text, at)?;
    let after_colon = || integer(text, end + 1).filter(|_| text.get(end) == Some(&b':'));
    let (hours, minutes, end) = match end - at {
        1..=2 => match after_colon() {
            Some((minutes, after)) if after == end + 3 => (number, minutes, after),
            _ => (number, 0, end),
        },
        4 => (number / 100, number % 100, end),
        _ => return None,
    };
    let ahead_s = i64::try_from(hours * 3_600 + minutes * 60).ok()?;
    (hours < 15 && minutes < 60).then_some((sign * ahead_s, end))
}

/// True if a word in capitals before or after a time, or a name of the tz database, is a zone and not the start of the message.
#[must_use]
pub fn is_zone(name: &[u8]) -> bool {
    utc_offset(name).is_some_and(|(_, len)| len == name.len())
        || matches!(name, b"utc" | b"gmt")
        || name.len() > 2
            && (KNOWN.iter().any(|(known, ..)| *known == name) || AMBIGUOUS.contains(&name))
        || name.contains(&b'/')
            && zone_region::at_start(name).is_some_and(|(_, len)| len == name.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_means_one_thing_has_an_offset() {
        assert_eq!(offset_of(b"PDT"), Some(-7 * 3_600));
        assert_eq!(offset_of(b"ACST"), Some(34_200));
        assert_eq!(offset_of(b"utc"), Some(0));
        assert_eq!(offset_of(b"IST"), Some(19_800));
        assert_eq!(offset_of(b"CST"), None);
        assert_eq!(offset_of(b"LOST"), None);
        assert_eq!(utc_offset(b"GMT+01:00 x"), Some((3_600, 9)));
        assert_eq!(utc_offset(b"UTC-5]"), Some((-18_000, 5)));
        assert_eq!(utc_offset(b"UTC+0530"), Some((19_800, 8)));
        assert_eq!(utc_offset(b"UTC+x"), None);
        assert!(is_zone(b"UTC+1") && !is_zone(b"UTC+1x"));
        assert!(is_zone(b"CST") && is_zone(b"CEST"));
        assert!(!is_zone(b"Z") && !is_zone(b"pdt") && !is_zone(b"LOG"));
    }
}
