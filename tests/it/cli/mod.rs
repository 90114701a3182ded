//! Commands: names of fields, exit codes, error messages, output that can be read back.

mod arguments;
mod colours;
mod composed_keys;
mod context_lines;
mod drafts;
mod explorer_agreement;
mod exports;
mod followed_joins;
mod interrupted;
mod mcp;
mod missing;
mod names;
mod options;
mod output_formats;
mod parquet;
mod quantities;
mod run_store;
mod several_systems;
mod shared_logs;
mod traces;
mod typed_joins;
mod watch;
mod zones;

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Map, Value as Json};
use widetui_testing::runs;

fn hung() -> String {
    runs::data().join("hung").display().to_string()
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_widetui"));
    command
        .args(args)
        .env_remove("XDG_CONFIG_HOME")
        .env("HOME", "/nonexistent")
        .env("TZ", "UTC");
    command
}

fn run(args: &[&str]) -> Output {
    command(args).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Runs a command that must go well without a word on standard error.
fn ok(args: &[&str]) -> String {
    let out = run(args);
    assert_eq!(
        out.status.code(),
        Some(0),
        "{args:?}: {}",
        text(&out.stderr)
    );
    assert_eq!(text(&out.stderr), "", "{args:?}");
    text(&out.stdout)
}

/// Rows of JSON lines, without the version of the fields in the first.
fn objects(lines: &str) -> Vec<Map<String, Json>> {
    let mut rows = raw_objects(lines);
    rows.iter_mut().take(1).for_each(|row| {
        row.shift_remove("_schema");
    });
    rows
}

fn raw_objects(lines: &str) -> Vec<Map<String, Json>> {
    lines
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect()
}

/// Runs a command that must end with this code; gives what it says on standard error.
fn fails(code: i32, args: &[&str]) -> String {
    let out = run(args);
    assert_eq!(
        out.status.code(),
        Some(code),
        "{args:?}: {}",
        text(&out.stderr)
    );
    text(&out.stderr)
}

fn names(object: &Map<String, Json>) -> BTreeSet<&str> {
    object.keys().map(String::as_str).collect()
}

#[test]
fn events_have_their_five_fields_first_and_then_their_keys() {
    let lines = ok(&["events", &hung(), "--format", "jsonl"]);
    let events = objects(&lines);
    assert!(events.len() > 3600, "{}", events.len());
    for event in &events {
        let first: Vec<&str> = event.keys().take(5).map(String::as_str).collect();
        assert_eq!(first, ["time", "source", "level", "message", "template"]);
    }
    let times: Vec<&str> = events.iter().filter_map(|e| e["time"].as_str()).collect();
    assert!(
        times.iter().all(|t| t.len() == 30 && t.ends_with('Z')),
        "RFC 3339 with nanoseconds"
    );
    let event = events
        .iter()
        .find(|e| {
            e["message"] == "Starting DataFlowKernel with config"
                || e["message"]
                    .as_str()
                    .unwrap()
                    .starts_with("Starting DataFlowKernel")
        })
        .unwrap();
    assert_eq!(event["time"], "2026-11-21T01:43:19.358003000Z");
    assert_eq!(event["level"], "info");
}

#[test]
fn sources_have_the_promised_fields() {
    let sources = objects(&ok(&["sources", &hung(), "--format", "jsonl"]));
    let promised = BTreeSet::from([
        "source", "path", "system", "layout", "records", "bytes", "first", "last", "levels",
        "problems", "zone",
    ]);
    assert!(sources.iter().all(|s| promised.is_subset(&names(s))));
    // The tables of a database are sources of their own.
    let is_file = |s: &&Map<String, Json>| !s["path"].as_str().unwrap().contains(".db/");
    let files = sources.iter().filter(is_file).count();
    assert_eq!(files, runs::files(&runs::data().join("hung")).len());
    let parsl = sources
        .iter()
        .find(|s| s["path"].as_str().unwrap().ends_with("/parsl.log"))
        .unwrap();
    assert_eq!(parsl["records"], 1038);
    assert_eq!(
        parsl["levels"],
        serde_json::json!({"debug": 643, "info": 395})
    );
    assert_eq!(parsl["first"], "2026-11-21T01:43:19.358003000Z");
    assert_eq!(parsl["bytes"], 190_452);
    assert!(parsl["problems"].as_array().unwrap().is_empty());
}

#[test]
fn keys_have_the_promised_fields_and_counts_that_agree_with_the_events() {
    let keys = objects(&ok(&["keys", &hung(), "--format", "jsonl"]));
    let promised = BTreeSet::from(["key", "type", "events", "distinct"]);
    assert!(keys.iter().all(|k| promised.is_subset(&names(k))));
    let values = objects(&ok(&[
        "keys",
        &hung(),
        "--key",
        "logger",
        "--format",
        "jsonl",
    ]));
    assert!(
        values
            .iter()
            .all(|v| names(v) == BTreeSet::from(["value", "events", "share"]))
    );
    let logger = keys.iter().find(|k| k["key"] == "logger").unwrap();
    let sum: u64 = values.iter().map(|v| v["events"].as_u64().unwrap()).sum();
    assert_eq!(logger["events"], sum);
    assert_eq!(logger["distinct"], values.len());
    let one = &values[0];
    let filter = format!("logger = \"{}\"", one["value"].as_str().unwrap());
    let events = objects(&ok(&[
        "events",
        &hung(),
        "--where",
        &filter,
        "--format",
        "jsonl",
    ]));
    assert_eq!(one["events"], events.len());
}

#[test]
fn limit_reverse_keys_since_until_and_same_choose() {
    let all = objects(&ok(&["events", &hung(), "--format", "jsonl"]));
    let first = objects(&ok(&[
        "events",
        &hung(),
        "--format",
        "jsonl",
        "--limit",
        "3",
    ]));
    assert_eq!(first, all[..3]);
    let last = objects(&ok(&[
        "events",
        &hung(),
        "--format",
        "jsonl",
        "--limit",
        "3",
        "--reverse",
    ]));
    let mut expected = all[all.len() - 3..].to_vec();
    expected.reverse();
    assert_eq!(last, expected);
    let few = objects(&ok(&[
        "events",
        &hung(),
        "--format",
        "jsonl",
        "--keys",
        "line,func",
        "--limit",
        "9",
    ]));
    assert!(few.iter().all(|e| e.len() <= 7));
    let (since, until) = ("2026-11-21T01:43:40Z", "2026-11-21T01:43:50Z");
    let some = objects(&ok(&[
        "events",
        &hung(),
        "--format",
        "jsonl",
        "--since",
        since,
        "--until",
        until,
    ]));
    let inside = |e: &&Map<String, Json>| {
        let time = e["time"].as_str().unwrap_or_default();
        time >= &since[..19] && time < &until[..19]
    };
    assert_eq!(some.len(), all.iter().filter(inside).count());
    assert!(some.len() > 50);
    let same = objects(&ok(&[
        "events",
        &hung(),
        "--same",
        "line=734",
        "--format",
        "jsonl",
    ]));
    assert!(!same.is_empty() && same.iter().all(|e| e["line"] == 734));
}

#[test]
fn keys_are_those_of_the_chosen_events() {
    let counted = |args: &[&str]| -> std::collections::BTreeMap<String, (u64, Option<u64>)> {
        let all = [&["keys"], args, &["--format", "jsonl"]].concat();
        let row = |k: &serde_json::Map<String, serde_json::Value>| {
            let name = k["key"].as_str().unwrap().to_owned();
            (
                name,
                (k["events"].as_u64().unwrap(), k["distinct"].as_u64()),
            )
        };
        objects(&ok(&all)).iter().map(row).collect()
    };
    let path = hung();
    let (all, some) = (
        counted(&[&path]),
        counted(&[&path, "--where", "parsl.task = 1"]),
    );
    // By another way: every key of every event that fits.
    let events = ok(&[
        "events",
        &path,
        "--where",
        "parsl.task = 1",
        "--format",
        "jsonl",
    ]);
    let mut wanted = std::collections::BTreeMap::<String, u64>::new();
    let mut tasks = BTreeSet::new();
    for event in objects(&events) {
        // A record may be about several tasks.
        match &event["parsl.task"] {
            Json::Array(several) => tasks.extend(several.iter().map(Json::to_string)),
            one => tasks.extend([one.to_string()]),
        }
        let own = ["time", "source", "level", "message", "template"];
        for key in event.keys().filter(|k| !own.contains(&k.as_str())) {
            *wanted.entry(key.clone()).or_default() += 1;
        }
    }
    assert!(wanted.keys().all(|k| some.contains_key(k)));
    for (key, (events, distinct)) in &some {
        let wanted = wanted.get(key).copied().unwrap_or(0);
        match distinct {
            Some(_) => assert_eq!(*events, wanted, "{key}"),
            // Its values are only in the text, where some turn out to be empty.
            None => assert!(*events >= wanted, "{key}"),
        }
    }
    assert_eq!(some["parsl.task"].1, Some(tasks.len() as u64));
    assert!(all["parsl.task"].0 > some["parsl.task"].0);
    // Without a choice, and with one that leaves nothing out.
    assert_eq!(
        counted(&[&path, "--where", "level >= trace or not level >= trace"]),
        all
    );
    fails(1, &["keys", &path, "--where", "parsl.task = 123456789"]);
}

#[test]
fn exit_codes_and_what_is_reported() {
    assert_eq!(
        fails(1, &["events", &hung(), "--where", "line = 123456789"]),
        ""
    );
    let said = fails(2, &["events", "/nonexistent/path"]);
    assert!(
        said.contains("/nonexistent/path") && said.contains("No such file"),
        "{said}"
    );
    let said = fails(2, &["event", &hung()]);
    assert!(
        said.contains("did you mean") && said.contains("events"),
        "{said}"
    );
    let said = fails(2, &["keys", &hung(), "--key", "logge"]);
    assert!(said.contains("did you mean `logger`"), "{said}");
    let said = fails(2, &["events", &hung(), "--no-such-option"]);
    assert!(said.contains("--no-such-option"), "{said}");
    let said = fails(2, &["events", &hung(), "--same", "nothing"]);
    assert!(said.contains("KEY=VALUE"), "{said}");
    let said = fails(2, &["events", &hung(), "--tz", "Mars/Olympus"]);
    assert!(said.contains("Mars/Olympus"), "{said}");
    let said = fails(
        2,
        &["export", &hung(), "-o", "/tmp/widetui-no-such-form.xyz"],
    );
    assert!(said.contains(".jsonl") && said.contains(".csv"), "{said}");
    assert_eq!(run(&["--help"]).status.code(), Some(0));
    let version = ok(&["--version"]);
    let (first, rest) = version.split_once('\n').unwrap();
    assert_eq!(first, concat!("widetui ", env!("CARGO_PKG_VERSION")));
    assert!(
        rest.starts_with("target: ") && rest.contains("\nfeatures: "),
        "{rest}"
    );
}

#[test]
fn errors_in_expressions_point_at_their_column() {
    for (filter, column) in [
        ("line = ", 7),
        ("line = 1 and (func = x", 13),
        ("level >= loud", 9),
    ] {
        let said = fails(2, &["events", &hung(), "--where", filter]);
        let lines: Vec<&str> = said.lines().collect();
        let at = lines
            .iter()
            .position(|l| l.contains('^'))
            .unwrap_or_else(|| panic!("no caret: {said}"));
        let text = lines[at - 1];
        let start = text
            .find(filter.trim_end())
            .unwrap_or_else(|| panic!("the expression is not shown: {said}"));
        let caret = lines[at].find('^').unwrap() - start;
        assert!(
            caret.abs_diff(column) <= 1,
            "{filter}: column {caret}: {said}"
        );
    }
}

#[test]
fn a_partly_unreadable_input_prints_the_rest_and_says_what_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::copy(
        runs::data().join("hung/000/database_manager.log"),
        dir.path().join("a.log"),
    )
    .unwrap();
    std::fs::write(
        dir.path().join("b.log.gz"),
        [0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8],
    )
    .unwrap();
    let out = run(&["events", dir.path().to_str().unwrap()]);
    assert_eq!(out.status.code(), Some(0));
    assert_eq!(text(&out.stdout).lines().count(), 3);
    let said = text(&out.stderr);
    assert!(
        said.lines().count() == 1 && said.contains("b.log.gz"),
        "{said}"
    );
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let mut child = command(&["events", &hung(), "--format", "jsonl"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut start = [0; 100];
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut start).unwrap();
    drop(out);
    let mut said = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    assert_eq!(said, "");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// Gives `input` to a command on standard input.
fn feed(args: &[&str], input: &str) -> Output {
    let mut child = command(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let out = child.wait_with_output().unwrap();
    let _ = writer.join().unwrap();
    out
}

#[test]
fn times_without_a_year_on_standard_input_are_of_this_one() {
    let line = "Nov 21 02:00:01 n1 sshd[12]: session opened\n";
    let out = feed(&["events", "-", "--format", "jsonl"], line);
    let events = objects(&text(&out.stdout));
    let time = events[0]["time"].as_str().unwrap();
    assert!(time > "2025-", "{time}");
}

#[test]
fn what_is_written_is_read_back() {
    for case in ["hung", "other", "multi.tar.gz"] {
        let path = runs::data().join(case).display().to_string();
        let written = ok(&["events", &path, "--format", "jsonl"]);
        let out = feed(&["events", "-", "--format", "jsonl"], &written);
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        let read = text(&out.stdout);
        let (mut written, mut read) = (objects(&written), objects(&read));
        // Sources with whole seconds keep the order of their file; written with nanoseconds they are sorted by time.
        let place = |e: &Map<String, Json>| Json::Object(e.clone()).to_string();
        for list in [&mut written, &mut read] {
            for event in list.iter_mut() {
                event.sort_keys();
            }
            list.sort_by_cached_key(place);
        }
        for (a, b) in written.iter().zip(&read) {
            assert_eq!(a, b);
        }
        assert_eq!(written.len(), read.len());
    }
}

#[test]
fn standard_input_takes_a_log() {
    let log = std::fs::read_to_string(runs::data().join("hung/000/parsl.log")).unwrap();
    let sources = |out: Output| objects(&text(&out.stdout))[0].clone();
    let source = sources(feed(&["sources", "-", "--format", "jsonl"], &log));
    assert_eq!(source["records"], 1038);
    assert_eq!(source["path"], "-");
}

#[test]
fn export_writes_the_same_events_in_each_form() {
    let dir = tempfile::tempdir().unwrap();
    let expected = ok(&[
        "events",
        &hung(),
        "--format",
        "jsonl",
        "--where",
        "level >= info",
    ]);
    for name in ["a.jsonl", "a.jsonl.gz", "a.csv"] {
        let path = dir.path().join(name);
        assert_eq!(
            ok(&[
                "export",
                &hung(),
                "-o",
                path.to_str().unwrap(),
                "--where",
                "level >= info"
            ]),
            ""
        );
        let bytes = std::fs::read(&path).unwrap();
        let mut found = String::new();
        if name.ends_with(".gz") {
            flate2::read::GzDecoder::new(&bytes[..])
                .read_to_string(&mut found)
                .unwrap();
        } else {
            found = text(&bytes);
        }
        if name.ends_with(".csv") {
            assert!(
                found.starts_with("time,source,level,message,template,"),
                "{}",
                &found[..80]
            );
            assert!(found.lines().count() > expected.lines().count());
        } else {
            // Besides, an export says where each record came from.
            let mut found = objects(&found);
            for event in &mut found {
                event.retain(|name, _| !["_source", "_at", "_derived"].contains(&name.as_str()));
            }
            assert!(found == objects(&expected), "{name}");
        }
    }
}

#[test]
fn text_is_for_people() {
    let events = ok(&["events", &hung(), "--limit", "5"]);
    assert!(events.starts_with("2026-11-21 01:43:19.358003"), "{events}");
    let shifted = ok(&[
        "events",
        &hung(),
        "--limit",
        "5",
        "--display-tz",
        "America/Chicago",
    ]);
    assert!(
        shifted.starts_with("2026-11-20 19:43:19.358003"),
        "{shifted}"
    );
    let sources = ok(&["sources", &hung()]);
    assert!(
        sources.contains("1,038") && sources.contains("listed, not read"),
        "{sources}"
    );
    assert!(ok(&["keys", &hung()]).contains("logger"));
    assert!(ok(&["completions", "bash"]).contains("widetui"));
    // At an option whose value is missing the script reads the words before it.
    let fish = ok(&["completions", "fish"]);
    let again = "\n    or argparse -s (__fish_widetui_global_optspecs) -- $cmd[1..-2] 2>/dev/null\n    or return\n";
    assert_eq!(fish.matches(again).count(), 1, "{fish}");
    assert!(ok(&["man"]).contains(".TH widetui"));
}

#[test]
fn shift_moves_a_source() {
    let first = |extra: &[&str]| {
        let path = format!("{}/000/parsl.log", hung());
        let args = [
            &["events", &path, "--limit", "1", "--format", "jsonl"][..],
            extra,
        ]
        .concat();
        objects(&ok(&args))[0]["time"].as_str().unwrap().to_owned()
    };
    assert_eq!(first(&[]), "2026-11-21T01:43:19.358003000Z");
    assert_eq!(
        first(&["--shift", "parsl.log=-1.5"]),
        "2026-11-21T01:43:17.858003000Z"
    );
}

#[test]
fn entities_are_those_that_the_chosen_events_are_about() {
    let filter = "parsl.app = wait_for_file";
    let args = [
        "entities",
        "--of",
        "parsl.task",
        &hung(),
        "--format",
        "jsonl",
    ];
    let all = objects(&ok(&args));
    let some = objects(&ok(&[&args[..], &["--where", filter]].concat()));
    let wanted: Vec<&Map<String, Json>> = all
        .iter()
        .filter(|t| t["label"] == "wait_for_file")
        .collect();
    assert!(!wanted.is_empty() && wanted.len() < all.len());
    assert_eq!(some.iter().collect::<Vec<_>>(), wanted);
    // The table of kinds counts the same.
    let kinds = objects(&ok(&[
        "entities",
        &hung(),
        "--format",
        "jsonl",
        "--where",
        filter,
    ]));
    let tasks = kinds.iter().find(|k| k["entity"] == "parsl.task");
    assert_eq!(tasks.unwrap()["instances"], wanted.len());
    // In a stretch of time: who has an event there.
    let one = ok(&[&args[..], &["--since", "2026-11-21T01:44:03Z"]].concat());
    assert!(objects(&one).len() < all.len());
    fails(1, &[&args[..], &["--where", "parsl.app = nobody"]].concat());
}

/// A selection chooses findings; their contents are those of the whole run.
#[test]
fn a_standstill_is_named_where_no_work_is_recognised() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("cells.log");
    let mut log = String::new();
    let mut at = 0;
    let mut line = |text: &str| {
        at += 1;
        log += &format!(
            "2026-11-30 12:{:02}:{:02}.000 INFO {text}\n",
            at / 60,
            at % 60
        );
    };
    for cell in 0..6 {
        line(&format!("cell {cell} acquired token"));
        if cell < 5 {
            line(&format!("cell {cell} released token"));
        }
    }
    line("cell 6 waiting for token");
    line("cell 7 waiting for token");
    std::fs::write(&path, log).unwrap();
    let path = path.display().to_string();
    let out = run(&["hung", &path, "--exit-code"]);
    let said = text(&out.stdout);
    assert_eq!(out.status.code(), Some(1), "{said}");
    assert!(said.contains("Cell 5 left the usual course"), "{said}");
    let rows = objects(&ok(&["hung", &path, "--format", "jsonl"]));
    assert!(rows.iter().any(|row| row["kind"] == "left"), "{rows:?}");
    // Recognised work is judged by its states.
    assert!(!ok(&["hung", &hung()]).contains("standing still"));
}

#[test]
fn what_hangs_and_what_is_wrong_take_a_selection() {
    let of = |options: &[&str]| {
        let path = hung();
        let args = [&["hung", "--format", "jsonl"], options, &[path.as_str()]].concat();
        let all = objects(&ok(&args));
        let (summary, rest) = all.split_last().unwrap();
        (rest.to_vec(), summary.clone())
    };
    let is_thing = |o: &&Map<String, Json>| o["kind"] == "entity";
    let (all, whole) = of(&[]);
    assert_eq!(all.iter().filter(is_thing).count(), 13);
    // One that waits: alone, with the same root, age and waiters.
    let (one, summary) = of(&["--where", "parsl.task = 37"]);
    let things: Vec<&Map<String, Json>> = one.iter().filter(is_thing).collect();
    assert_eq!(things.len(), 1, "{things:?}");
    let number = |o: &Map<String, Json>| o["id"]["parsl.task"].clone();
    let same = all.iter().filter(is_thing).find(|o| number(o) == 37);
    assert_eq!(Some(things[0]), same);
    assert_eq!(
        (&summary["unfinished"], &summary["roots"]),
        (&1.into(), &0.into())
    );
    let said = summary["text"].as_str().unwrap();
    for part in [
        "0 of 1 selected task ended. 1 of the 13 unfinished work items has records in the selection",
        "Task 37 (analyse) has been in state `pending` since",
        "waits for task 24 (wait_for_file)",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("never ended"), "{said}");
    let shown = ok(&["hung", "--same", "parsl.task=37", &hung()]);
    assert!(
        shown.contains("held up by  task 24 (wait_for_file) launched for 58.8 s since 01:43:31"),
        "{shown}"
    );
    // All of it; what ended; nothing at all.
    let (some, summary) = of(&["--where", "source = dfk"]);
    assert_eq!(some.iter().filter(is_thing).count(), 13);
    assert_eq!(summary["roots"], whole["roots"]);
    let (none, summary) = of(&["--where", "parsl.task = 1"]);
    assert_eq!(none.iter().filter(is_thing).count(), 0);
    let said = summary["text"].as_str().unwrap();
    assert!(
        said.contains("None of the 13 unfinished work items has a record in the selection."),
        "{said}"
    );
    for command in ["hung", "diagnose"] {
        fails(1, &[command, "--since", "2030-01-01", &hung()]);
        fails(2, &[command, "--where", "parsl.tsk = 37", &hung()]);
    }
    // Findings likewise.
    let findings = |options: &[&str]| {
        let path = hung();
        let args = ["diagnose", "--format", "jsonl"];
        let mut all = objects(&ok(&[&args, options, &[path.as_str()]].concat()));
        // At the end stands what they come to, as in the text.
        let last = all.pop().unwrap();
        assert_eq!(
            (&last["kind"], &last["count"]),
            (&"summary".into(), &all.len().into())
        );
        assert!(
            last["text"].as_str().unwrap().contains("Examined"),
            "{last:?}"
        );
        assert_eq!(last["elsewhere"] != 0, !options.is_empty());
        all
    };
    let (all, some) = (findings(&[]), findings(&["--where", "parsl.task = 24"]));
    let titles = |of: &[Map<String, Json>]| -> Vec<String> {
        of.iter().map(|f| f["title"].to_string()).collect()
    };
    let (all, some) = (titles(&all), titles(&some));
    assert!(!some.is_empty() && some.len() < all.len(), "{some:?}");
    assert!(some.iter().all(|title| all.contains(title)), "{some:?}");
    assert!(some[0].contains("ask 24"), "{some:?}");
    let shown = ok(&["diagnose", "--where", "parsl.task = 24", &hung()]);
    let reported = format!("{} of {} findings ha", some.len(), all.len());
    let shown = shown.replace('\n', " ");
    assert!(shown.contains(&reported), "{reported}: {shown}");
}

#[test]
fn a_table_of_facts_brings_its_own_join() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let campaigns = write(
        "campaigns.csv",
        "parsl.task,campaign\n0,alpha\n1,alpha\n24,beta\n",
    );
    // What one table reports another one goes by.
    let owners = write(
        "owners.jsonl",
        "{\"campaign\": \"alpha\", \"owner\": \"ann\"}\n{\"campaign\": \"beta\", \"owner\": \"bob\"}\n",
    );
    let hung = hung();
    let both = ["--facts", &campaigns, "--facts", &owners];
    let asked = |args: &[&str]| {
        objects(&ok(
            &[args, &["--format", "jsonl"], &both, &[&hung]].concat()
        ))
    };
    let all = asked(&["joins"]);
    let joins: Vec<_> = all.iter().filter(|j| j["system"] == "facts").collect();
    let reported = |at: usize| (&joins[at]["join"], &joins[at]["by"], &joins[at]["gives"]);
    assert_eq!(joins.len(), 2);
    assert_eq!(
        reported(0),
        (
            &"facts campaigns.csv".into(),
            &serde_json::json!(["parsl.task"]),
            &serde_json::json!(["campaign"])
        )
    );
    assert_eq!(
        reported(1),
        (
            &"facts owners.jsonl".into(),
            &serde_json::json!(["campaign"]),
            &serde_json::json!(["owner"])
        )
    );
    assert!(joins.iter().all(|j| j["conflicts"] == 0));
    // Records of logs have it now, with the join that gave it.
    let events = asked(&["events", "--same", "owner=bob", "--provenance"]);
    let logged: Vec<_> = events.iter().filter(|e| !e["time"].is_null()).collect();
    assert!(logged.len() > 5);
    for event in logged {
        assert_eq!(event["_derived"]["campaign"], "facts campaigns.csv");
        assert_eq!(event["_derived"]["owner"], "facts owners.jsonl");
    }
    let tries = asked(&["spans", "parsl.try", "--summary", "--by", "campaign"]);
    let groups: Vec<_> = tries.iter().map(|g| (&g["group"], &g["count"])).collect();
    assert!(groups.contains(&(&"alpha".into(), &2.into())), "{groups:?}");
    assert!(groups.contains(&(&"beta".into(), &1.into())), "{groups:?}");
    let tasks = asked(&["entities", "--of", "parsl.task", "--where", "owner=bob"]);
    assert_eq!(tasks.len(), 1);
    assert_eq!(tasks[0]["id"]["parsl.task"], 24);
    // They are chosen as others are.
    let named = ["--join", "facts campaigns.csv"];
    let some = asked(&[&["joins"], &named[..]].concat());
    assert_eq!(some.len(), 1);
    let campaigned = ["events", "--where", "campaign=beta"];
    let few = asked(&[&campaigned[..], &["--join", "none"]].concat());
    assert_eq!(few.len(), 2);
    assert!(few.iter().all(|e| e["time"].is_null()));
    let more = asked(&[&campaigned[..], &named].concat());
    assert!(more.len() > few.len());
    // A table of the run itself implies nothing.
    let in_run = dir.path().join("run");
    std::fs::create_dir(&in_run).unwrap();
    for file in ["app.jsonl", "table.csv"] {
        let text = match file {
            "app.jsonl" => {
                "{\"time\": 1795225381.0, \"msg\": \"a\", \"job\": 1}\n{\"time\": 1795225382.0, \"msg\": \"b\", \"job\": 2}\n"
            }
            _ => "job,chain\n1,x\n2,y\n",
        };
        std::fs::write(in_run.join(file), text).unwrap();
    }
    let run = in_run.display().to_string();
    let chained = ["events", "--where", "chain=x", "--format", "jsonl", &run];
    assert_eq!(objects(&ok(&chained)).len(), 1);
    // Unless it is given as facts, too.
    let table = in_run.join("table.csv").display().to_string();
    let chained = [&chained[..], &["--facts", &table]].concat();
    assert_eq!(objects(&ok(&chained)).len(), 3);
}

#[test]
fn a_table_of_facts_goes_by_all_columns_that_records_have() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let log = |run: &str| {
        format!(
            "{{\"time\": 1795225381.0, \"msg\": \"a\", \"run\": \"{run}\", \"job\": 1}}\n\
             {{\"time\": 1795225382.0, \"msg\": \"b\", \"run\": \"{run}\", \"job\": 2}}\n"
        )
    };
    let (a, b) = (write("a.jsonl", &log("a")), write("b.jsonl", &log("b")));
    let chains = |table: &str| -> Vec<(String, String)> {
        let facts = write("chains.csv", table);
        let args = ["events", "--where", "has time", "--format", "jsonl"];
        let printed = ok(&[&args[..], &["--facts", &facts, &a, &b]].concat());
        let mut reported: Vec<(String, String)> = objects(&printed)
            .iter()
            .filter_map(|e| {
                let of = |key: &str| e[key].to_string();
                let chain = e.get("chain")?.as_str()?.to_owned();
                Some((of("run") + &of("job"), chain))
            })
            .collect();
        reported.sort();
        reported
    };
    let pairs = |list: &[(&str, &str)]| -> Vec<(String, String)> {
        let own = list.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned()));
        own.collect()
    };
    // A number alone means the job of that number in each run.
    assert_eq!(
        chains("job,chain\n1,x\n"),
        pairs(&[("\"a\"1", "x"), ("\"b\"1", "x")])
    );
    assert_eq!(
        chains("run,job,chain\na,1,x\nb,1,y\n"),
        pairs(&[("\"a\"1", "x"), ("\"b\"1", "y")])
    );
    // Rows that disagree report nothing.
    assert_eq!(chains("job,chain\n1,x\n1,y\n2,z\n").len(), 2);
    // Nothing is left to give: no join, and nothing to complain of.
    let facts = write("all.csv", "job,run\n1,a\n");
    let joins = ["joins", "--format", "jsonl", "--facts", &facts, &a];
    assert!(!fails(1, &joins).contains("joins nothing"));
    // No record has any of its columns.
    let facts = write("wrong.csv", "jbo,chain\n1,x\n");
    let out = run(&["joins", "--facts", &facts, &a]);
    let said = text(&out.stderr);
    assert!(
        said.contains("wrong.csv: joins nothing: no record has jbo or chain; did you mean job?"),
        "{said}"
    );
    let sources = run(&["sources", "--format", "jsonl", "--facts", &facts, &a]);
    assert!(text(&sources.stdout).contains("joins nothing"));
}

#[test]
fn a_selection_is_compared_with_another_or_with_the_rest() {
    let run = hung();
    let counts = |args: &[&str]| {
        let fixed = ["--format", "jsonl", "--of", "parsl.task", &run];
        let lines = objects(&ok(&[args, &fixed[..]].concat()));
        let count = lines.iter().find(|l| l["what"] == "count").unwrap();
        (count["a"].clone(), count["b"].clone())
    };
    let a = ["compare", "--a", "parsl.app = wait_for_file"];
    let b = ["--b", "parsl.app = report"];
    assert_eq!(counts(&[&a[..], &b[..]].concat()), (1.into(), 6.into()));
    assert_eq!(counts(&a), (1.into(), 48.into()));
    let reported = fails(2, &["compare", "--b", "parsl.task = 1", &run]);
    assert!(reported.contains("--a"), "{reported}");
    let reported = fails(
        1,
        &[
            "compare",
            "--a",
            "parsl.app = y",
            "--b",
            "parsl.app = x",
            &run,
        ],
    );
    assert!(
        reported.contains("no record matches parsl.app = x"),
        "{reported}"
    );
}

#[test]
fn what_differs_is_asked_among_some_events() {
    let run = hung();
    let expr = "message ~ ^Completed";
    let source = |args: &[&str]| {
        let base = ["contrast", expr, "--format", "jsonl"];
        let lines = objects(&ok(&[&base[..], args, &[run.as_str()]].concat()));
        let mut all = lines.iter().map(|l| l["key"].as_str().unwrap().to_owned());
        all.any(|key| key == "source")
    };
    // Completions are in the logs of workers: among these alone that reports nothing.
    assert!(source(&[]));
    assert!(!source(&["--where", "source = w/0/1"]));
    fails(1, &["contrast", expr, "--where", "source = dfk", &run]);
}

#[test]
fn the_first_line_of_each_problem_is_reported_wherever_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let record = |n: u32| format!("{{\"time\":\"2026-03-02T14:00:0{n}Z\",\"msg\":\"step\"}}\n");
    let log = format!(
        "{}{}no JSON\u{1b}[31m\n{}{{\n",
        record(1),
        record(2),
        record(3)
    );
    let plain = folder.path().join("app.jsonl");
    std::fs::write(&plain, &log).unwrap();
    let packed = folder.path().join("app.jsonl.gz");
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(log.as_bytes()).unwrap();
    std::fs::write(&packed, gz.finish().unwrap()).unwrap();
    for path in [plain, packed] {
        let path = path.display().to_string();
        let out = run(&["sources", "--format", "jsonl", &path]);
        let reported = objects(&text(&out.stdout));
        let spots = reported[0]["problem_lines"].as_array().unwrap();
        assert_eq!(spots.len(), 1, "one for each kind");
        assert_eq!(
            (&spots[0]["count"], &spots[0]["line"], &spots[0]["text"]),
            (&2.into(), &3.into(), &"no JSON\u{1b}[31m".into())
        );
        let out = run(&["sources", &path]);
        let reported = text(&out.stdout);
        assert!(
            reported.contains("problems:") && reported.contains("line 3: no JSON"),
            "{reported}"
        );
        assert!(!reported.contains('\u{1b}'), "{reported}");
    }
}

#[test]
fn a_trace_says_which_join_gave_each_key() {
    let run = hung();
    let args = [
        "trace",
        "parsl.task=24",
        "--provenance",
        "--format",
        "jsonl",
        &run,
    ];
    let steps = objects(&ok(&args));
    let given = |step: &Map<String, Json>| step["_derived"]["parsl.task"].clone();
    // The interchange knows the executor's number of it only.
    let of_worker = steps.iter().find(|s| s["source"] == "w/0/1").unwrap();
    assert!(given(of_worker).is_string(), "{of_worker:?}");
    assert_eq!(of_worker["via"], "join");
    assert!(
        steps
            .iter()
            .any(|s| given(s).is_null() && s["via"] == "direct")
    );
    let said = fails(2, &["trace", "parsl.task=24", "--provenance", &run]);
    assert!(said.contains("--format jsonl"), "{said}");
}

#[test]
fn what_lives_through_a_stretch_of_time_is_listed_though_it_writes_nothing_then() {
    let run = hung();
    // Long after the last words of task 24 and of the twelve that wait for it.
    let (since, until) = ("2026-11-21T01:44:25Z", "2026-11-21T01:44:28Z");
    let asked = |more: &[&str]| {
        let args = [
            "entities",
            "--of",
            "parsl.task",
            "--since",
            since,
            "--until",
            until,
        ];
        let rest = ["--format", "jsonl", &run];
        objects(&ok(&[&args[..], more, &rest[..]].concat()))
    };
    let tasks = asked(&[]);
    assert_eq!(tasks.len(), 13);
    assert!(tasks.iter().all(|t| t["final"] == false));
    // Which instances is asked of all their records.
    let one = asked(&["--where", "parsl.app = wait_for_file"]);
    assert_eq!(one.len(), 1);
    assert_eq!(one[0]["id"]["parsl.task"], 24);
    let kinds = [
        "entities", "--since", since, "--until", until, "--format", "jsonl", &run,
    ];
    let kinds = objects(&ok(&kinds));
    let tasks = kinds.iter().find(|k| k["entity"] == "parsl.task").unwrap();
    assert_eq!(tasks["instances"], 13);
    fails(
        1,
        &[
            "entities",
            "--of",
            "parsl.task",
            "--until",
            "2026-11-21T01:00:00Z",
            &run,
        ],
    );
}

/// Copies of the run that hangs, under these names.
fn copy_hung(to: &Path, names: [&str; 2]) {
    for name in names {
        let copied = Command::new("cp")
            .arg("-r")
            .args([hung().into(), to.join(name)])
            .status();
        assert!(copied.unwrap().success());
    }
}

/// A run beside a copy of itself: all paths of a record say the same, so it is known whose it is.
#[test]
fn a_run_beside_its_duplicate_is_about_the_same_instances() {
    let dir = tempfile::tempdir().unwrap();
    copy_hung(dir.path(), ["runinfo", "backup"]);
    let reported = |path: &str| {
        let out = run(&["trace", "parsl.task=24", "--format", "jsonl", path]);
        assert_eq!(out.status.code(), Some(0));
        let lines: Vec<serde_json::Value> = text(&out.stdout)
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let of_source = |l: &serde_json::Value| l["source"].as_str().map(str::to_owned);
        let mut sources: Vec<Option<String>> = lines.iter().map(of_source).collect();
        sources.retain(|s| {
            s.as_ref()
                .is_some_and(|s| s.contains("w/") || s.contains("mgr"))
        });
        sources.len()
    };
    let alone = reported(&hung());
    assert!(alone > 0);
    assert_eq!(reported(dir.path().to_str().unwrap()), alone);
}

#[test]
fn what_is_missing_of_several_paths_is_reported_and_the_others_are_read() {
    let both = ["/nonexistent/path", &hung()];
    let out = run(&[&["events", "--format", "jsonl", "--limit", "1"], &both[..]].concat());
    assert_eq!(out.status.code(), Some(0));
    assert_eq!(text(&out.stdout).lines().count(), 1);
    let said = text(&out.stderr);
    assert!(
        said.contains("/nonexistent/path") && said.contains("No such file"),
        "{said}"
    );
    let out = run(&["events", "/nonexistent/path", "/nonexistent/other"]);
    assert_eq!(out.status.code(), Some(2));
    assert_eq!(text(&out.stderr).lines().count(), 2);
}

#[test]
fn states_from_the_start_of_a_run_stand_at_its_times() {
    let hung = hung();
    let line = |options: &[&str]| {
        let all = ok(&[&["states", "parsl.task", &hung][..], options].concat());
        let pending = all.lines().find(|line| line.contains("pending "));
        let words = pending
            .unwrap()
            .split_whitespace()
            .skip_while(|w| *w != "pending");
        words.map(str::to_owned).collect::<Vec<String>>()
    };
    assert_eq!(line(&["--from-start"]), line(&[]));
}

#[test]
fn what_cannot_be_meant_is_reported() {
    let hung = hung();
    let cases: [(&[&str], &str); 4] = [
        (
            &["events", "--where", "parsl.task < abc", &hung],
            "`abc` is not a number",
        ),
        (&["latency", &hung], "is a path; ENTITY comes first"),
        (
            &["states", "parsl.task", "--final", "--from-start", &hung],
            "cannot be used with",
        ),
        (
            &[
                "throughput",
                "parsl.task",
                "--from-start",
                "--by",
                "parsl.app",
                &hung,
            ],
            "use --by run, not --by parsl.app",
        ),
    ];
    for (arguments, expected) in cases {
        let out = run(arguments);
        assert_eq!(out.status.code(), Some(2), "{arguments:?}");
        let said = text(&out.stderr);
        assert!(said.contains(expected), "{said}");
    }
    // No run has such a record: there is none to be listed.
    let out = run(&["runs", "--where", "parsl.app = nosuch", &hung]);
    assert_eq!((out.status.code(), text(&out.stdout).len()), (Some(1), 0));
}

/// Two DFKs of one process write each other's records: the path of such a record is not what it is about.
#[test]
fn a_run_directory_and_a_number_mean_one_task() {
    let multi = runs::data().join("multi.tar.gz");
    for rundir in ["000", "001"] {
        let wanted = format!("parsl.rundir={rundir},parsl.task=1");
        let out = run(&["trace", &wanted, multi.to_str().unwrap()]);
        assert_eq!(out.status.code(), Some(0));
        let said = text(&out.stderr);
        assert!(!said.contains("different things"), "{rundir}: {said}");
    }
}

/// The time that what is stuck has been where it is stands in none of the steps.
#[test]
fn latency_says_behind_which_step_something_is_stuck() {
    let said = ok(&["latency", "parsl.task", &hung()]);
    let line = said
        .lines()
        .find(|l| l.starts_with("1 task is unfinished, without an event after"));
    assert!(line.is_some_and(|l| l.ends_with("parsl.task=24")), "{said}");
}

/// A queue that works in a folder of another one at the same time is a run of its own: its records say so, and so does the list.
#[test]
fn runs_are_those_that_the_records_are_of() {
    let dir = tempfile::tempdir().unwrap();
    for (folder, pid, late) in [("x", 11, 0), ("x/later", 12, 700_000)] {
        let at = |t: u64| 1_795_225_556_046_374 + late + t;
        let mut log = format!(
            "# time manager_pid TASK taskid WAITING category_name\n\n{} {pid} MANAGER START\n",
            at(0)
        );
        for n in [1, 2] {
            for (time, said) in [
                (1_000, "WAITING align FIRST_RESOURCES {}"),
                (1_000_000, "RUNNING 127.0.0.1:47578  FIRST_RESOURCES {}"),
                (5_000_000, "DONE SUCCESS  0  {} {}"),
            ] {
                log.push_str(&format!("{} {pid} TASK {n} {said}\n", at(n * time)));
            }
        }
        log.push_str(&format!("{} {pid} MANAGER END\n", at(20_000_000)));
        std::fs::create_dir_all(dir.path().join(folder)).unwrap();
        std::fs::write(dir.path().join(folder).join("transaction_log"), log).unwrap();
    }
    let path = dir.path().to_str().unwrap();
    let rows = objects(&ok(&["runs", path, "--format", "jsonl"]));
    let row = |r: &Map<String, Json>| {
        let text = |key: &str| r[key].as_str().unwrap().to_owned();
        (text("run"), text("start"), text("end"))
    };
    let mut rows: Vec<_> = rows.iter().map(row).collect();
    rows.sort();
    let row = |run: &str, start: &str, end: &str| {
        let time = |t: &str| format!("2026-11-21T01:{t}");
        (run.to_owned(), time(start), time(end))
    };
    assert_eq!(
        rows,
        [
            row("later", "45:56.746374000Z", "46:16.746374000Z"),
            row("x", "45:56.046374000Z", "46:16.046374000Z")
        ]
    );
}

/// The first run of every program is `000`: two of them are distinguished by where they are.
#[test]
fn runs_whose_directories_have_one_name_are_distinguished() {
    let lost = runs::data().join("manager_lost.tar.gz");
    let (hung, lost) = (hung(), lost.display().to_string());
    for things in [
        "parsl.task",
        "parsl.executor_task",
        "parsl.worker",
        "parsl.block",
    ] {
        let count = |paths: &[&str]| {
            let command = [&["entities", "--of", things, "--format", "jsonl"], paths].concat();
            ok(&command).lines().count()
        };
        let apart = count(&[&hung]) + count(&[&lost]);
        assert_eq!(count(&[&hung, &lost]), apart, "{things}");
    }
    let both = ok(&["hung", &hung, &lost]);
    let alone = ok(&["hung", &hung]);
    assert!(
        both.contains("task 24 of hung/000 (wait_for_file)"),
        "{both}"
    );
    let place = "worker 1, manager 3619e747ac56, host login01, block 0";
    assert!(alone.contains(place) && both.contains(place), "{both}");
    // What a path and what a record says of a run is one instance.
    let where_ =
        "parsl.rundir = 000 or (parsl.rundir = hung/000 and parsl.rundir ~ \"lost.*/000\")";
    let none = run(&["events", "--where", where_, &hung, &lost]);
    assert_eq!(
        (none.status.code(), text(&none.stdout).as_str()),
        (Some(1), "")
    );
}

/// A copy of a run is the same run.
#[test]
fn a_copy_of_a_run_has_no_name_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    copy_hung(dir.path(), ["a", "b"]);
    let reported = ok(&["hung", dir.path().to_str().unwrap()]);
    assert!(reported.contains("task 24 (wait_for_file)"), "{reported}");
}
