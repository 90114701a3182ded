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

/// Why findings do not agree with a truth, if they do not: the first two name the fault, the first nothing innocent.
fn disagreement(truth: &Json, findings: &[Json]) -> Option<String> {
    if truth["healthy"] == true {
        let error = findings.iter().find(|f| f["severity"] == "error")?;
        return Some(format!("healthy, but {}", error["title"]));
    }
    let Some(first) = findings.first() else {
        return Some("no finding".to_owned());
    };
    let top = &findings[..findings.len().min(2)];
    let head = ["title", "subject"];
    let whole = ["title", "subject", "text", "evidence", "effects", "next"];
    let is_missing = |p: &&str| !top.iter().any(|f| matches(p, f, &whole));
    let missing = patterns(truth, "must").find(is_missing);
    let innocent = patterns(truth, "never").find(|p| matches(p, first, &head));
    let mut severities = ["error", "warning", "info"].into_iter();
    let severity = severities.find(|s| top.iter().any(|f| f["severity"] == *s));
    let why = match (missing, innocent) {
        (Some(pattern), _) => format!("nothing of {pattern:?}"),
        (None, Some(pattern)) => format!("names the innocent {pattern:?}"),
        _ if !patterns(truth, "severity").any(|s| Some(s) == severity) => {
            format!("is of severity {severity:?}")
        }
        _ => return None,
    };
    Some(format!("{} {why}", first["title"]))
}

/// Faults that are not named yet. The list only gets shorter: the test fails for a fault in it that is named.
const KNOWN: &[&str] = &["academy-agent_exits", "snakemake-user_interrupt"];

#[test]
fn the_first_findings_name_the_injected_fault() {
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
        match (
            disagreement(&truth, &findings),
            KNOWN.contains(&name.as_str()),
        ) {
            (Some(why), false) => wrong.push(format!("{name} ({}): {why}", truth["fault"])),
            (None, true) => wrong.push(format!("{name} is named: take it out of the list")),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
