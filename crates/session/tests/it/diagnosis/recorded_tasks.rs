//! Outcomes of tasks, against the observations of the programs that submitted them: other years, unusual names, futures
//! that are not tasks, blocks that start and end.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use widetui_core::ids::EventId;
use widetui_diagnosis::Severity;
use widetui_store::Value;
use widetui_testing::diagnosed::{Run, diagnosed};

/// Archives under `tests/data`, and the runs in them.
const RUNS: [(&str, &[&str]); 2] = [
    ("other_years", &["2025", "2023"]),
    ("odd", &["names", "futures", "scaled"]),
];

fn open(archive: &str, name: &str) -> Run {
    Run::of_archive(&format!("{archive}.tar.gz"), name)
}

/// Tasks as observed by their program.
fn seen(run: &Run) -> &[Json] {
    run.truth.as_array().unwrap()
}

/// By number: the numbers of the tasks that it depends on, according to records.
fn depends(run: &Run) -> BTreeMap<u64, BTreeSet<u64>> {
    let keys = &run.snapshot.catalog.keys;
    let task = keys.find("parsl.task").unwrap();
    let mut out: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    let Some(on) = keys.find("parsl.dependency_task") else {
        return out;
    };
    for id in 0..run.snapshot.len() {
        let event = run.snapshot.event(EventId(id as u32)).unwrap();
        let stored = event.stored();
        let numbers = |key| {
            let values = stored.iter().filter(move |(k, ..)| *k == key);
            let texts = values.flat_map(|(_, value, _)| match value {
                Value::One(one) => vec![one.to_string()],
                Value::Many(many) => many.iter().map(ToString::to_string).collect(),
            });
            texts.map(|t| t.parse::<u64>().unwrap()).collect::<Vec<_>>()
        };
        if let (Some(one), false) = (numbers(task).first(), numbers(on).is_empty()) {
            out.entry(*one).or_default().extend(numbers(on));
        }
    }
    out
}

#[test]
fn every_task_is_as_its_program_saw_it() {
    for (archive, names) in RUNS {
        for name in names {
            let run = open(archive, name);
            let tasks = run.all("parsl.task");
            let depends = depends(&run);
            assert_eq!(tasks.list.len(), seen(&run).len(), "{name}");
            for task in &tasks.list {
                let number: u64 = tasks.short_name(&run.snapshot, task).parse().unwrap();
                let truth = seen(&run).iter().find(|t| t["task"] == number).unwrap();
                let what = format!("{name}: {truth}");
                let standing = tasks.standing(&run.snapshot, task);
                let state = standing.state.filter(|_| standing.is_final);
                let state = state.map(|s| &*tasks.states[usize::from(s)]);
                assert_eq!(state, truth["state"].as_str(), "{what}");
                let label = tasks.label(&run.snapshot, task);
                assert_eq!(label.as_deref(), truth["app"].as_str(), "{what}");
                let places = tasks.places(&run.snapshot, task);
                for key in ["executor", "manager", "block", "worker"] {
                    let expected = match &truth[key] {
                        Json::Null => continue,
                        Json::String(text) => text.clone(),
                        other => other.to_string(),
                    };
                    let place = places.iter().find(|p| p.0 == format!("parsl.{key}"));
                    assert_eq!(place.map(|p| &*p.1), Some(&*expected), "{key} of {what}");
                }
                let expected: BTreeSet<u64> = truth["depends"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter_map(Json::as_u64)
                    .collect();
                let reported = depends.get(&number).cloned().unwrap_or_default();
                assert_eq!(reported, expected, "{what}");
            }
        }
    }
}

#[test]
fn what_hangs_is_what_did_not_end() {
    for (archive, names) in RUNS {
        for name in names {
            let run = open(archive, name);
            let reported: BTreeSet<u64> = run
                .hung
                .stuck
                .iter()
                .map(|s| s.number().parse().unwrap())
                .collect();
            let open = seen(&run).iter().filter(|t| t["state"].is_null());
            let open: BTreeSet<u64> = open.map(|t| t["task"].as_u64().unwrap()).collect();
            assert_eq!(reported, open, "{name}");
        }
    }
}

#[test]
fn blocks_that_were_scaled_in_are_known() {
    let run = open("odd", "scaled");
    let blocks = run.all("parsl.block");
    assert_eq!(blocks.list.len(), 6);
    for block in &blocks.list {
        let state = blocks.standing(&run.snapshot, block).state.unwrap();
        assert_eq!(blocks.states[usize::from(state)], "SCALED_IN");
    }
}

#[test]
fn odd_names_and_futures_make_no_finding() {
    let run = open("odd", "names");
    assert_eq!(run.worst(), Some(Severity::Info), "{:#?}", run.diagnosis);
    // A task waits for a future that is not a task, which is the only reason known for its hanging.
    let run = open("odd", "futures");
    let mut findings = run.diagnosis.findings.iter();
    assert!(findings.any(|f| f.title.contains("futures that are no tasks")));
}

#[test]
fn the_manager_that_was_killed_is_the_first_finding() {
    let run = open("other_years", "2023");
    let first = run.top(2);
    assert!(first.contains("manager of a block was killed"), "{first}");
    assert!(first.contains("9eb5d9611d77 was lost"), "{first}");
}

/// Distributed 2026.8.0: `Client.shutdown`, and a worker that is killed during work, write the same records.
#[test]
fn what_a_shutdown_breaks_is_no_cause() {
    let lost = "distributed.scheduler - WARNING - Removing worker 'tcp://127.0.0.1:42897' caused the cluster to lose already \
                computed task(s), which will be recomputed elsewhere: {'ok-1'} (stimulus_id='handle-worker-cleanup-1795278140.2')";
    let closing = "2026-11-21 16:22:20,201 - distributed.scheduler - INFO - Closing scheduler. Reason: unknown\n";
    let start = "2026-11-21 16:22:18,663 - distributed.scheduler - INFO - Register worker addr: tcp://127.0.0.1:42897 name: w1\n";
    let lost_results = |text: String| {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("scheduler.log"), text).unwrap();
        let (.., diagnosis) = diagnosed(dir.path());
        let all = diagnosis.findings.iter();
        let all = all.filter(|f| f.title.contains("lost"));
        all.map(|f| f.severity).collect::<Vec<_>>()
    };
    let after = format!("{start}{closing}2026-11-21 16:22:20,221 - {lost}\n");
    assert_eq!(lost_results(after), []);
    let before = format!("{start}2026-11-21 16:22:19,221 - {lost}\n{closing}");
    assert_eq!(lost_results(before), [Severity::Warning]);
    // A later client that writes to the same file is not shutting down.
    let anew = format!("{start}{closing}2026-11-21 17:22:20,221 - {lost}\n");
    assert_eq!(lost_results(anew), [Severity::Warning]);
}
