//! Causes and effects on small synthetic logs: dead processes and waiting work, exceptions in a try that is retried,
//! findings in a single log.

use widetui_analysis::run_table::{RunStatus, list_runs};
use widetui_analysis::scope::AnalysisScope;
use widetui_core::cancel::Cancel;
use widetui_diagnosis::Severity;
use widetui_diagnosis::unfinished::run_stops::{StopKind, stop};
use widetui_diagnosis::unfinished::words::words;
use widetui_session::meaning::Meaning;
use widetui_time::clock::Clock;
use widetui_time::zone::Zone;

use widetui_testing::diagnosed::Run;

/// A record as Parsl writes it, `seconds` after the first one.
fn parsl(seconds: f64, who: &str, logger: &str, message: &str) -> String {
    let (level, message) = message.split_once(' ').unwrap();
    let time = 1_795_399_400.0 + seconds;
    format!("{time:.6} 2026-11-23 02:03:20 {who} parsl.{logger}:1 f {level}: {message}\n")
}

fn dfk(seconds: f64, message: &str) -> String {
    parsl(
        seconds,
        "MainProcess-7 MainThread-9",
        "dataflow.dflow",
        message,
    )
}

fn interchange(seconds: f64, message: &str) -> String {
    let logger = "executors.high_throughput.interchange";
    parsl(seconds, "MainProcess-8 MainThread-9", logger, message)
}

fn pool(seconds: f64, process: &str, message: &str) -> String {
    let logger = "executors.high_throughput.process_worker_pool";
    parsl(seconds, &format!("{process} MainThread-9"), logger, message)
}

const DFK: &str = "8fe630c3-e3fe-4490-8f05-d96251f1deb1";

fn begun(seconds: f64) -> String {
    dfk(seconds, "DEBUG Starting DataFlowKernel with config")
        + &dfk(seconds, "INFO Parsl version: 2026.10.26")
        + &dfk(seconds, &format!("INFO Run id is: {DFK}"))
}

fn submitted(seconds: f64, task: u32, executor: &str) -> String {
    dfk(
        seconds,
        &format!("INFO Task {task} submitted for App work, not waiting on any dependency"),
    ) + &dfk(
        seconds,
        &format!("INFO Task {task} changing state from pending to launched"),
    ) + &dfk(
        seconds,
        &format!(
            "INFO Parsl task {task} try 0 launched on executor {executor} with executor id {}",
            task + 1
        ),
    )
}

fn ended(seconds: f64, task: u32) -> String {
    dfk(
        seconds,
        &format!("INFO Task {task} changing state from launched to exec_done"),
    )
}

fn summary(run: &Run) -> String {
    let last = run.snapshot.range().map(|r| r.1);
    words(&run.snapshot, &run.hung, &Clock::of(&Zone::Utc, last))
}

fn all_runs(run: &Run) -> Vec<widetui_analysis::run_table::RunRow> {
    let meaning = Meaning::new(&[]);
    let scope = AnalysisScope::default();
    list_runs(&run.snapshot, &meaning.entities, &scope, &Cancel::default()).unwrap()
}

/// A program that sends Parsl's records to its own file: a record names the folder of the run.
#[test]
fn a_log_elsewhere_belongs_to_the_run_that_it_names() {
    let info = format!(
        "INFO Workflow startup information: {{'python_version': '3.11.7', 'parsl_version': '2026.10.26', 'run_id': '{DFK}', \
         'workflow_name': 'a.py', 'workflow_version': '1', 'rundir': '/home/hpcuser/x/runinfo/000', 'user': 'hpcuser'}}"
    );
    let own = begun(0.0) + &dfk(0.1, &info) + &submitted(1.0, 0, "hx") + &ended(9.0, 0);
    let worker = pool(3.0, "HTEX-Worker-0-11", "INFO Received executor task 1")
        + &pool(8.0, "HTEX-Worker-0-11", "INFO Completed executor task 1");
    let ix = interchange(0.5, "INFO Starting main interchange method");
    let run = Run::of(&[
        ("my.log", &own),
        ("runinfo/000/hx/interchange.log", &ix),
        ("runinfo/000/hx/block-0/aa11bb22cc33/worker_0.log", &worker),
    ]);
    let found = all_runs(&run);
    let names: Vec<&str> = found.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["000"]);
    let tries = run.all("parsl.try");
    let took = tries.standing(&run.snapshot, &tries.list[0]).duration();
    assert_eq!(took, Some(5_000_000_000));
}

/// Logs of a run whose interchange was killed while the DFK waited for its answer.
fn waiting() -> Run {
    let poll = |at: f64| dfk(at, "DEBUG Sending command client command");
    let kernel = begun(0.0) + &submitted(1.0, 0, "hx") + &poll(2.0) + &poll(7.0) + &poll(12.0);
    let manager = pool(3.0, "MainProcess-12", "INFO Manager ID: aa11bb22cc33")
        + &pool(4.0, "MainProcess-12", "INFO Manager will spawn 1 workers")
        + &pool(
            16.0,
            "MainProcess-12",
            "CRITICAL Missing contact with interchange beyond heartbeat_threshold",
        )
        + &pool(16.1, "MainProcess-12", "CRITICAL Exiting");
    let ix = interchange(0.5, "INFO Starting main interchange method");
    Run::of(&[
        ("runinfo/000/parsl.log", &kernel),
        ("runinfo/000/hx/interchange.log", &ix),
        ("runinfo/000/hx/block-0/aa11bb22cc33/manager.log", &manager),
    ])
}

#[test]
fn a_silence_of_seconds_proves_no_death() {
    let run = waiting();
    let [kernel] = &run.hung.runs[..] else {
        panic!("{:?}", run.hung.runs);
    };
    let way = stop(&run.snapshot, &run.hung, kernel).unwrap().way;
    assert_eq!(way, StopKind::Quiet);
    let said = summary(&run);
    assert!(said.contains("or is still alive"), "{said}");
    assert!(said.contains("Missing contact with interchange"), "{said}");
    assert!(!said.contains("its process was killed"), "{said}");
    // Complaints of others at that time are no effect of an unseen death.
    let first = &run.diagnosis.findings[0];
    assert_eq!(first.severity, Severity::Error);
    assert!(first.title.contains("lost contact"), "{first:?}");
}

#[test]
fn who_never_registered_is_not_idle() {
    let run = waiting();
    assert!(run.hung.idle.is_empty(), "{:?}", run.hung.idle);
}

#[test]
fn a_worker_that_was_restarted_may_be_lost_again() {
    let manager = |at: f64, message: &str| pool(at, "MainProcess-12", message);
    let died = |at: f64| {
        manager(at, "ERROR Worker 0 has died") + &manager(at, "INFO Worker 0 has been restarted")
    };
    let tried = |at: f64, number: u32| {
        dfk(
            at,
            &format!(
                "INFO Parsl task 0 try {number} launched on executor hx with executor id {}",
                number + 1
            ),
        )
    };
    let failed = |at: f64, number: u32| {
        dfk(
            at,
            &format!("INFO Task 0 try {number} failed with exception of type WorkerLost"),
        )
    };
    let kernel = begun(0.0)
        + &dfk(1.0, "INFO Task 0 changing state from pending to launched")
        + &tried(1.0, 0)
        + &failed(4.1, 0)
        + &dfk(
            4.2,
            "INFO Task 0 changing state from launched to fail_retryable",
        )
        + &dfk(4.3, "INFO Task 0 changing state from pending to launched")
        + &tried(4.3, 1)
        + &failed(8.1, 1)
        + &dfk(8.2, "ERROR Task 0 failed after 1 retry attempts")
        + &dfk(8.2, "INFO Task 0 changing state from launched to failed");
    let worker = pool(2.0, "HTEX-Worker-0-21", "INFO Received executor task 1")
        + &pool(5.0, "HTEX-Worker-0-22", "INFO Received executor task 2")
        + &pool(9.0, "HTEX-Worker-0-23", "INFO Worker 0 started");
    let run = Run::of(&[
        ("runinfo/000/parsl.log", &kernel),
        (
            "runinfo/000/hx/block-0/aa11bb22cc33/manager.log",
            &(died(4.0) + &died(8.0)),
        ),
        ("runinfo/000/hx/block-0/aa11bb22cc33/worker_0.log", &worker),
    ]);
    let workers = run.all("parsl.worker");
    assert_eq!(workers.losses().len(), 2);
    // The worker lives on.
    assert_eq!(workers.list[0].lost, None);
    let reports = run.reported();
    assert!(reports[0].contains("Worker 0 was lost"), "{reports:?}");
}

const BAD: &str = "parsl.jobs.errors.TooManyJobFailuresError: Error 1:\n\tJob is marked as MISSING since the workers failed to \
                   register to the executor. Check the stdout/stderr logs in the submit_scripts directory for more debug \
                   information\n\tEXIT CODE: 3\n\n";

fn declared_bad(at: f64) -> String {
    dfk(at, "ERROR Setting bad state due to exception") + BAD
}

fn failed_for_it(at: f64, task: u32) -> String {
    dfk(
        at,
        &format!("ERROR Task {task} failed after 0 retry attempts"),
    ) + "Traceback (most recent call last):\n  File \"/opt/parsl/executor.py\", line 9, in submit\n    raise x\n"
        + BAD
        + &dfk(
            at,
            &format!("INFO Task {task} changing state from launched to failed"),
        )
}

#[test]
fn the_exit_code_of_a_block_is_reported() {
    let kernel = begun(0.0)
        + &submitted(1.0, 0, "hx")
        + &dfk(
            2.0,
            "DEBUG Rewriting job 0 from status JobState.FAILED to MISSING",
        )
        + &declared_bad(2.1)
        + &failed_for_it(2.2, 0)
        + &dfk(
            7.0,
            "DEBUG [Scaling executor hx] Not strategizing for executor because bad state is set",
        );
    let run = Run::of(&[("runinfo/000/parsl.log", &kernel)]);
    assert_eq!(run.reported().len(), 1, "{:#?}", run.diagnosis.findings);
    let top = run.top(1);
    assert!(top.contains("EXIT CODE: 3"), "{top}");
    assert!(top.contains("task 0 of work failed"), "{top}");
}

/// In 2024 a DFK also writes to the log of the previous one, which has ended.
#[test]
fn what_a_later_run_says_is_not_over_with_the_earlier_one() {
    let one = begun(0.0)
        + &submitted(1.0, 0, "hx")
        + &declared_bad(2.1)
        + &failed_for_it(2.2, 0)
        + &dfk(3.0, "INFO DFK cleanup complete");
    let other = begun(10.0).replace("8fe630c3", "9fe630c3")
        + &submitted(11.0, 0, "hx")
        + &declared_bad(12.1)
        + &failed_for_it(12.2, 0);
    let run = Run::of(&[
        ("runinfo/000/parsl.log", &(one + &other)),
        ("runinfo/001/parsl.log", &other),
    ]);
    let failures = run.findings(|f| f.kind == "failed");
    assert!(failures.is_empty(), "{failures:#?}");
    assert_eq!(run.reported().len(), 1, "{:#?}", run.diagnosis.findings);
}

#[test]
fn a_run_that_died_before_any_task_did_not_shut_down() {
    let run = Run::of(&[("runinfo/000/parsl.log", &begun(0.0))]);
    assert!(
        summary(&run).contains("was not shut down cleanly"),
        "{}",
        summary(&run)
    );
    let well = begun(0.0) + &dfk(3.0, "INFO DFK cleanup complete");
    let run = Run::of(&[("runinfo/000/parsl.log", &well)]);
    let reported = run.findings(|f| f.kind == "stopped");
    assert!(reported.is_empty(), "{reported:#?}");
}

#[test]
fn what_kept_all_work_from_beginning_is_reported_before_the_work() {
    let raised = |at: f64| {
        dfk(
            at,
            "ERROR Callback threw an exception - logging and proceeding anyway",
        ) + "Traceback (most recent call last):\n  File \"/opt/parsl/local.py\", line 134, in status\n    open(x)\n\
               FileNotFoundError: [Errno 2] No such file or directory: '/x/parsl.hx.block-0.sh.ec'\n"
    };
    let kernel = begun(0.0)
        + &submitted(1.0, 0, "hx")
        + &(1..9)
            .map(|n| raised(5.0 * f64::from(n)))
            .collect::<String>();
    let run = Run::of(&[("runinfo/000/parsl.log", &kernel)]);
    let first = &run.diagnosis.findings[0];
    assert_eq!(first.severity, Severity::Error, "{first:?}");
    assert!(first.title.contains("FileNotFoundError"), "{first:?}");
}

/// Only the tables of monitoring.db, exported as text.
#[test]
fn tables_alone_report_when_a_try_ran_and_that_it_failed() {
    let rows = [
        (0, "pending", "00.0"),
        (0, "launched", "01.0"),
        (0, "running", "03.0"),
        (0, "running_ended", "05.5"),
        (0, "failed", "06.0"),
    ];
    let status: String = rows
        .iter()
        .map(|(task, name, at)| format!("{task},{name},2026-11-23 02:07:{at}00000,{DFK},0\n"))
        .collect();
    let status = format!("task_id,task_status_name,timestamp,run_id,try_id\n{status}");
    let tries = format!(
        "try_id,task_id,run_id,task_executor,task_try_time_launched,task_fail_history\n\
         0,0,{DFK},hx,2026-11-23 02:07:01.000000,OSError('disk full')\n"
    );
    let run = Run::of(&[("status.csv", &status), ("try.csv", &tries)]);
    let all = run.all("parsl.try");
    let took = all.standing(&run.snapshot, &all.list[0]).duration();
    assert_eq!(took, Some(2_500_000_000));
    let reports = run.reported();
    assert_eq!(reports.len(), 1, "{reports:?}");
    assert!(reports[0].contains("ask 0 failed"), "{reports:?}");
}

fn compute_failed(at: &str, key: &str, exception: &str) -> String {
    format!(
        "2026-11-23 02:02:{at} - distributed.worker - ERROR - Compute Failed\nKey:       {key}\nState:     executing\n\
         Task:  <Task '{key}' f(1)>\nException: \"{exception}\"\nTraceback: '  File \"/home/hpcuser/a.py\", line 8, in f\\n'\n\n"
    )
}

#[test]
fn hints_of_one_system_are_not_for_the_logs_of_another() {
    let log = "2026-11-23 02:05:44,869 - distributed.scheduler - INFO - State start\n\
               2026-11-23 02:05:44,958 - distributed.scheduler - INFO -   Scheduler at:     tcp://192.0.2.2:19001\n\
               2026-11-23 02:05:53,765 - distributed.protocol.pickle - INFO - Failed to deserialize <memory at 0x7f377b3e4340>\n\
               Traceback (most recent call last):\n  File \"/opt/distributed/pickle.py\", line 95, in loads\n    return x\n\
               ModuleNotFoundError: No module named 'mine'\n";
    let run = Run::of(&[("scheduler.log", log)]);
    let all = &run.diagnosis.findings;
    assert!(
        all.iter().all(|f| !f.title.contains("at the site")),
        "{all:#?}"
    );
    assert!(
        all.iter()
            .any(|f| (f.title.clone() + &f.text).contains("No module named")),
        "{all:#?}"
    );
}

#[test]
fn logs_that_report_failures_alone_do_not_say_that_nothing_hangs() {
    let log = compute_failed("14,190", "a-0", "ValueError('x')")
        + &compute_failed("14,340", "a-1", "ValueError('x')");
    let run = Run::of(&[("w1.log", &log)]);
    let said = summary(&run);
    assert!(!said.contains("No unfinished work"), "{said}");
    let [one] = &all_runs(&run)[..] else {
        panic!("one run");
    };
    assert_eq!(one.status, RunStatus::PossiblyFailed(2));
    // A single report has no duration.
    assert_eq!(one.durations, None);
}

/// Two logs of one manager, one of them with a clock resolution of 10 ms.
#[test]
fn a_run_is_not_cut_within_a_tick_of_a_clock() {
    let log = |first: u32| {
        format!(
            "# time manager_pid MANAGER START|END\n\
             1795398670{first:03}000 77 TASK 1 WAITING default FIRST_RESOURCES {{}}\n\
             1795398670852047 77 MANAGER START\n\
             1795398672697447 77 TASK 1 RUNNING 127.0.0.1:9  FIRST_RESOURCES {{}}\n\
             1795398673217710 77 TASK 1 DONE SUCCESS  0  {{}} {{}}\n\
             1795398673217711 77 TASK 2 WAITING default FIRST_RESOURCES {{}}\n\
             1795398673217712 77 TASK 2 DONE SUCCESS  0  {{}} {{}}\n"
        )
    };
    assert_eq!(all_runs(&Run::of(&[("a.tr", &log(850))])).len(), 1);
    assert_eq!(all_runs(&Run::of(&[("a.tr", &log(100))])).len(), 2);
}

#[test]
fn a_limit_that_was_passed_is_the_cause_of_the_signal() {
    let node = "[2026-11-20T18:09:42.180] Launching batch job 6 for UID 1001\n\
                [2026-11-20T18:09:42.319] [6.batch] task 0 (325) started 2026-11-20T18:09:42\n\
                [2026-11-20T18:09:43.227] [6.batch] error: StepId=6.batch exceeded memory limit (221380608 > 62914560), being killed\n\
                [2026-11-20T18:09:43.257] [6.batch] task 0 (325) exited. Killed by signal 9.\n\
                [2026-11-20T18:09:44.258] [6.batch] job 6 completed with slurm_rc = 0, job_rc = 9\n";
    let controller = "[2026-11-20T18:09:41.994] _slurm_rpc_submit_batch_job: JobId=6 InitPrio=4294901754 usec=203\n\
                      [2026-11-20T18:09:42.175] sched/backfill: _start_job: Started JobId=6 in regular on nid003\n\
                      [2026-11-20T18:09:44.259] _job_complete: JobId=6 WTERMSIG 9\n\
                      [2026-11-20T18:09:44.259] _job_complete: JobId=6 done\n";
    let run = Run::of(&[("slurmctld.log", controller), ("slurmd.nid003.log", node)]);
    let reports = run.reported();
    assert_eq!(reports.len(), 1, "{:#?}", run.diagnosis.findings);
    assert!(reports[0].contains("memory"), "{reports:?}");
}

#[test]
fn a_worker_that_says_that_it_stops_is_not_gone_without_a_word() {
    let scheduler = "2026-11-23 02:06:44,958 - distributed.scheduler - INFO -   Scheduler at:     tcp://192.0.2.2:19001\n\
                     2026-11-23 02:06:49,867 - distributed.scheduler - INFO - Register worker addr: tcp://192.0.2.3:19793 name: tcp://192.0.2.3:19793\n\
                     2026-11-23 02:06:50,071 - distributed.scheduler - INFO - Starting worker compute stream, tcp://192.0.2.3:19793\n\
                     2026-11-23 02:06:50,072 - distributed.core - INFO - Starting established connection to tcp://192.0.2.3:49854\n\
                     2026-11-23 02:07:01,994 - distributed.core - INFO - Connection to tcp://192.0.2.3:49854 has been closed.\n\
                     2026-11-23 02:07:01,995 - distributed.scheduler - INFO - Remove worker addr: tcp://192.0.2.3:19793 name: tcp://192.0.2.3:19793 (stimulus_id='handle-worker-cleanup-1795399621.995691')\n";
    let worker = "2026-11-23 02:06:48,031 - distributed.worker - INFO -       Start worker at:  tcp://192.0.2.3:19793\n\
                  2026-11-23 02:07:01,988 - distributed._signals - INFO - Received signal SIGINT (2)\n\
                  2026-11-23 02:07:01,989 - distributed.worker - INFO - Stopping worker at tcp://192.0.2.3:19793. Reason: signal-2\n\
                  2026-11-23 02:07:02,122 - distributed.dask_worker - INFO - End worker\n";
    let is_told = |files: &[(&str, &str)]| {
        let run = Run::of(files);
        !run.findings(|f| f.title.contains("without a word"))
            .is_empty()
    };
    assert!(is_told(&[("scheduler.log", scheduler)]));
    assert!(!is_told(&[
        ("scheduler.log", scheduler),
        ("w2.log", worker)
    ]));
}

/// A list of tasks has nothing more to report when all have ended, while measurements continue.
#[test]
fn a_list_of_work_that_has_ended_fell_not_silent() {
    let time = |second: u32| format!("2026-11-21T01:{:02}:{:02}Z", 44 + second / 60, second % 60);
    let task = |id: u32, state: &str, second: u32| {
        format!(
            "{{\"event_type\": \"task\", \"run_id\": \"run-1\", \"schema_version\": 1, \"state\": \"{state}\", \"task_id\": \
             \"{id:032x}\", \"task_name\": \"f\", \"function_name\": \"f\", \"tag\": \"a\", \"component\": \"a\", \"worker\": null, \
             \"error_type\": null, \"error_message\": null, \"duration_s\": null, \"requested_workers\": 1, \"timestamp\": \"{}\"}}\n",
            time(second)
        )
    };
    let tasks: String = (0..12)
        .flat_map(|n| ["submitted", "running", "succeeded"].map(|state| task(n, state, n)))
        .collect();
    let resources: String = (0..50)
        .map(|n| {
            format!(
                "{{\"event_type\": \"resource\", \"run_id\": \"run-1\", \"schema_version\": 1, \"entity_id\": \"w\", \"entity_type\": \
                 \"worker\", \"component\": \"a\", \"provider\": \"local\", \"observed_cpu\": 1.5, \"observed_memory_gb\": 2.0, \
                 \"requested_cpus\": 2, \"requested_memory\": \"8G\", \"requested_walltime\": null, \"requested_workers\": 1, \
                 \"timestamp\": \"{}\"}}\n",
                time(n)
            )
        })
        .collect();
    let run = Run::of(&[
        ("runs/run-1/tasks.jsonl", &tasks),
        ("runs/run-1/resources.jsonl", &resources),
    ]);
    assert_eq!(run.hung.goals.iter().map(|g| g.ended).sum::<usize>(), 12);
    assert_eq!(run.hung.unexplained().count(), 0, "{:?}", run.hung.silent);
}
