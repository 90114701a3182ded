//! Runs outside the repository: those with a `truth.json` (expected counts under `files`) must have these counts, and
//! every run of the folder `public` must open.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use widetui_core::ids::EventId;
use widetui_report::event::full_event;
use widetui_store::texts::TextReader;
use widetui_testing::corpora::corpora;
use widetui_testing::runs;
use widetui_testing::runs::{Expected, differences};

/// `truth.json` files outside `public`.
fn truths(root: &Path) -> Vec<PathBuf> {
    let public = root.join("public");
    let all = runs::files(root).into_iter();
    all.filter(|p| p.ends_with("truth.json") && !p.starts_with(&public))
        .collect()
}

/// Seconds since the epoch, as a number or a text.
fn epoch(value: &Json) -> Option<i64> {
    let seconds = match value {
        Json::String(text) => text.parse::<f64>().ok()?,
        other => other.as_f64()?,
    };
    Some((seconds * 1e6).round() as i64)
}

/// Parses `2026-11-21 07:43:00,819` to microseconds, without a zone.
fn civil(value: &Json) -> Option<i64> {
    let text = value.as_str()?.replace(',', ".").replace('T', " ");
    let pattern = widetui_time::timeparse::detect_leading(text.as_bytes())?;
    Some(pattern.1.ns / 1000)
}

/// Files whose records no reader separates yet.
const NOT_READ: [&str; 5] = [
    "journal.export.txt",
    "dmesg.json",
    "console_logs.txt",
    "console_spans.txt",
    "squeue_mid.json",
];

/// Expected numbers per file of a ground truth: in `files`, or anywhere under the name of a file.
fn entries(truth: &Json, run: &Path) -> BTreeMap<String, Expected> {
    if let Some(files) = truth["files"].as_object() {
        let all = files.iter();
        return all
            .map(|(name, truth)| (name.clone(), expectation(truth)))
            .collect();
    }
    let names: Vec<String> = runs::files(run)
        .iter()
        .filter_map(|p| Some(p.file_name()?.to_str()?.to_owned()))
        .collect();
    let mut out = BTreeMap::new();
    let mut left = vec![truth];
    while let Some(object) = left.pop().and_then(Json::as_object) {
        for (name, value) in object {
            if !names.contains(name) {
                left.push(value);
            } else if !NOT_READ.contains(&name.as_str()) {
                out.insert(name.clone(), expectation(value));
            }
        }
    }
    out
}

/// Expected numbers of a file, under the names used by the author of the ground truth.
fn expectation(truth: &Json) -> Expected {
    let kind = truth["kind"].as_str().unwrap_or("log").to_owned();
    let names = [
        ("DEBUG", "debug"),
        ("INFO", "info"),
        ("WARNING", "warning"),
        ("ERROR", "error"),
        ("CRITICAL", "critical"),
        ("error", "error"),
        ("info", "info"),
    ];
    let levels = truth["levels"].as_object().or(truth["kinds"].as_object());
    let levels = levels.map(|levels| {
        let counts = names
            .iter()
            .filter_map(|(name, ours)| Some(((*ours).to_owned(), levels.get(*name)?.as_u64()?)));
        counts.collect::<BTreeMap<_, _>>()
    });
    let continuation = truth
        .get("continuation_lines")
        .or(truth.get("continuation_or_raw_lines"));
    let either = |a: &str, b: &str| truth.get(a).or(truth.get(b)).cloned().unwrap_or_default();
    let records = truth
        .get("records")
        .or(truth.get("events"))
        .or(truth.get("spans"))
        .and_then(Json::as_u64);
    let bad_lines = truth["bad_lines"]
        .as_array()
        .map_or(0, |lines| lines.len() as u64);
    Expected {
        // A line that is invalid JSON (a torn write) is kept as a record; the ground truth counts it separately.
        records: records.map(|n| n + bad_lines),
        continuation: continuation.and_then(Json::as_u64),
        levels,
        first: epoch(&either("first", "first_created")),
        last: epoch(&either("last", "last_created")),
        first_civil: civil(&either("first_ts", "first_ts_local")),
        last_civil: civil(&either("last_ts", "last_ts_local")),
        kind,
    }
}

#[test]
#[ignore = "needs runs outside the repository: WIDETUI_CORPORA=FOLDER"]
fn counts_of_all_runs() {
    let root = corpora();
    let mut found = Vec::new();
    let mut compared = 0;
    for path in truths(&root) {
        let run = path.parent().unwrap();
        let truth: Json = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let expected = entries(&truth, run);
        compared += expected.values().filter(|e| e.records.is_some()).count();
        let base = format!("{}/", run.display());
        let snapshot = runs::load(run, 2);
        // A ground truth may name files without their folder.
        let name = |source: &widetui_store::Source| {
            let name = source.path.strip_prefix(&base).unwrap_or(&source.path);
            let short = name.rsplit('/').next().unwrap_or(name);
            let known = |n: &str| expected.contains_key(n);
            if known(name) || !known(short) {
                name.to_owned()
            } else {
                short.to_owned()
            }
        };
        let differences = differences(&snapshot, &expected, name);
        let short = run.strip_prefix(&root).unwrap().display();
        found.extend(differences.into_iter().map(|d| format!("{short}: {d}")));
        for file in runs::files(run) {
            let path = file.display().to_string();
            if !snapshot.sources.iter().any(|s| s.path == path) {
                found.push(format!("{short}: {path} is not listed"));
            }
        }
    }
    assert!(
        found.is_empty(),
        "{compared} files compared, {} differences:\n{}",
        found.len(),
        found.join("\n")
    );
}

#[test]
#[ignore = "needs runs outside the repository: WIDETUI_CORPORA=FOLDER"]
fn public_runs_open() {
    let root = corpora();
    let mut failed = Vec::new();
    for folder in fs::read_dir(root.join("public")).unwrap() {
        let folder = folder.unwrap().path();
        let snapshot = match runs::try_load(&folder, 2) {
            Ok((snapshot, _)) => snapshot,
            Err(error) => {
                failed.push(format!("{}: {error}", folder.display()));
                continue;
            }
        };
        let mut texts = TextReader::default();
        for id in snapshot.order.iter().step_by(97) {
            let event = snapshot.event(EventId(*id)).unwrap();
            let full = full_event(&event, &mut texts);
            assert!(
                !full.message.contains("cannot be read any more"),
                "{}: {full:?}",
                event.source().path
            );
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
