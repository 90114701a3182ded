//! Log framing of container runtimes: every framing gives the records of the bare log.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;
use widetui_store::Snapshot;

use super::{problems, runs};
use widetui_testing::packing::gz;
use widetui_testing::runs::{Record, assert_same_records, load, records};

/// An opened log with its folder.
struct Opened {
    snapshot: Arc<Snapshot>,
    _folder: TempDir,
}

/// Opens a log in a folder of its own, so that its path is the same in each.
fn opened(name: &str, text: &[u8]) -> Opened {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("run");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join(name), text).unwrap();
    Opened {
        snapshot: load(&folder, 2),
        _folder: dir,
    }
}

fn bare() -> String {
    let dir = runs::directory("hung");
    let all = runs::files(dir.path());
    let log = all.iter().find(|f| f.ends_with("parsl.log")).unwrap();
    fs::read_to_string(log).unwrap()
}

fn each(text: &str, around: impl Fn(usize, &str) -> String) -> String {
    let packed = text.lines().enumerate().map(|(i, l)| around(i, l) + "\n");
    packed.collect()
}

fn object(line: &str, stream: &str) -> String {
    let log = serde_json::to_string(&line).unwrap();
    format!(r#"{{"log":{log},"stream":"{stream}","time":"2026-11-21T02:16:10.000000001Z"}}"#)
}

/// Keys of the log framing, which bare logs do not have.
const FRAMING_KEYS: [&str; 3] = ["stream", "pod", "container"];

/// Records without the keys of the framing.
fn inner(opened: &Opened) -> Vec<Record> {
    let mut all = records(&opened.snapshot);
    for record in &mut all {
        record.keys.retain(|key| !FRAMING_KEYS.contains(&&*key.0));
    }
    all
}

/// Values of the log framing for the first record.
fn first_values(opened: &Opened) -> Vec<(String, String)> {
    let first = records(&opened.snapshot).swap_remove(0);
    let said = first
        .keys
        .into_iter()
        .filter(|k| FRAMING_KEYS.contains(&&*k.0));
    said.map(|(k, v)| (k.to_string(), v.to_string())).collect()
}

#[test]
fn enveloped_logs_have_the_records_of_bare_ones() {
    let bare = bare();
    let expected = inner(&opened("parsl.log", bare.as_bytes()));
    assert!(expected.len() > 100);
    let forms = [
        (
            "object",
            each(&bare, |_, l| object(&format!("{l}\n"), "stderr")),
        ),
        (
            "streamed",
            each(&bare, |i, l| {
                format!("2026-11-21T02:16:10.{i:09}Z stderr F {l}")
            }),
        ),
        (
            "stamped",
            each(&bare, |i, l| format!("2026-11-21T02:16:10.{i:09}Z {l}")),
        ),
        (
            "bracketed",
            each(&bare, |_, l| format!("[pod/submit-7f/parsl] {l}")),
        ),
        ("barred", each(&bare, |_, l| format!("submit-1  | {l}"))),
        (
            "coloured",
            each(&bare, |_, l| format!("\u{1b}[32m{l}\u{1b}[0m")),
        ),
    ];
    for (name, text) in &forms {
        for (file, bytes) in [
            ("parsl.log", text.clone().into_bytes()),
            ("parsl.log.gz", gz(text.as_bytes())),
        ] {
            let found = opened(file, &bytes);
            let [source] = &found.snapshot.sources[..] else {
                panic!("{name}: one source is one source");
            };
            assert_eq!(problems(source), "", "{name}");
            assert_same_records(name, &expected, &inner(&found));
        }
    }
    let of_form = |form: usize| first_values(&opened("parsl.log", forms[form].1.as_bytes()));
    let expected = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        let pairs = pairs.iter();
        pairs
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect()
    };
    assert_eq!(of_form(0), expected(&[("stream", "stderr")]));
    assert_eq!(of_form(2), expected(&[]));
    assert_eq!(
        of_form(3),
        expected(&[("container", "parsl"), ("pod", "submit-7f")])
    );
    assert_eq!(of_form(4), expected(&[("container", "submit-1")]));
}

#[test]
fn halves_of_a_line_are_one_line() {
    let line = "2026-11-21 02:16:10,123 - app - INFO - a long line";
    let whole = format!("{line}\n{line}\n");
    let halves = |l: &str| {
        let (a, b) = l.split_at(30);
        let time = "2026-11-21T02:16:10.000000001Z";
        format!("{time} stdout P {a}\n{time} stdout F {b}\n")
    };
    let text: String = whole.lines().map(halves).collect();
    let expected = inner(&opened("a.log", whole.as_bytes()));
    assert_same_records(
        "halves",
        &expected,
        &inner(&opened("a.log", text.as_bytes())),
    );
    let halves = |l: &str| {
        let (a, b) = l.split_at(30);
        format!(
            "{}\n{}\n",
            object(a, "stdout"),
            object(&format!("{b}\n"), "stdout")
        )
    };
    let text: String = whole.lines().map(halves).collect();
    assert_same_records(
        "halves",
        &expected,
        &inner(&opened("a.log", text.as_bytes())),
    );
}

/// Interleaved records of two programs are separated, however many lines they have.
#[test]
fn each_who_writes_has_a_source() {
    let lines = |who: &str| -> Vec<String> {
        let of = |i: usize| match i % 3 {
            0 => format!("2026-11-21 02:16:{:02},123 - {who} - ERROR - failed", i),
            _ => format!("  trace of {who} {i}"),
        };
        (0..30).map(of).collect()
    };
    let (a, b) = (lines("a"), lines("b"));
    let mixed: String = a
        .iter()
        .zip(&b)
        .map(|(a, b)| format!("first-1   | {a}\nsecond-1  | {b}\n"))
        .collect();
    let found = opened("compose.log", mixed.as_bytes());
    let logs: Vec<_> = found.snapshot.sources.iter().filter(|s| s.is_log).collect();
    assert_eq!(logs.len(), 2);
    for (source, lines, name) in [(logs[0], &a, "first-1"), (logs[1], &b, "second-1")] {
        assert!(Path::new(&source.path).ends_with(format!("compose.log/{name}")));
        assert_eq!(source.stats.records(), 10);
        let text = widetui_source::text::read_range(&*source.text, 0, 1 << 20).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), lines.join("\n") + "\n");
    }
}

/// A log without times of its own is not unframed, as its times would be lost.
#[test]
fn what_has_no_times_of_its_own_keeps_those_of_the_envelope() {
    let text = each(&"something happened\n".repeat(20), |i, l| {
        format!("2026-11-21T02:16:10.{i:09}Z {l}")
    });
    let found = opened("a.log", text.as_bytes());
    assert_eq!(found.snapshot.sources[0].stats.records(), 20);
    assert!(inner(&found).iter().all(|r| r.time.is_some()));
}
