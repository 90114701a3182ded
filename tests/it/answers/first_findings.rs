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

/// Severity, title and text of a finding.
fn whole(finding: &Json) -> String {
    let fields = ["severity", "title", "text"].map(|field| finding[field].as_str());
    fields.map(Option::unwrap_or_default).join(" | ")
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

/// A wait that times out is an effect of what was lost when it began.
#[test]
fn data_lost_with_its_only_worker_is_why_a_wait_timed_out() {
    let findings = assert_first(
        &case("dask-data-lost-with-worker"),
        &[
            "error",
            "worker process died",
            "32527",
            "bigdata",
            "timed out after 60 s",
        ],
    );
    assert_eq!(findings.len(), 1, "{findings:#?}");
}

#[test]
fn nodes_of_a_dag_fail_with_their_reasons() {
    let path = case("dagman-node-ends");
    assert_first(
        &path,
        &[
            "error",
            "1 DAG node failed: can't open file ./lists/a.txt",
            "node fetch",
        ],
    );
    assert!(hung(&path, &[]).contains("All 3 DAG nodes ended; 2 failed."));
}

/// Only the submit side knows that the executor's tasks are tasks; its log does not say which.
#[test]
fn a_lost_manager_tells_what_it_had() {
    let findings = printed("diagnose", &[], &case("lost-manager-with-work"));
    let lost = findings.iter().map(whole).find(|f| f.contains("was lost"));
    let lost = lost.unwrap_or_default();
    assert!(
        lost.contains("executor task 1 (begun there), executor task 2 (not begun)"),
        "{findings:#?}"
    );
}

/// A traceback whose exception is an exhausted resource belongs to the records that report it.
#[test]
fn a_full_disk_is_one_finding_with_its_traceback() {
    let findings = assert_first(
        &case("traceback-disk-full"),
        &[
            "error",
            "file system is full",
            "OSError: [Errno 28] No space left on device",
        ],
    );
    assert_eq!(findings.len(), 1, "{findings:#?}");
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

/// The value of a key is named in a finding unless the title has a place for it.
#[test]
fn findings_of_one_hint_are_told_apart_by_their_key() {
    let path = case("title-substring");
    let system = path.join("mysim.toml");
    let findings = printed(
        "diagnose",
        &["--system", system.to_str().unwrap()],
        &path.join("pool.log"),
    );
    let titles: Vec<&str> = findings
        .iter()
        .filter_map(|f| f["title"].as_str())
        .collect();
    let title = |block: u8| format!("A request for 10 nodes was refused (block {block})");
    assert_eq!(titles, [title(0), title(1), title(2)]);
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
    assert_first(
        &path,
        &["error", "time limit", "Job 8 (map) began and never ended"],
    );
    let jobs = printed("keys", &["--key", "slurm.job"], &path);
    assert_eq!(jobs.len(), 2, "{jobs:?}");
}

/// The process that the kernel killed is that of the worker with the task that never ended.
#[test]
fn a_killed_process_is_why_its_task_never_ended() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("000");
    copy(&data().join("hung/000"), &run);
    let messages = "2026-11-21T01:44:12.200000+00:00 login01 kernel: [ 2375.315424] Memory cgroup out of memory: Killed process 4412 \
                    (python3) total-vm:54928kB, anon-rss:38272kB, file-rss:5388kB, shmem-rss:0kB, UID:1001 pgtables:140kB oom_score_adj:0\n";
    fs::write(dir.path().join("messages"), messages).unwrap();
    assert_first(
        dir.path(),
        &[
            "error",
            "Task 24 (wait_for_file) began and never ended",
            "4412",
        ],
    );
    // The same number on another host is another process.
    fs::write(
        dir.path().join("messages"),
        messages.replace("login01", "nid007"),
    )
    .unwrap();
    let findings = printed("diagnose", &[], dir.path());
    let hung = findings
        .iter()
        .any(|f| f["kind"] == "hung" && whole(f).contains("Task 24"));
    assert!(hung, "{findings:#?}");
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
        &["error", "database was locked", "giving up on file 17"],
    );
    assert_eq!(findings.len(), 1, "{findings:#?}");
}

#[test]
fn a_line_below_the_last_record_is_why_a_program_ended() {
    assert_first(
        &case("last-words"),
        &[
            "error",
            "cannot read pseudopotential Fe.upf",
            "ended the program",
        ],
    );
}

#[test]
fn a_begin_whose_kind_has_ends_is_unfinished() {
    let findings = assert_first(
        &case("begin-without-end"),
        &[
            "warning",
            "Begun without an end: \"tile 12: begin\"",
            "3 others",
        ],
    );
    assert_eq!(findings.len(), 1, "{findings:#?}");
}

#[test]
fn logs_that_end_with_a_wait_are_unfinished() {
    assert_first(
        &case("ends-with-wait"),
        &["warning", "rank 1 waiting for lock of the exchange buffer"],
    );
}

/// Warnings with suspicious words are findings if there is no other problem.
#[test]
fn a_warning_is_reported_if_nothing_else_is() {
    let path = case("only-warnings");
    let findings = assert_first(&path, &["warning", "cannot open /dev/ttyUSB1"]);
    assert_eq!(findings.len(), 1, "{findings:#?}");
    let dir = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(path.join("feed.log")).unwrap();
    let more = "2026-11-20 08:00:04,120 ERROR feed: sensor 1 lost\n";
    fs::write(dir.path().join("feed.log"), text + more).unwrap();
    let findings = assert_first(dir.path(), &["error", "sensor 1 lost"]);
    assert_eq!(findings.len(), 1, "{findings:#?}");
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

/// Copies a folder.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).unwrap()),
        }
    }
}

/// An interrupt is a cause whatever the level of its record, and what stops because of it is no error.
#[test]
fn an_interrupt_at_info_is_the_cause() {
    let findings = assert_first(
        &case("interrupt-at-info"),
        &[
            "warning",
            "Interrupted by the user",
            "SIGINT",
            "process 3121",
        ],
    );
    assert_eq!(findings.len(), 1, "{findings:#?}");
}

/// The code and the meaning that a tool prints between the records of its caller are a problem without a suspicious word.
#[test]
fn a_tool_with_a_code_reports_a_problem() {
    let findings = assert_first(
        &case("tool-with-code"),
        &["warning", "curl: (52) Empty reply from server"],
    );
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert_eq!(findings[0]["count"], 3, "{findings:#?}");
}

#[test]
fn a_long_wait_for_a_lock_names_the_holder() {
    assert_first(
        &case("lock-waits"),
        &[
            "warning",
            "Waited 32.2 s for a lock",
            "process 411",
            "1 wait of 5.0 s or longer for locks in store",
            "Process holding the lock: 388",
        ],
    );
}

#[test]
fn a_refused_port_stands_beside_the_one_that_listens() {
    assert_first(
        &case("refused-port"),
        &[
            "error",
            "No log reports a process that listens at 10.20.0.5:7071; fields listens at 10.20.0.5:7017",
        ],
    );
    assert_first(
        &case("refused-after-end"),
        &["collector listened at 10.20.0.8:9400, but wrote its last record at 08:00:04"],
    );
}

#[test]
fn the_record_behind_a_colon_is_the_reason() {
    let findings = assert_first(
        &case("reason-in-next-record"),
        &[
            "error | operation queue.declare refused: queue 'frames' exists",
            "Channel error on connection",
        ],
    );
    assert_eq!(findings.len(), 1, "{findings:#?}");
}

/// Text that a command prints between two records of its script says why the step failed; steps that fail alike are one finding.
#[test]
fn what_a_command_printed_is_why_its_step_failed() {
    let findings = assert_first(
        &case("printed-before-failure"),
        &[
            "warning",
            "copy results failed with status 1: scp: remote open \"/store/results.tar\": Permission denied",
            "Related: copy figures failed with status 1",
        ],
    );
    assert_eq!(findings[0]["effects"][0]["kind"], "errors");
    // The record of the failure may have a level.
    assert_first(
        &case("printed-before-error"),
        &[
            "error",
            "step fetch failed with status 1: scp: remote open \"/store/results.tar\": Permission denied",
            "Related: step plot failed with status 1",
        ],
    );
}
