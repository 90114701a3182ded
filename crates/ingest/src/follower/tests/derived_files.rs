//! Tests: files with derived records (framed logs, tables, JSON documents).

use std::fmt::Write;
use std::fs;
use std::time::Duration;

use super::{Live, SOON, all, check_end, counts};
use widetui_store::Snapshot;

/// Records of a worker, one with continuation lines that hold values.
const WORKER: [&str; 9] = [
    "2026-11-20 10:00:00,001 - distributed.worker - INFO - begins",
    "2026-11-20 10:00:01,002 - distributed.worker - ERROR - Compute Failed",
    "Key:       inc-abc",
    "State:     executing",
    "Exception: \"ValueError('größer')\"",
    "2026-11-20 10:00:02,003 - distributed.worker - WARNING - Compute Failed",
    "Key:       dec-abc",
    "2026-11-20 10:00:03,004 - distributed.worker - INFO - goes on",
    "2026-11-20 10:00:04,005 - distributed.worker - INFO - ends",
];

/// Records of two programs in one file, with log framing.
fn enveloped(around: impl Fn(&str, usize, &str) -> String) -> String {
    let mut out = String::new();
    for (at, line) in WORKER.iter().enumerate() {
        out += &around("one", at, line);
        out.push('\n');
        if at > 1 {
            out += &around("two", at, &line.replace("abc", "xyz"));
            out.push('\n');
        }
    }
    out
}

/// Names and texts of files of all kinds.
pub(in super::super) fn files() -> Vec<(String, Vec<u8>)> {
    let stamp = |at: usize| format!("2026-11-20T10:00:{at:02}.{at:09}Z");
    let object = enveloped(|who, at, line| {
        let stream = if who == "one" { "stderr" } else { "stdout" };
        let log = serde_json::to_string(&format!("{line}\n")).unwrap();
        let time = stamp(at);
        format!("{{\"log\":{log},\"stream\":\"{stream}\",\"time\":\"{time}\"}}")
    });
    let streamed = enveloped(|_, at, line| {
        let middle = line.char_indices().nth(7).map_or(line.len(), |c| c.0);
        let (start, end) = line.split_at(middle);
        let time = stamp(at);
        format!("{time} stderr P {start}\n{time} stderr F {end}")
    });
    let barred = enveloped(|who, _, line| format!("worker-{who}  | {line}"));
    let bracketed = enveloped(|who, _, line| format!("[pod/dask-{who}-7f/worker] {line}"));
    let service = enveloped(|who, at, line| {
        format!(
            "Nov 20 10:00:{at:02} node1 systemd[1]: Started {who}.\nNov 20 10:00:{at:02} node1 dask-{who}[17]: {line}"
        )
    });
    let (mut table, mut pretty, mut blocks) = (
        String::from("time,task,worker\n"),
        String::new(),
        String::new(),
    );
    for n in 0..40 {
        let _ = writeln!(
            table,
            "2026-11-20T10:00:{n:02}.5Z,{n},\"w, {n}\nüber zwei\""
        );
        let _ = writeln!(
            pretty,
            "{{\n  \"time\": \"2026-11-20T10:00:{n:02}.000001Z\",\n  \"level\": \"info\",\n  \"msg\": \"größer {n}\"\n}}"
        );
        let _ = writeln!(
            blocks,
            "JobId={n} JobName=hold\n   UserId=a(1) JobState=RUNNING\n   StartTime=2026-11-20T10:00:{n:02}\n"
        );
    }
    [
        ("docker/abc-json.log", object),
        ("pods/worker/0.log", streamed),
        ("compose.log", barred),
        ("kubectl.log", bracketed),
        ("messages", service),
        ("table.csv", table),
        ("spans.txt", pretty),
        ("jobs.txt", blocks),
    ]
    .map(|(name, text)| (name.to_owned(), text.into_bytes()))
    .into()
}

fn told(snapshot: &Snapshot) -> Vec<String> {
    counts(snapshot)
        .into_iter()
        .map(|(path, said)| format!("{path} {said}"))
        .collect()
}

#[test]
fn what_is_made_of_files_grows_with_them() {
    for (name, text) in files() {
        for step in [61, 900] {
            let dir = tempfile::tempdir().unwrap();
            fs::write(
                dir.path().join("a.log"),
                "2026-11-20 10:00:00,000 - app - INFO - is there\n",
            )
            .unwrap();
            let mut live = Live::open(dir);
            for part in text.chunks(step) {
                live.append(&name, part);
                live.poll(SOON);
            }
            live.settle();
            check_end(&live);
            let problems = live.problems();
            assert!(
                !problems.contains("reopen the run"),
                "{name} {step}: {problems}"
            );
        }
    }
}

#[test]
fn what_was_there_when_the_run_was_opened_goes_on() {
    for (name, text) in files() {
        let dir = tempfile::tempdir().unwrap();
        let line = text
            .iter()
            .skip(text.len() / 2)
            .position(|b| *b == b'\n')
            .unwrap();
        let half = text.len() / 2 + line + 1;
        let path = dir.path().join(&name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &text[..half]).unwrap();
        let mut live = Live::open(dir);
        let before = all(&live.snapshot).len();
        live.append(&name, &text[half..]);
        live.poll(SOON);
        assert!(
            all(&live.snapshot).len() > before,
            "{name}: {:?}",
            told(&live.snapshot)
        );
        live.settle();
        check_end(&live);
    }
}

#[test]
fn rows_that_were_read_are_not_read_again() {
    let (name, text) = files()
        .into_iter()
        .find(|(name, _)| name == "table.csv")
        .unwrap();
    let text = String::from_utf8(text).unwrap();
    let rows: Vec<&str> = text.split_inclusive("zwei\"\n").collect();
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join(&name), rows[..20].concat()).unwrap();
    let mut live = Live::open(dir);
    let first = live.snapshot.clone();
    live.append(&name, rows[20..].concat().as_bytes());
    live.poll(SOON);
    assert!(live.snapshot.extends(&first));
    assert_eq!(
        live.snapshot.len(),
        rows.len() - usize::from(rows.last() == Some(&""))
    );
    live.settle();
    check_end(&live);
}

#[test]
fn a_log_in_envelopes_that_rotates_keeps_its_parts() {
    let (name, text) = files()
        .into_iter()
        .find(|(name, _)| name == "compose.log")
        .unwrap();
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join(&name), "").unwrap();
    let mut live = Live::open(dir);
    live.append(&name, &text);
    live.poll(Duration::from_secs(11));
    let path = live.dir.path().join(&name);
    fs::rename(&path, live.dir.path().join("compose.log.1")).unwrap();
    live.append(&name, &text);
    live.settle();
    check_end(&live);
}
