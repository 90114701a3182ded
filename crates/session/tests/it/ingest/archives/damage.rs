//! Archives that are truncated, damaged, or of an unsupported kind.

use proptest::prelude::*;

use super::{LINE, lines, load, problems, source};
use widetui_testing::packing::{STREAMS, Zipped, gz, tar, zip};

#[test]
fn a_zip_that_is_cut_off_gives_what_is_there() {
    let text = lines(20_000);
    let raw = text.as_bytes();
    for flags in [0, 8] {
        let members = ["a.log", "b.log", "c.log"].map(|name| Zipped {
            flags,
            ..Zipped::deflated(name, raw)
        });
        let whole = zip(&members);
        let part = members[0].packed.len() + 51;
        // Inside the second member, and inside the central directory.
        for (cut, complete) in [(part + part / 2, 1), (whole.len() - 60, 3)] {
            let snapshot = load("cut.zip", &whole[..cut]);
            let archive = source(&snapshot, "cut.zip");
            assert!(
                problems(archive).contains("may be truncated"),
                "{:?}",
                archive.problems
            );
            for (i, name) in ["a.log", "b.log", "c.log"].into_iter().enumerate() {
                let found = snapshot.sources.iter().find(|s| s.path.ends_with(name));
                let records = found.map_or(0, |s| s.stats.records());
                if i < complete {
                    assert_eq!(records, 20_000, "{name}, flags {flags}");
                } else if i == complete {
                    assert!((5_000..19_000).contains(&records), "{name}: {records}");
                    assert!(problems(found.unwrap()).contains("broken"));
                    assert!(problems(found.unwrap()).contains("at byte"));
                } else {
                    assert!(found.is_none());
                }
            }
        }
    }
}

#[test]
fn streams_that_are_cut_off_give_what_is_there_and_say_where() {
    for (ending, pack) in STREAMS {
        // xz is packed in chunks of up to two megabytes, of which only whole ones can be decompressed.
        let count = if ending == ".xz" { 120_000 } else { 20_000 };
        let text = lines(count);
        let (some, most) = (count as u64 / 3, count as u64 * 9 / 10);
        let whole = pack(text.as_bytes());
        let name = format!("cut.log{ending}");
        let snapshot = load(&name, &whole[..whole.len() * 3 / 4]);
        let cut = source(&snapshot, &name);
        let records = cut.stats.records();
        assert!((some..=most).contains(&records), "{name}: {records}");
        assert!(
            problems(cut).contains("is broken"),
            "{name}: {}",
            problems(cut)
        );
        assert!(
            problems(cut).contains("at byte"),
            "{name}: {}",
            problems(cut)
        );

        // The end of the stream, with its checksum, is missing.
        let snapshot = load(&name, &whole[..whole.len() - 3]);
        let cut = source(&snapshot, &name);
        assert!(
            cut.stats.records() >= most,
            "{name}: {}",
            cut.stats.records()
        );
        assert!(problems(cut).contains("is broken"), "{name}");

        let mut garbage = whole.clone();
        garbage.extend(b"this is no further stream of that kind at all");
        let snapshot = load(&name, &garbage);
        let source = source(&snapshot, &name);
        assert_eq!(source.stats.records(), count as u64, "{name}");
        assert!(problems(source).contains("is broken"), "{name}");
    }
}

#[test]
fn what_cannot_be_unpacked_is_reported_and_the_rest_is_read() {
    let good = Zipped::deflated("good.log", LINE.as_bytes());
    let named = |name: &str| Zipped {
        name: name.to_owned(),
        ..good.clone()
    };
    let mut damaged = named("damaged.log");
    damaged.crc ^= 1;
    let bytes = zip(&[
        Zipped {
            flags: 1,
            ..named("secret.log")
        },
        Zipped {
            method: 98,
            ..named("ppmd.log")
        },
        Zipped {
            method: 77,
            ..named("odd.log")
        },
        damaged,
        named("../../etc/up.log"),
        named("C:\\logs\\x.log"),
        good,
    ]);
    let snapshot = load("mixed.zip", &bytes);
    let said = |name: &str| problems(source(&snapshot, name));
    assert!(said("/secret.log").contains("encrypted"));
    assert!(said("/ppmd.log").contains("method 98 (PPMd)"));
    assert!(said("/odd.log").contains("method 77"));
    assert!(said("/damaged.log").contains("checksum"));
    assert_eq!(source(&snapshot, "/damaged.log").stats.records(), 1);
    assert_eq!(said("/good.log"), "");
    assert_eq!(source(&snapshot, "mixed.zip/etc/up.log").stats.records(), 1);
    assert_eq!(source(&snapshot, "mixed.zip/C:/logs/x.log").tag, "x");
    assert_eq!(snapshot.len(), 4);
}

#[test]
fn a_tar_without_its_end_says_so() {
    let whole = tar(&[("a.log".into(), LINE.into())]);
    for (name, bytes) in [
        ("a.tar", whole[..1024].to_vec()),
        ("a.tar.gz", gz(&whole[..1024])),
    ] {
        let snapshot = load(name, &bytes);
        assert_eq!(snapshot.len(), 1);
        let said = problems(source(&snapshot, name));
        assert!(said.contains("may be truncated"), "{name}: {said}");
    }
}

#[test]
fn an_archive_without_members_is_empty_and_no_problem() {
    for (name, bytes) in [("a.zip", zip(&[])), ("a.zip.gz", gz(&zip(&[])))] {
        let snapshot = load(name, &bytes);
        let archive = source(&snapshot, name);
        assert!(archive.layout.contains("zip"), "{}", archive.layout);
        assert_eq!(problems(archive), "");
    }
}

#[test]
fn tars_from_before_there_was_a_magic_number_are_known() {
    let mut header = tar::Header::new_old();
    header.set_path("old.log").unwrap();
    header.set_size(LINE.len() as u64);
    header.set_mtime(0);
    header.set_mode(0o644);
    header.set_cksum();
    let mut bytes = header.as_bytes().to_vec();
    bytes.extend(LINE.as_bytes());
    bytes.resize(2048, 0);
    let snapshot = load("old.tar", &bytes);
    assert_eq!(source(&snapshot, "old.log").stats.records(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// Damage is reported or harmless; in any case the load ends, and the file beside it is read.
    #[test]
    fn damage_anywhere_ends_well(
        form in 0usize..8,
        hits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let text = lines(400);
        let members = [("a.log".to_owned(), text.clone().into_bytes()), ("b.log".to_owned(), LINE.into())];
        let zipped: Vec<Zipped> = members.iter().map(|(n, b)| Zipped::deflated(n, b)).collect();
        let mut bytes = match form {
            0..=3 => STREAMS[form].1(text.as_bytes()),
            4 => tar(&members),
            5 => gz(&tar(&members)),
            6 => zip(&zipped),
            _ => zip(&[Zipped::stored("in.zip", &zip(&zipped))]),
        };
        for (at, value) in hits {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if cut.index(3) == 0 {
            bytes.truncate(cut.index(bytes.len()));
        }
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("x.bin"), &bytes).unwrap();
        std::fs::write(dir.path().join("z.log"), LINE).unwrap();
        let snapshot = widetui_testing::runs::load(dir.path(), 2);
        prop_assert_eq!(source(&snapshot, "z.log").stats.records(), 1);
    }
}
