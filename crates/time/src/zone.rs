//! Time zones: conversion between instants and local times.
//!
//! Rules of named zones come from the machine's zone files, as for any other program: compiled in they would make the
//! program a third larger and be outdated by the next change of law.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::time::{NS_PER_SECOND, Nanos, system_offset_at};

/// Folders with zone files on various systems, in search order.
pub(super) const ZONE_FOLDERS: [&str; 4] = [
    "/usr/share/zoneinfo",
    "/usr/lib/zoneinfo",
    "/usr/share/lib/zoneinfo",
    "/etc/zoneinfo",
];

/// Error: the text is no known time zone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ZoneError {
    /// Neither a keyword, nor an offset, nor the name of a zone file.
    #[error(
        "unknown time zone `{name}`: write UTC, local, an offset such as +02:00, or a name such as America/Chicago"
    )]
    Unknown {
        /// Zone as typed.
        name: String,
    },
    /// A zone name, but this machine has no zone files at all.
    #[error(
        "cannot look up time zone `{name}`: this machine has no zone files (package tzdata); write an offset such as -06:00"
    )]
    NoZoneFiles {
        /// Zone as typed.
        name: String,
    },
}

/// Time zone, for converting instants to local times and back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Zone {
    /// UTC.
    Utc,
    /// Constant offset in seconds ahead of UTC.
    Fixed(i32),
    /// Zone of the machine.
    Local,
    /// Zone of the tz database, by name.
    Named(NamedZone),
}

/// Zone of the tz database with its rules; cheap to clone.
#[derive(Clone, Debug)]
pub struct NamedZone {
    name: Arc<str>,
    rules: Arc<tz::TimeZone>,
}

impl PartialEq for NamedZone {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for NamedZone {}

impl NamedZone {
    /// Reads the rules of a zone from the first folder that has its file.
    pub(super) fn load(name: &str, folders: &[&str]) -> Result<Self, ZoneError> {
        let unknown = || ZoneError::Unknown {
            name: name.to_owned(),
        };
        // The name becomes part of a path, so it must not lead out of the folder.
        let is_name = name.split('/').all(|part| {
            part.starts_with(|c: char| c.is_ascii_alphabetic())
                && part
                    .bytes()
                    .all(|c| c.is_ascii_alphanumeric() || b"_+-".contains(&c))
        });
        if !is_name {
            return Err(unknown());
        }
        let rules = folders.iter().find_map(|folder| {
            let bytes = std::fs::read(Path::new(folder).join(name)).ok()?;
            tz::TimeZone::from_tz_data(&bytes).ok()
        });
        match rules {
            Some(rules) => Ok(Self {
                name: name.into(),
                rules: Arc::new(rules),
            }),
            None if folders.iter().any(|folder| Path::new(folder).is_dir()) => Err(unknown()),
            None => Err(ZoneError::NoZoneFiles {
                name: name.to_owned(),
            }),
        }
    }

    /// Name in the tz database.
    #[must_use]
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

impl Zone {
    /// Creates a zone from POSIX rules such as `CST6CDT,M3.2.0,M11.1.0`, which need no zone files; `None` if the rules
    /// are invalid.
    #[must_use]
    pub fn from_posix(rules: &str) -> Option<Zone> {
        let parsed = tz::TimeZone::from_posix_tz(rules).ok()?;
        Some(Zone::Named(NamedZone {
            name: rules.into(),
            rules: Arc::new(parsed),
        }))
    }

    /// Seconds that this zone is ahead of UTC at an instant; 0 if its rules do not cover the instant.
    #[must_use]
    pub fn offset_at_utc(&self, ns: Nanos) -> i64 {
        self.offset_at_second(ns.div_euclid(NS_PER_SECOND))
    }

    fn offset_at_second(&self, seconds: i64) -> i64 {
        match self {
            Self::Utc => 0,
            Self::Fixed(offset_s) => i64::from(*offset_s),
            Self::Local => system_offset_at(seconds),
            Self::Named(zone) => zone
                .rules
                .find_local_time_type(seconds)
                .map_or(0, |kind| i64::from(kind.ut_offset())),
        }
    }

    /// Seconds that this zone is ahead of UTC when its clocks show `naive_ns` (a local time taken as if it were UTC).
    ///
    /// For a local time that occurs twice (clocks set back) this is the first occurrence. A local time that never
    /// occurs (clocks set forward) takes the offset before the change, so that it sorts after the change.
    #[must_use]
    pub fn offset_at_local(&self, naive_ns: Nanos) -> i64 {
        match self {
            Self::Utc => return 0,
            Self::Fixed(offset_s) => return i64::from(*offset_s),
            Self::Local | Self::Named(_) => {}
        }
        let naive = naive_ns.div_euclid(NS_PER_SECOND);
        // No clock is more than a day from UTC and no two changes are within two days of each other, so these are the
        // offsets before and after a change near `naive`, or the same offset twice.
        let before = self.offset_at_second(naive - 86_400);
        if self.offset_at_second(naive - before) == before {
            return before;
        }
        let after = self.offset_at_second(naive + 86_400);
        if self.offset_at_second(naive - after) == after {
            after
        } else {
            before
        }
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Utc => f.write_str("UTC"),
            Self::Local => f.write_str("local"),
            Self::Named(zone) => f.write_str(zone.name()),
            Self::Fixed(offset_s) => {
                let sign = if *offset_s < 0 { '-' } else { '+' };
                let minutes = offset_s.unsigned_abs() / 60;
                write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use crate::time::days_from_civil;
    use chrono::{Local, Offset, TimeZone};
    use proptest::prelude::*;

    fn chicago() -> Zone {
        Zone::from_posix("CST6CDT,M3.2.0,M11.1.0").unwrap()
    }

    fn civil(month: u32, day: u32, hour: i64, minute: i64) -> Nanos {
        (days_from_civil(2026, month, day) * 86_400 + hour * 3_600 + minute * 60) * NS_PER_SECOND
    }

    #[test]
    fn zones_are_written_as_they_are_read() {
        for (text, shown) in [
            ("UTC", "UTC"),
            ("utc", "UTC"),
            ("Z", "UTC"),
            (" local ", "local"),
            ("+02:00", "+02:00"),
            ("-0600", "-06:00"),
            ("+0530", "+05:30"),
            ("-00:30", "-00:30"),
            ("+02", "+02:00"),
        ] {
            assert_eq!(Zone::parse(text).unwrap().to_string(), shown, "{text}");
        }
        assert_eq!(Zone::parse("-0600"), Ok(Zone::Fixed(-21_600)));
    }

    #[test]
    fn what_is_no_zone_is_refused() {
        for text in [
            "",
            "+",
            "+25:00",
            "+02:60",
            "+020",
            "+02:00x",
            "..",
            "../zoneinfo/UTC",
            "/etc/passwd",
            "America/../Zulu",
            "America/",
            "America/Nowhere",
            "No Where",
        ] {
            assert!(Zone::parse(text).is_err(), "{text}");
        }
        let unknown = Zone::parse("+2 h").unwrap_err().to_string();
        assert!(unknown.starts_with("unknown time zone `+2 h`: write UTC"));
        let bare = NamedZone::load("America/Chicago", &["/nonexistent"]).unwrap_err();
        assert!(matches!(bare, ZoneError::NoZoneFiles { .. }));
    }

    #[test]
    fn a_zone_file_is_read_where_there_are_any() {
        // Must agree with the POSIX rules written out above, if the machine has zone files.
        match Zone::parse("America/Chicago") {
            Ok(zone) => {
                assert_eq!(zone.to_string(), "America/Chicago");
                for month in 1..=12 {
                    let at = civil(month, 15, 12, 0);
                    assert_eq!(zone.offset_at_utc(at), chicago().offset_at_utc(at));
                }
            }
            Err(error) => assert!(matches!(error, ZoneError::NoZoneFiles { .. }), "{error}"),
        }
    }

    #[test]
    fn clocks_set_forward_and_back() {
        let zone = chicago();
        assert_eq!(zone.offset_at_utc(civil(1, 1, 0, 0)), -21_600);
        assert_eq!(zone.offset_at_utc(civil(7, 1, 0, 0)), -18_000);
        // 2026-03-08 02:00 to 03:00 never occurs: takes the offset before.
        assert_eq!(zone.offset_at_local(civil(3, 8, 1, 59)), -21_600);
        assert_eq!(zone.offset_at_local(civil(3, 8, 2, 30)), -21_600);
        assert_eq!(zone.offset_at_local(civil(3, 8, 3, 0)), -18_000);
        // 2026-11-01 01:00 to 02:00 occurs twice: takes the first.
        assert_eq!(zone.offset_at_local(civil(11, 1, 0, 59)), -18_000);
        assert_eq!(zone.offset_at_local(civil(11, 1, 1, 30)), -18_000);
        assert_eq!(zone.offset_at_local(civil(11, 1, 2, 0)), -21_600);
    }

    proptest! {
        #[test]
        fn local_and_utc_agree(ns in -2_000_000_000_i64..4_000_000_000) {
            let ns = ns * NS_PER_SECOND;
            for zone in [chicago(), Zone::from_posix("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0").unwrap(), Zone::Fixed(19_800), Zone::Local] {
                let offset_s = zone.offset_at_utc(ns);
                let shown = ns + offset_s * NS_PER_SECOND;
                let back = shown - zone.offset_at_local(shown) * NS_PER_SECOND;
                // The same instant, or the first of the two with this local time.
                prop_assert!(back == ns || zone.offset_at_utc(back) > offset_s, "{} {}", zone, ns);
                prop_assert_eq!(back + zone.offset_at_utc(back) * NS_PER_SECOND, shown);
            }
        }

        #[test]
        fn the_machines_zone_is_chronos(seconds in 0_i64..4_000_000_000) {
            let at = chrono::DateTime::from_timestamp(seconds, 0).unwrap().naive_utc();
            let theirs = i64::from(Local.offset_from_utc_datetime(&at).fix().local_minus_utc());
            prop_assert_eq!(Zone::Local.offset_at_utc(seconds * NS_PER_SECOND), theirs);
        }

        #[test]
        fn no_instant_overflows(ns in any::<i64>()) {
            for zone in [chicago(), Zone::Fixed(-86_340), Zone::Utc, Zone::Local] {
                let _ = zone.offset_at_utc(ns);
                let _ = zone.offset_at_local(ns);
            }
        }
    }
}
