//! Options: output files are written where permitted, and no option is accepted and then ignored.

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
        let said = refused(dir, &["export", "-o", output, "--force", "run"]);
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
fn an_output_replaces_an_older_one_as_a_whole_if_it_is_asked_to() {
    let dir = folder();
    let dir = dir.path();
    let out = || fs::read_to_string(dir.join("out.csv")).unwrap();
    ok(dir, &["export", "-o", "out.csv", "run"]);
    let first = out();
    assert_eq!(first.lines().count(), 4, "{first}");
    for command in [
        &["export", "--format", "csv"][..],
        &["report"],
        &["events"],
        &["systems", "draft"],
    ] {
        fs::write(dir.join("own.md"), "mine").unwrap();
        let command = [command, &["run", "-o", "own.md"]].concat();
        let said = refused(dir, &command);
        assert!(said.contains("own.md: the file exists"), "{said}");
        assert_eq!(fs::read_to_string(dir.join("own.md")).unwrap(), "mine");
        ok(dir, &[&command[..], &["--force"]].concat());
        assert_ne!(fs::read_to_string(dir.join("own.md")).unwrap(), "mine");
        // An empty file holds nothing that could be lost: `mktemp` makes one.
        fs::write(dir.join("own.md"), "").unwrap();
        ok(dir, &command);
    }
    fs::remove_file(dir.join("own.md")).unwrap();
    ok(dir, &["export", "-o", "out.csv", "--force", "run"]);
    assert_eq!(out(), first);
    // Nobody else's file is left beside it.
    assert_eq!(fs::read_dir(dir).unwrap().count(), 2);
    // What is no file takes what comes.
    std::os::unix::fs::symlink("/dev/stdout", dir.join("pipe.csv")).unwrap();
    assert_eq!(ok(dir, &["export", "-o", "pipe.csv", "run"]), first);
    ok(dir, &["export", "-o", "pipe.csv", "run/app.csv"]);
}

#[test]
fn a_name_that_joins_do_not_have_is_reported_by_every_command_and_the_explorer() {
    let dir = folder();
    let dir = dir.path();
    for command in [
        &["hung"][..],
        &["sources"],
        &["events", "--format", "jsonl"],
        &[],
    ] {
        let args = [command, &["--join", "nobody", "run"]].concat();
        let said = refused(dir, &args);
        assert!(said.contains("--join nobody"), "{args:?}: {said}");
    }
    ok(dir, &["sources", "--join", "none", "run"]);
    let follow = ["events", "-f", "--join", "nobody", "run"];
    refused(dir, &follow);
}

#[test]
fn a_shift_is_rounded_and_bounded() {
    let dir = folder();
    let dir = dir.path();
    let first = |shift: &str| {
        let args = ["events", "--limit", "1", "--format", "jsonl", "--shift"];
        let line = ok(dir, &[&args[..], &[shift, "run"]].concat());
        line[..50].to_owned()
    };
    let shifted = first("app=1.001");
    assert!(shifted.contains("10:00:01.001000000Z"), "{shifted}");
    for shift in ["app=1e12", "app=nan", "app"] {
        refused(dir, &["events", "--shift", shift, "run"]);
    }
}

#[test]
fn times_are_times_whatever_stands_in_them() {
    let dir = folder();
    let dir = dir.path();
    let lines = |args: &[&str]| {
        ok(dir, &[&["events", "run"], args].concat())
            .lines()
            .count()
    };
    assert_eq!(lines(&["--since", "10:00:01"]), 2);
    assert_eq!(lines(&["--until", "2026-11-21 10:00:01"]), 1);
    let sly = "10:00:01\" or time < \"23:00";
    let said = refused(dir, &["events", "run", "--since", sly]);
    assert!(said.contains("--since"), "{said}");
}

#[test]
fn options_do_what_they_say_or_are_refused() {
    let dir = folder();
    let dir = dir.path();
    let hung = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/hung");
    let trace = |args: &[&str]| run(dir, &[&["trace", "parsl.task=0", hung], args].concat());
    let lines = |args: &[&str]| text(&trace(args).stdout).lines().count();
    let (all, some) = (lines(&[]), lines(&["--where", "source ~ parsl"]));
    assert!(1 < some && some < all, "{some} of {all}");
    assert_eq!(
        trace(&["--where", "level >= critical"]).status.code(),
        Some(1)
    );
    assert!(lines(&["--since", "01:43:30"]) < all);
    let said = refused(
        dir,
        &[
            "trace",
            "parsl.task=0",
            hung,
            "--account",
            "--where",
            "level >= info",
        ],
    );
    assert!(said.contains("trace ENTITY --account"), "{said}");
    for form in ["text", "csv"] {
        let said = refused(dir, &["events", "--provenance", "--format", form, "run"]);
        assert!(said.contains("--format jsonl"), "{said}");
    }

    let series = |args: &[&str]| {
        ok(
            dir,
            &[&["series", "job", "run", "--by", "none"], args].concat(),
        )
    };
    let curve = |text: &str| {
        let lowest = text.lines().rfind(|l| l.contains('┤')).unwrap();
        let drawn = lowest.split('┤').nth(1).unwrap();
        drawn.trim_end().chars().count()
    };
    assert_eq!(curve(&series(&[])), 60);
    assert_eq!(curve(&series(&["--bins", "7"])), 7);
    assert_ne!(
        series(&["--bins", "1"]),
        series(&["--bins", "1", "--pick", "mean"])
    );
    refused(dir, &["series", "job", "run", "--bins", "0"]);
    let said = refused(
        dir,
        &["series", "job", "run", "--pick", "last", "--format", "csv"],
    );
    assert!(said.contains("--bins"), "{said}");
}

#[test]
fn a_closed_standard_error_is_no_reason_to_die() {
    let dir = folder();
    let dir = dir.path();
    let program = env!("CARGO_BIN_EXE_widetui");
    // Nothing can be written to /dev/full.
    let line = format!("exec {program} check run 2>/dev/full");
    let out = Command::new("sh")
        .args(["-c", &line])
        .current_dir(dir)
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(1));
}

#[test]
fn an_output_that_cannot_be_written_is_a_failure() {
    let dir = folder();
    let dir = dir.path();
    let program = env!("CARGO_BIN_EXE_widetui");
    let fails = |line: &str, message: &str| {
        let mut command = Command::new("sh");
        let out = command.args(["-c", line]).current_dir(dir).output();
        let out = out.unwrap();
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(said.contains(message), "{line}: {said}");
        assert!(!said.contains(".widetui-"), "{line}: {said}");
        assert_eq!(out.status.code(), Some(2), "{line}");
    };
    for args in ["--version", "--help", "hung --help", "man", "events run"] {
        let line = format!("exec {program} {args} >/dev/full");
        fails(&line, "widetui: cannot write the output: ");
    }
    // The message names the file of -o, not the temporary one beside it. The shell permits files of a block.
    fs::create_dir(dir.join("many")).unwrap();
    let lines = (0..500).map(|n| format!("2026-03-02T14:00:00Z INFO line {n}\n"));
    fs::write(dir.join("many/app.log"), lines.collect::<String>()).unwrap();
    for command in ["events", "export --format csv", "report", "systems draft"] {
        let line = format!("exec {program} {command} many -o out.md");
        let line = format!("trap '' XFSZ; ulimit -f 1; {line}");
        fails(&line, "widetui: out.md: cannot be written: ");
        assert!(!dir.join("out.md").exists(), "{command}");
    }
}

#[test]
fn a_folder_of_ones_own_that_cannot_be_read_is_reported() {
    let dir = folder();
    let dir = dir.path();
    ok(dir, &["events", "run"]);
    fs::create_dir(dir.join("config")).unwrap();
    fs::create_dir(dir.join("config/widetui")).unwrap();
    fs::write(dir.join("config/widetui/systems"), "").unwrap();
    let out = run(dir, &["events", "run"]);
    assert_eq!(out.status.code(), Some(0), "{out:?}");
    assert!(
        text(&out.stderr).contains("systems: cannot be read"),
        "{out:?}"
    );
}

#[test]
fn clocks_that_are_ages_apart_stop_no_command() {
    let dir = folder();
    let dir = dir.path();
    let hung = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/hung");
    // Shifts of one source add up.
    let (back, on) = (["--shift", "htex=-3e9"], ["--shift", "parsl.log=3.1e9"]);
    let early = [&back[..], &back, &back, &on, &on].concat();
    let (on, back) = (["--shift", "htex=3.1e9"], ["--shift", "parsl.log=-3e9"]);
    let late = [&on[..], &on, &back, &back, &back].concat();
    let far = ["--shift", "htex=3.1e9"].repeat(5);
    for shifts in [early, late, far] {
        for command in [
            &["trace", "parsl.task", "--account"][..],
            &["throughput", "parsl.task"],
            &["utilisation", "parsl.try"],
            &["flow"],
            &["hung"],
            &["series", "parsl.pending_tasks"],
        ] {
            let out = run(dir, &[command, &[hung], &shifts].concat());
            let code = out.status.code();
            assert!(code <= Some(1), "{command:?}: {}", text(&out.stderr));
        }
    }
    for size in ["18446744073709551615", "512M", "2GiB", "0"] {
        ok(dir, &["events", "run", "--memory", size, "--no-cache"]);
    }
}
