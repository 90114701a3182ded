//! First findings about small logs of one fault each (`tests/data/diagnosis`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;
use widetui_testing::runs::data;

use crate::program::{PROGRAM, printed};

/// Folder of a case.
fn case(name: &str) -> PathBuf {
    data().join("diagnosis").join(name)
}

/// Severity, title, records and effects of a finding.
fn whole(finding: &Json) -> String {
    let fields = ["severity", "title"].map(|field| finding[field].as_str());
    let all = |list: &str, field: &str| {
        let rows = finding[list].as_array().into_iter().flatten();
        let texts = rows.filter_map(|row| row[field].as_str());
        texts.collect::<Vec<_>>().join(" | ")
    };
    let (records, effects) = (all("evidence", "message"), all("effects", "title"));
    let fields = fields.map(Option::unwrap_or_default).join(" | ");
    format!("{fields} | {records} | {effects}")
}

/// Asserts that the first finding about some logs has all of these words.
fn assert_first(path: &Path, words: &[&str]) -> Vec<Json> {
    let findings = printed("diagnose", &[], path);
    let first = findings.first().map(whole).unwrap_or_default();
    for word in words {
        assert!(first.contains(word), "{word}: {first}");
    }
    findings
}

/// What `hung` says about some logs, in one line.
fn hung(path: &Path, options: &[&str]) -> String {
    let out = Command::new(PROGRAM)
        .arg("hung")
        .args(options)
        .arg(path)
        .output();
    let text = String::from_utf8(out.unwrap().stdout).unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn nodes_of_a_dag_fail_with_their_reasons() {
    let path = case("dagman-node-ends");
    assert_first(&path, &["error", "can't open file ./lists/a.txt", "fetch"]);
    assert!(hung(&path, &[]).contains("All 3 DAG nodes ended; 2 failed."));
}

/// A traceback whose exception is an exhausted resource belongs to the records that report it.
#[test]
fn a_full_disk_stands_with_its_traceback() {
    assert_first(
        &case("traceback-disk-full"),
        &[
            "error",
            "file system is full",
            "OSError: [Errno 28] No space left on device",
        ],
    );
}

/// The launcher reports the end of an attempt, the event log does not: the job still counts as running.
#[test]
fn the_end_of_an_attempt_is_no_end_of_a_job() {
    let text = hung(&case("balsam-stuck"), &["--tz", "America/Chicago"]);
    assert!(text.contains("Balsam job 6 RUNNING"), "{text}");
}

#[test]
fn a_job_whose_cancellation_was_refused_is_running() {
    let text = hung(&case("slurm-kill-refused"), &[]);
    assert!(text.contains("Slurm job 8 RUNNING"), "{text}");
}

/// The traceback of a process that was handed the exception of another one is not where it was raised.
#[test]
fn an_exception_has_the_place_where_it_was_raised() {
    assert_first(
        &case("agent-fails-in-startup"),
        &["error", "PermissionError", "agent_on_startup"],
    );
}

/// The batch job in which a job of a workflow runs.
#[test]
fn a_time_limit_of_a_batch_job_is_why_its_work_never_ended() {
    let path = case("batch-job-of-a-job");
    assert_first(&path, &["error", "time limit", "job 8 (map)"]);
    let jobs = printed("keys", &["--key", "slurm.job"], &path);
    assert_eq!(jobs.len(), 2, "{jobs:?}");
}

/// The message of a shell between the records of a log is a record of its own.
#[test]
fn a_shell_error_within_a_log_is_reported() {
    assert_first(
        &case("shell-error"),
        &["error", "Command not found", "line 14: partition_mesh"],
    );
}

/// The report of giving up does not repeat why the attempts failed.
#[test]
fn giving_up_names_the_last_failed_attempt() {
    assert_first(
        &case("failed-attempts"),
        &["error", "not sent after 2 attempts", "over its quota"],
    );
    let findings = assert_first(
        &case("locked-database"),
        &["database was locked", "giving up on file 17"],
    );
    assert_eq!(findings.len(), 1, "{findings:#?}");
}

#[test]
fn a_line_below_the_last_record_is_why_a_program_ended() {
    assert_first(&case("last-words"), &["cannot read pseudopotential Fe.upf"]);
}

#[test]
fn a_begin_whose_kind_has_ends_is_unfinished() {
    let findings = assert_first(&case("begin-without-end"), &["warning", "tile 12: begin"]);
    assert_eq!(findings.len(), 1, "{findings:#?}");
}

#[test]
fn logs_that_end_with_a_wait_are_unfinished() {
    assert_first(
        &case("ends-with-wait"),
        &["warning", "rank 1 waiting for lock of the exchange buffer"],
    );
}

/// A warning comes first if there is no other problem.
#[test]
fn an_error_comes_before_warnings() {
    let path = case("only-warnings");
    assert_first(&path, &["warning", "cannot open /dev/ttyUSB1"]);
    let dir = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(path.join("feed.log")).unwrap();
    let more = "2026-11-20 08:00:04,120 ERROR feed: sensor 1 lost\n";
    fs::write(dir.path().join("feed.log"), text + more).unwrap();
    assert_first(dir.path(), &["error", "sensor 1 lost"]);
}

#[test]
fn a_title_keeps_the_words_that_name_the_problem() {
    assert_first(
        &case("long-line-title"),
        &["connection could not be made", "Name or service not known"],
    );
}

#[test]
fn a_title_names_the_exception_instead_of_its_introduction() {
    assert_first(
        &case("introduced-exception"),
        &["error", "LookupError: no column 'flux'"],
    );
}

#[test]
fn a_timeout_ranks_below_the_error_that_led_to_it() {
    let findings = assert_first(
        &case("timeout-after-error"),
        &["error", "unrecognized arguments: --thread 2"],
    );
    assert!(whole(&findings[1]).contains("WorkerStartTimeoutError"));
}

/// An interrupt is a cause whatever the level of its record, and what stops because of it is no error.
#[test]
fn an_interrupt_at_info_is_the_cause() {
    assert_first(
        &case("interrupt-at-info"),
        &[
            "warning",
            "Interrupted by the user",
            "SIGINT",
            "process 3121",
        ],
    );
}

#[test]
fn the_record_behind_a_colon_is_the_reason() {
    let findings = assert_first(
        &case("reason-in-next-record"),
        &[
            "error",
            "operation queue.declare refused: queue 'frames' exists",
            "Channel error on connection",
        ],
    );
    assert_eq!(findings.len(), 1, "{findings:#?}");
}

/// Text that a command prints between two records of its script says why the step failed; steps that fail alike are one finding.
#[test]
fn what_a_command_printed_is_why_its_step_failed() {
    let denied = "scp: remote open \"/store/results.tar\": Permission denied";
    assert_first(
        &case("printed-before-failure"),
        &[
            denied,
            "copy results failed with status 1",
            "copy figures failed with status 1",
        ],
    );
    // The record of the failure may have a level.
    assert_first(
        &case("printed-before-error"),
        &[denied, "step fetch failed with status 1"],
    );
}
