//! Names in arguments: short names of keys and entities are accepted everywhere, and their full names are reported.

use super::*;

/// Standard output and standard error of a successful command.
fn outputs(args: &[&str]) -> (String, String) {
    let out = run(args);
    let reported = text(&out.stderr);
    assert_eq!(out.status.code(), Some(0), "{args:?}: {reported}");
    (text(&out.stdout), reported)
}

#[test]
fn a_short_name_is_taken_wherever_a_name_stands() {
    let run = hung();
    let cases: [(&[&str], &[&str], &str); 16] = [
        // As the explorer shows it.
        (
            &["trace", "task 24"],
            &["trace", "parsl.task=24"],
            "`task` is short for `parsl.task`",
        ),
        (
            &["trace", "task 24 try 0"],
            &["trace", "parsl.task=24,parsl.try=0"],
            "`try` is short for `parsl.try`",
        ),
        (
            &["trace", "task 24", "--account"],
            &["trace", "parsl.task=24", "--account"],
            "`task` is short for `parsl.task`",
        ),
        (
            &["trace", "task=24"],
            &["trace", "parsl.task=24"],
            "`task` is short for `parsl.task`",
        ),
        (
            &["trace", "rundir=000,task=24"],
            &["trace", "parsl.rundir=000,parsl.task=24"],
            "`rundir` is short for `parsl.rundir`",
        ),
        (
            &["trace", "task=24", "--account"],
            &["trace", "parsl.task=24", "--account"],
            "`task` is short for `parsl.task`",
        ),
        (
            &["events", "--same", "task=24"],
            &["events", "--same", "parsl.task=24"],
            "`task` is short for `parsl.task`",
        ),
        (
            &["events", "--where", "task = 24 and has executor"],
            &[
                "events",
                "--where",
                "parsl.task = 24 and has parsl.executor",
            ],
            "`executor` is short for `parsl.executor`",
        ),
        (
            &["events", "--keys", "try", "--format", "csv"],
            &["events", "--keys", "parsl.try", "--format", "csv"],
            "`try` is short for `parsl.try`",
        ),
        (
            &["keys", "--key", "task"],
            &["keys", "--key", "parsl.task"],
            "`task` is short for `parsl.task`",
        ),
        (
            &["entities", "--of", "worker"],
            &["entities", "--of", "parsl.worker"],
            "`worker` is short for `parsl.worker`",
        ),
        (
            &["latency", "tasks"],
            &["latency", "parsl.task"],
            "`tasks` is short for `parsl.task`",
        ),
        (
            &["latency", "task", "--by", "executor", "--format", "csv"],
            &[
                "latency",
                "parsl.task",
                "--by",
                "parsl.executor",
                "--format",
                "csv",
            ],
            "`executor` is short for `parsl.executor`",
        ),
        (
            &["throughput", "task", "--by", "executor"],
            &["throughput", "parsl.task", "--by", "parsl.executor"],
            "`executor` is short for `parsl.executor`",
        ),
        (
            &["series", "try", "--by", "executor", "--format", "jsonl"],
            &[
                "series",
                "parsl.try",
                "--by",
                "parsl.executor",
                "--format",
                "jsonl",
            ],
            "`try` is short for `parsl.try`",
        ),
        (
            &[
                "spans",
                "--start",
                "launched",
                "--end",
                "completed",
                "--key",
                "task",
            ],
            &[
                "spans",
                "--start",
                "launched",
                "--end",
                "completed",
                "--key",
                "parsl.task",
            ],
            "`task` is short for `parsl.task`",
        ),
    ];
    for (short, whole, note) in cases {
        let (out, reported) = outputs(&[short, &[run.as_str()]].concat());
        let (whole, _) = outputs(&[whole, &[run.as_str()]].concat());
        assert_eq!(out, whole, "{short:?}");
        assert!(reported.contains(note), "{short:?}: {reported}");
        assert_eq!(reported.matches(note).count(), 1, "{short:?}: {reported}");
    }
}

#[test]
fn a_name_that_is_not_there_brings_one_that_is() {
    let run = hung();
    let fails = |args: &[&str]| fails(2, &[args, &[run.as_str()]].concat());
    let reported = fails(&["events", "--where", "parsl.tsak = 1"]);
    assert!(
        reported.contains("did you mean `parsl.task`?"),
        "{reported}"
    );
    // Other definitions have these keys, but no record has.
    for other in ["ray.task", "wq.tsk"] {
        for args in [
            ["events", "--same", &format!("{other}=1")],
            ["events", "--keys", other],
            ["keys", "--key", other],
            ["spans", "parsl.task", "--by"],
        ] {
            let args = match args[2] {
                "--by" => vec![args[0], args[1], args[2], other],
                _ => args.to_vec(),
            };
            let out = super::run(&[&args[..], &[run.as_str()]].concat());
            let reported = text(&out.stderr);
            let far = ["ray.", "wq.", "dask."].map(|p| format!("mean `{p}"));
            assert!(
                far.iter().all(|f| !reported.contains(f)),
                "{args:?}: {reported}"
            );
        }
    }
    let reported = fails(&["latency", "parsl.taks"]);
    assert!(
        reported.contains("did you mean `parsl.task`?"),
        "{reported}"
    );
    let reported = fails(&["trace", "parsl.taks=1"]);
    assert!(
        reported.contains("did you mean `parsl.task`?"),
        "{reported}"
    );
}

#[test]
fn misspelt_values_of_options_and_paths_get_a_suggestion() {
    let run = hung();
    let lgo = format!("{run}/000/parsl.lgo");
    let below = format!("{}/hugn/000/parsl.log", runs::data().display());
    let cases: [(&[&str], &str); 12] = [
        (&["events", &lgo], "/hung/000/parsl.log`?"),
        (&["events", &below], "/data/hung/000/parsl.log`?"),
        (&["events", &run, "--system", &lgo], "/hung/000/parsl.log`?"),
        (&["events", &run, "--facts", &lgo], "/hung/000/parsl.log`?"),
        (&["evnts", &run], "the command `events`?"),
        (&["diag", &run], "the command `diagnose`?"),
        (&["events", &run, "--join", "launhc"], "`launch`?"),
        (&["flow", &run, "--of", "parsl.sumbit"], "`parsl.submit`?"),
        (
            &["states", "parsl.task", "--precedence", "lauched", &run],
            "`launched`?",
        ),
        (
            &["states", "parsl.task", "--recorder", "dkf", &run],
            "`dfk`?",
        ),
        (
            &[
                "latency",
                "parsl.task",
                "--slowest",
                "Received executor tsak {}",
                &run,
            ],
            "`Received executor task {}`?",
        ),
        (&["export", "-o", "x.jsnol", &run], "`jsonl`?"),
    ];
    for (args, meant) in cases {
        let reported = fails(2, args);
        let is_hint = reported.contains("; did you mean ") && reported.trim_end().ends_with(meant);
        assert!(is_hint, "{args:?}: {reported}");
    }
    let reported = fails(2, &["events", &run, "--format", "jsnol"]);
    assert!(
        reported.contains("similar value exists: 'jsonl'"),
        "{reported}"
    );
    let reported = fails(2, &["events", &run, "--wher", "x"]);
    assert!(
        reported.contains("similar argument exists: '--where'"),
        "{reported}"
    );
    // Only a machine with zone files knows the names.
    let reported = fails(2, &["events", &run, "--tz", "America/Chcago"]);
    let is_known = Path::new("/usr/share/zoneinfo/America/Chicago").exists();
    let hint = "did you mean `America/Chicago`?";
    assert_eq!(reported.contains(hint), is_known, "{reported}");
    // A file that is not there and is like nothing else.
    let reported = fails(2, &["events", "/nonexistent/zzz"]);
    assert!(!reported.contains("did you mean"), "{reported}");
}

/// Two systems that both have tasks, and a log with a field of its own.
#[test]
fn several_that_are_called_so_are_named_and_a_definition_counts_before_a_field() {
    let dir = tempfile::tempdir().unwrap();
    let log = "2026-01-02 03:04:05.000 INFO began worker=7\n\
               2026-01-02 03:04:06.000 INFO ended worker=8\n";
    std::fs::write(dir.path().join("own.log"), log).unwrap();
    let own = dir.path().to_str().unwrap();
    let run = hung();
    let args = ["keys", "--key", "worker", "--format", "csv"];
    // Alone the field is all there is.
    let alone = ok(&[&args[..], &[own]].concat());
    assert!(alone.contains("7,1"), "{alone}");
    let (both, reported) = outputs(&[&args[..], &[own, &run]].concat());
    let whole = ["keys", "--key", "parsl.worker", "--format", "csv", &run];
    assert_eq!(both, ok(&whole));
    assert!(
        reported.contains("`worker` is short for `parsl.worker`")
            && reported.contains("`log.worker`"),
        "{reported}"
    );
    let field = [
        "events",
        "--where",
        "log.worker = 7",
        "--keys",
        "log.worker",
        own,
        &run,
    ];
    let found = ok(&field);
    assert!(
        found.contains("began") && found.contains("worker=7"),
        "{found}"
    );
    let found = text(&super::run(&["events", "--where", "worker = 7", &run, own]).stdout);
    assert!(!found.contains("began"), "{found}");
}

#[test]
fn a_run_that_was_distinguished_is_found_by_its_directory_still() {
    let lost = runs::data().join("manager_lost.tar.gz");
    let lost = lost.to_str().unwrap();
    let reported = fails(
        1,
        &["trace", "parsl.rundir=000,parsl.task=24", &hung(), lost],
    );
    assert!(
        reported.contains("'000' is the directory of several"),
        "{reported}"
    );
    assert!(reported.contains("`hung/000` or `"), "{reported}");
    let again = run(&[
        "trace",
        "parsl.rundir=hung/000,parsl.task=24",
        &hung(),
        lost,
    ]);
    assert_eq!(again.status.code(), Some(0));
}

#[test]
fn a_source_answers_to_what_it_is_called_on_the_screen() {
    let multi = runs::data().join("multi.tar.gz");
    let multi = multi.to_str().unwrap();
    let shown = |expr: &str| outputs(&["events", "--where", expr, multi]).0;
    let of_path = shown("source = dfk and source ~ 001/parsl.log");
    assert!(of_path.lines().count() > 10, "{of_path}");
    assert!(shown("source = 001/dfk") == of_path);
}

#[test]
fn a_trace_accepts_the_names_that_it_offers() {
    for data in ["hung", "other"] {
        let path = runs::data().join(data).display().to_string();
        let entities = objects(&text(
            &run(&["entities", &path, "--format", "jsonl"]).stdout,
        ));
        for entity in entities.iter().filter_map(|row| row["entity"].as_str()) {
            let none = text(&run(&["trace", &format!("{entity}=nosuch"), &path]).stderr);
            let offered = |before: &str| none.split_once(before).map(|(_, names)| names.trim());
            let several = || offered("the first is ")?.split_once(", the last ");
            let only = || offered("the only one is ").map(|name| (name, name));
            let (first, last) = several().or_else(only).unwrap();
            let name = if data == "hung" { first } else { last };
            let asked = format!("{entity}={name}");
            let out = run(&["trace", &asked, &path]);
            assert_eq!(out.status.code(), Some(0), "{asked}: {}", text(&out.stderr));
        }
    }
}

#[test]
fn joins_of_one_name_have_the_names_of_their_systems() {
    let path = runs::data()
        .join("batch_and_stores.tar.gz")
        .display()
        .to_string();
    let names = |options: &[&str]| -> Vec<String> {
        let out = run(&[&["joins", &path, "--format", "jsonl"], options].concat());
        let rows = objects(&text(&out.stdout));
        let of_slurm = rows
            .iter()
            .filter(|row| row["gives"].to_string().contains("slurm.job_name"));
        of_slurm
            .map(|row| row["join"].as_str().unwrap().to_owned())
            .collect()
    };
    // PBS and HTCondor have joins of this name, too.
    assert_eq!(names(&[]), ["slurm: what a job is"]);
    for name in ["slurm: what a job is", "what a job is"] {
        assert!(names(&["--no-join", name]).is_empty(), "{name}");
        assert_eq!(names(&["--join", name]), ["slurm: what a job is"]);
    }
    assert_eq!(
        names(&["--no-join", "pbs: what a job is"]),
        ["slurm: what a job is"]
    );
    let said = fails(2, &["joins", &path, "--join", "slurm: what a jb is"]);
    assert!(said.contains("`slurm: what a job is`?"), "{said}");
}
