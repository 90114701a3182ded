//! The same bytes give the same records, in any container and with any chunk boundaries.

use std::fs;

use proptest::prelude::*;

use widetui_core::ids::EventId;
use widetui_format::load::lines::MAX_LINE;
use widetui_ingest::chunk::CHUNK;
use widetui_store::Snapshot;

use widetui_testing::runs;

/// Time, template, length and keys of each record, and the reported problems.
fn contents(snapshot: &Snapshot) -> Vec<String> {
    let all = (0..snapshot.len() as u32).map(|id| snapshot.event(EventId(id)).unwrap());
    let mut out: Vec<String> = all
        .map(|event| {
            let mut keys = Vec::new();
            event.for_each_code(|key, codes, _| {
                let view = snapshot.catalog.keys.get(key).unwrap();
                let values: Vec<_> = codes.iter().map(|c| view.spelling(*c)).collect();
                keys.push(format!("{}={values:?}", view.key.name));
            });
            let keys = keys.iter().filter(|k| !k.starts_with("source")).count();
            let (start, end) = event.span();
            let text = event
                .template()
                .unwrap()
                .text
                .chars()
                .take(40)
                .collect::<String>();
            format!("{:?} {text} {keys} {start} {end}", event.time())
        })
        .collect();
    let problems = snapshot.sources.iter().flat_map(|s| s.problems.iter());
    out.extend(problems.map(|p| format!("{:?} {:?} {}", p.lines, p.offset, p.text)));
    out
}

fn line(n: usize, length: usize) -> String {
    let head = format!(
        "{{\"time\": \"2026-01-01T00:{:02}:{:02}Z\", \"message\": \"step {n}\", \"n\": {n}, \"pad\": \"",
        n / 60 % 60,
        n % 60
    );
    let pad = "x".repeat(length.saturating_sub(head.len() + 3));
    format!("{head}{pad}\"}}\n")
}

/// Asserts that a text gives the same records as a file, compressed, and in an archive.
fn agrees(text: &str) {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    fs::create_dir(&run).unwrap();
    let file = run.join("app.jsonl");
    fs::write(&file, text).unwrap();
    runs::set_age(&file);
    let packed = dir.path().join("run.tar.gz");
    runs::tar_gz(&run, &packed);
    let plain = contents(&runs::load(&run, 2));
    let archived = contents(&runs::load(&packed, 2));
    runs::gzip_all(&run);
    let zipped = contents(&runs::load(&run, 2));
    for (i, line) in plain.iter().enumerate() {
        assert_eq!(archived.get(i), Some(line), "in an archive");
        assert_eq!(zipped.get(i), Some(line), "compressed");
    }
    assert_eq!((archived.len(), zipped.len()), (plain.len(), plain.len()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    #[test]
    fn long_lines_are_the_same_in_every_container(
        before in 0..CHUNK as usize,
        long in 600_000..3_000_000usize,
        behind in 1..30usize,
    ) {
        let mut text = String::new();
        while text.len() < before {
            text += &line(text.len(), 200_000.min(before - text.len() + 1));
        }
        text += &line(1, long);
        (0..behind).for_each(|n| text += &line(n, 100_000));
        agrees(&text);
    }
}

#[test]
fn lines_longer_than_any_are_cut_at_the_same_place() {
    let end = CHUNK as usize - 300_000;
    let texts = [
        [line(0, 200), line(1, MAX_LINE + 5), line(2, 200)],
        [line(0, end), line(1, MAX_LINE + 5), line(2, 200)],
        [line(0, end), line(1, MAX_LINE - 5), line(2, 200)],
    ];
    texts.iter().for_each(|lines| agrees(&lines.concat()));
}
