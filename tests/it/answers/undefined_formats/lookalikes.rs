//! Text that resembles something else: times after dates, numbers, words in brackets, boxes, headers of several lines.

use serde_json::Value as Json;

use crate::program::printed;

fn events(name: &str, text: &str) -> Vec<Json> {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join(name);
    std::fs::write(&log, text).unwrap();
    printed("events", &[], &log)
}

/// Twelve lines, made of their number.
fn lines(line: impl Fn(usize) -> String) -> String {
    (0..12).map(|n| line(n) + "\n").collect()
}

fn text<'a>(event: &'a Json, field: &str) -> &'a str {
    event[field].as_str().unwrap_or("")
}

#[test]
fn headers_that_have_a_line_of_their_own() {
    let java = lines(|n| {
        let level = ["INFO", "WARNING", "SEVERE"][n % 3];
        format!(
            "Mar 14, 2026 9:26:{n:02} AM engine.Exec run\n{level}: job {n} ended\n\tat engine.Exec.run(Exec.java:7)"
        )
    });
    let found = events("engine.log", &java);
    assert_eq!(found.len(), 12);
    assert_eq!(text(&found[5], "time"), "2026-03-14T09:26:05.000000000Z");
    assert_eq!(text(&found[5], "level"), "error");
    assert_eq!(text(&found[5], "logger"), "engine.Exec");
    let message = "job 5 ended\n\tat engine.Exec.run(Exec.java:7)";
    assert_eq!(text(&found[5], "message"), message);
    assert_eq!(text(&found[5], "template"), "job {} ended");
    assert_eq!(found[5]["job"], 5);
}

#[test]
fn a_box_is_one_record() {
    let boxes =
        lines(|n| format!("┌ Warning: job {n} is slow\n│   seconds = {n}.5\n└ @ Main engine.jl:7"));
    let found = events("engine.log", &boxes);
    assert_eq!(found.len(), 12);
    assert_eq!(text(&found[3], "level"), "warning");
    assert!(text(&found[3], "message").ends_with("└ @ Main engine.jl:7"));
}

#[test]
fn zones_in_words_are_zones() {
    for (zone, hour) in [("PDT", 16), ("CEST", 7), ("UTC", 9), ("CST", 9)] {
        let log =
            lines(|n| format!("2026-03-14 09:26:{n:02}.250 {zone} [{n}] DEBUG job {n} ended"));
        let found = events("engine.log", &log);
        assert_eq!(text(&found[5], "message"), "job 5 ended", "{zone}");
        let time = format!("2026-03-14T{hour:02}:26:05.250000000Z");
        assert_eq!(text(&found[5], "time"), time, "{zone}");
        assert_eq!(found[5]["logger"], Json::Null, "{zone}");
    }
}

#[test]
fn dates_without_zeros_belong_to_their_clocks() {
    for date in [
        "3/14/2026 9:26:05 AM",
        "3/14/2026\t9:26:05 AM",
        "3/14/2026 09:26:05",
        "2026-03-14_09:26:05+0000",
    ] {
        let log = lines(|n| format!("{date} job {n} ended"));
        let found = events("engine.log", &log);
        assert_eq!(
            text(&found[5], "time"),
            "2026-03-14T09:26:05.000000000Z",
            "{date}"
        );
        assert_eq!(text(&found[5], "message"), "job 5 ended", "{date}");
    }
    // Which day that is, nobody knows.
    let found = events(
        "engine.log",
        &lines(|n| format!("w 26-3-14 09:26:05 job {n} ended")),
    );
    assert_eq!(found[5]["time"], Json::Null);
}

#[test]
fn large_numbers_in_a_table_are_no_times() {
    let table = lines(|n| format!("{} {}.25 {}", 1024u64 << (2 * n), n, 7 * n));
    let found = events("bandwidth.log", &table);
    assert!(found.iter().all(|e| e["time"] == Json::Null), "{found:#?}");
}

#[test]
fn no_word_of_a_message_is_cut() {
    let log = lines(|n| {
        format!(
            "2026-03-14 09:26:{n:02} mon.a mon.{} <R>.{n}:6789/0 job {n} ended",
            n % 3
        )
    });
    let found = events("engine.log", &log);
    let message = text(&found[5], "message");
    assert!(message.contains("<R>.5:6789/0 job 5 ended"), "{message}");
}

#[test]
fn hosts_are_hosts_in_either_notation() {
    let log = lines(|n| {
        let host = ["0:0:0:0:0:0:0:1", "fe80::1", "10.0.0.7"][n % 3];
        format!("{host} - - [14/Mar/2026:09:26:{n:02} +0000] \"GET /job/{n} HTTP/1.1\" 200 5")
    });
    let found = events("access.log", &log);
    assert_eq!(text(&found[4], "time"), "2026-03-14T09:26:04.000000000Z");
    assert_eq!(text(&found[4], "host"), "fe80::1");
}

#[test]
fn what_stands_around_objects_and_lines_is_taken_off() {
    let led = lines(|n| {
        format!(
            r#":::RUNLOG {{"time_ms": {}, "level": "info", "msg": "job {n} ended"}}"#,
            1_773_480_365_000u64 + n as u64
        )
    });
    let found = events("result.txt", &led);
    assert_eq!(text(&found[5], "time"), "2026-03-14T09:26:05.005000000Z");
    assert_eq!(text(&found[5], "message"), "job 5 ended");
    // Without times of the program's own, those around its lines count.
    let cri = lines(|n| format!("2026-03-14T09:26:{n:02}.123456789Z stderr F job {n} ended"));
    let found = events("0.log", &cri);
    assert_eq!(text(&found[5], "message"), "job 5 ended");
    assert_eq!(text(&found[5], "stream"), "stderr");
    let docker = lines(|n| {
        format!(
            r#"{{"log":"job {n} ended\n","stream":"stdout","time":"2026-03-14T09:26:{n:02}.5Z"}}"#
        )
    });
    let found = events("container-json.log", &docker);
    assert_eq!(text(&found[5], "message"), "job 5 ended");
}

#[test]
fn who_and_how_severe_without_a_time() {
    let log = lines(|n| {
        format!(
            "[node{}][{:6}] job {n} ended",
            n % 3,
            ["DEBUG", "ERROR"][n % 2]
        )
    });
    let found = events("deploy.log", &log);
    assert_eq!(text(&found[5], "level"), "error");
    assert_eq!(text(&found[5], "message"), "job 5 ended");
    assert_eq!(text(&found[5], "component"), "node2");
}

#[test]
fn what_lies_amid_records_of_another_kind_is_reported() {
    let spans = |n: usize| {
        format!(
            r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{{"traceId":"{n:032x}","spanId":"{n:016x}","name":"job","startTimeUnixNano":"17734803650000000{n:02}","endTimeUnixNano":"1773480366000000000"}}]}}]}}]}}"#
        )
    };
    let log = r#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1773480365500000000","severityNumber":9,"body":{"stringValue":"job 7 ended"}}]}]}]}"#;
    let text = lines(spans) + log + "\n";
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("otlp.jsonl");
    std::fs::write(&path, text).unwrap();
    assert_eq!(printed("events", &[], &path).len(), 13);
    let sources = printed("sources", &[], &path);
    let problems = sources[0]["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 1, "{problems:?}");
}

#[test]
fn a_name_that_looks_like_a_level_is_none() {
    let level = |n: usize| ["INFO", "ERROR", "DEBUG"][n % 3];
    for name in ["w", "e", "i", "warn", "info", "ERROR"] {
        let log = lines(|n| {
            format!(
                "2026-03-14 09:26:{n:02},250 {} [{name}] job {n} ended",
                level(n)
            )
        });
        let found = events("engine.log", &log);
        assert_eq!(text(&found[4], "level"), "error", "{name}");
        assert_eq!(text(&found[5], "level"), "debug", "{name}");
        assert_eq!(text(&found[5], "message"), "job 5 ended", "{name}");
        // A few lines have fewer keys, but the same levels.
        let few: String = log.split_inclusive('\n').take(2).collect();
        let found = events("engine.log", &few);
        assert_eq!(text(&found[1], "level"), "error", "{name}");
    }
    let log = lines(|n| format!("2026-03-14 09:26:{n:02},250 {} w job {n} ended", level(n)));
    assert_eq!(text(&events("engine.log", &log)[4], "level"), "error");
    // Whoever writes may come first.
    let log = lines(|n| format!("2026-03-14 09:26:{n:02},250 w [{}] job {n} ended", level(n)));
    let found = events("engine.log", &log);
    assert_eq!(text(&found[4], "level"), "error");
    assert_eq!(text(&found[4], "logger"), "w");
}

/// A line with the colours of a terminal, each written as `^[`.
fn coloured(line: &str) -> String {
    line.replace("^[", "\u{1b}[")
}

#[test]
fn colours_are_in_no_message_and_in_no_name() {
    let loguru = lines(|n| {
        let level = ["^[1mINFO    ^[0m", "^[31m^[1mERROR   ^[0m"][n % 2];
        coloured(&format!(
            "^[32m2026-03-14 09:26:{n:02}.250^[0m | {level} | ^[36mengine^[0m:^[36mrun^[0m:^[36m7^[0m - ^[1mjob {n} ended^[0m"
        ))
    });
    let traceback = "^[33m^[1mTraceback (most recent call last):^[0m\n> File \"^[32m/engine/^[0m^[32m^[1mrun.py^[0m\", line \
                     ^[33m7^[0m, in ^[35mrun^[0m\n    ^[1mfail^[0m()\n\n^[31m^[1mDiverged^[0m:^[1m job 11^[0m\n";
    let structlog = lines(|n| {
        let level = ["^[32m^[1minfo     ^[0m", "^[31m^[1merror    ^[0m"][n % 2];
        coloured(&format!(
            "^[2m2026-03-14 09:26:{n:02}^[0m [{level}] ^[1mended                 ^[0m ^[36mjob^[0m=^[35m{n}^[0m"
        ))
    });
    let only_level = lines(|n| {
        let level = ["^[32mINFO^[0m", "^[31mERROR^[0m"][n % 2];
        coloured(&format!(
            "2026-03-14 09:26:{n:02},250 - engine - {level} - job {n} ended"
        ))
    });
    let loguru = loguru + &coloured(traceback);
    for log in [&loguru, &structlog, &only_level] {
        let found = events("engine.log", log);
        assert_eq!(found.len(), 12, "{log}");
        for (n, event) in found.iter().enumerate() {
            assert_eq!(text(event, "level"), ["info", "error"][n % 2], "{event}");
            assert_eq!(event["job"], n, "{event}");
            assert!(!text(event, "message").contains('\u{1b}'), "{event}");
        }
    }
    let found = events("engine.log", &loguru);
    assert_eq!(text(&found[5], "message"), "job 5 ended");
    assert_eq!(text(&found[5], "logger"), "engine");
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("engine.log"), &loguru).unwrap();
    let reported = printed("diagnose", &[], dir.path());
    let is_whole = reported.iter().any(|f| f["title"] == "Diverged: job 11");
    assert!(is_whole, "{reported:?}");
}

#[test]
fn a_log_is_from_its_earliest_to_its_latest_record() {
    let dir = tempfile::tempdir().unwrap();
    let log = lines(|n| {
        format!(
            "2026-03-14 09:26:{:02},250 INFO job {n} ended",
            (n + 7) % 12
        )
    });
    std::fs::write(dir.path().join("engine.log"), log).unwrap();
    let source = &printed("sources", &[], dir.path())[0];
    let ends = ["first", "last"].map(|end| text(source, end)[17..19].to_owned());
    assert_eq!(ends, ["00", "11"]);
}
