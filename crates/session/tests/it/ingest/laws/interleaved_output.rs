//! Output of a batch system inside the output of a job is recognised in any file, and in no other place.

use widetui_store::Value;

use super::columns::disagreements;
use widetui_testing::runs;

/// Loads a file; level, job and message of each record.
fn read(name: &str, text: &str) -> Vec<(&'static str, Option<Value>, String)> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, text).unwrap();
    let snapshot = runs::load(&path, 2);
    let differs = disagreements(&snapshot);
    assert!(differs.is_empty(), "{differs:?}");
    let records = runs::records(&snapshot).into_iter();
    let job = |keys: Vec<(String, Value)>| keys.into_iter().find(|(name, _)| name == "slurm.job");
    records
        .map(|r| (r.level, job(r.keys).map(|(_, value)| value), r.message))
        .collect()
}

const LIMIT: &str = "*** JOB 42 ON nid003 CANCELLED AT 2026-11-20T17:57:57 DUE TO TIME LIMIT ***";

#[test]
fn files_of_any_form_hold_them() {
    let python = "distributed.worker - INFO - Starting\ndistributed.worker - INFO - Stopping\n";
    let json = "{\"time\":\"2026-11-20T17:57:56Z\",\"message\":\"a\"}\n{\"time\":\"2026-11-20T17:57:56Z\",\"message\":\"b\"}\n";
    for (name, text) in [
        ("w.err", python),
        ("w.jsonl", json),
        ("w.txt", "one\ntwo\n"),
    ] {
        let found = read(name, &format!("{text}slurmstepd: error: {LIMIT}\n"));
        assert_eq!(found.len(), 3, "{name}: {found:?}");
        let last = found.iter().find(|r| r.2 == LIMIT).unwrap();
        assert_eq!(
            (last.0, &last.1),
            ("error", &Some(Value::One("42".into()))),
            "{name}"
        );
    }
}

#[test]
fn a_progress_bar_need_not_end_its_line() {
    let bar = "\r 0%| 0/50 [00:00]\r 2%| 1/50 [10:39, 639.71s/it]";
    let found = read(
        "train.out",
        &format!("start\n{bar}slurmstepd: error: {LIMIT}\nend\n"),
    );
    let messages: Vec<&str> = found.iter().map(|r| r.2.as_str()).collect();
    assert_eq!(messages, [format!("start\n{bar}").as_str(), LIMIT, "end"]);
    assert_eq!(found[1].0, "error");
    // After digits too, as a record of its own.
    let text = "loss: 0.36246=>> PBS: job killed: walltime 86489 exceeded limit 86400\n";
    let found = read("train.e77", text);
    assert_eq!(found[0].2, "loss: 0.36246");
    assert_eq!(
        found[1].2,
        "job killed: walltime 86489 exceeded limit 86400"
    );
}

#[test]
fn who_quotes_them_says_them_himself() {
    let text = format!(
        "stderr: slurmstepd: error: {LIMIT}\n'srun: error: n1: task 0: Killed'\nxsrun: nothing\n"
    );
    let found = read("report.txt", &text);
    assert_eq!(found.len(), 3, "{found:?}");
    // An error by its own words, of no program of the batch system.
    assert!(found[0].2.starts_with("stderr: slurmstepd"), "{found:?}");
    assert!(found[1..].iter().all(|r| r.0 != "error"), "{found:?}");
}

#[test]
fn they_are_found_however_far_they_stand() {
    // The text begins around the end of a look-ahead of 64 KiB.
    let lines = |n: usize| format!("{}\n", "x".repeat(63)).repeat(n);
    for shift in 0..80 {
        let before = lines((1 << 10) - 1) + &"x".repeat(24 + shift);
        let text = format!("{before}\ny]slurmstepd: error: {LIMIT}\n{}", lines(10));
        let found = read("long.txt", &text);
        let at = found.iter().position(|r| r.2 == LIMIT);
        assert_eq!(at, Some((1 << 10) + 1));
    }
}
