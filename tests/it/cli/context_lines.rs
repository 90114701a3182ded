//! Context lines of `events`.

use super::*;

const WANTED: [&str; 2] = ["--where", "message ~ \"^Sent tasks\""];

fn events(args: &[&str]) -> Vec<Map<String, Json>> {
    let run = hung();
    objects(&ok(&[&["events", &run, "--format", "jsonl"], args].concat()))
}

/// Expected events, by index among all events.
fn expected(all: &[Map<String, Json>], before: usize, after: usize) -> Vec<Map<String, Json>> {
    let is_wanted =
        |e: &Map<String, Json>| e["message"].as_str().unwrap().starts_with("Sent tasks");
    let wanted: Vec<usize> = (0..all.len()).filter(|at| is_wanted(&all[*at])).collect();
    let mut shown = Vec::new();
    for (at, event) in all.iter().enumerate() {
        let mut event = event.clone();
        match wanted.contains(&at) {
            true => shown.push(event),
            false if wanted.iter().any(|w| at + before >= *w && at <= w + after) => {
                event.insert("_context".into(), true.into());
                shown.push(event);
            }
            false => {}
        }
    }
    shown
}

#[test]
fn context_lines_are_in_the_time_order_of_all_sources() {
    let all = events(&[]);
    for (args, before, after) in [
        (&["-C", "2"][..], 2, 2),
        (&["-A", "3"], 0, 3),
        (&["-B", "1"], 1, 0),
        (&["-C", "1", "-A", "4"], 1, 4),
        (&["-C", "0"], 0, 0),
    ] {
        let shown = events(&[&WANTED[..], args].concat());
        assert_eq!(shown, expected(&all, before, after), "{args:?}");
    }
    let mut backwards = all;
    backwards.reverse();
    let shown = events(&[&WANTED[..], &["--reverse", "-A", "2"]].concat());
    assert_eq!(shown, expected(&backwards, 0, 2));
}

#[test]
fn text_marks_context_lines_and_gaps() {
    let run = hung();
    let shown = ok(&[&["events", &run, "-C", "1"][..], &WANTED].concat());
    let heads = shown.lines().filter(|l| l.starts_with("2026"));
    let mark = |line: &str| line.as_bytes()[26] as char;
    let (chosen, near): (Vec<&str>, Vec<&str>) = heads.partition(|line| mark(line) == ':');
    assert!(chosen.iter().all(|line| line.contains("Sent tasks")));
    assert!(!near.is_empty() && near.iter().all(|line| mark(line) == '-'));
    assert!(shown.lines().any(|line| line == "--"));
    assert!(!shown.starts_with("--") && !shown.trim_end().ends_with("\n--"));
    // What is asked for without neighbours looks as ever.
    let plain = ok(&[&["events", &run][..], &WANTED].concat());
    assert!(plain.lines().all(|line| mark(line) == ' '));
}

#[test]
fn csv_and_json_mark_context_lines() {
    let run = hung();
    let table = ok(&[&["events", &run, "-B", "1", "--format", "csv"][..], &WANTED].concat());
    assert!(table.lines().next().unwrap().ends_with(",_context"));
    assert!(table.lines().any(|line| line.ends_with(",true")));
    let lines = ok(&[
        &["events", &run, "-B", "1", "--format", "jsonl"][..],
        &WANTED,
    ]
    .concat());
    let back = text(&feed(&["events", "-", "--format", "jsonl"], &lines).stdout);
    assert_eq!(back.lines().count(), lines.lines().count());
    assert!(!back.contains("_context"));
    fails(2, &["events", &run, "-f", "-C", "1"]);
}

#[test]
fn context_lines_may_be_of_the_same_source() {
    let all = events(&[]);
    let shown = events(&[&WANTED[..], &["-C", "2", "--same-source"]].concat());
    let sources: std::collections::BTreeSet<String> = all
        .iter()
        .map(|e| e["source"].as_str().unwrap().to_owned())
        .collect();
    let mut met = 0;
    for source in sources {
        let of = |events: &[Map<String, Json>]| -> Vec<Map<String, Json>> {
            let own = events.iter().filter(|e| e["source"] == *source);
            own.cloned().collect()
        };
        let wanted = expected(&of(&all), 2, 2);
        assert_eq!(of(&shown), wanted, "{source}");
        met += usize::from(!wanted.is_empty());
    }
    assert!(met > 0);
    fails(2, &["events", &hung(), "--same-source"]);
}
