//! Tests: databases written to while followed.

use std::fs;
use std::path::Path;

use rusqlite::Connection;

use super::{Live, SOON, check_end};

const TABLES: &str = "CREATE TABLE status (task INTEGER, state TEXT, timestamp TEXT);
    CREATE TABLE task (task INTEGER, ended TEXT, timestamp TEXT);
    INSERT INTO status VALUES (1, 'pending', '2026-11-20 10:00:01.5');
    INSERT INTO task VALUES (1, NULL, '2026-11-20 10:00:01.5');";

fn run(path: &Path, sql: &str) {
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

/// Number of records of a table.
fn rows(live: &Live, table: &str) -> u64 {
    let known = live.snapshot.sources.iter();
    let mut known = known.filter(|s| s.path.ends_with(table));
    known.next().map_or(0, |s| s.stats.records())
}

fn opened() -> (Live, std::path::PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(
        dir.path().join("a.log"),
        "2026-11-20 10:00:00,001 worker INFO begins\n",
    )
    .unwrap();
    let path = dir.path().join("run.db");
    run(&path, TABLES);
    (Live::open(dir), path)
}

#[test]
fn rows_that_are_added_are_added_and_rows_that_change_are_read_again() {
    let (mut live, path) = opened();
    assert_eq!((rows(&live, "db/status"), rows(&live, "db/task")), (1, 1));
    live.settle();
    let lineage = live.snapshot.lineage;
    run(
        &path,
        "INSERT INTO status VALUES (1, 'running', '2026-11-20 10:00:02.5'), (2, 'pending', '2026-11-20 10:00:03')",
    );
    live.settle();
    assert_eq!((rows(&live, "db/status"), rows(&live, "db/task")), (3, 1));
    // Known records remain.
    assert_eq!(live.snapshot.lineage, lineage);
    check_end(&live);
    // An update, and changes between two polls.
    run(
        &path,
        "UPDATE task SET ended = '2026-11-20 10:00:09'; INSERT INTO task VALUES (2, NULL, '2026-11-20 10:00:03');",
    );
    live.settle();
    assert_eq!((rows(&live, "db/status"), rows(&live, "db/task")), (3, 2));
    let told = live.messages().join("\n");
    assert!(told.contains("10:00:09"), "{told}");
    check_end(&live);
    // A table that changes all the time is reread at intervals.
    let told = |live: &Live, what: &str| live.messages().join("\n").contains(what);
    run(&path, "UPDATE task SET ended = '2026-11-20 10:00:10'");
    live.poll(SOON * 30);
    assert!(told(&live, "10:00:10"));
    run(&path, "UPDATE task SET ended = '2026-11-20 10:00:12'");
    live.poll(SOON * 30);
    assert!(!told(&live, "10:00:12"));
    live.settle();
    assert!(told(&live, "10:00:12"));
    check_end(&live);
    run(&path, "DELETE FROM status WHERE task = 1; VACUUM;");
    live.settle();
    assert_eq!(rows(&live, "db/status"), 1);
    check_end(&live);
    // A table created later, and a log next to the database.
    run(
        &path,
        "CREATE TABLE node (name TEXT, timestamp TEXT); INSERT INTO node VALUES ('n1', '2026-11-20 10:00:05');",
    );
    live.append("a.log", b"2026-11-20 10:00:11,001 worker INFO ends\n");
    live.settle();
    assert_eq!((rows(&live, "db/node"), rows(&live, "a.log")), (1, 2));
    assert_eq!(live.problems(), "");
    check_end(&live);
}

#[test]
fn a_database_that_comes_while_a_run_is_followed_is_followed_too() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.db");
    let mut live = Live::open(dir);
    run(&path, TABLES);
    live.settle();
    assert_eq!((rows(&live, "db/status"), rows(&live, "db/task")), (1, 1));
    run(
        &path,
        "INSERT INTO status VALUES (1, 'done', '2026-11-20 10:00:04')",
    );
    live.settle();
    assert_eq!(rows(&live, "db/status"), 2);
    check_end(&live);
}

#[test]
fn rows_that_are_still_in_a_write_ahead_log_are_seen() {
    let (mut live, path) = opened();
    let writer = Connection::open(&path).unwrap();
    let mode =
        writer.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0));
    assert_eq!(mode.unwrap(), "wal");
    live.settle();
    let before = fs::metadata(&path).unwrap().len();
    for second in 2..6 {
        let sql = format!("INSERT INTO status VALUES (1, 'busy', '2026-11-20 10:00:0{second}')");
        writer.execute_batch(&sql).unwrap();
        live.poll(SOON * 30);
        assert_eq!(rows(&live, "db/status"), second);
    }
    // The database file itself is unchanged; the rows are in the write-ahead log.
    assert_eq!(fs::metadata(&path).unwrap().len(), before);
    check_end(&live);
}

#[test]
fn a_database_that_breaks_is_told_of_and_keeps_what_was_read() {
    let (mut live, path) = opened();
    live.settle();
    fs::write(&path, b"SQLite format 3\0 and then nothing that is one").unwrap();
    live.settle();
    assert_eq!(rows(&live, "db/status"), 1);
    assert!(live.problems().contains("the database cannot be read"));
    fs::remove_file(&path).unwrap();
    run(&path, TABLES);
    live.settle();
    fs::remove_file(&path).unwrap();
    live.settle();
    assert!(
        live.problems().contains("was deleted"),
        "{}",
        live.problems()
    );
}
