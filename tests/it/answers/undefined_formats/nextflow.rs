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
    let first = &diagnosis.findings[0];
    assert!(first.title.contains("exit code 137"), "{first:#?}");
    let effects: Vec<&str> = first.effects.iter().map(|e| e.title.as_str()).collect();
    let hangs = effects
        .iter()
        .any(|e| e.contains("ALIGN (s2) (ALIGN) began and never ended"));
    assert!(hangs, "{effects:?}");
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
