//! Findings about unfinished and failed work and its workers, on excerpts of real runs of Parsl.

use widetui_analysis::utilisation::{ResourceUse, Weight, utilisation};
use widetui_session::meaning::Meaning;

use widetui_analysis::resources::Resources;
use widetui_analysis::scope::AnalysisScope;
use widetui_analysis::timeline::{Colour, Grouping, timeline};
use widetui_core::cancel::Cancel;
use widetui_store::Snapshot;

use widetui_testing::diagnosed::Run;

/// Records in Parsl's own layout, each at (seconds after 05:33:20, level and message).
fn parsl(who: &str, logger: &str, records: &[(f64, &str)]) -> String {
    let line = |(at, said): &(f64, &str)| {
        let (micros, clock) = ((at * 1e6).round() as u64, 33 * 60 + 20 + *at as u64);
        let (minute, second) = (clock / 60, clock % 60);
        let (level, said) = said.split_once(' ').unwrap();
        format!(
            "{}.{:06} 2026-11-23 05:{minute:02}:{second:02} {who}-17 MainThread-139876898941824 parsl.{logger}:7 f {level}: {said}\n",
            1_795_412_000 + micros / 1_000_000,
            micros % 1_000_000
        )
    };
    records.iter().map(line).collect()
}

fn dfk_log(records: &[(f64, &str)]) -> String {
    let run = [(0.0, "INFO Run id is: 8aa0f858-4f6d-4cac-b59c-d03a3db0a311")];
    let all = [&run[..], records].concat();
    parsl("MainProcess", "dataflow.dflow", &all)
}

/// Records of Parsl about a task of `work` until its launch.
fn launched(at: f64, task: usize) -> String {
    let executor_task = task + 1;
    let records = [
        format!("INFO Task {task} submitted for App work, not waiting on any dependency"),
        format!("INFO Task {task} initializing state to pending"),
        format!("INFO Task {task} changing state from pending to launched"),
        format!(
            "INFO Parsl task {task} try 0 launched on executor htex with executor id {executor_task}"
        ),
    ];
    let records: Vec<(f64, &str)> = records.iter().map(|r| (at, r.as_str())).collect();
    parsl("MainProcess", "dataflow.dflow", &records)
}

fn ended(records: &[(f64, &str)]) -> String {
    parsl("MainProcess", "dataflow.dflow", records)
}

fn interchange(records: &[(f64, &str)]) -> String {
    let logger = "executors.high_throughput.interchange";
    parsl("MainProcess", logger, records)
}

fn pool(who: &str, records: &[(f64, &str)]) -> String {
    let logger = "executors.high_throughput.process_worker_pool";
    parsl(who, logger, records)
}

const REGISTRATION: (f64, &str) = (
    2.0,
    "INFO Registration info for manager b'a22049ef1414': {'type': 'registration', 'worker_count': 2, 'uid': 'a22049ef1414', \
     'block_id': '0', 'os': 'Linux', 'hostname': 'vm', 'dir': '/home/hpcuser'}",
);

/// A worker that begins a task at 4.0 s, and completes it one second later if `does_end`.
fn worker(number: usize, task: usize, does_end: bool) -> String {
    let records = [
        (3.0, format!("INFO Worker {number} started")),
        (4.0, format!("INFO Received executor task {task}")),
        (5.0, format!("INFO Completed executor task {task}")),
        (
            5.0,
            format!("INFO All processing finished for executor task {task}"),
        ),
    ];
    let reported = if does_end {
        &records[..]
    } else {
        &records[..2]
    };
    let reported: Vec<(f64, &str)> = reported.iter().map(|(at, r)| (*at, r.as_str())).collect();
    pool(&format!("HTEX-Worker-{number}"), &reported)
}

/// The DFK was killed while its executor continued: two tasks at two workers, of which the second completes its task if
/// `does_end`.
fn abandoned(does_end: bool) -> Vec<(&'static str, String)> {
    let log = dfk_log(&[]) + &launched(1.0, 0) + &launched(1.0, 1);
    let heartbeat = "DEBUG Sent heartbeat";
    vec![
        ("000/parsl.log", log),
        ("000/htex/interchange.log", interchange(&[REGISTRATION])),
        (
            "000/htex/block-0/a22049ef1414/manager.log",
            pool(
                "MainProcess",
                &[(2.5, "INFO Worker count: 2"), (64.0, heartbeat)],
            ),
        ),
        (
            "000/htex/block-0/a22049ef1414/worker_0.log",
            worker(0, 1, does_end),
        ),
        (
            "000/htex/block-0/a22049ef1414/worker_1.log",
            worker(1, 2, true),
        ),
    ]
}

fn opened(files: &[(&str, String)]) -> Run {
    let files: Vec<(&str, &str)> = files.iter().map(|(n, t)| (*n, t.as_str())).collect();
    Run::of(&files)
}

#[test]
fn who_completed_its_work_has_none_though_nobody_had_the_result() {
    let run = opened(&abandoned(true));
    let idle = &run.hung.idle[0];
    assert_eq!((idle.alive, idle.busy, idle.idle.len()), (2, 0, 2));
    let reported = run.words();
    assert!(
        reported.contains("None of the 2 workers has any of it"),
        "{reported}"
    );
    let run = opened(&abandoned(false));
    let idle = &run.hung.idle[0];
    assert_eq!((idle.alive, idle.busy, idle.idle.len()), (2, 1, 1));
}

/// Parsl 2026.10.26: tasks on threads, or on an executor without workers, cannot be taken by workers of another
/// executor.
#[test]
fn workers_of_other_places_have_no_part_in_what_is_stuck() {
    for place in [
        "on executor threads",
        "on executor htex2 with executor id 1",
    ] {
        let mut files = abandoned(true);
        let stuck = launched(1.0, 0).replace("on executor htex with executor id 1", place);
        files[0].1 = dfk_log(&[]) + &stuck;
        let run = opened(&files);
        assert_eq!(run.hung.stuck.len(), 1, "{:#?}", run.hung.stuck);
        assert!(run.hung.idle.is_empty(), "{:#?}", run.hung.idle);
        // The silence of these workers is known to be harmless.
        assert_eq!(run.hung.unexplained().count(), 0, "{:#?}", run.hung.silent);
        let reported = format!("{} {:#?}", run.words(), run.diagnosis.findings);
        assert!(!reported.contains("nothing to do"), "{reported}");
        assert!(!reported.contains("has none of it"), "{reported}");
        assert!(!reported.contains("has any of it"), "{reported}");
    }
}

/// The same records as written by another process.
fn of_other_process(text: &str) -> String {
    let (own, other) = (
        "-17 MainThread-139876898941824",
        "-18 MainThread-139876898941825",
    );
    text.replace(own, other)
}

/// Nor by workers of another run; and ends of tasks are counted per run.
#[test]
fn workers_and_ends_are_counted_in_the_run_of_what_is_stuck() {
    let mut files: Vec<(String, String)> = Vec::new();
    for (path, text) in abandoned(false) {
        files.push((path.to_owned(), text.clone()));
        let other = |text: &str| {
            let text = text.replace("a22049ef1414", "b33159fa2525");
            let text = text.replace("8aa0f858", "9bb1f969");
            let text = of_other_process(&text);
            text.replace("1795412", "1795413")
        };
        files.push((other(path).replace("000/", "001/"), other(&text)));
    }
    let is_done = "INFO Task 1 changing state from launched to exec_done";
    files[1].1 += &of_other_process(&ended(&[(6.0, is_done)]));
    let files: Vec<(&str, String)> = { files.iter() }
        .map(|(path, text)| (path.as_str(), text.clone()))
        .collect();
    let run = opened(&files);
    let idle = run.hung.idle.iter();
    let idle: Vec<(usize, usize, &str)> = idle
        .map(|i| (i.alive, i.idle.len(), i.whose.as_str()))
        .collect();
    assert_eq!(
        idle,
        [
            (2, 1, " of DataFlowKernel 000"),
            (2, 1, " of DataFlowKernel 001")
        ],
        "{:#?}",
        run.hung.idle
    );
    let peers = run.hung.stuck.iter();
    let mut peers: Vec<(&str, usize)> = peers
        .map(|s| (s.run_name.as_deref().unwrap(), s.peers_ended))
        .collect();
    peers.sort_unstable();
    assert_eq!(peers, [("000", 0), ("000", 0), ("001", 1)]);
    for finding in run.findings(|f| f.text.contains("nothing to do")) {
        assert!(finding.text.contains("1 of 2 workers"), "{}", finding.text);
    }
}

/// The order of the last records of Parsl and of the interchange is random, and does not separate two tasks.
#[test]
fn what_two_logs_report_last_is_reported_together() {
    let log = dfk_log(&[]) + &launched(1.0, 0) + &launched(1.004, 1);
    let put = |task: u32| format!("DEBUG Put task {task} onto pending_task_queue");
    let (first, second) = (put(1), put(2));
    let heartbeat = "DEBUG Processing message type 'heartbeat' from manager b'a22049ef1414'";
    let ix = interchange(&[
        (0.5, REGISTRATION.1),
        (1.002, &first),
        (1.002, &second),
        (64.0, heartbeat),
    ]);
    let run = opened(&[("000/parsl.log", log), ("000/htex/interchange.log", ix)]);
    let stuck: Vec<_> = run.hung.stuck.iter().collect();
    let wrote_last = |at: usize| {
        let event = run.snapshot.event(stuck[at].last_event.unwrap());
        event.unwrap().source().kind.clone()
    };
    assert_ne!(wrote_last(0), wrote_last(1));
    let groups = widetui_diagnosis::unfinished::alike(&stuck);
    assert_eq!(groups.len(), 1, "{groups:#?}");
}

/// A truncated log of a worker lacks the end of its task; the interchange reports that the result came back.
#[test]
fn what_came_back_to_the_interchange_is_not_at_its_worker() {
    let mut files = abandoned(false);
    files[1].1 = interchange(&[
        REGISTRATION,
        (5.5, "DEBUG Removing task 1 from manager"),
        (
            64.0,
            "DEBUG Processing message type 'heartbeat' from manager b'a22049ef1414'",
        ),
    ]);
    let run = opened(&files);
    let stuck = run.hung.stuck.iter().find(|s| s.number() == "0").unwrap();
    assert!(stuck.begun_there.is_none(), "{stuck:#?}");
    assert!(stuck.lost_sight().is_some(), "{stuck:#?}");
    let reported = run.reported();
    assert!(
        reported.iter().all(|t| !t.contains("never ended")),
        "{reported:#?}"
    );
    let words = run.words();
    assert!(words.contains("its last try was over at"), "{words}");
    // The worker's activity after the end of its log is unknown.
    assert!(run.hung.idle.is_empty(), "{:#?}", run.hung.idle);
    // Without a report the worker may still be busy with it.
    let run = opened(&abandoned(false));
    let stuck = run.hung.stuck.iter().find(|s| s.number() == "0").unwrap();
    assert!(stuck.begun_there.is_some(), "{stuck:#?}");
}

/// Parsl 2026.10.26: `parsl.load` raised while starting an executor, as interchange.py was not found.
#[test]
fn an_exception_at_the_start_is_reported_as_possible() {
    let adds = |name: &str, kind: &str| {
        format!("INFO Adding executor {name} of type parsl.executors.{kind}")
    };
    let first = adds("htex", "high_throughput.executor.HighThroughputExecutor");
    let last = adds("_parsl_internal", "threads.ThreadPoolExecutor");
    let goes_on = "DEBUG Starting result queue thread";
    let run = opened(&[("000/parsl.log", dfk_log(&[(0.1, &first), (0.2, goes_on)]))]);
    assert_eq!(
        run.reported(),
        ["warning: The log ends while the executors were being started"],
        "{:#?}",
        run.diagnosis
    );
    let words = run.words();
    assert!(words.contains("ended with an exception"), "{words}");
    // Here all of them were found.
    let run = opened(&[("000/parsl.log", dfk_log(&[(0.1, &first), (0.2, &last)]))]);
    let reported = run.reported();
    assert!(
        reported.iter().all(|t| !t.contains("being started")),
        "{reported:#?}"
    );
}

/// The interchange reports the tasks of a lost manager: its workers were busy until then, and gone afterwards.
#[test]
fn who_had_work_until_its_manager_was_lost_was_never_idle() {
    let log = interchange(&[
        (1.0, "DEBUG Put task 1 onto pending_task_queue"),
        (1.0, "DEBUG Put task 2 onto pending_task_queue"),
        (1.0, "DEBUG Put task 3 onto pending_task_queue"),
        REGISTRATION,
        (3.0, "DEBUG Sent tasks: [1, 2] to manager b'a22049ef1414'"),
        (
            64.5,
            "WARNING Too many heartbeats missed for manager b'a22049ef1414' - removing manager",
        ),
        (
            64.5,
            "WARNING Cancelling htex tasks [1, 2] on removed manager",
        ),
        (65.0, "DEBUG Received command request: CONNECTED_BLOCKS"),
    ]);
    let (first, second) = (worker(0, 1, false), worker(1, 2, false));
    let run = Run::of(&[
        ("htex/interchange.log", &log),
        ("htex/block-0/a22049ef1414/worker_0.log", &first),
        ("htex/block-0/a22049ef1414/worker_1.log", &second),
    ]);
    let stuck = run.hung.stuck.iter().map(|s| s.number());
    assert_eq!(stuck.collect::<Vec<_>>(), ["3"]);
    assert!(run.hung.idle.is_empty(), "{:#?}", run.hung.idle);
}

/// Only the folder of an executor: of four tasks in its queue one ended, one was lost, and two were never taken out.
#[test]
fn what_nobody_took_out_of_the_queue_did_not_end() {
    let mut records: Vec<(f64, String)> = (1..=4)
        .map(|n| (1.0, format!("DEBUG Put task {n} onto pending_task_queue")))
        .collect();
    records.push((2.0, REGISTRATION.1.to_owned()));
    records.push((
        3.0,
        "DEBUG Sent tasks: [1, 2] to manager b'a22049ef1414'".to_owned(),
    ));
    records.push((6.0, "DEBUG Removing task 1 from manager".to_owned()));
    let poll = |at: f64| {
        let polled = "DEBUG Received command request: CONNECTED_BLOCKS";
        (at, polled.to_owned())
    };
    let of_interchange = |records: &[(f64, String)]| {
        let records: Vec<(f64, &str)> = records.iter().map(|(at, r)| (*at, &**r)).collect();
        interchange(&records)
    };
    let mut alone = records.clone();
    alone.push(poll(60.0));
    let alone = of_interchange(&alone);
    let run = Run::of(&[("htex/interchange.log", &alone)]);
    let numbers = |run: &Run| -> Vec<String> {
        let stuck = run.hung.stuck.iter();
        let mut all: Vec<String> = stuck.map(|s| s.number().to_owned()).collect();
        all.sort();
        all
    };
    assert_eq!(numbers(&run), ["2", "3", "4"]);
    let goals = &run.hung.goals[0];
    assert_eq!((goals.begun, goals.ended, goals.failed), (4, 1, 0));
    let reported = run.words();
    assert!(
        reported.contains("1 of 4 executor tasks ended."),
        "{reported}"
    );
    assert!(reported.contains("(worker_*.log) is here"), "{reported}");
    assert!(!reported.contains("No unfinished work"), "{reported}");
    // The workers report the two tasks that were sent.
    records.push((
        20.0,
        "WARNING Cancelling htex tasks [2] on removed manager".to_owned(),
    ));
    records.push(poll(60.0));
    let all = of_interchange(&records);
    let (first, second) = (worker(0, 1, true), worker(1, 2, false));
    let run = Run::of(&[
        ("htex/interchange.log", &all),
        ("htex/block-0/a22049ef1414/worker_0.log", &first),
        ("htex/block-0/a22049ef1414/worker_1.log", &second),
    ]);
    assert_eq!(numbers(&run), ["3", "4"]);
    let goals = &run.hung.goals[0];
    assert_eq!((goals.begun, goals.ended, goals.failed), (4, 2, 1));
    let reported = run.words();
    assert!(
        reported.contains("Executor task 3 has been in state `given out` since"),
        "{reported}"
    );
    // Sending a task is no start of its work.
    let tasks = run.all("parsl.executor_task");
    let started = tasks.list.iter().filter(|i| i.start.is_some());
    assert_eq!(started.count(), 2);
}

/// Parsl 2026.10.26: the body of a join app returned no future.
#[test]
fn a_change_of_state_is_no_reason() {
    let why = "INFO Task 0 failed due to failure of an inner join future";
    let fails = "INFO Task 0 changing state from launched to failed";
    let end = "INFO DFK cleanup complete";
    let records = [(2.0, why), (2.0, fails), (3.0, end)];
    let log = dfk_log(&[]) + &launched(1.0, 0) + &ended(&records);
    let reported = Run::of(&[("000/parsl.log", &log)]).reported();
    assert!(
        reported[0].ends_with("of an inner join future"),
        "{reported:?}"
    );
}

/// Parsl 2024.6.10: the only manager found no address, so its block was missing, so the executor was declared bad.
#[test]
fn what_failed_is_reported_with_the_first_cause() {
    let missing = "parsl.jobs.errors.TooManyJobFailuresError: Error 1:\n\tJob is marked as MISSING since the workers failed to \
                   register to the executor.\n";
    let why = "Traceback (most recent call last):\n  File \"/opt/parsl/dflow.py\", line 1, in f\n    raise E\n";
    let status = |at: f64, said: &str| {
        parsl("MainProcess", "executors.status_handling", &[(at, said)]) + missing
    };
    let failed = |task: usize| {
        let after = format!("ERROR Task {task} failed after 0 retry attempts");
        let state = format!("INFO Task {task} changing state from launched to failed");
        ended(&[(42.0, &after)]) + why + missing + &ended(&[(42.0, &state)])
    };
    let log = dfk_log(&[])
        + &launched(1.0, 0)
        + &launched(1.0, 1)
        + &parsl(
            "MainProcess",
            "executors.high_throughput.executor",
            &[(
                41.9,
                "DEBUG Rewriting job 0 from status JobState.FAILED to MISSING",
            )],
        )
        + &status(41.9, "ERROR Setting bad state due to exception")
        + &failed(0)
        + &failed(1)
        + &ended(&[(60.0, "INFO DFK cleanup complete")]);
    let manager = pool(
        "MainProcess",
        &[
            (2.0, "INFO Python version: 3.11.7"),
            (
                40.0,
                "ERROR Caught exception while trying to determine viable address to interchange",
            ),
        ],
    ) + "Traceback (most recent call last):\n  File \"/opt/parsl/process_worker_pool.py\", line 158, in f\n    raise E\n\
         Exception: No viable address found\n";
    let run = Run::of(&[
        ("000/parsl.log", &log),
        (
            "000/htex/interchange.log",
            &interchange(&[
                (0.5, "DEBUG Initializing Interchange process"),
                (
                    0.6,
                    "INFO Bound to ports 1,2 for incoming worker connections",
                ),
                (59.0, "DEBUG Received command request: CONNECTED_BLOCKS"),
            ]),
        ),
        ("000/htex/block-0/a22049ef1414/manager.log", &manager),
    ]);
    let first = run.top(1);
    assert!(first.contains("A manager found no address"), "{first}");
    assert!(first.contains("No viable address found"), "{first}");
}

/// The program did not wait for tasks with failed tries, nor for a task that no worker could take.
#[test]
fn what_kept_those_that_were_left_behind_is_reported() {
    let tries = |task: usize, class: &str| {
        let records = [
            format!("INFO Task {task} try 0 failed with exception of type {class}"),
            format!("INFO Task {task} changing state from launched to fail_retryable"),
            format!("INFO Task {task} changing state from fail_retryable to pending"),
            format!("INFO Task {task} changing state from pending to launched"),
            format!(
                "INFO Parsl task {task} try 1 launched on executor htex with executor id {}",
                task + 11
            ),
        ];
        let records: Vec<(f64, &str)> = records.iter().map(|r| (5.0, r.as_str())).collect();
        ended(&records)
    };
    let log = dfk_log(&[])
        + &launched(1.0, 0)
        + &launched(1.0, 1)
        + &tries(1, "ModuleNotFoundError")
        + &ended(&[(30.0, "INFO DFK cleanup complete")]);
    let watched = |records: &[(f64, &str)]| {
        let begin = (0.5, "DEBUG Initializing Interchange process");
        let end = (29.0, "DEBUG Received command request: CONNECTED_BLOCKS");
        let all = interchange(&[&[begin], records, &[end]].concat());
        let run = Run::of(&[("000/parsl.log", &log), ("000/htex/interchange.log", &all)]);
        run.words()
    };
    let words = watched(&[]);
    assert!(words.contains("Attempts had failed of task 1."), "{words}");
    let nobody = "No manager joined executor htex";
    assert!(words.contains(nobody), "{words}");
    let words = watched(&[REGISTRATION]);
    assert!(!words.contains(nobody), "{words}");
}

/// Parsl 2026.10.26: the second try of task 0 succeeded; task 1 had a single try.
#[test]
fn a_try_that_was_made_good_is_no_error() {
    let failed =
        |task: usize| format!("INFO Task {task} try 0 failed with exception of type OSError");
    let again = [
        (4.0, failed(0)),
        (
            4.0,
            "INFO Task 0 changing state from launched to fail_retryable".to_owned(),
        ),
        (
            4.0,
            "INFO Task 0 changing state from fail_retryable to pending".to_owned(),
        ),
        (
            4.1,
            "INFO Task 0 changing state from pending to launched".to_owned(),
        ),
        (
            5.0,
            "INFO Task 0 changing state from launched to exec_done".to_owned(),
        ),
        (6.0, failed(1)),
        (6.0, "ERROR Task 1 failed after 0 retry attempts".to_owned()),
        (
            6.0,
            "INFO Task 1 changing state from launched to failed".to_owned(),
        ),
        (7.0, "INFO DFK cleanup complete".to_owned()),
    ];
    let again: Vec<(f64, &str)> = again.iter().map(|(at, r)| (*at, r.as_str())).collect();
    let log = dfk_log(&[]) + &launched(1.0, 0) + &launched(1.0, 1) + &ended(&again);
    let run = Run::of(&[("000/parsl.log", &log)]);
    let reported = run.reported();
    assert_eq!(reported.len(), 1, "{reported:#?}");
    assert!(reported[0].starts_with("error: Task 1 of work failed"));
}

/// An idle worker has a row too, unless a part of the records is selected.
#[test]
fn who_carried_nothing_has_a_row_in_the_timeline() {
    let log = dfk_log(&[]) + &launched(1.0, 0);
    let idle = pool("HTEX-Worker-0", &[(3.0, "INFO Worker 0 started")]);
    let manager = [(2.5, "INFO Worker count: 2"), (9.0, "DEBUG Sent heartbeat")];
    let manager = pool("MainProcess", &manager);
    let run = Run::of(&[
        ("000/parsl.log", &log),
        ("000/htex/interchange.log", &interchange(&[REGISTRATION])),
        ("000/htex/block-0/a22049ef1414/manager.log", &manager),
        ("000/htex/block-0/a22049ef1414/worker_0.log", &idle),
        (
            "000/htex/block-0/a22049ef1414/worker_1.log",
            &worker(1, 1, true),
        ),
    ]);
    let of = |name: &str| { run.found.occurring.iter() }.find(|i| i.entity.name == name);
    let found = ["parsl.block", "parsl.manager", "parsl.worker"];
    let found = found.into_iter().filter_map(of).cloned();
    let workers = Resources::from_kinds(&run.snapshot, found).pop().unwrap();
    let rows = |scope: &AnalysisScope| {
        let (snapshot, cancel): (&Snapshot, _) = (&run.snapshot, Cancel::default());
        let by = Grouping::by_entity(snapshot, &workers.instances.entity).unwrap();
        let tries = of("parsl.try").unwrap();
        let drawn = timeline(snapshot, tries, scope, &by, &Colour::State, &cancel);
        let mut drawn = drawn.unwrap();
        drawn.set_lifetimes(snapshot, &workers, scope);
        let rows = drawn.rows.into_iter();
        rows.map(|r| {
            (
                r.values.last().cloned().unwrap(),
                r.bars.len(),
                r.lifetime.is_some(),
            )
        })
        .collect::<Vec<_>>()
    };
    let (idle, busy) = (("0".to_owned(), 0, true), ("1".to_owned(), 1, true));
    assert_eq!(rows(&AnalysisScope::default()), [idle, busy.clone()]);
    let all = widetui_query::select(&run.snapshot, &widetui_query::Expr::All, &Cancel::default());
    assert_eq!(rows(&AnalysisScope::selected(all)), [busy]);
}

/// By worker: lifetime in seconds and busy share.
fn used(files: &[(&str, String)]) -> Vec<(f64, f64)> {
    let files: Vec<(&str, &str)> = files.iter().map(|(n, t)| (*n, &**t)).collect();
    let run = Run::of(&files);
    let (meaning, cancel) = (Meaning::new(&[]), Cancel::default());
    let tries = run.all("parsl.try");
    let workers = Resources::innermost(&run.snapshot, &tries.entity, &meaning.entities, &cancel);
    let workers = workers.unwrap();
    let scope = AnalysisScope::default();
    let found = utilisation(
        &run.snapshot,
        tries,
        workers.as_ref(),
        &scope,
        &Weight::One,
        &cancel,
    );
    let life = |used: &ResourceUse| (used.end - used.start) as f64 / 1e9;
    let used = found.unwrap().resources.into_iter();
    used.map(|u| {
        (
            (life(&u) * 10.0).round() / 10.0,
            (u.busy * 1e3).round() / 1e3,
        )
    })
    .collect()
}

#[test]
fn a_worker_without_work_is_there_as_long_as_what_it_runs_in() {
    let mut files = abandoned(true);
    // From 3 to 64 s, the last record of their manager; busy for 1 s.
    let expected = [(61.0, 0.016), (61.0, 0.016)];
    assert_eq!(used(&files), expected);
    // Until the end of its block.
    let message = "INFO Sending block monitoring message: [{'run_id': '8aa0f858-4f6d-4cac-b59c-d03a3db0a311', \
                   'status': 'SCALED_IN', 'timestamp': datetime.datetime(2026, 11, 23, 5, 34, 30, 0), 'executor_label': 'htex', \
                   'job_id': '742', 'block_id': '0'}]";
    files[0].1 += &parsl("MainProcess", "monitoring.monitoring", &[(70.0, message)]);
    assert_eq!(used(&files), [(67.0, 0.015), (67.0, 0.015)]);
    // The loss of its manager ends a worker too.
    let lost = (
        24.0,
        "WARNING Too many heartbeats missed for manager b'a22049ef1414' - removing manager",
    );
    files[1].1 = interchange(&[REGISTRATION, lost]);
    files[2].1 = pool("MainProcess", &[(2.5, "INFO Worker count: 2")]);
    assert_eq!(used(&files), [(21.0, 0.048), (21.0, 0.048)]);
}
