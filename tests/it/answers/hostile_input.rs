//! Broken and hostile input as the program reports it, within limits of memory and of open files.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};
use widetui_testing::packing::gz;
use widetui_testing::runs;
use widetui_testing::runs::{problems, source};

const LINE: &str = "1795225387.115450 2026-11-20 19:43:07 MainProcess-3288 MainThread-1396765 parsl.dataflow.dflow:734 launch INFO: Task 1 done\n";

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs the program in a shell with limits set.
fn limited(limits: &str, args: &[&str]) -> Output {
    Command::new("sh")
        .arg("-c")
        .arg(format!("{limits}; exec \"$0\" \"$@\""))
        .arg(env!("CARGO_BIN_EXE_widetui"))
        .args(args)
        .output()
        .unwrap()
}

#[test]
fn an_empty_folder_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let error = runs::try_load(dir.path(), 1).unwrap_err();
    assert_eq!(error.to_string(), "there are no files here");
    let out = limited("true", &["events", dir.path().to_str().unwrap()]);
    assert_eq!(out.status.code(), Some(2));
    assert!(
        text(&out.stderr).contains("no files"),
        "{}",
        text(&out.stderr)
    );
}

#[test]
fn pipes_devices_sockets_and_dangling_links_are_skipped_and_named() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.log"), LINE).unwrap();
    let pipe = dir.path().join("pipe.log");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    symlink("/dev/zero", dir.path().join("zero.log")).unwrap();
    symlink("nowhere", dir.path().join("dangling.log")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(dir.path().join("sock")).unwrap();
    symlink("itself", dir.path().join("itself")).unwrap();
    let snapshot = runs::load(dir.path(), 2);
    assert_eq!((snapshot.sources.len(), snapshot.len()), (6, 1));
    // They are listed among the sources, with what they are and why they are not read.
    for (name, what, why) in [
        ("pipe.log", "named pipe", "(FIFO), not read"),
        ("zero.log", "device", "device, not read"),
        ("sock", "socket", "socket, not read"),
        (
            "dangling.log",
            "link to nothing",
            "link to nowhere not followed: No such file",
        ),
        ("itself", "link to itself", "link to itself not followed"),
    ] {
        let source = source(&snapshot, name);
        assert_eq!((source.is_log, &*source.layout), (false, what), "{name}");
        assert!(problems(source).contains(why), "{name}: {source:?}");
    }
    let path = dir.path().to_str().unwrap();
    let out = limited("true", &["sources", path]);
    assert_eq!(
        (out.status.code(), text(&out.stderr).as_str()),
        (Some(0), "")
    );
    let listed = text(&out.stdout);
    let is_told = |what: &str| {
        listed
            .lines()
            .any(|l| l.contains("pipe.log") && l.contains(what))
    };
    assert!(is_told("named pipe (FIFO), not read"), "{listed}");
}

#[test]
fn a_folder_that_cannot_be_read_is_a_problem_of_the_run() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.log"), LINE).unwrap();
    let mut deep = dir.path().to_path_buf();
    for _ in 0..70 {
        deep.push("d");
    }
    fs::create_dir_all(&deep).unwrap();
    let out = limited("true", &["sources", dir.path().to_str().unwrap()]);
    assert_eq!(out.status.code(), Some(0));
    // Once on standard error, once below the list.
    for reported in [text(&out.stderr), text(&out.stdout)] {
        assert_eq!(
            reported.matches("more than 64 folders deep").count(),
            1,
            "{reported}"
        );
    }
}

#[test]
fn text_that_cannot_be_kept_is_reported_and_what_was_kept_is_shown() {
    let dir = tempfile::tempdir().unwrap();
    let mut noise = 1u64;
    let mut lines = String::new();
    for at in 0..60_000 {
        noise = noise
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        lines += &format!(
            "2026-01-01 00:00:00 INFO {at} {noise:x} {:x}\n",
            noise.rotate_left(17)
        );
    }
    let path = dir.path().join("a.log.gz");
    fs::write(&path, gz(lines.as_bytes())).unwrap();
    let path = path.to_str().unwrap();
    // No temporary folder at all, or one with room for a part.
    for (limits, why, most) in [
        (
            "TMPDIR=/nowhere; export TMPDIR",
            "a temporary file in /nowhere cannot be written: No such file",
            0,
        ),
        (
            "trap '' XFSZ; ulimit -f 2000",
            "cannot be written: File too large",
            59_999,
        ),
    ] {
        let with = |command| {
            limited(
                limits,
                &[command, path, "--memory", "0", "--format", "jsonl"],
            )
        };
        let sources = with("sources");
        let reported = text(&sources.stdout);
        assert!(
            reported.contains("could not be kept") && reported.contains(why),
            "{limits} {reported}"
        );
        assert_eq!(sources.status.code(), Some(0));
        assert!(
            reported.contains("\"records\":60000"),
            "{limits} {reported}"
        );
        let events = with("events");
        // The records are there, their text is not.
        assert_eq!(events.status.code(), Some(2));
        let events = text(&events.stdout);
        assert_eq!(events.lines().count(), 60_000);
        let is_shown = |line: &&str| {
            let event: serde_json::Value = serde_json::from_str(line).unwrap();
            let message = event["message"].as_str().unwrap();
            !message.starts_with("(the text cannot be read any more: this part was not kept")
        };
        let shown = events.lines().filter(is_shown).count();
        assert!(
            (most > 0) == (shown > 0) && shown <= most,
            "{limits} {shown}"
        );
    }
}

#[test]
fn what_inflates_a_thousandfold_does_so_in_bounded_memory() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bomb.log.gz");
    let mut out =
        flate2::write::GzEncoder::new(File::create(&path).unwrap(), flate2::Compression::fast());
    let block = vec![b'a'; 1 << 20];
    for _ in 0..400 {
        out.write_all(&block).unwrap();
    }
    out.finish().unwrap();
    assert!(fs::metadata(&path).unwrap().len() < 4 << 20);
    // Less address space than the text would need.
    let args = [
        "sources",
        path.to_str().unwrap(),
        "--format",
        "jsonl",
        "--threads",
        "2",
    ];
    let out = limited("ulimit -v 350000", &args);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let line: serde_json::Value = serde_json::from_str(text(&out.stdout).trim()).unwrap();
    assert_eq!(line["bytes"], 400 << 20);
    assert_eq!(line["records"], 1);
}

#[test]
fn a_small_run_needs_little_address_space() {
    let run = runs::directory("hung");
    let args = ["diagnose", run.path().to_str().unwrap(), "--threads", "4"];
    // A third of it is the program itself, without optimisation.
    let out = limited("ulimit -v 110000", &args);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
}

#[test]
fn three_thousand_files_load_with_few_open_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    for i in 0..3000 {
        let folder = dir.path().join(format!("block-{}", i / 100));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("worker_{i}.log")), LINE.repeat(2)).unwrap();
    }
    let path = dir.path().to_str().unwrap();
    let out = limited("ulimit -n 64", &["events", path, "--format", "jsonl"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert_eq!(text(&out.stderr), "");
    let stdout = text(&out.stdout);
    assert_eq!(stdout.lines().count(), 6000);
    assert!(!stdout.contains("cannot be read"));
}

#[test]
fn control_characters_of_a_log_do_not_reach_a_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("\x1b]0;name\x07.log");
    let line = LINE.replace(
        "Task 1 done",
        "\x1b[2J\x1b]52;c;aGk=\x07 \u{9b}31m k=\x1b[0m \u{202e} \u{fdd1}red\u{fddf}",
    );
    fs::write(&path, format!("{line}\x1b[1mcontinued\x08\x7f\n")).unwrap();
    let dir = dir.path().to_str().unwrap();
    for args in [
        &["events", dir][..],
        &["events", dir, "--keys", "k"],
        &["sources", dir],
        &["keys", dir],
        &["keys", dir, "--key", "k"],
        &["events", dir, "--format", "jsonl"],
        &["sources", dir, "--format", "jsonl"],
        &["events", dir, "--format", "csv"],
        &["events", dir, "--keys", "k", "--format", "csv"],
        &["sources", dir, "--format", "csv"],
        &["keys", dir, "--key", "k", "--format", "csv"],
        // Marks of colours inside the program are noncharacters that a log may contain, too.
        &["events", dir, "--format", "csv", "--color", "always"],
        &["events", dir, "--format", "jsonl", "--color", "always"],
    ] {
        let out = limited("true", args);
        for bytes in [&out.stdout, &out.stderr] {
            assert_harmless(&text(bytes), &format!("{args:?}"));
        }
    }
    // Nor by a file, which may be the terminal. JSON keeps the values.
    let to = tempfile::tempdir().unwrap();
    for name in ["a.csv", "flat.csv", "a.jsonl", "flat.jsonl"] {
        let file = to.path().join(name);
        let options: &[&str] = match name.starts_with("flat") {
            true => &["--flat"],
            false => &[],
        };
        let args = [&["export", dir, "-o", file.to_str().unwrap()], options].concat();
        let out = limited("true", &args);
        assert!(out.status.success(), "{}", text(&out.stderr));
        let written = fs::read_to_string(&file).unwrap();
        assert_harmless(&written, name);
        if name.ends_with("jsonl") {
            let row: serde_json::Value =
                serde_json::from_str(written.lines().next().unwrap()).unwrap();
            let message = row["message"].as_str().unwrap();
            assert!(
                message.contains("\x1b[2J\x1b]52;c;aGk=\x07 \u{9b}31m"),
                "{row}"
            );
            assert!(message.contains("\u{202e}"), "{row}");
        }
    }
}

/// Panics if a text has a character that a terminal obeys or that reorders text.
fn assert_harmless(text: &str, what: &str) {
    let is_harmful =
        |c: &char| c.is_control() && *c != '\n' || ('\u{202a}'..='\u{202e}').contains(c);
    let found = text.chars().find(is_harmful);
    assert_eq!(found, None, "{what}: {}", text.escape_debug());
}

#[test]
fn nothing_is_written_where_logs_are() {
    let dir = runs::directory("hung");
    let state = |dir: &Path| -> Vec<_> {
        runs::files(dir)
            .into_iter()
            .map(|f| {
                let meta = fs::metadata(&f).unwrap();
                (f, meta.len(), meta.modified().unwrap())
            })
            .collect()
    };
    let before = state(dir.path());
    for command in ["events", "sources", "keys"] {
        let out = limited("true", &[command, dir.path().to_str().unwrap()]);
        assert_eq!(out.status.code(), Some(0));
    }
    assert_eq!(state(dir.path()), before);
}
