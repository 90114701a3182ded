//! Properties of joins, against a naive implementation of their definition: keys imply keys, to a fixpoint; several
//! values are a conflict that derives nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use widetui_core::cancel::{Cancel, Progress};
use widetui_definition::semantics::Among;
use widetui_ingest::load::load_all;
use widetui_ingest::options::OpenOptions;
use widetui_join::spec::{BracketRule, FirstRecordRule, JoinRule, KeyRule};
use widetui_join::suggest::suggest;
use widetui_join::{Join, Omission, apply_joins, omission_messages};
use widetui_query::{Expr, TimeContext, parse};
use widetui_store::{Snapshot, Value, ValueOrigin};

/// Values of a record by key; derived lists have `None` for unknown elements.
type Event = BTreeMap<String, Vec<String>>;

const KEYS: [&str; 5] = ["t.a", "t.b", "t.c", "t.d", "t.e"];

/// A run with the folder of its files.
type Run = (tempfile::TempDir, Arc<Snapshot>);

fn load(files: &[Vec<Event>]) -> Run {
    let dir = tempfile::tempdir().unwrap();
    for (number, events) in files.iter().enumerate() {
        let mut text = String::new();
        for (line, event) in events.iter().enumerate() {
            let mut object = serde_json::Map::new();
            // All are distinct, so that none is a duplicate.
            let time = format!(
                "2026-01-01T00:00:{:02}.{:03}{number:03}Z",
                line / 1000,
                line % 1000
            );
            object.insert("time".into(), time.into());
            object.insert("message".into(), format!("event {number} {line}").into());
            for (key, values) in event {
                let value = match &values[..] {
                    [one] => one.clone().into(),
                    many => many.to_vec().into(),
                };
                object.insert(key.clone(), value);
            }
            text.push_str(&serde_json::Value::Object(object).to_string());
            text.push('\n');
        }
        std::fs::write(dir.path().join(format!("{number}.jsonl")), text).unwrap();
    }
    let options = OpenOptions {
        paths: vec![dir.path().to_path_buf()],
        threads: Some(2),
        ..OpenOptions::default()
    };
    let (snapshot, _) = load_all(&options, &Cancel::default(), Progress::default()).unwrap();
    (dir, snapshot)
}

/// Own and derived values of each record, by its message.
fn widened((_, snapshot): &Run, joins: &[Join]) -> BTreeMap<String, Event> {
    let widened = apply_joins(snapshot, joins, &Cancel::default()).unwrap();
    let snapshot = Snapshot {
        derived: widened.derived,
        ..(**snapshot).clone()
    };
    let mut texts = widetui_store::texts::TextReader::default();
    let mut out = BTreeMap::new();
    for place in 0..snapshot.len() {
        let event = snapshot.at(place).unwrap();
        let message = widetui_report::event::full_event(&event, &mut texts).message;
        let mut keys = Event::new();
        for (key, value, origin) in event.stored() {
            let name = snapshot.catalog.keys.name(key).to_owned();
            if !KEYS.contains(&name.as_str()) {
                continue;
            }
            let values = match value {
                Value::One(one) => vec![one],
                Value::Many(many) => many,
            };
            assert!(matches!(origin, ValueOrigin::Record | ValueOrigin::Join(_)));
            keys.insert(name, values);
        }
        out.insert(message, keys);
    }
    out
}

/// Cell: own values, or sets of derived values for each position of the aligned list.
#[derive(Clone, Debug, PartialEq)]
struct Naive {
    own: Event,
    derived: BTreeMap<String, Vec<BTreeSet<String>>>,
}

impl Naive {
    /// Value of a key at a position of the record's list.
    fn at(&self, key: &str, place: usize) -> Option<String> {
        if let Some(own) = self.own.get(key) {
            return match &own[..] {
                [one] => Some(one.clone()),
                many => many.get(place).cloned(),
            };
        }
        let sets = self.derived.get(key)?;
        let set = if sets.len() == 1 {
            &sets[0]
        } else {
            sets.get(place)?
        };
        (set.len() == 1).then(|| set.iter().next().unwrap().clone())
    }

    /// The single value of a key for which the record is evidence.
    fn single(&self, key: &str, places: usize) -> Option<String> {
        let all: Option<BTreeSet<String>> = (0..places).map(|p| self.at(key, p)).collect();
        let all = all?;
        (all.len() == 1).then(|| all.into_iter().next().unwrap())
    }
}

type Blocked = BTreeSet<(usize, Vec<String>, String)>;

/// The fixpoint by its definition, one record at a time.
fn naive(events: &[Event], joins: &[(Vec<&str>, Vec<&str>)]) -> Vec<Naive> {
    let mut blocked = Blocked::new();
    let mut lost: BTreeSet<(usize, String)> = BTreeSet::new();
    'again: loop {
        let bare = |own: &Event| Naive {
            own: own.clone(),
            derived: BTreeMap::new(),
        };
        let mut state: Vec<Naive> = events.iter().map(bare).collect();
        let places = |e: &Event| e.values().map(Vec::len).max().unwrap_or(1).max(1);
        let listed =
            |e: &Event, by: &[&str]| by.iter().any(|k| e.get(*k).is_some_and(|v| v.len() > 1));
        loop {
            let mut groups: BTreeMap<(usize, Vec<String>, String), BTreeSet<String>> =
                BTreeMap::new();
            for (event, own) in state.iter().zip(events) {
                for (number, (by, gives)) in joins.iter().enumerate() {
                    for place in 0..places(own) {
                        let tuple: Option<Vec<String>> =
                            by.iter().map(|k| event.at(k, place)).collect();
                        let Some(tuple) = tuple else { continue };
                        for key in gives {
                            if let Some(value) = event.single(key, places(own)) {
                                let cell = (number, tuple.clone(), (*key).to_owned());
                                groups.entry(cell).or_default().insert(value);
                            }
                        }
                    }
                }
            }
            let conflicts: Blocked = groups
                .iter()
                .filter(|(_, v)| v.len() > 1)
                .map(|(k, _)| k.clone())
                .collect();
            if !conflicts.is_subset(&blocked) {
                blocked.extend(conflicts);
                continue 'again;
            }
            let mut next = state.clone();
            let mut disagreed = BTreeSet::new();
            for (at, own) in events.iter().enumerate() {
                for (number, (by, gives)) in joins.iter().enumerate() {
                    for place in 0..places(own) {
                        let tuple: Option<Vec<String>> =
                            by.iter().map(|k| state[at].at(k, place)).collect();
                        let Some(tuple) = tuple else { continue };
                        for key in gives.iter().filter(|k| !own.contains_key(**k)) {
                            let cell = (number, tuple.clone(), (*key).to_owned());
                            let known = groups.get(&cell).filter(|v| v.len() == 1);
                            let value = known.and_then(|v| v.iter().next()).cloned();
                            let Some(value) = value.filter(|_| !blocked.contains(&cell)) else {
                                continue;
                            };
                            if lost.contains(&(at, (*key).to_owned())) {
                                continue;
                            }
                            let wide = places(own) > 1
                                && (listed(own, by)
                                    || next[at].derived.get(*key).is_some_and(|s| s.len() > 1));
                            let sets = next[at].derived.entry((*key).to_owned()).or_default();
                            if sets.is_empty() {
                                sets.resize(if wide { places(own) } else { 1 }, BTreeSet::new());
                            }
                            let slot = if sets.len() == 1 { 0 } else { place };
                            sets[slot].insert(value);
                            if sets[slot].len() > 1 {
                                disagreed.insert((at, (*key).to_owned()));
                            }
                        }
                    }
                }
            }
            if !disagreed.is_empty() {
                lost.extend(disagreed);
                continue 'again;
            }
            if next == state {
                return state;
            }
            state = next;
        }
    }
}

fn final_events(naive: &[Naive]) -> Vec<Event> {
    naive
        .iter()
        .map(|n| {
            let mut all = n.own.clone();
            for (key, sets) in &n.derived {
                let values: Vec<String> = sets.iter().flat_map(|s| s.iter().cloned()).collect();
                if !values.is_empty() {
                    all.insert(key.clone(), values);
                }
            }
            all
        })
        .collect()
}

fn event(lists: bool) -> impl Strategy<Value = Event> {
    let longest = if lists { 3usize } else { 2 };
    let value = (0u8..3).prop_map(|n| format!("v{n}"));
    let cells = prop::collection::btree_map(prop::sample::select(KEYS.to_vec()), value, 0..4);
    let list = prop::collection::vec((0u8..3).prop_map(|n| format!("v{n}")), 2..longest.max(3));
    (cells, prop::option::of(list)).prop_map(move |(cells, list)| {
        let mut event: Event = cells
            .into_iter()
            .map(|(k, v)| (k.to_owned(), vec![v]))
            .collect();
        if let Some(list) = list.filter(|_| lists) {
            event.insert("t.a".to_owned(), list);
        }
        event
    })
}

fn joins() -> impl Strategy<Value = Vec<(Vec<&'static str>, Vec<&'static str>)>> {
    let left = prop::sample::subsequence(KEYS.to_vec(), 1..3);
    let right = prop::sample::subsequence(KEYS.to_vec(), 1..3);
    let join = (left, right).prop_filter_map("keys on one side only", |(by, gives)| {
        let gives: Vec<&str> = gives.into_iter().filter(|k| !by.contains(k)).collect();
        (!gives.is_empty()).then_some((by, gives))
    });
    prop::collection::vec(join, 1..4)
}

fn made(joins: &[(Vec<&'static str>, Vec<&'static str>)]) -> Vec<Join> {
    let numbered = joins.iter().enumerate();
    numbered
        .map(|(at, (by, gives))| Join::keys(&format!("j{at}"), by, gives))
        .collect()
}

fn by_message(events: &[Event]) -> BTreeMap<String, Event> {
    let named = events.iter().enumerate();
    named
        .map(|(at, e)| (format!("event 0 {at}"), e.clone()))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// Columns agree with the definition for each record.
    #[test]
    fn joins_are_the_naive_fixpoint(events in prop::collection::vec(event(false), 1..14), joins in joins()) {
        let snapshot = load(std::slice::from_ref(&events));
        let got = widened(&snapshot, &made(&joins));
        let want = by_message(&final_events(&naive(&events, &joins)));
        prop_assert_eq!(got, want);
    }

    /// Records with lists belong to several groups; derived values are aligned with the list.
    #[test]
    fn lists_belong_to_each_of_their_groups(events in prop::collection::vec(event(true), 1..10), join in joins()) {
        let snapshot = load(std::slice::from_ref(&events));
        let joins = &join[..1];
        let got = widened(&snapshot, &made(joins));
        let want = by_message(&final_events(&naive(&events, joins)));
        prop_assert_eq!(got, want);
    }

    /// The order of joins, files and records does not matter.
    #[test]
    fn no_order_matters(events in prop::collection::vec(event(true), 2..14), joins in joins(), cut in 1usize..13) {
        let all = load(std::slice::from_ref(&events));
        let made_joins = made(&joins);
        let first = widened(&all, &made_joins);
        let mut turned = made_joins.clone();
        turned.reverse();
        prop_assert_eq!(&first, &widened(&all, &turned));
        // The same records in another order, in two files.
        let cut = cut.min(events.len());
        let mut back: Vec<Event> = events.clone();
        back.reverse();
        let (one, two) = back.split_at(cut);
        let other = widened(&load(&[one.to_vec(), two.to_vec()]), &made_joins);
        let sorted = |events: &BTreeMap<String, Event>| {
            let mut all: Vec<Event> = events.values().cloned().collect();
            all.sort();
            all
        };
        prop_assert_eq!(sorted(&first), sorted(&other));
    }

    /// Own values do not change, and further records can only remove a value that a join derives from those of records. One
    /// that follows from a derived value may change, if a record states another one and that value is removed.
    #[test]
    fn more_events_take_back_but_never_change(events in prop::collection::vec(event(false), 1..10), more in prop::collection::vec(event(false), 1..5), joins in joins()) {
        let joins = made(&joins[..1]);
        let few = widened(&load(std::slice::from_ref(&events)), &joins);
        let both: Vec<Event> = events.iter().chain(&more).cloned().collect();
        let many = widened(&load(&[both]), &joins);
        for (at, own) in events.iter().enumerate() {
            let name = format!("event 0 {at}");
            for (key, values) in &few[&name] {
                let later = many[&name].get(key);
                if own.contains_key(key) {
                    prop_assert_eq!(Some(values), later);
                } else if let Some(later) = later {
                    prop_assert_eq!(values, later);
                }
            }
        }
    }
}

fn of(pairs: &[(&str, &str)]) -> Event {
    pairs
        .iter()
        .map(|(k, v)| ((*k).to_owned(), vec![(*v).to_owned()]))
        .collect()
}

fn condition(text: &str) -> Expr {
    parse(text, None, &TimeContext::default()).unwrap()
}

/// The final value of a key for each record, in the order of one file; `-` for none.
fn column(got: &BTreeMap<String, Event>, file: usize, key: &str) -> Vec<String> {
    let of = |line: usize| got.get(&format!("event {file} {line}"));
    let value = |event: &Event| event.get(key).map_or("-".to_owned(), |v| v.concat());
    (0..).map_while(of).map(value).collect()
}

/// A reused address means another worker after each opening record, and none between a closing record and the next
/// opening one.
#[test]
fn a_key_that_is_used_again_means_one_instance_in_each_life() {
    let events = vec![
        of(&[("t.b", "addr")]),
        of(&[("t.b", "addr"), ("t.e", "on")]),
        of(&[("t.b", "addr"), ("t.a", "one")]),
        of(&[("t.b", "addr")]),
        of(&[("t.b", "addr"), ("t.e", "off")]),
        of(&[("t.b", "addr")]),
        of(&[("t.b", "other"), ("t.e", "on"), ("t.a", "four")]),
        of(&[("t.b", "addr"), ("t.e", "on")]),
        of(&[("t.b", "addr"), ("t.a", "two")]),
        of(&[("t.b", "addr"), ("t.e", "on"), ("t.a", "three")]),
        of(&[("t.b", "addr")]),
    ];
    let run = load(&[events]);
    let join = |close: Option<&str>| Join {
        rule: JoinRule::Keys(KeyRule {
            left_keys: vec!["t.b".to_owned()],
            right_keys: vec!["t.a".to_owned()],
            lifetime: Some((condition("t.e = on"), close.map(condition))),
            ..KeyRule::default()
        }),
        ..Join::keys("life", &["t.b"], &["t.a"])
    };
    let got = widened(&run, &[join(Some("t.e = off"))]);
    assert_eq!(
        column(&got, 0, "t.a"),
        [
            "-", "one", "one", "one", "one", "-", "four", "two", "two", "three", "three"
        ]
    );
    // Without a closing record the next opening one closes.
    let got = widened(&run, &[join(None)]);
    assert_eq!(column(&got, 0, "t.a")[3..6], ["one", "one", "one"]);
    // Without lifetimes it is a conflict, which derives nothing.
    let got = widened(&run, &[Join::keys("plain", &["t.b"], &["t.a"])]);
    assert_eq!(column(&got, 0, "t.a")[..4], ["-", "-", "one", "-"]);
}

/// Records of one thread between two messages are about the instances that any of them names; other threads and files
/// are not affected.
#[test]
fn a_bracket_is_of_one_thread_of_one_file() {
    let on = |thread: &str, pairs: &[(&str, &str)]| {
        let mut event = of(pairs);
        event.insert("thread".to_owned(), vec![thread.to_owned()]);
        event
    };
    let first = vec![
        on("T1", &[("t.c", "stray")]),
        on("T1", &[("t.e", "open")]),
        on("T2", &[]),
        on("T1", &[("t.a", "5")]),
        on("T2", &[("t.e", "open"), ("t.a", "6")]),
        on("T1", &[("t.e", "close")]),
        on("T1", &[]),
        on("T2", &[]),
        on("T1", &[("t.e", "open")]),
        on("T1", &[("t.a", "7")]),
        on("T1", &[("t.a", "8")]),
    ];
    let second = vec![on("T1", &[("t.c", "else")])];
    let run = load(&[first, second]);
    let bracket = Join {
        rule: JoinRule::Bracket(BracketRule {
            source_kinds: Vec::new(),
            is_of_any_system: false,
            open: condition("t.e = open"),
            close: Some(condition("t.e = close")),
            absorbs_openings: false,
            derived_keys: vec!["t.a".to_owned()],
            condition: None,
            duplicates: Among::All,
            instance_start: None,
        }),
        ..Join::keys("bracket", &[], &[])
    };
    let got = widened(&run, &[bracket]);
    assert_eq!(
        column(&got, 0, "t.a"),
        // The last bracket names two instances, so nothing is derived in it.
        ["-", "5", "-", "5", "6", "5", "-", "6", "-", "7", "8"]
    );
    assert_eq!(column(&got, 1, "t.a"), ["-"]);
}

/// Keys of the first record of a file apply to the whole file, and to no other.
#[test]
fn the_first_record_speaks_for_its_file() {
    let run = load(&[
        vec![of(&[]), of(&[("t.a", "1")]), of(&[("t.a", "2")]), of(&[])],
        vec![of(&[])],
    ]);
    let first = Join {
        rule: JoinRule::FirstRecord(FirstRecordRule {
            condition: None,
            source_kinds: Vec::new(),
            derived_keys: vec!["t.a".to_owned()],
            sections: None,
        }),
        ..Join::keys("first", &[], &[])
    };
    let got = widened(&run, &[first]);
    assert_eq!(column(&got, 0, "t.a"), ["1", "1", "2", "1"]);
    assert_eq!(column(&got, 1, "t.a"), ["-"]);
}

/// A suggested join holds in all records, adds values, and is not a known join.
#[test]
fn a_join_is_suggested_when_it_holds_and_adds_something() {
    let numbers = 0..8;
    let mut events: Vec<Event> = Vec::new();
    for n in numbers.clone() {
        let (job, box_) = (format!("job{n}"), format!("box{n}"));
        // A job names its box once; a box has one job; the last key has a constant value.
        events.push(of(&[("job", &job), ("box", &box_)]));
        events.push(of(&[("job", &job), ("round", "1")]));
        events.push(of(&[("box", &box_)]));
    }
    let run = load(&[events.clone()]);
    let names = |run: &Run, known: &[Join]| -> Vec<String> {
        let widened = apply_joins(&run.1, known, &Cancel::default()).unwrap();
        let snapshot = Snapshot {
            derived: widened.derived,
            ..(*run.1).clone()
        };
        let found = suggest(&snapshot, known, &Cancel::default()).unwrap();
        found
            .iter()
            .map(|(join, _)| match &join.rule {
                JoinRule::Keys(rule) => {
                    format!(
                        "{} => {}",
                        rule.left_keys.join("+"),
                        rule.right_keys.join("+")
                    )
                }
                other => format!("{other:?}"),
            })
            .collect()
    };
    let found = names(&run, &[]);
    assert!(found.contains(&"box => job".to_owned()), "{found:?}");
    assert!(found.contains(&"job => box".to_owned()), "{found:?}");
    // A known join is not suggested.
    let known = [Join::keys("k", &["box"], &["job"])];
    assert!(!names(&run, &known).contains(&"box => job".to_owned()));
    // With one contradiction the join does not hold.
    events.push(of(&[("job", "job1"), ("box", "box2")]));
    let found = names(&load(&[events]), &[]);
    assert!(!found.contains(&"box => job".to_owned()), "{found:?}");
    assert!(!found.contains(&"job => box".to_owned()), "{found:?}");
}

/// Related keys are found among any number of keys.
#[test]
fn joins_are_suggested_among_very_many_keys() {
    let mut events: Vec<Event> = Vec::new();
    let names: Vec<String> = (0..150).map(|k| format!("noise{k}")).collect();
    for n in 0..400usize {
        let (job, box_) = (format!("job{}", n % 100), format!("box{}", n % 100));
        // Each record lacks some keys, whose values correlate with no others or never occur twice.
        let values: Vec<String> = (0..names.len())
            .map(|k| match k % 2 {
                0 => format!("w{}", n * 7919 / (k + 3) % 11),
                _ => format!("u{n}x{k}"),
            })
            .collect();
        let noise = names.iter().zip(&values).enumerate();
        let mut event: Vec<(&str, &str)> = noise
            .filter(|(k, _)| (n + k) % 3 > 0)
            .map(|(_, (name, value))| (name.as_str(), value.as_str()))
            .collect();
        event.push(("job", &job));
        if n < 100 {
            event.push(("box", &box_));
        }
        events.push(of(&event));
    }
    let run = load(&[events]);
    let found = suggest(&run.1, &[], &Cancel::default()).unwrap();
    let names: Vec<&str> = found.iter().map(|f| f.0.name.as_str()).collect();
    assert_eq!(names, ["job ⇒ box"]);
}

/// The late record names the task for all records of its executor task, also earlier ones.
#[test]
fn a_late_record_reaches_back() {
    let events = vec![
        of(&[("t.b", "7")]),
        of(&[("t.a", "3"), ("t.b", "7")]),
        of(&[("t.b", "8")]),
    ];
    let snapshot = load(&[events]);
    let got = widened(&snapshot, &[Join::keys("launch", &["t.b"], &["t.a"])]);
    assert_eq!(got["event 0 0"]["t.a"], ["3"]);
    assert!(!got["event 0 2"].contains_key("t.a"));
}

/// Omitted joins are reported with name and reason.
#[test]
fn what_is_left_out_is_reported() {
    let keys: Vec<String> = (0..8).map(|n| format!("k{n}")).collect();
    let record: Vec<(&str, &str)> = keys.iter().map(|k| (k.as_str(), "1")).collect();
    let run = load(&[vec![of(&record)]]);
    let reported = |joins: &[Join]| {
        let widened = apply_joins(&run.1, joins, &Cancel::default()).unwrap();
        let left = widened.reports.iter();
        let left = left.filter_map(|r| Some((r.join.clone(), r.omission?)));
        (
            left.collect::<Vec<_>>(),
            omission_messages(&widened.reports),
        )
    };
    let many = |n: usize| -> Vec<Join> {
        let named = |n| Join::keys(&format!("j{n:03}"), &["k0"], &["k1"]);
        (0..n).map(named).collect()
    };
    assert_eq!(reported(&many(200)), (Vec::new(), Vec::new()));
    let (left, words) = reported(&many(202));
    let names = [
        ("j200".to_owned(), Omission::TooManyJoins),
        ("j201".to_owned(), Omission::TooManyJoins),
    ];
    assert_eq!(left, names);
    assert!(
        words.len() == 1 && words[0].contains("j200, j201"),
        "{words:?}"
    );
    let by = ["k0", "k1", "k2", "k3", "k4", "k5"];
    let (left, words) = reported(&[
        Join::keys("fits", &by[..5], &["k7"]),
        Join::keys("wide", &by, &["k7"]),
    ]);
    assert_eq!(left, [("wide".to_owned(), Omission::TooManyKeys)]);
    assert!(words[0].contains("wide"), "{words:?}");
}

/// Two records for each of more values than are stored by default; the second record receives values of the first if a
/// definition has the join, else a report says that it cannot.
#[test]
fn keys_with_a_value_of_their_own_for_nearly_every_record_are_joined_by() {
    const THINGS: usize = 12_000;
    let long = "y".repeat(300);
    let line = |n: usize, message: &str, colour: &str| {
        let time = format!(
            "2026-01-01T{:02}:{:02}:{:02}Z",
            n / 3600,
            n / 60 % 60,
            n % 60
        );
        // Every hundredth value is longer than the default limit.
        let tail = if n.is_multiple_of(100) { &*long } else { "" };
        format!(
            "{{\"time\": \"{time}\", \"message\": \"{message}\", \"p\": \"req-{n:x}z{tail}\"{colour}}}\n"
        )
    };
    let begun = (0..THINGS).map(|n| line(n, "begin", ", \"colour\": \"blue\""));
    let ended = (0..THINGS).map(|n| line(n, "end", ""));
    let dir = tempfile::tempdir().unwrap();
    let text: String = begun.chain(ended).collect();
    std::fs::write(dir.path().join("app.jsonl"), text).unwrap();
    let join = [Join::keys("by p", &["p"], &["colour"])];
    let widened = |systems: Vec<(String, String)>| {
        let options = OpenOptions {
            paths: vec![dir.path().to_path_buf()],
            threads: Some(1),
            systems,
            ..OpenOptions::default()
        };
        let (run, _) = load_all(&options, &Cancel::default(), Progress::default()).unwrap();
        let widened = apply_joins(&run, &join, &Cancel::default()).unwrap();
        let report = widened.reports.iter().find(|r| r.join == "by p").unwrap();
        (report.receiving_events, report.omission)
    };
    let definition =
        "name = \"ep\"\n[[join]]\nname = \"by p\"\nby = [\"p\"]\ngives = [\"colour\"]\n";
    let known = ("ep.toml".to_owned(), definition.to_owned());
    assert_eq!(widened(vec![known]), (THINGS, None));
    let (some, reported) = widened(Vec::new());
    assert!(
        some < THINGS && reported == Some(Omission::ValuesNotStored),
        "{some} {reported:?}"
    );
}
