//! Loaded runs with their instances, unfinished work and diagnosis.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value as Json;
use tempfile::TempDir;

use widetui_analysis::entity::AllInstances;
use widetui_analysis::entity::{Instances, scan};
use widetui_core::cancel::{Cancel, Progress};
use widetui_diagnosis::unfinished::words::words;
use widetui_diagnosis::unfinished::{UnfinishedWork, find_unfinished};
use widetui_diagnosis::{Diagnosis, Finding, Severity, diagnose};
use widetui_ingest::load::load_all;
use widetui_ingest::options::OpenOptions;
use widetui_report::event::full_event;
use widetui_session::meaning::{Meaning, with_joined_values};
use widetui_store::Snapshot;
use widetui_store::texts::TextReader;
use widetui_time::clock::Clock;
use widetui_time::zone::Zone;

use crate::runs::unpacked;

/// Loads a path with joined values and with additional definitions (file names and texts) besides the built-in ones.
pub fn opened_with(path: &Path, systems: &[(String, String)]) -> (Arc<Snapshot>, Meaning) {
    let options = OpenOptions {
        paths: vec![path.to_path_buf()],
        fallback_zone: Zone::Utc,
        systems: systems.to_vec(),
        ..OpenOptions::default()
    };
    let cancel = Cancel::default();
    let (snapshot, _) = load_all(&options, &cancel, Progress::default()).unwrap();
    let meaning = Meaning::new(systems);
    let (snapshot, _) = with_joined_values(&snapshot, &meaning.joins, &cancel).unwrap();
    (snapshot, meaning)
}

/// Loads a path with joined values.
pub fn opened(path: &Path) -> (Arc<Snapshot>, Meaning) {
    opened_with(path, &[])
}

/// Scans the instances of an entity.
pub fn instances(snapshot: &Snapshot, meaning: &Meaning, entity: &str) -> Instances {
    let mut entities = meaning.entities.iter();
    let entity = entities.find(|e| e.name == entity).unwrap();
    scan(snapshot, entity, &Cancel::default()).unwrap()
}

/// Loads and diagnoses a path.
pub fn diagnosed(path: &Path) -> (Arc<Snapshot>, AllInstances, UnfinishedWork, Diagnosis) {
    diagnosed_with(path, &[])
}

/// Loads and diagnoses a path with additional definitions.
pub fn diagnosed_with(
    path: &Path,
    systems: &[(String, String)],
) -> (Arc<Snapshot>, AllInstances, UnfinishedWork, Diagnosis) {
    let (snapshot, meaning) = opened_with(path, systems);
    let cancel = Cancel::default();
    let found = AllInstances::scan(&snapshot, &meaning.entities, &cancel).unwrap();
    let hung = find_unfinished(&snapshot, &found, (None, &Vec::new), &cancel).unwrap();
    let (hints, zone) = (meaning.hints(), &Zone::Utc);
    let diagnosis = diagnose(
        &snapshot,
        &found,
        &hung,
        hints,
        (zone, None),
        &cancel,
        &mut |_| {},
    );
    (snapshot, found, hung, diagnosis.unwrap())
}

/// Diagnosed run with its ground truth: what the program that started it observed.
pub struct Run {
    _dir: TempDir,
    pub truth: Json,
    pub snapshot: Arc<Snapshot>,
    pub found: AllInstances,
    pub hung: UnfinishedWork,
    pub diagnosis: Diagnosis,
}

impl Run {
    /// Loads a run from an archive: logs in `home`, `runinfo` or `logs`, ground truth in `truth.json`, if present.
    pub fn of_archive(archive: &str, name: &str) -> Run {
        let dir = unpacked(archive);
        let root = dir.path().join(name);
        let truth = File::open(root.join("truth.json")).ok();
        let truth = truth.map_or(Json::Null, |t| serde_json::from_reader(t).unwrap());
        let logs = ["runinfo", "logs", "home"].map(|d| root.join(d));
        let logs = logs.into_iter().find(|d| d.exists()).unwrap();
        Run::with(&logs, truth, dir)
    }

    /// Loads a run from the given file names and texts.
    pub fn of(files: &[(&str, &str)]) -> Run {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let logs = dir.path().to_path_buf();
        Run::with(&logs, Json::Null, dir)
    }

    fn with(logs: &Path, truth: Json, dir: TempDir) -> Run {
        let (snapshot, found, hung, diagnosis) = diagnosed(logs);
        Run {
            _dir: dir,
            truth,
            snapshot,
            found,
            hung,
            diagnosis,
        }
    }

    /// Diagnosis at a time (UTC ns) while the logs still grow.
    pub fn diagnosis_at(&self, now: i64) -> Diagnosis {
        let (meaning, cancel) = (Meaning::new(&[]), Cancel::default());
        let options = (Some(now), &Vec::new as &dyn Fn() -> Vec<_>);
        let hung = find_unfinished(&self.snapshot, &self.found, options, &cancel).unwrap();
        diagnose(
            &self.snapshot,
            &self.found,
            &hung,
            meaning.hints(),
            (&Zone::Utc, None),
            &cancel,
            &mut |_| {},
        )
        .unwrap()
    }

    /// Instances of an entity.
    pub fn all(&self, entity: &str) -> &Instances {
        let mut all = self.found.occurring.iter();
        all.find(|i| i.entity.name == entity).unwrap()
    }

    /// Titles of the first `most` findings, with the lines of their evidence and the titles of their effects.
    pub fn top(&self, most: usize) -> String {
        let mut texts = TextReader::default();
        let mut out = String::new();
        for finding in self.diagnosis.findings.iter().take(most) {
            out += &format!("{:?}: {}\n", finding.severity, finding.title);
            let events = finding.evidence.iter();
            for event in events.filter_map(|id| self.snapshot.event(*id)) {
                out += &format!("  {}\n", full_event(&event, &mut texts).to_line());
            }
            for effect in &finding.effects {
                out += &format!("  -> {}\n", effect.title);
            }
        }
        out
    }

    /// Highest severity of the findings.
    pub fn worst(&self) -> Option<Severity> {
        self.diagnosis.findings.iter().map(|f| f.severity).max()
    }

    pub fn titles(&self, severity: Severity) -> Vec<&str> {
        let all = self.diagnosis.findings.iter();
        let all = all.filter(|f| f.severity == severity);
        all.map(|f| &*f.title).collect()
    }

    pub fn findings(&self, holds: impl Fn(&Finding) -> bool) -> Vec<&Finding> {
        let all = self.diagnosis.findings.iter();
        all.filter(|f| holds(f)).collect()
    }

    pub fn raised(&self) -> impl Iterator<Item = &Finding> {
        let all = self.diagnosis.findings.iter();
        all.filter(|f| f.severity > Severity::Info)
    }

    /// Titles of the findings above `Info`, as `warning: …`.
    pub fn reported(&self) -> Vec<String> {
        let text = |severity: Severity| format!("{severity:?}").to_lowercase();
        let line = |f: &Finding| format!("{}: {}", text(f.severity), f.title);
        self.raised().map(line).collect()
    }

    /// Number of instances of an entity in each state.
    pub fn states(&self, entity: &str) -> BTreeMap<String, usize> {
        let all = self.all(entity);
        let mut out = BTreeMap::new();
        for one in &all.list {
            let state = all.standing(&self.snapshot, one).state;
            let state = state.map_or("?", |s| &all.states[usize::from(s)]);
            *out.entry(state.to_owned()).or_default() += 1;
        }
        out
    }

    /// Summary of unfinished work.
    pub fn words(&self) -> String {
        let last = self.snapshot.range().map(|r| r.1);
        words(&self.snapshot, &self.hung, &Clock::of(&Zone::Utc, last))
    }
}
