//! Logs of programs without a built-in definition: results without any definition, and with one of a few lines. The runs are
//! small and real: some tasks fail, one hangs, a process is killed.

mod layouts;
mod lookalikes;
mod nextflow;
mod variants;

use std::collections::BTreeMap;

use crate::program::printed;
use crate::program::printed_of;
use serde_json::Value as Json;

/// Rows that a command prints about one of the runs in the archive.
fn of(run: &str, command: &str, options: &[&str]) -> Vec<Json> {
    printed_of("strangers.tar.gz", run, command, options)
}

/// Keys with how many different values they have.
fn keys(run: &str) -> BTreeMap<String, u64> {
    let all = of(run, "keys", &[]);
    let distinct = |k: &Json| k["distinct"].as_u64().unwrap_or(0);
    all.iter()
        .map(|k| (k["key"].as_str().unwrap().to_owned(), distinct(k)))
        .collect()
}

/// Number of instances in each state.
fn states(rows: &[Json]) -> BTreeMap<&str, usize> {
    let mut out = BTreeMap::new();
    for row in rows {
        *out.entry(row["state"].as_str().unwrap()).or_default() += 1;
    }
    out
}

/// Unfinished instances: label and state.
fn stuck(rows: &[Json]) -> Vec<(&str, &str)> {
    rows.iter()
        .filter(|r| r["kind"] == "entity")
        .map(|r| {
            (
                r["label"].as_str().unwrap_or(""),
                r["state"].as_str().unwrap(),
            )
        })
        .collect()
}

fn titles(run: &str) -> Vec<String> {
    let found = of(run, "diagnose", &[]);
    found
        .iter()
        .map(|f| f["title"].as_str().unwrap().to_owned())
        .collect()
}

// ---- without a definition -----------------------------------------------------------------------------------------------

#[test]
fn header_parts_of_an_unknown_layout_are_keys() {
    let events = of("dramatiq", "events", &[]);
    assert_eq!(events.len(), 31);
    for event in &events {
        for part in ["time", "level", "pid", "thread", "logger"] {
            assert!(!event[part].is_null(), "{part}: {event}");
        }
    }
    let first = &events[1];
    assert_eq!(first["time"], "2026-11-21T21:27:21.893000000Z");
    assert_eq!(first["message"], "Dramatiq '2.2.1' is booting up.");
    let failed = events.iter().find(|e| e["level"] == "error").unwrap();
    let message = failed["message"].as_str().unwrap();
    assert!(
        message.ends_with("ValueError: no rows in part 3"),
        "{message}"
    );
}

#[test]
fn ids_in_sentences_are_keys_and_places_and_verbs_are_none() {
    let rq = keys("rq");
    assert_eq!(rq.get("job"), Some(&10));
    assert_eq!(rq.get("job_id"), Some(&10));
    assert_eq!(rq.get("worker"), Some(&1));
    for nonsense in ["ok", "returned", "rq", "for"] {
        assert!(!rq.contains_key(nonsense), "{nonsense}: {rq:?}");
    }
    // Words are values where a sign or a state says so.
    let luigi = of("luigi", "keys", &["--key", "status"]);
    let values: Vec<&str> = luigi.iter().map(|v| v["value"].as_str().unwrap()).collect();
    for state in ["PENDING", "DONE", "FAILED"] {
        assert!(values.contains(&state), "{values:?}");
    }
    assert!(!keys("luigi").contains_key("debug"));
}

#[test]
fn a_time_alone_in_its_line_heads_the_lines_below() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("any.txt");
    std::fs::write(
        &log,
        "2026-11-21 21:22:40\nstarted job 5\n  on node7\n2026-11-21 21:22:41\n\n2026-11-21 21:22:42\nended job 5\n",
    )
    .unwrap();
    let events = printed("events", &[], &log);
    let said: Vec<(&str, &Json)> = events
        .iter()
        .map(|e| (e["message"].as_str().unwrap(), &e["job"]))
        .collect();
    assert_eq!(said.len(), 3, "{said:?}");
    assert_eq!(said[0], ("started job 5\n  on node7", &Json::from(5)));
    assert_eq!(said[1].0.trim(), "");
    assert_eq!(said[2], ("ended job 5", &Json::from(5)));
}

#[test]
fn colours_hide_neither_time_nor_level() {
    let events = of("cwltool", "events", &[]);
    assert_eq!(events.len(), 16);
    assert!(events.iter().all(|e| !e["time"].is_null()), "{events:#?}");
    let of_level = |level| events.iter().filter(|e| e["level"] == level).count();
    assert_eq!(
        (of_level("info"), of_level("warning"), of_level("error")),
        (12, 3, 1)
    );
    assert_eq!(events[0]["time"], "2026-11-21T22:09:35.000000000Z");
    assert_eq!(events[2]["message"], "[workflow ] start");
}

#[test]
fn levels_without_times_are_levels() {
    let events = of("luigi", "events", &["--where", "level >= error"]);
    let message = events[0]["message"].as_str().unwrap();
    assert!(message.contains("failed    Prep(n=3)"), "{message}");
    assert!(
        message.contains("ValueError: no rows in part 3"),
        "{message}"
    );
}

#[test]
fn what_counts_nothing_is_no_trouble() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("stats.txt");
    std::fs::write(&log, "chunks received: 17\nchunks failed: 0\n").unwrap();
    assert_eq!(printed("diagnose", &[], &log).len(), 0);
    std::fs::write(&log, "chunks received: 17\nchunks failed: 3\n").unwrap();
    assert_eq!(printed("diagnose", &[], &log).len(), 1);
}

// ---- with a definition --------------------------------------------------------------------------------------------------

#[test]
fn celery_tasks_have_their_states_and_places() {
    let tasks = of("celery", "entities", &["--of", "celery.task"]);
    let expected = [
        ("failed", 3),
        ("received", 1),
        ("started", 1),
        ("succeeded", 14),
    ];
    assert_eq!(states(&tasks), BTreeMap::from(expected));
    // The one that was tried on two workers is one task.
    let retried = tasks.iter().find(|t| t["events"] == 9).unwrap();
    assert_eq!(retried["state"], "failed");
    let hung = of("celery", "hung", &[]);
    assert_eq!(
        stuck(&hung),
        [("tasks.die", "received"), ("tasks.hang", "started")]
    );
    let hang = hung.iter().find(|h| h["label"] == "tasks.hang").unwrap();
    assert_eq!(hang["where"]["celery.node"], "beta@vm");
    let titles = titles("celery");
    for title in [
        "A process of a worker died: exitcode 9",
        "Worker beta@vm was lost",
        "of tasks.bad failed: ValueError: no rows in part 7",
    ] {
        assert!(
            titles.iter().any(|t| t.contains(title)),
            "{title}: {titles:#?}"
        );
    }
}

#[test]
fn snakemake_jobs_are_distinguished_by_run() {
    let jobs = of(
        "snakemake/.snakemake",
        "entities",
        &["--of", "snakemake.job"],
    );
    assert_eq!(
        states(&jobs),
        BTreeMap::from([("done", 12), ("failed", 2), ("running", 1)])
    );
    let hung = of("snakemake/.snakemake", "hung", &[]);
    assert_eq!(stuck(&hung), [("report", "running")]);
    let failed = of(
        "snakemake/.snakemake",
        "events",
        &["--where", "level = error"],
    );
    assert_eq!(failed.len(), 2);
    assert_eq!(failed[0]["snakemake.log"], "logs/sum_3.log");
    assert_eq!(failed[0]["snakemake.job"], 7);
}

#[test]
fn ray_names_what_died_and_what_ran_on_it() {
    let workers = of("ray", "entities", &["--of", "ray.worker"]);
    // Six of them ran; the driver is a worker as well.
    assert_eq!(workers.len(), 7);
    let titles = titles("ray");
    for title in [
        "Actor is failed on worker f85a47ee",
        "A task failed for good: dies",
    ] {
        assert!(
            titles.iter().any(|t| t.contains(title)),
            "{title}: {titles:#?}"
        );
    }
    let findings = serde_json::Value::from(of("ray", "diagnose", &[])).to_string();
    let lost = "A task failed for good: Counter.crash";
    assert!(findings.contains(lost), "{findings}");
    // What a worker printed, the raylet's and the controller's records are about the same worker.
    let same = of(
        "ray",
        "events",
        &[
            "--where",
            "ray.worker = f85a47ee1362683a3245c49d762c36a78397e5a72ceefc49fe78a5f4",
        ],
    );
    let mut sources: Vec<&str> = same.iter().map(|e| e["source"].as_str().unwrap()).collect();
    sources.sort_unstable();
    sources.dedup();
    for source in [
        "event_RAYLET",
        "gcs_server.out",
        "raylet.out",
        "w/23784",
        "w/23784.out",
    ] {
        assert!(sources.contains(&source), "{source}: {sources:?}");
    }
}

#[test]
fn htcondor_jobs_that_are_held_killed_or_still_run() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("job.log");
    let job = |event: &str, proc: usize, time: &str, text: &str| {
        format!("{event} (172.{proc:03}.000) 09/22 16:{time} {text}\n...\n")
    };
    let mut text = String::new();
    for proc in 0..4 {
        text += &job(
            "000",
            proc,
            "41:08",
            "Job submitted from host: <192.0.2.1:32795>",
        );
    }
    for proc in [0, 1, 3] {
        text += &job(
            "001",
            proc,
            "41:14",
            "Job executing on host: <192.0.2.8:56778>",
        );
    }
    text += &job(
        "012",
        2,
        "41:16",
        "Job was held.\n\tNo such file: input.dat\n\tCode 13",
    );
    text += &job(
        "005",
        0,
        "51:14",
        "Job terminated.\n\t(1) Normal termination (return value 0)",
    );
    text += &job(
        "005",
        1,
        "52:14",
        "Job terminated.\n\t(0) Abnormal termination (signal 9)",
    );
    std::fs::write(&log, text).unwrap();
    let jobs = printed("entities", &["--of", "htcondor.job"], &log);
    let expected = [("completed", 1), ("failed", 1), ("held", 1), ("running", 1)];
    assert_eq!(states(&jobs), BTreeMap::from(expected));
    let found = printed("diagnose", &[], &log);
    let held = "Jobs were held: No such file: input.dat";
    assert!(
        found
            .iter()
            .any(|f| f["title"].as_str().unwrap().starts_with(held)),
        "{found:#?}"
    );
}
