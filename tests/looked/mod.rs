//! A run, with all that is found out about it without being asked.
//!
//! Each integration test compiles this module for itself and uses a part of it.
#![allow(dead_code)]

use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use serde_json::Value as Json;
use tempfile::TempDir;

use widetui::analysis::diagnose::{Diagnosis, diagnose};
use widetui::analysis::hung::{AllInstances, Hung, HungOptions, hung};
use widetui::base::cancel::{Cancel, Progress};
use widetui::base::zone::Zone;
use widetui::store::Snapshot;
use widetui::workspace::load::{OpenOptions, load_all};
use widetui::workspace::meaning::{Meaning, widened};

/// Unpacks an archive of `tests/data`.
pub fn unpacked(archive: &str) -> TempDir {
    let packed = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let packed = File::open(packed.join(archive)).unwrap();
    let dir = tempfile::tempdir().unwrap();
    tar::Archive::new(flate2::read::GzDecoder::new(packed))
        .unpack(dir.path())
        .unwrap();
    dir
}

/// What a command prints about a run, one object a line.
pub fn printed(command: &str, options: &[&str], path: &Path) -> Vec<Json> {
    let out = Command::new(env!("CARGO_BIN_EXE_widetui"))
        .arg(command)
        .args(options)
        .args(["--format", "jsonl", "--tz", "UTC"])
        .arg(path)
        .output()
        .unwrap();
    assert!(out.status.success(), "{out:?}");
    let text = String::from_utf8(out.stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// What a command prints about a part of an archive, one object a line.
pub fn printed_of(archive: &str, part: &str, command: &str, options: &[&str]) -> Vec<Json> {
    let dir = unpacked(archive);
    printed(command, options, &dir.path().join(part))
}

/// Opens what lies in a folder and looks for what is wrong.
pub fn looked(path: &Path) -> (Arc<Snapshot>, AllInstances, Hung, Diagnosis) {
    let options = OpenOptions {
        paths: vec![path.to_path_buf()],
        fallback_zone: Zone::Utc,
        ..OpenOptions::default()
    };
    let cancel = Cancel::default();
    let (snapshot, _) = load_all(&options, &cancel, Progress::default()).unwrap();
    let meaning = Meaning::new(&[]);
    let (snapshot, _) = widened(&snapshot, &meaning.joins, &cancel).unwrap();
    let found = AllInstances::scan(&snapshot, &meaning.entities, &cancel).unwrap();
    let hung = hung(&snapshot, &found, &HungOptions::default(), &cancel).unwrap();
    let (hints, zone) = (meaning.hints(), &Zone::Utc);
    let diagnosis = diagnose(&snapshot, &found, &hung, hints, zone, &cancel, &mut |_| {});
    (snapshot, found, hung, diagnosis.unwrap())
}
