//! Logs shared by several runs: a process that starts a second run continues the log of the first, and users append to their logs.

use std::fs;
use std::path::Path;

use super::*;

/// Records of Parsl 0.6 about a run of three tasks of which some complete.
fn old(minute: u32, completed: u32, ended: bool) -> Vec<String> {
    let line = |second: u32, text: &str| {
        format!("2018-07-30 10:{minute:02}:{second:02} parsl.dataflow.dflow:95 [INFO]  {text}")
    };
    let mut out = vec![
        line(0, "Parsl version: 0.6.1"),
        line(0, "Run id is: scale_test.py-43"),
    ];
    for task in 0..3 {
        out.push(line(
            1,
            &format!("Task {task} submitted for App sleeper, waiting on tasks []"),
        ));
        out.push(line(
            2,
            &format!("Task {task} launched on executor midway_ipp"),
        ));
    }
    out.extend((0..completed).map(|task| line(20, &format!("Task {task} completed"))));
    if ended {
        out.push(line(30, "DFK cleanup initiated"));
        out.push(line(31, "DFK cleanup complete"));
    }
    out
}

/// Records of the next run.
fn next(minute: u32, rundir: &str) -> Vec<String> {
    vec![
        format!(
            "2018-07-30 10:{minute:02}:00 parsl.dataflow.dflow:73 [DEBUG]  Starting DataFlowKernel with config"
        ),
        "Config(".to_owned(),
        ")".to_owned(),
        format!(
            "2018-07-30 10:{minute:02}:00 parsl.dataflow.rundirs:36 [DEBUG]  Parsl run initializing in rundir:runinfo/{rundir}"
        ),
    ]
}

/// Records of a current Parsl about a run of three tasks of which the first two end.
fn today(pid: u32, minute: u32, id: &str) -> Vec<String> {
    let line = |second: u32, text: &str| {
        let time = f64::from(minute * 60 + second);
        format!(
            "{:.6} 2026-11-20 13:{minute:02}:{second:02} MainProcess-{pid} MainThread-1396765 parsl.dataflow.dflow:734 launch INFO: {text}",
            1_795_201_200.0 + time
        )
    };
    let mut out = vec![
        line(0, "Starting DataFlowKernel with config"),
        line(0, "Parsl version: 2026.10.26"),
        line(0, &format!("Run id is: {id}")),
    ];
    for task in 0..3 {
        out.push(line(
            1,
            &format!("Task {task} submitted for App sleeper, not waiting on any dependency"),
        ));
        out.push(line(
            1,
            &format!("Task {task} initializing state to pending"),
        ));
    }
    out.extend((0..2).map(|task| {
        line(
            9,
            &format!("Task {task} changing state from pending to exec_done"),
        )
    }));
    out
}

fn write(path: &Path, kernels: &[Vec<String>]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, kernels.concat().join("\n") + "\n").unwrap();
}

/// Run, what became of it and tasks, of each row of `runs`.
fn runs_of(path: &Path) -> Vec<(String, String, u64)> {
    let rows = objects(&ok(&["runs", path.to_str().unwrap(), "--format", "jsonl"]));
    let row = |r: &Map<String, Json>| {
        let text = |key: &str| r[key].as_str().unwrap().to_owned();
        let tasks = r["entities"]["parsl.task"].as_u64().unwrap_or(0);
        (text("run"), text("status"), tasks)
    };
    rows.iter().map(row).collect()
}

#[test]
fn runs_after_each_other_in_one_log_are_separate() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("runinfo/006/parsl.log");
    write(
        &log,
        &[
            old(42, 3, true),
            next(43, "007"),
            old(43, 1, true),
            next(44, "008"),
            old(44, 3, true),
        ],
    );
    let found = runs_of(&log);
    let row = |run: &str, status: &str| (run.to_owned(), status.to_owned(), 3);
    assert_eq!(
        found,
        [
            row("006", "done"),
            row("007", "2 unfinished"),
            row("008", "done")
        ]
    );
    let hung = ok(&["hung", log.to_str().unwrap()]);
    assert!(hung.contains("7 of 9 tasks ended"), "{hung}");
}

#[test]
fn what_no_record_names_is_numbered() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("runinfo/006/parsl.log");
    write(&log, &[old(42, 3, true), old(43, 0, false)]);
    let names: Vec<String> = runs_of(&log).into_iter().map(|r| r.0).collect();
    assert_eq!(names, ["006", "006#2"]);
}

#[test]
fn another_process_that_appends_begins_another_run() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("wf.log");
    let (a, b) = (
        "9b31e7d6-7de6-4b6d-a458-7c99b6fa7f6a",
        "e0d634c0-0906-43be-b567-e4bc5bff2896",
    );
    write(&log, &[today(11, 1, a), today(12, 5, b)]);
    let found = runs_of(&log);
    let row = |run: &str| (run.to_owned(), "1 unfinished".to_owned(), 3);
    assert_eq!(found, [row(a), row(b)]);
}

#[test]
fn records_of_simultaneous_runs_are_unassigned() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("wf.log");
    let (a, b) = (
        "9b31e7d6-7de6-4b6d-a458-7c99b6fa7f6a",
        "e0d634c0-0906-43be-b567-e4bc5bff2896",
    );
    write(&log, &[today(11, 1, a), today(11, 5, b)]);
    let tasks: Vec<u64> = runs_of(&log).into_iter().map(|r| r.2).collect();
    assert!(!tasks.contains(&6) && tasks != [3, 3], "{tasks:?}");
}

/// Logs of a process with two simultaneous runs, each with a number of tasks on executors of one name. Both logs have the
/// records of both runs.
fn at_once(tasks: u32, state: &str) -> [String; 2] {
    let line = |ms: u32, text: &str| {
        format!(
            "{:.6} 2026-11-20 13:01:00 MainProcess-11 MainThread-1396765 parsl.dataflow.dflow:734 launch INFO: {text}\n",
            1_795_201_260.0 + f64::from(ms) / 1000.0
        )
    };
    let begin = |ms: u32, folder: &str, id: &str| {
        let texts = [
            "Starting DataFlowKernel with config".to_owned(),
            "Parsl version: 2026.10.26".to_owned(),
            format!("Run id is: {id}"),
            format!("Parsl run initializing in rundir: runinfo/{folder}"),
        ];
        texts.map(|text| line(ms, &text)).concat()
    };
    let first = begin(0, "000", "9b31e7d6-7de6-4b6d-a458-7c99b6fa7f6a");
    let second = begin(5, "001", "e0d634c0-0906-43be-b567-e4bc5bff2896");
    let task = |at: u32| {
        let (ms, task) = (10 + at * 3, at / 2);
        let texts = [
            format!("Task {task} will be sent to executor htex"),
            format!(
                "Task {task} submitted for App sleeper, waiting on <Future at 0x7f0e state=pending>"
            ),
            format!("Task {task} initializing state to pending"),
        ];
        let end = format!("Task {task} changing state from pending to {state}");
        let begun = texts.iter().zip(ms..).map(|(text, ms)| line(ms, text));
        let begun: String = begun.collect();
        begun + &line(500 + ms, &end)
    };
    let both: String = (0..2 * tasks).map(task).collect();
    [first + &second + &both, second + &both]
}

/// Logs of two such DFKs.
fn two(state: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (folder, text) in ["000", "001"].iter().zip(at_once(3, state)) {
        let log = dir.path().join(format!("runinfo/{folder}/parsl.log"));
        write(&log, &[vec![text.trim_end().to_owned()]]);
    }
    dir
}

/// The rows of a command about them.
fn of_two(state: &str, arguments: &[&str]) -> Vec<Map<String, Json>> {
    let dir = two(state);
    let path = dir.path().to_str().unwrap().to_owned();
    let arguments = [arguments, &[&path, "--format", "jsonl"]].concat();
    objects(&ok(&arguments))
}

#[test]
fn indistinguishable_runs_do_not_share_tasks() {
    let things = of_two("launched", &["entities"]);
    assert!(
        things.iter().all(|t| t["entity"] != "parsl.task"),
        "{things:?}"
    );
    let dir = two("launched");
    let reported = fails(1, &["trace", "parsl.task=0", dir.path().to_str().unwrap()]);
    assert!(
        reported.contains("24 records name tasks without their run (unassigned)"),
        "{reported}"
    );
    let rows = of_two("launched", &["hung"]);
    let summary = rows.last().unwrap();
    let text = summary["text"].as_str().unwrap();
    assert_eq!(summary["unattributed"], 24, "{text}");
    assert!(
        text.starts_with("24 records name tasks 0, 1 and 2 without stating the run, and are not counted: none of them reports an end."),
        "{text}"
    );
    assert!(text.contains("not shut down cleanly"), "{text}");
    assert!(!text.contains("No unfinished work."), "{text}");
    // Where some of them ended, it is unknown which.
    let rows = of_two("exec_done", &["hung"]);
    let text = rows.last().unwrap()["text"].as_str().unwrap();
    assert!(
        text.contains("it is not known whether these ended there"),
        "{text}"
    );
}

#[test]
fn without_joins_no_more_is_reported_to_have_ended_than_is_known() {
    let run = runs::data().join("multi.tar.gz");
    let run = run.to_str().unwrap();
    let summary = |options: &[&str]| {
        let arguments = [&["hung", run, "--format", "jsonl"], options].concat();
        let mut rows = objects(&ok(&arguments));
        rows.pop().unwrap()
    };
    let whole = summary(&[]);
    assert_eq!(whole["unattributed"], 0);
    let text = whole["text"].as_str().unwrap();
    assert!(text.starts_with("All 162 tasks ended"), "{text}");
    assert!(text.ends_with("No unfinished work."), "{text}");
    for options in [&["--join", "none"], &["--join", "kernel"]] {
        let less = summary(options);
        let text = less["text"].as_str().unwrap();
        assert!(less["unattributed"].as_u64().unwrap() > 0, "{text}");
        assert!(text.contains("known tasks ended"), "{text}");
        assert!(text.contains("not counted"), "{text}");
        assert!(!text.contains("No unfinished work."), "{text}");
    }
}

/// For which DFK of `multi` the main thread submitted tasks, in order, as the script says that was run.
fn submitted() -> Vec<&'static str> {
    let mut out = Vec::new();
    for i in 0..20 {
        out.extend(["000"; 3]);
        out.extend(["001"; 3]);
        out.extend((i % 3 == 0).then_some("001"));
        out.extend((i % 7 == 3).then_some("000"));
    }
    out
}

#[test]
fn of_runs_that_live_at_once_a_submission_is_of_the_one_that_can_have_made_it() {
    let run = runs::data().join("multi.tar.gz");
    let ids = ["ffa1546e", "664487d8"];
    let only = "source ~ \"000/parsl.log\" and template ~ \"will be sent to executor\"";
    let written = ok(&[
        "events",
        run.to_str().unwrap(),
        "--where",
        only,
        "--format",
        "jsonl",
    ]);
    let found = objects(&written);
    let truth = submitted();
    assert_eq!(found.len(), truth.len());
    let mut open = 0;
    for (event, truth) in found.iter().zip(truth) {
        let Some(kernel) = event.get("parsl.dfk") else {
            open += 1;
            continue;
        };
        let kernel = kernel.as_str().unwrap();
        let wanted = ids[usize::from(truth == "001")];
        assert!(kernel.starts_with(wanted), "{event:?}");
    }
    // Both DFKs submitted these to executors of equal names, one shortly after the other.
    assert!(open <= 34, "{open} are open");
}

/// Until 2024 the main thread launches what it submits: who did what on a worker is known by that.
#[test]
fn of_runs_that_live_at_once_the_main_thread_launches() {
    let all = runs::directory("kernels2024");
    let run = all.path().join("run/two/runinfo").display().to_string();
    let ids = [
        "b9da8c13-87a9-4cf5-8642-d0e6e418b15c",
        "5e3bb503-94ec-4ad1-8fc1-9d833eecbb7d",
    ];
    // Three tasks for the first DFK, three for the second, and now and then one more of it; three by themselves at the end.
    let rounds = (0..6).flat_map(|i| {
        [0, 0, 0, 1, 1, 1]
            .into_iter()
            .chain((i % 2 == 1).then_some(1))
    });
    let truth: Vec<usize> = rounds.chain([0, 1, 0]).collect();
    let main = "source ~ \"000/parsl.log\" and thread = MainThread";
    let of = |template: &str| {
        let only = format!("{main} and template ~ \"{template}\"");
        objects(&ok(&[
            "events", &run, "--where", &only, "--format", "jsonl",
        ]))
    };
    let submitted = of("^Task {} submitted for App");
    assert_eq!(submitted.len(), truth.len());
    let mut counts = [0, 0];
    let mut known = 0;
    for (event, kernel) in submitted.iter().zip(truth) {
        assert_eq!(event["parsl.task"], counts[kernel], "{event:?}");
        counts[kernel] += 1;
        if let Some(id) = event.get("parsl.dfk") {
            assert_eq!(*id, *ids[kernel], "{event:?}");
            known += 1;
        }
    }
    assert!(known > 8, "{known} of {} are known", submitted.len());
    // What is known of a submission is known of the launch that follows it, and of the work on a worker.
    let launched = of("^Parsl task {} try {} launched");
    assert!(
        launched
            .iter()
            .filter(|e| e.contains_key("parsl.dfk"))
            .count()
            > 4
    );
}

/// No record of 2024 says that a join app failed because its body returned no future; the summary of the shutdown counts none
/// that waits.
#[test]
fn a_join_app_that_no_run_counts_any_more_has_ended() {
    let all = runs::directory("kernels2024");
    let run = all.path().join("run/joins/runinfo").display().to_string();
    let hung = ok(&["hung", &run]);
    assert!(hung.contains("No unfinished work"), "{hung}");
    let tasks = objects(&ok(&[
        "entities",
        &run,
        "--of",
        "parsl.task",
        "--format",
        "jsonl",
    ]));
    let state = |app: &str| {
        let own = tasks.iter().filter(|t| t["label"] == app);
        own.map(|t| t["state"].as_str().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(state("j_none"), ["ended"]);
    assert_eq!(state("j_list"), ["exec_done"]);
}

/// Logs of a process of 2024 with two consecutive runs: the log of the first also has all records of the second.
fn after_each_other(minute: u32, ids: [&str; 2]) -> [String; 2] {
    let line = |ms: u32, text: &str| {
        let time = 1_727_690_400.0 + f64::from(minute * 60) + f64::from(ms) / 1000.0;
        format!(
            "{time:.6} 2024-09-30 10:{minute:02}:00 MainProcess-{minute} MainThread-1396765 parsl.dataflow.dflow:734 launch INFO: {text}\n"
        )
    };
    let kernel = |ms: u32, id: &str| {
        let mut texts = vec![
            "Starting DataFlowKernel with config".to_owned(),
            "Parsl version: 2024.09.30".to_owned(),
            format!("Run id is: {id}"),
        ];
        for task in 0..2 {
            texts.push(format!("Task {task} will be sent to executor thr"));
            texts.push(format!(
                "Task {task} submitted for App sleeper, not waiting on any dependency"
            ));
            texts.push(format!("Task {task} initializing state to pending"));
        }
        texts.push("Task 0 completed (launched -> exec_done)".to_owned());
        texts.push("Task 1 completed (launched -> exec_done)".to_owned());
        texts.push("DFK cleanup initiated".to_owned());
        texts.push("DFK cleanup complete".to_owned());
        let lines = texts.iter().zip(ms..).map(|(text, ms)| line(ms, text));
        lines.collect::<String>()
    };
    let (first, second) = (kernel(0, ids[0]), kernel(100, ids[1]));
    let next = line(99, "Parsl run initializing in rundir: /home/u/runinfo/001");
    [first + &next + &second, second]
}

const IDS: [&str; 4] = [
    "9b31e7d6-7de6-4b6d-a458-7c99b6fa7f6a",
    "e0d634c0-0906-43be-b567-e4bc5bff2896",
    "4d292540-c45e-4939-917a-28e10f184fd3",
    "1c681544-3001-4f47-9c3e-63dfe5b3db5d",
];

/// An archive with the log of the later DFK first reads that log first: then its records count, and not those in the other log.
#[test]
fn of_runs_after_each_other_no_task_is_lost_by_the_order_of_their_logs() {
    let dir = tempfile::tempdir().unwrap();
    let [first, second] = after_each_other(1, [IDS[0], IDS[1]]);
    let mut logs = [("000", first), ("001", second)];
    for _ in 0..2 {
        let path = dir.path().join("run.tar");
        let mut tar = tar::Builder::new(fs::File::create(&path).unwrap());
        for (folder, text) in &logs {
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            let name = format!("runinfo/{folder}/parsl.log");
            tar.append_data(&mut header, name, text.as_bytes()).unwrap();
        }
        tar.finish().unwrap();
        let row = |run: &str| (run.to_owned(), "done".to_owned(), 2);
        assert_eq!(runs_of(&path), [row("000"), row("001")]);
        let joins = ok(&["joins", path.to_str().unwrap()]);
        assert!(!joins.contains("in conflict"), "{joins}");
        logs.reverse();
    }
}

/// A run that follows in the same log is named by its directory.
#[test]
fn runs_after_each_other_are_distinguished_from_those_of_another_program() {
    let dir = tempfile::tempdir().unwrap();
    for (minute, program) in ["one", "two"].iter().enumerate() {
        let texts = after_each_other(1 + minute as u32, [IDS[2 * minute], IDS[2 * minute + 1]]);
        for (folder, text) in ["000", "001"].iter().zip(texts) {
            let log = format!("{program}/runinfo/{folder}/parsl.log");
            write(&dir.path().join(log), &[vec![text.trim_end().to_owned()]]);
        }
    }
    let row = |run: &str| (run.to_owned(), "done".to_owned(), 2);
    let rows = ["one/000", "one/001", "two/000", "two/001"].map(row);
    assert_eq!(runs_of(dir.path()), rows);
    let joins = ok(&["joins", dir.path().to_str().unwrap()]);
    assert!(!joins.contains("in conflict"), "{joins}");
}

/// The last DFK launched a task of a number to which the first never came: so it is the last one's that ended on a thread of which
/// nothing else is known. Of what both launched nobody knows.
#[test]
fn of_runs_that_live_at_once_a_task_ended_in_the_one_that_launched_it() {
    let line = |ms: u32, thread: &str, text: &str| {
        format!(
            "{:.6} 2026-11-20 13:01:00 MainProcess-11 {thread} parsl.dataflow.dflow:734 f INFO: {text}\n",
            1_795_201_260.0 + f64::from(ms) / 1000.0
        )
    };
    let begin = |ms: u32, folder: &str, id: &str| {
        let texts = [
            "Starting DataFlowKernel with config".to_owned(),
            format!("Run id is: {id}"),
            format!("Parsl run initializing in rundir: runinfo/{folder}"),
        ];
        texts.map(|text| line(ms, "MainThread-1", &text)).concat()
    };
    let launch = |ms: u32, thread: &str, task: u32| {
        let submitted = format!("Task {task} will be sent to executor thr");
        let pending = format!("Task {task} initializing state to pending");
        let begun = format!("Task {task} will not be memoized");
        let launched = format!("Task {task} changing state from pending to launched");
        let reported = format!("Parsl task {task} try 0 launched on executor thr");
        line(ms, "MainThread-1", &submitted)
            + &line(ms + 1, "MainThread-1", &pending)
            + &line(ms + 2, thread, &begun)
            + &line(ms + 3, thread, &launched)
            + &line(ms + 4, thread, &reported)
    };
    let (first, last) = ("Task-Launch_0-21", "Task-Launch_0-22");
    let alone = begin(0, "000", IDS[0]) + &launch(10, first, 0);
    let both = [
        begin(20, "001", IDS[1]),
        launch(30, last, 0),
        launch(40, last, 1),
        line(
            50,
            "ThreadPoolExecutor-thr_0-31",
            "Task 0 changing state from launched to exec_done",
        ),
        line(
            60,
            "ThreadPoolExecutor-thr_0-32",
            "Task 1 changing state from launched to failed",
        ),
        // A log that goes on holds all records before.
        line(3000, "MainThread-1", "Waiting for all tasks to complete"),
    ]
    .concat();
    let dir = tempfile::tempdir().unwrap();
    for (folder, text) in [("000", alone + &both), ("001", both)] {
        let log = dir.path().join(format!("runinfo/{folder}/parsl.log"));
        write(&log, &[vec![text.trim_end().to_owned()]]);
    }
    let path = dir.path().to_str().unwrap();
    let ends = "thread ~ \"^ThreadPoolExecutor\"";
    let found = objects(&ok(&[
        "events", "--unique", "--where", ends, path, "--format", "jsonl",
    ]));
    let whose =
        |e: &Map<String, Json>| e.get("parsl.dfk").map(|id| id.as_str().unwrap().to_owned());
    let whose: Vec<Option<String>> = found.iter().map(whose).collect();
    assert_eq!(whose, [None, Some(IDS[1].to_owned())], "{found:?}");
}

#[test]
fn where_no_work_items_are_recognised_their_number_is_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let log = "2026-11-29 10:00:04,100 INFO rank0 iteration 4 done\n\
               2026-11-29 10:00:05,900 DEBUG rank0 iteration 5: waiting for rows from rank 3\n";
    std::fs::write(folder.path().join("rank0.log"), log).unwrap();
    let path = folder.path().to_str().unwrap();
    let rows = objects(&ok(&["hung", path, "--format", "jsonl"]));
    let summary = rows.last().unwrap();
    assert!(
        summary["unfinished"].is_null() && summary["roots"].is_null(),
        "{summary:?}"
    );
    let reason = "No tasks recognised, so unfinished work cannot be detected.";
    assert!(
        summary["text"].as_str().unwrap().contains(reason),
        "{summary:?}"
    );
    assert!(ok(&["hung", path]).contains(reason));
    assert!(ok(&["diagnose", path]).contains(reason));
}

#[test]
fn the_age_of_work_of_a_live_run_reaches_to_the_present() {
    let folder = tempfile::tempdir().unwrap();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let began = now.unwrap().as_secs() - 4;
    let age = |began: u64| {
        let log = format!(
            "{began}.000000 2026-11-21 01:43:20 MainProcess-3769 MainThread-139868372351872 parsl.dataflow.dflow:567 \
             _update_task_state INFO: Task 7 changing state from pending to launched\n"
        );
        std::fs::write(folder.path().join("parsl.log"), log).unwrap();
        let path = folder.path().to_str().unwrap();
        let rows = objects(&ok(&["hung", path, "--format", "jsonl"]));
        rows[0]["age_s"].as_f64().unwrap() >= 4.0
    };
    assert!(age(began), "the age reaches to the present");
    // Written at the same time, its records are days old.
    assert!(!age(began - 8 * 86_400));
}

/// A log that holds the records of two kernels has the tasks of both apart, also without the log of the second.
#[test]
fn a_kernel_without_a_log_of_its_own_is_another_run() {
    let multi = runs::unpacked("multi.tar.gz");
    let both = multi.path().join("runinfo");
    let whole = runs_of(&both);
    assert_eq!(runs_of(&both.join("000"))[..], whole[..2]);
}
