//! Latency, states and spans of real runs, against counts by other programs.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value as Json;
use widetui_analysis::Instances;
use widetui_analysis::columns::EventProperty;
use widetui_analysis::entity::{AllInstances, Earlier};
use widetui_analysis::latency::{StepLatency, latency};
use widetui_analysis::resources::Resources;
use widetui_analysis::run_table::{list_runs, runs_of_instances};
use widetui_analysis::scope::AnalysisScope;
use widetui_analysis::spans::{LostEnds, spans};
use widetui_analysis::states::{ReporterChoice, states};
use widetui_analysis::utilisation::{ResourceUse, WEIGHT_UNIT, Weight, throughput, utilisation};
use widetui_core::cancel::Cancel;
use widetui_query::{Expr, Field, Op, select};
use widetui_session::meaning::Meaning;
use widetui_store::Snapshot;
use widetui_testing::corpora::corpora;
use widetui_testing::diagnosed::{instances, opened};
use widetui_testing::runs::data;
use widetui_testing::runs::unpacked;

struct Run {
    snapshot: Arc<Snapshot>,
    meaning: Meaning,
}

impl Run {
    fn open(path: &Path) -> Run {
        let (snapshot, meaning) = opened(path);
        Run { snapshot, meaning }
    }

    fn instances(&self, entity: &str) -> Instances {
        instances(&self.snapshot, &self.meaning, entity)
    }

    /// Instances of one run directory.
    fn scope(&self, rundir: &str) -> AnalysisScope {
        let expr = Expr::compare(Field::named("parsl.rundir"), Op::Eq, rundir);
        AnalysisScope {
            events: select(&self.snapshot, &expr, &Cancel::default()),
            ..AnalysisScope::default()
        }
    }
}

/// Whether a template equals one printed by findcommon, which prints variables as `%s`, `%r` or their values.
fn fits(template: &str, printed: &str) -> bool {
    let parts = template.replace("b'{}'", "{}");
    let parts: Vec<String> = parts.split("{}").map(regex::escape).collect();
    let pattern = format!("^{}$", parts.join(r"(%s|%r|\S+)"));
    regex::Regex::new(&pattern).unwrap().is_match(printed)
}

#[test]
fn latency_agrees_with_findcommon() {
    let run = Run::open(&data().join("uniform.tar.gz"));
    let tasks = run.instances("parsl.task");
    let thread = EventProperty::parse(&run.snapshot, "thread").unwrap();
    let split = [EventProperty::Source, thread];
    let (scope, cancel) = (AnalysisScope::default(), Cancel::default());
    let found = latency(&run.snapshot, &tasks, &scope, &split, &cancel).unwrap();
    assert_eq!(found.instances, 80);
    let printed = fs::read_to_string(data().join("uniform.findcommon.txt")).unwrap();
    let mut rows = found.rows.iter().filter(|r| r.occurrence == 1);
    for line in printed.lines() {
        let (offset, rest) = line.split_once(": ").unwrap();
        let mut parts = rest.rsplitn(3, '/');
        let thread = parts.next().unwrap();
        let kind = match parts.next().unwrap() {
            "parsl.jsonlog" => "dfk",
            "interchange log" => "interchange",
            "Pool manager log" => "manager",
            _ => "worker",
        };
        let message = parts.next().unwrap();
        // Our table has more rows; the rows that findcommon prints are in the same order.
        let fits = |r: &&StepLatency| r.split == [kind, thread] && fits(&r.template, message);
        let row = rows.find(fits).unwrap_or_else(|| panic!("{line}"));
        let expected = offset.parse::<f64>().unwrap();
        assert!(
            (row.offset.mean / 1e9 - expected).abs() < 1e-6,
            "{line}: {row:?}"
        );
        assert_eq!(row.instances, 80, "{line}");
    }
}

#[test]
fn steps_are_measured_from_rows_that_are_as_frequent() {
    let run = Run::open(&data().join("manager_lost.tar.gz"));
    let tasks = run.instances("parsl.task");
    let (scope, cancel) = (AnalysisScope::default(), Cancel::default());
    let found = latency(&run.snapshot, &tasks, &scope, &[], &cancel).unwrap();
    assert!(
        found.rows.iter().any(|r| r.occurrence > 1),
        "retries come again"
    );
    for (at, row) in found.rows.iter().enumerate() {
        let before = found.rows[..at]
            .iter()
            .rposition(|r| r.instances >= row.instances);
        let is_one = |row: &StepLatency| row.occurrence == row.last_occurrence;
        let previous = row.previous.map(|at| &found.rows[at]);
        assert!(
            row.previous == before || previous.is_some_and(|row| !is_one(row)),
            "{row:?}"
        );
        assert_eq!(row.step.is_some(), before.is_some() && row.step.is_some());
        assert!(row.share <= 1.0);
        let most = match is_one(row) {
            true => row.instances,
            false => row.instances * u64::from(row.last_occurrence - row.occurrence + 1),
        };
        assert!(row.step.is_none_or(|s| s.count <= most), "{row:?}");
    }
}

/// Run directory, final counts by state, maximum number of concurrent tasks (with losses at the end of the run, or when
/// noticed).
type Truth = (String, BTreeMap<String, u64>, Option<(i64, i64)>);

fn check(path: &Path, truths: &[Truth]) {
    let run = Run::open(path);
    let (tasks, tries) = (run.instances("parsl.task"), run.instances("parsl.try"));
    let cancel = Cancel::default();
    for (rundir, counts, running) in truths {
        let name = format!("{} {rundir}", path.display());
        let scope = run.scope(rundir);
        let found = states(
            &run.snapshot,
            &tasks,
            &scope,
            &ReporterChoice::MostTrusted,
            &cancel,
        )
        .unwrap();
        let named = found
            .names
            .iter()
            .cloned()
            .zip(found.final_counts.iter().copied());
        let last: BTreeMap<String, u64> = named.filter(|(_, n)| *n > 0).collect();
        assert_eq!(last, *counts, "{name}");
        // Final values of the series.
        let ends: Vec<i64> = found.series.iter().map(|s| s.value_at(i64::MAX)).collect();
        let last: Vec<i64> = found.final_counts.iter().map(|n| *n as i64).collect();
        assert_eq!(ends, last, "{name}");
        assert_eq!(found.impossible, [], "{name}");
        let Some((for_ever, closed)) = running else {
            continue;
        };
        let spans = spans(&run.snapshot, &tries, &scope, None, &cancel).unwrap();
        let most = |lost| spans.concurrency(&scope, lost).max().map_or(0, |m| m.1);
        assert_eq!(most(LostEnds::WithRun), *for_ever, "{name}");
        assert_eq!(most(LostEnds::WhenReported), *closed, "{name}");
    }
}

fn truth(rundir: &str, counts: &[(&str, u64)], running: Option<(i64, i64)>) -> Truth {
    let counts = counts.iter().map(|(s, n)| ((*s).to_owned(), *n));
    (rundir.to_owned(), counts.collect(), running)
}

#[test]
fn states_and_running_tries_are_those_counted_by_others() {
    let hung = [("exec_done", 36), ("launched", 1), ("pending", 12)];
    check(&data().join("hung"), &[truth("000", &hung, Some((4, 4)))]);
    let lost = truth("000", &[("exec_done", 99)], Some((6, 6)));
    check(&data().join("manager_lost.tar.gz"), &[lost]);
    let multi = [
        truth("000", &[("exec_done", 60), ("failed", 3)], Some((4, 4))),
        truth("001", &[("exec_done", 67)], Some((2, 2))),
        truth("002", &[("exec_done", 32)], Some((4, 4))),
    ];
    check(&data().join("multi.tar.gz"), &multi);
    let of = |done| [("dep_fail", 1), ("exec_done", done), ("failed", 2)];
    let json = [
        truth("000", &of(28), Some((2, 2))),
        truth("001", &of(20), Some((2, 2))),
        truth("002", &of(8), Some((1, 1))),
    ];
    check(&data().join("json.tar.gz"), &json);
    let old = [("dep_fail", 2), ("exec_done", 33), ("failed", 2)];
    check(&data().join("old2024"), &[truth("000", &old, Some((4, 4)))]);
    let queue = [
        truth(
            "000",
            &[("dep_fail", 2), ("exec_done", 18), ("failed", 3)],
            None,
        ),
        truth(
            "001",
            &[("dep_fail", 1), ("exec_done", 9), ("failed", 2)],
            None,
        ),
    ];
    check(&data().join("workqueue.tar.gz"), &queue);
}

#[test]
#[ignore = "needs runs outside the repository: WIDETUI_CORPORA=FOLDER"]
fn so_are_those_of_other_runs() {
    let root = corpora();
    let mut seen = 0;
    for case in fs::read_dir(root.join("parsl")).unwrap().flatten() {
        let Ok(text) = fs::read_to_string(case.path().join("truth.json")) else {
            continue;
        };
        let json: Json = serde_json::from_str(&text).unwrap();
        let mut truths: Vec<Truth> = Vec::new();
        for (rundir, of) in json["rundirs"].as_object().unwrap() {
            let Some(counts) = of["final_state_counts"].as_object() else {
                continue;
            };
            let counts = counts.iter().map(|(s, n)| (s.clone(), n.as_u64().unwrap()));
            let running = of["max_running_workers"].as_i64();
            let running = running.zip(of["max_running_workers_closed"].as_i64());
            truths.push((rundir.clone(), counts.collect(), running));
        }
        seen += truths.len();
        check(&case.path().join("runinfo"), &truths);
    }
    assert!(seen > 0);
}

/// `list_runs` scans a part of each instance and agrees with a full scan.
#[test]
fn runs_do_not_depend_on_the_details_of_instances() {
    let all = [
        "hung",
        "multi.tar.gz",
        "manager_lost.tar.gz",
        "workqueue.tar.gz",
        "uniform.tar.gz",
    ];
    for name in all {
        let run = Run::open(&data().join(name));
        let (entities, go) = (&run.meaning.entities, Cancel::default());
        let found = AllInstances::scan(&run.snapshot, entities, &go).unwrap();
        let scope = AnalysisScope::default();
        let whole = runs_of_instances(&run.snapshot, entities, &found, &scope, &go).unwrap();
        assert!(!whole.is_empty(), "{name}");
        assert_eq!(
            list_runs(&run.snapshot, entities, &scope, &go).unwrap(),
            whole,
            "{name}"
        );
    }
}

/// Memory is shared with earlier instances only where they are equal: those of another run change nothing, and some of the same
/// snapshot leave the others to be found.
#[test]
fn instances_do_not_depend_on_earlier_ones() {
    let go = Cancel::default();
    let events = |found: &AllInstances| -> Vec<_> {
        let all = found.occurring.iter();
        all.map(|instances| {
            let list = instances.list.iter();
            let events = list.map(|one| (one.id.clone(), instances.events(one).to_vec()));
            (instances.entity.name.clone(), events.collect::<Vec<_>>())
        })
        .collect()
    };
    let mut earlier: Option<AllInstances> = None;
    for name in ["hung", "manager_lost.tar.gz", "multi.tar.gz", "hung"] {
        let run = Run::open(&data().join(name));
        let entities = &run.meaning.entities;
        let fresh = AllInstances::scan(&run.snapshot, entities, &go).unwrap();
        let all: &[Instances] = &fresh.occurring;
        let before = earlier.as_ref().map_or(&[][..], |found| &found.occurring);
        for (found, is_same) in [(before, false), (all, false), (&all[1..3], true)] {
            let known = Earlier { found, is_same };
            let found = AllInstances::scan_after(known, &run.snapshot, entities, &go).unwrap();
            assert_eq!(events(&found), events(&fresh), "{name}");
        }
        earlier = Some(fresh);
    }
}

fn runs_in(run: &Run) -> Vec<widetui_analysis::run_table::RunRow> {
    let (entities, go) = (&run.meaning.entities, Cancel::default());
    list_runs(&run.snapshot, entities, &AnalysisScope::default(), &go).unwrap()
}

/// `{name: number of tasks}` for one entity.
fn counts(run: &Run, entity: &str) -> Vec<(String, u64)> {
    let all = runs_in(run).into_iter();
    let count = all.map(|r| (r.name.clone(), r.entities.get(entity).copied()));
    count.filter_map(|(name, n)| Some((name, n?))).collect()
}

#[test]
fn runs_without_a_name_are_what_lies_in_their_folders() {
    let other = Run::open(&data().join("other"));
    let folder = |entity: &str, name: &str| {
        let found = counts(&other, entity);
        let own = found.iter().find(|(own, _)| own == name);
        own.unwrap_or_else(|| panic!("{entity}: {found:?}")).1
    };
    // The client cancelled six tasks before they were started.
    assert_eq!(folder("dask.task", "dask"), 19);
    assert_eq!(folder("slurm.job", "slurm"), 15);
    assert_eq!(folder("otel.span", "otel"), 81);
    // The row counts the records that its step selects.
    for run in runs_in(&other) {
        let Some(only) = run.condition.as_ref() else {
            continue;
        };
        let events = select(&other.snapshot, only, &Cancel::default()).unwrap();
        assert_eq!(events.len() as u64, run.events, "{}", run.name);
        let folder = |source: &widetui_store::Source| source.path.contains(&run.folder);
        let mut all = events.ids().filter_map(|id| other.snapshot.event(id));
        assert!(all.all(|e| folder(e.source())), "{}", run.name);
    }
    // Beside runs with names.
    let both = tempfile::tempdir().unwrap();
    for (name, of) in [("dask", "other/dask"), ("runinfo", "hung")] {
        let to = both.path().join(name);
        copied(&data().join(of), &to);
    }
    let both = Run::open(both.path());
    let names: Vec<String> = runs_in(&both).into_iter().map(|r| r.name).collect();
    assert!(names.contains(&"dask".to_owned()), "{names:?}");
    assert_eq!(counts(&both, "parsl.task"), [("000".to_owned(), 49)]);
}

fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copied(&entry.path(), &to),
            false => fs::copy(entry.path(), &to).map(|_| ()).unwrap(),
        }
    }
}

#[test]
fn a_manager_that_starts_anew_in_the_same_log_begins_another_run() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = String::new();
    for (pid, from, tasks) in [(11, 1_721_323_700, 3), (12, 1_721_330_000, 2)] {
        let mut line = |s: u64, text: String| {
            log += &format!("{} {pid} {text}\n", (from + s) * 1_000_000);
        };
        line(0, "MANAGER START".to_owned());
        for task in 1..=tasks {
            line(
                1,
                format!("TASK {task} WAITING default FIRST_RESOURCES {{}}"),
            );
            line(2, format!("TASK {task} READY default FIRST_RESOURCES {{}}"));
        }
        line(9, "MANAGER END".to_owned());
    }
    fs::write(dir.path().join("transaction_log"), log).unwrap();
    let run = Run::open(dir.path());
    let found: Vec<u64> = counts(&run, "work_queue.task")
        .iter()
        .map(|c| c.1)
        .collect();
    assert_eq!(found, [3, 2]);
    let all = runs_in(&run);
    assert_eq!(all.iter().map(|r| r.events).collect::<Vec<_>>(), [8, 6]);
}

#[test]
fn a_try_that_was_only_announced_is_none() {
    // One try per launch: tasks that wait, were memoised, or whose dependency failed have none.
    let tries = |name: &str| counts(&Run::open(&data().join(name)), "parsl.try");
    let of = |runs: &[(&str, u64)]| -> Vec<(String, u64)> {
        runs.iter().map(|(r, n)| ((*r).to_owned(), *n)).collect()
    };
    assert_eq!(tries("hung"), of(&[("000", 37)]));
    assert_eq!(tries("old2024"), of(&[("000", 37)]));
    assert_eq!(tries("workqueue.tar.gz"), of(&[("000", 24), ("001", 13)]));
    assert_eq!(
        tries("json.tar.gz"),
        of(&[("000", 32), ("001", 24), ("002", 12)])
    );
}

#[test]
fn what_cannot_be_compared_says_why() {
    use widetui_analysis::compare::{ComparisonSide, Incomparable, compare};
    let (hung, other) = (
        Run::open(&data().join("hung")),
        Run::open(&data().join("other/dask")),
    );
    let side = |run: &Run, entity: &str| {
        let mut side = ComparisonSide::default();
        let found = run.instances(entity);
        let (scope, go) = (AnalysisScope::default(), Cancel::default());
        side.add_instances(&run.snapshot, &found, &scope, &go)
            .unwrap();
        side
    };
    let (a, b) = (side(&hung, "parsl.task"), side(&other, "dask.task"));
    let lines = compare(&a, &b);
    let only = |name: &str| lines.iter().find(|l| l.name == name).unwrap().incomparable;
    assert_eq!(only("parsl.task"), Some(Incomparable::NotInSecond));
    assert_eq!(only("dask.task"), Some(Incomparable::NotInFirst));
    assert_eq!(
        only("parsl.task mean"),
        Some(Incomparable::NoneEndedInSecond)
    );
    assert!(
        lines
            .iter()
            .all(|l| l.incomparable.is_some() && l.difference().is_none())
    );
    assert!(compare(&a, &a).iter().all(|l| l.incomparable.is_none()));
}

#[test]
fn a_resource_whose_name_is_taken_over_lives_on() {
    let run = Run::open(&data().join("manager_lost.tar.gz"));
    let workers = Resources::from_kinds(&run.snapshot, [run.instances("parsl.worker")]);
    let workers = &workers[0];
    let all = workers.instances.list.iter().zip(&workers.lifetimes);
    for (worker, life) in all {
        let (life, own) = (life.unwrap(), worker.stated_range.unwrap());
        assert!(life.end >= own.1, "{:?}", worker.id);
    }
    assert!(!workers.instances.losses().is_empty());
}

/// Maximum concurrency, and the use of the innermost resources by the last value of their ids.
fn used(run: &Run, entity: &str) -> (i128, BTreeMap<String, ResourceUse>) {
    let (found, go) = (run.instances(entity), Cancel::default());
    let all = &run.meaning.entities;
    let carriers = Resources::innermost(&run.snapshot, &found.entity, all, &go);
    let carriers = carriers.unwrap().unwrap();
    let scope = AnalysisScope::default();
    let (all, one) = (Some(&carriers), Weight::One);
    let reported = utilisation(&run.snapshot, &found, all, &scope, &one, &go).unwrap();
    let of = &carriers.instances;
    let name = |used: &ResourceUse| of.short_name(&run.snapshot, &of.list[used.resource]);
    let most = reported.running.max().map_or(0, |m| m.1 / WEIGHT_UNIT);
    (
        most,
        reported.resources.iter().map(|u| (name(u), *u)).collect(),
    )
}

/// A task of Dask runs while its function does, according to the scheduler's task stream.
#[test]
fn dask_tasks_run_when_their_functions_do() {
    let dir = unpacked("stacks.tar.gz");
    let folder = dir.path().join("dask/pressure-shuffle");
    let stream = fs::read_to_string(folder.join("task_stream.jsonl")).unwrap();
    // By worker: (start, end) of computations.
    let mut computed: BTreeMap<String, Vec<(i64, i64)>> = BTreeMap::new();
    for line in stream.lines() {
        let record: Json = serde_json::from_str(line).unwrap();
        let steps = record["startstops"].as_array().unwrap().iter();
        for step in steps.filter(|s| s["action"] == "compute") {
            let time = |name: &str| (step[name].as_f64().unwrap() * 1e9) as i64;
            let worker = record["worker"].as_str().unwrap().to_owned();
            let own = computed.entry(worker).or_default();
            own.extend([(time("start"), 1), (time("stop"), -1)]);
        }
    }
    let mut all: Vec<(i64, i64)> = computed.values().flatten().copied().collect();
    all.sort_unstable();
    let at_once = all.iter().scan(0, |n, change| {
        *n += change.1;
        Some(*n)
    });
    let at_once = at_once.max().unwrap();
    let run = Run::open(&folder);
    let executions = run.instances("dask.execution");
    let scope = AnalysisScope::default();
    let found = spans(&run.snapshot, &executions, &scope, None, &Cancel::default()).unwrap();
    // Tasks of one worker were not reported to the scheduler before the worker was lost.
    assert!(found.list.len() >= all.len() / 2, "{}", found.list.len());
    let closed: Vec<i64> = found.durations();
    assert!(closed.iter().all(|took| (0..10_000_000_000).contains(took)));
    for entity in ["dask.execution", "dask.task"] {
        let (most, workers) = used(&run, entity);
        assert!(most >= i128::from(at_once) - 1, "{entity} {most} {at_once}");
        assert!(most <= i128::from(at_once), "{entity} {most} {at_once}");
        for (worker, used) in &workers {
            let known = computed.get(worker).map_or(0, |c| c.len() as u64 / 2);
            assert!(used.executions >= known, "{worker} {used:?}");
            // No task began before its worker.
            assert_eq!(
                used.cold_start.is_some(),
                used.executions > 0,
                "{worker} {used:?}"
            );
            assert!(
                used.cold_start.is_none_or(|cold| cold >= 0),
                "{worker} {used:?}"
            );
        }
    }
}

#[test]
fn tries_of_work_queue_run_when_its_log_says_so() {
    let run = Run::open(&data().join("workqueue.tar.gz"));
    let tries = run.instances("parsl.try");
    let standing = tries.list.iter().map(|t| tries.standing(&run.snapshot, t));
    let took: Vec<_> = standing.filter_map(|s| s.duration()).collect();
    assert_eq!((took.len(), tries.list.len()), (37, 37));
    // A task that is done without success has failed, and was not done before.
    let tasks = run.instances("work_queue.task");
    let (scope, go) = (AnalysisScope::default(), Cancel::default());
    let found = states(
        &run.snapshot,
        &tasks,
        &scope,
        &ReporterChoice::MostTrusted,
        &go,
    )
    .unwrap();
    assert_eq!(found.impossible, []);
    let named = found.names.iter().zip(&found.final_counts);
    let last: Vec<(&str, u64)> = named.map(|(s, n)| (s.as_str(), *n)).collect();
    assert!(last.contains(&("DONE", 33)) && last.contains(&("FAILED", 4)));
}

/// A late report of the submit process does not replace the state reported by workers: states have a precedence.
#[test]
fn a_state_that_overrides_another_is_not_taken_back_to_it() {
    let run = Run::open(&data().join("hung"));
    let tasks = run.instances("parsl.task");
    let (scope, go) = (AnalysisScope::default(), Cancel::default());
    let last = |recorder: &ReporterChoice| {
        let found = states(&run.snapshot, &tasks, &scope, recorder, &go).unwrap();
        let named = found.names.into_iter().zip(found.final_counts);
        let named: Vec<(String, u64)> = named.filter(|n| n.1 > 0).collect();
        named
    };
    let named = |all: &[(&str, u64)]| -> Vec<(String, u64)> {
        all.iter()
            .map(|(name, n)| ((*name).to_owned(), *n))
            .collect()
    };
    let first = |names: &[&str]| -> Vec<String> { names.iter().map(|n| (*n).to_owned()).collect() };
    assert_eq!(
        last(&ReporterChoice::MostTrusted),
        named(&[("pending", 12), ("launched", 1), ("exec_done", 36)])
    );
    let precedence = first(&["exec_done", "running", "launched"]);
    let ranked = ReporterChoice::MostTrusted
        .ranked(&tasks, &precedence)
        .unwrap();
    assert_eq!(
        last(&ranked),
        named(&[("pending", 12), ("running", 1), ("exec_done", 36)])
    );
    // In the other order the task never ran.
    let ranked = ReporterChoice::MostTrusted.ranked(&tasks, &first(&["launched", "running"]));
    let reported = last(&ranked.unwrap());
    assert!(
        reported.contains(&("launched".to_owned(), 1)),
        "{reported:?}"
    );
    let unknown = ReporterChoice::MostTrusted.ranked(&tasks, &first(&["launched", "runing"]));
    assert_eq!(unknown.unwrap_err(), "runing");
}

/// Only the monitoring database reports when tries on threads ran; it lies beside a log of Parsl.
#[test]
fn tries_without_logs_of_workers_run_when_the_monitoring_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = String::new();
    let mut rows = "task_id,task_status_name,timestamp,run_id,try_id\n".to_owned();
    let kernel = "7a4a43b8-3aeb-4a38-9e57-5007123ad98f";
    for (task, executor) in [
        (0, "threads"),
        (1, "threads"),
        (2, "htex with executor id 0"),
    ] {
        let head = "2026-11-21 02:08:41 MainProcess-11 MainThread-139 parsl.dataflow.dflow:733 launch_task INFO:";
        log += &format!(
            "1795226921.{task}00000 {head} Parsl task {task} try 0 launched on executor {executor}\n"
        );
        for (status, second) in [
            ("launched", 41),
            ("running", 43),
            ("running_ended", 45 + task),
        ] {
            rows += &format!("{task},{status},2026-11-21 02:08:{second}.500000,{kernel},0\n");
        }
    }
    fs::create_dir_all(dir.path().join("runinfo/000")).unwrap();
    let log = format!(
        "1795226920.000000 2026-11-21 02:08:40 MainProcess-11 MainThread-139 parsl.dataflow.dflow:100 __init__ INFO: Run id is: {kernel}\n{log}"
    );
    fs::write(dir.path().join("runinfo/000/parsl.log"), log).unwrap();
    fs::write(dir.path().join("runinfo/status.csv"), rows).unwrap();
    let run = Run::open(dir.path());
    let tries = run.instances("parsl.try");
    let by = EventProperty::parse(&run.snapshot, "parsl.executor").unwrap();
    let (scope, go) = (AnalysisScope::default(), Cancel::default());
    let found = throughput(&run.snapshot, &tries, &scope, Some(&by), &go).unwrap();
    let last = found.finished.iter().map(|f| f.points.last().unwrap().1);
    let last: Vec<(&str, i64)> = found.groups.iter().map(String::as_str).zip(last).collect();
    // Without logs of workers, which would be preferred.
    assert_eq!(last, [("threads", 2), ("htex", 1)]);
    let all = spans(&run.snapshot, &tries, &scope, None, &go).unwrap();
    let seconds = [2_000_000_000, 3_000_000_000, 4_000_000_000];
    assert_eq!(all.durations(), seconds);
    // With them: the monitoring database reports a different time, and the two are not mixed.
    let head =
        "2026-11-21 02:08:44 WorkerProcess-21 MainThread-139 process_worker_pool:500 worker INFO:";
    let folder = dir.path().join("runinfo/000/htex/block-0/0a1b2c3d4e5f");
    fs::create_dir_all(&folder).unwrap();
    let log = format!(
        "1795226924.000000 {head} Received executor task 0\n1795226925.000000 {head} Completed executor task 0\n"
    );
    fs::write(folder.join("worker_0.log"), log).unwrap();
    let run = Run::open(dir.path());
    let tries = run.instances("parsl.try");
    let all = spans(&run.snapshot, &tries, &scope, None, &go).unwrap();
    // On threads the monitoring database alone reports.
    assert_eq!(
        all.durations(),
        [2_000_000_000, 3_000_000_000, 1_000_000_000]
    );
}

#[test]
fn who_holds_what_does_not_end_is_there_to_the_end() {
    let run = Run::open(&data().join("hung"));
    let end = run.snapshot.range().unwrap().1;
    let (most, workers) = used(&run, "parsl.try");
    assert_eq!((most, workers.len()), (4, 4));
    let stays: Vec<&ResourceUse> = workers.values().filter(|u| u.end == end).collect();
    let [held] = stays[..] else {
        panic!("{workers:?}")
    };
    assert!(held.busy > 0.98, "{held:?}");
    // The lifetime of a task is longer than its run: it began before any worker did.
    let (_, workers) = used(&run, "parsl.task");
    assert!(
        workers
            .values()
            .all(|u| u.cold_start.is_none() && u.executions > 0)
    );
}

/// The launcher reports that a job failed, by its own clock; the server reports that it gave the job up earlier.
#[test]
fn balsam_jobs_run_until_they_leave_that_state() {
    let dir = tempfile::tempdir().unwrap();
    let reported = [
        (1, 10.0, "PREPROCESSED", "RUNNING"),
        (2, 11.0, "PREPROCESSED", "RUNNING"),
        (1, 12.0, "RUN_TIMEOUT", "RUN_ERROR"),
        (3, 13.0, "PREPROCESSED", "RUNNING"),
        (1, 14.0, "RUNNING", "RUN_TIMEOUT"),
        (1, 15.0, "RUN_ERROR", "RESTART_READY"),
        (2, 16.0, "RUNNING", "RUN_DONE"),
        (3, 17.0, "RUNNING", "RUN_DONE"),
    ];
    let lines = reported.iter().enumerate().map(|(id, (job, second, from, to))| {
        format!(
            r#"{{"id": {id}, "job_id": {job}, "timestamp": "2026-11-21T01:43:{second:.6}", "from_state": "{from}", "to_state": "{to}", "data": {{}}}}"#
        )
    });
    let lines: Vec<String> = lines.collect();
    fs::write(dir.path().join("eventlog.jsonl"), lines.join("\n") + "\n").unwrap();
    let run = Run::open(dir.path());
    let jobs = run.instances("balsam.job");
    let (scope, go) = (AnalysisScope::default(), Cancel::default());
    let found = utilisation(&run.snapshot, &jobs, None, &scope, &Weight::One, &go).unwrap();
    assert_eq!(found.running.max().unwrap().1, 3 * WEIGHT_UNIT);
    let changes = jobs.changes(&jobs.list[0]).iter();
    let names: Vec<&str> = changes
        .map(|c| jobs.states[usize::from(c.state)].as_str())
        .collect();
    assert_eq!(
        names,
        ["RUNNING", "RUN_TIMEOUT", "RUN_ERROR", "RESTART_READY"]
    );
}
