//! One cause is one finding: its effects are listed in it, and unrelated findings stay apart.

use std::path::Path;

use widetui_analysis::run_table::{RunStatus, list_runs};
use widetui_analysis::scope::AnalysisScope;
use widetui_core::cancel::Cancel;
use widetui_diagnosis::findings::{Finding, FindingKind, Severity};
use widetui_diagnosis::unfinished::WaitState;
use widetui_diagnosis::unfinished::words::words;
use widetui_session::findings::unfinished_work;
use widetui_session::meaning::Meaning;
use widetui_time::clock::Clock;
use widetui_time::zone::Zone;

use widetui_testing::diagnosed::{Run, diagnosed, opened};
use widetui_testing::runs::unpacked;

/// A record as Parsl writes it, `seconds` after 05:33:20.
fn parsl(seconds: f64, who: &str, logger: &str, message: &str) -> String {
    let (level, message) = message.split_once(' ').unwrap();
    let time = 1_795_412_000.0 + seconds;
    format!("{time:.6} 2026-11-23 05:33:20 {who} parsl.{logger}:1 f {level}: {message}\n")
}

fn dfk(seconds: f64, message: &str) -> String {
    parsl(
        seconds,
        "MainProcess-7 MainThread-9",
        "dataflow.dflow",
        message,
    )
}

fn pool(seconds: f64, who: &str, message: &str) -> String {
    let logger = "executors.high_throughput.process_worker_pool";
    parsl(seconds, &format!("{who} MainThread-9"), logger, message)
}

fn interchange(seconds: f64, message: &str) -> String {
    let logger = "executors.high_throughput.interchange";
    parsl(seconds, "MainProcess-8 MainThread-9", logger, message)
}

fn begun() -> String {
    dfk(0.0, "INFO Parsl version: 2026.10.26")
        + &dfk(0.0, "INFO Run id is: 8fe630c3-e3fe-4490-8f05-d96251f1deb1")
}

fn launched(seconds: f64, task: u32, app: &str) -> String {
    dfk(
        seconds,
        &format!("INFO Task {task} submitted for App {app}, not waiting on any dependency"),
    ) + &dfk(
        seconds,
        &format!("INFO Task {task} initializing state to pending"),
    ) + &dfk(
        seconds,
        &format!("INFO Task {task} changing state from pending to launched"),
    ) + &dfk(
        seconds,
        &format!(
            "INFO Parsl task {task} try 0 launched on executor htex with executor id {}",
            task + 1
        ),
    )
}

/// Parsl 2026.10.26 without sbatch: the command fails, so the executor is declared bad, so its tasks fail.
#[test]
fn a_chain_of_failures_is_reported_as_its_first() {
    let slurm = "providers.slurm.slurm";
    let poller = "MainProcess-7 JobStatusPoller-Timer-Thread-139-139";
    let why = "\tFailed to start block 0: Cannot launch job parsl.slurm.block-0: Could not read job ID from submit command \
               standard output; recode=127, stdout=, stderr=/bin/sh: 1: sbatch: not found\n";
    let log = begun()
        + &launched(1.0, 0, "step")
        + &parsl(2.0, poller, slurm, "ERROR Submit command failed")
        + &parsl(
            2.0,
            poller,
            slurm,
            "ERROR Retcode:127 STDOUT: STDERR:/bin/sh: 1: sbatch: not found",
        )
        + &parsl(
            7.0,
            poller,
            "executors.status_handling",
            "ERROR Setting bad state due to exception",
        )
        + &format!("parsl.jobs.errors.TooManyJobFailuresError: Error 1:\n{why}")
        + &dfk(
            7.1,
            "INFO Task 0 try 0 failed with exception of type BadStateException",
        )
        + &dfk(7.2, "ERROR Task 0 failed after 0 retry attempts")
        + &format!(
            "Traceback (most recent call last):\n  File \"/opt/parsl/dflow.py\", line 1, in f\n\
             parsl.executors.errors.BadStateException: Executor slurm failed due to: Error 1:\n{why}"
        )
        + &dfk(7.3, "INFO Task 0 changing state from launched to failed")
        + &dfk(9.0, "INFO DFK cleanup complete");
    let run = Run::of(&[("000/parsl.log", &log)]);
    assert_eq!(
        run.reported(),
        ["error: A block could not be started"],
        "{:#?}",
        run.diagnosis
    );
    let text = &run.diagnosis.findings[0].text;
    assert!(
        text.contains("This caused 1 `step` task to fail: task 0"),
        "{text}"
    );
    assert!(
        text.contains("Related: an executor was declared bad"),
        "{text}"
    );
}

/// Academy 1.0.0: an exception in an agent's loop ends the agent; a logger appended text to the exception's message.
#[test]
fn what_is_raised_twice_on_its_way_is_reported_where_it_was_raised() {
    let raised = |what: &str, line: u32, more: &str| {
        format!(
            "Traceback (most recent call last):\n  File \"/opt/academy/runtime.py\", line 362, in _execute_loop\n    \
             await method(self._shutdown_event)\n  File \"/home/hpcuser/agents.py\", line {line}, in tick\n    raise \
             RuntimeError('{what}')\nRuntimeError: {what} {more}\n"
        )
    };
    let log = |what: &str, line: u32| {
        format!(
            "[2026-11-23 14:32:04.012] [tid=731 pid=731]  ERROR    (academy.runtime) Error in loop 'tick' (signaling \
             shutdown: True)\n{}[2026-11-23 14:32:04.047] [tid=731 pid=731]  ERROR    (academy.manager) Failure running \
             agent on worker (AgentId<e1870bb7>)\n{}",
            raised("loop broke", 31, "shutdown: True name: tick"),
            raised(what, line, "agent_id: AgentId<e1870bb7>")
        )
    };
    let run = Run::of(&[("run.log", &log("loop broke", 31))]);
    assert_eq!(
        run.reported(),
        ["error: A control loop of an agent failed: RuntimeError: loop broke"],
        "{:#?}",
        run.diagnosis
    );
    let text = &run.diagnosis.findings[0].text;
    assert!(
        text.contains("Related: an agent ended with an exception"),
        "{text}"
    );
    // An exception raised elsewhere is another one.
    let run = Run::of(&[("run.log", &log("no mailbox", 47))]);
    assert_eq!(run.raised().count(), 2, "{:#?}", run.diagnosis);
}

/// A shared template is no shared cause: only errors that name a cause are its effects.
#[test]
fn of_errors_that_share_a_form_each_is_reported_with_its_own_cause() {
    let cause = "[2026-11-23 14:32:04.012] [tid=731 pid=731]  ERROR    (academy.runtime) Error in loop 'tick' (signaling \
         shutdown: True)\nTraceback (most recent call last):\n  File \"/home/hpcuser/agents.py\", line 31, in tick\n    raise \
         RuntimeError('the mesh broke at the rim')\nRuntimeError: the mesh broke at the rim\n";
    let failed = |at: u32, step: &str, class: &str, text: &str| {
        format!(
            "{{\"formatted\": \"{step} failed: {class}: {text}\", \"name\": \"__main__\", \"msg\": \"%s failed: %s: %s\", \
             \"levelname\": \"ERROR\", \"created\": \"1795444330.{at}\", \"process\": \"731\"}}\n"
        )
    };
    let of_cause = failed(1, "mesh", "RuntimeError", "the mesh broke at the rim");
    let other = failed(2, "field", "KeyError", "'no humidity_2m in it'");
    let run = Run::of(&[
        ("run.log", cause),
        ("steps.jsonlog", &format!("{of_cause}{other}{of_cause}")),
    ]);
    assert_eq!(
        run.reported(),
        [
            "error: A control loop of an agent failed: RuntimeError: the mesh broke at the rim",
            "error: field failed: KeyError: 'no humidity_2m in it'"
        ],
        "{:#?}",
        run.diagnosis
    );
    let counts: Vec<usize> = { run.diagnosis.findings.iter() }
        .map(|f| f.events.len())
        .collect();
    assert_eq!(counts, [3, 1]);
    // An earlier message has the same template.
    let says_first = |f: &Finding| f.text.contains("the first error in these logs");
    assert!(!run.diagnosis.findings.iter().any(says_first));
}

/// The error output of a task is the reason of its failure, reported once.
#[test]
fn what_failed_says_itself_what_a_hint_knows() {
    let failing = "ERROR Task 0 failed after 0 retry attempts";
    let exit = "Traceback (most recent call last):\n  File \"/opt/parsl/bash.py\", line 1, in f\n\
                parsl.app.errors.BashExitFailure: bash_app tar failed with unix exit code 2\n";
    let log = begun()
        + &launched(1.0, 0, "tar")
        + &dfk(7.2, failing)
        + exit
        + &dfk(7.3, "INFO Task 0 changing state from launched to failed")
        + &dfk(9.0, "INFO DFK cleanup complete");
    let run = Run::of(&[
        ("000/parsl.log", &log),
        (
            "000/task_logs/0000/task_0000_tar.stderr",
            "tar: /scratch/a.tar: Cannot write: No space left on device\n",
        ),
    ]);
    assert_eq!(
        run.reported(),
        [
            "error: A file system is full: tar: /scratch/a.tar: Cannot write: No space left on device"
        ],
        "{:#?}",
        run.diagnosis
    );
    let text = &run.diagnosis.findings[0].text;
    assert!(
        text.contains("This caused 1 `tar` task to fail: task 0"),
        "{text}"
    );
}

/// Tasks that failed alike are one finding, which keeps the details of all of them.
#[test]
fn what_others_that_failed_alike_say_is_reported_too() {
    let failed = |task: u32, at: f64, code: u8| {
        dfk(
            at,
            &format!("ERROR Task {task} failed after 0 retry attempts"),
        ) + "Traceback (most recent call last):\n  File \"/opt/parsl/bash.py\", line 1, in f\n"
            + &format!(
                "parsl.app.errors.BashExitFailure: bash_app tar failed with unix exit code {code}\n"
            )
            + &dfk(
                at,
                &format!("INFO Task {task} changing state from launched to failed"),
            )
    };
    let log = begun()
        + &(0..4).map(|t| launched(1.0, t, "tar")).collect::<String>()
        + &failed(0, 7.0, 3)
        + &failed(1, 7.2, 127)
        + &failed(2, 7.4, 3)
        + &failed(3, 7.6, 127)
        + &dfk(9.0, "INFO DFK cleanup complete");
    let run = Run::of(&[("000/parsl.log", &log)]);
    let [failures] = &run.findings(|f| f.title.contains("failed"))[..] else {
        panic!("{:#?}", run.diagnosis);
    };
    assert!(failures.title.contains("exit code 3"), "{failures:#?}");
    let reports = "Others say \"parsl.app.errors.BashExitFailure: bash_app tar failed with unix exit code 127\" (tasks 1 and 3).";
    assert!(failures.text.contains(reports), "{failures:#?}");
}

/// Logs of a run whose interchange wrote its last record at `last`; its manager missed it 70 s after its start.
fn missed(last: f64, patience: &str) -> Run {
    run_of(&missed_logs(last, patience))
}

fn run_of(files: &[(String, String)]) -> Run {
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(n, t)| (n.as_str(), t.as_str()))
        .collect();
    Run::of(&files)
}

fn missed_logs(last: f64, patience: &str) -> Vec<(String, String)> {
    let log = begun()
        + &launched(1.0, 0, "work")
        + &launched(1.0, 1, "load")
        + &dfk(60.0, "DEBUG Sending command client command");
    let registration = "INFO Registration info for manager b'a22049ef1414': {'type': 'registration', 'worker_count': 2, 'uid': \
                        'a22049ef1414', 'block_id': '0', 'os': 'Linux', 'hostname': 'vm', 'dir': '/home/hpcuser'}";
    let ix = interchange(3.0, registration)
        + &interchange(
            last,
            "INFO Processing message type 'heartbeat' from manager b'a22049ef1414'",
        );
    let mgr = pool(
        4.0,
        "MainProcess-17",
        &format!("INFO \n  Block ID: 0\n  Heartbeat threshold: {patience}\n  Heartbeat period: 2"),
    ) + &pool(
        70.0,
        "MainProcess-17",
        "CRITICAL Missing contact with interchange beyond heartbeat_threshold",
    );
    [
        ("000/parsl.log", log),
        ("000/htex/interchange.log", ix),
        ("000/htex/block-0/a22049ef1414/manager.log", mgr),
    ]
    .map(|(name, text)| (name.to_owned(), text))
    .into()
}

/// The same logs as of run 001.
fn of_run_001(files: Vec<(String, String)>) -> Vec<(String, String)> {
    let other = |text: String| {
        let text = text.replace("a22049ef1414", "b33159fa2525");
        let text = text.replace("8fe630c3", "9fe630c3");
        let text = text.replace("MainThread-9", "MainThread-10");
        text.replace("1795412", "1795413")
    };
    let files = files.into_iter();
    let files = files.map(|(name, text)| (other(name).replace("000/", "001/"), other(text)));
    files.collect()
}

/// A hint that matches two runs has a cause in each, and so has their unfinished work.
#[test]
fn what_is_known_of_a_run_is_known_beside_another_one() {
    let lost = "error: A manager lost contact with the interchange";
    let mut files = missed_logs(20.0, "7");
    files.extend(of_run_001(missed_logs(20.0, "30")));
    let run = run_of(&files);
    let reports = run.reported();
    assert_eq!(
        reports.iter().filter(|t| *t == lost).count(),
        1,
        "{reports:#?}"
    );
    let text = &{ run.findings(|f| f.title == lost["error: ".len()..]) }[0].text;
    assert!(
        text.contains("was killed, or died. 2 tasks did not end"),
        "{text}"
    );
    assert!(text.contains("task 0 of 001"), "{text}");
    // In the other run the DFK ended first, and its manager missed it.
    let gone = run.findings(|f| f.kind == FindingKind::AbruptEnd);
    let came = "Related: a manager lost contact with the interchange";
    assert!(gone[0].text.contains(came), "{gone:#?}");
    let hung = run.findings(|f| f.kind == FindingKind::Hung);
    assert_eq!(hung.len(), 1, "{hung:#?}");
    assert!(hung[0].text.contains("of 000"), "{hung:#?}");
    // With the same cause in both runs, it is one finding.
    let mut files = missed_logs(20.0, "30");
    files.extend(of_run_001(missed_logs(20.0, "30")));
    let run = run_of(&files);
    let reports = run.reported();
    assert_eq!(
        reports.iter().filter(|t| *t == lost).count(),
        1,
        "{reports:#?}"
    );
    assert!(
        run.findings(|f| f.kind == FindingKind::Hung).is_empty(),
        "{reports:#?}"
    );
    let text = &run.diagnosis.findings[0].text;
    assert!(
        text.contains("The same holds for 1 other kernel: 001."),
        "{text}"
    );
}

#[test]
fn what_hangs_for_who_died_is_reported_with_that() {
    let run = missed(20.0, "30");
    let lost = "error: A manager lost contact with the interchange";
    assert_eq!(
        run.reported(),
        [lost, "warning: Kernel 000 was not shut down cleanly"],
        "{:#?}",
        run.diagnosis
    );
    let text = &run.diagnosis.findings[0].text;
    assert!(
        text.contains("the process that wrote it was killed, or died"),
        "{text}"
    );
    // Tasks not known to have begun are one group, whatever their app.
    assert!(text.contains("2 tasks did not end: launched"), "{text}");
    assert!(text.contains("Tasks 0 (work) and 1 (load)"), "{text}");
}

/// An idle interchange is silent but alive: its manager states for how long it waits.
#[test]
fn who_was_heard_from_to_the_end_did_not_die_first() {
    let run = missed(20.0, "7");
    assert_eq!(run.hung.stuck.len(), 2);
    let reports = run.reported();
    assert!(
        reports[0].starts_with("error: 2 tasks did not end"),
        "{reports:?}"
    );
    assert!(
        reports.iter().all(|t| !t.contains("lost contact")),
        "{reports:?}"
    );
    let gone = run.findings(|f| f.kind == FindingKind::AbruptEnd);
    let text = &gone[0].text;
    assert!(
        text.contains("Related: a manager lost contact with the interchange"),
        "{text}"
    );
    assert_eq!(gone[0].severity, Severity::Warning);
}

/// Dask 2026.3.0: the text log of a worker reports that a task raised, and no record reports a retry.
#[test]
fn a_try_that_raised_is_a_warning_until_its_exception_comes_out() {
    let failed = |key: u32| {
        format!(
            "2026-11-21 07:43:00,959 - distributed.worker - ERROR - Compute Failed\nKey:       ('read', {key})\nState:     \
             executing\nTask:  <Task ('read', {key}) read(...)>\nException: \"ValueError('negative density in cell \
             {key}')\"\nTraceback: ''\n\n"
        )
    };
    let worker = failed(3) + &failed(4);
    let run = Run::of(&[("worker-0.log", &worker)]);
    assert_eq!(run.worst(), Some(Severity::Warning), "{:#?}", run.diagnosis);
    let text = &run.diagnosis.findings[0].text;
    assert!(
        text.contains("These logs do not show whether it was retried"),
        "{text}"
    );
    // The client that waited for the result received the exception.
    let client = "Traceback (most recent call last):\n  File \"/home/hpcuser/run.py\", line 48, in <module>\n    \
                  f.result()\n  File \"/home/hpcuser/run.py\", line 14, in read\n    raise ValueError('negative density in \
                  cell 4')\nValueError: negative density in cell 4\n";
    let run = Run::of(&[("worker-0.log", &worker), ("client.log", client)]);
    let errors = run.titles(Severity::Error);
    assert_eq!(errors.len(), 1, "{:#?}", run.diagnosis);
    assert!(
        errors[0].starts_with("2 Dask tasks of read raised an exception"),
        "{errors:?}"
    );
    let text = &run.diagnosis.findings[0].text;
    assert!(
        text.contains("It surfaced in client: no retry succeeded."),
        "{text}"
    );
    assert!(
        !text.contains("These logs do not show whether it was retried"),
        "{text}"
    );
}

/// Two workers: the first takes 1 s for each of its tasks, the second `slow` seconds for each of `tasks`.
fn two_workers(tasks: u32, slow: f64, later: f64) -> Run {
    let mut log = begun();
    let mut workers = [String::new(), String::new()];
    for (at, worker) in workers.iter_mut().enumerate() {
        let (took, first) = match at {
            0 => (1.0, 10.0),
            _ => (slow, 10.0 + later),
        };
        // The quicker worker gets more tasks.
        let tasks = match at {
            0 => tasks * slow as u32,
            _ => tasks,
        };
        for n in 0..tasks {
            let task = n * 2 + at as u32;
            log += &launched(1.0, task, "relax");
            let (begin, who) = (
                first + f64::from(n) * took,
                format!("HTEX-Worker-{at}-{at}"),
            );
            *worker += &pool(
                begin,
                &who,
                &format!("INFO Received executor task {}", task + 1),
            );
            *worker += &pool(
                begin + took,
                &who,
                &format!("INFO Completed executor task {}", task + 1),
            );
            log += &dfk(
                begin + took + 0.1,
                &format!("INFO Task {task} changing state from launched to exec_done"),
            );
        }
    }
    log += &dfk(500.0, "INFO DFK cleanup complete");
    let folder = "000/htex/block-0/a22049ef1414";
    Run::of(&[
        ("000/parsl.log", &log),
        (&format!("{folder}/worker_0.log"), &workers[0]),
        (&format!("{folder}/worker_1.log"), &workers[1]),
    ])
}

#[test]
fn a_slow_one_of_two_is_reported() {
    let slow = |run: &Run| run.findings(|f| f.kind == FindingKind::Slow).len();
    let run = two_workers(9, 5.0, 0.0);
    let reports = run.reported();
    assert!(
        reports[0].contains("Worker 1 took 5 times as long for the same work as the other one"),
        "{reports:?}"
    );
    // Not twice as long; not at the same time; too few.
    assert_eq!(slow(&two_workers(9, 2.0, 0.0)), 0);
    assert_eq!(slow(&two_workers(9, 5.0, 60.0)), 0);
    assert_eq!(slow(&two_workers(7, 5.0, 0.0)), 0);
}

/// Work with as many end records as instances has ended in every count.
#[test]
fn runs_count_as_what_hangs_is_counted() {
    for (archive, name) in [
        ("kernels2024.tar.gz", "two"),
        ("kernels2026.tar.gz", "alike"),
        ("kernels2026.tar.gz", "threads"),
        ("sites.tar.gz", "parsl-two_kernels"),
        ("told.tar.gz", "kernels"),
    ] {
        let dir = unpacked(archive);
        let path = dir.path().join(name);
        let (snapshot, found, hung, _) = diagnosed(&path);
        let meaning = Meaning::new(&[]);
        let scope = AnalysisScope::default();
        let all = list_runs(&snapshot, &meaning.entities, &scope, &Cancel::default()).unwrap();
        let counted: u64 = all.iter().map(|run| run.work_items.unfinished).sum();
        let reports: usize = hung.goals.iter().map(|g| g.begun - g.ended).sum();
        assert_eq!(counted, reports as u64, "{name}");
        assert_eq!(found.work_items().count(), hung.goals.len());
        let open = |status: &RunStatus| matches!(status, RunStatus::Unfinished(_));
        let any = all.iter().any(|run| open(&run.status));
        assert_eq!(any, reports > 0, "{name}");
    }
}

/// Work items of each run below a path, with their states.
fn known(path: &Path) -> Vec<(String, u64, u64, u64)> {
    let (snapshot, meaning) = opened(path);
    let scope = AnalysisScope::default();
    let all = list_runs(&snapshot, &meaning.entities, &scope, &Cancel::default()).unwrap();
    let row = |run: &widetui_analysis::run_table::RunRow| {
        let goals = &run.work_items;
        (
            run.name.clone(),
            goals.begun,
            goals.unfinished,
            goals.failed,
        )
    };
    all.iter().map(row).collect()
}

/// A copy of a log beside the run that it belongs to.
#[test]
fn a_copy_outside_of_its_run_changes_nothing() {
    let dir = unpacked("multi.tar.gz");
    let whole = known(dir.path());
    let logs = dir.path().join("runinfo/000/parsl.log");
    let text = std::fs::read_to_string(&logs).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let part = |from: usize, to: usize| lines[from..to].join("\n") + "\n";
    let half = lines.len() / 2;
    for copy in [
        text.clone(),
        part(0, half),
        part(half, lines.len()),
        part(half / 2, half),
    ] {
        std::fs::write(dir.path().join("attachment.log"), copy).unwrap();
        assert_eq!(known(dir.path()), whole);
        let (_, _, hung, _) = diagnosed(dir.path());
        assert!(hung.silent.is_empty(), "{:#?}", hung.silent);
        assert!(
            hung.stuck
                .iter()
                .all(|s| s.standing == WaitState::LeftBehind)
        );
    }
}

/// The console has the text of records that the program's log has as values of one template, with finer times.
#[test]
fn what_the_console_and_a_log_report_alike_is_reported_once() {
    let line = |time: &str, said: &str| {
        format!(
            "{{\"created\": 17952261{time}, \"levelname\": \"ERROR\", \"msg\": \"%s failed: %s\", \"formatted\": \"{said}\"}}\n"
        )
    };
    let log = line("20.976541", "fetch failed: TimeoutError")
        + &line("38.173911", "store failed: KeyError")
        + &line("46.173911", "close failed: KeyError");
    let reports = |store_time: &str| {
        let console = format!(
            "2026-11-21 01:55:19,100 INFO starting up now\n\
             2026-11-21 01:55:20,976 ERROR fetch failed: TimeoutError\n\
             2026-11-21 01:55:{store_time} ERROR store failed: KeyError\n"
        );
        let run = Run::of(&[("console.log", &console), ("app.jsonl", &log)]);
        let findings = &run.diagnosis.findings;
        let counts = findings.iter().map(|f| (f.count, f.events.len()));
        counts.collect::<Vec<_>>()
    };
    // The finding has the records of both, and counts each error once.
    assert_eq!(reports("38,173"), [(3, 5)]);
    // At another time it is another error.
    assert_eq!(reports("38,175"), [(3, 4), (1, 1)]);
}

/// Dask 2026.8.0: a task kills two workers and is given up; one worker is killed from outside; a minute later another
/// one exceeds its memory, and a second task is given up.
#[test]
fn deaths_of_several_causes_are_several_findings() {
    let line = |at: &str, who: &str, level: &str, said: &str| {
        format!("2026-11-23 08:{at} - distributed.{who} - {level} - {said}\n")
    };
    let joined = |at: &str, port: u32, name: &str| {
        let said = format!("Register worker addr: tcp://10.0.0.1:{port} name: {name}");
        line(at, "scheduler", "INFO", &said)
    };
    let gone = |at: &str, port: u32, name: &str| {
        let said = format!(
            "Remove worker addr: tcp://10.0.0.1:{port} name: {name} (stimulus_id='handle-worker-cleanup-{port}')"
        );
        line(at, "scheduler", "INFO", &said)
    };
    let given_up = |at: &str, task: &str| {
        let said =
            format!("Task {task} marked as failed because 2 workers died while trying to run it");
        line(at, "scheduler", "ERROR", &said)
    };
    let died = |at: &str, pid: u32, how: &str| {
        line(at, "nanny", "INFO", &format!("Worker process {pid} {how}"))
            + &line(
                at,
                "nanny",
                "WARNING",
                "Restarting worker (status=Status.running)",
            )
    };
    let over = |at: &str, port: u32, pid: u32| {
        let said = format!(
            "Worker tcp://10.0.0.1:{port} (pid={pid}) exceeded 95% memory budget. Restarting..."
        );
        line(at, "nanny.memory", "WARNING", &said)
    };
    let scheduler = [
        line(
            "20:00,000",
            "scheduler",
            "INFO",
            "  Scheduler at:     tcp://10.0.0.1:8786",
        ),
        joined("20:01,000", 4000, "a"),
        joined("20:01,000", 4010, "b"),
        gone("20:10,000", 4000, "a"),
        gone("20:10,500", 4010, "b"),
        given_up("20:10,500", "die-1"),
        joined("20:12,000", 4001, "a"),
        joined("20:12,000", 4011, "b"),
        gone("20:14,000", 4001, "a"),
        joined("20:16,000", 4002, "a"),
        gone("21:20,100", 4011, "b"),
        given_up("21:20,100", "eat-1"),
    ];
    let exits = "exited with status 3";
    let of_a = died("20:10,002", 70, exits) + &died("20:14,002", 71, "was killed by signal 9");
    let of_b = died("20:10,502", 80, exits)
        + &over("21:20,000", 4011, 81)
        + &died("21:20,105", 81, "was killed by signal 15");
    let run = Run::of(&[
        ("scheduler.log", &scheduler.concat()),
        ("a.log", &of_a),
        ("b.log", &of_b),
    ]);
    let reports = |title: &str, is_in: &[&str], is_not: &[&str]| {
        let found = run.findings(|f| f.title == title);
        assert_eq!(found.len(), 1, "{title}: {:#?}", run.reported());
        let text = &found[0].text;
        assert!(is_in.iter().all(|part| text.contains(part)), "{text}");
        assert!(!is_not.iter().any(|part| text.contains(part)), "{text}");
    };
    let given_up = "A task was given up: workers died while they ran it (die-1)";
    reports(given_up, &["(2 times: 70, 80)"], &["71", "81", "memory"]);
    let memory = "A worker was killed because of its memory";
    reports(memory, &["(81)", "(eat-1)"], &["die-1", "70", "71"]);
    reports("A worker process died (71)", &[], &["die-1", "eat-1"]);
}

#[test]
fn of_two_exceptions_none_is_reported_for_both() {
    let line = |at: u32, said: &str, why: &str| {
        let traceback =
            format!("Traceback (most recent call last):\n  File \"x.py\", line 7, in f\n{why}");
        let record = serde_json::json!({
            "name": "academy.runtime", "msg": said, "formatted": format!("{said}\n{traceback}"), "levelname": "ERROR", "levelno": "40",
            "created": format!("{}.0", 1_795_422_030 + at), "process": "17", "taskName": "Task-1", "args": "()", "exc_text": "None",
        });
        format!("{record}\n")
    };
    let reports = |second: &str| {
        let said = "Background task raised an exception.";
        let log = line(0, said, "ValueError: cannot add 5 to it") + &line(4, said, second);
        let run = Run::of(&[("x.jsonlog", &log)]);
        let found = run.findings(|f| f.title.starts_with("A background task died: "));
        assert_eq!(found.len(), 1, "{:#?}", run.reported());
        found[0].text.clone()
    };
    let text = reports("ValueError: cannot add 6 to it");
    assert!(
        text.contains("ValueError: cannot add 5 to it (x.py:7 in f)."),
        "{text}"
    );
    assert!(
        text.contains("Another exception: ValueError: cannot add 6 to it."),
        "{text}"
    );
    let text = reports("ValueError: cannot add 5 to it");
    assert!(!text.contains("nother exception"), "{text}");
}

/// Unfinished work names the dead process, as the finding does.
#[test]
fn who_died_first_is_reported_with_what_hangs() {
    let summary = |patience: &str| {
        let logs = missed_logs(20.0, patience);
        let logs: Vec<(&str, &str)> = logs.iter().map(|(n, t)| (&**n, &**t)).collect();
        let run = Run::of(&logs);
        let (meaning, cancel) = (Meaning::new(&[]), Cancel::default());
        let found = unfinished_work(&run.snapshot, &meaning, None, &cancel).unwrap();
        let last = run.snapshot.range().map(|r| r.1);
        words(&run.snapshot, &found, &Clock::of(&Zone::Utc, last))
    };
    let reports = summary("30");
    assert!(
        reports.contains("ix ends 50.0 s before that") && reports.contains("was killed, or died."),
        "{reports}"
    );
    let reports = summary("7");
    assert!(!reports.contains("before that"), "{reports}");
}

/// A program interrupted by Ctrl-C, whose output belongs to no run, beside a run of an hour before that was killed.
#[test]
fn an_interrupt_stops_the_run_of_its_program_alone() {
    let other = begun().replace("8fe630c3", "1bc2d3e4") + &launched(1.0, 0, "step");
    let own = begun() + &launched(1.0, 0, "step");
    let own = own.replace("17954120", "17954156");
    let output = "Traceback (most recent call last):\n  File \"/home/u/flow.py\", line 9, in <module>\n    f.result()\n\
                  KeyboardInterrupt\n";
    let own = ("001/parsl.log", &*own);
    let ends = |run: &Run| run.findings(|f| f.kind == FindingKind::AbruptEnd).len();
    let run = Run::of(&[own, ("flow.err", output)]);
    assert_eq!(
        run.reported(),
        ["warning: Interrupted by the user (KeyboardInterrupt)"]
    );
    assert_eq!(ends(&run), 0);
    // Both runs stopped in the same way and share a finding, which the interrupt does not explain.
    let run = Run::of(&[("000/parsl.log", &other), own, ("flow.err", output)]);
    assert_eq!(ends(&run), 1, "{:#?}", run.diagnosis.findings);
}

/// A server closes a connection for a reason that its client cannot know.
#[test]
fn a_broken_connection_is_reported_with_the_reason_of_the_other_side() {
    let client = "\
2026-11-28 10:56:29,249 INFO connected to scans, 6 pages to load
2026-11-28 10:56:29,480 WARNING attempt 1 of 2 to load page-004 failed: OperationalError(2006, 'MySQL server has gone away')
2026-11-28 10:56:31,635 WARNING attempt 2 of 2 to load page-004 failed: OperationalError(2006, 'MySQL server has gone away')
2026-11-28 10:56:32,640 ERROR giving up after 2 attempts
";
    let server = "\
2026-11-28 10:56:29 4 [Warning] Aborted connection 4 to db: 'scans' (Got a packet bigger than 'max_allowed_packet' bytes)
2026-11-28 10:56:31 6 [Warning] Aborted connection 6 to db: 'scans' (Got a packet bigger than 'max_allowed_packet' bytes)
2026-11-28 10:56:32 7 [Warning] Aborted connection 7 to db: 'scans' (Got an error reading communication packets)
";
    let run = Run::of(&[("loader.log", client), ("mariadb.log", server)]);
    let title = &run.diagnosis.findings[0].title;
    assert!(
        title.starts_with("giving up after 2 attempts")
            && title.contains("mariadb: ")
            && title.contains("bigger than"),
        "{title}"
    );
    // Without words of a broken connection, neighbours in time say nothing.
    let other = client.replace("MySQL server has gone away", "no such table");
    let run = Run::of(&[("loader.log", &other), ("mariadb.log", server)]);
    assert!(!run.diagnosis.findings[0].title.contains("mariadb: "));
}

/// Two messages that come together each time are one problem; those that did so once may be two.
#[test]
fn messages_that_always_come_together_are_one_finding() {
    let pair = |second: u32, with: bool| {
        let at = format!("2026-11-28 10:57:{second:02}");
        let first = format!("{at},100 CRITICAL worker timeout (pid:134{second})\n");
        let then = format!("{at},300 ERROR request GET /export?months=24 was not answered\n");
        first + if with { &then } else { "" }
    };
    let log = pair(11, true) + &pair(21, true) + &pair(41, true);
    assert_eq!(
        Run::of(&[("web.log", &log)]).reported(),
        ["error: worker timeout (pid:13411)"]
    );
    let log = pair(11, true) + &pair(21, false) + &pair(41, false);
    assert_eq!(Run::of(&[("web.log", &log)]).reported().len(), 2);
}

/// Open MPI 4.1 prints the kind of an error in the fourth line of its report, npm 11 its code before the words for it.
#[test]
fn lists_of_messages_are_named_by_their_error_code() {
    let mpi = "\
[vm:12223] *** An error occurred in MPI_Recv
[vm:12223] *** reported by process [1189085185,0]
[vm:12223] *** on communicator MPI_COMM_WORLD
[vm:12223] *** MPI_ERR_TRUNCATE: message truncated
[vm:12223] *** MPI_ERRORS_ARE_FATAL (processes in this communicator will now abort,
[vm:12223] ***    and potentially your MPI job)
";
    let first = |name: &str, text: &str| Run::of(&[(name, text)]).reported()[0].clone();
    assert_eq!(
        first("halo.err", mpi),
        "error: [vm:12223] *** An error occurred in MPI_Recv: MPI_ERR_TRUNCATE: message truncated"
    );
    let npm = "\
== install
npm error code ERESOLVE
npm error ERESOLVE unable to resolve dependency tree
npm error Could not resolve dependency:
== build
sh: 1: vite: not found
";
    let title = first("ci.log", npm);
    assert!(
        title.contains("npm error code ERESOLVE: ERESOLVE unable to resolve dependency tree"),
        "{title}"
    );
}

/// What the requested stop of a server interrupts is no error, and comes after errors of its work.
#[test]
fn errors_of_a_requested_stop_come_last() {
    let log = "\
2026-11-28 13:30:06.900 UTC [70] LOG:  received fast shutdown request
2026-11-28 13:30:06.960 UTC [71] FATAL:  terminating walreceiver process due to administrator command
2026-11-28 13:30:35.928 UTC [78] FATAL:  could not receive data from WAL stream
2026-11-28 13:31:36.128 UTC [85] LOG:  database system is ready to accept connections
";
    let run = Run::of(&[("standby.log", log)]);
    let reports = run.reported();
    assert_eq!(
        reports,
        [
            "error: could not receive data from WAL stream",
            "warning: terminating walreceiver process due to administrator command"
        ]
    );
    assert!(
        run.diagnosis.findings[1]
            .text
            .contains("stopping as requested")
    );
}

/// A client reports that its server failed; an earlier record of the server is nearer to the cause.
#[test]
fn failures_of_the_other_side_rank_by_time() {
    let client = "\
2026-11-28 13:25:26,771 WARNING order 4001: 503
Traceback (most recent call last):
  File \"client.py\", line 829, in raise_for_status
    raise HTTPStatusError(message)
httpx.HTTPStatusError: Server error '503 Service Unavailable' for url 'http://127.0.0.1/orders'
";
    let proxy =
        "2026-11-28 13:25:17.288 Server orders/o1 is DOWN, reason: wrong status, check failed\n";
    let run = Run::of(&[("client.log", client), ("proxy.log", proxy)]);
    assert!(
        run.reported()[0].contains("orders/o1 is DOWN"),
        "{:?}",
        run.reported()
    );
    let other = client.replace(
        "Server error '503 Service Unavailable' for url",
        "no such field in",
    );
    let run = Run::of(&[("client.log", &other), ("proxy.log", proxy)]);
    assert!(
        run.reported()[0].contains("HTTPStatusError"),
        "{:?}",
        run.reported()
    );
}

/// Statuses and signals that scripts print are problems unless they are zero.
#[test]
fn an_exit_status_in_a_text_is_a_problem() {
    let log = |status: u32, line: &str| {
        format!(
            "2026-11-28 13:24:56 train\n{line}2026-11-28 13:25:08 train ended with status {status}\n\
             2026-11-28 13:25:09 evaluate\n"
        )
    };
    let run = Run::of(&[("run.log", &log(129, "Hangup\n"))]);
    assert_eq!(
        run.reported(),
        ["warning: train ended with status 129: Hangup"]
    );
    let run = Run::of(&[("run.log", &log(0, ""))]);
    assert!(run.reported().is_empty(), "{:?}", run.reported());
}

/// Snakemake 9.27: the rule of a failed job names its log, whose last line is the reason.
#[test]
fn a_job_that_exited_failed_for_the_exception_in_its_log() {
    let console = "\
[Sat Nov 28 13:33:47 2026]
localrule count:
    output: counts/s4.tsv
    log: logs/count/s4.log
    jobid: 5
    wildcards: s=s4
RuleException:
CalledProcessError in file \"Snakefile\", line 8:
Command 'set -euo pipefail;  python count.py > logs/count/s4.log 2>&1' returned non-zero exit status 1.
[Sat Nov 28 13:33:47 2026]
Error in rule count:
    message: None
    jobid: 5
    output: counts/s4.tsv
    log: logs/count/s4.log (check log file(s) for error details)
    shell:
        python count.py > logs/count/s4.log 2>&1
        (command exited with non-zero exit code)
";
    let output = "\
Traceback (most recent call last):
  File \"/w/count.py\", line 5, in <module>
    for line in f:
EOFError: Compressed file ended before the end-of-stream marker was reached
";
    let run = Run::of(&[
        ("2026-11-28T133342.685745.snakemake.log", console),
        ("logs/count/s4.log", output),
    ]);
    assert_eq!(
        run.reported()[0],
        "error: 1 job of count failed: EOFError: Compressed file ended before the end-of-stream marker was reached"
    );
}

/// One long step holds up all others of its process.
#[test]
fn a_slow_period_is_reported_with_what_occurs_only_then() {
    let mut log = String::new();
    let mut line = |at: u32, text: &str| {
        log += &format!(
            "2026-11-28 13:{:02}:{:02},000 INFO {text}\n",
            at / 60,
            at % 60
        );
    };
    for at in 0..90 {
        match at {
            30..60 if at % 4 == 0 => {
                line(at, &format!("invoice {at} in {} ms", 2200 + at));
                line(at, &format!("price of {at} in {} ms", 4100 + at));
            }
            30..60 => {}
            _ => line(at, &format!("price of {at} in {} ms", 40 + at % 7)),
        }
    }
    let run = Run::of(&[("till.log", &log)]);
    let finding = &run.diagnosis.findings[0];
    assert!(
        finding
            .title
            .starts_with("Slow for a while: \"price of … in … ms\" took 4.1 s instead of 4"),
        "{}",
        finding.title
    );
    assert!(
        finding
            .text
            .contains("Only then occur: \"invoice … in … ms\""),
        "{}",
        finding.text
    );
}
