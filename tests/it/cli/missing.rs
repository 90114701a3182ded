//! Missing objects: the message names them and the existing ones, and the exit status is 1.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::time::Duration;

use super::*;

#[test]
fn a_command_with_nothing_to_print_says_what_it_did_not_find() {
    let run = hung();
    let cases: [(&[&str], &str); 16] = [
        (
            &["states", "academy.agent"],
            "no agents (academy.agent) in these logs; their entities are parsl.task",
        ),
        (&["throughput", "academy.action"], "no actions"),
        (&["utilisation", "academy.action"], "no actions"),
        (&["latency", "academy.action"], "no actions"),
        (&["spans", "academy.action"], "no actions"),
        (&["entities", "--of", "academy.action"], "no actions"),
        (
            &["throughput", "parsl.task", "--where", "zzz"],
            "none of 49 tasks (parsl.task) has a known end and matches --where 'zzz'",
        ),
        (&["entities", "--where", "zzz"], "matches --where 'zzz'"),
        (&["runs", "--where", "zzz"], "matches --where 'zzz'"),
        (
            &["flow", "--where", "zzz"],
            "no message between actors found",
        ),
        (
            &["hung", "--where", "zzz"],
            "no event matches --where 'zzz'",
        ),
        (
            &["diagnose", "--same", "parsl.task=zzz"],
            "no event matches --same 'parsl.task=zzz'",
        ),
        (&["contrast", "zzz"], "no event matches zzz"),
        (&["compare", "--a", "zzz"], "--a: no record matches zzz"),
        (&["series", "line", "--where", "zzz"], "has a numeric line"),
        (
            &["spans", "--start", "zzz", "--end", "zzz"],
            "no event matches --start",
        ),
    ];
    for (args, said) in cases {
        let args = [args, &[run.as_str()]].concat();
        let out = super::run(&args);
        let reported = text(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "{args:?}: {reported}");
        assert!(reported.contains(said), "{args:?}: {reported}");
        // No heading stands over nothing.
        assert_eq!(text(&out.stdout), "", "{args:?}");
    }
}

#[test]
fn keys_and_sources_that_are_nowhere_are_refused() {
    let cases: [(&[&str], &str); 4] = [
        (
            &["--same", "parsl.tsk=1"],
            "--same parsl.tsk: no key `parsl.tsk` in these events; did you mean `parsl.task`?",
        ),
        (&["--keys", "line,parsl.tsk"], "--keys parsl.tsk: no key"),
        (&["--shift", "parsl.lgo=1"], "did you mean `parsl.log`?"),
        (&["--same", "tme=1"], "--same tme"),
    ];
    for (args, said) in cases {
        let reported = fails(2, &[&["events", &hung()], args].concat());
        assert!(reported.contains(said), "{reported}");
    }
    // These five are no keys, and every event has them.
    ok(&["events", &hung(), "--keys", "level,line", "--limit", "1"]);
    ok(&["events", &hung(), "--same", "level=info", "--limit", "1"]);
    // A source of either run may be shifted.
    let (a, b) = (hung(), runs::data().join("queue-run").display().to_string());
    let compare = |shift: &str| super::run(&["compare", &a, &b, "--shift", shift]);
    assert_eq!(compare("data/hung=1").status.code(), Some(0));
    assert_eq!(compare("data/hugn=1").status.code(), Some(2));
}

#[test]
fn what_cannot_be_read_at_all_is_an_error_and_what_is_empty_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"2026-01-01 00:00:00 INFO up\n").unwrap();
    let packed = packed.finish().unwrap();
    let picture = write("a.log", b"\x89PNG\r\n\x1a\nxx");
    let broken = write("b.log.gz", &packed[..11]);
    let locked = write("c.zip", &locked_zip());
    for (path, said) in [
        (&picture, "no log among them (PNG picture)"),
        (&broken, "so nothing could be read"),
        (&locked, "is encrypted"),
    ] {
        for command in ["events", "hung", "keys"] {
            let reported = fails(2, &[command, path]);
            assert!(reported.contains(said), "{command} {path}: {reported}");
        }
        // What was found is listed all the same.
        let out = super::run(&["sources", path, "--format", "jsonl"]);
        assert_eq!(out.status.code(), Some(2), "{path}");
        assert!(!objects(&text(&out.stdout)).is_empty(), "{path}");
    }
    let empty = write("d.log", b"");
    let reported = fails(1, &["events", &empty]);
    assert!(reported.contains("no records"), "{reported}");
    ok(&["sources", &empty]);
}

/// A zip archive with one member that says that it is encrypted.
fn locked_zip() -> Vec<u8> {
    let name = b"a.log";
    let mut local = b"PK\x03\x04\x14\0\x01\0".to_vec();
    local.resize(26, 0);
    local.extend([name.len() as u8, 0, 0, 0]);
    local.extend(name);
    let mut list = b"PK\x01\x02\x14\0\x14\0\x01\0".to_vec();
    list.resize(28, 0);
    list.extend([name.len() as u8, 0]);
    list.resize(46, 0);
    list.extend(name);
    let mut end = b"PK\x05\x06\0\0\0\0\x01\0\x01\0".to_vec();
    end.extend((list.len() as u32).to_le_bytes());
    end.extend((local.len() as u32).to_le_bytes());
    end.extend([0, 0]);
    [local, list, end].concat()
}

#[test]
fn a_wrong_expression_is_wrong_use_of_every_command() {
    let run = hung();
    let commands: [&[&str]; 15] = [
        &["events", "--where"],
        &["sources", "--where"],
        &["joins", "--where"],
        &["keys", "--where"],
        &["entities", "--where"],
        &["latency", "parsl.task", "--where"],
        &["states", "parsl.task", "--where"],
        &["spans", "parsl.task", "--where"],
        &["throughput", "parsl.task", "--where"],
        &["series", "line", "--where"],
        &["hung", "--where"],
        &["diagnose", "--where"],
        &["runs", "--where"],
        &["contrast"],
        &["compare", "--a"],
    ];
    for command in commands {
        let args = [command, &["parsl.task = (", run.as_str()]].concat();
        let reported = fails(2, &args);
        assert!(
            reported.contains("this parenthesis is not closed"),
            "{args:?}: {reported}"
        );
    }
    for wrong in ["parsl.task ! 3", "parsl.task = ('a', 1)", "not ("] {
        fails(2, &["events", "--where", wrong, &run]);
    }
    // In quotes, and as a pair, they are values like any others.
    for good in ["parsl.task = \"(\"", "parsl.task = ('a',1)"] {
        fails(1, &["events", "--where", good, &run]);
    }
}

/// Null values of a dialect are no values of a key, whether the key is stored or read on demand.
#[test]
fn texts_that_mean_nothing_are_not_counted() {
    let line = |n: u32, exception: &str| {
        format!(
            "{{\"name\": \"academy.x\", \"msg\": \"m\", \"message\": \"m\", \"levelname\": \"INFO\", \"levelno\": \"20\", \"created\": \
             \"1795225219.{n}\", \"process\": \"1\", \"processName\": \"P\", \"threadName\": \"T\", \"exc_text\": \"{exception}\", \
             \"funcName\": \"f\", \"lineno\": \"1\", \"args\": \"()\"}}\n"
        )
    };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.jsonlog");
    let text = line(1, "None") + &line(2, "Traceback: gone") + &line(3, "None");
    std::fs::write(&path, text).unwrap();
    let rows = objects(&ok(&["keys", "--format", "jsonl", path.to_str().unwrap()]));
    let row = rows.iter().find(|r| r["key"] == "exc_text").unwrap();
    assert_eq!((&row["events"], &row["distinct"]), (&1.into(), &Json::Null));
}

#[test]
fn an_empty_folder_that_is_followed_is_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = command(&["events", "-f", dir.path().to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let line = "2026-11-20 13:01:00,000 INFO begin\n2026-11-20 13:01:01,000 INFO end\n";
    fs::write(dir.path().join("app.log"), line).unwrap();
    let mut first = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut first).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(first.contains("begin"), "{first}");
}

#[test]
fn a_broken_file_of_the_user_disables_itself_alone() {
    let config = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &[u8]| {
        let path = config.path().join("widetui").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    file("systems/bad.toml", b"name = \"bad\"\n[[layout");
    file("systems/binary.toml", b"\xff\xfe");
    file("systems/good.toml", b"name = \"good\"\n");
    let run = |args: &[&str]| {
        let program = Command::new(env!("CARGO_BIN_EXE_widetui"))
            .args(args)
            .env("XDG_CONFIG_HOME", config.path())
            .output();
        program.unwrap()
    };
    let logs = hung();
    for args in [&["systems"][..], &["sources", &logs]] {
        let out = run(args);
        let reported = text(&out.stderr);
        assert_eq!(out.status.code(), Some(0), "{args:?}: {reported}");
        assert_eq!(reported.lines().count(), 2, "{reported}");
        assert!(reported.contains("systems/bad.toml:2:9: "), "{reported}");
        assert!(
            reported.contains("binary.toml: cannot be read: "),
            "{reported}"
        );
    }
    let listed = text(&run(&["systems"]).stdout);
    assert!(listed.contains("good.toml") && !listed.contains("bad.toml"));
    // A definition that the command line names is required.
    let path = config.path().join("widetui/systems/bad.toml");
    let out = run(&["sources", "--system", path.to_str().unwrap(), &logs]);
    assert_eq!(out.status.code(), Some(2));
}
