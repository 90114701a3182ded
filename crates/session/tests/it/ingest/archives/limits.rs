//! Limits on the contents of archives.

use std::fs;
use std::sync::Arc;

use widetui_ingest::load::load_all;
use widetui_source::limits::Limits;
use widetui_store::Snapshot;

use super::{LINE, lines, problems, runs, source};
use widetui_testing::packing::{STREAMS, Zipped, bz2, gz, tar, xz, zip, zst};

const SMALL: Limits = Limits {
    unquestioned: 2_000_000,
    ratio: 250,
    expanded: 50_000_000,
    members: 1000,
    depth: 4,
};

fn load(name: &str, bytes: &[u8]) -> Arc<Snapshot> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    fs::write(&path, bytes).unwrap();
    fs::write(dir.path().join("beside.log"), LINE).unwrap();
    let mut options = runs::options(dir.path(), 2);
    options.limits = SMALL;
    let (snapshot, _) = load_all(&options, &Default::default(), Default::default()).unwrap();
    assert_eq!(source(&snapshot, "beside.log").stats.records(), 1);
    snapshot
}

fn bytes_read(snapshot: &Snapshot) -> u64 {
    let logs = snapshot.sources.iter().filter(|s| s.is_log);
    logs.map(|s| s.bytes).sum()
}

#[test]
fn a_bomb_is_read_up_to_the_limit_and_said_at_its_source() {
    let text = vec![b'\n'; 20_000_000];
    let good = LINE.as_bytes();
    let inside = tar(&[
        ("good.log".into(), good.to_vec()),
        ("bomb.log".into(), text.clone()),
    ]);
    let zipped = zip(&[
        Zipped::stored("good.log", good),
        Zipped::deflated("bomb.log", &text),
    ]);
    let lying = zip(&[
        Zipped::stored("good.log", good),
        Zipped {
            size: 10,
            ..Zipped::deflated("bomb.log", &text)
        },
    ]);
    let mut bombs: Vec<(String, Vec<u8>)> = vec![
        ("bomb.zip".into(), zipped.clone()),
        ("lying.zip".into(), lying),
        ("bomb.tar.gz".into(), gz(&inside)),
        (
            "nested.zip".into(),
            zip(&[Zipped::deflated("in.tar.xz", &xz(&inside))]),
        ),
        ("nested.tar".into(), tar(&[("in.zip".into(), zipped)])),
        ("twice.log.bz2.gz".into(), gz(&bz2(&text))),
    ];
    for (ending, pack) in STREAMS {
        bombs.push((format!("bomb.log{ending}"), pack(&text)));
    }
    for (name, bytes) in bombs {
        if bytes.len() > 70_000 {
            // Such a compression ratio is within the limit.
            assert!(
                name.ends_with(".zst") || name.ends_with(".zip") || name.ends_with(".gz"),
                "{name}"
            );
        }
        let ratio = 20_000_000 / bytes.len();
        if ratio < 260 {
            continue;
        }
        let snapshot = load(&name, &bytes);
        let all: Vec<String> = snapshot.sources.iter().map(|s| problems(s)).collect();
        assert!(
            all.iter().any(|p| p.contains("250 times its size")),
            "{name}: {all:?}"
        );
        assert!(bytes_read(&snapshot) < 12_000_000, "{name}");
        if let Some(good) = snapshot
            .sources
            .iter()
            .find(|s| s.path.ends_with("good.log"))
        {
            assert_eq!(good.stats.records(), 1, "{name}");
        }
    }
}

#[test]
fn bytes_in_all_are_limited_too() {
    let part = lines(80_000);
    let members: Vec<(String, Vec<u8>)> = (0..6)
        .map(|i| (format!("{i}.log"), part.clone().into_bytes()))
        .collect();
    let snapshot = load("large.tar.zst", &zst(&tar(&members)));
    let said = problems(source(&snapshot, "large.tar.zst"));
    assert!(said.contains("50000000 bytes"), "{said}");
    assert!((30_000_000..60_000_000).contains(&bytes_read(&snapshot)));
}

#[test]
fn members_are_counted_over_all_archives_inside() {
    let many: Vec<(String, Vec<u8>)> = (0..600)
        .map(|i| (format!("{i}.log"), LINE.into()))
        .collect();
    let zipped: Vec<Zipped> = many.iter().map(|(n, b)| Zipped::deflated(n, b)).collect();
    let two = tar(&[
        ("one.zip".into(), zip(&zipped)),
        ("two.tar.gz".into(), gz(&tar(&many))),
    ]);
    let snapshot = load("two.tar", &two);
    let said = problems(source(&snapshot, "two.tar.gz"));
    assert!(said.contains("more than 1000 members"), "{said}");
    let records: u64 = snapshot.sources.iter().map(|s| s.stats.records()).sum();
    assert_eq!(records, 998 + 1);
}

#[test]
fn archives_lie_in_each_other_four_times_at_most() {
    let mut bytes = zip(&[Zipped::stored("log.log", LINE.as_bytes())]);
    for depth in 1..=5 {
        let snapshot = load("a.zip", &bytes);
        let found = snapshot
            .sources
            .iter()
            .find(|s| s.path.ends_with("log.log"));
        if depth <= 4 {
            assert_eq!(found.unwrap().stats.records(), 1, "{depth}");
        } else {
            assert!(found.is_none());
            let all: Vec<String> = snapshot.sources.iter().map(|s| problems(s)).collect();
            assert!(
                all.iter().any(|p| p.contains("more than 4 times")),
                "{all:?}"
            );
        }
        bytes = if depth % 2 == 0 {
            zip(&[Zipped::deflated("in.tar.gz", &bytes)])
        } else {
            gz(&tar(&[("in.zip".into(), bytes)]))
        };
    }
    // Compressed repeatedly.
    let mut bytes = LINE.as_bytes().to_vec();
    for _ in 0..5 {
        bytes = gz(&bytes);
    }
    let snapshot = load("a.log.gz", &bytes);
    let said = problems(source(&snapshot, "a.log.gz"));
    assert!(said.contains("more than 4 times"), "{said}");
}

#[test]
fn an_archive_that_contains_itself_ends() {
    // Every level holds the same bytes: only the depth limit stops the reader, not its stack or memory.
    let mut bytes = gz(LINE.as_bytes());
    for _ in 0..30 {
        bytes = zip(&[Zipped::deflated("self.zip", &bytes)]);
    }
    let snapshot = load("self.zip", &bytes);
    assert!(snapshot.sources.len() <= 6);
}

#[test]
fn a_name_of_megabytes_is_not_held() {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::GNULongName);
    header.set_size(30_000_000);
    header.as_mut_bytes()[..5].copy_from_slice(b"long/");
    header.set_cksum();
    let mut bytes = tar(&[("good.log".into(), LINE.into())]);
    bytes.truncate(bytes.len() - 1024);
    bytes.extend(header.as_bytes());
    bytes.resize(bytes.len() + 30_000_000, b'x');
    let snapshot = load("name.tar", &bytes);
    assert_eq!(source(&snapshot, "good.log").stats.records(), 1);
    let said = problems(source(&snapshot, "name.tar"));
    assert!(said.contains("more than a megabyte"), "{said}");
}

#[test]
fn twenty_thousand_members_are_read_one_by_one() {
    let zipped: Vec<Zipped> = (0..20_000)
        .map(|i| Zipped::deflated(&format!("run/{}/{i}.log", i % 100), LINE.as_bytes()))
        .collect();
    let snapshot = super::load("many.zip", &zip(&zipped));
    assert_eq!(snapshot.sources.len(), 20_001);
    assert_eq!(snapshot.len(), 20_000);
}
