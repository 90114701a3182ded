//! Stores of many runs: adding runs, and answers from a store.

use super::*;

#[cfg(not(feature = "parquet"))]
#[test]
fn a_store_is_written_by_builds_with_parquet() {
    let dir = tempfile::tempdir().unwrap();
    let store = format!("{}/", dir.path().display());
    let out = run(&["export", "-o", &store, &hung()]);
    assert_eq!(out.status.code(), Some(2));
    let error = text(&out.stderr);
    assert!(error.contains("`--features parquet`"), "{error}");
}

#[cfg(feature = "parquet")]
mod with_parquet {
    use std::collections::BTreeMap;
    use std::fs;
    use std::time::SystemTime;

    use super::*;

    fn add(store: &Path, name: &str, path: &str) -> String {
        let output = format!("{}/{name}", store.display());
        let out = ok(&["export", "-o", &output, path]);
        out.trim_end().to_owned()
    }

    fn rows(command: &[&str], path: &str) -> Vec<Map<String, Json>> {
        let out = run(&[command, &[path, "--format", "jsonl"]].concat());
        objects(&text(&out.stdout))
    }

    /// Names, lengths and times of all files.
    fn listing(folder: &Path) -> BTreeMap<String, (u64, SystemTime)> {
        let mut out = BTreeMap::new();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let meta = fs::metadata(&path).unwrap();
            match meta.is_dir() {
                true => out.extend(listing(&path)),
                false => {
                    let file = (meta.len(), meta.modified().unwrap());
                    out.insert(path.display().to_string(), file);
                }
            }
        }
        out
    }

    #[test]
    fn a_run_in_a_store_gives_the_answers_of_its_logs() {
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path().join("store");
        let partition = add(&store, "", &hung());
        let files = listing(&store);
        assert_eq!(files.len(), 3);
        assert!(files.keys().all(|file| file.starts_with(&partition)));
        // The same run again is the same partition, and no file of it changes.
        assert_eq!(add(&store, "", &hung()), partition);
        assert_eq!(listing(&store), files);
        for path in [&store.display().to_string(), &partition] {
            for asked in [
                &["events"][..],
                &["hung"],
                &["entities", "--of", "parsl.task"],
                &["runs", "--where", "has parsl.task"],
            ] {
                let answer = |path: &str| {
                    let mut rows = rows(asked, path);
                    // Where the logs lie, or the events of the partition.
                    rows.iter_mut()
                        .for_each(|row| drop(row.shift_remove("folder")));
                    rows
                };
                assert_eq!(answer(path), answer(&hung()), "{asked:?} {path}");
            }
            // From the summary of the partition, without its events.
            let id = partition.rsplit_once('=').unwrap().1;
            let mut listed = rows(&["runs"], path);
            for run in &mut listed {
                assert_eq!(run.shift_remove("partition"), Some(id.into()));
            }
            assert_eq!(listed, rows(&["runs"], &hung()));
        }
        let text = ok(&["runs", &partition]);
        assert!(text.starts_with("partition"), "{text}");
    }

    #[test]
    fn what_a_killed_writer_left_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path();
        let other = runs::data().join("old2024").display().to_string();
        assert!(add(store, "run=a", &hung()).ends_with("run=a"));
        add(store, "run=b.2", &other);
        let left = store.join(".widetui-killed/run=c");
        fs::create_dir_all(&left).unwrap();
        fs::write(left.join("events.parquet.part"), b"PAR1 half").unwrap();
        let path = store.display().to_string();
        let count = |path: &str| rows(&["events"], path).len();
        assert_eq!(count(&path), count(&hung()) + count(&other));
        let partitions: BTreeSet<String> = rows(&["runs"], &path)
            .iter()
            .map(|run| run["partition"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(
            partitions,
            BTreeSet::from(["a".to_owned(), "b.2".to_owned()])
        );
    }

    #[test]
    fn a_run_that_has_grown_replaces_its_partition() {
        let dir = tempfile::tempdir().unwrap();
        let (log, store) = (dir.path().join("a.log"), dir.path().join("store"));
        let mut lines = String::new();
        let mut partitions = BTreeSet::new();
        for n in 0..3 {
            lines += &format!("2026-11-20 10:00:0{n},000 INFO step {n}\n");
            fs::write(&log, &lines).unwrap();
            partitions.insert(add(&store, "", &log.display().to_string()));
            let path = store.display().to_string();
            assert_eq!(rows(&["events"], &path).len(), n + 1);
        }
        let partitions: Vec<String> = partitions.into_iter().collect();
        let [partition] = &partitions[..] else {
            panic!("{partitions:?}");
        };
        assert!(partition.contains("/run=20261120T100000-"), "{partition}");
    }

    #[test]
    fn a_part_of_a_run_and_other_names_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path().display().to_string();
        let named = |name: &str| format!("{store}/{name}");
        for (args, error) in [
            (
                vec!["-o", &store, "--where", "has parsl.task"],
                "holds whole runs",
            ),
            (vec!["-o", &store, "--flat"], "holds whole runs"),
            (vec!["-o", &named("run=a b")], "letters, digits"),
        ] {
            let out = run(&[&["export"], &args[..], &[&hung()]].concat());
            assert_eq!(out.status.code(), Some(2), "{args:?}");
            let found = text(&out.stderr);
            assert!(found.contains(error), "{args:?}: {found}");
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        // Not into the logs themselves.
        let log = dir.path().join("a.log");
        fs::write(&log, "2026-11-20 10:00:00,000 INFO a\n").unwrap();
        let out = run(&["export", "-o", &named("store/"), &store]);
        assert_eq!(out.status.code(), Some(2));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
