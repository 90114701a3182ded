//! Runs of Parsl (2026.10.26) with particular executors and logging: Work Queue and TaskVine (cctools 8.0.0) with
//! failing tasks and without any worker, two runs in one process, a program with its own layout, blocks that end before
//! their workers start. Each run has the observations of its program.

use std::collections::BTreeMap;

use widetui_diagnosis::Severity;

use widetui_testing::diagnosed::Run;

fn open(name: &str) -> Run {
    Run::of_archive("executors.tar.gz", name)
}

/// Sorted states of the tasks, by app.
fn reported_by_app(run: &Run) -> BTreeMap<String, Vec<String>> {
    let tasks = run.all("parsl.task");
    let mut out: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for task in &tasks.list {
        let state = tasks.standing(&run.snapshot, task).state;
        let state = state.map_or("?", |s| &tasks.states[usize::from(s)]);
        let label = tasks.label(&run.snapshot, task).unwrap_or_default();
        out.entry(label).or_default().push(state.to_owned());
    }
    out.values_mut().for_each(|s| s.sort());
    out
}

/// States as observed by the program.
fn observed_by_app(run: &Run) -> BTreeMap<String, Vec<String>> {
    let mut out: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for task in run.truth.as_array().unwrap() {
        let text = |key: &str| task[key].as_str().unwrap().to_owned();
        out.entry(text("app")).or_default().push(text("state"));
    }
    out.values_mut().for_each(|s| s.sort());
    out
}

/// The unfinished instances of an entity: names and states.
fn stuck(run: &Run, title: &str) -> Vec<String> {
    let all = run.hung.stuck.iter().filter(|s| s.title == title);
    let mut out: Vec<String> = all.map(|s| s.label.clone().unwrap_or_default()).collect();
    out.sort();
    out
}

fn has_finding(run: &Run, severity: Severity, text: &str) -> bool {
    run.titles(severity).iter().any(|t| t.contains(text))
}

#[test]
fn tasks_of_each_executor_are_in_the_states_that_the_program_saw() {
    for name in [
        "vine-healthy",
        "vine-noworkers",
        "vine-fail",
        "wq-noworkers",
        "wq-fail",
        "own_layout",
        "own_log",
        "no_worker_script",
    ] {
        let run = open(name);
        assert_eq!(reported_by_app(&run), observed_by_app(&run), "{name}");
    }
}

/// A manager without workers, after it dismissed them, is no trouble.
#[test]
fn a_run_of_taskvine_in_which_all_is_well_has_no_trouble() {
    let run = open("vine-healthy");
    assert!(run.hung.stuck.is_empty());
    let trouble = [Severity::Error, Severity::Warning];
    assert!(trouble.iter().all(|s| run.titles(*s).is_empty()));
}

#[test]
fn a_manager_to_which_no_worker_came_is_reported() {
    for name in ["vine-noworkers", "wq-noworkers"] {
        let run = open(name);
        assert!(
            has_finding(&run, Severity::Error, "No worker ever connected"),
            "{name}"
        );
        assert_eq!(stuck(&run, "task").len(), 3, "{name}");
    }
    for name in ["vine-fail", "wq-fail", "vine-healthy"] {
        let run = open(name);
        assert!(
            !has_finding(&run, Severity::Error, "No worker ever"),
            "{name}"
        );
    }
}

/// Records of TaskVine and Work Queue about a task also belong to the task of Parsl.
#[test]
fn a_task_is_known_by_its_executor_too() {
    let run = open("wq-fail");
    assert!(has_finding(
        &run,
        Severity::Error,
        "ended by a signal (exit code 137)"
    ));
    let run = open("vine-fail");
    let trys = run
        .found
        .occurring
        .iter()
        .find(|i| i.entity.name == "parsl.try");
    let begun = trys.unwrap().list.iter().filter(|t| t.start.is_some());
    // All except the task that waits for a larger worker, and the one that failed with its dependency.
    assert_eq!(begun.count(), 6);
    let hog = run
        .hung
        .stuck
        .iter()
        .find(|s| s.label.as_deref() == Some("diskhog"));
    assert!(hog.unwrap().begun_there.is_some());
    let top = run.top(3);
    assert!(top.contains("A task used more than it was given"), "{top}");
}

/// Both logs have the records of both runs, and the log of one DFK has the end of the other: the end of the process
/// shows which was not shut down cleanly. Running tasks stay unassigned where no record names an executor's folder.
#[test]
fn of_two_runs_in_one_process_the_unfinished_one_is_reported() {
    let run = open("two_kernels");
    let reported = run.titles(Severity::Warning);
    let said = |text: &str| reported.iter().any(|t| t.contains(text));
    assert!(said("ernel 000 was not shut down cleanly"), "{reported:?}");
    assert!(!said("ernel 001"), "{reported:?}");
}

#[test]
fn a_program_with_a_layout_of_its_own_reports_the_same_tasks() {
    let run = open("own_layout");
    assert_eq!(stuck(&run, "task"), ["slow"]);
    assert!(has_finding(&run, Severity::Error, "KeyError: 'k2'"));
    let run = open("own_log");
    assert_eq!(stuck(&run, "task"), ["ok", "slow"]);
    let slow = run
        .hung
        .stuck
        .iter()
        .find(|s| s.label.as_deref() == Some("slow"));
    assert!(slow.unwrap().begun_there.is_some());
}

#[test]
fn what_keeps_a_run_from_beginning_is_reported() {
    let run = open("no_worker_script");
    let top = run.top(1);
    assert!(top.contains("module: command not found"), "{top}");
    assert!(top.contains("/no/such/env/activate"), "{top}");
    assert!(!has_finding(&run, Severity::Error, "endpoint"));
    let run = open("no_guard");
    let errors = run.titles(Severity::Error);
    assert_eq!(
        errors,
        ["A process that Parsl started builds a kernel of its own"]
    );
}
