//! States and levels in logs with words of their own.

use std::fs;

use serde_json::Value as Json;

use crate::program::{printed, printed_of};

#[test]
fn a_library_that_exits_is_no_failed_task() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("vine-run-info/2024-07-18T132835/vine-logs");
    fs::create_dir_all(&folder).unwrap();
    let lines = [
        "1721323715447417 4098947 MANAGER 4098947 START",
        r#"1721323715447417 4098947 TASK 1 READY fit FIRST_RESOURCES 1 {"cores":[1,"cores"]}"#,
        r#"1721323715447418 4098947 TASK 2 READY lib FIRST_RESOURCES 1 {"cores":[1,"cores"]}"#,
        r#"1721323715447419 4098947 TASK 3 READY fit FIRST_RESOURCES 1 {"cores":[1,"cores"]}"#,
        "1721323717839523 4098947 TASK 1 DONE SUCCESS  0 ",
        "1721323717839524 4098947 TASK 2 DONE LIBRARY_EXIT  0 ",
        "1721323717839525 4098947 TASK 3 DONE RESOURCE_EXHAUSTION  1 ",
    ];
    fs::write(folder.join("transactions"), lines.join("\n") + "\n").unwrap();
    let found = printed("states", &["taskvine.task", "--final"], dir.path());
    let count = |state: &str| {
        let row = found.iter().find(|row| row["state"] == state);
        row.map_or(0, |row| row["count"].as_u64().unwrap())
    };
    assert_eq!((count("DONE"), count("FAILED")), (2, 1), "{found:?}");
}

#[test]
fn levels_beside_words_of_the_program_are_levels() {
    let dir = tempfile::tempdir().unwrap();
    let line = |second: u32, level: &str| {
        format!(
            "DATE=202611210204{second:02}.123456 HOST=dtn07.example.org PROG=gridftp LVL={level} NL.EVNT=xfer.end SIZE=20\n"
        )
    };
    let levels = ["Usage", "Error", "Usage", "Warning", "System"];
    let lines = levels.iter().enumerate();
    let log: String = lines.map(|(n, level)| line(n as u32, level)).collect();
    let path = dir.path().join("transfers.log");
    fs::write(&path, log).unwrap();
    let found = printed("events", &[], &path);
    let read: Vec<&str> = found.iter().map(|r| r["level"].as_str().unwrap()).collect();
    assert_eq!(read, ["", "error", "", "warning", ""], "{found:?}");
}

#[test]
fn tasks_of_airflow_are_known_by_their_folders_and_by_the_scheduler() {
    let of = |command, options: &[&str]| printed_of("airflow.tar.gz", "logs", command, options);
    let tasks = of("entities", &["--of", "airflow.task"]);
    let found: Vec<_> = { tasks.iter() }
        .map(|task| {
            let text = |of: &Json| of.as_str().unwrap().to_owned();
            let seconds = (task["duration_s"].as_f64().unwrap() * 1e3).round();
            (
                text(&task["id"]["airflow.instance"]),
                text(&task["state"]),
                seconds,
            )
        })
        .collect();
    let expected = [
        ("fetch", "success", 3642.0),
        ("fit[0]", "success", 7400.0),
        ("fit[1]", "failed", 19919.0),
    ];
    assert_eq!(
        found,
        expected.map(|(id, state, ms)| (id.to_owned(), state.to_owned(), ms))
    );
    assert_eq!(
        of("hung", &[])
            .iter()
            .filter(|row| row["kind"] == "entity")
            .count(),
        0
    );
    let first = &of("diagnose", &[])[0];
    let title = first["title"].as_str().unwrap();
    assert!(
        title.contains("fit[1]") && title.contains("no rows in part 7"),
        "{title}"
    );
}
