//! Chunk boundaries do not matter: any chunking gives the records of the whole source.

use proptest::prelude::*;

use widetui_core::dict::Code;
use widetui_format::catalog::encode::Encoder;
use widetui_format::catalog::sink::{Head, RecordSink};
use widetui_format::load::json_lines::{JsonCache, JsonLoader};
use widetui_format::load::lines::{Chunk, Growth, LineCache, LineLoader};
use widetui_format::reader::{Reader, Syntax};
use widetui_source::text::read_range;
use widetui_store::Snapshot;

use widetui_testing::runs;

/// A record from the loader.
type Seen = (
    u64,
    i64,
    u32,
    u8,
    Option<u32>,
    Vec<Code>,
    Vec<(usize, Vec<Code>)>,
);

#[derive(Default)]
struct Collected {
    records: Vec<Seen>,
    unreadable: Vec<u64>,
}

impl RecordSink for Collected {
    fn record(&mut self, head: Head, cells: &[Code], lists: &[(usize, Vec<Code>)]) {
        self.records.push((
            head.offset,
            head.time,
            head.shape.0,
            head.level as u8,
            head.context.map(|c| c.0),
            cells.to_vec(),
            lists.to_vec(),
        ));
    }

    fn zone_seen(&mut self, _epoch: i64, _offset: i32) {}

    fn unreadable(&mut self, offset: u64) {
        self.unreadable.push(offset);
    }

    fn fields_left_out(&mut self, offset: u64) {
        self.unreadable.push(offset);
    }
}

/// Reads a text in chunks that start at these bytes (0 is the first); each chunk uses its own parser caches or those of
/// the previous one.
fn collect(
    snapshot: &Snapshot,
    reader: &Reader,
    text: &[u8],
    starts: &[usize],
    fresh: bool,
) -> Collected {
    let mut sink = Collected::default();
    let mut encoder = Encoder::default();
    let (mut lines, mut json_cache) = (LineCache::default(), JsonCache::default());
    for (i, start) in starts.iter().enumerate() {
        if fresh {
            encoder = Encoder::default();
            (lines, json_cache) = (LineCache::default(), JsonCache::default());
        }
        let end = starts.get(i + 1).copied().unwrap_or(text.len());
        let chunk = Chunk {
            text: &text[*start..end],
            offset: *start as u64,
            first: i == 0,
            after: &text[end..],
            growth: Growth::Complete,
        };
        match &reader.syntax {
            Syntax::Lines(layouts) => {
                LineLoader {
                    tables: &snapshot.tables,
                    encoder: &mut encoder,
                    cache: &mut lines,
                    reader,
                    layouts,
                }
                .load(chunk, &mut sink);
            }
            Syntax::Json(json) => JsonLoader {
                tables: &snapshot.tables,
                encoder: &mut encoder,
                cache: &mut json_cache,
                reader,
                json,
            }
            .load(chunk, &mut sink),
        }
    }
    sink
}

/// Starts of chunks: the first byte, and each line start that `take` chooses. The first chunk holds the first non-empty
/// line and a quotation at the top, as real chunks of megabytes do.
pub fn cuts(text: &[u8], mut take: impl FnMut(usize) -> bool) -> Vec<usize> {
    let blank = text.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let quoted = b"--> end executable <--\n";
    let quoted = memchr::memmem::find(text, quoted).map_or(0, |at| at + quoted.len() - 1);
    let blank = blank.max(quoted);
    let ends = memchr::memchr_iter(b'\n', text).map(|at| at + 1);
    let inner = ends
        .filter(|at| *at < text.len() && *at > blank)
        .enumerate();
    std::iter::once(0)
        .chain(inner.filter(|(i, _)| take(*i)).map(|(_, at)| at))
        .collect()
}

/// Compares the records of a whole text with those of chunks that start at these bytes.
pub fn check(snapshot: &Snapshot, reader: &Reader, name: &str, text: &[u8], starts: &[usize]) {
    let whole = collect(snapshot, reader, text, &[0], true);
    for fresh in [true, false] {
        let parts = collect(snapshot, reader, text, starts, fresh);
        for (a, b) in whole.records.iter().zip(&parts.records) {
            assert_eq!(a, b, "{name}: cut at {starts:?}, fresh caches: {fresh}");
        }
        assert_eq!(whole.records.len(), parts.records.len(), "{name}");
        assert_eq!(whole.unreadable, parts.unreadable, "{name}");
    }
}

#[test]
fn real_logs_give_the_same_records_however_they_are_cut() {
    for case in ["hung", "old2024", "workqueue", "json", "other"] {
        let dir = runs::directory(case);
        let snapshot = runs::load(dir.path(), 2);
        for source in snapshot.sources.iter() {
            let Some(reader) = &source.reader else {
                continue;
            };
            let text = read_range(&*source.text, 0, source.bytes as usize).unwrap();
            // One chunk per line for small files; one per several lines for all.
            let steps: &[usize] = if text.len() < 40_000 { &[1, 7] } else { &[13] };
            for step in steps {
                let starts = cuts(&text, |i| i % step == 0);
                check(&snapshot, reader, &source.path, &text, &starts);
            }
        }
    }
}

#[test]
fn the_store_holds_what_the_loader_gives_for_the_whole_text() {
    let dir = runs::directory("hung");
    let snapshot = runs::load(dir.path(), 2);
    for source in snapshot.sources.iter() {
        let Some(reader) = &source.reader else {
            continue;
        };
        let text = read_range(&*source.text, 0, source.bytes as usize).unwrap();
        let whole = collect(&snapshot, reader, &text, &[0], true);
        assert_eq!(whole.records.len() as u64, source.stats.records());
        for record in &whole.records {
            let id = snapshot.event_at(source.id, record.0);
            let event = id.and_then(|id| snapshot.event(id)).unwrap();
            assert_eq!(event.segment.times.get(event.row), record.1);
            assert_eq!(event.shape().unwrap().id.0, record.2);
        }
    }
}

/// Lines of several layouts in any order: headers, partial headers, tracebacks, JSON, garbage.
fn lines() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        (0u32..50, 0u32..4).prop_map(|(n, k)| {
            let message = [
                format!("Task {n} changing state from pending to launched"),
                format!("Sent tasks: [{n}, {}] to manager b'0d1175223706'", n + 1),
                format!("plain words and {n}.5 or x={n}"),
                String::new(),
            ];
            format!(
                "179522538{}.115450 2026-11-20 19:43:07 MainProcess-3288 Task-Launch_0-1396765 parsl.dataflow.dflow:{} launch INFO: {}",
                n % 10, 700 + n, message[k as usize]
            )
            .into_bytes()
        }),
        Just(b"2026-11-20 19:40:32.114 parsl.monitoring.db_manager:306 [INFO] [MainThread 140] Init".to_vec()),
        Just(b"{\"time\": 1795225387.5, \"level\": \"INFO\", \"msg\": \"a %d\", \"n\": [1, 2]}".to_vec()),
        Just(b"Traceback (most recent call last):".to_vec()),
        Just(b"  File \"x.py\", line 3, in f".to_vec()),
        Just(b"1795225387.115450 2026-11-20 19:43:07 MainProcess".to_vec()),
        Just(b"{\"time\": 17952".to_vec()),
        Just(Vec::new()),
        Just(b"\r".to_vec()),
        proptest::collection::vec(any::<u8>(), 0..30),
    ];
    proptest::collection::vec(line, 0..40).prop_map(|lines| lines.join(&b'\n'))
}

proptest! {
    #![proptest_config(runs::cases(150))]

    #[test]
    fn made_up_logs_give_the_same_records_however_they_are_cut(
        text in lines(),
        take in proptest::collection::vec(any::<bool>(), 100),
        which in 0usize..3,
    ) {
        thread_local! {
            static READERS: std::sync::Arc<Snapshot> = {
                let dir = tempfile::tempdir().unwrap();
                let run = runs::data().join("hung/000");
                std::fs::copy(run.join("parsl.log"), dir.path().join("a.log")).unwrap();
                std::fs::write(dir.path().join("b.txt"), "just words\nand more\n  words\n").unwrap();
                std::fs::write(dir.path().join("c.jsonl"), "{\"time\": 1795225387.5, \"level\": \"INFO\", \"msg\": \"a 5\"}\n").unwrap();
                runs::load(dir.path(), 1)
            };
        }
        READERS.with(|snapshot| {
            let reader = snapshot.sources[which].reader.clone().unwrap();
            let starts = cuts(&text, |i| take[i % take.len()]);
            check(snapshot, &reader, "made up", &text, &starts);
        });
    }
}
