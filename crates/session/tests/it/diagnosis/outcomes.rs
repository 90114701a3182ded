//! Outcomes of tasks, spans and functions, as observed by the programs that started them: Globus Compute (2.34, 3.16
//! and 4.19, several engines), OpenTelemetry, Work Queue below Makeflow, and a block that Slurm refused.

use std::collections::BTreeMap;
use std::ops::Deref;

use serde_json::Value as Json;

use widetui_diagnosis::Severity;

use widetui_testing::diagnosed::Run;

/// A run and the outcomes of its instances.
struct Ended {
    run: Run,
    /// By the last part of the id, in canonical form: state, if any, and duration in seconds.
    ends: BTreeMap<String, (Option<String>, Option<f64>)>,
}

impl Deref for Ended {
    type Target = Run;

    fn deref(&self) -> &Run {
        &self.run
    }
}

impl Ended {
    fn open(name: &str, entity: &str) -> Ended {
        let run = Run::of_archive("outcomes.tar.gz", name);
        let mut ends = BTreeMap::new();
        for all in run
            .found
            .occurring
            .iter()
            .filter(|i| i.entity.name == entity)
        {
            for one in &all.list {
                let standing = all.standing(&run.snapshot, one);
                let state = standing.state.map(|s| all.states[usize::from(s)].clone());
                let id = all.id(&run.snapshot, one);
                let id = id.last().unwrap().1.replace('-', "");
                let took = standing.duration().map(|ns| ns as f64 / 1e9);
                ends.insert(id, (state, took));
            }
        }
        Ended { run, ends }
    }

    fn compute(name: &str) -> Ended {
        Ended::open(&format!("compute/{name}"), "globus_compute.task")
    }

    fn state(&self, id: &str) -> Option<&str> {
        self.ends[&id.replace('-', "")].0.as_deref()
    }

    /// Reported outcomes of tasks, by function.
    fn by_function(&self) -> BTreeMap<&str, Vec<Option<&str>>> {
        let mut out: BTreeMap<&str, Vec<Option<&str>>> = BTreeMap::new();
        for task in self.truth.as_array().unwrap() {
            let state = self.state(task["id"].as_str().unwrap());
            out.entry(task["function"].as_str().unwrap())
                .or_default()
                .push(state);
        }
        out
    }

    fn stuck(&self) -> usize {
        self.hung.stuck.len()
    }

    fn says(&self, text: &str) -> bool {
        let first = self.diagnosis.findings.iter().take(3);
        first.into_iter().any(|f| f.title.contains(text))
    }
}

/// The workers' standard error has the exception of a function; the death of a worker is reported elsewhere, without
/// the task.
#[test]
fn functions_that_raised_did_not_end_well() {
    let run = Ended::compute("assured");
    let failed = Some("FAILED");
    let ended = Some("EXEC_END");
    for (function, states) in run.by_function() {
        let expected = match function {
            "raises" | "chained" | "toobig" | "missing_mod" | "sysexit" => failed,
            _ => ended,
        };
        assert!(states.iter().all(|s| *s == expected), "{function}");
    }
    assert_eq!(run.stuck(), 0);
}

/// The endpoint itself reports on functions in its own threads.
#[test]
fn functions_in_threads_succeed_or_fail() {
    for run in ["threads", "threads2"] {
        let run = Ended::compute(run);
        for task in run.truth.as_array().unwrap() {
            let state = run.state(task["id"].as_str().unwrap());
            let expected = match task["result"].as_str() {
                Some("ok") => Some("SUCCESS"),
                _ => Some("FAILED"),
            };
            assert_eq!(state, expected, "{task}");
        }
        assert_eq!(run.stuck(), 0);
    }
}

/// A refused task ends at once and was never passed to the executor.
#[test]
fn refused_tasks_failed() {
    let run = Ended::compute("refused");
    assert_eq!(run.by_function()["raises"], [Some("FAILED")]);
    assert_eq!(run.by_function()["ok"], [Some("EXEC_END"); 2]);
    assert!(run.says("A function was refused"));
    let run = Ended::compute("resources");
    assert_eq!(run.by_function()["ok"], [Some("FAILED"); 2]);
    assert!(run.says("because of the resources"));
}

#[test]
fn tasks_that_never_ended_are_reported_where_ends_are_recorded() {
    let run = Ended::compute("hung");
    let ended = |t: &&Json| t["result"].is_string();
    let all = run.truth.as_array().unwrap();
    let open = all.len() - all.iter().filter(ended).count();
    assert_eq!(run.stuck(), open);
    for task in all.iter().filter(ended) {
        assert_eq!(run.state(task["id"].as_str().unwrap()), Some("EXEC_END"));
    }
    // The engine of 2.x: its workers report the functions that they begin.
    let run = Ended::compute("engine2");
    let open = [Some("RUNNING")];
    let by = run.by_function();
    assert_eq!(by["suicide"], open);
    assert_eq!(by["hang"], open);
    assert_eq!(by["raises"], [Some("FAILED")]);
    assert_eq!(by["slow:2"], [Some("SUCCESS")]);
    assert_eq!(run.stuck(), 3);
}

/// This log has the arrivals of tasks only. Three of four ended, without a record.
#[test]
fn nothing_hangs_where_no_end_is_recorded() {
    let run = Ended::compute("plain");
    assert_eq!(run.ends.len(), 4);
    assert_eq!(run.stuck(), 0);
    assert!(run.titles(Severity::Error).is_empty());
    let noted = run.titles(Severity::Info);
    assert!(
        noted
            .iter()
            .any(|title| title.contains("does not record how"))
    );
}

#[test]
fn refused_credentials_come_first() {
    let run = Ended::compute("no_queue");
    let first = &run.diagnosis.findings[0];
    assert!(
        first.title.contains("credentials"),
        "{}",
        run.diagnosis.findings[0].title
    );
}

#[test]
fn spans_end_after_their_duration() {
    let run = Ended::open("spans/fail", "otel.span");
    let list = |key: &str| -> Vec<String> {
        let list = run.truth[key].as_array().unwrap().iter();
        list.map(|s| s.as_str().unwrap().to_owned()).collect()
    };
    let (failed, unended) = (list("error_spans"), list("unended"));
    let mut written = 0;
    for (id, (state, took)) in &run.ends {
        let expected = match () {
            () if failed.contains(id) => "error",
            () if unended.contains(id) => "open",
            () => "ended",
        };
        assert_eq!(state.as_deref(), Some(expected), "{id}");
        assert_eq!(took.is_some(), expected != "open", "{id}");
        written += u64::from(took.is_some());
    }
    assert_eq!(Some(written), run.truth["spans"].as_u64());
    // The root span never ended and wrote no record: only spans inside it name it.
    assert_eq!(run.stuck(), unended.len() - 1);
    assert!(run.says("of compute failed"));
}

#[test]
fn spans_of_a_run_that_went_well() {
    let run = Ended::open("spans/ok", "otel.span");
    assert_eq!(run.ends.len(), 33);
    assert!(run.ends.values().all(|e| e.0.as_deref() == Some("ended")));
    assert_eq!(run.stuck(), 0);
    assert!(run.titles(Severity::Error).is_empty());
    assert!(run.titles(Severity::Warning).is_empty());
}

/// An export with one object over several lines, as written by JSON pretty-printers.
#[test]
fn an_export_over_many_lines_is_read() {
    let run = Ended::open("spans/pretty", "otel.span");
    assert_eq!(run.ends.len(), 8);
    assert!(run.ends.values().all(|e| e.0.is_some()));
}

#[test]
fn tasks_below_makeflow() {
    let run = Ended::open("makeflow", "work_queue.task");
    let failed = ["3", "5", "6", "8", "9", "10"];
    assert_eq!(run.ends.len(), 10);
    for (id, (state, _)) in &run.ends {
        let expected = match failed.contains(&id.as_str()) {
            true => "FAILED",
            false => "DONE",
        };
        assert_eq!(state.as_deref(), Some(expected), "{id}");
    }
    assert_eq!(run.stuck(), 0);
    let workers = run.found.occurring.iter();
    let workers = workers.filter(|i| i.entity.name == "work_queue.worker");
    assert_eq!(workers.map(|w| w.list.len()).sum::<usize>(), 2);
}

/// Parsl 2025: the second DFK of a process also writes into the log of the first one, which has ended.
#[test]
fn runs_one_after_the_other_keep_their_tasks() {
    let run = Ended::open("kernels", "parsl.task");
    let (snapshot, tasks) = (&*run.snapshot, run.all("parsl.task"));
    assert_eq!(tasks.list.len(), 8);
    assert_eq!(run.stuck(), 0);
    for task in &tasks.list {
        let id = tasks.short_name(snapshot, task);
        let standing = tasks.standing(snapshot, task);
        let state = standing
            .state
            .map(|s| tasks.states[usize::from(s)].as_str());
        let truth = run.truth.as_object().unwrap().values();
        let truth = truth.flat_map(|t| t.as_array().unwrap());
        // Both DFKs ran the same tasks.
        let mut truth = truth.filter(|t| t[0].as_u64().unwrap().to_string() == id);
        assert_eq!(state, truth.next().unwrap()[2].as_str(), "{id}");
        assert!(tasks.label(snapshot, task).is_some(), "{id}");
    }
}

#[test]
fn a_block_that_the_batch_system_refused_is_the_cause() {
    let run = Ended::open("refused_block", "parsl.task");
    assert!(run.says("A block could not be started"));
    assert_eq!(run.ends["1"].0.as_deref(), Some("failed"));
    assert_eq!(run.ends["2"].0.as_deref(), Some("failed"));
    assert_eq!(run.stuck(), 0);
}
