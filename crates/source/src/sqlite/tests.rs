use super::*;
use std::fs;

fn lines(database: &Database, table: &str) -> Vec<serde_json::Value> {
    let tables = database.tables().unwrap();
    let table = tables.iter().find(|t| t.name == table).unwrap();
    let (text, failed) = database
        .with_rows(table, |rows| {
            let mut text = String::new();
            rows.read_to_string(&mut text).unwrap();
            (text, rows.failed.clone())
        })
        .unwrap();
    assert_eq!(failed, None);
    text.lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect()
}

fn listing(dir: &Path) -> Vec<(String, u64)> {
    let mut list: Vec<(String, u64)> = fs::read_dir(dir)
        .unwrap()
        .map(|e| {
            let e = e.unwrap();
            (
                e.file_name().to_string_lossy().into_owned(),
                e.metadata().unwrap().len(),
            )
        })
        .collect();
    list.sort();
    list
}

#[test]
fn every_type_of_value_and_odd_names() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a b?%#.db");
    let writer = Connection::open(&path).unwrap();
    writer
        .execute_batch(
            "CREATE TABLE \"odd \"\" name\" (i, r, t, b, n, \"a.b\", rowid);
             INSERT INTO \"odd \"\" name\" VALUES (-5, 1.5e300, 'x\"\n', x'00ff', NULL, 9e999, 7);
             CREATE TABLE plain (id INTEGER PRIMARY KEY, t); INSERT INTO plain VALUES (40, 'a'), (2, x'6162');
             CREATE TABLE less (k TEXT PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO less VALUES ('k', 1);
             CREATE VIEW v AS SELECT 1; CREATE INDEX plain_t ON plain (t);",
        )
        .unwrap();
    drop(writer);
    for database in [
        Database::open(&path, &Cancel::default()).unwrap(),
        Database::in_place(
            &path,
            database_copy::state(&path).unwrap(),
            &Cancel::default(),
        )
        .unwrap(),
    ] {
        let names: Vec<String> = database
            .tables()
            .unwrap()
            .into_iter()
            .map(|t| t.name)
            .collect();
        assert_eq!(names, ["less", "odd \" name", "plain"]);
        assert_eq!(
            lines(&database, "plain"),
            [
                serde_json::json!({"rowid": 2, "id": 2, "t": "ab"}),
                serde_json::json!({"rowid": 40, "id": 40, "t": "a"})
            ]
        );
        assert_eq!(
            lines(&database, "less"),
            [serde_json::json!({"k": "k", "v": 1})]
        );
        assert!(!database.was_changed(&path));
    }
    let database = Database::open(&path, &Cancel::default()).unwrap();
    let table = &database.tables().unwrap()[1];
    let mut text = String::new();
    database
        .with_rows(table, |rows| rows.read_to_string(&mut text).unwrap())
        .unwrap();
    assert_eq!(
        text,
        "{\"i\":-5,\"r\":1.5e300,\"t\":\"x\\\"\\n\",\"b\":\"00ff\",\"n\":null,\"a.b\":Infinity,\"rowid\":7}\n"
    );
}

#[test]
fn a_write_ahead_log_is_seen_and_nothing_is_written_beside_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("live.db");
    let writer = Connection::open(&path).unwrap();
    writer
        .execute_batch(
            "PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0;
             CREATE TABLE t (a); INSERT INTO t VALUES (1), (2);",
        )
        .unwrap();
    let before = listing(dir.path());
    assert!(before.iter().any(|f| f.0 == "live.db-wal" && f.1 > 1000));
    assert_eq!(
        lines(&Database::open(&path, &Cancel::default()).unwrap(), "t").len(),
        2
    );
    writer.execute_batch("INSERT INTO t VALUES (3)").unwrap();
    assert_eq!(
        lines(&Database::open(&path, &Cancel::default()).unwrap(), "t").len(),
        3
    );
    // State after a crash: a log without shared memory.
    let crashed = tempfile::tempdir().unwrap();
    for name in ["live.db", "live.db-wal"] {
        fs::copy(dir.path().join(name), crashed.path().join(name)).unwrap();
    }
    let kept = listing(crashed.path());
    let database = Database::open(&crashed.path().join("live.db"), &Cancel::default()).unwrap();
    assert_eq!(lines(&database, "t").len(), 3);
    assert_eq!(listing(crashed.path()), kept);
    drop(writer);
    // After closing, all rows are in the file, of which the header still states a write-ahead log.
    assert_eq!(listing(dir.path()).len(), 1);
    assert_eq!(
        lines(&Database::open(&path, &Cancel::default()).unwrap(), "t").len(),
        3
    );
    assert_eq!(listing(dir.path()).len(), 1);
}

#[test]
fn a_locked_database_is_read_as_it_was_committed_and_stays_unlocked() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("locked.db");
    let mut writer = Connection::open(&path).unwrap();
    writer
        .execute_batch("CREATE TABLE t (a, b); PRAGMA cache_size = 2;")
        .unwrap();
    writer
        .execute_batch("INSERT INTO t VALUES (1, '')")
        .unwrap();
    let change = writer.transaction().unwrap();
    // Enough rows that pages are written to the file before the end of the transaction.
    for i in 0..500 {
        change
            .execute("INSERT INTO t VALUES (?1, ?2)", (i, "x".repeat(400)))
            .unwrap();
    }
    let before = listing(dir.path());
    assert!(before.iter().any(|f| f.0 == "locked.db-journal"));
    let database = Database::open(&path, &Cancel::default()).unwrap();
    assert_eq!(lines(&database, "t").len(), 1, "committed rows only");
    assert_eq!(listing(dir.path()), before);
    // No lock is held that the writer would have to wait for.
    change.commit().unwrap();
    assert_eq!(
        lines(&Database::open(&path, &Cancel::default()).unwrap(), "t").len(),
        501
    );
    writer.execute_batch("BEGIN EXCLUSIVE").unwrap();
    assert_eq!(
        lines(&Database::open(&path, &Cancel::default()).unwrap(), "t").len(),
        501
    );
}

#[test]
fn damage_is_told_and_what_comes_before_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bad.db");
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch("CREATE TABLE t (a, b)").unwrap();
    for i in 0..300 {
        writer
            .execute("INSERT INTO t VALUES (?1, ?2)", (i, "x".repeat(300)))
            .unwrap();
    }
    drop(writer);
    let whole = fs::read(&path).unwrap();
    let mut bytes = whole.clone();
    let middle = bytes.len() / 2 / 4096 * 4096;
    bytes[middle..middle + 4096].fill(0xee);
    let database = Database::from_bytes(bytes, &Cancel::default()).unwrap();
    let table = &database.tables().unwrap()[0];
    let (count, failed) = database
        .with_rows(table, |rows| {
            let _ = rows.read_to_end(&mut Vec::new()).unwrap();
            (rows.count, rows.failed.clone())
        })
        .unwrap();
    assert!(count > 20 && count < 300, "{count}");
    assert!(failed.unwrap().contains("malformed"));
    for cut in [0, 16, 99, 100, 1000, 4096, whole.len() - 4096] {
        let database = Database::from_bytes(whole[..cut].to_vec(), &Cancel::default());
        let tables = database.and_then(|d| d.tables().map(|t| t.len()));
        assert!(
            tables.is_err() || cut == 0 || cut >= 4096,
            "{cut}: {tables:?}"
        );
    }
}

#[test]
fn what_a_database_computes_when_it_is_read_is_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("g.db");
    let writer = Connection::open(&path).unwrap();
    writer
        .execute_batch(
            "CREATE TABLE t (a, big GENERATED ALWAYS AS (hex(zeroblob(400000000))) VIRTUAL,
                             twice GENERATED ALWAYS AS (a * 2) STORED);
             INSERT INTO t (a) VALUES (4);",
        )
        .unwrap();
    drop(writer);
    let database = Database::open(&path, &Cancel::default()).unwrap();
    let table = &database.tables().unwrap()[0];
    assert_eq!(table.columns, ["a", "twice"]);
    assert_eq!(table.computed, ["big"]);
    let row = serde_json::json!({"rowid": 1, "a": 4, "twice": 8});
    assert_eq!(lines(&database, "t"), [row]);
}

#[test]
fn reading_ends_when_it_is_cancelled() {
    let connection = Connection::open_in_memory().unwrap();
    connection
        .execute_batch(
            "CREATE TABLE t (a); WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
             INSERT INTO t SELECT i FROM n;",
        )
        .unwrap();
    let cancel = Cancel::default();
    let database = Database::checked(connection, &cancel).unwrap();
    assert_eq!(lines(&database, "t").len(), 20_000);
    let table = &database.tables().unwrap()[0];
    cancel.cancel();
    let (count, failed) = database
        .with_rows(table, |rows| {
            let _ = rows.read_to_end(&mut Vec::new()).unwrap();
            (rows.count, rows.failed.clone())
        })
        .unwrap();
    assert!(count < 20_000, "{count}");
    assert_eq!(failed.as_deref(), Some("interrupted"));
}
