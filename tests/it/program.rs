//! Calls of the program, and what it prints.

use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;
use widetui_testing::runs::unpacked;

/// The program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_widetui");

/// Rows that a command prints about a run, without the summary of `diagnose`.
pub fn printed(command: &str, options: &[&str], path: &Path) -> Vec<Json> {
    let out = Command::new(PROGRAM)
        .arg(command)
        .args(options)
        .args(["--format", "jsonl", "--tz", "UTC"])
        .arg(path)
        .output()
        .unwrap();
    assert!(out.status.success(), "{out:?}");
    let text = String::from_utf8(out.stdout).unwrap();
    let lines = text.lines().map(|line| {
        let mut row: Json = serde_json::from_str(line).unwrap();
        // The version of the fields in the first row.
        row.as_object_mut().unwrap().shift_remove("_schema");
        row
    });
    let is_finding = |row: &Json| command != "diagnose" || row["kind"] != "summary";
    lines.filter(is_finding).collect()
}

/// Rows that a command prints about a part of an archive of `tests/data`.
pub fn printed_of(archive: &str, part: &str, command: &str, options: &[&str]) -> Vec<Json> {
    let dir = unpacked(archive);
    printed(command, options, &dir.path().join(part))
}
