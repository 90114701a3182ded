//! Real runs of batch systems, stores and a host with failures of many kinds, recorded when they were provoked.

use std::collections::BTreeMap;

use crate::program::printed_of;
use serde_json::Value as Json;

/// Rows that a command prints about a part of the archive.
fn of(part: &str, command: &str, options: &[&str]) -> Vec<Json> {
    printed_of("batch_and_stores.tar.gz", part, command, options)
}

/// Jobs with their states.
fn jobs(part: &str) -> BTreeMap<u64, String> {
    let rows = of(part, "entities", &["--of", "slurm.job"]);
    let job = |row: &Json| {
        let id = row["id"]["slurm.job"].as_u64()?;
        Some((id, row["state"].as_str().unwrap_or_default().to_owned()))
    };
    rows.iter().filter_map(job).collect()
}

fn findings(part: &str) -> Vec<(String, String)> {
    let found = of(part, "diagnose", &[]);
    let text = |f: &Json, name: &str| f[name].as_str().unwrap().to_owned();
    found
        .iter()
        .map(|f| (text(f, "severity"), text(f, "title")))
        .collect()
}

/// Titles that are reported, with their severities.
fn assert_findings(part: &str, wanted: &[(&str, &str)]) {
    let found = findings(part);
    for (severity, title) in wanted {
        assert!(
            found
                .iter()
                .any(|f| f.0 == *severity && f.1.contains(title)),
            "{part}: no {severity} '{title}' in {found:#?}"
        );
    }
}

// ---- Slurm --------------------------------------------------------------------------------------------------------------

/// Outcomes of the jobs of the run, by number.
const JOBS: [(u64, &str); 22] = [
    (1, "FAILED"),
    (2, "FAILED"),
    (3, "FAILED"),
    (4, "TIMEOUT"),
    (5, "FAILED"),
    (6, "OUT_OF_MEMORY"),
    (7, "FAILED"),
    (8, "COMPLETED"),
    (9, "COMPLETED"),
    (10, "COMPLETED"),
    (11, "COMPLETED"),
    (12, "PENDING"),
    (13, "CANCELLED"),
    (14, "CANCELLED"),
    (15, "TIMEOUT"),
    (16, "COMPLETED"),
    (17, "COMPLETED"),
    (18, "FAILED"),
    (19, "FAILED"),
    (20, "REQUEUED"),
    (22, "REQUEUED"),
    (23, "COMPLETED"),
];

#[test]
fn jobs_are_in_the_states_that_they_came_to() {
    let found = jobs("slurm2411");
    for (job, state) in JOBS {
        assert_eq!(found.get(&job).map(String::as_str), Some(state), "{job}");
    }
}

#[test]
fn what_never_ended_hangs_and_nothing_else() {
    let hung = of("slurm2411", "hung", &[]);
    let mut stuck: Vec<u64> = hung
        .iter()
        .filter(|r| r["kind"] == "entity")
        .filter_map(|r| r["id"]["slurm.job"].as_u64())
        .collect();
    stuck.sort_unstable();
    assert_eq!(stuck, [12, 20, 22]);
    let well = of("slurm2205-well", "hung", &[]);
    assert!(well.iter().all(|r| r["kind"] == "summary"), "{well:?}");
}

#[test]
fn troubles_of_slurm_are_reported() {
    assert_findings(
        "slurm2411",
        &[
            ("error", "A step of a job could not be started"),
            ("error", "A job used more memory than it may"),
            ("error", "A job reached its time limit"),
            ("warning", "can never satisfy it"),
        ],
    );
}

#[test]
fn a_run_of_slurm_in_which_all_is_well_has_no_error() {
    assert!(jobs("slurm2205-well").values().all(|s| s == "COMPLETED"));
    let severe = findings("slurm2205-well");
    assert!(severe.iter().all(|f| f.0 != "error"), "{severe:?}");
}

#[test]
fn what_commands_print_in_columns_are_tables() {
    let layouts: BTreeMap<String, String> = of("slurm2411/work", "sources", &[])
        .iter()
        .map(|s| {
            let name = |key: &str| s[key].as_str().unwrap().to_owned();
            (name("source"), name("layout"))
        })
        .collect();
    let wanted = [
        ("sacct", "slurm.sacct"),
        ("sacct_long", "slurm.sacct"),
        ("sacct_P", "slurm.sacct"),
        ("sacct_pl", "slurm.sacct"),
        ("squeue", "slurm.squeue"),
        ("squeue_start", "slurm.squeue"),
        ("squeue_named", "slurm.squeue_long"),
        ("sinfo_R", "slurm.sinfo_reasons"),
        ("sinfo_N", "slurm.sinfo_nodes"),
        ("sinfo", "columns"),
    ];
    for (source, layout) in wanted {
        assert_eq!(
            layouts.get(source).map(String::as_str),
            Some(layout),
            "{source}"
        );
    }
}

#[test]
fn every_format_of_accounting_has_the_same_jobs() {
    // The columns hold no more than ten letters of a state, and no numbers of the tasks of arrays.
    let full = jobs("slurm2411/work/sacct_pl.txt");
    assert_eq!(full.len(), 21);
    let reported: Vec<&str> = [4, 6, 14, 18, 22]
        .iter()
        .map(|job| full[job].as_str())
        .collect();
    assert_eq!(
        reported,
        [
            "TIMEOUT",
            "OUT_OF_MEMORY",
            "CANCELLED",
            "FAILED",
            "NODE_FAIL"
        ]
    );
    for file in ["sacct.txt", "sacct_P.txt", "sacct_long.txt"] {
        for (job, state) in jobs(&format!("slurm2411/work/{file}")) {
            assert_eq!(full.get(&job), Some(&state), "{file}: {job}");
        }
        let all = of(
            &format!("slurm2411/work/{file}"),
            "entities",
            &["--of", "slurm.job"],
        );
        let failed = |r: &&Json| r["id"]["slurm.array_task"] == 3 && r["state"] == "FAILED";
        assert_eq!(all.iter().filter(failed).count(), 1, "{file}");
    }
    let queued = jobs("slurm2411/work/squeue.txt");
    let want = [
        (4, "RUNNING"),
        (12, "PENDING"),
        (15, "RUNNING"),
        (20, "PENDING"),
    ];
    assert_eq!(queued, want.map(|(job, s)| (job, s.to_owned())).into());
}

#[test]
fn steps_are_distinguished_in_every_layout_of_times() {
    let events = of("thread_id", "events", &["--where", "slurm.step = batch"]);
    assert!(events.len() > 20, "{}", events.len());
    assert!(events.iter().all(|e| e["time"].is_string()));
}

// ---- Redis and Valkey ---------------------------------------------------------------------------------------------------

#[test]
fn servers_of_both_names_report_what_happened_to_them() {
    for part in ["redis7", "valkey8"] {
        let found = findings(part);
        assert_findings(
            part,
            &[
                ("error", "The Redis server did not start"),
                ("warning", "A replica lost its primary"),
                ("warning", "Redis lost the last commands"),
            ],
        );
        let sounds = found.iter().any(|f| f.1.contains("rrorstat"));
        assert!(!sounds, "what INFO prints is no trouble: {found:?}");
    }
    assert_findings(
        "valkey8",
        &[("error", "Redis is full: it refuses to write")],
    );
    for (part, cause) in [
        ("valkey8-cluster", "does not serve its keys"),
        ("redis7-sentinel", "The sentinels lost the primary"),
    ] {
        let first = &findings(part)[0];
        assert!(first.1.contains(cause), "{part}: {first:?}");
    }
}

#[test]
fn commands_that_redis_keeps_and_lists_of_numbers_are_no_log() {
    let sources = of("valkey8", "sources", &[]);
    let is_read = |s: &Json| s["path"].as_str().unwrap().ends_with(".aof") && s["records"] != 0;
    assert!(!sources.iter().any(is_read), "{sources:?}");
    let slow = of("redis7/slowlog.txt", "events", &[]);
    assert!(slow.iter().all(|e| e["time"].is_null()), "{slow:?}");
}

// ---- a host -------------------------------------------------------------------------------------------------------------

#[test]
fn what_the_kernel_says_through_syslog_keeps_its_meaning() {
    let events = of("host/syslog", "events", &["--where", "has kernel.uptime"]);
    assert_eq!(events.len(), 8);
    assert_findings("host", &[("error", "A GPU failed")]);
    let killed = of("host/dmesg_T.txt", "events", &["--where", "slurm.job = 8"]);
    assert!(!killed.is_empty());
}

#[test]
fn journals_are_read_as_they_are_exported() {
    let events = of("host/node.export", "events", &[]);
    assert_eq!(events.len(), 5);
    assert!(
        events
            .iter()
            .all(|e| e["time"].is_string() && e["host"] == "node1")
    );
    let last = events.last().unwrap();
    assert_eq!(last["message"], "two\nlines of one record");
    assert_eq!(
        (&last["level"], &last["program"]),
        (&Json::from("warning"), &Json::from("mysim"))
    );
}
