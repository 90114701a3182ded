//! The program in a terminal: it starts, takes keys, and restores the terminal however it ends.

use widetui_testing_tui::keys::Mouse;
use widetui_testing_tui::pty::{Exit, PtyCommand, PtySession, Signal, default_limit};

fn start() -> PtySession {
    let session = PtyCommand::new(env!("CARGO_BIN_EXE_widetui"))
        .args([concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/queue-run")])
        .size(110, 30)
        .spawn()
        .unwrap();
    session.wait_for_text("5 sources").unwrap();
    session.wait_for_text("Starting run 17").unwrap();
    session
}

fn assert_given_back(session: &PtySession) {
    assert_eq!(session.modes().left_behind(), [""; 0]);
    let line = session.line_settings().unwrap();
    assert!(line.canonical && line.echo);
}

fn wait_given_back(session: &PtySession) {
    // The line settings come back a moment after the last bytes.
    let gone = || {
        let line = session.line_settings();
        session.modes().left_behind().is_empty() && line.is_ok_and(|l| l.canonical && l.echo)
    };
    let end = std::time::Instant::now() + default_limit();
    while !gone() && std::time::Instant::now() < end {
        std::thread::yield_now();
    }
    assert_given_back(session);
}

#[test]
fn it_is_used_and_left() {
    let session = start();
    session.send("e").unwrap();
    session.wait_for_text("Traceback").unwrap();
    session.send("pj").unwrap();
    session.wait_for_text("job 9 9").unwrap();
    session.mouse(Mouse::WheelDown, 30, 10).unwrap();
    session.resize(80, 24).unwrap();
    session
        .wait_for(
            |text| text.lines().count() == 24 && text.contains("job 9 9"),
            default_limit(),
        )
        .unwrap();
    // Out of the pivot and of the search; the first key at the start only says that the next one leaves.
    session.send("qqqq").unwrap();
    assert_eq!(session.wait_exit(default_limit()).unwrap(), Exit::Code(0));
    assert_given_back(&session);
}

#[test]
fn joins_that_are_not_named_are_off() {
    let run = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/hung");
    let session = PtyCommand::new(env!("CARGO_BIN_EXE_widetui"))
        .args(["--join", "block,kernel", run])
        .size(120, 110)
        .spawn()
        .unwrap();
    session.wait_for_text("sources").unwrap();
    session.send("6").unwrap();
    let is_on = |line: &str| line.contains('●');
    let rows = |text: &str| text.lines().filter(|l| is_on(l)).count();
    let shown = session.wait_for(
        |text| text.contains("executor task") && rows(text) > 0,
        default_limit(),
    );
    let shown = shown.unwrap().text();
    let on: Vec<&str> = shown.lines().filter(|l| is_on(l)).collect();
    assert_eq!(on.len(), 2, "{shown}");
    let is_named = |l: &&str| l.contains("⇒ dfk ") || l.contains("⇒ parsl.job, batch.job");
    assert!(on.iter().all(is_named), "{on:?}");
    session.send("qqq").unwrap();
    assert_eq!(session.wait_exit(default_limit()).unwrap(), Exit::Code(0));
}

#[test]
fn signals_end_it_and_the_terminal_is_given_back() {
    for (signal, name) in [
        (Signal::TERM, "SIGTERM"),
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::ALARM, "SIGALRM"),
        (Signal::USR1, "SIGUSR1"),
        (Signal::USR2, "SIGUSR2"),
    ] {
        let session = start();
        session.kill(signal).unwrap();
        let exit = session.wait_exit(default_limit()).unwrap();
        assert!(matches!(exit, Exit::Signal(_)), "{signal:?}: {exit:?}");
        assert_given_back(&session);
        session.wait_for_text(&format!("ended by {name}")).unwrap();
    }
}

#[test]
fn it_stops_and_goes_on() {
    let session = start();
    session.send("<c-z>").unwrap();
    wait_given_back(&session);
    // It stops a moment after it gave the terminal back: a signal that comes before says nothing.
    let end = std::time::Instant::now() + default_limit();
    loop {
        session.kill(Signal::CONT).unwrap();
        let moment = std::time::Duration::from_millis(200);
        let back = session.wait_for(|text| text.contains("Starting run 17"), moment);
        if back.is_ok() || std::time::Instant::now() > end {
            back.unwrap();
            break;
        }
    }
    session.send("e").unwrap();
    session.wait_for_text("Traceback").unwrap();
    session.send("q").unwrap();
    assert_eq!(session.wait_exit(default_limit()).unwrap(), Exit::Code(0));
    assert_given_back(&session);
}

#[test]
fn nothing_of_a_log_is_obeyed() {
    let session = start();
    session.send("/No space<enter>").unwrap();
    session.wait_for_text("tmpred␛[2J").unwrap();
    let raw = String::from_utf8_lossy(&session.raw_output()).into_owned();
    assert!(!raw.contains("\x1b[31mred") && !raw.contains("red\x1b[2J"));
    session.send("Q").unwrap();
    session.wait_exit(default_limit()).unwrap();
}

/// The program on the example by a shell line; `{}` is the program.
fn shell(line: &str) -> PtyCommand {
    let line = line.replace("{}", env!("CARGO_BIN_EXE_widetui"));
    PtyCommand::new("/bin/sh")
        .args(["-c", &line])
        .size(110, 30)
        .cwd(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"))
}

#[test]
fn a_log_comes_through_a_pipe_and_keys_from_the_terminal() {
    let session = shell("cat queue-run/nodes/node_2.log | {} -")
        .spawn()
        .unwrap();
    session.wait_for_text("1 source").unwrap();
    session.send("e").unwrap();
    session.wait_for_text("Traceback").unwrap();
    session.send("q").unwrap();
    assert_eq!(session.wait_exit(default_limit()).unwrap(), Exit::Code(0));
    assert_given_back(&session);
}

#[test]
fn it_is_left_at_once_while_a_pipe_is_still_open() {
    let session = shell(
        "(cat queue-run/scheduler.log; exec sleep 9) 2>/dev/null | {} -; echo left $?; exit 0",
    );
    let session = session.spawn().unwrap();
    session.wait_for_text("standard input").unwrap();
    session.send("q").unwrap();
    // The shell waits for the sleep, the program does not.
    wait_given_back(&session);
}

#[test]
fn a_panic_and_an_abort_give_the_terminal_back() {
    for (key, words) in [
        ("<f12>", "asked to fall over"),
        ("<f11>", "asked to fall over"),
        ("<f10>", "memory allocation of"),
        ("", "another program sent SIGABRT"),
    ] {
        let session = shell("exec {} queue-run")
            .env("WIDETUI_TEST_FAILURES", "1")
            .spawn()
            .unwrap();
        session.wait_for_text("Starting run 17").unwrap();
        match key {
            "" => session.kill(Signal::ABORT).unwrap(),
            key => session.send(key).unwrap(),
        }
        let exit = session.wait_exit(default_limit()).unwrap();
        assert_eq!(exit, Exit::Code(2), "{key}");
        assert_given_back(&session);
        session.wait_for_text(words).unwrap();
    }
}

#[test]
fn a_terminal_that_obeys_nothing_gets_a_message_alone() {
    let session = shell("{} queue-run").env("TERM", "dumb").spawn().unwrap();
    let exit = session.wait_exit(default_limit()).unwrap();
    assert_eq!(exit, Exit::Code(2));
    session.wait_for_text("TERM is `dumb`").unwrap();
    assert!(!session.raw_output().contains(&0x1b));
}

#[test]
fn a_log_that_is_deleted_while_it_is_shown_is_missed() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("long.log");
    let line = |i: u32| {
        let (minute, second, ms) = (i / 60_000, i / 1000 % 60, i % 1000);
        format!("2026-03-02 14:{minute:02}:{second:02},{ms:03} INFO a: step {i}\n")
    };
    let lines = (0..60_000).map(line);
    std::fs::write(&log, lines.collect::<String>()).unwrap();
    let session = PtyCommand::new(env!("CARGO_BIN_EXE_widetui"))
        .args([std::ffi::OsStr::new("--follow"), folder.path().as_os_str()])
        .size(110, 30)
        .spawn()
        .unwrap();
    session.wait_for_text("60,000").unwrap();
    session.wait_for_text("INFO a: step 59999").unwrap();
    // Cut rather than unlinked: an open file outlives its name.
    std::fs::write(&log, "").unwrap();
    session.send("g").unwrap();
    session.wait_for_text("cannot be read again").unwrap();
    session.send("q").unwrap();
    assert_eq!(session.wait_exit(default_limit()).unwrap(), Exit::Code(0));
}

#[test]
fn the_user_has_own_themes_and_keymaps() {
    let config = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = config.path().join("widetui").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    file("themes/plain.toml", "[roles]\ntext = \"red\"\n");
    file("themes/bad.toml", "[roles]\ntext = \"reddish\"\n");
    file(
        "keymaps/default.toml",
        "[[global]]\non = \"x\"\nrun = \"quit\"\n",
    );
    let run = |options: &str| {
        let command = shell(&format!("{{}} queue-run {options}"));
        let command = command.env("XDG_CONFIG_HOME", config.path().to_str().unwrap());
        command.spawn().unwrap()
    };
    let session = run("--theme plain --ascii");
    session.wait_for_text("Starting run 17").unwrap();
    assert!(
        session.screen().text().is_ascii(),
        "{}",
        session.screen().text()
    );
    session.send("x").unwrap();
    assert_eq!(session.wait_exit(default_limit()).unwrap(), Exit::Code(0));
    for (options, words) in [
        ("--theme bad", "`reddish` is no colour"),
        (
            "--theme none",
            "ansi16, ansi16-light, bad, dark, high-contrast, light",
        ),
        ("--keymap vi", "there are default"),
    ] {
        let session = run(options);
        assert_eq!(session.wait_exit(default_limit()).unwrap(), Exit::Code(2));
        session.wait_for_text(words).unwrap();
    }
}

/// A line of a log as Python writes it.
fn line(second: u32, text: &str) -> String {
    format!("2026-03-02 14:00:{second:02},000 INFO a: {text}\n")
}

fn append(path: &std::path::Path, text: &str) {
    use std::io::Write;
    let mut file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

#[test]
fn a_run_that_grows_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("a.log");
    let lines = (0..50).map(|i| line(i, &format!("step {i}")));
    append(&log, &lines.collect::<String>());
    let session = PtyCommand::new(env!("CARGO_BIN_EXE_widetui"))
        .args([folder.path()])
        .size(110, 30)
        .spawn()
        .unwrap();
    // The file is new, its records are old: it may be a copy.
    session.wait_for_text("ended 2026-03-02 14:00").unwrap();
    append(&log, &line(50, "the next step"));
    session.wait_for_text("paused, 1 new").unwrap();
    session.wait_for_text("live").unwrap();
    session.send("F").unwrap();
    session.wait_for_text("following").unwrap();
    session.wait_for_text("the next step").unwrap();
    // Times are as precise as those that came.
    append(&log, &line(50, "a finer time").replacen(",000", ",250", 1));
    session.wait_for_text("14:00:49.000").unwrap();
    // A new file, and a line that is still being written.
    append(&folder.path().join("b.log"), &line(51, "hello of b"));
    session.wait_for_text("hello of b").unwrap();
    append(&log, line(52, "half a").trim_end());
    session.wait_for_text("half a").unwrap();
    append(&log, &format!(" line\n{}", line(53, "whole")));
    session.wait_for_text("half a line").unwrap();
    // Moving up pauses.
    session.send("kk").unwrap();
    session.wait_for_text("paused").unwrap();
    append(&log, &line(54, "unseen"));
    append(&log, &line(55, "unseen"));
    session.wait_for_text("paused, 2 new").unwrap();
    session.send("G").unwrap();
    session.wait_for_text("following").unwrap();
    // A filter holds for what comes.
    session.send("funseen<enter>").unwrap();
    session.wait_for_text("unseen 2").unwrap();
    append(&log, &line(56, "seen"));
    append(&log, &line(57, "unseen too"));
    session.wait_for_text("unseen 3").unwrap();
    session.wait_for_text("unseen too").unwrap();
    session.send("Q").unwrap();
    assert_eq!(session.wait_exit(default_limit()).unwrap(), Exit::Code(0));
    let mut names: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(
        names,
        ["a.log", "b.log"],
        "nothing is written beside the logs"
    );
}

#[test]
fn events_are_followed_on_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("a.log");
    append(&log, &(line(1, "one") + &line(2, "two")));
    let session = PtyCommand::new(env!("CARGO_BIN_EXE_widetui"))
        .args(["events", "--follow", "--limit", "1", "--where", "not other"])
        .args([folder.path()])
        .size(110, 30)
        .spawn()
        .unwrap();
    session.wait_for_text("two").unwrap();
    append(&log, &(line(3, "other") + &line(4, "three")));
    append(&log, "  and more of three\n");
    session.wait_for_text("and more of three").unwrap();
    let text = session.screen().text();
    assert!(!text.contains("one") && !text.contains("other"), "{text}");
    session.send("<c-c>").unwrap();
    session.wait_exit(default_limit()).unwrap();
}

/// A workspace opened with `--replay` is not changed.
#[test]
fn what_cannot_grow_is_not_followed() {
    let archive = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/multi.tar.gz");
    let explorer = || PtyCommand::new(env!("CARGO_BIN_EXE_widetui")).size(120, 30);
    let session = explorer().args([archive]).spawn().unwrap();
    session.wait_for_text("59 sources").unwrap();
    session.send("F").unwrap();
    session.wait_for_text("nothing to follow").unwrap();
    assert!(!session.screen().text().contains("following"));
    session.send("q").unwrap();
    let followed = explorer().args(["--follow", archive]).spawn().unwrap();
    followed.wait_for_text("nothing to follow").unwrap();
    assert!(!followed.screen().text().contains("following"));
    followed.send("q").unwrap();
    let printed = ["events", "--follow", "--limit", "1", archive];
    let printed = explorer().args(printed).spawn().unwrap();
    assert_eq!(printed.wait_exit(default_limit()).unwrap(), Exit::Code(0));
    let text = printed.screen().text();
    assert!(text.contains("nothing to follow"), "{text}");
}

#[test]
fn a_system_without_threads_is_reported() {
    let run = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/queue-run");
    for arguments in [&["events", run][..], &["events", "--follow", run], &[run]] {
        // No thread can have a stack of this size.
        let session = PtyCommand::new(env!("CARGO_BIN_EXE_widetui"))
            .args(arguments)
            .env("RUST_MIN_STACK", "1000000000000000")
            .size(200, 30)
            .spawn()
            .unwrap();
        let exit = session.wait_exit(default_limit()).unwrap();
        assert!(matches!(exit, Exit::Code(1 | 2)), "{exit:?}");
        assert_given_back(&session);
        let text = session.screen().text();
        assert!(text.contains("cannot start a thread: "), "{text}");
        assert!(
            text.contains("ulimit -u") && !text.contains("panicked"),
            "{text}"
        );
    }
}
