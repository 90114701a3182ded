//! Databases, CSV and JSON files: every row is a record, no file is written beside a database, and no lock is held.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use rusqlite::Connection;
use serde_json::{Value as Json, json};
use widetui_core::cancel::{Cancel, Progress};
use widetui_ingest::load::load_all;
use widetui_ingest::options::OpenOptions;
use widetui_store::Snapshot;

use widetui_testing::runs;
use widetui_testing::runs::{Record, load, options, problems, records, source};

fn monitoring() -> PathBuf {
    runs::data().join("hung/monitoring.db")
}

fn of<'a>(records: &'a [Record], ending: &str) -> Vec<&'a Record> {
    let mut list: Vec<&Record> = records
        .iter()
        .filter(|r| r.source.ends_with(ending))
        .collect();
    list.sort_by_key(|r| r.offset);
    list
}

/// Records in an order that does not depend on that of the sources: records without time stand in theirs.
fn sorted(snapshot: &Snapshot) -> Vec<Record> {
    let mut list = records(snapshot);
    list.sort_by(|a, b| (&a.source, a.offset).cmp(&(&b.source, b.offset)));
    list
}

fn key(record: &Record, name: &str) -> Json {
    let found = record.keys.iter().find(|k| k.0 == name);
    found.map_or(Json::Null, |k| {
        serde_json::to_value(format!("{:?}", k.1)).unwrap()
    })
}

/// Events as the command prints them, without the version of the fields.
fn events(args: &[&str], paths: &[&Path]) -> Vec<Json> {
    let output = Command::new(env!("CARGO_BIN_EXE_widetui"))
        .args(["events", "--format", "jsonl", "--tz", "UTC"])
        .args(paths)
        .args(args)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|l| {
            let mut event: Json = serde_json::from_str(l).unwrap();
            event.as_object_mut().unwrap().shift_remove("_schema");
            event
        })
        .collect()
}

fn listing(dir: &Path) -> Vec<(PathBuf, u64)> {
    let length = |p: PathBuf| (p.clone(), fs::metadata(p).unwrap().len());
    runs::files(dir).into_iter().map(length).collect()
}

#[test]
fn every_row_of_every_table_is_a_record() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("monitoring.db");
    fs::copy(monitoring(), &path).unwrap();
    let before = listing(dir.path());
    let snapshot = load(&path, 2);
    assert_eq!(listing(dir.path()), before);
    let truth = Connection::open(&path).unwrap();
    for table in [
        "workflow", "task", "try", "node", "block", "status", "resource",
    ] {
        let count = |what: &str| -> i64 {
            let sql = format!("SELECT count({what}) FROM {table}");
            truth.query_row(&sql, [], |row| row.get(0)).unwrap()
        };
        let source = source(&snapshot, &format!("/{table}"));
        assert_eq!(source.stats.records() as i64, count("*"), "{table}");
        assert_eq!(source.system.as_deref(), Some("parsl"), "{table}");
        let facts = matches!(table, "workflow" | "task" | "try");
        assert_eq!(source.stats.range.is_none(), facts, "{table}");
        assert_eq!(problems(source), "");
    }
    // The rows themselves, of one table.
    let rows = events(
        &["--join", "none", "--where", "source = db/status"],
        &[&path],
    );
    let mut statement = truth
        .prepare("SELECT rowid, task_id, try_id, task_status_name, run_id, timestamp FROM status ORDER BY timestamp, rowid")
        .unwrap();
    let want: Vec<Json> = statement
        .query_map([], |row| {
            let (rowid, task, attempt): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let (state, run, time): (String, String, String) = (row.get(3)?, row.get(4)?, row.get(5)?);
            Ok(json!({
                "time": format!("{}000Z", time.replace(' ', "T")), "source": "db/status", "level": "",
                "message": format!("task {task} try {attempt} is {state}"),
                "template": format!("task {{}} try {{}} is {state}"),
                "parsl.dfk": run, "parsl.task": task, "parsl.task_state": state, "parsl.try": attempt, "rowid": rowid,
            }))
        })
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(rows.len(), want.len());
    assert_eq!(rows, want);
}

#[test]
fn a_database_says_the_same_in_an_archive_and_through_a_pipe() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    fs::create_dir(&run).unwrap();
    fs::copy(monitoring(), run.join("monitoring.db")).unwrap();
    fs::write(run.join("jobs.csv"), "id;note\n1;\"a;\nb\"\n2;\n").unwrap();
    fs::write(
        run.join("out.json"),
        "{\n \"n\": 1, \"time\": \"2026-11-20T10:00:01Z\",\n \"jobs\": [{\"id\": 3, \"ended\": \"2026-11-20T10:00:00Z\"}]\n}\n",
    )
    .unwrap();
    for file in runs::files(&run) {
        runs::set_age(&file);
    }
    let plain = sorted(&load(&run, 2));
    assert!(of(&plain, "/status").len() > 100);
    assert_eq!(of(&plain, "jobs.csv").len(), 2);
    assert_eq!(of(&plain, "out.json/jobs").len(), 1);
    assert_eq!(of(&plain, "out.json").len(), 1);
    let archive = dir.path().join("packed.tar.gz");
    runs::tar_gz(&run, &archive);
    runs::assert_same_records("tar.gz", &plain, &sorted(&load(&archive, 2)));
    let archive = dir.path().join("packed.tar");
    runs::plain_tar(&run, &archive);
    runs::assert_same_records("tar", &plain, &sorted(&load(&archive, 2)));
    let mut child = Command::new(env!("CARGO_BIN_EXE_widetui"))
        .args(["events", "-", "--format", "jsonl"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let bytes = fs::read(monitoring()).unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::spawn(move || stdin.write_all(&bytes).unwrap());
    let output = child.wait_with_output().unwrap();
    let lines = output.stdout.iter().filter(|b| **b == b'\n').count();
    let of_database = plain.iter().filter(|r| r.source.contains(".db/"));
    assert_eq!(lines, of_database.count());
    runs::gzip_all(&run);
    runs::assert_same_records("gz", &plain, &sorted(&load(&run, 2)));
}

#[test]
fn a_live_database_is_neither_locked_nor_written_to() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("live.db");
    let writer = Connection::open(&path).unwrap();
    writer
        .execute_batch(
            "PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0;
             CREATE TABLE job (id INTEGER PRIMARY KEY, state TEXT, updated_at TEXT);
             INSERT INTO job VALUES (1, 'new', '2026-11-20 10:00:00.5'), (2, 'new', '2026-11-20 10:00:01.5');",
        )
        .unwrap();
    let before = listing(dir.path());
    let snapshot = load(dir.path(), 2);
    let job = source(&snapshot, "live.db/job");
    assert_eq!((job.stats.records(), &*job.layout), (2, "table"));
    assert!(job.stats.range.is_some(), "the time is found by its looks");
    assert_eq!(listing(dir.path()), before);
    writer
        .execute_batch("BEGIN EXCLUSIVE; INSERT INTO job VALUES (3, 'new', NULL);")
        .unwrap();
    assert_eq!(source(&load(dir.path(), 2), "/job").stats.records(), 2);
    writer.execute_batch("COMMIT").unwrap();
    assert_eq!(source(&load(dir.path(), 2), "/job").stats.records(), 3);
}

#[test]
fn columns_that_are_computed_when_they_are_read_are_reported_and_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let writer = Connection::open(dir.path().join("made.db")).unwrap();
    writer
        .execute_batch(
            "CREATE TABLE job (at TEXT, n INT, big GENERATED ALWAYS AS (hex(zeroblob(400000000))) VIRTUAL);
             INSERT INTO job (at, n) VALUES ('2026-11-20 10:00:00', 1), ('2026-11-20 10:00:01', 2);",
        )
        .unwrap();
    drop(writer);
    let snapshot = load(dir.path(), 1);
    let job = source(&snapshot, "made.db/job");
    assert_eq!(job.stats.records(), 2);
    let reported = problems(job);
    assert!(
        reported.contains("big") && reported.contains("left out"),
        "{reported}"
    );
    assert!(snapshot.catalog.keys.find("made.big").is_none());
    assert!(
        records(&snapshot)
            .iter()
            .all(|r| !format!("{r:?}").contains("0000000000"))
    );
}

#[test]
fn a_damaged_database_is_reported_and_the_rest_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let mut bytes = fs::read(monitoring()).unwrap();
    let whole = records(&load(&monitoring(), 1)).len();
    let half = bytes.len() / 2 / 4096 * 4096;
    for at in (half..bytes.len()).step_by(3 * 4096) {
        bytes[at..at + 4096].fill(0x5a);
    }
    fs::write(dir.path().join("hurt.db"), &bytes).unwrap();
    fs::write(dir.path().join("cut.db"), &bytes[..5000]).unwrap();
    fs::write(dir.path().join("empty.db"), b"").unwrap();
    fs::write(dir.path().join("good.csv"), "a,b\n1,2\n").unwrap();
    let snapshot = load(dir.path(), 2);
    let read = snapshot.len();
    assert!(read > 20 && read < whole, "{read} of {whole}");
    let reported: Vec<String> = snapshot.sources.iter().map(|s| problems(s)).collect();
    assert!(
        reported.iter().any(|t| t.contains("broken after")),
        "{reported:?}"
    );
    assert!(!problems(source(&snapshot, "cut.db")).is_empty());
    assert_eq!(source(&snapshot, "good.csv").stats.records(), 1);
}

#[test]
fn older_and_unknown_tables_of_monitoring_keep_their_keys() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("monitoring.db");
    let writer = Connection::open(&path).unwrap();
    writer
        .execute_batch(
            "CREATE TABLE task (task_id INTEGER, run_id TEXT, hostname TEXT, task_executor TEXT, task_func_name TEXT, task_time_submitted TEXT, task_depends TEXT);
             INSERT INTO task VALUES (7, 'abc', 'n1', 'htex', 'sim', '2019-08-20 10:00:00', '3,4');
             CREATE TABLE status (task_id INTEGER, task_status INTEGER, task_status_name TEXT, timestamp TEXT, run_id TEXT);
             INSERT INTO status VALUES (7, 2, 'running', '2019-08-20 10:00:01.25', 'abc');
             CREATE TABLE output_file (task_id INTEGER, run_id TEXT, file_path TEXT, timestamp TEXT);
             INSERT INTO output_file VALUES (7, 'abc', '/tmp/x', '2026-08-20 10:00:01.25');",
        )
        .unwrap();
    drop(writer);
    let rows = events(&["--same", "parsl.task=7"], &[&path]);
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[0]["time"], "2019-08-20T10:00:01.250000000Z");
    assert_eq!(rows[1]["file_path"], "/tmp/x");
    assert_eq!(rows[1]["parsl.dfk"], "abc");
    assert_eq!(rows[2]["time"], Json::Null);
    assert_eq!(rows[2]["parsl.executor"], "htex");
    assert_eq!(rows[2]["parsl.dependency_task"], json!([3, 4]));
}

#[test]
fn csv_and_json_give_events_and_facts() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
    write(
        "moves.csv",
        ",key,start,worker,time\n0,a-1,released,,1712775117.301979\n1,a-2,waiting,\"tcp://n1:1\",1712775118.5\n",
    );
    write(
        "list.json",
        "[{\"ts\": \"2026-11-20T10:00:00Z\", \"level\": \"ERROR\", \"msg\": \"bad \\u00e4\", \"o\": {\"k\": [1, 2]}}, {\"ts\": null}]",
    );
    write("table.tsv", "name\tvalue\tnote\nx\t1\ty\nz\t2\tw\n");
    write("pretty.json", "{\n  \"t\": 1\n}\n{\n  \"t\": 2\n}\n");
    let snapshot = load(dir.path(), 2);
    let moves = source(&snapshot, "moves.csv");
    assert_eq!(moves.stats.records(), 2);
    assert_eq!(moves.stats.range.unwrap().1, 1_712_775_118_500_000_000);
    assert_eq!(source(&snapshot, "table.tsv").stats.range, None);
    assert_eq!(source(&snapshot, "pretty.json").stats.records(), 2);
    let rows = events(&[], &[&dir.path().join("list.json")]);
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["message"], "bad ä");
    assert_eq!(rows[0]["level"], "error");
    assert_eq!(rows[0]["o.k"], json!([1, 2]));
    assert_eq!(rows[1]["time"], Json::Null);
}

/// Output of the program for a text from a pipe.
fn from_a_pipe(text: &str) -> Vec<Json> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_widetui"))
        .args(["events", "-", "--format", "jsonl", "--tz", "UTC"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let text = text.to_owned();
    std::thread::spawn(move || stdin.write_all(text.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    lines
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect()
}

#[test]
fn a_long_first_row_says_when_it_was_however_it_comes() {
    let rows: Vec<Json> = (0..5)
        .map(|n| {
            let message = if n == 0 { "m".repeat(100_000) } else { "small".to_owned() };
            json!({"message": message, "time": format!("2026-01-01T00:00:0{n}Z"), "level": "error", "k": n})
        })
        .collect();
    let lines: String = rows.iter().map(|r| format!("{r}\n")).collect();
    let array = Json::Array(rows.clone()).to_string();
    let holder = format!("{{\n\"name\": 1,\n\"list\": {array}\n}}\n");
    let mut csv = "message,time,level,k\n".to_owned();
    for row in &rows {
        let cell = |name: &str| row[name].as_str().unwrap().to_owned();
        csv += &format!(
            "{},{},{},{}\n",
            cell("message"),
            cell("time"),
            cell("level"),
            row["k"]
        );
    }
    let dir = tempfile::tempdir().unwrap();
    let database = Connection::open(dir.path().join("d.db")).unwrap();
    database
        .execute_batch("create table t (message text, time text, level text, k integer)")
        .unwrap();
    for row in &rows {
        let cell = |name: &str| row[name].as_str().unwrap().to_owned();
        database
            .execute(
                "insert into t values (?1, ?2, ?3, ?4)",
                (
                    cell("message"),
                    cell("time"),
                    cell("level"),
                    row["k"].as_i64().unwrap(),
                ),
            )
            .unwrap();
    }
    drop(database);
    for (name, text) in [
        ("l.jsonl", &lines),
        ("a.json", &array),
        ("o.json", &holder),
        ("c.csv", &csv),
    ] {
        fs::write(dir.path().join(name), text).unwrap();
    }
    for ending in ["l.jsonl", "a.json", "o.json/list", "c.csv", "d.db/t"] {
        let snapshot = load(dir.path(), 2);
        let stats = &source(&snapshot, ending).stats;
        assert_eq!(
            stats.range,
            Some((1_767_225_600_000_000_000, 1_767_225_604_000_000_000)),
            "{ending}"
        );
    }
    let marked = format!("\u{feff}{lines}");
    for text in [&lines, &array, &holder, &marked] {
        let printed = from_a_pipe(text);
        let timed: Vec<&Json> = printed.iter().filter(|r| !r["time"].is_null()).collect();
        assert_eq!(timed.len(), 5);
        assert!(timed.iter().all(|r| r["level"] == "error"));
    }
}

#[test]
fn facts_are_read_under_their_own_names() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let chains = write(
        "chains",
        "parsl.task,chain,time_id\n5,alpha,1795225387\n6,beta,1795225388\n",
    );
    let owners = write(
        "owners.jsonl",
        "{\"parsl.task\": 5, \"owner\": \"me\", \"when\": \"2026-11-20T10:00:00Z\"}\n{\"parsl.task\": 6, \"owner\": \"you\"}\n",
    );
    let options = OpenOptions {
        facts: vec![chains.clone(), owners.clone()],
        ..options(&monitoring(), 2)
    };
    let loaded = load_all(&options, &Cancel::default(), Progress::default());
    let snapshot: Arc<Snapshot> = loaded.unwrap().0;
    for (path, count) in [("/chains", 2), ("/owners.jsonl", 2)] {
        let source = source(&snapshot, path);
        assert_eq!(source.stats.records(), count);
        assert_eq!(source.system.as_deref(), Some("facts"));
        assert_eq!(problems(source), "");
    }
    let list = records(&snapshot);
    let chain = of(&list, "/chains");
    assert_eq!(chain[1].time, None);
    assert!(key(chain[1], "chain").to_string().contains("beta"));
    let (chains, owners) = (chains.to_string_lossy(), owners.to_string_lossy());
    let rows = events(
        &[
            "--same",
            "parsl.task=5",
            "--facts",
            &chains,
            "--facts",
            &owners,
        ],
        &[&monitoring()],
    );
    let of = |name: &str| rows.iter().position(|r| r["source"] == name).unwrap();
    assert!(of("owners") < of("chains"), "what has a time comes first");
    assert_eq!(rows[of("chains")]["time"], Json::Null);
    let status = &rows[of("db/status")];
    assert_eq!(
        (&status["owner"], &status["chain"]),
        (&"me".into(), &"alpha".into())
    );
}
