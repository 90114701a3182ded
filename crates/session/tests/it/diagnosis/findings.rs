//! Findings, states and waits of small runs, against the observations of their programs: tasks that raise, tasks that
//! wait for tasks which they started, two runs in one process, unfinished work beside failures.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use widetui_analysis::scope::AnalysisScope;
use widetui_analysis::states::{ReporterChoice, states};
use widetui_core::cancel::Cancel;
use widetui_diagnosis::Severity;

use widetui_testing::diagnosed::Run;

/// Opens a run of the archive.
fn open(name: &str) -> Run {
    Run::of_archive("told.tar.gz", name)
}

/// By number of an unfinished item: its state, and the numbers of the items that it waits for.
fn stuck(run: &Run) -> BTreeMap<&str, (&str, Vec<&str>)> {
    let all = &run.hung.stuck;
    let of = all.iter().map(|s| {
        let mut waits: Vec<&str> = s.waits_for.iter().map(|w| all[*w].number()).collect();
        waits.sort_unstable();
        (s.number(), (s.state.as_deref().unwrap_or_default(), waits))
    });
    of.collect()
}

#[test]
fn dask_tasks_that_raise_have_failed() {
    for year in ["dask2026", "dask2022"] {
        let run = open(year);
        let tasks = run.all("dask.task");
        let states: BTreeMap<String, String> = tasks
            .list
            .iter()
            .filter_map(|task| {
                let standing = tasks.standing(&run.snapshot, task);
                let state = &tasks.states[usize::from(standing.state?)];
                assert!(standing.is_final, "{year}: {state}");
                Some((tasks.short_name(&run.snapshot, task), state.clone()))
            })
            .collect();
        for task in run.truth.as_array().unwrap() {
            let state = states.get(task["key"].as_str().unwrap());
            let failed = state.is_some_and(|s| tasks.entity.failed_states.contains(s));
            assert_eq!(failed, task["state"] == "error", "{year}: {task}");
        }
        assert!(run.hung.stuck.is_empty(), "{year}: {:#?}", run.hung.stuck);
    }
}

/// A key with blanks: a tuple in a set of keys is one key.
#[test]
fn tuples_in_lists_of_keys_stay_whole() {
    let run = open("dask2026");
    let tasks = run.all("dask.task");
    let numbers = tasks
        .list
        .iter()
        .map(|t| tasks.short_name(&run.snapshot, t));
    let numbers: BTreeSet<String> = numbers.collect();
    assert!(!numbers.contains("flaky"), "{numbers:?}");
}

#[test]
fn join_apps_wait_for_what_their_bodies_started() {
    for year in ["joins2026", "joins2024"] {
        let run = open(year);
        let stuck = stuck(&run);
        for (task, state) in run.truth["open"].as_object().unwrap() {
            assert_eq!(stuck[&**task].0, state, "{year}: task {task}");
        }
        // The first unfinished item does not wait for another one.
        let first = run.hung.hanging().next().unwrap();
        assert_eq!(first.state.as_deref(), Some("launched"), "{year}");
        // If the launching thread ended the body too, the records of 2024 do not show which tasks the body started.
        let (waits, unnamed): (&[(&str, &[&str])], &[&str]) = match year {
            "joins2026" => (
                &[
                    ("5", &["14"]),
                    ("6", &["11"]),
                    ("7", &["5"]),
                    ("11", &["16"]),
                ],
                &[],
            ),
            _ => (
                &[("1", &["13", "16"]), ("4", &["12"]), ("6", &["4"])],
                &["3", "5", "11"],
            ),
        };
        for (task, wanted) in waits {
            assert_eq!(stuck[task].1, *wanted, "{year}: task {task}");
        }
        let reported = run.hung.stuck.iter().filter(|s| s.waits_unnamed);
        let reported: BTreeSet<&str> = reported.map(|s| s.number()).collect();
        assert_eq!(reported, unnamed.iter().copied().collect(), "{year}");
    }
}

#[test]
fn two_runs_of_one_process_are_distinguished() {
    let run = open("kernels");
    let tasks = run.all("parsl.task");
    let kernels = run.all("parsl.dfk");
    let mut seen = 0;
    for task in &tasks.list {
        let id = tasks.id(&run.snapshot, task);
        let of_kernel = |k: &&widetui_analysis::entity::Instance| {
            kernels.id(&run.snapshot, k).last().map(|p| &p.1) == id.first().map(|p| &p.1)
        };
        let kernel = kernels.list.iter().find(of_kernel).unwrap();
        let rundir = kernels.label(&run.snapshot, kernel).unwrap();
        let number: u64 = tasks.short_name(&run.snapshot, task).parse().unwrap();
        let all = run.truth.as_array().unwrap().iter();
        let is_own = |t: &&Json| t["kernel"] == *rundir && t["task"] == number;
        let truth = { all }.find(is_own).unwrap();
        let standing = tasks.standing(&run.snapshot, task);
        let state = standing.state.filter(|_| standing.is_final);
        let state = state.map(|s| &*tasks.states[usize::from(s)]);
        assert_eq!(state, truth["state"].as_str(), "{truth}");
        // The main thread submits for both runs: the app's name is known where the executor is of one run.
        if ["one", "two"].map(Json::from).contains(&truth["executor"]) {
            let label = tasks.label(&run.snapshot, task);
            assert_eq!(label.as_deref(), truth["app"].as_str(), "{truth}");
        }
        seen += 1;
    }
    assert_eq!(seen, run.truth.as_array().unwrap().len());
}

/// An action has waited for a minute when another one failed and was answered.
#[test]
fn what_hangs_is_reported_beside_what_failed() {
    let run = open("academy");
    let errors = run.titles(Severity::Error);
    let of = |id: &str| errors.iter().position(|t| t.contains(id));
    let (hangs, failed) = (of("a9444d1e-fb95"), of("225fa134-04a3"));
    assert!(hangs.is_some() && failed.is_some(), "{errors:#?}");
}

const CONTROLLER: &str = "\
[2026-11-20T18:09:41.777] _slurm_rpc_submit_batch_job: JobId=4 InitPrio=4294901756 usec=245
[2026-11-20T18:09:42.175] sched/backfill: _start_job: Started JobId=4 in regular on nid002
[2026-11-20T18:11:03.978] Time limit exhausted for JobId=4
";
const DAEMON: &str = "\
[2026-11-20T18:09:42.281] [4.batch] starting 1 tasks
[2026-11-20T18:11:03.981] [4.batch] error: *** JOB 4 ON nid002 CANCELLED AT 2026-11-20T18:11:03 DUE TO TIME LIMIT ***
[2026-11-20T18:11:03.996] [4.batch] done with job
";

#[test]
fn a_job_that_reached_its_time_limit_is_one_finding() {
    let run = Run::of(&[("slurmctld.log", CONTROLLER), ("slurmd.nid002.log", DAEMON)]);
    let errors = run.findings(|f| f.severity == Severity::Error);
    assert_eq!(errors.len(), 1, "{errors:#?}");
    assert!(errors[0].title.contains("time limit"), "{errors:#?}");
    // Both sides are part of it.
    let sources = errors[0].events.iter().map(|e| {
        let event = run.snapshot.event(*e).unwrap();
        event.source().kind.clone()
    });
    assert_eq!(sources.collect::<BTreeSet<_>>().len(), 2, "{errors:#?}");
}

/// Transition log of a Dask scheduler: a result that is released after use and recomputed, and a task that raised and
/// is retried.
#[test]
fn results_that_are_given_away_are_no_impossible_change() {
    let line = |key: &str, from: &str, to: &str, at: u32| {
        format!(
            "{{\"key\": \"{key}\", \"start\": \"{from}\", \"finish\": \"{to}\", \"recommendations\": {{}}, \"stimulus_id\": \
             \"s-{at}\", \"timestamp\": {}.5}}\n",
            1_795_225_022 + at
        )
    };
    let reported = [
        line("a", "waiting", "processing", 1),
        line("a", "processing", "memory", 2),
        line("a", "memory", "released", 3),
        line("a", "released", "forgotten", 4),
        line("b", "processing", "erred", 5),
        line("b", "erred", "released", 6),
        line("a", "released", "waiting", 7),
        line("a", "waiting", "processing", 8),
    ];
    let run = Run::of(&[("transitions.jsonl", &reported.concat())]);
    let scope = AnalysisScope::default();
    let tasks = run.all("dask.task");
    let found = states(
        &run.snapshot,
        tasks,
        &scope,
        &ReporterChoice::MostTrusted,
        &Cancel::default(),
    )
    .unwrap();
    assert_eq!(found.impossible, []);
}

/// Academy 1.0.0, academy/exchange/cloud/app.py: an exchange that was killed and restarted, and its log.
#[test]
fn an_exchange_that_forgot_its_mailboxes_is_reported() {
    let log = "\
[2026-11-21 19:36:23.781] ERROR    (academy.exchange.cloud.app) Unknown mailbox id in send
Traceback (most recent call last):
  File \"/home/hpcuser/venv/lib/python3.11/site-packages/academy/exchange/cloud/backend.py\", line 593, in put
    raise BadEntityIdError(message.dest) from e
academy.exception.BadEntityIdError: Unknown identifier AgentId<5be7ba25>.
";
    let run = Run::of(&[("exchange.log", log)]);
    let reported = &run.diagnosis.findings;
    assert_eq!(reported.len(), 1, "{reported:#?}");
    let finding = format!("{}: {}", reported[0].title, reported[0].text);
    assert!(finding.contains("BadEntityIdError"), "{finding}");
}
