//! JSON records do not depend on the records before them: repeated shapes with small changes anywhere are read as if
//! each line were the only one.

use std::sync::Arc;

use proptest::prelude::*;

use widetui_format::json::dialect::JsonSpec;
use widetui_format::json::reader::JsonReader;
use widetui_format::reader::{Reader, Syntax};
use widetui_store::Snapshot;

use super::chunks::{check, cuts};
use widetui_testing::runs;

/// A line: its step and its values.
fn line() -> impl Strategy<Value = String> {
    let step = 0usize..6;
    let thread = prop_oneof![5 => Just("MainThread"), 1 => Just("Task-Launch_0"), 1 => Just("")];
    let level =
        prop_oneof![8 => Just("INFO"), 1 => Just("ERROR"), 1 => Just("None"), 1 => Just("odd")];
    let host = prop_oneof![4 => Just("\"n1\""), 1 => Just("\"n[1-3]\""), 1 => Just("null"), 1 => Just("[\"n1\", \"n2\"]"), 1 => Just("[]"), 1 => Just("{}")];
    let odd = prop_oneof![12 => Just(""), 1 => Just(", \"more\": 1"), 1 => Just("}"), 1 => Just(" "), 1 => Just("\r")];
    (step, 0u32..4, 0u32..200, thread, level, host, odd).prop_map(
        |(step, n, moment, thread, level, host, odd)| {
            let steps = [
                ("Task %d launched", format!("Task {n} launched")),
                ("Task %d state from %s", format!("Task {n} state from {}", ["a", "pending", "x-1", "b c"][n as usize])),
                ("Sent tasks: %s", format!("Sent tasks: [{n}, 5] to b'0d11'")),
                ("done", "done".to_owned()),
                ("error %s", format!("error {n}\\nTraceback\\n  File \\\"x.py\\\", line {n}\\nValueError: n={n}")),
                ("{\\\"a\\\": %d}", format!("{{\\\"a\\\": {n}}} =\\u00e9 {moment}")),
            ];
            let (template, message) = &steps[step];
            let time = 1_795_225_387_000 + i64::from(moment);
            let task = match step {
                0 | 1 => format!("\"{n}\""),
                2 => format!("[{n}, 5]"),
                _ => "null".to_owned(),
            };
            format!(
                "{{\"begun\": 179522538{}.5, \"created\": {}.{:03}, \"threadName\": \"{thread}\", \"process\": {}, \"name\": \"app.{step}\", \"lineno\": {}, \
                 \"levelname\": \"{level}\", \"msg\": \"{template}\", \"message\": \"{message}\", \"task_id\": {task}, \"host\": {host}{odd}}}",
                moment % 7, time / 1000, time % 1000, 300 + n / 3, 10 * step,
            )
        },
    )
}

/// A reader of the same records that takes their writers and durations from fields.
fn with_writers(reader: &Reader) -> Reader {
    let Syntax::Json(json) = &reader.syntax else {
        panic!("these are lines of JSON");
    };
    let spec = JsonSpec {
        writer: vec!["process".to_owned(), "threadName".to_owned()],
        durations: vec![["begun", "created", "took"].map(str::to_owned)],
        ..JsonSpec::clone(&json.spec)
    };
    let json = JsonReader::new(Arc::new(spec), json.id + 100);
    Reader {
        id: reader.id + 100,
        syntax: Syntax::Json(Arc::new(json)),
        scope: reader.scope.clone(),
        interleaved: reader.interleaved.clone(),
        stray: Vec::new(),
        ..*reader
    }
}

proptest! {
    #![proptest_config(runs::cases(200))]

    #[test]
    fn steps_give_the_same_records_as_each_line_alone(
        lines in proptest::collection::vec(line(), 1..40),
        // The same lines again, now with a trained predictor.
        again in 1usize..8,
        take in proptest::collection::vec(any::<bool>(), 50),
    ) {
        thread_local! {
            static READ: Arc<Snapshot> = {
                let dir = tempfile::tempdir().unwrap();
                let line = |n: u32| format!(
                    "{{\"created\": 1795225387.{n:03}, \"threadName\": \"MainThread\", \"process\": 3, \"name\": \"app\", \"lineno\": 1, \
                     \"levelname\": \"INFO\", \"msg\": \"a %d\", \"message\": \"a {n}\", \"task_id\": \"1\", \"host\": \"n1\"}}\n"
                );
                let lines: String = (0..9).map(line).collect();
                std::fs::write(dir.path().join("a.jsonl"), lines).unwrap();
                runs::load(dir.path(), 1)
            };
        }
        let text = format!("{}\n", lines.join("\n")).repeat(again);
        READ.with(|snapshot| {
            let plain = snapshot.sources[0].reader.clone().unwrap();
            let text = text.as_bytes();
            for reader in [&*plain, &with_writers(&plain)] {
                check(snapshot, reader, "steps", text, &cuts(text, |_| true));
                check(snapshot, reader, "steps", text, &cuts(text, |i| take[i % take.len()]));
            }
        });
    }
}
