//! Runs whose programs wrote down themselves what became of their tasks: of other years, with odd names, with futures that are no
//! tasks, with blocks that come and go. What is told of each task is compared with that.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value as Json;
use tempfile::TempDir;

use widetui::analysis::diagnose::{Diagnosis, Kind, Severity, diagnose};
use widetui::analysis::entity::Instances;
use widetui::analysis::hung::{Asked, Found, Hung, hung};
use widetui::base::cancel::{Cancel, Progress};
use widetui::base::ids::EventId;
use widetui::base::zone::Zone;
use widetui::store::{Snapshot, Value};
use widetui::workspace::load::{OpenOptions, load_all};
use widetui::workspace::meaning::{Meaning, widened};

/// Archives under `tests/data`, and the runs in them.
const RUNS: [(&str, &[&str]); 2] = [
    ("other_years", &["2025", "2023"]),
    ("odd", &["names", "futures", "scaled"]),
];

struct Run {
    _dir: TempDir,
    truth: Vec<Json>,
    snapshot: Arc<Snapshot>,
    found: Found,
    hung: Hung,
    diagnosis: Diagnosis,
}

impl Run {
    fn open(archive: &str, name: &str) -> Run {
        let packed = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
        let packed = File::open(packed.join(format!("{archive}.tar.gz"))).unwrap();
        let dir = tempfile::tempdir().unwrap();
        tar::Archive::new(flate2::read::GzDecoder::new(packed))
            .unpack(dir.path())
            .unwrap();
        let root = dir.path().join(name);
        let truth = File::open(root.join("truth.json")).unwrap();
        let options = OpenOptions {
            paths: vec![root.join("runinfo")],
            fallback_zone: Zone::Utc,
            ..OpenOptions::default()
        };
        let cancel = Cancel::default();
        let (snapshot, _) = load_all(&options, &cancel, Progress::default()).unwrap();
        let meaning = Meaning::new(&[]);
        let (snapshot, _) = widened(&snapshot, &meaning.joins, &cancel).unwrap();
        let found = Found::scan(&snapshot, &meaning.entities, &cancel).unwrap();
        let hung = hung(&snapshot, &found, &Asked::default(), &cancel).unwrap();
        let diagnosis = diagnose(
            &snapshot,
            &found,
            &hung,
            &meaning.hints,
            &Zone::Utc,
            &cancel,
        )
        .unwrap();
        Run {
            _dir: dir,
            truth: serde_json::from_reader(truth).unwrap(),
            snapshot,
            found,
            hung,
            diagnosis,
        }
    }

    fn tasks(&self) -> &Instances {
        let mut all = self.found.all.iter();
        all.find(|i| i.entity.name == "parsl.task").unwrap()
    }

    /// By number: the numbers of the tasks that records say it depends on.
    fn depends(&self) -> BTreeMap<u64, BTreeSet<u64>> {
        let keys = &self.snapshot.catalog.keys;
        let task = keys.find("parsl.task").unwrap();
        let mut out: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
        let Some(on) = keys.find("parsl.dependency_task") else {
            return out;
        };
        for id in 0..self.snapshot.len() {
            let event = self.snapshot.event(EventId(id as u32)).unwrap();
            let stored = event.stored();
            let numbers = |key| {
                let values = stored.iter().filter(move |(k, ..)| *k == key);
                let texts = values.flat_map(|(_, value, _)| match value {
                    Value::One(one) => vec![one.to_string()],
                    Value::Many(many) => many.iter().map(ToString::to_string).collect(),
                });
                texts.map(|t| t.parse::<u64>().unwrap()).collect::<Vec<_>>()
            };
            if let (Some(one), false) = (numbers(task).first(), numbers(on).is_empty()) {
                out.entry(*one).or_default().extend(numbers(on));
            }
        }
        out
    }

    fn worst(&self) -> Option<Severity> {
        self.diagnosis.findings.iter().map(|f| f.severity).max()
    }
}

#[test]
fn every_task_is_as_its_program_saw_it() {
    for (archive, names) in RUNS {
        for name in names {
            let run = Run::open(archive, name);
            let tasks = run.tasks();
            let depends = run.depends();
            assert_eq!(tasks.list.len(), run.truth.len(), "{name}");
            for task in &tasks.list {
                let number: u64 = tasks.number(&run.snapshot, task).parse().unwrap();
                let truth = run.truth.iter().find(|t| t["task"] == number).unwrap();
                let what = format!("{name}: {truth}");
                let standing = tasks.standing(&run.snapshot, task);
                let state = standing.state.filter(|_| standing.is_final);
                let state = state.map(|s| &*tasks.states[usize::from(s)]);
                assert_eq!(state, truth["state"].as_str(), "{what}");
                let label = tasks.label(&run.snapshot, task);
                assert_eq!(label.as_deref(), truth["app"].as_str(), "{what}");
                let places = tasks.places(&run.snapshot, task);
                for key in ["executor", "manager", "block", "worker"] {
                    let expected = match &truth[key] {
                        Json::Null => continue,
                        Json::String(text) => text.clone(),
                        other => other.to_string(),
                    };
                    let place = places.iter().find(|p| p.0 == format!("parsl.{key}"));
                    assert_eq!(place.map(|p| &*p.1), Some(&*expected), "{key} of {what}");
                }
                let expected: BTreeSet<u64> = truth["depends"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter_map(Json::as_u64)
                    .collect();
                let told = depends.get(&number).cloned().unwrap_or_default();
                assert_eq!(told, expected, "{what}");
            }
        }
    }
}

#[test]
fn what_hangs_is_what_did_not_end() {
    for (archive, names) in RUNS {
        for name in names {
            let run = Run::open(archive, name);
            let told: BTreeSet<u64> = run
                .hung
                .stuck
                .iter()
                .map(|s| s.number().parse().unwrap())
                .collect();
            let open = run.truth.iter().filter(|t| t["state"].is_null());
            let open: BTreeSet<u64> = open.map(|t| t["task"].as_u64().unwrap()).collect();
            assert_eq!(told, open, "{name}");
        }
    }
}

#[test]
fn idle_managers_that_were_scaled_in_are_no_news() {
    let run = Run::open("odd", "scaled");
    assert_eq!(run.worst(), Some(Severity::Info), "{:#?}", run.diagnosis);
    let mut all = run.found.all.iter();
    let blocks = all.find(|i| i.entity.name == "parsl.block").unwrap();
    assert_eq!(blocks.list.len(), 6);
    for block in &blocks.list {
        let state = blocks.standing(&run.snapshot, block).state.unwrap();
        assert_eq!(blocks.states[usize::from(state)], "SCALED_IN");
    }
}

#[test]
fn odd_names_and_futures_make_no_finding() {
    let run = Run::open("odd", "names");
    assert_eq!(run.worst(), Some(Severity::Info), "{:#?}", run.diagnosis);
    // That a task waits for a future of somebody else is all that can be told of why it hangs.
    let run = Run::open("odd", "futures");
    let mut findings = run.diagnosis.findings.iter();
    assert!(findings.any(|f| f.title.contains("futures that are no tasks")));
}

#[test]
fn the_manager_that_was_killed_is_the_first_finding() {
    let run = Run::open("other_years", "2023");
    let first = &run.diagnosis.findings[0];
    assert!(
        first.kind == Kind::Lost && first.title.contains("with task")
            || first.title.contains("killed by a signal"),
        "{:#?}",
        run.diagnosis
    );
    assert!(run.diagnosis.findings.iter().any(|f| f.kind == Kind::Lost));
}
