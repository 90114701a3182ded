//! Numbers over time by app, depth and run against counts of the lines of the logs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use regex::Regex;
use serde_json::Value as Json;
use widetui_testing::runs::{data, unpacked};

use crate::program::PROGRAM;

/// Tasks of a run, read from the log of its kernel.
#[derive(Default)]
struct LoggedTasks {
    /// Time of the first record, µs.
    start: i64,
    app: BTreeMap<u64, String>,
    depth: BTreeMap<u64, u64>,
    /// (time in µs, task, state left, state entered), in order.
    changes: Vec<(i64, u64, Option<String>, String)>,
}

fn logged(path: &Path) -> LoggedTasks {
    let text = fs::read_to_string(path).unwrap();
    let submitted =
        Regex::new(r"Task (\d+) submitted for App (\w+), (?:waiting on (.*)|not waiting)").unwrap();
    let changed =
        Regex::new(r"Task (\d+) (?:initializing state|changing state from (\w+)) to (\w+)")
            .unwrap();
    let task = Regex::new(r"task (\d+)").unwrap();
    let mut out = LoggedTasks::default();
    for line in text.lines() {
        let Some((seconds, rest)) = line.split_once(' ') else {
            continue;
        };
        let Some((whole, fraction)) = seconds.split_once('.').filter(|s| s.1.len() == 6) else {
            continue;
        };
        let time: i64 = format!("{whole}{fraction}").parse().unwrap();
        if out.start == 0 {
            out.start = time;
        }
        if let Some(found) = submitted.captures(rest) {
            let number: u64 = found[1].parse().unwrap();
            let before = found.get(3).map_or("", |list| list.as_str());
            let before = task.captures_iter(before);
            let depths = before.map(|t| out.depth[&t[1].parse::<u64>().unwrap()] + 1);
            let depth = depths.max().unwrap_or(0);
            out.depth.insert(number, depth);
            out.app.insert(number, found[2].to_owned());
        } else if let Some(found) = changed.captures(rest) {
            let number = found[1].parse().unwrap();
            let left = found.get(2).map(|state| state.as_str().to_owned());
            out.changes.push((time, number, left, found[3].to_owned()));
        }
    }
    assert!(!out.changes.is_empty(), "{}", path.display());
    out
}

/// Number of tasks by group and state at each time (µs) at which one changes.
fn counted(
    tasks: &LoggedTasks,
    group: impl Fn(u64) -> String,
) -> BTreeMap<(String, String), BTreeMap<i64, i64>> {
    let mut now: BTreeMap<(String, String), i64> = BTreeMap::new();
    let mut out: BTreeMap<(String, String), BTreeMap<i64, i64>> = BTreeMap::new();
    for (time, task, left, entered) in &tasks.changes {
        let mut add = |state: &String, n: i64| {
            let key = (group(*task), state.clone());
            let number = now.entry(key.clone()).or_default();
            *number += n;
            out.entry(key).or_default().insert(*time, *number);
        };
        left.iter().for_each(|state| add(state, -1));
        add(entered, 1);
    }
    out
}

fn rows(args: &[&str], paths: &[PathBuf]) -> Vec<Json> {
    let out = Command::new(PROGRAM)
        .args(args)
        .args(["--format", "jsonl", "--tz", "UTC"])
        .args(paths)
        .output()
        .unwrap();
    assert!(out.status.success(), "{out:?}");
    let text = String::from_utf8(out.stdout).unwrap();
    let rows = text.lines().map(|l| serde_json::from_str(l).unwrap());
    rows.filter(|row: &Json| row.get("kind").is_none())
        .collect()
}

/// Moment of a row, µs.
fn moment(row: &Json) -> i64 {
    let time = nanoseconds(row["time"].as_str().unwrap());
    time / 1000
}

/// Nanoseconds since 1970 of `2026-11-21T01:43:31.030113000Z`.
fn nanoseconds(text: &str) -> i64 {
    let numbers: Vec<i64> = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().unwrap())
        .collect();
    let [y, m, d, hours, minutes, seconds, ns] = numbers[..] else {
        panic!("{text}");
    };
    // Days from the civil date (Howard Hinnant).
    let (y, m) = if m > 2 { (y, m - 3) } else { (y - 1, m + 9) };
    let days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + d - 1 - 719_468;
    (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000_000_000 + ns
}

/// Value of a step function at a time.
fn at(steps: Option<&BTreeMap<i64, i64>>, time: i64) -> i64 {
    let before = steps.and_then(|steps| steps.range(..=time).next_back());
    before.map_or(0, |p| *p.1)
}

#[test]
fn states_by_app_and_by_depth_are_those_of_the_lines() {
    let tasks = logged(&data().join("hung/000/parsl.log"));
    assert!(tasks.depth.values().any(|depth| *depth > 1));
    let by_app = counted(&tasks, |task| tasks.app[&task].clone());
    let by_depth = counted(&tasks, |task| tasks.depth[&task].to_string());
    for (key, expected) in [("parsl.app", by_app), ("depth", by_depth)] {
        let found = rows(
            &["states", "parsl.task", "--by", key],
            &[data().join("hung")],
        );
        let mut steps: BTreeMap<(String, String), BTreeMap<i64, i64>> = BTreeMap::new();
        for row in &found {
            let text = |field: &str| row[field].as_str().unwrap().to_owned();
            let of = steps.entry((text("group"), text("state"))).or_default();
            of.insert(moment(row), row["count"].as_i64().unwrap());
        }
        let keys = |of: &BTreeMap<(String, String), BTreeMap<i64, i64>>| {
            of.keys().cloned().collect::<Vec<_>>()
        };
        assert_eq!(keys(&steps), keys(&expected), "{key}");
        // Tasks that have not ended leave their state with the run.
        let last = tasks.changes.last().unwrap().0;
        for (of, expected) in &expected {
            for (time, ..) in tasks.changes.iter().filter(|c| c.0 <= last) {
                let (one, other) = (at(steps.get(of), *time), at(Some(expected), *time));
                assert_eq!(one, other, "{key} {of:?} at {time}");
            }
        }
    }
}

/// Tasks that a join app starts and waits for are not before it: all submissions of the first run say "not waiting on any
/// dependency". Tasks of a run without any dependency have depth 0.
#[test]
fn joined_tasks_add_no_depth() {
    let (sites, multi) = (unpacked("sites.tar.gz"), unpacked("multi.tar.gz"));
    let joins = sites.path().join("parsl-joins/home/runinfo");
    for path in [joins, multi.path().join("runinfo/002")] {
        let found = rows(&["states", "parsl.task", "--by", "depth"], &[path]);
        let is_first = |row: &Json| row["group"].as_str() == Some("0");
        assert!(!found.is_empty() && found.iter().all(is_first));
    }
}

#[test]
fn runs_are_laid_over_one_another_from_their_starts() {
    let dir = unpacked("multi.tar.gz");
    let other = dir.path().join("runinfo/002");
    let paths = [data().join("hung"), other.clone()];
    let found = rows(&["throughput", "parsl.task", "--from-start"], &paths);
    let logs = [data().join("hung/000/parsl.log"), other.join("parsl.log")];
    let mut groups: Vec<&str> = found.iter().map(|r| r["group"].as_str().unwrap()).collect();
    groups.sort_unstable();
    groups.dedup();
    assert_eq!(groups.len(), 2, "{groups:?}");
    for (log, group) in logs.iter().zip(["000", "002"]) {
        let tasks = logged(log);
        let ends = tasks.changes.iter();
        let ends = ends.filter(|c| c.3.ends_with("_done") || c.3.ends_with("fail"));
        let expected: Vec<i64> = ends.map(|c| c.0 - tasks.start).collect();
        assert!(!expected.is_empty());
        let own = found
            .iter()
            .filter(|r| r["group"].as_str().unwrap().ends_with(group));
        let elapsed = |r: &Json| (r["elapsed_s"].as_f64().unwrap() * 1e6).round() as i64;
        let mut counts: Vec<(i64, i64)> = Vec::new();
        for row in own {
            counts.push((elapsed(row), row["count"].as_i64().unwrap()));
        }
        for (time, count) in &counts {
            let ended = expected.iter().filter(|end| *end <= time).count() as i64;
            assert_eq!(*count, ended, "{group} after {time} µs");
        }
        assert_eq!(counts.last().unwrap().1, expected.len() as i64);
    }
}

#[test]
fn work_that_waits_for_a_resource_is_not_counted_as_running() {
    // The transitions of a scheduler alone do not say when a worker computes; until a key is assigned it does not run.
    let row = |key: &str, from: &str, to: &str, seconds: f64| {
        let time = 1_795_227_180.0 + seconds;
        format!(
            r#"{{"key": "{key}", "start": "{from}", "finish": "{to}", "recommendations": {{}}, "stimulus_id": "s", "timestamp": {time}}}"#
        )
    };
    let mut log = Vec::new();
    for n in 0..3 {
        let (key, start) = (format!("('load', {n})"), 10.0 * f64::from(n));
        log.push(row(&key, "released", "waiting", 0.1 * f64::from(n)));
        log.push(row(&key, "waiting", "queued", 0.5));
        log.push(row(&key, "queued", "processing", 1.0 + start));
        log.push(row(&key, "processing", "memory", 8.0 + start));
    }
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("transitions.jsonl"), log.join("\n")).unwrap();
    let found = rows(
        &["spans", "dask.task", "--concurrency"],
        &[dir.path().to_owned()],
    );
    let most = found.iter().filter_map(|row| row["count"].as_u64()).max();
    assert_eq!(most, Some(1), "{found:?}");
}
