//! Parsl runs that are active at once in one process, with executors of one name. Each log has the records of all runs,
//! so records are assigned to runs where the evidence decides, and stay unassigned elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use widetui_testing::diagnosed::Run;

/// A task: folder of its DFK, number.
type Task = (String, u64);

/// State and app of a task, if reported.
type Reported = (Option<String>, Option<String>);

fn open(name: &str) -> Run {
    Run::of_archive("kernels2026.tar.gz", name)
}

fn seen(run: &Run) -> impl Iterator<Item = (Task, &Json)> {
    let task = |t: &Json| {
        (
            t["run"].as_str().unwrap().to_owned(),
            t["task"].as_u64().unwrap(),
        )
    };
    run.truth
        .as_array()
        .unwrap()
        .iter()
        .map(move |t| (task(t), t))
}

/// Task of an id.
fn task(run: &Run, id: &[(String, String)]) -> Task {
    let value = |key: &str| id.iter().find(|(k, _)| k == key).map(|(_, v)| v.clone());
    let of_kernel = || {
        let dfk = value("parsl.dfk")?;
        let mut all = run.truth.as_array().unwrap().iter();
        let own = all.find(|t| t["dfk"].as_str() == Some(&*dfk))?;
        own["run"].as_str().map(str::to_owned)
    };
    let folder = value("parsl.rundir").or_else(of_kernel).unwrap_or_default();
    (folder, value("parsl.task").unwrap().parse().unwrap())
}

fn reported(run: &Run) -> BTreeMap<Task, Reported> {
    let tasks = run.all("parsl.task");
    let of = |t| {
        let state = tasks.standing(&run.snapshot, t).state;
        let state = state.map(|s| tasks.states[usize::from(s)].clone());
        let label = tasks.label(&run.snapshot, t);
        (task(run, &tasks.id(&run.snapshot, t)), (state, label))
    };
    tasks.list.iter().map(of).collect()
}

fn hung(run: &Run) -> BTreeSet<Task> {
    let stuck = run.hung.stuck.iter().filter(|s| s.entity == "parsl.task");
    stuck.map(|s| task(run, &s.id)).collect()
}

fn unfinished(run: &Run) -> BTreeSet<Task> {
    let open = seen(run).filter(|(_, t)| t["ended"] == false);
    open.map(|(task, _)| task).collect()
}

/// The main thread submits to two DFKs in turn, whose executors have one name. Threads are assigned by elimination (a try
/// begins after the one before), submissions by the order of task numbers.
#[test]
fn whose_task_it_is_shows_where_executors_have_one_name() {
    let run = open("alike");
    let reports = reported(&run);
    let mut open = Vec::new();
    for ((folder, number), task) in seen(&run) {
        let (state, app) = reports
            .get(&(folder.clone(), number))
            .cloned()
            .unwrap_or_default();
        let is = |reports: &Option<String>, key: &str| reports.as_deref() == task[key].as_str();
        assert!(
            state.is_none() || is(&state, "state"),
            "{folder} {number}: {state:?}"
        );
        assert!(
            app.is_none() || is(&app, "app"),
            "{folder} {number}: {app:?}"
        );
        open.extend(state.is_none().then_some((folder, number)));
    }
    // Of the two tasks submitted under each of these numbers one was never launched.
    assert_eq!(open, [("000".to_owned(), 11), ("000".to_owned(), 13)]);
    let mut expected = unfinished(&run);
    expected.retain(|task| !open.contains(task));
    assert_eq!(hung(&run), expected);
}

/// Checks that no task is unfinished, and that each ended as observed, or without a report of its outcome.
fn all_ended(case: &str) {
    let run = open(case);
    assert!(hung(&run).is_empty());
    let reports = reported(&run);
    for (task, seen) in seen(&run) {
        let state = reports[&task].0.as_deref();
        let is_right = state == Some("ended") || state == seen["state"].as_str();
        assert!(is_right, "{task:?}: {state:?}");
    }
}

/// Executors of threads have no log.
#[test]
fn what_ended_is_not_unfinished_where_nobody_reports_whose_thread_it_was() {
    all_ended("threads");
}

/// In 2023 no record reports the end of a join app whose body returned no future, but the summary at shutdown does.
#[test]
fn nothing_is_launched_any_more_when_the_summary_counts_none() {
    all_ended("joins");
}

/// In 2025 the router of a DFK has its log beside parsl.log.
#[test]
fn the_log_of_a_router_makes_no_run() {
    let run = open("routers");
    let kernels = run.all("parsl.dfk");
    assert_eq!(kernels.list.len(), 1);
    assert_eq!(hung(&run), unfinished(&run));
}
