//! States and levels in logs with words of their own.

use std::fs;

use crate::program::printed;

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
