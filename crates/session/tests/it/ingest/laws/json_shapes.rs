//! JSON records with more combinations of fields than the shape limit of a run have the keys of their text.

use super::columns::disagreements;
use widetui_testing::runs;

/// The n-th element of a fixed pseudo-random sequence.
fn chance(n: u64) -> u64 {
    let mixed = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 16
}

/// Loads lines, and compares each record's columns with its text; returns the problems of the source.
fn checked(lines: &str) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("app.jsonl"), lines).unwrap();
    let snapshot = runs::load(dir.path(), 2);
    assert_eq!(snapshot.len(), lines.lines().count());
    assert_eq!(disagreements(&snapshot), [""; 0]);
    let source = snapshot.sources.iter().find(|s| s.is_log).unwrap();
    source.problems.iter().map(|p| p.text.to_string()).collect()
}

#[test]
fn optional_fields_in_all_combinations_keep_their_keys() {
    let mut lines = String::new();
    for n in 0..6_000_u64 {
        let second = n % 60;
        lines +=
            &format!("{{\"time\": \"2026-01-01T00:00:{second:02}Z\", \"message\": \"step {n}\"");
        for field in 0..14 {
            if chance(n) >> field & 1 == 1 {
                lines += &format!(", \"f{field}\": \"v{}\"", chance(n + field) % 100);
            }
        }
        lines += "}\n";
    }
    assert_eq!(checked(&lines), [""; 0]);
}

#[test]
fn names_without_end_keep_their_keys_while_there_is_room() {
    let line = |n: usize| {
        format!(
            "{{\"time\": \"2026-01-01T00:00:00Z\", \"message\": \"m\", \"k{n}\": \"v{n}\", \"n\": {n}}}\n"
        )
    };
    let lines: String = (0..4_000).map(line).collect();
    assert_eq!(checked(&lines), [""; 0]);
}

#[test]
fn names_with_nul_bytes_are_names() {
    let line = |rest: &str| {
        format!("{{\"time\": \"2026-01-01T00:00:00Z\", \"message\": \"m\", {rest}}}\n")
    };
    let two = line("\"a\": \"A\", \"b\": \"B\"");
    let one = line("\"a\0b\": \"AB\"");
    let lines = [&two, &one, &two, &one].map(String::as_str).concat();
    checked(&lines);
}

#[test]
fn more_fields_than_there_is_room_for_are_reported() {
    let fields: Vec<String> = (0..2_100).map(|n| format!("\"f{n}\": {n}")).collect();
    let line = format!(
        "{{\"time\": \"2026-01-01T00:00:00Z\", {}}}\n",
        fields.join(", ")
    );
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("app.jsonl"), line.repeat(3)).unwrap();
    let snapshot = runs::load(dir.path(), 1);
    let source = snapshot.sources.iter().find(|s| s.is_log).unwrap();
    let reported: Vec<(Option<u64>, String)> = source
        .problems
        .iter()
        .map(|p| (p.lines, p.text.to_string()))
        .collect();
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert_eq!(reported[0].0, Some(3));
    assert!(
        reported[0].1.contains("more fields than there is room for"),
        "{reported:?}"
    );
}

/// Records whose messages have continuation lines with keys, between others of the same fields.
#[test]
fn lines_below_the_first_one_of_a_message_are_read() {
    let line = |n: usize| {
        let message = match n % 4 {
            0 => format!(r#"Compute Failed\nKey:       inc-{n}\nException: \"ValueError('x')\"\n"#),
            1 => "Compute Failed".to_owned(),
            _ => format!("Starting Worker plugin shuffle {n}"),
        };
        let time = format!("2026-11-22 04:22:59,{n:03}");
        let who = r#""levelname": "INFO", "name": "distributed.worker""#;
        format!(r#"{{"asctime": "{time}", {who}, "message": "{message}"}}"#) + "\n"
    };
    let lines: String = (0..200).map(line).collect();
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("worker-1.log"), lines).unwrap();
    let snapshot = runs::load(dir.path(), 2);
    assert_eq!(disagreements(&snapshot), [""; 0]);
    let read = runs::records(&snapshot);
    let failed = read
        .iter()
        .filter(|r| r.keys.iter().any(|k| k.0 == "dask.key"));
    assert_eq!(failed.count(), 50);
}
