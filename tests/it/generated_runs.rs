//! The generated runs of `benches/gen` must be what they stand in for: every header in Parsl's layout, every answer true, ids that
//! agree over the files. Otherwise the benchmarks measure something else.

#[path = "../../benches/gen/mod.rs"]
mod generated;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

use generated::{Plan, Style};
use regex::Regex;

const HEADER: &str = r"^(\d+\.\d{6}) (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) (\S.*?)-(\d+) (\S.*?)-(\d+) ([\w.]+):(\d+) (\S+) (DEBUG|INFO|WARNING|ERROR|CRITICAL): (.*)$";

struct Record {
    nanoseconds: u64,
    thread: (String, String),
    level: String,
    message: String,
}

fn plan(out: &Path, style: Style, events: u64, worker_logs: usize) -> Plan {
    Plan {
        events,
        style,
        worker_logs,
        seed: 7,
        out: out.to_path_buf(),
    }
}

fn nanoseconds(text: &str) -> u64 {
    let (whole, part) = text.split_once('.').unwrap();
    format!("{whole}{part:0<9}").parse().unwrap()
}

/// The records of a file; a text line without a header is a continuation and must not look like the start of one.
fn read(path: &Path, style: Style) -> Vec<Record> {
    let header = Regex::new(HEADER).unwrap();
    let starts = Regex::new(r"^\d{10}\.").unwrap();
    let text = fs::read_to_string(path).unwrap();
    let record = |line: &str| match style {
        Style::Json => {
            let record: HashMap<String, String> = serde_json::from_str(line).unwrap();
            assert!(record.len() >= 24, "{line}");
            assert!(
                record["formatted"].starts_with(&record["message"]),
                "{line}"
            );
            Some(Record {
                nanoseconds: nanoseconds(&record["created"]),
                thread: (record["process"].clone(), record["thread"].clone()),
                level: record["levelname"].clone(),
                message: record["message"].clone(),
            })
        }
        Style::Text => match header.captures(line) {
            Some(found) => Some(Record {
                nanoseconds: nanoseconds(&found[1]),
                thread: (found[4].to_owned(), found[6].to_owned()),
                level: found[10].to_owned(),
                message: found[11].to_owned(),
            }),
            None => {
                assert!(!starts.is_match(line), "a header that does not fit: {line}");
                None
            }
        },
    };
    text.lines().filter_map(record).collect()
}

fn check(style: Style, worker_logs: usize) {
    let dir = tempfile::tempdir().unwrap();
    let answer = generated::generate(&plan(dir.path(), style, 40_000, worker_logs)).unwrap();
    assert!(
        (36_000..48_000).contains(&answer.total.records),
        "{}",
        answer.total.records
    );
    assert_eq!(
        answer.states.iter().map(|(_, n)| n).sum::<u64>(),
        answer.tasks
    );
    let launched = Regex::new(r"^(?:Parsl task|Task) (\d+):? try \d+ launched on executor htex_sim with executor id (\d+)$").unwrap();
    let received =
        Regex::new(r"^(?:Received executor task (\d+)|HTEX task (\d+): received executor task)$")
            .unwrap();
    let (mut sent, mut worked) = (HashSet::new(), HashSet::new());
    let mut total = 0;
    for (path, counts) in &answer.files {
        let full = dir.path().join("runinfo").join(path);
        let records = read(&full, style);
        total += records.len() as u64;
        assert_eq!(records.len() as u64, counts.records, "{path}");
        assert_eq!(fs::metadata(&full).unwrap().len(), counts.bytes, "{path}");
        assert_eq!(
            records.iter().map(|r| r.nanoseconds).min(),
            counts.first.map(|t| t * 1000)
        );
        assert_eq!(
            records.iter().map(|r| r.nanoseconds).max(),
            counts.last.map(|t| t * 1000)
        );
        let errors = records.iter().filter(|r| r.level == "ERROR").count() as u64;
        assert_eq!(errors, counts.levels[3], "{path}");
        let mut clocks: HashMap<&(String, String), u64> = HashMap::new();
        for record in &records {
            let clock = clocks.entry(&record.thread).or_default();
            assert!(
                *clock <= record.nanoseconds,
                "one thread's time steps back: {path} {}",
                record.message
            );
            *clock = record.nanoseconds;
            if let Some(found) = launched.captures(&record.message) {
                assert!(
                    sent.insert(found[2].to_owned()),
                    "launched twice: {}",
                    record.message
                );
            }
            if let Some(found) = received.captures(&record.message) {
                let id = found.get(1).or(found.get(2)).unwrap().as_str().to_owned();
                assert!(worked.insert(id), "received twice: {}", record.message);
            }
        }
    }
    assert_eq!(total, answer.total.records);
    assert_eq!(sent.len() as u64, answer.tries);
    assert_eq!(sent, worked);
}

#[test]
fn text_runs_read_as_announced() {
    check(Style::Text, 32);
}

#[test]
fn json_runs_read_as_announced() {
    check(Style::Json, 32);
}

#[test]
fn many_small_files_hold_the_same_records() {
    check(Style::Text, 1500);
}

#[test]
fn one_seed_gives_one_run() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let answers = [&one, &two]
        .map(|dir| generated::generate(&plan(dir.path(), Style::Text, 20_000, 32)).unwrap());
    for (path, _) in &answers[0].files {
        let read =
            |dir: &tempfile::TempDir| fs::read(dir.path().join("runinfo").join(path)).unwrap();
        assert!(read(&one) == read(&two), "{path} differs");
    }
    assert_eq!(answers[0].to_json(), answers[1].to_json());
    let probe = answers[0].to_json()["probe"].clone();
    assert_eq!(probe["task"], generated::PROBE);
}

#[test]
fn a_run_is_never_written_over_another() {
    let dir = tempfile::tempdir().unwrap();
    let plan = plan(dir.path(), Style::Text, 10_000, 4);
    assert!(generated::generate(&plan).is_ok());
    assert!(generated::generate(&plan).is_err());
}
