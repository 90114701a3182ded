//! Times, zones, years, levels and framing of small logs that no definition describes.

use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use crate::program::printed;

/// Folder with these files.
fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

fn events(path: &Path, options: &[&str]) -> Vec<Json> {
    printed("events", options, path)
}

/// Value of a field; times (UTC) without zeros at the end of their fraction.
fn field<'a>(row: &'a Json, name: &str) -> &'a str {
    let text = row[name].as_str().unwrap_or_default();
    match text.strip_suffix('Z') {
        Some(time) if time.contains('.') => time.trim_end_matches('0').trim_end_matches('.'),
        _ => text,
    }
}

/// Times of all records of one log, in their order.
fn times(text: &str) -> Vec<String> {
    let dir = folder(&[("a.log", text.as_bytes())]);
    let rows = events(dir.path(), &[]);
    rows.iter()
        .map(|row| field(row, "time").to_owned())
        .collect()
}

#[test]
fn zones_behind_times_count_and_cost_no_level() {
    for (line, time) in [
        (
            "2024.02.19 14:25:50.201 EST: [INFO]  plan one",
            "2024-02-19T19:25:50.201",
        ),
        (
            "7/16/2021 11:46:59 AM-0600 INFO: start",
            "2021-07-16T17:46:59",
        ),
        (
            "2024-06-25 14:54:28 CET jobd[869] INFO: a",
            "2024-06-25T13:54:28",
        ),
        ("2024-02-19T14:25:50 [UTC+1] INFO a", "2024-02-19T13:25:50"),
        (
            "2024-02-19 14:25:50 GMT+01:00 INFO a",
            "2024-02-19T13:25:50",
        ),
        ("19/Feb/2024 14:25:50 -0530 INFO a", "2024-02-19T19:55:50"),
    ] {
        let second = line
            .replace(":50", ":51")
            .replace(":59", ":58")
            .replace(":28", ":29");
        let dir = folder(&[("a.log", format!("{line}\n{second}\n").as_bytes())]);
        let rows = events(dir.path(), &[]);
        assert_eq!(rows.len(), 2, "{line}");
        assert!(
            rows.iter().any(|row| field(row, "time") == time),
            "{line}: {rows:#?}"
        );
        let is_info = |row: &Json| field(row, "level") == "info";
        assert!(rows.iter().all(is_info), "{line}: {rows:#?}");
    }
}

#[test]
fn dates_in_other_forms_are_those_that_are_written() {
    assert_eq!(
        times(
            "2014:09:04 08:17:16 pilot.Main: [INFO] a\n2014:09:04 08:17:26 pilot.Main: [ERROR] b\n"
        ),
        ["2014-09-04T08:17:16", "2014-09-04T08:17:26"]
    );
    let months = [
        ["ene", "abr", "ago", "dic"],
        ["jan", "abr", "ago", "dez"],
        ["janv.", "avr.", "ao\u{fb}t", "d\u{e9}c."],
    ];
    for names in months {
        let line = |name: &str| format!("{name}-15 10:00:00.123 engine started\n");
        let text: String = names.iter().map(|name| line(name)).collect();
        let found = times(&text);
        let mut months: Vec<&str> = found.iter().map(|time| &time[5..10]).collect();
        // Without a year the last months may be those of the year before.
        months.sort_unstable();
        assert_eq!(months, ["01-15", "04-15", "08-15", "12-15"], "{names:?}");
    }
    assert_eq!(
        times(
            "DATE=20000330112320.957943 HOST=h PROG=p NL.EVNT=a\nDATE=20000330112320.987943 HOST=h PROG=p NL.EVNT=b\n"
        ),
        ["2000-03-30T11:23:20.957943", "2000-03-30T11:23:20.987943"]
    );
}

#[test]
fn a_year_that_stamps_leave_out_is_that_of_dates_in_the_text() {
    let syslog = "Nov 19 13:21:12 host1 app[3]: start\nNov 19 13:21:13 host1 app[3]: report of 2019-11-19T13:21:13 written\n";
    assert!(
        times(syslog)
            .iter()
            .all(|time| time.starts_with("2019-11-19"))
    );
    let other_day = "Nov 19 13:21:12 host1 app[3]: start\nNov 19 13:21:13 host1 app[3]: release of 2019-03-01T00:00:00 found\n";
    assert!(
        times(other_day)
            .iter()
            .all(|time| !time.starts_with("2019"))
    );
}

#[test]
fn a_file_of_another_year_says_nothing_about_the_zone() {
    let naive: String = (0..6)
        .map(|n| format!("02/19/24 14:25:{} step {n}\n", 31 + 5 * n))
        .collect();
    let dir = folder(&[
        ("wf.log", naive.as_bytes()),
        ("state.log", b"1708370731 node-a START\n1708370757 node-a END\n"),
        ("plan.bp", b"ts=1970-01-05T23:31:02.897625Z event=task.info id=t1\nts=1970-01-05T23:31:02.997625Z event=task.info id=t2\n"),
    ]);
    // Without `--tz`: the zone is inferred.
    let out = std::process::Command::new(crate::program::PROGRAM)
        .args(["sources", "--format", "jsonl"])
        .arg(dir.path())
        .output()
        .unwrap();
    let rows = String::from_utf8(out.stdout).unwrap();
    let rows = rows
        .lines()
        .map(|line| serde_json::from_str::<Json>(line).unwrap());
    let own: Vec<Json> = rows
        .filter(|row| field(row, "path").ends_with("wf.log"))
        .collect();
    assert_eq!(field(&own[0], "first"), "2024-02-19T19:25:31", "{own:#?}");
}

#[test]
fn levels_of_json_are_found_under_any_name() {
    for name in [
        "lvl",
        "log_level",
        "levelName",
        "level_text",
        "severity",
        "Level",
        "LEVEL",
        "SeverityText",
        "@level",
        "@l",
        "priority",
        "log.level",
        "sev",
    ] {
        let line = |n: u32, level: &str| {
            format!(
                "{{\"ts\":\"2024-05-01T10:00:0{n}Z\",\"{name}\":\"{level}\",\"msg\":\"m{n}\"}}\n"
            )
        };
        let text = line(1, "INFO") + &line(2, "ERROR") + &line(3, "INFO");
        let dir = folder(&[("a.jsonl", text.as_bytes())]);
        let rows = events(dir.path(), &["--where", "level >= error"]);
        assert_eq!(rows.len(), 1, "{name}");
    }
    let nested = "{\"ts\":\"2024-05-01T10:00:01Z\",\"log\":{\"level\":\"error\"},\"msg\":\"m\"}\n";
    let dir = folder(&[("a.jsonl", nested.as_bytes())]);
    assert_eq!(events(dir.path(), &["--where", "level >= error"]).len(), 1);
}

#[test]
fn seconds_and_their_fraction_in_two_fields_are_one_time() {
    for (first, second) in [
        (
            r#""instant":{"epochSecond":1685544384,"nanoOfSecond":611206000}"#,
            r#""instant":{"epochSecond":1685544384,"nanoOfSecond":111206000}"#,
        ),
        (
            r#""time":{"seconds":1685544384,"nanos":611206000}"#,
            r#""time":{"seconds":1685544384,"nanos":111206000}"#,
        ),
        (
            r#""sec":1685544384,"usec":611206"#,
            r#""sec":1685544384,"usec":111206"#,
        ),
    ] {
        let text = format!(
            "{{{first},\"level\":\"INFO\",\"message\":\"late\"}}\n{{{second},\"level\":\"INFO\",\"message\":\"early\"}}\n"
        );
        let dir = folder(&[("a.jsonl", text.as_bytes())]);
        let rows = events(dir.path(), &[]);
        let found: Vec<(&str, &str)> = rows
            .iter()
            .map(|row| (field(row, "message"), field(row, "time")))
            .collect();
        assert_eq!(
            found,
            [
                ("early", "2023-05-31T14:46:24.111206"),
                ("late", "2023-05-31T14:46:24.611206")
            ],
            "{first}"
        );
    }
}

#[test]
fn stamps_before_stamped_lines_are_taken_off() {
    for outer in [
        "2023-01-30T14:44:00.681+01:00 ",
        "2023-01-30T14:44:00.681+01:00\t",
        "\t2023-01-30T14:44:00.681+01:00\t",
    ] {
        let text = format!(
            "{outer}2023-01-30 13:44:00,002 - distributed.nanny - INFO - Start\n{outer}2023-01-30 13:44:00,102 - distributed.worker - ERROR - boom\n"
        );
        let dir = folder(&[("a.log", text.as_bytes())]);
        let rows = events(dir.path(), &["--where", "level >= error"]);
        assert_eq!(rows.len(), 1, "{outer:?}");
        assert_eq!(
            field(&rows[0], "time"),
            "2023-01-30T13:44:00.102",
            "{outer:?}"
        );
        assert_eq!(field(&rows[0], "message"), "boom", "{outer:?}");
    }
}

#[test]
fn holes_of_nul_bytes_cost_no_record_and_are_reported() {
    let lines = |from: u32, to: u32| -> Vec<u8> {
        let line = |n| format!("2022-04-11 08:00:{n:02},345 INFO step {n} of the pump\n");
        (from..to).map(line).collect::<String>().into_bytes()
    };
    for (before, hole) in [(0, 20), (1, 100_000), (20, 17), (20, 300_000)] {
        let mut text = lines(0, before);
        text.extend(std::iter::repeat_n(0, hole));
        text.extend(
            b"2022-04-11 10:01:03,345 ERROR after hole\n2022-04-11 10:01:04,345 INFO end\n",
        );
        let dir = folder(&[("pump.log", &text)]);
        let rows = events(dir.path(), &[]);
        assert_eq!(rows.len(), before as usize + 2, "{before} {hole}");
        let errors = events(dir.path(), &["--where", "level >= error"]);
        assert_eq!(
            field(&errors[0], "message"),
            "after hole",
            "{before} {hole}"
        );
        let sources = printed("sources", &[], dir.path());
        assert!(
            sources[0].to_string().contains("NUL bytes skipped"),
            "{sources:#?}"
        );
    }
}

#[test]
fn words_make_no_stamped_log_an_attachment() {
    let text = "[2024-05-01 10:00:00] INFO     pkg/core.py:12   : ready\n\
        [2024-05-01 10:00:01] INFO     pkg/sched.py:40  : Register worker <WorkerState 'tcp://192.0.2.1:7001', status: init, memory: 0, processing: 0>\n\
        [2024-05-01 10:00:02] ERROR    pkg/sched.py:41  : lost it\n";
    let dir = folder(&[("sched.log", text.as_bytes())]);
    let rows = events(dir.path(), &[]);
    let levels: Vec<&str> = rows.iter().map(|row| field(row, "level")).collect();
    assert_eq!(levels, ["info", "info", "error"]);
}

#[test]
fn crashes_without_a_stamp_are_errors_of_their_own() {
    let text = "2024-05-01 10:00:00,100 INFO pool: 12 jobs active\n\
        Process Relay-1:\n\
        Traceback (most recent call last):\n  File \"/opt/app/relay.py\", line 88, in loop\n    queue.remove(job)\n\
        ValueError: job not in queue\n\
        2024-05-01 10:00:05,100 INFO pool: 12 jobs active\n\
        Fatal Python error: Segmentation fault\n\
        2024-05-01 10:00:15,100 INFO pool: 12 jobs active\n\
        Exception in thread Thread-4:\n\
        Traceback (most recent call last):\n  File \"/opt/app/t.py\", line 3, in run\n\
        OSError: [Errno 28] No space left on device\n\
        2024-05-01 10:00:20,100 INFO pool: 12 jobs active\n\
        terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n\
        Aborted (core dumped)\n\
        2024-05-01 10:00:25,100 ERROR pool: a job failed\n\
        Traceback (most recent call last):\n  File \"/opt/app/t.py\", line 9, in job\n\
        KeyError: 'x'\n";
    let dir = folder(&[("svc.log", text.as_bytes())]);
    let rows = events(dir.path(), &["--where", "level >= error"]);
    let first_lines: Vec<&str> = rows
        .iter()
        .map(|row| field(row, "message").lines().next().unwrap_or_default())
        .collect();
    // A traceback below a record that a logger wrote stays with that record.
    assert_eq!(
        first_lines,
        [
            "Process Relay-1:",
            "Fatal Python error: Segmentation fault",
            "Exception in thread Thread-4:",
            "terminate called after throwing an instance of 'std::bad_alloc'",
            "Aborted (core dumped)",
            "a job failed",
        ]
    );
}

#[test]
fn blanks_at_the_end_of_a_message_make_no_other_template() {
    let text = "2024-01-01 10:00:00 ERROR disk full\n2024-01-01 10:00:01 ERROR disk full \n2024-01-01 10:00:02 ERROR disk full\n";
    let dir = folder(&[("a.log", text.as_bytes())]);
    let findings = printed("diagnose", &[], dir.path());
    assert_eq!(findings.len(), 1, "{findings:#?}");
}

#[test]
fn records_as_text_in_a_field_give_level_message_and_keys() {
    let quoted = |text: &str| Json::from(text).to_string();
    let inner = |level: &str| {
        format!("{{\"levelname\": \"{level}\", \"msg\": \"task 7 ran\", \"task_id\": 7}}\n")
    };
    let record = |around: &str, level: &str| around.replace("{}", &quoted(&inner(level)));
    for (around, key) in [
        // A consumer of a Kafka topic, kcat, Fluent Bit, an event bus.
        (
            r#"{"topic": "t", "partition": 0, "offset": 3, "ts": 1770216523500, "value": {}}"#,
            "task_id",
        ),
        (
            r#"{"topic": "t", "partition": 0, "offset": 3, "ts": 1770216523500, "payload": {}}"#,
            "task_id",
        ),
        (
            r#"{"time": "2026-02-04T14:48:43.5Z", "log": {}, "kubernetes": {"pod_name": "w-1"}}"#,
            "log.task_id",
        ),
        (
            r#"{"@timestamp": "2026-02-04T14:48:43.5Z", "detail": {"Body": {}}}"#,
            "detail.Body.task_id",
        ),
    ] {
        // Beside a text of another form.
        let text = [
            record(around, "INFO"),
            record(around, "ERROR"),
            around.replace("{}", "\"plain\""),
        ];
        let dir = folder(&[("a.jsonl", text.join("\n").as_bytes())]);
        let rows = events(dir.path(), &["--where", "level >= error"]);
        assert_eq!(rows.len(), 1, "{around}: {rows:?}");
        assert_eq!(field(&rows[0], "time"), "2026-02-04T14:48:43.5", "{around}");
        assert_eq!(field(&rows[0], "message"), "task 7 ran", "{around}");
        assert_eq!(rows[0][key], 7, "{around}: {rows:?}");
        assert_eq!(events(dir.path(), &[]).len(), 3, "{around}");
    }
}

#[test]
fn records_whose_line_end_is_missing_are_records_of_their_own() {
    let line = |second: u32, text: &str| format!("2026-11-21 10:00:0{second},100 - a.b - {text}");
    let text = [
        line(0, "INFO - one done.") + &line(1, "ERROR - two failed") + "\n",
        // A progress bar without a line end.
        "50%|##   | 5/10 [00:05<00:05]".to_owned() + &line(2, "ERROR - three failed") + "\n",
        // Quoted records and names of files are text.
        line(
            3,
            &format!(
                "INFO - saw \"{0}\" in run-{0}",
                line(1, "ERROR - two failed")
            ),
        ) + "\n",
        line(4, "INFO - four") + "\n",
    ];
    let dir = folder(&[("a.log", text.concat().as_bytes())]);
    let messages = |options: &[&str]| -> Vec<String> {
        let rows = events(dir.path(), options);
        rows.iter()
            .map(|row| field(row, "message").to_owned())
            .collect()
    };
    // The progress bar belongs to the record before it.
    assert_eq!(
        messages(&["--where", "level >= error"]),
        ["two failed\n50%|##   | 5/10 [00:05<00:05]", "three failed"]
    );
    assert_eq!(messages(&[]).len(), 5, "{:?}", messages(&[]));
}

#[test]
fn a_message_that_a_dialect_renames_is_a_key_too() {
    let line = |second: u32, event: &str| {
        format!(
            "{{\"when\": \"2026-10-05T09:00:0{second}Z\", \"sev\": \"info\", \"ev\": \"{event}\", \"sample\": \"S0\"}}\n"
        )
    };
    let log = line(0, "sample_started") + &line(1, "sample_finished");
    let definition = "name = \"samp\"\n[keys.\"samp.sample\"]\ntype = \"text\"\nidentifier = true\n\
        [[json]]\nname = \"samp\"\nrequire = [\"ev\", \"sample\", \"when\"]\ntime = [\"when\"]\nlevel = [\"sev\"]\n\
        message = [\"ev\"]\nrename = { sample = \"samp.sample\", ev = \"samp.state\" }\n\
        [[source]]\nkind = \"run\"\nglob = [\"run.jsonl\"]\njson = [\"samp\"]\n";
    let dir = folder(&[
        ("run.jsonl", log.as_bytes()),
        ("samp.toml", definition.as_bytes()),
    ]);
    let system = dir.path().join("samp.toml").display().to_string();
    let rows = events(&dir.path().join("run.jsonl"), &["--system", &system]);
    assert_eq!(rows.len(), 2);
    for (row, state) in rows.iter().zip(["sample_started", "sample_finished"]) {
        assert_eq!(
            (field(row, "message"), field(row, "samp.state")),
            (state, state)
        );
    }
}

#[test]
fn an_id_in_two_logs_shows_the_zone_of_one() {
    let id = "77aa00bb11cc22dd33ee44ff5566778899aabbcc";
    let local = format!(
        "[2024-05-25 19:43:26,093] INFO pool: started\n[2024-05-25 19:44:10,004] WARNING pool: Worker {id} exits\n"
    );
    let event = |second: u32| {
        format!(
            "{{\"ts\": \"2024-05-25T18:44:{second:02}Z\", \"msg\": \"a worker died\", \"worker_id\": \"{id}\"}}\n"
        )
    };
    let first = |second: u32| {
        let event = event(second);
        let files = [
            ("pool.log", local.as_bytes()),
            ("events.jsonl", event.as_bytes()),
        ];
        let dir = folder(&files);
        // Without `--tz`: the zone is inferred, that of the machine is UTC.
        let out = std::process::Command::new(crate::program::PROGRAM)
            .args(["events", "--format", "jsonl"])
            .arg(dir.path())
            .env("TZ", "UTC")
            .output()
            .unwrap();
        let rows = String::from_utf8(out.stdout).unwrap();
        let row: Json = serde_json::from_str(rows.lines().next().unwrap()).unwrap();
        field(&row, "time").to_owned()
    };
    assert_eq!(first(10), "2024-05-25T18:43:26.093");
    // Reports of two events are some seconds apart.
    assert_eq!(first(35), "2024-05-25T18:44:35");
}
