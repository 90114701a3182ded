//! Records read from small logs in the formats of many programs (`tests/data/foreign_logs`), which no definition describes.
//!
//! Each folder holds the log in `in` and the truth in `expect.json`: the number of records, and of some records the time in
//! UTC, the level and keys. The truth was written from the formats, not from output of the program.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use regex::RegexBuilder;
use serde_json::Value as Json;
use widetui_testing::runs::{data, files};
use widetui_time::timeparse::TimePattern;

use crate::program::PROGRAM;

/// Logs that are not read right yet. The list only gets shorter: the test fails for a log in it that became right.
const KNOWN: &[&str] = &[
    "framing/cloudwatch-filter-json",
    "framing/loki-query-range",
    "order/micro-step-back",
];

/// Output of a command about a folder, standard error included.
fn output(command: &str, options: &[&str], expect: &Json, folder: &Path) -> (String, String) {
    let own = expect["args"].as_array().into_iter().flatten();
    let out = Command::new(PROGRAM)
        .arg(command)
        .args(own.filter_map(Json::as_str))
        .args(options)
        .arg(folder)
        .env("TZ", "UTC")
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&out.stdout), text(&out.stderr))
}

fn rows(command: &str, expect: &Json, folder: &Path) -> Vec<Json> {
    let (out, _) = output(command, &["--format", "jsonl"], expect, folder);
    let lines = out.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Acceptable values: a value, or several in a list.
fn accepted(value: &Json) -> Vec<&Json> {
    match value.as_array() {
        Some(values) => values.iter().collect(),
        None => vec![value],
    }
}

fn is_accepted_count(expected: &Json, count: usize) -> bool {
    let bound = |name: &str| expected[name].as_u64().map(|n| n as usize);
    match expected.is_object() {
        true => {
            bound("min").is_none_or(|min| count >= min)
                && bound("max").is_none_or(|max| count <= max)
        }
        false => accepted(expected)
            .iter()
            .any(|n| n.as_u64() == Some(count as u64)),
    }
}

fn ns(time: &str) -> Option<i64> {
    let iso = TimePattern::compile("iso").unwrap();
    iso.parse_prefix(time.as_bytes()).map(|(stamp, _)| stamp.ns)
}

fn is_accepted_time(expected: &Json, tolerance_ns: u64, time: &Json) -> bool {
    accepted(expected)
        .iter()
        .any(|good| match (good.as_str(), time.as_str()) {
            (None, None) => true,
            (Some(good), Some(time)) => match (ns(good), ns(time)) {
                (Some(good), Some(time)) => good.abs_diff(time) <= tolerance_ns,
                _ => good == time,
            },
            _ => false,
        })
}

/// Key of a record, by its whole name or the last part of it.
fn has_key(event: &Json, prefix: &str, name: &str, expected: &Json) -> bool {
    let text = |value: &Json| match value {
        Json::String(text) => text.to_lowercase(),
        other => other.to_string().to_lowercase(),
    };
    let wanted: Vec<String> = accepted(expected).into_iter().map(text).collect();
    let is_same = |value: &Json| {
        let own = text(value);
        let number = own.parse::<f64>().ok();
        let equal = |w: &String| *w == own || number.is_some() && w.parse::<f64>().ok() == number;
        wanted.iter().any(equal)
    };
    event.as_object().into_iter().flatten().any(|(key, value)| {
        let (key, name) = (format!("{prefix}{key}").to_lowercase(), name.to_lowercase());
        if value.is_object() {
            return has_key(value, &format!("{key}."), &name, expected);
        }
        let ends = |by: &str| key.ends_with(&format!("{by}{name}"));
        (key == name || ends(".") || ends("_")) && accepted(value).into_iter().any(is_same)
    })
}

fn message(event: &Json) -> &str {
    event["message"].as_str().unwrap_or_default()
}

/// Records that hold a text in the first line of their message (or anywhere in it), else in their keys.
fn holders<'e>(events: &'e [Json], wanted: &Json) -> Vec<&'e Json> {
    let find = wanted["find"].as_str().unwrap();
    let anywhere = wanted["rest"] == true;
    let is_holder = |event: &&Json| {
        let text = message(event).trim_start_matches(['\r', '\n']);
        let first = text.split('\n').next().unwrap_or_default();
        (if anywhere { text } else { first }).contains(find)
    };
    let found: Vec<&Json> = events.iter().filter(is_holder).collect();
    if !found.is_empty() || anywhere {
        return found;
    }
    let has_value = |event: &&Json| {
        let mut keys = event.as_object().unwrap().clone();
        for own in ["message", "template", "source"] {
            keys.remove(own);
        }
        Json::Object(keys).to_string().contains(find)
    };
    events.iter().filter(has_value).collect()
}

fn is_error(event: &Json) -> bool {
    matches!(event["level"].as_str(), Some("error" | "critical"))
}

/// Differences between the records read and the truth.
fn differences(expect: &Json, folder: &Path) -> Vec<String> {
    let events = rows("events", expect, folder);
    let mut all = Vec::new();
    if !expect["records"].is_null() && !is_accepted_count(&expect["records"], events.len()) {
        all.push(format!("{} records", events.len()));
    }
    for wanted in expect["events"].as_array().into_iter().flatten() {
        let found = holders(&events, wanted);
        let find = &wanted["find"];
        if found.len() as u64 != wanted["n"].as_u64().unwrap_or(1) {
            all.push(format!("{find} in {} records", found.len()));
        }
        let Some(event) = found.first() else {
            continue;
        };
        let tolerance_ns = wanted["tol_ns"].as_u64().unwrap_or(0);
        if wanted
            .get("time")
            .is_some_and(|t| !is_accepted_time(t, tolerance_ns, &event["time"]))
        {
            all.push(format!("{find} at {}", event["time"]));
        }
        let level = match event["level"].as_str() {
            None | Some("") => &Json::Null,
            Some(_) => &event["level"],
        };
        if wanted
            .get("level")
            .is_some_and(|l| !accepted(l).contains(&level))
        {
            all.push(format!("{find} with level {level}"));
        }
        for (key, value) in wanted["keys"].as_object().into_iter().flatten() {
            if !has_key(event, "", key, value) {
                all.push(format!("{find} without {key} = {value}"));
            }
        }
    }
    let mut last = 0;
    for find in expect["order"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
    {
        match events
            .iter()
            .position(|event| event.to_string().contains(find))
        {
            None => all.push(format!("no {find}")),
            Some(at) if at < last => all.push(format!("{find} too early")),
            Some(at) => last = at,
        }
    }
    let errors = events.iter().filter(|e| is_error(e)).count();
    if !expect["errors"].is_null() && !is_accepted_count(&expect["errors"], errors) {
        all.push(format!("{errors} errors"));
    }
    for text in expect["absent"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
    {
        if events.iter().any(|event| event.to_string().contains(text)) {
            all.push(format!("{text} in a record"));
        }
    }
    all.extend(differences_of_sources(expect, folder));
    all
}

/// Differences between the lists of sources and problems and the truth.
fn differences_of_sources(expect: &Json, folder: &Path) -> Vec<String> {
    let matches = |pattern: &Json, text: &str| {
        let pattern = RegexBuilder::new(pattern.as_str().unwrap())
            .case_insensitive(true)
            .build();
        pattern.unwrap().is_match(text)
    };
    let mut all = Vec::new();
    if let Some(wanted) = expect["sources"].as_array() {
        let sources = rows("sources", expect, folder);
        for wanted in wanted {
            let path = wanted["path"].as_str().unwrap();
            let found = |row: &&Json| {
                row["path"].as_str().is_some_and(|p| p.ends_with(path))
                    && (wanted["text"].is_null() || matches(&wanted["text"], &row.to_string()))
                    && (wanted["records"].is_null()
                        || row["records"]
                            .as_u64()
                            .is_some_and(|n| is_accepted_count(&wanted["records"], n as usize)))
            };
            if !sources.iter().any(|row| found(&row)) {
                all.push(format!("no source {wanted}"));
            }
        }
    }
    if let Some(wanted) = expect["output"].as_array() {
        let both = ["sources", "diagnose"].map(|command| {
            let (out, err) = output(command, &[], expect, folder);
            out + &err
        });
        let unmet = wanted
            .iter()
            .filter(|pattern| !matches(pattern, &both.concat()));
        all.extend(unmet.map(|pattern| format!("neither sources nor diagnose says {pattern}")));
    }
    all
}

/// Copies a log, with the modification time of the truth.
fn copied(from: &Path, expect: &Json, to: &Path) {
    for file in files(from) {
        let target = to.join(file.strip_prefix(from).unwrap());
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        std::fs::copy(&file, &target).unwrap();
        let Some(modified) = expect["mtime"].as_str().and_then(ns) else {
            continue;
        };
        let modified = SystemTime::UNIX_EPOCH + Duration::from_nanos(modified as u64);
        let file = std::fs::File::options().write(true).open(&target).unwrap();
        file.set_modified(modified).unwrap();
    }
}

#[test]
fn logs_of_many_programs_are_read_as_they_were_written() {
    let root = data().join("foreign_logs");
    let all = files(&root).into_iter();
    let folders: BTreeSet<String> = all
        .filter(|file| file.ends_with("expect.json"))
        .map(|file| {
            let folder = file.parent().unwrap().strip_prefix(&root).unwrap();
            folder.to_str().unwrap().to_owned()
        })
        .collect();
    assert!(folders.len() > 200, "{}", folders.len());
    let mut wrong = Vec::new();
    for name in &folders {
        let text = std::fs::read(root.join(name).join("expect.json")).unwrap();
        let expect: Json = serde_json::from_slice(&text).unwrap();
        let copy = tempfile::tempdir().unwrap();
        copied(&root.join(name).join("in"), &expect, copy.path());
        let differences = differences(&expect, copy.path());
        match (differences.is_empty(), KNOWN.contains(&name.as_str())) {
            (false, false) => wrong.push(format!("{name}: {}", differences.join("; "))),
            (true, true) => wrong.push(format!("{name} is right: take it out of the list")),
            _ => {}
        }
    }
    let gone = KNOWN.iter().filter(|name| !folders.contains(**name));
    wrong.extend(gone.map(|name| format!("no {name}")));
    assert!(
        wrong.is_empty(),
        "{} of {} wrong\n{}",
        wrong.len(),
        folders.len(),
        wrong.join("\n")
    );
}
