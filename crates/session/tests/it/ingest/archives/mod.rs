//! Archives and compressed files, also nested: every container gives the records of the plain folder, and a hostile or
//! damaged one affects itself alone.

mod containers;
mod damage;
mod framing;
mod limits;

use std::fs;

use widetui_store::{Snapshot, Source};

use widetui_testing::runs;
use widetui_testing::runs::source;

const LINE: &str = "1795225387.115450 2026-11-20 19:43:07 MainProcess-3288 MainThread-1396765 parsl.dataflow.dflow:734 launch INFO: Task 1 done\n";

/// Lines that are distinct and compress moderately.
fn lines(count: usize) -> String {
    (0..count)
        .map(|i| LINE.replace("Task 1", &format!("Task {}", i * 7919 % 20_011)))
        .collect()
}

/// Writes a file and opens it.
fn load(name: &str, bytes: &[u8]) -> std::sync::Arc<Snapshot> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    fs::write(&path, bytes).unwrap();
    let snapshot = runs::load(&path, 2);
    let left: Vec<_> = fs::read_dir(dir.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing is written beside it");
    snapshot
}

fn problems(source: &Source) -> String {
    let texts: Vec<String> = source.problems.iter().map(|p| p.to_string()).collect();
    texts.join("\n")
}
