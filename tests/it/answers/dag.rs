//! Graph of dependencies and critical path against the lines of the log.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use regex::Regex;
use serde_json::Value as Json;
use widetui_testing::runs::data;

use crate::program::{PROGRAM, printed};

/// Level and app of a node.
type Place<'r> = (u64, &'r str);

fn rows<'r>(all: &'r [Json], kind: &str) -> Vec<&'r Json> {
    all.iter().filter(|row| row["kind"] == kind).collect()
}

/// Tasks of a log: app, and the tasks that each waits for.
fn logged(text: &str) -> BTreeMap<u64, (String, Vec<u64>)> {
    let submitted = Regex::new(r"Task (\d+) submitted for App (\w+), (.*)").unwrap();
    let task = Regex::new(r"task (\d+)").unwrap();
    let found = submitted.captures_iter(text).map(|line| {
        let before = task.captures_iter(&line[3]);
        let before = before.map(|t| t[1].parse().unwrap()).collect();
        (line[1].parse().unwrap(), (line[2].to_owned(), before))
    });
    found.collect()
}

#[test]
fn nodes_and_edges_of_a_graph_are_those_of_the_lines() {
    let text = fs::read_to_string(data().join("hung/000/parsl.log")).unwrap();
    let tasks = logged(&text);
    let found = printed("dag", &["--each"], &data().join("hung"));
    assert_eq!(rows(&found, "node").len(), tasks.len());
    let each = rows(&found, "node");
    let waiting: usize = each
        .iter()
        .map(|r| r["after"].as_array().unwrap().len())
        .sum();
    assert_eq!(waiting, tasks.values().map(|t| t.1.len()).sum::<usize>());

    let near = printed("dag", &["parsl.task=24"], &data().join("hung"));
    let mut around = vec![24];
    let mut added = true;
    while added {
        let next = tasks.iter().filter(|(task, (_, before))| {
            !around.contains(*task) && before.iter().any(|b| around.contains(b))
        });
        let next: Vec<u64> = next.map(|t| *t.0).collect();
        added = !next.is_empty();
        around.extend(next);
    }
    assert!(tasks[&24].1.is_empty());
    assert_eq!(rows(&near, "node").len(), around.len());
}

#[test]
fn large_graphs_are_folded_by_app_and_level() {
    // 40 loads; each fit waits for two of them, each stack for two fits or for a load.
    let submitted = |task: u64, app: &str, before: &[u64]| {
        let list: Vec<String> = before.iter().map(|b| format!("task {b}")).collect();
        let waits = match before {
            [] => "not waiting on any dependency".to_owned(),
            _ => format!("waiting on {}", list.join(", ")),
        };
        [
            format!("Task {task} submitted for App {app}, {waits}"),
            format!("Task {task} initializing state to pending"),
        ]
    };
    let mut lines = Vec::new();
    for task in 0..40 {
        lines.extend(submitted(task, "load", &[]));
    }
    for n in 0..30 {
        lines.extend(submitted(40 + n, "fit", &[n, n + 1]));
    }
    for n in 0..5 {
        lines.extend(submitted(70 + n, "stack", &[40 + n, 41 + n]));
        lines.extend(submitted(75 + n, "stack", &[n]));
    }
    let dir = tempfile::tempdir().unwrap();
    let run = written(dir.path(), lines.iter().map(|text| (1.0, text.as_str())));
    let found = printed("dag", &[], &run);
    let mut nodes: BTreeMap<Place<'_>, u64> = BTreeMap::new();
    let mut edges: BTreeMap<(Place<'_>, Place<'_>), u64> = BTreeMap::new();
    for row in rows(&found, "node") {
        let of = |row: &'_ Json| row["level"].as_u64().unwrap();
        let to = (of(row), row["group"].as_str().unwrap());
        nodes.insert(to, row["count"].as_u64().unwrap());
        for before in row["after"].as_array().unwrap() {
            let group = before["group"].as_str().unwrap();
            let from = (of(before), group);
            edges.insert((from, to), before["count"].as_u64().unwrap());
        }
    }
    let expected_nodes = [
        ((0, "load"), 40),
        ((1, "fit"), 30),
        ((1, "stack"), 5),
        ((2, "stack"), 5),
    ];
    assert_eq!(nodes, expected_nodes.into());
    let expected = [
        (((0, "load"), (1, "fit")), 60),
        (((0, "load"), (1, "stack")), 5),
        (((1, "fit"), (2, "stack")), 10),
    ];
    assert_eq!(edges, expected.into());
}

/// Writes the log of a kernel with messages at some seconds, and returns the folder of the run.
fn written<'t>(dir: &Path, lines: impl Iterator<Item = (f64, &'t str)>) -> PathBuf {
    let line = |(time, text): (f64, &str)| {
        let (seconds, epoch) = (time as u64, 1_795_225_200.0 + time);
        format!(
            "{epoch:.6} 2026-11-21 01:40:{seconds:02} MainProcess-7 MainThread-1 parsl.dataflow.dflow:1 submit INFO: {text}\n"
        )
    };
    let start = (0.0, "Parsl version: 2026.10.26");
    let log: String = std::iter::once(start).chain(lines).map(line).collect();
    let run = dir.join("runinfo/000");
    fs::create_dir_all(&run).unwrap();
    fs::write(run.join("parsl.log"), log).unwrap();
    run
}

/// Log of a kernel whose tasks took known times: 1 and 2 wait for 0, 3 for both, and 2 took longer.
const DIAMOND: [(f64, &str); 14] = [
    (
        1.0,
        "Task 0 submitted for App load, not waiting on any dependency",
    ),
    (1.0, "Task 0 initializing state to pending"),
    (1.0, "Task 1 submitted for App fit, waiting on task 0"),
    (1.0, "Task 1 initializing state to pending"),
    (1.0, "Task 2 submitted for App fit, waiting on task 0"),
    (1.0, "Task 2 initializing state to pending"),
    (
        1.0,
        "Task 3 submitted for App stack, waiting on task 1, task 2",
    ),
    (1.0, "Task 3 initializing state to pending"),
    (2.0, "Task 0 changing state from pending to launched"),
    (11.0, "Task 0 changing state from launched to exec_done"),
    (12.0, "Task 2 changing state from pending to launched"),
    (20.0, "Task 1 changing state from pending to exec_done"),
    (41.0, "Task 2 changing state from launched to exec_done"),
    (46.0, "Task 3 changing state from pending to exec_done"),
];

#[test]
fn the_critical_path_ends_with_what_ended_last() {
    // A longer chain ended before; a result that was kept is no work.
    let alone = [
        (
            42.0,
            "Task 4 submitted for App report, not waiting on any dependency",
        ),
        (42.0, "Task 4 initializing state to pending"),
        (43.0, "Task 4 changing state from pending to launched"),
        (50.0, "Task 4 changing state from launched to exec_done"),
        (
            51.0,
            "Task 5 submitted for App load, not waiting on any dependency",
        ),
        (51.0, "Task 5 initializing state to pending"),
        (52.0, "Task 5 changing state from pending to memo_done"),
    ];
    let dir = tempfile::tempdir().unwrap();
    written(dir.path(), DIAMOND.into_iter().chain(alone));
    let found = printed("dag", &[], dir.path());
    let steps = rows(&found, "step");
    let ids: Vec<u64> = { steps.iter() }
        .map(|row| row["id"]["parsl.task"].as_u64().unwrap())
        .collect();
    assert_eq!(ids, [4]);
}

#[test]
fn the_critical_path_goes_through_what_ended_last() {
    let dir = tempfile::tempdir().unwrap();
    let run = written(dir.path(), DIAMOND.into_iter());
    let found = printed("dag", &[], dir.path());
    let steps: Vec<(u64, f64)> = rows(&found, "step")
        .iter()
        .map(|row| {
            let id = row["id"]["parsl.task"].as_u64().unwrap();
            (id, row["duration_s"].as_f64().unwrap())
        })
        .collect();
    assert_eq!(steps, [(0, 10.0), (2, 30.0), (3, 5.0)]);
    let phases = |kind: &str, time: &str| -> f64 {
        let rows = rows(&found, kind);
        rows.iter().map(|r| r[time].as_f64().unwrap()).sum()
    };
    assert_eq!(phases("step", "duration_s"), 45.0);
    assert_eq!(phases("total", "total_s"), 45.0);
    let launched = rows(&found, "total");
    let launched = launched.iter().find(|r| r["phase"] == "launched").unwrap();
    assert_eq!(launched["total_s"], 9.0 + 29.0);

    // As a picture.
    let export = |name: &str| {
        let out = Command::new(PROGRAM)
            .args(["export", "--plot", "dag:parsl.task", "-o"])
            .arg(dir.path().join(name))
            .arg(&run)
            .output()
            .unwrap();
        assert!(out.status.success(), "{out:?}");
        fs::read_to_string(dir.path().join(name)).unwrap()
    };
    let dot = export("graph.dot");
    assert_eq!(dot.matches(" -> ").count(), 4, "{dot}");
    assert_eq!(dot.matches("penwidth=3").count(), 3 + 2, "{dot}");
    let svg = export("graph.svg");
    assert_eq!(svg.matches("stroke-width=\"3\"").count(), 2, "{svg}");
    assert!(svg.contains("load 0") && svg.contains("stack 3"), "{svg}");
}
