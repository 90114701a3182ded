//! First findings about labelled scenarios (`benches/faults`) whose cause no error states.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::printed;

/// Folder of the developed scenarios.
fn labelled() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/faults/labelled")
}

/// Lines of a scenario that state or show its cause.
fn cause_lines(scenario: &Path) -> Vec<String> {
    let truth = fs::read_to_string(scenario.join("truth.toml")).unwrap();
    let cause = truth
        .lines()
        .find(|line| line.starts_with("cause = "))
        .unwrap();
    let places = cause.split('"').filter(|part| part.starts_with("run/"));
    let line = |place: &str| {
        let (file, number) = place.rsplit_once(':').unwrap();
        let text = fs::read_to_string(scenario.join(file)).unwrap();
        let number: usize = number.parse().unwrap();
        text.lines().nth(number - 1).unwrap().to_owned()
    };
    places.map(line).collect()
}

#[test]
fn the_first_finding_begins_with_a_record_of_the_cause() {
    for name in [
        "lock-held",
        "locks-in-two-orders",
        "ring-of-ranks",
        "topic-misspelt",
        "queue-without-reader",
        "two-indexers",
        "killed-by-watchdog",
        "vote-missing",
        "tile-never-rendered",
        "request-timeout",
        "sample-left-out",
        "token-not-given-back",
    ] {
        let scenario = labelled().join(format!("synthetic-{name}"));
        let findings = printed("diagnose", &[], &scenario.join("run"));
        let message = findings[0]["evidence"][0]["message"].as_str().unwrap();
        let message = message.lines().next().unwrap();
        let is_cause = cause_lines(&scenario)
            .iter()
            .any(|line| line.contains(message));
        assert!(is_cause, "{name}: {}", findings[0]["title"]);
    }
}
