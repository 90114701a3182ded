//! Unfinished work and findings: real runs against counts by other programs, small logs against their contents.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value as Json;
use tempfile::TempDir;

use widetui_analysis::entity::AllInstances;
use widetui_core::cancel::Cancel;
use widetui_core::ids::SourceId;
use widetui_diagnosis::unfinished::words::words;
use widetui_diagnosis::unfinished::{
    Channel, SilenceReason, UnfinishedItem, UnfinishedWork, WaitState,
};
use widetui_diagnosis::unfinished::{alike, find_unfinished, find_unfinished_items};
use widetui_diagnosis::{Diagnosis, Finding, Severity};
use widetui_format::definitions::systems::Systems;
use widetui_query::{Expr, select};
use widetui_session::meaning::{Meaning, with_joined_values};
use widetui_store::Snapshot;
use widetui_time::clock::Clock;
use widetui_time::zone::Zone;

use widetui_testing::corpora::corpora;
use widetui_testing::diagnosed::diagnosed_with;
use widetui_testing::runs;

struct Diagnosed {
    snapshot: Arc<Snapshot>,
    found: AllInstances,
    hung: UnfinishedWork,
    diagnosis: Diagnosis,
}

impl Diagnosed {
    /// By run: the numbers of the unfinished tasks.
    fn unfinished(&self) -> BTreeMap<String, Vec<u64>> {
        let mut out: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for stuck in &self.hung.stuck {
            let run = stuck.run.and_then(|r| self.hung.runs[r].label.clone());
            let number = stuck.number().parse().unwrap_or(u64::MAX);
            out.entry(run.unwrap_or_default()).or_default().push(number);
        }
        out.values_mut().for_each(|v| v.sort_unstable());
        out
    }

    /// Findings about records with this text, and the summary.
    fn among(&self, text: &str) -> (Vec<String>, Vec<String>, String) {
        let expr = Expr::Text(text.to_owned());
        let rows = select(&self.snapshot, &expr, &Cancel::default()).unwrap();
        let mut hung = self.hung.clone();
        hung.tell_only(&self.snapshot, &self.found, &rows);
        let reported = hung.told().map(|s| s.number().to_owned()).collect();
        let heads = hung.heads().into_iter();
        let heads = heads.map(|at| hung.stuck[at].number().to_owned());
        let last = self.snapshot.range().map(|r| r.1);
        let said = words(&self.snapshot, &hung, &Clock::of(&Zone::Utc, last));
        (reported, heads.collect(), said)
    }

    fn words(&self) -> String {
        let last = self.snapshot.range().map(|r| r.1);
        words(&self.snapshot, &self.hung, &Clock::of(&Zone::Utc, last))
    }

    /// Titles of the errors.
    fn errors(&self) -> Vec<&str> {
        let all = self.diagnosis.findings.iter();
        let all = all.filter(|f| f.severity == Severity::Error);
        all.map(|f| f.title.as_str()).collect()
    }

    fn worst(&self) -> Option<Severity> {
        self.diagnosis.findings.iter().map(|f| f.severity).max()
    }
}

/// Opens and diagnoses paths, with additional definitions.
fn diagnosed_path(path: &Path, systems: &[(String, String)]) -> Diagnosed {
    let (snapshot, found, hung, diagnosis) = diagnosed_with(path, systems);
    for finding in &diagnosis.findings {
        assert!(!finding.title.is_empty());
        for event in &finding.evidence {
            assert!(snapshot.event(*event).is_some(), "{finding:?}");
        }
    }
    Diagnosed {
        snapshot,
        found,
        hung,
        diagnosis,
    }
}

fn diagnosed_case(case: &str) -> (TempDir, Diagnosed) {
    let dir = runs::directory(case);
    let diagnosed = diagnosed_path(&dir.path().join("run"), &[]);
    (dir, diagnosed)
}

#[test]
fn the_hung_run_has_one_root_and_all_that_wait_for_it() {
    let (_dir, diagnosed) = diagnosed_case("hung");
    let open: Vec<u64> = std::iter::once(24).chain(37..=48).collect();
    assert_eq!(
        diagnosed.unfinished(),
        BTreeMap::from([("000".to_owned(), open)])
    );
    let roots: Vec<_> = diagnosed.hung.roots().collect();
    let [(0, root)] = roots[..] else {
        panic!("{roots:?}");
    };
    assert_eq!((root.number(), root.standing), ("24", WaitState::Root));
    assert_eq!((root.waiters.len(), root.all_waiters), (6, Some(12)));
    assert!(root.begun_there.is_some());
    assert!(diagnosed.hung.stuck.iter().all(|s| s.root == 0));
    let idle = &diagnosed.hung.idle[0];
    assert_eq!((idle.alive, idle.busy, idle.idle.len()), (4, 1, 3));
    let silent = diagnosed.hung.silent.iter();
    assert!({ silent }.all(|s| s.why != SilenceReason::Unknown || s.channel == Channel::Source));
    let words = diagnosed.words();
    for part in [
        "36 of 49 tasks ended.",
        "12 tasks wait for it",
        "3 of 4 workers",
        "without shutting down",
        "These logs do not show",
    ] {
        assert!(words.contains(part), "{part}: {words}");
    }
    let errors = diagnosed.errors();
    assert!(
        errors.len() == 1 && errors[0].starts_with("Task 24 (wait_for_file)"),
        "{errors:#?}"
    );
}

#[test]
fn runs_that_ended_have_nothing_hung() {
    for case in ["manager_lost", "multi", "json", "workqueue", "old2024"] {
        let (_dir, diagnosed) = diagnosed_case(case);
        assert_eq!(diagnosed.unfinished(), BTreeMap::new(), "{case}");
        assert!(diagnosed.words().contains("ended"), "{case}");
    }
}

#[test]
fn a_manager_that_was_killed_is_the_first_finding() {
    let (_dir, diagnosed) = diagnosed_case("manager_lost");
    let first = &diagnosed.diagnosis.findings[0];
    assert!(
        first.title.contains("manager of a block was killed"),
        "{:#?}",
        diagnosed.diagnosis
    );
    // All failures were retried successfully.
    assert!(
        diagnosed.worst() < Some(Severity::Error),
        "{:#?}",
        diagnosed.diagnosis
    );
}

#[test]
#[ignore = "needs runs outside the repository: WIDETUI_CORPORA=FOLDER"]
fn what_stands_in_the_corpora_is_what_is_found() {
    let corpora = corpora();
    let mut wrong = Vec::new();
    let mut looked_at = 0;
    for entry in std::fs::read_dir(corpora.join("parsl")).unwrap().flatten() {
        let Ok(truth) = std::fs::read_to_string(entry.path().join("truth.json")) else {
            continue;
        };
        let truth: Json = serde_json::from_str(&truth).unwrap();
        let mut want: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for (run, of) in truth["rundirs"].as_object().unwrap() {
            let open = of["not_finished"].as_array();
            let open = open.map(|v| v.iter().filter_map(Json::as_u64).collect());
            let open: Vec<u64> = open.unwrap_or_default();
            if !open.is_empty() {
                want.insert(run.clone(), open);
            }
        }
        looked_at += 1;
        let found = diagnosed_path(&entry.path().join("runinfo"), &[]).unfinished();
        if found != want {
            wrong.push(format!(
                "{}: {found:?}, not {want:?}",
                entry.path().display()
            ));
        }
    }
    assert!(looked_at > 5 && wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn excerpts_are_diagnosed() {
    let (_dir, _) = diagnosed_case("other");
}

#[test]
#[ignore = "needs runs outside the repository: WIDETUI_CORPORA=FOLDER"]
fn odd_runs_are_diagnosed() {
    for group in std::fs::read_dir(corpora()).unwrap().flatten() {
        for run in std::fs::read_dir(group.path())
            .into_iter()
            .flatten()
            .flatten()
        {
            if run.path().is_dir() {
                diagnosed_path(&run.path(), &[]);
            }
        }
    }
}

/// A system with two kinds of sources: a boss that reports the states of jobs, and hands that execute them.
const MILL: &str = r#"
name = "mill"
[keys."mill.run"]
[keys."mill.job"]
type = "int"
identifier = true
[keys."mill.before"]
type = "int"
space = "mill.job"
role = "before"
[keys."mill.hand"]
type = "int"
identifier = true
[keys."mill.name"]
type = "text"
[[layout]]
name = "mill"
pattern = "{time:%Y-%m-%d %H:%M:%S} mill {level} {message}"
[[source]]
kind = "boss"
glob = ["{mill.run}/boss.log"]
layouts = ["mill"]
messages = ["boss"]
[[source]]
kind = "hand"
glob = ["{mill.run}/hand_{mill.hand:int}.log"]
layouts = ["mill"]
messages = ["boss"]
[[messages]]
scope = "boss"
patterns = [
  "job {mill.job:int} is {mill.state:state}",
  "job {mill.job:int} named {mill.name} is {mill.state:state}",
  "job {mill.job:int} waits for {mill.before:int}",
  "job {mill.job:int} given to hand {mill.hand:int}",
]
[[entity]]
name = "mill.job"
id = [["mill.run", "mill.job"]]
role = "work_item"
label = ["mill.name"]
state = "mill.state"
states = ["new", "begun", "again", "done", "broken"]
final = ["done", "broken"]
failed = ["broken"]
waits_for = "mill.before"
runs_in = ["mill.hand"]
recorders = ["boss"]
[[entity]]
name = "mill.hand"
id = [["mill.run", "mill.hand"]]
role = "resource"
[[entity]]
name = "mill.run"
title = "run"
id = [["mill.run"]]
end = 'template = "the mill stops"'
lost = 'template = "the miller runs away"'
[[hint]]
name = "wet"
where = 'template ~ "grain is wet"'
severity = "error"
title = "Wet grain in {mill.run}"
text = "It must dry."
noise_after = 'template = "closing time"'
[[sample]]
kind = "boss"
layout = "mill"
line = "2026-01-02 03:04:05 mill INFO job 1 is new"
gives = { "mill.job" = 1, "mill.state" = "new" }
"#;

/// Writes files of lines `SECONDS LEVEL MESSAGE` and diagnoses them.
fn mill(files: &[(&str, &[&str])]) -> (TempDir, Diagnosed) {
    let dir = tempfile::tempdir().unwrap();
    for (name, lines) in files {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut text = String::new();
        for line in *lines {
            let (seconds, rest) = line.split_once(' ').unwrap();
            let s: u32 = seconds.parse().unwrap();
            let (h, m, s) = (s / 3600, s / 60 % 60, s % 60);
            text += &format!("2026-01-02 {h:02}:{m:02}:{s:02} mill {rest}\n");
        }
        std::fs::write(path, text).unwrap();
    }
    let systems = [("mill.toml".to_owned(), MILL.to_owned())];
    let mut known = Systems::builtin();
    known.add("mill.toml", MILL).unwrap();
    let diagnosed = diagnosed_path(dir.path(), &systems);
    (dir, diagnosed)
}

#[test]
fn jobs_that_wait_for_each_other_are_a_circle() {
    let (_dir, diagnosed) = mill(&[(
        "a/boss.log",
        &[
            "0 INFO job 1 is new",
            "0 INFO job 2 is new",
            "0 INFO job 3 is new",
            "1 INFO job 1 waits for 2",
            "1 INFO job 2 waits for 1",
            "2 INFO job 3 is done",
        ],
    )]);
    let standing: Vec<_> = diagnosed.hung.stuck.iter().map(|s| s.standing).collect();
    assert_eq!(standing, [WaitState::Circle, WaitState::Circle]);
    assert!(diagnosed.words().contains("cycle"), "{}", diagnosed.words());
    let (reported, _, said) = diagnosed.among("2 is new");
    assert_eq!(reported, ["2"]);
    assert!(
        said.contains("Job 2 is part of a cycle of waits."),
        "{said}"
    );
}

#[test]
fn a_chain_has_its_root_at_its_end_and_counts_all_waiters() {
    let (_dir, diagnosed) = mill(&[(
        "a/boss.log",
        &[
            "0 INFO job 1 is begun",
            "0 INFO job 2 is new",
            "0 INFO job 2 waits for 1",
            "0 INFO job 3 is new",
            "0 INFO job 3 waits for 2",
            "0 INFO job 3 waits for 1",
            "60 INFO job 4 is begun",
            "61 INFO job 4 is done",
        ],
    )]);
    let root = &diagnosed.hung.stuck[0];
    assert_eq!((root.number(), root.all_waiters), ("1", Some(2)));
    assert_eq!(root.age, Some(61_000_000_000));
    assert!(diagnosed.hung.stuck.iter().all(|s| s.root == 0));
    // All output concerns the selected instances, including their causes.
    let (reported, heads, said) = diagnosed.among("job 3");
    assert_eq!(
        (reported, heads),
        (vec!["3".to_owned()], vec!["3".to_owned()])
    );
    assert!(
        said.contains("waits for job 2, in the end for job 1"),
        "{said}"
    );
    let (reported, heads, _) = diagnosed.among("is new");
    assert_eq!(reported.len(), 2);
    assert_eq!(heads, ["2"]);
    let (reported, _, said) = diagnosed.among("is done");
    assert!(
        reported.is_empty() && said.contains("None of the 3 unfinished work items"),
        "{said}"
    );
}

#[test]
fn a_run_that_ended_properly_leaves_work_behind_but_hangs_not() {
    let (_dir, diagnosed) = mill(&[
        (
            "a/boss.log",
            &["0 INFO job 1 is begun", "5 INFO the mill stops"],
        ),
        (
            "b/boss.log",
            &["100 INFO job 1 is begun", "130 INFO job 2 is new"],
        ),
    ]);
    let of = |run: &str| {
        let stuck = diagnosed.hung.stuck.iter();
        let mut of = stuck.filter(|s| s.id[0].1 == run);
        of.next().unwrap().standing
    };
    assert_eq!((of("a"), of("b")), (WaitState::LeftBehind, WaitState::Root));
    // Each run has its own end: job "a" did not hang for the minutes until "b".
    let a = diagnosed
        .hung
        .stuck
        .iter()
        .find(|s| s.id[0].1 == "a")
        .unwrap();
    assert_eq!(a.age, Some(5_000_000_000));
}

#[test]
fn what_is_alike_in_several_runs_is_reported_once_and_the_latest_run_comes_first() {
    let lines = |from: u32, last: &'static str| -> Vec<String> {
        let said = [
            "INFO job 1 is begun",
            "INFO job 2 is new",
            "INFO job 2 waits for 1",
        ];
        let mut out: Vec<String> = (0..)
            .zip(said)
            .map(|(n, s)| format!("{} {s}", from + n))
            .collect();
        out.push(format!("{} {last}", from + 9));
        out
    };
    let runs: Vec<(String, Vec<String>)> = [
        ("a/boss.log", lines(0, "WARNING the miller runs away")),
        ("b/boss.log", lines(100, "ERROR job 1 is broken")),
        ("c/boss.log", lines(200, "WARNING the miller runs away")),
        ("d/boss.log", lines(300, "ERROR job 1 is broken")),
    ]
    .map(|(path, lines)| (path.to_owned(), lines))
    .to_vec();
    let texts: Vec<Vec<&str>> = { runs.iter() }
        .map(|(_, lines)| lines.iter().map(String::as_str).collect())
        .collect();
    let files: Vec<(&str, &[&str])> = { runs.iter().zip(&texts) }
        .map(|((path, _), lines)| (path.as_str(), lines.as_slice()))
        .collect();
    let (_dir, diagnosed) = mill(&files);
    let names: Vec<String> = diagnosed.hung.stuck.iter().map(|s| s.name()).collect();
    // Job 2 of b and d waits for failed work, so it is a root; in a and c it waits for job 1.
    assert_eq!(
        names,
        [
            "job 2 of d",
            "job 1 of c",
            "job 2 of b",
            "job 1 of a",
            "job 2 of c",
            "job 2 of a"
        ]
    );
    let failed = &diagnosed.hung.stuck[0].failed_first;
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0].name, "job 1");
    let groups: Vec<usize> = alike(&diagnosed.hung.hanging().collect::<Vec<_>>())
        .iter()
        .map(Vec::len)
        .collect();
    // An item that others wait for is a group of its own.
    assert_eq!(groups, [2, 1, 1, 2]);
    let words = diagnosed.words();
    assert!(
        words.contains("2 runs (a, c) exited without shutting down"),
        "{words}"
    );
    assert!(
        words.contains("waits for job 1, which failed at 00:05:09"),
        "{words}"
    );
}

#[test]
fn who_stops_writing_while_others_go_on_fell_silent_unless_it_says_goodbye() {
    let every_second: Vec<String> = (0..40).map(|s| format!("{s} INFO turns {s}")).collect();
    let lines: Vec<&str> = every_second.iter().map(String::as_str).collect();
    let short: Vec<&str> = lines[..25].to_vec();
    let mut polite = short.clone();
    polite.push("24 INFO finished for today");
    let (_dir, diagnosed) = mill(&[
        ("a/boss.log", &lines),
        ("a/hand_1.log", &short),
        ("a/hand_2.log", &polite),
    ]);
    let tags: Vec<&str> = diagnosed
        .hung
        .silent
        .iter()
        .map(|s| s.tag.as_str())
        .collect();
    assert_eq!(tags, ["hand_1"]);
    assert_eq!(diagnosed.hung.silent[0].gap, 15_000_000_000);
    let (.., said) = diagnosed.among("turns 24");
    assert!(said.contains("hand_1 wrote its last record"), "{said}");
    let (.., said) = diagnosed.among("turns 23");
    assert!(
        said.contains("One that fell silent has its last record elsewhere."),
        "{said}"
    );
}

/// All logs of a run concatenated into one file: each record is recognised by the messages of its writer.
#[test]
fn a_run_in_one_file_has_the_tasks_that_it_has_in_many() {
    let dir = runs::directory("hung");
    let files = runs::files(&dir.path().join("run"));
    let logs = files
        .iter()
        .filter(|f| f.extension().is_some_and(|e| e == "log"));
    let all: Vec<u8> = logs.flat_map(|f| std::fs::read(f).unwrap()).collect();
    let one = tempfile::tempdir().unwrap();
    std::fs::write(one.path().join("everything.log"), all).unwrap();
    let diagnosed = diagnosed_path(one.path(), &[]);
    let tasks: Vec<u64> = diagnosed.unfinished().into_values().flatten().collect();
    let open: Vec<u64> = std::iter::once(24).chain(37..=48).collect();
    assert_eq!(tasks, open);
}

/// The parts of a rotated log are one log, and only the last part can fall silent.
#[test]
fn the_older_parts_of_a_rotated_log_do_not_fall_silent() {
    let every_second: Vec<String> = (0..60).map(|s| format!("{s} INFO turns {s}")).collect();
    let lines: Vec<&str> = every_second.iter().map(String::as_str).collect();
    let silent = |files: &[(&str, &[&str])]| -> Vec<String> {
        let (_dir, diagnosed) = mill(files);
        let silent = diagnosed.hung.silent.iter();
        let path = |s: SourceId| diagnosed.snapshot.sources[s.index()].path.clone();
        silent
            .map(|s| path(s.source).rsplit_once('/').unwrap().1.to_owned())
            .collect()
    };
    let boss = ("a/boss.log", &lines[..]);
    let first = ("a/hand_1.log.2", &lines[..10]);
    let second = ("a/hand_1.log.1", &lines[10..35]);
    let last = ("a/hand_1.log", &lines[35..]);
    assert_eq!(silent(&[boss, first, second, last]), [""; 0]);
    // Without the last part, the second one fell silent.
    assert_eq!(silent(&[boss, first, second]), ["hand_1.log.1"]);
    // Two logs with one name that were written at the same time are two logs.
    let other = ("a/hand_1.log", &lines[15..]);
    assert_eq!(silent(&[boss, second, other]), ["hand_1.log.1"]);
}

#[test]
fn hints_are_filled_in_and_noise_is_not_raised() {
    let (_dir, diagnosed) = mill(&[
        (
            "a/boss.log",
            &[
                "0 INFO grain is wet",
                "1 INFO closing time",
                "2 INFO grain is wet",
            ],
        ),
        (
            "b/boss.log",
            &["5 INFO closing time", "6 INFO grain is wet"],
        ),
    ]);
    let hints: Vec<&Finding> = diagnosed
        .diagnosis
        .findings
        .iter()
        .filter(|f| f.kind == "explained")
        .collect();
    assert_eq!(hints.len(), 1);
    assert_eq!(
        (hints[0].title.as_str(), hints[0].count),
        ("Wet grain in a", 1)
    );
}

#[test]
fn dependent_failures_collapse_under_the_first() {
    let (_dir, diagnosed) = mill(&[(
        "a/boss.log",
        &[
            "0 INFO job 1 is begun",
            "0 INFO job 2 is new",
            "0 INFO job 2 waits for 1",
            "0 INFO job 3 is new",
            "0 INFO job 3 waits for 2",
            "1 ERROR job 1 is broken",
            "1 INFO job 2 is broken",
            "1 INFO job 3 is broken",
            "9 INFO the mill stops",
            "12 ERROR the mill stands",
        ],
    )]);
    // Records after the end of a run are no cause.
    let [failed] = &diagnosed.diagnosis.findings[..] else {
        panic!("{:#?}", diagnosed.diagnosis);
    };
    let reported = "Job 1 failed, and 2 that depended on it";
    assert!(failed.title.starts_with(reported), "{failed:?}");
}

#[test]
fn without_any_definition_errors_and_exceptions_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let mut text = String::new();
    for s in 0..30 {
        text += &format!("2026-01-02 03:04:{s:02} INFO all is well {s}\n");
    }
    text += "2026-01-02 03:05:00 ERROR the pump failed\n";
    text += "2026-01-02 03:05:01 ERROR no pressure in pipe 7\n2026-01-02 03:05:02 ERROR no pressure in pipe 8\n";
    text += "2026-01-02 03:05:03 ERROR oh\nTraceback (most recent call last):\n  File \"/a/b.py\", line 3, in f\nValueError: empty\n";
    std::fs::write(dir.path().join("pump.log"), text).unwrap();
    let diagnosed = diagnosed_path(dir.path(), &[]);
    assert_eq!(
        diagnosed.errors(),
        [
            "ValueError: empty",
            "The pump failed",
            "No pressure in pipe 7"
        ]
    );
}

/// A copy of some files of the hung run.
fn part_of_hung(keep: impl Fn(&str) -> bool) -> TempDir {
    part_of("hung", keep)
}

/// A copy of some files of a run.
fn part_of(case: &str, keep: impl Fn(&str) -> bool) -> TempDir {
    let dir = runs::directory(case);
    let root = dir.path().join("run");
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path
                .strip_prefix(&root)
                .unwrap()
                .to_string_lossy()
                .into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if !keep(&name) {
                std::fs::remove_file(path).unwrap();
            }
        }
    }
    dir
}

/// All text of the diagnosis.
fn all_words(diagnosed: &Diagnosed) -> String {
    let findings = diagnosed.diagnosis.findings.iter();
    let reported: Vec<String> = findings
        .map(|f| format!("{} {}", f.title, f.text))
        .collect();
    format!(
        "{} {} {}",
        diagnosed.words(),
        reported.join(" "),
        diagnosed.diagnosis.unknown.join(" ")
    )
}

#[test]
fn who_owns_work_alone_does_not_know_whether_it_began() {
    let dir = part_of_hung(|name| name.ends_with("/parsl.log"));
    let diagnosed = diagnosed_path(&dir.path().join("run"), &[]);
    let said = all_words(&diagnosed);
    assert!(diagnosed.hung.idle.is_empty(), "{:?}", diagnosed.hung.idle);
    assert!(said.contains("It is not known whether work"), "{said}");
    assert!(said.contains("interchange.log"), "{said}");
    for false_ in [
        "nothing to do",
        "has none of it",
        "no record states",
        "No record states",
    ] {
        assert!(!said.contains(false_), "{false_}: {said}");
    }
}

#[test]
fn whether_a_result_came_back_after_the_owners_log_ends_is_not_known() {
    let dir = part_of_hung(|name| !name.contains("monitoring.db"));
    let log = dir.path().join("run/000/parsl.log");
    let text = std::fs::read_to_string(&log).unwrap();
    let half = text.lines().count() / 2;
    let first: Vec<&str> = text.lines().take(half).collect();
    std::fs::write(&log, first.join("\n") + "\n").unwrap();
    let diagnosed = diagnosed_path(&dir.path().join("run"), &[]);
    let said = all_words(&diagnosed);
    assert!(
        diagnosed
            .hung
            .stuck
            .iter()
            .any(|s| s.finished_there.is_some())
    );
    assert!(
        said.contains("it is not known whether its result was received"),
        "{said}"
    );
    assert!(said.contains("that log was cut"), "{said}");
    assert!(!said.contains("its result was not received"), "{said}");
}

#[test]
fn without_the_owners_log_nobody_knows_who_waits() {
    let dir = part_of_hung(|name| !name.contains("monitoring.db") && !name.ends_with("/parsl.log"));
    let diagnosed = diagnosed_path(&dir.path().join("run"), &[]);
    let said = all_words(&diagnosed);
    assert_eq!(diagnosed.hung.stuck.len(), 1);
    assert!(said.contains("only parsl.log would show"), "{said}");
    assert!(
        !said.contains("no other") && !said.contains("nothing else blocks"),
        "{said}"
    );
}

/// A worker was killed: its manager sent an exception in place of the result, and the interchange received it.
#[test]
fn what_came_back_as_an_exception_has_ended_whoever_reports_it() {
    let is_owner = |name: &str| name.contains("monitoring.db") || name.ends_with("/parsl.log");
    for without in ["", "/manager.log", "/interchange.log"] {
        let is_left_out = |name: &str| !without.is_empty() && name.ends_with(without);
        let dir = part_of("manager_lost", |name| !is_owner(name) && !is_left_out(name));
        let diagnosed = diagnosed_path(&dir.path().join("run"), &[]);
        let said = all_words(&diagnosed);
        assert!(diagnosed.hung.is_clear(), "{without}: {said}");
        let goals = &diagnosed.hung.goals[0];
        assert_eq!((goals.ended, goals.failed), (102, 1), "{without}");
        // Workers do not report exceptions of their functions.
        assert!(!diagnosed.diagnosis.summary.contains("well."), "{said}");
    }
}

/// A copy of the run with a lost manager, with logs truncated at a time (Unix seconds).
fn manager_lost_until(end: f64) -> TempDir {
    let dir = part_of("manager_lost", |name| !name.contains("monitoring.db"));
    let mut folders = vec![dir.path().join("run")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let time = |line: &str| line.split(' ').next()?.parse::<f64>().ok();
            let lines = text.lines();
            let kept = lines.take_while(|l| time(l).is_none_or(|t| t <= end));
            let kept: Vec<&str> = kept.collect();
            std::fs::write(&path, kept.join("\n") + "\n").unwrap();
        }
    }
    dir
}

/// Three tasks are retried after their first tries were lost with a worker and a manager.
#[test]
fn what_is_tried_again_is_as_old_as_its_state_and_as_its_first_try() {
    let dir = manager_lost_until(1_795_225_649.0);
    let diagnosed = diagnosed_path(&dir.path().join("run"), &[]);
    let again = |s: &&UnfinishedItem| s.retried.is_some();
    let again: Vec<&UnfinishedItem> = diagnosed.hung.stuck.iter().filter(again).collect();
    let numbers: Vec<&str> = again.iter().map(|s| s.number()).collect();
    assert_eq!(numbers, ["14", "29", "30"]);
    for stuck in again {
        let retried = stuck.retried.as_ref().unwrap();
        assert_eq!((retried.count, retried.title.as_str()), (2, "try"));
        // The first try was made at the submission, this one when the loss was noticed.
        let since = stuck.since.unwrap();
        assert!(since - retried.first > 50_000_000_000, "{stuck:?}");
        assert!(stuck.age.unwrap() < 60_000_000_000, "{stuck:?}");
    }
    let said = diagnosed.words();
    assert!(said.contains("(2 tries, 1 m 4"), "{said}");
    assert!(
        said.contains("since the first; worker 1, manager"),
        "{said}"
    );
    // Tasks with one try are described as before.
    assert_eq!(said.matches("2 tries").count(), 3, "{said}");
}

/// Instances with different names in one place are grouped if their last messages agree.
#[test]
fn instances_that_hang_alike_are_one_group_whatever_their_names() {
    let dir = manager_lost_until(1_795_225_649.0);
    let diagnosed = diagnosed_path(&dir.path().join("run"), &[]);
    let roots: Vec<&UnfinishedItem> = diagnosed.hung.roots().map(|r| r.1).collect();
    let groups = alike(&roots);
    let numbers = |group: &Vec<&UnfinishedItem>| -> Vec<String> {
        group.iter().map(|s| s.number().to_owned()).collect()
    };
    let groups: Vec<Vec<String>> = groups.iter().map(numbers).collect();
    // A manager has two tasks; another one is with a worker; two more are at the interchange, which reported one before
    // the DFK had finished with it and the other afterwards.
    for pair in [["94", "95"], ["97", "98"]] {
        let pair = pair.map(str::to_owned).to_vec();
        assert!(groups.contains(&pair), "{groups:?}");
    }
    assert_eq!(groups.len(), 6, "{groups:?}");
}

/// Labels are names where each instance has its own.
#[test]
fn instances_are_not_grouped_by_name() {
    let said = |n: u32, name: &str| format!("{n} INFO job {n} named {name} is begun");
    let lines = [said(1, "a"), said(2, "b"), said(3, "c"), said(4, "d")];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (_dir, diagnosed) = mill(&[("a/boss.log", &lines)]);
    let roots: Vec<&UnfinishedItem> = diagnosed.hung.roots().map(|r| r.1).collect();
    assert_eq!(roots.len(), 4);
    assert_eq!(alike(&roots).len(), 1);
}

#[test]
fn a_record_of_a_wrong_clock_makes_nothing_older() {
    let dir = part_of_hung(|name| !name.contains("monitoring.db"));
    let log = dir.path().join("run/000/parsl.log");
    let text = std::fs::read_to_string(&log).unwrap();
    let ages = |dir: &TempDir| -> Vec<Option<i64>> {
        let diagnosed = diagnosed_path(&dir.path().join("run"), &[]);
        diagnosed.hung.stuck.iter().map(|s| s.age).collect()
    };
    let before = ages(&dir);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = lines.len() * 2 / 3;
    // During an idle poll, in which no task changes its state.
    let at = (at..)
        .find(|at| lines[*at].contains("JobStatusPoller"))
        .unwrap();
    let rest = lines[at].splitn(4, ' ').nth(3).unwrap().to_owned();
    lines[at] = format!("1900000000.000000 2030-03-17 17:46:40 {rest}");
    std::fs::write(&log, lines.join("\n") + "\n").unwrap();
    assert_eq!(ages(&dir), before);
    let diagnosed = diagnosed_path(&dir.path().join("run"), &[]);
    assert_eq!(diagnosed.hung.strays.events.len(), 1);
    assert!(
        diagnosed.words().contains("after all others"),
        "{}",
        diagnosed.words()
    );
    let silent = diagnosed.hung.silent.iter();
    assert!(
        { silent }.all(|s| s.gap < 3_600_000_000_000),
        "{:?}",
        diagnosed.hung.silent
    );
}

#[test]
fn a_run_beside_its_duplicate_is_reported_once() {
    let dir = runs::directory("hung");
    let (_one, alone) = diagnosed_case("hung");
    let root = dir.path().join("run");
    let copy = dir.path().join("both");
    for name in ["one", "two"] {
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            let to = copy.join(name).join(folder.strip_prefix(&root).unwrap());
            std::fs::create_dir_all(&to).unwrap();
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => {
                        std::fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
                    }
                }
            }
        }
    }
    let twice = diagnosed_path(&copy, &[]);
    // Each record of one source is a duplicate, also those without a time.
    assert_eq!(twice.snapshot.duplicates.len(), alone.snapshot.len());
    assert_eq!(twice.hung.silent.len(), alone.hung.silent.len());
    assert_eq!(twice.errors(), alone.errors());
    let meaning = Meaning::new(&[]);
    let with_joined_values = |diagnosed: &Diagnosed| -> Vec<(String, usize)> {
        let (_, reports) =
            with_joined_values(&diagnosed.snapshot, &meaning.joins, &Cancel::default()).unwrap();
        let own = reports.iter().filter(|r| r.receiving_events > 0);
        own.map(|r| (r.join.to_string(), r.receiving_events))
            .collect()
    };
    assert_eq!(with_joined_values(&twice), with_joined_values(&alone));
}

#[test]
fn jobs_wait_for_their_parents() {
    let dir = tempfile::tempdir().unwrap();
    let event = |id: u32, job: u32, at: &str, from: &str, to: &str| {
        format!(
            r#"{{"id": {id}, "job_id": {job}, "timestamp": "2026-11-21T02:0{at}.100000", "from_state": "{from}", "to_state": "{to}", "data": {{}}}}"#
        ) + "\n"
    };
    let mut events = String::new();
    for (job, to) in [
        (1, "READY"),
        (2, "AWAITING_PARENTS"),
        (3, "READY"),
        (4, "AWAITING_PARENTS"),
    ] {
        events += &event(job, job, "0:00", "CREATED", to);
    }
    events += &event(5, 3, "1:00", "READY", "FAILED");
    std::fs::write(dir.path().join("eventlog.jsonl"), events).unwrap();
    let job = |id: u32, parents: &str, state: &str| {
        format!(
            r#"{{"id": {id}, "workdir": "w/{id}", "app_id": 1, "state": "{state}", "last_update": "2026-11-21T02:00:00.100000+00:00", "parent_ids": [{parents}]}}"#
        )
    };
    let jobs = [
        job(1, "", "READY"),
        job(2, "1", "AWAITING_PARENTS"),
        job(3, "", "FAILED"),
        job(4, "3", "AWAITING_PARENTS"),
    ];
    let jobs = format!(r#"{{"count": 4, "results": [{}]}}"#, jobs.join(", "));
    std::fs::write(dir.path().join("jobs_api.json"), jobs).unwrap();
    let diagnosed = diagnosed_path(dir.path(), &[]);
    let of = |number: &str| {
        diagnosed
            .hung
            .stuck
            .iter()
            .find(|s| s.number() == number)
            .unwrap()
    };
    let (one, two, four) = (of("1"), of("2"), of("4"));
    assert_eq!(
        (one.all_waiters, two.standing),
        (Some(1), WaitState::Waiting)
    );
    assert_eq!(diagnosed.hung.stuck[two.root].number(), "1");
    assert_eq!(four.failed_first[0].name, "Balsam job 3");
    assert!(
        diagnosed
            .words()
            .contains("waits for Balsam job 3, which failed"),
        "{}",
        diagnosed.words()
    );
}

/// Unfinished items do not depend on the search for harmless errors.
#[test]
fn what_is_stuck_alone_is_what_hangs_in_all() {
    let mut reported = 0;
    for name in ["hung", "multi", "manager_lost", "json"] {
        let (_folder, run) = diagnosed_case(name);
        let stuck =
            find_unfinished_items(&run.snapshot, &run.found, None, &Cancel::default()).unwrap();
        let seen = |s: &UnfinishedItem| {
            (
                s.id.clone(),
                s.standing,
                s.since,
                s.age,
                s.waits_for.clone(),
            )
        };
        let ours: Vec<_> = stuck.iter().map(seen).collect();
        let theirs: Vec<_> = run.hung.stuck.iter().map(seen).collect();
        assert_eq!(ours, theirs, "{name}");
        let asked = Cell::new(0);
        let harmless = || {
            asked.set(asked.get() + 1);
            vec![Expr::All]
        };
        let options = (None, &harmless as &dyn Fn() -> Vec<Expr>);
        let all = find_unfinished(&run.snapshot, &run.found, options, &Cancel::default()).unwrap();
        assert_eq!(
            all.last_error, None,
            "{name}: an error that is harmless is told"
        );
        let had_one = run.hung.last_error.is_some();
        assert_eq!(asked.get(), usize::from(had_one), "{name}");
        reported += asked.get();
    }
    assert!(reported > 0, "no run has a last error");
}

#[test]
fn in_a_run_that_goes_on_work_is_stuck_once_it_executes_much_longer_than_its_like() {
    let (_dir, diagnosed) = diagnosed_case("hung");
    let (_, last) = diagnosed.snapshot.range().unwrap();
    let (_, begun, _) = diagnosed.hung.stuck[0].begun_there.clone().unwrap();
    let after = |seconds: i64| {
        let now = Some(last.max(begun + seconds * 1_000_000_000));
        let harmless = Vec::new;
        let found = find_unfinished(
            &diagnosed.snapshot,
            &diagnosed.found,
            (now, &harmless),
            &Cancel::default(),
        );
        let hung = found.unwrap();
        let stuck = hung.unblocked().filter(|item| hung.is_stuck(item));
        stuck
            .map(|item| item.number().to_owned())
            .collect::<Vec<_>>()
    };
    // Other tasks waited 38 s for a worker, but no try took longer than 2 s.
    assert_eq!(after(25), Vec::<String>::new());
    assert_eq!(after(31), ["24"]);
}
