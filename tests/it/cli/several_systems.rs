//! Runs without names opened together: equal names in two runs are different instances.

use std::fs;
use std::path::Path;

use super::*;

/// Transitions of a Dask scheduler: a task `slow-1`, and whether it came to its end.
fn dask(folder: &Path, start: f64, ends: bool) {
    fs::create_dir_all(folder).unwrap();
    let change = |at: f64, from: &str, to: &str| {
        let time = start + at;
        format!(
            "{{\"key\": \"slow-1\", \"start\": \"{from}\", \"finish\": \"{to}\", \"recommendations\": {{}}, \"stimulus_id\": \"update-graph-1\", \"timestamp\": {time:.6}}}\n"
        )
    };
    let mut text = change(0.0, "released", "waiting") + &change(0.1, "waiting", "processing");
    if ends {
        text += &change(9.0, "processing", "memory");
    }
    fs::write(folder.join("transitions.jsonl"), text).unwrap();
}

fn tasks(path: &Path) -> u64 {
    let rows = objects(&ok(&[
        "entities",
        path.to_str().unwrap(),
        "--format",
        "jsonl",
    ]));
    let row = rows.iter().find(|r| r["entity"] == "dask.task").unwrap();
    row["instances"].as_u64().unwrap()
}

#[test]
fn what_hangs_in_one_is_not_ended_by_its_namesake_in_the_other() {
    let dir = tempfile::tempdir().unwrap();
    dask(&dir.path().join("runA"), 1_795_225_022.0, false);
    dask(&dir.path().join("runB"), 1_795_235_022.0, true);
    assert_eq!(tasks(dir.path()), 2);
    let hung = ok(&["hung", dir.path().to_str().unwrap()]);
    assert!(hung.contains("task slow-1 of runA"), "{hung}");
    assert!(hung.contains("1 of 2 Dask tasks ended"), "{hung}");
}

#[test]
fn a_single_run_needs_no_name() {
    let dir = tempfile::tempdir().unwrap();
    dask(&dir.path().join("runA"), 1_795_225_022.0, false);
    assert_eq!(tasks(dir.path()), 1);
    let keys = ok(&["keys", dir.path().to_str().unwrap()]);
    assert!(!keys.contains("dask.run"), "{keys}");
    let entities = ok(&["entities", dir.path().to_str().unwrap()]);
    assert!(!entities.contains("dask.run"), "{entities}");
}

#[test]
fn a_copy_of_a_run_is_that_run() {
    let dir = tempfile::tempdir().unwrap();
    dask(&dir.path().join("runA"), 1_795_225_022.0, true);
    dask(&dir.path().join("copy"), 1_795_225_022.0, true);
    assert_eq!(tasks(dir.path()), 1);
}
