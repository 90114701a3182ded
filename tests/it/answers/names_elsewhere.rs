//! Names of instances in the logs of other programs.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use regex::Regex;
use serde_json::Value as Json;
use widetui_testing::runs::data;

use crate::program::printed;

/// Copies a folder with its files and folders.
fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy_folder(&path, &to),
            false => drop(fs::copy(&path, &to).unwrap()),
        }
    }
}

/// Tasks that ended, with the time of the end (s since the epoch), as the log of the run states them.
fn ended() -> Vec<(u64, f64)> {
    let text = fs::read_to_string(data().join("hung/000/parsl.log")).unwrap();
    let line =
        Regex::new(r"^(\d+\.\d+) .*Task (\d+) changing state from \w+ to exec_done").unwrap();
    let found = text.lines().filter_map(|text| line.captures(text));
    found
        .map(|c| (c[2].parse().unwrap(), c[1].parse().unwrap()))
        .collect()
}

/// Log of a program that writes a message for each task, some time (s) after its end.
fn log(tasks: &[(u64, f64)], later: f64, message: impl Fn(u64) -> String) -> String {
    let mut out = String::new();
    for (task, end) in tasks {
        let time = end + later;
        writeln!(out, "{time:.6} INFO post: {}", message(*task)).unwrap();
    }
    out
}

/// Values of `parsl.task` of the records of a source, in the order of its lines.
fn tasks_of(run: &Path, source: &str) -> Vec<Option<u64>> {
    let found = printed("events", &["--where", &format!("source = {source}")], run);
    found.iter().map(|row| row["parsl.task"].as_u64()).collect()
}

#[test]
fn numbers_that_fit_the_lives_of_tasks_are_tasks() {
    let dir = tempfile::tempdir().unwrap();
    copy_folder(&data().join("hung"), &dir.path().join("run"));
    let tasks = ended();
    let numbers: Vec<Option<u64>> = tasks.iter().map(|task| Some(task.0)).collect();
    let write = |name: &str, text: String| fs::write(dir.path().join(name), text).unwrap();
    write(
        "stage.log",
        log(&tasks, 0.02, |task| format!("staged task={task} out")),
    );
    // As many numbers, each at the end of another task.
    let turned: Vec<(u64, f64)> = { tasks.iter().zip(tasks.iter().rev()) }
        .map(|(one, other)| (other.0, one.1))
        .collect();
    write(
        "mix.log",
        log(&turned, 0.02, |task| format!("solved task={task} well")),
    );
    // The same numbers under another name, and days before.
    write(
        "tries.log",
        log(&tasks, 0.02, |task| format!("attempt={task} of many")),
    );
    let days: Vec<(u64, f64)> = tasks.iter().map(|t| (t.0, t.1 - 3.0 * 86_400.0)).collect();
    write(
        "old.log",
        log(&days, 0.0, |task| format!("sent task_id={task} away")),
    );
    assert_eq!(tasks_of(dir.path(), "stage"), numbers);
    for source in ["mix", "tries", "old"] {
        let found = tasks_of(dir.path(), source);
        assert_eq!(found, vec![None; numbers.len()], "{source}");
    }
}

#[test]
fn a_value_that_only_one_instance_has_names_it() {
    let dir = tempfile::tempdir().unwrap();
    copy_folder(&data().join("hung"), &dir.path().join("run"));
    let run = dir.path().join("run");
    let managers = printed("entities", &["--of", "parsl.manager"], &run);
    let managers: Vec<&str> = { managers.iter() }
        .map(|row| row["id"]["parsl.manager"].as_str().unwrap())
        .collect();
    let line = |manager: &str| {
        format!("2026-11-21T01:44:00.000000Z INFO zmq: peer <{manager}> sent 3 frames\n")
    };
    let known: String = managers.iter().map(|manager| line(manager)).collect();
    let both = "2026-11-21T01:44:01.000000Z INFO zmq: routes 0123456789ab and ba9876543210\n";
    fs::write(
        dir.path().join("net.log"),
        known + &line("0123456789ab") + both,
    )
    .unwrap();
    let found = printed("events", &["--where", "source = net"], dir.path());
    let read: Vec<&Json> = found.iter().map(|row| &row["parsl.manager"]).collect();
    let mut expected: Vec<Json> = managers.iter().map(|name| Json::from(*name)).collect();
    expected.extend([Json::Null, Json::Null]);
    assert_eq!(read, expected.iter().collect::<Vec<_>>());
}
