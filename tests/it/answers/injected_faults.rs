//! First findings about real programs into which one fault was injected (`benches/faults`).

use regex::RegexBuilder;
use serde_json::Value as Json;
use widetui_testing::runs::{data, unpacked};

use crate::program::printed;

/// The patterns of a field of a truth.
fn patterns<'a>(truth: &'a Json, field: &str) -> impl Iterator<Item = &'a str> {
    let list = truth[field].as_array().into_iter().flatten();
    list.filter_map(Json::as_str)
}

/// Whether a pattern matches somewhere in fields of a finding, without regard to case.
fn matches(pattern: &str, finding: &Json, fields: &[&str]) -> bool {
    let built = RegexBuilder::new(pattern).case_insensitive(true).build();
    let text: Vec<String> = fields
        .iter()
        .map(|field| match &finding[*field] {
            Json::Null => String::new(),
            Json::String(text) => text.clone(),
            other => other.to_string(),
        })
        .collect();
    built.unwrap().is_match(&text.join(" "))
}

/// Why findings do not agree with a truth, if they do not.
fn disagreement(truth: &Json, findings: &[Json]) -> Option<String> {
    if truth["healthy"] == true {
        let error = findings.iter().find(|f| f["severity"] == "error")?;
        return Some(format!("healthy, but {}", error["title"]));
    }
    let Some(first) = findings.first() else {
        return Some("no finding".to_owned());
    };
    let head = ["title", "subject", "cause"];
    let whole = ["title", "subject", "cause", "text", "next"];
    let missing = patterns(truth, "must").find(|p| !matches(p, first, &whole));
    let innocent = patterns(truth, "never").find(|p| matches(p, first, &head));
    let severity = first["severity"].as_str().unwrap_or_default();
    let why = match (missing, innocent) {
        (Some(pattern), _) => format!("nothing of {pattern:?}"),
        (None, Some(pattern)) => format!("names the innocent {pattern:?}"),
        _ if !patterns(truth, "severity").any(|s| s == severity) => format!("is a {severity}"),
        _ => return None,
    };
    Some(format!("{} {why}", first["title"]))
}

#[test]
fn the_first_finding_names_the_injected_fault() {
    let mut folders: Vec<_> = std::fs::read_dir(data().join("faults"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    folders.sort();
    assert!(folders.len() >= 20, "{folders:?}");
    let mut wrong = Vec::new();
    for name in &folders {
        let text = std::fs::read(data().join("faults").join(name).join("truth.json")).unwrap();
        let truth: Json = serde_json::from_slice(&text).unwrap();
        let run = unpacked(&format!("faults/{name}/run.tar.gz"));
        let findings = printed("diagnose", &[], &run.path().join("run"));
        if let Some(why) = disagreement(&truth, &findings) {
            wrong.push(format!("{name} ({}): {why}", truth["fault"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
