//! Any bytes can be loaded: nothing panics, every line belongs to a record or is counted, and records survive a round
//! trip through the output.

use std::path::Path;

use proptest::prelude::*;

use widetui_core::ids::EventId;
use widetui_report::event::{FullEvent, full_event};
use widetui_report::jsonl::event_line;
use widetui_store::texts::TextReader;
use widetui_store::{Snapshot, Value};

use super::columns::disagreements;
use widetui_testing::runs;

fn events(snapshot: &Snapshot) -> Vec<FullEvent<'_>> {
    let mut texts = TextReader::default();
    let order = snapshot.order.iter();
    order
        .map(|id| full_event(&snapshot.event(EventId(*id)).unwrap(), &mut texts))
        .collect()
}

/// Loads a file and checks all invariants.
fn check(path: &Path) {
    let snapshot = runs::load(path, 2);
    let found = disagreements(&snapshot);
    assert!(found.is_empty(), "{:#?}", &found[..found.len().min(5)]);
    for source in snapshot.sources.iter() {
        let mut spans: Vec<(u64, usize)> = (0..snapshot.len() as u32)
            .map(|id| snapshot.event(EventId(id)).unwrap())
            .filter(|e| e.source().id == source.id)
            .map(|e| e.span())
            .collect();
        spans.sort_unstable();
        for pair in spans.windows(2) {
            assert_eq!(pair[0].0 + pair[0].1 as u64, pair[1].0, "records touch");
        }
        if let Some((start, len)) = spans.last() {
            assert_eq!(
                start + *len as u64,
                source.bytes,
                "the last record ends at the end"
            );
        }
    }
    round_trip(&snapshot, &path.with_extension("written.jsonl"));
}

/// Writes all records and reads them back.
fn round_trip(snapshot: &Snapshot, to: &Path) {
    let mut written = events(snapshot);
    if written.is_empty() {
        return;
    }
    let lines: Vec<String> = written.iter().map(event_line).collect();
    std::fs::write(to, lines.join("\n")).unwrap();
    let loaded = runs::load(to, 2);
    let mut read = events(&loaded);
    // Sources with a resolution of one second keep the order of their file; written with nanoseconds they are sorted by
    // time.
    let place = |e: &FullEvent<'_>| {
        (
            e.time.clone(),
            e.source.clone(),
            e.message.clone(),
            format!("{:?}", pairs(e)),
        )
    };
    written.sort_by_cached_key(place);
    read.sort_by_cached_key(place);
    assert_eq!(written.len(), read.len(), "as many events are read back");
    for (a, b) in written.iter().zip(&read) {
        assert_eq!(a.time, b.time, "{a:?}\n{b:?}");
        assert_eq!(a.source, b.source, "{a:?}\n{b:?}");
        assert_eq!(a.level, b.level, "{a:?}\n{b:?}");
        assert_eq!(a.message, b.message, "{a:?}\n{b:?}");
        assert_eq!(pairs(a), pairs(b), "{a:?}\n{b:?}");
    }
}

fn pairs<'e>(event: &'e FullEvent<'_>) -> Vec<(&'e str, &'e Value)> {
    let keys = event.keys.iter();
    keys.map(|key| (key.name, &key.value)).collect()
}

/// Beginnings of real logs of each kind.
fn seeds() -> Vec<Vec<u8>> {
    let head = |name: &str| {
        let text = std::fs::read(runs::data().join(name)).unwrap();
        let end = text.len().min(6000);
        let end = memchr::memrchr(b'\n', &text[..end]).map_or(end, |n| n + 1);
        text[..end].to_vec()
    };
    vec![
        head("hung/000/parsl.log"),
        head("hung/000/htex_campaign/interchange.log"),
        head("hung/000/database_manager.log"),
        head("old2024/000/htex_old/interchange.log"),
        head("old2024/000/wq_old/transaction_log"),
        head("other/dask/scheduler.log"),
        head("other/dask/client.log"),
        head("other/system/app-formats/loguru.log"),
        head("other/system/app-formats/logfmter.logfmt"),
        head("other/system/app-formats/ecs.jsonl"),
        head("other/system/journal/journal.jsonl"),
        head("other/system/syslog/messages.rfc5424"),
    ]
}

/// Damage to a log.
#[derive(Clone, Debug)]
enum Damage {
    Insert(usize, Vec<u8>),
    Remove(usize, usize),
    Repeat(usize, usize),
    Flip(usize, u8),
    Truncate(usize),
    DropNewline(usize),
    CarriageReturns,
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = 0usize..6000;
    let bytes = prop_oneof![
        Just(b"\0\0\0".to_vec()),
        Just(b"\x1b[31m\x1b]0;title\x07".to_vec()),
        Just(b"\xff\xfe\xc3\x28".to_vec()),
        Just(b"\"".to_vec()),
        Just(b"\\u12".to_vec()),
        Just(b"\\ud800".to_vec()),
        Just("é😀\u{202e}\u{85}\u{2028}".as_bytes().to_vec()),
        Just(b"{}".to_vec()),
        Just(b"[1, [2, {\"a\": null}]]".to_vec()),
        Just(b"99999999999999999999999999999999999999".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"\r\n\n\r\n".to_vec()),
        Just(vec![b'x'; 20_000]),
        Just(b"slurmstepd: error: *** JOB 4 ON n1 CANCELLED AT 2026-11-20T17:57:57 DUE TO TIME LIMIT ***\n".to_vec()),
        Just(b"srun: error: n[2-3]: tasks 1-2: Killed".to_vec()),
        Just(b"-1e309 NaN 0x7f -0 007".to_vec()),
        proptest::collection::vec(any::<u8>(), 1..12),
    ];
    prop_oneof![
        (at.clone(), bytes).prop_map(|(at, b)| Damage::Insert(at, b)),
        (at.clone(), 1usize..300).prop_map(|(at, n)| Damage::Remove(at, n)),
        (at.clone(), 1usize..300).prop_map(|(at, n)| Damage::Repeat(at, n)),
        (at.clone(), any::<u8>()).prop_map(|(at, b)| Damage::Flip(at, b)),
        at.clone().prop_map(Damage::Truncate),
        at.prop_map(Damage::DropNewline),
        Just(Damage::CarriageReturns),
    ]
}

fn apply(text: &mut Vec<u8>, damage: &Damage) {
    let len = text.len();
    let clip = |at: usize| at.min(len);
    match damage {
        Damage::Insert(at, bytes) => {
            text.splice(clip(*at)..clip(*at), bytes.iter().copied());
        }
        Damage::Remove(at, n) => {
            text.drain(clip(*at)..clip(at + n));
        }
        Damage::Repeat(at, n) => {
            let part = text[clip(*at)..clip(at + n)].to_vec();
            text.splice(clip(*at)..clip(*at), part);
        }
        Damage::Flip(at, b) => {
            if let Some(byte) = text.get_mut(*at) {
                *byte ^= b;
            }
        }
        Damage::Truncate(at) => text.truncate(clip(*at)),
        Damage::DropNewline(at) => {
            if let Some(n) = memchr::memchr(b'\n', &text[clip(*at)..]) {
                text.remove(clip(*at) + n);
            }
        }
        Damage::CarriageReturns => {
            *text = String::from_utf8_lossy(text)
                .replace('\n', "\r\n")
                .into_bytes();
        }
    }
}

proptest! {
    #![proptest_config(runs::cases(120))]

    #[test]
    fn random_bytes(bytes in proptest::collection::vec(any::<u8>(), 1..2000)) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.log");
        std::fs::write(&path, &bytes).unwrap();
        check(&path);
    }

    #[test]
    fn random_text(text in "([a-z0-9=:,\"'{}\\[\\] \\\\-]{0,40}\n){1,20}") {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.log");
        std::fs::write(&path, &text).unwrap();
        check(&path);
    }

    #[test]
    fn damaged_logs(
        seed in 0usize..12,
        damages in proptest::collection::vec(damage(), 1..6),
    ) {
        let mut text = seeds().swap_remove(seed);
        for damage in &damages {
            apply(&mut text, damage);
        }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.log");
        std::fs::write(&path, &text).unwrap();
        check(&path);
    }
}

#[test]
fn undamaged_runs_can_be_written_and_read_back() {
    for case in ["hung", "old2024", "json", "workqueue", "other"] {
        let dir = runs::directory(case);
        round_trip(
            &runs::load(&dir.path().join("run"), 2),
            &dir.path().join("written.jsonl"),
        );
    }
}
