//! Sites of Balsam in both modes, with and without the event log of the server; spans of services that call each other;
//! join apps of Parsl whose bodies end before their launch. Each run has the observations of its program.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use widetui_diagnosis::unfinished::UnfinishedWork;
use widetui_diagnosis::{Diagnosis, Severity};

use widetui_testing::diagnosed::{Run, diagnosed};
use widetui_testing::runs::unpacked;

const ARCHIVE: &str = "sites.tar.gz";

fn open(name: &str) -> Run {
    Run::of_archive(ARCHIVE, name)
}

/// The same site without the event log of the server.
fn logs_alone(name: &str) -> (UnfinishedWork, Diagnosis) {
    let dir = unpacked(ARCHIVE);
    let (_, _, hung, diagnosis) = diagnosed(&dir.path().join(name).join("home/site"));
    (hung, diagnosis)
}

fn counted<'t>(all: impl Iterator<Item = &'t str>) -> BTreeMap<String, usize> {
    let mut out = BTreeMap::new();
    for one in all {
        *out.entry(one.to_owned()).or_default() += 1;
    }
    out
}

fn stuck(hung: &UnfinishedWork) -> Vec<&str> {
    let mut out: Vec<&str> = hung.stuck.iter().map(|s| s.number.as_str()).collect();
    out.sort_unstable();
    out
}

fn of<'t>(job: &'t Json, key: &str) -> &'t str {
    job[key].as_str().unwrap()
}

#[test]
fn jobs_are_in_the_states_that_the_server_has() {
    for name in [
        "balsam-ok_serial",
        "balsam-fail_mpi",
        "balsam-fail_serial",
        "balsam-hang_serial",
        "balsam-killed_mpi",
        "balsam-server_away_mpi",
    ] {
        let run = open(name);
        let jobs = run.truth.as_array().unwrap();
        let expected = counted(jobs.iter().map(|job| of(job, "state")));
        assert_eq!(run.states("balsam.job"), expected, "{name}");
        let ended = |job: &&Json| ["JOB_FINISHED", "FAILED"].contains(&of(job, "state"));
        let open = jobs.iter().filter(|job| !ended(job));
        let mut open: Vec<String> = open.map(|job| job["id"].to_string()).collect();
        open.sort_unstable();
        assert_eq!(stuck(&run.hung), open, "{name}");
    }
}

/// The end of the output of a program, with or without a traceback.
#[test]
fn why_jobs_failed_is_reported() {
    let run = open("balsam-fail_mpi");
    let reports = run.top(7);
    for why in [
        "input deck missing",
        "step exit3",
        "RuntimeError: empty vector",
        "/opt/solver/bin/solve: No such file or directory",
    ] {
        assert!(reports.contains(why), "{why} in {reports}");
    }
}

/// A launcher looks for the process it runs in, which is not the submitted one.
#[test]
fn a_launcher_belongs_to_its_batch_job() {
    let run = open("balsam-ok_serial");
    assert_eq!(run.states("balsam.batch_job").values().sum::<usize>(), 1);
}
#[test]
fn a_job_that_ran_and_did_not_end_is_not_called_unbegun() {
    let run = open("balsam-hang_serial");
    assert!(!run.words().contains("No record states that work"));
    let hangs = run.hung.stuck.iter().find(|s| s.begun_there.is_some());
    let why = |job: &&Json| job["why"] == "sleeps for ever";
    let expected = run.truth.as_array().unwrap().iter().find(why).unwrap();
    assert_eq!(hangs.unwrap().number, expected["id"].to_string());
    // The site received an invalid answer, and did not complete jobs whose programs had ended.
    let reports = open("balsam-fail_serial").reported();
    let server = "error: The Balsam server answers with errors";
    assert!(reports.iter().any(|r| r == server), "{reports:#?}");
}

/// The server reports finished jobs: with its event log only the running job is unfinished.
#[test]
fn logs_of_a_site_alone_accuse_nobody() {
    let run = open("balsam-hang_serial");
    let hangs = run.truth.as_array().unwrap().iter();
    let hangs = hangs.filter(|job| job["why"] == "sleeps for ever");
    let hangs: Vec<String> = hangs.map(|job| job["id"].to_string()).collect();
    let (hung, _) = logs_alone("balsam-hang_serial");
    assert_eq!(stuck(&hung), hangs);
    let (hung, diagnosis) = logs_alone("balsam-fail_serial");
    assert!(hung.stuck.is_empty());
    let unknown = "4 more Balsam jobs are named, but no record says what became of them.";
    assert!(diagnosis.unknown.iter().any(|u| u == unknown));
}

#[test]
fn a_server_that_was_away_is_noted() {
    let run = open("balsam-server_away_mpi");
    let noted = run.titles(Severity::Info);
    assert!(
        noted.contains(&"The Balsam server could not be reached"),
        "{noted:#?}"
    );
    assert_eq!(run.reported(), Vec::<String>::new());
}

/// The name of a span, even of several words, is its template: each has its own row of latencies.
#[test]
fn spans_of_different_names_are_distinguished() {
    let run = open("spans-otlp_ok");
    let templates = run.snapshot.catalog.templates.iter();
    let templates: Vec<&str> = templates.map(|t| &*t.text).collect();
    for name in ["submit ok", "submit raise", "store call", "store.handle"] {
        assert!(templates.contains(&name), "{name}: {templates:?}");
    }
    assert!(!templates.contains(&"{}"));
}

/// A span is written when it ends; all spans of a hanging call are missing, but log records name them as sampled.
#[test]
fn spans_of_traces_that_never_ended_are_open() {
    for (name, services) in [
        ("spans-otlp_hang", 3),
        ("spans-con_hang", 3),
        ("spans-otlp_ok", 3),
    ] {
        let run = open(name);
        let calls = run.truth.as_array().unwrap();
        let hangs: Vec<&str> = calls
            .iter()
            .filter(|c| c["result"] == "hung")
            .map(|c| of(c, "trace"))
            .collect();
        assert_eq!(run.hung.stuck.len(), services * hangs.len(), "{name}");
        for one in &run.hung.stuck {
            let trace = one.id.iter().find(|(key, _)| key == "trace_id").unwrap();
            assert!(hangs.contains(&trace.1.as_str()), "{name}: {one:?}");
        }
        let failed = calls.iter().filter(|c| of(c, "result").contains("no grid"));
        let states = run.states("otel.span");
        // The call itself, both handlers, and the call between them.
        assert_eq!(states["error"], 4 * failed.count(), "{name}");
        // Errors that the callers logged are reported with it.
        let first = run.top(1);
        assert!(first.contains("store.handle failed"), "{name}: {first}");
        assert!(first.contains("no grid"), "{name}: {first}");
    }
}

#[test]
fn whom_a_join_app_waits_for_is_known_when_its_body_was_quick() {
    let run = open("parsl-joins");
    let roots: Vec<_> = run
        .hung
        .heads()
        .iter()
        .map(|h| &run.hung.stuck[*h])
        .collect();
    assert_eq!(roots.len(), 1);
    assert_eq!(roots[0].label.as_deref(), Some("hang"));
    assert_eq!(roots[0].all_waiters, Some(3));
}

#[test]
fn a_block_that_was_never_submitted_did_not_end() {
    let reports = open("parsl-no_block").top(2);
    assert!(
        reports.contains("A block could not be started"),
        "{reports}"
    );
}

#[test]
fn the_worker_that_died_is_reported_before_the_tasks_that_it_took_along() {
    let first = open("parsl-crash").top(1);
    assert!(first.contains("Worker 0 was lost"), "{first}");
}

/// `initialize_logging=False`: only interchange, managers and workers write, and none of them knows tasks of Parsl.
#[test]
fn tasks_of_workers_stand_in_where_their_owner_does_not_write() {
    let run = open("parsl-no_logging");
    let hangs = run.truth.as_array().unwrap().iter();
    let hangs = hangs.filter(|task| of(task, "end") == "open").count();
    let titles = run.hung.stuck.iter().map(|s| (&*s.title, s.was_executing));
    assert_eq!(
        titles.collect::<Vec<_>>(),
        vec![("executor task", true); hangs]
    );
    assert!(!run.words().contains("No record states"));
    // If the program wrote a log, they are no work items.
    let run = open("parsl-joins");
    assert!(run.hung.goals.iter().all(|g| g.title == "task"));
}
