//! One cause is one finding: its effects are listed in it, and unrelated findings stay apart.

use std::path::Path;

use widetui_analysis::run_table::{RunStatus, list_runs};
use widetui_analysis::scope::AnalysisScope;
use widetui_core::cancel::Cancel;
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
}

/// Academy 1.0.0: an exception in an agent's loop ends the agent; a logger appended text to the exception's message.
#[test]
fn what_is_raised_twice_on_its_way_is_reported_where_it_was_raised() {
    let raised = |more: &str| {
        format!(
            "Traceback (most recent call last):\n  File \"/opt/academy/runtime.py\", line 362, in _execute_loop\n    \
             await method(self._shutdown_event)\n  File \"/home/hpcuser/agents.py\", line 31, in tick\n    raise \
             RuntimeError('loop broke')\nRuntimeError: loop broke {more}\n"
        )
    };
    let log = format!(
        "[2026-11-23 14:32:04.012] [tid=731 pid=731]  ERROR    (academy.runtime) Error in loop 'tick' (signaling \
         shutdown: True)\n{}[2026-11-23 14:32:04.047] [tid=731 pid=731]  ERROR    (academy.manager) Failure running \
         agent on worker (AgentId<e1870bb7>)\n{}",
        raised("shutdown: True name: tick"),
        raised("agent_id: AgentId<e1870bb7>")
    );
    let run = Run::of(&[("run.log", &log)]);
    assert_eq!(
        run.reported(),
        ["error: A control loop of an agent failed"],
        "{:#?}",
        run.diagnosis
    );
    assert!(run.top(1).contains("RuntimeError: loop broke"));
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
    assert_eq!(run.reported().len(), 1, "{:#?}", run.diagnosis);
    let top = run.top(1);
    assert!(
        top.contains("exit code 3") && top.contains("exit code 127"),
        "{top}"
    );
}

fn run_of(files: &[(String, String)]) -> Run {
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(n, t)| (n.as_str(), t.as_str()))
        .collect();
    Run::of(&files)
}

/// Logs of a run whose interchange wrote its last record at `last`; its manager missed it 70 s after its start.
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

#[test]
fn what_two_runs_die_of_alike_is_one_finding() {
    let mut files = missed_logs(20.0, "30");
    files.extend(of_run_001(missed_logs(20.0, "30")));
    let reports = run_of(&files).reported();
    let lost = "error: A manager lost contact with the interchange";
    assert_eq!(reports[0], lost);
    let alike = reports.iter().filter(|t| *t == lost);
    assert_eq!(alike.count(), 1, "{reports:#?}");
}

/// Two workers: the first takes 1 s for each of its tasks, the second `slow` seconds for each of nine.
fn two_workers(slow: f64) -> Run {
    let mut log = begun();
    let mut workers = [String::new(), String::new()];
    for (at, worker) in workers.iter_mut().enumerate() {
        // The quicker worker gets more tasks.
        let (took, tasks) = match at {
            0 => (1.0, 9 * slow as u32),
            _ => (slow, 9),
        };
        for n in 0..tasks {
            let task = n * 2 + at as u32;
            log += &launched(1.0, task, "relax");
            let (begin, who) = (10.0 + f64::from(n) * took, format!("HTEX-Worker-{at}-{at}"));
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
    let run = two_workers(5.0);
    let reports = run.reported();
    assert!(reports[0].contains("HTEX-Worker-1 is slow"), "{reports:?}");
    // Not twice as long.
    let run = two_workers(2.0);
    assert!(run.findings(|f| f.kind == "slow").is_empty());
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
    let console = "2026-11-21 01:55:19,100 INFO starting up now\n\
                   2026-11-21 01:55:20,976 ERROR fetch failed: TimeoutError\n\
                   2026-11-21 01:55:38,173 ERROR store failed: KeyError\n";
    let run = Run::of(&[("console.log", console), ("app.jsonl", &log)]);
    // Each finding has the records of both.
    let records: Vec<usize> = { run.diagnosis.findings.iter() }
        .map(|f| f.events.len())
        .collect();
    assert_eq!(records, [2, 2, 1]);
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
        assert_eq!(
            run.reported(),
            ["error: A background task died"],
            "{:#?}",
            run.diagnosis
        );
        let effects = run.diagnosis.findings[0].effects.iter();
        effects.map(|e| e.title.clone()).collect::<Vec<_>>()
    };
    let (first, other) = (
        "ValueError: cannot add 5 to it",
        "ValueError: cannot add 6 to it",
    );
    assert_eq!(reports(other), [first, other]);
    assert_eq!(reports(first), [first]);
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

/// A program interrupted by Ctrl-C, whose output belongs to no run.
#[test]
fn an_interrupt_explains_that_its_run_did_not_end() {
    let own = begun() + &launched(1.0, 0, "step");
    let output = "Traceback (most recent call last):\n  File \"/home/u/flow.py\", line 9, in <module>\n    f.result()\n\
                  KeyboardInterrupt\n";
    let run = Run::of(&[("001/parsl.log", &own), ("flow.err", output)]);
    let reports = run.reported();
    assert_eq!(reports.len(), 1, "{reports:?}");
    assert!(
        reports[0].starts_with("warning: ") && reports[0].contains("KeyboardInterrupt"),
        "{reports:?}"
    );
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
    let top = run.top(2);
    assert!(top.contains("bigger than 'max_allowed_packet'"), "{top}");
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
    let reports = run.reported();
    assert!(
        reports[0].contains("EOFError: Compressed file ended before the end-of-stream marker"),
        "{reports:?}"
    );
}
