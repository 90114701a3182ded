//! `widetui systems draft`: the draft of any log is a valid definition; loaded with it, the log has the same records and times,
//! and the mined keys under the names of the draft.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use proptest::prelude::*;
use serde_json::Value as Json;
use widetui_core::cancel::Cancel;
use widetui_draft::{DraftRequest, draft};
use widetui_format::check::check;
use widetui_format::definitions::systems::Systems;
use widetui_ingest::load::load_all;
use widetui_ingest::options::OpenOptions;
use widetui_session::meaning;
use widetui_store::Snapshot;
use widetui_testing::runs;
use widetui_testing::runs::unpacked;

fn load(path: &Path, systems: &[(String, String)]) -> Option<std::sync::Arc<Snapshot>> {
    let options = OpenOptions {
        paths: vec![path.to_owned()],
        systems: systems.to_vec(),
        ..OpenOptions::default()
    };
    let loaded = load_all(&options, &Cancel::default(), Default::default());
    loaded.ok().map(|l| l.0)
}

/// A draft, when there is something to make it of.
fn drafted(path: &Path) -> Option<String> {
    let asked = DraftRequest {
        name: "my".to_owned(),
        max_patterns: 1000,
    };
    let snapshot = load(path, &[])?;
    let made = draft(&snapshot, &asked, &Cancel::default());
    made.ok().map(|d| d.text)
}

/// Times of the records in their order, by source.
fn times(snapshot: &Snapshot) -> Vec<(String, Option<i64>)> {
    let events = (0..snapshot.len()).filter_map(|at| snapshot.at(at));
    events
        .map(|e| (e.source().path.clone(), e.time()))
        .collect()
}

/// Names and values of the keys of all records of sources that no definition knows, by source.
fn keys(snapshot: &Snapshot, of: &dyn Fn(&str) -> bool) -> Vec<BTreeSet<(String, String)>> {
    let events = (0..snapshot.len()).filter_map(|at| snapshot.at(at));
    let events = events.filter(|e| of(&e.source().path));
    events
        .map(|e| {
            let stored = e.stored().into_iter();
            stored
                .map(|(k, v, _)| (snapshot.catalog.keys.name(k).to_owned(), v.to_string()))
                .collect()
        })
        .collect()
}

/// Holds a draft to its promises; gives it.
fn hold(path: &Path) -> String {
    let text = drafted(path).unwrap_or_else(|| panic!("{}: no draft", path.display()));
    let errors: Vec<String> = check("my.toml", &text)
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(errors.is_empty(), "{}: {errors:#?}\n{text}", path.display());
    let mut systems = Systems::builtin();
    systems.add("my.toml", &text).unwrap();
    let system = systems.get("my").unwrap();
    assert_eq!(meaning::problems(system, &systems.words()), [], "{text}");
    let before = load(path, &[]).unwrap();
    let after = load(path, &[("my.toml".to_owned(), text.clone())]).unwrap();
    assert_eq!(times(&before), times(&after), "{}\n{text}", path.display());
    text
}

/// As `hold`, for logs that no definition describes and whose messages are all in the draft: all keys exist under the names of
/// the draft.
fn hold_keys(path: &Path) -> String {
    let text = hold(path);
    let before = load(path, &[]).unwrap();
    let after = load(path, &[("my.toml".to_owned(), text.clone())]).unwrap();
    let strangers: BTreeSet<String> = before
        .sources
        .iter()
        .filter(|s| s.system.is_none())
        .map(|s| s.path.clone())
        .collect();
    let of = |path: &str| strangers.contains(path);
    let (before, after) = (keys(&before, &of), keys(&after, &of));
    assert_eq!(before.len(), after.len());
    for (before, after) in before.iter().zip(&after) {
        for (name, value) in before {
            let drafted = format!("my.{}", name.strip_prefix("log.").unwrap_or(name));
            let named = [
                (drafted.clone(), value.clone()),
                (name.clone(), value.clone()),
            ];
            let is_drafted = text.contains(&format!("[keys.\"{drafted}\"]"));
            let found = named.iter().position(|pair| after.contains(pair));
            assert_eq!(
                found,
                Some(usize::from(!is_drafted)),
                "{name} = {value}: {after:?}\n{text}"
            );
        }
    }
    text
}

fn written(name: &str, bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    fs::write(&path, bytes).unwrap();
    (dir, path)
}

// ---- the law ------------------------------------------------------------------------------------------------------------

#[test]
fn drafts_of_logs_that_nobody_described_hold() {
    let dir = unpacked("strangers.tar.gz");
    for run in ["cwltool", "dramatiq", "luigi"] {
        hold_keys(&dir.path().join(run));
    }
    // Rare messages are left out, so that not all keys have a name.
    for run in ["rq", "snakemake", "ray"] {
        hold(&dir.path().join(run));
    }
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    hold(&data.join("queue-run"));
    for run in [
        "balsam", "dask", "redis", "slurm", "system", "otel", "academy",
    ] {
        hold(&data.join("other").join(run));
    }
}

/// Usual parts of messages, and such as mean something to patterns, globs and TOML.
const PIECES: &[&[u8]] = &[
    b"job 17",
    b"job 4 ",
    b" started on n042",
    b"state changed from queued to running",
    b"x=",
    b"status: done",
    b"{",
    b"}",
    b"{{",
    b"{}",
    b"{@a}",
    b"{a:int}",
    b"*",
    b"\"",
    b"'",
    b"'''",
    b"\\",
    b"\\u1",
    b"[",
    b"]",
    b"[x",
    b"(?i)^.*$",
    b"#",
    b"\t",
    b"\x1b[31m",
    b"\x00",
    b"\x07",
    b"\xff\xfe",
    "\u{202e}é".as_bytes(),
    b"1, 2, 3",
    b"3.5 s",
    b"-9",
    b"%",
    b" ",
    b": ",
    b"worker-3",
    b"4f65-a1",
    b"8c3a1b4e-1111-4222-8333-123456789abc",
    b"INFO",
    b"{\"a\": 1, \"b c\": \"x\"}",
    b"k=v",
];

fn piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        8 => proptest::sample::select(PIECES).prop_map(<[u8]>::to_vec),
        1 => proptest::collection::vec(any::<u8>().prop_filter("no line end", |b| *b != b'\n'), 0..12),
    ]
}

fn head() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "2026-01-02 03:04:05,678 [worker-3] INFO ",
        "2026-01-02 03:04:06,678 [main] ERROR ",
        "[12.04.26 17:03:21.250] solver/INFO ",
        "1767312000.5 ",
        "03:04:05 ",
        "INFO: ",
        "",
        "  ",
    ])
}

proptest! {
    #![proptest_config(runs::cases(40))]
    #[test]
    fn drafts_of_odd_logs_hold(
        usual in head(),
        lines in proptest::collection::vec((proptest::option::weighted(0.2, head()), proptest::collection::vec(piece(), 0..6)), 1..30),
        name in proptest::sample::select(vec!["a.log", "run_7.txt", "1.out", "{x}*'\" 3.log", "é\u{202e}\t.log"]),
    ) {
        let mut bytes = Vec::new();
        for (other, pieces) in lines {
            bytes.extend_from_slice(other.unwrap_or(usual).as_bytes());
            bytes.extend(pieces.concat());
            bytes.push(b'\n');
        }
        let (_dir, path) = written(name, &bytes);
        if drafted(&path).is_some() {
            hold(&path);
        }
    }
}

// ---- what is in it ------------------------------------------------------------------------------------------------------

/// A home-grown scheduler: jobs that start on nodes and end, one that fails, one that hangs.
fn scheduler() -> String {
    let mut log = String::new();
    for job in 1..=12 {
        let at = |ms: u32| format!("2026-01-02 03:{:02}:05,{ms:03}", job);
        let (worker, node) = (job % 3, job % 5);
        log += &format!(
            "{} [main] INFO job {job} submitted by user u{node}\n",
            at(100)
        );
        log += &format!(
            "{} [worker-{worker}] INFO job {job} started on node n{node:03}\n",
            at(200)
        );
        log += &format!(
            "{} [worker-{worker}] DEBUG job {job}: progress 50 %\n",
            at(300)
        );
        log += &format!(
            "{} [worker-{worker}] DEBUG job {job}: progress 90 %\n",
            at(400)
        );
        log += &match job {
            5 => format!(
                "{} [worker-{worker}] ERROR job {job} failed with exit code 137\n",
                at(500)
            ),
            12 => String::new(),
            _ => format!(
                "{} [worker-{worker}] INFO job {job} finished in {job}.5 s\n",
                at(500)
            ),
        };
    }
    log
}

#[test]
fn a_draft_says_what_a_log_is_about() {
    let (_dir, path) = written("sched-7.log", scheduler().as_bytes());
    let text = hold_keys(&path);
    for part in [
        "glob = [\"sched-*.log\"]",
        "pattern = \"{time:%Y-%m-%d %H:%M:%S%.f} [{process}] {level} {message}\"",
        "{ match = \"job {my.job:int} started on node {my.node}\", keys = { \"my.state\" = \"started\" } },",
        "\"job {my.job:int}: progress {my.progress:quantity}\",",
        "{ match = \"job {my.job:int} finished in {my.seconds:float} s\", keys = { \"my.state\" = \"finished\" } },",
        "# 24 records, 40 %",
        "[[entity]]\nname = \"my.job\"",
        "final = [\"failed\", \"finished\"]\nfailed = [\"failed\"]\nexecuting = [\"started\"]\nruns_in = [\"my.node\"]",
        "# [[join]]\n# name = \"node of job\"",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert_eq!(text.matches("[[sample]]").count(), 3, "{text}");
    // It is of use at once: the job that hangs is found.
    let dir = path.parent().unwrap();
    fs::write(dir.join("my.toml"), &text).unwrap();
    let out = run(
        dir,
        &[
            "hung",
            "--system",
            "my.toml",
            "--format",
            "jsonl",
            "sched-7.log",
        ],
    );
    let rows = String::from_utf8(out.stdout).unwrap();
    let rows: Vec<Json> = rows
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let stuck: Vec<&Json> = rows.iter().filter(|r| r["kind"] == "entity").collect();
    assert_eq!(stuck.len(), 1, "{rows:#?}");
    assert_eq!(
        (&stuck[0]["id"]["my.job"], &stuck[0]["state"]),
        (&Json::from(12), &Json::from("started"))
    );
}

#[test]
fn ends_that_have_no_usual_name_are_seen() {
    let mut log = String::new();
    for batch in 1..=12 {
        let at = |s: u32| format!("2026/01/02 03:{batch:02}:{s:02}");
        log += &format!("{} [INFO] accepted batch b-{batch:04x}\n", at(1));
        log += &format!(
            "{} [INFO] batch b-{batch:04x} assigned to a kettle\n",
            at(2)
        );
        log += &match batch {
            5 => format!("{} [ERROR] batch b-{batch:04x} spoiled: boil over\n", at(3)),
            9 => String::new(),
            _ => format!("{} [INFO] batch b-{batch:04x} bottled\n", at(3)),
        };
    }
    let (_dir, path) = written("brewery.log", log.as_bytes());
    let text = hold_keys(&path);
    let part = "final = [\"bottled\", \"spoiled\"]\nfailed = [\"spoiled\"]";
    assert!(text.contains(part), "{text}");
}

#[test]
fn records_of_json_have_their_fields_renamed() {
    let row = |n: usize, status: &str| {
        format!(
            "{{\"ts\": {}, \"taskId\": {n}, \"status\": \"{status}\", \"node\": \"n{}\"}}\n",
            1_767_312_000 + n,
            n % 3
        )
    };
    let log: String = (0..9)
        .map(|n| row(n, "running") + &row(n, "done"))
        .collect();
    let (_dir, path) = written("events.jsonl", log.as_bytes());
    let text = hold(&path);
    for part in [
        "\"taskId\" = \"my.task_id\"",
        "time = [\"ts\"]",
        "compose = \"taskId={taskId} status={status} node={node}\"",
        "state = \"my.status\"\nstates = [\"running\", \"done\"]\nfinal = [\"done\"]\nexecuting = [\"running\"]\nruns_in = [\"my.node\"]",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn fields_whose_values_are_states_are_the_states_of_an_entity() {
    for (field, words, id) in [
        (
            "ev",
            [
                "sample_started",
                "sample_progress",
                "sample_finished",
                "sample_failed",
            ],
            "sample",
        ),
        (
            "type",
            ["TaskStarted", "TaskProgress", "TaskFinished", "TaskFailed"],
            "taskId",
        ),
        (
            "action",
            [
                "job.submitted",
                "job.running",
                "job.completed",
                "job.failed",
            ],
            "job",
        ),
    ] {
        let row = |n: usize, second: usize, at: usize| {
            format!(
                "{{\"when\": \"2026-10-05T09:00:{second:02}Z\", \"sev\": \"info\", \"{field}\": \"{}\", \"{id}\": \"S{n}\", \"node\": \"n{}\"}}\n",
                words[at],
                n % 3
            )
        };
        let rows = |second, at| (0..9).map(move |n| (n, second, at));
        let all = rows(0, 0).chain(rows(9, 1));
        let all = all.chain((1..8).map(|n| (n, 20, 2))).chain([(8, 30, 3)]);
        let log: String = all.map(|(n, second, at)| row(n, second + n, at)).collect();
        let (dir, path) = written("events.jsonl", log.as_bytes());
        let text = hold(&path);
        let states = text
            .lines()
            .find(|line| line.starts_with("states = "))
            .unwrap();
        assert!(
            words
                .iter()
                .all(|word| states.contains(&format!("\"{word}\""))),
            "{states}"
        );
        let last = text
            .lines()
            .find(|line| line.starts_with("final = "))
            .unwrap();
        assert!(
            last.contains(words[2]) && last.contains(words[3]) && !last.contains(words[1]),
            "{last}"
        );
        for part in [
            format!("state = \"my.{field}\"\n"),
            format!("failed = [\"{}\"]", words[3]),
            "runs_in = [\"my.node\"]".to_owned(),
        ] {
            assert!(text.contains(&part), "{part}\n{text}");
        }
        let key = if id == "taskId" {
            "my.task_id".to_owned()
        } else {
            format!("my.{id}")
        };
        let (stuck, words) = hung_as_drafted(dir.path(), &text, &key);
        assert_eq!(stuck, [Json::from("S0")], "{words}");
    }
}

#[test]
fn values_that_distinguish_files_are_keys() {
    let dir = tempfile::tempdir().unwrap();
    for rank in 0..3 {
        let line = format!("2026-01-02 03:04:05 step {rank} done\n");
        fs::write(dir.path().join(format!("rank_{rank}.log")), line).unwrap();
    }
    let text = hold(dir.path());
    assert!(
        text.contains("glob = [\"rank_{my.rank:int}.log\"]"),
        "{text}"
    );
    assert!(
        text.contains("gives = { time = \"2026-01-02T03:04:05\", \"my.step\" = "),
        "{text}"
    );
}

/// Record: minute and second, level, message, names and values.
type Said<'s> = (u32, u32, &'s str, &'s str, &'s [(&'s str, u32)]);

fn as_text((minute, second, level, message, pairs): Said<'_>) -> String {
    let pairs: String = pairs.iter().map(|(k, v)| format!(" {k}={v}")).collect();
    let level = level.to_uppercase();
    format!("2026-01-02 03:{minute:02}:{second:02},000 {level} swarm: {message}{pairs}\n")
}

fn as_json((minute, second, level, message, pairs): Said<'_>) -> String {
    let pairs: String = pairs
        .iter()
        .map(|(k, v)| format!(", \"{k}\": {v}"))
        .collect();
    format!(
        "{{\"ts\": \"2026-01-02T03:{minute:02}:{second:02}Z\", \"level\": \"{level}\", \"event\": \"{message}\"{pairs}}}\n"
    )
}

fn as_logfmt((minute, second, level, message, pairs): Said<'_>) -> String {
    let pairs: String = pairs.iter().map(|(k, v)| format!(" {k}={v}")).collect();
    format!("time=2026-01-02T03:{minute:02}:{second:02}Z level={level} msg=\"{message}\"{pairs}\n")
}

/// A dispatcher and two workers, each with a log. Both report an end, one before the other or behind it. Job 3 fails, 4 does
/// at its first try, 5 is to be tried again and is not, 9 hangs, 11 is never begun.
fn dispatched(folder: &Path, write: fn(Said<'_>) -> String) {
    let mut logs = [String::new(), String::new(), String::new()];
    for job in 1..=12 {
        let worker = job % 2;
        let both: &[(&str, u32)] = &[("job", job), ("worker", worker)];
        let mut say = |log: u32, second, level, message| {
            logs[log as usize] += &write((job, second, level, message, both));
        };
        let own = 1 + worker;
        say(0, 1, "info", "job queued");
        say(0, 2, "info", "job sent");
        if job != 11 {
            say(own, 3, "info", "job begin");
        }
        match job {
            9 | 11 => continue,
            3 => {
                say(own, 4, "error", "job crashed");
                say(0, 5, "error", "job failed");
                continue;
            }
            4 | 5 => {
                say(own, 4, "error", "job crashed");
                say(0, 5, "warning", "job failed, will retry");
                if job == 5 {
                    continue;
                }
                say(own, 6, "info", "job begin");
            }
            _ => {}
        }
        say(own, if job < 7 { 7 } else { 8 }, "info", "job end");
        say(0, if job < 7 { 8 } else { 7 }, "info", "job done");
    }
    logs[0] += &write((20, 0, "debug", "heartbeat", &[("done", 8), ("queued", 3)]));
    for (name, log) in ["dispatch.log", "worker-0.log", "worker-1.log"]
        .iter()
        .zip(logs)
    {
        fs::write(folder.join(name), log).unwrap();
    }
}

/// Output of `hung` with the unchanged draft: unfinished instances, and the summary.
fn hung_as_drafted(folder: &Path, text: &str, key: &str) -> (Vec<Json>, String) {
    fs::write(folder.join("my.toml"), text).unwrap();
    let hung = |more: &[&str]| {
        let args = [&["hung", "--system", "my.toml"], more, &["."]].concat();
        String::from_utf8(run(folder, &args).stdout).unwrap()
    };
    let rows = hung(&["--format", "jsonl"]);
    let rows = rows
        .lines()
        .map(|l| serde_json::from_str::<Json>(l).unwrap());
    let ids = rows
        .filter(|r| r["kind"] == "entity")
        .map(|r| r["id"][key].clone());
    let mut ids: Vec<Json> = ids.collect();
    ids.sort_by_key(|id| id.as_u64());
    (ids, hung(&[]))
}

#[test]
fn who_did_the_work_and_who_asked_for_it_both_report_of_its_end() {
    for write in [as_text, as_json, as_logfmt] {
        let dir = tempfile::tempdir().unwrap();
        dispatched(dir.path(), write);
        let text = hold(dir.path());
        for part in [
            "final = [\"done\", \"failed\"]\nfailed = [\"failed\"]\nexecuting = [\"begin\"]\nexecuted = [",
            "recorders = [\"dispatch\", \"worker\"]\nruns_in = [\"my.worker\"]",
            "glob = [\"worker-{my.worker:int}.log\"]",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        let (stuck, words) = hung_as_drafted(dir.path(), &text, "my.job");
        assert_eq!(stuck, [5, 9, 11].map(Json::from), "{words}\n{text}");
        for part in [
            "9 of 12 jobs ended",
            "job 9 begin for 10 m 57 s since 03:09:03",
            "Job 5 has been in state `retrying` since 03:05:05",
        ] {
            assert!(words.contains(part), "{part}\n{words}");
        }
        // Its owner knows that the work on job 5 failed, and job 3 is over for all.
        for part in ["was lost", "given up"] {
            assert!(!words.contains(part), "{part}\n{words}");
        }
        // So many are done: that names no instance.
        let done = text.split("[keys.\"my.done\"]").nth(1).unwrap();
        assert!(!done[..80].contains("identifier"), "{text}");
    }
}

#[test]
fn two_ends_may_follow_each_other_in_one_log() {
    let mut log = String::new();
    for job in 1..=9 {
        let mut say = |second: u32, text: &str| {
            log += &format!("2026-01-02 03:{job:02}:{second:02},000 INFO job {job} {text}\n");
        };
        say(1, "started");
        if job == 7 {
            continue;
        }
        say(2, "done");
        say(3, "end");
    }
    let (dir, path) = written("one.log", log.as_bytes());
    let text = hold_keys(&path);
    let part = "final = [\"done\", \"end\"]\ngoes_on = [\"done\"]";
    assert!(text.contains(part), "{text}");
    let (stuck, words) = hung_as_drafted(dir.path(), &text, "my.job");
    assert_eq!(stuck, [Json::from(7)], "{words}");
}

#[test]
fn one_word_for_a_try_and_for_the_end_is_distinguished() {
    let mut log = String::new();
    for task in 1..=9 {
        let mut say = |second: u32, text: &str| {
            log += &format!("2026-01-02 03:{task:02}:{second:02},000 INFO Task {task} {text}\n");
        };
        for attempt in 1..=3 {
            say(attempt * 3, "started");
            if !matches!((task, attempt), (2, _) | (5 | 8, 1)) {
                say(attempt * 3 + 1, "finished");
                break;
            }
            say(attempt * 3 + 1, "failed on a node");
        }
        if task == 2 {
            say(20, "failed permanently");
        }
    }
    let (dir, path) = written("one.log", log.as_bytes());
    let text = hold_keys(&path);
    let part = "failed = [\"failed permanently\"]";
    assert!(text.contains(part), "{text}");
    let (stuck, words) = hung_as_drafted(dir.path(), &text, "my.task");
    assert_eq!(stuck, [] as [Json; 0], "{words}");
}

#[test]
fn instances_that_nested_fields_name_are_found() {
    let row = |n: usize, minute: usize, event: &str| {
        format!(
            "{{\"time\": \"2026-01-02T03:{minute:02}:{n:02}Z\", \"task\": {{\"id\": \"t{n}\"}}, \"worker\": {{\"name\": \"w{}\", \"host\": \"gpu\"}}, \"event\": \"{event}\"}}\n",
            n % 3
        )
    };
    let rows = |minute, event| (0..9).map(move |n| row(n, minute, event));
    let log: String = rows(1, "task_submitted")
        .chain(rows(2, "task_started"))
        .chain(rows(3, "task_completed").skip(1))
        .collect();
    let (dir, path) = written("events.jsonl", log.as_bytes());
    let text = hold(&path);
    for part in [
        "\"task.id\" = \"my.task_id\"",
        "{ match = \"task_started\", keys = { \"my.state\" = \"started\" } },",
        "states = [\"submitted\", \"started\", \"completed\"]\nfinal = [\"completed\"]\nexecuting = [\"started\"]",
        "runs_in = [\"my.worker_host\", \"my.worker_name\"]",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let (stuck, words) = hung_as_drafted(dir.path(), &text, "my.task_id");
    assert_eq!(stuck, [Json::from("t0")], "{words}");
}

#[test]
fn a_number_in_a_path_that_records_call_otherwise_is_no_value() {
    let dir = tempfile::tempdir().unwrap();
    for agent in 0..3 {
        let line = |n: u32| {
            format!(
                "time=2026-01-02T03:04:{n:02}Z level=info msg=\"polling queue\" agent=agent-{agent} n={n}\n"
            )
        };
        let log: String = (0..5).map(line).collect();
        fs::write(dir.path().join(format!("agent-{agent}.log")), log).unwrap();
    }
    let text = hold(dir.path());
    assert!(text.contains("glob = [\"agent-*.log\"]"), "{text}");
    assert!(text.contains("grammar = \"logfmt\""), "{text}");
}

/// Lines of one log: the minute is that of the instance, 7 hangs.
fn lines_of(things: std::ops::RangeInclusive<u32>, say: impl Fn(u32) -> Vec<String>) -> String {
    let mut log = String::new();
    for n in things {
        for (second, text) in (1..).zip(say(n)) {
            log += &format!("2026-01-02 03:{n:02}:{second:02},000 {text}\n");
        }
    }
    log
}

#[test]
fn instances_that_only_their_values_name_are_found() {
    let log = lines_of(1..=12, |n| {
        let node = n % 3;
        let mut lines = vec![
            format!("INFO task-{n} submitted"),
            format!("INFO task-{n} scheduled on node-{node}"),
            format!("INFO task-{n} started (pid {})", 4000 + n),
        ];
        lines.extend((n != 7).then(|| format!("INFO task-{n} finished in 3.2s")));
        lines
    });
    let (dir, path) = written("one.log", log.as_bytes());
    let text = hold_keys(&path);
    let part = "states = [\"submitted\", \"scheduled\", \"started\", \"finished\"]\nfinal = [\"finished\"]";
    assert!(text.contains(part), "{text}");
    let (stuck, words) = hung_as_drafted(dir.path(), &text, "my.task");
    assert_eq!(stuck, [Json::from("task-7")], "{words}");
}

#[test]
fn one_instance_that_messages_call_otherwise_has_one_key() {
    let log = lines_of(1..=12, |n| {
        let node = n % 3;
        let mut lines = vec![
            format!("INFO task sim_{n:03}: added to queue"),
            format!("INFO task sim_{n:03} -> node{node:02}"),
            format!("INFO now running sim_{n:03} on node{node:02}"),
        ];
        let ok = format!("INFO result of sim_{n:03} is ok");
        let finished = format!("INFO task sim_{n:03}: finished");
        lines.extend([ok, finished].into_iter().take(if n == 7 { 0 } else { 2 }));
        lines
    });
    let (dir, path) = written("one.log", log.as_bytes());
    let text = hold_keys(&path);
    let part = "{ match = \"now running {my.task} on {my.node}\", keys = { \"my.state\" = \"running\" } },";
    assert!(text.contains(part), "{text}");
    let (stuck, words) = hung_as_drafted(dir.path(), &text, "my.task");
    assert_eq!(stuck, [Json::from("sim_007")], "{words}");
    assert!(words.contains("its execution began at 03:07:03"), "{words}");
}

#[test]
fn errors_without_a_follow_up_end_instances() {
    let log = lines_of(1..=12, |n| {
        let status =
            |from: &str, to: &str| format!("INFO Job[{n}] status changed from {from} to {to}");
        let mut lines = vec![
            format!("INFO Job[{n}] status: NEW"),
            status("NEW", "RUNNING"),
        ];
        match n {
            7 => {}
            4 => lines.extend([
                status("RUNNING", "FAILED"),
                status("FAILED", "RUNNING"),
                status("RUNNING", "FAILED"),
                format!("ERROR Job[{n}] abandoned after 2 attempts"),
            ]),
            _ => lines.push(status("RUNNING", "SUCCEEDED")),
        }
        lines
    });
    let (dir, path) = written("one.log", log.as_bytes());
    let text = hold_keys(&path);
    let part = "failed = [\"abandoned\"]";
    assert!(text.contains(part), "{text}");
    let (stuck, words) = hung_as_drafted(dir.path(), &text, "my.job");
    assert_eq!(stuck, [Json::from(7)], "{words}");
}

#[test]
fn instances_that_begin_without_a_word_of_it_count_all_the_same() {
    let log = lines_of(1..=12, |n| {
        let mut lines = vec![format!("INFO task id={n} -> n{:02}", n % 3)];
        let end = if n == 4 { "failed" } else { "completed" };
        lines.extend((n != 7).then(|| format!("INFO task id={n} {end}")));
        lines
    });
    let (dir, path) = written("one.log", log.as_bytes());
    let text = hold_keys(&path);
    assert!(text.contains("\"my.state\" = \"first seen\""), "{text}");
    let (stuck, words) = hung_as_drafted(dir.path(), &text, "my.task_id");
    assert_eq!(stuck, [Json::from(7)], "{words}");
    assert!(words.contains("11 of 12 tasks ended"), "{words}");
}

// ---- the command --------------------------------------------------------------------------------------------------------

fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_widetui"))
        .args(args)
        .current_dir(folder)
        .env("XDG_CONFIG_HOME", folder.join("config"))
        .env("HOME", "/nonexistent")
        .env("TZ", "UTC")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn outcome(out: &Output) -> (Option<i32>, String) {
    (
        out.status.code(),
        String::from_utf8(out.stderr.clone()).unwrap(),
    )
}

#[test]
fn the_command_writes_and_names_and_replaces_nothing_unasked() {
    let (dir, _) = written("sched-7.log", scheduler().as_bytes());
    let dir = dir.path();
    let out = run(dir, &["systems", "draft", "sched-7.log"]);
    assert_eq!(outcome(&out), (Some(0), String::new()));
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(text.contains("\nname = \"sched\"\n"), "{text}");
    fs::create_dir(dir.join("out")).unwrap();
    let draft = [
        "systems",
        "draft",
        "--name",
        "mine",
        "--max",
        "2",
        "-o",
        "out/mine.toml",
        "sched-7.log",
    ];
    assert_eq!(outcome(&run(dir, &draft)), (Some(0), String::new()));
    let text = fs::read_to_string(dir.join("out/mine.toml")).unwrap();
    assert_eq!(text.matches(" records, ").count(), 2, "{text}");
    assert!(text.contains("# 3 rarer messages"), "{text}");
    let out = run(dir, &["systems", "check", "out/mine.toml"]);
    assert_eq!(
        String::from_utf8(out.stdout).unwrap(),
        "out/mine.toml: good\n"
    );
    // What a user worked on is not lost.
    let (code, reported) = outcome(&run(dir, &draft));
    assert!(
        code == Some(2) && reported.contains("--force"),
        "{reported}"
    );
    let again = [&draft[..], &["--force"]].concat();
    assert_eq!(outcome(&run(dir, &again)), (Some(0), String::new()));
    let (code, reported) = outcome(&run(
        dir,
        &[
            "systems",
            "draft",
            "-o",
            "sched-7.log",
            "--force",
            "sched-7.log",
        ],
    ));
    assert!(code == Some(2) && reported.contains("open"), "{reported}");
    assert_eq!(
        fs::read_to_string(dir.join("sched-7.log")).unwrap(),
        scheduler()
    );
}

#[test]
fn what_no_draft_can_be_made_of_is_reported() {
    let (dir, _) = written("empty.log", b"");
    let dir = dir.path();
    for (args, part) in [
        (
            &["empty.log"][..],
            "empty.log: there is no record in what was read",
        ),
        (&["nothing.log"], "nothing.log: No such file"),
        (
            &["--name", "a.b", "empty.log"],
            "--name: a system cannot be called 'a.b'",
        ),
        (&["--name", "python", "empty.log"], "would take its place"),
    ] {
        let (code, reported) = outcome(&run(dir, &[&["systems", "draft"], args].concat()));
        assert!(code == Some(2) && reported.contains(part), "{reported}");
    }
}

#[test]
fn logs_that_are_known_are_drafted_all_the_same() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/other");
    let out = run(&data, &["systems", "draft", "redis"]);
    let (code, reported) = outcome(&out);
    assert_eq!(code, Some(0));
    assert!(
        reported.contains("these logs are already described by the definition of redis"),
        "{reported}"
    );
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(
        text.contains("# These logs are already described"),
        "{text}"
    );
    assert!(text.contains("\nname = \"redis_log\"\n"), "{text}");
}

#[test]
fn standard_input_is_a_log_too() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_widetui"))
        .args(["systems", "draft", "-"])
        .current_dir(dir.path())
        .env("XDG_CONFIG_HOME", dir.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(scheduler().as_bytes())
        .unwrap();
    let out = child.wait_with_output().unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    assert_eq!(check("my.toml", &text), [], "{text}");
    assert!(
        text.contains("name = \"mysystem\"") && text.contains("job {mysystem.job:int} started"),
        "{text}"
    );
}
