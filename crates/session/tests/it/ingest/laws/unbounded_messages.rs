//! Messages with an unbounded number of templates: keys are read from each, and templates do not depend on the order of
//! files, lines or threads.

use std::fs;

use proptest::prelude::*;

use widetui_core::ids::EventId;
use widetui_core::level::Level;
use widetui_store::Snapshot;

use super::columns::disagreements;
use widetui_testing::runs;

/// Spells a number in letters: a word without digits.
fn word(n: usize) -> String {
    let letters = (0..5).map(|place| (n / 20_usize.pow(place)) % 20);
    letters.map(|l| char::from(b'a' + l as u8)).collect()
}

/// Time of a line, distinct for each number.
fn stamp(n: usize) -> String {
    format!(
        "2024-03-01 {:02}:{:02}:{:02}.{:03}",
        9 + n / 3_600_000,
        n / 60_000 % 60,
        n / 1000 % 60,
        n % 1000
    )
}

fn junk(n: usize) -> String {
    format!("{} INFO alpha {} beta\n", stamp(n), word(n))
}

fn task(n: usize) -> String {
    format!(
        "{} INFO finished task {} on worker w{}\n",
        stamp(n),
        n % 97,
        n % 7
    )
}

/// Keys and values of a record, sorted by name.
fn keys_of(snapshot: &Snapshot, id: EventId) -> Vec<String> {
    let mut out = Vec::new();
    let keys = &snapshot.catalog.keys;
    snapshot.event(id).unwrap().for_each_code(|key, codes, _| {
        let view = keys.get(key).unwrap();
        let values: Vec<String> = codes.iter().filter_map(|c| view.spelling(*c)).collect();
        out.push(format!("{}={}", view.key.name, values.join(",")));
    });
    out.sort_unstable();
    out
}

/// Template and keys of each record, in time order.
fn contents(snapshot: &Snapshot) -> Vec<String> {
    let ids = (0..snapshot.len()).map(|i| *snapshot.order.get(i).unwrap());
    ids.map(|id| {
        let event = snapshot.event(EventId(id)).unwrap();
        let template = event.template().unwrap().text.to_string();
        let keys = keys_of(snapshot, EventId(id));
        format!("{:?} {template} {keys:?}", event.time())
    })
    .collect()
}

fn opened(files: &[(String, String)], threads: usize) -> std::sync::Arc<Snapshot> {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(dir.path().join(name), text).unwrap();
    }
    let snapshot = runs::load(dir.path(), threads);
    assert_eq!(disagreements(&snapshot), [""; 0]);
    snapshot
}

fn problems(snapshot: &Snapshot) -> Vec<String> {
    let all = snapshot.sources.iter().flat_map(|s| s.problems.iter());
    all.map(|p| p.text.to_string()).collect()
}

#[test]
fn keys_of_late_messages_are_read_and_the_crowd_is_reported() {
    let lines: String = (0..3_600)
        .map(junk)
        .chain((4_000..4_200).map(task))
        .collect();
    let snapshot = opened(&[("app.log".to_owned(), lines)], 1);
    let reported = contents(&snapshot);
    let tasks = reported.iter().filter(|t| t.contains("task=")).count();
    assert_eq!(tasks, 200, "{:?}", reported.last());
    assert!(
        reported
            .iter()
            .all(|t| t.contains("task=") == t.contains("finished task {}"))
    );
    assert!(reported[0].contains("alpha{}"), "{}", reported[0]);
    let problems = problems(&snapshot);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].contains("too many different messages"));
}

#[test]
fn messages_that_share_a_template_keep_their_levels() {
    let words = ["info", "warn", "error"];
    let header = |i: usize| format!("Dec 12 {:02}:{:02}:00 host prog[7]: ", i / 60 % 24, i % 60);
    let noise = |i: usize| format!("{}{} {}\n", header(i), word(i), word(i * 7));
    let own = |i: usize| format!("{}<{}> link changed\n", header(i), words[i % 3]);
    let lines = (0..6_000).map(|i| match i % 100 {
        0 => own(i / 100),
        _ => noise(i),
    });
    let snapshot = opened(&[("messages".to_owned(), lines.collect())], 2);
    let ids = (0..snapshot.len() as u32).map(EventId);
    let levels = ids.filter_map(|id| {
        let event = snapshot.event(id).unwrap();
        (event.level() != Level::Unknown).then(|| event.level())
    });
    let mut counts = [0; 3];
    for level in levels {
        match level {
            Level::Info => counts[0] += 1,
            Level::Warning => counts[1] += 1,
            Level::Error => counts[2] += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(counts, [20, 20, 20]);
}

/// Messages of a definition are recognised after more messages than the template limit.
#[test]
fn messages_of_a_definition_are_known_however_many_others_there_are() {
    let real = runs::directory("multi");
    let log = runs::files(real.path());
    let log = log.iter().find(|f| f.ends_with("000/parsl.log")).unwrap();
    let text = fs::read_to_string(log).unwrap();
    let headers = text.match_indices("MainProcess-").map(|(at, _)| at);
    let mut lines = headers.map(|at| text[..at].rfind('\n').map_or(0, |end| end + 1));
    let at = lines.nth(3).unwrap();
    let head = &text[..text.find("Starting").unwrap()];
    let noise: String = (0..3_600)
        .map(|n| {
            format!(
                "{head} parsl.dataflow.dflow:90 [INFO]  alpha {} beta\n",
                word(n)
            )
        })
        .collect();
    let keys = |text: String| -> Vec<Vec<String>> {
        let dir = tempfile::tempdir().unwrap();
        let run = dir.path().join("runinfo/000");
        fs::create_dir_all(&run).unwrap();
        fs::write(run.join("parsl.log"), text).unwrap();
        let snapshot = runs::load(dir.path(), 1);
        assert_eq!(disagreements(&snapshot), [""; 0]);
        let all = (0..snapshot.len() as u32).map(|id| keys_of(&snapshot, EventId(id)));
        all.filter(|keys| keys.iter().any(|k| k.starts_with("parsl.task=")))
            .collect()
    };
    let plain = keys(text.clone());
    assert!(!plain.is_empty());
    assert_eq!(
        keys(format!("{}{noise}{}", &text[..at], &text[at..])),
        plain
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    #[test]
    fn names_and_keys_depend_on_no_order(
        most in 2_900..3_500usize,
        swapped in any::<u64>(),
        threads in 2..5usize,
    ) {
        // Lines are distributed over files, whose names determine their reading order.
        let place = |n: usize| (swapped.rotate_left((n % 61) as u32) as usize ^ n) % 40;
        let line = |n: usize| if n.is_multiple_of(9) { task(n) } else { junk(n) };
        let files = |name: &dyn Fn(usize) -> usize| -> Vec<(String, String)> {
            let mut texts = vec![String::new(); 40];
            (0..most).for_each(|n| texts[place(n)] += &line(n));
            let all = texts.into_iter().enumerate().filter(|(_, text)| !text.is_empty());
            all.map(|(at, text)| (format!("app{:02}.log", name(at)), text)).collect()
        };
        let there = contents(&opened(&files(&|at| at), 1));
        let back = contents(&opened(&files(&|at| 39 - at), threads));
        for (a, b) in there.iter().zip(&back) {
            prop_assert_eq!(a, b);
        }
        prop_assert_eq!(there.len(), back.len());
    }
}

#[test]
fn the_real_names_of_few_messages_stay() {
    let few: String = (0..200).map(task).collect();
    let snapshot = opened(&[("a.log".to_owned(), few)], 1);
    assert!(
        contents(&snapshot)
            .iter()
            .all(|t| t.contains("finished task {} on worker {}"))
    );
    assert_eq!(problems(&snapshot), [""; 0]);
}
