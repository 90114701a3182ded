//! Exports and reads that a signal ends leave no files behind.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::*;
use crate::program::PROGRAM;

/// Log of which the compression of an export takes seconds.
fn long_log(folder: &Path) -> PathBuf {
    let path = folder.join("a.log");
    let lines = (0..300_000).map(|n| format!("2026-03-02 14:00:00 INFO w: job {n}\n"));
    fs::write(&path, lines.collect::<String>()).unwrap();
    path
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned());
    names.collect()
}

/// Sends a signal once a file is being written in a folder; returns how the program ended.
fn interrupt(mut child: Child, folder: &Path, signal: Signal) -> ExitStatus {
    let end = Instant::now() + Duration::from_secs(60);
    while names(folder).is_empty() {
        assert!(Instant::now() < end, "nothing is written");
        std::thread::sleep(Duration::from_millis(2));
    }
    kill_process(Pid::from_child(&child), signal).unwrap();
    child.wait().unwrap()
}

/// True if the tests, and so the program, were started with a signal ignored, as by `nohup`.
fn is_ignored(signal: Signal) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal.as_raw() - 1) & 1 == 1)
}

#[test]
fn an_export_that_a_signal_ends_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let log = long_log(dir.path());
    let out = dir.path().join("out");
    fs::create_dir(&out).unwrap();
    let file = out.join("x.jsonl.gz");
    let signals = [Signal::TERM, Signal::INT, Signal::HUP].into_iter();
    for signal in signals.filter(|signal| !is_ignored(*signal)) {
        let words = [
            "export",
            log.to_str().unwrap(),
            "-o",
            file.to_str().unwrap(),
        ];
        let status = interrupt(command(&words).spawn().unwrap(), &out, signal);
        assert_eq!(status.signal(), Some(signal.as_raw()), "{status}");
        assert_eq!(names(&out), [""; 0], "{signal:?}");
    }
    // A signal that the parent ignores, as nohup does, ends nothing.
    let child = Command::new("sh")
        .args(["-c", "trap '' HUP; exec \"$@\"", "sh", PROGRAM, "export"])
        .args([&log, Path::new("-o"), &file])
        .spawn()
        .unwrap();
    assert!(interrupt(child, &out, Signal::HUP).success());
    assert_eq!(names(&out), ["x.jsonl.gz"]);
}
