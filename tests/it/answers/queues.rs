//! Waiting jobs in the queues of batch systems and their reasons, on real runs with a record of the treatment of each job: held,
//! limited, depending on a failing job, requeued after its node died, never matched.

use std::collections::BTreeMap;

use crate::program::printed_of;
use serde_json::Value as Json;

/// Rows that a command prints about a part of the archive.
fn of(part: &str, command: &str, options: &[&str]) -> Vec<Json> {
    printed_of("queues.tar.gz", part, command, options)
}

fn text(row: &Json, name: &str) -> String {
    row[name].as_str().unwrap_or_default().to_owned()
}

/// Unfinished jobs: number, state and reason.
fn reasons(part: &str, key: &str) -> BTreeMap<u64, (String, String)> {
    let rows = of(part, "hung", &[]);
    let stuck = rows.iter().filter_map(|row| {
        let id = row["id"][key].as_u64()?;
        Some((id, (text(row, "state"), text(row, "because"))))
    });
    stuck.collect()
}

/// Things of a kind: by number, state and seconds from start to end.
fn instances(part: &str, entity: &str, key: &str) -> BTreeMap<u64, (String, Option<f64>)> {
    let rows = of(part, "entities", &["--of", entity]);
    let one = |row: &Json| {
        let id = row["id"][key].as_u64()?;
        Some((id, (text(row, "state"), row["duration_s"].as_f64())))
    };
    rows.iter().filter_map(one).collect()
}

/// Jobs of the script that wait when `squeue` was asked.
const WAITING: [(u64, &str); 10] = [
    (5, "DependencyNeverSatisfied"),
    (6, "Dependency"),
    (8, "QOSMaxJobsPerUserLimit"),
    (11, "BeginTime"),
    (14, "BeginTime"),
    (15, "JobHeldUser"),
    (17, "BeginTime"),
    (24, "ReqNodeNotAvail, May be reserved for other job"),
    (25, "Resources"),
    (28, "PartitionTimeLimit"),
];

#[test]
fn a_job_that_waits_is_reported_with_the_reason() {
    for part in ["squeue", "slurm"] {
        let found = reasons(part, "slurm.job");
        for (job, reason) in WAITING {
            assert_eq!(found[&job].1, reason, "{part}: {job} of {found:?}");
        }
        for running in [3, 7] {
            assert_eq!(
                found[&running],
                ("RUNNING".into(), String::new()),
                "{part}: {running}"
            );
        }
    }
    let said = of("squeue", "hung", &[]);
    let summary = text(said.last().unwrap(), "text");
    assert!(summary.contains("(reason: DependencyNeverSatisfied)"));
    assert!(!summary.contains("No record states"), "{summary}");
}

#[test]
fn jobs_as_scontrol_shows_them_are_reported_from_lines_below() {
    let found = reasons("show_job", "slurm.job");
    assert_eq!(found[&8].1, "QOSMaxJobsPerUserLimit");
    assert_eq!(found[&25].1, "Resources");
    assert_eq!(found[&3].0, "RUNNING");
    assert!(!found.contains_key(&1) && !found.contains_key(&2));
    let rows = of("show_job", "hung", &[]);
    let waits = rows.iter().find(|r| r["id"]["slurm.job"] == 5).unwrap();
    assert!(text(waits, "text").contains("waits for Slurm job 2, which failed"));
    let begins = rows.iter().find(|r| r["id"]["slurm.job"] == 6).unwrap();
    assert_eq!(begins["root"]["slurm.job"], 3);
}

#[test]
fn jobs_of_accounting_alone_have_a_start() {
    let found = instances("sacct", "slurm.job", "slurm.job");
    for (job, state, seconds) in [
        (1, "COMPLETED", Some(3.0)),
        (2, "FAILED", Some(1.0)),
        (3, "RUNNING", None),
        (8, "PENDING", None),
        (9, "CANCELLED", Some(13.0)),
        (12, "TIMEOUT", Some(82.0)),
        (16, "NODE_FAIL", Some(43.0)),
        (20, "FAILED", Some(2.0)),
    ] {
        assert_eq!(found[&job], (state.to_owned(), seconds), "{job}");
    }
    let ran = of("sacct", "states", &["slurm.job"]);
    assert!(ran.iter().any(|row| row["state"] == "RUNNING"), "{ran:?}");
}

#[test]
fn a_node_of_a_list_is_a_node() {
    let on = |node: &str| {
        let only = format!("slurm.node = {node} and template ~ Allocate");
        let rows = of("slurm", "events", &["--where", &only]);
        let jobs = rows.iter().filter_map(|r| r["slurm.job"].as_u64());
        jobs.collect::<Vec<u64>>()
    };
    assert_eq!(on("c2"), [1, 3, 20, 21]);
    assert_eq!(on("c4"), [12, 13]);
    let kept = of(
        "slurm",
        "events",
        &["--where", "slurm.job = 1 and template ~ Allocate"],
    );
    assert_eq!(kept[0]["slurm.nodes"], "c[1-3]");
}

#[test]
fn settings_are_no_log_and_lost_nodes_are_reported_once() {
    let found = of("slurm", "diagnose", &[]);
    let titles: Vec<String> = found.iter().map(|f| text(f, "title")).collect();
    let count = |part: &str| titles.iter().filter(|t| t.contains(part)).count();
    assert_eq!(count("slurm.conf"), 0, "{titles:#?}");
    assert_eq!(count("A node failed"), 1, "{titles:#?}");
    assert_eq!(count("ended as DOWN"), 0, "{titles:#?}");
}

#[test]
fn submissions_of_newer_versions_are_taken() {
    let found = instances("slurm2605", "slurm.job", "slurm.job");
    assert_eq!(found[&1].0, "COMPLETED");
    assert_eq!(found[&2].0, "FAILED");
    assert_eq!(found[&5].0, "PENDING");
    let titles = of("slurm2605", "diagnose", &[]);
    assert!(
        titles
            .iter()
            .all(|f| !text(f, "title").contains("did not take"))
    );
}

#[test]
fn jobs_of_htcondor_are_called_by_cluster_and_process() {
    let found = reasons("htcondor", "htcondor.cluster");
    assert_eq!(found[&10], ("idle".into(), String::new()));
    assert_eq!(
        found[&14],
        (
            "held".into(),
            "The job exceeded allowed job duration of 00:12".into()
        )
    );
    // A long reason is only in the text.
    assert!(found[&4].1.ends_with("(errno 2) No such file or directory"));
    let rows = of("htcondor", "hung", &[]);
    let held = rows.iter().find(|r| r["id"]["htcondor.cluster"] == 4);
    assert!(text(held.unwrap(), "text").starts_with("HTCondor job 4.0 held"));
}

#[test]
fn what_became_of_jobs_of_htcondor_is_the_same_in_all_its_logs() {
    let text = instances("htcondor", "htcondor.job", "htcondor.cluster");
    let json = instances("events_json", "htcondor.job", "htcondor.cluster");
    let queue = instances("condor_q", "htcondor.job", "htcondor.cluster");
    for (job, state) in [(1, "completed"), (3, "failed"), (4, "held")] {
        for found in [&text, &json, &queue] {
            assert_eq!(found[&job].0, state, "{job} of {found:?}");
        }
    }
    assert_eq!(json[&9].0, "removed");
    assert_eq!(queue[&18].0, "removed");
    assert_eq!(text[&15].0, "failed");
    assert_eq!(text[&12].0, "completed");
    assert_eq!(text[&102].0, "failed");
    assert_eq!(queue[&11].0, "running");
    let idle = reasons("condor_q", "htcondor.cluster");
    assert_eq!(idle[&10].1, "no match found");
}

#[test]
fn nodes_of_a_dag_come_to_an_end() {
    let rows = of("htcondor", "entities", &["--of", "htcondor.dag_node"]);
    let state = |row: &Json| {
        let node = text(&row["id"], "htcondor.node");
        (node, text(row, "state"))
    };
    let found: BTreeMap<String, String> = rows.iter().map(state).collect();
    for (node, state) in [("A", "done"), ("B", "failed"), ("D", "done"), ("E", "done")] {
        assert_eq!(found[node], state, "{found:?}");
    }
    assert!(!found.contains_key("C"));
}
