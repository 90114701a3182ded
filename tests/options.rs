//! What commands do with what is typed: files are written where they may be, and no option is accepted and then ignored.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const LOG: &str = "2026-11-21 10:00:00.000 INFO job 1 started\n\
    2026-11-21 10:00:01.000 WARNING job 1 is slow\n\
    2026-11-21 10:00:02.000 INFO job 2 started\n";

fn program(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_widetui"));
    command
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .env("XDG_CONFIG_HOME", folder.join("config"))
        .env("HOME", "/nonexistent")
        .env("TZ", "UTC");
    command
}

fn run(folder: &Path, args: &[&str]) -> Output {
    program(folder, args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Runs a command that must go well.
fn ok(folder: &Path, args: &[&str]) -> String {
    let out = run(folder, args);
    assert_eq!(
        (out.status.code(), text(&out.stderr)),
        (Some(0), String::new()),
        "{args:?}"
    );
    text(&out.stdout)
}

/// Runs a command that must be refused; gives what it says.
fn refused(folder: &Path, args: &[&str]) -> String {
    let out = run(folder, args);
    let said = text(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{args:?}: {said}");
    assert_eq!(text(&out.stdout), "", "{args:?}");
    said
}

/// A folder with a run in `run/`, and room beside it.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("run")).unwrap();
    fs::write(folder.path().join("run/app.csv"), LOG).unwrap();
    folder
}

#[test]
fn nothing_of_a_run_is_overwritten_by_an_export() {
    let dir = folder();
    let dir = dir.path();
    let log = || fs::read_to_string(dir.join("run/app.csv")).unwrap();
    fs::hard_link(dir.join("run/app.csv"), dir.join("hard.csv")).unwrap();
    std::os::unix::fs::symlink("run/app.csv", dir.join("soft.csv")).unwrap();
    std::os::unix::fs::symlink("run/new.csv", dir.join("dangling.csv")).unwrap();
    std::os::unix::fs::symlink("run", dir.join("way")).unwrap();
    for output in [
        "run/app.csv",
        "run/new.csv",
        "way/new.csv",
        "hard.csv",
        "soft.csv",
        "dangling.csv",
    ] {
        let said = refused(dir, &["export", "-o", output, "run"]);
        assert!(said.contains("open") || said.contains("link"), "{said}");
        assert_eq!(log(), LOG, "{output}");
    }
    // A file that was named alone, and as facts.
    fs::write(dir.join("facts.csv"), "job,who\n1,a\n").unwrap();
    let said = refused(dir, &["export", "-o", "soft.csv", "run/app.csv"]);
    assert!(said.contains("run/app.csv"), "{said}");
    let facts = ["--facts", "facts.csv"];
    refused(
        dir,
        &[&["export", "-o", "facts.csv", "run"], &facts[..]].concat(),
    );
    refused(&dir.join("run"), &["export", "-o", "again.csv"]);
    let svg = ["export", "-o", "run/x.svg", "--plot", "series:job", "run"];
    refused(dir, &svg);
    assert_eq!(log(), LOG);
    assert_eq!(fs::read_dir(dir.join("run")).unwrap().count(), 1);
}

#[test]
fn an_export_replaces_an_older_one_as_a_whole() {
    let dir = folder();
    let dir = dir.path();
    let out = || fs::read_to_string(dir.join("out.csv")).unwrap();
    ok(dir, &["export", "-o", "out.csv", "run"]);
    let first = out();
    assert_eq!(first.lines().count(), 4, "{first}");
    ok(dir, &["export", "-o", "out.csv", "run"]);
    assert_eq!(out(), first);
    // Nobody else's file is left beside it.
    assert_eq!(fs::read_dir(dir).unwrap().count(), 2);
    // What is no file takes what comes.
    std::os::unix::fs::symlink("/dev/stdout", dir.join("pipe.csv")).unwrap();
    assert_eq!(ok(dir, &["export", "-o", "pipe.csv", "run"]), first);
    ok(dir, &["export", "-o", "pipe.csv", "run/app.csv"]);
}
