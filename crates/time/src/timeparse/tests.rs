//! Comparison of patterns with chrono, and properties of all patterns.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::*;
use crate::time::{NO_TIME, format_datetime, format_rfc3339_nanos};
use chrono::{DateTime, NaiveDateTime, Timelike};
use proptest::prelude::*;

fn pattern(spec: &str) -> TimePattern {
    TimePattern::compile(spec).unwrap()
}

fn read(spec: &str, text: &str) -> Option<(Stamp, usize)> {
    pattern(spec).parse_prefix(text.as_bytes())
}

fn utc(spec: &str, text: &str) -> Option<String> {
    let (stamp, _) = read(spec, text)?;
    let mut out = String::new();
    format_rfc3339_nanos(stamp.ns, &mut out);
    Some(out)
}

proptest! {
    #[test]
    fn one_time_after_the_other_is_read_as_each_alone(
        texts in proptest::collection::vec("(179522538[67]|1795225386|99999999999|0|)[.]?[0-9]{0,3}[ x]?", 1..9),
        spec in prop_oneof![Just("epoch"), Just("epoch_ms")],
    ) {
        let pattern = pattern(spec);
        let mut last = None;
        for text in texts {
            let alone = pattern.parse_prefix(text.as_bytes());
            prop_assert_eq!(pattern.parse_after(text.as_bytes(), &mut last), alone);
        }
    }
}

#[test]
fn each_sequence_is_read() {
    for (spec, text, want) in [
        (
            "epoch",
            "1795225387.115450 x",
            "2026-11-21T01:43:07.115450000Z",
        ),
        ("epoch", "1795225387", "2026-11-21T01:43:07.000000000Z"),
        ("epoch", "1795225387.", "2026-11-21T01:43:07.000000000Z"),
        (
            "epoch",
            "1795225387.1154501239999",
            "2026-11-21T01:43:07.115450123Z",
        ),
        (
            "epoch_ms",
            "1795225387115",
            "2026-11-21T01:43:07.115000000Z",
        ),
        (
            "epoch_ms",
            "1795225387115.25",
            "2026-11-21T01:43:07.115250000Z",
        ),
        (
            "epoch_us",
            "1795225387115450",
            "2026-11-21T01:43:07.115450000Z",
        ),
        (
            "epoch_ns",
            "1795225387115450123",
            "2026-11-21T01:43:07.115450123Z",
        ),
        (
            "iso",
            "2026-11-21T01:43:31.123456Z",
            "2026-11-21T01:43:31.123456000Z",
        ),
        (
            "iso",
            "2026-11-21t01:43:31z",
            "2026-11-21T01:43:31.000000000Z",
        ),
        (
            "iso",
            "2026-11-21 01:43:31,5+02:00",
            "2026-11-20T23:43:31.500000000Z",
        ),
        (
            "iso",
            "2026-11-21T01:43:31-0330",
            "2026-11-21T05:13:31.000000000Z",
        ),
        (
            "iso",
            "2026-11-21T01:43:31+02",
            "2026-11-20T23:43:31.000000000Z",
        ),
        ("iso", "2026-11-21T01:43Z", "2026-11-21T01:43:00.000000000Z"),
        (
            "iso",
            "2026-11-21T01:43:60Z",
            "2026-11-21T01:43:59.999999999Z",
        ),
        (
            "%Y-%m-%d %H:%M:%S",
            "2024-02-29 23:59:59,5",
            "2024-02-29T23:59:59.000000000Z",
        ),
        (
            "%Y-%m-%d %H:%M:%S,%3f",
            "2026-11-21 01:43:31,123",
            "2026-11-21T01:43:31.123000000Z",
        ),
        (
            "%Y-%m-%d %H:%M:%S%.f",
            "2026-11-21 01:43:60.5",
            "2026-11-21T01:43:59.999999999Z",
        ),
        (
            "%Y/%m/%d-%H:%M:%S.%f %z",
            "2026/11/21-01:43:31.25 -06:00",
            "2026-11-21T07:43:31.250000000Z",
        ),
        (
            "%d/%b/%Y:%H:%M:%S %z",
            "21/NOV/2026:01:43:31 +0000",
            "2026-11-21T01:43:31.000000000Z",
        ),
        (
            "%A, %e %B %Y %I:%M:%S %p",
            "saturday,  1 August 2026 12:00:01 am",
            "2026-08-01T00:00:01.000000000Z",
        ),
        (
            "%a %b %e %l:%M%p %y",
            "Sat Nov 21  1:43PM 69",
            "1969-11-21T13:43:00.000000000Z",
        ),
        ("%Y%j %k", "2024366  7", "2024-12-31T07:00:00.000000000Z"),
        (
            "%b %e %H:%M:%S",
            "Apr  5 14:17:49",
            "1970-04-05T14:17:49.000000000Z",
        ),
        (
            "%b %e %H:%M:%S",
            "Feb 29 14:17:49",
            "1972-02-29T14:17:49.000000000Z",
        ),
        (
            "%m%d %H:%M:%S.%6f",
            "1121 03:03:41.365001",
            "1970-11-21T03:03:41.365001000Z",
        ),
        ("%H:%M:%S", "24:00:00", ""),
        ("%s.%f", "1795225387.5", "2026-11-21T01:43:07.500000000Z"),
        (
            "%F %T%.3f %Z",
            "2026-11-21 01:43:31.123 GMT",
            "2026-11-21T01:43:31.123000000Z",
        ),
        (
            "%D %R 100%%",
            "11/21/26 01:43 100%",
            "2026-11-21T01:43:00.000000000Z",
        ),
        (
            "%-d.%-m.%Y %-H:%-M:%-S",
            "1.2.2026 3:4:5",
            "2026-02-01T03:04:05.000000000Z",
        ),
    ] {
        let want = (!want.is_empty()).then(|| want.to_owned());
        assert_eq!(utc(spec, text), want, "{text} by {spec}");
    }
}

#[test]
fn what_a_time_left_unsaid_is_told() {
    let about = |spec, text| {
        let (s, len) = read(spec, text).unwrap();
        (s.zone, s.date, s.year, s.resolution_ns, len)
    };
    use StampZone::{Known, Local};
    assert_eq!(
        about("epoch", "1795225387.115450 "),
        (Known, true, true, 1_000, 17)
    );
    assert_eq!(
        about("epoch_us", "1795225387115450"),
        (Known, true, true, 1_000, 16)
    );
    assert_eq!(
        about("epoch_ns", "1795225387115450000.5"),
        (Known, true, true, 1, 21)
    );
    assert_eq!(
        about("iso", "2026-11-21 01:43:31 +"),
        (Local, true, true, NS_PER_SECOND, 19)
    );
    assert_eq!(
        about("iso", "2026-11-21T01:43:31.5-x"),
        (Local, true, true, 100_000_000, 21)
    );
    assert_eq!(
        about("iso", "2026-11-21T01:43 x"),
        (Local, true, true, 60 * NS_PER_SECOND, 16)
    );
    assert_eq!(
        about("%F %T,%3f", "2026-11-21 01:43:31,1234"),
        (Local, true, true, 1_000_000, 23)
    );
    assert_eq!(
        about("%F %T %Z", "2026-11-21 01:43:31 CST "),
        (Local, true, true, NS_PER_SECOND, 23)
    );
    assert_eq!(
        about("%F %T %Z", "2026-11-21 01:43:31 CET "),
        (Known, true, true, NS_PER_SECOND, 23)
    );
    assert_eq!(
        about("%F %T %Z", "2026-11-21 01:43:31 utc"),
        (Known, true, true, NS_PER_SECOND, 23)
    );
    assert_eq!(
        about("%b %e %T", "Apr 15 14:17:49"),
        (Local, true, false, NS_PER_SECOND, 15)
    );
    assert_eq!(
        about("%T%.f", "14:17:49"),
        (Local, false, false, NS_PER_SECOND, 8)
    );
    assert_eq!(
        about("%F", "2026-11-21"),
        (Local, true, true, 86_400 * NS_PER_SECOND, 10)
    );
    assert!(is_coarse(&read("%T.%3f", "14:17:49.123").unwrap().0));
    assert!(is_coarse(&read("epoch", "1795225387").unwrap().0));
    assert!(!is_coarse(&read("epoch", "1795225387.1").unwrap().0));
}

#[test]
fn impossible_times_are_refused() {
    for (spec, text) in [
        ("iso", "2026-02-30T00:00:00Z"),
        ("iso", "2026-00-10T00:00:00Z"),
        ("iso", "2026-13-10T00:00:00Z"),
        ("iso", "2026-12-00T00:00:00Z"),
        ("iso", "2025-02-29T00:00:00Z"),
        ("iso", "2026-12-01T24:00:00Z"),
        ("iso", "2026-12-01T23:60:00Z"),
        ("iso", "2026-12-01T23:00:61Z"),
        ("iso", "2026-12-01T23:00:6"),
        ("iso", "0001-01-01T00:00:00Z"),
        ("iso", "9999-01-01T00:00:00Z"),
        ("iso", "1677-09-21T00:12:43.145224192Z"),
        ("iso", "2026-12-01"),
        ("%Y-%m-%d %H:%M:%S", "2026-12-01T10:00:00"),
        ("%Y-%m-%d %H:%M:%S", "2026-12-01 10:00:0x"),
        ("%Y-%m-%d %H:%M:%S.%3f", "2026-12-01 10:00:00.12"),
        ("%Y-%m-%d %H:%M:%S %z", "2026-12-01 10:00:00 +2400"),
        ("%b %e %T", "Feb 30 10:00:00"),
        ("%b %e %T", "Foo 12 10:00:00"),
        ("%I:%M %p", "13:00 PM"),
        ("%I:%M %p", "00:00 AM"),
        ("%Y%j", "2025366"),
        ("%Y%j", "2025000"),
        ("epoch", "9999999999999"),
        ("epoch", "9223372036.854775808"),
        ("epoch_ns", "9223372036854775808"),
        ("epoch_ns", "99999999999999999999999"),
        ("epoch", "-5"),
        ("epoch", ".5"),
        ("%s", "99999999999999999"),
    ] {
        assert_eq!(read(spec, text), None, "{text} by {spec}");
    }
}

#[test]
fn layouts_that_make_no_time_are_errors() {
    for (spec, says) in [
        ("", "the time layout is empty"),
        ("%Y-%m-%d %Q", "`%Q` at byte 9"),
        ("%H:%M:%", "`%` at byte 6"),
        ("%0f", "`%0f` at byte 0"),
        ("%-Y", "`%-Y` at byte 0"),
        ("%é", "`%é` at byte 0"),
        ("%Y %H", "a year but not a month and a day"),
        ("%m %H", "a month but not a day"),
        ("%d %H", "a day but not a month"),
        ("%F %M", "hours"),
        ("%H:%S", "minutes"),
        ("%H:%M.%f", "seconds"),
        ("%I:%M", "%p"),
        ("hello", "a date or a time of day"),
        ("%z", "a date or a time of day"),
    ] {
        let error = TimePattern::compile(spec).unwrap_err().to_string();
        assert!(error.contains(says), "{spec}: {error}");
    }
}

#[test]
fn lengths_are_known_where_they_are_fixed() {
    for (spec, len) in [
        ("%Y-%m-%d %H:%M:%S", Some(19)),
        ("%Y-%m-%d %H:%M:%S,%3f", Some(23)),
        ("%F %T%.6f", Some(26)),
        ("%d/%b/%Y:%T", None),
        ("%F %T%.f", None),
        ("%b %e %T", None),
        ("%F %T %z", None),
        ("iso", None),
        ("epoch", None),
    ] {
        assert_eq!(pattern(spec).fixed_len(), len, "{spec}");
    }
}

#[test]
fn most_other_lines_are_rejected_by_a_glance() {
    for (spec, line) in [
        ("iso", "Traceback (most recent call last):"),
        ("iso", "    raise ValueError(x)"),
        ("iso", "1234567 rows of something"),
        ("iso", ""),
        ("epoch", "  File \"x.py\""),
        ("%Y-%m-%d %H:%M:%S", "20 tasks are waiting"),
        ("%b %e %T", "Quick sort of the street"),
        ("[%T]", "[abc"),
    ] {
        assert!(
            pattern(spec).quick_reject(line.as_bytes()),
            "{line} by {spec}"
        );
    }
}

#[test]
fn missing_dates_are_filled_in_from_the_neighbourhood() {
    let near = |spec, text, reference: &str| {
        let reference = read("iso", reference).unwrap().0.ns;
        let stamp = read(spec, text).unwrap().0.near(reference);
        format_datetime(stamp.ns, 0, 0)
    };
    assert_eq!(
        near("%b %e %T", "Dec 31 23:00:00", "2026-01-01 00:30:00"),
        "2025-12-31 23:00:00"
    );
    assert_eq!(
        near("%b %e %T", "Jan  1 00:30:00", "2025-12-31 23:00:00"),
        "2026-01-01 00:30:00"
    );
    assert_eq!(
        near("%b %e %T", "Feb 29 01:00:00", "2024-03-02 00:00:00"),
        "2024-02-29 01:00:00"
    );
    assert_eq!(
        near("%b %e %T", "Feb 29 01:00:00", "2027-03-02 00:00:00"),
        "2024-02-29 01:00:00"
    );
    // Not the coming May, although it is nearer: it is in the future.
    assert_eq!(
        near("%b %e %T", "May  1 12:00:00", "2026-11-21 22:00:00"),
        "2026-05-01 12:00:00"
    );
    assert_eq!(
        near("%T", "23:59:00", "2026-01-01 00:30:00"),
        "2025-12-31 23:59:00"
    );
    assert_eq!(
        near("%T", "10:00:00", "2026-01-01 12:30:00"),
        "2026-01-01 10:00:00"
    );
    assert_eq!(
        near("iso", "1999-01-01 10:00:00", "2026-01-01 12:30:00"),
        "1999-01-01 10:00:00"
    );
}

/// Layouts that both chrono and this crate support, with their resolution in nanoseconds.
const COMMON: [(&str, i64); 19] = [
    ("%Y-%m-%d %H:%M:%S", NS_PER_SECOND),
    ("%Y-%m-%d %H:%M:%S.%3f", 1_000_000),
    ("%Y-%m-%d %H:%M:%S,%3f", 1_000_000),
    ("%Y-%m-%d %H:%M:%S%.6f", 1_000),
    ("%Y-%m-%d %H:%M:%S%.f", 1),
    ("%Y-%m-%dT%H:%M:%S%.f", 1),
    ("%Y/%m/%d %H:%M:%S.%f", 1),
    ("%Y/%m-%d %H:%M:%S.%9f", 1),
    ("%d/%b/%Y:%H:%M:%S %%", NS_PER_SECOND),
    ("%a %b %e %H:%M:%S %Y", NS_PER_SECOND),
    ("%A, %d %B %Y %I:%M:%S %p", NS_PER_SECOND),
    ("%d %b %Y %H:%M:%S%.3f", 1_000_000),
    ("%Y-%j %k:%M", 60 * NS_PER_SECOND),
    ("%-m/%-d/%Y %l:%M:%S %p", NS_PER_SECOND),
    ("%s", NS_PER_SECOND),
    ("%s%.6f", 1_000),
    ("%F %T", NS_PER_SECOND),
    ("%F %R", 60 * NS_PER_SECOND),
    ("%F", 86_400 * NS_PER_SECOND),
];

/// Instants from 1971 to 2250, of any resolution.
fn instants() -> impl Strategy<Value = i64> {
    (
        31_536_000_i64..8_835_000_000,
        0_i64..1_000_000_000,
        prop::sample::select(vec![1, 1_000, 1_000_000, NS_PER_SECOND]),
    )
        .prop_map(|(s, ns, unit)| s * NS_PER_SECOND + ns / unit * unit)
}

proptest! {
    #[test]
    fn what_chrono_writes_is_read(ns in instants(), tail in "[^0-9.,][ -~]{0,20}|") {
        let at = DateTime::from_timestamp_nanos(ns);
        for (spec, unit) in COMMON {
            // chrono formats %f as nine digits and %s in UTC, as this crate parses them.
            let text = at.naive_utc().format(spec).to_string();
            prop_assume!(!text.starts_with('-'));
            let line = format!("{text}{tail}");
            let pattern = pattern(spec);
            let (stamp, len) = pattern.parse_prefix(line.as_bytes()).unwrap();
            prop_assert_eq!(stamp.ns, ns.div_euclid(unit) * unit, "{} by {}", line, spec);
            prop_assert_eq!(len, text.len(), "{} by {}", line, spec);
            prop_assert!(!pattern.quick_reject(line.as_bytes()), "{} by {}", line, spec);
            prop_assert!(pattern.fixed_len().is_none_or(|fixed| fixed == len), "{} by {}", line, spec);
        }
    }

    #[test]
    fn what_chrono_reads_is_read_alike(
        numbers in (1_600_u32..2_300, 0_u32..15, 0_u32..34, 0_u32..26, 0_u32..62, 0_u32..63, 0_u32..1_000),
    ) {
        let (y, m, d, h, i, s, f) = numbers;
        let text = format!("{y:04}-{m:02}-{d:02} {h:02}:{i:02}:{s:02}.{f:03}");
        let theirs = NaiveDateTime::parse_from_str(&text, "%Y-%m-%d %H:%M:%S%.f")
            .ok()
            .and_then(|at| {
                // chrono represents second 60 as a fraction beyond one second.
                let at = if at.nanosecond() > 999_999_999 { at.with_nanosecond(999_999_999)? } else { at };
                at.and_utc().timestamp_nanos_opt()
            });
        for spec in ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M:%S.%3f", "%Y-%-m-%d %H:%M:%S%.f", "iso"] {
            prop_assert_eq!(read(spec, &text).map(|(stamp, _)| stamp.ns), theirs, "{} by {}", text, spec);
        }
    }

    #[test]
    fn rfc3339_is_chronos(ns in instants(), offset_min in -1_439_i32..1_440) {
        let zone = chrono::FixedOffset::east_opt(offset_min * 60).unwrap();
        let text = DateTime::from_timestamp_nanos(ns).with_timezone(&zone).to_rfc3339();
        let (stamp, len) = read("iso", &text).unwrap();
        prop_assert_eq!((stamp.ns, stamp.zone, len), (ns, StampZone::Known, text.len()));
    }

    #[test]
    fn what_we_write_is_read(ns in i64::MIN + 1..i64::MAX) {
        let mut text = String::new();
        format_rfc3339_nanos(ns, &mut text);
        let (stamp, len) = read("iso", &text).unwrap();
        prop_assert_eq!((stamp.ns, stamp.resolution_ns, len), (ns, 1, 30));
    }

    #[test]
    fn epochs_are_exact(ns in 0..i64::MAX) {
        let text = format!("{}.{:09}", ns / NS_PER_SECOND, ns % NS_PER_SECOND);
        prop_assert_eq!(read("epoch", &text).unwrap().0.ns, ns);
        prop_assert_eq!(read("epoch_ns", &ns.to_string()).unwrap().0.ns, ns);
        prop_assert_eq!(read("epoch_us", &(ns / 1_000).to_string()).unwrap().0.ns, ns / 1_000 * 1_000);
    }

    #[test]
    fn no_bytes_panic_and_rejection_is_sound(
        b in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..40),
            prop::collection::vec(prop::sample::select(b"0123456789-:. T,/+ZaApPmMnov".to_vec()), 0..40),
            "[0-9]{4}-[01][0-9]-[0-3][0-9][T ][0-2][0-9]:[0-9]{2}(:[0-6][0-9])?([.,][0-9]{0,12})?(Z|[+-][0-9]{0,4})?"
                .prop_map(String::into_bytes),
        ],
    ) {
        for spec in COMMON.iter().map(|(spec, _)| *spec).chain([
            "iso", "epoch", "epoch_ms", "epoch_us", "epoch_ns", "%b %e %T", "%T%.f", "%.f %T", "%Z %F", "%p%I",
        ]) {
            let pattern = pattern(spec);
            if let Some((stamp, len)) = pattern.parse_prefix(&b) {
                prop_assert!(len <= b.len() && len > 0);
                prop_assert!(stamp.ns != NO_TIME && stamp.resolution_ns > 0);
                prop_assert!(!pattern.quick_reject(&b), "{}", spec);
                let _ = stamp.near(i64::MAX);
                let _ = stamp.near(i64::MIN);
            }
        }
    }

    #[test]
    fn no_layout_panics(spec in "(%[-.0-9]{0,2}[a-zA-Z%]?|[ -~é]){0,8}", text in "[0-9:. -]{0,30}") {
        if let Ok(pattern) = TimePattern::compile(&spec) {
            let _ = pattern.parse_prefix(text.as_bytes());
        }
    }
}

/// Benchmark: `cargo test --release timeparse::tests::speed -- --ignored --nocapture`.
#[test]
#[ignore = "prints nanoseconds per time, asserts nothing"]
fn speed() {
    const ROUNDS: u32 = 2_000_000;
    for (spec, line) in [
        ("epoch", "1795225387.115450 2026-11-21 01:43:07 MainProcess"),
        ("%Y-%m-%d %H:%M:%S", "2026-11-21 01:43:31 MainProcess-19528"),
        (
            "%Y-%m-%d %H:%M:%S.%3f",
            "2026-11-21 01:43:31.123 MainProcess-19528",
        ),
        (
            "%Y-%m-%d %H:%M:%S,%3f",
            "2026-11-21 01:43:31,123 - x - INFO",
        ),
        (
            "%Y-%m-%d %H:%M:%S%.f",
            "2026-11-21 01:43:31.123456 MainProcess-19528",
        ),
        ("iso", "2026-11-21T01:43:31.123456Z host app"),
        ("%b %e %H:%M:%S", "Apr 15 14:17:49 host app"),
        ("%d/%b/%Y:%H:%M:%S %z", "21/Nov/2026:01:43:31 +0000] \"GET"),
        ("%H:%M:%S%.f", "01:43:31.123 x"),
    ] {
        let pattern = pattern(spec);
        let best = (0..5)
            .map(|_| {
                let start = std::time::Instant::now();
                let mut sum = 0_i64;
                for _ in 0..ROUNDS {
                    let read = std::hint::black_box(&pattern)
                        .parse_prefix(std::hint::black_box(line.as_bytes()));
                    sum = sum.wrapping_add(read.map_or(0, |(stamp, len)| stamp.ns ^ len as i64));
                }
                std::hint::black_box(sum);
                start.elapsed()
            })
            .min()
            .unwrap_or_default();
        println!(
            "{:6.1} ns  {spec}",
            best.as_nanos() as f64 / f64::from(ROUNDS)
        );
    }
}

#[test]
fn times_that_do_not_exist_have_the_form_of_their_layout() {
    for (spec, text) in [
        ("%Y-%m-%d %H:%M:%S%.f", "2023-02-30 10:00:01,5 x"),
        ("%Y-%m-%d %H:%M:%S%.f", "0001-01-01 00:00:00"),
        ("iso", "2023-13-01T10:00:01Z"),
        ("%d/%m/%Y %H:%M:%S", "31/02/2023 25:00:00"),
    ] {
        let pattern = TimePattern::compile(spec).unwrap();
        assert!(pattern.has_form(text.as_bytes()), "{text}");
        assert_eq!(pattern.parse_prefix(text.as_bytes()), None, "{text}");
    }
    let pattern = TimePattern::compile("%Y-%m-%d %H:%M:%S%.f").unwrap();
    for text in [
        "",
        "2023-02-30",
        "2023-02-30T10:00:01",
        "x023-02-30 10:00:01",
    ] {
        assert!(!pattern.has_form(text.as_bytes()), "{text}");
    }
}
