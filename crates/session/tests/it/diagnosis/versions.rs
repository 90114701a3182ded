//! Versions of systems: small real runs of Dask 2022 to 2026, Parsl 1.2 and 2024, Academy 0.3 and 1.0. The diagnosis of
//! a healthy run and of a run with a killed process does not depend on the wording of a version. Each run has the
//! observations of its program.

use std::collections::BTreeMap;

use widetui_diagnosis::Severity;
use widetui_testing::diagnosed::Run;

/// Opens a run of the archive.
fn open(name: &str) -> Run {
    Run::of_archive("years.tar.gz", name)
}

fn counted(all: &[(&str, usize)]) -> BTreeMap<String, usize> {
    all.iter().map(|(s, n)| ((*s).to_owned(), *n)).collect()
}

/// Dask 2022: workers that close with their scheduler report a broken connection.
#[test]
fn a_run_that_went_well_has_no_problem() {
    assert_eq!(open("dask2022-healthy").reported(), [""; 0]);
}

#[test]
fn a_worker_that_was_killed_with_its_nanny_is_reported() {
    let run = open("dask2022-killed");
    assert_eq!(
        run.reported(),
        ["warning: A worker was gone without a word"]
    );
    // The other worker was asked to end.
    let top = run.top(1);
    assert!(top.contains("name: w0"), "{top}");
}

/// A program that logs warnings only: a task killed four workers.
#[test]
fn nannies_that_restart_workers_are_reported() {
    let reports = open("dask2022-warnings").reported();
    assert_eq!(reports, ["warning: Nannies started their workers anew"]);
}

#[test]
fn workers_lose_their_scheduler_in_the_words_of_2022() {
    let reports = open("dask2022-no_scheduler").reported();
    assert_eq!(reports[0], "error: Workers lost their scheduler");
}

/// Records of JSON logs have the keys of those in text logs, and their zone is inferred from the transitions beside
/// them.
#[test]
fn dask_logs_in_json_are_those_of_dask() {
    let run = open("dask2026-json");
    assert_eq!(run.states("dask.worker"), counted(&[("stopped", 2)]));
    let (first, last) = run.snapshot.range().unwrap();
    assert!(last - first < 60_000_000_000, "{}", last - first);
    // Continuation lines of messages are read, as in text logs.
    let top = run.top(3);
    for why in ["ValueError('no value for 3')", "TypeError('not all"] {
        assert!(top.contains(why), "{top}");
    }
}

/// Academy 1.0 leaves the layout to its program.
#[test]
fn academy_is_known_in_a_layout_of_the_program() {
    let run = open("academy10-own");
    let states = run.states("academy.action");
    let expected = [("success", 3), ("exception", 1), ("execute_start", 1)];
    assert_eq!(states, counted(&expected));
    let stuck: Vec<_> = run.hung.stuck.iter().map(|s| s.label.as_deref()).collect();
    assert_eq!(stuck, [Some("hang")]);
    // No record names the agent of an action: no agent can be called idle.
    assert!(run.hung.idle.is_empty());
    let actions = run.truth["actions"].as_array().unwrap();
    assert_eq!(actions.len(), states.values().sum::<usize>());
}

/// Academy 0.3 writes one blank less, and the same text in JSON after `LEVEL:logger:`.
#[test]
fn early_logs_of_academy_are_read_alike_as_text_and_json() {
    let run = open("academy03");
    let first = &run.diagnosis.findings[0];
    assert_eq!(first.severity, Severity::Error, "{first:#?}");
    let top = run.top(1);
    assert!(top.contains("RuntimeError: the loop broke"), "{top}");
    assert!(top.contains("-> An agent ended with an exception"), "{top}");
    let states = run.states("academy.agent");
    assert_eq!(states, counted(&[("failed", 1), ("running", 1)]));
}

/// Parsl 1.2 does not relate tasks to executor tasks: a worker with an executor task is not idle.
#[test]
fn a_worker_with_work_that_nobody_knows_is_not_idle() {
    let run = open("parsl12-hung");
    let tasks = run.truth["tasks"].as_array().unwrap();
    let open = tasks.iter().filter(|t| t["state"].is_null()).count();
    let of_tasks = run.hung.stuck.iter().filter(|s| s.title == "task");
    assert_eq!(of_tasks.count(), open);
    let idle = &run.hung.idle[0];
    assert_eq!((idle.alive, idle.busy, idle.idle.len()), (2, 1, 1));
    assert_eq!(idle.nameless[0].0, "executor task 5");
    assert!(run.words().contains("It may be executor task 5"));
    let top = run.top(2);
    assert!(top.contains("Task 4 (hang) began and never ended"), "{top}");
}

/// Dask 2026 without nannies: a worker that is asked to end reports the end of its connection as broken.
#[test]
fn a_worker_that_is_asked_to_end_did_not_lose_its_scheduler() {
    let signal =
        "2026-11-22 04:59:22,641 - distributed._signals - INFO - Received signal SIGINT (2)\n";
    let ends = "\
2026-11-22 04:59:22,643 - distributed.worker - INFO - Stopping worker at tcp://127.0.0.1:17119. Reason: worker-handle-scheduler-connection-broken
2026-11-22 04:59:22,653 - distributed.dask_worker - INFO - End worker
";
    let run = Run::of(&[("worker.log", &(signal.to_owned() + ends))]);
    assert_eq!(run.reported(), [""; 0]);
    let run = Run::of(&[("worker.log", ends)]);
    assert_eq!(run.reported(), ["error: Workers lost their scheduler"]);
}

/// Parsl 2026: the program has the traceback, the interchange's log just ends.
#[test]
fn an_interchange_that_was_never_ready_is_reported() {
    let begins = "\
1795345532.858000 2026-11-22 05:05:32 MainProcess-640 MainThread-140104569486208 parsl.executors.high_throughput.interchange:123 __init__ DEBUG: Initializing Interchange process
1795345532.859000 2026-11-22 05:05:32 MainProcess-640 MainThread-140104569486208 parsl.executors.high_throughput.interchange:141 __init__ INFO: Connected to client
";
    let ready = "\
1795345532.860000 2026-11-22 05:05:32 MainProcess-640 MainThread-140104569486208 parsl.executors.high_throughput.interchange:170 __init__ INFO: Bound to port 54913 for incoming worker connections
";
    let run = Run::of(&[("interchange.log", begins)]);
    let reports = ["error: The interchange of an executor began and was never ready"];
    assert_eq!(run.reported(), reports);
    let run = Run::of(&[("interchange.log", &(begins.to_owned() + ready))]);
    assert_eq!(run.reported(), [""; 0]);
}

/// The reason why no manager connects is reported before its effects, in the wording of 2023 and of 2026.
#[test]
fn a_manager_without_an_address_is_reported_first() {
    let of_2023 = "\
2026-11-22 05:03:20.248 parsl:123 29291 MainThread [INFO]  Manager started
2026-11-22 05:03:50.262 parsl:136 29291 MainThread [ERROR]  Caught exception while trying to determine viable address to interchange
Traceback (most recent call last):
  File \"/venv/bin/process_worker_pool.py\", line 128, in __init__
    raise Exception(\"No viable address found\")
Exception: No viable address found
";
    let of_2026 = "\
1795345430.262000 2026-11-22 05:03:50 MainProcess-640 MainThread-140104569486208 parsl.executors.high_throughput.process_worker_pool:187 __init__ ERROR: Unable to connect to interchange; attempted addresses: 10.0.0.1
";
    for text in [of_2023, of_2026] {
        let reports = Run::of(&[("manager.log", text)]).reported();
        let first = "error: A manager found no address at which the interchange answers";
        assert!(reports[0].starts_with(first), "{}", reports[0]);
    }
}

/// Parsl of 2019 lists the tasks in each state at its end, later versions their number: `0` is a task here.
#[test]
fn a_summary_that_names_tasks_does_not_count_them() {
    let log = "\
2019-04-01 20:55:59.140 parsl.dataflow.dflow:83 [DEBUG]  Starting DataFlowKernel with config
2019-04-01 20:56:04.268 parsl.dataflow.dflow:670 [INFO]  Task 0 submitted for App execute_task, waiting on tasks []
2019-04-01 20:56:04.268 parsl.dataflow.dflow:680 [DEBUG]  Task 0 set to pending state with AppFuture: <AppFuture at 0x7f210743ff60 state=pending>
2019-04-01 20:56:09.221 parsl.dataflow.dflow:805 [INFO]  DFK cleanup initiated
2019-04-01 20:56:09.221 parsl.dataflow.dflow:716 [INFO]  Summary of tasks in DFK:
2019-04-01 20:56:09.221 parsl.dataflow.dflow:747 [INFO]  Tasks in state States.pending: 0
2019-04-01 20:56:09.221 parsl.dataflow.dflow:754 [INFO]  End of summary
2019-04-01 20:56:09.227 parsl.dataflow.dflow:861 [INFO]  DFK cleanup complete
";
    let run = Run::of(&[("runinfo/000/parsl.log", log)]);
    assert_eq!(run.states("parsl.task"), counted(&[("pending", 1)]));
}
