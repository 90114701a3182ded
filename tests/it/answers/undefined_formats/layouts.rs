//! Logs of many loggers without a definition: time, level and message are recognised.

use serde_json::{Value as Json, json};

use crate::program::printed;

/// Seconds after 09:26:50 on 2026-03-14, how bad, who and what.
const TOLD: [(u32, &str, &str, &str); 8] = [
    (0, "INFO", "engine.main", "starting version 3.2"),
    (1, "DEBUG", "engine.main", "loaded 12 settings"),
    (2, "INFO", "engine.pool", "worker w1 registered"),
    (3, "INFO", "engine.sched", "job 1000 submitted"),
    (4, "WARNING", "engine.exec", "job 1000 is late"),
    (5, "INFO", "engine.sched", "job 1001 submitted"),
    (6, "ERROR", "engine.exec", "job 1001 failed, exit code 137"),
    (9, "INFO", "engine.main", "waiting for 1 jobs"),
];

/// Line of a logger; parts in angle brackets are placeholders.
type Look = (&'static str, &'static str);

/// The line of one record.
fn line(look: &str, at: usize) -> String {
    let (second, level, logger, message) = TOLD[at];
    let short = if level == "WARNING" { "WARN" } else { level };
    let file = logger.rsplit('.').next().unwrap();
    let time = format!("09:26:{}", 50 + second);
    let filled = [
        ("<date>", "2026-03-14".to_owned()),
        ("<time>", time.clone()),
        ("<packed>", time.replace(':', "")),
        ("<LEVEL>", level.to_owned()),
        ("<LEVEL8>", format!("{level:8}")),
        ("<SHORT>", short.to_owned()),
        ("<SHORT5>", format!("{short:5}")),
        ("<5SHORT>", format!("{short:>5}")),
        ("<level9>", format!("{:9}", level.to_lowercase())),
        ("<level>", level.to_lowercase()),
        ("<L>", level[..1].to_owned()),
        ("<logger>", logger.to_owned()),
        ("<logger20>", format!("{logger:20}")),
        ("<path>", logger.replace('.', "::")),
        ("<file>", format!("{file}.cc:{}", 20 + at)),
        ("<n>", (at % 3).to_string()),
        ("<n3>", format!("{:>3}", at * 4)),
        ("<message>", message.to_owned()),
    ];
    filled.iter().fold(look.to_owned(), |line, (part, value)| {
        line.replace(part, value)
    })
}

fn events(look: &str) -> Vec<Json> {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("engine.log");
    let lines: String = (0..TOLD.len()).map(|at| line(look, at) + "\n").collect();
    std::fs::write(&log, lines).unwrap();
    // Times without a year lie near the time at which a file was last written.
    let written = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_773_480_420);
    let file = std::fs::File::options().write(true).open(&log).unwrap();
    file.set_modified(written).unwrap();
    printed("events", &[], &log)
}

/// Differences between the records read and the records written.
fn mistakes((name, look): Look) -> Vec<String> {
    let found = events(look);
    if found.len() != TOLD.len() {
        return vec![format!("{name}: {} records", found.len())];
    }
    let mut wrong = Vec::new();
    for (event, (second, level, logger, message)) in found.iter().zip(TOLD) {
        let mut check = |key: &str, value: Json| {
            if event[key] != value {
                wrong.push(format!("{name}: {key} {} not {value}", event[key]));
            }
        };
        check(
            "time",
            json!(format!("2026-03-14T09:26:{}.000000000Z", 50 + second)),
        );
        if look.to_lowercase().contains("level>")
            || look.contains("SHORT")
            || look.contains("<L>")
            || look.contains("<level9>")
            || look.contains("<LEVEL8>")
        {
            check("level", json!(level.to_lowercase()));
        }
        check("message", json!(message));
        if look.contains("<logger>") || look.contains("<logger20>") {
            check("logger", json!(logger));
        }
        if message.starts_with("job") {
            check("job", json!(1000 + usize::from(message.contains("1001"))));
        }
    }
    wrong.truncate(4);
    wrong
}

fn assert_understood(looks: &[Look]) {
    let wrong: Vec<String> = looks.iter().flat_map(|look| mistakes(*look)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_stands_before_the_time_is_reported() {
    assert_understood(
        &[
            ("level first", "<LEVEL> [<date> <time>] <message>"),
            (
                "level and thread",
                "<SHORT5> [main] <date> <time>,000 <file> - <message>",
            ),
            ("host", "node00<n> <date> <time>,000 <LEVEL> <message>"),
            ("rank", "[rank <n>] <date> <time> <LEVEL>: <message>"),
            ("label", "<n3>: <date>T<time> <LEVEL> <message>"),
            ("tag", "[1,<n>]<stdout>:<date> <time> <LEVEL> <message>"),
            ("program", "engine[4711]: <date> <time> <LEVEL> <message>"),
            ("stars", "*** <date> <time> *** <LEVEL>: <message>"),
            ("month first", "<SHORT> 03-14 <time> [<file>] <message>"),
            (
                "in parentheses",
                "(Engine pid=4711) <LEVEL> 03-14 <time> [<file>] <message>",
            ),
            ("request", "[<LEVEL>]\t<date>T<time>.000Z\t<message>"),
        ][..11],
    );
}

#[test]
fn times_are_reported_however_they_are_written() {
    assert_understood(&[
        ("day first", "14/03/2026 <time> <LEVEL> <message>"),
        ("dashes", "14-03-2026 <time> <LEVEL> <message>"),
        ("no year", "03-14 <time> <LEVEL> <message>"),
        ("no year, slash", "03/14 <time>.000 <LEVEL> <message>"),
        ("compact", "20260314-<packed> <LEVEL> <message>"),
        ("compact with T", "20260314T<packed>.000Z <LEVEL> <message>"),
        ("short year", "260314 <time> 4711 <LEVEL> <message>"),
        ("all short", "260314 <packed> 4711 <LEVEL> <message>"),
        (
            "zone behind",
            "<date> <time>.000 UTC [4711] <LEVEL>: <message>",
        ),
        ("weekday", "Sat Mar 14 <time>: <LEVEL>: <message>"),
        ("erlang", "14-Mar-2026::<time> <LEVEL> <message>"),
        (
            "indented",
            "    <date>T<time>.000Z [<SHORT>] <logger>: <message>",
        ),
    ]);
}

#[test]
fn levels_and_names_are_reported_between_any_delimiters() {
    assert_understood(&[
        ("bars", "<date> <time>|<SHORT>|<logger>|<message>"),
        ("colons", "<date> <time>,000:<LEVEL>:<logger>:<message>"),
        ("padded in brackets", "<date>T<time>Z [<level9>] <message>"),
        (
            "padded name",
            "<date> <time>,000 <logger20> <LEVEL> <message>",
        ),
        ("constant", "<date> <time>,000 <LEVEL> [default] <message>"),
        ("path", "<date>T<time>.000000Z <5SHORT> <path>: <message>"),
        (
            "path in brackets",
            "[<date>T<time>Z <SHORT5> <path>] <message>",
        ),
        (
            "dotted level",
            "[<date>T<time>.000000+00:00] <logger>.<LEVEL>: <message>",
        ),
        (
            "java",
            "<date> <time>.000 <5SHORT> 4711 --- [           main] <logger20> : <message>",
        ),
        (
            "dotted name",
            "14-Mar-2026 <time>.000 <LEVEL> [main] <logger> <message>",
        ),
        (
            "path of a file",
            "<date> <time>.000000: <L> core/<file>] <message>",
        ),
        (
            "level and more",
            "[Sat Mar 14 <time>.000000 2026] [core:<level>] [pid 4711:tid 1234] <message>",
        ),
        (
            "level behind words",
            "<date> <time> R02-M1:J12-U11 RAS KERNEL <LEVEL> <message>",
        ),
        (
            "two numbers",
            "03-14 <time>.000  1702  2395 <L> <logger>: <message>",
        ),
    ]);
}

/// A stream and a mark that the line is whole are no level, a level is no host.
#[test]
fn letters_and_words_are_no_levels_where_they_stand_for_something_else() {
    assert_understood(&[
        (
            "container",
            "<date>T<time>.000000000Z stdout F <LEVEL> <message>",
        ),
        ("host", "<date>T<time>.000000Z <LEVEL> <path>: <message>"),
    ]);
}

/// A summer in a log without years, in a file that was copied, or written last, at another time of the year.
#[test]
fn a_log_without_years_goes_on_from_its_first_days() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("messages");
    let days = ["Jun 14", "Jun 20", "Jul  3", "Jul 27"];
    let lines: String = days
        .iter()
        .map(|day| format!("{day} 15:16:01 combo sshd[19939]: check pass\n"))
        .collect();
    std::fs::write(&log, lines).unwrap();
    // 2025-05-20: less than a month before the first one, more before the others.
    let written = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_747_742_400);
    let file = std::fs::File::options().write(true).open(&log).unwrap();
    file.set_modified(written).unwrap();
    let found = printed("events", &[], &log);
    let days: Vec<&str> = found
        .iter()
        .map(|e| &e["time"].as_str().unwrap()[..10])
        .collect();
    assert_eq!(
        days,
        ["2024-06-14", "2024-06-20", "2024-07-03", "2024-07-27"]
    );
}

/// A size is as large a number as a time.
#[test]
fn numbers_of_json_are_times_when_they_are_called_so() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("events");
    let lines = [
        r#"{"Event":"Start","Version":"1.5"}"#,
        r#"{"Event":"Added","Maximum Memory":1111794647,"Timestamp":1773480413000}"#,
        r#"{"Event":"JobStart","Job ID":0,"Submission Time":1773480415000}"#,
        r#"{"Event":"Task","Info":{"Launch Time":1773480416000,"Bytes":1733480416}}"#,
    ];
    std::fs::write(&log, lines.join("\n") + "\n").unwrap();
    let found = printed("events", &[], &log);
    let times: Vec<Option<&str>> = found
        .iter()
        .map(|e| e["time"].as_str().map(|t| &t[11..19]))
        .collect();
    // What has none stays behind the one before it.
    let expected = [None, Some("09:26:53"), Some("09:26:55"), Some("09:26:56")];
    assert_eq!(times, expected, "{found:#?}");
    assert_eq!(found[1]["message"], "Added");
}

/// Lines of logs may be values of a document that is written over many lines.
#[test]
fn times_in_the_strings_of_a_document_make_no_log_of_it() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("logs.json");
    let lines: Vec<Json> = (0..8)
        .map(|n| {
            json!([
                "INFO",
                format!("2026-03-14 09:26:5{n},000 - distributed.scheduler - INFO - job {n}")
            ])
        })
        .collect();
    let document = json!({ "scheduler": lines, "workers": { "w1": lines } });
    std::fs::write(&file, serde_json::to_string_pretty(&document).unwrap()).unwrap();
    let found = printed("sources", &[], &file);
    let reported = (&found[0]["layout"], &found[0]["first"]);
    assert_eq!(reported, (&json!("json"), &Json::Null), "{found:#?}");
}

/// Records that write no day, of a file last written about half a day away from them: each for itself one were nearest to one
/// day and the next one to another.
#[test]
fn a_log_without_days_goes_on_from_its_first_time() {
    for (times, on) in [
        (["14:48:07", "14:48:40", "14:49:25"], [0, 0, 0]),
        (["23:59:58", "00:00:02", "00:00:03"], [0, 1, 1]),
        // Threads write a little late.
        (["14:48:40", "14:48:07", "14:49:25"], [0, 0, 0]),
        (["13:10:00", "16:00:00", "22:30:00"], [0, 0, 0]),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("steps.log");
        let lines = times.map(|time| format!("{time} INFO step of {time} is done\n"));
        std::fs::write(&log, lines.concat()).unwrap();
        // 2026-11-24T02:48:45Z
        let written = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_795_488_525);
        let file = std::fs::File::options().write(true).open(&log).unwrap();
        file.set_modified(written).unwrap();
        let found = printed("events", &[], &log);
        let day = |time: &str| -> i32 {
            let all = found.iter().map(|e| e["time"].as_str().unwrap());
            let of = all.filter(|t| t[11..].starts_with(time));
            of.map(|t| t[8..10].parse::<i32>().unwrap()).sum()
        };
        assert_eq!(times.map(|t| day(t) - day(times[0])), on, "{found:#?}");
    }
}

/// Two bytes a letter, with a mark or without.
#[test]
fn text_of_two_bytes_a_letter_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let text =
        "2026-03-14 09:26:53 INFO job 17 läuft\r\n2026-03-14 09:26:54 ERROR job 17 failed\r\n";
    let little =
        |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let marked = format!("\u{feff}{text}");
    let big: Vec<u8> = marked.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for (name, bytes) in [
        ("a.log", little(&marked)),
        ("b.log", little(text)),
        ("c.log", big),
    ] {
        let log = dir.path().join(name);
        std::fs::write(&log, bytes).unwrap();
        let found = printed("events", &[], &log);
        assert_eq!(found.len(), 2, "{name}: {found:#?}");
        assert_eq!(found[0]["message"], "job 17 läuft", "{name}");
        assert_eq!(
            (&found[1]["level"], &found[1]["job"]),
            (&json!("error"), &json!(17)),
            "{name}"
        );
    }
}
