//! Tests: changes to and from summer time on clocks without a zone, in loaded and in followed files.

use std::fs;
use std::path::Path;

use proptest::prelude::*;

use super::{Live, SOON, all};
use crate::load::{self};
use crate::options::OpenOptions;
use widetui_store::Snapshot;
use widetui_time::time::{NS_PER_SECOND, format_datetime};
use widetui_time::zone::Zone;

fn berlin() -> Zone {
    Zone::from_posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap()
}

fn chicago() -> Zone {
    Zone::from_posix("CST6CDT,M3.2.0,M11.1.0").unwrap()
}

fn options(dir: &Path, zone: Option<Zone>) -> OpenOptions {
    OpenOptions {
        zone,
        fallback_zone: Zone::Utc,
        ..super::options(dir)
    }
}

/// Times of a log, and the description of its zone.
fn times(zone: Option<Zone>, logs: &[(&str, &str)]) -> (Vec<String>, String) {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in logs {
        fs::write(dir.path().join(name), text).unwrap();
    }
    let options = options(dir.path(), zone);
    let (whole, _) = load::load_all(&options, &Default::default(), Default::default()).unwrap();
    let problems = whole.sources.iter().flat_map(|s| &s.problems);
    let problems: Vec<String> = problems.map(|p| p.text.to_string()).collect();
    (shown(&whole), problems.join("\n"))
}

/// Times of all records in the order of their files.
fn shown(snapshot: &Snapshot) -> Vec<String> {
    let events = (0..snapshot.len()).map(|at| snapshot.at(at).unwrap());
    let mut all: Vec<_> = events
        .map(|e| {
            let time = format_datetime(e.time().unwrap(), 0, 1);
            (e.source().id, e.span().0, time[5..].to_owned())
        })
        .collect();
    all.sort();
    all.into_iter().map(|e| e.2).collect()
}

fn log(stamps: &[&str]) -> String {
    let lines = stamps.iter().map(|s| format!("{s}.100 INFO it is {s}\n"));
    lines.collect()
}

#[test]
fn clocks_change_when_the_rules_say_so_not_an_hour_count_after_the_first_record() {
    let spring = log(&[
        "2024-03-31 01:59:00",
        "2024-03-31 03:10:00",
        "2024-03-31 06:10:00",
    ]);
    let (shown, _) = times(Some(berlin()), &[("a.log", &spring)]);
    assert_eq!(
        shown,
        ["03-31 00:59:00.1", "03-31 01:10:00.1", "03-31 04:10:00.1"]
    );
    let autumn = log(&[
        "2024-10-27 00:40:00",
        "2024-10-27 03:05:00",
        "2024-10-27 08:05:00",
    ]);
    let (shown, told) = times(Some(berlin()), &[("o.log", &autumn)]);
    assert_eq!(
        shown,
        ["10-26 22:40:00.1", "10-27 02:05:00.1", "10-27 07:05:00.1"]
    );
    assert_eq!(told, "");
}

#[test]
fn where_times_fall_back_the_second_hour_begins() {
    let text = log(&[
        "2026-11-01 00:58:00",
        "2026-11-01 01:30:00",
        "2026-11-01 01:59:00",
        "2026-11-01 01:00:00",
        "2026-11-01 01:31:00",
        "2026-11-01 01:30:30",
        "2026-11-01 02:01:00",
    ]);
    let (shown, told) = times(Some(chicago()), &[("a.log", &text)]);
    let wanted = [
        "05:58:00", "06:30:00", "06:59:00", "07:00:00", "07:31:00", "07:30:30", "08:01:00",
    ];
    assert_eq!(shown, wanted.map(|t| format!("11-01 {t}.1")));
    assert_eq!(told, "");
}

#[test]
fn a_log_that_goes_on_behind_the_hour_began_in_the_second_one() {
    let text = log(&[
        "2026-11-01 01:20:00",
        "2026-11-01 01:50:00",
        "2026-11-01 02:10:00",
    ]);
    let (shown, told) = times(Some(chicago()), &[("a.log", &text)]);
    assert_eq!(
        shown,
        ["11-01 07:20:00.1", "11-01 07:50:00.1", "11-01 08:10:00.1"]
    );
    assert_eq!(told, "");
}

#[test]
fn what_lies_beside_it_tells_and_else_it_is_said_that_nothing_does() {
    let text = log(&["2026-11-01 01:20:00", "2026-11-01 01:50:00"]);
    let (shown, told) = times(Some(chicago()), &[("a.log", &text)]);
    assert_eq!(shown, ["11-01 06:20:00.1", "11-01 06:50:00.1"]);
    assert!(
        told.contains("set back from 02:00:00 to 01:00:00 on 2026-11-01"),
        "{told}"
    );
    let beside = "{\"time\": \"2026-11-01T07:10:00Z\", \"level\": \"info\", \"msg\": \"from\"}\n\
                  {\"time\": \"2026-11-01T08:10:00Z\", \"level\": \"info\", \"msg\": \"to\"}\n";
    let (shown, told) = times(Some(chicago()), &[("a.log", &text), ("b.jsonl", beside)]);
    assert_eq!(shown[..2], ["11-01 07:20:00.1", "11-01 07:50:00.1"]);
    assert_eq!(told, "");
    let beside = beside.replace("T07:", "T06:").replace("T08:", "T07:");
    let (shown, told) = times(Some(chicago()), &[("a.log", &text), ("b.jsonl", &beside)]);
    assert_eq!(shown[..2], ["11-01 06:20:00.1", "11-01 06:50:00.1"]);
    assert_eq!(told, "");
}

/// Records with an epoch and a local time.
fn with_both(stamps: &[(i64, &str)]) -> String {
    let lines = stamps.iter().map(|(epoch, local)| {
        format!("{epoch}.000001 {local} MainProcess-3288 MainThread-1396765 parsl.dataflow.dflow:734 launch INFO: Task {epoch} done\n")
    });
    lines.collect()
}

#[test]
fn records_with_both_times_show_when_clocks_were_set_back() {
    // 2026-11-01 06:40:00Z, and 07:00:20Z.
    let both = with_both(&[
        (1_793_515_200, "2026-11-01 01:40:00"),
        (1_793_516_420, "2026-11-01 01:00:20"),
    ]);
    let text = log(&[
        "2026-11-01 01:45:00",
        "2026-11-01 01:59:00",
        "2026-11-01 01:00:30",
        "2026-11-01 01:40:00",
    ]);
    let (shown, told) = times(None, &[("parsl.log", &both), ("zlog.log", &text)]);
    let wanted = ["06:45:00", "06:59:00", "07:00:30", "07:40:00"];
    assert_eq!(shown[2..], wanted.map(|t| format!("11-01 {t}.1")));
    assert_eq!(told, "");
}

#[test]
fn a_run_goes_from_its_earliest_to_its_latest_record() {
    let text = log(&[
        "2026-11-01 01:40:00",
        "2026-11-01 01:59:00",
        "2026-11-01 01:10:00",
        "2026-11-01 01:30:00",
    ]);
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.log"), &text).unwrap();
    let options = options(dir.path(), Some(chicago()));
    let (whole, _) = load::load_all(&options, &Default::default(), Default::default()).unwrap();
    let times: Vec<i64> = (0..4)
        .map(|at| whole.at(at).unwrap().time().unwrap())
        .collect();
    assert!(times.is_sorted());
    assert_eq!(whole.range(), Some((times[0], times[3])));
    assert_eq!(whole.sources[0].first(), Some(times[0]));
    assert_eq!(whole.sources[0].last(), Some(times[3]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// A clock runs through a change in spring or autumn, with a record every few minutes: every record gets the
    /// instant at which it was written, whether the log is loaded at once or followed.
    #[test]
    fn every_record_is_at_its_instant(
        autumn: bool, european: bool, before in 0i64..400, steps in prop::collection::vec((1i64..25, 0usize..3), 1..40),
    ) {
        let zone = if european { berlin() } else { chicago() };
        // The changes of 2024: 03-31 and 10-27 at 01:00Z, 03-10 08:00Z and 11-03 07:00Z.
        let change = match (european, autumn) {
            (true, false) => 1_711_846_800,
            (true, true) => 1_729_990_800,
            (false, false) => 1_710_057_600,
            (false, true) => 1_730_617_200,
        };
        let mut epoch = change - before * 60;
        // If a log begins within the repeated hour, only later records can show which of the two hours it is.
        prop_assume!(!autumn || !(2..60).contains(&before));
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.log"), "").unwrap();
        let options = options(dir.path(), Some(zone.clone()));
        let mut live = Live::open_with(dir, &options);
        let mut wanted = Vec::new();
        for (minutes, polls) in steps {
            let civil = epoch + zone.offset_at_utc(epoch * NS_PER_SECOND);
            let stamp = format_datetime(civil * NS_PER_SECOND, 0, 3);
            live.append("a.log", format!("{stamp} INFO at {epoch}\n").as_bytes());
            wanted.push(format_datetime(epoch * NS_PER_SECOND, 0, 1)[5..].to_owned());
            for _ in 0..polls {
                live.poll(SOON);
            }
            epoch += minutes * 60;
        }
        let began_at_change = autumn && before < 2;
        live.settle();
        let (whole, _) = load::load_all(&options, &Default::default(), Default::default()).unwrap();
        if !began_at_change {
            prop_assert_eq!(&shown(&whole), &wanted);
            prop_assert_eq!(all(&live.snapshot), all(&whole));
        }
    }
}
