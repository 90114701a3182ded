//! Common names of the fields for level and message, in structured logs and in tables.

use widetui_core::level::Level;
use widetui_core::words::last_part;
use widetui_time::timeparse::offset_of_zone;

use crate::pattern::levels::LevelScale;

/// Names of message fields, most common first, in the form that [`plain`] returns.
pub(crate) const MESSAGES: [&str; 6] = ["msg", "message", "event", "text", "body", "log"];

/// True if a field in another object holds the message of a record if no other field does.
pub(crate) fn is_nested_message(name: &str) -> bool {
    let leaf = last_part(name);
    matches!(leaf, "msg" | "message" | "_raw" | "textPayload") && leaf.len() < name.len()
}

/// Whether a field of this name may hold the record of another program, as log shippers and message brokers write them.
pub(crate) fn is_carrier(name: &[u8]) -> bool {
    const CARRIERS: [&[u8]; 8] = [
        b"value", b"payload", b"log", b"message", b"msg", b"body", b"data", b"record",
    ];
    CARRIERS.iter().any(|c| name.eq_ignore_ascii_case(c))
}

/// Name in lower case, without `@`, dashes, underscores and blanks.
pub(crate) fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '@' | '_' | '-' | ' '))
        .flat_map(char::to_lowercase)
        .collect()
}

/// Whether a field name denotes a level: `level`, `log_level`, `levelName`, `log.level`, `SeverityText`, `@l`, `pri`.
pub(crate) fn names_level(name: &str) -> bool {
    // `record.level.name`
    let name = name.strip_suffix(".name").unwrap_or(name);
    let leaf = plain(last_part(name));
    matches!(leaf.as_str(), "lvl" | "loglvl" | "sev" | "l")
        || names_priority(name)
        || leaf.contains("severity")
        || leaf.contains("level") && !leaf.ends_with('s')
}

/// Whether a field name denotes a syslog severity number (RFC 5424, 6.2.1).
fn names_priority(name: &str) -> bool {
    matches!(
        plain(last_part(name)).as_str(),
        "pri" | "prio" | "priority" | "severity"
    )
}

/// True if a field holds the kind of an event in place of a level, as Kubernetes and Windows name kinds.
pub(crate) fn is_event_type(name: &str, value: &str) -> bool {
    last_part(name).eq_ignore_ascii_case("type")
        && matches!(
            value,
            "Normal" | "Warning" | "Error" | "Information" | "Critical"
        )
}

/// Whether a value is the spelling of a level in a field of this name. Numbers count only in fields whose name determines
/// their scale.
pub(crate) fn is_level(name: &str, value: &str) -> bool {
    let scale = level_scale(name);
    let is_on_scale = |n: i64| match scale {
        LevelScale::Bunyan => n % 1_000 == 0 && (5_000..=50_000).contains(&n),
        LevelScale::Severity => (0..8).contains(&n),
        LevelScale::Python => (1..=50).contains(&n),
        LevelScale::OpenTelemetry => (1..=24).contains(&n),
    };
    Level::parse(value.as_bytes()).is_some()
        || value.parse().is_ok_and(is_on_scale)
        || is_event_type(name, value)
}

/// Scale of the numbers in a level field with this name.
pub(crate) fn level_scale(field: &str) -> LevelScale {
    match plain(last_part(field)).as_str() {
        "levelno" | "levelnum" => LevelScale::Python,
        "severitynumber" => LevelScale::OpenTelemetry,
        _ if names_priority(field) => LevelScale::Severity,
        _ => LevelScale::Bunyan,
    }
}

/// True if a field holds the zone of the times beside it: by its name, and because the value is one.
pub(crate) fn is_zone(name: &str, value: &str) -> bool {
    let is_named = matches!(
        plain(last_part(name)).as_str(),
        "tz" | "timezone" | "zone" | "utcoffset" | "tzoffset" | "gmtoffset"
    );
    is_named && offset_of_zone(value.as_bytes().trim_ascii(), 0).is_some()
}

/// Whether a field name denotes whole seconds since the epoch: `sec`, `time.seconds`, `instant.epochSecond`, `tv_sec`.
pub(crate) fn names_seconds(name: &str) -> bool {
    matches!(
        plain(last_part(name)).as_str(),
        "s" | "sec" | "secs" | "second" | "seconds" | "epochsecond" | "epochseconds" | "tvsec"
    )
}

/// Unit of the fraction of a second in a field of this name, ns: `nanos`, `nanoOfSecond`, `usec`, `tv_usec`, `ms`.
pub(crate) fn fraction_unit_ns(name: &str) -> Option<i64> {
    let leaf = plain(last_part(name));
    let leaf = leaf.strip_prefix("tv").unwrap_or(&leaf);
    let word = leaf.trim_end_matches("ofsecond");
    Some(match word {
        "ns" | "nsec" | "nsecs" | "nano" | "nanos" | "nanosecond" | "nanoseconds" => 1,
        "us" | "usec" | "usecs" | "micro" | "micros" | "microsecond" | "microseconds" => 1_000,
        "ms" | "msec" | "msecs" | "milli" | "millis" | "millisecond" | "milliseconds" => 1_000_000,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_levels_are_known_in_any_spelling() {
        for name in [
            "level",
            "LEVEL",
            "log_level",
            "LogLevel",
            "levelname",
            "level_text",
            "log.level",
            "severity_text",
            "SeverityText",
            "@level",
            "@l",
            "priority",
            "pri",
            "lvl",
            "a.b.severity",
            "record.level.name",
        ] {
            assert!(names_level(name), "{name}");
        }
        for name in ["levels", "label", "message", "nlevels", "value", "log"] {
            assert!(!names_level(name), "{name}");
        }
    }

    #[test]
    fn fractions_have_the_unit_of_their_name() {
        assert_eq!(fraction_unit_ns("instant.nanoOfSecond"), Some(1));
        assert_eq!(fraction_unit_ns("tv_usec"), Some(1_000));
        assert_eq!(fraction_unit_ns("ms"), Some(1_000_000));
        assert_eq!(fraction_unit_ns("seconds"), None);
        assert!(
            names_seconds("time.seconds") && names_seconds("epochSecond") && !names_seconds("ms")
        );
    }

    #[test]
    fn zones_have_a_name_and_a_value() {
        for (name, value) in [
            ("tz", "CET"),
            ("timezone", "+01:00"),
            ("a.utc_offset", "-0500"),
        ] {
            assert!(is_zone(name, value), "{name} {value}");
        }
        for (name, value) in [("zone", "us-east-1a"), ("label", "CET"), ("tz", "")] {
            assert!(!is_zone(name, value), "{name} {value}");
        }
    }

    #[test]
    fn numbers_count_where_the_name_determines_their_scale() {
        for (name, value) in [
            ("pri", "3"),
            ("severity", "4"),
            ("record.levelno", "40"),
            ("severityNumber", "17"),
            ("level", "WARN"),
            ("object.type", "Normal"),
            ("level_value", "30000"),
        ] {
            assert!(is_level(name, value), "{name} {value}");
        }
        for (name, value) in [("pri", "14"), ("level", "3"), ("severity_number", "30")] {
            assert!(!is_level(name, value), "{name} {value}");
        }
        let level = |name: &str, n| level_scale(name).level(n);
        assert_eq!(level("severity_number", 17), Some(Level::Error));
        assert_eq!(level("PRIORITY", 14), Some(Level::Info));
        assert_eq!(level("level", 30), Some(Level::Info));
        assert_eq!(level("levelno", 30), Some(Level::Warning));
        assert_eq!(level("severity", 192), None);
    }
}
