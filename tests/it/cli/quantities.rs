//! Numbers with units in messages: comparison, series.

use std::fs;
use std::process::Command;

use super::{Json, objects, ok};

const LOG: &str = "\
2026-11-19 13:21:12,512 - distributed.worker.memory - WARNING - Worker is at 81% memory usage. Pausing worker.  Process memory: 5.76 GiB -- Worker memory limit: 7.00 GiB
2026-11-19 13:21:14,512 - distributed.worker.memory - WARNING - Worker is at 71% memory usage. Resuming worker. Process memory: 900.00 MiB -- Worker memory limit: 7.00 GiB
2026-11-19 13:21:15,512 - app - INFO - cpu=95% memory=512MB elapsed: 3.5 s
2026-11-19 13:21:16,512 - app - INFO - cpu=7 % memory=2 GB elapsed: 250 ms
";

fn run(args: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("run.log"), LOG).unwrap();
    let run = Command::new(env!("CARGO_BIN_EXE_widetui"))
        .current_dir(folder.path())
        .args(args)
        .output()
        .unwrap();
    String::from_utf8(run.stdout).unwrap() + &String::from_utf8(run.stderr).unwrap()
}

#[test]
fn numbers_with_units_compare_by_size() {
    for (condition, seconds) in [
        ("dask.process_memory > 5GiB", &["12"][..]),
        ("dask.process_memory < 1 GiB", &["14"]),
        ("memory > 1GB", &["16"]),
        ("memory > 1MiB and cpu > 50", &["15"]),
        ("elapsed < 1s", &["16"]),
        ("elapsed >= 3500 ms", &["15"]),
        ("elapsed > 1MB", &[]),
        ("cpu = 7%", &["16"]),
    ] {
        let out = run(&["events", "--where", condition, "run.log"]);
        let found: Vec<&str> = out.lines().filter_map(|l| l.get(17..19)).collect();
        assert_eq!(found, seconds, "{condition}: {out}");
    }
}

#[test]
fn numbers_with_units_are_series_in_their_base_unit() {
    for (key, values) in [
        ("dask.process_memory", &["6184752906.24", "943718400.0"][..]),
        ("memory", &["512000000.0", "2000000000.0"]),
        ("elapsed", &["3.5", "0.25"]),
        ("cpu", &["95.0", "7.0"]),
    ] {
        let out = run(&["series", key, "--format", "csv", "run.log"]);
        let found: Vec<f64> = { out.lines().skip(1) }
            .map(|l| l.split(',').nth(1).unwrap().parse().unwrap())
            .collect();
        let values: Vec<f64> = values.iter().map(|v| v.parse().unwrap()).collect();
        assert_eq!(found, values, "{key}: {out}");
    }
    let out = run(&["series", "dask.process_memory", "run.log"]);
    assert!(out.contains("dask.process_memory [B]"), "{out}");
}

#[test]
fn equally_frequent_spellings_have_one_name_in_all_tables() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("app.log");
    let line = |n: usize, job: &str| format!("2026-11-21 10:00:0{n},100 INFO job_no={job} step\n");
    let lines = ["0124", "124", "0125", "125"].into_iter().enumerate();
    std::fs::write(&log, lines.map(|(n, job)| line(n, job)).collect::<String>()).unwrap();
    let log = log.display().to_string();
    let values = objects(&ok(&["keys", "--key", "job_no", &log, "--format", "jsonl"]));
    let values: Vec<&Json> = values.iter().map(|row| &row["value"]).collect();
    let keys = objects(&ok(&["keys", &log, "--format", "jsonl"]));
    let top = keys.iter().find(|row| row["key"] == "job_no").unwrap()["top"]
        .as_array()
        .unwrap();
    let top: Vec<&Json> = top.iter().map(|row| &row["value"]).collect();
    assert_eq!(top, values);
}

#[test]
fn whole_numbers_have_one_spelling_in_all_outputs() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("parsl.log");
    let line = |time: &str, text: &str| {
        format!("2026-11-21 10:00:{time} parsl.dataflow.dflow:1 [INFO]  {text}\n")
    };
    let launched = "Parsl task 0124 try 00 launched on executor htex with executor id 0012";
    let text = line("01.100", launched)
        + &line(
            "02.100",
            "Task 0124 changing state from pending to launched",
        );
    std::fs::write(&log, text).unwrap();
    let log = log.display().to_string();
    for words in [
        &["keys"][..],
        &["keys", "--key", "parsl.task"],
        &["entities", "parsl.task"],
        &["export", "-o", "-"],
        &["export", "-o", "-", "--format", "csv"],
        &["spans", "parsl.task"],
    ] {
        let out = ok(&[words, &[&log]].concat());
        let rows = out
            .lines()
            .map(|row| row.replace(launched, "").replace("Task 0124", ""));
        let rows: String = rows.collect();
        assert!(
            rows.contains("124") && !rows.contains("0124"),
            "{words:?}: {out}"
        );
    }
    let record = objects(&ok(&["export", "-o", "-", &log])).remove(0);
    assert_eq!(record["parsl.task"], 124);
    assert_eq!(record["parsl.try"], 0);
}
