//! Answers about states, waits and runs as commands print them.

use crate::program::{printed, printed_of};

/// Parsl's monitoring.db without any log: its table of workflows says from when to when each ran, on the clock of the others.
#[test]
fn a_run_lasts_as_long_as_its_database_says() {
    let dir = tempfile::tempdir().unwrap();
    let id = "8aa0f858-4f6d-4cac-b59c-d03a3db0a311";
    let workflow = format!(
        "run_id,workflow_name,workflow_version,time_began,time_completed,host,user,rundir,tasks_failed_count,tasks_completed_count\n\
         {id},audit,1,2026-11-23 05:31:18.405124,2026-11-23 05:35:27.525277,vm,hpcuser,/home/hpcuser/runinfo/000,0,1\n"
    );
    let status = format!(
        "task_id,task_status_name,timestamp,run_id,try_id\n\
         0,pending,2026-11-23 05:32:06.000000,{id},0\n0,launched,2026-11-23 05:32:07.000000,{id},0\n\
         0,exec_done,2026-11-23 05:35:24.000000,{id},0\n"
    );
    std::fs::write(dir.path().join("workflow.csv"), workflow).unwrap();
    std::fs::write(dir.path().join("status.csv"), status).unwrap();
    let times = |zone: &str| {
        let out = std::process::Command::new(env!("CARGO_BIN_EXE_widetui"))
            .args(["runs", "--format", "jsonl", "--tz", zone])
            .arg(dir.path())
            .output()
            .unwrap();
        let rows: Vec<serde_json::Value> = String::from_utf8_lossy(&out.stdout)
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(rows.len(), 1, "{rows:#?}");
        [rows[0]["start"].clone(), rows[0]["end"].clone()]
    };
    let expected = ["05:31:18.405124", "05:35:27.525277"];
    assert_eq!(
        times("UTC"),
        expected.map(|t| format!("2026-11-23T{t}000Z"))
    );
    let expected = ["03:31:18.405124", "03:35:27.525277"];
    assert_eq!(
        times("+02:00"),
        expected.map(|t| format!("2026-11-23T{t}000Z"))
    );
}

#[test]
fn sources_and_joins_of_some_events() {
    let runinfo = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/hung");
    let some = printed("sources", &["--where", "parsl.task = 24"], &runinfo);
    let all = printed("sources", &[], &runinfo);
    assert!(!some.is_empty() && some.len() < all.len(), "{some:?}");
    let events = printed("events", &["--where", "parsl.task = 24"], &runinfo);
    let counted: u64 = some.iter().filter_map(|s| s["records"].as_u64()).sum();
    assert_eq!(counted as usize, events.len());
    // The same numbers for all as without a filter, and those that can be counted by hand for one.
    let joins = |options: &[&str]| printed("joins", options, &runinfo);
    let of = |rows: &[serde_json::Value], name: &str| {
        let row = rows.iter().find(|r| r["join"] == name).cloned();
        row.unwrap_or_default()
    };
    let (every, one) = (joins(&[]), joins(&["--where", "parsl.executor_task = 25"]));
    let name = every
        .iter()
        .find(|r| r["gives"].to_string().contains("parsl.task\""));
    let name = name.unwrap()["join"].as_str().unwrap().to_owned();
    let whole = joins(&["--since", "2000-01-01"]);
    assert_eq!(of(&every, &name)["widened"], of(&whole, &name)["widened"]);
    assert!(of(&one, &name)["widened"].as_u64() < of(&every, &name)["widened"].as_u64());
}

/// The logs of its engine, which Parsl writes, are no run of their own.
#[test]
fn an_endpoint_is_one_run() {
    for (name, runs) in [("compute-ok", 2), ("compute-refused", 1)] {
        let rows = printed_of("endpoints.tar.gz", name, "runs", &[]);
        let names: Vec<&str> = rows.iter().filter_map(|r| r["run"].as_str()).collect();
        assert_eq!(names.len(), runs, "{names:?}");
        assert!(names.iter().all(|n| !n.starts_with("uep.")), "{names:?}");
    }
    let rows = printed_of("endpoints.tar.gz", "compute-ok", "runs", &[]);
    let calls = rows
        .iter()
        .find_map(|r| r["entities"]["globus_compute.call"].as_u64());
    assert_eq!(calls, Some(7), "{rows:?}");
}

/// Titles of the findings about one log.
fn findings(log: &str) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.log"), log).unwrap();
    let rows = printed("diagnose", &[], dir.path());
    let titles = rows.iter().filter_map(|row| row["title"].as_str());
    titles.map(str::to_owned).collect()
}

#[test]
fn a_traceback_with_a_record_per_line_is_one_exception() {
    let traceback = [
        "Traceback (most recent call last):",
        "  File \"/opt/env/engine/core.py\", line 193, in wrapper",
        "    assert item.state in (\"running\", \"paused\"), item",
        "AssertionError: item 12 is in state flight",
    ];
    for prefix in [
        "Mar  4 10:00:05 node7 cloud-init[1264]: ",
        "2026-03-04 10:00:05,120 - stderr - ERROR - ",
        "[2026-03-04T10:00:05.120] [worker-3] ",
    ] {
        let mut lines = vec!["started", "item 12 taken"];
        lines.extend(traceback);
        let log: String = lines
            .iter()
            .map(|line| format!("{prefix}{line}\n"))
            .collect();
        let found = findings(&log);
        assert!(!found.is_empty(), "{prefix}");
        assert_eq!(
            found[0], "AssertionError: item 12 is in state flight",
            "{prefix}"
        );
        let named = found.iter().filter(|f| f.contains("AssertionError"));
        assert_eq!(named.count(), 1, "{prefix}: {found:?}");
    }
}

#[test]
fn a_record_that_came_before_is_no_farewell() {
    let dir = tempfile::tempdir().unwrap();
    let stamp = |second: u32| format!("2026-04-12 10:{:02}:{:02},000", second / 60, second % 60);
    let alpha: String = (0..60)
        .map(|n| format!("{} INFO pool item {n} done\n", stamp(n)))
        .collect();
    let beta: String = (0..600)
        .map(|n| format!("{} INFO pool poll round {n}\n", stamp(n)))
        .collect();
    for (last, silent) in [("", 1), ("shutdown complete", 0)] {
        let last = match last {
            "" => String::new(),
            last => format!("{} INFO pool {last}\n", stamp(60)),
        };
        std::fs::write(dir.path().join("alpha.log"), alpha.clone() + &last).unwrap();
        std::fs::write(dir.path().join("beta.log"), &beta).unwrap();
        let rows = printed("hung", &[], dir.path());
        let rows = rows.iter().filter(|row| row["kind"] == "silent");
        assert_eq!(rows.count(), silent, "{last:?}");
    }
}
