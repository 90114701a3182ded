//! Time zones of several runs in one folder.

use std::fs;
use std::path::Path;

use super::*;

/// A log of 50 minutes whose stamps name no zone.
fn local(path: &Path, hour: u32, minutes: std::ops::Range<u32>) {
    let line =
        |m| format!("2026-11-20 {hour:02}:{m:02}:00,000 run.part INFO step {m} of the part\n");
    write(path, minutes.map(line).collect());
}

/// Run whose times have a zone.
fn stated(path: &Path, hour: u32, minutes: std::ops::Range<u32>) {
    let line = |m| {
        format!(
            "{{\"time\": \"2026-11-20T{hour:02}:{m:02}:00Z\", \"level\": \"info\", \"msg\": \"at {m}\"}}\n"
        )
    };
    write(path, minutes.map(line).collect());
}

fn write(path: &Path, text: String) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The zone of each log by its path below `dir`.
fn zones(dir: &Path) -> Vec<(String, String)> {
    let dir = dir.to_str().unwrap();
    let sources = objects(&ok(&["sources", dir, "--format", "jsonl"]));
    let zone = |s: &Map<String, Json>| {
        let path = s["path"].as_str().unwrap().strip_prefix(dir).unwrap();
        (path.to_owned(), s["zone"].as_str().unwrap().to_owned())
    };
    sources.iter().map(zone).collect()
}

fn of<'z>(zones: &'z [(String, String)], path: &str) -> &'z str {
    let (_, zone) = zones.iter().find(|(p, _)| p == path).unwrap();
    zone
}

#[test]
fn each_run_has_the_zone_that_its_own_logs_show() {
    let dir = tempfile::tempdir().unwrap();
    let at = |path: &str| dir.path().join(path);
    stated(&at("west/events.jsonl"), 19, 0..50);
    local(&at("west/client.log"), 13, 0..50);
    local(&at("west/workers/one.log"), 13, 10..40);
    stated(&at("east/events.jsonl"), 4, 0..50);
    local(&at("east/client.log"), 10, 0..50);
    let found = zones(dir.path());
    for (path, zone) in [
        ("/west/client.log", "UTC-06:00"),
        ("/west/workers/one.log", "UTC-06:00"),
        ("/east/client.log", "UTC+06:00"),
    ] {
        assert!(of(&found, path).starts_with(zone), "{path}: {found:?}");
    }
}

#[test]
fn a_place_that_leaves_it_open_has_the_clock_of_the_run_around_it() {
    let dir = tempfile::tempdir().unwrap();
    let at = |path: &str| dir.path().join(path);
    stated(&at("west/events.jsonl"), 19, 0..50);
    local(&at("west/client.log"), 13, 0..50);
    // Of these alone nobody could report: they neither begin nor end together.
    stated(&at("west/deep/few.jsonl"), 19, 20..25);
    local(&at("west/deep/all.log"), 13, 0..40);
    let found = zones(dir.path());
    let deep = of(&found, "/west/deep/all.log");
    assert!(deep.starts_with("UTC-06:00"), "{found:?}");
}

#[test]
fn what_the_logs_beside_it_show_is_nearer_than_what_another_run_shows() {
    // A record of the other run has both times.
    const BOTH: &str = "1795203787.000001 2026-11-20 13:43:07 MainProcess-3288 MainThread-1396765 parsl.dataflow.dflow:734 launch INFO: Task 1 done\n";
    let dir = tempfile::tempdir().unwrap();
    let at = |path: &str| dir.path().join(path);
    write(&at("run/parsl.log"), BOTH.to_owned());
    stated(&at("east/events.jsonl"), 4, 0..50);
    local(&at("east/client.log"), 10, 0..50);
    local(&at("alone/client.log"), 12, 0..50);
    let found = zones(dir.path());
    let east = of(&found, "/east/client.log");
    assert!(east.starts_with("UTC+06:00: the logs then begin"), "{east}");
    // Nothing stands beside it: what the other run shows is better than nothing.
    let alone = of(&found, "/alone/client.log");
    assert!(alone.starts_with("UTC-06:00, as in "), "{alone}");
}

#[test]
fn which_logs_have_which_zone_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let at = |path: &str| dir.path().join(path);
    stated(&at("east/events.jsonl"), 4, 0..50);
    local(&at("east/client.log"), 10, 0..50);
    stated(&at("west/events.jsonl"), 19, 0..50);
    for name in ["a", "b", "c", "d"] {
        local(&at(&format!("west/{name}.log")), 13, 0..50);
    }
    let reported = ok(&["sources", dir.path().to_str().unwrap()]);
    assert!(
        reported.contains("times without a zone in client: UTC+06:00"),
        "{reported}"
    );
    assert!(
        reported.contains("times without a zone in a, b, c and 1 more log: UTC-06:00"),
        "{reported}"
    );
}

#[test]
fn json_logs_without_a_zone_lie_beside_those_that_state_one() {
    let dir = tempfile::tempdir().unwrap();
    stated(&dir.path().join("a.jsonl"), 21, 0..50);
    let line = |m| {
        format!(
            "{{\"ts\": \"2026-11-20T10:{m:02}:00\", \"level\": \"info\", \"event\": \"step {m}\"}}\n"
        )
    };
    write(&dir.path().join("b.jsonl"), (0..50).map(line).collect());
    let zone = |name: &str| {
        let all = zones(dir.path());
        all.into_iter()
            .find(|(path, _)| path.ends_with(name))
            .unwrap()
            .1
    };
    assert!(
        zone("b.jsonl").starts_with("UTC-11:00"),
        "{}",
        zone("b.jsonl")
    );
    // Ranges that are not alike prove nothing.
    write(&dir.path().join("b.jsonl"), (0..9).map(line).collect());
    assert!(
        zone("b.jsonl").contains("no log shows the zone"),
        "{}",
        zone("b.jsonl")
    );
}

/// Logs of hosts in three zones, of which the second host has records about the orders of the first and the third.
fn orders(dir: &Path, hours: [u32; 3]) {
    let log = |name: &str, hour: u32, words: &str, second: u32, which: fn(u32) -> bool| {
        let line = |n| {
            format!("2026-11-20 {hour:02}:{n:02}:{second:02},417 INFO {words} order wo-17{n:03}\n")
        };
        let numbers = (0..40).filter(|n| which(*n));
        write(&dir.join(name), numbers.map(line).collect());
    };
    log("desk.log", hours[0], "accepted", 6, |_| true);
    log("kiln_a.log", hours[1], "fires", 7, |n| n % 2 == 0);
    log("kiln_b.log", hours[2], "cools", 6, |n| n % 2 == 1);
}

#[test]
fn names_that_several_logs_share_show_the_zones_of_their_hosts() {
    let dir = tempfile::tempdir().unwrap();
    orders(dir.path(), [12, 21, 8]);
    let found = zones(dir.path());
    assert!(of(&found, "/desk.log").contains("no log shows the zone"));
    assert!(
        of(&found, "/kiln_a.log").starts_with("UTC+09:00"),
        "{found:?}"
    );
    assert!(
        of(&found, "/kiln_b.log").starts_with("UTC-04:00"),
        "{found:?}"
    );
    // An order that was worked off hours later is no zone.
    let dir = tempfile::tempdir().unwrap();
    orders(dir.path(), [12, 18, 12]);
    let late = |n: u32| {
        let second = 4 + n * 7 % 50;
        format!("2026-11-20 18:{n:02}:{second:02},417 INFO fires order wo-17{n:03}\n")
    };
    write(&dir.path().join("kiln_a.log"), (0..40).map(late).collect());
    let found = zones(dir.path());
    assert!(
        of(&found, "/kiln_a.log").contains("no log shows the zone"),
        "{found:?}"
    );
}

#[test]
fn programs_that_write_utc_beside_local_times_hide_no_zone() {
    let dir = tempfile::tempdir().unwrap();
    let at = |path: &str| dir.path().join(path);
    let stated = |m| format!("[2026-11-20 13:{m:02}:00 -0600] [17] [INFO] request {m}\n");
    write(&at("server/gunicorn.error"), (0..50).map(stated).collect());
    local(&at("site/service.log"), 13, 0..50);
    let utc = |m| format!("2026-11-20T19:{m:02}:00.120000 job {m} is done\n");
    write(&at("events.txt"), (10..40).map(utc).collect());
    let found = zones(dir.path());
    assert!(
        of(&found, "/site/service.log").starts_with("UTC-06:00"),
        "{found:?}"
    );
    assert!(
        of(&found, "/events.txt").contains("no log shows the zone"),
        "{found:?}"
    );
}
