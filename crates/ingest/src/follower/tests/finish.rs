//! Tests: clocks, runs and attachments that later records show are those of a load at once.

use std::fs;
use std::path::Path;

use super::{Live, SOON, all, line};
use crate::load;
use crate::options::OpenOptions;
use widetui_store::Snapshot;
use widetui_time::zone::Zone;

fn options(dir: &Path) -> OpenOptions {
    OpenOptions {
        zone: None,
        fallback_zone: Zone::Utc,
        ..super::options(dir)
    }
}

/// Results of the steps after reading, one line for each source with records.
fn conclusions(snapshot: &Snapshot) -> Vec<String> {
    let logs = snapshot.sources.iter().filter(|s| s.stats.records() > 0);
    let mut out: Vec<String> = logs
        .map(|s| {
            let key = |(key, code): &(_, _)| {
                let key = snapshot.catalog.keys.get(*key).unwrap();
                format!("{}={}", key.key.name, key.spelling(*code).unwrap())
            };
            let mut keys: Vec<String> = s.consts.iter().map(key).collect();
            keys.sort();
            format!("{} {} {} {:?}", s.path, s.kind, keys.join(" "), s.zoning)
        })
        .collect();
    out.sort();
    out
}

/// Compares the run with a load of its files, and returns the conclusions.
fn check_end(live: &Live) -> String {
    let options = options(live.dir.path());
    let (whole, _) = load::load_all(&options, &Default::default(), Default::default()).unwrap();
    assert_eq!(conclusions(&live.snapshot), conclusions(&whole));
    assert_eq!(all(&live.snapshot), all(&whole));
    let hidden = |s: &Snapshot| s.duplicates.len();
    assert_eq!(hidden(&live.snapshot), hidden(&whole));
    conclusions(&whole).join("\n")
}

const IDS: [&str; 3] = [
    "57dc5d02-64da-4e5c-b7eb-98d8c2a2c1fa",
    "a0b1c2d3-64da-4e5c-b7eb-98d8c2a2c1fb",
    "0f1e2d3c-64da-4e5c-b7eb-98d8c2a2c1fc",
];

#[test]
fn a_clock_is_corrected_when_records_of_both_logs_prove_it() {
    let dir = tempfile::tempdir().unwrap();
    // The log with a zone lasts all day, so the time ranges prove nothing.
    let stated = |hour: u32, minute: u32, id: &str| {
        format!(
            "{{\"time\": \"2026-11-20T{hour:02}:{minute:02}:07Z\", \"level\": \"info\", \"msg\": \"took it\", \"request\": \"{id}\"}}\n"
        )
    };
    fs::write(dir.path().join("server.jsonl"), stated(1, 0, "none")).unwrap();
    let options = options(dir.path());
    let mut live = Live::open_with(dir, &options);
    for (at, id) in IDS.iter().enumerate() {
        let minute = 10 + at as u32;
        let local =
            format!("2026-11-20 13:{minute:02}:07,000 client INFO sent request={id} to it\n");
        live.append("client.log", local.as_bytes());
        live.poll(SOON);
        live.append("server.jsonl", stated(19, minute, id).as_bytes());
        live.poll(SOON * 6);
    }
    live.append("server.jsonl", stated(23, 0, "none").as_bytes());
    live.settle();
    let found = check_end(&live);
    assert!(
        found.contains("records about the same instances"),
        "{found}"
    );
}

/// Record of a Parsl run.
fn parsl(second: u32, text: &str) -> String {
    format!(
        "1763689399.{second:06} 2025-11-21 01:43:{second:02} MainProcess-3288 MainThread-1 parsl.dataflow.dflow:101 launch_task INFO: {text}\n"
    )
}

#[test]
fn a_copy_outside_its_run_gets_the_run_once_it_shows() {
    let records: Vec<String> = (0..12)
        .map(|n| parsl(n, &format!("Task {n} done")))
        .collect();
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("runinfo/000")).unwrap();
    fs::write(dir.path().join("runinfo/000/parsl.log"), &records[0]).unwrap();
    let options = options(dir.path());
    let mut live = Live::open_with(dir, &options);
    live.append("mail/sent.txt", records.concat().as_bytes());
    live.settle();
    check_end(&live);
    for record in &records[1..] {
        live.append("runinfo/000/parsl.log", record.as_bytes());
        live.poll(SOON);
    }
    live.settle();
    let found = check_end(&live);
    assert_eq!(found.matches("parsl.rundir=000 ").count(), 2, "{found}");
    assert_eq!(live.snapshot.duplicates.len(), 12);
}

#[test]
fn runs_of_one_name_are_named_apart_as_they_come() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("one/000")).unwrap();
    fs::write(
        dir.path().join("one/000/parsl.log"),
        parsl(1, "Task 1 done"),
    )
    .unwrap();
    let options = options(dir.path());
    let mut live = Live::open_with(dir, &options);
    for (at, name) in ["two", "three", "deep/one"].into_iter().enumerate() {
        let run = parsl(2 + at as u32, "Parsl run initializing in rundir: /x/000");
        live.append(&format!("{name}/000/parsl.log"), run.as_bytes());
        live.settle();
        let own = parsl(20 + at as u32, "Parsl run initializing in rundir: /y/000");
        live.append("one/000/parsl.log", own.as_bytes());
        live.settle();
        check_end(&live);
    }
}

#[test]
fn a_log_beside_others_shows_that_their_folder_is_flat() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("other.log"), line(1, 1)).unwrap();
    let options = options(dir.path());
    let mut live = Live::open_with(dir, &options);
    let names = ["x/all/interchange.log", "x/all/parsl.log"];
    live.append(
        names[0],
        b"2025-11-21 01:44:05.000 interchange:1 MainProcess(7) MainThread start [INFO]  Starting\n",
    );
    live.settle();
    live.append(names[1], parsl(3, "Task 1 done").as_bytes());
    live.settle();
    check_end(&live);
}
