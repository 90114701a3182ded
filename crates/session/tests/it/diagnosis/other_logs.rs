//! Records of other logs about a problem, and programs that stand still, on small runs of programs without
//! definitions.

use widetui_diagnosis::{Finding, Severity};
use widetui_testing::diagnosed::Run;

/// Record of a program, `seconds` after 10:00.
fn at(seconds: f64, level: &str, message: &str) -> String {
    let (minutes, seconds) = ((seconds / 60.0).floor(), seconds % 60.0);
    format!("2026-11-25 10:{minutes:02}:{seconds:06.3} {level} {message}\n")
}

/// First finding of a run with these logs.
fn first(logs: &[(&str, &str)]) -> Finding {
    let run = Run::of(logs);
    let findings = run.diagnosis.findings;
    findings.into_iter().next().expect("a finding")
}

/// Records of a program that goes on, one every two seconds.
fn steady(program: &str, from: f64, count: u32) -> String {
    let line = |n| {
        at(
            from + 2.0 * f64::from(n),
            "INFO",
            &format!("{program}: beat {n}"),
        )
    };
    (0..count).map(line).collect()
}

#[test]
fn a_record_of_another_log_at_each_time_of_an_error_stands_beside_it() {
    let mut shop = String::new();
    let mut pooler = String::new();
    for n in 0..5 {
        let time = 10.0 + 9.0 * f64::from(n);
        pooler += &at(
            time,
            "WARNING",
            &format!("c-{n}7: pooler error: query_wait_timeout"),
        );
        shop += &at(
            time + 0.001,
            "ERROR",
            "POST /orders -> 503: server closed the connection unexpectedly",
        );
    }
    let top = Run::of(&[("shop.log", &shop), ("pooler.log", &pooler)]).top(2);
    assert!(top.contains("pooler error: query_wait_timeout"), "{top}");
}

#[test]
fn a_program_that_is_interrupted_at_work_has_no_other_problem() {
    let at_work = steady("campaign", 0.0, 30)
        + &at(60.0, "WARNING", "cancelling")
        + "Traceback (most recent call last):\n  File \"/srv/campaign.py\", line 28, in <module>\n    main()\nKeyboardInterrupt\n";
    let run = Run::of(&[("campaign.log", &at_work)]);
    assert_eq!(run.worst(), Some(Severity::Info), "{}", run.top(3));
    assert_eq!(run.diagnosis.findings[0].kind, "interrupt");
}

#[test]
fn the_peer_that_ends_otherwise_is_named() {
    let rank = |n: u32, last: &str| {
        let step = |k: u32| at(f64::from(k), "INFO", &format!("step {k}: total {k}5.{n}"));
        (0..4).map(step).collect::<String>() + &at(4.0 + 0.1 * f64::from(n), "INFO", last)
    };
    let waits = "step 4: partial sum 3.1 of 2 tiles";
    let logs = [
        rank(0, waits),
        rank(1, waits),
        rank(2, "sending statistics to rank 0"),
        rank(3, waits),
    ];
    let of = |logs: &[String; 4]| {
        let named: Vec<(String, &str)> = logs
            .iter()
            .enumerate()
            .map(|(n, text)| (format!("rank{n}.log"), text.as_str()))
            .collect();
        let named: Vec<(&str, &str)> = named
            .iter()
            .map(|(name, text)| (name.as_str(), *text))
            .collect();
        Run::of(&named)
    };
    let first = of(&logs).top(1);
    assert!(first.contains("rank2.log"), "{first}");
    assert!(first.contains("sending statistics to rank 0"), "{first}");
    // Peers that report their end may end in their own ways.
    let ended = logs.map(|log| log + &at(5.0, "INFO", "finished"));
    assert_eq!(of(&ended).reported(), [""; 0]);
}

#[test]
fn a_count_below_its_total_at_the_end_of_a_log_is_reported() {
    let season = |last: u32| {
        let day = |n: u32| {
            at(
                2.0 * f64::from(n),
                "INFO",
                &format!("{n}0 of 120 days enriched"),
            )
        };
        (1..=last).map(day).collect::<String>()
    };
    let found = first(&[("season.log", &season(5))]);
    assert_eq!(found.severity, Severity::Warning);
    assert!(found.title.contains("50 of 120"), "{found:#?}");
    let run = Run::of(&[("season.log", &season(12))]);
    assert!(run.diagnosis.findings.is_empty(), "{:#?}", run.diagnosis);
}

#[test]
fn stack_traces_give_the_cause() {
    let grid = at(0.0, "INFO", "loading 12 tiles")
        + "Exception in thread \"main\" java.lang.IllegalStateException: tile 7 has no header\n\
           \tat java.base/java.util.List.get(List.java:9)\n\tat org.lab.Grid.load(Grid.java:41)\n\
           Caused by: java.io.EOFException\n\tat java.base/java.io.DataInputStream.readInt(DataInputStream.java:398)\n";
    let top = Run::of(&[("grid.log", &grid)]).top(1);
    assert!(top.contains("EOFException"), "{top}");
    assert!(top.contains("tile 7 has no header"), "{top}");
    let mesh = "reading mesh\n40000 cells\nterminate called after throwing an instance of 'std::runtime_error'\n  \
                what():  negative volume in cell 3121\nAborted (core dumped)\n";
    let top = Run::of(&[("mesh.out", mesh)]).top(2);
    assert!(top.contains("negative volume in cell 3121"), "{top}");
}

#[test]
fn a_full_pool_stands_beside_the_time_outs_of_its_clients() {
    let pool = at(0.0, "INFO", "ready to handle connections")
        + &at(
            10.0,
            "WARNING",
            "[pool www] server reached pm.max_children setting (3), consider raising it",
        );
    let failed = |n: u32| {
        at(
            20.0 + f64::from(n),
            "ERROR",
            &format!("check {n}: HTTP 504 in 15.17 s"),
        )
    };
    let check = steady("check", 0.0, 5) + &failed(1) + &failed(2);
    let top = Run::of(&[("pool.log", &pool), ("check.log", &check)]).top(2);
    assert!(top.contains("reached pm.max_children"), "{top}");
    // Without an error that may come of it, the limit is no problem.
    let run = Run::of(&[("pool.log", &pool), ("check.log", &steady("check", 0.0, 5))]);
    let errors = { run.diagnosis.findings.iter() }.filter(|f| f.severity == Severity::Error);
    assert_eq!(errors.count(), 0);
}

#[test]
fn the_exception_below_a_record_of_java_belongs_to_it() {
    let tomcat = at(0.0, "SEVERE", "Servlet [samples] threw load() exception")
        + "  java.lang.ClassNotFoundException: javax.servlet.http.HttpServlet\n    at org.apache.catalina.Loader.load(Loader.java:9)\n";
    let top = Run::of(&[("localhost.log", &tomcat)]).top(1);
    assert!(top.contains("ClassNotFoundException"), "{top}");
}

#[test]
fn a_command_that_was_killed_is_reported_with_the_last_words_of_its_runtime() {
    let ingest = at(0.0, "INFO", "4000 messages taken")
        + &at(1.0, "WARNING", "batch contained 3 messages")
        + "\n<--- JS stacktrace --->\n\nFATAL ERROR: Ineffective mark-compacts near heap limit\n----- Native stack trace -----\n"
        + "run.sh: line 3:  5299 Aborted                 node ingest.js\n"
        + &at(2.0, "INFO", "starting again");
    let top = Run::of(&[("ingest.log", &ingest)]).top(2);
    assert!(top.contains("5299 Aborted"), "{top}");
    assert!(
        top.contains("FATAL ERROR: Ineffective mark-compacts"),
        "{top}"
    );
}

#[test]
fn a_notice_at_the_start_of_a_program_that_starts_is_no_error() {
    let notice = at(0.0, "CRITICAL", "running without a password file");
    let log = notice + &at(0.5, "INFO", "started with pid 7") + &steady("gateway", 1.0, 20);
    assert_eq!(first(&[("gateway.log", &log)]).severity, Severity::Warning);
}
