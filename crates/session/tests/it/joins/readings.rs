//! Derived keys, against a naive implementation: variable parts of messages, parts of values, constants.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use proptest::prelude::*;
use widetui_core::cancel::{Cancel, Progress};
use widetui_format::pattern::Pattern;
use widetui_ingest::load::load_all;
use widetui_ingest::options::OpenOptions;
use widetui_join::{ExtractionRule, Join, JoinRule, Receivers, preview_extraction};
use widetui_query::{Expr, Field, Op, TimeContext, parse};
use widetui_report::event::full_event;
use widetui_session::meaning::with_joined_values;
use widetui_store::texts::TextReader;
use widetui_store::{Snapshot, Value};

/// A run with the folder of its files.
struct Run {
    _dir: tempfile::TempDir,
    snapshot: Arc<Snapshot>,
}

impl Run {
    fn of(files: &[(&str, String)]) -> Run {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        let options = OpenOptions {
            paths: vec![dir.path().to_path_buf()],
            threads: Some(2),
            ..OpenOptions::default()
        };
        let (snapshot, _) = load_all(&options, &Cancel::default(), Progress::default()).unwrap();
        Run {
            _dir: dir,
            snapshot,
        }
    }

    /// The snapshot with joined values.
    fn with(&self, joins: &[Join]) -> Arc<Snapshot> {
        let (snapshot, _) = with_joined_values(&self.snapshot, joins, &Cancel::default()).unwrap();
        snapshot
    }
}

/// Values of a key by message of the record; empty without the key.
fn values(snapshot: &Snapshot, key: &str) -> BTreeMap<String, Vec<String>> {
    let mut texts = TextReader::default();
    let events = (0..snapshot.len()).map(|place| snapshot.at(place).unwrap());
    events
        .map(|event| {
            let stored = event.stored().into_iter();
            let mut own = stored.filter(|(k, ..)| snapshot.catalog.keys.name(*k) == key);
            let values = match own.next() {
                Some((_, Value::One(one), _)) => vec![one],
                Some((_, Value::Many(many), _)) => many,
                None => Vec::new(),
            };
            (full_event(&event, &mut texts).message, values)
        })
        .collect()
}

fn reading(of: Option<&str>, only: Option<Expr>, patterns: &[&str]) -> Join {
    let patterns = patterns.iter().map(|p| Pattern::compile(p).unwrap());
    let rule = ExtractionRule::new(of.map(str::to_owned), only, patterns.collect(), Vec::new());
    Join {
        name: format!("reading {of:?}"),
        system: None,
        receivers: Receivers::All,
        rule: JoinRule::Extraction(rule.unwrap()),
    }
}

fn condition(text: &str) -> Expr {
    parse(text, None, &TimeContext::default()).unwrap()
}

fn rule(join: &Join) -> &ExtractionRule {
    match &join.rule {
        JoinRule::Extraction(rule) => rule,
        other => panic!("{other:?}"),
    }
}

/// Lines of JSON, each with a distinct message.
fn json(events: &[Vec<(&str, serde_json::Value)>]) -> String {
    let mut text = String::new();
    for (at, event) in events.iter().enumerate() {
        let mut object = serde_json::Map::new();
        object.insert(
            "time".into(),
            format!("2026-01-01T00:00:{:02}.{:06}Z", at / 1000, at % 1000).into(),
        );
        object.insert("message".into(), format!("event {at}").into());
        object.extend(event.iter().map(|(k, v)| ((*k).to_owned(), v.clone())));
        writeln!(text, "{}", serde_json::Value::Object(object)).unwrap();
    }
    text
}

#[test]
fn what_varies_in_a_message_gets_names() {
    let mut text = String::new();
    for job in 0..40 {
        let second = job % 60;
        writeln!(
            text,
            "2026-01-01 00:00:{second:02} INFO job {job} started on node{:03} (queue {{long}})",
            job % 5
        )
        .unwrap();
        writeln!(text, "2026-01-01 00:00:{second:02} INFO job {job} done").unwrap();
    }
    let run = Run::of(&[("a.log", text)]);
    let templates = &run.snapshot.catalog.templates;
    let template = templates
        .iter()
        .find(|t| t.text.contains("started"))
        .unwrap();
    let only = Expr::equals(Field::Template, &*template.text);
    let join = reading(
        None,
        Some(only),
        &["job {our.job:int} started on node{our.node:int} (queue {{{our.queue}}})"],
    );
    let tried = preview_extraction(&run.snapshot, rule(&join), &Cancel::default()).unwrap();
    assert_eq!((tried.events, tried.candidates), (40, 40));
    let counts: Vec<(&str, usize)> = tried
        .keys
        .iter()
        .map(|(k, n, _)| (k.as_str(), *n))
        .collect();
    assert_eq!(counts, [("our.job", 40), ("our.node", 5), ("our.queue", 1)]);
    // A preview leaves nothing behind.
    assert!(run.snapshot.tables.keys.find("our.job").is_none());
    let snapshot = run.with(&[join]);
    for (message, values) in values(&snapshot, "our.node") {
        // In its original spelling.
        let node = message.split(" on node").nth(1).and_then(|n| n.get(..3));
        let node: Vec<&str> = node.into_iter().collect();
        assert_eq!(values, node, "{message}");
    }
    // Derived keys can be queried like any other.
    let found = widetui_query::select(
        &snapshot,
        &Expr::compare(Field::named("our.job"), Op::Ge, "38"),
        &Cancel::default(),
    );
    assert_eq!(found.unwrap().len(), 2);
}

#[test]
fn constants_are_given_to_the_records_that_fit() {
    let events: Vec<_> = (0..50).map(|n| vec![("n", serde_json::json!(n))]).collect();
    let run = Run::of(&[("a.jsonl", json(&events))]);
    let consts = vec![("our.phase".to_owned(), "warm up".to_owned())];
    let rule = ExtractionRule::new(None, Some(condition("n < 7")), Vec::new(), consts).unwrap();
    let join = Join {
        name: "phase".to_owned(),
        system: None,
        receivers: Receivers::All,
        rule: JoinRule::Extraction(rule),
    };
    let snapshot = run.with(&[join]);
    let with: BTreeSet<String> = values(&snapshot, "our.phase")
        .into_iter()
        .filter(|(_, v)| *v == ["warm up"])
        .map(|(m, _)| m)
        .collect();
    assert_eq!(with, (0..7).map(|n| format!("event {n}")).collect());
}

#[test]
fn what_a_record_says_itself_stays() {
    let events = vec![
        vec![("t.a", "x-1".into())],
        vec![("t.a", "x-2".into()), ("t.part", "mine".into())],
    ];
    let run = Run::of(&[("a.jsonl", json(&events))]);
    let snapshot = run.with(&[reading(Some("t.a"), None, &["{t.part}-{}"])]);
    let found = values(&snapshot, "t.part");
    assert_eq!(found["event 0"], ["x"]);
    assert_eq!(found["event 1"], ["mine"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Each value of a key is parsed by itself, wherever the key comes from: the record, a list, another record by a
    /// join. Parsed values are in turn joined.
    #[test]
    fn values_are_taken_apart_wherever_they_came_from(
        events in prop::collection::vec((prop::collection::vec(("[ab]{1,2}", 0u32..4), 0..3), 0u32..6), 1..40),
        cut in 0usize..40,
    ) {
        let event = |(list, group): &(Vec<(String, u32)>, u32)| {
            let names: Vec<String> = list.iter().map(|(a, n)| format!("{a}-{n}")).collect();
            let mut out = vec![("t.group", serde_json::json!(format!("g{group}")))];
            match &names[..] {
                [] => {}
                [one] => out.push(("t.name", serde_json::json!(one))),
                many => out.push(("t.name", serde_json::json!(many))),
            }
            out
        };
        let all: Vec<_> = events.iter().map(event).collect();
        let text = json(&all);
        let lines: Vec<&str> = text.lines().collect();
        let cut = cut.min(lines.len());
        let files = [("a.jsonl", lines[..cut].join("\n")), ("b.jsonl", lines[cut..].join("\n"))];
        let run = Run::of(&files.map(|(name, text)| (name, if text.is_empty() { text } else { text + "\n" })));
        let by_group = Join::keys("group", &["t.group"], &["t.name"]);
        let joins = [reading(Some("t.name"), None, &["{t.word}-{t.number:int}"]), by_group, Join::keys("size", &["t.word"], &["t.size"])];
        let snapshot = run.with(&joins);
        let (names, words, numbers) = (values(&snapshot, "t.name"), values(&snapshot, "t.word"), values(&snapshot, "t.number"));
        for (message, names) in names {
            let part = |at: usize| -> Vec<String> {
                let parts = names.iter().map(|n| n.split('-').nth(at).unwrap_or_default().to_owned());
                parts.collect()
            };
            prop_assert_eq!(&words[&message], &part(0), "{}", message);
            prop_assert_eq!(&numbers[&message], &part(1), "{}", message);
        }
    }
}
