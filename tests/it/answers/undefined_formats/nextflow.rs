//! Nextflow: a run with a killed, repeated and hanging task, and the table of its tasks.

use std::path::Path;

use crate::program::printed;
use widetui_testing::diagnosed::diagnosed;

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/nextflow")
}

#[test]
fn a_task_that_was_tried_again_and_hangs_is_reported() {
    let tasks = printed("entities", &["--of", "nextflow.task"], &folder());
    let states: Vec<(&str, &str)> = tasks
        .iter()
        .map(|t| (t["label"].as_str().unwrap(), t["state"].as_str().unwrap()))
        .collect();
    let expected = [
        ("ALIGN", "completed"),
        ("ALIGN", "submitted"),
        ("REPORT", "completed"),
    ];
    assert_eq!(states, expected, "{tasks:#?}");
    let (_, _, hung, diagnosis) = diagnosed(&folder());
    assert_eq!(hung.stuck.len(), 1);
    let titles: Vec<&str> = diagnosis
        .findings
        .iter()
        .map(|f| f.title.as_str())
        .collect();
    assert!(
        titles[0].starts_with("Task ALIGN (s2) (ALIGN) did not end: submitted for 9 m"),
        "{titles:#?}"
    );
    assert!(
        titles.contains(&"Tasks were killed by signal 9 (exit code 137) (ALIGN (s2))"),
        "{titles:#?}"
    );
    assert_eq!(titles.len(), 2, "{titles:#?}");
}

#[test]
fn rows_of_the_trace_belong_to_the_run_that_has_their_hash() {
    let rows = printed(
        "events",
        &["--where", "nextflow.task_id = 2 and status = FAILED"],
        &folder(),
    );
    assert_eq!(rows.len(), 1, "{rows:#?}");
    assert_eq!(rows[0]["nextflow.run"], "sleepy_hopper");
    assert_eq!(rows[0]["nextflow.process"], "ALIGN");
    assert_eq!(rows[0]["time"], "2026-01-31T15:37:59.588000000Z");
}
