//! Property tests: synthetic records of many kinds, written in arbitrary pieces.

use std::fs;
use std::time::Duration;

use proptest::prelude::*;

use super::{Live, check_end, piece};

/// Generates the text of a file: the form of its records and of their continuation lines.
fn text() -> impl Strategy<Value = String> {
    let kinds = prop_oneof![
        4 => Just(vec![0u8, 0, 0, 4]),
        3 => Just(vec![1, 1, 1, 6, 5]),
        3 => Just(vec![2, 2, 2, 5, 6]),
        3 => Just(vec![3, 3, 3, 7]),
        2 => Just(vec![4, 4, 5, 6]),
        2 => Just(vec![4, 4, 1, 2]),
    ];
    let records = prop::collection::vec((0usize..5, 0u32..9, 0u32..40), 0..25);
    (kinds, records, any::<bool>()).prop_map(|(kinds, records, ends)| {
        let mut second = 0;
        let mut text = String::new();
        for (kind, step, n) in records {
            // Times decrease occasionally.
            second = if step == 8 { second / 2 } else { second + step };
            text.push_str(&piece(kinds[kind % kinds.len()], second, n));
        }
        if !ends {
            text.pop();
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// Writes arbitrary pieces to arbitrary, also new, files: the final snapshot equals that of a load at once.
    #[test]
    fn following_is_loading_at_once(
        texts in prop::collection::vec(text(), 1..5),
        steps in prop::collection::vec((any::<prop::sample::Index>(), 0usize..400, any::<bool>()), 0..40),
    ) {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("first.log"), "2026-11-20 19:00:00 INFO begins\n").unwrap();
        let names = ["z.log", "sub/b.log", "a.log", "deep/er/c.log"];
        let mut live = Live::open(dir);
        let mut done = vec![0; texts.len()];
        for (which, bytes, poll) in steps {
            let at = which.index(texts.len());
            let text = texts[at].as_bytes();
            let to = (done[at] + bytes).min(text.len());
            live.append(names[at], &text[done[at]..to]);
            done[at] = to;
            if poll {
                live.poll(Duration::from_millis(2100));
            }
        }
        for (at, text) in texts.iter().enumerate() {
            live.append(names[at], &text.as_bytes()[done[at]..]);
        }
        live.settle();
        check_end(&live);
    }
}

#[test]
fn a_cut_line_is_completed_and_a_traceback_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let line = piece(2, 5, 1);
    fs::write(dir.path().join("a.log"), &line.as_bytes()[..30]).unwrap();
    let mut live = Live::open(dir);
    assert_eq!(live.snapshot.len(), 1, "shown though it has no end");
    assert_eq!(live.snapshot.settled, 0);
    live.append("a.log", &line.as_bytes()[30..60]);
    live.poll(Duration::from_millis(500));
    assert_eq!(live.snapshot.len(), 1);
    assert_eq!(live.snapshot.settled, 1);
    live.append("a.log", &line.as_bytes()[60..]);
    live.poll(Duration::from_millis(500));
    assert_eq!(live.messages().len(), 1);
    assert!(
        live.messages()[0].ends_with("ValueError: 1"),
        "{:?}",
        live.messages()
    );
    live.settle();
    check_end(&live);
}
