//! Sites of Balsam in both modes, with and without the event log of the server; spans of services that call each other;
//! join apps of Parsl whose bodies end before their launch. Each run has the observations of its program.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use widetui_diagnosis::findings::{Diagnosis, Severity};
use widetui_diagnosis::unfinished::UnfinishedWork;

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

/// Exit status of a program and the end of its output, with or without a traceback.
#[test]
fn why_jobs_failed_is_reported() {
    let run = open("balsam-fail_mpi");
    let reports = run.reported();
    for why in [
        "input deck missing",
        "return code 3: step exit3",
        "return code 7: step retried",
        "return code 1: RuntimeError: empty vector",
    ] {
        let title = format!("error: 1 Balsam job failed: {why}");
        assert!(reports.contains(&title), "{title} in {reports:#?}");
    }
    // The shell reported the reason itself.
    let missing = "/opt/solver/bin/solve: No such file or directory";
    let missing = run.findings(|f| f.title.ends_with(missing));
    assert_eq!(missing.len(), 1, "{reports:#?}");
    let effect = "caused 1 Balsam job to fail: Balsam job 59";
    assert!(missing[0].text.contains(effect), "{}", missing[0].text);
    // The jobs ran: none was given up because of another.
    let all = run.diagnosis.findings.iter();
    let mut texts = all.map(|f| f.text.as_str());
    assert!(!texts.any(|t| t.contains("what it depended on")));
}

/// A launcher looks for the process it runs in, which is not the submitted one.
#[test]
fn a_launcher_belongs_to_its_batch_job() {
    let run = open("balsam-ok_serial");
    assert_eq!(run.states("balsam.batch_job").values().sum::<usize>(), 1);
    assert!(run.reported().is_empty(), "{:#?}", run.diagnosis);
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
    let run = open("balsam-fail_serial");
    let all = run.diagnosis.findings.iter();
    let left = all.filter(|f| f.title.contains("did not end: RUN_"));
    for finding in left {
        assert!(!finding.text.contains("no record says"), "{}", finding.text);
    }
    let first = &run.reported()[0];
    assert_eq!(first, "error: The Balsam server answers with errors");
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
    let titles: Vec<&str> = diagnosis.findings.iter().map(|f| &*f.title).collect();
    for code in [1, 3, 7, 127] {
        let title = format!("1 Balsam job raised an exception: return code {code}");
        assert!(titles.contains(&&*title), "{titles:#?}");
    }
    let unknown = "4 more Balsam jobs are named, but no record says what became of them.";
    assert!(diagnosis.unknown.iter().any(|u| u == unknown));
}

#[test]
fn a_server_that_was_away_is_reported() {
    let reports = open("balsam-server_away_mpi").reported();
    let away = "warning: The Balsam server could not be reached";
    assert!(reports.iter().any(|t| t == away), "{reports:#?}");
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
        let reports = run.reported();
        let reports: Vec<&String> = reports.iter().filter(|t| t.contains("no grid")).collect();
        assert_eq!(reports.len(), 1, "{name}: {reports:?}");
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
    // A task that failed because of an inner one is not reported separately.
    let run = open("parsl-two_kernels");
    let reports = run.reported();
    assert_eq!(reports.len(), 2, "{reports:#?}");
    assert!(reports.iter().any(|t| t.contains("4 tasks of bad failed")));
}

#[test]
fn a_block_that_was_never_submitted_did_not_end() {
    let reports = open("parsl-no_block").reported();
    assert_eq!(reports[0], "error: A block could not be started");
    assert!(!reports.iter().any(|t| t.contains("before any of their")));
}

/// One cause is one finding, which names the function that was running when the worker died.
#[test]
fn a_task_that_failed_with_its_worker_is_reported_with_it() {
    let run = open("parsl-crash");
    let lost = run.truth.as_array().unwrap().iter();
    let lost: Vec<(&str, u64)> = lost
        .filter(|task| of(task, "end") == "WorkerLost")
        .map(|task| (of(task, "app"), task["task"].as_u64().unwrap()))
        .collect();
    let findings = &run.diagnosis.findings;
    let errors: Vec<_> = findings
        .iter()
        .filter(|f| f.severity == Severity::Error)
        .collect();
    assert_eq!(errors.len(), lost.len());
    for (app, task) in lost {
        let reports = errors
            .iter()
            .find(|f| f.title.ends_with(&format!("was lost with task {task}")));
        let reports = reports.unwrap_or_else(|| panic!("{errors:?}"));
        let along = format!("It took along task {task} ({app}), which failed.");
        assert!(reports.text.contains(&along), "{}", reports.text);
    }
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
