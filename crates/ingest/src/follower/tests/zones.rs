//! Tests: timestamps without a zone in files that appear while others are followed.

use std::fs;
use std::path::Path;

use super::{Live, SOON, all_of, line};
use crate::load::{self};
use crate::options::OpenOptions;
use widetui_time::zone::Zone;

/// Record of which the timestamp has a zone.
fn stated(hour: u32, minute: u32) -> String {
    format!(
        "{{\"time\": \"2026-11-20T{hour:02}:{minute:02}:00Z\", \"level\": \"info\", \"msg\": \"at {minute}\"}}\n"
    )
}

/// Record with an epoch and a local time six hours behind UTC.
const BOTH: &str = "1795203787.000001 2026-11-20 13:43:07 MainProcess-3288 MainThread-1396765 parsl.dataflow.dflow:734 launch INFO: Task 1 done\n";

fn open(dir: tempfile::TempDir) -> Live {
    let options = options(dir.path());
    Live::open_with(dir, &options)
}

fn options(dir: &Path) -> OpenOptions {
    OpenOptions {
        zone: None,
        fallback_zone: Zone::Utc,
        ..super::options(dir)
    }
}

fn check_end(live: &Live) {
    let options = options(live.dir.path());
    let (whole, _) = load::load_all(&options, &Default::default(), Default::default()).unwrap();
    let logs = |s: &widetui_store::Snapshot| all_of(s, |_| true);
    assert_eq!(logs(&live.snapshot), logs(&whole));
}

#[test]
fn a_log_that_comes_later_lies_with_those_before_it() {
    let dir = tempfile::tempdir().unwrap();
    let json: String = (0..50).map(|m| stated(13, m)).collect();
    fs::write(dir.path().join("a.jsonl"), json).unwrap();
    let local: String = (0..50).map(|m| line(m * 60, m)).collect();
    fs::write(dir.path().join("b.log"), &local).unwrap();
    let mut live = open(dir);
    let zone = |live: &Live, name: &str| {
        let mut sources = live.snapshot.sources.iter();
        let source = sources.find(|s| s.path.ends_with(name)).unwrap();
        format!("{:?}", source.zoning)
    };
    assert!(
        zone(&live, "b.log").contains("begin and end together"),
        "{}",
        zone(&live, "b.log")
    );
    live.append("new/c.log", line(900, 1).as_bytes());
    live.poll(SOON * 6);
    assert_eq!(zone(&live, "c.log"), zone(&live, "b.log"));
    live.settle();
    check_end(&live);
    assert_eq!(live.problems(), "");
}

#[test]
fn a_record_that_shows_the_zone_counts_for_all_that_came_with_it() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.jsonl"), stated(19, 43)).unwrap();
    let mut live = open(dir);
    // The source without a zone is found first.
    live.append("run/b.log", line(900, 1).as_bytes());
    live.append("run/parsl.log", BOTH.as_bytes());
    live.poll(SOON * 6);
    live.settle();
    check_end(&live);
    assert_eq!(live.problems(), "");
}

#[test]
fn what_lies_elsewhere_by_what_came_later_is_put_there_and_that_is_told() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("b.log"), line(900, 1)).unwrap();
    let mut live = open(dir);
    let before = live.snapshot.at(0).unwrap().time();
    live.append("parsl.log", BOTH.as_bytes());
    live.poll(SOON * 6);
    live.append("b.log", line(901, 1).as_bytes());
    live.settle();
    let own = (0..3).map(|at| live.snapshot.at(at).unwrap());
    let own = own.filter(|e| e.source().path.ends_with("b.log"));
    let first = own.map(|e| e.time()).min().unwrap();
    assert_eq!(first, before.map(|t| t + 6 * 3_600_000_000_000));
    check_end(&live);
    let told = live.problems();
    assert!(
        told.contains("b.log: its times were taken to be in the zone of this machine"),
        "{told}"
    );
    assert!(told.contains("UTC-06:00, as in"), "{told}");
}
