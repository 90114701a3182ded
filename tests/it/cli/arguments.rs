//! Order of arguments: what is asked about first or as an option, paths last; `-o` and `-`; piped input.

use std::fs;
use std::path::Path;

use super::*;

/// Commands with a subject in `tests/data/hung`, and the option that names it.
const SUBJECTS: [(&str, &str, &str); 10] = [
    ("series", "parsl.cpu_user", "--key"),
    ("contrast", "level >= warning", "--of"),
    ("trace", "parsl.task=24", "--of"),
    ("latency", "parsl.task", "--of"),
    ("states", "parsl.task", "--of"),
    ("spans", "parsl.task", "--of"),
    ("throughput", "parsl.task", "--of"),
    ("utilisation", "parsl.try", "--of"),
    ("entities", "parsl.task", "--of"),
    ("keys", "parsl.task", "--key"),
];

/// Writes a run of one record about a job to a folder.
fn small_run(folder: &Path, message: &str) {
    fs::create_dir_all(folder).unwrap();
    let line = format!("2026-03-02 14:00:00 INFO w: {message}\n");
    fs::write(folder.join("w.log"), line).unwrap();
}

/// Standard output of a command in a folder, without paths and with this standard input.
fn with_input(folder: &Path, args: &[&str], input: impl Into<Stdio>) -> Output {
    let mut command = command(args);
    command.current_dir(folder).stdin(input).output().unwrap()
}

#[test]
fn a_subject_stands_first_or_after_the_paths_or_is_an_option() {
    let run = hung();
    for (command, subject, option) in SUBJECTS {
        let asked = |args: &[&str]| ok(&[args, &["--format", "jsonl"]].concat());
        let first = asked(&[command, subject, &run]);
        assert!(!first.is_empty(), "{command}");
        for args in [
            [command, &run, subject].as_slice(),
            &[command, option, subject, &run],
            &[command, &run, &format!("{option}={subject}")],
            // As the Python package calls it.
            &[command, &format!("{option}={subject}"), "--", &run],
        ] {
            let lines = ok(&[&["--format", "jsonl"], args].concat());
            assert!(lines == first, "{args:?}");
        }
    }
}

#[test]
fn a_path_is_no_subject() {
    let run = hung();
    for (command, _, option) in &SUBJECTS[..8] {
        let said = fails(2, &[command, &run]);
        let expected = [" is missing: ", &run, option];
        let is_said = expected.iter().all(|part| said.contains(part));
        assert!(is_said, "{command}: {said}");
    }
    for (command, ..) in &SUBJECTS[8..] {
        assert!(!ok(&[command, &run]).is_empty(), "{command}");
    }
    let misspelt = runs::data().join("hnug").display().to_string();
    for command in ["series", "keys", "flow", "spans"] {
        let said = fails(2, &[command, &misspelt]);
        assert!(said.contains(&misspelt), "{command}: {said}");
    }
}

#[test]
fn a_folder_with_the_name_of_an_entity_is_read_as_the_entity() {
    let dir = tempfile::tempdir().unwrap();
    small_run(&dir.path().join("task"), "inside");
    let asked = |args: &[&str]| with_input(dir.path(), args, Stdio::null());
    let out = asked(&["keys", "task"]);
    let said = text(&out.stderr);
    assert!(
        said.contains("task is read as KEY; the path: ./task"),
        "{said}"
    );
    let out = asked(&["keys", "./task"]);
    assert_eq!(
        (out.status.code(), text(&out.stderr)),
        (Some(0), String::new())
    );
}

#[test]
fn options_may_stand_before_the_command() {
    let run = hung();
    let after = ok(&["hung", "--display-tz", "+02:00", "--no-join", "all", &run]);
    let before = ok(&["--display-tz", "+02:00", "--no-join=all", "hung", &run]);
    assert_eq!(before, after);
}

#[test]
fn piped_input_is_read_without_a_dash() {
    let dir = tempfile::tempdir().unwrap();
    small_run(dir.path(), "of the folder");
    let log = "2026-03-02 14:00:00 INFO w: of the pipe\n";
    let piped = || {
        let (reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(log.as_bytes()).unwrap();
        Stdio::from(reader)
    };
    let here = |input: Stdio, args: &[&str]| with_input(dir.path(), args, input);
    let messages = |out: Output| {
        assert_eq!(text(&out.stderr), "");
        let rows = objects(&text(&out.stdout));
        let messages = rows
            .iter()
            .map(|row| row["message"].as_str().unwrap().to_owned());
        messages.collect::<Vec<_>>()
    };
    let events = ["events", "--format", "jsonl"];
    assert_eq!(messages(here(piped(), &events)), ["of the pipe"]);
    assert_eq!(
        messages(here(piped(), &[&events[..], &["-"]].concat())),
        ["of the pipe"]
    );
    // A path, or nothing that can be input.
    assert_eq!(
        messages(here(piped(), &[&events[..], &["."]].concat())),
        ["of the folder"]
    );
    assert_eq!(messages(here(Stdio::null(), &events)), ["of the folder"]);
    let socket = std::os::unix::net::UnixStream::pair().unwrap();
    let socket = Stdio::from(std::os::fd::OwnedFd::from(socket.0));
    assert_eq!(messages(here(socket, &events)), ["of the folder"]);
    let file = dir.path().join("elsewhere.txt");
    fs::write(&file, log).unwrap();
    let file = fs::File::open(&file).unwrap();
    assert_eq!(messages(here(file.into(), &events)), ["of the pipe"]);
    // The current folder does not stand in for an empty pipe.
    let (empty, _) = std::io::pipe().unwrap();
    let out = here(empty.into(), &events);
    assert_eq!(
        (out.status.code(), text(&out.stdout)),
        (Some(1), String::new())
    );
    assert!(text(&out.stderr).contains("standard input is an empty pipe"));
    for args in [
        &["entities"][..],
        &["keys", "level"],
        &["export", "-o", "-"],
        &["systems", "draft"],
        &["latency", "--of", "parsl.task"],
    ] {
        let said = here(piped(), args);
        let dashed = here(piped(), &[args, &["-"]].concat());
        assert_eq!(text(&said.stdout), text(&dashed.stdout), "{args:?}");
        assert_eq!(said.status.code(), dashed.status.code(), "{args:?}");
    }
}

#[test]
fn a_pipe_without_data_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let (reader, mut writer) = std::io::pipe().unwrap();
    let mut command = command(&["events", "--format", "jsonl"]);
    command.current_dir(dir.path()).stdin(reader);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The descriptors of the command: the child alone reads.
    drop(command);
    let mut said = [0; 30];
    child
        .stderr
        .as_mut()
        .unwrap()
        .read_exact(&mut said)
        .unwrap();
    assert_eq!(text(&said), "widetui: reading standard inpu");
    writer
        .write_all(b"2026-03-02 14:00:00 INFO w: late\n")
        .unwrap();
    drop(writer);
    let out = child.wait_with_output().unwrap();
    assert!(text(&out.stdout).contains("late"));
}

#[test]
fn an_output_file_has_what_standard_output_has() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    small_run(&run, "red \x1b[31m");
    let run = run.display().to_string();
    for command in ["events", "sources", "keys", "entities", "diagnose"] {
        let printed = with_input(dir.path(), &[command, &run], Stdio::null());
        for (path, format) in [("a.txt", "text"), ("a.jsonl", "jsonl"), ("a.csv", "csv")] {
            let words = [command, "-o", path, "--force", &run];
            let file = with_input(dir.path(), &words, Stdio::null());
            let shown = with_input(
                dir.path(),
                &[command, &run, "--format", format],
                Stdio::null(),
            );
            assert_eq!(
                file.status.code(),
                printed.status.code(),
                "{command} {path}"
            );
            assert_eq!(text(&file.stdout), "", "{command} {path}");
            let written = fs::read_to_string(dir.path().join(path)).unwrap();
            assert_eq!(written, text(&shown.stdout), "{command} {path}");
            assert!(!written.contains('\x1b'), "{command} {path}");
        }
        let dash = with_input(dir.path(), &[command, "-o", "-", &run], Stdio::null());
        assert_eq!(dash.stdout, printed.stdout, "{command}");
    }
    let exported = with_input(dir.path(), &["export", "-o", "-", &run], Stdio::null());
    assert_eq!(
        objects(&text(&exported.stdout)).len(),
        1,
        "{}",
        text(&exported.stderr)
    );
    let drafted = |output: &[&str]| {
        let args = [&["systems", "draft", "--name", "w", &run], output].concat();
        with_input(dir.path(), &args, Stdio::null()).stdout
    };
    assert_eq!(drafted(&[]), drafted(&["-o", "-"]));
    assert!(!dir.path().join("-").exists());
}

#[test]
fn a_log_is_no_output_file() {
    let dir = tempfile::tempdir().unwrap();
    let (run, outside) = (dir.path().join("run"), dir.path().join("outside.log"));
    small_run(&run, "inside");
    fs::write(&outside, "2026-03-02 14:00:00 INFO w: linked\n").unwrap();
    std::os::unix::fs::symlink(&outside, run.join("linked.log")).unwrap();
    let before = fs::read(&outside).unwrap();
    for output in ["run/new.txt", "run/w.log", "outside.log"] {
        let out = with_input(dir.path(), &["events", "run", "-o", output], Stdio::null());
        assert_eq!(
            out.status.code(),
            Some(2),
            "{output}: {}",
            text(&out.stderr)
        );
    }
    assert_eq!(fs::read(&outside).unwrap(), before);
    let left = fs::read_dir(dir.path()).unwrap().count();
    assert_eq!(left, 2, "no temporary file is left");
}
