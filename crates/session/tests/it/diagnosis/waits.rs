//! Waits between instances that no single record states, on excerpts of real runs; one trouble is reported once.

use serde_json::json;
use widetui_analysis::account::{AccountContext, phase_totals};
use widetui_analysis::scope::AnalysisScope;
use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_diagnosis::Severity;
use widetui_diagnosis::unfinished::words::words;
use widetui_diagnosis::unfinished::{SilenceReason, UnfinishedItem};
use widetui_session::meaning::Meaning;
use widetui_source::text::read_range;
use widetui_store::{EventRef, SourceTrait};
use widetui_time::clock::Clock;
use widetui_time::zone::Zone;

use widetui_testing::diagnosed::{Run, diagnosed};

/// A record of Academy 1.0.0: second, logger, asyncio task, message, further keys.
fn academy(at: f64, logger: &str, task: &str, message: &str, keys: &[(&str, &str)]) -> String {
    let mut record = json!({
        "name": format!("academy.{logger}"), "msg": message, "message": message, "levelname": "DEBUG", "levelno": "10",
        "created": format!("{:.6}", 1_795_422_030.0 + at), "process": "17", "processName": "MainProcess", "threadName": "MainThread",
        "taskName": task, "funcName": "f", "lineno": "1", "args": "()", "exc_text": "None",
    });
    for (key, value) in keys {
        record[format!("academy.{key}")] = json!(value);
    }
    format!("{record}\n")
}

/// Records of a call until its execution: caller, callee, number of the call, asyncio task of the caller, asyncio task
/// that executes it.
fn called(at: f64, (from, to): (&str, &str), tag: &str, (asks, does): (&str, &str)) -> String {
    let tag = format!("{tag}0000000-0000-4000-8000-000000000000");
    let sending = format!("Sending action request from {from} to {to} (action='transfer')");
    let keys = |state| {
        [
            ("action", "transfer"),
            ("action_tag", tag.as_str()),
            ("action_state", state),
        ]
    };
    [
        academy(
            at,
            "handle",
            asks,
            &format!("Invoking action transfer with tag id {tag}"),
            &[&keys("start")[..], &[("agent_id", to)]].concat(),
        ),
        academy(
            at + 0.01,
            "handle",
            asks,
            &sending,
            &[
                &keys("sending")[..],
                &[("src", from), ("dest", to), ("message_tag", &tag)],
            ]
            .concat(),
        ),
        academy(
            at + 0.02,
            "runtime",
            does,
            &format!("Invoking action transfer with invocation id {tag}"),
            &[&keys("execute_start")[..], &[("agent_id", to)]].concat(),
        ),
    ]
    .concat()
}

const USER: &str = "UserId<d168b36d>";
const LEFT: &str = "AgentId<left>";
const RIGHT: &str = "AgentId<right>";

#[test]
fn agents_that_wait_for_each_other_are_reported() {
    let log = [
        called(0.0, (USER, LEFT), "a", ("Task-1", "Task-5")),
        called(0.1, (USER, RIGHT), "b", ("Task-2", "Task-6")),
        called(1.0, (LEFT, RIGHT), "c", ("Task-5", "Task-7")),
        called(1.1, (RIGHT, LEFT), "d", ("Task-6", "Task-8")),
    ];
    let run = Run::of(&[("x.jsonlog", &log.concat())]);
    let waits: Vec<(&str, Vec<&str>)> = { run.hung.stuck.iter() }
        .map(|s| {
            let names = s
                .waits_for
                .iter()
                .map(|w| &run.hung.stuck[*w].number()[..1]);
            (&s.number()[..1], names.collect())
        })
        .filter(|(_, names): &(_, Vec<&str>)| !names.is_empty())
        .collect();
    assert_eq!(waits, [("a", vec!["c"]), ("b", vec!["d"])]);
    let reports = run.words();
    assert!(
        reports.contains("Agents AgentId<left> and AgentId<right> wait for each other"),
        "{reports}"
    );
    assert!(reports.contains("1 action waits for it"), "{reports}");
    let first = run.top(2);
    assert!(
        ["c0000000", "d0000000"].iter().all(|a| first.contains(a)),
        "{first}"
    );
}

#[test]
fn an_agent_with_several_actions_is_matched_by_its_task() {
    let two = [
        called(0.0, (USER, LEFT), "a", ("Task-1", "Task-5")),
        called(0.1, (USER, LEFT), "b", ("Task-2", "Task-6")),
    ];
    let waits = |asks: &str| {
        let call = called(1.0, (LEFT, RIGHT), "c", (asks, "Task-7"));
        let run = Run::of(&[("x.jsonlog", &(two.concat() + &call))]);
        let waiting = run.hung.stuck.iter().filter(|s| !s.waits_for.is_empty());
        let names: Vec<String> = waiting.map(|s| s.number()[..1].to_owned()).collect();
        assert!(run.hung.mutual.is_empty());
        names
    };
    assert_eq!(waits("Task-6"), ["b"]);
    // Before Python 3.12 asyncio tasks have no names, so the caller is unknown.
    assert_eq!(waits("None"), [""; 0]);
    // A control loop of the agent made the call.
    assert_eq!(waits("Task-9"), [""; 0]);
}

#[test]
fn who_waits_for_an_answer_did_not_fall_silent() {
    // Both wrote often enough to be called silent later; then one calls, and the other is executing.
    let often = |from: f64, logger: &str| -> String {
        let at = |n: i32| from + f64::from(n) * 0.5;
        (0..40)
            .map(|n| academy(at(n), logger, "Task-1", "beat", &[]))
            .collect()
    };
    let call = called(20.0, (USER, LEFT), "a", ("Task-1", "Task-5"));
    // The last line is the agent's own.
    let (asks, does) = call.split_at(call.trim_end().rfind('\n').unwrap() + 1);
    let others: String = (0..80)
        .map(|n| academy(f64::from(n), "exchange", "Task-3", "poll", &[]))
        .collect();
    let run = Run::of(&[
        ("caller.jsonlog", &(often(0.0, "handle") + asks)),
        ("agent.jsonlog", &(often(0.2, "runtime") + does)),
        ("exchange.jsonlog", &others),
    ]);
    let silent = run.hung.silent.iter();
    let silent = silent.filter(|s| s.why == SilenceReason::Unknown);
    let tags: Vec<&str> = silent.map(|s| &*s.tag).collect();
    assert_eq!(tags, ["agent"]);
    // The silence of the agent is no finding besides the call that hangs there.
    let reports = run.reported();
    assert!(
        reports.len() == 1 && reports[0].contains("(transfer)"),
        "{reports:?}"
    );
}

/// Records in Parsl's own layout, each at (seconds after 05:33:20, level and message).
fn parsl(who: &str, logger: &str, records: &[(f64, String)]) -> String {
    let line = |(at, said): &(f64, String)| {
        let (micros, clock) = ((at * 1e6) as u64, 33 * 60 + 20 + *at as u64);
        let level = match said.contains(" failed after ") {
            true => "ERROR",
            false => "INFO",
        };
        format!(
            "{}.{:06} 2026-11-23 05:{:02}:{:02} {who}-17 MainThread-139876898941824 parsl.{logger}:7 f {level}: {said}\n",
            1_795_412_000 + micros / 1_000_000,
            micros % 1_000_000,
            clock / 60,
            clock % 60
        )
    };
    records.iter().map(line).collect()
}

/// A DFK with `tasks` launched tasks of `work`.
fn launched_tasks(tasks: usize) -> Vec<(f64, String)> {
    let mut out = vec![(
        0.0,
        "Run id is: 8aa0f858-4f6d-4cac-b59c-d03a3db0a311".to_owned(),
    )];
    for task in 0..tasks {
        let number = task + 1;
        for said in [
            format!("Task {task} submitted for App work, not waiting on any dependency"),
            format!("Task {task} initializing state to pending"),
            format!("Task {task} changing state from pending to launched"),
            format!("Parsl task {task} try 0 launched on executor htex with executor id {number}"),
        ] {
            out.push((1.0, said));
        }
    }
    out
}

#[test]
fn what_is_at_work_while_the_run_goes_on_is_no_error_until_it_takes_long() {
    let mut log = launched_tasks(3);
    for (task, at) in [(0, 9.0), (1, 12.0)] {
        let said = format!("Task {task} changing state from launched to exec_done");
        log.push((at, said));
    }
    let run = Run::of(&[(
        "000/parsl.log",
        &parsl("MainProcess", "dataflow.dflow", &log),
    )]);
    let last = run.snapshot.range().unwrap().1;
    let reports = |after: i64| {
        let diagnosis = run.diagnosis_at(last + after * 1_000_000_000);
        let raised = diagnosis.findings.iter();
        let raised = raised.filter(|f| f.severity > Severity::Info);
        let titles: Vec<&str> = raised.map(|f| &*f.title).collect();
        (titles.join("; "), diagnosis.summary)
    };
    // Others took 11 s at most.
    let (titles, summary) = reports(1);
    assert_eq!(titles, "");
    assert!(summary.contains("1 has not ended yet"), "{summary}");
    assert_eq!(reports(40).0, "");
    // Five times as long is long.
    let (titles, _) = reports(50);
    assert!(
        titles.starts_with("Task 2 (work) began and never ended"),
        "{titles}"
    );
    assert!(!titles.contains("shut down"), "{titles}");
    // A run that has been silent for so long is considered over.
    let (titles, summary) = reports(600);
    assert!(
        titles.contains("ernel 000 was not shut down cleanly"),
        "{titles}"
    );
    assert!(summary.contains("1 did not end."), "{summary}");
}

#[test]
fn what_finds_no_free_worker_waits_for_one() {
    let mut log = launched_tasks(3);
    log.push((40.0, "Sending command client command".to_owned()));
    let pool = "executors.high_throughput.process_worker_pool";
    let worker = |k: u8, task: Option<usize>| {
        let mut records = vec![(3.0, format!("Worker {k} started"))];
        records.extend(task.map(|n| (4.0, format!("Received executor task {n}"))));
        parsl(&format!("HTEX-Worker-{k}"), pool, &records)
    };
    let reports = |second: Option<usize>| {
        let run = Run::of(&[
            (
                "000/parsl.log",
                &parsl("MainProcess", "dataflow.dflow", &log),
            ),
            (
                "000/htex/block-0/a22049ef1414/worker_0.log",
                &worker(0, Some(1)),
            ),
            (
                "000/htex/block-0/a22049ef1414/worker_1.log",
                &worker(1, second),
            ),
        ]);
        run.words()
    };
    let words = reports(Some(2));
    let waits = "waits for a worker: both have other unfinished work";
    assert!(words.contains(waits), "{words}");
    // A worker could take it.
    let words = reports(None);
    assert!(!words.contains("waits for a worker"), "{words}");
}

#[test]
fn a_command_that_failed_is_reported_once() {
    let mut log = launched_tasks(1);
    log.push((
        6.0,
        "Task 0 failed after 0 retry attempts\nTraceback (most recent call last):\n  File \"/x/bash.py\", line 70, in f\n    raise E\n\
         parsl.app.errors.BashExitFailure: bash_app work failed with unix exit code 3"
            .to_owned(),
    ));
    log.push((
        6.1,
        "Task 0 changing state from launched to failed".to_owned(),
    ));
    log.push((7.0, "DFK cleanup complete".to_owned()));
    let said = "--> executable follows <--\nrun_model; exit 3\n--> end executable <--\nloading\n";
    let run = Run::of(&[
        (
            "000/parsl.log",
            &parsl("MainProcess", "dataflow.dflow", &log),
        ),
        ("000/task_logs/0000/task_0000_work.stderr", said),
    ]);
    let reports = run.reported();
    assert!(
        reports.len() == 1 && reports[0].ends_with("exit code 3"),
        "{reports:#?}"
    );
}

#[test]
fn code_in_a_command_line_is_no_message() {
    let mut log = launched_tasks(1);
    let said = "Task 0 changing state from launched to exec_done";
    log.push((6.0, said.to_owned()));
    log.push((7.0, "DFK cleanup complete".to_owned()));
    let command = "test -d /in || { echo \"ERROR: no input\"; exit 1; }\ntrap 'echo \"killed by signal\"' TERM\nmodel";
    let run = |end: &str| {
        Run::of(&[
            (
                "000/parsl.log",
                &parsl("MainProcess", "dataflow.dflow", &log),
            ),
            (
                "000/task_logs/0000/task_0000_work.stderr",
                &format!("--> executable follows <--\n{command}\n{end}step 1\nstep 2\n"),
            ),
        ])
    };
    let quoted = run("--> end executable <--\n");
    assert_eq!(quoted.reported(), [""; 0]);
    let texts = |run: &Run| {
        let logs = run.snapshot.sources.iter();
        let err = logs.filter(|s| s.path.ends_with("stderr")).map(|s| s.id);
        let err: Vec<_> = err.collect();
        let all = (0..run.snapshot.len() as u32).map(EventId);
        let all = all.filter_map(|id| run.snapshot.event(id));
        let own = all.filter(|e| err.contains(&e.source().id));
        let text = |e: EventRef<'_>| {
            let (from, len) = e.span();
            let text = read_range(&*e.source().text, from, len).unwrap();
            String::from_utf8(text).unwrap().trim_end().to_owned()
        };
        own.map(text).collect::<Vec<_>>()
    };
    let whole = format!("--> executable follows <--\n{command}\n--> end executable <--");
    assert_eq!(texts(&quoted), [whole.as_str(), "step 1", "step 2"]);
    // Text without an end marker is no quotation.
    assert!(run("").reported().join("; ").contains("process was killed"));
}

/// A transition of a task in the log of Dask 2026.8.0.
fn step(key: &str, (from, to): (&str, &str), stimulus: &str, at: f64) -> String {
    let time = 1_795_422_560.0 + at;
    let row = json!({"key": key, "start": from, "finish": to, "recommendations": {}, "stimulus_id": stimulus, "timestamp": time});
    format!("{row}\n")
}

#[test]
fn what_is_given_up_with_what_it_depends_on_is_no_failure_of_its_own() {
    let log = [
        step("die-1", ("waiting", "processing"), "s1", 1.0),
        step("after-1", ("released", "waiting"), "s1", 1.1),
        step("die-1", ("processing", "erred"), "s2", 9.0),
        step("after-1", ("waiting", "released"), "s2", 9.1),
        step("after-1", ("released", "erred"), "s2", 9.2),
    ];
    let run = Run::of(&[("transitions.jsonl", &log.concat())]);
    let reports = run.reported();
    assert!(
        reports.len() == 1 && reports[0].contains("die-1"),
        "{reports:#?}"
    );
}

/// Dask: a worker reports that a task raised; the scheduler retries it, and it succeeds.
#[test]
fn an_error_about_what_ended_well_is_no_error() {
    let raised = "2026-11-23 08:29:22,500 - distributed.worker - ERROR - Compute Failed\nKey:       flaky-1\nState:     executing\n\
                  Exception: \"ConnectionResetError(104, 'peer st00 reset connection')\"\n\n";
    let log = [
        step("flaky-1", ("waiting", "processing"), "s1", 1.0),
        step("flaky-1", ("processing", "released"), "s2", 3.0),
        step("flaky-1", ("released", "waiting"), "s2", 3.1),
        step("flaky-1", ("waiting", "processing"), "s2", 3.2),
        step("flaky-1", ("processing", "memory"), "s3", 5.0),
        step("other-1", ("waiting", "processing"), "s3", 5.0),
    ];
    let run = Run::of(&[("transitions.jsonl", &log.concat()), ("worker.log", raised)]);
    assert!(run.worst() < Some(Severity::Error), "{:#?}", run.diagnosis);
}

/// Dask 2026.8.0: a nanny and its worker are ended by one signal, and the worker has no time to report it.
#[test]
fn a_worker_whose_nanny_ends_was_meant_to_end() {
    let line = |at: &str, who: &str, said: &str| {
        format!("2026-11-23 08:28:{at} - distributed.{who} - INFO - {said}\n")
    };
    let nanny = |end: &str| {
        [
            line(
                "06,099",
                "nanny",
                "        Start Nanny at: 'tcp://127.0.0.1:34451'",
            ),
            line(
                "10,122",
                "worker",
                "      Start worker at:      tcp://127.0.0.1:39473",
            ),
            line(
                "10,122",
                "worker",
                "          Worker name:                     nid001",
            ),
            line(
                "10,225",
                "worker",
                "        Registered to:      tcp://127.0.0.1:18779",
            ),
            line(
                "15,349",
                "nanny",
                "Worker process 27311 was killed by signal 15",
            ),
            line("15,397", "nanny", end),
        ]
        .concat()
    };
    let scheduler = [
        line("04,000", "scheduler", "  Scheduler at:     tcp://127.0.0.1:18779"),
        line("10,200", "scheduler", "Register worker addr: tcp://127.0.0.1:39473 name: nid001"),
        line("15,345", "core", "Connection to tcp://127.0.0.1:39084 has been closed."),
        line(
            "15,345",
            "scheduler",
            "Remove worker addr: tcp://127.0.0.1:39473 name: nid001 (stimulus_id='handle-worker-cleanup-1795422495.34')",
        ),
    ]
    .concat();
    let lost = |end: &str| {
        let run = Run::of(&[("worker-1.log", &nanny(end)), ("scheduler.log", &scheduler)]);
        // By itself, or as an effect of its process's death.
        let said = "gone without a word";
        run.findings(|f| f.title.contains(said) || f.text.contains(said))
            .len()
    };
    assert_eq!(lost("Nanny at 'tcp://127.0.0.1:34451' closed."), 0);
    assert_eq!(lost("Restarting worker (status=Status.running)"), 1);
}

/// Output of `Client.dump_cluster_state` about waiting tasks, and the last records of a worker, the latest first.
#[test]
fn a_dump_says_who_waits_and_what_a_worker_wrote_last() {
    let t = 1_795_411_200.0;
    let waits = |on: &str| json!({"key": "after-1", "exception_text": null, "state": "waiting", "waiting_on": [on]});
    let dump = json!({
        "scheduler": {
            "transition_log": [
                ["slow-1", "waiting", "processing", {}, "update-graph-1", t],
                ["after-1", "released", "waiting", {}, "update-graph-1", t],
                [["tup", 1], "released", "waiting", {}, "update-graph-1", t + 1.0]
            ],
            "tasks": {"after-1": waits("<TaskState 'slow-1' processing>"),
                "('tup', 1)": {"key": ["tup", 1], "waiting_on": ["<TaskState 'after-1' waiting>"]}},
        },
        "workers": {"tcp://127.0.0.1:34405": {
            "log": [["slow-1", "ready", "executing", "executing", {}, "compute-task-1", t + 1.25]],
            "logs": [
                ["ERROR", "2026-11-23 05:20:09,100 - distributed.worker - ERROR - gone\nTraceback (most recent call last):\nOSError: x"],
                ["INFO", "2026-11-23 05:20:01,000 - distributed.worker - INFO -       Start worker at: tcp://127.0.0.1:34405"]
            ]
        }}
    });
    let text: String = { dump.as_object().unwrap().iter() }
        .map(|(name, value)| format!("{name}: {value}\n"))
        .collect();
    let run = Run::of(&[("dump.yaml", &text)]);
    let stuck: Vec<(&str, usize)> = { run.hung.stuck.iter() }
        .map(|s| (s.number(), s.waits_for.len()))
        .collect();
    assert_eq!(stuck, [("slow-1", 0), ("after-1", 1), ("('tup', 1)", 1)]);
    assert_eq!(run.hung.stuck[0].all_waiters, Some(2));
    let log = { run.snapshot.sources.iter() }.find(|s| s.path.ends_with("/logs/127.0.0.1:34405"));
    let log = log.unwrap();
    assert!(
        log.is_log && log.has_trait(SourceTrait::Dump) && log.first() < log.last(),
        "{log:#?}"
    );
    assert_eq!((log.stats.records(), &*log.layout), (2, "python.dashes"));
}

/// Records of the threads of one DFK, in the layout of Parsl 2026.10.26: ms after 05:33:20, thread, message.
fn threads(records: &[(u32, &str, String)]) -> String {
    let head = (
        0,
        "MainThread-1",
        "Run id is: 8aa0f858-4f6d-4cac-b59c-d03a3db0a311".to_owned(),
    );
    let line = |(ms, thread, said): &(u32, &str, String)| {
        let (second, ms) = (20 + ms / 1000, ms % 1000);
        format!(
            "{}.{ms:03}000 2026-11-23 05:33:{second:02} MainProcess-17 {thread} parsl.dataflow.dflow:7 f DEBUG: {said}\n",
            1_795_411_980 + second,
        )
    };
    [head].iter().chain(records).map(line).collect()
}

/// Records of the thread that submits a task.
fn submits(
    ms: u32,
    thread: &'static str,
    task: u32,
    app: &str,
) -> Vec<(u32, &'static str, String)> {
    let said = [
        format!("Task {task} will be sent to executor thr"),
        format!("Task {task} submitted for App {app}, not waiting on any dependency"),
        format!("Task {task} initializing state to pending"),
    ];
    said.into_iter().map(|said| (ms, thread, said)).collect()
}

const LAUNCHES: &str = "Task-Launch_0-2";

/// Records of the thread that launches a task, without the last one.
fn launches(ms: u32, task: u32, executor: &str) -> Vec<(u32, &'static str, String)> {
    let said = [
        format!("Task {task} changing state from pending to launched"),
        format!("Parsl task {task} try 0 launched on executor {executor}"),
        format!("Standard error for task {task} will not be redirected."),
    ];
    said.into_iter().map(|said| (ms, LAUNCHES, said)).collect()
}

fn begins_launch(ms: u32, task: u32) -> (u32, &'static str, String) {
    (ms, LAUNCHES, format!("Task {task} will not be memoized"))
}

fn done(ms: u32) -> (u32, &'static str, String) {
    let said = "Normal ending for _launch_if_ready_async on thread Task-Launch_0";
    (ms, LAUNCHES, said.to_owned())
}

/// Record of the end of the body of a join app, on its own thread or on the launching one.
fn joins(ms: u32, thread: &'static str, task: u32) -> Vec<(u32, &'static str, String)> {
    let said = [
        format!("Task {task} changing state from launched to joining"),
        format!("Standard error for task {task} will not be redirected."),
    ];
    said.into_iter().map(|said| (ms, thread, said)).collect()
}

/// The body of a join app may end before its launch does: the launching thread then reports the end, and the next
/// report of the body's thread is about another body.
#[test]
fn what_a_body_started_is_not_of_the_body_that_came_after_it() {
    let body = "ThreadPoolExecutor-_parsl_internal_0-3";
    let log = [
        submits(1, "MainThread-1", 1, "first"),
        submits(1, "MainThread-1", 2, "second"),
        vec![begins_launch(10, 1)],
        submits(11, body, 3, "of_first"),
        launches(12, 1, "_parsl_internal"),
        joins(13, LAUNCHES, 1),
        vec![done(14), begins_launch(20, 2)],
        launches(21, 2, "_parsl_internal"),
        vec![done(22)],
        submits(23, body, 4, "of_second"),
        joins(24, body, 2),
        vec![begins_launch(30, 3)],
        launches(31, 3, "thr"),
        vec![done(32), begins_launch(33, 4)],
        launches(34, 4, "thr"),
        vec![done(35)],
    ];
    let run = Run::of(&[("000/parsl.log", &threads(&log.concat()))]);
    let reports = run.words();
    for (inner, outer) in [("3", "1"), ("4", "2")] {
        let stuck = run.hung.stuck.iter().find(|s| s.number == inner);
        let waiters = stuck.unwrap().waiters.iter();
        let called: Vec<&str> = waiters.map(|w| &*run.hung.stuck[*w].number).collect();
        assert_eq!(called, [outer], "{reports}");
    }
    assert!(!reports.contains("no record names"), "{reports}");
}

/// Logs of workers report starts; executors of threads have no such logs, and none are reported missing.
#[test]
fn threads_write_no_logs_that_could_be_missing() {
    let log = [
        submits(1, "MainThread-1", 0, "work"),
        submits(1, "MainThread-1", 1, "waits"),
        vec![begins_launch(10, 0)],
        launches(11, 0, "htex with executor id 1"),
        vec![done(12), begins_launch(20, 1)],
        launches(21, 1, "thr"),
        vec![done(22)],
    ];
    let dir = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("000/parsl.log", &threads(&log.concat()));
    let pool = "executors.high_throughput.process_worker_pool";
    let worker = [
        (1.0, "Worker 0 started".to_owned()),
        (2.0, "Received executor task 1".to_owned()),
    ];
    write(
        "000/htex/block-0/a22049ef1414/worker_0.log",
        &parsl("HTEX-Worker-0", pool, &worker),
    );
    let (snapshot, _, hung, _) = diagnosed(dir.path());
    let one = |s: &UnfinishedItem| (s.number.clone(), s.begun_there.is_some());
    let mut all: Vec<(String, bool)> = hung.stuck.iter().map(one).collect();
    all.sort();
    assert_eq!(all, [("0".to_owned(), true), ("1".to_owned(), false)]);
    let clock = Clock::of(&Zone::Utc, snapshot.range().map(|r| r.1));
    let reports = words(&snapshot, &hung, &clock);
    assert!(!reports.contains("are missing"), "{reports}");
}

/// Until 2026-04 a join app whose body returned no future failed without a record: only the return of its body is
/// reported.
#[test]
fn a_join_app_that_may_have_failed_is_not_said_to_wait() {
    let log = |end: Vec<(u32, &'static str, String)>| {
        let log = [
            submits(1, "MainThread-1", 1, "no_future"),
            vec![begins_launch(10, 1)],
            launches(11, 1, "_parsl_internal"),
            end,
            // Of an excerpt that ends just after its begin, nothing would be concluded.
            vec![done(5_013)],
        ];
        let run = Run::of(&[("000/parsl.log", &threads(&log.concat()))]);
        run.words()
    };
    let reports = log(joins(12, LAUNCHES, 1).split_off(1));
    assert!(reports.contains("or ended without a record"), "{reports}");
    // Since then a record reports that it joins.
    let reports = log(joins(12, LAUNCHES, 1));
    assert!(!reports.contains("or ended without a record"), "{reports}");
}

#[test]
fn the_time_until_an_agent_runs_is_reported_as_such() {
    let agent = |at: f64, logger: &str, message: &str| {
        academy(at, logger, "Task-1", message, &[("agent_id", LEFT)])
    };
    let log = [
        agent(
            0.0,
            "manager",
            "Launching agent (attempt: 1; retries: 0; AgentId<left>; <class 'x.Left'>)",
        ),
        agent(
            0.1,
            "manager",
            "Launched agent (AgentId<left>; <class 'x.Left'>)",
        ),
        called(1.0, (USER, LEFT), "a", ("Task-1", "Task-5"))
            .replace("1795422031.020000", "1795422051.500000"),
        agent(
            21.0,
            "runtime",
            "Running agent (AgentId<left>; Agent<Left>)",
        ),
        agent(60.0, "runtime", "beat"),
    ];
    let run = Run::of(&[("x.jsonlog", &log.concat())]);
    let (meaning, cancel) = (Meaning::new(&[]), Cancel::default());
    let actions = run.all("academy.action");
    let around = AccountContext::new(&run.snapshot, actions, &meaning.entities, &cancel).unwrap();
    let scope = AnalysisScope::default();
    let sums = phase_totals(&run.snapshot, actions, &around, &scope, &cancel).unwrap();
    let waited: f64 = { sums.iter() }
        .filter(|phase| phase.description.starts_with("agent not started"))
        .map(|phase| phase.per_instance.total / 1e9)
        .sum();
    assert!((waited - 20.0).abs() < 0.01, "{sums:?}");
}
