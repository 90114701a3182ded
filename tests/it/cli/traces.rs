//! Traces for Perfetto: slices nest, counters and arrows agree with the other commands.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::*;

/// Events of a trace, and the time at which it starts.
struct Trace {
    start: String,
    events: Vec<Map<String, Json>>,
}

impl Trace {
    fn read(path: &Path) -> Trace {
        let json: Json = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let events = json["traceEvents"].as_array().unwrap().iter();
        Trace {
            start: json["otherData"]["start"].as_str().unwrap().to_owned(),
            events: events.map(|e| e.as_object().unwrap().clone()).collect(),
        }
    }

    fn of_phase(&self, phase: &str) -> Vec<&Map<String, Json>> {
        self.events.iter().filter(|e| e["ph"] == phase).collect()
    }

    /// Slices of a category.
    fn slices(&self, category: &str) -> Vec<&Map<String, Json>> {
        let all = self.of_phase("X").into_iter();
        all.filter(|e| e["cat"] == category).collect()
    }

    /// Names of processes or threads by number.
    fn names(&self, of: &str, number: &str) -> BTreeMap<u64, String> {
        let named = self.events.iter().filter(|e| e["name"] == of);
        named
            .map(|e| {
                let name = e["args"]["name"].as_str().unwrap().to_owned();
                (e[number].as_u64().unwrap(), name)
            })
            .collect()
    }
}

/// Time of an event since the start of the trace, ns, as Perfetto reads it.
fn at(event: &Map<String, Json>) -> i64 {
    nanos(&event["ts"])
}

fn nanos(micros: &Json) -> i64 {
    (micros.as_f64().unwrap() * 1e3) as i64
}

fn track(event: &Map<String, Json>) -> (u64, u64) {
    (
        event["pid"].as_u64().unwrap(),
        event["tid"].as_u64().unwrap(),
    )
}

/// Nanoseconds of a time of day in RFC 3339.
fn of_day(time: &str) -> i64 {
    let clock = &time[11..];
    let part = |range: std::ops::Range<usize>| clock[range].parse::<i64>().unwrap();
    ((part(0..2) * 60 + part(3..5)) * 60 + part(6..8)) * 1_000_000_000 + part(9..18)
}

fn trace(dir: &Path, name: &str, args: &[&str]) -> std::path::PathBuf {
    let path = dir.join(name);
    let output = path.display().to_string();
    ok(&[&["export", "-o", &output], args].concat());
    path
}

#[test]
fn lifetimes_stand_on_the_tracks_of_their_workers() {
    let dir = tempfile::tempdir().unwrap();
    let trace = Trace::read(&trace(dir.path(), "trace.json", &[&hung()]));
    for entity in ["parsl.task", "parsl.try", "parsl.worker", "parsl.block"] {
        let spans = ok(&["spans", entity, "--format", "jsonl", &hung()]);
        assert_eq!(
            trace.slices(entity).len(),
            spans.lines().count(),
            "{entity}"
        );
    }
    // Names of apps distinguish nothing in time, and executor tasks are the tries under another name.
    for entity in ["parsl.app", "parsl.executor_task"] {
        assert!(trace.slices(entity).is_empty(), "{entity}");
    }
    let (processes, threads) = (
        trace.names("process_name", "pid"),
        trace.names("thread_name", "tid"),
    );
    let mut workers = BTreeMap::new();
    for slice in trace.slices("parsl.try") {
        let (process, thread) = track(slice);
        assert_eq!(processes[&process], "manager 3619e747ac56 (tries)");
        *workers.entry(threads[&thread].as_str()).or_insert(0) += 1;
    }
    let expected = [
        ("worker 0", 9),
        ("worker 1", 7),
        ("worker 2", 11),
        ("worker 3", 10),
    ];
    assert_eq!(workers, BTreeMap::from(expected));
    let stuck = trace.slices("parsl.try").into_iter();
    let stuck: Vec<_> = stuck
        .filter(|s| s["args"]["outcome"] == "unfinished")
        .collect();
    assert_eq!(stuck.len(), 1);
    assert_eq!(stuck[0]["name"], "wait_for_file");
    assert_eq!(stuck[0]["args"]["parsl.task"], 24);
    assert_eq!(threads[&track(stuck[0]).1], "worker 1");
    // Times are exact.
    for slice in trace.of_phase("X") {
        if let Some(start) = slice["args"]["start"].as_str() {
            assert_eq!(of_day(&trace.start) + at(slice), of_day(start), "{slice:?}");
        }
    }
}

#[test]
fn slices_of_a_track_nest() {
    let dir = tempfile::tempdir().unwrap();
    let trace = Trace::read(&trace(dir.path(), "trace.json", &[&hung()]));
    let mut tracks: BTreeMap<(u64, u64), Vec<(i64, i64)>> = BTreeMap::new();
    for slice in trace.of_phase("X") {
        let (start, length) = (at(slice), nanos(&slice["dur"]));
        assert!(start >= 0 && length >= 0, "{slice:?}");
        tracks
            .entry(track(slice))
            .or_default()
            .push((start, start + length));
    }
    let names = trace.names("thread_name", "tid");
    assert!(tracks.keys().all(|(_, thread)| names.contains_key(thread)));
    let states = trace.slices("state").len();
    assert!(states > 49, "{states} states");
    for (track, slices) in &mut tracks {
        // As readers do: by start, slices that start together in the order of the file.
        slices.sort_by_key(|slice| slice.0);
        let mut open: Vec<i64> = Vec::new();
        for (start, end) in slices {
            while open.last().is_some_and(|until| until <= start) {
                open.pop();
            }
            let is_inside = open.last().is_none_or(|until| *end <= *until);
            assert!(is_inside, "{track:?}: {start} to {end} in {open:?}");
            open.push(*end);
        }
    }
}

#[test]
fn counters_are_the_states_over_time() {
    let dir = tempfile::tempdir().unwrap();
    let trace = Trace::read(&trace(dir.path(), "trace.json", &[&hung()]));
    let mut changes: Vec<(i64, String, i64)> = Vec::new();
    for counter in trace
        .of_phase("C")
        .into_iter()
        .filter(|c| c["name"] == "tasks")
    {
        for (state, count) in counter["args"].as_object().unwrap() {
            changes.push((at(counter), state.clone(), count.as_i64().unwrap()));
        }
    }
    let rows = objects(&ok(&["states", "parsl.task", "--format", "jsonl", &hung()]));
    let mut expected: Vec<(i64, String, i64)> = rows
        .iter()
        .filter(|row| row.contains_key("count"))
        .map(|row| {
            let time = of_day(row["time"].as_str().unwrap()) - of_day(&trace.start);
            let state = row["state"].as_str().unwrap().to_owned();
            (time, state, row["count"].as_i64().unwrap())
        })
        .collect();
    changes.sort();
    expected.sort();
    assert!(expected.len() > 100);
    assert_eq!(changes, expected);
}

#[test]
fn arrows_lead_from_tasks_to_tries_and_from_senders_to_receivers() {
    let dir = tempfile::tempdir().unwrap();
    let trace = Trace::read(&trace(dir.path(), "trace.json", &[&hung()]));
    let slices = trace.of_phase("X");
    let around = |event: &Map<String, Json>, category: &str| {
        slices.iter().any(|slice| {
            let (start, end) = (at(slice), at(slice) + nanos(&slice["dur"]));
            let is_around = start <= at(event) && at(event) <= end;
            slice["cat"] == category && track(slice) == track(event) && is_around
        })
    };
    let slice_at = |event: &Map<String, Json>| {
        slices
            .iter()
            .find(|s| track(s) == track(event) && at(s) == at(event))
    };
    let heads: BTreeMap<u64, &Map<String, Json>> = trace
        .of_phase("f")
        .into_iter()
        .map(|head| (head["id"].as_u64().unwrap(), head))
        .collect();
    let tails = trace.of_phase("s");
    assert_eq!(tails.len(), heads.len());
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for tail in tails {
        let head = heads[&tail["id"].as_u64().unwrap()];
        let name = tail["name"].as_str().unwrap();
        assert!(at(tail) <= at(head), "{tail:?}");
        assert_eq!(
            (&head["name"], &head["bp"]),
            (&tail["name"], &Json::from("e"))
        );
        match name {
            "try of task" => assert!(around(tail, "parsl.task") && around(head, "parsl.try")),
            _ => assert!(
                [tail, head].iter().all(|end| slice_at(end).is_some()),
                "{tail:?}"
            ),
        }
        *counts.entry(name).or_insert(0) += 1;
    }
    // Each message that arrives after it was sent has an arrow. No record states when an answer was sent.
    let mut expected = BTreeMap::from([("try of task", 37)]);
    let messages = objects(&ok(&["flow", "--format", "jsonl", &hung()]));
    for message in &messages {
        let is_timely = message["latency_s"].as_f64() >= Some(0.0);
        *expected
            .entry(message["flow"].as_str().unwrap())
            .or_insert(0) += usize::from(is_timely);
    }
    assert_eq!(counts, expected);
}

#[test]
fn the_same_run_gives_the_same_bytes_in_every_way_of_asking() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let of = |path: std::path::PathBuf| fs::read(path).unwrap();
    let first = of(trace(dir, "trace.json", &[&hung(), "--threads", "1"]));
    for (name, args) in [
        ("run.trace.json", &["--threads", "8"][..]),
        ("run.json", &["--format", "perfetto"]),
    ] {
        assert!(
            of(trace(dir, name, &[args, &[&hung()]].concat())) == first,
            "{name}"
        );
    }
    let packed = of(trace(dir, "trace.json.gz", &[&hung()]));
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(&packed[..])
        .read_to_end(&mut unpacked)
        .unwrap();
    assert!(unpacked == first);
    let json = dir.join("run2.json").display().to_string();
    let error = fails(2, &["export", "-o", &json, &hung()]);
    assert!(
        error.contains(".trace.json") && error.contains("--format"),
        "{error}"
    );
    // A selection restricts lifetimes and messages alike; without any of them there is no trace.
    let one = trace(dir, "one.trace.json", &["--same", "parsl.task=24", &hung()]);
    let one = Trace::read(&one);
    assert_eq!(
        (
            one.slices("parsl.try").len(),
            one.slices("parsl.task").len()
        ),
        (1, 1)
    );
    let none = dir.join("none.trace.json").display().to_string();
    let run = hung();
    let error = fails(
        1,
        &["export", "--where", "level = critical", "-o", &none, &run],
    );
    assert!(error.contains("no lifetime"), "{error}");
    let error = fails(2, &["export", "--flat", "-o", &none, &run]);
    assert!(error.contains("--flat"), "{error}");
    assert!(!Path::new(&none).exists());
}
