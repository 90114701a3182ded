//! `widetui watch`: a script waits for a state of a run.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

fn watch(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_widetui"));
    command.arg("watch").args(arguments).stdin(Stdio::null());
    command
}

fn outcome(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    (output.status.code(), out, err)
}

#[test]
fn a_run_that_is_over_is_stuck_or_ended_at_once() {
    let run = "tests/data/hung/000";
    for state in ["stuck", "end"] {
        let output = watch(&["--until", state, run]).output().unwrap();
        let (status, out, err) = outcome(&output);
        assert_eq!(status, Some(0), "{err}");
        assert!(out.contains("task 24 (wait_for_file)"), "{out}");
    }
    let output = watch(&["--until", "error", run]).output().unwrap();
    let (status, out, _) = outcome(&output);
    assert_eq!((status, out.lines().count()), (Some(0), 1), "{out}");
}

#[test]
fn the_status_says_that_an_awaited_error_did_not_come() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("a.log");
    fs::write(&log, "2024-05-01 10:00:00,000 INFO all is well\n".repeat(3)).unwrap();
    let output = watch(&["--until", "error", log.to_str().unwrap()])
        .output()
        .unwrap();
    let (status, out, err) = outcome(&output);
    assert_eq!((status, &*out), (Some(1), ""));
    assert!(err.contains("none of the awaited states came"), "{err}");
}

#[test]
fn an_error_in_a_growing_log_ends_the_wait_and_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("a.log");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let record = |after: u64, level: &str| {
        let time = now + Duration::from_secs(after);
        format!(
            "{{\"time\": {}.0, \"level\": \"{level}\", \"msg\": \"step {after}\"}}\n",
            time.as_secs()
        )
    };
    fs::write(&log, record(0, "info") + &record(1, "info")).unwrap();
    let path = log.to_str().unwrap();
    // The time limit is far away, so that the test fails rather than hangs.
    let child = watch(&[
        "--until",
        "error",
        "--timeout",
        "50s",
        "--format",
        "jsonl",
        path,
    ])
    .stdout(Stdio::piped())
    .stderr(Stdio::piped())
    .spawn()
    .unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let mut file = OpenOptions::new().append(true).open(&log).unwrap();
    file.write_all(record(2, "error").as_bytes()).unwrap();
    let (status, out, err) = outcome(&child.wait_with_output().unwrap());
    assert_eq!(status, Some(0), "{err}");
    assert!(out.contains("step 2") && !out.contains("step 1"), "{out}");
}

#[test]
fn the_last_records_of_a_pipe_are_examined() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let record = |level: &str| {
        let time = now.as_secs();
        format!("{{\"time\": {time}.0, \"level\": \"{level}\", \"msg\": \"a step\"}}\n")
    };
    let mut child = watch(&["--until", "error", "--timeout", "50s", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(record("info").repeat(3).as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    pipe.write_all(record("error").as_bytes()).unwrap();
    drop(pipe);
    let (status, out, err) = outcome(&child.wait_with_output().unwrap());
    assert_eq!(status, Some(0), "{err}");
    assert!(out.contains("a step"), "{out}");
}

#[test]
fn a_time_limit_ends_the_wait() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("a.log");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let record = format!("{{\"time\": {}.0, \"msg\": \"step\"}}\n", now.as_secs());
    fs::write(&log, record.repeat(2)).unwrap();
    let output = watch(&["--until", "end", "--timeout", "2", log.to_str().unwrap()])
        .output()
        .unwrap();
    let (status, _, err) = outcome(&output);
    assert_eq!(status, Some(1), "{err}");
    assert!(err.contains("--timeout"), "{err}");
}
