//! Tests: lines without a time keep their place in the file when two writers step back by microseconds.

use std::fs;

use super::{Live, check_end};

/// Messages of a log in time order, read at once, and line by line.
fn messages(name: &str, text: &str) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join(name), text).unwrap();
    let whole = Live::open(dir).messages();
    let dir = tempfile::tempdir().unwrap();
    fs::write(
        dir.path().join("other.log"),
        "2026-11-20 19:00:00 INFO begins\n",
    )
    .unwrap();
    let mut live = Live::open(dir);
    for line in text.split_inclusive('\n') {
        live.append(name, line.as_bytes());
        live.poll(super::SOON);
    }
    live.settle();
    check_end(&live);
    whole
}

fn starts(messages: &[String]) -> Vec<&str> {
    let first = |m: &String| m.split(' ').next().unwrap_or_default().len();
    messages.iter().map(|m| &m[..first(m)]).collect()
}

#[test]
fn text_before_the_first_record_stays_first() {
    let text = "zero is printed\n\
        2026-11-19 13:21:12.512786 INFO one of rank 1\n\
        2026-11-19 13:21:12.512781 INFO two of rank 3\n\
        2026-11-19 13:21:12.512783 INFO three of rank 1\n\
        2026-11-19 13:21:13.512781 INFO four\n";
    let found = messages("run.log", text);
    assert_eq!(starts(&found), ["zero", "one", "two", "three", "four"]);
}

#[test]
fn lines_of_a_launcher_stay_between_the_records_of_its_processes() {
    let text = "srun: job 1 started\n\
        I1119 13:21:12.512786 305 a.cpp:61] one\n\
        srun: error: n1: task 1: Exited with exit code 1\n\
        I1119 13:21:12.512781 305 a.cpp:61] two\n\
        srun: error: n2: task 2: Exited with exit code 1\n";
    let found = messages("slurm-1.out", text);
    assert_eq!(starts(&found), ["job", "one", "n1:", "two", "n2:"]);
}

#[test]
fn json_records_without_a_time_stay_with_their_neighbours() {
    let record = |micros: u32, msg: &str| {
        format!(
            "{{\"time\":\"2026-11-19T13:21:12.{micros:06}Z\",\"level\":\"info\",\"msg\":\"{msg}\"}}\n"
        )
    };
    let plain = |msg: &str| format!("{{\"level\":\"info\",\"msg\":\"{msg}\"}}\n");
    let text = [
        record(512_786, "one"),
        plain("two"),
        record(512_781, "three"),
        plain("four"),
    ];
    assert_eq!(
        messages("out.jsonl", &text.concat()),
        ["one", "two", "three", "four"]
    );
}

#[test]
fn a_step_back_of_seconds_is_a_time_of_its_own() {
    let text = "zero is printed\n\
        2026-11-19 13:21:12.512786 INFO one\n\
        2026-11-19 13:21:02.512781 INFO two\n";
    let found = messages("run.log", text);
    assert_eq!(starts(&found), ["two", "zero", "one"]);
}
