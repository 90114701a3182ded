//! Parquet files as input: tables of other programs become records, exports of records the original sources.

#[cfg(feature = "parquet")]
use std::fs;

use super::*;

#[cfg(feature = "parquet")]
fn events(path: &str) -> Vec<Map<String, Json>> {
    objects(&ok(&["events", path, "--format", "jsonl"]))
}

fn table(name: &str) -> String {
    runs::data()
        .join("parquet")
        .join(name)
        .display()
        .to_string()
}

/// Without the feature a Parquet file is listed, with the builds that read it.
#[cfg(not(feature = "parquet"))]
#[test]
fn a_table_is_listed_with_the_builds_that_read_it() {
    let all = objects(&ok(&[
        "sources",
        &hung(),
        &table("epoch.parquet"),
        "--format",
        "jsonl",
    ]));
    let listed = all
        .iter()
        .find(|s| s["records"] == 0 && s.values().any(|v| *v == NOT_READ));
    assert!(listed.is_some(), "{all:#?}");
}

#[cfg(not(feature = "parquet"))]
const NOT_READ: &str =
    "Parquet table (read by the wheel, and by a build with `--features parquet`)";

/// Tables that pandas and pyarrow wrote: times in several units, with and without a zone, and as seconds since the epoch.
#[cfg(feature = "parquet")]
#[test]
fn tables_of_other_programs_become_records_with_one_key_per_column() {
    for (name, hour) in [
        ("pandas_us_zoned.parquet", "09"),
        ("pandas_ms_local.parquet", "10"),
        ("pandas_ns_local.parquet", "10"),
        ("epoch.parquet", "10"),
    ] {
        let events = events(&table(name));
        assert_eq!(events.len(), 6, "{name}");
        for (n, event) in events.iter().enumerate() {
            let time = format!("2026-11-21T{hour}:00:0{n}.250000000Z");
            assert_eq!(event["time"], time.as_str(), "{name}");
            assert_eq!(event["task"], format!("inc-{n}").as_str(), "{name}");
            assert_eq!(
                event["worker"],
                format!("tcp://10.0.0.{}:4000", n % 2 + 1).as_str()
            );
            assert_eq!(
                event["duration"].to_string(),
                format!("{:?}", 0.5 * n as f64)
            );
            // pandas has no integers with gaps.
            let bytes = event.get("nbytes").map(Json::to_string);
            assert_eq!(bytes, (n != 3).then(|| format!("{}.0", 100 * n)), "{name}");
        }
    }
    // Local times take the zone of --tz, as in any log.
    let zoned = ok(&[
        "events",
        &table("pandas_ns_local.parquet"),
        "--tz",
        "+02:00",
        "--limit",
        "1",
        "--format",
        "jsonl",
    ]);
    assert!(zoned.contains("2026-11-21T08:00:00.250000000Z"), "{zoned}");
}

#[cfg(feature = "parquet")]
#[test]
fn nested_columns_are_read_as_in_json_lines() {
    let read = events(&table("nested.parquet"));
    let dir = tempfile::tempdir().unwrap();
    let lines = dir.path().join("nested.jsonl");
    let text: String = (0..6)
        .map(|n| {
            let deps: Vec<String> = (0..n).map(|d| format!("inc-{d}")).collect();
            let row = serde_json::json!({
                "time": format!("2026-11-21T10:00:0{n}.250000000Z"),
                "level": if n == 5 { "error" } else { "info" },
                "message": format!("did {n}"), "deps": deps, "pos": {"x": n},
                "tags": [{"key": "a", "value": n}],
            });
            format!("{row}\n")
        })
        .collect();
    fs::write(&lines, text).unwrap();
    let same = events(&lines.display().to_string());
    assert_eq!(read.len(), 6);
    for (read, same) in read.iter().zip(&same) {
        let [read, same] = [read, same].map(|event| {
            let mut event = event.clone();
            event.remove("source");
            event
        });
        assert_eq!(read, same);
    }
    assert_eq!(
        read[3]["deps"],
        serde_json::json!(["inc-0", "inc-1", "inc-2"])
    );
}

#[cfg(feature = "parquet")]
#[test]
fn a_file_that_cannot_be_read_is_a_problem_and_the_rest_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let whole = fs::read(table("nested.parquet")).unwrap();
    fs::write(dir.path().join("cut.parquet"), &whole[..1000]).unwrap();
    fs::write(dir.path().join("tiny.parquet"), b"PAR1PAR1").unwrap();
    fs::write(dir.path().join("empty.parquet"), b"").unwrap();
    fs::write(dir.path().join("good.parquet"), &whole).unwrap();
    let path = dir.path().display().to_string();
    let out = run(&["events", &path, "--format", "jsonl"]);
    assert_eq!(out.status.code(), Some(0));
    assert_eq!(objects(&text(&out.stdout)).len(), 6);
    let problems = text(&out.stderr);
    for name in ["cut", "tiny"] {
        let problem = format!("{name}.parquet");
        let line = problems.lines().find(|line| line.contains(&problem));
        let line = line.unwrap_or_else(|| panic!("{problems}"));
        assert!(line.contains("its end is missing"), "{line}");
    }
}

/// Values that their column cannot hold as they are spelled, and records that are not in the order of their times.
#[cfg(feature = "parquet")]
#[test]
fn every_spelling_comes_back_from_an_export() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("a.jsonl");
    let mut lines = String::new();
    for (second, n) in [
        (2, "1"),
        (1, "1.50"),
        (3, "\"0007\""),
        (3, "2e3"),
        (4, "-0.25"),
    ] {
        lines += &format!(
            "{{\"time\":\"2026-11-20T10:00:0{second}Z\",\"msg\":\"a\",\"n\":{n},\"m\":[1,\"02\"],\"k.all\":[1,2],\"big\":9007199254740993}}\n"
        );
    }
    for n in ["1.50", "2.25"] {
        lines += &format!("{{\"time\":\"2026-11-20T10:00:05Z\",\"msg\":\"a\",\"x\":{n}}}\n");
    }
    fs::write(&log, lines).unwrap();
    let log = log.display().to_string();
    let out = dir.path().join("a.parquet").display().to_string();
    ok(&["export", "-o", &out, &log]);
    assert_eq!(events(&out), events(&log));
}

#[cfg(feature = "parquet")]
#[test]
fn an_export_in_an_archive_and_behind_a_pipe_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("e.parquet");
    let out = path.display().to_string();
    ok(&["export", "-o", &out, &hung()]);
    let archive = dir.path().join("a.tar");
    let mut tar = tar::Builder::new(fs::File::create(&archive).unwrap());
    tar.append_path_with_name(&path, "run/e.parquet").unwrap();
    tar.finish().unwrap();
    let expected = events(&hung());
    assert_eq!(events(&archive.display().to_string()), expected);
    let piped = command(&["events", "-", "--format", "jsonl"])
        .stdin(fs::File::open(&path).unwrap())
        .output()
        .unwrap();
    assert_eq!(objects(&text(&piped.stdout)), expected);
}
