//! Records of other logs about a problem, and programs that stand still, on small runs of programs without
//! definitions.

use widetui_diagnosis::findings::{Finding, Severity};
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
fn a_record_of_another_log_at_each_time_of_an_error_is_its_reason() {
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
    let found = first(&[("shop.log", &shop), ("pooler.log", &pooler)]);
    assert!(
        found
            .title
            .contains("pooler: c-07: pooler error: query_wait_timeout"),
        "{found:#?}"
    );
    assert!(found.next.contains("log of pooler"), "{found:#?}");
}

#[test]
fn another_log_reports_what_happened_to_the_file_that_an_error_names() {
    let rotation = "rotating log /srv/log/ingest.log, log->rotateCount is 7\n\
                    renaming /srv/log/ingest.log to /srv/log/ingest.log.1\n\
                    creating new /srv/log/ingest.log mode = 0640 uid = 0 gid = 4\n";
    let ingest = "Traceback (most recent call last):\n  File \"/srv/ingest.py\", line 13, in <module>\n    open(LOG)\n\
                  PermissionError: [Errno 13] Permission denied: '/srv/log/ingest.log'\n";
    let found = first(&[("rotation.log", rotation), ("ingest.err", ingest)]);
    assert!(found.title.starts_with("PermissionError"), "{found:#?}");
    assert!(
        found
            .text
            .contains("rotation wrote about /srv/log/ingest.log: \"creating new"),
        "{found:#?}"
    );
}

#[test]
fn a_record_that_names_the_program_of_an_error_shortly_before_it_is_quoted() {
    let server = at(0.0, "INFO", "server is ready")
        + &at(
            16.5,
            "INFO",
            "cid:4 \"python3:detector\" Slow Consumer Detected: 3s exceeded",
        );
    let detector = steady("frames", 1.0, 8) + &at(21.8, "ERROR", "unexpected EOF");
    let found = first(&[("server.log", &server), ("detector.log", &detector)]);
    assert!(
        found.text.contains("server wrote about detector") && found.text.contains("Slow Consumer"),
        "{found:#?}"
    );
}

#[test]
fn versions_that_differ_between_processes_are_named() {
    let driver = at(0.0, "INFO", "numpy 2.4.6, python 3.11.7")
        + &at(
            9.0,
            "ERROR",
            "scan 3: ModuleNotFoundError: No module named 'numpy._core'",
        );
    let found = first(&[
        ("driver.log", &driver),
        ("worker.out", "Package Version\nnumpy         1.24.4\n"),
    ]);
    assert!(
        found
            .text
            .contains("2.4.6 as driver reports, 1.24.4 as worker"),
        "{found:#?}"
    );
    assert!(found.next.contains("same version of numpy"), "{found:#?}");
}

#[test]
fn an_interrupt_after_a_stall_ranks_below_the_warning_before_it() {
    let campaign = at(0.0, "INFO", "launching three agents")
        + "/srv/campaign.py:14: RuntimeWarning: submitted agents exceeds worker count (2)\n"
        + &at(0.5, "INFO", "three agents launched")
        + &at(4.0, "INFO", "round 0: counts 9, 9")
        + &at(60.0, "WARNING", "cancelling")
        + "Traceback (most recent call last):\n  File \"/srv/campaign.py\", line 28, in <module>\n    main()\nKeyboardInterrupt\n";
    let run = Run::of(&[
        ("campaign.log", &campaign),
        ("agents.log", &steady("agent", 0.0, 30)),
    ]);
    let findings = &run.diagnosis.findings;
    assert!(
        findings[0]
            .title
            .starts_with("RuntimeWarning: submitted agents"),
        "{findings:#?}"
    );
    assert!(findings[0].next.contains("campaign.py:14"), "{findings:#?}");
    let interrupt = findings
        .iter()
        .find(|f| f.title.starts_with("Interrupted"))
        .unwrap();
    assert!(
        interrupt.text.contains("written nothing for 56.0 s before"),
        "{findings:#?}"
    );
    // A program that is interrupted at work is interrupted, and nothing else.
    let at_work = steady("campaign", 0.0, 30)
        + &at(60.0, "WARNING", "cancelling")
        + "Traceback (most recent call last):\n  File \"/srv/campaign.py\", line 28, in <module>\n    main()\nKeyboardInterrupt\n";
    let found = first(&[("campaign.log", &at_work)]);
    assert!(
        found.title.starts_with("Interrupted") && !found.text.contains("written nothing"),
        "{found:#?}"
    );
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
        Run::of(&named).diagnosis.findings
    };
    let findings = of(&logs);
    assert!(
        findings[0]
            .title
            .starts_with("One peer ends otherwise than the others: rank2"),
        "{findings:#?}"
    );
    // Peers that report their end may end in their own ways.
    let ended = logs.map(|log| log + &at(5.0, "INFO", "finished"));
    assert!(of(&ended).iter().all(|f| !f.title.contains("otherwise")));
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
    assert!(
        found
            .title
            .starts_with("Progress ends at 50 of 120 in season"),
        "{found:#?}"
    );
    for whole in [season(12), season(5) + &at(12.0, "INFO", "converged, done")] {
        let run = Run::of(&[("season.log", &whole)]);
        assert!(run.diagnosis.findings.is_empty(), "{:#?}", run.diagnosis);
    }
}

#[test]
fn pauses_that_take_most_of_the_time_come_before_what_they_slow_down() {
    let mut collector = String::new();
    let mut pricing = String::new();
    for n in 0..12 {
        let time = 5.0 + f64::from(n);
        collector += &at(
            time,
            "INFO",
            &format!("GC({n}) Pause Full (Allocation Failure) 92M->90M(92M) 5{n:02}.3ms"),
        );
        pricing += &at(
            time + 0.1,
            "WARNING",
            &format!("quote {n} took 764 ms (limit 400 ms), client has gone, failed"),
        );
    }
    let found = first(&[("gc.log", &collector), ("pricing.log", &pricing)]);
    assert!(found.title.starts_with("Pauses take 5"), "{found:#?}");
}

#[test]
fn ids_that_were_not_received_are_named_with_the_wait() {
    let publisher: String = (0..4)
        .map(|n| {
            at(
                f64::from(n),
                "INFO",
                &format!("task media.transcode[ed9d5c20-282f-{n}] sent"),
            )
        })
        .collect();
    let publisher = publisher + &at(5.0, "INFO", "waiting for 4 transcodes");
    let worker = steady("media.probe", 0.0, 2);
    let found = first(&[("publisher.log", &publisher), ("worker.log", &worker)]);
    assert!(
        found.title.contains("no other log mentions what it sent"),
        "{found:#?}"
    );
    let received = worker + &at(1.5, "INFO", "received ed9d5c20-282f-0");
    let found = first(&[("publisher.log", &publisher), ("worker.log", &received)]);
    assert!(!found.title.contains("no other log"), "{found:#?}");
}

#[test]
fn an_error_of_a_command_in_another_log_comes_before_the_exceptions_after_it() {
    let deploy = at(0.0, "INFO", "git pull")
        + "error: Your local changes to the following files would be overwritten by merge:\n\tsettings.py\nAborting\n"
        + &at(1.0, "INFO", "restarting inventory");
    let raised = |n: u32| {
        at(4.0 + f64::from(n), "ERROR", "GET /stock failed")
            + "Traceback (most recent call last):\n  File \"/srv/app.py\", line 11, in do_GET\n    db.execute(q)\n\
               sqlite3.OperationalError: no such column: qty\n"
    };
    let inventory = steady("inventory", 0.0, 2) + &raised(0) + &raised(1);
    let found = first(&[("deploy.log", &deploy), ("inventory.log", &inventory)]);
    assert!(
        found
            .title
            .contains("would be overwritten by merge: settings.py"),
        "{found:#?}"
    );
}

#[test]
fn stack_traces_give_the_cause_and_the_first_place_of_own_code() {
    let grid = at(0.0, "INFO", "loading 12 tiles")
        + "Exception in thread \"main\" java.lang.IllegalStateException: tile 7 has no header\n\
           \tat java.base/java.util.List.get(List.java:9)\n\tat org.lab.Grid.load(Grid.java:41)\n\
           Caused by: java.io.EOFException\n\tat java.base/java.io.DataInputStream.readInt(DataInputStream.java:398)\n";
    let found = first(&[("grid.log", &grid)]);
    assert!(
        found.title.ends_with("tile 7 has no header: EOFException"),
        "{found:#?}"
    );
    assert!(found.next.contains("Grid.java:41 in load"), "{found:#?}");
    let mesh = "reading mesh\n40000 cells\nterminate called after throwing an instance of 'std::runtime_error'\n  \
                what():  negative volume in cell 3121\nAborted (core dumped)\n";
    let found = first(&[("mesh.out", mesh)]);
    assert!(
        found.title.contains("negative volume in cell 3121"),
        "{found:#?}"
    );
}

#[test]
fn a_full_pool_comes_before_the_time_outs_of_its_clients() {
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
    let found = first(&[("pool.log", &pool), ("check.log", &check)]);
    assert!(
        found.title.contains("reached pm.max_children"),
        "{found:#?}"
    );
    // Without an error that may come of it, the limit is no problem.
    let run = Run::of(&[("pool.log", &pool), ("check.log", &steady("check", 0.0, 5))]);
    let errors = { run.diagnosis.findings.iter() }.filter(|f| f.severity == Severity::Error);
    assert_eq!(errors.count(), 0);
}

#[test]
fn a_wrapper_around_other_exceptions_is_reported_with_the_one_that_says_most() {
    let frame = "Traceback (most recent call last):\n  File \"/srv/a.py\", line 1, in f\n    g()\n";
    let then = "\nThe above exception was the direct cause of the following exception:\n\n";
    let end = format!(
        "starting\n{frame}ConnectionRefusedError: [Errno 111] Connection refused\n{then}{frame}\
         urllib3.exceptions.ProxyError: ('Unable to connect to proxy', 'host 127.0.0.1, port 3128')\n{then}{frame}\
         sdk.NetworkError: error on request\n"
    );
    let found = first(&[("endpoint.out", &end)]);
    assert!(
        found
            .title
            .contains("ProxyError: ('Unable to connect to proxy'"),
        "{found:#?}"
    );
}

#[test]
fn the_exception_below_a_record_of_java_is_its_reason() {
    let tomcat = at(0.0, "SEVERE", "Servlet [samples] threw load() exception")
        + "  java.lang.ClassNotFoundException: javax.servlet.http.HttpServlet\n    at org.apache.catalina.Loader.load(Loader.java:9)\n";
    let found = first(&[("localhost.log", &tomcat)]);
    assert!(
        found
            .title
            .ends_with("ClassNotFoundException: javax.servlet.http.HttpServlet"),
        "{found:#?}"
    );
}

#[test]
fn a_command_that_was_killed_is_reported_with_the_last_words_of_its_runtime() {
    let ingest = at(0.0, "INFO", "4000 messages taken")
        + &at(1.0, "WARNING", "batch contained 3 messages")
        + "\n<--- JS stacktrace --->\n\nFATAL ERROR: Ineffective mark-compacts near heap limit\n----- Native stack trace -----\n"
        + "run.sh: line 3:  5299 Aborted                 node ingest.js\n"
        + &at(2.0, "INFO", "starting again");
    let found = first(&[("ingest.log", &ingest)]);
    assert!(
        found
            .title
            .contains("FATAL ERROR: Ineffective mark-compacts"),
        "{found:#?}"
    );
}

#[test]
fn a_notice_at_the_start_of_a_program_that_starts_is_no_error() {
    let notice = at(0.0, "CRITICAL", "running without a password file");
    let log = notice.clone() + &at(0.5, "INFO", "started with pid 7") + &steady("gateway", 1.0, 20);
    assert_eq!(first(&[("gateway.log", &log)]).severity, Severity::Warning);
    assert_eq!(
        first(&[("gateway.log", &(notice + &steady("gateway", 1.0, 20)))]).severity,
        Severity::Error
    );
}
